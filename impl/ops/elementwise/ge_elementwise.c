/* SPDX-License-Identifier: Apache-2.0 */
/* GeElementwise (ours): runs the steps of a program (ops/program.h) over tiles that stay in the first-level cache.  Made by the pass
 * fuse_elementwise; gives the numbers of the operators it stands for, since it runs the same loops. */
#include <string.h>

#include "kernels/chain.h"
#include "ops/elementwise.h"
#include "ops/program.h"

enum {
    GRAIN = 16384,      /* elements a part should have at least, each counted once a step */
    TILES = 6144,       /* elements of all tiles together: they stay in the first-level cache */
    MOST_TILE = 2048,
    LEAST_TILE = 256,
    SHORT_RUN = 512,    /* shorter runs are joined with the next dim */
    OUTPUT = 0xFFFF     /* as a register: the output itself */
};

/* ---- program ---- */

typedef struct operand {
    bool is_register;
    uint16_t index;
} operand;

typedef struct step {
    gei_unary_loop unary;
    gei_binary_loop binary;
    operand args[2];
    uint16_t to;
    uint16_t n_chain;       /* steps from here on that are a chain, 0 or at least 2 */
    uint16_t along;         /* inside a chain: the argument that is the result before */
    gei_link_kind links[2]; /* of the step with argument 0 or 1 along the chain */
    double params[GEI_MAX_PARAMS];
} step;

typedef struct program {
    gei_chain_fn chain;
    uint32_t n_steps, n_registers;
    step steps[];
} program;

static const char *text_of(const gei_node *node) { return gei_node_text(node, GEI_PROGRAM_ATTR, ""); }

/* A register for the result of step k: one whose value is read for the last time here, else a free one, else a new one. */
static uint16_t take_register(const uint32_t *last_use, uint32_t k, const uint16_t *of_step, bool *is_free, uint32_t *n_registers) {
    for (uint32_t i = 0; i < k; i++)
        if (last_use[i] == k && of_step[i] != OUTPUT) is_free[of_step[i]] = true;
    for (uint16_t r = 0; r < *n_registers; r++)
        if (is_free[r]) {
            is_free[r] = false;
            return r;
        }
    return (uint16_t)(*n_registers)++;
}

/* Loops may write over what they read at the same place, so a result may take the register of an argument. */
static void assign_registers(program *p, const gei_program_step *read) {
    uint32_t last_use[GEI_PROGRAM_STEPS] = { 0 };
    uint16_t of_step[GEI_PROGRAM_STEPS];
    bool is_free[GEI_PROGRAM_STEPS] = { false };
    for (uint32_t k = 0; k < p->n_steps; k++)
        for (uint32_t a = 0; a < read[k].n_args; a++)
            if (read[k].args[a].is_step) last_use[read[k].args[a].index] = k;
    for (uint32_t k = 0; k < p->n_steps; k++) {
        for (uint32_t a = 0; a < read[k].n_args; a++) {
            gei_program_ref ref = read[k].args[a];
            p->steps[k].args[a] = (operand){ ref.is_step, ref.is_step ? of_step[ref.index] : (uint16_t)ref.index };
        }
        of_step[k] = k + 1 == p->n_steps ? OUTPUT : take_register(last_use, k, of_step, is_free, &p->n_registers);
        p->steps[k].to = of_step[k];
    }
}

static bool is_result(gei_program_ref ref, uint32_t step) { return ref.is_step && ref.index == step; }

/* Step k + 1 reads the result of step k, which nobody else does, as one operand of a link. */
static bool goes_on(const program *p, const gei_program_step *read, uint32_t k, uint16_t *out_along) {
    uint32_t n_uses = 0;
    for (uint32_t i = k + 1; i < p->n_steps; i++)
        for (uint32_t a = 0; a < read[i].n_args; a++) n_uses += is_result(read[i].args[a], k);
    if (n_uses != 1) return false;
    *out_along = read[k + 1].n_args == 2 && is_result(read[k + 1].args[1], k);
    return is_result(read[k + 1].args[*out_along], k) && p->steps[k + 1].links[*out_along] != GEI_LINK_NONE;
}

