/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous runs of models.  Those of bindings: binding.c. */
#include <string.h>

#include "api/operation.h"

typedef struct model_operation {
    gei_api_operation base;
    gei_model *model;
    gei_tensor **inputs; /* let go when the run is over */
    uint32_t n_inputs;
} model_operation;

static ge_status run_model(gei_operation *op, const gei_run_options *how, gei_diag *diag) {
    model_operation *m = (model_operation *)op;
    return gei_model_run(m->model, m->inputs, m->base.outputs, how, diag);
}

static void settle_model(gei_operation *op, ge_status status) {
    model_operation *m = (model_operation *)op;
    (void)status;
    for (uint32_t i = 0; i < m->n_inputs; i++) {
        gei_tensor_release(m->inputs[i]);
        m->inputs[i] = NULL;
    }
    gei_model_release(m->model);
    m->model = NULL;
}

static void end_model(gei_operation *op) {
    model_operation *m = (model_operation *)op;
    if (m->model) settle_model(op, GE_OK); /* it was never started */
    gei_api_operation_drop_outputs(&m->base);
}

static const gei_operation_kind model_kind = { run_model, settle_model, end_model };

/* On a stream outputs of known shapes are there at once, to be bound to the next run on it. */
static ge_status prepare(model_operation *m, gei_diag *diag) {
    GEI_TRY(gei_model_check_inputs(m->model, m->inputs, diag));
    if (!m->base.op.item.stream) return GE_OK;
    return gei_model_make_outputs(m->model, m->inputs, m->base.outputs, &m->base.has_outputs, diag);
}

static ge_status start(const gei_api_model *api, const gei_async_call *call, const ge_value *const *inputs, size_t inputs_count,
                       const char *function, ge_operation **out, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(api->model);
    gei_api_operation *o;
    GEI_TRY(gei_api_operation_create(&model_kind, sizeof(model_operation), plan->n_outputs, plan->n_inputs, api->ctx, call, function, &o, diag));
    model_operation *m = (model_operation *)o;
    m->model = gei_model_retain(api->model);
    m->inputs = o->outputs + plan->n_outputs;
    m->n_inputs = plan->n_inputs;
    ge_status st = gei_input_tensors(api, inputs, inputs_count, 3, m->inputs, diag);
    if (st == GE_OK) st = prepare(m, diag);
    if (st == GE_OK) return gei_api_operation_start(o, out, diag);
    gei_operation_release(&o->op);
    return st;
}

static ge_status run_async(const ge_model *model, const ge_run_options *options, const ge_async_options *async_options,
                           const ge_value *const *inputs, size_t inputs_count, const char *function, ge_operation **out, gei_diag *diag) {
    ge_status why = GE_OK;
    gei_async_call call;
    const gei_api_model *m = gei_handle_lease(model, GEI_HANDLE_MODEL, &why);
    ge_status st = gei_async_begin(&call, options, async_options, m ? m->ctx : NULL, diag);
    if (!m) st = gei_handle_fault(why, "model", 0, model, GEI_HANDLE_MODEL, diag);
    else if (st == GE_OK && !out) st = gei_argument_fail(diag, "out_operation", 5, GE_ERR_NULL_ARGUMENT, "out_operation is NULL");
    else if (st == GE_OK && !inputs && inputs_count) st = gei_argument_fail(diag, "inputs", 3, GE_ERR_NULL_ARGUMENT, "inputs is NULL");
    if (st == GE_OK) st = start(m, &call, inputs, inputs_count, function, out, diag);
    st = gei_async_end(&call, st);
    if (m) gei_handle_unlease(model);
    return st;
}

ge_status ge_model_run_async(const ge_model *model, const ge_run_options *options, const ge_async_options *async_options,
                             const ge_value *const *inputs, size_t inputs_count, ge_operation **out_operation) {
    GEI_CALL;
    GEI_OUT(out_operation);
    return GEI_RETURN(run_async(model, options, async_options, inputs, inputs_count, __func__, out_operation, &diag));
}
