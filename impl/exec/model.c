/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/model.h"

#include <string.h>

#include "base/wait.h"

/* ---- memory of instances and frames: that of the model, counted ---- */

static void *run_alloc(void *user, size_t size_bytes, size_t align_bytes) {
    gei_model *m = user;
    gei_model_count_alloc(m, 1);
    return m->from->alloc(m->from->user, size_bytes, align_bytes);
}

static void run_free(void *user, void *ptr, size_t size_bytes, size_t align_bytes) {
    gei_model *m = user;
    m->from->free(m->from->user, ptr, size_bytes, align_bytes);
}

static void *feature_alloc(void *user, size_t size_bytes, size_t align_bytes) {
    gei_model *m = user;
    void *ptr = run_alloc(m, size_bytes, align_bytes);
    if (!ptr) return NULL;
    gei_usage_add(&m->root->features, size_bytes);
    if (m->options.accounts) gei_usage_add(&m->options.accounts->features, size_bytes);
    return ptr;
}

static void feature_free(void *user, void *ptr, size_t size_bytes, size_t align_bytes) {
    gei_model *m = user;
    gei_usage_sub(&m->root->features, size_bytes);
    if (m->options.accounts) gei_usage_sub(&m->options.accounts->features, size_bytes);
    run_free(m, ptr, size_bytes, align_bytes);
}

const gei_allocator *gei_model_run_heap(gei_model *m) { return &m->run_heap; }

const gei_allocator *gei_model_feature_heap(gei_model *m) { return &m->feature_heap; }

void gei_model_count_alloc(gei_model *m, uint64_t n) { atomic_fetch_add_explicit(&m->n_run_allocs, n, memory_order_relaxed); }

/* ---- life ---- */

static void fill_options(gei_model *m, const gei_model_options *options) {
    m->options = *options;
    if (m->options.max_threads == 0) m->options.max_threads = gei_pool_cpu_count();
    if (m->options.max_instances == 0) m->options.max_instances = 16;
    if (m->options.max_instances < m->plan->limits.n_gears) m->options.max_instances = m->plan->limits.n_gears;
    if (m->options.max_instances > GEI_MAX_INSTANCES) m->options.max_instances = GEI_MAX_INSTANCES;
    if (m->options.max_idle_bytes == 0) m->options.max_idle_bytes = GEI_IDLE_BYTES;
}

static ge_status create(gei_plan *plan, gei_model *root, const gei_model_options *options, const gei_allocator *from, gei_model **out,
                        gei_diag *diag);

static ge_status create_bodies(gei_model *m, gei_diag *diag) {
    uint32_t n = m->plan->n_bodies;
    if (n == 0) return GE_OK;
    m->bodies = gei_alloc_zero(m->from, n * sizeof *m->bodies, 0);
    if (!m->bodies) return gei_out_of_memory(diag, n * sizeof *m->bodies);
    for (uint32_t i = 0; i < n; i++)
        if (m->plan->bodies[i]) GEI_TRY(create(m->plan->bodies[i], m->root, &m->options, m->from, &m->bodies[i], diag));
    return GE_OK;
}

static void destroy(gei_model *m) {
    if (m->cached || m->hashes) gei_cache_deinit(m); /* frames give back what they hold of bodies */
    for (uint32_t i = 0; m->bodies && i < m->plan->n_bodies; i++) gei_model_release(m->bodies[i]);
    if (m->bodies) gei_free(m->from, m->bodies, m->plan->n_bodies * sizeof *m->bodies, 0);
    if (m->root == m) {
        if (m->options.accounts) gei_usage_sub(&m->options.accounts->constants, m->plan->constant_bytes + m->plan->packed_bytes);
        gei_plan_destroy(m->plan);
    }
    pthread_mutex_destroy(&m->lock);
    gei_free(m->from, m, sizeof *m, _Alignof(gei_model));
}

/* root NULL: a model of its own, which takes the plan also on failure; else a body of that model, and its plan stays the root plan's. */
static ge_status create(gei_plan *plan, gei_model *root, const gei_model_options *options, const gei_allocator *from, gei_model **out,
                        gei_diag *diag) {
    *out = NULL;
    gei_model *m = gei_alloc_zero(from, sizeof *m, _Alignof(gei_model));
    if (!m) {
        if (!root) gei_plan_destroy(plan);
        return gei_out_of_memory(diag, sizeof *m);
    }
    atomic_init(&m->refs, 1);
    m->plan = plan;
    m->root = root ? root : m;
    m->from = from;
    m->run_heap = (gei_allocator){ run_alloc, run_free, m };
    m->feature_heap = (gei_allocator){ feature_alloc, feature_free, m };
    fill_options(m, options);
    if (!root && m->options.accounts) gei_usage_add(&m->options.accounts->constants, plan->constant_bytes + plan->packed_bytes);
    pthread_mutex_init(&m->lock, NULL); /* a plain mutex: never fails on this platform */
    m->stats.constant_bytes = plan->constant_bytes;
    m->stats.packed_bytes = plan->packed_bytes;
    ge_status st = gei_cache_init(m, diag);
    if (st == GE_OK) st = create_bodies(m, diag);
    if (st != GE_OK) {
        destroy(m);
        return st;
    }
    *out = m;
    return GE_OK;
}

