/* SPDX-License-Identifier: Apache-2.0 */
/* place: where every value of an instance lives, and which steps it has.
 *
 *   root    the value whose bytes a value is: itself, or what it is a view of
 *   block   memory that roots take over from one another when a kernel writes over its dying input; named by its first root
 *
 * Linear walks over the order: steps and roots, last uses, in-place decisions, outputs, packing, places. */
#include <string.h>

#include "plan/plan_inner.h"

#define NEVER UINT32_MAX       /* no step */
#define END (UINT32_MAX - 1)   /* after the last step: outputs */

typedef struct placer {
    gei_instance *inst;
    const gei_plan *plan;
    const gei_infos *infos;
    gei_arena scratch;
    gei_tensor **known;    /* by value: contents known before the run */
    bool *value_read;      /* by value */
    bool *needed;          /* by node in order */
    bool *is_late;         /* by value: size or address found during the run */
    uint32_t *root;        /* by value */
    uint32_t *born;        /* by root: step that makes it, NEVER for inputs and constants */
    uint32_t *last_use;    /* by root: last step that reads it, NEVER, END */
    uint32_t *block;       /* by root */
    uint32_t *block_end;   /* by block: last use of the last root in it */
    uint32_t *block_out;   /* by block: output whose memory it is, NEVER: in the arena */
    uint64_t *offset;      /* by block */
    uint32_t *stretch_at;  /* by step: its stretch, NEVER; NULL when there is none */
    bool *meets_lanes;     /* by root: several lanes of one stretch read it; NULL likewise */
    uint32_t *dead_at;     /* by root with late memory: step after which it is free */
} placer;

static const gei_info *info_of(const placer *p, uint32_t value) { return gei_plan_info(p->plan, p->infos, value); }
static uint32_t block_of(const placer *p, uint32_t value) { return p->block[p->root[value]]; }
static bool is_made(const placer *p, uint32_t root) { return p->born[root] != NEVER; }

static ge_status init(placer *p, gei_instance *inst, gei_diag *diag) {
    const gei_plan *plan = inst->plan;
    size_t n = plan->n_values;
    *p = (placer){ .inst = inst, .plan = plan, .infos = &inst->infos };
    gei_arena_init(&p->scratch, inst->from);
    p->known = gei_arena_table(&p->scratch, gei_tensor *, n);
    p->value_read = gei_arena_array(&p->scratch, bool, n);
    p->needed = gei_arena_array(&p->scratch, bool, plan->n_order);
    p->is_late = gei_arena_array(&p->scratch, bool, n);
    p->offset = gei_arena_array(&p->scratch, uint64_t, n);
    uint32_t **tables[] = { &p->root, &p->born, &p->last_use, &p->block, &p->block_end, &p->block_out, &p->dead_at };
    bool ok = p->known && p->value_read && p->needed && p->is_late && p->offset;
    for (size_t i = 0; i < GEI_COUNT(tables) && ok; i++) {
        *tables[i] = gei_arena_alloc(&p->scratch, n * sizeof(uint32_t), _Alignof(uint32_t));
        ok = *tables[i] != NULL;
        if (ok) memset(*tables[i], 0xFF, n * sizeof(uint32_t)); /* NEVER */
    }
    inst->places = gei_arena_table(&inst->arena, gei_place, n);
    inst->steps = gei_arena_table(&inst->arena, gei_step, plan->n_order + plan->n_outputs);
    inst->out_kinds = gei_arena_array(&inst->arena, gei_out_kind, plan->n_outputs);
    ok = ok && inst->places && inst->steps && inst->out_kinds;
    return ok ? GE_OK : gei_out_of_memory(diag, n * sizeof(gei_place));
}

static void find_needed(placer *p) {
    for (uint32_t v = 0; v < p->plan->n_values; v++) {
        const gei_tensor *tensor = info_of(p, v)->tensor;
        p->known[v] = p->plan->constants[v] ? p->plan->constants[v] : (gei_tensor *)(uintptr_t)tensor;
    }
    gei_plan_mark_needed(p->plan, p->known, p->infos, p->value_read, p->needed);
}

/* ---- steps and roots ---- */

static uint32_t add_step(placer *p, gei_step_kind kind, size_t node, bool late) {
    gei_instance *inst = p->inst;
    inst->steps[inst->n_steps] = (gei_step){ .kind = kind, .node = (uint32_t)node, .n_parts = 1, .late = late };
    inst->n_pointers += kind == GEI_STEP_COPY ? 2 : (size_t)p->plan->order[node]->n_ins + p->plan->order[node]->n_outs;
    inst->has_late = inst->has_late || late;
    return inst->n_steps++;
}

