/* SPDX-License-Identifier: Apache-2.0 */
/* variables: those of a graph and of all its bodies, by name; where they are written, read first, looked at through views. */
#include <string.h>

#include "plan/plan_inner.h"

static const char *name_of(const gei_node *node) {
    const char *shared = gei_node_text(node, "shared_name", "");
    return shared[0] ? shared : node->name;
}

static bool has_trait(const gei_node *node, uint32_t trait) { return node && gei_op_has(gei_op_of(node), trait); }

uint32_t gei_plan_find_var(const gei_plan *plan, const char *name, size_t name_size) {
    uint64_t index;
    return gei_strmap_find(&plan->root->var_names, name, name_size, &index) ? (uint32_t)index : GEI_NO_VALUE;
}

static uint32_t var_of(const gei_plan *plan, const gei_node *node) {
    const char *name = name_of(node);
    return gei_plan_find_var(plan, name, strlen(name));
}

/* ---- listing: the root plan only ---- */

static ge_status check_same(const gei_plan_var *a, const gei_plan_var *b, const gei_node *node, gei_diag *diag) {
    if (a->dtype == b->dtype && gei_shape_same(&a->shape, &b->shape)) return GE_OK;
    char found[GEI_DIAG_WORD_BYTES], wanted[GEI_DIAG_WORD_BYTES];
    gei_diag_node(diag, node->name);
    gei_shape_text(&b->shape, NULL, found, sizeof found);
    gei_shape_text(&a->shape, NULL, wanted, sizeof wanted);
    return gei_fail(diag, a->dtype == b->dtype ? GE_ERR_SHAPE : GE_ERR_DTYPE, "variable '%s' is %s%s and %s%s", a->name, gei_dtype_name(a->dtype),
                    wanted, gei_dtype_name(b->dtype), found);
}

static ge_status check_initial(const gei_plan_var *v, const gei_node *node, gei_diag *diag) {
    gei_shape shape = v->initial ? gei_tensor_shape(v->initial) : v->shape;
    bool fits = !v->initial || (v->initial->dtype == v->dtype && gei_shape_same(&v->shape, &shape));
    if (fits) return GE_OK;
    gei_diag_node(diag, node->name);
    return gei_fail(diag, v->initial->dtype == v->dtype ? GE_ERR_SHAPE : GE_ERR_DTYPE, "variable '%s': its first content has another type or shape",
                    v->name);
}

static ge_status list_one(gei_plan *plan, const gei_node *node, gei_diag *diag) {
    const gei_attr *value = gei_node_attr(node, "value");
    gei_plan_var v = { .name = name_of(node), .dtype = node->outs[0].dtype, .format = node->outs[0].format, .shape = gei_out_shape(&node->outs[0]),
                       .initial = value && value->kind == GEI_ATTR_TENSOR ? value->v.tensor : NULL };
    size_t size = strlen(v.name);
    uint32_t at = gei_plan_find_var(plan, v.name, size);
    GEI_TRY(check_initial(&v, node, diag));
    if (at != GEI_NO_VALUE) {
        gei_plan_var *known = &plan->vars[at];
        if (!known->initial) known->initial = v.initial;
        return check_same(known, &v, node, diag);
    }
    if (!gei_strmap_put(&plan->var_names, v.name, size, plan->n_vars)) return gei_out_of_memory(diag, size);
    plan->vars[plan->n_vars++] = v;
    return GE_OK;
}

/* The variable whose memory the value of `node` is, through views and writers; NULL: none. */
static const gei_node *behind(const gei_node *node) {
    for (size_t left = node ? node->graph->nodes.count : 0; node && left > 0; left--) {
        if (has_trait(node, GEI_OP_VARIABLE)) return node;
        bool passes = has_trait(node, GEI_OP_VIEW) || has_trait(node, GEI_OP_IDENTITY) || has_trait(node, GEI_OP_WRITES);
        if (!passes || node->n_ins == 0) return NULL;
        node = node->ins[0].from.node;
    }
    return NULL;
}

static const gei_graph *graph_at(const gei_graph *root, size_t k) { return k == 0 ? root : root->subgraphs.items[k - 1]; }

