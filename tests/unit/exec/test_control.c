/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow, with definitions made by hand: what a node's outputs are is what the graph text says (unknown dims: found by the run). */
#include <time.h>

#include "unit/exec/late_ops.h"

static ge_status declared_infer(gei_infer *i) {
    for (uint32_t k = 0; k < i->n_out; k++) {
        i->out[k].dtype = i->node->outs[k].dtype;
        i->out[k].shape = gei_out_shape(&i->node->outs[k]);
    }
    return GE_OK;
}
#define CONTROL_ROW(id, name_, kind) \
    static const gei_op id = { .name = name_, .infer = declared_infer, .traits = GEI_OP_PURE, .control = kind }
CONTROL_ROW(if_row, "TestIf", GEI_CONTROL_IF);
CONTROL_ROW(case_row, "TestCase", GEI_CONTROL_CASE);
CONTROL_ROW(call_row, "TestCall", GEI_CONTROL_CALL);
CONTROL_ROW(while_row, "TestWhile", GEI_CONTROL_WHILE);
CONTROL_ROW(loop_row, "TestLoop", GEI_CONTROL_LOOP);
CONTROL_ROW(scan_row, "TestScan", GEI_CONTROL_SCAN);

/* Less(a f32[1], b f32[1]) -> bool[] */
static ge_status less_infer(gei_infer *i) {
    i->out[0].dtype = GEI_BOOL;
    i->out[0].shape = gei_shape_scalar();
    return GE_OK;
}
static ge_status less_run(const gei_run *run, uint32_t part) {
    (void)part;
    *(uint8_t *)run->out[0]->data = *(const float *)run->in[0]->data < *(const float *)run->in[1]->data;
    return GE_OK;
}
static const gei_kernel less_kernels[] = { { .name = "ref", .run = less_run }, { 0 } };
static const gei_op less_row = { .name = "Less1", .infer = less_infer, .kernels = less_kernels, .traits = GEI_OP_PURE };

/* Twice(x f32[n]) -> f32[2n]: grows */
static ge_status twice_infer(gei_infer *i) {
    gei_dim n = i->in[0]->shape.rank == 1 ? i->in[0]->shape.dims[0] : GEI_DIM_UNKNOWN;
    i->out[0].dtype = i->in[0]->dtype;
    i->out[0].shape = gei_shape_of(1, (gei_dim[]){ gei_dim_known(n) ? 2 * n : GEI_DIM_UNKNOWN });
    return GE_OK;
}
static const gei_kernel twice_kernels[] = { { .name = "ref", .run = repeat_run }, { 0 } };
static const gei_op twice_row = { .name = "Twice", .infer = twice_infer, .kernels = twice_kernels, .traits = GEI_OP_PURE };

