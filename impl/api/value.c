/* SPDX-License-Identifier: Apache-2.0 */
/* Values of all kinds: a tensor each, that of the other kinds being a bundle. */
#include <string.h>

#include "api/tensor.h"
#include "ir/bundle.h"

ge_value_kind gei_value_kind_of(int32_t dtype) {
    switch (gei_dtype_form(dtype)) {
    case GEI_FORM_TENSOR: return GE_VALUE_TENSOR;
    case GEI_FORM_OPTIONAL:
    case GEI_FORM_OPTIONAL_SEQUENCE: return GE_VALUE_OPTIONAL;
    case GEI_FORM_INT_MAP:
    case GEI_FORM_TEXT_MAP: return GE_VALUE_MAP;
    default: return GE_VALUE_SEQUENCE;
    }
}

static void value_destroy(void *object) {
    gei_api_value *v = object;
    gei_api_context *ctx = v->ctx;
    gei_tensor_release(v->tensor);
    gei_free(&ctx->from, v, sizeof *v, 0);
    gei_object_gone(ctx);
}

ge_status gei_value_handle(gei_api_context *c, gei_tensor *tensor, ge_ownership ownership, ge_value **out, gei_diag *diag) {
    gei_api_value *v = gei_alloc_zero(&c->from, sizeof *v, 0);
    if (!v) {
        gei_tensor_release(tensor);
        return gei_out_of_memory(diag, sizeof *v);
    }
    gei_context_retain(c);
    v->ctx = c;
    v->kind = gei_value_kind_of(tensor->dtype);
    v->tensor = tensor;
    v->ownership = ownership;
    return gei_object_handle(c, GEI_HANDLE_VALUE, v, value_destroy, (void **)out, diag);
}

ge_status ge_value_create_from_tensor(const ge_tensor *tensor, ge_value **out_value) {
    GEI_CALL;
    gei_tensor *inner;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 1);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    GEI_CHECK(gei_tensor_of(tensor, NULL, "tensor", 0, &inner, &diag));
    return GEI_RETURN(gei_value_handle(t->ctx, gei_tensor_retain(inner), t->ownership, out_value, &diag));
}

ge_status ge_value_destroy(ge_value *value) {
    ge_status st = gei_handle_close(value, GEI_HANDLE_VALUE);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "value", 0, value, GEI_HANDLE_VALUE);
}

ge_status ge_value_get_kind(const ge_value *value, ge_value_kind *out_kind) {
    GEI_OUT(out_kind);
    GEI_NEED(out_kind, 1);
    GEI_GET(gei_api_value, v, value, VALUE, 0);
    *out_kind = v->kind;
    return GE_OK;
}

ge_status ge_tensor_create_from_value(const ge_value *value, ge_tensor **out_tensor) {
    GEI_CALL;
    GEI_OUT(out_tensor);
    GEI_NEED(out_tensor, 1);
    GEI_GET(gei_api_value, v, value, VALUE, 0);
    if (v->kind != GE_VALUE_TENSOR || !v->tensor)
        return GEI_RETURN(gei_argument_fail(&diag, "value", 0, GE_ERR_WRONG_KIND, "the value holds no tensor"));
    return GEI_RETURN(gei_tensor_handle(v->ctx, gei_tensor_retain(v->tensor), v->ownership, out_tensor, &diag));
}

/* ---- making bundles ---- */

static gei_bundle_item describe(const gei_tensor *t) {
    gei_bundle_item item = { .dtype = t->dtype, .rank = t->rank, .n_elems = t->n_elems, .size_bytes = t->size_bytes };
    memcpy(item.dims, t->dims, sizeof item.dims);
    return item;
}

