/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and the states that hold them. */
#include <pthread.h>

#include "graph_test.h"

/* ---- a counter: v = v + x, y = old v (kept by Identity), z = new v; v is f32[2] ---- */

static const int64_t pair[] = { 2 };

static ge_builder *begin_counter(const char *name, const float *initial, ge_value_id *out_v, ge_value_id *out_x) {
    ge_builder *b;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, pair);
    ge_tensor *first = NULL;
    check_ok(ge_builder_create(NULL, "counter", GE_NTS, &b));
    if (initial) check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)initial, 8, &first));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, out_x));
    check_ok(ge_builder_add_variable(b, name, GE_NTS, &desc, first, out_v));
    check_ok(ge_tensor_destroy(first));
    return b;
}

static ge_model *finish(ge_builder *b, const ge_value_id *outputs, size_t count) {
    ge_graph *graph;
    ge_model *model;
    check_ok(ge_builder_build(b, outputs, count, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(ge_graph_destroy(graph));
    return model;
}

static ge_model *counter_model(const char *name, const float *initial) {
    ge_value_id v, x, out[2];
    ge_builder *b = begin_counter(name, initial, &v, &x);
    out[0] = add_op(b, "Identity", "old", v, 0, NULL);
    out[1] = add_op(b, "AssignAdd", "new", v, x, NULL);
    return finish(b, out, 2);
}

static ge_value *value_with(float a, float b) {
    const float data[] = { a, b };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, pair);
    ge_tensor *tensor;
    ge_value *value;
    check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, sizeof data, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

static void check_value_at(const ge_value *value, float a, float b, int line) {
    ge_tensor *tensor;
    const uint8_t *data;
    size_t size;
    float got[2];
    check_ok(ge_tensor_create_from_value(value, &tensor));
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    assert_int_equal(size, 8);
    memcpy(got, data, 8);
    if (got[0] != a || got[1] != b) {
        print_error("line %d: %f %f, wanted %f %f\n", line, (double)got[0], (double)got[1], (double)a, (double)b);
        fail();
    }
    check_ok(ge_tensor_destroy(tensor));
}
#define check_value(value, a, b) check_value_at((value), (a), (b), __LINE__)

static void check_variable_at(const ge_state *state, size_t index, float a, float b, int line) {
    ge_value *value;
    check_ok(ge_state_copy_value(state, index, &value));
    check_value_at(value, a, b, line);
    check_ok(ge_value_destroy(value));
}
#define check_variable(state, index, a, b) check_variable_at((state), (index), (a), (b), __LINE__)

static ge_binding *bound(const ge_model *model, ge_state *state, float a, float b) {
    ge_binding *binding;
    ge_value *x = value_with(a, b);
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_binding_set_input(binding, 0, x));
    check_ok(ge_value_destroy(x));
    if (state) check_ok(ge_binding_set_state(binding, state));
    return binding;
}

static ge_state *state_of(const ge_model *model) {
    ge_state *state;
    check_ok(ge_state_create((const ge_model *const *)&model, 1, &state));
    return state;
}

/* ---- runs ---- */

static void variables_change_from_run_to_run(void **unused) {
    (void)unused;
    const float first[] = { 10, 20 };
    uint64_t before = live_objects();
    ge_model *model = counter_model("v", first);
    ge_state *state = state_of(model);
    ge_binding *binding = bound(model, state, 1, 2);
    ge_value *out;
    for (int i = 1; i <= 3; i++) {
        check_ok(ge_binding_run(binding, NULL));
        check_ok(ge_binding_get_output(binding, 0, &out));
        check_value(out, 10.0f + (float)(i - 1), 20.0f + 2.0f * (float)(i - 1)); /* Identity keeps what it read */
        check_ok(ge_binding_get_output(binding, 1, &out));
        check_value(out, 10.0f + (float)i, 20.0f + 2.0f * (float)i);
    }
    check_variable(state, 0, 13, 26);
    check_ok(ge_binding_set_state(binding, NULL)); /* a fresh one each run */
    for (int i = 0; i < 2; i++) {
        check_ok(ge_binding_run(binding, NULL));
        check_ok(ge_binding_get_output(binding, 1, &out));
        check_value(out, 11, 22);
    }
    check_variable(state, 0, 13, 26);
    check_ok(ge_state_reset(state));
    check_variable(state, 0, 10, 20);
    check_ok(ge_binding_set_state(binding, state));
    check_ok(ge_model_destroy(model));
    check_ok(ge_state_destroy(state)); /* the binding holds it */
    check_ok(ge_binding_run(binding, NULL));
    check_ok(ge_binding_destroy(binding));
    check_all_gone(before);
}

static void a_model_runs_on_a_fresh_state(void **unused) {
    (void)unused;
    const float first[] = { 1, 1 };
    ge_model *model = counter_model("v", first);
    ge_value *x = value_with(5, 6), *out[2];
    for (int i = 0; i < 2; i++) {
        check_ok(ge_model_run(model, NULL, (const ge_value *const *)&x, 1, out, 2));
        check_value(out[1], 6, 7);
        check_ok(ge_value_destroy(out[0]));
        check_ok(ge_value_destroy(out[1]));
    }
    check_ok(ge_value_destroy(x));
    check_ok(ge_model_destroy(model));
}

static void content_must_be_there_when_it_is_read(void **unused) {
    (void)unused;
    ge_model *model = counter_model("v", NULL);
    ge_state *state = state_of(model);
    ge_binding *binding = bound(model, state, 1, 2);
    ge_value *value;
    check_fails(ge_binding_run(binding, NULL), GE_ERR_NOT_BOUND, NULL);
    check_fails(ge_state_copy_value(state, 0, &value), GE_ERR_NOT_FOUND, NULL);
    assert_null(value);
    value = value_with(7, 8);
    check_ok(ge_state_set_value(state, 0, value));
    check_ok(ge_value_destroy(value));
    check_ok(ge_binding_run(binding, NULL));
    check_variable(state, 0, 8, 10);
    check_ok(ge_state_reset(state)); /* back to none */
    check_fails(ge_binding_run(binding, NULL), GE_ERR_NOT_BOUND, NULL);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_state_destroy(state));
    check_ok(ge_model_destroy(model));
}

