/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/input_shapes.h"

#include <string.h>

#include "ir/dtype.h"

#define ANY ((int64_t)-1) /* least of a dim given as -1 */
#define SHOWN_BYTES 100   /* of an entry in messages */

/* One entry of an option, between semicolons. */
typedef struct entry {
    const char *option;
    const char *text;
    size_t size;
} entry;

typedef struct settled {   /* a symbol with a size */
    bool is_set;
    int64_t size;
    gei_dim_at at;
} settled;

typedef struct job {
    gei_graph *graph;
    gei_arena *arena;
    gei_node **nodes;
    size_t n_nodes;
    bool *is_given;        /* by input */
    settled *symbols;
    GEI_VEC(gei_dim_range) ranges; /* in the arena's allocator; copied at the end */
    GEI_VEC(gei_dim_at) free;
    gei_diag *diag;
} job;

/* ---- words ---- */

static ge_status refuse(const job *j, const entry *e, const char *why) {
    gei_diag_found(j->diag, "%.*s", (int)(e->size < SHOWN_BYTES ? e->size : SHOWN_BYTES), e->text);
    return gei_fail(j->diag, GE_ERR_OPTION_VALUE, "option '%s': '%.*s': %s", e->option, (int)(e->size < SHOWN_BYTES ? e->size : SHOWN_BYTES),
                    e->text, why);
}

static ge_status no_such_input(const job *j, const entry *e, const char *name, size_t name_size) {
    size_t best = SIZE_MAX;
    const char *near = NULL;
    for (size_t i = 0; i < j->n_nodes; i++) {
        size_t d = gei_edit_distance(name, name_size, j->nodes[i]->name, strlen(j->nodes[i]->name));
        if (d < best) near = j->nodes[i]->name;
        if (d < best) best = d;
    }
    gei_diag_found(j->diag, "%.*s", (int)(name_size < SHOWN_BYTES ? name_size : SHOWN_BYTES), name);
    if (near) gei_diag_wanted(j->diag, "%s", near);
    return gei_fail(j->diag, GE_ERR_OPTION_VALUE, "option '%s': the model has no input '%.*s'%s%s%s", e->option,
                    (int)(name_size < SHOWN_BYTES ? name_size : SHOWN_BYTES), name, near ? "; the nearest is '" : "", near ? near : "", near ? "'" : "");
}

static const char *symbol_name(const job *j, gei_dim dim) { return j->graph->symbols->names.items[gei_dim_symbol_index(dim)]; }

/* ---- one size ---- */

static void skip_blanks(const char **at, const char *end) {
    while (*at < end && (**at == ' ' || **at == '\t')) (*at)++;
}

static bool take_number(const char **at, const char *end, int64_t *out) {
    skip_blanks(at, end);
    size_t used = gei_parse_i64(*at, (size_t)(end - *at), out);
    *at += used;
    skip_blanks(at, end);
    return used > 0;
}

/* "4", "-1", "1~8" and, for no upper bound, "1~-1". */
static bool take_size(const char **at, const char *end, int64_t *least, int64_t *most) {
    if (!take_number(at, end, least)) return false;
    *most = *least == ANY ? INT64_MAX : *least;
    if (*at == end || **at != '~') return *least == ANY || *least > 0;
    (*at)++;
    if (!take_number(at, end, most) || *least < 0) return false;
    if (*most == -1) *most = INT64_MAX;
    return *most >= *least && *most > 0;
}

/* ---- settling ---- */

static ge_status settle(job *j, const entry *e, gei_dim symbol, gei_dim_at at, int64_t size) {
    settled *s = &j->symbols[gei_dim_symbol_index(symbol)];
    if (!s->is_set) *s = (settled){ true, size, at };
    if (s->size == size) return GE_OK;
    return gei_fail(j->diag, GE_ERR_OPTION_VALUE, "option '%s': '%s' would be %lld in input '%s' and %lld in input '%s'", e->option,
                    symbol_name(j, symbol), (long long)s->size, j->nodes[s->at.input]->name, (long long)size, j->nodes[at.input]->name);
}

/* What an entry says of one dim; *dim is what the model says. */
static ge_status set_dim(job *j, const entry *e, gei_dim_at at, int64_t least, int64_t most, gei_dim *dim) {
    const gei_dim_range range = { at, least, most };
    bool is_fixed = least == most;
    if (gei_dim_known(*dim) && !(is_fixed && *dim == least))
        return gei_fail(j->diag, GE_ERR_OPTION_VALUE, "option '%s': dim %d of input '%s' is %lld in the model and cannot be something else",
                        e->option, (int)at.dim, j->nodes[at.input]->name, (long long)*dim);
    if (is_fixed) {
        if (gei_dim_is_symbol(*dim)) GEI_TRY(settle(j, e, *dim, at, least));
        *dim = least;
        return GE_OK;
    }
    bool ok = least == ANY ? gei_vec_push(j->arena->from, &j->free, at) : gei_vec_push(j->arena->from, &j->ranges, range);
    return ok ? GE_OK : gei_out_of_memory(j->diag, sizeof range);
}

