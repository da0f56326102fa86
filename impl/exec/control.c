/* SPDX-License-Identifier: Apache-2.0 */
/* control: steps that run bodies; If, Case and calls. */
#include "exec/control.h"

#include <string.h>

/* ---- facts ---- */

uint32_t gei_control_find(const gei_control_step *c, const char *port) { return gei_body_find(c->pn->node, port); }

static ge_status fail(const gei_control_step *c, gei_diag *diag, ge_status status, const char *what) {
    return gei_fail(diag, status, "%s '%s': %s", c->pn->node->def->name, c->pn->node->name, what);
}

ge_status gei_control_check(const gei_control_step *c, uint32_t body, uint32_t n_in, uint32_t n_out, gei_diag *diag) {
    const gei_node *node = c->pn->node;
    if (body >= node->n_subgraphs) return fail(c, diag, GE_ERR_BAD_GRAPH, "a subgraph is missing");
    const gei_plan *plan = c->models[body]->plan;
    if (plan->n_inputs == n_in && plan->n_outputs == n_out) return GE_OK;
    return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': subgraph '%s' has %u inputs and %u outputs, not %u and %u", node->def->name, node->name,
                    plan->graph->name, plan->n_inputs, plan->n_outputs, n_in, n_out);
}

/* ---- life ---- */

static ge_status check_branches(const gei_control_step *c, uint32_t n_in, gei_diag *diag) {
    if (c->pn->node->n_subgraphs == 0) return fail(c, diag, GE_ERR_BAD_GRAPH, "it has no subgraph");
    for (uint32_t i = 0; i < c->pn->node->n_subgraphs; i++) GEI_TRY(gei_control_check(c, i, n_in, c->pn->node->n_outs, diag));
    return GE_OK;
}

static ge_status check_kind(gei_control_step *c, gei_diag *diag) {
    uint32_t n_ins = c->pn->node->n_ins;
    switch (c->pn->op->control) {
    case GEI_CONTROL_IF:
    case GEI_CONTROL_CASE:
        if (n_ins == 0 || c->pn->in[0] == GEI_NO_VALUE) return fail(c, diag, GE_ERR_BAD_GRAPH, "its condition is missing");
        return check_branches(c, n_ins - 1, diag);
    case GEI_CONTROL_CALL: return check_branches(c, n_ins, diag);
    case GEI_CONTROL_WHILE:
    case GEI_CONTROL_LOOP: return gei_loop_init(c, diag);
    case GEI_CONTROL_SCAN: return gei_scan_init(c, diag);
    case GEI_CONTROL_MAP: return gei_map_init(c, diag);
    default: return fail(c, diag, GE_ERR_UNSUPPORTED, "this kind of control flow");
    }
}

ge_status gei_control_init(gei_frame *f, gei_exec_step *s, gei_diag *diag) {
    const gei_plan *plan = f->instance->plan;
    const gei_plan_node *pn = &plan->nodes[s->step->node];
    gei_control_step *c = gei_arena_new(&f->arena, gei_control_step);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    c->frame = f;
    c->pn = pn;
    c->models = f->model->bodies + pn->first_body;
    c->bodies = gei_arena_array(&f->arena, gei_frame *, pn->node->n_subgraphs);
    uint32_t most = 0;
    for (uint32_t i = 0; i < pn->node->n_subgraphs; i++)
        if (c->models[i]->plan->n_inputs > most) most = c->models[i]->plan->n_inputs;
    c->args = gei_arena_array(&f->arena, const gei_view *, most);
    if (!c->bodies || !c->args) return gei_out_of_memory(diag, most * sizeof *c->args);
    s->extra = c;
    return check_kind(c, diag);
}

void gei_control_deinit(gei_exec_step *s) {
    gei_control_step *c = s->extra; /* buffers go with the frame's tables */
    for (uint32_t i = 0; i < c->pn->node->n_subgraphs; i++)
        if (c->bodies[i]) gei_model_give_frame(c->bodies[i]);
}

/* ---- bodies ---- */

static ge_status check_arg(const gei_control_step *c, const gei_plan *body, uint32_t index, gei_diag *diag) {
    const gei_view *arg = c->args[index];
    const gei_plan_io *io = &body->inputs[index];
    if (!arg) return gei_fail(diag, GE_ERR_NOT_BOUND, "%s '%s': input '%s' of subgraph '%s' has no value", c->pn->node->def->name,
                              c->pn->node->name, io->name, body->graph->name);
    if (gei_dtype_fits(arg->dtype, io->dtype)) return GE_OK;
    return gei_fail(diag, GE_ERR_DTYPE, "%s '%s': input '%s' of subgraph '%s' is %s, not %s", c->pn->node->def->name, c->pn->node->name, io->name,
                    body->graph->name, gei_dtype_name(io->dtype), gei_dtype_name(arg->dtype));
}

