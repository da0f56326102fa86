/* SPDX-License-Identifier: Apache-2.0 */
/* MatMulV2 (two dims), BatchMatMulV2 (batch dims broadcast; one-dim operands as numpy has them), and ONNX MatMul. */
#include <string.h>

#include "kernels/broadcast.h"
#include "kernels/gemm.h"
#include "ops/elementwise.h"
#include "ops/import.h"
#include "ops/matrix/matmul_fast.h"

enum { SLOT_X1, SLOT_X2, SLOT_BIAS, SLOT_OFFSET_W };

typedef gei_matmul_operands operands;

static gei_dim rows_a(const operands *o) { return o->a.dims[o->a.rank - (o->transpose_a ? 1 : 2)]; }
static gei_dim inner_a(const operands *o) { return o->a.dims[o->a.rank - (o->transpose_a ? 2 : 1)]; }
static gei_dim inner_b(const operands *o) { return o->b.dims[o->b.rank - (o->transpose_b ? 1 : 2)]; }
static gei_dim cols_b(const operands *o) { return o->b.dims[o->b.rank - (o->transpose_b ? 2 : 1)]; }

bool gei_matmul_is_batched(const gei_node *node) { return node->def->n_attrs > 0 && strcmp(node->def->attrs[0].name, "adj_x1") == 0; }

void gei_matmul_plain(const gei_shape *a, const gei_shape *b, operands *o) {
    *o = (operands){ .a = *a, .b = *b, .vector_a = a->rank == 1, .vector_b = b->rank == 1 };
    if (o->vector_a) o->a = gei_shape_of(2, (gei_dim[]){ 1, a->dims[0] });
    if (o->vector_b) o->b = gei_shape_of(2, (gei_dim[]){ b->dims[0], 1 });
}

void gei_matmul_read(const gei_node *node, const gei_shape *a, const gei_shape *b, operands *o) {
    bool batched = gei_matmul_is_batched(node);
    gei_matmul_plain(a, b, o);
    o->transpose_a = !o->vector_a && gei_node_bool(node, batched ? "adj_x1" : "transpose_x1", false);
    o->transpose_b = !o->vector_b && gei_node_bool(node, batched ? "adj_x2" : "transpose_x2", false);
}

static ge_status check_bias(const gei_infer *i, gei_dim n) {
    const gei_info *bias = gei_infer_in(i, SLOT_BIAS);
    if (gei_infer_in(i, SLOT_OFFSET_W)) return gei_infer_fail(i, GE_ERR_UNSUPPORTED, "offset_w", "the input is not supported");
    if (gei_node_int(i->node, "offset_x", 0) != 0)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_ATTR, "offset_x", "only 0 is supported");
    GEI_TRY(gei_infer_rank(i, SLOT_BIAS, 1, 1));
    if (!bias || bias->shape.rank < 0 || !gei_dim_known(n) || !gei_dim_known(bias->shape.dims[0]) || bias->shape.dims[0] == n) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "bias", "%lld values for %lld columns", (long long)bias->shape.dims[0], (long long)n);
}

static ge_status infer_dtype(gei_infer *i) {
    int32_t dtype;
    GEI_TRY(gei_infer_same_dtype(i, SLOT_X1, 2, &dtype));
    gei_lane lane = gei_lane_of(dtype);
    if (dtype != GEI_UNDEFINED && lane > GEI_LANE_U64)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x1", "data type %s is not supported", gei_dtype_name(dtype));
    i->out[0].dtype = dtype == GEI_INT8 ? GEI_INT32 : dtype;
    return GE_OK;
}

static ge_status infer_product(gei_infer *i, bool batched) {
    const gei_shape *a = &i->in[SLOT_X1]->shape, *b = &i->in[SLOT_X2]->shape;
    operands o;
    GEI_TRY(infer_dtype(i));
    GEI_TRY(gei_infer_rank(i, SLOT_X1, batched ? 1 : 2, batched ? GEI_MAX_RANK : 2));
    GEI_TRY(gei_infer_rank(i, SLOT_X2, batched ? 1 : 2, batched ? GEI_MAX_RANK : 2));
    if (a->rank < 0 || b->rank < 0) return GE_OK;
    gei_matmul_read(i->node, a, b, &o);
    if (gei_dim_known(inner_a(&o)) && gei_dim_known(inner_b(&o)) && inner_a(&o) != inner_b(&o)) {
        gei_words x1, x2;
        return gei_infer_fail(i, GE_ERR_SHAPE, NULL, "cannot multiply %s%s by %s%s: inner sizes %lld and %lld", gei_shape_words(a, &x1),
                              o.transpose_a ? " transposed" : "", gei_shape_words(b, &x2), o.transpose_b ? " transposed" : "",
                              (long long)inner_a(&o), (long long)inner_b(&o));
    }
    GEI_TRY(check_bias(i, cols_b(&o)));
    gei_shape batch_a = o.a, batch_b = o.b, *y = &i->out[0].shape;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    GEI_TRY(gei_infer_broadcast(i, (const gei_shape *[]){ &batch_a, &batch_b }, 2, y));
    if (!o.vector_a) y->dims[y->rank++] = rows_a(&o);
    if (!o.vector_b) y->dims[y->rank++] = cols_b(&o);
    return GE_OK;
}

