/* SPDX-License-Identifier: Apache-2.0 */
/* Where values live: tests read the plan's text, which names the home of every value. */
#include "unit/exec/exec_test.h"

typedef struct planned {
    ge_test_heap heap;
    gei_plan *plan;
    gei_instance *instance;
    char text[8192];
} planned;

static void make(planned *p, const char *text, const gei_shape *shapes) {
    gei_diag diag = { 0 };
    gei_shape declared[8];
    ge_test_heap_init(&p->heap);
    p->plan = exec_plan(&p->heap.from, text);
    for (uint32_t i = 0; i < p->plan->n_inputs && !shapes; i++) declared[i] = p->plan->inputs[i].shape;
    assert_ok(gei_instance_create(p->plan, shapes ? shapes : declared, &p->instance, &diag), &diag);
    exec_print(p->plan, p->instance, p->text, sizeof p->text);
}

static void done(planned *p) {
    gei_instance_destroy(p->instance);
    gei_plan_destroy(p->plan);
    ge_test_heap_check(&p->heap);
}

static void assert_has(const planned *p, const char *part) {
    if (!strstr(p->text, part)) fail_msg("no \"%s\" in\n%s", part, p->text);
}

static gei_home home_of(const planned *p, const char *name) {
    gei_node *node = gei_graph_find_node(p->plan->graph, name, strlen(name));
    assert_non_null(node);
    return p->instance->places[p->plan->value_base[node->index]].home;
}

static void a_chain_of_kernels_that_may_overwrite_runs_in_the_output(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %a = Relu(x=%x)  %b = Tanh(x=%a)  %c = Relu(x=%b)  return %c as \"y\" }", NULL);
    assert_int_equal(p.instance->n_steps, 3);
    assert_int_equal(home_of(&p, "x"), GEI_HOME_INPUT);
    assert_int_equal(home_of(&p, "a"), GEI_HOME_OUTPUT);
    assert_int_equal(home_of(&p, "b"), GEI_HOME_OUTPUT);
    assert_int_equal(home_of(&p, "c"), GEI_HOME_OUTPUT);
    assert_int_equal(p.instance->arena_bytes, 0);
    assert_has(&p, "step 0 Relu 'a' ");
    assert_has(&p, ": in0 f32[4] -> out0 f32[4]\n");
    assert_has(&p, "output 0 \"y\" f32[4]");
    done(&p);
}

static void an_input_is_never_overwritten(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %r = Reshape(x=%x, shape=%s)  %s = Const[value=i64[2]{2 2}]"
             "  %a = Relu(x=%r)  return %a }", NULL);
    assert_int_equal(home_of(&p, "r"), GEI_HOME_INPUT);
    assert_int_equal(home_of(&p, "a"), GEI_HOME_OUTPUT);
    assert_int_equal(p.instance->n_steps, 1);
    done(&p);
}

static void a_value_read_later_is_not_overwritten(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %a = Relu(x=%x)  %b = Tanh(x=%a)  %c = Add(x1=%a, x2=%b)  return %c }", NULL);
    /* a dies at c only, so b has memory of its own; c may take over that of a. */
    assert_int_equal(home_of(&p, "a"), GEI_HOME_OUTPUT);
    assert_int_equal(home_of(&p, "b"), GEI_HOME_ARENA);
    assert_int_equal(home_of(&p, "c"), GEI_HOME_OUTPUT);
    assert_int_equal(p.instance->arena_bytes, 64);
    done(&p);
}

static void both_slots_of_one_value_may_be_overwritten_together(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %a = Relu(x=%x)  %b = Add(x1=%a, x2=%a)  return %b }", NULL);
    assert_int_equal(home_of(&p, "a"), GEI_HOME_OUTPUT);
    done(&p);
}

static void a_smaller_broadcast_input_is_not_overwritten(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %y = Data[index=1] : f32[3,4]  %a = Relu(x=%x)  %b = Relu(x=%y)"
             "  %c = Add(x1=%a, x2=%b)  return %c }", NULL);
    assert_int_equal(home_of(&p, "a"), GEI_HOME_ARENA);
    assert_int_equal(home_of(&p, "b"), GEI_HOME_OUTPUT);
    done(&p);
}

