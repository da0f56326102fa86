/* SPDX-License-Identifier: Apache-2.0 */
/* Split (input split_dim), SplitD (attribute): equal parts; SplitV (inputs size_splits, split_dim), SplitVD (attributes): parts of given
 * sizes, one of which may be -1.  With uneven (ours, Split only) a size that does not divide makes the last parts smaller: ONNX from
 * opset 18 on. */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"

#define MAX_PARTS 4096

typedef struct form { /* what the four rows differ in */
    uint32_t x;
    int32_t axis, sizes;   /* slots; -1: attribute split_dim, attribute size_splits */
    bool has_sizes;
} form;

static const form split_form = { 1, 0, -1, false }, split_d_form = { 0, -1, -1, false };
static const form split_v_form = { 0, 2, 1, true }, split_vd_form = { 0, -1, -1, true };

static bool get_axis(const gei_infer *i, const form *f, int64_t *out) {
    size_t count;
    if (f->axis >= 0) return gei_infer_ints(i, (uint32_t)f->axis, out, 1, &count) && count == 1;
    *out = gei_node_int(i->node, "split_dim", 0);
    return true;
}

/* Sizes as they are written: one for each output. */
static ge_status get_sizes(const gei_infer *i, const form *f, int64_t *sizes, bool *out_known) {
    size_t count = 0;
    *out_known = true;
    if (f->sizes >= 0) {
        *out_known = gei_infer_ints(i, (uint32_t)f->sizes, sizes, i->n_out, &count);
        int64_t n;
        if (!*out_known && gei_shape_elems(&i->in[f->sizes]->shape, &n) && n != i->n_out)
            return gei_infer_fail(i, GE_ERR_SHAPE, "size_splits", "%lld sizes for %u outputs", (long long)n, i->n_out);
        if (!*out_known) return GE_OK;
    } else {
        gei_int_list list = gei_node_ints(i->node, "size_splits");
        count = list.count;
        if (count == i->n_out && count > 0) memcpy(sizes, list.data, count * sizeof *sizes);
    }
    if (count != i->n_out) return gei_infer_fail(i, GE_ERR_SHAPE, "size_splits", "%zu sizes for %u outputs", count, i->n_out);
    return GE_OK;
}

/* Replaces a -1 and checks the sum; `dim` may be unknown. */
static ge_status settle_sizes(const gei_infer *i, int64_t *sizes, gei_dim dim) {
    int64_t sum = 0, free_at = -1;
    gei_words words;
    for (uint32_t k = 0; k < i->n_out; k++) {
        if (sizes[k] == -1 && free_at < 0) free_at = k;
        else if (sizes[k] < 0)
            return gei_infer_fail(i, GE_ERR_SHAPE, "size_splits", "%s: %lld is no size", gei_ints_words(sizes, i->n_out, &words), (long long)sizes[k]);
        else if (!gei_add_i64(sum, sizes[k], &sum))
            return gei_infer_fail(i, GE_ERR_SHAPE, "size_splits", "%s: the sum does not fit 64 bits", gei_ints_words(sizes, i->n_out, &words));
    }
    if (!gei_dim_known(dim)) return GE_OK;
    if (free_at >= 0 ? sum > dim : sum != dim)
        return gei_infer_fail(i, GE_ERR_SHAPE, "size_splits", "%s does not sum up to size %lld", gei_ints_words(sizes, i->n_out, &words), (long long)dim);
    if (free_at >= 0) sizes[free_at] = dim - sum;
    return GE_OK;
}

static ge_status equal_sizes(const gei_infer *i, int64_t *sizes, int64_t dim) {
    int64_t n = i->n_out;
    bool uneven = gei_node_bool(i->node, "uneven", false);
    int64_t each = dim / n + (dim % n != 0), left = dim;
    if (dim % n != 0 && !uneven)
        return gei_infer_fail(i, GE_ERR_SHAPE, "num_split", "size %lld cannot be cut into %lld equal parts", (long long)dim, (long long)n);
    for (int64_t k = 0; k < n; k++) {
        sizes[k] = left < each ? left : each;
        left -= sizes[k];
    }
    return GE_OK;
}

static ge_status check_outputs(const gei_infer *i) {
    int64_t n = gei_node_int(i->node, "num_split", i->n_out);
    if (i->n_out == 0 || i->n_out > MAX_PARTS)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED, "y", "%u outputs, 1 to %d are supported", i->n_out, MAX_PARTS);
    if (n != i->n_out) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "num_split", "%lld, but the node has %u outputs", (long long)n, i->n_out);
    return GE_OK;
}

/* Sizes of the parts along *out_axis; *out_known false: not all are numbers (then -1 stands for unknown). */
static ge_status part_sizes(const gei_infer *i, const form *f, gei_dim dim, int64_t *sizes, bool *out_known) {
    if (!f->has_sizes) {
        *out_known = gei_dim_known(dim);
        return *out_known ? equal_sizes(i, sizes, dim) : GE_OK;
    }
    GEI_TRY(get_sizes(i, f, sizes, out_known));
    return *out_known ? settle_sizes(i, sizes, dim) : GE_OK;
}

