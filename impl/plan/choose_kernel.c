/* SPDX-License-Identifier: Apache-2.0 */
/* choose_kernel: the first kernel of the row that accepts a node, and what it prepares once per model. */
#include <string.h>

#include "plan/plan_inner.h"

/* Room for the infos of one node, reused from node to node. */
typedef struct chooser {
    gei_plan *plan;
    const gei_infos *infos;
    const gei_info **in;
    bool notes_full;
} chooser;

static void note_refusal(chooser *c, const gei_node *node, const gei_kernel *kernel, const gei_reason *why) {
    gei_sink *notes = &c->plan->notes;
    if (c->notes_full) return;
    c->notes_full = notes->size >= GEI_PLAN_NOTES_BYTES;
    if (c->notes_full) gei_sink_text(notes, "... and more\n");
    else gei_sink_format(notes, "%s '%s': %s refused: %s\n", node->def->name, node->name, kernel->name, why->text);
}

static ge_status no_kernel(const gei_choice *choice, const gei_op *op, const gei_reason *why, gei_diag *diag) {
    const gei_node *node = choice->node;
    gei_diag_node(diag, node->name);
    if (!op || !op->kernels || !op->kernels->name)
        return gei_fail(diag, GE_ERR_NO_KERNEL, "%s '%s': the operator has no kernel", node->def->name, node->name);
    return gei_fail(diag, GE_ERR_NO_KERNEL, "%s '%s': no kernel accepts it: %s", node->def->name, node->name, why->text);
}

static ge_status choose(chooser *c, const gei_choice *choice, const gei_op *op, const gei_kernel **out, gei_diag *diag) {
    gei_reason why = { "" };
    const gei_kernel *kernel = op ? op->kernels : NULL;
    for (; kernel && kernel->name; kernel++) {
        bool is_last = kernel[1].name == NULL;
        if (c->plan->options.reference_only && !is_last) continue;
        why.text[0] = '\0';
        if (!kernel->accepts || kernel->accepts(choice, &why)) {
            *out = kernel;
            return GE_OK;
        }
        note_refusal(c, choice->node, kernel, &why);
    }
    return no_kernel(choice, op, &why, diag);
}

static ge_status prepare(chooser *c, const gei_choice *choice, gei_plan_node *pn, gei_diag *diag) {
    gei_prepare p = { .choice = choice, .arena = &c->plan->arena, .from = c->plan->from };
    ge_status st = pn->kernel->prepare(&p, diag);
    if (st != GE_OK) {
        gei_diag_node(diag, pn->node->name);
        return st;
    }
    pn->prepared = p.prepared;
    pn->dropped = p.drops_input;
    c->plan->packed_bytes += p.packed_bytes;
    c->plan->n_prepared++;
    c->plan->n_packed += p.packed_bytes > 0;
    return GE_OK;
}

static ge_status choose_one(chooser *c, gei_plan_node *pn, gei_diag *diag) {
    gei_plan_in_infos(c->plan, c->infos, pn, c->in);
    gei_choice choice = { .node = pn->node, .in = c->in, .out = c->infos->by_node[pn->node->index], .n_in = pn->node->n_ins,
                          .n_out = pn->node->n_outs, .isa = c->plan->options.isa };
    GEI_TRY(choose(c, &choice, pn->op, &pn->kernel, diag));
    return pn->kernel->prepare ? prepare(c, &choice, pn, diag) : GE_OK;
}

ge_status gei_plan_choose_kernels(gei_plan *plan, const gei_infos *infos, const bool *needed, gei_diag *diag) {
    uint32_t most_ins = 0;
    for (size_t i = 0; i < plan->n_order; i++)
        if (plan->order[i]->n_ins > most_ins) most_ins = plan->order[i]->n_ins;
    chooser c = { .plan = plan, .infos = infos };
    c.in = gei_arena_array(infos->arena, const gei_info *, (size_t)most_ins + 1);
    if (!c.in) return gei_out_of_memory(diag, most_ins * sizeof *c.in);
    for (size_t i = 0; i < plan->n_order; i++)
        if (needed[i] && plan->nodes[i].work == GEI_WORK_KERNEL) GEI_TRY(choose_one(&c, &plan->nodes[i], diag));
    return GE_OK;
}
