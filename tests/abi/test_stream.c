/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events: order on one stream, order between streams, failures, misuse. */
#include "async_test.h"

static ge_stream *stream_new(void) {
    ge_stream *s;
    check_ok(ge_stream_create(NULL, &s));
    return s;
}
static ge_event *event_new(void) {
    ge_event *e;
    check_ok(ge_event_create(NULL, &e));
    return e;
}

static ge_operation *put(const ge_model *model, const ge_value *in, const ge_stream *stream, const ge_queue *queue, uint64_t tag) {
    const ge_value *ins[] = { in };
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_operation *op;
    how.stream = stream;
    how.queue = queue;
    how.tag = tag;
    check_ok(ge_model_run_async(model, NULL, &how, ins, 1, &op));
    return op;
}

static uint64_t next_tag(const ge_queue *queue) {
    ge_completion got;
    size_t n;
    check_ok(ge_queue_wait(queue, &got, 1, sizeof got, 20 * one_s, &n));
    return got.tag;
}

static void a_stream_runs_in_order(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *square = power_model(NULL, 2, 1); /* x -> x * x */
    ge_value *in = diagonal(NULL, 2, 1.0009765625f), *last = in;
    ge_stream *s = stream_new();
    ge_queue *q;
    size_t n;
    int32_t is_idle = 0;
    float wanted = 1.0009765625f;
    check_ok(ge_queue_create(NULL, &q));
    for (uint64_t i = 0; i < 12; i++) { /* each takes what the one before gives, which need not be there yet */
        ge_value *out;
        ge_operation *op = put(square, last, s, q, i);
        check_ok(ge_operation_get_outputs(op, &out, 1, &n));
        check_ok(ge_operation_destroy(op));
        check_ok(ge_value_destroy(last));
        last = out;
        wanted *= wanted;
    }
    check_ok(ge_stream_sync(s, -1));
    check_ok(ge_stream_query(s, &is_idle));
    assert_int_equal(is_idle, 1);
    assert_true(first_number(last) == wanted);
    for (uint64_t i = 0; i < 12; i++) assert_int_equal(next_tag(q), i);
    check_ok(ge_value_destroy(last));
    check_ok(ge_stream_destroy(s));
    check_ok(ge_queue_destroy(q));
    check_ok(ge_model_destroy(square));
    check_all_gone_soon(before);
}

static void events_order_streams(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *slow = power_model(NULL, 192, 20), *fast = power_model(NULL, 2, 1);
    ge_value *big = diagonal(NULL, 192, 1), *small = diagonal(NULL, 2, 1);
    ge_stream *s1 = stream_new(), *s2 = stream_new();
    ge_event *begun = event_new(), *ended = event_new();
    ge_queue *q;
    int32_t is_done = 1;
    int64_t ns = -1;
    check_ok(ge_queue_create(NULL, &q));
    check_ok(ge_event_record(begun, s1));
    check_ok(ge_event_sync(begun, -1)); /* nothing stands before it */
    check_ok(ge_event_query(begun, &is_done));
    assert_int_equal(is_done, 1);
    for (int round = 0; round < 3; round++) {
        check_ok(ge_operation_destroy(put(slow, big, s1, q, 1)));
        check_ok(ge_event_record(ended, s1));
        check_ok(ge_stream_wait_event(s2, ended));
        check_ok(ge_operation_destroy(put(fast, small, s2, q, 2)));
        assert_int_equal(next_tag(q), 1);
        assert_int_equal(next_tag(q), 2);
        check_ok(ge_event_sync(ended, -1));
        check_ok(ge_event_get_elapsed(begun, ended, &ns));
        assert_true(ns > 0);
        check_ok(ge_event_get_elapsed(ended, begun, &ns));
        assert_true(ns < 0);
        check_ok(ge_stream_sync(s2, -1));
    }
    check_ok(ge_event_destroy(begun));
    check_ok(ge_event_destroy(ended));
    check_ok(ge_stream_destroy(s1));
    check_ok(ge_stream_destroy(s2));
    check_ok(ge_queue_destroy(q));
    check_ok(ge_value_destroy(big));
    check_ok(ge_value_destroy(small));
    check_ok(ge_model_destroy(slow));
    check_ok(ge_model_destroy(fast));
    check_all_gone_soon(before);
}

