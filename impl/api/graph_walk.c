/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/id.h"
#include "ir/builtin.h"

ge_status ge_graph_get_nodes(const ge_graph *graph, ge_order order, ge_node_id *nodes, size_t nodes_count, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GRAPH(g, graph);
    if (order != GE_ORDER_CREATION && order != GE_ORDER_TOPOLOGICAL)
        return GEI_RETURN(gei_argument_fail(&diag, "order", 1, GE_ERR_INVALID_ARGUMENT, "%d is no order", order));
    size_t n = g->n_live - (g->net_output != NULL), at = 0;
    GEI_CHECK(gei_array_out(n, nodes, nodes_count, out_count, "nodes", 2, &diag));
    if (!nodes && order == GE_ORDER_CREATION) return GE_OK;
    if (order == GE_ORDER_CREATION) {
        for (size_t i = 0; i < g->nodes.count; i++)
            if (g->nodes.items[i] && g->nodes.items[i] != g->net_output) nodes[at++] = gei_node_id_of(g->nodes.items[i]);
        return GE_OK;
    }
    gei_arena arena;
    gei_node **sorted;
    size_t n_sorted;
    gei_arena_init(&arena, g->from);
    ge_status st = gei_graph_order(g, &arena, &sorted, &n_sorted, &diag);
    for (size_t i = 0; st == GE_OK && nodes && i < n_sorted; i++)
        if (sorted[i] != g->net_output) nodes[at++] = gei_node_id_of(sorted[i]);
    gei_arena_deinit(&arena);
    if (st != GE_OK) *out_count = 0;
    return GEI_RETURN(st);
}

static ge_node_info describe(const gei_node *node) {
    return (ge_node_info){ .node = gei_node_id_of(node),
                           .name = node->name,
                           .op_type = node->def->name,
                           .inputs_count = node->n_ins,
                           .outputs_count = node->n_outs,
                           .control_inputs_count = node->ctrl_ins.count,
                           .control_outputs_count = node->ctrl_outs.count,
                           .attrs_count = node->attrs.count,
                           .subgraphs_count = node->n_subgraphs };
}

ge_status ge_graph_get_node_infos(const ge_graph *graph, const ge_node_id *nodes, size_t nodes_count, ge_node_info *infos, size_t infos_count,
                                  size_t info_size) {
    GEI_CALL;
    if (!nodes && nodes_count) return gei_call_null(__func__, "nodes", 1);
    if (!infos && infos_count) return gei_call_null(__func__, "infos", 3);
    GEI_GRAPH(g, graph);
    if (infos_count != nodes_count)
        return GEI_RETURN(gei_argument_fail(&diag, "infos_count", 4, GE_ERR_OUT_OF_RANGE, "%zu infos for %zu nodes", infos_count, nodes_count));
    for (size_t i = 0; i < nodes_count; i++) /* all or nothing */
        if (!gei_id_node(g, nodes[i], "nodes", 1, &diag)) return gei_call_end(__func__, diag.status, &diag);
    for (size_t i = 0; i < nodes_count; i++) {
        ge_node_info info = describe(gei_id_node(g, nodes[i], "nodes", 1, &diag));
        GEI_CHECK(gei_struct_out((char *)infos + i * info_size, info_size, &info, sizeof info, GEI_FIRST_NODE_INFO, "info_size", 5, &diag));
    }
    return GE_OK;
}

ge_status ge_graph_find_node(const ge_graph *graph, const char *name, size_t name_size, ge_node_id *out_node) {
    GEI_CALL;
    GEI_OUT(out_node);
    GEI_NEED(name, 1);
    GEI_NEED(out_node, 3);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 1, &diag));
    const gei_node *node = gei_graph_find_node(g, name, name_size);
    if (!node || node == g->net_output) {
        gei_diag_found(&diag, "%.*s", (int)(name_size < 60 ? name_size : 60), name);
        return GEI_RETURN(gei_argument_fail(&diag, "name", 1, GE_ERR_NOT_FOUND, "graph '%s' has no node '%.*s'", g->name,
                                            (int)(name_size < 200 ? name_size : 200), name));
    }
    *out_node = gei_node_id_of(node);
    return GE_OK;
}

