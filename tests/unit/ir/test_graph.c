/* SPDX-License-Identifier: Apache-2.0 */
/* Life of graphs, adding, naming and removing nodes, subgraphs. */
#include <stdio.h>

#include "unit/ir/ir_test.h"

static void nodes_get_the_slots_of_their_definition(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_node *cond = ir_node(g, "If", "if", 3, 2), *two = ir_node(g, "Two", "two", 0, 2), *pick = ir_node(g, "Pick", "", 0, 0);
    assert_int_equal(cond->n_ins, 4);
    assert_int_equal(cond->n_outs, 2);
    assert_true(cond->ins[0].port == 0 && cond->ins[3].port == 1 && cond->ins[3].nth == 2 && cond->ins[3].owner == cond);
    assert_int_equal(two->n_outs, 4);
    assert_true(two->outs[2].port == 1 && two->outs[2].nth == 0 && two->outs[1].nth == 1);
    assert_true(pick->outs[0].dtype == GEI_UNDEFINED && pick->outs[0].rank == GEI_RANK_UNKNOWN && pick->outs[0].format == GE_FORMAT_ND);
    assert_string_equal(pick->name, "Pick_0");
    assert_int_equal(g->n_live, 3);
    assert_ptr_equal(gei_graph_node_at(g, 1), two);
    assert_null(gei_graph_node_at(g, 3));
    gei_graph_destroy(g);
}

static void names_are_unique_and_made_up_ones_step_aside(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_node *node, *a = ir_node(g, "Relu", "Relu_0", 0, 0), *b = ir_node(g, "Relu", NULL, 0, 0);
    assert_string_equal(b->name, "Relu_1");
    assert_fails_with(gei_graph_add_node(g, ir_op("Relu"), "Relu_1", NULL, NULL, &node, &diag), &diag, "has a node 'Relu_1' already");
    assert_null(node);
    assert_int_equal(g->n_live, 2);
    assert_ok(gei_graph_rename_node(a, "first", &diag), &diag);
    assert_ok(gei_graph_rename_node(a, "first", &diag), &diag);
    assert_ptr_equal(gei_graph_find_node(g, "firstling", 5), a);
    assert_null(gei_graph_find_node(g, "Relu_0", 6));
    assert_fails_with(gei_graph_rename_node(b, "first", &diag), &diag, "already");
    assert_fails_with(gei_graph_rename_node(b, "", &diag), &diag, "empty");
    assert_ok(gei_graph_rename_node(b, "Relu_0", &diag), &diag);
    assert_ptr_equal(gei_graph_find_node(g, "Relu_0", 6), b);
    gei_graph_destroy(g);
}

static void counts_are_limited(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_node *node;
    uint32_t many = UINT32_MAX, nth = GEI_MAX_NTH + 1;
    assert_fails_with(gei_graph_add_node(g, ir_op("Concat"), "c", &many, NULL, &node, &diag), &diag, "dynamic port 'x'");
    assert_fails_with(gei_graph_add_node(g, ir_op("Split"), "s", NULL, &nth, &node, &diag), &diag, "dynamic port 'y', at most 65536");
    assert_int_equal(g->n_live, 0);
    nth = GEI_MAX_NTH;
    assert_ok(gei_graph_add_node(g, ir_op("Split"), "s", NULL, &nth, &node, &diag), &diag);
    assert_int_equal(node->outs[65535].nth, 65535);
    gei_graph_destroy(g);
}

