/* SPDX-License-Identifier: Apache-2.0 */
/* carried: values that go from one iteration to the next, and what iterations collect. */
#include <string.h>

#include "exec/control.h"

/* ---- buffers: from the frame's tables, kept from run to run ---- */

ge_status gei_buffer_reserve(gei_control_step *c, char **buffer, size_t *cap, size_t used_bytes, size_t wanted_bytes, gei_diag *diag) {
    const gei_allocator *from = &c->frame->tables.as_allocator;
    if (wanted_bytes <= *cap) return GE_OK;
    size_t grown = *cap + *cap / 2;
    if (grown < wanted_bytes) grown = wanted_bytes;
    char *data = gei_alloc(from, grown, GEI_ALIGN_BYTES);
    if (!data) return gei_out_of_memory(diag, grown);
    if (used_bytes > 0) memcpy(data, *buffer, used_bytes);
    gei_free(from, *buffer, *cap, GEI_ALIGN_BYTES);
    *buffer = data;
    *cap = grown;
    return GE_OK;
}

/* ---- carried ---- */

void gei_carried_start(gei_carried *to, const gei_view *view) {
    to->view = *view;
    to->side = -1;
}

/* The body gives back the input that this value is: it may stay where it is.  What comes from another value is copied, since that
 * one's buffer is written in the iteration after the next. */
static bool is_passed_on(const gei_carried *v, const gei_frame *body, uint32_t out) {
    const gei_instance *inst = body->instance;
    if (inst->out_kinds[out] != GEI_OUT_COPY) return false;
    const gei_place *place = &inst->places[inst->plan->outputs[out].value];
    return place->home == GEI_HOME_INPUT && place->index == v->body_in && place->offset == 0;
}

ge_status gei_carried_bind(gei_control_step *c, gei_carried *to, gei_frame *body, uint32_t out, gei_diag *diag) {
    to->is_passed_on = is_passed_on(to, body, out);
    if (to->is_passed_on) {
        gei_frame_set_output(body, out, to->view.data);
        return GE_OK;
    }
    if (body->instance->out_kinds[out] == GEI_OUT_LATE) return GE_OK;
    int32_t side = to->side == 0;
    GEI_TRY(gei_buffer_reserve(c, &to->buffers[side], &to->caps[side], 0, body->instance->output_bytes[out], diag));
    gei_frame_set_output(body, out, to->buffers[side]);
    return GE_OK;
}

ge_status gei_carried_take(gei_control_step *c, gei_carried *to, gei_frame *body, uint32_t out, gei_diag *diag) {
    const gei_view *from = gei_frame_output(body, out);
    void *data = to->view.data;
    if (!to->is_passed_on) {
        to->side = to->side == 0;
        if (body->instance->out_kinds[out] == GEI_OUT_LATE) {
            size_t bytes = gei_view_bytes(from);
            GEI_TRY(gei_buffer_reserve(c, &to->buffers[to->side], &to->caps[to->side], 0, bytes, diag));
            if (bytes > 0) memcpy(to->buffers[to->side], from->data, bytes);
        }
        data = to->buffers[to->side];
    }
    to->view = *from;
    to->view.data = data;
    return GE_OK;
}

ge_status gei_carried_finish(gei_control_step *c, const gei_run *run, const gei_carried *from, uint32_t k) {
    size_t bytes = gei_view_bytes(&from->view);
    GEI_TRY(gei_control_set_output(c, run, k, &from->view, bytes));
    if (bytes > 0) memcpy(run->out[k]->data, from->view.data, bytes);
    return GE_OK;
}

/* ---- collected ---- */

/* Shape of what an output collects when there was no iteration: as far as the body's plan knows it. */
static void describe_nothing(gei_control_step *c, uint32_t k) {
    const gei_plan_io *io = &c->models[c->body]->plan->outputs[c->n_carried + k];
    gei_view *item = &c->collected[k].item;
    *item = (gei_view){ .dtype = io->dtype, .rank = io->shape.rank < 0 ? 0 : io->shape.rank };
    for (int32_t d = 0; d < item->rank; d++) item->dims[d] = gei_dim_known(io->shape.dims[d]) ? io->shape.dims[d] : 0;
}

void gei_collected_start(gei_control_step *c) {
    for (uint32_t k = 0; k < c->n_collected; k++) {
        c->collected[k].n_items = 0;
        c->collected[k].size_bytes = 0;
        describe_nothing(c, k);
    }
}

