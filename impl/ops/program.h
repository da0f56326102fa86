/* SPDX-License-Identifier: Apache-2.0 */
/* program: several elementwise operators as the steps of one, so that what is between them never leaves the cache.
 *
 *   Add(x0,x1);Sigmoid(t0);LeakyRelu(t1)[0.01]      x: inputs, t: results of the steps before; the last one is the output
 *
 * A step is the float32 loop of the row of that name (kernels/wide.h); the numbers behind it are the row's .params. */
#ifndef GEI_OPS_PROGRAM_H
#define GEI_OPS_PROGRAM_H

#include "ops/op.h"

#define GEI_PROGRAM_ATTR "program"  /* of a node whose row has GEI_OP_RUNS_PROGRAM */
#define GEI_PROGRAM_INPUTS 32
#define GEI_PROGRAM_STEPS 64
#define GEI_PROGRAM_PARAMS 8        /* GEI_MAX_PARAMS of elementwise.h */
#define GEI_PROGRAM_SHAPES 4        /* different shapes among inputs that are repeated */

/* ---- writing ---- */
typedef struct gei_program_ref {
    bool is_step;
    uint32_t index;
} gei_program_ref;

typedef struct gei_program_text {
    gei_sink *text;
    uint32_t n_steps;
} gei_program_text;

/* Steps the node would take; 0: it cannot be part of a program. */
uint32_t gei_program_steps_of(const gei_node *node);
/* Appends the node; args by slot.  *out: its result. */
void gei_program_append(gei_program_text *to, const gei_node *node, const gei_program_ref *args, gei_program_ref *out);

/* ---- reading ---- */
typedef struct gei_program_step {
    const char *name; /* of the row, in the program's text; not terminated */
    size_t name_size;
    gei_program_ref args[2];
    uint32_t n_args;
    double params[GEI_PROGRAM_PARAMS];
} gei_program_step;

/* Reads a program over n_inputs inputs, which may be anybody's text.  steps: room for GEI_PROGRAM_STEPS. */
ge_status gei_program_read(const char *text, uint32_t n_inputs, gei_program_step *steps, uint32_t *out_count, gei_diag *diag);

#endif
