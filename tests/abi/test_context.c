/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, log sinks, options. */
#include "abi_test.h"

#include <pthread.h>

/* ---- options ---- */

static ge_options *options_new(void) {
    ge_options *options;
    check_ok(ge_options_create(&options));
    return options;
}

static void check_option(const ge_options *options, const char *key, const char *wanted) {
    char text[64];
    size_t size = 77;
    check_ok(ge_options_get_text(options, key, GE_NTS, text, sizeof text, &size));
    assert_string_equal(text, wanted);
    assert_int_equal(size, strlen(wanted));
}

static void test_options(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_options *options = options_new();
    check_option(options, "ge.backend", "auto"); /* the default */
    check_ok(ge_options_set_text(options, "ge.backendX", 10, "cpuX", 3));
    check_option(options, "ge.backend", "cpu");
    check_ok(ge_options_set_int(options, "ge.threads", GE_NTS, 3));
    check_option(options, "ge.threads", "3");
    check_ok(ge_options_set_int(options, "ge.threads", GE_NTS, 0));
    check_option(options, "ge.threads", "0");
    check_ok(ge_options_set_text(options, "ge.oo.level", GE_NTS, "O1", GE_NTS));
    check_option(options, "ge.oo.level", "O1");
    check_ok(ge_options_destroy(options));
    check_all_gone(before);
}

static void test_options_misuse(void **state) {
    (void)state;
    char text[8];
    size_t size = 5;
    ge_options *options = options_new();
    check_fails(ge_options_create(NULL), GE_ERR_NULL_ARGUMENT, "out_options");
    check_fails(ge_options_set_text(options, "ge.thraeds", GE_NTS, "1", GE_NTS), GE_ERR_UNKNOWN_OPTION, "key");
    check_fails(ge_options_set_text(options, "", 0, "1", GE_NTS), GE_ERR_UNKNOWN_OPTION, "key");
    char long_key[4000];
    memset(long_key, 'k', sizeof long_key);
    for (size_t length = 255; length <= sizeof long_key; length += length < 258 ? 1 : 100)
        check_fails(ge_options_set_text(options, long_key, length, "1", GE_NTS), GE_ERR_UNKNOWN_OPTION, "key");
    check_message("a key of", ge_options_set_text(options, long_key, 257, "1", GE_NTS));
    check_fails(ge_options_set_text(options, "ge.threads", GE_NTS, "many", GE_NTS), GE_ERR_OPTION_VALUE, "value");
    check_fails(ge_options_set_text(options, "ge.threads", GE_NTS, "", 0), GE_ERR_OPTION_VALUE, "value");
    check_fails(ge_options_set_text(options, "ge.threads", GE_NTS, "1\0" "2", 3), GE_ERR_OPTION_VALUE, "value");
    check_fails(ge_options_set_text(options, "ge.backend", GE_NTS, "cpu\0er", 6), GE_ERR_OPTION_VALUE, "value");
    check_fails(ge_options_set_int(options, "ge.threads", GE_NTS, -1), GE_ERR_OPTION_VALUE, "value");
    check_fails(ge_options_set_int(options, "ge.backend", GE_NTS, 1), GE_ERR_OPTION_VALUE, "value");
    check_fails(ge_options_set_int(options, "nosuch", GE_NTS, 1), GE_ERR_UNKNOWN_OPTION, "key");
    check_fails(ge_options_set_float(options, "ge.threads", GE_NTS, 1.5), GE_ERR_OPTION_VALUE, "value");
    check_fails(ge_options_set_float(options, "nosuch", GE_NTS, 1.5), GE_ERR_UNKNOWN_OPTION, "key");
    check_fails(ge_options_set_text(options, NULL, 0, "1", 1), GE_ERR_NULL_ARGUMENT, "key");
    check_fails(ge_options_set_text(options, "ge.threads", GE_NTS, NULL, GE_NTS), GE_ERR_NULL_ARGUMENT, "value");
    check_fails(ge_options_set_text(options, "ge.threads", GE_NTS, "\xff", 1), GE_ERR_INVALID_UTF8, "value");
    check_fails(ge_options_set_text(options, "\xc0\x80", 2, "1", 1), GE_ERR_INVALID_UTF8, "key");
    check_fails(ge_options_set_int(options, NULL, GE_NTS, 1), GE_ERR_NULL_ARGUMENT, "key");
    check_fails(ge_options_set_float(options, NULL, GE_NTS, 1), GE_ERR_NULL_ARGUMENT, "key");
    check_fails(ge_options_get_text(options, "nosuch", GE_NTS, text, sizeof text, &size), GE_ERR_UNKNOWN_OPTION, "key");
    assert_int_equal(size, 0);
    check_fails(ge_options_get_text(options, NULL, 0, text, sizeof text, &size), GE_ERR_NULL_ARGUMENT, "key");
    check_fails(ge_options_get_text(options, "ge.threads", GE_NTS, text, sizeof text, NULL), GE_ERR_NULL_ARGUMENT, "out_size");
    check_fails(ge_options_get_text(options, "ge.threads", GE_NTS, NULL, 4, &size), GE_ERR_NULL_ARGUMENT, NULL);
    check_ok(ge_options_destroy(options));
    check_ok(ge_options_destroy(NULL));
    check_fails(ge_options_destroy(options), GE_ERR_HANDLE_STALE, "options");
    check_fails(ge_options_set_int(options, "ge.threads", GE_NTS, 1), GE_ERR_HANDLE_STALE, "options");
    check_fails(ge_options_set_text(NULL, "ge.threads", GE_NTS, "1", 1), GE_ERR_HANDLE_NULL, "options");
    check_fails(ge_options_set_float(FOREIGN_HANDLE, "ge.threads", GE_NTS, 1), GE_ERR_HANDLE_FOREIGN, "options");
    check_fails(ge_options_get_text(SMALL_HANDLE, "ge.threads", GE_NTS, text, sizeof text, &size), GE_ERR_HANDLE_FOREIGN, "options");
}

