/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/selection/nd.h"

ge_status gei_nd_infer(const gei_infer *i, uint32_t tensor, uint32_t indices, int32_t batch_dims, gei_shape *out_slice) {
    const gei_shape *x = &i->in[tensor]->shape, *rows = &i->in[indices]->shape;
    int32_t dtype = i->in[indices]->dtype;
    gei_words a, b;
    *out_slice = gei_shape_unknown();
    if (dtype != GEI_INT32 && dtype != GEI_INT64 && dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, indices), "%s, wanted int32 or int64", gei_dtype_name(dtype));
    GEI_TRY(gei_infer_rank(i, indices, 1 + batch_dims, GEI_MAX_RANK));
    GEI_TRY(gei_infer_rank(i, tensor, batch_dims, GEI_MAX_RANK));
    if (x->rank < 0 || rows->rank < 0) return GE_OK;
    gei_dim count = rows->dims[rows->rank - 1];
    if (!gei_dim_known(count)) return GE_OK;
    if (count > x->rank - batch_dims)
        return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, indices), "shape %s: rows of %lld for a tensor of rank %d%s", gei_shape_words(rows, &a),
                              (long long)count, (int)x->rank, batch_dims > 0 ? " less the batch dims" : "");
    for (int32_t d = 0; d < batch_dims; d++)
        if (gei_dim_known(x->dims[d]) && gei_dim_known(rows->dims[d]) && x->dims[d] != rows->dims[d])
            return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, indices), "shape %s does not have the %d batch dims of %s", gei_shape_words(rows, &a),
                                  (int)batch_dims, gei_shape_words(x, &b));
    *out_slice = gei_shape_of(x->rank - batch_dims - (int32_t)count, x->dims + batch_dims + count);
    return GE_OK;
}

void gei_nd_plan(gei_nd *n, const gei_shape *tensor, const gei_shape *indices, int32_t batch_dims) {
    *n = (gei_nd){ .batch = gei_dim_product(tensor, 0, batch_dims), .rows = gei_dim_product(indices, batch_dims, indices->rank - 1),
                   .count = indices->dims[indices->rank - 1], .batch_elems = gei_dim_product(tensor, batch_dims, tensor->rank) };
    int32_t first = batch_dims + (int32_t)n->count;
    n->slice = gei_dim_product(tensor, first, tensor->rank);
    int64_t stride = n->slice;
    for (int32_t k = (int32_t)n->count - 1; k >= 0; k--) {
        n->sizes[k] = tensor->dims[batch_dims + k];
        n->strides[k] = stride;
        stride *= n->sizes[k];
    }
}

static int64_t index_at(const gei_view *indices, int64_t at) {
    return indices->dtype == GEI_INT64 ? ((const int64_t *)indices->data)[at] : ((const int32_t *)indices->data)[at];
}

bool gei_nd_offset(const gei_nd *n, const gei_view *indices, int64_t row, int64_t *out_offset) {
    int64_t offset = n->rows > 0 ? row / n->rows * n->batch_elems : 0;
    for (int64_t k = 0; k < n->count; k++) {
        int64_t at = index_at(indices, row * n->count + k);
        if (at < -n->sizes[k] || at >= n->sizes[k]) return false;
        offset += (at < 0 ? at + n->sizes[k] : at) * n->strides[k];
    }
    *out_offset = offset;
    return true;
}

ge_status gei_nd_check(const gei_run *run, const gei_nd *n, uint32_t slot) {
    for (int64_t k = 0; k < n->batch * n->rows * n->count; k++) {
        int64_t at = index_at(run->in[slot], k), size = n->sizes[k % n->count];
        if (at < -size || at >= size)
            return gei_run_fail(run, 0, "indices", "%lld at %lld is out of range for size %lld", (long long)at, (long long)k, (long long)size);
    }
    return GE_OK;
}
