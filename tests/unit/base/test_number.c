/* SPDX-License-Identifier: Apache-2.0 */
#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/bytes.h"
#include "unit/ge_test.h"

static void check_f64(double value, const char *wanted) {
    gei_sink sink;
    gei_sink_init(&sink, &gei_heap);
    gei_sink_f64(&sink, value);
    assert_string_equal(sink.data, wanted);
    gei_sink_deinit(&sink);
}

static void check_f32(float value, const char *wanted) {
    gei_sink sink;
    gei_sink_init(&sink, &gei_heap);
    gei_sink_f32(&sink, value);
    assert_string_equal(sink.data, wanted);
    gei_sink_deinit(&sink);
}

static void text_of_doubles_is_short(void **state) {
    (void)state;
    check_f64(0.0, "0");
    check_f64(-0.0, "-0");
    check_f64(1.0, "1");
    check_f64(-1.5, "-1.5");
    check_f64(0.1, "0.1");
    check_f64(0.1 + 0.2, "0.30000000000000004");
    check_f64(100.0, "100");
    check_f64(123456.789, "123456.789");
    check_f64(0.0001, "0.0001");
    check_f64(0.00001, "1e-5");
    check_f64(1.25e-7, "1.25e-7");
    check_f64(1e15, "1000000000000000");
    check_f64(1e16, "1e16");
    check_f64(1.5e300, "1.5e300");
    check_f64(9007199254740993.0, "9007199254740992");
    check_f64(5e-324, "5e-324");
    check_f64(DBL_MIN, "2.2250738585072014e-308");
    check_f64(DBL_MAX, "1.7976931348623157e308");
    check_f64(9.5367431640625e-07, "9.5367431640625e-7"); /* a power of two: uneven gaps */
    check_f64((double)INFINITY, "inf");
    check_f64(-(double)INFINITY, "-inf");
    check_f64((double)NAN, "nan");
}

static void text_of_floats_is_short(void **state) {
    (void)state;
    check_f32(0.1f, "0.1");
    check_f32(-3.14159274f, "-3.1415927");
    check_f32(16777216.0f, "16777216");
    check_f32(1e10f, "10000000000");
    check_f32(FLT_MAX, "3.4028235e38");
    check_f32(FLT_MIN, "1.1754944e-38");
    check_f32(1e-45f, "1e-45");
    check_f32(-0.0f, "-0");
    check_f32((float)INFINITY, "inf");
}

static void check_fixed(double value, uint32_t decimals, const char *wanted) {
    gei_sink sink;
    gei_sink_init(&sink, &gei_heap);
    gei_sink_fixed(&sink, value, decimals);
    assert_string_equal(sink.data, wanted);
    gei_sink_deinit(&sink);
}

static void fixed_text_is_exactly_rounded(void **state) {
    (void)state;
    check_fixed(1.0 / 3, 6, "0.333333");
    check_fixed(-0.5, 0, "-0");
    check_fixed(2.5, 0, "2");
    check_fixed(0.125, 2, "0.12");
    check_fixed(0.999999999, 3, "1.000");
    check_fixed(1e22, 2, "10000000000000000000000.00");
    check_fixed(5e-324, 9, "0.000000000");
    check_fixed(9007199254740991.0, 3, "9007199254740991.000");
    check_fixed((double)INFINITY, 3, "inf");
    uint64_t seed = 99;
    for (int i = 0; i < 5000; i++) {
        char wanted[64];
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        double value = (double)(int64_t)seed / (double)(UINT64_C(1) << (seed >> 7) % 63);
        uint32_t decimals = (uint32_t)(seed >> 33) % 10;
        snprintf(wanted, sizeof wanted, "%.*f", (int)decimals, value);
        check_fixed(value, decimals, wanted);
    }
}

