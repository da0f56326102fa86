/* SPDX-License-Identifier: Apache-2.0 */
/* winograd_template: the transforms for one instruction set.  The file that includes it defines WINOGRAD, the name of the table,
 * LANES, nr of the product, VW, floats of one vector, EVEN and ODD, which pick every second float of two vectors.  Work is done in
 * whole vectors: lanes beyond the last tile are written too, and overwritten by the tiles that follow. */
#include <string.h>

#include "kernels/winograd.h"

#define LINE (2 * LANES + 2 * VW + 4) /* input columns under a panel's longest run of tiles, in whole vectors */

typedef float vec __attribute__((vector_size(4 * VW)));

/* Input row y from column x on, `count` columns; zeros outside. */
static void read_line(const gei_window *w, const float *plane, int64_t y, int64_t x, int64_t count, float *line) {
    int64_t skip = x < 0 ? -x : 0, room = w->in[2] - x;
    if (y < 0 || y >= w->in[1] || room <= 0 || skip >= count) {
        memset(line, 0, (size_t)count * sizeof *line);
        return;
    }
    int64_t end = room < count ? room : count;
    memset(line, 0, (size_t)skip * sizeof *line);
    memcpy(line + skip, plane + y * w->in[2] + x + skip, (size_t)(end - skip) * sizeof *line);
    memset(line + end, 0, (size_t)(count - end) * sizeof *line);
}

static inline vec load(const float *p) {
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(float *p, vec v) { memcpy(p, &v, sizeof v); }

/* B' d B of VW tiles side by side, from their four lines. */
static void transform_step(const float *line, float *v, size_t point) {
    static const uint8_t first[4] = { 0, 1, 2, 1 }, second[4] = { 2, 2, 1, 3 };
    for (int r = 0; r < 4; r++, v += 4 * point) {
        const float *a = line + first[r] * LINE, *b = line + second[r] * LINE;
        vec sign = r == 1 ? (vec){ 0 } + 1.0f : (vec){ 0 } - 1.0f;
        vec low = load(a) + sign * load(b), high = load(a + VW) + sign * load(b + VW);
        vec low2 = load(a + 2) + sign * load(b + 2), high2 = load(a + VW + 2) + sign * load(b + VW + 2);
        vec d0 = EVEN(low, high), d1 = ODD(low, high), d2 = EVEN(low2, high2), d3 = ODD(low2, high2);
        store(v, d0 - d2);
        store(v + point, d1 + d2);
        store(v + 2 * point, d2 - d1);
        store(v + 3 * point, d1 - d3);
    }
}

static void input(const gei_window *w, const float *plane, int64_t begin, int64_t end, float *v, size_t point) {
    int64_t across = gei_winograd_tiles_across(w);
    float line[4 * LINE] = { 0 };
    for (int64_t tile = begin; tile < end;) {
        int64_t x = tile % across, y = tile / across, count = across - x < end - tile ? across - x : end - tile;
        for (int r = 0; r < 4; r++)
            read_line(w, plane, 2 * y + r - w->pad_begin[1], 2 * x - w->pad_begin[2], 2 * count + 2, line + r * LINE);
        for (int64_t i = 0; i < count; i += VW) transform_step(line + 2 * i, v + i, point);
        v += count;
        tile += count;
    }
}

/* The two pixel rows of a panel; gives the sum of the pixels of `count` tiles times zero: zero while they are finite. */
static float pixels(const float *m, size_t point, int64_t count, float bias, float lo, float hi, float (*out)[2 * LANES]) {
    float sums[2][4][LANES], wrong[LANES] = { 0 }, all = 0;
    for (int c = 0; c < 4; c++, m += point)
        for (int i = 0; i < LANES; i++) {
            float a = m[i], b = m[4 * point + (size_t)i], d = m[8 * point + (size_t)i], e = m[12 * point + (size_t)i];
            sums[0][c][i] = a + b + d;
            sums[1][c][i] = b - d - e;
        }
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < LANES; i++) {
            float left = sums[r][0][i] + sums[r][1][i] + sums[r][2][i] + bias;
            float right = sums[r][1][i] - sums[r][2][i] - sums[r][3][i] + bias;
            wrong[i] += left * 0.0f + right * 0.0f;
            out[r][2 * i] = left > hi ? hi : left < lo ? lo : left;
            out[r][2 * i + 1] = right > hi ? hi : right < lo ? lo : right;
        }
    for (int64_t i = 0; i < count; i++) all += wrong[i];
    return all;
}

static bool output(const gei_window *w, const float *m, size_t point, int64_t begin, int64_t end, float bias, float lo, float hi, float *plane) {
    int64_t across = gei_winograd_tiles_across(w), lane = 0;
    float out[2][2 * LANES];
    if (pixels(m, point, end - begin, bias, lo, hi, out) != 0) return false;
    for (int64_t tile = begin; tile < end;) {
        int64_t x = tile % across, y = tile / across, count = across - x < end - tile ? across - x : end - tile;
        int64_t width = w->out[2] - 2 * x < 2 * count ? w->out[2] - 2 * x : 2 * count;
        float *to = plane + 2 * y * w->out[2] + 2 * x;
        memcpy(to, out[0] + 2 * lane, (size_t)width * sizeof *to);
        if (2 * y + 1 < w->out[1]) memcpy(to + w->out[2], out[1] + 2 * lane, (size_t)width * sizeof *to);
        lane += count;
        tile += count;
    }
    return true;
}

const gei_winograd_isa WINOGRAD = { input, output };
