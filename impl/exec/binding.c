/* SPDX-License-Identifier: Apache-2.0 */
/* binding: what one caller has bound.  Setting marks what changed; the first run afterwards resolves it, the next ones only run. */
#include <stdlib.h>
#include <string.h>

#include "base/wait.h"
#include "exec/model.h"
#include "exec/state.h"

struct gei_binding {
    gei_model *model;
    gei_frame *frame;          /* for the shapes of the inputs, NULL until a run */
    gei_tensor **inputs;       /* NULL: not bound */
    gei_tensor **given;        /* outputs of the caller, NULL: the binding's own */
    gei_tensor **own;          /* made for the shape of the last run */
    gei_run_context context;   /* of runs without options */
    gei_state_use *state;      /* NULL: a fresh one each run */
    uint32_t *changed;         /* since the last run: input i as i, output i as n_inputs + i */
    bool *is_marked;           /* stands in `changed` */
    uint32_t n_changed;
    bool is_resolved;          /* the frame is right but for what stands in `changed` */
    bool has_late;             /* outputs to store after each run */
    bool has_run;
    bool is_profiled, is_timed; /* from now on; of the last run there are times */
    gei_step_time *times;      /* room for n_times steps */
    uint32_t n_times;
    int64_t begin_ns;          /* of the last run that was timed */
};

#define FEW_CHANGED 4 /* up to here each change is compared with all that is bound; more are sorted */

static uint32_t n_ios(const gei_binding *b) { return b->model->plan->n_inputs + b->model->plan->n_outputs; }

ge_status gei_binding_create(gei_model *model, gei_binding **out, gei_diag *diag) {
    const gei_plan *plan = model->plan;
    gei_binding *b = gei_alloc_zero(model->from, sizeof *b, _Alignof(gei_binding));
    *out = NULL;
    if (!b) return gei_out_of_memory(diag, sizeof *b);
    b->model = gei_model_retain(model);
    b->inputs = gei_alloc_zero(model->from, plan->n_inputs * sizeof *b->inputs, 0);
    b->given = gei_alloc_zero(model->from, plan->n_outputs * sizeof *b->given, 0);
    b->own = gei_alloc_zero(model->from, plan->n_outputs * sizeof *b->own, 0);
    b->changed = gei_alloc_zero(model->from, n_ios(b) * sizeof *b->changed, 0);
    b->is_marked = gei_alloc_zero(model->from, n_ios(b) * sizeof *b->is_marked, 0);
    b->context = gei_run_context_of(model, NULL);
    if (!b->inputs || !b->given || !b->own || !b->changed || !b->is_marked) {
        gei_binding_destroy(b);
        return gei_out_of_memory(diag, plan->n_inputs * sizeof *b->inputs);
    }
    *out = b;
    return GE_OK;
}

static void release_all(const gei_allocator *from, gei_tensor **tensors, uint32_t count) {
    for (uint32_t i = 0; tensors && i < count; i++) gei_tensor_release(tensors[i]);
    gei_free(from, tensors, count * sizeof *tensors, 0);
}

void gei_binding_destroy(gei_binding *b) {
    if (!b) return;
    gei_model *model = b->model;
    if (b->frame) gei_model_give_frame(b->frame);
    gei_state_use_destroy(b->state);
    release_all(model->from, b->inputs, model->plan->n_inputs);
    release_all(model->from, b->given, model->plan->n_outputs);
    release_all(model->from, b->own, model->plan->n_outputs);
    gei_free(model->from, b->times, b->n_times * sizeof *b->times, 0);
    gei_free(model->from, b->changed, n_ios(b) * sizeof *b->changed, 0);
    gei_free(model->from, b->is_marked, n_ios(b) * sizeof *b->is_marked, 0);
    gei_free(model->from, b, sizeof *b, _Alignof(gei_binding));
    gei_model_release(model);
}

static void replace(gei_binding *b, gei_tensor **at, gei_tensor *tensor, uint32_t io) {
    gei_tensor *before = *at;
    *at = gei_tensor_retain(tensor);
    gei_tensor_release(before);
    if (b->is_marked[io]) return;
    b->is_marked[io] = true;
    b->changed[b->n_changed++] = io;
}

