/* SPDX-License-Identifier: Apache-2.0 */
/* fold_affine: what scales and shifts the channels of a convolution by constants goes into its filter and bias.
 *
 *   Conv2D(x, w, b) -> BNInfer(scale, offset, mean, variance) -> y          Conv2D(x, w * s, b * s + t) -> y
 *   Conv2D(x, w) -> Mul([C,1,1]) -> y                                       Conv2D(x, w * s) -> y
 *
 * s and t are found by asking: in double, the node turns 0 into t and 1 into s + t.  Runs once in topological order, so that chains
 * fold one by one.  Results differ by the rounding of the new weights. */
#include <math.h>
#include <string.h>

#include "passes/pipeline.h"

typedef struct affine {
    int64_t channels;
    double *scale, *shift;
} affine;

/* The one input that is no constant; UINT32_MAX: none, or several. */
static uint32_t moving_slot(const gei_node *node) {
    uint32_t slot = UINT32_MAX;
    for (uint32_t i = 0; i < node->n_ins; i++) {
        if (!node->ins[i].from.node || gei_node_const(node->ins[i].from.node)) continue;
        if (slot != UINT32_MAX) return UINT32_MAX;
        slot = i;
    }
    return slot;
}

static ge_status widen(gei_pass_context *c, const gei_tensor *t, gei_tensor **out, gei_diag *diag) {
    GEI_TRY(gei_tensor_create(c->from, GEI_FLOAT64, t->rank, t->dims, out, diag));
    for (int64_t i = 0; i < t->n_elems; i++) ((double *)(*out)->data)[i] = gei_tensor_f64(t, i);
    return GE_OK;
}

/* What the node makes of channels that are all `x`: to[channels].  GE_ERR_UNSUPPORTED: no answer. */
static ge_status ask(gei_pass_context *c, const gei_node *node, gei_tensor **ins, uint32_t slot, double x, int64_t channels, double *to, gei_diag *diag) {
    gei_tensor **outs = gei_arena_array(c->arena, gei_tensor *, node->n_outs);
    gei_diag why = { 0 };
    if (!outs) return gei_out_of_memory(diag, node->n_outs * sizeof *outs);
    for (int64_t i = 0; i < channels; i++) ((double *)ins[slot]->data)[i] = x;
    ge_status st = gei_eval_node(node, ins, outs, NULL, c->from, &why);
    if (st == GE_ERR_OUT_OF_MEMORY && diag) *diag = why;
    if (st != GE_OK) return st == GE_ERR_OUT_OF_MEMORY ? st : GE_ERR_UNSUPPORTED;
    bool fits = outs[0]->dtype == GEI_FLOAT64 && outs[0]->n_elems == channels;
    if (fits) memcpy(to, outs[0]->data, (size_t)channels * sizeof *to);
    for (uint32_t i = 0; i < node->n_outs; i++) gei_tensor_release(outs[i]);
    return fits ? GE_OK : GE_ERR_UNSUPPORTED;
}

static ge_status ask_both(gei_pass_context *c, const gei_node *node, gei_tensor **ins, uint32_t slot, affine *a, gei_diag *diag) {
    a->scale = gei_arena_array(c->arena, double, a->channels);
    a->shift = gei_arena_array(c->arena, double, a->channels);
    if (!a->scale || !a->shift) return gei_out_of_memory(diag, (size_t)a->channels * sizeof(double));
    GEI_TRY(ask(c, node, ins, slot, 0, a->channels, a->shift, diag));
    GEI_TRY(ask(c, node, ins, slot, 1, a->channels, a->scale, diag));
    for (int64_t i = 0; i < a->channels; i++) {
        a->scale[i] -= a->shift[i];
        if (!isfinite(a->scale[i]) || !isfinite(a->shift[i])) return GE_ERR_UNSUPPORTED;
    }
    return GE_OK;
}

static ge_status find_affine(gei_pass_context *c, const gei_node *node, uint32_t slot, int32_t rank, affine *a, gei_diag *diag) {
    gei_tensor **ins = gei_arena_array(c->arena, gei_tensor *, node->n_ins);
    int64_t dims[GEI_MAX_RANK];
    ge_status st = ins ? GE_OK : gei_out_of_memory(diag, node->n_ins * sizeof *ins);
    for (int32_t d = 0; d < rank; d++) dims[d] = d == 1 ? a->channels : 1;
    for (uint32_t i = 0; i < node->n_ins && st == GE_OK; i++) {
        if (i == slot) st = gei_tensor_create(c->from, GEI_FLOAT64, rank, dims, &ins[i], diag);
        else if (node->ins[i].from.node) st = widen(c, gei_node_const(node->ins[i].from.node), &ins[i], diag);
    }
    if (st == GE_OK) st = ask_both(c, node, ins, slot, a, diag);
    for (uint32_t i = 0; ins && i < node->n_ins; i++) gei_tensor_release(ins[i]);
    return st;
}

/* ---- rewriting ---- */