static ge_status infer_split(gei_infer *i, const form *f) {
    const gei_shape *x = &i->in[f->x]->shape;
    int64_t axis_value = 0;
    int32_t axis = 0;
    bool known = false;
    GEI_TRY(check_outputs(i));
    for (uint32_t k = 0; k < i->n_out; k++) i->out[k].dtype = i->in[f->x]->dtype;
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, f->x, 1, GEI_MAX_RANK));
    bool has_axis = get_axis(i, f, &axis_value);
    if (has_axis) GEI_TRY(gei_infer_axis(i, "split_dim", axis_value, x->rank, &axis));
    int64_t *sizes = gei_arena_array(i->arena, int64_t, i->n_out);
    if (!sizes) return gei_out_of_memory(i->diag, 0);
    if (has_axis) GEI_TRY(part_sizes(i, f, x->dims[axis], sizes, &known));
    for (uint32_t k = 0; k < i->n_out; k++) {
        gei_shape *y = &i->out[k].shape;
        *y = *x;
        for (int32_t d = 0; !has_axis && d < y->rank; d++) y->dims[d] = GEI_DIM_UNKNOWN;
        if (has_axis) y->dims[axis] = known ? sizes[k] : i->n_out == 1 && !f->has_sizes ? x->dims[axis] : GEI_DIM_UNKNOWN;
    }
    return GE_OK;
}

static ge_status infer_input(gei_infer *i) { return infer_split(i, &split_form); }
static ge_status infer_d(gei_infer *i) { return infer_split(i, &split_d_form); }
static ge_status infer_v(gei_infer *i) { return infer_split(i, &split_v_form); }
static ge_status infer_vd(gei_infer *i) { return infer_split(i, &split_vd_form); }

/* Partly known contents of a vector. */
static ge_status elems_split(gei_infer *i, const form *f) {
    const gei_info *x = i->in[f->x];
    size_t n, at = 0, part;
    if (x->shape.rank != 1 || !gei_info_elem_count(x, &n) || (!x->elems && !x->tensor)) return GE_OK;
    for (uint32_t k = 0; k < i->n_out; k++, at += part)
        if (!gei_info_elem_count(&i->out[k], &part) || part > n - at) return GE_OK;
    at = 0;
    for (uint32_t k = 0; k < i->n_out; k++) {
        (void)gei_info_elem_count(&i->out[k], &part);
        gei_elem *elems = gei_infer_new_elems(i, k, part);
        if (!elems) return gei_out_of_memory(i->diag, 0);
        for (size_t e = 0; e < part; e++) elems[e] = gei_info_elem(x, at + e);
        at += part;
    }
    return GE_OK;
}

static ge_status elems_input(gei_infer *i) { return elems_split(i, &split_form); }
static ge_status elems_x(gei_infer *i) { return elems_split(i, &split_v_form); }

/* ---- reference kernel: pieces of x in turn ---- */

typedef struct piece { /* of one output */
    int64_t outer, row;   /* product of dims before the axis; elements of x behind one outer index */
    int64_t at, size;     /* elements of the piece in a row */
    size_t elem_bytes;
    uint32_t x;
} piece;

static ge_status size_split(gei_sizing *s, const form *f, gei_diag *diag) {
    const gei_shape *x = &s->in[f->x]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .n_out = s->n_out, .arena = s->arena, .diag = diag };
    int64_t axis_value, at = 0;
    int32_t axis;
    piece *pieces = gei_arena_array(s->arena, piece, s->n_out);
    if (!pieces) return gei_out_of_memory(diag, sizeof *pieces);
    if (!get_axis(&i, f, &axis_value)) return gei_infer_fail(&i, GE_ERR_PLAN, "split_dim", "not known when the kernel is sized");
    GEI_TRY(gei_infer_axis(&i, "split_dim", axis_value, x->rank, &axis));
    int64_t outer = gei_dim_product(x, 0, axis), inner = gei_dim_product(x, axis + 1, x->rank), row = inner * x->dims[axis];
    for (uint32_t k = 0; k < s->n_out; k++) {
        int64_t size = s->out[k].shape.dims[axis] * inner;
        pieces[k] = (piece){ outer, row, at, size, gei_moved_bytes(s->in[f->x]->dtype), f->x };
        at += size;
    }
    s->sized = pieces;
    int64_t each = row / (int64_t)s->n_out;
    s->n_parts = gei_parts(outer * (int64_t)s->n_out, each < 16384 ? 16384 / (each + 1) + 1 : 1);
    s->cost = (double)outer * (double)row;
    return GE_OK;
}

static ge_status size_input(gei_sizing *s, gei_diag *diag) { return size_split(s, &split_form, diag); }
static ge_status size_d(gei_sizing *s, gei_diag *diag) { return size_split(s, &split_d_form, diag); }
static ge_status size_v(gei_sizing *s, gei_diag *diag) { return size_split(s, &split_v_form, diag); }
static ge_status size_vd(gei_sizing *s, gei_diag *diag) { return size_split(s, &split_vd_form, diag); }

