/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/builder.h"
#include "ir/builtin.h"
#include "ops/op.h"

/* ---- begin ---- */

static const gei_op_def *find_def(gei_api_builder *b, const char *type, size_t size) {
    const gei_op_def **cached = &b->cache[gei_hash_bytes(type, size, 0) % GEI_BUILDER_CACHE];
    if (!*cached || strlen((*cached)->name) != size || memcmp((*cached)->name, type, size) != 0) {
        const gei_op_def *found = gei_catalogue_find(type, size);
        if (!found) return NULL;
        *cached = found;
    }
    return *cached;
}

static ge_status take_type(gei_api_builder *b, const char *type, size_t size, gei_diag *diag) {
    b->def = NULL;
    if (!type) return gei_argument_fail(diag, "op_type", 1, GE_ERR_NULL_ARGUMENT, "op_type is NULL");
    if (size == GE_NTS) size = strlen(type);
    b->def = find_def(b, type, size);
    if (b->def && b->def != &gei_def_net_output) return GE_OK;
    GEI_TRY(gei_text_in(type, &size, "op_type", 1, diag));
    gei_diag_found(diag, "%.*s", (int)(size < 60 ? size : 60), type);
    if (b->def)
        return gei_argument_fail(diag, "op_type", 1, GE_ERR_UNSUPPORTED_OPERATOR, "the outputs of a graph are a list, not a %s operator", b->def->name);
    return gei_argument_fail(diag, "op_type", 1, GE_ERR_UNSUPPORTED_OPERATOR, "no operator is called '%.*s'", (int)(size < 200 ? size : 200), type);
}

static ge_status begin_op(gei_api_builder *b, gei_graph *g, const char *type, size_t type_size, const char *name, size_t name_size,
                          gei_diag *diag) {
    uint32_t n_dynamic = 0;
    GEI_TRY(take_type(b, type, type_size, diag));
    GEI_TRY(gei_builder_take_name(b, g, name, name_size, 3, diag));
    for (uint32_t i = 0; i < b->def->n_outputs; i++) n_dynamic += b->def->outputs[i].kind == GEI_PORT_DYNAMIC;
    if (!gei_vec_reserve(g->from, &b->dynamic_outs, n_dynamic)) return gei_out_of_memory(diag, n_dynamic * sizeof(uint32_t));
    while (b->dynamic_outs.count < n_dynamic) b->dynamic_outs.items[b->dynamic_outs.count++] = 0;
    b->port = 0;
    b->state = GEI_BUILDER_OPEN;
    return GE_OK;
}

/* From here on the failure belongs to an operator that never began. */
static ge_status fail_begin(gei_api_builder *b, ge_status st, gei_diag *diag) {
    gei_builder_drop(b);
    (void)gei_builder_step(b, st, diag);
    b->failed_at_begin = true;
    return st;
}

ge_status ge_builder_begin_op(ge_builder *builder, const char *op_type, size_t op_type_size, const char *name, size_t name_size) {
    GEI_CALL;
    GEI_BUILDER(b, g, builder);
    bool was_failed = b->state == GEI_BUILDER_FAILED && !b->failed_at_begin;
    ge_status st = gei_builder_idle(b, &diag);
    if (was_failed) return GEI_RETURN(fail_begin(b, st, &diag));
    if (st != GE_OK) return GEI_RETURN(st);
    st = begin_op(b, g, op_type, op_type_size, name, name_size, &diag);
    return st == GE_OK ? GE_OK : GEI_RETURN(fail_begin(b, st, &diag));
}

/* ---- inputs and outputs ---- */

static ge_status next_port(const gei_api_builder *b, const char *argument, bool dynamic, gei_diag *diag) {
    if (b->port >= b->def->n_inputs) {
        gei_diag_wanted(diag, "%u", b->def->n_inputs);
        return gei_argument_fail(diag, argument, 1, GE_ERR_OUT_OF_RANGE, "%s has %u inputs; there is no input %u", b->def->name, b->def->n_inputs, b->port);
    }
    const gei_port_def *port = &b->def->inputs[b->port];
    if ((port->kind == GEI_PORT_DYNAMIC) == dynamic) return GE_OK;
    return gei_argument_fail(diag, argument, 1, GE_ERR_WRONG_KIND, dynamic ? "input '%s' of %s is not dynamic" : "input '%s' of %s is dynamic", port->name,
                             b->def->name);
}

static ge_status add_input(gei_api_builder *b, gei_graph *g, ge_value_id value, gei_diag *diag) {
    gei_value v;
    GEI_TRY(next_port(b, "value", false, diag));
    if (value != 0 || b->def->inputs[b->port].kind != GEI_PORT_OPTIONAL) GEI_TRY(gei_id_value(g, value, "value", 1, &v, diag));
    if (!gei_vec_push(g->from, &b->ins, value)) return gei_out_of_memory(diag, sizeof value);
    b->port++;
    return GE_OK;
}

