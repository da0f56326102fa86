/* SPDX-License-Identifier: Apache-2.0 */
/* plan_build: the template of a graph.  Each stage is one linear walk over the order. */
#include <string.h>

#include "plan/plan_inner.h"

static ge_status create(gei_graph *graph, gei_plan *root, gei_facts *facts, const gei_plan_options *options,
                        const gei_allocator *from, uint32_t depth, gei_plan **out, gei_diag *diag);

/* ---- order and numbers ---- */

static gei_work work_of(const gei_op *op) {
    if (!op) return GEI_WORK_KERNEL; /* fails when kernels are chosen, if anything needs it */
    if (op->traits & (GEI_OP_INPUT | GEI_OP_OUTPUT | GEI_OP_CONST | GEI_OP_VARIABLE)) return GEI_WORK_NONE;
    if (op->control != GEI_CONTROL_NONE) return GEI_WORK_CONTROL;
    return op->traits & (GEI_OP_VIEW | GEI_OP_IDENTITY) ? GEI_WORK_VIEW : GEI_WORK_KERNEL;
}

static ge_status number_values(gei_plan *plan, size_t *out_slots, gei_diag *diag) {
    uint64_t n_values = 0, n_slots = 0;
    for (size_t i = 0; i < plan->n_order; i++) {
        plan->value_base[plan->order[i]->index] = (uint32_t)n_values;
        n_values += plan->order[i]->n_outs;
        n_slots += plan->order[i]->n_ins;
    }
    if (n_values >= GEI_NO_VALUE) return gei_fail(diag, GE_ERR_LIMIT, "graph '%s' has too many values", plan->graph->name);
    plan->n_values = (uint32_t)n_values;
    *out_slots = n_slots;
    plan->value_node = gei_arena_array(&plan->arena, uint32_t, n_values);
    plan->constants = gei_arena_array(&plan->arena, gei_tensor *, n_values);
    return plan->value_node && plan->constants ? GE_OK : gei_out_of_memory(diag, n_values * sizeof(void *));
}

static uint32_t value_number(const gei_plan *plan, gei_value v) {
    return v.node ? plan->value_base[v.node->index] + v.out : GEI_NO_VALUE;
}

static ge_status fill_nodes(gei_plan *plan, size_t n_slots, gei_diag *diag) {
    plan->nodes = gei_arena_array(&plan->arena, gei_plan_node, plan->n_order);
    uint32_t *in = gei_arena_array(&plan->arena, uint32_t, n_slots);
    if (!plan->nodes || !in) return gei_out_of_memory(diag, plan->n_order * sizeof(gei_plan_node));
    for (size_t i = 0; i < plan->n_order; i++) {
        gei_node *node = plan->order[i];
        const gei_op *op = gei_op_of(node);
        uint32_t first_out = plan->value_base[node->index];
        plan->nodes[i] = (gei_plan_node){ .node = node, .op = op, .in = in, .first_out = first_out, .work = work_of(op) };
        for (uint32_t k = 0; k < node->n_ins; k++) *in++ = value_number(plan, node->ins[k].from);
        for (uint32_t k = 0; k < node->n_outs; k++) plan->value_node[first_out + k] = (uint32_t)i;
    }
    return GE_OK;
}

static ge_status take_order(gei_plan *plan, gei_diag *diag) {
    size_t n_slots = 0;
    plan->order = plan->facts.order;
    plan->n_order = plan->facts.n_order;
    plan->value_base = gei_arena_array(&plan->arena, uint32_t, plan->graph->nodes.count);
    if (!plan->value_base) return gei_out_of_memory(diag, plan->graph->nodes.count * sizeof(uint32_t));
    GEI_TRY(number_values(plan, &n_slots, diag));
    return fill_nodes(plan, n_slots, diag);
}

/* ---- inputs, outputs, constants ---- */

