/* SPDX-License-Identifier: Apache-2.0 */
/* Running loops over whole tensors: halves by tiles of float32, two inputs by broadcast runs. */
#include "ops/elementwise.h"

#include <string.h>

#include "ir/half.h"

#define TILE 256      /* elements converted at a time: stays in the first-level cache */
#define GRAIN 16384   /* elements a part should have at least */

gei_lane gei_lane_of(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT32: case GEI_FLOAT16: case GEI_BFLOAT16: return GEI_LANE_F32;
    case GEI_FLOAT64: return GEI_LANE_F64;
    case GEI_INT8: case GEI_QINT8: return GEI_LANE_I8;
    case GEI_INT16: case GEI_QINT16: return GEI_LANE_I16;
    case GEI_INT32: case GEI_QINT32: return GEI_LANE_I32;
    case GEI_INT64: return GEI_LANE_I64;
    case GEI_UINT8: case GEI_QUINT8: return GEI_LANE_U8;
    case GEI_UINT16: case GEI_QUINT16: return GEI_LANE_U16;
    case GEI_UINT32: return GEI_LANE_U32;
    case GEI_UINT64: return GEI_LANE_U64;
    case GEI_BOOL: return GEI_LANE_BOOL;
    case GEI_COMPLEX64: return GEI_LANE_C64;
    case GEI_COMPLEX128: return GEI_LANE_C128;
    default: return GEI_LANE_NONE;
    }
}

static bool is_half(int32_t dtype) { return dtype == GEI_FLOAT16 || dtype == GEI_BFLOAT16; }

static size_t elem_bytes(int32_t dtype) { return gei_dtype_get(dtype)->bits / 8; }

static void *at_elem(const gei_view *v, int64_t index) { return (char *)v->data + (size_t)index * elem_bytes(v->dtype); }

static void halves_to_f32(int32_t dtype, const uint16_t *from, float *to, int64_t n) {
    if (dtype == GEI_FLOAT16)
        for (int64_t k = 0; k < n; k++) to[k] = gei_f16_to_f32(from[k]);
    else
        for (int64_t k = 0; k < n; k++) to[k] = gei_bf16_to_f32(from[k]);
}

static void halves_from_f32(int32_t dtype, const float *from, uint16_t *to, int64_t n) {
    if (dtype == GEI_FLOAT16)
        for (int64_t k = 0; k < n; k++) to[k] = gei_f32_to_f16(from[k]);
    else
        for (int64_t k = 0; k < n; k++) to[k] = gei_f32_to_bf16(from[k]);
}

static ge_status check_dtype(const gei_infer *i, int32_t dtype, bool supported) {
    if (dtype == GEI_UNDEFINED || supported) return GE_OK;
    gei_diag_found(i->diag, "%s", gei_dtype_name(dtype));
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, 0), "data type %s is not supported", gei_dtype_name(dtype));
}

/* ---- wide loops ---- */

const gei_wide *gei_wide_table(uint32_t isa) {
    return isa & GEI_ISA_AVX512 ? gei_wide_avx512 : isa & GEI_ISA_AVX2 ? gei_wide_avx2 : gei_wide_portable;
}

static const gei_wide *wide_of(const gei_choice *c) { return gei_wide_find(gei_wide_table(c->isa), c->node->def->name); }

bool gei_wide_accepts(const gei_choice *c, gei_reason *why) {
    for (uint32_t k = 0; k < c->n_in; k++)
        if (c->in[k] && gei_lane_of(c->in[k]->dtype) != GEI_LANE_F32) return gei_refuse(why, "data type is %s", gei_dtype_name(c->in[k]->dtype));
    return wide_of(c) || gei_refuse(why, "there is no wide loop of this name");
}

ge_status gei_wide_prepare(gei_prepare *p, gei_diag *diag) {
    (void)diag;
    p->prepared = (void *)(uintptr_t)wide_of(p->choice);
    return GE_OK;
}

/* ---- curves ---- */

