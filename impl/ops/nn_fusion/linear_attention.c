/* SPDX-License-Identifier: Apache-2.0 */
/* GeLinearAttention (ours, ONNX LinearAttention): attention through a state S of [key size, value size] for each key head,
 *   linear       S += k v                       gated        S = exp(decay) S + k v
 *   delta        S += beta k (v - S k)          gated_delta  S = exp(decay) S, then as delta
 *   y = scale q S, several query heads reading one state; scale 0: 1 / sqrt(key size).
 * query, key, value are [batch, steps, heads * size]; decay [batch, steps, kv heads or kv heads * key size]; beta [batch, steps, kv heads or 1]. */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"

enum { SLOT_Q, SLOT_K, SLOT_V, SLOT_STATE, SLOT_DECAY, SLOT_BETA };
enum { OUT_Y, OUT_STATE };

typedef struct rule {
    bool gated, delta;
} rule;

typedef struct linear { /* sized */
    int64_t batch, steps, heads, kv_heads, size, v_size, decays, betas; /* decays: last dim of decay */
    double scale;
    rule rule;
} linear;

static ge_status read_rule(const gei_node *node, rule *out, gei_diag *diag) {
    const char *text = gei_node_text(node, "update_rule", "gated_delta");
    *out = (rule){ strcmp(text, "gated") == 0 || strcmp(text, "gated_delta") == 0, strcmp(text, "delta") == 0 || strcmp(text, "gated_delta") == 0 };
    if (out->gated || out->delta || strcmp(text, "linear") == 0) return GE_OK;
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "update_rule", "'%s' is neither linear, gated, delta nor gated_delta", text);
}

static ge_status wanted(const gei_infer *i, uint32_t slot, bool wants, const char *name) {
    bool has = gei_infer_in(i, slot);
    if (has == wants) return GE_OK;
    return gei_infer_fail(i, GE_ERR_BAD_GRAPH, name, "%s with update_rule %s", wants ? "is missing" : "cannot be", gei_node_text(i->node, "update_rule", ""));
}

static ge_status cut(const gei_infer *i, uint32_t slot, int64_t heads, gei_dim *out_size) {
    gei_dim all = gei_check_dim_of(i, slot, 2);
    *out_size = gei_dim_known(all) ? all / heads : GEI_DIM_UNKNOWN;
    if (!gei_dim_known(all) || all % heads == 0) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%lld columns cannot be cut into %lld heads", (long long)all, (long long)heads);
}

/* Last dim of decay or beta is `a` or `b`. */
static ge_status either(const gei_infer *i, uint32_t slot, gei_dim a, gei_dim b) {
    gei_dim have = gei_check_dim_of(i, slot, 2);
    if (!gei_dim_known(have) || !gei_dim_known(a) || !gei_dim_known(b) || have == a || have == b) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%lld columns, wanted %lld or %lld", (long long)have, (long long)a, (long long)b);
}

static ge_status check_linear(const gei_infer *i, linear *out) {
    int64_t heads, kv_heads;
    gei_dim key_size;
    *out = (linear){ 0 };
    GEI_TRY(read_rule(i->node, &out->rule, i->diag));
    GEI_TRY(gei_check_int(i, "q_num_heads", 0, 1, INT32_MAX, &heads));
    GEI_TRY(gei_check_int(i, "kv_num_heads", 0, 1, INT32_MAX, &kv_heads));
    if (heads % kv_heads != 0)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "q_num_heads", "%lld heads cannot share %lld key heads", (long long)heads, (long long)kv_heads);
    out->heads = heads;
    out->kv_heads = kv_heads;
    out->batch = gei_check_dim_of(i, SLOT_Q, 0);
    out->steps = gei_check_dim_of(i, SLOT_Q, 1);
    GEI_TRY(cut(i, SLOT_Q, heads, &out->size));
    GEI_TRY(cut(i, SLOT_K, kv_heads, &key_size));
    GEI_TRY(cut(i, SLOT_V, kv_heads, &out->v_size));
    if (!gei_dim_known(out->size)) out->size = key_size;
    return gei_check_dim(i, SLOT_K, 2, gei_dim_times(out->size, kv_heads), "size of all key heads");
}

