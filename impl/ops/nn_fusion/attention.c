/* SPDX-License-Identifier: Apache-2.0 */
/* GeAttention (ours, ONNX Attention): softmax(scale * q k^T, capped, + bias) v for each head.
 * q, k, v are [batch, heads, rows, size] or packed [batch, rows, heads * size]; past_key and past_value stand before k and v.  Several query
 * heads share a key head.  Query row r is at place offset + r, where offset is the count of past keys, or what nonpad_kv_seqlen has beyond the
 * query rows.  It sees key j when j < nonpad_kv_seqlen, place - left_window_size <= j <= place + right_window_size (-1: no bound) and, being
 * causal, j <= place.  A row that sees nothing gives zeros. */
#include <math.h>
#include <string.h>

#include "kernels/dots.h"
#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"

enum { SLOT_Q, SLOT_K, SLOT_V, SLOT_MASK, SLOT_PAST_K, SLOT_PAST_V, SLOT_NONPAD };
enum { OUT_Y, OUT_K, OUT_V, OUT_QK };
enum { QK_NONE = -1, QK_RAW, QK_CAPPED, QK_BIASED, QK_SOFTMAX };

typedef struct side { /* q, k or v, however it is packed */
    gei_dim batch, heads, rows, size;
} side;

typedef struct strides {
    int64_t batch, head, row;
} strides;

typedef struct attention { /* sized */
    int64_t batch, heads, kv_heads, rows, keys, past, total, size, v_size;
    strides q, k, v, y;
    int64_t mask[4], mask_keys; /* strides of the mask by batch, head, row, key; keys it has */
    int64_t left, right, mode;
    double scale, softcap;
    bool causal;
} attention;

/* ---- rule ---- */

static ge_status read_side(const gei_infer *i, uint32_t slot, const char *heads_attr, side *out) {
    const gei_shape *s = &i->in[slot]->shape;
    int64_t heads;
    *out = (side){ GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN, GEI_DIM_UNKNOWN };
    GEI_TRY(gei_infer_rank(i, slot, 3, 4));
    if (s->rank == 4) *out = (side){ s->dims[0], s->dims[1], s->dims[2], s->dims[3] };
    if (s->rank != 3) return GE_OK;
    GEI_TRY(gei_check_int(i, heads_attr, 0, 1, INT32_MAX, &heads));
    *out = (side){ s->dims[0], heads, s->dims[1], GEI_DIM_UNKNOWN };
    if (!gei_dim_known(s->dims[2])) return GE_OK;
    if (s->dims[2] % heads != 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%lld columns cannot be cut into %lld heads", (long long)s->dims[2],
                              (long long)heads);
    out->size = s->dims[2] / heads;
    return GE_OK;
}

static ge_status same(const gei_infer *i, uint32_t slot, const char *what, gei_dim have, gei_dim wanted) {
    if (!gei_dim_known(have) || !gei_dim_known(wanted) || have == wanted) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%lld %s, wanted %lld", (long long)have, what, (long long)wanted);
}

static ge_status read_sides(const gei_infer *i, side *q, side *k, side *v) {
    GEI_TRY(read_side(i, SLOT_Q, "q_num_heads", q));
    GEI_TRY(read_side(i, SLOT_K, "kv_num_heads", k));
    GEI_TRY(read_side(i, SLOT_V, "kv_num_heads", v));
    for (uint32_t slot = SLOT_K; slot <= SLOT_V; slot++)
        if (i->in[slot]->shape.rank >= 0 && i->in[SLOT_Q]->shape.rank >= 0 && i->in[slot]->shape.rank != i->in[SLOT_Q]->shape.rank)
            return gei_infer_fail(i, GE_ERR_RANK, gei_infer_port(i, slot), "rank %d, but q has rank %d", (int)i->in[slot]->shape.rank,
                                  (int)i->in[SLOT_Q]->shape.rank);
    GEI_TRY(same(i, SLOT_K, "batch entries", k->batch, q->batch));
    GEI_TRY(same(i, SLOT_V, "batch entries", v->batch, q->batch));
    GEI_TRY(same(i, SLOT_K, "columns of a head", k->size, q->size));
    GEI_TRY(same(i, SLOT_V, "heads", v->heads, k->heads));
    GEI_TRY(same(i, SLOT_V, "rows", v->rows, k->rows));
    if (!gei_dim_known(q->heads) || !gei_dim_known(k->heads)) return GE_OK;
    if (k->heads > 0 ? q->heads % k->heads == 0 : q->heads == 0) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "q", "%lld heads cannot share %lld key heads", (long long)q->heads, (long long)k->heads);
}

