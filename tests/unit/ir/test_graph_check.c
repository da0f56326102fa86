/* SPDX-License-Identifier: Apache-2.0 */
/* Each invariant broken on purpose; the checker must tell which. */
#include "unit/ir/ir_test.h"

static const char sound[] =
    "graph \"g\" {\n"
    "  %x = Data[index=0] : f32[2]\n"
    "  %y = Data[index=1] : f32[2]\n"
    "  %a = Add(x1=%x, x2=%y) after(%y)\n"
    "  %r = Relu(x=%a) : f32[2]\n"
    "  %c = Concat(x=[%r, %a]) [axis=0, _private=\"fine\"]\n"
    "  %if = If(cond=%x, input=[%r]) [then_branch=@t, else_branch=@e]\n"
    "  return %if, %c\n"
    "}\n"
    "graph \"t\" { %x = Data return %x }\n"
    "graph \"e\" { %x = Data return %x }\n";

static gei_node *node_of(const gei_graph *g, const char *name) {
    gei_node *node = gei_graph_find_node(g, name, strlen(name));
    assert_non_null(node);
    return node;
}

static void wrong(const gei_graph *g, const char *part) {
    gei_diag diag = { 0 };
    assert_fails_with(gei_graph_check(g, &diag), &diag, part);
}

/* Text that is no valid graph. */
static void refused(const char *text, const char *part) {
    gei_graph *g = ir_parse(&gei_heap, text);
    wrong(g, part);
    gei_graph_destroy(g);
}

static void a_sound_graph_passes(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g = ir_parse(&gei_heap, sound), *empty = ir_graph(&gei_heap);
    assert_ok(gei_graph_check(g, &diag), &diag);
    assert_ok(gei_graph_check(gei_graph_find_subgraph(g, "t", 1), &diag), &diag);
    assert_ok(gei_graph_check(empty, &diag), &diag);
    gei_graph_destroy(g);
    gei_graph_destroy(empty);
}

static void what_the_definition_wants_is_checked(void **state) {
    (void)state;
    refused("graph \"g\" { %x = Data %a = Add(x2=%x) }", "Add 'a': input 'x1' (0) is not connected");
    refused("graph \"g\" { %x = Data %a = Concat(x=[%x, _]) [axis=0] }", "Concat 'a': input 'x' (1) is not connected");
    refused("graph \"g\" { %x = Data %a = Concat(x=[%x]) }", "Concat 'a': required attribute 'axis' is missing");
    refused("graph \"g\" { %x = Data : i8 %a = Relu(x=%x) }", "Relu 'a': input 'x' does not take int8");
    refused("graph \"g\" { %x = Data[index=1] }", "input index 1");
    refused("graph \"g\" { %x = Data %y = Data }", "input index 0 is that of 'x' too");
    refused("graph \"g\" { %x = Data %i = If(cond=%x) [then_branch=@t] } graph \"t\" {}", "If 'i' has 0 subgraphs on port 'else_branch', wanted 1");
    refused("graph \"g\" { %c = Call() [f=@t] } graph \"t\" { %x = Data }", "subgraph 't' has 1 inputs, but its node Call 'c' has 0");
    refused("graph \"g\" {} graph \"t\" {}", "subgraph 't' hangs on no node");
    refused("graph \"g\" { %x = Data : dtype(999) }", "unknown data type number 999");
    refused("graph \"g\" { %c = Call() [f=@t] } graph \"t\" { %a = Relu(x=%a) }", "cycle");
}

static void found_and_wanted_are_told(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g = ir_parse(&gei_heap, "graph \"g\" { %x = Data %a = Concat(x=[%x]) [axis=1] }");
    gei_attr text = gei_attr_text("1", 1);
    assert_ok(gei_attrs_set(&node_of(g, "a")->attrs, &g->arena, "axis", &text, &diag), &diag);
    assert_fails_with(gei_graph_check(g, &diag), &diag, "Concat 'a': attribute 'axis' is of kind string, wanted int");
    assert_string_equal(diag.node, "a");
    assert_string_equal(diag.found, "string");
    assert_string_equal(diag.wanted, "int");
    gei_graph_destroy(g);
}

typedef void (*breaker)(gei_graph *g);

