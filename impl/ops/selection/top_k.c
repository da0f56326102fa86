/* SPDX-License-Identifier: Apache-2.0 */
/* TopK, TopKV2 (input k): the k largest or smallest elements of an axis with their places, best first; of equal ones the first place first.
 * NaN counts as the largest.  Not sorted means any order: it is the same. */
#include <string.h>

#include "kernels/types.h"
#include "ops/elementwise.h"
#include "ops/import.h"

enum { SLOT_X, SLOT_K };

static int32_t indices_dtype(const gei_node *node) { return (int32_t)gei_node_int(node, "indices_dtype", GEI_INT32); }

static ge_status infer_top(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int32_t dtype = i->in[SLOT_X]->dtype, axis;
    int64_t k, n;
    size_t count;
    i->out[0].dtype = dtype;
    i->out[1].dtype = indices_dtype(i->node);
    if (i->out[1].dtype != GEI_INT32 && i->out[1].dtype != GEI_INT64)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "indices_dtype", "%s, wanted int32 or int64", gei_dtype_name(i->out[1].dtype));
    if (dtype != GEI_UNDEFINED && gei_lane_of(dtype) > GEI_LANE_U64)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    if (gei_shape_elems(&i->in[SLOT_K]->shape, &n) && n != 1) return gei_infer_fail(i, GE_ERR_SHAPE, "k", "%lld elements, wanted one", (long long)n);
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 1, GEI_MAX_RANK));
    GEI_TRY(gei_infer_axis(i, "dim", gei_node_int(i->node, "dim", -1), x->rank, &axis));
    bool known = gei_infer_ints(i, SLOT_K, &k, 1, &count);
    if (known && (k < 0 || (gei_dim_known(x->dims[axis]) && k > x->dims[axis])))
        return gei_infer_fail(i, GE_ERR_SHAPE, "k", "%lld of axis %d with size %lld", (long long)k, (int)axis, (long long)x->dims[axis]);
    if (gei_dim_known(x->dims[axis]) && x->dims[axis] > INT32_MAX && i->out[1].dtype == GEI_INT32)
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "places in size %lld do not fit int32", (long long)x->dims[axis]);
    gei_dim dims[1];
    size_t minus_one;
    bool symbolic = !known && gei_infer_dims(i, SLOT_K, dims, 1, &count, &minus_one);
    for (uint32_t o = 0; o < 2; o++) {
        i->out[o].shape = *x;
        i->out[o].shape.dims[axis] = known ? k : symbolic ? dims[0] : GEI_DIM_UNKNOWN;
    }
    return GE_OK;
}

/* ---- reference kernel: a heap of the best so far, the worst of them on top ---- */

typedef struct top {
    int64_t outer, inner, n, k;
    bool largest;
} top;

static ge_status size_top(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t axis;
    top *t = gei_arena_new(s->arena, top);
    if (!t) return gei_out_of_memory(diag, sizeof *t);
    GEI_TRY(gei_infer_axis(&i, "dim", gei_node_int(s->node, "dim", -1), x->rank, &axis));
    *t = (top){ gei_dim_product(x, 0, axis), gei_dim_product(x, axis + 1, x->rank), x->dims[axis], s->out[0].shape.dims[axis],
                gei_node_bool(s->node, "largest", true) };
    s->sized = t;
    s->n_parts = gei_parts(t->outer * t->inner, t->n < 4096 ? 4096 / (t->n + 1) + 1 : 1);
    s->part_scratch_bytes = (size_t)t->k * sizeof(int64_t);
    s->cost = 8.0 * (double)(t->outer * t->inner) * (double)t->n;
    return GE_OK;
}

