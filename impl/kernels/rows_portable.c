/* SPDX-License-Identifier: Apache-2.0 */
#define ROWS_TABLE gei_rows_portable
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "kernels/rows_template.h"
