/* SPDX-License-Identifier: Apache-2.0 */
/* One value for each plane, [N, C, ...] to [N, C, 1, ...] with any number of spatial dims: GeGlobalMaxPool (NaN wins) and GlobalLpPool,
 * the p-norm of the magnitudes. */
#include <math.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

static ge_status infer_global(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    int32_t dtype = i->in[0]->dtype;
    const gei_dtype_info *info = gei_dtype_get(dtype);
    bool norm = gei_def_attr(i->node->def, "p") != NULL;
    bool is_float = info && info->kind == GEI_KIND_FLOAT && info->bits >= 16, is_int = info && (info->kind == GEI_KIND_INT || info->kind == GEI_KIND_UINT) && info->bits >= 8;
    if (dtype != GEI_UNDEFINED && !is_float && (norm || !is_int))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    double p = gei_node_float(i->node, "p", 2);
    if (norm && !(p > 0)) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "p", "not above 0");
    GEI_TRY(gei_infer_rank(i, 0, 2, GEI_MAX_RANK));
    GEI_TRY(gei_infer_like_x(i));
    for (int32_t d = 2; d < x->rank; d++) {
        if (x->dims[d] == 0) return gei_infer_fail(i, GE_ERR_SHAPE, "x", "axis %d has no elements", (int)d);
        i->out[0].shape.dims[d] = 1;
    }
    return GE_OK;
}

static ge_status size_global(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    (void)diag;
    int64_t places = gei_dim_product(x, 2, x->rank), planes = gei_dim_product(x, 0, 2);
    s->n_parts = gei_parts(planes, places < 16384 ? 16384 / (places + 1) + 1 : 1);
    s->cost = (double)planes * (double)places;
    return GE_OK;
}

static int64_t places_of(const gei_view *x) {
    int64_t n = 1;
    for (int32_t d = 2; d < x->rank; d++) n *= x->dims[d];
    return n;
}

static void max_of_ints(const gei_view *x, const gei_view *y, int64_t plane, int64_t n) {
    int64_t block[GEI_BLOCK], best = 0;
    bool is_unsigned = x->dtype == GEI_UINT64; /* its bits are in int64 */
    for (int64_t at = 0; at < n; at += GEI_BLOCK) {
        int64_t count = n - at < GEI_BLOCK ? n - at : GEI_BLOCK;
        gei_load_i64(x->dtype, x->data, plane * n + at, count, block);
        for (int64_t k = 0; k < count; k++)
            if (at + k == 0 || (is_unsigned ? (uint64_t)block[k] > (uint64_t)best : block[k] > best)) best = block[k];
    }
    gei_store_i64(y->dtype, &best, y->data, plane, 1);
}

static double norm_term(double v, double p) { return p == 2 ? v * v : p == 1 ? fabs(v) : pow(fabs(v), p); }

/* p 0: the largest. */
static void reduce_floats(const gei_view *x, const gei_view *y, int64_t plane, int64_t n, double p) {
    double block[GEI_BLOCK], result = p == 0 ? -INFINITY : 0;
    for (int64_t at = 0; at < n; at += GEI_BLOCK) {
        int64_t count = n - at < GEI_BLOCK ? n - at : GEI_BLOCK;
        gei_load_f64(x->dtype, x->data, plane * n + at, count, block);
        for (int64_t k = 0; k < count; k++) {
            if (p == 0) result = block[k] > result || isnan(block[k]) ? block[k] : result;
            else result += norm_term(block[k], p);
        }
    }
    if (p == 2) result = sqrt(result);
    else if (p != 0 && p != 1) result = pow(result, 1 / p);
    gei_store_f64(y->dtype, &result, y->data, plane, 1);
}

static ge_status run_global(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    bool norm = gei_def_attr(run->node->def, "p") != NULL, is_float = gei_dtype_get(x->dtype)->kind == GEI_KIND_FLOAT;
    double p = norm ? gei_node_float(run->node, "p", 2) : 0;
    int64_t begin, end, n = places_of(x);
    gei_part_range(y->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t plane = begin; plane < end; plane++) {
        if (is_float) reduce_floats(x, y, plane, n, p);
        else max_of_ints(x, y, plane, n);
    }
    return GE_OK;
}

static const gei_kernel global_kernels[] = { { .name = "ref", .size = size_global, .run = run_global }, { 0 } };
static const gei_attr_map lp_attrs[] = { { "p", "p", "2" }, { NULL, NULL, NULL } };
static const gei_source max_sources[] = { { GEI_FROM_ONNX, "GlobalMaxPool", 1, NULL, NULL }, { 0 } };
static const gei_source lp_sources[] = { { GEI_FROM_ONNX, "GlobalLpPool", 1, NULL, lp_attrs }, { 0 } };

GEI_OP(GeGlobalMaxPool) = { .name = "GeGlobalMaxPool", .infer = infer_global, .kernels = global_kernels, .sources = max_sources, .traits = GEI_OP_PURE };
GEI_OP(GlobalLpPool) = { .name = "GlobalLpPool", .infer = infer_global, .kernels = global_kernels, .sources = lp_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(GlobalLpPool, "*", "float");
