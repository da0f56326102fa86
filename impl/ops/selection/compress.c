/* SPDX-License-Identifier: Apache-2.0 */
/* GeCompress: slices of an axis for which the condition holds; without axis elements of x in row-major order.  The condition may be shorter. */
#include <string.h>

#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_CONDITION };

static ge_status find_axis(const gei_infer *i, int32_t rank, int32_t *out) {
    const gei_attr *axis = gei_node_attr(i->node, "axis");
    *out = -1;
    return axis && axis->kind == GEI_ATTR_INT ? gei_infer_axis(i, "axis", axis->v.i, rank, out) : GE_OK;
}

static ge_status infer_compress(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *condition = &i->in[SLOT_CONDITION]->shape;
    const gei_attr *attr = gei_node_attr(i->node, "axis");
    const gei_dtype_info *info = gei_dtype_get(i->in[SLOT_X]->dtype);
    int32_t axis;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    if (i->in[SLOT_X]->dtype != GEI_UNDEFINED && (!info || info->bits == 0 || info->bits % 8 != 0))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[SLOT_X]->dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_CONDITION, 1, 1));
    if (!attr || attr->kind != GEI_ATTR_INT) {
        i->out[0].shape = gei_shape_of(1, (gei_dim[]){ GEI_DIM_UNKNOWN });
        return GE_OK;
    }
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 1, GEI_MAX_RANK));
    GEI_TRY(find_axis(i, x->rank, &axis));
    if (condition->rank == 1 && gei_dim_known(condition->dims[0]) && gei_dim_known(x->dims[axis]) && condition->dims[0] > x->dims[axis])
        return gei_infer_fail(i, GE_ERR_SHAPE, "condition", "%lld entries for axis %d of size %lld", (long long)condition->dims[0], (int)axis,
                              (long long)x->dims[axis]);
    i->out[0].shape = *x;
    i->out[0].shape.dims[axis] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

static ge_status run_compress(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[SLOT_X], *condition = run->in[SLOT_CONDITION];
    const uint8_t *holds = (const uint8_t *)condition->data;
    gei_infer i = { .node = run->node, .diag = run->diag };
    int64_t dims[GEI_MAX_RANK], outer = 1, inner = 1, size, n = 0, found = 0;
    int32_t axis, rank = x->rank;
    size_t elem_bytes = gei_dtype_get(x->dtype)->bits / 8;
    void *data;
    (void)part;
    GEI_TRY(find_axis(&i, rank, &axis));
    memcpy(dims, x->dims, sizeof dims);
    for (int32_t d = 0; d < axis; d++) outer *= x->dims[d];
    for (int32_t d = axis + 1; axis >= 0 && d < rank; d++) inner *= x->dims[d];
    size = axis < 0 ? x->n_elems : x->dims[axis];
    if (condition->n_elems < size) size = condition->n_elems;
    for (int64_t k = 0; k < size; k++) n += holds[k] != 0;
    if (axis < 0) rank = 1;
    dims[axis < 0 ? 0 : axis] = n;
    size_t bytes = (size_t)inner * elem_bytes;
    GEI_TRY(gei_run_set_output(run, 0, rank, dims, (size_t)(outer * n) * bytes, &data));
    for (int64_t o = 0; o < outer && bytes > 0; o++)
        for (int64_t k = 0; k < size; k++)
            if (holds[k])
                memcpy((char *)data + (size_t)found++ * bytes, (const char *)x->data + (size_t)(o * (axis < 0 ? 0 : x->dims[axis]) + k) * bytes, bytes);
    return GE_OK;
}

static const gei_kernel compress_kernels[] = { { .name = "ref", .run = run_compress }, { 0 } };
static const gei_attr_map compress_attrs[] = { { "axis", "axis", NULL }, { NULL, NULL, NULL } };
static const gei_source compress_sources[] = { { GEI_FROM_ONNX, "Compress", 9, NULL, compress_attrs }, { 0 } };

GEI_OP(GeCompress) = { .name = "GeCompress", .infer = infer_compress, .kernels = compress_kernels, .sources = compress_sources, .traits = GEI_OP_PURE };
