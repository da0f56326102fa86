/* SPDX-License-Identifier: Apache-2.0 */
/* Operations and queues: each way to learn of a completion, cancel, deadlines, misuse. */
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "async_test.h"

typedef struct fixture {
    ge_model *model, *slow; /* x^4 of 2 rows; one to be cancelled */
    ge_value *in, *big;
    uint64_t objects;
} fixture;

static fixture open_fixture(void) {
    fixture f = { .objects = live_objects() };
    f.model = power_model(NULL, 2, 3);
    f.slow = long_model(NULL);
    f.in = diagonal(NULL, 2, 2);
    f.big = diagonal(NULL, 256, 1);
    return f;
}

static void close_fixture(fixture *f) {
    check_ok(ge_model_destroy(f->model));
    check_ok(ge_model_destroy(f->slow));
    check_ok(ge_value_destroy(f->in));
    check_ok(ge_value_destroy(f->big));
    check_all_gone_soon(f->objects);
}

static ge_operation *start(const ge_model *model, const ge_value *in, const ge_async_options *how) {
    const ge_value *ins[] = { in };
    ge_operation *op = NULL;
    check_ok(ge_model_run_async(model, NULL, how, ins, 1, &op));
    assert_non_null(op);
    return op;
}

/* ---- ways to learn of it ---- */

static void a_run_can_be_waited_for(void **state) {
    (void)state;
    fixture f = open_fixture();
    ge_operation *op = start(f.model, f.in, NULL);
    ge_error *error = FOREIGN_HANDLE;
    size_t n = 0;
    check_ok(ge_operation_wait(op, -1));
    check_ok(ge_operation_wait(op, 0)); /* again */
    assert_int_equal(status_of(op), GE_OK);
    check_ok(ge_operation_acquire_error(op, &error));
    assert_null(error);
    check_ok(ge_operation_get_outputs(op, NULL, 0, &n));
    assert_int_equal(n, 1);
    assert_true(result_of(op) == 16);
    assert_true(result_of(op) == 16);
    check_ok(ge_operation_cancel(op)); /* too late: nothing changes */
    assert_int_equal(status_of(op), GE_OK);
    check_ok(ge_operation_destroy(op));
    close_fixture(&f);
}

