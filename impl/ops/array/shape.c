/* SPDX-License-Identifier: Apache-2.0 */
/* Shape, Size, Rank: facts about a tensor as small integer tensors, known (in part) before the run. */
#include <string.h>

#include "ops/import.h"
#include "ops/rules.h"

static ge_status read_dtype(gei_infer *i) {
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_INT32);
    if (dtype != GEI_INT32 && dtype != GEI_INT64)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "dtype", "%lld is neither int32 (3) nor int64 (9)", (long long)dtype);
    i->out[0].dtype = (int32_t)dtype;
    return GE_OK;
}

static ge_status infer_shape(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    GEI_TRY(read_dtype(i));
    i->out[0].shape = gei_shape_of(1, (gei_dim[]){ x->rank < 0 ? GEI_DIM_UNKNOWN : x->rank });
    if (x->rank < 0) return GE_OK;
    gei_elem *elems = gei_infer_new_elems(i, 0, (size_t)x->rank);
    if (!elems) return gei_out_of_memory(i->diag, 0);
    for (int32_t d = 0; d < x->rank; d++) elems[d] = gei_elem_dim(x->dims[d]);
    return GE_OK;
}

static ge_status infer_scalar(gei_infer *i, gei_dim value) {
    i->out[0].shape = gei_shape_scalar();
    gei_elem *elems = gei_infer_new_elems(i, 0, 1);
    if (!elems) return gei_out_of_memory(i->diag, 0);
    elems[0] = gei_elem_dim(value);
    return GE_OK;
}

static ge_status infer_size(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    GEI_TRY(read_dtype(i));
    return infer_scalar(i, x->rank < 0 ? GEI_DIM_UNKNOWN : gei_dim_product(x, 0, x->rank));
}

static ge_status infer_rank(gei_infer *i) {
    i->out[0].dtype = GEI_INT32;
    return infer_scalar(i, i->in[0]->shape.rank < 0 ? GEI_DIM_UNKNOWN : i->in[0]->shape.rank);
}

/* ---- reference kernels: for shapes found during the run ---- */

static ge_status store(const gei_run *run, int64_t index, int64_t value) {
    const gei_view *y = run->out[0];
    if (y->dtype == GEI_INT64) {
        ((int64_t *)y->data)[index] = value;
        return GE_OK;
    }
    if (value > INT32_MAX) return gei_run_fail(run, 0, NULL, "%lld does not fit int32", (long long)value);
    ((int32_t *)y->data)[index] = (int32_t)value;
    return GE_OK;
}

static ge_status run_shape(const gei_run *run, uint32_t part) {
    (void)part;
    for (int32_t d = 0; d < run->in[0]->rank; d++) GEI_TRY(store(run, d, run->in[0]->dims[d]));
    return GE_OK;
}

static ge_status run_size(const gei_run *run, uint32_t part) {
    (void)part;
    return store(run, 0, run->in[0]->n_elems);
}

static ge_status run_rank(const gei_run *run, uint32_t part) {
    (void)part;
    return store(run, 0, run->in[0]->rank);
}

static const gei_kernel shape_kernels[] = { { .name = "ref", .run = run_shape }, { 0 } };
static const gei_kernel size_kernels[] = { { .name = "ref", .run = run_size }, { 0 } };
static const gei_kernel rank_kernels[] = { { .name = "ref", .run = run_rank }, { 0 } };

/* ---- ONNX: int64; start and end from opset 15 ---- */

static ge_status map_int64(gei_import *im, const char *type, gei_value *out, gei_diag *diag) {
    gei_value x = gei_import_input(im, 0);
    gei_node *node;
    GEI_TRY(gei_import_node(im, type, &x, 1, &node, diag));
    GEI_TRY(gei_import_set_int(node, "dtype", GEI_INT64, diag));
    *out = gei_value_of(node, 0);
    return GE_OK;
}

static ge_status map_shape(gei_import *im, gei_diag *diag) {
    int64_t start = gei_import_int(im, "start", 0), end = gei_import_int(im, "end", INT64_MAX);
    gei_value inputs[3];
    gei_node *node;
    GEI_TRY(map_int64(im, "Shape", &inputs[0], diag));
    if (start != 0 || gei_import_has_attr(im, "end")) {
        GEI_TRY(gei_import_const_i64(im, &start, 1, false, &inputs[1], diag));
        GEI_TRY(gei_import_const_i64(im, &end, 1, false, &inputs[2], diag));
        GEI_TRY(gei_import_node(im, "StridedSliceV2", inputs, 3, &node, diag));
        inputs[0] = gei_value_of(node, 0);
    }
    gei_import_set_output(im, 0, inputs[0]);
    return GE_OK;
}

static ge_status map_size(gei_import *im, gei_diag *diag) {
    gei_value y;
    GEI_TRY(map_int64(im, "Size", &y, diag));
    gei_import_set_output(im, 0, y);
    return GE_OK;
}

static const gei_source shape_sources[] = { { GEI_FROM_ONNX, "Shape", 1, map_shape, NULL }, { 0 } };
static const gei_source size_sources[] = { { GEI_FROM_ONNX, "Size", 1, map_size, NULL }, { 0 } };

GEI_OP(Shape) = { .name = "Shape", .infer = infer_shape, .kernels = shape_kernels, .sources = shape_sources, .traits = GEI_OP_PURE };
GEI_OP(Size) = { .name = "Size", .infer = infer_size, .kernels = size_kernels, .sources = size_sources, .traits = GEI_OP_PURE };
GEI_OP(Rank) = { .name = "Rank", .infer = infer_rank, .kernels = rank_kernels, .traits = GEI_OP_PURE };

GEI_WIDEN(Shape, "x", "any");
GEI_WIDEN(Size, "x", "any");
GEI_WIDEN(Rank, "x", "any");