static ge_status describe_inputs(gei_plan *plan, const gei_infos *infos, gei_diag *diag) {
    gei_node **nodes;
    size_t count;
    GEI_TRY(gei_graph_inputs(plan->graph, infos->arena, &nodes, &count, diag));
    plan->inputs = gei_arena_array(&plan->arena, gei_plan_io, count);
    if (!plan->inputs) return gei_out_of_memory(diag, count * sizeof(gei_plan_io));
    plan->n_inputs = (uint32_t)count;
    plan->is_static = true;
    for (size_t i = 0; i < count; i++) {
        const gei_info *info = &infos->by_node[nodes[i]->index][0];
        plan->inputs[i] = (gei_plan_io){ nodes[i]->name, nodes[i], value_number(plan, gei_value_of(nodes[i], 0)), info->dtype,
                                         info->format, info->shape, gei_op_has(gei_op_of(nodes[i]), GEI_OP_STATEFUL) };
        plan->is_static = plan->is_static && gei_shape_known(&info->shape);
        if (info->dtype != GEI_UNDEFINED) continue;
        gei_diag_node(diag, nodes[i]->name);
        return gei_fail(diag, GE_ERR_DTYPE, "input '%s' has no data type", nodes[i]->name);
    }
    return GE_OK;
}

static ge_status describe_outputs(gei_plan *plan, const gei_infos *infos, gei_diag *diag) {
    const gei_node *sink = plan->graph->net_output;
    uint32_t count = sink ? sink->n_ins : 0;
    plan->outputs = gei_arena_array(&plan->arena, gei_plan_io, count);
    if (!plan->outputs) return gei_out_of_memory(diag, count * sizeof(gei_plan_io));
    plan->n_outputs = count;
    for (uint32_t i = 0; i < count; i++) {
        gei_value v = sink->ins[i].from;
        if (!v.node) return gei_fail(diag, GE_ERR_BAD_GRAPH, "graph '%s': output %u is not connected", plan->graph->name, i);
        const gei_info *info = gei_infos_of(infos, v);
        const char *name = gei_graph_output_name(plan->graph, i);
        if (!name) name = gei_value_out(v)->name;
        plan->outputs[i] = (gei_plan_io){ name ? name : v.node->name, v.node, value_number(plan, v), info->dtype, info->format,
                                          info->shape, false };
    }
    return GE_OK;
}

static ge_status check_constants(gei_plan *plan, const bool *value_read, gei_diag *diag) {
    for (uint32_t v = 0; v < plan->n_values; v++) {
        const gei_plan_node *pn = &plan->nodes[plan->value_node[v]];
        if (plan->constants[v] && value_read[v]) plan->constant_bytes += plan->constants[v]->size_bytes;
        if (plan->constants[v] || !value_read[v] || !gei_op_has(pn->op, GEI_OP_CONST)) continue;
        gei_diag_node(diag, pn->node->name);
        return gei_fail(diag, GE_ERR_BAD_GRAPH, "%s '%s': the constant has no contents", pn->node->def->name, pn->node->name);
    }
    return GE_OK;
}

static void retain_constants(gei_plan *plan, const gei_infos *infos) {
    for (uint32_t v = 0; v < plan->n_values; v++) {
        const gei_tensor *tensor = gei_plan_info(plan, infos, v)->tensor;
        if (tensor) plan->constants[v] = gei_tensor_retain((gei_tensor *)(uintptr_t)tensor);
    }
}

/* ---- bodies ---- */

/* Slot of the node that is input 0 of its subgraphs: the others follow.  A loop's body gets the iteration and the condition first. */
static uint32_t first_body_slot(gei_control control) { return control == GEI_CONTROL_IF || control == GEI_CONTROL_CASE ? 1 : 0; }