bool gei_curve_of_node(const gei_node *node, float *params, gei_reason *why) {
    const gei_op *op = gei_op_of(node);
    double p[GEI_MAX_PARAMS] = { 0 };
    if (!op || !op->unary || op->unary->to != GEI_UNDEFINED) return gei_refuse(why, "it is no loop over one input");
    const gei_wide *wide = gei_wide_find(gei_wide_portable, node->def->name);
    if (!wide || !wide->unary || !op->unary->loops[GEI_LANE_F32]) return gei_refuse(why, "it has no wide loop");
    if (op->unary->params) op->unary->params(node, p);
    for (int k = 0; k < GEI_MAX_PARAMS; k++) {
        params[k] = (float)p[k];
        if ((double)params[k] != p[k]) return gei_refuse(why, "its parameters are no float32");
    }
    return true;
}

bool gei_node_curve(const gei_node *node, bool wide, uint32_t isa, gei_curve *out) {
    const gei_attr *name = gei_attrs_find(&node->attrs, GEI_ATTR_CURVE), *params = gei_attrs_find(&node->attrs, GEI_ATTR_CURVE_PARAMS);
    *out = (gei_curve){ 0 };
    if (!name || name->kind != GEI_ATTR_STRING) return false;
    const gei_op *op = gei_op_row(name->v.s.data, name->v.s.size);
    if (!op || !op->unary) return false;
    const gei_wide *loop = wide ? gei_wide_find(gei_wide_table(isa), op->name) : NULL;
    out->loop = loop ? loop->unary : op->unary->loops[GEI_LANE_F32];
    for (uint32_t k = 0; params && params->kind == GEI_ATTR_FLOATS && k < params->count && k < GEI_MAX_PARAMS; k++)
        out->params[k] = (double)params->v.floats[k];
    return out->loop != NULL;
}

/* ---- one input ---- */

ge_status gei_infer_unary(gei_infer *i, const gei_unary *u) {
    gei_lane lane = gei_lane_of(i->in[0]->dtype);
    GEI_TRY(gei_infer_like_x(i));
    if (u->to != GEI_UNDEFINED) i->out[0].dtype = u->to;
    return check_dtype(i, i->in[0]->dtype, lane != GEI_LANE_NONE && u->loops[lane]);
}

ge_status gei_size_unary(gei_sizing *s, gei_diag *diag) {
    int64_t n = 0;
    (void)diag;
    (void)gei_shape_elems(&s->out[0].shape, &n);
    s->n_parts = gei_parts(n, GRAIN);
    s->cost = (double)n;
    return GE_OK;
}

static void run_unary_tiles(const gei_view *x, const gei_view *y, int64_t begin, int64_t end, gei_unary_loop loop, const double *p) {
    float in[TILE], out[TILE];
    for (int64_t at = begin; at < end; at += TILE) {
        int64_t n = end - at < TILE ? end - at : TILE;
        bool back = is_half(y->dtype);
        halves_to_f32(x->dtype, (const uint16_t *)at_elem(x, at), in, n);
        loop(in, back ? (void *)out : at_elem(y, at), n, p);
        if (back) halves_from_f32(y->dtype, out, (uint16_t *)at_elem(y, at), n);
    }
}

ge_status gei_run_unary(const gei_run *run, uint32_t part, const gei_unary *u) {
    const gei_view *x = run->in[0], *y = run->out[0];
    const gei_wide *wide = run->prepared;
    gei_unary_loop loop = wide ? wide->unary : u->loops[gei_lane_of(x->dtype)];
    double p[GEI_MAX_PARAMS] = { 0 };
    int64_t begin, end;
    if (u->params) u->params(run->node, p);
    gei_part_range(y->n_elems, run->n_parts, part, &begin, &end);
    if (begin >= end) return GE_OK;
    if (is_half(x->dtype)) run_unary_tiles(x, y, begin, end, loop, p);
    else loop(at_elem(x, begin), at_elem(y, begin), end - begin, p);
    return GE_OK;
}

/* ---- two inputs ---- */

ge_status gei_infer_binary(gei_infer *i, const gei_binary *b) {
    GEI_TRY(gei_infer_broadcast_all(i));
    int32_t dtype = i->out[0].dtype;
    gei_lane lane = gei_lane_of(dtype);
    if (b->to != GEI_UNDEFINED) i->out[0].dtype = b->to;
    return check_dtype(i, dtype, lane != GEI_LANE_NONE && b->loops[lane]);
}

