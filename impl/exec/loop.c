/* SPDX-License-Identifier: Apache-2.0 */
/* loop: While and Loop.
 *
 *   While: cond(state) -> go on;  body(state) -> state
 *   Loop:  slots trip count (optional), condition (optional), then carried values and what the body needs from outside;
 *          body(iteration, condition, carried, outside) -> condition, carried, items to collect.
 *          int attribute `carried`: how many of the values behind the condition are carried. */
#include <string.h>

#include "exec/control.h"

enum { SLOT_TRIPS, SLOT_CONDITION, SLOT_VALUES };                  /* of a Loop node */
enum { BODY_IN_ITERATION, BODY_IN_CONDITION, BODY_IN_VALUES };     /* of its body */

static ge_status init_while(gei_control_step *c, gei_diag *diag) {
    uint32_t n = c->pn->node->n_ins;
    c->cond = gei_control_find(c, "cond");
    c->body = gei_control_find(c, "body");
    GEI_TRY(gei_control_check(c, c->cond, n, 1, diag));
    GEI_TRY(gei_control_check(c, c->body, n, n, diag));
    if (c->pn->node->n_outs != n)
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': %u inputs but %u outputs", c->pn->node->def->name, c->pn->node->name, n,
                        c->pn->node->n_outs);
    c->n_carried = n;
    c->carried = gei_arena_array(&c->frame->arena, gei_carried, n);
    for (uint32_t k = 0; c->carried && k < n; k++) c->carried[k].body_in = k;
    return c->carried ? GE_OK : gei_out_of_memory(diag, n * sizeof *c->carried);
}

/* carried[0] is the condition. */
static ge_status init_loop(gei_control_step *c, gei_diag *diag) {
    const gei_node *node = c->pn->node;
    int64_t n = gei_node_int(node, "carried", (int64_t)node->n_ins - SLOT_VALUES);
    c->cond = UINT32_MAX;
    c->body = gei_control_find(c, "body");
    if (node->n_ins < SLOT_VALUES || n < 0 || n > (int64_t)node->n_ins - SLOT_VALUES || n > (int64_t)node->n_outs)
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': %lld carried values of %u inputs and %u outputs", node->def->name, node->name,
                        (long long)n, node->n_ins, node->n_outs);
    GEI_TRY(gei_control_check(c, c->body, node->n_ins, node->n_outs + 1, diag));
    c->n_carried = (uint32_t)n + 1;
    c->n_collected = node->n_outs - (uint32_t)n;
    c->carried = gei_arena_array(&c->frame->arena, gei_carried, c->n_carried);
    c->collected = gei_arena_array(&c->frame->arena, gei_collected, c->n_collected);
    for (uint32_t k = 0; c->carried && k < c->n_carried; k++) c->carried[k].body_in = BODY_IN_CONDITION + k;
    return c->carried && c->collected ? GE_OK : gei_out_of_memory(diag, c->n_carried * sizeof *c->carried);
}

ge_status gei_loop_init(gei_control_step *c, gei_diag *diag) {
    return c->pn->op->control == GEI_CONTROL_WHILE ? init_while(c, diag) : init_loop(c, diag);
}

/* ---- While ---- */

static ge_status ask(gei_control_step *c, bool *out, gei_diag *diag) {
    for (uint32_t k = 0; k < c->n_carried; k++) c->args[k] = &c->carried[k].view;
    GEI_TRY(gei_control_enter(c, c->cond, diag));
    gei_frame *f = c->bodies[c->cond];
    c->truth.body_in = UINT32_MAX; /* no input of its own, so never passed on */
    GEI_TRY(gei_carried_bind(c, &c->truth, f, 0, diag));
    GEI_TRY(gei_frame_run(f, c->frame->context, diag));
    GEI_TRY(gei_carried_take(c, &c->truth, f, 0, diag));
    *out = gei_view_is_true(&c->truth.view);
    return GE_OK;
}

