/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing.  The grammar is in graph_text.h.  Edges and subgraphs may be named before they appear, so they are noted and joined at
 * the end of their graph, respectively of the text. */
#include <string.h>

#include "ir/builtin.h"
#include "ir/graph_inner.h"
#include "ir/graph_text.h"
#include "ir/text_reader.h"

#define NO_SLOT UINT32_MAX /* a control edge */

typedef struct value_ref {
    const char *name; /* NULL: "_" */
    uint32_t out;
    size_t at;        /* where it stands */
} value_ref;

typedef struct edge {
    gei_node *to;
    uint32_t slot;
    value_ref from;
} edge;

typedef struct input {
    uint32_t port, nth;
    value_ref from;
} input;

typedef struct nesting {
    gei_node *node;
    const char *port, *graph;
    size_t at;
} nesting;

typedef struct parser {
    gei_text_reader r;
    const gei_allocator *from;
    gei_find_op find;
    void *find_user;
    gei_graph *root, *g;         /* g: the one being read */
    gei_strmap aliases;          /* of g: result name -> node index << 32 | output */
    GEI_VEC(edge) edges;         /* of g */
    GEI_VEC(nesting) nestings;   /* of all */
    GEI_VEC(input) inputs;       /* of the node being read */
    GEI_VEC(value_ref) results;  /* the same */
} parser;

/* ---- values ---- */

static ge_status read_out_index(parser *p, value_ref *v) {
    int64_t out;
    if (!gei_read_mark(&p->r, ":")) return GE_OK;
    GEI_TRY(gei_read_count(&p->r, GEI_MAX_SLOTS, &out));
    v->out = (uint32_t)out;
    return GE_OK;
}

/* "%name" with an output index only right behind it: a type list starts with ':' as well, but after a space. */
static ge_status read_value(parser *p, value_ref *out) {
    gei_text_reader *r = &p->r;
    *out = (value_ref){ .at = gei_read_offset(r) };
    if (gei_read_mark(r, "_")) return GE_OK;
    if (!gei_read_mark(r, "%")) return gei_reader_wanted(r, "a value (%name)");
    GEI_TRY(gei_read_name(r, &out->name));
    return r->at < r->size && r->text[r->at] == ':' ? read_out_index(p, out) : GE_OK;
}

static ge_status resolve(parser *p, const value_ref *v, gei_value *out) {
    uint64_t alias;
    gei_node *node = gei_graph_find_node(p->g, v->name, strlen(v->name));
    uint32_t index = v->out;
    if (!node && index == 0 && gei_strmap_find(&p->aliases, v->name, strlen(v->name), &alias)) {
        node = p->g->nodes.items[alias >> 32];
        index = (uint32_t)alias;
    }
    if (!node) return gei_reader_fail(&p->r, v->at, "graph '%s' has no value '%%%s'", p->g->name, v->name);
    *out = gei_value_of(node, index);
    return GE_OK;
}

/* ---- left side ---- */

static ge_status read_results(parser *p) {
    gei_text_reader *r = &p->r;
    p->results.count = 0;
    do {
        value_ref v;
        if (!gei_read_is(r, "%")) return gei_reader_wanted(r, "a result (%name)");
        if (p->results.count >= GEI_MAX_SLOTS) return gei_reader_fail(r, r->at, "more than %u results", GEI_MAX_SLOTS);
        GEI_TRY(read_value(p, &v));
        if (!gei_vec_push(p->from, &p->results, v)) return gei_out_of_memory(r->diag, 0);
    } while (gei_read_mark(r, ","));
    return gei_read_expect(r, "=");
}

static ge_status add_alias(parser *p, const gei_node *node, uint32_t out, const value_ref *v) {
    size_t size = strlen(v->name);
    if (gei_strmap_find(&p->g->names, v->name, size, NULL) || gei_strmap_find(&p->aliases, v->name, size, NULL))
        return gei_reader_fail(&p->r, v->at, "the value '%%%s' is defined twice", v->name);
    if (gei_strmap_put(&p->aliases, v->name, size, (uint64_t)node->index << 32 | out)) return GE_OK;
    return gei_out_of_memory(p->r.diag, 0);
}

