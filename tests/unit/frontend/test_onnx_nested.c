/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs inside nodes and model-local functions. */
#include "unit/frontend/onnx_check.h"

/* A mapping for "Own", which makes one Case node of its first input, its captures and its graphs.  The graphs are printed
 * into `seen`: attribute, own inputs, captured values by name, and the graph's text. */
static char seen[8192];

static void note_text(const char *text) { strncat(seen, text, sizeof seen - strlen(seen) - 1); }

static void note_subgraph(const gei_import_subgraph *sub) {
    char line[128];
    snprintf(line, sizeof line, "%s %u", sub->attr, sub->n_inputs);
    note_text(line);
    for (uint32_t i = 0; i < sub->n_captured; i++) {
        note_text(" ");
        note_text(gei_value_out(sub->captured[i])->name);
    }
    note_text(": ");
    for (size_t i = 0; i < sub->graph->nodes.count; i++) {
        const gei_node *node = sub->graph->nodes.items[i];
        snprintf(line, sizeof line, "%s=%s(", node->name, node->def->name);
        note_text(line);
        for (uint32_t k = 0; k < node->n_ins; k++) {
            if (k > 0) note_text(",");
            if (node->ins[k].from.node) note_text(node->ins[k].from.node->name);
        }
        snprintf(line, sizeof line, ")%s", gei_node_is_input(node) ? gei_node_int(node, "index", 0) == 0 ? "0" : gei_node_int(node, "index", 0) == 1 ? "1" : "2" : "");
        note_text(line);
        note_text(" ");
    }
    note_text("\n");
}

static ge_status own_graphs(gei_import *im, gei_diag *diag) {
    gei_node *node;
    for (uint32_t i = 0; i < im->n_subgraphs; i++) {
        note_text(im->name);
        note_text(".");
        note_subgraph(&im->subgraphs[i]);
    }
    gei_value ins[16] = { { NULL, 0 }, im->inputs[0] };
    uint32_t n_ins = 2, n_dynamic, one = 1;
    GEI_TRY(gei_import_const_i32(im, (int64_t[]){ 0 }, 1, true, &ins[0], diag));
    for (uint32_t i = 0; i < im->n_subgraphs; i++)
        for (uint32_t k = 0; k < im->subgraphs[i].n_captured; k++) ins[n_ins++] = im->subgraphs[i].captured[k];
    n_dynamic = n_ins - 1;
    GEI_TRY(gei_import_node_dynamic(im, "Case", ins, n_ins, &n_dynamic, &one, &node, diag)); /* takes values of its own graph only */
    for (uint32_t i = 0; i < im->n_subgraphs; i++) GEI_TRY(gei_graph_add_subgraph(node, "branches", im->subgraphs[i].graph, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source *find_own(void *user, const char *domain, const char *type, int32_t opset, const gei_op **out_op) {
    static const gei_source source = { .framework = GEI_FROM_ONNX, .type = "Own", .since = 1, .map = own_graphs };
    (void)user, (void)domain, (void)opset;
    *out_op = gei_op_row("Identity", 8); /* any will do */
    return strcmp(type, "Own") == 0 ? &source : NULL;
}

static void read_with_own(onnx_read *t, pb *model) {
    seen[0] = '\0';
    onnx_read_init(t);
    t->options.find = find_own;
    onnx_read_run(t, model);
    pb_free(model);
}

static void read_ok(onnx_read *t, pb *model) {
    read_with_own(t, model);
    if (t->status != GE_OK) fail_msg("status %#x: %s\n%s", (unsigned)t->status, t->diag.message, t->problems);
}

static void own_node(pb *graph, uint32_t field, const char *name, const char *in, const char *out, const char *attr, pb *inner) {
    pb node = onnx_node_begin("Own", name, in, out);
    if (inner) onnx_attr_graph(&node, attr, inner);
    pb_message(graph, field, &node);
}

static pb finish(pb *graph) {
    onnx_input(graph, "x", ONNX_F32, "n,3");
    onnx_output(graph, "y", ONNX_F32, NULL);
    return onnx_model(8, 17, graph);
}

/* ---- nested graphs ---- */

static void values_from_outside_become_inputs(void **state) {
    (void)state;
    pb graph = { 0 }, inner = { 0 };
    onnx_input(&inner, "own", ONNX_F32, NULL);
    onnx_node(&inner, "Add", "add", "own,t", "a");
    onnx_node(&inner, "Add", "add2", "a,x", "b");
    onnx_node(&inner, "Add", "add3", "b,t", "c");
    onnx_output(&inner, "c", -1, NULL);
    onnx_node(&graph, "Relu", "r", "x", "t");
    own_node(&graph, ONNX_GRAPH_NODE, "o", "x", "y", "body", &inner);
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "o.body 1 t x: own=Data()0 t=Data()1 add=Add(own,t) x=Data()2 add2=Add(add,x) add3=Add(add2,t) NetOutput=NetOutput(add3) \n");
    onnx_read_deinit(&t);
}

static void values_are_handed_down_through_every_level(void **state) {
    (void)state;
    pb graph = { 0 }, a = { 0 }, b = { 0 };
    onnx_node(&b, "Relu", "r", "x", "deep");
    onnx_output(&b, "deep", -1, NULL);
    own_node(&a, ONNX_GRAPH_NODE, "inner", "x", "mid", "g", &b);
    onnx_output(&a, "mid", -1, NULL);
    own_node(&graph, ONNX_GRAPH_NODE, "outer", "x", "y", "g", &a);
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "inner.g 0 x: x=Data()0 r=Relu(x) NetOutput=NetOutput(r) \n"
                              "outer.g 0 x: x=Data()0 inner/const=Const() inner=Case(inner/const,x,x) NetOutput=NetOutput(inner) \n");
    onnx_read_deinit(&t);
}

static void a_level_that_does_not_mention_the_value_hands_it_down_too(void **state) {
    (void)state;
    pb graph = { 0 }, a = { 0 }, b = { 0 };
    onnx_node(&b, "Relu", "r", "x", "deep");
    onnx_output(&b, "deep", -1, NULL);
    onnx_input(&a, "own", ONNX_F32, NULL);
    own_node(&a, ONNX_GRAPH_NODE, "inner", "own", "mid", "g", &b);
    onnx_output(&a, "mid", -1, NULL);
    own_node(&graph, ONNX_GRAPH_NODE, "outer", "x", "y", "g", &a);
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "inner.g 0 x: x=Data()0 r=Relu(x) NetOutput=NetOutput(r) \n"
                              "outer.g 1 x: own=Data()0 x=Data()1 inner/const=Const() inner=Case(inner/const,own,x) NetOutput=NetOutput(inner) \n");
    onnx_read_deinit(&t);
}

