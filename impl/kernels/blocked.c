/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/blocked.h"

#include <string.h>

#define LANES GEI_LANES_OF_BLOCK
#define FEW_VALUES 96           /* of input summed before the next tile, where weights are read from afar: a run of them stays in the first-level cache */
#define MANY_VALUES 512        /* the same where all weights stay in the second-level cache */
#define NEAR_WEIGHTS 200000    /* floats that do */
#define INPUT_FLOATS (1 << 18) /* of the pixels that pass over all panels together */
#define PACKED_AT_ONCE 64      /* values of a filter */
#define MOST_PIXELS 528        /* of them, so that what is summed so far stays there too */
#define PIXEL_UNIT 24          /* whole tiles of every width */
#define BAND_ROWS 8            /* output rows served by one copy of a plain input */

static int64_t taps_of(const gei_blocked_conv *c) { return c->window.kernel[1] * c->window.kernel[2]; }
static int64_t pixels_of(const gei_blocked_conv *c) { return c->window.out[1] * c->window.out[2]; }

/* ---- panels and weights ---- */

int64_t gei_blocked_panels(const gei_blocked_isa *isa, int64_t out_channels) {
    return (gei_channel_blocks(out_channels) + isa->panel_blocks - 1) / isa->panel_blocks;
}

int64_t gei_blocked_panel_block(const gei_blocked_isa *isa, int64_t out_channels, int64_t panel) {
    return gei_channel_blocks(out_channels) * panel / gei_blocked_panels(isa, out_channels);
}

static int64_t steps_of(const gei_blocked_conv *c) {
    if (c->way == GEI_BLOCKED_PLAIN) return c->in_channels * c->window.kernel[1];
    return taps_of(c) * gei_channel_blocks(c->in_channels);
}

/* Input values before a step. */
static int64_t values_before(const gei_blocked_conv *c, int64_t step) {
    if (c->way == GEI_BLOCKED_PLAIN) return step * c->window.kernel[2];
    int64_t blocks = gei_channel_blocks(c->in_channels);
    return step / blocks * c->in_channels + step % blocks * LANES;
}

size_t gei_blocked_filter_floats(const gei_blocked_conv *c) {
    size_t blocks = (size_t)gei_channel_blocks(c->out_channels), floats;
    size_t ins = c->way == GEI_BLOCKED_DEPTHWISE ? 1 : (size_t)c->in_channels;
    bool too_many = __builtin_mul_overflow(blocks * LANES, ins, &floats) || __builtin_mul_overflow(floats, (size_t)taps_of(c), &floats);
    return too_many || floats > SIZE_MAX / sizeof(float) ? 0 : floats;
}

/* Where value k of one output channel's filter goes among the rows of its panel. */
static int64_t row_of(const gei_blocked_conv *c, int64_t k, int64_t taps) {
    return c->way == GEI_BLOCKED_TAPS || c->way == GEI_BLOCKED_POINT ? k % taps * c->in_channels + k / taps : k;
}

/* Some values of all channels at a time, so that the rows they go to stay in the cache. */
static void pack_panel(const gei_blocked_conv *c, const float *filter, int64_t n, int64_t first, int64_t width, float *to) {
    int64_t taps = taps_of(c), count = c->out_channels - first < width ? c->out_channels - first : width;
    int64_t rows[PACKED_AT_ONCE];
    memset(to, 0, (size_t)(count < width ? n * width : 0) * sizeof *to);
    for (int64_t k = 0; k < n; k += PACKED_AT_ONCE) {
        int64_t some = n - k < PACKED_AT_ONCE ? n - k : PACKED_AT_ONCE;
        for (int64_t i = 0; i < some; i++) rows[i] = row_of(c, k + i, taps) * width;
        for (int64_t out = 0; out < count; out++)
            for (int64_t i = 0; i < some; i++) to[rows[i] + out] = filter[(first + out) * n + k + i];
    }
}

void gei_blocked_pack(const gei_blocked_isa *isa, const gei_blocked_conv *c, const float *filter, float *to) {
    bool depthwise = c->way == GEI_BLOCKED_DEPTHWISE;
    int64_t n = depthwise ? taps_of(c) : c->in_channels * taps_of(c);
    int64_t panels = depthwise ? gei_channel_blocks(c->out_channels) : gei_blocked_panels(isa, c->out_channels);
    for (int64_t panel = 0; panel < panels; panel++) {
        int64_t first = (depthwise ? panel : gei_blocked_panel_block(isa, c->out_channels, panel)) * LANES;
        int64_t last = (depthwise ? panel + 1 : gei_blocked_panel_block(isa, c->out_channels, panel + 1)) * LANES;
        pack_panel(c, filter, n, first, last - first, to);
        to += n * (last - first);
    }
}

