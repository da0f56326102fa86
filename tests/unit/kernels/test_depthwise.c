/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of each instruction set this CPU has, against the direct one, over windows and sizes that leave rests. */
#include "kernels/depthwise.h"

#include <math.h>

#include "ops/op.h"
#include "unit/ge_test.h"

enum { CHANNELS = 3, MOST = 20000 };

static gei_conv conv_of(int64_t height, int64_t width, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad, int64_t multiplier) {
    gei_conv c = { .batch = 2, .groups = CHANNELS, .in_channels = 1, .out_channels = multiplier };
    int64_t in[3] = { 1, height, width };
    for (int d = 0; d < 3; d++) {
        gei_window *w = &c.window;
        w->in[d] = in[d];
        w->kernel[d] = d ? kernel : 1;
        w->stride[d] = d ? stride : 1;
        w->dilation[d] = d ? dilation : 1;
        w->pad_begin[d] = w->pad_end[d] = d ? pad : 0;
        w->out[d] = (in[d] + 2 * w->pad_begin[d] - (w->kernel[d] - 1) * w->dilation[d] - 1) / w->stride[d] + 1;
    }
    int64_t out_h = c.window.out[1], out_w = c.window.out[2];
    c.x_at[2] = c.y_at[2] = c.w_at[2] = 1;
    c.x_at[1] = width;
    c.y_at[1] = out_w;
    c.w_at[1] = kernel;
    c.x_at[0] = c.x_channel = width * height;
    c.y_at[0] = c.y_channel = out_h * out_w;
    c.w_at[0] = c.w_in = c.w_out = kernel * kernel;
    c.x_batch = CHANNELS * c.x_channel;
    c.y_batch = CHANNELS * multiplier * c.y_channel;
    return c;
}

static float x[MOST], filter[MOST], wanted[MOST], got[MOST], bias[CHANNELS * 2];

static void check(gei_depthwise_fn fn, const gei_conv *c) {
    double wide_bias[CHANNELS * 2];
    int64_t planes = c->batch * c->groups * c->out_channels, n = planes * c->y_channel;
    size_t floats = gei_depthwise_scratch_floats(c);
    assert_true(n <= MOST);
    for (int i = 0; i < CHANNELS * 2; i++) wide_bias[i] = bias[i];
    gei_conv_ref_f32(c, x, filter, wide_bias, wanted, 0, planes);
    float *scratch = floats ? aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64) : NULL;
    memset(got, 0xFF, sizeof got);
    gei_depthwise d = { .conv = c, .x = x, .filter = filter, .bias = bias, .y = got, .act = GEI_ACT_CLIP, .lo = -1.5f, .hi = 6 };
    fn(&d, 0, planes / 2, scratch);
    fn(&d, planes / 2, planes, scratch);
    for (int64_t i = 0; i < n; i++) {
        float v = fminf(fmaxf(wanted[i], -1.5f), 6);
        if (!(fabsf(got[i] - v) <= 2e-6f * (1 + fabsf(v))))
            fail_msg("%dx%d, kernel %d, stride %d: element %d is %g, wanted %g", (int)c->window.in[1], (int)c->window.in[2], (int)c->window.kernel[1],
                     (int)c->window.stride[1], (int)i, got[i], v);
    }
    free(scratch);
}

static void equals_the_direct_convolution(void **state) {
    static const int64_t sizes[] = { 1, 2, 3, 7, 8, 15, 17, 33, 50 };
    gei_depthwise_fn fns[3] = { gei_depthwise_portable };
    size_t n_fns = 1;
    (void)state;
    if (gei_isa() & GEI_ISA_AVX2) fns[n_fns++] = gei_depthwise_avx2;
    if (gei_isa() & GEI_ISA_AVX512) fns[n_fns++] = gei_depthwise_avx512;
    for (int i = 0; i < MOST; i++) x[i] = (float)((i * 37) % 101) / 50 - 1;
    for (int i = 0; i < MOST; i++) filter[i] = (float)((i * 53) % 97) / 48 - 1;
    for (int i = 0; i < CHANNELS * 2; i++) bias[i] = (float)i / 4 - 1;
    for (size_t h = 0; h < GEI_COUNT(sizes); h++)
        for (size_t w = 0; w < GEI_COUNT(sizes); w++)
            for (int64_t kernel = 1; kernel <= 7; kernel++)
                for (int64_t stride = 1; stride <= 3; stride++)
                    for (int64_t dilation = 1; dilation <= 2; dilation++) {
                        int64_t pad = kernel / 2 * dilation, reach = (kernel - 1) * dilation + 1;
                        if (sizes[h] + 2 * pad < reach || sizes[w] + 2 * pad < reach) continue;
                        gei_conv c = conv_of(sizes[h], sizes[w], kernel, stride, dilation, pad, sizes[h] < 33 ? 2 : 1);
                        for (size_t f = 0; f < n_fns; f++) check(fns[f], &c);
                    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(equals_the_direct_convolution) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
