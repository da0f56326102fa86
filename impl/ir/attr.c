/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/attr.h"

#include <string.h>

/* ---- making ---- */

gei_attr gei_attr_int(int64_t v) { return (gei_attr){ .kind = GEI_ATTR_INT, .v.i = v }; }
gei_attr gei_attr_float(float v) { return (gei_attr){ .kind = GEI_ATTR_FLOAT, .v.f = v }; }
gei_attr gei_attr_bool(bool v) { return (gei_attr){ .kind = GEI_ATTR_BOOL, .v.b = v }; }
gei_attr gei_attr_dtype(int32_t v) { return (gei_attr){ .kind = GEI_ATTR_DTYPE, .v.dtype = v }; }
gei_attr gei_attr_tensor(gei_tensor *v) { return (gei_attr){ .kind = GEI_ATTR_TENSOR, .v.tensor = v }; }
gei_attr gei_attr_text(const char *data, size_t size) { return (gei_attr){ .kind = GEI_ATTR_STRING, .v.s = { data, size } }; }
gei_attr gei_attr_ints(const int64_t *data, size_t count) {
    return (gei_attr){ .kind = GEI_ATTR_INTS, .count = (uint32_t)count, .v.ints = data };
}
gei_attr gei_attr_floats(const float *data, size_t count) {
    return (gei_attr){ .kind = GEI_ATTR_FLOATS, .count = (uint32_t)count, .v.floats = data };
}

const char *gei_attr_kind_name(gei_attr_kind kind) {
    static const char *const names[] = { "none",    "int",  "float",   "bool",   "string",  "dtype",     "tensor", "bytes", "ints",
                                         "floats", "bools", "strings", "dtypes", "tensors", "int lists", "named",
                                         "float lists", "bytes list" };
    return (size_t)kind < GEI_COUNT(names) ? names[kind] : "?";
}

/* ---- copying: memory first, references last, so that a failure leaves nothing to undo ---- */

static bool copy_text(gei_arena *arena, gei_text *text) {
    text->data = gei_arena_text(arena, text->data ? text->data : "", text->size);
    return text->data != NULL;
}

static bool copy_array(gei_arena *arena, const void **array, size_t count, size_t elem_bytes) {
    size_t bytes;
    if (!gei_mul(count, elem_bytes, &bytes)) return false;
    *array = count == 0 ? NULL : gei_arena_copy(arena, *array, bytes, 16);
    return count == 0 || *array != NULL;
}

/* Lists that grow item by item (attr_items.c) have room for a power of two of them. */
static size_t room_for(uint32_t count) {
    size_t room = 1;
    while (room < count) room *= 2;
    return room;
}

static bool copy_tensors(gei_arena *arena, gei_attr *a) {
    gei_tensor **tensors = gei_arena_array(arena, gei_tensor *, room_for(a->count));
    if (!tensors) return false;
    for (uint32_t i = 0; i < a->count; i++) tensors[i] = a->v.tensors[i];
    a->v.tensors = tensors;
    return true;
}

static bool copy_texts(gei_arena *arena, gei_attr *a) {
    gei_text *texts = gei_arena_array(arena, gei_text, room_for(a->count));
    if (!texts) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        texts[i] = a->v.strings[i];
        if (!copy_text(arena, &texts[i])) return false;
    }
    a->v.strings = texts;
    return true;
}

static bool copy_int_lists(gei_arena *arena, gei_attr *a) {
    gei_int_list *lists = gei_arena_array(arena, gei_int_list, a->count);
    if (!lists) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const void *data = a->v.lists[i].data;
        if (!copy_array(arena, &data, a->v.lists[i].count, sizeof(int64_t))) return false;
        lists[i] = (gei_int_list){ (const int64_t *)data, a->v.lists[i].count };
    }
    a->v.lists = lists;
    return true;
}

static bool copy_float_lists(gei_arena *arena, gei_attr *a) {
    gei_float_list *lists = gei_arena_array(arena, gei_float_list, a->count);
    if (!lists) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const void *data = a->v.float_lists[i].data;
        if (!copy_array(arena, &data, a->v.float_lists[i].count, sizeof(float))) return false;
        lists[i] = (gei_float_list){ (const float *)data, a->v.float_lists[i].count };
    }
    a->v.float_lists = lists;
    return true;
}

static bool copy_bytes(gei_arena *arena, gei_attr *a) {
    a->v.bytes = gei_arena_text(arena, a->count ? a->v.bytes : "", a->count);
    return a->v.bytes != NULL;
}

static ge_status copy_value(gei_arena *arena, gei_attr *a, uint32_t depth, gei_diag *diag);

