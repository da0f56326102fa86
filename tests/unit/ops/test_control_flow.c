/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of control flow: what they infer of their bodies, and one run of each through passes, plan and model. */
#include "exec/compile.h"
#include "passes/pass.h"
#include "unit/ge_test.h"

typedef struct bound {
    ge_test_heap heap;
    gei_model *model;
    gei_diag diag;
} bound;

static const gei_op_def *find_op(void *user, const char *name, size_t size) {
    (void)user;
    return gei_catalogue_find(name, size);
}

static ge_status passes(gei_graph *g, void *user, gei_facts *facts, gei_diag *diag) {
    gei_pipeline_options options = { .check_each = true };
    return gei_passes_run(g, user, &options, facts, diag);
}

static ge_status try_make(bound *b, const char *text) {
    gei_graph *g = NULL;
    gei_compile_options options = { .model = { .max_threads = 1 } };
    memset(b, 0, sizeof *b);
    ge_test_heap_init(&b->heap);
    gei_diag_clear(&b->diag);
    assert_ok(gei_graph_parse(&b->heap.from, text, strlen(text), find_op, NULL, &g, &b->diag), &b->diag);
    ge_status st = gei_compile(g, passes, &b->heap.from, &options, &b->heap.from, &b->model, &b->diag);
    gei_graph_destroy(g);
    return st;
}

static void make(bound *b, const char *text) { assert_ok(try_make(b, text), &b->diag); }

static void done(bound *b) {
    gei_model_release(b->model);
    ge_test_heap_check(&b->heap);
}

static gei_tensor *floats(bound *b, int32_t rank, const int64_t *dims, const float *values) {
    gei_tensor *t = NULL;
    assert_ok(gei_tensor_create(&b->heap.from, GEI_FLOAT32, rank, dims, &t, &b->diag), &b->diag);
    memcpy(t->data, values, t->size_bytes);
    return t;
}

static gei_tensor *number(bound *b, int32_t dtype, int64_t value) {
    gei_tensor *t = NULL;
    assert_ok(gei_tensor_create(&b->heap.from, dtype, 0, NULL, &t, &b->diag), &b->diag);
    assert_true(gei_tensor_put_i64(t, 0, value));
    return t;
}

/* Runs, compares output 0, ends inputs and outputs. */
static void expect(bound *b, gei_tensor **ins, size_t n_ins, size_t n_outs, int64_t n, const float *want) {
    gei_tensor *outs[4] = { 0 };
    assert_ok(gei_model_run(b->model, ins, outs, NULL, &b->diag), &b->diag);
    assert_int_equal(outs[0]->n_elems, n);
    assert_memory_equal(outs[0]->data, want, (size_t)n * sizeof *want);
    for (size_t i = 0; i < n_ins; i++) gei_tensor_release(ins[i]);
    for (size_t i = 0; i < n_outs; i++) gei_tensor_release(outs[i]);
}

static const int64_t two[] = { 2 };

#define BRANCHES                                                                                     \
    "graph \"t\" { %a = Data[index=0]  %y = Add(x1=%a, x2=%a)  return %y }"                           \
    "graph \"e\" { %a = Data[index=0]  %y = Neg(x=%a)  return %y }"

static void if_takes_the_branch_of_its_condition(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[2]"
             "  %o = If(cond=%c, input=[%x]) [then_branch=@t, else_branch=@e] : ?@0  return %o }" BRANCHES);
    const gei_plan_io *out = &gei_model_plan(b.model)->outputs[0];
    assert_int_equal(out->dtype, GEI_FLOAT32);
    assert_true(out->shape.rank == 1 && out->shape.dims[0] == 2);
    for (int64_t c = 0; c < 2; c++) {
        gei_tensor *ins[] = { number(&b, GEI_BOOL, c), floats(&b, 1, two, (float[]){ 1, 2 }) };
        expect(&b, ins, 2, 1, 2, c ? (float[]){ 2, 4 } : (float[]){ -1, -2 });
    }
    done(&b);
}

