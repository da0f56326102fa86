/* SPDX-License-Identifier: Apache-2.0 */
/* Resize: all of ONNX.  Each axis has, for each place of the result, a run of taps on x with weights; the result is their product over
 * the axes.  antialias, axes and keep_aspect_ratio_policy are ours.  The length an axis is scaled to, scale * size, may be a fraction, and
 * is what align_corners and tf_crop_and_resize count with. */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_ROI, SLOT_SCALES, SLOT_SIZES };

typedef enum resize_mode { RESIZE_NEAREST, RESIZE_LINEAR, RESIZE_CUBIC } resize_mode;
typedef enum resize_where { HALF_PIXEL, HALF_PIXEL_SYMMETRIC, PYTORCH_HALF_PIXEL, ALIGN_CORNERS, ASYMMETRIC, CROP, HALF_PIXEL_FOR_NEAREST } resize_where;
typedef enum resize_round { ROUND_PREFER_FLOOR, ROUND_PREFER_CEIL, ROUND_FLOOR, ROUND_CEIL } resize_round;
typedef enum resize_policy { POLICY_STRETCH, POLICY_NOT_LARGER, POLICY_NOT_SMALLER } resize_policy;

typedef struct attrs {
    int mode, where, round, policy;
    bool antialias, exclude_outside;
    double cubic, outside;
} attrs;

static ge_status read_choice(const gei_infer *i, const char *name, const char *const *texts, size_t n, int *out) {
    const char *text = gei_node_text(i->node, name, texts[0]);
    for (size_t k = 0; k < n; k++) {
        if (strcmp(text, texts[k]) != 0) continue;
        *out = (int)k;
        return GE_OK;
    }
    return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "unknown value '%s'", text);
}

static ge_status read_attrs(const gei_infer *i, attrs *a) {
    static const char *const modes[] = { "nearest", "linear", "cubic" }, *const policies[] = { "stretch", "not_larger", "not_smaller" };
    static const char *const rounds[] = { "round_prefer_floor", "round_prefer_ceil", "floor", "ceil" };
    static const char *const wheres[] = { "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize",
                                          "tf_half_pixel_for_nn" };
    GEI_TRY(read_choice(i, "mode", modes, GEI_COUNT(modes), &a->mode));
    GEI_TRY(read_choice(i, "coordinate_transformation_mode", wheres, GEI_COUNT(wheres), &a->where));
    GEI_TRY(read_choice(i, "nearest_mode", rounds, GEI_COUNT(rounds), &a->round));
    GEI_TRY(read_choice(i, "keep_aspect_ratio_policy", policies, GEI_COUNT(policies), &a->policy));
    a->antialias = gei_node_int(i->node, "antialias", 0) != 0;
    a->exclude_outside = gei_node_int(i->node, "exclude_outside", 0) != 0;
    a->cubic = gei_node_float(i->node, "cubic_coeff_a", -0.75);
    a->outside = gei_node_float(i->node, "extrapolation_value", 0);
    return GE_OK;
}

/* Axes in the order of the entries of roi, scales and sizes. */
static ge_status read_axes(const gei_infer *i, int32_t rank, int32_t *axes, int32_t *out_n) {
    gei_int_list list = gei_node_ints(i->node, "axes");
    uint32_t mask;
    *out_n = list.count > 0 ? (int32_t)list.count : rank;
    for (int32_t d = 0; d < rank; d++) axes[d] = d;
    if (list.count == 0) return GE_OK;
    GEI_TRY(gei_infer_axes(i, "axes", list.data, list.count, rank, &mask));
    for (size_t k = 0; k < list.count; k++) axes[k] = (int32_t)(list.data[k] < 0 ? list.data[k] + rank : list.data[k]);
    return GE_OK;
}

/* Empty inputs count as absent. */
static bool is_given(const gei_infer *i, uint32_t slot) {
    const gei_info *in = gei_infer_in(i, slot);
    int64_t n;
    return in && !(gei_shape_elems(&in->shape, &n) && n == 0);
}

static ge_status check_count(const gei_infer *i, uint32_t slot, int64_t wanted) {
    const gei_info *in = gei_infer_in(i, slot);
    int64_t n;
    if (!in || !gei_shape_elems(&in->shape, &n) || n == 0 || n == wanted) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%lld entries, wanted %lld", (long long)n, (long long)wanted);
}

