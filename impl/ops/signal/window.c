/* SPDX-License-Identifier: Apache-2.0 */
/* GeWindow (ours): sums of cosines over `size` points; ONNX HannWindow, HammingWindow, BlackmanWindow.
 *   w(n) = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N),  N = size when periodic, else size - 1 (one point alone is 1) */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

#define TWO_PI 6.283185307179586476925286766559

static const struct {
    const char *kind, *onnx;
    double a[3];
} windows[] = {
    { "hann", "HannWindow", { 0.5, 0.5, 0 } },
    { "hamming", "HammingWindow", { 25.0 / 46, 21.0 / 46, 0 } },
    { "blackman", "BlackmanWindow", { 0.42, 0.5, 0.08 } },
};

static const double *coefficients(const gei_node *node) {
    const char *kind = gei_node_text(node, "kind", "");
    for (size_t k = 0; k < GEI_COUNT(windows); k++)
        if (strcmp(windows[k].kind, kind) == 0) return windows[k].a;
    return NULL;
}

static ge_status infer_window(gei_infer *i) {
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_FLOAT32), size;
    const gei_shape *s = &i->in[0]->shape;
    gei_dim dim = GEI_DIM_UNKNOWN;
    gei_words words;
    size_t n, minus_one;
    if (!coefficients(i->node)) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "kind", "'%s', wanted hann, hamming or blackman", gei_node_text(i->node, "kind", ""));
    if (!gei_dtype_is_real((int32_t)dtype) || gei_dtype_get((int32_t)dtype)->bits < 8)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dtype", "data type %s is not supported", gei_dtype_name((int32_t)dtype));
    i->out[0].dtype = (int32_t)dtype;
    gei_dim count = s->rank < 0 ? GEI_DIM_UNKNOWN : gei_dim_product(s, 0, s->rank);
    if (gei_dim_known(count) && count != 1) return gei_infer_fail(i, GE_ERR_SHAPE, "size", "shape %s, wanted one number", gei_shape_words(s, &words));
    if (gei_infer_ints(i, 0, &size, 1, &n) && n == 1 && size < 0) return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, "size", "%lld", (long long)size);
    if (!gei_infer_dims(i, 0, &dim, 1, &n, &minus_one) || n != 1) dim = GEI_DIM_UNKNOWN;
    i->out[0].shape = gei_shape_of(1, &dim);
    return GE_OK;
}

static ge_status run_window(const gei_run *run, uint32_t part) {
    const gei_view *y = run->out[0];
    const double *a = coefficients(run->node);
    double block[GEI_BLOCK];
    int64_t period = gei_node_bool(run->node, "periodic", true) ? y->n_elems : y->n_elems - 1;
    (void)part;
    for (int64_t at = 0; at < y->n_elems; at += GEI_BLOCK) {
        int64_t n = y->n_elems - at < GEI_BLOCK ? y->n_elems - at : GEI_BLOCK;
        for (int64_t k = 0; k < n; k++) {
            double angle = period > 0 ? TWO_PI * (double)(at + k) / (double)period : TWO_PI / 2;
            block[k] = a[0] - a[1] * cos(angle) + a[2] * cos(2 * angle);
        }
        gei_store_f64(y->dtype, block, y->data, at, n);
    }
    return GE_OK;
}

static ge_status map_window(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GeWindow", im->inputs, im->n_inputs, &node, diag));
    for (size_t k = 0; k < GEI_COUNT(windows); k++)
        if (strcmp(windows[k].onnx, im->type) == 0) GEI_TRY(gei_import_set_text(node, "kind", windows[k].kind, diag));
    GEI_TRY(gei_import_set_bool(node, "periodic", gei_import_int(im, "periodic", 1) != 0, diag));
    GEI_TRY(gei_import_dtype(im, "output_datatype", GEI_FLOAT32, node, "dtype", diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_kernel window_kernels[] = { { .name = "ref", .run = run_window }, { 0 } };
static const gei_source window_sources[] = { { GEI_FROM_ONNX, "HannWindow", 17, map_window, NULL },
                                             { GEI_FROM_ONNX, "HammingWindow", 17, map_window, NULL },
                                             { GEI_FROM_ONNX, "BlackmanWindow", 17, map_window, NULL },
                                             { 0 } };

GEI_OP(GeWindow) = { .name = "GeWindow", .infer = infer_window, .kernels = window_kernels, .sources = window_sources, .traits = GEI_OP_PURE,
                     .needs_value = 1 };