/* The k-th result is written "%node:k" or has a name of its own. */
static ge_status name_results(parser *p, const gei_node *node) {
    for (uint32_t k = 0; k < p->results.count; k++) {
        const value_ref *v = &p->results.items[k];
        if (strcmp(v->name, node->name) == 0 && v->out == k) continue;
        if (v->out != 0) return gei_reader_fail(&p->r, v->at, "result %u is written '%%%s:%u'", k, v->name, v->out);
        GEI_TRY(add_alias(p, node, k, v));
    }
    return GE_OK;
}

/* ---- operator, counts ---- */

static ge_status read_op(parser *p, const gei_op_def **out) {
    size_t at = gei_read_offset(&p->r);
    const char *name;
    GEI_TRY(gei_read_key(&p->r, &name));
    *out = p->find ? p->find(p->find_user, name, strlen(name)) : NULL;
    if (!*out) *out = gei_builtin_find(name, strlen(name));
    if (*out) return GE_OK;
    ge_status st = gei_fail(p->r.diag, GE_ERR_UNSUPPORTED_OPERATOR, "no operator is called '%s'", name);
    return gei_reader_place(&p->r, at, st);
}

/* "<n, n>"; the results must be as many, so that a short text cannot ask for much memory. */
static ge_status read_counts(parser *p, const gei_op_def *def, uint32_t n_dynamic, uint32_t *counts, uint64_t *out_sum) {
    gei_text_reader *r = &p->r;
    *out_sum = 0;
    for (uint32_t k = 0; k < n_dynamic; k++) {
        int64_t n;
        if (k > 0) GEI_TRY(gei_read_expect(r, ","));
        GEI_TRY(gei_read_count(r, GEI_MAX_NTH, &n));
        counts[k] = (uint32_t)n;
        *out_sum += (uint64_t)n;
    }
    if (gei_read_mark(r, ">")) return GE_OK;
    return gei_reader_fail(r, gei_read_offset(r), "%s has %u dynamic outputs: wanted as many counts and '>'", def->name, n_dynamic);
}

/* Counts of the dynamic outputs: told, or what the results leave over. */
static ge_status settle_outputs(parser *p, const gei_op_def *def, uint32_t **out_counts) {
    gei_text_reader *r = &p->r;
    uint32_t n_dynamic = 0, n_results = (uint32_t)p->results.count;
    uint64_t sum = 0;
    size_t at = gei_read_offset(r);
    for (uint32_t i = 0; i < def->n_outputs; i++) n_dynamic += def->outputs[i].kind == GEI_PORT_DYNAMIC;
    uint32_t n_fixed = def->n_outputs - n_dynamic, *counts = gei_arena_array(r->arena, uint32_t, n_dynamic);
    if (!counts) return gei_out_of_memory(r->diag, 0);
    *out_counts = counts;
    if (gei_read_mark(r, "<")) GEI_TRY(read_counts(p, def, n_dynamic, counts, &sum));
    else if (n_dynamic > 1) return gei_reader_fail(r, at, "%s has %u dynamic outputs: wanted their counts as <n,...>", def->name, n_dynamic);
    else if (n_dynamic == 1 && n_results >= n_fixed) sum = counts[0] = n_results - n_fixed;
    if (sum + n_fixed == n_results || (n_results == 1 && sum == 0 && n_dynamic != 1)) return GE_OK;
    if (n_results == 1 && sum + n_fixed == 0) return GE_OK;
    return gei_reader_fail(r, at, "%s has %llu outputs here, but %u results are named", def->name, (unsigned long long)(sum + n_fixed),
                           n_results);
}

/* ---- inputs ---- */

static ge_status push_input(parser *p, uint32_t port, uint32_t nth, const value_ref *from) {
    input in = { port, nth, *from };
    return gei_vec_push(p->from, &p->inputs, in) ? GE_OK : gei_out_of_memory(p->r.diag, 0);
}

