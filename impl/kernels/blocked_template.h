/* SPDX-License-Identifier: Apache-2.0 */
/* blocked_template: the loops of blocked.h for one instruction set.  The file that includes it defines
 *   VEC, VW (floats of one, dividing 16), V_ZERO, V_LOAD, V_STORE, V_SET1, V_FMA(a, b, c), V_ADD, V_MUL,
 *   V_SUB, V_MAX(bound, x), V_MIN(bound, x) (x when it is NaN), V_LARGER(a, b) (NaN wins), V_IS_ZERO(v) (all lanes; NaN is not),
 *   PANEL (blocks of the widest panel), ROWS_1 .. ROWS_<PANEL> (pixels of a tile that wide: at most 12), TAP_ROWS (most of them where
 *   pixels are no neighbours), DEPTH (pixels of a depthwise tile: 4 or 8), BLOCKED (the table). */
#include <string.h>

#define LANES GEI_LANES_OF_BLOCK
#define PER (LANES / VW) /* vectors of a block */
#define PREFETCH 8       /* rows of weights ahead */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_4 _Pragma("clang loop unroll_count(4)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#define UNROLL_4 _Pragma("GCC unroll 4")
#endif
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static const float zeros[LANES];

/* ---- dense ---- */

/* n values of each pixel times n rows of weights; pixel r is at x[r], or at x[0] + r * LANES. */
ALWAYS_INLINE const float *multiply(VEC (*acc)[PANEL * PER], const float *const *x, const float *w, int64_t n, int rows, int vecs, bool neighbours) {
    UNROLL_4 for (int64_t k = 0; k < n; k++, w += vecs * VW) {
        VEC right[PANEL * PER];
        UNROLL for (int j = 0; j < vecs; j++) right[j] = V_LOAD(w + j * VW);
        UNROLL for (int j = 0; j < vecs * VW; j += 16) __builtin_prefetch(w + PREFETCH * vecs * VW + j);
        UNROLL for (int r = 0; r < rows; r++) {
            VEC left = V_SET1(neighbours ? x[0][r * LANES + k] : x[r][k]);
            UNROLL for (int j = 0; j < vecs; j++) acc[r][j] = V_FMA(left, right[j], acc[r][j]);
        }
    }
    return w;
}

ALWAYS_INLINE void sum_point(const gei_blocked_tile *t, VEC (*acc)[PANEL * PER], int rows, int vecs) {
    const gei_blocked_conv *c = t->conv;
    int64_t plane = c->window.in[1] * c->window.in[2] * LANES;
    const float *w = t->w, *x = c->x + t->step_begin * plane + t->pixel * LANES;
    for (int64_t s = t->step_begin; s < t->step_end; s++, x += plane) {
        int64_t left = c->in_channels - s * LANES;
        w = multiply(acc, &x, w, left < LANES ? left : LANES, rows, vecs, true);
    }
}

/* Places of the pixels of a tile. */
ALWAYS_INLINE void find_places(const gei_blocked_tile *t, int rows, int64_t *y, int64_t *x) {
    const gei_window *w = &t->conv->window;
    int64_t at_y = t->pixel / w->out[2], at_x = t->pixel % w->out[2];
    UNROLL for (int r = 0; r < rows; r++) {
        y[r] = at_y * w->stride[1] - w->pad_begin[1];
        x[r] = at_x * w->stride[2] - w->pad_begin[2];
        bool wraps = ++at_x == w->out[2];
        at_x = wraps ? 0 : at_x;
        at_y += wraps;
    }
}

