/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and poolings over blocks of 16 channels, of each instruction set this CPU has, against the direct ones.
 * Tolerance: float sums of n products of numbers up to 1 in another order. */
#include "kernels/blocked.h"

#include <math.h>

#include "kernels/conv.h"
#include "kernels/pool.h"
#include "ops/op.h"
#include "unit/ge_test.h"

enum { GUARD = 16 };

typedef struct shape {
    gei_blocked_way way;
    int64_t in, out, height, width, kernel, stride, dilation, pad;
} shape;

static float *floats(int64_t n, int64_t seed) {
    float *p = aligned_alloc(64, ((size_t)(n + GUARD) * sizeof(float) + 63) / 64 * 64);
    assert_non_null(p);
    for (int64_t i = 0; i < n + GUARD; i++) p[i] = (float)((i * 37 + seed * 11) % 101) / 50 - 1;
    return p;
}

static int64_t out_size(const shape *s, int64_t in) { return (in + 2 * s->pad - (s->kernel - 1) * s->dilation - 1) / s->stride + 1; }

static gei_conv plain_of(const shape *s) {
    bool depthwise = s->way == GEI_BLOCKED_DEPTHWISE;
    gei_conv c = { .batch = 1, .groups = depthwise ? s->out : 1, .in_channels = depthwise ? 1 : s->in, .out_channels = depthwise ? 1 : s->out };
    const int64_t in[3] = { 1, s->height, s->width };
    for (int d = 0; d < 3; d++) {
        c.window.in[d] = in[d];
        c.window.out[d] = d ? out_size(s, in[d]) : 1;
        c.window.kernel[d] = d ? s->kernel : 1;
        c.window.stride[d] = d ? s->stride : 1;
        c.window.dilation[d] = d ? s->dilation : 1;
        c.window.pad_begin[d] = c.window.pad_end[d] = d ? s->pad : 0;
    }
    c.x_at[2] = c.y_at[2] = c.w_at[2] = 1;
    c.x_at[1] = s->width;
    c.y_at[1] = c.window.out[2];
    c.w_at[1] = s->kernel;
    c.x_channel = s->height * s->width;
    c.y_channel = c.window.out[1] * c.window.out[2];
    c.w_in = s->kernel * s->kernel;
    c.w_out = c.in_channels * c.w_in;
    return c;
}

static void run_all(const gei_blocked_isa *isa, const gei_blocked_conv *c, float *scratch) {
    int64_t rows = gei_channel_blocks(c->out_channels) * c->window.out[1], pixels = c->window.out[1] * c->window.out[2];
    int64_t panels = gei_blocked_panels(isa, c->out_channels), cut = pixels > 5 ? 5 : pixels;
    if (c->way == GEI_BLOCKED_DEPTHWISE) {
        isa->depthwise(c, 0, 1);
        isa->depthwise(c, 1, rows);
        return;
    }
    gei_blocked_run(isa, c, 0, cut, 0, 1, scratch);
    gei_blocked_run(isa, c, cut, pixels, 0, 1, scratch);
    gei_blocked_run(isa, c, 0, pixels, 1, panels, scratch);
}