static bool reads_late(const placer *p, const gei_plan_node *pn) {
    for (uint32_t k = 0; k < pn->node->n_ins; k++)
        if (pn->in[k] != GEI_NO_VALUE && p->is_late[pn->in[k]]) return true;
    return false;
}

static bool knows_contents(const placer *p, uint32_t v) {
    const gei_info *info = info_of(p, v);
    if (p->known[v]) return true;
    for (uint32_t k = 0; k < info->n_elems; k++)
        if (!info->elems || !info->elems[k].known) return false;
    return info->n_elems > 0;
}

/* Its kernel is sized by contents that only the run knows, even where the shape of its output is known. */
static bool misses_contents(const placer *p, const gei_plan_node *pn) {
    for (uint32_t k = 0; pn->op->needs_value && k < pn->node->n_ins; k++) {
        uint32_t port = pn->node->ins[k].port;
        if (pn->in[k] != GEI_NO_VALUE && port < 64 && (pn->op->needs_value >> port & 1) && !knows_contents(p, pn->in[k])) return true;
    }
    return false;
}

static ge_status add_view(placer *p, size_t i, gei_diag *diag) {
    const gei_plan_node *pn = &p->plan->nodes[i];
    uint32_t from = pn->in[0], to = pn->first_out;
    uint64_t from_bytes, to_bytes;
    p->root[to] = p->root[from];
    bool is_sized = gei_info_bytes(info_of(p, to), &to_bytes) && gei_info_bytes(info_of(p, from), &from_bytes);
    p->is_late[to] = p->is_late[from] || !is_sized;
    if (p->is_late[to]) {
        (void)add_step(p, GEI_STEP_VIEW, i, true);
        return GE_OK;
    }
    if (from_bytes == to_bytes) return GE_OK;
    gei_diag_node(diag, pn->node->name);
    return gei_fail(diag, GE_ERR_PLAN, "%s '%s': a view of %llu bytes over %llu bytes", pn->node->def->name, pn->node->name,
                    (unsigned long long)to_bytes, (unsigned long long)from_bytes);
}

static void add_work(placer *p, size_t i) {
    const gei_plan_node *pn = &p->plan->nodes[i];
    bool late = reads_late(p, pn) || misses_contents(p, pn);
    for (uint32_t v = pn->first_out; v < pn->first_out + pn->node->n_outs; v++) {
        uint64_t bytes;
        p->is_late[v] = !gei_info_bytes(info_of(p, v), &bytes);
        late = late || p->is_late[v];
    }
    uint32_t step = add_step(p, pn->work == GEI_WORK_CONTROL ? GEI_STEP_CONTROL : GEI_STEP_KERNEL, i, late);
    if (gei_op_has(pn->op, GEI_OP_WRITES)) { /* its output is the memory it changes */
        p->root[pn->first_out] = p->root[pn->in[0]];
        return;
    }
    for (uint32_t v = pn->first_out; v < pn->first_out + pn->node->n_outs; v++) p->born[v] = step;
}

static ge_status find_steps(placer *p, gei_diag *diag) {
    for (uint32_t v = 0; v < p->plan->n_values; v++) p->root[v] = v;
    for (size_t i = 0; i < p->plan->n_order; i++) {
        gei_work work = p->plan->nodes[i].work;
        if (!p->needed[i]) continue;
        if (work == GEI_WORK_VIEW) GEI_TRY(add_view(p, i, diag));
        else if (work != GEI_WORK_NONE) add_work(p, i);
    }
    return GE_OK;
}

/* ---- stretches ---- */

/* Which stretch each step is in, and which values several lanes of one read at the same time: nobody may write over those. */
static ge_status mark_stretches(placer *p, gei_diag *diag) {
    gei_instance *inst = p->inst;
    uint32_t n = inst->n_steps + p->plan->n_outputs; /* copies come later */
    if (inst->n_stretches == 0) return GE_OK;
    p->stretch_at = gei_arena_array(&p->scratch, uint32_t, n);
    p->meets_lanes = gei_arena_array(&p->scratch, bool, p->plan->n_values);
    uint32_t *reader = gei_arena_array(&p->scratch, uint32_t, p->plan->n_values); /* 1 + the last step in a stretch that read it */
    if (!p->stretch_at || !p->meets_lanes || !reader) return gei_out_of_memory(diag, n * sizeof(uint32_t));
    memset(p->stretch_at, 0xFF, n * sizeof *p->stretch_at);
    for (uint32_t r = 0; r < inst->n_stretches; r++) {
        for (uint32_t s = inst->stretches[r].first; s < inst->stretches[r].end; s++) {
            const gei_plan_node *pn = &p->plan->nodes[inst->steps[s].node];
            p->stretch_at[s] = r;
            for (uint32_t k = 0; k < pn->node->n_ins; k++) {
                if (pn->in[k] == GEI_NO_VALUE) continue;
                uint32_t root = p->root[pn->in[k]], before = reader[root];
                bool is_same = before > inst->stretches[r].first; /* in this stretch */
                if (is_same && inst->steps[before - 1].lane != inst->steps[s].lane) p->meets_lanes[root] = true;
                reader[root] = s + 1;
            }
        }
    }
    return GE_OK;
}

