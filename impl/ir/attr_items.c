/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/attr_items.h"

#include <string.h>

gei_attr gei_attr_empty(gei_attr_kind kind) {
    gei_attr a;
    memset(&a, 0, sizeof a);
    a.kind = kind;
    if (kind == GEI_ATTR_DTYPE) a.v.dtype = 0;
    if (kind == GEI_ATTR_STRING) a.v.s.data = "";
    return a;
}

bool gei_attr_has_ints(gei_attr_kind kind) {
    switch (kind) {
    case GEI_ATTR_INT:
    case GEI_ATTR_BOOL:
    case GEI_ATTR_DTYPE:
    case GEI_ATTR_INTS:
    case GEI_ATTR_BOOLS:
    case GEI_ATTR_DTYPES:
    case GEI_ATTR_INT_LISTS: return true;
    default: return false;
    }
}

bool gei_attr_has_floats(gei_attr_kind kind) {
    return kind == GEI_ATTR_FLOAT || kind == GEI_ATTR_FLOATS || kind == GEI_ATTR_FLOAT_LISTS;
}

bool gei_attr_has_texts(gei_attr_kind kind) {
    return kind == GEI_ATTR_STRING || kind == GEI_ATTR_BYTES || kind == GEI_ATTR_STRINGS || kind == GEI_ATTR_BYTES_LIST;
}

bool gei_attr_has_tensors(gei_attr_kind kind) { return kind == GEI_ATTR_TENSOR || kind == GEI_ATTR_TENSORS; }

uint64_t gei_attr_item_count(const gei_attr *a) {
    uint64_t n = a->count;
    switch (a->kind) {
    case GEI_ATTR_INT_LISTS:
        for (uint32_t i = 0; i < a->count; i++) n += a->v.lists[i].count;
        return n;
    case GEI_ATTR_FLOAT_LISTS:
        for (uint32_t i = 0; i < a->count; i++) n += a->v.float_lists[i].count;
        return n;
    case GEI_ATTR_NONE: return 0;
    case GEI_ATTR_TENSOR: return a->v.tensor != NULL;
    case GEI_ATTR_BYTES: return 1; /* its count is that of the bytes */
    default: return gei_attr_kind_is_list(a->kind) || a->kind == GEI_ATTR_NAMED ? n : 1;
    }
}

/* ---- from items ---- */

static ge_status wrong_kind(gei_attr_kind kind, const char *carried, gei_diag *diag) {
    gei_diag_found(diag, "%s", carried);
    gei_diag_wanted(diag, "%s", gei_attr_kind_name(kind));
    return gei_fail(diag, GE_ERR_WRONG_KIND, "an attribute of kind %s does not hold %s", gei_attr_kind_name(kind), carried);
}

static ge_status check_count(gei_attr_kind kind, size_t count, gei_diag *diag) {
    if (count > UINT32_MAX) return gei_fail(diag, GE_ERR_LIMIT, "%zu items are more than an attribute can hold", count);
    if (gei_attr_kind_is_list(kind) || count == 1) return GE_OK;
    gei_diag_found(diag, "%zu", count);
    gei_diag_wanted(diag, "1");
    return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "%zu items for an attribute of kind %s, which holds one", count, gei_attr_kind_name(kind));
}

static ge_status check_int(gei_attr_kind kind, int64_t value, size_t at, gei_diag *diag) {
    bool is_bool = kind == GEI_ATTR_BOOL || kind == GEI_ATTR_BOOLS, is_dtype = kind == GEI_ATTR_DTYPE || kind == GEI_ATTR_DTYPES;
    if (is_bool ? value == 0 || value == 1 : !is_dtype || (value == (int32_t)value && gei_dtype_get((int32_t)value))) return GE_OK;
    gei_diag_found(diag, "%lld", (long long)value);
    gei_diag_wanted(diag, is_bool ? "0 or 1" : "a data type");
    return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "item %zu is %lld, which is no %s", at, (long long)value, is_bool ? "bool" : "data type");
}

static ge_status bad_row(size_t row, size_t at, gei_diag *diag) {
    gei_diag_detail(diag, "item", "%zu", at);
    return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "the length of row %zu, item %zu, is no number of items that follow", row, at);
}

/* Rows, each behind its length: how many there are. */
static ge_status count_int_rows(const int64_t *values, size_t count, size_t *out_rows, gei_diag *diag) {
    size_t rows = 0;
    for (size_t at = 0; at < count; rows++) {
        int64_t length = values[at];
        if (length < 0 || (uint64_t)length > count - at - 1) return bad_row(rows, at, diag);
        at += 1 + (size_t)length;
    }
    *out_rows = rows;
    return GE_OK;
}

static ge_status int_rows(const int64_t *values, size_t count, gei_arena *arena, gei_attr *out, gei_diag *diag) {
    size_t rows = 0;
    GEI_TRY(count_int_rows(values, count, &rows, diag));
    gei_int_list *lists = gei_arena_array(arena, gei_int_list, rows);
    if (!lists) return gei_out_of_memory(diag, rows * sizeof *lists);
    for (size_t row = 0, at = 0; row < rows; at += 1 + lists[row++].count) lists[row] = (gei_int_list){ values + at + 1, (size_t)values[at] };
    *out = (gei_attr){ .kind = GEI_ATTR_INT_LISTS, .count = (uint32_t)rows, .v.lists = lists };
    return GE_OK;
}

