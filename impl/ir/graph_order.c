/* SPDX-License-Identifier: Apache-2.0 */
/* Topological order: depth-first over the producers, starting nodes by index.  An index order that is topological already comes
 * out unchanged; otherwise a node moves right before the first one that needs it.  Own stack: graphs are deep. */
#include <string.h>

#include "ir/graph_inner.h"

#define MOST_NAMES 8 /* of a cycle in a message */

typedef enum state { NOT_SEEN = 0, OPEN = 1, DONE = 2 } state;

typedef struct frame {
    gei_node *node;
    uint64_t next; /* producer to look at next: slots first, then control inputs */
} frame;

typedef struct walk {
    const gei_graph *g;
    uint8_t *states;   /* by node index */
    frame *stack;      /* n_live of them */
    size_t depth;
    gei_node **order;
    size_t n_done;
    gei_diag *diag;
} walk;

/* Next producer of the top node that is not done; NULL when all are. */
static gei_node *next_producer(walk *w) {
    frame *top = &w->stack[w->depth - 1];
    const gei_node *node = top->node;
    while (top->next < (uint64_t)node->n_ins + node->ctrl_ins.count) {
        uint64_t at = top->next++;
        gei_node *from = at < node->n_ins ? node->ins[at].from.node : node->ctrl_ins.items[at - node->n_ins];
        if (from && gei_node_is_live(from, w->g) && w->states[from->index] != DONE) return from; /* broken links: graph_check */
    }
    return NULL;
}

/* The stack from `first` up is the cycle, consumers before producers. */
static ge_status fail_cycle(const walk *w, const gei_node *first) {
    char names[320];
    size_t size = 0, from = 0;
    while (w->stack[from].node != first) from++;
    size_t length = w->depth - from;
    for (size_t i = 0; i < length && i < MOST_NAMES; i++) {
        const char *name = w->stack[w->depth - 1 - i].node->name;
        size += gei_copy_text(names + size, 33, name, strlen(name));
        size += gei_copy_text(names + size, 6, " -> ", 4);
    }
    if (length > MOST_NAMES) size += gei_copy_text(names + size, 8, "... -> ", 7);
    gei_diag_node(w->diag, first->name);
    return gei_fail(w->diag, GE_ERR_BAD_GRAPH, "graph '%s' has a cycle of %zu nodes: %.*s%s", w->g->name, length, (int)size, names,
                    w->stack[w->depth - 1].node->name);
}

static ge_status visit(walk *w, gei_node *start) {
    w->depth = 0;
    w->stack[w->depth++] = (frame){ start, 0 };
    w->states[start->index] = OPEN;
    while (w->depth > 0) {
        gei_node *from = next_producer(w);
        if (!from) {
            gei_node *node = w->stack[--w->depth].node;
            w->states[node->index] = DONE;
            w->order[w->n_done++] = node;
        } else if (w->states[from->index] == OPEN) {
            return fail_cycle(w, from);
        } else {
            w->states[from->index] = OPEN;
            w->stack[w->depth++] = (frame){ from, 0 };
        }
    }
    return GE_OK;
}

static ge_status visit_all(walk *w) {
    for (size_t i = 0; i < w->g->nodes.count; i++) {
        gei_node *node = w->g->nodes.items[i];
        if (node && w->states[i] == NOT_SEEN) GEI_TRY(visit(w, node));
    }
    return GE_OK;
}

ge_status gei_graph_order(const gei_graph *g, gei_arena *arena, gei_node ***out, size_t *out_count, gei_diag *diag) {
    walk w = { .g = g, .diag = diag };
    gei_arena scratch;
    ge_status st;
    *out = NULL;
    *out_count = 0;
    gei_arena_init(&scratch, g->from);
    w.states = gei_arena_array(&scratch, uint8_t, g->nodes.count);
    w.stack = (frame *)gei_arena_alloc(&scratch, g->n_live * sizeof *w.stack, _Alignof(frame)); /* not cleared: mostly unused */
    w.order = gei_arena_array(arena, gei_node *, g->n_live);
    st = w.states && w.stack && w.order ? visit_all(&w) : gei_out_of_memory(diag, g->n_live * sizeof *w.stack);
    gei_arena_deinit(&scratch);
    if (st != GE_OK) return st;
    *out = w.order;
    *out_count = w.n_done;
    return GE_OK;
}
