/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/id.h"
#include "ir/builtin.h"

/* ---- owners and views ---- */

void gei_api_graph_retain(gei_api_graph *g) { atomic_fetch_add_explicit(&g->refs, 1, memory_order_relaxed); }

void gei_api_graph_release(gei_api_graph *g) {
    if (atomic_fetch_sub_explicit(&g->refs, 1, memory_order_acq_rel) != 1) return;
    gei_api_context *ctx = g->ctx;
    gei_graph_destroy(g->root);
    gei_strmap_deinit(&g->shapes);
    gei_arena_deinit(&g->shapes_arena);
    pthread_mutex_destroy(&g->shapes_lock);
    gei_free(&ctx->from, g, sizeof *g, 0);
    gei_context_release(ctx);
}

static void view_destroy(void *object) {
    gei_api_graph_view *view = object;
    gei_api_graph *owner = view->owner;
    gei_api_context *ctx = owner->ctx;
    gei_context_retain(ctx); /* for the count below, should the owner be the last to hold it */
    gei_free(&ctx->from, view, sizeof *view, 0);
    gei_api_graph_release(owner);
    gei_object_gone(ctx);
}

ge_status gei_graph_view_handle(gei_api_graph *owner, gei_graph *graph, ge_graph **out, gei_diag *diag) {
    gei_api_graph_view *view = gei_alloc_zero(&owner->ctx->from, sizeof *view, 0);
    if (!view) return gei_out_of_memory(diag, sizeof *view);
    gei_api_graph_retain(owner);
    *view = (gei_api_graph_view){ owner, graph, graph->serial, graph->sub_index };
    return gei_object_handle(owner->ctx, GEI_HANDLE_GRAPH, view, view_destroy, (void **)out, diag);
}

ge_status gei_api_graph_new(gei_api_context *c, gei_graph *root, gei_api_graph **out, gei_diag *diag) {
    gei_api_graph *g = gei_alloc_zero(&c->from, sizeof *g, 0);
    *out = g;
    if (!g) {
        gei_graph_destroy(root);
        return gei_out_of_memory(diag, sizeof *g);
    }
    atomic_init(&g->refs, 1);
    g->ctx = c;
    g->root = root;
    gei_strmap_init(&g->shapes, &c->from);
    gei_arena_init(&g->shapes_arena, &c->from);
    pthread_mutex_init(&g->shapes_lock, NULL);
    gei_context_retain(c);
    return GE_OK;
}

ge_status gei_api_graph_create(gei_api_context *c, const char *name, size_t name_size, gei_api_graph **out, gei_diag *diag) {
    gei_graph *root;
    char *text;
    GEI_TRY(gei_text_copy(&c->from, name, name_size, &text, diag));
    ge_status st = gei_graph_create(&c->from, text, &root, diag);
    gei_text_free(&c->from, text, name_size);
    return st == GE_OK ? gei_api_graph_new(c, root, out, diag) : st;
}

ge_status gei_graph_handle(gei_api_context *c, gei_graph *root, ge_graph **out, gei_diag *diag) {
    gei_api_graph *owner;
    GEI_TRY(gei_api_graph_new(c, root, &owner, diag));
    ge_status st = gei_graph_view_handle(owner, root, out, diag);
    gei_api_graph_release(owner); /* the view holds it */
    return st;
}

gei_graph *gei_view_graph(const gei_api_graph_view *view, gei_diag *diag) {
    gei_graph *root = view->owner->root;
    if (view->graph == root) return root;
    bool in_place = view->place < root->subgraphs.count && root->subgraphs.items[view->place] == view->graph;
    if (in_place && view->graph->serial == view->serial) return view->graph;
    for (size_t i = 0; i < root->subgraphs.count; i++)
        if (root->subgraphs.items[i] == view->graph && view->graph->serial == view->serial) return view->graph;
    gei_argument_fail(diag, "graph", 0, GE_ERR_HANDLE_STALE, "the subgraph behind this view was removed");
    return NULL;
}

/* ---- ids ---- */

ge_status gei_id_bad(const char *argument, int32_t index, uint64_t id, gei_diag *diag) {
    gei_diag_found(diag, "0x%llx", (unsigned long long)id);
    return gei_argument_fail(diag, argument, index, GE_ERR_BAD_ID, "%s names nothing in this graph", argument);
}

static gei_node *node_at(const gei_graph *g, uint64_t id) {
    if (gei_id_serial(id) != (g->serial & 0x1fffff)) return NULL;
    return gei_graph_node_at(g, gei_id_index(id));
}

gei_node *gei_id_node(const gei_graph *g, ge_node_id id, const char *argument, int32_t index, gei_diag *diag) {
    gei_node *node = gei_id_kind(id) == GEI_ID_NODE && gei_id_port(id) == 0 ? node_at(g, id) : NULL;
    if (!node) gei_id_bad(argument, index, id, diag);
    return node;
}

ge_status gei_id_value(const gei_graph *g, ge_value_id id, const char *argument, int32_t index, gei_value *out, gei_diag *diag) {
    gei_node *node = gei_id_kind(id) == GEI_ID_OUT ? node_at(g, id) : NULL;
    if (!node || gei_id_port(id) >= node->n_outs) return gei_id_bad(argument, index, id, diag);
    *out = gei_value_of(node, gei_id_port(id));
    return GE_OK;
}