/* ---- the copy of a plain input ---- */

typedef struct band {
    int64_t row, rows, plane;
} band;

static band band_of(const gei_blocked_conv *c) {
    const gei_window *w = &c->window;
    band b = { .row = (w->out[2] - 1) * w->stride[2] + (w->kernel[2] - 1) * w->dilation[2] + 1,
               .rows = (BAND_ROWS - 1) * w->stride[1] + (w->kernel[1] - 1) * w->dilation[1] + 1 };
    b.plane = b.row * b.rows;
    return b;
}

static void copy_row(const gei_window *w, const float *from, float *to, int64_t n) {
    int64_t left = w->pad_begin[2] < n ? w->pad_begin[2] : n, inside = n - left < w->in[2] ? n - left : w->in[2];
    memset(to, 0, (size_t)left * sizeof *to);
    memcpy(to + left, from, (size_t)inside * sizeof *to);
    memset(to + left + inside, 0, (size_t)(n - left - inside) * sizeof *to);
}

static void fill_band(const gei_blocked_conv *c, const band *b, int64_t first, float *to) {
    const gei_window *w = &c->window;
    for (int64_t channel = 0; channel < c->in_channels; channel++) {
        const float *plane = c->x + channel * w->in[1] * w->in[2];
        for (int64_t y = first; y < first + b->rows; y++, to += b->row) {
            if (y >= 0 && y < w->in[1]) copy_row(w, plane + y * w->in[2], to, b->row);
            else memset(to, 0, (size_t)b->row * sizeof *to);
        }
    }
}

/* ---- running ---- */

/* What pixels read stays in the second-level cache, and what is summed of them so far. */
int64_t gei_blocked_pixels_at_once(const gei_blocked_conv *c) {
    const gei_window *w = &c->window;
    int64_t down = w->stride[1] < w->kernel[1] ? w->stride[1] : w->kernel[1], right = w->stride[2] < w->kernel[2] ? w->stride[2] : w->kernel[2];
    int64_t each = c->in_channels * down * right, n = INPUT_FLOATS / (each > 0 ? each : 1);
    if (c->way == GEI_BLOCKED_PLAIN) return BAND_ROWS * w->out[2];
    if (n > MOST_PIXELS) n = MOST_PIXELS;
    return n < PIXEL_UNIT ? PIXEL_UNIT : n / PIXEL_UNIT * PIXEL_UNIT;
}

size_t gei_blocked_scratch_floats(const gei_blocked_conv *c) {
    return c->way == GEI_BLOCKED_PLAIN && pixels_of(c) > 0 ? (size_t)(c->in_channels * band_of(c).plane) : 0;
}

static void curve(const gei_blocked_conv *c, int64_t block, int64_t blocks, int64_t begin, int64_t end) {
    for (int64_t b = block; b < block + blocks; b++) {
        float *y = c->y + (b * pixels_of(c) + begin) * LANES;
        c->curve(y, y, (end - begin) * LANES, c->curve_params);
    }
}

/* Asks for a share of the weights that come after these `floats`: the next run of steps, or the next panel. */
static void ask_for_next(const float *w, int64_t floats, int64_t share, int64_t shares) {
    int64_t begin = floats * share / shares, end = floats * (share + 1) / shares;
    for (int64_t k = begin; k < end; k += LANES) __builtin_prefetch(w + floats + k, 0, 2);
}

static void run_panel(const gei_blocked_isa *isa, gei_blocked_tile t, int blocks, int64_t begin, int64_t end) {
    const gei_blocked_conv *c = t.conv;
    const float *filter = t.w;
    int64_t steps = steps_of(c), each = c->way == GEI_BLOCKED_PLAIN ? c->window.kernel[2] : LANES;
    int64_t weights = values_before(c, steps) * c->out_channels, values = weights > NEAR_WEIGHTS ? FEW_VALUES : MANY_VALUES;
    int64_t at_once = values / each > 0 ? values / each : 1;
    int rows = isa->rows[c->way != GEI_BLOCKED_POINT][blocks - 1];
    for (t.step_begin = 0; t.step_begin < steps; t.step_begin = t.step_end) {
        t.step_end = steps - t.step_begin < at_once ? steps : t.step_begin + at_once;
        t.first = t.step_begin == 0;
        t.last = t.step_end == steps;
        t.w = filter + values_before(c, t.step_begin) * blocks * LANES;
        int64_t floats = (values_before(c, t.step_end) - values_before(c, t.step_begin)) * blocks * LANES, n_tiles = (end - begin + rows - 1) / rows, n = 0;
        for (t.pixel = begin; t.pixel < end; t.pixel += rows) {
            ask_for_next(t.w, floats, n++, n_tiles);
            isa->tile(&t, end - t.pixel < rows ? (int)(end - t.pixel) : rows, blocks);
        }
    }
    if (c->curve) curve(c, t.block, blocks, begin, end);
}

