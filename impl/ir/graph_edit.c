/* SPDX-License-Identifier: Apache-2.0 */
/* Data and control edges. */
#include <assert.h>
#include <string.h>

#include "ir/graph_inner.h"

/* ---- data edges ---- */

static void unlink_use(gei_slot *slot) {
    gei_out *out = gei_value_out(slot->from);
    if (slot->prev_use) slot->prev_use->next_use = slot->next_use;
    else out->first_use = slot->next_use;
    if (slot->next_use) slot->next_use->prev_use = slot->prev_use;
    else out->last_use = slot->prev_use;
    slot->next_use = slot->prev_use = NULL;
}

static void append_use(gei_slot *slot) {
    gei_out *out = gei_value_out(slot->from);
    slot->prev_use = out->last_use;
    slot->next_use = NULL;
    if (out->last_use) out->last_use->next_use = slot;
    else out->first_use = slot;
    out->last_use = slot;
}

void gei_slot_set(gei_slot *slot, gei_value value) {
    assert(!value.node || (value.node->graph == slot->owner->graph && value.out < value.node->n_outs));
    if (slot->from.node) unlink_use(slot);
    slot->from = value;
    if (value.node) append_use(slot);
}

void gei_value_replace_uses(gei_value old, gei_value with) {
    gei_out *out = gei_value_out(old);
    gei_slot *first = out->first_use, *last = out->last_use;
    assert(!with.node || (with.node->graph == old.node->graph && with.out < with.node->n_outs));
    if (!first || (with.node == old.node && with.out == old.out)) return;
    out->first_use = out->last_use = NULL;
    for (gei_slot *slot = first, *next; slot; slot = next) {
        next = slot->next_use;
        slot->from = with;
        if (!with.node) slot->next_use = slot->prev_use = NULL;
    }
    if (!with.node) return;
    gei_out *target = gei_value_out(with); /* the whole list goes behind its own */
    first->prev_use = target->last_use;
    if (target->last_use) target->last_use->next_use = first;
    else target->first_use = first;
    target->last_use = last;
}

uint32_t gei_value_use_count(gei_value v) {
    uint32_t n = 0;
    for (const gei_slot *use = gei_value_out(v)->first_use; use; use = use->next_use) n++;
    return n;
}

/* Slots are sorted by (port, nth).  First slot at or behind that place. */
static uint32_t lower_bound(const gei_node *node, uint32_t port, uint32_t nth) {
    uint32_t from = 0, to = node->n_ins;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        const gei_slot *slot = &node->ins[mid];
        if (slot->port < port || (slot->port == port && slot->nth < nth)) from = mid + 1;
        else to = mid;
    }
    return from;
}

gei_slot *gei_node_slot(const gei_node *node, uint32_t port, uint32_t nth) {
    uint32_t at = port; /* right when no dynamic port comes before it */
    if (at >= node->n_ins || node->ins[at].port != port || nth != 0) at = lower_bound(node, port, nth);
    if (at >= node->n_ins || node->ins[at].port != port || node->ins[at].nth != nth) return NULL;
    return &node->ins[at];
}

gei_slot *gei_node_slot_named(const gei_node *node, const char *port) {
    for (uint32_t i = 0; i < node->def->n_inputs; i++)
        if (strcmp(node->def->inputs[i].name, port) == 0) return gei_node_slot(node, i, 0);
    return NULL;
}

uint32_t gei_node_port_count(const gei_node *node, uint32_t port) {
    return lower_bound(node, port + 1, 0) - lower_bound(node, port, 0);
}

/* ---- control edges ---- */

