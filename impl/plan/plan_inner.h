/* SPDX-License-Identifier: Apache-2.0 */
/* plan_inner: what the files of plan/ share with each other and nobody else. */
#ifndef GEI_PLAN_PLAN_INNER_H
#define GEI_PLAN_PLAN_INNER_H

#include "plan/plan.h"

static inline const gei_info *gei_plan_info(const gei_plan *plan, const gei_infos *infos, uint32_t value) {
    const gei_plan_node *pn = &plan->nodes[plan->value_node[value]];
    return &infos->by_node[pn->node->index][value - pn->first_out];
}

/* Bytes of a value as far as its shape and dtype tell; false for unknown dims and types without a fixed size. */
bool gei_info_bytes(const gei_info *info, uint64_t *out_bytes);

/* Marks the nodes whose work a run needs: something that counts reads their outputs, or they have effects.
 * known: by value number, contents known before the run (not NULL): nobody has to make these.
 * infos: concrete shapes of an instance, NULL for a template, which must keep what some shapes need. */
void gei_plan_mark_needed(const gei_plan *plan, gei_tensor *const *known, const gei_infos *infos, bool *value_read, bool *needed);

/* Fills in by slot (room for all inputs) with the infos of a node's inputs. */
void gei_plan_in_infos(const gei_plan *plan, const gei_infos *infos, const gei_plan_node *pn, const gei_info **in);

/* Chooses and prepares the kernels of needed nodes. */
ge_status gei_plan_choose_kernels(gei_plan *plan, const gei_infos *infos, const bool *needed, gei_diag *diag);

/* Sizes the kernels of the steps there are: parts, scratch, cost. */
ge_status gei_instance_size_steps(gei_instance *instance, gei_arena *scratch, gei_diag *diag);
/* Finds the stretches of sized steps and puts their steps into lanes.  root: by value; born: by root, step that makes it or UINT32_MAX. */
ge_status gei_instance_find_stretches(gei_instance *instance, const uint32_t *root, const uint32_t *born, gei_arena *scratch, gei_diag *diag);

ge_status gei_plan_keep_limits(gei_plan *plan, const gei_shape_limits *from, gei_diag *diag); /* copies */
ge_status gei_plan_check_limits(const gei_plan *plan, const gei_shape *shapes, gei_diag *diag);

/* variables.c.  The root's list, then what each plan needs of it: numbers, copies instead of views of what changes. */
ge_status gei_plan_list_vars(gei_plan *plan, gei_diag *diag);
ge_status gei_plan_use_vars(gei_plan *plan, gei_diag *diag);

/* Decides where every value of an instance lives and which steps it has, without sizes of kernels. */
ge_status gei_instance_place(gei_instance *instance, gei_diag *diag);

#endif
