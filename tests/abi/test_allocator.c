/* SPDX-License-Identifier: Apache-2.0 */
/* Memory from the caller: who asks for it, when it ends, what happens when there is none; what models tell of their memory. */
#include <pthread.h>
#include <stdatomic.h>

#include "graph_test.h"

/* ---- an allocator that checks what it is asked ---- */

typedef struct counter {
    atomic_long n_calls, n_blocks, n_bytes, n_destroyed;
    atomic_long fail_at;     /* this call and all after it get nothing; 0: none */
    atomic_int is_misaligned;
} counter;

static uint8_t *take(void *user, size_t bytes, size_t alignment) {
    counter *c = user;
    void *data = NULL;
    long n = atomic_fetch_add(&c->n_calls, 1) + 1;
    assert_true(bytes > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
    assert_int_equal(c->n_destroyed, 0);
    if (c->fail_at && n >= c->fail_at) return NULL;
    size_t shift = c->is_misaligned ? 1 : 0;
    if (posix_memalign(&data, alignment < 16 ? 16 : alignment, bytes + shift) != 0) return NULL;
    atomic_fetch_add(&c->n_blocks, 1);
    atomic_fetch_add(&c->n_bytes, (long)bytes);
    return (uint8_t *)data + shift;
}

static void give(void *user, uint8_t *data, size_t bytes, size_t alignment) {
    counter *c = user;
    assert_int_equal(c->n_destroyed, 0);
    assert_true((alignment & (alignment - 1)) == 0);
    atomic_fetch_sub(&c->n_blocks, 1);
    atomic_fetch_sub(&c->n_bytes, (long)bytes);
    free(data - (c->is_misaligned ? 1 : 0));
}

static void end(void *user) {
    counter *c = user;
    assert_int_equal(c->n_blocks, 0);
    c->n_destroyed++;
    if (ge_tensor_destroy(FOREIGN_HANDLE) == GE_OK) fail(); /* must not replace the record of the call that ends it */
}

static ge_allocator allocator_of(counter *c) {
    ge_allocator a = GE_ALLOCATOR_INIT;
    memset(c, 0, sizeof *c);
    a.allocate = take;
    a.deallocate = give;
    a.user_data = c;
    a.destroy = end;
    return a;
}

static ge_context *context_with(counter *c) {
    ge_allocator a = allocator_of(c);
    ge_options *options;
    ge_context *context;
    check_ok(ge_options_create(&options));
    check_ok(ge_options_set_int(options, "ge.threads", GE_NTS, 2));
    check_ok(ge_options_set_allocator(options, &a));
    check_ok(ge_context_create(options, &context));
    check_ok(ge_options_destroy(options));
    assert_int_equal(c->n_destroyed, 0);
    return context;
}

/* ---- a model: z = y + sigmoid(y), y = x * w with w f32[64,64], x f32[batch,64]; static with batch 8 ---- */

#define WIDTH 64
static ge_status build(ge_context *context, int64_t batch, ge_graph **out) {
    static const float weights[WIDTH * WIDTH];
    const int64_t dims[] = { batch, WIDTH }, wide[] = { WIDTH, WIDTH };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims), w_desc = desc_of(GE_DTYPE_FLOAT32, 2, wide);
    ge_builder *b = NULL;
    ge_tensor *w = NULL;
    ge_value_id x = 0, c = 0, y = 0, z = 0;
    ge_status st = ge_builder_create(context, "g", GE_NTS, &b);
    if (st == GE_OK) st = ge_tensor_create_from_data(context, &w_desc, (const uint8_t *)weights, sizeof weights, &w);
    if (st == GE_OK) st = ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x);
    if (st == GE_OK) st = ge_builder_add_constant(b, "w", GE_NTS, w, &c);
    if (st == GE_OK) st = ge_builder_begin_op(b, "MatMulV2", GE_NTS, "m", GE_NTS);
    if (st == GE_OK) st = ge_builder_add_input(b, x);
    if (st == GE_OK) st = ge_builder_add_input(b, c);
    if (st == GE_OK) st = ge_builder_end_op(b, &y, 1, NULL);
    if (st == GE_OK) st = ge_builder_begin_op(b, "Sigmoid", GE_NTS, "s", GE_NTS);
    if (st == GE_OK) st = ge_builder_add_input(b, y);
    if (st == GE_OK) st = ge_builder_end_op(b, &z, 1, NULL);
    if (st == GE_OK) st = ge_builder_begin_op(b, "Add", GE_NTS, "a", GE_NTS);
    if (st == GE_OK) st = ge_builder_add_input(b, y);
    if (st == GE_OK) st = ge_builder_add_input(b, z);
    if (st == GE_OK) st = ge_builder_end_op(b, &z, 1, NULL);
    if (st == GE_OK) st = ge_builder_build(b, &z, 1, out);
    check_ok(ge_tensor_destroy(w));
    check_ok(ge_builder_destroy(b));
    return st;
}