static const gei_port_def cond_input[] = { { .name = "cond" }, { .name = "input", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def inputs_only[] = { { .name = "input", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def loop_inputs[] = { { .name = "trips", .kind = GEI_PORT_OPTIONAL }, { .name = "cond", .kind = GEI_PORT_OPTIONAL },
                                            { .name = "input", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def outputs_only[] = { { .name = "output", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def two_inputs[] = { { .name = "a" }, { .name = "b" } };
static const gei_subgraph_def if_graphs[] = { { "then_branch", false }, { "else_branch", false } }, case_graphs[] = { { "branches", true } };
static const gei_subgraph_def call_graphs[] = { { "f", false } }, while_graphs[] = { { "cond", false }, { "body", false } };
static const gei_subgraph_def loop_graphs[] = { { "body", false } };
static const gei_attr_def loop_attrs[] = { { .name = "carried", .kind = GEI_ATTR_INT } };
static const gei_attr_def scan_attrs[] = { { .name = "carried", .kind = GEI_ATTR_INT }, { .name = "num_scan_inputs", .kind = GEI_ATTR_INT },
                                           { .name = "scan_input_axes", .kind = GEI_ATTR_INTS }, { .name = "scan_input_directions", .kind = GEI_ATTR_INTS },
                                           { .name = "scan_output_axes", .kind = GEI_ATTR_INTS }, { .name = "scan_output_directions", .kind = GEI_ATTR_INTS } };
#define PORTS(ins, outs) .inputs = ins, .n_inputs = GEI_COUNT(ins), .outputs = outs, .n_outputs = GEI_COUNT(outs)
#define GRAPHS(list) .subgraphs = list, .n_subgraphs = GEI_COUNT(list)
static const gei_op_def control_defs[] = {
    { .name = "TestIf", PORTS(cond_input, outputs_only), GRAPHS(if_graphs), .own_row = &if_row },
    { .name = "TestCase", PORTS(cond_input, outputs_only), GRAPHS(case_graphs), .own_row = &case_row },
    { .name = "TestCall", PORTS(inputs_only, outputs_only), GRAPHS(call_graphs), .own_row = &call_row },
    { .name = "TestWhile", PORTS(inputs_only, outputs_only), GRAPHS(while_graphs), .own_row = &while_row },
    { .name = "TestLoop", PORTS(loop_inputs, outputs_only), GRAPHS(loop_graphs), .attrs = loop_attrs, .n_attrs = 1, .own_row = &loop_row },
    { .name = "TestScan", PORTS(inputs_only, outputs_only), GRAPHS(loop_graphs), .attrs = scan_attrs, .n_attrs = 6, .own_row = &scan_row },
    { .name = "Less1", PORTS(two_inputs, late_y), .own_row = &less_row },
    { .name = "Twice", PORTS(late_x, late_y), .own_row = &twice_row },
};

static const gei_op_def *control_find(void *user, const char *name, size_t name_size) {
    for (size_t i = 0; i < GEI_COUNT(control_defs); i++)
        if (strlen(control_defs[i].name) == name_size && memcmp(control_defs[i].name, name, name_size) == 0) return &control_defs[i];
    return late_find(user, name, name_size);
}

typedef struct bound {
    ge_test_heap heap;
    gei_model *model;
    gei_binding *binding;
    gei_diag diag;
} bound;

static void make(bound *b, const char *text) {
    gei_graph *g = NULL;
    gei_plan *plan = NULL;
    gei_plan_options options = { .isa = gei_isa() };
    gei_model_options model_options = { .max_threads = 1 };
    memset(b, 0, sizeof *b);
    ge_test_heap_init(&b->heap);
    assert_ok(gei_graph_parse(&b->heap.from, text, strlen(text), control_find, NULL, &g, &b->diag), &b->diag);
    assert_ok(gei_plan_create(g, &options, &b->heap.from, &plan, &b->diag), &b->diag);
    assert_ok(gei_model_create(plan, &model_options, &b->heap.from, &b->model, &b->diag), &b->diag);
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

static void set_bool(bound *b, uint32_t index, bool value) {
    gei_tensor *t = NULL;
    assert_ok(gei_tensor_create(&b->heap.from, GEI_BOOL, 0, NULL, &t, &b->diag), &b->diag);
    *(uint8_t *)t->data = value;
    set_input(b, index, t);
}

static void run(bound *b) { assert_ok(gei_binding_run(b->binding, NULL, &b->diag), &b->diag); }
static gei_tensor *output(const bound *b, uint32_t i) { return gei_binding_output(b->binding, i); }

#define BRANCHES \
    "graph \"t\" { %a = Data[index=0] : f32[n]  %y = Add(x1=%a, x2=%a)  return %y }" \
    "graph \"e\" { %a = Data[index=0] : f32[n]  %k = Const[value=f32[1]{-1}]  %y = Mul(x1=%a, x2=%k)  return %y }"

static void if_runs_one_branch_into_its_place(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[2]"
             "  %o = TestIf(cond=%c, input=[%x]) [then_branch=@t, else_branch=@e] : f32[2]  %y = Relu(x=%o)  return %o, %y }" BRANCHES);
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 3));
    set_bool(&b, 0, true);
    run(&b);
    assert_floats(output(&b, 0), 6, 8);
    set_bool(&b, 0, false);
    run(&b);
    assert_floats(output(&b, 0), -3, -4);
    assert_floats(output(&b, 1), 0, 0);
    uint64_t before = b.heap.n_allocs;
    for (int i = 0; i < 10; i++) run(&b);
    assert_int_equal(b.heap.n_allocs, before);
    done(&b);
}

/* Each body keeps memory of its own beside that of the graph around it. */
static void figures_hold_the_bodies(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[1024]  %o = TestCall(input=[%x]) [f=@f] : f32[1024]  return %o }"
             "graph \"f\" { %a = Data[index=0] : f32[1024]  %b = Add(x1=%a, x2=%a)  %c = TestCall(input=[%b]) [f=@h] : f32[1024]  return %c }"
             "graph \"h\" { %a = Data[index=0] : f32[1024]  %b = Add(x1=%a, x2=%a)  %c = Mul(x1=%b, x2=%a)  %d = Add(x1=%c, x2=%b)  return %d }");
    gei_model_stats stats;
    gei_model_stats_get(b.model, &stats);
    uint64_t before = stats.arena_bytes;
    assert_ok(gei_model_plan_static(b.model, &b.diag), &b.diag);
    gei_model_stats_get(b.model, &stats);
    if (before >= 4096 || stats.arena_bytes < before + 2 * 4096)
        fail_msg("arena of the graph %llu, with its bodies %llu", (unsigned long long)before, (unsigned long long)stats.arena_bytes);
    assert_true(stats.lower_bound_bytes >= 4096 && stats.lower_bound_bytes <= stats.arena_bytes);
    done(&b);
}

static void branches_may_give_different_shapes(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[n]"
             "  %o = TestIf(cond=%c, input=[%x]) [then_branch=@t, else_branch=@e] : f32[?]  %y = Relu(x=%o)  return %y }"
             "graph \"t\" { %a = Data[index=0] : f32[n]  %y = Twice(x=%a)  return %y }"
             "graph \"e\" { %a = Data[index=0] : f32[n]  %i = Positive(x=%a)  %y = Pick(x=%a, index=%i)  return %y }");
    set_input(&b, 1, exec_vector(&b.heap.from, 3, -1));
    set_bool(&b, 0, true);
    run(&b);
    assert_floats(output(&b, 0), 0, 0, 1, 0, 0, 1);
    set_bool(&b, 0, false);
    run(&b);
    assert_floats(output(&b, 0), 1);
    done(&b);
}

static void a_branch_that_breaks_its_promise_is_an_error(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[2]"
             "  %o = TestIf(cond=%c, input=[%x]) [then_branch=@t, else_branch=@t2] : f32[2]  return %o }"
             "graph \"t\" { %a = Data[index=0] : f32[n]  %y = Twice(x=%a)  return %y }"
             "graph \"t2\" { %a = Data[index=0] : f32[n]  return %a }");
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 3));
    set_bool(&b, 0, true);
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "TestIf 'o': output 0 is float32[4], planned was float32[2]");
    assert_string_equal(b.diag.node, "o");
    set_bool(&b, 0, false);
    run(&b);
    assert_floats(output(&b, 0), 3, 4);
    done(&b);
}

