/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that give the same bytes another shape: Reshape, Flatten, FlattenV2. */
#include "ops/import.h"
#include "ops/view.h"

enum { SLOT_X, SLOT_SHAPE };

/* Dims of x that `shape` replaces: [begin, end). */
static ge_status replaced_range(const gei_infer *i, int32_t rank, int32_t *begin, int32_t *end) {
    int64_t axis = gei_node_int(i->node, "axis", 0), num_axes = gei_node_int(i->node, "num_axes", -1);
    if (axis < 0) axis += rank + 1;
    if (axis < 0 || axis > rank)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "axis", "%lld is out of range for rank %d",
                              (long long)gei_node_int(i->node, "axis", 0), (int)rank);
    if (num_axes < -1 || num_axes > rank - axis)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "num_axes", "%lld axes from axis %lld of rank %d", (long long)num_axes,
                              (long long)axis, (int)rank);
    *begin = (int32_t)axis;
    *end = num_axes == -1 ? rank : (int32_t)(axis + num_axes);
    return GE_OK;
}

/* The one dim of `y` that `x` determines: product of x over product of the others, symbols cancelled pairwise. */
static gei_dim quotient(const gei_shape *x, const gei_shape *y, int32_t skip) {
    gei_dim rest[GEI_MAX_RANK];
    int64_t above = 1, below = 1;
    int32_t n_rest = x->rank;
    for (int32_t d = 0; d < x->rank; d++) rest[d] = x->dims[d];
    for (int32_t d = 0; d < y->rank; d++) {
        if (d == skip) continue;
        int32_t match = 0;
        while (match < n_rest && !gei_dim_same(rest[match], y->dims[d])) match++;
        if (match < n_rest && y->dims[d] != 0) rest[match] = rest[--n_rest];
        else if (!gei_dim_known(y->dims[d]) || !gei_mul_i64(below, y->dims[d], &below)) return GEI_DIM_UNKNOWN;
    }
    gei_dim symbol = 1;
    for (int32_t d = 0; d < n_rest; d++) {
        if (gei_dim_known(rest[d])) {
            if (!gei_mul_i64(above, rest[d], &above)) return GEI_DIM_UNKNOWN;
        } else {
            if (symbol != 1) return GEI_DIM_UNKNOWN;
            symbol = rest[d];
        }
    }
    if (symbol != 1) return above == below ? symbol : GEI_DIM_UNKNOWN;
    return below != 0 && above % below == 0 ? above / below : GEI_DIM_UNKNOWN;
}

static ge_status check_count(const gei_infer *i, const gei_shape *x, const gei_shape *y, const int64_t *wanted, size_t n_wanted) {
    int64_t n_x, n_y;
    gei_words from, to;
    if (!gei_shape_elems(x, &n_x)) return GE_OK;
    if (gei_shape_elems(y, &n_y) ? n_x == n_y : !gei_shape_known(y)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "cannot reshape %s to %s: the element counts differ", gei_shape_words(x, &from),
                          wanted ? gei_ints_words(wanted, n_wanted, &to) : gei_shape_words(y, &to));
}

/* Replaces dims [begin, end) of x by what the shape input says.  *out_free: the dim to be found, -1 when none. */
static ge_status place_dims(const gei_infer *i, const gei_dim *dims, size_t count, size_t minus_one, int32_t begin, int32_t end,
                            gei_shape *y, int32_t *out_free) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    bool zero_copies = gei_node_int(i->node, "allowzero", 0) == 0;
    int32_t n_unknown = 0;
    if (begin + (int64_t)count + (x->rank - end) > GEI_MAX_RANK)
        return gei_infer_fail(i, GE_ERR_RANK, "shape", "the result would have rank %lld, at most %d",
                              (long long)(begin + (int64_t)count + x->rank - end), GEI_MAX_RANK);
    *out_free = -1;
    *y = gei_shape_of(begin, x->dims);
    for (size_t k = 0; k < count; k++) {
        gei_dim dim = dims[k];
        int32_t from = begin + (int32_t)k;
        if (dim == 0 && zero_copies) {
            if (from >= x->rank)
                return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "entry %zu is 0, but x has only %d dims to copy", k,
                                      (int)x->rank);
            dim = x->dims[from];
        }
        if (dim == GEI_DIM_UNKNOWN) {
            n_unknown++;
            *out_free = y->rank;
        }
        y->dims[y->rank++] = dim;
    }
    if (minus_one != SIZE_MAX) *out_free = begin + (int32_t)minus_one;
    if (n_unknown > 1) *out_free = -1;
    for (int32_t d = end; d < x->rank; d++) y->dims[y->rank++] = x->dims[d];
    return GE_OK;
}

