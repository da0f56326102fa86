/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/compile.h"

static ge_status step_done(const gei_compile_options *options, const char *what, uint32_t done, gei_diag *diag) {
    if (!options->progress || options->progress(options->progress_user, what, done, 1)) return GE_OK;
    return gei_fail(diag, GE_ERR_CANCELLED, "the compilation was cancelled");
}

ge_status gei_compile(const gei_graph *g, gei_passes_fn passes, void *passes_user, const gei_compile_options *options,
                      const gei_allocator *from, gei_model **out, gei_diag *diag) {
    gei_graph *clone;
    gei_plan *plan;
    gei_facts facts;
    *out = NULL;
    GEI_TRY(gei_graph_clone(g, &clone, diag));
    gei_facts_init(&facts, from);
    ge_status st = passes ? passes(clone, passes_user, &facts, diag) : GE_OK;
    if (st == GE_OK) st = step_done(options, "plan", 0, diag);
    if (st != GE_OK) {
        gei_facts_release(&facts);
        gei_graph_destroy(clone);
        return st;
    }
    GEI_TRY(gei_plan_create_known(clone, &facts, &options->plan, from, &plan, diag));
    st = step_done(options, "plan", 1, diag);
    if (st != GE_OK) {
        gei_plan_destroy(plan);
        return st;
    }
    GEI_TRY(gei_model_create(plan, &options->model, from, out, diag));
    st = gei_model_plan_gears(*out, diag);
    if (st == GE_OK) return GE_OK;
    gei_model_release(*out);
    *out = NULL;
    return st;
}
