/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise_template: compiled once for each instruction set.  The including file defines DEPTHWISE, MULTIPLY_ADD(a, b, c), and the
 * vector macros of sgemm_template.h: VEC, VW, V_LOAD, V_STORE, V_SET1, V_FMA, V_MAX, V_MIN; V_LOAD_N(p, n), V_STORE_N(p, v, n): the
 * first n floats only; V_EVEN(a, b), V_ODD(a, b): every second float of two vectors; ROWS: output rows computed together. */
#include <stddef.h>
#include <string.h>

#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- two dimensions, through a band ---- */

ALWAYS_INLINE void dw_copy(const float *from, int64_t n, float *to) {
    for (; n >= VW; n -= VW, from += VW, to += VW) V_STORE(to, V_LOAD(from));
    if (n > 0) V_STORE_N(to, V_LOAD_N(from, n), n);
}

/* Every second float, from the first and from the second on. */
ALWAYS_INLINE void dw_split(const float *from, int64_t n, float *even, float *odd) {
    int64_t i = 0;
    for (; 2 * (i + VW) <= n; i += VW) {
        VEC a = V_LOAD(from + 2 * i), b = V_LOAD(from + 2 * i + VW);
        V_STORE(even + i, V_EVEN(a, b));
        V_STORE(odd + i, V_ODD(a, b));
    }
    for (int64_t k = 2 * i; k < n; k++) (k % 2 ? odd : even)[k / 2] = from[k];
}

ALWAYS_INLINE void dw_fill_row(const gei_window *w, const gei_band *b, const float *row, float *to) {
    int64_t pad = w->pad_begin[2];
    float *even = to + pad / 2, *odd = to + b->width + pad / 2;
    if (w->stride[2] == 1) dw_copy(row, w->in[2], to + pad);
    else if (pad % 2 == 0) dw_split(row, w->in[2], even, odd);
    else dw_split(row, w->in[2], odd, even + 1); /* the row begins at an odd place */
}

/* Copies what output rows from `first` on need of a plane; the padding left and right of rows stays as it is (zero). */
static void dw_fill(const gei_window *w, const gei_band *b, const float *plane, int64_t first, float *band) {
    int64_t from = first * w->stride[1] - w->pad_begin[1];
    for (int64_t r = 0; r < b->rows; r++) {
        int64_t y = from + r;
        if (y >= 0 && y < w->in[1]) dw_fill_row(w, b, plane + y * w->in[2], band + r * b->row);
        else memset(band + r * b->row, 0, (size_t)b->row * sizeof *band);
    }
}

typedef struct dw_tile {
    const float *band, *weights; /* first input row of the tile */
    float *out;
    int64_t out_row, n;          /* between output rows; outputs of the last vector */
    const gei_depthwise *d;
    float bias;
} dw_tile;

ALWAYS_INLINE void dw_store(const dw_tile *t, float *out, VEC v, int64_t n) {
    if (t->d->act == GEI_ACT_CLIP) v = V_MAX(V_SET1(t->d->lo), V_MIN(V_SET1(t->d->hi), v));
    if (n >= VW) V_STORE(out, v);
    else V_STORE_N(out, v, n);
}

/* rows x vecs vectors of outputs; k x k taps, stride s in both dims, no dilation.  Each input vector is loaded once for all taps of a
 * column; sums run over taps in the order of input rows, which is the order of taps of every output. */
ALWAYS_INLINE void dw_square(const dw_tile *t, const gei_band *b, int k, int s, int rows, int vecs) {
    VEC acc[ROWS][2];
    UNROLLED for (int r = 0; r < rows; r++)
        UNROLLED for (int v = 0; v < vecs; v++) acc[r][v] = V_SET1(t->bias);
    UNROLLED for (int i = 0; i < (rows - 1) * s + k; i++) {
        UNROLLED for (int tx = 0; tx < k; tx++) {
            const float *from = t->band + i * b->row + tx % s * b->width + tx / s;
            VEC x[2];
            UNROLLED for (int v = 0; v < vecs; v++) x[v] = V_LOAD(from + v * VW);
            UNROLLED for (int r = 0; r < rows; r++) {
                int ty = i - r * s;
                if (ty < 0 || ty >= k) continue;
                UNROLLED for (int v = 0; v < vecs; v++) acc[r][v] = V_FMA(V_SET1(t->weights[ty * k + tx]), x[v], acc[r][v]);
            }
        }
    }
    UNROLLED for (int r = 0; r < rows; r++)
        UNROLLED for (int v = 0; v < vecs; v++) dw_store(t, t->out + r * t->out_row + v * VW, acc[r][v], v == vecs - 1 ? t->n : VW);
}

