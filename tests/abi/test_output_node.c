/* SPDX-License-Identifier: Apache-2.0 */
/* The node behind the output list, and names of nodes. */
#include "graph_test.h"

static ge_node_id output_node(const ge_graph *graph) {
    ge_node_id node = 0;
    check_ok(ge_graph_get_output_node(graph, &node));
    return node;
}

static size_t outputs_of(const ge_graph *graph, ge_value_id *out_first) {
    size_t count = 0;
    *out_first = 0;
    check_ok(ge_graph_get_outputs(graph, NULL, 0, NULL, 0, &count));
    if (count) check_ok(ge_graph_get_outputs(graph, out_first, count, NULL, 0, &count));
    return count;
}

static void test_it_is_there_once_outputs_are_set(void **state) {
    (void)state;
    ge_graph *graph;
    ge_node_id node = 7;
    check_ok(ge_graph_create(NULL, "g", GE_NTS, &graph));
    check_fails(ge_graph_get_output_node(graph, &node), GE_ERR_NOT_FOUND, "graph");
    assert_int_equal(node, 0);
    check_fails(ge_graph_get_output_node(graph, NULL), GE_ERR_NULL_ARGUMENT, "out_node");
    check_ok(ge_graph_set_outputs(graph, NULL, 0, NULL, 0));
    assert_true(output_node(graph) != 0);
    check_ok(ge_graph_destroy(graph));
}

static void test_it_shows_the_outputs_as_its_inputs(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_node_id out = output_node(s.graph);
    ge_node_info info = { 0 };
    ge_value_id value;
    size_t count;
    check_ok(ge_graph_get_node_infos(s.graph, &out, 1, &info, 1, sizeof info));
    assert_string_equal(info.op_type, "NetOutput");
    assert_int_equal(info.inputs_count, 1);
    assert_int_equal(info.outputs_count, 0);
    check_ok(ge_graph_get_node_inputs(s.graph, out, &value, 1, &count));
    assert_true(count == 1 && value == s.a_y);
    check_ok(ge_graph_get_nodes(s.graph, GE_ORDER_CREATION, NULL, 0, &count)); /* lists leave it out */
    assert_int_equal(count, 4);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_it_owns_attributes_descs_and_control_edges(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_node_id out = output_node(s.graph), found = 0;
    ge_attr_id attr;
    ge_tensor_desc desc = desc_of(GE_DTYPE_INT8, 0, NULL), read = GE_TENSOR_DESC_INIT;
    const int64_t number = 5;
    int64_t got = 0;
    size_t count;
    ge_port_id port = port_of(s.graph, out, GE_DIRECTION_IN, 0);
    const ge_owner_id owners[] = { out, port };
    for (int i = 0; i < 2; i++) {
        check_ok(ge_graph_add_attr(s.graph, owners[i], "index", GE_NTS, GE_ATTR_INT, &attr));
        check_ok(ge_graph_set_attr_ints(s.graph, attr, &number, 1));
        check_ok(ge_graph_get_attr_ints(s.graph, attr, &got, 1, &count));
        assert_int_equal(got, 5);
    }
    check_ok(ge_graph_set_desc(s.graph, port, &desc));
    check_ok(ge_graph_get_desc(s.graph, port, &read, sizeof read));
    assert_int_equal(read.dtype, GE_DTYPE_INT8);
    check_ok(ge_graph_add_edge(s.graph, s.r, GE_CONTROL_INDEX, out, GE_CONTROL_INDEX));
    check_ok(ge_graph_get_control_nodes(s.graph, s.r, GE_DIRECTION_OUT, &found, 1, &count));
    assert_true(count == 1 && found == out);
    check_ok(ge_graph_remove_edge(s.graph, s.r, GE_CONTROL_INDEX, out, GE_CONTROL_INDEX));
    check_ok(ge_graph_destroy(s.graph));
}

static void test_edges_make_and_leave_single_outputs(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_node_id out = output_node(s.graph);
    ge_value_id value;
    ge_model *model = NULL;
    check_fails(ge_graph_remove_node(s.graph, s.a), GE_ERR_WRONG_STATE, "node");
    check_fails(ge_graph_add_edge(s.graph, s.r, 0, out, 0), GE_ERR_ALREADY_EXISTS, "target_index");
    check_fails(ge_graph_add_edge(s.graph, s.r, 0, out, 1), GE_ERR_OUT_OF_RANGE, "target_index");
    check_ok(ge_graph_remove_edge(s.graph, s.a, 0, out, 0));
    assert_int_equal(outputs_of(s.graph, &value), 1);
    assert_int_equal(value, 0);
    check_fails(ge_graph_check(s.graph), GE_ERR_BAD_GRAPH, NULL);
    for (ge_dump_format format = GE_DUMP_READABLE; format <= GE_DUMP_IR; format++) {
        size_t size = 0;
        check_ok(ge_graph_dump(s.graph, format, NULL, 0, &size));
        assert_true(size > 0);
    }
    check_ok(ge_graph_remove_node(s.graph, s.a)); /* no output of the graph any more */
    check_fails(ge_graph_compile(s.graph, NULL, &model), GE_ERR_BAD_GRAPH, NULL);
    check_ok(ge_graph_add_edge(s.graph, s.r, 0, out, 0));
    check_ok(ge_graph_check(s.graph));
    assert_int_equal(outputs_of(s.graph, &value), 1);
    assert_true(value == s.r_y);
    check_ok(ge_graph_compile(s.graph, NULL, &model));
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(s.graph));
}

