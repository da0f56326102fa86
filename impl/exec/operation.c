/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "exec/async.h"
#include "exec/frame.h"

static _Thread_local uint32_t inside_completion __attribute__((tls_model("initial-exec")));

/* ---- memory ---- */

void *gei_origin_alloc(const gei_origin *origin, size_t size_bytes) {
    void *p = gei_alloc_zero(origin->from, size_bytes, 0);
    if (p && origin->retain) origin->retain(origin->owner);
    return p;
}

void gei_origin_free(const gei_origin *origin, void *ptr, size_t size_bytes) {
    gei_origin h = *origin; /* may lie in what is freed */
    gei_free(h.from, ptr, size_bytes, 0);
    if (h.release) h.release(h.owner);
}

/* ---- gates ---- */

enum { SHUT = 0, SHUT_WITH_SLEEPERS = 1, OPEN = 2 };

void gei_gate_open(gei_gate *gate) {
    if (atomic_exchange_explicit(gate, OPEN, memory_order_acq_rel) == SHUT_WITH_SLEEPERS) gei_wake(gate, INT32_MAX);
}

ge_status gei_may_wait(gei_diag *diag) {
    if (inside_completion == 0) return GE_OK;
    return gei_fail(diag, GE_ERR_REENTRANT, "a completion callback may not wait; it may poll with a timeout of 0");
}

static ge_status timed_out(gei_diag *diag) { return gei_fail(diag, GE_ERR_TIMEOUT, "the wait ended before what it waited for"); }

ge_status gei_gate_wait(gei_gate *gate, int64_t timeout_ns, gei_diag *diag) {
    if (gei_gate_is_open(gate)) return GE_OK;
    if (timeout_ns == 0) return timed_out(diag);
    GEI_TRY(gei_may_wait(diag));
    int64_t deadline_ns = gei_deadline_after(timeout_ns), now = gei_now_ns();
    int64_t spin_ns = gei_pool_idle_spin_ns();
    for (gei_spin s = { 0 }; gei_keep_spinning(&s, deadline_ns - now < spin_ns ? deadline_ns - now : spin_ns);)
        if (gei_gate_is_open(gate)) return GE_OK;
    uint32_t shut = SHUT;
    (void)atomic_compare_exchange_strong(gate, &shut, SHUT_WITH_SLEEPERS);
    return gei_wait_while(gate, SHUT_WITH_SLEEPERS, 0, deadline_ns) ? GE_OK : timed_out(diag);
}

/* ---- life ---- */

static void run_operation(gei_job *job);

ge_status gei_operation_create(const gei_operation_kind *kind, size_t size_bytes, const gei_origin *origin, const gei_run_options *how,
                               const gei_report *report, gei_stream *stream, gei_operation **out, gei_diag *diag) {
    gei_operation *op = gei_origin_alloc(origin, size_bytes);
    *out = op;
    if (!op) return gei_out_of_memory(diag, size_bytes);
    op->kind = kind;
    op->origin = *origin;
    op->size_bytes = size_bytes;
    op->deadline_ns = how->deadline_ns;
    op->report = *report;
    if (report->queue) (void)gei_queue_retain(report->queue);
    if (stream) (void)gei_stream_retain(stream);
    op->item.stream = stream;
    op->item.op = op;
    op->job.run = run_operation;
    atomic_init(&op->refs, 1);
    return GE_OK;
}

gei_operation *gei_operation_retain(gei_operation *op) {
    atomic_fetch_add_explicit(&op->refs, 1, memory_order_relaxed);
    return op;
}

void gei_operation_release(gei_operation *op) {
    if (!op || atomic_fetch_sub_explicit(&op->refs, 1, memory_order_acq_rel) != 1) return;
    op->kind->end(op);
    gei_queue_release(op->report.queue);
    gei_stream_release(op->item.stream);
    gei_origin_free(&op->origin, op, op->size_bytes);
}

ge_status gei_operation_start(gei_operation *op, gei_team *team, gei_diag *diag) {
    if (!gei_pool_ready()) return gei_fail(diag, GE_ERR_THREAD, "no thread could be started for the run");
    op->team = team;
    (void)gei_operation_retain(op); /* the run's */
    if (op->item.stream) gei_stream_put(op->item.stream, &op->item);
    else gei_pool_submit(team, &op->job, false);
    return GE_OK;
}

void gei_operation_cancel(gei_operation *op) { atomic_store_explicit(&op->cancel, 1, memory_order_relaxed); }

/* ---- the run ---- */

static ge_status run(gei_operation *op) {
    gei_run_options how = { .cancel = &op->cancel, .deadline_ns = op->deadline_ns };
    gei_run_context now = { .cancel = &op->cancel, .deadline_ns = op->deadline_ns };
    ge_status st = gei_run_stopped(&now);
    if (st == GE_OK) return op->kind->run(op, &how, &op->diag);
    return gei_fail(&op->diag, st, st == GE_ERR_CANCELLED ? "the run was cancelled before it began" : "the deadline of the run passed before it began");
}

/* The one completion.  Afterwards only the run's count keeps the operation. */
static void deliver(gei_operation *op, ge_status status) {
    gei_report *r = &op->report;
    op->status = status;
    gei_gate_open(&op->done);
    if (r->queue) gei_queue_put(r->queue, op);
    inside_completion++;
    if (r->complete) r->complete(r->user, r->tag, status);
    if (r->destroy) r->destroy(r->user);
    inside_completion--;
}

static void run_operation(gei_job *job) {
    gei_operation *op = (gei_operation *)(void *)((char *)job - offsetof(gei_operation, job));
    ge_status status = run(op);
    op->kind->settle(op, status);
    deliver(op, status);
    if (op->item.stream) gei_stream_go_on(op->item.stream, status, &op->diag);
    gei_operation_release(op);
}
