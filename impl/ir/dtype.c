/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/dtype.h"

#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"

enum {
#define X(id, number, name, bits, kind, onnx, ge) ROW_##id,
    GEI_DTYPE_TABLE(X)
#undef X
    ROW_COUNT
};

static const gei_dtype_info rows[] = {
#define X(id, number, name, bits, kind, onnx, ge) { number, bits, kind, onnx, name, ge },
    GEI_DTYPE_TABLE(X)
#undef X
};

#define BUNDLE_ROW(prefix, form, number, name) { (form) << GEI_FORM_SHIFT | (number), 0, GEI_KIND_NONE, 0, prefix name, "DT_RESOURCE" },

/* By form, then as the table. */
static const gei_dtype_info bundle_rows[GEI_FORM_COUNT - 1][ROW_COUNT] = {
#define X(id, number, name, bits, kind, onnx, ge) BUNDLE_ROW("seq_", GEI_FORM_SEQUENCE, number, name)
    { GEI_DTYPE_TABLE(X) },
#undef X
#define X(id, number, name, bits, kind, onnx, ge) BUNDLE_ROW("opt_", GEI_FORM_OPTIONAL, number, name)
    { GEI_DTYPE_TABLE(X) },
#undef X
#define X(id, number, name, bits, kind, onnx, ge) BUNDLE_ROW("opt_seq_", GEI_FORM_OPTIONAL_SEQUENCE, number, name)
    { GEI_DTYPE_TABLE(X) },
#undef X
#define X(id, number, name, bits, kind, onnx, ge) BUNDLE_ROW("map_int64_", GEI_FORM_INT_MAP, number, name)
    { GEI_DTYPE_TABLE(X) },
#undef X
#define X(id, number, name, bits, kind, onnx, ge) BUNDLE_ROW("map_string_", GEI_FORM_TEXT_MAP, number, name)
    { GEI_DTYPE_TABLE(X) },
#undef X
#define X(id, number, name, bits, kind, onnx, ge) BUNDLE_ROW("seq_map_int64_", GEI_FORM_INT_MAPS, number, name)
    { GEI_DTYPE_TABLE(X) },
#undef X
#define X(id, number, name, bits, kind, onnx, ge) BUNDLE_ROW("seq_map_string_", GEI_FORM_TEXT_MAPS, number, name)
    { GEI_DTYPE_TABLE(X) },
#undef X
};

/* Ports keep the types they allow as a set of row numbers in two words. */
_Static_assert(ROW_COUNT <= 128, "gei_port_def.dtypes holds 128 rows");

/* Names of the graph text; types that are not here go by their full name. */
static const struct {
    int32_t dtype;
    const char *name;
} short_names[] = {
    { GEI_FLOAT32, "f32" },   { GEI_FLOAT16, "f16" },    { GEI_BFLOAT16, "bf16" },   { GEI_FLOAT64, "f64" },
    { GEI_INT8, "i8" },       { GEI_INT16, "i16" },      { GEI_INT32, "i32" },       { GEI_INT64, "i64" },
    { GEI_UINT8, "u8" },      { GEI_UINT16, "u16" },     { GEI_UINT32, "u32" },      { GEI_UINT64, "u64" },
    { GEI_INT2, "i2" },       { GEI_INT4, "i4" },        { GEI_UINT1, "u1" },        { GEI_UINT2, "u2" },
    { GEI_UINT4, "u4" },      { GEI_STRING, "str" },     { GEI_COMPLEX32, "c32" },   { GEI_COMPLEX64, "c64" },
    { GEI_COMPLEX128, "c128" },
};

static int32_t row_of(int32_t elem) {
    switch (elem) {
#define X(id, number, name, bits, kind, onnx, ge) case number: return ROW_##id;
        GEI_DTYPE_TABLE(X)
#undef X
    default: return -1;
    }
}

const gei_dtype_info *gei_dtype_get(int32_t dtype) {
    int32_t row = row_of(gei_dtype_elem(dtype));
    gei_value_form form = gei_dtype_form(dtype);
    if (row < 0 || form >= GEI_FORM_COUNT) return NULL;
    return form == GEI_FORM_TENSOR ? &rows[row] : &bundle_rows[form - 1][row];
}

const gei_dtype_info *gei_dtype_at(size_t index) { return index < GEI_COUNT(rows) ? &rows[index] : NULL; }

int32_t gei_dtype_index(int32_t dtype) {
    if (!gei_dtype_get(dtype)) return -1;
    return gei_dtype_is_bundle(dtype) ? ROW_RESOURCE : row_of(dtype);
}

static bool same_text(const char *name, const char *text, size_t text_size) {
    return strlen(name) == text_size && memcmp(name, text, text_size) == 0;
}

