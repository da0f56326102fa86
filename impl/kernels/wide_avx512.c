/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stdint.h>

/* ---- the logistic function by an estimate of 1 / (1 + e^-|x|), which compilers cannot choose; bounds as in wide_math.h ---- */

/* e^-a for a >= 0 or NaN: 2^n * e^r, |r| <= ln(2) / 2, with the polynomial of wide_exp. */
static inline __m512 exp_of_minus(__m512 a) {
    __m512 x = _mm512_max_ps(_mm512_set1_ps(-104.0f), _mm512_sub_ps(_mm512_setzero_ps(), a)); /* the second operand is given back for NaN */
    __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m512 r = _mm512_fmadd_ps(n, _mm512_set1_ps(-0.693145752f), x);
    r = _mm512_fmadd_ps(n, _mm512_set1_ps(-1.42860677e-6f), r);
    __m512 p = _mm512_set1_ps(0.00138144649f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.00836878084f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.0416683927f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.166665196f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.49999994f));
    p = _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(p, r), r, r), _mm512_set1_ps(1.0f));
    return _mm512_scalef_ps(p, n);
}

/* One Newton step: the estimate is good to 14 bits, and 1 + e^-|x| lies within 1 and 2. */
static inline __m512 logistic(__m512 x) {
    __m512 one = _mm512_set1_ps(1.0f), e = exp_of_minus(_mm512_abs_ps(x)), d = _mm512_add_ps(one, e), r = _mm512_rcp14_ps(d);
    r = _mm512_fmadd_ps(_mm512_fnmadd_ps(d, r, one), r, r);
    __mmask16 negative = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
    return _mm512_mask_mul_ps(r, negative, r, e);
}

#define LOOP(name, expr)                                                                                  \
    static void name(const void *x_, void *y_, int64_t n, const double *p) {                             \
        const float *in = x_;                                                                            \
        float *out = y_;                                                                                 \
        (void)p;                                                                                         \
        for (int64_t i = 0; i < n; i += 16) {                                                            \
            __mmask16 some = n - i >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << (n - i)) - 1);         \
            const __m512 x = _mm512_maskz_loadu_ps(some, in + i);                                        \
            _mm512_mask_storeu_ps(out + i, some, (expr));                                                \
        }                                                                                                \
    }
LOOP(Sigmoid_wide, logistic(x))
LOOP(plain_swish_wide, _mm512_mul_ps(x, logistic(x)))
LOOP(scaled_swish_wide, _mm512_mul_ps(x, logistic(_mm512_mul_ps(x, _mm512_set1_ps((float)p[0])))))

#define WIDE_OWN_LOGISTIC
#define WIDE_TABLE gei_wide_avx512
#define MULTIPLY_ADD(a, b, c) __builtin_fmaf((a), (b), (c))
#define SQUARE_ROOT(x) __builtin_sqrtf(x)
#include "kernels/wide_template.h"
