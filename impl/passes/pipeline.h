/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline: the passes of the table, each in a file of its own name. */
#ifndef GEI_PASSES_PIPELINE_H
#define GEI_PASSES_PIPELINE_H

#include "passes/pass.h"

ge_status gei_pass_identity(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_fold(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_cse(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_dead(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_fold_affine(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_fuse_bias(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_fuse_clip(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_fuse_curve(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_fuse_residual(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_layout(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_fuse_elementwise(gei_pass_context *c, gei_diag *diag);
ge_status gei_pass_recognise(gei_pass_context *c, gei_diag *diag);

/* One line in the notes, when somebody reads them. */
void gei_pass_note(gei_pass_context *c, const char *pass, const gei_node *node, const char *text);

#endif
