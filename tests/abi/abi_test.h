/* SPDX-License-Identifier: Apache-2.0 */
/* abi_test: what tests of the public interface share.  They are clients: they see ge_c_api.h and nothing else of ours.
 *
 *   check_ok(ge_graph_check(g));                                     fails the test with the record's message
 *   check_fails(ge_graph_check(NULL), GE_ERR_HANDLE_NULL, "graph");  status, and the record: named argument, message, function, class
 *   check_fails(..., NULL)                                           an argument need not be named
 *   check_all_gone(before)                                           no object of the process default is left
 */
#ifndef GE_ABI_TEST_H
#define GE_ABI_TEST_H

#define GE_NO_NULLABILITY
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ge_c_api.h"

/* Notes which cell of the coverage table a call filled: lines `function status` in $GE_TEST_TMP/cells/<test>, for coverage.py. */
static inline void note_cell(const char *function, size_t size, ge_status status, const char *site) {
    static uintptr_t seen[1024];
    static int fd = -1;
    uint32_t number = (uint32_t)status >> 16 << 8 | ((uint32_t)status & 0xFF);
    uintptr_t key = (uintptr_t)site | (uintptr_t)number << 48; /* addresses end at 47 bits */
    char line[256];
    if (__atomic_exchange_n(&seen[(key ^ key >> 10 ^ key >> 48) % 1024], key, __ATOMIC_RELAXED) == key || strncmp(function, "ge_", 3) != 0) return;
    int to = __atomic_load_n(&fd, __ATOMIC_ACQUIRE);
    if (to == -1) {
        snprintf(line, sizeof line, "%s/cells", getenv("GE_TEST_TMP") ? getenv("GE_TEST_TMP") : "/nowhere");
        mkdir(line, 0777);
        snprintf(line + strlen(line), sizeof line - strlen(line), "/%s", program_invocation_short_name);
        to = open(line, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        __atomic_store_n(&fd, to < 0 ? -2 : to, __ATOMIC_RELEASE);
    }
    int n = snprintf(line, sizeof line, "%.*s %s\n", (int)size, function, ge_status_name(status));
    if (to >= 0 && write(to, line, (size_t)n) != n) print_error("%s could not be noted\n", function);
}

static inline void check_ok_at(ge_status st, const char *call, const char *file, int line) {
    if (st == GE_OK) {
        note_cell(call, strcspn(call, "( "), st, call);
        return;
    }
    ge_error *error;
    ge_error_take(&error);
    print_error("%s: %s: %s\n", call, ge_status_name(st), ge_error_get_message(error));
    ge_error_release(error);
    _fail(file, line);
}
#define check_ok(call) check_ok_at((call), #call, __FILE__, __LINE__)

/* The record of the failure must be complete: E1 to E4 and E10 of the error rules. */
static inline void check_fails_at(ge_status st, ge_status wanted, const char *argument, const char *call, const char *file, int line) {
    ge_error *error;
    ge_error_info info = { 0 };
    ge_error_take(&error);
    if (st != wanted) {
        print_error("%s: %s (%s), wanted %s\n", call, ge_status_name(st), ge_error_get_message(error), ge_status_name(wanted));
        _fail(file, line);
    }
    if (!error || ge_error_get_info(error, &info, sizeof info) != GE_OK) {
        print_error("%s: no record\n", call);
        _fail(file, line);
    }
    const char *problem = NULL;
    size_t size = strlen(info.message);
    size_t name_size = strcspn(call, "( ");
    if (info.status != wanted) problem = "the record holds another status";
    else if (size == 0) problem = "the message is empty";
    else if (info.message[size - 1] == '\n' || info.message[size - 1] == '.') problem = "the message ends in a newline or full stop";
    else if (strncmp(call, "ge_", 3) == 0 && (strlen(info.function_name) != name_size || strncmp(call, info.function_name, name_size) != 0))
        problem = "the record names another function";
    else if (argument && strcmp(info.argument, argument) != 0) problem = "the record names another argument";
    else if (argument && info.argument_index < 0) problem = "the argument has no index";
    if (problem) {
        print_error("%s: %s (function '%s', argument '%s' %d, message '%s')\n", call, problem, info.function_name, info.argument,
                    info.argument_index, info.message);
        _fail(file, line);
    }
    note_cell(info.function_name, strlen(info.function_name), wanted, call);
    ge_error_release(error);
}
#define check_fails(call, status, argument) check_fails_at((call), (status), (argument), #call, __FILE__, __LINE__)

/* The call fails with a message that holds `part`. */
static inline void check_message_at(const char *part, ge_status st, const char *file, int line) {
    ge_error *error;
    ge_error_take(&error);
    int is_said = st != GE_OK && strstr(ge_error_get_message(error), part);
    if (!is_said) print_error("%s: '%s', wanted '%s'\n", ge_status_name(st), ge_error_get_message(error), part);
    ge_error_release(error);
    if (!is_said) _fail(file, line);
}
#define check_message(part, call) check_message_at((part), (call), __FILE__, __LINE__)

static inline uint64_t live_objects(void) {
    ge_context_info info;
    check_ok(ge_context_get_info(NULL, &info, sizeof info));
    return info.objects_count;
}
#define check_all_gone(before) assert_int_equal(live_objects(), (before))

/* Handles that are none: NULL, an aligned address inside the process, a small number. */
static inline void *foreign_handle(void) {
    static int not_a_handle;
    return &not_a_handle;
}
#define FOREIGN_HANDLE foreign_handle()
#define SMALL_HANDLE ((void *)(uintptr_t)64)

/* A desc over dims that outlive it. */
static inline ge_tensor_desc desc_of(ge_dtype dtype, int32_t rank, const int64_t *dims) {
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    desc.dtype = dtype;
    desc.rank = rank;
    desc.dims = dims;
    return desc;
}

/* A tensor of two float32: 1, 2. */
static inline ge_tensor *two_floats(const ge_context *context) {
    const int64_t dims[] = { 2 };
    const float values[] = { 1, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_tensor *tensor;
    check_ok(ge_tensor_create_from_data(context, &desc, (const uint8_t *)values, sizeof values, &tensor));
    return tensor;
}

#endif
