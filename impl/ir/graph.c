/* SPDX-License-Identifier: Apache-2.0 */
/* Life of graphs and their subgraphs. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "ir/graph_inner.h"

static atomic_uint last_serial;

/* ---- making ---- */

static gei_symbols *create_symbols(const gei_allocator *from) {
    gei_symbols *symbols = (gei_symbols *)gei_alloc_zero(from, sizeof *symbols, _Alignof(gei_symbols));
    if (symbols) gei_strmap_init(&symbols->by_name, from);
    return symbols;
}

static void destroy_symbols(gei_symbols *symbols, const gei_allocator *from) {
    if (!symbols) return;
    gei_vec_free(from, &symbols->names);
    gei_strmap_deinit(&symbols->by_name);
    gei_free(from, symbols, sizeof *symbols, _Alignof(gei_symbols));
}

/* Frees the graph alone: its nodes' tensors are released already. */
static void free_graph(gei_graph *g) {
    if (g->root == g) {
        gei_vec_free(g->from, &g->subgraphs);
        gei_strmap_deinit(&g->subgraph_names);
        destroy_symbols(g->symbols, g->from);
    }
    gei_vec_free(g->from, &g->nodes);
    gei_strmap_deinit(&g->names);
    gei_arena_deinit(&g->arena);
    gei_free(g->from, g, sizeof *g, _Alignof(gei_graph));
}

/* root NULL makes a root. */
static gei_graph *create_graph(const gei_allocator *from, gei_graph *root, const char *name) {
    gei_graph *g = (gei_graph *)gei_alloc_zero(from, sizeof *g, _Alignof(gei_graph));
    if (!g) return NULL;
    g->from = from;
    g->root = root ? root : g;
    gei_arena_init(&g->arena, from);
    gei_strmap_init(&g->names, from);
    gei_strmap_init(&g->subgraph_names, from);
    g->serial = atomic_fetch_add_explicit(&last_serial, 1, memory_order_relaxed) + 1;
    g->symbols = root ? root->symbols : create_symbols(from);
    g->name = gei_arena_text(&g->arena, name, strlen(name));
    if (!g->symbols || !g->name) {
        free_graph(g);
        return NULL;
    }
    return g;
}

ge_status gei_graph_create(const gei_allocator *from, const char *name, gei_graph **out, gei_diag *diag) {
    *out = create_graph(from, NULL, name ? name : "");
    return *out ? GE_OK : gei_out_of_memory(diag, sizeof(gei_graph));
}

ge_status gei_graph_create_subgraph(gei_graph *root, const char *name, gei_graph **out, gei_diag *diag) {
    char made_up[32];
    *out = NULL;
    root = root->root;
    if (!name || !name[0]) {
        do snprintf(made_up, sizeof made_up, "graph_%llu", (unsigned long long)root->next_name++);
        while (gei_strmap_find(&root->subgraph_names, made_up, strlen(made_up), NULL));
        name = made_up;
    } else if (gei_strmap_find(&root->subgraph_names, name, strlen(name), NULL)) {
        return gei_fail(diag, GE_ERR_ALREADY_EXISTS, "graph '%s' has a subgraph '%s' already", root->name, name);
    }
    gei_graph *g = create_graph(root->from, root, name);
    if (!g) return gei_out_of_memory(diag, sizeof *g);
    if (!gei_vec_reserve(root->from, &root->subgraphs, 1) ||
        !gei_strmap_put(&root->subgraph_names, g->name, strlen(g->name), root->subgraphs.count)) {
        free_graph(g);
        return gei_out_of_memory(diag, 0);
    }
    g->sub_index = (uint32_t)root->subgraphs.count;
    root->subgraphs.items[root->subgraphs.count++] = g;
    *out = g;
    return GE_OK;
}

gei_graph *gei_graph_find_subgraph(const gei_graph *root, const char *name, size_t name_size) {
    uint64_t index;
    root = root->root;
    return gei_strmap_find(&root->subgraph_names, name, name_size, &index) ? root->subgraphs.items[index] : NULL;
}

ge_status gei_graph_rename(gei_graph *g, const char *name, gei_diag *diag) {
    gei_strmap *names = &g->root->subgraph_names;
    if (strcmp(g->name, name) == 0) return GE_OK;
    if (g->root != g && !name[0]) return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "subgraph '%s': the new name is empty", g->name);
    if (g->root != g && gei_strmap_find(names, name, strlen(name), NULL))
        return gei_fail(diag, GE_ERR_ALREADY_EXISTS, "graph '%s' has a subgraph '%s' already", g->root->name, name);
    const char *own = gei_arena_text(&g->arena, name, strlen(name));
    if (!own || (g->root != g && !gei_strmap_put(names, own, strlen(own), g->sub_index))) return gei_out_of_memory(diag, 0);
    if (g->root != g) gei_strmap_remove(names, g->name, strlen(g->name));
    g->name = own;
    return GE_OK;
}

/* Marks by sub_index what is nested below the first n_left graphs of `left`, which has room for all.  No recursion: nesting may be
 * deep. */
