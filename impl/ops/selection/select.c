/* SPDX-License-Identifier: Apache-2.0 */
/* SelectV2: result is `then` where condition holds, else `else`; all three broadcast.  Select: no broadcasting, but a vector as
 * condition picks whole rows. */
#include <string.h>

#include "kernels/broadcast.h"
#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_CONDITION, SLOT_THEN, SLOT_ELSE };

static ge_status check_types(const gei_infer *i) {
    int32_t condition = i->in[SLOT_CONDITION]->dtype;
    if (condition != GEI_BOOL && condition != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_DTYPE, "condition", "%s, wanted bool", gei_dtype_name(condition));
    return gei_infer_same_dtype(i, SLOT_THEN, 2, &i->out[0].dtype);
}

static ge_status infer_select_v2(gei_infer *i) {
    const gei_shape *shapes[3] = { &i->in[0]->shape, &i->in[1]->shape, &i->in[2]->shape };
    GEI_TRY(check_types(i));
    return gei_infer_broadcast(i, shapes, 3, &i->out[0].shape);
}

/* ---- running: three inputs by broadcast runs ---- */

static ge_status plan_of(gei_sizing *s, const gei_shape *condition, gei_diag *diag) {
    const gei_shape *out = &s->out[0].shape;
    gei_broadcast *plan = gei_arena_new(s->arena, gei_broadcast);
    if (!plan) return gei_out_of_memory(diag, sizeof *plan);
    gei_broadcast_plan(plan, out->rank, out->dims);
    gei_broadcast_add(plan, out->rank, out->dims, condition->rank, condition->dims);
    for (uint32_t k = SLOT_THEN; k <= SLOT_ELSE; k++) gei_broadcast_add(plan, out->rank, out->dims, s->in[k]->shape.rank, s->in[k]->shape.dims);
    gei_broadcast_merge(plan);
    s->sized = plan;
    s->n_parts = gei_parts(plan->n_elems, 16384);
    s->cost = (double)plan->n_elems;
    return GE_OK;
}

static ge_status size_select_v2(gei_sizing *s, gei_diag *diag) { return plan_of(s, &s->in[SLOT_CONDITION]->shape, diag); }

typedef struct bytes16 {
    uint64_t half[2];
} bytes16;

#define PICK(T)                                                                                                                 \
    static void pick_##T(const uint8_t *c, int64_t c_step, const void *a_, int64_t a_step, const void *b_, int64_t b_step,      \
                         void *y_, int64_t n) {                                                                                 \
        const T *a = (const T *)a_, *b = (const T *)b_;                                                                         \
        T *y = (T *)y_;                                                                                                         \
        for (int64_t k = 0; k < n; k++) y[k] = c[k * c_step] ? a[k * a_step] : b[k * b_step];                                   \
    }
PICK(uint8_t)
PICK(uint16_t)
PICK(uint32_t)
PICK(uint64_t)
PICK(bytes16)

static void pick(size_t bytes, const uint8_t *c, int64_t c_step, const void *a, int64_t a_step, const void *b, int64_t b_step, void *y, int64_t n) {
    switch (bytes) {
    case 1: pick_uint8_t(c, c_step, a, a_step, b, b_step, y, n); break;
    case 2: pick_uint16_t(c, c_step, a, a_step, b, b_step, y, n); break;
    case 4: pick_uint32_t(c, c_step, a, a_step, b, b_step, y, n); break;
    case 8: pick_uint64_t(c, c_step, a, a_step, b, b_step, y, n); break;
    default: pick_bytes16(c, c_step, a, a_step, b, b_step, y, n); break;
    }
}

static ge_status run_bytes(const gei_run *run, uint32_t part) {
    const gei_broadcast *plan = (const gei_broadcast *)run->sized;
    size_t bytes = gei_moved_bytes(run->out[0]->dtype);
    const uint8_t *condition = (const uint8_t *)run->in[SLOT_CONDITION]->data;
    const char *a = (const char *)run->in[SLOT_THEN]->data, *b = (const char *)run->in[SLOT_ELSE]->data;
    int64_t begin, end, step[3];
    gei_broadcast_walk w;
    for (int k = 0; k < 3; k++) step[k] = gei_broadcast_step(plan, k);
    gei_part_range(plan->n_elems, run->n_parts, part, &begin, &end);
    for (bool more = gei_broadcast_first(&w, plan, begin, end); more; more = gei_broadcast_next(&w))
        pick(bytes, condition + w.offset[0], step[0], a + (size_t)w.offset[1] * bytes, step[1], b + (size_t)w.offset[2] * bytes, step[2],
             (char *)run->out[0]->data + (size_t)w.at * bytes, w.run);
    return GE_OK;
}

static ge_status run_select(const gei_run *run, uint32_t part) {
    return gei_run_moved(run, part, 1u << SLOT_THEN | 1u << SLOT_ELSE, run_bytes);
}

#define SELECT_TRAITS (GEI_OP_PURE | GEI_OP_ELEMENTWISE | GEI_OP_MOVES)
#define IN_PLACE (1u << SLOT_THEN | 1u << SLOT_ELSE)

static const gei_kernel select_v2_kernels[] = { { .name = "ref", .size = size_select_v2, .run = run_select, .in_place = IN_PLACE }, { 0 } };
static const gei_source select_v2_sources[] = { { GEI_FROM_ONNX, "Where", 9, NULL, NULL }, { 0 } };

GEI_OP(SelectV2) = { .name = "SelectV2", .infer = infer_select_v2, .kernels = select_v2_kernels, .sources = select_v2_sources,
                     .traits = SELECT_TRAITS, .moved = IN_PLACE };
GEI_WIDEN(SelectV2, "then else result", "any");

/* ---- Select ---- */

static ge_status infer_select(gei_infer *i) {
    const gei_shape *condition = &i->in[SLOT_CONDITION]->shape, *x1 = &i->in[SLOT_THEN]->shape, *x2 = &i->in[SLOT_ELSE]->shape;
    gei_words a, b;
    GEI_TRY(check_types(i));
    i->out[0].shape = gei_shape_known(x1) ? *x1 : *x2;
    if (!gei_shape_fits(x1, x2))
        return gei_infer_fail(i, GE_ERR_SHAPE, "x2", "shape %s, but x1 has %s", gei_shape_words(x2, &b), gei_shape_words(x1, &a));
    if (gei_shape_fits(condition, x1) || condition->rank == 0 ||
        (condition->rank == 1 && x1->rank > 0 &&
         (condition->dims[0] == x1->dims[0] || !gei_dim_known(condition->dims[0]) || !gei_dim_known(x1->dims[0]))))
        return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "condition", "shape %s fits neither x1 %s nor its rows", gei_shape_words(condition, &b), gei_shape_words(x1, &a));
}

static ge_status size_select(gei_sizing *s, gei_diag *diag) {
    gei_shape condition = s->in[SLOT_CONDITION]->shape;
    int32_t rank = s->out[0].shape.rank;
    if (condition.rank == 1 && rank > 1) {
        for (int32_t d = 1; d < rank; d++) condition.dims[d] = 1;
        condition.rank = rank;
    }
    return plan_of(s, &condition, diag);
}

static const gei_kernel select_kernels[] = { { .name = "ref", .size = size_select, .run = run_select, .in_place = IN_PLACE }, { 0 } };

GEI_OP(Select) = { .name = "Select", .infer = infer_select, .kernels = select_kernels, .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = IN_PLACE };
GEI_WIDEN(Select, "x1 x2 y", "any");
