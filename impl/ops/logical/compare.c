/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons: bool from two equal types.  NaN is unequal to everything; texts compare as bytes, for equality only. */
#include <string.h>

#include "ops/elementwise.h"
#include "ops/texts.h"

#define ORDER_LOOPS(Name, op)                                       \
    GEI_BINARY_LOOP(Name##_f32, float, float, uint8_t, a op b)      \
    GEI_BINARY_LOOP(Name##_f64, double, double, uint8_t, a op b)    \
    GEI_BINARY_LOOP(Name##_i8, int8_t, int8_t, uint8_t, a op b)     \
    GEI_BINARY_LOOP(Name##_i16, int16_t, int16_t, uint8_t, a op b)  \
    GEI_BINARY_LOOP(Name##_i32, int32_t, int32_t, uint8_t, a op b)  \
    GEI_BINARY_LOOP(Name##_i64, int64_t, int64_t, uint8_t, a op b)  \
    GEI_BINARY_LOOP(Name##_u8, uint8_t, uint8_t, uint8_t, a op b)   \
    GEI_BINARY_LOOP(Name##_u16, uint16_t, uint16_t, uint8_t, a op b) \
    GEI_BINARY_LOOP(Name##_u32, uint32_t, uint32_t, uint8_t, a op b) \
    GEI_BINARY_LOOP(Name##_u64, uint64_t, uint64_t, uint8_t, a op b)

#define GEI_OP_ORDER(Name, op, ...)                                                                                        \
    ORDER_LOOPS(Name, op)                                                                                                  \
    static const gei_binary Name##_binary = { .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name) }, .to = GEI_BOOL };   \
    GEI_OP_BINARY_TABLE(Name, 0, NULL, __VA_ARGS__)
GEI_WIDEN_FAMILY(ORDER, "x1 x2", "real");

GEI_OP_ORDER(Greater, >, GEI_ONNX_AXIS("Greater"));
GEI_OP_ORDER(Less, <, GEI_ONNX_AXIS("Less"));
GEI_OP_ORDER(GreaterEqual, >=, GEI_ONNX("GreaterOrEqual", 12));
GEI_OP_ORDER(LessEqual, <=, GEI_ONNX("LessOrEqual", 12));

/* ---- Equal, NotEqual: bools, complex numbers and texts too ---- */

static ge_status infer_equality(gei_infer *i, const gei_binary *b) {
    return i->in[0]->dtype == GEI_STRING ? gei_infer_broadcast_bool(i) : gei_infer_binary(i, b);
}

static void run_texts(const gei_run *run, uint32_t part, bool wanted) {
    const gei_broadcast *plan = (const gei_broadcast *)run->sized;
    int64_t begin, end, step_a = gei_broadcast_step(plan, 0), step_b = gei_broadcast_step(plan, 1);
    uint8_t *y = (uint8_t *)run->out[0]->data;
    gei_broadcast_walk w;
    gei_part_range(plan->n_elems, run->n_parts, part, &begin, &end);
    for (bool more = gei_broadcast_first(&w, plan, begin, end); more; more = gei_broadcast_next(&w)) {
        for (int64_t k = 0; k < w.run; k++) {
            gei_text a = gei_text_at(run->in[0], w.offset[0] + k * step_a), b = gei_text_at(run->in[1], w.offset[1] + k * step_b);
            y[w.at + k] = (a.size == b.size && memcmp(a.data, b.data, a.size) == 0) == wanted;
        }
    }
}

static ge_status run_equality(const gei_run *run, uint32_t part, const gei_binary *b, bool wanted) {
    if (run->in[0]->dtype != GEI_STRING) return gei_run_binary(run, part, b);
    run_texts(run, part, wanted);
    return GE_OK;
}

#define GEI_OP_EQUALITY(Name, op, wanted, ...)                                                                                        \
    ORDER_LOOPS(Name, op)                                                                                                             \
    GEI_BINARY_LOOP(Name##_bool, uint8_t, uint8_t, uint8_t, !a op !b)                                                                 \
    GEI_BINARY_LOOP(Name##_c64, float _Complex, float _Complex, uint8_t, a op b)                                                      \
    GEI_BINARY_LOOP(Name##_c128, double _Complex, double _Complex, uint8_t, a op b)                                                   \
    static const gei_binary Name##_binary = {                                                                                         \
        .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name), GEI_COMPLEX_LANES(Name), [GEI_LANE_BOOL] = Name##_bool }, .to = GEI_BOOL }; \
    static ge_status Name##_infer(gei_infer *i) { return infer_equality(i, &Name##_binary); }                                         \
    static ge_status Name##_ref(const gei_run *run, uint32_t part) { return run_equality(run, part, &Name##_binary, wanted); }        \
    static const gei_kernel Name##_kernels[] = { { .name = "ref", .size = gei_size_broadcast, .run = Name##_ref, .in_place = 3 },     \
                                                 { 0 } };                                                                             \
    static const gei_source Name##_sources[] = { __VA_ARGS__, { 0 } };                                                                \
    GEI_OP(Name) = { .name = #Name, .infer = Name##_infer, .kernels = Name##_kernels, .sources = Name##_sources,                      \
                     .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE | GEI_OP_COMMUTATIVE }
GEI_WIDEN_FAMILY(EQUALITY, "x1 x2", "number bool string");

GEI_OP_EQUALITY(Equal, ==, true, GEI_ONNX_AXIS("Equal"));
GEI_OP_EQUALITY(NotEqual, !=, false, GEI_NO_SOURCE);
