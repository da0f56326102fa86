/* SPDX-License-Identifier: Apache-2.0 */
#define ROWS_TABLE gei_rows_avx512
#define MULTIPLY_ADD(a, b, c) __builtin_fmaf((a), (b), (c))
#include "kernels/rows_template.h"
