/* SPDX-License-Identifier: Apache-2.0 */
/* wide_math: float32 functions without branches or tables, so that a compiler turns a loop over them into vectors.
 * The including file defines MULTIPLY_ADD(a, b, c) = a * b + c.  Relative errors against the true value, in
 * units of 2^-24: exp 3, logistic 5, tanh 5, erf 4; the two of Gelu also where they are close to zero: 40, growing with x^2 like
 * that of exp(-x^2/2).  NaN stays NaN.  Polynomials: weighted least squares in Chebyshev nodes, iterated towards the smallest
 * largest error. */
#ifndef GEI_KERNELS_WIDE_MATH_H
#define GEI_KERNELS_WIDE_MATH_H

#include <stdint.h>
#include <string.h>

static inline float wide_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t wide_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float wide_abs(float x) { return wide_of_bits(wide_bits(x) & 0x7FFFFFFFu); }
static inline float wide_with_sign_of(float x, float sign) { return wide_of_bits((wide_bits(x) & 0x7FFFFFFFu) | (wide_bits(sign) & 0x80000000u)); }

#define WIDE_ROUNDER 12582912.0f /* 1.5 * 2^23: a sum with it has the nearest integer in its low bits */

/* e^x = 2^n * e^r, |r| <= ln(2) / 2.  2^n in two factors, so that n may leave the range of exponents. */
static inline float wide_exp(float x) {
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float shifted = MULTIPLY_ADD(x, 1.44269504f, WIDE_ROUNDER);
    float n = shifted - WIDE_ROUNDER;
    int32_t k = (int32_t)(wide_bits(shifted) - wide_bits(WIDE_ROUNDER));
    float r = MULTIPLY_ADD(n, -0.693145752f, x); /* ln(2) in two parts; the first has trailing zeros */
    r = MULTIPLY_ADD(n, -1.42860677e-6f, r);
    float p = 0.00138144649f;
    p = MULTIPLY_ADD(p, r, 0.00836878084f);
    p = MULTIPLY_ADD(p, r, 0.0416683927f);
    p = MULTIPLY_ADD(p, r, 0.166665196f);
    p = MULTIPLY_ADD(p, r, 0.49999994f);
    p = MULTIPLY_ADD(p * r, r, r) + 1.0f;
    uint32_t half = (uint32_t)(k >> 1), rest = (uint32_t)k - half;
    return p * wide_of_bits((half + 127u) << 23) * wide_of_bits((rest + 127u) << 23);
}

/* 1 / (1 + e^-x); e^-|x| keeps both ends exact. */
static inline float wide_logistic(float x) {
    float e = wide_exp(-wide_abs(x));
    return (x < 0 ? e : 1.0f) / (1.0f + e);
}

static inline float wide_tanh(float x) {
    float a = wide_abs(x), z = x * x;
    float p = -0.00571703678f;
    p = MULTIPLY_ADD(p, z, 0.0206505787f);
    p = MULTIPLY_ADD(p, z, -0.0537434965f);
    p = MULTIPLY_ADD(p, z, 0.133314908f);
    p = MULTIPLY_ADD(p, z, -0.333332837f);
    float near_zero = MULTIPLY_ADD(p * z, a, a);
    float far = 1.0f - 2.0f / (wide_exp(2.0f * a) + 1.0f);
    return wide_with_sign_of(a < 0.625f ? near_zero : far, x);
}

/* 1 - erf(a) for a >= 0, as e^(-a^2) times a polynomial in 1 / (1 + 0.4 a). */
static inline float wide_erfc_positive(float a) {
    a = a > 10.2f ? 10.2f : a;
    float u = 1.0f / MULTIPLY_ADD(a, 0.4f, 1.0f);
    float p = 0.0293462034f;
    p = MULTIPLY_ADD(p, u, -0.0782129467f);
    p = MULTIPLY_ADD(p, u, -0.0557115301f);
    p = MULTIPLY_ADD(p, u, 0.265393019f);
    p = MULTIPLY_ADD(p, u, -0.0601297356f);
    p = MULTIPLY_ADD(p, u, 0.264225185f);
    p = MULTIPLY_ADD(p, u, 0.178900436f);
    p = MULTIPLY_ADD(p, u, 0.231046081f);
    p = MULTIPLY_ADD(p, u, 0.225118697f);
    p = MULTIPLY_ADD(p, u, 2.46016607e-05f);
    return p * wide_exp(-a * a);
}

static inline float wide_erf(float x) {
    float a = wide_abs(x), z = x * x;
    float p = 7.8891193e-05f;
    p = MULTIPLY_ADD(p, z, -0.000802084105f);
    p = MULTIPLY_ADD(p, z, 0.00518953521f);
    p = MULTIPLY_ADD(p, z, -0.0268544443f);
    p = MULTIPLY_ADD(p, z, 0.112836003f);
    p = MULTIPLY_ADD(p, z, -0.37612626f);
    p = MULTIPLY_ADD(p, z, 1.12837911f);
    return a < 1.0f ? p * x : wide_with_sign_of(1.0f - wide_erfc_positive(a), x);
}

/* x times the normal distribution up to x: x / 2 * erfc(-x / sqrt(2)), from the side where erfc is small. */
static inline float wide_gelu_erf(float x) {
    float c = wide_erfc_positive(wide_abs(x) * 0.707106781f);
    return 0.5f * x * (x > 0 ? 2.0f - c : c);
}

/* x / 2 * (1 + tanh(v)) = x * logistic(2 v) */
static inline float wide_gelu_tanh(float x) { return x * wide_logistic(1.59576912f * MULTIPLY_ADD(0.044715f * x * x, x, x)); }

/* x * tanh(log(1 + e^x)): with n = e^x * (e^x + 2) it is x * n / (n + 2). */
static inline float wide_mish(float x) {
    float e = wide_exp(x > 20.0f ? 20.0f : x);
    float n = e * (e + 2.0f);
    return x * (n / (n + 2.0f));
}

#endif
