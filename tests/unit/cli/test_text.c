/* SPDX-License-Identifier: Apache-2.0 */
/* text, json and term: what people and scripts read. */
#include "unit/ge_test.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "cli/json.h"
#include "cli/term.h"
#include "cli/text.h"

static char shown[2000];

static FILE *start(void) {
    memset(shown, 0, sizeof shown);
    return fmemopen(shown, sizeof shown - 1, "w");
}

static void numbers_are_short(void **state) {
    char b[TEXT_NUMBER_BYTES];
    (void)state;
    assert_string_equal(text_f64(b, 0.1, 5), "0.1");
    assert_string_equal(text_f64(b, -1.0 / 3, 4), "-0.3333");
    assert_string_equal(text_f64(b, 1e-30, 9), "1e-30");
    assert_string_equal(text_f64(b, NAN, 5), "nan");
    assert_string_equal(text_f64(b, -INFINITY, 5), "-inf");
    assert_string_equal(text_bytes(b, 1023), "1023 B");
    assert_string_equal(text_bytes(b, 1024), "1.00 KiB");
    assert_string_equal(text_bytes(b, 1536 * 1024), "1.50 MiB");
    assert_string_equal(text_bytes(b, UINT64_MAX), "16777215 TiB");
    assert_string_equal(text_time(b, 999), "999 ns");
    assert_string_equal(text_time(b, 12345), "12.3 us");
    assert_string_equal(text_time(b, 2500000), "2.50 ms");
    assert_string_equal(text_time(b, UINT64_C(61000000000)), "61.0 s");
    assert_string_equal(text_count(b, 0), "0");
    assert_string_equal(text_count(b, 9802), "9,802");
    assert_string_equal(text_count(b, 1234567), "1,234,567");
}

static void numbers_do_not_follow_the_locale(void **state) {
    char b[TEXT_NUMBER_BYTES];
    static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8" };
    (void)state;
    for (size_t i = 0; i < 4 && !setlocale(LC_ALL, names[i]); i++) {}
    assert_string_equal(text_f64(b, 0.25, 5), "0.25");
    assert_string_equal(text_f64(b, 1.5e300, 5), "1.5e+300");
    setlocale(LC_ALL, "C");
}

static void control_characters_cannot_reach_a_terminal(void **state) {
    char b[64];
    static const char text[] = "a\x1b[2J\x7f\xC2\x9B" "3m\xFFgr\xC3\xBC\xC3\x9F";
    (void)state;
    text_copy_safe(b, sizeof b, text, sizeof text - 1);
    assert_string_equal(b, "a\\x1b[2J\\x7f\\xc2\\x9b3m\\xffgr\xC3\xBC\xC3\x9F");
    text_copy_safe(b, 4, "ab\xC3\xBC", 4);
    assert_string_equal(b, "ab"); /* no half character */
}

static void utf8_is_checked(void **state) {
    static const struct {
        const char *text;
        size_t size, wanted;
    } rows[] = {
        { "a", 1, 1 }, { "\xC3\xBC", 2, 2 }, { "\xE6\x97\xA5", 3, 3 }, { "\xF0\x9F\x98\x80", 4, 4 }, { "\xC3", 1, 0 }, { "\xC0\x80", 2, 0 },
        { "\x80", 1, 0 }, { "\xE0\x80\x80", 3, 0 }, { "\xED\xA0\x80", 3, 0 }, { "\xF4\x90\x80\x80", 4, 0 }, { "\xF5\x80\x80\x80", 4, 0 },
        { "\xF0\x80\x80\x80", 4, 0 }, { "\xC3x", 2, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(text_utf8_size(rows[i].text, rows[i].size), rows[i].wanted);
    }
}

static void json_is_nested_and_escaped(void **state) {
    json j;
    FILE *to = start();
    (void)state;
    json_init(&j, to);
    json_begin(&j, NULL, '{');
    json_text(&j, "na\"me", "a\\b\n\t\x01\xC3\xBC\xFF");
    json_begin(&j, "dims", '<');
    json_i64(&j, NULL, -1);
    json_u64(&j, NULL, UINT64_MAX);
    json_null(&j, NULL);
    json_end(&j);
    json_begin(&j, "empty", '[');
    json_end(&j);
    json_begin(&j, "list", '[');
    json_f64(&j, NULL, 0.5, 9);
    json_f64(&j, NULL, NAN, 9);
    json_bool(&j, NULL, true);
    json_end(&j);
    json_end(&j);
    fclose(to);
    assert_string_equal(shown, "{\n"
                               "  \"na\\\"me\": \"a\\\\b\\n\\t\\u0001\xC3\xBC\\ufffd\",\n"
                               "  \"dims\": [-1, 18446744073709551615, null],\n"
                               "  \"empty\": [],\n"
                               "  \"list\": [\n"
                               "    0.5,\n"
                               "    null,\n"
                               "    true\n"
                               "  ]\n"
                               "}\n");
}

static void tables_line_up(void **state) {
    table t;
    FILE *to = start();
    static const char *const cells[] = { "name", "n", "what", "\xC3\xBC", "10", "x", "long name", "5", "\x1b" };
    (void)state;
    table_init(&t, 3, 1 << 1);
    for (size_t i = 0; i < 9; i++) table_add(&t, cells[i]);
    table_print(&t, to, 2);
    table_deinit(&t);
    fclose(to);
    assert_string_equal(shown, "  name        n  what\n"
                               "  \xC3\xBC          10  x\n"
                               "  long name   5  \\x1b\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(control_characters_cannot_reach_a_terminal),
        cmocka_unit_test(utf8_is_checked),
        cmocka_unit_test(json_is_nested_and_escaped),
        cmocka_unit_test(tables_line_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
