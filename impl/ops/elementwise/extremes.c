/* SPDX-License-Identifier: Apache-2.0 */
/* Larger and smaller of two, and what is made of them.  A NaN on either side gives NaN. */
#include <float.h>

#include "ops/blocks.h"
#include "ops/elementwise.h"
#include "ops/elementwise/chain.h"

static ge_status map_chain(gei_import *im, gei_diag *diag) { return gei_import_chain(im, im->op->name, diag); }

GEI_OP_BINARY(Maximum, a > b || a != a ? a : b, a > b ? a : b, GEI_OP_COMMUTATIVE | GEI_OP_CLIPS, GEI_ONNX_MAP("Max", 6, map_chain));
GEI_OP_BINARY(Minimum, a < b || a != a ? a : b, a < b ? a : b, GEI_OP_COMMUTATIVE | GEI_OP_CLIPS, GEI_ONNX_MAP("Min", 6, map_chain));

/* ---- clipping: min(max(x, low), high); low above high gives high ---- */

static ge_status infer_clip(gei_infer *i) { return gei_infer_binary(i, &Maximum_binary); }

#define TILE 256

static bool is_half(int32_t dtype) { return dtype == GEI_FLOAT16 || dtype == GEI_BFLOAT16; }

typedef struct clip_loops {
    gei_binary_loop larger, smaller;
} clip_loops;

static void clip_run(const clip_loops *loops, const char *const *in, const int64_t *step, char *y, int64_t n) {
    loops->larger(in[0], step[0], in[1], step[1], y, n, NULL);
    loops->smaller(y, 1, in[2], step[2], y, n, NULL);
}

static void clip_halves(const clip_loops *loops, int32_t dtype, const char *const *in, const int64_t *step, char *y, int64_t n) {
    float tiles[3][TILE], out[TILE];
    const char *wide[3] = { (const char *)tiles[0], (const char *)tiles[1], (const char *)tiles[2] };
    for (int64_t at = 0; at < n; at += TILE) {
        int64_t m = n - at < TILE ? n - at : TILE;
        for (int k = 0; k < 3; k++) gei_load_f32(dtype, in[k], at * step[k], step[k] ? m : 1, tiles[k]);
        clip_run(loops, wide, step, (char *)out, m);
        gei_store_f32(dtype, out, y, at, m);
    }
}

static ge_status run_clip(const gei_run *run, uint32_t part) {
    const gei_broadcast *plan = (const gei_broadcast *)run->sized;
    int32_t dtype = run->out[0]->dtype;
    size_t bytes = gei_dtype_get(dtype)->bits / 8;
    int64_t begin, end, step[3];
    gei_broadcast_walk w;
    const gei_wide *const *wide = run->prepared; /* Maximum, Minimum */
    gei_lane lane = gei_lane_of(dtype);
    clip_loops loops = wide ? (clip_loops){ wide[0]->binary, wide[1]->binary } : (clip_loops){ Maximum_binary.loops[lane], Minimum_binary.loops[lane] };
    for (int k = 0; k < 3; k++) step[k] = gei_broadcast_step(plan, k);
    gei_part_range(plan->n_elems, run->n_parts, part, &begin, &end);
    for (bool more = gei_broadcast_first(&w, plan, begin, end); more; more = gei_broadcast_next(&w)) {
        const char *in[3];
        char *y = (char *)run->out[0]->data + (size_t)w.at * bytes;
        for (int k = 0; k < 3; k++) in[k] = (const char *)run->in[k]->data + (size_t)w.offset[k] * bytes;
        if (is_half(dtype)) clip_halves(&loops, dtype, in, step, y, w.run);
        else clip_run(&loops, in, step, y, w.run);
    }
    return GE_OK;
}

/* Bounds are inputs since opset 11, and either may be left out. */
static ge_status map_clip_11(gei_import *im, gei_diag *diag) {
    gei_value ins[3] = { gei_import_input(im, 0), gei_import_input(im, 1), gei_import_input(im, 2) };
    bool low = gei_import_has_input(im, 1), high = gei_import_has_input(im, 2);
    const char *type = low && high ? "ClipByValue" : low ? "Maximum" : high ? "Minimum" : "Identity";
    gei_node *node;
    if (!low) ins[1] = ins[2];
    GEI_TRY(gei_import_node(im, type, ins, 1u + low + high, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static bool accepts_wide_clip(const gei_choice *c, gei_reason *why) {
    return gei_lane_of(c->in[0]->dtype) == GEI_LANE_F32 || gei_refuse(why, "data type is %s", gei_dtype_name(c->in[0]->dtype));
}

static ge_status prepare_wide_clip(gei_prepare *p, gei_diag *diag) {
    const gei_wide **pair = gei_arena_array(p->arena, const gei_wide *, 2);
    if (!pair) return gei_out_of_memory(diag, 2 * sizeof *pair);
    pair[0] = gei_wide_find(gei_wide_table(p->choice->isa), "Maximum");
    pair[1] = gei_wide_find(gei_wide_table(p->choice->isa), "Minimum");
    p->prepared = pair;
    return GE_OK;
}

static const gei_kernel clip_kernels[] = { { .name = "wide", .accepts = accepts_wide_clip, .prepare = prepare_wide_clip, .size = gei_size_broadcast,
                                             .run = run_clip, .in_place = 1 },
                                           { .name = "ref", .size = gei_size_broadcast, .run = run_clip, .in_place = 1 }, { 0 } };
static const gei_source clip_sources[] = { GEI_ONNX_MAP("Clip", 11, map_clip_11), { 0 } };

GEI_OP(ClipByValue) = { .name = "ClipByValue", .infer = infer_clip, .kernels = clip_kernels, .sources = clip_sources,
                        .steps = "Maximum(x0,x1);Minimum(t0,x2)", .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE | GEI_OP_CLIPS };
GEI_WIDEN(ClipByValue, "*", "real");
GEI_OP(ClipByValueV2) = { .name = "ClipByValueV2", .infer = infer_clip, .kernels = clip_kernels, .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };
GEI_WIDEN(ClipByValueV2, "*", "real");

/* GeClip (ours): bounds are attributes, which do not take the type of x; ONNX before opset 11. */
static void bound_params(const gei_node *node, double *p) {
    p[0] = gei_node_float(node, "min", -(double)FLT_MAX);
    p[1] = gei_node_float(node, "max", (double)FLT_MAX);
}
static const gei_attr_map bound_attrs[] = { { "min", "min", NULL }, { "max", "max", NULL }, { NULL, NULL, NULL } };

GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, GeClip, (x < p[0] ? p[0] : x) > p[1] ? p[1] : x < p[0] ? p[0] : x)
static const gei_unary GeClip_unary = { .loops = { GEI_FLOAT_LANES(GeClip) }, .to = GEI_UNDEFINED, .params = bound_params };
GEI_OP_UNARY_TABLE(GeClip, GEI_OP_CLIPS, GEI_ONNX_ATTRS("Clip", 6, bound_attrs));
