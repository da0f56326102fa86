/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs, outputs, descriptions, symbols, metadata. */
#include "unit/ir/ir_test.h"

static void symbols_are_shared_by_name_and_fresh_without(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap), *sub;
    gei_diag diag = { 0 };
    gei_dim a, b, c, d, e;
    assert_ok(gei_graph_create_subgraph(g, "sub", &sub, &diag), &diag);
    assert_ok(gei_graph_symbol(g, "batch_size", 5, &a, &diag), &diag);
    assert_ok(gei_graph_symbol(sub, "batch", 5, &b, &diag), &diag);
    assert_true(a == b && gei_dim_is_symbol(a));
    assert_ok(gei_graph_symbol(g, "s2", 2, &c, &diag), &diag);
    assert_ok(gei_graph_symbol(sub, NULL, 0, &d, &diag), &diag);
    assert_ok(gei_graph_symbol(g, NULL, 0, &e, &diag), &diag);
    assert_true(d != e && d != c && d != a);
    assert_int_equal(g->symbols->names.count, 4);
    assert_string_equal(g->symbols->names.items[0], "batch");
    assert_string_equal(g->symbols->names.items[2], "s3"); /* "s2" is taken */
    gei_graph_destroy(g);
}

static void shapes_are_copied_and_checked(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_value v = gei_value_of(ir_node(g, "Relu", "r", 0, 0), 0);
    gei_shape shape = gei_shape_of(2, (gei_dim[]){ 2, GEI_DIM_UNKNOWN });
    assert_int_equal(gei_out_shape(gei_value_out(v)).rank, GEI_RANK_UNKNOWN);
    assert_ok(gei_out_set_shape(v, &shape, &diag), &diag);
    const gei_dim *dims = gei_value_out(v)->dims;
    assert_ok(gei_out_set_shape(v, &shape, &diag), &diag);
    assert_ptr_equal(gei_value_out(v)->dims, dims); /* the same again takes no memory */
    shape.dims[0] = gei_dim_symbol(0);
    assert_fails_with(gei_out_set_shape(v, &shape, &diag), &diag, "dim 0 is -2");
    shape.rank = 9;
    assert_fails_with(gei_out_set_shape(v, &shape, &diag), &diag, "rank 9");
    assert_int_equal(gei_out_shape(gei_value_out(v)).dims[0], 2);
    shape = gei_shape_unknown();
    assert_ok(gei_out_set_shape(v, &shape, &diag), &diag);
    assert_int_equal(gei_value_out(v)->rank, GEI_RANK_UNKNOWN);
    gei_graph_destroy(g);
}

static void inputs_come_by_index(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_arena arena;
    gei_arena_init(&arena, &gei_heap);
    gei_node **inputs, *node;
    size_t count = 9;
    assert_ok(gei_graph_inputs(g, &arena, &inputs, &count, &diag), &diag);
    assert_int_equal(count, 0);
    gei_node *b = ir_data(g, "b", 1), *a = ir_data(g, "a", 0);
    assert_ok(gei_graph_inputs(g, &arena, &inputs, &count, &diag), &diag);
    assert_true(count == 2 && inputs[0] == a && inputs[1] == b);
    gei_node *c = ir_data(g, "c", 1);
    assert_fails_with(gei_graph_inputs(g, &arena, &inputs, &count, &diag), &diag, "input index 1 is that of 'b' too");
    gei_graph_remove_node(c);
    ir_data(g, "d", 3);
    assert_fails_with(gei_graph_inputs(g, &arena, &inputs, &count, &diag), &diag, "input index 3, but graph 'g' has 3 inputs");
    assert_fails_with(gei_graph_add_data(g, "e", -1, GEI_FLOAT32, NULL, &node, &diag), &diag, "negative");
    assert_fails_with(gei_graph_add_data(g, "e", 2, 4711, NULL, &node, &diag), &diag, "4711");
    assert_null(gei_graph_find_node(g, "e", 1));
    gei_shape bad = gei_shape_of(1, (gei_dim[]){ -5 });
    assert_fails_with(gei_graph_add_data(g, "e", 2, GEI_INT8, &bad, &node, &diag), &diag, "-5");
    assert_null(gei_graph_find_node(g, "e", 1));
    assert_ok(gei_graph_add_data(g, "e", 2, GEI_INT8, NULL, &node, &diag), &diag);
    assert_int_equal(node->outs[0].rank, GEI_RANK_UNKNOWN);
    gei_arena_deinit(&arena);
    gei_graph_destroy(g);
}

