/* SPDX-License-Identifier: Apache-2.0 */
/* body: what the graphs inside control flow see and give.
 *
 *   If, Case   body input k = slot k + 1                     call, While   body input k = slot k
 *   SequenceMap  an item of each mapped sequence, then slots as they are
 *   Loop       iteration (int64), condition (bool), then slots 2 ...      Scan   carried, one slice of each scanned input, the rest
 *
 * Values carried from one iteration to the next keep the dims that stay the same; the others are unknown. */
#ifndef GEI_OPS_BODY_H
#define GEI_OPS_BODY_H

#include "ops/eval.h"

/* Infos of the inputs of subgraph `index` of a control-flow node; `out` has one entry for each Data node of it. */
ge_status gei_body_inputs(const gei_node *node, uint32_t index, const gei_info *const *in, gei_arena *arena, gei_info *out, uint32_t n_out,
                          gei_diag *diag);
/* Infos of the outputs of a body for given inputs; n_out of them. */
ge_status gei_body_outputs(const gei_graph *body, const gei_info *inputs, uint32_t n_in, gei_arena *arena, gei_info *out, uint32_t n_out,
                           gei_diag *diag);
/* What both agree on: *to narrowed to what also holds for `from`.  Data types that differ are an error. */
ge_status gei_info_meet(const gei_node *node, gei_info *to, const gei_info *from, gei_diag *diag);
uint32_t gei_body_input_count(const gei_graph *body);
uint32_t gei_body_output_count(const gei_graph *body);

/* Rules of the rows. */
ge_status gei_infer_branches(gei_infer *i);
ge_status gei_infer_while(gei_infer *i);
ge_status gei_infer_loop(gei_infer *i);
ge_status gei_infer_scan(gei_infer *i);
ge_status gei_infer_map(gei_infer *i);

#endif
