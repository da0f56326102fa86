/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/reduce.h"

enum { SLOT_X, SLOT_AXES };

static int lane_of(int32_t dtype) {
    if (dtype == GEI_FLOAT16) return GEI_REDUCE_F16;
    if (dtype == GEI_BFLOAT16) return GEI_REDUCE_BF16;
    return (int)gei_lane_of(dtype);
}

static bool is_supported(const gei_reduce *r, int32_t dtype) {
    int lane = lane_of(dtype);
    return lane < GEI_REDUCE_LANES && gei_lane_of(dtype) != GEI_LANE_NONE && r->loops[lane];
}

/* Bits of the axes that go. */
static ge_status axes_mask(const gei_infer *i, const gei_reduce *r, const int64_t *axes, size_t count, int32_t rank, uint32_t *out) {
    *out = 0;
    if (count > 0) return gei_infer_axes(i, "axes", axes, count, rank, out);
    if (!gei_node_bool(i->node, "noop_with_empty_axes", r->noop)) *out = (UINT32_C(1) << rank) - 1;
    return GE_OK;
}

static void set_shape(gei_infer *i, uint32_t mask, bool keep) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_shape y = gei_shape_scalar();
    for (int32_t d = 0; d < x->rank; d++) {
        if (!(mask >> d & 1)) y.dims[y.rank++] = x->dims[d];
        else if (keep) y.dims[y.rank++] = 1;
    }
    i->out[0].shape = y;
}

ge_status gei_infer_reduce(gei_infer *i, const gei_reduce *r) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    bool keep = gei_node_bool(i->node, "keep_dims", false);
    int64_t axes[GEI_MAX_RANK * 4], n_axes;
    size_t count;
    uint32_t mask;
    int32_t dtype = i->in[SLOT_X]->dtype;
    i->out[0].dtype = dtype;
    if (dtype != GEI_UNDEFINED && !is_supported(r, dtype))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_AXES, 0, 1));
    if (x->rank < 0) return GE_OK;
    if (gei_infer_ints(i, SLOT_AXES, axes, GEI_COUNT(axes), &count)) {
        GEI_TRY(axes_mask(i, r, axes, count, x->rank, &mask));
        set_shape(i, mask, keep);
        return GE_OK;
    }
    if (!gei_shape_elems(&i->in[SLOT_AXES]->shape, &n_axes)) n_axes = -1;
    if (n_axes > x->rank)
        return gei_infer_fail(i, GE_ERR_SHAPE, "axes", "%lld axes for rank %d", (long long)n_axes, (int)x->rank);
    if (n_axes == 0) {
        GEI_TRY(axes_mask(i, r, axes, 0, x->rank, &mask));
        set_shape(i, mask, keep);
    } else if (keep || n_axes > 0) { /* only the rank is known */
        i->out[0].shape.rank = keep ? x->rank : x->rank - (int32_t)n_axes;
        for (int32_t d = 0; d < i->out[0].shape.rank; d++) i->out[0].shape.dims[d] = GEI_DIM_UNKNOWN;
    }
    return GE_OK;
}

ge_status gei_size_reduce(gei_sizing *s, const gei_reduce *r, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int64_t axes[GEI_MAX_RANK];
    size_t count;
    uint32_t mask;
    gei_split *split = gei_arena_new(s->arena, gei_split);
    if (!split) return gei_out_of_memory(diag, sizeof *split);
    GEI_TRY(gei_sizing_ints(s, SLOT_AXES, axes, GEI_MAX_RANK, &count, diag));
    GEI_TRY(axes_mask(&i, r, axes, count, x->rank, &mask));
    gei_split_axes(split, x->rank, x->dims, mask);
    s->sized = split;
    s->n_parts = gei_parts(split->kept.n, split->reduced.n < 16384 ? 16384 / (split->reduced.n + 1) + 1 : 1);
    s->cost = (double)split->kept.n * (double)split->reduced.n;
    return GE_OK;
}

ge_status gei_run_reduce(const gei_run *run, uint32_t part, const gei_reduce *r) {
    const gei_split *split = (const gei_split *)run->sized;
    int64_t begin, end;
    gei_part_range(split->kept.n, run->n_parts, part, &begin, &end);
    r->loops[lane_of(run->in[SLOT_X]->dtype)](split, run->in[SLOT_X]->data, run->out[0]->data, begin, end);
    return GE_OK;
}

ge_status gei_map_reduce(gei_import *im, int32_t axes_input, gei_diag *diag) {
    gei_value inputs[2] = { gei_import_input(im, 0), gei_import_input(im, 1) };
    gei_int_list axes = gei_import_ints(im, "axes");
    gei_node *node;
    if (im->opset < axes_input) inputs[1].node = NULL;
    else axes.count = 0;
    if (!inputs[1].node) GEI_TRY(gei_import_const_i64(im, axes.data, axes.count, false, &inputs[1], diag));
    GEI_TRY(gei_import_node(im, im->op->name, inputs, 2, &node, diag));
    GEI_TRY(gei_import_set_bool(node, "keep_dims", gei_import_int(im, "keepdims", 1) != 0, diag));
    bool noop = im->opset >= axes_input && gei_import_int(im, "noop_with_empty_axes", 0) != 0;
    GEI_TRY(gei_import_set_bool(node, "noop_with_empty_axes", noop, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}
