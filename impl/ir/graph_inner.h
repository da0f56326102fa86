/* SPDX-License-Identifier: Apache-2.0 */
/* graph_inner: what the graph_*.c files share with each other and nobody else. */
#ifndef GEI_IR_GRAPH_INNER_H
#define GEI_IR_GRAPH_INNER_H

#include "ir/graph.h"

void gei_node_release(gei_node *node);        /* drops the tensors of its attributes and descriptions */
void gei_node_drop_subgraphs(gei_node *node); /* destroys the graphs attached to it, at any depth */
void gei_node_drop_controls(gei_node *node);
/* gei_graph_add_subgraph without looking whether the node lies inside the subgraph: gei_nesting_check does that for all at once. */
ge_status gei_subgraph_link(gei_node *node, const char *port, gei_graph *subgraph, gei_diag *diag);
ge_status gei_nesting_check(const gei_graph *root, gei_diag *diag); /* no graph is nested in itself; linear */
/* A control edge that is known not to be there yet. */
ge_status gei_control_link(gei_node *before, gei_node *after, gei_diag *diag);
/* The mirror numbers of gei_node_list. */
static inline uint32_t *gei_list_mirrors(const gei_node_list *list) { return (uint32_t *)(void *)(list->items + list->cap); }
/* g itself, then the graphs nested below it in the order of root->subgraphs (of a root: all, attached or not). */
ge_status gei_graphs_below(const gei_graph *g, gei_arena *arena, const gei_graph ***out, size_t *out_count, gei_diag *diag);
void gei_slots_init(gei_slot *slots, gei_node *owner, uint32_t port, uint32_t count);
static inline bool gei_node_is_live(const gei_node *node, const gei_graph *g) {
    return node->graph == g && node->index < g->nodes.count && g->nodes.items[node->index] == node;
}

/* gei_graph_add_node; is_named: the name stands in g->names already. */
ge_status gei_node_add(gei_graph *g, const gei_op_def *def, const char *name, bool is_named, const uint32_t *n_dynamic_ins,
                       const uint32_t *n_dynamic_outs, gei_node **out, gei_diag *diag);

#endif
