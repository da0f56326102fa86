/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/attr_kind.h"
#include "api/builder.h"

/* Kinds a call can set, the first for names the operator does not declare; ends with GEI_ATTR_NONE. */
static const gei_attr_kind single_ints[] = { GEI_ATTR_INT, GEI_ATTR_BOOL, GEI_ATTR_DTYPE, GEI_ATTR_NONE };
static const gei_attr_kind single_floats[] = { GEI_ATTR_FLOAT, GEI_ATTR_NONE };
static const gei_attr_kind single_texts[] = { GEI_ATTR_STRING, GEI_ATTR_BYTES, GEI_ATTR_NONE };
static const gei_attr_kind single_tensors[] = { GEI_ATTR_TENSOR, GEI_ATTR_NONE };
static const gei_attr_kind int_lists[] = { GEI_ATTR_INTS, GEI_ATTR_BOOLS, GEI_ATTR_DTYPES, GEI_ATTR_INT_LISTS, GEI_ATTR_NONE };
static const gei_attr_kind float_lists[] = { GEI_ATTR_FLOATS, GEI_ATTR_FLOAT_LISTS, GEI_ATTR_NONE };
static const gei_attr_kind text_lists[] = { GEI_ATTR_STRINGS, GEI_ATTR_NONE };

/* An attribute to be set: name and kind settled. */
typedef struct target {
    gei_api_builder *builder;
    const char *name; /* zero-terminated */
    gei_attr_kind kind;
} target;

static bool is_among(const gei_attr_kind *kinds, gei_attr_kind kind) {
    while (*kinds != GEI_ATTR_NONE && *kinds != kind) kinds++;
    return *kinds != GEI_ATTR_NONE;
}

static ge_status wrong_kind(const target *t, const char *argument, int32_t index, gei_attr_kind found, gei_attr_kind wanted, gei_diag *diag) {
    gei_diag_found(diag, "%s", gei_attr_kind_name(found));
    gei_diag_wanted(diag, "%s", gei_attr_kind_name(wanted));
    return gei_argument_fail(diag, argument, index, GE_ERR_WRONG_KIND, "attribute '%s' of %s is of kind %s, not %s", t->name, t->builder->def->name,
                             gei_attr_kind_name(wanted), gei_attr_kind_name(found));
}

static ge_status settle_kind(target *t, const gei_attr_kind *kinds, ge_attr_kind asked, gei_diag *diag) {
    const gei_attr_def *def = gei_def_attr(t->builder->def, t->name);
    t->kind = gei_attr_kind_in(asked);
    if (asked != GE_ATTR_NONE && t->kind == GEI_ATTR_NONE)
        return gei_argument_fail(diag, "kind", 3, GE_ERR_INVALID_ARGUMENT, "%d is no kind of attribute", asked);
    if (asked == GE_ATTR_NONE) t->kind = def && is_among(kinds, def->kind) ? def->kind : kinds[0];
    else if (!is_among(kinds, t->kind)) return wrong_kind(t, "kind", 3, kinds[0], t->kind, diag);
    if (!def || def->kind == t->kind) return GE_OK;
    return asked == GE_ATTR_NONE ? wrong_kind(t, "name", 1, t->kind, def->kind, diag) : wrong_kind(t, "kind", 3, t->kind, def->kind, diag);
}

static ge_status begin(gei_api_builder *b, const char *name, size_t size, const gei_attr_kind *kinds, ge_attr_kind asked, target *out,
                       gei_diag *diag) {
    if (!name) return gei_argument_fail(diag, "name", 1, GE_ERR_NULL_ARGUMENT, "name is NULL");
    GEI_TRY(gei_text_in(name, &size, "name", 1, diag));
    if (size == 0) return gei_argument_fail(diag, "name", 1, GE_ERR_INVALID_ARGUMENT, "name is empty");
    if (memchr(name, 0, size)) return gei_argument_fail(diag, "name", 1, GE_ERR_INVALID_UTF8, "name contains a zero byte");
    *out = (target){ b, gei_arena_text(&b->arena, name, size), GEI_ATTR_NONE };
    return out->name ? settle_kind(out, kinds, asked, diag) : gei_out_of_memory(diag, size);
}

static ge_status set(const target *t, const gei_attr *value, gei_diag *diag) {
    return gei_attrs_set(&t->builder->attrs, &t->builder->arena, t->name, value, diag);
}

/* ---- single values ---- */

static ge_status set_ints(gei_api_builder *b, const char *name, size_t size, const gei_attr_kind *kinds, ge_attr_kind kind, const int64_t *values,
                          size_t count, const char *argument, int32_t index, gei_diag *diag) {
    target t;
    gei_attr value;
    if (!values && count) return gei_argument_fail(diag, argument, index, GE_ERR_NULL_ARGUMENT, "%s is NULL", argument);
    GEI_TRY(begin(b, name, size, kinds, kind, &t, diag));
    ge_status st = gei_attr_from_ints(t.kind, values, count, &b->arena, &value, diag);
    if (st != GE_OK) gei_diag_argument(diag, argument, index);
    return st == GE_OK ? set(&t, &value, diag) : st;
}

ge_status ge_builder_set_attr_int(ge_builder *builder, const char *name, size_t name_size, ge_attr_kind kind, int64_t value) {
    GEI_CALL;
    GEI_GET(gei_api_builder, b, builder, BUILDER, 0);
    GEI_BUILDER_STEP(b, set_ints(b, name, name_size, single_ints, kind, &value, 1, "value", 4, &diag));
}

