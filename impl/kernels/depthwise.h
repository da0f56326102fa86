/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise: float32 convolution with one input channel in each group, channels first: vectors run along the output row. */
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

/* Output planes [begin, end) of batch * groups * out_channels. */
typedef void (*gei_depthwise_fn)(const gei_depthwise *d, int64_t begin, int64_t end);
void gei_depthwise_portable(const gei_depthwise *d, int64_t begin, int64_t end);
void gei_depthwise_avx2(const gei_depthwise *d, int64_t begin, int64_t end);
void gei_depthwise_avx512(const gei_depthwise *d, int64_t begin, int64_t end);

#endif
