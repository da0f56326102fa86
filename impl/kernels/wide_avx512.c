/* SPDX-License-Identifier: Apache-2.0 */
#define WIDE_TABLE gei_wide_avx512
#define MULTIPLY_ADD(a, b, c) __builtin_fmaf((a), (b), (c))
#define SQUARE_ROOT(x) __builtin_sqrtf(x)
#include "kernels/wide_template.h"
