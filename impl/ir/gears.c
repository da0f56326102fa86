/* SPDX-License-Identifier: Apache-2.0 */
/* gears: the only sizes that free dims may take together.  A batch or an image gear serves all inputs at once. */
#include <string.h>

#include "ir/input_shapes.h"

typedef enum kind { BATCH, IMAGE, DIMS } kind;

typedef struct gears {
    const gei_input_texts *inputs;
    gei_shape_limits *to;
    kind kind;
    const char *text;
    uint32_t n_given;     /* sizes in the text of a gear */
    uint32_t *column;     /* by gear dim: which of these it takes */
    gei_diag *diag;
} gears;

static const char *input_name(const gears *g, gei_dim_at at) { return g->inputs->nodes[at.input]->name; }
static gei_dim dim_of(const gears *g, gei_dim_at at) { return g->inputs->nodes[at.input]->outs[0].dims[at.dim]; }

static ge_status choose(const gei_shape_options *o, gears *g) {
    const struct {
        const char *option, *text;
    } kinds[] = { { "ge.dynamicBatchSize", o->batch_sizes }, { "ge.dynamicImageSize", o->image_sizes }, { "ge.dynamicDims", o->dims } };
    for (uint32_t k = 0; k < GEI_COUNT(kinds); k++) {
        if (!kinds[k].text[0]) continue;
        if (g->to->option)
            return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "the options '%s' and '%s' exclude each other", g->to->option, kinds[k].option);
        g->to->option = kinds[k].option;
        g->text = kinds[k].text;
        g->kind = (kind)k;
    }
    return GE_OK;
}

/* ---- which dims ---- */

static ge_status wrong_place(const gears *g, gei_dim_at at, const char *where) {
    return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s': dim %d of input '%s' is free, but only %s may be", g->to->option, (int)at.dim,
                    input_name(g, at), where);
}

static ge_status place_image(const gears *g, const char *format, uint32_t i) {
    gei_dim_at at = g->to->gear_dims[i];
    int32_t first = !format[0] || strcmp(format, "NCHW") == 0 ? 2 : strcmp(format, "NHWC") == 0 ? 1 : -1;
    if (first < 0) return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s' needs the input_format NCHW or NHWC, not '%.20s'", g->to->option, format);
    int32_t rank = g->inputs->nodes[at.input]->outs[0].rank;
    if (rank != 4 || at.dim < first || at.dim > first + 1) return wrong_place(g, at, "height and width of inputs with four dims");
    g->column[i] = (uint32_t)(at.dim - first);
    for (uint32_t k = 0; k < g->to->n_gear_dims; k++) /* the other one of the two */
        if (g->to->gear_dims[k].input == at.input && g->to->gear_dims[k].dim == 2 * first + 1 - at.dim) return GE_OK;
    return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s': height and width of input '%s' have to be free both", g->to->option, input_name(g, at));
}

static ge_status place(const gears *g, const char *format, uint32_t i) {
    gei_dim_at at = g->to->gear_dims[i];
    if (gei_dim_known(dim_of(g, at)))
        return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s': dim %d of input '%s' is %lld by another input", g->to->option, (int)at.dim,
                        input_name(g, at), (long long)dim_of(g, at));
    switch (g->kind) {
    case BATCH: return at.dim == 0 ? GE_OK : wrong_place(g, at, "dim 0");
    case IMAGE: return place_image(g, format, i);
    case DIMS: g->column[i] = i;
    }
    return GE_OK;
}

static ge_status place_all(gears *g, const char *format, gei_arena *arena) {
    size_t n = g->inputs->n_free;
    if (n == 0) return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s': no dim of the inputs is free: -1 in input_shape", g->to->option);
    g->to->gear_dims = gei_arena_copy(arena, g->inputs->free, n * sizeof *g->inputs->free, _Alignof(gei_dim_at));
    g->column = gei_arena_array(arena, uint32_t, n);
    if (!g->to->gear_dims || !g->column) return gei_out_of_memory(g->diag, n * sizeof(gei_dim_at));
    g->to->n_gear_dims = (uint32_t)n;
    g->n_given = g->kind == BATCH ? 1 : g->kind == IMAGE ? 2 : (uint32_t)n;
    for (uint32_t i = 0; i < n; i++) GEI_TRY(place(g, format, i));
    return GE_OK;
}

/* ---- sizes ---- */

static ge_status wrong_text(const gears *g, const char *why) {
    gei_diag_found(g->diag, "%s", g->text);
    return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s': '%.100s': %s", g->to->option, g->text, why);
}

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t"); }

