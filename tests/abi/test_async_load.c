/* SPDX-License-Identifier: Apache-2.0 */
/* Many asynchronous runs, and many threads on one model.  With GE_TEST_FULL there are 10^5 runs, and the threads go on for a minute. */
#include "async_test.h"

static uint64_t next_random(uint64_t *state) { /* xorshift */
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* ---- many runs ---- */

enum { N_STARTERS = 4, MOST_RUNS = 25000, IN_FLIGHT = 64 };
static uint32_t n_runs = MOST_RUNS / 5; /* of each starter */

typedef struct starter {
    pthread_t thread;
    ge_model *model;
    ge_value *in;
    ge_queue *queue;
    uint64_t seed;
    _Atomic uint8_t called[MOST_RUNS], ended[MOST_RUNS]; /* by tag: calls of the callback and of its destroy */
    uint8_t queued[MOST_RUNS];
    uint32_t n_queued, n_ok, n_cancelled, n_late;
    _Atomic uint32_t n_wrong;
} starter;

static bool is_expected(ge_status st) { return st == GE_OK || st == GE_ERR_CANCELLED || st == GE_ERR_DEADLINE; }

typedef struct one_call { /* user data of one callback; its destroy frees it */
    starter *starter;
    uint64_t tag;
} one_call;

static void note_call(void *user, uint64_t tag, ge_status status) {
    one_call *c = user;
    if (tag != c->tag || !is_expected(status) || atomic_load(&c->starter->ended[tag])) atomic_fetch_add(&c->starter->n_wrong, 1);
    atomic_fetch_add(&c->starter->called[tag], 1);
}
static void note_end(void *user) {
    one_call *c = user;
    atomic_fetch_add(&c->starter->ended[c->tag], 1);
    free(c);
}

static void drain(starter *s, int64_t timeout_ns) {
    ge_completion got[32];
    size_t n;
    if (ge_queue_wait(s->queue, got, 32, sizeof got[0], timeout_ns, &n) != GE_OK) return;
    for (size_t i = 0; i < n; i++) {
        s->queued[got[i].tag]++;
        s->n_ok += got[i].status == GE_OK;
        s->n_cancelled += got[i].status == GE_ERR_CANCELLED;
        s->n_late += got[i].status == GE_ERR_DEADLINE;
        if (!is_expected(got[i].status)) atomic_fetch_add(&s->n_wrong, 1);
    }
    s->n_queued += (uint32_t)n;
}

static void start_one(starter *s, uint64_t tag) {
    const ge_value *ins[] = { s->in };
    uint64_t dice = next_random(&s->seed);
    ge_run_options how = GE_RUN_OPTIONS_INIT;
    ge_async_options where = GE_ASYNC_OPTIONS_INIT;
    ge_operation *op = NULL;
    ge_status st;
    if (dice % 7 == 0) how.deadline_ns = clock_ns() + (int64_t)(dice >> 8 & 0xffff) - 0x4000;
    where.queue = s->queue;
    where.tag = tag;
    one_call *c = malloc(sizeof *c);
    *c = (one_call){ s, tag };
    where.complete = note_call;
    where.user_data = c;
    where.destroy = note_end;
    if (ge_model_run_async(s->model, &how, &where, ins, 1, &op) != GE_OK) {
        atomic_fetch_add(&s->n_wrong, 1);
        return;
    }
    if ((dice >> 32) % 5 == 0 && ge_operation_cancel(op) != GE_OK) atomic_fetch_add(&s->n_wrong, 1);
    if ((dice >> 40) % 16 == 0) { /* waited for; else destroyed in flight */
        bool is_bad = ge_operation_wait(op, -1) != GE_OK || ge_operation_get_status(op, &st) != GE_OK || !is_expected(st);
        if (is_bad || (st == GE_OK && result_of(op) != 16)) atomic_fetch_add(&s->n_wrong, 1);
    }
    if (ge_operation_destroy(op) != GE_OK) atomic_fetch_add(&s->n_wrong, 1);
}

static void *start_many(void *arg) {
    starter *s = arg;
    for (uint32_t i = 0; i < n_runs; i++) {
        start_one(s, i);
        while (i + 1 - s->n_queued > IN_FLIGHT) drain(s, -1);
    }
    for (int i = 0; i < 60 && s->n_queued < n_runs; i++) drain(s, one_s);
    return NULL;
}

static void each_of_many_runs_completes_once(void **state) {
    (void)state;
    static starter starters[N_STARTERS];
    uint64_t before = live_objects(), n_ok = 0, n_cancelled = 0, n_late = 0;
    if (getenv("GE_TEST_FULL")) n_runs = MOST_RUNS;
    ge_model *model = power_model(NULL, 2, 3);
    ge_value *in = diagonal(NULL, 2, 2);
    for (uint64_t i = 0; i < N_STARTERS; i++) {
        starters[i].model = model;
        starters[i].in = in;
        starters[i].seed = 0x9E3779B97F4A7C15u * (i + 1);
        check_ok(ge_queue_create(NULL, &starters[i].queue));
        assert_int_equal(pthread_create(&starters[i].thread, NULL, start_many, &starters[i]), 0);
    }
    for (int i = 0; i < N_STARTERS; i++) {
        starter *s = &starters[i];
        pthread_join(s->thread, NULL);
        assert_int_equal(s->n_queued, n_runs);
        assert_int_equal(atomic_load(&s->n_wrong), 0);
        for (int k = 0; k < 20000 && !atomic_load(&s->ended[n_runs - 1]); k++) usleep(1000);
        for (uint32_t k = 0; k < n_runs; k++) {
            for (int w = 0; w < 5000 && !atomic_load(&s->ended[k]); w++) usleep(1000); /* the queue is told before the callback */
            assert_true(s->queued[k] == 1 && atomic_load(&s->called[k]) == 1 && atomic_load(&s->ended[k]) == 1);
        }
        check_ok(ge_queue_destroy(s->queue));
        n_ok += s->n_ok;
        n_cancelled += s->n_cancelled;
        n_late += s->n_late;
    }
    check_ok(ge_model_destroy(model));
    check_ok(ge_value_destroy(in));
    check_all_gone_soon(before);
    assert_true(n_ok > 0 && n_cancelled > 0 && n_late > 0);
    print_message("%u runs: %llu done, %llu cancelled, %llu past their deadline\n", N_STARTERS * n_runs, (unsigned long long)n_ok,
                  (unsigned long long)n_cancelled, (unsigned long long)n_late);
}

/* ---- 64 threads ---- */

enum { N_THREADS = 64 };

static struct {
    ge_model *model;
    int64_t end_ns;
    _Atomic uint64_t n_runs, n_wrong;
    _Atomic uint64_t progress[N_THREADS]; /* runs of each, for the watchdog */
} shared;

static float wanted_of(uint32_t i) { return (float)((i % 3 + 1) * (i % 3 + 1) * (i % 3 + 1)); }

/* Every third thread runs the model, a binding, or lets runs go on by themselves; each at least once, however busy the machine is. */
static void *run_and_check(void *arg) {
    uint32_t me = (uint32_t)(uintptr_t)arg, mode = me % 3;
    ge_value *in = diagonal(NULL, 64, (float)(me % 3 + 1));
    const ge_value *ins[] = { in };
    ge_binding *b = NULL;
    ge_operation *op = NULL;
    bool fine = ge_binding_create(shared.model, &b) == GE_OK && ge_binding_set_input(b, 0, in) == GE_OK;
    while (fine && (clock_ns() < shared.end_ns || atomic_load(&shared.progress[me]) == 0)) {
        ge_value *out = NULL;
        float got = 0;
        if (mode == 0) {
            fine = ge_model_run(shared.model, NULL, ins, 1, &out, 1) == GE_OK;
            if (fine) got = first_number(out);
            fine = fine && ge_value_destroy(out) == GE_OK;
        } else if (mode == 1) {
            fine = ge_binding_run(b, NULL) == GE_OK && ge_binding_get_output(b, 0, &out) == GE_OK;
            if (fine) got = first_number(out);
        } else {
            fine = ge_model_run_async(shared.model, NULL, NULL, ins, 1, &op) == GE_OK && ge_operation_wait(op, -1) == GE_OK;
            if (fine) got = result_of(op);
            fine = ge_operation_destroy(op) == GE_OK && fine;
        }
        fine = fine && got == wanted_of(me);
        atomic_fetch_add(&shared.n_runs, 1);
        atomic_fetch_add(&shared.progress[me], 1);
    }
    if (!fine) atomic_fetch_add(&shared.n_wrong, 1);
    if (ge_binding_destroy(b) != GE_OK || ge_value_destroy(in) != GE_OK) atomic_fetch_add(&shared.n_wrong, 1);
    return NULL;
}

static uint64_t held_bytes(void) {
    ge_context_info info;
    check_ok(ge_context_get_info(NULL, &info, sizeof info));
    return info.allocated_bytes;
}

static void many_threads_share_one_model(void **state) {
    (void)state;
    pthread_t threads[N_THREADS];
    uint64_t before = live_objects(), early = 0, late = 0;
    int64_t seconds = getenv("GE_TEST_FULL") ? 60 : 1;
    alarm((unsigned)seconds + 300); /* the watchdog: nobody would come back from a deadlock */
    shared.model = power_model(NULL, 64, 2);
    const int64_t begin_ns = clock_ns();
    shared.end_ns = begin_ns + seconds * one_s;
    for (uintptr_t i = 0; i < N_THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_and_check, (void *)i), 0);
    while (clock_ns() < shared.end_ns) { /* memory held in the first and the second half */
        usleep(5000);
        uint64_t now = held_bytes();
        uint64_t *most = clock_ns() < begin_ns + seconds * one_s / 2 ? &early : &late;
        if (now > *most) *most = now;
    }
    for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], NULL);
    alarm(0);
    assert_int_equal(atomic_load(&shared.n_wrong), 0);
    for (int i = 0; i < N_THREADS; i++) assert_true(atomic_load(&shared.progress[i]) > 0);
    assert_true(late <= N_THREADS * (uint64_t)(256 << 10));           /* a frame and an operation each */
    if (seconds > 1) assert_true(late <= early + early / 4); /* flat; a second is too short to see all at once in its first half */
    check_ok(ge_model_destroy(shared.model));
    check_all_gone_soon(before);
    print_message("%d threads, %lld s: %llu runs, %llu bytes held\n", N_THREADS, (long long)seconds,
                  (unsigned long long)atomic_load(&shared.n_runs), (unsigned long long)late);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_of_many_runs_completes_once),
        cmocka_unit_test(many_threads_share_one_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
