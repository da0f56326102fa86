/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/conv_sgemm.h"

#include <string.h>

#define COLUMN_BYTES ((size_t)768 << 10) /* of one group of panels */

int64_t gei_conv_pixels(const gei_conv *c) { return c->window.out[0] * c->window.out[1] * c->window.out[2]; }

static int64_t taps(const gei_conv *c) { return c->window.kernel[0] * c->window.kernel[1] * c->window.kernel[2]; }

static bool is_dense(const int64_t *at, const int64_t *dims, int64_t channel) {
    return at[2] == 1 && (dims[1] == 1 || at[1] == dims[2]) && (dims[0] == 1 || at[0] == dims[1] * dims[2]) && channel == dims[0] * dims[1] * dims[2];
}

bool gei_conv_sgemm_fits(const gei_conv *c) {
    const gei_window *w = &c->window;
    bool filter = is_dense(c->w_at, w->kernel, c->w_in) && c->w_out == c->in_channels * taps(c);
    return filter && is_dense(c->x_at, w->in, c->x_channel) && is_dense(c->y_at, w->out, c->y_channel);
}

int64_t gei_conv_sgemm_group(const gei_sgemm_isa *isa) {
    int64_t n = (int64_t)(COLUMN_BYTES / sizeof(float)) / (GEI_CONV_K_BLOCK * isa->nr);
    return n < 1 ? 1 : n;
}

size_t gei_conv_sgemm_scratch_bytes(const gei_sgemm_isa *isa) {
    return (size_t)gei_conv_sgemm_group(isa) * (size_t)isa->nr * GEI_CONV_K_BLOCK * sizeof(float);
}

/* One tap of `count` pixels that lie in one output row from `first_x` on; row is the input row, NULL when outside. */
static void gather_row(const gei_window *w, const float *row, int64_t tap_x, int64_t first_x, int64_t count, float *to) {
    int64_t step = w->stride[2], from = first_x * step - w->pad_begin[2] + tap_x * w->dilation[2], width = w->in[2];
    if (!row) {
        memset(to, 0, (size_t)count * sizeof *to);
        return;
    }
    if (step == 1) {
        int64_t skip = from < 0 ? -from : 0, end = width - from;
        if (skip > count) skip = count;
        if (end > count) end = count;
        if (end < skip) end = skip;
        memset(to, 0, (size_t)skip * sizeof *to);
        memcpy(to + skip, row + from + skip, (size_t)(end - skip) * sizeof *to);
        memset(to + end, 0, (size_t)(count - end) * sizeof *to);
        return;
    }
    for (int64_t i = 0; i < count; i++, from += step) to[i] = from >= 0 && from < width ? row[from] : 0;
}

/* One row of columns (one input channel, one tap) for pixels [begin, end). */
static void gather_tap(const gei_window *w, const float *plane, int64_t tap, int64_t begin, int64_t end, float *to) {
    int64_t tap_x = tap % w->kernel[2], tap_y = tap / w->kernel[2] % w->kernel[1], tap_z = tap / (w->kernel[2] * w->kernel[1]);
    for (int64_t pixel = begin; pixel < end;) {
        int64_t x = pixel % w->out[2], y = pixel / w->out[2] % w->out[1], z = pixel / (w->out[2] * w->out[1]);
        int64_t count = w->out[2] - x < end - pixel ? w->out[2] - x : end - pixel;
        int64_t from_y = y * w->stride[1] - w->pad_begin[1] + tap_y * w->dilation[1];
        int64_t from_z = z * w->stride[0] - w->pad_begin[0] + tap_z * w->dilation[0];
        bool inside = from_y >= 0 && from_y < w->in[1] && from_z >= 0 && from_z < w->in[0];
        gather_row(w, inside ? plane + (from_z * w->in[1] + from_y) * w->in[2] : NULL, tap_x, x, count, to + (pixel - begin));
        pixel += count;
    }
}

static bool is_pointwise(const gei_window *w) {
    for (int d = 0; d < GEI_WINDOW_DIMS; d++)
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->pad_begin[d] != 0 || w->pad_end[d] != 0) return false;
    return true;
}

/* Rows [k_first, k_first + k_count) of the columns of one panel. */
static void gather_panel(const gei_conv *c, const float *x, int64_t nr, int64_t panel, int64_t k_first, int64_t k_count, float *to) {
    int64_t pixels = gei_conv_pixels(c), begin = panel * nr, end = begin + nr < pixels ? begin + nr : pixels, n_taps = taps(c);
    size_t rest = (size_t)(nr - (end - begin)) * sizeof *to;
    bool pointwise = is_pointwise(&c->window);
    for (int64_t k = k_first; k < k_first + k_count; k++, to += nr) {
        const float *plane = x + k / n_taps * c->x_channel;
        if (pointwise) memcpy(to, plane + begin, (size_t)(end - begin) * sizeof *to);
        else gather_tap(&c->window, plane, k % n_taps, begin, end, to);
        if (rest) memset(to + (end - begin), 0, rest);
    }
}

static void run_group(const gei_conv_sgemm *g, const gei_sgemm *product, int64_t first, int64_t last, float *scratch) {
    int64_t nr = g->isa->nr;
    int64_t k = 0;
    do {
        int64_t count = product->k - k < GEI_CONV_K_BLOCK ? product->k - k : GEI_CONV_K_BLOCK;
        for (int64_t panel = first; panel < last; panel++)
            gather_panel(g->conv, g->x, nr, panel, k, count, scratch + (panel - first) * GEI_CONV_K_BLOCK * nr);
        for (int64_t panel = first; panel < last; panel++)
            g->isa->block(product, 0, product->m, panel, scratch + (panel - first) * GEI_CONV_K_BLOCK * nr, k, count);
        k += GEI_CONV_K_BLOCK;
    } while (k < product->k);
}

void gei_conv_sgemm_run(const gei_conv_sgemm *g, int64_t panel_begin, int64_t panel_end, float *scratch) {
    const gei_conv *c = g->conv;
    int64_t group = gei_conv_sgemm_group(g->isa);
    gei_sgemm product = { .m = c->out_channels, .n = gei_conv_pixels(c), .k = c->in_channels * taps(c), .a = g->filter, .row_bias = g->bias,
                          .c = g->y, .act = g->act, .lo = g->lo, .hi = g->hi };
    product.a_row = g->packed ? 0 : product.k;
    product.c_row = product.n;
    for (int64_t first = panel_begin; first < panel_end; first += group)
        run_group(g, &product, first, panel_end - first < group ? panel_end : first + group, scratch);
}