ge_status gei_binding_set_input(gei_binding *b, uint32_t index, gei_tensor *tensor, gei_diag *diag) {
    const gei_plan *plan = b->model->plan;
    if (index >= plan->n_inputs)
        return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "input %u of a model that has %u", index, plan->n_inputs);
    if (tensor) {
        GEI_TRY(gei_check_input(plan, index, tensor, diag));
        GEI_TRY(gei_check_fits(&plan->inputs[index], plan, tensor, diag));
    }
    replace(b, &b->inputs[index], tensor, index);
    return GE_OK;
}

ge_status gei_binding_set_output(gei_binding *b, uint32_t index, gei_tensor *tensor, gei_diag *diag) {
    const gei_plan *plan = b->model->plan;
    if (index >= plan->n_outputs)
        return gei_fail(diag, GE_ERR_OUT_OF_RANGE, "output %u of a model that has %u", index, plan->n_outputs);
    if (tensor) {
        GEI_TRY(gei_check_output(plan, index, tensor, diag));
        GEI_TRY(gei_check_fits(&plan->outputs[index], plan, tensor, diag));
    }
    replace(b, &b->given[index], tensor, plan->n_inputs + index);
    return GE_OK;
}

/* ---- resolving ---- */

static ge_status take_frame(gei_binding *b, gei_diag *diag) {
    const gei_plan *plan = b->model->plan;
    gei_signature s = gei_signature_of_tensors(b->inputs, plan->n_inputs);
    if (b->frame && gei_signature_is(&s, b->frame->instance->input_shapes)) return GE_OK;
    if (b->frame) gei_model_give_frame(b->frame); /* first, so that the next one gets its memory */
    b->frame = NULL;
    b->is_timed = false;
    GEI_TRY(gei_model_take_frame(b->model, &s, &b->frame, diag));
    b->has_late = false;
    for (uint32_t i = 0; i < plan->n_outputs; i++) b->has_late = b->has_late || b->frame->instance->out_kinds[i] == GEI_OUT_LATE;
    return GE_OK;
}

static bool overlaps_any(const gei_tensor *t, gei_tensor *const *others, uint32_t count) {
    uintptr_t begin = (uintptr_t)t->data, end = begin + t->size_bytes;
    for (uint32_t i = 0; i < count; i++) {
        if (!others[i]) continue;
        uintptr_t other = (uintptr_t)others[i]->data;
        if (begin < other + others[i]->size_bytes && other < end) return true;
    }
    return false;
}

/* Output i of the binding's own may be written again: the caller has not bound it as something else meanwhile. */
static bool own_is_free(const gei_binding *b, uint32_t i) {
    const gei_plan *plan = b->model->plan;
    return !overlaps_any(b->own[i], b->inputs, plan->n_inputs) && !overlaps_any(b->own[i], b->given, plan->n_outputs);
}

static ge_status make_own(gei_binding *b, uint32_t i, gei_diag *diag) {
    const gei_instance *inst = b->frame->instance;
    const gei_shape *shape = &inst->output_shapes[i];
    gei_tensor *before = b->own[i], *made;
    bool has_shape = before && before->rank == shape->rank &&
                     (shape->rank <= 0 || memcmp(before->dims, shape->dims, (size_t)shape->rank * sizeof *shape->dims) == 0);
    if (has_shape && own_is_free(b, i)) return GE_OK;
    const gei_info *info = gei_instance_info(inst, b->model->plan->outputs[i].value);
    gei_model_count_alloc(b->model, 1);
    GEI_TRY(gei_tensor_create(b->model->from, info->dtype, shape->rank, shape->dims, &made, diag));
    b->own[i] = made;
    gei_tensor_release(before);
    return GE_OK;
}

static ge_status bind_output(gei_binding *b, uint32_t i, gei_diag *diag) {
    const gei_instance *inst = b->frame->instance;
    if (b->given[i]) GEI_TRY(gei_check_output_shape(inst, i, b->given[i], diag));
    if (inst->out_kinds[i] == GEI_OUT_LATE) return GE_OK;
    if (!b->given[i]) GEI_TRY(make_own(b, i, diag));
    gei_frame_set_output(b->frame, i, b->given[i] ? b->given[i]->data : b->own[i]->data);
    return GE_OK;
}

