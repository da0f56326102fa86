/* SPDX-License-Identifier: Apache-2.0 */
/* GeDeformConv (ours, ONNX DeformConv): a convolution in one to three spatial dims whose filter taps are moved by `offset` and weighed by
 * `mask`; x is read by linear interpolation, zero outside.
 *   x [batch, in, spatial...], filter [out, in / groups, kernel...], offset [batch, offset groups * taps * dims, out spatial...],
 *   mask [batch, offset groups * taps, out spatial...].   pads are begins, then ends; empty lists say 1 (strides, dilations) or 0. */
#include <math.h>

#include "kernels/dots.h"
#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"
#include "ops/window.h"

enum { SLOT_X, SLOT_FILTER, SLOT_OFFSET, SLOT_BIAS, SLOT_MASK };

typedef struct deform { /* sized */
    gei_window_attrs window;
    int64_t x[GEI_WINDOW_DIMS], y[GEI_WINDOW_DIMS];
    int64_t batch, groups, offset_groups, in, out, taps, places; /* in, out: channels of a group; places: of an output plane */
    gei_dot_fn dot;
} deform;

static ge_status read_list(const gei_infer *i, const char *name, int32_t wanted, int64_t absent, int64_t least, int64_t *out) {
    gei_int_list list = gei_node_ints(i->node, name);
    if (list.count != 0 && list.count != (size_t)wanted)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%zu entries, wanted %d", list.count, (int)wanted);
    for (int32_t k = 0; k < wanted; k++) {
        out[k] = list.count ? list.data[k] : absent;
        if (out[k] < least || out[k] > INT32_MAX)
            return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%lld is not within %lld and %d", (long long)out[k], (long long)least, INT32_MAX);
    }
    return GE_OK;
}

static ge_status read_window(const gei_infer *i, int32_t n, gei_window_attrs *w) {
    int64_t pads[2 * GEI_WINDOW_DIMS];
    *w = (gei_window_attrs){ .n = n, .auto_pad = GEI_PAD_GIVEN };
    GEI_TRY(read_list(i, "strides", n, 1, 1, w->stride));
    GEI_TRY(read_list(i, "dilations", n, 1, 1, w->dilation));
    GEI_TRY(read_list(i, "pads", 2 * n, 0, 0, pads));
    for (int32_t d = 0; d < n; d++) {
        w->pad_begin[d] = pads[d];
        w->pad_end[d] = pads[n + d];
    }
    return GE_OK;
}

static ge_status check_channels(const gei_infer *i) {
    int64_t groups, offset_groups;
    gei_dim channels = gei_check_dim_of(i, SLOT_X, 1), out = gei_check_dim_of(i, SLOT_FILTER, 0);
    GEI_TRY(gei_check_int(i, "groups", 1, 1, INT32_MAX, &groups));
    GEI_TRY(gei_check_int(i, "offset_groups", 1, 1, INT32_MAX, &offset_groups));
    if (gei_dim_known(channels) && (channels % groups != 0 || channels % offset_groups != 0))
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "%lld channels cannot be split into %lld groups and %lld offset groups", (long long)channels,
                              (long long)groups, (long long)offset_groups);
    if (gei_dim_known(out) && out % groups != 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "%lld output channels cannot be split into %lld groups", (long long)out, (long long)groups);
    GEI_TRY(gei_check_dim(i, SLOT_X, 1, gei_dim_times(gei_check_dim_of(i, SLOT_FILTER, 1), groups), "input channels of the filter"));
    GEI_TRY(gei_infer_rank(i, SLOT_BIAS, 1, 1));
    return gei_check_dim(i, SLOT_BIAS, 0, out, "count of output channels");
}

