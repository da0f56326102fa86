/* SPDX-License-Identifier: Apache-2.0 */
/* run: the loop over steps. */
#include "base/wait.h"
#include "exec/frame.h"

ge_status gei_run_stopped(const gei_run_context *c) {
    if (c->cancel && atomic_load_explicit(c->cancel, memory_order_relaxed) != 0) return GE_ERR_CANCELLED;
    if (c->deadline_ns == 0) return GE_OK;
    return gei_now_ns() >= c->deadline_ns ? GE_ERR_DEADLINE : GE_OK;
}

/* ---- parts ---- */

typedef struct parts {
    const gei_run *run;
    gei_kernel_fn fn;
    const gei_run_context *context;
    _Atomic ge_status status; /* of a part that failed; the others are then left out */
} parts;

/* Scratch belongs to the seat: as many threads, as many blocks. */
static ge_status call_with_scratch(const parts *p, uint32_t part, uint32_t seat) {
    gei_run run = *p->run;
    run.scratch = (char *)run.scratch + seat * run.seat_scratch_bytes;
    return p->fn(&run, part);
}

static void run_part(void *arg, uint32_t part, uint32_t seat) {
    parts *p = arg;
    if (atomic_load_explicit(&p->status, memory_order_relaxed) != GE_OK) return;
    ge_status st = p->context->is_watched ? gei_run_stopped(p->context) : GE_OK;
    if (st == GE_OK) st = seat > 0 && p->run->seat_scratch_bytes ? call_with_scratch(p, part, seat) : p->fn(p->run, part);
    ge_status ok = GE_OK;
    if (st != GE_OK) atomic_compare_exchange_strong_explicit(&p->status, &ok, st, memory_order_relaxed, memory_order_relaxed);
}

ge_status gei_run_parts(const gei_run *run, gei_kernel_fn fn, const gei_run_context *context) {
    if (run->n_parts == 1) return fn(run, 0);
    parts p = { run, fn, context, GE_OK };
    if (context->max_threads > 1) {
        gei_pool_run(context->team, context->max_threads, run->n_parts, run_part, &p);
    } else {
        for (uint32_t part = 0; part < run->n_parts; part++) run_part(&p, part, 0);
    }
    return atomic_load_explicit(&p.status, memory_order_relaxed);
}

/* ---- steps ---- */

static inline ge_status run_step(const gei_exec_step *s, const gei_run_context *c) {
    return s->run.n_parts == 1 ? s->fn(&s->run, 0) : gei_run_parts(&s->run, s->fn, c);
}

static const gei_exec_step *run_plain(const gei_frame *f, const gei_run_context *c, ge_status *status) {
    for (const gei_exec_step *s = f->steps; s < f->steps_end; s++)
        if ((*status = run_step(s, c)) != GE_OK) return s;
    return NULL;
}

static const gei_exec_step *run_watched(const gei_frame *f, const gei_run_context *c, ge_status *status) {
    for (const gei_exec_step *s = f->steps; s < f->steps_end; s++) {
        *status = gei_run_stopped(c);
        if (*status == GE_OK) *status = run_step(s, c);
        if (*status != GE_OK) return s;
    }
    return NULL;
}

/* Moves the words of a failed step to the caller. */
static ge_status report(gei_frame *f, const gei_exec_step *s, ge_status status, gei_diag *diag) {
    const gei_node *node = s->run.node;
    if (status == GE_ERR_CANCELLED && f->diag->message[0] == '\0') return gei_fail(diag, status, "the run was cancelled");
    if (status == GE_ERR_DEADLINE && f->diag->message[0] == '\0') return gei_fail(diag, status, "the deadline of the run passed");
    if (f->diag->message[0] == '\0') (void)gei_fail(f->diag, status, "%s '%s' failed", node->def->name, node->name);
    gei_diag_node(f->diag, node->name);
    f->diag->status = status;
    if (diag) *diag = *f->diag;
    gei_diag_clear(f->diag);
    return status;
}

ge_status gei_frame_run(gei_frame *f, const gei_run_context *context, gei_diag *diag) {
    ge_status status = GE_OK;
    f->context = context;
    if (f->instance->has_late) gei_region_reset(&f->late);
    const gei_exec_step *failed = context->is_watched ? run_watched(f, context, &status) : run_plain(f, context, &status);
    atomic_store_explicit(&f->n_runs, atomic_load_explicit(&f->n_runs, memory_order_relaxed) + 1, memory_order_relaxed);
    return status == GE_OK ? GE_OK : report(f, failed, status, diag);
}
