/* SPDX-License-Identifier: Apache-2.0 */
/* HardMax: 1 at the first largest element along `axis`, 0 elsewhere; NaN counts as the largest.  With through_last (ours) over the
 * dims from axis to the last together, which is ONNX before opset 13. */
#include "kernels/reduce.h"
#include "ops/import.h"
#include "ops/rules.h"

static ge_status read_axes(const gei_infer *i, int32_t rank, uint32_t *out_mask) {
    int64_t axis = gei_node_int(i->node, "axis", -1);
    int32_t first;
    *out_mask = 0;
    if (rank == 0) return GE_OK;
    if (!gei_node_bool(i->node, "through_last", false)) {
        GEI_TRY(gei_infer_axis(i, "axis", axis, rank, &first));
        *out_mask = UINT32_C(1) << first;
        return GE_OK;
    }
    if (axis < -rank || axis > rank) return gei_infer_fail(i, GE_ERR_SHAPE, "axis", "%lld is out of range for rank %d", (long long)axis, (int)rank);
    for (int32_t d = (int32_t)(axis < 0 ? axis + rank : axis); d < rank; d++) *out_mask |= UINT32_C(1) << d;
    return GE_OK;
}

static ge_status infer_hard_max(gei_infer *i) {
    uint32_t mask;
    int32_t dtype = i->in[0]->dtype;
    if (dtype != GEI_FLOAT32 && dtype != GEI_FLOAT64 && dtype != GEI_FLOAT16 && dtype != GEI_BFLOAT16 && dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    GEI_TRY(gei_infer_like_x(i));
    return i->in[0]->shape.rank < 0 ? GE_OK : read_axes(i, i->in[0]->shape.rank, &mask);
}

static ge_status size_hard_max(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .diag = diag };
    const gei_shape *x = &s->in[0]->shape;
    uint32_t mask;
    gei_split *split = gei_arena_new(s->arena, gei_split);
    if (!split) return gei_out_of_memory(diag, sizeof *split);
    GEI_TRY(read_axes(&i, x->rank, &mask));
    gei_split_axes(split, x->rank, x->dims, mask);
    s->sized = split;
    s->n_parts = gei_parts(split->kept.n, split->reduced.n < 2048 ? 2048 / (split->reduced.n + 1) + 1 : 1);
    s->cost = 2.0 * (double)split->kept.n * (double)split->reduced.n;
    return GE_OK;
}

#define X(suffix, T, LOAD, STORE)                                                                                              \
    static void hard_max_##suffix(const gei_split *s, const void *x_, void *y_, int64_t begin, int64_t end) {                  \
        const T *x = (const T *)x_;                                                                                            \
        T *y = (T *)y_;                                                                                                        \
        for (int64_t k = begin; k < end; k++) {                                                                                \
            int64_t base = gei_axes_offset(&s->kept, k), best = -1;                                                            \
            double most = 0;                                                                                                   \
            GEI_FOR_REDUCED(s, base, at) {                                                                                     \
                double v = (double)LOAD(x[at]);                                                                                \
                if (best >= 0 && !(v > most) && !(v != v && most == most)) continue;                                           \
                most = v;                                                                                                      \
                best = at;                                                                                                     \
            }                                                                                                                  \
            GEI_FOR_REDUCED(s, base, to) y[to] = (T)STORE(to == best ? 1.0 : 0.0);                                             \
        }                                                                                                                      \
    }
GEI_FLOAT_TYPES(X)
#undef X

static ge_status run_hard_max(const gei_run *run, uint32_t part) {
    const gei_split *split = (const gei_split *)run->sized;
    const void *x = run->in[0]->data;
    void *y = run->out[0]->data;
    int64_t begin, end;
    gei_part_range(split->kept.n, run->n_parts, part, &begin, &end);
    switch (run->in[0]->dtype) {
    case GEI_FLOAT64: hard_max_f64(split, x, y, begin, end); break;
    case GEI_FLOAT16: hard_max_f16(split, x, y, begin, end); break;
    case GEI_BFLOAT16: hard_max_bf16(split, x, y, begin, end); break;
    default: hard_max_f32(split, x, y, begin, end); break;
    }
    return GE_OK;
}

static ge_status map_hard_max(gei_import *im, bool through_last, int64_t absent, gei_diag *diag) {
    gei_value x = gei_import_input(im, 0);
    gei_node *node;
    GEI_TRY(gei_import_node(im, "HardMax", &x, 1, &node, diag));
    GEI_TRY(gei_import_set_int(node, "axis", gei_import_int(im, "axis", absent), diag));
    if (through_last) GEI_TRY(gei_import_set_bool(node, "through_last", true, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_hard_max_1(gei_import *im, gei_diag *diag) { return map_hard_max(im, true, 1, diag); }
static ge_status map_hard_max_13(gei_import *im, gei_diag *diag) { return map_hard_max(im, false, -1, diag); }

static const gei_kernel hard_max_kernels[] = { { .name = "ref", .size = size_hard_max, .run = run_hard_max, .in_place = 1 }, { 0 } };
static const gei_source hard_max_sources[] = { { GEI_FROM_ONNX, "Hardmax", 1, map_hard_max_1, NULL },
                                               { GEI_FROM_ONNX, "Hardmax", 13, map_hard_max_13, NULL },
                                               { 0 } };

GEI_OP(HardMax) = { .name = "HardMax", .infer = infer_hard_max, .kernels = hard_max_kernels, .sources = hard_max_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(HardMax, "*", "float");
