/* SPDX-License-Identifier: Apache-2.0 */
/* ArgMaxV2, ArgMin (input dimension): index of the largest or smallest element along an axis; of equal ones the first, with
 * select_last_index (ours) the last.  NaN counts as both.  keep_dims (ours) leaves the axis with size 1. */
#include "kernels/reduce.h"
#include "ops/elementwise.h"
#include "ops/import.h"

enum { SLOT_X, SLOT_AXIS };

static bool is_supported(int32_t dtype) {
    gei_lane lane = gei_lane_of(dtype);
    return lane <= GEI_LANE_U64 || dtype == GEI_UNDEFINED;
}

static ge_status infer_arg(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    const gei_attr *dtype = gei_node_attr(i->node, "dtype");
    bool keep = gei_node_bool(i->node, "keep_dims", false);
    int64_t value;
    int32_t axis = 0;
    size_t count;
    i->out[0].dtype = dtype && dtype->kind == GEI_ATTR_DTYPE ? dtype->v.dtype : GEI_INT64;
    if (i->out[0].dtype != GEI_INT64 && i->out[0].dtype != GEI_INT32)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dtype", "%s, wanted int32 or int64", gei_dtype_name(i->out[0].dtype));
    if (!is_supported(i->in[SLOT_X]->dtype))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[SLOT_X]->dtype));
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 1, GEI_MAX_RANK));
    bool known = gei_infer_ints(i, SLOT_AXIS, &value, 1, &count) && count == 1;
    if (known) GEI_TRY(gei_infer_axis(i, "dimension", value, x->rank, &axis));
    if (known && x->dims[axis] == 0) return gei_infer_fail(i, GE_ERR_SHAPE, "x", "axis %d has no elements", (int)axis);
    if (known && gei_dim_known(x->dims[axis]) && x->dims[axis] > INT32_MAX && i->out[0].dtype == GEI_INT32)
        return gei_infer_fail(i, GE_ERR_SHAPE, "dtype", "indices of size %lld do not fit int32", (long long)x->dims[axis]);
    gei_shape *y = &i->out[0].shape;
    y->rank = 0;
    for (int32_t d = 0; d < x->rank; d++) {
        if (known && d == axis && !keep) continue;
        if (!known && d == 0 && !keep) continue; /* only the rank is known */
        y->dims[y->rank++] = !known ? GEI_DIM_UNKNOWN : d == axis ? 1 : x->dims[d];
    }
    return GE_OK;
}

/* ---- reference kernel ---- */

typedef struct arg {
    gei_split split;
    bool least, last;
} arg;

static ge_status size_arg(gei_sizing *s, bool least, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int64_t value;
    int32_t axis;
    size_t count;
    arg *a = gei_arena_new(s->arena, arg);
    if (!a) return gei_out_of_memory(diag, sizeof *a);
    GEI_TRY(gei_sizing_ints(s, SLOT_AXIS, &value, 1, &count, diag));
    GEI_TRY(gei_infer_axis(&i, "dimension", value, x->rank, &axis));
    gei_split_axes(&a->split, x->rank, x->dims, UINT32_C(1) << axis);
    a->least = least;
    a->last = gei_node_bool(s->node, "select_last_index", false);
    s->sized = a;
    s->n_parts = gei_parts(a->split.kept.n, a->split.reduced.n < 16384 ? 16384 / (a->split.reduced.n + 1) + 1 : 1);
    s->cost = (double)a->split.kept.n * (double)a->split.reduced.n;
    return GE_OK;
}

static ge_status size_max(gei_sizing *s, gei_diag *diag) { return size_arg(s, false, diag); }
static ge_status size_min(gei_sizing *s, gei_diag *diag) { return size_arg(s, true, diag); }

static void store(const gei_view *y, int64_t at, int64_t index) {
    if (y->dtype == GEI_INT64) ((int64_t *)y->data)[at] = index;
    else ((int32_t *)y->data)[at] = (int32_t)index;
}