ge_status ge_builder_add_input(ge_builder *builder, ge_value_id value) {
    GEI_CALL;
    GEI_BUILDER(b, g, builder);
    GEI_BUILDER_STEP(b, add_input(b, g, value, &diag));
}

static ge_status add_inputs(gei_api_builder *b, gei_graph *g, const ge_value_id *values, size_t count, gei_diag *diag) {
    gei_value v;
    if (!values && count) return gei_argument_fail(diag, "values", 1, GE_ERR_NULL_ARGUMENT, "values is NULL");
    GEI_TRY(next_port(b, "values", true, diag));
    if (count > GEI_MAX_SLOTS) return gei_argument_fail(diag, "values_count", 2, GE_ERR_LIMIT, "%zu inputs, at most %u", count, GEI_MAX_SLOTS);
    for (size_t i = 0; i < count; i++) GEI_TRY(gei_id_value(g, values[i], "values", 1, &v, diag));
    if (!gei_vec_reserve(g->from, &b->ins, count) || !gei_vec_reserve(g->from, &b->dynamic_ins, 1)) return gei_out_of_memory(diag, count * sizeof *values);
    for (size_t i = 0; i < count; i++) b->ins.items[b->ins.count++] = values[i];
    b->dynamic_ins.items[b->dynamic_ins.count++] = (uint32_t)count;
    b->port++;
    return GE_OK;
}

ge_status ge_builder_add_inputs(ge_builder *builder, const ge_value_id *values, size_t values_count) {
    GEI_CALL;
    GEI_BUILDER(b, g, builder);
    GEI_BUILDER_STEP(b, add_inputs(b, g, values, values_count, &diag));
}

static ge_status set_output_count(gei_api_builder *b, const char *output, size_t size, uint32_t count, gei_diag *diag) {
    uint64_t sum = 0;
    if (!output) return gei_argument_fail(diag, "output", 1, GE_ERR_NULL_ARGUMENT, "output is NULL");
    GEI_TRY(gei_text_in(output, &size, "output", 1, diag));
    for (uint32_t i = 0, k = 0; i < b->def->n_outputs; i++) {
        const gei_port_def *port = &b->def->outputs[i];
        bool is_dynamic = port->kind == GEI_PORT_DYNAMIC;
        if (strlen(port->name) != size || memcmp(port->name, output, size) != 0) {
            k += is_dynamic;
            continue;
        }
        if (!is_dynamic) return gei_argument_fail(diag, "output", 1, GE_ERR_WRONG_KIND, "output '%s' of %s is not dynamic", port->name, b->def->name);
        for (uint32_t other = 0; other < b->dynamic_outs.count; other++) sum += other == k ? count : b->dynamic_outs.items[other];
        if (sum + b->def->n_outputs > GEI_ID_PORT_LIMIT)
            return gei_argument_fail(diag, "values_count", 3, GE_ERR_LIMIT, "%llu outputs, at most %u", (unsigned long long)sum, GEI_ID_PORT_LIMIT);
        b->dynamic_outs.items[k] = count;
        return GE_OK;
    }
    gei_diag_found(diag, "%.*s", (int)(size < 60 ? size : 60), output);
    return gei_argument_fail(diag, "output", 1, GE_ERR_NOT_FOUND, "%s has no output '%.*s'", b->def->name, (int)(size < 200 ? size : 200), output);
}

ge_status ge_builder_set_output_count(ge_builder *builder, const char *output, size_t output_size, uint32_t values_count) {
    GEI_CALL;
    GEI_BUILDER(b, g, builder);
    (void)g;
    GEI_BUILDER_STEP(b, set_output_count(b, output, output_size, values_count, &diag));
}

/* ---- end ---- */

/* Inputs the caller left out at the end. */
static ge_status fill_inputs(gei_api_builder *b, gei_graph *g, gei_diag *diag) {
    for (; b->port < b->def->n_inputs; b->port++) {
        const gei_port_def *port = &b->def->inputs[b->port];
        bool is_data = b->def == &gei_def_data || b->def == &gei_def_ref_data; /* its own input stays empty */
        if (port->kind == GEI_PORT_REQUIRED && !is_data) {
            gei_diag_found(diag, "%u inputs", b->port);
            return gei_argument_fail(diag, "builder", 0, GE_ERR_BAD_GRAPH, "%s: input '%s' is missing", b->def->name, port->name);
        }
        bool ok = port->kind == GEI_PORT_DYNAMIC ? gei_vec_push(g->from, &b->dynamic_ins, 0) : gei_vec_push(g->from, &b->ins, 0);
        if (!ok) return gei_out_of_memory(diag, sizeof(ge_value_id));
    }
    return GE_OK;
}

