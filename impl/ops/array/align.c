/* SPDX-License-Identifier: Apache-2.0 */
/* GeAlign (ours): x with dims of 1 behind its own, so that it broadcasts to `like` with its first dim at `axis`.  ONNX before opset 7
 * broadcasts so; the rank of `like` need not be known when a graph is read. */
#include "ops/elementwise.h"
#include "ops/import.h"
#include "ops/view.h"

static ge_status infer_align(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape, *like = &i->in[1]->shape;
    int64_t axis = gei_node_int(i->node, "axis", 0);
    gei_words words;
    i->out[0].dtype = i->in[0]->dtype;
    if (x->rank < 0 || like->rank < 0) return GE_OK;
    int64_t first = axis < 0 ? axis + like->rank : axis;
    if (first < 0 || first > like->rank - x->rank)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "axis", "%lld: rank %d does not fit into shape %s there", (long long)axis, (int)x->rank,
                              gei_shape_words(like, &words));
    i->out[0].shape = *x;
    for (int32_t d = (int32_t)(like->rank - first); i->out[0].shape.rank < d; i->out[0].shape.rank++)
        i->out[0].shape.dims[i->out[0].shape.rank] = 1;
    return GE_OK;
}

GEI_OP(GeAlign) = { .name = "GeAlign", .infer = infer_align, .kernels = gei_copy_kernels, .traits = GEI_OP_PURE | GEI_OP_VIEW | GEI_OP_MOVES, .moved = 1 };

/* Without `axis` the last dims are lined up, as from opset 7 on. */
ge_status gei_map_axis(gei_import *im, gei_diag *diag) {
    gei_value inputs[2] = { gei_import_input(im, 0), gei_import_input(im, 1) };
    gei_node *node;
    bool is_placed = gei_import_int(im, "broadcast", 0) != 0 && gei_import_has_attr(im, "axis") && inputs[0].node && inputs[1].node;
    if (is_placed) {
        gei_value ends[2] = { inputs[1], inputs[0] };
        GEI_TRY(gei_import_node(im, "GeAlign", ends, 2, &node, diag));
        GEI_TRY(gei_import_set_int(node, "axis", gei_import_int(im, "axis", 0), diag));
        inputs[1] = gei_value_of(node, 0);
    }
    GEI_TRY(gei_import_node(im, im->op->name, inputs, 2, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}
