/* SPDX-License-Identifier: Apache-2.0 */
/* Printing.  The grammar is in graph_text.h. */
#include "ir/graph_text.h"

#include <string.h>

#include "ir/builtin.h"
#include "ir/graph_inner.h"

/* ---- clauses ---- */

static void put_value(gei_sink *to, gei_value v) {
    if (!v.node) {
        gei_sink_text(to, "_");
        return;
    }
    gei_sink_text(to, "%");
    gei_text_name(to, v.node->name);
    if (v.out > 0) gei_sink_format(to, ":%u", v.out);
}

static void put_named(gei_sink *to, const gei_attrs *attrs, const char *separator, bool brief) {
    for (uint32_t i = 0; i < attrs->count; i++) {
        if (i > 0) gei_sink_text(to, separator);
        gei_text_key(to, attrs->items[i].name);
        gei_sink_text(to, "=");
        gei_text_attr(to, &attrs->items[i].value, brief);
    }
}

typedef struct desc { /* what gei_out and gei_in_desc have in common */
    int32_t dtype, format, rank;
    const gei_dim *dims;
    const char *name;
    const gei_attrs *attrs;
} desc;

static desc desc_of_out(const gei_out *o) { return (desc){ o->dtype, o->format, o->rank, o->dims, o->name, o->attrs }; }
static desc desc_of_in(const gei_in_desc *d) { return (desc){ d->dtype, d->format, d->shape.rank, d->shape.dims, NULL, &d->attrs }; }

static bool has_attrs(const gei_attrs *attrs) { return attrs && attrs->count > 0; }

static bool says_something(const desc *d) {
    return d->dtype != GEI_UNDEFINED || d->format != GE_FORMAT_ND || d->rank >= 0 || d->name || has_attrs(d->attrs);
}

static void put_desc(gei_sink *to, const desc *d, const gei_graph *g, bool brief) {
    if (d->dtype == GEI_UNDEFINED) gei_sink_text(to, "?");
    else if (gei_dtype_get(d->dtype)) gei_sink_text(to, gei_dtype_short(d->dtype));
    else gei_sink_format(to, "dtype(%d)", (int)d->dtype);
    gei_text_dims(to, d->rank, d->dims, g->symbols);
    if (d->format != GE_FORMAT_ND) gei_sink_format(to, "@%d", (int)d->format);
    if (d->name) {
        gei_sink_text(to, " ");
        gei_sink_quoted(to, d->name, strlen(d->name));
    }
    if (has_attrs(d->attrs)) {
        gei_sink_text(to, " {");
        put_named(to, d->attrs, ", ", brief);
        gei_sink_text(to, "}");
    }
}

static void put_inputs(gei_sink *to, const gei_node *node) {
    bool any = false;
    for (uint32_t at = 0; at < node->n_ins;) {
        uint32_t port = node->ins[at].port, end = at;
        const gei_port_def *def = &node->def->inputs[port];
        while (end < node->n_ins && node->ins[end].port == port) end++;
        if (def->kind == GEI_PORT_DYNAMIC || node->ins[at].from.node) {
            gei_sink_text(to, any ? ", " : "(");
            gei_text_key(to, def->name);
            gei_sink_text(to, def->kind == GEI_PORT_DYNAMIC ? "=[" : "=");
            for (uint32_t i = at; i < end; i++) {
                if (i > at) gei_sink_text(to, ", ");
                put_value(to, node->ins[i].from);
            }
            if (def->kind == GEI_PORT_DYNAMIC) gei_sink_text(to, "]");
            any = true;
        }
        at = end;
    }
    if (any) gei_sink_text(to, ")");
}

static void put_items(gei_sink *to, const gei_node *node, bool brief) {
    if (node->attrs.count == 0 && node->n_subgraphs == 0) return;
    if (to->size > 0 && to->data[to->size - 1] == ')') gei_sink_text(to, " ");
    gei_sink_text(to, "[");
    put_named(to, &node->attrs, ", ", brief);
    for (uint32_t i = 0; i < node->n_subgraphs; i++) {
        if (i > 0 || node->attrs.count > 0) gei_sink_text(to, ", ");
        gei_text_key(to, node->subgraphs[i].port);
        gei_sink_text(to, "=@");
        gei_text_name(to, node->subgraphs[i].graph->name);
    }
    gei_sink_text(to, "]");
}

static void put_controls(gei_sink *to, const gei_node *node) {
    for (uint32_t i = 0; i < node->ctrl_ins.count; i++) {
        gei_sink_text(to, i > 0 ? ", " : " after(");
        put_value(to, gei_value_of(node->ctrl_ins.items[i], 0));
    }
    if (node->ctrl_ins.count > 0) gei_sink_text(to, ")");
}

static void put_in_descs(gei_sink *to, const gei_node *node, bool brief) {
    bool any = false;
    for (uint32_t i = 0; node->in_descs && i < node->n_ins; i++) {
        if (!node->in_descs[i]) continue;
        desc d = desc_of_in(node->in_descs[i]);
        gei_sink_format(to, "%s%u: ", any ? ", " : " in(", i);
        put_desc(to, &d, node->graph, brief);
        any = true;
    }
    if (any) gei_sink_text(to, ")");
}

static void put_types(gei_sink *to, const gei_node *node, bool brief) {
    bool any = false;
    for (uint32_t i = 0; i < node->n_outs && !any; i++) {
        desc d = desc_of_out(&node->outs[i]);
        any = says_something(&d);
    }
    for (uint32_t i = 0; any && i < node->n_outs; i++) {
        desc d = desc_of_out(&node->outs[i]);
        gei_sink_text(to, i > 0 ? ", " : " : ");
        put_desc(to, &d, node->graph, brief);
    }
}

