/* SPDX-License-Identifier: Apache-2.0 */
/* GeUnique: distinct slices of an axis, or without axis distinct elements of x; in ascending order, or with sorted false in the order of
 * their first places.  NaNs are one element, the largest.  Further outputs: first places, for each slice the number of its like, counts. */
#include <string.h>

#include "kernels/types.h"
#include "ops/elementwise.h"
#include "ops/import.h"
#include "ops/texts.h"

static ge_status find_axis(const gei_infer *i, int32_t rank, int32_t *out) {
    const gei_attr *axis = gei_node_attr(i->node, "axis");
    *out = -1;
    return axis && axis->kind == GEI_ATTR_INT ? gei_infer_axis(i, "axis", axis->v.i, rank, out) : GE_OK;
}

static ge_status infer_unique(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    const gei_attr *attr = gei_node_attr(i->node, "axis");
    int32_t axis = -1, dtype = i->in[0]->dtype;
    if (dtype != GEI_UNDEFINED && dtype != GEI_STRING && gei_lane_of(dtype) > GEI_LANE_BOOL)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    bool has_axis = attr && attr->kind == GEI_ATTR_INT;
    for (uint32_t k = 0; k < i->n_out; k++) {
        i->out[k].dtype = k == 0 ? dtype : GEI_INT64;
        if (k > 0 || !has_axis) i->out[k].shape = gei_shape_of(1, (gei_dim[]){ GEI_DIM_UNKNOWN });
    }
    if (x->rank < 0) return GE_OK;
    GEI_TRY(find_axis(i, x->rank, &axis));
    i->out[2].shape.dims[0] = axis < 0 ? gei_dim_product(x, 0, x->rank) : x->dims[axis];
    if (axis < 0) return GE_OK;
    i->out[0].shape = *x;
    i->out[0].shape.dims[axis] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

/* ---- reference kernel ---- */

typedef struct unique {
    int64_t outer, n, inner; /* n slices */
} unique;

typedef struct work { /* arrays of n, in scratch */
    int64_t *order, *spare, *group, *first, *count;
    int64_t n_groups;
} work;

static ge_status size_unique(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t axis;
    unique *u = gei_arena_new(s->arena, unique);
    if (!u) return gei_out_of_memory(diag, sizeof *u);
    GEI_TRY(find_axis(&i, x->rank, &axis));
    *u = (unique){ 1, gei_dim_product(x, 0, x->rank), 1 };
    if (axis >= 0) *u = (unique){ gei_dim_product(x, 0, axis), x->dims[axis], gei_dim_product(x, axis + 1, x->rank) };
    s->sized = u;
    s->part_scratch_bytes = ((size_t)u->n * 5 + 1) * sizeof(int64_t);
    s->cost = 20.0 * (double)u->outer * (double)u->n * (double)u->inner;
    return GE_OK;
}

#define ORDER(v, w) ((v) < (w) ? -1 : (v) > (w) ? 1 : 0)
#define COMPARE(suffix, T, V, LOAD)                                                      \
    static int compare_##suffix(const gei_view *x, int64_t a, int64_t b) {               \
        V v = LOAD(((const T *)x->data)[a]), w = LOAD(((const T *)x->data)[b]);          \
        if (v != v || w != w) return (v != v) - (w != w);                                \
        return ORDER(v, w);                                                              \
    }
COMPARE(f32, float, float, GEI_PLAIN)
COMPARE(f64, double, double, GEI_PLAIN)
COMPARE(f16, uint16_t, float, gei_f16_to_f32)
COMPARE(bf16, uint16_t, float, gei_bf16_to_f32)
#define X(suffix, T, U)                                                                  \
    static int compare_##suffix(const gei_view *x, int64_t a, int64_t b) {               \
        T v = ((const T *)x->data)[a], w = ((const T *)x->data)[b];                      \
        return ORDER(v, w);                                                              \
    }
GEI_INT_TYPES(X)
#undef X

static int compare_text(const gei_view *x, int64_t a, int64_t b) {
    gei_text v = gei_text_at(x, a), w = gei_text_at(x, b);
    size_t n = v.size < w.size ? v.size : w.size;
    int order = n > 0 ? memcmp(v.data, w.data, n) : 0;
    return order != 0 ? order : ORDER(v.size, w.size);
}

typedef int (*compare_fn)(const gei_view *x, int64_t a, int64_t b);

static compare_fn function_for(int32_t dtype) {
    static const compare_fn all[] = { GEI_FLOAT_LANES(compare), GEI_INT_LANES(compare), [GEI_LANE_BOOL] = compare_u8 };
    if (dtype == GEI_STRING) return compare_text;
    if (dtype == GEI_FLOAT16) return compare_f16;
    return dtype == GEI_BFLOAT16 ? compare_bf16 : all[gei_lane_of(dtype)];
}

static int compare_slices(const unique *u, const gei_view *x, compare_fn compare, int64_t a, int64_t b) {
    for (int64_t o = 0; o < u->outer; o++)
        for (int64_t k = 0; k < u->inner; k++) {
            int order = compare(x, (o * u->n + a) * u->inner + k, (o * u->n + b) * u->inner + k);
            if (order != 0) return order;
        }
    return 0;
}

