/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a tensor in which the slices that rows of indices address are combined with updates, in their order.
 *   TensorScatterUpdate, TensorScatterAdd, -Sub, -Max, -Min;  GeScatterNd with attribute reduction: none add mul max min
 * Negative indices count from the end. */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"
#include "ops/selection/nd.h"
#include "ops/selection/scatter.h"

enum { SLOT_X, SLOT_INDICES, SLOT_UPDATES };

static ge_status infer_scatter(gei_infer *i, gei_combine how) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *indices = &i->in[SLOT_INDICES]->shape, *updates = &i->in[SLOT_UPDATES]->shape;
    gei_shape slice;
    gei_words a, b;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    i->out[0].shape = *x;
    GEI_TRY(gei_check_combine(i, SLOT_X, SLOT_UPDATES, how));
    GEI_TRY(gei_nd_infer(i, SLOT_X, SLOT_INDICES, 0, &slice));
    if (slice.rank < 0) return GE_OK;
    gei_shape wanted = gei_shape_of(indices->rank - 1, indices->dims);
    bool fits = wanted.rank + slice.rank <= GEI_MAX_RANK;
    for (int32_t d = 0; fits && d < slice.rank; d++) wanted.dims[wanted.rank++] = slice.dims[d];
    if (fits && gei_shape_fits(&wanted, updates)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "updates", "shape %s, wanted %s", gei_shape_words(updates, &a), gei_shape_words(&wanted, &b));
}

typedef struct scatter {
    gei_nd nd;
    gei_combine how;
    size_t elem_bytes;
} scatter;

static ge_status size_scatter(gei_sizing *s, gei_combine how, gei_diag *diag) {
    scatter *c = gei_arena_new(s->arena, scatter);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    gei_nd_plan(&c->nd, &s->in[SLOT_X]->shape, &s->in[SLOT_INDICES]->shape, 0);
    c->how = how;
    c->elem_bytes = gei_moved_bytes(s->in[SLOT_X]->dtype);
    s->sized = c;
    s->cost = (double)c->nd.batch_elems + (double)c->nd.rows * (double)(c->nd.slice + 8);
    return GE_OK;
}

/* One part, since places may repeat. */
static ge_status run_all(const gei_run *run, uint32_t part) {
    const scatter *c = (const scatter *)run->sized;
    gei_view *y = run->out[0];
    gei_combine_fn combine = gei_combine_function(y->dtype);
    size_t bytes = (size_t)c->nd.slice * c->elem_bytes;
    int64_t to = 0;
    (void)part;
    GEI_TRY(gei_nd_check(run, &c->nd, SLOT_INDICES));
    if (y->data != run->in[SLOT_X]->data && y->n_elems > 0) memcpy(y->data, run->in[SLOT_X]->data, (size_t)y->n_elems * c->elem_bytes);
    for (int64_t row = 0; row < c->nd.rows && bytes > 0; row++) {
        if (!gei_nd_offset(&c->nd, run->in[SLOT_INDICES], row, &to)) return gei_run_fail(run, 0, "indices", "out of range");
        char *place = (char *)y->data + (size_t)to * c->elem_bytes;
        const char *update = (const char *)run->in[SLOT_UPDATES]->data + (size_t)row * bytes;
        if (c->how == GEI_COMBINE_NONE) memcpy(place, update, bytes);
        else combine(c->how, place, update, c->nd.slice);
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X | 1u << SLOT_UPDATES, run_all); }

#define SCATTER(form, HOW)                                                                                                       \
    static ge_status infer_##form(gei_infer *i) { return infer_scatter(i, HOW); }                                                \
    static ge_status size_##form(gei_sizing *s, gei_diag *diag) { return size_scatter(s, HOW, diag); }                           \
    static const gei_kernel form##_kernels[] = { { .name = "ref", .size = size_##form, .run = run_ref, .in_place = 1u << SLOT_X }, { 0 } };
SCATTER(update, GEI_COMBINE_NONE)
SCATTER(add, GEI_COMBINE_ADD)
SCATTER(sub, GEI_COMBINE_SUB)
SCATTER(max, GEI_COMBINE_MAX)
SCATTER(min, GEI_COMBINE_MIN)

static ge_status infer_any(gei_infer *i) {
    gei_combine how;
    GEI_TRY(gei_read_reduction(i, &how));
    return infer_scatter(i, how);
}

static ge_status size_any(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    gei_combine how;
    GEI_TRY(gei_read_reduction(&i, &how));
    return size_scatter(s, how, diag);
}

static const gei_kernel any_kernels[] = { { .name = "ref", .size = size_any, .run = run_ref, .in_place = 1u << SLOT_X }, { 0 } };

static ge_status map_scatter(gei_import *im, gei_diag *diag) {
    const char *reduction = im->opset >= 16 ? gei_import_text(im, "reduction", "none") : "none";
    bool plain = strcmp(reduction, "none") == 0;
    gei_node *node;
    GEI_TRY(gei_import_node(im, plain ? "TensorScatterUpdate" : "GeScatterNd", im->inputs, im->n_inputs, &node, diag));
    if (!plain) GEI_TRY(gei_import_set_text(node, "reduction", reduction, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source update_sources[] = { { GEI_FROM_ONNX, "ScatterND", 11, map_scatter, NULL }, { 0 } };

GEI_OP(TensorScatterUpdate) = { .name = "TensorScatterUpdate", .infer = infer_update, .kernels = update_kernels, .sources = update_sources,
                                .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_X | 1u << SLOT_UPDATES };
GEI_OP(TensorScatterAdd) = { .name = "TensorScatterAdd", .infer = infer_add, .kernels = add_kernels, .traits = GEI_OP_PURE };
GEI_OP(TensorScatterSub) = { .name = "TensorScatterSub", .infer = infer_sub, .kernels = sub_kernels, .traits = GEI_OP_PURE };
GEI_OP(TensorScatterMax) = { .name = "TensorScatterMax", .infer = infer_max, .kernels = max_kernels, .traits = GEI_OP_PURE };
GEI_OP(TensorScatterMin) = { .name = "TensorScatterMin", .infer = infer_min, .kernels = min_kernels, .traits = GEI_OP_PURE };
GEI_OP(GeScatterNd) = { .name = "GeScatterNd", .infer = infer_any, .kernels = any_kernels, .traits = GEI_OP_PURE };

GEI_WIDEN(TensorScatterUpdate, "x updates y", "any");
GEI_WIDEN(TensorScatterAdd, "x updates y", "real");
GEI_WIDEN(TensorScatterSub, "x updates y", "real");
GEI_WIDEN(TensorScatterMax, "input updates output", "real");
GEI_WIDEN(TensorScatterMin, "input updates output", "real");
