/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/half.h"

#include <math.h>
#include <stddef.h>

#include "ir/dtype.h"

typedef enum special {
    SPECIAL_NONE, /* every code is a finite number */
    SPECIAL_IEEE, /* top exponent: infinity and NaN */
    SPECIAL_FN,   /* NaN is all ones, no infinity */
    SPECIAL_FNUZ  /* NaN is the code of -0, no infinity */
} special;

typedef struct small_float {
    int exp_bits, man_bits, bias;
    special special;
} small_float;

static const small_float *find_small(int32_t dtype) {
    static const small_float e5m2 = { 5, 2, 15, SPECIAL_IEEE }, e4m3fn = { 4, 3, 7, SPECIAL_FN },
                             e5m2fnuz = { 5, 2, 16, SPECIAL_FNUZ }, e4m3fnuz = { 4, 3, 8, SPECIAL_FNUZ },
                             e3m2 = { 3, 2, 3, SPECIAL_NONE }, e2m3 = { 2, 3, 1, SPECIAL_NONE },
                             e2m1 = { 2, 1, 1, SPECIAL_NONE }, e1m2 = { 1, 2, 1, SPECIAL_NONE };
    switch (dtype) {
    case GEI_FLOAT8_E5M2: return &e5m2;
    case GEI_FLOAT8_E4M3FN: return &e4m3fn;
    case GEI_FLOAT8_E5M2FNUZ: return &e5m2fnuz;
    case GEI_FLOAT8_E4M3FNUZ: return &e4m3fnuz;
    case GEI_FLOAT6_E3M2: return &e3m2;
    case GEI_FLOAT6_E2M3: return &e2m3;
    case GEI_FLOAT4_E2M1: return &e2m1;
    case GEI_FLOAT4_E1M2: return &e1m2;
    default: return NULL;
    }
}

bool gei_is_small_float(int32_t dtype) { return dtype == GEI_FLOAT8_E8M0 || find_small(dtype) != NULL; }

static float e8m0_to_f32(uint8_t code) {
    if (code == 0xff) return NAN;
    return code == 0 ? 0x1p-127f : gei_f32_of_bits((uint32_t)code << 23);
}

/* Nearest power of two, ties to the larger one (the exponent cannot be "even" in a useful sense). */
static uint8_t f32_to_e8m0(float v, bool saturate) {
    uint32_t bits = gei_f32_bits(v) & UINT32_C(0x7fffffff);
    if (isnan(v) || v < 0) return 0xff;
    if (isinf(v)) return saturate ? 0xfe : 0xff;
    uint32_t rounded = (bits + UINT32_C(0x00400000)) >> 23;
    if (bits < UINT32_C(0x00600000)) return 0; /* below 0.75 * 2^-126 */
    if (rounded > 0xfe) return saturate ? 0xfe : 0xff;
    return (uint8_t)rounded;
}

float gei_small_to_f32(int32_t dtype, uint8_t code) {
    if (dtype == GEI_FLOAT8_E8M0) return e8m0_to_f32(code);
    const small_float *f = find_small(dtype);
    if (!f) return NAN;
    int man = code & ((1 << f->man_bits) - 1);
    int exp = code >> f->man_bits & ((1 << f->exp_bits) - 1);
    int top = (1 << f->exp_bits) - 1;
    bool negative = code >> (f->man_bits + f->exp_bits) & 1;

    if (f->special == SPECIAL_FNUZ && negative && exp == 0 && man == 0) return NAN;
    if (f->special == SPECIAL_FN && exp == top && man == (1 << f->man_bits) - 1) return negative ? -NAN : NAN;
    if (f->special == SPECIAL_IEEE && exp == top) {
        float v = man ? NAN : INFINITY;
        return negative ? -v : v;
    }
    float v = exp == 0 ? ldexpf((float)man, 1 - f->bias - f->man_bits)
                       : ldexpf((float)(man + (1 << f->man_bits)), exp - f->bias - f->man_bits);
    return negative ? -v : v;
}

/* Largest finite code without its sign. */
static uint32_t largest(const small_float *f) {
    uint32_t all = (UINT32_C(1) << (f->exp_bits + f->man_bits)) - 1;
    if (f->special == SPECIAL_FN) return all - 1;
    if (f->special == SPECIAL_IEEE) return all - (UINT32_C(1) << f->man_bits);
    return all;
}

static uint32_t nan_code(const small_float *f, uint32_t sign) {
    uint32_t all = (UINT32_C(1) << (f->exp_bits + f->man_bits)) - 1;
    switch (f->special) {
    case SPECIAL_NONE: return 0;
    case SPECIAL_FNUZ: return UINT32_C(1) << (f->exp_bits + f->man_bits);
    default: return sign | all;
    }
}

/* Codes of one sign grow with the value and are evenly spaced inside an exponent, so rounding the scaled mantissa to an integer
 * gives the code, carries included. */
static uint32_t round_magnitude(const small_float *f, float magnitude) {
    int exp;
    if (magnitude == 0) return 0;
    frexpf(magnitude, &exp);                                  /* magnitude = m * 2^exp, m in [0.5, 1) */
    int exp_code = exp - 1 + f->bias;
    if (exp_code < 1) exp_code = 1;                           /* subnormals share the scale of exponent code 1 */
    float units = ldexpf(magnitude, f->man_bits + f->bias - exp_code);
    uint32_t whole = (uint32_t)units;                         /* below 2^(man_bits + 1) */
    float rest = units - (float)whole;
    if (rest > 0.5f || (rest == 0.5f && (whole & 1))) whole++;
    return ((uint32_t)(exp_code - 1) << f->man_bits) + whole;
}

uint8_t gei_f32_to_small(int32_t dtype, float v, bool saturate) {
    if (dtype == GEI_FLOAT8_E8M0) return f32_to_e8m0(v, saturate);
    const small_float *f = find_small(dtype);
    if (!f) return 0;
    uint32_t sign = signbit(v) ? UINT32_C(1) << (f->exp_bits + f->man_bits) : 0;
    if (isnan(v)) return (uint8_t)nan_code(f, sign);
    uint32_t max = largest(f);
    uint32_t code = isinf(v) ? max + 1 : round_magnitude(f, fabsf(v));
    if (code > max) {
        if (saturate || f->special == SPECIAL_NONE) code = max;
        else if (f->special == SPECIAL_IEEE) code = max + 1; /* infinity */
        else return (uint8_t)nan_code(f, sign);
    }
    if (code == 0 && f->special == SPECIAL_FNUZ) return 0; /* -0 would be NaN */
    return (uint8_t)(sign | code);
}

float gei_f64_to_f32_odd(double v) {
    float near = (float)v;
    if (isnan(v) || (double)near == v) return near;
    uint32_t bits = gei_f32_bits(near);
    if (isinf(near)) return isinf(v) ? near : gei_f32_of_bits(bits - 1); /* largest finite is odd */
    /* Toward zero, then make the last bit one. */
    if (fabs((double)near) > fabs(v)) bits--;
    return gei_f32_of_bits(bits | 1u);
}
