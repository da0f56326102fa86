/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/winograd.h"

#define WHOLE_LANES 16 /* the longest vector of any instruction set */

/* One row of G g: three taps become four points. */
static void four_points(const double *taps, size_t step, double *points) {
    double a = taps[0], b = taps[step], c = taps[2 * step];
    points[0] = a;
    points[1] = (a + b + c) / 2;
    points[2] = (a - b + c) / 2;
    points[3] = c;
}

/* G g G' of one 3x3 filter. */
static void transform_filter(const float *filter, double *points) {
    double taps[9], half[3][4], column[3];
    for (int i = 0; i < 9; i++) taps[i] = (double)filter[i];
    for (int c = 0; c < 3; c++) four_points(taps + c, 3, half[c]);
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 3; c++) column[c] = half[c][r];
        four_points(column, 1, points + 4 * r);
    }
}

size_t gei_winograd_filter_floats(const gei_sgemm_isa *product, int64_t out_channels, int64_t in_channels) {
    size_t each = gei_sgemm_packed_rows_floats(product, out_channels, in_channels), all;
    return each == 0 || __builtin_mul_overflow(each, (size_t)GEI_WINOGRAD_POINTS * sizeof(float), &all) ? 0 : each * GEI_WINOGRAD_POINTS;
}

void gei_winograd_filter(const gei_sgemm_isa *product, const float *filter, int64_t out_channels, int64_t in_channels, float *work, float *u) {
    size_t each = gei_sgemm_packed_rows_floats(product, out_channels, in_channels);
    int64_t n = out_channels * in_channels;
    for (int64_t i = 0; i < n; i++) {
        double points[GEI_WINOGRAD_POINTS];
        transform_filter(filter + i * 9, points);
        for (int p = 0; p < GEI_WINOGRAD_POINTS; p++) work[p * n + i] = (float)points[p];
    }
    for (int p = 0; p < GEI_WINOGRAD_POINTS; p++)
        gei_sgemm_pack_rows(product, work + p * n, in_channels, out_channels, in_channels, u + (size_t)p * each);
}

/* The transform writes whole vectors: up to a panel's row too far. */
static size_t v_point(const gei_sgemm_isa *product, int64_t in_channels) { return (size_t)((in_channels + 1) * product->nr); }
static size_t m_point(const gei_sgemm_isa *product) { return (size_t)GEI_WINOGRAD_ROWS * (size_t)product->nr; }

size_t gei_winograd_scratch_floats(const gei_sgemm_isa *product, int64_t in_channels) {
    return GEI_WINOGRAD_POINTS * (v_point(product, in_channels) + m_point(product));
}

static float direct_pixel(const gei_winograd *g, int64_t channel, int64_t y, int64_t x) {
    const gei_conv *c = g->conv;
    const gei_window *w = &c->window;
    double sum = g->bias ? (double)g->bias[channel] : 0;
    for (int64_t in = 0; in < c->in_channels; in++)
        for (int64_t tap = 0; tap < 9; tap++) {
            int64_t from_y = y + tap / 3 - w->pad_begin[1], from_x = x + tap % 3 - w->pad_begin[2];
            if (from_y < 0 || from_y >= w->in[1] || from_x < 0 || from_x >= w->in[2]) continue;
            sum += (double)g->x[in * c->x_channel + from_y * w->in[2] + from_x] * (double)g->filter[channel * c->w_out + in * 9 + tap];
        }
    float v = (float)sum;
    return v > g->hi ? g->hi : v < g->lo ? g->lo : v;
}

static void direct_tiles(const gei_winograd *g, int64_t channel, int64_t begin, int64_t end) {
    const gei_window *w = &g->conv->window;
    int64_t across = gei_winograd_tiles_across(w);
    float *plane = g->y + channel * g->conv->y_channel;
    for (int64_t tile = begin; tile < end; tile++)
        for (int64_t p = 0; p < 4; p++) {
            int64_t y = tile / across * 2 + p / 2, x = tile % across * 2 + p % 2;
            if (y < w->out[1] && x < w->out[2]) plane[y * w->out[2] + x] = direct_pixel(g, channel, y, x);
        }
}

static void zero_lanes(float *v, int64_t rows, int64_t nr, int64_t from) {
    for (int64_t k = 0; k < rows; k++)
        for (int64_t i = from; i < nr; i++) v[k * nr + i] = 0;
}

/* M of up to GEI_WINOGRAD_ROWS output channels from row on, then their pixels. */
static void run_rows(const gei_winograd *g, int64_t row, int64_t rows, int64_t begin, int64_t end, const float *v, float *m) {
    const gei_conv *c = g->conv;
    int64_t nr = g->product->nr, lanes = (end - begin + WHOLE_LANES - 1) / WHOLE_LANES * WHOLE_LANES, n = lanes < nr ? lanes : nr;
    size_t each = gei_sgemm_packed_rows_floats(g->product, c->out_channels, c->in_channels), point = m_point(g->product);
    for (int p = 0; p < GEI_WINOGRAD_POINTS; p++) {
        gei_sgemm product = { .m = rows, .n = n, .k = c->in_channels, .a_is_packed = true, .a = g->u + (size_t)p * each + row * c->in_channels,
                              .c = m + (size_t)p * point, .c_row = nr };
        g->product->block(&product, 0, rows, 0, v + (size_t)p * v_point(g->product, c->in_channels), 0, c->in_channels);
    }
    for (int64_t r = 0; r < rows; r++) {
        int64_t channel = row + r;
        float bias = g->bias ? g->bias[channel] : 0;
        if (!g->isa->output(&c->window, m + r * nr, point, begin, end, bias, g->lo, g->hi, g->y + channel * c->y_channel))
            direct_tiles(g, channel, begin, end);
    }
}

void gei_winograd_run(const gei_winograd *g, int64_t panel, int64_t row_begin, int64_t row_end, float *scratch) {
    const gei_conv *c = g->conv;
    int64_t nr = g->product->nr, tiles = gei_winograd_tiles(&c->window), begin = panel * nr, end = begin + nr < tiles ? begin + nr : tiles;
    size_t point = v_point(g->product, c->in_channels);
    float *v = scratch, *m = scratch + GEI_WINOGRAD_POINTS * point;
    for (int64_t k = 0; k < c->in_channels; k++) g->isa->input(&c->window, g->x + k * c->x_channel, begin, end, v + k * nr, point);
    for (int p = 0; p < GEI_WINOGRAD_POINTS && end - begin < nr; p++) zero_lanes(v + (size_t)p * point, c->in_channels, nr, end - begin);
    for (int64_t row = row_begin; row < row_end; row += GEI_WINOGRAD_ROWS)
        run_rows(g, row, row_end - row < GEI_WINOGRAD_ROWS ? row_end - row : GEI_WINOGRAD_ROWS, begin, end, v, m);
}
