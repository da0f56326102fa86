/* SPDX-License-Identifier: Apache-2.0 */
/* Conv2D, Conv3D: x and filter channels first or last, groups, dilation; and ONNX Conv in one to three dims. */
#include <string.h>

#include "kernels/conv.h"
#include "ops/import.h"
#include "ops/nn_calculation/blocked_conv.h"
#include "ops/nn_calculation/conv_fast.h"
#include "ops/window.h"

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS };

typedef struct conv_attrs {
    gei_layout x, filter; /* of the filter: "batch" is the output channel */
    bool filter_hwcn;     /* [kernel..., in, out] instead of [out, in, kernel...] or [out, kernel..., in] */
    gei_window_attrs window;
    int64_t groups;
} conv_attrs;

static ge_status read_attrs(const gei_node *node, int32_t n, int32_t filter_format, conv_attrs *a, gei_diag *diag) {
    memset(a, 0, sizeof *a);
    GEI_TRY(gei_read_layout(node, "NHWC", n, &a->x, diag));
    a->filter_hwcn = filter_format == GE_FORMAT_HWCN || filter_format == GE_FORMAT_DHWCN || (filter_format == GE_FORMAT_ND && a->x.channel != 1);
    bool first = filter_format == GE_FORMAT_NCHW || filter_format == GE_FORMAT_NCDHW || (filter_format == GE_FORMAT_ND && a->x.channel == 1);
    a->filter = (gei_layout){ n, first ? 1 : n + 1, first ? 2 : 1 };
    a->window.n = n;
    GEI_TRY(gei_read_spatial(node, "strides", &a->x, a->window.stride, diag));
    GEI_TRY(gei_read_spatial(node, "dilations", &a->x, a->window.dilation, diag));
    GEI_TRY(gei_read_pads(node, "pads", &a->x, &a->window, diag));
    GEI_TRY(gei_read_auto_pad(node, "auto_pad", &a->window.auto_pad, diag));
    a->groups = gei_node_int(node, "groups", 1);
    if (a->groups < 1) return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "groups", "%lld is less than 1", (long long)a->groups);
    if (gei_node_int(node, "offset_x", 0) != 0)
        return gei_node_fail(node, diag, GE_ERR_UNSUPPORTED_ATTR, "offset_x", "only 0 is supported");
    return GE_OK;
}

/* Dims of the filter, whatever its layout. */
typedef struct filter_dims {
    gei_dim out, in, kernel[GEI_WINDOW_DIMS];
} filter_dims;

static filter_dims dims_of_filter(const conv_attrs *a, const gei_shape *s) {
    filter_dims f = { GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN, { GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN } };
    int32_t n = a->x.n;
    if (s->rank != n + 2) return f;
    f.out = a->filter_hwcn ? s->dims[n + 1] : s->dims[0];
    f.in = a->filter_hwcn ? s->dims[n] : s->dims[a->filter.channel];
    for (int32_t d = 0; d < n; d++) f.kernel[d] = s->dims[a->filter_hwcn ? d : a->filter.spatial + d];
    return f;
}

static ge_status check_channels(const gei_infer *i, const conv_attrs *a, const filter_dims *f, gei_dim x_channels) {
    int64_t wanted;
    if (gei_dim_known(f->in) && gei_dim_known(x_channels) && (!gei_mul_i64(f->in, a->groups, &wanted) || wanted != x_channels))
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "%lld channels, but the filter takes %lld in each of %lld groups", (long long)x_channels,
                              (long long)f->in, (long long)a->groups);
    if (gei_dim_known(f->out) && f->out % a->groups != 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "%lld output channels cannot be split into %lld groups", (long long)f->out,
                              (long long)a->groups);
    const gei_info *bias = gei_infer_in(i, SLOT_BIAS);
    GEI_TRY(gei_infer_rank(i, SLOT_BIAS, 1, 1));
    if (!bias || bias->shape.rank < 0 || !gei_dim_known(bias->shape.dims[0]) || !gei_dim_known(f->out)) return GE_OK;
    if (bias->shape.dims[0] == f->out) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "bias", "%lld values, wanted one for each of %lld output channels",
                          (long long)bias->shape.dims[0], (long long)f->out);
}

static ge_status infer_dtype(gei_infer *i) {
    int32_t dtype;
    GEI_TRY(gei_infer_same_dtype(i, SLOT_X, 2, &dtype));
    switch (dtype) {
    case GEI_FLOAT32: case GEI_FLOAT64: case GEI_FLOAT16: case GEI_BFLOAT16: case GEI_UNDEFINED: i->out[0].dtype = dtype; return GE_OK;
    case GEI_INT8: i->out[0].dtype = GEI_INT32; return GE_OK;
    default: return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    }
}

