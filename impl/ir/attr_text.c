/* SPDX-License-Identifier: Apache-2.0 */
/* Names, numbers, tensors and attribute values as text. */
#include <math.h>
#include <string.h>

#include "ir/graph_text.h"
#include "ir/half.h"

/* ---- names ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void gei_text_name(gei_sink *to, const char *name) {
    size_t n = 0;
    while (is_letter(name[n]) || is_digit(name[n]) || name[n] == '.' || name[n] == '/' || name[n] == '-') n++;
    if (n > 0 && !name[n]) gei_sink_bytes(to, name, n);
    else gei_sink_quoted(to, name, strlen(name));
}

void gei_text_key(gei_sink *to, const char *key) {
    size_t n = 0;
    while (is_letter(key[n]) || (n > 0 && (is_digit(key[n]) || key[n] == '.'))) n++;
    if (n > 0 && !key[n]) gei_sink_bytes(to, key, n);
    else gei_sink_quoted(to, key, strlen(key));
}

/* ---- types ---- */

void gei_text_dims(gei_sink *to, int32_t rank, const gei_dim *dims, const gei_symbols *symbols) {
    if (rank < 0) return;
    gei_sink_text(to, "[");
    for (int32_t i = 0; i < rank; i++) {
        if (i > 0) gei_sink_text(to, ",");
        if (gei_dim_known(dims[i])) gei_sink_format(to, "%lld", (long long)dims[i]);
        else if (dims[i] == GEI_DIM_UNKNOWN) gei_sink_text(to, "?");
        else gei_text_key(to, symbols->names.items[gei_dim_symbol_index(dims[i])]);
    }
    gei_sink_text(to, "]");
}

static void put_dtype(gei_sink *to, int32_t dtype) {
    if (gei_dtype_get(dtype)) gei_sink_text(to, gei_dtype_short(dtype));
    else gei_sink_format(to, "dtype(%d)", (int)dtype);
}

/* ---- tensors ---- */

/* Whether the elements as numbers give back every bit: no odd NaN, no bool that is neither 0 nor 1, no stray padding. */
static bool inline_is_exact(const gei_tensor *t, const gei_dtype_info *info) {
    uint8_t bytes[GEI_TEXT_INLINE_ELEMS * 8] = { 0 };
    gei_tensor copy = { .dtype = t->dtype, .n_elems = t->n_elems, .data = bytes, .size_bytes = t->size_bytes };
    for (int64_t i = 0; i < t->n_elems; i++) {
        if (info->kind == GEI_KIND_FLOAT) {
            double v = gei_tensor_f64(t, i);
            (void)gei_tensor_put_f64(&copy, i, isnan(v) ? (double)NAN : v);
        } else {
            (void)gei_tensor_put_i64(&copy, i, gei_tensor_i64(t, i));
        }
    }
    return t->size_bytes == 0 || memcmp(bytes, t->data, t->size_bytes) == 0;
}

static void put_element(gei_sink *to, const gei_tensor *t, const gei_dtype_info *info, int64_t i) {
    if (t->dtype == GEI_FLOAT64) gei_sink_f64(to, gei_tensor_f64(t, i));
    else if (info->kind == GEI_KIND_FLOAT) gei_sink_f32(to, (float)gei_tensor_f64(t, i));
    else if (t->dtype == GEI_UINT64) gei_sink_format(to, "%llu", (unsigned long long)gei_tensor_i64(t, i));
    else gei_sink_format(to, "%lld", (long long)gei_tensor_i64(t, i));
}

static void put_strings(gei_sink *to, const gei_tensor *t) {
    gei_sink_text(to, "{");
    for (int64_t i = 0; i < t->n_elems; i++) {
        const char *text = "";
        size_t size = 0;
        (void)gei_tensor_string_at(t, i, &text, &size);
        if (i > 0) gei_sink_text(to, " ");
        gei_sink_quoted(to, text, size);
    }
    gei_sink_text(to, "}");
}

static void put_hex(gei_sink *to, const void *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = (const uint8_t *)bytes;
    char chunk[512];
    gei_sink_text(to, "#");
    while (size > 0) {
        size_t n = size < sizeof chunk / 2 ? size : sizeof chunk / 2;
        for (size_t i = 0; i < n; i++) {
            chunk[2 * i] = digits[at[i] >> 4];
            chunk[2 * i + 1] = digits[at[i] & 15];
        }
        gei_sink_bytes(to, chunk, 2 * n);
        at += n;
        size -= n;
    }
}

void gei_text_tensor(gei_sink *to, const gei_tensor *t, bool brief) {
    if (!t) {
        gei_sink_text(to, "null");
        return;
    }
    const gei_dtype_info *info = gei_dtype_get(t->dtype);
    bool is_long = t->n_elems > GEI_TEXT_INLINE_ELEMS;
    put_dtype(to, t->dtype);
    gei_text_dims(to, t->rank, t->dims, NULL);
    if (t->format != GE_FORMAT_ND) gei_sink_format(to, "@%d", (int)t->format);
    if (is_long && brief) {
        gei_sink_text(to, "{...}");
    } else if (info->kind == GEI_KIND_STRING) {
        put_strings(to, t);
    } else if (is_long || !gei_dtype_is_real(t->dtype) || !inline_is_exact(t, info)) {
        put_hex(to, t->data, t->size_bytes);
    } else {
        gei_sink_text(to, "{");
        for (int64_t i = 0; i < t->n_elems; i++) {
            if (i > 0) gei_sink_text(to, " ");
            put_element(to, t, info, i);
        }
        gei_sink_text(to, "}");
    }
}