ge_status gei_loop_iterate(gei_control_step *c, gei_diag *diag) {
    if (c->frame->context->is_watched) GEI_TRY(gei_run_stopped(c->frame->context)); /* the body may have no steps */
    GEI_TRY(gei_control_enter(c, c->body, diag));
    gei_frame *f = c->bodies[c->body];
    uint32_t n = c->n_carried;
    for (uint32_t k = 0; k < n; k++) GEI_TRY(gei_carried_bind(c, &c->carried[k], f, k, diag));
    for (uint32_t k = 0; k < c->n_collected; k++) GEI_TRY(gei_collected_bind(c, &c->collected[k], f, n + k, diag));
    GEI_TRY(gei_frame_run(f, c->frame->context, diag));
    for (uint32_t k = 0; k < n; k++) GEI_TRY(gei_carried_take(c, &c->carried[k], f, k, diag));
    for (uint32_t k = 0; k < c->n_collected; k++) GEI_TRY(gei_collected_take(c, &c->collected[k], f, n + k, diag));
    return GE_OK;
}

ge_status gei_while_run(gei_control_step *c, const gei_run *run) {
    for (uint32_t k = 0; k < c->n_carried; k++) gei_carried_start(&c->carried[k], run->in[k]);
    for (bool go_on;;) {
        GEI_TRY(ask(c, &go_on, run->diag));
        if (!go_on) break;
        for (uint32_t k = 0; k < c->n_carried; k++) c->args[k] = &c->carried[k].view;
        GEI_TRY(gei_loop_iterate(c, run->diag));
    }
    for (uint32_t k = 0; k < c->n_carried; k++) GEI_TRY(gei_carried_finish(c, run, &c->carried[k], k));
    return GE_OK;
}

/* ---- Loop ---- */

static ge_status trip_count(const gei_run *run, int64_t *out) {
    const gei_view *v = run->in[SLOT_TRIPS];
    *out = INT64_MAX;
    if (!v || v->n_elems == 0) return GE_OK;
    if (v->dtype == GEI_INT64) {
        memcpy(out, v->data, sizeof *out);
        return GE_OK;
    }
    int32_t narrow;
    if (v->dtype != GEI_INT32) return gei_fail(run->diag, GE_ERR_DTYPE, "%s '%s': the trip count is %s", run->node->def->name, run->node->name,
                                               gei_dtype_name(v->dtype));
    memcpy(&narrow, v->data, sizeof narrow);
    *out = narrow;
    return GE_OK;
}

/* The condition and the iteration are single elements, of the rank the body says. */
static gei_view single(gei_control_step *c, uint32_t body_in, int32_t dtype, void *data) {
    const gei_shape *declared = &c->models[c->body]->plan->inputs[body_in].shape;
    gei_view v = { .data = data, .n_elems = 1, .dtype = dtype, .rank = declared->rank > 0 ? declared->rank : 0 };
    for (int32_t d = 0; d < v.rank; d++) v.dims[d] = 1;
    return v;
}

static void start_loop(gei_control_step *c, const gei_run *run, gei_view *truth, uint8_t *is_true) {
    const gei_view *given = run->in[SLOT_CONDITION];
    *is_true = !given || gei_view_is_true(given);
    *truth = single(c, BODY_IN_CONDITION, GEI_BOOL, is_true);
    c->iteration_view = single(c, BODY_IN_ITERATION, GEI_INT64, &c->iteration);
    gei_carried_start(&c->carried[0], truth);
    for (uint32_t k = 1; k < c->n_carried; k++) gei_carried_start(&c->carried[k], run->in[SLOT_VALUES + k - 1]);
    gei_collected_start(c);
}

ge_status gei_loop_run(gei_control_step *c, const gei_run *run) {
    int64_t trips;
    gei_view truth;
    uint8_t is_true;
    GEI_TRY(trip_count(run, &trips));
    start_loop(c, run, &truth, &is_true);
    for (c->iteration = 0; c->iteration < trips && gei_view_is_true(&c->carried[0].view); c->iteration++) {
        c->args[BODY_IN_ITERATION] = &c->iteration_view;
        for (uint32_t i = SLOT_VALUES; i < run->n_in; i++) c->args[BODY_IN_VALUES + i - SLOT_VALUES] = run->in[i];
        for (uint32_t k = 0; k < c->n_carried; k++) c->args[BODY_IN_CONDITION + k] = &c->carried[k].view;
        GEI_TRY(gei_loop_iterate(c, run->diag));
    }
    for (uint32_t k = 1; k < c->n_carried; k++) GEI_TRY(gei_carried_finish(c, run, &c->carried[k], k - 1));
    for (uint32_t k = 0; k < c->n_collected; k++) GEI_TRY(gei_collected_finish(c, run, &c->collected[k], c->n_carried - 1 + k, 0, false));
    return GE_OK;
}
