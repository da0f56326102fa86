/* SPDX-License-Identifier: Apache-2.0 */
/* need: which nodes a run has to work on. */
#include "plan/plan_inner.h"

bool gei_info_bytes(const gei_info *info, uint64_t *out_bytes) {
    int64_t n;
    size_t bytes;
    if (!gei_shape_elems(&info->shape, &n) || !gei_dtype_bytes(info->dtype, (uint64_t)n, &bytes)) return false;
    *out_bytes = bytes;
    return true;
}

/* What the operator does besides making its outputs keeps it; nothing is known about one without a row. */
static bool has_effects(const gei_plan_node *pn) { return !pn->op || pn->has_effects || pn->op->traits & (GEI_OP_STATEFUL | GEI_OP_OUTPUT); }

/* A view whose shape is known needs the bytes of input 0 only; the others told the shape. */
static uint32_t slots_read(const gei_plan_node *pn, const gei_infos *infos) {
    if (pn->work != GEI_WORK_VIEW || !infos) return pn->node->n_ins;
    return gei_shape_known(&infos->by_node[pn->node->index][0].shape) ? 1 : pn->node->n_ins;
}

void gei_plan_mark_needed(const gei_plan *plan, gei_tensor *const *known, const gei_infos *infos, bool *value_read, bool *needed) {
    for (size_t i = plan->n_order; i-- > 0;) {
        const gei_plan_node *pn = &plan->nodes[i];
        bool is_needed = has_effects(pn);
        for (uint32_t k = 0; k < pn->node->n_outs && !is_needed; k++) is_needed = value_read[pn->first_out + k] && !known[pn->first_out + k];
        needed[i] = is_needed;
        if (!is_needed) continue;
        uint32_t n = slots_read(pn, infos);
        for (uint32_t k = 0; k < n; k++)
            if (pn->in[k] != GEI_NO_VALUE) value_read[pn->in[k]] = true;
    }
}

void gei_plan_in_infos(const gei_plan *plan, const gei_infos *infos, const gei_plan_node *pn, const gei_info **in) {
    for (uint32_t k = 0; k < pn->node->n_ins; k++) in[k] = pn->in[k] == GEI_NO_VALUE ? NULL : gei_plan_info(plan, infos, pn->in[k]);
}
