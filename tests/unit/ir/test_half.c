/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "ir/dtype.h"
#include "ir/half.h"
#include "unit/ge_test.h"

/* A format by its definition, slow and plain. */
typedef struct format {
    int32_t dtype;
    int exp_bits, man_bits, bias;
    bool has_inf, has_nan;
} format;

static const format float16 = { GEI_FLOAT16, 5, 10, 15, true, true };
static const format bfloat16 = { GEI_BFLOAT16, 8, 7, 127, true, true };
static const format small[] = {
    { GEI_FLOAT8_E5M2, 5, 2, 15, true, true },       { GEI_FLOAT8_E4M3FN, 4, 3, 7, false, true },
    { GEI_FLOAT8_E5M2FNUZ, 5, 2, 16, false, true },  { GEI_FLOAT8_E4M3FNUZ, 4, 3, 8, false, true },
    { GEI_FLOAT6_E3M2, 3, 2, 3, false, false },      { GEI_FLOAT6_E2M3, 2, 3, 1, false, false },
    { GEI_FLOAT4_E2M1, 2, 1, 1, false, false },      { GEI_FLOAT4_E1M2, 1, 2, 1, false, false },
};

static double magnitude_of(const format *f, uint32_t code) {
    int man = (int)(code & ((1u << f->man_bits) - 1)), exp = (int)(code >> f->man_bits);
    if (exp == 0) return ldexp(man, 1 - f->bias - f->man_bits);
    return ldexp(man + (1 << f->man_bits), exp - f->bias - f->man_bits);
}

static float decode(const format *f, uint32_t code) {
    if (f->dtype == GEI_FLOAT16) return gei_f16_to_f32_plain((uint16_t)code);
    if (f->dtype == GEI_BFLOAT16) return gei_bf16_to_f32((uint16_t)code);
    return gei_small_to_f32(f->dtype, (uint8_t)code);
}

static uint32_t encode(const format *f, float v) {
    if (f->dtype == GEI_FLOAT16) return gei_f32_to_f16_plain(v);
    if (f->dtype == GEI_BFLOAT16) return gei_f32_to_bf16(v);
    return gei_f32_to_small(f->dtype, v, true);
}

/* Highest code of a finite number, found by decoding. */
static uint32_t last_finite(const format *f) {
    uint32_t code = (1u << (f->exp_bits + f->man_bits)) - 1;
    while (!isfinite(decode(f, code))) code--;
    return code;
}

static void check_value(const format *f, float v, uint32_t wanted) {
    uint32_t sign = 1u << (f->exp_bits + f->man_bits);
    bool no_minus_zero = f->dtype == GEI_FLOAT8_E5M2FNUZ || f->dtype == GEI_FLOAT8_E4M3FNUZ;
    if (encode(f, v) != wanted) fail_msg("type %d: %a became %#x, wanted %#x", (int)f->dtype, (double)v, encode(f, v), wanted);
    uint32_t minus = no_minus_zero && wanted == 0 ? 0 : wanted | sign;
    if (encode(f, -v) != minus) fail_msg("type %d: %a became %#x, wanted %#x", (int)f->dtype, (double)-v, encode(f, -v), minus);
}

/* Each code decodes to its value; it, and what lies around the middle between it and the next, encodes as it should. */
static void check_format(const format *f) {
    uint32_t last = last_finite(f), sign = 1u << (f->exp_bits + f->man_bits);
    for (uint32_t code = 0; code <= last; code++) {
        float v = decode(f, code);
        assert_true((double)v == magnitude_of(f, code));
        check_value(f, v, code);
        if (code > 0) assert_true(decode(f, code | sign) == -v);
        if (code == last) break;
        float next = decode(f, code + 1), middle = (float)(((double)v + (double)next) / 2);
        if ((double)middle != ((double)v + (double)next) / 2) continue; /* finer than float32 */
        check_value(f, middle, code + (code & 1));
        check_value(f, nextafterf(middle, 0), code);
        check_value(f, nextafterf(middle, INFINITY), code + 1);
    }
}

static void float16_is_exact_and_rounds_to_even(void **state) {
    (void)state;
    check_format(&float16);
    check_value(&float16, 65519.99f, 0x7bff);
    check_value(&float16, 65520.0f, 0x7c00);
    check_value(&float16, INFINITY, 0x7c00);
    check_value(&float16, 0x1p-25f, 0);
    check_value(&float16, nextafterf(0x1p-25f, 1), 1);
    assert_true(isinf(gei_f16_to_f32_plain(0x7c00)) && isinf(gei_f16_to_f32_plain(0xfc00)));
    for (uint32_t code = 0x7c01; code < 0x8000; code++) {
        assert_true(isnan(gei_f16_to_f32_plain((uint16_t)code)));
        assert_int_equal(gei_f32_to_f16_plain(gei_f16_to_f32_plain((uint16_t)code)), code | 0x200);
    }
}