/* The two-call pattern, and text that is cut between characters. */
static void test_text_buffers(void **state) {
    (void)state;
    char text[8] = "zzzzzzz";
    size_t size;
    ge_options *options = options_new();
    check_ok(ge_options_set_text(options, "ge.exec.podName", GE_NTS, "a\xc3\xa4\xe2\x82\xac", GE_NTS)); /* 1 + 2 + 3 bytes */
    check_ok(ge_options_get_text(options, "ge.exec.podName", GE_NTS, NULL, 0, &size));
    assert_int_equal(size, 6);
    check_ok(ge_options_get_text(options, "ge.exec.podName", GE_NTS, text, 7, &size));
    assert_string_equal(text, "a\xc3\xa4\xe2\x82\xac");
    const char *cut[] = { "", "", "a", "a", "a\xc3\xa4", "a\xc3\xa4", "a\xc3\xa4" };
    for (size_t cap = 1; cap <= 6; cap++) {
        memset(text, 'z', sizeof text);
        check_fails(ge_options_get_text(options, "ge.exec.podName", GE_NTS, text, cap, &size), GE_ERR_BUFFER_TOO_SMALL, NULL);
        assert_int_equal(size, 6);
        assert_string_equal(text, cut[cap]);
        assert_int_equal(text[cap], 'z');
    }
    text[0] = 'z';
    check_fails(ge_options_get_text(options, "ge.exec.podName", GE_NTS, text, 0, &size), GE_ERR_BUFFER_TOO_SMALL, NULL);
    assert_int_equal(text[0], 'z'); /* no room even for the zero byte */
    check_ok(ge_options_destroy(options));
}

/* ---- contexts ---- */

static void test_context(void **state) {
    (void)state;
    ge_context *context;
    ge_context_info info;
    ge_options *options = options_new();
    check_ok(ge_options_set_int(options, "ge.threads", GE_NTS, 2));
    check_ok(ge_context_create(options, &context));
    check_ok(ge_options_destroy(options)); /* copied */
    check_ok(ge_context_get_info(context, &info, sizeof info));
    assert_int_equal(info.struct_size, sizeof info);
    assert_int_equal(info.threads, 2);
    assert_int_equal(info.objects_count, 1);
    ge_tensor *tensor = two_floats(context);
    check_ok(ge_context_get_info(context, &info, sizeof info));
    assert_int_equal(info.objects_count, 2);
    assert_int_equal(info.copied_bytes, 8);
    assert_true(info.allocated_bytes >= 8 && info.peak_bytes >= info.allocated_bytes);
    check_ok(ge_context_destroy(context)); /* the tensor lives on */
    check_fails(ge_context_destroy(context), GE_ERR_HANDLE_STALE, "context");
    const uint8_t *data;
    size_t size;
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    assert_int_equal(size, 8);
    check_ok(ge_tensor_destroy(tensor));
}