static void removing_a_node_unlinks_everything(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_node *x = ir_data(g, "x", 0), *r = ir_node(g, "Relu", "r", 0, 0), *a = ir_node(g, "Add", "a", 0, 0);
    ir_connect(x, 0, r, 0);
    ir_connect(r, 0, a, 0);
    ir_connect(r, 0, a, 1);
    assert_ok(gei_graph_add_control(x, r, &diag), &diag);
    assert_ok(gei_graph_add_control(r, a, &diag), &diag);
    gei_value out = gei_value_of(r, 0);
    assert_ok(gei_graph_set_outputs(g, &out, NULL, 1, &diag), &diag);
    gei_graph_remove_node(r);
    assert_null(gei_graph_node_at(g, 1));
    assert_null(gei_graph_find_node(g, "r", 1));
    assert_null(a->ins[0].from.node);
    assert_null(a->ins[1].from.node);
    assert_null(g->net_output->ins[0].from.node);
    assert_int_equal(x->ctrl_outs.count + a->ctrl_ins.count, 0);
    assert_int_equal(gei_value_use_count(gei_value_of(x, 0)), 0);
    gei_graph_remove_node(r); /* twice is nothing */
    assert_int_equal(g->n_live, 3);
    gei_node *again = ir_node(g, "Relu", "r", 0, 0);
    assert_int_equal(again->index, 4); /* numbers are not used again */
    gei_graph_remove_node(g->net_output);
    assert_null(g->net_output);
    gei_graph_destroy(g);
}

static void count_release(void *user) { ++*(int *)user; }

static gei_tensor *watched(const gei_allocator *from, int *released) {
    static float zero;
    gei_tensor *t = NULL;
    (void)gei_tensor_wrap(from, GEI_FLOAT32, 0, NULL, &zero, sizeof zero, true, count_release, released, &t, NULL);
    return t;
}

static void tensors_of_live_and_removed_nodes_are_released_once(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_diag diag = { 0 };
    gei_graph *g = ir_graph(&heap.from), *sub;
    int released[5] = { 0 };
    gei_node *consts[4];
    for (int i = 0; i < 4; i++) {
        gei_tensor *t = watched(&heap.from, &released[i]);
        assert_ok(gei_graph_add_const(g, NULL, t, &consts[i], &diag), &diag);
        assert_ptr_equal(gei_node_const(consts[i]), t);
        gei_tensor_release(t);
    }
    assert_null(gei_node_const(ir_data(g, "x", 0)));
    gei_tensor *t = watched(&heap.from, &released[4]);
    gei_attr attr = gei_attr_tensor(t);
    gei_attrs *out_attrs;
    gei_in_desc *desc;
    gei_node *r = ir_node(g, "Relu", "r", 0, 0);
    assert_ok(gei_graph_create_subgraph(g, "sub", &sub, &diag), &diag);
    assert_ok(gei_out_attrs(gei_value_of(r, 0), &out_attrs, &diag), &diag);
    assert_ok(gei_slot_desc(&r->ins[0], &desc, &diag), &diag);
    assert_ok(gei_attrs_set(out_attrs, &g->arena, "t", &attr, &diag), &diag);
    assert_ok(gei_attrs_set(&desc->attrs, &g->arena, "t", &attr, &diag), &diag);
    assert_ok(gei_attrs_set(&g->attrs, &g->arena, "t", &attr, &diag), &diag);
    assert_ok(gei_attrs_set(&sub->metadata, &sub->arena, "t", &attr, &diag), &diag);
    gei_tensor_release(t);
    gei_graph_remove_node(consts[1]);
    assert_true(released[0] == 0 && released[1] == 1);
    gei_graph_remove_node(r);
    assert_int_equal(released[4], 0);
    gei_graph_destroy(g);
    for (int i = 0; i < 5; i++) assert_int_equal(released[i], 1);
    gei_graph_destroy(NULL);
    ge_test_heap_check(&heap);
}

