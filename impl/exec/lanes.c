/* SPDX-License-Identifier: Apache-2.0 */
/* lanes: stretches of a plan by several threads.  Lanes are the parts of a pool run, so they never wait for each other: a thread that
 * has done one takes the next, and with no helper at hand the caller does all. */
#include "exec/frame.h"

typedef struct stretch_run {
    const gei_frame *frame;
    gei_steps_fn run;
    const gei_stretch *stretch;
    gei_run_context context;          /* of the lanes: the threads are divided among them */
    _Atomic uint32_t failed;          /* least of the steps that failed, n_steps: none */
    _Atomic ge_status status[GEI_MAX_LANES];
} stretch_run;

static void note_failure(stretch_run *r, uint32_t step) {
    uint32_t least = atomic_load(&r->failed);
    while (step < least && !atomic_compare_exchange_weak(&r->failed, &least, step)) {}
}

/* Steps of a lane that follow each other go to the loop in one piece. */
static void run_lane(void *arg, uint32_t lane, uint32_t seat) {
    stretch_run *r = arg;
    const gei_exec_step *steps = r->frame->steps, *end = steps + r->stretch->end;
    const gei_exec_step *s = steps + r->stretch->first;
    (void)seat;
    while (s < end && atomic_load_explicit(&r->failed, memory_order_relaxed) >= r->stretch->end) {
        if (s->step->lane != lane) {
            s++;
            continue;
        }
        const gei_exec_step *from = s;
        ge_status status = GE_OK;
        while (s < end && s->step->lane == lane) s++;
        const gei_exec_step *failed = r->run(r->frame, from, s, &r->context, &status);
        if (!failed) continue;
        atomic_store(&r->status[lane], status);
        note_failure(r, (uint32_t)(failed - steps));
        return;
    }
}

static const gei_exec_step *run_stretch(stretch_run *r, const gei_run_context *c, ge_status *status) {
    const gei_exec_step *steps = r->frame->steps;
    uint32_t n = r->stretch->n_lanes;
    r->context = *c;
    r->context.max_threads = c->max_threads > n ? c->max_threads / n : 1;
    gei_pool_run(c->team, c->max_threads < n ? c->max_threads : n, n, run_lane, r);
    uint32_t failed = atomic_load(&r->failed);
    if (failed >= r->stretch->end) return NULL;
    *status = atomic_load(&r->status[steps[failed].step->lane]);
    return &steps[failed];
}

const gei_exec_step *gei_run_lanes(const gei_frame *f, gei_steps_fn run, const gei_run_context *c, ge_status *status) {
    const gei_instance *inst = f->instance;
    const gei_exec_step *at = f->steps, *failed;
    stretch_run r = { .frame = f, .run = run, .failed = inst->n_steps };
    for (uint32_t i = 0; i < inst->n_stretches; i++) {
        r.stretch = &inst->stretches[i];
        if ((failed = run(f, at, f->steps + r.stretch->first, c, status)) != NULL) return failed;
        if ((failed = run_stretch(&r, c, status)) != NULL) return failed;
        at = f->steps + r.stretch->end;
    }
    return run(f, at, f->steps_end, c, status);
}
