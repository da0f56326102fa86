/* SPDX-License-Identifier: Apache-2.0 */
/* The checker: every invariant of graph.h.  A failure about a definition is the caller's (GE_ERR_BAD_GRAPH, GE_ERR_BAD_ATTR); one
 * about lists and owners is a defect of whoever edited the graph, and is reported the same way so that its pass gets named. */
#include <string.h>

#include "ir/builtin.h"
#include "ir/graph_inner.h"

#define FAIL(node, ...) (gei_diag_node(diag, (node)->name), gei_fail(diag, GE_ERR_BAD_GRAPH, __VA_ARGS__))

/* ---- ports ---- */

static const char *in_port(const gei_slot *slot) { return slot->owner->def->inputs[slot->port].name; }

static ge_status check_slot(const gei_graph *g, const gei_node *node, const gei_slot *slot, gei_diag *diag) {
    const gei_node *from = slot->from.node;
    if (slot->owner != node || slot->port >= node->def->n_inputs)
        return FAIL(node, "%s '%s': slot %zu belongs to another node or port", node->def->name, node->name, (size_t)(slot - node->ins));
    if (!from) {
        if (node->def->inputs[slot->port].kind == GEI_PORT_OPTIONAL || gei_node_is_input(node)) return GE_OK;
        gei_diag_found(diag, "nothing");
        gei_diag_wanted(diag, "a value");
        return FAIL(node, "%s '%s': input '%s' (%u) is not connected", node->def->name, node->name, in_port(slot), slot->nth);
    }
    if (!gei_node_is_live(from, g))
        return FAIL(node, "%s '%s': input '%s' (%u) comes from '%s', which is not in graph '%s'", node->def->name, node->name, in_port(slot),
                    slot->nth, from->name, g->name);
    if (slot->from.out >= from->n_outs)
        return FAIL(node, "%s '%s': input '%s' (%u) wants output %u of '%s', which has %u", node->def->name, node->name, in_port(slot),
                    slot->nth, slot->from.out, from->name, from->n_outs);
    return GE_OK;
}

/* Slots and outputs follow the definition: one for a port, consecutive `nth` for a dynamic one. */
static ge_status check_layout(const gei_node *node, gei_diag *diag) {
    uint32_t at = 0;
    for (uint32_t port = 0; port < node->def->n_inputs; port++) {
        uint32_t nth = 0;
        for (; at < node->n_ins && node->ins[at].port == port; at++, nth++)
            if (node->ins[at].nth != nth) return FAIL(node, "%s '%s': slot %u is out of order", node->def->name, node->name, at);
        if (node->def->inputs[port].kind != GEI_PORT_DYNAMIC && nth != 1)
            return FAIL(node, "%s '%s': input '%s' has %u slots, wanted 1", node->def->name, node->name, node->def->inputs[port].name, nth);
    }
    if (at != node->n_ins) return FAIL(node, "%s '%s': slot %u has no port", node->def->name, node->name, at);
    at = 0;
    for (uint32_t port = 0; port < node->def->n_outputs; port++) {
        uint32_t nth = 0;
        for (; at < node->n_outs && node->outs[at].port == port; at++, nth++)
            if (node->outs[at].nth != nth) return FAIL(node, "%s '%s': output %u is out of order", node->def->name, node->name, at);
        if (node->def->outputs[port].kind != GEI_PORT_DYNAMIC && nth != 1)
            return FAIL(node, "%s '%s': output '%s' has %u values, wanted 1", node->def->name, node->name, node->def->outputs[port].name, nth);
    }
    if (at != node->n_outs) return FAIL(node, "%s '%s': output %u has no port", node->def->name, node->name, at);
    return GE_OK;
}

static ge_status check_dtype(const gei_node *node, const gei_port_def *port, const char *side, int32_t dtype, gei_diag *diag) {
    int32_t row = gei_dtype_index(dtype);
    if (row < 0) return FAIL(node, "%s '%s': %s '%s' has unknown data type number %d", node->def->name, node->name, side, port->name, (int)dtype);
    if (dtype == GEI_UNDEFINED || (port->dtypes[0] | port->dtypes[1]) == 0) return GE_OK;
    if (port->dtypes[row / 64] >> (row % 64) & 1) return GE_OK;
    gei_diag_node(diag, node->name);
    gei_diag_found(diag, "%s", gei_dtype_name(dtype));
    return gei_fail(diag, GE_ERR_DTYPE, "%s '%s': %s '%s' does not take %s", node->def->name, node->name, side, port->name,
                    gei_dtype_name(dtype));
}