static ge_status infer_conv(gei_infer *i, int32_t n) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    conv_attrs a;
    GEI_TRY(infer_dtype(i));
    GEI_TRY(read_attrs(i->node, n, i->in[SLOT_FILTER]->format, &a, i->diag));
    GEI_TRY(gei_infer_rank(i, SLOT_X, n + 2, n + 2));
    GEI_TRY(gei_infer_rank(i, SLOT_FILTER, n + 2, n + 2));
    if (gei_infer_in(i, 3)) return gei_infer_fail(i, GE_ERR_UNSUPPORTED, "offset_w", "the input is not supported");
    filter_dims f = dims_of_filter(&a, &i->in[SLOT_FILTER]->shape);
    gei_shape *y = &i->out[0].shape;
    y->rank = n + 2;
    y->dims[0] = x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[0];
    y->dims[a.x.channel] = f.out;
    GEI_TRY(check_channels(i, &a, &f, x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[a.x.channel]));
    for (int32_t d = 0; d < n; d++) {
        gei_dim *out = &y->dims[a.x.spatial + d];
        *out = GEI_DIM_UNKNOWN;
        if (gei_dim_known(f.kernel[d]) && (f.kernel[d] < 1 || f.kernel[d] > INT32_MAX))
            return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "kernel size %lld is not within 1 and %d", (long long)f.kernel[d], INT32_MAX);
        a.window.kernel[d] = f.kernel[d];
        if (x->rank < 0 || !gei_dim_known(f.kernel[d])) continue;
        GEI_TRY(gei_window_out_dim(i->node, &a.window, d, x->dims[a.x.spatial + d], out, i->diag));
    }
    return GE_OK;
}

static ge_status infer_conv2d(gei_infer *i) { return infer_conv(i, 2); }
static ge_status infer_conv3d(gei_infer *i) { return infer_conv(i, 3); }

/* ---- reference kernel ---- */

static void filter_strides(const conv_attrs *a, const gei_shape *w, gei_conv *c) {
    if (!a->filter_hwcn) {
        gei_layout_strides(&a->filter, w->dims, &c->w_out, &c->w_in, c->w_at);
        return;
    }
    c->w_out = 1;
    c->w_in = w->dims[w->rank - 1];
    int64_t stride = c->w_in * w->dims[w->rank - 2];
    for (int32_t d = a->x.n - 1; d >= 0; d--) {
        c->w_at[GEI_WINDOW_DIMS - a->x.n + d] = stride;
        stride *= w->dims[d];
    }
}

ge_status gei_conv_geometry(const gei_sizing *s, gei_conv *c, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *w = &s->in[SLOT_FILTER]->shape, *y = &s->out[0].shape;
    conv_attrs a;
    GEI_TRY(read_attrs(s->node, x->rank - 2, s->in[SLOT_FILTER]->format, &a, diag));
    filter_dims f = dims_of_filter(&a, w);
    for (int32_t d = 0; d < a.x.n; d++) a.window.kernel[d] = f.kernel[d];
    gei_window_fill(&a.window, x->dims + a.x.spatial, y->dims + a.x.spatial, &c->window);
    c->batch = x->dims[0];
    c->groups = a.groups;
    c->in_channels = f.in;
    c->out_channels = f.out / a.groups;
    gei_layout_strides(&a.x, x->dims, &c->x_batch, &c->x_channel, c->x_at);
    gei_layout_strides(&a.x, y->dims, &c->y_batch, &c->y_channel, c->y_at);
    filter_strides(&a, w, c);
    return GE_OK;
}

bool gei_conv_is_channels_first(const gei_choice *c) {
    const gei_info *x = c->in[SLOT_X], *filter = c->in[SLOT_FILTER];
    conv_attrs a;
    if (x->shape.rank < 3 || x->shape.rank > 5) return false;
    if (read_attrs(c->node, x->shape.rank - 2, filter->format, &a, NULL) != GE_OK) return false;
    return a.x.channel == 1 && !a.filter_hwcn && a.filter.channel == 1;
}

double gei_conv_work(const gei_conv *c) {
    const gei_window *w = &c->window;
    double each = (double)c->in_channels;
    for (int d = 0; d < GEI_WINDOW_DIMS; d++) each *= (double)w->kernel[d] * (double)w->out[d];
    return each;
}

