/* SPDX-License-Identifier: Apache-2.0 */
/* child: cases that run in a child process of their own, so that one may end in any way; the exit code says what happened. */
#ifndef GE_ABI_CHILD_H
#define GE_ABI_CHILD_H

#include "builder_test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* In children cmocka's own failure would return into the parent's code: they exit instead. */
#define MUST(condition)                                                                       \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            _exit(1);                                                                         \
        }                                                                                     \
    } while (0)
#define OK(call) MUST((call) == GE_OK)

/* ---- a model that takes a while: a product of two matrices; from SHARED on the workers take part ---- */

enum { SHARED = 320 };

typedef struct work {
    ge_context *context;
    ge_model *model;
    ge_value *in;
} work;

static inline void work_open(work *w, int64_t n) {
    const int64_t dims[] = { n, n };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_builder *b;
    ge_graph *g;
    ge_tensor *t;
    ge_value_id x, y;
    ge_options *two_threads; /* also on a machine with one CPU */
    OK(ge_options_create(&two_threads));
    OK(ge_options_set_int(two_threads, "ge.threads", GE_NTS, 2));
    OK(ge_context_create(two_threads, &w->context));
    OK(ge_options_destroy(two_threads));
    OK(ge_builder_create(w->context, "w", 1, &b));
    OK(ge_builder_add_graph_input(b, "x", 1, 0, &desc, &x));
    OK(ge_builder_begin_op(b, "MatMulV2", GE_NTS, NULL, 0));
    OK(ge_builder_add_input(b, x));
    OK(ge_builder_add_input(b, x));
    OK(ge_builder_end_op(b, &y, 1, NULL));
    OK(ge_builder_build(b, &y, 1, &g));
    OK(ge_builder_destroy(b));
    OK(ge_graph_compile(g, NULL, &w->model));
    OK(ge_graph_destroy(g));
    OK(ge_tensor_create(w->context, &desc, &t));
    OK(ge_value_create_from_tensor(t, &w->in));
    OK(ge_tensor_destroy(t));
}
static inline ge_status work_run(const work *w) {
    const ge_value *in[] = { w->in };
    ge_value *out = NULL;
    ge_status st = ge_model_run(w->model, NULL, in, 1, &out, 1);
    OK(ge_value_destroy(out));
    return st;
}
static inline void work_close(work *w) {
    OK(ge_value_destroy(w->in));
    OK(ge_model_destroy(w->model));
    OK(ge_context_destroy(w->context));
}
static inline void *runs_forever(void *arg) {
    work copy = *(work *)arg;
    const ge_value *in[] = { copy.in };
    for (;;) {
        ge_value *out = NULL;
        if (ge_model_run(copy.model, NULL, in, 1, &out, 1) != GE_OK) return NULL;
        if (ge_value_destroy(out) != GE_OK) return NULL;
    }
}

#if GE_TEST_ASAN
/* Processes that end in the middle of work leave things behind; that is what is tried here. */
__attribute__((visibility("default"))) const char *__asan_default_options(void); /* the run time looks it up by name */
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif

static inline void in_child(void (*body)(uint32_t), uint32_t seed, const char *what) {
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        body(seed);
        _exit(0);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        print_error("%s, seed %u: %s %d\n", what, seed, WIFSIGNALED(status) ? "signal" : "exit", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        fail();
    }
}

#define CASE(name)                                  \
    static void test_##name(void **state) {         \
        (void)state;                                \
        in_child(name, 1, #name);                   \
    }

#endif
