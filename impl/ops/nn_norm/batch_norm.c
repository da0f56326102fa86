/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation by channel.
 *   BNInfer              with given mean and variance; channels are axis 1, or the last one of an NHWC or NDHWC tensor
 *   BatchNorm            the same in inference, with attribute data_format and copies of the statistics as further outputs
 *   GeBatchNormTraining  with the mean and variance of x, which are blended into the given ones: ONNX with training_mode
 * A tensor of rank 1 is a batch of one channel. */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/nn_norm/norm.h"

enum { SLOT_X, SLOT_SCALE, SLOT_OFFSET, SLOT_MEAN, SLOT_VARIANCE, N_SLOTS };

static ge_status channel_axis(const gei_infer *i, int32_t rank, int32_t *out) {
    int32_t format = i->in[SLOT_X]->format;
    bool last = format == GE_FORMAT_NHWC || format == GE_FORMAT_NDHWC;
    if (gei_def_attr(i->node->def, "data_format")) {
        const char *text = gei_node_text(i->node, "data_format", "NCHW");
        size_t size = strlen(text);
        if (size < 2 || text[0] != 'N' || (text[1] != 'C' && text[size - 1] != 'C' && strcmp(text, "ND") != 0))
            return gei_infer_fail(i, GE_ERR_BAD_ATTR, "data_format", "'%s' is neither channels first nor channels last", text);
        last = text[1] != 'C' && text[size - 1] == 'C';
    }
    *out = last ? rank - 1 : 1;
    return GE_OK;
}

static ge_status check_channels(const gei_infer *i, int32_t axis) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_dim channels = x->rank > axis ? x->dims[axis] : 1;
    for (uint32_t k = SLOT_SCALE; k < N_SLOTS; k++) {
        const gei_info *in = gei_infer_in(i, k);
        int64_t n;
        if (in && gei_dim_known(channels) && gei_shape_elems(&in->shape, &n) && n != channels)
            return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, k), "%lld elements for %lld channels", (long long)n, (long long)channels);
    }
    return GE_OK;
}

static ge_status infer_batch(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int32_t axis;
    for (uint32_t k = 0; k < N_SLOTS; k++) GEI_TRY(gei_norm_check_dtype(i, k));
    if (gei_node_bool(i->node, "is_training", false))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED, "is_training", "training is not supported");
    if (!gei_infer_in(i, SLOT_MEAN) || !gei_infer_in(i, SLOT_VARIANCE))
        return gei_infer_fail(i, GE_ERR_BAD_GRAPH, "mean", "inference needs mean and variance");
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    i->out[0].shape = *x;
    for (uint32_t k = 1; k < i->n_out; k++) {
        const gei_info *from = i->in[k % 2 ? SLOT_MEAN : SLOT_VARIANCE];
        i->out[k].dtype = from->dtype;
        i->out[k].shape = from->shape;
    }
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 1, GEI_MAX_RANK));
    GEI_TRY(channel_axis(i, x->rank, &axis));
    return check_channels(i, axis);
}

static ge_status infer_training(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    for (uint32_t k = 0; k < N_SLOTS; k++) GEI_TRY(gei_norm_check_dtype(i, k));
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    i->out[0].shape = *x;
    for (uint32_t k = 1; k < i->n_out; k++) {
        i->out[k].dtype = i->in[SLOT_MEAN + k - 1]->dtype;
        i->out[k].shape = i->in[SLOT_MEAN + k - 1]->shape;
    }
    GEI_TRY(gei_infer_rank(i, SLOT_X, 1, GEI_MAX_RANK));
    return x->rank < 0 ? GE_OK : check_channels(i, 1);
}

/* x as batch, channels, places in their order. */
static void set_view(const gei_shape *x, int32_t axis, bool by_channel, gei_norm_view *v) {
    bool last = axis > 1 && axis == x->rank - 1;
    int32_t c = last ? 2 : 1, p = last ? 1 : 2;
    *v = (gei_norm_view){ .rank = 3 };
    v->dims[0] = x->dims[0];
    v->dims[c] = x->rank > axis ? x->dims[axis] : 1;
    v->dims[p] = last ? gei_dim_product(x, 1, axis) : x->rank > 2 ? gei_dim_product(x, 2, x->rank) : 1;
    v->gain[c] = v->shift[c] = 1;
    v->reduced = UINT32_C(1) << p | (by_channel ? 1u : 0u);
}

static ge_status size_batch(gei_sizing *s, bool training, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[SLOT_X]->shape;
    int32_t axis = 1;
    gei_norm_view v;
    gei_norm_rows *rows = gei_arena_new(s->arena, gei_norm_rows);
    if (!rows) return gei_out_of_memory(diag, sizeof *rows);
    if (!training) GEI_TRY(channel_axis(&i, x->rank, &axis));
    set_view(x, axis, training, &v);
    *rows = (gei_norm_rows){ .norm = { .kind = GEI_NORM_MEAN, .epsilon = gei_node_float(s->node, "epsilon", 1e-5) }, .gain = SLOT_SCALE,
                             .shift = SLOT_OFFSET };
    GEI_TRY(gei_size_norm(s, &v, rows, diag));
    s->part_scratch_bytes *= 2; /* mean and variance too */
    return GE_OK;
}

static ge_status size_inference(gei_sizing *s, gei_diag *diag) { return size_batch(s, false, diag); }
static ge_status size_training(gei_sizing *s, gei_diag *diag) { return size_batch(s, true, diag); }

