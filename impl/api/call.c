/* SPDX-License-Identifier: Apache-2.0 */
#include "api/call.h"

#include <stdbool.h>
#include <string.h>

#include "api/error.h"

ge_status gei_call_end(const char *function, ge_status st, gei_diag *diag) {
    if (st == GE_OK) return GE_OK;
    if (!diag->message[0]) gei_copy_text(diag->message, sizeof diag->message, gei_status_sentence(st), strlen(gei_status_sentence(st)));
    diag->status = st;
    gei_error_record(function, diag);
    return st;
}

ge_status gei_call_null(const char *function, const char *argument, int32_t index) {
    gei_diag diag;
    gei_call_begin(&diag);
    gei_diag_argument(&diag, argument, index);
    gei_diag_found(&diag, "NULL");
    return gei_call_end(function, gei_fail(&diag, GE_ERR_NULL_ARGUMENT, "%s is NULL", argument), &diag);
}

ge_status gei_handle_fault(ge_status why, const char *argument, int32_t index, const void *handle, gei_handle_kind wanted, gei_diag *diag) {
    static const struct {
        ge_status status;
        const char *word, *sentence;
    } reasons[] = {
        { GE_ERR_HANDLE_NULL, "null", "is NULL" },
        { GE_ERR_HANDLE_FOREIGN, "foreign", "was not made by this library" },
        { GE_ERR_HANDLE_STALE, "stale", "was destroyed" },
        { GE_ERR_HANDLE_WRONG_KIND, "wrong kind", "is of another kind" },
        { GE_ERR_HANDLE_CLOSED, "closed", "was destroyed while calls on it run" },
        { GE_ERR_HANDLE_OTHER_CONTEXT, "other context", "belongs to another context" },
        { GE_ERR_FORKED, "forked", "was made before a fork" },
        { GE_ERR_LIMIT, "limit", "is held too many times" },
    };
    gei_diag_argument(diag, argument, index);
    gei_diag_wanted(diag, "%s", gei_handle_kind_name(wanted));
    for (size_t i = 0; i < GEI_COUNT(reasons); i++) {
        if (reasons[i].status != why) continue;
        gei_diag_detail(diag, "handle", "%s", reasons[i].word);
        if (why == GE_ERR_HANDLE_WRONG_KIND) gei_diag_found(diag, "%s", gei_handle_kind_name(gei_handle_kind_of(handle)));
        else gei_diag_found(diag, "%s", reasons[i].word);
        return gei_fail(diag, why, "%s handle %s %s", gei_handle_kind_name(wanted), argument, reasons[i].sentence);
    }
    return why;
}

ge_status gei_call_bad_handle(const char *function, ge_status why, const char *argument, int32_t index, const void *handle,
                              gei_handle_kind wanted) {
    gei_diag diag;
    gei_call_begin(&diag);
    return gei_call_end(function, gei_handle_fault(why, argument, index, handle, wanted, &diag), &diag);
}

ge_status gei_text_in(const char *text, size_t *size, const char *argument, int32_t index, gei_diag *diag) {
    if (!text && *size != 0) return gei_argument_fail(diag, argument, index, GE_ERR_NULL_ARGUMENT, "%s is NULL", argument);
    if (*size == GE_NTS) *size = strlen(text);
    if (*size > 0 && !gei_utf8_valid(text, *size))
        return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_UTF8, "%s is not valid UTF-8", argument);
    return GE_OK;
}

ge_status gei_text_copy(const gei_allocator *from, const char *text, size_t size, char **out, gei_diag *diag) {
    *out = NULL;
    if (size && memchr(text, 0, size)) return gei_fail(diag, GE_ERR_INVALID_UTF8, "text contains a zero byte");
    char *copy = gei_alloc(from, size + 1, 1);
    if (!copy) return gei_out_of_memory(diag, size + 1);
    if (size) memcpy(copy, text, size);
    copy[size] = 0;
    *out = copy;
    return GE_OK;
}

void gei_text_free(const gei_allocator *from, char *text, size_t size) { gei_free(from, text, size + 1, 1); }

ge_status gei_path_in(const char *path, size_t size, const char *argument, int32_t index, char **out, size_t *out_size, gei_diag *diag) {
    *out = NULL;
    if (!path) return gei_argument_fail(diag, argument, index, GE_ERR_NULL_ARGUMENT, "%s is NULL", argument);
    if (size == GE_NTS) size = strlen(path);
    if (size == 0 || memchr(path, 0, size))
        return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_ARGUMENT, size ? "%s contains a zero byte" : "%s is empty", argument);
    if (size >= 65536) return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_ARGUMENT, "%s is longer than a path can be", argument);
    char *copy = gei_alloc(&gei_heap, size + 1, 1);
    if (!copy) return gei_out_of_memory(diag, size + 1);
    memcpy(copy, path, size);
    copy[size] = 0;
    *out = copy;
    *out_size = size;
    return GE_OK;
}

