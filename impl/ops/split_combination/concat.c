/* SPDX-License-Identifier: Apache-2.0 */
/* ConcatD (attribute concat_dim), ConcatV2 (input concat_dim, behind the values). */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"

/* Adds input k to the shape so far. */
static ge_status add_shape(const gei_infer *i, uint32_t k, int32_t axis, gei_shape *y) {
    const gei_shape *x = &i->in[k]->shape;
    gei_words a, b;
    if (x->rank != y->rank)
        return gei_infer_fail(i, GE_ERR_RANK, "x", "input %u has shape %s, the ones before it %s", k, gei_shape_words(x, &a),
                              gei_shape_words(y, &b));
    for (int32_t d = 0; d < y->rank; d++) {
        if (d == axis) continue;
        if (!gei_dim_known(y->dims[d])) {
            if (gei_dim_known(x->dims[d]) || y->dims[d] == GEI_DIM_UNKNOWN) y->dims[d] = x->dims[d];
        } else if (gei_dim_known(x->dims[d]) && x->dims[d] != y->dims[d]) {
            return gei_infer_fail(i, GE_ERR_SHAPE, "x",
                                  "input %u has shape %s, it differs from %s in axis %d, the values are joined along axis %d", k,
                                  gei_shape_words(x, &a), gei_shape_words(y, &b), (int)d, (int)axis);
        }
    }
    if (axis >= 0) y->dims[axis] = gei_dim_plus(y->dims[axis], x->dims[axis]);
    return GE_OK;
}

/* `axis` known or not. */
static ge_status infer_concat(gei_infer *i, uint32_t n, bool has_axis, int64_t axis) {
    int32_t at = 0;
    if (n == 0) return gei_infer_fail(i, GE_ERR_BAD_GRAPH, "x", "there is nothing to join");
    GEI_TRY(gei_infer_same_dtype(i, 0, n, &i->out[0].dtype));
    gei_shape y = gei_shape_unknown();
    bool all_ranks = true;
    for (uint32_t k = 0; k < n; k++) {
        if (i->in[k]->shape.rank < 0) all_ranks = false;
        else if (y.rank < 0) y = i->in[k]->shape;
    }
    if (y.rank < 0) return GE_OK;
    if (y.rank == 0) return gei_infer_fail(i, GE_ERR_RANK, "x", "scalars cannot be joined");
    if (has_axis) GEI_TRY(gei_infer_axis(i, "concat_dim", axis, y.rank, &at));
    for (uint32_t k = 1; all_ranks && has_axis && k < n; k++) GEI_TRY(add_shape(i, k, at, &y));
    for (int32_t d = 0; (!all_ranks || !has_axis) && d < y.rank; d++) y.dims[d] = GEI_DIM_UNKNOWN;
    i->out[0].shape = y;
    return GE_OK;
}

static ge_status infer_concat_d(gei_infer *i) { return infer_concat(i, i->n_in, true, gei_node_int(i->node, "concat_dim", 0)); }

static ge_status infer_concat_v2(gei_infer *i) {
    int64_t axis = 0;
    size_t count;
    bool has_axis = gei_infer_ints(i, i->n_in - 1, &axis, 1, &count) && count == 1;
    return infer_concat(i, i->n_in - 1, has_axis, axis);
}

/* ---- reference kernel: pieces of the inputs in turn; ConcatV2 has the axis in its last slot, which no piece reads ---- */

typedef struct concat {
    uint32_t n;           /* inputs */
    int64_t outer;        /* product of dims before the axis */
    const int64_t *piece; /* elements of each input behind one outer index */
    const int64_t *place; /* where its piece goes, in elements behind y's outer index */
    int64_t row;          /* elements of y behind one outer index */
    size_t elem_bytes;
} concat;

