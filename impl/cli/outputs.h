/* SPDX-License-Identifier: Apache-2.0 */
/* outputs: results shown as figures and written as .npy files. */
#ifndef GE_CLI_OUTPUTS_H
#define GE_CLI_OUTPUTS_H

#include <stdbool.h>

#include "cli/model.h"
#include "cli/npy.h"

typedef struct output_figures {
    bool is_known;  /* numbers of a type we can read, and at least one that is finite */
    double lowest, highest, mean; /* over the finite elements */
    uint64_t n_not_finite;
} output_figures;

/* The tensor of a value, dense; owned by the caller.  An exit code. */
int outputs_take_tensor(const ge_value *value, const char *name, ge_tensor **out);

/* Views the tensor as an array that borrows its memory; do not npy_deinit it. */
int outputs_view(const ge_tensor *tensor, const char *name, npy_array *out);

void outputs_measure(const npy_array *array, output_figures *out);
bool outputs_elem(const npy_array *array, uint64_t index, double *out); /* false: a type without a number */

/* DIR/NAME.npy with what a file name cannot hold replaced; differs from the names of outputs before it. */
int outputs_write(const char *dir, const model *m, size_t index, const npy_array *array, char *path, size_t path_cap);

#endif