/* ---- lives ---- */

static void find_last_uses(placer *p) {
    for (uint32_t s = 0; s < p->inst->n_steps; s++) {
        const gei_plan_node *pn = &p->plan->nodes[p->inst->steps[s].node];
        for (uint32_t k = 0; k < pn->node->n_ins; k++)
            if (pn->in[k] != GEI_NO_VALUE) p->last_use[p->root[pn->in[k]]] = s;
    }
    for (uint32_t k = 0; k < p->plan->n_outputs; k++) p->last_use[p->root[p->plan->outputs[k].value]] = END;
}

/* The kernel may write output 0 over input `slot`: nobody reads those bytes later, nor through another slot in another way. */
static bool may_overwrite(const placer *p, const gei_plan_node *pn, uint32_t slot, uint32_t step) {
    uint32_t from = pn->in[slot], out = pn->first_out;
    if (from == GEI_NO_VALUE || p->is_late[from]) return false;
    uint32_t root = p->root[from];
    if (!is_made(p, root) || p->last_use[root] != step || (p->meets_lanes && p->meets_lanes[root])) return false;
    uint64_t from_bytes, out_bytes;
    const gei_info *from_info = info_of(p, from), *out_info = info_of(p, out);
    if (!gei_info_bytes(from_info, &from_bytes) || !gei_info_bytes(out_info, &out_bytes) || from_bytes != out_bytes) return false;
    if (gei_dtype_get(from_info->dtype)->bits != gei_dtype_get(out_info->dtype)->bits) return false;
    for (uint32_t k = 0; k < pn->node->n_ins; k++) {
        if (k == slot || pn->in[k] == GEI_NO_VALUE || p->root[pn->in[k]] != root) continue;
        if (pn->in[k] != from || k >= 32 || !(pn->kernel->in_place >> k & 1)) return false;
    }
    return true;
}

static uint32_t overwritten_slot(const placer *p, const gei_plan_node *pn, uint32_t step) {
    uint32_t in_place = pn->kernel ? pn->kernel->in_place : 0;
    if (in_place == 0 || pn->node->n_outs == 0 || p->is_late[pn->first_out]) return NEVER;
    for (uint32_t slot = 0; slot < pn->node->n_ins && slot < 32; slot++)
        if (in_place >> slot & 1 && may_overwrite(p, pn, slot, step)) return slot;
    return NEVER;
}

static void share_blocks(placer *p) {
    for (uint32_t v = 0; v < p->plan->n_values; v++) p->block[v] = v;
    for (uint32_t s = 0; s < p->inst->n_steps; s++) {
        const gei_step *step = &p->inst->steps[s];
        const gei_plan_node *pn = &p->plan->nodes[step->node];
        uint32_t slot = step->kind == GEI_STEP_KERNEL && !step->late ? overwritten_slot(p, pn, s) : NEVER;
        if (slot != NEVER) p->block[pn->first_out] = block_of(p, pn->in[slot]);
        for (uint32_t k = 0; k < pn->node->n_outs && step->kind != GEI_STEP_VIEW; k++) {
            uint32_t v = pn->first_out + k;
            p->block_end[p->block[v]] = p->last_use[v] == NEVER ? s : p->last_use[v];
        }
    }
}

/* ---- outputs ---- */

static gei_out_kind claim_output(placer *p, uint32_t k) {
    uint32_t v = p->plan->outputs[k].value, block = block_of(p, v);
    uint64_t bytes;
    if (p->is_late[v] || !gei_info_bytes(info_of(p, v), &bytes)) return GEI_OUT_LATE;
    if (!is_made(p, p->root[v]) || p->block_out[block] != NEVER) return GEI_OUT_COPY;
    p->block_out[block] = k;
    return GEI_OUT_DIRECT;
}

