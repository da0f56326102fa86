/* SPDX-License-Identifier: Apache-2.0 */
/* Wide loops of each instruction set this CPU has, against the true values in double. */
#include "kernels/wide.h"

#include <math.h>

#include "ops/op.h"
#include "unit/ge_test.h"

enum { N = 4001 }; /* not a multiple of a vector */

typedef double (*truth)(double x);

static double t_logistic(double x) { return 1 / (1 + exp(-x)); }
static double t_gelu(double x) { return 0.5 * x * erfc(-x * 0.70710678118654752); }
static double t_gelu_tanh(double x) { return x / (1 + exp(-2 * 0.79788456080286536 * (x + 0.044715 * x * x * x))); }
static double t_swish(double x) { return x / (1 + exp(-x)); }
static double t_mish(double x) { return x * tanh(log1p(exp(x))); }
static double t_relu(double x) { return x < 0 ? 0 : x; }
static double t_hard_swish(double x) { return x * fmin(fmax(x / 6 + 0.5, 0), 1); }
static double t_rsqrt(double x) { return 1 / sqrt(x); }

static const struct {
    const char *name;
    truth fn;
    double low, high;   /* arguments */
    double units;       /* bound: this many units of 2^-24, relative */
    double p[4];
} cases[] = {
    { "Exp", exp, -87, 88.7, 3, { 1, 0, 1, 1 } },
    { "Exp", exp, -1e-3, 1e-3, 3, { 1, 0, 1, 1 } },
    { "Sigmoid", t_logistic, -87, 87, 5, { 0 } },
    { "Tanh", tanh, -10, 10, 5, { 0 } },
    { "Tanh", tanh, -1e-4, 1e-4, 5, { 0 } },
    { "Erf", erf, -5, 5, 4, { 0 } },
    { "Erf", erf, -1e-4, 1e-4, 4, { 0 } },
    { "Gelu", t_gelu, -4, 8, 40, { 0 } },
    { "GeluV2", t_gelu, -12, -4, 300, { 0 } },
    { "GeluV2", t_gelu_tanh, -4, 8, 40, { 1 } },
    { "Swish", t_swish, -80, 80, 6, { 1 } },
    { "Mish", t_mish, -80, 80, 8, { 0 } },
    { "Relu", t_relu, -3, 3, 0, { 0 } },
    { "HardSwish", t_hard_swish, -2.9, 8, 2, { 0 } },
    { "Rsqrt", t_rsqrt, 1e-6, 1e6, 2, { 0 } },
};

static size_t tables(const gei_wide **out) {
    size_t n = 0;
    out[n++] = gei_wide_portable;
    if (gei_isa() & GEI_ISA_AVX2) out[n++] = gei_wide_avx2;
    if (gei_isa() & GEI_ISA_AVX512) out[n++] = gei_wide_avx512;
    return n;
}

static void check_case(const gei_wide *table, size_t c) {
    static float x[N], y[N];
    const gei_wide *wide = gei_wide_find(table, cases[c].name);
    assert_non_null(wide);
    for (int i = 0; i < N; i++) x[i] = (float)(cases[c].low + (cases[c].high - cases[c].low) * i / (N - 1));
    wide->unary(x, y, N, cases[c].p);
    for (int i = 0; i < N; i++) {
        double wanted = cases[c].fn(x[i]), error = fabs(y[i] - wanted);
        if (error > cases[c].units * fabs(wanted) * 0x1p-24 + 0x1p-149) fail_msg("%s(%.9g) = %.9g, wanted %.9g", wide->name, x[i], y[i], wanted);
    }
    wide->unary(x, x, N, cases[c].p); /* in place */
    assert_memory_equal(x, y, sizeof x);
}

static void functions_are_within_their_bounds(void **state) {
    const gei_wide *all[3];
    size_t n = tables(all);
    (void)state;
    for (size_t t = 0; t < n; t++)
        for (size_t c = 0; c < GEI_COUNT(cases); c++) check_case(all[t], c);
}

static float at(const gei_wide *table, const char *name, float x) {
    const double p[4] = { 1, 0, 1, 1 };
    float y;
    gei_wide_find(table, name)->unary(&x, &y, 1, p);
    return y;
}

static void ends_and_nan(void **state) {
    static const char *const names[] = { "Exp", "Sigmoid", "Tanh", "Erf", "Gelu", "Swish", "Mish", "Relu", "HardSwish", "Sqrt" };
    const gei_wide *all[3];
    size_t n = tables(all);
    (void)state;
    for (size_t t = 0; t < n; t++) {
        for (size_t k = 0; k < GEI_COUNT(names); k++) assert_true(isnan(at(all[t], names[k], NAN)));
        assert_true(at(all[t], "Exp", -INFINITY) == 0 && at(all[t], "Exp", INFINITY) == INFINITY && at(all[t], "Exp", 0) == 1);
        assert_true(at(all[t], "Sigmoid", -INFINITY) == 0 && at(all[t], "Sigmoid", INFINITY) == 1);
        assert_true(at(all[t], "Tanh", -INFINITY) == -1 && at(all[t], "Tanh", INFINITY) == 1 && signbit(at(all[t], "Tanh", -0.0f)));
        assert_true(at(all[t], "Erf", -INFINITY) == -1 && at(all[t], "Erf", INFINITY) == 1 && signbit(at(all[t], "Erf", -0.0f)));
    }
}

static void two_inputs_with_steps(void **state) {
    static float a[N], b[N], y[N];
    const gei_wide *all[3];
    size_t n = tables(all);
    (void)state;
    for (int i = 0; i < N; i++) {
        a[i] = (float)i - 2000;
        b[i] = 7 - (float)i / 3;
    }
    for (size_t t = 0; t < n; t++) {
        gei_binary_loop sub = gei_wide_find(all[t], "Sub")->binary;
        sub(a, 1, b, 1, y, N, NULL);
        for (int i = 0; i < N; i++) assert_true(y[i] == a[i] - b[i]);
        sub(a, 1, b, 0, y, N, NULL);
        for (int i = 0; i < N; i++) assert_true(y[i] == a[i] - b[0]);
        sub(a, 0, b, 1, y, N, NULL);
        for (int i = 0; i < N; i++) assert_true(y[i] == a[0] - b[i]);
        sub(a, 0, b, 0, y, 1, NULL);
        assert_true(y[0] == a[0] - b[0]);
    }
    assert_null(gei_wide_find(gei_wide_portable, "Subtract"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_within_their_bounds),
        cmocka_unit_test(ends_and_nan),
        cmocka_unit_test(two_inputs_with_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
