/* SPDX-License-Identifier: Apache-2.0 */
/* wire: reads the protobuf wire format in place, without copying and without trusting any length.
 *
 *   gei_wire w = gei_wire_over(bytes, size);
 *   gei_field f;
 *   while (gei_wire_next(&w, &f)) {
 *       if (f.number == 1) gei_wire_text(&w, &f, &name);
 *       if (f.number == 7) inner = gei_wire_inside(&w, &f);
 *   }
 *   if (w.error) return gei_wire_fail(&w, "NodeProto", diag);
 *
 * Fields that nobody asks for are skipped.  A known field with another wire type than the schema's is an error, and so are
 * groups: neither ONNX nor TensorFlow ever used them.  After an error a reader yields no more fields. */
#ifndef GEI_FRONTEND_WIRE_H
#define GEI_FRONTEND_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"

typedef struct gei_span { /* bytes of the file, borrowed; no zero at the end */
    const char *data;     /* NULL: nothing there */
    size_t size;
} gei_span;

typedef enum gei_wire_type { GEI_WIRE_VARINT = 0, GEI_WIRE_FIXED64 = 1, GEI_WIRE_LEN = 2, GEI_WIRE_FIXED32 = 5 } gei_wire_type;

typedef struct gei_wire {
    const uint8_t *at, *end;
    const uint8_t *file;     /* start of the outermost message: offsets in messages count from here */
    const char *error;       /* static text; NULL while all is well */
    const uint8_t *error_at;
    bool is_outermost;       /* what runs past its end is a cut file, elsewhere a wrong length */
} gei_wire;

typedef struct gei_field {
    uint32_t number;
    gei_wire_type type;
    uint64_t value;       /* of VARINT, FIXED64, FIXED32 */
    gei_span bytes;       /* of LEN */
    const uint8_t *start; /* of its tag */
} gei_field;

gei_wire gei_wire_over(const void *bytes, size_t size);
gei_wire gei_wire_inside(gei_wire *outer, const gei_field *field);       /* a sub-message; empty, and outer fails, when it is none */
gei_wire gei_wire_at(const void *file, gei_span bytes);                  /* a sub-message kept from an earlier walk */
bool gei_wire_next(gei_wire *w, gei_field *out);                         /* false: the end, or an error */
void gei_wire_set_error(gei_wire *w, const char *error, const void *at); /* keeps the first one */
/* GE_OK without an error; else status and message: what was read, what is wrong, at which byte of the file. */
ge_status gei_wire_fail(const gei_wire *w, const char *message_name, gei_diag *diag);
bool gei_wire_is_cut(const gei_wire *w); /* the error is that the bytes end too early */
static inline size_t gei_wire_offset(const gei_wire *w, const void *at) { return (size_t)((const uint8_t *)at - w->file); }

/* Singular fields: false, and an error, when the wire type is another. */
bool gei_wire_text(gei_wire *w, const gei_field *field, gei_span *out);
bool gei_wire_int(gei_wire *w, const gei_field *field, int64_t *out);
bool gei_wire_float(gei_wire *w, const gei_field *field, float *out);

/* Repeated scalars, packed or one by one.  `elem` is the wire type of one element. */
typedef struct gei_repeat {
    gei_wire in;
    gei_wire_type elem;
    uint64_t single;
    bool has_single;
} gei_repeat;

bool gei_wire_count(gei_wire *w, const gei_field *field, gei_wire_type elem, size_t *out_count); /* elements of this occurrence */
gei_repeat gei_wire_repeat(gei_wire *w, const gei_field *field, gei_wire_type elem);
bool gei_repeat_next(gei_repeat *r, uint64_t *out); /* false: the end, or r->in.error */

static inline bool gei_span_is(gei_span span, const char *text) {
    return strlen(text) == span.size && (span.size == 0 || memcmp(span.data, text, span.size) == 0);
}
bool gei_span_equal(gei_span a, gei_span b);

#endif
