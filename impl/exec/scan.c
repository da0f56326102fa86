/* SPDX-License-Identifier: Apache-2.0 */
/* scan: a loop over slices.
 *
 *   slots: carried values, scanned inputs, then what the body needs from outside;
 *   body(carried, slices, outside) -> carried, items to collect.
 *   Attributes: carried, num_scan_inputs, and lists (empty: zeros) scan_input_axes, scan_input_directions, scan_output_axes,
 *   scan_output_directions; direction 1 goes from the last slice to the first. */
#include <string.h>

#include "exec/control.h"

static ge_status fail(const gei_control_step *c, gei_diag *diag, ge_status status, const char *what, uint32_t index) {
    return gei_fail(diag, status, "%s '%s': %s %u", c->pn->node->def->name, c->pn->node->name, what, index);
}

ge_status gei_scan_init(gei_control_step *c, gei_diag *diag) {
    const gei_node *node = c->pn->node;
    int64_t n_slices = gei_node_int(node, "num_scan_inputs", 0), n = gei_node_int(node, "carried", (int64_t)node->n_ins - n_slices);
    bool fits = n_slices > 0 && n >= 0 && n <= (int64_t)node->n_ins && n_slices <= (int64_t)node->n_ins - n && n <= (int64_t)node->n_outs;
    if (!fits) return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': %lld carried values and %lld scanned ones of %u inputs", node->def->name,
                               node->name, (long long)n, (long long)n_slices, node->n_ins);
    c->cond = UINT32_MAX;
    c->body = gei_control_find(c, "body");
    GEI_TRY(gei_control_check(c, c->body, node->n_ins, node->n_outs, diag));
    c->n_carried = (uint32_t)n;
    c->n_slices = (uint32_t)n_slices;
    c->n_collected = node->n_outs - c->n_carried;
    c->carried = gei_arena_array(&c->frame->arena, gei_carried, c->n_carried);
    c->collected = gei_arena_array(&c->frame->arena, gei_collected, c->n_collected);
    c->slices = gei_arena_array(&c->frame->arena, gei_view, c->n_slices);
    c->slice_buffers = gei_arena_array(&c->frame->arena, gei_carried, c->n_slices);
    for (uint32_t k = 0; c->carried && k < c->n_carried; k++) c->carried[k].body_in = k;
    return c->carried && c->collected && c->slices && c->slice_buffers ? GE_OK : gei_out_of_memory(diag, n_slices * sizeof(gei_carried));
}

static int64_t listed(const gei_node *node, const char *name, uint32_t index) {
    gei_int_list list = gei_node_ints(node, name);
    return index < list.count ? list.data[index] : 0;
}

/* Number of slices, the same for each scanned input. */
static ge_status count_slices(gei_control_step *c, const gei_run *run, int64_t *out) {
    *out = -1;
    for (uint32_t k = 0; k < c->n_slices; k++) {
        const gei_view *v = run->in[c->n_carried + k];
        int32_t axis;
        if (!v) return fail(c, run->diag, GE_ERR_NOT_BOUND, "no value to scan for input", c->n_carried + k);
        if (!gei_axis(listed(run->node, "scan_input_axes", k), v->rank, &axis))
            return fail(c, run->diag, GE_ERR_BAD_ATTR, "the axis is out of range for scanned input", k);
        if (*out >= 0 && *out != v->dims[axis]) return fail(c, run->diag, GE_ERR_SHAPE, "another number of slices in scanned input", k);
        *out = v->dims[axis];
    }
    return GE_OK;
}

/* Slice `index` of n: a part of the input where it is contiguous, else a copy. */
static ge_status take_slice(gei_control_step *c, const gei_run *run, uint32_t k, int64_t index, int64_t n) {
    const gei_view *whole = run->in[c->n_carried + k];
    gei_view *slice = &c->slices[k];
    int32_t axis = 0;
    (void)gei_axis(listed(run->node, "scan_input_axes", k), whole->rank, &axis);
    *slice = *whole;
    slice->rank--;
    for (int32_t d = axis; d < slice->rank; d++) slice->dims[d] = whole->dims[d + 1];
    slice->n_elems = whole->n_elems / n;
    size_t bytes = gei_view_bytes(whole) / (size_t)n;
    if (gei_dtype_get(whole->dtype)->bits % 8 != 0 || whole->dtype == GEI_STRING)
        return fail(c, run->diag, GE_ERR_UNSUPPORTED_DTYPE, "no slices can be taken of scanned input", k);
    if (listed(run->node, "scan_input_directions", k) == 1) index = n - 1 - index;
    int64_t outer = 1;
    for (int32_t d = 0; d < axis; d++) outer *= whole->dims[d];
    if (outer <= 1) {
        slice->data = whole->data ? (char *)whole->data + (size_t)index * bytes : NULL;
        return GE_OK;
    }
    gei_carried *b = &c->slice_buffers[k];
    GEI_TRY(gei_buffer_reserve(c, &b->buffers[0], &b->caps[0], 0, bytes, run->diag));
    gei_slice_copy(b->buffers[0], whole->data, outer, n, index, bytes / (size_t)outer, false);
    slice->data = b->buffers[0];
    return GE_OK;
}

static ge_status set_args(gei_control_step *c, const gei_run *run, int64_t index, int64_t n) {
    for (uint32_t k = 0; k < c->n_slices; k++) GEI_TRY(take_slice(c, run, k, index, n));
    for (uint32_t k = 0; k < run->n_in; k++) c->args[k] = run->in[k];
    for (uint32_t k = 0; k < c->n_carried; k++) c->args[k] = &c->carried[k].view;
    for (uint32_t k = 0; k < c->n_slices; k++) c->args[c->n_carried + k] = &c->slices[k];
    return GE_OK;
}

ge_status gei_scan_run(gei_control_step *c, const gei_run *run) {
    int64_t n;
    GEI_TRY(count_slices(c, run, &n));
    for (uint32_t k = 0; k < c->n_carried; k++) gei_carried_start(&c->carried[k], run->in[k]);
    gei_collected_start(c);
    for (int64_t i = 0; i < n; i++) {
        GEI_TRY(set_args(c, run, i, n));
        GEI_TRY(gei_loop_iterate(c, run->diag));
    }
    for (uint32_t k = 0; k < c->n_carried; k++) GEI_TRY(gei_carried_finish(c, run, &c->carried[k], k));
    for (uint32_t k = 0; k < c->n_collected; k++) {
        int32_t axis;
        if (!gei_axis(listed(run->node, "scan_output_axes", k), c->collected[k].item.rank + 1, &axis))
            return fail(c, run->diag, GE_ERR_BAD_ATTR, "the axis is out of range for collected output", k);
        bool is_reversed = listed(run->node, "scan_output_directions", k) == 1;
        GEI_TRY(gei_collected_finish(c, run, &c->collected[k], c->n_carried + k, axis, is_reversed));
    }
    return GE_OK;
}
