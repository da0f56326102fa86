/* SPDX-License-Identifier: Apache-2.0 */
/* Transpose (input perm), TransposeD (attribute perm; an empty one, ours, reverses the dims). */
#include "kernels/strided.h"
#include "ops/import.h"
#include "ops/moves.h"

/* A permutation of 0 .. count - 1; negative entries count from the end. */
static ge_status check_perm(const gei_infer *i, const int64_t *perm, size_t count, int32_t *out) {
    uint32_t mask;
    GEI_TRY(gei_infer_axes(i, "perm", perm, count, (int32_t)count, &mask));
    for (size_t k = 0; k < count; k++) out[k] = (int32_t)(perm[k] < 0 ? perm[k] + (int64_t)count : perm[k]);
    return GE_OK;
}

static ge_status set_shape(gei_infer *i, const int64_t *perm, size_t count) {
    const gei_shape *x = &i->in[0]->shape;
    int32_t order[GEI_MAX_RANK];
    if (x->rank < 0 && count == 0) return GE_OK;
    if (x->rank >= 0 && count != (size_t)x->rank) {
        gei_words words;
        return gei_infer_fail(i, GE_ERR_SHAPE, "perm", "%s has %zu entries for rank %d", gei_ints_words(perm, count, &words),
                              count, (int)x->rank);
    }
    GEI_TRY(check_perm(i, perm, count, order));
    gei_shape y = { .rank = (int32_t)count };
    for (size_t k = 0; k < count; k++) y.dims[k] = x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[order[k]];
    i->out[0].shape = y;
    return GE_OK;
}

static ge_status infer_transpose(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    int64_t perm[GEI_MAX_RANK];
    size_t count;
    i->out[0].dtype = i->in[0]->dtype;
    GEI_TRY(gei_infer_rank(i, 1, 1, 1));
    if (gei_infer_ints(i, 1, perm, GEI_MAX_RANK, &count)) return set_shape(i, perm, count);
    if (x->rank < 0) return GE_OK;
    i->out[0].shape.rank = x->rank;
    for (int32_t d = 0; d < x->rank; d++) i->out[0].shape.dims[d] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

/* The attribute, or rank - 1 .. 0. */
static gei_int_list perm_attr(const gei_node *node, int32_t rank) {
    static const int64_t down[] = { 7, 6, 5, 4, 3, 2, 1, 0 };
    gei_int_list perm = gei_node_ints(node, "perm");
    if (perm.count == 0 && rank > 0) perm = (gei_int_list){ down + GEI_MAX_RANK - rank, (size_t)rank };
    return perm;
}

static ge_status infer_transpose_d(gei_infer *i) {
    gei_int_list perm = perm_attr(i->node, i->in[0]->shape.rank);
    i->out[0].dtype = i->in[0]->dtype;
    if (perm.count > GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_RANK, "perm", "%zu entries, at most %d", perm.count, GEI_MAX_RANK);
    return set_shape(i, perm.data, perm.count);
}

/* ---- reference kernel ---- */

static ge_status size_transpose(gei_sizing *s, const int64_t *perm, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    int64_t strides[GEI_MAX_RANK], stride = 1;
    gei_strided *copy = gei_arena_new(s->arena, gei_strided);
    if (!copy) return gei_out_of_memory(diag, sizeof *copy);
    for (int32_t d = x->rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= x->dims[d];
    }
    copy->n_elems = 1;
    copy->elem_bytes = gei_moved_bytes(s->in[0]->dtype);
    for (int32_t d = 0; d < x->rank; d++) {
        int64_t from = perm[d] < 0 ? perm[d] + x->rank : perm[d];
        gei_strided_add(copy, x->dims[from], strides[from]);
    }
    gei_strided_merge(copy);
    s->sized = copy;
    s->n_parts = gei_parts(copy->n_elems, 16384);
    s->cost = (double)copy->n_elems;
    return GE_OK;
}

static ge_status size_input(gei_sizing *s, gei_diag *diag) {
    int64_t perm[GEI_MAX_RANK];
    size_t count;
    GEI_TRY(gei_sizing_ints(s, 1, perm, GEI_MAX_RANK, &count, diag));
    return size_transpose(s, perm, diag);
}

static ge_status size_attr(gei_sizing *s, gei_diag *diag) { return size_transpose(s, perm_attr(s->node, s->in[0]->shape.rank).data, diag); }

static ge_status run_strided(const gei_run *run, uint32_t part) {
    const gei_strided *copy = (const gei_strided *)run->sized;
    int64_t begin, end;
    gei_part_range(copy->n_elems, run->n_parts, part, &begin, &end);
    gei_strided_copy(copy, run->in[0]->data, run->out[0]->data, begin, end);
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1, run_strided); }

static const gei_kernel input_kernels[] = { { .name = "ref", .size = size_input, .run = run_ref }, { 0 } };
static const gei_kernel attr_kernels[] = { { .name = "ref", .size = size_attr, .run = run_ref }, { 0 } };

/* ---- ONNX: without perm the dims are reversed ---- */

static ge_status map_transpose(gei_import *im, gei_diag *diag) {
    gei_value inputs[2] = { gei_import_input(im, 0), { NULL, 0 } };
    gei_int_list perm = gei_import_ints(im, "perm");
    gei_node *node;
    if (perm.count == 0) {
        GEI_TRY(gei_import_node(im, "TransposeD", inputs, 1, &node, diag));
    } else {
        GEI_TRY(gei_import_const_i32(im, perm.data, perm.count, false, &inputs[1], diag));
        GEI_TRY(gei_import_node(im, "Transpose", inputs, 2, &node, diag));
    }
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source transpose_sources[] = { { GEI_FROM_ONNX, "Transpose", 1, map_transpose, NULL }, { 0 } };

GEI_OP(Transpose) = { .name = "Transpose", .infer = infer_transpose, .kernels = input_kernels, .sources = transpose_sources,
                      .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1, .needs_value = 2 };
GEI_OP(TransposeD) = { .name = "TransposeD", .infer = infer_transpose_d, .kernels = attr_kernels,
                       .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1 };

GEI_WIDEN(Transpose, "x y", "any");
GEI_WIDEN(TransposeD, "*", "any");
