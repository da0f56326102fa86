/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, traces, profiles and shapes that change when memory runs out: each allocation fails in turn, on whatever thread, alone or
 * with all that follow.  A call or a completion says GE_ERR_OUT_OF_MEMORY, nothing is left over, and the model gives right answers after. */
#include <time.h>

#include "unit/ge_test.h"

#include "api/handle.h"

enum { MOST_ROWS = 5 };

static ge_context *context;
static ge_graph *graph;
static ge_model *model;
static ge_value *in[MOST_ROWS + 1]; /* by rows: f32[rows,2] full of -rows */
static bool is_short;               /* some call had no memory */

#define MUST(call) assert_int_equal((call), GE_OK)

/* Whether it went well; if not, for want of memory. */
static bool went_well(ge_status st) {
    ge_error *error;
    if (st == GE_OK) return true;
    assert_int_equal(st, GE_ERR_OUT_OF_MEMORY);
    is_short = true;
    ge_error_take(&error);
    MUST(ge_error_release(error));
    return false;
}

static ge_value_id add_op(ge_builder *b, const char *type, ge_value_id x, ge_value_id y) {
    MUST(ge_builder_begin_op(b, type, GE_NTS, NULL, 0));
    MUST(ge_builder_add_input(b, x));
    if (y) MUST(ge_builder_add_input(b, y));
    MUST(ge_builder_end_op(b, &x, 1, NULL));
    return x;
}

/* y = |x|, and the places where it is not zero: one output planned, one found during the run. */
static void make_graph(void) {
    const int64_t dims[] = { -1, 2 };
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_builder *b;
    ge_value_id x, outputs[2];
    desc.rank = 2;
    desc.dims = dims;
    MUST(ge_builder_create(context, "g", 1, &b));
    MUST(ge_builder_add_graph_input(b, "x", 1, 0, &desc, &x));
    outputs[0] = add_op(b, "Relu", add_op(b, "Neg", x, 0), 0);
    outputs[1] = add_op(b, "NonZero", outputs[0], 0);
    MUST(ge_builder_build(b, outputs, 2, &graph));
    MUST(ge_builder_destroy(b));
}

static ge_status compile(const char *key, const char *value, ge_model **out) {
    ge_compile_options how = GE_COMPILE_OPTIONS_INIT;
    ge_options *options;
    ge_status st = ge_options_create(&options);
    if (st == GE_OK) st = ge_options_set_text(options, "ge.maxShapes", GE_NTS, "2", GE_NTS);
    if (st == GE_OK) st = ge_options_set_text(options, key, GE_NTS, value, GE_NTS);
    how.options = options;
    if (st == GE_OK) st = ge_graph_compile(graph, &how, out);
    MUST(ge_options_destroy(options));
    return st;
}

static void make_all(void) {
    ge_options *options;
    MUST(ge_options_create(&options));
    MUST(ge_options_set_int(options, "ge.threads", GE_NTS, 2));
    MUST(ge_context_create(options, &context));
    MUST(ge_options_destroy(options));
    make_graph();
    MUST(compile("input_shape", "x:1~5,2", &model));
    for (int64_t rows = 1; rows <= MOST_ROWS; rows++) {
        const int64_t dims[] = { rows, 2 };
        float data[MOST_ROWS * 2];
        ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
        ge_tensor *t;
        desc.rank = 2;
        desc.dims = dims;
        for (int64_t i = 0; i < 2 * rows; i++) data[i] = (float)-rows;
        MUST(ge_tensor_create_from_data(context, &desc, (const uint8_t *)data, (size_t)rows * 2 * sizeof(float), &t));
        MUST(ge_value_create_from_tensor(t, &in[rows]));
        MUST(ge_tensor_destroy(t));
    }
}

static void drop_all(void) {
    for (int rows = 1; rows <= MOST_ROWS; rows++) MUST(ge_value_destroy(in[rows]));
    MUST(ge_model_destroy(model));
    MUST(ge_graph_destroy(graph));
    MUST(ge_context_destroy(context));
}

/* The first output holds what it should. */
static void check_output(const ge_value *value, int rows) {
    ge_tensor *t;
    const uint8_t *data;
    size_t size;
    if (!went_well(ge_tensor_create_from_value(value, &t))) return;
    MUST(ge_tensor_get_data(t, &data, &size));
    assert_int_equal(size, (size_t)rows * 2 * sizeof(float));
    for (int i = 0; i < 2 * rows; i++) assert_true(((const float *)(const void *)data)[i] == (float)rows);
    MUST(ge_tensor_destroy(t));
}

static void run_plain(const ge_model *m, int rows) {
    const ge_value *ins[] = { in[rows] };
    ge_value *outs[2] = { NULL, NULL };
    if (went_well(ge_model_run(m, NULL, ins, 1, outs, 2))) check_output(outs[0], rows);
    for (int i = 0; i < 2; i++) MUST(ge_value_destroy(outs[i]));
}

static void run_bound(ge_binding *binding, int rows) {
    ge_value *out;
    if (!binding || !went_well(ge_binding_set_input(binding, 0, in[rows])) || !went_well(ge_binding_run(binding, NULL))) return;
    if (went_well(ge_binding_get_output(binding, 0, &out))) check_output(out, rows);
}

