/* SPDX-License-Identifier: Apache-2.0 */
/* identity: takes out nodes whose output is their input.
 *
 *   x -> Identity -> y        x -> y
 *   x[2,3] -> Reshape -> [2,3]  (a view that changes nothing)
 *
 * A node with control edges stays: it orders others.  One walk in topological order removes chains. */
#include "passes/pipeline.h"

static bool gives_its_input(const gei_pass_context *c, const gei_node *node, const gei_op *op) {
    if (node->n_outs != 1 || node->n_ins == 0 || !node->ins[0].from.node) return false;
    const gei_op *from = gei_op_of(node->ins[0].from.node);
    if (!from || from->traits & GEI_OP_STATEFUL) return false; /* it keeps what was read, should something write later */
    if (op->traits & GEI_OP_IDENTITY) return true;
    if (!(op->traits & GEI_OP_VIEW)) return false;
    const gei_info *in = gei_infos_of(c->infos, node->ins[0].from);
    const gei_info *out = gei_infos_of(c->infos, gei_value_of((gei_node *)node, 0));
    return in->dtype == out->dtype && gei_shape_same(&in->shape, &out->shape);
}

ge_status gei_pass_identity(gei_pass_context *c, gei_diag *diag) {
    (void)diag;
    for (size_t i = 0; i < c->n_order; i++) {
        gei_node *node = c->order[i];
        const gei_op *op = gei_op_of(node);
        if (!op || !(op->traits & GEI_OP_PURE) || node->ctrl_ins.count || node->ctrl_outs.count) continue;
        if (!gives_its_input(c, node, op)) continue;
        gei_pass_note(c, "identity", node, "gives its input");
        gei_value_replace_uses(gei_value_of(node, 0), node->ins[0].from);
        gei_graph_remove_node(node);
        c->n_changes++;
    }
    return GE_OK;
}
