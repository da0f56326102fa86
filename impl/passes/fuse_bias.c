/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_bias: a product that is only read by the addition of one constant for each column adds it itself.
 *
 *   MatMul(a, b) -> Add(bias[n]) -> y          MatMul(a, b, bias) -> y
 *
 * The sum starts with the bias instead of ending with it: the last digit may differ. */
#include "passes/pipeline.h"

static bool is_bias(const gei_pass_context *c, gei_value value, gei_value product) {
    gei_tensor *bias = value.node ? gei_node_const(value.node) : NULL;
    const gei_shape *y = &gei_infos_of(c->infos, product)->shape;
    return bias && bias->rank == 1 && y->rank >= 2 && y->dims[y->rank - 1] == bias->dims[0] && bias->dtype == GEI_FLOAT32;
}

/* The slot of the product when the other one is its bias; UINT32_MAX: none. */
static uint32_t product_slot(const gei_pass_context *c, const gei_node *sum) {
    for (uint32_t i = 0; i < 2 && sum->n_ins == 2; i++) {
        gei_value x = sum->ins[i].from, other = sum->ins[1 - i].from;
        if (x.node && x.out == 0 && gei_op_has(gei_op_of(x.node), GEI_OP_TAKES_BIAS) && is_bias(c, other, x)) return i;
    }
    return UINT32_MAX;
}

static void fuse(gei_pass_context *c, gei_node *sum, uint32_t slot) {
    gei_value x = sum->ins[slot].from, bias = sum->ins[1 - slot].from;
    gei_slot *to = gei_node_slot_named(x.node, "bias");
    float low, high;
    if (!to || to->from.node || gei_node_clip(x.node, &low, &high)) {
        gei_pass_note(c, "fuse_bias", sum, "not fused: the product has a bias or a clip already");
        return;
    }
    if (gei_value_use_count(x) != 1) {
        gei_pass_note(c, "fuse_bias", sum, "not fused: the product has other readers");
        return;
    }
    if (gei_infos_of(c->infos, x)->dtype != GEI_FLOAT32 || !gei_shape_same(&gei_infos_of(c->infos, x)->shape, &gei_infos_of(c->infos, gei_value_of(sum, 0))->shape)) {
        gei_pass_note(c, "fuse_bias", sum, "not fused: the data type is not float32");
        return;
    }
    gei_slot_set(to, bias);
    gei_pass_note(c, "fuse_bias", sum, x.node->name);
    gei_value_replace_uses(gei_value_of(sum, 0), x);
    gei_graph_remove_node(sum);
    c->n_changes++;
}

ge_status gei_pass_fuse_bias(gei_pass_context *c, gei_diag *diag) {
    (void)diag;
    for (size_t i = 0; i < c->n_order; i++) {
        gei_node *node = c->order[i];
        if (!gei_op_has(gei_op_of(node), GEI_OP_ADDS) || node->ctrl_ins.count || node->ctrl_outs.count) continue;
        uint32_t slot = product_slot(c, node);
        if (slot != UINT32_MAX) fuse(c, node, slot);
    }
    return GE_OK;
}