static ge_status resolve_all(gei_binding *b, gei_diag *diag) {
    const gei_plan *plan = b->model->plan;
    b->is_resolved = false;
    for (uint32_t i = 0; i < plan->n_inputs; i++) GEI_TRY(gei_check_input(plan, i, b->inputs[i], diag));
    GEI_TRY(take_frame(b, diag));
    GEI_TRY(gei_check_overlap(plan, b->inputs, b->given, b->frame->ranges, diag));
    for (uint32_t i = 0; i < plan->n_inputs; i++) gei_frame_set_input(b->frame, i, b->inputs[i]->data);
    for (uint32_t i = 0; i < plan->n_outputs; i++) GEI_TRY(bind_output(b, i, diag));
    b->is_resolved = true;
    return GE_OK;
}

/* The frame stays right: no changed input has another shape. */
static bool keeps_shapes(const gei_binding *b) {
    uint32_t n_inputs = b->model->plan->n_inputs;
    for (uint32_t i = 0; i < b->n_changed; i++) {
        uint32_t io = b->changed[i];
        if (io >= n_inputs) continue;
        const gei_tensor *t = b->inputs[io];
        const gei_shape *shape = &b->frame->instance->input_shapes[io];
        if (!t || t->rank != shape->rank) return false;
        if (t->rank > 0 && memcmp(t->dims, shape->dims, (size_t)t->rank * sizeof *t->dims) != 0) return false;
    }
    return true;
}

/* Some output of the binding's own is bound by the caller as something else. */
static bool own_is_taken(const gei_binding *b) {
    for (uint32_t i = 0; i < b->model->plan->n_outputs; i++)
        if (!b->given[i] && b->own[i] && !own_is_free(b, i)) return true;
    return false;
}

static ge_status resolve_changed(gei_binding *b, gei_diag *diag) {
    const gei_plan *plan = b->model->plan;
    for (uint32_t i = 0; i < b->n_changed; i++)
        GEI_TRY(gei_check_overlap_of(plan, b->inputs, b->given, b->changed[i], diag));
    for (uint32_t i = 0; i < b->n_changed; i++) {
        uint32_t io = b->changed[i];
        if (io < plan->n_inputs) gei_frame_set_input(b->frame, io, b->inputs[io]->data);
        else GEI_TRY(bind_output(b, io - plan->n_inputs, diag));
    }
    return GE_OK;
}

static ge_status resolve(gei_binding *b, gei_diag *diag) {
    bool is_small = b->is_resolved && b->n_changed <= FEW_CHANGED && keeps_shapes(b) && !own_is_taken(b);
    ge_status st = is_small ? resolve_changed(b, diag) : resolve_all(b, diag);
    b->is_resolved = st == GE_OK;
    for (uint32_t i = 0; i < b->n_changed; i++) b->is_marked[b->changed[i]] = false;
    b->n_changed = 0;
    return st;
}

/* ---- running ---- */

static ge_status store_late(gei_binding *b, gei_diag *diag) {
    for (uint32_t i = 0; i < b->model->plan->n_outputs; i++) {
        if (b->frame->instance->out_kinds[i] != GEI_OUT_LATE) continue;
        gei_tensor **to = b->given[i] ? &b->given[i] : &b->own[i];
        const gei_view *view = gei_frame_output(b->frame, i);
        bool is_other = *to && (!gei_view_is_shape(view, (*to)->rank, (*to)->dims) || (*to)->size_bytes != gei_view_bytes(view));
        if (!b->given[i] && *to && (is_other || !own_is_free(b, i))) {
            gei_tensor_release(*to);
            *to = NULL;
        }
        GEI_TRY(gei_store_late(b->model, b->frame, i, to, diag));
    }
    return GE_OK;
}

ge_status gei_binding_prepare(gei_binding *b, gei_diag *diag) { return b->n_changed > 0 || !b->is_resolved ? resolve(b, diag) : GE_OK; }

static ge_status run(gei_binding *b, const gei_run_context *context, gei_diag *diag) {
    GEI_TRY(gei_binding_prepare(b, diag));
    GEI_TRY(gei_frame_run(b->frame, context, diag));
    b->has_run = true;
    return b->has_late ? store_late(b, diag) : GE_OK;
}

/* ---- looking on ---- */

