/* SPDX-License-Identifier: Apache-2.0 */
/* GeConvTranspose (ours, ONNX ConvTranspose): what Conv with the same attributes would hand back, in one to three spatial dims.
 *   x [batch, in, spatial...], filter [in, out / groups, kernel...], y [batch, out, spatial...]
 *   y size = stride * (x size - 1) + output_padding + dilation * (kernel - 1) + 1 - pads
 * With output_shape, or with auto_pad SAME_* (then x size * stride), the size is given and the pads are what is left, the odd one behind
 * with SAME_UPPER, before otherwise.  pads are begins, then ends; empty lists say 1 (strides, dilations) or 0. */
#include <string.h>

#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"
#include "ops/window.h"

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS };

typedef struct axis { /* one spatial dim */
    int64_t stride, dilation, pad_begin, pad_end, extra;
    int64_t wanted; /* size of y, -1: by the formula */
} axis;

typedef struct transposed { /* sized; spatial sizes with ones in front of fewer than three dims */
    int64_t batch, groups, in, out; /* in and out: channels of a group */
    int64_t x[GEI_WINDOW_DIMS], y[GEI_WINDOW_DIMS], kernel[GEI_WINDOW_DIMS];
    axis axes[GEI_WINDOW_DIMS];
} transposed;

/* ---- rule ---- */

static ge_status entry(const gei_infer *i, const char *name, int32_t n, int32_t at, int64_t absent, int64_t least, int64_t *out) {
    gei_int_list list = gei_node_ints(i->node, name);
    *out = list.count > 0 ? list.data[at < (int32_t)list.count ? at : 0] : absent;
    if (list.count != 0 && list.count != (size_t)n)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%zu entries, wanted %d", list.count, (int)n);
    if (*out < least || *out > INT32_MAX)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%lld is not within %lld and %d", (long long)*out, (long long)least, INT32_MAX);
    return GE_OK;
}

static ge_status read_axis(const gei_infer *i, int32_t n, int32_t d, axis *a) {
    bool given = gei_node_ints(i->node, "output_shape").count > 0;
    a->wanted = -1;
    GEI_TRY(entry(i, "strides", n, d, 1, 1, &a->stride));
    GEI_TRY(entry(i, "dilations", n, d, 1, 1, &a->dilation));
    GEI_TRY(entry(i, "output_padding", n, d, 0, 0, &a->extra));
    GEI_TRY(entry(i, "pads", n * 2, d, 0, -(int64_t)INT32_MAX, &a->pad_begin));
    GEI_TRY(entry(i, "pads", n * 2, n + d, 0, -(int64_t)INT32_MAX, &a->pad_end));
    return given ? entry(i, "output_shape", n, d, 0, 0, &a->wanted) : GE_OK;
}

/* Size of y in one dim; when it is given, the pads of `a` as well. */
static ge_status out_size(const gei_infer *i, axis *a, gei_auto_pad auto_pad, int64_t x, int64_t kernel, int64_t *out) {
    bool same = auto_pad == GEI_PAD_SAME_UPPER || auto_pad == GEI_PAD_SAME_LOWER;
    int64_t steps, wide, full;
    if (!gei_mul_i64(a->dilation, kernel - 1, &wide) || !gei_mul_i64(a->stride, x - 1, &steps) || !gei_add_i64(steps, wide + 1, &full) ||
        !gei_add_i64(full, a->extra, &full))
        return gei_infer_fail(i, GE_ERR_SIZE, "x", "size %lld with kernel %lld is too large", (long long)x, (long long)kernel);
    *out = a->wanted;
    if (same && a->wanted < 0 && !gei_mul_i64(x, a->stride, out)) return gei_infer_fail(i, GE_ERR_SIZE, "x", "size %lld is too large", (long long)x);
    if (*out >= 0) {
        int64_t total = full - *out, less = total / 2;
        if (total < 0 && total % 2 != 0) less--; /* floor */
        if (total < 0 && same) less = 0, total = 0;
        a->pad_begin = auto_pad == GEI_PAD_SAME_UPPER ? less : total - less;
        a->pad_end = total - a->pad_begin;
        return GE_OK;
    }
    if (auto_pad == GEI_PAD_VALID) a->pad_begin = a->pad_end = 0;
    *out = full - a->pad_begin - a->pad_end;
    if (*out >= 0) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "pads", "%lld and %lld are more than the %lld elements there are", (long long)a->pad_begin,
                          (long long)a->pad_end, (long long)full);
}