static void a_graph_may_give_outer_values_initializers_and_constants(void **state) {
    (void)state;
    pb graph = { 0 }, inner = { 0 };
    onnx_initializer(&inner, "own", ONNX_F32, "1", "\0\0\0\0", 4);
    onnx_output(&inner, "own", -1, NULL);
    onnx_output(&inner, "x", -1, NULL);
    onnx_output(&inner, "w", -1, NULL);
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    own_node(&graph, ONNX_GRAPH_NODE, "o", "x", "y", "then_branch", &inner);
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    /* The constant is shared, not handed down. */
    assert_string_equal(seen, "o.then_branch 0 x: own=Const() x=Data()0 w=Const() NetOutput=NetOutput(own,x,w) \n");
    onnx_read_deinit(&t);
}

static void constants_are_shared_by_reference(void **state) {
    (void)state;
    static uint8_t big[100000];
    pb graph = { 0 };
    onnx_initializer(&graph, "w", ONNX_U8, "100000", big, sizeof big);
    for (int i = 0; i < 20; i++) {
        char name[16];
        pb inner = { 0 };
        onnx_node(&inner, "Identity", "i", "w", "v");
        onnx_output(&inner, "v", -1, NULL);
        snprintf(name, sizeof name, "o%d", i);
        own_node(&graph, ONNX_GRAPH_NODE, name, "x", name, "g", &inner);
    }
    onnx_node(&graph, "Relu", "r", "x", "y");
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    assert_true(t.heap.live_bytes < 500000);
    onnx_read_deinit(&t);
}

