/* SPDX-License-Identifier: Apache-2.0 */
/* model: the inside of a model, for the files of exec/.
 *
 *   entry    one cached instance and its idle frames.  Entries outside the cache (evicted while in use) go with their last user.
 *   block    memory of a frame in use; when the frame is given back it waits for the next one, whatever its shapes
 *   lock     guards the cache, the frame lists and their counters; nothing is allocated, freed or called under it */
#ifndef GEI_EXEC_MODEL_H
#define GEI_EXEC_MODEL_H

#include <pthread.h>

#include "exec/frame.h"

typedef struct gei_entry {
    gei_instance *instance;
    uint64_t hash, last_used;
    uint32_t n_users;       /* frames handed out, and borrowers of the instance */
    bool is_cached;
    gei_frame *idle;
    struct gei_entry *next; /* chain of entries: all outside the cache, or some to be freed */
} gei_entry;

/* Memory for the activations and scratch of one frame at a time. */
typedef struct gei_block {
    size_t size_bytes;      /* with this head, which fills GEI_ALIGN_BYTES */
    struct gei_block *next; /* idle ones */
} gei_block;

struct gei_model {
    atomic_uint refs;
    gei_plan *plan;                /* a root model owns it; bodies borrow what belongs to the root's */
    gei_model **bodies;            /* as plan->bodies; NULL where there is none */
    const gei_allocator *from;
    gei_allocator run_heap;        /* `from`, counted: all memory of instances and frames */
    gei_allocator feature_heap;    /* run_heap, with its bytes in the accounts: memory that holds values and work areas */
    _Atomic uint64_t n_run_allocs;
    gei_usage features;            /* bodies count in the root's */
    gei_model *root;               /* itself, or the model this is a body of */
    gei_model_options options;     /* defaults filled in */
    pthread_mutex_t lock;

    gei_entry **cached;            /* options.max_instances */
    uint64_t *hashes;              /* of cached[i], side by side for the search */
    uint32_t n_cached;
    gei_entry *recent;             /* of the cached ones; NULL when there is none */
    gei_entry *uncached;           /* in use, outside the cache */
    uint64_t clock;                /* of last_used */
    gei_frame *frames;             /* all */
    gei_block *blocks;             /* idle, last given back first */
    gei_model_stats stats;         /* runs: without those still counted by frames */
};

/* Where the shapes of a run come from: `rank` and `dims` at the same offsets of each item. */
typedef struct gei_signature {
    const void *const *items;
    size_t rank_offset, dims_offset;
    uint32_t count;
} gei_signature;

gei_signature gei_signature_of_tensors(gei_tensor *const *tensors, uint32_t count);
gei_signature gei_signature_of_views(const gei_view *const *views, uint32_t count);
bool gei_signature_is(const gei_signature *s, const gei_shape *shapes);

const gei_allocator *gei_model_run_heap(gei_model *model);
const gei_allocator *gei_model_feature_heap(gei_model *model);
void gei_model_count_alloc(gei_model *model, uint64_t n); /* allocations of a run outside run_heap */

/* A frame for these shapes, made when none is idle.  Given back by gei_model_give_frame. */
ge_status gei_model_take_frame(gei_model *model, const gei_signature *s, gei_frame **out, gei_diag *diag);
void gei_model_give_frame(gei_frame *frame);

/* cache.c */
ge_status gei_cache_init(gei_model *model, gei_diag *diag);
void gei_cache_deinit(gei_model *model);

/* A model over a body's plan, which stays the plan's. */
ge_status gei_model_create_body(gei_plan *plan, const gei_model_options *options, const gei_allocator *from, gei_model **out, gei_diag *diag);

/* Where a run has to note what it does; NULL: nowhere. */
static inline gei_trace *gei_model_trace_on(const gei_model *m) { return gei_trace_is_on(m->options.trace) ? m->options.trace : NULL; }
void gei_trace_run(const gei_model *m, gei_trace *trace, int64_t begin_ns); /* a run that ends now */

gei_run_context gei_run_context_of(const gei_model *model, const gei_run_options *options);

/* ---- overlap.c ---- */
/* GE_ERR_OVERLAP when memory of an output overlaps that of another output or of an input.  NULL entries have none.
 * ranges: room for as many as there are inputs and outputs. */
ge_status gei_check_overlap(const gei_plan *plan, gei_tensor *const *inputs, gei_tensor *const *outputs, gei_range *ranges, gei_diag *diag);
/* The same for one of them only: input io, or output io - n_inputs. */
ge_status gei_check_overlap_of(const gei_plan *plan, gei_tensor *const *inputs, gei_tensor *const *outputs, uint32_t io, gei_diag *diag);

/* ---- io.c: tensors at the edge of a run ---- */
ge_status gei_check_input(const gei_plan *plan, uint32_t index, const gei_tensor *tensor, gei_diag *diag);   /* not NULL, dtype */
ge_status gei_check_output(const gei_plan *plan, uint32_t index, const gei_tensor *tensor, gei_diag *diag);  /* dtype, writable */
/* What one tensor can tell: it fits the shape declared.  Whether all belong together is found with the instance. */
ge_status gei_check_fits(const gei_plan_io *io, const gei_plan *plan, const gei_tensor *tensor, gei_diag *diag);
/* The tensor has the output's shape in this instance (late ones: any). */
ge_status gei_check_output_shape(const gei_instance *inst, uint32_t index, const gei_tensor *tensor, gei_diag *diag);
/* After a run: the late output of a frame as bytes of *tensor, which is made when NULL. */
ge_status gei_store_late(gei_model *model, const gei_frame *frame, uint32_t index, gei_tensor **tensor, gei_diag *diag);

#endif