ge_status gei_text_out(const char *text, size_t size, char *buffer, size_t buffer_size, size_t *out_size, int32_t index, gei_diag *diag) {
    *out_size = buffer || buffer_size == 0 ? size : 0;
    if (!buffer && buffer_size == 0) return GE_OK;
    if (!buffer) return gei_argument_fail(diag, "buffer", index, GE_ERR_NULL_ARGUMENT, "buffer is NULL but buffer_size is %zu", buffer_size);
    size_t n = size < buffer_size ? size : buffer_size;
    if (n < size || n == buffer_size) { /* cut at a character; room for the terminator only when it fits */
        if (n == buffer_size && n > 0) n--;
        while (n > 0 && n < size && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
    }
    if (n > 0) memcpy(buffer, text, n);
    if (buffer_size > 0) buffer[n] = 0;
    if (size < buffer_size) return GE_OK;
    gei_diag_found(diag, "%zu", buffer_size);
    gei_diag_wanted(diag, "%zu", size + 1);
    return gei_argument_fail(diag, "buffer_size", index + 1, GE_ERR_BUFFER_TOO_SMALL, "buffer of %zu bytes cannot hold %zu bytes and a terminator",
                             buffer_size, size);
}

ge_status gei_array_out(size_t count, const void *buffer, size_t cap, size_t *out_count, const char *argument, int32_t index, gei_diag *diag) {
    *out_count = buffer || cap == 0 ? count : 0;
    if (!buffer && cap == 0) return GE_OK;
    if (!buffer) return gei_argument_fail(diag, argument, index, GE_ERR_NULL_ARGUMENT, "%s is NULL but its count is %zu", argument, cap);
    if (cap >= count) return GE_OK;
    gei_diag_found(diag, "%zu", cap);
    gei_diag_wanted(diag, "%zu", count);
    return gei_argument_fail(diag, argument, index, GE_ERR_BUFFER_TOO_SMALL, "%s has room for %zu items, %zu are wanted", argument, cap, count);
}

static ge_status bad_size(const char *argument, int32_t index, size_t size, size_t first_size, gei_diag *diag) {
    gei_diag_found(diag, "%zu", size);
    gei_diag_wanted(diag, "%zu to %u", first_size, GEI_STRUCT_SIZE_LIMIT);
    return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_STRUCT_SIZE, "%s has struct size %zu", argument, size);
}

ge_status gei_struct_in(const void *from, void *to, size_t known_size, size_t first_size, const char *argument, int32_t index, gei_diag *diag) {
    uint32_t head[2]; /* struct_size, reserved_flags */
    if (!from) return gei_argument_fail(diag, argument, index, GE_ERR_NULL_ARGUMENT, "%s is NULL", argument);
    memcpy(head, from, sizeof head[0]);
    size_t size = head[0];
    if (size < first_size || size > GEI_STRUCT_SIZE_LIMIT) return bad_size(argument, index, size, first_size, diag);
    memcpy(head, from, sizeof head);
    if (head[1] != 0) {
        gei_diag_found(diag, "%u", head[1]);
        return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_FLAG, "%s has reserved_flags set", argument);
    }
    const unsigned char *bytes = from;
    for (size_t i = known_size; i < size; i++) {
        if (bytes[i] == 0) continue;
        gei_diag_detail(diag, "offset", "%zu", i);
        return gei_argument_fail(diag, argument, index, GE_ERR_UNSUPPORTED_FIELD, "%s sets a field this library does not know, at offset %zu",
                                 argument, i);
    }
    memcpy(to, from, size < known_size ? size : known_size);
    return GE_OK;
}

ge_status gei_struct_size_check(size_t size, size_t first_size, const char *argument, int32_t index, gei_diag *diag) {
    bool is_bad = size < first_size || size > GEI_STRUCT_SIZE_LIMIT;
    return is_bad ? bad_size(argument, index, size, first_size, diag) : GE_OK;
}

ge_status gei_struct_out(void *to, size_t size, void *filled, size_t known_size, size_t first_size, const char *argument, int32_t index,
                         gei_diag *diag) {
    if (size < first_size || size > GEI_STRUCT_SIZE_LIMIT) return bad_size(argument, index, size, first_size, diag);
    size_t n = size < known_size ? size : known_size;
    uint32_t written = (uint32_t)n;
    memcpy(filled, &written, sizeof written);
    memcpy(to, filled, n);
    return GE_OK;
}