ge_status gei_control_enter(gei_control_step *c, uint32_t body, gei_diag *diag) {
    gei_model *m = c->models[body];
    uint32_t n = m->plan->n_inputs;
    gei_frame *f = c->bodies[body];
    for (uint32_t i = 0; i < n; i++) GEI_TRY(check_arg(c, m->plan, i, diag));
    gei_signature s = gei_signature_of_views(c->args, n);
    if (!f || !gei_signature_is(&s, f->instance->input_shapes)) {
        GEI_TRY(gei_model_take_frame(m, &s, &f, diag));
        if (c->bodies[body]) gei_model_give_frame(c->bodies[body]);
        c->bodies[body] = f;
    }
    for (uint32_t i = 0; i < n; i++) gei_frame_set_input(f, i, c->args[i]->data);
    return GE_OK;
}

static ge_status not_planned(const gei_control_step *c, uint32_t k, const gei_view *planned, const gei_view *found, gei_diag *diag) {
    char planned_text[GEI_DIAG_WORD_BYTES], found_text[GEI_DIAG_WORD_BYTES];
    gei_shape planned_shape = gei_shape_of(planned->rank, planned->dims), found_shape = gei_shape_of(found->rank, found->dims);
    gei_shape_text(&planned_shape, NULL, planned_text, sizeof planned_text);
    gei_shape_text(&found_shape, NULL, found_text, sizeof found_text);
    return gei_fail(diag, GE_ERR_SHAPE, "%s '%s': output %u is %s%s, planned was %s%s", c->pn->node->def->name, c->pn->node->name, k,
                    gei_dtype_name(found->dtype), found_text, gei_dtype_name(planned->dtype), planned_text);
}

ge_status gei_control_set_output(gei_control_step *c, const gei_run *run, uint32_t k, const gei_view *like, size_t size_bytes) {
    gei_view *to = run->out[k];
    if (c->frame->instance->places[c->pn->first_out + k].home != GEI_HOME_LATE) {
        bool fits = to->dtype == like->dtype && gei_view_is_shape(to, like->rank, like->dims);
        return fits ? GE_OK : not_planned(c, k, to, like, run->diag);
    }
    int32_t planned = to->dtype;
    *to = *like;
    if (gei_dtype_is_bundle(planned)) to->dtype = planned; /* what is inside an empty one is not known to `like` */
    return gei_late_alloc(c->frame, to, size_bytes, run->diag);
}

/* ---- a body that runs once ---- */

/* Outputs whose size is known before the body runs are written in place. */
static ge_status bind_outputs(gei_control_step *c, gei_frame *body, const gei_run *run) {
    const gei_instance *inst = body->instance;
    for (uint32_t k = 0; k < run->n_out; k++) {
        if (inst->out_kinds[k] == GEI_OUT_LATE) continue;
        GEI_TRY(gei_control_set_output(c, run, k, gei_frame_output(body, k), inst->output_bytes[k]));
        gei_frame_set_output(body, k, run->out[k]->data);
    }
    return GE_OK;
}

static ge_status copy_late_outputs(gei_control_step *c, gei_frame *body, const gei_run *run) {
    for (uint32_t k = 0; k < run->n_out; k++) {
        if (body->instance->out_kinds[k] != GEI_OUT_LATE) continue;
        const gei_view *from = gei_frame_output(body, k);
        size_t bytes = gei_view_bytes(from);
        GEI_TRY(gei_control_set_output(c, run, k, from, bytes));
        if (bytes > 0) memcpy(run->out[k]->data, from->data, bytes);
    }
    return GE_OK;
}

static ge_status call(gei_control_step *c, uint32_t body, const gei_run *run, uint32_t first_arg) {
    for (uint32_t i = first_arg; i < run->n_in; i++) c->args[i - first_arg] = run->in[i];
    GEI_TRY(gei_control_enter(c, body, run->diag));
    gei_frame *f = c->bodies[body];
    GEI_TRY(bind_outputs(c, f, run));
    GEI_TRY(gei_frame_run(f, c->frame->context, run->diag));
    return copy_late_outputs(c, f, run);
}

static ge_status run_kind(gei_control_step *c, const gei_run *run) {
    switch (c->pn->op->control) {
    case GEI_CONTROL_IF:
    case GEI_CONTROL_CASE: {
        uint32_t body = gei_body_taken(c->pn->node, run->in[0]);
        return body == UINT32_MAX ? fail(c, run->diag, GE_ERR_BAD_GRAPH, "a branch is missing") : call(c, body, run, 1);
    }
    case GEI_CONTROL_CALL: return call(c, 0, run, 0);
    case GEI_CONTROL_WHILE: return gei_while_run(c, run);
    case GEI_CONTROL_LOOP: return gei_loop_run(c, run);
    case GEI_CONTROL_SCAN: return gei_scan_run(c, run);
    case GEI_CONTROL_MAP: return gei_map_run(c, run);
    default: return GE_ERR_INTERNAL;
    }
}

ge_status gei_control_run(const gei_run *run, uint32_t part) {
    gei_exec_step *s = gei_step_of(run);
    (void)part;
    ge_status st = run_kind(s->extra, run);
    if (st == GE_OK) gei_late_free_dead(s->frame, s->step);
    return st;
}