static void drop_from_use_list(gei_graph *g) {
    gei_out *out = &node_of(g, "a")->outs[0];
    out->first_use = out->last_use = NULL;
}
static void cross_use_lists(gei_graph *g) { node_of(g, "x")->outs[0].first_use = node_of(g, "y")->outs[0].first_use; }
static void cut_list_end(gei_graph *g) { node_of(g, "a")->outs[0].last_use = node_of(g, "a")->outs[0].first_use; }
static void loop_use_list(gei_graph *g) { node_of(g, "a")->outs[0].last_use->next_use = node_of(g, "a")->outs[0].first_use; }
static void change_owner(gei_graph *g) { node_of(g, "a")->ins[1].owner = node_of(g, "r"); }
static void change_nth(gei_graph *g) { node_of(g, "c")->ins[1].nth = 5; }
static void change_port(gei_graph *g) { node_of(g, "a")->ins[1].port = 0; }
static void change_out_port(gei_graph *g) { node_of(g, "a")->outs[0].port = 3; }
static void change_out_nth(gei_graph *g) { node_of(g, "a")->outs[0].nth = 1; }
static void point_outside(gei_graph *g) { node_of(g, "a")->ins[1].from.node = node_of(gei_graph_find_subgraph(g, "t", 1), "x"); }
static void point_past_outputs(gei_graph *g) { node_of(g, "a")->ins[1].from.out = 7; }
static void change_index(gei_graph *g) { node_of(g, "a")->index = 4; }
static void change_name(gei_graph *g) { node_of(g, "a")->name = "other"; }
static void lose_name(gei_graph *g) { gei_strmap_remove(&g->names, "a", 1); }
static void stray_name(gei_graph *g) { assert_true(gei_strmap_put(&g->names, "stray", 5, 0)); }
static void forget_net_output(gei_graph *g) { g->net_output = NULL; }
static void one_sided_control(gei_graph *g) { node_of(g, "y")->ctrl_outs.count = 0; }
static void foreign_control(gei_graph *g) { node_of(g, "y")->ctrl_outs.items[0] = node_of(gei_graph_find_subgraph(g, "t", 1), "x"); }
static void wrong_rank(gei_graph *g) { node_of(g, "a")->outs[0].rank = 9; }
static void wrong_count(gei_graph *g) { g->n_live++; }
static void steal_subgraph(gei_graph *g) { gei_graph_find_subgraph(g, "t", 1)->parent = node_of(g, "a"); }
static void orphan_place(gei_graph *g) { gei_graph_find_subgraph(g, "t", 1)->sub_index = 1; }
static void unknown_symbol(gei_graph *g) {
    static const gei_dim dims[] = { -2 };
    node_of(g, "a")->outs[0].rank = 1;
    node_of(g, "a")->outs[0].dims = dims;
}

static void broken_links_are_found(void **state) {
    (void)state;
    static const struct {
        breaker apply;
        const char *message;
    } cases[] = {
        { drop_from_use_list, "2 inputs are missing from the use lists" },
        { cross_use_lists, "use list of output 0 is broken" },
        { cut_list_end, "has a wrong end" },
        { loop_use_list, "use list of output 0 is broken" },
        { change_owner, "slot 1 belongs to another node" },
        { change_nth, "slot 1 is out of order" },
        { change_port, "slot 1 is out of order" },
        { change_out_port, "output 'y' has 0 values, wanted 1" },
        { change_out_nth, "output 0 is out of order" },
        { point_outside, "which is not in graph 'g'" },
        { point_past_outputs, "wants output 7 of 'y', which has 1" },
        { change_index, "is not at its place 2" },
        { change_name, "is not found by its name" },
        { lose_name, "is not found by its name" },
        { stray_name, "names 8" },
        { forget_net_output, "is not what graph 'g' calls its NetOutput" },
        { one_sided_control, "on one side only" },
        { foreign_control, "leads outside the graph" },
        { wrong_rank, "has rank 9" },
        { wrong_count, "counts 8" },
        { steal_subgraph, "does not belong to it" },
        { orphan_place, "does not belong to it" },
        { unknown_symbol, "a symbol the graph does not have" },
    };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        gei_graph *g = ir_parse(&gei_heap, sound);
        cases[i].apply(g);
        wrong(g, cases[i].message);
        gei_graph_destroy(g); /* takes down by owner, not by link */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_graph_passes),
        cmocka_unit_test(what_the_definition_wants_is_checked),
        cmocka_unit_test(found_and_wanted_are_told),
        cmocka_unit_test(broken_links_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
