/* SPDX-License-Identifier: Apache-2.0 */
/* StridedSlice, StridedSliceV2, StridedSliceV3 and Slice; ONNX Slice. */
#include <string.h>

#include "ops/import.h"
#include "ops/selection/slice.h"

enum { SLOT_X, SLOT_BEGIN, SLOT_END };

/* ---- bounds from inputs ---- */

typedef struct list { /* one integer input */
    bool known;       /* its count */
    size_t count;
    const gei_info *info;
} list;

static ge_status read_list(const gei_infer *i, int32_t slot, list *out) {
    *out = (list){ false, 0, slot < 0 ? NULL : gei_infer_in(i, (uint32_t)slot) };
    if (!out->info) return GE_OK;
    GEI_TRY(gei_infer_rank(i, (uint32_t)slot, 0, 1));
    out->known = gei_info_elem_count(out->info, &out->count);
    if (out->known && out->count > GEI_SLICE_ENTRIES)
        return gei_infer_fail(i, GE_ERR_RANK, gei_infer_port(i, (uint32_t)slot), "%zu entries, at most %d", out->count, GEI_SLICE_ENTRIES);
    return GE_OK;
}

static gei_elem item(const list *l, size_t k, gei_elem absent) { return l->info ? gei_info_elem(l->info, k) : absent; }

typedef struct bounds {
    list begin, end, axes, step;
} bounds;

/* Counts that contradict each other are an error. */
static ge_status read_bounds(const gei_infer *i, bounds *b) {
    GEI_TRY(read_list(i, SLOT_BEGIN, &b->begin));
    GEI_TRY(read_list(i, SLOT_END, &b->end));
    GEI_TRY(read_list(i, gei_infer_slot(i, "axes"), &b->axes));
    GEI_TRY(read_list(i, gei_infer_slot(i, "strides"), &b->step));
    const list *all[] = { &b->end, &b->axes, &b->step };
    for (size_t k = 0; k < GEI_COUNT(all); k++)
        if (b->begin.known && all[k]->known && all[k]->count != b->begin.count)
            return gei_infer_fail(i, GE_ERR_SHAPE, "begin", "%zu entries, but another bound has %zu", b->begin.count, all[k]->count);
    return GE_OK;
}

static gei_slice_entry whole_axis(int32_t axis) {
    return (gei_slice_entry){ .kind = GEI_SLICE_RANGE, .axis = axis, .open_begin = true, .open_end = true, .begin = { .symbol = -1 },
                              .end = { .symbol = -1 }, .step = gei_elem_number(1) };
}

/* ---- entries in the order of x's axes, with masks ---- */

typedef struct masks {
    int64_t begin, end, ellipsis, new_axis, shrink;
} masks;

static masks read_masks(const gei_node *node) {
    return (masks){ gei_node_int(node, "begin_mask", 0), gei_node_int(node, "end_mask", 0), gei_node_int(node, "ellipsis_mask", 0),
                    gei_node_int(node, "new_axis_mask", 0), gei_node_int(node, "shrink_axis_mask", 0) };
}

static bool bit(int64_t mask, size_t k) { return k < 63 && (mask >> k & 1); }

static void fill_entry(const bounds *b, const masks *m, size_t k, gei_slice_entry *e) {
    e->begin = item(&b->begin, k, (gei_elem){ .symbol = -1 });
    e->end = item(&b->end, k, (gei_elem){ .symbol = -1 });
    e->step = item(&b->step, k, gei_elem_number(1));
    e->open_begin = bit(m->begin, k);
    e->open_end = bit(m->end, k);
    if (!bit(m->shrink, k)) return;
    e->kind = GEI_SLICE_SHRINK;
    if (e->open_begin) e->begin = gei_elem_number(0);
    e->open_begin = false;
}

/* Axes of x that the entries behind an ellipsis use up. */
static size_t axes_behind(const masks *m, size_t k, size_t count) {
    size_t n = 0;
    for (size_t j = k + 1; j < count; j++) n += !bit(m->new_axis, j);
    return n;
}

