/* SPDX-License-Identifier: Apache-2.0 */
/* conv: direct convolution over up to three spatial dims, grouped, dilated, any layout that strides can say. */
#ifndef GEI_KERNELS_CONV_H
#define GEI_KERNELS_CONV_H

#include "kernels/window.h"

typedef struct gei_conv {
    gei_window window;
    int64_t batch, groups;
    int64_t in_channels, out_channels;  /* of one group */
    int64_t x_batch, x_channel, x_at[GEI_WINDOW_DIMS]; /* strides in elements */
    int64_t w_out, w_in, w_at[GEI_WINDOW_DIMS];
    int64_t y_batch, y_channel, y_at[GEI_WINDOW_DIMS];
} gei_conv;

/* Planes [begin, end) of the batch * groups * out_channels output planes.  bias: one number for each output channel, or NULL. */
typedef void (*gei_conv_fn)(const gei_conv *c, const void *x, const void *w, const double *bias, void *y, int64_t begin, int64_t end);

#define X(suffix, T, LOAD, STORE) \
    void gei_conv_ref_##suffix(const gei_conv *c, const void *x, const void *w, const double *bias, void *y, int64_t begin, int64_t end);
GEI_FLOAT_TYPES(X)
#undef X
void gei_conv_ref_i8_i32(const gei_conv *c, const void *x, const void *w, const double *bias, void *y, int64_t begin, int64_t end);

#endif
