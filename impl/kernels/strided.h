/* SPDX-License-Identifier: Apache-2.0 */
/* strided: a dense output whose elements are read from an input by strides of any sign: transpose, slice, flip, repeat. */
#ifndef GEI_KERNELS_STRIDED_H
#define GEI_KERNELS_STRIDED_H

#include <stddef.h>
#include <stdint.h>

#define GEI_STRIDED_RANK 9 /* a slice of rank 8 and one inner dim */

typedef struct gei_strided {
    int32_t rank;               /* at least 1 after merging; the last dim is the run */
    int64_t n_elems;
    int64_t dims[GEI_STRIDED_RANK], strides[GEI_STRIDED_RANK]; /* output dims; steps of the input in elements */
    int64_t base;               /* input element of the first output element */
    size_t elem_bytes;          /* 1, 2, 4, 8 or 16 */
} gei_strided;

void gei_strided_add(gei_strided *s, int64_t dim, int64_t stride); /* dims from the outermost, into a cleared struct with n_elems 1 */
/* Merges dims that walk on without a jump; call once behind the last dim. */
void gei_strided_merge(gei_strided *s);
/* Output elements [begin, end). */
void gei_strided_copy(const gei_strided *s, const void *x, void *y, int64_t begin, int64_t end);

#endif