/* Is element a to be given before element b? */
#define IS_NAN(v) ((v) != (v))
#define NEVER(v) false
#define TOP(suffix, T, V, LOAD, IS_NAN_)                                                                                   \
    static bool before_##suffix(const T *x, int64_t step, bool largest, int64_t a, int64_t b) {                            \
        V va = LOAD(x[a * step]), vb = LOAD(x[b * step]);                                                                  \
        if (IS_NAN_(va) || IS_NAN_(vb)) {                                                                                  \
            if (IS_NAN_(va) && IS_NAN_(vb)) return a < b;                                                                  \
            return IS_NAN_(va) == largest;                                                                                 \
        }                                                                                                                  \
        if (va == vb) return a < b;                                                                                        \
        return largest ? va > vb : va < vb;                                                                                \
    }                                                                                                                      \
    /* Lets heap[at] sink below those that come behind it. */                                                              \
    static void sink_##suffix(const T *x, int64_t step, bool largest, int64_t *heap, int64_t at, int64_t n) {              \
        for (int64_t child; (child = 2 * at + 1) < n; at = child) {                                                        \
            if (child + 1 < n && before_##suffix(x, step, largest, heap[child], heap[child + 1])) child++;                 \
            if (!before_##suffix(x, step, largest, heap[at], heap[child])) return;                                         \
            int64_t moved = heap[at];                                                                                      \
            heap[at] = heap[child];                                                                                        \
            heap[child] = moved;                                                                                           \
        }                                                                                                                  \
    }                                                                                                                      \
    static void top_##suffix(const top *t, const void *x_, int64_t *heap) {                                                \
        const T *x = (const T *)x_;                                                                                        \
        int64_t step = t->inner, k = t->k;                                                                                 \
        for (int64_t j = 0; j < k; j++) heap[j] = j;                                                                       \
        for (int64_t j = k / 2 - 1; j >= 0; j--) sink_##suffix(x, step, t->largest, heap, j, k);                           \
        for (int64_t j = k; j < t->n && k > 0; j++) {                                                                      \
            if (!before_##suffix(x, step, t->largest, j, heap[0])) continue;                                               \
            heap[0] = j;                                                                                                   \
            sink_##suffix(x, step, t->largest, heap, 0, k);                                                                \
        }                                                                                                                  \
        for (int64_t j = k - 1; j > 0; j--) {                                                                              \
            int64_t worst = heap[0];                                                                                       \
            heap[0] = heap[j];                                                                                             \
            heap[j] = worst;                                                                                               \
            sink_##suffix(x, step, t->largest, heap, 0, j);                                                                \
        }                                                                                                                  \
    }
TOP(f32, float, float, GEI_PLAIN, IS_NAN)
TOP(f64, double, double, GEI_PLAIN, IS_NAN)
TOP(f16, uint16_t, float, gei_f16_to_f32, IS_NAN)
TOP(bf16, uint16_t, float, gei_bf16_to_f32, IS_NAN)
#define X(suffix, T, U) TOP(suffix, T, T, GEI_PLAIN, NEVER)
GEI_INT_TYPES(X)
#undef X

typedef void (*top_fn)(const top *t, const void *x, int64_t *heap);

static top_fn function_for(int32_t dtype) {
    static const top_fn loops[] = { GEI_FLOAT_LANES(top), GEI_INT_LANES(top) };
    if (dtype == GEI_FLOAT16) return top_f16;
    return dtype == GEI_BFLOAT16 ? top_bf16 : loops[gei_lane_of(dtype)];
}

static ge_status run_top(const gei_run *run, uint32_t part) {
    const top *t = (const top *)run->sized;
    const gei_view *x = run->in[SLOT_X], *values = run->out[0], *places = run->out[1];
    size_t bytes = gei_dtype_get(x->dtype)->bits / 8;
    int64_t *heap = (int64_t *)run->scratch, begin, end;
    top_fn fn = function_for(x->dtype);
    if (t->k == 0) return GE_OK;
    gei_part_range(t->outer * t->inner, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        int64_t outer = row / t->inner, inner = row % t->inner;
        const char *from = (const char *)x->data + (size_t)(outer * t->n * t->inner + inner) * bytes;
        fn(t, from, heap);
        for (int64_t j = 0; j < t->k; j++) {
            int64_t to = (outer * t->k + j) * t->inner + inner;
            memcpy((char *)values->data + (size_t)to * bytes, from + (size_t)(heap[j] * t->inner) * bytes, bytes);
            if (places->dtype == GEI_INT64) ((int64_t *)places->data)[to] = heap[j];
            else ((int32_t *)places->data)[to] = (int32_t)heap[j];
        }
    }
    return GE_OK;
}

static const gei_kernel top_kernels[] = { { .name = "ref", .size = size_top, .run = run_top }, { 0 } };

/* ---- ONNX: k as attribute before opset 10 ---- */

static ge_status map_top(gei_import *im, gei_diag *diag) {
    int64_t k = gei_import_int(im, "k", 0);
    gei_value inputs[2] = { gei_import_input(im, 0), gei_import_input(im, 1) };
    gei_node *node;
    if (im->opset < 10) {
        if (!gei_import_has_attr(im, "k")) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute k is missing");
        GEI_TRY(gei_import_const_i64(im, &k, 1, true, &inputs[1], diag));
    }
    GEI_TRY(gei_import_node(im, "TopKV2", inputs, 2, &node, diag));
    GEI_TRY(gei_import_set_int(node, "dim", gei_import_int(im, "axis", -1), diag));
    GEI_TRY(gei_import_set_int(node, "indices_dtype", GEI_INT64, diag));
    if (im->opset >= 11) {
        GEI_TRY(gei_import_set_bool(node, "largest", gei_import_int(im, "largest", 1) != 0, diag));
        GEI_TRY(gei_import_set_bool(node, "sorted", gei_import_int(im, "sorted", 1) != 0, diag));
    }
    for (uint32_t o = 0; o < im->n_outputs && o < 2; o++) gei_import_set_output(im, o, gei_value_of(node, o));
    return GE_OK;
}

static const gei_source top_sources[] = { { GEI_FROM_ONNX, "TopK", 1, map_top, NULL }, { 0 } };

GEI_OP(TopKV2) = { .name = "TopKV2", .infer = infer_top, .kernels = top_kernels, .sources = top_sources, .traits = GEI_OP_PURE,
                   .needs_value = 1u << SLOT_K };
GEI_OP(TopK) = { .name = "TopK", .infer = infer_top, .kernels = top_kernels, .traits = GEI_OP_PURE, .needs_value = 1u << SLOT_K };
GEI_WIDEN(TopKV2, "x values", "real");
GEI_WIDEN(TopK, "x values", "real");
