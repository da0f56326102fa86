/* SPDX-License-Identifier: Apache-2.0 */
/* Graph inputs and outputs, descriptions of values, symbols. */
#include <stdio.h>
#include <string.h>

#include "ir/builtin.h"
#include "ir/graph_inner.h"

/* ---- symbols ---- */

ge_status gei_graph_symbol(gei_graph *g, const char *name, size_t name_size, gei_dim *out, gei_diag *diag) {
    gei_symbols *symbols = g->symbols;
    char made_up[32];
    uint64_t index, next = symbols->names.count;
    if (!name) {
        do snprintf(made_up, sizeof made_up, "s%llu", (unsigned long long)next++);
        while (gei_strmap_find(&symbols->by_name, made_up, strlen(made_up), NULL));
        name = made_up;
        name_size = strlen(made_up);
    }
    name_size = strnlen(name, name_size);
    if (gei_strmap_find(&symbols->by_name, name, name_size, &index)) {
        *out = gei_dim_symbol((uint32_t)index);
        return GE_OK;
    }
    if (symbols->names.count >= INT32_MAX) return gei_fail(diag, GE_ERR_LIMIT, "graph '%s' cannot hold more symbols", g->root->name);
    const char *own = gei_arena_text(&g->root->arena, name, name_size);
    if (!own || !gei_vec_reserve(g->from, &symbols->names, 1) ||
        !gei_strmap_put(&symbols->by_name, own, name_size, symbols->names.count))
        return gei_out_of_memory(diag, 0);
    *out = gei_dim_symbol((uint32_t)symbols->names.count);
    symbols->names.items[symbols->names.count++] = own;
    return GE_OK;
}

/* ---- descriptions ---- */

gei_shape gei_out_shape(const gei_out *out) { return gei_shape_of(out->rank, out->dims); }

static ge_status check_shape(const gei_node *node, const gei_shape *shape, gei_diag *diag) {
    if (shape->rank < GEI_RANK_UNKNOWN || shape->rank > GEI_MAX_RANK) {
        gei_diag_node(diag, node->name);
        return gei_fail(diag, GE_ERR_RANK, "%s '%s': rank %d is above %d", node->def->name, node->name, (int)shape->rank,
                        GEI_MAX_RANK);
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        if (!gei_dim_is_symbol(shape->dims[i]) || (uint64_t)(-2 - shape->dims[i]) < node->graph->symbols->names.count) continue;
        gei_diag_node(diag, node->name);
        return gei_fail(diag, GE_ERR_SHAPE, "%s '%s': dim %d is %lld, which is neither a size nor a symbol of the graph",
                        node->def->name, node->name, (int)i, (long long)shape->dims[i]);
    }
    return GE_OK;
}

ge_status gei_out_set_shape(gei_value v, const gei_shape *shape, gei_diag *diag) {
    gei_out *out = gei_value_out(v);
    GEI_TRY(check_shape(v.node, shape, diag));
    size_t bytes = shape->rank > 0 ? (size_t)shape->rank * sizeof(gei_dim) : 0;
    if (out->rank == shape->rank && (bytes == 0 || memcmp(out->dims, shape->dims, bytes) == 0)) return GE_OK;
    const gei_dim *dims = NULL; /* never in place: the dims may be shared by other outputs */
    if (bytes > 0) {
        dims = (const gei_dim *)gei_arena_copy(&v.node->graph->arena, shape->dims, bytes, _Alignof(gei_dim));
        if (!dims) return gei_out_of_memory(diag, bytes);
    }
    out->rank = shape->rank;
    out->dims = dims;
    return GE_OK;
}

static ge_status copy_name(gei_graph *g, const char *name, const char **out, gei_diag *diag) {
    const char *own = name ? gei_arena_text(&g->arena, name, strlen(name)) : NULL;
    if (name && !own) return gei_out_of_memory(diag, 0);
    *out = own;
    return GE_OK;
}

ge_status gei_out_set_name(gei_value v, const char *name, gei_diag *diag) {
    return copy_name(v.node->graph, name, &gei_value_out(v)->name, diag);
}

ge_status gei_node_set_origin(gei_node *node, const char *text, gei_diag *diag) {
    return copy_name(node->graph, text, &node->origin, diag);
}

