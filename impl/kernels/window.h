/* SPDX-License-Identifier: Apache-2.0 */
/* window: how a kernel slides over an input, for convolution and pooling.  Always three spatial dims; missing ones come first and
 * have size 1. */
#ifndef GEI_KERNELS_WINDOW_H
#define GEI_KERNELS_WINDOW_H

#include "kernels/types.h"

#define GEI_WINDOW_DIMS 3

typedef struct gei_window {
    int64_t in[GEI_WINDOW_DIMS], out[GEI_WINDOW_DIMS], kernel[GEI_WINDOW_DIMS], stride[GEI_WINDOW_DIMS], dilation[GEI_WINDOW_DIMS];
    int64_t pad_begin[GEI_WINDOW_DIMS], pad_end[GEI_WINDOW_DIMS];
} gei_window;

/* Taps [*begin, *end) of output place `at` in dim d that lie inside the input; *origin is where tap 0 would be. */
static inline void gei_window_taps(const gei_window *w, int d, int64_t at, int64_t *origin, int64_t *begin, int64_t *end) {
    int64_t from = at * w->stride[d] - w->pad_begin[d], step = w->dilation[d];
    *origin = from;
    *begin = from < 0 ? (-from + step - 1) / step : 0;
    *end = from < w->in[d] ? (w->in[d] - from + step - 1) / step : 0;
    if (*end > w->kernel[d]) *end = w->kernel[d];
}

#endif
