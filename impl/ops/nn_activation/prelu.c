/* SPDX-License-Identifier: Apache-2.0 */
/* PRelu: x where x >= 0, weight * x elsewhere.  The weight is one number, one per channel, or (GePRelu, ours, which is ONNX) anything
 * that broadcasts to x. */
#include "ops/elementwise.h"

GEI_FLOAT_LOOPS(GEI_BINARY_LOOP, prelu, a < 0 ? a * b : a)
#define NEGATIVE(T) ((T)a < 0 ? a * b : a)
GEI_BINARY_LOOP(prelu_i8, int8_t, uint32_t, int8_t, NEGATIVE(int32_t))
GEI_BINARY_LOOP(prelu_i16, int16_t, uint32_t, int16_t, NEGATIVE(int32_t))
GEI_BINARY_LOOP(prelu_i32, int32_t, uint32_t, int32_t, NEGATIVE(int32_t))
GEI_BINARY_LOOP(prelu_i64, int64_t, uint64_t, int64_t, NEGATIVE(int64_t))
GEI_UNSIGNED_LOOPS(GEI_BINARY_LOOP, prelu, ((void)b, a))

static const gei_binary prelu_binary = { .loops = { GEI_FLOAT_LANES(prelu), GEI_INT_LANES(prelu) }, .to = GEI_UNDEFINED };

/* The weight may not widen x. */
static ge_status infer_general(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    gei_words a, b;
    GEI_TRY(gei_infer_binary(i, &prelu_binary));
    if (x->rank < 0 || i->out[0].shape.rank < 0) return GE_OK;
    if (!gei_shape_fits(&i->out[0].shape, x))
        return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, 1), "shape %s does not broadcast to x %s",
                              gei_shape_words(&i->in[1]->shape, &a), gei_shape_words(x, &b));
    i->out[0].shape = *x;
    return GE_OK;
}

static ge_status run_prelu(const gei_run *run, uint32_t part) { return gei_run_binary(run, part, &prelu_binary); }

static const gei_kernel general_kernels[] = { { .name = "ref", .size = gei_size_broadcast, .run = run_prelu, .in_place = 1 }, { 0 } };
static const gei_source general_sources[] = { GEI_ONNX("PRelu", 7), { 0 } };

GEI_OP(GePRelu) = { .name = "GePRelu", .infer = infer_general, .kernels = general_kernels, .sources = general_sources,
                    .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };

/* ---- PRelu: weight [C], C in axis 1 (last for NHWC, and for x of rank 1) ---- */

static int32_t channel_axis(const gei_info *x) {
    return x->shape.rank < 2 || x->format == GE_FORMAT_NHWC || x->format == GE_FORMAT_NDHWC ? x->shape.rank - 1 : 1;
}

static ge_status infer_prelu(gei_infer *i) {
    const gei_info *x = i->in[0], *weight = i->in[1];
    int32_t dtype;
    gei_words words;
    gei_dim n = gei_dim_product(&weight->shape, 0, weight->shape.rank);
    GEI_TRY(gei_infer_like_x(i));
    GEI_TRY(gei_infer_same_dtype(i, 0, 2, &dtype));
    gei_lane lane = gei_lane_of(dtype);
    if (dtype != GEI_UNDEFINED && (lane == GEI_LANE_NONE || !prelu_binary.loops[lane]))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    if (weight->shape.rank < 0 || x->shape.rank < 0 || !gei_dim_known(n) || n == 1) return GE_OK;
    gei_dim channels = x->shape.rank == 0 ? 1 : x->shape.dims[channel_axis(x)];
    if (!gei_dim_known(channels) || channels == n) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "weight", "shape %s, wanted 1 or %lld elements", gei_shape_words(&weight->shape, &words), (long long)channels);
}

static ge_status size_prelu(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    gei_shape weight = gei_shape_scalar();
    gei_broadcast *plan = gei_arena_new(s->arena, gei_broadcast);
    if (!plan) return gei_out_of_memory(diag, sizeof *plan);
    if (gei_dim_product(&s->in[1]->shape, 0, s->in[1]->shape.rank) != 1) {
        weight.rank = x->rank - channel_axis(s->in[0]);
        for (int32_t d = 0; d < weight.rank; d++) weight.dims[d] = d == 0 ? x->dims[channel_axis(s->in[0])] : 1;
    }
    gei_broadcast_plan(plan, x->rank, x->dims);
    gei_broadcast_add(plan, x->rank, x->dims, x->rank, x->dims);
    gei_broadcast_add(plan, x->rank, x->dims, weight.rank, weight.dims);
    gei_broadcast_merge(plan);
    s->sized = plan;
    s->n_parts = gei_parts(plan->n_elems, 16384);
    s->cost = (double)plan->n_elems;
    return GE_OK;
}

static const gei_kernel prelu_kernels[] = { { .name = "ref", .size = size_prelu, .run = run_prelu, .in_place = 1 }, { 0 } };

static const gei_source prelu_sources[] = { GEI_ONNX("PRelu", 1), { 0 } }; /* a weight for each channel, whatever the rank */

GEI_OP(PRelu) = { .name = "PRelu", .infer = infer_prelu, .kernels = prelu_kernels, .sources = prelu_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(PRelu, "*", "real");