static void find_chains(program *p, const gei_program_step *read) {
    for (uint32_t k = 0; k < p->n_steps; k++) {
        p->steps[k].links[0] = gei_link_find(read[k].name, read[k].name_size, false);
        p->steps[k].links[1] = gei_link_find(read[k].name, read[k].name_size, true);
    }
    for (uint32_t k = 0, n; k < p->n_steps; k += n) {
        n = 1;
        if (p->steps[k].links[0] == GEI_LINK_NONE) continue;
        while (k + n < p->n_steps && goes_on(p, read, k + n - 1, &p->steps[k + n].along)) n++;
        if (n > 1) p->steps[k].n_chain = (uint16_t)n;
    }
}

static ge_status prepare(gei_prepare *prepare, gei_diag *diag) {
    const gei_choice *c = prepare->choice;
    gei_program_step *read = gei_arena_array(prepare->arena, gei_program_step, GEI_PROGRAM_STEPS);
    uint32_t n;
    if (!read) return gei_out_of_memory(diag, GEI_PROGRAM_STEPS * sizeof *read);
    GEI_TRY(gei_program_read(text_of(c->node), c->n_in, read, &n, diag));
    program *p = gei_arena_zero(prepare->arena, sizeof *p + n * sizeof p->steps[0], _Alignof(program));
    if (!p) return gei_out_of_memory(diag, n * sizeof p->steps[0]);
    p->n_steps = n;
    p->chain = c->isa & GEI_ISA_AVX512 ? gei_chain_avx512 : c->isa & GEI_ISA_AVX2 ? gei_chain_avx2 : gei_chain_portable;
    for (uint32_t k = 0; k < n; k++) {
        const gei_wide *loop = gei_wide_find_sized(gei_wide_table(c->isa), read[k].name, read[k].name_size);
        p->steps[k].unary = loop->unary;
        p->steps[k].binary = loop->binary;
        memcpy(p->steps[k].params, read[k].params, sizeof read[k].params);
    }
    assign_registers(p, read);
    find_chains(p, read);
    prepare->prepared = p;
    return GE_OK;
}

/* ---- rule ---- */

static ge_status infer(gei_infer *i) {
    gei_program_step steps[GEI_PROGRAM_STEPS];
    uint32_t n;
    ge_status st = gei_program_read(text_of(i->node), i->n_in, steps, &n, i->diag);
    if (st != GE_OK) {
        gei_diag_node(i->diag, i->node->name);
        return st;
    }
    GEI_TRY(gei_infer_broadcast_all(i));
    int32_t dtype = i->out[0].dtype;
    if (dtype == GEI_UNDEFINED || dtype == GEI_FLOAT32) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
}

/* ---- sizes ---- */

enum { EVENLY = -1, ONE = -2 }; /* walks of inputs that need no broadcast: as the output, or not at all */

/* Inside a run of the output.  Runs that would be short are two dims of the output, the inner one of `period` elements; what an input
 * repeats in them is written out into a tile first. */
typedef enum motion { STAYS, MOVES, REPEATS /* its run of `period` */, STRETCHES /* each element, `period` times */ } motion;

typedef struct sized {
    int64_t period, tile;
    int8_t walk[GEI_PROGRAM_INPUTS];    /* input of `plan`, or one of the above */
    uint8_t buffer[GEI_PROGRAM_INPUTS]; /* tile behind the registers, for inputs written out */
    motion motions[GEI_PROGRAM_SHAPES];
    int64_t strides[GEI_PROGRAM_SHAPES]; /* elements, of an input that stretches */
    gei_broadcast plan;
} sized;

static bool same_walk(const gei_shape *a, const gei_shape *b) {
    for (int32_t i = 0; i < a->rank || i < b->rank; i++)
        if ((i < a->rank ? a->dims[a->rank - 1 - i] : 1) != (i < b->rank ? b->dims[b->rank - 1 - i] : 1)) return false;
    return true;
}

/* Inputs of equal shape share a walk. */
static ge_status find_walks(sized *z, const gei_sizing *s, gei_diag *diag) {
    const gei_shape *out = &s->out[0].shape, *walks[GEI_PROGRAM_SHAPES];
    int64_t n_out = 0, n;
    (void)gei_shape_elems(out, &n_out);
    gei_broadcast_plan(&z->plan, out->rank, out->dims);
    for (uint32_t k = 0; k < s->n_in; k++) {
        const gei_shape *x = &s->in[k]->shape;
        int8_t walk = 0;
        (void)gei_shape_elems(x, &n);
        z->walk[k] = n == n_out ? EVENLY : ONE;
        if (n == n_out || n == 1) continue;
        while (walk < z->plan.n_in && !same_walk(walks[walk], x)) walk++;
        if (walk == GEI_PROGRAM_SHAPES)
            return gei_fail(diag, GE_ERR_LIMIT, "a program of elementwise steps repeats inputs of at most %d shapes", GEI_PROGRAM_SHAPES);
        if (walk == z->plan.n_in) {
            walks[walk] = x;
            gei_broadcast_add(&z->plan, out->rank, out->dims, x->rank, x->dims);
        }
        z->walk[k] = walk;
    }
    gei_broadcast_merge(&z->plan);
    return GE_OK;
}

