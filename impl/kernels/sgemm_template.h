/* SPDX-License-Identifier: Apache-2.0 */
/* sgemm_template: the product for one instruction set.  The file that includes it defines
 *   VEC, VW (floats of one), VECS (of one panel row), ROWS (of one tile), V_ZERO, V_LOAD, V_STORE, V_SET1, V_FMA(a, b, c), V_ADD,
 *   V_MAX(bound, x), V_MIN(bound, x) (x when it is NaN), SGEMM_RUN and SGEMM_BLOCK (names of the functions). */
#include <stdbool.h>
#include <string.h>

#define PANEL (VW * VECS)
#define K_BLOCK 384   /* PANEL x K_BLOCK floats stay in the second-level cache */
#define M_BLOCK 240   /* rows that pass over one panel block before the next */
#define PREFETCH_ROWS 8

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

typedef struct tile {
    const float *a, *b, *bias, *row_bias, *residual; /* the last three NULL: none */
    float *c;
    int64_t a_row, a_step, b_step, c_row, residual_row, k;
    bool first, last;                     /* block of k */
    gei_act act;
    float lo, hi;
} tile;

static inline __attribute__((always_inline)) void compute(const tile *t, const int rows, const int vecs) {
    VEC acc[ROWS][VECS];
    UNROLL for (int r = 0; r < rows; r++) {
        UNROLL for (int j = 0; j < vecs; j++)
            acc[r][j] = !t->first     ? V_LOAD(t->c + r * t->c_row + j * VW)
                        : t->bias     ? V_LOAD(t->bias + j * VW)
                        : t->row_bias ? V_SET1(t->row_bias[r])
                                      : V_ZERO();
    }
    const float *a = t->a, *b = t->b;
    for (int64_t p = 0; p < t->k; p++, b += t->b_step, a += t->a_step) {
        VEC right[VECS];
        UNROLL for (int j = 0; j < vecs; j++) {
            right[j] = V_LOAD(b + j * VW);
            __builtin_prefetch(b + PREFETCH_ROWS * t->b_step + j * VW);
        }
        UNROLL for (int r = 0; r < rows; r++) {
            VEC left = V_SET1(a[r * t->a_row]);
            UNROLL for (int j = 0; j < vecs; j++) acc[r][j] = V_FMA(left, right[j], acc[r][j]);
        }
    }
    if (t->last && t->residual) {
        UNROLL for (int r = 0; r < rows; r++) {
            UNROLL for (int j = 0; j < vecs; j++) acc[r][j] = V_ADD(acc[r][j], V_LOAD(t->residual + r * t->residual_row + j * VW));
        }
    }
    if (t->last && t->act == GEI_ACT_CLIP) {
        VEC lo = V_SET1(t->lo), hi = V_SET1(t->hi);
        UNROLL for (int r = 0; r < rows; r++) {
            UNROLL for (int j = 0; j < vecs; j++) acc[r][j] = V_MAX(lo, V_MIN(hi, acc[r][j]));
        }
    }
    UNROLL for (int r = 0; r < rows; r++) {
        UNROLL for (int j = 0; j < vecs; j++) V_STORE(t->c + r * t->c_row + j * VW, acc[r][j]);
    }
}

#define TILE(rows, vecs) \
    static void tile_##rows##_##vecs(const tile *t) { compute(t, rows, vecs); }
#define TILES(vecs) TILE(1, vecs) TILE(2, vecs) TILE(3, vecs) TILE(4, vecs) TILE_5_6(vecs)
#if ROWS == 6
#define TILE_5_6(vecs) TILE(5, vecs) TILE(6, vecs)
#define TILE_NAMES(vecs) { tile_1_##vecs, tile_2_##vecs, tile_3_##vecs, tile_4_##vecs, tile_5_##vecs, tile_6_##vecs }
#else
#define TILE_5_6(vecs)
#define TILE_NAMES(vecs) { tile_1_##vecs, tile_2_##vecs, tile_3_##vecs, tile_4_##vecs }
#endif
TILES(1)
TILES(2)
#if VECS == 4
TILES(3)
TILES(4)
static void (*const tiles[VECS][ROWS])(const tile *t) = { TILE_NAMES(1), TILE_NAMES(2), TILE_NAMES(3), TILE_NAMES(4) };
#else
static void (*const tiles[VECS][ROWS])(const tile *t) = { TILE_NAMES(1), TILE_NAMES(2) };
#endif

