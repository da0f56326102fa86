/* SPDX-License-Identifier: Apache-2.0 */
/* layout: regions of the graph whose images have their channels in blocks of 16.
 *
 *   x -> Conv2D -> Add -> Conv2D -> y      x -> blocks -> GeBlockedConv2D -> Add -> GeBlockedConv2D -> back -> y
 *
 * Rows with .blocked gain by it, as much as they say; elementwise nodes take either layout, as do
 * those that join whole blocks.  Which nodes are blocked is a cut of the
 * graph: it costs the bytes of every value that has to change its layout, and what nodes that stay plain would have saved.  Elementwise
 * nodes that are neighbours are one unit; all start blocked, then every unit changes sides as long as that makes the cut cheaper. */
#include <string.h>

#include "passes/pipeline.h"

#define MOST_ROUNDS 8
#define UNKNOWN_DIM 32 /* counts for dims that are not known */

typedef enum kind { KIND_PLAIN = 0, KIND_GAINS, KIND_EITHER } kind;

typedef struct member { /* by position in the order */
    kind kind;
    bool blocked, keeps_plain;
    double gain;        /* bytes saved when blocked */
    uint32_t unit;      /* first position of its unit */
    uint32_t next;      /* of the same unit; UINT32_MAX: none */
} member;

typedef struct chooser {
    gei_pass_context *c;
    member *members;
    uint32_t *position; /* by node index, UINT32_MAX: not in the order */
    uint32_t *stamp;    /* by node index: values of its output counted in this round */
    uint32_t now;
    const gei_info **in;
    size_t n_nodes;     /* before the pass */
} chooser;

static const gei_info *info_of(const chooser *k, gei_value v) { return gei_infos_of(k->c->infos, v); }
static member *member_of(const chooser *k, const gei_node *node) {
    uint32_t at = node->index < k->n_nodes ? k->position[node->index] : UINT32_MAX;
    return at == UINT32_MAX ? NULL : &k->members[at];
}

static bool is_image(const gei_info *info) {
    return info->dtype == GEI_FLOAT32 && info->shape.rank == 4 && gei_dim_known(info->shape.dims[1]) && info->shape.dims[1] > 0;
}

static double bytes_of(const gei_info *info) {
    double bytes = 4;
    for (int32_t d = 0; d < info->shape.rank; d++) bytes *= gei_dim_known(info->shape.dims[d]) ? (double)info->shape.dims[d] : UNKNOWN_DIM;
    return bytes;
}

/* [N or 1, C, 1, 1] beside [N, C, H, W]. */
static bool is_per_channel(const gei_shape *s, const gei_shape *y) {
    bool batch = s->rank == 4 && (s->dims[0] == 1 || s->dims[0] == y->dims[0]);
    return batch && s->dims[1] == y->dims[1] && s->dims[2] == 1 && s->dims[3] == 1;
}

static bool is_one_number(const gei_shape *s) {
    if (s->rank < 0) return false;
    for (int32_t d = 0; d < s->rank; d++)
        if (s->dims[d] != 1) return false;
    return true;
}

/* Whether the slot of an elementwise node changes its layout with the node. */
static bool slot_changes(const gei_info *in, const gei_shape *y) {
    return gei_shape_same(&in->shape, y) || (in->shape.rank == 4 && !is_one_number(&in->shape));
}

static bool takes_either(const chooser *k, const gei_node *node) {
    const gei_info *y = info_of(k, gei_value_of((gei_node *)(uintptr_t)node, 0));
    bool images = false;
    if (!gei_op_has(gei_op_of(node), GEI_OP_ELEMENTWISE | GEI_OP_PURE) || node->n_outs != 1 || !is_image(y)) return false;
    for (uint32_t i = 0; i < node->n_ins; i++) {
        if (!node->ins[i].from.node) continue;
        const gei_info *x = info_of(k, node->ins[i].from);
        bool same = gei_shape_same(&x->shape, &y->shape);
        if (x->dtype != GEI_FLOAT32 || (!same && !is_per_channel(&x->shape, &y->shape) && !is_one_number(&x->shape))) return false;
        images = images || same;
    }
    return images;
}

