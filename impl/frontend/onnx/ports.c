/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs, initializers and outputs of a graph. */
#include <string.h>

#include "frontend/onnx/reader.h"
#include "ir/builtin.h"

#define CONST_BYTES 640 /* what a Const or Data node takes beside its payload, generously */

static bool is_root(const gei_onnx_scope *s) { return !s->outer && !s->function; }

/* Symbols belong to the whole model.  In nested graphs and functions the same name may mean another size at each use. */
static int dims_mode(const gei_onnx_scope *s, int at_root) { return is_root(s) ? at_root : GEI_ONNX_DIMS_NUMBERS; }

static bool stays_input(const gei_onnx_reader *r, const gei_onnx_scope *s, const gei_onnx_value *v) {
    if (v->initializer == GEI_ONNX_NONE) return true;
    return is_root(s) && r->options->overridable && r->ir_version >= 4;
}

/* ---- inputs ---- */

static ge_status read_input_type(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_value *v, gei_onnx_type *out) {
    gei_onnx_set_place(r, "input '%.*s'", GEI_ONNX_FMT(v->name));
    GEI_TRY(gei_onnx_read_type(r, v->type, dims_mode(s, GEI_ONNX_DIMS_MAKE), out));
    if (out->unsupported[0])
        return gei_fail(&r->diag, GE_ERR_UNSUPPORTED, "%s is of type %s; values of that kind are not supported", r->place, out->unsupported);
    if (is_root(s) && gei_dtype_elem(out->dtype) == GEI_UNDEFINED) return gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "%s has no type", r->place);
    return GE_OK;
}

static ge_status add_input(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value) {
    const gei_onnx_value *v = &s->src->values.items[value];
    gei_onnx_type type;
    gei_node *node;
    const char *name;
    GEI_TRY(gei_onnx_charge(r, CONST_BYTES));
    ge_status status = read_input_type(r, s, v, &type);
    if (status != GE_OK) {
        s->n_inputs++;
        gei_onnx_bind(s, value, GEI_ONNX_BROKEN, (gei_value){ NULL, 0 });
        return gei_onnx_note(r, status, s, NULL, v->name.data);
    }
    GEI_TRY(gei_onnx_unique_name(r, s->graph, "", v->name, &s->arena, &name));
    GEI_TRY(gei_graph_add_data(s->graph, name, s->n_inputs++, type.dtype, &type.shape, &node, &r->diag));
    gei_onnx_bind(s, value, GEI_ONNX_READY, gei_value_of(node, 0));
    return gei_out_set_name(gei_value_of(node, 0), name, &r->diag);
}

static ge_status note_fixed_input(gei_onnx_reader *r, gei_span name) {
    if (r->fixed_inputs.size > 0) gei_sink_text(&r->fixed_inputs, "\n");
    gei_sink_bytes(&r->fixed_inputs, name.data, name.size);
    return r->fixed_inputs.failed ? gei_onnx_out_of_memory(r) : GE_OK;
}

/* ---- initializers ---- */

/* What the file says about the value elsewhere must not contradict. */
static ge_status check_declared(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_value *v, const gei_tensor *t, bool is_default) {
    gei_onnx_type type;
    char found[96], wanted[96];
    gei_shape shape = gei_tensor_shape(t);
    GEI_TRY(gei_onnx_read_type(r, v->type, dims_mode(s, GEI_ONNX_DIMS_FIND), &type));
    bool fits = type.dtype == GEI_UNDEFINED || type.dtype == t->dtype;
    /* Stale dims beside a constant do no harm; those of an input that may be replaced are a promise. */
    if (fits && is_default) fits = gei_shape_fits(&type.shape, &shape);
    if (fits) return GE_OK;
    gei_shape_text(&shape, NULL, found, sizeof found);
    gei_shape_text(&type.shape, NULL, wanted, sizeof wanted);
    return gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "%s is %s%s and declared as %s%s", r->place, gei_dtype_name(t->dtype), found,
                    gei_dtype_name(type.dtype), wanted);
}

static ge_status add_default(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, gei_tensor *tensor) {
    gei_attr attr = gei_attr_tensor(tensor);
    if (s->states[value] != GEI_ONNX_READY) return GE_OK;
    return gei_node_set(s->values[value].node, "_default", &attr, &r->diag);
}

static ge_status add_const(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, gei_tensor *tensor) {
    gei_span text = s->src->values.items[value].name;
    gei_node *node;
    const char *name;
    GEI_TRY(gei_onnx_charge(r, CONST_BYTES));
    GEI_TRY(gei_onnx_unique_name(r, s->graph, "", text, &s->arena, &name));
    GEI_TRY(gei_graph_add_const(s->graph, name, tensor, &node, &r->diag));
    gei_onnx_bind(s, value, GEI_ONNX_READY, gei_value_of(node, 0));
    return gei_out_set_name(gei_value_of(node, 0), name, &r->diag);
}

static ge_status read_initializer(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_initializer *init) {
    const gei_onnx_value *v = &s->src->values.items[init->value];
    bool is_default = v->input != GEI_ONNX_NONE && stays_input(r, s, v);
    gei_tensor *tensor = NULL;
    gei_onnx_set_place(r, "initializer '%.*s'", GEI_ONNX_FMT(v->name));
    ge_status status = init->is_sparse ? gei_onnx_read_sparse(r, init->bytes, &tensor) : gei_onnx_read_tensor(r, init->bytes, &tensor);
    if (status == GE_OK) status = check_declared(r, s, v, tensor, is_default);
    if (status == GE_OK) status = is_default ? add_default(r, s, init->value, tensor) : add_const(r, s, init->value, tensor);
    gei_tensor_release(tensor);
    return status;
}

