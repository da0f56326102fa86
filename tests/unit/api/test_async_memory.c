/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous runs when memory runs out: each allocation fails in turn, on whatever thread.  A start then says GE_ERR_OUT_OF_MEMORY and
 * keeps nothing, or the completion does; nothing is left over, and the model still runs.  And what a run allocates at all. */
#include <time.h>

#include "unit/ge_test.h"

#include "api/handle.h"

static ge_model *model;
static ge_value *in;

static void expect(ge_status st) {
    ge_error *error;
    if (st == GE_OK) return;
    assert_int_equal(st, GE_ERR_OUT_OF_MEMORY);
    ge_error_take(&error);
    assert_int_equal(ge_error_release(error), GE_OK);
}

static void make_model(void) {
    const int64_t dims[] = { -1, 2 }, concrete[] = { 2, 2 };
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_builder *b;
    ge_graph *graph;
    ge_tensor *t;
    ge_value_id x, y;
    desc.rank = 2;
    desc.dims = dims;
    assert_int_equal(ge_builder_create(NULL, "g", 1, &b), GE_OK);
    assert_int_equal(ge_builder_add_graph_input(b, "x", 1, 0, &desc, &x), GE_OK);
    assert_int_equal(ge_builder_begin_op(b, "Relu", GE_NTS, NULL, 0), GE_OK);
    assert_int_equal(ge_builder_add_input(b, x), GE_OK);
    assert_int_equal(ge_builder_end_op(b, &y, 1, NULL), GE_OK);
    assert_int_equal(ge_builder_build(b, &y, 1, &graph), GE_OK);
    assert_int_equal(ge_graph_compile(graph, NULL, &model), GE_OK);
    desc.dims = concrete;
    assert_int_equal(ge_tensor_create(NULL, &desc, &t), GE_OK);
    assert_int_equal(ge_value_create_from_tensor(t, &in), GE_OK);
    assert_int_equal(ge_tensor_destroy(t), GE_OK);
    assert_int_equal(ge_graph_destroy(graph), GE_OK);
    assert_int_equal(ge_builder_destroy(b), GE_OK);
}

static void drop_model(void) {
    assert_int_equal(ge_model_destroy(model), GE_OK);
    assert_int_equal(ge_value_destroy(in), GE_OK);
}

static void on_end(void *user) { atomic_fetch_add((_Atomic int *)user, 1); }

/* Every wait is for a completion that has to come: nothing after a start needs memory. */
static void scenario(void) {
    const ge_value *ins[] = { in };
    ge_queue *q = NULL;
    ge_operation *op = NULL;
    ge_value *out = NULL;
    ge_error *error = NULL;
    ge_binding *binding = NULL;
    ge_completion got;
    ge_status st, how;
    _Atomic int ended = 0;
    size_t n;
    ge_async_options o = GE_ASYNC_OPTIONS_INIT;
    expect(ge_queue_create(NULL, &q));
    o.queue = q;
    o.user_data = (void *)(uintptr_t)&ended;
    o.destroy = on_end;
    expect(st = ge_model_run_async(model, NULL, &o, ins, 1, &op));
    assert_true((st == GE_OK) == (op != NULL));
    if (st != GE_OK) assert_int_equal(atomic_load(&ended), 1);
    if (st == GE_OK) {
        assert_int_equal(ge_operation_wait(op, -1), GE_OK);
        assert_int_equal(ge_operation_get_status(op, &how), GE_OK);
        assert_true(how == GE_OK || how == GE_ERR_OUT_OF_MEMORY);
        expect(ge_operation_acquire_error(op, &error));
        if (how == GE_OK) expect(ge_operation_get_outputs(op, &out, 1, &n));
        if (q) assert_int_equal(ge_queue_wait(q, &got, 1, sizeof got, -1, &n), GE_OK);
        while (atomic_load(&ended) == 0) nanosleep(&(struct timespec){ 0, 100000 }, NULL);
    }
    assert_int_equal(ge_operation_destroy(op), GE_OK);
    expect(ge_binding_create(model, &binding));
    if (binding) expect(ge_binding_set_input(binding, 0, in));
    op = NULL;
    if (binding) expect(ge_binding_run_async(binding, NULL, NULL, &op));
    if (op) assert_int_equal(ge_operation_wait(op, -1), GE_OK);
    assert_int_equal(ge_operation_destroy(op), GE_OK);
    assert_int_equal(ge_binding_destroy(binding), GE_OK);
    assert_int_equal(ge_value_destroy(out), GE_OK);
    assert_int_equal(ge_error_release(error), GE_OK);
    assert_int_equal(ge_queue_destroy(q), GE_OK);
}

static uint64_t held_bytes(void) {
    ge_context_info info;
    assert_int_equal(ge_context_get_info(NULL, &info, sizeof info), GE_OK);
    return info.allocated_bytes;
}

/* The end of a run may still hold memory for a moment after its completion. */
static void settle(uint64_t handles) {
    for (int i = 0; i < 2000 && gei_handle_live_count() != handles; i++) nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    assert_int_equal(gei_handle_live_count(), handles);
}

static void each_allocation_fails(void **state) {
    (void)state;
    uint64_t nothing = held_bytes();
    make_model();
    scenario();
    uint64_t handles = gei_handle_live_count();
    uint64_t n = 1;
    for (uint64_t before = 0; ; n++) {
        before = gei_heap_alloc_count();
        gei_heap_fail_after(n, false);
        scenario();
        bool reached = gei_heap_alloc_count() - before >= n;
        gei_heap_fail_after(0, false);
        settle(handles);
        if (!reached) break;
        assert_in_range(n, 1, 1000);
    }
    assert_true(n > 8);
    scenario(); /* the model still runs */
    drop_model();
    for (int i = 0; i < 2000 && held_bytes() != nothing; i++) nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    assert_int_equal(held_bytes(), nothing);
}

static void a_bound_run_allocates_its_operation_and_nothing_else(void **state) {
    (void)state;
    ge_binding *binding;
    ge_operation *op;
    make_model();
    assert_int_equal(ge_binding_create(model, &binding), GE_OK);
    assert_int_equal(ge_binding_set_input(binding, 0, in), GE_OK);
    for (int i = 0; i < 20; i++) {
        uint64_t before = gei_heap_alloc_count();
        assert_int_equal(ge_binding_run_async(binding, NULL, NULL, &op), GE_OK);
        assert_int_equal(ge_operation_wait(op, -1), GE_OK);
        if (i > 0) assert_int_equal(gei_heap_alloc_count() - before, 1);
        assert_int_equal(ge_operation_destroy(op), GE_OK);
    }
    assert_int_equal(ge_binding_destroy(binding), GE_OK);
    drop_model();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(a_bound_run_allocates_its_operation_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
