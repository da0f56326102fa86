/* SPDX-License-Identifier: Apache-2.0 */
/* GeRNN (ours), CommonGRU, CommonLSTM: one layer over a sequence, forward, reverse or both, as ONNX RNN, GRU and LSTM.
 *   x [steps, batch, input], y [steps, directions, batch, hidden], states [directions, batch, hidden];
 *   with layout 1 (ours) batch comes first: [batch, steps, input], [batch, steps, directions, hidden], [batch, directions, hidden].
 *   w [directions, gates * hidden, input], r [directions, gates * hidden, hidden], b [directions, 2 * gates * hidden]: of w, then of r.
 *   Steps from sequence_lens on give zeros; a reverse direction begins at the last step of each sequence.
 * clip bounds what goes into every activation. */
#include <math.h>
#include <string.h>

#include "kernels/dots.h"
#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"
#include "ops/rnn/activation.h"

enum { SLOT_X, SLOT_W, SLOT_R, SLOT_B, SLOT_LENS, SLOT_H, SLOT_C, SLOT_P };

typedef struct network network;
typedef struct state state;

typedef struct cell {
    int64_t gates;
    size_t n_activations;
    const char *activations[3];
    void (*step)(const network *n, const state *s);
} cell;

typedef struct place { /* strides in elements */
    int64_t step, direction, batch;
} place;

struct network { /* sized */
    const cell *cell;
    int64_t steps, batch, input, hidden, directions, gates; /* gates: rows of w, gates * hidden */
    place x, y, h;
    gei_activation activations[2][3];
    double clip; /* infinity: none */
    bool reverse[2], couples, linear_before_reset;
    gei_dot_fn dot;
};

struct state { /* of one batch entry in one direction: scratch */
    double *x, *h, *c, *old;            /* old: hidden numbers for a step's use */
    double *sums, *bias_w, *bias_r, *p; /* gates each, p 3 * hidden */
    const void *r;
    int64_t r_at, direction;
};

/* ---- cells ---- */

static double activate(const network *n, const state *s, int which, double x) {
    const gei_activation *f = &n->activations[s->direction][which];
    x = x < -n->clip ? -n->clip : x > n->clip ? n->clip : x;
    return f->of(x, f->alpha, f->beta);
}

/* Row k of r times `h`. */
static double recurrent(const network *n, const state *s, int64_t k, const double *h) {
    return n->dot(h, s->r, s->r_at + k * n->hidden, n->hidden);
}

/* H = f(w x + r H + b) */
static void step_rnn(const network *n, const state *s) {
    memcpy(s->old, s->h, (size_t)n->hidden * sizeof *s->h);
    for (int64_t k = 0; k < n->hidden; k++) s->h[k] = activate(n, s, 0, s->sums[k] + recurrent(n, s, k, s->old) + s->bias_r[k]);
}

/* Gates z, r, h.   H = (1 - z) h + z H,   h = g(w x + r (R H + b))  or  g(w x + R (r H) + b) */
static void step_gru(const network *n, const state *s) {
    int64_t hidden = n->hidden;
    double *z = s->sums, *r = z + hidden, *h = r + hidden;
    for (int64_t k = 0; k < 2 * hidden; k++) z[k] = activate(n, s, 0, z[k] + recurrent(n, s, k, s->h) + s->bias_r[k]);
    for (int64_t k = 0; k < hidden; k++) s->old[k] = n->linear_before_reset ? s->h[k] : r[k] * s->h[k];
    for (int64_t k = 0; k < hidden; k++) {
        double from_state = recurrent(n, s, 2 * hidden + k, s->old) + s->bias_r[2 * hidden + k];
        h[k] = activate(n, s, 1, h[k] + (n->linear_before_reset ? r[k] * from_state : from_state));
    }
    for (int64_t k = 0; k < hidden; k++) s->h[k] = (1 - z[k]) * h[k] + z[k] * s->h[k];
}