static ge_status copy_named(gei_arena *arena, gei_attr *a, uint32_t depth, gei_diag *diag) {
    if (depth >= GEI_ATTR_MAX_DEPTH)
        return gei_fail(diag, GE_ERR_BAD_ATTR, "attribute lists are nested deeper than %d", GEI_ATTR_MAX_DEPTH);
    gei_named_attr *items = gei_arena_array(arena, gei_named_attr, a->count);
    if (!items) return gei_out_of_memory(diag, 0);
    for (uint32_t i = 0; i < a->count; i++) {
        const char *name = a->v.named[i].name;
        items[i].name = gei_arena_text(arena, name, strlen(name));
        items[i].value = a->v.named[i].value;
        if (!items[i].name) return gei_out_of_memory(diag, 0);
        GEI_TRY(copy_value(arena, &items[i].value, depth + 1, diag));
    }
    a->v.named = items;
    return GE_OK;
}

/* Replaces every borrowed pointer of *a by a copy in the arena; tensors are not retained yet. */
static ge_status copy_value(gei_arena *arena, gei_attr *a, uint32_t depth, gei_diag *diag) {
    bool ok = true;
    switch (a->kind) {
    case GEI_ATTR_STRING: ok = copy_text(arena, &a->v.s); break;
    case GEI_ATTR_BYTES: ok = copy_bytes(arena, a); break;
    case GEI_ATTR_INTS: ok = copy_array(arena, &a->v.bytes, a->count, sizeof(int64_t)); break;
    case GEI_ATTR_FLOATS: ok = copy_array(arena, &a->v.bytes, a->count, sizeof(float)); break;
    case GEI_ATTR_BOOLS: ok = copy_array(arena, &a->v.bytes, a->count, 1); break;
    case GEI_ATTR_DTYPES: ok = copy_array(arena, &a->v.bytes, a->count, sizeof(int32_t)); break;
    case GEI_ATTR_TENSORS: ok = copy_tensors(arena, a); break;
    case GEI_ATTR_STRINGS:
    case GEI_ATTR_BYTES_LIST: ok = copy_texts(arena, a); break;
    case GEI_ATTR_INT_LISTS: ok = copy_int_lists(arena, a); break;
    case GEI_ATTR_FLOAT_LISTS: ok = copy_float_lists(arena, a); break;
    case GEI_ATTR_NAMED: return copy_named(arena, a, depth, diag);
    default: break;
    }
    return ok ? GE_OK : gei_out_of_memory(diag, 0);
}

/* Depth is bounded: values in a set went through copy_value. */
static void each_tensor(const gei_attr *a, void (*fn)(gei_tensor *)) {
    switch (a->kind) {
    case GEI_ATTR_TENSOR: fn(a->v.tensor); break;
    case GEI_ATTR_TENSORS:
        for (uint32_t i = 0; i < a->count; i++) fn(a->v.tensors[i]);
        break;
    case GEI_ATTR_NAMED:
        for (uint32_t i = 0; i < a->count; i++) each_tensor(&a->v.named[i].value, fn);
        break;
    default: break;
    }
}

static void retain_one(gei_tensor *t) { (void)gei_tensor_retain(t); }

ge_status gei_attr_copy(gei_arena *arena, const gei_attr *value, gei_attr *out, gei_diag *diag) {
    gei_attr copy = *value;
    GEI_TRY(copy_value(arena, &copy, 0, diag));
    each_tensor(&copy, retain_one);
    *out = copy;
    return GE_OK;
}

void gei_attr_release(const gei_attr *value) { each_tensor(value, gei_tensor_release); }

/* ---- sets ---- */

static gei_named_attr *find(const gei_attrs *attrs, const char *name) {
    for (uint32_t i = 0; i < attrs->count; i++)
        if (strcmp(attrs->items[i].name, name) == 0) return &attrs->items[i];
    return NULL;
}

const gei_attr *gei_attrs_find(const gei_attrs *attrs, const char *name) {
    const gei_named_attr *found = find(attrs, name);
    return found ? &found->value : NULL;
}

static bool grow(gei_attrs *attrs, gei_arena *arena) {
    if (attrs->count < attrs->cap) return true;
    if (attrs->cap > UINT32_MAX / 2) return false;
    uint32_t cap = attrs->cap ? attrs->cap * 2 : 2;
    gei_named_attr *items = gei_arena_array(arena, gei_named_attr, cap);
    if (!items) return false;
    if (attrs->count > 0) memcpy(items, attrs->items, attrs->count * sizeof *items);
    attrs->items = items;
    attrs->cap = cap;
    return true;
}

