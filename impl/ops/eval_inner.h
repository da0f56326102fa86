/* SPDX-License-Identifier: Apache-2.0 */
/* eval_inner: what eval.c and infer_graph.c share. */
#ifndef GEI_OPS_EVAL_INNER_H
#define GEI_OPS_EVAL_INNER_H

#include "ops/eval.h"
#include "ops/rules.h"

typedef struct gei_eval_call {
    const gei_node *node;
    const gei_op *op;
    const gei_kernel *kernel;       /* NULL: the reference */
    gei_tensor *const *in;          /* by slot, NULL where absent */
    const gei_info *const *in_infos;
    const gei_info *out_infos;      /* dtype known; shape unknown where the kernel finds it */
    const gei_allocator *from;
    uint32_t in_place;              /* tests: 1 + slot of the input whose bytes output 0 takes over (a copy of them); GE_ERR_WRONG_STATE
                                       when the sizes differ; 0: none */
} gei_eval_call;

/* Gives outputs with one reference each; all NULL on failure. */
ge_status gei_eval_call_run(const gei_eval_call *c, gei_tensor **out, gei_diag *diag);

/* Presets `out`, checks required inputs and calls the row's rule: dtypes and shapes, no contents beyond what the rule itself gives. */
ge_status gei_infer_rule(const gei_node *node, const gei_op *op, const gei_info *const *in, gei_info *out, gei_arena *arena,
                         gei_infos *keep, gei_diag *diag);

#endif
