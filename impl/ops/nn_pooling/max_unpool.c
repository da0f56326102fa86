/* SPDX-License-Identifier: Apache-2.0 */
/* GeMaxUnpool: zeros, with each element of x at the place its index names, counted over the tensor whose pooling gave x: spatial sizes
 * (size - 1) * stride + kernel - pads.  output_shape may be larger: then zeros follow. */
#include <string.h>

#include "ops/nn_pooling/pool_onnx.h"

enum { SLOT_X, SLOT_INDICES, SLOT_SHAPE };

static ge_status unpooled_dim(const gei_infer *i, const gei_window_attrs *w, int32_t d, gei_dim in, gei_dim *out) {
    int64_t size;
    *out = GEI_DIM_UNKNOWN;
    if (!gei_dim_known(in)) return GE_OK;
    if (in == 0) return gei_infer_fail(i, GE_ERR_SHAPE, "x", "axis %d has no elements", (int)d + 2);
    if (!gei_mul_i64(in - 1, w->stride[d], &size) || !gei_add_i64(size, w->kernel[d] - w->pad_begin[d] - w->pad_end[d], &size) || size < 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "pads", "axis %d of size %lld cannot be unpooled", (int)d + 2, (long long)in);
    *out = size;
    return GE_OK;
}

/* Shape of the tensor that was pooled. */
static ge_status unpooled_shape(const gei_infer *i, gei_shape *out) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_int_list ksize = gei_node_ints(i->node, "ksize");
    gei_layout layout = { x->rank - 2, 1, 2 };
    gei_window_attrs w = { .n = x->rank - 2 };
    gei_words words;
    if (ksize.count != (size_t)layout.n)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "ksize", "%s has %zu entries, wanted %d", gei_ints_words(ksize.data, ksize.count, &words), ksize.count,
                              (int)layout.n);
    GEI_TRY(gei_read_spatial(i->node, "ksize", &layout, w.kernel, i->diag));
    GEI_TRY(gei_read_spatial(i->node, "strides", &layout, w.stride, i->diag));
    GEI_TRY(gei_read_pads(i->node, "pads", &layout, &w, i->diag));
    *out = *x;
    for (int32_t d = 0; d < layout.n; d++) GEI_TRY(unpooled_dim(i, &w, d, x->dims[d + 2], &out->dims[d + 2]));
    return GE_OK;
}

static ge_status wanted_shape(gei_infer *i, const gei_shape *natural, gei_shape *y) {
    const gei_info *shape = gei_infer_in(i, SLOT_SHAPE);
    int64_t numbers[GEI_MAX_RANK], n;
    size_t count;
    gei_words a, b;
    *y = *natural;
    if (!shape) return GE_OK;
    if (gei_shape_elems(&shape->shape, &n) && n != natural->rank)
        return gei_infer_fail(i, GE_ERR_SHAPE, "output_shape", "%lld entries for rank %d", (long long)n, (int)natural->rank);
    bool known = gei_infer_ints(i, SLOT_SHAPE, numbers, GEI_MAX_RANK, &count);
    for (int32_t d = 0; d < natural->rank; d++) {
        bool fits = !known || !gei_dim_known(natural->dims[d]) || (d < 2 ? numbers[d] == natural->dims[d] : numbers[d] >= natural->dims[d]);
        if (!fits)
            return gei_infer_fail(i, GE_ERR_SHAPE, "output_shape", "%s does not hold %s", gei_ints_words(numbers, count, &a), gei_shape_words(natural, &b));
        y->dims[d] = known ? numbers[d] : d < 2 ? natural->dims[d] : GEI_DIM_UNKNOWN;
    }
    return GE_OK;
}