ge_status gei_out_attrs(gei_value v, gei_attrs **out, gei_diag *diag) {
    gei_out *at = gei_value_out(v);
    if (!at->attrs) at->attrs = gei_arena_new(&v.node->graph->arena, gei_attrs);
    *out = at->attrs;
    return at->attrs ? GE_OK : gei_out_of_memory(diag, sizeof(gei_attrs));
}

ge_status gei_slot_desc(gei_slot *slot, gei_in_desc **out, gei_diag *diag) {
    gei_node *node = slot->owner;
    size_t index = (size_t)(slot - node->ins);
    if (!node->in_descs) node->in_descs = gei_arena_array(&node->graph->arena, gei_in_desc *, node->n_ins);
    if (!node->in_descs) return gei_out_of_memory(diag, node->n_ins * sizeof(gei_in_desc *));
    gei_in_desc *desc = node->in_descs[index];
    if (!desc) {
        desc = gei_arena_new(&node->graph->arena, gei_in_desc);
        if (!desc) return gei_out_of_memory(diag, sizeof *desc);
        desc->dtype = GEI_UNDEFINED;
        desc->format = GE_FORMAT_ND;
        desc->shape = gei_shape_unknown();
        node->in_descs[index] = desc;
    }
    *out = desc;
    return GE_OK;
}

ge_status gei_graph_set_metadata(gei_graph *g, const char *key, const char *text, size_t text_size, gei_diag *diag) {
    gei_attr value = gei_attr_text(text, text_size);
    return gei_attrs_set(&g->metadata, &g->arena, key, &value, diag);
}

/* ---- inputs ---- */

static ge_status describe_data(gei_node *node, int64_t index, int32_t dtype, const gei_shape *shape, gei_diag *diag) {
    gei_attr value = gei_attr_int(index);
    GEI_TRY(gei_node_set(node, "index", &value, diag));
    node->outs[0].dtype = dtype;
    return shape ? gei_out_set_shape(gei_value_of(node, 0), shape, diag) : GE_OK;
}

ge_status gei_graph_add_data(gei_graph *g, const char *name, int64_t index, int32_t dtype, const gei_shape *shape, gei_node **out,
                             gei_diag *diag) {
    *out = NULL;
    if (index < 0) return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "graph '%s': input index %lld is negative", g->name, (long long)index);
    if (!gei_dtype_get(dtype)) return gei_fail(diag, GE_ERR_DTYPE, "graph '%s': unknown data type number %d", g->name, (int)dtype);
    gei_node *node;
    GEI_TRY(gei_graph_add_node(g, &gei_def_data, name, NULL, NULL, &node, diag));
    ge_status st = describe_data(node, index, dtype, shape, diag);
    if (st != GE_OK) gei_graph_remove_node(node);
    else *out = node;
    return st;
}

ge_status gei_graph_add_const(gei_graph *g, const char *name, gei_tensor *tensor, gei_node **out, gei_diag *diag) {
    gei_node *node;
    gei_attr value = gei_attr_tensor(tensor);
    gei_shape shape = gei_tensor_shape(tensor);
    *out = NULL;
    GEI_TRY(gei_graph_add_node(g, &gei_def_const, name, NULL, NULL, &node, diag));
    node->outs[0].dtype = tensor->dtype;
    node->outs[0].format = tensor->format;
    ge_status st = gei_out_set_shape(gei_value_of(node, 0), &shape, diag);
    if (st == GE_OK) st = gei_node_set(node, "value", &value, diag);
    if (st != GE_OK) gei_graph_remove_node(node);
    else *out = node;
    return st;
}

gei_tensor *gei_node_const(const gei_node *node) {
    if (!gei_node_is_const(node)) return NULL;
    const gei_attr *value = gei_attrs_find(&node->attrs, "value");
    return value && value->kind == GEI_ATTR_TENSOR ? value->v.tensor : NULL;
}

static ge_status place_input(const gei_graph *g, gei_node *node, gei_node **inputs, size_t count, gei_diag *diag) {
    int64_t index = gei_node_int(node, "index", 0);
    if (index >= 0 && (uint64_t)index < count && !inputs[index]) {
        inputs[index] = node;
        return GE_OK;
    }
    gei_diag_node(diag, node->name);
    gei_diag_found(diag, "%lld", (long long)index);
    if (index < 0 || (uint64_t)index >= count) {
        gei_diag_wanted(diag, "0 to %zu", count - 1);
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': input index %lld, but graph '%s' has %zu inputs", node->def->name, node->name,
                        (long long)index, g->name, count);
    }
    return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': input index %lld is that of '%s' too", node->def->name, node->name, (long long)index,
                    inputs[index]->name);
}

