/* SPDX-License-Identifier: Apache-2.0 */
/* 1x1 convolutions with pixels as rows, of each instruction set this CPU has, against the direct one.
 * Tolerance: float sums of IN products of numbers up to 1 in another order. */
#include "kernels/conv_sgemm.h"

#include <math.h>

#include "ops/op.h"
#include "unit/ge_test.h"

enum { IN = 37, OUT = 131, MOST = GEI_CONV_MOST_PIXELS, GUARD = 64 };

static float x[IN * MOST], filter[OUT * IN], bias[OUT], wanted[OUT * MOST], got[OUT * MOST + GUARD];

static gei_conv conv_of(int64_t height, int64_t width) {
    gei_conv c = { .batch = 1, .groups = 1, .in_channels = IN, .out_channels = OUT };
    const int64_t in[3] = { 1, height, width };
    for (int d = 0; d < 3; d++) {
        c.window.in[d] = c.window.out[d] = in[d];
        c.window.kernel[d] = c.window.stride[d] = c.window.dilation[d] = 1;
        c.w_at[d] = 1;
    }
    c.x_at[2] = c.y_at[2] = 1;
    c.x_at[1] = c.y_at[1] = width;
    c.x_at[0] = c.y_at[0] = c.x_channel = c.y_channel = width * height;
    c.w_in = 1;
    c.w_out = IN;
    c.x_batch = IN * c.x_channel;
    c.y_batch = OUT * c.y_channel;
    return c;
}

static void check(const gei_sgemm_isa *isa, const gei_conv *c) {
    int64_t n = OUT * c->y_channel, panels = gei_sgemm_panels(isa, OUT);
    size_t packed_bytes = gei_sgemm_packed_floats(isa, IN, OUT) * sizeof(float);
    float *packed = aligned_alloc(64, (packed_bytes + 63) / 64 * 64);
    gei_conv_sgemm g = { .conv = c, .isa = isa, .x = x, .filter = packed, .packed = true, .bias = bias, .y = got, .act = GEI_ACT_CLIP, .lo = -2, .hi = 2 };
    float *scratch = aligned_alloc(64, (gei_conv_pixels_scratch_bytes(&g) + 63) / 64 * 64);
    assert_non_null(packed);
    assert_non_null(scratch);
    gei_sgemm_pack(isa, filter, 1, IN, IN, OUT, 0, panels, packed);
    for (size_t i = 0; i < GEI_COUNT(got); i++) got[i] = -77;
    gei_conv_pixels_run(&g, 0, 1, scratch);
    gei_conv_pixels_run(&g, 1, panels, scratch);
    for (int64_t i = 0; i < n; i++) {
        float v = wanted[i] > 2 ? 2 : wanted[i] < -2 ? -2 : wanted[i];
        if (!(fabsf(got[i] - v) <= IN * 0x1p-24f * IN)) fail_msg("%s, %d pixels: element %d is %g, wanted %g", isa->name, (int)c->y_channel, (int)i, got[i], v);
    }
    for (int64_t i = n; i < n + GUARD; i++) assert_true(got[i] == -77);
    free(packed);
    free(scratch);
}

static void equals_the_direct_convolution(void **state) {
    static const int64_t sizes[][2] = { { 1, 1 }, { 2, 2 }, { 1, 5 }, { 2, 3 }, { 7, 7 }, { 5, 13 }, { 14, 14 }, { 16, 16 } };
    double wide_bias[OUT];
    (void)state;
    for (int i = 0; i < IN * MOST; i++) x[i] = (float)((i * 37) % 101) / 50 - 1;
    for (int i = 0; i < OUT * IN; i++) filter[i] = (float)((i * 53) % 97) / 48 - 1;
    for (int i = 0; i < OUT; i++) wide_bias[i] = bias[i] = (float)i / 64 - 1;
    for (size_t s = 0; s < GEI_COUNT(sizes); s++) {
        gei_conv c = conv_of(sizes[s][0], sizes[s][1]);
        gei_conv_ref_f32(&c, x, filter, wide_bias, wanted, 0, OUT);
        check(&gei_sgemm_portable, &c);
        if (gei_isa() & GEI_ISA_AVX2) check(&gei_sgemm_avx2, &c);
        if (gei_isa() & GEI_ISA_AVX512) check(&gei_sgemm_avx512, &c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(equals_the_direct_convolution) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
