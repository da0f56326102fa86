/* SPDX-License-Identifier: Apache-2.0 */
/* Activations made of straight lines.  Comparisons are written so that NaN stays NaN, except where the definition makes it 0. */
#include "ops/elementwise.h"

#define ALL_ROUND(Name, params_fn)                                                                                            \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name) }, .to = GEI_UNDEFINED,     \
                                            .params = params_fn }
/* One expression for all types: p holds doubles, so that integers compute in double and are cut off; 32 bits and fewer are exact. */
#define GEI_OP_LINES(Name, params_fn, expr, ...)          \
    GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Name, expr)           \
    GEI_SIGNED_LOOPS(GEI_UNARY_LOOP, Name, expr)          \
    GEI_UNSIGNED_LOOPS(GEI_UNARY_LOOP, Name, expr)        \
    ALL_ROUND(Name, params_fn);                           \
    GEI_OP_UNARY_TABLE(Name, 0, __VA_ARGS__)

#define GEI_OP_FLOAT_LINES(Name, params_fn, expr, ...)                                                                                       \
    GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Name, expr)                                                                                              \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name) }, .to = GEI_UNDEFINED, .params = params_fn };                  \
    GEI_OP_UNARY_TABLE(Name, 0, __VA_ARGS__)
GEI_WIDEN_FAMILY(FLOAT_LINES, "*", "float");
GEI_WIDEN_FAMILY(LINES, "*", "real");

static void slope_param(const gei_node *node, double *p) { p[0] = gei_node_float(node, "negative_slope", 0); }
static const gei_attr_map leaky_attrs[] = { { "alpha", "negative_slope", "0.01" }, { NULL, NULL, NULL } };
GEI_OP_FLOAT_LINES(LeakyRelu, slope_param, x < 0 ? x * p[0] : x, GEI_ONNX_ATTRS("LeakyRelu", 6, leaky_attrs));

GEI_OP_UNARY(Relu6, x < 0 ? 0 : x > 6 ? 6 : x, x > 0 ? (x > 6 ? 6 : x) : 0, GEI_NO_SOURCE);

static void hard_sigmoid_params(const gei_node *node, double *p) {
    p[0] = gei_node_float(node, "alpha", (double)0.16666666f);
    p[1] = gei_node_float(node, "beta", 0.5);
}
static const gei_attr_map hard_sigmoid_attrs[] = { { "alpha", "alpha", "0.2" }, { "beta", "beta", "0.5" }, { NULL, NULL, NULL } };
#define LINE (x * p[0] + p[1])
GEI_OP_FLOAT_LINES(HardSigmoid, hard_sigmoid_params, LINE < 0 ? 0 : LINE > 1 ? 1 : LINE, GEI_ONNX_ATTRS("HardSigmoid", 6, hard_sigmoid_attrs));

/* x times the hard sigmoid of slope 1/6; far left x * 0 would turn infinity into NaN, which is also what ONNX's formula gives. */
#define SIXTH (x * (1.0 / 6) + 0.5)
#define CLIPPED "ClipByValue(Add(x, 3), 0, 6)"
static const gei_form hard_swish_forms[] = { { "Div(Mul(x, " CLIPPED "), 6)", NULL }, { "Mul(x, Div(" CLIPPED ", 6))", NULL },
                                             { "Mul(Mul(x, " CLIPPED "), 0.166666667)", NULL },
                                             { "Mul(x, Mul(" CLIPPED ", 0.166666667))", NULL }, { 0 } };
GEI_OP_FORMED(HardSwish, NULL, x * (SIXTH < 0 ? 0 : SIXTH > 1 ? 1 : SIXTH), hard_swish_forms, GEI_ONNX("HardSwish", 14));

static void alpha_param(const gei_node *node, double *p) { p[0] = gei_node_float(node, "alpha", 1); }
static const gei_attr_map alpha_attrs[] = { { "alpha", "alpha", "1" }, { NULL, NULL, NULL } };
GEI_OP_FLOAT_LINES(ThresholdedRelu, alpha_param, x > p[0] ? x : 0, GEI_ONNX_ATTRS("ThresholdedRelu", 1, alpha_attrs));

static void threshold_param(const gei_node *node, double *p) { p[0] = gei_node_float(node, "threshold", 0); }
GEI_OP_FLOAT_LINES(Threshold, threshold_param, x > p[0] ? 1 : 0, GEI_NO_SOURCE);

/* ---- shrinking: nothing between -lambd and lambd ---- */

static void shrink_params(const gei_node *node, double *p) {
    p[0] = gei_node_float(node, "lambd", 0.5);
    p[1] = gei_node_float(node, "bias", 0);
}
static const gei_attr_map shrink_attrs[] = { { "lambd", "lambd", "0.5" }, { "bias", "bias", "0" }, { NULL, NULL, NULL } };
GEI_OP_LINES(Shrink, shrink_params, x < -p[0] ? x + p[1] : x > p[0] ? x - p[1] : 0, GEI_ONNX_ATTRS("Shrink", 9, shrink_attrs));
GEI_OP_FLOAT_LINES(HardShrink, shrink_params, x < -p[0] || x > p[0] || x != x ? x : 0, GEI_NO_SOURCE);
GEI_OP_FLOAT_LINES(SoftShrink, shrink_params, x < -p[0] ? x + p[0] : x > p[0] ? x - p[0] : x != x ? x : 0, GEI_NO_SOURCE);
