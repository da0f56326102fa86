/* SPDX-License-Identifier: Apache-2.0 */
/* winograd: float32 convolution with 3x3 filters, stride 1, by F(2x2, 3x3): 16 products instead of 36 for four pixels.
 * Lavin, Gray: Fast Algorithms for Convolutional Neural Networks (arXiv 1509.09308), section 4.1.
 *
 *   tiles of 2x2 output pixels, numbered along the rows; a panel is nr of them
 *   V[16][in_channels][nr]   = B' d B of every 4x4 input tile
 *   M[16][rows][nr]          = U[16] * V[16], U = G g G' of the filters, made once and packed by rows
 *   y                        = A' M A + bias, clipped
 *
 * Results differ from direct sums by at most 4 * (in_channels + 16) * 2^-24 * sum |x| |filter|, the sum taken over all in_channels
 * 4x4 tiles and 3x3 filters of the pixel: a large x disturbs its neighbours.  An infinity or NaN would spread to them, so rows that
 * come out with one are summed again directly. */
#ifndef GEI_KERNELS_WINOGRAD_H
#define GEI_KERNELS_WINOGRAD_H

#include <stdbool.h>

#include "kernels/conv.h"
#include "kernels/sgemm.h"

#define GEI_WINOGRAD_POINTS 16
#define GEI_WINOGRAD_ROWS 48 /* output channels of one M; a multiple of mr of every instruction set */

typedef struct gei_winograd_isa {
    /* V rows of one channel: tiles [begin, end) of the plane, a point's rows `point` floats apart. */
    void (*input)(const gei_window *w, const float *plane, int64_t begin, int64_t end, float *v, size_t point);
    /* Pixels of tiles [begin, end) of one output channel from its rows of M; false: not every one is finite. */
    bool (*output)(const gei_window *w, const float *m, size_t point, int64_t begin, int64_t end, float bias, float lo, float hi, float *plane);
} gei_winograd_isa;

extern const gei_winograd_isa gei_winograd_portable, gei_winograd_avx2, gei_winograd_avx512;

typedef struct gei_winograd {
    const gei_conv *conv; /* one group */
    const gei_sgemm_isa *product;
    const gei_winograd_isa *isa;
    const float *x, *filter, *bias; /* x of one image; filter as it came; bias NULL: none */
    const float *u;                 /* gei_winograd_filter */
    float *y;
    float lo, hi;
} gei_winograd;

static inline int64_t gei_winograd_tiles_across(const gei_window *w) { return (w->out[2] + 1) / 2; }
static inline int64_t gei_winograd_tiles(const gei_window *w) { return (w->out[1] + 1) / 2 * gei_winograd_tiles_across(w); }

/* Floats of U; 0 on overflow. */
size_t gei_winograd_filter_floats(const gei_sgemm_isa *product, int64_t out_channels, int64_t in_channels);
/* `work`: GEI_WINOGRAD_POINTS * out_channels * in_channels floats. */
void gei_winograd_filter(const gei_sgemm_isa *product, const float *filter, int64_t out_channels, int64_t in_channels, float *work, float *u);
/* Floats one call of gei_winograd_run needs. */
size_t gei_winograd_scratch_floats(const gei_sgemm_isa *product, int64_t in_channels);
/* Output channels [row_begin, row_end), row_begin a multiple of GEI_WINOGRAD_ROWS, of one panel of tiles. */
void gei_winograd_run(const gei_winograd *g, int64_t panel, int64_t row_begin, int64_t row_end, float *scratch);

#endif