static void test_context_misuse(void **state) {
    (void)state;
    ge_context_info info;
    ge_context *context = (ge_context *)&info;
    ge_options *options = options_new();
    check_ok(ge_options_destroy(options));
    check_fails(ge_context_create(options, &context), GE_ERR_HANDLE_STALE, "options");
    assert_null(context);
    check_fails(ge_context_create(NULL, NULL), GE_ERR_NULL_ARGUMENT, "out_context");
    check_ok(ge_context_create(NULL, &context));
    check_fails(ge_context_get_info(context, NULL, sizeof info), GE_ERR_NULL_ARGUMENT, "out_info");
    check_fails(ge_context_get_info(context, &info, 8), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_context_get_info(FOREIGN_HANDLE, &info, sizeof info), GE_ERR_HANDLE_FOREIGN, "context");
    ge_context *none = context;
    check_fails(ge_context_create((ge_options *)(void *)context, &none), GE_ERR_HANDLE_WRONG_KIND, "options");
    assert_null(none);
    check_ok(ge_context_destroy(context));
    check_ok(ge_context_destroy(NULL));
    check_ok(ge_context_get_info(NULL, &info, sizeof info)); /* the process default */
    assert_true(info.threads >= 1);
}

/* ---- log sinks ---- */

typedef struct heard {
    int lines, destroyed;
    ge_context *context; /* to be replaced from inside */
} heard;
static void hear(void *user, ge_log_level level, const char *message, size_t size) {
    heard *h = user;
    assert_true(level >= GE_LOG_ERROR && level <= GE_LOG_DEBUG);
    assert_int_equal(strlen(message), size);
    h->lines++;
}
static void forget(void *user) { ((heard *)user)->destroyed++; }

static void test_log_sink_life(void **state) {
    (void)state;
    heard a = { 0 }, b = { 0 }, c = { 0 };
    ge_context *context;
    check_ok(ge_context_create(NULL, &context));
    check_ok(ge_context_set_log_sink(context, GE_LOG_INFO, hear, &a, forget));
    assert_int_equal(a.destroyed, 0);
    check_ok(ge_context_set_log_sink(context, GE_LOG_DEBUG, hear, &b, forget));
    assert_int_equal(a.destroyed, 1);
    check_ok(ge_context_set_log_sink(context, GE_LOG_OFF, NULL, &c, forget)); /* no sink keeps it */
    assert_int_equal(b.destroyed, 1);
    assert_int_equal(c.destroyed, 1);
    check_ok(ge_context_set_log_sink(context, GE_LOG_INFO, hear, &a, NULL));
    check_ok(ge_context_set_log_sink(context, GE_LOG_INFO, hear, &b, forget));
    ge_tensor *tensor = two_floats(context);
    check_ok(ge_context_destroy(context));
    check_ok(ge_tensor_destroy(tensor)); /* the last user ends the sink */
    assert_int_equal(b.destroyed, 2);
}

