/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/norm.h"

#include <math.h>
#include <stddef.h>

static void add_dim(gei_norm_axes *a, int64_t dim, int64_t x, int64_t gain, int64_t shift) {
    int32_t last = a->rank - 1;
    a->n *= dim;
    if (last >= 0 && a->x[last] == dim * x && a->gain[last] == dim * gain && a->shift[last] == dim * shift) {
        a->dims[last] *= dim;
    } else {
        last = a->rank++;
        a->dims[last] = dim;
    }
    a->x[last] = x;
    a->gain[last] = gain;
    a->shift[last] = shift;
}

void gei_norm_plan(gei_norm *n, int32_t rank, const int64_t *dims, const int64_t *gain, const int64_t *shift, uint32_t reduced_mask) {
    int64_t stride = 1;
    n->kept = n->reduced = (gei_norm_axes){ .n = 1 };
    for (int32_t d = 0; d < rank; d++) stride *= dims[d] > 0 ? dims[d] : 1;
    for (int32_t d = 0; d < rank; d++) {
        stride /= dims[d] > 0 ? dims[d] : 1;
        if (dims[d] == 1) continue;
        add_dim(reduced_mask >> d & 1 ? &n->reduced : &n->kept, dims[d], stride, gain[d], shift[d]);
    }
    if (n->kept.rank == 0) add_dim(&n->kept, 1, 1, 0, 0);
    if (n->reduced.rank == 0) add_dim(&n->reduced, 1, 1, 0, 0);
}

typedef struct place {
    int64_t x, gain, shift;
} place;

static place place_of(const gei_norm_axes *a, int64_t index) {
    place p = { 0, 0, 0 };
    for (int32_t d = a->rank - 1; d >= 0; d--) {
        int64_t at = d > 0 ? index % a->dims[d] : index;
        p.x += at * a->x[d];
        p.gain += at * a->gain[d];
        p.shift += at * a->shift[d];
        index /= a->dims[d] > 0 ? a->dims[d] : 1;
    }
    return p;
}

/* Body for each run of the reduced dims: `run` elements at `from`, a->x[last] apart. */
#define FOR_RUNS(a, from, run)                                                                   \
    for (int64_t run = (a)->dims[(a)->rank - 1], row_ = 0; row_ < (a)->n; row_ += run)           \
        for (place from = place_of(a, row_), *once_ = &from; once_; once_ = NULL)

/* Four sums side by side, so that one addition need not wait for the one before it. */
#define SUM(name, T, LOAD, TERM)                                                                 \
    static double name(const T *x, int64_t step, int64_t n, double mean) {                       \
        double sums[4] = { 0 };                                                                  \
        int64_t k = 0;                                                                           \
        (void)mean;                                                                              \
        for (; k + 4 <= n; k += 4)                                                               \
            for (int64_t j = 0; j < 4; j++) {                                                    \
                double v = (double)LOAD(x[(k + j) * step]);                                      \
                sums[j] += TERM;                                                                 \
            }                                                                                    \
        for (; k < n; k++) {                                                                     \
            double v = (double)LOAD(x[k * step]);                                                \
            sums[0] += TERM;                                                                     \
        }                                                                                        \
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);                                        \
    }

static double factor_of(const gei_norm *n, double spread) {
    switch (n->kind) {
    case GEI_NORM_SPREAD: return 1 / (sqrt(spread) + n->epsilon);
    case GEI_NORM_L1: case GEI_NORM_L2: return spread != 0 ? 1 / spread : 0;
    default: return 1 / sqrt(spread + n->epsilon);
    }
}

/* One run; constant steps let it be computed in vectors. */
#define APPLY(T, LOAD, STORE, STEP, GAIN_AT, SHIFT_AT)                                           \
    for (int64_t j = 0; j < run; j++)                                                            \
        out[j * (STEP)] = (T)STORE(((double)LOAD(in[j * (STEP)]) - mean) * factor * g[GAIN_AT] + o[SHIFT_AT]);

#define NORM(suffix, T, LOAD, STORE)                                                                                              \
    SUM(sum_##suffix, T, LOAD, v)                                                                                                 \
    SUM(sum_abs_##suffix, T, LOAD, fabs(v))                                                                                       \
    SUM(sum_squares_##suffix, T, LOAD, (v - mean) * (v - mean))                                                                   \
    void gei_norm_apply_##suffix(const gei_norm *n, const void *x_, const double *gain, const double *shift, void *y_, int64_t k, \
                                 const gei_norm_stats *s) {                                                                       \
        const gei_norm_axes *a = &n->reduced;                                                                                     \
        place base = place_of(&n->kept, k);                                                                                       \
        const T *x = (const T *)x_ + base.x;                                                                                      \
        T *y = (T *)y_ + base.x;                                                                                                  \
        int64_t step = a->x[a->rank - 1], gain_step = a->gain[a->rank - 1], shift_step = a->shift[a->rank - 1];                   \
        const double mean = s->mean, factor = s->factor;                                                                          \
        const double one = 1, zero = 0;                                                                                           \
        FOR_RUNS(a, from, run) {                                                                                                  \
            const double *g = gain ? gain + base.gain + from.gain : &one, *o = shift ? shift + base.shift + from.shift : &zero;   \
            int64_t g_step = gain ? gain_step : 0, o_step = shift ? shift_step : 0;                                               \
            const T *in = x + from.x;                                                                                             \
            T *out = y + from.x;                                                                                                  \
            if (step == 1 && g_step == 0 && o_step == 0) APPLY(T, LOAD, STORE, 1, 0, 0)                                           \
            else if (step == 1 && g_step == 1 && o_step == 1) APPLY(T, LOAD, STORE, 1, j, j)                                      \
            else APPLY(T, LOAD, STORE, step, j * g_step, j * o_step)                                                              \
        }                                                                                                                         \
    }                                                                                                                             \
    void gei_norm_##suffix(const gei_norm *n, const void *x_, const double *gain, const double *shift, void *y, int64_t k,        \
                           gei_norm_stats *out) {                                                                                 \
        const gei_norm_axes *a = &n->reduced;                                                                                     \
        const T *x = (const T *)x_ + place_of(&n->kept, k).x;                                                                     \
        int64_t step = a->x[a->rank - 1];                                                                                         \
        double mean = 0, spread = 0;                                                                                              \
        if (n->kind == GEI_NORM_MEAN || n->kind == GEI_NORM_SPREAD) {                                                             \
            FOR_RUNS(a, from, run) mean += sum_##suffix(x + from.x, step, run, 0);                                                \
            mean /= (double)a->n;                                                                                                 \
        }                                                                                                                         \
        FOR_RUNS(a, from, run)                                                                                                    \
            spread += n->kind == GEI_NORM_L1 ? sum_abs_##suffix(x + from.x, step, run, 0) : sum_squares_##suffix(x + from.x, step, run, mean); \
        if (n->kind == GEI_NORM_L2) spread = sqrt(spread);                                                                        \
        else if (n->kind != GEI_NORM_L1) spread /= (double)a->n;                                                                  \
        *out = (gei_norm_stats){ mean, spread, factor_of(n, spread) };                                                            \
        gei_norm_apply_##suffix(n, x_, gain, shift, y, k, out);                                                                   \
    }
GEI_FLOAT_TYPES(NORM)