static void inputs_are_let_go_before_the_completion(void **state) {
    (void)state;
    fixture f = open_fixture();
    float data[] = { 3, 0, 0, 3 };
    const int64_t dims[] = { 2, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    calls seen = { 0 };
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *tensor;
    ge_value *value;
    memory.data = (uint8_t *)data;
    memory.data_size = sizeof data;
    memory.user_data = &seen;
    memory.destroy = on_end;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    ge_operation *op = start(f.model, value, NULL);
    check_ok(ge_value_destroy(value)); /* the operation keeps it */
    check_ok(ge_operation_wait(op, -1));
    assert_int_equal(atomic_load(&seen.destroyed), 1);
    assert_true(result_of(op) == 81);
    check_ok(ge_operation_destroy(op));
    close_fixture(&f);
}

static void completions_arrive_in_a_queue(void **state) {
    (void)state;
    fixture f = open_fixture();
    enum { N = 100 };
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_completion got[7];
    bool seen[N] = { false };
    ge_queue *q;
    size_t n = 1, total = 0;
    int32_t fd = -1;
    check_ok(ge_queue_create(NULL, &q));
    check_fails(ge_queue_wait(q, got, 7, sizeof got[0], 0, &n), GE_ERR_TIMEOUT, NULL);
    check_fails(ge_queue_wait(q, got, 7, sizeof got[0], 1000000, &n), GE_ERR_TIMEOUT, NULL);
    assert_int_equal(n, 0);
    check_ok(ge_queue_get_descriptor(q, &fd));
    struct pollfd p = { .fd = fd, .events = POLLIN };
    assert_int_equal(poll(&p, 1, 0), 0);
    how.queue = q;
    for (how.tag = 0; how.tag < N; how.tag++) check_ok(ge_operation_destroy(start(f.model, f.in, &how))); /* nobody but the queue */
    assert_int_equal(poll(&p, 1, 20000), 1);
    while (total < N) {
        check_ok(ge_queue_wait(q, got, 7, sizeof got[0], 20 * one_s, &n));
        assert_in_range(n, 1, 7);
        for (size_t i = 0; i < n; i++, total++) {
            assert_int_equal(got[i].status, GE_OK);
            assert_int_equal(got[i].struct_size, sizeof got[i]);
            assert_true(got[i].tag < N && !seen[got[i].tag]);
            seen[got[i].tag] = true;
        }
    }
    assert_int_equal(poll(&p, 1, 0), 0); /* empty again */
    check_ok(ge_queue_destroy(q));
    close_fixture(&f);
}

static void a_callback_is_called_once(void **state) {
    (void)state;
    fixture f = open_fixture();
    calls seen;
    ge_async_options how = calling(&seen, 77);
    ge_operation *op = start(f.model, f.in, &how);
    wait_for(&seen.destroyed, 1);
    assert_int_equal(atomic_load(&seen.completed), 1);
    assert_int_equal(atomic_load(&seen.tag), 77);
    assert_int_equal(atomic_load(&seen.status), GE_OK);
    check_ok(ge_operation_destroy(op));
    close_fixture(&f);
}

typedef struct self {
    ge_operation *_Atomic op;
    ge_model *model;
    ge_value *in;
    ge_queue *queue;
    calls seen;
    _Atomic int failures;
} self;

/* Inside a callback: what waits is refused, what does not works, and the operation may be destroyed. */
static void busy_callback(void *user, uint64_t tag, ge_status status) {
    self *s = user;
    const ge_value *ins[] = { s->in };
    ge_operation *op, *other = NULL;
    ge_value *out = NULL;
    ge_completion got;
    size_t n;
    while (!(op = atomic_load(&s->op))) usleep(100);
    int bad = status != GE_OK;
    bad += ge_operation_wait(op, -1) != GE_OK; /* it is done */
    bad += ge_model_run(s->model, NULL, ins, 1, &out, 1) != GE_OK || ge_value_destroy(out) != GE_OK;
    bad += ge_model_run_async(s->model, NULL, NULL, ins, 1, &other) != GE_OK;
    ge_status st = ge_operation_wait(other, one_s);
    bad += st != GE_OK && st != GE_ERR_REENTRANT;
    bad += ge_queue_wait(s->queue, &got, 1, sizeof got, -1, &n) != GE_ERR_REENTRANT;
    bad += ge_operation_destroy(other) != GE_OK || ge_operation_destroy(op) != GE_OK;
    atomic_store(&s->failures, bad);
    on_complete(&s->seen, tag, status);
}
static void end_self(void *user) { on_end(&((self *)user)->seen); }

static void a_callback_may_destroy_and_may_not_wait(void **state) {
    (void)state;
    fixture f = open_fixture();
    self s = { .model = f.model, .in = f.in };
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_operation *op;
    const ge_value *ins[] = { f.in };
    check_ok(ge_queue_create(NULL, &s.queue));
    how.complete = busy_callback;
    how.user_data = &s;
    how.destroy = end_self;
    check_ok(ge_model_run_async(f.model, NULL, &how, ins, 1, &op));
    atomic_store(&s.op, op);
    wait_for(&s.seen.destroyed, 1);
    assert_int_equal(atomic_load(&s.failures), 0);
    check_fails(ge_operation_destroy(op), GE_ERR_HANDLE_STALE, "operation");
    check_ok(ge_queue_destroy(s.queue));
    close_fixture(&f);
}

/* A callback that must wait asks for it in a record of its own: the two calls that a test has to see fail. */
static void waits_of(void *user, uint64_t tag, ge_status status) {
    self *s = user;
    (void)tag, (void)status;
    ge_operation *op;
    ge_completion got;
    size_t n;
    while (!(op = atomic_load(&s->op))) usleep(100);
    int bad = ge_operation_wait(op, one_s) != GE_ERR_REENTRANT;
    bad += ge_operation_wait(op, 0) != GE_ERR_TIMEOUT;
    bad += ge_queue_wait(s->queue, &got, 1, sizeof got, one_s, &n) != GE_ERR_REENTRANT;
    bad += ge_queue_wait(s->queue, &got, 1, sizeof got, 0, &n) != GE_ERR_TIMEOUT;
    atomic_store(&s->failures, bad);
}

static void waiting_inside_a_callback_is_refused(void **state) {
    (void)state;
    fixture f = open_fixture();
    self s = { .op = NULL };
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    check_ok(ge_queue_create(NULL, &s.queue));
    how.complete = waits_of;
    how.user_data = &s;
    how.destroy = end_self;
    ge_operation *slow = start(f.slow, f.big, NULL);
    atomic_store(&s.op, slow);
    ge_operation *op = start(f.model, f.in, &how);
    check_ok(ge_operation_cancel(slow)); /* with one worker the other run waits for this one */
    wait_for(&s.seen.destroyed, 1);
    check_ok(ge_operation_destroy(op));
    check_ok(ge_operation_wait(slow, -1));
    check_ok(ge_operation_destroy(slow));
    check_ok(ge_queue_destroy(s.queue));
    close_fixture(&f);
}

/* ---- cancel and deadline ---- */

static void a_cancelled_run_completes_early(void **state) {
    (void)state;
    fixture f = open_fixture();
    ge_error *error;
    ge_error_info info;
    ge_status st = GE_ERR_INTERNAL;
    size_t n;
    ge_operation *op = start(f.slow, f.big, NULL);
    check_fails(ge_operation_wait(op, 0), GE_ERR_TIMEOUT, NULL);
    check_fails(ge_operation_wait(op, 2000000), GE_ERR_TIMEOUT, NULL);
    check_fails(ge_operation_get_status(op, &st), GE_ERR_WRONG_STATE, "operation");
    check_fails(ge_operation_acquire_error(op, &error), GE_ERR_WRONG_STATE, "operation");
    check_fails(ge_operation_get_outputs(op, NULL, 0, &n), GE_ERR_WRONG_STATE, "operation");
    check_ok(ge_operation_cancel(op));
    check_ok(ge_operation_cancel(op));
    check_ok(ge_operation_wait(op, 20 * one_s));
    assert_int_equal(status_of(op), GE_ERR_CANCELLED);
    check_ok(ge_operation_acquire_error(op, &error));
    check_ok(ge_error_get_info(error, &info, sizeof info));
    assert_int_equal(info.status, GE_ERR_CANCELLED);
    assert_string_equal(info.function_name, "ge_model_run_async");
    assert_non_null(strstr(info.message, "cancelled"));
    check_ok(ge_error_release(error));
    check_fails(ge_operation_get_outputs(op, NULL, 0, &n), GE_ERR_WRONG_STATE, "operation");
    check_ok(ge_operation_destroy(op));
    op = start(f.model, f.in, NULL); /* the next run knows nothing of it */
    check_ok(ge_operation_wait(op, -1));
    assert_int_equal(status_of(op), GE_OK);
    check_ok(ge_operation_destroy(op));
    close_fixture(&f);
}

static void a_deadline_ends_a_run(void **state) {
    (void)state;
    fixture f = open_fixture();
    const ge_value *ins[] = { f.big };
    ge_run_options how = GE_RUN_OPTIONS_INIT;
    ge_operation *op;
    for (int i = 0; i < 2; i++) { /* in the middle; before it began */
        how.deadline_ns = i == 0 ? clock_ns() + 3000000 : 1;
        check_ok(ge_model_run_async(f.slow, &how, NULL, ins, 1, &op));
        check_ok(ge_operation_wait(op, 20 * one_s));
        assert_int_equal(status_of(op), GE_ERR_DEADLINE);
        check_ok(ge_operation_destroy(op));
    }
    close_fixture(&f);
}

/* ---- bindings ---- */

static void a_binding_runs_by_itself(void **state) {
    (void)state;
    fixture f = open_fixture();
    ge_binding *b;
    ge_operation *op;
    ge_value *shown;
    check_ok(ge_binding_create(f.model, &b));
    check_fails(ge_binding_run_async(b, NULL, NULL, &op), GE_ERR_NOT_BOUND, NULL);
    assert_null(op);
    check_ok(ge_binding_set_input(b, 0, f.in));
    for (int i = 0; i < 20; i++) {
        check_ok(ge_binding_run_async(b, NULL, NULL, &op));
        check_ok(ge_operation_wait(op, -1));
        check_ok(ge_binding_get_output(b, 0, &shown)); /* free again as soon as it is done */
        assert_true(first_number(shown) == 16);
        assert_true(result_of(op) == 16);
        check_ok(ge_operation_destroy(op));
    }
    check_ok(ge_binding_set_output(b, 0, f.in)); /* the input itself */
    check_fails(ge_binding_run_async(b, NULL, NULL, &op), GE_ERR_OVERLAP, NULL);
    check_ok(ge_binding_destroy(b));
    close_fixture(&f);
}

/* Shapes that belong together are compared when the run starts, not later on a worker. */
static void a_binding_that_does_not_fit_does_not_start(void **state) {
    (void)state;
    const int64_t free_dims[] = { -1, 2 }, dims[] = { 3, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, free_dims);
    ge_value *in = diagonal(NULL, 2, 1), *out;
    ge_builder *b;
    ge_graph *graph;
    ge_model *model;
    ge_binding *binding;
    ge_operation *op = FOREIGN_HANDLE;
    ge_tensor *tensor;
    ge_value_id x, y;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y = add_op(b, "Relu", NULL, x, 0, NULL);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(ge_graph_destroy(graph));
    desc.dims = dims;
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &out));
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_binding_set_input(binding, 0, in));
    check_ok(ge_binding_set_output(binding, 0, out));
    check_fails(ge_binding_run_async(binding, NULL, NULL, &op), GE_ERR_SHAPE, NULL);
    assert_null(op);
    check_ok(ge_binding_set_output(binding, 0, NULL));
    check_ok(ge_binding_run_async(binding, NULL, NULL, &op));
    check_ok(ge_operation_wait(op, -1));
    check_ok(ge_operation_destroy(op));
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(in));
    check_ok(ge_value_destroy(out));
    check_ok(ge_model_destroy(model));
}

