/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <string.h>

#include "api/binding.h"
#include "api/state.h"

static void binding_destroy(void *object) {
    gei_api_binding *b = object;
    gei_api_context *ctx = b->ctx;
    for (uint32_t i = 0; i < b->n_outputs; i++) gei_handle_close(b->shown[i], GEI_HANDLE_VALUE);
    gei_free(&ctx->from, b->shown, b->n_outputs * sizeof *b->shown, 0);
    gei_binding_destroy(b->binding);
    gei_free(&ctx->from, b, sizeof *b, 0);
    gei_object_gone(ctx);
}

ge_status gei_api_binding_check_free(const gei_api_binding *b, gei_diag *diag) {
    if (!atomic_load_explicit(&b->is_running, memory_order_acquire)) return GE_OK;
    return gei_argument_fail(diag, "binding", 0, GE_ERR_WRONG_STATE, "the binding is running; it may be used again when its operation is done");
}

static ge_status create(const gei_api_model *m, ge_binding **out, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    const gei_allocator *from = &m->ctx->from;
    gei_binding *inner = NULL;
    gei_api_binding *b = gei_alloc_zero(from, sizeof *b, 0);
    ge_value **shown = gei_alloc_zero(from, plan->n_outputs * sizeof *shown, 0);
    ge_status st = b && shown ? gei_binding_create(m->model, &inner, diag) : gei_out_of_memory(diag, sizeof *b);
    if (st != GE_OK) {
        gei_free(from, b, sizeof *b, 0);
        gei_free(from, shown, plan->n_outputs * sizeof *shown, 0);
        return st;
    }
    gei_context_retain(m->ctx);
    b->ctx = m->ctx;
    b->binding = inner;
    b->n_inputs = plan->n_inputs;
    b->n_outputs = plan->n_outputs;
    b->shown = shown;
    return gei_object_handle(m->ctx, GEI_HANDLE_BINDING, b, binding_destroy, (void **)out, diag);
}

ge_status ge_binding_create(const ge_model *model, ge_binding **out_binding) {
    GEI_CALL;
    GEI_OUT(out_binding);
    GEI_NEED(out_binding, 1);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    return GEI_RETURN_UNLEASE(model, create(m, out_binding, &diag));
}

ge_status ge_binding_destroy(ge_binding *binding) {
    ge_status st = gei_handle_close(binding, GEI_HANDLE_BINDING);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "binding", 0, binding, GEI_HANDLE_BINDING);
}

/* The tensor of a value for slot `index` of `count`; NULL for a NULL value. */
static ge_status tensor_for(const gei_api_binding *b, const ge_value *value, size_t index, uint32_t count, const char *what, gei_tensor **out,
                            gei_diag *diag) {
    ge_status why = GE_OK;
    *out = NULL;
    if (index >= count) {
        gei_diag_wanted(diag, "below %u", count);
        return gei_argument_fail(diag, "index", 1, GE_ERR_OUT_OF_RANGE, "%s %zu of %u", what, index, count);
    }
    if (!value) return GE_OK;
    const gei_api_value *v = gei_handle_get(value, GEI_HANDLE_VALUE, &why);
    if (v && v->ctx != b->ctx) why = GE_ERR_HANDLE_OTHER_CONTEXT;
    if (why != GE_OK) {
        gei_diag_detail(diag, "handle", "%s", gei_status_name(why));
        return gei_argument_fail(diag, "value", 2, why, "value handle cannot be used: %s", gei_status_name(why));
    }
    if (!v->tensor) return gei_argument_fail(diag, "value", 2, GE_ERR_WRONG_KIND, "the value holds nothing yet");
    *out = v->tensor;
    return GE_OK;
}

ge_status ge_binding_set_input(ge_binding *binding, size_t index, const ge_value *value) {
    GEI_CALL;
    gei_tensor *tensor;
    GEI_GET(gei_api_binding, b, binding, BINDING, 0);
    GEI_CHECK(gei_api_binding_check_free(b, &diag));
    GEI_CHECK(tensor_for(b, value, index, b->n_inputs, "input", &tensor, &diag));
    return GEI_RETURN(gei_binding_set_input(b->binding, (uint32_t)index, tensor, &diag));
}

