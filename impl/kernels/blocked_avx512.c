/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/blocked.h"

#include <immintrin.h>

static inline __m512 larger(__m512 a, __m512 b) { /* NaN of a or of b */
    return _mm512_mask_mov_ps(_mm512_max_ps(a, b), _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), a);
}

#define VEC __m512
#define VW 16
#define V_ZERO() _mm512_setzero_ps()
#define V_LOAD(p) _mm512_loadu_ps(p)
#define V_STORE(p, v) _mm512_storeu_ps((p), (v))
#define V_SET1(x) _mm512_set1_ps(x)
#define V_FMA(a, b, c) _mm512_fmadd_ps((a), (b), (c))
#define V_ADD(a, b) _mm512_add_ps((a), (b))
#define V_SUB(a, b) _mm512_sub_ps((a), (b))
#define V_IS_ZERO(v) (_mm512_cmp_ps_mask((v), _mm512_setzero_ps(), _CMP_EQ_OQ) == 0xFFFF)
#define V_MUL(a, b) _mm512_mul_ps((a), (b))
#define V_MAX(bound, x) _mm512_max_ps((bound), (x)) /* the second operand is given back for NaN */
#define V_MIN(bound, x) _mm512_min_ps((bound), (x))
#define V_LARGER(a, b) larger((a), (b))
#define PANEL 4
#define ROWS_1 12
#define ROWS_2 12
#define ROWS_3 8
#define ROWS_4 6
#define TAP_ROWS 8
#define DEPTH 8
#define BLOCKED gei_blocked_avx512
#define BLOCKED_NAME "avx512"
#include "kernels/blocked_template.h"