ge_status gei_model_create(gei_plan *plan, const gei_model_options *options, const gei_allocator *from, gei_model **out, gei_diag *diag) {
    return create(plan, NULL, options, from, out, diag);
}

gei_model *gei_model_retain(gei_model *m) {
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void gei_model_release(gei_model *m) {
    if (m && atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) == 1) destroy(m);
}

const gei_plan *gei_model_plan(const gei_model *m) { return m->plan; }

/* Constants some kernel, view or output reads; those a kernel packed are not among them. */
static uint64_t constant_area(const gei_plan *plan) {
    uint64_t bytes = 0;
    for (uint32_t v = 0; v < plan->n_values; v++)
        if (plan->constants[v]) bytes += gei_round_up(plan->constants[v]->size_bytes, GEI_ALIGN_BYTES);
    for (uint32_t i = 0; i < plan->n_bodies; i++)
        if (plan->bodies[i]) bytes += constant_area(plan->bodies[i]);
    return bytes;
}

uint64_t gei_model_constant_area(const gei_model *m) { return constant_area(m->plan); }

void gei_model_stats_get(const gei_model *model, gei_model_stats *out) {
    gei_model *m = (gei_model *)(uintptr_t)model; /* only its lock is touched */
    pthread_mutex_lock(&m->lock);
    *out = m->stats;
    for (const gei_frame *f = m->frames; f; f = f->next) {
        uint64_t runs = atomic_load_explicit(&f->n_runs, memory_order_relaxed);
        out->runs += runs;
        out->output_copies += runs * f->n_copies;
    }
    pthread_mutex_unlock(&m->lock);
    out->feature_bytes = gei_usage_now(&m->features);
    out->feature_peak_bytes = gei_usage_peak(&m->features);
    out->heap_allocations_in_runs = atomic_load_explicit(&m->n_run_allocs, memory_order_relaxed);
    for (uint32_t i = 0; i < m->plan->n_bodies; i++) {
        gei_model_stats body = { 0 };
        if (m->bodies[i]) gei_model_stats_get(m->bodies[i], &body);
        out->heap_allocations_in_runs += body.heap_allocations_in_runs;
        out->arena_bytes += body.arena_bytes;
        out->scratch_bytes += body.scratch_bytes;
        if (body.lower_bound_bytes > out->lower_bound_bytes) out->lower_bound_bytes = body.lower_bound_bytes;
        out->output_copies += body.output_copies;
        out->instances_made += body.instances_made;
        out->instances_found += body.instances_found;
        out->instances_evicted += body.instances_evicted;
        out->frames_made += body.frames_made;
        out->idle_bytes += body.idle_bytes;
    }
}

ge_status gei_model_plan_static(gei_model *m, gei_diag *diag) {
    if (m->plan->is_static) {
        const gei_instance *instance;
        GEI_TRY(gei_model_instance(m, NULL, &instance, diag));
        gei_model_instance_release(m, instance);
    }
    for (uint32_t i = 0; i < m->plan->n_bodies; i++)
        if (m->bodies[i]) GEI_TRY(gei_model_plan_static(m->bodies[i], diag));
    return GE_OK;
}

ge_status gei_model_plan_gears(gei_model *m, gei_diag *diag) {
    const gei_plan *plan = m->plan;
    size_t bytes = plan->n_inputs * sizeof(gei_shape);
    if (plan->limits.n_gears == 0) return GE_OK;
    gei_shape *shapes = gei_alloc(m->from, bytes, _Alignof(gei_shape));
    ge_status st = shapes ? GE_OK : gei_out_of_memory(diag, bytes);
    for (uint32_t k = 0; k < plan->limits.n_gears && st == GE_OK; k++) {
        const gei_instance *instance;
        gei_plan_gear_shapes(plan, k, shapes);
        st = gei_model_instance(m, shapes, &instance, diag);
        if (st == GE_OK) gei_model_instance_release(m, instance);
    }
    gei_free(m->from, shapes, bytes, _Alignof(gei_shape));
    return st;
}

void gei_trace_run(const gei_model *m, gei_trace *trace, int64_t begin_ns) {
    gei_span span = { .kind = "run", .name = m->plan->graph->name, .begin_ns = begin_ns, .end_ns = gei_now_ns() };
    gei_trace_add(trace, &span);
}

gei_run_context gei_run_context_of(const gei_model *m, const gei_run_options *options) {
    gei_run_context c = { .team = m->options.team, .max_threads = m->options.max_threads };
    if (!options) return c;
    if (options->max_threads != 0 && options->max_threads < c.max_threads) c.max_threads = options->max_threads;
    c.cancel = options->cancel;
    c.deadline_ns = options->deadline_ns;
    c.is_watched = c.cancel || c.deadline_ns != 0;
    return c;
}