static ge_status infer_deform(gei_infer *i) {
    int32_t rank = i->in[SLOT_X]->shape.rank >= 0 ? i->in[SLOT_X]->shape.rank : i->in[SLOT_FILTER]->shape.rank;
    gei_window_attrs w;
    gei_shape *y = &i->out[0].shape;
    GEI_TRY(gei_infer_same_dtype(i, SLOT_X, 3, &i->out[0].dtype));
    for (uint32_t slot = SLOT_X; slot <= SLOT_MASK; slot++) GEI_TRY(gei_check_float(i, slot));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, 2 + GEI_WINDOW_DIMS));
    if (rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_FILTER, rank, rank));
    GEI_TRY(gei_infer_rank(i, SLOT_OFFSET, rank, rank));
    GEI_TRY(gei_infer_rank(i, SLOT_MASK, rank, rank));
    GEI_TRY(read_window(i, rank - 2, &w));
    GEI_TRY(check_channels(i));
    y->rank = rank;
    y->dims[0] = gei_check_dim_of(i, SLOT_X, 0);
    y->dims[1] = gei_check_dim_of(i, SLOT_FILTER, 0);
    gei_dim taps = gei_node_int(i->node, "offset_groups", 1);
    for (int32_t d = 0; d < rank - 2; d++) {
        gei_dim kernel = gei_check_dim_of(i, SLOT_FILTER, d + 2), size = gei_check_dim_of(i, SLOT_X, d + 2);
        if (gei_dim_known(kernel) && (kernel < 1 || kernel > INT32_MAX))
            return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "kernel size %lld is not within 1 and %d", (long long)kernel, INT32_MAX);
        w.kernel[d] = kernel;
        taps = gei_dim_times(taps, kernel);
        y->dims[d + 2] = GEI_DIM_UNKNOWN;
        if (gei_dim_known(kernel)) GEI_TRY(gei_window_out_dim(i->node, &w, d, size, &y->dims[d + 2], i->diag));
        GEI_TRY(gei_check_dim(i, SLOT_OFFSET, d + 2, y->dims[d + 2], "size of the output"));
        GEI_TRY(gei_check_dim(i, SLOT_MASK, d + 2, y->dims[d + 2], "size of the output"));
    }
    for (uint32_t slot = SLOT_OFFSET; slot <= SLOT_MASK; slot += SLOT_MASK - SLOT_OFFSET) {
        GEI_TRY(gei_check_dim(i, slot, 0, y->dims[0], "batch of x"));
        GEI_TRY(gei_check_dim(i, slot, 1, slot == SLOT_MASK ? taps : gei_dim_times(taps, rank - 2), "count of taps of all offset groups"));
    }
    return GE_OK;
}

/* ---- reference kernel ---- */

static gei_dot_fn dot_for(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_dot_f64;
    case GEI_FLOAT16: return gei_dot_f16;
    case GEI_BFLOAT16: return gei_dot_bf16;
    default: return gei_dot_f32;
    }
}

static ge_status size_deform(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[SLOT_X]->shape, *w = &s->in[SLOT_FILTER]->shape, *y = &s->out[0].shape;
    deform *f = gei_arena_new(s->arena, deform);
    size_t numbers;
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    *f = (deform){ .batch = x->dims[0], .groups = gei_node_int(s->node, "groups", 1), .offset_groups = gei_node_int(s->node, "offset_groups", 1),
                   .in = w->dims[1], .taps = gei_dim_product(w, 2, w->rank), .places = gei_dim_product(y, 2, y->rank), .dot = dot_for(s->in[SLOT_FILTER]->dtype) };
    GEI_TRY(read_window(&i, x->rank - 2, &f->window));
    f->out = w->dims[0] / f->groups;
    for (int32_t d = 0; d < x->rank - 2; d++) {
        f->window.kernel[d] = w->dims[d + 2];
        f->x[d] = x->dims[d + 2];
        f->y[d] = y->dims[d + 2];
    }
    s->sized = f;
    double each = (double)f->in * (double)f->taps * (double)(f->out + 8);
    int64_t columns = f->batch * f->groups * f->places;
    s->n_parts = gei_parts(columns, each < 65536 ? (int64_t)(65536 / (each + 1)) + 1 : 1);
    s->cost = each * (double)columns;
    if (!gei_mul((size_t)f->in, (size_t)f->taps, &numbers) || !gei_mul(numbers, sizeof(double), &s->part_scratch_bytes))
        return gei_out_of_memory(diag, SIZE_MAX);
    return GE_OK;
}

