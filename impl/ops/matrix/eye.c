/* SPDX-License-Identifier: Apache-2.0 */
/* Ones on a diagonal: Eye (sizes are attributes), GeEyeLike (ours: shape of an input, diagonal k; ONNX EyeLike). */
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

static ge_status check_dtype(const gei_infer *i, int64_t dtype) {
    if (dtype >= 0 && dtype <= INT32_MAX && gei_dtype_is_real((int32_t)dtype) && gei_dtype_get((int32_t)dtype)->bits >= 8) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dtype", "data type %s is not supported", gei_dtype_name((int32_t)dtype));
}

static ge_status infer_eye_like(gei_infer *i) {
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_UNDEFINED);
    GEI_TRY(gei_infer_rank(i, 0, 2, 2));
    i->out[0].shape = i->in[0]->shape;
    i->out[0].dtype = dtype == GEI_UNDEFINED ? i->in[0]->dtype : (int32_t)dtype;
    return i->out[0].dtype == GEI_UNDEFINED ? GE_OK : check_dtype(i, i->out[0].dtype);
}

static ge_status infer_eye(gei_infer *i) {
    int64_t rows = gei_node_int(i->node, "num_rows", 0), columns = gei_node_int(i->node, "num_columns", 0);
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_FLOAT32);
    gei_int_list batch = gei_node_ints(i->node, "batch_shape");
    gei_shape *y = &i->out[0].shape;
    gei_words words;
    if (rows < 0 || columns < 0) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "num_rows", "%lld rows, %lld columns", (long long)rows, (long long)columns);
    if (batch.count > GEI_MAX_RANK - 2) return gei_infer_fail(i, GE_ERR_RANK, "batch_shape", "%zu dims, at most %d", batch.count, GEI_MAX_RANK - 2);
    GEI_TRY(check_dtype(i, dtype));
    *y = gei_shape_scalar();
    for (size_t k = 0; k < batch.count; k++) {
        if (batch.data[k] < 0) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "batch_shape", "%s", gei_ints_words(batch.data, batch.count, &words));
        y->dims[y->rank++] = batch.data[k];
    }
    y->dims[y->rank++] = rows;
    y->dims[y->rank++] = columns == 0 ? rows : columns;
    i->out[0].dtype = (int32_t)dtype;
    return GE_OK;
}

static ge_status run_diagonal(const gei_run *run, int64_t k) {
    const gei_view *y = run->out[0];
    double one = 1;
    size_t bytes;
    if (y->n_elems == 0 || !gei_dtype_bytes(y->dtype, (uint64_t)y->n_elems, &bytes)) return GE_OK;
    int64_t rows = y->dims[y->rank - 2], columns = y->dims[y->rank - 1];
    memset(y->data, 0, bytes);
    if (k <= -rows || k >= columns) return GE_OK;
    for (int64_t base = 0; base < y->n_elems; base += rows * columns)
        for (int64_t r = k < 0 ? -k : 0; r < rows && r + k < columns; r++) gei_store_f64(y->dtype, &one, y->data, base + r * columns + r + k, 1);
    return GE_OK;
}

static ge_status run_eye(const gei_run *run, uint32_t part) { return part == 0 ? run_diagonal(run, 0) : GE_OK; }
static ge_status run_eye_like(const gei_run *run, uint32_t part) { return part == 0 ? run_diagonal(run, gei_node_int(run->node, "k", 0)) : GE_OK; }

static ge_status map_eye_like(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GeEyeLike", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_dtype(im, "dtype", GEI_UNDEFINED, node, "dtype", diag));
    GEI_TRY(gei_import_set_int(node, "k", gei_import_int(im, "k", 0), diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_kernel eye_kernels[] = { { .name = "ref", .run = run_eye }, { 0 } };
static const gei_kernel eye_like_kernels[] = { { .name = "ref", .run = run_eye_like }, { 0 } };
static const gei_source eye_like_sources[] = { { GEI_FROM_ONNX, "EyeLike", 9, map_eye_like, NULL }, { 0 } };

GEI_OP(Eye) = { .name = "Eye", .infer = infer_eye, .kernels = eye_kernels, .traits = GEI_OP_PURE };
GEI_OP(GeEyeLike) = { .name = "GeEyeLike", .infer = infer_eye_like, .kernels = eye_like_kernels, .sources = eye_like_sources, .traits = GEI_OP_PURE };