/* A number below -1, or -1 twice, or -1 beside a zero that leaves it open. */
static ge_status check_wanted(const gei_infer *i, const int64_t *numbers, size_t count) {
    size_t n_minus_one = 0;
    gei_words words;
    for (size_t k = 0; k < count; k++) {
        n_minus_one += numbers[k] == -1;
        if (numbers[k] < -1)
            return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "%s: %lld is no size", gei_ints_words(numbers, count, &words),
                                  (long long)numbers[k]);
    }
    if (n_minus_one > 1) return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "%s has more than one -1", gei_ints_words(numbers, count, &words));
    return GE_OK;
}

static ge_status check_ambiguous(const gei_infer *i, const gei_shape *y, int32_t free_dim) {
    gei_words words;
    for (int32_t d = 0; d < y->rank; d++)
        if (d != free_dim && y->dims[d] == 0)
            return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "-1 cannot be found in %s: another dim is 0", gei_shape_words(y, &words));
    return GE_OK;
}

/* x of unknown rank: the sizes that the shape input gives itself. */
static void keep_what_is_said(gei_infer *i) {
    bool zero_copies = gei_node_int(i->node, "allowzero", 0) == 0;
    gei_dim dims[GEI_MAX_RANK];
    size_t count, minus_one;
    if (gei_node_int(i->node, "axis", 0) != 0 || gei_node_int(i->node, "num_axes", -1) != -1) return;
    if (!gei_infer_dims(i, SLOT_SHAPE, dims, GEI_MAX_RANK, &count, &minus_one)) return;
    for (size_t k = 0; k < count; k++)
        if (dims[k] == 0 && zero_copies) dims[k] = GEI_DIM_UNKNOWN;
    i->out[0].shape = gei_shape_of((int32_t)count, dims);
}

static ge_status infer_reshape(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *shape = &i->in[SLOT_SHAPE]->shape;
    gei_dim dims[GEI_MAX_RANK];
    int64_t numbers[GEI_MAX_RANK];
    size_t count, n_numbers = 0, minus_one;
    int32_t begin = 0, end = 0, free_dim = -1;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    if (shape->rank > 1) return gei_infer_rank(i, SLOT_SHAPE, 0, 1);
    if (shape->rank == 1 && gei_dim_known(shape->dims[0]) && shape->dims[0] > GEI_MAX_RANK)
        return gei_infer_fail(i, GE_ERR_RANK, "shape", "%lld entries, at most %d", (long long)shape->dims[0], GEI_MAX_RANK);
    bool all_numbers = gei_infer_ints(i, SLOT_SHAPE, numbers, GEI_MAX_RANK, &n_numbers);
    if (all_numbers) GEI_TRY(check_wanted(i, numbers, n_numbers));
    if (x->rank < 0) {
        keep_what_is_said(i);
        return GE_OK;
    }
    GEI_TRY(replaced_range(i, x->rank, &begin, &end));
    if (!gei_infer_dims(i, SLOT_SHAPE, dims, GEI_MAX_RANK, &count, &minus_one)) {
        if (shape->rank != 1 || !gei_dim_known(shape->dims[0])) return GE_OK;
        count = (size_t)shape->dims[0]; /* only the rank is known */
        minus_one = SIZE_MAX;
        for (size_t k = 0; k < count; k++) dims[k] = GEI_DIM_UNKNOWN;
    }
    gei_shape y;
    GEI_TRY(place_dims(i, dims, count, minus_one, begin, end, &y, &free_dim));
    if (free_dim >= 0 && minus_one != SIZE_MAX) GEI_TRY(check_ambiguous(i, &y, free_dim));
    if (free_dim >= 0) {
        y.dims[free_dim] = quotient(x, &y, free_dim);
        int64_t n_x;
        if (all_numbers && gei_shape_elems(x, &n_x) && y.dims[free_dim] == GEI_DIM_UNKNOWN) y.dims[free_dim] = 0; /* does not divide */
    }
    i->out[0].shape = y;
    return check_count(i, x, &y, all_numbers ? numbers : NULL, n_numbers);
}

