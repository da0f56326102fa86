/* SPDX-License-Identifier: Apache-2.0 */
/* GeDFT, GeSTFT (ours, ONNX DFT and STFT).  Complex numbers are pairs in the last dim, which is 1 for real ones.
 *   y[k] = sum of x[j] exp(-2 pi i j k / n); the inverse has the other sign and is divided by n.
 * GeDFT: along `axis` (-2), n being dft_length: x is cut or gets zeros behind.  onesided: of a real x the first n / 2 + 1 numbers; inverse and
 * onesided: x are these, y is real, n without dft_length is 2 (size - 1).
 * GeSTFT: of each frame of frame_length (else that of the window, else all) elements, frame_step apart, times the window. */
#include <math.h>

#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"

enum { SLOT_X, SLOT_LENGTH, SLOT_AXIS };
enum { SLOT_STEP = 1, SLOT_WINDOW, SLOT_FRAME };

#define PI 3.14159265358979323846

typedef struct fourier { /* sized */
    int64_t outer, inner, n, from, to; /* lines of x have `from` numbers, lines of y `to` */
    int64_t x_pair, y_pair;            /* 1: real, 2: complex */
    bool inverse, mirrors;             /* mirrors: x is the first half of a spectrum */
} fourier;

typedef struct frames { /* sized */
    int64_t batch, length, count, n, to, step, x_pair;
} frames;

/* ---- rules ---- */

static ge_status check_pair(const gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_dim last = x->rank > 0 ? x->dims[x->rank - 1] : GEI_DIM_UNKNOWN;
    if (!gei_dim_known(last) || last == 1 || last == 2) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "x", "the last dim is %lld, wanted 1 (real) or 2 (complex)", (long long)last);
}

/* A scalar input that counts something; *out unknown when it is absent or not known. */
static ge_status read_count(const gei_infer *i, uint32_t slot, gei_dim *out) {
    const gei_info *in = gei_infer_in(i, slot);
    int64_t number;
    size_t count;
    *out = GEI_DIM_UNKNOWN;
    if (!in || !gei_infer_ints(i, slot, &number, 1, &count)) return GE_OK;
    if (count != 1) return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%zu numbers, wanted one", count);
    if (number < 1 || number > INT32_MAX)
        return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, gei_infer_port(i, slot), "%lld is not within 1 and %d", (long long)number, INT32_MAX);
    *out = number;
    return GE_OK;
}

/* *out_axis -1: not known. */
static ge_status read_axis(const gei_infer *i, int32_t rank, int32_t *out_axis) {
    int64_t axis = -2;
    size_t count = 1;
    *out_axis = -1;
    if (gei_infer_in(i, SLOT_AXIS) && !gei_infer_ints(i, SLOT_AXIS, &axis, 1, &count)) return GE_OK;
    if (count != 1) return gei_infer_fail(i, GE_ERR_SHAPE, "axis", "%zu numbers, wanted one", count);
    GEI_TRY(gei_infer_axis(i, "axis", axis, rank, out_axis));
    if (*out_axis != rank - 1) return GE_OK;
    return gei_infer_fail(i, GE_ERR_OUT_OF_RANGE, "axis", "%lld is that of the complex numbers", (long long)axis);
}

/* Numbers of a line for a size of x along the axis; n 0 or more. */
static ge_status line_length(const gei_infer *i, gei_dim size, gei_dim *out_n) {
    bool halves = gei_node_bool(i->node, "inverse", false) && gei_node_bool(i->node, "onesided", false);
    GEI_TRY(read_count(i, SLOT_LENGTH, out_n));
    if (gei_infer_in(i, SLOT_LENGTH) || !gei_dim_known(size)) return GE_OK;
    *out_n = halves ? gei_dim_times(2, size > 0 ? size - 1 : 0) : size;
    return GE_OK;
}

static ge_status infer_dft(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    bool inverse = gei_node_bool(i->node, "inverse", false), onesided = gei_node_bool(i->node, "onesided", false);
    gei_shape *y = &i->out[0].shape;
    gei_dim n;
    int32_t axis;
    GEI_TRY(gei_check_float(i, SLOT_X));
    GEI_TRY(gei_infer_like_x(i));
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 2, GEI_MAX_RANK));
    GEI_TRY(check_pair(i));
    if (onesided && gei_dim_known(x->dims[x->rank - 1]) && x->dims[x->rank - 1] != (inverse ? 2 : 1))
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "onesided wants %s numbers", inverse ? "complex" : "real");
    GEI_TRY(read_axis(i, x->rank, &axis));
    y->dims[x->rank - 1] = inverse && onesided ? 1 : 2;
    for (int32_t d = 0; axis < 0 && d < x->rank - 1; d++) y->dims[d] = GEI_DIM_UNKNOWN;
    if (axis < 0) return GE_OK;
    GEI_TRY(line_length(i, x->dims[axis], &n));
    if (gei_infer_in(i, SLOT_LENGTH) || onesided) y->dims[axis] = !gei_dim_known(n) ? GEI_DIM_UNKNOWN : onesided && !inverse ? n / 2 + 1 : n;
    if (onesided && !inverse && n == 0) y->dims[axis] = 0;
    return GE_OK;
}

