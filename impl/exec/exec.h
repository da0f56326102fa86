/* SPDX-License-Identifier: Apache-2.0 */
/* exec: runs plans.
 *
 *   model   = plan + bounded cache of instances + pool of frames; immutable to the outside, shared by threads
 *   frame   = memory and resolved pointers for one run at a time of one instance
 *   binding = a frame with inputs and outputs fixed: run many times, no allocation, no lock, no lookup
 *
 * Steady state of gei_binding_run is a loop over prepared steps. */
#ifndef GEI_EXEC_EXEC_H
#define GEI_EXEC_EXEC_H

#include "base/pool.h"
#include "base/usage.h"
#include "plan/plan.h"

typedef struct gei_model gei_model;
typedef struct gei_binding gei_binding;
struct gei_state;

typedef struct gei_run_options {
    uint32_t max_threads;            /* 0: the model's, which is also the most */
    const atomic_uint *cancel;       /* nullable; non-zero stops at the next step */
    int64_t deadline_ns;             /* CLOCK_MONOTONIC; 0: none */
    struct gei_state_use *state;     /* nullable: a fresh one, of this run; bindings have their own instead (gei_binding_set_state) */
} gei_run_options;

typedef struct gei_accounts { /* of a context: what its models and states hold */
    gei_usage features, constants, variables;
} gei_accounts;

typedef struct gei_model_options {
    uint32_t max_threads;            /* 0: CPUs of the process */
    uint32_t max_instances;          /* cached shape signatures; 0: 16; at most GEI_MAX_INSTANCES */
    uint64_t max_idle_bytes;         /* activation memory kept between runs; 0: GEI_IDLE_BYTES; that of one run is kept whatever its size */
    gei_accounts *accounts;          /* nullable */
    const gei_log *log;
    gei_team *team;                  /* nullable; borrowed as long as anything runs */
    struct gei_trace *trace;         /* nullable, likewise: where runs note what they do while it is on */
} gei_model_options;

#define GEI_MAX_INSTANCES 4096
#define GEI_IDLE_BYTES ((uint64_t)256 << 20)

typedef struct gei_model_stats {     /* counters since creation */
    uint64_t runs; /* of bodies not counted */
    uint64_t instances_made, instances_found, instances_evicted, frames_made;
    uint64_t output_copies;          /* copy steps that ran */
    uint64_t heap_allocations_in_runs; /* what runs took from the allocator: new shapes, new frames, growth, outputs made for the
                                        * caller; those of bodies included */
    uint64_t arena_bytes, lower_bound_bytes, scratch_bytes; /* largest instance so far, and those of bodies: each keeps memory of
                                        * its own; of the bounds the largest */
    uint64_t idle_bytes;             /* activation memory kept for the next runs, bodies included, as what follows */
    uint64_t feature_bytes, feature_peak_bytes; /* memory for values and work areas: held now, and most so far */
    uint64_t constant_bytes, packed_bytes;
    uint32_t most_lanes;             /* branches side by side in an instance so far; 0: none */
} gei_model_stats;

/* Takes the plan also on failure. */
ge_status gei_model_create(gei_plan *plan, const gei_model_options *options, const gei_allocator *from, gei_model **out, gei_diag *diag);
gei_model *gei_model_retain(gei_model *model);
void gei_model_release(gei_model *model); /* NULL is fine; memory goes with the last reference, bindings and runs hold one */
const gei_plan *gei_model_plan(const gei_model *model);
void gei_model_stats_get(const gei_model *model, gei_model_stats *out); /* of bodies of control flow only what is said */
uint64_t gei_model_constant_area(const gei_model *model); /* bytes for constants that runs read as they are, each aligned */
/* Makes the instance of the model and of each body whose shapes are all known: their memory is in the figures before a run. */
ge_status gei_model_plan_static(gei_model *model, gei_diag *diag);
/* Makes the instances of all gears, which the cache has room for. */
ge_status gei_model_plan_gears(gei_model *model, gei_diag *diag);
void gei_model_trim(gei_model *model, uint64_t keep_bytes); /* gives back frames that are not in use, and their memory above keep_bytes */
/* The instance for static models or the given shapes (tests, dumps); borrowed until the model or its cache lets it go: retained, release it. */
ge_status gei_model_instance(gei_model *model, const gei_shape *input_shapes, const gei_instance **out, gei_diag *diag);
void gei_model_instance_release(gei_model *model, const gei_instance *instance);