static ge_status set_shape(job *j, const entry *e, uint32_t input, const char *at, const char *end) {
    gei_node *node = j->nodes[input];
    gei_shape declared = gei_out_shape(&node->outs[0]), shape = gei_shape_scalar();
    skip_blanks(&at, end);
    while (at < end || shape.rank > 0) { /* behind a comma another size has to come */
        int64_t least, most;
        if (shape.rank == GEI_MAX_RANK) return refuse(j, e, "it has too many sizes");
        if (!take_size(&at, end, &least, &most)) return refuse(j, e, "a size is a positive number, -1, or a range such as 1~8");
        bool has_rank = declared.rank > shape.rank;
        if (declared.rank >= 0 && !has_rank) return refuse(j, e, "it has more sizes than the input has dims");
        gei_dim *dim = &shape.dims[shape.rank];
        *dim = has_rank ? declared.dims[shape.rank] : GEI_DIM_UNKNOWN;
        GEI_TRY(set_dim(j, e, (gei_dim_at){ input, shape.rank++ }, least, most, dim));
        if (at == end) break;
        if (*at++ != ',') return refuse(j, e, "sizes are separated by commas");
    }
    if (declared.rank > shape.rank) return refuse(j, e, "it has fewer sizes than the input has dims");
    return gei_out_set_shape(gei_value_of(node, 0), &shape, j->diag);
}

/* ---- entries ---- */

/* NAME:SIZES; names may hold colons themselves.  in_brackets: NAME:[SIZES]. */
static ge_status read_entry(job *j, const entry *e, bool in_brackets) {
    size_t colon = e->size;
    while (colon > 0 && e->text[colon - 1] != ':') colon--;
    if (colon == 0) return refuse(j, e, "it is not of the form NAME:SIZE,SIZE");
    const char *at = e->text + colon, *end = e->text + e->size;
    if (in_brackets) {
        while (end > at && end[-1] == ' ') end--;
        skip_blanks(&at, end);
        if (end - at < 2 || *at != '[' || end[-1] != ']') return refuse(j, e, "it is not of the form NAME:[SIZE,SIZE]");
        at++;
        end--;
    }
    size_t input = 0, name_size = colon - 1;
    while (input < j->n_nodes && (strlen(j->nodes[input]->name) != name_size || memcmp(j->nodes[input]->name, e->text, name_size) != 0)) input++;
    if (input == j->n_nodes) return no_such_input(j, e, e->text, name_size);
    if (j->is_given[input]) return refuse(j, e, "the input is given twice");
    if (gei_dtype_is_bundle(j->nodes[input]->outs[0].dtype)) return refuse(j, e, "the input is no tensor");
    j->is_given[input] = true;
    return set_shape(j, e, (uint32_t)input, at, end);
}

static ge_status read_shapes(job *j, const char *option, const char *text, bool in_brackets) {
    for (const char *at = text; *at;) {
        size_t size = strcspn(at, ";");
        entry e = { option, at, size };
        while (e.size > 0 && (*e.text == ' ' || *e.text == '\t')) {
            e.text++;
            e.size--;
        }
        if (e.size > 0) GEI_TRY(read_entry(j, &e, in_brackets));
        at += size + (at[size] == ';');
    }
    return GE_OK;
}

/* ---- the whole graph ---- */

static bool settle_dims(const job *j, gei_shape *shape) {
    bool is_changed = false;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (!gei_dim_is_symbol(shape->dims[i])) continue;
        const settled *s = &j->symbols[gei_dim_symbol_index(shape->dims[i])];
        if (!s->is_set) continue;
        shape->dims[i] = s->size;
        is_changed = true;
    }
    return is_changed;
}

static ge_status settle_node(const job *j, gei_node *node) {
    for (uint32_t k = 0; k < node->n_outs; k++) {
        gei_shape shape = gei_out_shape(&node->outs[k]);
        if (settle_dims(j, &shape)) GEI_TRY(gei_out_set_shape(gei_value_of(node, k), &shape, j->diag));
    }
    for (uint32_t k = 0; node->in_descs && k < node->n_ins; k++)
        if (node->in_descs[k]) (void)settle_dims(j, &node->in_descs[k]->shape);
    return GE_OK;
}

static ge_status settle_graph(const job *j, const gei_graph *g) {
    for (size_t i = 0; g && i < g->nodes.count; i++)
        if (g->nodes.items[i]) GEI_TRY(settle_node(j, g->nodes.items[i]));
    return GE_OK;
}

