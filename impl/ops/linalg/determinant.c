/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixDeterminant of the matrices in the last two dims: elimination with the largest pivot of each column, in double. */
#include <math.h>

#include "ops/blocks.h"
#include "ops/rules.h"

static ge_status infer_determinant(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    gei_words words;
    int32_t dtype = i->in[0]->dtype;
    i->out[0].dtype = dtype;
    if (dtype != GEI_UNDEFINED && dtype != GEI_FLOAT32 && dtype != GEI_FLOAT64 && dtype != GEI_FLOAT16 && dtype != GEI_BFLOAT16)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    GEI_TRY(gei_infer_rank(i, 0, 2, GEI_MAX_RANK));
    if (x->rank < 0) return GE_OK;
    gei_dim rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
    if (gei_dim_known(rows) && gei_dim_known(columns) && rows != columns)
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "shape %s: its matrices are not square", gei_shape_words(x, &words));
    i->out[0].shape = gei_shape_of(x->rank - 2, x->dims);
    return GE_OK;
}

static ge_status size_determinant(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    int64_t batch = gei_dim_product(x, 0, x->rank - 2), n = x->dims[x->rank - 1];
    double work = (double)n * (double)n * (double)n;
    if (!gei_mul((size_t)n, (size_t)n, &s->part_scratch_bytes) || !gei_mul(s->part_scratch_bytes, sizeof(double), &s->part_scratch_bytes))
        return gei_out_of_memory(diag, SIZE_MAX);
    s->n_parts = gei_parts(batch, work > 16384 ? 1 : (int64_t)(16384 / (work + 1)) + 1);
    s->cost = (double)batch * work;
    return GE_OK;
}

static void swap_rows(double *a, double *b, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        double t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

static double determinant(double *m, int64_t n) {
    double product = 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t pivot = c;
        for (int64_t r = c + 1; r < n; r++)
            if (fabs(m[r * n + c]) > fabs(m[pivot * n + c])) pivot = r;
        if (m[pivot * n + c] == 0) return 0;
        if (pivot != c) {
            swap_rows(m + pivot * n, m + c * n, n);
            product = -product;
        }
        product *= m[c * n + c];
        for (int64_t r = c + 1; r < n; r++) {
            double factor = m[r * n + c] / m[c * n + c];
            for (int64_t k = c; k < n; k++) m[r * n + k] -= factor * m[c * n + k];
        }
    }
    return product;
}

static ge_status run_determinant(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    int64_t n = x->dims[x->rank - 1], begin, end;
    double *m = (double *)run->scratch;
    gei_part_range(y->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        if (n > 0) gei_load_f64(x->dtype, x->data, k * n * n, n * n, m);
        double d = determinant(m, n);
        gei_store_f64(y->dtype, &d, y->data, k, 1);
    }
    return GE_OK;
}

static const gei_kernel determinant_kernels[] = { { .name = "ref", .size = size_determinant, .run = run_determinant }, { 0 } };
static const gei_source determinant_sources[] = { { GEI_FROM_ONNX, "Det", 11, NULL, NULL }, { 0 } };

GEI_OP(MatrixDeterminant) = { .name = "MatrixDeterminant", .infer = infer_determinant, .kernels = determinant_kernels,
                              .sources = determinant_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(MatrixDeterminant, "*", "float");
