/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/shape.h"
#include "unit/ge_test.h"

#define SHAPE(...) gei_shape_of((int32_t)(sizeof((gei_dim[]){ __VA_ARGS__ }) / sizeof(gei_dim)), (gei_dim[]){ __VA_ARGS__ })

static void symbols_are_dims_of_their_own(void **state) {
    (void)state;
    gei_dim a = gei_dim_symbol(0), b = gei_dim_symbol(12345);
    assert_true(gei_dim_is_symbol(a) && gei_dim_is_symbol(b) && !gei_dim_known(a));
    assert_int_equal(gei_dim_symbol_index(b), 12345);
    assert_true(gei_dim_same(a, a) && !gei_dim_same(a, b));
    assert_false(gei_dim_is_symbol(GEI_DIM_UNKNOWN) || gei_dim_known(GEI_DIM_UNKNOWN) || gei_dim_same(GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN));
}

static void same_is_certain_and_fits_is_possible(void **state) {
    (void)state;
    gei_dim n = gei_dim_symbol(0), m = gei_dim_symbol(1);
    gei_shape unknown = gei_shape_unknown(), scalar = gei_shape_scalar();
    gei_shape a = SHAPE(2, n), b = SHAPE(2, n), c = SHAPE(2, m), d = SHAPE(3, n), e = SHAPE(2, GEI_DIM_UNKNOWN), f = SHAPE(2);
    assert_true(gei_shape_same(&a, &b) && gei_shape_same(&scalar, &scalar));
    assert_false(gei_shape_same(&a, &c) || gei_shape_same(&e, &e) || gei_shape_same(&unknown, &unknown) || gei_shape_same(&a, &f));
    assert_true(gei_shape_fits(&a, &c) && gei_shape_fits(&a, &e) && gei_shape_fits(&unknown, &a) && gei_shape_fits(&a, &unknown));
    assert_false(gei_shape_fits(&a, &d) || gei_shape_fits(&a, &f) || gei_shape_fits(&a, &scalar));
    assert_false(gei_shape_known(&a) || gei_shape_known(&unknown));
    assert_true(gei_shape_known(&scalar) && gei_shape_known(&f));
}

static void elements_are_counted_without_overflow(void **state) {
    (void)state;
    int64_t n = -7;
    gei_shape scalar = gei_shape_scalar(), unknown = gei_shape_unknown(), part = SHAPE(2, GEI_DIM_UNKNOWN);
    gei_shape some = SHAPE(2, 3, 4), empty = SHAPE(2, 0, 4), huge = SHAPE(INT64_MAX, 2), hidden = SHAPE(0, INT64_MAX, 2);
    assert_false(gei_shape_elems(&unknown, &n) || gei_shape_elems(&part, &n) || gei_shape_elems(&huge, &n) || gei_shape_elems(&hidden, &n));
    assert_int_equal(n, -7);
    assert_true(gei_shape_elems(&scalar, &n) && n == 1);
    assert_true(gei_shape_elems(&some, &n) && n == 24);
    assert_true(gei_shape_elems(&empty, &n) && n == 0);
}

static void negative_axes_count_from_the_end(void **state) {
    (void)state;
    int32_t axis = 9;
    assert_true(gei_axis(-1, 3, &axis) && axis == 2);
    assert_true(gei_axis(-3, 3, &axis) && axis == 0);
    assert_true(gei_axis(2, 3, &axis) && axis == 2);
    assert_false(gei_axis(3, 3, &axis) || gei_axis(-4, 3, &axis) || gei_axis(0, 0, &axis) || gei_axis(INT64_MIN, 3, &axis));
}

static void text_names_symbols_and_is_cut(void **state) {
    (void)state;
    char text[32];
    const char *names[] = { "batch", "len" };
    gei_shape s = SHAPE(2, gei_dim_symbol(1), GEI_DIM_UNKNOWN, INT64_MAX), unknown = gei_shape_unknown(), scalar = gei_shape_scalar();
    assert_int_equal(gei_shape_text(&s, names, text, sizeof text), 29);
    assert_string_equal(text, "[2,len,?,9223372036854775807]");
    gei_shape_text(&s, NULL, text, sizeof text);
    assert_string_equal(text, "[2,s1,?,9223372036854775807]");
    assert_int_equal(gei_shape_text(&s, names, text, 5), 4);
    assert_string_equal(text, "[2,l");
    assert_int_equal(gei_shape_text(&s, names, text, 0), 0);
    gei_shape_text(&unknown, NULL, text, sizeof text);
    assert_string_equal(text, "[*]");
    gei_shape_text(&scalar, NULL, text, sizeof text);
    assert_string_equal(text, "[]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_are_dims_of_their_own),
        cmocka_unit_test(same_is_certain_and_fits_is_possible),
        cmocka_unit_test(elements_are_counted_without_overflow),
        cmocka_unit_test(negative_axes_count_from_the_end),
        cmocka_unit_test(text_names_symbols_and_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
