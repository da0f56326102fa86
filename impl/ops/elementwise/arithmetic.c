/* SPDX-License-Identifier: Apache-2.0 */
/* x1 op x2 with numpy broadcasting, equal types. */
#include "ops/elementwise.h"

GEI_OP_ARITHMETIC(Add, a + b, a | b, GEI_OP_COMMUTATIVE | GEI_OP_ADDS | GEI_OP_AFFINE, gei_elems_add, GEI_ONNX_AXIS("Add"));
GEI_OP_ARITHMETIC(Sub, a - b, a ^ b, GEI_OP_AFFINE, gei_elems_sub, GEI_ONNX_AXIS("Sub"));
GEI_OP_ARITHMETIC(Mul, a * b, a & b, GEI_OP_COMMUTATIVE | GEI_OP_AFFINE, gei_elems_mul, GEI_ONNX_AXIS("Mul"));

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

/* ---- division: exact for floats, toward zero for integers.  An integer divided by zero is 0, as numpy has it; the smallest one by
 * -1 wraps. ---- */

#define SIGNED_QUOTIENT (b == 0 ? 0 : b == -1 ? (int64_t)(UINT64_C(0) - (uint64_t)(int64_t)a) : a / b)
#define UNSIGNED_QUOTIENT (b == 0 ? 0 : a / b)

#define DIVISION_TABLE(Name)                                                                                                              \
    GEI_FLOAT_LOOPS(GEI_BINARY_LOOP, Name, a / b)                                                                                         \
    GEI_COMPLEX_LOOPS(GEI_BINARY_LOOP, Name, a / b)                                                                                       \
    GEI_SIGNED_LOOPS(GEI_BINARY_LOOP, Name, SIGNED_QUOTIENT)                                                                              \
    GEI_UNSIGNED_LOOPS(GEI_BINARY_LOOP, Name, UNSIGNED_QUOTIENT)                                                                          \
    static const gei_binary Name##_binary = { .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name), GEI_COMPLEX_LANES(Name) },           \
                                              .to = GEI_UNDEFINED }

DIVISION_TABLE(RealDiv);
GEI_OP_BINARY_TABLE(RealDiv, 0, gei_elems_div, GEI_NO_SOURCE);
/* ONNX does not say the type in the node: Div divides all of them as ONNX does. */
DIVISION_TABLE(Div);
GEI_OP_BINARY_TABLE(Div, 0, gei_elems_div, GEI_ONNX_AXIS("Div"));
GEI_WIDEN(RealDiv, "*", "number");
GEI_WIDEN(Div, "*", "number");