static ge_status infer_linear(gei_infer *i) {
    linear l;
    for (uint32_t slot = 0; slot < i->n_in; slot++) {
        if (!gei_infer_in(i, slot)) continue;
        GEI_TRY(gei_check_float(i, slot));
        GEI_TRY(gei_infer_rank(i, slot, slot == SLOT_STATE ? 4 : 3, slot == SLOT_STATE ? 4 : 3));
    }
    GEI_TRY(gei_infer_same_dtype(i, SLOT_Q, 3, &i->out[OUT_Y].dtype));
    GEI_TRY(check_linear(i, &l));
    GEI_TRY(wanted(i, SLOT_DECAY, l.rule.gated, "decay"));
    GEI_TRY(wanted(i, SLOT_BETA, l.rule.delta, "beta"));
    for (uint32_t slot = SLOT_K; slot <= SLOT_BETA; slot++) {
        GEI_TRY(gei_check_dim(i, slot, 0, l.batch, "batch of query"));
        if (slot != SLOT_STATE) GEI_TRY(gei_check_dim(i, slot, 1, l.steps, "count of steps of query"));
    }
    GEI_TRY(gei_check_dim(i, SLOT_STATE, 1, l.kv_heads, "count of key heads"));
    GEI_TRY(gei_check_dim(i, SLOT_STATE, 2, l.size, "size of a key"));
    GEI_TRY(gei_check_dim(i, SLOT_STATE, 3, l.v_size, "size of a value"));
    GEI_TRY(either(i, SLOT_DECAY, l.kv_heads, gei_dim_times(l.kv_heads, l.size)));
    GEI_TRY(either(i, SLOT_BETA, l.kv_heads, 1));
    i->out[OUT_Y].shape = gei_shape_of(3, (gei_dim[]){ l.batch, l.steps, gei_dim_times(l.heads, l.v_size) });
    i->out[OUT_STATE].dtype = gei_infer_in(i, SLOT_STATE) ? i->in[SLOT_STATE]->dtype : i->out[OUT_Y].dtype;
    i->out[OUT_STATE].shape = gei_shape_of(4, (gei_dim[]){ l.batch, l.kv_heads, l.size, l.v_size });
    return GE_OK;
}

/* ---- reference kernel ---- */

static ge_status size_linear(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    linear *l = gei_arena_new(s->arena, linear);
    size_t state, more;
    if (!l) return gei_out_of_memory(diag, sizeof *l);
    GEI_TRY(check_linear(&i, l));
    l->decays = l->rule.gated ? s->in[SLOT_DECAY]->shape.dims[2] : 0;
    l->betas = l->rule.delta ? s->in[SLOT_BETA]->shape.dims[2] : 0;
    l->scale = gei_node_float(s->node, "scale", 0);
    if (l->scale == 0) l->scale = 1 / sqrt((double)l->size);
    s->sized = l;
    s->n_parts = gei_parts(l->batch * l->kv_heads, 1);
    s->cost = 6 * (double)l->batch * (double)l->heads * (double)l->steps * (double)l->size * (double)l->v_size;
    if (!gei_mul((size_t)l->size, (size_t)l->v_size, &state) || !gei_add(state, (size_t)l->size, &more) || !gei_add(more, 2 * (size_t)l->v_size, &more) ||
        !gei_mul(more, sizeof(double), &s->part_scratch_bytes))
        return gei_out_of_memory(diag, SIZE_MAX);
    return GE_OK;
}

static void load(const gei_view *v, int64_t at, int64_t n, double *to) { gei_load_f64(v->dtype, v->data, at, n, to); }

