/* SPDX-License-Identifier: Apache-2.0 */
/* Forks: before anything was made, while runs and other calls are under way, three hundred deep, and from inside a log sink. */
#include "child.h"

#include <stdatomic.h>
#include <stdbool.h>

#define SMALL 8 /* a product this small is the caller's alone: no thread is started in the child */

static void wait_for(pid_t child) {
    int status = -1;
    MUST(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void fork_before(uint32_t seed) { /* this child has made nothing before it was forked */
    (void)seed;
    work w;
    work_open(&w, 64);
    OK(work_run(&w));
    work_close(&w);
}

static void fork_after(uint32_t seed) {
    (void)seed;
    work w;
    pthread_t busy;
    work_open(&w, SHARED);
    OK(work_run(&w));
    MUST(pthread_create(&busy, NULL, runs_forever, &w) == 0);
    pid_t child = fork();
    if (child == 0) {
        work again;
        MUST(work_run(&w) == GE_ERR_FORKED);
        ge_error *error;
        ge_error_take(&error);
        MUST(error && ge_error_get_status(error) == GE_ERR_FORKED && ge_error_get_message(error)[0]);
        OK(ge_error_release(error));
        work_close(&w); /* frees nothing, says yes */
        work_open(&again, 64);
        OK(work_run(&again));
        work_close(&again);
        _exit(0);
    }
    int status;
    MUST(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    OK(work_run(&w)); /* the parent goes on */
}

/* The handles of every ancestor stay refused however deep the child, also when their epochs have come round; their destroy frees
 * nothing and says yes; each process works with what it makes itself. */
enum { DEEP = 300 }; /* more than an epoch's eight bits */
static void fork_deep(uint32_t seed) {
    (void)seed;
    static ge_options *made[DEEP];
    const int64_t value = 1;
    work w;
    work_open(&w, SMALL);
    for (int depth = 0; depth < DEEP; depth++) {
        pid_t child = fork();
        if (child != 0) {
            wait_for(child);
            if (depth > 0) OK(ge_options_destroy(made[depth - 1])); /* here it lives */
            else OK(work_run(&w));
            _exit(0);
        }
        MUST(work_run(&w) == GE_ERR_FORKED);
        for (int i = 0; i < depth; i++) {
            MUST(ge_options_set_int(made[i], "ge.threads", GE_NTS, value) == GE_ERR_FORKED);
            OK(ge_options_destroy(made[i]));
        }
        OK(ge_options_create(&made[depth]));
        OK(ge_options_set_int(made[depth], "ge.threads", GE_NTS, value));
    }
    OK(ge_model_destroy(w.model));
    MUST(ge_model_destroy((ge_model *)(void *)w.in) == GE_ERR_FORKED); /* another kind: not said yes to */
}

/* As a server does: one parent, many children one after the other. */
static void fork_often(uint32_t seed) {
    (void)seed;
    work w;
    work_open(&w, SMALL);
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            work own;
            MUST(work_run(&w) == GE_ERR_FORKED);
            work_open(&own, SMALL);
            OK(work_run(&own));
            work_close(&own);
            work_close(&w);
            _exit(0);
        }
        wait_for(child);
    }
    OK(work_run(&w));
    work_close(&w);
}

/* ---- forks while other threads are inside the library ---- */

static atomic_bool is_over;
static void ignore(void *user, ge_log_level level, const char *message, size_t size) { (void)user, (void)level, (void)message, (void)size; }

/* Takes the locks of the process: the handle table's and that of the default context's sink. */
static void *uses_the_default(void *arg) {
    while (!atomic_load(&is_over)) {
        ge_options *o;
        OK(ge_context_set_log_sink(NULL, GE_LOG_DEBUG, ignore, arg, NULL));
        OK(ge_options_create(&o));
        OK(ge_options_set_text(o, "ge.socVersion", GE_NTS, "x", 1)); /* without effect: logged */
        OK(ge_options_destroy(o));
    }
    return NULL;
}

#if GE_TEST_ASAN || GE_TEST_TSAN
#define RUNTIME_STANDS_FORKS 0 /* the sanitizer's allocator itself is left locked in the child */
#else
#define RUNTIME_STANDS_FORKS 1
#endif

static void fork_among_threads(uint32_t seed) {
    (void)seed;
    pthread_t threads[3];
    if (!RUNTIME_STANDS_FORKS) return;
    for (int i = 0; i < 3; i++) MUST(pthread_create(&threads[i], NULL, uses_the_default, NULL) == 0);
    for (int i = 0; i < 60; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60); /* a lock that nobody is left to give back ends here */
            ge_options *o;
            OK(ge_context_set_log_sink(NULL, GE_LOG_DEBUG, ignore, NULL, NULL));
            OK(ge_options_create(&o));
            OK(ge_options_set_text(o, "ge.socVersion", GE_NTS, "x", 1));
            OK(ge_options_destroy(o));
            OK(ge_context_set_log_sink(NULL, GE_LOG_OFF, NULL, NULL, NULL));
            _exit(0);
        }
        wait_for(child);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static int n_destroyed;
static void count_destroy(void *user) { (void)user, n_destroyed++; }
static bool has_forked;
static void forks(void *user, ge_log_level level, const char *message, size_t size) {
    (void)level, (void)message, (void)size;
    if (has_forked) return;
    has_forked = true;
    pid_t child = fork();
    if (child == 0) *(bool *)user = true;
    else wait_for(child);
}
static void fork_in_sink(uint32_t seed) {
    (void)seed;
    bool is_child = false;
    ge_options *o;
    OK(ge_context_set_log_sink(NULL, GE_LOG_DEBUG, forks, &is_child, count_destroy));
    OK(ge_options_create(&o));
    OK(ge_options_set_text(o, "ge.socVersion", GE_NTS, "x", 1));
    MUST(has_forked && n_destroyed == 0);
    OK(ge_context_set_log_sink(NULL, GE_LOG_OFF, NULL, NULL, NULL));
    MUST(n_destroyed == 1); /* once in each of the two */
    OK(ge_options_destroy(o));
    if (is_child) _exit(0);
}

CASE(fork_before)
CASE(fork_after)
CASE(fork_deep)
CASE(fork_often)
CASE(fork_among_threads)
CASE(fork_in_sink)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fork_before), cmocka_unit_test(test_fork_after),         cmocka_unit_test(test_fork_deep),
        cmocka_unit_test(test_fork_often),  cmocka_unit_test(test_fork_among_threads), cmocka_unit_test(test_fork_in_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
