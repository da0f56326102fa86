/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose shapes are found during the run. */
#include "unit/exec/late_ops.h"

#include "exec/region.h"

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

static void run(bound *b) { assert_ok(gei_binding_run(b->binding, NULL, &b->diag), &b->diag); }
static gei_tensor *output(const bound *b, uint32_t i) { return gei_binding_output(b->binding, i); }

#define POSITIVE "graph \"g\" { %x = Data[index=0] : f32[n]  %i = Positive(x=%x)  %p = Pick(x=%x, index=%i)  %r = Tanh(x=%p)" \
                 "  %q = Relu(x=%p)  return %q as \"picked\" }"

static void sizes_found_by_a_kernel_reach_the_output(void **state) {
    (void)state;
    bound b;
    make(&b, POSITIVE);
    set_input(&b, 0, exec_vector(&b.heap.from, 6, -3));
    run(&b);
    assert_floats(output(&b, 0), 1, 2);
    set_input(&b, 0, exec_vector(&b.heap.from, 6, 0));
    run(&b);
    assert_floats(output(&b, 0), 1, 2, 3, 4, 5);
    set_input(&b, 0, exec_vector(&b.heap.from, 6, -9));
    run(&b);
    assert_int_equal(output(&b, 0)->n_elems, 0);
    done(&b);
}

static void the_plan_says_which_steps_are_late(void **state) {
    (void)state;
    bound b;
    char text[4096];
    const gei_instance *instance;
    gei_shape shape = gei_shape_of(1, (gei_dim[]){ 6 });
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[n]  %i = Positive(x=%x)  %p = Pick(x=%x, index=%i)  %t = Total(x=%p)"
             "  %u = Relu(x=%t)  return %u }");
    assert_ok(gei_model_instance(b.model, &shape, &instance, &b.diag), &b.diag);
    exec_print(gei_model_plan(b.model), instance, text, sizeof text);
    assert_non_null(strstr(text, "Positive 'i' ref, late: in0 f32[6] -> late i64[?]\n"));
    assert_non_null(strstr(text, "Total 't' ref, late: late f32[?] -> out0 f32[1]\n"));
    assert_non_null(strstr(text, ": out0 f32[1] -> out0 f32[1]\n")); /* u is an ordinary step again, in place */
    gei_model_instance_release(b.model, instance);
    set_input(&b, 0, exec_vector(&b.heap.from, 6, -1));
    run(&b);
    assert_floats(output(&b, 0), 1 + 2 + 3 + 4);
    done(&b);
}

static void rules_read_contents_made_during_the_run(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[2]  %n = Data[index=1] : i64[1]  %r = Repeat(x=%x, times=%n)"
             "  %t = Total(x=%r)  return %r, %t }");
    int64_t times[] = { 3 };
    set_input(&b, 0, exec_vector(&b.heap.from, 2, 1));
    gei_tensor *n = exec_i64(&b.heap.from, 1, times);
    set_input(&b, 1, gei_tensor_retain(n));
    run(&b);
    assert_floats(output(&b, 0), 1, 2, 1, 2, 1, 2);
    assert_floats(output(&b, 1), 9);
    ((int64_t *)n->data)[0] = 1; /* same dims, other contents */
    run(&b);
    assert_floats(output(&b, 0), 1, 2);
    assert_floats(output(&b, 1), 3);
    gei_tensor_release(n);
    done(&b);
}