/* Assign gives content, then what comes after it reads the new one. */
static void assigned_content_needs_none_before(void **unused) {
    (void)unused;
    ge_value_id v, x, set, twice;
    ge_builder *b = begin_counter("v", NULL, &v, &x);
    set = add_op(b, "Assign", "set", v, x, NULL);
    twice = add_op(b, "Add", "twice", set, set, NULL);
    ge_model *model = finish(b, &twice, 1);
    ge_state *state = state_of(model);
    ge_binding *binding = bound(model, state, 3, 4);
    ge_value *out;
    check_ok(ge_binding_run(binding, NULL));
    check_ok(ge_binding_get_output(binding, 0, &out));
    check_value(out, 6, 8);
    check_variable(state, 0, 3, 4);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_state_destroy(state));
    check_ok(ge_model_destroy(model));
}

static void models_share_variables_by_name(void **unused) {
    (void)unused;
    const float first[] = { 1, 2 };
    ge_model *models[3] = { counter_model("v", first), counter_model("v", NULL), counter_model("w", first) };
    ge_state *state;
    ge_io_info infos[2];
    size_t count, index;
    check_ok(ge_state_create((const ge_model *const *)models, 3, &state));
    check_ok(ge_state_get_infos(state, NULL, 0, sizeof infos[0], &count));
    assert_int_equal(count, 2);
    check_ok(ge_state_get_infos(state, infos, 2, sizeof infos[0], &count));
    assert_string_equal(infos[0].name, "v");
    assert_string_equal(infos[1].name, "w");
    assert_int_equal(infos[0].dtype, GE_DTYPE_FLOAT32);
    assert_int_equal(infos[0].rank, 1);
    assert_int_equal(infos[0].dims[0], 2);
    assert_int_equal(infos[0].data_size, 8);
    check_ok(ge_state_find(state, "w", GE_NTS, &index));
    assert_int_equal(index, 1);
    for (int i = 0; i < 3; i++) {
        ge_binding *binding = bound(models[i], state, 1, 1);
        check_ok(ge_binding_run(binding, NULL));
        check_ok(ge_binding_destroy(binding));
    }
    check_variable(state, 0, 3, 4);
    check_variable(state, 1, 2, 3);
    check_ok(ge_state_destroy(state));
    for (int i = 0; i < 3; i++) check_ok(ge_model_destroy(models[i]));
}