#define GUARDED                                                                                      \
    "graph \"t\" { %a = Data[index=0]  %y = Squeeze(x=%a) [axis=[0]]  return %y }"                    \
    "graph \"e\" { %a = Data[index=0]  %y = Neg(x=%a)  return %y }"

/* Files guard an operator by a condition on a shape: only the branch that runs has to take it. */
static void if_passes_over_a_branch_that_refuses_the_shape(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[2]"
             "  %o = If(cond=%c, input=[%x]) [then_branch=@t, else_branch=@e] : ?@0  return %o }" GUARDED);
    gei_tensor *good[] = { number(&b, GEI_BOOL, 0), floats(&b, 1, two, (float[]){ 1, 2 }) };
    expect(&b, good, 2, 1, 2, (float[]){ -1, -2 });
    gei_tensor *bad[] = { number(&b, GEI_BOOL, 1), floats(&b, 1, two, (float[]){ 1, 2 }) }, *out = NULL;
    assert_int_equal(gei_model_run(b.model, bad, &out, NULL, &b.diag), GE_ERR_SHAPE);
    assert_null(out);
    for (int i = 0; i < 2; i++) gei_tensor_release(bad[i]);
    done(&b);
}

static void if_looks_only_at_the_branch_of_a_known_condition(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[2]  %c = Const[value=bool[]{false}]"
             "  %o = If(cond=%c, input=[%x]) [then_branch=@t, else_branch=@e] : ?@0  return %o }"
             "graph \"t\" { %a = Data[index=0]  %y = ConcatD(x=[%a, %a]) [concat_dim=0, N=2]  return %y }"
             "graph \"e\" { %a = Data[index=0]  %y = Neg(x=%a)  return %y }");
    const gei_plan_io *out = &gei_model_plan(b.model)->outputs[0];
    assert_true(out->shape.rank == 1 && out->shape.dims[0] == 2);
    done(&b);
}

static void if_fails_when_no_branch_takes_the_shape(void **state) {
    (void)state;
    bound b;
    ge_status st = try_make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[2]"
                                "  %o = If(cond=%c, input=[%x]) [then_branch=@t, else_branch=@e] : ?@0  return %o }"
                                "graph \"t\" { %a = Data[index=0]  %y = Squeeze(x=%a) [axis=[0]]  return %y }"
                                "graph \"e\" { %a = Data[index=0]  %y = ConcatD(x=[%a, %a]) [concat_dim=7, N=2]  return %y }");
    assert_int_equal(st, GE_ERR_SHAPE);
    assert_non_null(strstr(b.diag.message, "axis 0 has size 2"));
    done(&b);
}

static void case_takes_a_branch_by_number(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %c = Data[index=0] : i32[]  %x = Data[index=1] : f32[2]"
             "  %o = Case(branch_index=%c, input=[%x]) [branches=@t, branches=@e] : ?@0  return %o }" BRANCHES);
    gei_tensor *ins[] = { number(&b, GEI_INT32, 1), floats(&b, 1, two, (float[]){ 1, 2 }) };
    expect(&b, ins, 2, 1, 2, (float[]){ -1, -2 });
    done(&b);
}

static void call_runs_its_body(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[2]  %o = PartitionedCall(args=[%x]) [f=@t] : ?@0  return %o }"
             "graph \"t\" { %a = Data[index=0]  %y = Add(x1=%a, x2=%a)  return %y }");
    gei_tensor *ins[] = { floats(&b, 1, two, (float[]){ 1, 2 }) };
    expect(&b, ins, 1, 1, 2, (float[]){ 2, 4 });
    done(&b);
}