/* Gates i, o, f, c.   C = f C + i c,   H = o h(C) */
static void step_lstm(const network *n, const state *s) {
    int64_t hidden = n->hidden;
    double *g = s->sums;
    for (int64_t k = 0; k < 4 * hidden; k++) g[k] += recurrent(n, s, k, s->h) + s->bias_r[k];
    for (int64_t k = 0; k < hidden; k++) {
        double i = activate(n, s, 0, g[k] + s->p[k] * s->c[k]);
        double f = n->couples ? 1 - i : activate(n, s, 0, g[2 * hidden + k] + s->p[2 * hidden + k] * s->c[k]);
        s->c[k] = f * s->c[k] + i * activate(n, s, 1, g[3 * hidden + k]);
        s->h[k] = activate(n, s, 0, g[hidden + k] + s->p[hidden + k] * s->c[k]) * activate(n, s, 2, s->c[k]);
    }
}

static const cell rnn = { 1, 1, { "Tanh", NULL, NULL }, step_rnn };
static const cell gru = { 3, 2, { "Sigmoid", "Tanh", NULL }, step_gru };
static const cell lstm = { 4, 3, { "Sigmoid", "Tanh", "Tanh" }, step_lstm };

/* ---- rule ---- */

static ge_status read_direction(const gei_node *node, bool *reverse, int64_t *out_directions, gei_diag *diag) {
    const char *text = gei_node_text(node, "direction", "forward");
    bool both = strcmp(text, "bidirectional") == 0;
    reverse[0] = strcmp(text, "reverse") == 0;
    reverse[1] = true;
    *out_directions = both ? 2 : 1;
    if (both || reverse[0] || strcmp(text, "forward") == 0) return GE_OK;
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "direction", "'%s' is neither forward, reverse nor bidirectional", text);
}

static ge_status check_dtypes(const gei_infer *i) {
    for (uint32_t slot = 0; slot < i->n_in; slot++) {
        const gei_info *in = slot == SLOT_LENS ? NULL : gei_infer_in(i, slot);
        if (!in) continue;
        GEI_TRY(gei_check_float(i, slot));
        if (in->dtype != i->in[SLOT_X]->dtype && in->dtype != GEI_UNDEFINED && i->in[SLOT_X]->dtype != GEI_UNDEFINED)
            return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, slot), "data type %s, wanted %s", gei_dtype_name(in->dtype),
                                  gei_dtype_name(i->in[SLOT_X]->dtype));
    }
    return GE_OK;
}

static ge_status check_weights(const gei_infer *i, const cell *c, int64_t directions, gei_dim hidden) {
    gei_dim gates = gei_dim_times(c->gates, hidden);
    GEI_TRY(gei_infer_rank(i, SLOT_W, 3, 3));
    GEI_TRY(gei_infer_rank(i, SLOT_R, 3, 3));
    GEI_TRY(gei_infer_rank(i, SLOT_B, 2, 2));
    for (uint32_t slot = SLOT_W; slot <= SLOT_B; slot++) {
        GEI_TRY(gei_check_dim(i, slot, 0, directions, "count of directions"));
        GEI_TRY(gei_check_dim(i, slot, 1, slot == SLOT_B ? gei_dim_times(2, gates) : gates, "size of all gates"));
    }
    GEI_TRY(gei_check_dim(i, SLOT_W, 2, gei_check_dim_of(i, SLOT_X, 2), "input size"));
    GEI_TRY(gei_check_dim(i, SLOT_R, 2, hidden, "hidden size"));
    if (c != &lstm) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_P, 2, 2));
    GEI_TRY(gei_check_dim(i, SLOT_P, 0, directions, "count of directions"));
    return gei_check_dim(i, SLOT_P, 1, gei_dim_times(3, hidden), "size of three gates");
}

