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
#include "kernels/depthwise_template.h"
