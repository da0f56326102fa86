/* SPDX-License-Identifier: Apache-2.0 */
/* instance: a template for concrete input shapes. */
#include <string.h>

#include "plan/plan_inner.h"

/* ---- the signature ---- */

static const char *symbol_name(const gei_plan *plan, gei_dim dim) {
    return plan->graph->symbols->names.items[gei_dim_symbol_index(dim)];
}

static ge_status wrong_shape(const gei_plan *plan, uint32_t index, const gei_shape *shape, gei_diag *diag) {
    char found[GEI_DIAG_WORD_BYTES], wanted[GEI_DIAG_WORD_BYTES];
    bool wrong_rank = plan->inputs[index].shape.rank >= 0 && plan->inputs[index].shape.rank != shape->rank;
    gei_shape_text(shape, NULL, found, sizeof found);
    gei_shape_text(&plan->inputs[index].shape, plan->graph->symbols->names.items, wanted, sizeof wanted);
    gei_diag_found(diag, "%s", found);
    gei_diag_wanted(diag, "%s", wanted);
    return gei_fail(diag, wrong_rank ? GE_ERR_RANK : GE_ERR_SHAPE, "input '%s': shape %s does not fit %s", plan->inputs[index].name, found, wanted);
}

typedef struct symbol_size {
    bool is_set;
    uint32_t input; /* the first that has the symbol */
    int32_t dim;
    int64_t size;
} symbol_size;

static ge_status wrong_size(const gei_plan *plan, uint32_t index, int32_t dim, int64_t size, const symbol_size *first, gei_diag *diag) {
    const char *symbol = symbol_name(plan, plan->inputs[index].shape.dims[dim]);
    gei_diag_found(diag, "%lld", (long long)size);
    gei_diag_wanted(diag, "%lld", (long long)first->size);
    return gei_fail(diag, GE_ERR_SHAPE, "input '%s': dim %d is %lld, but '%s' is %lld: dim %d of input '%s'", plan->inputs[index].name,
                    (int)dim, (long long)size, symbol, (long long)first->size, (int)first->dim, plan->inputs[first->input].name);
}

/* sizes: by symbol. */
static ge_status check_symbols(const gei_plan *plan, uint32_t index, const gei_shape *shape, symbol_size *sizes, gei_diag *diag) {
    const gei_shape *declared = &plan->inputs[index].shape;
    for (int32_t i = 0; i < declared->rank; i++) {
        gei_dim dim = declared->dims[i];
        if (!gei_dim_is_symbol(dim)) continue;
        symbol_size *first = &sizes[gei_dim_symbol_index(dim)];
        if (!first->is_set) *first = (symbol_size){ true, index, i, shape->dims[i] };
        if (first->size != shape->dims[i]) return wrong_size(plan, index, i, shape->dims[i], first, diag);
    }
    return GE_OK;
}

static ge_status check_signature(gei_instance *inst, const gei_shape *shapes, gei_arena *scratch, gei_diag *diag) {
    const gei_plan *plan = inst->plan;
    symbol_size *sizes = gei_arena_array(scratch, symbol_size, plan->graph->symbols->names.count);
    inst->input_shapes = gei_arena_copy(&inst->arena, shapes, plan->n_inputs * sizeof *shapes, _Alignof(gei_shape));
    if (!sizes || !inst->input_shapes) return gei_out_of_memory(diag, plan->n_inputs * sizeof *shapes);
    for (uint32_t i = 0; i < plan->n_inputs; i++) {
        int64_t n_elems;
        bool is_concrete = shapes[i].rank >= 0 && shapes[i].rank <= GEI_MAX_RANK && gei_shape_elems(&shapes[i], &n_elems);
        if (!is_concrete || !gei_shape_fits(&plan->inputs[i].shape, &shapes[i])) return wrong_shape(plan, i, &shapes[i], diag);
        GEI_TRY(check_symbols(plan, i, &shapes[i], sizes, diag));
    }
    return gei_plan_check_limits(plan, shapes, diag);
}