static void an_error_inside_a_body_names_the_inner_node(void **state) {
    (void)state;
    bound b;
    int64_t index[] = { 7 };
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[n]  %i = Data[index=1] : i64[k]  %o = TestCall(input=[%x, %i]) [f=@f] : f32[?]  return %o }"
             "graph \"f\" { %x = Data[index=0] : f32[n]  %i = Data[index=1] : i64[k]  %deep = Pick(x=%x, index=%i)  return %deep }");
    set_input(&b, 0, exec_vector(&b.heap.from, 3, 0));
    set_input(&b, 1, exec_i64(&b.heap.from, 1, index));
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "Pick: index 7");
    assert_string_equal(b.diag.node, "deep");
    index[0] = 2;
    set_input(&b, 1, exec_i64(&b.heap.from, 1, index));
    run(&b);
    assert_floats(output(&b, 0), 2);
    done(&b);
}

static void body_inputs_without_a_type_take_that_of_their_value(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[n]  %o = TestCall(input=[%x]) [f=@f] : f32[?]  return %o }"
             "graph \"f\" { %x = Data[index=0]  %y = Add(x1=%x, x2=%x)  return %y }");
    set_input(&b, 0, exec_vector(&b.heap.from, 3, 1));
    run(&b);
    assert_floats(output(&b, 0), 2, 4, 6);
    done(&b);
}