ge_status gei_size_broadcast(gei_sizing *s, gei_diag *diag) {
    const gei_shape *out = &s->out[0].shape;
    gei_broadcast plan;
    gei_broadcast_plan(&plan, out->rank, out->dims);
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k]) gei_broadcast_add(&plan, out->rank, out->dims, s->in[k]->shape.rank, s->in[k]->shape.dims);
    gei_broadcast_merge(&plan);
    s->sized = gei_arena_copy(s->arena, &plan, gei_broadcast_bytes(&plan), _Alignof(gei_broadcast));
    s->n_parts = gei_parts(plan.n_elems, GRAIN);
    s->cost = (double)plan.n_elems;
    return s->sized ? GE_OK : gei_out_of_memory(diag, gei_broadcast_bytes(&plan));
}

/* A run of halves: each input is widened as far as it moves. */
static void run_binary_tiles(const gei_view *const *in, const gei_broadcast_walk *w, const gei_view *y, gei_binary_loop loop, const double *p) {
    float tiles[2][TILE], out[TILE];
    int64_t step[2] = { gei_broadcast_step(w->plan, 0), gei_broadcast_step(w->plan, 1) };
    bool back = is_half(y->dtype);
    for (int64_t done = 0; done < w->run; done += TILE) {
        int64_t n = w->run - done < TILE ? w->run - done : TILE;
        for (int k = 0; k < 2; k++)
            halves_to_f32(in[k]->dtype, (const uint16_t *)at_elem(in[k], w->offset[k] + done * step[k]), tiles[k], step[k] ? n : 1);
        void *to = at_elem(y, w->at + done);
        loop(tiles[0], step[0], tiles[1], step[1], back ? (void *)out : to, n, p);
        if (back) halves_from_f32(y->dtype, out, (uint16_t *)to, n);
    }
}

/* Short runs over which one input starts over each time: it is written out a few times, so that runs are long. */
#define SHORT_RUN 128
#define REPEATED_BYTES 8192

typedef struct repeated {
    gei_broadcast plan;  /* the last two axes as one, in which input `which` stays */
    uint32_t which;
    int64_t period;
} repeated;

static bool find_repeated(const gei_broadcast *plan, repeated *r) {
    if (plan->rank < 2) return false;
    const gei_broadcast_axis *outer = &plan->axes[plan->rank - 2], *inner = outer + 1;
    if (inner->dim > SHORT_RUN || outer->dim < 4 || inner->strides[0] != 1 || inner->strides[1] != 1) return false;
    if ((outer->strides[0] != 0) == (outer->strides[1] != 0)) return false;
    r->which = outer->strides[0] == 0 ? 0 : 1;
    r->period = inner->dim;
    if (outer->strides[1 - r->which] != inner->dim) return false;
    memcpy(&r->plan, plan, gei_broadcast_bytes(plan));
    gei_broadcast_axis *run = &r->plan.axes[--r->plan.rank - 1];
    run->dim *= r->period;
    run->strides[1 - r->which] = 1;
    run->strides[r->which] = 0;
    return true;
}

static void run_repeated(const gei_run *run, const repeated *r, int64_t begin, int64_t end, gei_binary_loop loop, const double *p) {
    _Alignas(64) char buffer[REPEATED_BYTES];
    const gei_view *x = run->in[1 - r->which], *again = run->in[r->which], *y = run->out[0];
    size_t each = elem_bytes(again->dtype), bytes = (size_t)r->period * each;
    int64_t copies = (int64_t)(sizeof buffer / bytes), most = (copies - 1) * r->period;
    gei_broadcast_walk w;
    for (bool more = gei_broadcast_first(&w, &r->plan, begin, end); more; more = gei_broadcast_next(&w)) {
        int64_t needed = w.run / r->period + 2, phase = w.index[r->plan.rank - 1] % r->period;
        for (int64_t k = 0; k < copies && k < needed; k++) memcpy(buffer + (size_t)k * bytes, at_elem(again, w.offset[r->which]), bytes);
        for (int64_t done = 0; done < w.run; done += most) {
            int64_t n = w.run - done < most ? w.run - done : most;
            const void *a = at_elem(x, w.offset[1 - r->which] + done), *b = buffer + (size_t)phase * each;
            loop(r->which ? a : b, 1, r->which ? b : a, 1, at_elem(y, w.at + done), n, p);
        }
    }
}

