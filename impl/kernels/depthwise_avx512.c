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
#include "kernels/depthwise_template.h"