ALWAYS_INLINE void sum_taps(const gei_blocked_tile *t, VEC (*acc)[PANEL * PER], int rows, int vecs) {
    const gei_blocked_conv *c = t->conv;
    const gei_window *g = &c->window;
    int64_t y[GEI_BLOCKED_MOST_ROWS], x[GEI_BLOCKED_MOST_ROWS], move[GEI_BLOCKED_MOST_ROWS];
    int64_t plane = g->in[1] * g->in[2] * LANES, blocks = gei_channel_blocks(c->in_channels);
    int64_t tap = t->step_begin / blocks, block = t->step_begin % blocks;
    const float *w = t->w, *from[GEI_BLOCKED_MOST_ROWS];
    find_places(t, rows, y, x);
    for (int64_t s = t->step_begin; s < t->step_end; tap++, block = 0) {
        int64_t down = tap / g->kernel[2] * g->dilation[1], right = tap % g->kernel[2] * g->dilation[2];
        UNROLL for (int r = 0; r < rows; r++) {
            bool inside = (uint64_t)(y[r] + down) < (uint64_t)g->in[1] && (uint64_t)(x[r] + right) < (uint64_t)g->in[2];
            from[r] = inside ? c->x + block * plane + ((y[r] + down) * g->in[2] + x[r] + right) * LANES : zeros;
            move[r] = inside ? plane : 0;
        }
        for (; block < blocks && s < t->step_end; block++, s++) {
            int64_t left = c->in_channels - block * LANES;
            w = multiply(acc, from, w, left < LANES ? left : LANES, rows, vecs, false);
            UNROLL for (int r = 0; r < rows; r++) from[r] += move[r];
        }
    }
}

ALWAYS_INLINE void sum_plain(const gei_blocked_tile *t, VEC (*acc)[PANEL * PER], int rows, int vecs) {
    const gei_blocked_conv *c = t->conv;
    const gei_window *g = &c->window;
    int64_t y[GEI_BLOCKED_MOST_ROWS], x[GEI_BLOCKED_MOST_ROWS];
    const float *w = t->w, *from[GEI_BLOCKED_MOST_ROWS], *at[GEI_BLOCKED_MOST_ROWS];
    find_places(t, rows, y, x);
    UNROLL for (int r = 0; r < rows; r++) at[r] = t->band + (y[r] - t->band_first) * t->band_row + x[r] + g->pad_begin[2];
    for (int64_t s = t->step_begin; s < t->step_end; s++) {
        int64_t move = s / g->kernel[1] * t->band_plane + s % g->kernel[1] * g->dilation[1] * t->band_row;
        UNROLL for (int r = 0; r < rows; r++) from[r] = at[r] + move;
        w = multiply(acc, from, w, g->kernel[2], rows, vecs, false);
    }
}

ALWAYS_INLINE void tile(const gei_blocked_tile *t, int rows, int blocks, gei_blocked_way way) {
    const gei_blocked_conv *c = t->conv;
    const int vecs = blocks * PER;
    int64_t plane = c->window.out[1] * c->window.out[2] * LANES, place = t->block * plane + t->pixel * LANES;
    float *y = c->y + place;
    const float *residual = t->first && c->residual ? c->residual + place : NULL;
    VEC acc[GEI_BLOCKED_MOST_ROWS][PANEL * PER];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < vecs; j++) acc[r][j] = t->first ? V_LOAD(t->bias + j * VW) : V_LOAD(y + j / PER * plane + r * LANES + j % PER * VW);
    if (way == GEI_BLOCKED_POINT) sum_point(t, acc, rows, vecs);
    else if (way == GEI_BLOCKED_TAPS) sum_taps(t, acc, rows, vecs);
    else sum_plain(t, acc, rows, vecs);
    if (residual)
        UNROLL for (int r = 0; r < rows; r++)
            UNROLL for (int j = 0; j < vecs; j++) acc[r][j] = V_ADD(acc[r][j], V_LOAD(residual + j / PER * plane + r * LANES + j % PER * VW));
    if (t->last && c->act == GEI_ACT_CLIP)
        UNROLL for (int r = 0; r < rows; r++)
            UNROLL for (int j = 0; j < vecs; j++) acc[r][j] = V_MAX(V_SET1(c->lo), V_MIN(V_SET1(c->hi), acc[r][j]));
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int j = 0; j < vecs; j++) V_STORE(y + j / PER * plane + r * LANES + j % PER * VW, acc[r][j]);
}

#define TILE(blocks, rows)                                                                                                    \
    static void point_##blocks##_##rows(const gei_blocked_tile *t) {                                                          \
        if (rows <= ROWS_##blocks) tile(t, rows <= ROWS_##blocks ? rows : 1, blocks, GEI_BLOCKED_POINT);                      \
    }                                                                                                                         \
    static void taps_##blocks##_##rows(const gei_blocked_tile *t) {                                                           \
        if (rows <= ROWS_##blocks && rows <= TAP_ROWS) tile(t, rows <= ROWS_##blocks && rows <= TAP_ROWS ? rows : 1, blocks, GEI_BLOCKED_TAPS); \
    }                                                                                                                         \
    static void plain_##blocks##_##rows(const gei_blocked_tile *t) {                                                          \
        if (rows <= ROWS_##blocks && rows <= TAP_ROWS) tile(t, rows <= ROWS_##blocks && rows <= TAP_ROWS ? rows : 1, blocks, GEI_BLOCKED_PLAIN); \
    }
