/* SPDX-License-Identifier: Apache-2.0 */
/* Adding, finding, naming and removing nodes. */
#include <stdio.h>
#include <string.h>

#include "ir/builtin.h"
#include "ir/graph_inner.h"

#define MADE_UP_NAME_BYTES 128

/* ---- adding ---- */

/* Sum of a side's ports: one for each required or optional port, `dynamic[k]` for the k-th dynamic one. */
static ge_status count_ports(const gei_port_def *ports, uint32_t n_ports, const uint32_t *dynamic, uint32_t most_nth,
                             const gei_op_def *def, uint32_t *out, gei_diag *diag) {
    uint64_t sum = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < n_ports; i++) {
        if (ports[i].kind != GEI_PORT_DYNAMIC) {
            sum++;
            continue;
        }
        uint32_t n = dynamic ? dynamic[k++] : 0;
        if (n > most_nth)
            return gei_fail(diag, GE_ERR_LIMIT, "%s: %u values on dynamic port '%s', at most %u", def->name, n, ports[i].name,
                            most_nth);
        sum += n;
    }
    if (sum > GEI_MAX_SLOTS)
        return gei_fail(diag, GE_ERR_LIMIT, "%s: %llu ports on one side, at most %u", def->name, (unsigned long long)sum,
                        GEI_MAX_SLOTS);
    *out = (uint32_t)sum;
    return GE_OK;
}

void gei_slots_init(gei_slot *slots, gei_node *owner, uint32_t port, uint32_t count) {
    for (uint32_t nth = 0; nth < count; nth++) slots[nth] = (gei_slot){ .owner = owner, .port = port, .nth = nth };
}

static void init_ins(gei_node *node, const uint32_t *dynamic) {
    gei_slot *at = node->ins;
    for (uint32_t i = 0; i < node->def->n_inputs; i++) {
        uint32_t count = node->def->inputs[i].kind != GEI_PORT_DYNAMIC ? 1 : dynamic ? *dynamic++ : 0;
        gei_slots_init(at, node, i, count);
        at += count;
    }
}

static void init_outs(gei_node *node, const uint32_t *dynamic) {
    gei_out *at = node->outs;
    for (uint32_t i = 0; i < node->def->n_outputs; i++) {
        uint32_t count = node->def->outputs[i].kind != GEI_PORT_DYNAMIC ? 1 : dynamic ? *dynamic++ : 0;
        for (uint32_t nth = 0; nth < count; nth++)
            *at++ = (gei_out){ .dtype = GEI_UNDEFINED,
                               .format = GE_FORMAT_ND,
                               .rank = GEI_RANK_UNKNOWN,
                               .port = (uint16_t)i,
                               .nth = (uint16_t)nth };
    }
}

/* Node, slots, outputs and name in one piece of memory. */
static gei_node *alloc_node(gei_graph *g, uint32_t n_ins, uint32_t n_outs, const char *name, size_t name_size) {
    size_t ins_at = sizeof(gei_node), outs_at = ins_at + n_ins * sizeof(gei_slot);
    size_t name_at = outs_at + n_outs * sizeof(gei_out), name_bytes = name_size + 1;
    char *memory = (char *)gei_arena_alloc(&g->arena, name_at + name_bytes, _Alignof(gei_node));
    if (!memory) return NULL;
    gei_node *node = (gei_node *)(void *)memory;
    *node = (gei_node){ .graph = g,
                        .ins = (gei_slot *)(void *)(memory + ins_at),
                        .outs = (gei_out *)(void *)(memory + outs_at),
                        .n_ins = n_ins,
                        .n_outs = n_outs,
                        .name = memory + name_at };
    memcpy(memory + name_at, name, name_bytes);
    return node;
}

static void make_up_name(gei_graph *g, const char *type, char *to) {
    do snprintf(to, MADE_UP_NAME_BYTES, "%.96s_%llu", type, (unsigned long long)g->next_name++);
    while (gei_strmap_find(&g->names, to, strlen(to), NULL));
}