static void decay_state(const gei_run *run, const linear *l, int64_t row, int64_t head, double *state) {
    const gei_view *decay = run->in[SLOT_DECAY];
    bool each = l->decays == l->kv_heads * l->size && l->decays != l->kv_heads;
    for (int64_t k = 0; k < l->size; k++) {
        double factor = exp(gei_view_f64(decay, row * l->decays + (each ? head * l->size + k : head)));
        for (int64_t j = 0; j < l->v_size; j++) state[k * l->v_size + j] *= factor;
    }
}

/* v becomes beta * (v - S k) */
static void correct(const gei_run *run, const linear *l, int64_t row, int64_t head, const double *state, const double *k, double *v) {
    double beta = gei_view_f64(run->in[SLOT_BETA], row * l->betas + (l->betas == l->kv_heads ? head : 0));
    for (int64_t j = 0; j < l->v_size; j++) {
        double held = 0;
        for (int64_t d = 0; d < l->size; d++) held += state[d * l->v_size + j] * k[d];
        v[j] = beta * (v[j] - held);
    }
}

static void run_step(const gei_run *run, const linear *l, int64_t row, int64_t head, double *state, double *key, double *v, double *y) {
    int64_t shared = l->heads / l->kv_heads;
    if (l->rule.gated) decay_state(run, l, row, head, state);
    load(run->in[SLOT_K], (row * l->kv_heads + head) * l->size, l->size, key);
    load(run->in[SLOT_V], (row * l->kv_heads + head) * l->v_size, l->v_size, v);
    if (l->rule.delta) correct(run, l, row, head, state, key, v);
    for (int64_t d = 0; d < l->size; d++)
        for (int64_t j = 0; j < l->v_size; j++) state[d * l->v_size + j] += key[d] * v[j];
    for (int64_t h = head * shared; h < (head + 1) * shared; h++) {
        load(run->in[SLOT_Q], (row * l->heads + h) * l->size, l->size, key);
        for (int64_t j = 0; j < l->v_size; j++) y[j] = 0;
        for (int64_t d = 0; d < l->size; d++)
            for (int64_t j = 0; j < l->v_size; j++) y[j] += l->scale * key[d] * state[d * l->v_size + j];
        gei_store_f64(run->out[OUT_Y]->dtype, y, run->out[OUT_Y]->data, (row * l->heads + h) * l->v_size, l->v_size);
    }
}

static ge_status run_linear(const gei_run *run, uint32_t part) {
    const linear *l = run->sized;
    const gei_view *past = run->n_in > SLOT_STATE ? run->in[SLOT_STATE] : NULL;
    int64_t n = l->size * l->v_size, begin, end;
    double *state = (double *)run->scratch, *key = state + n, *v = key + l->size, *y = v + l->v_size;
    gei_part_range(l->batch * l->kv_heads, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t batch = k / l->kv_heads, head = k % l->kv_heads;
        for (int64_t j = 0; j < n; j++) state[j] = 0;
        if (past) load(past, k * n, n, state);
        for (int64_t t = 0; t < l->steps; t++) run_step(run, l, batch * l->steps + t, head, state, key, v, y);
        gei_store_f64(run->out[OUT_STATE]->dtype, state, run->out[OUT_STATE]->data, k * n, n);
    }
    return GE_OK;
}

static const gei_kernel linear_kernels[] = { { .name = "ref", .size = size_linear, .run = run_linear }, { 0 } };
/* chunk_size only says how to compute. */
static const gei_attr_map linear_attrs[] = { { "q_num_heads", "q_num_heads", NULL }, { "kv_num_heads", "kv_num_heads", NULL },
                                             { "scale", "scale", NULL }, { "update_rule", "update_rule", NULL }, { NULL, NULL, NULL } };
static const gei_source linear_sources[] = { { GEI_FROM_ONNX, "LinearAttention", 27, NULL, linear_attrs }, { 0 } };

GEI_OP(GeLinearAttention) = { .name = "GeLinearAttention", .infer = infer_linear, .kernels = linear_kernels, .sources = linear_sources,
                              .traits = GEI_OP_PURE };