static void put_origin(gei_sink *to, const gei_node *node, bool brief) {
    if (!node->origin || brief) return;
    gei_sink_text(to, " from ");
    gei_sink_quoted(to, node->origin, strlen(node->origin));
}

/* ---- nodes ---- */

static void put_counts(gei_sink *to, const gei_node *node) {
    uint32_t n_dynamic = 0, at = 0;
    for (uint32_t i = 0; i < node->def->n_outputs; i++) n_dynamic += node->def->outputs[i].kind == GEI_PORT_DYNAMIC;
    if (n_dynamic == 0 || (n_dynamic == 1 && node->n_outs > 0)) return;
    gei_sink_text(to, "<");
    for (uint32_t i = 0, k = 0; i < node->def->n_outputs; i++) {
        uint32_t first = at;
        while (at < node->n_outs && node->outs[at].port == i) at++;
        if (node->def->outputs[i].kind != GEI_PORT_DYNAMIC) continue;
        gei_sink_format(to, "%s%u", k++ > 0 ? "," : "", at - first);
    }
    gei_sink_text(to, ">");
}

static void put_node(gei_sink *to, const gei_node *node, bool brief) {
    gei_sink_text(to, "  ");
    for (uint32_t i = 0; i < node->n_outs || i == 0; i++) {
        if (i > 0) gei_sink_text(to, ", ");
        put_value(to, (gei_value){ (gei_node *)node, i });
    }
    gei_sink_text(to, " = ");
    gei_text_key(to, node->def->name);
    put_counts(to, node);
    put_inputs(to, node);
    put_items(to, node, brief);
    put_controls(to, node);
    put_in_descs(to, node, brief);
    put_types(to, node, brief);
    put_origin(to, node, brief);
    gei_sink_text(to, "\n");
}

static void put_return(gei_sink *to, const gei_node *node, bool brief) {
    gei_sink_text(to, node->n_ins == 0 ? "  return ()" : "  return");
    for (uint32_t i = 0; i < node->n_ins; i++) {
        const char *name = gei_graph_output_name(node->graph, i);
        gei_sink_text(to, i > 0 ? ", " : " ");
        put_value(to, node->ins[i].from);
        if (!name) continue;
        gei_sink_text(to, " as ");
        gei_sink_quoted(to, name, strlen(name));
    }
    if (node->n_ins > 0 && node->attrs.count > 0) gei_sink_text(to, " ");
    put_items(to, node, brief);
    put_controls(to, node);
    put_in_descs(to, node, brief);
    if (strcmp(node->name, GEI_NET_OUTPUT_NAME) != 0) {
        gei_sink_text(to, " named ");
        put_value(to, gei_value_of((gei_node *)node, 0));
    }
    put_origin(to, node, brief);
    gei_sink_text(to, "\n");
}

static void put_head(gei_sink *to, const gei_graph *g, bool brief) {
    gei_sink_text(to, "graph ");
    gei_sink_quoted(to, g->name, strlen(g->name));
    if (g->attrs.count > 0) {
        gei_sink_text(to, " [");
        put_named(to, &g->attrs, ", ", brief);
        gei_sink_text(to, "]");
    }
    if (g->metadata.count > 0) {
        gei_sink_text(to, " metadata{");
        put_named(to, &g->metadata, ", ", brief);
        gei_sink_text(to, "}");
    }
    gei_sink_text(to, " {\n");
}

/* Producers first; by index when a cycle leaves no such order, since a broken graph wants to be seen too. */
static ge_status list_nodes(const gei_graph *g, gei_arena *arena, gei_node ***out, size_t *out_count, gei_diag *diag) {
    ge_status st = gei_graph_order(g, arena, out, out_count, NULL);
    if (st == GE_OK) return GE_OK;
    gei_node **nodes = st == GE_ERR_OUT_OF_MEMORY ? NULL : gei_arena_array(arena, gei_node *, g->n_live);
    if (!nodes) return gei_out_of_memory(diag, 0);
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i]) nodes[(*out_count)++] = g->nodes.items[i];
    *out = nodes;
    return GE_OK;
}

static ge_status put_graph(gei_sink *to, const gei_graph *g, bool brief, gei_diag *diag) {
    gei_arena scratch;
    gei_node **nodes;
    size_t count;
    gei_arena_init(&scratch, g->from);
    ge_status st = list_nodes(g, &scratch, &nodes, &count, diag);
    if (st == GE_OK) put_head(to, g, brief);
    for (size_t i = 0; st == GE_OK && i < count && !to->failed; i++) {
        if (nodes[i]->def == &gei_def_net_output) put_return(to, nodes[i], brief);
        else put_node(to, nodes[i], brief);
    }
    gei_sink_text(to, "}\n");
    gei_arena_deinit(&scratch);
    return st;
}

ge_status gei_graph_print(const gei_graph *g, bool brief, gei_sink *to, gei_diag *diag) {
    gei_arena scratch;
    const gei_graph **graphs;
    size_t count;
    gei_arena_init(&scratch, g->from);
    ge_status st = gei_graphs_below(g, &scratch, &graphs, &count, diag);
    for (size_t i = 0; st == GE_OK && i < count; i++) st = put_graph(to, graphs[i], brief, diag);
    gei_arena_deinit(&scratch);
    if (st == GE_OK && to->failed) st = gei_out_of_memory(diag, 0);
    return st;
}
