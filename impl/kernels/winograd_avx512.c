/* SPDX-License-Identifier: Apache-2.0 */
#define LANES 64
#define VW 16
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define WINOGRAD gei_winograd_avx512
#include "kernels/winograd_template.h"