/* Joins the last two dims of the walk. */
static void join_runs(sized *z) {
    gei_broadcast_axis *inner = &z->plan.axes[z->plan.rank - 1], *outer = inner - 1;
    z->period = inner->dim;
    for (int32_t k = 0; k < z->plan.n_in; k++) {
        bool repeats = inner->strides[k] != 0, moves = outer->strides[k] != 0;
        z->motions[k] = repeats && moves ? MOVES : repeats ? REPEATS : moves ? STRETCHES : STAYS;
        z->strides[k] = outer->strides[k];
        outer->strides[k] = repeats && moves;
    }
    outer->dim *= inner->dim;
    z->plan.rank--;
}

static ge_status size(gei_sizing *s, gei_diag *diag) {
    const program *p = s->prepared;
    sized z;
    uint8_t n_buffers = 0;
    memset(&z, 0, sizeof z);
    GEI_TRY(find_walks(&z, s, diag));
    for (int32_t k = 0; k < z.plan.n_in; k++) z.motions[k] = gei_broadcast_step(&z.plan, k) ? MOVES : STAYS;
    if (z.plan.rank > 1 && z.plan.axes[z.plan.rank - 1].dim < SHORT_RUN) join_runs(&z);
    for (uint32_t k = 0; k < s->n_in; k++)
        if (z.walk[k] >= 0 && z.motions[z.walk[k]] >= REPEATS) z.buffer[k] = n_buffers++;
    z.tile = TILES / (p->n_registers + n_buffers + 1) / GEI_CHAIN_BLOCK * GEI_CHAIN_BLOCK;
    z.tile = z.tile > MOST_TILE ? MOST_TILE : z.tile < LEAST_TILE ? LEAST_TILE : z.tile;
    if (z.period > 0 && z.period < z.tile) z.tile -= z.tile % z.period; /* what repeats is then written out once */
    s->sized = gei_arena_copy(s->arena, &z, offsetof(sized, plan) + gei_broadcast_bytes(&z.plan), _Alignof(sized));
    if (!s->sized) return gei_out_of_memory(diag, sizeof z);
    s->cost = (double)z.plan.n_elems * p->n_steps;
    s->n_parts = gei_parts(z.plan.n_elems, GRAIN / p->n_steps + 1);
    s->part_scratch_bytes = (size_t)(p->n_registers + n_buffers) * (size_t)z.tile * sizeof(float);
    return GE_OK;
}

/* ---- run ---- */

typedef struct pointer {
    const float *at;
    int64_t step; /* 0 or 1 */
} pointer;

typedef struct tile {
    const program *p;
    float *registers;
    int64_t size;
    pointer in[GEI_PROGRAM_INPUTS];
    float *y;
} tile;

static pointer argument(const tile *t, operand o, int64_t from) {
    pointer p = o.is_register ? (pointer){ t->registers + o.index * t->size, 1 } : t->in[o.index];
    return (pointer){ p.at + from * p.step, p.step };
}

static float *result(const tile *t, const step *s, int64_t from) { return (s->to == OUTPUT ? t->y : t->registers + s->to * t->size) + from; }

static void run_step(const tile *t, const step *s, int64_t from, int64_t n) {
    pointer a = argument(t, s->args[0], from);
    float *to = result(t, s, from);
    if (s->binary) {
        pointer b = argument(t, s->args[1], from);
        s->binary(a.at, a.step, b.at, b.step, to, n, s->params);
    } else {
        s->unary(a.at, to, a.step ? n : 1, s->params);
        for (int64_t i = 1; !a.step && i < n; i++) to[i] = to[0];
    }
}

