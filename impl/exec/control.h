/* SPDX-License-Identifier: Apache-2.0 */
/* control: what the kinds of control flow share.
 *
 * A body is a graph with a plan, instances and frames of its own.  Its inputs are views of the values around it, its outputs are
 * written where the node's outputs are, so nothing is copied at its edge but values whose size the body finds.  In loops the
 * outputs of one iteration are the inputs of the next: two buffers a value take turns. */
#ifndef GEI_EXEC_CONTROL_H
#define GEI_EXEC_CONTROL_H

#include "exec/model.h"

/* A value between two iterations. */
typedef struct gei_carried {
    gei_view view;
    char *buffers[2];
    size_t caps[2];
    uint32_t body_in;    /* input of the body it is */
    int32_t side;        /* buffer that holds it, -1: memory of somebody else */
    bool is_passed_on;   /* the body gives it back unchanged in this iteration: it stays where it is */
} gei_carried;

/* What one output of a loop collects, an item per iteration. */
typedef struct gei_collected {
    char *data;
    size_t cap, size_bytes;
    gei_view item;       /* shape and type of the items */
    int64_t n_items;
} gei_collected;

typedef struct gei_control_step {
    gei_frame *frame;             /* of the graph the step is in */
    const gei_plan_node *pn;
    gei_model **models;           /* by subgraph; the model's */
    gei_frame **bodies;           /* by subgraph: frame for the shapes of its last run, NULL before */
    uint32_t cond, body;          /* loops: subgraph index; cond UINT32_MAX when the body tells */
    const gei_view **args;        /* room for the inputs of any body */
    gei_carried *carried;
    uint32_t n_carried;
    gei_carried truth;            /* what a condition graph gave */
    gei_collected *collected;
    uint32_t n_collected;
    int64_t iteration;
    gei_view iteration_view;      /* an int64 scalar over it */
    gei_view *slices;             /* scans (map.c uses all of these too): the part of each scanned input an iteration sees */
    gei_carried *slice_buffers;   /* where slices lie that are no contiguous part of their input */
    uint32_t n_slices;
} gei_control_step;

uint32_t gei_control_find(const gei_control_step *c, const char *port); /* subgraph index; UINT32_MAX: none */
ge_status gei_control_check(const gei_control_step *c, uint32_t body, uint32_t n_in, uint32_t n_out, gei_diag *diag);

/* Makes the body's frame right for the shapes of c->args and binds them as its inputs. */
ge_status gei_control_enter(gei_control_step *c, uint32_t body, gei_diag *diag);
/* Gives output k of the node its dims and, if it is late, memory; refuses what does not fit the plan. */
ge_status gei_control_set_output(gei_control_step *c, const gei_run *run, uint32_t k, const gei_view *like, size_t size_bytes);

/* ---- carried.c ---- */
ge_status gei_buffer_reserve(gei_control_step *c, char **buffer, size_t *cap, size_t used_bytes, size_t wanted_bytes, gei_diag *diag);
/* Before and after a run of the body: output `out` of it becomes the next value. */
ge_status gei_carried_bind(gei_control_step *c, gei_carried *to, gei_frame *body, uint32_t out, gei_diag *diag);
ge_status gei_carried_take(gei_control_step *c, gei_carried *to, gei_frame *body, uint32_t out, gei_diag *diag);
void gei_carried_start(gei_carried *to, const gei_view *view);
ge_status gei_carried_finish(gei_control_step *c, const gei_run *run, const gei_carried *from, uint32_t k); /* is output k of the node */
void gei_collected_start(gei_control_step *c); /* all of them: nothing yet */
ge_status gei_collected_bind(gei_control_step *c, gei_collected *to, gei_frame *body, uint32_t out, gei_diag *diag);
ge_status gei_collected_take(gei_control_step *c, gei_collected *to, gei_frame *body, uint32_t out, gei_diag *diag);
ge_status gei_collected_finish(gei_control_step *c, const gei_run *run, gei_collected *from, uint32_t k, int32_t axis, bool is_reversed);

/* ---- loop.c ---- */
ge_status gei_loop_init(gei_control_step *c, gei_diag *diag);
ge_status gei_while_run(gei_control_step *c, const gei_run *run);
ge_status gei_loop_run(gei_control_step *c, const gei_run *run);
/* One run of c->body on c->args: its outputs are the carried values, then what is collected. */
ge_status gei_loop_iterate(gei_control_step *c, gei_diag *diag);

/* ---- scan.c ---- */
ge_status gei_scan_init(gei_control_step *c, gei_diag *diag);
ge_status gei_scan_run(gei_control_step *c, const gei_run *run);

/* ---- map.c ---- */
ge_status gei_map_init(gei_control_step *c, gei_diag *diag);
ge_status gei_map_run(gei_control_step *c, const gei_run *run);

/* Copies between a tensor with `outer` blocks of n slices of `inner_bytes` each and one slice. */
void gei_slice_copy(char *slice, char *whole, int64_t outer, int64_t n, int64_t index, size_t inner_bytes, bool into_whole);

#endif
