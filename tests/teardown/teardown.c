/* SPDX-License-Identifier: Apache-2.0 */
/* teardown: one random life of a process, from its seed: contexts, models, bindings, values and tensors made, used by several threads,
 * destroyed in random order or left behind, and the process ended in the middle of it.  Runs are waited for or not.
 *
 *   teardown SEED            uses the library it is linked to
 *   teardown_opened SEED     opens the library by hand, and may close it while threads are inside
 *
 * Ends with code 0 when it returns, and with CODE when it calls one of the exits: what the host asked for must come out.
 * A status that cannot be explained ends it with 99 and a line on stderr.  run.py runs a thousand. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GE_NO_NULLABILITY
#include "ge_c_api.h"

enum { CODE = 7, MOST_THREADS = 3, N_SETS = 3, SHARED_SIZE = 320 };

/* ---- the library, linked or opened ---- */

#define FUNCTIONS(F)                                                                                                                \
    F(ge_context_create) F(ge_context_destroy) F(ge_options_create) F(ge_options_set_int) F(ge_options_destroy) F(ge_builder_create) \
    F(ge_builder_add_graph_input) F(ge_builder_begin_op) F(ge_builder_add_input) F(ge_builder_end_op) F(ge_builder_build)            \
    F(ge_builder_destroy) F(ge_graph_compile) F(ge_graph_destroy) F(ge_tensor_create) F(ge_tensor_destroy) F(ge_tensor_get_info)     \
    F(ge_value_create_from_tensor) F(ge_value_destroy) F(ge_model_run) F(ge_model_destroy) F(ge_binding_create)                      \
    F(ge_binding_set_input) F(ge_binding_run) F(ge_binding_get_output) F(ge_binding_destroy) F(ge_error_take) F(ge_error_release) \
    F(ge_model_run_async) F(ge_operation_wait) F(ge_operation_cancel) F(ge_operation_destroy) F(ge_queue_create) F(ge_queue_wait)    \
    F(ge_queue_destroy) F(ge_stream_create) F(ge_stream_sync) F(ge_stream_destroy)

#ifdef TEARDOWN_OPENED
#define FIELD(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(FIELD)
} lib;
static void *library;
static void open_library(const char *file) {
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(99);
    }
#define FIND(name) *(void **)&lib.name = dlsym(library, #name);
    FUNCTIONS(FIND)
}
static void close_library(void) { (void)dlclose(library); }
#define ge(name) lib.ge_##name
#else
static void open_library(const char *file) { (void)file; }
static void close_library(void) {}
#define ge(name) ge_##name
#endif

/* ---- chance ---- */

static uint64_t seed_of_process;
typedef struct chance { uint64_t state; } chance;

