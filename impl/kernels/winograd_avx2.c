/* SPDX-License-Identifier: Apache-2.0 */
#define LANES 16
#define VW 8
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define WINOGRAD gei_winograd_avx2
#include "kernels/winograd_template.h"
