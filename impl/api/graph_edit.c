/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/builder.h"
#include "api/id.h"

#define GEI_NODE_ARG(var, g, id, index)                               \
    gei_node *var = gei_id_node((g), (id), #id, (index), &diag);      \
    if (!var) return gei_call_end(__func__, diag.status, &diag)

/* ---- names, nodes ---- */

ge_status ge_graph_set_name(ge_graph *graph, const char *name, size_t name_size) {
    GEI_CALL;
    char *text;
    GEI_NEED(name, 1);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 1, &diag));
    GEI_CHECK(gei_text_copy(g->from, name, name_size, &text, &diag));
    ge_status st = gei_graph_rename(g, text, &diag);
    gei_text_free(g->from, text, name_size);
    if (st != GE_OK) gei_diag_argument(&diag, "name", 1);
    return GEI_RETURN(st);
}

/* A free name, unless the node with it is the NetOutput node: that one gives way. */
static ge_status rename_node(gei_graph *g, gei_node *node, const char *name, gei_diag *diag) {
    gei_node *taken = gei_graph_find_node(g, name, strlen(name));
    if (taken && taken == g->net_output && taken != node) GEI_TRY(gei_net_output_give_way(g, diag));
    ge_status st = gei_graph_rename_node(node, name, diag);
    if (st != GE_OK) gei_diag_argument(diag, "name", 2);
    return st;
}

ge_status ge_graph_set_node_name(ge_graph *graph, ge_node_id node, const char *name, size_t name_size) {
    GEI_CALL;
    char *text;
    GEI_NEED(name, 2);
    GEI_GRAPH(g, graph);
    GEI_NODE_ARG(n, g, node, 1);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 2, &diag));
    GEI_CHECK(gei_text_copy(g->from, name, name_size, &text, &diag));
    ge_status st = rename_node(g, n, text, &diag);
    gei_text_free(g->from, text, name_size);
    return GEI_RETURN(st);
}

static bool is_graph_output(const gei_graph *g, const gei_node *node) {
    for (uint32_t i = 0; g->net_output && i < g->net_output->n_ins; i++)
        if (g->net_output->ins[i].from.node == node) return true;
    return false;
}

ge_status ge_graph_remove_node(ge_graph *graph, ge_node_id node) {
    GEI_CALL;
    GEI_GRAPH(g, graph);
    GEI_NODE_ARG(n, g, node, 1);
    if (is_graph_output(g, n)) {
        gei_diag_node(&diag, n->name);
        return GEI_RETURN(gei_argument_fail(&diag, "node", 1, GE_ERR_WRONG_STATE, "node '%s' makes an output of graph '%s'", n->name, g->name));
    }
    gei_graph_remove_node(n);
    return GE_OK;
}

/* ---- edges ---- */

static ge_status check_port(const gei_node *node, int32_t index, uint32_t count, const char *side, const char *argument, int32_t at,
                            gei_diag *diag) {
    if (index >= 0 && (uint32_t)index < count) return GE_OK;
    gei_diag_node(diag, node->name);
    gei_diag_found(diag, "%d", index);
    gei_diag_wanted(diag, "0 to %d", (int32_t)count - 1);
    return gei_argument_fail(diag, argument, at, GE_ERR_OUT_OF_RANGE, "%s '%s' has %u %ss, %s %d is asked for", node->def->name, node->name, count,
                             side, side, index);
}

static ge_status check_ports(const gei_node *source, int32_t source_index, const gei_node *target, int32_t target_index, gei_diag *diag) {
    GEI_TRY(check_port(source, source_index, source->n_outs, "output", "source_index", 2, diag));
    return check_port(target, target_index, target->n_ins, "input", "target_index", 4, diag);
}

static ge_status add_edge(gei_node *source, int32_t source_index, gei_node *target, int32_t target_index, gei_diag *diag) {
    if (source_index == GE_CONTROL_INDEX && target_index == GE_CONTROL_INDEX) {
        if (source == target) gei_diag_argument(diag, "target", 3);
        return gei_graph_add_control(source, target, diag);
    }
    GEI_TRY(check_ports(source, source_index, target, target_index, diag));
    gei_slot *slot = &target->ins[target_index];
    if (slot->from.node) {
        gei_diag_node(diag, target->name);
        return gei_argument_fail(diag, "target_index", 4, GE_ERR_ALREADY_EXISTS, "input %d of %s '%s' is connected to '%s'", target_index,
                                 target->def->name, target->name, slot->from.node->name);
    }
    gei_slot_set(slot, gei_value_of(source, (uint32_t)source_index));
    return GE_OK;
}

