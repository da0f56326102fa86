/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/nn_norm/norm.h"

#include <math.h>

#include "ops/blocks.h"

ge_status gei_norm_check_dtype(const gei_infer *i, uint32_t slot) {
    const gei_info *in = gei_infer_in(i, slot);
    if (!in) return GE_OK;
    switch (in->dtype) {
    case GEI_FLOAT32: case GEI_FLOAT64: case GEI_FLOAT16: case GEI_BFLOAT16: case GEI_UNDEFINED: return GE_OK;
    default: return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, slot), "data type %s is not supported", gei_dtype_name(in->dtype));
    }
}

ge_status gei_norm_check_fits(const gei_infer *i, uint32_t slot, const gei_shape *x) {
    const gei_info *in = gei_infer_in(i, slot);
    gei_words a, b;
    if (!in || in->shape.rank < 0 || x->rank < 0) return GE_OK;
    bool fits = in->shape.rank <= x->rank;
    for (int32_t d = 0; fits && d < in->shape.rank; d++) {
        gei_dim size = in->shape.dims[d], of_x = x->dims[x->rank - in->shape.rank + d];
        fits = size == 1 || !gei_dim_known(size) || !gei_dim_known(of_x) || size == of_x;
    }
    if (fits) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "shape %s cannot be broadcast to %s", gei_shape_words(&in->shape, &a),
                          gei_shape_words(x, &b));
}

void gei_norm_strides(const gei_shape *gain, const gei_shape *x, int64_t *out) {
    int64_t stride = 1;
    for (int32_t d = x->rank - 1; d >= 0; d--) {
        int32_t from = d - (x->rank - gain->rank);
        int64_t size = from < 0 ? 1 : gain->dims[from];
        out[d] = size == 1 ? 0 : stride;
        stride *= size;
    }
}

int32_t gei_norm_slot(const gei_info *const *in, uint32_t n_in, uint32_t slot) { return slot < n_in && in[slot] ? (int32_t)slot : -1; }

static int64_t elems_of(const gei_sizing *s, int32_t slot) {
    int64_t n = 0;
    if (slot >= 0) (void)gei_shape_elems(&s->in[slot]->shape, &n);
    return n;
}

bool gei_norm_rows_accepts(const gei_choice *c, gei_reason *why) {
    for (uint32_t k = 0; k < c->n_in; k++) { /* integers say which axes */
        int32_t dtype = c->in[k] ? c->in[k]->dtype : GEI_FLOAT32;
        if (dtype == GEI_FLOAT64 || dtype == GEI_FLOAT16 || dtype == GEI_BFLOAT16)
            return gei_refuse(why, "data type of input %u is %s", k, gei_dtype_name(dtype));
    }
    return true;
}

/* Each kept element is a dense row, its gain and offset another one. */
static bool is_rows(const gei_norm_rows *rows) {
    const gei_norm *n = &rows->norm;
    if (n->kind != GEI_NORM_MEAN && n->kind != GEI_NORM_RMS) return false;
    if (n->reduced.rank != 1 || n->reduced.x[0] != 1) return false;
    if ((rows->gain >= 0 && n->reduced.gain[0] != 1) || (rows->shift >= 0 && n->reduced.shift[0] != 1)) return false;
    for (int32_t d = 0; d < n->kept.rank; d++)
        if ((rows->gain >= 0 && n->kept.gain[d] != 0) || (rows->shift >= 0 && n->kept.shift[d] != 0)) return false;
    return n->reduced.n > 1;
}