/* x between its elements: the corners around, each weighed by how near it is. */
static double interpolate(const deform *f, const gei_view *x, int64_t plane_at, const double *at) {
    double sum = 0;
    int32_t n = f->window.n;
    for (int32_t d = 0; d < n; d++)
        if (!(at[d] > -1 && at[d] < (double)f->x[d])) return 0;
    for (uint32_t corner = 0; corner < UINT32_C(1) << n; corner++) {
        double weight = 1;
        int64_t index = 0;
        bool inside = true;
        for (int32_t d = 0; d < n; d++) {
            double low = floor(at[d]);
            bool upper = corner >> d & 1;
            int64_t place = (int64_t)low + upper;
            weight *= upper ? at[d] - low : 1 - (at[d] - low);
            inside = inside && place >= 0 && place < f->x[d];
            index = index * f->x[d] + place;
        }
        if (inside && weight != 0) sum += weight * gei_view_f64(x, plane_at + index);
    }
    return sum;
}

/* Where tap `tap` of output place `place` reads x. */
static void place_of(const deform *f, const gei_view *offset, int64_t batch, int64_t offset_group, int64_t tap, int64_t place, double *at) {
    int32_t n = f->window.n;
    int64_t channel = (offset_group * f->taps + tap) * n, channels = f->offset_groups * f->taps * n, rest = place, k = tap;
    for (int32_t d = n - 1; d >= 0; d--) {
        int64_t o = rest % f->y[d], t = k % f->window.kernel[d];
        rest /= f->y[d];
        k /= f->window.kernel[d];
        at[d] = (double)(o * f->window.stride[d] - f->window.pad_begin[d] + t * f->window.dilation[d]) +
                gei_view_f64(offset, (batch * channels + channel + d) * f->places + place);
    }
}

static void run_column(const gei_run *run, const deform *f, int64_t index, double *column) {
    const gei_view *x = run->in[SLOT_X], *w = run->in[SLOT_FILTER];
    const gei_view *bias = run->n_in > SLOT_BIAS ? run->in[SLOT_BIAS] : NULL, *mask = run->n_in > SLOT_MASK ? run->in[SLOT_MASK] : NULL;
    int64_t place = index % f->places, group = index / f->places % f->groups, batch = index / f->places / f->groups;
    int64_t channels = f->groups * f->in, plane = 1, length = f->in * f->taps;
    for (int32_t d = 0; d < f->window.n; d++) plane *= f->x[d];
    for (int64_t c = 0; c < f->in; c++) {
        int64_t channel = group * f->in + c, offset_group = channel / (channels / f->offset_groups);
        for (int64_t tap = 0; tap < f->taps; tap++) {
            double at[GEI_WINDOW_DIMS], weight = 1;
            place_of(f, run->in[SLOT_OFFSET], batch, offset_group, tap, place, at);
            if (mask) weight = gei_view_f64(mask, ((batch * f->offset_groups + offset_group) * f->taps + tap) * f->places + place);
            column[c * f->taps + tap] = weight * interpolate(f, x, (batch * channels + channel) * plane, at);
        }
    }
    for (int64_t o = group * f->out; o < (group + 1) * f->out; o++) {
        double sum = (bias ? gei_view_f64(bias, o) : 0) + f->dot(column, w->data, o * length, length);
        gei_store_f64(run->out[0]->dtype, &sum, run->out[0]->data, (batch * f->groups * f->out + o) * f->places + place, 1);
    }
}

static ge_status run_deform(const gei_run *run, uint32_t part) {
    const deform *f = run->sized;
    int64_t begin, end;
    gei_part_range(f->batch * f->groups * f->places, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) run_column(run, f, k, (double *)run->scratch);
    return GE_OK;
}

static const gei_kernel deform_kernels[] = { { .name = "ref", .size = size_deform, .run = run_deform }, { 0 } };
static const gei_attr_map deform_attrs[] = { { "strides", "strides", NULL }, { "dilations", "dilations", NULL }, { "pads", "pads", NULL },
                                             { "group", "groups", NULL }, { "offset_group", "offset_groups", NULL }, { NULL, NULL, NULL } };
static const gei_source deform_sources[] = { { GEI_FROM_ONNX, "DeformConv", 19, NULL, deform_attrs }, { 0 } };

GEI_OP(GeDeformConv) = { .name = "GeDeformConv", .infer = infer_deform, .kernels = deform_kernels, .sources = deform_sources, .traits = GEI_OP_PURE };
