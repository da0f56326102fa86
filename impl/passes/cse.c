/* SPDX-License-Identifier: Apache-2.0 */
/* cse: common subexpressions.  Two pure nodes of one operator with the same inputs and attributes become one.
 *
 *   x -> Exp -> a                x -> Exp -> a, b
 *    \-> Exp -> b
 *
 * Runs once in topological order, so that consumers already see merged inputs.  Small equal constants merge first. */
#include <string.h>

#include "passes/pipeline.h"

#define CONST_COMPARE_BYTES 1024u /* larger constants are compared by identity of the tensor only */

static bool may_merge(const gei_node *node) {
    const gei_op *op = gei_op_of(node);
    if (!op || !(op->traits & GEI_OP_PURE) || (op->traits & (GEI_OP_INPUT | GEI_OP_OUTPUT | GEI_OP_RANDOM | GEI_OP_STATEFUL))) return false;
    return node->n_outs > 0 && !node->ctrl_ins.count && !node->ctrl_outs.count && !node->n_subgraphs;
}

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * UINT64_C(0x9FB21C651E98DF25);
    return h ^ h >> 32;
}

static uint64_t hash_node(const gei_node *node) {
    uint64_t h = mix(node->n_ins, (uintptr_t)node->def);
    for (uint32_t i = 0; i < node->n_ins; i++) h = mix(mix(h, (uintptr_t)node->ins[i].from.node), node->ins[i].from.out);
    for (uint32_t i = 0; i < node->attrs.count; i++) {
        const gei_named_attr *a = &node->attrs.items[i];
        h ^= gei_hash_bytes(a->name, strlen(a->name), a->value.kind); /* order of setting does not matter */
        if (a->value.kind == GEI_ATTR_INT) h ^= gei_hash_bytes(&a->value.v.i, sizeof a->value.v.i, 1);
        if (a->value.kind == GEI_ATTR_TENSOR && a->value.v.tensor && a->value.v.tensor->size_bytes <= CONST_COMPARE_BYTES)
            h ^= gei_hash_bytes(a->value.v.tensor->data, a->value.v.tensor->size_bytes, 2);
    }
    return h;
}

static bool attr_same(const gei_attr *a, const gei_attr *b) {
    if (a->kind == GEI_ATTR_TENSOR && b->kind == GEI_ATTR_TENSOR) {
        if (a->v.tensor == b->v.tensor) return true;
        if (!a->v.tensor || !b->v.tensor) return false;
        if (a->v.tensor->size_bytes > CONST_COMPARE_BYTES) return false;
    }
    return gei_attr_equal(a, b);
}

static bool same_expression(const gei_node *a, const gei_node *b) {
    if (a->def != b->def || a->n_ins != b->n_ins || a->n_outs != b->n_outs || a->attrs.count != b->attrs.count) return false;
    for (uint32_t i = 0; i < a->n_ins; i++)
        if (a->ins[i].from.node != b->ins[i].from.node || a->ins[i].from.out != b->ins[i].from.out || a->ins[i].port != b->ins[i].port)
            return false;
    for (uint32_t i = 0; i < a->n_outs; i++) /* an operator without a rule may declare its own result */
        if (a->outs[i].dtype != b->outs[i].dtype || a->outs[i].port != b->outs[i].port) return false;
    for (uint32_t i = 0; i < a->attrs.count; i++) {
        const gei_attr *other = gei_attrs_find(&b->attrs, a->attrs.items[i].name);
        if (!other || !attr_same(&a->attrs.items[i].value, other)) return false;
    }
    return true;
}

static void merge(gei_pass_context *c, gei_node *kept, gei_node *node) {
    for (uint32_t i = 0; i < node->n_outs; i++) gei_value_replace_uses(gei_value_of(node, i), gei_value_of(kept, i));
    gei_pass_note(c, "cse", node, kept->name);
    gei_graph_remove_node(node);
    c->n_changes++;
}

/* An expression that was seen: nodes are only looked at when their hashes agree. */
typedef struct seen {
    uint32_t hash;
    uint32_t place; /* in the order, + 1; 0: unused */
} seen;

ge_status gei_pass_cse(gei_pass_context *c, gei_diag *diag) {
    size_t cap = 16;
    while (cap < 2 * c->n_order) cap *= 2;
    seen *table = gei_arena_array(c->arena, seen, cap);
    if (!table) return gei_out_of_memory(diag, cap * sizeof *table);
    for (size_t i = 0; i < c->n_order; i++) {
        gei_node *node = c->order[i];
        if (!may_merge(node)) continue;
        uint64_t hash = hash_node(node);
        size_t at = hash & (cap - 1);
        seen own = { (uint32_t)(hash >> 32), (uint32_t)i + 1 };
        while (table[at].place && (table[at].hash != own.hash || !same_expression(c->order[table[at].place - 1], node)))
            at = (at + 1) & (cap - 1);
        if (table[at].place) merge(c, c->order[table[at].place - 1], node);
        else table[at] = own;
    }
    return GE_OK;
}