static ge_status run_once(ge_context *context, const ge_model *model, int64_t batch) {
    static const float data[64 * WIDTH];
    const int64_t dims[] = { batch, WIDTH };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_tensor *x = NULL;
    ge_value *in = NULL, *out = NULL;
    ge_status st = ge_tensor_create_from_data(context, &desc, (const uint8_t *)data, (size_t)batch * WIDTH * sizeof(float), &x);
    if (st == GE_OK) st = ge_value_create_from_tensor(x, &in);
    if (st == GE_OK) st = ge_model_run(model, NULL, (const ge_value *const *)&in, 1, &out, 1);
    check_ok(ge_value_destroy(out));
    check_ok(ge_value_destroy(in));
    check_ok(ge_tensor_destroy(x));
    return st;
}

static ge_status whole_way(ge_context *context) {
    ge_graph *graph = NULL;
    ge_model *model = NULL;
    ge_status st = build(context, 8, &graph);
    if (st == GE_OK) st = ge_graph_compile(graph, NULL, &model);
    if (st == GE_OK) st = run_once(context, model, 8);
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
    return st;
}

static void context_memory_comes_from_the_caller(void **state) {
    (void)state;
    counter c;
    ge_context_info info;
    ge_graph *graph;
    ge_model *model;
    ge_context *context = context_with(&c);
    check_ok(build(context, 8, &graph));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(run_once(context, model, 8));
    check_ok(ge_context_get_info(context, &info, sizeof info));
    assert_int_equal(info.allocated_bytes, c.n_bytes);
    assert_int_equal(info.blocks_count, c.n_blocks);
    assert_true(info.constant_bytes >= sizeof(float) * WIDTH * WIDTH && info.constant_peak_bytes >= info.constant_bytes);
    assert_true(info.feature_bytes > 0 && info.feature_peak_bytes >= info.feature_bytes);
    assert_int_equal(info.variable_bytes, 0);
    check_ok(ge_context_destroy(context)); /* the others hold it */
    check_ok(ge_graph_destroy(graph));
    assert_int_equal(c.n_destroyed, 0);
    check_ok(ge_model_destroy(model));
    assert_int_equal(c.n_blocks, 0);
    assert_int_equal(c.n_destroyed, 1);
}

static void accounts_end_at_zero(void **state) {
    (void)state;
    counter c;
    ge_context_info info;
    ge_context *context = context_with(&c);
    check_ok(whole_way(context));
    check_ok(ge_context_get_info(context, &info, sizeof info));
    assert_int_equal(info.allocated_bytes, 0);
    assert_int_equal(info.blocks_count, 0);
    assert_int_equal(info.feature_bytes, 0);
    assert_int_equal(info.constant_bytes, 0);
    assert_true(info.feature_peak_bytes > 0 && info.constant_peak_bytes > 0 && info.peak_bytes > info.constant_peak_bytes);
    check_ok(ge_context_destroy(context));
    assert_int_equal(c.n_destroyed, 1);
}

/* Each call in turn gets nothing, and all after it: an error, nothing kept; then the same context works. */
static void no_memory_is_an_error_at_each_step(void **state) {
    (void)state;
    counter c;
    uint64_t before = live_objects();
    ge_context *context = context_with(&c);
    long n_failures = 0;
    for (long at = 1;; at++) {
        c.n_calls = 0;
        c.fail_at = at;
        ge_status st = whole_way(context);
        c.fail_at = 0;
        assert_int_equal(c.n_blocks, 0);
        if (st == GE_OK) break;
        assert_int_equal(st, GE_ERR_OUT_OF_MEMORY);
        n_failures++;
    }
    assert_true(n_failures > 20);
    check_ok(whole_way(context));
    check_ok(ge_context_destroy(context));
    assert_int_equal(c.n_destroyed, 1);
    check_all_gone(before);
}