static void subgraphs_belong_to_the_root_and_go_with_their_node(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_diag diag = { 0 };
    gei_graph *g = ir_graph(&heap.from), *elsewhere = ir_graph(&heap.from), *a, *b, *c, *d;
    assert_ok(gei_graph_create_subgraph(g, "a", &a, &diag), &diag);
    assert_ok(gei_graph_create_subgraph(a, NULL, &b, &diag), &diag); /* through any graph of the tree */
    assert_ok(gei_graph_create_subgraph(g, "c", &c, &diag), &diag);
    assert_ok(gei_graph_create_subgraph(g, "d", &d, &diag), &diag);
    assert_fails_with(gei_graph_create_subgraph(g, "a", &c, &diag), &diag, "has a subgraph 'a' already");
    c = gei_graph_find_subgraph(g, "c", 1);
    assert_true(b->root == g && b->symbols == g->symbols && a->serial != b->serial);
    gei_node *call = ir_node(g, "Call", "call", 0, 0), *inner = ir_node(a, "Call", "call", 0, 0), *other = ir_node(g, "Case", "case", 0, 0);
    gei_diag_clear(&diag);
    assert_fails_with(gei_graph_add_subgraph(call, "g", a, &diag), &diag, "no subgraph port 'g'");
    assert_string_equal(diag.node, "call");
    assert_ok(gei_graph_add_subgraph(call, "f", a, &diag), &diag);
    assert_ok(gei_graph_add_subgraph(inner, "f", b, &diag), &diag);
    assert_fails_with(gei_graph_add_subgraph(call, "f", c, &diag), &diag, "has a subgraph on port 'f' already");
    assert_fails_with(gei_graph_add_subgraph(other, "branches", a, &diag), &diag, "hangs on node 'call' already");
    assert_fails_with(gei_graph_add_subgraph(other, "branches", elsewhere, &diag), &diag, "not a subgraph");
    assert_ok(gei_graph_add_subgraph(other, "branches", d, &diag), &diag);
    assert_ok(gei_graph_add_subgraph(other, "branches", c, &diag), &diag);
    assert_int_equal(other->n_subgraphs, 2);
    assert_fails_with(gei_graph_rename(d, "c", &diag), &diag, "has a subgraph 'c' already");
    assert_fails_with(gei_graph_rename(d, "", &diag), &diag, "empty");
    assert_ok(gei_graph_rename(d, "e", &diag), &diag);
    assert_null(gei_graph_find_subgraph(g, "d", 1));
    assert_ptr_equal(gei_graph_find_subgraph(g, "e", 1), d);
    assert_ok(gei_graph_rename(g, "c", &diag), &diag); /* the root's name is its own affair */
    gei_graph_remove_node(call);
    assert_int_equal(g->subgraphs.count, 2);
    assert_null(gei_graph_find_subgraph(g, "a", 1));
    assert_ptr_equal(gei_graph_find_subgraph(g, "c", 1), c);
    assert_ptr_equal(gei_graph_find_subgraph(g, "e", 1), d);
    assert_true(g->subgraphs.items[c->sub_index] == c && g->subgraphs.items[d->sub_index] == d);
    gei_graph_destroy(elsewhere);
    gei_graph_destroy(c); /* not a root: nothing happens */
    gei_graph_destroy(g);
    ge_test_heap_check(&heap);
}

static void a_graph_is_not_nested_in_itself(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g = ir_graph(&gei_heap), *a, *b;
    assert_ok(gei_graph_create_subgraph(g, "a", &a, &diag), &diag);
    assert_ok(gei_graph_create_subgraph(g, "b", &b, &diag), &diag);
    gei_node *in_a = ir_node(a, "Case", "n", 0, 0), *in_b = ir_node(b, "Case", "n", 0, 0);
    assert_fails_with(gei_graph_add_subgraph(in_a, "branches", a, &diag), &diag, "lies inside");
    assert_ok(gei_graph_add_subgraph(in_a, "branches", b, &diag), &diag);
    assert_fails_with(gei_graph_add_subgraph(in_b, "branches", a, &diag), &diag, "lies inside");
    gei_graph_destroy(g);
}

static void a_million_nodes_take_few_bytes_each(void **state) {
    (void)state;
    const uint32_t n = 1000000;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_graph *g = ir_graph(&heap.from);
    gei_node *x = ir_data(g, "x", 0), *last = x;
    char name[32];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "layer_%u", i);
        gei_node *node = NULL;
        if (gei_graph_add_node(g, ir_op("Add"), name, NULL, NULL, &node, NULL) != GE_OK) fail();
        ir_connect(last, 0, node, 0);
        ir_connect(x, 0, node, 1);
        last = node;
    }
    assert_true(heap.live_bytes < (int64_t)n * 420);
    assert_ptr_equal(gei_graph_find_node(g, "layer_999999", 12), last);
    assert_int_equal(gei_graph_check(g, NULL), GE_OK);
    for (uint32_t i = 0; i < n; i++) gei_graph_remove_node(g->nodes.items[n - i]);
    assert_int_equal(g->n_live, 1);
    gei_graph_destroy(g);
    ge_test_heap_check(&heap);
}

