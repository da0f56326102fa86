/* SPDX-License-Identifier: Apache-2.0 */
/* operation: what the starters of asynchronous runs share. */
#ifndef GEI_API_OPERATION_H
#define GEI_API_OPERATION_H

#include "api/model.h"
#include "exec/async.h"

/* Behind a ge_operation handle.  Kinds derive from it: their struct begins with this one. */
typedef struct gei_api_operation {
    gei_operation op;
    gei_api_context *ctx;       /* op.origin keeps it */
    const char *function;       /* that began it, for its record; static */
    gei_tensor **outputs;       /* memory of the derived struct; those that are there hold a count */
    uint32_t n_outputs;
    bool has_outputs;           /* from the start, their bytes follow; else after a run that did not fail */
} gei_api_operation;

/* How a run is to go on, out of the caller's structs; what it names is kept until gei_async_end. */
typedef struct gei_async_call {
    gei_run_options how;
    gei_report report;
    gei_stream *stream;         /* nullable */
} gei_async_call;

/* Both nullable.  gei_async_end is due also after a failure. */
ge_status gei_async_begin(gei_async_call *call, const ge_run_options *options, const ge_async_options *async_options, gei_api_context *c,
                          gei_diag *diag);
/* On failure ends the triple of the caller.  Gives st. */
ge_status gei_async_end(gei_async_call *call, ge_status st);

/* An operation of kind, `extra` pointers behind the n_outputs of outputs; not started yet. */
ge_status gei_api_operation_create(const gei_operation_kind *kind, size_t struct_bytes, uint32_t n_outputs, size_t extra, gei_api_context *c,
                                   const gei_async_call *call, const char *function, gei_api_operation **out, gei_diag *diag);
/* Makes the handle and starts it.  Takes the operation also on failure. */
ge_status gei_api_operation_start(gei_api_operation *o, ge_operation **out, gei_diag *diag);
/* For `end` of kinds: lets the outputs go. */
void gei_api_operation_drop_outputs(gei_api_operation *o);
/* How objects of exec keep the context. */
gei_origin gei_context_origin(gei_api_context *c);

/* The tensors behind caller values, one reference each, so that a value destroyed meanwhile does not matter.  What is in `out` is the
 * caller's also after a failure. */
ge_status gei_input_tensors(const gei_api_model *m, const ge_value *const *values, size_t count, int32_t first_index, gei_tensor **out,
                            gei_diag *diag);

#endif
