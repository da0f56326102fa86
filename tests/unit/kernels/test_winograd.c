/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by Winograd's transforms of each instruction set this CPU has, against the direct one, over sizes that leave rests,
 * with and without numbers that are not finite.  Tolerance: the bound stated in kernels/winograd.h, for |x| and |filter| up to 1. */
#include "kernels/winograd.h"

#include <math.h>

#include "ops/op.h"
#include "unit/ge_test.h"

enum { IN = 24, OUT = 53, MOST_SIDE = 35, GUARD = 64 };

static const gei_sgemm_isa *const products[] = { &gei_sgemm_portable, &gei_sgemm_avx2, &gei_sgemm_avx512 };
static const gei_winograd_isa *const transforms[] = { &gei_winograd_portable, &gei_winograd_avx2, &gei_winograd_avx512 };

static gei_conv conv_of(int64_t height, int64_t width, int64_t pad) {
    gei_conv c = { .batch = 1, .groups = 1, .in_channels = IN, .out_channels = OUT };
    const int64_t in[3] = { 1, height, width };
    for (int d = 0; d < 3; d++) {
        gei_window *w = &c.window;
        w->in[d] = in[d];
        w->kernel[d] = d ? 3 : 1;
        w->stride[d] = w->dilation[d] = 1;
        w->pad_begin[d] = w->pad_end[d] = d ? pad : 0;
        w->out[d] = in[d] + 2 * w->pad_begin[d] - w->kernel[d] + 1;
    }
    c.x_at[2] = c.y_at[2] = c.w_at[2] = 1;
    c.x_at[1] = width;
    c.y_at[1] = c.window.out[2];
    c.w_at[1] = 3;
    c.x_at[0] = c.x_channel = width * height;
    c.y_at[0] = c.y_channel = c.window.out[1] * c.window.out[2];
    c.w_at[0] = c.w_in = 9;
    c.w_out = 9 * IN;
    c.x_batch = IN * c.x_channel;
    c.y_batch = OUT * c.y_channel;
    return c;
}

static float x[IN * MOST_SIDE * MOST_SIDE], filter[OUT * IN * 9], bias[OUT];
static float wanted[OUT * MOST_SIDE * MOST_SIDE], got[OUT * MOST_SIDE * MOST_SIDE + GUARD];

static float *floats(size_t n) {
    float *p = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);
    assert_non_null(p);
    memset(p, 0xFF, n * sizeof(float)); /* NaN: what is not written must not be read */
    return p;
}

static bool is_close(float a, float b, float lo, float hi) {
    float v = b > hi ? hi : b < lo ? lo : b;
    if (isnan(v) || isinf(v)) return isnan(v) ? isnan(a) : a == v;
    return fabsf(a - v) <= 4 * (IN + 16) * 0x1p-24f * IN * 9;
}

static void check(size_t isa, const gei_conv *c, float lo, float hi) {
    const gei_sgemm_isa *product = products[isa];
    int64_t n = OUT * c->y_channel, panels = gei_sgemm_panels(product, gei_winograd_tiles(&c->window));
    float *work = floats(GEI_WINOGRAD_POINTS * OUT * IN), *u = floats(gei_winograd_filter_floats(product, OUT, IN));
    float *scratch = floats(gei_winograd_scratch_floats(product, IN));
    gei_winograd g = { .conv = c, .product = product, .isa = transforms[isa], .x = x, .filter = filter, .bias = bias, .u = u, .y = got,
                       .lo = lo, .hi = hi };
    gei_winograd_filter(product, filter, OUT, IN, work, u);
    for (size_t i = 0; i < GEI_COUNT(got); i++) got[i] = -77;
    for (int64_t panel = 0; panel < panels; panel++) {
        gei_winograd_run(&g, panel, 0, GEI_WINOGRAD_ROWS, scratch);
        gei_winograd_run(&g, panel, GEI_WINOGRAD_ROWS, OUT, scratch);
    }
    for (int64_t i = 0; i < n; i++)
        if (!is_close(got[i], wanted[i], lo, hi))
            fail_msg("%s, %dx%d: element %d is %g, wanted %g", product->name, (int)c->window.in[1], (int)c->window.in[2], (int)i, got[i], wanted[i]);
    for (int64_t i = n; i < n + GUARD; i++) assert_true(got[i] == -77);
    free(work);
    free(u);
    free(scratch);
}

static void check_sizes(float lo, float hi) {
    static const int64_t sizes[][3] = { { 3, 3, 0 }, { 1, 1, 1 }, { 2, 35, 1 }, { 8, 8, 1 }, { 15, 17, 0 }, { 35, 34, 1 }, { 12, 9, 2 } };
    double wide_bias[OUT];
    for (int i = 0; i < OUT; i++) wide_bias[i] = bias[i];
    for (size_t s = 0; s < GEI_COUNT(sizes); s++) {
        gei_conv c = conv_of(sizes[s][0], sizes[s][1], sizes[s][2]);
        assert_true(OUT * c.y_channel <= OUT * MOST_SIDE * MOST_SIDE);
        gei_conv_ref_f32(&c, x, filter, wide_bias, wanted, 0, OUT);
        check(0, &c, lo, hi);
        if (gei_isa() & GEI_ISA_AVX2) check(1, &c, lo, hi);
        if (gei_isa() & GEI_ISA_AVX512) check(2, &c, lo, hi);
    }
}

static int fill(void **state) {
    (void)state;
    for (int i = 0; i < IN * MOST_SIDE * MOST_SIDE; i++) x[i] = (float)((i * 37) % 101) / 50 - 1;
    for (int i = 0; i < OUT * IN * 9; i++) filter[i] = (float)((i * 53) % 97) / 48 - 1;
    for (int i = 0; i < OUT; i++) bias[i] = (float)i / 4 - 1;
    return 0;
}

static void equals_the_direct_convolution(void **state) {
    (void)state;
    check_sizes(-INFINITY, INFINITY);
}

static void clips_as_it_writes(void **state) {
    (void)state;
    check_sizes(0, 6);
}

/* Infinities and NaN reach the pixels whose window holds them, and no others. */
static void what_is_not_finite_stays_in_its_window(void **state) {
    (void)state;
    x[1] = INFINITY;
    x[7] = -INFINITY;
    x[40] = NAN;
    check_sizes(-INFINITY, INFINITY);
    check_sizes(-2, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(equals_the_direct_convolution, fill),
        cmocka_unit_test_setup(clips_as_it_writes, fill),
        cmocka_unit_test_setup(what_is_not_finite_stays_in_its_window, fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
