/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/exec/exec_test.h"

#define SUM "graph \"g\" { %x = Data[index=0] : f32[n]  %y = Data[index=1] : f32[n]  %s = Add(x1=%x, x2=%y)" \
            "  %r = Relu(x=%s)  return %r as \"out\" }"

typedef struct bound {
    ge_test_heap heap;
    gei_model *model;
    gei_binding *binding;
    gei_diag diag;
} bound;

static void make(bound *b, const char *text) {
    memset(b, 0, sizeof *b);
    ge_test_heap_init(&b->heap);
    b->model = exec_model(&b->heap.from, text);
    assert_ok(gei_binding_create(b->model, &b->binding, &b->diag), &b->diag);
}

static void done(bound *b) {
    gei_binding_destroy(b->binding);
    gei_model_release(b->model);
    ge_test_heap_check(&b->heap);
}

static void set_input(bound *b, uint32_t index, gei_tensor *t) {
    assert_ok(gei_binding_set_input(b->binding, index, t, &b->diag), &b->diag);
    gei_tensor_release(t);
}

static void set_output(bound *b, uint32_t index, gei_tensor *t) {
    assert_ok(gei_binding_set_output(b->binding, index, t, &b->diag), &b->diag);
    gei_tensor_release(t);
}

static void run(bound *b) { assert_ok(gei_binding_run(b->binding, NULL, &b->diag), &b->diag); }

static void a_run_writes_into_memory_of_the_binding(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    set_input(&b, 0, exec_vector(&b.heap.from, 3, 1));
    set_input(&b, 1, exec_vector(&b.heap.from, 3, -3));
    assert_null(gei_binding_output(b.binding, 0));
    run(&b);
    assert_floats(gei_binding_output(b.binding, 0), 0, 0, 2);
    done(&b);
}

static void a_run_writes_into_memory_of_the_caller(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    gei_tensor *out = exec_vector(&b.heap.from, 3, 100);
    set_input(&b, 0, exec_vector(&b.heap.from, 3, 1));
    set_input(&b, 1, exec_vector(&b.heap.from, 3, 10));
    set_output(&b, 0, gei_tensor_retain(out));
    run(&b);
    assert_floats(out, 11, 13, 15);
    assert_ptr_equal(gei_binding_output(b.binding, 0), out);
    gei_tensor_release(out);
    done(&b);
}

static void rewritten_and_rebound_inputs_are_read_anew(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    gei_tensor *x = exec_vector(&b.heap.from, 2, 1);
    set_input(&b, 0, gei_tensor_retain(x));
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 0));
    run(&b);
    assert_floats(gei_binding_output(b.binding, 0), 1, 3);
    ((float *)x->data)[0] = 7;
    run(&b);
    assert_floats(gei_binding_output(b.binding, 0), 7, 3);
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 100));
    run(&b);
    assert_floats(gei_binding_output(b.binding, 0), 107, 103);
    gei_tensor_release(x);
    done(&b);
}

static void another_shape_gets_another_instance_and_output(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    for (int64_t n = 1; n <= 3; n++) {
        set_input(&b, 0, exec_vector(&b.heap.from, n, 1));
        set_input(&b, 1, exec_vector(&b.heap.from, n, 1));
        run(&b);
        assert_int_equal(gei_binding_output(b.binding, 0)->n_elems, n);
    }
    assert_int_equal(exec_stats(b.model).instances_made, 3);
    done(&b);
}

static void runs_in_steady_state_allocate_nothing(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    set_input(&b, 0, exec_vector(&b.heap.from, 64, 1));
    set_input(&b, 1, exec_vector(&b.heap.from, 64, 1));
    run(&b);
    gei_tensor *one = exec_vector(&b.heap.from, 64, 5), *two = exec_vector(&b.heap.from, 64, 9), *out = exec_vector(&b.heap.from, 64, 0);
    uint64_t counted = exec_stats(b.model).heap_allocations_in_runs, all = b.heap.n_allocs;
    for (int i = 0; i < 100; i++) {
        assert_ok(gei_binding_set_input(b.binding, 0, i % 2 ? one : two, &b.diag), &b.diag);
        assert_ok(gei_binding_set_output(b.binding, 0, i % 3 ? out : NULL, &b.diag), &b.diag);
        run(&b);
        assert_int_equal(exec_at(gei_binding_output(b.binding, 0), 0), i % 2 ? 6 : 10);
    }
    assert_int_equal(exec_stats(b.model).heap_allocations_in_runs, counted);
    assert_int_equal(b.heap.n_allocs, all);
    assert_int_equal(exec_stats(b.model).runs, 101);
    gei_tensor_release(one);
    gei_tensor_release(two);
    gei_tensor_release(out);
    done(&b);
}

