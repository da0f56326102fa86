/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/frame.h"

#include <string.h>

#include "exec/model.h"

#define COPY_GRAIN_BYTES ((int64_t)1 << 20) /* a part of a copy step holds at least this */

/* ---- views ---- */

/* Other addresses are set when the frame is taken, bound before a run, or found during it. */
static char *address_of(const gei_place *place) {
    bool is_const = place->home == GEI_HOME_CONST && place->tensor->data;
    return is_const ? (char *)place->tensor->data + place->offset : NULL;
}

static void init_view(const gei_frame *f, uint32_t value) {
    const gei_info *info = gei_instance_info(f->instance, value);
    gei_view *view = &f->views[value];
    *view = (gei_view){ .data = address_of(&f->instance->places[value]), .dtype = info->dtype, .rank = info->shape.rank };
    if (view->rank > 0) memcpy(view->dims, info->shape.dims, (size_t)view->rank * sizeof *view->dims);
    if (!gei_shape_elems(&info->shape, &view->n_elems)) view->n_elems = 0;
}

static ge_status init_views(gei_frame *f, gei_diag *diag) {
    const gei_instance *inst = f->instance;
    f->views = gei_arena_table(&f->arena, gei_view, inst->plan->n_values);
    f->out_views = gei_arena_array(&f->arena, gei_view, inst->plan->n_outputs);
    if (!f->views || !f->out_views) return gei_out_of_memory(diag, inst->plan->n_values * sizeof(gei_view));
    for (uint32_t v = 0; v < inst->plan->n_values; v++)
        if (inst->places[v].home != GEI_HOME_NONE) init_view(f, v);
        else f->views[v] = (gei_view){ 0 };
    for (uint32_t k = 0; k < inst->plan->n_outputs; k++)
        if (inst->out_kinds[k] == GEI_OUT_COPY) f->out_views[k] = f->views[inst->plan->outputs[k].value];
    return GE_OK;
}

/* ---- steps ---- */

static ge_status copy_part(const gei_run *run, uint32_t part) {
    const gei_view *from = run->in[0], *to = run->out[0];
    size_t bytes;
    if (from->data == to->data) return GE_OK; /* a loop passes a value through unchanged */
    if (!gei_dtype_bytes(from->dtype, (uint64_t)from->n_elems, &bytes) || bytes == 0) return GE_OK;
    int64_t begin, end;
    gei_part_range((int64_t)bytes, run->n_parts, part, &begin, &end);
    memcpy((char *)to->data + begin, (const char *)from->data + begin, (size_t)(end - begin));
    return GE_OK;
}

static void init_copy(gei_frame *f, gei_exec_step *s, const gei_view **pointers) {
    const gei_step *step = s->step;
    pointers[0] = &f->views[step->copy_from];
    pointers[1] = &f->out_views[step->copy_to];
    s->fn = copy_part;
    s->run.in = pointers;
    s->run.out = (gei_view *const *)(pointers + 1);
    s->run.n_in = s->run.n_out = 1;
    s->run.n_parts = gei_parts((int64_t)f->instance->output_bytes[step->copy_to], COPY_GRAIN_BYTES);
    s->run.node = f->instance->plan->outputs[step->copy_to].node;
}

static ge_status init_node_step(gei_frame *f, gei_exec_step *s, const gei_view **pointers, gei_diag *diag) {
    const gei_step *step = s->step;
    const gei_plan_node *pn = &f->instance->plan->nodes[step->node];
    for (uint32_t k = 0; k < pn->node->n_ins; k++) pointers[k] = pn->in[k] == GEI_NO_VALUE ? NULL : &f->views[pn->in[k]];
    for (uint32_t k = 0; k < pn->node->n_outs; k++) pointers[pn->node->n_ins + k] = &f->views[pn->first_out + k];
    s->run.in = pointers;
    s->run.out = (gei_view *const *)(pointers + pn->node->n_ins);
    s->run.n_in = pn->node->n_ins;
    s->run.n_out = pn->node->n_outs;
    s->run.node = pn->node;
    s->run.prepared = pn->prepared;
    s->run.sized = step->sized;
    s->run.seat_scratch_bytes = step->part_scratch_bytes;
    s->run.heap = &f->late.as_allocator;
    if (step->kind == GEI_STEP_CONTROL) {
        s->fn = gei_control_run;
        return gei_control_init(f, s, diag);
    }
    if (step->late) {
        s->fn = step->kind == GEI_STEP_VIEW ? gei_late_view : gei_late_kernel;
        return gei_late_init(f, s, diag);
    }
    s->fn = pn->kernel->run;
    s->run.n_parts = step->n_parts;
    return GE_OK;
}

static ge_status init_steps(gei_frame *f, gei_diag *diag) {
    const gei_instance *inst = f->instance;
    gei_exec_step *steps = gei_arena_table(&f->arena, gei_exec_step, inst->n_steps);
    const gei_view **pointers = gei_arena_table(&f->arena, const gei_view *, inst->n_pointers);
    if (!steps || !pointers) return gei_out_of_memory(diag, inst->n_steps * sizeof *steps);
    f->steps = f->steps_end = steps;
    for (uint32_t i = 0; i < inst->n_steps; i++) {
        gei_exec_step *s = f->steps_end++; /* counted before it is complete, so that destroy sees it */
        *s = (gei_exec_step){ .frame = f, .step = &inst->steps[i], .run = { .n_parts = 1, .diag = &f->diag[inst->steps[i].lane] } };
        f->n_copies += s->step->kind == GEI_STEP_COPY;
        if (s->step->kind == GEI_STEP_COPY) init_copy(f, s, pointers);
        else GEI_TRY(init_node_step(f, s, pointers, diag));
        pointers += s->run.n_in + s->run.n_out;
    }
    return GE_OK;
}

