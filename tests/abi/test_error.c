/* SPDX-License-Identifier: Apache-2.0 */
/* Error records, statuses and versions. */
#include "abi_test.h"

#include <pthread.h>

static void leave_error(void) { assert_int_equal(ge_graph_check(NULL), GE_ERR_HANDLE_NULL); }

static ge_error *taken(void) {
    ge_error *error;
    ge_error_take(&error);
    return error;
}

/* ---- statuses ---- */

static void test_status_names(void **state) {
    (void)state;
    assert_string_equal(ge_status_name(GE_OK), "GE_OK");
    assert_string_equal(ge_status_name(GE_ERR_NULL_ARGUMENT), "GE_ERR_NULL_ARGUMENT");
    assert_string_equal(ge_status_name(GE_ERR_INTERNAL), "GE_ERR_INTERNAL");
    assert_string_equal(ge_status_name(GE_ERR_CALLBACK | 77), "GE_ERR_CALLBACK");
    assert_string_equal(ge_status_name(0x00017777), "GE_ERR_UNKNOWN");
    assert_string_equal(ge_status_name(-1), "GE_ERR_UNKNOWN");
    assert_string_equal(ge_status_name(INT32_MIN), "GE_ERR_UNKNOWN");
}

/* ---- records ---- */

static void test_take_moves_the_record(void **state) {
    (void)state;
    leave_error();
    ge_error *first = taken();
    assert_non_null(first);
    assert_null(taken()); /* moved out */
    assert_int_equal(ge_error_get_status(first), GE_ERR_HANDLE_NULL);
    assert_int_not_equal(strlen(ge_error_get_message(first)), 0);
    check_ok(ge_error_release(first));
    ge_error_take(NULL); /* nothing to do, no crash */
}

static void test_success_keeps_the_record(void **state) {
    (void)state;
    uint64_t before;
    leave_error();
    before = live_objects(); /* a call that succeeds */
    (void)before;
    ge_error *error = taken();
    assert_int_equal(ge_error_get_status(error), GE_ERR_HANDLE_NULL);
    ge_error_release(error);
}

static void test_info(void **state) {
    (void)state;
    ge_error_info info, next;
    ge_dtype dtype;
    assert_int_equal(ge_dtype_find("nosuch", GE_NTS, &dtype), GE_ERR_NOT_FOUND);
    ge_error *error = taken();
    check_ok(ge_error_get_info(error, &info, sizeof info));
    assert_int_equal(info.struct_size, sizeof info);
    assert_int_equal(info.status, GE_ERR_NOT_FOUND);
    assert_string_equal(info.function_name, "ge_dtype_find");
    assert_string_equal(info.argument, "name");
    assert_int_equal(info.argument_index, 0);
    assert_string_equal(info.message, ge_error_get_message(error));
    assert_non_null(info.file);
    assert_true(info.line > 0 && info.file[0] && info.file[0] != '/');
    assert_non_null(info.node);
    assert_non_null(info.found);
    assert_non_null(info.wanted);
    ge_error_release(error);
    leave_error();
    error = taken();
    check_ok(ge_error_get_info(error, &next, sizeof next));
    assert_true(next.sequence > info.sequence);
    ge_error_release(error);
}

static void test_info_sizes(void **state) {
    (void)state;
    struct {
        ge_error_info info;
        uint64_t more;
    } bigger;
    leave_error();
    ge_error *error = taken();
    memset(&bigger, 0x5a, sizeof bigger);
    check_ok(ge_error_get_info(error, &bigger.info, sizeof bigger)); /* a later header: the rest stays untouched */
    assert_int_equal(bigger.info.struct_size, sizeof bigger.info);
    assert_true(bigger.more == UINT64_C(0x5a5a5a5a5a5a5a5a));
    check_fails(ge_error_get_info(error, &bigger.info, 0), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_error_get_info(error, &bigger.info, 4), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_error_get_info(error, &bigger.info, sizeof bigger.info - 8), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_error_get_info(error, &bigger.info, 1 << 20), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_error_get_info(error, NULL, sizeof bigger.info), GE_ERR_NULL_ARGUMENT, "out_info");
    ge_error_release(error);
}

