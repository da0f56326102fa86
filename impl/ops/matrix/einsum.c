/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum: sums of products over labelled axes, any legal equation: repeated labels (diagonals), "..." and no "->".
 * Without "->" the result has the dims of "...", then the labels that stand once, in alphabetical order.
 * An axis of size 1 is repeated where another input has a larger one. */
#include <string.h>

#include "kernels/types.h"
#include "ops/elementwise.h"
#include "ops/import.h"
#include "ops/matrix/einsum_fast.h"

#define MAX_INPUTS GEI_EINSUM_INPUTS
#define MAX_LABELS GEI_EINSUM_LABELS
#define DOTS 52 /* labels: letters, then the dims of "...", counted from the last */

typedef struct term { /* labels of one input or of the result; DOTS stands for "..." */
    int32_t n, dots;  /* labels; place of "...", -1 when there is none */
    uint8_t labels[32];
} term;

typedef struct equation {
    uint32_t n;       /* inputs */
    bool arrow;
    term in[MAX_INPUTS], out;
    uint8_t uses[52];
} equation;

static ge_status bad(const gei_infer *i, const char *what) {
    return gei_infer_fail(i, GE_ERR_BAD_ATTR, "equation", "'%s': %s", gei_node_text(i->node, "equation", ""), what);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* One term up to ',', "->" or the end. */
static ge_status read_term(const gei_infer *i, const char **at, term *t, uint8_t *uses) {
    const char *s = *at;
    *t = (term){ .dots = -1 };
    for (; *s && *s != ',' && *s != '-'; s++) {
        if (*s == ' ') continue;
        if (*s == '.') {
            if (s[1] != '.' || s[2] != '.') return bad(i, "a point that is not part of '...'");
            if (t->dots >= 0) return bad(i, "'...' twice in one term");
            t->dots = t->n;
            s += 2;
            continue;
        }
        if (!is_letter(*s)) return bad(i, "a character that is no letter");
        if (t->n == GEI_MAX_RANK) return bad(i, "a term of more than 8 labels");
        uint8_t label = (uint8_t)(*s >= 'a' ? *s - 'a' + 26 : *s - 'A'); /* capitals come first in order */
        t->labels[t->n++] = label;
        if (uses && uses[label] < 255) uses[label]++;
    }
    *at = s;
    return GE_OK;
}

static ge_status check_result(const gei_infer *i, const equation *e) {
    for (int32_t k = 0; k < e->out.n; k++) {
        if (!e->uses[e->out.labels[k]]) return bad(i, "the result has a label that no input has");
        for (int32_t j = 0; j < k; j++)
            if (e->out.labels[j] == e->out.labels[k]) return bad(i, "the result has a label twice");
    }
    return GE_OK;
}

static ge_status read_equation(const gei_infer *i, equation *e) {
    const char *at = gei_node_text(i->node, "equation", "");
    memset(e, 0, sizeof *e);
    for (;;) {
        if (e->n == MAX_INPUTS) return bad(i, "more than 16 inputs");
        GEI_TRY(read_term(i, &at, &e->in[e->n++], e->uses));
        if (*at != ',') break;
        at++;
    }
    if (e->n != i->n_in)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "equation", "'%s' has %u terms for %u inputs", gei_node_text(i->node, "equation", ""), e->n, i->n_in);
    e->out.dots = -1;
    if (*at == '-') {
        if (at[1] != '>') return bad(i, "'-' without '>'");
        at += 2;
        e->arrow = true;
        GEI_TRY(read_term(i, &at, &e->out, NULL));
        if (*at) return bad(i, "something behind the result");
        return check_result(i, e);
    }
    e->out.dots = 0;
    for (uint8_t label = 0; label < 52; label++) {
        if (e->uses[label] != 1) continue;
        if (e->out.n == GEI_MAX_RANK) return bad(i, "a result of more than 8 labels");
        e->out.labels[e->out.n++] = label;
    }
    return GE_OK;
}

/* ---- shapes ---- */

