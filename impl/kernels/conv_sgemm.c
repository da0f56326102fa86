/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/conv_sgemm.h"

#include <string.h>

#define TILED_CHANNELS 16
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

/* Pixels of a panel that lie in one output row. */
typedef struct piece {
    int64_t x, from_y, from_z, count; /* first output place; input place of tap 0 in the other dims */
} piece;

static int cut_pieces(const gei_window *w, int64_t begin, int64_t end, piece *pieces) {
    int n = 0;
    int64_t x = begin % w->out[2], y = begin / w->out[2] % w->out[1], z = begin / (w->out[2] * w->out[1]);
    for (int64_t pixel = begin; pixel < end; n++) {
        int64_t count = w->out[2] - x < end - pixel ? w->out[2] - x : end - pixel;
        pieces[n] = (piece){ x, y * w->stride[1] - w->pad_begin[1], z * w->stride[0] - w->pad_begin[0], count };
        pixel += count;
        x = 0;
        if (++y < w->out[1]) continue;
        y = 0;
        z++;
    }
    return n;
}

static void zero(float *to, int64_t n) {
    if (n > 0) memset(to, 0, (size_t)n * sizeof *to);
}

/* One tap of `count` pixels of an input row, from output place first_x on. */
static void gather_row(const gei_window *w, const float *row, int64_t shift, int64_t first_x, int64_t count, float *to) {
    int64_t step = w->stride[2], from = first_x * step + shift, room = w->in[2] - from;
    int64_t skip = from < 0 ? (-from + step - 1) / step : 0, end = room <= 0 ? 0 : (room + step - 1) / step;
    if (skip > count) skip = count;
    if (end > count) end = count;
    if (end < skip) end = skip;
    zero(to, skip);
    if (step == 1) memcpy(to + skip, row + from + skip, (size_t)(end - skip) * sizeof *to);
    else if (step == 2)
        for (int64_t i = skip; i < end; i++) to[i] = row[from + 2 * i];
    else
        for (int64_t i = skip; i < end; i++) to[i] = row[from + i * step];
    zero(to + end, count - end);
}

/* Where row k of the columns comes from. */
typedef struct column {
    int64_t channel, tap_z, tap_y, tap_x;
} column;

static column column_at(const gei_window *w, int64_t k) {
    int64_t n_taps = w->kernel[0] * w->kernel[1] * w->kernel[2], tap = k % n_taps;
    return (column){ k / n_taps, tap / (w->kernel[2] * w->kernel[1]), tap / w->kernel[2] % w->kernel[1], tap % w->kernel[2] };
}

static void next_column(const gei_window *w, column *at) {
    if (++at->tap_x < w->kernel[2]) return;
    at->tap_x = 0;
    if (++at->tap_y < w->kernel[1]) return;
    at->tap_y = 0;
    if (++at->tap_z < w->kernel[0]) return;
    at->tap_z = 0;
    at->channel++;
}

static void gather_tap(const gei_window *w, const float *plane, const column *at, const piece *pieces, int n_pieces, float *to) {
    int64_t shift = at->tap_x * w->dilation[2] - w->pad_begin[2];
    for (int i = 0; i < n_pieces; i++) {
        const piece *p = &pieces[i];
        int64_t y = p->from_y + at->tap_y * w->dilation[1], z = p->from_z + at->tap_z * w->dilation[0];
        bool inside = y >= 0 && y < w->in[1] && z >= 0 && z < w->in[0];
        if (inside) gather_row(w, plane + (z * w->in[1] + y) * w->in[2], shift, p->x, p->count, to);
        else zero(to, p->count);
        to += p->count;
    }
}

static bool is_pointwise(const gei_window *w) {
    for (int d = 0; d < GEI_WINDOW_DIMS; d++)
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->pad_begin[d] != 0 || w->pad_end[d] != 0) return false;
    return true;
}

bool gei_conv_is_pointwise(const gei_conv *c) { return is_pointwise(&c->window); }

/* Rows [k_first, k_first + k_count) of the columns of one panel. */
static void gather_panel(const gei_conv *c, const float *x, int64_t nr, int64_t panel, int64_t k_first, int64_t k_count, float *to) {
    const gei_window *w = &c->window;
    int64_t pixels = gei_conv_pixels(c), begin = panel * nr, end = begin + nr < pixels ? begin + nr : pixels, n = end - begin;
    bool pointwise = is_pointwise(w);
    piece pieces[GEI_SGEMM_MOST_COLUMNS];
    column at = column_at(w, k_first);
    int n_pieces = pointwise ? 0 : cut_pieces(w, begin, end, pieces);
    for (int64_t k = 0; k < k_count; k++, to += nr, next_column(w, &at)) {
        const float *plane = x + at.channel * c->x_channel;
        if (pointwise) memcpy(to, plane + begin, (size_t)n * sizeof *to);
        else gather_tap(w, plane, &at, pieces, n_pieces, to);
        zero(to + n, nr - n);
    }
}

/* Panels whose columns are whole rows of pixels where they lie. */
static void run_in_place(const gei_conv_sgemm *g, gei_sgemm product, int64_t row_begin, int64_t row_end, int64_t first, int64_t last) {
    product.b_row = g->conv->x_channel;
    for (int64_t panel = first; panel < last; panel++) {
        int64_t k = 0;
        do {
            int64_t count = product.k - k < GEI_CONV_K_BLOCK ? product.k - k : GEI_CONV_K_BLOCK;
            g->isa->block(&product, row_begin, row_end, panel, g->x + k * product.b_row + panel * g->isa->nr, k, count);
            k += GEI_CONV_K_BLOCK;
        } while (k < product.k);
    }
}

