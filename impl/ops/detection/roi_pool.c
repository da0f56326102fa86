/* SPDX-License-Identifier: Apache-2.0 */
/* ROIPooling: the largest element of each bin of each region of interest; rows of rois are batch entry, x1, y1, x2, y2, times the spatial
 * scale rounded to whole places, both ends belonging to the region.  A bin without places gives 0. */
#include <math.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_ROIS };

static ge_status infer_roi(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *rois = &i->in[SLOT_ROIS]->shape;
    int64_t height = gei_node_int(i->node, "pooled_h", 0), width = gei_node_int(i->node, "pooled_w", 0);
    gei_words words;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    for (uint32_t k = 0; k < 2; k++) {
        const gei_dtype_info *info = gei_dtype_get(i->in[k]->dtype);
        if (i->in[k]->dtype != GEI_UNDEFINED && (!info || info->kind != GEI_KIND_FLOAT || info->bits < 16))
            return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, k), "data type %s is not supported", gei_dtype_name(i->in[k]->dtype));
    }
    if (height < 1 || width < 1 || height > INT32_MAX || width > INT32_MAX)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "pooled_h", "%lld x %lld is no size", (long long)height, (long long)width);
    GEI_TRY(gei_infer_rank(i, SLOT_X, 4, 4));
    GEI_TRY(gei_infer_rank(i, SLOT_ROIS, 2, 2));
    if (rois->rank == 2 && gei_dim_known(rois->dims[1]) && rois->dims[1] != 5)
        return gei_infer_fail(i, GE_ERR_SHAPE, "rois", "shape %s, wanted rows of 5", gei_shape_words(rois, &words));
    if (gei_infer_in(i, 2)) return gei_infer_fail(i, GE_ERR_UNSUPPORTED, "roi_actual_num", "the input is not supported");
    i->out[0].shape = gei_shape_of(4, (gei_dim[]){ rois->rank == 2 ? rois->dims[0] : GEI_DIM_UNKNOWN, x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[1], height, width });
    return GE_OK;
}

static ge_status size_roi(gei_sizing *s, gei_diag *diag) {
    const gei_shape *y = &s->out[0].shape;
    (void)diag;
    s->n_parts = gei_parts(y->dims[0] * y->dims[1], 16);
    s->cost = 50.0 * (double)y->dims[0] * (double)y->dims[1] * (double)y->dims[2] * (double)y->dims[3];
    return GE_OK;
}

typedef struct span {
    int64_t begin, end;
} span;

/* Places of bin `at` of `bins` between two ends, inside size. */
static span bin_span(double first, double last, int64_t at, int64_t bins, int64_t size) {
    double length = fmax(last - first + 1, 1), each = length / (double)bins, most = (double)size;
    double begin = floor((double)at * each) + first, end = ceil((double)(at + 1) * each) + first;
    return (span){ (int64_t)fmin(fmax(begin, 0), most), (int64_t)fmin(fmax(end, 0), most) };
}

static double largest(const gei_view *x, int64_t plane, span rows, span columns) {
    double best = -INFINITY, v;
    if (rows.end <= rows.begin || columns.end <= columns.begin) return 0;
    for (int64_t row = rows.begin; row < rows.end; row++)
        for (int64_t column = columns.begin; column < columns.end; column++) {
            gei_load_f64(x->dtype, x->data, (plane * x->dims[2] + row) * x->dims[3] + column, 1, &v);
            best = v > best || isnan(v) ? v : best;
        }
    return best;
}

static ge_status run_roi(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[SLOT_X], *rois = run->in[SLOT_ROIS], *y = run->out[0];
    double scale_h = gei_node_float(run->node, "spatial_scale_h", 1), scale_w = gei_node_float(run->node, "spatial_scale_w", 1), c[5];
    int64_t begin, end, channels = y->dims[1];
    for (int64_t k = 0; k < rois->dims[0]; k++) {
        gei_load_f64(rois->dtype, rois->data, k * 5, 5, c);
        if (!(c[0] >= 0 && c[0] < (double)x->dims[0]))
            return gei_run_fail(run, part, "rois", "the batch entry of row %lld is out of range for a batch of %lld", (long long)k, (long long)x->dims[0]);
    }
    if (y->n_elems == 0) return GE_OK;
    gei_part_range(y->dims[0] * channels, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        gei_load_f64(rois->dtype, rois->data, k / channels * 5, 5, c);
        int64_t plane = (int64_t)c[0] * channels + k % channels;
        for (int64_t row = 0; row < y->dims[2]; row++)
            for (int64_t column = 0; column < y->dims[3]; column++) {
                span rows = bin_span(round(c[2] * scale_h), round(c[4] * scale_h), row, y->dims[2], x->dims[2]);
                span columns = bin_span(round(c[1] * scale_w), round(c[3] * scale_w), column, y->dims[3], x->dims[3]);
                double v = largest(x, plane, rows, columns);
                gei_store_f64(y->dtype, &v, y->data, (k * y->dims[2] + row) * y->dims[3] + column, 1);
            }
    }
    return GE_OK;
}

static const gei_kernel roi_kernels[] = { { .name = "ref", .size = size_roi, .run = run_roi }, { 0 } };

static ge_status map_roi(gei_import *im, gei_diag *diag) {
    gei_int_list shape = gei_import_ints(im, "pooled_shape");
    double scale = gei_import_float(im, "spatial_scale", 1);
    gei_node *node;
    if (shape.count != 2) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "pooled_shape has %zu entries, wanted 2", shape.count);
    GEI_TRY(gei_import_node(im, "ROIPooling", im->inputs, im->n_inputs < 2 ? im->n_inputs : 2, &node, diag));
    GEI_TRY(gei_import_set_int(node, "pooled_h", shape.data[0], diag));
    GEI_TRY(gei_import_set_int(node, "pooled_w", shape.data[1], diag));
    GEI_TRY(gei_import_set_float(node, "spatial_scale_h", scale, diag));
    GEI_TRY(gei_import_set_float(node, "spatial_scale_w", scale, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source roi_sources[] = { { GEI_FROM_ONNX, "MaxRoiPool", 1, map_roi, NULL }, { 0 } };

GEI_OP(ROIPooling) = { .name = "ROIPooling", .infer = infer_roi, .kernels = roi_kernels, .sources = roi_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(ROIPooling, "x rois y", "float");