static void case_out_of_range_takes_the_last_branch(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : i64[1]  %x = Data[index=1] : f32[2]"
             "  %o = TestCase(cond=%c, input=[%x]) [branches=@t, branches=@e] : f32[2]  return %o }" BRANCHES);
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 3));
    for (int64_t i = -1; i <= 2; i++) {
        set_input(&b, 0, exec_i64(&b.heap.from, 1, &i));
        run(&b);
        if (i == 0) assert_floats(output(&b, 0), 6, 8);
        else assert_floats(output(&b, 0), -3, -4);
    }
    done(&b);
}

/* Fibonacci: values change places, one is passed on unchanged. */
#define FIBONACCI \
    "graph \"g\" { %a = Data[index=0] : f32[1]  %b = Data[index=1] : f32[1]  %limit = Data[index=2] : f32[1]" \
    "  %o, %o:1, %o:2 = TestWhile(input=[%a, %b, %limit]) [cond=@c, body=@s] : f32[1], f32[1], f32[1]  return %o, %o:1, %o:2 }" \
    "graph \"c\" { %a = Data[index=0] : f32[1]  %b = Data[index=1] : f32[1]  %l = Data[index=2] : f32[1]  %y = Less1(a=%b, b=%l)  return %y }" \
    "graph \"s\" { %a = Data[index=0] : f32[1]  %b = Data[index=1] : f32[1]  %l = Data[index=2] : f32[1]  %n = Add(x1=%a, x2=%b)" \
    "  return %b, %n, %l }"

static void while_carries_values_that_change_places(void **state) {
    (void)state;
    bound b;
    make(&b, FIBONACCI);
    set_input(&b, 0, exec_vector(&b.heap.from, 1, 0));
    set_input(&b, 1, exec_vector(&b.heap.from, 1, 1));
    set_input(&b, 2, exec_vector(&b.heap.from, 1, 1000));
    run(&b);
    assert_floats(output(&b, 0), 987);
    assert_floats(output(&b, 1), 1597);
    assert_floats(output(&b, 2), 1000);
    set_input(&b, 2, exec_vector(&b.heap.from, 1, 0)); /* no iteration */
    run(&b);
    assert_floats(output(&b, 0), 0);
    assert_floats(output(&b, 1), 1);
    set_input(&b, 2, exec_vector(&b.heap.from, 1, 100));
    run(&b);
    assert_floats(output(&b, 1), 144);
    uint64_t before = b.heap.n_allocs;
    for (int i = 0; i < 10; i++) run(&b);
    assert_int_equal(b.heap.n_allocs, before);
    done(&b);
}

static void carried_shapes_may_change(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %n = Data[index=0] : f32[1]  %x = Data[index=1] : f32[k]"
             "  %o, %o:1 = TestWhile(input=[%n, %x]) [cond=@c, body=@s] : f32[1], f32[?]  return %o, %o:1 }"
             "graph \"c\" { %n = Data[index=0] : f32[1]  %x = Data[index=1] : f32[k]  %l = Const[value=f32[1]{3}]  %y = Less1(a=%n, b=%l)  return %y }"
             "graph \"s\" { %n = Data[index=0] : f32[1]  %x = Data[index=1] : f32[k]  %one = Const[value=f32[1]{1}]  %m = Add(x1=%n, x2=%one)"
             "  %y = Twice(x=%x)  return %m, %y }");
    set_input(&b, 0, exec_vector(&b.heap.from, 1, 1));
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 5));
    run(&b);
    assert_floats(output(&b, 0), 3);
    assert_floats(output(&b, 1), 5, 6, 5, 6, 5, 6, 5, 6);
    uint64_t before = b.heap.n_allocs;
    for (int i = 0; i < 10; i++) run(&b);
    assert_int_equal(b.heap.n_allocs, before);
    done(&b);
}