static ge_status check_channels(const gei_infer *i, int64_t groups, gei_dim out) {
    gei_dim in = gei_check_dim_of(i, SLOT_FILTER, 0);
    GEI_TRY(gei_check_dim(i, SLOT_FILTER, 0, gei_check_dim_of(i, SLOT_X, 1), "channels of x"));
    if (gei_dim_known(in) && in % groups != 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "%lld input channels cannot be split into %lld groups", (long long)in, (long long)groups);
    GEI_TRY(gei_infer_rank(i, SLOT_BIAS, 1, 1));
    return gei_check_dim(i, SLOT_BIAS, 0, out, "count of output channels");
}

static ge_status infer_transposed(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *w = &i->in[SLOT_FILTER]->shape;
    gei_auto_pad auto_pad;
    int64_t groups;
    int32_t rank = x->rank >= 0 ? x->rank : w->rank;
    GEI_TRY(gei_infer_same_dtype(i, SLOT_X, gei_infer_in(i, SLOT_BIAS) ? 3 : 2, &i->out[0].dtype));
    GEI_TRY(gei_check_float(i, SLOT_X));
    GEI_TRY(gei_read_auto_pad(i->node, "auto_pad", &auto_pad, i->diag));
    GEI_TRY(gei_check_int(i, "groups", 1, 1, INT32_MAX, &groups));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, 2 + GEI_WINDOW_DIMS));
    if (rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_FILTER, rank, rank));
    gei_dim out = gei_dim_times(gei_check_dim_of(i, SLOT_FILTER, 1), groups);
    GEI_TRY(check_channels(i, groups, out));
    gei_shape *y = &i->out[0].shape;
    y->rank = rank;
    y->dims[0] = gei_check_dim_of(i, SLOT_X, 0);
    y->dims[1] = out;
    for (int32_t d = 0; d < rank - 2; d++) {
        gei_dim size = gei_check_dim_of(i, SLOT_X, d + 2), kernel = gei_check_dim_of(i, SLOT_FILTER, d + 2);
        axis a;
        GEI_TRY(read_axis(i, rank - 2, d, &a));
        if (gei_dim_known(kernel) && (kernel < 1 || kernel > INT32_MAX))
            return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "kernel size %lld is not within 1 and %d", (long long)kernel, INT32_MAX);
        y->dims[d + 2] = a.wanted >= 0 ? a.wanted : GEI_DIM_UNKNOWN;
        if (gei_dim_known(size) && gei_dim_known(kernel)) GEI_TRY(out_size(i, &a, auto_pad, size, kernel, &y->dims[d + 2]));
    }
    return GE_OK;
}

/* ---- reference kernel ---- */

static ge_status size_transposed(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[SLOT_X]->shape, *w = &s->in[SLOT_FILTER]->shape, *y = &s->out[0].shape;
    int32_t n = x->rank - 2, lead = GEI_WINDOW_DIMS - n;
    transposed *t = gei_arena_new(s->arena, transposed);
    gei_auto_pad auto_pad;
    int64_t plane = 1, taps = 1, spatial = 1, ignored;
    if (!t) return gei_out_of_memory(diag, sizeof *t);
    GEI_TRY(gei_read_auto_pad(s->node, "auto_pad", &auto_pad, diag));
    *t = (transposed){ .batch = x->dims[0], .groups = gei_node_int(s->node, "groups", 1), .out = w->dims[1] };
    t->in = w->dims[0] / t->groups;
    for (int32_t d = 0; d < GEI_WINDOW_DIMS; d++) {
        int32_t from = d - lead;
        t->axes[d] = (axis){ .stride = 1, .dilation = 1 };
        t->x[d] = t->y[d] = t->kernel[d] = 1;
        if (from < 0) continue;
        t->x[d] = x->dims[from + 2];
        t->y[d] = y->dims[from + 2];
        t->kernel[d] = w->dims[from + 2];
        GEI_TRY(read_axis(&i, n, from, &t->axes[d]));
        GEI_TRY(out_size(&i, &t->axes[d], auto_pad, t->x[d], t->kernel[d], &ignored));
        plane *= t->y[d];
        taps *= t->kernel[d];
        spatial *= t->x[d];
    }
    s->sized = t;
    int64_t planes = t->batch * t->groups * t->out;
    double each = (double)plane * (double)taps * (double)t->in;
    s->n_parts = gei_parts(planes, each < 65536 ? (int64_t)(65536 / (each + 1)) + 1 : 1);
    s->cost = each * (double)planes;
    size_t numbers;
    if (!gei_add((size_t)plane, (size_t)taps, &numbers) || !gei_add(numbers, (size_t)spatial, &numbers) ||
        !gei_mul(numbers, sizeof(double), &s->part_scratch_bytes))
        return gei_out_of_memory(diag, SIZE_MAX);
    return GE_OK;
}