#define VIEW_TRAITS (GEI_OP_PURE | GEI_OP_VIEW | GEI_OP_MOVES)

static const gei_attr_map reshape_attrs[] = { { "allowzero", "allowzero", NULL }, { NULL, NULL, NULL } };
static const gei_source reshape_sources[] = { { GEI_FROM_ONNX, "Reshape", 5, NULL, reshape_attrs }, { 0 } };

GEI_OP(Reshape) = { .name = "Reshape", .infer = infer_reshape, .kernels = gei_copy_kernels, .sources = reshape_sources,
                    .traits = VIEW_TRAITS, .moved = 1u << SLOT_X, .needs_value = 1u << SLOT_SHAPE };

/* ---- Flatten: always two dims; axis may be the rank ---- */

static ge_status infer_flatten(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    int64_t axis = gei_node_int(i->node, "axis", 1);
    i->out[0].dtype = i->in[0]->dtype;
    i->out[0].shape = gei_shape_of(2, (gei_dim[]){ GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN });
    if (x->rank < 0) return GE_OK;
    if (axis < -x->rank || axis > x->rank)
        return gei_infer_fail(i, GE_ERR_SHAPE, "axis", "%lld is out of range for rank %d", (long long)axis, (int)x->rank);
    int32_t at = (int32_t)(axis < 0 ? axis + x->rank : axis);
    i->out[0].shape.dims[0] = gei_dim_product(x, 0, at);
    i->out[0].shape.dims[1] = gei_dim_product(x, at, x->rank);
    return GE_OK;
}

static const gei_attr_map flatten_attrs[] = { { "axis", "axis", "1" }, { NULL, NULL, NULL } };
static const gei_source flatten_sources[] = { { GEI_FROM_ONNX, "Flatten", 1, NULL, flatten_attrs }, { 0 } };

GEI_OP(Flatten) = { .name = "Flatten", .infer = infer_flatten, .kernels = gei_copy_kernels, .sources = flatten_sources,
                    .traits = VIEW_TRAITS, .moved = 1 };

/* ---- FlattenV2: dims axis..end_axis become one ---- */

static ge_status infer_flatten_v2(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    int32_t first, last;
    i->out[0].dtype = i->in[0]->dtype;
    if (x->rank < 0) return GE_OK;
    if (x->rank == 0) {
        i->out[0].shape = gei_shape_of(1, (gei_dim[]){ 1 });
        return GE_OK;
    }
    GEI_TRY(gei_infer_axis(i, "axis", gei_node_int(i->node, "axis", 1), x->rank, &first));
    GEI_TRY(gei_infer_axis(i, "end_axis", gei_node_int(i->node, "end_axis", -1), x->rank, &last));
    if (last < first) return gei_infer_fail(i, GE_ERR_SHAPE, "end_axis", "%d stands before axis %d", (int)last, (int)first);
    gei_shape *y = &i->out[0].shape;
    *y = gei_shape_of(first, x->dims);
    y->dims[y->rank++] = gei_dim_product(x, first, last + 1);
    for (int32_t d = last + 1; d < x->rank; d++) y->dims[y->rank++] = x->dims[d];
    return GE_OK;
}

GEI_OP(FlattenV2) = { .name = "FlattenV2", .infer = infer_flatten_v2, .kernels = gei_copy_kernels, .traits = VIEW_TRAITS, .moved = 1 };

GEI_WIDEN(Reshape, "x y", "any");
GEI_WIDEN(Flatten, "*", "any");
GEI_WIDEN(FlattenV2, "*", "any");