static void while_runs_until_its_condition_fails(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[]  %o = While(input=[%x]) [cond=@c, body=@b] : ?@0  return %o }"
             "graph \"c\" { %a = Data[index=0]  %k = Const[value=f32[]{100}]  %y = Less(x1=%a, x2=%k)  return %y }"
             "graph \"b\" { %a = Data[index=0]  %y = Add(x1=%a, x2=%a)  return %y }");
    gei_tensor *ins[] = { floats(&b, 0, NULL, (float[]){ 3 }) };
    expect(&b, ins, 1, 1, 1, (float[]){ 192 });
    done(&b);
}

static void loop_carries_and_collects(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %n = Data[index=0] : i64[]  %x = Data[index=1] : f32[2]"
             "  %o, %all = GeLoop(trip_count=%n, cond=_, input=[%x]) [carried=1, body=@b] : ?@0, ?@0  return %all, %o }"
             "graph \"b\" { %i = Data[index=0]  %c = Data[index=1]  %a = Data[index=2]  %y = Add(x1=%a, x2=%a)  return %c, %y, %y }");
    const gei_plan_io *all = &gei_model_plan(b.model)->outputs[0];
    assert_true(all->shape.rank == 2 && all->shape.dims[0] == GEI_DIM_UNKNOWN && all->shape.dims[1] == 2);
    gei_tensor *ins[] = { number(&b, GEI_INT64, 3), floats(&b, 1, two, (float[]){ 1, 2 }) };
    expect(&b, ins, 2, 2, 6, (float[]){ 2, 4, 4, 8, 8, 16 });
    done(&b);
}

static void loop_that_grows_its_value_knows_no_size(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %n = Data[index=0] : i64[]  %x = Data[index=1] : f32[2]"
             "  %o = GeLoop(trip_count=%n, cond=_, input=[%x]) [carried=1, body=@b] : ?@0  return %o }"
             "graph \"b\" { %i = Data[index=0]  %c = Data[index=1]  %a = Data[index=2]"
             "  %y = ConcatD(x=[%a, %a]) [concat_dim=0, N=2]  return %c, %y }");
    const gei_plan_io *out = &gei_model_plan(b.model)->outputs[0];
    assert_true(out->dtype == GEI_FLOAT32 && !gei_shape_known(&out->shape));
    gei_tensor *ins[] = { number(&b, GEI_INT64, 2), floats(&b, 1, two, (float[]){ 1, 2 }) };
    expect(&b, ins, 2, 1, 8, (float[]){ 1, 2, 1, 2, 1, 2, 1, 2 });
    done(&b);
}

static void scan_walks_over_slices(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %s = Data[index=0] : f32[2]  %x = Data[index=1] : f32[3,2]"
             "  %sum, %sums = GeScan(input=[%s, %x]) [carried=1, num_scan_inputs=1, body=@b] : ?@0, ?@0  return %sums, %sum }"
             "graph \"b\" { %a = Data[index=0]  %b = Data[index=1]  %y = Add(x1=%a, x2=%b)  return %y, %y }");
    const gei_plan_io *sums = &gei_model_plan(b.model)->outputs[0];
    assert_true(sums->shape.rank == 2 && sums->shape.dims[0] == 3 && sums->shape.dims[1] == 2);
    gei_tensor *ins[] = { floats(&b, 1, two, (float[]){ 0, 0 }), floats(&b, 2, (int64_t[]){ 3, 2 }, (float[]){ 1, 2, 3, 4, 5, 6 }) };
    expect(&b, ins, 2, 2, 6, (float[]){ 1, 2, 4, 6, 9, 12 });
    done(&b);
}

