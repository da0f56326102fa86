/* SPDX-License-Identifier: Apache-2.0 */
/* limits: ranges and gears that input shapes are held to.  Looked at once for each new shape. */
#include <stdio.h>

#include "plan/plan_inner.h"

ge_status gei_plan_keep_limits(gei_plan *plan, const gei_shape_limits *from, gei_diag *diag) {
    gei_shape_limits *to = &plan->limits;
    size_t n_sizes = (size_t)from->n_gears * from->n_gear_dims;
    *to = *from;
    to->ranges = gei_arena_copy(&plan->arena, from->ranges, from->n_ranges * sizeof *from->ranges, _Alignof(gei_dim_range));
    to->gear_dims = gei_arena_copy(&plan->arena, from->gear_dims, from->n_gear_dims * sizeof *from->gear_dims, _Alignof(gei_dim_at));
    to->gears = gei_arena_copy(&plan->arena, from->gears, n_sizes * sizeof *from->gears, _Alignof(int64_t));
    return to->ranges && to->gear_dims && to->gears ? GE_OK : gei_out_of_memory(diag, n_sizes * sizeof *from->gears);
}

static ge_status out_of_range(const gei_plan *plan, const gei_dim_range *r, int64_t size, gei_diag *diag) {
    char most[24] = "any";
    if (r->most != INT64_MAX) snprintf(most, sizeof most, "%lld", (long long)r->most);
    gei_diag_found(diag, "%lld", (long long)size);
    gei_diag_wanted(diag, "%lld to %s", (long long)r->least, most);
    return gei_fail(diag, GE_ERR_SHAPE, "input '%s': dim %d is %lld, but was compiled for %lld to %s", plan->inputs[r->at.input].name,
                    (int)r->at.dim, (long long)size, (long long)r->least, most);
}

static ge_status no_gear(const gei_plan *plan, const gei_shape *shapes, gei_diag *diag) {
    const gei_shape_limits *l = &plan->limits;
    gei_sink found, wanted;
    gei_sink_init(&found, plan->from);
    gei_sink_init(&wanted, plan->from);
    for (uint32_t i = 0; i < l->n_gear_dims; i++)
        gei_sink_format(&found, "%s%lld", i > 0 ? "," : "", (long long)shapes[l->gear_dims[i].input].dims[l->gear_dims[i].dim]);
    for (uint32_t k = 0; k < l->n_gears && wanted.size < GEI_DIAG_WORD_BYTES; k++)
        for (uint32_t i = 0; i < l->n_gear_dims; i++)
            gei_sink_format(&wanted, "%s%lld", i > 0 ? "," : k > 0 ? " or " : "", (long long)l->gears[k * l->n_gear_dims + i]);
    gei_diag_found(diag, "%s", found.size ? found.data : "?");
    gei_diag_wanted(diag, "%s", wanted.size ? wanted.data : "?");
    ge_status st = gei_fail(diag, GE_ERR_SHAPE, "input '%s': dim %d: %s is no gear of %s, these are: %s", plan->inputs[l->gear_dims[0].input].name,
                            (int)l->gear_dims[0].dim, found.size ? found.data : "?", l->option, wanted.size ? wanted.data : "?");
    gei_sink_deinit(&found);
    gei_sink_deinit(&wanted);
    return st;
}

static bool is_gear(const gei_shape_limits *l, uint32_t gear, const gei_shape *shapes) {
    const int64_t *row = l->gears + (size_t)gear * l->n_gear_dims;
    for (uint32_t i = 0; i < l->n_gear_dims; i++)
        if (shapes[l->gear_dims[i].input].dims[l->gear_dims[i].dim] != row[i]) return false;
    return true;
}

ge_status gei_plan_check_limits(const gei_plan *plan, const gei_shape *shapes, gei_diag *diag) {
    const gei_shape_limits *l = &plan->limits;
    for (uint32_t i = 0; i < l->n_ranges; i++) {
        int64_t size = shapes[l->ranges[i].at.input].dims[l->ranges[i].at.dim];
        if (size < l->ranges[i].least || size > l->ranges[i].most) return out_of_range(plan, &l->ranges[i], size, diag);
    }
    if (l->n_gears == 0) return GE_OK;
    for (uint32_t k = 0; k < l->n_gears; k++)
        if (is_gear(l, k, shapes)) return GE_OK;
    return no_gear(plan, shapes, diag);
}

void gei_plan_gear_shapes(const gei_plan *plan, uint32_t gear, gei_shape *shapes) {
    const gei_shape_limits *l = &plan->limits;
    const int64_t *row = l->gears + (size_t)gear * l->n_gear_dims;
    for (uint32_t input = 0; input < plan->n_inputs; input++) {
        gei_shape *shape = &shapes[input];
        *shape = plan->inputs[input].shape;
        for (int32_t d = 0; d < shape->rank; d++) {
            for (uint32_t i = 0; i < l->n_gear_dims && !gei_dim_known(shape->dims[d]); i++) {
                gei_dim_at at = l->gear_dims[i];
                bool is_same = gei_dim_same(plan->inputs[at.input].shape.dims[at.dim], shape->dims[d]);
                if (is_same || (at.input == input && at.dim == d)) shape->dims[d] = row[i];
            }
        }
    }
}