static void the_record_says_whose_fault_it_was(void **state) {
    (void)state;
    counter c;
    const int64_t dims[] = { 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_error *error;
    ge_tensor *tensor;
    ge_context *context = context_with(&c);
    c.fail_at = 1;
    check_fails(ge_tensor_create(context, &desc, &tensor), GE_ERR_OUT_OF_MEMORY, NULL);
    assert_int_equal(ge_tensor_create(context, &desc, &tensor), GE_ERR_OUT_OF_MEMORY);
    ge_error_take(&error);
    assert_non_null(strstr(ge_error_get_message(error), "the allocator of the context gave none"));
    ge_error_release(error);
    c.fail_at = 0;
    c.is_misaligned = 1;
    assert_int_equal(ge_tensor_create(context, &desc, &tensor), GE_ERR_OUT_OF_MEMORY);
    ge_error_take(&error);
    assert_non_null(strstr(ge_error_get_message(error), "not aligned"));
    ge_error_release(error);
    assert_int_equal(c.n_blocks, 0); /* what was misaligned went back */
    check_ok(ge_context_destroy(context));
    assert_int_equal(c.n_destroyed, 1);
}

static void options_hold_the_allocator(void **state) {
    (void)state;
    counter a, b;
    ge_allocator first = allocator_of(&a), second = allocator_of(&b);
    ge_options *options;
    ge_context *x, *y;
    check_ok(ge_options_create(&options));
    check_ok(ge_options_set_allocator(options, &first));
    check_ok(ge_context_create(options, &x));
    check_ok(ge_context_create(options, &y)); /* two contexts, one allocator */
    check_ok(ge_options_set_allocator(options, &second));
    assert_int_equal(a.n_destroyed, 0); /* the contexts hold it */
    check_ok(ge_context_destroy(x));
    check_ok(ge_context_destroy(y));
    assert_int_equal(a.n_destroyed, 1);
    check_ok(ge_options_set_allocator(options, NULL));
    assert_int_equal(b.n_destroyed, 1);
    check_ok(ge_options_set_allocator(options, NULL));
    second = allocator_of(&b);
    check_ok(ge_options_set_allocator(options, &second));
    check_ok(ge_options_destroy(options));
    assert_int_equal(b.n_destroyed, 1);
}

static void bad_allocators_are_refused(void **state) {
    (void)state;
    counter c;
    ge_allocator a = allocator_of(&c), filled;
    ge_options *options;
    check_ok(ge_allocator_init(&filled, sizeof filled));
    assert_int_equal(filled.struct_size, sizeof filled);
    assert_null(filled.allocate);
    check_fails(ge_allocator_init(NULL, sizeof filled), GE_ERR_NULL_ARGUMENT, "allocator");
    check_fails(ge_allocator_init(&filled, 8), GE_ERR_INVALID_STRUCT_SIZE, "allocator");
    check_ok(ge_options_create(&options));
    a.deallocate = NULL;
    check_fails(ge_options_set_allocator(options, &a), GE_ERR_INVALID_ARGUMENT, "allocator");
    assert_int_equal(c.n_destroyed, 1); /* also when the call fails */
    a = allocator_of(&c);
    a.allocate = NULL;
    check_fails(ge_options_set_allocator(options, &a), GE_ERR_INVALID_ARGUMENT, "allocator");
    a = allocator_of(&c);
    a.allocate = NULL;
    a.deallocate = NULL;
    check_fails(ge_options_set_allocator(options, &a), GE_ERR_INVALID_ARGUMENT, "allocator");
    a = allocator_of(&c);
    a.reserved_flags = 1;
    check_fails(ge_options_set_allocator(options, &a), GE_ERR_INVALID_FLAG, "allocator");
    a = allocator_of(&c);
    check_fails(ge_options_set_allocator(FOREIGN_HANDLE, &a), GE_ERR_HANDLE_FOREIGN, "options");
    assert_int_equal(c.n_destroyed, 1);
    check_fails(ge_options_set_allocator(NULL, NULL), GE_ERR_HANDLE_NULL, "options");
    check_ok(ge_options_destroy(options));
}

static void *work(void *context) {
    for (int i = 0; i < 20; i++)
        if (whole_way(context) != GE_OK) return context;
    return NULL;
}

static void threads_share_the_allocator(void **state) {
    (void)state;
    counter c;
    pthread_t threads[3];
    ge_context *context = context_with(&c);
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, context), 0);
    for (int i = 0; i < 3; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    check_ok(ge_context_destroy(context));
    assert_int_equal(c.n_destroyed, 1);
}

/* ---- memory and counters of models ---- */

static ge_model *model_of(int64_t batch) {
    ge_graph *graph;
    ge_model *model;
    check_ok(build(NULL, batch, &graph));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(ge_graph_destroy(graph));
    return model;
}

