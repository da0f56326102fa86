/* SPDX-License-Identifier: Apache-2.0 */
#include "api/problem.h"

#include "api/error.h"

ge_status gei_problem_report(const gei_problem_sink *sink, const gei_diag *found, const char *op_type, const char *domain, int32_t opset,
                             uint64_t offset, gei_diag *diag) {
    if (!sink->problem) return GE_OK;
    ge_problem problem = { .struct_size = sizeof problem,
                           .status = found->status,
                           .opset = opset,
                           .message = found->message,
                           .node = found->node,
                           .op_type = op_type ? op_type : "",
                           .domain = domain ? domain : "",
                           .argument = found->argument,
                           .found = found->found,
                           .wanted = found->wanted,
                           .offset = offset };
    ge_status returned = sink->problem(sink->user, &problem);
    return returned == GE_OK ? GE_OK : gei_callback_status(returned, diag);
}