static void run_group(const gei_conv_sgemm *g, const gei_sgemm *product, int64_t row_begin, int64_t row_end, int64_t first, int64_t last,
                      float *scratch) {
    int64_t nr = g->isa->nr;
    int64_t k = 0;
    do {
        int64_t count = product->k - k < GEI_CONV_K_BLOCK ? product->k - k : GEI_CONV_K_BLOCK;
        for (int64_t panel = first; panel < last; panel++)
            gather_panel(g->conv, g->x, nr, panel, k, count, scratch + (panel - first) * GEI_CONV_K_BLOCK * nr);
        for (int64_t panel = first; panel < last; panel++)
            g->isa->block(product, row_begin, row_end, panel, scratch + (panel - first) * GEI_CONV_K_BLOCK * nr, k, count);
        k += GEI_CONV_K_BLOCK;
    } while (k < product->k);
}

void gei_conv_sgemm_run(const gei_conv_sgemm *g, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end, float *scratch) {
    const gei_conv *c = g->conv;
    int64_t group = gei_conv_sgemm_group(g->isa);
    gei_sgemm product = { .m = c->out_channels, .n = gei_conv_pixels(c), .k = c->in_channels * taps(c), .a = g->filter, .row_bias = g->bias,
                          .c = g->y, .act = g->act, .lo = g->lo, .hi = g->hi };
    product.a_row = product.k;
    product.a_is_packed = g->packed;
    product.c_row = product.n;
    if (gei_conv_is_pointwise(c)) {
        int64_t whole = product.n / g->isa->nr, last = panel_end < whole ? panel_end : whole;
        if (panel_begin < last) run_in_place(g, product, row_begin, row_end, panel_begin, last);
        if (panel_begin < last) panel_begin = last;
    }
    for (int64_t first = panel_begin; first < panel_end; first += group)
        run_group(g, &product, row_begin, row_end, first, panel_end - first < group ? panel_end : first + group, scratch);
}

/* ---- few pixels ---- */

static int64_t whole_tiles(const gei_conv_sgemm *g) { return (gei_conv_pixels(g->conv) + g->isa->mr - 1) / g->isa->mr * g->isa->mr; }

/* Columns of all pixels, then one panel of y^T. */
size_t gei_conv_pixels_scratch_bytes(const gei_conv_sgemm *g) {
    size_t rows = (size_t)whole_tiles(g), k = (size_t)g->conv->in_channels, floats;
    if (__builtin_mul_overflow(rows, k + (size_t)g->isa->nr, &floats)) return 0;
    return floats > SIZE_MAX / sizeof(float) ? 0 : floats * sizeof(float);
}

/* Pixels of all channels in tiles of `mr`, [tile][channel][mr], some channels at a time so that they are read once.  A constant mr
 * makes the copies moves. */
static inline __attribute__((always_inline)) void tile_pixels(const gei_conv *c, const float *x, int64_t pixels, const int64_t mr, float *to) {
    for (int64_t channel = 0; channel < c->in_channels; channel += TILED_CHANNELS) {
        int64_t end = c->in_channels - channel < TILED_CHANNELS ? c->in_channels : channel + TILED_CHANNELS;
        for (int64_t first = 0; first < pixels; first += mr) {
            int64_t n = pixels - first < mr ? pixels - first : mr;
            float *out = to + first * c->in_channels + channel * mr;
            for (int64_t k = channel; k < end; k++, out += mr) {
                const float *from = x + k * c->x_channel + first;
                if (n == mr) memcpy(out, from, (size_t)mr * sizeof *out);
                else for (int64_t r = 0; r < mr; r++) out[r] = r < n ? from[r] : 0;
            }
        }
    }
}

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

static void store_transposed(const float *from, int64_t from_row, int64_t rows, int64_t columns, float *to, int64_t to_row) {
    int64_t j = 0;
    for (; j + 4 <= columns; j += 4) {
        int64_t i = 0;
        for (; i + 4 <= rows; i += 4) transpose_4x4(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
        for (; i < rows; i++)
            for (int64_t q = j; q < j + 4; q++) to[q * to_row + i] = from[i * from_row + q];
    }
    for (; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) to[j * to_row + i] = from[i * from_row + j];
}

void gei_conv_pixels_run(const gei_conv_sgemm *g, int64_t panel_begin, int64_t panel_end, float *scratch) {
    const gei_conv *c = g->conv;
    int64_t pixels = gei_conv_pixels(c), nr = g->isa->nr, k = c->in_channels;
    float *columns = scratch, *out = columns + whole_tiles(g) * k;
    if (g->isa->mr == 6) tile_pixels(c, g->x, pixels, 6, columns);
    else tile_pixels(c, g->x, pixels, g->isa->mr, columns);
    for (int64_t panel = panel_begin; panel < panel_end; panel++) {
        int64_t first = panel * nr, n = c->out_channels - first < nr ? c->out_channels - first : nr;
        gei_sgemm product = { .m = pixels, .n = n, .k = k, .a = columns, .a_is_packed = true, .b = g->filter + panel * nr * k, .c = out, .c_row = nr,
                              .bias = g->bias ? g->bias + first : NULL, .act = g->act, .lo = g->lo, .hi = g->hi };
        g->isa->run(&product, 0, pixels, 0, 1);
        store_transposed(out, nr, pixels, n, g->y + first * c->y_channel, c->y_channel);
    }
}
