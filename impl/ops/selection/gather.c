/* SPDX-License-Identifier: Apache-2.0 */
/* GatherV2 (input axis), Gather (axis batch_dims), and ONNX Gather.
 *   x [batch, outer, size, inner], indices [batch, n]: y [batch, outer, n, inner] */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_X, SLOT_INDICES, SLOT_AXIS };

static ge_status read_batch_dims(const gei_infer *i, int32_t *out) {
    int64_t batch = gei_node_int(i->node, "batch_dims", 0);
    const gei_shape *indices = &i->in[SLOT_INDICES]->shape;
    *out = 0;
    if (batch == 0 || indices->rank < 0) return GE_OK;
    if (batch < 0) batch += indices->rank;
    if (batch < 0 || batch > indices->rank)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "batch_dims", "%lld is out of range for indices of rank %d",
                              (long long)gei_node_int(i->node, "batch_dims", 0), (int)indices->rank);
    *out = (int32_t)batch;
    return GE_OK;
}

static ge_status set_shape(gei_infer *i, int32_t axis, int32_t batch) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *indices = &i->in[SLOT_INDICES]->shape;
    gei_words a, b;
    if (batch > axis)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "batch_dims", "%d, but the axis is %d", (int)batch, (int)axis);
    for (int32_t d = 0; d < batch; d++)
        if (gei_dim_known(x->dims[d]) && gei_dim_known(indices->dims[d]) && x->dims[d] != indices->dims[d])
            return gei_infer_fail(i, GE_ERR_SHAPE, "indices", "shape %s does not have the %d batch dims of %s",
                                  gei_shape_words(indices, &a), (int)batch, gei_shape_words(x, &b));
    if (x->rank + indices->rank - batch - 1 > GEI_MAX_RANK)
        return gei_infer_fail(i, GE_ERR_RANK, NULL, "the result would have rank %d, at most %d",
                              (int)(x->rank + indices->rank - batch - 1), GEI_MAX_RANK);
    gei_shape y = gei_shape_of(axis, x->dims);
    for (int32_t d = batch; d < indices->rank; d++) y.dims[y.rank++] = indices->dims[d];
    for (int32_t d = axis + 1; d < x->rank; d++) y.dims[y.rank++] = x->dims[d];
    i->out[0].shape = y;
    return GE_OK;
}

static ge_status check_indices(const gei_infer *i) {
    int32_t dtype = i->in[SLOT_INDICES]->dtype;
    if (dtype == GEI_INT32 || dtype == GEI_INT64 || dtype == GEI_UNDEFINED) return GE_OK;
    return gei_infer_fail(i, GE_ERR_DTYPE, "indices", "%s, wanted int32 or int64", gei_dtype_name(dtype));
}

static ge_status infer_gather(gei_infer *i, bool has_axis, int64_t axis_value) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *indices = &i->in[SLOT_INDICES]->shape;
    int32_t axis, batch;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    GEI_TRY(check_indices(i));
    GEI_TRY(read_batch_dims(i, &batch));
    if (x->rank < 0 || indices->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 1, GEI_MAX_RANK));
    if (has_axis) {
        GEI_TRY(gei_infer_axis(i, "axis", axis_value, x->rank, &axis));
        return set_shape(i, axis, batch);
    }
    int32_t rank = x->rank + indices->rank - batch - 1;
    if (rank > GEI_MAX_RANK) return GE_OK;
    i->out[0].shape.rank = rank;
    for (int32_t d = 0; d < rank; d++) i->out[0].shape.dims[d] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

static ge_status infer_gather_v2(gei_infer *i) {
    int64_t axis = 0;
    size_t count;
    bool has_axis = gei_infer_ints(i, SLOT_AXIS, &axis, 1, &count) && count == 1;
    return infer_gather(i, has_axis, axis);
}

static ge_status infer_gather_1(gei_infer *i) {
    int32_t batch;
    GEI_TRY(read_batch_dims(i, &batch));
    return infer_gather(i, true, batch);
}

/* ---- reference kernel ---- */

typedef struct gather {
    int64_t batch, outer, size, inner, n;
    size_t elem_bytes;
    bool negative; /* negative indices count from the end */
} gather;

