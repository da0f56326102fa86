/* SPDX-License-Identifier: Apache-2.0 */
/* Names of IR nodes and values.  ONNX names values and may name nodes, twice the same too; IR node names are unique in a graph. */
#include <stdio.h>
#include <string.h>

#include "frontend/onnx/reader.h"

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
    const gei_onnx_node *n = &s->src->nodes[node];
    if (n->name.size > 0) return gei_onnx_unique_name(r, s->graph, s->prefix, n->name, arena, out);
    char made_up[160];
    int size = snprintf(made_up, sizeof made_up, "%.*s_%u", GEI_ONNX_FMT(n->type), node);
    return gei_onnx_unique_name(r, s->graph, s->prefix, (gei_span){ made_up, (size_t)size }, arena, out);
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
