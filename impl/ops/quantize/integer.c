/* SPDX-License-Identifier: Apache-2.0 */
/* GeMatMulInteger (ours, ONNX MatMulInteger): int32 product of 8-bit operands less their zero points; and the mappings of the integer
 * convolution and the QLinear operators, which are made of exact steps:
 *   ConvInteger    convolution in float64 of (x - zx) and (w - zw), whose sums stay below 2^53, then a cast
 *   QLinear*       the integer result times the product of the input scales, quantised */
#include <string.h>

#include "kernels/broadcast.h"
#include "ops/import.h"
#include "ops/matrix/matmul_fast.h"
#include "ops/rules.h"

enum { SLOT_A, SLOT_B, SLOT_A_ZERO, SLOT_B_ZERO };

static bool is_byte(int32_t dtype) { return dtype == GEI_INT8 || dtype == GEI_UINT8 || dtype == GEI_UNDEFINED; }

static ge_status infer_integer(gei_infer *i) {
    const gei_shape *a = &i->in[SLOT_A]->shape, *b = &i->in[SLOT_B]->shape;
    gei_matmul_operands o;
    i->out[0].dtype = GEI_INT32;
    for (uint32_t k = 0; k < 2; k++)
        if (!is_byte(i->in[k]->dtype))
            return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, k ? "b" : "a", "data type %s is not supported", gei_dtype_name(i->in[k]->dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_A, 1, GEI_MAX_RANK));
    GEI_TRY(gei_infer_rank(i, SLOT_B, 1, GEI_MAX_RANK));
    if (a->rank < 0 || b->rank < 0) return GE_OK;
    gei_matmul_plain(a, b, &o);
    gei_dim k_a = o.a.dims[o.a.rank - 1], k_b = o.b.dims[o.b.rank - 2];
    if (gei_dim_known(k_a) && gei_dim_known(k_b) && k_a != k_b)
        return gei_infer_fail(i, GE_ERR_SHAPE, NULL, "inner sizes %lld and %lld differ", (long long)k_a, (long long)k_b);
    gei_shape batch_a = o.a, batch_b = o.b, *y = &i->out[0].shape;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    GEI_TRY(gei_infer_broadcast(i, (const gei_shape *[]){ &batch_a, &batch_b }, 2, y));
    if (!o.vector_a) y->dims[y->rank++] = o.a.dims[o.a.rank - 2];
    if (!o.vector_b) y->dims[y->rank++] = o.b.dims[o.b.rank - 1];
    return GE_OK;
}

typedef struct integer_product {
    int64_t m, n, k;
    gei_broadcast batch;
} integer_product;

static ge_status size_integer(gei_sizing *s, gei_diag *diag) {
    integer_product *p = gei_arena_new(s->arena, integer_product);
    gei_matmul_operands o;
    if (!p) return gei_out_of_memory(diag, sizeof *p);
    gei_matmul_plain(&s->in[SLOT_A]->shape, &s->in[SLOT_B]->shape, &o);
    p->m = o.a.dims[o.a.rank - 2];
    p->k = o.a.dims[o.a.rank - 1];
    p->n = o.b.dims[o.b.rank - 1];
    int32_t rank = s->out[0].shape.rank - !o.vector_a - !o.vector_b;
    gei_broadcast_plan(&p->batch, rank, s->out[0].shape.dims);
    gei_broadcast_add(&p->batch, rank, s->out[0].shape.dims, o.a.rank - 2, o.a.dims);
    gei_broadcast_add(&p->batch, rank, s->out[0].shape.dims, o.b.rank - 2, o.b.dims);
    gei_broadcast_merge(&p->batch);
    double row = (double)p->n * (double)p->k;
    s->sized = p;
    s->n_parts = gei_parts(p->batch.n_elems * p->m, row > 0 && row < 65536 ? (int64_t)(65536 / row) + 1 : 1);
    s->cost = 2 * row * (double)p->m * (double)p->batch.n_elems;
    return GE_OK;
}

static int32_t byte_at(const gei_view *v, int64_t at) {
    return v->dtype == GEI_INT8 ? ((const int8_t *)v->data)[at] : ((const uint8_t *)v->data)[at];
}

/* Zero point of row or column `at`: one for all, or one each. */
static int32_t zero_at(const gei_view *zero, int64_t at) { return !zero ? 0 : byte_at(zero, zero->n_elems == 1 ? 0 : at % zero->n_elems); }

