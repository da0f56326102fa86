/* SPDX-License-Identifier: Apache-2.0 */
#include "api/tensor.h"

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
    v->kind = GE_VALUE_TENSOR;
    v->tensor = tensor;
    v->ownership = ownership;
    return gei_object_handle(c, GEI_HANDLE_VALUE, v, value_destroy, (void **)out, diag);
}

ge_status ge_value_create_from_tensor(const ge_tensor *tensor, ge_value **out_value) {
    GEI_CALL;
    gei_tensor *inner;
    if (out_value) *out_value = NULL;
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
    if (out_kind) *out_kind = 0;
    GEI_NEED(out_kind, 1);
    GEI_GET(gei_api_value, v, value, VALUE, 0);
    *out_kind = v->kind;
    return GE_OK;
}

ge_status ge_tensor_create_from_value(const ge_value *value, ge_tensor **out_tensor) {
    GEI_CALL;
    if (out_tensor) *out_tensor = NULL;
    GEI_NEED(out_tensor, 1);
    GEI_GET(gei_api_value, v, value, VALUE, 0);
    if (v->kind != GE_VALUE_TENSOR || !v->tensor)
        return GEI_RETURN(gei_argument_fail(&diag, "value", 0, GE_ERR_WRONG_KIND, "the value holds no tensor"));
    return GEI_RETURN(gei_tensor_handle(v->ctx, gei_tensor_retain(v->tensor), v->ownership, out_tensor, &diag));
}