static ge_status size_concat(gei_sizing *s, uint32_t n, int64_t axis, gei_diag *diag) {
    const gei_shape *y = &s->out[0].shape;
    int32_t at = (int32_t)(axis < 0 ? axis + y->rank : axis);
    concat *c = gei_arena_new(s->arena, concat);
    int64_t *piece = gei_arena_array(s->arena, int64_t, 2 * (size_t)n);
    if (!c || !piece) return gei_out_of_memory(diag, sizeof *c);
    *c = (concat){ .n = n, .outer = 1, .piece = piece, .place = piece + n, .elem_bytes = gei_moved_bytes(s->out[0].dtype) };
    for (int32_t d = 0; d < at; d++) c->outer *= y->dims[d];
    for (uint32_t k = 0; k < n; k++) {
        piece[k] = 1;
        for (int32_t d = at; d < y->rank; d++) piece[k] *= s->in[k]->shape.dims[d];
        piece[n + k] = c->row;
        c->row += piece[k];
    }
    s->sized = c;
    s->n_parts = gei_parts(c->outer * n, c->row / n < 16384 ? 16384 / (c->row / n + 1) + 1 : 1);
    s->cost = (double)c->outer * (double)c->row;
    return GE_OK;
}

static ge_status size_d(gei_sizing *s, gei_diag *diag) { return size_concat(s, s->n_in, gei_node_int(s->node, "concat_dim", 0), diag); }

static ge_status size_v2(gei_sizing *s, gei_diag *diag) {
    int64_t axis;
    size_t count;
    GEI_TRY(gei_sizing_ints(s, s->n_in - 1, &axis, 1, &count, diag));
    return size_concat(s, s->n_in - 1, axis, diag);
}

static ge_status run_pieces(const gei_run *run, uint32_t part) {
    const concat *c = (const concat *)run->sized;
    int64_t begin, end, bytes = (int64_t)c->elem_bytes;
    gei_part_range(c->outer * c->n, run->n_parts, part, &begin, &end);
    for (int64_t p = begin; p < end; p++) {
        int64_t outer = p / c->n, k = p % c->n;
        if (c->piece[k] == 0) continue;
        memcpy((char *)run->out[0]->data + (outer * c->row + c->place[k]) * bytes,
               (const char *)run->in[k]->data + outer * c->piece[k] * bytes, (size_t)(c->piece[k] * bytes));
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, UINT32_MAX, run_pieces); }

static const gei_kernel d_kernels[] = { { .name = "ref", .size = size_d, .run = run_ref }, { 0 } };
static const gei_kernel v2_kernels[] = { { .name = "ref", .size = size_v2, .run = run_ref }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_concat(gei_import *im, gei_diag *diag) {
    gei_node *node;
    if (!gei_import_has_attr(im, "axis") && im->opset >= 4) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute axis is missing");
    if (im->n_inputs == 1) { /* Ascend IR joins two and more */
        GEI_TRY(gei_import_node(im, "Identity", im->inputs, 1, &node, diag));
        gei_import_set_output(im, 0, gei_value_of(node, 0));
        return GE_OK;
    }
    GEI_TRY(gei_import_node_dynamic(im, "ConcatD", im->inputs, im->n_inputs, &im->n_inputs, NULL, &node, diag));
    GEI_TRY(gei_import_set_int(node, "concat_dim", gei_import_int(im, "axis", 1), diag));
    GEI_TRY(gei_import_set_int(node, "N", im->n_inputs, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source concat_sources[] = { { GEI_FROM_ONNX, "Concat", 1, map_concat, NULL }, { 0 } };

/* Joined blocks are the joined channels in blocks. */
static bool joins_channels(const gei_node *node) { return gei_node_int(node, "concat_dim", 0) == 1; }

GEI_OP(ConcatD) = { .name = "ConcatD", .infer = infer_concat_d, .kernels = d_kernels, .sources = concat_sources,
                    .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1, .joins_channels = joins_channels };
GEI_OP(ConcatV2) = { .name = "ConcatV2", .infer = infer_concat_v2, .kernels = v2_kernels, .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1,
                     .needs_value = 2 };

GEI_WIDEN(ConcatD, "*", "any");
GEI_WIDEN(ConcatV2, "x y", "any");