static ge_status narrow(gei_attr_kind kind, const int64_t *values, size_t count, gei_arena *arena, gei_attr *out, gei_diag *diag) {
    uint8_t *bools = NULL;
    int32_t *dtypes = NULL;
    *out = (gei_attr){ .kind = kind, .count = (uint32_t)count };
    if (kind == GEI_ATTR_BOOLS) out->v.bools = bools = gei_arena_array(arena, uint8_t, count);
    else out->v.dtypes = dtypes = gei_arena_array(arena, int32_t, count);
    if (!bools && !dtypes) return gei_out_of_memory(diag, count);
    for (size_t i = 0; i < count; i++) {
        if (bools) bools[i] = (uint8_t)values[i];
        else dtypes[i] = (int32_t)values[i];
    }
    return GE_OK;
}

ge_status gei_attr_from_ints(gei_attr_kind kind, const int64_t *values, size_t count, gei_arena *arena, gei_attr *out, gei_diag *diag) {
    if (!gei_attr_has_ints(kind)) return wrong_kind(kind, "ints", diag);
    GEI_TRY(check_count(kind, count, diag));
    for (size_t i = 0; i < count; i++) GEI_TRY(check_int(kind, values[i], i, diag));
    switch (kind) {
    case GEI_ATTR_INT: *out = gei_attr_int(values[0]); return GE_OK;
    case GEI_ATTR_BOOL: *out = gei_attr_bool(values[0] != 0); return GE_OK;
    case GEI_ATTR_DTYPE: *out = gei_attr_dtype((int32_t)values[0]); return GE_OK;
    case GEI_ATTR_INTS: *out = gei_attr_ints(values, count); return GE_OK;
    case GEI_ATTR_INT_LISTS: return int_rows(values, count, arena, out, diag);
    default: return narrow(kind, values, count, arena, out, diag);
    }
}

static ge_status float_rows(const float *values, size_t count, gei_arena *arena, gei_attr *out, gei_diag *diag) {
    size_t rows = 0;
    for (size_t at = 0; at < count; rows++) {
        float length = values[at];
        bool is_count = length >= 0 && length < 16777216.0f && (float)(size_t)length == length;
        if (!is_count || (size_t)length > count - at - 1) return bad_row(rows, at, diag);
        at += 1 + (size_t)length;
    }
    gei_float_list *lists = gei_arena_array(arena, gei_float_list, rows);
    if (!lists) return gei_out_of_memory(diag, rows * sizeof *lists);
    for (size_t row = 0, at = 0; row < rows; at += 1 + lists[row++].count) lists[row] = (gei_float_list){ values + at + 1, (size_t)values[at] };
    *out = (gei_attr){ .kind = GEI_ATTR_FLOAT_LISTS, .count = (uint32_t)rows, .v.float_lists = lists };
    return GE_OK;
}

ge_status gei_attr_from_floats(gei_attr_kind kind, const float *values, size_t count, gei_arena *arena, gei_attr *out, gei_diag *diag) {
    if (!gei_attr_has_floats(kind)) return wrong_kind(kind, "floats", diag);
    GEI_TRY(check_count(kind, count, diag));
    if (kind == GEI_ATTR_FLOAT_LISTS) return float_rows(values, count, arena, out, diag);
    *out = kind == GEI_ATTR_FLOAT ? gei_attr_float(values[0]) : gei_attr_floats(values, count);
    return GE_OK;
}

ge_status gei_attr_from_text(gei_attr_kind kind, const char *text, size_t size, gei_attr *out, gei_diag *diag) {
    if (kind != GEI_ATTR_STRING && kind != GEI_ATTR_BYTES) return wrong_kind(kind, "a text", diag);
    if (size > UINT32_MAX) return gei_fail(diag, GE_ERR_LIMIT, "%zu bytes are more than an attribute can hold", size);
    *out = kind == GEI_ATTR_STRING ? gei_attr_text(text, size) : (gei_attr){ .kind = kind, .count = (uint32_t)size, .v.bytes = text };
    return GE_OK;
}

/* ---- to items ---- */

void gei_attr_to_ints(const gei_attr *a, int64_t *out) {
    switch (a->kind) {
    case GEI_ATTR_INT: *out = a->v.i; return;
    case GEI_ATTR_BOOL: *out = a->v.b; return;
    case GEI_ATTR_DTYPE: *out = a->v.dtype; return;
    case GEI_ATTR_INTS:
        if (a->count) memcpy(out, a->v.ints, a->count * sizeof *out);
        return;
    case GEI_ATTR_BOOLS:
        for (uint32_t i = 0; i < a->count; i++) out[i] = a->v.bools[i];
        return;
    case GEI_ATTR_DTYPES:
        for (uint32_t i = 0; i < a->count; i++) out[i] = a->v.dtypes[i];
        return;
    case GEI_ATTR_INT_LISTS:
        for (uint32_t i = 0; i < a->count; out += a->v.lists[i++].count) {
            *out++ = (int64_t)a->v.lists[i].count;
            if (a->v.lists[i].count) memcpy(out, a->v.lists[i].data, a->v.lists[i].count * sizeof *out);
        }
        return;
    default: return;
    }
}