static ge_status scaled_dim(const gei_infer *i, gei_dim in, double scale, gei_dim *out) {
    if (!(scale > 0) || scale > 0x1p31) return gei_infer_fail(i, GE_ERR_SHAPE, "scales", "a scale is not within 0 and 2^31");
    double size = gei_dim_known(in) ? floor((double)in * scale) : 0;
    if (size >= 0x1p53) return gei_infer_fail(i, GE_ERR_SHAPE, "scales", "size %lld scaled is too large", (long long)in);
    *out = gei_dim_known(in) ? (gei_dim)size : scale == 1 ? in : GEI_DIM_UNKNOWN;
    return GE_OK;
}

/* The one scale that keeps the proportions. */
static double common_scale(const gei_shape *x, const int64_t *sizes, const int32_t *axes, int32_t n, int policy) {
    double scale = 0;
    for (int32_t k = 0; k < n; k++) {
        double own = (double)sizes[k] / (double)x->dims[axes[k]];
        if (k == 0 || (policy == POLICY_NOT_LARGER ? own < scale : own > scale)) scale = own;
    }
    return scale;
}

static ge_status from_sizes(const gei_infer *i, const attrs *a, const int32_t *axes, int32_t n, gei_shape *y, double *scales) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int64_t sizes[GEI_MAX_RANK];
    gei_dim dims[GEI_MAX_RANK];
    size_t count, minus_one;
    gei_words words;
    if (!gei_infer_ints(i, SLOT_SIZES, sizes, GEI_MAX_RANK, &count)) {
        bool some = a->policy == POLICY_STRETCH && gei_infer_dims(i, SLOT_SIZES, dims, GEI_MAX_RANK, &count, &minus_one) && count == (size_t)n;
        for (int32_t k = 0; k < n; k++) y->dims[axes[k]] = some ? dims[k] : GEI_DIM_UNKNOWN;
        return GE_OK;
    }
    bool all = true;
    for (int32_t k = 0; k < n; k++) {
        if (sizes[k] < 0) return gei_infer_fail(i, GE_ERR_SHAPE, "sizes", "%s: %lld is no size", gei_ints_words(sizes, count, &words), (long long)sizes[k]);
        all = all && gei_dim_known(x->dims[axes[k]]) && x->dims[axes[k]] > 0;
        y->dims[axes[k]] = a->policy == POLICY_STRETCH ? sizes[k] : GEI_DIM_UNKNOWN;
        if (gei_dim_known(x->dims[axes[k]])) scales[axes[k]] = (double)sizes[k] / (double)x->dims[axes[k]];
    }
    if (a->policy == POLICY_STRETCH || !all) return GE_OK;
    double scale = common_scale(x, sizes, axes, n, a->policy);
    for (int32_t k = 0; k < n; k++) {
        double size = floor(scale * (double)x->dims[axes[k]] + 0.5);
        if (size >= 0x1p53) return gei_infer_fail(i, GE_ERR_SHAPE, "sizes", "axis %d becomes too large", (int)axes[k]);
        y->dims[axes[k]] = (gei_dim)size;
        scales[axes[k]] = scale;
    }
    return GE_OK;
}

/* y's shape and the scale by axis, NaN where not known. */
static ge_status find_shape(const gei_infer *i, const attrs *a, gei_shape *y, double *scales) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int32_t axes[GEI_MAX_RANK], n;
    double given[GEI_MAX_RANK];
    size_t count;
    *y = *x;
    for (int32_t d = 0; d < x->rank; d++) scales[d] = 1;
    GEI_TRY(read_axes(i, x->rank, axes, &n));
    GEI_TRY(check_count(i, SLOT_SCALES, n));
    GEI_TRY(check_count(i, SLOT_SIZES, n));
    if (a->where == CROP) GEI_TRY(check_count(i, SLOT_ROI, 2 * (int64_t)n));
    if (is_given(i, SLOT_SIZES)) {
        GEI_TRY(from_sizes(i, a, axes, n, y, scales));
    } else if (is_given(i, SLOT_SCALES)) {
        bool known = gei_infer_f64(i, SLOT_SCALES, given, GEI_MAX_RANK, &count) && count == (size_t)n;
        for (int32_t k = 0; k < n; k++) {
            y->dims[axes[k]] = GEI_DIM_UNKNOWN;
            if (known) GEI_TRY(scaled_dim(i, x->dims[axes[k]], given[k], &y->dims[axes[k]]));
            if (known) scales[axes[k]] = given[k];
        }
    } else {
        return gei_infer_fail(i, GE_ERR_BAD_GRAPH, "sizes", "neither scales nor sizes are given");
    }
    for (int32_t d = 0; d < x->rank; d++)
        if (x->dims[d] == 0 && gei_dim_known(y->dims[d]) && y->dims[d] > 0)
            return gei_infer_fail(i, GE_ERR_SHAPE, "x", "axis %d has no elements to make %lld of", (int)d, (long long)y->dims[d]);
    return GE_OK;
}

