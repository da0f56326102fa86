/* SPDX-License-Identifier: Apache-2.0 */
/* Curved activations. */
#include <string.h>

#include "ops/elementwise.h"
#include "ops/import.h"

#define GEI_OP_CURVE(Name, params_fn, expr, ...)                                                                                \
    GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Name, expr)                                                                                 \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name) }, .to = GEI_UNDEFINED, .params = params_fn };     \
    GEI_OP_UNARY_TABLE(Name, 0, __VA_ARGS__)
GEI_WIDEN_FAMILY(CURVE, "*", "float");

/* ---- of the exponential linear unit ---- */

static void elu_params(const gei_node *node, double *p) {
    p[0] = gei_node_float(node, "alpha", 1);
    p[1] = gei_node_float(node, "scale", 1);
    p[2] = gei_node_float(node, "input_scale", 1);
}

/* Selu with constants of its own is an Elu: scale gamma. */
static const gei_attr_map elu_attrs[] = { { "alpha", "alpha", "1" }, { NULL, NULL, NULL } };
static const gei_attr_map selu_attrs[] = { { "alpha", "alpha", "1.67326319217681884765625" }, { "gamma", "scale", "1.05070102214813232421875" }, { NULL, NULL, NULL } };
GEI_OP_CURVE(Elu, elu_params, x <= 0 ? p[0] * p[1] * expm1(p[2] * x) : p[1] * x, GEI_ONNX_ATTRS("Elu", 6, elu_attrs),
             GEI_ONNX_ATTRS("Selu", 6, selu_attrs));

#define SELU_ALPHA 1.6732632423543772848170429916717
#define SELU_SCALE 1.0507009873554804934193349852946
GEI_OP_UNARY(Selu, x <= 0 ? SELU_SCALE * SELU_ALPHA * expm1((double)x) : SELU_SCALE * x,
             x > 0 ? SELU_SCALE * (double)x : SELU_SCALE * SELU_ALPHA * expm1((double)x), GEI_NO_SOURCE);

static void celu_params(const gei_node *node, double *p) {
    p[0] = gei_node_float(node, "alpha1", 1);
    p[1] = gei_node_float(node, "alpha2", 1);
    p[2] = gei_node_float(node, "alpha3", 1);
}
GEI_OP_CURVE(Celu, celu_params, x > 0 ? p[2] * x : x <= 0 ? p[0] * expm1(x / p[1]) : x, GEI_NO_SOURCE);

static void celu_v2_params(const gei_node *node, double *p) { p[0] = gei_node_float(node, "alpha", 1); }
GEI_OP_CURVE(CeluV2, celu_v2_params, x > 0 ? x : x <= 0 ? p[0] * expm1(x / p[0]) : x, GEI_ONNX_ATTRS("Celu", 12, elu_attrs));

/* ---- of the logistic function ---- */

/* 1 / (1 + e^-v) without overflow. */
#define LOGISTIC(v) ((v) >= 0 ? 1 / (1 + exp(-(v))) : exp(v) / (1 + exp(v)))
/* log(1 + e^v) */
#define SOFTPLUS(v) ((v) > 0 ? (v) + log1p(exp(-(v))) : log1p(exp(v)))

GEI_OP_UNARY_FLOAT(Softplus, SOFTPLUS(x), GEI_ONNX("Softplus", 1));
GEI_OP_UNARY_FLOAT(Softsign, x / (1 + fabs(x)), GEI_ONNX("Softsign", 1));
static const gei_form mish_forms[] = { { "Mul(x, Tanh(Softplus(x)))", NULL }, { 0 } };
GEI_OP_FORMED(Mish, NULL, x * tanh(SOFTPLUS(x)), mish_forms, GEI_ONNX("Mish", 18));

static void scale_param(const gei_node *node, double *p) { p[0] = gei_node_float(node, "scale", 1); }
static const gei_attr_map swish_attrs[] = { { "alpha", "scale", "1" }, { NULL, NULL, NULL } };
/* ONNX SwiGLU: Swish of one input times the other. */
static ge_status map_swiglu(gei_import *im, gei_diag *diag) {
    gei_node *gate, *product;
    gei_value a = gei_import_input(im, 0);
    GEI_TRY(gei_import_node(im, "Swish", &a, 1, &gate, diag));
    GEI_TRY(gei_import_set_float(gate, "scale", gei_import_float(im, "alpha", 1), diag));
    gei_value pair[2] = { gei_value_of(gate, 0), gei_import_input(im, 1) };
    GEI_TRY(gei_import_node(im, "Mul", pair, 2, &product, diag));
    gei_import_set_output(im, 0, gei_value_of(product, 0));
    return GE_OK;
}