static ge_status read_input_list(parser *p, uint32_t port, uint32_t *out_count) {
    uint32_t n = 0;
    *out_count = 0;
    if (gei_read_mark(&p->r, "]")) return GE_OK;
    do {
        value_ref v;
        if (n >= GEI_MAX_SLOTS) return gei_reader_fail(&p->r, p->r.at, "more than %u inputs", GEI_MAX_SLOTS);
        GEI_TRY(read_value(p, &v));
        GEI_TRY(push_input(p, port, n++, &v));
    } while (gei_read_mark(&p->r, ","));
    *out_count = n;
    return gei_read_expect(&p->r, "]");
}

static ge_status find_port(parser *p, const gei_op_def *def, const uint8_t *given, uint32_t *out) {
    size_t at = gei_read_offset(&p->r);
    const char *name;
    GEI_TRY(gei_read_key(&p->r, &name));
    for (uint32_t i = 0; i < def->n_inputs; i++) {
        if (strcmp(def->inputs[i].name, name) != 0) continue;
        if (given[i]) return gei_reader_fail(&p->r, at, "%s: input '%s' is given twice", def->name, name);
        *out = i;
        return GE_OK;
    }
    return gei_reader_fail(&p->r, at, "%s has no input '%s'", def->name, name);
}

static ge_status read_port(parser *p, const gei_op_def *def, uint8_t *given, uint32_t *counts) {
    uint32_t port = 0;
    value_ref v;
    GEI_TRY(find_port(p, def, given, &port));
    given[port] = 1;
    GEI_TRY(gei_read_expect(&p->r, "="));
    if (def->inputs[port].kind == GEI_PORT_DYNAMIC && gei_read_mark(&p->r, "[")) return read_input_list(p, port, &counts[port]);
    GEI_TRY(read_value(p, &v));
    counts[port] = 1;
    return push_input(p, port, 0, &v);
}

/* Gives counts of the dynamic inputs as gei_graph_add_node wants them. */
static ge_status read_inputs(parser *p, const gei_op_def *def, uint32_t **out_counts) {
    gei_text_reader *r = &p->r;
    uint8_t *given = gei_arena_array(r->arena, uint8_t, def->n_inputs);
    uint32_t *counts = gei_arena_array(r->arena, uint32_t, def->n_inputs), n_dynamic = 0;
    p->inputs.count = 0;
    if (!given || !counts) return gei_out_of_memory(r->diag, 0);
    if (gei_read_mark(r, "(") && !gei_read_mark(r, ")")) {
        do GEI_TRY(read_port(p, def, given, counts));
        while (gei_read_mark(r, ","));
        GEI_TRY(gei_read_expect(r, ")"));
    }
    for (uint32_t i = 0; i < def->n_inputs; i++)
        if (def->inputs[i].kind == GEI_PORT_DYNAMIC) counts[n_dynamic++] = counts[i];
    *out_counts = counts;
    return GE_OK;
}

static ge_status note_edge(parser *p, gei_node *to, uint32_t slot, const value_ref *from) {
    edge e = { to, slot, *from };
    return gei_vec_push(p->from, &p->edges, e) ? GE_OK : gei_out_of_memory(p->r.diag, 0);
}

static ge_status note_inputs(parser *p, gei_node *node) {
    for (size_t i = 0; i < p->inputs.count; i++) {
        const input *in = &p->inputs.items[i];
        if (!in->from.name) continue;
        gei_slot *slot = gei_node_slot(node, in->port, in->nth);
        GEI_TRY(note_edge(p, node, (uint32_t)(slot - node->ins), &in->from));
    }
    return GE_OK;
}

/* ---- clauses ---- */

static gei_attr_kind wanted_kind(const gei_op_def *def, const char *key) {
    for (uint32_t i = 0; def && i < def->n_attrs; i++)
        if (strcmp(def->attrs[i].name, key) == 0) return def->attrs[i].kind;
    return GEI_ATTR_NONE;
}

