/* SPDX-License-Identifier: Apache-2.0 */
/* eval: shape rules over a graph, and one operator on given tensors: what folding, planning and tests share. */
#ifndef GEI_OPS_EVAL_H
#define GEI_OPS_EVAL_H

#include "ops/op.h"

/* Infos of every value of a graph, by node index and output.  Made by gei_infer_graph; plain data. */
typedef struct gei_infos {
    gei_info **by_node;  /* by node->index: array of n_outs, NULL for removed nodes */
    size_t n_nodes;
    gei_arena *arena;    /* holds everything here; folded tensors are released by gei_infos_release */
    GEI_VEC(gei_tensor *) tensors;
    const gei_allocator *from;
} gei_infos;

static inline gei_info *gei_infos_of(const gei_infos *infos, gei_value v) { return &infos->by_node[v.node->index][v.out]; }

/* Fills infos for all nodes in `order`.  inputs: concrete or symbolic infos for the Data nodes by their `index`, NULL: what the Data nodes say.
 * Pure nodes with known inputs and small integer (or bool) results are evaluated; MOVES nodes pass partly known elements on.
 * Operators without a row: outputs keep what the graph says.  Fails with the node named. */
ge_status gei_infer_graph(gei_node *const *order, size_t count, size_t n_nodes, const gei_info *inputs, size_t n_inputs,
                          gei_arena *arena, const gei_allocator *from, gei_infos *out, gei_diag *diag);
void gei_infos_release(gei_infos *infos); /* tensors only; the rest is the arena's */

/* What is known of a whole graph: its order and infos, each in an arena of its own.  Passes hand it to the plan. */
typedef struct gei_facts {
    gei_node **order;    /* NULL: nothing known */
    size_t n_order;
    gei_infos infos;
    gei_arena order_arena, infos_arena;
} gei_facts;

void gei_facts_init(gei_facts *facts, const gei_allocator *from);
void gei_facts_move(gei_facts *to, gei_facts *from); /* to: released; from: as initialised */
ge_status gei_facts_find(gei_facts *facts, const gei_graph *g, gei_diag *diag);
void gei_facts_drop_infos(gei_facts *facts);
void gei_facts_release(gei_facts *facts);

/* Writes dtype and shape of the infos into the graph's outputs. */
ge_status gei_infos_store(const gei_infos *infos, gei_node *const *order, size_t count, gei_diag *diag);
/* One node: calls its rule, then folding of small integers.  `out` has n_outs entries. */
ge_status gei_infer_node(const gei_node *node, const gei_info *const *in, gei_info *out, gei_infos *keep, gei_diag *diag);

/* Tells the Data nodes of a control-flow node's bodies what they are; nothing for other nodes.  arena: for tables. */
ge_status gei_bodies_describe(gei_node *node, const gei_infos *infos, gei_arena *arena, gei_diag *diag);

/* Runs one node on concrete tensors with kernel `kernel` (NULL: the reference, last in the row).  Gives outputs with one reference each. */
ge_status gei_eval_node(const gei_node *node, gei_tensor *const *in, gei_tensor **out, const gei_kernel *kernel,
                        const gei_allocator *from, gei_diag *diag);

#endif
