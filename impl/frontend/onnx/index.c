/* SPDX-License-Identifier: Apache-2.0 */
/* From GraphProto or FunctionProto to gei_onnx_graph: two walks over the message, one to count and one to keep; then each name
 * becomes a number, so that what follows looks up nothing but names from outside. */
#include <string.h>

#include "frontend/onnx/reader.h"

/* Field numbers of the two kinds of message; 0: has none. */
typedef struct layout {
    const char *message, *what;
    uint32_t node, name, initializer, sparse_initializer, input, output, value_info;
    bool ports_are_names; /* inputs and outputs are strings, not ValueInfoProto */
} layout;

static const layout graph_layout = {
    .message = "GraphProto",
    .what = "graph",
    .node = ONNX_GRAPH_NODE,
    .name = ONNX_GRAPH_NAME,
    .initializer = ONNX_GRAPH_INITIALIZER,
    .sparse_initializer = ONNX_GRAPH_SPARSE_INITIALIZER,
    .input = ONNX_GRAPH_INPUT,
    .output = ONNX_GRAPH_OUTPUT,
    .value_info = ONNX_GRAPH_VALUE_INFO,
};

static const layout function_layout = {
    .message = "FunctionProto",
    .what = "function",
    .node = ONNX_FUNCTION_NODE,
    .name = ONNX_FUNCTION_NAME,
    .input = ONNX_FUNCTION_INPUT,
    .output = ONNX_FUNCTION_OUTPUT,
    .value_info = ONNX_FUNCTION_VALUE_INFO,
    .ports_are_names = true,
};

typedef struct index_state {
    gei_onnx_reader *r;
    gei_onnx_graph *g;
    const layout *layout;
    gei_span *inputs, *outputs, *infos; /* as they stand in the file */
    uint32_t n_infos;
} index_state;

/* ---- first walk ---- */

static ge_status count_fields(index_state *s) {
    gei_onnx_graph *g = s->g;
    const layout *l = s->layout;
    gei_wire w = gei_wire_at(s->r->file.data, g->bytes);
    gei_field f;
    uint64_t n = 0;
    while (gei_wire_next(&w, &f)) {
        if (f.number == l->node) g->n_nodes++;
        else if (f.number == l->input) g->n_inputs++;
        else if (f.number == l->output) g->n_outputs++;
        else if (f.number == l->value_info) s->n_infos++;
        else if (f.number == l->initializer || f.number == l->sparse_initializer) g->n_initializers++;
        if (++n >= INT32_MAX) gei_wire_set_error(&w, "more than 2147483647 fields", f.start);
    }
    return gei_onnx_wire_end(s->r, &w, l->message);
}

static ge_status make_arrays(index_state *s) {
    gei_onnx_graph *g = s->g;
    g->nodes = gei_arena_array(&g->arena, gei_onnx_node, g->n_nodes);
    g->initializers = gei_arena_array(&g->arena, gei_onnx_initializer, g->n_initializers);
    g->inputs = gei_arena_array(&g->arena, uint32_t, g->n_inputs);
    g->outputs = gei_arena_array(&g->arena, uint32_t, g->n_outputs);
    g->output_types = gei_arena_array(&g->arena, gei_span, g->n_outputs);
    s->inputs = gei_arena_array(&g->arena, gei_span, g->n_inputs);
    s->outputs = gei_arena_array(&g->arena, gei_span, g->n_outputs);
    s->infos = gei_arena_array(&g->arena, gei_span, s->n_infos);
    bool all = g->nodes && g->initializers && g->inputs && g->outputs && g->output_types && s->inputs && s->outputs && s->infos;
    return all ? GE_OK : gei_onnx_out_of_memory(s->r);
}

/* ---- second walk ---- */

static ge_status keep_fields(index_state *s) {
    gei_onnx_graph *g = s->g;
    const layout *l = s->layout;
    gei_wire w = gei_wire_at(s->r->file.data, g->bytes);
    gei_field f;
    uint32_t node = 0, input = 0, output = 0, info = 0, initializer = 0;
    while (gei_wire_next(&w, &f)) {
        if (f.number == l->name) gei_wire_text(&w, &f, &g->name);
        else if (f.number == l->node) gei_wire_text(&w, &f, &g->nodes[node++].bytes);
        else if (f.number == l->input) gei_wire_text(&w, &f, &s->inputs[input++]);
        else if (f.number == l->output) gei_wire_text(&w, &f, &s->outputs[output++]);
        else if (f.number == l->value_info) gei_wire_text(&w, &f, &s->infos[info++]);
        else if (f.number == l->initializer || f.number == l->sparse_initializer) {
            gei_onnx_initializer *kept = &g->initializers[initializer++];
            kept->is_sparse = f.number == l->sparse_initializer;
            gei_wire_text(&w, &f, &kept->bytes);
        }
    }
    return gei_onnx_wire_end(s->r, &w, l->message);
}