int32_t gei_dtype_from_name(const char *name, size_t name_size) {
    for (size_t i = 0; i < GEI_COUNT(short_names); i++)
        if (same_text(short_names[i].name, name, name_size)) return short_names[i].dtype;
    for (size_t i = 0; i < GEI_COUNT(rows); i++)
        if (same_text(rows[i].name, name, name_size) || same_text(rows[i].ge_name, name, name_size)) return rows[i].dtype;
    if (same_text("DT_BFLOAT16", name, name_size)) return GEI_BFLOAT16; /* spelling inside .air and .om files */
    for (size_t i = 0; i < (GEI_FORM_COUNT - 1) * GEI_COUNT(rows); i++) {
        const gei_dtype_info *row = &bundle_rows[i / GEI_COUNT(rows)][i % GEI_COUNT(rows)];
        if (same_text(row->name, name, name_size)) return row->dtype;
    }
    return GEI_UNDEFINED;
}

int32_t gei_dtype_from_onnx(int32_t onnx) {
    if (onnx == 0) return GEI_UNDEFINED;
    for (size_t i = 0; i < GEI_COUNT(rows); i++)
        if (rows[i].onnx == onnx) return rows[i].dtype;
    return GEI_UNDEFINED;
}

const char *gei_dtype_name(int32_t dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    return info ? info->name : "?";
}

const char *gei_dtype_short(int32_t dtype) {
    for (size_t i = 0; i < GEI_COUNT(short_names); i++)
        if (short_names[i].dtype == dtype) return short_names[i].name;
    return gei_dtype_name(dtype);
}

bool gei_dtype_is_real(int32_t dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    if (!info || info->bits == 0) return false;
    switch (info->kind) {
    case GEI_KIND_INT: case GEI_KIND_UINT: case GEI_KIND_BOOL: return true;
    case GEI_KIND_FLOAT: return dtype != GEI_HIFLOAT8 && dtype != GEI_HIFLOAT4;
    default: return false;
    }
}

bool gei_dtype_bytes(int32_t dtype, uint64_t n, size_t *out_bytes) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    size_t bits;
    if (!info || info->bits == 0) return false;
    if (info->bits % 8 == 0) return gei_mul(n, info->bits / 8, out_bytes);
    if (!gei_mul(n, info->bits, &bits)) return false;
    *out_bytes = bits / 8 + (bits % 8 != 0);
    return true;
}

/* ---- values that are no tensors ---- */

bool gei_dtype_fits(int32_t have, int32_t wanted) {
    if (have == wanted) return true;
    if (!gei_dtype_is_bundle(have) || gei_dtype_elem(have) != GEI_UNDEFINED) return false;
    gei_value_form form = gei_dtype_form(have), to = gei_dtype_form(wanted);
    return form == to || (form == GEI_FORM_OPTIONAL && to == GEI_FORM_OPTIONAL_SEQUENCE) ||
           (form == GEI_FORM_SEQUENCE && (to == GEI_FORM_INT_MAPS || to == GEI_FORM_TEXT_MAPS));
}

/* Outside, inside, and the form of the two together. */
static const struct {
    gei_value_form outside, inside, both;
} forms[] = {
    { GEI_FORM_SEQUENCE, GEI_FORM_TENSOR, GEI_FORM_SEQUENCE },
    { GEI_FORM_SEQUENCE, GEI_FORM_INT_MAP, GEI_FORM_INT_MAPS },
    { GEI_FORM_SEQUENCE, GEI_FORM_TEXT_MAP, GEI_FORM_TEXT_MAPS },
    { GEI_FORM_OPTIONAL, GEI_FORM_TENSOR, GEI_FORM_OPTIONAL },
    { GEI_FORM_OPTIONAL, GEI_FORM_SEQUENCE, GEI_FORM_OPTIONAL_SEQUENCE },
};

static int32_t put_into(gei_value_form outside, int32_t inside) {
    for (size_t i = 0; i < GEI_COUNT(forms); i++)
        if (forms[i].outside == outside && forms[i].inside == gei_dtype_form(inside))
            return gei_dtype_of(forms[i].both, gei_dtype_elem(inside));
    return GEI_UNDEFINED;
}

int32_t gei_dtype_sequence(int32_t item) { return put_into(GEI_FORM_SEQUENCE, item); }
int32_t gei_dtype_optional(int32_t inside) { return put_into(GEI_FORM_OPTIONAL, inside); }

int32_t gei_dtype_item(int32_t dtype) {
    for (size_t i = 0; i < GEI_COUNT(forms); i++)
        if (forms[i].both == gei_dtype_form(dtype)) return gei_dtype_of(forms[i].inside, gei_dtype_elem(dtype));
    return GEI_UNDEFINED;
}