/* Runs of two shapes on a stream, each completing whatever happens. */
static void run_on_stream(ge_stream *stream, ge_event *event, ge_stream *other) {
    ge_operation *ops[2] = { NULL, NULL };
    ge_async_options where = GE_ASYNC_OPTIONS_INIT;
    where.stream = stream;
    for (int i = 0; i < 2; i++) {
        const ge_value *ins[] = { in[3 + i] };
        (void)went_well(ge_model_run_async(model, NULL, &where, ins, 1, &ops[i]));
    }
    bool is_recorded = went_well(ge_event_record(event, stream));
    if (is_recorded && other) (void)went_well(ge_stream_wait_event(other, event));
    for (int i = 0; i < 2; i++) {
        ge_status how;
        ge_value *outs[2] = { NULL, NULL };
        size_t n;
        if (!ops[i]) continue;
        MUST(ge_operation_wait(ops[i], -1));
        MUST(ge_operation_get_status(ops[i], &how));
        assert_true(how == GE_OK || how == GE_ERR_OUT_OF_MEMORY);
        is_short = is_short || how != GE_OK;
        if (how == GE_OK && went_well(ge_operation_get_outputs(ops[i], outs, 2, &n))) check_output(outs[0], 3 + i);
        for (int k = 0; k < 2; k++) MUST(ge_value_destroy(outs[k]));
        MUST(ge_operation_destroy(ops[i]));
    }
    if (is_recorded) MUST(ge_event_sync(event, -1));
    (void)went_well(ge_stream_sync(stream, -1)); /* tells of the runs that failed */
    if (other) MUST(ge_stream_sync(other, -1));
}

static ge_status count_bytes(void *user, const uint8_t *data, size_t size) {
    (void)data;
    *(size_t *)user += size;
    return GE_OK;
}

static void streams_and_traces(void) {
    ge_stream *stream = NULL, *other = NULL;
    ge_event *event = NULL;
    size_t n_bytes = 0;
    bool is_traced = went_well(ge_context_begin_trace(context));
    (void)went_well(ge_stream_create(context, &stream));
    (void)went_well(ge_stream_create(context, &other));
    (void)went_well(ge_event_create(context, &event));
    if (stream && event) run_on_stream(stream, event, other);
    if (is_traced) (void)went_well(ge_context_end_trace(context, count_bytes, &n_bytes, NULL));
    MUST(ge_event_destroy(event));
    MUST(ge_stream_destroy(stream));
    MUST(ge_stream_destroy(other));
}

/* More shapes than are kept, through a binding and without, and a profile. */
static void changing_shapes(void) {
    ge_binding *binding = NULL;
    ge_step_info steps[8];
    size_t n = 0;
    (void)went_well(ge_binding_create(model, &binding));
    for (int rows = 1; rows <= MOST_ROWS; rows++) {
        run_bound(binding, rows);
        run_plain(model, MOST_ROWS + 1 - rows);
    }
    if (binding) MUST(ge_binding_set_profiling(binding, 1));
    if (binding && went_well(ge_binding_run(binding, NULL))) {
        MUST(ge_binding_get_step_infos(binding, steps, 8, sizeof steps[0], &n));
        assert_true(n >= 2);
    }
    MUST(ge_binding_destroy(binding));
}

/* Shapes told when compiled; the model runs. */
static void compiled_shapes(void) {
    static const char *const options[][2] = { { "input_shape", "x:1~4,2" }, { "ge.dynamicBatchSize", "1,2,4" }, { "input_shape", "x:2,2" } };
    for (size_t i = 0; i < GEI_COUNT(options); i++) {
        ge_model *own = NULL;
        if (went_well(compile(options[i][0], options[i][1], &own))) run_plain(own, 2);
        MUST(ge_model_destroy(own));
    }
}

/* The end of a run may still hold memory for a moment after its completion. */
static void settle(uint64_t handles) {
    for (int i = 0; i < 2000 && gei_handle_live_count() != handles; i++) nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    assert_int_equal(gei_handle_live_count(), handles);
}

static void run_failing(void (*scenario)(void)) {
    make_all();
    scenario();
    assert_false(is_short);
    uint64_t handles = gei_handle_live_count(), n_failed = 0;
    for (int forever = 0; forever < 2; forever++) {
        bool reached = true;
        for (uint64_t n = 1; reached; n++) {
            uint64_t before = gei_heap_alloc_count();
            is_short = false;
            gei_heap_fail_after(n, forever != 0);
            scenario();
            reached = gei_heap_alloc_count() - before >= n;
            gei_heap_fail_after(0, false);
            settle(handles);
            n_failed += is_short;
            is_short = false;
            run_plain(model, (int)(n % MOST_ROWS) + 1); /* still right */
            assert_false(is_short);
            assert_in_range(n, 1, 20000);
        }
    }
    assert_true(n_failed > 20);
    drop_all();
    settle(handles - 3 - MOST_ROWS);
}

static void on_streams_and_in_traces(void **state) {
    (void)state;
    run_failing(streams_and_traces);
}
static void when_shapes_change(void **state) {
    (void)state;
    run_failing(changing_shapes);
}
static void when_shapes_are_compiled_for(void **state) {
    (void)state;
    run_failing(compiled_shapes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_streams_and_in_traces),
        cmocka_unit_test(when_shapes_change),
        cmocka_unit_test(when_shapes_are_compiled_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
