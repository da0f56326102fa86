/* SPDX-License-Identifier: Apache-2.0 */
/* readable: GE's line-based listing (grammar: the dump section of the GE-PY reference).
 * Only attributes of the operator's definition that are set on the node appear, in definition order; control edges do not. */
#include <string.h>

#include "dump/dump.h"

#define SHOWN_ELEMS 6 /* longer tensors show their first and last three */

typedef struct listing {
    gei_sink *to;
    const gei_graph *g;
    uint32_t *first_ret; /* by node index: number of the node's first get_element line */
} listing;

static bool is_net_output(const gei_node *node) { return node->graph->net_output == node; }

static void put_source(const listing *l, gei_value v) {
    if (v.node->n_outs < 2) {
        gei_sink_format(l->to, "%%%s", v.node->name);
        return;
    }
    uint32_t ret = l->first_ret[v.node->index] + v.out;
    if (ret == 0) gei_sink_text(l->to, "%ret");
    else gei_sink_format(l->to, "%%ret_%u", ret);
}

static void put_element(gei_sink *to, const gei_tensor *t, int64_t i) {
    const gei_dtype_info *type = gei_dtype_get(t->dtype);
    if (type->kind == GEI_KIND_BOOL) {
        gei_sink_text(to, gei_tensor_i64(t, i) ? "true" : "false");
    } else if (type->kind == GEI_KIND_FLOAT) {
        double v = gei_tensor_f64(t, i);
        gei_sink_fixed(to, v, 6);
    } else {
        gei_sink_format(to, "%lld", (long long)gei_tensor_i64(t, i));
    }
}

static void put_tensor(gei_sink *to, const gei_tensor *t) {
    const gei_dtype_info *type = t ? gei_dtype_get(t->dtype) : NULL;
    if (!type) {
        gei_sink_text(to, "<invalid>");
        return;
    }
    if (t->n_elems == 0) {
        gei_sink_text(to, "<empty>");
        return;
    }
    bool number = type->kind == GEI_KIND_FLOAT || type->kind == GEI_KIND_INT || type->kind == GEI_KIND_UINT || type->kind == GEI_KIND_BOOL;
    if (!number || type->bits < 8) {
        gei_sink_text(to, "<not_supported>");
        return;
    }
    gei_sink_text(to, "[");
    for (int64_t i = 0; i < t->n_elems; i++) {
        if (t->n_elems > SHOWN_ELEMS && i == SHOWN_ELEMS / 2) {
            gei_sink_text(to, " ...");
            i = t->n_elems - SHOWN_ELEMS / 2;
        }
        if (i > 0) gei_sink_text(to, " ");
        put_element(to, t, i);
    }
    gei_sink_text(to, "]");
}

static void put_ints(gei_sink *to, const int64_t *values, size_t count) {
    gei_sink_text(to, "{");
    for (size_t i = 0; i < count; i++) gei_sink_format(to, "%s%lld", i ? ", " : "", (long long)values[i]);
    gei_sink_text(to, "}");
}

static void put_floats(gei_sink *to, const float *values, size_t count) {
    gei_sink_text(to, "{");
    for (size_t i = 0; i < count; i++) {
        if (i) gei_sink_text(to, ", ");
        gei_sink_fixed(to, values[i], 6);
    }
    gei_sink_text(to, "}");
}

static void put_text(gei_sink *to, gei_text t) {
    gei_sink_text(to, "\"");
    gei_sink_bytes(to, t.data, t.size);
    gei_sink_text(to, "\"");
}

