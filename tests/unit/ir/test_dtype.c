/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/dtype.h"
#include "unit/ge_test.h"

static void every_row_is_found_by_number_and_by_each_name(void **state) {
    (void)state;
    const gei_dtype_info *info;
    size_t n = 0;
    for (; (info = gei_dtype_at(n)) != NULL; n++) {
        assert_ptr_equal(gei_dtype_get(info->dtype), info);
        assert_int_equal(gei_dtype_index(info->dtype), n);
        assert_int_equal(gei_dtype_from_name(info->name, strlen(info->name)), info->dtype);
        assert_int_equal(gei_dtype_from_name(info->ge_name, strlen(info->ge_name)), info->dtype);
        const char *brief = gei_dtype_short(info->dtype);
        assert_int_equal(gei_dtype_from_name(brief, strlen(brief)), info->dtype);
        assert_string_equal(gei_dtype_name(info->dtype), info->name);
        if (info->onnx) assert_int_equal(gei_dtype_from_onnx(info->onnx), info->dtype);
    }
    assert_true(n > 40);
}

static void unknown_types_are_told(void **state) {
    (void)state;
    assert_null(gei_dtype_get(-1));
    assert_null(gei_dtype_get(5));
    assert_null(gei_dtype_get(INT32_MAX));
    assert_int_equal(gei_dtype_index(5), -1);
    assert_string_equal(gei_dtype_name(5), "?");
    assert_int_equal(gei_dtype_from_name("float33", 7), GEI_UNDEFINED);
    assert_int_equal(gei_dtype_from_name("", 0), GEI_UNDEFINED);
    assert_int_equal(gei_dtype_from_name("f32x", 3), GEI_FLOAT32);
    assert_int_equal(gei_dtype_from_name("DT_BFLOAT16", 11), GEI_BFLOAT16);
    assert_int_equal(gei_dtype_from_onnx(0), GEI_UNDEFINED);
    assert_int_equal(gei_dtype_from_onnx(99), GEI_UNDEFINED);
}

static void bytes_count_packed_types_and_overflow(void **state) {
    (void)state;
    size_t bytes = 7;
    assert_true(gei_dtype_bytes(GEI_FLOAT32, 3, &bytes) && bytes == 12);
    assert_true(gei_dtype_bytes(GEI_INT4, 3, &bytes) && bytes == 2);
    assert_true(gei_dtype_bytes(GEI_FLOAT6_E3M2, 3, &bytes) && bytes == 3);
    assert_true(gei_dtype_bytes(GEI_UINT1, 8, &bytes) && bytes == 1);
    assert_true(gei_dtype_bytes(GEI_UINT1, 0, &bytes) && bytes == 0);
    assert_false(gei_dtype_bytes(GEI_FLOAT32, UINT64_MAX / 2, &bytes));
    assert_false(gei_dtype_bytes(GEI_INT4, UINT64_MAX / 2, &bytes));
    assert_false(gei_dtype_bytes(GEI_STRING, 1, &bytes));
    assert_false(gei_dtype_bytes(12345, 1, &bytes));
    assert_int_equal(bytes, 0);
}

static void real_types_are_those_with_a_known_layout(void **state) {
    (void)state;
    assert_true(gei_dtype_is_real(GEI_FLOAT16) && gei_dtype_is_real(GEI_BOOL) && gei_dtype_is_real(GEI_INT4));
    assert_false(gei_dtype_is_real(GEI_COMPLEX64) || gei_dtype_is_real(GEI_STRING) || gei_dtype_is_real(GEI_HIFLOAT8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found_by_number_and_by_each_name),
        cmocka_unit_test(unknown_types_are_told),
        cmocka_unit_test(bytes_count_packed_types_and_overflow),
        cmocka_unit_test(real_types_are_those_with_a_known_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
