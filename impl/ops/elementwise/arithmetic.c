/* SPDX-License-Identifier: Apache-2.0 */
/* x1 op x2 with numpy broadcasting, equal types. */
#include "ops/elementwise.h"

GEI_OP_ARITHMETIC(Add, a + b, a | b, GEI_OP_COMMUTATIVE, gei_elems_add, GEI_ONNX("Add", 7));
GEI_OP_ARITHMETIC(Sub, a - b, a ^ b, 0, gei_elems_sub, GEI_ONNX("Sub", 7));
GEI_OP_ARITHMETIC(Mul, a * b, a & b, GEI_OP_COMMUTATIVE, gei_elems_mul, GEI_ONNX("Mul", 7));

/* ---- x op an attribute ---- */

static void value_param(const gei_node *node, double *p) { p[0] = gei_node_float(node, "value", 0); }

/* Integers take the value as an integer of their own. */
GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Muls, x * p[0])
GEI_WRAPPING_LOOPS(GEI_UNARY_LOOP, Muls, x * (uint64_t)(int64_t)p[0])
static const gei_unary Muls_unary = { .loops = { GEI_FLOAT_LANES(Muls), GEI_INT_LANES(Muls) }, .to = GEI_UNDEFINED, .params = value_param };
GEI_OP_UNARY_TABLE(Muls, 0, GEI_NO_SOURCE);
GEI_WIDEN(Muls, "*", "real");

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Adds, x + p[0])
GEI_WRAPPING_LOOPS(GEI_UNARY_LOOP, Adds, x + (uint64_t)(int64_t)p[0])
static const gei_unary Adds_unary = { .loops = { GEI_FLOAT_LANES(Adds), GEI_INT_LANES(Adds) }, .to = GEI_UNDEFINED, .params = value_param };
GEI_OP_UNARY_TABLE(Adds, 0, GEI_NO_SOURCE);
GEI_WIDEN(Adds, "*", "real");