static void put_list_item(gei_sink *to, const gei_attr *a, uint32_t i) {
    switch (a->kind) {
    case GEI_ATTR_FLOATS: gei_sink_fixed(to, a->v.floats[i], 6); break;
    case GEI_ATTR_BOOLS: gei_sink_text(to, a->v.bools[i] ? "true" : "false"); break;
    case GEI_ATTR_STRINGS: put_text(to, a->v.strings[i]); break;
    case GEI_ATTR_DTYPES: gei_sink_text(to, gei_dtype_get(a->v.dtypes[i]) ? gei_dtype_get(a->v.dtypes[i])->ge_name : "?"); break;
    case GEI_ATTR_TENSORS: put_tensor(to, a->v.tensors[i]); break;
    case GEI_ATTR_FLOAT_LISTS: put_floats(to, a->v.float_lists[i].data, a->v.float_lists[i].count); break;
    default: put_ints(to, a->v.lists[i].data, a->v.lists[i].count); break;
    }
}

static void put_attr(gei_sink *to, const gei_attr *a) {
    switch (a->kind) {
    case GEI_ATTR_INT: gei_sink_format(to, "%lld", (long long)a->v.i); return;
    case GEI_ATTR_FLOAT: gei_sink_fixed(to, a->v.f, 6); return;
    case GEI_ATTR_BOOL: gei_sink_text(to, a->v.b ? "true" : "false"); return;
    case GEI_ATTR_STRING: put_text(to, a->v.s); return;
    case GEI_ATTR_DTYPE: gei_sink_text(to, gei_dtype_get(a->v.dtype) ? gei_dtype_get(a->v.dtype)->ge_name : "?"); return;
    case GEI_ATTR_TENSOR: put_tensor(to, a->v.tensor); return;
    case GEI_ATTR_INTS: put_ints(to, a->v.ints, a->count); return;
    case GEI_ATTR_BYTES:
    case GEI_ATTR_BYTES_LIST:
    case GEI_ATTR_NAMED:
    case GEI_ATTR_NONE: gei_sink_text(to, "<not_supported>"); return;
    default: break;
    }
    gei_sink_text(to, "{");
    for (uint32_t i = 0; i < a->count; i++) {
        if (i) gei_sink_text(to, ", ");
        put_list_item(to, a, i);
    }
    gei_sink_text(to, "}");
}

static void put_inputs(const listing *l, const gei_node *node) {
    bool any = false;
    for (uint32_t i = 0; i < node->n_ins; i++) {
        const gei_slot *slot = &node->ins[i];
        if (!slot->from.node) continue;
        gei_sink_text(l->to, any ? ", " : "(inputs = (");
        any = true;
        if (slot->port >= node->def->n_inputs) gei_sink_format(l->to, "_input_%u", i);
        else if (node->def->inputs[slot->port].kind == GEI_PORT_DYNAMIC) gei_sink_format(l->to, "%s_%u", node->def->inputs[slot->port].name, slot->nth);
        else gei_sink_text(l->to, node->def->inputs[slot->port].name);
        gei_sink_text(l->to, "=");
        put_source(l, slot->from);
    }
    gei_sink_text(l->to, any ? ")" : "(");
}

static void put_subgraph_attr(gei_sink *to, const gei_node *node, uint32_t index) {
    const gei_subgraph_ref *ref = &node->subgraphs[index];
    uint32_t nth = 0;
    for (uint32_t i = 0; i < index; i++) nth += strcmp(node->subgraphs[i].port, ref->port) == 0;
    bool dynamic = false;
    for (uint16_t i = 0; i < node->def->n_subgraphs; i++)
        if (strcmp(node->def->subgraphs[i].name, ref->port) == 0) dynamic = node->def->subgraphs[i].dynamic;
    if (dynamic) gei_sink_format(to, "%s%u: %%%s", ref->port, nth, ref->graph->name);
    else gei_sink_format(to, "%s: %%%s", ref->port, ref->graph->name);
}

static void put_attrs(const listing *l, const gei_node *node, bool after_inputs) {
    const char *lead = after_inputs ? ", attrs = {" : "attrs = {";
    bool any = false;
    for (uint32_t i = 0; i < node->n_subgraphs; i++) {
        gei_sink_text(l->to, any ? ", " : lead);
        any = true;
        put_subgraph_attr(l->to, node, i);
    }
    for (uint16_t i = 0; i < node->def->n_attrs; i++) {
        const gei_attr *a = gei_attrs_find(&node->attrs, node->def->attrs[i].name);
        if (!a || (a->kind == GEI_ATTR_STRING && a->v.s.size == 0)) continue;
        gei_sink_format(l->to, "%s%s: ", any ? ", " : lead, node->def->attrs[i].name);
        any = true;
        put_attr(l->to, a);
    }
    if (any) gei_sink_text(l->to, "}");
    gei_sink_text(l->to, ")\n");
}

