/* SPDX-License-Identifier: Apache-2.0 */
/* GeDynamicQuantize (ours, ONNX DynamicQuantizeLinear): uint8 over the range of x widened to hold 0.
 *   scale = (max(x, 0) - min(x, 0)) / 255,   zero_point = saturate(round_half_even(0 - min / scale)),   y = saturate(round(x / scale) + zero_point) */
#include <math.h>

#include "ops/import.h"
#include "ops/rules.h"

enum { OUT_Y, OUT_SCALE, OUT_ZERO };

static ge_status infer_dynamic(gei_infer *i) {
    i->out[OUT_Y].dtype = GEI_UINT8;
    i->out[OUT_Y].shape = i->in[0]->shape;
    i->out[OUT_SCALE].dtype = GEI_FLOAT32;
    i->out[OUT_SCALE].shape = gei_shape_scalar();
    i->out[OUT_ZERO].dtype = GEI_UINT8;
    i->out[OUT_ZERO].shape = gei_shape_scalar();
    if (i->in[0]->dtype == GEI_FLOAT32 || i->in[0]->dtype == GEI_UNDEFINED) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
}

static float saturated(float v) { return v < 0 || v != v ? 0 : v > 255 ? 255 : v; }

static ge_status run_dynamic(const gei_run *run, uint32_t part) {
    const float *x = run->in[0]->data;
    uint8_t *y = run->out[OUT_Y]->data;
    int64_t n = run->in[0]->n_elems;
    float low = 0, high = 0;
    (void)part;
    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    float scale = (high - low) / 255;
    float zero = scale == 0 ? 0 : saturated(nearbyintf(0 - low / scale));
    *(float *)run->out[OUT_SCALE]->data = scale;
    *(uint8_t *)run->out[OUT_ZERO]->data = (uint8_t)zero;
    for (int64_t i = 0; i < n; i++) y[i] = scale == 0 ? (uint8_t)zero : (uint8_t)saturated(nearbyintf(x[i] / scale) + zero);
    return GE_OK;
}

static ge_status map_dynamic(gei_import *im, gei_diag *diag) {
    gei_value x = gei_import_input(im, 0);
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GeDynamicQuantize", &x, 1, &node, diag));
    for (uint32_t k = 0; k < 3 && k < im->n_outputs; k++) gei_import_set_output(im, k, gei_value_of(node, k));
    return GE_OK;
}

static const gei_kernel dynamic_kernels[] = { { .name = "ref", .run = run_dynamic }, { 0 } };
static const gei_source dynamic_sources[] = { { GEI_FROM_ONNX, "DynamicQuantizeLinear", 11, map_dynamic, NULL }, { 0 } };

GEI_OP(GeDynamicQuantize) = { .name = "GeDynamicQuantize", .infer = infer_dynamic, .kernels = dynamic_kernels, .sources = dynamic_sources,
                              .traits = GEI_OP_PURE };
