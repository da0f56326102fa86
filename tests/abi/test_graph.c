/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: reading, editing, descs, outputs, dumps. */
#include <pthread.h>

#include "graph_test.h"

/* ---- life ---- */

static void test_life(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_graph *graph, *copy;
    ge_graph_info info;
    check_ok(ge_graph_create(NULL, "nameX", 4, &graph));
    check_ok(ge_graph_get_info(graph, &info, sizeof info));
    assert_int_equal(info.struct_size, sizeof info);
    assert_string_equal(info.name, "name");
    assert_int_equal(info.nodes_count + info.edges_count + info.inputs_count + info.outputs_count + info.subgraphs_count, 0);
    assert_int_equal(info.parent_node, 0);
    check_ok(ge_graph_check(graph));
    check_ok(ge_graph_copy(graph, &copy));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_graph_get_info(copy, &info, sizeof info));
    assert_string_equal(info.name, "name");
    check_ok(ge_graph_destroy(copy));
    check_ok(ge_graph_destroy(NULL));
    check_fails(ge_graph_destroy(copy), GE_ERR_HANDLE_STALE, "graph");
    check_all_gone(before);
}

static void test_life_misuse(void **state) {
    (void)state;
    ge_graph *graph = FOREIGN_HANDLE, *copy = FOREIGN_HANDLE;
    ge_graph_info info;
    check_fails(ge_graph_create(NULL, NULL, GE_NTS, &graph), GE_ERR_NULL_ARGUMENT, "name");
    assert_null(graph);
    check_fails(ge_graph_create(NULL, "g", 1, NULL), GE_ERR_NULL_ARGUMENT, "out_graph");
    check_fails(ge_graph_create(FOREIGN_HANDLE, "g", 1, &graph), GE_ERR_HANDLE_FOREIGN, "context");
    check_fails(ge_graph_create(NULL, "\xfe", 1, &graph), GE_ERR_INVALID_UTF8, "name");
    check_fails(ge_graph_create(NULL, "a\0b", 3, &graph), GE_ERR_INVALID_UTF8, NULL);
    check_fails(ge_graph_copy(NULL, &copy), GE_ERR_HANDLE_NULL, "graph");
    assert_null(copy);
    check_ok(ge_graph_create(NULL, "", 0, &graph)); /* an empty name is a name */
    check_fails(ge_graph_copy(graph, NULL), GE_ERR_NULL_ARGUMENT, "out_graph");
    check_fails(ge_graph_get_info(graph, NULL, sizeof info), GE_ERR_NULL_ARGUMENT, "out_info");
    check_fails(ge_graph_get_info(graph, &info, 8), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_graph_get_info(SMALL_HANDLE, &info, sizeof info), GE_ERR_HANDLE_FOREIGN, "graph");
    check_ok(ge_graph_destroy(graph));
}

/* ---- reading ---- */