/* node NULL: an attribute of the graph. */
static ge_status read_item(parser *p, gei_node *node) {
    gei_text_reader *r = &p->r;
    size_t at = gei_read_offset(r);
    gei_attrs *attrs = node ? &node->attrs : &p->g->attrs;
    const char *key;
    gei_attr value;
    GEI_TRY(gei_read_key(r, &key));
    GEI_TRY(gei_read_expect(r, "="));
    if (node && gei_read_mark(r, "@")) {
        nesting n = { .node = node, .port = key, .at = at };
        GEI_TRY(gei_read_name(r, &n.graph));
        return gei_vec_push(p->from, &p->nestings, n) ? GE_OK : gei_out_of_memory(r->diag, 0);
    }
    GEI_TRY(gei_read_attr(r, wanted_kind(node ? node->def : NULL, key), &value));
    if (gei_attrs_find(attrs, key)) return gei_reader_fail(r, at, "the attribute '%s' is given twice", key);
    if (attrs->count >= GEI_TEXT_MAX_ATTRS) return gei_reader_fail(r, at, "more than %d attributes", GEI_TEXT_MAX_ATTRS);
    ge_status st = node ? gei_node_set(node, key, &value, r->diag) : gei_attrs_set(attrs, &p->g->arena, key, &value, r->diag);
    gei_reader_drop_tensors(r);
    return gei_reader_place(r, at, st);
}

static ge_status read_attrs(parser *p, gei_node *node) {
    if (!gei_read_mark(&p->r, "[") || gei_read_mark(&p->r, "]")) return GE_OK;
    do GEI_TRY(read_item(p, node));
    while (gei_read_mark(&p->r, ","));
    return gei_read_expect(&p->r, "]");
}

static ge_status read_after(parser *p, gei_node *node) {
    gei_text_reader *r = &p->r;
    if (!gei_read_keyword(r, "after")) return GE_OK;
    GEI_TRY(gei_read_expect(r, "("));
    do {
        value_ref v;
        if (!gei_read_is(r, "%")) return gei_reader_wanted(r, "a node (%name)");
        GEI_TRY(read_value(p, &v));
        GEI_TRY(note_edge(p, node, NO_SLOT, &v));
    } while (gei_read_mark(r, ","));
    return gei_read_expect(r, ")");
}

static ge_status set_attrs(parser *p, gei_attrs *to, const gei_attrs *from, size_t at) {
    if (from->count > GEI_TEXT_MAX_ATTRS) return gei_reader_fail(&p->r, at, "more than %d attributes", GEI_TEXT_MAX_ATTRS);
    for (uint32_t i = 0; i < from->count; i++) {
        if (gei_attrs_find(to, from->items[i].name))
            return gei_reader_fail(&p->r, at, "the attribute '%s' is given twice", from->items[i].name);
        ge_status st = gei_attrs_set(to, &p->g->arena, from->items[i].name, &from->items[i].value, p->r.diag);
        GEI_TRY(gei_reader_place(&p->r, at, st));
    }
    gei_reader_drop_tensors(&p->r);
    return GE_OK;
}

static ge_status read_in_desc(parser *p, gei_node *node) {
    gei_text_reader *r = &p->r;
    size_t at = gei_read_offset(r);
    gei_text_desc d;
    gei_in_desc *desc;
    int64_t index;
    if (node->n_ins == 0) return gei_reader_fail(r, at, "the node has no inputs");
    GEI_TRY(gei_read_count(r, node->n_ins - 1, &index));
    GEI_TRY(gei_read_expect(r, ":"));
    GEI_TRY(gei_read_desc(r, &d));
    if (node->in_descs && node->in_descs[index]) return gei_reader_fail(r, at, "input %lld is described twice", (long long)index);
    if (d.name) return gei_reader_fail(r, at, "the description of an input has no name");
    GEI_TRY(gei_slot_desc(&node->ins[index], &desc, r->diag));
    desc->dtype = d.dtype;
    desc->format = d.format;
    desc->shape = d.shape;
    return set_attrs(p, &desc->attrs, &d.attrs, at);
}

static ge_status read_in_descs(parser *p, gei_node *node) {
    if (!gei_read_keyword(&p->r, "in")) return GE_OK;
    GEI_TRY(gei_read_expect(&p->r, "("));
    do GEI_TRY(read_in_desc(p, node));
    while (gei_read_mark(&p->r, ","));
    return gei_read_expect(&p->r, ")");
}

