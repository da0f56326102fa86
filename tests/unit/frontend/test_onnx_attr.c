/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of nodes: every kind reaches the mapping, and what does not fit is named. */
#include "unit/frontend/onnx_check.h"

/* x -> Relu -> y with more nodes before it.  Takes graph. */
static pb finish(pb *graph) {
    onnx_input(graph, "x", ONNX_F32, "n,3");
    onnx_output(graph, "y", ONNX_F32, NULL);
    return onnx_model(8, 17, graph);
}

static void attribute_refused(pb *attr, ge_status status, const char *part) {
    pb graph = { 0 }, node = onnx_node_begin("Relu", "r", "x", "y");
    pb_message(&node, ONNX_NODE_ATTRIBUTE, attr);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    assert_refused(&model, status, part);
}

static void attributes_that_do_not_fit_are_named(void **state) {
    (void)state;
    pb a = onnx_attr_begin("k", ONNX_KIND_INT);
    pb_float(&a, ONNX_ATTR_F, 1);
    attribute_refused(&a, GE_ERR_BAD_ATTR, "Relu 'r': attribute 'k' is of kind INT and holds a value of kind FLOAT");
    a = onnx_attr_begin("k", ONNX_KIND_INT);
    pb_float(&a, ONNX_ATTR_F, 1);
    pb_int(&a, ONNX_ATTR_I, 1);
    attribute_refused(&a, GE_ERR_BAD_ATTR, "is of kind INT and holds a value of kind FLOAT");
    a = onnx_attr_begin("k", ONNX_KIND_TENSOR);
    attribute_refused(&a, GE_ERR_BAD_ATTR, "attribute 'k' of kind TENSOR holds nothing");
    a = onnx_attr_begin("k", ONNX_KIND_UNDEFINED);
    attribute_refused(&a, GE_ERR_BAD_ATTR, "attribute 'k' is of unknown kind 0");
    a = onnx_attr_begin("k", 77);
    attribute_refused(&a, GE_ERR_BAD_ATTR, "attribute 'k' is of unknown kind 77");
    a = onnx_attr_begin("", ONNX_KIND_INT);
    attribute_refused(&a, GE_ERR_BAD_ATTR, "an attribute has no name");
    a = onnx_attr_begin("k", ONNX_KIND_TENSOR);
    pb t = onnx_tensor_raw("", ONNX_F32, "2", "abcd", 4);
    pb_message(&a, ONNX_ATTR_T, &t);
    attribute_refused(&a, GE_ERR_MALFORMED, "attribute 'k' of node 'r' has 4 bytes of data, float32[2] needs 8");
    a = onnx_attr_begin("k", ONNX_KIND_INT);
    pb_text(&a, ONNX_ATTR_REF_NAME, "outer");
    attribute_refused(&a, GE_ERR_BAD_ATTR, "refers to 'outer' of a function, and there is none around it");
    a = onnx_attr_begin("k", ONNX_KIND_TYPE_PROTOS);
    attribute_refused(&a, GE_ERR_UNSUPPORTED_ATTR, "is of kind TYPE_PROTOS, which is not supported");
    a = onnx_attr_begin("k", ONNX_KIND_TYPE_PROTO);
    pb type = onnx_tensor_type(ONNX_F32, NULL);
    type = onnx_type_around(&type, ONNX_TYPE_OPTIONAL, ONNX_ELEM_TYPE);
    type = onnx_type_around(&type, ONNX_TYPE_SEQUENCE, ONNX_ELEM_TYPE);
    pb_message(&a, ONNX_ATTR_TP, &type);
    attribute_refused(&a, GE_ERR_UNSUPPORTED, "attribute 'k' is the type sequence of optional float32");
}

static void an_attribute_given_twice_is_refused(void **state) {
    (void)state;
    pb graph = { 0 }, node = onnx_node_begin("Relu", "r", "x", "y");
    onnx_attr_i(&node, "k", 1);
    onnx_attr_i(&node, "k", 1);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    assert_refused(&model, GE_ERR_BAD_ATTR, "attribute 'k' is there twice");
    node = onnx_node_begin("Relu", "r", "x", "y");
    for (int i = 0; i < 1025; i++) onnx_attr_i(&node, "k", 1);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    model = finish(&graph);
    assert_refused(&model, GE_ERR_LIMIT, "a node has 1025 attributes, at most 1024 are read");
}

/* What a mapping sees. */
static gei_attrs seen;
static gei_arena seen_arena;

