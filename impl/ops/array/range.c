/* SPDX-License-Identifier: Apache-2.0 */
/* Range: start, start + delta, ... below limit (up to it with is_closed).  Element k is start + k * delta, rounded once. */
#include <math.h>

#include "ops/blocks.h"
#include "ops/rules.h"

enum { SLOT_START, SLOT_LIMIT, SLOT_DELTA };

#define MOST_ELEMS (INT64_C(1) << 48)

static ge_status too_many(const gei_infer *i) {
    return gei_infer_fail(i, GE_ERR_LIMIT, "limit", "more than 2^48 elements");
}

/* Distances are unsigned: they may be wider than int64.  Elements of uint64 are compared as such by flipping the sign bit. */
static ge_status count_ints(const gei_infer *i, const int64_t *v, bool closed, int64_t *out_count) {
    uint64_t flip = i->out[0].dtype == GEI_UINT64 ? UINT64_C(1) << 63 : 0;
    int64_t start = (int64_t)((uint64_t)v[SLOT_START] ^ flip), limit = (int64_t)((uint64_t)v[SLOT_LIMIT] ^ flip), delta = v[SLOT_DELTA];
    bool up = delta > 0 || flip;
    uint64_t step = up ? (uint64_t)delta : 0 - (uint64_t)delta;
    *out_count = 0;
    if (delta == 0) return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, "delta", "it is 0");
    if (up ? start > limit : start < limit) return GE_OK;
    uint64_t distance = up ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    if (distance == 0 && !closed) return GE_OK;
    uint64_t steps = closed ? distance / step : (distance - 1) / step;
    if (steps >= (uint64_t)MOST_ELEMS) return too_many(i);
    *out_count = (int64_t)steps + 1;
    return GE_OK;
}

static ge_status count_floats(const gei_infer *i, const double *v, bool closed, int64_t *out_count) {
    double steps = (v[SLOT_LIMIT] - v[SLOT_START]) / v[SLOT_DELTA];
    *out_count = 0;
    if (v[SLOT_DELTA] == 0 || isnan(steps))
        return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, "delta", "no range from %g to %g by %g", v[SLOT_START], v[SLOT_LIMIT], v[SLOT_DELTA]);
    double n = closed ? floor(steps) + 1 : ceil(steps);
    if (n > (double)MOST_ELEMS) return too_many(i);
    if (n > 0) *out_count = (int64_t)n;
    return GE_OK;
}

static bool all_ints(const gei_infer *i, int64_t *v) {
    size_t n;
    for (uint32_t k = 0; k < 3; k++)
        if (!gei_infer_ints(i, k, &v[k], 1, &n) || n != 1) return false;
    return true;
}

static bool all_floats(const gei_infer *i, double *v) {
    size_t n;
    for (uint32_t k = 0; k < 3; k++)
        if (!gei_infer_f64(i, k, &v[k], 1, &n) || n != 1) return false;
    return true;
}

/* 0 .. a symbol by 1: that symbol. */
static gei_dim symbolic_count(const gei_infer *i) {
    int64_t start, delta;
    gei_dim limit;
    size_t n, minus_one;
    if (gei_node_bool(i->node, "is_closed", false)) return GEI_DIM_UNKNOWN;
    if (!gei_infer_ints(i, SLOT_START, &start, 1, &n) || n != 1 || start != 0) return GEI_DIM_UNKNOWN;
    if (!gei_infer_ints(i, SLOT_DELTA, &delta, 1, &n) || n != 1 || delta != 1) return GEI_DIM_UNKNOWN;
    return gei_infer_dims(i, SLOT_LIMIT, &limit, 1, &n, &minus_one) && n == 1 && minus_one == SIZE_MAX ? limit : GEI_DIM_UNKNOWN;
}

static ge_status check_scalars(const gei_infer *i) {
    gei_words words;
    for (uint32_t k = 0; k < 3; k++) {
        const gei_shape *s = &i->in[k]->shape;
        gei_dim n = gei_dim_product(s, 0, s->rank);
        if (s->rank >= 0 && gei_dim_known(n) && n != 1)
            return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, k), "shape %s, wanted one number", gei_shape_words(s, &words));
    }
    return GE_OK;
}

static ge_status infer_range(gei_infer *i) {
    bool closed = gei_node_bool(i->node, "is_closed", false);
    int64_t whole[3];
    double v[3];
    gei_dim count = GEI_DIM_UNKNOWN;
    GEI_TRY(gei_infer_same_dtype(i, 0, 3, &i->out[0].dtype));
    GEI_TRY(check_scalars(i));
    const gei_dtype_info *dtype = gei_dtype_get(i->out[0].dtype);
    if (dtype->dtype != GEI_UNDEFINED && (!gei_dtype_is_real(dtype->dtype) || dtype->kind == GEI_KIND_BOOL || dtype->bits < 8))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "start", "data type %s is not supported", dtype->name);
    if (dtype->kind != GEI_KIND_FLOAT && all_ints(i, whole)) GEI_TRY(count_ints(i, whole, closed, &count));
    else if (dtype->kind == GEI_KIND_FLOAT && all_floats(i, v)) GEI_TRY(count_floats(i, v, closed, &count));
    else count = symbolic_count(i);
    i->out[0].shape = gei_shape_of(1, &count);
    return GE_OK;
}

static ge_status size_range(gei_sizing *s, gei_diag *diag) {
    int64_t n = s->out[0].shape.dims[0];
    (void)diag;
    s->n_parts = gei_parts(n, 16384);
    s->cost = (double)n;
    return GE_OK;
}

static void range_floats(const gei_run *run, int64_t at, int64_t n) {
    double start = gei_view_f64(run->in[SLOT_START], 0), delta = gei_view_f64(run->in[SLOT_DELTA], 0), block[GEI_BLOCK];
    for (int64_t k = 0; k < n; k++) block[k] = start + (double)(at + k) * delta;
    gei_store_f64(run->out[0]->dtype, block, run->out[0]->data, at, n);
}

static void range_ints(const gei_run *run, int64_t at, int64_t n) {
    uint64_t start = (uint64_t)gei_view_i64(run->in[SLOT_START], 0), delta = (uint64_t)gei_view_i64(run->in[SLOT_DELTA], 0);
    int64_t block[GEI_BLOCK];
    for (int64_t k = 0; k < n; k++) block[k] = (int64_t)(start + (uint64_t)(at + k) * delta);
    gei_store_i64(run->out[0]->dtype, block, run->out[0]->data, at, n);
}

static ge_status run_range(const gei_run *run, uint32_t part) {
    bool floats = gei_dtype_get(run->out[0]->dtype)->kind == GEI_KIND_FLOAT;
    int64_t begin, end;
    gei_part_range(run->out[0]->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at += GEI_BLOCK) {
        int64_t n = end - at < GEI_BLOCK ? end - at : GEI_BLOCK;
        if (floats) range_floats(run, at, n);
        else range_ints(run, at, n);
    }
    return GE_OK;
}

static const gei_kernel range_kernels[] = { { .name = "ref", .size = size_range, .run = run_range }, { 0 } };
/* ONNX 27's stash_type says how wide halves add up: rounding once is never less exact. */
static const gei_source range_sources[] = { { GEI_FROM_ONNX, "Range", 11, NULL, NULL }, { 0 } };

GEI_OP(Range) = { .name = "Range", .infer = infer_range, .kernels = range_kernels, .sources = range_sources, .traits = GEI_OP_PURE,
                  .needs_value = 1u << SLOT_START | 1u << SLOT_LIMIT | 1u << SLOT_DELTA };
GEI_WIDEN(Range, "*", "real");
