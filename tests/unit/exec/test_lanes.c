/* SPDX-License-Identifier: Apache-2.0 */
/* Independent branches side by side: when the planner makes lanes, and that nothing but time depends on them. */
#include <sched.h>
#include <stdio.h>

#include "exec/compile.h"

static const gei_op_def *lanes_find(void *user, const char *name, size_t name_size);
#define EXEC_FIND lanes_find
#include "unit/exec/exec_test.h"

/* Mix(a, b) -> a / 2 + b, over either when it can be; with scratch, and slow in odd places.  Heavy does the same and says it is costly,
 * Wide also that it splits well. */
static _Thread_local uint32_t n_calls;
static const char *failing_node; /* NULL: none */

static ge_status mix_size(gei_sizing *s, gei_diag *diag) {
    (void)diag;
    s->part_scratch_bytes = 64 * sizeof(float);
    s->cost = 64;
    return GE_OK;
}
static ge_status heavy_size(gei_sizing *s, gei_diag *diag) {
    GEI_TRY(mix_size(s, diag));
    s->cost = 1e7;
    return GE_OK;
}
static ge_status wide_size(gei_sizing *s, gei_diag *diag) {
    GEI_TRY(heavy_size(s, diag));
    s->n_parts = 16;
    return GE_OK;
}
static ge_status mix_run(const gei_run *run, uint32_t part) {
    const float *a = run->in[0]->data, *b = run->in[1]->data;
    float *to = run->out[0]->data, *scratch = run->scratch;
    int64_t begin, end;
    if (failing_node && strcmp(run->node->name, failing_node) == 0) return gei_fail(run->diag, GE_ERR_EXECUTION, "Mix: told to fail");
    gei_part_range(run->in[0]->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t i = begin; i < end; i++) scratch[i - begin] = a[i] / 2;
    if (n_calls++ % 3 == 0) sched_yield();
    for (int64_t i = begin; i < end; i++) to[i] = scratch[i - begin] + b[i];
    return GE_OK;
}
static const gei_kernel mix_kernels[] = { { .name = "ref", .size = mix_size, .run = mix_run, .in_place = 3 }, { 0 } };
static const gei_kernel heavy_kernels[] = { { .name = "ref", .size = heavy_size, .run = mix_run, .in_place = 3 }, { 0 } };
static const gei_kernel wide_kernels[] = { { .name = "ref", .size = wide_size, .run = mix_run, .in_place = 3 }, { 0 } };

static ge_status mix_infer(gei_infer *i) {
    i->out[0].dtype = i->in[0]->dtype;
    i->out[0].shape = i->in[0]->shape;
    return GE_OK;
}
static const gei_op mix_row = { .name = "Mix", .infer = mix_infer, .kernels = mix_kernels, .traits = GEI_OP_PURE };
static const gei_op heavy_row = { .name = "Heavy", .infer = mix_infer, .kernels = heavy_kernels, .traits = GEI_OP_PURE };
static const gei_op wide_row = { .name = "Wide", .infer = mix_infer, .kernels = wide_kernels, .traits = GEI_OP_PURE };
static const gei_port_def ports_ab[] = { { .name = "a" }, { .name = "b" } }, port_y[] = { { .name = "y" } };
static const gei_op_def lanes_defs[] = {
    { .name = "Mix", .inputs = ports_ab, .n_inputs = 2, .outputs = port_y, .n_outputs = 1, .own_row = &mix_row },
    { .name = "Heavy", .inputs = ports_ab, .n_inputs = 2, .outputs = port_y, .n_outputs = 1, .own_row = &heavy_row },
    { .name = "Wide", .inputs = ports_ab, .n_inputs = 2, .outputs = port_y, .n_outputs = 1, .own_row = &wide_row },
};

static const gei_op_def *lanes_find(void *user, const char *name, size_t name_size) {
    for (size_t i = 0; i < GEI_COUNT(lanes_defs); i++)
        if (strlen(lanes_defs[i].name) == name_size && memcmp(lanes_defs[i].name, name, name_size) == 0) return &lanes_defs[i];
    return exec_find(user, name, name_size);
}

