/* SPDX-License-Identifier: Apache-2.0 */
/* One node: fills the neutral view of ops/import.h and lets the operator's row do the rest. */
#include <string.h>

#include "frontend/onnx/reader.h"

/* What a node takes in IR without its attributes, generously. */
#define NODE_BYTES 640
#define INPUT_BYTES 64
#define OUTPUT_BYTES 160

static ge_status charge_node(gei_onnx_reader *r, const gei_onnx_node *node) {
    uint64_t bytes = NODE_BYTES + (uint64_t)node->n_ins * INPUT_BYTES + (uint64_t)node->n_outs * OUTPUT_BYTES;
    return gei_onnx_charge(r, bytes);
}

/* ---- the view ---- */

/* Named are only outputs that somebody may read; "" tells a mapping that an output need not exist. */
static ge_status name_outputs(gei_onnx_reader *r, const gei_onnx_scope *s, const gei_onnx_node *node, gei_arena *arena, const char **names) {
    for (uint32_t k = 0; k < node->n_outs; k++) {
        uint32_t value = node->outs[k];
        names[k] = "";
        if (value == GEI_ONNX_NONE || !(s->src->values.items[value].is_used || s->src->has_nested)) continue;
        GEI_TRY(gei_onnx_value_name(r, s, value, arena, &names[k]));
    }
    return GE_OK;
}

static ge_status fill_view(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_node *node, gei_onnx_work *work, gei_import *im) {
    gei_arena *arena = &work->arena;
    gei_value *ins = gei_arena_array(arena, gei_value, node->n_ins);
    const char **names = gei_arena_array(arena, const char *, node->n_outs);
    im->outputs = gei_arena_array(arena, gei_value, node->n_outs);
    if (!ins || !names || !im->outputs) return gei_onnx_out_of_memory(r);
    for (uint32_t k = 0; k < node->n_ins; k++)
        if (node->ins[k] != GEI_ONNX_NONE && s->states[node->ins[k]] == GEI_ONNX_READY) ins[k] = s->values[node->ins[k]];
    GEI_TRY(name_outputs(r, s, node, arena, names));
    GEI_TRY(gei_onnx_node_name(r, s, (uint32_t)(node - s->src->nodes), arena, &im->name));
    im->graph = s->graph;
    im->inputs = ins;
    im->n_inputs = node->n_ins;
    im->attrs = &work->attrs;
    im->subgraphs = work->subgraphs;
    im->n_subgraphs = (uint32_t)work->graphs.count;
    im->output_names = names;
    im->n_outputs = node->n_outs;
    return GE_OK;
}

/* Inputs that left-out optional ones follow are not given at all: an absent tail is the same as a shorter list. */
static void drop_absent_tail(gei_import *im) {
    while (im->n_inputs > 0 && !im->inputs[im->n_inputs - 1].node) im->n_inputs--;
}

/* ---- running the mapping ---- */

/* A mapping that passes an input through has it named like the output; graph inputs and constants keep their own names. */
static const char **keep_names(gei_arena *arena, const gei_import *im) {
    const char **names = gei_arena_array(arena, const char *, im->n_inputs);
    for (uint32_t k = 0; names && k < im->n_inputs; k++)
        if (im->inputs[k].node) names[k] = gei_value_out(im->inputs[k])->name;
    return names;
}

static void restore_names(const gei_import *im, const char *const *names) {
    for (uint32_t k = 0; k < im->n_inputs; k++)
        if (im->inputs[k].node && names[k]) gei_value_out(im->inputs[k])->name = names[k];
}

/* Every graph hangs on a node, or it would be lost without a word. */
static ge_status check_attached(gei_onnx_reader *r, const gei_import *im) {
    for (uint32_t i = 0; i < im->n_subgraphs; i++)
        if (!im->subgraphs[i].graph->parent)
            return gei_fail(&r->diag, GE_ERR_UNSUPPORTED_ATTR, "attribute '%s' is a graph, which the operator does not use", im->subgraphs[i].attr);
    return GE_OK;
}

static ge_status run(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t index, gei_onnx_work *work, gei_import *im, const gei_source *source) {
    const gei_onnx_node *node = &s->src->nodes[index];
    const char **names = keep_names(&work->arena, im);
    if (!names) return gei_onnx_out_of_memory(r);
    size_t n_before = s->graph->nodes.count;
    ge_status status = gei_import_run(im, source, &r->diag);
    GEI_TRY(gei_onnx_remember(r, s, node, n_before, status != GE_OK));
    if (status != GE_OK) return status;
    restore_names(im, names);
    GEI_TRY(check_attached(r, im));
    for (uint32_t k = 0; k < node->n_outs; k++) {
        uint32_t value = node->outs[k];
        if (value == GEI_ONNX_NONE || s->src->values.items[value].producer != index) continue;
        gei_onnx_bind(s, value, im->outputs[k].node ? GEI_ONNX_READY : GEI_ONNX_ABSENT, im->outputs[k]);
        GEI_TRY(gei_onnx_hint(r, s, value));
    }
    return GE_OK;
}

/* ---- the node ---- */

static const char *keep_text(gei_arena *arena, gei_span text) { return gei_arena_text(arena, text.size ? text.data : "", text.size); }

static const gei_source *look_up(const gei_onnx_reader *r, gei_import *im) {
    const gei_onnx_options *o = r->options;
    const gei_source *source = o->find ? o->find(o->find_user, im->domain, im->type, im->opset, &im->op) : NULL;
    return source ? source : gei_source_find(GEI_FROM_ONNX, im->domain, im->type, im->opset, &im->op);
}

static ge_status find_source(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_node *node, gei_onnx_work *work, gei_import *im,
                             const gei_source **out) {
    *out = NULL;
    im->framework = GEI_FROM_ONNX;
    im->type = keep_text(&work->arena, node->type);
    im->domain = keep_text(&work->arena, node->domain);
    im->opset = gei_onnx_opset_of(r, s, node->domain);
    if (!im->type || !im->domain) return gei_onnx_out_of_memory(r);
    if (im->opset == 0) {
        (void)gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "the model imports no operator set of domain '%s'", im->domain[0] ? im->domain : "ai.onnx");
        return gei_onnx_note(r, GE_ERR_BAD_GRAPH, s, node, NULL);
    }
    *out = node->overload.size ? NULL : look_up(r, im);
    return *out ? GE_OK : gei_onnx_note_unsupported(r, s, node);
}

ge_status gei_onnx_map_node(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t index, gei_onnx_work *work) {
    const gei_onnx_node *node = &s->src->nodes[index];
    gei_import im = { .op = NULL };
    const gei_source *source;
    if (node->type.size == 0) return GE_OK; /* noted while indexing */
    GEI_TRY(charge_node(r, node));
    GEI_TRY(find_source(r, s, node, work, &im, &source));
    if (!source || work->is_broken) return GE_OK;
    GEI_TRY(fill_view(r, s, node, work, &im));
    drop_absent_tail(&im);
    return gei_onnx_note(r, run(r, s, index, work, &im, source), s, node, NULL);
}
