/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "unit/ge_test.h"

typedef struct seen {
    int32_t level;
    int n_lines;
    char text[2048];
} seen;

static void remember(void *user, int32_t level, const char *text) {
    seen *s = user;
    s->level = level;
    s->n_lines++;
    strcpy(s->text, text);
}

static void lines_reach_the_sink_up_to_its_level(void **state) {
    (void)state;
    seen s = { 0 };
    gei_log log = { remember, &s, GEI_LOG_WARN };
    gei_log_line(&log, GEI_LOG_INFO, "no");
    assert_int_equal(s.n_lines, 0);
    gei_log_line(&log, GEI_LOG_WARN, "%s %d\n", "answer", 42);
    assert_int_equal(s.n_lines, 1);
    assert_int_equal(s.level, GEI_LOG_WARN);
    assert_string_equal(s.text, "answer 42");
}

static void long_line_is_cut(void **state) {
    (void)state;
    seen s = { 0 };
    gei_log log = { remember, &s, GEI_LOG_DEBUG };
    gei_log_line(&log, GEI_LOG_DEBUG, "%05000d", 1);
    assert_int_equal(strlen(s.text), 1023);
    assert_string_equal(s.text + 1020, "...");
}

static void without_sink_nothing_happens(void **state) {
    (void)state;
    gei_log log = { 0 };
    gei_log_line(&log, GEI_LOG_ERROR, "x");
    gei_log_line(NULL, GEI_LOG_ERROR, "x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_reach_the_sink_up_to_its_level),
        cmocka_unit_test(long_line_is_cut),
        cmocka_unit_test(without_sink_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