static ge_status size_ref(gei_sizing *s, gei_diag *diag) {
    gei_conv *c = gei_arena_new(s->arena, gei_conv);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    GEI_TRY(gei_conv_geometry(s, c, diag));
    s->sized = c;
    int64_t planes = c->batch * c->groups * c->out_channels;
    double each = gei_conv_work(c);
    s->n_parts = gei_parts(planes, each > 0 && each < 65536 ? (int64_t)(65536 / each) + 1 : 1);
    float low, high;
    if (gei_node_clip(s->node, &low, &high)) s->n_parts = 1; /* planes of other layouts lie apart: clipped as a whole */
    s->part_scratch_bytes = s->n_in > SLOT_BIAS && s->in[SLOT_BIAS] ? (size_t)(c->groups * c->out_channels) * sizeof(double) : 0;
    s->cost = 2 * each * (double)planes;
    return GE_OK;
}

static gei_conv_fn function_for(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_conv_ref_f64;
    case GEI_FLOAT16: return gei_conv_ref_f16;
    case GEI_BFLOAT16: return gei_conv_ref_bf16;
    case GEI_INT8: return gei_conv_ref_i8_i32;
    default: return gei_conv_ref_f32;
    }
}

static ge_status run_ref(const gei_run *run, uint32_t part) {
    const gei_conv *c = (const gei_conv *)run->sized;
    const gei_view *bias = run->n_in > SLOT_BIAS ? run->in[SLOT_BIAS] : NULL;
    double *numbers = (double *)run->scratch;
    int64_t begin, end;
    if (bias) gei_view_numbers(bias, numbers);
    gei_part_range(c->batch * c->groups * c->out_channels, run->n_parts, part, &begin, &end);
    function_for(run->in[SLOT_X]->dtype)(c, run->in[SLOT_X]->data, run->in[SLOT_FILTER]->data, numbers, run->out[0]->data, begin, end);
    float low, high;
    if (gei_node_clip(run->node, &low, &high)) gei_clip_floats(run->out[0]->data, run->out[0]->n_elems, low, high);
    return GE_OK;
}

static const gei_kernel conv_kernels[] = { GEI_CONV_FAST_KERNELS, { .name = "ref", .size = size_ref, .run = run_ref }, { 0 } };

/* ---- with channels in blocks ---- */

static bool blocked_accepts(const gei_choice *c, gei_reason *why) {
    if (c->in[SLOT_X]->dtype != GEI_FLOAT32 || c->in[SLOT_X]->shape.rank != 4) return gei_refuse(why, "x is no float32 image");
    if (!gei_conv_is_channels_first(c)) return gei_refuse(why, "layout is not channels-first");
    return gei_blocked_conv_fits(c, why);
}

/* Lanes of the last block that hold no channel are computed for nothing. */
static double blocked_worth(const gei_choice *c) {
    const int64_t *filter = c->in[SLOT_FILTER]->shape.dims;
    return (double)filter[0] / (double)(gei_channel_blocks(filter[0]) * GEI_LANES_OF_BLOCK);
}

static const gei_blocked_row blocked_conv = { "GeBlockedConv2D", blocked_accepts, gei_blocked_conv_takes_plain, blocked_worth, gei_copy_declared };

/* ---- ONNX ---- */

/* Spatial dims: from whatever tells the rank. */
static int32_t spatial_dims(const gei_import *im) {
    const char *const lists[] = { "kernel_shape", "strides", "dilations" };
    for (size_t k = 0; k < GEI_COUNT(lists); k++)
        if (gei_import_ints(im, lists[k]).count > 0) return (int32_t)gei_import_ints(im, lists[k]).count;
    if (gei_import_ints(im, "pads").count > 0) return (int32_t)(gei_import_ints(im, "pads").count / 2);
    for (uint32_t k = 0; k < 2; k++) {
        gei_value v = gei_import_input(im, 1 - k);
        if (v.node && gei_value_out(v)->rank >= 0) return gei_value_out(v)->rank - 2;
    }
    return -1;
}

/* ONNX lists have one entry for each spatial dim: `lead` ones go before them, so that 1-D data runs as an image of height 1. */
static ge_status set_list(const gei_import *im, gei_node *node, const char *name, int32_t n, int32_t n_ones, gei_diag *diag) {
    gei_int_list list = gei_import_ints(im, name);
    int64_t values[GEI_WINDOW_DIMS + 2];
    size_t count = 0;
    if (list.count != 0 && list.count != (size_t)n)
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute %s has %zu entries, wanted %d", name, list.count, (int)n);
    for (int32_t k = 0; k < n_ones; k++) values[count++] = 1;
    for (int32_t k = 0; k < n; k++) values[count++] = list.count ? list.data[k] : 1;
    return gei_import_set_ints(node, name, values, count, diag);
}

