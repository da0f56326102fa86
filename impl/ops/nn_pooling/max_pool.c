/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling by the largest value: MaxPoolV3, and GeMaxPool, which says all that ONNX MaxPool can. */
#include "ops/nn_pooling/pool_onnx.h"

static ge_status check_dtype(gei_infer *i) {
    const gei_dtype_info *info = gei_dtype_get(i->in[0]->dtype);
    bool is_number = info && (info->kind == GEI_KIND_FLOAT || info->kind == GEI_KIND_INT || info->kind == GEI_KIND_UINT);
    bool has_loop = is_number && info->bits >= (info->kind == GEI_KIND_FLOAT ? 16 : 8);
    if (i->in[0]->dtype == GEI_UNDEFINED || has_loop) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
}

/* ---- MaxPoolV3 ---- */

static ge_status read_v3(const gei_node *node, int32_t rank, gei_pool_attrs *a, gei_diag *diag) {
    if (rank != 4) return gei_node_fail(node, diag, GE_ERR_RANK, "x", "rank %d, wanted 4", (int)rank);
    GEI_TRY(gei_read_layout(node, "NCHW", 2, &a->layout, diag));
    a->window.n = 2;
    a->global = gei_node_bool(node, "global_pooling", false);
    a->window.ceil = gei_node_bool(node, "ceil_mode", false);
    GEI_TRY(gei_read_spatial(node, "ksize", &a->layout, a->window.kernel, diag));
    GEI_TRY(gei_read_spatial(node, "strides", &a->layout, a->window.stride, diag));
    for (int d = 0; d < 2; d++) a->window.dilation[d] = 1;
    GEI_TRY(gei_read_pads(node, "pads", &a->layout, &a->window, diag));
    return gei_read_auto_pad(node, "padding_mode", &a->window.auto_pad, diag);
}

static ge_status infer_v3(gei_infer *i) {
    GEI_TRY(check_dtype(i));
    return gei_infer_pool(i, read_v3);
}

static ge_status size_v3(gei_sizing *s, gei_diag *diag) { return gei_size_pool(s, read_v3, diag); }

static const gei_kernel v3_kernels[] = { GEI_MAX_ROWS_KERNEL(size_v3), { .name = "ref", .size = size_v3, .run = gei_run_max_pool }, { 0 } };

static ge_status map_max_pool(gei_import *im, gei_diag *diag) { return gei_map_pool(im, "MaxPoolV3", "GeMaxPool", diag); }

static const gei_source v3_sources[] = { { GEI_FROM_ONNX, "MaxPool", 1, map_max_pool, NULL }, { 0 } };

GEI_BLOCKED_POOL(blocked_v3, read_v3, "max");

GEI_OP(MaxPoolV3) = { .name = "MaxPoolV3", .infer = infer_v3, .kernels = v3_kernels, .sources = v3_sources, .traits = GEI_OP_PURE, .blocked = &blocked_v3 };
GEI_WIDEN(MaxPoolV3, "*", "real");

/* ---- GeMaxPool ---- */

static ge_status read_ge(const gei_node *node, int32_t rank, gei_pool_attrs *a, gei_diag *diag) {
    a->column_major = gei_node_int(node, "storage_order", 0) != 0;
    return gei_read_ge_pool(node, rank, a, diag);
}

static ge_status infer_ge(gei_infer *i) {
    GEI_TRY(check_dtype(i));
    GEI_TRY(gei_infer_pool(i, read_ge));
    i->out[1].dtype = GEI_INT64;
    return GE_OK;
}

static ge_status size_ge(gei_sizing *s, gei_diag *diag) { return gei_size_pool(s, read_ge, diag); }

static const gei_kernel ge_kernels[] = { GEI_MAX_ROWS_KERNEL(size_ge), { .name = "ref", .size = size_ge, .run = gei_run_max_pool }, { 0 } };

GEI_OP(GeMaxPool) = { .name = "GeMaxPool", .infer = infer_ge, .kernels = ge_kernels, .traits = GEI_OP_PURE };