static void what_is_not_done_says_so(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *slow = long_model(NULL);
    ge_value *big = diagonal(NULL, 256, 1);
    ge_stream *s = stream_new();
    ge_event *never = event_new(), *later = event_new();
    int32_t flag = 1;
    int64_t ns;
    check_fails(ge_event_query(never, &flag), GE_ERR_WRONG_STATE, "event");
    check_fails(ge_event_sync(never, 0), GE_ERR_WRONG_STATE, "event");
    check_fails(ge_stream_wait_event(s, never), GE_ERR_WRONG_STATE, NULL);
    check_fails(ge_event_get_elapsed(never, later, &ns), GE_ERR_WRONG_STATE, "first");
    ge_operation *op = put(slow, big, s, NULL, 0);
    check_ok(ge_event_record(later, s));
    check_fails(ge_event_get_elapsed(later, later, &ns), GE_ERR_WRONG_STATE, "first");
    check_ok(ge_event_query(later, &flag));
    assert_int_equal(flag, 0);
    check_fails(ge_event_sync(later, 0), GE_ERR_TIMEOUT, NULL);
    check_fails(ge_event_sync(later, 1000000), GE_ERR_TIMEOUT, NULL);
    check_fails(ge_stream_sync(s, 1000000), GE_ERR_TIMEOUT, NULL);
    check_fails(ge_stream_sync(s, 0), GE_ERR_TIMEOUT, NULL);
    flag = 1;
    check_ok(ge_stream_query(s, &flag));
    assert_int_equal(flag, 0);
    check_ok(ge_operation_cancel(op));
    check_fails(ge_stream_sync(s, -1), GE_ERR_CANCELLED, NULL); /* what a run on it failed with, once */
    check_ok(ge_stream_sync(s, -1));
    check_ok(ge_event_sync(later, -1)); /* it happens all the same */
    check_ok(ge_operation_destroy(op));
    check_ok(ge_event_destroy(never));
    check_ok(ge_event_destroy(later));
    check_ok(ge_stream_destroy(s));
    check_ok(ge_value_destroy(big));
    check_ok(ge_model_destroy(slow));
    check_all_gone_soon(before);
}

/* A run whose inputs do not go together fails on its stream; what follows goes on. */
static void a_failed_run_does_not_stop_the_stream(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = power_model(NULL, 2, 1);
    ge_value *in = diagonal(NULL, 2, 3);
    const ge_value *ins[] = { in };
    ge_stream *s = stream_new();
    ge_run_options past = GE_RUN_OPTIONS_INIT;
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_operation *bad, *good;
    ge_value *out;
    size_t n;
    past.deadline_ns = 1;
    how.stream = s;
    check_ok(ge_model_run_async(model, &past, &how, ins, 1, &bad));
    good = put(model, in, s, NULL, 0);
    check_fails(ge_stream_sync(s, -1), GE_ERR_DEADLINE, NULL);
    assert_int_equal(status_of(bad), GE_ERR_DEADLINE);
    check_fails(ge_operation_get_outputs(bad, &out, 1, &n), GE_ERR_WRONG_STATE, "operation");
    assert_int_equal(status_of(good), GE_OK);
    assert_true(result_of(good) == 9);
    check_ok(ge_operation_destroy(bad));
    check_ok(ge_operation_destroy(good));
    check_ok(ge_stream_destroy(s));
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
    check_all_gone_soon(before);
}

static void a_binding_runs_on_a_stream(void **state) {
    (void)state;
    ge_model *model = power_model(NULL, 2, 2);
    ge_value *in = diagonal(NULL, 2, 3), *out;
    ge_stream *s = stream_new();
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_binding *b;
    ge_operation *op;
    check_ok(ge_binding_create(model, &b));
    check_ok(ge_binding_set_input(b, 0, in));
    how.stream = s;
    for (int i = 0; i < 3; i++) {
        check_ok(ge_binding_run_async(b, NULL, &how, &op));
        check_ok(ge_stream_sync(s, -1));
        check_ok(ge_binding_get_output(b, 0, &out));
        assert_true(first_number(out) == 27);
        check_ok(ge_operation_destroy(op));
    }
    check_ok(ge_binding_destroy(b));
    check_ok(ge_stream_destroy(s));
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
}

