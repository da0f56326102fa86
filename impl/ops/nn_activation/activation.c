/* SPDX-License-Identifier: Apache-2.0 */
/* Activations that look at one element at a time.  Comparisons are written so that NaN stays NaN. */
#include "ops/elementwise.h"

GEI_OP_UNARY(Relu, x < 0 ? 0 : x, x > 0 ? x : 0, GEI_ONNX("Relu", 6));

GEI_OP_UNARY_FLOAT(Tanh, tanh(x), GEI_ONNX("Tanh", 6));
GEI_OP_UNARY_FLOAT(Sigmoid, x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)), GEI_ONNX("Sigmoid", 6));