/* The sizes of one gear up to the mark that ends it; *at is moved behind that. */
static ge_status read_gear(const gears *g, const char **at, int64_t *sizes) {
    for (uint32_t k = 0; k < g->n_given; k++) {
        const char *from = skip_blanks(*at);
        size_t used = gei_parse_i64(from, strlen(from), &sizes[k]);
        if (used == 0) return wrong_text(g, "a gear is positive numbers, one for each free dim");
        if (sizes[k] <= 0) return wrong_text(g, "the sizes of a gear are positive");
        *at = skip_blanks(from + used);
        if (k + 1 == g->n_given) break;
        if (**at != ',') return wrong_text(g, "a gear has fewer sizes than there are free dims");
        (*at)++;
    }
    char mark = g->kind == BATCH ? ',' : ';';
    if (**at == ',' && mark != ',') return wrong_text(g, "a gear has more sizes than there are free dims");
    if (**at && **at != mark) return wrong_text(g, "something else than numbers stands in it");
    if (**at) (*at)++;
    return GE_OK;
}

/* Dims with one symbol have one size. */
static ge_status check_symbols(const gears *g, const int64_t *row) {
    for (uint32_t i = 0; i < g->to->n_gear_dims; i++) {
        for (uint32_t k = 0; k < i; k++) {
            gei_dim_at a = g->to->gear_dims[k], b = g->to->gear_dims[i];
            if (!gei_dim_same(dim_of(g, a), dim_of(g, b)) || row[k] == row[i]) continue;
            return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s': '%s' would be %lld in input '%s' and %lld in input '%s'", g->to->option,
                            g->inputs->graph->symbols->names.items[gei_dim_symbol_index(dim_of(g, a))], (long long)row[k], input_name(g, a),
                            (long long)row[i], input_name(g, b));
        }
    }
    return GE_OK;
}

static ge_status keep_gear(const gears *g, const int64_t *sizes) {
    gei_shape_limits *to = g->to;
    size_t n = to->n_gear_dims;
    int64_t *row = to->gears + to->n_gears * n;
    for (size_t i = 0; i < n; i++) row[i] = sizes[g->column[i]];
    for (uint32_t k = 0; k < to->n_gears; k++)
        if (memcmp(to->gears + k * n, row, n * sizeof *row) == 0) return wrong_text(g, "a gear is given twice");
    GEI_TRY(check_symbols(g, row));
    to->n_gears++;
    return GE_OK;
}

static ge_status read_gears(const gears *g, gei_arena *arena) {
    gei_shape_limits *to = g->to;
    to->gears = gei_arena_array(arena, int64_t, (size_t)GEI_MAX_GEARS * to->n_gear_dims);
    int64_t *sizes = gei_arena_array(arena, int64_t, g->n_given);
    if (!to->gears || !sizes) return gei_out_of_memory(g->diag, (size_t)GEI_MAX_GEARS * to->n_gear_dims * sizeof(int64_t));
    for (const char *at = g->text; *skip_blanks(at);) {
        if (to->n_gears == GEI_MAX_GEARS) return wrong_text(g, "there are more than 256 gears");
        GEI_TRY(read_gear(g, &at, sizes));
        GEI_TRY(keep_gear(g, sizes));
    }
    return to->n_gears >= GEI_MIN_GEARS ? GE_OK : wrong_text(g, "there have to be two gears or more");
}

/* Every gear gives every input a shape. */
static ge_status check_complete(const gears *g) {
    for (uint32_t input = 0; input < g->inputs->n_nodes; input++) {
        const gei_out *out = &g->inputs->nodes[input]->outs[0];
        bool is_told = out->rank >= 0;
        int32_t d = 0;
        for (; d < out->rank && is_told; d++) {
            is_told = gei_dim_known(out->dims[d]);
            for (uint32_t k = 0; k < g->to->n_gear_dims && !is_told; k++) {
                gei_dim_at at = g->to->gear_dims[k];
                is_told = gei_dim_same(dim_of(g, at), out->dims[d]) || (at.input == input && at.dim == d);
            }
        }
        if (!is_told)
            return gei_fail(g->diag, GE_ERR_OPTION_VALUE, "option '%s': no gear tells dim %d of input '%s'", g->to->option, (int)(d > 0 ? d - 1 : 0),
                            g->inputs->nodes[input]->name);
    }
    return GE_OK;
}

ge_status gei_gears_read(const gei_shape_options *options, const gei_input_texts *inputs, gei_arena *arena, gei_shape_limits *out, gei_diag *diag) {
    gears g = { .inputs = inputs, .to = out, .diag = diag };
    GEI_TRY(choose(options, &g));
    if (!out->option) return GE_OK;
    GEI_TRY(place_all(&g, options->format, arena));
    GEI_TRY(read_gears(&g, arena));
    return check_complete(&g);
}