/* residual: also in place, y holding it before. */
static void check(const gei_blocked_isa *isa, const shape *s, bool residual) {
    gei_conv plain = plain_of(s);
    int64_t in_blocks = gei_channel_blocks(s->in), blocks = gei_channel_blocks(s->out), pixels = plain.y_channel, n = plain.w_out;
    float *x = floats(s->in * plain.x_channel, 1), *x_blocks = floats(in_blocks * 16 * plain.x_channel, 2), *filter = floats(s->out * n, 3);
    float *bias = floats(blocks * 16, 4), *wanted = floats(s->out * pixels, 5), *got = floats(blocks * 16 * pixels, 6), *before = floats(blocks * 16 * pixels, 6);
    double *wide_bias = calloc((size_t)s->out, sizeof *wide_bias);
    gei_blocked_conv c = { .window = plain.window, .way = s->way, .in_channels = s->in, .out_channels = s->out, .bias = bias, .y = got,
                           .residual = residual ? got : NULL, .act = GEI_ACT_CLIP, .lo = -1.5f, .hi = 1.5f };
    float *packed = floats((int64_t)gei_blocked_filter_floats(&c), 7), *scratch = floats((int64_t)gei_blocked_scratch_floats(&c), 8);
    assert_non_null(wide_bias);
    for (int64_t k = 0; k < s->out; k++) wide_bias[k] = bias[k];
    gei_conv_ref_f32(&plain, x, filter, wide_bias, wanted, 0, s->out);
    gei_to_blocks(x, s->in, plain.x_channel, x_blocks, 0, in_blocks);
    for (int64_t k = s->in; k < in_blocks * 16; k++) /* lanes nobody may read, but where they stay in their lane */
        for (int64_t p = 0; p < plain.x_channel && s->way != GEI_BLOCKED_DEPTHWISE; p++) x_blocks[(k / 16 * plain.x_channel + p) * 16 + k % 16] = NAN;
    gei_blocked_pack(isa, &c, filter, packed);
    c.x = s->way == GEI_BLOCKED_PLAIN ? x : x_blocks;
    c.filter = packed;
    run_all(isa, &c, scratch);
    for (int64_t k = 0; k < s->out; k++) {
        for (int64_t p = 0; p < pixels; p++) {
            int64_t at = (k / 16 * pixels + p) * 16 + k % 16;
            float v = wanted[k * pixels + p] + (residual ? before[at] : 0);
            v = v > 1.5f ? 1.5f : v < -1.5f ? -1.5f : v;
            if (!(fabsf(got[at] - v) <= (float)(n + 2) * 0x1p-24f * (float)(n + 2)))
                fail_msg("%s, way %d, %d to %d channels, %dx%d by %d: channel %d pixel %d is %g, wanted %g", isa->name, (int)s->way, (int)s->in,
                         (int)s->out, (int)s->kernel, (int)s->kernel, (int)s->stride, (int)k, (int)p, (double)got[at], (double)v);
        }
    }
    for (int64_t i = blocks * 16 * pixels; i < blocks * 16 * pixels + GUARD; i++) assert_true(got[i] == before[i]);
    float *all[] = { x, x_blocks, filter, bias, wanted, got, before, packed, scratch };
    for (size_t i = 0; i < GEI_COUNT(all); i++) free(all[i]);
    free(wide_bias);
}

static void check_isas(const shape *s, bool residual) {
    check(&gei_blocked_portable, s, residual);
    if (gei_isa() & GEI_ISA_AVX2) check(&gei_blocked_avx2, s, residual);
    if (gei_isa() & GEI_ISA_AVX512) check(&gei_blocked_avx512, s, residual);
}

static void products(void **state) {
    static const int64_t outs[] = { 1, 16, 17, 33, 64, 65, 90, 144, 161 };
    (void)state;
    for (int64_t pixels = 1; pixels <= 27; pixels++) /* every height of the last tile */
        for (size_t k = 0; k < GEI_COUNT(outs); k++) check_isas(&(shape){ GEI_BLOCKED_POINT, 21, outs[k], 1, pixels, 1, 1, 1, 0 }, false);
    check_isas(&(shape){ GEI_BLOCKED_POINT, 600, 70, 5, 5, 1, 1, 1, 0 }, true); /* steps in several runs */
    check_isas(&(shape){ GEI_BLOCKED_POINT, 8, 20, 29, 31, 1, 1, 1, 0 }, true);
}

static void windows(void **state) {
    static const int64_t kernels[] = { 1, 2, 3, 5 };
    (void)state;
    for (size_t k = 0; k < GEI_COUNT(kernels); k++)
        for (int64_t stride = 1; stride <= 3; stride++)
            for (int64_t pad = 0; pad <= kernels[k] / 2; pad++)
                for (int64_t dilation = 1; dilation <= 2; dilation++) {
                    check_isas(&(shape){ GEI_BLOCKED_TAPS, 19, 50, 9, 11, kernels[k], stride, dilation, pad }, stride == 2);
                    check_isas(&(shape){ GEI_BLOCKED_DEPTHWISE, 35, 35, 9, 11, kernels[k], stride, dilation, pad }, stride == 2);
                    if (dilation == 1) check_isas(&(shape){ GEI_BLOCKED_PLAIN, 3, 50, 19, 11, kernels[k], stride, dilation, pad }, false);
                }
    check_isas(&(shape){ GEI_BLOCKED_TAPS, 100, 130, 7, 7, 3, 1, 1, 1 }, true);
}

