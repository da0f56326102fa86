/* SPDX-License-Identifier: Apache-2.0 */
/* plan_text: a plan and one of its instances as text, and the kernels alone.
 *
 *   plan "mlp": 6 nodes, 5 values, 2568 constant bytes, 2560 packed
 *     input 0 "x" f32[batch,64]
 *     output 0 "prob" f32[batch,10]
 *     kernel MatMulV2 'fc' avx512
 *   instance: arena 128 bytes (at least 128), scratch 0, 2 steps
 *     step 0 MatMulV2 'fc' avx512, 4 parts: in0, const f32[64,10] -> arena+0 f32[1,10]
 *     copy arena+0 f32[1,10] -> out1
 *   notes:
 *     ... refused kernels with their reasons
 */
#include <string.h>

#include "plan/plan_inner.h"

static const char *const *symbol_names(const gei_plan *plan) { return plan->graph->symbols->names.items; }

static void print_type(const gei_plan *plan, int32_t dtype, const gei_shape *shape, gei_sink *to) {
    char text[256];
    gei_shape_text(shape, symbol_names(plan), text, sizeof text);
    gei_sink_text(to, gei_dtype_short(dtype));
    gei_sink_text(to, text);
}

static void print_io(const gei_plan *plan, const char *what, const gei_plan_io *ios, uint32_t count, gei_sink *to) {
    for (uint32_t i = 0; i < count; i++) {
        gei_sink_format(to, "  %s %u ", what, i);
        gei_sink_quoted(to, ios[i].name, strlen(ios[i].name));
        gei_sink_text(to, " ");
        print_type(plan, ios[i].dtype, &ios[i].shape, to);
        gei_sink_text(to, "\n");
    }
}

static const char *work_name(const gei_plan_node *pn) {
    if (pn->kernel) return pn->kernel->name;
    switch (pn->work) {
    case GEI_WORK_VIEW: return "view";
    case GEI_WORK_CONTROL: return "control";
    default: return "-";
    }
}

static void print_kernels(const gei_plan *plan, gei_sink *to) {
    for (size_t i = 0; i < plan->n_order; i++) {
        const gei_plan_node *pn = &plan->nodes[i];
        if (!pn->kernel) continue;
        gei_sink_format(to, "  kernel %s '%s' %s\n", pn->node->def->name, pn->node->name, pn->kernel->name);
    }
}

static void print_place(const gei_place *place, gei_sink *to) {
    switch (place->home) {
    case GEI_HOME_NONE: gei_sink_text(to, "unused"); break;
    case GEI_HOME_ARENA: gei_sink_format(to, "arena+%llu", (unsigned long long)place->offset); break;
    case GEI_HOME_INPUT: gei_sink_format(to, "in%u", place->index); break;
    case GEI_HOME_OUTPUT: gei_sink_format(to, "out%u", place->index); break;
    case GEI_HOME_CONST: gei_sink_text(to, "const"); break;
    case GEI_HOME_LATE: gei_sink_text(to, "late"); break;
    case GEI_HOME_VAR: gei_sink_format(to, "var%u", place->index); break;
    }
}

static void print_value(const gei_instance *inst, uint32_t value, gei_sink *to) {
    const gei_info *info = gei_instance_info(inst, value);
    print_place(&inst->places[value], to);
    gei_sink_text(to, " ");
    print_type(inst->plan, info->dtype, &info->shape, to);
}

static bool is_in_stretch(const gei_instance *inst, uint32_t step) {
    for (uint32_t r = 0; r < inst->n_stretches; r++)
        if (step >= inst->stretches[r].first && step < inst->stretches[r].end) return true;
    return false;
}

static void print_step(const gei_instance *inst, uint32_t index, gei_sink *to) {
    const gei_step *step = &inst->steps[index];
    if (step->kind == GEI_STEP_COPY) {
        gei_sink_text(to, "  copy ");
        print_value(inst, step->copy_from, to);
        gei_sink_format(to, " -> out%u\n", step->copy_to);
        return;
    }
    const gei_plan_node *pn = &inst->plan->nodes[step->node];
    gei_sink_format(to, "  step %u %s '%s' %s", index, pn->node->def->name, pn->node->name, work_name(pn));
    if (inst->most_lanes > 0 && is_in_stretch(inst, index)) gei_sink_format(to, ", lane %u", step->lane);
    if (step->late) gei_sink_text(to, ", late");
    if (step->n_parts > 1) gei_sink_format(to, ", %u parts", step->n_parts);
    if (step->part_scratch_bytes > 0) gei_sink_format(to, ", scratch %zu", step->part_scratch_bytes);
    gei_sink_text(to, ":");
    for (uint32_t k = 0; k < pn->node->n_ins; k++) {
        gei_sink_text(to, k > 0 ? ", " : " ");
        if (pn->in[k] == GEI_NO_VALUE) gei_sink_text(to, "-");
        else print_value(inst, pn->in[k], to);
    }
    for (uint32_t k = 0; k < pn->node->n_outs; k++) {
        gei_sink_text(to, k > 0 ? ", " : " -> ");
        print_value(inst, pn->first_out + k, to);
    }
    gei_sink_text(to, "\n");
}