static void check_parse(const char *text, size_t wanted_used, double wanted) {
    double got = -99;
    size_t used = gei_parse_f64(text, strlen(text), &got);
    if (used != wanted_used || memcmp(&got, &wanted, sizeof got) != 0) {
        fail_msg("'%s': used %zu, wanted %zu; got %a, wanted %a", text, used, wanted_used, got, wanted);
    }
}

static void doubles_are_read_up_to_the_first_foreign_character(void **state) {
    (void)state;
    check_parse("0", 1, 0.0);
    check_parse("-0.0", 4, -0.0);
    check_parse("1", 1, 1.0);
    check_parse("+1.5", 4, 1.5);
    check_parse(".5", 2, 0.5);
    check_parse("5.", 2, 5.0);
    check_parse("1e3,", 3, 1000.0);
    check_parse("1E+3", 4, 1000.0);
    check_parse("1e", 1, 1.0);
    check_parse("1e+", 1, 1.0);
    check_parse("1.5.2", 3, 1.5);
    check_parse("1,5", 1, 1.0);
    check_parse("000123.4500", 11, 123.45);
    check_parse("inf", 3, (double)INFINITY);
    check_parse("-Infinity", 9, -(double)INFINITY);
    check_parse("infinit", 3, (double)INFINITY);
    double nan_value = 0;
    assert_int_equal(gei_parse_f64("nan", 3, &nan_value), 3);
    assert_true(isnan(nan_value));
    assert_int_equal(gei_parse_f64("NaN", 3, &nan_value), 3);
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = { "", "-", "+", ".", "-.", "e5", "x", " 1", "in", "na", "--1" };
    double out = -99;
    for (size_t i = 0; i < GEI_COUNT(bad); i++) assert_int_equal(gei_parse_f64(bad[i], strlen(bad[i]), &out), 0);
    assert_int_equal(gei_parse_f64("1.7976931348623159e308", 22, &out), 0);
    assert_int_equal(gei_parse_f64("1e999999999999999999999", 23, &out), 0);
    assert_true(out == -99);
    float out32 = -99;
    assert_int_equal(gei_parse_f32("3.4028236e38", 12, &out32), 0);
    assert_true(out32 == -99);
}

static void rounding_is_exact_at_hard_places(void **state) {
    (void)state;
    check_parse("9007199254740993", 16, 9007199254740992.0);                /* halfway: to even */
    check_parse("9007199254740993.0000000000000000000000001", 42, 9007199254740994.0);
    check_parse("2.2250738585072011e-308", 23, 0x0.fffffffffffffp-1022);
    check_parse("2.2250738585072012e-308", 23, 0x1p-1022);
    check_parse("1.7976931348623158e308", 22, DBL_MAX);
    check_parse("2.4703282292062327e-324", 23, 0.0);                        /* just below half of the smallest */
    check_parse("2.4703282292062328e-324", 23, 0x1p-1074);
    check_parse("1e-400", 6, 0.0);
    check_parse("1e-99999999999999999999", 23, 0.0);
    check_parse("0e99999999999999999999", 22, 0.0);
    check_parse("123456789012345678901234567890", 30, 123456789012345678901234567890.0);
    float f;
    /* 1 + 2^-24 + a little: a double in between would round the little away and then to even. */
    assert_int_equal(gei_parse_f32("1.00000005960464477540", 22, &f), 22);
    assert_true(f == 1.00000011920928955078f);
}

