/* SPDX-License-Identifier: Apache-2.0 */
/* window: layout and window attributes of convolutions and poolings, and what they make of an input size.
 * Attribute lists have one entry for each dim of the tensor in data_format order, one for each spatial dim, or one for all.
 * pads are pairs: begin and end of the first spatial dim, of the second, ... */
#ifndef GEI_OPS_WINDOW_H
#define GEI_OPS_WINDOW_H

#include "kernels/window.h"
#include "ops/rules.h"

typedef struct gei_layout { /* of an image tensor */
    int32_t n;              /* spatial dims, 1 to 3 */
    int32_t channel, spatial; /* axis of the channels, first spatial axis; batch is axis 0 */
} gei_layout;

typedef enum gei_auto_pad { GEI_PAD_GIVEN, GEI_PAD_VALID, GEI_PAD_SAME_UPPER, GEI_PAD_SAME_LOWER } gei_auto_pad;

typedef struct gei_window_attrs { /* the first n entries count */
    int32_t n;
    int64_t kernel[GEI_WINDOW_DIMS], stride[GEI_WINDOW_DIMS], dilation[GEI_WINDOW_DIMS];
    int64_t pad_begin[GEI_WINDOW_DIMS], pad_end[GEI_WINDOW_DIMS];
    gei_auto_pad auto_pad;
    bool ceil;              /* a last window that starts inside the input or its leading padding counts, even when it reaches beyond */
} gei_window_attrs;

/* From attribute data_format (`absent` when it is not there): NCHW, NHWC, NCDHW, NDHWC, NCL, ND means channels first. */
ge_status gei_read_layout(const gei_node *node, const char *absent, int32_t n_spatial, gei_layout *out, gei_diag *diag);
/* Spatial entries of a list attribute, each within [1, 2^31 - 1]; all 1 when the attribute is empty. */
ge_status gei_read_spatial(const gei_node *node, const char *name, const gei_layout *layout, int64_t *out, gei_diag *diag);
ge_status gei_read_pads(const gei_node *node, const char *name, const gei_layout *layout, gei_window_attrs *w, gei_diag *diag);
/* Text of a padding attribute: NOTSET SPECIFIC CALCULATED EXPLICIT, VALID, SAME SAME_UPPER, SAME_LOWER. */
ge_status gei_read_auto_pad(const gei_node *node, const char *name, gei_auto_pad *out, gei_diag *diag);

/* Output size of spatial dim d for input size `in` (may be unknown). */
ge_status gei_window_out_dim(const gei_node *node, const gei_window_attrs *w, int32_t d, gei_dim in, gei_dim *out, gei_diag *diag);
/* Everything concrete: in and out are the spatial sizes. */
void gei_window_fill(const gei_window_attrs *w, const int64_t *in, const int64_t *out, gei_window *to);
/* Strides of a dense image tensor, missing spatial dims 0. */
void gei_layout_strides(const gei_layout *layout, const int64_t *dims, int64_t *batch, int64_t *channel, int64_t *spatial);

#endif