static void outputs_can_be_set_again(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap), *other = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_node *x = ir_data(g, "x", 0), *r = ir_node(g, "Relu", "r", 0, 0);
    ir_connect(x, 0, r, 0);
    gei_value two[] = { gei_value_of(r, 0), gei_value_of(x, 0) }, one = gei_value_of(r, 0);
    const char *names[] = { NULL, "second" };
    assert_null(gei_graph_output_name(g, 0));
    assert_ok(gei_graph_set_outputs(g, two, names, 2, &diag), &diag);
    gei_node *out = g->net_output;
    assert_string_equal(out->name, GEI_NET_OUTPUT_NAME);
    assert_null(gei_graph_output_name(g, 0));
    assert_string_equal(gei_graph_output_name(g, 1), "second");
    assert_null(gei_graph_output_name(g, 2));
    assert_ok(gei_graph_add_control(x, out, &diag), &diag);
    assert_ok(gei_graph_set_outputs(g, &one, NULL, 1, &diag), &diag);
    assert_ptr_equal(g->net_output, out);
    assert_int_equal(out->n_ins, 1);
    assert_int_equal(gei_value_use_count(gei_value_of(x, 0)), 1);
    assert_null(gei_graph_output_name(g, 1));
    assert_ok(gei_graph_check(g, &diag), &diag);

    gei_value none = { NULL, 0 }, far = { r, 1 }, foreign = gei_value_of(ir_data(other, "f", 0), 0);
    assert_fails_with(gei_graph_set_outputs(g, &none, NULL, 1, &diag), &diag, "output 0 is no value");
    assert_fails_with(gei_graph_set_outputs(g, &far, NULL, 1, &diag), &diag, "wants output 1 of Relu 'r', which has 1");
    assert_fails_with(gei_graph_set_outputs(g, &foreign, NULL, 1, &diag), &diag, "not in this graph");
    assert_ok(gei_graph_set_outputs(g, NULL, NULL, 0, &diag), &diag);
    assert_int_equal(out->n_ins, 0);
    gei_node *node;
    assert_fails_with(gei_graph_add_node(g, &gei_def_net_output, NULL, NULL, NULL, &node, &diag), &diag, "has its NetOutput node");
    assert_ok(gei_graph_check(g, &diag), &diag);
    gei_graph_destroy(g);
    gei_graph_destroy(other);
}

static void descriptions_are_made_when_asked_for(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_node *a = ir_node(g, "Add", "a", 0, 0);
    gei_in_desc *desc, *again;
    gei_attrs *attrs, *same;
    assert_ok(gei_slot_desc(&a->ins[1], &desc, &diag), &diag);
    assert_true(desc->dtype == GEI_UNDEFINED && desc->shape.rank == GEI_RANK_UNKNOWN && desc->format == GE_FORMAT_ND);
    assert_ok(gei_slot_desc(&a->ins[1], &again, &diag), &diag);
    assert_ptr_equal(desc, again);
    assert_null(a->in_descs[0]);
    assert_ok(gei_out_attrs(gei_value_of(a, 0), &attrs, &diag), &diag);
    assert_ok(gei_out_attrs(gei_value_of(a, 0), &same, &diag), &diag);
    assert_ptr_equal(attrs, same);
    char name[] = "tensor:0";
    assert_ok(gei_out_set_name(gei_value_of(a, 0), name, &diag), &diag);
    name[0] = 'x';
    assert_string_equal(a->outs[0].name, "tensor:0");
    assert_ok(gei_out_set_name(gei_value_of(a, 0), NULL, &diag), &diag);
    assert_null(a->outs[0].name);
    assert_ok(gei_node_set_origin(a, "onnx node 'Add_0'", &diag), &diag);
    assert_string_equal(a->origin, "onnx node 'Add_0'");
    assert_ok(gei_graph_set_metadata(g, "author", "me and", 2, &diag), &diag);
    assert_string_equal(gei_attrs_find(&g->metadata, "author")->v.s.data, "me");
    gei_graph_destroy(g);
}