static ge_status run_integer(const gei_run *run, uint32_t part) {
    const integer_product *p = run->sized;
    const gei_view *a = run->in[SLOT_A], *b = run->in[SLOT_B];
    const gei_view *za = run->n_in > SLOT_A_ZERO ? run->in[SLOT_A_ZERO] : NULL, *zb = run->n_in > SLOT_B_ZERO ? run->in[SLOT_B_ZERO] : NULL;
    int64_t begin, end;
    gei_part_range(p->batch.n_elems * p->m, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        int64_t matrix = at / p->m, row = at % p->m;
        gei_broadcast_walk w;
        (void)gei_broadcast_first(&w, &p->batch, matrix, matrix + 1);
        int32_t *y = (int32_t *)run->out[0]->data + at * p->n, left = zero_at(za, row);
        memset(y, 0, (size_t)p->n * sizeof *y);
        for (int64_t q = 0; q < p->k; q++) {
            uint32_t x = (uint32_t)(byte_at(a, (w.offset[0] * p->m + row) * p->k + q) - left);
            int64_t line = (w.offset[1] * p->k + q) * p->n;
            for (int64_t j = 0; j < p->n; j++) y[j] = (int32_t)((uint32_t)y[j] + x * (uint32_t)(byte_at(b, line + j) - zero_at(zb, j)));
        }
    }
    return GE_OK;
}

/* ---- mappings ---- */

static ge_status one(gei_import *im, const char *type, const gei_value *ins, uint32_t n, gei_value *out, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, type, ins, n, &node, diag));
    *out = gei_value_of(node, 0);
    return GE_OK;
}

static ge_status cast(gei_import *im, gei_value x, int32_t to, gei_value *out, gei_diag *diag) {
    GEI_TRY(one(im, "Cast", &x, 1, out, diag));
    return gei_import_set_int(out->node, "dst_type", to, diag);
}

/* Adds dims of 1 behind a zero point or bias with one value for each output channel, so that it broadcasts over [C, 1, ...]. */
static ge_status per_channel(gei_import *im, gei_value x, int32_t n_ones, gei_value *out, gei_diag *diag) {
    int64_t axes[GEI_MAX_RANK];
    *out = x;
    if (gei_value_out(x)->rank != 1 || n_ones <= 0 || n_ones >= GEI_MAX_RANK) return GE_OK;
    for (int32_t i = 0; i < n_ones; i++) axes[i] = i + 1;
    GEI_TRY(one(im, "Unsqueeze", &x, 1, out, diag));
    return gei_import_set_ints(out->node, "axes", axes, (size_t)n_ones, diag);
}

/* float64 of an 8-bit tensor less its zero point; the value itself when there is none. */
static ge_status centred(gei_import *im, gei_value x, gei_value zero, int32_t n_ones, gei_value *out, gei_diag *diag) {
    gei_value pair[2];
    gei_shape shape = gei_out_shape(gei_value_out(x)); /* the mapping of Conv asks for the rank */
    GEI_TRY(cast(im, x, GEI_FLOAT64, &pair[0], diag));
    *out = pair[0];
    if (zero.node) {
        GEI_TRY(per_channel(im, zero, n_ones, &zero, diag));
        GEI_TRY(cast(im, zero, GEI_FLOAT64, &pair[1], diag));
        GEI_TRY(one(im, "Sub", pair, 2, out, diag));
    }
    return gei_out_set_shape(*out, &shape, diag);
}

/* The convolution itself through the mapping of ONNX Conv, whose attributes are the same. */
static ge_status convolve(gei_import *im, gei_value x, gei_value w, gei_value *out, gei_diag *diag) {
    const gei_op *op;
    const gei_source *source = gei_source_find(GEI_FROM_ONNX, "", "Conv", im->opset, &op);
    gei_value ins[2] = { x, w };
    if (!source) return gei_import_fail(im, GE_ERR_UNSUPPORTED_OPERATOR, diag, "there is no mapping for Conv");
    gei_import inner = *im;
    inner.op = op;
    inner.inputs = ins;
    inner.n_inputs = 2;
    inner.outputs = out;
    inner.n_outputs = 1;
    inner.output_names = NULL;
    return gei_import_run(&inner, source, diag);
}

