/* SPDX-License-Identifier: Apache-2.0 */
/* problem: how importers and the compiler report everything that is wrong through the caller's triple. */
#ifndef GEI_API_PROBLEM_H
#define GEI_API_PROBLEM_H

#include "api/object.h"

typedef struct gei_problem_sink {
    ge_problem_fn problem; /* nullable */
    void *user;
} gei_problem_sink;

/* GE_OK, or what the callback returned, checked. */
ge_status gei_problem_report(const gei_problem_sink *sink, const gei_diag *found, const char *op_type, const char *domain, int32_t opset,
                             uint64_t offset, gei_diag *diag);

#endif