/* A handle for the bundle of these tensors. */
static ge_status bundle_handle(gei_api_context *c, int32_t dtype, gei_tensor *const *items, size_t count, ge_value **out, gei_diag *diag) {
    gei_bundle_item *list = gei_alloc_zero(&c->from, (count + 1) * sizeof *list, 0);
    gei_tensor *bundle = NULL;
    size_t bytes = 0;
    if (!list) return gei_out_of_memory(diag, (count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++) list[i] = describe(items[i]);
    ge_status st = gei_bundle_measure(list, count, &bytes) ? gei_tensor_create_bytes(&c->from, dtype, 0, NULL, bytes, &bundle, diag)
                                                           : gei_out_of_memory(diag, SIZE_MAX);
    if (st == GE_OK) gei_bundle_start(bundle->data, list, count);
    for (size_t i = 0; st == GE_OK && i < count; i++) {
        if (items[i]->size_bytes > 0) memcpy(gei_bundle_data(bundle->data, i), items[i]->data, items[i]->size_bytes);
        gei_context_copied(c, items[i]->size_bytes);
    }
    gei_free(&c->from, list, (count + 1) * sizeof *list, 0);
    return st == GE_OK ? gei_value_handle(c, bundle, GE_OWNERSHIP_LIBRARY, out, diag) : st;
}

static ge_status value_fault(ge_status why, size_t index, const char *what, gei_diag *diag) {
    return gei_argument_fail(diag, "values", 1, why, "value %zu %s", index, what);
}

/* The tensors of values of one type, borrowed.  Maps are refused unless they may be there. */
static ge_status collect(const gei_api_context *c, const ge_value *const *values, size_t count, bool may_be_maps, gei_tensor **list,
                         int32_t *out_dtype, gei_diag *diag) {
    *out_dtype = GEI_UNDEFINED;
    for (size_t i = 0; i < count; i++) {
        ge_status why = values[i] ? GE_OK : GE_ERR_HANDLE_NULL;
        const gei_api_value *v = values[i] ? gei_handle_get(values[i], GEI_HANDLE_VALUE, &why) : NULL;
        if (v && v->ctx != c) why = GE_ERR_HANDLE_OTHER_CONTEXT;
        if (why != GE_OK) return value_fault(why, i, "cannot be used", diag);
        if (v->kind != GE_VALUE_TENSOR && !(may_be_maps && v->kind == GE_VALUE_MAP)) return value_fault(GE_ERR_WRONG_KIND, i, "is of a kind that cannot be an item", diag);
        if (i > 0 && v->kind != gei_value_kind_of(*out_dtype)) return value_fault(GE_ERR_WRONG_KIND, i, "is of another kind than those before", diag);
        if (i > 0 && v->tensor->dtype != *out_dtype) return value_fault(GE_ERR_DTYPE, i, "is of another data type than those before", diag);
        *out_dtype = v->tensor->dtype;
        list[i] = v->tensor;
    }
    return GE_OK;
}

static ge_status create_sequence(gei_api_context *c, const ge_value *const *values, size_t count, ge_value **out, gei_diag *diag) {
    size_t size;
    int32_t dtype;
    if (!gei_mul(count + 1, sizeof(gei_tensor *), &size)) return gei_out_of_memory(diag, SIZE_MAX);
    gei_tensor **list = gei_alloc_zero(&c->from, size, 0);
    if (!list) return gei_out_of_memory(diag, size);
    ge_status st = collect(c, values, count, true, list, &dtype, diag);
    if (st == GE_OK) st = bundle_handle(c, gei_dtype_sequence(dtype), list, count, out, diag);
    gei_free(&c->from, list, size, 0);
    return st;
}

ge_status ge_value_create_sequence(const ge_context *context, const ge_value *const *values, size_t values_count, ge_value **out_value) {
    GEI_CALL;
    gei_api_context *c;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 3);
    if (!values && values_count) return gei_call_null(__func__, "values", 1);
    GEI_TRY(gei_context_of(context, __func__, &c));
    ge_status st = create_sequence(c, values, values_count, out_value, &diag);
    gei_context_release(c);
    return GEI_RETURN(st);
}

/* No key twice; keys as bytes. */
static ge_status check_keys(const gei_api_context *c, const gei_tensor *keys, gei_diag *diag) {
    gei_strmap seen;
    ge_status st = GE_OK;
    gei_strmap_init(&seen, &c->from);
    for (int64_t i = 0; st == GE_OK && i < keys->n_elems; i++) {
        const char *key = (const char *)keys->data + (size_t)i * sizeof(int64_t);
        size_t size = sizeof(int64_t);
        uint64_t at;
        if (keys->dtype == GEI_STRING) (void)gei_tensor_string_at(keys, i, &key, &size);
        if (gei_strmap_find(&seen, key, size, &at))
            st = gei_argument_fail(diag, "keys", 0, GE_ERR_ALREADY_EXISTS, "keys %llu and %lld are equal", (unsigned long long)at, (long long)i);
        else if (!gei_strmap_put(&seen, key, size, (uint64_t)i)) st = gei_out_of_memory(diag, 0);
    }
    gei_strmap_deinit(&seen);
    return st;
}

static ge_status create_map(gei_api_context *c, gei_tensor *keys, const ge_value *const *values, size_t count, ge_value **out, gei_diag *diag) {
    size_t size;
    int32_t dtype;
    if (keys->dtype != GEI_INT64 && keys->dtype != GEI_STRING)
        return gei_argument_fail(diag, "keys", 0, GE_ERR_DTYPE, "keys are %s, wanted int64 or string", gei_dtype_name(keys->dtype));
    if (keys->rank != 1 || (uint64_t)keys->n_elems != count)
        return gei_argument_fail(diag, "keys", 0, GE_ERR_SHAPE, "keys are no vector of %zu elements", count);
    GEI_TRY(check_keys(c, keys, diag));
    if (!gei_mul(count + 1, sizeof(gei_tensor *), &size)) return gei_out_of_memory(diag, SIZE_MAX);
    gei_tensor **list = gei_alloc_zero(&c->from, size, 0);
    if (!list) return gei_out_of_memory(diag, size);
    list[0] = keys;
    ge_status st = collect(c, values, count, false, list + 1, &dtype, diag);
    gei_value_form form = keys->dtype == GEI_INT64 ? GEI_FORM_INT_MAP : GEI_FORM_TEXT_MAP;
    if (st == GE_OK) st = bundle_handle(c, gei_dtype_of(form, dtype), list, count + 1, out, diag);
    gei_free(&c->from, list, size, 0);
    return st;
}