static ge_status add_entries(const gei_infer *i, const bounds *b, const masks *m, gei_slice *out) {
    int32_t axis = 0, rank = i->in[SLOT_X]->shape.rank;
    bool has_ellipsis = false;
    for (size_t k = 0; k < b->begin.count; k++) {
        if (bit(m->ellipsis, k)) {
            if (has_ellipsis) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "ellipsis_mask", "more than one ellipsis");
            has_ellipsis = true;
            while (axis < rank && (size_t)(rank - axis) > axes_behind(m, k, b->begin.count)) {
                out->entries[out->count++] = whole_axis(axis++);
            }
        } else if (bit(m->new_axis, k)) {
            out->entries[out->count++] = (gei_slice_entry){ .kind = GEI_SLICE_NEW };
        } else {
            if (axis == rank) return gei_infer_fail(i, GE_ERR_SHAPE, "begin", "%zu entries for rank %d", b->begin.count, (int)rank);
            gei_slice_entry e = whole_axis(axis++);
            fill_entry(b, m, k, &e);
            out->entries[out->count++] = e;
        }
        if (out->count + (size_t)rank >= GEI_SLICE_ENTRIES) return gei_infer_fail(i, GE_ERR_RANK, "begin", "too many entries");
    }
    while (axis < rank) out->entries[out->count++] = whole_axis(axis++);
    return GE_OK;
}

/* ---- entries for the axes an input names ---- */

static ge_status add_named(const gei_infer *i, const bounds *b, const masks *m, gei_slice *out, bool *out_known) {
    int32_t rank = i->in[SLOT_X]->shape.rank;
    int64_t axes[GEI_SLICE_ENTRIES];
    size_t count;
    uint32_t mask;
    if (m->ellipsis || m->new_axis)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_ATTR, "axes", "ellipsis_mask and new_axis_mask do not go with it");
    *out_known = false;
    int32_t slot = gei_infer_slot(i, "axes");
    if (!gei_infer_ints(i, (uint32_t)slot, axes, GEI_SLICE_ENTRIES, &count)) return GE_OK;
    GEI_TRY(gei_infer_axes(i, "axes", axes, count, rank, &mask));
    for (int32_t d = 0; d < rank; d++) out->entries[out->count++] = whole_axis(d);
    for (size_t k = 0; k < count; k++) fill_entry(b, m, k, &out->entries[axes[k] < 0 ? axes[k] + rank : axes[k]]);
    *out_known = true;
    return GE_OK;
}

static ge_status read_strided(const gei_infer *i, gei_slice *out, bool *out_known) {
    masks m = read_masks(i->node);
    bounds b;
    GEI_TRY(read_bounds(i, &b));
    if (b.axes.info) return add_named(i, &b, &m, out, out_known);
    *out_known = b.begin.known;
    if (!b.begin.known && b.end.known) {
        b.begin.count = b.end.count;
        *out_known = true;
    }
    return *out_known ? add_entries(i, &b, &m, out) : GE_OK;
}

/* Known rank, unknown sizes: bounds whose count is not known drop or add no axis. */
static ge_status infer_strided(gei_infer *i) {
    GEI_TRY(gei_infer_slice(i, read_strided));
    masks m = read_masks(i->node);
    if (i->out[0].shape.rank >= 0 || i->in[SLOT_X]->shape.rank < 0 || m.new_axis || m.shrink) return GE_OK;
    i->out[0].shape = i->in[SLOT_X]->shape;
    for (int32_t d = 0; d < i->out[0].shape.rank; d++) i->out[0].shape.dims[d] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

static ge_status size_strided(gei_sizing *s, gei_diag *diag) { return gei_size_slice(s, read_strided, diag); }

static const gei_kernel strided_kernels[] = { { .name = "ref", .size = size_strided, .run = gei_run_slice }, { 0 } };

/* ---- Slice: offsets and sizes of full rank, -1 to the end ---- */

static ge_status read_slice(const gei_infer *i, gei_slice *out, bool *out_known) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    list offsets, sizes;
    GEI_TRY(read_list(i, SLOT_BEGIN, &offsets));
    GEI_TRY(read_list(i, SLOT_END, &sizes));
    for (int k = 0; k < 2; k++) {
        const list *l = k ? &sizes : &offsets;
        if (l->known && l->count != (size_t)x->rank)
            return gei_infer_fail(i, GE_ERR_SHAPE, k ? "size" : "offsets", "%zu entries for rank %d", l->count, (int)x->rank);
    }
    for (int32_t d = 0; d < x->rank; d++) {
        gei_slice_entry *e = &out->entries[out->count++];
        gei_elem size = sizes.known ? gei_info_elem(sizes.info, (size_t)d) : (gei_elem){ .symbol = -1 };
        *e = whole_axis(d);
        e->open_begin = false;
        if (offsets.known) e->begin = gei_info_elem(offsets.info, (size_t)d);
        e->open_end = size.known && size.number == -1;
        if (!e->begin.known) continue;
        bool fits = e->begin.number >= 0 && (!size.known || size.number >= -1);
        if (fits && gei_dim_known(x->dims[d]))
            fits = e->begin.number <= x->dims[d] && (!size.known || size.number <= x->dims[d] - e->begin.number);
        if (!fits)
            return gei_infer_fail(i, GE_ERR_SHAPE, "offsets", "offset %lld and size %lld do not fit axis %d of size %lld",
                                  (long long)e->begin.number,
                                  (long long)(size.known ? size.number : 0), (int)d, (long long)x->dims[d]);
        if (size.known && size.number >= 0 && gei_add_i64(e->begin.number, size.number, &e->end.number)) e->end.known = 1;
        else if (e->begin.number == 0) e->end = size;
    }
    *out_known = true;
    return GE_OK;
}

