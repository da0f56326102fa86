/* SPDX-License-Identifier: Apache-2.0 */
/* ir_ops: a handful of operator definitions for tests of impl/ir, found by ir_find.
 *   Relu(x) -> y          Add(x1, x2) -> y         Pick(x, mask optional) -> y [axis=0, mode]
 *   Concat(x dynamic) -> y [axis required]         Split(x) -> y dynamic           Pair(x) -> a, b
 *   Two(x) -> y dynamic, z dynamic                 Sink(x) -> nothing              Loose(a, b, c, d optional) -> y
 *   If(cond, input dynamic) -> output dynamic {then_branch, else_branch}       Case(index, input dynamic) {branches dynamic}
 *   Call(args dynamic) -> output dynamic {f}       Many: one attribute of each kind */
#ifndef GE_IR_OPS_H
#define GE_IR_OPS_H

#include <string.h>

#include "ir/builtin.h"

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

#endif