static ge_status infer_matmul(gei_infer *i) { return infer_product(i, false); }
static ge_status infer_batch(gei_infer *i) { return infer_product(i, true); }

/* ---- reference kernel ---- */

typedef struct matmul {
    gei_gemm gemm;
    gei_broadcast batch; /* one element for each matrix */
    int64_t a_elems, b_elems, y_elems; /* of one matrix */
} matmul;

static ge_status size_ref(gei_sizing *s, gei_diag *diag) {
    operands o;
    matmul *m = gei_arena_new(s->arena, matmul);
    if (!m) return gei_out_of_memory(diag, sizeof *m);
    gei_matmul_read(s->node, &s->in[SLOT_X1]->shape, &s->in[SLOT_X2]->shape, &o);
    gei_gemm *g = &m->gemm;
    *g = (gei_gemm){ .m = rows_a(&o), .n = cols_b(&o), .k = inner_a(&o) };
    g->a_row = o.transpose_a ? 1 : g->k;
    g->a_col = o.transpose_a ? g->m : 1;
    g->b_row = o.transpose_b ? 1 : g->n;
    g->b_col = o.transpose_b ? g->k : 1;
    m->a_elems = g->m * g->k;
    m->b_elems = g->k * g->n;
    m->y_elems = g->m * g->n;
    int32_t rank = s->out[0].shape.rank - !o.vector_a - !o.vector_b;
    gei_broadcast_plan(&m->batch, rank, s->out[0].shape.dims);
    gei_broadcast_add(&m->batch, rank, s->out[0].shape.dims, o.a.rank - 2, o.a.dims);
    gei_broadcast_add(&m->batch, rank, s->out[0].shape.dims, o.b.rank - 2, o.b.dims);
    gei_broadcast_merge(&m->batch);
    bool has_bias = s->n_in > SLOT_BIAS && s->in[SLOT_BIAS];
    double each_row = 2.0 * (double)g->n * (double)g->k;
    s->sized = m;
    s->n_parts = gei_parts(m->batch.n_elems * g->m, each_row > 0 && each_row < 65536 ? (int64_t)(65536 / each_row) + 1 : 1);
    s->part_scratch_bytes = has_bias ? (size_t)g->n * sizeof(double) : 0;
    s->cost = each_row * (double)g->m * (double)m->batch.n_elems;
    return GE_OK;
}

static gei_gemm_fn function_for(int32_t dtype) {
    static const gei_gemm_fn by_lane[] = { gei_gemm_ref_f32, gei_gemm_ref_f64, gei_gemm_ref_i8_i32, gei_gemm_ref_i16, gei_gemm_ref_i32,
                                           gei_gemm_ref_i64, gei_gemm_ref_u8,  gei_gemm_ref_u16,    gei_gemm_ref_u32, gei_gemm_ref_u64 };
    if (dtype == GEI_FLOAT16) return gei_gemm_ref_f16;
    if (dtype == GEI_BFLOAT16) return gei_gemm_ref_bf16;
    return by_lane[gei_lane_of(dtype)];
}

