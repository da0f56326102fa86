/* SPDX-License-Identifier: Apache-2.0 */
/* Views of subgraphs and builders over them: what is shared, and what becomes of them when their node goes. */
#include "unit/ge_test.h"

#include "api/object.h"
#include "ops/op.h"

typedef struct nest {
    ge_graph *graph;           /* If "if" with two branches; each: Data -> Relu -> output */
    ge_node_id if_node;
    ge_subgraph_id subs[2];
} nest;

static void fill_branch(gei_graph *g, gei_diag *diag) {
    gei_node *data, *relu;
    assert_ok(gei_graph_add_data(g, "in", 0, GEI_FLOAT32, NULL, &data, diag), diag);
    assert_ok(gei_graph_add_node(g, gei_catalogue_find("Relu", 4), "relu", NULL, NULL, &relu, diag), diag);
    gei_slot_set(&relu->ins[0], gei_value_of(data, 0));
    gei_value out = gei_value_of(relu, 0);
    assert_ok(gei_graph_set_outputs(g, &out, NULL, 1, diag), diag);
}

static nest nest_new(void) {
    nest n;
    gei_diag diag;
    gei_api_context *ctx;
    gei_graph *root, *branches[2];
    gei_node *cond, *x, *node;
    uint32_t one = 1;
    size_t count;
    gei_diag_clear(&diag);
    assert_int_equal(gei_context_of(NULL, __func__, &ctx), GE_OK);
    assert_ok(gei_graph_create(&ctx->from, "root", &root, &diag), &diag);
    assert_ok(gei_graph_add_data(root, "cond", 0, GEI_BOOL, NULL, &cond, &diag), &diag);
    assert_ok(gei_graph_add_data(root, "x", 1, GEI_FLOAT32, NULL, &x, &diag), &diag);
    assert_ok(gei_graph_add_node(root, gei_catalogue_find("If", 2), "if", &one, &one, &node, &diag), &diag);
    gei_slot_set(&node->ins[0], gei_value_of(cond, 0));
    gei_slot_set(&node->ins[1], gei_value_of(x, 0));
    for (int i = 0; i < 2; i++) {
        assert_ok(gei_graph_create_subgraph(root, i ? "else" : "then", &branches[i], &diag), &diag);
        fill_branch(branches[i], &diag);
        assert_ok(gei_graph_add_subgraph(node, i ? "else_branch" : "then_branch", branches[i], &diag), &diag);
    }
    assert_ok(gei_graph_handle(ctx, root, &n.graph, &diag), &diag);
    gei_context_release(ctx);
    assert_int_equal(ge_graph_find_node(n.graph, "if", GE_NTS, &n.if_node), GE_OK);
    assert_int_equal(ge_graph_get_subgraphs(n.graph, n.if_node, n.subs, 2, &count), GE_OK);
    assert_int_equal(count, 2);
    return n;
}

static ge_graph *view_new(const ge_graph *graph, ge_subgraph_id sub) {
    ge_graph *view;
    assert_int_equal(ge_graph_create_view(graph, sub, &view), GE_OK);
    return view;
}

static void test_views(void **state) {
    (void)state;
    nest n = nest_new();
    ge_graph_info info;
    ge_node_id relu;
    size_t count;
    assert_int_equal(ge_graph_get_info(n.graph, &info, sizeof info), GE_OK);
    assert_int_equal(info.subgraphs_count, 2);
    assert_int_equal(ge_graph_get_subgraphs(n.graph, 0, NULL, 0, &count), GE_OK);
    assert_int_equal(count, 2);
    ge_graph *view = view_new(n.graph, n.subs[0]), *twin = view_new(n.graph, n.subs[0]);
    assert_int_equal(ge_graph_get_info(view, &info, sizeof info), GE_OK);
    assert_string_equal(info.name, "then");
    assert_int_equal(info.parent_node, n.if_node);
    assert_string_equal(info.parent_port, "then_branch");
    assert_int_equal(info.parent_index, 0);
    assert_int_equal(info.nodes_count, 2);
    assert_int_equal(ge_graph_find_node(view, "relu", GE_NTS, &relu), GE_OK);
    assert_int_equal(ge_graph_get_node_inputs(n.graph, relu, NULL, 0, &count), GE_ERR_BAD_ID); /* ids belong to their graph */
    assert_int_equal(ge_graph_set_name(view, "else", GE_NTS), GE_ERR_ALREADY_EXISTS);
    assert_int_equal(ge_graph_set_name(view, "", 0), GE_ERR_INVALID_ARGUMENT);
    assert_int_equal(ge_graph_set_name(view, "renamed", GE_NTS), GE_OK);
    assert_int_equal(ge_graph_get_info(twin, &info, sizeof info), GE_OK); /* edits are seen by all views */
    assert_string_equal(info.name, "renamed");
    assert_int_equal(ge_graph_destroy(n.graph), GE_OK); /* views keep the whole graph alive */
    assert_int_equal(ge_graph_check(view), GE_OK);
    assert_int_equal(ge_graph_destroy(view), GE_OK);
    assert_int_equal(ge_graph_check(twin), GE_OK);
    assert_int_equal(ge_graph_destroy(twin), GE_OK);
}

