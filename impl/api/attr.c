/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/attr_kind.h"
#include "api/id.h"
#include "api/tensor.h"

/* What has attributes: a graph, a node or a port. */
typedef struct attr_owner {
    gei_graph *graph;
    gei_node *node;   /* NULL: the graph */
    uint32_t place;   /* see id.h */
    gei_attrs *attrs; /* NULL: a port that never had one */
} attr_owner;

enum { PLACE_NODE = 0, PLACE_GRAPH = 1, PLACE_PORTS = 2 };

/* ---- owners ---- */

static gei_attrs *port_attrs(const gei_node *node, uint32_t port) {
    if (port >= node->n_ins) return node->outs[port - node->n_ins].attrs;
    return node->in_descs && node->in_descs[port] ? &node->in_descs[port]->attrs : NULL;
}

/* The owner at a place; false when there is none. */
static bool owner_at(gei_graph *g, gei_node *node, uint32_t place, attr_owner *out) {
    *out = (attr_owner){ g, node, place, NULL };
    if (place == PLACE_GRAPH) out->attrs = &g->attrs;
    else if (!node) return false;
    else if (place == PLACE_NODE) out->attrs = &node->attrs;
    else if (place - PLACE_PORTS >= node->n_ins + node->n_outs) return false;
    else out->attrs = port_attrs(node, place - PLACE_PORTS);
    return true;
}

static ge_status owner_of(gei_graph *g, ge_owner_id id, attr_owner *out, gei_diag *diag) {
    gei_node *node = NULL;
    uint32_t kind, port, place = PLACE_GRAPH;
    if (gei_id_kind(id) == GEI_ID_NODE) {
        node = gei_id_node(g, id, "owner", 1, diag);
        if (!node) return diag->status;
        place = PLACE_NODE;
    } else if (id != 0) {
        GEI_TRY(gei_id_port_of(g, id, "owner", 1, &node, &kind, &port, diag));
        place = PLACE_PORTS + port + (kind == GEI_ID_OUT ? node->n_ins : 0);
    }
    return owner_at(g, node, place, out) ? GE_OK : gei_id_bad("owner", 1, id, diag);
}

static ge_owner_id owner_id(const attr_owner *o) {
    if (!o->node) return 0;
    if (o->place == PLACE_NODE) return gei_node_id_of(o->node);
    uint32_t port = o->place - PLACE_PORTS, n_ins = o->node->n_ins;
    if (port >= n_ins) return gei_value_id_of(gei_value_of(o->node, port - n_ins));
    return gei_id_pack(GEI_ID_IN, o->graph->serial, o->node->index, port);
}

/* Makes the set of a port that has none yet. */
static ge_status make_attrs(attr_owner *o, gei_diag *diag) {
    uint32_t port = o->place - PLACE_PORTS;
    gei_in_desc *desc;
    if (o->attrs) return GE_OK;
    if (port >= o->node->n_ins) return gei_out_attrs(gei_value_of(o->node, port - o->node->n_ins), &o->attrs, diag);
    GEI_TRY(gei_slot_desc(&o->node->ins[port], &desc, diag));
    o->attrs = &desc->attrs;
    return GE_OK;
}

/* ---- ids ---- */

#define PLACE_LIMIT (1u << 12)
#define POSITION_LIMIT (1u << 8)

static uint64_t name_hash(const gei_graph *g, const char *name) { return gei_hash_bytes(name, strlen(name), g->serial) & 0x1fff; }

static ge_status attr_id(const attr_owner *o, uint32_t position, ge_attr_id *out, gei_diag *diag) {
    if (o->place >= PLACE_LIMIT || position >= POSITION_LIMIT)
        return gei_argument_fail(diag, "owner", 1, GE_ERR_LIMIT, "attributes from %u on and those of ports from %u on have no id", POSITION_LIMIT,
                                 PLACE_LIMIT - PLACE_PORTS);
    *out = (uint64_t)GEI_ID_ATTR << 61 | (uint64_t)(o->node ? o->node->index : 0) << 33 | (uint64_t)o->place << 21 | (uint64_t)position << 13 |
           name_hash(o->graph, o->attrs->items[position].name);
    return GE_OK;
}

/* An attribute keeps its id when one before it goes: it is then nearer to the front. */
static gei_named_attr *find_by_id(const attr_owner *o, ge_attr_id id) {
    uint32_t position = (uint32_t)(id >> 13) & (POSITION_LIMIT - 1);
    if (!o->attrs || o->attrs->count == 0) return NULL;
    for (uint32_t i = position < o->attrs->count ? position + 1 : o->attrs->count; i-- > 0;)
        if (name_hash(o->graph, o->attrs->items[i].name) == (id & 0x1fff)) return &o->attrs->items[i];
    return NULL;
}