static void a_view_whose_shape_is_computed_shares_bytes(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[6]  %s = Data[index=1] : i64[2]  %a = Relu(x=%x)  %v = Reshape(x=%a, shape=%s)"
             "  %y = Tanh(x=%v)  return %v, %y }");
    int64_t dims[] = { 2, 3 }, other[] = { -1, 1 }, wrong[] = { 4, 4 };
    set_input(&b, 0, exec_vector(&b.heap.from, 6, 0));
    set_input(&b, 1, exec_i64(&b.heap.from, 2, dims));
    run(&b);
    assert_int_equal(output(&b, 0)->rank, 2);
    assert_int_equal(output(&b, 0)->dims[1], 3);
    assert_floats(output(&b, 0), 0, 1, 2, 3, 4, 5);
    set_input(&b, 1, exec_i64(&b.heap.from, 2, other));
    run(&b);
    assert_int_equal(output(&b, 1)->dims[0], 6);
    set_input(&b, 1, exec_i64(&b.heap.from, 2, wrong));
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "reshape");
    assert_string_equal(b.diag.node, "v");
    set_input(&b, 1, exec_i64(&b.heap.from, 2, dims));
    run(&b);
    assert_int_equal(output(&b, 1)->dims[0], 2);
    done(&b);
}

static void given_late_outputs_must_fit(void **state) {
    (void)state;
    bound b;
    make(&b, POSITIVE);
    gei_tensor *two = exec_vector(&b.heap.from, 2, 0);
    set_input(&b, 0, exec_vector(&b.heap.from, 6, -3));
    assert_ok(gei_binding_set_output(b.binding, 0, two, &b.diag), &b.diag);
    run(&b);
    assert_floats(two, 1, 2);
    set_input(&b, 0, exec_vector(&b.heap.from, 6, -2));
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "output 'picked' is [3] for these inputs, not [2]");
    gei_tensor_release(two);
    done(&b);
}

static void an_error_in_data_names_the_node(void **state) {
    (void)state;
    bound b;
    int64_t index[] = { 0, 9 };
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[n]  %i = Data[index=1] : i64[k]  %p = Pick(x=%x, index=%i)  return %p }");
    set_input(&b, 0, exec_vector(&b.heap.from, 6, 0));
    set_input(&b, 1, exec_i64(&b.heap.from, 2, index));
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "Pick: index 9");
    assert_string_equal(b.diag.node, "p");
    assert_int_equal(b.diag.status, GE_ERR_OUT_OF_RANGE);
    done(&b);
}

static void steady_runs_with_changing_sizes_allocate_nothing(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[n]  %i = Positive(x=%x)  %p = Pick(x=%x, index=%i)  %a = Relu(x=%p)"
             "  %b = Tanh(x=%a)  %c = Add(x1=%a, x2=%b)  %n = Data[index=1] : i64[1]  %r = Repeat(x=%c, times=%n)  %t = Total(x=%r)"
             "  return %t }");
    int64_t times[] = { 2 };
    gei_tensor *x = exec_vector(&b.heap.from, 100, 0), *n = exec_i64(&b.heap.from, 1, times);
    set_input(&b, 0, gei_tensor_retain(x));
    set_input(&b, 1, gei_tensor_retain(n));
    uint64_t before = 0;
    for (int round = 0; round < 60; round++) {
        for (int64_t i = 0; i < 100; i++) ((float *)x->data)[i] = i < (round % 20) * 5 ? 1 : -1;
        ((int64_t *)n->data)[0] = 1 + round % 3;
        run(&b);
        if (round == 40) before = b.heap.n_allocs; /* every size has been seen twice */
    }
    assert_int_equal(b.heap.n_allocs, before);
    gei_tensor_release(x);
    gei_tensor_release(n);
    done(&b);
}

static void strings_are_as_long_as_the_run_finds_them(void **state) {
    (void)state;
    bound b;
    gei_tensor *t = NULL;
    const char *texts[][2] = { { "one", "" }, { "three hundred", "4" }, { "one", "" } }, *text;
    int64_t two = 2;
    make(&b, "graph \"g\" { %x = Data[index=0] : str[n]  return %x }");
    for (int i = 0; i < 3; i++) {
        const size_t sizes[] = { strlen(texts[i][0]), strlen(texts[i][1]) };
        assert_ok(gei_tensor_strings(&b.heap.from, 1, &two, texts[i], sizes, &t, &b.diag), &b.diag);
        set_input(&b, 0, t);
        run(&b);
        for (int k = 0; k < 2; k++) {
            size_t size;
            assert_true(gei_tensor_string_at(output(&b, 0), k, &text, &size));
            assert_int_equal(size, sizes[k]);
            assert_memory_equal(text, texts[i][k], size);
        }
    }
    done(&b);
}