static ge_status look(gei_import *im, gei_diag *diag) {
    gei_node *node;
    for (uint32_t i = 0; i < im->attrs->count; i++)
        GEI_TRY(gei_attrs_set(&seen, &seen_arena, im->attrs->items[i].name, &im->attrs->items[i].value, diag));
    GEI_TRY(gei_import_node(im, "Identity", im->inputs, 1, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source *find_look(void *user, const char *domain, const char *type, int32_t opset, const gei_op **out_op) {
    static const gei_source source = { .framework = GEI_FROM_ONNX, .type = "Look", .since = 1, .map = look };
    (void)user, (void)domain, (void)opset;
    *out_op = gei_op_row("Identity", 8);
    return strcmp(type, "Look") == 0 ? &source : NULL;
}

static void attributes_of_every_kind_reach_the_mapping(void **state) {
    (void)state;
    pb graph = { 0 }, node = onnx_node_begin("Look", "l", "x", "y");
    onnx_attr_i(&node, "i", -5);
    pb a = onnx_attr_begin("f", ONNX_KIND_FLOAT);
    pb_float(&a, ONNX_ATTR_F, 0.5f);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    a = onnx_attr_begin("zero", ONNX_KIND_FLOAT); /* some writers leave out zeros */
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    a = onnx_attr_begin("s", ONNX_KIND_STRING);
    pb_bytes(&a, ONNX_ATTR_S, "a\0b", 3);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    a = onnx_attr_begin("ints", ONNX_KIND_INTS);
    pb_int(&a, ONNX_ATTR_INTS, 3);
    pb_bytes(&a, ONNX_ATTR_INTS, "\x04\x05", 2);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    a = onnx_attr_begin("none", ONNX_KIND_INTS);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    a = onnx_attr_begin("floats", 0); /* without a kind, as in files of the first IR version */
    pb_float(&a, ONNX_ATTR_FLOATS, 1.5f);
    pb_float(&a, ONNX_ATTR_FLOATS, 2.5f);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    a = onnx_attr_begin("strings", ONNX_KIND_STRINGS);
    pb_text(&a, ONNX_ATTR_STRINGS, "one");
    pb_text(&a, ONNX_ATTR_STRINGS, "");
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    pb t = onnx_tensor_raw("", ONNX_U8, "2", "ab", 2);
    onnx_attr_message(&node, "t", ONNX_KIND_TENSOR, ONNX_ATTR_T, &t);
    t = onnx_tensor_raw("", ONNX_U8, "2", "cd", 2);
    onnx_attr_message(&node, "ts", ONNX_KIND_TENSORS, ONNX_ATTR_TENSORS, &t);
    pb type = onnx_tensor_type(ONNX_I64, NULL);
    onnx_attr_message(&node, "tp", ONNX_KIND_TYPE_PROTO, ONNX_ATTR_TP, &type);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);

    onnx_read r;
    onnx_read_init(&r);
    r.options.find = find_look;
    gei_arena_init(&seen_arena, &r.heap.from);
    seen = (gei_attrs){ 0 };
    assert_ok(onnx_read_run(&r, &model), &r.diag);
    assert_int_equal(seen.count, 11);
    assert_int_equal(gei_attrs_find(&seen, "i")->v.i, -5);
    assert_true(gei_attrs_find(&seen, "f")->v.f == 0.5f && gei_attrs_find(&seen, "zero")->v.f == 0.0f);
    assert_true(gei_attrs_find(&seen, "s")->v.s.size == 3);
    const gei_attr *ints = gei_attrs_find(&seen, "ints");
    assert_true(ints->kind == GEI_ATTR_INTS && ints->count == 3 && ints->v.ints[0] == 3 && ints->v.ints[2] == 5);
    assert_true(gei_attrs_find(&seen, "none")->kind == GEI_ATTR_INTS && gei_attrs_find(&seen, "none")->count == 0);
    assert_true(gei_attrs_find(&seen, "floats")->count == 2 && gei_attrs_find(&seen, "floats")->v.floats[1] == 2.5f);
    assert_string_equal(gei_attrs_find(&seen, "strings")->v.strings[0].data, "one");
    assert_memory_equal(gei_attrs_find(&seen, "t")->v.tensor->data, "ab", 2);
    assert_memory_equal(gei_attrs_find(&seen, "ts")->v.tensors[0]->data, "cd", 2);
    assert_int_equal(gei_attrs_find(&seen, "tp")->v.dtype, GEI_INT64);
    gei_attrs_release(&seen);
    gei_arena_deinit(&seen_arena);
    onnx_read_deinit(&r);
    pb_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_that_do_not_fit_are_named),
        cmocka_unit_test(an_attribute_given_twice_is_refused),
        cmocka_unit_test(attributes_of_every_kind_reach_the_mapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
