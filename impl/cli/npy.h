/* SPDX-License-Identifier: Apache-2.0 */
/* npy: NumPy's array files, format 1.0, 2.0 and 3.0.
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 6 | \x93 N U M P Y |
 * | 6 | 2 | major and minor version |
 * | 8 | 2 (1.0) or 4 | size of the header that follows, little-endian |
 * | 10 or 12 | | {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } blanks, newline |
 * | | | the elements |
 *
 * Reading converts Fortran order and big-endian files, NumPy's text (<U, |S) becomes strings in UTF-8, and what has no data type
 * of ours is refused: pickled objects, structures, dates, long double.
 * NumPy has no bfloat16 or 8-bit floats; the ml_dtypes package writes them as raw bytes.  We read and write them the same way:
 * bfloat16 is '<V2', float8_e5m2 '<f1', the other 8-bit floats '<V1', complex32 '<V4'.  A raw element only has a size, so the reader
 * is told which data type raw elements stand for; '<V2' alone always means bfloat16.  Types under 8 bits are refused. */
#ifndef GE_CLI_NPY_H
#define GE_CLI_NPY_H

#include <stdint.h>
#include <stdio.h>

#include "ge_c_api.h"

#define NPY_MAX_RANK 8
#define NPY_WHY_BYTES 256

typedef struct npy_array {
    ge_dtype dtype;
    int32_t rank;
    int64_t dims[NPY_MAX_RANK];
    uint64_t n_elems;
    uint8_t *data;      /* elements in C order and host byte order; of strings, the UTF-8 text one behind the other */
    size_t size_bytes;  /* of data */
    uint64_t *offsets;  /* strings only, owned: n_elems + 1 offsets into data */
    void *owner;        /* the malloc block that data lies in; npy_deinit */
} npy_array;

/* On failure nothing is kept and `why`, of NPY_WHY_BYTES, says what is wrong in one line. */
int npy_read_memory(const void *bytes, size_t size, ge_dtype raw_as, npy_array *out, char *why);
int npy_read_file(const char *path, ge_dtype raw_as, npy_array *out, char *why);
void npy_deinit(npy_array *array);

/* Only dtype, rank, dims, data, size_bytes and offsets count.  Format 1.0, C order, little-endian, data at a multiple of 64. */
int npy_write(FILE *to, const npy_array *array, char *why);
/* Through a file beside it that then takes its place, so nobody sees half an array. */
int npy_write_file(const char *path, const npy_array *array, char *why);

#endif