static void print_instance(const gei_instance *inst, gei_sink *to) {
    gei_sink_format(to, "instance: arena %llu bytes (at least %llu), scratch %llu, %u steps\n", (unsigned long long)inst->arena_bytes,
                    (unsigned long long)inst->lower_bound_bytes, (unsigned long long)inst->scratch_bytes, inst->n_steps);
    for (uint32_t i = 0; i < inst->plan->n_inputs; i++) {
        gei_sink_format(to, "  in%u ", i);
        print_type(inst->plan, inst->plan->inputs[i].dtype, &inst->input_shapes[i], to);
        gei_sink_text(to, "\n");
    }
    for (uint32_t s = 0; s < inst->n_steps; s++) print_step(inst, s, to);
}

/* ---- kernels ---- */

/* Refusals are noted in the order of nodes, each line with its node in front. */
typedef struct refusals {
    const char *at, *end;
} refusals;

static void print_refusals(refusals *r, const gei_node *node, gei_sink *to) {
    size_t type = strlen(node->def->name), name = strlen(node->name), head = type + name + 5; /* Type 'name':_ */
    while ((size_t)(r->end - r->at) > head) {
        bool is_its = memcmp(r->at, node->def->name, type) == 0 && memcmp(r->at + type, " '", 2) == 0 &&
                      memcmp(r->at + type + 2, node->name, name) == 0 && memcmp(r->at + type + 2 + name, "': ", 3) == 0;
        if (!is_its) return;
        const char *line = r->at + head, *line_end = memchr(line, '\n', (size_t)(r->end - line));
        if (!line_end) return;
        gei_sink_text(to, "    ");
        gei_sink_bytes(to, line, (size_t)(line_end + 1 - line));
        r->at = line_end + 1;
    }
}

static bool may_have_step(const gei_plan *plan, const gei_plan_node *pn) {
    return pn->kernel || (pn->work == GEI_WORK_CONTROL && pn->node->n_subgraphs > 0 && plan->bodies[pn->first_body]);
}

uint32_t gei_plan_count_steps(const gei_plan *plan) {
    uint32_t n = 0;
    for (size_t i = 0; i < plan->n_order; i++) n += may_have_step(plan, &plan->nodes[i]);
    return n;
}

static void print_kernel(const gei_plan_node *pn, bool is_late, refusals *r, gei_sink *to) {
    gei_sink_format(to, "  %s '%s': %s%s\n", pn->node->def->name, pn->node->name, work_name(pn), is_late ? ", late" : "");
    print_refusals(r, pn->node, to);
}

static void print_steps(const gei_instance *inst, refusals *r, gei_sink *to) {
    for (uint32_t s = 0; s < inst->n_steps; s++) {
        const gei_step *step = &inst->steps[s];
        if (step->kind == GEI_STEP_COPY) gei_sink_format(to, "  output %u: copy\n", step->copy_to);
        else print_kernel(&inst->plan->nodes[step->node], step->late, r, to);
    }
}

static void print_nodes(const gei_plan *plan, refusals *r, gei_sink *to) {
    for (size_t i = 0; i < plan->n_order; i++)
        if (may_have_step(plan, &plan->nodes[i])) print_kernel(&plan->nodes[i], false, r, to);
}

ge_status gei_plan_print_kernels(const gei_plan *plan, const gei_instance *instance, gei_sink *to, gei_diag *diag) {
    refusals r = { plan->notes.data, plan->notes.data ? plan->notes.data + plan->notes.size : NULL };
    gei_sink_text(to, "kernels of ");
    gei_sink_quoted(to, plan->graph->name, strlen(plan->graph->name));
    if (instance) gei_sink_format(to, ": %u steps\n", instance->n_steps);
    else gei_sink_format(to, ": %u steps, fewer or more with the shapes of a run\n", gei_plan_count_steps(plan));
    if (instance) print_steps(instance, &r, to);
    else print_nodes(plan, &r, to);
    if (r.at < r.end) gei_sink_bytes(to, r.at, (size_t)(r.end - r.at));
    for (uint32_t i = 0; i < plan->n_bodies; i++)
        if (plan->bodies[i]) GEI_TRY(gei_plan_print_kernels(plan->bodies[i], NULL, to, diag));
    return to->failed ? gei_out_of_memory(diag, to->size) : GE_OK;
}

/* ---- everything ---- */

ge_status gei_plan_print(const gei_plan *plan, const gei_instance *instance, gei_sink *to, gei_diag *diag) {
    gei_sink_text(to, "plan ");
    gei_sink_quoted(to, plan->graph->name, strlen(plan->graph->name));
    gei_sink_format(to, ": %zu nodes, %u values, %llu constant bytes, %llu packed\n", plan->n_order, plan->n_values,
                    (unsigned long long)plan->constant_bytes, (unsigned long long)plan->packed_bytes);
    print_io(plan, "input", plan->inputs, plan->n_inputs, to);
    print_io(plan, "output", plan->outputs, plan->n_outputs, to);
    if (instance) print_instance(instance, to);
    else print_kernels(plan, to);
    if (plan->notes.size > 0) {
        gei_sink_text(to, "notes:\n");
        gei_sink_bytes(to, plan->notes.data, plan->notes.size);
    }
    for (uint32_t i = 0; i < plan->n_bodies; i++)
        if (plan->bodies[i]) GEI_TRY(gei_plan_print(plan->bodies[i], NULL, to, diag));
    return to->failed ? gei_out_of_memory(diag, to->size) : GE_OK;
}
