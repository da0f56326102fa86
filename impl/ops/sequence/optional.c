/* SPDX-License-Identifier: Apache-2.0 */
/* GeOptional, GeOptionalGetElement, GeOptionalHasElement (ours, ONNX): a tensor or sequence that may be missing. */
#include <string.h>

#include "ops/bundles.h"
#include "ops/import.h"
#include "ops/rules.h"

static bool is_optional(int32_t dtype) {
    return gei_dtype_form(dtype) == GEI_FORM_OPTIONAL || gei_dtype_form(dtype) == GEI_FORM_OPTIONAL_SEQUENCE;
}

static bool is_given(const gei_infer *i) { return i->n_in > 0 && i->in[0]; }

/* ---- making: of the input, or of the attribute's type and empty ---- */

static ge_status infer_optional(gei_infer *i) {
    int32_t inside = is_given(i) ? i->in[0]->dtype : (int32_t)gei_node_int(i->node, "type", GEI_UNDEFINED), dtype = gei_dtype_optional(inside);
    if (dtype == GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, is_given(i) ? gei_infer_port(i, 0) : "type", "there is no optional %s", gei_dtype_name(inside));
    i->out[0].dtype = dtype;
    i->out[0].shape = gei_shape_scalar();
    return GE_OK;
}

static ge_status run_optional(const gei_run *run, uint32_t part) {
    (void)part;
    return gei_run_set_bundle(run, 0, run->in, run->n_in > 0 && run->in[0] ? 1 : 0);
}

/* ---- reading: what is no optional is there ---- */

static ge_status infer_get(gei_infer *i) {
    int32_t dtype = i->in[0]->dtype;
    i->out[0].dtype = is_optional(dtype) ? gei_dtype_item(dtype) : dtype;
    if (gei_dtype_is_bundle(i->out[0].dtype)) i->out[0].shape = gei_shape_scalar();
    else if (!is_optional(dtype)) i->out[0].shape = i->in[0]->shape;
    return GE_OK;
}

static ge_status run_get(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    gei_view item;
    (void)part;
    if (!is_optional(x->dtype)) {
        size_t bytes = gei_data_bytes(x->dtype, x->n_elems, x->data);
        if (gei_dtype_get(x->dtype)->bits == 0) return gei_run_set_copy(run, 0, x);
        if (bytes > 0) memcpy(y->data, x->data, bytes);
        return GE_OK;
    }
    if (gei_bundle_count(x->data) == 0) return gei_run_fail(run, part, "input", "the optional holds nothing");
    item = gei_bundle_view(x, 0);
    return gei_run_set_copy(run, 0, &item);
}

static ge_status infer_has(gei_infer *i) {
    i->out[0].dtype = GEI_BOOL;
    i->out[0].shape = gei_shape_scalar();
    return GE_OK;
}

static ge_status run_has(const gei_run *run, uint32_t part) {
    const gei_view *x = run->n_in > 0 ? run->in[0] : NULL;
    uint8_t has = x && (!is_optional(x->dtype) || gei_bundle_count(x->data) > 0);
    (void)part;
    memcpy(run->out[0]->data, &has, sizeof has);
    return GE_OK;
}

static const gei_kernel optional_kernels[] = { { .name = "ref", .run = run_optional }, { 0 } };
static const gei_kernel get_kernels[] = { { .name = "ref", .run = run_get }, { 0 } };
static const gei_kernel has_kernels[] = { { .name = "ref", .run = run_has }, { 0 } };

static const gei_attr_map optional_attrs[] = { { "type", "type", NULL }, { 0 } };
static const gei_source optional_sources[] = { { GEI_FROM_ONNX, "Optional", 15, NULL, optional_attrs }, { 0 } };
static const gei_source get_sources[] = { { GEI_FROM_ONNX, "OptionalGetElement", 15, NULL, NULL }, { 0 } };
static const gei_source has_sources[] = { { GEI_FROM_ONNX, "OptionalHasElement", 15, NULL, NULL }, { 0 } };

#define TRAITS (GEI_OP_PURE | GEI_OP_TAKES_BUNDLES)

GEI_OP(GeOptional) = { .name = "GeOptional", .infer = infer_optional, .kernels = optional_kernels, .sources = optional_sources, .traits = TRAITS };
GEI_OP(GeOptionalGetElement) = { .name = "GeOptionalGetElement", .infer = infer_get, .kernels = get_kernels, .sources = get_sources, .traits = TRAITS };
GEI_OP(GeOptionalHasElement) = { .name = "GeOptionalHasElement", .infer = infer_has, .kernels = has_kernels, .sources = has_sources, .traits = TRAITS };
