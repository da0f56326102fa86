/* SPDX-License-Identifier: Apache-2.0 */
/* streams: independent branches of one graph side by side.
 *
 *   stretch  steps that follow each other in order and fall into groups which take nothing from one another
 *   lane     groups that one thread runs; all lanes of a stretch are joined before the next step
 *
 *        fork ---> a1 -> a2 -> a3 --+--> join           stretch: a1 a2 a3 b1 b2, lane 0: a1 a2 a3, lane 1: b1 b2
 *             \--> b1 -> b2 --------/
 *
 * A stretch is made where its longest lane is estimated shorter than its steps one after another, each split among all threads as its
 * kernel can be.  So kernels that split well stay in line, and branches of small ones go side by side. */
#include <string.h>

#include "plan/plan_inner.h"

#define UNITS_PER_NS 16.0    /* of gei_step.cost, one thread: between what memory and what products give */
#define STEP_NS 60.0         /* of any step */
#define SPLIT_NS 4000.0      /* to hand a step to other threads and wait for them */
#define STRETCH_NS 8000.0    /* the same for a stretch, with room for error */
#define LEAST_GAIN 0.12      /* of the time in line; estimates are not better */
#define WINDOW_STATIC 4096u  /* steps a stretch may have */
#define WINDOW_DYNAMIC 128u  /* a new shape is planned while somebody waits */
#define MAX_STRETCHES 256u   /* keeps planning linear */
#define NONE UINT32_MAX

typedef struct streams {
    gei_instance *inst;
    uint32_t n_threads;
    double *alone_ns;        /* by step: on one thread */
    double *split_ns;        /* by step: on all threads */
    uint32_t *first_pred;    /* by step, one more at the end */
    uint32_t *preds;         /* steps whose outputs it reads */
    uint32_t *n_readers;     /* by step */
    bool *stands_alone;      /* by step: not in a stretch */
    uint32_t *group;         /* by step: union-find within the window */
    double *group_ns;        /* by step that stands for its group */
    uint32_t *group_lane;    /* likewise */
    uint32_t *sorted;        /* groups of a stretch, the longest first */
} streams;

/* ---- facts of steps ---- */

static bool is_alone(const gei_instance *inst, const gei_step *step) {
    const gei_plan_node *pn = &inst->plan->nodes[step->node];
    if (step->kind != GEI_STEP_KERNEL || step->late) return true;
    return pn->op->traits & (GEI_OP_STATEFUL | GEI_OP_RANDOM) || pn->node->ctrl_ins.count > 0 || pn->node->ctrl_outs.count > 0;
}

static void estimate(streams *s, uint32_t i) {
    const gei_step *step = &s->inst->steps[i];
    uint32_t n = step->n_parts < s->n_threads ? step->n_parts : s->n_threads;
    s->alone_ns[i] = STEP_NS + step->cost / UNITS_PER_NS;
    s->split_ns[i] = n > 1 ? SPLIT_NS + s->alone_ns[i] * 1.1 / n : s->alone_ns[i];
    if (s->inst->plan->options.always_branch) s->split_ns[i] = 1e6 * s->alone_ns[i];
    s->stands_alone[i] = is_alone(s->inst, step);
}

/* born: by root, the step that makes it. */
static void find_preds(streams *s, const uint32_t *root, const uint32_t *born) {
    const gei_instance *inst = s->inst;
    uint32_t n = 0;
    for (uint32_t i = 0; i < inst->n_steps; i++) {
        const gei_plan_node *pn = &inst->plan->nodes[inst->steps[i].node];
        s->first_pred[i] = n;
        for (uint32_t k = 0; k < pn->node->n_ins; k++) {
            uint32_t from = pn->in[k] == GEI_NO_VALUE ? NONE : born[root[pn->in[k]]];
            if (from == NONE) continue;
            s->preds[n++] = from;
            s->n_readers[from]++;
        }
    }
    s->first_pred[inst->n_steps] = n;
}

/* Worth a search: what has to be done in line is clearly less than everything. */
static bool has_branches(const streams *s, double *finish_ns) {
    double total = 0, longest = 0;
    for (uint32_t i = 0; i < s->inst->n_steps; i++) {
        double start = 0;
        for (uint32_t k = s->first_pred[i]; k < s->first_pred[i + 1]; k++)
            if (finish_ns[s->preds[k]] > start) start = finish_ns[s->preds[k]];
        finish_ns[i] = start + s->alone_ns[i];
        if (finish_ns[i] > longest) longest = finish_ns[i];
        total += s->alone_ns[i];
    }
    return total - longest > STRETCH_NS || s->inst->plan->options.always_branch;
}

/* ---- groups ---- */

static uint32_t group_of(streams *s, uint32_t i) {
    while (s->group[i] != i) {
        s->group[i] = s->group[s->group[i]];
        i = s->group[i];
    }
    return i;
}

/* Adds step i to the window that begins at `first`.  Gives how many groups that leaves. */
static uint32_t add_step(streams *s, uint32_t first, uint32_t i, uint32_t n_groups) {
    s->group[i] = i;
    s->group_ns[i] = s->alone_ns[i];
    n_groups++;
    for (uint32_t k = s->first_pred[i]; k < s->first_pred[i + 1]; k++) {
        if (s->preds[k] < first) continue;
        uint32_t g = group_of(s, s->preds[k]), mine = group_of(s, i);
        if (g == mine) continue;
        s->group[g] = mine;
        s->group_ns[mine] += s->group_ns[g];
        n_groups--;
    }
    return n_groups;
}