/* Calls for each axis of a shape: its label, the dims of "..." as DOTS + their number from the last. */
static int32_t label_at(const term *t, int32_t rank, int32_t axis) {
    int32_t dots = t->dots < 0 ? 0 : rank - t->n;
    if (t->dots < 0 || axis < t->dots) return t->labels[axis];
    return axis < t->dots + dots ? DOTS + (t->dots + dots - 1 - axis) : t->labels[axis - dots];
}

static ge_status join(const gei_infer *i, uint32_t slot, gei_dim size, gei_dim *have) {
    if (*have == GEI_DIM_UNKNOWN || *have == 1 || (!gei_dim_known(*have) && gei_dim_known(size) && size != 1)) {
        if (*have != GEI_DIM_UNKNOWN || size != 1) *have = size;
        return GE_OK;
    }
    if (size == 1 || !gei_dim_known(size) || !gei_dim_known(*have) || size == *have) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "x", "input %u has size %lld where another has %lld in '%s'", slot, (long long)size, (long long)*have,
                          gei_node_text(i->node, "equation", ""));
}

/* Sizes by label; *out_dots: dims of "...", -1: not known. */
static ge_status label_sizes(const gei_infer *i, const equation *e, gei_dim *sizes, int32_t *out_dots) {
    bool seen[MAX_LABELS] = { false };
    *out_dots = 0;
    for (uint32_t k = 0; k < e->n; k++) {
        const gei_shape *x = &i->in[k]->shape;
        const term *t = &e->in[k];
        gei_words words;
        if (x->rank < 0) {
            if (t->dots >= 0) *out_dots = -1;
            continue;
        }
        if (t->dots < 0 ? x->rank != t->n : x->rank < t->n)
            return gei_infer_fail(i, GE_ERR_RANK, "x", "input %u has shape %s, but %d labels in '%s'", k, gei_shape_words(x, &words), (int)t->n,
                                  gei_node_text(i->node, "equation", ""));
        if (t->dots >= 0 && *out_dots >= 0 && x->rank - t->n > *out_dots) *out_dots = x->rank - t->n;
        for (int32_t d = 0; d < x->rank; d++) {
            int32_t label = label_at(t, x->rank, d);
            if (!seen[label]) sizes[label] = x->dims[d];
            else GEI_TRY(join(i, k, x->dims[d], &sizes[label]));
            seen[label] = true;
        }
    }
    for (int32_t label = 0; label < MAX_LABELS; label++)
        if (!seen[label]) sizes[label] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

static ge_status infer_einsum(gei_infer *i) {
    equation e;
    gei_dim sizes[MAX_LABELS];
    int32_t dots;
    GEI_TRY(gei_infer_same_dtype(i, 0, i->n_in, &i->out[0].dtype));
    int32_t dtype = i->out[0].dtype;
    if (dtype != GEI_UNDEFINED && gei_lane_of(dtype) > GEI_LANE_U64)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    GEI_TRY(read_equation(i, &e));
    GEI_TRY(label_sizes(i, &e, sizes, &dots));
    bool has_dots = e.out.dots >= 0;
    if (has_dots && dots < 0) return GE_OK;
    int32_t rank = e.out.n + (has_dots ? dots : 0);
    if (rank > GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_RANK, NULL, "the result would have rank %d, at most %d", (int)rank, GEI_MAX_RANK);
    i->out[0].shape.rank = rank;
    for (int32_t d = 0; d < rank; d++) i->out[0].shape.dims[d] = sizes[label_at(&e.out, rank, d)];
    return GE_OK;
}

/* ---- the plan and the reference kernel ---- */

typedef gei_einsum_plan plan;

static void add_label(plan *p, int32_t at, int32_t label, const gei_sizing *s, const equation *e, int64_t size) {
    p->dims[at] = size;
    for (uint32_t k = 0; k < e->n; k++) {
        const gei_shape *x = &s->in[k]->shape;
        int64_t stride = 1;
        p->strides[k][at] = 0;
        for (int32_t d = x->rank - 1; d >= 0; d--) {
            if (label_at(&e->in[k], x->rank, d) == label && x->dims[d] != 1) p->strides[k][at] += stride;
            stride *= x->dims[d];
        }
    }
}

ge_status gei_einsum_plan_make(gei_sizing *s, plan *p, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    equation e;
    gei_dim sizes[MAX_LABELS];
    int32_t dots;
    GEI_TRY(read_equation(&i, &e));
    GEI_TRY(label_sizes(&i, &e, sizes, &dots));
    bool in_result[MAX_LABELS] = { false };
    p->n_in = e.n;
    p->n_out = s->out[0].shape.rank;
    p->elems = p->terms = 1;
    for (int32_t d = 0; d < p->n_out; d++) {
        int32_t label = label_at(&e.out, p->n_out, d);
        in_result[label] = true;
        add_label(p, d, label, s, &e, sizes[label]);
        p->elems *= sizes[label];
    }
    for (int32_t label = 0; label < MAX_LABELS; label++) {
        bool used = label < DOTS ? e.uses[label] > 0 : label - DOTS < dots;
        if (!used || in_result[label]) continue;
        if (!gei_mul_i64(p->terms, sizes[label], &p->terms)) return gei_infer_fail(&i, GE_ERR_SIZE, NULL, "the number of terms does not fit 64 bits");
        add_label(p, p->n_out + p->n_sum++, label, s, &e, sizes[label]);
    }
    if (p->n_sum == 0) p->dims[p->n_out + p->n_sum++] = 1;
    return GE_OK;
}

static ge_status size_einsum(gei_sizing *s, gei_diag *diag) {
    plan *p = gei_arena_new(s->arena, plan);
    if (!p) return gei_out_of_memory(diag, sizeof *p);
    GEI_TRY(gei_einsum_plan_make(s, p, diag));
    s->sized = p;
    s->n_parts = gei_parts(p->elems, p->terms < 16384 ? 16384 / (p->terms + 1) + 1 : 1);
    s->cost = (double)p->elems * (double)p->terms * p->n_in;
    return GE_OK;
}

static void find_offsets(const plan *p, int32_t first, int32_t n, int64_t index, int64_t *offsets) {
    for (int32_t d = first + n - 1; d >= first; d--) {
        int64_t at = index % p->dims[d];
        index /= p->dims[d];
        for (uint32_t k = 0; k < p->n_in; k++) offsets[k] += at * p->strides[k][d];
    }
}

#define EINSUM(suffix, T, A, LOAD, STORE)                                                                                     \
    static A run_sum_##suffix(const plan *p, const T *const *x, const int64_t *offsets, int32_t last) {                       \
        int64_t n = p->dims[last];                                                                                            \
        A sum = 0;                                                                                                            \
        if (p->n_in == 2) {                                                                                                   \
            const T *a = x[0] + offsets[0], *b = x[1] + offsets[1];                                                           \
            int64_t a_step = p->strides[0][last], b_step = p->strides[1][last];                                               \
            for (int64_t j = 0; j < n; j++) sum += (A)LOAD(a[j * a_step]) * (A)LOAD(b[j * b_step]);                           \
            return sum;                                                                                                       \
        }                                                                                                                     \
        for (int64_t j = 0; j < n; j++) {                                                                                     \
            A product = 1;                                                                                                    \
            for (uint32_t k = 0; k < p->n_in; k++) product *= (A)LOAD(x[k][offsets[k] + j * p->strides[k][last]]);            \
            sum += product;                                                                                                   \
        }                                                                                                                     \
        return sum;                                                                                                           \
    }                                                                                                                         \
    static void einsum_##suffix(const plan *p, const void *const *inputs, void *y, int64_t begin, int64_t end) {              \
        const T *x[MAX_INPUTS];                                                                                               \
        int32_t last = p->n_out + p->n_sum - 1;                                                                               \
        for (uint32_t k = 0; k < p->n_in; k++) x[k] = (const T *)inputs[k];                                                   \
        for (int64_t at = begin; at < end; at++) {                                                                            \
            int64_t base[MAX_INPUTS] = { 0 };                                                                                 \
            A sum = 0;                                                                                                        \
            find_offsets(p, 0, p->n_out, at, base);                                                                           \
            for (int64_t run = 0; run < p->terms; run += p->dims[last]) {                                                     \
                int64_t offsets[MAX_INPUTS];                                                                                  \
                memcpy(offsets, base, sizeof offsets);                                                                        \
                find_offsets(p, p->n_out, p->n_sum, run, offsets);                                                            \
                sum += run_sum_##suffix(p, x, offsets, last);                                                                 \
            }                                                                                                                 \
            ((T *)y)[at] = (T)STORE(sum);                                                                                     \
        }                                                                                                                     \
    }