static ge_status add_initializer(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_initializer *init) {
    if (init->value == GEI_ONNX_NONE) return GE_OK; /* noted while indexing */
    ge_status status = read_initializer(r, s, init);
    if (status == GE_OK) return GE_OK;
    gei_onnx_bind(s, init->value, GEI_ONNX_BROKEN, (gei_value){ NULL, 0 });
    return gei_onnx_note(r, status, s, NULL, init->bytes.data);
}

ge_status gei_onnx_add_ports(gei_onnx_reader *r, gei_onnx_scope *s) {
    const gei_onnx_graph *g = s->src;
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        uint32_t value = g->inputs[i];
        if (value == GEI_ONNX_NONE) continue;
        const gei_onnx_value *v = &g->values.items[value];
        if (stays_input(r, s, v)) GEI_TRY(add_input(r, s, value));
        else if (is_root(s)) GEI_TRY(note_fixed_input(r, v->name));
    }
    for (uint32_t i = 0; i < g->n_initializers; i++) GEI_TRY(add_initializer(r, s, &g->initializers[i]));
    return GE_OK;
}

/* ---- what the file says about values in between ---- */

/* Where a rule will say it, the file is not asked: its value_info is often left over from before some edit. */
static bool has_rule(const gei_node *node) {
    const gei_op *op = gei_op_of(node);
    return (op && op->infer) || gei_node_is_input(node) || gei_node_is_const(node);
}

static ge_status apply_type(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, gei_span message) {
    gei_onnx_type type;
    if (!message.data) return GE_OK;
    gei_onnx_set_place(r, "value '%.*s'", GEI_ONNX_FMT(s->src->values.items[value].name));
    GEI_TRY(gei_onnx_read_type(r, message, dims_mode(s, GEI_ONNX_DIMS_FIND), &type));
    gei_out *out = gei_value_out(s->values[value]);
    if (out->dtype == GEI_UNDEFINED) out->dtype = type.dtype;
    if (out->rank != GEI_RANK_UNKNOWN || type.shape.rank == GEI_RANK_UNKNOWN) return GE_OK;
    return gei_out_set_shape(s->values[value], &type.shape, &r->diag);
}

ge_status gei_onnx_hint(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value) {
    const gei_onnx_value *v = &s->src->values.items[value];
    if (s->states[value] != GEI_ONNX_READY || has_rule(s->values[value].node)) return GE_OK;
    ge_status status = apply_type(r, s, value, v->type);
    if (status == GE_OK && v->output != GEI_ONNX_NONE) status = apply_type(r, s, value, s->src->output_types[v->output]);
    return gei_onnx_note(r, status, s, NULL, v->name.data);
}

/* ---- outputs ---- */

static ge_status check_output(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, gei_span message) {
    const gei_onnx_value *v = &s->src->values.items[value];
    gei_onnx_type type;
    gei_onnx_set_place(r, "output '%.*s'", GEI_ONNX_FMT(v->name));
    GEI_TRY(gei_onnx_read_type(r, message, GEI_ONNX_DIMS_NUMBERS, &type));
    if (type.unsupported[0])
        return gei_fail(&r->diag, GE_ERR_UNSUPPORTED, "%s is of type %s; values of that kind are not supported", r->place, type.unsupported);
    if (s->states[value] == GEI_ONNX_ABSENT) return gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "%s has no value", r->place);
    if (s->states[value] != GEI_ONNX_READY) return GE_OK;
    int32_t known = gei_value_out(s->values[value])->dtype;
    if (known == GEI_UNDEFINED || type.dtype == GEI_UNDEFINED) return GE_OK;
    if (gei_dtype_fits(known, type.dtype) || gei_dtype_fits(type.dtype, known)) return GE_OK;
    return gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "%s is of type %s and declared as %s", r->place, gei_dtype_name(known), gei_dtype_name(type.dtype));
}

static ge_status check_outputs(gei_onnx_reader *r, gei_onnx_scope *s, bool *out_is_whole) {
    const gei_onnx_graph *g = s->src;
    *out_is_whole = true;
    if (g->n_outputs == 0 && is_root(s)) {
        (void)gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "graph '%.*s' has no outputs", GEI_ONNX_FMT(g->name));
        GEI_TRY(gei_onnx_note(r, GE_ERR_BAD_GRAPH, s, NULL, g->bytes.data));
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        uint32_t value = g->outputs[i];
        *out_is_whole = *out_is_whole && value != GEI_ONNX_NONE && s->states[value] == GEI_ONNX_READY;
        if (value == GEI_ONNX_NONE) continue; /* noted while indexing */
        const gei_onnx_value *v = &g->values.items[value];
        ge_status status = check_output(r, s, value, g->output_types[i]);
        if (status == GE_OK && is_root(s) && v->output != i)
            status = gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "graph '%.*s' has two outputs '%.*s'", GEI_ONNX_FMT(g->name), GEI_ONNX_FMT(v->name));
        GEI_TRY(gei_onnx_note(r, status, s, NULL, v->name.data));
    }
    return GE_OK;
}

ge_status gei_onnx_set_outputs(gei_onnx_reader *r, gei_onnx_scope *s, bool *out_is_whole) {
    const gei_onnx_graph *g = s->src;
    GEI_TRY(check_outputs(r, s, out_is_whole));
    if (!*out_is_whole) return GE_OK;
    gei_value *values = gei_arena_array(&s->arena, gei_value, g->n_outputs);
    const char **names = gei_arena_array(&s->arena, const char *, g->n_outputs);
    if (!values || !names) return gei_onnx_out_of_memory(r);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        values[i] = s->values[g->outputs[i]];
        GEI_TRY(gei_onnx_value_name(r, s, g->outputs[i], &s->arena, &names[i]));
    }
    return gei_graph_set_outputs(s->graph, values, names, g->n_outputs, &r->diag);
}
