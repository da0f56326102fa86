/* SPDX-License-Identifier: Apache-2.0 */
/* Dims of 1 go or come: Squeeze, SqueezeV2 (attribute axis), SqueezeV3 (input axes); Unsqueeze (attribute axes), UnsqueezeV2 (attribute
 * axis), UnsqueezeV3 (input axes), ExpandDims (input axis). */
#include "ops/import.h"
#include "ops/view.h"

#define VIEW_TRAITS (GEI_OP_PURE | GEI_OP_VIEW | GEI_OP_MOVES)

/* ---- removing ---- */

/* Every dim of 1; unknown rank while a dim may be 1 or not. */
static void drop_ones(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    gei_shape y = gei_shape_scalar();
    for (int32_t d = 0; d < x->rank; d++) {
        if (!gei_dim_known(x->dims[d])) return;
        if (x->dims[d] != 1) y.dims[y.rank++] = x->dims[d];
    }
    i->out[0].shape = y;
}

static ge_status drop_axes(gei_infer *i, const char *what, const int64_t *axes, size_t count) {
    const gei_shape *x = &i->in[0]->shape;
    uint32_t mask;
    GEI_TRY(gei_infer_axes(i, what, axes, count, x->rank, &mask));
    gei_shape y = gei_shape_scalar();
    for (int32_t d = 0; d < x->rank; d++) {
        if (!(mask >> d & 1)) y.dims[y.rank++] = x->dims[d];
        else if (gei_dim_known(x->dims[d]) && x->dims[d] != 1)
            return gei_infer_fail(i, GE_ERR_SHAPE, what, "axis %d has size %lld, only 1 can go", (int)d, (long long)x->dims[d]);
    }
    i->out[0].shape = y;
    return GE_OK;
}

static ge_status infer_squeeze(gei_infer *i) {
    gei_int_list axes = gei_node_ints(i->node, "axis");
    i->out[0].dtype = i->in[0]->dtype;
    if (i->in[0]->shape.rank < 0) return GE_OK;
    if (axes.count > 0) return drop_axes(i, "axis", axes.data, axes.count);
    drop_ones(i);
    return GE_OK;
}

static ge_status infer_squeeze_v3(gei_infer *i) {
    const gei_info *in = gei_infer_in(i, 1);
    int64_t axes[GEI_MAX_RANK];
    size_t count = 0;
    i->out[0].dtype = i->in[0]->dtype;
    if (i->in[0]->shape.rank < 0) return GE_OK;
    if (in && in->shape.rank > 1) return gei_infer_rank(i, 1, 0, 1);
    if (in && !gei_infer_ints(i, 1, axes, GEI_MAX_RANK, &count)) return GE_OK;
    if (count > 0) return drop_axes(i, "axes", axes, count);
    drop_ones(i);
    return GE_OK;
}

/* ---- adding ---- */

static ge_status add_axes(gei_infer *i, const char *what, const int64_t *axes, size_t count) {
    const gei_shape *x = &i->in[0]->shape;
    uint32_t mask;
    int32_t from = 0;
    if (x->rank + (int64_t)count > GEI_MAX_RANK)
        return gei_infer_fail(i, GE_ERR_RANK, what, "%zu axes added to rank %d, at most %d", count, (int)x->rank, GEI_MAX_RANK);
    gei_shape y = { .rank = x->rank + (int32_t)count };
    GEI_TRY(gei_infer_axes(i, what, axes, count, y.rank, &mask));
    for (int32_t d = 0; d < y.rank; d++) y.dims[d] = mask >> d & 1 ? 1 : x->dims[from++];
    i->out[0].shape = y;
    return GE_OK;
}

static ge_status infer_unsqueeze_attr(gei_infer *i, const char *name) {
    gei_int_list axes = gei_node_ints(i->node, name);
    i->out[0].dtype = i->in[0]->dtype;
    return i->in[0]->shape.rank < 0 ? GE_OK : add_axes(i, name, axes.data, axes.count);
}

static ge_status infer_unsqueeze(gei_infer *i) { return infer_unsqueeze_attr(i, "axes"); }
static ge_status infer_unsqueeze_v2(gei_infer *i) { return infer_unsqueeze_attr(i, "axis"); }

