/* SPDX-License-Identifier: Apache-2.0 */
/* Data and control edges. */
#include "unit/ir/ir_test.h"

static void check_sound(const gei_graph *g) {
    gei_diag diag = { 0 };
    assert_ok(gei_graph_check(g, &diag), &diag);
}

static void uses_keep_the_order_of_linking(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_node *x = ir_data(g, "x", 0), *a = ir_node(g, "Add", "a", 0, 0), *b = ir_node(g, "Relu", "b", 0, 0);
    ir_connect(x, 0, b, 0);
    ir_connect(x, 0, a, 0);
    ir_connect(x, 0, a, 1);
    check_sound(g);
    gei_out *out = &x->outs[0];
    assert_true(out->first_use == &b->ins[0] && out->first_use->next_use == &a->ins[0] && out->last_use == &a->ins[1]);
    ir_connect(x, 0, b, 0); /* once more: goes to the end */
    assert_true(out->first_use == &a->ins[0] && out->last_use == &b->ins[0]);
    gei_slot_set(&a->ins[1], (gei_value){ NULL, 0 });
    assert_int_equal(gei_value_use_count(gei_value_of(x, 0)), 2);
    gei_slot_set(&a->ins[1], (gei_value){ NULL, 0 });
    ir_connect(b, 0, a, 1);
    check_sound(g);
    gei_graph_destroy(g);
}

static void replacing_uses_joins_the_lists(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_node *x = ir_data(g, "x", 0), *y = ir_data(g, "y", 1), *a = ir_node(g, "Add", "a", 0, 0), *b = ir_node(g, "Add", "b", 0, 0);
    gei_value vx = gei_value_of(x, 0), vy = gei_value_of(y, 0);
    ir_connect(x, 0, a, 0);
    ir_connect(x, 0, a, 1);
    ir_connect(y, 0, b, 0);
    ir_connect(x, 0, b, 1);
    gei_value_replace_uses(vx, vx);
    assert_int_equal(gei_value_use_count(vx), 3);
    gei_value_replace_uses(vx, vy);
    check_sound(g);
    assert_int_equal(gei_value_use_count(vx), 0);
    assert_int_equal(gei_value_use_count(vy), 4);
    assert_true(y->outs[0].first_use == &b->ins[0] && y->outs[0].last_use == &b->ins[1]);
    gei_value_replace_uses(vx, vy); /* no uses: nothing */
    gei_value_replace_uses(vy, vx); /* into an empty list */
    check_sound(g);
    assert_int_equal(gei_value_use_count(vx), 4);
    gei_value_replace_uses(vx, (gei_value){ NULL, 0 });
    assert_int_equal(gei_value_use_count(vx), 0);
    assert_null(a->ins[1].from.node);
    assert_null(a->ins[0].next_use);
    gei_graph_destroy(g);
}

static void slots_are_found_by_port(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_node *cond = ir_node(g, "If", "if", 1000, 0), *none = ir_node(g, "If", "none", 0, 0), *pick = ir_node(g, "Pick", "p", 0, 0);
    assert_ptr_equal(gei_node_slot(cond, 0, 0), &cond->ins[0]);
    for (uint32_t i = 0; i < 1000; i++) assert_ptr_equal(gei_node_slot(cond, 1, i), &cond->ins[1 + i]);
    assert_null(gei_node_slot(cond, 1, 1000));
    assert_null(gei_node_slot(cond, 0, 1));
    assert_null(gei_node_slot(cond, 2, 0));
    assert_null(gei_node_slot(none, 1, 0));
    assert_int_equal(gei_node_port_count(cond, 1), 1000);
    assert_int_equal(gei_node_port_count(cond, 0), 1);
    assert_int_equal(gei_node_port_count(none, 1), 0);
    assert_ptr_equal(gei_node_slot_named(pick, "mask"), &pick->ins[1]);
    assert_ptr_equal(gei_node_slot_named(cond, "input"), &cond->ins[1]);
    assert_null(gei_node_slot_named(none, "input"));
    assert_null(gei_node_slot_named(pick, "no"));
    gei_graph_destroy(g);
}

