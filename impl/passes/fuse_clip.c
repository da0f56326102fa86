/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_clip: lets the kernel of a product or convolution clip what it writes, instead of a second walk over memory.
 *
 *   Conv2D -> Relu -> y          Conv2D[_clip = 0, inf] -> y
 *   Conv2D -> Maximum(0) -> Minimum(6) -> y     Conv2D[_clip = 0, 6] -> y
 *
 * The bounds are found by asking: a node that clips turns -inf and +inf into them.  Runs once in topological order, so chains of
 * clips meet a producer that has a clip already and narrow it. */
#include <math.h>
#include <string.h>

#include "passes/pipeline.h"

/* The one input that is not a bound; UINT32_MAX when another input depends on the run. */
static uint32_t clipped_slot(const gei_node *node) {
    uint32_t slot = UINT32_MAX;
    for (uint32_t i = 0; i < node->n_ins; i++) {
        if (!node->ins[i].from.node) continue;
        gei_tensor *bound = gei_node_const(node->ins[i].from.node);
        if (bound && bound->n_elems == 1) continue;
        if (slot != UINT32_MAX) return UINT32_MAX;
        slot = i;
    }
    return slot;
}

/* What the node makes of -inf and +inf. */
static ge_status bounds_of(gei_pass_context *c, const gei_node *node, uint32_t slot, float *out, gei_diag *diag) {
    const int64_t two = 2;
    gei_tensor *probe, *y = NULL, **ins = gei_arena_array(c->arena, gei_tensor *, node->n_ins);
    if (!ins) return gei_out_of_memory(diag, node->n_ins * sizeof *ins);
    GEI_TRY(gei_tensor_create(c->from, GEI_FLOAT32, 1, &two, &probe, diag));
    ((float *)probe->data)[0] = -INFINITY;
    ((float *)probe->data)[1] = INFINITY;
    for (uint32_t i = 0; i < node->n_ins; i++)
        ins[i] = i == slot ? probe : node->ins[i].from.node ? gei_node_const(node->ins[i].from.node) : NULL;
    ge_status st = gei_eval_node(node, ins, &y, NULL, c->from, diag);
    if (st == GE_OK) memcpy(out, y->data, 2 * sizeof *out);
    gei_tensor_release(probe);
    gei_tensor_release(y);
    return st;
}

static bool is_candidate(const gei_pass_context *c, const gei_node *node, uint32_t *out_slot) {
    if (!gei_op_has(gei_op_of(node), GEI_OP_CLIPS) || node->ctrl_ins.count || node->ctrl_outs.count) return false;
    *out_slot = clipped_slot(node);
    if (*out_slot == UINT32_MAX) return false;
    gei_value x = node->ins[*out_slot].from;
    if (!gei_op_has(gei_op_of(x.node), GEI_OP_TAKES_CLIP) || x.out != 0) return false;
    const gei_info *before = gei_infos_of(c->infos, x), *after = gei_infos_of(c->infos, gei_value_of((gei_node *)node, 0));
    return before->dtype == GEI_FLOAT32 && gei_shape_same(&before->shape, &after->shape);
}

static float clip(float x, const float *bounds) { return x > bounds[1] ? bounds[1] : x < bounds[0] ? bounds[0] : x; }

static ge_status fuse(gei_pass_context *c, gei_node *node, uint32_t slot, gei_diag *diag) {
    gei_value x = node->ins[slot].from;
    float bounds[2], low, high;
    if (gei_attrs_find(&x.node->attrs, GEI_ATTR_CURVE)) {
        gei_pass_note(c, "fuse_clip", node, "not fused: its input ends with a curve");
        return GE_OK;
    }
    if (gei_value_use_count(x) != 1) {
        gei_pass_note(c, "fuse_clip", node, "not fused: its input has other readers");
        return GE_OK;
    }
    GEI_TRY(bounds_of(c, node, slot, bounds, diag));
    if (isnan(bounds[0]) || isnan(bounds[1]) || bounds[0] > bounds[1]) {
        gei_pass_note(c, "fuse_clip", node, "not fused: its bounds are not in order");
        return GE_OK;
    }
    if (gei_node_clip(x.node, &low, &high)) {
        bounds[0] = clip(low, (float[]){ bounds[0], bounds[1] });
        bounds[1] = clip(high, (float[]){ bounds[0] < bounds[1] ? bounds[0] : bounds[1], bounds[1] });
    }
    gei_attr value = gei_attr_floats(bounds, 2);
    GEI_TRY(gei_node_set(x.node, GEI_ATTR_CLIP, &value, diag));
    gei_pass_note(c, "fuse_clip", node, x.node->name);
    gei_value_replace_uses(gei_value_of(node, 0), x);
    gei_graph_remove_node(node);
    c->n_changes++;
    return GE_OK;
}

ge_status gei_pass_fuse_clip(gei_pass_context *c, gei_diag *diag) {
    for (size_t i = 0; i < c->n_order; i++) {
        uint32_t slot;
        if (is_candidate(c, c->order[i], &slot)) GEI_TRY(fuse(c, c->order[i], slot, diag));
    }
    return GE_OK;
}