#define X(suffix, T, LOAD, STORE) EINSUM(suffix, T, double, LOAD, STORE)
GEI_FLOAT_TYPES(X)
#undef X
#define X(suffix, T, U) EINSUM(suffix, T, U, GEI_PLAIN, GEI_PLAIN)
GEI_INT_TYPES(X)
#undef X

typedef void (*einsum_fn)(const plan *p, const void *const *inputs, void *y, int64_t begin, int64_t end);

static ge_status run_einsum(const gei_run *run, uint32_t part) {
    static const einsum_fn loops[] = { GEI_FLOAT_LANES(einsum), GEI_INT_LANES(einsum) };
    const plan *p = (const plan *)run->sized;
    const void *inputs[MAX_INPUTS];
    int32_t dtype = run->out[0]->dtype;
    int64_t begin, end;
    for (uint32_t k = 0; k < run->n_in; k++) inputs[k] = run->in[k]->data;
    gei_part_range(p->elems, run->n_parts, part, &begin, &end);
    einsum_fn fn = dtype == GEI_FLOAT16 ? einsum_f16 : dtype == GEI_BFLOAT16 ? einsum_bf16 : loops[gei_lane_of(dtype)];
    fn(p, inputs, run->out[0]->data, begin, end);
    return GE_OK;
}

