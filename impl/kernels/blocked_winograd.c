/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/blocked.h"

#define LANES GEI_LANES_OF_BLOCK
#define POINTS GEI_BLOCKED_POINTS
#define MOST_TILES 96           /* at once: points of a panel stay in the second-level cache */
#define POINT_FLOATS (1 << 18)  /* of all points of the inputs, which do as well */

int64_t gei_blocked_tiles(const gei_window *w) { return (w->out[1] + 1) / 2 * ((w->out[2] + 1) / 2); }

static gei_blocked_conv one_point(int64_t in_channels, int64_t out_channels, int64_t tiles) {
    gei_blocked_conv c = { .way = GEI_BLOCKED_POINT, .in_channels = in_channels, .out_channels = out_channels };
    for (int d = 0; d < GEI_WINDOW_DIMS; d++) c.window.in[d] = c.window.out[d] = c.window.kernel[d] = c.window.stride[d] = c.window.dilation[d] = 1;
    c.window.in[2] = c.window.out[2] = tiles;
    return c;
}

size_t gei_blocked_winograd_filter_floats(int64_t in_channels, int64_t out_channels) {
    gei_blocked_conv c = one_point(in_channels, out_channels, 1);
    size_t floats = gei_blocked_filter_floats(&c);
    return floats > SIZE_MAX / sizeof(float) / POINTS ? 0 : floats * POINTS;
}

/* G g G^T with rows (1, 0, 0), (1, 1, 1) / 2, (1, -1, 1) / 2, (0, 0, 1). */
static void filter_points(const float *g, float *to, size_t step) {
    float rows[4][3];
    for (int j = 0; j < 3; j++) {
        float a = g[j], b = g[3 + j], c = g[6 + j];
        rows[0][j] = a;
        rows[1][j] = (a + b + c) * 0.5f;
        rows[2][j] = (a - b + c) * 0.5f;
        rows[3][j] = c;
    }
    for (size_t i = 0; i < 4; i++) {
        float a = rows[i][0], b = rows[i][1], c = rows[i][2];
        to[(4 * i) * step] = a;
        to[(4 * i + 1) * step] = (a + b + c) * 0.5f;
        to[(4 * i + 2) * step] = (a - b + c) * 0.5f;
        to[(4 * i + 3) * step] = c;
    }
}

/* [panel][point][in channel][channel of the panel] */
void gei_blocked_winograd_pack(const gei_blocked_isa *isa, int64_t in_channels, int64_t out_channels, const float *filter, float *work, float *to) {
    size_t n = (size_t)(in_channels * out_channels);
    for (size_t k = 0; k < n; k++) filter_points(filter + 9 * k, work + k, n);
    for (int64_t panel = 0; panel < gei_blocked_panels(isa, out_channels); panel++) {
        int64_t first = gei_blocked_panel_block(isa, out_channels, panel) * LANES, last = gei_blocked_panel_block(isa, out_channels, panel + 1) * LANES;
        gei_blocked_conv c = one_point(in_channels, (last < out_channels ? last : out_channels) - first, 1);
        for (size_t p = 0; p < POINTS; p++, to += (last - first) * in_channels) gei_blocked_pack(isa, &c, work + p * n + (size_t)(first * in_channels), to);
    }
}

/* ---- running ---- */

int64_t gei_blocked_tiles_at_once(const gei_blocked_conv *c) {
    int64_t most = POINT_FLOATS / (POINTS * gei_channel_blocks(c->in_channels) * LANES);
    int64_t across = (c->window.out[2] + 1) / 2, down = (c->window.out[1] + 1) / 2;
    if (most > MOST_TILES) most = MOST_TILES;
    int64_t rows = across > 0 && most > across ? most / across : 1, runs = (down + rows - 1) / rows;
    return runs > 0 ? (down + runs - 1) / runs * across : 1; /* rows of tiles, even */
}

static size_t in_floats(const gei_blocked_conv *c, int64_t tiles) { return (size_t)(gei_channel_blocks(c->in_channels) * tiles * LANES * POINTS); }

size_t gei_blocked_winograd_scratch_floats(const gei_blocked_isa *isa, const gei_blocked_conv *c) {
    int64_t tiles = gei_blocked_tiles_at_once(c);
    return in_floats(c, tiles) + (size_t)(isa->panel_blocks * tiles * LANES * POINTS);
}

void gei_blocked_sum_window(const gei_blocked_conv *c, const float *plain_filter, int64_t block, int64_t y, int64_t x, float *out) {
    const gei_window *w = &c->window;
    int64_t from_y, begin_y, end_y, from_x, begin_x, end_x, plane = w->in[1] * w->in[2];
    gei_window_taps(w, 1, y, &from_y, &begin_y, &end_y);
    gei_window_taps(w, 2, x, &from_x, &begin_x, &end_x);
    for (int64_t lane = 0; lane < LANES; lane++) {
        int64_t channel = block * LANES + lane;
        float sum = c->bias[channel];
        for (int64_t in = 0; in < c->in_channels && channel < c->out_channels; in++)
            for (int64_t ty = begin_y; ty < end_y; ty++)
                for (int64_t tx = begin_x; tx < end_x; tx++)
                    sum += plain_filter[(channel * c->in_channels + in) * 9 + ty * 3 + tx] *
                           c->x[(in / LANES * plane + (from_y + ty) * w->in[2] + from_x + tx) * LANES + in % LANES];
        out[lane] = sum;
    }
}

/* Of whole rows of tiles. */
static void curve(const gei_blocked_conv *c, int64_t begin, int64_t end, int64_t block, int64_t blocks) {
    int64_t across = (c->window.out[2] + 1) / 2, first = begin / across * 2, last = end / across * 2;
    if (last > c->window.out[1]) last = c->window.out[1];
    for (int64_t b = block; b < block + blocks; b++) {
        float *y = c->y + (b * c->window.out[1] + first) * c->window.out[2] * LANES;
        c->curve(y, y, (last - first) * c->window.out[2] * LANES, c->curve_params);
    }
}

void gei_blocked_winograd_run(const gei_blocked_isa *isa, const gei_blocked_conv *c, const float *plain_filter, int64_t begin, int64_t end,
                              int64_t panel_begin, int64_t panel_end, float *scratch) {
    static const float no_bias[GEI_BLOCKED_MOST_PANEL * LANES];
    int64_t count = end - begin, blocks = gei_channel_blocks(c->in_channels);
    float *v = scratch, *m = scratch + in_floats(c, count);
    isa->points(c, begin, count, v);
    for (int64_t panel = panel_begin; panel < panel_end; panel++) {
        int64_t first = gei_blocked_panel_block(isa, c->out_channels, panel), width = gei_blocked_panel_block(isa, c->out_channels, panel + 1) - first;
        gei_blocked_conv point = one_point(c->in_channels, width * LANES, count);
        point.bias = no_bias;
        for (int64_t p = 0; p < POINTS; p++) {
            point.x = v + p * blocks * count * LANES;
            point.y = m + p * width * count * LANES;
            point.filter = c->filter + (first * POINTS + p * width) * LANES * c->in_channels;
            gei_blocked_run(isa, &point, 0, count, 0, 1, NULL);
        }
        isa->results(c, plain_filter, begin, count, first, width, m);
        if (c->curve) curve(c, begin, end, first, width);
    }
}
