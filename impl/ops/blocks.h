/* SPDX-License-Identifier: Apache-2.0 */
/* blocks: runs of elements of any real type as float, double or int64, for kernels that are not worth a loop for each type.
 * `at` and n count elements; data is that of the whole tensor.  Types are those of gei_dtype_is_real. */
#ifndef GEI_OPS_BLOCKS_H
#define GEI_OPS_BLOCKS_H

#include "ops/op.h"

#define GEI_BLOCK 256 /* elements of a block on the stack */

void gei_load_f32(int32_t dtype, const void *data, int64_t at, int64_t n, float *to); /* floating-point types */
void gei_store_f32(int32_t dtype, const float *from, void *data, int64_t at, int64_t n);
void gei_load_f64(int32_t dtype, const void *data, int64_t at, int64_t n, double *to);
/* Rounded once; to integers cut off, saturated, NaN to 0; to bool: other than 0. */
void gei_store_f64(int32_t dtype, const double *from, void *data, int64_t at, int64_t n);
/* Integers and bools; uint64 keeps its bits.  From floats: cut off, saturated, NaN to 0. */
void gei_load_i64(int32_t dtype, const void *data, int64_t at, int64_t n, int64_t *to);
/* To integers the low bits; to floats the number. */
void gei_store_i64(int32_t dtype, const int64_t *from, void *data, int64_t at, int64_t n);

#endif