/* Adds what one element of x gives to the rows and columns of a plane. */
static void scatter(const transposed *t, double x, const double *w, const int64_t *at, double *plane) {
    int64_t k[GEI_WINDOW_DIMS], to[GEI_WINDOW_DIMS];
    const axis *a = t->axes;
    for (k[0] = 0; k[0] < t->kernel[0]; k[0]++) {
        to[0] = at[0] * a[0].stride + k[0] * a[0].dilation - a[0].pad_begin;
        if (to[0] < 0 || to[0] >= t->y[0]) continue;
        for (k[1] = 0; k[1] < t->kernel[1]; k[1]++) {
            to[1] = at[1] * a[1].stride + k[1] * a[1].dilation - a[1].pad_begin;
            if (to[1] < 0 || to[1] >= t->y[1]) continue;
            double *row = plane + (to[0] * t->y[1] + to[1]) * t->y[2];
            for (k[2] = 0; k[2] < t->kernel[2]; k[2]++) {
                to[2] = at[2] * a[2].stride + k[2] * a[2].dilation - a[2].pad_begin;
                if (to[2] >= 0 && to[2] < t->y[2])
                    row[to[2]] += x * w[(k[0] * t->kernel[1] + k[1]) * t->kernel[2] + k[2]];
            }
        }
    }
}

/* Output plane `index` in the order batch, group, channel. */
static void run_plane(const gei_run *run, const transposed *t, int64_t index, double *plane) {
    const gei_view *x = run->in[SLOT_X], *w = run->in[SLOT_FILTER], *bias = run->n_in > SLOT_BIAS ? run->in[SLOT_BIAS] : NULL;
    int64_t out = index % t->out, group = index / t->out % t->groups, batch = index / t->out / t->groups, at[GEI_WINDOW_DIMS];
    int64_t n_y = t->y[0] * t->y[1] * t->y[2], n_x = t->x[0] * t->x[1] * t->x[2], taps = t->kernel[0] * t->kernel[1] * t->kernel[2];
    double *taps_of = plane + n_y, *x_of = taps_of + taps;
    double start = bias ? gei_view_f64(bias, group * t->out + out) : 0;
    for (int64_t k = 0; k < n_y; k++) plane[k] = start;
    for (int64_t in = group * t->in; in < (group + 1) * t->in; in++) {
        gei_load_f64(w->dtype, w->data, (in * t->out + out) * taps, taps, taps_of);
        gei_load_f64(x->dtype, x->data, (batch * t->groups * t->in + in) * n_x, n_x, x_of);
        for (int64_t k = 0; k < n_x; k++) {
            at[0] = k / (t->x[1] * t->x[2]);
            at[1] = k / t->x[2] % t->x[1];
            at[2] = k % t->x[2];
            scatter(t, x_of[k], taps_of, at, plane);
        }
    }
    gei_store_f64(run->out[0]->dtype, plane, run->out[0]->data, index * n_y, n_y);
}

static ge_status run_transposed(const gei_run *run, uint32_t part) {
    const transposed *t = run->sized;
    int64_t begin, end;
    gei_part_range(t->batch * t->groups * t->out, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) run_plane(run, t, k, (double *)run->scratch);
    return GE_OK;
}

static const gei_kernel transposed_kernels[] = { { .name = "ref", .size = size_transposed, .run = run_transposed }, { 0 } };
static const gei_attr_map transposed_attrs[] = { { "strides", "strides", NULL },   { "dilations", "dilations", NULL },
                                                 { "pads", "pads", NULL },         { "output_padding", "output_padding", NULL },
                                                 { "output_shape", "output_shape", NULL }, { "auto_pad", "auto_pad", NULL },
                                                 { "group", "groups", NULL },      { NULL, NULL, NULL } };
static const gei_source transposed_sources[] = { { GEI_FROM_ONNX, "ConvTranspose", 1, NULL, transposed_attrs }, { 0 } };

GEI_OP(GeConvTranspose) = { .name = "GeConvTranspose", .infer = infer_transposed, .kernels = transposed_kernels, .sources = transposed_sources,
                            .traits = GEI_OP_PURE };
