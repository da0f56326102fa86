/* SPDX-License-Identifier: Apache-2.0 */
/* trace: what the threads of a context did and when, kept while it is on, written as JSON that trace viewers of browsers read.
 * Off, it costs its users one load and test per run. */
#ifndef GEI_BASE_TRACE_H
#define GEI_BASE_TRACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* One span of time on one thread.  Text is copied, cut where it is long. */
typedef struct gei_span {
    const char *kind;           /* static: "run", "step", "part", "wait", "compile" */
    const char *name, *op_type, *kernel; /* nullable but for name */
    int64_t begin_ns, end_ns;   /* CLOCK_MONOTONIC */
    uint64_t bytes;             /* read and written; 0: not told */
} gei_span;

/* What was recorded between a begin and an end. */
typedef struct gei_record_log {
    struct gei_trace_chunk *chunks; /* newest first */
    uint64_t n_lost;                /* for want of memory */
    int64_t begin_ns;
} gei_record_log;

typedef struct gei_trace {
    atomic_bool is_on;
    pthread_mutex_t lock;       /* guards the log; nothing is allocated, freed or called under it */
    const gei_allocator *from;
    gei_record_log log;
} gei_trace;

void gei_trace_init(gei_trace *t, const gei_allocator *from);
void gei_trace_deinit(gei_trace *t);
bool gei_trace_begin(gei_trace *t); /* false: it is on already */
bool gei_trace_end(gei_trace *t, gei_record_log *out); /* false: it is not on.  The log is the caller's: gei_record_log_deinit */
void gei_record_log_deinit(gei_record_log *log, const gei_allocator *from);
static inline bool gei_trace_is_on(const gei_trace *t) { return t && atomic_load_explicit(&t->is_on, memory_order_relaxed); }
void gei_trace_add(gei_trace *t, const gei_span *span);

/* Writes the JSON in parts; stops at the first failure of write, which it gives. */
ge_status gei_record_log_write(gei_record_log *log, const gei_allocator *from, ge_status (*write)(void *user, const char *text, size_t size),
                               void *user, gei_diag *diag);

#endif
