/* SPDX-License-Identifier: Apache-2.0 */
/* Fill: one value over a shape; ONNX ConstantOfShape. */
#include "kernels/strided.h"
#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_DIMS, SLOT_VALUE };

static ge_status infer_fill(gei_infer *i) {
    const gei_shape *dims = &i->in[SLOT_DIMS]->shape;
    int64_t numbers[GEI_MAX_RANK];
    gei_shape y = gei_shape_scalar();
    size_t count, minus_one;
    gei_words words;
    i->out[0].dtype = i->in[SLOT_VALUE]->dtype;
    GEI_TRY(gei_infer_rank(i, SLOT_DIMS, 1, 1));
    int64_t n_values;
    if (gei_shape_elems(&i->in[SLOT_VALUE]->shape, &n_values) && n_values != 1)
        return gei_infer_fail(i, GE_ERR_SHAPE, "value", "%lld values, wanted one", (long long)n_values);
    if (dims->rank == 1 && gei_dim_known(dims->dims[0]) && dims->dims[0] > GEI_MAX_RANK)
        return gei_infer_fail(i, GE_ERR_RANK, "dims", "%lld entries, at most %d", (long long)dims->dims[0], GEI_MAX_RANK);
    if (gei_infer_ints(i, SLOT_DIMS, numbers, GEI_MAX_RANK, &count))
        for (size_t k = 0; k < count; k++)
            if (numbers[k] < 0)
                return gei_infer_fail(i, GE_ERR_SHAPE, "dims", "%s: %lld is no size", gei_ints_words(numbers, count, &words),
                                      (long long)numbers[k]);
    if (gei_infer_dims(i, SLOT_DIMS, y.dims, GEI_MAX_RANK, &count, &minus_one)) {
        y.rank = (int32_t)count;
        i->out[0].shape = y;
    } else if (dims->rank == 1 && gei_dim_known(dims->dims[0])) {
        y.rank = (int32_t)dims->dims[0];
        for (int32_t d = 0; d < y.rank; d++) y.dims[d] = GEI_DIM_UNKNOWN;
        i->out[0].shape = y;
    }
    return GE_OK;
}

static ge_status size_fill(gei_sizing *s, gei_diag *diag) {
    gei_strided *copy = gei_arena_new(s->arena, gei_strided);
    if (!copy) return gei_out_of_memory(diag, sizeof *copy);
    copy->n_elems = 1;
    copy->elem_bytes = gei_moved_bytes(s->out[0].dtype);
    for (int32_t d = 0; d < s->out[0].shape.rank; d++) gei_strided_add(copy, s->out[0].shape.dims[d], 0);
    gei_strided_merge(copy);
    s->sized = copy;
    s->n_parts = gei_parts(copy->n_elems, 16384);
    s->cost = (double)copy->n_elems;
    return GE_OK;
}

static ge_status run_strided(const gei_run *run, uint32_t part) {
    const gei_strided *copy = (const gei_strided *)run->sized;
    int64_t begin, end;
    gei_part_range(copy->n_elems, run->n_parts, part, &begin, &end);
    gei_strided_copy(copy, run->in[SLOT_VALUE]->data, run->out[0]->data, begin, end);
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_VALUE, run_strided); }

static const gei_kernel fill_kernels[] = { { .name = "ref", .size = size_fill, .run = run_ref }, { 0 } };

static ge_status map_constant_of_shape(gei_import *im, gei_diag *diag) {
    const gei_attr *value = gei_import_attr(im, "value");
    gei_value inputs[2] = { gei_import_input(im, 0), { NULL, 0 } };
    gei_node *node;
    if (value && (value->kind != GEI_ATTR_TENSOR || value->v.tensor->n_elems != 1))
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute value is no tensor of one element");
    GEI_TRY(value ? gei_import_const_tensor(im, value->v.tensor, &inputs[1], diag)
            : gei_import_const_like(im, 0, GEI_FLOAT32, &inputs[1], diag));
    GEI_TRY(gei_import_node(im, "Fill", inputs, 2, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source fill_sources[] = { { GEI_FROM_ONNX, "ConstantOfShape", 9, map_constant_of_shape, NULL }, { 0 } };

GEI_OP(Fill) = { .name = "Fill", .infer = infer_fill, .kernels = fill_kernels, .sources = fill_sources,
                 .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_VALUE, .needs_value = 1u << SLOT_DIMS };
GEI_WIDEN(Fill, "value y", "any");
