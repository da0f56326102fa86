/* SPDX-License-Identifier: Apache-2.0 */
/* Cumsum, Cumprod: running sum or product along an axis.  exclusive: each element without itself; reverse: from the end.
 * Floats accumulate in double, integers wrap. */
#include "kernels/types.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_AXIS };

typedef struct line {
    int64_t n, stride;
    bool exclusive, product;
} line;

static bool is_supported(int32_t dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    return gei_dtype_is_real(dtype) && info->bits >= 8 && !gei_is_small_float(dtype) && info->kind != GEI_KIND_BOOL;
}

static ge_status infer_cumulative(gei_infer *i) {
    int32_t dtype = i->in[SLOT_X]->dtype, axis;
    const gei_shape *s = &i->in[SLOT_AXIS]->shape;
    int64_t number;
    size_t n;
    gei_words words;
    GEI_TRY(gei_infer_like_x(i));
    if (dtype != GEI_UNDEFINED && !is_supported(dtype))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    gei_dim count = s->rank < 0 ? GEI_DIM_UNKNOWN : gei_dim_product(s, 0, s->rank);
    if (gei_dim_known(count) && count != 1) return gei_infer_fail(i, GE_ERR_SHAPE, "axis", "shape %s, wanted one number", gei_shape_words(s, &words));
    if (i->in[SLOT_X]->shape.rank < 0 || !gei_infer_ints(i, SLOT_AXIS, &number, 1, &n) || n != 1) return GE_OK;
    return gei_infer_axis(i, "axis", number, i->in[SLOT_X]->shape.rank, &axis);
}

static ge_status size_cumulative(gei_sizing *s, gei_diag *diag) {
    int64_t n = 0;
    (void)diag;
    (void)gei_shape_elems(&s->out[0].shape, &n);
    s->n_parts = gei_parts(n, 16384);
    s->cost = 2.0 * (double)n;
    return GE_OK;
}

/* From x to y, which may be the same. */
#define LINE(name, T, ACC, LOAD, STORE)                                                 \
    static void name(const line *l, const void *x_, void *y_) {                         \
        const T *x = (const T *)x_;                                                     \
        T *y = (T *)y_;                                                                 \
        ACC acc = l->product;                                                           \
        for (int64_t k = 0; k < l->n; k++) {                                            \
            ACC before = acc, v = (ACC)LOAD(x[k * l->stride]);                          \
            acc = l->product ? acc * v : acc + v;                                       \
            y[k * l->stride] = (T)STORE(l->exclusive ? before : acc);                   \
        }                                                                               \
    }
#define X(suffix, T, LOAD, STORE) LINE(line_##suffix, T, double, LOAD, STORE)
GEI_FLOAT_TYPES(X)
#undef X
#define X(suffix, T, U) LINE(line_##suffix, T, U, GEI_PLAIN, GEI_PLAIN)
GEI_INT_TYPES(X)
#undef X

typedef void (*line_fn)(const line *l, const void *x, void *y);

static line_fn function_for(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return line_f64;
    case GEI_FLOAT16: return line_f16;
    case GEI_BFLOAT16: return line_bf16;
    case GEI_INT8: case GEI_QINT8: return line_i8;
    case GEI_INT16: case GEI_QINT16: return line_i16;
    case GEI_INT32: case GEI_QINT32: return line_i32;
    case GEI_INT64: return line_i64;
    case GEI_UINT8: case GEI_QUINT8: return line_u8;
    case GEI_UINT16: case GEI_QUINT16: return line_u16;
    case GEI_UINT32: return line_u32;
    case GEI_UINT64: return line_u64;
    default: return line_f32;
    }
}

static ge_status run_cumulative(const gei_run *run, uint32_t part, bool product) {
    const gei_view *x = run->in[SLOT_X];
    int64_t number = gei_view_i64(run->in[SLOT_AXIS], 0), inner = 1, begin, end;
    size_t bytes = gei_dtype_get(x->dtype)->bits / 8;
    line_fn fn = function_for(x->dtype);
    int32_t axis;
    if (!gei_axis(number, x->rank, &axis))
        return gei_run_fail(run, part, "axis", "%lld is out of range for rank %d", (long long)number, (int)x->rank);
    if (x->n_elems == 0) return GE_OK;
    for (int32_t d = axis + 1; d < x->rank; d++) inner *= x->dims[d];
    bool reverse = gei_node_bool(run->node, "reverse", false);
    line l = { x->dims[axis], reverse ? -inner : inner, gei_node_bool(run->node, "exclusive", false), product };
    gei_part_range(x->n_elems / l.n, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t first = k / inner * l.n * inner + k % inner + (reverse ? (l.n - 1) * inner : 0);
        fn(&l, (const char *)x->data + (size_t)first * bytes, (char *)run->out[0]->data + (size_t)first * bytes);
    }
    return GE_OK;
}

static ge_status run_sum(const gei_run *run, uint32_t part) { return run_cumulative(run, part, false); }
static ge_status run_product(const gei_run *run, uint32_t part) { return run_cumulative(run, part, true); }

static const gei_kernel sum_kernels[] = { { .name = "ref", .size = size_cumulative, .run = run_sum, .in_place = 1 }, { 0 } };
static const gei_kernel product_kernels[] = { { .name = "ref", .size = size_cumulative, .run = run_product, .in_place = 1 }, { 0 } };
static const gei_attr_map cumulative_attrs[] = { { "exclusive", "exclusive", "0" }, { "reverse", "reverse", "0" }, { NULL, NULL, NULL } };
static const gei_source sum_sources[] = { { GEI_FROM_ONNX, "CumSum", 11, NULL, cumulative_attrs }, { 0 } };
static const gei_source product_sources[] = { { GEI_FROM_ONNX, "CumProd", 26, NULL, cumulative_attrs }, { 0 } };

GEI_OP(Cumsum) = { .name = "Cumsum", .infer = infer_cumulative, .kernels = sum_kernels, .sources = sum_sources, .traits = GEI_OP_PURE };
GEI_OP(Cumprod) = { .name = "Cumprod", .infer = infer_cumulative, .kernels = product_kernels, .sources = product_sources, .traits = GEI_OP_PURE };
