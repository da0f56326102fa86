/* SPDX-License-Identifier: Apache-2.0 */
/* A use of a graph: which values it has so far, and values from outside. */
#include <string.h>

#include "frontend/onnx/reader.h"

#define CAPTURE_BYTES 768 /* what a Data or Const node for a value from outside takes, generously */

/* ---- life ---- */

ge_status gei_onnx_scope_create(gei_onnx_reader *r, gei_onnx_scope **out) {
    *out = NULL;
    if (r->n_open >= r->limits.open_graphs)
        return gei_onnx_stop(r, gei_fail(&r->diag, GE_ERR_LIMIT, "more than %u graphs wait for each other", r->limits.open_graphs));
    gei_onnx_scope *s = (gei_onnx_scope *)gei_alloc_zero(r->from, sizeof *s, _Alignof(gei_onnx_scope));
    if (!s) return gei_onnx_out_of_memory(r);
    gei_arena_init(&s->arena, r->from);
    gei_strmap_init(&s->captured, r->from);
    s->prefix = "";
    r->n_open++;
    *out = s;
    return GE_OK;
}

void gei_onnx_scope_destroy(gei_onnx_reader *r, gei_onnx_scope *s) {
    if (!s) return;
    if (s->function) s->function->is_open = false;
    gei_onnx_graph_free(&s->own);
    gei_vec_free(r->from, &s->captures);
    gei_strmap_deinit(&s->captured);
    gei_arena_deinit(&s->arena);
    gei_free(r->from, s, sizeof *s, _Alignof(gei_onnx_scope));
    r->n_open--;
}

ge_status gei_onnx_scope_init(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_graph *src) {
    s->src = src;
    s->values = gei_arena_array(&s->arena, gei_value, src->values.count);
    s->states = gei_arena_array(&s->arena, uint8_t, src->values.count);
    s->node_states = gei_arena_array(&s->arena, uint8_t, src->n_nodes);
    return s->values && s->states && s->node_states ? GE_OK : gei_onnx_out_of_memory(r);
}

/* ---- values from outside ---- */

/* The scope just below `above` on the way down to s. */
static gei_onnx_scope *step_down(gei_onnx_scope *s, const gei_onnx_scope *above) {
    while (s->outer != above) s = s->outer;
    return s;
}

/* One more input of the node that owns the graph: a Data node behind all others. */
static ge_status capture(gei_onnx_reader *r, gei_onnx_scope *s, gei_span name, gei_value outer, gei_value *out) {
    uint64_t index;
    if (gei_strmap_find(&s->captured, name.data, name.size, &index)) {
        *out = s->captures.items[index].inner;
        return GE_OK;
    }
    const gei_out *from = gei_value_out(outer);
    gei_shape shape = gei_out_shape(from);
    const char *node_name;
    gei_node *data;
    GEI_TRY(gei_onnx_charge(r, CAPTURE_BYTES));
    GEI_TRY(gei_onnx_unique_name(r, s->graph, "", name, &s->arena, &node_name));
    GEI_TRY(gei_graph_add_data(s->graph, node_name, (int64_t)s->n_inputs + (int64_t)s->captures.count, from->dtype, &shape, &data, &r->diag));
    *out = gei_value_of(data, 0);
    GEI_TRY(gei_out_set_name(*out, node_name, &r->diag));
    gei_onnx_capture kept = { outer, *out };
    if (!gei_strmap_put(&s->captured, name.data, name.size, s->captures.count) || !gei_vec_push(r->from, &s->captures, kept))
        return gei_onnx_out_of_memory(r);
    return GE_OK;
}

/* Constants are not handed down but shared, so that mappings and shape rules inside see what they hold. */
static ge_status share_const(gei_onnx_reader *r, gei_onnx_scope *s, gei_span name, gei_tensor *tensor, gei_value *out) {
    const char *node_name;
    gei_node *node;
    GEI_TRY(gei_onnx_charge(r, CAPTURE_BYTES));
    GEI_TRY(gei_onnx_unique_name(r, s->graph, "", name, &s->arena, &node_name));
    GEI_TRY(gei_graph_add_const(s->graph, node_name, tensor, &node, &r->diag));
    *out = gei_value_of(node, 0);
    return gei_out_set_name(*out, node_name, &r->diag);
}

