/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/text_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_SHOWN_BYTES 24

/* ---- failures ---- */

static void find_place(const gei_text_reader *r, size_t at, size_t *line, size_t *column) {
    *line = *column = 1;
    for (size_t i = 0; i < at && i < r->size; i++) {
        ++*column;
        if (r->text[i] != '\n') continue;
        ++*line;
        *column = 1;
    }
}

ge_status gei_reader_fail(gei_text_reader *r, size_t at, const char *format, ...) {
    char message[GEI_DIAG_MESSAGE_BYTES];
    size_t line, column;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    find_place(r, at, &line, &column);
    return gei_fail(r->diag, GE_ERR_MALFORMED, "line %zu, column %zu: %s", line, column, message);
}

ge_status gei_reader_place(gei_text_reader *r, size_t at, ge_status status) {
    char message[GEI_DIAG_MESSAGE_BYTES];
    size_t line, column;
    if (status == GE_OK || status == GE_ERR_OUT_OF_MEMORY || !r->diag) return status;
    find_place(r, at, &line, &column);
    memcpy(message, r->diag->message, sizeof message);
    return gei_fail(r->diag, status, "line %zu, column %zu: %s", line, column, message);
}

/* The text at `at`, up to the next space or line end. */
static int shown_bytes(const gei_text_reader *r, size_t at) {
    size_t n = 0;
    while (at + n < r->size && n < MOST_SHOWN_BYTES && (unsigned char)r->text[at + n] > ' ') n++;
    return (int)(n == 0 && at < r->size ? 1 : n);
}

ge_status gei_reader_wanted(gei_text_reader *r, const char *what) {
    size_t at = gei_read_offset(r);
    if (at >= r->size) return gei_reader_fail(r, at, "wanted %s, found the end of the text", what);
    return gei_reader_fail(r, at, "wanted %s, found '%.*s'", what, shown_bytes(r, at), r->text + at);
}

void gei_reader_drop_tensors(gei_text_reader *r) {
    for (size_t i = 0; i < r->tensors.count; i++) gei_tensor_release(r->tensors.items[i]);
    r->tensors.count = 0;
}

/* ---- words ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

size_t gei_read_offset(gei_text_reader *r) {
    while (r->at < r->size) {
        if (is_space(r->text[r->at])) {
            r->at++;
        } else if (r->at + 1 < r->size && r->text[r->at] == '/' && r->text[r->at + 1] == '/') {
            while (r->at < r->size && r->text[r->at] != '\n') r->at++;
        } else {
            break;
        }
    }
    return r->at;
}

bool gei_read_is(gei_text_reader *r, const char *mark) {
    size_t at = gei_read_offset(r), n = strlen(mark);
    return r->size - at >= n && memcmp(r->text + at, mark, n) == 0;
}

bool gei_read_mark(gei_text_reader *r, const char *mark) {
    if (!gei_read_is(r, mark)) return false;
    r->at += strlen(mark);
    return true;
}

bool gei_read_ahead_word(gei_text_reader *r, gei_text *out) {
    size_t at = gei_read_offset(r), n = 0;
    while (at + n < r->size && (is_letter(r->text[at + n]) || (n > 0 && (is_digit(r->text[at + n]) || r->text[at + n] == '.')))) n++;
    *out = (gei_text){ r->text + at, n };
    return n > 0;
}

bool gei_read_keyword(gei_text_reader *r, const char *word) {
    gei_text ahead;
    if (!gei_read_ahead_word(r, &ahead) || ahead.size != strlen(word) || memcmp(ahead.data, word, ahead.size) != 0) return false;
    r->at += ahead.size;
    return true;
}

ge_status gei_read_expect(gei_text_reader *r, const char *mark) {
    char what[8];
    if (gei_read_mark(r, mark)) return GE_OK;
    snprintf(what, sizeof what, "'%s'", mark);
    return gei_reader_wanted(r, what);
}

ge_status gei_read_count(gei_text_reader *r, int64_t most, int64_t *out) {
    size_t at = gei_read_offset(r);
    int64_t v;
    if (at >= r->size || !is_digit(r->text[at])) return gei_reader_wanted(r, "a count");
    size_t n = gei_parse_i64(r->text + at, r->size - at, &v);
    if (n == 0 || v > most) return gei_reader_fail(r, at, "the count %.*s is above %lld", shown_bytes(r, at), r->text + at, (long long)most);
    r->at += n;
    *out = v;
    return GE_OK;
}

/* ---- strings and names ---- */