static void copies_go_their_own_way(void **unused) {
    (void)unused;
    const float first[] = { 0, 0 };
    ge_model *model = counter_model("v", first);
    ge_state *a = state_of(model), *b;
    ge_binding *binding = bound(model, a, 1, 1);
    check_ok(ge_binding_run(binding, NULL));
    check_ok(ge_state_copy(a, &b));
    check_ok(ge_binding_run(binding, NULL));
    check_variable(a, 0, 2, 2);
    check_variable(b, 0, 1, 1);
    check_ok(ge_binding_set_state(binding, b));
    check_ok(ge_binding_run(binding, NULL));
    check_ok(ge_binding_run(binding, NULL));
    check_variable(a, 0, 2, 2);
    check_variable(b, 0, 3, 3);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_state_destroy(a));
    check_ok(ge_state_destroy(b));
    check_ok(ge_model_destroy(model));
}

/* ---- bytes ---- */

typedef struct bytes {
    uint8_t data[4096];
    size_t size;
    int destroyed;
} bytes;
static ge_status collect(void *user, const uint8_t *data, size_t size) {
    bytes *b = user;
    if (size > sizeof b->data - b->size) return GE_ERR_OUT_OF_RANGE;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return GE_OK;
}
static ge_status refuse(void *user, const uint8_t *data, size_t size) {
    (void)user;
    (void)data;
    (void)size;
    return GE_ERR_CANCELLED;
}
static void collected(void *user) { ((bytes *)user)->destroyed++; }

static void states_are_saved_and_restored(void **unused) {
    (void)unused;
    const float first[] = { 1, 2 };
    ge_model *model = counter_model("v", first);
    ge_state *a = state_of(model), *b = state_of(model);
    ge_binding *binding = bound(model, a, 1, 1);
    bytes saved = { .size = 0 };
    check_ok(ge_binding_run(binding, NULL));
    check_ok(ge_state_export(a, collect, &saved, collected));
    assert_int_equal(saved.destroyed, 1);
    check_ok(ge_state_import(b, saved.data, saved.size));
    check_variable(b, 0, 2, 3);
    for (size_t size = 0; size < saved.size; size++) /* cut anywhere: an error, nothing changed */
        assert_true(ge_state_import(a, saved.data, size) != GE_OK);
    check_variable(a, 0, 2, 3);
    check_fails(ge_state_import(a, saved.data, saved.size - 1), GE_ERR_TRUNCATED, "data");
    saved.data[saved.size] = 0;
    check_fails(ge_state_import(a, saved.data, saved.size + 1), GE_ERR_MALFORMED, "data");
    for (size_t at = 0; at < saved.size - 8; at++) { /* any byte of the head other */
        saved.data[at] ^= 0xFF;
        assert_true(ge_state_import(b, saved.data, saved.size) != GE_OK);
        saved.data[at] ^= 0xFF;
    }
    check_variable(b, 0, 2, 3);
    check_fails(ge_state_import(b, NULL, 0), GE_ERR_NULL_ARGUMENT, "data");
    check_fails(ge_state_export(a, refuse, &saved, collected), GE_ERR_CANCELLED, NULL);
    check_fails(ge_state_export(a, NULL, &saved, collected), GE_ERR_NULL_ARGUMENT, "write");
    check_fails(ge_state_export(FOREIGN_HANDLE, collect, &saved, collected), GE_ERR_HANDLE_FOREIGN, "state");
    assert_int_equal(saved.destroyed, 4);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_state_destroy(a));
    check_ok(ge_state_destroy(b));
    check_ok(ge_model_destroy(model));
}

/* A state of one variable of this name, rank and type. */
static ge_state *state_with(const char *name, int32_t rank, ge_dtype dtype) {
    const int64_t dims[] = { 2, 1 };
    ge_tensor_desc desc = desc_of(dtype, rank, dims);
    ge_builder *b;
    ge_value_id v, y;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_variable(b, name, GE_NTS, &desc, NULL, &v));
    y = add_op(b, "Identity", "y", v, 0, NULL);
    ge_model *model = finish(b, &y, 1);
    ge_state *state = state_of(model);
    check_ok(ge_model_destroy(model));
    return state;
}

