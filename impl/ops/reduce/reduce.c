/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over the axes of an input.  ONNX: axes are an attribute before opset 13 (ReduceSum) or 18 (the others). */
#include "ops/reduce.h"

static ge_status map_axes_13(gei_import *im, gei_diag *diag) { return gei_map_reduce(im, 13, diag); }
static ge_status map_axes_18(gei_import *im, gei_diag *diag) { return gei_map_reduce(im, 18, diag); }

GEI_OP_REDUCE(ReduceSum, 0, acc += v, acc, 0, acc += v, acc, true, GEI_ONNX_MAP("ReduceSum", 1, map_axes_13));
GEI_OP_REDUCE(ReduceProd, 1, acc *= v, acc, 1, acc *= v, acc, true, GEI_ONNX_MAP("ReduceProd", 1, map_axes_18));
GEI_OP_REDUCE(GeReduceSumSquare, 0, acc += v * v, acc, 0, acc += v * v, acc, false, GEI_ONNX_MAP("ReduceSumSquare", 1, map_axes_18));
GEI_OP_REDUCE(GeReduceL1, 0, acc += fabs(v), acc, 0, acc += (int64_t)v < 0 ? 0 - v : v, acc, false, GEI_ONNX_MAP("ReduceL1", 1, map_axes_18));

/* ---- mean ---- */

/* Sums of integers wrap in 64 bits; their mean is cut toward zero, and 0 where there are none. */
#define SIGNED_MEAN (n == 0 ? 0 : (int64_t)acc / (int64_t)n)
#define UNSIGNED_MEAN (n == 0 ? 0 : acc / n)
GEI_REDUCE_FLOATS(ReduceMean, 0, acc += v, acc / n)
GEI_REDUCE_LOOP(ReduceMean_i8, int8_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, SIGNED_MEAN)
GEI_REDUCE_LOOP(ReduceMean_i16, int16_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, SIGNED_MEAN)
GEI_REDUCE_LOOP(ReduceMean_i32, int32_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, SIGNED_MEAN)
GEI_REDUCE_LOOP(ReduceMean_i64, int64_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, SIGNED_MEAN)
GEI_REDUCE_LOOP(ReduceMean_u8, uint8_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, UNSIGNED_MEAN)
GEI_REDUCE_LOOP(ReduceMean_u16, uint16_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, UNSIGNED_MEAN)
GEI_REDUCE_LOOP(ReduceMean_u32, uint32_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, UNSIGNED_MEAN)
GEI_REDUCE_LOOP(ReduceMean_u64, uint64_t, uint64_t, GEI_PLAIN, GEI_PLAIN, 0, acc += v, UNSIGNED_MEAN)
static const gei_reduce ReduceMean_reduce = { .loops = { GEI_REDUCE_FLOAT_LANES(ReduceMean), GEI_INT_LANES(ReduceMean) }, .noop = true };
GEI_OP_REDUCE_TABLE(ReduceMean, GEI_ONNX_MAP("ReduceMean", 1, map_axes_18));
GEI_WIDEN(ReduceMean, "x y", "real");

/* ---- largest and smallest: NaN wins; nothing gives the value that no other can beat ---- */

