/* SPDX-License-Identifier: Apache-2.0 */
/* dots: products of a vector of doubles with a run of elements of a floating-point type; what reference kernels of attention and of
 * recurrent networks are made of. */
#ifndef GEI_KERNELS_DOTS_H
#define GEI_KERNELS_DOTS_H

#include "kernels/types.h"

typedef double (*gei_dot_fn)(const double *a, const void *b, int64_t at, int64_t n);      /* sum of a[k] * b[at + k] */
typedef void (*gei_axpy_fn)(double a, const void *x, int64_t at, int64_t n, double *y);   /* y[k] += a * x[at + k] */

#define X(suffix, T, LOAD, STORE)                                                                                         \
    static inline double gei_dot_##suffix(const double *a, const void *b, int64_t at, int64_t n) {                        \
        const T *from = (const T *)b + at;                                                                                \
        double sum = 0;                                                                                                   \
        for (int64_t k = 0; k < n; k++) sum += a[k] * (double)LOAD(from[k]);                                              \
        return sum;                                                                                                       \
    }                                                                                                                     \
    static inline void gei_axpy_##suffix(double a, const void *x, int64_t at, int64_t n, double *y) {                     \
        const T *from = (const T *)x + at;                                                                                \
        for (int64_t k = 0; k < n; k++) y[k] += a * (double)LOAD(from[k]);                                                \
    }
GEI_FLOAT_TYPES(X)
#undef X

#endif