static void copy_rows(float *to, int64_t to_row, const float *from, int64_t from_row, int rows, int64_t width) {
    for (int r = 0; r < rows; r++) memcpy(to + r * to_row, from + r * from_row, (size_t)width * sizeof *to);
}

/* A tile whose last vector reaches over the edge of c: computed in a buffer, of which the valid columns are copied. */
static void edge_tile(tile t, int rows, int64_t width, int vecs) {
    float c[ROWS * PANEL] = { 0 }, residual[ROWS * PANEL] = { 0 }, bias[PANEL] = { 0 };
    float *out = t.c;
    int64_t out_row = t.c_row;
    if (!t.first) copy_rows(c, PANEL, out, out_row, rows, width);
    if (t.bias) {
        memcpy(bias, t.bias, (size_t)width * sizeof *bias);
        t.bias = bias;
    }
    if (t.residual && t.last) {
        copy_rows(residual, PANEL, t.residual, t.residual_row, rows, width);
        t.residual = residual;
        t.residual_row = PANEL;
    }
    t.c = c;
    t.c_row = PANEL;
    tiles[vecs - 1][rows - 1](&t);
    copy_rows(out, out_row, c, PANEL, rows, width);
}

static void SGEMM_BLOCK(const gei_sgemm *g, int64_t begin, int64_t end, int64_t panel, const float *b, int64_t k_first, int64_t k_count) {
    int64_t first = panel * PANEL, width = g->n - first < PANEL ? g->n - first : PANEL;
    int vecs = (int)((width + VW - 1) / VW);
    bool whole = width % VW == 0;
    tile t = { .b = b, .bias = g->bias ? g->bias + first : NULL, .a_row = g->a_is_packed ? 1 : g->a_row, .a_step = g->a_is_packed ? ROWS : 1, .b_step = g->b_row ? g->b_row : PANEL, .c_row = g->c_row,
               .residual_row = g->residual_row, .k = k_count, .first = k_first == 0, .last = k_first + k_count == g->k, .act = g->act,
               .lo = g->lo, .hi = g->hi };
    for (int64_t row = begin; row < end; row += ROWS) {
        int rows = end - row < ROWS ? (int)(end - row) : ROWS;
        t.a = k_count == 0 ? g->a : g->a + (g->a_is_packed ? row * g->k + k_first * ROWS : row * g->a_row + k_first);
        t.c = g->c + row * g->c_row + first;
        t.row_bias = g->row_bias ? g->row_bias + row : NULL;
        t.residual = g->residual ? g->residual + row * g->residual_row + first : NULL;
        if (whole) tiles[vecs - 1][rows - 1](&t);
        else edge_tile(t, rows, width, vecs);
    }
}

static void SGEMM_RUN(const gei_sgemm *g, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
    for (int64_t row = row_begin; row < row_end; row += M_BLOCK) {
        int64_t row_last = row_end - row < M_BLOCK ? row_end : row + M_BLOCK;
        for (int64_t panel = panel_begin; panel < panel_end; panel++) {
            int64_t k = 0;
            do { /* once also for an empty k: bias and activation remain */
                int64_t count = g->k - k < K_BLOCK ? g->k - k : K_BLOCK;
                const float *b = count > 0 ? g->b + (panel * g->k + k) * PANEL : NULL;
                SGEMM_BLOCK(g, row, row_last, panel, b, k, count);
                k += K_BLOCK;
            } while (k < g->k);
        }
    }
}