ge_status gei_id_port_of(const gei_graph *g, ge_port_id id, const char *argument, int32_t index, gei_node **out_node, uint32_t *out_kind,
                         uint32_t *out_port, gei_diag *diag) {
    uint32_t kind = gei_id_kind(id), port = gei_id_port(id);
    gei_node *node = kind == GEI_ID_IN || kind == GEI_ID_OUT ? node_at(g, id) : NULL;
    if (!node || port >= (kind == GEI_ID_IN ? node->n_ins : node->n_outs)) return gei_id_bad(argument, index, id, diag);
    *out_node = node;
    *out_kind = kind;
    *out_port = port;
    return GE_OK;
}

/* ---- life ---- */

ge_status ge_graph_create(const ge_context *context, const char *name, size_t name_size, ge_graph **out_graph) {
    GEI_CALL;
    gei_api_context *c;
    gei_api_graph *g;
    GEI_OUT(out_graph);
    GEI_NEED(name, 1);
    GEI_NEED(out_graph, 3);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 1, &diag));
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    st = gei_api_graph_create(c, name, name_size, &g, &diag);
    if (st == GE_OK) {
        st = gei_graph_view_handle(g, g->root, out_graph, &diag);
        gei_api_graph_release(g); /* the view holds it */
    }
    gei_context_release(c);
    return GEI_RETURN(st);
}

ge_status ge_graph_copy(const ge_graph *graph, ge_graph **out_graph) {
    GEI_CALL;
    gei_graph *copy;
    GEI_OUT(out_graph);
    GEI_NEED(out_graph, 1);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_graph_clone(g, &copy, &diag));
    return GEI_RETURN(gei_graph_handle(g_view->owner->ctx, copy, out_graph, &diag));
}

ge_status ge_graph_destroy(ge_graph *graph) {
    ge_status st = gei_handle_close(graph, GEI_HANDLE_GRAPH);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "graph", 0, graph, GEI_HANDLE_GRAPH);
}

static uint64_t subgraphs_below(const gei_graph *g) {
    uint64_t n = 0;
    for (size_t i = 0; i < g->root->subgraphs.count; i++) {
        const gei_graph *at = g->root->subgraphs.items[i];
        while (at && at != g && at->parent) at = at->parent->graph;
        n += at == g && g->root->subgraphs.items[i] != g;
    }
    return n;
}

/* The port a subgraph hangs on, and which of those with that name when the port is dynamic. */
static void find_parent_port(const gei_graph *g, ge_graph_info *info) {
    const gei_node *parent = g->parent;
    for (uint32_t i = 0; parent && i < parent->n_subgraphs; i++)
        if (parent->subgraphs[i].graph == g) info->parent_port = parent->subgraphs[i].port;
    for (uint32_t i = 0; parent && i < parent->n_subgraphs && parent->subgraphs[i].graph != g; i++)
        info->parent_index += parent->subgraphs[i].port == info->parent_port;
}

ge_status ge_graph_get_info(const ge_graph *graph, ge_graph_info *out_info, size_t out_info_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(out_info, out_info_size);
    GEI_NEED(out_info, 1);
    GEI_GRAPH(g, graph);
    ge_graph_info info = { .name = g->name,
                           .nodes_count = g->n_live - (g->net_output != NULL),
                           .outputs_count = g->net_output ? g->net_output->n_ins : 0,
                           .subgraphs_count = subgraphs_below(g),
                           .parent_node = g->parent ? gei_node_id_of(g->parent) : 0 };
    find_parent_port(g, &info);
    for (size_t i = 0; i < g->nodes.count; i++) {
        const gei_node *node = g->nodes.items[i];
        if (!node || node == g->net_output) continue;
        info.inputs_count += gei_node_is_input(node);
        info.edges_count += node->ctrl_ins.count;
        for (uint32_t k = 0; k < node->n_ins; k++) info.edges_count += node->ins[k].from.node != NULL;
    }
    return GEI_RETURN(gei_struct_out(out_info, out_info_size, &info, sizeof info, GEI_FIRST_GRAPH_INFO, "out_info", 1, &diag));
}

ge_status ge_graph_create_view(const ge_graph *graph, ge_subgraph_id subgraph, ge_graph **out_graph) {
    GEI_CALL;
    GEI_OUT(out_graph);
    GEI_NEED(out_graph, 2);
    GEI_GRAPH(g, graph);
    for (size_t i = 0; gei_id_kind(subgraph) == GEI_ID_SUBGRAPH && i < g->root->subgraphs.count; i++) {
        gei_graph *sub = g->root->subgraphs.items[i];
        if (sub && sub->serial == (uint32_t)subgraph) return GEI_RETURN(gei_graph_view_handle(g_view->owner, sub, out_graph, &diag));
    }
    return GEI_RETURN(gei_id_bad("subgraph", 1, subgraph, &diag));
}

ge_status ge_graph_check(const ge_graph *graph) {
    GEI_CALL;
    GEI_GRAPH(g, graph);
    return GEI_RETURN(gei_graph_check(g, &diag));
}
