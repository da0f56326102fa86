/* SPDX-License-Identifier: Apache-2.0 */
/* fold: computes at compile time what does not depend on the run.
 *
 *   Const, Const -> Add -> y         Const(sum) -> y
 *   Shape(x[2,3]) -> y               Const([2,3]) -> y      (known from shape inference, whatever x holds)
 *
 * Runs once in topological order: a folded producer is a Const when its consumer is reached.  The reference kernel computes. */
#include <string.h>

#include "passes/pipeline.h"

/* Known elements of an integer tensor as a tensor; NULL with GE_OK when not all are known. */
static ge_status tensor_from_elems(const gei_pass_context *c, const gei_info *info, gei_tensor **out, gei_diag *diag) {
    *out = NULL;
    int64_t n;
    if (!info->elems || !gei_shape_elems(&info->shape, &n) || (uint64_t)n != info->n_elems) return GE_OK;
    if (info->dtype != GEI_INT32 && info->dtype != GEI_INT64) return GE_OK;
    for (uint32_t i = 0; i < info->n_elems; i++)
        if (!info->elems[i].known) return GE_OK;
    gei_tensor *t;
    GEI_TRY(gei_tensor_create(c->from, info->dtype, info->shape.rank, info->shape.dims, &t, diag));
    for (uint32_t i = 0; i < info->n_elems; i++) {
        if (info->dtype == GEI_INT32) ((int32_t *)t->data)[i] = (int32_t)info->elems[i].number;
        else ((int64_t *)t->data)[i] = info->elems[i].number;
    }
    *out = t;
    return GE_OK;
}

/* Every output known from inference: gives references, or leaves all NULL. */
static ge_status known_outputs(const gei_pass_context *c, gei_node *node, gei_tensor **outs, gei_diag *diag) {
    for (uint32_t i = 0; i < node->n_outs; i++) {
        const gei_info *info = gei_infos_of(c->infos, gei_value_of(node, i));
        ge_status st = GE_OK;
        if (info->tensor) outs[i] = gei_tensor_retain((gei_tensor *)info->tensor);
        else st = tensor_from_elems(c, info, &outs[i], diag);
        if (st == GE_OK && outs[i]) continue;
        for (uint32_t k = 0; k < i; k++) gei_tensor_release(outs[k]);
        memset(outs, 0, node->n_outs * sizeof *outs);
        return st;
    }
    return GE_OK;
}

static bool outputs_are_small(const gei_pass_context *c, gei_node *node, uint64_t *out_bytes) {
    *out_bytes = 0;
    for (uint32_t i = 0; i < node->n_outs; i++) {
        const gei_info *info = gei_infos_of(c->infos, gei_value_of(node, i));
        int64_t n;
        size_t size_bytes = 0;
        if (!gei_shape_elems(&info->shape, &n)) return false;
        if (info->dtype != GEI_STRING && (!gei_dtype_bytes(info->dtype, (uint64_t)n, &size_bytes) || size_bytes > c->fold_limit_bytes))
            return false;
        *out_bytes += size_bytes;
    }
    return true;
}

static bool inputs_are_const(const gei_pass_context *c, const gei_node *node, gei_tensor **ins) {
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_value from = node->ins[i].from;
        ins[i] = NULL;
        if (!from.node) continue;
        ins[i] = gei_node_const(from.node);
        if (!ins[i] && from.node->index < c->infos->n_nodes && c->infos->by_node[from.node->index])
            ins[i] = (gei_tensor *)gei_infos_of(c->infos, from)->tensor;
        if (!ins[i]) return false;
    }
    return true;
}

static ge_status replace_by_consts(gei_pass_context *c, gei_node *node, gei_tensor *const *outs, gei_diag *diag) {
    for (uint32_t i = 0; i < node->n_outs; i++) {
        if (!node->outs[i].first_use) continue;
        gei_node *constant;
        GEI_TRY(gei_graph_add_const(c->graph, NULL, outs[i], &constant, diag));
        constant->origin = node->origin;
        gei_value_replace_uses(gei_value_of(node, i), gei_value_of(constant, 0));
    }
    gei_pass_note(c, "fold", node, "computed");
    gei_graph_remove_node(node);
    c->n_changes++;
    return GE_OK;
}

static bool may_fold(const gei_node *node) {
    const gei_op *op = gei_op_of(node);
    if (!op || !(op->traits & GEI_OP_PURE) || (op->traits & (GEI_OP_CONST | GEI_OP_INPUT | GEI_OP_OUTPUT | GEI_OP_RANDOM | GEI_OP_STATEFUL)))
        return false;
    return node->n_outs > 0 && !node->ctrl_ins.count && !node->ctrl_outs.count && !node->n_subgraphs;
}

static ge_status fold_node(gei_pass_context *c, gei_node *node, gei_diag *diag) {
    gei_tensor **ins = gei_arena_array(c->arena, gei_tensor *, node->n_ins + 1);
    gei_tensor **outs = gei_arena_array(c->arena, gei_tensor *, node->n_outs);
    if (!ins || !outs) return gei_out_of_memory(diag, 0);
    GEI_TRY(known_outputs(c, node, outs, diag));
    if (!outs[0]) {
        uint64_t made;
        if (!inputs_are_const(c, node, ins) || !outputs_are_small(c, node, &made)) return GE_OK;
        if (made > c->fold_left_bytes) {
            gei_pass_note(c, "fold", node, "left to the run: enough memory went into folded constants");
            return GE_OK;
        }
        gei_diag why = { 0 };
        ge_status st = gei_eval_node(node, ins, outs, NULL, c->from, &why);
        if (st == GE_ERR_OUT_OF_MEMORY || st == GE_ERR_INTERNAL) { /* no fact about the graph */
            if (diag) *diag = why;
            return st;
        }
        if (st != GE_OK) { /* an error in data (index out of range) belongs to the run, should the run get there */
            gei_pass_note(c, "fold", node, why.message);
            return GE_OK;
        }
        c->fold_left_bytes -= made;
    }
    ge_status st = replace_by_consts(c, node, outs, diag);
    for (uint32_t i = 0; i < node->n_outs; i++) gei_tensor_release(outs[i]);
    return st;
}

ge_status gei_pass_fold(gei_pass_context *c, gei_diag *diag) {
    for (size_t i = 0; i < c->n_order; i++)
        if (may_fold(c->order[i])) GEI_TRY(fold_node(c, c->order[i], diag));
    return GE_OK;
}