ge_status gei_run_binary(const gei_run *run, uint32_t part, const gei_binary *b) {
    const gei_broadcast *plan = (const gei_broadcast *)run->sized;
    const gei_view *x1 = run->in[0], *x2 = run->in[1], *y = run->out[0];
    const gei_wide *wide = run->prepared;
    gei_binary_loop loop = wide ? wide->binary : b->loops[gei_lane_of(x1->dtype)];
    bool halves = is_half(x1->dtype);
    double p[GEI_MAX_PARAMS] = { 0 };
    int64_t begin, end;
    gei_broadcast_walk w;
    if (b->params) b->params(run->node, p);
    gei_part_range(plan->n_elems, run->n_parts, part, &begin, &end);
    repeated again;
    if (!halves && find_repeated(plan, &again)) {
        run_repeated(run, &again, begin, end, loop, p);
        return GE_OK;
    }
    for (bool more = gei_broadcast_first(&w, plan, begin, end); more; more = gei_broadcast_next(&w)) {
        if (halves) run_binary_tiles(run->in, &w, y, loop, p);
        else
            loop(at_elem(x1, w.offset[0]), gei_broadcast_step(plan, 0), at_elem(x2, w.offset[1]), gei_broadcast_step(plan, 1),
                 at_elem(y, w.at), w.run, p);
    }
    return GE_OK;
}

/* ---- partly known contents ---- */

typedef gei_elem (*elem_fn)(gei_elem a, gei_elem b);

static bool is_number(gei_elem e, int64_t number) { return e.known && e.number == number; }

static gei_elem add_elems(gei_elem a, gei_elem b) {
    int64_t sum;
    if (is_number(a, 0)) return b;
    if (is_number(b, 0)) return a;
    return a.known && b.known && gei_add_i64(a.number, b.number, &sum) ? gei_elem_number(sum) : (gei_elem){ .symbol = -1 };
}

static gei_elem sub_elems(gei_elem a, gei_elem b) {
    int64_t difference;
    if (is_number(b, 0)) return a;
    if (a.symbol >= 0 && a.symbol == b.symbol) return gei_elem_number(0);
    return a.known && b.known && !__builtin_sub_overflow(a.number, b.number, &difference) ? gei_elem_number(difference) : (gei_elem){ .symbol = -1 };
}

static gei_elem mul_elems(gei_elem a, gei_elem b) {
    int64_t product;
    if (is_number(a, 1)) return b;
    if (is_number(b, 1)) return a;
    if (is_number(a, 0) || is_number(b, 0)) return gei_elem_number(0);
    return a.known && b.known && gei_mul_i64(a.number, b.number, &product) ? gei_elem_number(product) : (gei_elem){ .symbol = -1 };
}

static gei_elem div_elems(gei_elem a, gei_elem b) {
    if (is_number(b, 1)) return a;
    return a.known && b.known && b.number != 0 && b.number != -1 ? gei_elem_number(a.number / b.number) : (gei_elem){ .symbol = -1 };
}

/* Shapes are those of shape arithmetic: equal, or one element with many. */
static ge_status pair_elems(gei_infer *i, elem_fn fn) {
    size_t n_a, n_b, n;
    if (!gei_info_elem_count(i->in[0], &n_a) || !gei_info_elem_count(i->in[1], &n_b) || !gei_info_elem_count(&i->out[0], &n)) return GE_OK;
    if (i->out[0].dtype != GEI_INT64 && i->out[0].dtype != GEI_INT32) return GE_OK;
    if ((n_a != n && n_a != 1) || (n_b != n && n_b != 1)) return GE_OK;
    gei_elem *elems = gei_infer_new_elems(i, 0, n);
    if (!elems) return gei_out_of_memory(i->diag, 0);
    for (size_t k = 0; k < n; k++) {
        elems[k] = fn(gei_info_elem(i->in[0], n_a == 1 ? 0 : k), gei_info_elem(i->in[1], n_b == 1 ? 0 : k));
        if (i->out[0].dtype == GEI_INT32 && elems[k].known && (int32_t)elems[k].number != elems[k].number)
            elems[k] = (gei_elem){ .symbol = -1 };
    }
    return GE_OK;
}

ge_status gei_elems_add(gei_infer *i) { return pair_elems(i, add_elems); }
ge_status gei_elems_sub(gei_infer *i) { return pair_elems(i, sub_elems); }
ge_status gei_elems_mul(gei_infer *i) { return pair_elems(i, mul_elems); }
ge_status gei_elems_div(gei_infer *i) { return pair_elems(i, div_elems); }
