/* SPDX-License-Identifier: Apache-2.0 */
/* fill, and reading elements back as numbers (outputs). */
#include "unit/ge_test.h"

#include <math.h>

#include "cli/fill.h"
#include "cli/outputs.h"

static char why[NPY_WHY_BYTES];

static void make(const char *text, uint64_t stream, ge_dtype dtype, npy_array *out) {
    static const int64_t dims[] = { 10, 100 };
    fill how;
    assert_true(fill_parse(text, &how));
    if (fill_make(how, stream, dtype, 2, dims, out, why) != 0) fail_msg("%s: %s", ge_dtype_get_name(dtype), why);
    assert_int_equal(out->n_elems, 1000);
}

static void words_are_known(void **state) {
    fill how;
    (void)state;
    assert_true(fill_parse("random:18446744073709551615", &how));
    assert_int_equal(how.kind, FILL_RANDOM);
    assert_true(how.seed == UINT64_MAX);
    assert_false(fill_parse("random:", &how));
    assert_false(fill_parse("random:x", &how));
    assert_false(fill_parse("Zeros", &how));
    assert_int_equal(how.kind, FILL_NONE);
}

static const ge_dtype number_types[] = {
    GE_DTYPE_BOOL,   GE_DTYPE_INT8,   GE_DTYPE_INT16,  GE_DTYPE_INT32,   GE_DTYPE_INT64,    GE_DTYPE_UINT8,   GE_DTYPE_UINT16,
    GE_DTYPE_UINT32, GE_DTYPE_UINT64, GE_DTYPE_FLOAT16, GE_DTYPE_BFLOAT16, GE_DTYPE_FLOAT32, GE_DTYPE_FLOAT64,
};

static void zeros_and_ones_are_what_they_say(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof number_types / sizeof number_types[0]; t++) {
        npy_array zeros, ones;
        double value;
        make("zeros", 0, number_types[t], &zeros);
        make("ones", 0, number_types[t], &ones);
        assert_true(outputs_elem(&zeros, 999, &value) && value == 0);
        for (uint64_t i = 0; i < 1000; i++) assert_true(outputs_elem(&ones, i, &value) && value == 1);
        npy_deinit(&zeros);
        npy_deinit(&ones);
    }
}

static void random_floats_fill_their_range(void **state) {
    static const ge_dtype types[] = { GE_DTYPE_FLOAT16, GE_DTYPE_BFLOAT16, GE_DTYPE_FLOAT32, GE_DTYPE_FLOAT64 };
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        npy_array a;
        output_figures f;
        make("random", 0, types[t], &a);
        outputs_measure(&a, &f);
        assert_true(f.is_known && f.n_not_finite == 0);
        assert_true(f.lowest >= -1 && f.lowest < -0.95 && f.highest < 1 && f.highest > 0.95);
        assert_true(fabs(f.mean) < 0.1);
        npy_deinit(&a);
    }
}

static void random_integers_are_zero_or_one(void **state) {
    npy_array a;
    output_figures f;
    (void)state;
    make("random:3", 0, GE_DTYPE_INT64, &a);
    outputs_measure(&a, &f);
    assert_true(f.lowest == 0 && f.highest == 1 && fabs(f.mean - 0.5) < 0.1);
    npy_deinit(&a);
}

static void seed_and_stream_decide_the_bytes(void **state) {
    npy_array a, b, c, d;
    (void)state;
    make("random:5", 1, GE_DTYPE_FLOAT32, &a);
    make("random:5", 1, GE_DTYPE_FLOAT32, &b);
    make("random:6", 1, GE_DTYPE_FLOAT32, &c);
    make("random:5", 2, GE_DTYPE_FLOAT32, &d);
    assert_memory_equal(a.data, b.data, a.size_bytes);
    assert_memory_not_equal(a.data, c.data, a.size_bytes);
    assert_memory_not_equal(a.data, d.data, a.size_bytes);
    npy_deinit(&a);
    npy_deinit(&b);
    npy_deinit(&c);
    npy_deinit(&d);
}

static void strings_are_made(void **state) {
    npy_array a;
    (void)state;
    make("zeros", 0, GE_DTYPE_STRING, &a);
    assert_int_equal(a.offsets[1000], 0);
    npy_deinit(&a);
    make("ones", 0, GE_DTYPE_STRING, &a);
    assert_int_equal(a.offsets[1000], 1000);
    assert_int_equal(a.data[999], '1');
    npy_deinit(&a);
}

static void absurd_requests_are_refused(void **state) {
    static const int64_t huge[] = { INT64_MAX, 3 }, large[] = { INT64_C(1) << 60 };
    npy_array a;
    (void)state;
    assert_int_equal(fill_make((fill){ FILL_ZEROS, 0 }, 0, GE_DTYPE_FLOAT32, 2, huge, &a, why), -1);
    assert_int_equal(fill_make((fill){ FILL_ZEROS, 0 }, 0, GE_DTYPE_COMPLEX128, 1, large, &a, why), -1);
    assert_int_equal(fill_make((fill){ FILL_ZEROS, 0 }, 0, GE_DTYPE_STRING, 1, large, &a, why), -1);
    assert_int_equal(fill_make((fill){ FILL_ZEROS, 0 }, 0, GE_DTYPE_INT4, 1, large, &a, why), -1);
    assert_non_null(strstr(why, "int4"));
}

static void half_values_are_read(void **state) {
    uint16_t bits[] = { 0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00, 0x7E00 };
    npy_array a = { .dtype = GE_DTYPE_FLOAT16, .rank = 1, .dims = { 6 }, .n_elems = 6, .data = (uint8_t *)bits, .size_bytes = 12 };
    output_figures f;
    double value;
    (void)state;
    assert_true(outputs_elem(&a, 0, &value) && value == 1);
    assert_true(outputs_elem(&a, 1, &value) && value == -2);
    assert_true(outputs_elem(&a, 2, &value) && value == ldexp(1, -24));
    assert_true(outputs_elem(&a, 3, &value) && value == 65504);
    outputs_measure(&a, &f);
    assert_int_equal(f.n_not_finite, 2);
    assert_true(f.highest == 65504 && f.lowest == -2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_known),
        cmocka_unit_test(zeros_and_ones_are_what_they_say),
        cmocka_unit_test(random_floats_fill_their_range),
        cmocka_unit_test(random_integers_are_zero_or_one),
        cmocka_unit_test(seed_and_stream_decide_the_bytes),
        cmocka_unit_test(strings_are_made),
        cmocka_unit_test(absurd_requests_are_refused),
        cmocka_unit_test(half_values_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
