/* SPDX-License-Identifier: Apache-2.0 */
/* Graph inputs, constants, graph outputs: rows without kernels; the planner knows them by their traits. */
#include <string.h>

#include "ops/import.h"
#include "ops/rules.h"

static ge_status infer_declared(gei_infer *i) {
    const gei_out *out = &i->node->outs[0];
    i->out[0].dtype = out->dtype;
    i->out[0].shape = gei_out_shape(out);
    return GE_OK;
}

GEI_OP(Data) = { .name = "Data", .infer = infer_declared, .traits = GEI_OP_INPUT };
GEI_OP(RefData) = { .name = "RefData", .infer = infer_declared, .traits = GEI_OP_INPUT | GEI_OP_STATEFUL };

static ge_status infer_const(gei_infer *i) {
    gei_tensor *value = gei_node_const(i->node);
    if (!value) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "value", "the attribute is missing");
    i->out[0].dtype = value->dtype;
    i->out[0].shape = gei_tensor_shape(value);
    i->out[0].tensor = value;
    return GE_OK;
}

/* ---- ONNX Constant: a tensor, or from opset 12 on numbers and texts ---- */

static ge_status vector_of(const gei_attr *a, gei_import *im, int32_t dtype, const void *items, size_t elem_bytes, bool is_list,
                           gei_value *out, gei_diag *diag) {
    gei_tensor *t;
    int64_t count = is_list ? a->count : 1;
    GEI_TRY(gei_tensor_create(im->graph->from, dtype, is_list, &count, &t, diag));
    if (count > 0) memcpy(t->data, items, (size_t)count * elem_bytes);
    ge_status status = gei_import_const_tensor(im, t, out, diag);
    gei_tensor_release(t);
    return status;
}

static ge_status texts_of(const gei_attr *a, gei_import *im, gei_value *out, gei_diag *diag) {
    bool is_list = a->kind == GEI_ATTR_STRINGS;
    int64_t count = is_list ? a->count : 1;
    const gei_text *texts = is_list ? a->v.strings : &a->v.s;
    gei_arena arena;
    gei_tensor *t = NULL;
    gei_arena_init(&arena, im->graph->from);
    const char **data = gei_arena_array(&arena, const char *, (size_t)count + 1);
    size_t *sizes = gei_arena_array(&arena, size_t, (size_t)count + 1);
    for (int64_t k = 0; data && sizes && k < count; k++) {
        data[k] = texts[k].data;
        sizes[k] = texts[k].size;
    }
    ge_status status = data && sizes ? gei_tensor_strings(im->graph->from, is_list, &count, data, sizes, &t, diag)
        : gei_out_of_memory(diag, 0);
    gei_arena_deinit(&arena);
    if (status == GE_OK) status = gei_import_const_tensor(im, t, out, diag);
    gei_tensor_release(t);
    return status;
}

static ge_status map_constant(gei_import *im, gei_diag *diag) {
    static const char *const names[] = { "value", "value_float", "value_floats", "value_int", "value_ints", "value_string",
                                         "value_strings" };
    const gei_attr *a = NULL;
    gei_value y;
    for (size_t k = 0; !a && k < GEI_COUNT(names); k++) a = gei_import_attr(im, names[k]);
    if (!a && gei_import_has_attr(im, "sparse_value"))
        return gei_import_fail(im, GE_ERR_UNSUPPORTED_ATTR, diag, "attribute sparse_value is not supported");
    switch (a ? a->kind : GEI_ATTR_NONE) {
    case GEI_ATTR_TENSOR: GEI_TRY(gei_import_const_tensor(im, a->v.tensor, &y, diag)); break;
    case GEI_ATTR_FLOAT: GEI_TRY(vector_of(a, im, GEI_FLOAT32, &a->v.f, sizeof(float), false, &y, diag)); break;
    case GEI_ATTR_FLOATS: GEI_TRY(vector_of(a, im, GEI_FLOAT32, a->v.floats, sizeof(float), true, &y, diag)); break;
    case GEI_ATTR_INT: GEI_TRY(vector_of(a, im, GEI_INT64, &a->v.i, sizeof(int64_t), false, &y, diag)); break;
    case GEI_ATTR_INTS: GEI_TRY(vector_of(a, im, GEI_INT64, a->v.ints, sizeof(int64_t), true, &y, diag)); break;
    case GEI_ATTR_STRING: case GEI_ATTR_STRINGS: GEI_TRY(texts_of(a, im, &y, diag)); break;
    default: return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "it has no value");
    }
    gei_import_set_output(im, 0, y);
    return GE_OK;
}

static const gei_source const_sources[] = { { GEI_FROM_ONNX, "Constant", 1, map_constant, NULL }, { 0 } };

GEI_OP(Const) = { .name = "Const", .infer = infer_const, .sources = const_sources, .traits = GEI_OP_PURE | GEI_OP_CONST };
GEI_OP(Constant) = { .name = "Constant", .infer = infer_const, .traits = GEI_OP_PURE | GEI_OP_CONST };

static ge_status infer_nothing(gei_infer *i) {
    (void)i;
    return GE_OK;
}

GEI_OP(NetOutput) = { .name = "NetOutput", .infer = infer_nothing, .traits = GEI_OP_OUTPUT | GEI_OP_TAKES_BUNDLES };