/* The end of the best stretch from `first`, or `first`. */
static uint32_t best_end(streams *s, uint32_t first, uint32_t window) {
    double line_ns = 0, work_ns = 0, longest_ns = 0, best = 0;
    uint32_t end = first, n_groups = 0;
    for (uint32_t i = first; i < s->inst->n_steps && i - first < window && !s->stands_alone[i]; i++) {
        n_groups = add_step(s, first, i, n_groups);
        line_ns += s->split_ns[i];
        work_ns += s->alone_ns[i];
        double mine = s->group_ns[group_of(s, i)];
        if (mine > longest_ns) longest_ns = mine;
        double lanes_ns = work_ns / s->n_threads > longest_ns ? work_ns / s->n_threads : longest_ns;
        double gain = line_ns - lanes_ns - STRETCH_NS;
        if (n_groups > 1 && gain > best && gain > LEAST_GAIN * line_ns) {
            best = gain;
            end = i + 1;
        }
        if (end > first && n_groups == 1) break; /* everything met again */
    }
    return end;
}

/* ---- lanes ---- */

static void sort_longest_first(const streams *s, uint32_t *groups, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        uint32_t g = groups[i], k = i;
        for (; k > 0 && s->group_ns[groups[k - 1]] < s->group_ns[g]; k--) groups[k] = groups[k - 1];
        groups[k] = g;
    }
}

/* The longest group goes to the lane that is shortest so far. */
static uint32_t assign(streams *s, uint32_t first, uint32_t end) {
    double lane_ns[GEI_MAX_LANES] = { 0 };
    uint32_t n = 0, n_lanes = 0, most = s->n_threads < GEI_MAX_LANES ? s->n_threads : GEI_MAX_LANES;
    for (uint32_t i = first; i < end; i++) s->group[i] = i;
    for (uint32_t i = first; i < end; i++) (void)add_step(s, first, i, 0);
    for (uint32_t i = first; i < end; i++)
        if (group_of(s, i) == i) s->sorted[n++] = i;
    sort_longest_first(s, s->sorted, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t lane = 0;
        for (uint32_t l = 1; l < most; l++)
            if (lane_ns[l] < lane_ns[lane]) lane = l;
        lane_ns[lane] += s->group_ns[s->sorted[k]];
        s->group_lane[s->sorted[k]] = lane;
        if (lane + 1 > n_lanes) n_lanes = lane + 1;
    }
    for (uint32_t i = first; i < end; i++) s->inst->steps[i].lane = s->group_lane[group_of(s, i)];
    return n_lanes;
}

/* A stretch begins at the start, behind a step whose output goes several ways, or where a branch of its own begins. */
static bool may_begin(const streams *s, uint32_t i) {
    if (s->stands_alone[i]) return false;
    if (i == 0 || s->first_pred[i] == s->first_pred[i + 1]) return true;
    for (uint32_t k = s->first_pred[i]; k < s->first_pred[i + 1]; k++)
        if (s->n_readers[s->preds[k]] > 1) return true;
    return false;
}

static ge_status find_stretches(streams *s, gei_diag *diag) {
    gei_instance *inst = s->inst;
    uint32_t window = inst->plan->is_static ? WINDOW_STATIC : WINDOW_DYNAMIC;
    gei_stretch *found = gei_arena_array(&inst->arena, gei_stretch, inst->n_steps / 2 + 1); /* two steps at least in each */
    if (!found) return gei_out_of_memory(diag, inst->n_steps * sizeof *found);
    for (uint32_t i = 0; i < inst->n_steps && inst->n_stretches < MAX_STRETCHES;) {
        uint32_t end = may_begin(s, i) ? best_end(s, i, window) : i;
        if (end == i) {
            i++;
            continue;
        }
        gei_stretch *stretch = &found[inst->n_stretches++];
        *stretch = (gei_stretch){ .first = i, .end = end, .n_lanes = assign(s, i, end) };
        if (stretch->n_lanes > inst->most_lanes) inst->most_lanes = stretch->n_lanes;
        i = end;
    }
    inst->stretches = found;
    return GE_OK;
}

ge_status gei_instance_find_stretches(gei_instance *inst, const uint32_t *root, const uint32_t *born, gei_arena *scratch, gei_diag *diag) {
    streams s = { .inst = inst, .n_threads = inst->plan->options.max_threads };
    uint32_t n = inst->n_steps;
    if (s.n_threads < 2 || n < 3 || inst->has_late) return GE_OK;
    s.alone_ns = gei_arena_array(scratch, double, n);
    s.split_ns = gei_arena_array(scratch, double, n);
    s.first_pred = gei_arena_array(scratch, uint32_t, (size_t)n + 1);
    s.preds = gei_arena_array(scratch, uint32_t, inst->n_pointers);
    s.n_readers = gei_arena_array(scratch, uint32_t, n);
    s.stands_alone = gei_arena_array(scratch, bool, n);
    s.group = gei_arena_array(scratch, uint32_t, n);
    s.group_ns = gei_arena_array(scratch, double, n);
    s.group_lane = gei_arena_array(scratch, uint32_t, n);
    s.sorted = gei_arena_array(scratch, uint32_t, n);
    if (!s.alone_ns || !s.split_ns || !s.first_pred || !s.preds || !s.n_readers || !s.stands_alone || !s.group || !s.group_ns ||
        !s.group_lane || !s.sorted)
        return gei_out_of_memory(diag, n * sizeof(double));
    for (uint32_t i = 0; i < n; i++) estimate(&s, i);
    find_preds(&s, root, born);
    return has_branches(&s, s.group_ns) ? find_stretches(&s, diag) : GE_OK;
}