static void mark_nested(const gei_graph **left, size_t n_left, uint8_t *marks) {
    while (n_left > 0) {
        const gei_graph *at = left[--n_left];
        for (size_t i = 0; i < at->nodes.count; i++) {
            const gei_node *node = at->nodes.items[i];
            for (uint32_t s = 0; node && s < node->n_subgraphs; s++) {
                const gei_graph *nested = node->subgraphs[s].graph;
                if (!marks[nested->sub_index]) left[n_left++] = nested;
                marks[nested->sub_index] = 1;
            }
        }
    }
}

/* A graph nested in itself is one that neither the root nor a graph without a node leads to. */
static ge_status check_marks(const gei_graph *root, const gei_graph **left, uint8_t *marks, gei_diag *diag) {
    size_t n_left = 0;
    left[n_left++] = root;
    for (size_t i = 0; i < root->subgraphs.count; i++) {
        if (root->subgraphs.items[i]->parent) continue;
        left[n_left++] = root->subgraphs.items[i];
        marks[i] = 1;
    }
    mark_nested(left, n_left, marks);
    for (size_t i = 0; i < root->subgraphs.count; i++)
        if (!marks[i]) return gei_fail(diag, GE_ERR_BAD_GRAPH, "subgraph '%s' is nested in itself", root->subgraphs.items[i]->name);
    return GE_OK;
}

ge_status gei_nesting_check(const gei_graph *root, gei_diag *diag) {
    gei_arena scratch;
    gei_arena_init(&scratch, root->from);
    uint8_t *marks = gei_arena_array(&scratch, uint8_t, root->subgraphs.count + 1);
    const gei_graph **left = gei_arena_array(&scratch, const gei_graph *, root->subgraphs.count + 1);
    ge_status st = marks && left ? check_marks(root, left, marks, diag) : gei_out_of_memory(diag, 0);
    gei_arena_deinit(&scratch);
    return st;
}

ge_status gei_graphs_below(const gei_graph *g, gei_arena *arena, const gei_graph ***out, size_t *out_count, gei_diag *diag) {
    const gei_graph *root = g->root;
    size_t n_all = root->subgraphs.count, count = 0;
    uint8_t *marks = gei_arena_array(arena, uint8_t, n_all + 1);
    const gei_graph **graphs = gei_arena_array(arena, const gei_graph *, n_all + 1);
    if (!marks || !graphs) return gei_out_of_memory(diag, 0);
    if (g == root) {
        memset(marks, 1, n_all);
    } else {
        graphs[0] = g;
        mark_nested(graphs, 1, marks);
    }
    graphs[count++] = g;
    for (size_t i = 0; i < n_all; i++)
        if (marks[i]) graphs[count++] = root->subgraphs.items[i];
    *out = graphs;
    *out_count = count;
    return GE_OK;
}

/* ---- taking down ---- */

void gei_node_release(gei_node *node) {
    gei_attrs_release(&node->attrs);
    for (uint32_t i = 0; i < node->n_outs; i++)
        if (node->outs[i].attrs) gei_attrs_release(node->outs[i].attrs);
    for (uint32_t i = 0; node->in_descs && i < node->n_ins; i++)
        if (node->in_descs[i]) gei_attrs_release(&node->in_descs[i]->attrs);
}

static void release_tensors(gei_graph *g) {
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i]) gei_node_release(g->nodes.items[i]);
    gei_attrs_release(&g->attrs);
    gei_attrs_release(&g->metadata);
}

/* The last subgraph takes the place of the one that goes. */
static void forget_subgraph(gei_graph *g) {
    gei_graph *root = g->root, *last = root->subgraphs.items[root->subgraphs.count - 1];
    gei_strmap_remove(&root->subgraph_names, g->name, strlen(g->name));
    if (last != g) {
        /* Replacing the value of a key that is there needs no memory. */
        (void)gei_strmap_put(&root->subgraph_names, last->name, strlen(last->name), g->sub_index);
        root->subgraphs.items[g->sub_index] = last;
        last->sub_index = g->sub_index;
    }
    root->subgraphs.count--;
}

/* Nesting may be deep: a chain through `link` instead of recursion, and no memory needed. */
static void chain_subgraphs(gei_node *node, gei_graph **chain) {
    for (uint32_t i = 0; i < node->n_subgraphs; i++) {
        node->subgraphs[i].graph->link = *chain;
        *chain = node->subgraphs[i].graph;
    }
    node->n_subgraphs = 0;
}

void gei_node_drop_subgraphs(gei_node *node) {
    gei_graph *chain = NULL;
    chain_subgraphs(node, &chain);
    while (chain) {
        gei_graph *g = chain;
        chain = g->link;
        for (size_t i = 0; i < g->nodes.count; i++)
            if (g->nodes.items[i]) chain_subgraphs(g->nodes.items[i], &chain);
        release_tensors(g);
        forget_subgraph(g);
        free_graph(g);
    }
}

void gei_graph_destroy(gei_graph *g) {
    if (!g || g->root != g) return;
    for (size_t i = 0; i < g->subgraphs.count; i++) {
        release_tensors(g->subgraphs.items[i]);
        free_graph(g->subgraphs.items[i]);
    }
    release_tensors(g);
    free_graph(g);
}