static void place_outputs(placer *p) {
    gei_instance *inst = p->inst;
    for (uint32_t k = 0; k < p->plan->n_outputs; k++) {
        inst->out_kinds[k] = claim_output(p, k);
        if (inst->out_kinds[k] != GEI_OUT_COPY) continue;
        uint32_t s = add_step(p, GEI_STEP_COPY, 0, false);
        inst->steps[s].copy_from = p->plan->outputs[k].value;
        inst->steps[s].copy_to = k;
    }
}

/* ---- packing ---- */

static bool is_arena_block(const placer *p, uint32_t v) {
    return p->root[v] == v && p->block[v] == v && is_made(p, v) && !p->is_late[v] && p->block_out[v] == NEVER;
}

/* The steps a block is alive in.  In a stretch nothing is earlier or later: what reaches over its edge lives in all of it. */
static gei_live life_of(const placer *p, uint32_t v) {
    const gei_instance *inst = p->inst;
    uint32_t first = p->born[v], last = p->block_end[v];
    uint32_t end = last == END ? inst->n_steps : last + 1;
    gei_live life = { .first = first, .end = end };
    if (p->stretch_at && p->stretch_at[first] != NEVER) life.first = inst->stretches[p->stretch_at[first]].first;
    if (p->stretch_at && last != END && p->stretch_at[last] != NEVER) life.end = inst->stretches[p->stretch_at[last]].end;
    (void)gei_info_bytes(info_of(p, v), &life.size_bytes);
    return life;
}

/* The lane whose steps alone know a block, numbered over all stretches; NEVER for other blocks. */
static uint32_t lane_of(const placer *p, uint32_t v) {
    if (!p->stretch_at || p->block_end[v] == END) return NEVER;
    uint32_t r = p->stretch_at[p->born[v]];
    if (r == NEVER || p->stretch_at[p->block_end[v]] != r) return NEVER;
    return r * GEI_MAX_LANES + p->inst->steps[p->born[v]].lane;
}

static ge_status pack_lives(placer *p, gei_live *lives, size_t n, uint64_t *out_bytes, uint64_t *out_least, gei_diag *diag) {
    uint32_t effort = p->plan->options.mem_effort ? p->plan->options.mem_effort : GEI_MEM_EFFORT;
    if (!p->plan->is_static) effort = GEI_MEM_EFFORT_DYNAMIC;
    return gei_mem_plan(lives, n, effort, &p->scratch, out_bytes, out_least, diag);
}

/* Packs the blocks of one lane by themselves: room for all becomes one block that lives in the whole stretch. */
static ge_status pack_lane(placer *p, uint32_t lane, gei_live *lives, uint64_t *out_bytes, gei_diag *diag) {
    size_t n = 0;
    uint64_t least;
    for (uint32_t v = 0; v < p->plan->n_values; v++) {
        if (!is_arena_block(p, v) || lane_of(p, v) != lane) continue;
        lives[n] = (gei_live){ .first = p->born[v], .end = p->block_end[v] + 1 };
        (void)gei_info_bytes(info_of(p, v), &lives[n++].size_bytes);
    }
    GEI_TRY(pack_lives(p, lives, n, out_bytes, &least, diag));
    n = 0;
    for (uint32_t v = 0; v < p->plan->n_values; v++)
        if (is_arena_block(p, v) && lane_of(p, v) == lane) p->offset[v] = lives[n++].offset_bytes;
    return GE_OK;
}

/* Lanes first, each as one block; then the others and these. */
static ge_status pack(placer *p, gei_diag *diag) {
    gei_instance *inst = p->inst;
    size_t n = 0, n_rooms = (size_t)inst->n_stretches * GEI_MAX_LANES;
    for (uint32_t v = 0; v < p->plan->n_values; v++) n += is_arena_block(p, v);
    gei_live *lives = gei_arena_array(&p->scratch, gei_live, n + n_rooms);
    gei_live *own = gei_arena_array(&p->scratch, gei_live, n_rooms ? n : 0);
    if (!lives || !own) return gei_out_of_memory(diag, (n + n_rooms) * sizeof *lives);
    for (uint32_t lane = 0; lane < n_rooms; lane++) {
        const gei_stretch *stretch = &inst->stretches[lane / GEI_MAX_LANES];
        lives[lane] = (gei_live){ .first = stretch->first, .end = stretch->end };
        if (lane % GEI_MAX_LANES < stretch->n_lanes) GEI_TRY(pack_lane(p, lane, own, &lives[lane].size_bytes, diag));
    }
    size_t i = n_rooms;
    for (uint32_t v = 0; v < p->plan->n_values; v++)
        if (is_arena_block(p, v) && lane_of(p, v) == NEVER) lives[i++] = life_of(p, v);
    GEI_TRY(pack_lives(p, lives, i, &inst->arena_bytes, &inst->lower_bound_bytes, diag));
    i = n_rooms;
    for (uint32_t v = 0; v < p->plan->n_values; v++) {
        if (!is_arena_block(p, v)) continue;
        uint32_t lane = lane_of(p, v);
        p->offset[v] = lane == NEVER ? lives[i++].offset_bytes : p->offset[v] + lives[lane].offset_bytes;
    }
    return GE_OK;
}

