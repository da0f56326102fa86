/* SPDX-License-Identifier: Apache-2.0 */
/* Trace of a context, profile of a binding. */
#include "api/binding.h"

ge_status ge_context_begin_trace(ge_context *context) {
    GEI_CALL;
    gei_api_context *c;
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    if (!gei_trace_begin(&c->trace)) st = gei_argument_fail(&diag, "context", 0, GE_ERR_WRONG_STATE, "the context is recording already");
    gei_context_release(c);
    return GEI_RETURN(st);
}

typedef struct writer { /* the caller's triple without its end */
    ge_write_fn write;
    void *user;
    gei_diag *diag;
} writer;

static ge_status hand_on(void *user, const char *text, size_t size) {
    const writer *w = user;
    ge_status st = w->write(w->user, (const uint8_t *)text, size);
    return st == GE_OK ? GE_OK : gei_callback_status(st, w->diag);
}

static ge_status end_trace(gei_api_context *c, ge_write_fn write, void *user, gei_diag *diag) {
    writer w = { write, user, diag };
    gei_record_log log;
    if (!gei_trace_end(&c->trace, &log)) return gei_argument_fail(diag, "context", 0, GE_ERR_WRONG_STATE, "the context is not recording");
    ge_status st = gei_record_log_write(&log, &c->from, hand_on, &w, diag);
    gei_record_log_deinit(&log, &c->from);
    return st;
}

ge_status ge_context_end_trace(ge_context *context, ge_write_fn write, void *user_data, ge_destroy_fn destroy) {
    GEI_CALL;
    gei_api_context *c = NULL;
    ge_status st = gei_context_find(context, &c, &diag);
    if (st == GE_OK && !write) st = gei_argument_fail(&diag, "write", 1, GE_ERR_NULL_ARGUMENT, "write is NULL");
    if (st == GE_OK) st = end_trace(c, write, user_data, &diag);
    if (destroy) destroy(user_data);
    if (c) gei_context_release(c);
    return GEI_RETURN(st);
}

ge_status ge_binding_set_profiling(ge_binding *binding, int32_t is_on) {
    GEI_CALL;
    GEI_GET(gei_api_binding, b, binding, BINDING, 0);
    GEI_CHECK(gei_api_binding_check_free(b, &diag));
    if (is_on != 0 && is_on != 1) return GEI_RETURN(gei_argument_fail(&diag, "is_on", 1, GE_ERR_INVALID_ARGUMENT, "is_on is %d, not 0 or 1", is_on));
    gei_binding_profile(b->binding, is_on);
    return GE_OK;
}

ge_status ge_binding_get_step_infos(ge_binding *binding, ge_step_info *infos, size_t infos_count, size_t info_size, size_t *out_count) {
    GEI_CALL;
    uint32_t n = 0;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_GET(gei_api_binding, b, binding, BINDING, 0);
    GEI_CHECK(gei_api_binding_check_free(b, &diag));
    GEI_CHECK(gei_struct_size_check(info_size, GEI_FIRST_STEP_INFO, "info_size", 3, &diag));
    GEI_CHECK(gei_binding_count_steps(b->binding, &n, &diag));
    GEI_CHECK(gei_array_out(n, infos, infos_count, out_count, "infos", 1, &diag));
    for (uint32_t i = 0; infos && i < n; i++) {
        gei_step_info s;
        gei_binding_step(b->binding, i, &s);
        ge_step_info row = { .node = s.node,
                             .op_type = s.op_type,
                             .kernel = s.kernel,
                             .start_ns = (uint64_t)s.start_ns,
                             .duration_ns = (uint64_t)s.duration_ns,
                             .read_bytes = s.read_bytes,
                             .written_bytes = s.written_bytes,
                             .stream_id = s.lane,
                             .threads = s.threads };
        GEI_CHECK(gei_struct_out((char *)infos + i * info_size, info_size, &row, sizeof row, GEI_FIRST_STEP_INFO, "info_size", 3, &diag));
    }
    return GE_OK;
}