static ge_status check_attrs(const gei_api_builder *b, gei_diag *diag) {
    for (uint32_t i = 0; i < b->def->n_attrs; i++) {
        const gei_attr_def *def = &b->def->attrs[i];
        if (!def->required || gei_attrs_find(&b->attrs, def->name)) continue;
        gei_diag_wanted(diag, "%s", gei_attr_kind_name(def->kind));
        return gei_argument_fail(diag, "builder", 0, GE_ERR_BAD_ATTR, "%s: required attribute '%s' is missing", b->def->name, def->name);
    }
    return GE_OK;
}

/* By the caller's name, or by made-up ones until one is free. */
static ge_status add_node(gei_api_builder *b, gei_graph *g, gei_node **out, gei_diag *diag) {
    char made_up[GEI_NAME_BYTES];
    ge_status st;
    if (b->name.count) return gei_graph_add_node(g, b->def, b->name.items, b->dynamic_ins.items, b->dynamic_outs.items, out, diag);
    for (;;) {
        gei_name_number(made_up, b->def->name, strlen(b->def->name), b->next_name++);
        st = gei_graph_add_node(g, b->def, made_up, b->dynamic_ins.items, b->dynamic_outs.items, out, diag);
        if (st != GE_ERR_ALREADY_EXISTS) return st;
        gei_call_begin(diag);
    }
}

static ge_status fill_node(const gei_api_builder *b, gei_graph *g, gei_node *node, gei_diag *diag) {
    for (uint32_t i = 0; i < b->attrs.count; i++)
        GEI_TRY(gei_attrs_set(&node->attrs, &g->arena, b->attrs.items[i].name, &b->attrs.items[i].value, diag));
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_value value;
        if (b->ins.items[i] == 0) continue;
        GEI_TRY(gei_id_value(g, b->ins.items[i], "builder", 0, &value, diag)); /* may have been removed since */
        gei_slot_set(&node->ins[i], value);
    }
    return GE_OK;
}

static ge_status end_op(gei_api_builder *b, gei_graph *g, ge_value_id *values, size_t values_count, ge_node_id *out_node, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(fill_inputs(b, g, diag));
    GEI_TRY(check_attrs(b, diag));
    GEI_TRY(add_node(b, g, &node, diag));
    ge_status st = fill_node(b, g, node, diag);
    if (st != GE_OK) {
        gei_graph_remove_node(node);
        return st;
    }
    for (uint32_t i = 0; i < node->n_outs && i < values_count; i++) values[i] = gei_value_id_of(gei_value_of(node, i));
    if (out_node) *out_node = gei_node_id_of(node);
    return GE_OK;
}

ge_status ge_builder_end_op(ge_builder *builder, ge_value_id *values, size_t values_count, ge_node_id *out_node) {
    GEI_CALL;
    GEI_OUT(out_node);
    GEI_OUT_ARRAY(values, values_count);
    GEI_BUILDER(b, g, builder);
    ge_status st = gei_builder_open(b, &diag);
    if (st == GE_OK && !values && values_count) st = gei_argument_fail(&diag, "values", 1, GE_ERR_NULL_ARGUMENT, "values is NULL");
    if (st == GE_OK) st = end_op(b, g, values, values_count, out_node, &diag);
    if (st != GE_OK && b->name.count) gei_diag_node(&diag, b->name.items);
    if (b->state != GEI_BUILDER_DONE) gei_builder_drop(b);
    return GEI_RETURN(st);
}

/* ---- build ---- */

static ge_status build(gei_api_builder *b, gei_graph *g, const ge_value_id *outputs, size_t outputs_count, ge_graph **out, gei_diag *diag) {
    GEI_TRY(gei_graph_check(g, diag));
    GEI_TRY(gei_graph_view_handle(b->view.owner, g, out, diag));
    ge_status st = outputs ? gei_outputs_set(g, outputs, outputs_count, NULL, "outputs", diag) : GE_OK;
    if (st == GE_OK) {
        b->state = GEI_BUILDER_DONE;
        return GE_OK;
    }
    (void)gei_handle_close(*out, GEI_HANDLE_GRAPH);
    *out = NULL;
    return st;
}

/* An operator that is open stops the build and goes on. */
static ge_status check_buildable(const gei_api_builder *b, gei_diag *diag) {
    if (b->state == GEI_BUILDER_IDLE || (b->state == GEI_BUILDER_FAILED && b->failed_at_begin)) return GE_OK;
    if (b->state == GEI_BUILDER_OPEN)
        return gei_argument_fail(diag, "builder", 0, GE_ERR_WRONG_STATE, "operator %s is open; ge_builder_end_op ends it", b->def->name);
    return gei_builder_open(b, diag);
}

ge_status ge_builder_build(ge_builder *builder, const ge_value_id *outputs, size_t outputs_count, ge_graph **out_graph) {
    GEI_CALL;
    GEI_OUT(out_graph);
    GEI_NEED(out_graph, 3);
    if (!outputs && outputs_count) return gei_call_null(__func__, "outputs", 1);
    GEI_BUILDER(b, g, builder);
    GEI_CHECK(check_buildable(b, &diag));
    return GEI_RETURN(build(b, g, outputs, outputs_count, out_graph, &diag));
}
