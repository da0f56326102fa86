/* SPDX-License-Identifier: Apache-2.0 */
/* PadV3 (and Pad, PadV2, MirrorPad), GePad with an input that names the axes and an attribute `value`.  Negative paddings crop.
 *   constant   a value            edge       the nearest element       reflect    mirrored, the border element once
 *   symmetric  mirrored, the border element twice                      circular   (wrap) from the other end */
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_X, SLOT_PADDINGS, SLOT_VALUE, SLOT_AXES };

typedef enum pad_mode { PAD_CONSTANT, PAD_EDGE, PAD_REFLECT, PAD_SYMMETRIC, PAD_CIRCULAR } pad_mode;

static ge_status read_mode(const gei_infer *i, pad_mode *out) {
    static const struct {
        const char *text;
        pad_mode mode;
    } all[] = { { "constant", PAD_CONSTANT }, { "edge", PAD_EDGE },         { "reflect", PAD_REFLECT },     { "symmetric", PAD_SYMMETRIC },
                { "circular", PAD_CIRCULAR }, { "wrap", PAD_CIRCULAR },     { "REFLECT", PAD_REFLECT },     { "SYMMETRIC", PAD_SYMMETRIC } };
    const char *text = gei_node_text(i->node, "mode", "constant");
    for (size_t k = 0; k < GEI_COUNT(all); k++) {
        if (strcmp(text, all[k].text) != 0) continue;
        *out = all[k].mode;
        return GE_OK;
    }
    return gei_infer_fail(i, GE_ERR_BAD_ATTR, "mode", "unknown value '%s'", text);
}

typedef struct pads { /* by axis of x */
    int64_t begin[GEI_MAX_RANK], end[GEI_MAX_RANK];
} pads;

static const gei_info *axes_of(const gei_infer *i) { return gei_infer_in(i, SLOT_AXES); }

/* *out_known false: not all numbers are there yet. */
static ge_status read_pads(const gei_infer *i, int32_t rank, pads *out, bool *out_known) {
    int64_t numbers[GEI_MAX_RANK * 2], axes[GEI_MAX_RANK];
    size_t count, n_axes = (size_t)rank;
    uint32_t mask;
    gei_words words;
    bool pairs = gei_def_attr(i->node->def, "paddings_contiguous") ? gei_node_bool(i->node, "paddings_contiguous", true)
                                                                   : !gei_def_attr(i->node->def, "mode") || strcmp(i->node->def->name, "MirrorPad") == 0;
    memset(out, 0, sizeof *out);
    for (int32_t d = 0; d < rank; d++) axes[d] = d;
    *out_known = !axes_of(i) || gei_infer_ints(i, SLOT_AXES, axes, GEI_MAX_RANK, &n_axes);
    if (!*out_known) return GE_OK;
    GEI_TRY(gei_infer_axes(i, "axes", axes, n_axes, rank, &mask));
    int64_t n;
    if (gei_shape_elems(&i->in[SLOT_PADDINGS]->shape, &n) && n != (int64_t)n_axes * 2)
        return gei_infer_fail(i, GE_ERR_SHAPE, "paddings", "%lld entries, wanted %zu: two for each of %zu axes", (long long)n, n_axes * 2, n_axes);
    *out_known = gei_infer_ints(i, SLOT_PADDINGS, numbers, GEI_COUNT(numbers), &count);
    if (!*out_known) return GE_OK;
    for (size_t k = 0; k < n_axes; k++) {
        int64_t d = axes[k] < 0 ? axes[k] + rank : axes[k];
        out->begin[d] = numbers[pairs ? 2 * k : k];
        out->end[d] = numbers[pairs ? 2 * k + 1 : n_axes + k];
        if (out->begin[d] == INT64_MIN || out->end[d] == INT64_MIN)
            return gei_infer_fail(i, GE_ERR_SHAPE, "paddings", "%s: %lld is out of range", gei_ints_words(numbers, count, &words), (long long)INT64_MIN);
    }
    return GE_OK;
}

static ge_status padded_dim(const gei_infer *i, int32_t d, gei_dim in, const pads *p, pad_mode mode, gei_dim *out) {
    int64_t begin = p->begin[d], end = p->end[d], both, size;
    *out = GEI_DIM_UNKNOWN;
    if (!gei_add_i64(begin, end, &both)) return gei_infer_fail(i, GE_ERR_SHAPE, "paddings", "axis %d: %lld and %lld are too large", (int)d, (long long)begin, (long long)end);
    if (!gei_dim_known(in)) {
        if (begin == 0 && end == 0) *out = in;
        return GE_OK;
    }
    if (!gei_add_i64(in, both, &size) || size < 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "paddings", "axis %d of size %lld cannot be padded by %lld and %lld", (int)d, (long long)in, (long long)begin, (long long)end);
    if (in == 0 && size > 0 && mode != PAD_CONSTANT)
        return gei_infer_fail(i, GE_ERR_SHAPE, "paddings", "axis %d has no elements to pad with", (int)d);
    *out = size;
    return GE_OK;
}

