/* SPDX-License-Identifier: Apache-2.0 */
#include "api/operation.h"

static void event_destroy(void *object) {
    gei_api_event *e = object;
    gei_api_context *ctx = e->ctx;
    gei_event_release(e->event);
    gei_free(&ctx->from, e, sizeof *e, 0);
    gei_object_gone(ctx);
}

static ge_status create(gei_api_context *c, ge_event **out, gei_diag *diag) {
    gei_origin origin = gei_context_origin(c);
    gei_event *inner;
    gei_api_event *e = gei_alloc_zero(&c->from, sizeof *e, 0);
    ge_status st = e ? gei_event_create(&origin, &inner, diag) : gei_out_of_memory(diag, sizeof *e);
    if (st != GE_OK) {
        gei_free(&c->from, e, sizeof *e, 0);
        return st;
    }
    gei_context_retain(c);
    *e = (gei_api_event){ c, inner };
    return gei_object_handle(c, GEI_HANDLE_EVENT, e, event_destroy, (void **)out, diag);
}

ge_status ge_event_create(const ge_context *context, ge_event **out_event) {
    GEI_CALL;
    gei_api_context *c;
    GEI_OUT(out_event);
    GEI_NEED(out_event, 1);
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    st = create(c, out_event, &diag);
    gei_context_release(c);
    return GEI_RETURN(st);
}

ge_status ge_event_destroy(ge_event *event) {
    ge_status st = gei_handle_close(event, GEI_HANDLE_EVENT);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "event", 0, event, GEI_HANDLE_EVENT);
}

ge_status ge_event_record(ge_event *event, const ge_stream *stream) {
    GEI_CALL;
    GEI_LEASE(gei_api_event, e, event, EVENT, 0);
    ge_status why = GE_OK;
    const gei_api_stream *s = gei_handle_lease(stream, GEI_HANDLE_STREAM, &why);
    if (s && s->ctx != e->ctx) why = GE_ERR_HANDLE_OTHER_CONTEXT;
    ge_status st = why == GE_OK ? gei_event_record(e->event, s->stream, &diag) : gei_handle_fault(why, "stream", 1, stream, GEI_HANDLE_STREAM, &diag);
    if (s) gei_handle_unlease(stream);
    return GEI_RETURN_UNLEASE(event, st);
}

/* The last mark of an event, with a count. */
static ge_status mark_of(const ge_event *event, const char *argument, int32_t index, gei_mark **out, gei_diag *diag) {
    ge_status why = GE_OK;
    *out = NULL;
    const gei_api_event *e = gei_handle_lease(event, GEI_HANDLE_EVENT, &why);
    if (!e) return gei_handle_fault(why, argument, index, event, GEI_HANDLE_EVENT, diag);
    *out = gei_event_mark(e->event);
    gei_handle_unlease(event);
    return *out ? GE_OK : gei_argument_fail(diag, argument, index, GE_ERR_WRONG_STATE, "the event was never recorded");
}

ge_status ge_event_sync(const ge_event *event, int64_t timeout_ns) {
    GEI_CALL;
    gei_mark *mark;
    GEI_CHECK(mark_of(event, "event", 0, &mark, &diag));
    ge_status st = gei_gate_wait(&mark->done, timeout_ns, &diag);
    gei_mark_release(mark);
    return GEI_RETURN(st);
}

ge_status ge_event_query(const ge_event *event, int32_t *out_is_done) {
    GEI_CALL;
    gei_mark *mark;
    GEI_OUT(out_is_done);
    GEI_NEED(out_is_done, 1);
    GEI_CHECK(mark_of(event, "event", 0, &mark, &diag));
    *out_is_done = gei_gate_is_open(&mark->done);
    gei_mark_release(mark);
    return GE_OK;
}

/* When a mark happened. */
static ge_status time_of(const ge_event *event, const char *argument, int32_t index, int64_t *out_ns, gei_diag *diag) {
    gei_mark *mark;
    GEI_TRY(mark_of(event, argument, index, &mark, diag));
    bool is_done = gei_gate_is_open(&mark->done);
    if (is_done) *out_ns = mark->time_ns;
    gei_mark_release(mark);
    return is_done ? GE_OK : gei_argument_fail(diag, argument, index, GE_ERR_WRONG_STATE, "the event did not happen yet");
}

ge_status ge_event_get_elapsed(const ge_event *first, const ge_event *second, int64_t *out_ns) {
    GEI_CALL;
    int64_t from = 0, to = 0;
    GEI_OUT(out_ns);
    GEI_NEED(out_ns, 2);
    GEI_CHECK(time_of(first, "first", 0, &from, &diag));
    GEI_CHECK(time_of(second, "second", 1, &to, &diag));
    *out_ns = to - from;
    return GE_OK;
}