static int32_t body_dtype(const gei_plan *plan, const gei_infos *infos, const gei_plan_node *pn, uint32_t body_in) {
    uint32_t slot = body_in + first_body_slot(pn->op->control);
    if (pn->op->control == GEI_CONTROL_LOOP && body_in < 2) return body_in == 0 ? GEI_INT64 : GEI_BOOL;
    if (slot >= pn->node->n_ins || pn->in[slot] == GEI_NO_VALUE) return GEI_UNDEFINED;
    int32_t dtype = gei_plan_info(plan, infos, pn->in[slot])->dtype;
    bool is_mapped = pn->op->control == GEI_CONTROL_MAP && (int64_t)slot < gei_node_int(pn->node, "mapped", 0) && gei_dtype_is_bundle(dtype);
    return is_mapped ? gei_dtype_item(dtype) : dtype;
}

/* Inputs of bodies that say no type have that of the value around them: files leave it out for what a body takes from outside. */
static ge_status type_body_inputs(const gei_plan *plan, const gei_infos *infos, const gei_plan_node *pn, const gei_graph *body, gei_diag *diag) {
    gei_node **inputs;
    size_t count;
    GEI_TRY(gei_graph_inputs(body, infos->arena, &inputs, &count, diag));
    for (size_t i = 0; i < count; i++)
        if (inputs[i]->outs[0].dtype == GEI_UNDEFINED) inputs[i]->outs[0].dtype = body_dtype(plan, infos, pn, (uint32_t)i);
    return GE_OK;
}

static ge_status create_bodies(gei_plan *plan, const gei_infos *infos, const bool *needed, uint32_t depth, gei_diag *diag) {
    size_t count = 0;
    for (size_t i = 0; i < plan->n_order; i++)
        if (plan->nodes[i].work == GEI_WORK_CONTROL) count += plan->nodes[i].node->n_subgraphs;
    if (count == 0) return GE_OK;
    if (depth >= GEI_MAX_BODY_DEPTH)
        return gei_fail(diag, GE_ERR_LIMIT, "graph '%s': subgraphs nested deeper than %d", plan->graph->name, GEI_MAX_BODY_DEPTH);
    plan->bodies = gei_arena_array(&plan->arena, gei_plan *, count);
    if (!plan->bodies) return gei_out_of_memory(diag, count * sizeof(gei_plan *));
    for (size_t i = 0; i < plan->n_order; i++) {
        gei_plan_node *pn = &plan->nodes[i];
        if (pn->work != GEI_WORK_CONTROL) continue;
        pn->first_body = plan->n_bodies;
        plan->n_bodies += pn->node->n_subgraphs;
        for (uint32_t k = 0; k < pn->node->n_subgraphs && needed[i]; k++) {
            gei_plan *body;
            GEI_TRY(type_body_inputs(plan, infos, pn, pn->node->subgraphs[k].graph, diag));
            GEI_TRY(create(pn->node->subgraphs[k].graph, plan->root, NULL, &plan->options, plan->from, depth + 1, &body, diag));
            plan->bodies[pn->first_body + k] = body;
            plan->constant_bytes += body->constant_bytes;
            plan->packed_bytes += body->packed_bytes;
            plan->n_prepared += body->n_prepared;
            plan->n_packed += body->n_packed;
        }
    }
    return GE_OK;
}

/* ---- the whole ---- */

/* infos: symbolic. */
static ge_status build_with_infos(gei_plan *plan, const gei_infos *infos, uint32_t depth, gei_diag *diag) {
    GEI_TRY(describe_inputs(plan, infos, diag));
    GEI_TRY(describe_outputs(plan, infos, diag));
    retain_constants(plan, infos);
    bool *needed = gei_arena_array(infos->arena, bool, plan->n_order), *value_read = gei_arena_array(infos->arena, bool, plan->n_values);
    if (!needed || !value_read) return gei_out_of_memory(diag, plan->n_order);
    gei_plan_mark_needed(plan, plan->constants, NULL, value_read, needed);
    GEI_TRY(check_constants(plan, value_read, diag));
    GEI_TRY(gei_plan_choose_kernels(plan, infos, needed, diag));
    return create_bodies(plan, infos, needed, depth, diag);
}