/* ---- shapes ---- */

static ge_status infer(gei_instance *inst, gei_arena *scratch, gei_diag *diag) {
    const gei_plan *plan = inst->plan;
    if (plan->is_static) {
        inst->infos = plan->facts.infos;
        return GE_OK;
    }
    gei_info *given = gei_arena_array(scratch, gei_info, plan->n_inputs);
    if (!given) return gei_out_of_memory(diag, plan->n_inputs * sizeof *given);
    for (uint32_t i = 0; i < plan->n_inputs; i++)
        given[i] = (gei_info){ .dtype = plan->inputs[i].dtype, .format = plan->inputs[i].format, .shape = inst->input_shapes[i] };
    return gei_infer_graph(plan->order, plan->n_order, plan->graph->nodes.count, given, plan->n_inputs, &inst->arena, inst->from,
                           &inst->infos, diag);
}

const gei_info *gei_instance_info(const gei_instance *instance, uint32_t value) {
    return gei_plan_info(instance->plan, &instance->infos, value);
}

static ge_status describe_outputs(gei_instance *inst, gei_diag *diag) {
    uint32_t n = inst->plan->n_outputs;
    inst->output_shapes = gei_arena_array(&inst->arena, gei_shape, n);
    inst->output_bytes = gei_arena_array(&inst->arena, uint64_t, n);
    if (!inst->output_shapes || !inst->output_bytes) return gei_out_of_memory(diag, n * sizeof(gei_shape));
    for (uint32_t i = 0; i < n; i++) {
        const gei_info *info = gei_instance_info(inst, inst->plan->outputs[i].value);
        bool is_late = inst->out_kinds[i] == GEI_OUT_LATE;
        inst->output_shapes[i] = info->shape;
        if (!is_late) (void)gei_info_bytes(info, &inst->output_bytes[i]);
    }
    return GE_OK;
}

/* ---- sizes of kernels ---- */

static ge_status size_step(gei_instance *inst, gei_step *step, const gei_info **in, gei_diag *diag) {
    const gei_plan_node *pn = &inst->plan->nodes[step->node];
    gei_plan_in_infos(inst->plan, &inst->infos, pn, in);
    gei_sizing s = { .node = pn->node, .in = in, .out = inst->infos.by_node[pn->node->index], .n_in = pn->node->n_ins,
                     .n_out = pn->node->n_outs, .prepared = pn->prepared, .arena = &inst->arena, .n_parts = 1 };
    ge_status st = pn->kernel->size(&s, diag);
    if (st != GE_OK) {
        gei_diag_node(diag, pn->node->name);
        return st;
    }
    step->sized = s.sized;
    step->n_parts = s.n_parts ? s.n_parts : 1;
    step->part_scratch_bytes = gei_round_up(s.part_scratch_bytes, GEI_ALIGN_BYTES);
    step->cost = s.cost;
    size_t bytes;
    if (step->part_scratch_bytes < s.part_scratch_bytes || !gei_mul(step->part_scratch_bytes, step->n_parts, &bytes))
        return gei_out_of_memory(diag, s.part_scratch_bytes);
    if (bytes > inst->scratch_bytes) inst->scratch_bytes = bytes;
    return GE_OK;
}

ge_status gei_instance_size_steps(gei_instance *inst, gei_arena *scratch, gei_diag *diag) {
    uint32_t most_ins = 0;
    for (size_t i = 0; i < inst->plan->n_order; i++)
        if (inst->plan->order[i]->n_ins > most_ins) most_ins = inst->plan->order[i]->n_ins;
    const gei_info **in = gei_arena_array(scratch, const gei_info *, most_ins);
    if (!in) return gei_out_of_memory(diag, most_ins * sizeof *in);
    for (uint32_t s = 0; s < inst->n_steps; s++) {
        gei_step *step = &inst->steps[s];
        bool can_be_sized = step->kind == GEI_STEP_KERNEL && !step->late && inst->plan->nodes[step->node].kernel->size;
        if (can_be_sized) GEI_TRY(size_step(inst, step, in, diag));
    }
    return GE_OK;
}