#define TILES(blocks) TILE(blocks, 1) TILE(blocks, 2) TILE(blocks, 3) TILE(blocks, 4) TILE(blocks, 5) TILE(blocks, 6) TILE(blocks, 7) TILE(blocks, 8) \
    TILE(blocks, 9) TILE(blocks, 10) TILE(blocks, 11) TILE(blocks, 12)
#define TILE_NAMES(way, b)                                                                                                    \
    { way##_##b##_1, way##_##b##_2, way##_##b##_3, way##_##b##_4, way##_##b##_5, way##_##b##_6, way##_##b##_7, way##_##b##_8,   \
      way##_##b##_9, way##_##b##_10, way##_##b##_11, way##_##b##_12 }

typedef void (*tile_fn)(const gei_blocked_tile *t);
TILES(1)
#if PANEL == 4
TILES(2)
TILES(3)
TILES(4)
#define WAY(way) { TILE_NAMES(way, 1), TILE_NAMES(way, 2), TILE_NAMES(way, 3), TILE_NAMES(way, 4) }
#define FEWER(blocks) (ROWS_##blocks < TAP_ROWS ? ROWS_##blocks : TAP_ROWS)
#define ROW_TABLE { { ROWS_1, ROWS_2, ROWS_3, ROWS_4 }, { FEWER(1), FEWER(2), FEWER(3), FEWER(4) } }
#else
#define WAY(way) { TILE_NAMES(way, 1) }
#define ROW_TABLE { { ROWS_1 }, { ROWS_1 < TAP_ROWS ? ROWS_1 : TAP_ROWS } }
#endif
static const tile_fn tiles[3][PANEL][GEI_BLOCKED_MOST_ROWS] = { WAY(point), WAY(taps), WAY(plain) };

static void run_tile(const gei_blocked_tile *t, int rows, int blocks) { tiles[t->conv->way][blocks - 1][rows - 1](t); }

/* ---- depthwise: a vector of channels, taps in order ---- */

typedef struct dw_row {
    const float *x, *w;      /* input row of tap row 0, which may lie outside; weights of it */
    const float *residual;   /* like y; NULL: none */
    float *y;
    int64_t in_row;          /* floats */
    int64_t from_tap, to_tap;/* rows of taps inside the input */
    const gei_blocked_conv *conv;
    VEC bias;
} dw_row;

ALWAYS_INLINE VEC dw_clip(const dw_row *d, VEC v) {
    return d->conv->act == GEI_ACT_CLIP ? V_MAX(V_SET1(d->conv->lo), V_MIN(V_SET1(d->conv->hi), v)) : v;
}

ALWAYS_INLINE VEC dw_start(const dw_row *d, int64_t at) {
    if (d->residual) return V_ADD(d->bias, V_LOAD(d->residual + at * LANES));
    return d->bias;
}

/* One pixel of any window, taps that lie inside. */
static void dw_pixel(const dw_row *d, int64_t at) {
    const gei_window *w = &d->conv->window;
    int64_t from, begin, end;
    gei_window_taps(w, 2, at, &from, &begin, &end);
    VEC acc = dw_start(d, at);
    for (int64_t ty = d->from_tap; ty < d->to_tap; ty++) {
        const float *x = d->x + ty * w->dilation[1] * d->in_row + from * LANES, *weights = d->w + ty * w->kernel[2] * LANES;
        for (int64_t tx = begin; tx < end; tx++) acc = V_FMA(V_LOAD(weights + tx * LANES), V_LOAD(x + tx * w->dilation[2] * LANES), acc);
    }
    V_STORE(d->y + at * LANES, dw_clip(d, acc));
}

/* n pixels whose taps all lie inside their rows: each input vector is loaded once for all of them. */
ALWAYS_INLINE void dw_tile(const dw_row *d, int64_t at, int n, int k, int s) {
    const gei_window *w = &d->conv->window;
    VEC acc[DEPTH];
    UNROLL for (int i = 0; i < n; i++) acc[i] = dw_start(d, at + i);
    for (int64_t ty = d->from_tap; ty < d->to_tap; ty++) {
        const float *x = d->x + ty * d->in_row + (at * s - w->pad_begin[2]) * LANES, *weights = d->w + ty * k * LANES;
        VEC taps[5];
        UNROLL for (int tx = 0; tx < k; tx++) taps[tx] = V_LOAD(weights + tx * LANES);
        UNROLL for (int q = 0; q < (n - 1) * s + k; q++) {
            VEC v = V_LOAD(x + q * LANES);
            UNROLL for (int i = 0; i < n; i++)
                if (q - i * s >= 0 && q - i * s < k) acc[i] = V_FMA(taps[q - i * s], v, acc[i]);
        }
    }
    UNROLL for (int i = 0; i < n; i++) V_STORE(d->y + (at + i) * LANES, dw_clip(d, acc[i]));
}

#define DW_INSIDE(name, k, s)                                                                              \
    static void name(const dw_row *d, int64_t at, int64_t end) {                                           \
        for (; at + DEPTH <= end; at += DEPTH) dw_tile(d, at, DEPTH, k, s);                                \
        if (DEPTH > 4 && at + 4 <= end) {                                                                  \
            dw_tile(d, at, 4, k, s);                                                                       \
            at += 4;                                                                                       \
        }                                                                                                  \
        if (at + 2 <= end) {                                                                               \
            dw_tile(d, at, 2, k, s);                                                                       \
            at += 2;                                                                                       \
        }                                                                                                  \
        if (at < end) dw_tile(d, at, 1, k, s);                                                             \
    }
DW_INSIDE(dw_3x3, 3, 1)
DW_INSIDE(dw_3x3_by_2, 3, 2)
DW_INSIDE(dw_5x5, 5, 1)
DW_INSIDE(dw_5x5_by_2, 5, 2)

static void dw_any(const dw_row *d, int64_t at, int64_t end) {
    for (; at < end; at++) dw_pixel(d, at);
}

typedef void (*dw_inside_fn)(const dw_row *d, int64_t at, int64_t end);

static dw_inside_fn dw_inside_of(const gei_window *w) {
    int64_t k = w->kernel[2], s = w->stride[2];
    if (w->dilation[1] != 1 || w->dilation[2] != 1 || s > 2 || (k != 3 && k != 5)) return dw_any;
    return k == 3 ? (s == 1 ? dw_3x3 : dw_3x3_by_2) : (s == 1 ? dw_5x5 : dw_5x5_by_2);
}

/* Pixels of a row whose taps are all inside: [*begin, *end). */
static void whole_pixels(const gei_window *w, int64_t *begin, int64_t *end) {
    int64_t reach = (w->kernel[2] - 1) * w->dilation[2], room = w->in[2] - 1 - reach + w->pad_begin[2];
    *begin = (w->pad_begin[2] + w->stride[2] - 1) / w->stride[2];
    *end = room < 0 ? 0 : room / w->stride[2] + 1;
    if (*end > w->out[2]) *end = w->out[2];
    if (*begin > w->out[2]) *begin = w->out[2];
    if (*end < *begin) *end = *begin;
}

static void run_depthwise(const gei_blocked_conv *c, int64_t begin, int64_t end) {
    const gei_window *w = &c->window;
    int64_t taps = w->kernel[1] * w->kernel[2], whole_begin, whole_end;
    dw_inside_fn inside = dw_inside_of(w);
    whole_pixels(w, &whole_begin, &whole_end);
    for (int64_t at = begin; at < end; at++) {
        int64_t block = at / w->out[1], row = at % w->out[1], from;
        dw_row d = { .conv = c, .in_row = w->in[2] * LANES };
        gei_window_taps(w, 1, row, &from, &d.from_tap, &d.to_tap);
        for (int lane = 0; lane < LANES; lane += VW) {
            d.x = c->x + (block * w->in[1] + from) * d.in_row + lane;
            d.w = c->filter + block * taps * LANES + lane;
            d.y = c->y + at * w->out[2] * LANES + lane;
            d.residual = c->residual ? c->residual + at * w->out[2] * LANES + lane : NULL;
            d.bias = V_LOAD(c->bias + block * LANES + lane);
            for (int64_t x = 0; x < whole_begin; x++) dw_pixel(&d, x);
            inside(&d, whole_begin, whole_end);
            for (int64_t x = whole_end; x < w->out[2]; x++) dw_pixel(&d, x);
        }
        float *y = c->y + at * w->out[2] * LANES;
        if (c->curve) c->curve(y, y, w->out[2] * LANES, c->curve_params);
    }
}

/* ---- pooling ---- */

typedef struct pool_row {
    const gei_blocked_pool *pool;
    const float *x;                /* row of tap row 0, which may lie outside */
    int64_t in_row, from_tap, to_tap, rows_counted;
} pool_row;

static int64_t counted(const gei_window *w, int d, int64_t from, int64_t begin, int64_t end, bool pads) {
    int64_t last = w->in[d] + w->pad_end[d], n = (last - from + w->dilation[d] - 1) / w->dilation[d];
    return !pads ? end - begin : n < w->kernel[d] ? n : w->kernel[d];
}

static void pool_pixel(const pool_row *r, int64_t at, float *y) {
    const gei_window *w = &r->pool->window;
    int64_t from, begin, end;
    gei_window_taps(w, 2, at, &from, &begin, &end);
    int64_t n = r->rows_counted * counted(w, 2, from, begin, end, r->pool->count_pads);
    VEC acc[PER];
    UNROLL for (int j = 0; j < PER; j++) acc[j] = V_SET1(r->pool->mean ? 0.0f : -__builtin_inff());
    for (int64_t ty = r->from_tap; ty < r->to_tap; ty++) {
        const float *x = r->x + ty * w->dilation[1] * r->in_row + from * LANES;
        VEC of_row[PER];
        UNROLL for (int j = 0; j < PER; j++) of_row[j] = V_ZERO();
        for (int64_t tx = begin; tx < end; tx++) {
            const float *p = x + tx * w->dilation[2] * LANES;
            UNROLL for (int j = 0; j < PER; j++) {
                if (r->pool->mean) of_row[j] = V_ADD(of_row[j], V_LOAD(p + j * VW));
                else acc[j] = V_LARGER(acc[j], V_LOAD(p + j * VW));
            }
        }
        if (r->pool->mean) /* rows first: long sums lose less */
            UNROLL for (int j = 0; j < PER; j++) acc[j] = V_ADD(acc[j], of_row[j]);
    }
    UNROLL for (int j = 0; j < PER; j++) {
        if (r->pool->mean) acc[j] = V_MUL(acc[j], V_SET1(n > 0 ? 1.0f / (float)n : 0.0f));
        V_STORE(y + j * VW, acc[j]);
    }
}

static void run_pool(const gei_blocked_pool *p, int64_t begin, int64_t end) {
    const gei_window *w = &p->window;
    for (int64_t at = begin; at < end; at++) {
        int64_t block = at / w->out[1], from;
        pool_row r = { .pool = p, .in_row = w->in[2] * LANES };
        gei_window_taps(w, 1, at % w->out[1], &from, &r.from_tap, &r.to_tap);
        r.rows_counted = counted(w, 1, from, r.from_tap, r.to_tap, p->count_pads);
        r.x = p->x + (block * w->in[1] + from) * r.in_row;
        for (int64_t x = 0; x < w->out[2]; x++) pool_pixel(&r, x, p->y + (at * w->out[2] + x) * LANES);
    }
}

/* ---- F(2x2, 3x3): each lane a channel ---- */

/* One block of one tile, four rows of inputs: those outside are zero. */
ALWAYS_INLINE void load_tile(const gei_window *w, const float *plane, int64_t y, int64_t x, VEC (*d)[4]) {
    bool inside = y >= 0 && x >= 0 && y + 4 <= w->in[1] && x + 4 <= w->in[2];
    UNROLL for (int i = 0; i < 4; i++)
        UNROLL for (int j = 0; j < 4; j++) {
            bool is_there = inside || (y + i >= 0 && y + i < w->in[1] && x + j >= 0 && x + j < w->in[2]);
            d[i][j] = V_ZERO();
            if (is_there) d[i][j] = V_LOAD(plane + ((y + i) * w->in[2] + x + j) * LANES);
        }
}

/* v: [point][block][count][16]. */
static void run_points(const gei_blocked_conv *c, int64_t first, int64_t count, float *v) {
    const gei_window *w = &c->window;
    int64_t across = (w->out[2] + 1) / 2, blocks = gei_channel_blocks(c->in_channels), plane = w->in[1] * w->in[2] * LANES;
    int64_t point = blocks * count * LANES;
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t t = 0; t < count; t++) {
            int64_t y = (first + t) / across * 2 - w->pad_begin[1], x = (first + t) % across * 2 - w->pad_begin[2];
            for (int lane = 0; lane < LANES; lane += VW) {
                VEC d[4][4], e[4][4];
                load_tile(w, c->x + block * plane + lane, y, x, d);
                UNROLL for (int j = 0; j < 4; j++) {
                    e[0][j] = V_SUB(d[0][j], d[2][j]);
                    e[1][j] = V_ADD(d[1][j], d[2][j]);
                    e[2][j] = V_SUB(d[2][j], d[1][j]);
                    e[3][j] = V_SUB(d[1][j], d[3][j]);
                }
                float *to = v + (block * count + t) * LANES + lane;
                UNROLL for (int i = 0; i < 4; i++) {
                    V_STORE(to + (4 * i) * point, V_SUB(e[i][0], e[i][2]));
                    V_STORE(to + (4 * i + 1) * point, V_ADD(e[i][1], e[i][2]));
                    V_STORE(to + (4 * i + 2) * point, V_SUB(e[i][2], e[i][1]));
                    V_STORE(to + (4 * i + 3) * point, V_SUB(e[i][1], e[i][3]));
                }
            }
        }
}