static void inputs_and_outputs_may_take_turns(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[n]  %k = Const[value=f32[1]{1}]  %s = Add(x1=%x, x2=%k)  return %s }");
    gei_tensor *t[2] = { exec_vector(&b.heap.from, 2, 0), exec_vector(&b.heap.from, 2, 50) };
    for (int i = 0; i < 5; i++) {
        assert_ok(gei_binding_set_input(b.binding, 0, t[i % 2], &b.diag), &b.diag);
        assert_ok(gei_binding_set_output(b.binding, 0, t[1 - i % 2], &b.diag), &b.diag);
        run(&b);
    }
    assert_floats(t[1], 5, 6);
    gei_tensor_release(t[0]);
    gei_tensor_release(t[1]);
    done(&b);
}

static void an_own_output_bound_as_input_is_not_overwritten(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[n]  %k = Const[value=f32[1]{1}]  %s = Add(x1=%x, x2=%k)"
             "  %t = Add(x1=%s, x2=%x)  return %s, %t }");
    set_input(&b, 0, exec_vector(&b.heap.from, 2, 0));
    run(&b);
    gei_tensor *before = gei_binding_output(b.binding, 0);
    assert_floats(before, 1, 2);
    set_input(&b, 0, gei_tensor_retain(before));
    run(&b);
    assert_floats(gei_binding_output(b.binding, 0), 2, 3);
    assert_floats(gei_binding_output(b.binding, 1), 3, 5);
    done(&b);
}

static void overlaps_are_refused_and_nothing_is_written(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[2]  %a = Relu(x=%x)  %b = Tanh(x=%x)  return %a as \"a\", %b as \"b\" }");
    float memory[6] = { 1, 2, 3, 4, 5, 6 };
    gei_tensor *t[5] = { NULL };
    int64_t two = 2;
    for (int i = 0; i < 5; i++)
        assert_ok(gei_tensor_wrap(&b.heap.from, GEI_FLOAT32, 1, &two, memory + i, 8, false, NULL, NULL, &t[i], &b.diag), &b.diag);
    assert_ok(gei_binding_set_input(b.binding, 0, t[0], &b.diag), &b.diag);
    assert_ok(gei_binding_set_output(b.binding, 0, t[1], &b.diag), &b.diag);
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "output 'a' overlaps that of input 'x'");
    assert_int_equal(b.diag.status, GE_ERR_OVERLAP);
    assert_ok(gei_binding_set_output(b.binding, 0, t[2], &b.diag), &b.diag);
    assert_ok(gei_binding_set_output(b.binding, 1, t[3], &b.diag), &b.diag);
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "output 'a' overlaps that of output 'b'");
    assert_true(memory[2] == 3);
    assert_ok(gei_binding_set_output(b.binding, 1, t[4], &b.diag), &b.diag);
    run(&b);
    assert_true(memory[2] == 1 && memory[3] == 2);
    assert_ok(gei_binding_set_input(b.binding, 0, t[4], &b.diag), &b.diag); /* one change, in a binding that has run */
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "output 'b' overlaps that of input 'x'");
    for (int i = 0; i < 5; i++) gei_tensor_release(t[i]);
    done(&b);
}

static void wrong_tensors_are_refused(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    int64_t dims[2] = { 2, 2 }, values[2] = { 1, 2 };
    gei_tensor *matrix = exec_f32(&b.heap.from, 2, dims, 0), *ints = exec_i64(&b.heap.from, 2, values), *three = exec_vector(&b.heap.from, 3, 0);
    assert_fails_with(gei_binding_set_input(b.binding, 0, matrix, &b.diag), &b.diag, "'x': shape [2,2] does not fit [n]");
    assert_fails_with(gei_binding_set_input(b.binding, 0, ints, &b.diag), &b.diag, "input 'x' is float32, not int64");
    assert_fails_with(gei_binding_set_input(b.binding, 2, ints, &b.diag), &b.diag, "input 2 of a model that has 2");
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "input 'x' has no value");
    assert_int_equal(b.diag.status, GE_ERR_NOT_BOUND);
    set_input(&b, 0, exec_vector(&b.heap.from, 2, 1));
    set_input(&b, 1, gei_tensor_retain(three));
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "'n' is 2");
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 1));
    set_output(&b, 0, gei_tensor_retain(three));
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "output 'out' is [2] for these inputs, not [3]");
    three->read_only = true;
    assert_fails_with(gei_binding_set_output(b.binding, 0, three, &b.diag), &b.diag, "may not be written");
    set_output(&b, 0, NULL);
    run(&b);
    assert_floats(gei_binding_output(b.binding, 0), 2, 4);
    gei_tensor_release(matrix);
    gei_tensor_release(ints);
    gei_tensor_release(three);
    done(&b);
}

