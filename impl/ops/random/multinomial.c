/* SPDX-License-Identifier: Apache-2.0 */
/* Multinomial: num_samples classes for each row of unnormalised log-probabilities, drawn with replacement. */
#include <math.h>

#include "ops/blocks.h"
#include "ops/random/random.h"

enum { SLOT_LOGITS, SLOT_COUNT };

static ge_status infer_multinomial(gei_infer *i) {
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_INT64), count;
    const gei_shape *x = &i->in[SLOT_LOGITS]->shape;
    size_t n;
    if (dtype != GEI_INT32 && dtype != GEI_INT64)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dtype", "data type %s, wanted int32 or int64", gei_dtype_name((int32_t)dtype));
    i->out[0].dtype = (int32_t)dtype;
    GEI_TRY(gei_infer_rank(i, SLOT_LOGITS, 2, 2));
    i->out[0].shape = gei_shape_of(2, (gei_dim[]){ x->rank == 2 ? x->dims[0] : GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN });
    if (x->rank == 2 && x->dims[1] == 0) return gei_infer_fail(i, GE_ERR_SHAPE, "logits", "there are no classes");
    if (!gei_infer_ints(i, SLOT_COUNT, &count, 1, &n) || n != 1) return GE_OK;
    if (count < 0) return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, "num_samples", "%lld", (long long)count);
    i->out[0].shape.dims[1] = count;
    return GE_OK;
}

static ge_status size_multinomial(gei_sizing *s, gei_diag *diag) {
    if (!gei_mul((size_t)s->in[SLOT_LOGITS]->shape.dims[1], sizeof(double), &s->part_scratch_bytes)) return gei_out_of_memory(diag, SIZE_MAX);
    s->cost = 20.0 * (double)s->in[SLOT_LOGITS]->shape.dims[0] * (double)s->in[SLOT_LOGITS]->shape.dims[1];
    return GE_OK;
}

/* Logits to running sums of their probabilities times some factor. */
static double running_sums(double *p, int64_t n) {
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < n; k++) most = p[k] > most ? p[k] : most;
    for (int64_t k = 0; k < n; k++) p[k] = sum += p[k] == most ? 1 : exp(p[k] - most);
    return sum;
}

/* First class whose running sum lies above v. */
static int64_t find(const double *sums, int64_t n, double v) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sums[middle] > v) high = middle;
        else low = middle + 1;
    }
    return low;
}

static ge_status run_multinomial(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[SLOT_LOGITS], *y = run->out[0];
    int64_t classes = x->dims[1], samples = y->dims[1];
    uint64_t seed = gei_random_seed(run->node);
    double *sums = (double *)run->scratch;
    (void)part;
    for (int64_t row = 0; row < y->dims[0]; row++) {
        gei_load_f64(x->dtype, x->data, row * classes, classes, sums);
        double total = running_sums(sums, classes);
        if (!(total > 0 && total < (double)INFINITY)) return gei_run_fail(run, part, "logits", "row %lld holds no probabilities", (long long)row);
        for (int64_t k = 0; k < samples; k++) {
            int64_t drawn = find(sums, classes, total * gei_random_uniform(seed, (uint64_t)(row * samples + k)));
            gei_store_i64(y->dtype, &drawn, y->data, row * samples + k, 1);
        }
    }
    return GE_OK;
}

static ge_status map_multinomial(gei_import *im, gei_diag *diag) {
    int64_t count = gei_import_int(im, "sample_size", 1);
    gei_value ins[2] = { gei_import_input(im, 0), { NULL, 0 } };
    gei_node *node;
    GEI_TRY(gei_import_const_i32(im, &count, 1, true, &ins[SLOT_COUNT], diag));
    GEI_TRY(gei_import_node(im, "Multinomial", ins, 2, &node, diag));
    GEI_TRY(gei_import_dtype(im, "dtype", GEI_INT32, node, "dtype", diag));
    GEI_TRY(gei_import_seed(im, node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_kernel multinomial_kernels[] = { { .name = "ref", .size = size_multinomial, .run = run_multinomial }, { 0 } };
static const gei_source multinomial_sources[] = { { GEI_FROM_ONNX, "Multinomial", 7, map_multinomial, NULL }, { 0 } };

GEI_OP(Multinomial) = { .name = "Multinomial", .infer = infer_multinomial, .kernels = multinomial_kernels, .sources = multinomial_sources,
                        .traits = GEI_OP_RANDOM, .needs_value = 1u << SLOT_COUNT };
GEI_WIDEN(Multinomial, "logits", "float");