static ge_status frame_length(const gei_infer *i, gei_dim *out) {
    gei_dim window = gei_check_dim_of(i, SLOT_WINDOW, 0);
    bool has_window = gei_infer_in(i, SLOT_WINDOW), given = gei_infer_in(i, SLOT_FRAME);
    GEI_TRY(read_count(i, SLOT_FRAME, out));
    if (given) return gei_check_dim(i, SLOT_WINDOW, 0, *out, "frame length");
    *out = has_window ? window : gei_check_dim_of(i, SLOT_X, 1);
    return GE_OK;
}

static ge_status infer_stft(gei_infer *i) {
    bool onesided = gei_node_bool(i->node, "onesided", true);
    gei_dim length = gei_check_dim_of(i, SLOT_X, 1), pair = gei_check_dim_of(i, SLOT_X, 2), step, n, count = GEI_DIM_UNKNOWN;
    GEI_TRY(gei_check_float(i, SLOT_X));
    GEI_TRY(gei_check_float(i, SLOT_WINDOW));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, 3));
    GEI_TRY(gei_infer_rank(i, SLOT_WINDOW, 1, 1));
    GEI_TRY(check_pair(i));
    if (onesided && gei_dim_known(pair) && pair != 1) return gei_infer_fail(i, GE_ERR_SHAPE, "x", "onesided wants real numbers");
    GEI_TRY(read_count(i, SLOT_STEP, &step));
    GEI_TRY(frame_length(i, &n));
    if (gei_dim_known(n) && gei_dim_known(length) && (n > length || n < 1))
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "frames of %lld in a signal of %lld", (long long)n, (long long)length);
    if (gei_dim_known(n) && gei_dim_known(length) && gei_dim_known(step)) count = (length - n) / step + 1;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    i->out[0].shape = gei_shape_of(4, (gei_dim[]){ gei_check_dim_of(i, SLOT_X, 0), count, !gei_dim_known(n) ? n : onesided ? n / 2 + 1 : n, 2 });
    return GE_OK;
}

/* ---- reference kernels ---- */

/* Scratch: n pairs of x, then n pairs cos, sin of 2 pi k / n. */
static ge_status want_scratch(gei_sizing *s, int64_t n, gei_diag *diag) {
    return gei_mul((size_t)n, 4 * sizeof(double), &s->part_scratch_bytes) ? GE_OK : gei_out_of_memory(diag, SIZE_MAX);
}

static void fill_circle(double *circle, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        circle[2 * k] = cos(2 * PI * (double)k / (double)n);
        circle[2 * k + 1] = sin(2 * PI * (double)k / (double)n);
    }
}

/* Number k of the transform of n pairs; sign -1: forward. */
static void transform(const double *x, const double *circle, int64_t n, int64_t k, double sign, double *to) {
    int64_t turn = 0; /* j * k modulo n */
    to[0] = to[1] = 0;
    for (int64_t j = 0; j < n; j++) {
        double c = circle[2 * turn], s = sign * circle[2 * turn + 1];
        to[0] += x[2 * j] * c - x[2 * j + 1] * s;
        to[1] += x[2 * j] * s + x[2 * j + 1] * c;
        turn = turn >= n - k ? turn - (n - k) : turn + k;
    }
}

static ge_status size_dft(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[SLOT_X]->shape, *y = &s->out[0].shape;
    fourier *f = gei_arena_new(s->arena, fourier);
    int32_t axis;
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    GEI_TRY(read_axis(&i, x->rank, &axis));
    *f = (fourier){ .outer = gei_dim_product(x, 0, axis), .inner = gei_dim_product(x, axis + 1, x->rank - 1), .from = x->dims[axis], .to = y->dims[axis],
                    .x_pair = x->dims[x->rank - 1], .y_pair = y->dims[x->rank - 1], .inverse = gei_node_bool(s->node, "inverse", false) };
    GEI_TRY(line_length(&i, f->from, &f->n));
    f->mirrors = f->inverse && gei_node_bool(s->node, "onesided", false);
    s->sized = f;
    double each = 4 * (double)f->n * (double)f->to;
    s->n_parts = gei_parts(f->outer * f->inner, each < 65536 ? (int64_t)(65536 / (each + 1)) + 1 : 1);
    s->cost = each * (double)(f->outer * f->inner);
    return want_scratch(s, f->n, diag);
}

/* Line k of x as n pairs. */
static void load_line(const fourier *f, const gei_view *x, int64_t k, double *to) {
    int64_t at = (k / f->inner * f->from * f->inner + k % f->inner) * f->x_pair, used = f->mirrors && f->n / 2 + 1 < f->n ? f->n / 2 + 1 : f->n;
    for (int64_t j = 0; j < f->n; j++) {
        to[2 * j] = to[2 * j + 1] = 0;
        if (j < used && j < f->from) gei_load_f64(x->dtype, x->data, at + j * f->inner * f->x_pair, f->x_pair, to + 2 * j);
    }
    for (int64_t j = used; j < f->n; j++) { /* the other half of a real signal's spectrum */
        to[2 * j] = to[2 * (f->n - j)];
        to[2 * j + 1] = -to[2 * (f->n - j) + 1];
    }
}

