/* SPDX-License-Identifier: Apache-2.0 */
/* map: a body for each item of sequences.
 *
 *   slots: what is mapped (attribute `mapped`: how many; sequences of one length, or tensors that each run sees whole), then what the
 *   body needs from outside;  body(items, outside) -> an item of each output.
 *   Of output k: carried[k] holds the item of one run, slice_buffers[k] the table of items so far, collected[k] their data as it
 *   will lie in the bundle. */
#include <string.h>

#include "exec/control.h"

static bool is_sequence(const gei_view *v) {
    gei_value_form form = gei_dtype_form(v->dtype);
    return form == GEI_FORM_SEQUENCE || form == GEI_FORM_INT_MAPS || form == GEI_FORM_TEXT_MAPS;
}

ge_status gei_map_init(gei_control_step *c, gei_diag *diag) {
    const gei_node *node = c->pn->node;
    int64_t n = gei_node_int(node, "mapped", node->n_ins);
    if (n < 1 || n > (int64_t)node->n_ins)
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': %lld mapped values of %u inputs", node->def->name, node->name, (long long)n, node->n_ins);
    c->cond = UINT32_MAX;
    c->body = gei_control_find(c, "body");
    GEI_TRY(gei_control_check(c, c->body, node->n_ins, node->n_outs, diag));
    c->n_slices = (uint32_t)n;
    c->n_carried = c->n_collected = node->n_outs;
    c->carried = gei_arena_array(&c->frame->arena, gei_carried, node->n_outs);
    c->collected = gei_arena_array(&c->frame->arena, gei_collected, node->n_outs);
    c->slices = gei_arena_array(&c->frame->arena, gei_view, c->n_slices);
    c->slice_buffers = gei_arena_array(&c->frame->arena, gei_carried, node->n_outs);
    for (uint32_t k = 0; c->carried && k < c->n_carried; k++) c->carried[k].body_in = UINT32_MAX; /* none of the inputs comes back */
    return c->carried && c->collected && c->slices && c->slice_buffers ? GE_OK : gei_out_of_memory(diag, node->n_outs * sizeof(gei_carried));
}

static ge_status count_items(const gei_control_step *c, const gei_run *run, size_t *out) {
    bool is_first = true;
    *out = 0;
    for (uint32_t k = 0; k < c->n_slices; k++) {
        const gei_view *v = run->in[k];
        if (!v) return gei_fail(run->diag, GE_ERR_NOT_BOUND, "%s '%s': input %u has no value", run->node->def->name, run->node->name, k);
        if (!is_sequence(v)) continue;
        size_t n = gei_bundle_count(v->data);
        if (!is_first && n != *out)
            return gei_fail(run->diag, GE_ERR_SHAPE, "%s '%s': sequence %u has %zu items, one before it %zu", run->node->def->name,
                            run->node->name, k, n, *out);
        *out = n;
        is_first = false;
    }
    if (is_first) return gei_fail(run->diag, GE_ERR_DTYPE, "%s '%s': none of its inputs is a sequence", run->node->def->name, run->node->name);
    return GE_OK;
}

static gei_view item_of(const gei_view *sequence, size_t index) {
    const gei_bundle_item *item = gei_bundle_at(sequence->data, index);
    gei_view v = { .data = gei_bundle_data(sequence->data, index), .n_elems = item->n_elems, .dtype = item->dtype, .rank = item->rank };
    memcpy(v.dims, item->dims, sizeof v.dims);
    return v;
}

/* Adds what the body gave to the items of output k. */
static ge_status keep_item(gei_control_step *c, uint32_t k, gei_diag *diag) {
    const gei_view *v = &c->carried[k].view;
    gei_carried *table = &c->slice_buffers[k];
    gei_collected *data = &c->collected[k];
    size_t bytes = gei_view_bytes(v), used = (size_t)data->n_items * sizeof(gei_bundle_item), wanted;
    if (!gei_add(data->size_bytes, gei_round_up(bytes, GEI_ALIGN_BYTES), &wanted)) return gei_out_of_memory(diag, SIZE_MAX);
    GEI_TRY(gei_buffer_reserve(c, &table->buffers[0], &table->caps[0], used, used + sizeof(gei_bundle_item), diag));
    GEI_TRY(gei_buffer_reserve(c, &data->data, &data->cap, data->size_bytes, wanted, diag));
    gei_bundle_item *item = (gei_bundle_item *)(table->buffers[0] + used);
    *item = (gei_bundle_item){ .dtype = v->dtype, .rank = v->rank, .n_elems = v->n_elems, .size_bytes = bytes };
    if (v->rank > 0) memcpy(item->dims, v->dims, (size_t)v->rank * sizeof *v->dims);
    if (bytes > 0) memcpy(data->data + data->size_bytes, v->data, bytes);
    memset(data->data + data->size_bytes + bytes, 0, wanted - data->size_bytes - bytes);
    data->size_bytes = wanted;
    data->n_items++;
    return GE_OK;
}

static ge_status run_item(gei_control_step *c, const gei_run *run, size_t index) {
    for (uint32_t k = 0; k < run->n_in; k++) c->args[k] = run->in[k];
    for (uint32_t k = 0; k < c->n_slices; k++) {
        if (!is_sequence(run->in[k])) continue;
        c->slices[k] = item_of(run->in[k], index);
        c->args[k] = &c->slices[k];
    }
    if (c->frame->context->is_watched) GEI_TRY(gei_run_stopped(c->frame->context));
    GEI_TRY(gei_control_enter(c, c->body, run->diag));
    gei_frame *f = c->bodies[c->body];
    for (uint32_t k = 0; k < c->n_carried; k++) GEI_TRY(gei_carried_bind(c, &c->carried[k], f, k, run->diag));
    GEI_TRY(gei_frame_run(f, c->frame->context, run->diag));
    for (uint32_t k = 0; k < c->n_carried; k++) {
        GEI_TRY(gei_carried_take(c, &c->carried[k], f, k, run->diag));
        GEI_TRY(keep_item(c, k, run->diag));
    }
    return GE_OK;
}

static ge_status finish(gei_control_step *c, const gei_run *run, uint32_t k) {
    const gei_collected *data = &c->collected[k];
    const gei_bundle_item *items = (const gei_bundle_item *)c->slice_buffers[k].buffers[0];
    size_t bytes;
    gei_view whole = { .dtype = gei_dtype_sequence(data->n_items ? items[0].dtype : GEI_UNDEFINED), .n_elems = 1 };
    if (!gei_bundle_measure(items, (size_t)data->n_items, &bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    GEI_TRY(gei_control_set_output(c, run, k, &whole, bytes));
    gei_bundle_start(run->out[k]->data, items, (size_t)data->n_items);
    if (data->n_items > 0) memcpy(gei_bundle_data(run->out[k]->data, 0), data->data, data->size_bytes);
    return GE_OK;
}

ge_status gei_map_run(gei_control_step *c, const gei_run *run) {
    size_t n;
    GEI_TRY(count_items(c, run, &n));
    for (uint32_t k = 0; k < c->n_collected; k++) c->collected[k].n_items = 0;
    for (uint32_t k = 0; k < c->n_collected; k++) c->collected[k].size_bytes = 0;
    for (uint32_t k = 0; k < c->n_carried; k++) c->carried[k].side = -1;
    for (size_t i = 0; i < n; i++) GEI_TRY(run_item(c, run, i));
    for (uint32_t k = 0; k < c->n_collected; k++) GEI_TRY(finish(c, run, k));
    return GE_OK;
}