/* A node that joins images of whole blocks along their channels. */
static bool joins_blocks(const chooser *k, const gei_node *node) {
    const gei_op *op = gei_op_of(node);
    if (!gei_op_has(op, GEI_OP_PURE) || !op->joins_channels || !op->joins_channels(node) || node->n_outs != 1) return false;
    if (!is_image(info_of(k, gei_value_of((gei_node *)(uintptr_t)node, 0)))) return false;
    for (uint32_t i = 0; i < node->n_ins; i++) {
        const gei_info *x = node->ins[i].from.node ? info_of(k, node->ins[i].from) : NULL;
        if (!x || !is_image(x) || x->shape.dims[1] % 16 != 0) return false;
    }
    return true;
}

static void classify(chooser *k, gei_node *node, member *m) {
    const gei_op *op = gei_op_of(node);
    gei_reason why = { "" };
    if (node->ctrl_ins.count || node->ctrl_outs.count) return;
    if (takes_either(k, node) || joins_blocks(k, node)) *m = (member){ .kind = KIND_EITHER, .blocked = true };
    if (!op || !op->blocked) return;
    for (uint32_t i = 0; i < node->n_ins; i++) k->in[i] = node->ins[i].from.node ? info_of(k, node->ins[i].from) : NULL;
    const gei_info *y = info_of(k, gei_value_of(node, 0));
    gei_choice choice = { .node = node, .in = k->in, .out = y, .n_in = node->n_ins, .n_out = node->n_outs, .isa = gei_isa() };
    if (!k->in[0] || !is_image(k->in[0]) || !is_image(y)) return;
    if (!op->blocked->accepts(&choice, &why)) {
        gei_pass_note(k->c, "layout", node, why.text);
        return;
    }
    m->kind = KIND_GAINS;
    m->keeps_plain = op->blocked->keeps_plain && op->blocked->keeps_plain(&choice);
    m->gain = (op->blocked->worth ? op->blocked->worth(&choice) : 1) * (bytes_of(k->in[0]) + bytes_of(y));
    m->blocked = true;
}

/* ---- units ---- */

static uint32_t unit_of(const chooser *k, uint32_t at) {
    while (k->members[at].unit != at) at = k->members[at].unit = k->members[k->members[at].unit].unit;
    return at;
}

/* Joins elementwise nodes that read one another; each unit becomes a list from its first position on. */
static void make_units(chooser *k, uint32_t *last) {
    uint32_t n = (uint32_t)k->c->n_order;
    for (uint32_t at = 0; at < n; at++) k->members[at].unit = at;
    for (uint32_t at = 0; at < n; at++) {
        const gei_node *node = k->c->order[at];
        for (uint32_t i = 0; k->members[at].kind == KIND_EITHER && i < node->n_ins; i++) {
            const member *from = node->ins[i].from.node ? member_of(k, node->ins[i].from.node) : NULL;
            if (!from || from->kind != KIND_EITHER || !slot_changes(info_of(k, node->ins[i].from), &info_of(k, gei_value_of((gei_node *)(uintptr_t)node, 0))->shape)) continue;
            uint32_t a = unit_of(k, at), b = unit_of(k, (uint32_t)(from - k->members));
            k->members[a > b ? a : b].unit = a < b ? a : b;
        }
    }
    for (uint32_t at = 0; at < n; at++) {
        uint32_t unit = unit_of(k, at);
        k->members[at].unit = unit;
        k->members[at].next = UINT32_MAX;
        if (unit != at) k->members[last[unit]].next = at;
        last[unit] = at;
    }
}

/* ---- the cost of a cut ---- */

static bool wants_blocked(const chooser *k, const gei_slot *use) {
    const member *m = member_of(k, use->owner);
    if (!m || !m->blocked) return false;
    if (m->kind == KIND_GAINS) return use == &use->owner->ins[0];
    return slot_changes(info_of(k, use->from), &info_of(k, gei_value_of(use->owner, 0))->shape);
}

static bool takes_plain(const chooser *k, const gei_slot *use) {
    const member *m = member_of(k, use->owner);
    return !wants_blocked(k, use) || (m->kind == KIND_GAINS && m->keeps_plain);
}

