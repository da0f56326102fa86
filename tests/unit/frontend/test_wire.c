/* SPDX-License-Identifier: Apache-2.0 */
#include "frontend/wire.h"
#include "unit/frontend/onnx_build.h"
#include "unit/ge_test.h"

static void walks_all_wire_types(void **state) {
    (void)state;
    pb b = { 0 };
    pb_int(&b, 1, -2);
    pb_double(&b, 2, 1.5);
    pb_text(&b, 3, "abc");
    pb_float(&b, 4, -0.25f);
    gei_wire w = gei_wire_over(b.data, b.size);
    gei_field f;
    int64_t i;
    float x;
    gei_span s;
    assert_true(gei_wire_next(&w, &f) && f.number == 1 && gei_wire_int(&w, &f, &i) && i == -2);
    assert_true(gei_wire_next(&w, &f) && f.number == 2 && f.type == GEI_WIRE_FIXED64 && f.value == UINT64_C(0x3FF8000000000000));
    assert_true(gei_wire_next(&w, &f) && f.number == 3 && gei_wire_text(&w, &f, &s) && gei_span_is(s, "abc"));
    assert_true(gei_wire_next(&w, &f) && f.number == 4 && gei_wire_float(&w, &f, &x));
    assert_true(memcmp(&x, &(float){ -0.25f }, sizeof x) == 0);
    assert_false(gei_wire_next(&w, &f));
    assert_null(w.error);
    assert_int_equal(gei_wire_fail(&w, "M", NULL), GE_OK);
    pb_free(&b);
}

static void no_bytes_is_an_empty_message(void **state) {
    (void)state;
    gei_wire w = gei_wire_over(NULL, 0);
    gei_field f;
    assert_false(gei_wire_next(&w, &f));
    assert_null(w.error);
}

static void refuses(const void *bytes, size_t size, ge_status status, const char *part) {
    gei_wire w = gei_wire_over(bytes, size);
    gei_field f;
    gei_diag diag;
    gei_diag_clear(&diag);
    while (gei_wire_next(&w, &f)) {}
    assert_fails_with(gei_wire_fail(&w, "M", &diag), &diag, part);
    assert_int_equal(diag.status, status);
    assert_false(gei_wire_next(&w, &f));
}

