/* SPDX-License-Identifier: Apache-2.0 */
/* half: numbers narrower than float32.  To float is exact; from float rounds to nearest, ties to even, and keeps subnormals.
 * A NaN stays a NaN (quiet, its upper payload bits kept where there is room), the same in every build: with or without F16C.
 *
 *   float16   1 sign, 5 exponent (bias 15), 10 mantissa      float8_e5m2      1, 5 (15), 2   infinities and NaN as in IEEE
 *   bfloat16  1, 8 (127), 7                                  float8_e4m3fn    1, 4 (7), 3    no infinity, NaN = s.1111.111
 *   float6_e3m2  1, 3 (3), 2   no infinity, no NaN           float8_e5m2fnuz  1, 5 (16), 2   no infinity, no -0, NaN = 0x80
 *   float6_e2m3  1, 2 (1), 3   the same                      float8_e4m3fnuz  1, 4 (8), 3    the same
 *   float4_e2m1  1, 2 (1), 1   the same                      float8_e8m0      8 exponent bits (bias 127) only, NaN = 0xff
 *   float4_e1m2  1, 1 (1), 2   the same                      hifloat8, hifloat4   not converted */
#ifndef GEI_IR_HALF_H
#define GEI_IR_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

static inline uint32_t gei_f32_bits(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline float gei_f32_of_bits(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- float16 ---- */

static inline float gei_f16_to_f32_plain(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t rest = (uint32_t)(h & 0x7fffu) << 13;                           /* exponent and mantissa in float32 position */
    if (rest >= UINT32_C(0x0f800000)) {                                      /* infinity, or NaN made quiet */
        uint32_t quiet = rest > UINT32_C(0x0f800000) ? UINT32_C(0x00400000) : 0;
        return gei_f32_of_bits(sign | UINT32_C(0x70000000) | rest | quiet);
    }
    if (rest >= UINT32_C(0x00800000)) return gei_f32_of_bits(sign | (rest + (UINT32_C(112) << 23)));
    /* zero or subnormal: the mantissa counts units of 2^-24, exact in float32 */
    float magnitude = (float)(int32_t)(rest >> 13) * 0x1p-24f;
    return gei_f32_of_bits(sign | gei_f32_bits(magnitude));
}

static inline uint16_t gei_f32_to_f16_plain(float v) {
    uint32_t bits = gei_f32_bits(v);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    uint32_t mag = bits & UINT32_C(0x7fffffff);
    if (mag > UINT32_C(0x7f800000)) return (uint16_t)(sign | 0x7e00u | (mag >> 13 & 0x1ffu));
    if (mag >= UINT32_C(0x477ff000)) return (uint16_t)(sign | 0x7c00u); /* 65520 and above round to infinity */
    if (mag >= UINT32_C(0x38800000)) {                                  /* normal: 2^-14 and above */
        uint32_t rounded = mag + 0xfffu + (mag >> 13 & 1u);
        return (uint16_t)(sign | ((rounded - (UINT32_C(112) << 23)) >> 13));
    }
    /* Adding 0.5 lines the value up so that the last mantissa bit is worth 2^-24 and the addition itself rounds. */
    float lined_up = gei_f32_of_bits(mag) + 0.5f;
    return (uint16_t)(sign | (gei_f32_bits(lined_up) - UINT32_C(0x3f000000)));
}

static inline float gei_f16_to_f32(uint16_t h) {
#if defined(__F16C__)
    return _cvtsh_ss(h);
#else
    return gei_f16_to_f32_plain(h);
#endif
}

static inline uint16_t gei_f32_to_f16(float v) {
#if defined(__F16C__)
    return (uint16_t)_cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT);
#else
    return gei_f32_to_f16_plain(v);
#endif
}

/* ---- bfloat16 ---- */

static inline float gei_bf16_to_f32(uint16_t b) { return gei_f32_of_bits((uint32_t)b << 16); }

static inline uint16_t gei_f32_to_bf16(float v) {
    uint32_t bits = gei_f32_bits(v);
    if ((bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000)) return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* ---- 8 bits and fewer: `dtype` is one of the GEI_FLOAT8_, GEI_FLOAT6_, GEI_FLOAT4_ numbers ---- */

bool gei_is_small_float(int32_t dtype);
float gei_small_to_f32(int32_t dtype, uint8_t code); /* unused upper bits of `code` are ignored */
/* Too large a value becomes the largest finite one when `saturate` (infinities too), else infinity where the type has one, else
 * NaN.  Types without a NaN always saturate and take NaN to zero. */
uint8_t gei_f32_to_small(int32_t dtype, float v, bool saturate);

/* float64 to float32 with round-to-odd: rounding the result once more to any type of this page gives what a single rounding of
 * the float64 would have given. */
float gei_f64_to_f32_odd(double v);

#endif
