/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one number. */
#include "ops/elementwise.h"

#define GEI_OP_ANALYTIC(Name, expr, ...)                                                                                          \
    GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Name, expr)                                                                                   \
    GEI_COMPLEX_LOOPS(GEI_UNARY_LOOP, Name, expr)                                                                                 \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name), GEI_COMPLEX_LANES(Name) }, .to = GEI_UNDEFINED };   \
    GEI_OP_UNARY_TABLE(Name, 0, __VA_ARGS__)
GEI_WIDEN_FAMILY(ANALYTIC, "*", "float complex");

GEI_OP_ANALYTIC(Sqrt, sqrt(x), GEI_ONNX("Sqrt", 6));
GEI_OP_ANALYTIC(Rsqrt, 1 / sqrt(x), GEI_NO_SOURCE);
GEI_OP_ANALYTIC(Reciprocal, 1 / x, GEI_ONNX("Reciprocal", 6));
GEI_OP_ANALYTIC(Sin, sin(x), GEI_ONNX("Sin", 7));
GEI_OP_ANALYTIC(Cos, cos(x), GEI_ONNX("Cos", 7));
GEI_OP_ANALYTIC(Tan, tan(x), GEI_ONNX("Tan", 7));
GEI_OP_ANALYTIC(Asin, asin(x), GEI_ONNX("Asin", 7));
GEI_OP_ANALYTIC(Acos, acos(x), GEI_ONNX("Acos", 7));
GEI_OP_ANALYTIC(Atan, atan(x), GEI_ONNX("Atan", 7));
GEI_OP_ANALYTIC(Sinh, sinh(x), GEI_ONNX("Sinh", 9));
GEI_OP_ANALYTIC(Cosh, cosh(x), GEI_ONNX("Cosh", 9));
GEI_OP_ANALYTIC(Asinh, asinh(x), GEI_ONNX("Asinh", 9));
GEI_OP_ANALYTIC(Acosh, acosh(x), GEI_ONNX("Acosh", 9));
GEI_OP_ANALYTIC(Atanh, atanh(x), GEI_ONNX("Atanh", 9));

GEI_OP_UNARY_FLOAT(Expm1, expm1(x), GEI_NO_SOURCE);
GEI_OP_UNARY_FLOAT(Log1p, log1p(x), GEI_NO_SOURCE);
GEI_OP_UNARY_FLOAT(Erfc, erfc(x), GEI_NO_SOURCE);
GEI_OP_UNARY_FLOAT(Lgamma, lgamma_r(x, &(int){ 0 }), GEI_NO_SOURCE); /* log of |gamma(x)|; the plain function shares its sign between threads */
GEI_OP_UNARY_FLOAT(Floor, floor(x), GEI_ONNX("Floor", 6));
GEI_OP_UNARY_FLOAT(Ceil, ceil(x), GEI_ONNX("Ceil", 6));
GEI_OP_UNARY_FLOAT(Rint, nearbyint(x), GEI_NO_SOURCE);

/* Integers: the fraction is cut off, so that only |x| above 5 gives 1. */
GEI_OP_UNARY(Erf, erf(x), erf((double)x), GEI_ONNX("Erf", 9));

/* NaN stays NaN; zero of either sign gives +0. */
GEI_OP_UNARY(Sign, x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x, (x > 0) - (x != 0 && !(x > 0)), GEI_ONNX("Sign", 9));

/* ---- Abs, Neg, Square: the lowest integer wraps to itself ---- */

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Abs, fabs(x))
GEI_SIGNED_LOOPS(GEI_UNARY_LOOP, Abs, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
GEI_UNSIGNED_LOOPS(GEI_UNARY_LOOP, Abs, x)
static const gei_unary Abs_unary = { .loops = { GEI_FLOAT_LANES(Abs), GEI_INT_LANES(Abs) }, .to = GEI_UNDEFINED };
GEI_OP_UNARY_TABLE(Abs, 0, GEI_ONNX("Abs", 6));
GEI_WIDEN(Abs, "*", "real");

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Neg, -x)
GEI_WRAPPING_LOOPS(GEI_UNARY_LOOP, Neg, 0 - x)
GEI_COMPLEX_LOOPS(GEI_UNARY_LOOP, Neg, -x)
static const gei_unary Neg_unary = { .loops = { GEI_FLOAT_LANES(Neg), GEI_INT_LANES(Neg), GEI_COMPLEX_LANES(Neg) }, .to = GEI_UNDEFINED };
GEI_OP_UNARY_TABLE(Neg, 0, GEI_ONNX("Neg", 6));
GEI_WIDEN(Neg, "*", "number");

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Square, x * x)
GEI_WRAPPING_LOOPS(GEI_UNARY_LOOP, Square, x * x)
GEI_COMPLEX_LOOPS(GEI_UNARY_LOOP, Square, x * x)
static const gei_unary Square_unary = { .loops = { GEI_FLOAT_LANES(Square), GEI_INT_LANES(Square), GEI_COMPLEX_LANES(Square) },
                                        .to = GEI_UNDEFINED };
