/* SPDX-License-Identifier: Apache-2.0 */
/* Steps cut into parts: threads, failures, cancel; and kernels chosen with reasons. */
#include "exec/compile.h"

static const gei_op_def *parts_find(void *user, const char *name, size_t name_size);
#define EXEC_FIND parts_find
#include "unit/exec/exec_test.h"

enum { N_PARTS = 16 };

/* Cut(x) -> x + part: what its parts do is set by the test. */
static struct {
    _Atomic uint32_t n_run;
    uint32_t failing_part, cancelling_part;
    atomic_uint cancel;
    uint32_t n_destroyed;
} cut;

static ge_status cut_size(gei_sizing *s, gei_diag *diag) {
    (void)diag;
    s->n_parts = N_PARTS;
    s->part_scratch_bytes = 100;
    s->cost = 5;
    return GE_OK;
}
static ge_status cut_run(const gei_run *run, uint32_t part) {
    int64_t begin, end;
    char *scratch = run->scratch;
    if ((uintptr_t)scratch % GEI_ALIGN_BYTES != 0) return GE_ERR_INTERNAL;
    memset(scratch, (int)part, 100);
    atomic_fetch_add(&cut.n_run, 1);
    if (part == cut.cancelling_part) atomic_store(&cut.cancel, 1);
    if (part == cut.failing_part) return part == 0 ? gei_fail(run->diag, GE_ERR_EXECUTION, "Cut: words of part 0") : GE_ERR_EXECUTION;
    gei_part_range(run->in[0]->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t i = begin; i < end; i++) ((float *)run->out[0]->data)[i] = ((const float *)run->in[0]->data)[i] + (float)scratch[99];
    return GE_OK;
}
static bool cut_refuses(const gei_choice *c, gei_reason *why) { return gei_refuse(why, "isa %u is not enough", c->isa); }
static ge_status cut_prepare(gei_prepare *p, gei_diag *diag) {
    (void)diag;
    p->prepared = gei_arena_new(p->arena, int);
    p->packed_bytes = 40;
    return p->prepared ? GE_OK : GE_ERR_OUT_OF_MEMORY;
}
static void cut_destroy(void *prepared) { cut.n_destroyed += prepared != NULL; }
static const gei_kernel cut_kernels[] = {
    { .name = "fast", .accepts = cut_refuses, .run = cut_run },
    { .name = "good", .prepare = cut_prepare, .size = cut_size, .run = cut_run, .destroy = cut_destroy },
    { .name = "ref", .size = cut_size, .run = cut_run },
    { 0 },
};
static const gei_op cut_row = { .name = "Cut", .infer = gei_infer_like_x, .kernels = cut_kernels, .traits = GEI_OP_PURE };
static const gei_kernel picky_kernels[] = { { .name = "picky", .accepts = cut_refuses, .run = cut_run }, { 0 } };
static const gei_op picky_row = { .name = "Picky", .infer = gei_infer_like_x, .kernels = picky_kernels, .traits = GEI_OP_PURE };
static const gei_port_def port_x[] = { { .name = "x" } }, port_y[] = { { .name = "y" } };
static const gei_op_def parts_defs[] = {
    { .name = "Cut", .inputs = port_x, .n_inputs = 1, .outputs = port_y, .n_outputs = 1, .own_row = &cut_row },
    { .name = "Picky", .inputs = port_x, .n_inputs = 1, .outputs = port_y, .n_outputs = 1, .own_row = &picky_row },
};

static const gei_op_def *parts_find(void *user, const char *name, size_t name_size) {
    for (size_t i = 0; i < GEI_COUNT(parts_defs); i++)
        if (strlen(parts_defs[i].name) == name_size && memcmp(parts_defs[i].name, name, name_size) == 0) return &parts_defs[i];
    return exec_find(user, name, name_size);
}

#define CUT "graph \"g\" { %x = Data[index=0] : f32[n]  %y = Cut(x=%x)  return %y }"

static ge_status run(gei_model *model, gei_tensor **out, uint32_t threads, gei_diag *diag) {
    gei_tensor *x = exec_vector(&gei_heap, N_PARTS, 0);
    gei_run_options options = { .max_threads = threads, .cancel = &cut.cancel };
    atomic_store(&cut.n_run, 0);
    atomic_store(&cut.cancel, 0);
    memset(diag, 0, sizeof *diag);
    ge_status st = gei_model_run(model, &x, out, &options, diag);
    gei_tensor_release(x);
    return st;
}

