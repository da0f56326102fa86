/* SPDX-License-Identifier: Apache-2.0 */
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "unit/ge_test.h"

#if GE_TEST_TSAN
#define IS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_THREAD_SANITIZER 1
#endif
#endif
#ifndef IS_THREAD_SANITIZER
#define IS_THREAD_SANITIZER 0
#endif

enum { n_cells = 1000 };

/* Plain memory on purpose: the thread sanitizer proves that parts never overlap and that the caller sees all of them. */
typedef struct table {
    uint32_t times_run[n_cells];
    double value[n_cells];
} table;

static void fill_part(void *arg, uint32_t part, uint32_t seat) {
    (void)seat;
    table *t = arg;
    t->times_run[part]++;
    double v = part;
    for (int i = 0; i < 50; i++) v = v * 0.5 + 1.0 / (part + 1.0);
    t->value[part] = v;
}

static void results_do_not_depend_on_the_thread_count(void **state) {
    (void)state;
    static const uint32_t threads[] = { 0, 1, 2, 3, 8, 100 };
    static table wanted, got;
    memset(&wanted, 0, sizeof wanted);
    for (uint32_t part = 0; part < n_cells; part++) fill_part(&wanted, part, 0);
    for (size_t i = 0; i < GEI_COUNT(threads); i++) {
        for (int round = 0; round < 20; round++) {
            memset(&got, 0, sizeof got);
            gei_pool_run(NULL, threads[i], n_cells, fill_part, &got);
            assert_memory_equal(&got, &wanted, sizeof got);
        }
    }
}

static void note_thread(void *arg, uint32_t part, uint32_t seat) {
    (void)seat;
    ((pthread_t *)arg)[part] = pthread_self();
}

static void one_thread_runs_inline(void **state) {
    (void)state;
    pthread_t seen[16];
    gei_pool_run(NULL, 1, 16, note_thread, seen);
    for (int i = 0; i < 16; i++) assert_true(pthread_equal(seen[i], pthread_self()));
    gei_pool_run(NULL, 8, 1, note_thread, seen);
    assert_true(pthread_equal(seen[0], pthread_self()));
    gei_pool_run(NULL, 8, 0, note_thread, NULL);
}

typedef struct crowd {
    _Atomic uint32_t inside, most;
} crowd;

static void enter_and_wait(void *arg, uint32_t part, uint32_t seat) {
    (void)seat;
    (void)part;
    crowd *c = arg;
    uint32_t now = atomic_fetch_add(&c->inside, 1) + 1;
    uint32_t most = atomic_load(&c->most);
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now)) {}
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    atomic_fetch_sub(&c->inside, 1);
}

static void no_more_threads_take_part_than_allowed(void **state) {
    (void)state;
    gei_pool_run(NULL, 8, 64, enter_and_wait, &(crowd){ 0 }); /* there are more workers than the next runs may use */
    for (uint32_t max_threads = 1; max_threads <= 8; max_threads++) {
        crowd c = { 0 };
        gei_pool_run(NULL, max_threads, 40, enter_and_wait, &c);
        assert_int_equal(atomic_load(&c.inside), 0);
        assert_in_range(atomic_load(&c.most), 1, max_threads);
    }
    assert_int_equal(gei_pool_worker_count() >= 7, 1);
}

typedef struct row_of_seats {
    uint32_t n_seats;
    _Atomic uint32_t n_wrong, taken[8];
} row_of_seats;

static void sit_down(void *arg, uint32_t part, uint32_t seat) {
    row_of_seats *r = arg;
    if (seat >= r->n_seats || atomic_fetch_add(&r->taken[seat], 1) != 0) atomic_fetch_add(&r->n_wrong, 1);
    if (part % 5 == 0) sched_yield();
    if (seat < r->n_seats) atomic_fetch_sub(&r->taken[seat], 1);
}

static void no_two_threads_have_the_same_seat(void **state) {
    (void)state;
    for (uint32_t n_seats = 1; n_seats <= 8; n_seats++) {
        for (int round = 0; round < 50; round++) {
            row_of_seats r = { .n_seats = n_seats };
            gei_pool_run(NULL, n_seats, 40, sit_down, &r);
            assert_int_equal(r.n_wrong, 0);
        }
    }
}

