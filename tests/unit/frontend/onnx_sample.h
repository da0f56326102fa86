/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_sample: a small model with something of everything, to be cut, mutated and fuzzed, and a mapping that takes any operator. */
#ifndef GE_TEST_ONNX_SAMPLE_H
#define GE_TEST_ONNX_SAMPLE_H

#include "frontend/onnx/onnx.h"
#include "ops/import.h"
#include "unit/frontend/onnx_build.h"

/* A Case node of all inputs, captures and graphs, with as many outputs as wanted. */
static inline ge_status onnx_map_any(gei_import *im, gei_diag *diag) {
    gei_node *node;
    uint32_t n = 1, most = 1 + im->n_inputs, n_outs = im->n_outputs;
    for (uint32_t i = 0; i < im->n_subgraphs; i++) most += im->subgraphs[i].n_captured;
    gei_value *ins = calloc(most, sizeof *ins);
    if (!ins) return gei_out_of_memory(diag, 0);
    ge_status status = gei_import_const_i32(im, (int64_t[]){ 0 }, 1, true, &ins[0], diag);
    for (uint32_t i = 0; i < im->n_inputs; i++)
        if (im->inputs[i].node) ins[n++] = im->inputs[i];
    for (uint32_t i = 0; i < im->n_subgraphs; i++)
        for (uint32_t k = 0; k < im->subgraphs[i].n_captured; k++) ins[n++] = im->subgraphs[i].captured[k];
    uint32_t n_dynamic = n - 1;
    if (status == GE_OK) status = gei_import_node_dynamic(im, "Case", ins, n, &n_dynamic, &n_outs, &node, diag);
    free(ins);
    for (uint32_t i = 0; status == GE_OK && i < im->n_subgraphs; i++)
        status = gei_graph_add_subgraph(node, "branches", im->subgraphs[i].graph, diag);
    for (uint32_t i = 0; status == GE_OK && i < im->n_outputs; i++) gei_import_set_output(im, i, gei_value_of(node, i));
    return status;
}

static inline const gei_source *onnx_find_any(void *user, const char *domain, const char *type, int32_t opset, const gei_op **out_op) {
    static const gei_source any = { .framework = GEI_FROM_ONNX, .type = "any", .since = 1, .map = onnx_map_any };
    (void)user;
    if (gei_source_find(GEI_FROM_ONNX, domain, type, opset, out_op)) return NULL;
    *out_op = gei_op_row("Identity", 8);
    return &any;
}

static inline void onnx_sample_tensors(pb *graph, bool has_external) {
    pb t = onnx_tensor_begin("halves", ONNX_F16, "2");
    pb_bytes(&t, ONNX_TENSOR_INT32_DATA, "\x80\x78\x01", 3);
    pb_message(graph, ONNX_GRAPH_INITIALIZER, &t);
    t = onnx_tensor_begin("floats", ONNX_F32, "2");
    pb_float(&t, ONNX_TENSOR_FLOAT_DATA, 1.5f);
    pb_float(&t, ONNX_TENSOR_FLOAT_DATA, -1.5f);
    pb_message(graph, ONNX_GRAPH_INITIALIZER, &t);
    t = onnx_tensor_begin("texts", ONNX_STR, "2");
    pb_text(&t, ONNX_TENSOR_STRING_DATA, "one");
    pb_text(&t, ONNX_TENSOR_STRING_DATA, "two");
    pb_message(graph, ONNX_GRAPH_INITIALIZER, &t);
    if (has_external) {
        t = onnx_tensor_external("outside", ONNX_U8, "0", "w.bin", "0", NULL);
        pb_message(graph, ONNX_GRAPH_INITIALIZER, &t);
    }
    pb sparse = { 0 }, indices = onnx_tensor_raw("", ONNX_I64, "1", "\1\0\0\0\0\0\0\0", 8);
    t = onnx_tensor_raw("sparse", ONNX_I32, "1", "\7\0\0\0", 4);
    pb_message(&sparse, ONNX_SPARSE_VALUES, &t);
    pb_message(&sparse, ONNX_SPARSE_INDICES, &indices);
    pb_int(&sparse, ONNX_SPARSE_DIMS, 3);
    pb_message(graph, ONNX_GRAPH_SPARSE_INITIALIZER, &sparse);
    onnx_initializer(graph, "w", ONNX_F32, "1,3", "\0\0\x80\x3F\0\0\0\x40\0\0\x40\x40", 12);
    onnx_input(graph, "w", ONNX_F32, "1,3");
}