static ge_status check_states(const gei_infer *i, const cell *c, bool batch_first, int64_t directions, gei_dim batch, gei_dim hidden) {
    GEI_TRY(gei_infer_rank(i, SLOT_LENS, 1, 1));
    GEI_TRY(gei_check_dim(i, SLOT_LENS, 0, batch, "batch of x"));
    for (uint32_t slot = SLOT_H; slot <= (c == &lstm ? SLOT_C : SLOT_H); slot++) {
        GEI_TRY(gei_infer_rank(i, slot, 3, 3));
        GEI_TRY(gei_check_dim(i, slot, batch_first ? 1 : 0, directions, "count of directions"));
        GEI_TRY(gei_check_dim(i, slot, batch_first ? 0 : 1, batch, "batch of x"));
        GEI_TRY(gei_check_dim(i, slot, 2, hidden, "hidden size"));
    }
    return GE_OK;
}

static ge_status infer_recurrent(gei_infer *i, const cell *c) {
    int64_t directions, hidden, layout;
    bool reverse[2];
    gei_activation activations[6];
    GEI_TRY(check_dtypes(i));
    GEI_TRY(read_direction(i->node, reverse, &directions, i->diag));
    GEI_TRY(gei_check_int(i, "layout", 0, 0, 1, &layout));
    GEI_TRY(gei_check_int(i, "hidden_size", 0, 0, INT32_MAX, &hidden));
    GEI_TRY(gei_read_activations(i->node, c->activations, c->n_activations, c->n_activations * (size_t)directions, activations, i->diag));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, 3));
    if (hidden == 0) hidden = gei_check_dim_of(i, SLOT_R, 2);
    gei_dim steps = gei_check_dim_of(i, SLOT_X, layout == 1 ? 1 : 0), batch = gei_check_dim_of(i, SLOT_X, layout == 1 ? 0 : 1);
    GEI_TRY(check_weights(i, c, directions, hidden));
    GEI_TRY(check_states(i, c, layout == 1, directions, batch, hidden));
    for (uint32_t o = 0; o < i->n_out; o++) {
        i->out[o].dtype = i->in[SLOT_X]->dtype;
        i->out[o].shape = layout == 1 ? gei_shape_of(3, (gei_dim[]){ batch, directions, hidden }) : gei_shape_of(3, (gei_dim[]){ directions, batch, hidden });
    }
    i->out[0].shape = layout == 1 ? gei_shape_of(4, (gei_dim[]){ batch, steps, directions, hidden })
                                  : gei_shape_of(4, (gei_dim[]){ steps, directions, batch, hidden });
    return GE_OK;
}

/* ---- reference kernel ---- */

static gei_dot_fn dot_for(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_dot_f64;
    case GEI_FLOAT16: return gei_dot_f16;
    case GEI_BFLOAT16: return gei_dot_bf16;
    default: return gei_dot_f32;
    }
}

static void fill_places(network *n, bool batch_first) {
    int64_t d = n->directions, b = n->batch, h = n->hidden;
    n->x = batch_first ? (place){ n->input, 0, n->steps * n->input } : (place){ b * n->input, 0, n->input };
    n->y = batch_first ? (place){ d * h, h, n->steps * d * h } : (place){ d * b * h, b * h, h };
    n->h = batch_first ? (place){ 0, h, d * h } : (place){ 0, b * h, h };
}

/* Numbers of scratch in the order of struct state. */
static bool scratch_numbers(const network *n, size_t *out_bytes) {
    size_t hidden, numbers;
    return gei_mul((size_t)n->hidden, (size_t)(3 + 3 * n->cell->gates + 3), &hidden) && gei_add(hidden, (size_t)n->input, &numbers) &&
           gei_mul(numbers, sizeof(double), out_bytes);
}