ge_status gei_attrs_set(gei_attrs *attrs, gei_arena *arena, const char *name, const gei_attr *value, gei_diag *diag) {
    gei_named_attr *old = find(attrs, name);
    gei_attr copy;
    if (old) {
        GEI_TRY(gei_attr_copy(arena, value, &copy, diag));
        gei_attr_release(&old->value);
        old->value = copy;
        return GE_OK;
    }
    const char *own_name = gei_arena_text(arena, name, strlen(name));
    if (!own_name || !grow(attrs, arena)) return gei_out_of_memory(diag, 0);
    GEI_TRY(gei_attr_copy(arena, value, &copy, diag));
    attrs->items[attrs->count++] = (gei_named_attr){ own_name, copy };
    return GE_OK;
}

bool gei_attrs_remove(gei_attrs *attrs, const char *name) {
    gei_named_attr *found = find(attrs, name);
    if (!found) return false;
    gei_attr_release(&found->value);
    size_t behind = (size_t)(attrs->items + attrs->count - (found + 1));
    memmove(found, found + 1, behind * sizeof *found);
    attrs->count--;
    return true;
}

void gei_attrs_release(gei_attrs *attrs) {
    for (uint32_t i = 0; i < attrs->count; i++) gei_attr_release(&attrs->items[i].value);
    attrs->count = 0;
}

/* ---- comparing ---- */

static bool same_text(gei_text a, gei_text b) { return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0); }

static bool same_bytes(const void *a, const void *b, size_t size) { return size == 0 || memcmp(a, b, size) == 0; }

static bool equal(const gei_attr *a, const gei_attr *b, uint32_t depth);

static bool equal_each(const gei_attr *a, const gei_attr *b, uint32_t i, uint32_t depth) {
    switch (a->kind) {
    case GEI_ATTR_STRINGS:
    case GEI_ATTR_BYTES_LIST: return same_text(a->v.strings[i], b->v.strings[i]);
    case GEI_ATTR_TENSORS: return gei_tensor_equal(a->v.tensors[i], b->v.tensors[i]);
    case GEI_ATTR_INT_LISTS:
        return a->v.lists[i].count == b->v.lists[i].count &&
               same_bytes(a->v.lists[i].data, b->v.lists[i].data, a->v.lists[i].count * sizeof(int64_t));
    case GEI_ATTR_FLOAT_LISTS:
        return a->v.float_lists[i].count == b->v.float_lists[i].count &&
               same_bytes(a->v.float_lists[i].data, b->v.float_lists[i].data, a->v.float_lists[i].count * sizeof(float));
    case GEI_ATTR_NAMED:
        return strcmp(a->v.named[i].name, b->v.named[i].name) == 0 && equal(&a->v.named[i].value, &b->v.named[i].value, depth + 1);
    default: return false;
    }
}

static bool equal(const gei_attr *a, const gei_attr *b, uint32_t depth) {
    if (a->kind != b->kind || a->count != b->count || depth > GEI_ATTR_MAX_DEPTH) return false;
    switch (a->kind) {
    case GEI_ATTR_NONE: return true;
    case GEI_ATTR_INT: return a->v.i == b->v.i;
    case GEI_ATTR_FLOAT: return memcmp(&a->v.f, &b->v.f, sizeof a->v.f) == 0; /* NaN equals itself, -0 differs from 0 */
    case GEI_ATTR_BOOL: return a->v.b == b->v.b;
    case GEI_ATTR_DTYPE: return a->v.dtype == b->v.dtype;
    case GEI_ATTR_STRING: return same_text(a->v.s, b->v.s);
    case GEI_ATTR_TENSOR: return gei_tensor_equal(a->v.tensor, b->v.tensor);
    case GEI_ATTR_BYTES: return same_bytes(a->v.bytes, b->v.bytes, a->count);
    case GEI_ATTR_INTS: return same_bytes(a->v.ints, b->v.ints, a->count * sizeof(int64_t));
    case GEI_ATTR_FLOATS: return same_bytes(a->v.floats, b->v.floats, a->count * sizeof(float));
    case GEI_ATTR_BOOLS: return same_bytes(a->v.bools, b->v.bools, a->count);
    case GEI_ATTR_DTYPES: return same_bytes(a->v.dtypes, b->v.dtypes, a->count * sizeof(int32_t));
    default: break;
    }
    for (uint32_t i = 0; i < a->count; i++)
        if (!equal_each(a, b, i, depth)) return false;
    return true;
}

bool gei_attr_equal(const gei_attr *a, const gei_attr *b) { return equal(a, b, 0); }