static gei_named_attr *resolve(gei_graph *g, ge_attr_id id, attr_owner *out, gei_diag *diag) {
    uint32_t index = (uint32_t)(id >> 33) & 0xfffffff, place = (uint32_t)(id >> 21) & (PLACE_LIMIT - 1);
    gei_named_attr *found = NULL;
    if (gei_id_kind(id) == GEI_ID_ATTR && (place != PLACE_GRAPH || index == 0) &&
        owner_at(g, place == PLACE_GRAPH ? NULL : gei_graph_node_at(g, index), place, out))
        found = find_by_id(out, id);
    if (!found) gei_id_bad("attr", 1, id, diag);
    return found;
}

#define GEI_ATTR_ARG(var, o, g, id)                            \
    attr_owner o;                                              \
    gei_named_attr *var = resolve((g), (id), &o, &diag);       \
    if (!var) return gei_call_end(__func__, diag.status, &diag)

static uint32_t find_named(const gei_attrs *attrs, const char *name, size_t size) {
    uint32_t n = attrs ? attrs->count : 0;
    for (uint32_t i = 0; i < n; i++)
        if (strlen(attrs->items[i].name) == size && memcmp(attrs->items[i].name, name, size) == 0) return i;
    return UINT32_MAX;
}

/* ---- listing ---- */

ge_status ge_graph_get_attrs(const ge_graph *graph, ge_owner_id owner, ge_attr_id *attrs, size_t attrs_count, size_t *out_count) {
    GEI_CALL;
    attr_owner o;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GRAPH(g, graph);
    GEI_CHECK(owner_of(g, owner, &o, &diag));
    uint32_t n = o.attrs ? o.attrs->count : 0;
    GEI_CHECK(gei_array_out(n, attrs, attrs_count, out_count, "attrs", 2, &diag));
    ge_status st = GE_OK;
    for (uint32_t i = 0; attrs && st == GE_OK && i < n; i++) st = attr_id(&o, i, &attrs[i], &diag);
    if (st != GE_OK) *out_count = 0;
    return GEI_RETURN(st);
}

static ge_status not_found(const char *name, size_t size, gei_diag *diag) {
    gei_diag_found(diag, "%.*s", (int)(size < 60 ? size : 60), name);
    return gei_argument_fail(diag, "name", 2, GE_ERR_NOT_FOUND, "no attribute '%.*s' is present", (int)(size < 200 ? size : 200), name);
}

ge_status ge_graph_find_attr(const ge_graph *graph, ge_owner_id owner, const char *name, size_t name_size, ge_attr_id *out_attr) {
    GEI_CALL;
    attr_owner o;
    GEI_OUT(out_attr);
    GEI_NEED(name, 2);
    GEI_NEED(out_attr, 4);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 2, &diag));
    GEI_CHECK(owner_of(g, owner, &o, &diag));
    uint32_t position = find_named(o.attrs, name, name_size);
    return GEI_RETURN(position == UINT32_MAX ? not_found(name, name_size, &diag) : attr_id(&o, position, out_attr, &diag));
}

ge_status ge_graph_get_attr_info(const ge_graph *graph, ge_attr_id attr, ge_attr_info *out_info, size_t out_info_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(out_info, out_info_size);
    GEI_NEED(out_info, 2);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    ge_attr_info info = { .attr = attr,
                          .owner = owner_id(&o),
                          .name = a->name,
                          .items_count = gei_attr_item_count(&a->value),
                          .kind = gei_attr_kind_out(a->value.kind) };
    return GEI_RETURN(gei_struct_out(out_info, out_info_size, &info, sizeof info, GEI_FIRST_ATTR_INFO, "out_info", 2, &diag));
}

/* ---- adding, removing ---- */

static ge_status check_declared(const attr_owner *o, const char *name, gei_attr_kind kind, gei_diag *diag) {
    const gei_attr_def *def = o->place == PLACE_NODE ? gei_def_attr(o->node->def, name) : NULL;
    if (!def || def->kind == kind) return GE_OK;
    gei_diag_node(diag, o->node->name);
    gei_diag_found(diag, "%s", gei_attr_kind_name(kind));
    gei_diag_wanted(diag, "%s", gei_attr_kind_name(def->kind));
    return gei_argument_fail(diag, "kind", 4, GE_ERR_WRONG_KIND, "%s declares attribute '%s' of kind %s, not %s", o->node->def->name, name,
                             gei_attr_kind_name(def->kind), gei_attr_kind_name(kind));
}