static ge_status check_past(const gei_infer *i, const side *k, const side *v, gei_dim *past) {
    bool key = gei_infer_in(i, SLOT_PAST_K), value = gei_infer_in(i, SLOT_PAST_V);
    *past = key ? gei_check_dim_of(i, SLOT_PAST_K, 2) : 0;
    if (key != value) return gei_infer_fail(i, GE_ERR_BAD_GRAPH, key ? "past_value" : "past_key", "is missing, its partner is there");
    if (key && gei_infer_in(i, SLOT_NONPAD))
        return gei_infer_fail(i, GE_ERR_BAD_GRAPH, "nonpad_kv_seqlen", "cannot be together with past_key");
    for (uint32_t slot = SLOT_PAST_K; key && slot <= SLOT_PAST_V; slot++) {
        GEI_TRY(gei_infer_rank(i, slot, 4, 4));
        GEI_TRY(gei_check_dim(i, slot, 0, k->batch, "batch of k"));
        GEI_TRY(gei_check_dim(i, slot, 1, k->heads, "count of heads of k"));
        GEI_TRY(gei_check_dim(i, slot, 2, *past, "count of past keys"));
        GEI_TRY(gei_check_dim(i, slot, 3, slot == SLOT_PAST_K ? k->size : v->size, "size of a head"));
    }
    return GE_OK;
}

/* A mask is broadcast to [batch, heads, rows, total]; with mask_pads its last dim may be short instead of 1. */
static ge_status check_mask(const gei_infer *i, const side *q, gei_dim total) {
    const gei_info *mask = gei_infer_in(i, SLOT_MASK);
    gei_dim wanted[4] = { q->batch, q->heads, q->rows, total };
    gei_words words, whole;
    gei_shape all = gei_shape_of(4, wanted);
    if (!mask) return GE_OK;
    const gei_dtype_info *type = gei_dtype_get(mask->dtype);
    if (mask->dtype != GEI_UNDEFINED && (!type || type->bits < 8 || type->kind == GEI_KIND_COMPLEX || mask->dtype == GEI_STRING))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "attn_mask", "data type %s is not supported", gei_dtype_name(mask->dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_MASK, 1, 4));
    for (int32_t d = 0; d < mask->shape.rank; d++) {
        gei_dim have = mask->shape.dims[d], want = wanted[4 - mask->shape.rank + d];
        bool last = d == mask->shape.rank - 1, pads = last && gei_node_bool(i->node, "mask_pads", false);
        if (!gei_dim_known(have) || !gei_dim_known(want) || have == want || (have == 1 && !pads) || (pads && have <= want)) continue;
        return gei_infer_fail(i, GE_ERR_SHAPE, "attn_mask", "shape %s cannot be broadcast to %s", gei_shape_words(&mask->shape, &words),
                              gei_shape_words(&all, &whole));
    }
    return GE_OK;
}

static ge_status check_numbers(const gei_infer *i) {
    int64_t ignored;
    GEI_TRY(gei_check_int(i, "qk_matmul_output_mode", QK_NONE, QK_NONE, QK_SOFTMAX, &ignored));
    GEI_TRY(gei_check_int(i, "left_window_size", -1, -1, INT32_MAX, &ignored));
    GEI_TRY(gei_check_int(i, "right_window_size", -1, -1, INT32_MAX, &ignored));
    double scale = gei_node_float(i->node, "scale", 1), softcap = gei_node_float(i->node, "softcap", 0);
    if (!isfinite(scale)) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "scale", "is not finite");
    if (!isfinite(softcap) || softcap < 0) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "softcap", "is negative or not finite");
    return GE_OK;
}

