/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

#define MAX_DETAILS 8

/* Largest size up to `keep` that does not split a character, which has at most three continuation bytes. */
static size_t whole_chars(const char *text, size_t keep) {
    for (int back = 0; back < 3 && keep > 0 && ((unsigned char)text[keep] & 0xC0) == 0x80; back++) keep--;
    return keep;
}

size_t gei_copy_text(char *to, size_t cap, const char *from, size_t from_size) {
    if (cap == 0) return 0;
    size_t keep = from_size;
    size_t n_dots = 0;
    if (from_size > cap - 1) {
        n_dots = cap - 1 >= 3 ? 3 : 0;
        keep = whole_chars(from, cap - 1 - n_dots);
    }
    if (keep > 0) memcpy(to, from, keep);
    memset(to + keep, '.', n_dots);
    to[keep + n_dots] = '\0';
    return keep + n_dots;
}

/* Names and paths come from files and hosts; what reaches a message must be text in every language. */
static void replace_invalid(char *text, size_t size) {
    for (size_t i = 0; i < size;) {
        size_t n = gei_utf8_char(text + i, size - i);
        if (n == 0) {
            text[i] = '?';
            n = 1;
        }
        i += n;
    }
}

size_t gei_format_text(char *to, size_t cap, const char *format, va_list args) {
    if (cap == 0) return 0;
    int wanted = vsnprintf(to, cap, format, args);
    size_t size = wanted < 0 ? 0 : (size_t)wanted;
    if (size >= cap) {
        size_t n_dots = cap - 1 >= 3 ? 3 : 0;
        size_t keep = whole_chars(to, cap - 1 - n_dots);
        memset(to + keep, '.', n_dots);
        size = keep + n_dots;
    }
    while (size > 0 && to[size - 1] == '\n') size--;
    to[size] = '\0';
    replace_invalid(to, size);
    return size;
}

ge_status gei_diag_set(gei_diag *diag, ge_status status, const char *file, int32_t line, const char *format, ...) {
    if (!diag) return status;
    diag->status = status;
    diag->file = file;
    diag->line = line;
    va_list args;
    va_start(args, format);
    gei_format_text(diag->message, sizeof diag->message, format, args);
    va_end(args);
    return status;
}

void gei_diag_clear(gei_diag *diag) {
    if (!diag) return;
    memset(diag, 0, sizeof *diag);
    diag->argument_index = -1;
    diag->file = "";
}

static void set_word(char *to, size_t cap, const char *text) {
    size_t size = gei_copy_text(to, cap, text, strlen(text));
    replace_invalid(to, size);
}

void gei_diag_node(gei_diag *diag, const char *name) {
    if (!diag || !name || diag->node[0]) return;
    set_word(diag->node, sizeof diag->node, name);
}

void gei_diag_argument(gei_diag *diag, const char *name, int32_t index) {
    if (!diag || !name || diag->argument[0]) return;
    set_word(diag->argument, sizeof diag->argument, name);
    diag->argument_index = index;
}

void gei_diag_found(gei_diag *diag, const char *format, ...) {
    if (!diag) return;
    va_list args;
    va_start(args, format);
    gei_format_text(diag->found, sizeof diag->found, format, args);
    va_end(args);
}

void gei_diag_wanted(gei_diag *diag, const char *format, ...) {
    if (!diag) return;
    va_list args;
    va_start(args, format);
    gei_format_text(diag->wanted, sizeof diag->wanted, format, args);
    va_end(args);
}

void gei_diag_detail(gei_diag *diag, const char *key, const char *format, ...) {
    if (!diag || diag->n_details == MAX_DETAILS) return;
    size_t key_size = strlen(key) + 1;
    if (diag->details_size + key_size + 2 > sizeof diag->details) return;
    char *to = diag->details + diag->details_size;
    memcpy(to, key, key_size);
    va_list args;
    va_start(args, format);
    size_t value_size = gei_format_text(to + key_size, sizeof diag->details - diag->details_size - key_size, format, args);
    va_end(args);
    diag->details_size = (uint16_t)(diag->details_size + key_size + value_size + 1);
    diag->n_details++;
}

ge_status gei_out_of_memory(gei_diag *diag, size_t size_bytes) {
    const char *why = gei_alloc_take_fault();
    if (why) return gei_fail(diag, GE_ERR_OUT_OF_MEMORY, "out of memory: %s", why);
    if (size_bytes == 0) return gei_fail(diag, GE_ERR_OUT_OF_MEMORY, "out of memory");
    return gei_fail(diag, GE_ERR_OUT_OF_MEMORY, "out of memory: %zu bytes wanted", size_bytes);
}
