/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of the last axes.  Gains and offsets are broadcast to x, which is more than Ascend IR asks for and what ONNX says.
 *   LayerNorm    axes from begin_norm_axis; third output the variance
 *   LayerNormV3  the same with the reciprocal root of variance + epsilon; stash_type (ours): ONNX data type of mean and root, 0: x's
 *   LayerNormV4  as many axes as normalized_shape has entries
 *   GeLayerNorm  V3 for where there is no offset
 *   RmsNorm      by the root of the mean square, over the axes gamma has, or from begin_norm_axis (ours) */
#include "ops/import.h"
#include "ops/nn_norm/norm.h"

typedef struct layer { /* what a row differs in */
    const char *axis;      /* attribute of the first axis; NULL: by the entries of input 1 */
    int64_t absent;
    uint32_t gain, shift;  /* slots */
    gei_norm_report report;
} layer;

static const layer layer_norm = { "begin_norm_axis", 0, 1, 2, GEI_NORM_VARIANCE };
static const layer layer_norm_v3 = { "begin_norm_axis", 0, 1, 2, GEI_NORM_RSTD };
static const layer layer_norm_v4 = { NULL, 0, 2, 3, GEI_NORM_RSTD };
static const layer ge_layer_norm = { "axis", -1, 1, 2, GEI_NORM_RSTD };

/* *out_axis -1: not known. */
static ge_status first_axis(const gei_infer *i, const layer *l, int32_t rank, int32_t *out_axis) {
    *out_axis = -1;
    if (l->axis) return gei_infer_axis(i, l->axis, gei_node_int(i->node, l->axis, l->absent), rank, out_axis);
    int64_t n;
    if (!gei_shape_elems(&i->in[1]->shape, &n)) return GE_OK;
    if (n < 1 || n > rank) return gei_infer_fail(i, GE_ERR_SHAPE, "normalized_shape", "%lld entries for rank %d", (long long)n, (int)rank);
    *out_axis = rank - (int32_t)n;
    return GE_OK;
}

static ge_status check_normalized(const gei_infer *i, int32_t axis) {
    const gei_shape *x = &i->in[0]->shape;
    int64_t sizes[GEI_MAX_RANK];
    size_t count;
    gei_words a, b;
    if (axis < 0 || !gei_infer_ints(i, 1, sizes, GEI_MAX_RANK, &count)) return GE_OK;
    for (size_t k = 0; k < count; k++)
        if (gei_dim_known(x->dims[axis + (int32_t)k]) && x->dims[axis + (int32_t)k] != sizes[k])
            return gei_infer_fail(i, GE_ERR_SHAPE, "normalized_shape", "%s is not how %s ends", gei_ints_words(sizes, count, &a), gei_shape_words(x, &b));
    return GE_OK;
}

static ge_status infer_layer(gei_infer *i, const layer *l) {
    const gei_shape *x = &i->in[0]->shape;
    int64_t stash = gei_node_int(i->node, "stash_type", 0);
    int32_t axis;
    for (uint32_t k = 0; k < i->n_in; k++)
        if (l->axis || k != 1) GEI_TRY(gei_norm_check_dtype(i, k));
    int32_t stats = stash == 0 ? i->in[0]->dtype : stash > 0 && stash < 32 ? gei_dtype_from_onnx((int32_t)stash) : GEI_UNDEFINED;
    if (stash != 0 && stats != GEI_FLOAT32 && stats != GEI_FLOAT64 && stats != GEI_FLOAT16 && stats != GEI_BFLOAT16)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "stash_type", "%lld is no floating-point type", (long long)stash);
    for (uint32_t k = 0; k < i->n_out; k++) i->out[k].dtype = k == 0 ? i->in[0]->dtype : stats;
    i->out[0].shape = *x;
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, 0, 1, GEI_MAX_RANK));
    GEI_TRY(first_axis(i, l, x->rank, &axis));
    if (!l->axis) GEI_TRY(check_normalized(i, axis));
    GEI_TRY(gei_norm_check_fits(i, l->gain, x));
    GEI_TRY(gei_norm_check_fits(i, l->shift, x));
    for (uint32_t k = 1; k < i->n_out; k++) {
        i->out[k].shape = *x;
        for (int32_t d = 0; d < x->rank; d++)
            if (axis < 0) i->out[k].shape.dims[d] = GEI_DIM_UNKNOWN;
            else if (d >= axis) i->out[k].shape.dims[d] = 1;
    }
    return GE_OK;
}