static void a_running_binding_is_busy_and_may_be_destroyed(void **state) {
    (void)state;
    fixture f = open_fixture();
    calls seen, unused;
    ge_async_options how = calling(&seen, 1), again = calling(&unused, 2);
    ge_binding *b;
    ge_operation *op, *second = FOREIGN_HANDLE;
    ge_value *shown;
    check_ok(ge_binding_create(f.slow, &b));
    check_ok(ge_binding_set_input(b, 0, f.big));
    check_ok(ge_binding_run_async(b, NULL, &how, &op));
    check_fails(ge_binding_run_async(b, NULL, &again, &second), GE_ERR_WRONG_STATE, "binding");
    assert_null(second);
    assert_int_equal(atomic_load(&unused.destroyed), 1); /* the triple ends, the callback is not called */
    assert_int_equal(atomic_load(&unused.completed), 0);
    check_fails(ge_binding_run(b, NULL), GE_ERR_REENTRANT, "binding");
    check_fails(ge_binding_set_input(b, 0, NULL), GE_ERR_WRONG_STATE, "binding");
    check_fails(ge_binding_set_output(b, 0, NULL), GE_ERR_WRONG_STATE, "binding");
    check_fails(ge_binding_set_state(b, NULL), GE_ERR_WRONG_STATE, "binding");
    check_fails(ge_binding_get_output(b, 0, &shown), GE_ERR_WRONG_STATE, "binding");
    check_ok(ge_binding_destroy(b));
    check_ok(ge_operation_cancel(op));
    wait_for(&seen.destroyed, 1);
    assert_int_equal(atomic_load(&seen.status), GE_ERR_CANCELLED);
    check_ok(ge_operation_destroy(op));
    close_fixture(&f);
}