static void inner_names_hide_outer_ones(void **state) {
    (void)state;
    pb graph = { 0 }, inner = { 0 };
    onnx_input(&inner, "x", ONNX_F32, NULL);
    onnx_node(&inner, "Relu", "r", "x", "t");
    onnx_output(&inner, "t", -1, NULL);
    onnx_node(&graph, "Relu", "r", "x", "t");
    own_node(&graph, ONNX_GRAPH_NODE, "o", "t", "y", "g", &inner);
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "o.g 1: x=Data()0 r=Relu(x) NetOutput=NetOutput(r) \n");
    onnx_read_deinit(&t);
}

static void several_graphs_come_in_order(void **state) {
    (void)state;
    pb graph = { 0 }, a = { 0 }, b = { 0 };
    onnx_output(&a, "x", -1, NULL);
    pb_text(&a, ONNX_GRAPH_NAME, "branch"); /* both called the same */
    onnx_output(&b, "u", -1, NULL);
    pb_text(&b, ONNX_GRAPH_NAME, "branch");
    pb node = onnx_node_begin("Own", "o", "x", "y");
    onnx_attr_graph(&node, "then_branch", &a);
    onnx_attr_i(&node, "between", 1);
    onnx_attr_graph(&node, "else_branch", &b);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    onnx_node(&graph, "Relu", "late", "x", "u"); /* captured by the second branch before it stands in the file */
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "o.then_branch 0 x: x=Data()0 NetOutput=NetOutput(x) \n"
                              "o.else_branch 0 u: u=Data()0 NetOutput=NetOutput(u) \n");
    onnx_read_deinit(&t);
}

static void legacy_initializers_listed_as_inputs_are_no_inputs_of_nested_graphs(void **state) {
    (void)state;
    pb graph = { 0 }, inner = { 0 };
    onnx_input(&inner, "i", ONNX_I64, "");
    onnx_input(&inner, "w", ONNX_F32, "1");
    onnx_initializer(&inner, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    onnx_output(&inner, "w", -1, NULL);
    own_node(&graph, ONNX_GRAPH_NODE, "o", "x", "y", "body", &inner);
    pb model = finish(&graph);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "o.body 1: i=Data()0 w=Const() NetOutput=NetOutput(w) \n");
    onnx_read_deinit(&t);
}

static void problems_inside_are_told_and_owners_skipped(void **state) {
    (void)state;
    pb graph = { 0 }, a = { 0 }, b = { 0 };
    onnx_node(&b, "Nonesuch", "deep", "x", "u");
    onnx_node(&b, "Relu", "lost", "nowhere", "v");
    onnx_output(&b, "u", -1, NULL);
    own_node(&a, ONNX_GRAPH_NODE, "inner", "x", "mid", "g", &b);
    onnx_output(&a, "mid", -1, NULL);
    own_node(&graph, ONNX_GRAPH_NODE, "outer", "x", "y", "g", &a);
    pb model = finish(&graph);
    onnx_read t;
    read_with_own(&t, &model);
    assert_int_equal(t.n_problems, 2);
    assert_non_null(strstr(t.problems, "Nonesuch|deep|"));
    assert_non_null(strstr(t.problems, "node 'lost' reads 'nowhere'"));
    assert_string_equal(seen, "");
    onnx_read_deinit(&t);
}

static void a_graph_that_needs_its_own_node_is_a_cycle(void **state) {
    (void)state;
    for (int as_output = 0; as_output <= 1; as_output++) {
        pb graph = { 0 }, inner = { 0 };
        if (!as_output) onnx_node(&inner, "Relu", "r", "y", "t");
        onnx_output(&inner, as_output ? "y" : "t", -1, NULL);
        own_node(&graph, ONNX_GRAPH_NODE, "o", "x", "y", "g", &inner);
        pb model = finish(&graph);
        onnx_read t;
        read_with_own(&t, &model);
        assert_fails_with(t.status, &t.diag, "a cycle: node 'o' writes 'y' and depends on it, through '");
        onnx_read_deinit(&t);
    }
}

static void a_graph_that_the_operator_does_not_use_is_refused(void **state) {
    (void)state;
    pb graph = { 0 }, inner = { 0 }, node = onnx_node_begin("Relu", "r", "x", "y");
    onnx_output(&inner, "x", -1, NULL);
    onnx_attr_graph(&node, "__body", &inner);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    assert_refused(&model, GE_ERR_UNSUPPORTED_ATTR, "Relu 'r': attribute '__body' is a graph, which the operator does not use");
}

