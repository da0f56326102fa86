/* SPDX-License-Identifier: Apache-2.0 */
/* diag: where an error's words are kept on the way up.
 * A function that can fail takes `gei_diag *diag` last, fills it once where the fact is known, and returns the status.
 * Callers may add context (node, argument) when it is still empty; they never reword.  diag may be NULL everywhere.
 * Fixed size, no allocation: it is also the layout of the per-thread error record (api/error.c). */
#ifndef GEI_BASE_DIAG_H
#define GEI_BASE_DIAG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ge_c_api.h" /* ge_status and GE_ERR_*: their one home */

#define GEI_DIAG_MESSAGE_BYTES 512 /* longer text is cut at a character boundary and ends in "..." */
#define GEI_DIAG_WORD_BYTES 64     /* node, argument, found, wanted */
#define GEI_DIAG_DETAILS_BYTES 192


typedef struct gei_diag {
    ge_status status;
    int32_t argument_index;               /* 0-based index in the public call, -1 when none */
    const char *file;                     /* static */
    int32_t line;
    uint16_t details_size;                /* bytes used in details */
    uint16_t n_details;
    char message[GEI_DIAG_MESSAGE_BYTES]; /* UTF-8, zero-terminated, no newline at the end */
    char node[GEI_DIAG_WORD_BYTES];       /* graph node the error is about, "" when none */
    char argument[GEI_DIAG_WORD_BYTES / 2];
    char found[GEI_DIAG_WORD_BYTES];
    char wanted[GEI_DIAG_WORD_BYTES];
    char details[GEI_DIAG_DETAILS_BYTES]; /* key, zero, value, zero, ... */
} gei_diag;

/* Sets status and message and returns `status`.  The format knows %s %d %u %lld %llu %zu %c %x %.*s only: no floating point,
 * so the host's locale cannot change a message. */
#define gei_fail(diag, status, ...) gei_diag_set((diag), (status), __FILE__, __LINE__, __VA_ARGS__)

ge_status gei_diag_set(gei_diag *diag, ge_status status, const char *file, int32_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6), cold));
void gei_diag_clear(gei_diag *diag);
void gei_diag_node(gei_diag *diag, const char *name);          /* keeps the first one set */
void gei_diag_argument(gei_diag *diag, const char *name, int32_t index);
void gei_diag_found(gei_diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gei_diag_wanted(gei_diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One more key/value pair; dropped when there is no room left or eight are there. */
void gei_diag_detail(gei_diag *diag, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
ge_status gei_out_of_memory(gei_diag *diag, size_t size_bytes); /* needs no memory itself */

/* Copies at most cap - 1 bytes, never half a UTF-8 character, marks a cut with "...".  Returns bytes written. */
size_t gei_copy_text(char *to, size_t cap, const char *from, size_t from_size);

/* As vsnprintf, with gei_copy_text's cut; drops newlines at the end and replaces bytes that are no UTF-8 by '?'.  Returns bytes written. */
size_t gei_format_text(char *to, size_t cap, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

#define GEI_TRY(expr)                         \
    do {                                      \
        ge_status gei_try_ = (expr);          \
        if (gei_try_ != GE_OK) return gei_try_; \
    } while (0)

#define GEI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
