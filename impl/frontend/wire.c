/* SPDX-License-Identifier: Apache-2.0 */
#include "frontend/wire.h"

#include <string.h>

static const char cut_number[] = "the data ends inside a number";
static const char cut_field[] = "a field is longer than what is left";

gei_wire gei_wire_over(const void *bytes, size_t size) {
    static const uint8_t nothing[1];
    const uint8_t *p = bytes ? bytes : nothing;
    return (gei_wire){ .at = p, .end = p + (bytes ? size : 0), .file = p, .is_outermost = true };
}

gei_wire gei_wire_at(const void *file, gei_span bytes) {
    gei_wire w = gei_wire_over(bytes.data, bytes.size);
    if (bytes.data) w.file = file;
    w.is_outermost = false;
    return w;
}

gei_wire gei_wire_inside(gei_wire *outer, const gei_field *field) {
    gei_span bytes = { NULL, 0 };
    if (!gei_wire_text(outer, field, &bytes)) return gei_wire_over(NULL, 0);
    return gei_wire_at(outer->file, bytes);
}

void gei_wire_set_error(gei_wire *w, const char *error, const void *at) {
    if (w->error) return;
    w->error = error;
    w->error_at = at;
    w->at = w->end;
}

bool gei_wire_is_cut(const gei_wire *w) { return w->is_outermost && (w->error == cut_number || w->error == cut_field); }

ge_status gei_wire_fail(const gei_wire *w, const char *message_name, gei_diag *diag) {
    if (!w->error) return GE_OK;
    ge_status status = gei_wire_is_cut(w) ? GE_ERR_TRUNCATED : GE_ERR_MALFORMED;
    size_t offset = gei_wire_offset(w, w->error_at);
    (void)gei_fail(diag, status, "%s: %s at byte %zu", message_name, w->error, offset);
    gei_diag_detail(diag, "offset", "%zu", offset);
    return status;
}

/* At most ten bytes, of which the last holds one bit. */
static bool read_varint(gei_wire *w, uint64_t *out) {
    const uint8_t *p = w->at;
    uint64_t value = 0;
    for (unsigned shift = 0; p < w->end; shift += 7) {
        uint8_t byte = *p++;
        if (shift == 63 && byte > 1) {
            gei_wire_set_error(w, "a number longer than 64 bits", w->at);
            return false;
        }
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            w->at = p;
            *out = value;
            return true;
        }
    }
    gei_wire_set_error(w, cut_number, w->at);
    return false;
}

static bool read_fixed(gei_wire *w, unsigned n_bytes, uint64_t *out) {
    if ((size_t)(w->end - w->at) < n_bytes) {
        gei_wire_set_error(w, cut_number, w->at);
        return false;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < n_bytes; i++) value |= (uint64_t)w->at[i] << (8 * i);
    w->at += n_bytes;
    *out = value;
    return true;
}

static bool read_len(gei_wire *w, const uint8_t *start, gei_span *out) {
    uint64_t size;
    if (!read_varint(w, &size)) return false;
    if (size > (size_t)(w->end - w->at)) {
        gei_wire_set_error(w, cut_field, start);
        return false;
    }
    *out = (gei_span){ (const char *)w->at, (size_t)size };
    w->at += size;
    return true;
}

bool gei_wire_next(gei_wire *w, gei_field *out) {
    uint64_t tag;
    const uint8_t *start = w->at;
    if (w->error || w->at == w->end || !read_varint(w, &tag)) return false;
    *out = (gei_field){ .number = (uint32_t)(tag >> 3), .type = (gei_wire_type)(tag & 7), .start = start };
    if (tag >> 3 == 0 || tag > UINT32_MAX) {
        gei_wire_set_error(w, "no valid field number", start);
        return false;
    }
    switch (out->type) {
    case GEI_WIRE_VARINT: return read_varint(w, &out->value);
    case GEI_WIRE_FIXED64: return read_fixed(w, 8, &out->value);
    case GEI_WIRE_FIXED32: return read_fixed(w, 4, &out->value);
    case GEI_WIRE_LEN: return read_len(w, start, &out->bytes);
    }
    gei_wire_set_error(w, "no valid wire type", start);
    return false;
}

/* ---- fields ---- */

static bool has_type(gei_wire *w, const gei_field *field, gei_wire_type type) {
    if (field->type != type) gei_wire_set_error(w, "a field has a wire type that its schema does not", field->start);
    return field->type == type;
}

bool gei_wire_text(gei_wire *w, const gei_field *field, gei_span *out) {
    if (!has_type(w, field, GEI_WIRE_LEN)) return false;
    *out = field->bytes;
    return true;
}

bool gei_wire_int(gei_wire *w, const gei_field *field, int64_t *out) {
    if (!has_type(w, field, GEI_WIRE_VARINT)) return false;
    *out = (int64_t)field->value;
    return true;
}

bool gei_wire_float(gei_wire *w, const gei_field *field, float *out) {
    if (!has_type(w, field, GEI_WIRE_FIXED32)) return false;
    uint32_t bits = (uint32_t)field->value;
    memcpy(out, &bits, sizeof *out);
    return true;
}

/* ---- repeated scalars ---- */

static size_t elem_bytes(gei_wire_type elem) { return elem == GEI_WIRE_FIXED32 ? 4 : 8; }

bool gei_wire_count(gei_wire *w, const gei_field *field, gei_wire_type elem, size_t *out_count) {
    if (field->type == elem) {
        *out_count = 1;
        return true;
    }
    if (!has_type(w, field, GEI_WIRE_LEN)) return false;
    if (elem != GEI_WIRE_VARINT) {
        *out_count = field->bytes.size / elem_bytes(elem);
        if (field->bytes.size % elem_bytes(elem) == 0) return true;
        gei_wire_set_error(w, "a packed list ends inside a number", field->start);
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < field->bytes.size; i++) count += (uint8_t)field->bytes.data[i] < 0x80;
    *out_count = count;
    return true;
}

gei_repeat gei_wire_repeat(gei_wire *w, const gei_field *field, gei_wire_type elem) {
    gei_repeat r = { .in = gei_wire_over(NULL, 0), .elem = elem };
    if (field->type == elem) {
        r.single = field->value;
        r.has_single = true;
    } else {
        r.in = gei_wire_inside(w, field);
    }
    return r;
}

bool gei_repeat_next(gei_repeat *r, uint64_t *out) {
    if (r->has_single) {
        r->has_single = false;
        *out = r->single;
        return true;
    }
    if (r->in.error || r->in.at == r->in.end) return false;
    if (r->elem == GEI_WIRE_VARINT) return read_varint(&r->in, out);
    return read_fixed(&r->in, (unsigned)elem_bytes(r->elem), out);
}

bool gei_span_equal(gei_span a, gei_span b) { return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0); }