static ge_status check_types(const gei_infer *i) {
    const uint32_t pairs[][2] = { { SLOT_Q, SLOT_K }, { SLOT_Q, SLOT_PAST_K }, { SLOT_V, SLOT_PAST_V } };
    GEI_TRY(gei_check_float(i, SLOT_Q));
    GEI_TRY(gei_check_float(i, SLOT_V));
    for (size_t p = 0; p < GEI_COUNT(pairs); p++) {
        const gei_info *a = gei_infer_in(i, pairs[p][0]), *b = gei_infer_in(i, pairs[p][1]);
        if (a && b && a->dtype != GEI_UNDEFINED && b->dtype != GEI_UNDEFINED && a->dtype != b->dtype)
            return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, pairs[p][1]), "data type %s, wanted %s", gei_dtype_name(b->dtype),
                                  gei_dtype_name(a->dtype));
    }
    return GE_OK;
}

static ge_status infer_attention(gei_infer *i) {
    const gei_shape nothing = gei_shape_of(1, (gei_dim[]){ 0 });
    side q, k, v;
    gei_dim past;
    GEI_TRY(check_types(i));
    GEI_TRY(check_numbers(i));
    GEI_TRY(read_sides(i, &q, &k, &v));
    GEI_TRY(check_past(i, &k, &v, &past));
    gei_dim total = gei_dim_plus(past, k.rows);
    GEI_TRY(check_mask(i, &q, total));
    GEI_TRY(gei_infer_rank(i, SLOT_NONPAD, 1, 1));
    GEI_TRY(gei_check_dim(i, SLOT_NONPAD, 0, q.batch, "batch of q"));
    for (uint32_t o = 0; o < i->n_out; o++) i->out[o].dtype = i->in[o == OUT_V ? SLOT_V : SLOT_Q]->dtype;
    int32_t rank = i->in[SLOT_Q]->shape.rank;
    if (rank == 3) i->out[OUT_Y].shape = gei_shape_of(3, (gei_dim[]){ q.batch, q.rows, gei_dim_times(q.heads, v.size) });
    if (rank == 4) i->out[OUT_Y].shape = gei_shape_of(4, (gei_dim[]){ q.batch, q.heads, q.rows, v.size });
    bool presents = gei_node_bool(i->node, "presents", false);
    i->out[OUT_K].shape = presents ? gei_shape_of(4, (gei_dim[]){ k.batch, k.heads, total, k.size }) : nothing;
    i->out[OUT_V].shape = presents ? gei_shape_of(4, (gei_dim[]){ k.batch, k.heads, total, v.size }) : nothing;
    bool qk = gei_node_int(i->node, "qk_matmul_output_mode", QK_NONE) != QK_NONE;
    i->out[OUT_QK].shape = qk ? gei_shape_of(4, (gei_dim[]){ q.batch, q.heads, q.rows, total }) : nothing;
    return GE_OK;
}

/* ---- reference kernel ---- */

static strides strides_of(bool packed, int64_t heads, int64_t rows, int64_t size) {
    return packed ? (strides){ rows * heads * size, size, heads * size } : (strides){ heads * rows * size, rows * size, size };
}

static void mask_strides(attention *a, const gei_shape *mask, bool pads) {
    int64_t stride = 1;
    a->mask_keys = a->total;
    for (int32_t d = mask->rank - 1; d >= 0; d--) {
        bool last = d == mask->rank - 1;
        a->mask[4 - mask->rank + d] = mask->dims[d] == 1 && !(last && pads) ? 0 : stride;
        stride *= mask->dims[d];
        if (last && pads) a->mask_keys = mask->dims[d];
    }
}