/* Bytes that change their layout between a value and its readers. */
static double cost_of_value(const chooser *k, gei_value v) {
    const member *m = member_of(k, v.node);
    bool blocked = m && m->blocked && v.out == 0, to_plain = false, to_blocked = false;
    if (info_of(k, v)->shape.rank != 4) return 0;
    for (const gei_slot *use = gei_value_out(v)->first_use; use; use = use->next_use) {
        to_blocked = to_blocked || (!blocked && !takes_plain(k, use));
        to_plain = to_plain || (blocked && !wants_blocked(k, use));
    }
    return to_plain || to_blocked ? 2 * bytes_of(info_of(k, v)) : 0;
}

/* Of everything one unit has to do with; each value once. */
static double cost_of_unit(chooser *k, uint32_t unit) {
    double cost = 0;
    k->now++;
    for (uint32_t at = unit; at != UINT32_MAX; at = k->members[at].next) {
        gei_node *node = k->c->order[at];
        if (!k->members[at].blocked) cost += k->members[at].gain;
        for (uint32_t i = 0; i < node->n_ins; i++) {
            gei_value from = node->ins[i].from;
            if (!from.node || k->stamp[from.node->index] == k->now) continue;
            k->stamp[from.node->index] = k->now;
            cost += cost_of_value(k, gei_value_of(from.node, from.out));
        }
        if (k->stamp[node->index] == k->now) continue;
        k->stamp[node->index] = k->now;
        cost += cost_of_value(k, gei_value_of(node, 0));
    }
    return cost;
}

static void turn(chooser *k, uint32_t unit) {
    for (uint32_t at = unit; at != UINT32_MAX; at = k->members[at].next) k->members[at].blocked = !k->members[at].blocked;
}

static bool improve(chooser *k) {
    bool any = false;
    for (uint32_t at = 0; at < k->c->n_order; at++) {
        const member *m = &k->members[at];
        if (m->kind == KIND_PLAIN || m->unit != at) continue;
        double before = cost_of_unit(k, at);
        turn(k, at);
        double after = cost_of_unit(k, at);
        bool tie_goes_plain = m->kind == KIND_GAINS && !m->blocked; /* what follows a convolution may still go into it */
        if (after < before || (after == before && tie_goes_plain)) any = any || after < before;
        else turn(k, at);
    }
    return any;
}

/* ---- rewriting ---- */

typedef struct rewriter {
    chooser *k;
    const gei_op_def *to_blocks, *from_blocks;
    gei_value *other;   /* by position: the value of its output 0 in the other layout */
} rewriter;

static const gei_op_def *def_with(uint32_t trait) {
    for (size_t i = 0; i < gei_op_row_count(); i++)
        if (gei_op_has(gei_op_row_at(i), trait)) return gei_catalogue_find(gei_op_row_at(i)->name, strlen(gei_op_row_at(i)->name));
    return NULL;
}

static ge_status reorder(rewriter *r, gei_value v, bool to_blocks, int64_t channels, gei_value *out, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_graph_add_node(r->k->c->graph, to_blocks ? r->to_blocks : r->from_blocks, NULL, NULL, NULL, &node, diag));
    gei_slot_set(&node->ins[0], v);
    if (!to_blocks) {
        gei_attr value = gei_attr_int(channels);
        GEI_TRY(gei_node_set(node, "channels", &value, diag));
    }
    *out = gei_value_of(node, 0);
    return GE_OK;
}

/* Gives every reader the layout it wants: one reorder for all that want the other one. */
static ge_status serve_readers(rewriter *r, gei_value v, bool blocked, int64_t channels, gei_diag *diag) {
    gei_value other = { 0 };
    for (gei_slot *use = gei_value_out(v)->first_use, *next; use; use = next) {
        next = use->next_use;
        if (use->owner == other.node) continue;
        bool wrong = blocked ? !wants_blocked(r->k, use) : !takes_plain(r->k, use);
        if (!wrong) continue;
        if (!other.node) GEI_TRY(reorder(r, v, !blocked, channels, &other, diag));
        gei_slot_set(use, other);
    }
    return GE_OK;
}