static ge_status check_item(gei_control_step *c, gei_collected *to, const gei_view *item, gei_diag *diag) {
    if (to->n_items == 0) to->item = *item;
    if (to->item.dtype == item->dtype && gei_view_is_shape(&to->item, item->rank, item->dims)) return GE_OK;
    return gei_fail(diag, GE_ERR_SHAPE, "%s '%s': iteration %lld collects another shape than those before", c->pn->node->def->name,
                    c->pn->node->name, (long long)to->n_items);
}

static ge_status add_room(gei_control_step *c, gei_collected *to, const gei_view *item, size_t bytes, gei_diag *diag) {
    size_t wanted;
    GEI_TRY(check_item(c, to, item, diag));
    if (!gei_add(to->size_bytes, bytes, &wanted)) return gei_out_of_memory(diag, SIZE_MAX);
    return gei_buffer_reserve(c, &to->data, &to->cap, to->size_bytes, wanted, diag);
}

ge_status gei_collected_bind(gei_control_step *c, gei_collected *to, gei_frame *body, uint32_t out, gei_diag *diag) {
    if (body->instance->out_kinds[out] == GEI_OUT_LATE) return GE_OK;
    GEI_TRY(add_room(c, to, gei_frame_output(body, out), body->instance->output_bytes[out], diag));
    gei_frame_set_output(body, out, to->data ? to->data + to->size_bytes : NULL);
    return GE_OK;
}

ge_status gei_collected_take(gei_control_step *c, gei_collected *to, gei_frame *body, uint32_t out, gei_diag *diag) {
    const gei_view *from = gei_frame_output(body, out);
    size_t bytes = gei_view_bytes(from);
    if (gei_dtype_get(from->dtype)->bits == 0)
        return gei_fail(diag, GE_ERR_UNSUPPORTED, "%s '%s': a loop cannot collect values of type %s", c->pn->node->def->name,
                        c->pn->node->name, gei_dtype_name(from->dtype));
    if (body->instance->out_kinds[out] == GEI_OUT_LATE) {
        GEI_TRY(add_room(c, to, from, bytes, diag));
        if (bytes > 0) memcpy(to->data + to->size_bytes, from->data, bytes);
    }
    to->size_bytes += bytes;
    to->n_items++;
    return GE_OK;
}

void gei_slice_copy(char *slice, char *whole, int64_t outer, int64_t n, int64_t index, size_t inner_bytes, bool into_whole) {
    for (int64_t o = 0; o < outer; o++) {
        char *in_slice = slice + (size_t)o * inner_bytes, *in_whole = whole + ((size_t)o * (size_t)n + (size_t)index) * inner_bytes;
        if (into_whole) memcpy(in_whole, in_slice, inner_bytes);
        else memcpy(in_slice, in_whole, inner_bytes);
    }
}

/* Dims of the whole: those of an item with the number of items put in at `axis`. */
static bool whole_view(const gei_collected *from, int32_t axis, gei_view *whole) {
    *whole = from->item;
    if (whole->rank < 0 || whole->rank >= GEI_MAX_RANK || axis > whole->rank) return false;
    whole->rank++;
    for (int32_t d = whole->rank - 1; d > axis; d--) whole->dims[d] = whole->dims[d - 1];
    whole->dims[axis] = from->n_items;
    gei_shape shape = gei_shape_of(whole->rank, whole->dims);
    return gei_shape_elems(&shape, &whole->n_elems);
}

ge_status gei_collected_finish(gei_control_step *c, const gei_run *run, gei_collected *from, uint32_t k, int32_t axis, bool is_reversed) {
    gei_view whole;
    if (!whole_view(from, axis, &whole))
        return gei_fail(run->diag, GE_ERR_RANK, "%s '%s': output %u has no place for another dim", run->node->def->name, run->node->name, k);
    GEI_TRY(gei_control_set_output(c, run, k, &whole, from->size_bytes));
    if (from->size_bytes == 0) return GE_OK;
    size_t item_bytes = from->size_bytes / (size_t)from->n_items;
    int64_t outer = 1;
    for (int32_t d = 0; d < axis; d++) outer *= from->item.dims[d];
    for (int64_t i = 0; i < from->n_items; i++)
        gei_slice_copy(from->data + (size_t)i * item_bytes, run->out[k]->data, outer, from->n_items, is_reversed ? from->n_items - 1 - i : i,
                       item_bytes / (size_t)outer, true);
    return GE_OK;
}
