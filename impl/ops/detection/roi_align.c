/* SPDX-License-Identifier: Apache-2.0 */
/* GeRoiAlign: each region of interest (x1, y1, x2, y2 times spatial_scale) as a grid of bins; of each bin the mean or the largest of
 * samples interpolated between the four nearest places.  sampling_ratio 0: as many samples as the bin has places, rounded up.
 * In mode max the candidates are the four weighted neighbours of each sample, which is what ONNX defines by its reference. */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_ROIS, SLOT_BATCH };

typedef struct roi_attrs {
    int64_t height, width, samples;
    double scale;
    bool half_pixel, max;
} roi_attrs;

static ge_status read_attrs(const gei_node *node, roi_attrs *a, gei_diag *diag) {
    const char *where = gei_node_text(node, "coordinate_transformation_mode", "half_pixel"), *mode = gei_node_text(node, "mode", "avg");
    *a = (roi_attrs){ gei_node_int(node, "output_height", 1), gei_node_int(node, "output_width", 1), gei_node_int(node, "sampling_ratio", 0),
                      gei_node_float(node, "spatial_scale", 1), strcmp(where, "half_pixel") == 0, strcmp(mode, "max") == 0 };
    if (!a->half_pixel && strcmp(where, "output_half_pixel") != 0)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "coordinate_transformation_mode", "unknown value '%s'", where);
    if (!a->max && strcmp(mode, "avg") != 0) return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "mode", "unknown value '%s'", mode);
    if (a->height < 1 || a->width < 1 || a->height > INT32_MAX || a->width > INT32_MAX)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "output_height", "%lld x %lld is no size", (long long)a->height, (long long)a->width);
    if (a->samples < 0 || a->samples > INT32_MAX) return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "sampling_ratio", "%lld is out of range", (long long)a->samples);
    return GE_OK;
}

static ge_status check_float(const gei_infer *i, uint32_t slot) {
    const gei_dtype_info *info = gei_dtype_get(i->in[slot]->dtype);
    if (i->in[slot]->dtype == GEI_UNDEFINED || (info && info->kind == GEI_KIND_FLOAT && info->bits >= 16)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, slot), "data type %s is not supported", gei_dtype_name(i->in[slot]->dtype));
}

static ge_status infer_roi(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *rois = &i->in[SLOT_ROIS]->shape, *batch = &i->in[SLOT_BATCH]->shape;
    roi_attrs a;
    gei_words words;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    GEI_TRY(read_attrs(i->node, &a, i->diag));
    GEI_TRY(check_float(i, SLOT_X));
    GEI_TRY(check_float(i, SLOT_ROIS));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 4, 4));
    GEI_TRY(gei_infer_rank(i, SLOT_ROIS, 2, 2));
    GEI_TRY(gei_infer_rank(i, SLOT_BATCH, 1, 1));
    gei_dim n = rois->rank == 2 ? rois->dims[0] : batch->rank == 1 ? batch->dims[0] : GEI_DIM_UNKNOWN;
    if (rois->rank == 2 && gei_dim_known(rois->dims[1]) && rois->dims[1] != 4)
        return gei_infer_fail(i, GE_ERR_SHAPE, "rois", "shape %s, wanted rows of 4", gei_shape_words(rois, &words));
    if (rois->rank == 2 && batch->rank == 1 && gei_dim_known(n) && gei_dim_known(batch->dims[0]) && n != batch->dims[0])
        return gei_infer_fail(i, GE_ERR_SHAPE, "batch_indices", "%lld of them for %lld regions", (long long)batch->dims[0], (long long)n);
    i->out[0].shape = gei_shape_of(4, (gei_dim[]){ n, x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[1], a.height, a.width });
    return GE_OK;
}

static ge_status size_roi(gei_sizing *s, gei_diag *diag) {
    const gei_shape *y = &s->out[0].shape;
    roi_attrs *a = gei_arena_new(s->arena, roi_attrs);
    int64_t n = 0;
    if (!a) return gei_out_of_memory(diag, sizeof *a);
    GEI_TRY(read_attrs(s->node, a, diag));
    (void)gei_shape_elems(y, &n);
    s->sized = a;
    s->n_parts = gei_parts(y->dims[0] * y->dims[1], 4);
    s->cost = 100.0 * (double)n;
    return GE_OK;
}

/* ---- reference kernel ---- */

typedef struct region { /* of one plane */
    double top, left, bin_height, bin_width;
    int64_t rows, columns;  /* samples of a bin */
} region;

/* Samples of a bin, when they follow from its size: clipped, since a region may be of any size. */
static int64_t sample_count(int64_t given, double size) {
    if (given > 0) return given;
    double n = ceil(size);
    return n > 0 ? (int64_t)fmin(n, 0x1p20) : 0;
}