static ge_status set_const(gei_pass_context *c, gei_slot *slot, gei_tensor *t, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_graph_add_const(c->graph, NULL, t, &node, diag));
    gei_slot_set(slot, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status scale_filter(gei_pass_context *c, gei_node *conv, const affine *a, gei_diag *diag) {
    gei_slot *slot = gei_node_slot_named(conv, "filter");
    const gei_tensor *from = gei_node_const(slot->from.node);
    gei_tensor *to;
    int64_t each = from->n_elems / a->channels;
    GEI_TRY(gei_tensor_create(c->from, GEI_FLOAT32, from->rank, from->dims, &to, diag));
    to->format = from->format;
    for (int64_t i = 0; i < from->n_elems; i++)
        ((float *)to->data)[i] = (float)((double)((const float *)from->data)[i] * a->scale[i / each]);
    ge_status st = set_const(c, slot, to, diag);
    gei_tensor_release(to);
    return st;
}

static ge_status change_bias(gei_pass_context *c, gei_node *conv, const affine *a, gei_diag *diag) {
    gei_slot *slot = gei_node_slot_named(conv, "bias");
    const gei_tensor *from = slot->from.node ? gei_node_const(slot->from.node) : NULL;
    gei_tensor *to;
    bool any = from != NULL;
    for (int64_t i = 0; i < a->channels; i++) any = any || a->shift[i] != 0;
    if (!any) return GE_OK;
    GEI_TRY(gei_tensor_create(c->from, GEI_FLOAT32, 1, &a->channels, &to, diag));
    for (int64_t i = 0; i < a->channels; i++)
        ((float *)to->data)[i] = (float)((from ? (double)((const float *)from->data)[i] : 0) * a->scale[i] + a->shift[i]);
    ge_status st = set_const(c, slot, to, diag);
    gei_tensor_release(to);
    return st;
}

/* Why the node cannot go into its producer; NULL: it can. */
static const char *refusal(const gei_pass_context *c, const gei_node *node, gei_value x) {
    const gei_slot *filter = gei_node_slot_named(x.node, "filter"), *bias = gei_node_slot_named(x.node, "bias");
    const gei_tensor *weights = filter && filter->from.node ? gei_node_const(filter->from.node) : NULL;
    const gei_info *before = gei_infos_of(c->infos, x), *after = gei_infos_of(c->infos, gei_value_of((gei_node *)(uintptr_t)node, 0));
    if (!weights || weights->dtype != GEI_FLOAT32 || weights->n_elems == 0) return "not folded: the filter is no float32 constant";
    if (!bias || (bias->from.node && !gei_node_const(bias->from.node))) return "not folded: the bias is no constant";
    if (before->dtype != GEI_FLOAT32 || !gei_shape_same(&before->shape, &after->shape)) return "not folded: it changes the shape";
    if (gei_value_use_count(x) != 1) return "not folded: the convolution has other readers";
    if (weights->size_bytes > c->fold_left_bytes) return "not folded: enough memory went into folded constants";
    for (uint32_t i = 1; i < node->n_outs; i++)
        if (node->outs[i].first_use) return "not folded: its other outputs are read";
    return NULL;
}

static ge_status fold(gei_pass_context *c, gei_node *node, uint32_t slot, gei_diag *diag) {
    gei_value x = node->ins[slot].from;
    const char *why = refusal(c, node, x);
    affine a = { 0 };
    if (!why) {
        const gei_tensor *filter = gei_node_const(gei_node_slot_named(x.node, "filter")->from.node);
        a.channels = filter->dims[0];
        ge_status st = find_affine(c, node, slot, gei_infos_of(c->infos, x)->shape.rank, &a, diag);
        if (st != GE_OK && st != GE_ERR_UNSUPPORTED) return st;
        if (st == GE_ERR_UNSUPPORTED) why = "not folded: it does more than scale and shift channels";
    }
    if (why) {
        gei_pass_note(c, "fold_affine", node, why);
        return GE_OK;
    }
    c->fold_left_bytes -= gei_node_const(gei_node_slot_named(x.node, "filter")->from.node)->size_bytes;
    GEI_TRY(scale_filter(c, x.node, &a, diag));
    GEI_TRY(change_bias(c, x.node, &a, diag));
    gei_pass_note(c, "fold_affine", node, x.node->name);
    gei_value_replace_uses(gei_value_of(node, 0), x);
    gei_graph_remove_node(node);
    c->n_changes++;
    return GE_OK;
}

/* The producer says whether its filter is [out channel, ...] and its output has channels in axis 1. */
static ge_status takes_affine(gei_pass_context *c, const gei_node *node, bool *out, gei_diag *diag) {
    const gei_op *op = gei_op_of(node);
    *out = false;
    if (!op || !op->takes_affine || node->ctrl_ins.count || node->ctrl_outs.count) return GE_OK;
    const gei_info **in = gei_arena_array(c->arena, const gei_info *, node->n_ins);
    gei_info *made = gei_arena_array(c->arena, gei_info, node->n_ins); /* of constants this pass has made */
    if (!in || !made) return gei_out_of_memory(diag, node->n_ins * sizeof *made);
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_value from = node->ins[i].from;
        if (!from.node) continue;
        const gei_tensor *t = from.node->index < c->infos->n_nodes ? NULL : gei_node_const(from.node);
        if (t) made[i] = (gei_info){ .dtype = t->dtype, .format = t->format, .shape = gei_tensor_shape(t), .tensor = t };
        in[i] = t ? &made[i] : gei_infos_of(c->infos, from);
    }
    gei_choice choice = { .node = node, .in = in, .out = gei_infos_of(c->infos, gei_value_of((gei_node *)(uintptr_t)node, 0)), .n_in = node->n_ins,
                          .n_out = node->n_outs };
    *out = op->takes_affine(&choice);
    return GE_OK;
}

ge_status gei_pass_fold_affine(gei_pass_context *c, gei_diag *diag) {
    for (size_t i = 0; i < c->n_order; i++) {
        gei_node *node = c->order[i];
        if (!gei_op_has(gei_op_of(node), GEI_OP_AFFINE | GEI_OP_PURE) || node->ctrl_ins.count || node->ctrl_outs.count) continue;
        uint32_t slot = moving_slot(node);
        bool takes;
        if (slot == UINT32_MAX || node->ins[slot].from.out != 0) continue;
        GEI_TRY(takes_affine(c, node->ins[slot].from.node, &takes, diag));
        if (takes) GEI_TRY(fold(c, node, slot, diag));
    }
    return GE_OK;
}