/* Everything destroyed while it is in flight: all runs complete, in the order of their stream. */
static void what_is_on_a_destroyed_stream_still_runs(void **state) {
    (void)state;
    enum { N = 200, S = 4 };
    uint64_t before = live_objects(), seed = 88172645463325252u, last[S] = { 0 };
    ge_model *model = power_model(NULL, 16, 3);
    ge_value *in = diagonal(NULL, 16, 1);
    ge_stream *streams[S];
    ge_event *events[S];
    ge_queue *q;
    check_ok(ge_queue_create(NULL, &q));
    for (int i = 0; i < S; i++) {
        streams[i] = stream_new();
        events[i] = event_new();
        check_ok(ge_event_record(events[i], streams[i]));
    }
    for (uint64_t i = 1; i <= N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t at = seed >> 33 & 3, from = seed >> 40 & 3;
        check_ok(ge_operation_destroy(put(model, in, streams[at], q, i * S + at)));
        if (seed >> 50 & 1) check_ok(ge_event_record(events[at], streams[at]));
        if (seed >> 51 & 1) check_ok(ge_stream_wait_event(streams[at], events[from]));
    }
    for (int i = 0; i < S; i++) {
        check_ok(ge_event_destroy(events[i]));
        check_ok(ge_stream_destroy(streams[i]));
    }
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
    for (int i = 0; i < N; i++) {
        uint64_t tag = next_tag(q);
        assert_true(tag / S > last[tag % S]);
        last[tag % S] = tag / S;
    }
    check_ok(ge_queue_destroy(q));
    check_all_gone_soon(before);
}

/* ---- several threads ---- */

typedef struct feeder {
    pthread_t thread;
    const ge_model *model;
    const ge_value *in;
    ge_stream *mine, *other;
    ge_event *event;
    uint32_t n_wrong;
} feeder;

static void *feed(void *arg) {
    feeder *f = arg;
    const ge_value *ins[] = { f->in };
    for (int i = 0; i < 300; i++) {
        ge_async_options how = GE_ASYNC_OPTIONS_INIT;
        ge_operation *op;
        how.stream = f->mine;
        if (ge_model_run_async(f->model, NULL, &how, ins, 1, &op) != GE_OK) f->n_wrong++;
        else if (ge_operation_destroy(op) != GE_OK) f->n_wrong++;
        if (ge_event_record(f->event, f->mine) != GE_OK || ge_stream_wait_event(f->other, f->event) != GE_OK) f->n_wrong++;
    }
    if (ge_stream_sync(f->mine, 60 * one_s) != GE_OK) f->n_wrong++;
    return NULL;
}

static void streams_of_several_threads_wait_for_each_other(void **state) {
    (void)state;
    uint64_t before = live_objects();
    feeder f[4];
    ge_model *model = power_model(NULL, 2, 1);
    ge_value *in = diagonal(NULL, 2, 1);
    for (int i = 0; i < 4; i++) f[i] = (feeder){ .model = model, .in = in, .mine = stream_new(), .event = event_new() };
    for (int i = 0; i < 4; i++) f[i].other = f[(i + 1) % 4].mine;
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&f[i].thread, NULL, feed, &f[i]), 0);
    for (int i = 0; i < 4; i++) pthread_join(f[i].thread, NULL);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f[i].n_wrong, 0);
        check_ok(ge_stream_sync(f[i].mine, -1));
        check_ok(ge_stream_destroy(f[i].mine));
        check_ok(ge_event_destroy(f[i].event));
    }
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
    check_all_gone_soon(before);
}

/* ---- callbacks ---- */

typedef struct waits {
    ge_stream *stream;
    ge_event *event;
    _Atomic int failures;
    calls seen;
} waits;

