/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/text.h"

void json_init(json *j, FILE *to) {
    *j = (json){ .to = to };
}

static void write_string(json *j, const char *text, size_t size) {
    FILE *to = j->to;
    putc('"', to);
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = text_utf8_size(text + i, size - i);
        if (n == 0) {
            fputs("\\ufffd", to);
            n = 1;
        } else if (c == '"' || c == '\\') {
            putc('\\', to);
            putc(c, to);
        } else if (c == '\n') {
            fputs("\\n", to);
        } else if (c == '\t') {
            fputs("\\t", to);
        } else if (c < 0x20 || c == 0x7F) {
            fprintf(to, "\\u%04x", c);
        } else {
            fwrite(text + i, 1, n, to);
        }
        i += n;
    }
    putc('"', to);
}

static void start_item(json *j, const char *key) {
    if (j->depth > 0) {
        uint32_t level = j->depth - 1;
        assert((j->closers[level] == '}') == (key != NULL));
        if (j->has_items[level]) putc(',', j->to);
        if (!j->is_flat[level]) {
            fprintf(j->to, "\n%*s", (int)(2 * j->depth), "");
        } else if (j->has_items[level]) {
            putc(' ', j->to);
        }
        j->has_items[level] = true;
    }
    if (key) {
        write_string(j, key, strlen(key));
        fputs(": ", j->to);
    }
}

void json_begin(json *j, const char *key, char opener) {
    assert(j->depth < JSON_MAX_DEPTH);
    start_item(j, key);
    putc(opener == '<' ? '[' : opener, j->to);
    j->closers[j->depth] = opener == '{' ? '}' : ']';
    j->is_flat[j->depth] = opener == '<';
    j->has_items[j->depth] = false;
    j->depth++;
}

void json_end(json *j) {
    assert(j->depth > 0);
    uint32_t level = --j->depth;
    if (j->has_items[level] && !j->is_flat[level]) fprintf(j->to, "\n%*s", (int)(2 * level), "");
    putc(j->closers[level], j->to);
    if (j->depth == 0) putc('\n', j->to);
}

void json_bytes(json *j, const char *key, const char *text, size_t size) {
    start_item(j, key);
    write_string(j, text, size);
}

void json_text(json *j, const char *key, const char *text) {
    json_bytes(j, key, text, strlen(text));
}

void json_i64(json *j, const char *key, int64_t value) {
    start_item(j, key);
    fprintf(j->to, "%" PRId64, value);
}

void json_u64(json *j, const char *key, uint64_t value) {
    start_item(j, key);
    fprintf(j->to, "%" PRIu64, value);
}

void json_bool(json *j, const char *key, bool value) {
    start_item(j, key);
    fputs(value ? "true" : "false", j->to);
}

void json_null(json *j, const char *key) {
    start_item(j, key);
    fputs("null", j->to);
}

void json_f64(json *j, const char *key, double value, uint32_t n_digits) {
    char number[TEXT_NUMBER_BYTES];
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    start_item(j, key);
    fputs(text_f64(number, value, n_digits), j->to);
}