ge_status ge_graph_add_edge(ge_graph *graph, ge_node_id source, int32_t source_index, ge_node_id target, int32_t target_index) {
    GEI_CALL;
    GEI_GRAPH(g, graph);
    GEI_NODE_ARG(from, g, source, 1);
    GEI_NODE_ARG(to, g, target, 3);
    return GEI_RETURN(add_edge(from, source_index, to, target_index, &diag));
}

static ge_status remove_edge(gei_node *source, int32_t source_index, gei_node *target, int32_t target_index, gei_diag *diag) {
    bool is_control = source_index == GE_CONTROL_INDEX && target_index == GE_CONTROL_INDEX, found;
    if (is_control) {
        found = gei_graph_remove_control(source, target);
    } else {
        GEI_TRY(check_ports(source, source_index, target, target_index, diag));
        gei_slot *slot = &target->ins[target_index];
        found = slot->from.node == source && slot->from.out == (uint32_t)source_index;
        if (found) gei_slot_set(slot, (gei_value){ NULL, 0 });
    }
    if (found) return GE_OK;
    gei_diag_node(diag, target->name);
    return gei_argument_fail(diag, "target", 3, GE_ERR_NOT_FOUND, "no %s edge leads from '%s' to '%s' there", is_control ? "control" : "data",
                             source->name, target->name);
}

ge_status ge_graph_remove_edge(ge_graph *graph, ge_node_id source, int32_t source_index, ge_node_id target, int32_t target_index) {
    GEI_CALL;
    GEI_GRAPH(g, graph);
    GEI_NODE_ARG(from, g, source, 1);
    GEI_NODE_ARG(to, g, target, 3);
    return GEI_RETURN(remove_edge(from, source_index, to, target_index, &diag));
}

ge_status ge_graph_replace_uses(ge_graph *graph, ge_value_id value, ge_value_id replacement) {
    GEI_CALL;
    gei_value from, to;
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_id_value(g, value, "value", 1, &from, &diag));
    GEI_CHECK(gei_id_value(g, replacement, "replacement", 2, &to, &diag));
    gei_value_replace_uses(from, to);
    return GE_OK;
}

/* ---- outputs ---- */

static ge_status check_names(const char *const *names, size_t count, gei_arena *arena, gei_diag *diag) {
    gei_strmap seen;
    ge_status st = GE_OK;
    gei_strmap_init(&seen, arena->from);
    for (size_t i = 0; st == GE_OK && i < count; i++) {
        size_t size = GE_NTS;
        if (!names[i]) {
            st = gei_argument_fail(diag, "names", 3, GE_ERR_NULL_ARGUMENT, "name %zu is NULL", i);
            continue;
        }
        st = gei_text_in(names[i], &size, "names", 3, diag);
        if (st != GE_OK) continue;
        if (size == 0) st = gei_argument_fail(diag, "names", 3, GE_ERR_INVALID_ARGUMENT, "name %zu is empty", i);
        else if (gei_strmap_find(&seen, names[i], size, NULL))
            st = gei_argument_fail(diag, "names", 3, GE_ERR_ALREADY_EXISTS, "the name '%.200s' is given twice", names[i]);
        else if (!gei_strmap_put(&seen, names[i], size, i)) st = gei_out_of_memory(diag, 0);
    }
    gei_strmap_deinit(&seen);
    return st;
}

ge_status gei_outputs_set(gei_graph *g, const ge_value_id *ids, size_t count, const char *const *names, const char *argument,
                          gei_diag *diag) {
    gei_arena arena;
    gei_arena_init(&arena, g->from);
    gei_value *values = gei_arena_array(&arena, gei_value, count);
    ge_status st = values ? GE_OK : gei_out_of_memory(diag, count * sizeof *values);
    for (size_t i = 0; st == GE_OK && i < count; i++) st = gei_id_value(g, ids[i], argument, 1, &values[i], diag);
    if (st == GE_OK && names) st = check_names(names, count, &arena, diag);
    if (st == GE_OK) st = gei_graph_set_outputs(g, values, names, count, diag);
    gei_arena_deinit(&arena);
    return st;
}

ge_status ge_graph_set_outputs(ge_graph *graph, const ge_value_id *values, size_t values_count, const char *const *names, size_t names_count) {
    GEI_CALL;
    if (!values && values_count) return gei_call_null(__func__, "values", 1);
    if (!names && names_count) return gei_call_null(__func__, "names", 3);
    GEI_GRAPH(g, graph);
    if (names && names_count != values_count) {
        gei_diag_found(&diag, "%zu", names_count);
        gei_diag_wanted(&diag, "%zu", values_count);
        return GEI_RETURN(gei_argument_fail(&diag, "names_count", 4, GE_ERR_OUT_OF_RANGE, "%zu names for %zu values", names_count, values_count));
    }
    return GEI_RETURN(gei_outputs_set(g, values, values_count, names, "values", &diag));
}
