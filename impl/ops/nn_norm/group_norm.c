/* SPDX-License-Identifier: Apache-2.0 */
/* GroupNorm, GroupNormV2 and InstanceNorm: one mean and variance for each group of channels of each batch entry.  Gains have one element
 * for each channel or, which is ONNX before opset 21, for each group. */
#include <string.h>

#include "ops/import.h"
#include "ops/nn_norm/norm.h"

enum { SLOT_X, SLOT_GAIN, SLOT_SHIFT };

static ge_status channels_last(const gei_node *node, bool *out, gei_diag *diag) {
    const char *text = gei_node_text(node, "data_format", "NCHW");
    size_t size = strlen(text);
    bool first = strcmp(text, "ND") == 0 || (size >= 2 && text[0] == 'N' && text[1] == 'C');
    *out = size >= 2 && text[0] == 'N' && text[size - 1] == 'C' && size > 2;
    if (first || *out) return GE_OK;
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "data_format", "'%s' is neither channels first nor channels last", text);
}

static bool is_instance(const gei_node *node) { return gei_def_attr(node->def, "num_groups") == NULL; }

static ge_status check_gain(const gei_infer *i, uint32_t slot, gei_dim channels, int64_t groups) {
    const gei_shape *gain = &i->in[slot]->shape;
    int64_t n;
    if (!gei_shape_elems(gain, &n) || !gei_dim_known(channels) || n == channels || n == groups) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%lld elements for %lld channels in %lld groups", (long long)n,
                          (long long)channels, (long long)groups);
}

static ge_status check_groups(const gei_infer *i, gei_dim channels) {
    int64_t groups = gei_node_int(i->node, "num_groups", 1);
    if (!is_instance(i->node) && (groups < 1 || groups > INT32_MAX))
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "num_groups", "%lld is not within 1 and %d", (long long)groups, INT32_MAX);
    if (!gei_dim_known(channels)) return GE_OK;
    if (is_instance(i->node)) groups = channels;
    else if (channels % groups != 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "num_groups", "%lld channels cannot be cut into %lld groups", (long long)channels, (long long)groups);
    GEI_TRY(check_gain(i, SLOT_GAIN, channels, groups));
    return check_gain(i, SLOT_SHIFT, channels, groups);
}

static ge_status infer_group(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    bool last;
    for (uint32_t k = 0; k < 3; k++) GEI_TRY(gei_norm_check_dtype(i, k));
    GEI_TRY(channels_last(i->node, &last, i->diag));
    for (uint32_t k = 0; k < i->n_out; k++) i->out[k].dtype = i->in[k == 0 ? SLOT_X : SLOT_GAIN]->dtype;
    i->out[0].shape = *x;
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 2, GEI_MAX_RANK));
    int32_t channel = last ? x->rank - 1 : 1;
    GEI_TRY(check_groups(i, x->dims[channel]));
    for (uint32_t k = 1; k < i->n_out; k++) {
        gei_shape *y = &i->out[k].shape;
        if (is_instance(i->node)) {
            *y = *x;
            for (int32_t d = 1; d < x->rank; d++)
                if (d != channel) y->dims[d] = 1;
        } else {
            *y = gei_shape_of(2, (gei_dim[]){ x->dims[0], gei_node_int(i->node, "num_groups", 1) });
        }
    }
    return GE_OK;
}

static ge_status size_group(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape;
    bool last;
    gei_norm_rows *rows = gei_arena_new(s->arena, gei_norm_rows);
    if (!rows) return gei_out_of_memory(diag, sizeof *rows);
    GEI_TRY(channels_last(s->node, &last, diag));
    int32_t channel = last ? x->rank - 1 : 1;
    int64_t channels = x->dims[channel], groups = is_instance(s->node) ? channels : gei_node_int(s->node, "num_groups", 1);
    int64_t places = last ? gei_dim_product(x, 1, x->rank - 1) : gei_dim_product(x, 2, x->rank), each = groups > 0 ? channels / groups : 0;
    gei_norm_view v = { .rank = 4 };
    int32_t g = last ? 2 : 1, c = last ? 3 : 2, p = last ? 1 : 3;
    v.dims[0] = x->dims[0];
    v.dims[g] = groups;
    v.dims[c] = each;
    v.dims[p] = places;
    v.reduced = UINT32_C(1) << c | UINT32_C(1) << p;
    for (uint32_t slot = SLOT_GAIN; slot <= SLOT_SHIFT; slot++) {
        int64_t n = 0, *strides = slot == SLOT_GAIN ? v.gain : v.shift;
        (void)gei_shape_elems(&s->in[slot]->shape, &n);
        strides[g] = n == channels ? each : 1;
        strides[c] = n == channels ? 1 : 0;
    }
    bool v2 = s->n_out > 2 && strcmp(s->node->def->outputs[2].name, "rstd") == 0;
    *rows = (gei_norm_rows){ .norm = { .kind = GEI_NORM_MEAN, .epsilon = gei_node_float(s->node, is_instance(s->node) ? "epsilon" : "eps", 1e-5) },
                             .report = v2 ? GEI_NORM_RSTD : GEI_NORM_VARIANCE, .gain = SLOT_GAIN, .shift = SLOT_SHIFT };
    return gei_size_norm(s, &v, rows, diag);
}

static const gei_kernel group_kernels[] = { { .name = "ref", .size = size_group, .run = gei_run_norm, .in_place = 1 }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_group(gei_import *im, gei_diag *diag) {
    gei_node *node;
    if (!gei_import_has_attr(im, "num_groups")) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute num_groups is missing");
    GEI_TRY(gei_import_node(im, "GroupNormV2", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_int(node, "num_groups", gei_import_int(im, "num_groups", 1), diag));
    GEI_TRY(gei_import_set_float(node, "eps", gei_import_float(im, "epsilon", 1e-5), diag));
    GEI_TRY(gei_import_set_text(node, "data_format", "NCHW", diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_instance(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "InstanceNorm", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_float(node, "epsilon", gei_import_float(im, "epsilon", 1e-5), diag));
    GEI_TRY(gei_import_set_text(node, "data_format", "NCHW", diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source group_sources[] = { { GEI_FROM_ONNX, "GroupNormalization", 18, map_group, NULL }, { 0 } };
static const gei_source instance_sources[] = { { GEI_FROM_ONNX, "InstanceNormalization", 6, map_instance, NULL }, { 0 } };

GEI_OP(GroupNorm) = { .name = "GroupNorm", .infer = infer_group, .kernels = group_kernels, .traits = GEI_OP_PURE };
GEI_OP(GroupNormV2) = { .name = "GroupNormV2", .infer = infer_group, .kernels = group_kernels, .sources = group_sources, .traits = GEI_OP_PURE };
GEI_OP(InstanceNorm) = { .name = "InstanceNorm", .infer = infer_group, .kernels = group_kernels, .sources = instance_sources, .traits = GEI_OP_PURE };

GEI_WIDEN(GroupNorm, "*", "float");
GEI_WIDEN(GroupNormV2, "*", "float");
GEI_WIDEN(InstanceNorm, "*", "float");