static ge_status infer_pad(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    const gei_info *value = gei_infer_in(i, SLOT_VALUE);
    const gei_dtype_info *dtype = gei_dtype_get(i->in[SLOT_X]->dtype);
    pad_mode mode;
    pads p;
    bool known;
    int64_t n;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    GEI_TRY(read_mode(i, &mode));
    GEI_TRY(gei_infer_rank(i, SLOT_PADDINGS, 1, 2));
    if (value && gei_shape_elems(&value->shape, &n) && n != 1)
        return gei_infer_fail(i, GE_ERR_SHAPE, "constant_values", "%lld values, wanted one", (long long)n);
    if (value && value->dtype != GEI_UNDEFINED && i->in[SLOT_X]->dtype != GEI_UNDEFINED && value->dtype != i->in[SLOT_X]->dtype)
        return gei_infer_fail(i, GE_ERR_DTYPE, "constant_values", "%s, but x is %s", gei_dtype_name(value->dtype), gei_dtype_name(i->in[SLOT_X]->dtype));
    if (!value && mode == PAD_CONSTANT && dtype && dtype->kind != GEI_KIND_NONE && dtype->bits % 8 + (dtype->bits == 0) != 0)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s needs constant_values", gei_dtype_name(i->in[SLOT_X]->dtype));
    if (x->rank < 0) return GE_OK;
    GEI_TRY(read_pads(i, x->rank, &p, &known));
    gei_shape y = *x;
    for (int32_t d = 0; d < y.rank; d++) {
        if (known) GEI_TRY(padded_dim(i, d, x->dims[d], &p, mode, &y.dims[d]));
        else y.dims[d] = GEI_DIM_UNKNOWN;
    }
    i->out[0].shape = y;
    return GE_OK;
}

/* ---- reference kernel ---- */

typedef struct pad {
    int32_t rank;          /* at least 1; the last dim is the run */
    pad_mode mode;
    int64_t rows;          /* of y */
    int64_t in[GEI_MAX_RANK], out[GEI_MAX_RANK], begin[GEI_MAX_RANK], strides[GEI_MAX_RANK];
    size_t elem_bytes;
    char value[16];        /* the constant where there is no input: attribute `value`, else 0 */
} pad;

static ge_status size_pad(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *y = &s->out[0].shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .n_out = s->n_out, .arena = s->arena, .diag = diag };
    pads p;
    bool known;
    pad *c = gei_arena_new(s->arena, pad);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    *c = (pad){ .rank = 1, .rows = 1, .in = { 1 }, .out = { 1 }, .strides = { 1 }, .elem_bytes = gei_moved_bytes(s->in[SLOT_X]->dtype) };
    GEI_TRY(read_mode(&i, &c->mode));
    GEI_TRY(read_pads(&i, x->rank, &p, &known));
    if (!known) return gei_infer_fail(&i, GE_ERR_PLAN, "paddings", "not known when the kernel is sized");
    if (x->rank > 0) c->rank = x->rank;
    int64_t stride = 1;
    for (int32_t d = x->rank - 1; d >= 0; d--) {
        c->in[d] = x->dims[d];
        c->out[d] = y->dims[d];
        c->begin[d] = p.begin[d];
        c->strides[d] = stride;
        stride *= x->dims[d];
        if (d < c->rank - 1) c->rows *= y->dims[d];
    }
    double value = gei_node_float(s->node, "value", 0);
    if (value != 0) gei_store_f64(s->in[SLOT_X]->dtype, &value, c->value, 0, 1);
    s->sized = c;
    int64_t run = c->out[c->rank - 1];
    s->n_parts = gei_parts(c->rows, run < 16384 ? 16384 / (run + 1) + 1 : 1);
    s->cost = (double)c->rows * (double)run;
    return GE_OK;
}

static int64_t floor_mod(int64_t a, int64_t n) { return (a % n + n) % n; }

/* Element of x that stands at y's place `at` of an axis; -1: the constant. */
static int64_t source_of(const pad *c, int32_t d, int64_t at) {
    int64_t from = at - c->begin[d], n = c->in[d], place;
    if (from >= 0 && from < n) return from;
    switch (c->mode) {
    case PAD_EDGE: return from < 0 ? 0 : n - 1;
    case PAD_CIRCULAR: return floor_mod(from, n);
    case PAD_REFLECT:
        if (n == 1) return 0;
        place = floor_mod(from, 2 * (n - 1));
        return place < n ? place : 2 * (n - 1) - place;
    case PAD_SYMMETRIC:
        place = floor_mod(from, 2 * n);
        return place < n ? place : 2 * n - 1 - place;
    default: return -1;
    }
}

static void put(char *to, const char *from, size_t bytes, int64_t times) {
    for (int64_t k = 0; k < times; k++) memcpy(to + (size_t)k * bytes, from, bytes);
}

/* Places [begin, end) of the last axis, all of them in the padding. */
static void pad_run(const pad *c, const char *row, const char *value, char *to, int64_t begin, int64_t end) {
    int32_t d = c->rank - 1;
    if (begin >= end) return;
    if (c->mode == PAD_CONSTANT) {
        put(to + (size_t)begin * c->elem_bytes, value, c->elem_bytes, end - begin);
        return;
    }
    for (int64_t k = begin; k < end; k++)
        memcpy(to + (size_t)k * c->elem_bytes, row + (size_t)source_of(c, d, k) * c->elem_bytes, c->elem_bytes);
}