/* ---- names ---- */

static ge_status intern(index_state *s, gei_span name, const char *what, uint32_t *out) {
    gei_onnx_graph *g = s->g;
    uint64_t found;
    if (gei_strmap_find(&g->names, name.data, name.size, &found)) {
        *out = (uint32_t)found;
        return GE_OK;
    }
    GEI_TRY(gei_onnx_check_name(s->r, name, what));
    gei_onnx_value value = { .name = name, .producer = GEI_ONNX_NONE, .initializer = GEI_ONNX_NONE, .input = GEI_ONNX_NONE, .output = GEI_ONNX_NONE };
    if (!gei_strmap_put(&g->names, name.data, name.size, g->values.count) || !gei_vec_push(g->from, &g->values, value))
        return gei_onnx_out_of_memory(s->r);
    *out = (uint32_t)(g->values.count - 1);
    return GE_OK;
}

static ge_status read_info(index_state *s, gei_span message, gei_span *out_name, gei_span *out_type) {
    gei_wire w = gei_wire_at(s->r->file.data, message);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_INFO_NAME) gei_wire_text(&w, &f, out_name);
        if (f.number == ONNX_INFO_TYPE) gei_wire_text(&w, &f, out_type);
    }
    return gei_onnx_wire_end(s->r, &w, "ValueInfoProto");
}

static ge_status read_port(index_state *s, gei_span port, gei_span *out_name, gei_span *out_type) {
    *out_name = *out_type = (gei_span){ NULL, 0 };
    if (!s->layout->ports_are_names) return read_info(s, port, out_name, out_type);
    *out_name = port;
    return GE_OK;
}

static ge_status note(index_state *s, const gei_onnx_node *node, const void *at) {
    return gei_onnx_note(s->r, GE_ERR_BAD_GRAPH, NULL, node, at);
}

static ge_status add_input(index_state *s, uint32_t i) {
    gei_onnx_graph *g = s->g;
    gei_span name, type;
    GEI_TRY(read_port(s, s->inputs[i], &name, &type));
    g->inputs[i] = GEI_ONNX_NONE;
    if (name.size == 0) {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "input %u of %s '%.*s' has no name", i, s->layout->what, GEI_ONNX_FMT(g->name));
        return note(s, NULL, s->inputs[i].data);
    }
    uint32_t value;
    GEI_TRY(intern(s, name, "input", &value));
    if (g->values.items[value].input != GEI_ONNX_NONE) {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "%s '%.*s' has two inputs '%.*s'", s->layout->what, GEI_ONNX_FMT(g->name), GEI_ONNX_FMT(name));
        return note(s, NULL, s->inputs[i].data);
    }
    g->values.items[value].input = i;
    g->values.items[value].type = type;
    g->inputs[i] = value;
    return GE_OK;
}

static ge_status add_initializer(index_state *s, uint32_t i) {
    gei_onnx_graph *g = s->g;
    gei_onnx_initializer *init = &g->initializers[i];
    gei_span name;
    GEI_TRY(gei_onnx_tensor_name(s->r, init->bytes, init->is_sparse, &name));
    init->value = GEI_ONNX_NONE;
    if (name.size == 0) {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "initializer %u of graph '%.*s' has no name", i, GEI_ONNX_FMT(g->name));
        return note(s, NULL, init->bytes.data);
    }
    uint32_t value;
    GEI_TRY(intern(s, name, "initializer", &value));
    if (g->values.items[value].initializer != GEI_ONNX_NONE) {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "graph '%.*s' has two initializers '%.*s'", GEI_ONNX_FMT(g->name), GEI_ONNX_FMT(name));
        return note(s, NULL, init->bytes.data);
    }
    g->values.items[value].initializer = i;
    init->value = value;
    return GE_OK;
}