static bool reserve_one(gei_node_list *list, gei_arena *arena) {
    if (list->count < list->cap) return true;
    if (list->cap > UINT32_MAX / 2) return false;
    gei_node_list bigger = { .count = list->count, .cap = list->cap ? list->cap * 2 : 2 };
    bigger.items = (gei_node **)gei_arena_array_(arena, bigger.cap, sizeof(gei_node *) + sizeof(uint32_t), _Alignof(gei_node *));
    if (!bigger.items) return false;
    if (list->count > 0) {
        memcpy(bigger.items, list->items, list->count * sizeof *list->items);
        memcpy(gei_list_mirrors(&bigger), gei_list_mirrors(list), list->count * sizeof(uint32_t));
    }
    *list = bigger;
    return true;
}

static void append(gei_node_list *list, gei_node *node, uint32_t mirror) {
    list->items[list->count] = node;
    gei_list_mirrors(list)[list->count++] = mirror;
}

ge_status gei_control_link(gei_node *before, gei_node *after, gei_diag *diag) {
    gei_arena *arena = &before->graph->arena;
    if (!reserve_one(&before->ctrl_outs, arena) || !reserve_one(&after->ctrl_ins, arena)) return gei_out_of_memory(diag, 0);
    uint32_t out_at = before->ctrl_outs.count, in_at = after->ctrl_ins.count;
    append(&before->ctrl_outs, after, in_at);
    append(&after->ctrl_ins, before, out_at);
    return GE_OK;
}

/* The last entry fills the gap; its mirror in the other node's list learns the new place. */
static void take_out(gei_node_list *list, uint32_t at, bool list_is_outs) {
    uint32_t last = --list->count, *mirrors = gei_list_mirrors(list);
    if (at == last) return;
    list->items[at] = list->items[last];
    mirrors[at] = mirrors[last];
    gei_node *other = list->items[at];
    gei_list_mirrors(list_is_outs ? &other->ctrl_ins : &other->ctrl_outs)[mirrors[at]] = at;
}

static void unlink_control(gei_node *before, uint32_t out_at, gei_node *after, uint32_t in_at) {
    take_out(&before->ctrl_outs, out_at, true);
    take_out(&after->ctrl_ins, in_at, false);
}

void gei_node_drop_controls(gei_node *node) {
    while (node->ctrl_ins.count > 0) {
        uint32_t at = node->ctrl_ins.count - 1;
        unlink_control(node->ctrl_ins.items[at], gei_list_mirrors(&node->ctrl_ins)[at], node, at);
    }
    while (node->ctrl_outs.count > 0) {
        uint32_t at = node->ctrl_outs.count - 1;
        unlink_control(node, at, node->ctrl_outs.items[at], gei_list_mirrors(&node->ctrl_outs)[at]);
    }
}

/* Searches the shorter of the two lists. */
static bool find_control(const gei_node *before, const gei_node *after, uint32_t *out_at, uint32_t *in_at) {
    bool through_outs = before->ctrl_outs.count <= after->ctrl_ins.count;
    const gei_node_list *list = through_outs ? &before->ctrl_outs : &after->ctrl_ins;
    const gei_node *wanted = through_outs ? after : before;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != wanted) continue;
        uint32_t mirror = gei_list_mirrors(list)[i];
        *out_at = through_outs ? i : mirror;
        *in_at = through_outs ? mirror : i;
        return true;
    }
    return false;
}

ge_status gei_graph_add_control(gei_node *before, gei_node *after, gei_diag *diag) {
    uint32_t out_at, in_at;
    if (before == after) {
        gei_diag_node(diag, before->name);
        return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "control edge from node '%s' to itself", before->name);
    }
    if (before->graph != after->graph)
        return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "control edge from '%s' of graph '%s' to '%s' of graph '%s'", before->name,
                        before->graph->name, after->name, after->graph->name);
    if (find_control(before, after, &out_at, &in_at)) return GE_OK;
    return gei_control_link(before, after, diag);
}

bool gei_graph_remove_control(gei_node *before, gei_node *after) {
    uint32_t out_at, in_at;
    if (!find_control(before, after, &out_at, &in_at)) return false;
    unlink_control(before, out_at, after, in_at);
    return true;
}
