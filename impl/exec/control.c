/* SPDX-License-Identifier: Apache-2.0 */
/* control: steps that run bodies. */
#include "exec/frame.h"

ge_status gei_control_init(gei_frame *frame, gei_exec_step *step, gei_diag *diag) {
    (void)frame;
    return gei_fail(diag, GE_ERR_UNSUPPORTED, "%s '%s': control flow", step->run.node->def->name, step->run.node->name);
}
void gei_control_deinit(gei_exec_step *step) { (void)step; }
ge_status gei_control_run(const gei_run *run, uint32_t part) {
    (void)run;
    (void)part;
    return GE_ERR_UNSUPPORTED;
}