/* Merge sort from the bottom up: equal slices stay in their order. */
static void sort_slices(const unique *u, const gei_view *x, compare_fn compare, work *w) {
    for (int64_t k = 0; k < u->n; k++) w->order[k] = k;
    for (int64_t width = 1; width < u->n; width *= 2) {
        for (int64_t begin = 0; begin < u->n; begin += 2 * width) {
            int64_t middle = begin + width < u->n ? begin + width : u->n, end = begin + 2 * width < u->n ? begin + 2 * width : u->n;
            for (int64_t a = begin, b = middle, to = begin; to < end; to++) {
                bool left = b >= end || (a < middle && compare_slices(u, x, compare, w->order[a], w->order[b]) <= 0);
                w->spare[to] = left ? w->order[a++] : w->order[b++];
            }
        }
        int64_t *swapped = w->order;
        w->order = w->spare;
        w->spare = swapped;
    }
}

/* Numbers the groups of equal slices: ascending, or by their first places. */
static void number_groups(const unique *u, const gei_view *x, compare_fn compare, bool sorted, work *w) {
    int64_t n = 0;
    for (int64_t k = 0; k < u->n; k++) {
        if (k == 0 || compare_slices(u, x, compare, w->order[k - 1], w->order[k]) != 0) {
            w->first[n] = w->order[k];
            w->count[n++] = 0;
        }
        w->group[w->order[k]] = n - 1;
        w->count[n - 1]++;
    }
    w->n_groups = n;
    if (sorted) return;
    int64_t *rank = w->spare, next = 0; /* new number of each group */
    for (int64_t g = 0; g < n; g++) rank[g] = -1;
    for (int64_t k = 0; k < u->n; k++) {
        int64_t g = w->group[k];
        if (rank[g] < 0) {
            w->order[next] = w->count[g];
            w->first[next] = k; /* below the first places still to be read: the k are ascending */
            rank[g] = next++;
        }
        w->group[k] = rank[g];
    }
    memcpy(w->count, w->order, (size_t)n * sizeof *w->count);
}

typedef struct chosen {
    const gei_view *x;
    const int64_t *first;
} chosen;

static gei_text text_of(const void *user, int64_t index) {
    const chosen *c = (const chosen *)user;
    return gei_text_at(c->x, c->first[index]);
}

static ge_status give_values(const gei_run *run, const unique *u, const work *w) {
    const gei_view *x = run->in[0];
    gei_view *y = run->out[0];
    int64_t dims[GEI_MAX_RANK] = { 0 };
    int32_t axis, rank = x->rank;
    gei_infer i = { .node = run->node, .diag = run->diag };
    void *data;
    GEI_TRY(find_axis(&i, rank, &axis));
    memcpy(dims, x->dims, sizeof dims);
    if (axis < 0) rank = 1;
    dims[axis < 0 ? 0 : axis] = w->n_groups;
    if (x->dtype == GEI_STRING) {
        chosen c = { x, w->first };
        if (u->outer != 1 || u->inner != 1) return gei_fail(run->diag, GE_ERR_UNSUPPORTED, "slices of strings are not supported");
        y->rank = rank;
        y->n_elems = w->n_groups;
        memcpy(y->dims, dims, sizeof dims);
        return gei_run_set_texts(run, 0, text_of, &c);
    }
    size_t bytes = (size_t)u->inner * (gei_dtype_get(x->dtype)->bits / 8);
    GEI_TRY(gei_run_set_output(run, 0, rank, dims, (size_t)(u->outer * w->n_groups) * bytes, &data));
    for (int64_t o = 0; o < u->outer && bytes > 0; o++)
        for (int64_t g = 0; g < w->n_groups; g++)
            memcpy((char *)data + (size_t)(o * w->n_groups + g) * bytes, (const char *)x->data + (size_t)(o * u->n + w->first[g]) * bytes, bytes);
    return GE_OK;
}

static ge_status give_numbers(const gei_run *run, uint32_t out, const int64_t *numbers, int64_t n) {
    void *data = run->out[out]->data; /* where its size was known */
    if (!data) GEI_TRY(gei_run_set_output(run, out, 1, &n, (size_t)n * sizeof *numbers, &data));
    if (n > 0) memcpy(data, numbers, (size_t)n * sizeof *numbers);
    return GE_OK;
}

static ge_status run_unique(const gei_run *run, uint32_t part) {
    const unique *u = (const unique *)run->sized;
    compare_fn compare = function_for(run->in[0]->dtype);
    int64_t *at = (int64_t *)run->scratch;
    work w = { at, at + u->n, at + 2 * u->n, at + 3 * u->n, at + 4 * u->n, 0 };
    (void)part;
    sort_slices(u, run->in[0], compare, &w);
    number_groups(u, run->in[0], compare, gei_node_bool(run->node, "sorted", true), &w);
    GEI_TRY(give_values(run, u, &w));
    GEI_TRY(give_numbers(run, 1, w.first, w.n_groups));
    GEI_TRY(give_numbers(run, 2, w.group, u->n));
    return give_numbers(run, 3, w.count, w.n_groups);
}

static const gei_kernel unique_kernels[] = { { .name = "ref", .size = size_unique, .run = run_unique }, { 0 } };
static const gei_attr_map unique_attrs[] = { { "axis", "axis", NULL }, { "sorted", "sorted", "1" }, { NULL, NULL, NULL } };
static const gei_source unique_sources[] = { { GEI_FROM_ONNX, "Unique", 11, NULL, unique_attrs }, { 0 } };

GEI_OP(GeUnique) = { .name = "GeUnique", .infer = infer_unique, .kernels = unique_kernels, .sources = unique_sources, .traits = GEI_OP_PURE };