static void sleeping_workers_all_wake(void **state) {
    (void)state;
    gei_pool_run(NULL, 4, 8, enter_and_wait, &(crowd){ 0 });
    nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
    crowd c = { 0 };
    gei_pool_run(NULL, 4, 40, enter_and_wait, &c);
    assert_int_equal(atomic_load(&c.most), 4);
}

enum { n_callers = 80, runs_per_caller = 200 }; /* more callers than slots */

static void *call_often(void *arg) {
    table *t = arg;
    for (uint32_t run = 0; run < runs_per_caller; run++) gei_pool_run(NULL, 2 + run % 7, 1 + run % 40, fill_part, t);
    return NULL;
}

static void many_callers_at_once(void **state) {
    (void)state;
    static table tables[n_callers];
    memset(tables, 0, sizeof tables);
    pthread_t callers[n_callers];
    for (int i = 0; i < n_callers; i++) assert_int_equal(pthread_create(&callers[i], NULL, call_often, &tables[i]), 0);
    for (int i = 0; i < n_callers; i++) pthread_join(callers[i], NULL);
    for (int i = 0; i < n_callers; i++) {
        for (uint32_t part = 0; part < 40; part++) {
            uint32_t wanted = 0;
            for (uint32_t run = 0; run < runs_per_caller; run++) wanted += part < 1 + run % 40;
            assert_int_equal(tables[i].times_run[part], wanted);
        }
    }
}

typedef struct tree {
    uint32_t depth;
    _Atomic uint32_t *n_leaves;
} tree;

static void grow(void *arg, uint32_t part, uint32_t seat) {
    (void)seat;
    (void)part;
    tree *t = arg;
    if (t->depth == 0) {
        atomic_fetch_add(t->n_leaves, 1);
        return;
    }
    gei_pool_run(NULL, 4, 5, grow, &(tree){ t->depth - 1, t->n_leaves });
}

static void parts_may_run_parts(void **state) {
    (void)state;
    _Atomic uint32_t n_leaves = 0;
    gei_pool_run(NULL, 4, 5, grow, &(tree){ 5, &n_leaves });
    assert_int_equal(atomic_load(&n_leaves), 5 * 5 * 5 * 5 * 5 * 5);
}

typedef struct thread_facts {
    bool blocks_usr1, blocks_segv, is_named, is_worker;
    int rounding;
    double tiny;
} thread_facts;

typedef struct survey {
    pthread_t caller;
    thread_facts facts[64];
} survey;

static volatile double smallest_normal = 2.2250738585072014e-308;

static void look_around(void *arg, uint32_t part, uint32_t seat) {
    (void)seat;
    survey *s = arg;
    thread_facts *facts = &s->facts[part];
    sigset_t mask;
    char name[32];
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    facts->is_worker = !pthread_equal(pthread_self(), s->caller);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    facts->blocks_usr1 = sigismember(&mask, SIGUSR1);
    facts->blocks_segv = sigismember(&mask, SIGSEGV);
    facts->is_named = pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "ge-worker") == 0;
    facts->rounding = fegetround();
    facts->tiny = smallest_normal / 4;
}

static void workers_have_a_mode_and_mask_of_their_own(void **state) {
    (void)state;
    survey s = { .caller = pthread_self() };
    fesetround(FE_UPWARD); /* would be inherited by the threads started now */
    gei_pool_run(NULL, 12, 64, look_around, &s);
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    int n_workers = 0;
    for (int i = 0; i < 64; i++) {
        if (!s.facts[i].is_worker) {
            assert_false(s.facts[i].blocks_usr1);
            continue;
        }
        n_workers++;
        assert_true(s.facts[i].blocks_usr1);
        assert_false(s.facts[i].blocks_segv);
        assert_true(s.facts[i].is_named);
        assert_int_equal(s.facts[i].rounding, FE_TONEAREST);
        assert_true(s.facts[i].tiny > 0); /* not flushed to zero */
    }
    assert_true(n_workers > 0);
}

static void count_part(void *arg, uint32_t part, uint32_t seat) {
    (void)seat;
    (void)part;
    atomic_fetch_add((_Atomic uint32_t *)arg, 1);
}

