/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/depthwise.h"

#define BAND_FLOATS 8192 /* with the outputs it stays in the first-level cache */

static int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }

void gei_band_plan(const gei_conv *c, gei_band *b) {
    const gei_window *w = &c->window;
    int64_t s = w->stride[2], reach = (w->kernel[2] - 1) * w->dilation[2];
    int64_t read = w->out[2] + reach / s + 1 + GEI_BAND_SLACK, given = (w->in[2] + w->pad_begin[2]) / s + 1;
    b->width = (largest(read, given) + 15) / 16 * 16;
    b->row = b->width * s;
    int64_t reach_rows = (w->kernel[1] - 1) * w->dilation[1] + 1;
    int64_t fit = (BAND_FLOATS / b->row - reach_rows) / w->stride[1] + 1;
    b->out_rows = fit < 4 ? 4 : fit / 4 * 4;
    if (b->out_rows > w->out[1]) b->out_rows = w->out[1];
    b->rows = (b->out_rows - 1) * w->stride[1] + reach_rows;
}

size_t gei_depthwise_scratch_floats(const gei_conv *c) {
    const gei_window *w = &c->window;
    gei_band b;
    bool flat = w->kernel[0] == 1 && w->in[0] == 1 && w->out[0] == 1 && w->pad_begin[1] >= 0 && w->pad_begin[2] >= 0;
    if (!flat || w->stride[2] > 2 || w->out[1] < 1 || w->out[2] < 1) return 0;
    gei_band_plan(c, &b);
    return b.row > (1 << 20) || b.rows > (1 << 10) ? 0 : (size_t)(b.rows * b.row);
}
