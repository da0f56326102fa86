/* SPDX-License-Identifier: Apache-2.0 */
/* GeQuantizeLinear, GeDequantizeLinear (ours, ONNX QuantizeLinear and DequantizeLinear):
 *   quantize    y = saturate(round_half_even(x / scale) + zero_point)        to integers; to 8-bit floats: cast(x / scale)
 *   dequantize  y = (x - zero_point) * scale
 * scale and zero_point are scalars, one for each index of `axis`, or one for each block of block_size along it. */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_SCALE, SLOT_ZERO };

/* Which scale serves element (outer, at, inner) of x seen as [outer, along, inner]: (outer * groups + at / block) * step_inner + inner % step_inner;
 * per tensor and per axis the outer and inner parts do not count. */
typedef struct quantizer {
    int64_t along, inner, block, groups;
    bool one, blocked;
} quantizer;

static ge_status read_axis(const gei_infer *i, int32_t rank, int32_t *out_axis) {
    return gei_infer_axis(i, "axis", gei_node_int(i->node, "axis", 1), rank, out_axis);
}

static int64_t elems_of(const gei_shape *s) {
    int64_t n;
    return gei_shape_elems(s, &n) ? n : -1;
}

static ge_status check_scale(const gei_infer *i, uint32_t slot) {
    const gei_info *x = i->in[SLOT_X], *s = gei_infer_in(i, slot);
    int64_t block = gei_node_int(i->node, "block_size", 0);
    gei_words words;
    int32_t axis;
    if (block < 0) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "block_size", "%lld is negative", (long long)block);
    if (!s || s->shape.rank < 0 || x->shape.rank < 0 || elems_of(&s->shape) == 1) return GE_OK;
    GEI_TRY(read_axis(i, x->shape.rank, &axis));
    if (block == 0) {
        if (s->shape.rank == 1 && (!gei_dim_known(s->shape.dims[0]) || !gei_dim_known(x->shape.dims[axis]) || s->shape.dims[0] == x->shape.dims[axis]))
            return GE_OK;
        return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "shape %s does not fit axis %d", gei_shape_words(&s->shape, &words), (int)axis);
    }
    if (s->shape.rank != x->shape.rank)
        return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "rank %d, wanted that of x, %d", (int)s->shape.rank, (int)x->shape.rank);
    for (int32_t d = 0; d < s->shape.rank; d++) {
        gei_dim have = s->shape.dims[d], from = x->shape.dims[d];
        if (!gei_dim_known(have) || !gei_dim_known(from)) continue;
        if (have != (d == axis ? (from + block - 1) / block : from))
            return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "dim %d is %lld for %lld of x", (int)d, (long long)have, (long long)from);
    }
    return GE_OK;
}

/* One zero point for each scale. */
static ge_status check_both(const gei_infer *i) {
    const gei_info *scale = gei_infer_in(i, SLOT_SCALE), *zero = gei_infer_in(i, SLOT_ZERO);
    gei_words have, wanted;
    GEI_TRY(check_scale(i, SLOT_SCALE));
    GEI_TRY(check_scale(i, SLOT_ZERO));
    if (!zero) return GE_OK;
    int64_t n_scale = elems_of(&scale->shape), n_zero = elems_of(&zero->shape);
    if (n_scale < 0 || n_zero < 0 || n_scale == n_zero) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, SLOT_ZERO), "shape %s, wanted that of the scale, %s",
                          gei_shape_words(&zero->shape, &have), gei_shape_words(&scale->shape, &wanted));
}

static ge_status infer_quantize(gei_infer *i) {
    const gei_info *zero = gei_infer_in(i, SLOT_ZERO);
    int64_t to = gei_node_int(i->node, "dst_type", GEI_UNDEFINED);
    i->out[0].dtype = to != GEI_UNDEFINED ? (int32_t)to : zero ? zero->dtype : GEI_UINT8;
    i->out[0].shape = i->in[SLOT_X]->shape;
    if (!gei_dtype_is_real(i->out[0].dtype))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "y", "data type %s is not supported", gei_dtype_name(i->out[0].dtype));
    return check_both(i);
}

static ge_status infer_dequantize(gei_infer *i) {
    int64_t to = gei_node_int(i->node, "dst_type", GEI_UNDEFINED);
    i->out[0].dtype = to != GEI_UNDEFINED ? (int32_t)to : i->in[SLOT_SCALE]->dtype;
    i->out[0].shape = i->in[SLOT_X]->shape;
    return check_both(i);
}

static ge_status size_linear(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[SLOT_X]->shape, *scale = &s->in[SLOT_SCALE]->shape;
    quantizer *q = gei_arena_new(s->arena, quantizer);
    int32_t axis = 0;
    if (!q) return gei_out_of_memory(diag, sizeof *q);
    q->one = elems_of(scale) == 1;
    q->blocked = !q->one && gei_node_int(s->node, "block_size", 0) > 0;
    if (!q->one) GEI_TRY(read_axis(&i, x->rank, &axis));
    q->along = x->rank > 0 && !q->one ? x->dims[axis] : 1;
    q->inner = q->one ? 1 : gei_dim_product(x, axis + 1, x->rank);
    q->block = q->blocked ? gei_node_int(s->node, "block_size", 0) : 1;
    q->groups = (q->along + q->block - 1) / q->block;
    int64_t n = elems_of(x);
    s->sized = q;
    s->n_parts = gei_parts(n, 16384);
    s->cost = 4 * (double)n;
    return GE_OK;
}

