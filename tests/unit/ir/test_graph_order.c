/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/ir/ir_test.h"

/* Names of the nodes in order, with a space behind each. */
static void order_is(const char *text, const char *wanted) {
    gei_diag diag = { 0 };
    gei_graph *g = ir_parse(&gei_heap, text);
    gei_arena arena;
    gei_arena_init(&arena, &gei_heap);
    gei_node **order;
    size_t count;
    char names[256] = "";
    assert_ok(gei_graph_order(g, &arena, &order, &count, &diag), &diag);
    assert_int_equal(count, g->n_live);
    for (size_t i = 0; i < count; i++) {
        strcat(names, order[i]->name);
        strcat(names, " ");
    }
    assert_string_equal(names, wanted);
    gei_arena_deinit(&arena);
    gei_graph_destroy(g);
}

static void an_index_order_that_works_is_kept(void **state) {
    (void)state;
    order_is("graph \"g\" { %x = Data %z = Data %y = Data %a = Add(x1=%y, x2=%x) %b = Relu(x=%z) return %a, %b }", "x z y a b NetOutput ");
    order_is("graph \"g\" {}", "");
}

static void producers_move_before_their_first_reader(void **state) {
    (void)state;
    order_is("graph \"g\" { return %b %b = Add(x1=%a, x2=%x) %free = Data[index=1] %a = Relu(x=%x) %x = Data }", "x a b NetOutput free ");
}

static void control_edges_count(void **state) {
    (void)state;
    order_is("graph \"g\" { %a = Data after(%c) %b = Data %c = Data after(%b) }", "b c a ");
}

static void a_cycle_names_its_nodes(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g = ir_parse(&gei_heap, "graph \"g\" { %x = Data %a = Add(x1=%x, x2=%c) %b = Relu(x=%a) %c = Relu(x=%b) %d = Relu(x=%a) }");
    gei_arena arena;
    gei_arena_init(&arena, &gei_heap);
    gei_node **order;
    size_t count;
    assert_fails_with(gei_graph_order(g, &arena, &order, &count, &diag), &diag, "cycle of 3 nodes: b -> c -> a -> b");
    assert_string_equal(diag.node, "a");
    assert_true(order == NULL && count == 0);
    gei_graph_destroy(g);
    g = ir_parse(&gei_heap, "graph \"g\" { %a = Relu(x=%a) }");
    assert_fails_with(gei_graph_order(g, &arena, &order, &count, &diag), &diag, "cycle of 1 nodes: a -> a");
    gei_graph_destroy(g);
    g = ir_parse(&gei_heap, "graph \"g\" { %a = Data after(%b) %b = Relu(x=%a) }");
    assert_fails_with(gei_graph_order(g, &arena, &order, &count, &diag), &diag, "cycle of 2 nodes");
    gei_graph_destroy(g);
    gei_arena_deinit(&arena);
}

static void a_long_cycle_is_told_shortly(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g = ir_graph(&gei_heap);
    for (int i = 0; i < 100000; i++) ir_node(g, "Relu", NULL, 0, 0);
    for (uint32_t i = 0; i < 100000; i++) ir_connect(g->nodes.items[(i + 1) % 100000], 0, g->nodes.items[i], 0);
    assert_fails_with(gei_graph_check(g, &diag), &diag, "cycle of 100000 nodes");
    assert_non_null(strstr(diag.message, "... -> "));
    gei_graph_destroy(g);
}

static void a_chain_of_a_million_is_ordered_backwards_too(void **state) {
    (void)state;
    const uint32_t n = 1000000;
    gei_graph *g = ir_graph(&gei_heap);
    for (uint32_t i = 0; i < n; i++) ir_node(g, "Loose", NULL, 0, 0);
    for (uint32_t i = 0; i + 1 < n; i++) ir_connect(g->nodes.items[i + 1], 0, g->nodes.items[i], 0);
    gei_arena arena;
    gei_arena_init(&arena, &gei_heap);
    gei_node **order;
    size_t count;
    assert_int_equal(gei_graph_order(g, &arena, &order, &count, NULL), GE_OK);
    for (uint32_t i = 0; i < n; i++)
        if (order[i]->index != n - 1 - i) fail_msg("node %u at %u", order[i]->index, i);
    gei_arena_deinit(&arena);
    gei_graph_destroy(g);
}

static ge_status order_it(const gei_allocator *from, void *arg) {
    (void)arg;
    gei_graph *g = ir_parse(&gei_heap, "graph \"g\" { %x = Data %a = Relu(x=%x) }");
    gei_arena arena;
    gei_arena_init(&arena, from);
    g->from = from;
    gei_node **order;
    size_t count;
    ge_status st = gei_graph_order(g, &arena, &order, &count, NULL);
    if (st == GE_OK) st = gei_graph_check(g, NULL);
    gei_arena_deinit(&arena);
    g->from = &gei_heap;
    gei_graph_destroy(g);
    return st;
}

static void each_failed_allocation_is_an_error(void **state) {
    (void)state;
    ge_test_each_allocation_fails(order_it, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_order_that_works_is_kept),
        cmocka_unit_test(producers_move_before_their_first_reader),
        cmocka_unit_test(control_edges_count),
        cmocka_unit_test(a_cycle_names_its_nodes),
        cmocka_unit_test(a_long_cycle_is_told_shortly),
        cmocka_unit_test(a_chain_of_a_million_is_ordered_backwards_too),
        cmocka_unit_test(each_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
