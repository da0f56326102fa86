/* SPDX-License-Identifier: Apache-2.0 */
/* async: runs that go on by themselves.
 *
 *   operation  one run.  Waits in line at its stream, then as a job of its team; a worker runs it; then it is done, once and for ever.
 *   queue      where completions of operations arrive, linked through the operations: nothing is allocated
 *   stream     operations, event records and event waits in order.  No thread waits for it: whoever ends an item starts the next
 *   event      a point on a stream, or several, one after another: each record makes a mark of its own
 *
 * All are counted.  What each holds a count of: an operation its queue and its stream; a queue the operations in it; a stream the
 * operations and marks on it.  Handles hold one count; a run in flight holds one of its operation. */
#ifndef GEI_EXEC_ASYNC_H
#define GEI_EXEC_ASYNC_H

#include <pthread.h>
#include <stddef.h>

#include "base/wait.h"
#include "exec/exec.h"

/* Where such an object's memory is from, and who must outlive it. */
typedef struct gei_origin {
    const gei_allocator *from;
    void *owner;
    void (*retain)(void *owner), (*release)(void *owner);
} gei_origin;

void *gei_origin_alloc(const gei_origin *origin, size_t size_bytes); /* cleared; keeps the owner.  NULL: no memory */
void gei_origin_free(const gei_origin *origin, void *ptr, size_t size_bytes);

typedef struct gei_operation gei_operation;
typedef struct gei_queue gei_queue;
typedef struct gei_stream gei_stream;
typedef struct gei_event gei_event;
typedef struct gei_mark gei_mark;

/* ---- a word with sleepers, done once ---- */
typedef _Atomic uint32_t gei_gate;         /* 0 shut, 1 shut with sleepers, 2 open */
void gei_gate_open(gei_gate *gate);
static inline bool gei_gate_is_open(const gei_gate *gate) { return atomic_load_explicit(gate, memory_order_acquire) == 2; }
/* GE_OK, GE_ERR_TIMEOUT, or GE_ERR_REENTRANT where a completion callback would have to wait. */
ge_status gei_gate_wait(gei_gate *gate, int64_t timeout_ns, gei_diag *diag);
/* GE_ERR_REENTRANT inside a completion callback. */
ge_status gei_may_wait(gei_diag *diag);

/* ---- operation ---- */

/* What kinds of operations do.  Derived structs begin with gei_operation. */
typedef struct gei_operation_kind {
    ge_status (*run)(gei_operation *op, const gei_run_options *how, gei_diag *diag); /* on a worker; not when ended before */
    void (*settle)(gei_operation *op, ge_status status); /* right before the completion, always: lets go of what the run needed */
    void (*end)(gei_operation *op);                      /* lets go of the rest; the memory goes afterwards */
} gei_operation_kind;

typedef struct gei_report { /* where the completion goes besides the operation itself */
    gei_queue *queue;                                                 /* nullable, borrowed: the operation takes a count */
    uint64_t tag;
    void (*complete)(void *user, uint64_t tag, ge_status status);     /* nullable */
    void *user;
    void (*destroy)(void *user);                                      /* nullable; after `complete` */
} gei_report;

typedef struct gei_item { /* something on a stream */
    struct gei_item *next;
    gei_stream *stream;   /* of waits: who goes on */
    gei_operation *op;    /* an operation, or */
    gei_mark *mark;       /* an event: recorded, or waited for */
    bool is_wait;
} gei_item;

struct gei_operation {
    const gei_operation_kind *kind;
    gei_origin origin;
    size_t size_bytes;
    atomic_uint refs;
    gei_gate done;
    atomic_uint cancel;
    int64_t deadline_ns;         /* 0: none */
    gei_team *team;              /* nullable, of origin.owner */
    gei_report report;
    gei_item item;               /* item.stream: nullable, its stream */
    gei_job job;
    gei_operation *next_done;    /* in the queue */
    ge_status status;            /* this and diag: once done */
    gei_diag diag;
};

/* Memory of size_bytes (the derived struct), cleared behind the head.  One count; gei_operation_release ends it also before a start. */
ge_status gei_operation_create(const gei_operation_kind *kind, size_t size_bytes, const gei_origin *origin, const gei_run_options *how,
                               const gei_report *report, gei_stream *stream, gei_operation **out, gei_diag *diag);
/* On failure (GE_ERR_THREAD) nothing completes and the report's destroy was not called. */
ge_status gei_operation_start(gei_operation *op, gei_team *team, gei_diag *diag);
gei_operation *gei_operation_retain(gei_operation *op);
void gei_operation_release(gei_operation *op);
void gei_operation_cancel(gei_operation *op);
static inline bool gei_operation_is_done(const gei_operation *op) { return gei_gate_is_open(&op->done); }

/* ---- queue ---- */
typedef struct gei_completion {
    uint64_t tag;
    ge_status status;
} gei_completion;

ge_status gei_queue_create(const gei_origin *origin, gei_queue **out, gei_diag *diag);
gei_queue *gei_queue_retain(gei_queue *q);
void gei_queue_release(gei_queue *q);
void gei_queue_close(gei_queue *q); /* drops what is in it and what still comes; waiters get GE_ERR_HANDLE_CLOSED */
void gei_queue_put(gei_queue *q, gei_operation *op);
/* Takes up to cap, waiting for the first; give(user, i, completion) is called for each. */
ge_status gei_queue_wait(gei_queue *q, size_t cap, int64_t timeout_ns, void (*give)(void *user, size_t i, const gei_completion *c), void *user,
                         size_t *out_count, gei_diag *diag);
ge_status gei_queue_descriptor(gei_queue *q, int *out_fd, gei_diag *diag); /* readable while not empty; of the queue */

/* ---- stream ---- */
ge_status gei_stream_create(const gei_origin *origin, gei_stream **out, gei_diag *diag);
gei_stream *gei_stream_retain(gei_stream *s);
void gei_stream_release(gei_stream *s);
void gei_stream_put(gei_stream *s, gei_item *item);                /* in order; for operations */
void gei_stream_go_on(gei_stream *s, ge_status status, const gei_diag *diag); /* its running operation is done; from the end of a job */
ge_status gei_stream_sync(gei_stream *s, int64_t timeout_ns, gei_diag *diag); /* also the first failure since the last one */
bool gei_stream_is_idle(gei_stream *s);
uint64_t gei_stream_number(const gei_stream *s); /* of no other stream of the process, never 0 */
ge_status gei_stream_wait_event(gei_stream *s, gei_event *e, gei_diag *diag);

/* ---- event ---- */
ge_status gei_event_create(const gei_origin *origin, gei_event **out, gei_diag *diag);
gei_event *gei_event_retain(gei_event *e);
void gei_event_release(gei_event *e);
ge_status gei_event_record(gei_event *e, gei_stream *s, gei_diag *diag);
gei_mark *gei_event_mark(gei_event *e);                            /* with a count; NULL: never recorded */

struct gei_mark {
    gei_origin origin;
    atomic_uint refs;
    gei_gate done;
    int64_t time_ns;      /* once done */
    pthread_mutex_t lock; /* guards waiting */
    gei_item *waiting;    /* streams that stand still for it */
};
void gei_mark_release(gei_mark *mark);

#endif