/* ---- destroyed early ---- */

static void what_a_run_uses_may_be_destroyed(void **state) {
    (void)state;
    fixture f = open_fixture();
    ge_context *context;
    calls seen;
    ge_async_options how = calling(&seen, 5);
    check_ok(ge_context_create(NULL, &context));
    ge_model *model = power_model(context, 2, 3);
    ge_value *in = diagonal(context, 2, 2);
    ge_queue *q;
    check_ok(ge_queue_create(context, &q));
    how.queue = q;
    ge_operation *op = start(model, in, &how);
    check_ok(ge_queue_destroy(q)); /* it completes without the queue */
    check_ok(ge_context_destroy(context));
    check_ok(ge_model_destroy(model));
    check_ok(ge_value_destroy(in));
    check_ok(ge_operation_destroy(op));
    wait_for(&seen.destroyed, 1);
    assert_int_equal(atomic_load(&seen.completed), 1);
    assert_int_equal(atomic_load(&seen.status), GE_OK);
    close_fixture(&f);
}

typedef struct sleeper {
    const ge_queue *queue;
    const ge_operation *operation;
    ge_status status;
    bool is_fine;
} sleeper;

static bool one_of(ge_status st, ge_status first, ge_status second) { return st == first || st == second; }

static void *sleep_at_queue(void *arg) {
    sleeper *s = arg;
    ge_completion got;
    size_t n;
    /* one that comes too late finds no queue at all */
    s->is_fine = one_of(ge_queue_wait(s->queue, &got, 1, sizeof got, -1, &n), GE_ERR_HANDLE_CLOSED, GE_ERR_HANDLE_STALE);
    return NULL;
}
static void *sleep_at_operation(void *arg) {
    sleeper *s = arg;
    s->status = ge_operation_wait(s->operation, -1);
    return NULL;
}

