/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/depthwise.h"

#include <immintrin.h>

#define VEC __m512
#define VW 16
#define ROWS 4
#define V_LOAD(p) _mm512_loadu_ps(p)
#define V_STORE(p, v) _mm512_storeu_ps((p), (v))
#define V_SET1(x) _mm512_set1_ps(x)
#define V_FMA(a, b, c) _mm512_fmadd_ps((a), (b), (c))
#define V_MAX(bound, x) _mm512_max_ps((bound), (x)) /* the second operand is given back for NaN */
#define V_MIN(bound, x) _mm512_min_ps((bound), (x))
#define MULTIPLY_ADD(a, b, c) __builtin_fmaf((a), (b), (c))
#define DEPTHWISE gei_depthwise_avx512
#define V_SOME(n) ((__mmask16)((1u << (n)) - 1))
#define V_LOAD_N(p, n) _mm512_maskz_loadu_ps(V_SOME(n), (p))
#define V_STORE_N(p, v, n) _mm512_mask_storeu_ps((p), V_SOME(n), (v))
#define V_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define V_ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#include "kernels/depthwise_template.h"