static void errors_name_the_byte(void **state) {
    (void)state;
    refuses("\x08", 1, GE_ERR_TRUNCATED, "ends inside a number at byte 1");
    refuses("\x08\x80", 2, GE_ERR_TRUNCATED, "ends inside a number at byte 1");
    refuses("\x08\x01\x1A\x05" "ab", 6, GE_ERR_TRUNCATED, "longer than what is left at byte 2");
    refuses("\x15\x01\x02", 3, GE_ERR_TRUNCATED, "ends inside a number");
    refuses("\x11\x01\x02\x03\x04\x05\x06\x07", 8, GE_ERR_TRUNCATED, "ends inside a number");
    refuses("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", 11, GE_ERR_MALFORMED, "longer than 64 bits at byte 1");
    refuses("\x00\x01", 2, GE_ERR_MALFORMED, "no valid field number at byte 0");
    refuses("\xF8\xFF\xFF\xFF\xFF\x01\x01", 7, GE_ERR_MALFORMED, "no valid field number");
    refuses("\x0B\x0C", 2, GE_ERR_MALFORMED, "no valid wire type at byte 0");
    refuses("\x0F", 1, GE_ERR_MALFORMED, "no valid wire type");
    refuses("\x1A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11, GE_ERR_TRUNCATED, "longer than what is left at byte 0");
}

static void offsets_count_from_the_file(void **state) {
    (void)state;
    pb inner = { 0 }, outer = { 0 };
    pb_text(&inner, 1, "x");
    pb_raw(&inner, "\x12\x09", 2); /* nine bytes that are not there */
    pb_int(&outer, 5, 1);
    pb_message(&outer, 2, &inner);
    pb_text(&outer, 3, "behind");
    gei_wire w = gei_wire_over(outer.data, outer.size);
    gei_field f;
    gei_diag diag;
    gei_diag_clear(&diag);
    assert_true(gei_wire_next(&w, &f) && gei_wire_next(&w, &f));
    gei_wire in = gei_wire_inside(&w, &f);
    while (gei_wire_next(&in, &f)) {}
    assert_fails_with(gei_wire_fail(&in, "Inner", &diag), &diag, "Inner: a field is longer than what is left at byte 7");
    assert_int_equal(diag.status, GE_ERR_MALFORMED); /* the file goes on: it was not cut */
    assert_string_equal(diag.details, "offset");
    pb_free(&outer);
}

static void a_known_field_of_another_type_is_an_error(void **state) {
    (void)state;
    pb b = { 0 };
    pb_int(&b, 7, 3);
    gei_field f;
    gei_diag diag;
    gei_span s;
    float x;
    gei_wire w = gei_wire_over(b.data, b.size);
    assert_true(gei_wire_next(&w, &f));
    assert_false(gei_wire_text(&w, &f, &s));
    gei_diag_clear(&diag);
    assert_fails_with(gei_wire_fail(&w, "M", &diag), &diag, "wire type");
    w = gei_wire_over(b.data, b.size);
    assert_true(gei_wire_next(&w, &f));
    assert_false(gei_wire_float(&w, &f, &x));
    w = gei_wire_over(b.data, b.size);
    assert_true(gei_wire_next(&w, &f));
    gei_wire in = gei_wire_inside(&w, &f);
    assert_non_null(w.error);
    assert_false(gei_wire_next(&in, &f));
    pb_free(&b);
}

static size_t collect(const pb *b, gei_wire_type elem, uint64_t *out, size_t cap, size_t *out_counted) {
    gei_wire w = gei_wire_over(b->data, b->size);
    gei_field f;
    size_t n = 0, count;
    *out_counted = 0;
    while (gei_wire_next(&w, &f)) {
        assert_true(gei_wire_count(&w, &f, elem, &count));
        *out_counted += count;
        gei_repeat list = gei_wire_repeat(&w, &f, elem);
        while (n < cap && gei_repeat_next(&list, &out[n])) n++;
        assert_null(list.in.error);
    }
    assert_null(w.error);
    return n;
}

static void repeated_numbers_come_packed_and_singly(void **state) {
    (void)state;
    pb b = { 0 }, packed = { 0 }, none = { 0 };
    pb_int(&b, 1, 5);
    pb_varint(&packed, 300);
    pb_varint(&packed, UINT64_MAX);
    pb_message(&b, 1, &packed);
    pb_message(&b, 1, &none);
    pb_int(&b, 1, 7);
    uint64_t v[8];
    size_t counted;
    assert_int_equal(collect(&b, GEI_WIRE_VARINT, v, 8, &counted), 4);
    assert_int_equal(counted, 4);
    assert_true(v[0] == 5 && v[1] == 300 && v[2] == UINT64_MAX && v[3] == 7);
    pb_free(&b);

    pb_float(&b, 1, 1.0f);
    pb_bytes(&b, 1, "\x01\x00\x00\x00\x02\x00\x00\x00", 8);
    assert_int_equal(collect(&b, GEI_WIRE_FIXED32, v, 8, &counted), 3);
    assert_int_equal(counted, 3);
    assert_true(v[0] == 0x3F800000 && v[1] == 1 && v[2] == 2);
    pb_free(&b);
}

static void packed_lists_end_between_numbers(void **state) {
    (void)state;
    pb b = { 0 };
    gei_field f;
    size_t count;
    pb_bytes(&b, 1, "\x01\x02\x03\x04\x05", 5);
    gei_wire w = gei_wire_over(b.data, b.size);
    assert_true(gei_wire_next(&w, &f));
    assert_false(gei_wire_count(&w, &f, GEI_WIRE_FIXED32, &count));
    assert_non_null(w.error);
    pb_free(&b);

    pb_bytes(&b, 1, "\x01\x80", 2);
    w = gei_wire_over(b.data, b.size);
    uint64_t v;
    assert_true(gei_wire_next(&w, &f));
    gei_repeat list = gei_wire_repeat(&w, &f, GEI_WIRE_VARINT);
    assert_true(gei_repeat_next(&list, &v));
    assert_false(gei_repeat_next(&list, &v));
    assert_non_null(list.in.error);
    pb_free(&b);
}

static void spans_compare(void **state) {
    (void)state;
    gei_span a = { "abc", 2 };
    assert_true(gei_span_is(a, "ab"));
    assert_false(gei_span_is(a, "abc"));
    assert_false(gei_span_is(a, "a"));
    assert_true(gei_span_is((gei_span){ NULL, 0 }, ""));
    assert_true(gei_span_equal((gei_span){ NULL, 0 }, (gei_span){ "", 0 }));
    assert_false(gei_span_equal(a, (gei_span){ "ax", 2 }));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_all_wire_types),
        cmocka_unit_test(no_bytes_is_an_empty_message),
        cmocka_unit_test(errors_name_the_byte),
        cmocka_unit_test(offsets_count_from_the_file),
        cmocka_unit_test(a_known_field_of_another_type_is_an_error),
        cmocka_unit_test(repeated_numbers_come_packed_and_singly),
        cmocka_unit_test(packed_lists_end_between_numbers),
        cmocka_unit_test(spans_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