static void test_options_without_effect_are_logged(void **state) {
    (void)state;
    heard h = { 0 };
    ge_options *options = options_new();
    check_ok(ge_context_set_log_sink(NULL, GE_LOG_INFO, hear, &h, NULL));
    check_ok(ge_options_set_int(options, "ge.threads", GE_NTS, 2));
    check_fails(ge_options_set_int(options, "ge.thread", GE_NTS, 2), GE_ERR_UNKNOWN_OPTION, "key");
    assert_int_equal(h.lines, 0);
    check_ok(ge_options_set_text(options, "ge.socVersion", GE_NTS, "any", GE_NTS));
    assert_int_equal(h.lines, 1);
    check_ok(ge_options_set_text(options, "ge.backend", GE_NTS, "cpu", GE_NTS));
    assert_int_equal(h.lines, 1);
    check_fails(ge_options_set_text(options, "ge.backend", GE_NTS, "dnnl", GE_NTS), GE_ERR_OPTION_VALUE, "value");
    check_message("'cpu' and 'auto'", ge_options_set_text(options, "ge.backend", GE_NTS, "dnnl", GE_NTS));
    check_fails(ge_options_set_text(options, "ge.precision", GE_NTS, "fast", GE_NTS), GE_ERR_UNKNOWN_OPTION, "key");
    check_ok(ge_context_set_log_sink(NULL, GE_LOG_OFF, NULL, NULL, NULL));
    check_ok(ge_options_destroy(options));
}

static void test_log_sink_misuse(void **state) {
    (void)state;
    heard a = { 0 };
    ge_context *context;
    check_ok(ge_context_create(NULL, &context));
    check_fails(ge_context_set_log_sink(context, -1, hear, &a, forget), GE_ERR_INVALID_ARGUMENT, "level");
    check_fails(ge_context_set_log_sink(context, 5, hear, &a, forget), GE_ERR_INVALID_ARGUMENT, "level");
    check_fails(ge_context_set_log_sink(FOREIGN_HANDLE, GE_LOG_INFO, hear, &a, forget), GE_ERR_HANDLE_FOREIGN, "context");
    assert_int_equal(a.destroyed, 3); /* also when the call fails */
    check_ok(ge_context_destroy(context));
    check_fails(ge_context_set_log_sink(context, GE_LOG_INFO, hear, &a, forget), GE_ERR_HANDLE_STALE, "context");
    assert_int_equal(a.destroyed, 4);
}

/* destroy that fails in a call of its own must not replace the record. */
static void forget_badly(void *user) {
    forget(user);
    if (ge_tensor_destroy(FOREIGN_HANDLE) == GE_OK) fail();
}
static void test_destroy_keeps_the_record(void **state) {
    (void)state;
    heard a = { 0 };
    check_fails(ge_context_set_log_sink(NULL, 99, hear, &a, forget_badly), GE_ERR_INVALID_ARGUMENT, "level");
    check_fails(ge_context_set_log_sink(FOREIGN_HANDLE, GE_LOG_INFO, hear, &a, forget_badly), GE_ERR_HANDLE_FOREIGN, "context");
    assert_int_equal(a.destroyed, 2);
}

static void *swap_sinks(void *arg) {
    static heard ignored;
    for (int i = 0; i < 2000; i++)
        if (ge_context_set_log_sink(arg, GE_LOG_DEBUG, hear, &ignored, NULL) != GE_OK) return arg;
    return NULL;
}
static void test_log_sink_threads(void **state) {
    (void)state;
    ge_context *context;
    pthread_t threads[3];
    check_ok(ge_context_create(NULL, &context));
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, swap_sinks, context), 0);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_null(result);
    }
    check_ok(ge_context_destroy(context));
}

/* ---- two threads destroy one handle: exactly one wins ---- */

static void *destroy_it(void *arg) { return ge_context_destroy(arg) == GE_OK ? arg : NULL; }
static void test_destroy_race(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        ge_context *context;
        pthread_t threads[2];
        void *results[2];
        check_ok(ge_context_create(NULL, &context));
        for (int k = 0; k < 2; k++) assert_int_equal(pthread_create(&threads[k], NULL, destroy_it, context), 0);
        for (int k = 0; k < 2; k++) pthread_join(threads[k], &results[k]);
        assert_int_equal((results[0] != NULL) + (results[1] != NULL), 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),         cmocka_unit_test(test_options_misuse),   cmocka_unit_test(test_text_buffers),
        cmocka_unit_test(test_context),         cmocka_unit_test(test_context_misuse),   cmocka_unit_test(test_log_sink_life),
        cmocka_unit_test(test_options_without_effect_are_logged), cmocka_unit_test(test_log_sink_misuse), cmocka_unit_test(test_destroy_keeps_the_record),
        cmocka_unit_test(test_log_sink_threads), cmocka_unit_test(test_destroy_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
