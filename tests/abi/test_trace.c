/* SPDX-License-Identifier: Apache-2.0 */
/* Times of steps, and what a context records while it is told to. */
#include "async_test.h"

enum { N = 64, N_STEPS = 3 };

static void steps_are_timed_on_request(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = power_model(NULL, N, N_STEPS);
    ge_value *in = diagonal(NULL, N, 1);
    ge_step_info steps[8];
    ge_binding *b;
    ge_operation *op;
    size_t n = 9;
    check_ok(ge_binding_create(model, &b));
    check_ok(ge_binding_set_input(b, 0, in));
    check_ok(ge_binding_run(b, NULL));
    check_fails(ge_binding_get_step_infos(b, NULL, 0, sizeof steps[0], &n), GE_ERR_WRONG_STATE, NULL);
    check_fails(ge_binding_set_profiling(b, 2), GE_ERR_INVALID_ARGUMENT, "is_on");
    check_ok(ge_binding_set_profiling(b, 1));
    for (int by_itself = 0; by_itself < 2; by_itself++) {
        int64_t begin = clock_ns();
        if (by_itself) {
            check_ok(ge_binding_run_async(b, NULL, NULL, &op));
            check_ok(ge_operation_wait(op, -1));
            check_ok(ge_operation_destroy(op));
        } else {
            check_ok(ge_binding_run(b, NULL));
        }
        uint64_t run_ns = (uint64_t)(clock_ns() - begin), sum = 0, last = 0;
        check_ok(ge_binding_get_step_infos(b, NULL, 0, sizeof steps[0], &n));
        assert_int_equal(n, N_STEPS);
        check_fails(ge_binding_get_step_infos(b, steps, 2, sizeof steps[0], &n), GE_ERR_BUFFER_TOO_SMALL, "infos");
        check_ok(ge_binding_get_step_infos(b, steps, 8, sizeof steps[0], &n));
        for (size_t i = 0; i < n; i++) {
            assert_true(steps[i].node && steps[i].node[0]);
            assert_string_equal(steps[i].op_type, "MatMulV2");
            assert_true(steps[i].kernel && steps[i].kernel[0]);
            assert_true(steps[i].duration_ns > 0 && steps[i].start_ns >= last);
            assert_int_equal(steps[i].read_bytes, 2 * N * N * 4);
            assert_int_equal(steps[i].written_bytes, N * N * 4);
            assert_true(steps[i].threads >= 1);
            last = steps[i].start_ns + steps[i].duration_ns;
            sum += steps[i].duration_ns;
        }
        assert_true(sum <= run_ns && last <= run_ns);
    }
    check_ok(ge_binding_set_profiling(b, 0));
    check_ok(ge_binding_run(b, NULL));
    check_fails(ge_binding_get_step_infos(b, NULL, 0, sizeof steps[0], &n), GE_ERR_WRONG_STATE, NULL);
    check_fails(ge_binding_get_step_infos(b, NULL, 0, 8, &n), GE_ERR_INVALID_STRUCT_SIZE, "info_size");
    check_fails(ge_binding_get_step_infos(b, NULL, 0, sizeof steps[0], NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_binding_set_profiling(NULL, 1), GE_ERR_HANDLE_NULL, "binding");
    check_ok(ge_binding_destroy(b));
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
    check_all_gone_soon(before);
}

static void a_busy_binding_is_not_profiled(void **state) {
    (void)state;
    ge_model *model = long_model(NULL);
    ge_value *in = diagonal(NULL, 256, 1);
    ge_binding *b;
    ge_operation *op;
    size_t n;
    check_ok(ge_binding_create(model, &b));
    check_ok(ge_binding_set_input(b, 0, in));
    check_ok(ge_binding_set_profiling(b, 1));
    check_ok(ge_binding_run_async(b, NULL, NULL, &op));
    check_fails(ge_binding_set_profiling(b, 0), GE_ERR_WRONG_STATE, "binding");
    check_fails(ge_binding_get_step_infos(b, NULL, 0, sizeof(ge_step_info), &n), GE_ERR_WRONG_STATE, "binding");
    check_ok(ge_operation_cancel(op));
    check_ok(ge_operation_wait(op, -1));
    check_fails(ge_binding_get_step_infos(b, NULL, 0, sizeof(ge_step_info), &n), GE_ERR_WRONG_STATE, NULL); /* it failed */
    check_ok(ge_operation_destroy(op));
    check_ok(ge_binding_destroy(b));
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
}

/* ---- trace ---- */

typedef struct text {
    char *bytes;
    size_t size;
    int ended;
    ge_status answer;
} text;

static ge_status append(void *user, const uint8_t *data, size_t size) {
    text *t = user;
    t->bytes = realloc(t->bytes, t->size + size + 1);
    memcpy(t->bytes + t->size, data, size);
    t->size += size;
    t->bytes[t->size] = 0;
    return t->answer;
}
static void end_text(void *user) { ((text *)user)->ended++; }

static int count_of(const char *where, const char *what) {
    int n = 0;
    for (const char *at = where; (at = strstr(at, what)) != NULL; at += strlen(what)) n++;
    return n;
}

/* Brackets and quotes close where they have to: enough to see that no part is missing. */
static bool is_balanced(const char *json) {
    char open[64];
    int depth = 0;
    bool in_text = false;
    for (const char *c = json; *c; c++) {
        if (in_text) {
            if (*c == '\\') c++;
            else in_text = *c != '"';
        } else if (*c == '"') {
            in_text = true;
        } else if (*c == '{' || *c == '[') {
            if (depth == 64) return false;
            open[depth++] = *c == '{' ? '}' : ']';
        } else if (*c == '}' || *c == ']') {
            if (depth == 0 || open[--depth] != *c) return false;
        }
    }
    return depth == 0 && !in_text;
}

static void a_context_records_what_its_threads_do(void **state) {
    (void)state;
    ge_context *context;
    text t = { 0 }, second = { 0 };
    ge_operation *op;
    ge_value *out;
    check_ok(ge_context_create(NULL, &context));
    check_fails(ge_context_end_trace(context, append, &t, end_text), GE_ERR_WRONG_STATE, "context");
    assert_int_equal(t.ended, 1);
    check_ok(ge_context_begin_trace(context));
    check_fails(ge_context_begin_trace(context), GE_ERR_WRONG_STATE, "context");
    ge_model *model = power_model(context, N, N_STEPS);
    ge_value *in = diagonal(context, N, 1);
    const ge_value *ins[] = { in };
    check_ok(ge_model_run(model, NULL, ins, 1, &out, 1));
    check_ok(ge_value_destroy(out));
    check_ok(ge_model_run_async(model, NULL, NULL, ins, 1, &op));
    check_ok(ge_operation_wait(op, -1));
    check_ok(ge_operation_destroy(op));
    check_ok(ge_model_destroy(model)); /* names are copied */
    check_ok(ge_context_end_trace(context, append, &t, end_text));
    assert_int_equal(t.ended, 2);
    assert_true(is_balanced(t.bytes));
    assert_non_null(strstr(t.bytes, "\"traceEvents\":["));
    assert_int_equal(count_of(t.bytes, "\"cat\":\"step\""), 2 * N_STEPS);
    assert_int_equal(count_of(t.bytes, "\"cat\":\"run\""), 2);
    assert_int_equal(count_of(t.bytes, "\"cat\":\"compile\""), 1);
    assert_int_equal(count_of(t.bytes, "\"cat\":\"wait\""), 1);
    assert_non_null(strstr(t.bytes, "\"op\":\"MatMulV2\""));
    assert_non_null(strstr(t.bytes, "\"lost\":0"));
    /* The next one begins empty; a writer that fails ends it too. */
    check_ok(ge_context_begin_trace(context));
    second.answer = GE_ERR_CALLBACK + 7;
    check_fails(ge_context_end_trace(context, append, &second, end_text), GE_ERR_CALLBACK + 7, NULL);
    assert_int_equal(count_of(second.bytes, "\"cat\""), 0);
    check_ok(ge_context_begin_trace(context));
    check_fails(ge_context_end_trace(context, NULL, NULL, NULL), GE_ERR_NULL_ARGUMENT, "write");
    check_fails(ge_context_begin_trace(FOREIGN_HANDLE), GE_ERR_HANDLE_FOREIGN, "context");
    check_ok(ge_value_destroy(in));
    check_ok(ge_context_destroy(context)); /* still recording */
    free(t.bytes);
    free(second.bytes);
}

/* ---- begun, ended and used at the same time ---- */

static struct {
    ge_context *context;
    ge_model *model;
    ge_value *in;
    _Atomic bool stop;
    _Atomic uint32_t n_wrong;
} shared;

static void *keep_running(void *arg) {
    const ge_value *ins[] = { shared.in };
    (void)arg;
    while (!atomic_load(&shared.stop)) {
        ge_value *out = NULL;
        if (ge_model_run(shared.model, NULL, ins, 1, &out, 1) != GE_OK || ge_value_destroy(out) != GE_OK) atomic_fetch_add(&shared.n_wrong, 1);
    }
    return NULL;
}

static void recording_starts_and_ends_during_runs(void **state) {
    (void)state;
    pthread_t threads[3];
    check_ok(ge_context_create(NULL, &shared.context));
    shared.model = power_model(shared.context, N, N_STEPS);
    shared.in = diagonal(shared.context, N, 1);
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, keep_running, NULL), 0);
    for (int i = 0; i < 20; i++) {
        text t = { 0 };
        check_ok(ge_context_begin_trace(shared.context));
        usleep(2000);
        check_ok(ge_context_end_trace(shared.context, append, &t, end_text));
        assert_true(is_balanced(t.bytes));
        free(t.bytes);
    }
    atomic_store(&shared.stop, true);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&shared.n_wrong), 0);
    check_ok(ge_model_destroy(shared.model));
    check_ok(ge_value_destroy(shared.in));
    check_ok(ge_context_destroy(shared.context));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_timed_on_request),
        cmocka_unit_test(a_busy_binding_is_not_profiled),
        cmocka_unit_test(a_context_records_what_its_threads_do),
        cmocka_unit_test(recording_starts_and_ends_during_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
