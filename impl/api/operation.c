/* SPDX-License-Identifier: Apache-2.0 */
#include "api/operation.h"

#include <string.h>

#include "api/error.h"

/* ---- options ---- */

ge_status ge_async_options_init(ge_async_options *options, size_t options_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(options, options_size);
    GEI_NEED(options, 0);
    ge_async_options o = GE_ASYNC_OPTIONS_INIT;
    return GEI_RETURN(gei_struct_out(options, options_size, &o, sizeof o, GEI_FIRST_ASYNC_OPTIONS, "options", 0, &diag));
}

static void retain_context(void *context) { gei_context_retain(context); }
static void release_context(void *context) { gei_context_release(context); }

gei_origin gei_context_origin(gei_api_context *c) { return (gei_origin){ &c->from, c, retain_context, release_context }; }

static ge_status refused(const char *what, const void *handle, gei_handle_kind kind, ge_status why, gei_diag *diag) {
    ge_status st = gei_handle_fault(why, "async_options", 2, handle, kind, diag);
    gei_diag_detail(diag, "field", "%s", what);
    return st;
}

static ge_status read_places(gei_async_call *call, const ge_async_options *o, const gei_api_context *c, gei_diag *diag) {
    ge_status why = GE_OK;
    if (o->queue) {
        gei_api_queue *q = gei_handle_lease(o->queue, GEI_HANDLE_QUEUE, &why);
        if (q && q->ctx == c) call->report.queue = gei_queue_retain(q->queue);
        else if (q) why = GE_ERR_HANDLE_OTHER_CONTEXT;
        if (q) gei_handle_unlease(o->queue);
        if (why != GE_OK) return refused("queue", o->queue, GEI_HANDLE_QUEUE, why, diag);
    }
    if (o->stream) {
        gei_api_stream *s = gei_handle_lease(o->stream, GEI_HANDLE_STREAM, &why);
        if (s && s->ctx == c) call->stream = gei_stream_retain(s->stream);
        else if (s) why = GE_ERR_HANDLE_OTHER_CONTEXT;
        if (s) gei_handle_unlease(o->stream);
        if (why != GE_OK) return refused("stream", o->stream, GEI_HANDLE_STREAM, why, diag);
    }
    return GE_OK;
}

ge_status gei_async_begin(gei_async_call *call, const ge_run_options *options, const ge_async_options *async_options, gei_api_context *c,
                          gei_diag *diag) {
    ge_async_options o = GE_ASYNC_OPTIONS_INIT;
    memset(call, 0, sizeof *call);
    if (async_options) GEI_TRY(gei_struct_in(async_options, &o, sizeof o, GEI_FIRST_ASYNC_OPTIONS, "async_options", 2, diag));
    call->report = (gei_report){ .tag = o.tag, .complete = o.complete, .user = o.user_data, .destroy = o.destroy };
    if (options) GEI_TRY(gei_run_options_in(options, &call->how, diag));
    return c ? read_places(call, &o, c, diag) : GE_OK;
}

ge_status gei_async_end(gei_async_call *call, ge_status st) {
    gei_queue_release(call->report.queue);
    gei_stream_release(call->stream);
    if (st != GE_OK && call->report.destroy) call->report.destroy(call->report.user);
    return st;
}

/* ---- life ---- */

ge_status gei_api_operation_create(const gei_operation_kind *kind, size_t struct_bytes, uint32_t n_outputs, size_t extra, gei_api_context *c,
                                   const gei_async_call *call, const char *function, gei_api_operation **out, gei_diag *diag) {
    gei_origin origin = gei_context_origin(c);
    gei_operation *op;
    size_t bytes = struct_bytes + (n_outputs + extra) * sizeof(void *);
    *out = NULL;
    GEI_TRY(gei_operation_create(kind, bytes, &origin, &call->how, &call->report, call->stream, &op, diag));
    gei_api_operation *o = (gei_api_operation *)op;
    o->ctx = c;
    o->function = function;
    o->outputs = (gei_tensor **)(void *)((char *)op + struct_bytes);
    o->n_outputs = n_outputs;
    *out = o;
    return GE_OK;
}

void gei_api_operation_drop_outputs(gei_api_operation *o) {
    for (uint32_t i = 0; i < o->n_outputs; i++) gei_tensor_release(o->outputs[i]);
}

static void handle_destroy(void *object) {
    gei_api_operation *o = object;
    gei_api_context *ctx = o->ctx;
    gei_operation_release(&o->op);
    gei_object_gone(ctx);
}

