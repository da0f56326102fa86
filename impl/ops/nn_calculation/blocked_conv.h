/* SPDX-License-Identifier: Apache-2.0 */
/* blocked_conv: which convolutions have a kernel in the blocked layout. */
#ifndef GEI_OPS_NN_CALCULATION_BLOCKED_CONV_H
#define GEI_OPS_NN_CALCULATION_BLOCKED_CONV_H

#include "ops/blocked.h"
#include "ops/window.h"

/* Of Conv2D or GeBlockedConv2D: both have x, filter, bias first and the same attribute groups. */
bool gei_blocked_conv_fits(const gei_choice *c, gei_reason *why);
bool gei_blocked_conv_takes_plain(const gei_choice *c); /* of one that fits: x may be [N, C, H, W] */

#endif