static ge_status size_from(gei_sizing *s, int32_t axis, gei_norm_rows *rows, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    gei_norm_view v = { .rank = x->rank };
    for (int32_t d = 0; d < x->rank; d++) {
        v.dims[d] = x->dims[d];
        if (d >= axis) v.reduced |= UINT32_C(1) << d;
    }
    if (rows->gain >= 0) gei_norm_strides(&s->in[rows->gain]->shape, x, v.gain);
    if (rows->shift >= 0) gei_norm_strides(&s->in[rows->shift]->shape, x, v.shift);
    return gei_size_norm(s, &v, rows, diag);
}

static ge_status size_layer(gei_sizing *s, const layer *l, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    gei_norm_rows *rows = gei_arena_new(s->arena, gei_norm_rows);
    int32_t axis;
    if (!rows) return gei_out_of_memory(diag, sizeof *rows);
    GEI_TRY(first_axis(&i, l, s->in[0]->shape.rank, &axis));
    *rows = (gei_norm_rows){ .norm = { .kind = GEI_NORM_MEAN, .epsilon = gei_node_float(s->node, "epsilon", 1e-5) }, .report = l->report,
                             .gain = gei_norm_slot(s->in, s->n_in, l->gain), .shift = gei_norm_slot(s->in, s->n_in, l->shift) };
    return size_from(s, axis, rows, diag);
}

#define LAYER_ROW(form)                                                                                         \
    static ge_status infer_##form(gei_infer *i) { return infer_layer(i, &form); }                               \
    static ge_status size_##form(gei_sizing *s, gei_diag *diag) { return size_layer(s, &form, diag); }          \
    static const gei_kernel form##_kernels[] = { GEI_NORM_ROWS_KERNEL(size_##form), { .name = "ref", .size = size_##form, .run = gei_run_norm, .in_place = 1 }, { 0 } };
LAYER_ROW(layer_norm)
LAYER_ROW(layer_norm_v3)
LAYER_ROW(layer_norm_v4)
LAYER_ROW(ge_layer_norm)

/* ---- RmsNorm ---- */

static ge_status rms_axis(const gei_infer *i, int32_t rank, int32_t *out_axis) {
    const gei_attr *first = gei_node_attr(i->node, "begin_norm_axis");
    *out_axis = -1;
    if (first && first->kind == GEI_ATTR_INT) return gei_infer_axis(i, "begin_norm_axis", first->v.i, rank, out_axis);
    int32_t n = i->in[1]->shape.rank;
    if (n < 0) return GE_OK;
    if (n < 1 || n > rank) return gei_infer_fail(i, GE_ERR_RANK, "gamma", "rank %d for x of rank %d", (int)n, (int)rank);
    *out_axis = rank - n;
    return GE_OK;
}

static ge_status infer_rms(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    int32_t axis;
    GEI_TRY(gei_norm_check_dtype(i, 0));
    GEI_TRY(gei_norm_check_dtype(i, 1));
    GEI_TRY(gei_infer_like_x(i));
    i->out[1].dtype = GEI_FLOAT32;
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, 0, 1, GEI_MAX_RANK));
    GEI_TRY(rms_axis(i, x->rank, &axis));
    GEI_TRY(gei_norm_check_fits(i, 1, x));
    for (int32_t d = 0; d < x->rank; d++)
        if (axis < 0) i->out[1].shape.dims[d] = GEI_DIM_UNKNOWN;
        else if (d >= axis) i->out[1].shape.dims[d] = 1;
    return GE_OK;
}

static ge_status size_rms(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    gei_norm_rows *rows = gei_arena_new(s->arena, gei_norm_rows);
    int32_t axis;
    if (!rows) return gei_out_of_memory(diag, sizeof *rows);
    GEI_TRY(rms_axis(&i, s->in[0]->shape.rank, &axis));
    *rows = (gei_norm_rows){ .norm = { .kind = GEI_NORM_RMS, .epsilon = gei_node_float(s->node, "epsilon", 1e-6) }, .report = GEI_NORM_ONLY_RSTD,
                             .gain = 1, .shift = -1 };
    return size_from(s, axis, rows, diag);
}

