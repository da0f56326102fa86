/* SPDX-License-Identifier: Apache-2.0 */
/* rows: float32 loops along a run of neighbours, compiled once for each instruction set.  Sums are kept in 16 lanes on all of them,
 * so that only exp differs in its last digits. */
#ifndef GEI_KERNELS_ROWS_H
#define GEI_KERNELS_ROWS_H

#include "kernels/window.h"

typedef struct gei_rows {
    void (*softmax)(const float *x, float *y, int64_t n, int log); /* y may be x; relative error
                                                                      * (8 + |x - max|) * 2^-24, of the logarithm 8 * 2^-24 * (its size + 1) */
    double (*sum)(const float *x, int64_t n);                      /* as in double, but in another order */
    double (*sum_of_squares)(const float *x, double mean, int64_t n); /* of differences from the mean */
    /* y = (x - mean) * scale * gamma + beta; gamma and beta may be NULL.  y may be x. */
    void (*normalize)(const float *x, float mean, float scale, const float *gamma, const float *beta, float *y, int64_t n);
    /* Largest of each window of one dense plane, dilation 1 or more; NaN wins.  A window outside the input gives -infinity. */
    void (*max_plane)(const gei_window *w, const float *x, float *y);
} gei_rows;

extern const gei_rows gei_rows_portable, gei_rows_avx2, gei_rows_avx512;

#endif
