/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, whose contents live in a state, and what changes them in place.  The plan gives every output here the memory of the
 * variable (or of the RefData input) that slot 0 leads to. */
#include <string.h>

#include "ops/elementwise.h"

#define COPY_GRAIN_BYTES ((int64_t)1 << 20)

/* ---- Variable ---- */

static ge_status infer_variable(gei_infer *i) {
    const gei_out *out = &i->node->outs[0];
    gei_shape shape = gei_out_shape(out);
    gei_words words;
    i->out[0].dtype = out->dtype;
    i->out[0].shape = shape;
    if (!gei_shape_known(&shape))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED, NULL, "shape %s: a variable keeps its shape, so every dim must be known", gei_shape_words(&shape, &words));
    if (out->dtype == GEI_UNDEFINED || gei_dtype_get(out->dtype)->bits == 0 || out->dtype == GEI_STRING)
        return gei_infer_fail(i, GE_ERR_DTYPE, NULL, "a variable of type %s", gei_dtype_name(out->dtype));
    return GE_OK;
}

GEI_OP(Variable) = { .name = "Variable", .infer = infer_variable, .traits = GEI_OP_STATEFUL | GEI_OP_VARIABLE };
GEI_WIDEN(Variable, "*", "any");

/* ---- Assign, AssignAdd, AssignSub ---- */

/* Output: what slot 0 is, which the value must fit exactly. */
static ge_status infer_assign(gei_infer *i) {
    const gei_info *ref = gei_infer_in(i, 0), *value = gei_infer_in(i, 1);
    gei_words found, wanted;
    int32_t dtype;
    GEI_TRY(gei_infer_same_dtype(i, 0, 2, &dtype));
    i->out[0].dtype = dtype;
    i->out[0].shape = ref->shape;
    if (gei_shape_fits(&ref->shape, &value->shape)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, 1), "shape %s does not fit %s", gei_shape_words(&value->shape, &found),
                          gei_shape_words(&ref->shape, &wanted));
}

static ge_status size_assign(gei_sizing *s, gei_diag *diag) {
    int64_t n = 0;
    size_t bytes = 0;
    (void)diag;
    if (gei_shape_elems(&s->out[0].shape, &n)) (void)gei_dtype_bytes(s->out[0].dtype, (uint64_t)n, &bytes);
    s->n_parts = gei_parts((int64_t)bytes, COPY_GRAIN_BYTES);
    s->cost = (double)bytes;
    return GE_OK;
}

static ge_status run_assign(const gei_run *run, uint32_t part) {
    const gei_view *from = run->in[1], *to = run->out[0];
    size_t bytes;
    int64_t begin, end;
    if (from->n_elems != to->n_elems) return gei_run_fail(run, part, "value", "it has %lld elements, not %lld", (long long)from->n_elems, (long long)to->n_elems);
    if (!gei_dtype_bytes(to->dtype, (uint64_t)to->n_elems, &bytes) || bytes == 0 || from->data == to->data) return GE_OK;
    gei_part_range((int64_t)bytes, run->n_parts, part, &begin, &end);
    memcpy((char *)to->data + begin, (const char *)from->data + begin, (size_t)(end - begin));
    return GE_OK;
}

static const gei_kernel assign_kernels[] = { { .name = "ref", .size = size_assign, .run = run_assign }, { 0 } };

GEI_OP(Assign) = { .name = "Assign", .infer = infer_assign, .kernels = assign_kernels,
                   .traits = GEI_OP_STATEFUL | GEI_OP_WRITES | GEI_OP_SETS };
GEI_WIDEN(Assign, "*", "any");

#define GEI_OP_ASSIGN(Name, expr)                                                                                                 \
    GEI_FLOAT_LOOPS(GEI_BINARY_LOOP, Name, expr)                                                                                  \
    GEI_WRAPPING_LOOPS(GEI_BINARY_LOOP, Name, expr)                                                                               \
    GEI_COMPLEX_LOOPS(GEI_BINARY_LOOP, Name, expr)                                                                                \
    static const gei_binary Name##_binary = { .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name), GEI_COMPLEX_LANES(Name) },   \
                                              .to = GEI_UNDEFINED };                                                              \
    static ge_status Name##_infer(gei_infer *i) {                                                                                 \
        gei_lane lane = gei_lane_of(i->in[0]->dtype);                                                                             \
        if (lane == GEI_LANE_NONE || !Name##_binary.loops[lane])                                                                  \
            return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, 0), "%s", gei_dtype_name(i->in[0]->dtype));      \
        return infer_assign(i);                                                                                                   \
    }                                                                                                                             \
    static ge_status Name##_ref(const gei_run *run, uint32_t part) { return gei_run_binary(run, part, &Name##_binary); }          \
    static const gei_kernel Name##_kernels[] = { { .name = "ref", .size = gei_size_broadcast, .run = Name##_ref }, { 0 } };       \
    GEI_OP(Name) = { .name = #Name, .infer = Name##_infer, .kernels = Name##_kernels, .traits = GEI_OP_STATEFUL | GEI_OP_WRITES }
GEI_WIDEN_FAMILY(ASSIGN, "*", "number");

GEI_OP_ASSIGN(AssignAdd, a + b);
GEI_OP_ASSIGN(AssignSub, a - b);
