/* SPDX-License-Identifier: Apache-2.0 */
#include "api/state.h"

#include <string.h>

#include "api/dump_out.h"

static void state_destroy(void *object) {
    gei_api_state *s = object;
    gei_api_context *ctx = s->ctx;
    gei_state_release(s->state);
    gei_free(&ctx->from, s, sizeof *s, 0);
    gei_object_gone(ctx);
}

ge_status gei_state_handle(gei_api_context *c, gei_state *state, ge_state **out, gei_diag *diag) {
    gei_api_state *s = gei_alloc_zero(&c->from, sizeof *s, 0);
    if (!s) {
        gei_state_release(state);
        return gei_out_of_memory(diag, sizeof *s);
    }
    gei_context_retain(c);
    *s = (gei_api_state){ c, state };
    return gei_object_handle(c, GEI_HANDLE_STATE, s, state_destroy, (void **)out, diag);
}

/* ---- making ---- */

/* Adds the variables of one model; the first one makes the state. */
static ge_status add_model(const ge_model *model, gei_api_context **c, gei_state **state, gei_diag *diag) {
    ge_status why = GE_OK;
    gei_api_model *m = gei_handle_lease(model, GEI_HANDLE_MODEL, &why);
    if (!m) return gei_handle_fault(why, "models", 0, model, GEI_HANDLE_MODEL, diag);
    ge_status st = GE_OK;
    if (*c && *c != m->ctx) st = gei_argument_fail(diag, "models", 0, GE_ERR_HANDLE_OTHER_CONTEXT, "the models are of different contexts");
    if (!*c) {
        gei_context_retain(*c = m->ctx);
        st = gei_state_create(&m->ctx->from, &m->ctx->accounts.variables, state, diag);
    }
    if (st == GE_OK) st = gei_state_add_model(*state, m->model, diag);
    gei_handle_unlease(model);
    return st;
}

ge_status ge_state_create(const ge_model *const *models, size_t models_count, ge_state **out_state) {
    GEI_CALL;
    gei_api_context *c = NULL;
    gei_state *state = NULL;
    GEI_OUT(out_state);
    GEI_NEED(models, 0);
    GEI_NEED(out_state, 2);
    ge_status st = models_count ? GE_OK : gei_argument_fail(&diag, "models_count", 1, GE_ERR_OUT_OF_RANGE, "a state needs a model");
    for (size_t i = 0; i < models_count && st == GE_OK; i++) st = add_model(models[i], &c, &state, &diag);
    if (st == GE_OK) st = gei_state_handle(c, state, out_state, &diag);
    else gei_state_release(state);
    if (c) gei_context_release(c);
    return GEI_RETURN(st);
}

ge_status ge_state_copy(const ge_state *state, ge_state **out_state) {
    GEI_CALL;
    gei_state *copy;
    GEI_OUT(out_state);
    GEI_NEED(out_state, 1);
    GEI_LEASE(gei_api_state, s, state, STATE, 0);
    ge_status st = gei_state_copy(s->state, &copy, &diag);
    if (st == GE_OK) st = gei_state_handle(s->ctx, copy, out_state, &diag);
    return GEI_RETURN_UNLEASE(state, st);
}

ge_status ge_state_destroy(ge_state *state) {
    ge_status st = gei_handle_close(state, GEI_HANDLE_STATE);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "state", 0, state, GEI_HANDLE_STATE);
}

/* ---- reading ---- */

static ge_io_info info_of(const gei_variable *v) {
    int64_t n;
    size_t size = 0;
    ge_io_info info = { .name = v->name, .kind = GE_VALUE_TENSOR, .dtype = v->dtype, .format = v->format, .rank = v->shape.rank,
                        .dims = v->shape.rank > 0 ? v->shape.dims : NULL };
    if (gei_shape_elems(&v->shape, &n) && gei_dtype_bytes(v->dtype, (uint64_t)n, &size)) info.data_size = size;
    return info;
}

static ge_status get_infos(const gei_api_state *s, ge_io_info *infos, size_t infos_count, size_t info_size, size_t *out_count, gei_diag *diag) {
    size_t n = gei_state_count(s->state);
    GEI_TRY(gei_array_out(n, infos, infos_count, out_count, "infos", 1, diag));
    for (size_t i = 0; infos && i < n; i++) {
        ge_io_info info = info_of(gei_state_variable(s->state, (uint32_t)i));
        ge_status st = gei_struct_out((char *)infos + i * info_size, info_size, &info, sizeof info, GEI_FIRST_IO_INFO, "info_size", 3, diag);
        if (st != GE_OK) *out_count = 0;
        GEI_TRY(st);
    }
    return GE_OK;
}

ge_status ge_state_get_infos(const ge_state *state, ge_io_info *infos, size_t infos_count, size_t info_size, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_LEASE(gei_api_state, s, state, STATE, 0);
    return GEI_RETURN_UNLEASE(state, get_infos(s, infos, infos_count, info_size, out_count, &diag));
}

