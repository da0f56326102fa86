/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/blocked.h"

#include <immintrin.h>

static inline __m256 larger(__m256 a, __m256 b) { /* NaN of a or of b */
    return _mm256_blendv_ps(_mm256_max_ps(a, b), a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
}

#define VEC __m256
#define VW 8
#define V_ZERO() _mm256_setzero_ps()
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, v) _mm256_storeu_ps((p), (v))
#define V_SET1(x) _mm256_set1_ps(x)
#define V_FMA(a, b, c) _mm256_fmadd_ps((a), (b), (c))
#define V_ADD(a, b) _mm256_add_ps((a), (b))
#define V_SUB(a, b) _mm256_sub_ps((a), (b))
#define V_IS_ZERO(v) (_mm256_movemask_ps(_mm256_cmp_ps((v), _mm256_setzero_ps(), _CMP_EQ_OQ)) == 0xFF)
#define V_MUL(a, b) _mm256_mul_ps((a), (b))
#define V_MAX(bound, x) _mm256_max_ps((bound), (x)) /* the second operand is given back for NaN */
#define V_MIN(bound, x) _mm256_min_ps((bound), (x))
#define V_LARGER(a, b) larger((a), (b))
#define PANEL 1
#define ROWS_1 6
#define TAP_ROWS 6
#define DEPTH 4
#define BLOCKED gei_blocked_avx2
#define BLOCKED_NAME "avx2"
#include "kernels/blocked_template.h"