static int child_uses_pool(void) {
    if (gei_pool_worker_count() != 0) return 10;
    for (int run = 0; run < 100; run++) {
        _Atomic uint32_t n = 0;
        gei_pool_run(NULL, 4, 100, count_part, &n);
        if (atomic_load(&n) != 100) return 11;
    }
    return gei_pool_worker_count() == 3 ? 0 : 12;
}

static void *keep_running(void *arg) {
    _Atomic bool *stop = arg;
    while (!atomic_load(stop)) {
        _Atomic uint32_t n = 0;
        gei_pool_run(NULL, 4, 20, count_part, &n);
    }
    return NULL;
}

static int wait_for_child(pid_t pid) {
    int how = 0;
    while (waitpid(pid, &how, 0) < 0) {}
    return WIFEXITED(how) ? WEXITSTATUS(how) : 100 + WTERMSIG(how);
}

static void child_of_fork_has_a_pool_of_its_own(void **state) {
    (void)state;
    if (IS_THREAD_SANITIZER) skip(); /* it refuses threads after fork */
    _Atomic bool stop = false;
    pthread_t runners[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&runners[i], NULL, keep_running, &stop), 0);
    for (int i = 0; i < 20; i++) {
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
        pid_t pid = fork(); /* in the middle of other threads' runs */
        assert_true(pid >= 0);
        if (pid == 0) {
            alarm(30);
            _exit(child_uses_pool());
        }
        assert_int_equal(wait_for_child(pid), 0);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++) pthread_join(runners[i], NULL);
}

static _Thread_local pid_t forked;

static void fork_in_part(void *arg, uint32_t part, uint32_t seat) {
    (void)seat;
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    if (part != 0) return; /* part 0 is the caller's */
    forked = fork();
    if (forked == 0) alarm(30);
    atomic_fetch_add((_Atomic uint32_t *)arg, 1);
}

static void fork_inside_a_part_does_not_hang_the_child(void **state) {
    (void)state;
    if (IS_THREAD_SANITIZER) skip();
    _Atomic uint32_t n = 0;
    gei_pool_run(NULL, 4, 50, fork_in_part, &n);
    assert_true(forked >= 0);
    if (forked == 0) _exit(child_uses_pool());
    assert_int_equal(atomic_load(&n), 1);
    assert_int_equal(wait_for_child(forked), 0);
}

static void without_threads_the_caller_does_all(void **state) {
    (void)state;
    if (IS_THREAD_SANITIZER) skip();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = { 0, 0 }; /* does not bind root */
        if (setrlimit(RLIMIT_NPROC, &none) != 0 || (geteuid() == 0 && setuid(65534) != 0)) _exit(2);
        _Atomic uint32_t n = 0;
        gei_pool_run(NULL, 4, 100, count_part, &n);
        gei_pool_run(NULL, 4, 100, count_part, &n);
        _exit(atomic_load(&n) == 200 && gei_pool_worker_count() == 0 ? 0 : 1);
    }
    int code = wait_for_child(pid);
    if (code == 2) skip(); /* not allowed to limit itself */
    assert_int_equal(code, 0);
}

static void every_part_runs_once_for_any_number_of_parts(void **state) {
    (void)state;
    static table t;
    memset(&t, 0, sizeof t);
    for (uint32_t n_parts = 1; n_parts <= n_cells; n_parts += 37) gei_pool_run(NULL, 3, n_parts, fill_part, &t);
    for (uint32_t part = 0; part < n_cells; part++) {
        uint32_t wanted = 0;
        for (uint32_t n_parts = 1; n_parts <= n_cells; n_parts += 37) wanted += part < n_parts;
        assert_int_equal(t.times_run[part], wanted);
    }
}

/* What one worker may run on; the caller's parts say nothing. */
static void note_cpus(void *arg, uint32_t part, uint32_t seat) {
    cpu_set_t cpus;
    uint32_t *counts = arg;
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    if (seat > 0 && sched_getaffinity(0, sizeof cpus, &cpus) == 0) counts[part] = (uint32_t)CPU_COUNT(&cpus);
}

static void pinned_workers_stay_on_one_cpu(void **state) {
    (void)state;
    cpu_set_t before, after;
    uint32_t counts[64] = { 0 }, n_seen = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    gei_pool_pin();
    for (int round = 0; round < 20 && n_seen == 0; round++) {
        memset(counts, 0, sizeof counts);
        gei_pool_run(NULL, 4, 64, note_cpus, counts);
        for (int i = 0; i < 64; i++) n_seen += counts[i] > 0;
    }
    assert_true(n_seen > 0);
    for (int i = 0; i < 64; i++) assert_true(counts[i] <= 1);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after)); /* the caller's thread is the host's */
}

