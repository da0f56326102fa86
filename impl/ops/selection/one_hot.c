/* SPDX-License-Identifier: Apache-2.0 */
/* OneHot: a new dim of size depth at `axis`, on_value where its index equals x.  GeOneHot (ours, ONNX OneHot): any number types, values
 * [off, on] as one tensor, negative indices count from depth.  An index out of range gives off throughout. */
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_X, SLOT_DEPTH, SLOT_VALUES, SLOT_ON = SLOT_VALUES, SLOT_OFF };

typedef struct one_hot {
    int64_t outer, depth, inner;
    bool from_end; /* negative indices count from depth */
} one_hot;

static ge_status read_axis(const gei_infer *i, int32_t rank, int32_t *out_axis) {
    return gei_infer_axis(i, "axis", gei_node_int(i->node, "axis", -1), rank + 1, out_axis);
}

static ge_status read_depth(const gei_infer *i, gei_dim *out_depth) {
    double depth;
    size_t n, minus_one;
    gei_dim dim;
    *out_depth = GEI_DIM_UNKNOWN;
    if (gei_infer_f64(i, SLOT_DEPTH, &depth, 1, &n) && n == 1) {
        if (!(depth >= 0 && depth < 0x1p48)) return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, "depth", "%g is no size", depth);
        *out_depth = (gei_dim)depth;
    } else if (gei_infer_dims(i, SLOT_DEPTH, &dim, 1, &n, &minus_one) && n == 1) {
        *out_depth = dim;
    }
    return GE_OK;
}

static ge_status infer_shape(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *depth = &i->in[SLOT_DEPTH]->shape;
    gei_shape *y = &i->out[0].shape;
    gei_words words;
    int32_t axis;
    gei_dim n = gei_dim_product(depth, 0, depth->rank), size;
    if (depth->rank >= 0 && gei_dim_known(n) && n != 1)
        return gei_infer_fail(i, GE_ERR_SHAPE, "depth", "shape %s, wanted one number", gei_shape_words(depth, &words));
    GEI_TRY(read_depth(i, &size));
    if (x->rank < 0) return GE_OK;
    if (x->rank == GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_RANK, gei_infer_port(i, SLOT_X), "rank %d, at most %d", (int)x->rank, GEI_MAX_RANK - 1);
    GEI_TRY(read_axis(i, x->rank, &axis));
    *y = gei_shape_of(axis, x->dims);
    y->dims[y->rank++] = size;
    for (int32_t d = axis; d < x->rank; d++) y->dims[y->rank++] = x->dims[d];
    return GE_OK;
}

static ge_status check_indices(const gei_infer *i) {
    int32_t dtype = i->in[SLOT_X]->dtype;
    if (dtype == GEI_UNDEFINED || gei_dtype_is_real(dtype)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, SLOT_X), "data type %s is not supported", gei_dtype_name(dtype));
}

static ge_status infer_one_hot(gei_infer *i) {
    GEI_TRY(check_indices(i));
    GEI_TRY(gei_infer_same_dtype(i, SLOT_ON, 2, &i->out[0].dtype));
    return infer_shape(i);
}

static ge_status infer_ge_one_hot(gei_infer *i) {
    const gei_shape *values = &i->in[SLOT_VALUES]->shape;
    gei_words words;
    GEI_TRY(check_indices(i));
    i->out[0].dtype = i->in[SLOT_VALUES]->dtype;
    if (values->rank >= 0 && (values->rank != 1 || (gei_dim_known(values->dims[0]) && values->dims[0] != 2)))
        return gei_infer_fail(i, GE_ERR_SHAPE, "values", "shape %s, wanted [2]: off, on", gei_shape_words(values, &words));
    return infer_shape(i);
}

static ge_status size_one_hot(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .diag = diag };
    const gei_shape *y = &s->out[0].shape;
    one_hot *h = gei_arena_new(s->arena, one_hot);
    int32_t axis;
    if (!h) return gei_out_of_memory(diag, sizeof *h);
    GEI_TRY(read_axis(&i, y->rank - 1, &axis));
    h->depth = y->dims[axis];
    h->outer = gei_dim_product(y, 0, axis);
    h->inner = gei_dim_product(y, axis + 1, y->rank);
    s->sized = h;
    s->n_parts = gei_parts(h->outer, 16384 / (h->depth * h->inner < 16384 ? h->depth * h->inner + 1 : 16384) + 1);
    s->cost = (double)h->outer * (double)h->depth * (double)h->inner;
    return GE_OK;
}