static void every_part_runs_once_whatever_the_threads(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag;
    ge_test_heap_init(&heap);
    cut.failing_part = cut.cancelling_part = UINT32_MAX;
    gei_model *model = exec_model(&heap.from, CUT);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        gei_tensor *out = NULL;
        assert_ok(run(model, &out, threads, &diag), &diag);
        assert_int_equal(cut.n_run, N_PARTS);
        for (int64_t i = 0; i < N_PARTS; i++) assert_true(exec_at(out, i) == (float)(2 * i));
        gei_tensor_release(out);
    }
    assert_int_equal(exec_stats(model).scratch_bytes, 2 * 128); /* as many as the model may use threads */
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void a_failing_part_fails_the_run(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag;
    gei_tensor *out = NULL;
    ge_test_heap_init(&heap);
    gei_model *model = exec_model(&heap.from, CUT);
    cut.cancelling_part = UINT32_MAX;
    cut.failing_part = 3;
    assert_fails_with(run(model, &out, 1, &diag), &diag, "Cut 'y' failed");
    assert_int_equal(cut.n_run, 4); /* the parts behind it are left out */
    assert_string_equal(diag.node, "y");
    assert_fails_with(run(model, &out, 2, &diag), &diag, "Cut 'y' failed");
    cut.failing_part = 0;
    assert_fails_with(run(model, &out, 1, &diag), &diag, "words of part 0");
    assert_int_equal(diag.status, GE_ERR_EXECUTION);
    cut.failing_part = UINT32_MAX;
    assert_ok(run(model, &out, 2, &diag), &diag);
    gei_tensor_release(out);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void cancel_takes_effect_at_the_next_part(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag;
    gei_tensor *out = NULL;
    ge_test_heap_init(&heap);
    gei_model *model = exec_model(&heap.from, CUT);
    cut.failing_part = UINT32_MAX;
    cut.cancelling_part = 5;
    assert_fails_with(run(model, &out, 1, &diag), &diag, "cancelled");
    assert_int_equal(cut.n_run, 6);
    assert_null(out);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

/* Nor does any step behind it begin, on any thread, in line or in lanes. */
static void cancel_keeps_later_steps_from_beginning(void **state) {
    (void)state;
    static const char chain[] = "graph \"g\" { %x = Data[index=0] : f32[n]  %a = Cut(x=%x)  %b = Cut(x=%a)  %c = Cut(x=%b)  return %c }";
    static const char lanes[] = "graph \"g\" { %x = Data[index=0] : f32[16]  %a = Cut(x=%x)  %b = Cut(x=%a)  %c = Cut(x=%x)  %d = Cut(x=%c)"
                                "  %y = Add(x1=%b, x2=%d)  %z = Cut(x=%y)  return %z }";
    ge_test_heap heap;
    gei_diag diag = { 0 };
    gei_plan *plan;
    gei_model *model;
    gei_tensor *out = NULL;
    gei_plan_options branch = { .isa = gei_isa(), .max_threads = 2, .always_branch = true };
    gei_model_options two = { .max_threads = 2 };
    ge_test_heap_init(&heap);
    cut.failing_part = UINT32_MAX;
    cut.cancelling_part = 5;
    model = exec_model(&heap.from, chain);
    assert_fails_with(run(model, &out, 1, &diag), &diag, "cancelled");
    assert_int_equal(cut.n_run, 6);
    for (int i = 0; i < 50; i++) {
        assert_fails_with(run(model, &out, 2, &diag), &diag, "cancelled");
        assert_in_range(cut.n_run, 1, N_PARTS); /* of the first step */
    }
    gei_model_release(model);
    assert_ok(gei_plan_create(exec_graph(&heap.from, lanes), &branch, &heap.from, &plan, &diag), &diag);
    assert_ok(gei_model_create(plan, &two, &heap.from, &model, &diag), &diag);
    for (int i = 0; i < 50; i++) {
        assert_fails_with(run(model, &out, 2, &diag), &diag, "cancelled");
        assert_in_range(cut.n_run, 1, 2 * N_PARTS); /* at most the first step of each lane */
        assert_null(out);
    }
    assert_int_equal(exec_stats(model).most_lanes, 2);
    gei_model_release(model);
    ge_test_heap_check(&heap);
}

static void choices_and_refusals_are_written_down(void **state) {
    (void)state;
    ge_test_heap heap;
    char text[2048];
    ge_test_heap_init(&heap);
    cut.n_destroyed = 0;
    gei_plan *plan = exec_plan(&heap.from, CUT);
    exec_print(plan, NULL, text, sizeof text);
    assert_non_null(strstr(text, "kernel Cut 'y' good\n"));
    assert_non_null(strstr(text, "notes:\nCut 'y': fast refused: isa "));
    assert_int_equal(plan->packed_bytes, 40);
    gei_plan_destroy(plan);
    assert_int_equal(cut.n_destroyed, 1);
    gei_plan_options options = { .reference_only = true };
    gei_diag diag = { 0 };
    assert_ok(gei_plan_create(exec_graph(&heap.from, CUT), &options, &heap.from, &plan, &diag), &diag);
    exec_print(plan, NULL, text, sizeof text);
    assert_non_null(strstr(text, "kernel Cut 'y' ref\n"));
    gei_plan_destroy(plan);
    gei_graph *picky = exec_graph(&heap.from, "graph \"g\" { %x = Data[index=0] : f32[n]  %y = Picky(x=%x)  return %y }");
    assert_fails_with(gei_plan_create(picky, &options, &heap.from, &plan, &diag), &diag, "Picky 'y': no kernel accepts it: isa 0 is not enough");
    assert_int_equal(diag.status, GE_ERR_NO_KERNEL);
    ge_test_heap_check(&heap);
}

/* ---- compile ---- */

static ge_status count_nodes(gei_graph *g, void *user, gei_facts *facts, gei_diag *diag) {
    (void)facts;
    (void)diag;
    *(uint32_t *)user = g->n_live;
    return GE_OK;
}
static ge_status refuse(gei_graph *g, void *user, gei_facts *facts, gei_diag *diag) {
    (void)facts;
    (void)g;
    (void)user;
    return gei_fail(diag, GE_ERR_PASS, "no");
}
static bool stop(void *user, const char *what, uint32_t n_done, uint32_t total) {
    (void)what;
    (void)total;
    return n_done < *(uint32_t *)user;
}

static void compile_leaves_the_graph_alone_and_cleans_up(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    gei_model *model = NULL;
    uint32_t n = 0, stop_at = 0;
    gei_compile_options options = { .plan = { .isa = gei_isa() }, .model = { .max_threads = 1 } };
    ge_test_heap_init(&heap);
    gei_graph *g = exec_graph(&heap.from, CUT);
    assert_ok(gei_compile(g, count_nodes, &n, &options, &heap.from, &model, &diag), &diag);
    assert_int_equal(n, 3);
    assert_ptr_not_equal(gei_model_plan(model)->graph, g);
    gei_model_release(model);
    assert_fails_with(gei_compile(g, refuse, NULL, &options, &heap.from, &model, &diag), &diag, "no");
    options.progress = stop;
    options.progress_user = &stop_at;
    for (; stop_at < 2; stop_at++) {
        assert_fails_with(gei_compile(g, NULL, NULL, &options, &heap.from, &model, &diag), &diag, "cancelled");
        assert_null(model);
    }
    assert_ok(gei_compile(g, NULL, NULL, &options, &heap.from, &model, &diag), &diag);
    gei_model_release(model);
    gei_graph_destroy(g);
    ge_test_heap_check(&heap);
}

static ge_status compile_once(const gei_allocator *from, void *arg) {
    gei_graph *g = NULL;
    gei_model *model = NULL;
    gei_compile_options options = { .plan = { .isa = gei_isa() }, .model = { .max_threads = 1 } };
    (void)arg;
    GEI_TRY(gei_graph_parse(from, CUT, strlen(CUT), parts_find, NULL, &g, NULL));
    ge_status st = gei_compile(g, NULL, NULL, &options, from, &model, NULL);
    gei_model_release(model);
    gei_graph_destroy(g);
    return st;
}

static void each_refused_allocation_is_an_error(void **state) {
    (void)state;
    ge_test_each_allocation_fails(compile_once, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_runs_once_whatever_the_threads),
        cmocka_unit_test(a_failing_part_fails_the_run),
        cmocka_unit_test(cancel_takes_effect_at_the_next_part),
        cmocka_unit_test(cancel_keeps_later_steps_from_beginning),
        cmocka_unit_test(choices_and_refusals_are_written_down),
        cmocka_unit_test(compile_leaves_the_graph_alone_and_cleans_up),
        cmocka_unit_test(each_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
