/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_residual: a convolution that is only read by the sum with a value of its own shape adds that value itself.
 *
 *   GeBlockedConv2D(x, filter, bias) -> Add(r) -> y          GeBlockedConv2D(x, filter, bias, r) -> y
 *
 * The sum starts with what the addition ended with: the last digit may differ. */
#include "passes/pipeline.h"

/* Why the sum cannot go into the producer of input `slot`; NULL: it can. */
static const char *refusal(const gei_pass_context *c, const gei_node *sum, uint32_t slot) {
    gei_value x = sum->ins[slot].from, other = sum->ins[1 - slot].from;
    const gei_info *x_info = gei_infos_of(c->infos, x), *y = gei_infos_of(c->infos, gei_value_of((gei_node *)(uintptr_t)sum, 0));
    const gei_slot *to = gei_node_slot_named(x.node, "residual");
    float low, high;
    if (!to || to->from.node) return "not fused: the convolution adds a value already";
    if (gei_node_clip(x.node, &low, &high) || gei_attrs_find(&x.node->attrs, GEI_ATTR_CURVE)) return "not fused: the convolution ends with a curve or clip";
    if (gei_value_use_count(x) != 1) return "not fused: the convolution has other readers";
    if (x_info->dtype != GEI_FLOAT32 || gei_infos_of(c->infos, other)->dtype != GEI_FLOAT32) return "not fused: the data type is not float32";
    if (!gei_shape_same(&x_info->shape, &y->shape) || !gei_shape_same(&gei_infos_of(c->infos, other)->shape, &y->shape)) return "not fused: shapes differ";
    return NULL;
}

static void try_sum(gei_pass_context *c, gei_node *sum) {
    const char *why = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t slot = 1 - i; /* of two convolutions the second: its product is young */
        gei_value x = sum->ins[slot].from, other = sum->ins[1 - slot].from;
        if (!x.node || !other.node || x.out != 0 || !gei_op_has(gei_op_of(x.node), GEI_OP_TAKES_RESIDUAL)) continue;
        if (x.node->ctrl_ins.count || x.node->ctrl_outs.count || x.node == other.node) continue;
        const char *reason = refusal(c, sum, slot);
        if (reason) {
            why = reason;
            continue;
        }
        gei_slot_set(gei_node_slot_named(x.node, "residual"), other);
        gei_pass_note(c, "fuse_residual", sum, x.node->name);
        gei_value_replace_uses(gei_value_of(sum, 0), x);
        gei_graph_remove_node(sum);
        c->n_changes++;
        return;
    }
    if (why) gei_pass_note(c, "fuse_residual", sum, why);
}

ge_status gei_pass_fuse_residual(gei_pass_context *c, gei_diag *diag) {
    (void)diag;
    for (size_t i = 0; i < c->n_order; i++) {
        gei_node *node = c->order[i];
        if (gei_op_has(gei_op_of(node), GEI_OP_ADDS) && node->n_ins == 2 && !node->ctrl_ins.count && !node->ctrl_outs.count) try_sum(c, node);
    }
    return GE_OK;
}