#define GEI_NODE(node, g, id, index)                                  \
    gei_node *node = gei_id_node((g), (id), #id, (index), &diag);     \
    if (!node) return gei_call_end(__func__, diag.status, &diag)

ge_status ge_graph_get_node_inputs(const ge_graph *graph, ge_node_id node, ge_value_id *values, size_t values_count, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GRAPH(g, graph);
    GEI_NODE(n, g, node, 1);
    GEI_CHECK(gei_array_out(n->n_ins, values, values_count, out_count, "values", 2, &diag));
    for (uint32_t i = 0; values && i < n->n_ins; i++) values[i] = gei_value_id_of(n->ins[i].from);
    return GE_OK;
}

ge_status ge_graph_get_control_nodes(const ge_graph *graph, ge_node_id node, ge_direction direction, ge_node_id *nodes, size_t nodes_count,
                                     size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 5);
    GEI_GRAPH(g, graph);
    GEI_NODE(n, g, node, 1);
    if (direction != GE_DIRECTION_IN && direction != GE_DIRECTION_OUT)
        return GEI_RETURN(gei_argument_fail(&diag, "direction", 2, GE_ERR_INVALID_ARGUMENT, "%d is no direction", direction));
    const gei_node_list *list = direction == GE_DIRECTION_IN ? &n->ctrl_ins : &n->ctrl_outs;
    GEI_CHECK(gei_array_out(list->count, nodes, nodes_count, out_count, "nodes", 3, &diag));
    for (uint32_t i = 0; nodes && i < list->count; i++) nodes[i] = gei_node_id_of(list->items[i]);
    return GE_OK;
}

ge_status ge_graph_get_uses(const ge_graph *graph, ge_value_id value, uint64_t *uses, size_t uses_count, size_t *out_count) {
    GEI_CALL;
    gei_value v;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_id_value(g, value, "value", 1, &v, &diag));
    size_t n = 0, at = 0;
    for (const gei_slot *s = gei_value_out(v)->first_use; s; s = s->next_use) n += s->owner != g->net_output;
    GEI_CHECK(gei_array_out(2 * n, uses, uses_count, out_count, "uses", 2, &diag));
    for (const gei_slot *s = gei_value_out(v)->first_use; uses && s; s = s->next_use) {
        if (s->owner == g->net_output) continue;
        uses[at++] = gei_node_id_of(s->owner);
        uses[at++] = (uint64_t)(s - s->owner->ins);
    }
    return GE_OK;
}

static size_t put_edges(const gei_node *node, uint64_t *edges) {
    size_t at = 0;
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_value from = node->ins[i].from;
        if (!from.node) continue;
        if (edges) {
            edges[at] = gei_node_id_of(from.node);
            edges[at + 1] = from.out;
            edges[at + 2] = gei_node_id_of(node);
            edges[at + 3] = i;
        }
        at += 4;
    }
    for (uint32_t i = 0; i < node->ctrl_ins.count; i++) {
        if (edges) {
            edges[at] = gei_node_id_of(node->ctrl_ins.items[i]);
            edges[at + 1] = edges[at + 3] = UINT64_MAX;
            edges[at + 2] = gei_node_id_of(node);
        }
        at += 4;
    }
    return at;
}

ge_status ge_graph_get_edges(const ge_graph *graph, uint64_t *edges, size_t edges_count, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 3);
    GEI_GRAPH(g, graph);
    for (int fill = 0; fill < 2; fill++) {
        size_t at = 0;
        for (size_t i = 0; i < g->nodes.count; i++)
            if (g->nodes.items[i] && g->nodes.items[i] != g->net_output) at += put_edges(g->nodes.items[i], fill ? edges + at : NULL);
        if (!fill) GEI_CHECK(gei_array_out(at, edges, edges_count, out_count, "edges", 1, &diag));
        if (!edges) break;
    }
    return GE_OK;
}

ge_status ge_graph_get_port(const ge_graph *graph, ge_node_id node, ge_direction direction, uint32_t index, ge_port_id *out_port) {
    GEI_CALL;
    GEI_OUT(out_port);
    GEI_NEED(out_port, 4);
    GEI_GRAPH(g, graph);
    GEI_NODE(n, g, node, 1);
    if (direction != GE_DIRECTION_IN && direction != GE_DIRECTION_OUT)
        return GEI_RETURN(gei_argument_fail(&diag, "direction", 2, GE_ERR_INVALID_ARGUMENT, "%d is no direction", direction));
    uint32_t count = direction == GE_DIRECTION_IN ? n->n_ins : n->n_outs;
    if (index >= count) {
        gei_diag_node(&diag, n->name);
        return GEI_RETURN(gei_argument_fail(&diag, "index", 3, GE_ERR_OUT_OF_RANGE, "port %u of %u", index, count));
    }
    if (index >= GEI_ID_PORT_LIMIT)
        return GEI_RETURN(gei_argument_fail(&diag, "index", 3, GE_ERR_LIMIT, "ports from %u on have no id", GEI_ID_PORT_LIMIT));
    *out_port = gei_id_pack(direction == GE_DIRECTION_IN ? GEI_ID_IN : GEI_ID_OUT, g->serial, n->index, index);
    return GE_OK;
}

