/* SPDX-License-Identifier: Apache-2.0 */
/* Loops along rows of each instruction set this CPU has, against plain loops in double. */
#include "kernels/rows.h"

#include <math.h>

#include "kernels/pool.h"
#include "ops/op.h"
#include "unit/ge_test.h"

enum { MOST = 1200 };

static const gei_rows *all[3] = { &gei_rows_portable };
static size_t n_all = 1;
static float x[MOST], y[MOST];
static const int64_t lengths[] = { 1, 2, 7, 15, 16, 17, 31, 64, 100, 255, 257, 768, 1000 };

static int fill(void **state) {
    (void)state;
    if (gei_isa() & GEI_ISA_AVX2) all[n_all++] = &gei_rows_avx2;
    if (gei_isa() & GEI_ISA_AVX512) all[n_all++] = &gei_rows_avx512;
    for (int i = 0; i < MOST; i++) x[i] = (float)((i * 7919) % 2003) / 100 - 10;
    return 0;
}

static void near(double got, double wanted, double bound) {
    if (!(fabs(got - wanted) <= bound)) fail_msg("%.9g, wanted %.9g", got, wanted);
}

static void check_softmax(const gei_rows *rows, int64_t n, int log_) {
    double max = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) max = fmax(max, x[i]);
    for (int64_t i = 0; i < n; i++) sum += exp(x[i] - max);
    memcpy(y, x, sizeof x);
    rows->softmax(y, y, n, log_);
    for (int64_t i = 0; i < n; i++) {
        double wanted = log_ ? x[i] - max - log(sum) : exp(x[i] - max) / sum;
        near(y[i], wanted, 0x1p-24 * (log_ ? 8 * (fabs(wanted) + 1) : (8 + fabs(x[i] - max)) * wanted));
    }
}

static void softmax(void **state) {
    (void)state;
    for (size_t t = 0; t < n_all; t++) {
        for (size_t k = 0; k < GEI_COUNT(lengths); k++) {
            check_softmax(all[t], lengths[k], 0);
            check_softmax(all[t], lengths[k], 1);
        }
        float odd[3] = { 1, NAN, 2 }, masked[3] = { -INFINITY, 3, -INFINITY };
        all[t]->softmax(odd, odd, 3, 0);
        assert_true(isnan(odd[0]) && isnan(odd[1]) && isnan(odd[2]));
        all[t]->softmax(masked, masked, 3, 0);
        assert_true(masked[0] == 0 && masked[1] == 1 && masked[2] == 0);
    }
}

static void sums_and_normalizing(void **state) {
    (void)state;
    for (size_t t = 0; t < n_all; t++) {
        for (size_t k = 0; k < GEI_COUNT(lengths); k++) {
            int64_t n = lengths[k];
            double sum = 0, squares = 0;
            for (int64_t i = 0; i < n; i++) sum += x[i];
            for (int64_t i = 0; i < n; i++) squares += (x[i] - 0.25) * (x[i] - 0.25);
            near(all[t]->sum(x, n), sum, 1e-10);
            near(all[t]->sum_of_squares(x, 0.25, n), squares, 1e-8);
            all[t]->normalize(x, 0.5f, 2, x, x + 100, y, n);
            for (int64_t i = 0; i < n; i++) near(y[i], (x[i] - 0.5) * 2 * x[i] + x[100 + i], 1e-4);
            all[t]->normalize(x, 0.5f, 2, NULL, NULL, y, n);
            for (int64_t i = 0; i < n; i++) near(y[i], (x[i] - 0.5) * 2, 1e-5);
        }
    }
}

static void largest_of_windows(void **state) {
    (void)state;
    static float wanted[MOST];
    x[40] = NAN;
    for (int64_t kernel = 1; kernel <= 4; kernel++)
        for (int64_t stride = 1; stride <= 3; stride++)
            for (int64_t dilation = 1; dilation <= 2; dilation++) {
                gei_pool p = { .batch = 1, .channels = 1, .x_at = { 1, 35, 1 }, .index_at = { 1, 35, 1 } };
                const int64_t in[3] = { 1, 23, 35 };
                for (int d = 0; d < 3; d++) {
                    gei_window *w = &p.window;
                    int64_t k = d ? kernel : 1, reach = (k - 1) * dilation + 1;
                    w->in[d] = in[d];
                    w->kernel[d] = k;
                    w->stride[d] = stride;
                    w->dilation[d] = dilation;
                    w->pad_begin[d] = w->pad_end[d] = reach / 2;
                    w->out[d] = (in[d] + 2 * (reach / 2) - reach) / stride + 1;
                }
                int64_t n = p.window.out[0] * p.window.out[1] * p.window.out[2];
                p.y_at[2] = 1;
                p.y_at[1] = p.window.out[2];
                p.y_at[0] = p.window.out[1] * p.window.out[2];
                gei_pool_max_f32(&p, x, wanted, NULL, 0, 1);
                for (size_t t = 0; t < n_all; t++) {
                    all[t]->max_plane(&p.window, x, y);
                    for (int64_t i = 0; i < n; i++) assert_true(y[i] == wanted[i] || (isnan(y[i]) && isnan(wanted[i])));
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax),
        cmocka_unit_test(sums_and_normalizing),
        cmocka_unit_test(largest_of_windows),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