static void waiters_of_a_destroyed_queue_return(void **state) {
    (void)state;
    ge_queue *q;
    pthread_t threads[3];
    sleeper sleepers[3];
    check_ok(ge_queue_create(NULL, &q));
    for (int i = 0; i < 3; i++) {
        sleepers[i] = (sleeper){ .queue = q };
        pthread_create(&threads[i], NULL, sleep_at_queue, &sleepers[i]);
    }
    usleep(20000);
    check_ok(ge_queue_destroy(q));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++) assert_true(sleepers[i].is_fine);
}

static void waiters_outlive_the_handle(void **state) {
    (void)state;
    fixture f = open_fixture();
    ge_operation *op = start(f.slow, f.big, NULL);
    sleeper s = { .operation = op };
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_at_operation, &s);
    usleep(5000);
    check_ok(ge_operation_cancel(op));
    check_ok(ge_operation_destroy(op));
    pthread_join(thread, NULL);
    assert_true(s.status == GE_OK || s.status == GE_ERR_HANDLE_STALE);
    close_fixture(&f);
}

/* ---- misuse ---- */

static void starts_that_fail_keep_nothing(void **state) {
    (void)state;
    fixture f = open_fixture();
    const ge_value *ins[] = { f.in, f.in }, *none[] = { NULL }, *wrong[] = { f.big }, *ids[] = { NULL };
    ge_context *context;
    ge_queue *q;
    ge_tensor *tensor;
    ge_value *flat, *ints;
    calls seen;
    ge_async_options how = calling(&seen, 0);
    ge_operation *op = FOREIGN_HANDLE;
    const int64_t dims[] = { 2, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_INT32, 2, dims);
    int ended = 0;
    tensor = two_floats(NULL);
    check_ok(ge_value_create_from_tensor(tensor, &flat));
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &ints));
    check_ok(ge_tensor_destroy(tensor));
    check_fails(ge_model_run_async(NULL, NULL, &how, ins, 1, &op), GE_ERR_HANDLE_NULL, "model");
    assert_null(op);
    assert_int_equal(atomic_load(&seen.destroyed), ++ended);
    check_fails(ge_model_run_async(f.model, NULL, &how, ins, 1, NULL), GE_ERR_NULL_ARGUMENT, "out_operation");
    check_fails(ge_model_run_async(f.model, NULL, &how, NULL, 1, &op), GE_ERR_NULL_ARGUMENT, "inputs");
    check_fails(ge_model_run_async(f.model, NULL, &how, ins, 2, &op), GE_ERR_OUT_OF_RANGE, "inputs_count");
    check_fails(ge_model_run_async(f.model, NULL, &how, none, 1, &op), GE_ERR_NOT_BOUND, "inputs");
    check_fails(ge_model_run_async(f.model, NULL, &how, wrong, 1, &op), GE_ERR_SHAPE, NULL);
    ids[0] = flat;
    check_fails(ge_model_run_async(f.model, NULL, &how, ids, 1, &op), GE_ERR_RANK, NULL);
    ids[0] = ints;
    check_fails(ge_model_run_async(f.model, NULL, &how, ids, 1, &op), GE_ERR_DTYPE, NULL);
    ids[0] = (const ge_value *)f.model;
    check_fails(ge_model_run_async(f.model, NULL, &how, ids, 1, &op), GE_ERR_HANDLE_WRONG_KIND, "inputs");
    ended += 8;
    assert_int_equal(atomic_load(&seen.destroyed), ended);
    check_ok(ge_context_create(NULL, &context));
    check_ok(ge_queue_create(context, &q));
    how.queue = q;
    check_fails(ge_model_run_async(f.model, NULL, &how, ins, 1, &op), GE_ERR_HANDLE_OTHER_CONTEXT, "async_options");
    check_ok(ge_queue_destroy(q));
    check_fails(ge_model_run_async(f.model, NULL, &how, ins, 1, &op), GE_ERR_HANDLE_STALE, "async_options");
    how.queue = FOREIGN_HANDLE;
    check_fails(ge_model_run_async(f.model, NULL, &how, ins, 1, &op), GE_ERR_HANDLE_FOREIGN, "async_options");
    how.queue = NULL;
    how.reserved_flags = 1;
    check_fails(ge_model_run_async(f.model, NULL, &how, ins, 1, &op), GE_ERR_INVALID_FLAG, "async_options");
    assert_int_equal(atomic_load(&seen.destroyed), ended + 3); /* a struct that cannot be read holds no triple */
    assert_int_equal(atomic_load(&seen.completed), 0);
    check_ok(ge_context_destroy(context));
    check_ok(ge_value_destroy(flat));
    check_ok(ge_value_destroy(ints));
    close_fixture(&f);
}