/* One vector of any window. */
ALWAYS_INLINE void dw_any(const dw_tile *t, const gei_band *b) {
    const gei_window *w = &t->d->conv->window;
    VEC acc = V_SET1(t->bias);
    for (int64_t ty = 0; ty < w->kernel[1]; ty++) {
        const float *row = t->band + ty * w->dilation[1] * b->row;
        for (int64_t tx = 0; tx < w->kernel[2]; tx++) {
            int64_t at = tx * w->dilation[2];
            const float *from = row + (w->stride[2] == 2 ? (at & 1) * b->width + at / 2 : at);
            acc = V_FMA(V_SET1(t->weights[ty * w->kernel[2] + tx]), V_LOAD(from), acc);
        }
    }
    dw_store(t, t->out, acc, t->n);
}

typedef enum dw_kind { DW_ANY = 0, DW_3X3, DW_3X3_BY_2, DW_5X5, DW_5X5_BY_2 } dw_kind;

static dw_kind dw_kind_of(const gei_window *w) {
    int64_t k = w->kernel[1], s = w->stride[1];
    if (w->kernel[2] != k || w->stride[2] != s || w->dilation[1] != 1 || w->dilation[2] != 1 || s > 2) return DW_ANY;
    return k == 3 ? (s == 1 ? DW_3X3 : DW_3X3_BY_2) : k == 5 ? (s == 1 ? DW_5X5 : DW_5X5_BY_2) : DW_ANY;
}

/* One row of tiles, so that the inner loop of each window is code of its own. */
#define DW_ROW(name, k, s, rows)                                                                                \
    static void name(dw_tile t, const gei_band *b, int64_t width) {                                             \
        int64_t x = 0;                                                                                          \
        for (; width - x > VW; x += 2 * VW, t.band += 2 * VW, t.out += 2 * VW) {                                \
            t.n = width - x - VW;                                                                               \
            dw_square(&t, b, k, s, rows, 2);                                                                    \
        }                                                                                                       \
        t.n = width - x;                                                                                        \
        if (x < width) dw_square(&t, b, k, s, rows, 1);                                                         \
    }
DW_ROW(rows_3x3, 3, 1, ROWS)
DW_ROW(rows_3x3_by_2, 3, 2, ROWS)
DW_ROW(rows_5x5, 5, 1, ROWS)
DW_ROW(rows_5x5_by_2, 5, 2, ROWS)
DW_ROW(row_3x3, 3, 1, 1)
DW_ROW(row_3x3_by_2, 3, 2, 1)
DW_ROW(row_5x5, 5, 1, 1)
DW_ROW(row_5x5_by_2, 5, 2, 1)

static void row_any(dw_tile t, const gei_band *b, int64_t width) {
    for (int64_t x = 0; x < width; x += VW, t.band += VW, t.out += VW) {
        t.n = width - x;
        dw_any(&t, b);
    }
}

typedef void (*dw_row_fn)(dw_tile t, const gei_band *b, int64_t width);
static const dw_row_fn dw_rows[] = { NULL, rows_3x3, rows_3x3_by_2, rows_5x5, rows_5x5_by_2 };
static const dw_row_fn dw_row[] = { row_any, row_3x3, row_3x3_by_2, row_5x5, row_5x5_by_2 };

static void banded_plane(dw_tile t, const gei_band *b, const float *plane, float *out, float *band) {
    const gei_window *w = &t.d->conv->window;
    dw_kind kind = dw_kind_of(w);
    t.out_row = w->out[2];
    for (int64_t first = 0; first < w->out[1]; first += b->out_rows) {
        int64_t count = w->out[1] - first < b->out_rows ? w->out[1] - first : b->out_rows;
        dw_fill(w, b, plane, first, band);
        for (int64_t y = 0; y < count;) {
            bool many = kind != DW_ANY && count - y >= ROWS;
            t.band = band + y * w->stride[1] * b->row;
            t.out = out + (first + y) * w->out[2];
            (many ? dw_rows : dw_row)[kind](t, b, w->out[2]);
            y += many ? ROWS : 1;
        }
    }
}

