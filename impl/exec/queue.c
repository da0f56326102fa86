/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "exec/async.h"

struct gei_queue {
    gei_origin origin;
    atomic_uint refs;
    pthread_mutex_t lock;       /* guards what follows; nothing is allocated, freed or called under it */
    gei_operation *first, *last; /* with a count each */
    size_t n;
    uint32_t n_sleepers;
    _Atomic uint32_t turn;      /* changes with each completion and the close; waiters sleep on it */
    bool is_closed;
    int fd;                     /* -1: none asked for */
};

ge_status gei_queue_create(const gei_origin *origin, gei_queue **out, gei_diag *diag) {
    gei_queue *q = gei_origin_alloc(origin, sizeof *q);
    *out = q;
    if (!q) return gei_out_of_memory(diag, sizeof *q);
    q->origin = *origin;
    atomic_init(&q->refs, 1);
    pthread_mutex_init(&q->lock, NULL);
    q->fd = -1;
    return GE_OK;
}

gei_queue *gei_queue_retain(gei_queue *q) {
    atomic_fetch_add_explicit(&q->refs, 1, memory_order_relaxed);
    return q;
}

void gei_queue_release(gei_queue *q) {
    if (!q || atomic_fetch_sub_explicit(&q->refs, 1, memory_order_acq_rel) != 1) return;
    if (q->fd >= 0) (void)close(q->fd);
    pthread_mutex_destroy(&q->lock);
    gei_origin_free(&q->origin, q, sizeof *q);
}

/* Under the lock.  The descriptor holds 1 while the queue is not empty. */
static void mark_descriptor(const gei_queue *q) {
    uint64_t one = 1;
    if (q->fd < 0) return;
    ssize_t n = q->n > 0 ? write(q->fd, &one, sizeof one) : read(q->fd, &one, sizeof one);
    (void)n; /* never blocks; the counter cannot be full, and to find it empty is as good */
}

static void release_all(gei_operation *op) {
    while (op) {
        gei_operation *next = op->next_done;
        gei_operation_release(op);
        op = next;
    }
}

void gei_queue_close(gei_queue *q) {
    pthread_mutex_lock(&q->lock);
    gei_operation *dropped = q->first;
    q->first = q->last = NULL;
    q->is_closed = true;
    if (q->n > 0) {
        q->n = 0;
        mark_descriptor(q);
    }
    atomic_fetch_add(&q->turn, 1);
    pthread_mutex_unlock(&q->lock);
    gei_wake(&q->turn, INT32_MAX);
    release_all(dropped);
}

void gei_queue_put(gei_queue *q, gei_operation *op) {
    pthread_mutex_lock(&q->lock);
    bool is_kept = !q->is_closed, has_sleepers = q->n_sleepers > 0;
    if (is_kept) {
        (void)gei_operation_retain(op);
        op->next_done = NULL;
        if (q->last) q->last->next_done = op;
        else q->first = op;
        q->last = op;
        if (q->n++ == 0) mark_descriptor(q);
        atomic_fetch_add(&q->turn, 1);
    }
    pthread_mutex_unlock(&q->lock);
    if (is_kept && has_sleepers) gei_wake(&q->turn, 1);
}

/* Under the lock: up to cap completions, as a list. */
static gei_operation *take(gei_queue *q, size_t cap) {
    gei_operation *first = q->first, *last = NULL;
    size_t n = 0;
    for (gei_operation *op = first; op && n < cap; op = op->next_done, n++) last = op;
    if (n == 0) return NULL;
    q->first = last->next_done;
    if (!q->first) q->last = NULL;
    last->next_done = NULL;
    q->n -= n;
    if (q->n == 0) mark_descriptor(q);
    return first;
}

/* GE_OK when there is something, with the lock held in every case. */
static ge_status wait_for_first(gei_queue *q, int64_t timeout_ns, gei_diag *diag) {
    int64_t deadline_ns = gei_deadline_after(timeout_ns);
    bool in_time = timeout_ns != 0;
    while (q->n == 0) {
        if (q->is_closed) return gei_fail(diag, GE_ERR_HANDLE_CLOSED, "the queue was destroyed during the wait");
        if (!in_time) return gei_fail(diag, GE_ERR_TIMEOUT, "no completion arrived in time");
        GEI_TRY(gei_may_wait(diag));
        uint32_t turn = atomic_load(&q->turn);
        q->n_sleepers++;
        pthread_mutex_unlock(&q->lock);
        in_time = gei_wait_while(&q->turn, turn, gei_pool_idle_spin_ns(), deadline_ns);
        pthread_mutex_lock(&q->lock);
        q->n_sleepers--;
    }
    return GE_OK;
}

ge_status gei_queue_wait(gei_queue *q, size_t cap, int64_t timeout_ns, void (*give)(void *user, size_t i, const gei_completion *c), void *user,
                         size_t *out_count, gei_diag *diag) {
    pthread_mutex_lock(&q->lock);
    ge_status st = wait_for_first(q, timeout_ns, diag);
    gei_operation *taken = st == GE_OK ? take(q, cap) : NULL;
    pthread_mutex_unlock(&q->lock);
    *out_count = 0;
    for (const gei_operation *op = taken; op; op = op->next_done) {
        gei_completion c = { op->report.tag, op->status };
        give(user, (*out_count)++, &c);
    }
    release_all(taken);
    return st;
}

ge_status gei_queue_descriptor(gei_queue *q, int *out_fd, gei_diag *diag) {
    pthread_mutex_lock(&q->lock);
    int error = 0;
    if (q->fd < 0) {
        q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        error = q->fd < 0 ? errno : 0;
        if (q->n > 0) mark_descriptor(q);
    }
    *out_fd = q->fd;
    pthread_mutex_unlock(&q->lock);
    return error == 0 ? GE_OK : gei_fail(diag, GE_ERR_FILE, "no descriptor could be made (error %d)", error);
}
