/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic: what is known of small integer tensors before a run, symbols included. */
#include <stdio.h>

#include "ir/builtin.h"
#include "ops/eval.h"
#include "ops/rules.h"
#include "unit/ge_test.h"

typedef struct inferred {
    gei_graph *graph;
    gei_arena arena;
    gei_infos infos;
    gei_diag diag;
} inferred;

static const gei_op_def *find_op(void *user, const char *name, size_t name_size) {
    (void)user;
    return gei_catalogue_find(name, name_size);
}

static ge_status infer_with(inferred *f, const char *text, const gei_info *inputs, size_t n_inputs, const gei_allocator *from) {
    gei_node **order;
    size_t count;
    memset(f, 0, sizeof *f);
    gei_arena_init(&f->arena, from);
    GEI_TRY(gei_graph_parse(from, text, strlen(text), find_op, NULL, &f->graph, &f->diag));
    GEI_TRY(gei_graph_order(f->graph, &f->arena, &order, &count, &f->diag));
    GEI_TRY(gei_infer_graph(order, count, f->graph->nodes.count, inputs, n_inputs, &f->arena, from, &f->infos, &f->diag));
    return gei_infos_store(&f->infos, order, count, &f->diag);
}

static void release(inferred *f) {
    gei_infos_release(&f->infos);
    gei_arena_deinit(&f->arena);
    gei_graph_destroy(f->graph);
}

static const gei_info *info_of(const inferred *f, const char *name) {
    const gei_node *node = gei_graph_find_node(f->graph, name, strlen(name));
    assert_non_null(node);
    return &f->infos.by_node[node->index][0];
}

/* The shape of node "y" with symbols by name. */
static void check_shape(const char *text, const char *wanted) {
    inferred f;
    char found[128];
    assert_ok(infer_with(&f, text, NULL, 0, &gei_heap), &f.diag);
    (void)gei_shape_text(&info_of(&f, "y")->shape, f.graph->symbols->names.items, found, sizeof found);
    assert_string_equal(found, wanted);
    release(&f);
}

/* x [n, 3, 4] to [n, 12], the size taken from x's own shape */
static const char flatten_by_hand[] =
    "graph \"g\" { %x = Data [index=0] : f32[n,3,4]\n"
    "%s = Shape(x=%x) [dtype=9]\n"
    "%zero = Const [value=i64[]{0}]\n"
    "%n = GatherV2(x=%s, indices=%zero, axis=%zero)\n"
    "%n1 = Unsqueeze(x=%n) [axes=[0]]\n"
    "%rest = Const [value=i64[1]{-1}]\n"
    "%to = ConcatD(x=[%n1, %rest]) [concat_dim=0, N=2]\n"
    "%y = Reshape(x=%x, shape=%to)\n"
    "return %y }";

static void a_symbol_passes_through_shape_arithmetic(void **state) {
    (void)state;
    check_shape(flatten_by_hand, "[n,12]");
}

static void a_symbol_passes_through_slice_cast_and_neutral_sums(void **state) {
    (void)state;
    check_shape("graph \"g\" { %x = Data [index=0] : f32[n,m,4]\n"
                "%s = Shape(x=%x) [dtype=9]\n"
                "%begin = Const [value=i64[1]{1}]\n"
                "%end = Const [value=i64[1]{9223372036854775807}]\n"
                "%tail = StridedSliceV2(x=%s, begin=%begin, end=%end)\n"
                "%narrow = Cast(x=%tail) [dst_type=3]\n"
                "%one = Const [value=i32[]{1}]\n"
                "%zero = Const [value=i32[]{0}]\n"
                "%same = Mul(x1=%narrow, x2=%one)\n"
                "%sum = Add(x1=%zero, x2=%same)\n"
                "%v = Const [value=f32[]{0}]\n"
                "%y = Fill(dims=%sum, value=%v)\n"
                "return %y }",
                "[m,4]");
}

static void the_rest_of_a_reshape_is_found_beside_symbols(void **state) {
    (void)state;
    check_shape("graph \"g\" { %x = Data [index=0] : f32[n,s,12,64]\n"
                "%to = Const [value=i64[3]{0 0 -1}]\n"
                "%y = Reshape(x=%x, shape=%to) return %y }",
                "[n,s,768]");
    check_shape("graph \"g\" { %x = Data [index=0] : f32[n,s,12]\n"
                "%to = Const [value=i64[2]{-1 12}]\n"
                "%y = Reshape(x=%x, shape=%to) return %y }",
                "[?,12]");
    check_shape("graph \"g\" { %x = Data [index=0] : f32[1,s,12]\n"
                "%to = Const [value=i64[2]{-1 12}]\n"
                "%y = Reshape(x=%x, shape=%to) return %y }",
                "[s,12]");
}

static void a_product_of_symbols_is_not_known(void **state) {
    (void)state;
    check_shape("graph \"g\" { %x = Data [index=0] : f32[n,m,4]\n"
                "%y = Flatten(x=%x) [axis=2] return %y }",
                "[?,4]");
}

static void convolutions_that_keep_the_size_keep_its_symbol(void **state) {
    (void)state;
    check_shape("graph \"g\" { %x = Data [index=0] : f32[n,3,h,w]\n"
                "%f = Data [index=1] : f32[8,3,3,3]\n"
                "%y = Conv2D(x=%x, filter=%f) [strides=[1,1,1,1], pads=[1,1,1,1], data_format=\"NCHW\"] return %y }",
                "[n,8,h,w]");
    check_shape("graph \"g\" { %x = Data [index=0] : f32[n,3,h,w]\n"
                "%f = Data [index=1] : f32[8,3,3,3]\n"
                "%y = Conv2D(x=%x, filter=%f) [strides=[1,1,2,1], pads=[1,1,0,0], data_format=\"NCHW\"] return %y }",
                "[n,8,?,?]");
}

