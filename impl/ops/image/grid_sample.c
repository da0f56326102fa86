/* SPDX-License-Identifier: Apache-2.0 */
/* GeGridSample: x [N, C, places...] read at grid [N, rows..., rank], coordinates from -1 to 1, the last axis of x first.
 *   mode          nearest (ties to even), linear, cubic; bilinear and bicubic are the same
 *   padding_mode  zeros; border: the nearest place; reflection: mirrored at the border */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_GRID };

#define MAX_PLACES (GEI_MAX_RANK - 2)

typedef enum sample_mode { SAMPLE_NEAREST, SAMPLE_LINEAR, SAMPLE_CUBIC } sample_mode;
typedef enum sample_pad { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION } sample_pad;

typedef struct sample_attrs {
    sample_mode mode;
    sample_pad pad;
    bool corners; /* -1 and 1 are the middles of the outer places, not their edges */
} sample_attrs;

static ge_status read_attrs(const gei_node *node, sample_attrs *a, gei_diag *diag) {
    const char *mode = gei_node_text(node, "mode", "linear"), *pad = gei_node_text(node, "padding_mode", "zeros");
    if (strcmp(mode, "linear") == 0 || strcmp(mode, "bilinear") == 0) a->mode = SAMPLE_LINEAR;
    else if (strcmp(mode, "cubic") == 0 || strcmp(mode, "bicubic") == 0) a->mode = SAMPLE_CUBIC;
    else if (strcmp(mode, "nearest") == 0) a->mode = SAMPLE_NEAREST;
    else return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "mode", "unknown value '%s'", mode);
    if (strcmp(pad, "zeros") == 0) a->pad = PAD_ZEROS;
    else if (strcmp(pad, "border") == 0) a->pad = PAD_BORDER;
    else if (strcmp(pad, "reflection") == 0) a->pad = PAD_REFLECTION;
    else return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "padding_mode", "unknown value '%s'", pad);
    a->corners = gei_node_int(node, "align_corners", 0) != 0;
    return GE_OK;
}

static ge_status infer_sample(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *grid = &i->in[SLOT_GRID]->shape;
    const gei_dtype_info *info = gei_dtype_get(i->in[SLOT_GRID]->dtype);
    int32_t dtype = i->in[SLOT_X]->dtype;
    sample_attrs a;
    gei_words words, other;
    i->out[0].dtype = dtype;
    GEI_TRY(read_attrs(i->node, &a, i->diag));
    if (dtype != GEI_UNDEFINED && !gei_dtype_is_real(dtype))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    if (i->in[SLOT_GRID]->dtype != GEI_UNDEFINED && (!info || info->kind != GEI_KIND_FLOAT || info->bits < 16))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "grid", "data type %s is not supported", gei_dtype_name(i->in[SLOT_GRID]->dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, GEI_MAX_RANK));
    GEI_TRY(gei_infer_rank(i, SLOT_GRID, 3, GEI_MAX_RANK));
    int32_t rank = x->rank >= 0 ? x->rank : grid->rank;
    if (rank < 0) return GE_OK;
    bool fits = x->rank < 0 || grid->rank < 0 || x->rank == grid->rank;
    if (fits && grid->rank >= 0 && gei_dim_known(grid->dims[rank - 1])) fits = grid->dims[rank - 1] == rank - 2;
    if (fits && grid->rank >= 0 && x->rank >= 0) fits = !gei_dim_known(x->dims[0]) || !gei_dim_known(grid->dims[0]) || x->dims[0] == grid->dims[0];
    if (!fits) return gei_infer_fail(i, GE_ERR_SHAPE, "grid", "shape %s does not fit x of shape %s", gei_shape_words(grid, &words), gei_shape_words(x, &other));
    gei_shape *y = &i->out[0].shape;
    y->rank = rank;
    y->dims[0] = x->rank >= 0 && (grid->rank < 0 || gei_dim_known(x->dims[0])) ? x->dims[0] : grid->dims[0];
    y->dims[1] = x->rank >= 0 ? x->dims[1] : GEI_DIM_UNKNOWN;
    for (int32_t d = 2; d < rank; d++) y->dims[d] = grid->rank >= 0 ? grid->dims[d - 1] : GEI_DIM_UNKNOWN;
    return GE_OK;
}

/* ---- reference kernel ---- */

typedef struct sample {
    sample_attrs a;
    int32_t n;                   /* spatial dims */
    int64_t batch, channels, rows, places;  /* rows: of one batch entry of the grid; places: of a plane of x */
    int64_t sizes[MAX_PLACES];
} sample;

static ge_status size_sample(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *y = &s->out[0].shape;
    sample *c = gei_arena_new(s->arena, sample);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    GEI_TRY(read_attrs(s->node, &c->a, diag));
    c->n = x->rank - 2;
    c->batch = x->dims[0];
    c->channels = x->dims[1];
    c->rows = gei_dim_product(y, 2, y->rank);
    c->places = gei_dim_product(x, 2, x->rank);
    for (int32_t d = 0; d < c->n; d++) c->sizes[d] = x->dims[d + 2];
    s->sized = c;
    s->n_parts = gei_parts(c->batch * c->rows, 256);
    s->cost = 50.0 * (double)c->batch * (double)c->rows * (double)c->channels;
    return GE_OK;
}