ge_status ge_builder_set_attr_ints(ge_builder *builder, const char *name, size_t name_size, ge_attr_kind kind, const int64_t *values,
                                   size_t values_count) {
    GEI_CALL;
    GEI_GET(gei_api_builder, b, builder, BUILDER, 0);
    GEI_BUILDER_STEP(b, set_ints(b, name, name_size, int_lists, kind, values, values_count, "values", 4, &diag));
}

static ge_status set_floats(gei_api_builder *b, const char *name, size_t size, const gei_attr_kind *kinds, ge_attr_kind kind, const float *values,
                            size_t count, gei_diag *diag) {
    target t;
    gei_attr value;
    if (!values && count) return gei_argument_fail(diag, "values", 4, GE_ERR_NULL_ARGUMENT, "values is NULL");
    GEI_TRY(begin(b, name, size, kinds, kind, &t, diag));
    ge_status st = gei_attr_from_floats(t.kind, values, count, &b->arena, &value, diag);
    if (st != GE_OK) gei_diag_argument(diag, "values", 4);
    return st == GE_OK ? set(&t, &value, diag) : st;
}

ge_status ge_builder_set_attr_float(ge_builder *builder, const char *name, size_t name_size, float value) {
    GEI_CALL;
    GEI_GET(gei_api_builder, b, builder, BUILDER, 0);
    GEI_BUILDER_STEP(b, set_floats(b, name, name_size, single_floats, GE_ATTR_NONE, &value, 1, &diag));
}

ge_status ge_builder_set_attr_floats(ge_builder *builder, const char *name, size_t name_size, ge_attr_kind kind, const float *values,
                                     size_t values_count) {
    GEI_CALL;
    GEI_GET(gei_api_builder, b, builder, BUILDER, 0);
    GEI_BUILDER_STEP(b, set_floats(b, name, name_size, float_lists, kind, values, values_count, &diag));
}

static ge_status set_text(gei_api_builder *b, const char *name, size_t size, ge_attr_kind kind, const char *text, size_t text_size,
                          gei_diag *diag) {
    target t;
    gei_attr value;
    if (!text) return gei_argument_fail(diag, "text", 4, GE_ERR_NULL_ARGUMENT, "text is NULL");
    GEI_TRY(begin(b, name, size, single_texts, kind, &t, diag));
    if (t.kind == GEI_ATTR_STRING) GEI_TRY(gei_text_in(text, &text_size, "text", 4, diag));
    else if (text_size == GE_NTS) text_size = strlen(text);
    ge_status st = gei_attr_from_text(t.kind, text, text_size, &value, diag);
    if (st != GE_OK) gei_diag_argument(diag, "text", 4);
    return st == GE_OK ? set(&t, &value, diag) : st;
}

ge_status ge_builder_set_attr_text(ge_builder *builder, const char *name, size_t name_size, ge_attr_kind kind, const char *text, size_t text_size) {
    GEI_CALL;
    GEI_GET(gei_api_builder, b, builder, BUILDER, 0);
    GEI_BUILDER_STEP(b, set_text(b, name, name_size, kind, text, text_size, &diag));
}

static ge_status set_tensor(gei_api_builder *b, const char *name, size_t size, const ge_tensor *tensor, gei_diag *diag) {
    target t;
    gei_tensor *inner;
    GEI_TRY(gei_tensor_of(tensor, b->view.owner->ctx, "tensor", 3, &inner, diag));
    GEI_TRY(begin(b, name, size, single_tensors, GE_ATTR_NONE, &t, diag));
    gei_attr value = gei_attr_tensor(inner);
    GEI_TRY(set(&t, &value, diag));
    gei_tensor_freeze(inner);
    return GE_OK;
}

ge_status ge_builder_set_attr_tensor(ge_builder *builder, const char *name, size_t name_size, const ge_tensor *tensor) {
    GEI_CALL;
    GEI_GET(gei_api_builder, b, builder, BUILDER, 0);
    GEI_BUILDER_STEP(b, set_tensor(b, name, name_size, tensor, &diag));
}

/* ---- lists of texts ---- */

static ge_status set_texts(gei_api_builder *b, const char *name, size_t size, const char *const *texts, size_t count, gei_diag *diag) {
    target t;
    if (!texts && count) return gei_argument_fail(diag, "texts", 3, GE_ERR_NULL_ARGUMENT, "texts is NULL");
    if (count > UINT32_MAX) return gei_argument_fail(diag, "texts_count", 4, GE_ERR_LIMIT, "%zu texts are too many", count);
    GEI_TRY(begin(b, name, size, text_lists, GE_ATTR_NONE, &t, diag));
    gei_text *items = gei_arena_array(&b->arena, gei_text, count);
    if (!items) return gei_out_of_memory(diag, count * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        size_t text_size = GE_NTS;
        if (!texts[i]) return gei_argument_fail(diag, "texts", 3, GE_ERR_NULL_ARGUMENT, "text %zu is NULL", i);
        GEI_TRY(gei_text_in(texts[i], &text_size, "texts", 3, diag));
        items[i] = (gei_text){ texts[i], text_size };
    }
    gei_attr value = { .kind = t.kind, .count = (uint32_t)count, .v.strings = items };
    return set(&t, &value, diag);
}

ge_status ge_builder_set_attr_texts(ge_builder *builder, const char *name, size_t name_size, const char *const *texts, size_t texts_count) {
    GEI_CALL;
    GEI_GET(gei_api_builder, b, builder, BUILDER, 0);
    GEI_BUILDER_STEP(b, set_texts(b, name, name_size, texts, texts_count, &diag));
}