ge_status gei_plan_list_vars(gei_plan *plan, gei_diag *diag) {
    const gei_graph *root = plan->graph;
    size_t count = 0, n_graphs = root->root == root ? root->subgraphs.count + 1 : 1;
    gei_strmap_init(&plan->var_names, plan->from);
    for (size_t k = 0; k < n_graphs; k++)
        for (size_t i = 0; graph_at(root, k) && i < graph_at(root, k)->nodes.count; i++)
            count += has_trait(graph_at(root, k)->nodes.items[i], GEI_OP_VARIABLE);
    plan->vars = gei_arena_array(&plan->arena, gei_plan_var, count);
    if (!plan->vars) return gei_out_of_memory(diag, count * sizeof *plan->vars);
    if (count == 0) return GE_OK;
    for (size_t k = 0; k < n_graphs; k++)
        for (size_t i = 0; graph_at(root, k) && i < graph_at(root, k)->nodes.count; i++)
            if (has_trait(graph_at(root, k)->nodes.items[i], GEI_OP_VARIABLE)) GEI_TRY(list_one(plan, graph_at(root, k)->nodes.items[i], diag));
    for (size_t k = 0; k < n_graphs; k++)
        for (size_t i = 0; graph_at(root, k) && i < graph_at(root, k)->nodes.count; i++) {
            const gei_node *node = graph_at(root, k)->nodes.items[i];
            const gei_node *variable = has_trait(node, GEI_OP_WRITES) && node->n_ins > 0 ? behind(node->ins[0].from.node) : NULL;
            if (variable) plan->vars[var_of(plan, variable)].is_written = true;
        }
    return GE_OK;
}

/* ---- what is read before it is set ---- */

static void read_var(gei_plan *plan, const gei_node *variable) {
    gei_plan_var *v = variable ? &plan->root->vars[var_of(plan, variable)] : NULL;
    if (v && !v->is_set_first) v->is_read_first = true;
}

/* A node's accesses in order of the root graph; bodies may read whatever they name. */
static void access_of(gei_plan *plan, const gei_node *node) {
    for (uint32_t k = 0; k < node->n_ins; k++)
        if (k > 0 || !has_trait(node, GEI_OP_SETS)) read_var(plan, behind(node->ins[k].from.node));
    for (uint32_t k = 0; k < node->n_subgraphs; k++) {
        const gei_graph *body = node->subgraphs[k].graph;
        for (size_t i = 0; i < body->nodes.count; i++)
            if (body->nodes.items[i]) access_of(plan, body->nodes.items[i]);
    }
    const gei_node *set = has_trait(node, GEI_OP_SETS) && node->n_ins > 0 ? behind(node->ins[0].from.node) : NULL;
    gei_plan_var *v = set ? &plan->root->vars[var_of(plan, set)] : NULL;
    if (v && !v->is_read_first && node->graph == plan->root->graph) v->is_set_first = true;
}

/* ---- in every plan ---- */

static bool has_effects(const gei_node *node) {
    for (uint32_t k = 0; k < node->n_subgraphs; k++) {
        const gei_graph *body = node->subgraphs[k].graph;
        for (size_t i = 0; i < body->nodes.count; i++) {
            const gei_node *inner = body->nodes.items[i];
            if (inner && (has_trait(inner, GEI_OP_WRITES) || has_effects(inner))) return true;
        }
    }
    return false;
}

ge_status gei_plan_use_vars(gei_plan *plan, gei_diag *diag) {
    bool is_root = plan->root == plan;
    bool *changes = gei_arena_array(&plan->arena, bool, plan->n_values); /* memory that some node may write */
    if (!changes) return gei_out_of_memory(diag, plan->n_values);
    for (size_t i = 0; i < plan->n_order; i++) {
        gei_plan_node *pn = &plan->nodes[i];
        pn->var = has_trait(pn->node, GEI_OP_VARIABLE) ? var_of(plan, pn->node) : GEI_NO_VALUE;
        if (is_root && plan->n_vars > 0) access_of(plan, pn->node);
        if (pn->work == GEI_WORK_CONTROL) pn->has_effects = has_effects(pn->node);
        bool is_ref = gei_op_has(pn->op, GEI_OP_INPUT | GEI_OP_STATEFUL);
        bool reads_changes = pn->node->n_ins > 0 && pn->in[0] != GEI_NO_VALUE && changes[pn->in[0]];
        if (gei_op_has(pn->op, GEI_OP_WRITES)) {
            const gei_node *from = pn->node->n_ins > 0 ? pn->node->ins[0].from.node : NULL;
            if (!reads_changes) {
                gei_diag_node(diag, pn->node->name);
                return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': '%s' is no variable", pn->node->def->name, pn->node->name, from ? from->name : "nothing");
            }
            changes[pn->first_out] = true;
        } else if (pn->work == GEI_WORK_VIEW && reads_changes) {
            pn->work = GEI_WORK_KERNEL; /* a copy, so that it keeps what was read when something writes later */
        } else if (pn->var != GEI_NO_VALUE || is_ref) {
            changes[pn->first_out] = is_ref || plan->root->vars[pn->var].is_written;
        }
    }
    return GE_OK;
}