static ge_status infer_unsqueeze_input(gei_infer *i) {
    const gei_info *in = i->in[1];
    int64_t axes[GEI_MAX_RANK], n_axes;
    size_t count;
    i->out[0].dtype = i->in[0]->dtype;
    if (in->shape.rank > 1) return gei_infer_rank(i, 1, 0, 1);
    if (i->in[0]->shape.rank < 0) return GE_OK;
    if (gei_infer_ints(i, 1, axes, GEI_MAX_RANK, &count)) return add_axes(i, gei_infer_port(i, 1), axes, count);
    if (!gei_shape_elems(&in->shape, &n_axes) || n_axes > GEI_MAX_RANK - i->in[0]->shape.rank) return GE_OK;
    i->out[0].shape.rank = i->in[0]->shape.rank + (int32_t)n_axes; /* only the rank is known */
    for (int32_t d = 0; d < i->out[0].shape.rank; d++) i->out[0].shape.dims[d] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

/* ---- ONNX: axes as an attribute before opset 13, as an input from then on ---- */

static ge_status map_with_axes(gei_import *im, const char *by_attr, const char *attr, gei_int_list axes, gei_diag *diag) {
    gei_value x = gei_import_input(im, 0);
    gei_node *node;
    GEI_TRY(gei_import_node(im, by_attr, &x, 1, &node, diag));
    if (attr) GEI_TRY(gei_import_set_ints(node, attr, axes.data, axes.count, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_with_input(gei_import *im, const char *type, gei_diag *diag) {
    gei_value inputs[2] = { gei_import_input(im, 0), gei_import_input(im, 1) };
    gei_node *node;
    GEI_TRY(gei_import_node(im, type, inputs, 2, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

/* No axes at all: every dim of 1 goes.  An empty list of axes: none does. */
static ge_status map_squeeze(gei_import *im, gei_diag *diag) {
    int64_t axes[GEI_MAX_RANK];
    gei_int_list list = gei_import_ints(im, "axes");
    bool is_given = gei_import_has_attr(im, "axes");
    if (im->opset >= 13) {
        is_given = gei_import_has_input(im, 1);
        if (is_given && !gei_import_const_ints(im, 1, axes, GEI_MAX_RANK, &list.count)) return map_with_input(im, "SqueezeV3", diag);
        list.data = axes;
    }
    if (is_given && list.count == 0) return map_with_axes(im, "Identity", NULL, list, diag);
    if (!is_given) list.count = 0;
    return map_with_axes(im, "Squeeze", "axis", list, diag);
}

static ge_status map_unsqueeze(gei_import *im, gei_diag *diag) {
    int64_t axes[GEI_MAX_RANK];
    gei_int_list list = gei_import_ints(im, "axes");
    if (im->opset >= 13) {
        if (!gei_import_const_ints(im, 1, axes, GEI_MAX_RANK, &list.count)) return map_with_input(im, "UnsqueezeV3", diag);
        list.data = axes;
    } else if (list.count == 0) {
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute axes is missing");
    }
    return map_with_axes(im, "Unsqueeze", "axes", list, diag);
}

static const gei_source squeeze_sources[] = { { GEI_FROM_ONNX, "Squeeze", 1, map_squeeze, NULL }, { 0 } };
static const gei_source unsqueeze_sources[] = { { GEI_FROM_ONNX, "Unsqueeze", 1, map_unsqueeze, NULL }, { 0 } };

GEI_OP(Squeeze) = { .name = "Squeeze", .infer = infer_squeeze, .kernels = gei_copy_kernels, .sources = squeeze_sources,
                    .traits = VIEW_TRAITS, .moved = 1 };
GEI_OP(SqueezeV2) = { .name = "SqueezeV2", .infer = infer_squeeze, .kernels = gei_copy_kernels, .traits = VIEW_TRAITS, .moved = 1 };
GEI_OP(SqueezeV3) = { .name = "SqueezeV3", .infer = infer_squeeze_v3, .kernels = gei_copy_kernels, .traits = VIEW_TRAITS, .moved = 1,
                      .needs_value = 2 };
GEI_OP(Unsqueeze) = { .name = "Unsqueeze", .infer = infer_unsqueeze, .kernels = gei_copy_kernels, .sources = unsqueeze_sources,
                      .traits = VIEW_TRAITS, .moved = 1 };
GEI_OP(UnsqueezeV2) = { .name = "UnsqueezeV2", .infer = infer_unsqueeze_v2, .kernels = gei_copy_kernels, .traits = VIEW_TRAITS,
                        .moved = 1 };
GEI_OP(UnsqueezeV3) = { .name = "UnsqueezeV3", .infer = infer_unsqueeze_input, .kernels = gei_copy_kernels,
                        .traits = VIEW_TRAITS, .moved = 1, .needs_value = 2 };
GEI_OP(ExpandDims) = { .name = "ExpandDims", .infer = infer_unsqueeze_input, .kernels = gei_copy_kernels, .traits = VIEW_TRAITS, .moved = 1,
                       .needs_value = 2 };

GEI_WIDEN(Squeeze, "*", "any");
GEI_WIDEN(SqueezeV2, "*", "any");
GEI_WIDEN(SqueezeV3, "x y", "any");
GEI_WIDEN(SqueezeV3, "axes", "int32");
GEI_WIDEN(Unsqueeze, "*", "any");
GEI_WIDEN(UnsqueezeV2, "*", "any");
GEI_WIDEN(UnsqueezeV3, "x y", "any");
GEI_WIDEN(UnsqueezeV3, "axes", "int32");
GEI_WIDEN(ExpandDims, "x y", "any");