static void test_details(void **state) {
    (void)state;
    const char *key, *value;
    ge_status status;
    ge_error_info info;
    leave_error();
    ge_error *error = taken();
    check_ok(ge_error_get_info(error, &info, sizeof info));
    assert_int_equal(info.details_count, 1);
    check_ok(ge_error_get_detail(error, 0, &key, &value));
    assert_string_equal(key, "handle");
    assert_string_equal(value, "null");
    check_fails(ge_error_get_detail(error, 1, &key, &value), GE_ERR_OUT_OF_RANGE, "index");
    assert_null(key);
    assert_null(value);
    check_fails(ge_error_get_detail(error, SIZE_MAX, &key, &value), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_error_get_detail(error, 0, NULL, &value), GE_ERR_NULL_ARGUMENT, "out_key");
    check_fails(ge_error_get_detail(error, 0, &key, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    status = 1;
    check_fails(ge_error_get_cause(error, info.causes_count, &status, &value), GE_ERR_OUT_OF_RANGE, "index");
    assert_int_equal(status, GE_OK);
    assert_null(value);
    check_fails(ge_error_get_cause(error, 0, NULL, &value), GE_ERR_NULL_ARGUMENT, "out_status");
    check_fails(ge_error_get_cause(error, 0, &status, NULL), GE_ERR_NULL_ARGUMENT, "out_message");
    ge_error_release(error);
}

/* ---- counts and handles ---- */

static void test_counts(void **state) {
    (void)state;
    leave_error();
    ge_error *error = taken();
    check_ok(ge_error_acquire(error));
    check_ok(ge_error_acquire(error));
    check_ok(ge_error_release(error));
    check_ok(ge_error_release(error));
    assert_int_equal(ge_error_get_status(error), GE_ERR_HANDLE_NULL);
    check_ok(ge_error_release(error));
    check_fails(ge_error_release(error), GE_ERR_HANDLE_STALE, "error");
    check_fails(ge_error_acquire(error), GE_ERR_HANDLE_STALE, "error");
    assert_int_equal(ge_error_get_status(error), GE_ERR_BAD_HANDLE);
    assert_string_equal(ge_error_get_message(error), "");
}

/* Counts end before they could run into the bits beside them. */
static void test_most_counts(void **state) {
    (void)state;
    const uint32_t most = (1u << 24) - 1; /* beside the first */
    leave_error();
    ge_error *error = taken();
    ge_status st = GE_OK;
    uint32_t n = 0;
    while ((st = ge_error_acquire(error)) == GE_OK && n <= most) n++;
    assert_int_equal(n, most);
    check_fails(ge_error_acquire(error), GE_ERR_LIMIT, "error");
    assert_int_equal(ge_error_get_status(error), GE_ERR_HANDLE_NULL);
    for (; n > 0; n--) check_ok(ge_error_release(error));
    check_ok(ge_error_release(error));
    check_fails(ge_error_release(error), GE_ERR_HANDLE_STALE, "error");
}

static void test_bad_handles(void **state) {
    (void)state;
    ge_error_info info;
    const char *key, *value;
    ge_status status;
    ge_graph *graph;
    check_ok(ge_error_release(NULL));
    assert_int_equal(ge_error_get_status(NULL), GE_OK);
    assert_string_equal(ge_error_get_message(NULL), "");
    assert_int_equal(ge_error_get_status(FOREIGN_HANDLE), GE_ERR_BAD_HANDLE);
    assert_string_equal(ge_error_get_message(FOREIGN_HANDLE), "");
    check_fails(ge_error_acquire(NULL), GE_ERR_HANDLE_NULL, "error");
    check_fails(ge_error_acquire(FOREIGN_HANDLE), GE_ERR_HANDLE_FOREIGN, "error");
    check_fails(ge_error_release(SMALL_HANDLE), GE_ERR_HANDLE_FOREIGN, "error");
    check_fails(ge_error_get_info(NULL, &info, sizeof info), GE_ERR_HANDLE_NULL, "error");
    check_fails(ge_error_get_detail(FOREIGN_HANDLE, 0, &key, &value), GE_ERR_HANDLE_FOREIGN, "error");
    check_fails(ge_error_get_cause(SMALL_HANDLE, 0, &status, &value), GE_ERR_HANDLE_FOREIGN, "error");
    check_ok(ge_graph_create(NULL, "g", 1, &graph));
    check_fails(ge_error_acquire((ge_error *)graph), GE_ERR_HANDLE_WRONG_KIND, "error");
    check_fails(ge_error_release((ge_error *)graph), GE_ERR_HANDLE_WRONG_KIND, "error");
    check_fails(ge_graph_check((ge_graph *)(void *)((char *)graph + 1)), GE_ERR_HANDLE_STALE, "graph"); /* a generation not yet there */
    check_ok(ge_graph_destroy(graph));
}

/* A handle is stale for ever, however many come after it. */
static void test_stale_after_many(void **state) {
    (void)state;
    ge_graph *old, *graph;
    check_ok(ge_graph_create(NULL, "old", GE_NTS, &old));
    check_ok(ge_graph_destroy(old));
    check_fails(ge_graph_destroy(old), GE_ERR_HANDLE_STALE, "graph");
    for (int i = 0; i < 70000; i++) {
        check_ok(ge_graph_create(NULL, "g", 1, &graph));
        assert_ptr_not_equal(graph, old);
        check_ok(ge_graph_destroy(graph));
    }
    check_fails(ge_graph_check(old), GE_ERR_HANDLE_STALE, "graph");
}

static void test_text_is_cut_whole(void **state) {
    (void)state;
    char name[3001];
    ge_error_info info;
    memset(name, 'x', sizeof name);
    for (size_t i = 0; i + 1 < sizeof name; i += 2) memcpy(name + i, "\xc3\xa4", 2); /* two bytes a character */
    name[sizeof name - 1] = 0;
    ge_dtype dtype;
    assert_int_equal(ge_dtype_find(name, GE_NTS, &dtype), GE_ERR_NOT_FOUND);
    ge_error *error = taken();
    check_ok(ge_error_get_info(error, &info, sizeof info));
    assert_true(strlen(info.message) < 512);
    for (const char *c = info.message; *c; c++) /* every character is whole or replaced */
        if ((unsigned char)*c == 0xc3) assert_int_equal((unsigned char)c[1], 0xa4);
    ge_error_release(error);
}

/* ---- threads ---- */

static void *other_thread(void *arg) {
    (void)arg;
    ge_error *error;
    ge_error_take(&error); /* what the main thread left is not ours */
    if (error) return (void *)1;
    if (ge_graph_check(NULL) != GE_ERR_HANDLE_NULL) return (void *)1;
    ge_error_take(&error);
    return error; /* errors cross threads */
}

static void test_record_per_thread(void **state) {
    (void)state;
    pthread_t thread;
    void *result;
    leave_error();
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_non_null(result);
    assert_ptr_not_equal(result, (void *)1);
    assert_int_equal(ge_error_get_status(result), GE_ERR_HANDLE_NULL);
    check_ok(ge_error_release(result));
    ge_error *mine = taken();
    assert_non_null(mine);
    ge_error_release(mine);
}

/* ---- callbacks ---- */

static ge_status say_why(void *user, const uint8_t *data, size_t size) {
    (void)data, (void)size;
    return ge_error_set_in_callback(*(ge_status *)user, "the disk is full", GE_NTS);
}
static ge_status say_nothing(void *user, const uint8_t *data, size_t size) {
    (void)data, (void)size;
    return *(ge_status *)user;
}
static void count_destroy(void *user) { ++*((int32_t *)user + 1); }

static void test_callback_status(void **state) {
    (void)state;
    ge_graph *graph;
    int32_t user[2] = { GE_ERR_CALLBACK | 7, 0 }; /* status, runs of destroy */
    check_ok(ge_graph_create(NULL, "g", GE_NTS, &graph));
    assert_int_equal(ge_graph_dump_to(graph, GE_DUMP_READABLE, say_why, user, count_destroy), GE_ERR_CALLBACK | 7);
    ge_error *error = taken();
    assert_int_equal(ge_error_get_status(error), GE_ERR_CALLBACK | 7);
    assert_non_null(strstr(ge_error_get_message(error), "the disk is full"));
    ge_error_release(error);
    check_fails(ge_graph_dump_to(graph, GE_DUMP_READABLE, say_nothing, user, count_destroy), GE_ERR_CALLBACK | 7, NULL);
    user[0] = GE_ERR_CANCELLED; /* any known class comes out unchanged */
    check_fails(ge_graph_dump_to(graph, GE_DUMP_READABLE, say_nothing, user, count_destroy), GE_ERR_CANCELLED, NULL);
    user[0] = 12345; /* garbage becomes GE_ERR_CALLBACK */
    check_fails(ge_graph_dump_to(graph, GE_DUMP_READABLE, say_nothing, user, count_destroy), GE_ERR_CALLBACK, NULL);
    user[0] = -1;
    check_fails(ge_graph_dump_to(graph, GE_DUMP_READABLE, say_nothing, user, count_destroy), GE_ERR_CALLBACK, NULL);
    assert_int_equal(user[1], 5);
    assert_int_equal(ge_error_set_in_callback(GE_OK, "no", GE_NTS), GE_ERR_CALLBACK);
    assert_int_equal(ge_error_set_in_callback(0x7fff0000, "no", GE_NTS), GE_ERR_CALLBACK);
    assert_int_equal(ge_error_set_in_callback(GE_ERR_SHAPE, NULL, 0), GE_ERR_SHAPE);
    assert_int_equal(ge_error_set_in_callback(GE_ERR_SHAPE, "\xff", 1), GE_ERR_SHAPE); /* not UTF-8: no message, same status */
    check_fails(ge_graph_check(NULL), GE_ERR_HANDLE_NULL, "graph"); /* a message left behind does not stick to another failure */
    check_ok(ge_graph_destroy(graph));
}

/* ---- version ---- */

static void test_version(void **state) {
    (void)state;
    uint32_t major, minor, patch;
    ge_get_version(&major, &minor, &patch);
    ge_get_version(NULL, NULL, NULL);
    assert_int_equal(major, GE_HEADER_MAJOR);
    assert_int_equal(minor, GE_HEADER_MINOR);
    assert_int_equal(ge_get_abi_version(), GE_HEADER_ABI);
    assert_true(strlen(ge_get_build_info()) > 0);
    check_ok(ge_check_header(GE_HEADER_ABI, GE_HEADER_MAJOR, sizeof(void *)));
    check_fails(ge_check_header(GE_HEADER_ABI + 1, GE_HEADER_MAJOR, sizeof(void *)), GE_ERR_UNSUPPORTED_VERSION, NULL);
    check_fails(ge_check_header(GE_HEADER_ABI, GE_HEADER_MAJOR + 1, sizeof(void *)), GE_ERR_UNSUPPORTED_VERSION, NULL);
    check_fails(ge_check_header(GE_HEADER_ABI, GE_HEADER_MAJOR, 4), GE_ERR_UNSUPPORTED_VERSION, NULL);
}

static void test_features_and_procs(void **state) {
    (void)state;
    assert_int_equal(ge_has_feature("dlpack", GE_NTS), 1);
    assert_int_equal(ge_has_feature("dlpackXYZ", 6), 1);
    assert_int_equal(ge_has_feature("dlpac", GE_NTS), 0);
    assert_int_equal(ge_has_feature("", 0), 0);
    assert_int_equal(ge_has_feature(NULL, GE_NTS), 0);
    assert_true(ge_get_proc("ge_status_name", GE_NTS) == (ge_proc)ge_status_name);
    assert_true(ge_get_proc("ge_status_nameXYZ", 14) == (ge_proc)ge_status_name);
    assert_true(ge_get_proc("ge_builder_end_op", GE_NTS) == (ge_proc)ge_builder_end_op);
    assert_true(ge_get_proc("gei_handle_get", GE_NTS) == NULL);
    assert_true(ge_get_proc("", 0) == NULL);
    assert_true(ge_get_proc(NULL, GE_NTS) == NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_names),       cmocka_unit_test(test_take_moves_the_record),
        cmocka_unit_test(test_success_keeps_the_record), cmocka_unit_test(test_info),
        cmocka_unit_test(test_info_sizes),         cmocka_unit_test(test_details),
        cmocka_unit_test(test_counts), cmocka_unit_test(test_most_counts),             cmocka_unit_test(test_bad_handles),
        cmocka_unit_test(test_stale_after_many),   cmocka_unit_test(test_text_is_cut_whole),
        cmocka_unit_test(test_record_per_thread),  cmocka_unit_test(test_callback_status),
        cmocka_unit_test(test_version),            cmocka_unit_test(test_features_and_procs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