/* m: [point][block of the panel][count][16]; y gets sum, bias, residual and clip. */
static void run_results(const gei_blocked_conv *c, const float *plain_filter, int64_t first, int64_t count, int64_t block, int64_t blocks, const float *m) {
    const gei_window *w = &c->window;
    int64_t across = (w->out[2] + 1) / 2, point = blocks * count * LANES, pixels = w->out[1] * w->out[2];
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t t = 0; t < count; t++) {
            int64_t y = (first + t) / across * 2, x = (first + t) % across * 2;
            for (int lane = 0; lane < LANES; lane += VW) {
                const float *from = m + (b * count + t) * LANES + lane;
                VEC rows[2][4], out[2][2], bias = V_LOAD(c->bias + (block + b) * LANES + lane);
                UNROLL for (int j = 0; j < 4; j++) {
                    VEC a = V_LOAD(from + j * point), d = V_LOAD(from + (4 + j) * point), e = V_LOAD(from + (8 + j) * point), f = V_LOAD(from + (12 + j) * point);
                    rows[0][j] = V_ADD(a, V_ADD(d, e));
                    rows[1][j] = V_SUB(V_SUB(d, e), f);
                }
                UNROLL for (int i = 0; i < 2; i++) {
                    out[i][0] = V_ADD(V_ADD(rows[i][0], bias), V_ADD(rows[i][1], rows[i][2]));
                    out[i][1] = V_ADD(V_SUB(V_SUB(rows[i][1], rows[i][2]), rows[i][3]), bias);
                }
                VEC odd = V_MUL(V_ADD(V_ADD(out[0][0], out[0][1]), V_ADD(out[1][0], out[1][1])), V_ZERO());
                bool finite = V_IS_ZERO(odd);
                UNROLL for (int i = 0; i < 2; i++)
                    UNROLL for (int j = 0; j < 2; j++) {
                        if (y + i >= w->out[1] || x + j >= w->out[2]) continue;
                        int64_t place = ((block + b) * pixels + (y + i) * w->out[2] + x + j) * LANES + lane;
                        VEC sum = out[i][j];
                        float again[LANES];
                        if (!finite) {
                            gei_blocked_sum_window(c, plain_filter, block + b, y + i, x + j, again);
                            sum = V_LOAD(again + lane);
                        }
                        if (c->residual) sum = V_ADD(sum, V_LOAD(c->residual + place));
                        if (c->act == GEI_ACT_CLIP) sum = V_MAX(V_SET1(c->lo), V_MIN(V_SET1(c->hi), sum));
                        V_STORE(c->y + place, sum);
                    }
            }
        }
}

const gei_blocked_isa BLOCKED = { BLOCKED_NAME, PANEL, ROW_TABLE, run_tile, run_depthwise, run_pool, run_points, run_results };