/* ---- functions ---- */

/* f(a, b) = Relu(Add(a, b)) in domain "fn", added to the model.  Takes model. */
static pb with_function(pb *model) {
    pb fn = onnx_function_begin("fn", "f", "a,b", "r");
    onnx_function_node(&fn, "Add", "add", "a,b", "s");
    onnx_function_node(&fn, "Relu", "relu", "s", "r");
    pb_message(model, ONNX_MODEL_FUNCTION, &fn);
    pb out = *model;
    *model = (pb){ 0 };
    return out;
}

static void call(pb *graph, uint32_t field, const char *type, const char *name, const char *ins, const char *outs) {
    pb node = onnx_node_begin(type, name, ins, outs);
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    pb_message(graph, field, &node);
}

static void functions_are_inlined_under_the_name_of_the_call(void **state) {
    (void)state;
    pb graph = { 0 };
    call(&graph, ONNX_GRAPH_NODE, "f", "one", "x,x", "t");
    call(&graph, ONNX_GRAPH_NODE, "f", "", "t,x", "y");
    pb model = finish(&graph);
    model = with_function(&model);
    onnx_read t;
    read_ok(&t, &model);
    gei_node *add = onnx_find(t.graph, "f_1/add");
    assert_ptr_equal(add->ins[0].from.node, onnx_find(t.graph, "one/relu"));
    assert_ptr_equal(add->ins[1].from.node, onnx_find(t.graph, "x"));
    assert_string_equal(onnx_find(t.graph, "one/add")->outs[0].name, "one/s");
    assert_string_equal(onnx_find(t.graph, "one/relu")->outs[0].name, "t");
    assert_string_equal(onnx_find(t.graph, "f_1/relu")->outs[0].name, "y");
    onnx_read_deinit(&t);
}

static void functions_call_functions(void **state) {
    (void)state;
    pb graph = { 0 };
    call(&graph, ONNX_GRAPH_NODE, "g", "top", "x", "y");
    pb model = finish(&graph);
    model = with_function(&model);
    pb fn = onnx_function_begin("fn", "g", "v", "w");
    call(&fn, ONNX_FUNCTION_NODE, "f", "first", "v,v", "t");
    call(&fn, ONNX_FUNCTION_NODE, "f", "second", "t,v", "w");
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    onnx_read t;
    read_ok(&t, &model);
    assert_ptr_equal(onnx_find(t.graph, "top/second/add")->ins[0].from.node, onnx_find(t.graph, "top/first/relu"));
    assert_string_equal(onnx_find(t.graph, "top/second/relu")->outs[0].name, "y");
    assert_string_equal(onnx_find(t.graph, "top/first/relu")->outs[0].name, "top/t");
    onnx_read_deinit(&t);
}

static void functions_may_pass_inputs_through_and_leave_inputs_out(void **state) {
    (void)state;
    pb graph = { 0 };
    call(&graph, ONNX_GRAPH_NODE, "p", "p", "x", "t");
    onnx_node(&graph, "Relu", "r", "t", "y");
    pb model = finish(&graph);
    pb fn = onnx_function_begin("fn", "p", "a,b", "a,b");
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    onnx_read t;
    read_ok(&t, &model);
    assert_ptr_equal(onnx_find(t.graph, "r")->ins[0].from.node, onnx_find(t.graph, "x"));
    assert_string_equal(onnx_find(t.graph, "x")->outs[0].name, "x");
    onnx_read_deinit(&t);
}

/* Attributes of the nested graph's owner stand for those of the call. */
static int64_t seen_axis, seen_other;