/* ---- attributes ---- */

/* Never mistaken for an int. */
static void put_float(gei_sink *to, float v) {
    uint32_t bits = gei_f32_bits(v);
    if (isnan(v) && bits != UINT32_C(0x7fc00000)) {
        gei_sink_format(to, "nan(%x)", (unsigned)bits);
        return;
    }
    size_t from = to->size;
    gei_sink_f32(to, v);
    for (size_t i = from; i < to->size; i++)
        if (to->data[i] != '-' && !is_digit(to->data[i])) return;
    gei_sink_text(to, ".0");
}

static void put_text(gei_sink *to, gei_text text) { gei_sink_quoted(to, text.data ? text.data : "", text.size); }

static void put_ints(gei_sink *to, const int64_t *data, size_t count) {
    gei_sink_text(to, "[");
    for (size_t i = 0; i < count; i++) gei_sink_format(to, "%s%lld", i > 0 ? "," : "", (long long)data[i]);
    gei_sink_text(to, "]");
}

static void put_floats(gei_sink *to, const float *data, size_t count) {
    gei_sink_text(to, count == 0 ? "floats[" : "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) gei_sink_text(to, ",");
        put_float(to, data[i]);
    }
    gei_sink_text(to, "]");
}

static void put_item(gei_sink *to, const gei_attr *a, uint32_t i, bool brief) {
    switch (a->kind) {
    case GEI_ATTR_FLOATS: put_float(to, a->v.floats[i]); break;
    case GEI_ATTR_BOOLS: gei_sink_text(to, a->v.bools[i] ? "true" : "false"); break;
    case GEI_ATTR_STRINGS: put_text(to, a->v.strings[i]); break;
    case GEI_ATTR_DTYPES: put_dtype(to, a->v.dtypes[i]); break;
    case GEI_ATTR_TENSORS: gei_text_tensor(to, a->v.tensors[i], brief); break;
    case GEI_ATTR_BYTES_LIST: put_hex(to, a->v.strings[i].data, a->v.strings[i].size); break;
    case GEI_ATTR_FLOAT_LISTS: put_floats(to, a->v.float_lists[i].data, a->v.float_lists[i].count); break;
    default: put_ints(to, a->v.lists[i].data, a->v.lists[i].count); break;
    }
}

static void put_list(gei_sink *to, const gei_attr *a, const char *kind, bool brief) {
    if (a->count == 0) gei_sink_text(to, kind);
    gei_sink_text(to, "[");
    for (uint32_t i = 0; i < a->count; i++) {
        if (i > 0) gei_sink_text(to, ",");
        put_item(to, a, i, brief);
    }
    gei_sink_text(to, "]");
}

static void put_named(gei_sink *to, const gei_attr *a, bool brief) {
    gei_sink_text(to, "{");
    for (uint32_t i = 0; i < a->count; i++) {
        if (i > 0) gei_sink_text(to, ", ");
        gei_text_key(to, a->v.named[i].name);
        gei_sink_text(to, "=");
        gei_text_attr(to, &a->v.named[i].value, brief);
    }
    gei_sink_text(to, "}");
}

void gei_text_attr(gei_sink *to, const gei_attr *a, bool brief) {
    switch (a->kind) {
    case GEI_ATTR_NONE: gei_sink_text(to, "none"); break;
    case GEI_ATTR_INT: gei_sink_format(to, "%lld", (long long)a->v.i); break;
    case GEI_ATTR_FLOAT: put_float(to, a->v.f); break;
    case GEI_ATTR_BOOL: gei_sink_text(to, a->v.b ? "true" : "false"); break;
    case GEI_ATTR_STRING: put_text(to, a->v.s); break;
    case GEI_ATTR_DTYPE: put_dtype(to, a->v.dtype); break;
    case GEI_ATTR_TENSOR: gei_text_tensor(to, a->v.tensor, brief); break;
    case GEI_ATTR_BYTES: put_hex(to, a->v.bytes, a->count); break;
    case GEI_ATTR_INTS: put_ints(to, a->v.ints, a->count); break;
    case GEI_ATTR_FLOATS: put_list(to, a, "floats", brief); break;
    case GEI_ATTR_BOOLS: put_list(to, a, "bools", brief); break;
    case GEI_ATTR_STRINGS: put_list(to, a, "strings", brief); break;
    case GEI_ATTR_DTYPES: put_list(to, a, "dtypes", brief); break;
    case GEI_ATTR_TENSORS: put_list(to, a, "tensors", brief); break;
    case GEI_ATTR_INT_LISTS: put_list(to, a, "lists", brief); break;
    case GEI_ATTR_FLOAT_LISTS: put_list(to, a, "float_lists", brief); break;
    case GEI_ATTR_BYTES_LIST: put_list(to, a, "bytes", brief); break;
    case GEI_ATTR_NAMED: put_named(to, a, brief); break;
    }
}