static void foreign_states_are_refused(void **unused) {
    (void)unused;
    const float first[] = { 1, 2 };
    ge_model *model = counter_model("v", first);
    ge_state *state = state_of(model);
    bytes saved = { .size = 0 };
    check_ok(ge_state_export(state, collect, &saved, NULL));
    check_ok(ge_state_destroy(state));
    check_ok(ge_model_destroy(model));
    ge_state *same = state_with("v", 1, GE_DTYPE_FLOAT32), *other = state_with("w", 1, GE_DTYPE_FLOAT32);
    ge_state *wider = state_with("v", 2, GE_DTYPE_FLOAT32), *ints = state_with("v", 1, GE_DTYPE_INT32);
    check_ok(ge_state_import(same, saved.data, saved.size));
    check_variable(same, 0, 1, 2);
    check_fails(ge_state_import(other, saved.data, saved.size), GE_ERR_NOT_FOUND, "data");
    check_fails(ge_state_import(wider, saved.data, saved.size), GE_ERR_SHAPE, "data");
    check_fails(ge_state_import(ints, saved.data, saved.size), GE_ERR_DTYPE, "data");
    check_ok(ge_state_destroy(same));
    check_ok(ge_state_destroy(other));
    check_ok(ge_state_destroy(wider));
    check_ok(ge_state_destroy(ints));
}

/* ---- many threads ---- */

typedef struct shared {
    ge_model *model;
    ge_state *state; /* NULL: one of its own */
    int failed;
} shared;

static void *count_up(void *arg) {
    shared *s = arg;
    ge_state *own = s->state ? NULL : state_of(s->model);
    ge_binding *binding = bound(s->model, s->state ? s->state : own, 1, 1);
    for (int i = 0; i < 200; i++)
        if (ge_binding_run(binding, NULL) != GE_OK) s->failed = 1;
    check_ok(ge_binding_destroy(binding));
    if (own) check_variable(own, 0, 200, 200);
    check_ok(ge_state_destroy(own));
    return NULL;
}

static void runs_on_one_state_are_serialised(void **unused) {
    (void)unused;
    const float first[] = { 0, 0 };
    pthread_t threads[4];
    ge_model *model = counter_model("v", first);
    shared all[4];
    ge_state *state = state_of(model);
    for (int i = 0; i < 4; i++) all[i] = (shared){ model, i < 3 ? state : NULL, 0 };
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, count_up, &all[i]), 0);
    for (int i = 0; i < 50; i++) {
        ge_state *copy;
        check_ok(ge_state_copy(state, &copy)); /* readers wait for runs */
        check_ok(ge_state_destroy(copy));
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) assert_int_equal(all[i].failed, 0);
    check_variable(state, 0, 600, 600);
    check_ok(ge_state_destroy(state));
    check_ok(ge_model_destroy(model));
}

static void asynchronous_runs_use_the_state(void **unused) {
    (void)unused;
    const float first[] = { 0, 10 };
    ge_model *model = counter_model("v", first);
    ge_state *state = state_of(model);
    ge_binding *bindings[2] = { bound(model, state, 1, 1), bound(model, state, 2, 2) };
    ge_operation *ops[2];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 2; i++) check_ok(ge_binding_run_async(bindings[i], NULL, NULL, &ops[i]));
        for (int i = 0; i < 2; i++) {
            check_ok(ge_operation_wait(ops[i], -1));
            check_ok(ge_operation_destroy(ops[i]));
        }
    }
    check_variable(state, 0, 60, 70);
    for (int i = 0; i < 2; i++) check_ok(ge_binding_destroy(bindings[i]));
    check_ok(ge_state_destroy(state));
    check_ok(ge_model_destroy(model));
}

/* ---- misuse ---- */