static void a_slice_of_everything_keeps_the_symbol(void **state) {
    (void)state;
    check_shape("graph \"g\" { %x = Data [index=0] : f32[n,4]\n"
                "%b = Const [value=i64[2]{0 1}]\n"
                "%e = Const [value=i64[2]{9223372036854775807 3}]\n"
                "%y = StridedSliceV2(x=%x, begin=%b, end=%e) return %y }",
                "[n,2]");
}

static void floats_on_the_way_do_not_lose_the_numbers(void **state) {
    (void)state;
    check_shape("graph \"g\" { %x = Data [index=0] : f32[5,7]\n"
                "%s = Shape(x=%x) [dtype=9]\n"
                "%f = Cast(x=%s) [dst_type=0]\n"
                "%two = Const [value=f32[]{2.5}]\n"
                "%m = Mul(x1=%f, x2=%two)\n"
                "%i = Cast(x=%m) [dst_type=9]\n"
                "%v = Const [value=f32[]{0}]\n"
                "%y = Fill(dims=%i, value=%v) return %y }",
                "[12,17]");
}

static void given_shapes_replace_declared_ones(void **state) {
    (void)state;
    inferred f;
    gei_info input = { .dtype = GEI_FLOAT32, .format = GE_FORMAT_ND, .shape = gei_shape_of(3, (gei_dim[]){ 2, 3, 4 }) };
    assert_ok(infer_with(&f, flatten_by_hand, &input, 1, &gei_heap), &f.diag);
    gei_shape wanted = gei_shape_of(2, (gei_dim[]){ 2, 12 }), stored = gei_out_shape(&gei_graph_find_node(f.graph, "y", 1)->outs[0]);
    assert_true(gei_shape_same(&info_of(&f, "y")->shape, &wanted));
    assert_true(gei_shape_same(&stored, &wanted));
    assert_non_null(info_of(&f, "to")->tensor);
    assert_int_equal(gei_tensor_i64(info_of(&f, "to")->tensor, 0), 2);
    release(&f);
}

static void a_given_shape_must_fit_the_declared_one(void **state) {
    (void)state;
    inferred f;
    gei_info input = { .dtype = GEI_FLOAT32, .format = GE_FORMAT_ND, .shape = gei_shape_of(3, (gei_dim[]){ 2, 5, 4 }) };
    assert_fails_with(infer_with(&f, flatten_by_hand, &input, 1, &gei_heap), &f.diag, "input 'x': shape [2,5,4] does not fit [s0,3,4]");
    release(&f);
}

static void a_fold_that_fails_leaves_the_contents_open(void **state) {
    (void)state;
    check_shape("graph \"g\" { %x = Const [value=i64[2]{1 2}]\n"
                "%i = Const [value=i64[1]{7}]\n"
                "%zero = Const [value=i64[]{0}]\n"
                "%y = GatherV2(x=%x, indices=%i, axis=%zero) return %y }",
                "[1]");
}

/* Some operator of one input and one output that has no row yet. */
static const char *op_without_row(void) {
    for (size_t k = 0; gei_catalogue_at(k); k++) {
        const gei_op_def *def = gei_catalogue_at(k);
        if (!gei_op_row(def->name, strlen(def->name)) && def->n_inputs == 1 && def->n_outputs == 1 && def->n_subgraphs == 0 &&
            def->inputs[0].kind == GEI_PORT_REQUIRED && strcmp(def->inputs[0].name, "x") == 0)
            return def->name;
    }
    return NULL;
}

static void operators_without_a_row_keep_what_the_graph_says(void **state) {
    (void)state;
    char text[512];
    const char *name = op_without_row();
    if (!name) return; /* every one has a row: nothing to check */
    (void)snprintf(text, sizeof text, "graph \"g\" { %%x = Data [index=0] : f32[2,3]\n%%y = %s(x=%%x) : f32[5,6] return %%y }", name);
    check_shape(text, "[5,6]");
}

static ge_status scenario(const gei_allocator *from, void *arg) {
    inferred f;
    ge_status status = infer_with(&f, (const char *)arg, NULL, 0, from);
    release(&f);
    return status;
}

static void every_allocation_of_an_inference_may_fail(void **state) {
    (void)state;
    ge_test_each_allocation_fails(scenario, (void *)(uintptr_t)flatten_by_hand);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_symbol_passes_through_shape_arithmetic),
        cmocka_unit_test(a_symbol_passes_through_slice_cast_and_neutral_sums),
        cmocka_unit_test(the_rest_of_a_reshape_is_found_beside_symbols),
        cmocka_unit_test(a_product_of_symbols_is_not_known),
        cmocka_unit_test(convolutions_that_keep_the_size_keep_its_symbol),
        cmocka_unit_test(a_slice_of_everything_keeps_the_symbol),
        cmocka_unit_test(floats_on_the_way_do_not_lose_the_numbers),
        cmocka_unit_test(given_shapes_replace_declared_ones),
        cmocka_unit_test(a_given_shape_must_fit_the_declared_one),
        cmocka_unit_test(a_fold_that_fails_leaves_the_contents_open),
        cmocka_unit_test(operators_without_a_row_keep_what_the_graph_says),
        cmocka_unit_test(every_allocation_of_an_inference_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
