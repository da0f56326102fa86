/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and counters of models. */
#include "api/model.h"

#define AREA_ALIGN_BYTES 64 /* what the engine's own memory has */

/* ---- areas ---- */

/* All memory of a run may move between runs: addresses are resolved when a frame gets its block. */
static void fill_areas(const gei_model_stats *stats, uint64_t constant_bytes, ge_area_info *areas) {
    uint64_t features = stats->arena_bytes + stats->scratch_bytes;
    areas[0] = (ge_area_info){ .area = GE_AREA_CONSTANTS, .is_fixed = 1, .area_bytes = constant_bytes, .alignment = AREA_ALIGN_BYTES };
    areas[1] = (ge_area_info){ .area = GE_AREA_FEATURES, .is_refreshable = 1, .area_bytes = features, .alignment = AREA_ALIGN_BYTES };
    areas[2] = (ge_area_info){ .area = GE_AREA_FIXED_FEATURES, .is_fixed = 1, .alignment = AREA_ALIGN_BYTES };
    areas[3] = areas[1];
    areas[3].area = GE_AREA_REFRESHABLE_FEATURES;
}

static ge_status get_area_infos(const gei_api_model *m, ge_area_info *infos, size_t infos_count, size_t info_size, size_t *out_count,
                                gei_diag *diag) {
    const gei_instance *instance;
    gei_model_stats stats;
    ge_area_info areas[4];
    if (!gei_model_plan(m->model)->is_static)
        return gei_argument_fail(diag, "model", 0, GE_ERR_WRONG_STATE, "the model has unknown dims, so its memory has no size yet");
    GEI_TRY(gei_array_out(GEI_COUNT(areas), infos, infos_count, out_count, "infos", 1, diag));
    *out_count = 0;
    GEI_TRY(gei_model_instance(m->model, NULL, &instance, diag));
    gei_model_stats_get(m->model, &stats);
    gei_model_instance_release(m->model, instance);
    fill_areas(&stats, gei_model_constant_area(m->model), areas);
    for (size_t i = 0; infos && i < GEI_COUNT(areas); i++)
        GEI_TRY(gei_struct_out((char *)infos + i * info_size, info_size, &areas[i], sizeof areas[i], GEI_FIRST_AREA_INFO, "info_size", 3, diag));
    *out_count = GEI_COUNT(areas);
    return GE_OK;
}

ge_status ge_model_get_area_infos(const ge_model *model, ge_area_info *infos, size_t infos_count, size_t info_size, size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 4);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    return GEI_RETURN_UNLEASE(model, get_area_infos(m, infos, infos_count, info_size, out_count, &diag));
}

/* ---- counters ---- */

ge_status ge_model_get_counters(const ge_model *model, ge_model_counters *out_counters, size_t out_counters_size) {
    GEI_CALL;
    gei_model_stats stats;
    GEI_OUT_STRUCT(out_counters, out_counters_size);
    GEI_NEED(out_counters, 1);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    const gei_plan *plan = gei_model_plan(m->model);
    gei_model_stats_get(m->model, &stats);
    ge_model_counters counters = { .runs_count = stats.runs,
                                   .instances_count = stats.instances_made,
                                   .found_count = stats.instances_found,
                                   .evicted_count = stats.instances_evicted,
                                   .primitives_count = plan->n_prepared,
                                   .packings_count = plan->n_packed,
                                   .copies_count = stats.output_copies,
                                   .allocations_count = stats.heap_allocations_in_runs,
                                   .pooled_bytes = stats.idle_bytes };
    return GEI_RETURN_UNLEASE(model, gei_struct_out(out_counters, out_counters_size, &counters, sizeof counters, GEI_FIRST_MODEL_COUNTERS,
                                                    "out_counters", 1, &diag));
}

ge_status ge_model_trim(const ge_model *model, uint64_t keep_bytes) {
    GEI_CALL;
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    gei_model_trim(m->model, keep_bytes);
    return GEI_RETURN_UNLEASE(model, GE_OK);
}