static ge_status read_clauses(parser *p, gei_node *node) {
    GEI_TRY(read_attrs(p, node));
    GEI_TRY(read_after(p, node));
    return read_in_descs(p, node);
}

static ge_status read_type(parser *p, gei_value v) {
    gei_text_reader *r = &p->r;
    size_t at = gei_read_offset(r);
    gei_text_desc d;
    gei_attrs *attrs;
    GEI_TRY(gei_read_desc(r, &d));
    gei_value_out(v)->dtype = d.dtype;
    gei_value_out(v)->format = d.format;
    GEI_TRY(gei_out_set_shape(v, &d.shape, r->diag));
    if (d.name) GEI_TRY(gei_out_set_name(v, d.name, r->diag));
    if (d.attrs.count == 0) return GE_OK;
    GEI_TRY(gei_out_attrs(v, &attrs, r->diag));
    return set_attrs(p, attrs, &d.attrs, at);
}

static ge_status read_types(parser *p, gei_node *node) {
    uint32_t n = 0;
    size_t at = gei_read_offset(&p->r);
    if (!gei_read_mark(&p->r, ":")) return GE_OK;
    do {
        if (n >= node->n_outs)
            return gei_reader_fail(&p->r, at, "%s '%s' has %u outputs, more types are given", node->def->name, node->name, node->n_outs);
        GEI_TRY(read_type(p, gei_value_of(node, n++)));
    } while (gei_read_mark(&p->r, ","));
    if (n == node->n_outs) return GE_OK;
    return gei_reader_fail(&p->r, at, "%s '%s' has %u outputs, %u types are given", node->def->name, node->name, node->n_outs, n);
}

static ge_status read_origin(parser *p, gei_node *node) {
    const char *text;
    if (!gei_read_keyword(&p->r, "from")) return GE_OK;
    if (!gei_read_is(&p->r, "\"")) return gei_reader_wanted(&p->r, "a string in quotes");
    GEI_TRY(gei_read_key(&p->r, &text));
    return gei_node_set_origin(node, text, p->r.diag);
}

/* ---- nodes ---- */

static ge_status read_node(parser *p) {
    gei_text_reader *r = &p->r;
    size_t at = gei_read_offset(r);
    uint32_t *n_ins = NULL, *n_outs = NULL;
    const gei_op_def *def;
    gei_node *node;
    GEI_TRY(read_results(p));
    GEI_TRY(read_op(p, &def));
    GEI_TRY(settle_outputs(p, def, &n_outs));
    GEI_TRY(read_inputs(p, def, &n_ins));
    const char *name = p->results.items[0].name;
    if (!name[0]) return gei_reader_fail(r, at, "the name of the node is empty");
    if (gei_strmap_find(&p->aliases, name, strlen(name), NULL)) return gei_reader_fail(r, at, "the value '%%%s' is defined twice", name);
    GEI_TRY(gei_reader_place(r, at, gei_graph_add_node(p->g, def, name, n_ins, n_outs, &node, r->diag)));
    GEI_TRY(name_results(p, node));
    GEI_TRY(note_inputs(p, node));
    GEI_TRY(read_clauses(p, node));
    GEI_TRY(read_types(p, node));
    return read_origin(p, node);
}

typedef struct returned {
    const char **names; /* arena of the graph; NULL: no output has one */
    uint32_t cap;
} returned;

/* Grows by doubling inside the arena of the graph, which keeps the last one. */
static ge_status note_output_name(parser *p, returned *ret, uint32_t index, const char *name) {
    if (index >= ret->cap) {
        uint32_t cap = index < 4 ? 8 : index * 2;
        const char **names = gei_arena_array(&p->g->arena, const char *, cap);
        if (!names) return gei_out_of_memory(p->r.diag, 0);
        if (ret->names) memcpy(names, ret->names, ret->cap * sizeof *names);
        *ret = (returned){ names, cap };
    }
    ret->names[index] = gei_arena_text(&p->g->arena, name, strlen(name));
    return ret->names[index] ? GE_OK : gei_out_of_memory(p->r.diag, 0);
}