static ge_status infer_slice(gei_infer *i) {
    GEI_TRY(gei_infer_slice(i, read_slice));
    /* A size says how many elements come out, whatever the offset. */
    for (int32_t d = 0; d < i->out[0].shape.rank; d++) {
        size_t count;
        if (i->out[0].shape.dims[d] != GEI_DIM_UNKNOWN || !gei_info_elem_count(i->in[SLOT_END], &count) || (size_t)d >= count) continue;
        gei_elem size = gei_info_elem(i->in[SLOT_END], (size_t)d);
        if (size.known && size.number >= 0) i->out[0].shape.dims[d] = size.number;
        else if (size.symbol >= 0) i->out[0].shape.dims[d] = gei_dim_symbol((uint32_t)size.symbol);
    }
    return GE_OK;
}

static ge_status size_slice(gei_sizing *s, gei_diag *diag) { return gei_size_slice(s, read_slice, diag); }

static const gei_kernel slice_kernels[] = { { .name = "ref", .size = size_slice, .run = gei_run_slice }, { 0 } };

/* ---- ONNX: attributes before opset 10, inputs (data, starts, ends, axes, steps) from then on ---- */

static ge_status map_slice_1(gei_import *im, gei_diag *diag) {
    static const char *const names[] = { "starts", "ends", "axes" };
    gei_value inputs[4] = { gei_import_input(im, 0) };
    gei_node *node;
    for (uint32_t k = 0; k < GEI_COUNT(names); k++) {
        gei_int_list ints = gei_import_ints(im, names[k]);
        if (gei_import_has_attr(im, names[k])) GEI_TRY(gei_import_const_i64(im, ints.data, ints.count, false, &inputs[k + 1], diag));
        else if (k < 2) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute %s is missing", names[k]);
    }
    GEI_TRY(gei_import_node(im, "StridedSliceV2", inputs, 4, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_slice_10(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "StridedSliceV2", im->inputs, im->n_inputs, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source slice_sources[] = { { GEI_FROM_ONNX, "Slice", 1, map_slice_1, NULL },
                                            { GEI_FROM_ONNX, "Slice", 10, map_slice_10, NULL }, { 0 } };

#define SLICE_TRAITS (GEI_OP_PURE | GEI_OP_MOVES)

GEI_OP(Slice) = { .name = "Slice", .infer = infer_slice, .kernels = slice_kernels, .traits = SLICE_TRAITS, .moved = 1, .needs_value = 6 };
GEI_OP(StridedSlice) = { .name = "StridedSlice", .infer = infer_strided, .kernels = strided_kernels, .traits = SLICE_TRAITS, .moved = 1,
                         .needs_value = 14 };
GEI_OP(StridedSliceV2) = { .name = "StridedSliceV2", .infer = infer_strided, .kernels = strided_kernels, .sources = slice_sources,
                           .traits = SLICE_TRAITS, .moved = 1, .needs_value = 30 };
GEI_OP(StridedSliceV3) = { .name = "StridedSliceV3", .infer = infer_strided, .kernels = strided_kernels, .traits = SLICE_TRAITS, .moved = 1,
                           .needs_value = 30 };

GEI_WIDEN(Slice, "x y", "any");
GEI_WIDEN(StridedSlice, "x y", "any");
GEI_WIDEN(StridedSliceV2, "x y", "any");
GEI_WIDEN(StridedSliceV3, "x y", "any");