static ge_status run_dft(const gei_run *run, uint32_t part) {
    const fourier *f = run->sized;
    gei_view *y = run->out[0];
    double *line = (double *)run->scratch, *circle = line + 2 * f->n, number[2];
    int64_t begin, end;
    fill_circle(circle, f->n);
    gei_part_range(f->outer * f->inner, run->n_parts, part, &begin, &end);
    for (int64_t l = begin; l < end; l++) {
        load_line(f, run->in[SLOT_X], l, line);
        for (int64_t k = 0; k < f->to; k++) {
            transform(line, circle, f->n, k, f->inverse ? 1 : -1, number);
            if (f->inverse) number[0] /= (double)f->n, number[1] /= (double)f->n;
            gei_store_f64(y->dtype, number, y->data, ((l / f->inner * f->to + k) * f->inner + l % f->inner) * f->y_pair, f->y_pair);
        }
    }
    return GE_OK;
}

static ge_status size_stft(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[SLOT_X]->shape, *y = &s->out[0].shape;
    frames *f = gei_arena_new(s->arena, frames);
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    *f = (frames){ .batch = x->dims[0], .length = x->dims[1], .count = y->dims[1], .to = y->dims[2], .x_pair = x->dims[2] };
    GEI_TRY(read_count(&i, SLOT_STEP, &f->step));
    GEI_TRY(frame_length(&i, &f->n));
    s->sized = f;
    double each = 4 * (double)f->n * (double)f->to;
    s->n_parts = gei_parts(f->batch * f->count, each < 65536 ? (int64_t)(65536 / (each + 1)) + 1 : 1);
    s->cost = each * (double)(f->batch * f->count);
    return want_scratch(s, f->n, diag);
}

static ge_status run_stft(const gei_run *run, uint32_t part) {
    const frames *f = run->sized;
    const gei_view *x = run->in[SLOT_X], *window = run->n_in > SLOT_WINDOW ? run->in[SLOT_WINDOW] : NULL;
    double *line = (double *)run->scratch, *circle = line + 2 * f->n, number[2];
    int64_t begin, end;
    fill_circle(circle, f->n);
    gei_part_range(f->batch * f->count, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t at = (k / f->count * f->length + k % f->count * f->step) * f->x_pair;
        for (int64_t j = 0; j < f->n; j++) {
            double factor = window ? gei_view_f64(window, j) : 1;
            line[2 * j + 1] = 0;
            gei_load_f64(x->dtype, x->data, at + j * f->x_pair, f->x_pair, line + 2 * j);
            line[2 * j] *= factor;
            line[2 * j + 1] *= factor;
        }
        for (int64_t b = 0; b < f->to; b++) {
            transform(line, circle, f->n, b, -1, number);
            gei_store_f64(run->out[0]->dtype, number, run->out[0]->data, (k * f->to + b) * 2, 2);
        }
    }
    return GE_OK;
}

static const gei_kernel dft_kernels[] = { { .name = "ref", .size = size_dft, .run = run_dft }, { 0 } };
static const gei_kernel stft_kernels[] = { { .name = "ref", .size = size_stft, .run = run_stft }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_dft_17(gei_import *im, gei_diag *diag) {
    const int64_t axis = gei_import_int(im, "axis", 1);
    gei_value inputs[3] = { gei_import_input(im, 0), gei_import_input(im, 1), { NULL, 0 } };
    gei_node *node;
    GEI_TRY(gei_import_const_i64(im, &axis, 1, true, &inputs[2], diag));
    GEI_TRY(gei_import_node(im, "GeDFT", inputs, 3, &node, diag));
    GEI_TRY(gei_import_set_bool(node, "inverse", gei_import_int(im, "inverse", 0) != 0, diag));
    GEI_TRY(gei_import_set_bool(node, "onesided", gei_import_int(im, "onesided", 0) != 0, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_attr_map dft_attrs[] = { { "inverse", "inverse", NULL }, { "onesided", "onesided", NULL }, { NULL, NULL, NULL } };
static const gei_attr_map stft_attrs[] = { { "onesided", "onesided", NULL }, { NULL, NULL, NULL } };
static const gei_source dft_sources[] = { { GEI_FROM_ONNX, "DFT", 17, map_dft_17, NULL }, { GEI_FROM_ONNX, "DFT", 20, NULL, dft_attrs }, { 0 } };
static const gei_source stft_sources[] = { { GEI_FROM_ONNX, "STFT", 17, NULL, stft_attrs }, { 0 } };

GEI_OP(GeDFT) = { .name = "GeDFT", .infer = infer_dft, .kernels = dft_kernels, .sources = dft_sources, .traits = GEI_OP_PURE, .needs_value = 6 };
GEI_OP(GeSTFT) = { .name = "GeSTFT", .infer = infer_stft, .kernels = stft_kernels, .sources = stft_sources, .traits = GEI_OP_PURE, .needs_value = 10 };
