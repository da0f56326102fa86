/* SPDX-License-Identifier: Apache-2.0 */
/* conv_fast: float32 convolution kernels for channels-first tensors, tried before the reference. */
#ifndef GEI_OPS_NN_CALCULATION_CONV_FAST_H
#define GEI_OPS_NN_CALCULATION_CONV_FAST_H

#include "kernels/conv.h"
#include "ops/op.h"

/* conv.c: sizes and strides of a convolution whose shapes are known. */
ge_status gei_conv_geometry(const gei_sizing *s, gei_conv *c, gei_diag *diag);
bool gei_conv_is_channels_first(const gei_choice *c);
double gei_conv_work(const gei_conv *c); /* multiplications for one output channel of one image */

bool gei_conv_depthwise_accepts(const gei_choice *c, gei_reason *why);
bool gei_conv_sgemm_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_conv_fast_prepare(gei_prepare *p, gei_diag *diag);
ge_status gei_conv_sgemm_prepare(gei_prepare *p, gei_diag *diag);
void gei_conv_fast_destroy(void *prepared);
ge_status gei_conv_depthwise_size(gei_sizing *s, gei_diag *diag);
ge_status gei_conv_sgemm_size(gei_sizing *s, gei_diag *diag);
ge_status gei_conv_depthwise_run(const gei_run *run, uint32_t part);
ge_status gei_conv_sgemm_run_step(const gei_run *run, uint32_t part);

bool gei_conv_pixels_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_conv_pixels_prepare(gei_prepare *p, gei_diag *diag);
ge_status gei_conv_pixels_size(gei_sizing *s, gei_diag *diag);
ge_status gei_conv_pixels_run_step(const gei_run *run, uint32_t part);
/* conv_winograd.c */
bool gei_conv_winograd_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_conv_winograd_prepare(gei_prepare *p, gei_diag *diag);
void gei_conv_winograd_destroy(void *prepared);
ge_status gei_conv_winograd_size(gei_sizing *s, gei_diag *diag);
ge_status gei_conv_winograd_run(const gei_run *run, uint32_t part);

#define GEI_CONV_FAST_KERNELS                                                                             \
    { .name = "depthwise", .accepts = gei_conv_depthwise_accepts, .prepare = gei_conv_fast_prepare,       \
      .size = gei_conv_depthwise_size, .run = gei_conv_depthwise_run },                                   \
    { .name = "winograd", .accepts = gei_conv_winograd_accepts, .prepare = gei_conv_winograd_prepare,     \
      .size = gei_conv_winograd_size, .run = gei_conv_winograd_run, .destroy = gei_conv_winograd_destroy }, \
    { .name = "pixels", .accepts = gei_conv_pixels_accepts, .prepare = gei_conv_pixels_prepare,           \
      .size = gei_conv_pixels_size, .run = gei_conv_pixels_run_step, .destroy = gei_conv_fast_destroy },  \
    { .name = "sgemm", .accepts = gei_conv_sgemm_accepts, .prepare = gei_conv_sgemm_prepare,              \
      .size = gei_conv_sgemm_size, .run = gei_conv_sgemm_run_step, .destroy = gei_conv_fast_destroy }

#endif