static ge_status check_out(const gei_node *node, uint32_t i, gei_diag *diag) {
    const gei_out *out = &node->outs[i];
    if (out->rank < GEI_RANK_UNKNOWN || out->rank > GEI_MAX_RANK)
        return FAIL(node, "%s '%s': output %u has rank %d", node->def->name, node->name, i, (int)out->rank);
    for (int32_t d = 0; d < out->rank; d++) {
        if (!gei_dim_is_symbol(out->dims[d]) || (uint64_t)(-2 - out->dims[d]) < node->graph->symbols->names.count) continue;
        return FAIL(node, "%s '%s': dim %d of output %u is a symbol the graph does not have", node->def->name, node->name, (int)d, i);
    }
    return check_dtype(node, &node->def->outputs[out->port], "output", out->dtype, diag);
}

/* ---- uses: each list is well linked and holds slots that read this very value; a count over all shows that none is missing ---- */

static ge_status check_uses(const gei_graph *g, const gei_node *node, uint32_t i, uint64_t *budget, gei_diag *diag) {
    const gei_out *out = &node->outs[i];
    const gei_slot *before = NULL;
    for (const gei_slot *use = out->first_use; use; before = use, use = use->next_use) {
        const gei_node *owner = use->owner;
        bool is_slot = gei_node_is_live(owner, g) && use >= owner->ins && use < owner->ins + owner->n_ins;
        if (!is_slot || use->from.node != node || use->from.out != i || use->prev_use != before || *budget == 0)
            return FAIL(node, "%s '%s': the use list of output %u is broken", node->def->name, node->name, i);
        --*budget;
    }
    if (out->last_use != before) return FAIL(node, "%s '%s': the use list of output %u has a wrong end", node->def->name, node->name, i);
    return GE_OK;
}

static ge_status check_controls(const gei_graph *g, const gei_node *node, bool outs, gei_diag *diag) {
    const gei_node_list *list = outs ? &node->ctrl_outs : &node->ctrl_ins;
    for (uint32_t i = 0; i < list->count; i++) {
        const gei_node *other = list->items[i];
        uint32_t mirror = gei_list_mirrors(list)[i];
        if (!gei_node_is_live(other, g) || other == node)
            return FAIL(node, "%s '%s': control edge %u leads outside the graph or to itself", node->def->name, node->name, i);
        const gei_node_list *back = outs ? &other->ctrl_ins : &other->ctrl_outs;
        if (mirror >= back->count || back->items[mirror] != node || gei_list_mirrors(back)[mirror] != i)
            return FAIL(node, "%s '%s': control edge with '%s' is known on one side only", node->def->name, node->name, other->name);
    }
    return GE_OK;
}

/* ---- attributes ---- */

static ge_status check_attrs(const gei_node *node, gei_diag *diag) {
    for (uint32_t i = 0; i < node->def->n_attrs; i++) {
        const gei_attr_def *def = &node->def->attrs[i];
        const gei_attr *set = gei_attrs_find(&node->attrs, def->name);
        bool is_empty = set && set->kind == GEI_ATTR_TENSOR && !set->v.tensor;
        if (set ? set->kind == def->kind && !is_empty : !def->required) continue;
        gei_diag_node(diag, node->name);
        gei_diag_found(diag, "%s", set && !is_empty ? gei_attr_kind_name(set->kind) : "nothing");
        gei_diag_wanted(diag, "%s", gei_attr_kind_name(def->kind));
        if (!set || is_empty)
            return gei_fail(diag, GE_ERR_BAD_ATTR, "%s '%s': required attribute '%s' is missing", node->def->name, node->name, def->name);
        return gei_fail(diag, GE_ERR_BAD_ATTR, "%s '%s': attribute '%s' is of kind %s, wanted %s", node->def->name, node->name, def->name,
                        gei_attr_kind_name(set->kind), gei_attr_kind_name(def->kind));
    }
    return GE_OK;
}

/* ---- subgraphs ---- */

static ge_status check_subgraph_refs(const gei_graph *g, const gei_node *node, gei_diag *diag) {
    for (uint32_t i = 0; i < node->n_subgraphs; i++) {
        const gei_graph *nested = node->subgraphs[i].graph;
        if (nested->parent != node || nested->root != g->root || nested->sub_index >= g->root->subgraphs.count ||
            g->root->subgraphs.items[nested->sub_index] != nested)
            return FAIL(node, "%s '%s': subgraph on port '%s' does not belong to it", node->def->name, node->name, node->subgraphs[i].port);
    }
    for (uint32_t p = 0; p < node->def->n_subgraphs; p++) {
        uint32_t n = 0;
        if (node->def->subgraphs[p].dynamic) continue;
        for (uint32_t i = 0; i < node->n_subgraphs; i++) n += strcmp(node->subgraphs[i].port, node->def->subgraphs[p].name) == 0;
        if (n == 1) continue;
        return FAIL(node, "%s '%s' has %u subgraphs on port '%s', wanted 1", node->def->name, node->name, n, node->def->subgraphs[p].name);
    }
    return GE_OK;
}

