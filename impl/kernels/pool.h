/* SPDX-License-Identifier: Apache-2.0 */
/* pool: largest or mean value of each window, plane by plane. */
#ifndef GEI_KERNELS_POOL_H
#define GEI_KERNELS_POOL_H

#include <stdbool.h>

#include "kernels/window.h"

typedef struct gei_pool {
    gei_window window;
    int64_t batch, channels;
    int64_t x_batch, x_channel, x_at[GEI_WINDOW_DIMS]; /* strides in elements */
    int64_t y_batch, y_channel, y_at[GEI_WINDOW_DIMS];
    bool count_pads;   /* mean: the divisor counts taps in the padding (but not beyond it) */
    int64_t divisor;   /* mean: not 0: the divisor */
    int64_t index_at[GEI_WINDOW_DIMS]; /* max: an index is the plane's number * plane elements + place times these */
} gei_pool;

/* Planes [begin, end) of batch * channels.  index (int64, laid out as y) may be NULL.  A window without an element inside the input gives
 * the lowest value, index -1. */
typedef void (*gei_pool_max_fn)(const gei_pool *p, const void *x, void *y, int64_t *index, int64_t begin, int64_t end);
typedef void (*gei_pool_mean_fn)(const gei_pool *p, const void *x, void *y, int64_t begin, int64_t end);

#define X(suffix, T, LOAD, STORE)                                                                                   \
    void gei_pool_max_##suffix(const gei_pool *p, const void *x, void *y, int64_t *index, int64_t begin, int64_t end); \
    void gei_pool_mean_##suffix(const gei_pool *p, const void *x, void *y, int64_t begin, int64_t end);
GEI_FLOAT_TYPES(X)
#undef X
#define X(suffix, T, U) void gei_pool_max_##suffix(const gei_pool *p, const void *x, void *y, int64_t *index, int64_t begin, int64_t end);
GEI_INT_TYPES(X)
#undef X

#endif
