/* SPDX-License-Identifier: Apache-2.0 */
#define LANES 8
#define VW 4
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define WINOGRAD gei_winograd_portable
#include "kernels/winograd_template.h"
