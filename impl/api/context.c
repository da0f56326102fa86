/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/object.h"
#include "api/options.h"

/* The default context lives in static memory: made on first use, never freed. */
static gei_api_context process_default;
static pthread_once_t default_once = PTHREAD_ONCE_INIT;

/* ---- allocator: counts what is held, then asks the caller's or the heap ---- */

static void *counted_alloc(void *user, size_t size_bytes, size_t align_bytes) {
    gei_api_context *c = user;
    void *p = gei_api_allocator_take(c->memory, size_bytes, align_bytes);
    if (!p) return NULL;
    gei_usage_add(&c->allocated, size_bytes);
    atomic_fetch_add_explicit(&c->n_blocks, 1, memory_order_relaxed);
    return p;
}

static void counted_free(void *user, void *ptr, size_t size_bytes, size_t align_bytes) {
    gei_api_context *c = user;
    gei_usage_sub(&c->allocated, size_bytes);
    atomic_fetch_sub_explicit(&c->n_blocks, 1, memory_order_relaxed);
    gei_api_allocator_give(c->memory, ptr, size_bytes, align_bytes);
}

/* ---- log ---- */

static gei_api_sink *sink_acquire(gei_api_context *c) {
    pthread_mutex_lock(&c->sink_lock);
    gei_api_sink *sink = c->sink;
    if (sink) atomic_fetch_add(&sink->refs, 1);
    pthread_mutex_unlock(&c->sink_lock);
    return sink;
}

/* The count that replaces the sink waits for the others; destroy runs when all are back. */
static void sink_release(gei_api_context *c, gei_api_sink *sink) {
    pthread_mutex_lock(&c->sink_lock);
    bool last = atomic_fetch_sub(&sink->refs, 1) == 1;
    pthread_cond_broadcast(&c->sink_idle);
    pthread_mutex_unlock(&c->sink_lock);
    if (!last) return;
    if (sink->destroy) sink->destroy(sink->user);
    gei_free(&gei_heap, sink, sizeof *sink, 0);
}

/* Depth of log calls on this thread: a sink that replaces itself must not wait for itself. */
static _Thread_local uint32_t inside_sink __attribute__((tls_model("initial-exec")));
static _Thread_local gei_api_sink *outermost_sink __attribute__((tls_model("initial-exec"))); /* of that depth; NULL outside */

static void write_log(void *user, int32_t level, const char *text) {
    gei_api_context *c = user;
    gei_api_context *from = c;
    gei_api_sink *sink = sink_acquire(c);
    if (!sink && !c->is_default) sink = sink_acquire(from = &process_default);
    if (!sink) return;
    if (level <= sink->level) {
        if (inside_sink++ == 0) outermost_sink = sink;
        sink->write(sink->user, level, text, strlen(text));
        if (--inside_sink == 0) outermost_sink = NULL;
    }
    sink_release(from, sink);
}

/* ---- life ---- */

static void context_init(gei_api_context *c, uint32_t threads) {
    memset(c, 0, sizeof *c);
    atomic_init(&c->refs, 1);
    c->from = (gei_allocator){ counted_alloc, counted_free, c };
    c->max_threads = threads ? threads : gei_pool_cpu_count();
    c->log = (gei_log){ write_log, c, GEI_LOG_DEBUG };
    gei_trace_init(&c->trace, &c->from);
    pthread_mutex_init(&c->sink_lock, NULL);
    pthread_cond_init(&c->sink_idle, NULL);
}

/* The default context is the one that goes on in the child of a fork: its lock must be free there, and its sink must not
 * wait for threads that are gone. */
static void fork_prepare(void) { pthread_mutex_lock(&process_default.sink_lock); }
static void fork_parent(void) { pthread_mutex_unlock(&process_default.sink_lock); }
static void fork_child(void) {
    gei_api_sink *sink = process_default.sink;
    if (sink) atomic_store(&sink->refs, 1 + (sink == outermost_sink ? inside_sink : 0));
    pthread_cond_init(&process_default.sink_idle, NULL);
    pthread_mutex_unlock(&process_default.sink_lock);
}

static void default_init(void) {
    context_init(&process_default, 0);
    process_default.is_default = true;
    (void)pthread_atfork(fork_prepare, fork_parent, fork_child); /* fails for want of memory only; forks then rely on luck */
}

static void default_ready(void) { pthread_once(&default_once, default_init); }

void gei_context_retain(gei_api_context *c) {
    if (!c->is_default) atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
}

void gei_context_release(gei_api_context *c) {
    if (c->is_default || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1) return;
    gei_api_allocator *memory = c->memory;
    if (c->sink) sink_release(c, c->sink);
    pthread_cond_destroy(&c->sink_idle);
    pthread_mutex_destroy(&c->sink_lock);
    gei_trace_deinit(&c->trace);
    gei_team_release(c->team);
    gei_free(&gei_heap, c, sizeof *c, 0);
    gei_api_allocator_release(memory); /* every block is back: objects hold the context */
}

void gei_context_copied(gei_api_context *c, uint64_t n_bytes) {
    atomic_fetch_add_explicit(&c->copied_bytes, n_bytes, memory_order_relaxed);
}

ge_status gei_context_find(const ge_context *context, gei_api_context **out, gei_diag *diag) {
    default_ready();
    *out = &process_default;
    if (!context) return GE_OK;
    ge_status why = GE_OK;
    *out = gei_handle_lease(context, GEI_HANDLE_CONTEXT, &why);
    if (!*out) return gei_handle_fault(why, "context", 0, context, GEI_HANDLE_CONTEXT, diag);
    gei_context_retain(*out);
    gei_handle_unlease(context);
    return GE_OK;
}