static ge_status infer_resize(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int32_t dtype = i->in[SLOT_X]->dtype;
    const gei_dtype_info *info = gei_dtype_get(dtype);
    double scales[GEI_MAX_RANK];
    attrs a;
    i->out[0].dtype = dtype;
    GEI_TRY(read_attrs(i, &a));
    if (dtype != GEI_UNDEFINED && (!info || info->bits == 0 || info->bits % 8 != 0 || (a.mode != RESIZE_NEAREST && !gei_dtype_is_real(dtype))))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    if (a.antialias && a.mode == RESIZE_NEAREST) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "antialias", "not with mode nearest");
    for (uint32_t k = SLOT_ROI; k < i->n_in; k++) GEI_TRY(gei_infer_rank(i, k, 1, 1));
    if (x->rank < 0) return GE_OK;
    return find_shape(i, &a, &i->out[0].shape, scales);
}

/* ---- taps ---- */

typedef struct axis {
    int64_t in, out, n;     /* n taps for each place */
    int64_t *at;            /* [out][n] places of x; -1 in the first: outside, the extrapolation value */
    double *weights;        /* [out][n]; NULL: all 1 */
    bool same;              /* y's places are x's */
    int64_t x_stride;
} axis;

typedef struct resize {
    int32_t rank;           /* at least 1; the last axis is the run */
    axis axes[GEI_MAX_RANK];
    int64_t rows;           /* of y */
    double outside;
    size_t elem_bytes;
} resize;

typedef struct stretch { /* of one axis */
    double scale, length;   /* length may be a fraction */
    double start, end;      /* region of interest */
    int64_t in, out;
} stretch;

static double place_in_x(const attrs *a, const stretch *s, double at) {
    switch (a->where) {
    case HALF_PIXEL_SYMMETRIC: return (double)s->in / 2 * (1 - (double)s->out / s->length) + (at + 0.5) / s->scale - 0.5;
    case PYTORCH_HALF_PIXEL: return s->out > 1 ? (at + 0.5) / s->scale - 0.5 : 0;
    case ALIGN_CORNERS: return s->length == 1 ? 0 : at * (double)(s->in - 1) / (s->length - 1);
    case ASYMMETRIC: return at / s->scale;
    case CROP:
        if (s->length == 1) return 0.5 * (s->start + s->end) * (double)(s->in - 1);
        return s->start * (double)(s->in - 1) + at * (s->end - s->start) * (double)(s->in - 1) / (s->length - 1);
    case HALF_PIXEL_FOR_NEAREST: return (at + 0.5) / s->scale;
    default: return (at + 0.5) / s->scale - 0.5;
    }
}

static double clamp(double v, double most) { return v > 0 ? (v < most ? v : most) : 0; }

static int64_t nearest(const attrs *a, const stretch *s, double at) {
    double most = (double)(s->in - 1);
    switch (a->round) {
    case ROUND_PREFER_CEIL: return (int64_t)clamp(floor(at + 0.5), most);
    case ROUND_FLOOR: return (int64_t)clamp(floor(at), most);
    case ROUND_CEIL: return (int64_t)clamp(ceil(at), most);
    default: return (int64_t)clamp(ceil(at - 0.5), most);
    }
}

/* Keys' cubic with coefficient c. */
static double cubic(double x, double c) {
    x = fabs(x);
    if (x < 1) return ((c + 2) * x - (c + 3)) * x * x + 1;
    return x < 2 ? ((c * x - 5 * c) * x + 8 * c) * x - 4 * c : 0;
}

static double weight(const attrs *a, double distance) {
    if (a->mode == RESIZE_CUBIC) return cubic(distance, a->cubic);
    return fabs(distance) < 1 ? 1 - fabs(distance) : 0;
}

/* Taps reach this far on both sides: widened where antialias shrinks. */
static double reach_of(const attrs *a, const stretch *s, double *out_shrink) {
    *out_shrink = a->antialias && s->scale < 1 ? s->scale : 1;
    return (a->mode == RESIZE_CUBIC ? 2 : 1) / *out_shrink;
}

