/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling by the mean: AvgPoolV2, GlobalAveragePool, and GeAveragePool, which says all that ONNX AveragePool can. */
#include "ops/nn_pooling/pool_onnx.h"

static ge_status check_dtype(gei_infer *i) {
    switch (i->in[0]->dtype) {
    case GEI_FLOAT32: case GEI_FLOAT64: case GEI_FLOAT16: case GEI_BFLOAT16: case GEI_UNDEFINED: return GE_OK;
    default: return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
    }
}

/* ---- AvgPoolV2 ---- */

static ge_status read_v2(const gei_node *node, int32_t rank, gei_pool_attrs *a, gei_diag *diag) {
    if (rank != 4) return gei_node_fail(node, diag, GE_ERR_RANK, "x", "rank %d, wanted 4", (int)rank);
    GEI_TRY(gei_read_layout(node, "NCHW", 2, &a->layout, diag));
    a->window.n = 2;
    a->global = gei_node_bool(node, "global_pooling", false);
    a->window.ceil = gei_node_bool(node, "ceil_mode", false);
    a->count_pads = !gei_node_bool(node, "exclusive", true);
    a->divisor = gei_node_int(node, "divisor_override", 0);
    GEI_TRY(gei_read_spatial(node, "ksize", &a->layout, a->window.kernel, diag));
    GEI_TRY(gei_read_spatial(node, "strides", &a->layout, a->window.stride, diag));
    for (int d = 0; d < 2; d++) a->window.dilation[d] = 1;
    GEI_TRY(gei_read_pads(node, "pads", &a->layout, &a->window, diag));
    return gei_read_auto_pad(node, "padding_mode", &a->window.auto_pad, diag);
}

static ge_status infer_v2(gei_infer *i) {
    GEI_TRY(check_dtype(i));
    return gei_infer_pool(i, read_v2);
}

static ge_status size_v2(gei_sizing *s, gei_diag *diag) { return gei_size_pool(s, read_v2, diag); }

static const gei_kernel v2_kernels[] = { GEI_MEAN_ROWS_KERNEL(size_v2), { .name = "ref", .size = size_v2, .run = gei_run_mean_pool }, { 0 } };

static ge_status map_average_pool(gei_import *im, gei_diag *diag) { return gei_map_pool(im, "AvgPoolV2", "GeAveragePool", diag); }

static const gei_source v2_sources[] = { { GEI_FROM_ONNX, "AveragePool", 1, map_average_pool, NULL }, { 0 } };

GEI_BLOCKED_POOL(blocked_v2, read_v2, "avg");

GEI_OP(AvgPoolV2) = { .name = "AvgPoolV2", .infer = infer_v2, .kernels = v2_kernels, .sources = v2_sources, .traits = GEI_OP_PURE, .blocked = &blocked_v2 };

/* ---- GeAveragePool ---- */

static ge_status read_ge(const gei_node *node, int32_t rank, gei_pool_attrs *a, gei_diag *diag) {
    a->count_pads = gei_node_bool(node, "count_include_pad", false);
    return gei_read_ge_pool(node, rank, a, diag);
}

static ge_status infer_ge(gei_infer *i) {
    GEI_TRY(check_dtype(i));
    return gei_infer_pool(i, read_ge);
}

static ge_status size_ge(gei_sizing *s, gei_diag *diag) { return gei_size_pool(s, read_ge, diag); }

static const gei_kernel ge_kernels[] = { GEI_MEAN_ROWS_KERNEL(size_ge), { .name = "ref", .size = size_ge, .run = gei_run_mean_pool }, { 0 } };

GEI_BLOCKED_POOL(blocked_ge, read_ge, "avg");

GEI_OP(GeAveragePool) = { .name = "GeAveragePool", .infer = infer_ge, .kernels = ge_kernels, .traits = GEI_OP_PURE, .blocked = &blocked_ge };

/* ---- GlobalAveragePool: [N, C, ...] to [N, C, 1, ...], any number of spatial dims ---- */

static ge_status infer_global(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    GEI_TRY(check_dtype(i));
    GEI_TRY(gei_infer_rank(i, 0, 2, GEI_MAX_RANK));
    GEI_TRY(gei_infer_like_x(i));
    for (int32_t d = 2; d < x->rank; d++) i->out[0].shape.dims[d] = 1;
    return GE_OK;
}

static ge_status size_global(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    gei_pool *p = gei_arena_new(s->arena, gei_pool);
    gei_layout layout = { 1, 1, 2 };
    if (!p) return gei_out_of_memory(diag, sizeof *p);
    int64_t in = 1, out = 1;
    for (int32_t d = 2; d < x->rank; d++) in *= x->dims[d];
    gei_window_attrs w = { .n = 1, .kernel = { in }, .stride = { 1 }, .dilation = { 1 } };
    int64_t x_dims[3] = { x->dims[0], x->dims[1], in }, y_dims[3] = { x->dims[0], x->dims[1], 1 };
    gei_window_fill(&w, &in, &out, &p->window);
    p->batch = x->dims[0];
    p->channels = x->dims[1];
    gei_layout_strides(&layout, x_dims, &p->x_batch, &p->x_channel, p->x_at);
    gei_layout_strides(&layout, y_dims, &p->y_batch, &p->y_channel, p->y_at);
    s->sized = p;
    s->n_parts = gei_parts(p->batch * p->channels, in > 0 && in < 65536 ? 65536 / in + 1 : 1);
    s->cost = (double)in * (double)(p->batch * p->channels);
    return GE_OK;
}

static const gei_kernel global_kernels[] = { GEI_MEAN_ROWS_KERNEL(size_global), { .name = "ref", .size = size_global, .run = gei_run_mean_pool }, { 0 } };
static const gei_source global_sources[] = { { GEI_FROM_ONNX, "GlobalAveragePool", 1, NULL, NULL }, { 0 } };

static ge_status read_global(const gei_node *node, int32_t rank, gei_pool_attrs *a, gei_diag *diag) {
    (void)node;
    (void)diag;
    *a = (gei_pool_attrs){ .layout = { rank - 2, 1, 2 }, .window = { .n = rank - 2 }, .global = true };
    for (int32_t d = 0; d < rank - 2 && d < GEI_WINDOW_DIMS; d++) a->window.kernel[d] = a->window.stride[d] = a->window.dilation[d] = 1;
    return GE_OK;
}

GEI_BLOCKED_POOL(blocked_global, read_global, "avg");

GEI_OP(GlobalAveragePool) = { .name = "GlobalAveragePool", .infer = infer_global, .kernels = global_kernels, .sources = global_sources,
                              .traits = GEI_OP_PURE, .blocked = &blocked_global };
GEI_WIDEN(GlobalAveragePool, "*", "float");
