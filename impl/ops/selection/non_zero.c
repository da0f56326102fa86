/* SPDX-License-Identifier: Apache-2.0 */
/* NonZero, Where: places of the elements that are not zero (not false, not empty), in row-major order.  [n, rank], or with transpose [rank, n]. */
#include <string.h>

#include "ops/import.h"
#include "ops/rules.h"
#include "ops/texts.h"

static ge_status infer_places(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    const gei_attr *dtype = gei_node_attr(i->node, "dtype");
    int32_t from = i->in[0]->dtype;
    bool transpose = gei_node_bool(i->node, "transpose", false);
    i->out[0].dtype = dtype && dtype->kind == GEI_ATTR_DTYPE ? dtype->v.dtype : GEI_INT64;
    if (i->out[0].dtype != GEI_INT64 && i->out[0].dtype != GEI_INT32)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dtype", "%s, wanted int32 or int64", gei_dtype_name(i->out[0].dtype));
    const gei_dtype_info *info = gei_dtype_get(from);
    if (from != GEI_UNDEFINED && from != GEI_STRING && (!info || info->bits == 0 || info->bits % 8 != 0))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(from));
    gei_dim rank = x->rank < 0 ? GEI_DIM_UNKNOWN : x->rank;
    i->out[0].shape = gei_shape_of(2, (gei_dim[]){ transpose ? rank : GEI_DIM_UNKNOWN, transpose ? GEI_DIM_UNKNOWN : rank });
    return GE_OK;
}

/* Minus zero is zero. */
static bool is_zero(const gei_view *x, int64_t at) {
    const gei_dtype_info *info = gei_dtype_get(x->dtype);
    size_t bytes = info->bits / 8;
    if (x->dtype == GEI_STRING) return gei_text_at(x, at).size == 0;
    const uint8_t *p = (const uint8_t *)x->data + (size_t)at * bytes;
    size_t part = info->kind == GEI_KIND_COMPLEX ? bytes / 2 : bytes;
    bool has_sign = info->kind == GEI_KIND_FLOAT || info->kind == GEI_KIND_COMPLEX;
    for (size_t k = 0; k < bytes; k++)
        if ((has_sign && k % part == part - 1 && bytes > 1 ? p[k] & 0x7f : p[k]) != 0) return false;
    return true;
}

static void put(const gei_view *y, int64_t at, int64_t value) {
    if (y->dtype == GEI_INT64) ((int64_t *)y->data)[at] = value;
    else ((int32_t *)y->data)[at] = (int32_t)value;
}

static ge_status run_places(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0];
    gei_view *y = run->out[0];
    bool transpose = gei_node_bool(run->node, "transpose", false);
    int64_t n = 0, found = 0, at[GEI_MAX_RANK] = { 0 };
    void *data;
    (void)part;
    for (int64_t k = 0; k < x->n_elems; k++) n += !is_zero(x, k);
    if (y->dtype == GEI_INT32)
        for (int32_t d = 0; d < x->rank; d++)
            if (x->dims[d] > INT32_MAX) return gei_run_fail(run, 0, "x", "places in size %lld do not fit int32", (long long)x->dims[d]);
    GEI_TRY(gei_run_set_output(run, 0, 2, (int64_t[]){ transpose ? x->rank : n, transpose ? n : x->rank },
                               (size_t)n * (size_t)x->rank * (y->dtype == GEI_INT64 ? 8 : 4), &data));
    for (int64_t k = 0; k < x->n_elems; k++) {
        if (!is_zero(x, k)) {
            for (int32_t d = 0; d < x->rank; d++) put(y, transpose ? d * n + found : found * x->rank + d, at[d]);
            found++;
        }
        for (int32_t d = x->rank - 1; d >= 0 && ++at[d] == x->dims[d]; d--) at[d] = 0;
    }
    return GE_OK;
}

static const gei_kernel places_kernels[] = { { .name = "ref", .run = run_places }, { 0 } };

static ge_status map_non_zero(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "NonZero", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_bool(node, "transpose", true, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source non_zero_sources[] = { { GEI_FROM_ONNX, "NonZero", 9, map_non_zero, NULL }, { 0 } };

GEI_OP(NonZero) = { .name = "NonZero", .infer = infer_places, .kernels = places_kernels, .sources = non_zero_sources, .traits = GEI_OP_PURE };
GEI_OP(Where) = { .name = "Where", .infer = infer_places, .kernels = places_kernels, .traits = GEI_OP_PURE };
GEI_WIDEN(NonZero, "x", "any");
GEI_WIDEN(Where, "x", "any");