ge_status ge_state_find(const ge_state *state, const char *name, size_t name_size, size_t *out_index) {
    GEI_CALL;
    uint32_t index = 0;
    GEI_OUT(out_index);
    GEI_NEED(name, 1);
    GEI_NEED(out_index, 3);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 1, &diag));
    GEI_LEASE(gei_api_state, s, state, STATE, 0);
    ge_status st = GE_OK;
    if (gei_state_find(s->state, name, name_size, &index)) *out_index = index;
    else st = gei_argument_fail(&diag, "name", 1, GE_ERR_NOT_FOUND, "the state has no variable '%.*s'", (int)(name_size < 200 ? name_size : 200), name);
    return GEI_RETURN_UNLEASE(state, st);
}

static ge_status check_index(const gei_api_state *s, size_t index, gei_diag *diag) {
    uint32_t n = gei_state_count(s->state);
    if (index < n) return GE_OK;
    gei_diag_wanted(diag, "below %u", n);
    return gei_argument_fail(diag, "index", 1, GE_ERR_OUT_OF_RANGE, "variable %zu of %u", index, n);
}

ge_status ge_state_copy_value(const ge_state *state, size_t index, ge_value **out_value) {
    GEI_CALL;
    gei_tensor *copy;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 2);
    GEI_LEASE(gei_api_state, s, state, STATE, 0);
    ge_status st = check_index(s, index, &diag);
    if (st == GE_OK) st = gei_state_value(s->state, (uint32_t)index, &s->ctx->from, &copy, &diag);
    if (st == GE_OK) {
        gei_context_copied(s->ctx, copy->size_bytes);
        st = gei_value_handle(s->ctx, copy, GE_OWNERSHIP_LIBRARY, out_value, &diag);
    }
    return GEI_RETURN_UNLEASE(state, st);
}

/* ---- changing ---- */

static ge_status set_value(gei_api_state *s, size_t index, const gei_api_value *v, gei_diag *diag) {
    GEI_TRY(check_index(s, index, diag));
    if (v->kind != GE_VALUE_TENSOR || !v->tensor) return gei_argument_fail(diag, "value", 2, GE_ERR_WRONG_KIND, "the value holds no tensor");
    ge_status st = gei_state_set_value(s->state, (uint32_t)index, v->tensor, diag);
    if (st == GE_OK) gei_context_copied(s->ctx, v->tensor->size_bytes);
    else gei_diag_argument(diag, "value", 2);
    return st;
}

ge_status ge_state_set_value(ge_state *state, size_t index, const ge_value *value) {
    GEI_CALL;
    GEI_LEASE(gei_api_state, s, state, STATE, 0);
    ge_status why = GE_OK;
    const gei_api_value *v = gei_handle_lease(value, GEI_HANDLE_VALUE, &why);
    ge_status st = v ? set_value(s, index, v, &diag) : gei_handle_fault(why, "value", 2, value, GEI_HANDLE_VALUE, &diag);
    if (v) gei_handle_unlease(value);
    return GEI_RETURN_UNLEASE(state, st);
}

ge_status ge_state_reset(ge_state *state) {
    GEI_CALL;
    GEI_LEASE(gei_api_state, s, state, STATE, 0);
    return GEI_RETURN_UNLEASE(state, gei_state_reset(s->state, &diag));
}

/* ---- bytes ---- */

static ge_status export_state(const ge_state *state, ge_write_fn write, void *user_data, gei_diag *diag) {
    gei_sink bytes;
    ge_status why = GE_OK;
    if (!write) return gei_argument_fail(diag, "write", 1, GE_ERR_NULL_ARGUMENT, "write is NULL");
    gei_api_state *s = gei_handle_lease(state, GEI_HANDLE_STATE, &why);
    if (!s) return gei_handle_fault(why, "state", 0, state, GEI_HANDLE_STATE, diag);
    gei_sink_init(&bytes, &s->ctx->from);
    ge_status st = gei_state_export(s->state, &bytes, diag);
    if (st == GE_OK) st = gei_dump_to_callback(&bytes, write, user_data, diag);
    else gei_sink_deinit(&bytes);
    gei_handle_unlease(state);
    return st;
}

ge_status ge_state_export(const ge_state *state, ge_write_fn write, void *user_data, ge_destroy_fn destroy) {
    GEI_CALL;
    ge_status st = export_state(state, write, user_data, &diag);
    if (destroy) destroy(user_data); /* before the record is left: it may fail in calls of its own */
    return GEI_RETURN(st);
}

ge_status ge_state_import(ge_state *state, const uint8_t *data, size_t data_size) {
    GEI_CALL;
    GEI_NEED(data, 1);
    GEI_LEASE(gei_api_state, s, state, STATE, 0);
    if (data_size == GE_NTS) data_size = strlen((const char *)data);
    ge_status st = gei_state_import(s->state, data, data_size, &diag);
    if (st != GE_OK && st != GE_ERR_OUT_OF_MEMORY) gei_diag_argument(&diag, "data", 1);
    return GEI_RETURN_UNLEASE(state, st);
}