static void test_builder_over_view(void **state) {
    (void)state;
    nest n = nest_new();
    ge_builder *b;
    ge_graph *view = view_new(n.graph, n.subs[1]), *built;
    ge_node_id relu, node;
    ge_value_id value, out;
    size_t count;
    assert_int_equal(ge_graph_find_node(view, "relu", GE_NTS, &relu), GE_OK);
    assert_int_equal(ge_graph_get_port(view, relu, GE_DIRECTION_OUT, 0, &value), GE_OK);
    assert_int_equal(ge_builder_create_over(view, &b), GE_OK);
    assert_int_equal(ge_builder_begin_op(b, "Tanh", GE_NTS, "tanh", GE_NTS), GE_OK);
    assert_int_equal(ge_builder_add_input(b, value), GE_OK);
    assert_int_equal(ge_builder_end_op(b, &out, 1, &node), GE_OK);
    assert_int_equal(ge_builder_build(b, &out, 1, &built), GE_OK);
    assert_int_equal(ge_builder_destroy(b), GE_OK);
    assert_int_equal(ge_graph_get_outputs(view, &value, 1, NULL, 0, &count), GE_OK);
    assert_int_equal(value, out);
    assert_int_equal(ge_graph_check(n.graph), GE_OK);
    assert_int_equal(ge_graph_destroy(built), GE_OK);
    assert_int_equal(ge_graph_destroy(view), GE_OK);
    assert_int_equal(ge_graph_destroy(n.graph), GE_OK);
}

/* The first of two subgraphs goes: the other takes its place, and views of both must know. */
static void test_removed(void **state) {
    (void)state;
    nest n = nest_new();
    ge_builder *b;
    ge_graph *views[2] = { view_new(n.graph, n.subs[0]), view_new(n.graph, n.subs[1]) }, *view;
    ge_graph_info info;
    ge_value_id value;
    ge_tensor *tensor;
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    size_t count;
    assert_int_equal(ge_tensor_create(NULL, &desc, &tensor), GE_OK);
    assert_int_equal(ge_builder_create_over(views[0], &b), GE_OK);
    assert_int_equal(ge_builder_begin_op(b, "Relu", GE_NTS, NULL, 0), GE_OK);
    assert_int_equal(ge_builder_set_attr_tensor(b, "extra", GE_NTS, tensor), GE_OK); /* held while the graph goes */
    assert_int_equal(ge_tensor_destroy(tensor), GE_OK);
    assert_int_equal(ge_graph_remove_node(n.graph, n.if_node), GE_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ge_graph_get_info(views[i], &info, sizeof info), GE_ERR_HANDLE_STALE);
        assert_int_equal(ge_graph_set_name(views[i], "n", 1), GE_ERR_HANDLE_STALE);
        assert_int_equal(ge_graph_dump(views[i], GE_DUMP_IR, NULL, 0, &count), GE_ERR_HANDLE_STALE);
        assert_int_equal(ge_graph_create_view(n.graph, n.subs[i], &view), GE_ERR_BAD_ID);
    }
    assert_int_equal(ge_builder_add_input(b, 1), GE_ERR_HANDLE_STALE);
    assert_int_equal(ge_builder_end_op(b, &value, 1, NULL), GE_ERR_HANDLE_STALE);
    assert_int_equal(ge_builder_build(b, NULL, 0, &view), GE_ERR_HANDLE_STALE);
    assert_int_equal(ge_builder_destroy(b), GE_OK);
    assert_int_equal(ge_builder_create_over(views[1], &b), GE_ERR_HANDLE_STALE);
    assert_null(b);
    assert_int_equal(ge_graph_get_subgraphs(n.graph, 0, NULL, 0, &count), GE_OK);
    assert_int_equal(count, 0);
    for (int i = 0; i < 2; i++) assert_int_equal(ge_graph_destroy(views[i]), GE_OK);
    assert_int_equal(ge_graph_destroy(n.graph), GE_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_builder_over_view),
        cmocka_unit_test(test_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