static void check_winograd(const gei_blocked_isa *isa, const shape *s, bool residual, float odd) {
    gei_conv plain = plain_of(s);
    int64_t in_blocks = gei_channel_blocks(s->in), blocks = gei_channel_blocks(s->out), pixels = plain.y_channel, n = plain.w_out;
    float *x = floats(s->in * plain.x_channel, 1), *x_blocks = floats(in_blocks * 16 * plain.x_channel, 2), *filter = floats(s->out * n, 3);
    float *bias = floats(blocks * 16, 4), *wanted = floats(s->out * pixels, 5), *got = floats(blocks * 16 * pixels, 6), *before = floats(blocks * 16 * pixels, 6);
    double *wide_bias = calloc((size_t)s->out, sizeof *wide_bias);
    gei_blocked_conv c = { .window = plain.window, .way = s->way, .in_channels = s->in, .out_channels = s->out, .x = x_blocks, .bias = bias, .y = got,
                           .residual = residual ? got : NULL };
    float *packed = floats((int64_t)gei_blocked_winograd_filter_floats(s->in, s->out), 7), *work = floats(s->in * s->out * 16, 8);
    float *scratch = floats((int64_t)gei_blocked_winograd_scratch_floats(isa, &c), 8);
    assert_non_null(wide_bias);
    for (int64_t k = 0; k < s->out; k++) wide_bias[k] = bias[k];
    x[plain.x_channel / 2] = odd;
    gei_conv_ref_f32(&plain, x, filter, wide_bias, wanted, 0, s->out);
    gei_to_blocks(x, s->in, plain.x_channel, x_blocks, 0, in_blocks);
    gei_blocked_winograd_pack(isa, s->in, s->out, filter, work, packed);
    c.filter = packed;
    int64_t tiles = gei_blocked_tiles(&c.window), at_once = gei_blocked_tiles_at_once(&c), panels = gei_blocked_panels(isa, s->out);
    for (int64_t t = 0; t < tiles; t += at_once) {
        int64_t end = tiles - t < at_once ? tiles : t + at_once;
        gei_blocked_winograd_run(isa, &c, filter, t, end, 0, 1, scratch);
        gei_blocked_winograd_run(isa, &c, filter, t, end, 1, panels, scratch);
    }
    for (int64_t k = 0; k < s->out; k++) {
        for (int64_t p = 0; p < pixels; p++) {
            int64_t at = (k / 16 * pixels + p) * 16 + k % 16;
            float v = wanted[k * pixels + p] + (residual ? before[at] : 0);
            bool same = isnan(v) ? isnan(got[at]) : isinf(v) ? got[at] == v : fabsf(got[at] - v) <= (float)n * 0x1p-22f * fmaxf(1, fabsf(odd));
            if (!same) fail_msg("%s, %d to %d channels, odd %g: channel %d pixel %d is %g, wanted %g", isa->name, (int)s->in, (int)s->out, (double)odd, (int)k,
                                (int)p, (double)got[at], (double)v);
        }
    }
    float *all[] = { x, x_blocks, filter, bias, wanted, got, before, packed, work, scratch };
    for (size_t i = 0; i < GEI_COUNT(all); i++) free(all[i]);
    free(wide_bias);
}

static void three_by_three_by_points(void **state) {
    static const shape shapes[] = { { .in = 19, .out = 50, .height = 9, .width = 11, .pad = 1 }, { .in = 16, .out = 16, .height = 4, .width = 5, .pad = 0 },
                                    { .in = 100, .out = 33, .height = 14, .width = 14, .pad = 1 }, { .in = 3, .out = 80, .height = 21, .width = 57, .pad = 2 } };
    static const float odds[] = { 0.5f, NAN, INFINITY, -INFINITY, 3e38f };
    (void)state;
    for (size_t i = 0; i < GEI_COUNT(shapes); i++)
        for (size_t k = 0; k < GEI_COUNT(odds); k++) {
            shape s = shapes[i];
            s.way = GEI_BLOCKED_TAPS;
            s.kernel = 3;
            s.stride = s.dilation = 1;
            check_winograd(&gei_blocked_portable, &s, k % 2, odds[k]);
            if (gei_isa() & GEI_ISA_AVX2) check_winograd(&gei_blocked_avx2, &s, k % 2, odds[k]);
            if (gei_isa() & GEI_ISA_AVX512) check_winograd(&gei_blocked_avx512, &s, k % 2, odds[k]);
        }
}