ge_status ge_value_create_map(const ge_tensor *keys, const ge_value *const *values, size_t values_count, ge_value **out_value) {
    GEI_CALL;
    gei_tensor *inner;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 3);
    if (!values && values_count) return gei_call_null(__func__, "values", 1);
    GEI_GET(gei_api_tensor, t, keys, TENSOR, 0);
    GEI_CHECK(gei_tensor_of(keys, NULL, "keys", 0, &inner, &diag));
    return GEI_RETURN(create_map(t->ctx, inner, values, values_count, out_value, &diag));
}

static ge_status create_optional(gei_api_context *c, const ge_value *value, ge_value **out, gei_diag *diag) {
    ge_status why = GE_OK;
    if (!value) return bundle_handle(c, gei_dtype_optional(GEI_UNDEFINED), NULL, 0, out, diag);
    const gei_api_value *v = gei_handle_get(value, GEI_HANDLE_VALUE, &why);
    if (!v) return gei_handle_fault(why, "value", 1, value, GEI_HANDLE_VALUE, diag);
    if (v->ctx != c) return gei_argument_fail(diag, "value", 1, GE_ERR_HANDLE_OTHER_CONTEXT, "the value belongs to another context");
    int32_t dtype = gei_dtype_optional(v->tensor->dtype);
    if (dtype == GEI_UNDEFINED) return gei_argument_fail(diag, "value", 1, GE_ERR_WRONG_KIND, "there is no optional %s", gei_dtype_name(v->tensor->dtype));
    return bundle_handle(c, dtype, &v->tensor, 1, out, diag);
}

ge_status ge_value_create_optional(const ge_context *context, const ge_value *value, ge_value **out_value) {
    GEI_CALL;
    gei_api_context *c;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 2);
    GEI_TRY(gei_context_of(context, __func__, &c));
    ge_status st = create_optional(c, value, out_value, &diag);
    gei_context_release(c);
    return GEI_RETURN(st);
}

/* ---- reading them ---- */

static void release_bundle(void *user) { gei_tensor_release((gei_tensor *)user); }

/* Item `index` of a bundle as a tensor over its memory. */
static ge_status item_tensor(const gei_api_value *v, size_t index, gei_tensor **out, gei_diag *diag) {
    const void *bundle = v->tensor->data;
    const gei_bundle_item *item = gei_bundle_at(bundle, index);
    ge_status st = gei_tensor_wrap(&v->ctx->from, item->dtype, item->rank, item->dims, item->size_bytes ? gei_bundle_data(bundle, index) : NULL,
                                   (size_t)item->size_bytes, true, release_bundle, gei_tensor_retain(v->tensor), out, diag);
    if (st != GE_OK) gei_tensor_release(v->tensor);
    return st;
}

/* Items as the caller counts them; the keys of a map come before. */
static ge_status item_range(const gei_api_value *v, size_t *out_first, size_t *out_count, gei_diag *diag) {
    if (v->kind == GE_VALUE_TENSOR) return gei_argument_fail(diag, "value", 0, GE_ERR_WRONG_KIND, "the value is a tensor");
    *out_first = v->kind == GE_VALUE_MAP;
    *out_count = gei_bundle_count(v->tensor->data) - *out_first;
    return GE_OK;
}

ge_status ge_value_get_items_count(const ge_value *value, size_t *out_count) {
    GEI_CALL;
    size_t first = 0;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 1);
    GEI_GET(gei_api_value, v, value, VALUE, 0);
    return GEI_RETURN(item_range(v, &first, out_count, &diag));
}

ge_status ge_value_create_from_item(const ge_value *value, size_t index, ge_value **out_value) {
    GEI_CALL;
    size_t first = 0, count = 0;
    gei_tensor *item;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 2);
    GEI_GET(gei_api_value, v, value, VALUE, 0);
    GEI_CHECK(item_range(v, &first, &count, &diag));
    if (index >= count) return GEI_RETURN(gei_argument_fail(&diag, "index", 1, GE_ERR_OUT_OF_RANGE, "item %zu of %zu", index, count));
    GEI_CHECK(item_tensor(v, first + index, &item, &diag));
    return GEI_RETURN(gei_value_handle(v->ctx, item, GE_OWNERSHIP_LIBRARY, out_value, &diag));
}

ge_status ge_tensor_create_from_keys(const ge_value *value, ge_tensor **out_tensor) {
    GEI_CALL;
    gei_tensor *keys;
    GEI_OUT(out_tensor);
    GEI_NEED(out_tensor, 1);
    GEI_GET(gei_api_value, v, value, VALUE, 0);
    if (v->kind != GE_VALUE_MAP) return GEI_RETURN(gei_argument_fail(&diag, "value", 0, GE_ERR_WRONG_KIND, "the value is no map"));
    GEI_CHECK(item_tensor(v, 0, &keys, &diag));
    return GEI_RETURN(gei_tensor_handle(v->ctx, keys, GE_OWNERSHIP_LIBRARY, out_tensor, &diag));
}
