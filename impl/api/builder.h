/* SPDX-License-Identifier: Apache-2.0 */
/* builder: adds operators to a graph.  What is said of an operator is collected here, without memory of its own per operator, and
 * the node is made at end_op.
 *
 *   IDLE --begin_op--> OPEN --end_op--> IDLE          DONE after the build
 *            |           | a call fails
 *            |           v
 *            +------> FAILED --end_op, begin_op--> IDLE       both report the failure kept
 *
 * A begin_op that fails itself also leads to FAILED, for callers that look at end_op only; the next begin_op then starts afresh. */
#ifndef GEI_API_BUILDER_H
#define GEI_API_BUILDER_H

#include "api/id.h"

typedef enum gei_builder_state { GEI_BUILDER_IDLE = 0, GEI_BUILDER_OPEN, GEI_BUILDER_FAILED, GEI_BUILDER_DONE } gei_builder_state;

#define GEI_BUILDER_CACHE 64u

typedef struct gei_api_builder {
    gei_api_graph_view view;             /* holds a count of its owner */
    gei_builder_state state;
    bool failed_at_begin;
    gei_diag failure;                    /* while FAILED */
    uint64_t next_name;                  /* of made-up names */
    /* the operator that is open */
    const gei_op_def *def;
    uint32_t port;                       /* declared input that comes next */
    uint32_t n_dynamic_outs;
    GEI_VEC(ge_value_id) ins;            /* ids: what they name may be removed meanwhile */
    GEI_VEC(uint32_t) dynamic_ins, dynamic_outs;
    GEI_VEC(char) name;                  /* zero-terminated, counted with the zero; empty: to be made up */
    gei_attrs attrs;                     /* in the arena below */
    gei_arena arena;
    const gei_op_def *cache[GEI_BUILDER_CACHE]; /* definitions used lately, by hash of their names */
} gei_api_builder;

/* The builder behind a handle; leaves the calling function with the record written. */
#define GEI_BUILDER(b, g, handle)                                            \
    GEI_GET(gei_api_builder, b, handle, BUILDER, 0);                         \
    gei_graph *g = gei_view_graph(&b->view, &diag);                          \
    if (!g) return gei_diag_argument(&diag, "builder", 0), gei_call_end(__func__, diag.status, &diag)

/* GE_OK while an operator is open, else GE_ERR_WRONG_STATE or the failure kept. */
ge_status gei_builder_open(const gei_api_builder *b, gei_diag *diag);
/* Keeps the first failure of an open operator; returns st. */
ge_status gei_builder_step(gei_api_builder *b, ge_status st, gei_diag *diag);
/* Inside an operator: runs expr and keeps its failure. */
#define GEI_BUILDER_STEP(b, expr)                                            \
    do {                                                                     \
        ge_status step_ = gei_builder_open((b), &diag);                      \
        return GEI_RETURN(step_ == GE_OK ? gei_builder_step((b), (expr), &diag) : step_); \
    } while (0)
/* GE_OK when no operator is open; a call outside operators that comes inside one is a failure of that operator. */
ge_status gei_builder_idle(gei_api_builder *b, gei_diag *diag);
/* Forgets the operator that is open. */
void gei_builder_drop(gei_api_builder *b);

/* Puts a caller's name of a new node into b->name, free in g; NULL and "" leave it empty. */
ge_status gei_builder_take_name(gei_api_builder *b, gei_graph *g, const char *name, size_t size, int32_t index, gei_diag *diag);
/* The NetOutput node takes another name: those of nodes that clients list come first. */
ge_status gei_net_output_give_way(gei_graph *g, gei_diag *diag);
#define GEI_NAME_BYTES 128
void gei_name_number(char *to, const char *prefix, size_t prefix_size, uint64_t number); /* "<prefix>_<number>" into GEI_NAME_BYTES */

#endif
