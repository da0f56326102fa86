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
    _Atomic uint64_t seats;   /* while somebody looks on: those that took part */
} parts;

/* Most threads that took part in a step since it was last set: written and read by the thread that runs a frame somebody looks on at. */
static _Thread_local uint32_t threads_seen __attribute__((tls_model("initial-exec")));

/* Scratch belongs to the seat: as many threads, as many blocks. */
static ge_status call_with_scratch(const parts *p, uint32_t part, uint32_t seat) {
    gei_run run = *p->run;
    run.scratch = (char *)run.scratch + seat * run.seat_scratch_bytes;
    return p->fn(&run, part);
}

static inline ge_status call_part(const parts *p, uint32_t part, uint32_t seat) {
    return seat > 0 && p->run->seat_scratch_bytes ? call_with_scratch(p, part, seat) : p->fn(p->run, part);
}

static ge_status call_watched(parts *p, uint32_t part, uint32_t seat) {
    const gei_probe *probe = p->context->probe;
    ge_status st = gei_run_stopped(p->context);
    if (st != GE_OK || !probe) return st == GE_OK ? call_part(p, part, seat) : st;
    atomic_fetch_or_explicit(&p->seats, UINT64_C(1) << (seat & 63), memory_order_relaxed);
    gei_span span = { .kind = "part", .name = p->run->node->name, .op_type = p->run->node->def->name, .begin_ns = gei_now_ns() };
    st = call_part(p, part, seat);
    span.end_ns = gei_now_ns();
    if (probe->trace) gei_trace_add(probe->trace, &span);
    return st;
}

static void run_part(void *arg, uint32_t part, uint32_t seat) {
    parts *p = arg;
    if (atomic_load_explicit(&p->status, memory_order_relaxed) != GE_OK) return;
    ge_status st = p->context->is_watched ? call_watched(p, part, seat) : call_part(p, part, seat);
    ge_status ok = GE_OK;
    if (st != GE_OK) atomic_compare_exchange_strong_explicit(&p->status, &ok, st, memory_order_relaxed, memory_order_relaxed);
}

ge_status gei_run_parts(const gei_run *run, gei_kernel_fn fn, const gei_run_context *context) {
    if (run->n_parts == 1) return fn(run, 0);
    parts p = { run, fn, context, GE_OK, 0 };
    if (context->max_threads > 1) {
        gei_pool_run(context->team, context->max_threads, run->n_parts, run_part, &p);
    } else {
        for (uint32_t part = 0; part < run->n_parts; part++) run_part(&p, part, 0);
    }
    uint32_t n_threads = (uint32_t)__builtin_popcountll(atomic_load_explicit(&p.seats, memory_order_relaxed));
    if (n_threads > threads_seen) threads_seen = n_threads;
    return atomic_load_explicit(&p.status, memory_order_relaxed);
}

/* ---- steps ---- */

static inline ge_status run_step(const gei_exec_step *s, const gei_run_context *c) {
    return s->run.n_parts == 1 ? s->fn(&s->run, 0) : gei_run_parts(&s->run, s->fn, c);
}

static const gei_exec_step *run_plain(const gei_frame *f, const gei_exec_step *from, const gei_exec_step *end, const gei_run_context *c,
                                      ge_status *status) {
    (void)f;
    for (const gei_exec_step *s = from; s < end; s++)
        if ((*status = run_step(s, c)) != GE_OK) return s;
    return NULL;
}

static const gei_exec_step *run_watched(const gei_frame *f, const gei_exec_step *from, const gei_exec_step *end, const gei_run_context *c,
                                        ge_status *status) {
    (void)f;
    for (const gei_exec_step *s = from; s < end; s++) {
        *status = gei_run_stopped(c);
        if (*status == GE_OK) *status = run_step(s, c);
        if (*status != GE_OK) return s;
    }
    return NULL;
}

static uint64_t bytes_of(gei_view *const *views, uint32_t n) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) bytes += views[i] ? gei_view_bytes(views[i]) : 0;
    return bytes;
}