static int64_t scale_index(const quantizer *q, int64_t at) {
    if (q->one) return 0;
    int64_t inner = at % q->inner, along = at / q->inner % q->along;
    return q->blocked ? (at / q->inner / q->along * q->groups + along / q->block) * q->inner + inner : along;
}

/* Runs of elements with one scale: at most GEI_BLOCK. */
static int64_t same_scale(const quantizer *q, int64_t at, int64_t end) {
    int64_t n = end - at < GEI_BLOCK ? end - at : GEI_BLOCK;
    if (q->one) return n;
    if (q->blocked) return 1;
    int64_t left = q->inner - at % q->inner;
    return left < n ? left : n;
}

static void range_of(int32_t dtype, double *low, double *high) {
    const gei_dtype_info *type = gei_dtype_get(dtype);
    double span = ldexp(1, (int)type->bits);
    *low = type->kind == GEI_KIND_INT ? -span / 2 : 0;
    *high = type->kind == GEI_KIND_INT ? span / 2 - 1 : span - 1;
}

static ge_status run_quantize(const gei_run *run, uint32_t part) {
    const quantizer *q = run->sized;
    const gei_view *x = run->in[SLOT_X], *scale = run->in[SLOT_SCALE], *zero = run->n_in > SLOT_ZERO ? run->in[SLOT_ZERO] : NULL;
    int32_t to = run->out[0]->dtype;
    bool to_float = gei_dtype_get(to)->kind == GEI_KIND_FLOAT;
    bool narrow = scale->dtype != GEI_FLOAT64; /* the quotient is rounded to float32 before it is rounded to an integer */
    double block[GEI_BLOCK], low, high;
    int64_t begin, end;
    range_of(to, &low, &high);
    gei_part_range(x->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t at = begin, n; at < end; at += n) {
        int64_t k = scale_index(q, at);
        double by = gei_view_f64(scale, k), shift = zero ? gei_view_f64(zero, k) : 0;
        n = same_scale(q, at, end);
        gei_load_f64(x->dtype, x->data, at, n, block);
        for (int64_t j = 0; j < n; j++) {
            double v = narrow ? (double)((float)block[j] / (float)by) : block[j] / by;
            if (!to_float) {
                v = nearbyint(v) + shift;
                v = v < low || v != v ? low : v > high ? high : v;
            }
            block[j] = v;
        }
        gei_store_f64(to, block, run->out[0]->data, at, n);
    }
    return GE_OK;
}

static ge_status run_dequantize(const gei_run *run, uint32_t part) {
    const quantizer *q = run->sized;
    const gei_view *x = run->in[SLOT_X], *scale = run->in[SLOT_SCALE], *zero = run->n_in > SLOT_ZERO ? run->in[SLOT_ZERO] : NULL;
    double block[GEI_BLOCK];
    int64_t begin, end;
    gei_part_range(x->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t at = begin, n; at < end; at += n) {
        int64_t k = scale_index(q, at);
        double by = gei_view_f64(scale, k), shift = zero ? gei_view_f64(zero, k) : 0;
        n = same_scale(q, at, end);
        gei_load_f64(x->dtype, x->data, at, n, block);
        for (int64_t j = 0; j < n; j++) block[j] = (block[j] - shift) * by;
        gei_store_f64(run->out[0]->dtype, block, run->out[0]->data, at, n);
    }
    return GE_OK;
}

/* ---- ONNX ---- */

static ge_status map_linear(gei_import *im, gei_diag *diag) {
    gei_value ins[3] = { gei_import_input(im, 0), gei_import_input(im, 1), gei_import_input(im, 2) };
    int64_t to = gei_import_int(im, "output_dtype", 0);
    gei_node *node;
    GEI_TRY(gei_import_node(im, im->op->name, ins, 3, &node, diag));
    if (to != 0) {
        int32_t dtype = gei_dtype_from_onnx((int32_t)to);
        if (dtype == GEI_UNDEFINED) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "output_dtype %lld is no data type", (long long)to);
        GEI_TRY(gei_import_set_int(node, "dst_type", dtype, diag));
    }
    GEI_TRY(gei_import_set_int(node, "axis", gei_import_int(im, "axis", 1), diag));
    GEI_TRY(gei_import_set_int(node, "block_size", gei_import_int(im, "block_size", 0), diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_kernel quantize_kernels[] = { { .name = "ref", .size = size_linear, .run = run_quantize }, { 0 } };
static const gei_kernel dequantize_kernels[] = { { .name = "ref", .size = size_linear, .run = run_dequantize }, { 0 } };
static const gei_source quantize_sources[] = { { GEI_FROM_ONNX, "QuantizeLinear", 10, map_linear, NULL }, { 0 } };
static const gei_source dequantize_sources[] = { { GEI_FROM_ONNX, "DequantizeLinear", 10, map_linear, NULL }, { 0 } };

GEI_OP(GeQuantizeLinear) = { .name = "GeQuantizeLinear", .infer = infer_quantize, .kernels = quantize_kernels, .sources = quantize_sources,
                             .traits = GEI_OP_PURE };
GEI_OP(GeDequantizeLinear) = { .name = "GeDequantizeLinear", .infer = infer_dequantize, .kernels = dequantize_kernels, .sources = dequantize_sources,
                               .traits = GEI_OP_PURE };
