/* SPDX-License-Identifier: Apache-2.0 */
/* IsNan, IsInf, IsPosInf, IsNegInf: 8-bit floats too. */
#include "ir/half.h"
#include "ops/elementwise.h"
#include "ops/import.h"

#define TILE 256

static ge_status infer_question(gei_infer *i, const gei_unary *u) {
    if (!gei_is_small_float(i->in[0]->dtype)) return gei_infer_unary(i, u);
    GEI_TRY(gei_infer_like_x(i));
    i->out[0].dtype = GEI_BOOL;
    return GE_OK;
}

static ge_status run_question(const gei_run *run, uint32_t part, const gei_unary *u) {
    const gei_view *x = run->in[0], *y = run->out[0];
    int64_t begin, end;
    float tile[TILE];
    if (!gei_is_small_float(x->dtype)) return gei_run_unary(run, part, u);
    gei_part_range(y->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at += TILE) {
        int64_t n = end - at < TILE ? end - at : TILE;
        for (int64_t k = 0; k < n; k++) tile[k] = gei_small_to_f32(x->dtype, ((const uint8_t *)x->data)[at + k]);
        u->loops[GEI_LANE_F32](tile, (uint8_t *)y->data + at, n, NULL);
    }
    return GE_OK;
}

#define GEI_OP_QUESTION(Name, expr, ...)                                                                                           \
    GEI_UNARY_LOOP(Name##_f32, float, float, uint8_t, expr)                                                                        \
    GEI_UNARY_LOOP(Name##_f64, double, double, uint8_t, expr)                                                                      \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name) }, .to = GEI_BOOL };                                  \
    static ge_status Name##_infer(gei_infer *i) { return infer_question(i, &Name##_unary); }                                       \
    static ge_status Name##_ref(const gei_run *run, uint32_t part) { return run_question(run, part, &Name##_unary); }              \
    static const gei_kernel Name##_kernels[] = { { .name = "ref", .size = gei_size_unary, .run = Name##_ref, .in_place = 1 },      \
                                                 { 0 } };                                                                          \
    static const gei_source Name##_sources[] = { __VA_ARGS__, { 0 } };                                                             \
    GEI_OP(Name) = { .name = #Name, .infer = Name##_infer, .kernels = Name##_kernels, .sources = Name##_sources,                   \
                     .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE }
GEI_WIDEN_FAMILY(QUESTION, "x", "float float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz");

/* ONNX IsInf with one of its sides, or with none: then an x that is both infinities at once is looked for. */
static ge_status map_is_inf(gei_import *im, gei_diag *diag) {
    bool negative = gei_import_int(im, "detect_negative", 1) != 0, positive = gei_import_int(im, "detect_positive", 1) != 0;
    const char *type = negative == positive ? "IsInf" : positive ? "IsPosInf" : "IsNegInf";
    gei_node *node, *other;
    if (negative || positive) {
        GEI_TRY(gei_import_node(im, type, im->inputs, im->n_inputs, &node, diag));
    } else {
        GEI_TRY(gei_import_node(im, "IsPosInf", im->inputs, im->n_inputs, &node, diag));
        GEI_TRY(gei_import_node(im, "IsNegInf", im->inputs, im->n_inputs, &other, diag));
        gei_value both[2] = { gei_value_of(node, 0), gei_value_of(other, 0) };
        GEI_TRY(gei_import_node(im, "LogicalAnd", both, 2, &node, diag));
    }
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

GEI_OP_QUESTION(IsNan, x != x, GEI_ONNX("IsNaN", 9));
GEI_OP_QUESTION(IsInf, fabs(x) == (double)INFINITY, GEI_ONNX_MAP("IsInf", 10, map_is_inf));
GEI_OP_QUESTION(IsPosInf, x == (double)INFINITY, GEI_NO_SOURCE);
GEI_OP_QUESTION(IsNegInf, x == -(double)INFINITY, GEI_NO_SOURCE);