static ge_status make_times(gei_binding *b, gei_diag *diag) {
    uint32_t n = b->frame->instance->n_steps;
    if (n <= b->n_times) return GE_OK;
    gei_step_time *times = gei_alloc(b->model->from, n * sizeof *times, 0);
    gei_model_count_alloc(b->model, 1);
    if (!times) return gei_out_of_memory(diag, n * sizeof *times);
    gei_free(b->model->from, b->times, b->n_times * sizeof *b->times, 0);
    b->times = times;
    b->n_times = n;
    return GE_OK;
}

static ge_status run_probed(gei_binding *b, gei_run_context *context, gei_diag *diag) {
    gei_probe probe = { .trace = gei_model_trace_on(b->model) };
    GEI_TRY(gei_binding_prepare(b, diag));
    if (b->is_profiled) {
        GEI_TRY(make_times(b, diag));
        probe.times = b->times;
        probe.of = b->frame;
    }
    context->probe = &probe;
    context->is_watched = true;
    b->begin_ns = gei_now_ns();
    ge_status st = run(b, context, diag);
    b->is_timed = st == GE_OK && b->is_profiled;
    if (probe.trace) gei_trace_run(b->model, probe.trace, b->begin_ns);
    return st;
}

void gei_binding_profile(gei_binding *b, bool is_on) { b->is_profiled = is_on; }

static int by_begin(const void *a, const void *b) {
    const gei_step_time *x = a, *y = b;
    if (x->begin_ns != y->begin_ns) return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

ge_status gei_binding_count_steps(gei_binding *b, uint32_t *out_count, gei_diag *diag) {
    if (!b->is_timed) return gei_fail(diag, GE_ERR_WRONG_STATE, "the last run of the binding was not timed, or failed");
    *out_count = b->frame->instance->n_steps;
    if (*out_count > 0) qsort(b->times, *out_count, sizeof *b->times, by_begin);
    return GE_OK;
}

void gei_binding_step(const gei_binding *b, uint32_t index, gei_step_info *out) {
    const gei_step_time *time = &b->times[index];
    const gei_exec_step *s = &b->frame->steps[time->step];
    *out = (gei_step_info){ .node = s->run.node->name,
                            .op_type = s->run.node->def->name,
                            .kernel = gei_step_kernel(s),
                            .start_ns = time->begin_ns - b->begin_ns,
                            .duration_ns = time->end_ns - time->begin_ns,
                            .read_bytes = gei_step_read_bytes(s),
                            .written_bytes = gei_step_written_bytes(s),
                            .lane = s->step->lane,
                            .threads = time->threads };
}

/* ---- states ---- */

ge_status gei_binding_set_state(gei_binding *b, gei_state *state, gei_diag *diag) {
    gei_state_use *use = NULL;
    if (state) GEI_TRY(gei_state_use_create(state, b->model, &use, diag));
    gei_state_use_destroy(b->state);
    b->state = use;
    return GE_OK;
}

static ge_status run_on_state(gei_binding *b, const gei_run_options *options, gei_run_context *context, bool is_probed, gei_diag *diag) {
    gei_state_use *fresh = NULL, *use = b->state;
    if (!use) {
        GEI_TRY(gei_state_use_create_fresh(b->model, &fresh, diag));
        use = fresh;
    }
    ge_status st = gei_state_use_begin(use, options, &context->vars, diag);
    if (st == GE_OK) {
        st = is_probed ? run_probed(b, context, diag) : run(b, context, diag);
        gei_state_use_end(use, st == GE_OK);
    }
    gei_state_use_destroy(fresh);
    return st;
}

ge_status gei_binding_run(gei_binding *b, const gei_run_options *options, gei_diag *diag) {
    bool is_probed = b->is_profiled || gei_model_trace_on(b->model), has_vars = b->model->plan->n_vars > 0;
    b->is_timed = false;
    if (!options && !is_probed && !has_vars) return run(b, &b->context, diag);
    gei_run_context context = gei_run_context_of(b->model, options);
    if (has_vars) return run_on_state(b, options, &context, is_probed, diag);
    return is_probed ? run_probed(b, &context, diag) : run(b, &context, diag);
}

gei_tensor *gei_binding_output(const gei_binding *b, uint32_t index) {
    if (!b->has_run || index >= b->model->plan->n_outputs) return NULL;
    return b->given[index] ? b->given[index] : b->own[index];
}