static ge_status size_recurrent(gei_sizing *s, const cell *c, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *r = &s->in[SLOT_R]->shape;
    bool batch_first = gei_node_int(s->node, "layout", 0) == 1;
    network *n = gei_arena_new(s->arena, network);
    gei_activation activations[6];
    if (!n) return gei_out_of_memory(diag, sizeof *n);
    *n = (network){ .cell = c, .steps = x->dims[batch_first ? 1 : 0], .batch = x->dims[batch_first ? 0 : 1], .input = x->dims[2], .hidden = r->dims[2] };
    n->gates = c->gates * n->hidden;
    GEI_TRY(read_direction(s->node, n->reverse, &n->directions, diag));
    GEI_TRY(gei_read_activations(s->node, c->activations, c->n_activations, c->n_activations * (size_t)n->directions, activations, diag));
    for (int64_t d = 0; d < n->directions; d++)
        for (size_t k = 0; k < c->n_activations; k++) n->activations[d][k] = activations[(size_t)d * c->n_activations + k];
    double clip = gei_node_float(s->node, "clip", -1);
    n->clip = clip > 0 ? clip : INFINITY;
    n->couples = gei_node_int(s->node, "input_forget", 0) != 0;
    n->linear_before_reset = gei_node_int(s->node, "linear_before_reset", 0) != 0;
    n->dot = dot_for(s->in[SLOT_X]->dtype);
    fill_places(n, batch_first);
    s->sized = n;
    if (!scratch_numbers(n, &s->part_scratch_bytes)) return gei_out_of_memory(diag, SIZE_MAX);
    double each = 2 * (double)n->steps * (double)n->gates * (double)(n->input + n->hidden);
    s->n_parts = gei_parts(n->directions * n->batch, each < 65536 ? (int64_t)(65536 / (each + 1)) + 1 : 1);
    s->cost = each * (double)(n->directions * n->batch);
    return GE_OK;
}

static double *take(double **from, int64_t n) {
    double *p = *from;
    *from += n;
    return p;
}

/* Elements [at, at + n) of an input, zeros when it is absent. */
static void load(const gei_run *run, uint32_t slot, int64_t at, int64_t n, double *to) {
    const gei_view *v = slot < run->n_in ? run->in[slot] : NULL;
    if (v) gei_load_f64(v->dtype, v->data, at, n, to);
    else
        for (int64_t k = 0; k < n; k++) to[k] = 0;
}

static void prepare(const gei_run *run, const network *n, int64_t direction, int64_t batch, double *scratch, state *s) {
    bool is_lstm = n->cell == &lstm;
    int64_t at = direction * n->h.direction + batch * n->h.batch;
    s->x = take(&scratch, n->input);
    s->h = take(&scratch, n->hidden);
    s->c = take(&scratch, n->hidden);
    s->old = take(&scratch, n->hidden);
    s->sums = take(&scratch, n->gates);
    s->bias_w = take(&scratch, n->gates);
    s->bias_r = take(&scratch, n->gates);
    s->p = take(&scratch, 3 * n->hidden);
    s->direction = direction;
    s->r = run->in[SLOT_R]->data;
    s->r_at = direction * n->gates * n->hidden;
    load(run, SLOT_H, at, n->hidden, s->h);
    load(run, SLOT_B, direction * 2 * n->gates, n->gates, s->bias_w);
    load(run, SLOT_B, direction * 2 * n->gates + n->gates, n->gates, s->bias_r);
    if (is_lstm) load(run, SLOT_C, at, n->hidden, s->c);
    if (is_lstm) load(run, SLOT_P, direction * 3 * n->hidden, 3 * n->hidden, s->p);
}

static void run_sequence(const gei_run *run, const network *n, int64_t direction, int64_t batch, double *scratch) {
    const gei_view *x = run->in[SLOT_X], *lens = run->n_in > SLOT_LENS ? run->in[SLOT_LENS] : NULL;
    int64_t count = lens ? gei_view_i64(lens, batch) : n->steps, w_at = direction * n->gates * n->input;
    gei_view *y = run->out[0];
    state s;
    prepare(run, n, direction, batch, scratch, &s);
    for (int64_t t = 0; t < count; t++) {
        int64_t step = n->reverse[direction] ? count - 1 - t : t;
        gei_load_f64(x->dtype, x->data, step * n->x.step + batch * n->x.batch, n->input, s.x);
        for (int64_t k = 0; k < n->gates; k++) s.sums[k] = s.bias_w[k] + n->dot(s.x, run->in[SLOT_W]->data, w_at + k * n->input, n->input);
        n->cell->step(n, &s);
        gei_store_f64(y->dtype, s.h, y->data, step * n->y.step + direction * n->y.direction + batch * n->y.batch, n->hidden);
    }
    int64_t at = direction * n->h.direction + batch * n->h.batch;
    gei_store_f64(y->dtype, s.h, run->out[1]->data, at, n->hidden);
    if (run->n_out > 2) gei_store_f64(y->dtype, s.c, run->out[2]->data, at, n->hidden);
    for (int64_t k = 0; k < n->hidden; k++) s.old[k] = 0;
    for (int64_t step = count; step < n->steps; step++)
        gei_store_f64(y->dtype, s.old, y->data, step * n->y.step + direction * n->y.direction + batch * n->y.batch, n->hidden);
}