static void misuse_is_told(void **unused) {
    (void)unused;
    const float first[] = { 1, 2 };
    const int64_t unknown[] = { -1 }, three[] = { 3 };
    ge_context *context;
    ge_model *model = counter_model("v", first), *other = counter_model("w", first), *no_model = NULL;
    ge_state *state = state_of(model), *none = state;
    ge_binding *binding = bound(other, NULL, 1, 1);
    ge_io_info infos[1];
    ge_value *value = value_with(1, 2), *wrong;
    size_t count = 7, index;
    check_fails(ge_state_create((const ge_model *const *)&model, 0, &none), GE_ERR_OUT_OF_RANGE, "models_count");
    assert_null(none);
    check_fails(ge_state_create(NULL, 1, &none), GE_ERR_NULL_ARGUMENT, "models");
    check_fails(ge_state_create((const ge_model *const *)&model, 1, NULL), GE_ERR_NULL_ARGUMENT, "out_state");
    check_fails(ge_state_create((const ge_model *const *)&no_model, 1, &none), GE_ERR_HANDLE_NULL, "models");
    check_fails(ge_state_copy(FOREIGN_HANDLE, &none), GE_ERR_HANDLE_FOREIGN, "state");
    check_fails(ge_state_copy(state, NULL), GE_ERR_NULL_ARGUMENT, "out_state");
    check_fails(ge_state_get_infos(state, infos, 0, sizeof infos[0], &count), GE_ERR_BUFFER_TOO_SMALL, "infos");
    assert_int_equal(count, 1);
    check_fails(ge_state_get_infos(state, infos, 1, 8, &count), GE_ERR_INVALID_STRUCT_SIZE, "info_size");
    check_fails(ge_state_get_infos(state, infos, 1, sizeof infos[0], NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_state_find(state, "nosuch", GE_NTS, &index), GE_ERR_NOT_FOUND, "name");
    check_fails(ge_state_find(state, NULL, 0, &index), GE_ERR_NULL_ARGUMENT, "name");
    check_fails(ge_state_find(state, "\xff", 1, &index), GE_ERR_INVALID_UTF8, "name");
    check_fails(ge_state_find(state, "v", 1, NULL), GE_ERR_NULL_ARGUMENT, "out_index");
    check_fails(ge_state_copy_value(state, 1, &wrong), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_state_copy_value(state, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    check_fails(ge_state_set_value(state, 1, value), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_state_set_value(state, 0, NULL), GE_ERR_HANDLE_NULL, "value");
    check_ok(ge_value_create_sequence(NULL, (const ge_value *const *)&value, 1, &wrong));
    check_fails(ge_state_set_value(state, 0, wrong), GE_ERR_WRONG_KIND, "value");
    check_ok(ge_value_destroy(wrong));
    check_fails(ge_state_reset(FOREIGN_HANDLE), GE_ERR_HANDLE_FOREIGN, "state");
    check_fails(ge_binding_set_state(binding, state), GE_ERR_NOT_FOUND, "state");
    check_fails(ge_binding_set_state(FOREIGN_HANDLE, state), GE_ERR_HANDLE_FOREIGN, "binding");
    check_fails(ge_binding_set_state(binding, FOREIGN_HANDLE), GE_ERR_HANDLE_FOREIGN, "state");

    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, three), ints = desc_of(GE_DTYPE_INT32, 1, pair), free_dim = desc_of(GE_DTYPE_FLOAT32, 1, unknown);
    ge_tensor *tensor, *first_tensor = two_floats(NULL);
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &wrong));
    check_fails(ge_state_set_value(state, 0, wrong), GE_ERR_SHAPE, "value");
    check_ok(ge_value_destroy(wrong));
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_tensor_create(NULL, &ints, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &wrong));
    check_fails(ge_state_set_value(state, 0, wrong), GE_ERR_DTYPE, "value");
    check_ok(ge_value_destroy(wrong));
    check_ok(ge_tensor_destroy(tensor));
    check_variable(state, 0, 1, 2);

    ge_builder *b;
    ge_value_id v;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_fails(ge_builder_add_variable(b, "a", GE_NTS, &desc, first_tensor, &v), GE_ERR_SHAPE, "initial");
    check_fails(ge_builder_add_variable(b, "a", GE_NTS, &ints, first_tensor, &v), GE_ERR_DTYPE, "initial");
    check_fails(ge_builder_add_variable(b, "a", GE_NTS, &free_dim, NULL, &v), GE_ERR_SHAPE, "desc");
    check_fails(ge_builder_add_variable(b, "", 0, &desc, NULL, &v), GE_ERR_INVALID_ARGUMENT, "name");
    check_fails(ge_builder_add_variable(b, NULL, 0, &desc, NULL, &v), GE_ERR_NULL_ARGUMENT, "name");
    check_fails(ge_builder_add_variable(b, "a", GE_NTS, NULL, NULL, &v), GE_ERR_NULL_ARGUMENT, "desc");
    check_ok(ge_builder_add_variable(b, "a", GE_NTS, &desc, NULL, &v));
    check_fails(ge_builder_add_variable(b, "a", GE_NTS, &desc, NULL, &v), GE_ERR_ALREADY_EXISTS, "name");
    desc.rank = 9;
    check_fails(ge_builder_add_variable(b, "b", GE_NTS, &desc, NULL, &v), GE_ERR_RANK, "desc");
    check_ok(ge_builder_begin_op(b, "Relu", GE_NTS, NULL, 0));
    desc.rank = 1;
    check_fails(ge_builder_add_variable(b, "c", GE_NTS, &desc, NULL, &v), GE_ERR_WRONG_STATE, "builder");
    check_ok(ge_builder_destroy(b));
    check_ok(ge_tensor_destroy(first_tensor));

    check_ok(ge_context_create(NULL, &context));
    check_ok(ge_context_destroy(context));
    check_ok(ge_value_destroy(value));
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_state_destroy(state));
    check_ok(ge_state_destroy(NULL));
    check_fails(ge_state_destroy(state), GE_ERR_HANDLE_STALE, "state");
    check_ok(ge_model_destroy(model));
    check_ok(ge_model_destroy(other));
}

