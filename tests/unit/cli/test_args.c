/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/ge_test.h"

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/inputs.h"

/* Instead of message.c: what is said lands here. */
static char message[400];

int cli_fail(int exit_code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return exit_code;
}

void cli_note(const char *format, ...) {
    (void)format;
}

static const arg_option options[] = {
    { "input", 'i', true, "NAME=SOURCE", "data" },
    { "output", 'o', false, "DIR", "results" },
    { "runs", 'n', false, "N", "how often" },
    { "json", 0, false, NULL, "JSON" },
};
static const arg_command command = { .name = "try", .operands = "MODEL", .n_operands = 1, .options = options, .n_options = 4 };

static int parse(arg_values *out, int argc, ...) {
    char *argv[8];
    va_list words;
    va_start(words, argc);
    for (int i = 0; i < argc; i++) argv[i] = va_arg(words, char *);
    va_end(words);
    message[0] = 0;
    return args_parse(&command, argc, argv, out);
}

static void each_spelling_of_an_option_is_read(void **state) {
    arg_values v;
    (void)state;
    assert_int_equal(parse(&v, 6, "-ia=1", "m", "--input", "b=2", "--input=c=3", "--json"), CLI_OK);
    assert_int_equal(v.n_given, 4);
    assert_string_equal(v.given[0].value, "a=1");
    assert_string_equal(v.given[1].value, "b=2");
    assert_string_equal(v.given[2].value, "c=3");
    assert_string_equal(v.operands[0], "m");
    assert_true(args_has(&v, "json"));
    assert_false(args_has(&v, "output"));
    assert_null(args_value(&v, "output"));
    args_deinit(&v);
}

static void double_dash_ends_options(void **state) {
    arg_values v;
    (void)state;
    assert_int_equal(parse(&v, 3, "--json", "--", "--runs"), CLI_OK);
    assert_string_equal(v.operands[0], "--runs");
    args_deinit(&v);
}

static void help_needs_no_model(void **state) {
    arg_values v;
    (void)state;
    assert_int_equal(parse(&v, 1, "-h"), CLI_OK);
    assert_true(v.wants_help);
    args_deinit(&v);
}

static void fails(const char *part, arg_values *v, int code) {
    args_deinit(v);
    assert_int_equal(code, CLI_USAGE);
    if (!strstr(message, part)) fail_msg("'%s', wanted '%s'", message, part);
}

static void wrong_lines_say_what_is_wrong(void **state) {
    arg_values v;
    (void)state;
    fails("MODEL is missing", &v, parse(&v, 0));
    fails("unexpected word 'x'", &v, parse(&v, 2, "m", "x"));
    fails("did you mean '--output'", &v, parse(&v, 2, "m", "--ouput=x"));
    fails("unknown option '--zzzzzz'", &v, parse(&v, 2, "m", "--zzzzzz"));
    fails("unknown option '-z'", &v, parse(&v, 2, "m", "-z"));
    fails("--output needs a value", &v, parse(&v, 2, "m", "--output"));
    fails("--json takes no value", &v, parse(&v, 2, "m", "--json=1"));
    fails("--output is given twice", &v, parse(&v, 5, "m", "-o", "a", "-o", "b"));
}

static void counts_are_checked(void **state) {
    static const char *const bad[] = { "", "0", "1001", "-1", "+1", "1e3", " 1", "99999999999999999999" };
    arg_values v;
    uint64_t n = 7;
    (void)state;
    assert_int_equal(parse(&v, 1, "m"), CLI_OK);
    assert_int_equal(args_count(&v, "runs", 1, 1000, &n), CLI_OK);
    assert_int_equal(n, 7);
    args_deinit(&v);
    assert_int_equal(parse(&v, 3, "m", "-n", "1000"), CLI_OK);
    assert_int_equal(args_count(&v, "runs", 1, 1000, &n), CLI_OK);
    assert_int_equal(n, 1000);
    args_deinit(&v);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(parse(&v, 3, "m", "--runs", bad[i]), CLI_OK);
        int code = args_count(&v, "runs", 1, 1000, &n);
        fails("whole number from 1 to 1000", &v, code);
    }
}

static void nearest_word_is_near(void **state) {
    static const char *const words[] = { "readable", "dot", "plan" };
    (void)state;
    assert_string_equal(args_nearest("raedable", words, 3), "readable");
    assert_string_equal(args_nearest("plans", words, 3), "plan");
    assert_string_equal(args_nearest("read", words, 3), "readable");
    assert_null(args_nearest("svg", words, 3));
    assert_null(args_nearest("", words, 3));
    assert_null(args_nearest("a-word-that-is-far-too-long-to-be-near-anything", words, 3));
}

static void dims_are_read(void **state) {
    int64_t dims[NPY_MAX_RANK];
    int32_t rank;
    (void)state;
    assert_true(inputs_parse_dims("1x3x224x224", dims, &rank));
    assert_int_equal(rank, 4);
    assert_int_equal(dims[3], 224);
    assert_true(inputs_parse_dims("2,0", dims, &rank));
    assert_int_equal(rank, 2);
    assert_true(inputs_parse_dims("", dims, &rank));
    assert_int_equal(rank, 0);
    assert_false(inputs_parse_dims("1x", dims, &rank));
    assert_false(inputs_parse_dims("x1", dims, &rank));
    assert_false(inputs_parse_dims("-1", dims, &rank));
    assert_false(inputs_parse_dims("1x2x3x4x5x6x7x8x9", dims, &rank));
    assert_false(inputs_parse_dims("9223372036854775808", dims, &rank));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_spelling_of_an_option_is_read), cmocka_unit_test(double_dash_ends_options),
        cmocka_unit_test(help_needs_no_model),                cmocka_unit_test(wrong_lines_say_what_is_wrong),
        cmocka_unit_test(counts_are_checked),                 cmocka_unit_test(nearest_word_is_near),
        cmocka_unit_test(dims_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
