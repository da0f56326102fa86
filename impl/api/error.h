/* SPDX-License-Identifier: Apache-2.0 */
/* error: the per-thread record of the last failing call, and the table of statuses.
 * The record is one fixed block of thread-local memory (initial-exec: no allocation, no destructor). */
#ifndef GEI_API_ERROR_H
#define GEI_API_ERROR_H

#include "base/diag.h"

void gei_error_record(const char *function, const gei_diag *diag);
/* A ge_error with one count that holds the words of a diag; status wins over the diag's. */
ge_status gei_error_handle(const char *function, ge_status status, const gei_diag *from, ge_error **out, gei_diag *diag);
/* What the table says about a status: a sentence without a full stop, never empty; static. */
const char *gei_status_sentence(ge_status status);
/* A status a callback returned: unknown classes and successes that are none become GE_ERR_CALLBACK. */
ge_status gei_callback_status(ge_status returned, gei_diag *diag);

#endif