static void set_taps(const attrs *a, const stretch *s, double at, int64_t n, int64_t *places, double *weights) {
    double shrink, reach = reach_of(a, s, &shrink), base = floor(clamp(at, 0x1p52)), sum = 0;
    if (at < 0) base = at > -0x1p52 ? floor(at) : -0x1p52;
    int64_t first = (int64_t)base + (int64_t)floor(-reach) + 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t place = first + k;
        weights[k] = weight(a, ((double)place - at) * shrink);
        if (a->exclude_outside && (place < 0 || place >= s->in)) weights[k] = 0;
        sum += weights[k];
        places[k] = place < 0 ? 0 : place >= s->in ? s->in - 1 : place;
    }
    if (!a->exclude_outside && shrink == 1) return;
    for (int64_t k = 0; k < n && sum != 0; k++) weights[k] /= sum;
}

static ge_status plan_axis(gei_sizing *sz, const attrs *a, const stretch *s, axis *x, gei_diag *diag) {
    double shrink, taps = a->mode == RESIZE_NEAREST ? 1 : 2 * -(floor(-reach_of(a, s, &shrink)));
    x->in = s->in;
    x->out = s->out;
    x->same = s->in == s->out && s->length == (double)s->in && s->start == 0 && s->end == 1 && a->where != HALF_PIXEL_FOR_NEAREST;
    x->n = x->same ? 1 : (int64_t)(taps < 0x1p40 ? taps : 0x1p40);
    if (x->same) return GE_OK;
    bool weighted = a->mode != RESIZE_NEAREST;
    size_t n;
    if (!gei_mul((size_t)x->out, (size_t)x->n, &n)) return gei_out_of_memory(diag, SIZE_MAX);
    x->at = gei_arena_array(sz->arena, int64_t, n + 1);
    if (weighted) x->weights = gei_arena_array(sz->arena, double, n + 1);
    if (!x->at || (weighted && !x->weights)) return gei_out_of_memory(diag, n);
    for (int64_t k = 0; k < x->out; k++) {
        double at = place_in_x(a, s, (double)k);
        if (weighted) set_taps(a, s, at, x->n, x->at + k * x->n, x->weights + k * x->n);
        else x->at[k] = nearest(a, s, at);
        if (a->where == CROP && !(at >= 0 && at <= (double)(s->in - 1))) x->at[k * x->n] = -1;
    }
    return GE_OK;
}

static ge_status read_roi(const gei_infer *i, double *start, double *end) {
    int32_t axes[GEI_MAX_RANK], n, rank = i->in[SLOT_X]->shape.rank;
    double roi[2 * GEI_MAX_RANK];
    size_t count;
    for (int32_t d = 0; d < rank; d++) {
        start[d] = 0;
        end[d] = 1;
    }
    GEI_TRY(read_axes(i, rank, axes, &n));
    if (!is_given(i, SLOT_ROI)) return GE_OK;
    if (!gei_infer_f64(i, SLOT_ROI, roi, GEI_COUNT(roi), &count) || count != 2 * (size_t)n)
        return gei_infer_fail(i, GE_ERR_PLAN, "roi", "not known when the kernel is sized");
    for (int32_t k = 0; k < n; k++) {
        start[axes[k]] = roi[k];
        end[axes[k]] = roi[n + k];
    }
    return GE_OK;
}

