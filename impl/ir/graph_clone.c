/* SPDX-License-Identifier: Apache-2.0 */
/* Deep copy of a graph and what is nested below it. */
#include <string.h>

#include "ir/builtin.h"
#include "ir/graph_inner.h"

typedef struct cloner {
    const gei_graph *from;
    gei_graph *root;           /* the copy */
    gei_arena arena;           /* for the tables below */
    const gei_graph **graphs;  /* those to copy: gei_graphs_below */
    gei_graph **copies;        /* of graphs, same order */
    gei_node ***nodes;         /* of graphs, same order: copy of the node with that index, NULL for removed ones */
    uint32_t *place;           /* sub_index of a nested graph -> place in graphs */
    size_t n_graphs;
    gei_diag *diag;
} cloner;

static ge_status list_graphs(cloner *c) {
    size_t n_all = c->from->root->subgraphs.count;
    GEI_TRY(gei_graphs_below(c->from, &c->arena, &c->graphs, &c->n_graphs, c->diag));
    c->place = gei_arena_array(&c->arena, uint32_t, n_all + 1);
    c->copies = gei_arena_array(&c->arena, gei_graph *, c->n_graphs);
    c->nodes = gei_arena_array(&c->arena, gei_node **, c->n_graphs);
    if (!c->place || !c->copies || !c->nodes) return gei_out_of_memory(c->diag, 0);
    for (size_t i = 1; i < c->n_graphs; i++) c->place[c->graphs[i]->sub_index] = (uint32_t)i;
    return GE_OK;
}

/* ---- one node ---- */

static ge_status copy_attrs(cloner *c, const gei_attrs *from, gei_attrs *to, gei_arena *arena) {
    for (uint32_t i = 0; i < from->count; i++)
        GEI_TRY(gei_attrs_set(to, arena, from->items[i].name, &from->items[i].value, c->diag));
    return GE_OK;
}

static ge_status copy_out(cloner *c, const gei_out *from, gei_value to) {
    gei_out *out = gei_value_out(to);
    gei_shape shape = gei_out_shape(from);
    out->dtype = from->dtype;
    out->format = from->format;
    GEI_TRY(gei_out_set_shape(to, &shape, c->diag));
    GEI_TRY(gei_out_set_name(to, from->name, c->diag));
    if (!from->attrs) return GE_OK;
    gei_attrs *attrs;
    GEI_TRY(gei_out_attrs(to, &attrs, c->diag));
    return copy_attrs(c, from->attrs, attrs, &to.node->graph->arena);
}

static ge_status copy_in_desc(cloner *c, const gei_in_desc *from, gei_slot *to) {
    gei_in_desc *desc;
    GEI_TRY(gei_slot_desc(to, &desc, c->diag));
    desc->dtype = from->dtype;
    desc->format = from->format;
    desc->shape = from->shape;
    return copy_attrs(c, &from->attrs, &desc->attrs, &to->owner->graph->arena);
}

/* Counts of the dynamic ports of a node, as gei_graph_add_node takes them. */
static ge_status count_dynamic(cloner *c, const gei_node *node, uint32_t **out_ins, uint32_t **out_outs) {
    const gei_op_def *def = node->def;
    uint32_t *ins = *out_ins, *outs = *out_outs, k = 0;
    if (def->n_inputs > 16) ins = gei_arena_array(&c->arena, uint32_t, def->n_inputs);
    if (def->n_outputs > 16) outs = gei_arena_array(&c->arena, uint32_t, def->n_outputs);
    if (!ins || !outs) return gei_out_of_memory(c->diag, 0);
    for (uint32_t i = 0; i < def->n_inputs; i++)
        if (def->inputs[i].kind == GEI_PORT_DYNAMIC) ins[k++] = gei_node_port_count(node, i);
    k = 0;
    for (uint32_t i = 0, at = 0; i < def->n_outputs; i++) {
        uint32_t first = at;
        while (at < node->n_outs && node->outs[at].port == i) at++;
        if (def->outputs[i].kind == GEI_PORT_DYNAMIC) outs[k++] = at - first;
    }
    *out_ins = ins;
    *out_outs = outs;
    return GE_OK;
}

/* Everything of the node but its edges and subgraphs. */
static ge_status copy_node(cloner *c, const gei_node *from, gei_graph *to, bool is_named, gei_node **out) {
    uint32_t few_ins[16], few_outs[16], *n_ins = few_ins, *n_outs = few_outs;
    gei_node *node;
    GEI_TRY(count_dynamic(c, from, &n_ins, &n_outs));
    GEI_TRY(gei_node_add(to, from->def, from->name, is_named, n_ins, n_outs, &node, c->diag));
    GEI_TRY(copy_attrs(c, &from->attrs, &node->attrs, &to->arena));
    for (uint32_t i = 0; i < from->n_outs; i++) GEI_TRY(copy_out(c, &from->outs[i], gei_value_of(node, i)));
    for (uint32_t i = 0; from->in_descs && i < from->n_ins; i++)
        if (from->in_descs[i]) GEI_TRY(copy_in_desc(c, from->in_descs[i], &node->ins[i]));
    GEI_TRY(gei_node_set_origin(node, from->origin, c->diag));
    *out = node;
    return GE_OK;
}