ge_status ge_binding_set_output(ge_binding *binding, size_t index, ge_value *value) {
    GEI_CALL;
    gei_tensor *tensor;
    GEI_GET(gei_api_binding, b, binding, BINDING, 0);
    GEI_CHECK(gei_api_binding_check_free(b, &diag));
    GEI_CHECK(tensor_for(b, value, index, b->n_outputs, "output", &tensor, &diag));
    if (tensor && tensor->read_only) return GEI_RETURN(gei_argument_fail(&diag, "value", 2, GE_ERR_READ_ONLY, "the value's tensor is read-only"));
    return GEI_RETURN(gei_binding_set_output(b->binding, (uint32_t)index, tensor, &diag));
}

static ge_status set_state(gei_api_binding *b, const gei_api_state *s, gei_diag *diag) {
    if (s && s->ctx != b->ctx) return gei_argument_fail(diag, "state", 1, GE_ERR_HANDLE_OTHER_CONTEXT, "the state is of another context");
    GEI_TRY(gei_api_binding_check_free(b, diag));
    ge_status st = gei_binding_set_state(b->binding, s ? s->state : NULL, diag);
    if (st != GE_OK && st != GE_ERR_OUT_OF_MEMORY) gei_diag_argument(diag, "state", 1);
    return st;
}

ge_status ge_binding_set_state(ge_binding *binding, ge_state *state) {
    GEI_CALL;
    GEI_GET(gei_api_binding, b, binding, BINDING, 0);
    if (!state) return GEI_RETURN(set_state(b, NULL, &diag));
    GEI_GET(gei_api_state, s, state, STATE, 1);
    return GEI_RETURN(set_state(b, s, &diag));
}

/* Lets the handle of output i show what the last run wrote. */
static void show(gei_api_binding *b, uint32_t i) {
    ge_status why;
    gei_tensor *now = gei_binding_output(b->binding, i);
    gei_api_value *v = gei_handle_get(b->shown[i], GEI_HANDLE_VALUE, &why);
    if (!v || v->tensor == now) return;
    gei_tensor_release(v->tensor);
    v->tensor = gei_tensor_retain(now);
}

ge_status ge_binding_get_output(ge_binding *binding, size_t index, ge_value **out_value) {
    GEI_CALL;
    ge_status why;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 2);
    GEI_GET(gei_api_binding, b, binding, BINDING, 0);
    if (index >= b->n_outputs) return GEI_RETURN(gei_argument_fail(&diag, "index", 1, GE_ERR_OUT_OF_RANGE, "output %zu of %u", index, b->n_outputs));
    GEI_CHECK(gei_api_binding_check_free(b, &diag));
    if (!b->has_run) return GEI_RETURN(gei_argument_fail(&diag, "binding", 0, GE_ERR_WRONG_STATE, "the binding has not run"));
    if (!b->shown[index] || !gei_handle_get(b->shown[index], GEI_HANDLE_VALUE, &why)) {
        gei_tensor *now = gei_binding_output(b->binding, (uint32_t)index);
        GEI_CHECK(gei_value_handle(b->ctx, gei_tensor_retain(now), GE_OWNERSHIP_LIBRARY, &b->shown[index], &diag));
        b->n_shown++;
    }
    show(b, (uint32_t)index);
    *out_value = b->shown[index];
    return GE_OK;
}

static bool take(gei_api_binding *b) { return atomic_exchange_explicit(&b->is_running, 1, memory_order_acquire) == 0; }

static void give_back(gei_api_binding *b, bool has_run) {
    if (has_run) {
        b->has_run = true;
        for (uint32_t i = 0; b->n_shown && i < b->n_outputs; i++)
            if (b->shown[i]) show(b, i);
    }
    atomic_store_explicit(&b->is_running, 0, memory_order_release);
}