static void views_share_bytes_and_keep_them_alive(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %s = Const[value=i64[2]{2 2}]  %a = Relu(x=%x)  %v = Reshape(x=%a, shape=%s)"
             "  %b = Tanh(x=%x)  %c = Reshape(x=%b, shape=%s)  %d = Add(x1=%v, x2=%c)  return %d }", NULL);
    assert_int_equal(p.instance->n_steps, 3); /* no step for a view, and the shape is read by nobody */
    assert_int_equal(home_of(&p, "a"), home_of(&p, "v"));
    assert_int_equal(home_of(&p, "s"), GEI_HOME_NONE);
    done(&p);
}

static void outputs_that_are_inputs_constants_or_twice_the_same_are_copied(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %k = Const[value=f32[2]{1 2}]  %s = Const[value=i64[2]{2 2}]"
             "  %v = Reshape(x=%x, shape=%s)  %a = Relu(x=%x)  %w = Reshape(x=%a, shape=%s)"
             "  return %x as \"in\", %k as \"const\", %v as \"view\", %a as \"one\", %a as \"again\", %w as \"other\" }", NULL);
    const gei_out_kind want[] = { GEI_OUT_COPY, GEI_OUT_COPY, GEI_OUT_COPY, GEI_OUT_DIRECT, GEI_OUT_COPY, GEI_OUT_COPY };
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(p.instance->out_kinds[i], want[i]);
    assert_int_equal(p.instance->n_steps, 6);
    assert_has(&p, "copy const f32[2] -> out1\n");
    done(&p);
}

static void memory_of_dead_values_is_used_again(void **state) {
    (void)state;
    planned p;
    /* MatMul may not overwrite, so that each value has memory of its own; two are alive at a time. */
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[8,8]  %a = MatMulV2(x1=%x, x2=%x)  %b = MatMulV2(x1=%a, x2=%a)"
             "  %c = MatMulV2(x1=%b, x2=%b)  %d = MatMulV2(x1=%c, x2=%c)  %e = MatMulV2(x1=%d, x2=%d)  return %e }", NULL);
    assert_int_equal(p.instance->arena_bytes, 512);
    assert_int_equal(p.instance->lower_bound_bytes, 512);
    assert_int_equal(home_of(&p, "d"), GEI_HOME_ARENA);
    assert_int_equal(home_of(&p, "e"), GEI_HOME_OUTPUT);
    done(&p);
}

static void what_nobody_reads_has_no_step(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[4]  %u = Data[index=1] : f32[4]  %a = Relu(x=%x)  %dead = Tanh(x=%u)"
             "  %dead2 = Relu(x=%dead)  return %a }", NULL);
    assert_int_equal(p.instance->n_steps, 1);
    assert_int_equal(home_of(&p, "dead"), GEI_HOME_NONE);
    assert_int_equal(home_of(&p, "u"), GEI_HOME_NONE);
    done(&p);
}

static void constants_are_computed_before_the_run(void **state) {
    (void)state;
    planned p;
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[2]  %a = Const[value=f32[2]{1 2}]  %b = Const[value=f32[2]{3 5}]"
             "  %s = Add(x1=%a, x2=%b)  %y = Add(x1=%x, x2=%s)  return %y }", NULL);
    assert_int_equal(p.instance->n_steps, 1);
    assert_int_equal(home_of(&p, "s"), GEI_HOME_CONST);
    assert_int_equal(home_of(&p, "a"), GEI_HOME_NONE);
    done(&p);
}

static void shapes_of_an_instance_follow_its_inputs(void **state) {
    (void)state;
    planned p;
    gei_shape shape = gei_shape_of(2, (gei_dim[]){ 5, 3 });
    make(&p, "graph \"g\" { %x = Data[index=0] : f32[batch,3]  %a = MatMulV2(x1=%x, x2=%w)  %w = Const[value=f32[3,1]{1 2 3}]"
             "  return %a }", &shape);
    assert_false(p.plan->is_static);
    assert_has(&p, "input 0 \"x\" f32[batch,3]");
    assert_has(&p, "-> out0 f32[5,1]");
    assert_int_equal(p.instance->output_bytes[0], 20);
    done(&p);
}

