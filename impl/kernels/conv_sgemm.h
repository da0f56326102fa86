/* SPDX-License-Identifier: Apache-2.0 */
/* conv_sgemm: float32 convolution, channels first, as products of the filter with columns of the input.
 *
 *   y[out_channels][pixels] = filter[out_channels][K] * columns[K][pixels],   K = in_channels * kernel taps
 *
 * Columns are gathered straight into packed panels, a block of k at a time, so they never leave the cache. */
#ifndef GEI_KERNELS_CONV_SGEMM_H
#define GEI_KERNELS_CONV_SGEMM_H

#include <stdbool.h>

#include "kernels/conv.h"
#include "kernels/sgemm.h"

#define GEI_CONV_K_BLOCK 384 /* rows of columns gathered at a time */

/* What to do with one image and group. */
typedef struct gei_conv_sgemm {
    const gei_conv *conv;
    const gei_sgemm_isa *isa;
    const float *x, *filter, *bias; /* of the image and group; bias NULL: none */
    bool packed;                    /* filter rows as gei_sgemm_pack_rows has them */
    float *y;
    gei_act act;
    float lo, hi;
} gei_conv_sgemm;

/* True when x and y are dense channels-first and the filter is [out][in][kernel]. */
bool gei_conv_sgemm_fits(const gei_conv *c);
int64_t gei_conv_pixels(const gei_conv *c);
/* Panels gathered together: as many as keep their columns in the second-level cache. */
int64_t gei_conv_sgemm_group(const gei_sgemm_isa *isa);
size_t gei_conv_sgemm_scratch_bytes(const gei_sgemm_isa *isa);
/* Output channels [row_begin, row_end), row_begin a multiple of mr, of pixels of panels [panel_begin, panel_end). */
void gei_conv_sgemm_run(const gei_conv_sgemm *g, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end, float *scratch);
/* ---- 1x1 kernels over few pixels: they are the rows, output channels the columns, so that a panel is full ----
 *   y^T[pixels][out_channels] = columns^T * filter^T, the filter packed by panels of output channels */
#define GEI_CONV_MOST_PIXELS 256
size_t gei_conv_pixels_scratch_bytes(const gei_conv_sgemm *g); /* 0 on overflow */
/* Panels [panel_begin, panel_end) of output channels of all pixels; g->filter as gei_sgemm_pack has it. */
void gei_conv_pixels_run(const gei_conv_sgemm *g, int64_t panel_begin, int64_t panel_end, float *scratch);

bool gei_conv_is_pointwise(const gei_conv *c); /* columns are the input itself */

#endif