static void long_texts_keep_their_last_digit(void **state) {
    (void)state;
    enum { n_zeros = 5000 };
    char text[n_zeros + 64];
    int head = snprintf(text, sizeof text, "9007199254740993.");
    memset(text + head, '0', n_zeros);
    size_t size = (size_t)head + n_zeros;
    double out;
    assert_int_equal(gei_parse_f64(text, size, &out), size);
    assert_true(out == 9007199254740992.0);
    text[size - 1] = '1';
    assert_int_equal(gei_parse_f64(text, size, &out), size);
    assert_true(out == 9007199254740994.0);
    memset(text, '0', size);
    text[1] = '.';
    memcpy(text + size - 6, "1e4998", 6);
    assert_int_equal(gei_parse_f64(text, size, &out), size);
    assert_true(out == 1e-12);
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void random_numbers_come_back(void **state) {
    (void)state;
    gei_sink sink;
    gei_sink_init(&sink, &gei_heap);
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&seed);
        double value, back = 0;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value)) continue;
        sink.size = 0;
        gei_sink_f64(&sink, value);
        assert_int_equal(gei_parse_f64(sink.data, sink.size, &back), sink.size);
        assert_memory_equal(&value, &back, sizeof value);
        assert_true(strtod(sink.data, NULL) == value);

        uint32_t bits32 = (uint32_t)(bits >> 20);
        float value32, back32 = 0;
        memcpy(&value32, &bits32, sizeof value32);
        if (isnan(value32)) continue;
        sink.size = 0;
        gei_sink_f32(&sink, value32);
        assert_int_equal(gei_parse_f32(sink.data, sink.size, &back32), sink.size);
        assert_memory_equal(&value32, &back32, sizeof value32);
    }
    gei_sink_deinit(&sink);
}

/* Seventeen random digits and any exponent, against the C library. */
static void random_texts_match_the_c_library(void **state) {
    (void)state;
    uint64_t seed = 1234567;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        unsigned long long whole = next_random(&seed) >> (next_random(&seed) % 64);
        unsigned long long part = next_random(&seed) >> (next_random(&seed) % 64);
        int exponent = (int)(next_random(&seed) % 660) - 340;
        int size = snprintf(text, sizeof text, "%llu.%llue%d", whole, part, exponent);
        double wanted = strtod(text, NULL);
        double got = -1;
        size_t used = gei_parse_f64(text, (size_t)size, &got);
        if (isinf(wanted)) {
            assert_int_equal(used, 0);
        } else {
            assert_int_equal(used, size);
            if (got != wanted) fail_msg("%s: got %a, wanted %a", text, got, wanted);
        }
    }
}

static void locale_and_rounding_mode_do_not_matter(void **state) {
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE" };
    for (size_t i = 0; i < GEI_COUNT(names) && !setlocale(LC_ALL, names[i]); i++) {}
    const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
    for (size_t i = 0; i < GEI_COUNT(modes); i++) {
        fesetround(modes[i]);
        check_f64(0.1, "0.1");
        check_parse("0.1", 3, 0.1);
        check_parse("1e23", 4, 1e23);
    }
    setlocale(LC_ALL, "C");
}

static void check_i64(const char *text, size_t wanted_used, int64_t wanted) {
    int64_t got = -99;
    assert_int_equal(gei_parse_i64(text, strlen(text), &got), wanted_used);
    assert_true(got == wanted);
}

static void whole_numbers_are_read_in_full_range(void **state) {
    (void)state;
    check_i64("0", 1, 0);
    check_i64("-0", 2, 0);
    check_i64("+42x", 3, 42);
    check_i64("9223372036854775807", 19, INT64_MAX);
    check_i64("-9223372036854775808", 20, INT64_MIN);
    check_i64("9223372036854775808", 0, -99);
    check_i64("-9223372036854775809", 0, -99);
    check_i64("99999999999999999999", 0, -99);
    check_i64("", 0, -99);
    check_i64("-", 0, -99);
    check_i64("a", 0, -99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_doubles_is_short),
        cmocka_unit_test(text_of_floats_is_short),
        cmocka_unit_test(fixed_text_is_exactly_rounded),
        cmocka_unit_test(doubles_are_read_up_to_the_first_foreign_character),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(rounding_is_exact_at_hard_places),
        cmocka_unit_test(long_texts_keep_their_last_digit),
        cmocka_unit_test(random_numbers_come_back),
        cmocka_unit_test(random_texts_match_the_c_library),
        cmocka_unit_test(locale_and_rounding_mode_do_not_matter),
        cmocka_unit_test(whole_numbers_are_read_in_full_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
