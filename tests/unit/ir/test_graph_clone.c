/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/ir/ir_test.h"

static const char text[] =
    "graph \"g\" [a=1] metadata{k=\"v\"} {\n"
    "  %x = Data[index=0] : f32[n,2]@0 \"x:0\" {o=1}\n"
    "  %w = Const[value=f32[2]{1 2}] : f32[2]\n"
    "  %s, %s:1 = Split(x=%x) in(0: f16[] {a=[1,2]}) : ?, f32 from \"o\"\n"
    "  %two, %two:1 = Two<1,1>(x=%s:1)\n"
    "  %c = Concat(x=[%s, %two:1, %s]) [axis=1, _n={a=1.5}] after(%x, %w)\n"
    "  %i = If(cond=%x, input=[%c]) [then_branch=@t, else_branch=@e]\n"
    "  return %i as \"out\", %c named %o\n"
    "}\n"
    "graph \"e\" {\n  %x = Data[index=0]\n  %call = Call(x=[%x]) [f=@deep]\n  return %call\n}\n"
    "graph \"t\" {\n  %x = Data[index=0] : f32[n]\n  return %x as \"y\"\n}\n"
    "graph \"deep\" {\n  %x = Data[index=0]\n  return %x\n}\n"
    "graph \"detached\" {\n}\n";

static void a_clone_is_equal_and_apart(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_diag diag = { 0 };
    gei_graph *g = ir_parse(&heap.from, text), *copy;
    assert_ok(gei_graph_clone(g, &copy, &diag), &diag);
    gei_tensor *w = gei_node_const(gei_graph_find_node(copy, "w", 1));
    assert_ptr_equal(w, gei_node_const(gei_graph_find_node(g, "w", 1))); /* shared */
    gei_graph_remove_node(gei_graph_find_node(g, "c", 1));
    gei_graph_destroy(g);
    assert_true(gei_tensor_f64(w, 1) == 2);
    ir_check_text(copy, text);
    assert_true(copy->root == copy && gei_graph_find_subgraph(copy, "deep", 4)->root == copy);
    gei_graph_destroy(copy);
    ge_test_heap_check(&heap);
}

static void uses_and_gaps_come_out_in_order(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g = ir_graph(&gei_heap), *copy;
    gei_node *x = ir_data(g, "x", 0), *gap = ir_node(g, "Relu", "gap", 0, 0), *a = ir_node(g, "Add", "a", 0, 0), *b = ir_node(g, "Relu", "b", 0, 0);
    ir_connect(x, 0, b, 0);
    ir_connect(x, 0, a, 1);
    ir_connect(x, 0, a, 0);
    gei_graph_remove_node(gap);
    g->next_name = 7;
    assert_ok(gei_graph_clone(g, &copy, &diag), &diag);
    assert_ok(gei_graph_check(copy, &diag), &diag);
    assert_int_equal(copy->nodes.count, 3);
    assert_int_equal(copy->nodes.items[1]->index, 1);
    gei_slot *use = copy->nodes.items[0]->outs[0].first_use;
    assert_true(use->owner == copy->nodes.items[2] && use->next_use == &copy->nodes.items[1]->ins[1]);
    assert_string_equal(ir_node(copy, "Relu", NULL, 0, 0)->name, "Relu_7");
    gei_graph_destroy(copy);
    gei_graph_destroy(g);
}

static void a_clone_of_a_subgraph_is_a_root_with_what_lies_below(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g = ir_parse(&gei_heap, text), *copy;
    assert_ok(gei_graph_clone(gei_graph_find_subgraph(g, "e", 1), &copy, &diag), &diag);
    gei_graph_destroy(g);
    assert_ok(gei_graph_check(copy, &diag), &diag);
    ir_check_text(copy, "graph \"e\" {\n  %x = Data[index=0]\n  %call = Call(x=[%x]) [f=@deep]\n  return %call\n}\n"
                        "graph \"deep\" {\n  %x = Data[index=0]\n  return %x\n}\n");
    gei_graph_destroy(copy);
}

static ge_status clone_it(const gei_allocator *from, void *arg) {
    gei_graph *g = arg, *copy = NULL;
    g->from = from; /* a clone takes from the allocator of its origin */
    ge_status st = gei_graph_clone(g, &copy, NULL);
    g->from = &gei_heap;
    if (st != GE_OK) assert_null(copy);
    gei_graph_destroy(copy);
    return st;
}

static void each_failed_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    gei_graph *g = ir_parse(&gei_heap, text);
    ge_test_each_allocation_fails(clone_it, g);
    ir_check_text(g, text);
    gei_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clone_is_equal_and_apart),
        cmocka_unit_test(uses_and_gaps_come_out_in_order),
        cmocka_unit_test(a_clone_of_a_subgraph_is_a_root_with_what_lies_below),
        cmocka_unit_test(each_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