/* A nested graph takes its inputs from those of its node. */
static ge_status check_nesting(const gei_graph *g, size_t n_inputs, gei_diag *diag) {
    if (g->root == g) return GE_OK;
    if (!g->parent) return gei_fail(diag, GE_ERR_BAD_GRAPH, "subgraph '%s' hangs on no node", g->name);
    if (n_inputs > g->parent->n_ins)
        return FAIL(g->parent, "subgraph '%s' has %zu inputs, but its node %s '%s' has %u", g->name, n_inputs, g->parent->def->name,
                    g->parent->name, g->parent->n_ins);
    return GE_OK;
}

/* ---- whole graph ---- */

static ge_status check_place(const gei_graph *g, const gei_node *node, size_t index, gei_diag *diag) {
    uint64_t named;
    if (node->graph != g || node->index != index) return FAIL(node, "node '%s' is not at its place %zu in graph '%s'", node->name, index, g->name);
    if (!gei_strmap_find(&g->names, node->name, strlen(node->name), &named) || named != index)
        return FAIL(node, "node '%s' is not found by its name in graph '%s'", node->name, g->name);
    if ((node->def == &gei_def_net_output) != (g->net_output == node))
        return FAIL(node, "%s '%s' is not what graph '%s' calls its NetOutput node", node->def->name, node->name, g->name);
    return GE_OK;
}

static ge_status check_node(const gei_graph *g, const gei_node *node, gei_diag *diag) {
    GEI_TRY(check_layout(node, diag));
    for (uint32_t i = 0; i < node->n_ins; i++) GEI_TRY(check_slot(g, node, &node->ins[i], diag));
    for (uint32_t i = 0; i < node->n_outs; i++) GEI_TRY(check_out(node, i, diag));
    GEI_TRY(check_controls(g, node, false, diag));
    GEI_TRY(check_controls(g, node, true, diag));
    GEI_TRY(check_attrs(node, diag));
    return check_subgraph_refs(g, node, diag);
}

/* Needs sound slots: runs after all nodes were looked at. */
static ge_status check_edges(const gei_graph *g, gei_diag *diag) {
    uint64_t n_reads = 0;
    for (size_t i = 0; i < g->nodes.count; i++) {
        const gei_node *node = g->nodes.items[i];
        for (uint32_t s = 0; node && s < node->n_ins; s++) {
            const gei_value from = node->ins[s].from;
            if (!from.node) continue;
            n_reads++;
            const gei_port_def *port = &node->def->inputs[node->ins[s].port];
            GEI_TRY(check_dtype(node, port, "input", gei_value_out(from)->dtype, diag));
        }
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        const gei_node *node = g->nodes.items[i];
        for (uint32_t o = 0; node && o < node->n_outs; o++) GEI_TRY(check_uses(g, node, o, &n_reads, diag));
    }
    if (n_reads != 0)
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "graph '%s': %llu inputs are missing from the use lists", g->name, (unsigned long long)n_reads);
    return GE_OK;
}

static ge_status check_order(const gei_graph *g, gei_diag *diag) {
    gei_arena scratch;
    gei_node **nodes;
    size_t count = 0, n_inputs = 0;
    gei_arena_init(&scratch, g->from);
    ge_status st = gei_graph_inputs(g, &scratch, &nodes, &n_inputs, diag);
    if (st == GE_OK) st = check_nesting(g, n_inputs, diag);
    if (st == GE_OK) st = gei_graph_order(g, &scratch, &nodes, &count, diag);
    gei_arena_deinit(&scratch);
    return st;
}

static ge_status check_one(const gei_graph *g, gei_diag *diag) {
    size_t n_live = 0;
    for (size_t i = 0; i < g->nodes.count; i++) {
        if (!g->nodes.items[i]) continue;
        n_live++;
        GEI_TRY(check_place(g, g->nodes.items[i], i, diag));
    }
    if (n_live != g->n_live || n_live != g->names.count)
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "graph '%s' has %zu nodes, counts %u and names %zu", g->name, n_live, g->n_live, g->names.count);
    if (g->net_output && !gei_node_is_live(g->net_output, g))
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "graph '%s': its NetOutput node was removed", g->name);
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i]) GEI_TRY(check_node(g, g->nodes.items[i], diag));
    GEI_TRY(check_edges(g, diag));
    return check_order(g, diag);
}

ge_status gei_graph_check(const gei_graph *g, gei_diag *diag) {
    GEI_TRY(check_one(g, diag));
    if (g->root != g) return GE_OK;
    GEI_TRY(gei_nesting_check(g, diag));
    for (size_t i = 0; i < g->subgraphs.count; i++) {
        const gei_graph *nested = g->subgraphs.items[i];
        if (nested->root != g || nested->sub_index != i)
            return gei_fail(diag, GE_ERR_BAD_GRAPH, "subgraph '%s' is not at its place in graph '%s'", nested->name, g->name);
        GEI_TRY(check_one(nested, diag));
    }
    return GE_OK;
}