#define INT_EXTREME(Name, T, suffix, INIT, STEP) GEI_REDUCE_LOOP(Name##_##suffix, T, T, GEI_PLAIN, GEI_PLAIN, INIT, STEP, acc)
#define INT_EXTREMES(Name, SIGNED, UNSIGNED, STEP)             \
    INT_EXTREME(Name, int8_t, i8, INT8_##SIGNED, STEP)         \
    INT_EXTREME(Name, int16_t, i16, INT16_##SIGNED, STEP)      \
    INT_EXTREME(Name, int32_t, i32, INT32_##SIGNED, STEP)      \
    INT_EXTREME(Name, int64_t, i64, INT64_##SIGNED, STEP)      \
    INT_EXTREME(Name, uint8_t, u8, UINT8_##UNSIGNED, STEP)     \
    INT_EXTREME(Name, uint16_t, u16, UINT16_##UNSIGNED, STEP)  \
    INT_EXTREME(Name, uint32_t, u32, UINT32_##UNSIGNED, STEP)  \
    INT_EXTREME(Name, uint64_t, u64, UINT64_##UNSIGNED, STEP)
#define UINT8_ZERO 0
#define UINT16_ZERO 0
#define UINT32_ZERO 0
#define UINT64_ZERO 0

GEI_REDUCE_FLOATS(ReduceMax, -INFINITY, acc = v > acc || isnan(v) ? v : acc, acc)
INT_EXTREMES(ReduceMax, MIN, ZERO, acc = v > acc ? v : acc)
GEI_REDUCE_LOOP(ReduceMax_bool, uint8_t, uint8_t, GEI_PLAIN, GEI_PLAIN, 0, acc |= v != 0, acc)
GEI_REDUCE_FLOATS(ReduceMin, INFINITY, acc = v < acc || isnan(v) ? v : acc, acc)
INT_EXTREMES(ReduceMin, MAX, MAX, acc = v < acc ? v : acc)
GEI_REDUCE_LOOP(ReduceMin_bool, uint8_t, uint8_t, GEI_PLAIN, GEI_PLAIN, 1, acc &= v != 0, acc)

#define EXTREME_TABLE(Name) \
    static const gei_reduce Name##_reduce = { .loops = { GEI_REDUCE_FLOAT_LANES(Name), GEI_INT_LANES(Name), [GEI_LANE_BOOL] = Name##_bool }, .noop = true }
EXTREME_TABLE(ReduceMax);
EXTREME_TABLE(ReduceMin);
GEI_OP_REDUCE_TABLE(ReduceMax, GEI_ONNX_MAP("ReduceMax", 1, map_axes_18));
GEI_OP_REDUCE_TABLE(ReduceMin, GEI_ONNX_MAP("ReduceMin", 1, map_axes_18));
GEI_WIDEN(ReduceMax, "x y", "real bool");
GEI_WIDEN(ReduceMin, "x y", "real bool");

/* ---- bools ---- */

static const gei_reduce ReduceAny_reduce = { .loops = { [GEI_LANE_BOOL] = ReduceMax_bool }, .noop = true };
static const gei_reduce ReduceAll_reduce = { .loops = { [GEI_LANE_BOOL] = ReduceMin_bool }, .noop = true };
GEI_OP_REDUCE_TABLE(ReduceAny, GEI_NO_SOURCE);
GEI_OP_REDUCE_TABLE(ReduceAll, GEI_NO_SOURCE);

/* ---- a function of a sum: computed in double, for integers cut toward zero and saturated ---- */

#define SATURATED(suffix, T, LOW, ABOVE, LEAST, MOST) \
    static T to_##suffix(double v) { return isnan(v) ? 0 : v < LOW ? LEAST : v >= ABOVE ? MOST : (T)v; }
SATURATED(i8, int8_t, -0x1p7, 0x1p7, INT8_MIN, INT8_MAX)
SATURATED(i16, int16_t, -0x1p15, 0x1p15, INT16_MIN, INT16_MAX)
SATURATED(i32, int32_t, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)
SATURATED(i64, int64_t, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)
SATURATED(u8, uint8_t, 0, 0x1p8, 0, UINT8_MAX)
SATURATED(u16, uint16_t, 0, 0x1p16, 0, UINT16_MAX)
SATURATED(u32, uint32_t, 0, 0x1p32, 0, UINT32_MAX)
SATURATED(u64, uint64_t, 0, 0x1p64, 0, UINT64_MAX)

#define IN_DOUBLE(Name, INIT, STEP, RESULT)                                                   \
    GEI_REDUCE_FLOATS(Name, INIT, STEP, RESULT)                                               \
    GEI_REDUCE_LOOP(Name##_i8, int8_t, double, GEI_PLAIN, to_i8, INIT, STEP, RESULT)          \
    GEI_REDUCE_LOOP(Name##_i16, int16_t, double, GEI_PLAIN, to_i16, INIT, STEP, RESULT)       \
    GEI_REDUCE_LOOP(Name##_i32, int32_t, double, GEI_PLAIN, to_i32, INIT, STEP, RESULT)       \
    GEI_REDUCE_LOOP(Name##_i64, int64_t, double, GEI_PLAIN, to_i64, INIT, STEP, RESULT)       \
    GEI_REDUCE_LOOP(Name##_u8, uint8_t, double, GEI_PLAIN, to_u8, INIT, STEP, RESULT)         \
    GEI_REDUCE_LOOP(Name##_u16, uint16_t, double, GEI_PLAIN, to_u16, INIT, STEP, RESULT)      \
    GEI_REDUCE_LOOP(Name##_u32, uint32_t, double, GEI_PLAIN, to_u32, INIT, STEP, RESULT)      \
    GEI_REDUCE_LOOP(Name##_u64, uint64_t, double, GEI_PLAIN, to_u64, INIT, STEP, RESULT)      \
    static const gei_reduce Name##_reduce = { .loops = { GEI_REDUCE_FLOAT_LANES(Name), GEI_INT_LANES(Name) }, .noop = true };

IN_DOUBLE(EuclideanNorm, 0, acc += v * v, sqrt(acc))
GEI_OP_REDUCE_TABLE(EuclideanNorm, GEI_ONNX_MAP("ReduceL2", 1, map_axes_18));
IN_DOUBLE(ReduceLogSum, 0, acc += v, log(acc))
GEI_OP_REDUCE_TABLE(ReduceLogSum, GEI_ONNX_MAP("ReduceLogSum", 1, map_axes_18));
GEI_WIDEN(EuclideanNorm, "x y", "real");
GEI_WIDEN(ReduceLogSum, "x y", "real");

/* ---- logarithm of the sum of exponentials: of the differences to the largest, so that nothing overflows ---- */

#define LOG_SUM_EXP(suffix, T, LOAD, STORE)                                                                                 \
    static void log_sum_exp_##suffix(const gei_split *s, const void *x_, void *y_, int64_t begin, int64_t end) {            \
        const T *x = (const T *)x_;                                                                                         \
        T *y = (T *)y_;                                                                                                     \
        for (int64_t k = begin; k < end; k++) {                                                                             \
            int64_t base = gei_axes_offset(&s->kept, k);                                                                    \
            double max = -INFINITY, sum = 0;                                                                                \
            GEI_FOR_REDUCED(s, base, at) {                                                                                  \
                double v = (double)LOAD(x[at]);                                                                             \
                max = v > max || isnan(v) ? v : max;                                                                        \
            }                                                                                                               \
            double from = isinf(max) ? 0 : max;                                                                             \
            GEI_FOR_REDUCED(s, base, at) sum += exp((double)LOAD(x[at]) - from);                                            \
            y[k] = (T)STORE(log(sum) + from);                                                                               \
        }                                                                                                                   \
    }
#define X(suffix, T, LOAD, STORE) LOG_SUM_EXP(suffix, T, LOAD, STORE)
GEI_FLOAT_TYPES(X)
#undef X
#define X(suffix, T, U) LOG_SUM_EXP(suffix, T, GEI_PLAIN, to_##suffix)
GEI_INT_TYPES(X)
#undef X
static const gei_reduce ReduceLogSumExp_reduce = {
    .loops = { [GEI_LANE_F32] = log_sum_exp_f32, [GEI_LANE_F64] = log_sum_exp_f64, [GEI_REDUCE_F16] = log_sum_exp_f16,
               [GEI_REDUCE_BF16] = log_sum_exp_bf16, GEI_INT_LANES(log_sum_exp) }
};
GEI_OP_REDUCE_TABLE(ReduceLogSumExp, GEI_ONNX_MAP("ReduceLogSumExp", 1, map_axes_18));
GEI_WIDEN(ReduceLogSumExp, "x y", "real");
