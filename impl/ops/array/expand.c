/* SPDX-License-Identifier: Apache-2.0 */
/* Expand: x broadcast with a shape, both ways.  BroadcastTo: x broadcast to exactly that shape. */
#include "kernels/strided.h"
#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_X, SLOT_SHAPE };

static ge_status check_sizes(const gei_infer *i) {
    int64_t numbers[GEI_MAX_RANK];
    size_t count;
    gei_words words;
    if (!gei_infer_ints(i, SLOT_SHAPE, numbers, GEI_MAX_RANK, &count)) return GE_OK;
    for (size_t k = 0; k < count; k++)
        if (numbers[k] < 0)
            return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "%s: %lld is no size", gei_ints_words(numbers, count, &words), (long long)numbers[k]);
    return GE_OK;
}

/* The wanted shape, with unknown dims where nothing is known; rank unknown when not even the count is. */
static ge_status wanted_shape(gei_infer *i, gei_shape *out) {
    const gei_shape *shape = &i->in[SLOT_SHAPE]->shape;
    size_t count, minus_one;
    *out = gei_shape_unknown();
    GEI_TRY(gei_infer_rank(i, SLOT_SHAPE, 1, 1));
    if (shape->rank == 1 && gei_dim_known(shape->dims[0])) {
        if (shape->dims[0] > GEI_MAX_RANK)
            return gei_infer_fail(i, GE_ERR_RANK, "shape", "%lld entries, at most %d", (long long)shape->dims[0], GEI_MAX_RANK);
        out->rank = (int32_t)shape->dims[0];
        for (int32_t d = 0; d < out->rank; d++) out->dims[d] = GEI_DIM_UNKNOWN;
    }
    GEI_TRY(check_sizes(i));
    if (gei_infer_dims(i, SLOT_SHAPE, out->dims, GEI_MAX_RANK, &count, &minus_one)) out->rank = (int32_t)count;
    return GE_OK;
}

static ge_status infer_expand(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_shape wanted;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    GEI_TRY(wanted_shape(i, &wanted));
    return gei_infer_broadcast(i, (const gei_shape *[]){ x, &wanted }, 2, &i->out[0].shape);
}

static ge_status infer_broadcast_to(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_shape wanted, both;
    gei_words a, b;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    GEI_TRY(wanted_shape(i, &wanted));
    GEI_TRY(gei_infer_broadcast(i, (const gei_shape *[]){ x, &wanted }, 2, &both));
    if (wanted.rank >= 0 && both.rank >= 0 && (both.rank != wanted.rank || !gei_shape_fits(&both, &wanted)))
        return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "%s cannot be broadcast to %s", gei_shape_words(x, &a), gei_shape_words(&wanted, &b));
    i->out[0].shape = wanted;
    return GE_OK;
}

/* ---- reference kernel ---- */

static ge_status size_expand(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *y = &s->out[0].shape;
    int64_t strides[GEI_MAX_RANK], stride = 1;
    int32_t lead = y->rank - x->rank;
    gei_strided *copy = gei_arena_new(s->arena, gei_strided);
    if (!copy) return gei_out_of_memory(diag, sizeof *copy);
    for (int32_t d = y->rank - 1; d >= 0; d--) {
        int64_t size = d < lead ? 1 : x->dims[d - lead];
        strides[d] = size == 1 ? 0 : stride;
        stride *= size;
    }
    copy->n_elems = 1;
    copy->elem_bytes = gei_moved_bytes(s->in[SLOT_X]->dtype);
    for (int32_t d = 0; d < y->rank; d++) gei_strided_add(copy, y->dims[d], strides[d]);
    gei_strided_merge(copy);
    s->sized = copy;
    s->n_parts = gei_parts(copy->n_elems, 16384);
    s->cost = (double)copy->n_elems;
    return GE_OK;
}

static ge_status run_strided(const gei_run *run, uint32_t part) {
    const gei_strided *copy = (const gei_strided *)run->sized;
    int64_t begin, end;
    gei_part_range(copy->n_elems, run->n_parts, part, &begin, &end);
    gei_strided_copy(copy, run->in[SLOT_X]->data, run->out[0]->data, begin, end);
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X, run_strided); }

static const gei_kernel expand_kernels[] = { { .name = "ref", .size = size_expand, .run = run_ref }, { 0 } };
static const gei_source expand_sources[] = { { GEI_FROM_ONNX, "Expand", 8, NULL, NULL }, { 0 } };

#define TRAITS .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_X, .needs_value = 1u << SLOT_SHAPE
GEI_OP(Expand) = { .name = "Expand", .infer = infer_expand, .kernels = expand_kernels, .sources = expand_sources, TRAITS };
GEI_OP(BroadcastTo) = { .name = "BroadcastTo", .infer = infer_broadcast_to, .kernels = expand_kernels, TRAITS };

GEI_WIDEN(Expand, "x y", "any");
GEI_WIDEN(BroadcastTo, "x y", "any");
