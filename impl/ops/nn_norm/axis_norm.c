/* SPDX-License-Identifier: Apache-2.0 */
/* MVNV2: mean and spread of some axes taken out.  GeLpNormalize: an axis divided by its norm, 0 where that is 0. */
#include "ops/import.h"
#include "ops/nn_norm/norm.h"

static ge_status read_axes(const gei_infer *i, int32_t rank, uint32_t *out_mask) {
    int64_t axis = gei_node_int(i->node, "axis", -1);
    gei_int_list axes = gei_node_ints(i->node, "axes");
    if (gei_def_attr(i->node->def, "axis")) axes = (gei_int_list){ &axis, 1 };
    return gei_infer_axes(i, "axes", axes.data, axes.count, rank, out_mask);
}

static ge_status infer_axis(gei_infer *i) {
    uint32_t mask;
    int64_t p = gei_node_int(i->node, "p", 2);
    GEI_TRY(gei_norm_check_dtype(i, 0));
    if (p != 1 && p != 2) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "p", "%lld, wanted 1 or 2", (long long)p);
    GEI_TRY(gei_infer_like_x(i));
    return i->in[0]->shape.rank < 0 ? GE_OK : read_axes(i, i->in[0]->shape.rank, &mask);
}

static ge_status size_axis(gei_sizing *s, gei_norm_kind kind, double epsilon, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[0]->shape;
    gei_norm_view v = { .rank = x->rank };
    gei_norm_rows *rows = gei_arena_new(s->arena, gei_norm_rows);
    if (!rows) return gei_out_of_memory(diag, sizeof *rows);
    for (int32_t d = 0; d < x->rank; d++) v.dims[d] = x->dims[d];
    GEI_TRY(read_axes(&i, x->rank, &v.reduced));
    *rows = (gei_norm_rows){ .norm = { .kind = kind, .epsilon = epsilon }, .gain = -1, .shift = -1 };
    return gei_size_norm(s, &v, rows, diag);
}

static ge_status size_mvn(gei_sizing *s, gei_diag *diag) { return size_axis(s, GEI_NORM_SPREAD, gei_node_float(s->node, "eps", 1e-9), diag); }
static ge_status size_lp(gei_sizing *s, gei_diag *diag) {
    return size_axis(s, gei_node_int(s->node, "p", 2) == 1 ? GEI_NORM_L1 : GEI_NORM_L2, 0, diag);
}

static const gei_kernel mvn_kernels[] = { { .name = "ref", .size = size_mvn, .run = gei_run_norm, .in_place = 1 }, { 0 } };
static const gei_kernel lp_kernels[] = { { .name = "ref", .size = size_lp, .run = gei_run_norm, .in_place = 1 }, { 0 } };

static const gei_attr_map mvn_attrs[] = { { "axes", "axes", "[0,2,3]" }, { NULL, NULL, NULL } };
static const gei_attr_map lp_attrs[] = { { "axis", "axis", "-1" }, { "p", "p", "2" }, { NULL, NULL, NULL } };
static const gei_source mvn_sources[] = { { GEI_FROM_ONNX, "MeanVarianceNormalization", 9, NULL, mvn_attrs }, { 0 } };
static const gei_source lp_sources[] = { { GEI_FROM_ONNX, "LpNormalization", 1, NULL, lp_attrs }, { 0 } };

GEI_OP(MVNV2) = { .name = "MVNV2", .infer = infer_axis, .kernels = mvn_kernels, .sources = mvn_sources, .traits = GEI_OP_PURE };
GEI_OP(GeLpNormalize) = { .name = "GeLpNormalize", .infer = infer_axis, .kernels = lp_kernels, .sources = lp_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(MVNV2, "*", "float");