static void an_endless_loop_can_be_stopped(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[1]  %o = TestWhile(input=[%x]) [cond=@c, body=@s] : f32[1]  return %o }"
             "graph \"c\" { %x = Data[index=0] : f32[1]  %y = Const[value=bool[]{1}]  return %y }"
             "graph \"s\" { %x = Data[index=0] : f32[1]  return %x }");
    gei_run_options options = { .deadline_ns = 1 };
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    options.deadline_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec + 20000000;
    set_input(&b, 0, exec_vector(&b.heap.from, 1, 0));
    assert_fails_with(gei_binding_run(b.binding, &options, &b.diag), &b.diag, "deadline");
    done(&b);
}

/* sum += x * 1; items: the sum after each iteration. */
#define RUNNING_SUM(given) \
    "graph \"g\" { %t = Data[index=0] : i64[1]  %s = Data[index=1] : f32[2]  %x = Data[index=2] : f32[2]" \
    "  %o, %o:1 = TestLoop(" given "input=[%s, %x]) [body=@b, carried=1] : f32[2], f32[?,2]  return %o, %o:1 }" \
    "graph \"b\" { %i = Data[index=0] : i64[]  %c = Data[index=1] : bool[]  %s = Data[index=2] : f32[2]  %x = Data[index=3] : f32[2]" \
    "  %y = Add(x1=%s, x2=%x)  return %c, %y, %y }"

static void loop_counts_carries_and_collects(void **state) {
    (void)state;
    bound b;
    int64_t trips = 3;
    make(&b, RUNNING_SUM("trips=%t, "));
    set_input(&b, 0, exec_i64(&b.heap.from, 1, &trips));
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 0));
    set_input(&b, 2, exec_vector(&b.heap.from, 2, 10));
    run(&b);
    assert_floats(output(&b, 0), 30, 34);
    assert_floats(output(&b, 1), 10, 12, 20, 23, 30, 34);
    assert_int_equal(output(&b, 1)->dims[0], 3);
    trips = 0;
    set_input(&b, 0, exec_i64(&b.heap.from, 1, &trips));
    run(&b);
    assert_floats(output(&b, 0), 0, 1);
    assert_int_equal(output(&b, 1)->dims[0], 0);
    assert_int_equal(output(&b, 1)->dims[1], 2);
    done(&b);
}

static void loop_ends_when_its_body_says_so(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %s = Data[index=0] : f32[1]  %o, %o:1 = TestLoop(input=[%s]) [body=@b, carried=1] : f32[1], i64[?]  return %o, %o:1 }"
             "graph \"b\" { %i = Data[index=0] : i64[]  %c = Data[index=1] : bool[]  %s = Data[index=2] : f32[1]  %l = Const[value=f32[1]{20}]"
             "  %y = Add(x1=%s, x2=%s)  %go = Less1(a=%y, b=%l)  return %go, %y, %i }");
    set_input(&b, 0, exec_vector(&b.heap.from, 1, 1));
    run(&b);
    assert_floats(output(&b, 0), 32);
    assert_int_equal(output(&b, 1)->n_elems, 5);
    for (int64_t i = 0; i < 5; i++) assert_int_equal(((int64_t *)output(&b, 1)->data)[i], i);
    done(&b);
}