static int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* \u00XX is the byte XX: that is how bytes that are no UTF-8 are printed.  Others become the UTF-8 of the character. */
static size_t put_unicode(char *to, uint32_t c) {
    if (c < 0x100) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    to[0] = (char)(0xE0 | c >> 12);
    to[1] = (char)(0x80 | (c >> 6 & 0x3F));
    to[2] = (char)(0x80 | (c & 0x3F));
    return 3;
}

/* Decodes the escape at r->at (behind the backslash) into `to`; 0 when it is none. */
static size_t read_escape(gei_text_reader *r, size_t end, char *to) {
    char c = r->text[r->at++];
    switch (c) {
    case '"': case '\\': case '/': *to = c; return 1;
    case 'n': *to = '\n'; return 1;
    case 't': *to = '\t'; return 1;
    case 'r': *to = '\r'; return 1;
    default: break;
    }
    uint32_t code = 0;
    if (c != 'u' || end - r->at < 4) return 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(r->text[r->at++]);
        if (digit < 0) return 0;
        code = code << 4 | (uint32_t)digit;
    }
    return put_unicode(to, code);
}

ge_status gei_read_string(gei_text_reader *r, gei_text *out) {
    size_t start = gei_read_offset(r);
    if (!gei_read_is(r, "\"")) return gei_reader_wanted(r, "a string in quotes");
    size_t end = start + 1;
    while (end < r->size && r->text[end] != '"') end += r->text[end] == '\\' ? 2 : 1;
    if (end >= r->size) return gei_reader_fail(r, start, "the string has no closing quote");
    char *data = (char *)gei_arena_alloc(r->arena, end - start, 1); /* an escape is longer than what it stands for */
    size_t size = 0;
    if (!data) return gei_out_of_memory(r->diag, end - start);
    for (r->at = start + 1; r->at < end;) {
        char c = r->text[r->at];
        if (c != '\\') {
            data[size++] = c;
            r->at++;
            continue;
        }
        size_t escape = r->at++, n = read_escape(r, end, data + size);
        if (n == 0) return gei_reader_fail(r, escape, "unknown escape '%.*s'", 2, r->text + escape);
        size += n;
    }
    data[size] = 0;
    r->at = end + 1;
    *out = (gei_text){ data, size };
    return GE_OK;
}

/* Keys and names are zero-terminated inside a graph. */
static ge_status read_quoted(gei_text_reader *r, const char **out) {
    size_t at = gei_read_offset(r);
    gei_text text;
    GEI_TRY(gei_read_string(r, &text));
    if (memchr(text.data, 0, text.size)) return gei_reader_fail(r, at, "a name cannot hold a zero byte");
    *out = text.data;
    return GE_OK;
}

static ge_status take(gei_text_reader *r, size_t size, const char **out) {
    *out = gei_arena_text(r->arena, r->text + r->at, size);
    if (!*out) return gei_out_of_memory(r->diag, size);
    r->at += size;
    return GE_OK;
}

ge_status gei_read_key(gei_text_reader *r, const char **out) {
    gei_text word;
    if (gei_read_is(r, "\"")) return read_quoted(r, out);
    if (!gei_read_ahead_word(r, &word)) return gei_reader_wanted(r, "a name");
    return take(r, word.size, out);
}

ge_status gei_read_name(gei_text_reader *r, const char **out) {
    size_t n = 0;
    if (r->at < r->size && r->text[r->at] == '"') return read_quoted(r, out);
    for (; r->at + n < r->size; n++) { /* right behind its mark: no space, and // is part of it */
        char c = r->text[r->at + n];
        if (!is_letter(c) && !is_digit(c) && c != '.' && c != '/' && c != '-') break;
    }
    if (n == 0) return gei_reader_wanted(r, "a name");
    return take(r, n, out);
}