static ge_status add_attr(attr_owner *o, const char *name, gei_attr_kind kind, ge_attr_id *out, gei_diag *diag) {
    gei_attr value = gei_attr_empty(kind);
    GEI_TRY(check_declared(o, name, kind, diag));
    uint32_t position = find_named(o->attrs, name, strlen(name));
    if (position == UINT32_MAX) position = o->attrs ? o->attrs->count : 0;
    if (position >= POSITION_LIMIT || o->place >= PLACE_LIMIT)
        return gei_argument_fail(diag, "owner", 1, GE_ERR_LIMIT, "an owner takes %u attributes, ports up to %u take them", POSITION_LIMIT,
                                 PLACE_LIMIT - PLACE_PORTS);
    GEI_TRY(make_attrs(o, diag));
    GEI_TRY(gei_attrs_set(o->attrs, &o->graph->arena, name, &value, diag));
    return attr_id(o, position, out, diag);
}

ge_status ge_graph_add_attr(ge_graph *graph, ge_owner_id owner, const char *name, size_t name_size, ge_attr_kind kind, ge_attr_id *out_attr) {
    GEI_CALL;
    attr_owner o;
    char *text;
    gei_attr_kind inner = gei_attr_kind_in(kind);
    GEI_OUT(out_attr);
    GEI_NEED(name, 2);
    GEI_NEED(out_attr, 5);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 2, &diag));
    if (name_size == 0) return GEI_RETURN(gei_argument_fail(&diag, "name", 2, GE_ERR_INVALID_ARGUMENT, "name is empty"));
    if (inner == GEI_ATTR_NONE) return GEI_RETURN(gei_argument_fail(&diag, "kind", 4, GE_ERR_INVALID_ARGUMENT, "%d is no kind of attribute", kind));
    GEI_CHECK(owner_of(g, owner, &o, &diag));
    GEI_CHECK(gei_text_copy(g->from, name, name_size, &text, &diag));
    ge_status st = add_attr(&o, text, inner, out_attr, &diag);
    gei_text_free(g->from, text, name_size);
    return GEI_RETURN(st);
}

ge_status ge_graph_remove_attr(ge_graph *graph, ge_attr_id attr) {
    GEI_CALL;
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    gei_attrs_remove(o.attrs, a->name);
    return GE_OK;
}

/* ---- items ---- */

/* Argument names for the statuses of ir/attr_items.h. */
static ge_status named_fault(ge_status st, const char *argument, int32_t index, gei_diag *diag) {
    if (st == GE_ERR_WRONG_KIND) gei_diag_argument(diag, "attr", 1);
    else if (st != GE_OK) gei_diag_argument(diag, argument, index);
    return st;
}

/* Stores a value whose parts lie in `scratch`, which ends here. */
static ge_status store(attr_owner *o, gei_named_attr *a, ge_status st, const gei_attr *value, gei_arena *scratch, gei_diag *diag) {
    if (st == GE_OK) st = gei_attrs_set(o->attrs, &o->graph->arena, a->name, value, diag);
    gei_arena_deinit(scratch);
    return named_fault(st, "values", 2, diag);
}

ge_status ge_graph_set_attr_ints(ge_graph *graph, ge_attr_id attr, const int64_t *values, size_t values_count) {
    GEI_CALL;
    gei_arena scratch;
    gei_attr value;
    if (!values && values_count) return gei_call_null(__func__, "values", 2);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    gei_arena_init(&scratch, g->from);
    ge_status st = gei_attr_from_ints(a->value.kind, values, values_count, &scratch, &value, &diag);
    return GEI_RETURN(store(&o, a, st, &value, &scratch, &diag));
}

ge_status ge_graph_set_attr_floats(ge_graph *graph, ge_attr_id attr, const float *values, size_t values_count) {
    GEI_CALL;
    gei_arena scratch;
    gei_attr value;
    if (!values && values_count) return gei_call_null(__func__, "values", 2);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    gei_arena_init(&scratch, g->from);
    ge_status st = gei_attr_from_floats(a->value.kind, values, values_count, &scratch, &value, &diag);
    return GEI_RETURN(store(&o, a, st, &value, &scratch, &diag));
}