static void handles_are_checked(void **state) {
    (void)state;
    fixture f = open_fixture();
    ge_status st;
    ge_error *error;
    size_t n;
    int32_t fd;
    ge_completion got;
    ge_queue *q;
    ge_operation *op = start(f.model, f.in, NULL);
    check_ok(ge_operation_wait(op, -1));
    check_fails(ge_operation_get_status(op, NULL), GE_ERR_NULL_ARGUMENT, "out_status");
    check_fails(ge_operation_acquire_error(op, NULL), GE_ERR_NULL_ARGUMENT, "out_error");
    check_fails(ge_operation_get_outputs(op, NULL, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_operation_get_outputs(op, NULL, 1, &n), GE_ERR_NULL_ARGUMENT, "outputs");
    check_ok(ge_operation_destroy(op));
    check_ok(ge_operation_destroy(NULL));
    check_fails(ge_operation_wait(op, -1), GE_ERR_HANDLE_STALE, "operation");
    check_fails(ge_operation_cancel(op), GE_ERR_HANDLE_STALE, "operation");
    check_fails(ge_operation_get_status(op, &st), GE_ERR_HANDLE_STALE, "operation");
    check_fails(ge_operation_acquire_error(op, &error), GE_ERR_HANDLE_STALE, "operation");
    check_fails(ge_operation_get_outputs(op, NULL, 0, &n), GE_ERR_HANDLE_STALE, "operation");
    check_fails(ge_operation_destroy(op), GE_ERR_HANDLE_STALE, "operation");
    check_fails(ge_queue_create(FOREIGN_HANDLE, &q), GE_ERR_HANDLE_FOREIGN, "context");
    check_fails(ge_queue_create(NULL, NULL), GE_ERR_NULL_ARGUMENT, "out_queue");
    check_ok(ge_queue_create(NULL, &q));
    check_fails(ge_queue_wait(q, NULL, 1, sizeof got, 0, &n), GE_ERR_NULL_ARGUMENT, "completions");
    check_fails(ge_queue_wait(q, &got, 1, sizeof got, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_queue_wait(q, &got, 1, 4, 0, &n), GE_ERR_INVALID_STRUCT_SIZE, "completion_size");
    check_fails(ge_queue_get_descriptor(q, NULL), GE_ERR_NULL_ARGUMENT, "out_descriptor");
    check_ok(ge_queue_destroy(q));
    check_ok(ge_queue_destroy(NULL));
    check_fails(ge_queue_wait(q, &got, 1, sizeof got, -1, &n), GE_ERR_HANDLE_STALE, "queue");
    check_fails(ge_queue_get_descriptor(q, &fd), GE_ERR_HANDLE_STALE, "queue");
    check_fails(ge_queue_destroy(q), GE_ERR_HANDLE_STALE, "queue");
    close_fixture(&f);
}

/* ---- odd processes; each in a child ---- */

#define MUST(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                       \
        }                                                                   \
    } while (0)