static const gei_kernel rms_kernels[] = { GEI_NORM_ROWS_KERNEL(size_rms), { .name = "ref", .size = size_rms, .run = gei_run_norm, .in_place = 1 }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_layer(gei_import *im, gei_diag *diag) {
    bool full = gei_import_has_input(im, 2);
    gei_node *node;
    GEI_TRY(gei_import_node(im, full ? "LayerNormV3" : "GeLayerNorm", im->inputs, full ? 3 : 2, &node, diag));
    GEI_TRY(gei_import_set_int(node, full ? "begin_norm_axis" : "axis", gei_import_int(im, "axis", -1), diag));
    GEI_TRY(gei_import_set_float(node, "epsilon", gei_import_float(im, "epsilon", 1e-5), diag));
    GEI_TRY(gei_import_set_int(node, "stash_type", gei_import_int(im, "stash_type", 1), diag));
    for (uint32_t k = 0; k < im->n_outputs && k < 3; k++) gei_import_set_output(im, k, gei_value_of(node, k));
    return GE_OK;
}

static ge_status map_rms(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "RmsNorm", im->inputs, 2, &node, diag));
    GEI_TRY(gei_import_set_int(node, "begin_norm_axis", gei_import_int(im, "axis", -1), diag));
    GEI_TRY(gei_import_set_float(node, "epsilon", gei_import_float(im, "epsilon", 1e-5), diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source layer_sources[] = { { GEI_FROM_ONNX, "LayerNormalization", 17, map_layer, NULL }, { 0 } };
static const gei_source rms_sources[] = { { GEI_FROM_ONNX, "RMSNormalization", 23, map_rms, NULL }, { 0 } };

/* ---- forms ---- */

#define MEAN(x) "ReduceMean(" x ", last){keep_dims=1}"
#define CENTRED "Sub(x, " MEAN("x") ")"
#define ROOT(square) "Sqrt(Add(" MEAN(square) ", $epsilon))"
#define LAYER_FORM(square) "Add(Mul(Div(" CENTRED ", " ROOT(square) "), @gamma), @beta)"
static const gei_form layer_forms[] = { { LAYER_FORM("Pow(" CENTRED ", 2)"), "begin_norm_axis=-1" },
                                        { LAYER_FORM("Mul(" CENTRED ", " CENTRED ")"), "begin_norm_axis=-1" },
                                        { LAYER_FORM("Square(" CENTRED ")"), "begin_norm_axis=-1" },
                                        { 0 } };
#define RMS_FORMS(square)                                                              \
    { "Mul(Div(x, " ROOT(square) "), @gamma)", "begin_norm_axis=-1" },                 \
    { "Mul(Mul(x, Reciprocal(" ROOT(square) ")), @gamma)", "begin_norm_axis=-1" },     \
    { "Mul(Mul(x, Div(1, " ROOT(square) ")), @gamma)", "begin_norm_axis=-1" }
static const gei_form rms_forms[] = { RMS_FORMS("Pow(x, 2)"), RMS_FORMS("Mul(x, x)"), RMS_FORMS("Square(x)"), { 0 } };

GEI_OP(LayerNorm) = { .name = "LayerNorm", .infer = infer_layer_norm, .kernels = layer_norm_kernels, .traits = GEI_OP_PURE };
GEI_OP(LayerNormV3) = { .name = "LayerNormV3", .infer = infer_layer_norm_v3, .kernels = layer_norm_v3_kernels, .sources = layer_sources, .forms = layer_forms,
                        .traits = GEI_OP_PURE };
GEI_OP(LayerNormV4) = { .name = "LayerNormV4", .infer = infer_layer_norm_v4, .kernels = layer_norm_v4_kernels, .traits = GEI_OP_PURE };
GEI_OP(GeLayerNorm) = { .name = "GeLayerNorm", .infer = infer_ge_layer_norm, .kernels = ge_layer_norm_kernels, .traits = GEI_OP_PURE };
GEI_OP(RmsNorm) = { .name = "RmsNorm", .infer = infer_rms, .kernels = rms_kernels, .sources = rms_sources, .forms = rms_forms, .traits = GEI_OP_PURE };

GEI_WIDEN(LayerNorm, "*", "float");
GEI_WIDEN(LayerNormV3, "*", "float");
GEI_WIDEN(LayerNormV4, "x gamma beta y mean rstd", "float");
GEI_WIDEN(RmsNorm, "x gamma y", "float");