static double mirrored(double at, double low, double high) {
    double range = high - low;
    if (!(range > 0) || !isfinite(at)) return low;
    double away = at < low ? low - at : at > high ? at - high : 0;
    if (away == 0) return at;
    double times = floor(away / range), rest = away - times * range;
    bool even = fmod(times, 2) == 0;
    return (at < low) == even ? low + rest : high - rest;
}

/* Coordinate as a place of an axis, moved inside as the padding says; far outside stays finite. */
static double place_of(const sample_attrs *a, double g, int64_t size) {
    double most = (double)(size - 1), low = a->corners ? 0 : -0.5, high = a->corners ? most : most + 0.5;
    double at = a->corners ? (g + 1) / 2 * most : ((g + 1) * (double)size - 1) / 2;
    if (isnan(at)) at = -1;
    if (a->mode == SAMPLE_NEAREST) at = nearbyint(at);
    if (at < low || at > high) {
        if (a->pad == PAD_BORDER) at = fmin(fmax(at, 0), most);
        else if (a->pad == PAD_REFLECTION) at = mirrored(at, low, high);
    }
    return fmin(fmax(at, -0x1p40), 0x1p40);
}

/* Place of a tap, -1: outside. */
static int64_t tap_of(const sample_attrs *a, int64_t at, int64_t size) {
    if (at >= 0 && at < size) return at;
    if (a->pad == PAD_ZEROS) return -1;
    if (a->pad == PAD_BORDER) return at < 0 ? 0 : size - 1;
    double most = (double)(size - 1);
    int64_t to = (int64_t)mirrored((double)at, a->corners ? 0 : -0.5, a->corners ? most : most + 0.5);
    return to < 0 ? 0 : to >= size ? size - 1 : to;
}

typedef struct taps { /* of one axis */
    int n;
    int64_t at[4];
    double weights[4];
} taps;

static double cubic(double x) {
    const double c = -0.75;
    x = fabs(x);
    if (x < 1) return ((c + 2) * x - (c + 3)) * x * x + 1;
    return x < 2 ? ((c * x - 5 * c) * x + 8 * c) * x - 4 * c : 0;
}

static taps taps_of(const sample_attrs *a, double g, int64_t size) {
    taps t = { .n = a->mode == SAMPLE_NEAREST ? 1 : a->mode == SAMPLE_LINEAR ? 2 : 4 };
    double at = place_of(a, g, size), base = a->mode == SAMPLE_NEAREST ? nearbyint(at) : floor(at);
    int64_t first = (int64_t)base - (t.n == 4 ? 1 : 0);
    for (int k = 0; k < t.n; k++) {
        double distance = at - (double)(first + k);
        t.at[k] = tap_of(a, first + k, size);
        t.weights[k] = t.n == 1 ? 1 : t.n == 2 ? 1 - fabs(distance) : cubic(distance);
    }
    return t;
}

/* One row of the grid: every channel at the same taps. */
static void sample_row(const gei_run *run, const sample *c, int64_t batch, int64_t row) {
    const gei_view *x = run->in[SLOT_X], *grid = run->in[SLOT_GRID], *y = run->out[0];
    double g[MAX_PLACES];
    taps t[MAX_PLACES];
    gei_load_f64(grid->dtype, grid->data, (batch * c->rows + row) * c->n, c->n, g);
    for (int32_t d = 0; d < c->n; d++) t[d] = taps_of(&c->a, g[c->n - 1 - d], c->sizes[d]);
    for (int64_t channel = 0; channel < c->channels; channel++) {
        int64_t plane = batch * c->channels + channel;
        int at[MAX_PLACES] = { 0 };
        double sum = 0, v;
        for (bool more = true; more;) {
            int64_t from = 0;
            double w = 1;
            bool inside = true;
            for (int32_t d = 0; d < c->n; d++) {
                int64_t place = t[d].at[at[d]];
                inside = inside && place >= 0;
                from = from * c->sizes[d] + place;
                w *= t[d].weights[at[d]];
            }
            if (inside && w != 0) {
                gei_load_f64(x->dtype, x->data, plane * c->places + from, 1, &v);
                sum += w * v;
            }
            more = false;
            for (int32_t d = c->n - 1; d >= 0 && !more; d--) {
                more = ++at[d] < t[d].n;
                if (!more) at[d] = 0;
            }
        }
        gei_store_f64(y->dtype, &sum, y->data, plane * c->rows + row, 1);
    }
}

static ge_status run_sample(const gei_run *run, uint32_t part) {
    const sample *c = (const sample *)run->sized;
    int64_t begin, end;
    if (c->places == 0) {
        double zero = 0;
        for (int64_t k = 0; part == 0 && k < run->out[0]->n_elems; k++) gei_store_f64(run->out[0]->dtype, &zero, run->out[0]->data, k, 1);
        return GE_OK;
    }
    gei_part_range(c->batch * c->rows, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) sample_row(run, c, k / c->rows, k % c->rows);
    return GE_OK;
}

static const gei_kernel sample_kernels[] = { { .name = "ref", .size = size_sample, .run = run_sample }, { 0 } };
static const gei_attr_map sample_attrs_map[] = { { "mode", "mode", "linear" }, { "padding_mode", "padding_mode", "zeros" }, { "align_corners", "align_corners", "0" },
                                                 { NULL, NULL, NULL } };
static const gei_source sample_sources[] = { { GEI_FROM_ONNX, "GridSample", 16, NULL, sample_attrs_map }, { 0 } };

GEI_OP(GeGridSample) = { .name = "GeGridSample", .infer = infer_sample, .kernels = sample_kernels, .sources = sample_sources, .traits = GEI_OP_PURE };
