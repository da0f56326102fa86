/* SPDX-License-Identifier: Apache-2.0 */
/* GatherElements: y[i0, i1, ...] = x[.., index[i0, i1, ...], ..] with the index in place `dim`.  Negative indices count from the end. */
#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_X, SLOT_INDEX };

static ge_status infer_gather(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *index = &i->in[SLOT_INDEX]->shape;
    int32_t dtype = i->in[SLOT_INDEX]->dtype, axis, rank = x->rank >= 0 ? x->rank : index->rank;
    gei_words a, b;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    i->out[0].shape = *index;
    if (dtype != GEI_INT32 && dtype != GEI_INT64 && dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_DTYPE, "index", "%s, wanted int32 or int64", gei_dtype_name(dtype));
    if (rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 1, GEI_MAX_RANK));
    GEI_TRY(gei_infer_axis(i, "dim", gei_node_int(i->node, "dim", 0), rank, &axis));
    if (x->rank < 0 || index->rank < 0) return GE_OK;
    bool fits = x->rank == index->rank;
    for (int32_t d = 0; fits && d < rank; d++)
        fits = d == axis || !gei_dim_known(x->dims[d]) || !gei_dim_known(index->dims[d]) || index->dims[d] <= x->dims[d];
    if (fits) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "index", "shape %s does not fit %s", gei_shape_words(index, &a), gei_shape_words(x, &b));
}

/* ---- reference kernel ---- */

typedef struct gather {
    int32_t rank;
    int64_t rows, run;                   /* of the index; the run is its last dim */
    int64_t dims[GEI_MAX_RANK], strides[GEI_MAX_RANK]; /* dims of the index, strides of x with 0 in place of the axis */
    int64_t size, axis_stride, run_stride;
    size_t elem_bytes;
} gather;

static ge_status size_gather(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *index = &s->in[SLOT_INDEX]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t axis;
    gather *g = gei_arena_new(s->arena, gather);
    if (!g) return gei_out_of_memory(diag, sizeof *g);
    GEI_TRY(gei_infer_axis(&i, "dim", gei_node_int(s->node, "dim", 0), x->rank, &axis));
    int64_t stride = 1;
    g->rank = x->rank;
    g->rows = 1;
    for (int32_t d = x->rank - 1; d >= 0; d--) {
        g->dims[d] = index->dims[d];
        g->strides[d] = d == axis ? 0 : stride;
        if (d == axis) g->axis_stride = stride;
        stride *= x->dims[d];
        if (d < x->rank - 1) g->rows *= index->dims[d];
    }
    g->size = x->dims[axis];
    g->run = index->dims[x->rank - 1];
    g->run_stride = g->strides[x->rank - 1];
    g->elem_bytes = gei_moved_bytes(s->in[SLOT_X]->dtype);
    s->sized = g;
    s->n_parts = gei_parts(g->rows, g->run < 8192 ? 8192 / (g->run + 1) + 1 : 1);
    s->cost = 4.0 * (double)g->rows * (double)g->run;
    return GE_OK;
}

static int64_t index_at(const gei_view *index, int64_t at) {
    return index->dtype == GEI_INT64 ? ((const int64_t *)index->data)[at] : ((const int32_t *)index->data)[at];
}

static ge_status check_all(const gei_run *run, const gather *g) {
    const gei_view *index = run->in[SLOT_INDEX];
    for (int64_t k = 0; k < index->n_elems; k++) {
        int64_t at = index_at(index, k);
        if (at < -g->size || at >= g->size)
            return gei_run_fail(run, 0, "index", "%lld at %lld is out of range for size %lld", (long long)at, (long long)k, (long long)g->size);
    }
    return GE_OK;
}

typedef struct pair { /* complex128 */
    uint64_t low, high;
} pair;

#define TAKE(T) ((T *)y)[to] = ((const T *)x)[from]

static ge_status run_rows(const gei_run *run, uint32_t part) {
    const gather *g = (const gather *)run->sized;
    const void *x = run->in[SLOT_X]->data;
    void *y = run->out[0]->data;
    int64_t begin, end;
    if (part == 0) GEI_TRY(check_all(run, g));
    gei_part_range(g->rows, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        int64_t base = 0, rest = row;
        for (int32_t d = g->rank - 2; d >= 0; d--) {
            base += rest % g->dims[d] * g->strides[d];
            rest /= g->dims[d];
        }
        for (int64_t k = 0; k < g->run; k++) {
            int64_t to = row * g->run + k, at = index_at(run->in[SLOT_INDEX], to);
            if (at < 0) at += g->size;
            if (at < 0 || at >= g->size) return gei_run_fail(run, part, "index", "out of range");
            int64_t from = base + at * g->axis_stride + k * g->run_stride;
            switch (g->elem_bytes) {
            case 1: TAKE(uint8_t); break;
            case 2: TAKE(uint16_t); break;
            case 4: TAKE(uint32_t); break;
            case 8: TAKE(uint64_t); break;
            default: TAKE(pair); break;
            }
        }
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X, run_rows); }

static const gei_kernel gather_kernels[] = { { .name = "ref", .size = size_gather, .run = run_ref }, { 0 } };
static const gei_attr_map gather_attrs[] = { { "axis", "dim", "0" }, { NULL, NULL, NULL } };
static const gei_source gather_sources[] = { { GEI_FROM_ONNX, "GatherElements", 11, NULL, gather_attrs }, { 0 } };

GEI_OP(GatherElements) = { .name = "GatherElements", .infer = infer_gather, .kernels = gather_kernels, .sources = gather_sources,
                           .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_X };
GEI_WIDEN(GatherElements, "x y", "any");
