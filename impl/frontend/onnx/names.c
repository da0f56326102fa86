/* SPDX-License-Identifier: Apache-2.0 */
/* Names of IR nodes and values.  ONNX names values and may name nodes, twice the same too; IR node names are unique in a graph.
 * Nodes get theirs while a graph is indexed, so that each message calls a node what the graph will call it. */
#include <stdio.h>
#include <string.h>

#include "frontend/onnx/reader.h"

/* ---- nodes of the file ---- */

typedef struct naming {
    gei_onnx_reader *r;
    gei_onnx_graph *g;
    gei_strmap taken; /* -> last number tried behind it, so that a million nodes of one name do not try each number a million times */
} naming;

static bool take(naming *n, gei_span name, uint64_t number) { return gei_strmap_put(&n->taken, name.data, name.size, number); }

static ge_status compose(naming *n, const char *base, int base_size, const char *end, gei_span *out) {
    gei_sink *text = &n->r->text;
    text->size = 0;
    gei_sink_bytes(text, base, (size_t)base_size);
    gei_sink_text(text, end);
    if (text->failed) return gei_onnx_out_of_memory(n->r);
    GEI_TRY(gei_onnx_charge(n->r, text->size));
    const char *own = gei_arena_text(&n->g->arena, text->data, text->size);
    *out = (gei_span){ own, text->size };
    return own ? GE_OK : gei_onnx_out_of_memory(n->r);
}

static ge_status name_node(naming *n, uint32_t index) {
    gei_onnx_node *node = &n->g->nodes[index];
    char end[32];
    uint64_t number = 0;
    if (node->name.size == 0) {
        if (node->type.size == 0) return GE_OK; /* noted later */
        snprintf(end, sizeof end, "_%u", index);
        GEI_TRY(compose(n, node->type.data, GEI_ONNX_FMT_SIZE(node->type), end, &node->name));
    }
    gei_span base = node->name;
    if (!gei_strmap_find(&n->taken, base.data, base.size, &number)) return take(n, base, 0) ? GE_OK : gei_onnx_out_of_memory(n->r);
    do {
        snprintf(end, sizeof end, "_%llu", (unsigned long long)++number);
        GEI_TRY(compose(n, base.data, (int)base.size, end, &node->name));
    } while (gei_strmap_find(&n->taken, node->name.data, node->name.size, NULL));
    return take(n, base, number) && take(n, node->name, 0) ? GE_OK : gei_onnx_out_of_memory(n->r);
}

/* Inputs and constants become nodes named like their values; they come first. */
static ge_status take_values(naming *n) {
    for (size_t i = 0; i < n->g->values.count; i++)
        if (!take(n, n->g->values.items[i].name, 0)) return gei_onnx_out_of_memory(n->r);
    return GE_OK;
}

ge_status gei_onnx_name_nodes(gei_onnx_reader *r, gei_onnx_graph *g) {
    naming n = { r, g, { 0 } };
    gei_strmap_init(&n.taken, r->from);
    ge_status status = take_values(&n);
    for (uint32_t i = 0; status == GE_OK && i < g->n_nodes; i++) status = name_node(&n, i);
    gei_strmap_deinit(&n.taken);
    return status;
}

/* ---- nodes of the graph ---- */

/* The number after which to go on, so that a million nodes of one name do not try each number a million times. */
static ge_status last_number(gei_onnx_reader *r, size_t base_size, uint64_t *out) {
    if (gei_strmap_find(&r->used_names, r->text.data, base_size, out)) return GE_OK;
    *out = 0;
    const char *own = gei_arena_text(&r->arena, r->text.data, base_size);
    return own && gei_strmap_put(&r->used_names, own, base_size, 0) ? GE_OK : gei_onnx_out_of_memory(r);
}

/* "name_1", "name_2", ... in r->text, whose first base_size bytes are the name. */
static ge_status add_number(gei_onnx_reader *r, const gei_graph *graph, size_t base_size) {
    uint64_t number;
    GEI_TRY(last_number(r, base_size, &number));
    do {
        r->text.size = base_size;
        gei_sink_format(&r->text, "_%llu", (unsigned long long)++number);
        if (r->text.failed) return gei_onnx_out_of_memory(r);
    } while (gei_graph_find_node(graph, r->text.data, r->text.size));
    /* Replacing the value of a key that is there needs no memory. */
    (void)gei_strmap_put(&r->used_names, r->text.data, base_size, number);
    return GE_OK;
}

static ge_status keep_text(gei_onnx_reader *r, gei_arena *arena, const char **out) {
    if (r->text.failed) return gei_onnx_out_of_memory(r);
    GEI_TRY(gei_onnx_charge(r, r->text.size));
    *out = gei_arena_text(arena, r->text.data, r->text.size);
    return *out ? GE_OK : gei_onnx_out_of_memory(r);
}

static void start_text(gei_onnx_reader *r, const char *prefix, gei_span name) {
    r->text.size = 0;
    gei_sink_text(&r->text, prefix ? prefix : "");
    gei_sink_bytes(&r->text, name.data, name.size);
}

ge_status gei_onnx_unique_name(gei_onnx_reader *r, const gei_graph *graph, const char *prefix, gei_span name, gei_arena *arena, const char **out) {
    start_text(r, prefix, name);
    if (r->text.failed) return gei_onnx_out_of_memory(r);
    if (r->text.size > r->limits.name_bytes) return gei_onnx_stop(r, gei_fail(&r->diag, GE_ERR_LIMIT, "a name grows to %zu bytes through calls of functions", r->text.size));
    if (gei_graph_find_node(graph, r->text.data, r->text.size)) GEI_TRY(add_number(r, graph, r->text.size));
    return keep_text(r, arena, out);
}

ge_status gei_onnx_node_name(gei_onnx_reader *r, const gei_onnx_scope *s, uint32_t node, gei_arena *arena, const char **out) {
    return gei_onnx_unique_name(r, s->graph, s->prefix, s->src->nodes[node].name, arena, out);
}

ge_status gei_onnx_value_name(gei_onnx_reader *r, const gei_onnx_scope *s, uint32_t value, gei_arena *arena, const char **out) {
    const gei_onnx_value *v = &s->src->values.items[value];
    if (s->out_names && v->output != GEI_ONNX_NONE && s->out_names[v->output]) {
        *out = s->out_names[v->output];
        return GE_OK;
    }
    start_text(r, s->prefix, v->name);
    return keep_text(r, arena, out);
}