static void in_child(void (*body)(void)) {
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        body();
        _exit(0);
    }
    int how = -1;
    assert_true(child > 0 && waitpid(child, &how, 0) == child);
    assert_int_equal(how, 0);
}

static void without_threads(void) {
    ge_model *model = power_model(NULL, 2, 3);
    ge_value *in = diagonal(NULL, 2, 2);
    const ge_value *ins[] = { in };
    ge_operation *op = FOREIGN_HANDLE;
    struct rlimit none = { 0, 0 };
    calls seen;
    ge_async_options how = calling(&seen, 0);
    MUST(setrlimit(RLIMIT_NPROC, &none) == 0);
    if (geteuid() == 0) MUST(setresuid(65534, 65534, 65534) == 0);
    MUST(ge_model_run_async(model, NULL, &how, ins, 1, &op) == GE_ERR_THREAD);
    MUST(op == NULL && atomic_load(&seen.destroyed) == 1 && atomic_load(&seen.completed) == 0);
    ge_binding *b;
    MUST(ge_binding_create(model, &b) == GE_OK && ge_binding_set_input(b, 0, in) == GE_OK);
    MUST(ge_binding_run_async(b, NULL, NULL, &op) == GE_ERR_THREAD);
    MUST(ge_binding_run(b, NULL) == GE_OK); /* not left busy */
}
static void without_descriptors(void) {
    struct rlimit none = { 0, 0 };
    ge_queue *q;
    int32_t fd = 5;
    MUST(ge_queue_create(NULL, &q) == GE_OK);
    MUST(setrlimit(RLIMIT_NOFILE, &none) == 0);
    MUST(ge_queue_get_descriptor(q, &fd) == GE_ERR_FILE);
    MUST(fd == -1);
}
static void thread_and_descriptor_limits_are_errors(void **state) {
    (void)state;
    in_child(without_threads);
    in_child(without_descriptors);
}