static void constants_describe_their_tensor(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_tensor *t;
    gei_node *c;
    assert_int_equal(gei_tensor_create(&gei_heap, GEI_INT64, 1, (int64_t[]){ 3 }, &t, NULL), GE_OK);
    assert_int_equal(gei_graph_add_const(g, "c", t, &c, NULL), GE_OK);
    assert_true(c->outs[0].dtype == GEI_INT64 && c->outs[0].rank == 1 && c->outs[0].dims[0] == 3);
    assert_ptr_equal(gei_node_const(c), t);
    gei_tensor_release(t);
    gei_graph_destroy(g);
}

static void attributes_fall_back_to_the_default(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_node *pick = ir_node(g, "Pick", "pick", 0, 0), *many = ir_node(g, "Many", "many", 0, 0);
    assert_int_equal(gei_node_attr(pick, "axis")->v.i, 0);
    assert_null(gei_node_attr(pick, "mode"));
    assert_null(gei_node_attr(pick, "other"));
    assert_int_equal(gei_node_int(pick, "axis", 7), 0);
    assert_int_equal(gei_node_int(pick, "other", 7), 7);
    assert_string_equal(gei_node_text(pick, "mode", "linear"), "linear");
    gei_attr value = gei_attr_int(3), text = gei_attr_text("cubic", 5), ints = gei_attr_ints((int64_t[]){ 4, 5 }, 2), f = gei_attr_float(2.5f);
    gei_attr yes = gei_attr_bool(true), type = gei_attr_dtype(GEI_INT8);
    assert_ok(gei_node_set(pick, "axis", &value, &diag), &diag);
    assert_ok(gei_node_set(pick, "mode", &text, &diag), &diag);
    assert_ok(gei_node_set(many, "ints", &ints, &diag), &diag);
    assert_ok(gei_node_set(many, "f", &f, &diag), &diag);
    assert_ok(gei_node_set(many, "b", &yes, &diag), &diag);
    assert_ok(gei_node_set(many, "d", &type, &diag), &diag);
    assert_int_equal(gei_node_int(pick, "axis", 7), 3);
    assert_string_equal(gei_node_text(pick, "mode", "linear"), "cubic");
    assert_true(gei_node_ints(many, "ints").count == 2 && gei_node_ints(many, "ints").data[1] == 5);
    assert_true(gei_node_ints(pick, "axis").count == 1 && gei_node_ints(pick, "axis").data[0] == 3);
    assert_int_equal(gei_node_ints(many, "f").count, 0);
    assert_true(gei_node_float(many, "f", 0) == 2.5 && gei_node_float(pick, "axis", 0) == 3 && gei_node_float(many, "b", 9) == 9);
    assert_true(gei_node_bool(many, "b", false) && gei_node_bool(pick, "axis", false) && gei_node_bool(many, "f", true));
    assert_true(gei_node_int(many, "b", 0) == 1 && gei_node_int(many, "d", 0) == GEI_INT8 && gei_node_int(many, "f", 8) == 8);
    gei_diag_clear(&diag);
    assert_fails_with(gei_node_set(pick, "axis", &text, &diag), &diag, "Pick 'pick': attribute 'axis' is of kind string, wanted int");
    assert_string_equal(diag.node, "pick");
    assert_ok(gei_node_set(pick, "_private", &text, &diag), &diag);
    gei_graph_destroy(g);
}

static void definitions_of_our_own_are_found_by_name(void **state) {
    (void)state;
    assert_ptr_equal(gei_builtin_find("NetOutput", 9), &gei_def_net_output);
    assert_ptr_equal(gei_builtin_find("DataX", 4), &gei_def_data);
    assert_null(gei_builtin_find("Relu", 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_are_shared_by_name_and_fresh_without),
        cmocka_unit_test(shapes_are_copied_and_checked),
        cmocka_unit_test(inputs_come_by_index),
        cmocka_unit_test(outputs_can_be_set_again),
        cmocka_unit_test(descriptions_are_made_when_asked_for),
        cmocka_unit_test(constants_describe_their_tensor),
        cmocka_unit_test(attributes_fall_back_to_the_default),
        cmocka_unit_test(definitions_of_our_own_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
