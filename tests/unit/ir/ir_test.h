/* SPDX-License-Identifier: Apache-2.0 */
/* ir_test: a handful of operator definitions for the tests of impl/ir, found by ir_find, and short ways to make graphs.
 *   Relu(x) -> y          Add(x1, x2) -> y         Pick(x, mask optional) -> y [axis=0, mode]
 *   Concat(x dynamic) -> y [axis required]         Split(x) -> y dynamic           Pair(x) -> a, b
 *   Two(x) -> y dynamic, z dynamic                 Sink(x) -> nothing              Loose(a, b, c, d optional) -> y
 *   If(cond, input dynamic) -> output dynamic {then_branch, else_branch}       Case(index, input dynamic) {branches dynamic}
 *   Call(args dynamic) -> output dynamic {f}       Many: one attribute of each kind */
#ifndef GE_IR_TEST_H
#define GE_IR_TEST_H

#include "ir/builtin.h"
#include "ir/graph_text.h"
#include "unit/ge_test.h"

static const gei_port_def ir_x[] = { { .name = "x" } };
static const gei_port_def ir_float_x[] = { { .name = "x", .dtypes = { 3, 0 } } }; /* rows 0 and 1: float32, float16 */
static const gei_port_def ir_y[] = { { .name = "y" } };
static const gei_port_def ir_x1_x2[] = { { .name = "x1" }, { .name = "x2" } };
static const gei_port_def ir_x_mask[] = { { .name = "x" }, { .name = "mask", .kind = GEI_PORT_OPTIONAL } };
static const gei_port_def ir_many_x[] = { { .name = "x", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def ir_many_y[] = { { .name = "y", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def ir_a_b[] = { { .name = "a" }, { .name = "b" } };
static const gei_port_def ir_optional[] = { { .name = "a", .kind = GEI_PORT_OPTIONAL }, { .name = "b", .kind = GEI_PORT_OPTIONAL },
                                            { .name = "c", .kind = GEI_PORT_OPTIONAL }, { .name = "d", .kind = GEI_PORT_OPTIONAL } };
static const gei_port_def ir_two_y[] = { { .name = "y", .kind = GEI_PORT_DYNAMIC }, { .name = "z", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def ir_cond[] = { { .name = "cond" }, { .name = "input", .kind = GEI_PORT_DYNAMIC } };
static const gei_port_def ir_output[] = { { .name = "output", .kind = GEI_PORT_DYNAMIC } };
static const gei_attr_def ir_pick_attrs[] = { { .name = "axis", .kind = GEI_ATTR_INT, .def = { .kind = GEI_ATTR_INT } },
                                              { .name = "mode", .kind = GEI_ATTR_STRING } };
static const gei_attr_def ir_concat_attrs[] = { { .name = "axis", .kind = GEI_ATTR_INT, .required = true } };
static const gei_attr_def ir_many_attrs[] = {
    { .name = "i", .kind = GEI_ATTR_INT },         { .name = "f", .kind = GEI_ATTR_FLOAT },
    { .name = "b", .kind = GEI_ATTR_BOOL },        { .name = "s", .kind = GEI_ATTR_STRING },
    { .name = "d", .kind = GEI_ATTR_DTYPE },       { .name = "t", .kind = GEI_ATTR_TENSOR },
    { .name = "bytes", .kind = GEI_ATTR_BYTES },   { .name = "ints", .kind = GEI_ATTR_INTS },
    { .name = "floats", .kind = GEI_ATTR_FLOATS }, { .name = "bools", .kind = GEI_ATTR_BOOLS },
    { .name = "texts", .kind = GEI_ATTR_STRINGS }, { .name = "dtypes", .kind = GEI_ATTR_DTYPES },
    { .name = "ts", .kind = GEI_ATTR_TENSORS },    { .name = "lists", .kind = GEI_ATTR_INT_LISTS },
    { .name = "named", .kind = GEI_ATTR_NAMED },
};
static const gei_subgraph_def ir_if_graphs[] = { { "then_branch", false }, { "else_branch", false } };
static const gei_subgraph_def ir_case_graphs[] = { { "branches", true } };
static const gei_subgraph_def ir_call_graphs[] = { { "f", false } };

#define IR_PORTS(ins, outs) .inputs = (ins), .outputs = (outs), .n_inputs = GEI_COUNT(ins), .n_outputs = GEI_COUNT(outs)
static const gei_op_def ir_ops[] = {
    { .name = "Relu", IR_PORTS(ir_float_x, ir_y) },
    { .name = "Add", IR_PORTS(ir_x1_x2, ir_y) },
    { .name = "Pick", IR_PORTS(ir_x_mask, ir_y), .attrs = ir_pick_attrs, .n_attrs = 2 },
    { .name = "Concat", IR_PORTS(ir_many_x, ir_y), .attrs = ir_concat_attrs, .n_attrs = 1 },
    { .name = "Split", IR_PORTS(ir_x, ir_many_y) },
    { .name = "Pair", IR_PORTS(ir_x, ir_a_b) },
    { .name = "Two", IR_PORTS(ir_x, ir_two_y) },
    { .name = "Loose", IR_PORTS(ir_optional, ir_y) },
    { .name = "Sink", .inputs = ir_x, .n_inputs = 1 },
    { .name = "If", IR_PORTS(ir_cond, ir_output), .subgraphs = ir_if_graphs, .n_subgraphs = 2 },
    { .name = "Case", IR_PORTS(ir_cond, ir_output), .subgraphs = ir_case_graphs, .n_subgraphs = 1 },
    { .name = "Call", IR_PORTS(ir_many_x, ir_output), .subgraphs = ir_call_graphs, .n_subgraphs = 1 },
    { .name = "Many", IR_PORTS(ir_many_x, ir_y), .attrs = ir_many_attrs, .n_attrs = GEI_COUNT(ir_many_attrs) },
};

static inline const gei_op_def *ir_find(void *user, const char *name, size_t name_size) {
    (void)user;
    for (size_t i = 0; i < GEI_COUNT(ir_ops); i++)
        if (strlen(ir_ops[i].name) == name_size && memcmp(ir_ops[i].name, name, name_size) == 0) return &ir_ops[i];
    return NULL;
}

static inline const gei_op_def *ir_op(const char *name) { return ir_find(NULL, name, strlen(name)); }

static inline gei_graph *ir_graph(const gei_allocator *from) {
    gei_graph *g;
    assert_int_equal(gei_graph_create(from, "g", &g, NULL), GE_OK);
    return g;
}

/* A node; `n` inputs for its dynamic port, `m` outputs for its dynamic port. */
static inline gei_node *ir_node(gei_graph *g, const char *op, const char *name, uint32_t n, uint32_t m) {
    gei_diag diag = { 0 };
    gei_node *node = NULL;
    uint32_t ins[2] = { n, n }, outs[2] = { m, m };
    assert_ok(gei_graph_add_node(g, ir_op(op), name, ins, outs, &node, &diag), &diag);
    return node;
}

static inline gei_node *ir_data(gei_graph *g, const char *name, int64_t index) {
    gei_diag diag = { 0 };
    gei_node *node = NULL;
    gei_shape shape = gei_shape_of(2, (gei_dim[]){ 2, 3 });
    assert_ok(gei_graph_add_data(g, name, index, GEI_FLOAT32, &shape, &node, &diag), &diag);
    return node;
}

static inline void ir_connect(gei_node *from, uint32_t out, gei_node *to, uint32_t slot) { gei_slot_set(&to->ins[slot], gei_value_of(from, out)); }

static inline gei_graph *ir_parse(const gei_allocator *from, const char *text) {
    gei_diag diag = { 0 };
    gei_graph *g = NULL;
    assert_ok(gei_graph_parse(from, text, strlen(text), ir_find, NULL, &g, &diag), &diag);
    return g;
}

/* The printed graph; the caller frees the sink. */
static inline const char *ir_text(const gei_graph *g, bool brief, gei_sink *to) {
    gei_diag diag = { 0 };
    gei_sink_init(to, &gei_heap);
    assert_ok(gei_graph_print(g, brief, to, &diag), &diag);
    return to->data;
}

static inline void ir_check_text(const gei_graph *g, const char *wanted) {
    gei_sink sink;
    assert_string_equal(ir_text(g, false, &sink), wanted);
    gei_sink_deinit(&sink);
}

#endif