static inline void onnx_sample_nested(pb *graph) {
    pb inner = { 0 }, deep = { 0 };
    onnx_node(&deep, "Add", "sum", "t,inner_in", "deep_out");
    onnx_output(&deep, "deep_out", ONNX_F32, NULL);
    onnx_input(&inner, "inner_in", ONNX_F32, "n,3");
    pb node = onnx_node_begin("Branch", "branch", "inner_in", "inner_out");
    onnx_attr_graph(&node, "then_branch", &deep);
    onnx_attr_i(&node, "k", 3);
    pb_message(&inner, ONNX_GRAPH_NODE, &node);
    onnx_output(&inner, "inner_out", ONNX_F32, NULL);
    onnx_output(&inner, "w", ONNX_F32, NULL);
    node = onnx_node_begin("Repeat", "repeat", "t,,floats", "u,v");
    onnx_attr_graph(&node, "body", &inner);
    pb a = onnx_attr_begin("ints", ONNX_KIND_INTS);
    pb_bytes(&a, ONNX_ATTR_INTS, "\1\2\3", 3);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &a);
    pb t = onnx_tensor_raw("", ONNX_I64, "1", "\5\0\0\0\0\0\0\0", 8);
    onnx_attr_message(&node, "value", ONNX_KIND_TENSOR, ONNX_ATTR_T, &t);
    pb_message(graph, ONNX_GRAPH_NODE, &node);
}

static inline void onnx_sample_function(pb *model) {
    pb fn = onnx_function_begin("fn", "twice", "a,b", "r,s");
    pb node = onnx_node_begin("Mark", "mark", "a,b", "m");
    onnx_attr_ref(&node, "axis", ONNX_KIND_INT, "k");
    pb_message(&fn, ONNX_FUNCTION_NODE, &node);
    onnx_function_node(&fn, "Relu", "relu", "m", "r");
    onnx_function_node(&fn, "Identity", "same", "r", "s");
    pb def = onnx_attr_begin("k", ONNX_KIND_INT);
    pb_int(&def, ONNX_ATTR_I, 1);
    pb_message(&fn, ONNX_FUNCTION_ATTRIBUTE_PROTO, &def);
    pb_message(model, ONNX_MODEL_FUNCTION, &fn);
}

static inline pb onnx_sample(bool has_external) {
    pb graph = { 0 };
    pb_text(&graph, ONNX_GRAPH_NAME, "sample");
    onnx_input(&graph, "x", ONNX_F32, "n,3");
    onnx_sample_tensors(&graph, has_external);
    onnx_node(&graph, "Add", "late", "r,u", "y"); /* before what it needs */
    onnx_node(&graph, "Relu", "", "x", "t");
    onnx_sample_nested(&graph);
    pb node = onnx_node_begin("twice", "call", "x,w", "r");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    onnx_attr_i(&node, "k", -1);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    onnx_value(&graph, "u", ONNX_F32, "n,3");
    onnx_output(&graph, "y", ONNX_F32, "n,3");
    onnx_output(&graph, "texts", ONNX_STR, "2");
    pb model = onnx_model(9, 0, &graph);
    onnx_entry(&model, ONNX_MODEL_METADATA, "key", "value");
    onnx_sample_function(&model);
    onnx_opset(&model, ONNX_MODEL_OPSET, "fn", 1);
    onnx_opset(&model, ONNX_MODEL_OPSET, "", 17); /* last, so that no beginning of the file is a whole model */
    return model;
}

#endif