static void models_must_agree(void **unused) {
    (void)unused;
    const int64_t three[] = { 3 };
    const float first[] = { 1, 2 };
    ge_tensor_desc descs[] = { desc_of(GE_DTYPE_FLOAT32, 1, three), desc_of(GE_DTYPE_INT32, 1, pair) };
    const ge_status wanted[] = { GE_ERR_SHAPE, GE_ERR_DTYPE };
    ge_state *state;
    for (int i = 0; i < 2; i++) {
        ge_builder *b;
        ge_value_id v, y;
        check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
        check_ok(ge_builder_add_variable(b, "v", GE_NTS, &descs[i], NULL, &v));
        y = add_op(b, "Identity", "y", v, 0, NULL);
        ge_model *models[] = { counter_model("v", first), finish(b, &y, 1) };
        check_fails(ge_state_create((const ge_model *const *)models, 2, &state), wanted[i], NULL);
        ge_state *one = state_of(models[1]);
        ge_binding *binding = bound(models[0], NULL, 1, 1);
        check_fails(ge_binding_set_state(binding, one), wanted[i], "state");
        check_ok(ge_binding_destroy(binding));
        check_ok(ge_state_destroy(one));
        check_ok(ge_model_destroy(models[0]));
        check_ok(ge_model_destroy(models[1]));
    }
}

static void only_variables_are_assigned(void **unused) {
    (void)unused;
    ge_value_id v, x, y;
    ge_graph *graph;
    ge_model *model;
    ge_builder *b = begin_counter("v", NULL, &v, &x);
    y = add_op(b, "Assign", "set", add_op(b, "Relu", "r", x, 0, NULL), x, NULL);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_fails(ge_graph_compile(graph, NULL, &model), GE_ERR_BAD_GRAPH, NULL);
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_change_from_run_to_run),  cmocka_unit_test(a_model_runs_on_a_fresh_state),
        cmocka_unit_test(content_must_be_there_when_it_is_read), cmocka_unit_test(assigned_content_needs_none_before),
        cmocka_unit_test(models_share_variables_by_name),    cmocka_unit_test(copies_go_their_own_way),
        cmocka_unit_test(states_are_saved_and_restored),     cmocka_unit_test(foreign_states_are_refused),
        cmocka_unit_test(runs_on_one_state_are_serialised),  cmocka_unit_test(asynchronous_runs_use_the_state),
        cmocka_unit_test(misuse_is_told),
        cmocka_unit_test(models_must_agree),                 cmocka_unit_test(only_variables_are_assigned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
