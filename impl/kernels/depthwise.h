/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise: float32 convolution with one input channel in each group, channels first: vectors run along the output row.
 *
 * Two-dimensional windows work on a band of input rows copied with their padding, so that no tap is special.  A row of stride s is
 * kept as s rows of every s-th element: all loads of a vector are then neighbours. */
#ifndef GEI_KERNELS_DEPTHWISE_H
#define GEI_KERNELS_DEPTHWISE_H

#include "kernels/conv.h"
#include "kernels/sgemm.h"

typedef struct gei_depthwise {
    const gei_conv *conv;     /* dense channels-first, in_channels 1 */
    const float *x, *filter, *bias; /* of the whole tensor; bias NULL: none */
    float *y;
    gei_act act;
    float lo, hi;
} gei_depthwise;

/* Floats of scratch, or 0: this window takes the way without a band. */
size_t gei_depthwise_scratch_floats(const gei_conv *c);

/* Output planes [begin, end) of batch * groups * out_channels. */
typedef void (*gei_depthwise_fn)(const gei_depthwise *d, int64_t begin, int64_t end, float *scratch);
void gei_depthwise_portable(const gei_depthwise *d, int64_t begin, int64_t end, float *scratch);
void gei_depthwise_avx2(const gei_depthwise *d, int64_t begin, int64_t end, float *scratch);
void gei_depthwise_avx512(const gei_depthwise *d, int64_t begin, int64_t end, float *scratch);

/* ---- the band, for the templates ---- */
#define GEI_BAND_SLACK 32 /* floats a vector may read behind the last output of a row */

typedef struct gei_band {
    int64_t width;      /* floats of one of the `stride` rows that make up an input row */
    int64_t row;        /* floats of an input row: width * stride */
    int64_t out_rows;   /* output rows served at a time */
    int64_t rows;       /* input rows for them */
} gei_band;

void gei_band_plan(const gei_conv *c, gei_band *b);

#endif
