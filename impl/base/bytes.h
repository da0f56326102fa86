/* SPDX-License-Identifier: Apache-2.0 */
/* bytes: a checked read cursor, a growing text/byte sink, and whole files.
 * A cursor never passes its end: a read that does not fit sets `bad` and gives zero, so a reader can check once after a group. */
#ifndef GEI_BASE_BYTES_H
#define GEI_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/alloc.h"

typedef struct gei_cursor {
    const uint8_t *at, *end;
    const uint8_t *start; /* for offsets in messages */
    bool bad;
} gei_cursor;

static inline gei_cursor gei_cursor_over(const void *bytes, size_t size) {
    const uint8_t *p = (const uint8_t *)bytes;
    return (gei_cursor){ p, p + size, p, false };
}
static inline size_t gei_cursor_left(const gei_cursor *c) { return (size_t)(c->end - c->at); }
static inline size_t gei_cursor_offset(const gei_cursor *c) { return (size_t)(c->at - c->start); }
uint8_t gei_cursor_u8(gei_cursor *c);
uint32_t gei_cursor_u32(gei_cursor *c); /* little endian */
uint64_t gei_cursor_u64(gei_cursor *c);
const uint8_t *gei_cursor_take(gei_cursor *c, size_t size); /* NULL and bad when it does not fit */

/* A sink collects text or bytes; after a failed growth it stays `failed` and ignores what follows. */
typedef struct gei_sink {
    const gei_allocator *from;
    char *data;        /* zero-terminated when size > 0 */
    size_t size, cap;
    bool failed;
} gei_sink;

void gei_sink_init(gei_sink *sink, const gei_allocator *from);
void gei_sink_deinit(gei_sink *sink);
void gei_sink_bytes(gei_sink *sink, const void *bytes, size_t size);
void gei_sink_text(gei_sink *sink, const char *text);
void gei_sink_format(gei_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3))); /* no floats: see gei_sink_f64 */
void gei_sink_f64(gei_sink *sink, double value);   /* shortest text that reads back to the same double; locale-free; nan inf -inf */
void gei_sink_f32(gei_sink *sink, float value);
void gei_sink_fixed(gei_sink *sink, double value, uint32_t decimals); /* exactly rounded, at most 9 decimals: "0.333333" */
void gei_sink_quoted(gei_sink *sink, const char *text, size_t size); /* "..." with \" \\ \n \t \u00XX escapes */

/* Locale-free parsing.  Returns characters used, 0 when `text` does not start with a number or it does not fit.
 * Floats are rounded to nearest even; "inf", "infinity" and "nan" are numbers; too small a value gives zero. */
size_t gei_parse_i64(const char *text, size_t size, int64_t *out);
size_t gei_parse_f64(const char *text, size_t size, double *out);
size_t gei_parse_f32(const char *text, size_t size, float *out); /* not the same as rounding a parsed double */

/* What an errno says, the same in every locale. */
const char *gei_errno_text(int number);

/* A whole file, mapped read-only (or read when `copy`).  Refuses directories and devices.  Closed by gei_file_close. */
typedef struct gei_file {
    const uint8_t *data; /* NULL when size is 0 */
    size_t size;
    bool mapped;
    const gei_allocator *from;
} gei_file;

ge_status gei_file_open(gei_file *file, const char *path, bool copy, const gei_allocator *from, gei_diag *diag);
void gei_file_close(gei_file *file);
ge_status gei_file_write(const char *path, const void *bytes, size_t size, gei_diag *diag); /* to a sibling, then rename */

/* Strict: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool gei_utf8_valid(const char *text, size_t size);
size_t gei_utf8_char(const char *text, size_t size); /* bytes of the character at the start, 0 when it is not one */

/* Changes of one byte that lead from a to b, for the nearest of some names; SIZE_MAX for long texts. */
size_t gei_edit_distance(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