static ge_status make(const gei_allocator *from, const char *text, uint32_t threads, bool always, gei_model **out, gei_diag *diag) {
    gei_graph *graph = NULL;
    gei_plan *plan = NULL;
    gei_plan_options options = { .isa = gei_isa(), .max_threads = threads, .always_branch = always };
    gei_model_options model_options = { .max_threads = threads };
    *out = NULL;
    GEI_TRY(gei_graph_parse(from, text, strlen(text), EXEC_FIND, NULL, &graph, diag));
    GEI_TRY(gei_plan_create(graph, &options, from, &plan, diag));
    return gei_model_create(plan, &model_options, from, out, diag);
}

static uint32_t lanes_of(gei_model *model, uint32_t *out_stretches) {
    const gei_instance *inst;
    gei_diag diag = { 0 };
    assert_ok(gei_model_instance(model, NULL, &inst, &diag), &diag);
    uint32_t lanes = inst->most_lanes;
    if (out_stretches) *out_stretches = inst->n_stretches;
    gei_model_instance_release(model, inst);
    return lanes;
}

/* ---- when ---- */

#define BRANCHES(op)                                                                                                     \
    "graph \"g\" { %x = Data[index=0] : f32[64]  %a1 = " op "(a=%x, b=%x)  %a2 = " op "(a=%a1, b=%x)  %b1 = Mix(a=%x, b=%x)" \
    "  %b2 = " op "(a=%b1, b=%x)  %b3 = " op "(a=%b2, b=%b1)  %y = Mix(a=%a2, b=%b3)  return %y }"
#define CHAIN "graph \"g\" { %x = Data[index=0] : f32[64]  %a = Heavy(a=%x, b=%x)  %b = Heavy(a=%a, b=%x)  %c = Heavy(a=%b, b=%a)  return %c }"

static void lanes_are_made_where_they_pay(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t threads, lanes;
    } cases[] = {
        { BRANCHES("Heavy"), 2, 2 }, { BRANCHES("Heavy"), 8, 2 }, { BRANCHES("Heavy"), 1, 0 }, /* two branches, two lanes */
        { BRANCHES("Wide"), 2, 0 },  /* each step uses both threads anyway */
        { BRANCHES("Mix"), 2, 0 },   /* nothing to gain */
        { CHAIN, 2, 0 },             /* nothing is independent */
    };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        gei_model *model;
        gei_diag diag = { 0 };
        assert_ok(make(&gei_heap, cases[i].text, cases[i].threads, false, &model, &diag), &diag);
        assert_int_equal(lanes_of(model, NULL), cases[i].lanes);
        gei_model_release(model);
    }
}

static void the_text_of_a_plan_shows_lanes(void **state) {
    (void)state;
    gei_model *model;
    const gei_instance *inst;
    gei_diag diag = { 0 };
    char text[4096];
    assert_ok(make(&gei_heap, BRANCHES("Heavy"), 2, false, &model, &diag), &diag);
    assert_ok(gei_model_instance(model, NULL, &inst, &diag), &diag);
    exec_print(gei_model_plan(model), inst, text, sizeof text);
    assert_non_null(strstr(text, "lane 0"));
    assert_non_null(strstr(text, "lane 1"));
    gei_model_instance_release(model, inst);
    gei_model_release(model);
}

/* ---- nothing but time ---- */

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

enum { N_NODES = 60, N_OUTPUTS = 3 };

/* Nodes read what is mostly near them, so that branches grow; now and then they meet. */
static void random_graph(uint64_t seed, char *to, size_t cap) {
    uint32_t tips[4] = { 0 }; /* last value of each branch; 0: the input */
    size_t used = (size_t)snprintf(to, cap, "graph \"g\" { %%v0 = Data[index=0] : f32[64]");
    for (uint32_t i = 1; i <= N_NODES; i++) {
        uint32_t branch = next_random(&seed) % 4, a = tips[branch];
        uint32_t b = next_random(&seed) % 5 == 0 ? next_random(&seed) % i : next_random(&seed) % 4 == 0 ? tips[next_random(&seed) % 4] : a;
        if (next_random(&seed) % 7 == 0) a = next_random(&seed) % i;
        used += (size_t)snprintf(to + used, cap - used, "  %%v%u = Mix(a=%%v%u, b=%%v%u)", i, a, b);
        tips[branch] = i;
    }
    used += (size_t)snprintf(to + used, cap - used, "  return %%v%u, %%v%u, %%v%u }", N_NODES, tips[1], N_NODES / 2);
    assert_true(used < cap);
}

