/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

#define FIRST_CAP_BYTES 256

void gei_sink_init(gei_sink *sink, const gei_allocator *from) { *sink = (gei_sink){ .from = from }; }

void gei_sink_deinit(gei_sink *sink) {
    gei_free(sink->from, sink->data, sink->cap, 0);
    gei_sink_init(sink, sink->from);
}

/* Room for `more` bytes and the zero behind them. */
static bool has_room(gei_sink *sink, size_t more) {
    if (sink->failed) return false;
    if (more < sink->cap - sink->size) return true;
    size_t wanted, cap;
    if (!gei_add(sink->size, more, &wanted) || !gei_add(wanted, 1, &wanted)) goto failed;
    if (!gei_mul(sink->cap, 2, &cap) || cap < wanted) cap = wanted;
    if (cap < FIRST_CAP_BYTES) cap = FIRST_CAP_BYTES;
    char *data = gei_alloc(sink->from, cap, 0);
    if (!data) goto failed;
    if (sink->size > 0) memcpy(data, sink->data, sink->size);
    gei_free(sink->from, sink->data, sink->cap, 0);
    sink->data = data;
    sink->cap = cap;
    return true;
failed:
    sink->failed = true;
    return false;
}

void gei_sink_bytes(gei_sink *sink, const void *bytes, size_t size) {
    if (size == 0 || !has_room(sink, size)) return;
    memcpy(sink->data + sink->size, bytes, size);
    sink->size += size;
    sink->data[sink->size] = '\0';
}

void gei_sink_text(gei_sink *sink, const char *text) { gei_sink_bytes(sink, text, strlen(text)); }

void gei_sink_format(gei_sink *sink, const char *format, ...) {
    char small[256];
    va_list args;
    va_start(args, format);
    int wanted = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (wanted < 0) {
        sink->failed = true;
        return;
    }
    size_t size = (size_t)wanted;
    if (size < sizeof small) {
        gei_sink_bytes(sink, small, size);
        return;
    }
    if (!has_room(sink, size)) return;
    va_start(args, format);
    (void)vsnprintf(sink->data + sink->size, size + 1, format, args);
    va_end(args);
    sink->size += size;
}

static const char *short_escape(char c) {
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    default: return NULL;
    }
}

/* Bytes at the start of `text` that stand for themselves. */
static size_t plain_run(const char *text, size_t size) {
    size_t i = 0;
    while (i < size) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7F || c == '"' || c == '\\') break;
        size_t n = gei_utf8_char(text + i, size - i);
        if (n == 0) break;
        i += n;
    }
    return i;
}

void gei_sink_quoted(gei_sink *sink, const char *text, size_t size) {
    gei_sink_bytes(sink, "\"", 1);
    for (size_t i = 0; i < size;) {
        size_t n = plain_run(text + i, size - i);
        gei_sink_bytes(sink, text + i, n);
        i += n;
        if (i == size) break;
        const char *escape = short_escape(text[i]);
        if (escape) gei_sink_bytes(sink, escape, 2);
        else gei_sink_format(sink, "\\u00%02x", (unsigned)(unsigned char)text[i]);
        i++;
    }
    gei_sink_bytes(sink, "\"", 1);
}