static ge_status fail_name(const gei_graph *g, const char *name, gei_diag *diag) {
    gei_diag_node(diag, name);
    return gei_fail(diag, GE_ERR_ALREADY_EXISTS, "graph '%s' has a node '%s' already", g->name, name);
}

/* Takes the name, unless it stands in the table, and makes the node of it, not yet in the list. */
static ge_status name_node(gei_graph *g, uint32_t n_ins, uint32_t n_outs, const char *name, bool is_named, gei_node **out, gei_diag *diag) {
    size_t size = strlen(name);
    const char **key;
    if (is_named) {
        *out = alloc_node(g, n_ins, n_outs, name, size);
        return *out ? GE_OK : gei_out_of_memory(diag, 0);
    }
    if (!gei_strmap_claim(&g->names, name, size, g->nodes.count, &key)) return gei_out_of_memory(diag, 0);
    if (!key) return fail_name(g, name, diag);
    *out = alloc_node(g, n_ins, n_outs, name, size);
    if (!*out) {
        (void)gei_strmap_remove(&g->names, name, size);
        return gei_out_of_memory(diag, 0);
    }
    *key = (*out)->name;
    return GE_OK;
}

ge_status gei_graph_add_node(gei_graph *g, const gei_op_def *def, const char *name, const uint32_t *n_dynamic_ins,
                             const uint32_t *n_dynamic_outs, gei_node **out, gei_diag *diag) {
    return gei_node_add(g, def, name, false, n_dynamic_ins, n_dynamic_outs, out, diag);
}

ge_status gei_node_add(gei_graph *g, const gei_op_def *def, const char *name, bool is_named, const uint32_t *n_dynamic_ins,
                       const uint32_t *n_dynamic_outs, gei_node **out, gei_diag *diag) {
    char made_up[MADE_UP_NAME_BYTES];
    uint32_t n_ins, n_outs;
    *out = NULL;
    if (def == &gei_def_net_output && g->net_output)
        return gei_fail(diag, GE_ERR_ALREADY_EXISTS, "graph '%s' has its NetOutput node '%s' already", g->name, g->net_output->name);
    GEI_TRY(count_ports(def->inputs, def->n_inputs, n_dynamic_ins, GEI_MAX_SLOTS, def, &n_ins, diag));
    GEI_TRY(count_ports(def->outputs, def->n_outputs, n_dynamic_outs, GEI_MAX_NTH, def, &n_outs, diag));
    if (g->nodes.count >= UINT32_MAX) return gei_fail(diag, GE_ERR_LIMIT, "graph '%s' cannot hold more nodes", g->name);
    if (!name || !name[0]) {
        make_up_name(g, def->name, made_up);
        name = made_up;
    }

    gei_node *node;
    if (!gei_vec_reserve(g->from, &g->nodes, 1)) return gei_out_of_memory(diag, 0);
    GEI_TRY(name_node(g, n_ins, n_outs, name, is_named, &node, diag));
    node->def = def;
    node->index = (uint32_t)g->nodes.count;
    init_ins(node, n_dynamic_ins);
    init_outs(node, n_dynamic_outs);
    g->nodes.items[g->nodes.count++] = node;
    g->n_live++;
    if (def == &gei_def_net_output) g->net_output = node;
    *out = node;
    return GE_OK;
}

/* ---- finding, naming ---- */

gei_node *gei_graph_find_node(const gei_graph *g, const char *name, size_t name_size) {
    uint64_t index;
    return gei_strmap_find(&g->names, name, name_size, &index) ? g->nodes.items[index] : NULL;
}

gei_node *gei_graph_node_at(const gei_graph *g, uint64_t index) { return index < g->nodes.count ? g->nodes.items[index] : NULL; }

ge_status gei_graph_rename_node(gei_node *node, const char *name, gei_diag *diag) {
    gei_graph *g = node->graph;
    if (strcmp(node->name, name) == 0) return GE_OK;
    if (!name[0]) return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "node '%s': the new name is empty", node->name);
    if (gei_strmap_find(&g->names, name, strlen(name), NULL)) return fail_name(g, name, diag);
    const char *own = gei_arena_text(&g->arena, name, strlen(name));
    if (!own || !gei_strmap_put(&g->names, own, strlen(own), node->index)) return gei_out_of_memory(diag, 0);
    gei_strmap_remove(&g->names, node->name, strlen(node->name));
    node->name = own;
    return GE_OK;
}