static void copy_piece(const piece *p, const void *x, void *y, int64_t outer) {
    size_t bytes = (size_t)p->size * p->elem_bytes;
    if (bytes == 0) return;
    memcpy((char *)y + (size_t)outer * bytes, (const char *)x + (size_t)(outer * p->row + p->at) * p->elem_bytes, bytes);
}

/* Output 0 of a run whose sizes are those of one piece. */
static ge_status run_one(const gei_run *run, uint32_t part) {
    const piece *p = (const piece *)run->sized;
    (void)part;
    for (int64_t outer = 0; outer < p->outer; outer++) copy_piece(p, run->in[p->x]->data, run->out[0]->data, outer);
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) {
    const piece *pieces = (const piece *)run->sized;
    uint32_t bits = gei_dtype_get(run->out[0]->dtype)->bits;
    int64_t begin, end;
    for (uint32_t k = 0; (bits == 0 || bits % 8 != 0) && k < run->n_out; k++) { /* strings and packed types */
        gei_run one = *run;
        one.out = run->out + k;
        one.n_out = 1;
        one.sized = &pieces[k];
        GEI_TRY(gei_run_moved(&one, part, 1u << pieces->x, run_one));
    }
    if (bits == 0 || bits % 8 != 0) return GE_OK;
    gei_part_range(pieces->outer * (int64_t)run->n_out, run->n_parts, part, &begin, &end);
    for (int64_t p = begin; p < end; p++) {
        uint32_t k = (uint32_t)(p % run->n_out);
        copy_piece(&pieces[k], run->in[pieces->x]->data, run->out[k]->data, p / run->n_out);
    }
    return GE_OK;
}

static const gei_kernel split_kernels[] = { { .name = "ref", .size = size_input, .run = run_ref }, { 0 } };
static const gei_kernel d_kernels[] = { { .name = "ref", .size = size_d, .run = run_ref }, { 0 } };
static const gei_kernel v_kernels[] = { { .name = "ref", .size = size_v, .run = run_ref }, { 0 } };
static const gei_kernel vd_kernels[] = { { .name = "ref", .size = size_vd, .run = run_ref }, { 0 } };

/* ---- ONNX: sizes as attribute, as input from opset 13 on, or none ---- */

static ge_status map_split(gei_import *im, gei_diag *diag) {
    int64_t axis = gei_import_int(im, "axis", 0), n = gei_import_int(im, "num_outputs", im->n_outputs);
    gei_int_list list = im->opset < 13 ? gei_import_ints(im, "split") : (gei_int_list){ NULL, 0 };
    gei_value x = gei_import_input(im, 0), sizes = im->opset >= 13 ? gei_import_input(im, 1) : (gei_value){ NULL, 0 }, dim;
    gei_node *node;
    if (im->opset >= 18 && n != im->n_outputs)
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "num_outputs is %lld, but the node has %u outputs", (long long)n, im->n_outputs);
    if (list.count > 0) GEI_TRY(gei_import_const_i64(im, list.data, list.count, false, &sizes, diag));
    GEI_TRY(gei_import_const_i32(im, &axis, 1, true, &dim, diag));
    if (sizes.node) {
        gei_value inputs[3] = { x, sizes, dim };
        GEI_TRY(gei_import_node_dynamic(im, "SplitV", inputs, 3, NULL, &im->n_outputs, &node, diag));
    } else {
        gei_value inputs[2] = { dim, x };
        GEI_TRY(gei_import_node_dynamic(im, "Split", inputs, 2, NULL, &im->n_outputs, &node, diag));
        if (im->opset >= 18) GEI_TRY(gei_import_set_bool(node, "uneven", true, diag));
    }
    GEI_TRY(gei_import_set_int(node, "num_split", im->n_outputs, diag));
    for (uint32_t k = 0; k < im->n_outputs; k++) gei_import_set_output(im, k, gei_value_of(node, k));
    return GE_OK;
}

static const gei_source split_sources[] = { { GEI_FROM_ONNX, "Split", 2, map_split, NULL }, { 0 } };

#define TRAITS (GEI_OP_PURE | GEI_OP_MOVES)

GEI_OP(Split) = { .name = "Split", .infer = infer_input, .elems = elems_input, .kernels = split_kernels, .sources = split_sources,
                  .traits = TRAITS, .moved = 2, .needs_value = 1 };
GEI_OP(SplitD) = { .name = "SplitD", .infer = infer_d, .elems = elems_x, .kernels = d_kernels, .traits = TRAITS, .moved = 1 };
GEI_OP(SplitV) = { .name = "SplitV", .infer = infer_v, .elems = elems_x, .kernels = v_kernels, .traits = TRAITS, .moved = 1, .needs_value = 6 };
GEI_OP(SplitVD) = { .name = "SplitVD", .infer = infer_vd, .elems = elems_x, .kernels = vd_kernels, .traits = TRAITS, .moved = 1 };

GEI_WIDEN(Split, "x y", "any");
GEI_WIDEN(SplitD, "*", "any");
GEI_WIDEN(SplitV, "x y", "any");
GEI_WIDEN(SplitVD, "*", "any");
