/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of many inputs: AddN, AccumulateNV2 (equal shapes), GeMean (ours: their mean, broadcasting, rounded once).
 * Floats add up in double, integers wrap. */
#include "kernels/broadcast.h"
#include "ops/blocks.h"
#include "ops/elementwise.h"
#include "ops/elementwise/chain.h"

static ge_status check_dtype(gei_infer *i) {
    int32_t dtype;
    GEI_TRY(gei_infer_same_dtype(i, 0, i->n_in, &dtype));
    i->out[0].dtype = dtype;
    if (dtype == GEI_UNDEFINED || (gei_dtype_is_real(dtype) && gei_lane_of(dtype) < GEI_LANE_BOOL)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
}

static ge_status check_inputs(const gei_infer *i) {
    if (i->n_in == 0) return gei_infer_fail(i, GE_ERR_BAD_GRAPH, "x", "it has no inputs");
    for (uint32_t k = 0; k < i->n_in; k++)
        if (!i->in[k]) return gei_infer_fail(i, GE_ERR_BAD_GRAPH, "x", "input %u is missing", k);
    return GE_OK;
}

static ge_status infer_sum(gei_infer *i) {
    gei_words a, b;
    GEI_TRY(check_inputs(i));
    GEI_TRY(check_dtype(i));
    i->out[0].shape = i->in[0]->shape;
    for (uint32_t k = 1; k < i->n_in; k++) {
        if (!gei_shape_fits(&i->in[k]->shape, &i->in[0]->shape))
            return gei_infer_fail(i, GE_ERR_SHAPE, "x", "input %u has shape %s, input 0 has %s", k, gei_shape_words(&i->in[k]->shape, &a),
                                  gei_shape_words(&i->in[0]->shape, &b));
        if (gei_shape_known(&i->in[k]->shape)) i->out[0].shape = i->in[k]->shape;
    }
    return GE_OK;
}

static ge_status infer_mean(gei_infer *i) {
    GEI_TRY(check_inputs(i));
    GEI_TRY(check_dtype(i));
    return gei_infer_broadcast_all(i);
}

/* A plan for each input. */
static ge_status size_sum(gei_sizing *s, gei_diag *diag) {
    const gei_shape *y = &s->out[0].shape;
    int64_t n = 0;
    gei_broadcast *plans = gei_arena_array(s->arena, gei_broadcast, s->n_in);
    if (!plans) return gei_out_of_memory(diag, sizeof *plans);
    for (uint32_t k = 0; k < s->n_in; k++) {
        gei_broadcast_plan(&plans[k], y->rank, y->dims);
        gei_broadcast_add(&plans[k], y->rank, y->dims, s->in[k]->shape.rank, s->in[k]->shape.dims);
        gei_broadcast_merge(&plans[k]);
    }
    (void)gei_shape_elems(y, &n);
    s->sized = plans;
    s->n_parts = gei_parts(n, 8192);
    s->cost = (double)n * s->n_in;
    return GE_OK;
}

/* Adds elements [at, at + n) of an input, as wide as the output. */
static void add_floats(const gei_view *x, const gei_broadcast *plan, int64_t at, int64_t n, double *sum) {
    gei_broadcast_walk w;
    double block[GEI_BLOCK];
    int64_t step = gei_broadcast_step(plan, 0);
    for (bool more = gei_broadcast_first(&w, plan, at, at + n); more; more = gei_broadcast_next(&w)) {
        gei_load_f64(x->dtype, x->data, w.offset[0], step ? w.run : 1, block);
        for (int64_t k = 0; k < w.run; k++) sum[w.at - at + k] += block[k * step];
    }
}

static void add_ints(const gei_view *x, const gei_broadcast *plan, int64_t at, int64_t n, int64_t *sum) {
    gei_broadcast_walk w;
    int64_t block[GEI_BLOCK], step = gei_broadcast_step(plan, 0);
    for (bool more = gei_broadcast_first(&w, plan, at, at + n); more; more = gei_broadcast_next(&w)) {
        gei_load_i64(x->dtype, x->data, w.offset[0], step ? w.run : 1, block);
        for (int64_t k = 0; k < w.run; k++) sum[w.at - at + k] = (int64_t)((uint64_t)sum[w.at - at + k] + (uint64_t)block[k * step]);
    }
}

static ge_status run_sum(const gei_run *run, uint32_t part, double divisor) {
    const gei_broadcast *plans = (const gei_broadcast *)run->sized;
    const gei_view *y = run->out[0];
    bool floats = gei_dtype_get(y->dtype)->kind == GEI_KIND_FLOAT;
    int64_t begin, end;
    gei_part_range(y->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at += GEI_BLOCK) {
        int64_t n = end - at < GEI_BLOCK ? end - at : GEI_BLOCK, whole[GEI_BLOCK] = { 0 };
        double sum[GEI_BLOCK] = { 0 };
        for (uint32_t k = 0; k < run->n_in; k++) {
            if (floats) add_floats(run->in[k], &plans[k], at, n, sum);
            else add_ints(run->in[k], &plans[k], at, n, whole);
        }
        for (int64_t k = 0; k < n; k++) sum[k] /= divisor;
        if (floats) gei_store_f64(y->dtype, sum, y->data, at, n);
        else gei_store_i64(y->dtype, whole, y->data, at, n);
    }
    return GE_OK;
}

static ge_status run_add(const gei_run *run, uint32_t part) { return run_sum(run, part, 1); }
static ge_status run_mean(const gei_run *run, uint32_t part) { return run_sum(run, part, (double)run->n_in); }

static ge_status map_sum(gei_import *im, gei_diag *diag) { return gei_import_chain(im, "Add", diag); }

static const gei_kernel sum_kernels[] = { { .name = "ref", .size = size_sum, .run = run_add, .in_place = ~UINT32_C(0) }, { 0 } };
static const gei_kernel mean_kernels[] = { { .name = "ref", .size = size_sum, .run = run_mean }, { 0 } };
static const gei_source sum_sources[] = { GEI_ONNX_MAP("Sum", 6, map_sum), { 0 } };
static const gei_source mean_sources[] = { GEI_ONNX("Mean", 6), { 0 } };

GEI_OP(AddN) = { .name = "AddN", .infer = infer_sum, .kernels = sum_kernels, .sources = sum_sources, .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };
GEI_OP(AccumulateNV2) = { .name = "AccumulateNV2", .infer = infer_sum, .kernels = sum_kernels, .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };
GEI_OP(GeMean) = { .name = "GeMean", .infer = infer_mean, .kernels = mean_kernels, .sources = mean_sources, .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };
GEI_WIDEN(AddN, "*", "real");
GEI_WIDEN(AccumulateNV2, "*", "real");

/* ---- chains ---- */

ge_status gei_import_chain(gei_import *im, const char *type, gei_diag *diag) {
    gei_node *node;
    gei_value so_far = gei_import_input(im, 0);
    if (!so_far.node) return gei_import_fail(im, GE_ERR_BAD_GRAPH, diag, "it has no inputs");
    if (im->n_inputs == 1) {
        GEI_TRY(gei_import_node(im, "Identity", &so_far, 1, &node, diag));
        so_far = gei_value_of(node, 0);
    }
    for (uint32_t k = 1; k < im->n_inputs; k++) {
        gei_value pair[2] = { so_far, gei_import_input(im, k) };
        GEI_TRY(gei_import_node(im, type, pair, 2, &node, diag));
        so_far = gei_value_of(node, 0);
    }
    gei_import_set_output(im, 0, so_far);
    return GE_OK;
}
