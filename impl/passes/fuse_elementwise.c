/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_elementwise: elementwise operators that feed each other become one, whose steps run over tiles in the cache.
 *
 *   x -> Mul(a) -> Add(b) -> Sigmoid -> y      x, a, b -> GeElementwise["Mul(x0,x1);Add(t0,x2);Sigmoid(t1)"] -> y
 *
 * A group ends in one value.  It takes in a node when nothing outside reads that node, all is float32 and its output has the shape of
 * the group's: nothing is computed more often than before.  Works from the end of the graph to its begin. */
#include <stdio.h>
#include <string.h>

#include "ops/program.h"
#include "passes/pipeline.h"

typedef struct group {
    gei_node *nodes[GEI_PROGRAM_STEPS];
    gei_value inputs[GEI_PROGRAM_INPUTS];
    uint32_t n_nodes, n_steps, n_inputs;
} group;

typedef struct fusing {
    gei_pass_context *c;
    const gei_op_def *def;  /* of the operator that runs programs */
    uint32_t *position;     /* by node index: place in the order */
    bool *is_taken;         /* by node index */
} fusing;

static const gei_info *info_of(const fusing *f, gei_value v) { return gei_infos_of(f->c->infos, v); }

static bool can_be_step(const fusing *f, gei_node *node) {
    if (f->is_taken[node->index] || node->n_outs != 1 || node->ctrl_ins.count || node->ctrl_outs.count) return false;
    if (!gei_program_steps_of(node) || info_of(f, gei_value_of(node, 0))->dtype != GEI_FLOAT32) return false;
    for (uint32_t i = 0; i < node->n_ins; i++)
        if (!node->ins[i].from.node || info_of(f, node->ins[i].from)->dtype != GEI_FLOAT32) return false;
    return true;
}

static bool holds(const group *g, const gei_node *node) {
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i] == node) return true;
    return false;
}

/* Every reader of the node's output is in the group. */
static bool is_inner(const group *g, gei_node *node) {
    uint32_t uses = 0;
    for (uint32_t k = 0; k < g->n_nodes; k++)
        for (uint32_t i = 0; i < g->nodes[k]->n_ins; i++) uses += g->nodes[k]->ins[i].from.node == node;
    return uses == gei_value_use_count(gei_value_of(node, 0));
}

/* Values the group reads from outside, each once.  False: too many, or too many that repeat differently. */
static bool find_inputs(const fusing *f, group *g) {
    const gei_shape *y = &info_of(f, gei_value_of(g->nodes[0], 0))->shape, *repeated[GEI_PROGRAM_SHAPES];
    uint32_t n_repeated = 0;
    g->n_inputs = 0;
    for (uint32_t k = 0; k < g->n_nodes; k++)
        for (uint32_t i = 0; i < g->nodes[k]->n_ins; i++) {
            gei_value v = g->nodes[k]->ins[i].from;
            uint32_t at = 0;
            if (holds(g, v.node)) continue;
            while (at < g->n_inputs && (g->inputs[at].node != v.node || g->inputs[at].out != v.out)) at++;
            if (at < g->n_inputs) continue;
            if (g->n_inputs == GEI_PROGRAM_INPUTS) return false;
            g->inputs[g->n_inputs++] = v;
            const gei_shape *x = &info_of(f, v)->shape;
            int64_t n;
            if (gei_shape_same(x, y) || (gei_shape_elems(x, &n) && n == 1)) continue;
            for (at = 0; at < n_repeated && !gei_shape_same(repeated[at], x);) at++;
            if (at < n_repeated) continue;
            if (n_repeated == GEI_PROGRAM_SHAPES) return false;
            repeated[n_repeated++] = x;
        }
    return true;
}

/* Takes the node in, unless that makes the group too large. */
static bool try_add(const fusing *f, group *g, gei_node *node) {
    uint32_t steps = gei_program_steps_of(node);
    if (g->n_steps + steps > GEI_PROGRAM_STEPS) return false;
    g->nodes[g->n_nodes++] = node;
    if (find_inputs(f, g)) {
        g->n_steps += steps;
        return true;
    }
    g->n_nodes--;
    (void)find_inputs(f, g);
    return false;
}

/* A node is looked at again whenever another of its readers has come in. */
static void grow(const fusing *f, group *g, gei_node *root) {
    const gei_shape *y = &info_of(f, gei_value_of(root, 0))->shape;
    if (!gei_shape_same(y, y) || !try_add(f, g, root)) return;
    for (uint32_t k = 0; k < g->n_nodes; k++)
        for (uint32_t i = 0; i < g->nodes[k]->n_ins; i++) {
            gei_node *from = g->nodes[k]->ins[i].from.node;
            if (!can_be_step(f, from) || holds(g, from) || !is_inner(g, from)) continue;
            if (gei_shape_same(&info_of(f, gei_value_of(from, 0))->shape, y)) (void)try_add(f, g, from);
        }
}

