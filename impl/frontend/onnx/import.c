/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of the import: a stack of tasks instead of recursion, so that neither nesting nor nodes in the wrong order use the
 * caller's stack.
 *
 *   scope task   starts each node in turn; at the end resolves the outputs and hands the graph to its owner
 *   node task    1. each input: where its producer has not run yet, that node first - in whatever graph it is
 *                2. attributes; each nested graph becomes a scope task above, or the function called does
 *                3. the mapping
 *
 * A task that waits stays below what it waits for.  A node that is open and needed again is a cycle. */
#include <string.h>

#include "frontend/onnx/reader.h"

#define GRAPH_BYTES 10240 /* what an empty nested graph takes in IR, generously */

/* ---- works and tasks ---- */

static ge_status create_work(gei_onnx_reader *r, gei_onnx_work **out) {
    *out = (gei_onnx_work *)gei_alloc_zero(r->from, sizeof **out, _Alignof(gei_onnx_work));
    if (!*out) return gei_onnx_out_of_memory(r);
    gei_arena_init(&(*out)->arena, r->from);
    return GE_OK;
}

static void destroy_work(gei_onnx_reader *r, gei_onnx_work *work) {
    if (!work) return;
    gei_attrs_release(&work->attrs);
    gei_vec_free(r->from, &work->graphs);
    gei_arena_deinit(&work->arena);
    gei_free(r->from, work, sizeof *work, _Alignof(gei_onnx_work));
}

static gei_onnx_task *top(gei_onnx_reader *r) { return &r->tasks.items[r->tasks.count - 1]; }

static ge_status push_node(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t node) {
    gei_onnx_task task = { .scope = s, .node = node };
    if (!gei_vec_push(r->from, &r->tasks, task)) return gei_onnx_out_of_memory(r);
    s->node_states[node] = GEI_ONNX_NODE_OPEN;
    return GE_OK;
}

/* Takes the scope, also when it fails. */
static ge_status push_scope(gei_onnx_reader *r, gei_onnx_scope *s) {
    gei_onnx_task task = { .scope = s, .node = GEI_ONNX_NONE };
    if (gei_vec_push(r->from, &r->tasks, task)) return GE_OK;
    gei_onnx_scope_destroy(r, s);
    return gei_onnx_out_of_memory(r);
}

static void pop(gei_onnx_reader *r) {
    gei_onnx_task task = *top(r);
    r->tasks.count--;
    destroy_work(r, task.work);
    if (task.node == GEI_ONNX_NONE) gei_onnx_scope_destroy(r, task.scope);
}

/* ---- graphs ---- */

static ge_status create_graph(gei_onnx_reader *r, gei_onnx_scope *s) {
    const char *name = NULL;
    gei_span own = s->own.name;
    GEI_TRY(gei_onnx_charge(r, GRAPH_BYTES));
    /* Branches are often all called "graph" or nothing at all. */
    if (own.size > 0 && !gei_graph_find_subgraph(r->graph, own.data, own.size)) {
        name = gei_arena_text(&s->arena, own.data, own.size);
        if (!name) return gei_onnx_out_of_memory(r);
    }
    return gei_graph_create_subgraph(r->graph, name, &s->graph, &r->diag);
}

static ge_status fill_nested(gei_onnx_reader *r, gei_onnx_scope *s, gei_span message) {
    GEI_TRY(gei_onnx_index(r, message, false, &s->own));
    GEI_TRY(gei_onnx_scope_init(r, s, &s->own));
    GEI_TRY(create_graph(r, s));
    return gei_onnx_add_ports(r, s);
}

static ge_status open_nested(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_attr *graph) {
    gei_onnx_scope *nested;
    GEI_TRY(gei_onnx_scope_create(r, &nested));
    nested->outer = graph->home;
    nested->depth = s->depth + 1;
    nested->attr_name = graph->name;
    nested->prefix = "";
    ge_status status = fill_nested(r, nested, graph->bytes);
    if (status == GE_OK) return push_scope(r, nested);
    gei_onnx_scope_destroy(r, nested);
    return gei_onnx_stop(r, status);
}

