/* SPDX-License-Identifier: Apache-2.0 */
/* wide: the float32 loops of rows by their names, compiled once for each instruction set.  Each gives the numbers of the row's own
 * loop within the bounds of wide_math.h; those without a function of that file are equal. */
#ifndef GEI_KERNELS_WIDE_H
#define GEI_KERNELS_WIDE_H

#include <stddef.h>

#include "kernels/loops.h"

typedef struct gei_wide {
    const char *name;        /* of the row */
    gei_unary_loop unary;    /* one of the two; y may be x (or a, b) itself, but not overlap otherwise */
    gei_binary_loop binary;
} gei_wide;

extern const gei_wide gei_wide_portable[], gei_wide_avx2[], gei_wide_avx512[]; /* end with name NULL */

const gei_wide *gei_wide_find(const gei_wide *table, const char *name); /* NULL: none */
const gei_wide *gei_wide_find_sized(const gei_wide *table, const char *name, size_t name_size);

#endif
