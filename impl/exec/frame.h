/* SPDX-License-Identifier: Apache-2.0 */
/* frame: memory and resolved pointers for one run at a time of one instance.
 *
 *   views    one per value: address, shape; kernels read them through the pointer arrays of their step
 *   steps    {function, gei_run}: a run calls them in order
 *   memory   [activations][scratch], one block of the model's
 *
 * A frame belongs to an entry of its model's cache; it is idle in the model, or in use by one run or one binding.  An idle frame has no
 * block: blocks go from shape to shape, so that many shapes need no more memory than the largest. */
#ifndef GEI_EXEC_FRAME_H
#define GEI_EXEC_FRAME_H

#include "base/trace.h"
#include "exec/exec.h"
#include "exec/region.h"

typedef struct gei_frame gei_frame;
struct gei_entry;

/* What is noted of a step while somebody looks on. */
typedef struct gei_step_time {
    int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
    uint32_t step;
    uint32_t threads;         /* most that took part in it or in anything inside */
} gei_step_time;

/* Who looks on at a run.  At least one of the two. */
typedef struct gei_probe {
    gei_trace *trace;         /* nullable: every step of every frame */
    gei_step_time *times;     /* nullable: of frame `of`, by step */
    const gei_frame *of;
} gei_probe;

/* One run, shared with the frames of its bodies. */
typedef struct gei_run_context {
    const atomic_uint *cancel; /* nullable */
    int64_t deadline_ns;       /* 0: none */
    gei_team *team;            /* nullable: of the model's options */
    uint32_t max_threads;
    bool is_watched;           /* cancel, deadline or probe is set */
    const gei_probe *probe;    /* nullable */
    void *const *vars;         /* memory of the model's variables, by number */
} gei_run_context;

typedef struct gei_range { /* memory of an input or output, for the check against overlaps */
    uintptr_t begin, end;
    uint32_t index;
    bool is_output;
} gei_range;

typedef struct gei_exec_step {
    gei_run run;         /* first: functions that need more than gei_run find their step from it */
    gei_kernel_fn fn;
    gei_frame *frame;
    const gei_step *step;
    void *extra;         /* gei_late of late kernels and views, gei_control of control flow */
} gei_exec_step;

struct gei_frame {
    gei_model *model;             /* borrowed: whoever uses the frame holds the model */
    struct gei_entry *entry;
    const gei_instance *instance;
    gei_arena arena;              /* everything below but memory */
    gei_view *views;              /* by value number */
    gei_view *out_views;          /* by output: what copy steps write to */
    gei_exec_step *steps, *steps_end;
    struct gei_block *block;      /* in use only; NULL when memory_bytes is 0 */
    char *memory;                 /* what addresses are resolved for: of `block`, or of the last one */
    size_t memory_bytes;          /* needed */
    const gei_run_context *context; /* of the run going on */
    gei_diag *diag;               /* written by kernels; GEI_MAX_LANES of them when there are stretches: one for each lane */
    gei_range *ranges;            /* room for all inputs and outputs */
    gei_tensor **made;            /* by output: made for the caller of the run going on */
    gei_region late;              /* outputs whose size is found during the run; emptied before each */
    gei_region tables;            /* what late steps keep from run to run */
    uint32_t n_copies;            /* copy steps */
    _Atomic uint64_t n_runs;      /* since last counted by the model; written by the user of the frame only */
    gei_frame *next_idle;
    gei_frame *next, *prev;       /* all frames of the model */
};

ge_status gei_frame_create(gei_model *model, const gei_instance *instance, gei_frame **out, gei_diag *diag);
void gei_frame_destroy(gei_frame *frame);
void gei_frame_set_memory(gei_frame *frame, char *memory); /* memory_bytes of it; before the first run */

/* Where the bytes of an input are, or those of an output go (outputs that are not late). */
void gei_frame_set_input(gei_frame *frame, uint32_t index, const void *data);
void gei_frame_set_output(gei_frame *frame, uint32_t index, void *data);
/* What an output holds after a run; for late ones valid until the next. */
static inline const gei_view *gei_frame_output(const gei_frame *f, uint32_t index) {
    return f->instance->out_kinds[index] == GEI_OUT_COPY ? &f->out_views[index] : &f->views[f->instance->plan->outputs[index].value];
}

ge_status gei_frame_run(gei_frame *frame, const gei_run_context *context, gei_diag *diag);

/* GE_OK, or why a watched run has to stop now. */
ge_status gei_run_stopped(const gei_run_context *context);
/* All parts of a step that has more than one, or whose number is found during the run. */
ge_status gei_run_parts(const gei_run *run, gei_kernel_fn fn, const gei_run_context *context);
/* Threads that take part in a step: as many have scratch. */
static inline uint32_t gei_seats(uint32_t n_parts, uint32_t max_threads) { return n_parts < max_threads ? n_parts : max_threads; }
/* Runs steps from `from` up to `end` in order; gives the step that failed, or NULL. */
typedef const gei_exec_step *(*gei_steps_fn)(const gei_frame *f, const gei_exec_step *from, const gei_exec_step *end,
                                             const gei_run_context *c, ge_status *status);
/* lanes.c: all steps of a frame that has stretches, stretches by several threads. */
const gei_exec_step *gei_run_lanes(const gei_frame *f, gei_steps_fn run, const gei_run_context *c, ge_status *status);

uint64_t gei_frame_scratch_bytes(const gei_instance *instance, uint32_t max_threads); /* shared by all steps */

/* What a step did in the last run, for whoever looks on. */
uint64_t gei_step_read_bytes(const gei_exec_step *s);
uint64_t gei_step_written_bytes(const gei_exec_step *s);
const char *gei_step_kernel(const gei_exec_step *s); /* static: "copy", "view", "control" where there is none */

static inline size_t gei_view_bytes(const gei_view *view) { return gei_data_bytes(view->dtype, view->n_elems, view->data); }
static inline bool gei_view_is_shape(const gei_view *v, int32_t rank, const int64_t *dims) {
    return v->rank == rank && (rank <= 0 || memcmp(v->dims, dims, (size_t)rank * sizeof *dims) == 0);
}
static inline gei_exec_step *gei_step_of(const gei_run *run) { return (gei_exec_step *)(uintptr_t)run; }

/* ---- late.c: steps whose shapes are found during the run ---- */
ge_status gei_late_init(gei_frame *frame, gei_exec_step *step, gei_diag *diag);
void gei_late_deinit(gei_exec_step *step);
ge_status gei_late_kernel(const gei_run *run, uint32_t part); /* gei_kernel_fn of both kinds */
ge_status gei_late_view(const gei_run *run, uint32_t part);
ge_status gei_late_alloc(gei_frame *frame, gei_view *view, size_t size_bytes, gei_diag *diag); /* memory of a late output */
void gei_late_free_dead(gei_frame *frame, const gei_step *step);

/* ---- control.c: steps that run bodies ---- */
ge_status gei_control_init(gei_frame *frame, gei_exec_step *step, gei_diag *diag);
void gei_control_deinit(gei_exec_step *step);
ge_status gei_control_run(const gei_run *run, uint32_t part);

#endif
