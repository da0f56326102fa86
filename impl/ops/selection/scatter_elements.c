/* SPDX-License-Identifier: Apache-2.0 */
/* ScatterElements: a copy of data in which y[.., indices[i0, i1, ...], ..] is combined with updates[i0, i1, ...], in their order.
 * Negative indices count from the end.  reduction max and min are ours. */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"
#include "ops/selection/scatter.h"

enum { SLOT_DATA, SLOT_INDICES, SLOT_UPDATES };

static ge_status infer_scatter(gei_infer *i) {
    const gei_shape *data = &i->in[SLOT_DATA]->shape, *indices = &i->in[SLOT_INDICES]->shape, *updates = &i->in[SLOT_UPDATES]->shape;
    int32_t dtype = i->in[SLOT_INDICES]->dtype, axis;
    gei_combine how;
    gei_words a, b;
    i->out[0].dtype = i->in[SLOT_DATA]->dtype;
    i->out[0].shape = *data;
    GEI_TRY(gei_read_reduction(i, &how));
    GEI_TRY(gei_check_combine(i, SLOT_DATA, SLOT_UPDATES, how));
    if (dtype != GEI_INT32 && dtype != GEI_INT64 && dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_DTYPE, "indices", "%s, wanted int32 or int64", gei_dtype_name(dtype));
    if (!gei_shape_fits(indices, updates))
        return gei_infer_fail(i, GE_ERR_SHAPE, "updates", "shape %s, but indices have %s", gei_shape_words(updates, &a), gei_shape_words(indices, &b));
    if (data->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_DATA, 1, GEI_MAX_RANK));
    GEI_TRY(gei_infer_axis(i, "axis", gei_node_int(i->node, "axis", 0), data->rank, &axis));
    if (indices->rank < 0) return GE_OK;
    bool fits = data->rank == indices->rank;
    for (int32_t d = 0; fits && d < data->rank; d++)
        fits = d == axis || !gei_dim_known(data->dims[d]) || !gei_dim_known(indices->dims[d]) || indices->dims[d] <= data->dims[d];
    if (fits) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "indices", "shape %s does not fit %s", gei_shape_words(indices, &a), gei_shape_words(data, &b));
}

/* ---- reference kernel: one part, since places may repeat ---- */

typedef struct scatter {
    int32_t rank, axis;
    int64_t size;                                      /* of data's axis */
    int64_t dims[GEI_MAX_RANK], strides[GEI_MAX_RANK]; /* dims of the indices, strides of data */
    gei_combine how;
    size_t elem_bytes;
} scatter;

static ge_status size_scatter(gei_sizing *s, gei_diag *diag) {
    const gei_shape *data = &s->in[SLOT_DATA]->shape, *indices = &s->in[SLOT_INDICES]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    scatter *c = gei_arena_new(s->arena, scatter);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    GEI_TRY(gei_infer_axis(&i, "axis", gei_node_int(s->node, "axis", 0), data->rank, &c->axis));
    GEI_TRY(gei_read_reduction(&i, &c->how));
    c->rank = data->rank;
    c->size = data->dims[c->axis];
    c->elem_bytes = gei_moved_bytes(s->in[SLOT_DATA]->dtype);
    int64_t stride = 1, n = 1;
    for (int32_t d = data->rank - 1; d >= 0; d--) {
        c->dims[d] = indices->dims[d];
        c->strides[d] = stride;
        stride *= data->dims[d];
        n *= indices->dims[d];
    }
    s->sized = c;
    s->cost = (double)stride + 8.0 * (double)n;
    return GE_OK;
}

static int64_t index_at(const gei_view *indices, int64_t at) {
    return indices->dtype == GEI_INT64 ? ((const int64_t *)indices->data)[at] : ((const int32_t *)indices->data)[at];
}

static ge_status run_all(const gei_run *run, uint32_t part) {
    const scatter *c = (const scatter *)run->sized;
    const gei_view *data = run->in[SLOT_DATA], *indices = run->in[SLOT_INDICES], *updates = run->in[SLOT_UPDATES];
    gei_view *y = run->out[0];
    gei_combine_fn combine = gei_combine_function(y->dtype);
    int64_t at[GEI_MAX_RANK] = { 0 };
    size_t bytes = c->elem_bytes;
    (void)part;
    if (y->data != data->data && y->n_elems > 0) memcpy(y->data, data->data, (size_t)y->n_elems * bytes);
    for (int64_t k = 0; k < indices->n_elems; k++) {
        int64_t index = index_at(indices, k), to = 0;
        if (index < -c->size || index >= c->size)
            return gei_run_fail(run, 0, "indices", "%lld at %lld is out of range for size %lld", (long long)index, (long long)k, (long long)c->size);
        for (int32_t d = 0; d < c->rank; d++) to += (d != c->axis ? at[d] : index < 0 ? index + c->size : index) * c->strides[d];
        char *place = (char *)y->data + (size_t)to * bytes;
        const char *update = (const char *)updates->data + (size_t)k * bytes;
        if (c->how == GEI_COMBINE_NONE) memcpy(place, update, bytes);
        else combine(c->how, place, update, 1);
        for (int32_t d = c->rank - 1; d >= 0 && ++at[d] == c->dims[d]; d--) at[d] = 0;
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_DATA | 1u << SLOT_UPDATES, run_all); }

static const gei_kernel scatter_kernels[] = { { .name = "ref", .size = size_scatter, .run = run_ref, .in_place = 1u << SLOT_DATA }, { 0 } };

static const gei_attr_map scatter_attrs[] = { { "axis", "axis", "0" }, { "reduction", "reduction", "none" }, { NULL, NULL, NULL } };
static const gei_source scatter_sources[] = { { GEI_FROM_ONNX, "Scatter", 9, NULL, scatter_attrs },
                                              { GEI_FROM_ONNX, "ScatterElements", 11, NULL, scatter_attrs },
                                              { 0 } };

GEI_OP(ScatterElements) = { .name = "ScatterElements", .infer = infer_scatter, .kernels = scatter_kernels, .sources = scatter_sources,
                            .traits = GEI_OP_PURE };
GEI_WIDEN(ScatterElements, "data updates y", "any");