static ge_status read_outputs(parser *p, returned *ret) {
    gei_text_reader *r = &p->r;
    p->inputs.count = 0;
    if (gei_read_mark(r, "(")) return gei_read_expect(r, ")");
    do {
        value_ref v;
        uint32_t index = (uint32_t)p->inputs.count;
        if (index >= GEI_MAX_SLOTS) return gei_reader_fail(r, r->at, "more than %u outputs", GEI_MAX_SLOTS);
        GEI_TRY(read_value(p, &v));
        GEI_TRY(push_input(p, 0, index, &v));
        if (!gei_read_keyword(r, "as")) continue;
        const char *name;
        if (!gei_read_is(r, "\"")) return gei_reader_wanted(r, "a string in quotes");
        GEI_TRY(gei_read_key(r, &name));
        GEI_TRY(note_output_name(p, ret, index, name));
    } while (gei_read_mark(r, ","));
    return GE_OK;
}

/* Names must cover every output: gei_graph_output_name asks by slot. */
static ge_status settle_output_names(parser *p, const returned *ret, uint32_t count) {
    if (!ret->names) return GE_OK;
    const char **names = ret->names;
    if (ret->cap < count) {
        names = gei_arena_array(&p->g->arena, const char *, count);
        if (!names) return gei_out_of_memory(p->r.diag, 0);
        memcpy(names, ret->names, ret->cap * sizeof *names);
    }
    p->g->output_names = names;
    return GE_OK;
}

static ge_status read_named(parser *p, gei_node *node) {
    size_t at = gei_read_offset(&p->r);
    const char *name = GEI_NET_OUTPUT_NAME;
    if (gei_read_keyword(&p->r, "named")) {
        GEI_TRY(gei_read_expect(&p->r, "%"));
        GEI_TRY(gei_read_name(&p->r, &name));
    }
    return gei_reader_place(&p->r, at, gei_graph_rename_node(node, name, p->r.diag));
}

/* Behind the keyword.  The node's name comes late, so it starts with a made-up one, which is not to show in later ones. */
static ge_status read_return(parser *p, size_t at) {
    returned ret = { NULL, 0 };
    gei_node *node;
    GEI_TRY(read_outputs(p, &ret));
    uint32_t n = (uint32_t)p->inputs.count;
    uint64_t next_name = p->g->next_name;
    GEI_TRY(gei_reader_place(&p->r, at, gei_graph_add_node(p->g, &gei_def_net_output, NULL, &n, NULL, &node, p->r.diag)));
    GEI_TRY(settle_output_names(p, &ret, n));
    GEI_TRY(note_inputs(p, node));
    GEI_TRY(read_clauses(p, node));
    GEI_TRY(read_named(p, node));
    p->g->next_name = next_name;
    return read_origin(p, node);
}

/* ---- joining ---- */

/* A node's control inputs stand together, so a stamp on the other end finds one given twice. */
static ge_status join_control(parser *p, const edge *e, gei_node *before) {
    uint32_t stamp = e->to->index + 1;
    if (before == e->to) return gei_reader_fail(&p->r, e->from.at, "the node '%s' is to run after itself", before->name);
    if (before->mark == stamp) return gei_reader_fail(&p->r, e->from.at, "the control edge from '%s' is given twice", before->name);
    before->mark = stamp;
    return gei_control_link(before, e->to, p->r.diag);
}

static ge_status join_edges(parser *p) {
    for (size_t i = 0; i < p->edges.count; i++) {
        const edge *e = &p->edges.items[i];
        gei_value from;
        GEI_TRY(resolve(p, &e->from, &from));
        if (e->slot == NO_SLOT) {
            GEI_TRY(join_control(p, e, from.node));
            continue;
        }
        if (from.out >= from.node->n_outs)
            return gei_reader_fail(&p->r, e->from.at, "%s '%s' has %u outputs, wanted output %u", from.node->def->name, from.node->name,
                                   from.node->n_outs, from.out);
        gei_slot_set(&e->to->ins[e->slot], from);
    }
    for (size_t i = 0; i < p->g->nodes.count; i++) p->g->nodes.items[i]->mark = 0;
    p->edges.count = 0;
    gei_strmap_deinit(&p->aliases);
    return GE_OK;
}