static ge_status use(const gei_allocator *from, void *arg) {
    const char *text = arg;
    gei_graph *g = NULL;
    gei_plan *plan = NULL;
    gei_model *model = NULL;
    gei_tensor *x = NULL, *out = NULL;
    gei_plan_options options = { .isa = gei_isa() };
    gei_model_options model_options = { .max_threads = 1 };
    int64_t n = 50;
    GEI_TRY(gei_graph_parse(from, text, strlen(text), late_find, NULL, &g, NULL));
    GEI_TRY(gei_plan_create(g, &options, from, &plan, NULL));
    GEI_TRY(gei_model_create(plan, &model_options, from, &model, NULL));
    ge_status st = gei_tensor_create(from, GEI_FLOAT32, 1, &n, &x, NULL);
    for (int64_t i = 0; st == GE_OK && i < n; i++) ((float *)x->data)[i] = 1;
    if (st == GE_OK) st = gei_model_run(model, &x, &out, NULL, NULL);
    assert_true(st == GE_OK || !out);
    gei_tensor_release(x);
    gei_tensor_release(out);
    gei_model_release(model);
    return st;
}

static void each_refused_allocation_is_an_error(void **state) {
    (void)state;
    ge_test_each_allocation_fails(use, POSITIVE);
}

static void a_region_gives_freed_pieces_again(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_region region;
    ge_test_heap_init(&heap);
    gei_region_init(&region, &heap.from);
    for (int round = 0; round < 3; round++) {
        void *pieces[40];
        uint64_t before = heap.n_allocs;
        for (size_t i = 0; i < 40; i++) {
            pieces[i] = gei_alloc(&region.as_allocator, i * i * 100, 64);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % 64, 0);
            memset(pieces[i], (int)i, i * i * 100);
        }
        for (size_t i = 1; i < 40; i++) assert_int_equal(((char *)pieces[i])[i * i * 100 - 1], (char)i);
        for (size_t i = 0; i < 40; i++) gei_free(&region.as_allocator, pieces[i], i * i * 100, 64);
        void *again = gei_alloc(&region.as_allocator, 39 * 39 * 100, 64);
        assert_ptr_equal(again, pieces[39]);
        if (round == 1) assert_int_equal(heap.n_allocs, before + 1); /* several chunks have become one */
        if (round == 2) assert_int_equal(heap.n_allocs, before);
        gei_region_reset(&region);
    }
    assert_null(gei_alloc(&region.as_allocator, SIZE_MAX - 5, 16));
    void *wide = gei_alloc(&region.as_allocator, 10, 4096);
    assert_int_equal((uintptr_t)wide % 4096, 0);
    gei_free(&region.as_allocator, wide, 10, 4096);
    gei_region_deinit(&region);
    ge_test_heap_check(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_found_by_a_kernel_reach_the_output),
        cmocka_unit_test(the_plan_says_which_steps_are_late),
        cmocka_unit_test(rules_read_contents_made_during_the_run),
        cmocka_unit_test(a_view_whose_shape_is_computed_shares_bytes),
        cmocka_unit_test(given_late_outputs_must_fit),
        cmocka_unit_test(an_error_in_data_names_the_node),
        cmocka_unit_test(steady_runs_with_changing_sizes_allocate_nothing),
        cmocka_unit_test(strings_are_as_long_as_the_run_finds_them),
        cmocka_unit_test(each_refused_allocation_is_an_error),
        cmocka_unit_test(a_region_gives_freed_pieces_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
