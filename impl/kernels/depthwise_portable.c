/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/depthwise.h"

#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define DEPTHWISE gei_depthwise_portable
#include "kernels/depthwise_template.h"