uint64_t gei_step_read_bytes(const gei_exec_step *s) { return bytes_of((gei_view *const *)(uintptr_t)s->run.in, s->run.n_in); }
uint64_t gei_step_written_bytes(const gei_exec_step *s) { return bytes_of(s->run.out, s->run.n_out); }

const char *gei_step_kernel(const gei_exec_step *s) {
    const gei_plan_node *pn = &s->frame->instance->plan->nodes[s->step->node];
    switch (s->step->kind) {
    case GEI_STEP_COPY: return "copy";
    case GEI_STEP_VIEW: return "view";
    case GEI_STEP_CONTROL: return "control";
    default: return pn->kernel->name;
    }
}

static void note(const gei_frame *f, const gei_probe *probe, const gei_exec_step *s, const gei_step_time *time) {
    if (probe->times && probe->of == f) probe->times[s - f->steps] = *time;
    if (!probe->trace) return;
    gei_span span = { .kind = "step", .name = s->run.node->name, .op_type = s->run.node->def->name, .kernel = gei_step_kernel(s),
                      .begin_ns = time->begin_ns, .end_ns = time->end_ns,
                      .bytes = gei_step_read_bytes(s) + gei_step_written_bytes(s) };
    gei_trace_add(probe->trace, &span);
}

static const gei_exec_step *run_probed(const gei_frame *f, const gei_exec_step *from, const gei_exec_step *end, const gei_run_context *c,
                                       ge_status *status) {
    for (const gei_exec_step *s = from; s < end; s++) {
        uint32_t outer = threads_seen;
        gei_step_time time = { .begin_ns = gei_now_ns(), .step = (uint32_t)(s - f->steps) };
        threads_seen = 1;
        *status = gei_run_stopped(c);
        if (*status == GE_OK) *status = run_step(s, c);
        time.end_ns = gei_now_ns();
        time.threads = threads_seen;
        note(f, c->probe, s, &time);
        if (outer > threads_seen) threads_seen = outer;
        if (*status != GE_OK) return s;
    }
    return NULL;
}

/* Moves the words of a failed step to the caller. */
static ge_status report(gei_frame *f, const gei_exec_step *s, ge_status status, gei_diag *diag) {
    const gei_node *node = s->run.node;
    gei_diag *words = s->run.diag;
    bool has_words = words->message[0] != '\0';
    if (!has_words && status == GE_ERR_CANCELLED) return gei_fail(diag, status, "the run was cancelled");
    if (!has_words && status == GE_ERR_DEADLINE) return gei_fail(diag, status, "the deadline of the run passed");
    if (!has_words) (void)gei_fail(words, status, "%s '%s' failed", node->def->name, node->name);
    gei_diag_node(words, node->name);
    words->status = status;
    if (diag) *diag = *words;
    for (uint32_t lane = 0; lane < (f->instance->n_stretches ? GEI_MAX_LANES : 1); lane++) gei_diag_clear(&f->diag[lane]);
    return status;
}

static void bind_vars(gei_frame *f, void *const *vars) {
    const gei_instance *inst = f->instance;
    for (uint32_t i = 0; i < inst->n_var_values; i++) {
        const gei_place *place = &inst->places[inst->var_values[i]];
        f->views[inst->var_values[i]].data = (char *)vars[place->index] + place->offset;
    }
}

ge_status gei_frame_run(gei_frame *f, const gei_run_context *context, gei_diag *diag) {
    ge_status status = GE_OK;
    f->context = context;
    if (f->instance->n_var_values > 0) bind_vars(f, context->vars);
    if (f->instance->has_late) gei_region_reset(&f->late);
    gei_steps_fn run = !context->is_watched ? run_plain : context->probe ? run_probed : run_watched;
    bool has_lanes = f->instance->n_stretches > 0 && context->max_threads > 1;
    const gei_exec_step *failed = has_lanes ? gei_run_lanes(f, run, context, &status) : run(f, f->steps, f->steps_end, context, &status);
    atomic_store_explicit(&f->n_runs, atomic_load_explicit(&f->n_runs, memory_order_relaxed) + 1, memory_order_relaxed);
    return status == GE_OK ? GE_OK : report(f, failed, status, diag);
}
