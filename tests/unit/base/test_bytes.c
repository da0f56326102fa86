/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "unit/ge_test.h"

static void cursor_reads_little_endian(void **state) {
    (void)state;
    const uint8_t bytes[] = { 0x01, 0x02, 0x03, 0x04, 0x85, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0xF8, 0xAA };
    gei_cursor c = gei_cursor_over(bytes, sizeof bytes);
    assert_int_equal(gei_cursor_u8(&c), 0x01);
    assert_int_equal(gei_cursor_u32(&c), 0x85040302);
    assert_true(gei_cursor_u64(&c) == UINT64_C(0xF817161514131211));
    assert_int_equal(gei_cursor_left(&c), 1);
    assert_int_equal(gei_cursor_offset(&c), 13);
    assert_ptr_equal(gei_cursor_take(&c, 1), bytes + 13);
    assert_false(c.bad);
    assert_non_null(gei_cursor_take(&c, 0));
    assert_false(c.bad);
}

static void cursor_stays_bad_after_the_end(void **state) {
    (void)state;
    const uint8_t bytes[] = { 1, 2, 3 };
    gei_cursor c = gei_cursor_over(bytes, sizeof bytes);
    assert_int_equal(gei_cursor_u32(&c), 0);
    assert_true(c.bad);
    assert_int_equal(gei_cursor_u8(&c), 0);
    assert_null(gei_cursor_take(&c, SIZE_MAX));
    assert_int_equal(gei_cursor_offset(&c), 0);
}

static void sink_collects(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_sink sink;
    gei_sink_init(&sink, &heap.from);
    gei_sink_bytes(&sink, NULL, 0);
    assert_null(sink.data);
    for (int i = 0; i < 1000; i++) {
        gei_sink_text(&sink, "ab");
        gei_sink_format(&sink, "%d", i % 10);
    }
    assert_int_equal(sink.size, 3000);
    assert_int_equal(strlen(sink.data), 3000);
    assert_memory_equal(sink.data, "ab0ab1ab2", 9);
    gei_sink_deinit(&sink);
    gei_sink_format(&sink, "%01000d|", 5);
    assert_int_equal(sink.size, 1001);
    assert_string_equal(sink.data + 998, "05|");
    gei_sink_deinit(&sink);
    ge_test_heap_check(&heap);
}

static void failed_sink_ignores_the_rest(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_sink sink;
    gei_sink_init(&sink, &heap.from);
    gei_sink_text(&sink, "start");
    ge_test_heap_fail_after(&heap, 1, false);
    gei_sink_format(&sink, "%01000d", 1);
    assert_true(sink.failed);
    gei_sink_text(&sink, "more");
    assert_string_equal(sink.data, "start");
    gei_sink_deinit(&sink);
    ge_test_heap_check(&heap);
}

static void check_quoted(const char *text, size_t size, const char *wanted) {
    gei_sink sink;
    gei_sink_init(&sink, &gei_heap);
    gei_sink_quoted(&sink, text, size);
    assert_string_equal(sink.data, wanted);
    gei_sink_deinit(&sink);
}

static void quoted_text_is_escaped(void **state) {
    (void)state;
    check_quoted("", 0, "\"\"");
    check_quoted("plain", 5, "\"plain\"");
    check_quoted("a\"b\\c\nd\te", 9, "\"a\\\"b\\\\c\\nd\\te\"");
    check_quoted("\0\r\x7F", 3, "\"\\u0000\\u000d\\u007f\"");
    check_quoted("\xC3\xA9\xFFz", 4, "\"\xC3\xA9\\u00ffz\"");
}

static void utf8_is_strict(void **state) {
    (void)state;
    static const char *const good[] = { "", "ascii", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF" };
    static const char *const bad[] = { "\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2z", "\xE0\x9F\xBF", "\xE1\x80",
                                       "\xE1\x80z", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF1\x80\x80",
                                       "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "ok\xFE" };
    for (size_t i = 0; i < GEI_COUNT(good); i++) assert_true(gei_utf8_valid(good[i], strlen(good[i])));
    for (size_t i = 0; i < GEI_COUNT(bad); i++) assert_false(gei_utf8_valid(bad[i], strlen(bad[i])));
    assert_true(gei_utf8_valid("a\0b", 3));
    assert_int_equal(gei_utf8_char("\xF0\x9F\x98\x80", 4), 4);
    assert_int_equal(gei_utf8_char("\xF0\x9F\x98\x80", 3), 0);
    assert_int_equal(gei_utf8_char("", 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursor_reads_little_endian),
        cmocka_unit_test(cursor_stays_bad_after_the_end),
        cmocka_unit_test(sink_collects),
        cmocka_unit_test(failed_sink_ignores_the_rest),
        cmocka_unit_test(quoted_text_is_escaped),
        cmocka_unit_test(utf8_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