static ge_status add_output(index_state *s, uint32_t i) {
    gei_onnx_graph *g = s->g;
    gei_span name, type;
    GEI_TRY(read_port(s, s->outputs[i], &name, &type));
    g->outputs[i] = GEI_ONNX_NONE;
    if (name.size == 0) {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "output %u of %s '%.*s' has no name", i, s->layout->what, GEI_ONNX_FMT(g->name));
        return note(s, NULL, s->outputs[i].data);
    }
    GEI_TRY(intern(s, name, "output", &g->outputs[i]));
    gei_onnx_value *value = &g->values.items[g->outputs[i]];
    g->output_types[i] = type;
    if (value->output == GEI_ONNX_NONE) value->output = i;
    value->is_used = true;
    return GE_OK;
}

/* Only where the input says nothing itself. */
static ge_status add_info(index_state *s, gei_span message) {
    gei_span name = { NULL, 0 }, type = { NULL, 0 };
    uint64_t value;
    GEI_TRY(read_info(s, message, &name, &type));
    if (name.size == 0 || !gei_strmap_find(&s->g->names, name.data, name.size, &value)) return GE_OK;
    if (!s->g->values.items[value].type.data) s->g->values.items[value].type = type;
    return GE_OK;
}

/* ---- nodes ---- */

static bool holds_graph(gei_onnx_reader *r, gei_span attribute) {
    gei_wire w = gei_wire_at(r->file.data, attribute);
    gei_field f;
    while (gei_wire_next(&w, &f))
        if (f.number == ONNX_ATTR_G || f.number == ONNX_ATTR_GRAPHS) return true;
    return false; /* bad bytes are found when the attribute is read */
}

static ge_status count_node(index_state *s, gei_onnx_node *node) {
    gei_wire w = gei_wire_at(s->r->file.data, node->bytes);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        switch (f.number) {
        case ONNX_NODE_INPUT: node->n_ins++; break;
        case ONNX_NODE_OUTPUT: node->n_outs++; break;
        case ONNX_NODE_NAME: gei_wire_text(&w, &f, &node->name); break;
        case ONNX_NODE_TYPE: gei_wire_text(&w, &f, &node->type); break;
        case ONNX_NODE_DOMAIN: gei_wire_text(&w, &f, &node->domain); break;
        case ONNX_NODE_OVERLOAD: gei_wire_text(&w, &f, &node->overload); break;
        case ONNX_NODE_ATTRIBUTE:
            node->n_attrs++;
            if (f.type == GEI_WIRE_LEN && holds_graph(s->r, f.bytes)) s->g->has_nested = true;
            break;
        default: break;
        }
    }
    GEI_TRY(gei_onnx_wire_end(s->r, &w, "NodeProto"));
    GEI_TRY(gei_onnx_check_name(s->r, node->name, "node"));
    GEI_TRY(gei_onnx_check_name(s->r, node->type, "operator type"));
    GEI_TRY(gei_onnx_check_name(s->r, node->domain, "domain"));
    GEI_TRY(gei_onnx_check_name(s->r, node->overload, "overload"));
    if (gei_span_is(node->domain, "ai.onnx")) node->domain.size = 0; /* two spellings of one domain */
    return GE_OK;
}

static ge_status note_second_producer(index_state *s, uint32_t index, uint32_t value) {
    const gei_onnx_graph *g = s->g;
    const gei_onnx_value *v = &g->values.items[value];
    char first[96], second[96];
    const gei_onnx_scope here = { .src = g };
    gei_onnx_label(&here, &g->nodes[index], second, sizeof second);
    if (v->producer != GEI_ONNX_NONE) {
        gei_onnx_label(&here, &g->nodes[v->producer], first, sizeof first);
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "value '%.*s' is written twice: by node '%s' and by node '%s'", GEI_ONNX_FMT(v->name), first, second);
    } else {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "node '%s' writes '%.*s', which is an %s of the %s", second, GEI_ONNX_FMT(v->name),
                       v->input != GEI_ONNX_NONE ? "input" : "initializer", s->layout->what);
    }
    return note(s, &g->nodes[index], NULL);
}

static ge_status add_node_output(index_state *s, uint32_t index, gei_span name, uint32_t *out) {
    GEI_TRY(intern(s, name, "output of a node", out));
    gei_onnx_value *v = &s->g->values.items[*out];
    if (v->producer != GEI_ONNX_NONE || v->initializer != GEI_ONNX_NONE || v->input != GEI_ONNX_NONE)
        return note_second_producer(s, index, *out);
    v->producer = index;
    return GE_OK;
}