static uint64_t draw(chance *c) { /* splitmix64 */
    uint64_t z = c->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
static uint32_t below(chance *c, uint32_t n) { return (uint32_t)(draw(c) % n); }

/* ---- statuses ---- */

_Noreturn static void wrong(const char *call, ge_status st) {
    fprintf(stderr, "teardown, seed %llu: %s gave %#x\n", (unsigned long long)seed_of_process, call, (unsigned)st);
    _exit(99);
}
#define must(call)                             \
    do {                                       \
        ge_status st_ = (call);                \
        if (st_ != GE_OK) wrong(#call, st_);   \
    } while (0)

/* On objects that another thread may destroy meanwhile. */
static bool went(ge_status st, const char *call) {
    if (st == GE_OK) return true;
    if (st == GE_ERR_HANDLE_STALE || st == GE_ERR_HANDLE_CLOSED || st == GE_ERR_REENTRANT) return false;
    wrong(call, st);
}
#define try(call) went((call), #call)

/* ---- a set of objects that belong together ---- */

typedef struct set {
    ge_context *context; /* NULL: the process default */
    ge_graph *graph;
    ge_model *model;
    ge_binding *binding;
    ge_value *value;
    ge_tensor *tensor;
    ge_queue *queue;
    ge_stream *stream;
} set;
static set sets[N_SETS];
static uint32_t n_sets;

static ge_graph *product(ge_context *context, const ge_tensor_desc *desc) {
    ge_builder *b;
    ge_graph *g;
    ge_value_id x, y;
    must(ge(builder_create)(context, "w", 1, &b));
    must(ge(builder_add_graph_input)(b, "x", 1, 0, desc, &x));
    must(ge(builder_begin_op)(b, "MatMulV2", GE_NTS, NULL, 0));
    must(ge(builder_add_input)(b, x));
    must(ge(builder_add_input)(b, x));
    must(ge(builder_end_op)(b, &y, 1, NULL));
    must(ge(builder_build)(b, &y, 1, &g));
    must(ge(builder_destroy)(b));
    return g;
}

static void make_set(set *s, chance *c) {
    const int64_t n = below(c, 2) ? SHARED_SIZE : 4 + below(c, 60); /* half of them need the workers */
    const int64_t dims[] = { n, n };
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_options *options;
    desc.rank = 2;
    desc.dims = dims;
    if (below(c, 4)) {
        must(ge(options_create)(&options));
        must(ge(options_set_int)(options, "ge.threads", GE_NTS, 1 + below(c, 4)));
        must(ge(context_create)(options, &s->context));
        must(ge(options_destroy)(options));
    }
    s->graph = product(s->context, &desc);
    must(ge(graph_compile)(s->graph, NULL, &s->model));
    must(ge(tensor_create)(s->context, &desc, &s->tensor));
    must(ge(value_create_from_tensor)(s->tensor, &s->value));
    must(ge(binding_create)(s->model, &s->binding));
    must(ge(binding_set_input)(s->binding, 0, s->value));
    must(ge(queue_create)(s->context, &s->queue));
    must(ge(stream_create)(s->context, &s->stream));
}

/* ---- what threads do ---- */

static void run_model(const set *s) {
    const ge_value *in[] = { s->value };
    ge_value *out = NULL;
    if (try(ge(model_run)(s->model, NULL, in, 1, &out, 1))) must(ge(value_destroy)(out));
}

static void completed(void *user, uint64_t tag, ge_status status) { (void)user, (void)tag, (void)status; }

/* A run nobody waits for, or is waited for a moment, or cancelled; told to the queue, in the stream, or to a callback. */
static void run_async(const set *s, chance *c) {
    const ge_value *in[] = { s->value };
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_operation *op = NULL;
    switch (below(c, 4)) {
        case 0: how.queue = s->queue; break;
        case 1: how.stream = s->stream; break;
        case 2: how.complete = completed; break;
        default: break;
    }
    if (!try(ge(model_run_async)(s->model, NULL, &how, in, 1, &op))) return;
    if (below(c, 3) == 0) must(ge(operation_cancel)(op));
    if (below(c, 3) == 0) {
        ge_status st = ge(operation_wait)(op, below(c, 2) ? 100000 : -1);
        if (st != GE_ERR_TIMEOUT && st != GE_ERR_CANCELLED) must(st);
    }
    if (below(c, 8)) must(ge(operation_destroy)(op));
}

static void wait_queue(const set *s, chance *c) {
    ge_completion got[4];
    size_t n;
    ge_status st = ge(queue_wait)(s->queue, got, 4, sizeof got[0], below(c, 2) ? 0 : 100000, &n);
    if (st != GE_ERR_TIMEOUT) (void)went(st, "ge_queue_wait");
}

static void own_binding(const set *s) {
    ge_binding *b;
    if (!try(ge(binding_create)(s->model, &b))) return;
    ge_status st = ge(binding_run)(b, NULL);
    if (st != GE_ERR_NOT_BOUND) wrong("a run without input", st);
    must(ge(binding_destroy)(b));
}

static void leave_error(void) {
    ge_error *e;
    (void)ge(tensor_destroy)((ge_tensor *)(void *)&e);
    ge(error_take)(&e);
    if (!e) wrong("no record", GE_OK);
    must(ge(error_release)(e));
}

/* One destroy of an object that any thread may have destroyed before. */
static void destroy_one(const set *s, chance *c) {
    switch (below(c, 8)) {
        case 0: if (s->context) try(ge(context_destroy)(s->context)); break;
        case 1: try(ge(graph_destroy)(s->graph)); break;
        case 2: try(ge(model_destroy)(s->model)); break;
        case 3: try(ge(binding_destroy)(s->binding)); break;
        case 4: try(ge(value_destroy)(s->value)); break;
        case 5: try(ge(queue_destroy)(s->queue)); break;
        case 6: try(ge(stream_destroy)(s->stream)); break;
        default: try(ge(tensor_destroy)(s->tensor)); break;
    }
}

static void step(chance *c) {
    const set *s = &sets[below(c, n_sets)];
    switch (below(c, 12)) {
        case 0: destroy_one(s, c); break;
        case 1: own_binding(s); break;
        case 2: leave_error(); break;
        case 3: try(ge(binding_run)(s->binding, NULL)); break;
        case 4: case 5: case 6: run_async(s, c); break;
        case 7: wait_queue(s, c); break;
        default: run_model(s); break;
    }
}

static atomic_uint n_begun;
static void *thread_main(void *arg) {
    chance c = { (uintptr_t)arg };
    atomic_fetch_add(&n_begun, 1);
    uint32_t n = below(&c, 4) ? UINT32_MAX : below(&c, 40); /* most never end by themselves */
    for (uint32_t i = 0; i < n; i++) step(&c);
    return NULL;
}

static void *ends_process(void *arg) {
    usleep((uint32_t)(uintptr_t)arg);
    exit(CODE);
}

/* Lets the runs get to where they are cut off. */
static void linger(chance *c) {
    if (below(c, 3)) usleep(below(c, 3000));
}

/* ---- the end ---- */

static int end(chance *c) {
    pthread_t last;
    linger(c);
    if (below(c, 3) == 0) close_library();
    linger(c);
    switch (below(c, 5)) {
        case 0: return 0;
        case 1: exit(CODE);
        case 2: _exit(CODE);
        case 3: quick_exit(CODE);
        default: /* another thread of the host ends the process; main is gone by then */
            if (pthread_create(&last, NULL, ends_process, (void *)(uintptr_t)below(c, 3000)) != 0) exit(CODE);
            pthread_exit(NULL);
    }
}

int main(int argc, char **argv) {
    if (argc < 2) return 98;
    alarm(100);
    seed_of_process = strtoull(argv[1], NULL, 10);
    chance c = { seed_of_process };
    open_library(argc > 2 ? argv[2] : NULL);
    n_sets = 1 + below(&c, N_SETS);
    for (uint32_t i = 0; i < n_sets; i++) make_set(&sets[i], &c);
    uint32_t n_threads = below(&c, MOST_THREADS + 1);
    for (uint32_t i = 0; i < n_threads; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, thread_main, (void *)(uintptr_t)draw(&c)) != 0 || pthread_detach(t) != 0) return 98;
    }
    while (below(&c, 2) && atomic_load(&n_begun) < n_threads) usleep(50);
    for (uint32_t n = below(&c, 12); n > 0; n--) step(&c);
    for (uint32_t i = 0; i < n_sets; i++) /* some of it, in some order */
        for (uint32_t n = below(&c, 9); n > 0; n--) destroy_one(&sets[i], &c);
    return end(&c);
}