#if defined(__x86_64__)
__attribute__((target("f16c"))) static void compare_with_f16c(void) {
    for (uint32_t code = 0; code < 0x10000; code++)
        assert_int_equal(gei_f32_bits(gei_f16_to_f32_plain((uint16_t)code)), gei_f32_bits(_cvtsh_ss((uint16_t)code)));
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 977) {
        float v = gei_f32_of_bits((uint32_t)bits);
        assert_int_equal(gei_f32_to_f16_plain(v), (uint16_t)_cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT));
    }
}
#endif

static void float16_is_the_same_with_and_without_the_instruction(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) compare_with_f16c();
#endif
}

static void bfloat16_is_exact_and_rounds_to_even(void **state) {
    (void)state;
    check_format(&bfloat16);
    check_value(&bfloat16, INFINITY, 0x7f80);
    check_value(&bfloat16, 3.4028235e38f, 0x7f80);
    assert_int_equal(gei_f32_to_bf16(gei_f32_of_bits(0x7f800001)), 0x7fc0);
    assert_true(isnan(gei_bf16_to_f32(0xffc1)));
}

static void small_floats_are_exact_and_round_to_even(void **state) {
    (void)state;
    for (size_t i = 0; i < GEI_COUNT(small); i++) {
        assert_true(gei_is_small_float(small[i].dtype));
        check_format(&small[i]);
    }
    assert_false(gei_is_small_float(GEI_FLOAT16));
}

static void values_too_large_saturate_or_leave(void **state) {
    (void)state;
    for (size_t i = 0; i < GEI_COUNT(small); i++) {
        const format *f = &small[i];
        uint32_t last = last_finite(f);
        float most = decode(f, last);
        check_value(f, 3e38f, last);
        check_value(f, INFINITY, last);
        float loose = gei_small_to_f32(f->dtype, gei_f32_to_small(f->dtype, most * 4, false));
        if (f->has_inf) assert_true(isinf(loose));
        else if (f->has_nan) assert_true(isnan(loose));
        else assert_true(loose == most);
    }
}

static void nan_stays_nan_where_there_is_one(void **state) {
    (void)state;
    for (size_t i = 0; i < GEI_COUNT(small); i++) {
        float back = gei_small_to_f32(small[i].dtype, gei_f32_to_small(small[i].dtype, NAN, true));
        if (small[i].has_nan) assert_true(isnan(back));
        else assert_true(back == 0);
    }
    assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E4M3FN, NAN, true), 0x7f);
    assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E5M2FNUZ, NAN, true), 0x80);
}

static void e8m0_holds_powers_of_two(void **state) {
    (void)state;
    for (uint32_t code = 0; code < 255; code++) {
        float v = gei_small_to_f32(GEI_FLOAT8_E8M0, (uint8_t)code);
        assert_true((double)v == ldexp(1, (int)code - 127));
        assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, v, true), code);
        if (code == 254) break;
        assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, v * 1.5f, true), code + 1);
        assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, v * 1.25f, true), code);
    }
    assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, 0, true), 0);
    assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, -0.0f, true), 0);
    assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, INFINITY, true), 254);
    assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, INFINITY, false), 255);
    assert_int_equal(gei_f32_to_small(GEI_FLOAT8_E8M0, -1, true), 255);
    assert_true(isnan(gei_small_to_f32(GEI_FLOAT8_E8M0, 255)));
}

static void rounding_a_double_twice_is_rounding_it_once(void **state) {
    (void)state;
    /* Just above the middle of two float16 numbers, by less than float32 can tell. */
    assert_int_equal(gei_f32_to_f16(gei_f64_to_f32_odd(1 + 0x1p-11 + 0x1p-40)), 0x3c01);
    assert_int_equal(gei_f32_to_f16(gei_f64_to_f32_odd(1 + 0x1p-11 - 0x1p-40)), 0x3c00);
    assert_int_equal(gei_f32_to_f16(gei_f64_to_f32_odd(1 + 0x1p-11)), 0x3c00);
    assert_true(gei_f64_to_f32_odd(0.5) == 0.5f);
    assert_true(gei_f64_to_f32_odd(1e-60) == 0x1p-149f);
    assert_true(gei_f64_to_f32_odd(-1e-60) == -0x1p-149f);
    assert_true(gei_f64_to_f32_odd(1e60) == 3.4028235e38f);
    assert_true(isinf(gei_f64_to_f32_odd((double)INFINITY)));
    assert_true(isnan(gei_f64_to_f32_odd((double)NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float16_is_exact_and_rounds_to_even),
        cmocka_unit_test(float16_is_the_same_with_and_without_the_instruction),
        cmocka_unit_test(bfloat16_is_exact_and_rounds_to_even),
        cmocka_unit_test(small_floats_are_exact_and_round_to_even),
        cmocka_unit_test(values_too_large_saturate_or_leave),
        cmocka_unit_test(nan_stays_nan_where_there_is_one),
        cmocka_unit_test(e8m0_holds_powers_of_two),
        cmocka_unit_test(rounding_a_double_twice_is_rounding_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