static ge_status size_gather(gei_sizing *s, int64_t axis_value, bool negative, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *indices = &s->in[SLOT_INDICES]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t batch, axis = (int32_t)(axis_value < 0 ? axis_value + x->rank : axis_value);
    gather *g = gei_arena_new(s->arena, gather);
    if (!g) return gei_out_of_memory(diag, sizeof *g);
    GEI_TRY(read_batch_dims(&i, &batch));
    g->batch = gei_dim_product(x, 0, batch);
    g->outer = gei_dim_product(x, batch, axis);
    g->size = x->dims[axis];
    g->inner = gei_dim_product(x, axis + 1, x->rank);
    g->n = gei_dim_product(indices, batch, indices->rank);
    g->elem_bytes = gei_moved_bytes(s->in[SLOT_X]->dtype);
    g->negative = negative;
    int64_t rows = g->batch * g->outer * g->n;
    s->sized = g;
    s->n_parts = gei_parts(rows, g->inner < 16384 ? 16384 / (g->inner + 1) + 1 : 1);
    s->cost = (double)rows * (double)g->inner;
    return GE_OK;
}

static ge_status size_v2(gei_sizing *s, gei_diag *diag) {
    int64_t axis;
    size_t count;
    GEI_TRY(gei_sizing_ints(s, SLOT_AXIS, &axis, 1, &count, diag));
    return size_gather(s, axis, gei_node_bool(s->node, "negative_index_support", false), diag);
}

static ge_status size_1(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t batch;
    GEI_TRY(read_batch_dims(&i, &batch));
    return size_gather(s, batch, gei_node_bool(s->node, "negative_index_support", false), diag);
}

static int64_t index_at(const gei_view *indices, int64_t at) {
    return indices->dtype == GEI_INT64 ? ((const int64_t *)indices->data)[at] : ((const int32_t *)indices->data)[at];
}

static ge_status check_all(const gei_run *run, const gather *g) {
    const gei_view *indices = run->in[SLOT_INDICES];
    for (int64_t k = 0; k < indices->n_elems; k++) {
        int64_t index = index_at(indices, k);
        if (index < (g->negative ? -g->size : 0) || index >= g->size)
            return gei_run_fail(run, 0, "indices", "%lld at %lld is out of range for size %lld", (long long)index, (long long)k,
                                (long long)g->size);
    }
    return GE_OK;
}

static ge_status run_rows(const gei_run *run, uint32_t part) {
    const gather *g = (const gather *)run->sized;
    size_t bytes = (size_t)g->inner * g->elem_bytes;
    int64_t begin, end;
    if (part == 0 && g->batch * g->outer * g->inner > 0) GEI_TRY(check_all(run, g)); /* so that the message is always there */
    gei_part_range(g->batch * g->outer * g->n, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end && bytes > 0; row++) {
        int64_t block = row / g->n, batch = block / g->outer;
        int64_t index = index_at(run->in[SLOT_INDICES], batch * g->n + row % g->n);
        if (index < 0 && g->negative) index += g->size;
        if (index < 0 || index >= g->size) return gei_run_fail(run, part, "indices", "out of range");
        memcpy((char *)run->out[0]->data + (size_t)row * bytes,
               (const char *)run->in[SLOT_X]->data + (size_t)(block * g->size + index) * bytes, bytes);
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X, run_rows); }

static const gei_kernel v2_kernels[] = { { .name = "ref", .size = size_v2, .run = run_ref }, { 0 } };
static const gei_kernel gather_kernels[] = { { .name = "ref", .size = size_1, .run = run_ref }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_gather(gei_import *im, gei_diag *diag) {
    gei_value inputs[3] = { gei_import_input(im, 0), gei_import_input(im, 1), { NULL, 0 } };
    int64_t axis = gei_import_int(im, "axis", 0);
    gei_node *node;
    GEI_TRY(gei_import_const_i64(im, &axis, 1, true, &inputs[2], diag));
    GEI_TRY(gei_import_node(im, "GatherV2", inputs, 3, &node, diag));
    GEI_TRY(gei_import_set_bool(node, "negative_index_support", true, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source v2_sources[] = { { GEI_FROM_ONNX, "Gather", 1, map_gather, NULL }, { 0 } };

GEI_OP(GatherV2) = { .name = "GatherV2", .infer = infer_gather_v2, .kernels = v2_kernels, .sources = v2_sources,
                     .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_X, .needs_value = 1u << SLOT_AXIS };
GEI_OP(Gather) = { .name = "Gather", .infer = infer_gather_1, .kernels = gather_kernels, .traits = GEI_OP_PURE | GEI_OP_MOVES,
                   .moved = 1u << SLOT_X };

GEI_WIDEN(GatherV2, "x y", "any");
GEI_WIDEN(Gather, "x y", "any");