static ge_status set_pads(const gei_import *im, gei_node *node, int32_t n, gei_diag *diag) {
    gei_int_list list = gei_import_ints(im, "pads");
    int32_t lead = n == 1 ? 1 : 0;
    int64_t values[GEI_WINDOW_DIMS * 2] = { 0 };
    if (list.count != 0 && list.count != (size_t)n * 2)
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute pads has %zu entries, wanted %d", list.count, (int)n * 2);
    for (int32_t d = 0; d < n && list.count; d++) {
        values[(lead + d) * 2] = list.data[d];
        values[(lead + d) * 2 + 1] = list.data[n + d];
    }
    return gei_import_set_ints(node, "pads", values, (size_t)(lead + n) * 2, diag);
}

static ge_status set_attrs(const gei_import *im, gei_node *node, int32_t n, gei_diag *diag) {
    const char *auto_pad = gei_import_text(im, "auto_pad", "NOTSET");
    int32_t n_ones = n == 1 ? 3 : 2;
    GEI_TRY(set_list(im, node, "strides", n, n_ones, diag));
    GEI_TRY(set_list(im, node, "dilations", n, n_ones, diag));
    GEI_TRY(set_pads(im, node, n, diag));
    GEI_TRY(gei_import_set_int(node, "groups", gei_import_int(im, "group", 1), diag));
    GEI_TRY(gei_import_set_text(node, "data_format", n == 3 ? "NCDHW" : "NCHW", diag));
    return strcmp(auto_pad, "NOTSET") == 0 ? GE_OK : gei_import_set_text(node, "auto_pad", auto_pad, diag);
}

static ge_status reshape_axis(gei_import *im, const char *type, const char *attr, gei_value x, gei_value *out, gei_diag *diag) {
    const int64_t axis = 2;
    gei_node *node;
    GEI_TRY(gei_import_node(im, type, &x, 1, &node, diag));
    GEI_TRY(gei_import_set_ints(node, attr, &axis, 1, diag));
    *out = gei_value_of(node, 0);
    return GE_OK;
}

static ge_status map_conv(gei_import *im, gei_diag *diag) {
    int32_t n = spatial_dims(im);
    gei_value inputs[3] = { gei_import_input(im, 0), gei_import_input(im, 1), gei_import_input(im, 2) };
    gei_node *node;
    if (n < 0) return gei_import_fail(im, GE_ERR_UNSUPPORTED, diag, "neither attributes nor inputs tell its rank");
    if (n < 1 || n > 3) return gei_import_fail(im, GE_ERR_UNSUPPORTED, diag, "%d spatial dims, 1 to 3 are supported", (int)n);
    if (n == 1) {
        GEI_TRY(reshape_axis(im, "Unsqueeze", "axes", inputs[0], &inputs[0], diag));
        GEI_TRY(reshape_axis(im, "Unsqueeze", "axes", inputs[1], &inputs[1], diag));
    }
    GEI_TRY(gei_import_node(im, n == 3 ? "Conv3D" : "Conv2D", inputs, 3, &node, diag));
    GEI_TRY(set_attrs(im, node, n, diag));
    gei_value y = gei_value_of(node, 0);
    if (n == 1) GEI_TRY(reshape_axis(im, "Squeeze", "axis", y, &y, diag));
    gei_import_set_output(im, 0, y);
    return GE_OK;
}

static const gei_source conv_sources[] = { { GEI_FROM_ONNX, "Conv", 1, map_conv, NULL }, { 0 } };

GEI_OP(Conv2D) = { .name = "Conv2D", .infer = infer_conv2d, .kernels = conv_kernels, .sources = conv_sources,
                   .traits = GEI_OP_PURE | GEI_OP_TAKES_CLIP, .blocked = &blocked_conv,
                   .takes_affine = gei_conv_is_channels_first };
GEI_OP(Conv3D) = { .name = "Conv3D", .infer = infer_conv3d, .kernels = conv_kernels, .traits = GEI_OP_PURE | GEI_OP_TAKES_CLIP,
                   .takes_affine = gei_conv_is_channels_first };

GEI_WIDEN(Conv2D, "x filter bias y", "float");
GEI_WIDEN(Conv3D, "x filter bias y", "float");
