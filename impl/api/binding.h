/* SPDX-License-Identifier: Apache-2.0 */
/* binding: what stands behind a ge_binding handle. */
#ifndef GEI_API_BINDING_H
#define GEI_API_BINDING_H

#include "api/error.h"
#include "api/operation.h"

typedef struct gei_api_binding {
    gei_api_context *ctx;
    gei_binding *binding;      /* keeps the model alive */
    uint32_t n_inputs, n_outputs;
    bool has_run;
    uint32_t n_shown;          /* outputs whose handle was given out */
    ge_value **shown;          /* by output: a handle that shows the last result, NULL until asked for */
    _Atomic uint32_t is_running;
} gei_api_binding;

/* A run that goes on by itself has the binding for itself: GE_ERR_WRONG_STATE. */
ge_status gei_api_binding_check_free(const gei_api_binding *b, gei_diag *diag);

#endif