/* ---- removing ---- */

void gei_graph_remove_node(gei_node *node) {
    gei_graph *g = node->graph;
    if (!gei_node_is_live(node, g)) return;
    for (uint32_t i = 0; i < node->n_ins; i++) gei_slot_set(&node->ins[i], (gei_value){ NULL, 0 });
    for (uint32_t i = 0; i < node->n_outs; i++) gei_value_replace_uses(gei_value_of(node, i), (gei_value){ NULL, 0 });
    gei_node_drop_controls(node);
    gei_node_drop_subgraphs(node);
    gei_node_release(node);
    gei_strmap_remove(&g->names, node->name, strlen(node->name));
    g->nodes.items[node->index] = NULL;
    g->n_live--;
    if (g->net_output == node) {
        g->net_output = NULL;
        g->output_names = NULL;
    }
}

/* ---- subgraphs ---- */

static const gei_subgraph_def *find_subgraph_port(const gei_op_def *def, const char *port) {
    for (uint32_t i = 0; i < def->n_subgraphs; i++)
        if (strcmp(def->subgraphs[i].name, port) == 0) return &def->subgraphs[i];
    return NULL;
}

static ge_status check_attach(const gei_node *node, const char *port, const gei_graph *subgraph, gei_diag *diag) {
    const gei_subgraph_def *def = find_subgraph_port(node->def, port);
    gei_diag_node(diag, node->name);
    if (!def)
        return gei_fail(diag, GE_ERR_NOT_FOUND, "%s '%s' has no subgraph port '%s'", node->def->name, node->name, port);
    if (subgraph->root != node->graph->root || subgraph->root == subgraph)
        return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "%s '%s': graph '%s' is not a subgraph of graph '%s'", node->def->name, node->name,
                        subgraph->name, node->graph->root->name);
    if (subgraph->parent)
        return gei_fail(diag, GE_ERR_ALREADY_EXISTS, "%s '%s': subgraph '%s' hangs on node '%s' already", node->def->name, node->name,
                        subgraph->name, subgraph->parent->name);
    for (uint32_t i = 0; !def->dynamic && i < node->n_subgraphs; i++)
        if (strcmp(node->subgraphs[i].port, port) == 0)
            return gei_fail(diag, GE_ERR_ALREADY_EXISTS, "%s '%s' has a subgraph on port '%s' already", node->def->name, node->name, port);
    return GE_OK;
}

ge_status gei_subgraph_link(gei_node *node, const char *port, gei_graph *subgraph, gei_diag *diag) {
    GEI_TRY(check_attach(node, port, subgraph, diag));
    uint32_t n = node->n_subgraphs;
    if ((n & (n - 1)) == 0) { /* full at powers of two */
        gei_subgraph_ref *refs = gei_arena_array(&node->graph->arena, gei_subgraph_ref, n ? (size_t)n * 2 : 1);
        if (!refs) return gei_out_of_memory(diag, 0);
        if (n > 0) memcpy(refs, node->subgraphs, n * sizeof *refs);
        node->subgraphs = refs;
    }
    node->subgraphs[n] = (gei_subgraph_ref){ find_subgraph_port(node->def, port)->name, subgraph };
    node->n_subgraphs = n + 1;
    subgraph->parent = node;
    return GE_OK;
}

ge_status gei_graph_add_subgraph(gei_node *node, const char *port, gei_graph *subgraph, gei_diag *diag) {
    for (const gei_graph *g = node->graph; g; g = g->parent ? g->parent->graph : NULL) {
        if (g != subgraph) continue;
        gei_diag_node(diag, node->name);
        return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "%s '%s' lies inside subgraph '%s'", node->def->name, node->name, subgraph->name);
    }
    return gei_subgraph_link(node, port, subgraph, diag);
}
