/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sgemm.h"

#include <immintrin.h>

#define VEC __m256
#define VW 8
#define VECS 2
#define ROWS 6
#define V_ZERO() _mm256_setzero_ps()
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, v) _mm256_storeu_ps((p), (v))
#define V_SET1(x) _mm256_set1_ps(x)
#define V_FMA(a, b, c) _mm256_fmadd_ps((a), (b), (c))
#define V_ADD(a, b) _mm256_add_ps((a), (b))
#define V_MAX(bound, x) _mm256_max_ps((bound), (x))
#define V_MIN(bound, x) _mm256_min_ps((bound), (x))
#define SGEMM_RUN run_avx2
#define SGEMM_BLOCK block_avx2
#include "kernels/sgemm_template.h"

const gei_sgemm_isa gei_sgemm_avx2 = { "avx2", ROWS, PANEL, run_avx2, block_avx2 };
