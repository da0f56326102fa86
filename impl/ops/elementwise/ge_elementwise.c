/* SPDX-License-Identifier: Apache-2.0 */
/* GeElementwise (ours): runs the steps of a program (ops/program.h) over tiles that stay in the first-level cache.  Made by the pass
 * fuse_elementwise; gives the numbers of the operators it stands for, since it runs the same loops. */
#include <string.h>

#include "ops/elementwise.h"
#include "ops/program.h"

#define TILE 2048      /* elements of a tile: 8 KiB for each value that lives between steps */
#define GRAIN 16384    /* elements a part should have at least, each counted once a step */
#define OUTPUT 0xFFFFu /* as a register: the output itself */

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
    double params[GEI_MAX_PARAMS];
} step;

typedef struct program {
    uint32_t n_steps, n_registers;
    step steps[];
} program;

static const char *text_of(const gei_node *node) { return gei_node_text(node, GEI_PROGRAM_ATTR, ""); }

/* A register for the result of step k: one whose value is read for the last time here, else a free one, else a new one. */
static uint16_t take_register(const uint32_t *last_use, uint32_t k, uint16_t *of_step, bool *is_free, uint32_t *n_registers) {
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

static ge_status prepare(gei_prepare *prepare, gei_diag *diag) {
    const gei_choice *c = prepare->choice;
    gei_program_step *read = gei_arena_array(prepare->arena, gei_program_step, GEI_PROGRAM_STEPS);
    uint32_t n;
    if (!read) return gei_out_of_memory(diag, GEI_PROGRAM_STEPS * sizeof *read);
    GEI_TRY(gei_program_read(text_of(c->node), c->n_in, read, &n, diag));
    program *p = gei_arena_zero(prepare->arena, sizeof *p + n * sizeof p->steps[0], _Alignof(program));
    if (!p) return gei_out_of_memory(diag, n * sizeof p->steps[0]);
    p->n_steps = n;
    for (uint32_t k = 0; k < n; k++) {
        const gei_wide *loop = gei_wide_find_sized(gei_wide_table(c->isa), read[k].name, read[k].name_size);
        p->steps[k].unary = loop->unary;
        p->steps[k].binary = loop->binary;
        memcpy(p->steps[k].params, read[k].params, sizeof read[k].params);
    }
    assign_registers(p, read);
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

enum { WALKS_EVENLY = -1, IS_ONE = -2 }; /* places of inputs that need no broadcast */

typedef struct sized {
    int8_t walk[GEI_PROGRAM_INPUTS]; /* input of `plan`, or one of the above */
    gei_broadcast plan;
} sized;

static bool same_walk(const gei_shape *a, const gei_shape *b) {
    for (int32_t i = 0; i < a->rank || i < b->rank; i++)
        if ((i < a->rank ? a->dims[a->rank - 1 - i] : 1) != (i < b->rank ? b->dims[b->rank - 1 - i] : 1)) return false;
    return true;
}

static ge_status size(gei_sizing *s, gei_diag *diag) {
    const gei_shape *out = &s->out[0].shape, *walks[GEI_PROGRAM_SHAPES];
    const program *p = s->prepared;
    int64_t n_out = 0, n;
    sized z;
    (void)gei_shape_elems(out, &n_out);
    gei_broadcast_plan(&z.plan, out->rank, out->dims);
    for (uint32_t k = 0; k < s->n_in; k++) {
        const gei_shape *x = &s->in[k]->shape;
        int8_t walk = 0;
        (void)gei_shape_elems(x, &n);
        z.walk[k] = n == n_out ? WALKS_EVENLY : IS_ONE;
        if (n == n_out || n == 1) continue;
        while (walk < z.plan.n_in && !same_walk(walks[walk], x)) walk++;
        if (walk == GEI_PROGRAM_SHAPES)
            return gei_fail(diag, GE_ERR_LIMIT, "a program of elementwise steps repeats inputs of at most %d shapes", GEI_PROGRAM_SHAPES);
        if (walk == z.plan.n_in) {
            walks[walk] = x;
            gei_broadcast_add(&z.plan, out->rank, out->dims, x->rank, x->dims);
        }
        z.walk[k] = walk;
    }
    gei_broadcast_merge(&z.plan);
    s->sized = gei_arena_copy(s->arena, &z, offsetof(sized, plan) + gei_broadcast_bytes(&z.plan), _Alignof(sized));
    if (!s->sized) return gei_out_of_memory(diag, sizeof z);
    s->cost = (double)n_out * p->n_steps;
    s->n_parts = gei_parts(n_out, GRAIN / p->n_steps + 1);
    s->part_scratch_bytes = (size_t)p->n_registers * TILE * sizeof(float);
    return GE_OK;
}

/* ---- run ---- */

typedef struct pointer {
    const float *at;
    int64_t step; /* 0 or 1 */
} pointer;

static void run_tile(const program *p, const pointer *in, float *registers, float *y, int64_t n) {
    for (uint32_t k = 0; k < p->n_steps; k++) {
        const step *s = &p->steps[k];
        pointer args[2];
        for (int a = 0; a < (s->unary ? 1 : 2); a++)
            args[a] = s->args[a].is_register ? (pointer){ registers + (size_t)s->args[a].index * TILE, 1 } : in[s->args[a].index];
        float *to = s->to == OUTPUT ? y : registers + (size_t)s->to * TILE;
        if (s->binary) s->binary(args[0].at, args[0].step, args[1].at, args[1].step, to, n, s->params);
        else if (args[0].step) s->unary(args[0].at, to, n, s->params);
        else {
            s->unary(args[0].at, to, 1, s->params);
            for (int64_t i = 1; i < n; i++) to[i] = to[0];
        }
    }
}

static ge_status run(const gei_run *run, uint32_t part) {
    const program *p = run->prepared;
    const sized *z = run->sized;
    int64_t begin, end;
    gei_broadcast_walk w;
    pointer in[GEI_PROGRAM_INPUTS];
    gei_part_range(z->plan.n_elems, run->n_parts, part, &begin, &end);
    for (bool more = gei_broadcast_first(&w, &z->plan, begin, end); more; more = gei_broadcast_next(&w)) {
        for (uint32_t k = 0; k < run->n_in; k++) {
            const float *x = run->in[k]->data;
            int8_t walk = z->walk[k];
            in[k].at = walk == WALKS_EVENLY ? x + w.at : walk == IS_ONE ? x : x + w.offset[walk];
            in[k].step = walk == WALKS_EVENLY ? 1 : walk == IS_ONE ? 0 : gei_broadcast_step(&z->plan, walk);
        }
        float *y = (float *)run->out[0]->data + w.at;
        for (int64_t left = w.run; left > 0; left -= TILE, y += TILE) {
            run_tile(p, in, run->scratch, y, left < TILE ? left : TILE);
            for (uint32_t k = 0; k < run->n_in; k++) in[k].at += in[k].step * TILE;
        }
    }
    return GE_OK;
}

static const gei_kernel kernels[] = { { .name = "tiles", .prepare = prepare, .size = size, .run = run, .in_place = UINT32_MAX }, { 0 } };

GEI_OP(GeElementwise) = { .name = "GeElementwise", .infer = infer, .kernels = kernels,
                          .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE | GEI_OP_RUNS_PROGRAM };
