/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GEI_API_STATE_H
#define GEI_API_STATE_H

#include "api/model.h"
#include "exec/state.h"

typedef struct gei_api_state {
    gei_api_context *ctx;
    gei_state *state;
} gei_api_state;

ge_status gei_state_handle(gei_api_context *c, gei_state *state, ge_state **out, gei_diag *diag); /* takes the reference, also on failure */

#endif
