/* SPDX-License-Identifier: Apache-2.0 */
/* wide_template: compiled once for each instruction set.  The including file defines WIDE_TABLE, MULTIPLY_ADD and SQUARE_ROOT,
 * and WIDE_OWN_LOGISTIC when it has the loops over the logistic function itself. */
#include "kernels/wide.h"
#include "kernels/wide_math.h"

#if defined(__clang__)
#define WIDE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define WIDE_LOOP _Pragma("GCC ivdep")
#endif

#define UNARY(Name, expr)                                                                \
    static void Name##_wide(const void *x_, void *y_, int64_t n, const double *p) {      \
        const float *in = x_;                                                            \
        float *out = y_;                                                                 \
        (void)p;                                                                         \
        WIDE_LOOP                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                \
            const float x = in[i];                                                       \
            out[i] = (float)(expr);                                                      \
        }                                                                                \
    }

#define BINARY(Name, expr)                                                                                                                \
    static void Name##_wide(const void *a_, int64_t a_step, const void *b_, int64_t b_step, void *y_, int64_t n, const double *p) {       \
        const float *in_a = a_, *in_b = b_;                                                                                               \
        float *out = y_;                                                                                                                  \
        (void)p;                                                                                                                          \
        if (a_step && b_step) {                                                                                                           \
            WIDE_LOOP                                                                                                                     \
            for (int64_t i = 0; i < n; i++) {                                                                                             \
                const float a = in_a[i], b = in_b[i];                                                                                     \
                out[i] = (expr);                                                                                                          \
            }                                                                                                                             \
        } else if (a_step) {                                                                                                              \
            const float b = *in_b;                                                                                                        \
            WIDE_LOOP                                                                                                                     \
            for (int64_t i = 0; i < n; i++) {                                                                                             \
                const float a = in_a[i];                                                                                                  \
                out[i] = (expr);                                                                                                          \
            }                                                                                                                             \
        } else {                                                                                                                          \
            const float a = *in_a;                                                                                                        \
            WIDE_LOOP                                                                                                                     \
            for (int64_t i = 0; i < n; i++) {                                                                                             \
                const float b = in_b[i * b_step];                                                                                         \
                out[i] = (expr);                                                                                                          \
            }                                                                                                                             \
        }                                                                                                                                 \
    }

/* ---- the expressions of the rows ---- */

UNARY(Relu, x < 0 ? 0 : x)
UNARY(Relu6, x < 0 ? 0 : x > 6 ? 6 : x)
UNARY(LeakyRelu, x < 0 ? (float)(x * p[0]) : x)
UNARY(Abs, wide_abs(x))
UNARY(Neg, -x)
UNARY(Square, x * x)
UNARY(Sqrt, SQUARE_ROOT(x))
UNARY(Rsqrt, 1 / SQUARE_ROOT(x))
UNARY(Reciprocal, 1 / x)
UNARY(Muls, x * p[0])
UNARY(Adds, x + p[0])
#define LINE (x * p[0] + p[1])
UNARY(HardSigmoid, LINE < 0 ? 0 : LINE > 1 ? 1 : LINE)
#define SIXTH (x * (1.0 / 6) + 0.5)
UNARY(HardSwish, x * (SIXTH < 0 ? 0 : SIXTH > 1 ? 1 : SIXTH))

BINARY(Add, a + b)
BINARY(Sub, a - b)
BINARY(Mul, a * b)
BINARY(Div, a / b)
BINARY(Maximum, a > b || a != a ? a : b)
BINARY(Minimum, a < b || a != a ? a : b)

/* ---- functions of wide_math.h ---- */

#ifndef WIDE_OWN_LOGISTIC /* Sigmoid_wide, plain_swish_wide, scaled_swish_wide */
UNARY(Sigmoid, wide_logistic(x))
UNARY(plain_swish, x * wide_logistic(x))
UNARY(scaled_swish, x * wide_logistic((float)(x * p[0])))
#endif
UNARY(Tanh, wide_tanh(x))
UNARY(Erf, wide_erf(x))
UNARY(Mish, wide_mish(x))
UNARY(Gelu, wide_gelu_erf(x))
UNARY(gelu_tanh, wide_gelu_tanh(x))
UNARY(plain_exp, wide_exp(x))

/* Small whole exponents are products; they differ from pow by at most 2 units of 2^-24. */
UNARY(cube, x * x * x)
static void Pow_wide(const void *a, int64_t a_step, const void *b, int64_t b_step, void *y, int64_t n, const double *p) {
    const float *in_a = a, *in_b = b;
    float *out = y;
    if (a_step && !b_step && *in_b == 2) Square_wide(a, y, n, p);
    else if (a_step && !b_step && *in_b == 3) cube_wide(a, y, n, p);
    else
        for (int64_t i = 0; i < n; i++) out[i] = in_b[i * b_step] == 2 ? in_a[i * a_step] * in_a[i * a_step] : __builtin_powf(in_a[i * a_step], in_b[i * b_step]);
}

/* p as the rows have it: Exp scale, shift, factor, plain; GeluV2 tanh; Swish scale. */
static void Exp_wide(const void *x, void *y, int64_t n, const double *p) {
    const float *in = x;
    float *out = y;
    if (p[3] != 0) plain_exp_wide(x, y, n, p);
    else
        for (int64_t i = 0; i < n; i++) out[i] = (float)__builtin_exp((p[0] * (double)in[i] + p[1]) * p[2]);
}

static void GeluV2_wide(const void *x, void *y, int64_t n, const double *p) {
    if (p[0] != 0) gelu_tanh_wide(x, y, n, p);
    else Gelu_wide(x, y, n, p);
}

static void Swish_wide(const void *x, void *y, int64_t n, const double *p) {
    if (p[0] == 1) plain_swish_wide(x, y, n, p);
    else scaled_swish_wide(x, y, n, p);
}

#define IS_UNARY(Name) { #Name, Name##_wide, NULL }
#define IS_BINARY(Name) { #Name, NULL, Name##_wide }
const gei_wide WIDE_TABLE[] = {
    IS_BINARY(Add), IS_BINARY(Mul), IS_BINARY(Sub), IS_BINARY(Div), { "RealDiv", NULL, Div_wide }, IS_BINARY(Maximum), IS_BINARY(Minimum), IS_BINARY(Pow),
    IS_UNARY(Relu), IS_UNARY(Relu6), IS_UNARY(LeakyRelu), IS_UNARY(Abs), IS_UNARY(Neg), IS_UNARY(Square), IS_UNARY(Sqrt), IS_UNARY(Rsqrt),
    IS_UNARY(Reciprocal), IS_UNARY(Muls), IS_UNARY(Adds), IS_UNARY(HardSigmoid), IS_UNARY(HardSwish), IS_UNARY(Sigmoid), IS_UNARY(Tanh),
    IS_UNARY(Erf), IS_UNARY(Exp), IS_UNARY(Gelu), IS_UNARY(GeluV2), IS_UNARY(Swish), IS_UNARY(Mish), { NULL, NULL, NULL },
};