static void put_node(const listing *l, gei_node *node) {
    gei_sink_format(l->to, "  %%%s : [#users=%u] = Node[type=%s] ", node->name, node->n_outs, node->def->name);
    bool has_inputs = false;
    for (uint32_t i = 0; i < node->n_ins; i++) has_inputs |= node->ins[i].from.node != NULL;
    put_inputs(l, node);
    put_attrs(l, node, has_inputs);
    for (uint32_t i = 0; node->n_outs > 1 && i < node->n_outs; i++) {
        gei_sink_text(l->to, "  ");
        put_source(l, gei_value_of(node, i));
        gei_sink_format(l->to, " : [#users=%u] = get_element[node=%%%s](%u)\n", gei_value_use_count(gei_value_of(node, i)), node->name, i);
    }
}

static void put_return(const listing *l) {
    const gei_node *out = l->g->net_output;
    gei_sink_text(l->to, "\n  return (");
    for (uint32_t i = 0; out && i < out->n_ins; i++) {
        if (!out->ins[i].from.node) continue;
        if (out->n_ins > 1) gei_sink_format(l->to, "%soutput_%u=", i ? ", " : "", i);
        put_source(l, out->ins[i].from);
    }
    gei_sink_text(l->to, ")\n");
}

/* One graph without the graphs it refers to. */
static ge_status list_graph(const gei_graph *g, gei_sink *to, gei_diag *diag) {
    gei_arena arena;
    gei_node **order = NULL;
    size_t n = 0;
    gei_arena_init(&arena, g->from);
    ge_status st = gei_graph_order(g, &arena, &order, &n, diag);
    listing l = { to, g, gei_arena_array(&arena, uint32_t, g->nodes.count + 1) };
    if (st == GE_OK && !l.first_ret) st = gei_out_of_memory(diag, g->nodes.count * sizeof(uint32_t));
    if (st == GE_OK) {
        uint32_t ret = 0;
        for (size_t i = 0; i < n; i++) {
            if (order[i]->n_outs < 2) continue;
            l.first_ret[order[i]->index] = ret;
            ret += order[i]->n_outs;
        }
        gei_sink_format(to, "graph(\"%s\"):\n", g->name);
        for (size_t i = 0; i < n; i++)
            if (!is_net_output(order[i])) put_node(&l, order[i]);
        put_return(&l);
    }
    gei_arena_deinit(&arena);
    return st;
}

/* Graphs in the order they are to be printed: depth first, each behind the one that refers to it.  No recursion. */
ge_status gei_dump_readable(const gei_graph *g, gei_sink *to, gei_diag *diag) {
    GEI_VEC(const gei_graph *) todo = { 0 };
    ge_status st = gei_vec_push(g->from, &todo, g) ? GE_OK : gei_out_of_memory(diag, sizeof g);
    for (bool first = true; st == GE_OK && todo.count > 0; first = false) {
        const gei_graph *next = todo.items[--todo.count];
        if (!first) gei_sink_text(to, "\n");
        st = list_graph(next, to, diag);
        for (size_t i = next->nodes.count; st == GE_OK && i-- > 0;) {
            const gei_node *node = next->nodes.items[i];
            for (uint32_t k = node ? node->n_subgraphs : 0; st == GE_OK && k-- > 0;)
                if (!gei_vec_push(g->from, &todo, node->subgraphs[k].graph)) st = gei_out_of_memory(diag, sizeof g);
        }
    }
    gei_vec_free(g->from, &todo);
    if (st == GE_OK && to->failed) st = gei_out_of_memory(diag, to->size);
    return st;
}
