/* SPDX-License-Identifier: Apache-2.0 */
/* GatherNd; batch_dims (ours): leading dims that x and indices share. */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"
#include "ops/selection/nd.h"

enum { SLOT_X, SLOT_INDICES };

static ge_status read_batch_dims(const gei_infer *i, int32_t *out) {
    int64_t batch = gei_node_int(i->node, "batch_dims", 0);
    *out = 0;
    if (batch < 0 || batch >= GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "batch_dims", "%lld is not within 0 and %d", (long long)batch, GEI_MAX_RANK - 1);
    *out = (int32_t)batch;
    return GE_OK;
}

static ge_status infer_gather(gei_infer *i) {
    const gei_shape *indices = &i->in[SLOT_INDICES]->shape;
    int32_t batch;
    gei_shape slice;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    GEI_TRY(read_batch_dims(i, &batch));
    GEI_TRY(gei_nd_infer(i, SLOT_X, SLOT_INDICES, batch, &slice));
    if (slice.rank < 0) return GE_OK;
    gei_shape y = gei_shape_of(indices->rank - 1, indices->dims);
    if (y.rank + slice.rank > GEI_MAX_RANK)
        return gei_infer_fail(i, GE_ERR_RANK, NULL, "the result would have rank %d, at most %d", (int)(y.rank + slice.rank), GEI_MAX_RANK);
    for (int32_t d = 0; d < slice.rank; d++) y.dims[y.rank++] = slice.dims[d];
    i->out[0].shape = y;
    return GE_OK;
}

typedef struct gather {
    gei_nd nd;
    size_t elem_bytes;
} gather;

static ge_status size_gather(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t batch;
    gather *g = gei_arena_new(s->arena, gather);
    if (!g) return gei_out_of_memory(diag, sizeof *g);
    GEI_TRY(read_batch_dims(&i, &batch));
    gei_nd_plan(&g->nd, &s->in[SLOT_X]->shape, &s->in[SLOT_INDICES]->shape, batch);
    g->elem_bytes = gei_moved_bytes(s->in[SLOT_X]->dtype);
    s->sized = g;
    int64_t rows = g->nd.batch * g->nd.rows;
    s->n_parts = gei_parts(rows, g->nd.slice < 4096 ? 4096 / (g->nd.slice + 1) + 1 : 1);
    s->cost = (double)rows * (double)(g->nd.slice + 8);
    return GE_OK;
}

static ge_status run_rows(const gei_run *run, uint32_t part) {
    const gather *g = (const gather *)run->sized;
    size_t bytes = (size_t)g->nd.slice * g->elem_bytes;
    int64_t begin, end, from;
    if (bytes == 0) return GE_OK;
    if (part == 0) GEI_TRY(gei_nd_check(run, &g->nd, SLOT_INDICES));
    gei_part_range(g->nd.batch * g->nd.rows, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        if (!gei_nd_offset(&g->nd, run->in[SLOT_INDICES], row, &from)) return gei_run_fail(run, part, "indices", "out of range");
        memcpy((char *)run->out[0]->data + (size_t)row * bytes, (const char *)run->in[SLOT_X]->data + (size_t)from * g->elem_bytes, bytes);
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X, run_rows); }

static const gei_kernel gather_kernels[] = { { .name = "ref", .size = size_gather, .run = run_ref }, { 0 } };

static ge_status map_gather(gei_import *im, gei_diag *diag) {
    int64_t batch = im->opset >= 12 ? gei_import_int(im, "batch_dims", 0) : 0;
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GatherNd", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_bool(node, "negative_index_support", true, diag));
    if (batch != 0) GEI_TRY(gei_import_set_int(node, "batch_dims", batch, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source gather_sources[] = { { GEI_FROM_ONNX, "GatherND", 11, map_gather, NULL }, { 0 } };

GEI_OP(GatherNd) = { .name = "GatherNd", .infer = infer_gather, .kernels = gather_kernels, .sources = gather_sources,
                     .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_X };
GEI_WIDEN(GatherNd, "x y", "any");