static void outputs_that_need_a_copy_hold_it(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[2]  %k = Const[value=f32[2]{8 9}]  %a = Relu(x=%x)  return %x, %k, %a, %a }");
    set_input(&b, 0, exec_vector(&b.heap.from, 2, -1));
    run(&b);
    assert_floats(gei_binding_output(b.binding, 0), -1, 0);
    assert_floats(gei_binding_output(b.binding, 1), 8, 9);
    assert_floats(gei_binding_output(b.binding, 2), 0, 0);
    assert_floats(gei_binding_output(b.binding, 3), 0, 0);
    done(&b);
}

static void empty_tensors_run(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    set_input(&b, 0, exec_vector(&b.heap.from, 0, 0));
    set_input(&b, 1, exec_vector(&b.heap.from, 0, 0));
    run(&b);
    assert_int_equal(gei_binding_output(b.binding, 0)->n_elems, 0);
    done(&b);
}

static void a_binding_outlives_its_model_handle(void **state) {
    (void)state;
    bound b;
    make(&b, SUM);
    gei_model_release(b.model);
    set_input(&b, 0, exec_vector(&b.heap.from, 2, 0));
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 0));
    run(&b);
    gei_binding_destroy(b.binding);
    ge_test_heap_check(&b.heap);
}

static void a_set_cancel_or_passed_deadline_stops_the_run(void **state) {
    (void)state;
    bound b;
    atomic_uint cancel = 0;
    gei_run_options options = { .cancel = &cancel };
    make(&b, SUM);
    set_input(&b, 0, exec_vector(&b.heap.from, 2, 0));
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 0));
    assert_ok(gei_binding_run(b.binding, &options, &b.diag), &b.diag);
    atomic_store(&cancel, 1);
    assert_fails_with(gei_binding_run(b.binding, &options, &b.diag), &b.diag, "cancelled");
    assert_int_equal(b.diag.status, GE_ERR_CANCELLED);
    options = (gei_run_options){ .deadline_ns = 1 };
    assert_fails_with(gei_binding_run(b.binding, &options, &b.diag), &b.diag, "deadline");
    assert_int_equal(b.diag.status, GE_ERR_DEADLINE);
    options.deadline_ns = INT64_MAX;
    assert_ok(gei_binding_run(b.binding, &options, &b.diag), &b.diag);
    done(&b);
}

static ge_status use(const gei_allocator *from, void *arg) {
    const char *text = arg;
    gei_graph *g = NULL;
    gei_plan *plan = NULL;
    gei_model *model = NULL;
    gei_binding *b = NULL;
    gei_tensor *x = NULL;
    gei_plan_options options = { .isa = gei_isa() };
    gei_model_options model_options = { .max_threads = 1 };
    int64_t n = 3;
    GEI_TRY(gei_graph_parse(from, text, strlen(text), exec_find, NULL, &g, NULL));
    GEI_TRY(gei_plan_create(g, &options, from, &plan, NULL));
    GEI_TRY(gei_model_create(plan, &model_options, from, &model, NULL));
    ge_status st = gei_binding_create(model, &b, NULL);
    gei_model_release(model);
    if (st == GE_OK) st = gei_tensor_create(from, GEI_FLOAT32, 1, &n, &x, NULL);
    if (st == GE_OK) memset(x->data, 0, x->size_bytes);
    if (st == GE_OK) st = gei_binding_set_input(b, 0, x, NULL);
    if (st == GE_OK) st = gei_binding_set_input(b, 1, x, NULL);
    if (st == GE_OK) st = gei_binding_run(b, NULL, NULL);
    if (st != GE_OK && b && x) st = gei_binding_run(b, NULL, NULL); /* a run that failed may be tried again */
    gei_tensor_release(x);
    gei_binding_destroy(b);
    return st;
}

static void each_refused_allocation_is_an_error(void **state) {
    (void)state;
    ge_test_each_allocation_fails(use, SUM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_writes_into_memory_of_the_binding),
        cmocka_unit_test(a_run_writes_into_memory_of_the_caller),
        cmocka_unit_test(rewritten_and_rebound_inputs_are_read_anew),
        cmocka_unit_test(another_shape_gets_another_instance_and_output),
        cmocka_unit_test(runs_in_steady_state_allocate_nothing),
        cmocka_unit_test(inputs_and_outputs_may_take_turns),
        cmocka_unit_test(an_own_output_bound_as_input_is_not_overwritten),
        cmocka_unit_test(overlaps_are_refused_and_nothing_is_written),
        cmocka_unit_test(wrong_tensors_are_refused),
        cmocka_unit_test(outputs_that_need_a_copy_hold_it),
        cmocka_unit_test(empty_tensors_run),
        cmocka_unit_test(a_binding_outlives_its_model_handle),
        cmocka_unit_test(a_set_cancel_or_passed_deadline_stops_the_run),
        cmocka_unit_test(each_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