static void control_edges_are_kept_once_on_both_sides(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap), *other = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    gei_node *n[6];
    for (int i = 0; i < 6; i++) n[i] = ir_data(g, NULL, i);
    gei_node *foreign = ir_data(other, "f", 0);
    for (int i = 0; i < 6; i++)
        for (int k = i + 1; k < 6; k++) assert_ok(gei_graph_add_control(n[i], n[k], &diag), &diag);
    assert_ok(gei_graph_add_control(n[0], n[5], &diag), &diag);
    assert_int_equal(n[0]->ctrl_outs.count, 5);
    assert_int_equal(n[5]->ctrl_ins.count, 5);
    check_sound(g);
    assert_true(gei_graph_remove_control(n[0], n[2]));
    assert_false(gei_graph_remove_control(n[0], n[2]));
    assert_false(gei_graph_remove_control(n[2], n[0]));
    check_sound(g);
    gei_graph_remove_node(n[3]);
    assert_int_equal(n[5]->ctrl_ins.count, 4);
    for (int i = 4; i < 6; i++) n[i]->attrs.items[0].value.v.i--; /* indices stay without a gap */
    check_sound(g);
    assert_fails_with(gei_graph_add_control(n[1], n[1], &diag), &diag, "itself");
    assert_fails_with(gei_graph_add_control(n[1], foreign, &diag), &diag, "of graph");
    gei_graph_destroy(g);
    gei_graph_destroy(other);
}

static void a_hub_of_control_edges_is_taken_down_in_linear_time(void **state) {
    (void)state;
    const int n = 200000;
    gei_graph *g = ir_graph(&gei_heap);
    gei_node *hub = ir_data(g, "hub", 0);
    for (int i = 0; i < n; i++) assert_int_equal(gei_graph_add_control(hub, ir_node(g, "Relu", NULL, 0, 0), NULL), GE_OK);
    for (int i = 1; i <= n; i += 2) gei_graph_remove_node(g->nodes.items[i]);
    assert_int_equal(hub->ctrl_outs.count, n / 2);
    gei_graph_remove_node(hub);
    assert_int_equal(g->nodes.items[2]->ctrl_ins.count, 0);
    gei_graph_destroy(g);
}

/* Thousands of random edits; the checker watches. */
static void random_edits_keep_the_graph_sound(void **state) {
    (void)state;
    gei_graph *g = ir_graph(&gei_heap);
    gei_diag diag = { 0 };
    uint64_t seed = 1;
    for (int i = 0; i < 40; i++) ir_node(g, "Loose", NULL, 0, 0);
    for (int step = 0; step < 20000; step++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t r = (uint32_t)(seed >> 33), count = (uint32_t)g->nodes.count;
        gei_node *a = g->nodes.items[r % count], *b = g->nodes.items[(r >> 8) % count];
        if (!a || !b) continue;
        if (a->index > b->index) { gei_node *t = a; a = b; b = t; }
        switch (r % 7) {
        case 0: case 1: if (a != b) ir_connect(a, 0, b, (r >> 16) % 4); break;
        case 2: gei_slot_set(&b->ins[(r >> 16) % 4], (gei_value){ NULL, 0 }); break;
        case 3: if (a != b) assert_ok(gei_graph_add_control(a, b, &diag), &diag); break;
        case 4: (void)gei_graph_remove_control(a, b); break;
        case 5: if (a->index == 0) gei_value_replace_uses(gei_value_of(b, 0), gei_value_of(a, 0)); break;
        default:
            if (r % 13 == 0 && a->index > 0) {
                gei_graph_remove_node(a);
                ir_node(g, "Loose", NULL, 0, 0);
            }
        }
        if (step % 100 != 0) continue;
        check_sound(g);
    }
    gei_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_keep_the_order_of_linking),
        cmocka_unit_test(replacing_uses_joins_the_lists),
        cmocka_unit_test(slots_are_found_by_port),
        cmocka_unit_test(control_edges_are_kept_once_on_both_sides),
        cmocka_unit_test(a_hub_of_control_edges_is_taken_down_in_linear_time),
        cmocka_unit_test(random_edits_keep_the_graph_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