ge_status ge_graph_get_port_owner(const ge_graph *graph, ge_port_id port, ge_node_id *out_node, ge_direction *out_direction, uint32_t *out_index) {
    GEI_CALL;
    gei_node *node;
    uint32_t kind, index;
    GEI_OUT(out_node);
    GEI_OUT(out_direction);
    GEI_OUT(out_index);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_id_port_of(g, port, "port", 1, &node, &kind, &index, &diag));
    if (out_node) *out_node = gei_node_id_of(node);
    if (out_direction) *out_direction = kind == GEI_ID_IN ? GE_DIRECTION_IN : GE_DIRECTION_OUT;
    if (out_index) *out_index = index;
    return GE_OK;
}

ge_status ge_graph_get_inputs(const ge_graph *graph, ge_node_id *nodes, size_t nodes_count, size_t *out_count) {
    GEI_CALL;
    gei_arena arena;
    gei_node **inputs;
    size_t n = 0;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 3);
    GEI_GRAPH(g, graph);
    gei_arena_init(&arena, g->from);
    ge_status st = gei_graph_inputs(g, &arena, &inputs, &n, &diag);
    if (st == GE_OK) st = gei_array_out(n, nodes, nodes_count, out_count, "nodes", 1, &diag);
    for (size_t i = 0; st == GE_OK && nodes && i < n; i++) nodes[i] = gei_node_id_of(inputs[i]);
    gei_arena_deinit(&arena);
    return GEI_RETURN(st);
}

ge_status ge_graph_get_outputs(const ge_graph *graph, ge_value_id *values, size_t values_count, const char **names, size_t names_count,
                               size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 5);
    GEI_GRAPH(g, graph);
    uint32_t n = g->net_output ? g->net_output->n_ins : 0;
    GEI_CHECK(gei_array_out(n, values, values_count, out_count, "values", 1, &diag));
    if (names_count) GEI_CHECK(gei_array_out(n, names, names_count, out_count, "names", 3, &diag));
    for (uint32_t i = 0; i < n; i++) {
        gei_value from = g->net_output->ins[i].from;
        const char *name = gei_graph_output_name(g, i);
        if (values) values[i] = gei_value_id_of(from);
        if (names && names_count) names[i] = name ? name : from.node ? from.node->name : "";
    }
    return GE_OK;
}

ge_status ge_graph_get_output_node(const ge_graph *graph, ge_node_id *out_node) {
    GEI_CALL;
    GEI_OUT(out_node);
    GEI_NEED(out_node, 1);
    GEI_GRAPH(g, graph);
    if (!g->net_output) return GEI_RETURN(gei_argument_fail(&diag, "graph", 0, GE_ERR_NOT_FOUND, "the outputs of graph '%s' were never set", g->name));
    *out_node = gei_node_id_of(g->net_output);
    return GE_OK;
}

static bool is_below(const gei_graph *sub, const gei_graph *g) {
    while (sub && sub != g) sub = sub->parent ? sub->parent->graph : NULL;
    return sub == g;
}

ge_status ge_graph_get_subgraphs(const ge_graph *graph, ge_node_id node, ge_subgraph_id *subgraphs, size_t subgraphs_count, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GRAPH(g, graph);
    if (node) {
        GEI_NODE(n, g, node, 1);
        GEI_CHECK(gei_array_out(n->n_subgraphs, subgraphs, subgraphs_count, out_count, "subgraphs", 2, &diag));
        for (uint32_t i = 0; subgraphs && i < n->n_subgraphs; i++) subgraphs[i] = (uint64_t)GEI_ID_SUBGRAPH << 61 | n->subgraphs[i].graph->serial;
        return GE_OK;
    }
    for (int fill = 0; fill < 2; fill++) {
        size_t at = 0;
        for (size_t i = 0; i < g->root->subgraphs.count; i++) {
            const gei_graph *sub = g->root->subgraphs.items[i];
            if (!sub || sub == g || !is_below(sub, g)) continue;
            if (fill) subgraphs[at] = (uint64_t)GEI_ID_SUBGRAPH << 61 | sub->serial;
            at++;
        }
        if (!fill) GEI_CHECK(gei_array_out(at, subgraphs, subgraphs_count, out_count, "subgraphs", 2, &diag));
        if (!subgraphs) break;
    }
    return GE_OK;
}