ge_status gei_context_of(const ge_context *context, const char *function, gei_api_context **out) {
    gei_diag diag;
    gei_call_begin(&diag);
    return gei_call_result(function, gei_context_find(context, out, &diag), &diag);
}

ge_status gei_object_handle(gei_api_context *c, gei_handle_kind kind, void *object, void (*destroy)(void *object), void **out, gei_diag *diag) {
    atomic_fetch_add_explicit(&c->n_objects, 1, memory_order_relaxed);
    const char *why;
    *out = gei_handle_new(kind, object, destroy, &why);
    if (*out) return GE_OK;
    destroy(object);
    return gei_fail(diag, GE_ERR_OUT_OF_MEMORY, "no handle for a new %s: %s", gei_handle_kind_name(kind), why);
}

void gei_object_gone(gei_api_context *c) {
    atomic_fetch_sub_explicit(&c->n_objects, 1, memory_order_relaxed);
    gei_context_release(c);
}

static void context_destroy(void *object) {
    gei_api_context *c = object;
    gei_object_gone(c);
}

ge_status ge_context_create(const ge_options *options, ge_context **out_context) {
    GEI_CALL;
    GEI_OUT(out_context);
    GEI_NEED(out_context, 1);
    default_ready();
    int64_t threads = 0;
    gei_api_allocator *memory = NULL;
    if (options) {
        GEI_GET(gei_api_options, o, options, OPTIONS, 0);
        threads = gei_options_int(o, "ge.threads", 0);
        if (gei_options_int(o, "ge.pinThreads", 0)) gei_pool_pin(); /* the workers are the process's: for all contexts */
        memory = gei_options_allocator(o);
    }
    gei_api_context *c = gei_alloc_zero(&gei_heap, sizeof *c, 0);
    if (!c) return GEI_RETURN(gei_out_of_memory(&diag, sizeof *c));
    context_init(c, (uint32_t)threads);
    c->team = gei_team_create(c->max_threads);
    if (!c->team) {
        gei_context_release(c);
        return GEI_RETURN(gei_out_of_memory(&diag, sizeof *c));
    }
    c->memory = gei_api_allocator_retain(memory);
    return GEI_RETURN(gei_object_handle(c, GEI_HANDLE_CONTEXT, c, context_destroy, (void **)out_context, &diag));
}

ge_status ge_context_destroy(ge_context *context) {
    ge_status st = gei_handle_close(context, GEI_HANDLE_CONTEXT);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "context", 0, context, GEI_HANDLE_CONTEXT);
}

ge_status ge_context_get_info(const ge_context *context, ge_context_info *out_info, size_t out_info_size) {
    GEI_CALL;
    gei_api_context *c;
    GEI_OUT_STRUCT(out_info, out_info_size);
    GEI_NEED(out_info, 1);
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    ge_context_info info = { .threads = c->max_threads,
                             .copied_bytes = atomic_load(&c->copied_bytes),
                             .allocated_bytes = gei_usage_now(&c->allocated),
                             .peak_bytes = gei_usage_peak(&c->allocated),
                             .objects_count = atomic_load(&c->n_objects),
                             .blocks_count = atomic_load(&c->n_blocks),
                             .feature_bytes = gei_usage_now(&c->accounts.features),
                             .feature_peak_bytes = gei_usage_peak(&c->accounts.features),
                             .constant_bytes = gei_usage_now(&c->accounts.constants),
                             .constant_peak_bytes = gei_usage_peak(&c->accounts.constants),
                             .variable_bytes = gei_usage_now(&c->accounts.variables),
                             .variable_peak_bytes = gei_usage_peak(&c->accounts.variables) };
    gei_context_release(c);
    return GEI_RETURN(gei_struct_out(out_info, out_info_size, &info, sizeof info, GEI_FIRST_CONTEXT_INFO, "out_info", 1, &diag));
}

/* Waits until nobody else writes to a sink that was taken out of its context. */
static void sink_drain(gei_api_context *c, gei_api_sink *sink) {
    if (inside_sink == 0) {
        pthread_mutex_lock(&c->sink_lock);
        while (atomic_load(&sink->refs) > 1) pthread_cond_wait(&c->sink_idle, &c->sink_lock);
        pthread_mutex_unlock(&c->sink_lock);
    }
    sink_release(c, sink);
}

ge_status ge_context_set_log_sink(ge_context *context, ge_log_level level, ge_log_fn sink, void *user_data, ge_destroy_fn destroy) {
    GEI_CALL;
    gei_api_context *c = NULL;
    gei_api_sink *made = NULL;
    ge_status st = level < GE_LOG_OFF || level > GE_LOG_DEBUG
                       ? gei_argument_fail(&diag, "level", 1, GE_ERR_INVALID_ARGUMENT, "level %d is no log level", level)
                       : gei_context_find(context, &c, &diag);
    if (st == GE_OK && sink) {
        made = gei_alloc_zero(&gei_heap, sizeof *made, 0);
        if (!made) st = gei_out_of_memory(&diag, sizeof *made);
    }
    if (made) {
        atomic_init(&made->refs, 1);
        made->write = sink;
        made->user = user_data;
        made->destroy = destroy;
        made->level = level;
    } else if (destroy) {
        destroy(user_data); /* nothing keeps it: no sink, or the call fails */
    }
    if (st == GE_OK) {
        pthread_mutex_lock(&c->sink_lock);
        gei_api_sink *old = c->sink;
        c->sink = made;
        pthread_mutex_unlock(&c->sink_lock);
        if (old) sink_drain(c, old);
    }
    if (c) gei_context_release(c);
    return GEI_RETURN(st);
}