/* The finished graph, for the node below it on the stack. */
static ge_status deliver_nested(gei_onnx_reader *r, gei_onnx_scope *s, gei_onnx_work *owner) {
    gei_arena *arena = &owner->arena;
    gei_import_subgraph *out = &owner->subgraphs[owner->next_graph++];
    gei_value *captured = gei_arena_array(arena, gei_value, s->captures.count);
    const char *attr = gei_arena_text(arena, s->attr_name.data, s->attr_name.size);
    if (!captured || !attr) return gei_onnx_out_of_memory(r);
    for (size_t i = 0; i < s->captures.count; i++) captured[i] = s->captures.items[i].outer;
    *out = (gei_import_subgraph){ .attr = attr,
                                  .graph = s->graph,
                                  .n_inputs = s->n_inputs,
                                  .captured = captured,
                                  .n_captured = (uint32_t)s->captures.count };
    return GE_OK;
}

/* ---- scope tasks ---- */

static ge_status finish_scope(gei_onnx_reader *r) {
    gei_onnx_scope *s = top(r)->scope;
    gei_onnx_task *owner = r->tasks.count > 1 ? &r->tasks.items[r->tasks.count - 2] : NULL;
    bool is_whole = true;
    if (s->function) {
        GEI_TRY(gei_onnx_close_call(r, s, owner->scope, owner->node));
    } else {
        GEI_TRY(gei_onnx_set_outputs(r, s, &is_whole));
        if (!owner) GEI_TRY(gei_onnx_check_shapes(r, s, is_whole));
        if (owner) GEI_TRY(deliver_nested(r, s, owner->work));
        if (owner && !is_whole) owner->work->is_broken = true;
    }
    pop(r);
    return GE_OK;
}

static ge_status step_scope(gei_onnx_reader *r) {
    gei_onnx_task *task = top(r);
    gei_onnx_scope *s = task->scope;
    while (s->next_node < s->src->n_nodes && s->node_states[s->next_node] != GEI_ONNX_NODE_NEW) s->next_node++;
    if (s->next_node < s->src->n_nodes) return push_node(r, s, s->next_node);
    for (; task->next < s->src->n_outputs; task->next++) {
        gei_onnx_answer answer;
        if (s->src->outputs[task->next] == GEI_ONNX_NONE) continue;
        GEI_TRY(gei_onnx_resolve(r, s, s->src->outputs[task->next], NULL, &answer));
        if (answer.state == GEI_ONNX_NEW) return push_node(r, answer.scope, answer.node);
    }
    return finish_scope(r);
}

/* ---- node tasks ---- */

/* True in *out_waits: another node was put on top. */
static ge_status resolve_inputs(gei_onnx_reader *r, bool *out_waits) {
    gei_onnx_task *task = top(r);
    gei_onnx_scope *s = task->scope;
    const gei_onnx_node *node = &s->src->nodes[task->node];
    *out_waits = false;
    for (; task->next < node->n_ins; task->next++) {
        gei_onnx_answer answer;
        if (node->ins[task->next] == GEI_ONNX_NONE) continue;
        GEI_TRY(gei_onnx_resolve(r, s, node->ins[task->next], node, &answer));
        if (answer.state != GEI_ONNX_NEW) continue;
        *out_waits = true;
        return push_node(r, answer.scope, answer.node);
    }
    return GE_OK;
}

static bool has_broken_input(const gei_onnx_scope *s, const gei_onnx_node *node) {
    for (uint32_t i = 0; i < node->n_ins; i++)
        if (node->ins[i] != GEI_ONNX_NONE && s->states[node->ins[i]] == GEI_ONNX_BROKEN) return true;
    return false;
}