ge_status gei_graph_inputs(const gei_graph *g, gei_arena *arena, gei_node ***out, size_t *out_count, gei_diag *diag) {
    size_t count = 0;
    *out = NULL;
    *out_count = 0;
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i] && gei_node_is_input(g->nodes.items[i])) count++;
    gei_node **inputs = gei_arena_array(arena, gei_node *, count);
    if (!inputs) return gei_out_of_memory(diag, count * sizeof *inputs);
    for (size_t i = 0; i < g->nodes.count; i++) {
        gei_node *node = g->nodes.items[i];
        if (node && gei_node_is_input(node)) GEI_TRY(place_input(g, node, inputs, count, diag));
    }
    *out = inputs;
    *out_count = count;
    return GE_OK;
}

/* ---- outputs ---- */

static ge_status check_outputs(const gei_graph *g, const gei_value *values, size_t count, gei_diag *diag) {
    if (count > GEI_MAX_SLOTS)
        return gei_fail(diag, GE_ERR_LIMIT, "graph '%s': %zu outputs, at most %u", g->name, count, GEI_MAX_SLOTS);
    for (size_t i = 0; i < count; i++) {
        const gei_node *node = values[i].node;
        if (!node) return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "graph '%s': output %zu is no value", g->name, i);
        if (!gei_node_is_live(node, g))
            return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "graph '%s': output %zu comes from node '%s', which is not in this graph",
                            g->name, i, node->name);
        if (values[i].out >= node->n_outs)
            return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "graph '%s': output %zu wants output %u of %s '%s', which has %u", g->name, i,
                            values[i].out, node->def->name, node->name, node->n_outs);
    }
    return GE_OK;
}

/* *out NULL when no output has a name. */
static ge_status copy_names(gei_graph *g, const char *const *names, size_t count, const char ***out, gei_diag *diag) {
    size_t n_named = 0;
    *out = NULL;
    for (size_t i = 0; names && i < count; i++) n_named += names[i] != NULL;
    if (n_named == 0) return GE_OK;
    const char **copies = gei_arena_array(&g->arena, const char *, count);
    if (!copies) return gei_out_of_memory(diag, count * sizeof *copies);
    for (size_t i = 0; i < count; i++) GEI_TRY(copy_name(g, names[i], &copies[i], diag));
    *out = copies;
    return GE_OK;
}

/* New slots for the NetOutput node that is there. */
static ge_status resize_net_output(gei_node *node, uint32_t count, gei_diag *diag) {
    gei_slot *slots = gei_arena_array(&node->graph->arena, gei_slot, count);
    if (!slots) return gei_out_of_memory(diag, count * sizeof *slots);
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_slot_set(&node->ins[i], (gei_value){ NULL, 0 });
        if (node->in_descs && node->in_descs[i]) gei_attrs_release(&node->in_descs[i]->attrs);
    }
    gei_slots_init(slots, node, 0, count);
    node->in_descs = NULL;
    node->ins = slots;
    node->n_ins = count;
    return GE_OK;
}

ge_status gei_graph_set_outputs(gei_graph *g, const gei_value *values, const char *const *names, size_t count, gei_diag *diag) {
    uint32_t n = (uint32_t)count;
    const char **own_names;
    GEI_TRY(check_outputs(g, values, count, diag));
    GEI_TRY(copy_names(g, names, count, &own_names, diag));
    if (g->net_output) {
        GEI_TRY(resize_net_output(g->net_output, n, diag));
    } else {
        const char *name = gei_graph_find_node(g, GEI_NET_OUTPUT_NAME, strlen(GEI_NET_OUTPUT_NAME)) ? NULL : GEI_NET_OUTPUT_NAME;
        gei_node *node;
        GEI_TRY(gei_graph_add_node(g, &gei_def_net_output, name, &n, NULL, &node, diag));
    }
    g->output_names = own_names;
    for (uint32_t i = 0; i < n; i++) gei_slot_set(&g->net_output->ins[i], values[i]);
    return GE_OK;
}

const char *gei_graph_output_name(const gei_graph *g, size_t i) {
    return g->output_names && g->net_output && i < g->net_output->n_ins ? g->output_names[i] : NULL;
}
