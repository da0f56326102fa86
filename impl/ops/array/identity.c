/* SPDX-License-Identifier: Apache-2.0 */
/* Identity: any type, strings too; ONNX Dropout, which is one when it does not train. */
#include "ops/import.h"
#include "ops/view.h"

/* A mask that keeps every element: bool from opset 10 on, before that of x's type. */
static ge_status add_mask(gei_import *im, gei_value x, gei_value *out, gei_diag *diag) {
    gei_value inputs[2];
    gei_node *node;
    if (im->opset < 10) return gei_import_fail(im, GE_ERR_UNSUPPORTED, diag, "the mask output before opset 10");
    GEI_TRY(gei_import_node(im, "Shape", &x, 1, &node, diag));
    GEI_TRY(gei_import_set_int(node, "dtype", GEI_INT64, diag));
    inputs[0] = gei_value_of(node, 0);
    GEI_TRY(gei_import_const_like(im, 1, GEI_BOOL, &inputs[1], diag));
    GEI_TRY(gei_import_node(im, "Fill", inputs, 2, &node, diag));
    *out = gei_value_of(node, 0);
    return GE_OK;
}

/* Training needs both the input that says so and a ratio other than 0. */
static ge_status check_inference(const gei_import *im, gei_diag *diag) {
    const gei_tensor *training = gei_import_const(im, 2), *ratio = gei_import_const(im, 1);
    if (im->opset < 12 || !gei_import_has_input(im, 2)) return GE_OK;
    if (training && training->n_elems == 1 && gei_tensor_i64(training, 0) == 0) return GE_OK;
    if (ratio && ratio->n_elems == 1 && gei_tensor_f64(ratio, 0) == 0) return GE_OK;
    return gei_import_fail(im, GE_ERR_UNSUPPORTED, diag, "training mode: only inference is supported");
}

static ge_status map_dropout(gei_import *im, gei_diag *diag) {
    gei_value x = gei_import_input(im, 0), mask;
    gei_node *node;
    GEI_TRY(check_inference(im, diag));
    GEI_TRY(gei_import_node(im, "Identity", &x, 1, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    if (im->n_outputs < 2 || !im->output_names || !im->output_names[1] || !*im->output_names[1]) return GE_OK;
    GEI_TRY(add_mask(im, x, &mask, diag));
    gei_import_set_output(im, 1, mask);
    return GE_OK;
}

static const gei_source identity_sources[] = { { GEI_FROM_ONNX, "Identity", 1, NULL, NULL },
                                               { GEI_FROM_ONNX, "Dropout", 7, map_dropout, NULL },
                                               { 0 } };

GEI_OP(Identity) = { .name = "Identity", .infer = gei_infer_like_x, .kernels = gei_copy_kernels, .sources = identity_sources,
                     .traits = GEI_OP_PURE | GEI_OP_VIEW | GEI_OP_IDENTITY | GEI_OP_MOVES | GEI_OP_TAKES_BUNDLES, .moved = 1 };
GEI_WIDEN(Identity, "*", "any");