static ge_status start_work(gei_onnx_reader *r) {
    gei_onnx_task *task = top(r);
    gei_onnx_scope *s = task->scope;
    const gei_onnx_node *node = &s->src->nodes[task->node];
    GEI_TRY(create_work(r, &task->work));
    gei_onnx_work *work = task->work;
    work->is_broken = has_broken_input(s, node);
    work->function = gei_onnx_find_function(r, node);
    if (r->stops) return r->diag.status;
    if (work->function) return GE_OK;
    GEI_TRY(gei_onnx_read_attrs(r, s, node, work));
    if (work->graphs.count == 0) return GE_OK;
    if (s->depth >= r->limits.depth) {
        work->is_broken = true;
        work->next_graph = (uint32_t)work->graphs.count;
        (void)gei_fail(&r->diag, GE_ERR_LIMIT, "calls and graphs are nested deeper than %u", r->limits.depth);
        return gei_onnx_note(r, GE_ERR_LIMIT, s, node, NULL);
    }
    work->subgraphs = gei_arena_array(&work->arena, gei_import_subgraph, work->graphs.count);
    return work->subgraphs ? GE_OK : gei_onnx_out_of_memory(r);
}

static ge_status call_function(gei_onnx_reader *r) {
    gei_onnx_task *task = top(r);
    gei_onnx_scope *s = task->scope, *call = NULL;
    task->work->is_called = true;
    ge_status status = gei_onnx_open_call(r, s, task->node, task->work, &call);
    if (status != GE_OK) return gei_onnx_note(r, status, s, &s->src->nodes[task->node], NULL);
    return push_scope(r, call);
}

static void finish_node(gei_onnx_reader *r) {
    gei_onnx_scope *s = top(r)->scope;
    uint32_t index = top(r)->node;
    const gei_onnx_node *node = &s->src->nodes[index];
    for (uint32_t i = 0; i < node->n_outs; i++) {
        uint32_t value = node->outs[i];
        bool is_own = value != GEI_ONNX_NONE && s->src->values.items[value].producer == index;
        if (is_own && s->states[value] == GEI_ONNX_NEW) gei_onnx_bind(s, value, GEI_ONNX_BROKEN, (gei_value){ NULL, 0 });
    }
    s->node_states[index] = GEI_ONNX_NODE_DONE;
    pop(r);
}

static ge_status step_node(gei_onnx_reader *r) {
    bool waits;
    GEI_TRY(resolve_inputs(r, &waits));
    if (waits) return GE_OK;
    if (!top(r)->work) GEI_TRY(start_work(r));
    gei_onnx_task *task = top(r);
    gei_onnx_work *work = task->work;
    if (work->function && !work->is_called) return call_function(r);
    if (work->next_graph < work->graphs.count) return open_nested(r, task->scope, &work->graphs.items[work->next_graph]);
    if (!work->function) GEI_TRY(gei_onnx_map_node(r, task->scope, task->node, work));
    finish_node(r);
    return GE_OK;
}

/* ---- all of it ---- */

static ge_status open_root(gei_onnx_reader *r) {
    gei_onnx_scope *s;
    GEI_TRY(gei_onnx_scope_create(r, &s));
    s->graph = r->graph;
    ge_status status = gei_onnx_index(r, r->main_graph, false, &s->own);
    if (status == GE_OK) status = gei_onnx_scope_init(r, s, &s->own);
    if (status == GE_OK) status = gei_onnx_add_ports(r, s);
    if (status == GE_OK) return push_scope(r, s);
    gei_onnx_scope_destroy(r, s);
    return status;
}

ge_status gei_onnx_import(gei_onnx_reader *r) {
    ge_status status = open_root(r);
    while (status == GE_OK && r->tasks.count > 0) status = top(r)->node == GEI_ONNX_NONE ? step_scope(r) : step_node(r);
    while (r->tasks.count > 0) pop(r);
    gei_vec_free(r->from, &r->tasks);
    return status;
}