/* ---- any number of dimensions, tap by tap ---- */

/* Output places whose tap lies inside the input row: [*begin, *end). */
static void inside(const gei_window *w, int64_t tap, int64_t *begin, int64_t *end) {
    int64_t from = tap * w->dilation[2] - w->pad_begin[2], step = w->stride[2];
    *begin = from < 0 ? (-from + step - 1) / step : 0;
    *end = w->in[2] - from <= 0 ? 0 : (w->in[2] - from + step - 1) / step;
    if (*end > w->out[2]) *end = w->out[2];
    if (*begin > *end) *begin = *end;
}

/* Adds one tap to an output row. */
static void add_tap(const gei_window *w, const float *restrict row, int64_t tap, float weight, float *restrict out) {
    int64_t begin, end, step = w->stride[2];
    inside(w, tap, &begin, &end);
    const float *from = row + begin * step + tap * w->dilation[2] - w->pad_begin[2];
    float *to = out + begin;
    int64_t n = end - begin;
    if (step == 1) {
        for (int64_t i = 0; i < n; i++) to[i] = MULTIPLY_ADD(weight, from[i], to[i]);
    } else if (step == 2) {
        for (int64_t i = 0; i < n; i++) to[i] = MULTIPLY_ADD(weight, from[2 * i], to[i]);
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = MULTIPLY_ADD(weight, from[i * step], to[i]);
    }
}

static void output_row(const gei_depthwise *d, const float *plane, const float *filter, float bias, int64_t z, int64_t y, float *out) {
    const gei_window *w = &d->conv->window;
    int64_t from_z, begin_z, end_z, from_y, begin_y, end_y;
    gei_window_taps(w, 0, z, &from_z, &begin_z, &end_z);
    gei_window_taps(w, 1, y, &from_y, &begin_y, &end_y);
    for (int64_t i = 0; i < w->out[2]; i++) out[i] = bias;
    for (int64_t tz = begin_z; tz < end_z; tz++) {
        for (int64_t ty = begin_y; ty < end_y; ty++) {
            const float *row = plane + ((from_z + tz * w->dilation[0]) * w->in[1] + from_y + ty * w->dilation[1]) * w->in[2];
            const float *weights = filter + (tz * w->kernel[1] + ty) * w->kernel[2];
            for (int64_t tx = 0; tx < w->kernel[2]; tx++) add_tap(w, row, tx, weights[tx], out);
        }
    }
    if (d->act != GEI_ACT_CLIP) return;
    for (int64_t i = 0; i < w->out[2]; i++) {
        float v = out[i] > d->hi ? d->hi : out[i];
        out[i] = v < d->lo ? d->lo : v;
    }
}

void DEPTHWISE(const gei_depthwise *d, int64_t begin, int64_t end, float *scratch) {
    const gei_conv *c = d->conv;
    const gei_window *w = &c->window;
    int64_t channels = c->groups * c->out_channels, taps = w->kernel[0] * w->kernel[1] * w->kernel[2];
    gei_band band = { 0 };
    if (scratch) {
        gei_band_plan(c, &band);
        memset(scratch, 0, (size_t)(band.rows * band.row) * sizeof *scratch);
    }
    for (int64_t at = begin; at < end; at++) {
        int64_t image = at / channels, channel = at % channels;
        const float *plane = d->x + image * c->x_batch + channel / c->out_channels * c->x_channel, *filter = d->filter + channel * taps;
        float *out = d->y + image * c->y_batch + channel * c->y_channel, bias = d->bias ? d->bias[channel] : 0;
        if (scratch) {
            banded_plane((dw_tile){ .weights = filter, .d = d, .bias = bias }, &band, plane, out, scratch);
            continue;
        }
        for (int64_t row = 0; row < w->out[0] * w->out[1]; row++)
            output_row(d, plane, filter, bias, row / w->out[1], row % w->out[1], out + row * w->out[2]);
    }
}