static ge_status add_node_input(index_state *s, gei_span name, uint32_t *out) {
    GEI_TRY(intern(s, name, "input of a node", out));
    s->g->values.items[*out].is_used = true;
    return GE_OK;
}

static ge_status keep_node_ports(index_state *s, uint32_t index) {
    gei_onnx_node *node = &s->g->nodes[index];
    uint32_t *ins = gei_arena_array(&s->g->arena, uint32_t, node->n_ins);
    uint32_t *outs = gei_arena_array(&s->g->arena, uint32_t, node->n_outs);
    if (!ins || !outs) return gei_onnx_out_of_memory(s->r);
    node->ins = ins;
    node->outs = outs;
    gei_wire w = gei_wire_at(s->r->file.data, node->bytes);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        bool is_in = f.number == ONNX_NODE_INPUT;
        if (!is_in && f.number != ONNX_NODE_OUTPUT) continue;
        gei_span name;
        if (!gei_wire_text(&w, &f, &name)) break;
        uint32_t *port = is_in ? ins++ : outs++;
        *port = GEI_ONNX_NONE;
        if (name.size == 0) continue; /* an optional one that is left out */
        GEI_TRY(is_in ? add_node_input(s, name, port) : add_node_output(s, index, name, port));
    }
    return gei_onnx_wire_end(s->r, &w, "NodeProto");
}

static ge_status add_node(index_state *s, uint32_t index) {
    gei_onnx_node *node = &s->g->nodes[index];
    size_t at = (size_t)(node->bytes.data - s->r->file.data);
    if (node->type.size == 0) {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "node %u ('%.*s') at byte %zu has no operator type", index, GEI_ONNX_FMT(node->name), at);
        GEI_TRY(note(s, node, NULL));
    } else if (node->n_ins == 0 && node->n_outs == 0) {
        (void)gei_fail(&s->r->diag, GE_ERR_BAD_GRAPH, "node %u ('%.*s', %.*s) at byte %zu has neither inputs nor outputs", index,
                       GEI_ONNX_FMT(node->name), GEI_ONNX_FMT(node->type), at);
        GEI_TRY(note(s, node, NULL));
    }
    return keep_node_ports(s, index);
}

/* ---- all of it ---- */

/* Inputs and initializers before nodes, so that a node that writes one of them is the one at fault. */
static ge_status resolve_names(index_state *s) {
    gei_onnx_graph *g = s->g;
    GEI_TRY(gei_onnx_check_name(s->r, g->name, s->layout->what));
    for (uint32_t i = 0; i < g->n_inputs; i++) GEI_TRY(add_input(s, i));
    for (uint32_t i = 0; i < g->n_initializers; i++) GEI_TRY(add_initializer(s, i));
    for (uint32_t i = 0; i < g->n_nodes; i++) GEI_TRY(count_node(s, &g->nodes[i]));
    GEI_TRY(gei_onnx_name_nodes(s->r, g));
    for (uint32_t i = 0; i < g->n_nodes; i++) GEI_TRY(add_node(s, i));
    for (uint32_t i = 0; i < g->n_outputs; i++) GEI_TRY(add_output(s, i));
    for (uint32_t i = 0; i < s->n_infos; i++) GEI_TRY(add_info(s, s->infos[i]));
    return GE_OK;
}

ge_status gei_onnx_index(gei_onnx_reader *r, gei_span message, bool is_function, gei_onnx_graph *out) {
    index_state s = { .r = r, .g = out, .layout = is_function ? &function_layout : &graph_layout };
    *out = (gei_onnx_graph){ .bytes = message, .from = r->from };
    gei_arena_init(&out->arena, r->from);
    gei_strmap_init(&out->names, r->from);
    GEI_TRY(count_fields(&s));
    GEI_TRY(make_arrays(&s));
    GEI_TRY(keep_fields(&s));
    return resolve_names(&s);
}

void gei_onnx_graph_free(gei_onnx_graph *g) {
    if (!g->from) return;
    gei_strmap_deinit(&g->names);
    gei_vec_free(g->from, &g->values);
    gei_arena_deinit(&g->arena);
}