static void wait_inside(void *user, uint64_t tag, ge_status status) {
    waits *w = user;
    int32_t flag;
    /* its own stream is not done before the callback is */
    int bad = ge_stream_sync(w->stream, one_s) != GE_ERR_REENTRANT;
    bad += ge_event_sync(w->event, one_s) != GE_ERR_REENTRANT;
    bad += ge_event_query(w->event, &flag) != GE_OK || flag != 0;
    bad += ge_stream_query(w->stream, &flag) != GE_OK || flag != 0;
    atomic_store(&w->failures, bad);
    on_complete(&w->seen, tag, status);
}
static void end_waits(void *user) { on_end(&((waits *)user)->seen); }

static void a_callback_may_not_wait_for_its_stream(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = power_model(NULL, 2, 1), *slow = power_model(NULL, 192, 20);
    ge_value *in = diagonal(NULL, 2, 1), *big = diagonal(NULL, 192, 1);
    const ge_value *ins[] = { in };
    waits w = { .stream = stream_new(), .event = event_new() };
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_operation *op;
    how.stream = w.stream;
    how.complete = wait_inside;
    how.user_data = &w;
    how.destroy = end_waits;
    check_ok(ge_operation_destroy(put(slow, big, w.stream, NULL, 0))); /* time to record behind the run that calls back */
    check_ok(ge_model_run_async(model, NULL, &how, ins, 1, &op));
    check_ok(ge_event_record(w.event, w.stream));
    wait_for(&w.seen.destroyed, 1);
    assert_int_equal(atomic_load(&w.failures), 0);
    check_ok(ge_stream_sync(w.stream, -1));
    check_ok(ge_operation_destroy(op));
    check_ok(ge_stream_destroy(w.stream));
    check_ok(ge_event_destroy(w.event));
    check_ok(ge_value_destroy(in));
    check_ok(ge_value_destroy(big));
    check_ok(ge_model_destroy(model));
    check_ok(ge_model_destroy(slow));
    check_all_gone_soon(before);
}

/* ---- branches of one graph ---- */

static uint32_t streams_of_branches(ge_context *context, const char *single_stream) {
    const int64_t dims[] = { 32, 32 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_compile_options how = GE_COMPILE_OPTIONS_INIT;
    ge_model_summary summary;
    ge_options *options;
    ge_builder *b;
    ge_graph *graph;
    ge_model *model;
    ge_value *in = diagonal(context, 32, 1), *out;
    const ge_value *ins[] = { in };
    ge_value_id x, ends[2], y;
    check_ok(ge_builder_create(context, "branches", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    for (int k = 0; k < 2; k++) {
        ends[k] = add_op(b, k ? "Neg" : "Abs", NULL, x, 0, NULL);
        for (int i = 0; i < 40; i++) ends[k] = add_op(b, "MatMulV2", NULL, ends[k], x, NULL);
    }
    y = add_op(b, "Sub", NULL, ends[0], ends[1], NULL);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_options_create(&options));
    check_ok(ge_options_set_text(options, "ge.enableSingleStream", GE_NTS, single_stream, GE_NTS));
    how.options = options;
    check_ok(ge_graph_compile(graph, &how, &model));
    check_ok(ge_model_get_summary(model, &summary, sizeof summary));
    for (int i = 0; i < 20; i++) {
        check_ok(ge_model_run(model, NULL, ins, 1, &out, 1));
        assert_true(first_number(out) == 2);
        check_ok(ge_value_destroy(out));
    }
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_options_destroy(options));
    check_ok(ge_value_destroy(in));
    return summary.streams_count;
}

static void branches_of_a_graph_are_streams(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        ge_options *options;
        ge_context *context;
        check_ok(ge_options_create(&options));
        check_ok(ge_options_set_int(options, "ge.threads", GE_NTS, threads));
        check_ok(ge_options_set_int(options, "ge.pinThreads", GE_NTS, 1));
        check_ok(ge_context_create(options, &context));
        assert_int_equal(streams_of_branches(context, "false"), threads);
        assert_int_equal(streams_of_branches(context, "true"), 1);
        check_ok(ge_context_destroy(context));
        check_ok(ge_options_destroy(options));
    }
}

