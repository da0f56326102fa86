/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/depthwise.h"

#include <immintrin.h>

#define VEC __m256
#define VW 8
#define ROWS 2
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, v) _mm256_storeu_ps((p), (v))
#define V_SET1(x) _mm256_set1_ps(x)
#define V_FMA(a, b, c) _mm256_fmadd_ps((a), (b), (c))
#define V_MAX(bound, x) _mm256_max_ps((bound), (x)) /* the second operand is given back for NaN */
#define V_MIN(bound, x) _mm256_min_ps((bound), (x))
#define MULTIPLY_ADD(a, b, c) __builtin_fmaf((a), (b), (c))
#define DEPTHWISE gei_depthwise_avx2

static inline VEC load_some(const float *p, int64_t n) {
    float some[VW] = { 0 };
    for (int64_t i = 0; i < n; i++) some[i] = p[i];
    return V_LOAD(some);
}

static inline void store_some(float *p, VEC v, int64_t n) {
    float some[VW];
    V_STORE(some, v);
    for (int64_t i = 0; i < n; i++) p[i] = some[i];
}

#define V_LOAD_N(p, n) load_some(p, n)
#define V_STORE_N(p, v, n) store_some(p, v, n)
#define V_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define V_ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#include "kernels/depthwise_template.h"
