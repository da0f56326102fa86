/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/pool.h"

#include <math.h>
#include <stddef.h>

typedef struct place {
    int64_t at[GEI_WINDOW_DIMS], origin[GEI_WINDOW_DIMS], begin[GEI_WINDOW_DIMS], end[GEI_WINDOW_DIMS];
} place;

static void set_place(const gei_window *w, place *p, int64_t flat) {
    for (int d = GEI_WINDOW_DIMS - 1; d >= 0; d--) {
        p->at[d] = flat % w->out[d];
        flat /= w->out[d];
        gei_window_taps(w, d, p->at[d], &p->origin[d], &p->begin[d], &p->end[d]);
    }
}

static int64_t offset(const int64_t *at, const int64_t *strides) {
    return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
}

#define FOR_TAPS(p, w, at)                                                                            \
    for (int64_t i_ = (p).begin[0]; i_ < (p).end[0]; i_++)                                            \
        for (int64_t j_ = (p).begin[1]; j_ < (p).end[1]; j_++)                                        \
            for (int64_t k_ = (p).begin[2]; k_ < (p).end[2]; k_++)                                    \
                for (int64_t at[3] = { (p).origin[0] + i_ * (w)->dilation[0], (p).origin[1] + j_ * (w)->dilation[1], \
                                       (p).origin[2] + k_ * (w)->dilation[2] }, once_ = 1; once_; once_ = 0)

/* ---- largest ---- */

/* The first of equal values wins.  NAN_WINS(v): v is larger than anything. */
#define MAX_POOL(suffix, T, V, LOAD, LOWEST, STORE, NAN_WINS)                                                                  \
    static void max_plane_##suffix(const gei_pool *p, const T *x, T *y, int64_t *index, int64_t base) {                         \
        const gei_window *w = &p->window;                                                                                       \
        int64_t n = w->out[0] * w->out[1] * w->out[2];                                                                          \
        for (int64_t flat = 0; flat < n; flat++) {                                                                              \
            place at;                                                                                                           \
            V best = LOWEST;                                                                                                    \
            int64_t best_at = -1;                                                                                               \
            set_place(w, &at, flat);                                                                                            \
            FOR_TAPS(at, w, in) {                                                                                               \
                V v = LOAD(x[offset(in, p->x_at)]);                                                                             \
                if (best_at >= 0 && !(v > best) && !(NAN_WINS(v) && !NAN_WINS(best))) continue;                                 \
                best = v;                                                                                                       \
                best_at = base + offset(in, p->index_at);                                                                       \
            }                                                                                                                   \
            y[offset(at.at, p->y_at)] = STORE(best);                                                                            \
            if (index) index[offset(at.at, p->y_at)] = best_at;                                                                 \
        }                                                                                                                       \
    }                                                                                                                           \
    void gei_pool_max_##suffix(const gei_pool *p, const void *x, void *y, int64_t *index, int64_t begin, int64_t end) {         \
        int64_t plane_elems = p->window.in[0] * p->window.in[1] * p->window.in[2];                                              \
        for (int64_t at = begin; at < end; at++) {                                                                              \
            int64_t to = at / p->channels * p->y_batch + at % p->channels * p->y_channel;                                       \
            max_plane_##suffix(p, (const T *)x + at / p->channels * p->x_batch + at % p->channels * p->x_channel, (T *)y + to,  \
                               index ? index + to : NULL, at * plane_elems);                                                    \
        }                                                                                                                       \
    }

#define IS_NAN(v) ((v) != (v))
#define NEVER(v) 0
#define X(suffix, T, LOAD, STORE) MAX_POOL(suffix, T, double, LOAD, -INFINITY, STORE, IS_NAN)
GEI_FLOAT_TYPES(X)
#undef X

#define LOWEST_i8 INT8_MIN
#define LOWEST_i16 INT16_MIN
#define LOWEST_i32 INT32_MIN
#define LOWEST_i64 INT64_MIN
#define LOWEST_u8 0
#define LOWEST_u16 0
#define LOWEST_u32 0
#define LOWEST_u64 0
#define X(suffix, T, U) MAX_POOL(suffix, T, T, GEI_PLAIN, LOWEST_##suffix, GEI_PLAIN, NEVER)
GEI_INT_TYPES(X)
#undef X

/* ---- mean ---- */

/* Taps of one dim that lie in the input or its padding. */
static int64_t padded_taps(const gei_window *w, const place *p, int d) {
    int64_t room = w->in[d] + w->pad_end[d] - p->origin[d], step = w->dilation[d];
    int64_t taps = room > 0 ? (room + step - 1) / step : 0;
    return taps < w->kernel[d] ? taps : w->kernel[d];
}

static double divisor(const gei_pool *p, const place *at) {
    if (p->divisor != 0) return (double)p->divisor;
    double n = 1;
    for (int d = 0; d < GEI_WINDOW_DIMS; d++)
        n *= (double)(p->count_pads ? padded_taps(&p->window, at, d) : at->end[d] > at->begin[d] ? at->end[d] - at->begin[d] : 0);
    return n;
}

#define X(suffix, T, LOAD, STORE)                                                                                              \
    static void mean_plane_##suffix(const gei_pool *p, const T *x, T *y) {                                                      \
        const gei_window *w = &p->window;                                                                                       \
        int64_t n = w->out[0] * w->out[1] * w->out[2];                                                                          \
        for (int64_t flat = 0; flat < n; flat++) {                                                                              \
            place at;                                                                                                           \
            double sum = 0;                                                                                                     \
            set_place(w, &at, flat);                                                                                            \
            FOR_TAPS(at, w, in) sum += LOAD(x[offset(in, p->x_at)]);                                                            \
            double by = divisor(p, &at);                                                                                        \
            y[offset(at.at, p->y_at)] = STORE(by != 0 ? sum / by : 0);                                                          \
        }                                                                                                                       \
    }                                                                                                                           \
    void gei_pool_mean_##suffix(const gei_pool *p, const void *x, void *y, int64_t begin, int64_t end) {                        \
        for (int64_t at = begin; at < end; at++)                                                                                \
            mean_plane_##suffix(p, (const T *)x + at / p->channels * p->x_batch + at % p->channels * p->x_channel,              \
                                (T *)y + at / p->channels * p->y_batch + at % p->channels * p->y_channel);                      \
    }
GEI_FLOAT_TYPES(X)
#undef X