static void test_info_and_nodes(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_graph_info info;
    ge_node_id nodes[4];
    size_t count = 0;
    check_ok(ge_graph_get_info(s.graph, &info, sizeof info));
    assert_int_equal(info.nodes_count, 4);
    assert_int_equal(info.edges_count, 3); /* the output list is no edge */
    assert_int_equal(info.inputs_count, 1);
    assert_int_equal(info.outputs_count, 1);
    check_ok(ge_graph_get_nodes(s.graph, GE_ORDER_CREATION, NULL, 0, &count));
    assert_int_equal(count, 4);
    check_ok(ge_graph_get_nodes(s.graph, GE_ORDER_CREATION, nodes, 4, &count));
    const ge_node_id wanted[] = { s.x_node, s.c_node, s.r, s.a };
    assert_memory_equal(nodes, wanted, sizeof wanted);
    check_ok(ge_graph_get_nodes(s.graph, GE_ORDER_TOPOLOGICAL, nodes, 4, &count));
    assert_int_equal(nodes[3], s.a);
    check_fails(ge_graph_get_nodes(s.graph, GE_ORDER_CREATION, nodes, 3, &count), GE_ERR_BUFFER_TOO_SMALL, "nodes");
    assert_int_equal(count, 4); /* the wanted size is told */
    check_fails(ge_graph_get_nodes(s.graph, GE_ORDER_CREATION, NULL, 4, &count), GE_ERR_NULL_ARGUMENT, "nodes");
    check_fails(ge_graph_get_nodes(s.graph, 2, nodes, 4, &count), GE_ERR_INVALID_ARGUMENT, "order");
    assert_int_equal(count, 0);
    check_fails(ge_graph_get_nodes(s.graph, GE_ORDER_CREATION, nodes, 4, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_get_nodes(NULL, GE_ORDER_CREATION, nodes, 4, &count), GE_ERR_HANDLE_NULL, "graph");
    check_ok(ge_graph_destroy(s.graph));
}

static void test_node_infos(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL), other = small_graph_new(NULL);
    ge_node_id nodes[] = { s.a, s.c_node };
    struct {
        ge_node_info info;
        uint64_t more;
    } infos[2] = { 0 };
    check_ok(ge_graph_get_node_infos(s.graph, nodes, 2, &infos[0].info, 2, sizeof infos[0]));
    assert_string_equal(infos[0].info.name, "a");
    assert_string_equal(infos[0].info.op_type, "Add");
    assert_int_equal(infos[0].info.node, s.a);
    assert_int_equal(infos[0].info.inputs_count, 2);
    assert_int_equal(infos[0].info.outputs_count, 1);
    assert_int_equal(infos[0].info.struct_size, sizeof(ge_node_info));
    assert_string_equal(infos[1].info.op_type, "Const");
    assert_int_equal(infos[1].info.attrs_count, 1);
    check_ok(ge_graph_get_node_infos(s.graph, NULL, 0, NULL, 0, sizeof infos[0]));
    check_fails(ge_graph_get_node_infos(s.graph, nodes, 2, &infos[0].info, 1, sizeof infos[0]), GE_ERR_OUT_OF_RANGE, "infos_count");
    check_fails(ge_graph_get_node_infos(s.graph, NULL, 2, &infos[0].info, 2, sizeof infos[0]), GE_ERR_NULL_ARGUMENT, "nodes");
    check_fails(ge_graph_get_node_infos(s.graph, nodes, 2, NULL, 2, sizeof infos[0]), GE_ERR_NULL_ARGUMENT, "infos");
    check_fails(ge_graph_get_node_infos(s.graph, nodes, 2, &infos[0].info, 2, 8), GE_ERR_INVALID_STRUCT_SIZE, "info_size");
    nodes[1] = other.a;
    check_fails(ge_graph_get_node_infos(s.graph, nodes, 2, &infos[0].info, 2, sizeof infos[0]), GE_ERR_BAD_ID, "nodes");
    ge_node_id found = 3;
    check_fails(ge_graph_find_node(s.graph, "nosuch", GE_NTS, &found), GE_ERR_NOT_FOUND, "name");
    assert_int_equal(found, 0);
    check_fails(ge_graph_find_node(s.graph, "NetOutput", GE_NTS, &found), GE_ERR_NOT_FOUND, "name"); /* outputs are a list, not a node */
    check_fails(ge_graph_find_node(s.graph, NULL, 0, &found), GE_ERR_NULL_ARGUMENT, "name");
    check_fails(ge_graph_find_node(s.graph, "a", 1, NULL), GE_ERR_NULL_ARGUMENT, "out_node");
    check_fails(ge_graph_find_node(s.graph, "\xff", 1, &found), GE_ERR_INVALID_UTF8, "name");
    check_ok(ge_graph_destroy(s.graph));
    check_ok(ge_graph_destroy(other.graph));
}