static ge_status size_attention(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    attention *a = gei_arena_new(s->arena, attention);
    side q, k, v;
    if (!a) return gei_out_of_memory(diag, sizeof *a);
    GEI_TRY(read_sides(&i, &q, &k, &v));
    *a = (attention){ .batch = q.batch, .heads = q.heads, .kv_heads = k.heads, .rows = q.rows, .keys = k.rows, .size = q.size, .v_size = v.size };
    a->past = gei_infer_in(&i, SLOT_PAST_K) ? gei_check_dim_of(&i, SLOT_PAST_K, 2) : 0;
    a->total = a->past + a->keys;
    bool packed = s->in[SLOT_Q]->shape.rank == 3;
    a->q = strides_of(packed, a->heads, a->rows, a->size);
    a->k = strides_of(packed, a->kv_heads, a->keys, a->size);
    a->v = strides_of(packed, a->kv_heads, a->keys, a->v_size);
    a->y = strides_of(packed, a->heads, a->rows, a->v_size);
    if (gei_infer_in(&i, SLOT_MASK)) mask_strides(a, &s->in[SLOT_MASK]->shape, gei_node_bool(s->node, "mask_pads", false));
    a->left = gei_node_int(s->node, "left_window_size", -1);
    a->right = gei_node_int(s->node, "right_window_size", -1);
    a->mode = gei_node_int(s->node, "qk_matmul_output_mode", QK_NONE);
    a->scale = gei_node_float(s->node, "scale", 1 / sqrt((double)a->size));
    a->softcap = gei_node_float(s->node, "softcap", 0);
    a->causal = gei_node_bool(s->node, "is_causal", false);
    s->sized = a;
    double each = (double)a->total * (double)(a->size + a->v_size) + 1;
    int64_t work, present;
    if (!gei_mul_i64(a->batch, a->heads, &work) || !gei_mul_i64(work, a->rows, &work) || !gei_mul_i64(a->batch, a->kv_heads, &present) ||
        !gei_mul_i64(present, a->total, &present))
        return gei_out_of_memory(diag, SIZE_MAX);
    s->n_parts = gei_parts(work, each < 65536 ? (int64_t)(65536 / each) + 1 : 1);
    s->cost = 2 * each * (double)work;
    size_t numbers, bytes;
    if (!gei_add((size_t)a->total, (size_t)a->size, &numbers) || !gei_add(numbers, (size_t)a->v_size, &numbers) ||
        !gei_mul(numbers, sizeof(double), &bytes))
        return gei_out_of_memory(diag, SIZE_MAX);
    s->part_scratch_bytes = bytes;
    return GE_OK;
}

static gei_dot_fn dot_for(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_dot_f64;
    case GEI_FLOAT16: return gei_dot_f16;
    case GEI_BFLOAT16: return gei_dot_bf16;
    default: return gei_dot_f32;
    }
}

static gei_axpy_fn axpy_for(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_axpy_f64;
    case GEI_FLOAT16: return gei_axpy_f16;
    case GEI_BFLOAT16: return gei_axpy_bf16;
    default: return gei_axpy_f32;
    }
}

typedef struct place { /* of a query row */
    int64_t batch, head, kv_head, row;
} place;

static int64_t offset_of(const gei_run *run, const attention *a, int64_t batch) {
    const gei_view *nonpad = run->n_in > SLOT_NONPAD ? run->in[SLOT_NONPAD] : NULL;
    return nonpad ? gei_view_i64(nonpad, batch) - a->rows : a->past;
}

/* Elements of key or value row j: from the past or from what came now. */
static const void *row_of(const gei_run *run, const attention *a, uint32_t slot, const place *p, int64_t j, int64_t *at) {
    bool key = slot == SLOT_K;
    const strides *s = key ? &a->k : &a->v;
    int64_t size = key ? a->size : a->v_size;
    if (j < a->past) {
        *at = ((p->batch * a->kv_heads + p->kv_head) * a->past + j) * size;
        return run->in[key ? SLOT_PAST_K : SLOT_PAST_V]->data;
    }
    *at = p->batch * s->batch + p->kv_head * s->head + (j - a->past) * s->row;
    return run->in[slot]->data;
}

