/* SPDX-License-Identifier: Apache-2.0 */
/* npy_header: the small Python literal in front of an array's bytes. */
#ifndef GE_CLI_NPY_HEADER_H
#define GE_CLI_NPY_HEADER_H

#include <stdbool.h>

#include "cli/npy.h"

typedef struct npy_header {
    char kind;             /* NumPy's kind letter: b i u f c S U V */
    uint64_t item_bytes;   /* bytes of one element in the file */
    bool is_big_endian;
    bool is_fortran;
    int32_t rank;
    int64_t dims[NPY_MAX_RANK];
    uint64_t n_elems;
    size_t data_offset;    /* the elements fill the file from here to its end, exactly */
    size_t data_bytes;
} npy_header;

/* 0, or -1 with `why` filled. */
int npy_header_read(const uint8_t *bytes, size_t size, npy_header *out, char *why);
int npy_fail(char *why, const char *format, ...) __attribute__((format(printf, 2, 3), cold)); /* gives -1 */

#endif
