/* SPDX-License-Identifier: Apache-2.0 */
#include "api/operation.h"

static void stream_destroy(void *object) {
    gei_api_stream *s = object;
    gei_api_context *ctx = s->ctx;
    gei_stream_release(s->stream);
    gei_free(&ctx->from, s, sizeof *s, 0);
    gei_object_gone(ctx);
}

/* Takes the count of `inner`, also on failure. */
static ge_status wrap(gei_api_context *c, gei_stream *inner, ge_stream **out, gei_diag *diag) {
    gei_api_stream *s = gei_alloc_zero(&c->from, sizeof *s, 0);
    if (!s) {
        gei_stream_release(inner);
        return gei_out_of_memory(diag, sizeof *s);
    }
    gei_context_retain(c);
    *s = (gei_api_stream){ c, inner };
    return gei_object_handle(c, GEI_HANDLE_STREAM, s, stream_destroy, (void **)out, diag);
}

static ge_status create(gei_api_context *c, ge_stream **out, gei_diag *diag) {
    gei_origin origin = gei_context_origin(c);
    gei_stream *inner;
    GEI_TRY(gei_stream_create(&origin, &inner, diag));
    return wrap(c, inner, out, diag);
}

ge_status ge_stream_create(const ge_context *context, ge_stream **out_stream) {
    GEI_CALL;
    gei_api_context *c;
    GEI_OUT(out_stream);
    GEI_NEED(out_stream, 1);
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    st = create(c, out_stream, &diag);
    gei_context_release(c);
    return GEI_RETURN(st);
}

ge_status ge_stream_destroy(ge_stream *stream) {
    ge_status st = gei_handle_close(stream, GEI_HANDLE_STREAM);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "stream", 0, stream, GEI_HANDLE_STREAM);
}

ge_status ge_stream_get_native(const ge_stream *stream, uint64_t *out_native) {
    GEI_OUT(out_native);
    GEI_NEED(out_native, 1);
    GEI_LEASE(gei_api_stream, s, stream, STREAM, 0);
    *out_native = gei_stream_number(s->stream);
    gei_handle_unlease(stream);
    return GE_OK;
}

ge_status ge_stream_sync(const ge_stream *stream, int64_t timeout_ns) {
    GEI_CALL;
    GEI_LEASE(gei_api_stream, s, stream, STREAM, 0);
    gei_stream *inner = gei_stream_retain(s->stream);
    gei_handle_unlease(stream);
    ge_status st = gei_stream_sync(inner, timeout_ns, &diag);
    gei_stream_release(inner);
    return GEI_RETURN(st);
}

ge_status ge_stream_query(const ge_stream *stream, int32_t *out_is_idle) {
    GEI_OUT(out_is_idle);
    GEI_NEED(out_is_idle, 1);
    GEI_LEASE(gei_api_stream, s, stream, STREAM, 0);
    *out_is_idle = gei_stream_is_idle(s->stream);
    gei_handle_unlease(stream);
    return GE_OK;
}

ge_status ge_stream_wait_event(const ge_stream *stream, const ge_event *event) {
    GEI_CALL;
    GEI_LEASE(gei_api_stream, s, stream, STREAM, 0);
    ge_status why = GE_OK;
    const gei_api_event *e = gei_handle_lease(event, GEI_HANDLE_EVENT, &why);
    if (e && e->ctx != s->ctx) why = GE_ERR_HANDLE_OTHER_CONTEXT;
    ge_status st = why == GE_OK ? gei_stream_wait_event(s->stream, e->event, &diag) : gei_handle_fault(why, "event", 1, event, GEI_HANDLE_EVENT, &diag);
    if (e) gei_handle_unlease(event);
    return GEI_RETURN_UNLEASE(stream, st);
}