static ge_status replace(rewriter *r, gei_node *node, gei_diag *diag) {
    const gei_blocked_row *row = gei_op_of(node)->blocked;
    const gei_op_def *def = gei_catalogue_find(row->type, strlen(row->type));
    const gei_attr *clip = gei_attrs_find(&node->attrs, GEI_ATTR_CLIP);
    gei_node *to;
    GEI_TRY(gei_graph_add_node(r->k->c->graph, def, NULL, NULL, NULL, &to, diag));
    for (uint32_t i = 0; i < node->n_ins; i++) {
        gei_slot *slot = gei_node_slot_named(to, node->def->inputs[node->ins[i].port].name);
        if (slot) gei_slot_set(slot, node->ins[i].from);
    }
    GEI_TRY(row->map(node, to, diag));
    if (clip) GEI_TRY(gei_node_set(to, GEI_ATTR_CLIP, clip, diag));
    gei_pass_note(r->k->c, "layout", node, row->type);
    gei_value_replace_uses(gei_value_of(node, 0), gei_value_of(to, 0));
    const char *name = node->name;
    gei_graph_remove_node(node);
    return gei_graph_rename_node(to, name, diag);
}

static ge_status rewrite(chooser *k, gei_diag *diag) {
    rewriter r = { k, def_with(GEI_OP_BLOCKS), def_with(GEI_OP_UNBLOCKS), NULL };
    for (size_t at = 0; at < k->c->n_order; at++) {
        gei_node *node = k->c->order[at];
        bool blocked = k->members[at].blocked;
        for (uint32_t out = 0; out < node->n_outs; out++) {
            gei_value v = gei_value_of(node, out);
            if (gei_value_out(v)->first_use) GEI_TRY(serve_readers(&r, v, blocked && out == 0, blocked ? info_of(k, v)->shape.dims[1] : 0, diag));
        }
    }
    for (size_t at = 0; at < k->c->n_order; at++) {
        if (!k->members[at].blocked) continue;
        k->c->n_changes++;
        if (k->members[at].kind == KIND_GAINS) GEI_TRY(replace(&r, k->c->order[at], diag));
    }
    return GE_OK;
}

static ge_status init(chooser *k, gei_diag *diag) {
    gei_pass_context *c = k->c;
    size_t n_nodes = c->graph->nodes.count, most_ins = 1;
    for (size_t at = 0; at < c->n_order; at++)
        if (c->order[at]->n_ins > most_ins) most_ins = c->order[at]->n_ins;
    k->n_nodes = n_nodes;
    k->members = gei_arena_array(c->arena, member, c->n_order + 1);
    k->position = gei_arena_array(c->arena, uint32_t, n_nodes + 1);
    k->stamp = gei_arena_array(c->arena, uint32_t, n_nodes + 1);
    k->in = gei_arena_array(c->arena, const gei_info *, most_ins);
    if (!k->members || !k->position || !k->stamp || !k->in) return gei_out_of_memory(diag, n_nodes * sizeof(member));
    memset(k->position, 0xFF, n_nodes * sizeof *k->position);
    for (size_t at = 0; at < c->n_order; at++) k->position[c->order[at]->index] = (uint32_t)at;
    return GE_OK;
}

ge_status gei_pass_layout(gei_pass_context *c, gei_diag *diag) {
    chooser k = { .c = c };
    bool any = false;
    for (size_t at = 0; at < c->n_order && !any; at++) any = gei_op_of(c->order[at]) && gei_op_of(c->order[at])->blocked;
    if (!any) return GE_OK;
    GEI_TRY(init(&k, diag));
    for (size_t at = 0; at < c->n_order; at++) classify(&k, c->order[at], &k.members[at]);
    uint32_t *last = gei_arena_array(c->arena, uint32_t, c->n_order + 1);
    if (!last) return gei_out_of_memory(diag, c->n_order * sizeof *last);
    make_units(&k, last);
    for (int round = 0; round < MOST_ROUNDS && improve(&k); round++) continue;
    return rewrite(&k, diag);
}