static void test_removing_it_empties_the_list(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_node_id out = output_node(s.graph);
    ge_value_id value;
    check_ok(ge_graph_remove_node(s.graph, out));
    assert_int_equal(outputs_of(s.graph, &value), 0);
    check_fails(ge_graph_get_output_node(s.graph, &out), GE_ERR_NOT_FOUND, "graph");
    check_ok(ge_graph_check(s.graph));
    check_ok(ge_graph_set_outputs(s.graph, &s.r_y, 1, NULL, 0));
    assert_int_equal(outputs_of(s.graph, &value), 1);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_nodes_are_renamed(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    check_ok(ge_graph_set_node_name(s.graph, s.r, "quxX", 3));
    assert_true(node_named(s.graph, "qux") == s.r);
    check_ok(ge_graph_set_node_name(s.graph, s.r, "qux", GE_NTS)); /* its own */
    check_ok(ge_graph_set_node_name(s.graph, s.r, "NetOutput", GE_NTS)); /* the node of outputs gives way */
    assert_true(node_named(s.graph, "NetOutput") == s.r);
    check_ok(ge_graph_set_node_name(s.graph, output_node(s.graph), "outputs", GE_NTS));
    check_unchanged(s.graph, {
        check_fails(ge_graph_set_node_name(s.graph, s.r, "a", GE_NTS), GE_ERR_ALREADY_EXISTS, "name");
        check_fails(ge_graph_set_node_name(s.graph, s.r, "", 0), GE_ERR_INVALID_ARGUMENT, "name");
        check_fails(ge_graph_set_node_name(s.graph, s.r, NULL, 0), GE_ERR_NULL_ARGUMENT, "name");
        check_fails(ge_graph_set_node_name(s.graph, s.r, "a\0b", 3), GE_ERR_INVALID_UTF8, NULL);
        check_fails(ge_graph_set_node_name(s.graph, 0, "b", 1), GE_ERR_BAD_ID, "node");
    });
    check_ok(ge_graph_check(s.graph));
    check_ok(ge_graph_destroy(s.graph));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_there_once_outputs_are_set),
        cmocka_unit_test(test_it_shows_the_outputs_as_its_inputs),
        cmocka_unit_test(test_it_owns_attributes_descs_and_control_edges),
        cmocka_unit_test(test_edges_make_and_leave_single_outputs),
        cmocka_unit_test(test_removing_it_empties_the_list),
        cmocka_unit_test(test_nodes_are_renamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
