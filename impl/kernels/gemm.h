/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: y[i][j] = sum over p of a[i][p] * b[p][j], + bias[j].  Strides are in elements, so transposed operands need no copy. */
#ifndef GEI_KERNELS_GEMM_H
#define GEI_KERNELS_GEMM_H

#include "kernels/types.h"

typedef struct gei_gemm {
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col;
} gei_gemm;

/* Rows [begin, end) of y, which is m x n and dense.  bias: n numbers or NULL. */
typedef void (*gei_gemm_fn)(const gei_gemm *g, const void *a, const void *b, const double *bias, void *y, int64_t begin, int64_t end);

#define X(suffix, T, LOAD, STORE) \
    void gei_gemm_ref_##suffix(const gei_gemm *g, const void *a, const void *b, const double *bias, void *y, int64_t begin, int64_t end);
GEI_FLOAT_TYPES(X)
#undef X
#define X(suffix, T, U) \
    void gei_gemm_ref_##suffix(const gei_gemm *g, const void *a, const void *b, const double *bias, void *y, int64_t begin, int64_t end);
GEI_INT_TYPES(X)
#undef X
/* int8 operands, int32 result. */
void gei_gemm_ref_i8_i32(const gei_gemm *g, const void *a, const void *b, const double *bias, void *y, int64_t begin, int64_t end);

#endif