static const gei_form swish_forms[] = { { "Mul(x, Sigmoid(x))", NULL }, { 0 } };
GEI_OP_FORMED(Swish, scale_param, x * LOGISTIC(x * p[0]), swish_forms, GEI_ONNX_ATTRS("Swish", 24, swish_attrs), GEI_ONNX_MAP("SwiGLU", 28, map_swiglu));

/* ---- Gelu: x times the normal distribution up to x, or its approximation by tanh ---- */

#define SQRT_HALF 0.70710678118654752440084436210485
#define SQRT_2_BY_PI 0.79788456080286535587989211986876
#define GELU_ERF(x) (0.5 * (x) * erfc(-(x) * SQRT_HALF))
#define GELU_TANH(x) (0.5 * (x) * (1 + tanh(SQRT_2_BY_PI * ((x) + 0.044715 * (x) * (x) * (x)))))

/* Both, however the factor one half is placed. */
#define HALF_OF(one_plus)                                   \
    { "Mul(Mul(x, " one_plus "), 0.5)", FORM_ATTR },        \
    { "Mul(Mul(x, 0.5), " one_plus ")", FORM_ATTR },        \
    { "Mul(x, Mul(" one_plus ", 0.5))", FORM_ATTR }

#define FORM_ATTR NULL
static const gei_form gelu_forms[] = { HALF_OF("Add(Erf(Div(x, 1.41421356)), 1)"), HALF_OF("Add(Erf(Mul(x, 0.707106781)), 1)"), { 0 } };
GEI_OP_FORMED(Gelu, NULL, GELU_ERF(x), gelu_forms, GEI_NO_SOURCE);
#undef FORM_ATTR

#define FORM_ATTR "approximate=tanh"
#define TANH_OF(cube) HALF_OF("Add(Tanh(Mul(Add(x, Mul(" cube ", 0.044715)), 0.797884561)), 1)")
static const gei_form gelu_v2_forms[] = { TANH_OF("Pow(x, 3)"), TANH_OF("Mul(Mul(x, x), x)"), { 0 } };

static void gelu_param(const gei_node *node, double *p) { p[0] = strcmp(gei_node_text(node, "approximate", "none"), "tanh") == 0; }
GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, GeluV2, p[0] != 0 ? GELU_TANH(x) : GELU_ERF(x))
static const gei_unary GeluV2_unary = { .loops = { GEI_FLOAT_LANES(GeluV2) }, .to = GEI_UNDEFINED, .params = gelu_param };

static ge_status infer_gelu_v2(gei_infer *i) {
    const char *how = gei_node_text(i->node, "approximate", "none");
    if (strcmp(how, "none") != 0 && strcmp(how, "tanh") != 0)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "approximate", "'%s', wanted none or tanh", how);
    return gei_infer_unary(i, &GeluV2_unary);
}

static ge_status run_gelu_v2(const gei_run *run, uint32_t part) { return gei_run_unary(run, part, &GeluV2_unary); }

static const gei_attr_map gelu_attrs[] = { { "approximate", "approximate", "none" }, { NULL, NULL, NULL } };
static const gei_kernel gelu_kernels[] = { GEI_WIDE_KERNEL(gei_size_unary, run_gelu_v2, 1), { .name = "ref", .size = gei_size_unary, .run = run_gelu_v2, .in_place = 1 }, { 0 } };
static const gei_source gelu_sources[] = { GEI_ONNX_ATTRS("Gelu", 20, gelu_attrs), { 0 } };

GEI_OP(GeluV2) = { .name = "GeluV2", .infer = infer_gelu_v2, .kernels = gelu_kernels, .sources = gelu_sources, .forms = gelu_v2_forms,
                   .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE, .unary = &GeluV2_unary };
GEI_WIDEN(GeluV2, "*", "float");