ge_status gei_api_operation_start(gei_api_operation *o, ge_operation **out, gei_diag *diag) {
    gei_team *team = o->ctx->team;
    gei_context_retain(o->ctx); /* the handle's */
    GEI_TRY(gei_object_handle(o->ctx, GEI_HANDLE_OPERATION, o, handle_destroy, (void **)out, diag));
    ge_status st = gei_operation_start(&o->op, team, diag);
    if (st == GE_OK) return GE_OK;
    gei_handle_close(*out, GEI_HANDLE_OPERATION);
    *out = NULL;
    return st;
}

ge_status ge_operation_destroy(ge_operation *operation) {
    ge_status st = gei_handle_close(operation, GEI_HANDLE_OPERATION);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "operation", 0, operation, GEI_HANDLE_OPERATION);
}

/* ---- asking ---- */

ge_status ge_operation_wait(const ge_operation *operation, int64_t timeout_ns) {
    GEI_CALL;
    GEI_LEASE(gei_api_operation, o, operation, OPERATION, 0);
    gei_operation *op = gei_operation_retain(&o->op); /* so that a destroy during the wait need not wait */
    gei_trace *trace = gei_trace_is_on(&o->ctx->trace) ? &o->ctx->trace : NULL; /* op keeps the context */
    gei_handle_unlease(operation);
    gei_span span = { .kind = "wait", .name = "operation", .begin_ns = trace ? gei_now_ns() : 0 };
    ge_status st = gei_gate_wait(&op->done, timeout_ns, &diag);
    span.end_ns = trace ? gei_now_ns() : 0;
    if (trace) gei_trace_add(trace, &span);
    gei_operation_release(op);
    return GEI_RETURN(st);
}

ge_status ge_operation_cancel(const ge_operation *operation) {
    GEI_LEASE(gei_api_operation, o, operation, OPERATION, 0);
    gei_operation_cancel(&o->op);
    gei_handle_unlease(operation);
    return GE_OK;
}

static ge_status not_done(gei_diag *diag) {
    return gei_argument_fail(diag, "operation", 0, GE_ERR_WRONG_STATE, "the operation is not done");
}

ge_status ge_operation_get_status(const ge_operation *operation, ge_status *out_status) {
    GEI_CALL;
    GEI_OUT(out_status);
    GEI_NEED(out_status, 1);
    GEI_LEASE(gei_api_operation, o, operation, OPERATION, 0);
    bool is_done = gei_operation_is_done(&o->op);
    if (is_done) *out_status = o->op.status;
    return GEI_RETURN_UNLEASE(operation, is_done ? GE_OK : not_done(&diag));
}

ge_status ge_operation_acquire_error(const ge_operation *operation, ge_error **out_error) {
    GEI_CALL;
    GEI_OUT(out_error);
    GEI_NEED(out_error, 1);
    GEI_LEASE(gei_api_operation, o, operation, OPERATION, 0);
    ge_status st = gei_operation_is_done(&o->op) ? GE_OK : not_done(&diag);
    if (st == GE_OK && o->op.status != GE_OK) st = gei_error_handle(o->function, o->op.status, &o->op.diag, out_error, &diag);
    return GEI_RETURN_UNLEASE(operation, st);
}

static ge_status give_outputs(const gei_api_operation *o, ge_value **outputs, size_t count, size_t *out_count, gei_diag *diag) {
    bool is_done = gei_operation_is_done(&o->op);
    if (!is_done && !o->has_outputs) return not_done(diag);
    if (is_done && o->op.status != GE_OK) return gei_argument_fail(diag, "operation", 0, GE_ERR_WRONG_STATE, "the run failed and has no outputs");
    GEI_TRY(gei_array_out(o->n_outputs, outputs, count, out_count, "outputs", 1, diag));
    ge_status st = GE_OK;
    for (uint32_t i = 0; outputs && i < o->n_outputs && st == GE_OK; i++)
        st = gei_value_handle(o->ctx, gei_tensor_retain(o->outputs[i]), GE_OWNERSHIP_LIBRARY, &outputs[i], diag);
    for (uint32_t i = 0; st != GE_OK && i < o->n_outputs; i++) {
        gei_handle_close(outputs[i], GEI_HANDLE_VALUE);
        outputs[i] = NULL;
    }
    return st;
}

ge_status ge_operation_get_outputs(const ge_operation *operation, ge_value **outputs, size_t outputs_count, size_t *out_count) {
    GEI_CALL;
    GEI_OUT_ARRAY(outputs, outputs_count);
    GEI_OUT(out_count);
    GEI_NEED(out_count, 3);
    GEI_LEASE(gei_api_operation, o, operation, OPERATION, 0);
    return GEI_RETURN_UNLEASE(operation, give_outputs(o, outputs, outputs_count, out_count, &diag));
}