/* One label is summed over and in both of two inputs; each input has a label of its own in the result; none stands twice in a term. */
bool gei_einsum_is_product(const gei_node *node, uint32_t n_in) {
    gei_infer i = { .node = node, .n_in = n_in };
    equation e;
    uint64_t has[2] = { 0, 0 }, result = 0;
    if (n_in != 2 || read_equation(&i, &e) != GE_OK || e.in[0].dots >= 0 || e.in[1].dots >= 0) return false;
    for (int k = 0; k < 2; k++)
        for (int32_t d = 0; d < e.in[k].n; d++) {
            uint64_t bit = UINT64_C(1) << e.in[k].labels[d];
            if (has[k] & bit) return false;
            has[k] |= bit;
        }
    for (int32_t d = 0; d < e.out.n; d++) result |= UINT64_C(1) << e.out.labels[d];
    uint64_t summed = (has[0] | has[1]) & ~result;
    bool one = summed && (summed & (summed - 1)) == 0 && (summed & has[0] & has[1]);
    return one && (has[0] & ~has[1] & result) && (has[1] & ~has[0] & result);
}

static const gei_kernel einsum_kernels[] = { GEI_EINSUM_FAST_KERNEL, { .name = "ref", .size = size_einsum, .run = run_einsum }, { 0 } };

static ge_status map_einsum(gei_import *im, gei_diag *diag) {
    gei_node *node;
    if (!gei_import_has_attr(im, "equation")) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute equation is missing");
    GEI_TRY(gei_import_node_dynamic(im, "Einsum", im->inputs, im->n_inputs, &im->n_inputs, NULL, &node, diag));
    GEI_TRY(gei_import_set_text(node, "equation", gei_import_text(im, "equation", ""), diag));
    GEI_TRY(gei_import_set_int(node, "N", im->n_inputs, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source einsum_sources[] = { { GEI_FROM_ONNX, "Einsum", 12, map_einsum, NULL }, { 0 } };

GEI_OP(Einsum) = { .name = "Einsum", .infer = infer_einsum, .kernels = einsum_kernels, .sources = einsum_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(Einsum, "*", "real");