static void run_random(gei_model *model, gei_tensor *x, gei_tensor **out) {
    gei_diag diag = { 0 };
    for (uint32_t i = 0; i < N_OUTPUTS; i++) out[i] = NULL;
    assert_ok(gei_model_run(model, &x, out, NULL, &diag), &diag);
}

static void results_do_not_depend_on_lanes(void **state) {
    (void)state;
    static char text[16384];
    uint32_t n_stretches = 0, n_graphs = 150;
    gei_tensor *x = exec_vector(&gei_heap, 64, 1);
    for (uint64_t seed = 1; seed <= n_graphs; seed++) {
        gei_model *line, *lanes;
        gei_diag diag = { 0 };
        gei_tensor *wanted[N_OUTPUTS], *got[N_OUTPUTS];
        uint32_t stretches;
        random_graph(seed, text, sizeof text);
        assert_ok(make(&gei_heap, text, 1, false, &line, &diag), &diag);
        assert_ok(make(&gei_heap, text, 2 + seed % 3, true, &lanes, &diag), &diag);
        (void)lanes_of(lanes, &stretches);
        n_stretches += stretches;
        run_random(line, x, wanted);
        for (int again = 0; again < 5; again++) {
            run_random(lanes, x, got);
            for (uint32_t i = 0; i < N_OUTPUTS; i++) {
                if (memcmp(got[i]->data, wanted[i]->data, wanted[i]->size_bytes) != 0) fail_msg("seed %u, output %u", (unsigned)seed, i);
                gei_tensor_release(got[i]);
            }
        }
        for (uint32_t i = 0; i < N_OUTPUTS; i++) gei_tensor_release(wanted[i]);
        gei_model_release(line);
        gei_model_release(lanes);
    }
    gei_tensor_release(x);
    assert_true(n_stretches > n_graphs);
}

static void a_failure_in_a_lane_names_its_node(void **state) {
    (void)state;
    gei_model *model;
    gei_tensor *x = exec_vector(&gei_heap, 64, 1), *y = NULL;
    gei_diag diag = { 0 };
    assert_ok(make(&gei_heap, BRANCHES("Heavy"), 2, true, &model, &diag), &diag);
    assert_int_equal(lanes_of(model, NULL), 2);
    static const char *const nodes[] = { "a1", "b3", "y", "a2" };
    for (size_t i = 0; i < GEI_COUNT(nodes); i++) {
        failing_node = nodes[i];
        assert_fails_with(gei_model_run(model, &x, &y, NULL, &diag), &diag, "told to fail");
        assert_string_equal(diag.node, nodes[i]);
        assert_null(y);
    }
    failing_node = NULL;
    atomic_uint cancel = 1;
    gei_run_options how = { .cancel = &cancel };
    assert_int_equal(gei_model_run(model, &x, &y, &how, &diag), GE_ERR_CANCELLED);
    how = (gei_run_options){ .deadline_ns = 1 };
    assert_int_equal(gei_model_run(model, &x, &y, &how, &diag), GE_ERR_DEADLINE);
    assert_ok(gei_model_run(model, &x, &y, NULL, &diag), &diag);
    gei_tensor_release(y);
    gei_tensor_release(x);
    gei_model_release(model);
}

static ge_status compile_and_run(const gei_allocator *from, void *arg) {
    gei_model *model = NULL;
    gei_diag diag = { 0 };
    gei_tensor *x = exec_vector(&gei_heap, 64, 1), *y = NULL;
    (void)arg;
    ge_status st = make(from, BRANCHES("Mix"), 2, true, &model, &diag);
    if (st == GE_OK) st = gei_model_run(model, &x, &y, NULL, &diag);
    gei_tensor_release(y);
    gei_tensor_release(x);
    gei_model_release(model);
    return st;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    ge_test_each_allocation_fails(compile_and_run, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_made_where_they_pay), cmocka_unit_test(the_text_of_a_plan_shows_lanes),
        cmocka_unit_test(results_do_not_depend_on_lanes), cmocka_unit_test(a_failure_in_a_lane_names_its_node),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
