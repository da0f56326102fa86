/* SPDX-License-Identifier: Apache-2.0 */
/* model_run: one run without a binding. */
#include "base/wait.h"
#include "exec/model.h"
#include "exec/state.h"

static ge_status check_tensors(const gei_plan *plan, gei_tensor *const *inputs, gei_tensor *const *outputs, gei_diag *diag) {
    for (uint32_t i = 0; i < plan->n_inputs; i++) GEI_TRY(gei_check_input(plan, i, inputs[i], diag));
    for (uint32_t i = 0; i < plan->n_outputs; i++)
        if (outputs[i]) GEI_TRY(gei_check_output(plan, i, outputs[i], diag));
    return GE_OK;
}

/* made[i]: the output is made here; of late ones only after the run. */
static ge_status bind_outputs(gei_model *m, gei_frame *f, gei_tensor **outputs, gei_tensor **made, gei_diag *diag) {
    const gei_instance *inst = f->instance;
    for (uint32_t i = 0; i < m->plan->n_outputs; i++) {
        if (outputs[i]) {
            GEI_TRY(gei_check_output_shape(inst, i, outputs[i], diag));
        } else if (inst->out_kinds[i] != GEI_OUT_LATE) {
            const gei_shape *shape = &inst->output_shapes[i];
            const gei_info *info = gei_instance_info(inst, m->plan->outputs[i].value);
            gei_model_count_alloc(m, 1);
            GEI_TRY(gei_tensor_create(m->from, info->dtype, shape->rank, shape->dims, &made[i], diag));
        }
        gei_tensor *tensor = outputs[i] ? outputs[i] : made[i];
        if (inst->out_kinds[i] != GEI_OUT_LATE) gei_frame_set_output(f, i, tensor->data);
    }
    return GE_OK;
}

static ge_status run_frame(gei_model *m, gei_frame *f, gei_tensor *const *inputs, gei_tensor **outputs, gei_tensor **made,
                           const gei_run_context *context, gei_diag *diag) {
    GEI_TRY(gei_check_overlap(m->plan, inputs, outputs, f->ranges, diag));
    for (uint32_t i = 0; i < m->plan->n_inputs; i++) gei_frame_set_input(f, i, inputs[i]->data);
    GEI_TRY(bind_outputs(m, f, outputs, made, diag));
    GEI_TRY(gei_frame_run(f, context, diag));
    for (uint32_t i = 0; i < m->plan->n_outputs; i++)
        if (f->instance->out_kinds[i] == GEI_OUT_LATE) GEI_TRY(gei_store_late(m, f, i, outputs[i] ? &outputs[i] : &made[i], diag));
    return GE_OK;
}

/* Outputs made are kept in the frame until the run has succeeded. */
static ge_status run(gei_model *m, gei_tensor *const *inputs, gei_tensor **outputs, const gei_run_context *context, gei_diag *diag) {
    gei_frame *f;
    gei_signature s = gei_signature_of_tensors(inputs, m->plan->n_inputs);
    GEI_TRY(check_tensors(m->plan, inputs, outputs, diag));
    GEI_TRY(gei_model_take_frame(m, &s, &f, diag));
    ge_status st = run_frame(m, f, inputs, outputs, f->made, context, diag);
    for (uint32_t i = 0; i < m->plan->n_outputs; i++) {
        if (st == GE_OK && !outputs[i]) outputs[i] = f->made[i];
        else gei_tensor_release(f->made[i]);
        f->made[i] = NULL;
    }
    gei_model_give_frame(f);
    return st;
}

/* The same while it has the state. */
static ge_status run_on_state(gei_model *m, gei_tensor *const *inputs, gei_tensor **outputs, const gei_run_options *options,
                              gei_run_context *context, gei_diag *diag) {
    gei_state_use *fresh = NULL, *use = options ? options->state : NULL;
    if (!use) {
        GEI_TRY(gei_state_use_create_fresh(m, &fresh, diag));
        use = fresh;
    }
    ge_status st = gei_state_use_begin(use, options, &context->vars, diag);
    if (st == GE_OK) {
        st = run(m, inputs, outputs, context, diag);
        gei_state_use_end(use, st == GE_OK);
    }
    gei_state_use_destroy(fresh);
    return st;
}

ge_status gei_model_run(gei_model *m, gei_tensor *const *inputs, gei_tensor **outputs, const gei_run_options *options, gei_diag *diag) {
    gei_run_context context = gei_run_context_of(m, options);
    gei_probe probe = { .trace = gei_model_trace_on(m) };
    (void)gei_model_retain(m);
    int64_t begin_ns = probe.trace ? gei_now_ns() : 0;
    if (probe.trace) {
        context.probe = &probe;
        context.is_watched = true;
    }
    ge_status st = m->plan->n_vars > 0 ? run_on_state(m, inputs, outputs, options, &context, diag) : run(m, inputs, outputs, &context, diag);
    if (probe.trace) gei_trace_run(m, probe.trace, begin_ns);
    gei_model_release(m);
    return st;
}

ge_status gei_model_check_inputs(gei_model *m, gei_tensor *const *inputs, gei_diag *diag) {
    for (uint32_t i = 0; i < m->plan->n_inputs; i++) {
        GEI_TRY(gei_check_input(m->plan, i, inputs[i], diag));
        GEI_TRY(gei_check_fits(&m->plan->inputs[i], m->plan, inputs[i], diag));
    }
    return GE_OK;
}

static ge_status make_outputs(gei_model *m, const gei_instance *inst, gei_tensor **outputs, bool *out_made, gei_diag *diag) {
    const gei_plan *plan = m->plan;
    for (uint32_t i = 0; i < plan->n_outputs; i++)
        if (inst->out_kinds[i] == GEI_OUT_LATE) return GE_OK;
    for (uint32_t i = 0; i < plan->n_outputs; i++) {
        const gei_shape *shape = &inst->output_shapes[i];
        const gei_info *info = gei_instance_info(inst, plan->outputs[i].value);
        gei_model_count_alloc(m, 1);
        GEI_TRY(gei_tensor_create(m->from, info->dtype, shape->rank, shape->dims, &outputs[i], diag));
    }
    *out_made = true;
    return GE_OK;
}

ge_status gei_model_make_outputs(gei_model *m, gei_tensor *const *inputs, gei_tensor **outputs, bool *out_made, gei_diag *diag) {
    const gei_instance *inst;
    size_t bytes = m->plan->n_inputs * sizeof(gei_shape);
    gei_shape *shapes = gei_alloc(m->from, bytes, _Alignof(gei_shape));
    *out_made = false;
    if (!shapes) return gei_out_of_memory(diag, bytes);
    for (uint32_t i = 0; i < m->plan->n_inputs; i++) shapes[i] = gei_tensor_shape(inputs[i]);
    ge_status st = gei_model_instance(m, shapes, &inst, diag);
    gei_free(m->from, shapes, bytes, _Alignof(gei_shape));
    if (st != GE_OK) return st;
    st = make_outputs(m, inst, outputs, out_made, diag);
    gei_model_instance_release(m, inst);
    return st;
}
