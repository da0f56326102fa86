/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "exec/stream.h"

struct gei_event {
    gei_origin origin;
    atomic_uint refs;
    pthread_mutex_t lock; /* guards mark */
    gei_mark *mark;       /* of the last record; NULL before */
};

/* ---- marks ---- */

static gei_mark *mark_create(const gei_origin *origin) {
    gei_mark *mark = gei_origin_alloc(origin, sizeof *mark);
    if (!mark) return NULL;
    mark->origin = *origin;
    atomic_init(&mark->refs, 1);
    pthread_mutex_init(&mark->lock, NULL);
    return mark;
}

static gei_mark *mark_retain(gei_mark *mark) {
    atomic_fetch_add_explicit(&mark->refs, 1, memory_order_relaxed);
    return mark;
}

void gei_mark_release(gei_mark *mark) {
    if (!mark || atomic_fetch_sub_explicit(&mark->refs, 1, memory_order_acq_rel) != 1) return;
    pthread_mutex_destroy(&mark->lock);
    gei_origin_free(&mark->origin, mark, sizeof *mark);
}

gei_item *gei_mark_pass(gei_mark *mark) {
    mark->time_ns = gei_now_ns();
    pthread_mutex_lock(&mark->lock);
    gei_item *waiting = mark->waiting;
    mark->waiting = NULL;
    gei_gate_open(&mark->done);
    pthread_mutex_unlock(&mark->lock);
    return waiting;
}

bool gei_mark_stop_at(gei_mark *mark, gei_item *item) {
    pthread_mutex_lock(&mark->lock);
    bool stops = !gei_gate_is_open(&mark->done);
    if (stops) {
        item->next = mark->waiting;
        mark->waiting = item;
    }
    pthread_mutex_unlock(&mark->lock);
    return stops;
}

/* ---- events ---- */

ge_status gei_event_create(const gei_origin *origin, gei_event **out, gei_diag *diag) {
    gei_event *e = gei_origin_alloc(origin, sizeof *e);
    *out = e;
    if (!e) return gei_out_of_memory(diag, sizeof *e);
    e->origin = *origin;
    atomic_init(&e->refs, 1);
    pthread_mutex_init(&e->lock, NULL);
    return GE_OK;
}

gei_event *gei_event_retain(gei_event *e) {
    atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
    return e;
}

void gei_event_release(gei_event *e) {
    if (!e || atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) != 1) return;
    gei_mark_release(e->mark);
    pthread_mutex_destroy(&e->lock);
    gei_origin_free(&e->origin, e, sizeof *e);
}

gei_mark *gei_event_mark(gei_event *e) {
    pthread_mutex_lock(&e->lock);
    gei_mark *mark = e->mark ? mark_retain(e->mark) : NULL;
    pthread_mutex_unlock(&e->lock);
    return mark;
}

ge_status gei_event_record(gei_event *e, gei_stream *s, gei_diag *diag) {
    gei_mark *mark = mark_create(&e->origin), *before;
    if (!mark) return gei_out_of_memory(diag, sizeof *mark);
    ge_status st = gei_stream_put_mark(s, mark_retain(mark), false, diag);
    if (st != GE_OK) {
        gei_mark_release(mark);
        return st;
    }
    pthread_mutex_lock(&e->lock);
    before = e->mark;
    e->mark = mark;
    pthread_mutex_unlock(&e->lock);
    gei_mark_release(before);
    return GE_OK;
}

ge_status gei_stream_wait_event(gei_stream *s, gei_event *e, gei_diag *diag) {
    gei_mark *mark = gei_event_mark(e);
    if (!mark) return gei_fail(diag, GE_ERR_WRONG_STATE, "the event was never recorded");
    return gei_stream_put_mark(s, mark, true, diag);
}