/* Shapes that change get infos of their own in every instance. */
static ge_status build(gei_plan *plan, uint32_t depth, gei_diag *diag) {
    if (!plan->facts.order) GEI_TRY(gei_facts_find(&plan->facts, plan->graph, diag));
    GEI_TRY(take_order(plan, diag));
    if (plan->options.limits) GEI_TRY(gei_plan_keep_limits(plan, plan->options.limits, diag));
    plan->options.limits = NULL; /* bodies take the other options over */
    if (plan->root == plan) GEI_TRY(gei_plan_list_vars(plan, diag));
    plan->vars = plan->root->vars;
    plan->n_vars = plan->root->n_vars;
    GEI_TRY(gei_plan_use_vars(plan, diag));
    GEI_TRY(build_with_infos(plan, &plan->facts.infos, depth, diag));
    if (!plan->is_static) gei_facts_drop_infos(&plan->facts);
    return plan->notes.failed ? gei_out_of_memory(diag, plan->notes.size) : GE_OK;
}

static ge_status create(gei_graph *graph, gei_plan *root, gei_facts *facts, const gei_plan_options *options,
                        const gei_allocator *from, uint32_t depth, gei_plan **out, gei_diag *diag) {
    *out = NULL;
    gei_plan *plan = gei_alloc_zero(from, sizeof *plan, _Alignof(gei_plan));
    if (!plan) {
        if (facts) gei_facts_release(facts);
        if (!root) gei_graph_destroy(graph);
        return gei_out_of_memory(diag, sizeof *plan);
    }
    plan->graph = graph;
    plan->owns_graph = !root;
    plan->root = root ? root : plan;
    plan->from = from;
    plan->options = *options;
    gei_arena_init(&plan->arena, from);
    if (facts) gei_facts_move(&plan->facts, facts);
    else gei_facts_init(&plan->facts, from);
    gei_sink_init(&plan->notes, from);
    ge_status st = build(plan, depth, diag);
    if (st != GE_OK) {
        gei_plan_destroy(plan);
        return st;
    }
    gei_log_line(options->log, GEI_LOG_DEBUG, "plan '%s': %zu nodes, %u values, %llu constant bytes", graph->name, plan->n_order,
                 plan->n_values, (unsigned long long)plan->constant_bytes);
    *out = plan;
    return GE_OK;
}

ge_status gei_plan_create(gei_graph *graph, const gei_plan_options *options, const gei_allocator *from, gei_plan **out, gei_diag *diag) {
    return create(graph, NULL, NULL, options, from, 0, out, diag);
}

ge_status gei_plan_create_known(gei_graph *graph, gei_facts *facts, const gei_plan_options *options, const gei_allocator *from,
                                gei_plan **out, gei_diag *diag) {
    return create(graph, NULL, facts, options, from, 0, out, diag);
}

void gei_plan_destroy(gei_plan *plan) {
    if (!plan) return;
    for (uint32_t i = 0; i < plan->n_bodies; i++) gei_plan_destroy(plan->bodies[i]);
    for (size_t i = 0; plan->nodes && i < plan->n_order; i++) {
        const gei_plan_node *pn = &plan->nodes[i];
        if (pn->kernel && pn->kernel->destroy && pn->prepared) pn->kernel->destroy(pn->prepared);
    }
    for (uint32_t v = 0; plan->constants && v < plan->n_values; v++) gei_tensor_release(plan->constants[v]);
    gei_facts_release(&plan->facts);
    if (plan->root == plan && plan->var_names.from) gei_strmap_deinit(&plan->var_names);
    if (plan->owns_graph) gei_graph_destroy(plan->graph);
    gei_sink_deinit(&plan->notes);
    gei_arena_deinit(&plan->arena);
    gei_free(plan->from, plan, sizeof *plan, _Alignof(gei_plan));
}
