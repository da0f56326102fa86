/* SPDX-License-Identifier: Apache-2.0 */
/* dot: a picture for Graphviz.  Data flow solid with dtype and shape on the edge, control dashed, subgraphs as clusters.
 * Constants are drawn inside the box of the node that reads them, so that the picture shows what runs. */
#include <string.h>

#include "dump/dump.h"

typedef struct palette {
    const char *family, *fill;
} palette;

/* Families that dominate a model stand out; everything else is neutral. */
static const palette colours[] = {
    { "data_io", "#dfe7f3" },     { "nn_convolution", "#cfe8d5" }, { "matrix", "#cfe8d5" },  { "nn_activation", "#fbe3c8" },
    { "nn_pooling", "#e6d9f2" },  { "nn_norm", "#f6d5dc" },        { "elementwise", "#fdf3cf" }, { "control_flow", "#f3c9c9" },
};

static const char *fill_of(const gei_node *node) {
    for (size_t i = 0; i < GEI_COUNT(colours); i++)
        if (node->def->family && strcmp(node->def->family, colours[i].family) == 0) return colours[i].fill;
    return "#f4f4f4";
}

/* Text inside a double-quoted label. */
static void put_label(gei_sink *to, const char *text) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') gei_sink_text(to, "\\");
        if ((unsigned char)*text >= 0x20) gei_sink_bytes(to, text, 1);
    }
}

static void put_type(gei_sink *to, const gei_graph *g, const gei_out *out) {
    char text[128];
    gei_shape shape = gei_out_shape(out);
    gei_shape_text(&shape, g->symbols ? g->symbols->names.items : NULL, text, sizeof text);
    gei_sink_text(to, gei_dtype_short(out->dtype));
    put_label(to, text);
}

static bool drawn_inside(const gei_node *node) { return gei_node_const(node) != NULL && node->ctrl_ins.count == 0 && node->ctrl_outs.count == 0; }

static bool is_graph_output(const gei_node *node) {
    const gei_node *out = node->graph->net_output;
    for (uint32_t i = 0; out && i < out->n_ins; i++)
        if (out->ins[i].from.node == node) return true;
    return false;
}

static void put_id(gei_sink *to, const gei_node *node) { gei_sink_format(to, "n%u_%u", node->graph->serial, node->index); }

static void put_node(gei_sink *to, const gei_node *node) {
    gei_sink_text(to, "  ");
    put_id(to, node);
    gei_sink_format(to, " [fillcolor=\"%s\", label=\"%s\\n", fill_of(node), node->def->name);
    put_label(to, node->name);
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_value from = node->ins[i].from;
        if (!from.node || !drawn_inside(from.node) || node->ins[i].port >= node->def->n_inputs) continue;
        gei_sink_format(to, "\\n%s: ", node->def->inputs[node->ins[i].port].name);
        put_type(to, node->graph, gei_value_out(from));
    }
    gei_sink_text(to, "\"];\n");
}

static void put_edges(gei_sink *to, const gei_node *node) {
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_value from = node->ins[i].from;
        if (!from.node || (drawn_inside(from.node) && !(node == node->graph->net_output))) continue;
        gei_sink_text(to, "  ");
        put_id(to, from.node);
        gei_sink_text(to, " -> ");
        put_id(to, node);
        gei_sink_text(to, " [label=\"");
        put_type(to, node->graph, gei_value_out(from));
        gei_sink_text(to, "\"];\n");
    }
    for (uint32_t i = 0; i < node->ctrl_ins.count; i++) {
        gei_sink_text(to, "  ");
        put_id(to, node->ctrl_ins.items[i]);
        gei_sink_text(to, " -> ");
        put_id(to, node);
        gei_sink_text(to, " [style=dashed];\n");
    }
}

static void put_body_links(gei_sink *to, const gei_node *node) {
    for (uint32_t i = 0; i < node->n_subgraphs; i++) {
        const gei_graph *body = node->subgraphs[i].graph;
        if (!body->net_output) continue;
        gei_sink_text(to, "  ");
        put_id(to, node);
        gei_sink_text(to, " -> ");
        put_id(to, body->net_output);
        gei_sink_format(to, " [style=dotted, lhead=cluster_%u, label=\"%s\"];\n", body->serial, node->subgraphs[i].port);
    }
}

static void put_graph_body(gei_sink *to, const gei_graph *g) {
    for (size_t i = 0; i < g->nodes.count; i++) {
        const gei_node *node = g->nodes.items[i];
        if (!node || (drawn_inside(node) && !is_graph_output(node))) continue;
        put_node(to, node);
    }
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i]) put_edges(to, g->nodes.items[i]);
}

ge_status gei_dump_dot(const gei_graph *g, gei_sink *to, gei_diag *diag) {
    gei_sink_text(to, "digraph \"");
    put_label(to, g->name);
    gei_sink_text(to, "\" {\n  compound=true; rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=10];\n"
                      "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\"];\n");
    put_graph_body(to, g);
    for (size_t i = 0; g->root == g && i < g->subgraphs.count; i++) {
        const gei_graph *body = g->subgraphs.items[i];
        if (!body) continue;
        gei_sink_format(to, "  subgraph cluster_%u {\n  label=\"", body->serial);
        put_label(to, body->name);
        gei_sink_text(to, "\";\n");
        put_graph_body(to, body);
        gei_sink_text(to, "  }\n");
    }
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i]) put_body_links(to, g->nodes.items[i]);
    gei_sink_text(to, "}\n");
    return to->failed ? gei_out_of_memory(diag, to->size) : GE_OK;
}
