/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sgemm.h"

#include <immintrin.h>

#define VEC __m512
#define VW 16
#define VECS 4
#define ROWS 6
#define V_ZERO() _mm512_setzero_ps()
#define V_LOAD(p) _mm512_loadu_ps(p)
#define V_STORE(p, v) _mm512_storeu_ps((p), (v))
#define V_SET1(x) _mm512_set1_ps(x)
#define V_FMA(a, b, c) _mm512_fmadd_ps((a), (b), (c))
#define V_ADD(a, b) _mm512_add_ps((a), (b))
#define V_MAX(bound, x) _mm512_max_ps((bound), (x)) /* the second operand is given back for NaN */
#define V_MIN(bound, x) _mm512_min_ps((bound), (x))
#define SGEMM_RUN run_avx512
#define SGEMM_BLOCK block_avx512
#include "kernels/sgemm_template.h"

const gei_sgemm_isa gei_sgemm_avx512 = { "avx512", ROWS, PANEL, run_avx512, block_avx512 };