/* All four vectors as doubles, one behind the other. */
static const double *widen_all(const gei_run *run, int64_t *out_channels) {
    double *to = (double *)run->scratch;
    int64_t n = run->in[SLOT_SCALE]->n_elems;
    for (int32_t k = 0; k < 4; k++) gei_load_f64(run->in[SLOT_SCALE + k]->dtype, run->in[SLOT_SCALE + k]->data, 0, n, to + k * n);
    *out_channels = n;
    return to;
}

static void copy_statistics(const gei_run *run, const double *mean, const double *variance, int64_t n) {
    for (uint32_t k = 1; k < run->n_out; k++) gei_store_f64(run->out[k]->dtype, k % 2 ? mean : variance, run->out[k]->data, 0, n);
}

static ge_status run_inference(const gei_run *run, uint32_t part) {
    const gei_norm_rows *rows = (const gei_norm_rows *)run->sized;
    gei_norm_apply_fn apply = gei_norm_apply_function(run->in[SLOT_X]->dtype);
    int64_t begin, end, n;
    if (run->in[SLOT_SCALE]->n_elems == 0) return GE_OK;
    const double *scale = widen_all(run, &n), *offset = scale + n, *mean = scale + 2 * n, *variance = scale + 3 * n;
    if (part == 0) copy_statistics(run, mean, variance, n);
    gei_part_range(rows->norm.kept.n, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t c = k % n;
        gei_norm_stats stats = { mean[c], variance[c], 1 / sqrt(variance[c] + rows->norm.epsilon) };
        apply(&rows->norm, run->in[SLOT_X]->data, scale, offset, run->out[0]->data, k, &stats);
    }
    return GE_OK;
}

static ge_status run_training(const gei_run *run, uint32_t part) {
    const gei_norm_rows *rows = (const gei_norm_rows *)run->sized;
    gei_norm_fn norm = gei_norm_function(run->in[SLOT_X]->dtype);
    double keep = gei_node_float(run->node, "momentum", 0.9);
    int64_t begin, end, n;
    if (run->in[SLOT_SCALE]->n_elems == 0) return GE_OK;
    const double *scale = widen_all(run, &n), *offset = scale + n, *mean = scale + 2 * n, *variance = scale + 3 * n;
    gei_part_range(rows->norm.kept.n, run->n_parts, part, &begin, &end);
    for (int64_t c = begin; c < end; c++) {
        gei_norm_stats stats;
        norm(&rows->norm, run->in[SLOT_X]->data, scale, offset, run->out[0]->data, c, &stats);
        double new_mean = mean[c] * keep + stats.mean * (1 - keep), new_variance = variance[c] * keep + stats.variance * (1 - keep);
        gei_store_f64(run->out[1]->dtype, &new_mean, run->out[1]->data, c, 1);
        gei_store_f64(run->out[2]->dtype, &new_variance, run->out[2]->data, c, 1);
    }
    return GE_OK;
}

static const gei_kernel inference_kernels[] = { { .name = "ref", .size = size_inference, .run = run_inference, .in_place = 1 }, { 0 } };
static const gei_kernel training_kernels[] = { { .name = "ref", .size = size_training, .run = run_training, .in_place = 1 }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_inference(gei_import *im, gei_diag *diag) {
    gei_node *node;
    if (im->opset < 9 && gei_import_int(im, "spatial", 1) == 0)
        return gei_import_fail(im, GE_ERR_UNSUPPORTED, diag, "spatial 0 is not supported");
    GEI_TRY(gei_import_node(im, "BNInfer", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_float(node, "epsilon", gei_import_float(im, "epsilon", 1e-5), diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_training(gei_import *im, gei_diag *diag) {
    gei_node *node;
    if (gei_import_int(im, "training_mode", 0) == 0) return map_inference(im, diag);
    GEI_TRY(gei_import_node(im, "GeBatchNormTraining", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_float(node, "epsilon", gei_import_float(im, "epsilon", 1e-5), diag));
    GEI_TRY(gei_import_set_float(node, "momentum", gei_import_float(im, "momentum", 0.9), diag));
    for (uint32_t k = 0; k < im->n_outputs && k < 3; k++) gei_import_set_output(im, k, gei_value_of(node, k));
    return GE_OK;
}

/* Before 7 an attribute says that the running statistics are meant. */
static ge_status map_is_test(gei_import *im, gei_diag *diag) {
    if (gei_import_int(im, "is_test", 0) == 0)
        return gei_import_fail(im, GE_ERR_UNSUPPORTED, diag, "is_test 0: training of this version is not supported");
    return map_inference(im, diag);
}

static const gei_source sources[] = { { GEI_FROM_ONNX, "BatchNormalization", 1, map_is_test, NULL },
                                      { GEI_FROM_ONNX, "BatchNormalization", 7, map_inference, NULL },
                                      { GEI_FROM_ONNX, "BatchNormalization", 14, map_training, NULL },
                                      { 0 } };

GEI_OP(BNInfer) = { .name = "BNInfer", .infer = infer_batch, .kernels = inference_kernels, .sources = sources, .traits = GEI_OP_PURE | GEI_OP_AFFINE };
GEI_OP(BatchNorm) = { .name = "BatchNorm", .infer = infer_batch, .kernels = inference_kernels, .traits = GEI_OP_PURE | GEI_OP_AFFINE };
GEI_OP(GeBatchNormTraining) = { .name = "GeBatchNormTraining", .infer = infer_training, .kernels = training_kernels, .traits = GEI_OP_PURE };

GEI_WIDEN(BNInfer, "*", "float");
GEI_WIDEN(BatchNorm, "*", "float");