/* BEATS(v, best): v is before best in order; IS_NAN. */
#define ARG(suffix, T, V, LOAD, IS_NAN)                                                                                     \
    static void arg_##suffix(const arg *a, const gei_view *xv, const gei_view *y, int64_t begin, int64_t end) {             \
        const T *x = (const T *)xv->data;                                                                                   \
        for (int64_t k = begin; k < end; k++) {                                                                             \
            int64_t base = gei_axes_offset(&a->split.kept, k), best_at = -1, n = 0;                                         \
            V best = 0;                                                                                                     \
            GEI_FOR_REDUCED(&a->split, base, at) {                                                                          \
                V v = LOAD(x[at]);                                                                                          \
                bool better = a->least ? v < best : v > best;                                                               \
                bool equal = v == best || (IS_NAN(v) && IS_NAN(best));                                                      \
                if (best_at < 0 || (equal ? a->last : IS_NAN(v) || (better && !IS_NAN(best)))) {                            \
                    best = v;                                                                                               \
                    best_at = n;                                                                                            \
                }                                                                                                           \
                n++;                                                                                                        \
            }                                                                                                               \
            store(y, k, best_at);                                                                                           \
        }                                                                                                                   \
    }
#define IS_NAN(v) ((v) != (v))
#define NEVER(v) false
ARG(f32, float, float, GEI_PLAIN, IS_NAN)
ARG(f64, double, double, GEI_PLAIN, IS_NAN)
ARG(f16, uint16_t, float, gei_f16_to_f32, IS_NAN)
ARG(bf16, uint16_t, float, gei_bf16_to_f32, IS_NAN)
#define X(suffix, T, U) ARG(suffix, T, T, GEI_PLAIN, NEVER)
GEI_INT_TYPES(X)
#undef X

static ge_status run_arg(const gei_run *run, uint32_t part) {
    static void (*const loops[])(const arg *, const gei_view *, const gei_view *, int64_t, int64_t) = {
        GEI_FLOAT_LANES(arg), GEI_INT_LANES(arg)
    };
    const arg *a = (const arg *)run->sized;
    const gei_view *x = run->in[SLOT_X];
    int64_t begin, end;
    gei_part_range(a->split.kept.n, run->n_parts, part, &begin, &end);
    if (x->dtype == GEI_FLOAT16) arg_f16(a, x, run->out[0], begin, end);
    else if (x->dtype == GEI_BFLOAT16) arg_bf16(a, x, run->out[0], begin, end);
    else loops[gei_lane_of(x->dtype)](a, x, run->out[0], begin, end);
    return GE_OK;
}

static const gei_kernel max_kernels[] = { { .name = "ref", .size = size_max, .run = run_arg }, { 0 } };
static const gei_kernel min_kernels[] = { { .name = "ref", .size = size_min, .run = run_arg }, { 0 } };

static ge_status map_arg(gei_import *im, gei_diag *diag) {
    int64_t axis = gei_import_int(im, "axis", 0);
    gei_value inputs[2] = { gei_import_input(im, 0), { NULL, 0 } };
    gei_node *node;
    GEI_TRY(gei_import_const_i64(im, &axis, 1, true, &inputs[1], diag));
    GEI_TRY(gei_import_node(im, im->op->name, inputs, 2, &node, diag));
    if (gei_import_int(im, "keepdims", 1) != 0) GEI_TRY(gei_import_set_bool(node, "keep_dims", true, diag));
    if (im->opset >= 12 && gei_import_int(im, "select_last_index", 0) != 0) GEI_TRY(gei_import_set_bool(node, "select_last_index", true, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source max_sources[] = { { GEI_FROM_ONNX, "ArgMax", 1, map_arg, NULL }, { 0 } };
static const gei_source min_sources[] = { { GEI_FROM_ONNX, "ArgMin", 1, map_arg, NULL }, { 0 } };

GEI_OP(ArgMaxV2) = { .name = "ArgMaxV2", .infer = infer_arg, .kernels = max_kernels, .sources = max_sources, .traits = GEI_OP_PURE,
                     .needs_value = 1u << SLOT_AXIS };
GEI_OP(ArgMin) = { .name = "ArgMin", .infer = infer_arg, .kernels = min_kernels, .sources = min_sources, .traits = GEI_OP_PURE,
                   .needs_value = 1u << SLOT_AXIS };
GEI_WIDEN(ArgMaxV2, "x", "real");
GEI_WIDEN(ArgMin, "x", "real");