/* Rows of all matrices, one after the other. */
static ge_status run_ref(const gei_run *run, uint32_t part) {
    const matmul *m = (const matmul *)run->sized;
    const gei_view *a = run->in[SLOT_X1], *b = run->in[SLOT_X2], *y = run->out[0];
    const gei_view *bias = run->n_in > SLOT_BIAS ? run->in[SLOT_BIAS] : NULL;
    double *numbers = (double *)run->scratch;
    gei_gemm_fn fn = function_for(a->dtype);
    int64_t bytes = gei_dtype_get(a->dtype)->bits / 8, y_bytes = gei_dtype_get(y->dtype)->bits / 8, rows = m->gemm.m;
    int64_t begin, end;
    if (bias) gei_view_numbers(bias, numbers);
    gei_part_range(m->batch.n_elems * rows, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end;) {
        int64_t matrix = at / rows, first = at % rows, last = end - at < rows - first ? first + end - at : rows;
        gei_broadcast_walk w;
        (void)gei_broadcast_first(&w, &m->batch, matrix, matrix + 1);
        fn(&m->gemm, (const char *)a->data + w.offset[0] * m->a_elems * bytes, (const char *)b->data + w.offset[1] * m->b_elems * bytes,
           numbers, (char *)y->data + matrix * m->y_elems * y_bytes, first, last);
        at += last - first;
    }
    float low, high;
    if (gei_node_clip(run->node, &low, &high)) gei_clip_floats((float *)y->data + begin * m->gemm.n, (end - begin) * m->gemm.n, low, high);
    return GE_OK;
}

static const gei_kernel matmul_kernels[] = { GEI_MATMUL_FAST_KERNEL, { .name = "ref", .size = size_ref, .run = run_ref }, { 0 } };
static const gei_kernel batch_kernels[] = { GEI_MATMUL_FAST_KERNEL, { .name = "ref", .size = size_ref, .run = run_ref }, { 0 } };
static const gei_source batch_sources[] = { GEI_ONNX("MatMul", 1), { 0 } };

GEI_OP(BatchMatMulV2) = { .name = "BatchMatMulV2", .infer = infer_batch, .kernels = batch_kernels, .sources = batch_sources,
                          .traits = GEI_OP_PURE | GEI_OP_TAKES_CLIP | GEI_OP_TAKES_BIAS };

/* ---- ONNX Gemm: alpha * A' * B' + beta * C, C broadcast one way ---- */

/* C can be the bias: one value for each column, added as it is. */
static bool is_bias(const gei_import *im) {
    const gei_tensor *b = gei_import_const(im, 1), *c = gei_import_const(im, 2);
    if (!b || !c || b->rank != 2 || c->rank != 1) return false;
    return gei_import_float(im, "beta", 1) == 1 && gei_import_float(im, "alpha", 1) == 1 &&
           c->dims[0] == b->dims[gei_import_int(im, "transB", 0) ? 0 : 1] && c->dtype == b->dtype;
}

static ge_status scale(gei_import *im, float by, gei_value x, gei_value *out, gei_diag *diag) {
    gei_node *node;
    *out = x;
    if (by == 1) return GE_OK;
    GEI_TRY(gei_import_node(im, "Muls", &x, 1, &node, diag));
    GEI_TRY(gei_import_set_float(node, "value", by, diag));
    *out = gei_value_of(node, 0);
    return GE_OK;
}

static ge_status map_gemm(gei_import *im, gei_diag *diag) {
    gei_value inputs[3] = { gei_import_input(im, 0), gei_import_input(im, 1), gei_import_input(im, 2) }, sum[2];
    bool has_c = inputs[2].node != NULL, bias = has_c && is_bias(im);
    gei_node *node;
    GEI_TRY(gei_import_node(im, "MatMulV2", inputs, bias ? 3 : 2, &node, diag));
    GEI_TRY(gei_import_set_bool(node, "transpose_x1", gei_import_int(im, "transA", 0) != 0, diag));
    GEI_TRY(gei_import_set_bool(node, "transpose_x2", gei_import_int(im, "transB", 0) != 0, diag));
    GEI_TRY(scale(im, (float)gei_import_float(im, "alpha", 1), gei_value_of(node, 0), &sum[0], diag));
    if (has_c && !bias) {
        GEI_TRY(scale(im, (float)gei_import_float(im, "beta", 1), inputs[2], &sum[1], diag));
        GEI_TRY(gei_import_node(im, "Add", sum, 2, &node, diag));
        sum[0] = gei_value_of(node, 0);
    }
    gei_import_set_output(im, 0, sum[0]);
    return GE_OK;
}

static const gei_source matmul_sources[] = { GEI_ONNX_MAP("Gemm", 1, map_gemm), { 0 } };

GEI_OP(MatMulV2) = { .name = "MatMulV2", .infer = infer_matmul, .kernels = matmul_kernels, .sources = matmul_sources,
                     .traits = GEI_OP_PURE | GEI_OP_TAKES_CLIP | GEI_OP_TAKES_BIAS };

GEI_WIDEN(MatMulV2, "x1 x2 bias y", "real");
GEI_WIDEN(BatchMatMulV2, "x1 x2 bias y", "real");