void gei_attr_to_floats(const gei_attr *a, float *out) {
    switch (a->kind) {
    case GEI_ATTR_FLOAT: *out = a->v.f; return;
    case GEI_ATTR_FLOATS:
        if (a->count) memcpy(out, a->v.floats, a->count * sizeof *out);
        return;
    case GEI_ATTR_FLOAT_LISTS:
        for (uint32_t i = 0; i < a->count; out += a->v.float_lists[i++].count) {
            *out++ = (float)a->v.float_lists[i].count;
            if (a->v.float_lists[i].count) memcpy(out, a->v.float_lists[i].data, a->v.float_lists[i].count * sizeof *out);
        }
        return;
    default: return;
    }
}

bool gei_attr_text_at(const gei_attr *a, size_t index, gei_text *out) {
    switch (a->kind) {
    case GEI_ATTR_STRING: *out = a->v.s; return index == 0;
    case GEI_ATTR_BYTES: *out = (gei_text){ a->v.bytes, a->count }; return index == 0;
    case GEI_ATTR_STRINGS:
    case GEI_ATTR_BYTES_LIST:
        if (index >= a->count) return false;
        *out = a->v.strings[index];
        return true;
    default: return false;
    }
}

gei_tensor *gei_attr_tensor_at(const gei_attr *a, size_t index) {
    if (a->kind == GEI_ATTR_TENSOR) return index == 0 ? a->v.tensor : NULL;
    return a->kind == GEI_ATTR_TENSORS && index < a->count ? a->v.tensors[index] : NULL;
}

/* ---- one item ---- */

static ge_status check_index(const gei_attr *a, size_t index, gei_diag *diag) {
    size_t most = gei_attr_kind_is_list(a->kind) ? a->count : 0;
    if (index <= most && index < UINT32_MAX) return GE_OK;
    gei_diag_found(diag, "%zu", index);
    gei_diag_wanted(diag, "at most %zu", most);
    return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "item %zu of an attribute of kind %s that takes items up to %zu", index, gei_attr_kind_name(a->kind),
                    most);
}

/* A list in a set has room for a power of two of items: full when its count is one. */
static void *grow(const void *items, uint32_t count, size_t item_bytes, gei_arena *arena) {
    if (count > 0 && (count & (count - 1)) != 0) return (void *)(uintptr_t)items;
    char *bigger = gei_arena_array_(arena, count ? (size_t)count * 2 : 1, item_bytes, _Alignof(void *));
    if (bigger && count > 0) memcpy(bigger, items, count * item_bytes);
    return bigger;
}

static ge_status put_single_text(gei_attr *a, gei_arena *arena, const char *text, size_t size, gei_diag *diag) {
    gei_attr borrowed;
    GEI_TRY(gei_attr_from_text(a->kind, text, size, &borrowed, diag));
    return gei_attr_copy(arena, &borrowed, a, diag);
}

ge_status gei_attr_put_text(gei_attr *a, gei_arena *arena, size_t index, const char *text, size_t size, gei_diag *diag) {
    if (!gei_attr_has_texts(a->kind)) return wrong_kind(a->kind, "texts", diag);
    GEI_TRY(check_index(a, index, diag));
    if (!gei_attr_kind_is_list(a->kind)) return put_single_text(a, arena, text, size, diag);
    const char *own = gei_arena_text(arena, size ? text : "", size);
    if (!own) return gei_out_of_memory(diag, size);
    gei_text *texts = (gei_text *)(uintptr_t)a->v.strings; /* ours: it lies in the arena */
    if (index == a->count) {
        texts = grow(a->v.strings, a->count, sizeof *texts, arena);
        if (!texts) return gei_out_of_memory(diag, 0);
        a->v.strings = texts;
        a->count++;
    }
    texts[index] = (gei_text){ own, size };
    return GE_OK;
}

ge_status gei_attr_put_tensor(gei_attr *a, gei_arena *arena, size_t index, gei_tensor *tensor, gei_diag *diag) {
    if (!gei_attr_has_tensors(a->kind)) return wrong_kind(a->kind, "tensors", diag);
    GEI_TRY(check_index(a, index, diag));
    gei_tensor **slot = &a->v.tensor;
    if (a->kind == GEI_ATTR_TENSORS) {
        gei_tensor **tensors = (gei_tensor **)(uintptr_t)a->v.tensors;
        if (index == a->count) {
            tensors = grow(a->v.tensors, a->count, sizeof *tensors, arena);
            if (!tensors) return gei_out_of_memory(diag, 0);
            a->v.tensors = tensors;
            tensors[a->count++] = NULL;
        }
        slot = &tensors[index];
    }
    gei_tensor *old = *slot;
    *slot = gei_tensor_retain(tensor);
    gei_tensor_release(old);
    return GE_OK;
}