/* What is added to the score of key j; -inf: not seen. */
static double bias_of(const gei_run *run, const attention *a, const place *p, int64_t offset, int64_t j) {
    const gei_view *mask = run->n_in > SLOT_MASK ? run->in[SLOT_MASK] : NULL;
    int64_t at = offset + p->row;
    if ((a->causal && j > at) || (a->left >= 0 && j < at - a->left) || (a->right >= 0 && j > at + a->right)) return -INFINITY;
    if (run->n_in > SLOT_NONPAD && run->in[SLOT_NONPAD] && j >= offset + a->rows) return -INFINITY;
    if (!mask) return 0;
    if (j >= a->mask_keys) return -INFINITY;
    int64_t k = p->batch * a->mask[0] + p->head * a->mask[1] + p->row * a->mask[2] + j * a->mask[3];
    double value = gei_view_f64(mask, k);
    return mask->dtype != GEI_BOOL ? value : value != 0 ? 0 : -INFINITY;
}

/* In place; a row of which nothing is seen becomes zeros. */
static void softmax(double *x, int64_t n, bool sees_any) {
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < n; k++) most = x[k] > most ? x[k] : most;
    for (int64_t k = 0; k < n; k++) sum += x[k] = sees_any && most != -INFINITY ? exp(x[k] - most) : 0;
    for (int64_t k = 0; k < n && sum != 0; k++) x[k] /= sum;
}

static void scores_of(const gei_run *run, const attention *a, const place *p, const double *q, double *scores, int64_t qk_at) {
    const gei_view *qk = run->out[OUT_QK];
    gei_dot_fn dot = dot_for(run->in[SLOT_K]->dtype);
    int64_t offset = offset_of(run, a, p->batch);
    bool sees_any = false;
    for (int64_t j = 0; j < a->total; j++) {
        double bias = bias_of(run, a, p, offset, j);
        int64_t at;
        sees_any |= bias != -INFINITY;
        scores[j] = bias;
        if (bias == -INFINITY && (a->mode == QK_NONE || a->mode == QK_SOFTMAX)) continue;
        const void *key = row_of(run, a, SLOT_K, p, j, &at);
        double score = dot(q, key, at, a->size);
        if (a->mode == QK_RAW) gei_store_f64(qk->dtype, &score, qk->data, qk_at + j, 1);
        if (a->softcap > 0) score = a->softcap * tanh(score / a->softcap);
        if (a->mode == QK_CAPPED) gei_store_f64(qk->dtype, &score, qk->data, qk_at + j, 1);
        scores[j] += score;
    }
    if (a->mode == QK_BIASED) gei_store_f64(qk->dtype, scores, qk->data, qk_at, a->total);
    softmax(scores, a->total, sees_any);
    if (a->mode == QK_SOFTMAX) gei_store_f64(qk->dtype, scores, qk->data, qk_at, a->total);
}

static void run_row(const gei_run *run, const attention *a, int64_t index, double *scratch) {
    int64_t head = index / a->rows;
    place p = { head / a->heads, head % a->heads, 0, index % a->rows };
    double *scores = scratch, *q = scores + a->total, *sum = q + a->size;
    gei_axpy_fn axpy = axpy_for(run->in[SLOT_V]->dtype);
    p.kv_head = p.head / (a->heads / a->kv_heads);
    gei_load_f64(run->in[SLOT_Q]->dtype, run->in[SLOT_Q]->data, p.batch * a->q.batch + p.head * a->q.head + p.row * a->q.row, a->size, q);
    for (int64_t k = 0; k < a->size; k++) q[k] *= a->scale;
    scores_of(run, a, &p, q, scores, index * a->total);
    for (int64_t k = 0; k < a->v_size; k++) sum[k] = 0;
    for (int64_t j = 0; j < a->total; j++) {
        int64_t at;
        if (scores[j] == 0) continue;
        const void *value = row_of(run, a, SLOT_V, &p, j, &at);
        axpy(scores[j], value, at, a->v_size, sum);
    }
    gei_store_f64(run->out[OUT_Y]->dtype, sum, run->out[OUT_Y]->data, p.batch * a->y.batch + p.head * a->y.head + p.row * a->y.row, a->v_size);
}

