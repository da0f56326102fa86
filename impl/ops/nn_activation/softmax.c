/* SPDX-License-Identifier: Apache-2.0 */
/* SoftmaxV2 and LogSoftmaxV2: over `axes` together; with through_last (ours) from axes[0] to the last, which is ONNX before opset 13. */
#include "kernels/reduce.h"
#include "ops/import.h"
#include "ops/rows_isa.h"
#include "ops/rules.h"

static ge_status read_axes(const gei_node *node, int32_t rank, uint32_t *out_mask, gei_diag *diag) {
    gei_int_list axes = gei_node_ints(node, "axes");
    gei_infer i = { .node = node, .diag = diag };
    *out_mask = 0;
    if (rank == 0) return GE_OK; /* one element, its softmax is 1 */
    if (!gei_node_bool(node, "through_last", false)) return gei_infer_axes(&i, "axes", axes.data, axes.count, rank, out_mask);
    int64_t first = axes.count ? axes.data[0] : -1;
    if (first < -rank || first > rank)
        return gei_infer_fail(&i, GE_ERR_SHAPE, "axes", "%lld is out of range for rank %d", (long long)first, (int)rank);
    for (int32_t d = (int32_t)(first < 0 ? first + rank : first); d < rank; d++) *out_mask |= UINT32_C(1) << d;
    return GE_OK;
}

static ge_status infer_softmax(gei_infer *i) {
    uint32_t mask;
    int32_t dtype = i->in[0]->dtype;
    if (dtype != GEI_FLOAT32 && dtype != GEI_FLOAT64 && dtype != GEI_FLOAT16 && dtype != GEI_BFLOAT16 && dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, 0), "data type %s is not supported", gei_dtype_name(dtype));
    GEI_TRY(gei_infer_like_x(i));
    if (dtype == GEI_FLOAT16 && gei_node_bool(i->node, "half_to_float", false)) i->out[0].dtype = GEI_FLOAT32;
    return i->in[0]->shape.rank < 0 ? GE_OK : read_axes(i->node, i->in[0]->shape.rank, &mask, i->diag);
}

static ge_status size_softmax(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    uint32_t mask;
    gei_split *split = gei_arena_new(s->arena, gei_split);
    if (!split) return gei_out_of_memory(diag, sizeof *split);
    GEI_TRY(read_axes(s->node, x->rank, &mask, diag));
    gei_split_axes(split, x->rank, x->dims, mask);
    s->sized = split;
    s->n_parts = gei_parts(split->kept.n, split->reduced.n < 2048 ? 2048 / (split->reduced.n + 1) + 1 : 1);
    s->cost = 20.0 * (double)split->kept.n * (double)split->reduced.n;
    return GE_OK;
}

static gei_softmax_fn function_for(int32_t from, int32_t to) {
    switch (from) {
    case GEI_FLOAT64: return gei_softmax_ref_f64;
    case GEI_FLOAT16: return to == GEI_FLOAT32 ? gei_softmax_ref_f16_f32 : gei_softmax_ref_f16;
    case GEI_BFLOAT16: return gei_softmax_ref_bf16;
    default: return gei_softmax_ref_f32;
    }
}

static ge_status run_either(const gei_run *run, uint32_t part, int log) {
    const gei_split *split = (const gei_split *)run->sized;
    int64_t begin, end;
    gei_part_range(split->kept.n, run->n_parts, part, &begin, &end);
    function_for(run->in[0]->dtype, run->out[0]->dtype)(split, run->in[0]->data, run->out[0]->data, log, begin, end);
    return GE_OK;
}

static ge_status run_softmax(const gei_run *run, uint32_t part) { return run_either(run, part, 0); }
static ge_status run_log_softmax(const gei_run *run, uint32_t part) { return run_either(run, part, 1); }

/* ---- rows of neighbours in float32 ---- */

static bool accepts_rows(const gei_choice *c, gei_reason *why) {
    const gei_info *x = c->in[0];
    uint32_t mask;
    if (x->dtype != GEI_FLOAT32) return gei_refuse(why, "data type is %s", gei_dtype_name(x->dtype));
    if (x->shape.rank < 0 || read_axes(c->node, x->shape.rank, &mask, NULL) != GE_OK) return gei_refuse(why, "rank is not known");
    uint32_t all = (UINT32_C(1) << x->shape.rank) - 1, low = mask & (0u - mask);
    return (mask != 0 && mask == all - (low - 1)) || gei_refuse(why, "axes are not the last ones");
}

static ge_status run_rows(const gei_run *run, uint32_t part, int log) {
    const gei_split *split = (const gei_split *)run->sized;
    const gei_rows *rows = run->prepared;
    int64_t begin, end, n = split->reduced.n;
    gei_part_range(split->kept.n, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) rows->softmax((const float *)run->in[0]->data + k * n, (float *)run->out[0]->data + k * n, n, log);
    return GE_OK;
}

static ge_status run_softmax_rows(const gei_run *run, uint32_t part) { return run_rows(run, part, 0); }
static ge_status run_log_softmax_rows(const gei_run *run, uint32_t part) { return run_rows(run, part, 1); }
#define ROWS_KERNEL(run_fn) \
    { .name = "rows", .accepts = accepts_rows, .prepare = gei_rows_prepare, .size = size_softmax, .run = run_fn, .in_place = 1 }

static const gei_kernel softmax_kernels[] = { ROWS_KERNEL(run_softmax_rows), { .name = "ref", .size = size_softmax, .run = run_softmax, .in_place = 1 }, { 0 } };
static const gei_kernel log_softmax_kernels[] = { ROWS_KERNEL(run_log_softmax_rows), { .name = "ref", .size = size_softmax, .run = run_log_softmax, .in_place = 1 }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_softmax(gei_import *im, bool through_last, int64_t absent, gei_diag *diag) {
    int64_t axis = gei_import_int(im, "axis", absent);
    gei_value x = gei_import_input(im, 0);
    gei_node *node;
    GEI_TRY(gei_import_node(im, im->op->name, &x, 1, &node, diag));
    GEI_TRY(gei_import_set_ints(node, "axes", &axis, 1, diag));
    if (through_last && axis != -1) GEI_TRY(gei_import_set_bool(node, "through_last", true, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_softmax_1(gei_import *im, gei_diag *diag) { return map_softmax(im, true, 1, diag); }
static ge_status map_softmax_13(gei_import *im, gei_diag *diag) { return map_softmax(im, false, -1, diag); }

#define SOURCES(type) { { GEI_FROM_ONNX, type, 1, map_softmax_1, NULL }, { GEI_FROM_ONNX, type, 13, map_softmax_13, NULL }, { 0 } }
static const gei_source softmax_sources[] = SOURCES("Softmax");
static const gei_source log_softmax_sources[] = SOURCES("LogSoftmax");

GEI_OP(SoftmaxV2) = { .name = "SoftmaxV2", .infer = infer_softmax, .kernels = softmax_kernels, .sources = softmax_sources, .traits = GEI_OP_PURE };
GEI_OP(LogSoftmaxV2) = { .name = "LogSoftmaxV2", .infer = infer_softmax, .kernels = log_softmax_kernels, .sources = log_softmax_sources,
                         .traits = GEI_OP_PURE };
