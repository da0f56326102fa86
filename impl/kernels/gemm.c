/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/gemm.h"

#include <stddef.h>

#define X(suffix, T, LOAD, STORE)                                                                                                   \
    void gei_gemm_ref_##suffix(const gei_gemm *g, const void *a, const void *b, const double *bias, void *y, int64_t begin,         \
                               int64_t end) {                                                                                       \
        for (int64_t i = begin; i < end; i++) {                                                                                     \
            for (int64_t j = 0; j < g->n; j++) {                                                                                    \
                const T *row = (const T *)a + i * g->a_row, *col = (const T *)b + j * g->b_col;                                     \
                double sum = 0;                                                                                                     \
                for (int64_t p = 0; p < g->k; p++) sum += (double)LOAD(row[p * g->a_col]) * LOAD(col[p * g->b_row]);                \
                ((T *)y)[i * g->n + j] = STORE(bias ? sum + bias[j] : sum);                                                         \
            }                                                                                                                       \
        }                                                                                                                           \
    }
GEI_FLOAT_TYPES(X)
#undef X

/* Integers wrap at the width of the result. */
#define INT_GEMM(suffix, T, U, R)                                                                                                   \
    void gei_gemm_ref_##suffix(const gei_gemm *g, const void *a, const void *b, const double *bias, void *y, int64_t begin,         \
                               int64_t end) {                                                                                       \
        for (int64_t i = begin; i < end; i++) {                                                                                     \
            for (int64_t j = 0; j < g->n; j++) {                                                                                    \
                const T *row = (const T *)a + i * g->a_row, *col = (const T *)b + j * g->b_col;                                     \
                U sum = bias ? (U)(int64_t)bias[j] : 0;                                                                             \
                for (int64_t p = 0; p < g->k; p++) sum += (U)row[p * g->a_col] * (U)col[p * g->b_row];                              \
                ((R *)y)[i * g->n + j] = (R)sum;                                                                                    \
            }                                                                                                                       \
        }                                                                                                                           \
    }
#define X(suffix, T, U) INT_GEMM(suffix, T, U, T)
GEI_INT_TYPES(X)
#undef X
INT_GEMM(i8_i32, int8_t, uint64_t, int32_t)
