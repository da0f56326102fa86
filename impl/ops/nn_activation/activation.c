/* SPDX-License-Identifier: Apache-2.0 */
/* Activations that look at one element at a time.  Comparisons are written so that NaN stays NaN. */
#include "ops/elementwise.h"

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Relu, x < 0 ? 0 : x)
GEI_SIGNED_LOOPS(GEI_UNARY_LOOP, Relu, x > 0 ? x : 0)
GEI_UNSIGNED_LOOPS(GEI_UNARY_LOOP, Relu, x)
static const gei_unary Relu_unary = { .loops = { GEI_FLOAT_LANES(Relu), GEI_INT_LANES(Relu) }, .to = GEI_UNDEFINED };
GEI_OP_UNARY_TABLE(Relu, GEI_OP_CLIPS, GEI_ONNX("Relu", 6));

GEI_OP_UNARY_FLOAT(Tanh, tanh(x), GEI_ONNX("Tanh", 6));
GEI_OP_UNARY_FLOAT(Sigmoid, x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)), GEI_ONNX("Sigmoid", 6));