static void sort_by_position(const fusing *f, group *g) {
    for (uint32_t i = 1; i < g->n_nodes; i++) {
        gei_node *node = g->nodes[i];
        uint32_t k = i;
        for (; k > 0 && f->position[g->nodes[k - 1]->index] > f->position[node->index]; k--) g->nodes[k] = g->nodes[k - 1];
        g->nodes[k] = node;
    }
}

/* In the order they run; the root comes last. */
static void write_program(const group *g, gei_sink *text) {
    gei_program_text to = { text, 0 };
    gei_program_ref results[GEI_PROGRAM_STEPS], args[GEI_PROGRAM_INPUTS];
    for (uint32_t k = 0; k < g->n_nodes; k++) {
        for (uint32_t i = 0; i < g->nodes[k]->n_ins; i++) {
            gei_value v = g->nodes[k]->ins[i].from;
            uint32_t at = 0;
            while (at < k && g->nodes[at] != v.node) at++;
            if (at < k) {
                args[i] = results[at];
                continue;
            }
            for (at = 0; g->inputs[at].node != v.node || g->inputs[at].out != v.out;) at++;
            args[i] = (gei_program_ref){ false, at };
        }
        gei_program_append(&to, g->nodes[k], args, &results[k]);
    }
}

static ge_status make_node(const fusing *f, const group *g, gei_node **out, gei_diag *diag) {
    gei_sink text;
    gei_sink_init(&text, f->c->from);
    write_program(g, &text);
    ge_status st = text.failed ? gei_out_of_memory(diag, text.size) : gei_graph_add_node(f->c->graph, f->def, NULL, &g->n_inputs, NULL, out, diag);
    if (st == GE_OK) {
        gei_attr value = gei_attr_text((const char *)text.data, text.size);
        st = gei_node_set(*out, GEI_PROGRAM_ATTR, &value, diag);
    }
    gei_sink_deinit(&text);
    return st;
}

static ge_status fuse(const fusing *f, group *g, gei_node *root, gei_diag *diag) {
    gei_node *node;
    char note[64];
    sort_by_position(f, g);
    (void)find_inputs(f, g);
    GEI_TRY(make_node(f, g, &node, diag));
    for (uint32_t i = 0; i < g->n_inputs; i++) gei_slot_set(&node->ins[i], g->inputs[i]);
    (void)snprintf(note, sizeof note, "one program of %u steps", g->n_steps);
    gei_pass_note(f->c, "fuse_elementwise", root, note);
    gei_value_replace_uses(gei_value_of(root, 0), gei_value_of(node, 0));
    const char *name = root->name;
    for (uint32_t k = g->n_nodes; k-- > 0;) {
        f->is_taken[g->nodes[k]->index] = true;
        gei_graph_remove_node(g->nodes[k]);
    }
    f->c->n_changes++;
    return gei_graph_find_node(f->c->graph, name, strlen(name)) ? GE_OK : gei_graph_rename_node(node, name, diag);
}

static const gei_op_def *find_definition(void) {
    for (size_t i = 0; i < gei_op_row_count(); i++) {
        const gei_op *op = gei_op_row_at(i);
        if (gei_op_has(op, GEI_OP_RUNS_PROGRAM)) return gei_catalogue_find(op->name, strlen(op->name));
    }
    return NULL;
}

ge_status gei_pass_fuse_elementwise(gei_pass_context *c, gei_diag *diag) {
    size_t n = c->graph->nodes.count;
    fusing f = { c, find_definition(), gei_arena_array(c->arena, uint32_t, n), gei_arena_array(c->arena, bool, n) };
    if (!f.position || !f.is_taken) return gei_out_of_memory(diag, n * sizeof *f.position);
    for (size_t i = 0; i < c->n_order; i++) f.position[c->order[i]->index] = (uint32_t)i;
    for (size_t i = c->n_order; f.def && i-- > 0;) {
        gei_node *root = c->order[i];
        if (f.is_taken[c->order[i]->index]) continue;
        if (!can_be_step(&f, root)) continue;
        group g = { .n_nodes = 0 };
        grow(&f, &g, root);
        if (g.n_nodes > 1) GEI_TRY(fuse(&f, &g, root, diag));
    }
    return GE_OK;
}