static ge_status build(const gei_allocator *from, void *arg) {
    (void)arg;
    gei_graph *g = NULL, *sub;
    gei_node *node, *x, *last = NULL;
    gei_dim batch = 0;
    gei_diag diag = { 0 };
    ge_status st = gei_graph_create(from, "g", &g, &diag);
    if (st == GE_OK) st = gei_graph_symbol(g, "batch", 5, &batch, &diag);
    gei_shape shape = gei_shape_of(2, (gei_dim[]){ batch, 3 });
    if (st == GE_OK) st = gei_graph_add_data(g, "x", 0, GEI_FLOAT32, &shape, &x, &diag);
    for (int i = 0; st == GE_OK && i < 40; i++) { /* enough to grow every table */
        st = gei_graph_add_node(g, ir_op("Relu"), NULL, NULL, NULL, &node, &diag);
        if (st != GE_OK) break;
        ir_connect(last ? last : x, 0, node, 0);
        st = gei_graph_add_control(x, node, &diag);
        last = node;
        if (st == GE_OK) st = gei_graph_rename_node(node, i == 7 ? "seven" : node->name, &diag);
        if (st == GE_OK && i % 8 == 0) st = gei_graph_create_subgraph(g, NULL, &sub, &diag);
        if (st == GE_OK && i % 8 == 0) st = gei_graph_add_node(g, ir_op("Case"), NULL, (uint32_t[]){ 1 }, NULL, &node, &diag);
        if (st != GE_OK || i % 8 != 0) continue;
        ir_connect(x, 0, node, 0);
        ir_connect(x, 0, node, 1);
        st = gei_graph_add_subgraph(node, "branches", sub, &diag);
        if (st != GE_OK) gei_graph_remove_node(node); /* a subgraph without a node would not pass the check */
    }
    static const char *names[] = { "out" };
    gei_value out = gei_value_of(last, 0);
    if (st == GE_OK) st = gei_graph_set_outputs(g, &out, NULL, 1, &diag);
    if (st == GE_OK) st = gei_graph_set_outputs(g, &out, names, 1, &diag);
    if (st == GE_OK) st = gei_graph_set_metadata(g, "author", "me", 2, &diag);
    if (st == GE_OK) st = gei_graph_check(g, &diag);
    if (st == GE_OK) assert_string_equal(gei_graph_output_name(g, 0), "out");
    /* After a failure everything is still linked soundly; only the check itself may lack memory. */
    if (st == GE_ERR_OUT_OF_MEMORY && g) {
        ge_status again = gei_graph_check(g, &diag);
        if (again != GE_OK && again != GE_ERR_OUT_OF_MEMORY && !strstr(diag.message, "hangs on no node")) fail_msg("%s", diag.message);
    }
    gei_graph_destroy(g);
    return st;
}

static void each_failed_allocation_leaves_a_sound_graph(void **state) {
    (void)state;
    ge_test_each_allocation_fails(build, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_get_the_slots_of_their_definition),
        cmocka_unit_test(names_are_unique_and_made_up_ones_step_aside),
        cmocka_unit_test(counts_are_limited),
        cmocka_unit_test(removing_a_node_unlinks_everything),
        cmocka_unit_test(tensors_of_live_and_removed_nodes_are_released_once),
        cmocka_unit_test(subgraphs_belong_to_the_root_and_go_with_their_node),
        cmocka_unit_test(a_graph_is_not_nested_in_itself),
        cmocka_unit_test(a_million_nodes_take_few_bytes_each),
        cmocka_unit_test(each_failed_allocation_leaves_a_sound_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
