/* SPDX-License-Identifier: Apache-2.0 */
/* fill: input data made up instead of read: zeros, ones or random[:SEED]. */
#ifndef GE_CLI_FILL_H
#define GE_CLI_FILL_H

#include <stdbool.h>

#include "cli/npy.h"

typedef enum fill_kind { FILL_NONE, FILL_ZEROS, FILL_ONES, FILL_RANDOM } fill_kind;

typedef struct fill {
    fill_kind kind;
    uint64_t seed; /* of FILL_RANDOM */
} fill;

/* False: `text` is none of the words; *out is FILL_NONE then. */
bool fill_parse(const char *text, fill *out);

/* Makes an array; 0, or -1 with `why` (NPY_WHY_BYTES) filled.  The same seed, stream, dtype and shape give the same bytes on
 * every machine; inputs of one model use different streams so that they differ.
 * Random floats are even steps in [-1, 1), exact in the data type; random integers, booleans and strings are 0 or 1, which
 * holds for indices and masks of any model. */
int fill_make(fill how, uint64_t stream, ge_dtype dtype, int32_t rank, const int64_t *dims, npy_array *out, char *why);

#endif