GEI_OP_UNARY_TABLE(Square, 0, GEI_NO_SOURCE);
GEI_WIDEN(Square, "*", "number");

/* ---- Exp: base^(scale * x + shift); Log: logarithm of scale * x + shift to base.  base -1 means e ---- */

enum { P_SCALE, P_SHIFT, P_FACTOR, P_PLAIN };

static void affine_params(const gei_node *node, double *p) {
    p[P_SCALE] = gei_node_float(node, "scale", 1);
    p[P_SHIFT] = gei_node_float(node, "shift", 0);
    double base = gei_node_float(node, "base", -1);
    p[P_FACTOR] = base == -1 ? 1 : log(base);
    p[P_PLAIN] = base == -1 && p[P_SCALE] == 1 && p[P_SHIFT] == 0;
}

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Exp, p[P_PLAIN] != 0 ? exp(x) : exp((p[P_SCALE] * x + p[P_SHIFT]) * p[P_FACTOR]))
GEI_COMPLEX_LOOPS(GEI_UNARY_LOOP, Exp, exp((p[P_SCALE] * x + p[P_SHIFT]) * p[P_FACTOR]))
static const gei_unary Exp_unary = { .loops = { GEI_FLOAT_LANES(Exp), GEI_COMPLEX_LANES(Exp) }, .to = GEI_UNDEFINED, .params = affine_params };
GEI_OP_UNARY_TABLE(Exp, 0, GEI_ONNX("Exp", 6));
GEI_WIDEN(Exp, "*", "float complex");

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Log, p[P_PLAIN] != 0 ? log(x) : log(p[P_SCALE] * x + p[P_SHIFT]) / p[P_FACTOR])
GEI_COMPLEX_LOOPS(GEI_UNARY_LOOP, Log, log(p[P_SCALE] * x + p[P_SHIFT]) / p[P_FACTOR])
static const gei_unary Log_unary = { .loops = { GEI_FLOAT_LANES(Log), GEI_COMPLEX_LANES(Log) }, .to = GEI_UNDEFINED, .params = affine_params };
GEI_OP_UNARY_TABLE(Log, 0, GEI_ONNX("Log", 6));
GEI_WIDEN(Log, "*", "float complex");

/* ---- Round: to `decimals` places, halves to even ---- */

enum { P_POWER_OF_TEN, P_LEFT_OF_POINT };

static void round_params(const gei_node *node, double *p) {
    int64_t decimals = gei_node_int(node, "decimals", 0);
    p[P_POWER_OF_TEN] = pow(10.0, (double)(decimals < 0 ? -decimals : decimals));
    p[P_LEFT_OF_POINT] = decimals < 0;
}

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Round,
                p[P_POWER_OF_TEN] == 1    ? nearbyint(x)
                : p[P_LEFT_OF_POINT] != 0 ? (p[P_POWER_OF_TEN] < INFINITY ? nearbyint(x / p[P_POWER_OF_TEN]) * p[P_POWER_OF_TEN] : x * 0)
                : x * p[P_POWER_OF_TEN] * 0 == 0 ? nearbyint(x * p[P_POWER_OF_TEN]) / p[P_POWER_OF_TEN] : x)
GEI_SIGNED_LOOPS(GEI_UNARY_LOOP, Round, x)
GEI_UNSIGNED_LOOPS(GEI_UNARY_LOOP, Round, x)
static const gei_unary Round_unary = { .loops = { GEI_FLOAT_LANES(Round), GEI_INT_LANES(Round) }, .to = GEI_UNDEFINED, .params = round_params };

static ge_status infer_round(gei_infer *i) {
    const gei_dtype_info *dtype = gei_dtype_get(i->in[0]->dtype);
    int64_t decimals = gei_node_int(i->node, "decimals", 0);
    if (decimals < -INT32_MAX || decimals > INT32_MAX)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "decimals", "%lld is no number of places", (long long)decimals);
    if (decimals < 0 && dtype && dtype->kind != GEI_KIND_FLOAT)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_ATTR, "decimals", "%lld with data type %s", (long long)decimals, dtype->name);
    return gei_infer_unary(i, &Round_unary);
}

static ge_status run_round(const gei_run *run, uint32_t part) { return gei_run_unary(run, part, &Round_unary); }

static const gei_kernel round_kernels[] = { { .name = "ref", .size = gei_size_unary, .run = run_round, .in_place = 1 }, { 0 } };
static const gei_source round_sources[] = { GEI_ONNX("Round", 11), { 0 } };

GEI_OP(Round) = { .name = "Round", .infer = infer_round, .kernels = round_kernels, .sources = round_sources,
                  .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };
GEI_WIDEN(Round, "*", "real");
