/* SPDX-License-Identifier: Apache-2.0 */
/* All that shape rules find wrong in a graph just read, not only the first of it. */
#include "ops/eval.h"
#include "ops/import.h"

typedef struct checking {
    const gei_graph *graph;
    gei_arena arena;
    gei_infos infos;
    bool *is_broken; /* by node index: nothing is known of its outputs, and that was told */
    const gei_info **in;
} checking;

static bool gather_inputs(const checking *c, const gei_node *node) {
    for (uint32_t k = 0; k < node->n_ins; k++) {
        gei_value from = node->ins[k].from;
        if (from.node && c->is_broken[from.node->index]) return false;
        c->in[k] = from.node ? gei_infos_of(&c->infos, from) : NULL;
    }
    return true;
}

static ge_status check_node(checking *c, gei_node *node, ge_status (*tell)(void *, const gei_node *, ge_status), void *user, gei_diag *diag) {
    gei_info *out = gei_arena_array(&c->arena, gei_info, node->n_outs ? node->n_outs : 1);
    if (!out) return gei_out_of_memory(diag, 0);
    c->infos.by_node[node->index] = out;
    c->is_broken[node->index] = !gather_inputs(c, node);
    if (c->is_broken[node->index]) return GE_OK;
    if (diag && diag->node[0]) gei_diag_clear(diag); /* left from a call that went well */
    ge_status status = gei_infer_node(node, c->in, out, &c->infos, diag);
    if (status == GE_OK || status == GE_ERR_OUT_OF_MEMORY) return status;
    c->is_broken[node->index] = true;
    return tell(user, node, status);
}

static ge_status begin(checking *c, gei_node ***out_order, size_t *out_count, gei_diag *diag) {
    uint32_t most = 0;
    GEI_TRY(gei_graph_order(c->graph, &c->arena, out_order, out_count, diag));
    for (size_t k = 0; k < *out_count; k++)
        if ((*out_order)[k]->n_ins > most) most = (*out_order)[k]->n_ins;
    c->infos = (gei_infos){ .n_nodes = c->graph->nodes.count, .arena = &c->arena, .from = c->graph->from };
    c->infos.by_node = gei_arena_array(&c->arena, gei_info *, c->infos.n_nodes + 1);
    c->is_broken = gei_arena_array(&c->arena, bool, c->infos.n_nodes + 1);
    c->in = gei_arena_array(&c->arena, const gei_info *, (size_t)most + 1);
    return c->infos.by_node && c->is_broken && c->in ? GE_OK : gei_out_of_memory(diag, 0);
}

static ge_status give_outputs(checking *c, ge_status (*take)(void *, const gei_import_type *, uint32_t), void *user, gei_diag *diag) {
    const gei_node *end = c->graph->net_output;
    if (!end) return GE_OK;
    gei_import_type *types = gei_arena_array(&c->arena, gei_import_type, end->n_ins + 1);
    if (!types) return gei_out_of_memory(diag, 0);
    for (uint32_t k = 0; k < end->n_ins; k++) {
        gei_value from = end->ins[k].from;
        types[k] = (gei_import_type){ GEI_UNDEFINED, gei_shape_unknown() };
        if (!from.node || c->is_broken[from.node->index]) continue;
        const gei_info *info = gei_infos_of(&c->infos, from);
        types[k] = (gei_import_type){ info->dtype, info->shape };
    }
    return take(user, types, end->n_ins);
}

ge_status gei_import_check(const gei_graph *g, ge_status (*tell)(void *user, const gei_node *node, ge_status status),
                           ge_status (*take)(void *user, const gei_import_type *types, uint32_t count), void *user, gei_diag *diag) {
    checking c = { .graph = g };
    gei_node **order;
    size_t count;
    gei_arena_init(&c.arena, g->from);
    ge_status status = begin(&c, &order, &count, diag);
    for (size_t k = 0; status == GE_OK && k < count; k++) status = check_node(&c, order[k], tell, user, diag);
    if (status == GE_OK && take) status = give_outputs(&c, take, user, diag);
    gei_infos_release(&c.infos);
    gei_arena_deinit(&c.arena);
    return status;
}
