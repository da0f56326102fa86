/* SPDX-License-Identifier: Apache-2.0 */
/* x1 op x2 with numpy broadcasting, equal types. */
#include "ops/elementwise.h"

GEI_OP_ARITHMETIC(Add, a + b, a | b, GEI_OP_COMMUTATIVE, gei_elems_add, GEI_ONNX("Add", 7));
GEI_OP_ARITHMETIC(Sub, a - b, a ^ b, 0, gei_elems_sub, GEI_ONNX("Sub", 7));
GEI_OP_ARITHMETIC(Mul, a * b, a & b, GEI_OP_COMMUTATIVE, gei_elems_mul, GEI_ONNX("Mul", 7));