/* Any thread.  outputs[i]: a tensor to write into (dtype, shape must fit exactly; no byte shared with an input or another output:
 * GE_ERR_OVERLAP), or NULL: made, one reference given.  On failure outputs that were NULL are NULL again. */
ge_status gei_model_run(gei_model *model, gei_tensor *const *inputs, gei_tensor **outputs, const gei_run_options *options, gei_diag *diag);

/* What can be said of inputs before a run: all there, data types, shapes that fit. */
ge_status gei_model_check_inputs(gei_model *model, gei_tensor *const *inputs, gei_diag *diag);
/* Makes all outputs for the shapes of the inputs, or none where one is found during the run: *out_made then is false. */
ge_status gei_model_make_outputs(gei_model *model, gei_tensor *const *inputs, gei_tensor **outputs, bool *out_made, gei_diag *diag);

ge_status gei_binding_create(gei_model *model, gei_binding **out, gei_diag *diag);
void gei_binding_destroy(gei_binding *binding);
ge_status gei_binding_set_input(gei_binding *b, uint32_t index, gei_tensor *tensor, gei_diag *diag);  /* retains; NULL unbinds */
/* NULL: memory of the binding's own, made for the shape; gei_binding_output gives it. */
ge_status gei_binding_set_output(gei_binding *b, uint32_t index, gei_tensor *tensor, gei_diag *diag);
/* One thread at a time.  What depends on all of what is bound (shapes that belong together, overlaps) is checked by the first run after
 * a change: GE_ERR_NOT_BOUND, GE_ERR_SHAPE, GE_ERR_OVERLAP. */
ge_status gei_binding_run(gei_binding *b, const gei_run_options *options, gei_diag *diag);
/* What a run would do first: resolves what was bound, with the same errors.  The next run then does not. */
ge_status gei_binding_prepare(gei_binding *b, gei_diag *diag);
/* ---- profile of a binding: the steps of its last run; of control flow as one ---- */
typedef struct gei_step_info {
    const char *node, *op_type, *kernel; /* borrowed from the model */
    int64_t start_ns, duration_ns;       /* start: from that of the run */
    uint64_t read_bytes, written_bytes;
    uint32_t lane, threads;
} gei_step_info;

void gei_binding_profile(gei_binding *b, bool is_on);
/* Steps of the last run; GE_ERR_WRONG_STATE when it was not timed. */
ge_status gei_binding_count_steps(gei_binding *b, uint32_t *out_count, gei_diag *diag);
void gei_binding_step(const gei_binding *b, uint32_t index, gei_step_info *out); /* in order of start; until the next run or set */

/* Retains; NULL: a fresh state in each run. */
ge_status gei_binding_set_state(gei_binding *b, struct gei_state *state, gei_diag *diag);
/* Borrowed until the next set or run that changes its shape; NULL before a run. */
gei_tensor *gei_binding_output(const gei_binding *b, uint32_t index);

/* ---- the whole way from a graph: passes, plan, model ---- */
typedef struct gei_compile_options {
    gei_plan_options plan;
    gei_model_options model;
    const char *const *passes_off;
    size_t n_passes_off;
    bool no_passes;
    bool (*progress)(void *user, const char *what, uint32_t done, uint32_t total); /* nullable; false cancels */
    void *progress_user;
    gei_sink *notes; /* nullable: what the passes did */
} gei_compile_options;

#endif