static ge_status join_nestings(parser *p) {
    gei_text_reader *r = &p->r;
    for (size_t i = 0; i < p->nestings.count; i++) {
        const nesting *n = &p->nestings.items[i];
        gei_graph *graph = gei_graph_find_subgraph(p->root, n->graph, strlen(n->graph));
        if (!graph) return gei_reader_fail(r, n->at, "the text has no subgraph '%s'", n->graph);
        GEI_TRY(gei_reader_place(r, n->at, gei_subgraph_link(n->node, n->port, graph, r->diag)));
    }
    return gei_reader_place(r, r->size, gei_nesting_check(p->root, r->diag));
}

/* ---- graphs ---- */

static ge_status start_graph(parser *p) {
    gei_text_reader *r = &p->r;
    size_t at = gei_read_offset(r);
    const char *name;
    if (!gei_read_keyword(r, "graph")) return gei_reader_wanted(r, "'graph'");
    if (!gei_read_is(r, "\"")) return gei_reader_wanted(r, "the name of the graph in quotes");
    GEI_TRY(gei_read_key(r, &name));
    if (p->root) {
        if (!name[0]) return gei_reader_fail(r, at, "the name of the subgraph is empty");
        return gei_reader_place(r, at, gei_graph_create_subgraph(p->root, name, &p->g, r->diag));
    }
    GEI_TRY(gei_graph_create(p->from, name, &p->root, r->diag));
    p->g = p->root;
    return GE_OK;
}

static ge_status read_metadata(parser *p) {
    size_t at = gei_read_offset(&p->r);
    gei_attr named;
    if (!gei_read_keyword(&p->r, "metadata")) return GE_OK;
    GEI_TRY(gei_read_expect(&p->r, "{"));
    GEI_TRY(gei_read_named(&p->r, "}", &named));
    gei_attrs pairs = { .items = (gei_named_attr *)named.v.named, .count = named.count };
    return set_attrs(p, &p->g->metadata, &pairs, at);
}

static ge_status read_graph(parser *p) {
    gei_text_reader *r = &p->r;
    GEI_TRY(start_graph(p));
    r->graph = p->g;
    GEI_TRY(read_attrs(p, NULL));
    GEI_TRY(read_metadata(p));
    GEI_TRY(gei_read_expect(r, "{"));
    while (!gei_read_mark(r, "}")) {
        size_t at = gei_read_offset(r);
        if (gei_read_keyword(r, "return")) GEI_TRY(read_return(p, at));
        else if (gei_read_is(r, "%")) GEI_TRY(read_node(p));
        else return gei_reader_wanted(r, "a node (%name = ...), 'return' or '}'");
    }
    return join_edges(p);
}

static ge_status read_all(parser *p) {
    do GEI_TRY(read_graph(p));
    while (gei_read_offset(&p->r) < p->r.size);
    return join_nestings(p);
}

ge_status gei_graph_parse(const gei_allocator *from, const char *text, size_t size, gei_find_op find, void *find_user, gei_graph **out,
                          gei_diag *diag) {
    gei_arena arena;
    parser p = { .r = { .text = text, .size = size, .arena = &arena, .diag = diag }, .from = from, .find = find, .find_user = find_user };
    *out = NULL;
    gei_arena_init(&arena, from);
    gei_strmap_init(&p.aliases, from);
    ge_status st = read_all(&p);
    if (st == GE_OK) *out = p.root;
    gei_reader_drop_tensors(&p.r);
    gei_vec_free(from, &p.r.tensors);
    gei_vec_free(from, &p.edges);
    gei_vec_free(from, &p.nestings);
    gei_vec_free(from, &p.inputs);
    gei_vec_free(from, &p.results);
    gei_strmap_deinit(&p.aliases);
    gei_arena_deinit(&arena);
    if (st != GE_OK) gei_graph_destroy(p.root);
    return st;
}