static void depthwise_rows_of_every_width(void **state) {
    (void)state;
    for (int64_t width = 1; width <= 37; width++)
        for (int64_t kernel = 3; kernel <= 5; kernel += 2)
            for (int64_t stride = 1; stride <= 2; stride++)
                check_isas(&(shape){ GEI_BLOCKED_DEPTHWISE, 16, 16, 6, width, kernel, stride, 1, kernel / 2 }, false);
}

static void pool(const gei_blocked_isa *isa, const shape *s, bool mean, bool count_pads) {
    gei_window w = plain_of(s).window;
    int64_t in = s->height * s->width, out = w.out[1] * w.out[2];
    float *x = floats(2 * 16 * in, 1), *got = floats(2 * 16 * out, 2), *wanted = floats(2 * 16 * out, 3);
    gei_pool plain = { .window = w, .batch = 2, .channels = 16, .x_channel = 1, .y_channel = 1, .x_batch = in * 16, .y_batch = out * 16, .count_pads = count_pads };
    plain.x_at[2] = plain.y_at[2] = 16;
    plain.x_at[1] = s->width * 16;
    plain.y_at[1] = w.out[2] * 16;
    x[5] = NAN;
    x[16 * in + 7] = INFINITY;
    gei_blocked_pool p = { .window = w, .mean = mean, .count_pads = count_pads, .x = x, .y = got };
    isa->pool(&p, 0, 1);
    isa->pool(&p, 1, 2 * w.out[1]);
    if (mean) gei_pool_mean_f32(&plain, x, wanted, 0, 32);
    else gei_pool_max_f32(&plain, x, wanted, NULL, 0, 32);
    for (int64_t i = 0; i < 32 * out; i++) {
        bool same = isnan(wanted[i]) ? isnan(got[i]) : isinf(wanted[i]) ? got[i] == wanted[i] : fabsf(got[i] - wanted[i]) <= 64 * 0x1p-24f;
        if (!same) fail_msg("%s, %s: element %d is %g, wanted %g", isa->name, mean ? "mean" : "largest", (int)i, (double)got[i], (double)wanted[i]);
    }
    free(x);
    free(got);
    free(wanted);
}

static void poolings(void **state) {
    static const shape shapes[] = { { .height = 9, .width = 11, .kernel = 3, .stride = 2, .dilation = 1, .pad = 1 },
                                    { .height = 5, .width = 4, .kernel = 2, .stride = 1, .dilation = 2, .pad = 0 },
                                    { .height = 8, .width = 8, .kernel = 8, .stride = 1, .dilation = 1, .pad = 0 } };
    (void)state;
    for (size_t i = 0; i < GEI_COUNT(shapes); i++)
        for (int how = 0; how < 3; how++) {
            pool(&gei_blocked_portable, &shapes[i], how > 0, how > 1);
            if (gei_isa() & GEI_ISA_AVX2) pool(&gei_blocked_avx2, &shapes[i], how > 0, how > 1);
            if (gei_isa() & GEI_ISA_AVX512) pool(&gei_blocked_avx512, &shapes[i], how > 0, how > 1);
        }
}

static void there_and_back(void **state) {
    (void)state;
    for (int64_t channels = 1; channels <= 35; channels += 2)
        for (int64_t pixels = 1; pixels <= 9; pixels++) {
            int64_t blocks = gei_channel_blocks(channels);
            float *x = floats(channels * pixels, 1), *y = floats(blocks * 16 * pixels, 2), *back = floats(channels * pixels, 3);
            gei_to_blocks(x, channels, pixels, y, 0, blocks);
            gei_from_blocks(y, channels, pixels, back, 0, blocks);
            assert_memory_equal(x, back, (size_t)(channels * pixels) * sizeof *x);
            for (int64_t c = 0; c < blocks * 16; c++)
                for (int64_t p = 0; p < pixels; p++) assert_true(y[(c / 16 * pixels + p) * 16 + c % 16] == (c < channels ? x[c * pixels + p] : 0));
            free(x);
            free(y);
            free(back);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(products), cmocka_unit_test(windows), cmocka_unit_test(three_by_three_by_points), cmocka_unit_test(depthwise_rows_of_every_width),
                                        cmocka_unit_test(poolings), cmocka_unit_test(there_and_back) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
