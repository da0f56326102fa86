/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/selection/slice.h"

#include "kernels/strided.h"

typedef struct range { /* all numbers */
    int64_t first, step, count;
} range;

/* As numpy has it: negative bounds count from the end, once; then they are clamped. */
static range resolve(const gei_slice_entry *e, int64_t size) {
    int64_t step = e->step.number, low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    int64_t begin = e->begin.number, end = e->end.number;
    if (begin < 0) begin += size;
    if (end < 0) end += size;
    begin = e->open_begin ? (step > 0 ? low : high) : begin < low ? low : begin > high ? high : begin;
    end = e->open_end ? (step > 0 ? high : low) : end < low ? low : end > high ? high : end;
    uint64_t distance = step > 0 ? (uint64_t)(end - begin) : (uint64_t)(begin - end);
    uint64_t by = step > 0 ? (uint64_t)step : UINT64_C(0) - (uint64_t)step;
    bool is_empty = step > 0 ? end <= begin : end >= begin;
    return (range){ begin, step, is_empty ? 0 : (int64_t)((distance + by - 1) / by) };
}

static bool is_number(gei_elem e, int64_t number) { return e.known && e.number == number; }

/* "To the end" as files write it. */
static bool is_far(gei_elem e) { return e.known && (e.number == INT64_MAX || e.number == INT32_MAX); }
static bool is_far_below(gei_elem e) { return e.known && (e.number <= -(int64_t)INT32_MAX); }

/* The whole of an axis whose size is not a number. */
static bool takes_all(const gei_slice_entry *e, gei_dim size) {
    bool to_size = gei_dim_is_symbol(size) && e->end.symbol >= 0 && (uint32_t)e->end.symbol == gei_dim_symbol_index(size);
    if (is_number(e->step, 1)) return (e->open_begin || is_number(e->begin, 0)) && (e->open_end || is_far(e->end) || to_size);
    return is_number(e->step, -1) && (e->open_begin || is_number(e->begin, -1) || is_far(e->begin)) &&
        (e->open_end || is_far_below(e->end));
}

static gei_dim size_of(const gei_slice_entry *e, gei_dim size) {
    bool known = e->step.known && (e->open_begin || e->begin.known) && (e->open_end || e->end.known);
    if (gei_dim_known(size) && known) return resolve(e, size).count;
    return takes_all(e, size) ? size : GEI_DIM_UNKNOWN;
}

static ge_status check_entry(const gei_infer *i, const gei_slice_entry *e, gei_dim size) {
    if (e->kind == GEI_SLICE_RANGE && is_number(e->step, 0))
        return gei_infer_fail(i, GE_ERR_SHAPE, "strides", "the stride of axis %d is 0", (int)e->axis);
    if (e->kind != GEI_SLICE_SHRINK || !e->begin.known || !gei_dim_known(size)) return GE_OK;
    if (e->begin.number >= -size && e->begin.number < size) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "begin", "%lld is out of range for axis %d of size %lld", (long long)e->begin.number,
                          (int)e->axis, (long long)size);
}

ge_status gei_infer_slice(gei_infer *i, gei_slice_read_fn read) {
    const gei_shape *x = &i->in[0]->shape;
    gei_slice s = { 0 };
    bool known = false;
    i->out[0].dtype = i->in[0]->dtype;
    if (x->rank < 0) return GE_OK;
    GEI_TRY(read(i, &s, &known));
    if (!known) return GE_OK;
    gei_shape y = gei_shape_scalar();
    for (size_t k = 0; k < s.count; k++) {
        const gei_slice_entry *e = &s.entries[k];
        gei_dim size = e->kind == GEI_SLICE_NEW ? 1 : x->dims[e->axis];
        GEI_TRY(check_entry(i, e, size));
        if (e->kind == GEI_SLICE_SHRINK) continue;
        if (y.rank == GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_RANK, NULL, "the result would have more than %d dims", GEI_MAX_RANK);
        y.dims[y.rank++] = e->kind == GEI_SLICE_NEW ? 1 : size_of(e, size);
    }
    i->out[0].shape = y;
    return GE_OK;
}

/* ---- reference kernel ---- */

static void fill_copy(const gei_slice *s, const gei_shape *x, gei_strided *copy) {
    int64_t strides[GEI_MAX_RANK], stride = 1;
    for (int32_t d = x->rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= x->dims[d];
    }
    for (size_t k = 0; k < s->count; k++) {
        const gei_slice_entry *e = &s->entries[k];
        if (e->kind == GEI_SLICE_NEW) continue;
        int64_t size = x->dims[e->axis];
        if (e->kind == GEI_SLICE_SHRINK) {
            copy->base += (e->begin.number < 0 ? e->begin.number + size : e->begin.number) * strides[e->axis];
            continue;
        }
        range r = resolve(e, size);
        if (r.count > 0) copy->base += r.first * strides[e->axis];
        gei_strided_add(copy, r.count, r.count > 1 ? r.step * strides[e->axis] : 0); /* a stride that is not walked may be huge */
    }
}

ge_status gei_size_slice(gei_sizing *s, gei_slice_read_fn read, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .n_out = s->n_out, .arena = s->arena, .diag = diag };
    gei_slice slice = { 0 };
    bool known = false;
    gei_strided *copy = gei_arena_new(s->arena, gei_strided);
    if (!copy) return gei_out_of_memory(diag, sizeof *copy);
    GEI_TRY(read(&i, &slice, &known));
    for (size_t k = 0; k < slice.count; k++) {
        const gei_slice_entry *e = &slice.entries[k];
        bool ok = e->kind == GEI_SLICE_NEW || (e->open_begin || e->begin.known);
        if (e->kind == GEI_SLICE_RANGE) ok = ok && e->step.known && (e->open_end || e->end.known);
        known = known && ok;
    }
    if (!known) return gei_infer_fail(&i, GE_ERR_PLAN, NULL, "its bounds are not known when the kernel is sized");
    copy->n_elems = 1;
    copy->elem_bytes = gei_moved_bytes(s->in[0]->dtype);
    fill_copy(&slice, &s->in[0]->shape, copy);
    gei_strided_merge(copy);
    s->sized = copy;
    s->n_parts = gei_parts(copy->n_elems, 16384);
    s->cost = (double)copy->n_elems;
    return GE_OK;
}

static ge_status run_strided(const gei_run *run, uint32_t part) {
    const gei_strided *copy = (const gei_strided *)run->sized;
    int64_t begin, end;
    gei_part_range(copy->n_elems, run->n_parts, part, &begin, &end);
    gei_strided_copy(copy, run->in[0]->data, run->out[0]->data, begin, end);
    return GE_OK;
}

ge_status gei_run_slice(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1, run_strided); }
