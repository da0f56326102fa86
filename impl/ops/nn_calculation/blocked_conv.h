/* SPDX-License-Identifier: Apache-2.0 */
/* blocked_conv: which convolutions have a kernel in the blocked layout. */
#ifndef GEI_OPS_NN_CALCULATION_BLOCKED_CONV_H
#define GEI_OPS_NN_CALCULATION_BLOCKED_CONV_H

#include "ops/blocked.h"
#include "ops/elementwise.h"
#include "ops/window.h"

/* Of Conv2D or GeBlockedConv2D: both have x, filter, bias first and the same attribute groups. */
bool gei_blocked_conv_fits(const gei_choice *c, gei_reason *why);
bool gei_blocked_conv_takes_plain(const gei_choice *c); /* of one that fits: x may be [N, C, H, W] */

/* ---- what the kernels of GeBlockedConv2D share ---- */
typedef struct gei_blocked_sized {
    gei_blocked_conv conv;      /* without pointers */
    int64_t batch, groups;      /* of the reference */
    int64_t x_image, y_image;   /* floats */
    int64_t panels, cuts;       /* of a dense convolution: panels, and how many runs of them */
    int64_t units, unit_pixels; /* of an image: runs of pixels (Winograd: of tiles) */
} gei_blocked_sized;

typedef struct gei_blocked_prepared {
    const gei_blocked_isa *isa;
    gei_act act;
    float low, high;
    gei_curve curve;
    const gei_allocator *from;
    float *filter, *bias;       /* one block of memory */
    size_t bytes;
} gei_blocked_prepared;

ge_status gei_blocked_size_common(gei_sizing *s, gei_blocked_sized **out, gei_diag *diag);
/* All but filter and bias, for which it makes room. */
ge_status gei_blocked_prepare_common(gei_prepare *p, size_t filter_floats, gei_diag *diag);
gei_blocked_conv gei_blocked_conv_of(const gei_run *run, int64_t image);
void gei_blocked_conv_destroy(void *prepared);

/* blocked_winograd.c */
bool gei_blocked_winograd_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_blocked_winograd_prepare(gei_prepare *p, gei_diag *diag);
ge_status gei_blocked_winograd_size(gei_sizing *s, gei_diag *diag);
ge_status gei_blocked_winograd_run_step(const gei_run *run, uint32_t part);

#endif