static ge_status size_resize(gei_sizing *sz, gei_diag *diag) {
    gei_infer i = { .node = sz->node, .in = sz->in, .n_in = sz->n_in, .n_out = sz->n_out, .arena = sz->arena, .diag = diag };
    const gei_shape *x = &sz->in[SLOT_X]->shape, *out = &sz->out[0].shape;
    double scales[GEI_MAX_RANK], start[GEI_MAX_RANK] = { 0 }, end[GEI_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    gei_shape y;
    attrs a;
    resize *r = gei_arena_new(sz->arena, resize);
    if (!r) return gei_out_of_memory(diag, sizeof *r);
    GEI_TRY(read_attrs(&i, &a));
    GEI_TRY(find_shape(&i, &a, &y, scales));
    if (a.where == CROP) GEI_TRY(read_roi(&i, start, end));
    *r = (resize){ .rank = x->rank > 0 ? x->rank : 1, .axes = { { .in = 1, .out = 1, .n = 1, .same = true, .x_stride = 1 } }, .rows = 1,
                   .outside = a.outside, .elem_bytes = gei_dtype_get(sz->in[SLOT_X]->dtype)->bits / 8 };
    int64_t stride = 1;
    double taps = 1;
    for (int32_t d = x->rank - 1; d >= 0; d--) {
        stretch s = { scales[d], scales[d] * (double)x->dims[d], start[d], end[d], x->dims[d], out->dims[d] };
        if (is_given(&i, SLOT_SIZES) && a.policy == POLICY_STRETCH) s.length = (double)out->dims[d];
        GEI_TRY(plan_axis(sz, &a, &s, &r->axes[d], diag));
        r->axes[d].x_stride = stride;
        stride *= x->dims[d];
        taps *= (double)r->axes[d].n;
        if (d < r->rank - 1) r->rows *= out->dims[d];
    }
    const axis *last = &r->axes[r->rank - 1];
    sz->sized = r;
    sz->n_parts = gei_parts(r->rows, last->out < 4096 ? 4096 / (last->out + 1) + 1 : 1);
    if (a.mode != RESIZE_NEAREST) sz->part_scratch_bytes = ((size_t)last->in * 2 + (size_t)last->out) * sizeof(double);
    sz->cost = (double)r->rows * (double)last->out * taps;
    return GE_OK;
}

/* ---- reference kernel ---- */

static bool is_weighted(const resize *r) {
    for (int32_t d = 0; d < r->rank; d++)
        if (r->axes[d].weights) return true;
    return false;
}

static void fill(const resize *r, int32_t dtype, void *data, int64_t at, int64_t n) {
    for (int64_t k = 0; k < n; k++) gei_store_f64(dtype, &r->outside, data, at + k, 1);
}

static int64_t tap(const axis *x, int64_t place, int64_t k) { return x->same ? place : x->at[place * x->n + k]; }

typedef struct pair { /* complex128 */
    uint64_t low, high;
} pair;

#define TAKE(T) for (int64_t k = 0; k < last->out; k++) if (last->at[k] >= 0) ((T *)(void *)to)[k] = ((const T *)(const void *)from)[last->at[k]]

static void nearest_row(const resize *r, const gei_view *xv, const gei_view *yv, int64_t base, int64_t row) {
    const axis *last = &r->axes[r->rank - 1];
    const char *from = (const char *)xv->data + (size_t)base * r->elem_bytes;
    char *to = (char *)yv->data + (size_t)(row * last->out) * r->elem_bytes;
    if (last->same) {
        memcpy(to, from, (size_t)last->out * r->elem_bytes);
        return;
    }
    switch (r->elem_bytes) {
    case 1: TAKE(uint8_t); break;
    case 2: TAKE(uint16_t); break;
    case 4: TAKE(uint32_t); break;
    case 8: TAKE(uint64_t); break;
    default: TAKE(pair); break;
    }
    for (int64_t k = 0; k < last->out; k++)
        if (last->at[k] < 0) fill(r, yv->dtype, yv->data, row * last->out + k, 1);
}

/* Sum over the taps of the outer axes, then over those of the last. */
static void weighted_row(const resize *r, const gei_view *x, const gei_view *y, const int64_t *places, int64_t row, double *sums) {
    const axis *last = &r->axes[r->rank - 1];
    double *line = sums + last->in, *result = line + last->in;
    int64_t taps[GEI_MAX_RANK] = { 0 };
    for (int64_t k = 0; k < last->in; k++) sums[k] = 0;
    for (bool more = true; more;) {
        double w = 1;
        int64_t from = 0;
        for (int32_t d = 0; d < r->rank - 1; d++) {
            const axis *a = &r->axes[d];
            from += tap(a, places[d], taps[d]) * a->x_stride;
            if (a->weights) w *= a->weights[places[d] * a->n + taps[d]];
        }
        if (w != 0) {
            gei_load_f64(x->dtype, x->data, from, last->in, line);
            for (int64_t k = 0; k < last->in; k++) sums[k] += w * line[k];
        }
        more = false;
        for (int32_t d = r->rank - 2; d >= 0 && !more; d--) {
            more = ++taps[d] < r->axes[d].n;
            if (!more) taps[d] = 0;
        }
    }
    for (int64_t k = 0; k < last->out; k++) {
        result[k] = last->same ? sums[k] : 0;
        for (int64_t t = 0; !last->same && t < last->n; t++)
            if (last->weights[k * last->n + t] != 0) result[k] += last->weights[k * last->n + t] * sums[last->at[k * last->n + t] < 0 ? 0 : last->at[k * last->n + t]];
        if (!last->same && last->at[k * last->n] < 0) result[k] = r->outside;
    }
    gei_store_f64(y->dtype, result, y->data, row * last->out, last->out);
}

static ge_status run_resize(const gei_run *run, uint32_t part) {
    const resize *r = (const resize *)run->sized;
    const gei_view *x = run->in[SLOT_X], *y = run->out[0];
    double *scratch = (double *)run->scratch;
    bool weighted = is_weighted(r);
    int64_t begin, end, run_elems = r->axes[r->rank - 1].out;
    if (run_elems == 0) return GE_OK;
    gei_part_range(r->rows, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        int64_t places[GEI_MAX_RANK] = { 0 }, rest = row, base = 0;
        bool outside = false;
        for (int32_t d = r->rank - 2; d >= 0; d--) {
            places[d] = rest % r->axes[d].out;
            rest /= r->axes[d].out;
            int64_t at = tap(&r->axes[d], places[d], 0);
            outside = outside || at < 0;
            base += at * r->axes[d].x_stride;
        }
        if (outside) fill(r, y->dtype, y->data, row * run_elems, run_elems);
        else if (weighted) weighted_row(r, x, y, places, row, scratch);
        else nearest_row(r, x, y, base, row);
    }
    return GE_OK;
}

static const gei_kernel resize_kernels[] = { { .name = "ref", .size = size_resize, .run = run_resize }, { 0 } };

/* ---- ONNX ---- */

/* Resize 10 and Upsample: scales only; places are x / scale, the nearest one is below. */
static ge_status map_resize_10(gei_import *im, gei_diag *diag) {
    gei_value inputs[3] = { gei_import_input(im, 0), { NULL, 0 }, gei_import_input(im, 1) };
    const gei_attr *scales = gei_import_attr(im, "scales");
    gei_node *node;
    if (im->opset < 9) {
        gei_tensor *t;
        if (!scales || scales->kind != GEI_ATTR_FLOATS || scales->count > GEI_MAX_RANK)
            return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute scales is missing or no list of at most %d numbers", GEI_MAX_RANK);
        GEI_TRY(gei_tensor_create(im->graph->from, GEI_FLOAT32, 1, (int64_t[]){ scales->count }, &t, diag));
        if (scales->count > 0) memcpy(t->data, scales->v.floats, scales->count * sizeof(float));
        ge_status status = gei_import_const_tensor(im, t, &inputs[2], diag);
        gei_tensor_release(t);
        GEI_TRY(status);
    }
    const char *mode = gei_import_text(im, "mode", "nearest");
    GEI_TRY(gei_import_node(im, "Resize", inputs, 3, &node, diag));
    GEI_TRY(gei_import_set_text(node, "mode", strcmp(mode, "bilinear") == 0 ? "linear" : mode, diag));
    GEI_TRY(gei_import_set_text(node, "coordinate_transformation_mode", "asymmetric", diag));
    GEI_TRY(gei_import_set_text(node, "nearest_mode", "floor", diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_attr_map resize_attrs[] = { { "mode", "mode", "nearest" },
                                             { "coordinate_transformation_mode", "coordinate_transformation_mode", "half_pixel" },
                                             { "nearest_mode", "nearest_mode", "round_prefer_floor" },
                                             { "cubic_coeff_a", "cubic_coeff_a", "-0.75" },
                                             { "exclude_outside", "exclude_outside", "0" },
                                             { "extrapolation_value", "extrapolation_value", "0" },
                                             { "antialias", "antialias", NULL },
                                             { "axes", "axes", NULL },
                                             { "keep_aspect_ratio_policy", "keep_aspect_ratio_policy", NULL },
                                             { NULL, NULL, NULL } };
static const gei_source resize_sources[] = { { GEI_FROM_ONNX, "Upsample", 7, map_resize_10, NULL },
                                             { GEI_FROM_ONNX, "Resize", 10, map_resize_10, NULL },
                                             { GEI_FROM_ONNX, "Resize", 11, NULL, resize_attrs },
                                             { 0 } };

GEI_OP(Resize) = { .name = "Resize", .infer = infer_resize, .kernels = resize_kernels, .sources = resize_sources, .traits = GEI_OP_PURE,
                   .needs_value = 1u << SLOT_ROI | 1u << SLOT_SCALES | 1u << SLOT_SIZES };
GEI_WIDEN(Resize, "x y", "any");
GEI_WIDEN(Resize, "roi", "float");
