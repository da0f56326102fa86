/* SPDX-License-Identifier: Apache-2.0 */
/* Bitcast: the same bytes as another type.  A narrower type adds a last dim for the pieces, a wider one takes such a dim away; with
 * keep_dim the last dim itself grows or shrinks; with same_width (ours, ONNX BitCast) neither may happen. */
#include "ops/import.h"
#include "ops/view.h"

static ge_status width_fail(const gei_infer *i, const gei_dtype_info *from, const gei_dtype_info *to) {
    gei_words words;
    return gei_infer_fail(i, GE_ERR_DTYPE, "type", "%s (%u bits) of shape %s cannot be read as %s (%u bits)", from->name, from->bits,
                          gei_shape_words(&i->in[0]->shape, &words), to->name, to->bits);
}

static ge_status narrow(gei_infer *i, gei_dim pieces, bool keep_dim) {
    gei_shape *y = &i->out[0].shape;
    if (keep_dim && y->rank > 0) {
        y->dims[y->rank - 1] = gei_dim_times(y->dims[y->rank - 1], pieces);
        return GE_OK;
    }
    if (y->rank == GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_RANK, "x", "the result would have rank %d", GEI_MAX_RANK + 1);
    y->dims[y->rank++] = pieces;
    return GE_OK;
}

static ge_status widen(gei_infer *i, const gei_dtype_info *from, const gei_dtype_info *to, bool keep_dim) {
    gei_shape *y = &i->out[0].shape;
    gei_dim pieces = to->bits / from->bits;
    gei_dim *last = &y->dims[y->rank - 1];
    if (y->rank == 0 || (gei_dim_known(*last) && (keep_dim ? *last % pieces != 0 : *last != pieces))) return width_fail(i, from, to);
    if (keep_dim) *last = gei_dim_known(*last) ? *last / pieces : GEI_DIM_UNKNOWN;
    else y->rank--;
    return GE_OK;
}

static ge_status infer_bitcast(gei_infer *i) {
    const gei_dtype_info *from = gei_dtype_get(i->in[0]->dtype), *to = gei_dtype_get((int32_t)gei_node_int(i->node, "type", GEI_UNDEFINED));
    bool keep_dim = gei_node_bool(i->node, "keep_dim", false);
    if (!to || to->bits == 0) return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "type", "data type %s has no bits of fixed size", to ? to->name : "?");
    i->out[0].dtype = to->dtype;
    if (!from || from->dtype == GEI_UNDEFINED) return GE_OK;
    if (from->bits == 0) return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s has no bits of fixed size", from->name);
    i->out[0].shape = i->in[0]->shape;
    if (from->bits == to->bits) return GE_OK;
    if (gei_node_bool(i->node, "same_width", false) || (from->bits > to->bits ? from->bits % to->bits : to->bits % from->bits) != 0)
        return width_fail(i, from, to);
    if (i->in[0]->shape.rank < 0) return GE_OK;
    return from->bits > to->bits ? narrow(i, from->bits / to->bits, keep_dim) : widen(i, from, to, keep_dim);
}

static ge_status map_bitcast(gei_import *im, gei_diag *diag) {
    gei_node *node;
    if (!gei_import_has_attr(im, "to")) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute to is missing");
    GEI_TRY(gei_import_node(im, "Bitcast", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_dtype(im, "to", GEI_UNDEFINED, node, "type", diag));
    GEI_TRY(gei_import_set_bool(node, "same_width", true, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source bitcast_sources[] = { { GEI_FROM_ONNX, "BitCast", 26, map_bitcast, NULL }, { 0 } };

GEI_OP(Bitcast) = { .name = "Bitcast", .infer = infer_bitcast, .kernels = gei_copy_kernels, .sources = bitcast_sources,
                    .traits = GEI_OP_PURE | GEI_OP_VIEW };
GEI_WIDEN(Bitcast, "*", "any");
