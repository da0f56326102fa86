/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/exec/exec_test.h"

#include <pthread.h>
#include <time.h>

#define SUM "graph \"g\" { %x = Data[index=0] : f32[n]  %y = Data[index=1] : f32[n]  %s = Add(x1=%x, x2=%y)" \
            "  %r = Relu(x=%s)  return %r as \"out\" }"

static void a_run_makes_outputs_or_writes_into_given_ones(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    ge_test_heap_init(&heap);
    gei_model *model = exec_model(&heap.from, SUM);
    gei_tensor *in[2] = { exec_vector(&heap.from, 3, 1), exec_vector(&heap.from, 3, -3) }, *out[1] = { NULL };
    assert_ok(gei_model_run(model, in, out, NULL, &diag), &diag);
    assert_floats(out[0], 0, 0, 2);
    gei_tensor *made = out[0];
    ((float *)in[0]->data)[0] = 9;
    assert_ok(gei_model_run(model, in, out, NULL, &diag), &diag);
    assert_ptr_equal(out[0], made);
    assert_floats(out[0], 6, 0, 2);
    for (int i = 0; i < 2; i++) gei_tensor_release(in[i]);
    gei_tensor_release(out[0]);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void a_failed_run_leaves_outputs_as_they_were(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    ge_test_heap_init(&heap);
    gei_model *model = exec_model(&heap.from, SUM);
    gei_tensor *in[2] = { exec_vector(&heap.from, 3, 1), exec_vector(&heap.from, 4, -3) }, *out[1] = { NULL };
    assert_fails_with(gei_model_run(model, in, out, NULL, &diag), &diag, "'n' is 3");
    assert_null(out[0]);
    gei_tensor_release(in[1]);
    in[1] = NULL;
    assert_fails_with(gei_model_run(model, in, out, NULL, &diag), &diag, "input 'y' has no value");
    in[1] = gei_tensor_retain(in[0]);
    gei_run_options options = { .deadline_ns = 1 };
    assert_fails_with(gei_model_run(model, in, out, &options, &diag), &diag, "deadline");
    assert_null(out[0]);
    out[0] = in[0];
    assert_fails_with(gei_model_run(model, in, out, NULL, &diag), &diag, "output 'out' overlaps that of input 'x'");
    for (int i = 0; i < 2; i++) gei_tensor_release(in[i]);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void run_n(gei_model *model, const gei_allocator *from, int64_t n) {
    gei_diag diag = { 0 };
    gei_tensor *in[2] = { exec_vector(from, n, 1), exec_vector(from, n, 2) }, *out[1] = { NULL };
    assert_ok(gei_model_run(model, in, out, NULL, &diag), &diag);
    assert_int_equal(out[0]->n_elems, n);
    if (n > 0) assert_true(exec_at(out[0], n - 1) == (float)(2 * n + 1));
    for (int i = 0; i < 2; i++) gei_tensor_release(in[i]);
    gei_tensor_release(out[0]);
}

static void the_cache_keeps_the_latest_shapes_within_its_bound(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_model_options options = { .max_threads = 1, .max_instances = 3 };
    gei_model *model = exec_model_with(&heap.from, SUM, &options);
    for (int64_t n = 1; n <= 3; n++) run_n(model, &heap.from, n);
    for (int64_t n = 1; n <= 3; n++) run_n(model, &heap.from, n);
    assert_int_equal(exec_stats(model).instances_made, 3);
    run_n(model, &heap.from, 4); /* 1 goes */
    assert_int_equal(exec_stats(model).instances_evicted, 1);
    run_n(model, &heap.from, 2);
    assert_int_equal(exec_stats(model).instances_made, 4);
    run_n(model, &heap.from, 1); /* 3 goes */
    run_n(model, &heap.from, 4);
    assert_int_equal(exec_stats(model).instances_made, 5);
    int64_t live = heap.live_bytes;
    for (int64_t n = 0; n < 500; n++) run_n(model, &heap.from, n % 50);
    assert_true(heap.live_bytes < live + 4096);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void an_instance_in_use_survives_its_eviction(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    ge_test_heap_init(&heap);
    gei_model_options options = { .max_threads = 1, .max_instances = 1 };
    gei_model *model = exec_model_with(&heap.from, SUM, &options);
    gei_binding *b[3];
    for (int i = 0; i < 3; i++) {
        gei_tensor *x = exec_vector(&heap.from, i + 1, 1);
        assert_ok(gei_binding_create(model, &b[i], &diag), &diag);
        assert_ok(gei_binding_set_input(b[i], 0, x, &diag), &diag);
        assert_ok(gei_binding_set_input(b[i], 1, x, &diag), &diag);
        assert_ok(gei_binding_run(b[i], NULL, &diag), &diag);
        gei_tensor_release(x);
    }
    gei_shape shapes[2] = { gei_shape_of(1, (gei_dim[]){ 7 }), gei_shape_of(1, (gei_dim[]){ 7 }) };
    const gei_instance *seven, *again;
    assert_ok(gei_model_instance(model, shapes, &seven, &diag), &diag);
    run_n(model, &heap.from, 8);
    assert_int_equal(seven->input_shapes[0].dims[0], 7);
    assert_ok(gei_model_instance(model, shapes, &again, &diag), &diag);
    assert_ptr_not_equal(seven, again);
    gei_model_instance_release(model, seven);
    gei_model_instance_release(model, again);
    for (int i = 0; i < 3; i++) {
        assert_ok(gei_binding_run(b[i], NULL, &diag), &diag);
        assert_int_equal(gei_binding_output(b[i], 0)->n_elems, i + 1);
        gei_binding_destroy(b[i]);
    }
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void known_shapes_with_given_outputs_allocate_nothing(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    ge_test_heap_init(&heap);
    gei_model *model = exec_model(&heap.from, SUM);
    gei_tensor *in[2][2], *out[2][1];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++) in[k][i] = exec_vector(&heap.from, 10 + k, 1);
        out[k][0] = exec_vector(&heap.from, 10 + k, 0);
        assert_ok(gei_model_run(model, in[k], out[k], NULL, &diag), &diag);
    }
    uint64_t before = heap.n_allocs;
    for (int i = 0; i < 100; i++) assert_ok(gei_model_run(model, in[i % 2], out[i % 2], NULL, &diag), &diag);
    assert_int_equal(heap.n_allocs, before);
    assert_int_equal(exec_stats(model).runs, 102);
    assert_int_equal(exec_stats(model).frames_made, 2);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++) gei_tensor_release(in[k][i]);
        gei_tensor_release(out[k][0]);
    }
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

/* One value of the arena's own: s is read twice. */
#define HEAVY "graph \"g\" { %x = Data[index=0] : f32[n]  %y = Data[index=1] : f32[n]  %s = Add(x1=%x, x2=%y)  %a = Relu(x=%s)" \
              "  %b = Relu(x=%a)  %k = Const[value=f32[1]{0}]  %z = Mul(x1=%b, x2=%k)  %r = Add(x1=%s, x2=%z)  return %r }"

static void many_shapes_need_the_memory_of_the_largest(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_model_options options = { .max_threads = 1 };
    gei_model *model = exec_model_with(&heap.from, HEAVY, &options);
    for (int64_t n = 10000; n < 10010; n++) run_n(model, &heap.from, n);
    gei_model_stats stats = exec_stats(model);
    assert_int_equal(stats.instances_made, 10);
    assert_true(stats.arena_bytes >= 40000);
    assert_true(stats.idle_bytes >= 40000 && stats.idle_bytes < 50000);
    uint64_t before = stats.heap_allocations_in_runs;
    for (int64_t n = 10000; n < 10010; n++) run_n(model, &heap.from, n);
    assert_int_equal(exec_stats(model).heap_allocations_in_runs, before + 10); /* the outputs */
    gei_model_trim(model, 0);
    assert_int_equal(exec_stats(model).idle_bytes, 0);
    run_n(model, &heap.from, 10009);
    assert_int_equal(exec_stats(model).runs, 21);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void idle_memory_is_bounded(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    ge_test_heap_init(&heap);
    gei_model_options options = { .max_threads = 1, .max_idle_bytes = 100000 };
    gei_model *model = exec_model_with(&heap.from, HEAVY, &options);
    gei_binding *b[5];
    gei_tensor *x = exec_vector(&heap.from, 10000, 1);
    for (int i = 0; i < 5; i++) {
        assert_ok(gei_binding_create(model, &b[i], &diag), &diag);
        assert_ok(gei_binding_set_input(b[i], 0, x, &diag), &diag);
        assert_ok(gei_binding_set_input(b[i], 1, x, &diag), &diag);
        assert_ok(gei_binding_run(b[i], NULL, &diag), &diag);
    }
    assert_int_equal(exec_stats(model).idle_bytes, 0);
    for (int i = 0; i < 5; i++) {
        assert_ok(gei_binding_run(b[i], NULL, &diag), &diag);
        assert_true(exec_at(gei_binding_output(b[i], 0), 9) == 20);
        gei_binding_destroy(b[i]);
    }
    assert_true(exec_stats(model).idle_bytes > 0 && exec_stats(model).idle_bytes <= 100000);
    gei_tensor_release(x);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

/* ---- threads ---- */

enum { THREADS = 8, RUNS = 400 };

typedef struct worker {
    gei_model *model;
    const gei_allocator *from;
    pthread_t thread;
    int index, failures;
} worker;

static void *work(void *arg) {
    worker *w = arg;
    for (int i = 0; i < RUNS; i++) {
        gei_tensor *in[2], *out[1] = { NULL };
        int64_t n = 1 + (i + w->index) % 5;
        for (int k = 0; k < 2; k++) {
            if (gei_tensor_create(w->from, GEI_FLOAT32, 1, &n, &in[k], NULL) != GE_OK) abort();
            for (int64_t e = 0; e < n; e++) ((float *)in[k]->data)[e] = (float)(w->index * 1000 + i);
        }
        if (gei_model_run(w->model, in, out, NULL, NULL) != GE_OK) w->failures++;
        for (int64_t e = 0; e < n && out[0]; e++) w->failures += exec_at(out[0], e) != 2 * (float)(w->index * 1000 + i);
        for (int k = 0; k < 2; k++) gei_tensor_release(in[k]);
        gei_tensor_release(out[0]);
    }
    return NULL;
}

static void many_threads_run_one_model(void **state) {
    (void)state;
    ge_test_heap heap;
    worker workers[THREADS];
    ge_test_heap_init(&heap);
    gei_model_options options = { .max_threads = 2, .max_instances = 3 };
    gei_model *model = exec_model_with(&heap.from, SUM, &options);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){ .model = model, .from = &heap.from, .index = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].failures, 0);
    }
    assert_int_equal(exec_stats(model).runs, THREADS * RUNS);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

/* ---- size ---- */

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* x + 1 + 1 + ... */
static gei_graph *chain(const gei_allocator *from, uint32_t n) {
    gei_graph *g;
    gei_node *data, *one, *node;
    gei_diag diag = { 0 };
    gei_shape shape = gei_shape_of(1, (gei_dim[]){ 1 });
    const gei_op_def *add = gei_catalogue_find("Add", 3);
    assert_ok(gei_graph_create(from, "chain", &g, &diag), &diag);
    assert_ok(gei_graph_add_data(g, "x", 0, GEI_FLOAT32, &shape, &data, &diag), &diag);
    gei_tensor *t = exec_vector(from, 1, 1);
    assert_ok(gei_graph_add_const(g, "one", t, &one, &diag), &diag);
    gei_tensor_release(t);
    gei_value v = gei_value_of(data, 0);
    for (uint32_t i = 0; i < n; i++) {
        assert_ok(gei_graph_add_node(g, add, NULL, NULL, NULL, &node, &diag), &diag);
        gei_slot_set(&node->ins[0], v);
        gei_slot_set(&node->ins[1], gei_value_of(one, 0));
        v = gei_value_of(node, 0);
    }
    assert_ok(gei_graph_set_outputs(g, &v, NULL, 1, &diag), &diag);
    return g;
}

static void run_chain(uint32_t n) {
    ge_test_heap heap;
    gei_diag diag = { 0 };
    gei_plan *plan;
    gei_model *model;
    gei_plan_options options = { .isa = gei_isa() };
    gei_model_options model_options = { .max_threads = 1 };
    ge_test_heap_init(&heap);
    gei_graph *g = chain(&heap.from, n);
    double t0 = now_s();
    assert_ok(gei_plan_create(g, &options, &heap.from, &plan, &diag), &diag);
    double t1 = now_s();
    assert_ok(gei_model_create(plan, &model_options, &heap.from, &model, &diag), &diag);
    gei_tensor *in = exec_vector(&heap.from, 1, 0), *out = NULL;
    assert_ok(gei_model_run(model, &in, &out, NULL, &diag), &diag);
    double t2 = now_s();
    assert_floats(out, (float)n);
    assert_ok(gei_model_run(model, &in, &out, NULL, &diag), &diag);
    double t3 = now_s();
    print_message("%u nodes: plan %.0f ns, first run %.0f ns, run %.1f ns, %.0f bytes a node\n", n, 1e9 * (t1 - t0) / n,
                  1e9 * (t2 - t1) / n, 1e9 * (t3 - t2) / n, (double)heap.live_bytes / n);
    gei_tensor_release(in);
    gei_tensor_release(out);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void long_chains_run(void **state) {
    (void)state;
    run_chain(10000);
    run_chain(100000);
    if (getenv("GE_TEST_FULL")) run_chain(1000000);
}

static ge_status use(const gei_allocator *from, void *arg) {
    const char *text = arg;
    gei_graph *g = NULL;
    gei_plan *plan = NULL;
    gei_model *model = NULL;
    gei_tensor *x = NULL, *out[2] = { NULL, NULL };
    gei_plan_options options = { .isa = gei_isa() };
    gei_model_options model_options = { .max_threads = 1, .max_instances = 1 };
    ge_status st = GE_OK;
    GEI_TRY(gei_graph_parse(from, text, strlen(text), exec_find, NULL, &g, NULL));
    GEI_TRY(gei_plan_create(g, &options, from, &plan, NULL));
    GEI_TRY(gei_model_create(plan, &model_options, from, &model, NULL));
    for (int64_t n = 3; n < 6 && st == GE_OK; n++) {
        st = gei_tensor_create(from, GEI_FLOAT32, 1, &n, &x, NULL);
        if (st != GE_OK) break;
        memset(x->data, 0, x->size_bytes);
        gei_tensor *in[2] = { x, x };
        st = gei_model_run(model, in, out, NULL, NULL);
        assert_true(st == GE_OK || (!out[0] && !out[1]));
        gei_tensor_release(x);
        for (int i = 0; i < 2; i++) gei_tensor_release(out[i]);
        out[0] = out[1] = NULL;
    }
    gei_model_release(model);
    return st;
}

static void each_refused_allocation_is_an_error(void **state) {
    (void)state;
    ge_test_each_allocation_fails(use, "graph \"g\" { %x = Data[index=0] : f32[n]  %y = Data[index=1] : f32[n]"
                                       "  %s = Add(x1=%x, x2=%y)  %r = Relu(x=%s)  %t = Tanh(x=%s)  return %r, %t }");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_makes_outputs_or_writes_into_given_ones),
        cmocka_unit_test(a_failed_run_leaves_outputs_as_they_were),
        cmocka_unit_test(the_cache_keeps_the_latest_shapes_within_its_bound),
        cmocka_unit_test(an_instance_in_use_survives_its_eviction),
        cmocka_unit_test(known_shapes_with_given_outputs_allocate_nothing),
        cmocka_unit_test(many_shapes_need_the_memory_of_the_largest),
        cmocka_unit_test(idle_memory_is_bounded),
        cmocka_unit_test(many_threads_run_one_model),
        cmocka_unit_test(long_chains_run),
        cmocka_unit_test(each_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