/* ---- handles ---- */

static void handles_are_checked(void **state) {
    (void)state;
    uint64_t before = live_objects(), first = 0, second = 0;
    ge_context *context;
    ge_stream *s = stream_new(), *other, *none;
    ge_event *e = event_new(), *no_event;
    int32_t flag;
    int64_t ns;
    check_ok(ge_context_create(NULL, &context));
    check_ok(ge_stream_create(context, &other));
    check_ok(ge_stream_get_native(s, &first));
    check_ok(ge_stream_get_native(other, &second));
    assert_true(first != 0 && second != 0 && first != second);
    check_fails(ge_stream_create(FOREIGN_HANDLE, &none), GE_ERR_HANDLE_FOREIGN, "context");
    check_fails(ge_event_record(e, other), GE_ERR_HANDLE_OTHER_CONTEXT, "stream");
    check_ok(ge_event_record(e, s));
    check_fails(ge_stream_wait_event(other, e), GE_ERR_HANDLE_OTHER_CONTEXT, "event");
    check_fails(ge_stream_create(NULL, NULL), GE_ERR_NULL_ARGUMENT, "out_stream");
    check_fails(ge_event_create(NULL, NULL), GE_ERR_NULL_ARGUMENT, "out_event");
    check_fails(ge_event_create((ge_context *)s, &no_event), GE_ERR_HANDLE_WRONG_KIND, "context");
    check_fails(ge_stream_query(s, NULL), GE_ERR_NULL_ARGUMENT, "out_is_idle");
    check_fails(ge_stream_get_native(s, NULL), GE_ERR_NULL_ARGUMENT, "out_native");
    check_fails(ge_event_query(e, NULL), GE_ERR_NULL_ARGUMENT, "out_is_done");
    check_fails(ge_event_get_elapsed(e, e, NULL), GE_ERR_NULL_ARGUMENT, "out_ns");
    check_fails(ge_event_record(e, (ge_stream *)e), GE_ERR_HANDLE_WRONG_KIND, "stream");
    check_fails(ge_stream_wait_event(s, (ge_event *)s), GE_ERR_HANDLE_WRONG_KIND, "event");
    check_ok(ge_stream_destroy(s));
    check_ok(ge_stream_destroy(NULL));
    check_ok(ge_event_destroy(e));
    check_ok(ge_event_destroy(NULL));
    check_fails(ge_stream_destroy(s), GE_ERR_HANDLE_STALE, "stream");
    check_fails(ge_stream_sync(s, -1), GE_ERR_HANDLE_STALE, "stream");
    check_fails(ge_stream_query(s, &flag), GE_ERR_HANDLE_STALE, "stream");
    check_fails(ge_stream_get_native(s, &first), GE_ERR_HANDLE_STALE, "stream");
    check_fails(ge_stream_wait_event(s, e), GE_ERR_HANDLE_STALE, "stream");
    check_fails(ge_event_destroy(e), GE_ERR_HANDLE_STALE, "event");
    check_fails(ge_event_sync(e, -1), GE_ERR_HANDLE_STALE, "event");
    check_fails(ge_event_query(e, &flag), GE_ERR_HANDLE_STALE, "event");
    check_fails(ge_event_record(e, other), GE_ERR_HANDLE_STALE, "event");
    check_fails(ge_event_get_elapsed(e, e, &ns), GE_ERR_HANDLE_STALE, "first");
    check_ok(ge_stream_destroy(other));
    check_ok(ge_context_destroy(context));
    check_all_gone_soon(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_runs_in_order),
        cmocka_unit_test(events_order_streams),
        cmocka_unit_test(what_is_not_done_says_so),
        cmocka_unit_test(a_failed_run_does_not_stop_the_stream),
        cmocka_unit_test(a_binding_runs_on_a_stream),
        cmocka_unit_test(what_is_on_a_destroyed_stream_still_runs),
        cmocka_unit_test(streams_of_several_threads_wait_for_each_other),
        cmocka_unit_test(a_callback_may_not_wait_for_its_stream),
        cmocka_unit_test(branches_of_a_graph_are_streams),
        cmocka_unit_test(handles_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