static ge_status run(gei_api_binding *b, const ge_run_options *options, gei_diag *diag) {
    gei_run_options inner = { 0 };
    if (options) GEI_TRY(gei_run_options_in(options, &inner, diag));
    if (!take(b)) return gei_argument_fail(diag, "binding", 0, GE_ERR_REENTRANT, "the binding is running; one thread uses it at a time");
    uint32_t modes = gei_fp_enter();
    ge_status st = gei_binding_run(b->binding, options ? &inner : NULL, diag);
    gei_fp_leave(modes);
    give_back(b, st == GE_OK);
    return st;
}

ge_status ge_binding_run(ge_binding *binding, const ge_run_options *options) {
    GEI_CALL;
    GEI_LEASE(gei_api_binding, b, binding, BINDING, 0);
    return GEI_RETURN_UNLEASE(binding, run(b, options, &diag));
}

/* ---- runs that go on by themselves ---- */

typedef struct binding_operation {
    gei_api_operation base;
    gei_api_binding *binding;
    ge_binding *handle; /* leased until the run is over; NULL then */
} binding_operation;

static ge_status run_binding(gei_operation *op, const gei_run_options *how, gei_diag *diag) {
    return gei_binding_run(((binding_operation *)op)->binding->binding, how, diag);
}

/* The outputs are kept, so that they can be had after the binding is gone. */
static void settle_binding(gei_operation *op, ge_status status) {
    binding_operation *o = (binding_operation *)op;
    for (uint32_t i = 0; status == GE_OK && i < o->base.n_outputs; i++)
        o->base.outputs[i] = gei_tensor_retain(gei_binding_output(o->binding->binding, i));
    give_back(o->binding, status == GE_OK);
    gei_handle_unlease(o->handle);
    o->handle = NULL;
}

static void end_binding(gei_operation *op) {
    binding_operation *o = (binding_operation *)op;
    if (o->handle) { /* it was never started */
        give_back(o->binding, false);
        gei_handle_unlease(o->handle);
    }
    gei_api_operation_drop_outputs(&o->base);
}

static const gei_operation_kind binding_kind = { run_binding, settle_binding, end_binding };

/* Takes the lease of the handle and the binding, which the caller took, also on failure. */
static ge_status start(ge_binding *handle, gei_api_binding *b, const gei_async_call *call, const char *function, ge_operation **out,
                       gei_diag *diag) {
    gei_api_operation *o;
    ge_status st = gei_api_operation_create(&binding_kind, sizeof(binding_operation), b->n_outputs, 0, b->ctx, call, function, &o, diag);
    if (st != GE_OK) {
        give_back(b, false);
        gei_handle_unlease(handle);
        return st;
    }
    ((binding_operation *)o)->binding = b;
    ((binding_operation *)o)->handle = handle;
    uint32_t modes = gei_fp_enter();
    st = gei_binding_prepare(b->binding, diag);
    gei_fp_leave(modes);
    if (st == GE_OK) return gei_api_operation_start(o, out, diag);
    gei_operation_release(&o->op);
    return st;
}

static ge_status run_async(ge_binding *binding, const ge_run_options *options, const ge_async_options *async_options, const char *function,
                           ge_operation **out, gei_diag *diag) {
    ge_status why = GE_OK;
    gei_async_call call;
    gei_api_binding *b = gei_handle_lease(binding, GEI_HANDLE_BINDING, &why);
    ge_status st = gei_async_begin(&call, options, async_options, b ? b->ctx : NULL, diag);
    if (!b) st = gei_handle_fault(why, "binding", 0, binding, GEI_HANDLE_BINDING, diag);
    else if (st == GE_OK && !out) st = gei_argument_fail(diag, "out_operation", 3, GE_ERR_NULL_ARGUMENT, "out_operation is NULL");
    else if (st == GE_OK && !take(b)) st = gei_argument_fail(diag, "binding", 0, GE_ERR_WRONG_STATE, "the binding is running");
    if (st == GE_OK) st = start(binding, b, &call, function, out, diag);
    else if (b) gei_handle_unlease(binding);
    return gei_async_end(&call, st);
}

ge_status ge_binding_run_async(ge_binding *binding, const ge_run_options *options, const ge_async_options *async_options,
                               ge_operation **out_operation) {
    GEI_CALL;
    GEI_OUT(out_operation);
    return GEI_RETURN(run_async(binding, options, async_options, __func__, out_operation, &diag));
}
