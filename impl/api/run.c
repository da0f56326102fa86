/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/operation.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#define FEW_VALUES 16 /* more inputs or outputs than this are listed on the heap */

/* Round to nearest, denormals kept, no traps: what the host set on its thread must not change results (and is put back). */
uint32_t gei_fp_enter(void) {
#if defined(__SSE2__)
    uint32_t saved = _mm_getcsr();
    const uint32_t modes = 0x8040u | 0x6000u; /* flush-to-zero, denormals-are-zero, rounding */
    const uint32_t masks = 0x1F80u;           /* 1: that exception does not trap */
    uint32_t wanted = (saved & ~modes) | masks;
    if (saved != wanted) _mm_setcsr(wanted);
    return saved;
#else
    return 0;
#endif
}

void gei_fp_leave(uint32_t saved) {
#if defined(__SSE2__)
    if (_mm_getcsr() != saved) _mm_setcsr(saved);
#else
    (void)saved;
#endif
}

ge_status ge_run_options_init(ge_run_options *options, size_t options_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(options, options_size);
    GEI_NEED(options, 0);
    ge_run_options o = GE_RUN_OPTIONS_INIT;
    return GEI_RETURN(gei_struct_out(options, options_size, &o, sizeof o, GEI_FIRST_RUN_OPTIONS, "options", 0, &diag));
}

ge_status gei_run_options_in(const ge_run_options *from, gei_run_options *out, gei_diag *diag) {
    ge_run_options o = GE_RUN_OPTIONS_INIT;
    GEI_TRY(gei_struct_in(from, &o, sizeof o, GEI_FIRST_RUN_OPTIONS, "options", 1, diag));
    *out = (gei_run_options){ .deadline_ns = o.deadline_ns };
    return GE_OK;
}

ge_status gei_input_tensors(const gei_api_model *m, const ge_value *const *values, size_t count, int32_t first_index, gei_tensor **out,
                            gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    if (count != plan->n_inputs) {
        gei_diag_wanted(diag, "%u", plan->n_inputs);
        return gei_argument_fail(diag, "inputs_count", first_index + 1, GE_ERR_OUT_OF_RANGE, "%zu inputs given, the model has %u", count, plan->n_inputs);
    }
    for (size_t i = 0; i < count; i++) {
        ge_status why = GE_OK;
        if (!values[i]) return gei_argument_fail(diag, "inputs", first_index, GE_ERR_NOT_BOUND, "input '%s' has no value", plan->inputs[i].name);
        const gei_api_value *v = gei_handle_lease(values[i], GEI_HANDLE_VALUE, &why);
        if (v && v->ctx != m->ctx) why = GE_ERR_HANDLE_OTHER_CONTEXT;
        else if (v && !v->tensor) why = GE_ERR_WRONG_KIND;
        if (why == GE_OK) out[i] = gei_tensor_retain(v->tensor);
        if (v) gei_handle_unlease(values[i]);
        if (why != GE_OK) return gei_argument_fail(diag, "inputs", first_index, why, "value of input '%s' cannot be used: %s", plan->inputs[i].name, gei_status_name(why));
    }
    return GE_OK;
}

static ge_status publish_outputs(const gei_api_model *m, gei_tensor **made, ge_value **outputs, size_t count, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    ge_status st = GE_OK;
    for (uint32_t i = 0; i < plan->n_outputs; i++) {
        if (st == GE_OK && i < count) st = gei_value_handle(m->ctx, made[i], GE_OWNERSHIP_LIBRARY, &outputs[i], diag);
        else gei_tensor_release(made[i]);
    }
    for (size_t i = 0; st != GE_OK && i < count; i++) {
        gei_handle_close(outputs[i], GEI_HANDLE_VALUE);
        outputs[i] = NULL;
    }
    return st;
}

static ge_status run(const gei_api_model *m, const gei_run_options *options, const ge_value *const *inputs, size_t inputs_count,
                     ge_value **outputs, size_t outputs_count, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    gei_tensor *few[2 * FEW_VALUES], **list = few;
    size_t n = (size_t)plan->n_inputs + plan->n_outputs, size = n * sizeof *list;
    if (outputs_count != plan->n_outputs && (outputs || outputs_count)) {
        gei_diag_wanted(diag, "%u", plan->n_outputs);
        return gei_argument_fail(diag, "outputs_count", 5, GE_ERR_OUT_OF_RANGE, "%zu outputs wanted, the model has %u", outputs_count, plan->n_outputs);
    }
    if (n > GEI_COUNT(few) && !(list = gei_alloc(&m->ctx->from, size, 0))) return gei_out_of_memory(diag, size);
    memset(list, 0, size);
    ge_status st = gei_input_tensors(m, inputs, inputs_count, 2, list, diag);
    if (st == GE_OK) {
        uint32_t modes = gei_fp_enter();
        st = gei_model_run(m->model, list, list + plan->n_inputs, options, diag);
        gei_fp_leave(modes);
    }
    for (uint32_t i = 0; i < plan->n_inputs; i++) gei_tensor_release(list[i]);
    if (st == GE_OK) st = publish_outputs(m, list + plan->n_inputs, outputs, outputs_count, diag);
    if (list != few) gei_free(&m->ctx->from, list, size, 0);
    return st;
}

ge_status ge_model_run(const ge_model *model, const ge_run_options *options, const ge_value *const *inputs, size_t inputs_count,
                       ge_value **outputs, size_t outputs_count) {
    GEI_CALL;
    gei_run_options inner = { 0 };
    GEI_OUT_ARRAY(outputs, outputs_count);
    if (!inputs && inputs_count) return gei_call_null(__func__, "inputs", 2);
    if (!outputs && outputs_count) return gei_call_null(__func__, "outputs", 4);
    if (options) GEI_CHECK(gei_run_options_in(options, &inner, &diag));
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    return GEI_RETURN_UNLEASE(model, run(m, &inner, inputs, inputs_count, outputs, outputs_count, &diag));
}
