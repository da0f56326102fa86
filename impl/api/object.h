/* SPDX-License-Identifier: Apache-2.0 */
/* object: what stands behind each kind of handle.  Every object holds a count of its context, so that memory outlives its users. */
#ifndef GEI_API_OBJECT_H
#define GEI_API_OBJECT_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/allocator.h"
#include "base/log.h"
#include "base/trace.h"
#include "exec/exec.h"
#include "ir/graph.h"

/* ---- context ---- */
typedef struct gei_api_sink { /* a log sink; replaced as a whole, ended by its last user */
    atomic_uint refs;
    ge_log_fn write;
    void *user;
    ge_destroy_fn destroy;
    int32_t level;
} gei_api_sink;

typedef struct gei_api_context {
    atomic_uint refs;
    gei_allocator from;             /* counts, then `memory`; user is this context */
    gei_api_allocator *memory;      /* the caller's; NULL: gei_heap.  Ends after the context, so after every block */
    uint32_t max_threads;           /* of one run, the caller included */
    gei_team *team;                 /* bounds its threads; NULL for the process default */
    _Atomic uint64_t copied_bytes, n_objects, n_blocks;
    gei_usage allocated;
    gei_accounts accounts;          /* by purpose */
    gei_trace trace;
    gei_log log;                    /* its write looks the sink up */
    pthread_mutex_t sink_lock;      /* guards `sink` and is not held while it writes */
    pthread_cond_t sink_idle;
    gei_api_sink *sink;             /* NULL: the process default's */
    bool is_default;                /* of the process: never freed */
} gei_api_context;

/* The context of a handle (NULL: the process default, made on first use), with one count for the caller. */
ge_status gei_context_of(const ge_context *context, const char *function, gei_api_context **out);
/* The same for calls with a triple: the record is left later, behind the caller's destroy. */
ge_status gei_context_find(const ge_context *context, gei_api_context **out, gei_diag *diag);
void gei_context_retain(gei_api_context *c);
void gei_context_release(gei_api_context *c);
void gei_context_copied(gei_api_context *c, uint64_t n_bytes); /* the copy counter */
/* Used by every constructor: makes the handle and counts the object; on failure destroys the object itself. */
ge_status gei_object_handle(gei_api_context *c, gei_handle_kind kind, void *object, void (*destroy)(void *object), void **out, gei_diag *diag);
void gei_object_gone(gei_api_context *c); /* counts it out and gives the context back: last line of every destroy */

/* ---- options ---- */
typedef struct gei_api_options gei_api_options; /* options.h */

/* ---- tensor, value ---- */
typedef struct gei_api_tensor {
    gei_api_context *ctx;
    gei_tensor *tensor;             /* dense; of a strided one: wraps all bytes, see strides */
    int32_t rank;                   /* as the desc says; equal to the tensor's unless strided */
    int64_t dims[GEI_MAX_RANK];
    int64_t strides[GEI_MAX_RANK];  /* in elements; used when !is_dense */
    bool is_dense;
    int32_t format, placement, origin_format, origin_rank;
    int64_t origin_dims[GEI_MAX_RANK];
    ge_ownership ownership;
} gei_api_tensor;

/* Wraps a tensor (takes its reference, also on failure) into a new handle. */
ge_status gei_tensor_handle(gei_api_context *c, gei_tensor *tensor, ge_ownership ownership, ge_tensor **out, gei_diag *diag);
/* The dense tensor of a handle for use by graphs and runs, borrowed; fails for strided and device ones, and for another context
 * than `c` (NULL: any). */
ge_status gei_tensor_of(const ge_tensor *handle, const gei_api_context *c, const char *argument, int32_t index, gei_tensor **out, gei_diag *diag);

typedef struct gei_api_value {
    gei_api_context *ctx;
    ge_value_kind kind;
    gei_tensor *tensor;             /* of other kinds a bundle (ir/bundle.h) */
    ge_ownership ownership;
} gei_api_value;

ge_value_kind gei_value_kind_of(int32_t dtype);
ge_status gei_value_handle(gei_api_context *c, gei_tensor *tensor, ge_ownership ownership, ge_value **out, gei_diag *diag); /* takes the reference */

/* ---- desc ---- */
/* A caller's desc, checked: dtype known, rank within limits, dims >= -1 (all known when `concrete`). */
typedef struct gei_desc {
    int32_t dtype, format, placement;
    gei_shape shape;                /* symbols are not resolved here: see dim_names */
    bool has_strides;
    int64_t strides[GEI_MAX_RANK];
    const char *dim_names[GEI_MAX_RANK]; /* borrowed from the caller; NULL: none */
    int32_t origin_format, origin_rank;  /* origin_rank 0 with has_origin false: as the shape */
    bool has_origin;
    int64_t origin_dims[GEI_MAX_RANK];
} gei_desc;
ge_status gei_desc_in(const ge_tensor_desc *from, bool concrete, const char *argument, int32_t index, gei_desc *out, gei_diag *diag);
ge_status gei_desc_out(const ge_tensor_desc *filled, ge_tensor_desc *to, size_t size, gei_diag *diag);

/* ---- graph ---- */
typedef struct gei_api_graph {      /* the shared owner of a root graph */
    atomic_uint refs;
    gei_api_context *ctx;
    gei_graph *root;
    pthread_mutex_t shapes_lock;    /* guards the two below, never held around foreign code */
    gei_strmap shapes;              /* dims with symbols -> what a public desc shows of them: graph_desc.c */
    gei_arena shapes_arena;
} gei_api_graph;

typedef struct gei_api_graph_view { /* behind a ge_graph handle */
    gei_api_graph *owner;
    gei_graph *graph;               /* the root or a subgraph; a subgraph may be gone: check with gei_view_alive */
    uint32_t serial;                /* of graph, to see that it is still the same */
    uint32_t place;                 /* of a subgraph: where root->subgraphs had it first */
} gei_api_graph_view;

void gei_api_graph_retain(gei_api_graph *g);
void gei_api_graph_release(gei_api_graph *g);
/* A new owner with one count.  Takes `root` also on failure. */
ge_status gei_api_graph_new(gei_api_context *c, gei_graph *root, gei_api_graph **out, gei_diag *diag);
/* The same around a new, empty graph of that name. */
ge_status gei_api_graph_create(gei_api_context *c, const char *name, size_t name_size, gei_api_graph **out, gei_diag *diag);
/* As gei_api_graph_new, behind a new handle. */
ge_status gei_graph_handle(gei_api_context *c, gei_graph *root, ge_graph **out, gei_diag *diag);
/* A new handle for `graph`, root or subgraph of owner. */
ge_status gei_graph_view_handle(gei_api_graph *owner, gei_graph *graph, ge_graph **out, gei_diag *diag);

/* ---- model, binding ---- */
typedef struct gei_api_model {
    gei_api_context *ctx;
    gei_model *model;
    uint64_t source_nodes, compile_ns;
    gei_sink passes_text;           /* what the passes did */
    struct gei_api_io *io;          /* strings and dims that ge_io_info points at */
} gei_api_model;

/* ---- queue, stream, event ---- */
typedef struct gei_api_queue {
    gei_api_context *ctx;
    struct gei_queue *queue;
} gei_api_queue;

typedef struct gei_api_stream {
    gei_api_context *ctx;
    struct gei_stream *stream;
} gei_api_stream;

typedef struct gei_api_event {
    gei_api_context *ctx;
    struct gei_event *event;
} gei_api_event;

#endif