static void the_child_of_a_fork_gets_an_error(void **state) {
    (void)state;
#if !GE_TEST_TSAN && !GE_TEST_ASAN /* their allocators are left locked in the child, and one refuses threads there */
    fixture f = open_fixture();
    ge_operation *op = start(f.slow, f.big, NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        MUST(ge_operation_wait(op, -1) == GE_ERR_FORKED);
        MUST(ge_operation_cancel(op) == GE_ERR_FORKED);
        MUST(ge_operation_destroy(op) == GE_OK);
        ge_model *model = power_model(NULL, 2, 3);
        ge_value *in = diagonal(NULL, 2, 2);
        const ge_value *ins[] = { in };
        MUST(ge_model_run_async(model, NULL, NULL, ins, 1, &op) == GE_OK);
        MUST(ge_operation_wait(op, 20 * one_s) == GE_OK);
        _exit(0);
    }
    int how = -1;
    assert_true(waitpid(child, &how, 0) == child);
    assert_int_equal(how, 0);
    check_ok(ge_operation_cancel(op));
    check_ok(ge_operation_wait(op, -1));
    check_ok(ge_operation_destroy(op));
    close_fixture(&f);
#endif
}

static void end_in_flight(void) {
    ge_model *slow = long_model(NULL);
    ge_value *big = diagonal(NULL, 256, 1);
    for (int i = 0; i < 20; i++) (void)start(slow, big, NULL);
    usleep(2000);
    exit(0);
}
static void the_process_may_end_with_runs_in_flight(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) in_child(end_in_flight);
}

static void options_have_defaults(void **state) {
    (void)state;
    ge_async_options o, wanted = GE_ASYNC_OPTIONS_INIT;
    memset(&o, 0x5A, sizeof o);
    check_ok(ge_async_options_init(&o, sizeof o));
    assert_memory_equal(&o, &wanted, sizeof o);
    check_fails(ge_async_options_init(NULL, sizeof o), GE_ERR_NULL_ARGUMENT, "options");
}

#if GE_TEST_ASAN
/* Processes that end in the middle of work leave things behind; that is what is tried here. */
__attribute__((visibility("default"))) const char *__asan_default_options(void); /* the run time looks it up by name */
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        /* those in children first: they must find no thread */
        cmocka_unit_test(thread_and_descriptor_limits_are_errors), cmocka_unit_test(the_process_may_end_with_runs_in_flight),
        cmocka_unit_test(a_run_can_be_waited_for), cmocka_unit_test(inputs_are_let_go_before_the_completion),
        cmocka_unit_test(completions_arrive_in_a_queue), cmocka_unit_test(a_callback_is_called_once),
        cmocka_unit_test(a_callback_may_destroy_and_may_not_wait), cmocka_unit_test(waiting_inside_a_callback_is_refused),
        cmocka_unit_test(a_cancelled_run_completes_early), cmocka_unit_test(a_deadline_ends_a_run),
        cmocka_unit_test(a_binding_runs_by_itself), cmocka_unit_test(a_binding_that_does_not_fit_does_not_start),
        cmocka_unit_test(a_running_binding_is_busy_and_may_be_destroyed),
        cmocka_unit_test(what_a_run_uses_may_be_destroyed), cmocka_unit_test(waiters_of_a_destroyed_queue_return),
        cmocka_unit_test(waiters_outlive_the_handle), cmocka_unit_test(starts_that_fail_keep_nothing),
        cmocka_unit_test(handles_are_checked), cmocka_unit_test(the_child_of_a_fork_gets_an_error),
        cmocka_unit_test(options_have_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