static void fill_row(const pad *c, const char *row, const char *value, char *to) {
    int32_t d = c->rank - 1;
    int64_t n = c->out[d], first = c->begin[d] > 0 ? c->begin[d] : 0, last;
    if (first > n) first = n;
    last = c->begin[d] > n - c->in[d] ? n : c->begin[d] + c->in[d]; /* end of the copied elements */
    if (last < first) last = first;
    pad_run(c, row, value, to, 0, first);
    if (last > first)
        memcpy(to + (size_t)first * c->elem_bytes, row + (size_t)(first - c->begin[d]) * c->elem_bytes, (size_t)(last - first) * c->elem_bytes);
    pad_run(c, row, value, to, last, n);
}

static ge_status run_rows(const gei_run *run, uint32_t part) {
    const pad *c = (const pad *)run->sized;
    const char *value = SLOT_VALUE < run->n_in && run->in[SLOT_VALUE] ? (const char *)run->in[SLOT_VALUE]->data : c->value;
    int64_t begin, end, n = c->out[c->rank - 1];
    size_t row_bytes = (size_t)n * c->elem_bytes;
    gei_part_range(c->rows, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end && n > 0; row++) {
        char *to = (char *)run->out[0]->data + (size_t)row * row_bytes;
        int64_t from = 0, rest = row;
        bool outside = false;
        for (int32_t d = c->rank - 2; d >= 0; d--) {
            int64_t source = source_of(c, d, rest % c->out[d]);
            rest /= c->out[d];
            outside = outside || source < 0;
            from += source * c->strides[d];
        }
        if (outside) put(to, value, c->elem_bytes, n);
        else fill_row(c, (const char *)run->in[SLOT_X]->data + (size_t)from * c->elem_bytes, value, to);
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X | 1u << SLOT_VALUE, run_rows); }

static const gei_kernel pad_kernels[] = { { .name = "ref", .size = size_pad, .run = run_ref }, { 0 } };

/* ---- ONNX: paddings and value as attributes below opset 11, axes from 18 on ---- */

static ge_status map_pad(gei_import *im, gei_diag *diag) {
    const char *mode = gei_import_text(im, "mode", "constant");
    gei_value inputs[4] = { gei_import_input(im, 0), gei_import_input(im, 1), gei_import_input(im, 2), gei_import_input(im, 3) };
    gei_node *node;
    bool full = inputs[SLOT_AXES].node != NULL;
    GEI_TRY(gei_import_node(im, full ? "GePad" : "PadV3", inputs, full ? 4 : 3, &node, diag));
    GEI_TRY(gei_import_set_text(node, "mode", strcmp(mode, "wrap") == 0 ? "circular" : mode, diag));
    if (!full) GEI_TRY(gei_import_set_bool(node, "paddings_contiguous", false, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_pad_2(gei_import *im, gei_diag *diag) {
    gei_int_list list = gei_import_ints(im, "pads");
    double value = gei_import_float(im, "value", 0);
    gei_value inputs[2] = { gei_import_input(im, 0), { NULL, 0 } };
    gei_node *node;
    if (!gei_import_has_attr(im, "pads")) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute pads is missing");
    GEI_TRY(gei_import_const_i64(im, list.data, list.count, false, &inputs[1], diag));
    GEI_TRY(gei_import_node(im, value != 0 ? "GePad" : "PadV3", inputs, 2, &node, diag));
    GEI_TRY(gei_import_set_text(node, "mode", gei_import_text(im, "mode", "constant"), diag));
    if (value != 0) GEI_TRY(gei_import_set_float(node, "value", value, diag));
    else GEI_TRY(gei_import_set_bool(node, "paddings_contiguous", false, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source pad_sources[] = { { GEI_FROM_ONNX, "Pad", 2, map_pad_2, NULL }, { GEI_FROM_ONNX, "Pad", 11, map_pad, NULL }, { 0 } };

#define NEEDS .traits = GEI_OP_PURE, .needs_value = 1u << SLOT_PADDINGS
GEI_OP(PadV3) = { .name = "PadV3", .infer = infer_pad, .kernels = pad_kernels, .sources = pad_sources, NEEDS };
GEI_OP(Pad) = { .name = "Pad", .infer = infer_pad, .kernels = pad_kernels, NEEDS };
GEI_OP(PadV2) = { .name = "PadV2", .infer = infer_pad, .kernels = pad_kernels, NEEDS };
GEI_OP(MirrorPad) = { .name = "MirrorPad", .infer = infer_pad, .kernels = pad_kernels, NEEDS };
GEI_OP(GePad) = { .name = "GePad", .infer = infer_pad, .kernels = pad_kernels, NEEDS | 1u << SLOT_AXES };

GEI_WIDEN(PadV3, "x constant_values y", "any");
GEI_WIDEN(Pad, "x y", "any");
GEI_WIDEN(PadV2, "x constant_values y", "any");
GEI_WIDEN(MirrorPad, "x y", "any");
