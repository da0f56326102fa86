/* SPDX-License-Identifier: Apache-2.0 */
/* norm: normalisation of the reduced dims of each kept element, with a gain and an offset that are found by strides of their own.
 *
 *   layer     kept rows, reduced columns; gain by column
 *   group     [batch, group, channels of a group, places]: kept the first two, gain by (group, channel)
 *   channel   kept channels, reduced batch and places; gain by channel */
#ifndef GEI_KERNELS_NORM_H
#define GEI_KERNELS_NORM_H

#include "kernels/types.h"

#define GEI_NORM_RANK 8

typedef enum gei_norm_kind {
    GEI_NORM_MEAN,    /* (x - mean) / sqrt(variance + epsilon) */
    GEI_NORM_SPREAD,  /* (x - mean) / (sqrt(variance) + epsilon) */
    GEI_NORM_RMS,     /* x / sqrt(mean of squares + epsilon) */
    GEI_NORM_L1,      /* x / sum of magnitudes, 0 where that is 0 */
    GEI_NORM_L2
} gei_norm_kind;

typedef struct gei_norm_axes { /* some dims, in their order */
    int32_t rank;              /* at least 1 */
    int64_t n;
    int64_t dims[GEI_NORM_RANK], x[GEI_NORM_RANK], gain[GEI_NORM_RANK], shift[GEI_NORM_RANK]; /* strides in elements */
} gei_norm_axes;

typedef struct gei_norm {
    gei_norm_axes kept, reduced;
    gei_norm_kind kind;
    double epsilon;
} gei_norm;

typedef struct gei_norm_stats { /* of one kept element */
    double mean, variance;      /* RMS: 0 and the mean of squares; L1, L2: 0 and the norm */
    double factor;              /* what x - mean is multiplied by */
} gei_norm_stats;

/* x is dense; gain and shift strides by dim, 0 where repeated. */
void gei_norm_plan(gei_norm *n, int32_t rank, const int64_t *dims, const int64_t *gain, const int64_t *shift, uint32_t reduced_mask);

/* Kept element k: statistics, then y.  gain and shift may be NULL. */
typedef void (*gei_norm_fn)(const gei_norm *n, const void *x, const double *gain, const double *shift, void *y, int64_t k, gei_norm_stats *out);
/* y = (x - mean) * factor * gain + shift with statistics that are given. */
typedef void (*gei_norm_apply_fn)(const gei_norm *n, const void *x, const double *gain, const double *shift, void *y, int64_t k, const gei_norm_stats *s);

#define X(suffix, T, LOAD, STORE)                                                                                                              \
    void gei_norm_##suffix(const gei_norm *n, const void *x, const double *gain, const double *shift, void *y, int64_t k, gei_norm_stats *out);  \
    void gei_norm_apply_##suffix(const gei_norm *n, const void *x, const double *gain, const double *shift, void *y, int64_t k, const gei_norm_stats *s);
GEI_FLOAT_TYPES(X)
#undef X

#endif