static ge_status infer_unpool(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_shape natural;
    gei_words a, b;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    const gei_dtype_info *info = gei_dtype_get(i->out[0].dtype);
    if (i->out[0].dtype != GEI_UNDEFINED && (!info || info->bits == 0 || info->bits % 8 != 0))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->out[0].dtype));
    if (!gei_shape_fits(x, &i->in[SLOT_INDICES]->shape))
        return gei_infer_fail(i, GE_ERR_SHAPE, "indices", "shape %s, but x has %s", gei_shape_words(&i->in[SLOT_INDICES]->shape, &a), gei_shape_words(x, &b));
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, GEI_WINDOW_DIMS + 2));
    GEI_TRY(unpooled_shape(i, &natural));
    return wanted_shape(i, &natural, &i->out[0].shape);
}

static ge_status size_unpool(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .n_out = s->n_out, .diag = diag };
    gei_shape *natural = gei_arena_new(s->arena, gei_shape);
    int64_t n = 0;
    if (!natural) return gei_out_of_memory(diag, sizeof *natural);
    GEI_TRY(unpooled_shape(&i, natural));
    (void)gei_shape_elems(&s->out[0].shape, &n);
    s->sized = natural;
    s->cost = (double)n;
    return GE_OK;
}

/* One part: indices may repeat. */
static ge_status run_unpool(const gei_run *run, uint32_t part) {
    const gei_shape *natural = (const gei_shape *)run->sized;
    const gei_view *x = run->in[SLOT_X], *y = run->out[0];
    const int64_t *indices = (const int64_t *)run->in[SLOT_INDICES]->data;
    size_t bytes = gei_dtype_get(x->dtype)->bits / 8;
    int64_t n = gei_dim_product(natural, 0, natural->rank);
    (void)part;
    if (y->n_elems > 0) memset(y->data, 0, (size_t)y->n_elems * bytes);
    for (int64_t k = 0; k < x->n_elems; k++) {
        int64_t rest = indices[k], to = 0, stride = 1;
        if (rest < 0 || rest >= n) return gei_run_fail(run, 0, "indices", "%lld at %lld is out of range for %lld elements", (long long)rest, (long long)k, (long long)n);
        for (int32_t d = natural->rank - 1; d >= 0; d--) {
            to += rest % natural->dims[d] * stride;
            rest /= natural->dims[d];
            stride *= y->dims[d];
        }
        memcpy((char *)y->data + (size_t)to * bytes, (const char *)x->data + (size_t)k * bytes, bytes);
    }
    return GE_OK;
}

static const gei_kernel unpool_kernels[] = { { .name = "ref", .size = size_unpool, .run = run_unpool }, { 0 } };

/* ONNX pads: all begins, then all ends. */
static ge_status map_unpool(gei_import *im, gei_diag *diag) {
    gei_int_list kernel = gei_import_ints(im, "kernel_shape"), strides = gei_import_ints(im, "strides"), pads = gei_import_ints(im, "pads");
    int64_t values[GEI_WINDOW_DIMS * 2] = { 0 };
    size_t n = kernel.count;
    gei_node *node;
    if (n < 1 || n > GEI_WINDOW_DIMS || (pads.count && pads.count != 2 * n))
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "kernel_shape has %zu entries, pads %zu", n, pads.count);
    for (size_t k = 0; k < pads.count; k++) values[k < n ? 2 * k : 2 * (k - n) + 1] = pads.data[k];
    GEI_TRY(gei_import_node(im, "GeMaxUnpool", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_ints(node, "ksize", kernel.data, n, diag));
    if (strides.count) GEI_TRY(gei_import_set_ints(node, "strides", strides.data, strides.count, diag));
    GEI_TRY(gei_import_set_ints(node, "pads", values, 2 * n, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source unpool_sources[] = { { GEI_FROM_ONNX, "MaxUnpool", 9, map_unpool, NULL }, { 0 } };

GEI_OP(GeMaxUnpool) = { .name = "GeMaxUnpool", .infer = infer_unpool, .kernels = unpool_kernels, .sources = unpool_sources, .traits = GEI_OP_PURE,
                        .needs_value = 1u << SLOT_SHAPE };