static ge_status run_recurrent(const gei_run *run, uint32_t part) {
    const network *n = run->sized;
    const gei_view *lens = run->n_in > SLOT_LENS ? run->in[SLOT_LENS] : NULL;
    int64_t begin, end;
    for (int64_t b = 0; lens && b < n->batch; b++) {
        int64_t count = gei_view_i64(lens, b);
        if (count < 0 || count > n->steps)
            return gei_run_fail(run, part, "sequence_lens", "%lld is not within 0 and the %lld steps of x", (long long)count, (long long)n->steps);
    }
    gei_part_range(n->directions * n->batch, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++)
        run_sequence(run, n, k / n->batch, k % n->batch, (double *)run->scratch);
    return GE_OK;
}

/* ---- ONNX ---- */

static ge_status map_recurrent(gei_import *im, gei_diag *diag) {
    const char *const same[] = { "activation_alpha", "activation_beta", "activations", "clip", "direction", "layout", "linear_before_reset", "input_forget" };
    gei_value r = gei_import_input(im, SLOT_R);
    gei_node *node;
    GEI_TRY(gei_import_node(im, im->op->name, im->inputs, im->n_inputs, &node, diag));
    for (size_t k = 0; k < GEI_COUNT(same); k++) {
        const gei_attr *attr = gei_import_attr(im, same[k]);
        if (attr && gei_def_attr(node->def, same[k])) GEI_TRY(gei_node_set(node, same[k], attr, diag));
    }
    bool tells = r.node && gei_value_out(r)->rank == 3 && gei_dim_known(gei_value_out(r)->dims[2]);
    GEI_TRY(gei_import_set_int(node, "hidden_size", gei_import_int(im, "hidden_size", tells ? gei_value_out(r)->dims[2] : 0), diag));
    for (uint32_t k = 0; k < im->n_outputs && k < node->n_outs; k++) gei_import_set_output(im, k, gei_value_of(node, k));
    return GE_OK;
}

#define RECURRENT(cell, type)                                                                                \
    static ge_status infer_##cell(gei_infer *i) { return infer_recurrent(i, &cell); }                        \
    static ge_status size_##cell(gei_sizing *s, gei_diag *diag) { return size_recurrent(s, &cell, diag); }   \
    static const gei_kernel cell##_kernels[] = { { .name = "ref", .size = size_##cell, .run = run_recurrent }, { 0 } }; \
    static const gei_source cell##_sources[] = { { GEI_FROM_ONNX, type, 7, map_recurrent, NULL }, { 0 } };

RECURRENT(rnn, "RNN")
RECURRENT(gru, "GRU")
RECURRENT(lstm, "LSTM")

GEI_OP(GeRNN) = { .name = "GeRNN", .infer = infer_rnn, .kernels = rnn_kernels, .sources = rnn_sources, .traits = GEI_OP_PURE };
GEI_OP(CommonGRU) = { .name = "CommonGRU", .infer = infer_gru, .kernels = gru_kernels, .sources = gru_sources, .traits = GEI_OP_PURE };
GEI_OP(CommonLSTM) = { .name = "CommonLSTM", .infer = infer_lstm, .kernels = lstm_kernels, .sources = lstm_sources, .traits = GEI_OP_PURE };

GEI_WIDEN(CommonGRU, "x w r b initial_h y y_h", "float");
GEI_WIDEN(CommonLSTM, "x w r b initial_h initial_c p y y_h y_c", "float");
