/* SPDX-License-Identifier: Apache-2.0 */
/* rows_template: compiled once for each instruction set.  The including file defines ROWS_TABLE and MULTIPLY_ADD. */
#include <math.h>

#include "kernels/rows.h"
#include "kernels/wide_math.h"

#if defined(__clang__)
#define WIDE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define WIDE_LOOP _Pragma("GCC ivdep")
#endif

enum { LANES = 16 };
typedef float lanes __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t lane_bits __attribute__((vector_size(64), aligned(4), may_alias));
typedef double half_lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

static float max_of(const float *x, int64_t n) {
    float max = -INFINITY;
    int64_t i = 0;
    if (n >= LANES) {
        lanes best = *(const lanes *)(const void *)x;
        for (i = LANES; i + LANES <= n; i += LANES) {
            lanes v = *(const lanes *)(const void *)(x + i);
            lane_bits larger = v > best;
            best = (lanes)(((lane_bits)v & larger) | ((lane_bits)best & ~larger));
        }
        for (int k = 0; k < LANES; k++) max = best[k] > max ? best[k] : max;
    }
    for (; i < n; i++) max = x[i] > max ? x[i] : max;
    return max;
}

static double sum_of(const float *x, int64_t n) {
    half_lanes low = { 0 }, high = { 0 };
    double sum = 0;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        low += __builtin_convertvector(*(const eight *)(const void *)(x + i), half_lanes);
        high += __builtin_convertvector(*(const eight *)(const void *)(x + i + 8), half_lanes);
    }
    low += high;
    for (int k = 0; k < 8; k++) sum += low[k];
    for (; i < n; i++) sum += x[i];
    return sum;
}

static double squares_of(const float *x, double mean, int64_t n) {
    half_lanes low = { 0 }, high = { 0 };
    double sum = 0;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        half_lanes a = __builtin_convertvector(*(const eight *)(const void *)(x + i), half_lanes) - mean;
        half_lanes b = __builtin_convertvector(*(const eight *)(const void *)(x + i + 8), half_lanes) - mean;
        low += a * a;
        high += b * b;
    }
    low += high;
    for (int k = 0; k < 8; k++) sum += low[k];
    for (; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

static void exp_less(const float *x, float max, float *y, int64_t n) {
    WIDE_LOOP
    for (int64_t i = 0; i < n; i++) y[i] = wide_exp(x[i] - max);
}

static double sum_exp_less(const float *x, float max, int64_t n) {
    enum { BLOCK = 256 };
    float e[BLOCK];
    double sum = 0;
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t m = n - at < BLOCK ? n - at : BLOCK;
        exp_less(x + at, max, e, m);
        sum += sum_of(e, m);
    }
    return sum;
}

static void softmax_row(const float *x, float *y, int64_t n, int log_) {
    float max = max_of(x, n);
    if (log_) {
        double minus = max + log(sum_exp_less(x, max, n));
        WIDE_LOOP
        for (int64_t i = 0; i < n; i++) y[i] = (float)(x[i] - minus);
        return;
    }
    exp_less(x, max, y, n);
    float by = (float)(1 / sum_of(y, n));
    WIDE_LOOP
    for (int64_t i = 0; i < n; i++) y[i] *= by;
}

static void normalize_row(const float *x, float mean, float scale, const float *gamma, const float *beta, float *y, int64_t n) {
    if (gamma && beta) {
        WIDE_LOOP
        for (int64_t i = 0; i < n; i++) y[i] = MULTIPLY_ADD((x[i] - mean) * scale, gamma[i], beta[i]);
    } else {
        for (int64_t i = 0; i < n; i++) {
            float v = (x[i] - mean) * scale * (gamma ? gamma[i] : 1);
            y[i] = beta ? v + beta[i] : v;
        }
    }
}

/* ---- largest of windows ---- */

#define LARGER(v, best) ((v) > (best) || (v) != (v) ? (v) : (best))

static void max_tap(const float *restrict from, int64_t step, float *restrict to, int64_t n) {
    if (step == 1) {
        for (int64_t i = 0; i < n; i++) to[i] = LARGER(from[i], to[i]);
    } else if (step == 2) {
        for (int64_t i = 0; i < n; i++) to[i] = LARGER(from[2 * i], to[i]);
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = LARGER(from[i * step], to[i]);
    }
}

static void max_row(const gei_window *w, const float *row, float *out) {
    int64_t step = w->stride[2];
    for (int64_t tap = 0; tap < w->kernel[2]; tap++) {
        int64_t from = tap * w->dilation[2] - w->pad_begin[2], room = w->in[2] - from;
        int64_t begin = from < 0 ? (-from + step - 1) / step : 0, end = room <= 0 ? 0 : (room + step - 1) / step;
        if (end > w->out[2]) end = w->out[2];
        if (begin < end) max_tap(row + begin * step + from, step, out + begin, end - begin);
    }
}

static void max_plane(const gei_window *w, const float *x, float *y) {
    for (int64_t at = 0; at < w->out[0] * w->out[1]; at++) {
        float *out = y + at * w->out[2];
        int64_t from_z, begin_z, end_z, from_y, begin_y, end_y;
        gei_window_taps(w, 0, at / w->out[1], &from_z, &begin_z, &end_z);
        gei_window_taps(w, 1, at % w->out[1], &from_y, &begin_y, &end_y);
        for (int64_t i = 0; i < w->out[2]; i++) out[i] = -INFINITY;
        for (int64_t z = begin_z; z < end_z; z++)
            for (int64_t t = begin_y; t < end_y; t++)
                max_row(w, x + ((from_z + z * w->dilation[0]) * w->in[1] + from_y + t * w->dilation[1]) * w->in[2], out);
    }
}

const gei_rows ROWS_TABLE = { softmax_row, sum_of, squares_of, normalize_row, max_plane };
