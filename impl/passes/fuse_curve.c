/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_curve: an elementwise loop over one input runs on what a convolution has just written, while it is in the cache.
 *
 *   GeBlockedConv2D -> Swish -> y          GeBlockedConv2D[_curve = Swish] -> y
 *
 * Any row with .unary and a wide loop will do; the attribute holds its name and parameters. */
#include <string.h>

#include "passes/pipeline.h"

static ge_status fuse(gei_pass_context *c, gei_node *node, gei_diag *diag) {
    gei_value x = node->ins[0].from;
    const gei_info *before = gei_infos_of(c->infos, x), *after = gei_infos_of(c->infos, gei_value_of(node, 0));
    float params[GEI_MAX_PARAMS];
    gei_reason why = { "" }, text;
    bool fits = before->dtype == GEI_FLOAT32 && after->dtype == GEI_FLOAT32 && gei_shape_same(&before->shape, &after->shape);
    if (!fits) (void)gei_refuse(&why, "its data type is not float32");
    else if (gei_attrs_find(&x.node->attrs, GEI_ATTR_CURVE)) fits = gei_refuse(&why, "its input ends with a curve already");
    else if (gei_value_use_count(x) != 1) fits = gei_refuse(&why, "its input has other readers");
    else fits = gei_curve_of_node(node, params, &why);
    if (!fits) {
        (void)gei_refuse(&text, "not fused: %.100s", why.text);
        gei_pass_note(c, "fuse_curve", node, text.text);
        return GE_OK;
    }
    gei_attr name = gei_attr_text(node->def->name, strlen(node->def->name)), values = gei_attr_floats(params, GEI_MAX_PARAMS);
    GEI_TRY(gei_node_set(x.node, GEI_ATTR_CURVE, &name, diag));
    GEI_TRY(gei_node_set(x.node, GEI_ATTR_CURVE_PARAMS, &values, diag));
    gei_pass_note(c, "fuse_curve", node, x.node->name);
    gei_value_replace_uses(gei_value_of(node, 0), x);
    gei_graph_remove_node(node);
    c->n_changes++;
    return GE_OK;
}

ge_status gei_pass_fuse_curve(gei_pass_context *c, gei_diag *diag) {
    for (size_t i = 0; i < c->n_order; i++) {
        gei_node *node = c->order[i];
        const gei_op *op = gei_op_of(node);
        if (!gei_op_has(op, GEI_OP_ELEMENTWISE | GEI_OP_PURE) || !op->unary || node->n_ins != 1 || node->ctrl_ins.count || node->ctrl_outs.count) continue;
        gei_value x = node->ins[0].from;
        if (x.node && x.out == 0 && gei_op_has(gei_op_of(x.node), GEI_OP_TAKES_CURVE)) GEI_TRY(fuse(c, node, diag));
    }
    return GE_OK;
}