ge_status gei_size_norm(gei_sizing *s, const gei_norm_view *v, gei_norm_rows *rows, gei_diag *diag) {
    (void)diag;
    gei_norm_plan(&rows->norm, v->rank, v->dims, v->gain, v->shift, v->reduced);
    const gei_norm_axes *kept = &rows->norm.kept, *reduced = &rows->norm.reduced;
    s->sized = rows;
    s->n_parts = gei_parts(kept->n, reduced->n < 4096 ? 4096 / (reduced->n + 1) + 1 : 1);
    rows->vectors = s->prepared && is_rows(rows) ? s->prepared : NULL;
    if (!rows->vectors) s->part_scratch_bytes = (size_t)(elems_of(s, rows->gain) + elems_of(s, rows->shift)) * sizeof(double);
    s->cost = 6.0 * (double)kept->n * (double)reduced->n;
    return GE_OK;
}

gei_norm_fn gei_norm_function(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_norm_f64;
    case GEI_FLOAT16: return gei_norm_f16;
    case GEI_BFLOAT16: return gei_norm_bf16;
    default: return gei_norm_f32;
    }
}

gei_norm_apply_fn gei_norm_apply_function(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_norm_apply_f64;
    case GEI_FLOAT16: return gei_norm_apply_f16;
    case GEI_BFLOAT16: return gei_norm_apply_bf16;
    default: return gei_norm_apply_f32;
    }
}

/* Input `slot` as doubles at *at, which moves on. */
static const double *widen(const gei_run *run, int32_t slot, double **at) {
    if (slot < 0) return NULL;
    double *to = *at;
    const gei_view *v = run->in[slot];
    gei_load_f64(v->dtype, v->data, 0, v->n_elems, to);
    *at += v->n_elems;
    return to;
}

static void report(const gei_run *run, const gei_norm_rows *rows, int64_t k, const gei_norm_stats *stats) {
    uint32_t at = rows->report == GEI_NORM_ONLY_RSTD ? 0 : 1;
    const double *spread = rows->report == GEI_NORM_VARIANCE ? &stats->variance : &stats->factor;
    if (rows->report == GEI_NORM_NOTHING) return;
    if (at == 1) gei_store_f64(run->out[1]->dtype, &stats->mean, run->out[1]->data, k, 1);
    gei_store_f64(run->out[at + 1]->dtype, spread, run->out[at + 1]->data, k, 1);
}

static const float *floats_of(const gei_run *run, int32_t slot) { return slot < 0 ? NULL : run->in[slot]->data; }

static void run_vectors(const gei_run *run, const gei_norm_rows *rows, int64_t begin, int64_t end) {
    const gei_rows *v = rows->vectors;
    int64_t n = rows->norm.reduced.n;
    for (int64_t k = begin; k < end; k++) {
        const float *x = (const float *)run->in[0]->data + k * n;
        gei_norm_stats s = { .mean = rows->norm.kind == GEI_NORM_RMS ? 0 : v->sum(x, n) / (double)n };
        s.variance = v->sum_of_squares(x, s.mean, n) / (double)n;
        s.factor = 1 / sqrt(s.variance + rows->norm.epsilon);
        v->normalize(x, (float)s.mean, (float)s.factor, floats_of(run, rows->gain), floats_of(run, rows->shift), (float *)run->out[0]->data + k * n, n);
        report(run, rows, k, &s);
    }
}

ge_status gei_run_norm(const gei_run *run, uint32_t part) {
    const gei_norm_rows *rows = (const gei_norm_rows *)run->sized;
    double *scratch = (double *)run->scratch;
    gei_norm_fn norm = gei_norm_function(run->in[0]->dtype);
    gei_norm_stats stats;
    int64_t begin, end;
    gei_part_range(rows->norm.kept.n, run->n_parts, part, &begin, &end);
    if (begin >= end) return GE_OK;
    if (rows->vectors) {
        run_vectors(run, rows, begin, end);
        return GE_OK;
    }
    const double *gain = widen(run, rows->gain, &scratch), *shift = widen(run, rows->shift, &scratch);
    for (int64_t k = begin; k < end; k++) {
        norm(&rows->norm, run->in[0]->data, gain, shift, run->out[0]->data, k, &stats);
        report(run, rows, k, &stats);
    }
    return GE_OK;
}