static void map_runs_its_body_for_each_item(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %x = Data[index=0] : f32[3,2]  %d = Data[index=1] : f32[2]"
             "  %s = SplitToSequence(x=%x) [axis=0, keepdims=false] : ?@0"
             "  %m, %n = GeSequenceMap(input=[%s, %d]) [mapped=1, body=@b] : ?@0, ?@0"
             "  %j = ConcatFromSequence(handle=%m) [axis=0, new_axis=1] : ?@0  %k = ConcatFromSequence(handle=%n) [axis=0] : ?@0  return %j, %k }"
             "graph \"b\" { %a = Data[index=0]  %b = Data[index=1]  %y = Add(x1=%a, x2=%b)  %z = Neg(x=%a)  return %y, %z }");
    assert_int_equal(gei_model_plan(b.model)->outputs[0].dtype, GEI_FLOAT32);
    for (int64_t n = 3; n > 0; n -= 2) { /* again with the same model: what earlier runs kept does no harm */
        gei_tensor *ins[] = { floats(&b, 2, (int64_t[]){ 3, 2 }, (float[]){ 1, 2, 3, 4, 5, 6 }), floats(&b, 1, two, (float[]){ 10, 20 }) };
        expect(&b, ins, 2, 2, 6, (float[]){ 11, 22, 13, 24, 15, 26 });
    }
    done(&b);
}

static void loop_carries_a_sequence(void **state) {
    (void)state;
    bound b;
    make(&b, "graph \"g\" { %n = Data[index=0] : i64[]  %x = Data[index=1] : f32[2]  %e = SequenceEmpty() [dtype=f32] : ?@0"
             "  %s = GeLoop(trip_count=%n, input=[%e, %x]) [carried=1, body=@b] : ?@0"
             "  %j = ConcatFromSequence(handle=%s) [axis=0] : ?@0  return %j }"
             "graph \"b\" { %i = Data[index=0]  %c = Data[index=1]  %s = Data[index=2]  %x = Data[index=3]"
             "  %t = SequenceInsert(handle=%s, value=%x)  return %c, %t }");
    for (int64_t n = 1; n < 4; n++) {
        gei_tensor *ins[] = { number(&b, GEI_INT64, n), floats(&b, 1, two, (float[]){ 1, 2 }) };
        expect(&b, ins, 2, 1, 2 * n, (float[]){ 1, 2, 1, 2, 1, 2 });
    }
    done(&b);
}

static void other_operators_refuse_sequences(void **state) {
    (void)state;
    bound b;
    ge_status st = try_make(&b, "graph \"g\" { %x = Data[index=0] : f32[3,2]  %s = SplitToSequence(x=%x) : ?@0  %y = Relu(x=%s) : ?@0  return %y }");
    assert_fails_with(st, &b.diag, "it is seq_float32, wanted a tensor");
    done(&b);
}

static void branches_of_two_types_are_an_error(void **state) {
    (void)state;
    bound b;
    ge_status st = try_make(&b, "graph \"g\" { %c = Data[index=0] : bool[]  %x = Data[index=1] : f32[2]"
                                "  %o = If(cond=%c, input=[%x]) [then_branch=@t, else_branch=@e] : ?@0  return %o }"
                                "graph \"t\" { %a = Data[index=0]  return %a }"
                                "graph \"e\" { %a = Data[index=0]  %k = Const[value=i32[]{1}]  return %k }");
    assert_fails_with(st, &b.diag, "its bodies give float32 and int32");
    done(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_takes_the_branch_of_its_condition),
        cmocka_unit_test(if_passes_over_a_branch_that_refuses_the_shape),
        cmocka_unit_test(if_looks_only_at_the_branch_of_a_known_condition),
        cmocka_unit_test(if_fails_when_no_branch_takes_the_shape),
        cmocka_unit_test(case_takes_a_branch_by_number),
        cmocka_unit_test(call_runs_its_body),
        cmocka_unit_test(while_runs_until_its_condition_fails),
        cmocka_unit_test(loop_carries_and_collects),
        cmocka_unit_test(loop_that_grows_its_value_knows_no_size),
        cmocka_unit_test(scan_walks_over_slices),
        cmocka_unit_test(map_runs_its_body_for_each_item),
        cmocka_unit_test(loop_carries_a_sequence),
        cmocka_unit_test(other_operators_refuse_sequences),
        cmocka_unit_test(branches_of_two_types_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