static ge_status settle_all(const job *j) {
    bool something = false;
    for (size_t i = 0; i < j->graph->symbols->names.count; i++) something = something || j->symbols[i].is_set;
    if (!something) return GE_OK;
    GEI_TRY(settle_graph(j, j->graph));
    for (size_t i = 0; i < j->graph->subgraphs.count; i++) GEI_TRY(settle_graph(j, j->graph->subgraphs.items[i]));
    return GE_OK;
}

/* ---- what stays open ---- */

static gei_dim dim_of(const job *j, gei_dim_at at) { return j->nodes[at.input]->outs[0].dims[at.dim]; }

/* A range of a dim that an equal one settled is held to here, those of the others by runs. */
static ge_status keep_ranges(const job *j, gei_shape_limits *out) {
    out->ranges = gei_arena_array(j->arena, gei_dim_range, j->ranges.count);
    if (!out->ranges) return gei_out_of_memory(j->diag, j->ranges.count * sizeof *out->ranges);
    for (size_t i = 0; i < j->ranges.count; i++) {
        const gei_dim_range *r = &j->ranges.items[i];
        gei_dim dim = dim_of(j, r->at);
        if (!gei_dim_known(dim)) out->ranges[out->n_ranges++] = *r;
        else if (dim < r->least || dim > r->most)
            return gei_fail(j->diag, GE_ERR_OPTION_VALUE, "option 'input_shape': dim %d of input '%s' is %lld by another input, out of its range",
                            (int)r->at.dim, j->nodes[r->at.input]->name, (long long)dim);
    }
    return GE_OK;
}

/* Without shapes given, the free dims of the model; those with one symbol are one. */
static ge_status find_free(job *j) {
    for (uint32_t input = 0; input < j->n_nodes; input++) {
        const gei_out *out = &j->nodes[input]->outs[0];
        for (int32_t i = 0; i < out->rank; i++) {
            bool is_known = gei_dim_known(out->dims[i]);
            for (size_t k = 0; k < j->free.count && !is_known; k++) is_known = gei_dim_same(dim_of(j, j->free.items[k]), out->dims[i]);
            if (!is_known && !gei_vec_push(j->arena->from, &j->free, ((gei_dim_at){ input, i }))) return gei_out_of_memory(j->diag, 0);
        }
    }
    return GE_OK;
}

static ge_status read_all(job *j, const gei_shape_options *o, gei_shape_limits *out) {
    const struct {
        const char *option, *text;
    } shapes[] = { { "input_shape", o->input_shape }, { "ge.inputShape", o->online_shape }, { "input_shape_range", o->input_shape_range } };
    const char *given = NULL;
    bool has_gears = o->batch_sizes[0] || o->image_sizes[0] || o->dims[0];
    for (size_t i = 0; i < GEI_COUNT(shapes); i++) {
        if (!shapes[i].text[0]) continue;
        if (given)
            return gei_fail(j->diag, GE_ERR_OPTION_VALUE, "the options '%s' and '%s' exclude each other", given, shapes[i].option);
        given = shapes[i].option;
        GEI_TRY(read_shapes(j, given, shapes[i].text, i == 2));
    }
    if (has_gears && j->ranges.count > 0)
        return gei_fail(j->diag, GE_ERR_OPTION_VALUE, "option '%s': ranges and gears exclude each other", given);
    GEI_TRY(settle_all(j));
    GEI_TRY(keep_ranges(j, out));
    if (has_gears && !given) GEI_TRY(find_free(j));
    gei_input_texts inputs = { j->graph, j->nodes, j->n_nodes, j->free.items, j->free.count };
    return gei_gears_read(o, &inputs, j->arena, out, j->diag);
}

static bool says_something(const gei_shape_options *o) {
    return o->input_shape[0] || o->input_shape_range[0] || o->online_shape[0] || o->batch_sizes[0] || o->image_sizes[0] || o->dims[0];
}

ge_status gei_input_shapes_set(gei_graph *g, const gei_shape_options *options, gei_arena *arena, gei_shape_limits *out, gei_diag *diag) {
    *out = (gei_shape_limits){ 0 };
    if (!says_something(options)) return GE_OK;
    job j = { .graph = g, .arena = arena, .diag = diag };
    GEI_TRY(gei_graph_inputs(g, arena, &j.nodes, &j.n_nodes, diag));
    j.is_given = gei_arena_array(arena, bool, j.n_nodes);
    j.symbols = gei_arena_array(arena, settled, g->symbols->names.count);
    ge_status st = j.is_given && j.symbols ? read_all(&j, options, out) : gei_out_of_memory(diag, j.n_nodes);
    gei_vec_free(arena->from, &j.ranges);
    gei_vec_free(arena->from, &j.free);
    return st;
}
