/* SPDX-License-Identifier: Apache-2.0 */
/* GeCenterCropPad: axes cropped, or padded with zeros, to given sizes around their middle; of an odd excess or lack the larger half lies
 * at the end. */
#include <string.h>

#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_SHAPE };

static ge_status read_axes(const gei_infer *i, int32_t rank, int32_t *axes, int32_t *out_n) {
    gei_int_list list = gei_node_ints(i->node, "axes");
    uint32_t mask;
    *out_n = list.count > 0 ? (int32_t)list.count : rank;
    for (int32_t d = 0; d < rank; d++) axes[d] = d;
    GEI_TRY(gei_infer_axes(i, "axes", list.data, list.count, rank, &mask));
    for (size_t k = 0; k < list.count; k++) axes[k] = (int32_t)(list.data[k] < 0 ? list.data[k] + rank : list.data[k]);
    return GE_OK;
}

static ge_status infer_crop(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    const gei_dtype_info *info = gei_dtype_get(i->in[SLOT_X]->dtype);
    int32_t axes[GEI_MAX_RANK], n;
    int64_t numbers[GEI_MAX_RANK], given;
    gei_dim dims[GEI_MAX_RANK];
    size_t count, minus_one;
    gei_words words;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    if (i->in[SLOT_X]->dtype != GEI_UNDEFINED && (!info || info->bits == 0 || info->bits % 8 != 0))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[SLOT_X]->dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_SHAPE, 1, 1));
    if (x->rank < 0) return GE_OK;
    GEI_TRY(read_axes(i, x->rank, axes, &n));
    if (gei_shape_elems(&i->in[SLOT_SHAPE]->shape, &given) && given != n)
        return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "%lld entries for %d axes", (long long)given, (int)n);
    if (gei_infer_ints(i, SLOT_SHAPE, numbers, GEI_MAX_RANK, &count))
        for (size_t k = 0; k < count; k++)
            if (numbers[k] < 0)
                return gei_infer_fail(i, GE_ERR_SHAPE, "shape", "%s: %lld is no size", gei_ints_words(numbers, count, &words), (long long)numbers[k]);
    bool some = gei_infer_dims(i, SLOT_SHAPE, dims, GEI_MAX_RANK, &count, &minus_one);
    i->out[0].shape = *x;
    for (int32_t k = 0; k < n; k++) i->out[0].shape.dims[axes[k]] = some ? dims[k] : GEI_DIM_UNKNOWN;
    return GE_OK;
}

static ge_status size_crop(gei_sizing *s, gei_diag *diag) {
    const gei_shape *y = &s->out[0].shape;
    (void)diag;
    int64_t run = y->rank > 0 ? y->dims[y->rank - 1] : 1, rows = y->rank > 0 ? gei_dim_product(y, 0, y->rank - 1) : 1;
    s->n_parts = gei_parts(rows, run < 16384 ? 16384 / (run + 1) + 1 : 1);
    s->cost = (double)rows * (double)run;
    return GE_OK;
}

/* Place of x at y's place 0. */
static int64_t shift(int64_t in, int64_t out) { return in >= out ? (in - out) / 2 : -((out - in) / 2); }

static ge_status run_crop(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[SLOT_X], *y = run->out[0];
    size_t bytes = gei_dtype_get(x->dtype)->bits / 8;
    int32_t last = y->rank - 1;
    int64_t n = last < 0 ? 1 : y->dims[last], in = last < 0 ? 1 : x->dims[last], from = shift(in, n), begin, end;
    int64_t first = from < 0 ? -from : 0, stop = in - from < n ? in - from : n; /* places of y that x covers */
    if (y->n_elems == 0) return GE_OK;
    gei_part_range(y->n_elems / n, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        char *to = (char *)y->data + (size_t)(row * n) * bytes;
        int64_t rest = row, base = 0, stride = in;
        bool inside = true;
        for (int32_t d = last - 1; d >= 0; d--) {
            int64_t at = rest % y->dims[d] + shift(x->dims[d], y->dims[d]);
            rest /= y->dims[d];
            inside = inside && at >= 0 && at < x->dims[d];
            base += at * stride;
            stride *= x->dims[d];
        }
        memset(to, 0, (size_t)n * bytes);
        if (inside && stop > first)
            memcpy(to + (size_t)first * bytes, (const char *)x->data + (size_t)(base + from + first) * bytes, (size_t)(stop - first) * bytes);
    }
    return GE_OK;
}

static const gei_kernel crop_kernels[] = { { .name = "ref", .size = size_crop, .run = run_crop }, { 0 } };
static const gei_attr_map crop_attrs[] = { { "axes", "axes", NULL }, { NULL, NULL, NULL } };
static const gei_source crop_sources[] = { { GEI_FROM_ONNX, "CenterCropPad", 18, NULL, crop_attrs }, { 0 } };

GEI_OP(GeCenterCropPad) = { .name = "GeCenterCropPad", .infer = infer_crop, .kernels = crop_kernels, .sources = crop_sources,
                            .traits = GEI_OP_PURE, .needs_value = 1u << SLOT_SHAPE };