/* ---- what rebinding touches ---- */

/* Values that live in each of `count` inputs (outputs), listed one after another. */
static ge_status list_values(gei_instance *inst, gei_home home, uint32_t count, uint32_t **out_first, uint32_t **out_values, gei_diag *diag) {
    uint32_t n_values = inst->plan->n_values, n = 0;
    uint32_t *first = gei_arena_array(&inst->arena, uint32_t, (size_t)count + 2);
    if (!first) return gei_out_of_memory(diag, count * sizeof *first);
    for (uint32_t v = 0; v < n_values; v++) {
        if (inst->places[v].home != home) continue;
        first[inst->places[v].index + 2]++;
        n++;
    }
    for (uint32_t k = 0; k < count; k++) first[k + 2] += first[k + 1];
    uint32_t *values = gei_arena_array(&inst->arena, uint32_t, n);
    if (!values) return gei_out_of_memory(diag, n * sizeof *values);
    for (uint32_t v = 0; v < n_values; v++)
        if (inst->places[v].home == home) values[first[inst->places[v].index + 1]++] = v;
    *out_first = first;
    *out_values = values;
    return GE_OK;
}

static ge_status list_var_values(gei_instance *inst, gei_diag *diag) {
    uint32_t n = 0;
    for (uint32_t v = 0; v < inst->plan->n_values && inst->plan->n_vars > 0; v++) n += inst->places[v].home == GEI_HOME_VAR;
    inst->var_values = gei_arena_array(&inst->arena, uint32_t, n);
    if (!inst->var_values) return gei_out_of_memory(diag, n * sizeof(uint32_t));
    for (uint32_t v = 0; v < inst->plan->n_values && n > 0; v++)
        if (inst->places[v].home == GEI_HOME_VAR) inst->var_values[inst->n_var_values++] = v;
    return GE_OK;
}

/* ---- the whole ---- */

static ge_status build(gei_instance *inst, const gei_shape *input_shapes, gei_arena *scratch, gei_diag *diag) {
    GEI_TRY(check_signature(inst, input_shapes, scratch, diag));
    GEI_TRY(infer(inst, scratch, diag));
    GEI_TRY(gei_instance_place(inst, diag));
    GEI_TRY(describe_outputs(inst, diag));
    GEI_TRY(list_var_values(inst, diag));
    GEI_TRY(list_values(inst, GEI_HOME_INPUT, inst->plan->n_inputs, &inst->in_first, &inst->in_values, diag));
    return list_values(inst, GEI_HOME_OUTPUT, inst->plan->n_outputs, &inst->out_first, &inst->out_values, diag);
}

ge_status gei_instance_create_from(const gei_plan *plan, const gei_shape *input_shapes, const gei_allocator *from, gei_instance **out,
                                   gei_diag *diag) {
    *out = NULL;
    gei_instance *inst = gei_alloc_zero(from, sizeof *inst, _Alignof(gei_instance));
    if (!inst) return gei_out_of_memory(diag, sizeof *inst);
    inst->plan = plan;
    inst->from = from;
    inst->infos.from = from;
    gei_arena_init(&inst->arena, from);
    gei_arena scratch;
    gei_arena_init(&scratch, from);
    ge_status st = build(inst, input_shapes, &scratch, diag);
    gei_arena_deinit(&scratch);
    if (st != GE_OK) {
        gei_instance_destroy(inst);
        return st;
    }
    *out = inst;
    return GE_OK;
}

ge_status gei_instance_create(const gei_plan *plan, const gei_shape *input_shapes, gei_instance **out, gei_diag *diag) {
    return gei_instance_create_from(plan, input_shapes, plan->from, out, diag);
}

void gei_instance_destroy(gei_instance *instance) {
    if (!instance) return;
    if (!instance->plan->is_static) gei_infos_release(&instance->infos);
    gei_arena_deinit(&instance->arena);
    gei_free(instance->from, instance, sizeof *instance, _Alignof(gei_instance));
}