/* Rows [begin, end) of past and present keys or values as [batch, heads, total, size]. */
static void copy_present(const gei_run *run, const attention *a, uint32_t slot, uint32_t part) {
    gei_view *to = run->out[slot == SLOT_K ? OUT_K : OUT_V];
    int64_t size = slot == SLOT_K ? a->size : a->v_size, begin, end, at;
    size_t elem_bytes = gei_dtype_get(to->dtype)->bits / 8;
    gei_part_range(a->batch * a->kv_heads * a->total, run->n_parts, part, &begin, &end);
    for (int64_t r = begin; r < end && size > 0; r++) {
        int64_t head = r / a->total;
        place p = { head / a->kv_heads, 0, head % a->kv_heads, 0 };
        const void *from = row_of(run, a, slot, &p, r % a->total, &at);
        memcpy((char *)to->data + (size_t)(r * size) * elem_bytes, (const char *)from + (size_t)at * elem_bytes, (size_t)size * elem_bytes);
    }
}

static ge_status run_attention(const gei_run *run, uint32_t part) {
    const attention *a = run->sized;
    const gei_view *nonpad = run->n_in > SLOT_NONPAD ? run->in[SLOT_NONPAD] : NULL;
    int64_t begin, end;
    for (int64_t b = 0; nonpad && b < nonpad->n_elems; b++) {
        int64_t n = gei_view_i64(nonpad, b);
        if (n < 0 || n > a->total)
            return gei_run_fail(run, part, "nonpad_kv_seqlen", "%lld is not within 0 and %lld", (long long)n, (long long)a->total);
    }
    gei_part_range(a->batch * a->heads * a->rows, run->n_parts, part, &begin, &end);
    for (int64_t r = begin; r < end; r++) run_row(run, a, r, (double *)run->scratch);
    if (!gei_node_bool(run->node, "presents", false)) return GE_OK;
    copy_present(run, a, SLOT_K, part);
    copy_present(run, a, SLOT_V, part);
    return GE_OK;
}

static const gei_kernel attention_kernels[] = { { .name = "ref", .size = size_attention, .run = run_attention }, { 0 } };

/* ---- ONNX ---- */

/* softmax_precision is not kept: sums are in double, which is at least what it asks for. */
static ge_status map_attention(gei_import *im, gei_diag *diag) {
    const char *const ints[] = { "q_num_heads", "kv_num_heads", "left_window_size", "right_window_size" };
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GeAttention", im->inputs, im->n_inputs, &node, diag));
    for (size_t k = 0; k < GEI_COUNT(ints); k++)
        if (gei_import_has_attr(im, ints[k])) GEI_TRY(gei_import_set_int(node, ints[k], gei_import_int(im, ints[k], 0), diag));
    if (gei_import_has_attr(im, "scale")) GEI_TRY(gei_import_set_float(node, "scale", gei_import_float(im, "scale", 1), diag));
    GEI_TRY(gei_import_set_float(node, "softcap", gei_import_float(im, "softcap", 0), diag));
    GEI_TRY(gei_import_set_bool(node, "is_causal", gei_import_int(im, "is_causal", 0) != 0, diag));
    GEI_TRY(gei_import_set_bool(node, "mask_pads", im->opset >= 24, diag));
    bool names[4] = { false };
    for (uint32_t k = 0; im->output_names && k < 4 && k < im->n_outputs; k++) names[k] = im->output_names[k] && im->output_names[k][0];
    GEI_TRY(gei_import_set_bool(node, "presents", names[OUT_K] || names[OUT_V], diag));
    if (names[OUT_QK]) {
        int64_t mode = gei_import_int(im, "qk_matmul_output_mode", QK_RAW);
        if (mode < QK_RAW || mode > QK_SOFTMAX)
            return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute qk_matmul_output_mode: %lld is not within 0 and 3", (long long)mode);
        GEI_TRY(gei_import_set_int(node, "qk_matmul_output_mode", mode, diag));
    }
    for (uint32_t k = 0; k < 4 && k < im->n_outputs; k++) gei_import_set_output(im, k, gei_value_of(node, k));
    return GE_OK;
}

static const gei_source attention_sources[] = { { GEI_FROM_ONNX, "Attention", 23, map_attention, NULL }, { 0 } };

GEI_OP(GeAttention) = { .name = "GeAttention", .infer = infer_attention, .kernels = attention_kernels, .sources = attention_sources,
                        .traits = GEI_OP_PURE };