void gei_blocked_run(const gei_blocked_isa *isa, const gei_blocked_conv *c, int64_t pixel_begin, int64_t pixel_end, int64_t panel_begin,
                     int64_t panel_end, float *scratch) {
    int64_t at_once = gei_blocked_pixels_at_once(c), values = c->in_channels * taps_of(c);
    gei_blocked_tile t = { .conv = c, .band = scratch };
    for (int64_t begin = pixel_begin, end; begin < pixel_end; begin = end) {
        end = (begin / at_once + 1) * at_once < pixel_end ? (begin / at_once + 1) * at_once : pixel_end;
        if (c->way == GEI_BLOCKED_PLAIN) {
            band b = band_of(c);
            t.band_first = begin / c->window.out[2] * c->window.stride[1] - c->window.pad_begin[1];
            t.band_row = b.row;
            t.band_plane = b.plane;
            fill_band(c, &b, t.band_first, scratch);
        }
        for (int64_t panel = panel_begin; panel < panel_end; panel++) {
            t.block = gei_blocked_panel_block(isa, c->out_channels, panel);
            t.w = c->filter + t.block * LANES * values;
            t.bias = c->bias + t.block * LANES;
            run_panel(isa, t, (int)(gei_blocked_panel_block(isa, c->out_channels, panel + 1) - t.block), begin, end);
        }
    }
}

/* ---- between the layouts ---- */

typedef float vec4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline void transpose_4x4(const float *from, int64_t from_row, float *to, int64_t to_row) {
    vec4 a = *(const vec4 *)(const void *)from, b = *(const vec4 *)(const void *)(from + from_row);
    vec4 c = *(const vec4 *)(const void *)(from + 2 * from_row), d = *(const vec4 *)(const void *)(from + 3 * from_row);
    vec4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    vec4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(vec4 *)(void *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(vec4 *)(void *)(to + to_row) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(vec4 *)(void *)(to + 2 * to_row) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
    *(vec4 *)(void *)(to + 3 * to_row) = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}

void gei_to_blocks(const float *x, int64_t channels, int64_t pixels, float *y, int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; block++) {
        int64_t n = channels - block * LANES < LANES ? channels - block * LANES : LANES, whole = pixels / 4 * 4;
        const float *from = x + block * LANES * pixels;
        float *to = y + block * LANES * pixels;
        for (int64_t p = 0; p < whole; p += 4) {
            int64_t c = 0;
            for (; c + 4 <= n; c += 4) transpose_4x4(from + c * pixels + p, pixels, to + p * LANES + c, LANES);
            for (; c < LANES; c++)
                for (int64_t i = p; i < p + 4; i++) to[i * LANES + c] = c < n ? from[c * pixels + i] : 0;
        }
        for (int64_t p = whole; p < pixels; p++)
            for (int64_t c = 0; c < LANES; c++) to[p * LANES + c] = c < n ? from[c * pixels + p] : 0;
    }
}

void gei_from_blocks(const float *x, int64_t channels, int64_t pixels, float *y, int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; block++) {
        int64_t n = channels - block * LANES < LANES ? channels - block * LANES : LANES, whole = pixels / 4 * 4;
        const float *from = x + block * LANES * pixels;
        float *to = y + block * LANES * pixels;
        for (int64_t p = 0; p < whole; p += 4) {
            int64_t c = 0;
            for (; c + 4 <= n; c += 4) transpose_4x4(from + p * LANES + c, LANES, to + c * pixels + p, pixels);
            for (; c < n; c++)
                for (int64_t i = p; i < p + 4; i++) to[c * pixels + i] = from[i * LANES + c];
        }
        for (int64_t p = whole; p < pixels; p++)
            for (int64_t c = 0; c < n; c++) to[c * pixels + p] = from[p * LANES + c];
    }
}
