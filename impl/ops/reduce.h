/* SPDX-License-Identifier: Apache-2.0 */
/* reduce: rows that fold axes away.
 *
 *   GEI_OP_REDUCE(ReduceSum, 0, acc += v, acc, 0, acc += v, acc, true, GEI_REDUCE_ONNX(ReduceSum, 13))
 *
 * Expressions see acc, v (one element) and n (how many): initial value, step, result; first for floats (in double), then for integers
 * (in int64 or uint64, wrapping).  Axes come from input `axes`; the last argument but the sources is what noop_with_empty_axes is when absent. */
#ifndef GEI_OPS_REDUCE_H
#define GEI_OPS_REDUCE_H

#include "kernels/reduce.h"
#include "ops/elementwise.h"
#include "ops/import.h"

enum { GEI_REDUCE_F16 = GEI_LANES, GEI_REDUCE_BF16, GEI_REDUCE_LANES };

typedef struct gei_reduce {
    gei_reduce_loop loops[GEI_REDUCE_LANES]; /* by gei_lane; halves have their own */
    bool noop;                               /* empty axes: copy (true) or reduce everything, when the attribute is absent */
} gei_reduce;

ge_status gei_infer_reduce(gei_infer *i, const gei_reduce *r);
ge_status gei_size_reduce(gei_sizing *s, const gei_reduce *r, gei_diag *diag); /* sized: gei_split */
ge_status gei_run_reduce(const gei_run *run, uint32_t part, const gei_reduce *r);
/* ONNX: axes as attribute below opset `axes_input`, as input from it on; keepdims and noop_with_empty_axes. */
ge_status gei_map_reduce(gei_import *im, int32_t axes_input, gei_diag *diag);

#define GEI_REDUCE_FLOATS(Name, INIT, STEP, RESULT)                                                          \
    GEI_REDUCE_LOOP(Name##_f32, float, double, GEI_PLAIN, (float), INIT, STEP, RESULT)                       \
    GEI_REDUCE_LOOP(Name##_f64, double, double, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                    \
    GEI_REDUCE_LOOP(Name##_f16, uint16_t, double, gei_f16_to_f32, gei_f64_to_f16, INIT, STEP, RESULT)        \
    GEI_REDUCE_LOOP(Name##_bf16, uint16_t, double, gei_bf16_to_f32, gei_f64_to_bf16, INIT, STEP, RESULT)
/* S: accumulator of the signed types; uint64_t where the step may overflow. */
#define GEI_REDUCE_INTS(Name, S, INIT, STEP, RESULT)                                                         \
    GEI_REDUCE_LOOP(Name##_i8, int8_t, S, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                          \
    GEI_REDUCE_LOOP(Name##_i16, int16_t, S, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                        \
    GEI_REDUCE_LOOP(Name##_i32, int32_t, S, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                        \
    GEI_REDUCE_LOOP(Name##_i64, int64_t, S, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                        \
    GEI_REDUCE_LOOP(Name##_u8, uint8_t, uint64_t, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                  \
    GEI_REDUCE_LOOP(Name##_u16, uint16_t, uint64_t, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                \
    GEI_REDUCE_LOOP(Name##_u32, uint32_t, uint64_t, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)                \
    GEI_REDUCE_LOOP(Name##_u64, uint64_t, uint64_t, GEI_PLAIN, GEI_PLAIN, INIT, STEP, RESULT)
#define GEI_REDUCE_FLOAT_LANES(Name) \
    [GEI_LANE_F32] = Name##_f32, [GEI_LANE_F64] = Name##_f64, [GEI_REDUCE_F16] = Name##_f16, [GEI_REDUCE_BF16] = Name##_bf16

/* A row over a table `Name_reduce` that stands before it. */
#define GEI_OP_REDUCE_TABLE(Name, ...)                                                                                           \
    static ge_status Name##_infer(gei_infer *i) { return gei_infer_reduce(i, &Name##_reduce); }                                  \
    static ge_status Name##_size(gei_sizing *s, gei_diag *diag) { return gei_size_reduce(s, &Name##_reduce, diag); }             \
    static ge_status Name##_ref(const gei_run *run, uint32_t part) { return gei_run_reduce(run, part, &Name##_reduce); }         \
    static const gei_kernel Name##_kernels[] = { { .name = "ref", .size = Name##_size, .run = Name##_ref }, { 0 } };             \
    static const gei_source Name##_sources[] = { __VA_ARGS__, { 0 } };                                                           \
    GEI_OP(Name) = { .name = #Name, .infer = Name##_infer, .kernels = Name##_kernels, .sources = Name##_sources,                 \
                     .traits = GEI_OP_PURE, .needs_value = 2 }

#define GEI_OP_REDUCE(Name, F_INIT, F_STEP, F_RESULT, I_INIT, I_STEP, I_RESULT, Noop, ...)                                       \
    GEI_REDUCE_FLOATS(Name, F_INIT, F_STEP, F_RESULT)                                                                            \
    GEI_REDUCE_INTS(Name, uint64_t, I_INIT, I_STEP, I_RESULT)                                                                    \
    static const gei_reduce Name##_reduce = { .loops = { GEI_REDUCE_FLOAT_LANES(Name), GEI_INT_LANES(Name) }, .noop = Noop };    \
    GEI_OP_REDUCE_TABLE(Name, __VA_ARGS__)

GEI_WIDEN_FAMILY(REDUCE, "x y", "real");

#endif