/* ---- jobs ---- */

typedef struct counted_job {
    gei_job job;
    _Atomic uint32_t *n_inside, *n_most, *n_done;
} counted_job;

static void run_counted(gei_job *job) {
    counted_job *j = (counted_job *)(void *)job;
    uint32_t now = atomic_fetch_add(j->n_inside, 1) + 1, most = atomic_load(j->n_most);
    while (now > most && !atomic_compare_exchange_weak(j->n_most, &most, now)) {}
    nanosleep(&(struct timespec){ 0, 300000 }, NULL);
    atomic_fetch_sub(j->n_inside, 1);
    atomic_fetch_add(j->n_done, 1);
}

static void wait_until(const _Atomic uint32_t *n, uint32_t wanted) {
    for (int i = 0; i < 20000 && atomic_load(n) < wanted; i++) nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    assert_int_equal(atomic_load(n), wanted);
}

static void jobs_of_a_team_stay_within_its_threads(void **state) {
    (void)state;
    enum { N = 60 };
    static counted_job jobs[2][N];
    _Atomic uint32_t n_inside[2] = { 0 }, n_most[2] = { 0 }, n_done[2] = { 0 };
    gei_team *teams[] = { gei_team_create(1), gei_team_create(3) };
    assert_true(gei_pool_ready());
    for (int i = 0; i < N; i++) {
        for (int t = 0; t < 2; t++) {
            jobs[t][i] = (counted_job){ { run_counted, NULL }, &n_inside[t], &n_most[t], &n_done[t] };
            gei_pool_submit(teams[t], &jobs[t][i].job, false);
        }
    }
    for (int t = 0; t < 2; t++) wait_until(&n_done[t], N);
    assert_int_equal(atomic_load(&n_most[0]), 1);
    assert_in_range(atomic_load(&n_most[1]), 1, 3);
    for (int i = 0; i < 5000 && gei_team_busy(NULL) > 0; i++) nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    assert_int_equal(gei_team_busy(NULL), 0); /* every place was given back */
    for (int t = 0; t < 2; t++) gei_team_release(teams[t]);
}

/* One job of a team runs even while callers keep all threads busy. */
static void callers_do_not_starve_jobs(void **state) {
    (void)state;
    _Atomic bool stop = false;
    _Atomic uint32_t n_inside = 0, n_most = 0, n_done = 0;
    pthread_t runners[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&runners[i], NULL, keep_running, &stop), 0);
    counted_job j = { { run_counted, NULL }, &n_inside, &n_most, &n_done };
    assert_true(gei_pool_ready());
    gei_pool_submit(NULL, &j.job, false);
    wait_until(&n_done, 1);
    atomic_store(&stop, true);
    for (int i = 0; i < 4; i++) pthread_join(runners[i], NULL);
}

static void cpu_count_is_plausible(void **state) {
    (void)state;
    assert_in_range(gei_pool_cpu_count(), 1, 8192);
    assert_true(gei_pool_cpu_count() <= (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_the_thread_count),
        cmocka_unit_test(one_thread_runs_inline),
        cmocka_unit_test(no_more_threads_take_part_than_allowed),
        cmocka_unit_test(no_two_threads_have_the_same_seat),
        cmocka_unit_test(sleeping_workers_all_wake),
        cmocka_unit_test(many_callers_at_once),
        cmocka_unit_test(parts_may_run_parts),
        cmocka_unit_test(workers_have_a_mode_and_mask_of_their_own),
        cmocka_unit_test(child_of_fork_has_a_pool_of_its_own),
        cmocka_unit_test(fork_inside_a_part_does_not_hang_the_child),
        cmocka_unit_test(without_threads_the_caller_does_all),
        cmocka_unit_test(every_part_runs_once_for_any_number_of_parts),
        cmocka_unit_test(cpu_count_is_plausible),
        cmocka_unit_test(jobs_of_a_team_stay_within_its_threads),
        cmocka_unit_test(callers_do_not_starve_jobs),
        cmocka_unit_test(pinned_workers_stay_on_one_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
