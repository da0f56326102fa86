/* SPDX-License-Identifier: Apache-2.0 */
/* GeMelWeightMatrix (ours, ONNX MelWeightMatrix): column m is a triangle over the bins of a spectrum, between neighbours of the points
 * that cut the mel scale from the lower to the upper edge into num_mel_bins + 2 steps.
 *   mel(f) = 2595 log10(1 + f / 700);  a frequency's bin is floor((dft_length + 1) f / sample_rate) */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_BINS, SLOT_LENGTH, SLOT_RATE, SLOT_LOWER, SLOT_UPPER };

static ge_status read_size(const gei_infer *i, uint32_t slot, int64_t least, gei_dim *out) {
    int64_t number;
    size_t n;
    *out = GEI_DIM_UNKNOWN;
    if (!gei_infer_ints(i, slot, &number, 1, &n) || n != 1) return GE_OK;
    if (number < least || number > INT32_MAX) return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, gei_infer_port(i, slot), "%lld", (long long)number);
    *out = number;
    return GE_OK;
}

static ge_status infer_mel(gei_infer *i) {
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_FLOAT32);
    gei_dim dims[2], length;
    gei_words words;
    for (uint32_t k = 0; k < 5; k++) {
        const gei_shape *s = &i->in[k]->shape;
        gei_dim n = s->rank < 0 ? GEI_DIM_UNKNOWN : gei_dim_product(s, 0, s->rank);
        if (gei_dim_known(n) && n != 1)
            return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, k), "shape %s, wanted one number", gei_shape_words(s, &words));
    }
    if (!gei_dtype_is_real((int32_t)dtype) || gei_dtype_get((int32_t)dtype)->bits < 8)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dtype", "data type %s is not supported", gei_dtype_name((int32_t)dtype));
    i->out[0].dtype = (int32_t)dtype;
    GEI_TRY(read_size(i, SLOT_LENGTH, 0, &length));
    GEI_TRY(read_size(i, SLOT_BINS, 0, &dims[1]));
    dims[0] = gei_dim_known(length) ? length / 2 + 1 : GEI_DIM_UNKNOWN;
    i->out[0].shape = gei_shape_of(2, dims);
    return GE_OK;
}

static double mel_of(double hertz) { return 2595 * log10(1 + hertz / 700); }
static double hertz_of(double mel) { return 700 * (pow(10, mel / 2595) - 1); }

typedef struct scale {
    double low, step, bins_per_hertz;
} scale;

static int64_t bin_of(const scale *s, int64_t point) {
    double bin = floor(hertz_of(s->low + (double)point * s->step) * s->bins_per_hertz);
    return bin > -0x1p40 && bin < 0x1p40 ? (int64_t)bin : -1; /* edges that are no frequencies: outside the matrix */
}

static void put(const gei_view *y, int64_t bin, int64_t column, double v) {
    if (bin >= 0 && bin < y->dims[0]) gei_store_f64(y->dtype, &v, y->data, bin * y->dims[1] + column, 1);
}

static void put_triangle(const gei_view *y, const scale *s, int64_t column) {
    int64_t left = bin_of(s, column), peak = bin_of(s, column + 1), right = bin_of(s, column + 2);
    int64_t first = left < 0 ? 0 : left, last = right < y->dims[0] ? right : y->dims[0];
    if (left == peak) put(y, peak, column, 1);
    for (int64_t bin = first; bin < last; bin++) {
        if (bin <= peak && left < peak) put(y, bin, column, (double)(bin - left) / (double)(peak - left));
        if (bin >= peak && peak < right) put(y, bin, column, (double)(right - bin) / (double)(right - peak));
    }
    put(y, peak, column, 1);
}

static ge_status run_mel(const gei_run *run, uint32_t part) {
    const gei_view *y = run->out[0];
    double rate = gei_view_f64(run->in[SLOT_RATE], 0), length = gei_view_f64(run->in[SLOT_LENGTH], 0);
    double low = gei_view_f64(run->in[SLOT_LOWER], 0), high = gei_view_f64(run->in[SLOT_UPPER], 0);
    size_t bytes = 0;
    if (!(rate > 0)) return gei_run_fail(run, part, "sample_rate", "%g", rate);
    if (!(low >= 0 && high >= low && high < (double)INFINITY)) return gei_run_fail(run, part, "upper_edge_hertz", "edges %g and %g", low, high);
    scale s = { mel_of(low), (mel_of(high) - mel_of(low)) / (double)(y->dims[1] + 2), (length + 1) / rate };
    if (gei_dtype_bytes(y->dtype, (uint64_t)y->n_elems, &bytes) && bytes > 0) memset(y->data, 0, bytes);
    for (int64_t column = 0; column < y->dims[1]; column++) put_triangle(y, &s, column);
    return GE_OK;
}

static ge_status map_mel(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GeMelWeightMatrix", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_dtype(im, "output_datatype", GEI_FLOAT32, node, "dtype", diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_kernel mel_kernels[] = { { .name = "ref", .run = run_mel }, { 0 } };
static const gei_source mel_sources[] = { { GEI_FROM_ONNX, "MelWeightMatrix", 17, map_mel, NULL }, { 0 } };

GEI_OP(GeMelWeightMatrix) = { .name = "GeMelWeightMatrix", .infer = infer_mel, .kernels = mel_kernels, .sources = mel_sources,
                              .traits = GEI_OP_PURE, .needs_value = 1u << SLOT_BINS | 1u << SLOT_LENGTH };