static int32_t ones_of(const gei_import *im, uint32_t input) {
    gei_value w = gei_import_input(im, input);
    return w.node ? gei_value_out(w)->rank - 1 : 0;
}

static ge_status map_conv_integer(gei_import *im, gei_diag *diag) {
    gei_value x, w, y;
    GEI_TRY(centred(im, gei_import_input(im, 0), gei_import_input(im, 2), 0, &x, diag));
    GEI_TRY(centred(im, gei_import_input(im, 1), gei_import_input(im, 3), ones_of(im, 1), &w, diag));
    GEI_TRY(convolve(im, x, w, &y, diag));
    GEI_TRY(cast(im, y, GEI_INT32, &y, diag));
    gei_import_set_output(im, 0, y);
    return GE_OK;
}

/* y of an integer result: times both input scales, quantised by the output's.  Slots of scales and zero point by number. */
static ge_status requantize(gei_import *im, gei_value y, gei_value scale, uint32_t y_scale, uint32_t y_zero, gei_diag *diag) {
    gei_value product[2] = { y, scale }, ins[3];
    GEI_TRY(cast(im, y, GEI_FLOAT32, &product[0], diag));
    GEI_TRY(one(im, "Mul", product, 2, &ins[0], diag));
    ins[1] = gei_import_input(im, y_scale);
    ins[2] = gei_import_input(im, y_zero);
    GEI_TRY(one(im, "GeQuantizeLinear", ins, 3, &y, diag));
    gei_import_set_output(im, 0, y);
    return GE_OK;
}

static ge_status map_qlinear_matmul(gei_import *im, gei_diag *diag) {
    gei_value ins[4] = { gei_import_input(im, 0), gei_import_input(im, 3), gei_import_input(im, 2), gei_import_input(im, 5) };
    gei_value scales[2], y, scale;
    GEI_TRY(one(im, "GeMatMulInteger", ins, 4, &y, diag));
    GEI_TRY(cast(im, gei_import_input(im, 1), GEI_FLOAT32, &scales[0], diag));
    GEI_TRY(cast(im, gei_import_input(im, 4), GEI_FLOAT32, &scales[1], diag));
    GEI_TRY(one(im, "Mul", scales, 2, &scale, diag));
    return requantize(im, y, scale, 6, 7, diag);
}

static ge_status map_qlinear_conv(gei_import *im, gei_diag *diag) {
    gei_value x, w, y, scale, pair[2];
    int32_t n_ones = ones_of(im, 3);
    GEI_TRY(centred(im, gei_import_input(im, 0), gei_import_input(im, 2), 0, &x, diag));
    GEI_TRY(centred(im, gei_import_input(im, 3), gei_import_input(im, 5), n_ones, &w, diag));
    GEI_TRY(convolve(im, x, w, &y, diag));
    if (gei_import_has_input(im, 8)) {
        GEI_TRY(per_channel(im, gei_import_input(im, 8), n_ones - 1, &pair[1], diag));
        GEI_TRY(cast(im, pair[1], GEI_FLOAT64, &pair[1], diag));
        pair[0] = y;
        GEI_TRY(one(im, "Add", pair, 2, &y, diag));
    }
    pair[0] = gei_import_input(im, 1);
    GEI_TRY(per_channel(im, gei_import_input(im, 4), n_ones - 1, &pair[1], diag));
    GEI_TRY(one(im, "Mul", pair, 2, &scale, diag));
    return requantize(im, y, scale, 6, 7, diag);
}

static const gei_kernel integer_kernels[] = { { .name = "ref", .size = size_integer, .run = run_integer }, { 0 } };
static const gei_source integer_sources[] = {
    { GEI_FROM_ONNX, "MatMulInteger", 10, NULL, NULL },
    { GEI_FROM_ONNX, "ConvInteger", 10, map_conv_integer, NULL },
    { GEI_FROM_ONNX, "QLinearMatMul", 10, map_qlinear_matmul, NULL },
    { GEI_FROM_ONNX, "QLinearConv", 10, map_qlinear_conv, NULL },
    { 0 },
};

GEI_OP(GeMatMulInteger) = { .name = "GeMatMulInteger", .infer = infer_integer, .kernels = integer_kernels, .sources = integer_sources,
                            .traits = GEI_OP_PURE };