/* Elements of the tile that the chain has done: whole blocks, or none. */
static int64_t run_chain(const tile *t, const step *s, int64_t n) {
    gei_link links[GEI_PROGRAM_STEPS];
    pointer x = argument(t, s[0].args[0], 0);
    uint32_t along = 0;
    if (s[0].binary && !x.step && s[0].links[1] != GEI_LINK_NONE) {
        along = 1;
        x = argument(t, s[0].args[1], 0);
    }
    if (!x.step) return 0;
    for (uint32_t k = 0; k < s[0].n_chain; k++) {
        if (k > 0) along = s[k].along;
        pointer b = s[k].binary ? argument(t, s[k].args[1 - along], 0) : (pointer){ NULL, 0 };
        links[k] = (gei_link){ s[k].links[along], b.step, b.at };
    }
    n -= n % GEI_CHAIN_BLOCK;
    t->p->chain(links, s[0].n_chain, x.at, result(t, &s[s[0].n_chain - 1], 0), n);
    return n;
}

static void run_tile(const tile *t, int64_t n) {
    for (uint32_t k = 0, next; k < t->p->n_steps; k = next) {
        const step *s = &t->p->steps[k];
        int64_t done = s->n_chain && n >= GEI_CHAIN_BLOCK ? run_chain(t, s, n) : 0;
        next = k + (s->n_chain ? s->n_chain : 1);
        for (; done < n && k < next; k++) run_step(t, &t->p->steps[k], done, n - done);
    }
}

static void write_out(motion motion, const float *x, int64_t stride, int64_t period, int64_t at, float *to, int64_t n) {
    for (int64_t i = 0; i < n;) {
        int64_t inside = (at + i) % period, run = period - inside < n - i ? period - inside : n - i;
        const float *from = motion == REPEATS ? x + inside : x + (at + i) / period * stride;
        if (motion == REPEATS) memcpy(to + i, from, (size_t)run * sizeof *to);
        else
            for (int64_t k = 0; k < run; k++) to[i + k] = *from;
        i += run;
    }
}

typedef struct written { /* what a buffer holds */
    const float *from;
    int64_t inside, n;
} written;

/* Points the inputs at element `done` of the run. */
static void point(const gei_run *run, const gei_broadcast_walk *w, int64_t done, int64_t n, tile *t, written *buffers) {
    const sized *z = run->sized;
    int64_t at = (w->at + done) % z->plan.axes[z->plan.rank - 1].dim;
    for (uint32_t k = 0; k < run->n_in; k++) {
        const float *x = run->in[k]->data;
        int8_t walk = z->walk[k];
        if (walk == EVENLY) t->in[k] = (pointer){ x + w->at + done, 1 };
        else if (walk == ONE) t->in[k] = (pointer){ x, 0 };
        else if (z->motions[walk] == MOVES) t->in[k] = (pointer){ x + w->offset[walk] + done, 1 };
        else if (z->motions[walk] == STAYS) t->in[k] = (pointer){ x + w->offset[walk], 0 };
        else {
            float *to = t->registers + (t->p->n_registers + z->buffer[k]) * t->size;
            written now = { x + w->offset[walk], at % z->period, n }, *before = &buffers[z->buffer[k]];
            bool is_there = z->motions[walk] == REPEATS && before->from == now.from && before->inside == now.inside && before->n >= n;
            if (!is_there) {
                write_out(z->motions[walk], now.from, z->strides[walk], z->period, at, to, n);
                *before = now;
            }
            t->in[k] = (pointer){ to, 1 };
        }
    }
}

static ge_status run(const gei_run *run, uint32_t part) {
    const sized *z = run->sized;
    int64_t begin, end;
    gei_broadcast_walk w;
    written buffers[GEI_PROGRAM_INPUTS];
    tile t = { .p = run->prepared, .registers = run->scratch, .size = z->tile };
    memset(buffers, 0, run->n_in * sizeof *buffers);
    gei_part_range(z->plan.n_elems, run->n_parts, part, &begin, &end);
    for (bool more = gei_broadcast_first(&w, &z->plan, begin, end); more; more = gei_broadcast_next(&w))
        for (int64_t done = 0; done < w.run; done += z->tile) {
            int64_t n = w.run - done < z->tile ? w.run - done : z->tile;
            point(run, &w, done, n, &t, buffers);
            t.y = (float *)run->out[0]->data + w.at + done;
            run_tile(&t, n);
        }
    return GE_OK;
}

static const gei_kernel kernels[] = { { .name = "tiles", .prepare = prepare, .size = size, .run = run, .in_place = UINT32_MAX }, { 0 } };

GEI_OP(GeElementwise) = { .name = "GeElementwise", .infer = infer, .kernels = kernels,
                          .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE | GEI_OP_RUNS_PROGRAM };