/* ---- one graph ---- */

/* Without gaps an index is the same in the copy, and so is the table of names but for where the names lie. */
static bool has_no_gaps(const gei_graph *g) {
    return g->n_live == g->nodes.count && g->names.count == g->n_live && g->names.dead == 0;
}

static void own_names(gei_graph *copy) {
    for (size_t i = 0; i < copy->names.count; i++) {
        uint64_t index;
        const char **key = gei_strmap_key(&copy->names, i, &index);
        *key = copy->nodes.items[index]->name;
    }
}

static ge_status copy_nodes(cloner *c, size_t place) {
    const gei_graph *from = c->graphs[place];
    gei_graph *to = c->copies[place];
    gei_node **map = gei_arena_array(&c->arena, gei_node *, from->nodes.count);
    if (!map) return gei_out_of_memory(c->diag, from->nodes.count * sizeof *map);
    c->nodes[place] = map;
    bool same_names = has_no_gaps(from);
    bool ok = same_names ? gei_strmap_copy(&to->names, &from->names) : gei_strmap_reserve(&to->names, from->n_live);
    if (!ok || !gei_vec_reserve(to->from, &to->nodes, from->n_live))
        return gei_out_of_memory(c->diag, from->n_live * sizeof *map);
    for (size_t i = 0; i < from->nodes.count; i++)
        if (from->nodes.items[i]) GEI_TRY(copy_node(c, from->nodes.items[i], to, same_names, &map[i]));
    if (same_names) own_names(to);
    to->next_name = from->next_name;
    GEI_TRY(copy_attrs(c, &from->attrs, &to->attrs, &to->arena));
    return copy_attrs(c, &from->metadata, &to->metadata, &to->arena);
}

/* Walks the use lists, so that the copy has its uses in the same order. */
static ge_status copy_edges(cloner *c, size_t place) {
    const gei_graph *from = c->graphs[place];
    gei_node **map = c->nodes[place];
    for (size_t i = 0; i < from->nodes.count; i++) {
        const gei_node *node = from->nodes.items[i];
        if (!node) continue;
        for (uint32_t o = 0; o < node->n_outs; o++)
            for (const gei_slot *use = node->outs[o].first_use; use; use = use->next_use)
                gei_slot_set(&map[use->owner->index]->ins[use - use->owner->ins], gei_value_of(map[i], o));
        for (uint32_t k = 0; k < node->ctrl_ins.count; k++)
            GEI_TRY(gei_control_link(map[node->ctrl_ins.items[k]->index], map[i], c->diag));
        for (uint32_t s = 0; s < node->n_subgraphs; s++) {
            gei_graph *nested = c->copies[c->place[node->subgraphs[s].graph->sub_index]];
            GEI_TRY(gei_subgraph_link(map[i], node->subgraphs[s].port, nested, c->diag));
        }
    }
    return GE_OK;
}

static ge_status copy_output_names(cloner *c, size_t place) {
    const gei_graph *from = c->graphs[place];
    gei_graph *to = c->copies[place];
    if (!from->output_names) return GE_OK;
    uint32_t count = from->net_output->n_ins;
    const char **names = gei_arena_array(&to->arena, const char *, count);
    if (!names) return gei_out_of_memory(c->diag, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (!from->output_names[i]) continue;
        names[i] = gei_arena_text(&to->arena, from->output_names[i], strlen(from->output_names[i]));
        if (!names[i]) return gei_out_of_memory(c->diag, 0);
    }
    to->output_names = names;
    return GE_OK;
}

static ge_status clone_all(cloner *c) {
    GEI_TRY(list_graphs(c));
    GEI_TRY(gei_graph_create(c->from->from, c->from->name, &c->root, c->diag));
    c->copies[0] = c->root;
    for (size_t i = 1; i < c->n_graphs; i++)
        GEI_TRY(gei_graph_create_subgraph(c->root, c->graphs[i]->name, &c->copies[i], c->diag));
    const gei_symbols *symbols = c->from->symbols;
    for (size_t i = 0; i < symbols->names.count; i++) { /* same numbers: dims are copied as they are */
        gei_dim dim;
        GEI_TRY(gei_graph_symbol(c->root, symbols->names.items[i], strlen(symbols->names.items[i]), &dim, c->diag));
    }
    for (size_t i = 0; i < c->n_graphs; i++) GEI_TRY(copy_nodes(c, i));
    for (size_t i = 0; i < c->n_graphs; i++) {
        GEI_TRY(copy_edges(c, i));
        GEI_TRY(copy_output_names(c, i));
    }
    return GE_OK;
}

ge_status gei_graph_clone(const gei_graph *g, gei_graph **out, gei_diag *diag) {
    cloner c = { .from = g, .diag = diag };
    *out = NULL;
    gei_arena_init(&c.arena, g->from);
    ge_status st = clone_all(&c);
    gei_arena_deinit(&c.arena);
    if (st == GE_OK) *out = c.root;
    else gei_graph_destroy(c.root);
    return st;
}
