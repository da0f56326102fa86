/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/ge_test.h"

static void set_keeps_status_message_and_place(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    assert_int_equal(diag.argument_index, -1);
    ge_status status = gei_fail(&diag, GE_ERR_OUT_OF_MEMORY, "%s: axis %d of %zu", "Add 'x'", -3, (size_t)7);
    assert_int_equal(status, GE_ERR_OUT_OF_MEMORY);
    assert_int_equal(diag.status, status);
    assert_string_equal(diag.message, "Add 'x': axis -3 of 7");
    assert_non_null(strstr(diag.file, "test_diag.c"));
    assert_true(diag.line > 0);
}

static void null_diag_is_allowed_everywhere(void **state) {
    (void)state;
    assert_int_equal(gei_fail(NULL, GE_ERR_OUT_OF_MEMORY, "x"), GE_ERR_OUT_OF_MEMORY);
    gei_diag_clear(NULL);
    gei_diag_node(NULL, "n");
    gei_diag_argument(NULL, "a", 1);
    gei_diag_found(NULL, "%d", 1);
    gei_diag_wanted(NULL, "%d", 1);
    assert_int_equal(gei_out_of_memory(NULL, 5), GE_ERR_OUT_OF_MEMORY);
}

static void first_node_and_argument_stay(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    gei_diag_node(&diag, "inner");
    gei_diag_node(&diag, "outer");
    assert_string_equal(diag.node, "inner");
    gei_diag_argument(&diag, "axis", 2);
    gei_diag_argument(&diag, "graph", 0);
    assert_string_equal(diag.argument, "axis");
    assert_int_equal(diag.argument_index, 2);
    gei_diag_found(&diag, "rank %d", 3);
    gei_diag_wanted(&diag, "rank %d", 4);
    assert_string_equal(diag.found, "rank 3");
    assert_string_equal(diag.wanted, "rank 4");
}

static void long_message_is_cut_at_a_character(void **state) {
    (void)state;
    for (size_t lead = 0; lead < 4; lead++) {
        char text[2000];
        memset(text, 'x', lead);
        size_t n = lead;
        while (n + 5 < sizeof text) {
            memcpy(text + n, "\xF0\x9F\x98\x80", 4);
            n += 4;
        }
        text[n] = '\0';
        gei_diag diag;
        gei_diag_clear(&diag);
        gei_fail(&diag, GE_ERR_OUT_OF_MEMORY, "%s", text);
        size_t size = strlen(diag.message);
        assert_true(size < GEI_DIAG_MESSAGE_BYTES && size >= GEI_DIAG_MESSAGE_BYTES - 8);
        assert_string_equal(diag.message + size - 3, "...");
        assert_int_equal((size - 3 - lead) % 4, 0);
        assert_memory_equal(diag.message, text, size - 3);
    }
}

static void message_is_always_text_without_newline_at_the_end(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    gei_fail(&diag, GE_ERR_OUT_OF_MEMORY, "name '%s'\n\n", "a\xFF\xC3,\xED\xA0\x80z\xC3\xA9");
    assert_string_equal(diag.message, "name 'a??,???z\xC3\xA9'");
    gei_diag_node(&diag, "n\x80");
    assert_string_equal(diag.node, "n?");
}

static void copy_text_fills_exactly(void **state) {
    (void)state;
    char to[8];
    assert_int_equal(gei_copy_text(to, sizeof to, "1234567", 7), 7);
    assert_string_equal(to, "1234567");
    assert_int_equal(gei_copy_text(to, sizeof to, "12345678", 8), 7);
    assert_string_equal(to, "1234...");
    assert_int_equal(gei_copy_text(to, sizeof to, "123\xC3\xA9xxx", 8), 6);
    assert_string_equal(to, "123...");
    assert_int_equal(gei_copy_text(to, 3, "abcdef", 6), 2);
    assert_string_equal(to, "ab");
    assert_int_equal(gei_copy_text(to, 1, "abcdef", 6), 0);
    assert_string_equal(to, "");
    assert_int_equal(gei_copy_text(to, 0, "abcdef", 6), 0);
    assert_int_equal(gei_copy_text(to, sizeof to, NULL, 0), 0);
    assert_string_equal(to, "");
}

static void details_are_pairs_of_texts(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    gei_diag_detail(NULL, "k", "v");
    gei_diag_detail(&diag, "offset", "%d", 12);
    gei_diag_detail(&diag, "field", "%s", "name");
    assert_int_equal(diag.n_details, 2);
    assert_int_equal(diag.details_size, sizeof "offset\00012\0field\0name");
    assert_memory_equal(diag.details, "offset\00012\0field\0name", diag.details_size);
    for (int i = 0; i < 20; i++) gei_diag_detail(&diag, "key", "%0100d", i);
    assert_in_range(diag.n_details, 3, 8);
    assert_in_range(diag.details_size, 1, GEI_DIAG_DETAILS_BYTES);
    assert_int_equal(diag.details[diag.details_size - 1], 0);
}

static void out_of_memory_tells_the_size(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    assert_fails_with(gei_out_of_memory(&diag, 12345), &diag, "12345 bytes");
    assert_fails_with(gei_out_of_memory(&diag, 0), &diag, "out of memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_keeps_status_message_and_place),
        cmocka_unit_test(null_diag_is_allowed_everywhere),
        cmocka_unit_test(first_node_and_argument_stay),
        cmocka_unit_test(long_message_is_cut_at_a_character),
        cmocka_unit_test(message_is_always_text_without_newline_at_the_end),
        cmocka_unit_test(copy_text_fills_exactly),
        cmocka_unit_test(details_are_pairs_of_texts),
        cmocka_unit_test(out_of_memory_tells_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
