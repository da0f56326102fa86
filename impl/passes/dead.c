/* SPDX-License-Identifier: Apache-2.0 */
/* dead: removes nodes that no output and no effect depends on.
 *
 *   Data -> Relu -> NetOutput          Data -> Relu -> NetOutput
 *      \--> Exp                  =>
 *
 * Graph inputs stay, used or not: they are the caller's signature.  Runs once: marking reaches everything. */
#include "base/bitset.h"
#include "passes/pipeline.h"

static bool is_root(const gei_node *node) {
    const gei_op *op = gei_op_of(node);
    if (!op) return true; /* nothing is known about it, so it may have effects */
    return op->traits & (GEI_OP_INPUT | GEI_OP_OUTPUT | GEI_OP_STATEFUL);
}

static void mark(uint64_t *live, gei_node **stack, size_t *depth, gei_node *node) {
    if (gei_bits_get(live, node->index)) return;
    gei_bits_set(live, node->index);
    stack[(*depth)++] = node;
}

ge_status gei_pass_dead(gei_pass_context *c, gei_diag *diag) {
    gei_graph *g = c->graph;
    uint64_t *live = gei_bits_new(c->arena, g->nodes.count);
    gei_node **stack = gei_arena_alloc(c->arena, (g->nodes.count + 1) * sizeof *stack, _Alignof(gei_node *)); /* mostly unused */
    if (!live || !stack) return gei_out_of_memory(diag, g->nodes.count * sizeof *stack);

    size_t depth = 0;
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i] && is_root(g->nodes.items[i])) mark(live, stack, &depth, g->nodes.items[i]);
    while (depth > 0) {
        gei_node *node = stack[--depth];
        for (uint32_t i = 0; i < node->n_ins; i++)
            if (node->ins[i].from.node) mark(live, stack, &depth, node->ins[i].from.node);
        for (uint32_t i = 0; i < node->ctrl_ins.count; i++) mark(live, stack, &depth, node->ctrl_ins.items[i]);
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        gei_node *node = g->nodes.items[i];
        if (!node || gei_bits_get(live, i)) continue;
        gei_pass_note(c, "dead", node, "removed, nothing uses it");
        gei_graph_remove_node(node);
        c->n_changes++;
    }
    return GE_OK;
}
