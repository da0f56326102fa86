/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over the axes of an input. */
#include "ops/reduce.h"

static ge_status map_axes_18(gei_import *im, gei_diag *diag) { return gei_map_reduce(im, 18, diag); }

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