static void scan_walks_slices(void **state) {
    (void)state;
    bound b;
    int64_t dims[] = { 2, 3 };
    make(&b, "graph \"g\" { %s = Data[index=0] : f32[m]  %x = Data[index=1] : f32[r,q]"
             "  %o, %o:1 = TestScan(input=[%s, %x]) [body=@b, num_scan_inputs=1] : f32[?], f32[?,?]"
             "  %p, %p:1 = TestScan(input=[%s, %x]) [body=@b2, num_scan_inputs=1, scan_input_axes=[1], scan_input_directions=[1], scan_output_axes=[-1],"
             " scan_output_directions=[1]] : f32[?], f32[?,?]  return %o, %o:1, %p, %p:1 }"
             "graph \"b\" { %s = Data[index=0] : f32[n]  %x = Data[index=1] : f32[n]  %y = Add(x1=%s, x2=%x)  return %y, %y }"
             "graph \"b2\" { %s = Data[index=0] : f32[n]  %x = Data[index=1] : f32[n]  %y = Add(x1=%s, x2=%x)  return %y, %y }");
    set_input(&b, 0, exec_vector(&b.heap.from, 3, 0));
    set_input(&b, 1, exec_f32(&b.heap.from, 2, dims, 1));
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "'n' is 3"); /* columns have two elements */
    dims[1] = 2;
    set_input(&b, 0, exec_vector(&b.heap.from, 2, 0));
    set_input(&b, 1, exec_f32(&b.heap.from, 2, dims, 1)); /* 1 2 / 3 4 */
    run(&b);
    assert_floats(output(&b, 0), 4, 7);
    assert_floats(output(&b, 1), 1, 3, 4, 7);
    assert_floats(output(&b, 2), 3, 8);       /* 0 1 + 2 4 + 1 3 */
    assert_floats(output(&b, 3), 3, 2, 8, 5); /* first item in the last column */
    done(&b);
}

static void bodies_are_checked_when_the_frame_is_made(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[2]"
             "  %o = TestIf(cond=%c, input=[%x, %x]) [then_branch=@t, else_branch=@e] : f32[2]  return %o }" BRANCHES);
    set_input(&b, 1, exec_vector(&b.heap.from, 2, 3));
    set_bool(&b, 0, true);
    assert_fails_with(gei_binding_run(b.binding, NULL, &b.diag), &b.diag, "subgraph 't' has 1 inputs and 1 outputs, not 2 and 1");
    done(&b);
}

static ge_status use(const gei_allocator *from, void *arg) {
    const char *text = arg;
    gei_graph *g = NULL;
    gei_plan *plan = NULL;
    gei_model *model = NULL;
    gei_tensor *in[3] = { NULL }, *out[3] = { NULL };
    gei_plan_options options = { .isa = gei_isa() };
    gei_model_options model_options = { .max_threads = 1 };
    int64_t one = 1;
    GEI_TRY(gei_graph_parse(from, text, strlen(text), control_find, NULL, &g, NULL));
    GEI_TRY(gei_plan_create(g, &options, from, &plan, NULL));
    GEI_TRY(gei_model_create(plan, &model_options, from, &model, NULL));
    ge_status st = GE_OK;
    for (int i = 0; i < 3 && st == GE_OK; i++) {
        st = gei_tensor_create(from, GEI_FLOAT32, 1, &one, &in[i], NULL);
        if (st == GE_OK) *(float *)in[i]->data = (float)(i * i * 5);
    }
    if (st == GE_OK) st = gei_model_run(model, in, out, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        gei_tensor_release(in[i]);
        gei_tensor_release(out[i]);
    }
    gei_model_release(model);
    return st;
}

static void each_refused_allocation_is_an_error(void **state) {
    (void)state;
    ge_test_each_allocation_fails(use, FIBONACCI);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_runs_one_branch_into_its_place),
        cmocka_unit_test(figures_hold_the_bodies),
        cmocka_unit_test(branches_may_give_different_shapes),
        cmocka_unit_test(a_branch_that_breaks_its_promise_is_an_error),
        cmocka_unit_test(an_error_inside_a_body_names_the_inner_node),
        cmocka_unit_test(body_inputs_without_a_type_take_that_of_their_value),
        cmocka_unit_test(case_out_of_range_takes_the_last_branch),
        cmocka_unit_test(while_carries_values_that_change_places),
        cmocka_unit_test(carried_shapes_may_change),
        cmocka_unit_test(an_endless_loop_can_be_stopped),
        cmocka_unit_test(loop_counts_carries_and_collects),
        cmocka_unit_test(loop_ends_when_its_body_says_so),
        cmocka_unit_test(scan_walks_slices),
        cmocka_unit_test(bodies_are_checked_when_the_frame_is_made),
        cmocka_unit_test(each_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
