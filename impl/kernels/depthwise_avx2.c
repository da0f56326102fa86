/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/depthwise.h"

#define MULTIPLY_ADD(a, b, c) __builtin_fmaf((a), (b), (c))
#define DEPTHWISE gei_depthwise_avx2
#include "kernels/depthwise_template.h"