ge_status ge_graph_set_attr_text(ge_graph *graph, ge_attr_id attr, size_t index, const char *text, size_t text_size) {
    GEI_CALL;
    GEI_NEED(text, 3);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    bool is_bytes = a->value.kind == GEI_ATTR_BYTES || a->value.kind == GEI_ATTR_BYTES_LIST;
    if (is_bytes && text_size == GE_NTS) text_size = strlen(text);
    if (!is_bytes) GEI_CHECK(gei_text_in(text, &text_size, "text", 3, &diag));
    return GEI_RETURN(named_fault(gei_attr_put_text(&a->value, &g->arena, index, text, text_size, &diag), "index", 2, &diag));
}

ge_status ge_graph_set_attr_tensor(ge_graph *graph, ge_attr_id attr, size_t index, const ge_tensor *tensor) {
    GEI_CALL;
    gei_tensor *inner;
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    GEI_CHECK(gei_tensor_of(tensor, g_view->owner->ctx, "tensor", 3, &inner, &diag));
    GEI_CHECK(named_fault(gei_attr_put_tensor(&a->value, &g->arena, index, inner, &diag), "index", 2, &diag));
    gei_tensor_freeze(inner);
    return GE_OK;
}

static ge_status wrong_kind(const gei_named_attr *a, const char *wanted, gei_diag *diag) {
    gei_diag_found(diag, "%s", gei_attr_kind_name(a->value.kind));
    gei_diag_wanted(diag, "%s", wanted);
    return gei_argument_fail(diag, "attr", 1, GE_ERR_WRONG_KIND, "attribute '%s' is of kind %s and holds no %s", a->name,
                             gei_attr_kind_name(a->value.kind), wanted);
}

static ge_status no_item(const gei_named_attr *a, size_t index, gei_diag *diag) {
    gei_diag_found(diag, "%zu", index);
    return gei_argument_fail(diag, "index", 2, GE_ERR_OUT_OF_RANGE, "attribute '%s' has no item %zu", a->name, index);
}

ge_status ge_graph_get_attr_ints(const ge_graph *graph, ge_attr_id attr, int64_t *values, size_t values_count, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    if (!gei_attr_has_ints(a->value.kind)) return GEI_RETURN(wrong_kind(a, "ints", &diag));
    GEI_CHECK(gei_array_out((size_t)gei_attr_item_count(&a->value), values, values_count, out_count, "values", 2, &diag));
    if (values) gei_attr_to_ints(&a->value, values);
    return GE_OK;
}

ge_status ge_graph_get_attr_floats(const ge_graph *graph, ge_attr_id attr, float *values, size_t values_count, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    if (!gei_attr_has_floats(a->value.kind)) return GEI_RETURN(wrong_kind(a, "floats", &diag));
    GEI_CHECK(gei_array_out((size_t)gei_attr_item_count(&a->value), values, values_count, out_count, "values", 2, &diag));
    if (values) gei_attr_to_floats(&a->value, values);
    return GE_OK;
}

ge_status ge_graph_get_attr_text(const ge_graph *graph, ge_attr_id attr, size_t index, const char **out_text, size_t *out_text_size) {
    GEI_CALL;
    gei_text text;
    GEI_OUT(out_text);
    GEI_OUT(out_text_size);
    GEI_NEED(out_text, 3);
    GEI_NEED(out_text_size, 4);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    if (!gei_attr_has_texts(a->value.kind)) return GEI_RETURN(wrong_kind(a, "texts", &diag));
    if (!gei_attr_text_at(&a->value, index, &text)) return GEI_RETURN(no_item(a, index, &diag));
    *out_text = text.data ? text.data : "";
    *out_text_size = text.size;
    return GE_OK;
}

ge_status ge_tensor_create_from_attr(const ge_graph *graph, ge_attr_id attr, size_t index, ge_tensor **out_tensor) {
    GEI_CALL;
    GEI_OUT(out_tensor);
    GEI_NEED(out_tensor, 3);
    GEI_GRAPH(g, graph);
    GEI_ATTR_ARG(a, o, g, attr);
    if (!gei_attr_has_tensors(a->value.kind)) return GEI_RETURN(wrong_kind(a, "tensors", &diag));
    gei_tensor *tensor = gei_attr_tensor_at(&a->value, index);
    if (!tensor) return GEI_RETURN(no_item(a, index, &diag));
    gei_tensor_freeze(tensor);
    return GEI_RETURN(gei_tensor_handle(g_view->owner->ctx, gei_tensor_retain(tensor), gei_tensor_ownership(tensor), out_tensor, &diag));
}
