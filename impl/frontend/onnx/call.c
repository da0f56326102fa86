/* SPDX-License-Identifier: Apache-2.0 */
/* Model-local functions: the body's nodes go into the graph of the call, under the names of the call. */
#include <stdio.h>
#include <string.h>

#include "frontend/onnx/reader.h"

/* ---- the function ---- */

static ge_status read_function(gei_onnx_reader *r, gei_onnx_function *fn) {
    if (fn->body) return GE_OK;
    fn->body = gei_arena_new(&r->arena, gei_onnx_graph);
    if (!fn->body) return gei_onnx_out_of_memory(r);
    GEI_TRY(gei_onnx_read_opsets(r, fn->bytes, ONNX_FUNCTION_OPSET, &fn->opsets));
    return gei_onnx_index(r, fn->bytes, true, fn->body);
}

/* ---- attributes: those of the call first, so that they are found before defaults of the same name ---- */

static ge_status count_attrs(gei_onnx_reader *r, const gei_onnx_function *fn, uint32_t *out) {
    gei_wire w = gei_wire_at(r->file.data, fn->bytes);
    gei_field f;
    *out = 0;
    while (gei_wire_next(&w, &f)) *out += f.number == ONNX_FUNCTION_ATTRIBUTE_PROTO;
    return gei_onnx_wire_end(r, &w, "FunctionProto");
}

static ge_status add_attrs(gei_onnx_reader *r, gei_onnx_scope *from, gei_span message, uint32_t field, gei_onnx_scope *call, gei_onnx_attr *items) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        gei_span bytes;
        if (f.number != field || !gei_wire_text(&w, &f, &bytes)) continue;
        gei_onnx_attr *attr = &items[call->n_attrs];
        GEI_TRY(gei_onnx_find_attr(r, from, bytes, attr));
        if (attr->kind != ONNX_KIND_UNDEFINED) call->n_attrs++;
    }
    return gei_onnx_wire_end(r, &w, "AttributeProto");
}

static ge_status read_call_attrs(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_node *node, gei_onnx_scope *call) {
    uint32_t n_defaults;
    GEI_TRY(count_attrs(r, call->function, &n_defaults));
    if (node->n_attrs > r->limits.attrs || n_defaults > r->limits.attrs)
        return gei_fail(&r->diag, GE_ERR_LIMIT, "a call with %u attributes of a function with %u, at most %u are read", node->n_attrs,
                        n_defaults, r->limits.attrs);
    gei_onnx_attr *items = gei_arena_array(&call->arena, gei_onnx_attr, (size_t)node->n_attrs + n_defaults);
    if (!items) return gei_onnx_out_of_memory(r);
    call->attrs = items;
    GEI_TRY(add_attrs(r, s, node->bytes, ONNX_NODE_ATTRIBUTE, call, items));
    return add_attrs(r, call, call->function->bytes, ONNX_FUNCTION_ATTRIBUTE_PROTO, call, items);
}

/* ---- inputs, outputs, names ---- */

static ge_status check_ports(gei_onnx_reader *r, const gei_onnx_node *node, const gei_onnx_graph *body) {
    if (node->n_ins <= body->n_inputs && node->n_outs <= body->n_outputs) return GE_OK;
    bool is_in = node->n_ins > body->n_inputs;
    return gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "%u %s, the function has %u", is_in ? node->n_ins : node->n_outs, is_in ? "inputs" : "outputs",
                    is_in ? body->n_inputs : body->n_outputs);
}

static void bind_inputs(const gei_onnx_scope *s, const gei_onnx_node *node, gei_onnx_scope *call) {
    for (uint32_t i = 0; i < call->src->n_inputs; i++) {
        uint32_t inner = call->src->inputs[i], outer = i < node->n_ins ? node->ins[i] : GEI_ONNX_NONE;
        if (inner == GEI_ONNX_NONE) continue;
        if (outer == GEI_ONNX_NONE) gei_onnx_bind(call, inner, GEI_ONNX_ABSENT, (gei_value){ NULL, 0 });
        else gei_onnx_bind(call, inner, (gei_onnx_state)s->states[outer], s->values[outer]);
    }
}

static ge_status name_call(gei_onnx_reader *r, const gei_onnx_scope *s, uint32_t index, gei_onnx_scope *call) {
    const gei_onnx_node *node = &s->src->nodes[index];
    const char *own;
    GEI_TRY(gei_onnx_node_name(r, s, index, &call->arena, &own));
    size_t size = strlen(own);
    char *prefix = gei_arena_alloc(&call->arena, size + 2, 1);
    const char **names = gei_arena_array(&call->arena, const char *, call->src->n_outputs);
    if (!prefix || !names) return gei_onnx_out_of_memory(r);
    memcpy(prefix, own, size);
    memcpy(prefix + size, "/", 2);
    call->prefix = prefix;
    for (uint32_t i = 0; i < node->n_outs; i++)
        if (node->outs[i] != GEI_ONNX_NONE) GEI_TRY(gei_onnx_value_name(r, s, node->outs[i], &call->arena, &names[i]));
    call->out_names = names;
    return GE_OK;
}

/* ---- the call ---- */

static ge_status fill_call(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t index, gei_onnx_scope *call) {
    const gei_onnx_node *node = &s->src->nodes[index];
    const gei_onnx_graph *body = call->function->body;
    GEI_TRY(check_ports(r, node, body));
    GEI_TRY(gei_onnx_charge(r, body->values.count * (sizeof(gei_value) + 1) + body->n_nodes));
    GEI_TRY(gei_onnx_scope_init(r, call, body));
    GEI_TRY(read_call_attrs(r, s, node, call));
    GEI_TRY(name_call(r, s, index, call));
    bind_inputs(s, node, call);
    return GE_OK;
}

ge_status gei_onnx_open_call(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t index, gei_onnx_work *work, gei_onnx_scope **out) {
    gei_onnx_function *fn = work->function;
    gei_onnx_scope *call;
    *out = NULL;
    if (fn->is_open) return gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "function '%.*s' calls itself", GEI_ONNX_FMT(fn->name));
    if (s->depth >= r->limits.depth) return gei_fail(&r->diag, GE_ERR_LIMIT, "calls and graphs are nested deeper than %u", r->limits.depth);
    GEI_TRY(read_function(r, fn));
    GEI_TRY(gei_onnx_scope_create(r, &call));
    call->graph = s->graph;
    call->depth = s->depth + 1;
    call->function = fn;
    fn->is_open = true;
    ge_status status = fill_call(r, s, index, call);
    if (status != GE_OK) {
        gei_onnx_scope_destroy(r, call);
        return status;
    }
    *out = call;
    return GE_OK;
}

ge_status gei_onnx_close_call(gei_onnx_reader *r, gei_onnx_scope *call, gei_onnx_scope *s, uint32_t index) {
    const gei_onnx_node *node = &s->src->nodes[index];
    for (uint32_t i = 0; i < node->n_outs; i++) {
        uint32_t outer = node->outs[i], inner = call->src->outputs[i];
        if (outer == GEI_ONNX_NONE || s->src->values.items[outer].producer != index) continue;
        if (inner == GEI_ONNX_NONE) gei_onnx_bind(s, outer, GEI_ONNX_BROKEN, (gei_value){ NULL, 0 });
        else gei_onnx_bind(s, outer, (gei_onnx_state)call->states[inner], call->values[inner]);
        GEI_TRY(gei_onnx_hint(r, s, outer));
    }
    return GE_OK;
}
