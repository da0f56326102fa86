/* SPDX-License-Identifier: Apache-2.0 */
/* inputs: from --input and --shape to one value per input of a model. */
#ifndef GE_CLI_INPUTS_H
#define GE_CLI_INPUTS_H

#include "cli/fill.h"
#include "cli/model.h"

/* Rows for the option tables of the commands that run a model. */
#define INPUTS_OPTION_INPUT \
    { "input", 'i', true, "NAME=SOURCE", \
      "data of an input: a .npy file, or zeros, ones, random or random:SEED.\n" \
      "Without NAME=, one of these words serves every input not named,\n" \
      "and a file the only input" }
#define INPUTS_OPTION_SHAPE \
    { "shape", 's', true, "NAME=DIMS", "shape of made-up data, such as image=1x3x224x224" }

typedef struct inputs {
    ge_value **values; /* owned, one per input of the model; NULL: an optional one left out */
    size_t count;
} inputs;

/* `otherwise` serves inputs that no --input speaks of (FILL_NONE: they are an error).  Dims that neither the model, a file,
 * --shape nor an equal symbol elsewhere tells are `unknown_dim`, or an error when that is 0.
 * Gives an exit code; inputs_deinit is due either way. */
int inputs_make(const arg_values *args, const model *m, fill otherwise, int64_t unknown_dim, inputs *out);
void inputs_deinit(inputs *in);

/* "DIMSxDIMS" (also with commas) into at most NPY_MAX_RANK dims; the empty text is a scalar. */
bool inputs_parse_dims(const char *text, int64_t *dims, int32_t *out_rank);

#endif