static ge_status look(gei_import *im, gei_diag *diag) {
    gei_node *node;
    seen_axis = gei_import_int(im, "axis", -100);
    seen_other = gei_import_int(im, "other", -100);
    GEI_TRY(gei_import_node(im, "Identity", im->inputs, 1, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source *find_look(void *user, const char *domain, const char *type, int32_t opset, const gei_op **out_op) {
    static const gei_source source = { .framework = GEI_FROM_ONNX, .type = "Look", .since = 1, .map = look };
    const gei_source *own = find_own(user, domain, type, opset, out_op);
    return own ? own : strcmp(type, "Look") == 0 ? &source : NULL;
}

static pb look_model(pb *call_node, bool with_default) {
    pb graph = { 0 };
    pb_text(call_node, ONNX_NODE_DOMAIN, "fn");
    pb_message(&graph, ONNX_GRAPH_NODE, call_node);
    pb model = finish(&graph);
    pb inner = onnx_function_begin("fn", "inner", "a", "b"), outer = onnx_function_begin("fn", "outer", "a", "b");
    pb node = onnx_node_begin("Look", "look", "a", "b");
    onnx_attr_ref(&node, "axis", ONNX_KIND_INT, "k");
    onnx_attr_ref(&node, "other", 0, "absent");
    pb_message(&inner, ONNX_FUNCTION_NODE, &node);
    if (with_default) {
        pb def = onnx_attr_begin("k", ONNX_KIND_INT);
        pb_int(&def, ONNX_ATTR_I, 7);
        pb_message(&inner, ONNX_FUNCTION_ATTRIBUTE_PROTO, &def);
    }
    pb_message(&model, ONNX_MODEL_FUNCTION, &inner);
    node = onnx_node_begin("inner", "call", "a", "b");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    onnx_attr_ref(&node, "k", ONNX_KIND_INT, "n");
    pb_message(&outer, ONNX_FUNCTION_NODE, &node);
    pb_text(&outer, ONNX_FUNCTION_ATTRIBUTE, "n");
    pb_message(&model, ONNX_MODEL_FUNCTION, &outer);
    return model;
}

static void attributes_by_reference_go_through_calls(void **state) {
    (void)state;
    static const struct {
        bool given, with_default;
        int64_t wanted;
    } cases[] = { { true, false, 3 }, { true, true, 3 }, { false, true, 7 }, { false, false, -100 } };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        pb node = onnx_node_begin("outer", "o", "x", "y");
        if (cases[i].given) onnx_attr_i(&node, "n", 3);
        pb model = look_model(&node, cases[i].with_default);
        onnx_read t;
        onnx_read_init(&t);
        t.options.find = find_look;
        seen_axis = 0;
        assert_ok(onnx_read_run(&t, &model), &t.diag);
        assert_int_equal(seen_axis, cases[i].wanted);
        assert_int_equal(seen_other, -100);
        onnx_read_deinit(&t);
        pb_free(&model);
    }
}

static void a_reference_of_another_kind_is_refused(void **state) {
    (void)state;
    pb node = onnx_node_begin("outer", "o", "x", "y");
    pb attr = onnx_attr_begin("n", ONNX_KIND_FLOAT);
    pb_float(&attr, ONNX_ATTR_F, 1);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &attr);
    pb model = look_model(&node, false);
    onnx_read t;
    onnx_read_init(&t);
    t.options.find = find_look;
    onnx_read_run(&t, &model);
    assert_fails_with(t.status, &t.diag, "inner 'o/call': attribute 'k' is of kind 2, the function's 'n' of kind 1");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void graphs_inside_functions_capture_and_refer(void **state) {
    (void)state;
    pb graph = { 0 };
    pb node = onnx_node_begin("h", "call", "x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    onnx_attr_i(&node, "n", 4);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    pb fn = onnx_function_begin("fn", "h", "a", "b"), inner = { 0 };
    onnx_function_node(&fn, "Relu", "r", "a", "t");
    node = onnx_node_begin("Look", "look", "t", "u");
    onnx_attr_ref(&node, "axis", ONNX_KIND_INT, "n"); /* of the function around the graph */
    pb_message(&inner, ONNX_GRAPH_NODE, &node);
    onnx_output(&inner, "u", -1, NULL);
    own_node(&fn, ONNX_FUNCTION_NODE, "own", "a", "b", "g", &inner);
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    onnx_read t;
    onnx_read_init(&t);
    t.options.find = find_look;
    seen[0] = '\0';
    assert_ok(onnx_read_run(&t, &model), &t.diag);
    assert_int_equal(seen_axis, 4);
    assert_string_equal(seen, "call/own.g 0 call/t: t=Data()0 look=Identity(t) NetOutput=NetOutput(look) \n");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void a_graph_may_be_an_attribute_by_reference(void **state) {
    (void)state;
    pb graph = { 0 }, branch = { 0 };
    onnx_node(&branch, "Relu", "r", "t", "u"); /* looks up t where it was written: at the call */
    onnx_output(&branch, "u", -1, NULL);
    onnx_node(&graph, "Relu", "first", "x", "t");
    pb node = onnx_node_begin("k", "call", "x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    onnx_attr_graph(&node, "body", &branch);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    pb fn = onnx_function_begin("fn", "k", "a", "b");
    node = onnx_node_begin("Own", "own", "a", "b");
    onnx_attr_ref(&node, "g", ONNX_KIND_GRAPH, "body");
    pb_message(&fn, ONNX_FUNCTION_NODE, &node);
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "call/own.g 0 t: t=Data()0 r=Relu(t) NetOutput=NetOutput(r) \n");
    onnx_read_deinit(&t);
}

static void but_not_from_a_graph_inside_of_the_function(void **state) {
    (void)state;
    pb graph = { 0 }, branch = { 0 }, around = { 0 };
    onnx_output(&branch, "x", -1, NULL);
    pb node = onnx_node_begin("k", "call", "x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    onnx_attr_graph(&node, "body", &branch);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    pb fn = onnx_function_begin("fn", "k", "a", "b");
    node = onnx_node_begin("Own", "deep", "a", "c");
    onnx_attr_ref(&node, "g", ONNX_KIND_GRAPH, "body");
    pb_message(&around, ONNX_GRAPH_NODE, &node);
    onnx_output(&around, "c", -1, NULL);
    own_node(&fn, ONNX_FUNCTION_NODE, "own", "a", "b", "g", &around);
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    onnx_read t;
    read_with_own(&t, &model);
    assert_fails_with(t.status, &t.diag, "Own 'deep': attribute 'g' passes a graph into a graph inside of a function");
    onnx_read_deinit(&t);
}

static void calls_inside_graphs_put_their_nodes_there(void **state) {
    (void)state;
    pb graph = { 0 }, inner = { 0 };
    call(&inner, ONNX_GRAPH_NODE, "f", "c", "x,w", "t");
    onnx_output(&inner, "t", -1, NULL);
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    own_node(&graph, ONNX_GRAPH_NODE, "o", "x", "y", "g", &inner);
    pb model = finish(&graph);
    model = with_function(&model);
    onnx_read t;
    read_ok(&t, &model);
    assert_string_equal(seen, "o.g 0 x: x=Data()0 w=Const() c/add=Add(x,w) c/relu=Relu(c/add) NetOutput=NetOutput(c/relu) \n");
    onnx_read_deinit(&t);
}

static void overloads_are_told_apart(void **state) {
    (void)state;
    pb graph = { 0 };
    pb node = onnx_node_begin("f", "c", "x,x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    pb_text(&node, ONNX_NODE_OVERLOAD, "two");
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    onnx_opset(&model, ONNX_MODEL_OPSET, "fn", 1);
    model = with_function(&model);
    pb again = { 0 };
    pb_raw(&again, model.data, model.size);
    onnx_read t;
    read_with_own(&t, &again);
    assert_fails_with(t.status, &t.diag, "operator fn:f:two (opset 1) is not supported; node 'c'");
    onnx_read_deinit(&t);
    pb fn = onnx_function_begin("fn", "f", "a,b", "r");
    pb_text(&fn, ONNX_FUNCTION_OVERLOAD, "two");
    onnx_function_node(&fn, "Add", "other", "a,b", "r");
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    read_ok(&t, &model);
    (void)onnx_find(t.graph, "c/other");
    onnx_read_deinit(&t);
}

static void a_function_goes_before_an_operator_and_may_import_less(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "r", "x", "y");
    pb model = finish(&graph);
    pb fn = { 0 };
    pb_text(&fn, ONNX_FUNCTION_NAME, "Relu");
    pb_text(&fn, ONNX_FUNCTION_INPUT, "a");
    pb_text(&fn, ONNX_FUNCTION_OUTPUT, "b");
    onnx_function_node(&fn, "Identity", "i", "a", "b");
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    onnx_read t;
    read_ok(&t, &model);
    (void)onnx_find(t.graph, "r/i");
    onnx_read_deinit(&t);
}

static void refuse_call(const char *ins, const char *outs, const char *part) {
    pb graph = { 0 };
    call(&graph, ONNX_GRAPH_NODE, "f", "c", ins, outs);
    pb model = finish(&graph);
    model = with_function(&model);
    assert_refused(&model, GE_ERR_BAD_GRAPH, part);
}

static void bad_calls_are_named(void **state) {
    (void)state;
    refuse_call("x,x,x", "y", "f 'c': 3 inputs, the function has 2");
    refuse_call("x,x", "y,z", "f 'c': 2 outputs, the function has 1");
    pb graph = { 0 };
    call(&graph, ONNX_GRAPH_NODE, "f", "c", "x,x", "y");
    pb model = finish(&graph);
    model = with_function(&model);
    model = with_function(&model);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "function 'f' of domain 'fn' is there twice");
    onnx_node(&graph, "Relu", "r", "x", "y");
    call(&graph, ONNX_GRAPH_NODE, "loop", "c", "x", "z");
    model = finish(&graph);
    pb fn = onnx_function_begin("fn", "loop", "a", "b");
    call(&fn, ONNX_FUNCTION_NODE, "loop2", "again", "a", "b");
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    fn = onnx_function_begin("fn", "loop2", "a", "b");
    call(&fn, ONNX_FUNCTION_NODE, "loop", "again", "a", "b");
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "loop 'c/again/again': function 'loop' calls itself");
    call(&graph, ONNX_GRAPH_NODE, "lost", "c", "x", "y");
    model = finish(&graph);
    fn = onnx_function_begin("fn", "lost", "a", "b");
    onnx_function_node(&fn, "Relu", "r", "x", "b"); /* x is the caller's: not visible */
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "node 'c/r' reads 'x', which no node, initializer or input gives");
}

static void a_call_has_only_so_many_attributes(void **state) {
    (void)state;
    pb graph = { 0 }, node = onnx_node_begin("f", "c", "x,x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    for (int i = 0; i < 1025; i++) onnx_attr_i(&node, "k", 1);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    model = with_function(&model);
    assert_refused(&model, GE_ERR_LIMIT, "f 'c': a call with 1025 attributes of a function with 0, at most 1024 are read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_from_outside_become_inputs),
        cmocka_unit_test(values_are_handed_down_through_every_level),
        cmocka_unit_test(a_level_that_does_not_mention_the_value_hands_it_down_too),
        cmocka_unit_test(a_graph_may_give_outer_values_initializers_and_constants),
        cmocka_unit_test(constants_are_shared_by_reference),
        cmocka_unit_test(inner_names_hide_outer_ones),
        cmocka_unit_test(several_graphs_come_in_order),
        cmocka_unit_test(legacy_initializers_listed_as_inputs_are_no_inputs_of_nested_graphs),
        cmocka_unit_test(problems_inside_are_told_and_owners_skipped),
        cmocka_unit_test(a_graph_that_needs_its_own_node_is_a_cycle),
        cmocka_unit_test(a_graph_that_the_operator_does_not_use_is_refused),
        cmocka_unit_test(functions_are_inlined_under_the_name_of_the_call),
        cmocka_unit_test(functions_call_functions),
        cmocka_unit_test(functions_may_pass_inputs_through_and_leave_inputs_out),
        cmocka_unit_test(attributes_by_reference_go_through_calls),
        cmocka_unit_test(a_reference_of_another_kind_is_refused),
        cmocka_unit_test(graphs_inside_functions_capture_and_refer),
        cmocka_unit_test(a_graph_may_be_an_attribute_by_reference),
        cmocka_unit_test(but_not_from_a_graph_inside_of_the_function),
        cmocka_unit_test(calls_inside_graphs_put_their_nodes_there),
        cmocka_unit_test(overloads_are_told_apart),
        cmocka_unit_test(a_function_goes_before_an_operator_and_may_import_less),
        cmocka_unit_test(bad_calls_are_named),
        cmocka_unit_test(a_call_has_only_so_many_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