/* ---- places ---- */

static gei_place place_of(const placer *p, uint32_t v) {
    const gei_plan_node *pn = &p->plan->nodes[p->plan->value_node[v]];
    uint32_t root = p->root[v], block = p->block[root];
    const gei_plan_node *root_node = &p->plan->nodes[p->plan->value_node[root]];
    bool is_run = p->needed[p->plan->value_node[v]] && pn->work != GEI_WORK_NONE;
    if (!is_run && !p->value_read[v]) return (gei_place){ .home = GEI_HOME_NONE };
    if (!is_run && p->known[v]) return (gei_place){ .home = GEI_HOME_CONST, .tensor = p->known[v] };
    if (p->is_late[v]) return (gei_place){ .home = GEI_HOME_LATE };
    if (!is_made(p, root)) {
        if (p->known[root]) return (gei_place){ .home = GEI_HOME_CONST, .tensor = p->known[root] };
        uint32_t var = p->plan->nodes[p->plan->value_node[root]].var;
        if (var != GEI_NO_VALUE) return (gei_place){ .home = GEI_HOME_VAR, .index = var };
        return (gei_place){ .home = GEI_HOME_INPUT, .index = (uint32_t)gei_node_int(root_node->node, "index", 0) };
    }
    if (p->block_out[block] != NEVER) return (gei_place){ .home = GEI_HOME_OUTPUT, .index = p->block_out[block] };
    return (gei_place){ .home = GEI_HOME_ARENA, .offset = p->offset[block] };
}

/* Step after which late memory of root v is free; NEVER: not such a root, or needed to the end. */
static uint32_t dead_step(const placer *p, uint32_t v) {
    if (!p->is_late[v] || p->root[v] != v || !is_made(p, v) || p->last_use[v] == END) return NEVER;
    return p->last_use[v] == NEVER ? p->born[v] : p->last_use[v];
}

static ge_status list_dead(placer *p, gei_diag *diag) {
    gei_instance *inst = p->inst;
    uint32_t n = 0;
    for (uint32_t v = 0; v < p->plan->n_values; v++) {
        p->dead_at[v] = dead_step(p, v);
        if (p->dead_at[v] == NEVER) continue;
        inst->steps[p->dead_at[v]].n_dead++;
        n++;
    }
    inst->late_dead = gei_arena_array(&inst->arena, uint32_t, n);
    if (!inst->late_dead) return gei_out_of_memory(diag, n * sizeof(uint32_t));
    uint32_t at = 0;
    for (uint32_t s = 0; s < inst->n_steps; s++) {
        inst->steps[s].first_dead = at;
        at += inst->steps[s].n_dead;
        inst->steps[s].n_dead = 0;
    }
    for (uint32_t v = 0; v < p->plan->n_values; v++) {
        if (p->dead_at[v] == NEVER) continue;
        gei_step *step = &inst->steps[p->dead_at[v]];
        inst->late_dead[step->first_dead + step->n_dead++] = v;
    }
    return GE_OK;
}

static ge_status place(placer *p, gei_diag *diag) {
    find_needed(p);
    GEI_TRY(find_steps(p, diag));
    GEI_TRY(gei_instance_size_steps(p->inst, &p->scratch, diag));
    GEI_TRY(gei_instance_find_stretches(p->inst, p->root, p->born, &p->scratch, diag));
    GEI_TRY(mark_stretches(p, diag));
    find_last_uses(p);
    share_blocks(p);
    place_outputs(p);
    GEI_TRY(pack(p, diag));
    for (uint32_t v = 0; v < p->plan->n_values; v++) p->inst->places[v] = place_of(p, v);
    return p->inst->has_late ? list_dead(p, diag) : GE_OK;
}

ge_status gei_instance_place(gei_instance *instance, gei_diag *diag) {
    placer p;
    ge_status st = init(&p, instance, diag);
    if (st == GE_OK) st = place(&p, diag);
    gei_arena_deinit(&p.scratch);
    return st;
}