static void test_edges_and_uses(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_value_id values[2];
    uint64_t uses[4], edges[16];
    ge_node_id nodes[2];
    size_t count;
    check_ok(ge_graph_get_node_inputs(s.graph, s.a, values, 2, &count));
    assert_int_equal(count, 2);
    assert_int_equal(values[0], s.r_y);
    assert_int_equal(values[1], s.c);
    check_ok(ge_graph_get_node_inputs(s.graph, s.x_node, values, 2, &count)); /* the input of a Data node is not connected */
    assert_int_equal(count, 1);
    assert_int_equal(values[0], 0);
    check_ok(ge_graph_get_uses(s.graph, s.r_y, uses, 4, &count));
    assert_int_equal(count, 2);
    assert_int_equal(uses[0], s.a);
    assert_int_equal(uses[1], 0);
    check_ok(ge_graph_get_uses(s.graph, s.a_y, uses, 4, &count)); /* the output list is no use */
    assert_int_equal(count, 0);
    check_ok(ge_graph_add_edge(s.graph, s.c_node, GE_CONTROL_INDEX, s.r, GE_CONTROL_INDEX));
    check_ok(ge_graph_add_edge(s.graph, s.c_node, GE_CONTROL_INDEX, s.r, GE_CONTROL_INDEX)); /* there already */
    check_ok(ge_graph_get_control_nodes(s.graph, s.r, GE_DIRECTION_IN, nodes, 2, &count));
    assert_int_equal(count, 1);
    assert_int_equal(nodes[0], s.c_node);
    check_ok(ge_graph_get_control_nodes(s.graph, s.c_node, GE_DIRECTION_OUT, nodes, 2, &count));
    assert_int_equal(nodes[0], s.r);
    check_ok(ge_graph_get_edges(s.graph, NULL, 0, &count));
    assert_int_equal(count, 16);
    check_ok(ge_graph_get_edges(s.graph, edges, 16, &count));
    int controls = 0;
    for (size_t i = 0; i < count; i += 4) controls += edges[i + 1] == UINT64_MAX && edges[i + 3] == UINT64_MAX;
    assert_int_equal(controls, 1);
    check_fails(ge_graph_get_edges(s.graph, edges, 15, &count), GE_ERR_BUFFER_TOO_SMALL, "edges");
    check_fails(ge_graph_get_edges(s.graph, edges, 16, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_get_uses(s.graph, s.a, uses, 4, &count), GE_ERR_BAD_ID, "value"); /* a node is no value */
    check_fails(ge_graph_get_uses(s.graph, s.a_y, uses, 4, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_get_node_inputs(s.graph, s.a_y, values, 2, &count), GE_ERR_BAD_ID, "node");
    assert_int_equal(count, 0);
    check_fails(ge_graph_get_node_inputs(s.graph, s.a, values, 1, &count), GE_ERR_BUFFER_TOO_SMALL, "values");
    check_fails(ge_graph_get_node_inputs(s.graph, s.a, values, 2, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_get_control_nodes(s.graph, s.a, 3, nodes, 2, &count), GE_ERR_INVALID_ARGUMENT, "direction");
    check_fails(ge_graph_get_control_nodes(s.graph, 0, GE_DIRECTION_IN, nodes, 2, &count), GE_ERR_BAD_ID, "node");
    check_ok(ge_graph_destroy(s.graph));
}

static void test_ports(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_node_id node;
    ge_direction direction;
    uint32_t index;
    ge_port_id port = port_of(s.graph, s.a, GE_DIRECTION_IN, 1);
    check_ok(ge_graph_get_port_owner(s.graph, port, &node, &direction, &index));
    assert_int_equal(node, s.a);
    assert_int_equal(direction, GE_DIRECTION_IN);
    assert_int_equal(index, 1);
    assert_int_equal(port_of(s.graph, s.r, GE_DIRECTION_OUT, 0), s.r_y); /* a value id is a port id */
    check_ok(ge_graph_get_port_owner(s.graph, s.r_y, NULL, NULL, NULL));
    check_fails(ge_graph_get_port(s.graph, s.a, GE_DIRECTION_IN, 2, &port), GE_ERR_OUT_OF_RANGE, "index");
    assert_int_equal(port, 0);
    check_fails(ge_graph_get_port(s.graph, s.a, GE_DIRECTION_OUT, UINT32_MAX, &port), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_graph_get_port(s.graph, s.a, 0, 0, &port), GE_ERR_INVALID_ARGUMENT, "direction");
    check_fails(ge_graph_get_port(s.graph, s.a, GE_DIRECTION_IN, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_port");
    check_fails(ge_graph_get_port_owner(s.graph, s.a, &node, &direction, &index), GE_ERR_BAD_ID, "port");
    assert_int_equal(node, 0);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_bad_ids(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL), other = small_graph_new(NULL);
    const uint64_t ids[] = BAD_IDS(other.a), values[] = BAD_IDS(other.a_y);
    size_t count;
    ge_port_id port;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        check_fails(ge_graph_get_node_inputs(s.graph, ids[i], NULL, 0, &count), GE_ERR_BAD_ID, "node");
        check_fails(ge_graph_get_port(s.graph, ids[i], GE_DIRECTION_IN, 0, &port), GE_ERR_BAD_ID, "node");
        check_fails(ge_graph_get_uses(s.graph, values[i], NULL, 0, &count), GE_ERR_BAD_ID, "value");
        check_unchanged(s.graph, {
            check_fails(ge_graph_remove_node(s.graph, ids[i]), GE_ERR_BAD_ID, "node");
            check_fails(ge_graph_add_edge(s.graph, ids[i], 0, s.a, 0), GE_ERR_BAD_ID, "source");
            check_fails(ge_graph_add_edge(s.graph, s.a, 0, ids[i], 0), GE_ERR_BAD_ID, "target");
            check_fails(ge_graph_remove_edge(s.graph, ids[i], 0, s.a, 0), GE_ERR_BAD_ID, "source");
            check_fails(ge_graph_replace_uses(s.graph, values[i], s.r_y), GE_ERR_BAD_ID, "value");
            check_fails(ge_graph_replace_uses(s.graph, s.r_y, values[i]), GE_ERR_BAD_ID, "replacement");
            check_fails(ge_graph_set_outputs(s.graph, &values[i], 1, NULL, 0), GE_ERR_BAD_ID, "values");
        });
    }
    check_ok(ge_graph_destroy(s.graph));
    check_ok(ge_graph_destroy(other.graph));
}

static void test_inputs_and_outputs(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_node_id nodes[1];
    ge_value_id values[3];
    const char *names[3];
    size_t count;
    check_ok(ge_graph_get_inputs(s.graph, nodes, 1, &count));
    assert_int_equal(count, 1);
    assert_int_equal(nodes[0], s.x_node);
    check_ok(ge_graph_get_outputs(s.graph, values, 3, names, 3, &count));
    assert_int_equal(count, 1);
    assert_int_equal(values[0], s.a_y);
    assert_string_equal(names[0], "a"); /* after its producer */
    const ge_value_id wanted[] = { s.r_y, s.a_y, s.r_y };
    const char *given[] = { "one", "two", "three" };
    check_ok(ge_graph_set_outputs(s.graph, wanted, 3, given, 3));
    check_ok(ge_graph_get_outputs(s.graph, values, 3, names, 3, &count));
    assert_int_equal(count, 3);
    assert_memory_equal(values, wanted, sizeof wanted);
    for (int i = 0; i < 3; i++) assert_string_equal(names[i], given[i]);
    check_ok(ge_graph_check(s.graph));
    check_ok(ge_graph_get_outputs(s.graph, NULL, 0, NULL, 0, &count));
    assert_int_equal(count, 3);
    check_fails(ge_graph_get_outputs(s.graph, values, 2, NULL, 0, &count), GE_ERR_BUFFER_TOO_SMALL, "values");
    check_fails(ge_graph_get_outputs(s.graph, values, 3, names, 2, &count), GE_ERR_BUFFER_TOO_SMALL, "names");
    check_fails(ge_graph_get_outputs(s.graph, values, 3, NULL, 3, &count), GE_ERR_NULL_ARGUMENT, "names");
    check_fails(ge_graph_get_outputs(s.graph, values, 3, names, 3, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_get_inputs(s.graph, nodes, 1, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_ok(ge_graph_set_outputs(s.graph, NULL, 0, NULL, 0));
    check_ok(ge_graph_get_outputs(s.graph, values, 3, names, 3, &count));
    assert_int_equal(count, 0);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_set_outputs_misuse(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const ge_value_id values[] = { s.r_y, s.a_y };
    const char *twice[] = { "o", "o" }, *with_null[] = { "o", NULL }, *bad[] = { "o", "\xff" }, *with_empty[] = { "o", "" }, *good[] = { "o", "p" };
    check_unchanged(s.graph, {
        check_fails(ge_graph_set_outputs(s.graph, NULL, 2, NULL, 0), GE_ERR_NULL_ARGUMENT, "values");
        check_fails(ge_graph_set_outputs(s.graph, values, 2, NULL, 2), GE_ERR_NULL_ARGUMENT, "names");
        check_fails(ge_graph_set_outputs(s.graph, values, 2, good, 1), GE_ERR_OUT_OF_RANGE, "names_count");
        check_fails(ge_graph_set_outputs(s.graph, values, 2, good, 0), GE_ERR_OUT_OF_RANGE, "names_count");
        check_fails(ge_graph_set_outputs(s.graph, values, 2, twice, 2), GE_ERR_ALREADY_EXISTS, "names");
        check_fails(ge_graph_set_outputs(s.graph, values, 2, with_null, 2), GE_ERR_NULL_ARGUMENT, "names");
        check_fails(ge_graph_set_outputs(s.graph, values, 2, bad, 2), GE_ERR_INVALID_UTF8, "names");
        check_fails(ge_graph_set_outputs(s.graph, values, 2, with_empty, 2), GE_ERR_INVALID_ARGUMENT, "names");
        check_fails(ge_graph_set_outputs(NULL, values, 2, NULL, 0), GE_ERR_HANDLE_NULL, "graph");
    });
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- editing ---- */

static void test_set_name(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_graph_info info;
    check_ok(ge_graph_set_name(s.graph, "renamedX", 7));
    check_ok(ge_graph_get_info(s.graph, &info, sizeof info));
    assert_string_equal(info.name, "renamed");
    check_unchanged(s.graph, {
        check_fails(ge_graph_set_name(s.graph, NULL, GE_NTS), GE_ERR_NULL_ARGUMENT, "name");
        check_fails(ge_graph_set_name(s.graph, "\xff", 1), GE_ERR_INVALID_UTF8, "name");
        check_fails(ge_graph_set_name(s.graph, "a\0b", 3), GE_ERR_INVALID_UTF8, NULL);
        check_fails(ge_graph_set_name(FOREIGN_HANDLE, "a", 1), GE_ERR_HANDLE_FOREIGN, "graph");
    });
    check_ok(ge_graph_destroy(s.graph));
}

static void test_remove_node(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_graph_info info;
    size_t count;
    ge_value_id values[2];
    check_unchanged(s.graph, { check_fails(ge_graph_remove_node(s.graph, s.a), GE_ERR_WRONG_STATE, "node"); });
    check_ok(ge_graph_remove_node(s.graph, s.r));
    check_ok(ge_graph_get_node_inputs(s.graph, s.a, values, 2, &count)); /* neighbours are not joined */
    assert_int_equal(values[0], 0);
    check_fails(ge_graph_remove_node(s.graph, s.r), GE_ERR_BAD_ID, "node");
    check_fails(ge_graph_get_uses(s.graph, s.r_y, NULL, 0, &count), GE_ERR_BAD_ID, "value");
    check_ok(ge_graph_get_info(s.graph, &info, sizeof info));
    assert_int_equal(info.nodes_count, 3);
    check_fails(ge_graph_check(s.graph), GE_ERR_BAD_GRAPH, NULL); /* an input of "a" is missing */
    check_ok(ge_graph_destroy(s.graph));
}

static void test_add_and_remove_edges(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    uint64_t uses[2];
    size_t count;
    check_unchanged(s.graph, {
        check_fails(ge_graph_add_edge(s.graph, s.c_node, 0, s.a, 0), GE_ERR_ALREADY_EXISTS, "target_index");
        check_fails(ge_graph_add_edge(s.graph, s.c_node, 1, s.a, 0), GE_ERR_OUT_OF_RANGE, "source_index");
        check_fails(ge_graph_add_edge(s.graph, s.c_node, 0, s.a, 2), GE_ERR_OUT_OF_RANGE, "target_index");
        check_fails(ge_graph_add_edge(s.graph, s.c_node, -1, s.a, 0), GE_ERR_OUT_OF_RANGE, "source_index");
        check_fails(ge_graph_add_edge(s.graph, s.c_node, 0, s.a, -1), GE_ERR_OUT_OF_RANGE, "target_index");
        check_fails(ge_graph_add_edge(s.graph, s.c_node, INT32_MIN, s.a, INT32_MAX), GE_ERR_OUT_OF_RANGE, "source_index");
        check_fails(ge_graph_add_edge(s.graph, s.r, -1, s.r, -1), GE_ERR_INVALID_ARGUMENT, "target");
        check_fails(ge_graph_add_edge(NULL, s.r, 0, s.a, 0), GE_ERR_HANDLE_NULL, "graph");
        check_fails(ge_graph_remove_edge(s.graph, s.c_node, 0, s.a, 0), GE_ERR_NOT_FOUND, "target");
        check_fails(ge_graph_remove_edge(s.graph, s.c_node, 1, s.a, 0), GE_ERR_OUT_OF_RANGE, "source_index");
        check_fails(ge_graph_remove_edge(s.graph, s.c_node, 0, s.a, 7), GE_ERR_OUT_OF_RANGE, "target_index");
        check_fails(ge_graph_remove_edge(s.graph, s.c_node, -1, s.a, -1), GE_ERR_NOT_FOUND, "target");
    });
    check_ok(ge_graph_remove_edge(s.graph, s.r, 0, s.a, 0));
    check_ok(ge_graph_get_uses(s.graph, s.r_y, uses, 2, &count));
    assert_int_equal(count, 0);
    check_ok(ge_graph_add_edge(s.graph, s.x_node, 0, s.a, 0));
    check_ok(ge_graph_check(s.graph));
    check_ok(ge_graph_add_edge(s.graph, s.c_node, -1, s.a, -1));
    check_ok(ge_graph_remove_edge(s.graph, s.c_node, -1, s.a, -1));
    check_fails(ge_graph_remove_edge(s.graph, s.c_node, -1, s.a, -1), GE_ERR_NOT_FOUND, "target");
    check_ok(ge_graph_add_edge(s.graph, s.a, -1, s.r, -1)); /* a cycle is found by the check */
    check_ok(ge_graph_remove_edge(s.graph, s.x_node, 0, s.a, 0));
    check_ok(ge_graph_add_edge(s.graph, s.r, 0, s.a, 0));
    check_fails(ge_graph_check(s.graph), GE_ERR_BAD_GRAPH, NULL);
    ge_node_id nodes[4];
    check_fails(ge_graph_get_nodes(s.graph, GE_ORDER_TOPOLOGICAL, nodes, 4, &count), GE_ERR_BAD_GRAPH, NULL);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_replace_uses(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_value_id values[2];
    size_t count;
    check_ok(ge_graph_replace_uses(s.graph, s.r_y, s.x));
    check_ok(ge_graph_get_node_inputs(s.graph, s.a, values, 2, &count));
    assert_int_equal(values[0], s.x);
    check_ok(ge_graph_replace_uses(s.graph, s.a_y, s.r_y)); /* the output list too */
    check_ok(ge_graph_get_outputs(s.graph, values, 1, NULL, 0, &count));
    assert_int_equal(values[0], s.r_y);
    check_ok(ge_graph_replace_uses(s.graph, s.r_y, s.r_y)); /* itself: nothing */
    check_ok(ge_graph_remove_node(s.graph, s.a));
    check_ok(ge_graph_check(s.graph));
    check_fails(ge_graph_replace_uses(NULL, s.r_y, s.x), GE_ERR_HANDLE_NULL, "graph");
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- descs ---- */

static void test_descs(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_tensor_desc desc;
    check_ok(ge_graph_get_desc(s.graph, s.x, &desc, sizeof desc));
    assert_int_equal(desc.struct_size, sizeof desc);
    assert_int_equal(desc.dtype, GE_DTYPE_FLOAT32);
    assert_int_equal(desc.rank, 2);
    assert_int_equal(desc.dims[0], -1);
    assert_int_equal(desc.dims[1], 4);
    assert_string_equal(desc.dim_names[0], "batch");
    assert_null(desc.dim_names[1]);
    assert_null(desc.strides);
    check_ok(ge_graph_get_desc(s.graph, port_of(s.graph, s.r, GE_DIRECTION_IN, 0), &desc, sizeof desc)); /* shows its value's */
    assert_string_equal(desc.dim_names[0], "batch");
    check_ok(ge_graph_get_desc(s.graph, s.r_y, &desc, sizeof desc)); /* building never infers */
    assert_int_equal(desc.dtype, GE_DTYPE_UNDEFINED);
    assert_int_equal(desc.rank, -1);
    assert_null(desc.dims);
    check_ok(ge_graph_get_desc(s.graph, s.c, &desc, sizeof desc));
    assert_int_equal(desc.rank, 1);
    assert_int_equal(desc.dims[0], 2);
    assert_null(desc.dim_names);
    check_ok(ge_graph_get_desc(s.graph, port_of(s.graph, s.x_node, GE_DIRECTION_IN, 0), &desc, sizeof desc)); /* not connected */
    assert_int_equal(desc.dtype, GE_DTYPE_UNDEFINED);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_set_desc(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const int64_t dims[] = { 3, -1, -1 };
    const char *names[] = { NULL, "batch", "length" };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT16, 3, dims), back;
    desc.dim_names = names;
    desc.format = GE_FORMAT_NHWC;
    check_ok(ge_graph_set_desc(s.graph, s.r_y, &desc));
    check_ok(ge_graph_get_desc(s.graph, s.r_y, &back, sizeof back));
    assert_int_equal(back.dtype, GE_DTYPE_FLOAT16);
    assert_int_equal(back.format, GE_FORMAT_NHWC);
    assert_int_equal(back.rank, 3);
    assert_memory_equal(back.dims, dims, sizeof dims);
    assert_null(back.dim_names[0]);
    assert_string_equal(back.dim_names[1], "batch");
    assert_string_equal(back.dim_names[2], "length");
    check_ok(ge_graph_set_desc(s.graph, s.a_y, &back)); /* what comes out goes in */
    ge_port_id port = port_of(s.graph, s.a, GE_DIRECTION_IN, 1);
    desc = desc_of(GE_DTYPE_INT8, 0, NULL);
    check_ok(ge_graph_set_desc(s.graph, port, &desc)); /* an input's own */
    check_ok(ge_graph_get_desc(s.graph, port, &back, sizeof back));
    assert_int_equal(back.dtype, GE_DTYPE_INT8);
    assert_int_equal(back.rank, 0);
    check_ok(ge_graph_get_desc(s.graph, s.c, &back, sizeof back)); /* that of the value stays */
    assert_int_equal(back.dtype, GE_DTYPE_FLOAT32);
    desc.rank = -1;
    desc.dtype = GE_DTYPE_UNDEFINED;
    check_ok(ge_graph_set_desc(s.graph, s.r_y, &desc));
    check_ok(ge_graph_get_desc(s.graph, s.r_y, &back, sizeof back));
    assert_int_equal(back.rank, -1);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_desc_misuse(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const int64_t dims[] = { 3, -2 }, good[] = { 3, -1 }, strides[] = { 1, 1 }, many[9] = { 0 }, origin[] = { 5 };
    const char *on_known[] = { "n", NULL }, *empty[] = { NULL, "" }, *bad[] = { NULL, "\xff" };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims), out;
    check_unchanged(s.graph, {
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_SHAPE, "desc");
        desc = desc_of(GE_DTYPE_FLOAT32, 9, many);
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_RANK, "desc");
        desc.rank = -2;
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_RANK, "desc");
        desc = desc_of(555, 2, good);
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_DTYPE, "desc");
        desc = desc_of(GE_DTYPE_FLOAT32, 2, good);
        desc.strides = strides;
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_SHAPE, "desc");
        desc.strides = NULL;
        desc.dim_names = on_known; /* symbols are for unknown dims */
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_SHAPE, "desc");
        desc.dim_names = empty;
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_INVALID_ARGUMENT, "desc");
        desc.dim_names = bad;
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_INVALID_UTF8, "desc");
        desc.dim_names = NULL;
        desc.placement = GE_PLACEMENT_DEVICE;
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_UNSUPPORTED, "desc");
        desc.placement = GE_PLACEMENT_HOST;
        desc.origin_dims = origin;
        desc.origin_rank = 1;
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_UNSUPPORTED, "desc");
        desc.struct_size = 1;
        check_fails(ge_graph_set_desc(s.graph, s.r_y, &desc), GE_ERR_INVALID_STRUCT_SIZE, "desc");
        check_fails(ge_graph_set_desc(s.graph, s.r_y, NULL), GE_ERR_NULL_ARGUMENT, "desc");
        check_fails(ge_graph_set_desc(s.graph, s.r, &desc), GE_ERR_BAD_ID, "port");
        check_fails(ge_graph_set_desc(NULL, s.r_y, &desc), GE_ERR_HANDLE_NULL, "graph");
    });
    check_fails(ge_graph_get_desc(s.graph, s.r_y, NULL, sizeof out), GE_ERR_NULL_ARGUMENT, "out_desc");
    check_fails(ge_graph_get_desc(s.graph, s.r_y, &out, 8), GE_ERR_INVALID_STRUCT_SIZE, "out_desc");
    check_fails(ge_graph_get_desc(s.graph, s.r, &out, sizeof out), GE_ERR_BAD_ID, "port");
    check_fails(ge_graph_get_desc(FOREIGN_HANDLE, s.r_y, &out, sizeof out), GE_ERR_HANDLE_FOREIGN, "graph");
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- copies and subgraphs ---- */

static void test_copy_is_apart(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_graph *copy;
    check_ok(ge_graph_copy(s.graph, &copy));
    check_ok(ge_graph_set_name(copy, "small", GE_NTS));
    char *a = text_of(s.graph), *b = text_of(copy);
    assert_string_equal(a, b);
    free(a);
    free(b);
    check_fails(ge_graph_remove_node(copy, s.r), GE_ERR_BAD_ID, "node"); /* ids are not shared */
    check_ok(ge_graph_remove_node(copy, node_named(copy, "r")));
    check_ok(ge_graph_check(s.graph));
    check_ok(ge_graph_destroy(s.graph));
    check_ok(ge_graph_destroy(copy));
}

static void test_no_subgraphs(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_graph *view = FOREIGN_HANDLE;
    size_t count = 7;
    check_ok(ge_graph_get_subgraphs(s.graph, 0, NULL, 0, &count));
    assert_int_equal(count, 0);
    check_ok(ge_graph_get_subgraphs(s.graph, s.a, NULL, 0, &count));
    assert_int_equal(count, 0);
    check_fails(ge_graph_get_subgraphs(s.graph, s.a_y, NULL, 0, &count), GE_ERR_BAD_ID, "node");
    check_fails(ge_graph_get_subgraphs(s.graph, 0, NULL, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_create_view(s.graph, 0, &view), GE_ERR_BAD_ID, "subgraph");
    assert_null(view);
    check_fails(ge_graph_create_view(s.graph, s.a, &view), GE_ERR_BAD_ID, "subgraph");
    check_fails(ge_graph_create_view(s.graph, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_graph");
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- dumps ---- */

typedef struct collected {
    char *text;
    size_t size, parts;
    int destroyed;
} collected;
static ge_status collect(void *user, const uint8_t *data, size_t size) {
    collected *c = user;
    c->text = realloc(c->text, c->size + size + 1);
    if (!c->text) return GE_ERR_OUT_OF_MEMORY;
    memcpy(c->text + c->size, data, size);
    c->size += size;
    c->text[c->size] = 0;
    c->parts++;
    return GE_OK;
}
static void end_collect(void *user) { ((collected *)user)->destroyed++; }

static void test_dumps(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    for (ge_dump_format format = GE_DUMP_READABLE; format <= GE_DUMP_IR; format++) {
        char text[4096];
        size_t size;
        collected c = { 0 };
        check_ok(ge_graph_dump(s.graph, format, text, sizeof text, &size));
        assert_int_equal(strlen(text), size);
        assert_non_null(strstr(text, "Relu"));
        check_ok(ge_graph_dump_to(s.graph, format, collect, &c, end_collect));
        assert_string_equal(c.text, text);
        assert_int_equal(c.destroyed, 1);
        free(c.text);
        check_fails(ge_graph_dump(s.graph, format, text, size, &size), GE_ERR_BUFFER_TOO_SMALL, NULL);
        assert_int_equal(strlen(text), size - 1);
    }
    check_ok(ge_graph_destroy(s.graph));
}

static void test_dumps_misuse(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    char text[16] = "zzz";
    size_t size = 9;
    collected c = { 0 };
    const ge_dump_format formats[] = { 0, GE_DUMP_GE_TEXT, GE_DUMP_PASSES, GE_DUMP_KERNELS, GE_DUMP_PLAN, GE_DUMP_SUMMARY, 99, -1 };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        ge_status wanted = formats[i] >= GE_DUMP_GE_TEXT && formats[i] <= GE_DUMP_SUMMARY ? GE_ERR_UNSUPPORTED_FORMAT : GE_ERR_INVALID_ARGUMENT;
        check_fails(ge_graph_dump(s.graph, formats[i], text, sizeof text, &size), wanted, "format");
        assert_int_equal(size, 0);
        assert_string_equal(text, "");
        check_fails(ge_graph_dump_to(s.graph, formats[i], collect, &c, end_collect), wanted, "format");
        assert_int_equal(c.destroyed, (int)i + 1);
    }
    check_fails(ge_graph_dump(s.graph, GE_DUMP_IR, text, sizeof text, NULL), GE_ERR_NULL_ARGUMENT, "out_size");
    check_fails(ge_graph_dump(s.graph, GE_DUMP_IR, NULL, 16, &size), GE_ERR_NULL_ARGUMENT, NULL);
    c.destroyed = 0;
    check_fails(ge_graph_dump_to(s.graph, GE_DUMP_IR, NULL, &c, end_collect), GE_ERR_NULL_ARGUMENT, "write");
    check_fails(ge_graph_dump_to(NULL, GE_DUMP_IR, collect, &c, end_collect), GE_ERR_HANDLE_NULL, "graph");
    check_fails(ge_graph_dump_to(FOREIGN_HANDLE, GE_DUMP_IR, collect, &c, NULL), GE_ERR_HANDLE_FOREIGN, "graph");
    assert_int_equal(c.destroyed, 2);
    assert_int_equal(c.parts, 0);
    check_ok(ge_graph_destroy(s.graph));
}

/* write may destroy the very graph that is being written. */
static ge_status destroy_it(void *user, const uint8_t *data, size_t size) {
    (void)data, (void)size;
    ge_graph **graph = user;
    ge_status st = ge_graph_destroy(*graph);
    *graph = NULL;
    return st;
}
static void test_destroy_while_dumping(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    check_ok(ge_graph_dump_to(s.graph, GE_DUMP_IR, destroy_it, &s.graph, NULL));
    assert_null(s.graph);
}

/* ---- contexts ---- */

static void test_own_context(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_context *context;
    ge_context_info info;
    check_ok(ge_context_create(NULL, &context));
    small_graph s = small_graph_new(context);
    check_ok(ge_context_get_info(context, &info, sizeof info));
    assert_int_equal(info.objects_count, 2);
    check_ok(ge_context_destroy(context));
    check_ok(ge_graph_check(s.graph));
    check_ok(ge_graph_destroy(s.graph));
    check_all_gone(before);
}

/* ---- threads: const calls on one graph run together ---- */

static void *read_all(void *arg) {
    small_graph *s = arg;
    for (int i = 0; i < 300; i++) {
        ge_tensor_desc desc;
        ge_attr_id attr;
        ge_tensor *tensor;
        ge_graph *copy;
        size_t size;
        if (ge_graph_get_desc(s->graph, s->x, &desc, sizeof desc) != GE_OK || strcmp(desc.dim_names[0], "batch") != 0) return arg;
        if (ge_graph_find_attr(s->graph, s->c_node, "value", GE_NTS, &attr) != GE_OK) return arg;
        if (ge_tensor_create_from_attr(s->graph, attr, 0, &tensor) != GE_OK) return arg;
        if (ge_tensor_destroy(tensor) != GE_OK) return arg;
        if (ge_graph_dump(s->graph, GE_DUMP_READABLE, NULL, 0, &size) != GE_OK || ge_graph_check(s->graph) != GE_OK) return arg;
        if (i % 50 == 0 && (ge_graph_copy(s->graph, &copy) != GE_OK || ge_graph_destroy(copy) != GE_OK)) return arg;
    }
    return NULL;
}

static void test_concurrent_reads(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_all, &s), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    check_ok(ge_graph_destroy(s.graph));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),              cmocka_unit_test(test_life_misuse),
        cmocka_unit_test(test_info_and_nodes),    cmocka_unit_test(test_node_infos),
        cmocka_unit_test(test_edges_and_uses),    cmocka_unit_test(test_ports),
        cmocka_unit_test(test_bad_ids),           cmocka_unit_test(test_inputs_and_outputs),
        cmocka_unit_test(test_set_outputs_misuse), cmocka_unit_test(test_set_name),
        cmocka_unit_test(test_remove_node),       cmocka_unit_test(test_add_and_remove_edges),
        cmocka_unit_test(test_replace_uses),      cmocka_unit_test(test_descs),
        cmocka_unit_test(test_set_desc),          cmocka_unit_test(test_desc_misuse),
        cmocka_unit_test(test_copy_is_apart),     cmocka_unit_test(test_no_subgraphs),
        cmocka_unit_test(test_dumps),             cmocka_unit_test(test_dumps_misuse),
        cmocka_unit_test(test_destroy_while_dumping), cmocka_unit_test(test_own_context),
        cmocka_unit_test(test_concurrent_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