static region region_of(const gei_run *run, const roi_attrs *a, int64_t roi) {
    double c[4], shift = a->half_pixel ? 0.5 : 0;
    gei_load_f64(run->in[SLOT_ROIS]->dtype, run->in[SLOT_ROIS]->data, roi * 4, 4, c);
    for (int k = 0; k < 4; k++) c[k] = c[k] * a->scale - shift;
    double width = c[2] - c[0], height = c[3] - c[1];
    if (!a->half_pixel) {
        width = fmax(width, 1);
        height = fmax(height, 1);
    }
    region r = { c[1], c[0], height / (double)a->height, width / (double)a->width, 0, 0 };
    r.rows = sample_count(a->samples, r.bin_height);
    r.columns = sample_count(a->samples, r.bin_width);
    return r;
}

typedef struct corner {
    int64_t low, high;
    double part;            /* weight of high */
} corner;

/* False: so far outside that the sample is 0. */
static bool corner_at(double at, int64_t size, corner *out) {
    if (!(at >= -1) || at > (double)size) return false;
    if (at < 0) at = 0;
    int64_t low = (int64_t)at;
    if (low >= size - 1) *out = (corner){ size - 1, size - 1, 0 };
    else *out = (corner){ low, low + 1, at - (double)low };
    return true;
}

static double plane_at(const gei_view *x, int64_t plane, int64_t row, int64_t column) {
    double v;
    gei_load_f64(x->dtype, x->data, (plane * x->dims[2] + row) * x->dims[3] + column, 1, &v);
    return v;
}

static double bin_value(const gei_view *x, int64_t plane, const roi_attrs *a, const region *r, int64_t bin_row, int64_t bin_column) {
    double sum = 0, most = -INFINITY;
    for (int64_t i = 0; i < r->rows; i++) {
        double y_at = r->top + (double)bin_row * r->bin_height + ((double)i + 0.5) * r->bin_height / (double)r->rows;
        for (int64_t j = 0; j < r->columns; j++) {
            double x_at = r->left + (double)bin_column * r->bin_width + ((double)j + 0.5) * r->bin_width / (double)r->columns;
            corner v, h;
            double terms[4] = { 0 };
            if (corner_at(y_at, x->dims[2], &v) && corner_at(x_at, x->dims[3], &h)) {
                terms[0] = (1 - v.part) * (1 - h.part) * plane_at(x, plane, v.low, h.low);
                terms[1] = (1 - v.part) * h.part * plane_at(x, plane, v.low, h.high);
                terms[2] = v.part * (1 - h.part) * plane_at(x, plane, v.high, h.low);
                terms[3] = v.part * h.part * plane_at(x, plane, v.high, h.high);
            }
            sum += terms[0] + terms[1] + terms[2] + terms[3];
            for (int k = 0; k < 4; k++) most = fmax(most, terms[k]);
        }
    }
    int64_t n = r->rows * r->columns;
    if (a->max) return n > 0 ? most : 0;
    return n > 0 ? sum / (double)n : 0;
}

static ge_status run_roi(const gei_run *run, uint32_t part) {
    const roi_attrs *a = (const roi_attrs *)run->sized;
    const gei_view *x = run->in[SLOT_X], *y = run->out[0], *batch = run->in[SLOT_BATCH];
    int64_t begin, end, channels = y->dims[1];
    for (int64_t k = 0; k < batch->n_elems; k++) {
        int64_t b = gei_view_i64(batch, k);
        if (b < 0 || b >= x->dims[0]) return gei_run_fail(run, part, "batch_indices", "%lld at %lld is out of range for a batch of %lld", (long long)b, (long long)k, (long long)x->dims[0]);
    }
    if (y->n_elems == 0) return GE_OK;
    gei_part_range(y->dims[0] * channels, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        region r = region_of(run, a, k / channels);
        int64_t plane = gei_view_i64(batch, k / channels) * channels + k % channels;
        for (int64_t row = 0; row < a->height; row++)
            for (int64_t column = 0; column < a->width; column++) {
                double v = x->dims[2] > 0 && x->dims[3] > 0 ? bin_value(x, plane, a, &r, row, column) : 0;
                gei_store_f64(y->dtype, &v, y->data, (k * a->height + row) * a->width + column, 1);
            }
    }
    return GE_OK;
}

static const gei_kernel roi_kernels[] = { { .name = "ref", .size = size_roi, .run = run_roi }, { 0 } };

#define COMMON { "mode", "mode", "avg" }, { "output_height", "output_height", "1" }, { "output_width", "output_width", "1" }, \
               { "sampling_ratio", "sampling_ratio", "0" }, { "spatial_scale", "spatial_scale", "1" }, { NULL, NULL, NULL }
static const gei_attr_map roi_attrs_10[] = { { NULL, "coordinate_transformation_mode", "output_half_pixel" }, COMMON };
static const gei_attr_map roi_attrs_16[] = { { "coordinate_transformation_mode", "coordinate_transformation_mode", "half_pixel" }, COMMON };
static const gei_source roi_sources[] = { { GEI_FROM_ONNX, "RoiAlign", 10, NULL, roi_attrs_10 }, { GEI_FROM_ONNX, "RoiAlign", 16, NULL, roi_attrs_16 }, { 0 } };

GEI_OP(GeRoiAlign) = { .name = "GeRoiAlign", .infer = infer_roi, .kernels = roi_kernels, .sources = roi_sources, .traits = GEI_OP_PURE };