static void areas_have_the_planned_sizes(void **state) {
    (void)state;
    ge_area_info areas[4];
    ge_model_summary summary;
    size_t count;
    ge_model *model = model_of(8);
    check_ok(ge_model_get_area_infos(model, NULL, 0, sizeof areas[0], &count));
    assert_int_equal(count, 4);
    check_ok(ge_model_get_area_infos(model, areas, 4, sizeof areas[0], &count));
    check_ok(ge_model_get_summary(model, &summary, sizeof summary));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(areas[i].area, GE_AREA_CONSTANTS + i);
        assert_int_equal(areas[i].struct_size, sizeof areas[i]);
        assert_true(areas[i].is_fixed != areas[i].is_refreshable);
    }
    assert_int_equal(areas[1].area_bytes, summary.activation_bytes + summary.scratch_bytes);
    assert_int_equal(areas[2].area_bytes + areas[3].area_bytes, areas[1].area_bytes);
    check_fails(ge_model_get_area_infos(model, areas, 3, sizeof areas[0], &count), GE_ERR_BUFFER_TOO_SMALL, "infos");
    assert_int_equal(count, 4);
    check_fails(ge_model_get_area_infos(model, areas, 4, 8, &count), GE_ERR_INVALID_STRUCT_SIZE, "info_size");
    check_fails(ge_model_get_area_infos(model, NULL, 4, sizeof areas[0], &count), GE_ERR_NULL_ARGUMENT, "infos");
    check_fails(ge_model_get_area_infos(model, areas, 4, sizeof areas[0], NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_ok(ge_model_destroy(model));
    check_fails(ge_model_get_area_infos(model, areas, 4, sizeof areas[0], &count), GE_ERR_HANDLE_STALE, "model");
    model = model_of(-1);
    check_fails(ge_model_get_area_infos(model, areas, 4, sizeof areas[0], &count), GE_ERR_WRONG_STATE, "model");
    assert_int_equal(count, 0);
    check_ok(ge_model_destroy(model));
}

static ge_model_counters counters_of(const ge_model *model) {
    ge_model_counters counters;
    check_ok(ge_model_get_counters(model, &counters, sizeof counters));
    return counters;
}

static void counters_tell_new_shapes_from_known_ones(void **state) {
    (void)state;
    ge_model_counters c, packed;
    ge_model *model = model_of(-1);
    packed = counters_of(model);
    assert_int_equal(packed.runs_count, 0);
    assert_int_equal(packed.packings_count, 1); /* w */
    for (int round = 0; round < 3; round++)
        for (int64_t batch = 1; batch <= 5; batch++) check_ok(run_once(NULL, model, batch));
    c = counters_of(model);
    assert_int_equal(c.runs_count, 15);
    assert_int_equal(c.instances_count, 5);
    assert_int_equal(c.found_count, 10);
    assert_int_equal(c.evicted_count, 0);
    assert_int_equal(c.packings_count, packed.packings_count);
    assert_int_equal(c.primitives_count, packed.primitives_count);
    check_fails(ge_model_get_counters(model, NULL, sizeof c), GE_ERR_NULL_ARGUMENT, "out_counters");
    check_fails(ge_model_get_counters(model, &c, 8), GE_ERR_INVALID_STRUCT_SIZE, "out_counters");
    check_ok(ge_model_destroy(model));
    check_fails(ge_model_get_counters(model, &c, sizeof c), GE_ERR_HANDLE_STALE, "model");
}

static void trim_gives_memory_back(void **state) {
    (void)state;
    counter c;
    ge_context_info held, trimmed;
    ge_graph *graph;
    ge_model *model;
    ge_context *context = context_with(&c);
    check_ok(build(context, -1, &graph));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(run_once(context, model, 64));
    assert_true(counters_of(model).pooled_bytes > 0);
    check_ok(ge_context_get_info(context, &held, sizeof held));
    check_ok(ge_model_trim(model, UINT64_MAX)); /* memory of runs may stay, their frames go */
    assert_true(counters_of(model).pooled_bytes > 0);
    check_ok(ge_model_trim(model, 0));
    assert_int_equal(counters_of(model).pooled_bytes, 0);
    check_ok(ge_context_get_info(context, &trimmed, sizeof trimmed));
    assert_true(trimmed.allocated_bytes < held.allocated_bytes);
    assert_int_equal(trimmed.feature_bytes, 0);
    check_ok(run_once(context, model, 64));
    check_fails(ge_model_trim(FOREIGN_HANDLE, 0), GE_ERR_HANDLE_FOREIGN, "model");
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_context_destroy(context));
    assert_int_equal(c.n_destroyed, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_memory_comes_from_the_caller), cmocka_unit_test(accounts_end_at_zero),
        cmocka_unit_test(no_memory_is_an_error_at_each_step),   cmocka_unit_test(the_record_says_whose_fault_it_was),
        cmocka_unit_test(options_hold_the_allocator),           cmocka_unit_test(bad_allocators_are_refused),
        cmocka_unit_test(threads_share_the_allocator),          cmocka_unit_test(areas_have_the_planned_sizes),
        cmocka_unit_test(counters_tell_new_shapes_from_known_ones), cmocka_unit_test(trim_gives_memory_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