static ge_status hand_down(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, gei_onnx_scope *from, gei_value v) {
    gei_span name = s->src->values.items[value].name;
    gei_tensor *tensor = gei_node_const(v.node);
    if (tensor) {
        GEI_TRY(share_const(r, s, name, tensor, &v));
    } else {
        for (gei_onnx_scope *at = from; at != s;) {
            at = step_down(s, at);
            GEI_TRY(capture(r, at, name, v, &v));
        }
    }
    gei_onnx_bind(s, value, GEI_ONNX_READY, v);
    return GE_OK;
}

/* ---- resolving ---- */

static const char *user_label(const gei_onnx_scope *s, const gei_onnx_node *user, char *to, size_t cap) {
    if (user) return gei_onnx_label(s, user, to, cap);
    gei_copy_text(to, cap, "output of the graph", strlen("output of the graph"));
    return to;
}

static ge_status note_missing(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, const gei_onnx_node *user) {
    gei_span name = s->src->values.items[value].name;
    char label[96];
    gei_onnx_bind(s, value, GEI_ONNX_BROKEN, (gei_value){ NULL, 0 });
    if (user)
        (void)gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "node '%s' reads '%.*s', which no node, initializer or input gives",
                       gei_onnx_label(s, user, label, sizeof label), GEI_ONNX_FMT(name));
    else
        (void)gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "output '%.*s' of '%.*s' is given by no node, initializer or input", GEI_ONNX_FMT(name),
                       GEI_ONNX_FMT(s->src->name));
    return gei_onnx_note(r, GE_ERR_BAD_GRAPH, s, user, name.data);
}

static ge_status note_cycle(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, const gei_onnx_scope *user_scope, const gei_onnx_node *user) {
    const gei_onnx_value *v = &s->src->values.items[value];
    const gei_onnx_node *producer = &s->src->nodes[v->producer];
    char label[96], user_text[96];
    gei_onnx_bind(s, value, GEI_ONNX_BROKEN, (gei_value){ NULL, 0 });
    (void)gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "a cycle: node '%s' writes '%.*s' and depends on it, through '%s'",
                   gei_onnx_label(s, producer, label, sizeof label), GEI_ONNX_FMT(v->name), user_label(user_scope, user, user_text, sizeof user_text));
    return gei_onnx_note(r, GE_ERR_BAD_GRAPH, s, producer, NULL);
}

static bool is_local(const gei_onnx_scope *s, uint64_t value) {
    const gei_onnx_value *v = &s->src->values.items[value];
    return v->producer != GEI_ONNX_NONE || v->initializer != GEI_ONNX_NONE || v->input != GEI_ONNX_NONE;
}

/* Value of `s` itself: known, or its producer's turn. */
static ge_status resolve_local(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, const gei_onnx_scope *user_scope,
                               const gei_onnx_node *user, gei_onnx_answer *out) {
    uint32_t producer = s->src->values.items[value].producer;
    bool is_new = s->states[value] == GEI_ONNX_NEW;
    bool can_start = producer != GEI_ONNX_NONE && s->node_states[producer] == GEI_ONNX_NODE_NEW;
    if (is_new && !can_start) GEI_TRY(note_cycle(r, s, value, user_scope, user));
    *out = (gei_onnx_answer){ (gei_onnx_state)s->states[value], s, producer };
    return GE_OK;
}

ge_status gei_onnx_resolve(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, const gei_onnx_node *user, gei_onnx_answer *out) {
    gei_span name = s->src->values.items[value].name;
    gei_onnx_scope *from = s->outer;
    uint64_t found = 0;
    if (s->states[value] != GEI_ONNX_NEW || is_local(s, value)) return resolve_local(r, s, value, s, user, out);
    for (; from; from = from->outer)
        if (gei_strmap_find(&from->src->names, name.data, name.size, &found) && is_local(from, found)) break;
    if (!from) {
        *out = (gei_onnx_answer){ .state = GEI_ONNX_BROKEN };
        return note_missing(r, s, value, user);
    }
    GEI_TRY(resolve_local(r, from, (uint32_t)found, s, user, out));
    if (out->state == GEI_ONNX_READY) return hand_down(r, s, value, from, from->values[found]);
    if (out->state != GEI_ONNX_NEW) gei_onnx_bind(s, value, out->state, (gei_value){ NULL, 0 });
    return GE_OK;
}