static void wrong_signatures_are_refused(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    gei_instance *instance = NULL;
    ge_test_heap_init(&heap);
    gei_plan *plan = exec_plan(&heap.from, "graph \"g\" { %x = Data[index=0] : f32[n,3]  %y = Data[index=1] : f32[n,3]"
                                           "  %a = Add(x1=%x, x2=%y)  return %a }");
    gei_shape shapes[2] = { gei_shape_of(2, (gei_dim[]){ 5, 3 }), gei_shape_of(2, (gei_dim[]){ 5, 4 }) };
    assert_fails_with(gei_instance_create(plan, shapes, &instance, &diag), &diag, "input 'y': shape [5,4] does not fit [n,3]");
    shapes[1] = gei_shape_of(2, (gei_dim[]){ 6, 3 });
    assert_fails_with(gei_instance_create(plan, shapes, &instance, &diag), &diag,
                      "input 'y': dim 0 is 6, but 'n' is 5: dim 0 of input 'x'");
    shapes[1] = gei_shape_of(2, (gei_dim[]){ GEI_DIM_UNKNOWN, 3 });
    assert_fails_with(gei_instance_create(plan, shapes, &instance, &diag), &diag, "input 'y'");
    assert_null(instance);
    gei_plan_destroy(plan);
    ge_test_heap_check(&heap);
}

static void graphs_without_kernels_or_contents_are_refused(void **state) {
    (void)state;
    ge_test_heap heap;
    gei_diag diag = { 0 };
    gei_plan *plan = NULL;
    gei_plan_options options = { .isa = gei_isa() };
    ge_test_heap_init(&heap);
    const char *no_row = "graph \"g\" { %x = Data[index=0] : f32[4]  %a = Acosh(x=%x) : f32[4]  return %a }";
    gei_graph *g = exec_graph(&heap.from, no_row);
    if (!gei_op_of(gei_graph_find_node(g, "a", 1))) {
        assert_fails_with(gei_plan_create(g, &options, &heap.from, &plan, &diag), &diag, "Acosh 'a': the operator has no kernel");
        assert_string_equal(diag.node, "a");
    } else {
        gei_graph_destroy(g);
    }
    assert_null(plan);
    ge_test_heap_check(&heap);
}

static ge_status build(const gei_allocator *from, void *arg) {
    const char *text = arg;
    gei_graph *g = NULL;
    gei_plan *plan = NULL;
    gei_instance *instance = NULL;
    gei_plan_options options = { .isa = gei_isa(), .mem_effort = 10 };
    gei_shape shape = gei_shape_of(2, (gei_dim[]){ 5, 3 });
    GEI_TRY(gei_graph_parse(from, text, strlen(text), exec_find, NULL, &g, NULL));
    GEI_TRY(gei_plan_create(g, &options, from, &plan, NULL));
    ge_status st = gei_instance_create(plan, &shape, &instance, NULL);
    gei_instance_destroy(instance);
    gei_plan_destroy(plan);
    return st;
}

static void each_refused_allocation_is_an_error(void **state) {
    (void)state;
    ge_test_each_allocation_fails(build, "graph \"g\" { %x = Data[index=0] : f32[b,3]  %w = Const[value=f32[3,2]{1 2 3 4 5 6}]"
                                         "  %m = MatMulV2(x1=%x, x2=%w)  %s = Const[value=i64[1]{-1}]  %r = Reshape(x=%m, shape=%s)"
                                         "  %t = Tanh(x=%r)  return %t, %t, %x }");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_kernels_that_may_overwrite_runs_in_the_output),
        cmocka_unit_test(an_input_is_never_overwritten),
        cmocka_unit_test(a_value_read_later_is_not_overwritten),
        cmocka_unit_test(both_slots_of_one_value_may_be_overwritten_together),
        cmocka_unit_test(a_smaller_broadcast_input_is_not_overwritten),
        cmocka_unit_test(views_share_bytes_and_keep_them_alive),
        cmocka_unit_test(outputs_that_are_inputs_constants_or_twice_the_same_are_copied),
        cmocka_unit_test(memory_of_dead_values_is_used_again),
        cmocka_unit_test(what_nobody_reads_has_no_step),
        cmocka_unit_test(constants_are_computed_before_the_run),
        cmocka_unit_test(shapes_of_an_instance_follow_its_inputs),
        cmocka_unit_test(wrong_signatures_are_refused),
        cmocka_unit_test(graphs_without_kernels_or_contents_are_refused),
        cmocka_unit_test(each_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
