/* SPDX-License-Identifier: Apache-2.0 */
#include "api/operation.h"

static void queue_destroy(void *object) {
    gei_api_queue *q = object;
    gei_api_context *ctx = q->ctx;
    gei_queue_close(q->queue);
    gei_queue_release(q->queue);
    gei_free(&ctx->from, q, sizeof *q, 0);
    gei_object_gone(ctx);
}

static ge_status create(gei_api_context *c, ge_queue **out, gei_diag *diag) {
    gei_origin origin = gei_context_origin(c);
    gei_queue *inner;
    gei_api_queue *q = gei_alloc_zero(&c->from, sizeof *q, 0);
    ge_status st = q ? gei_queue_create(&origin, &inner, diag) : gei_out_of_memory(diag, sizeof *q);
    if (st != GE_OK) {
        gei_free(&c->from, q, sizeof *q, 0);
        return st;
    }
    gei_context_retain(c);
    *q = (gei_api_queue){ c, inner };
    return gei_object_handle(c, GEI_HANDLE_QUEUE, q, queue_destroy, (void **)out, diag);
}

ge_status ge_queue_create(const ge_context *context, ge_queue **out_queue) {
    GEI_CALL;
    gei_api_context *c;
    GEI_OUT(out_queue);
    GEI_NEED(out_queue, 1);
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    st = create(c, out_queue, &diag);
    gei_context_release(c);
    return GEI_RETURN(st);
}

ge_status ge_queue_destroy(ge_queue *queue) {
    ge_status st = gei_handle_close(queue, GEI_HANDLE_QUEUE);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "queue", 0, queue, GEI_HANDLE_QUEUE);
}

typedef struct rows { /* the caller's array */
    ge_completion *first;
    size_t row_size;
} rows;

static void give(void *user, size_t i, const gei_completion *c) {
    const rows *r = user;
    ge_completion row = { .tag = c->tag, .status = c->status };
    gei_diag unused;
    gei_call_begin(&unused);
    (void)gei_struct_out((char *)r->first + i * r->row_size, r->row_size, &row, sizeof row, GEI_FIRST_COMPLETION, "completion_size", 3, &unused);
}

ge_status ge_queue_wait(const ge_queue *queue, ge_completion *completions, size_t completions_count, size_t completion_size, int64_t timeout_ns,
                        size_t *out_count) {
    GEI_CALL;
    rows r = { completions, completion_size };
    GEI_OUT(out_count);
    GEI_NEED(out_count, 5);
    if (!completions && completions_count) return gei_call_null(__func__, "completions", 1);
    GEI_CHECK(gei_struct_size_check(completion_size, GEI_FIRST_COMPLETION, "completion_size", 3, &diag));
    GEI_LEASE(gei_api_queue, q, queue, QUEUE, 0);
    gei_queue *inner = gei_queue_retain(q->queue); /* so that destroy, which ends the wait, finds no lease */
    gei_handle_unlease(queue);
    ge_status st = gei_queue_wait(inner, completions_count, timeout_ns, give, &r, out_count, &diag);
    gei_queue_release(inner);
    return GEI_RETURN(st);
}

ge_status ge_queue_get_descriptor(const ge_queue *queue, int32_t *out_descriptor) {
    GEI_CALL;
    int fd = -1;
    if (out_descriptor) *out_descriptor = -1;
    GEI_NEED(out_descriptor, 1);
    GEI_LEASE(gei_api_queue, q, queue, QUEUE, 0);
    ge_status st = gei_queue_descriptor(q->queue, &fd, &diag);
    *out_descriptor = fd;
    return GEI_RETURN_UNLEASE(queue, st);
}