static void set_all(char *to, int64_t n, const char *value, size_t bytes) {
    if (n == 0) return;
    memcpy(to, value, bytes);
    for (size_t have = bytes, all = (size_t)n * bytes; have < all; have += have < all - have ? have : all - have)
        memcpy(to + have, to, have < all - have ? have : all - have);
}

static void set_ones(const one_hot *h, const gei_view *x, int64_t outer, char *to, const char *on, size_t bytes, bool from_end) {
    int64_t block[GEI_BLOCK];
    bool is_unsigned = gei_dtype_get(x->dtype)->kind == GEI_KIND_UINT;
    for (int64_t at = 0; at < h->inner; at += GEI_BLOCK) {
        int64_t n = h->inner - at < GEI_BLOCK ? h->inner - at : GEI_BLOCK;
        gei_load_i64(x->dtype, x->data, outer * h->inner + at, n, block);
        for (int64_t k = 0; k < n; k++) {
            int64_t index = block[k] < 0 && from_end && !is_unsigned ? block[k] + h->depth : block[k];
            if (index >= 0 && index < h->depth) memcpy(to + (size_t)(index * h->inner + at + k) * bytes, on, bytes);
        }
    }
}

static void run_outer(const gei_run *run, uint32_t part, const char *on, const char *off, bool from_end) {
    const one_hot *h = (const one_hot *)run->sized;
    size_t bytes = gei_moved_bytes(run->out[0]->dtype);
    int64_t begin, end;
    gei_part_range(h->outer, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        char *to = (char *)run->out[0]->data + (size_t)(k * h->depth * h->inner) * bytes;
        set_all(to, h->depth * h->inner, off, bytes);
        set_ones(h, run->in[SLOT_X], k, to, on, bytes, from_end);
    }
}

static ge_status one_hot_bytes(const gei_run *run, uint32_t part) {
    run_outer(run, part, (const char *)run->in[SLOT_ON]->data, (const char *)run->in[SLOT_OFF]->data, false);
    return GE_OK;
}

static ge_status ge_one_hot_bytes(const gei_run *run, uint32_t part) {
    const char *values = (const char *)run->in[SLOT_VALUES]->data;
    run_outer(run, part, values + gei_moved_bytes(run->out[0]->dtype), values, true);
    return GE_OK;
}

#define MOVED_PAIR (1u << SLOT_ON | 1u << SLOT_OFF)
static ge_status run_one_hot(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, MOVED_PAIR, one_hot_bytes); }
static ge_status run_ge_one_hot(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_VALUES, ge_one_hot_bytes); }

static const gei_kernel one_hot_kernels[] = { { .name = "ref", .size = size_one_hot, .run = run_one_hot }, { 0 } };
static const gei_kernel ge_one_hot_kernels[] = { { .name = "ref", .size = size_one_hot, .run = run_ge_one_hot }, { 0 } };
static const gei_attr_map axis_attrs[] = { { "axis", "axis", "-1" }, { NULL, NULL, NULL } };
static const gei_source ge_one_hot_sources[] = { { GEI_FROM_ONNX, "OneHot", 9, NULL, axis_attrs }, { 0 } };

GEI_OP(OneHot) = { .name = "OneHot", .infer = infer_one_hot, .kernels = one_hot_kernels, .traits = GEI_OP_PURE | GEI_OP_MOVES,
                   .moved = MOVED_PAIR, .needs_value = 1u << SLOT_DEPTH };
GEI_OP(GeOneHot) = { .name = "GeOneHot", .infer = infer_ge_one_hot, .kernels = ge_one_hot_kernels, .sources = ge_one_hot_sources,
                     .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_VALUES, .needs_value = 1u << SLOT_DEPTH };
GEI_WIDEN(OneHot, "x", "int uint");
GEI_WIDEN(OneHot, "on_value off_value y", "any");
GEI_WIDEN(GeOneHot, "values y", "any");