/* ---- life ---- */

static uint64_t step_scratch_bytes(const gei_step *s, uint32_t max_threads) {
    return s->part_scratch_bytes * gei_seats(s->n_parts, max_threads); /* the plan checked it for all parts */
}

/* Of one lane, the largest in any stretch. */
static uint64_t lane_scratch_bytes(const gei_instance *inst, uint32_t max_threads) {
    uint64_t most = 0;
    for (uint32_t r = 0; r < inst->n_stretches; r++) {
        for (uint32_t i = inst->stretches[r].first; i < inst->stretches[r].end; i++) {
            uint64_t bytes = step_scratch_bytes(&inst->steps[i], max_threads);
            if (bytes > most) most = bytes;
        }
    }
    return most;
}

uint64_t gei_frame_scratch_bytes(const gei_instance *inst, uint32_t max_threads) {
    uint64_t most, bytes;
    if (__builtin_mul_overflow(lane_scratch_bytes(inst, max_threads), inst->most_lanes, &most)) return UINT64_MAX;
    for (uint32_t i = 0; i < inst->n_steps; i++) {
        bytes = step_scratch_bytes(&inst->steps[i], max_threads);
        if (bytes > most) most = bytes;
    }
    return most;
}

static ge_status init(gei_frame *f, gei_diag *diag) {
    const gei_instance *inst = f->instance;
    uint64_t bytes, scratch = gei_frame_scratch_bytes(inst, f->model->options.max_threads);
    f->diag = gei_arena_array(&f->arena, gei_diag, inst->n_stretches ? GEI_MAX_LANES : 1);
    f->ranges = gei_arena_array(&f->arena, gei_range, (size_t)inst->plan->n_inputs + inst->plan->n_outputs);
    f->made = gei_arena_array(&f->arena, gei_tensor *, inst->plan->n_outputs);
    if (!f->diag || !f->ranges || !f->made) return gei_out_of_memory(diag, sizeof *f->diag);
    if (__builtin_add_overflow(inst->arena_bytes, scratch, &bytes)) return gei_out_of_memory(diag, SIZE_MAX);
    f->memory_bytes = bytes;
    GEI_TRY(init_views(f, diag));
    return init_steps(f, diag);
}

ge_status gei_frame_create(gei_model *model, const gei_instance *instance, gei_frame **out, gei_diag *diag) {
    const gei_allocator *from = gei_model_run_heap(model);
    gei_frame *f = gei_alloc_zero(from, sizeof *f, _Alignof(gei_frame));
    *out = NULL;
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    f->model = model;
    f->instance = instance;
    gei_arena_init(&f->arena, from);
    gei_region_init(&f->late, gei_model_feature_heap(model));
    gei_region_init(&f->tables, gei_model_feature_heap(model));
    ge_status st = init(f, diag);
    if (st != GE_OK) {
        gei_frame_destroy(f);
        return st;
    }
    *out = f;
    return GE_OK;
}

void gei_frame_destroy(gei_frame *f) {
    if (!f) return;
    for (gei_exec_step *s = f->steps; s < f->steps_end; s++) {
        if (!s->extra) continue;
        if (s->step->kind == GEI_STEP_CONTROL) gei_control_deinit(s);
        else gei_late_deinit(s);
    }
    const gei_allocator *from = f->arena.from;
    gei_region_deinit(&f->late);
    gei_region_deinit(&f->tables);
    gei_arena_deinit(&f->arena);
    gei_free(from, f, sizeof *f, _Alignof(gei_frame));
}

void gei_frame_set_memory(gei_frame *f, char *memory) {
    const gei_instance *inst = f->instance;
    if (memory == f->memory) return;
    f->memory = memory;
    for (uint32_t v = 0; v < inst->plan->n_values; v++)
        if (inst->places[v].home == GEI_HOME_ARENA) f->views[v].data = memory + inst->places[v].offset;
    uint64_t of_lane = lane_scratch_bytes(inst, f->model->options.max_threads);
    for (gei_exec_step *s = f->steps; s < f->steps_end; s++)
        if (s->run.seat_scratch_bytes > 0) s->run.scratch = memory + inst->arena_bytes + s->step->lane * of_lane;
}

/* ---- binding ---- */

void gei_frame_set_input(gei_frame *f, uint32_t index, const void *data) {
    const gei_instance *inst = f->instance;
    for (uint32_t i = inst->in_first[index]; i < inst->in_first[index + 1]; i++) {
        uint32_t value = inst->in_values[i];
        f->views[value].data = data ? (char *)(uintptr_t)data + inst->places[value].offset : NULL;
    }
}

void gei_frame_set_output(gei_frame *f, uint32_t index, void *data) {
    const gei_instance *inst = f->instance;
    for (uint32_t i = inst->out_first[index]; i < inst->out_first[index + 1]; i++) {
        uint32_t value = inst->out_values[i];
        f->views[value].data = data ? (char *)data + inst->places[value].offset : NULL;
    }
    f->out_views[index].data = data;
}
