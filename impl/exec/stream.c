/* SPDX-License-Identifier: Apache-2.0 */
/* A stream moves while one thread works through its items.  It stops at an operation, which a worker runs, or at an event that did not
 * happen; the end of either sets it moving again.  Streams set moving by an event are worked through by the same thread, one after
 * another, so that chains of events need no depth. */
#include "exec/stream.h"

#include <string.h>

struct gei_stream {
    gei_origin origin;
    uint64_t number;
    atomic_uint refs;
    pthread_mutex_t lock;      /* guards what follows */
    gei_item *first, *last;
    bool is_taken;             /* it moves, or waits for an operation or event */
    uint64_t n_in, n_out;      /* items put on it, items done */
    uint32_t n_sleepers;
    _Atomic uint32_t turn;     /* changes with each item done */
    ge_status failure;         /* first since the last sync */
    gei_diag diag;
    gei_stream *next_moving;   /* used by the thread that moves it */
};

ge_status gei_stream_create(const gei_origin *origin, gei_stream **out, gei_diag *diag) {
    gei_stream *s = gei_origin_alloc(origin, sizeof *s);
    *out = s;
    if (!s) return gei_out_of_memory(diag, sizeof *s);
    static _Atomic uint64_t last_number;
    s->origin = *origin;
    s->number = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
    atomic_init(&s->refs, 1);
    pthread_mutex_init(&s->lock, NULL);
    return GE_OK;
}

gei_stream *gei_stream_retain(gei_stream *s) {
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void gei_stream_release(gei_stream *s) {
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    pthread_mutex_destroy(&s->lock);
    gei_origin_free(&s->origin, s, sizeof *s);
}

uint64_t gei_stream_number(const gei_stream *s) { return s->number; }

/* ---- moving ---- */

static void item_done(gei_stream *s, ge_status status, const gei_diag *diag) {
    pthread_mutex_lock(&s->lock);
    s->n_out++;
    if (status != GE_OK && s->failure == GE_OK) {
        s->failure = status;
        s->diag = *diag;
    }
    atomic_fetch_add(&s->turn, 1);
    bool has_sleepers = s->n_sleepers > 0;
    pthread_mutex_unlock(&s->lock);
    if (has_sleepers) gei_wake(&s->turn, INT32_MAX);
}

/* The next item; NULL and not taken any more when there is none. */
static gei_item *next_item(gei_stream *s) {
    pthread_mutex_lock(&s->lock);
    gei_item *item = s->first;
    if (item) s->first = item->next;
    if (!s->first) s->last = NULL;
    if (!item) s->is_taken = false;
    pthread_mutex_unlock(&s->lock);
    return item;
}

/* Mark items hold a count of their stream, operations hold one anyway. */
static void free_item(gei_item *item) {
    gei_stream *s = item->stream;
    gei_mark_release(item->mark);
    gei_origin_free(&s->origin, item, sizeof *item);
    gei_stream_release(s);
}

/* Does an item that carries a mark.  False when the stream stands still at it. */
static bool do_mark(gei_item *item, gei_stream **moving) {
    if (item->is_wait) {
        if (gei_mark_stop_at(item->mark, item)) return false;
        item_done(item->stream, GE_OK, NULL);
        return true;
    }
    gei_item *waits = gei_mark_pass(item->mark);
    item_done(item->stream, GE_OK, NULL);
    while (waits) {
        gei_item *next = waits->next;
        gei_stream *s = gei_stream_retain(waits->stream);
        item_done(s, GE_OK, NULL);
        s->next_moving = *moving;
        *moving = s;
        free_item(waits);
        waits = next;
    }
    return true;
}

/* Until it stops; streams that events set moving are added to the list. */
static void move(gei_stream *s, gei_stream **moving, bool *is_last) {
    for (gei_item *item; (item = next_item(s)) != NULL;) {
        if (item->op) {
            bool last = *is_last;
            *is_last = false;
            gei_pool_submit(item->op->team, &item->op->job, last);
            return;
        }
        if (!do_mark(item, moving)) return;
        free_item(item);
    }
}

/* The stream is taken by the caller. */
static void move_all(gei_stream *s, bool is_last) {
    gei_stream *moving = gei_stream_retain(s);
    moving->next_moving = NULL;
    while (moving) {
        gei_stream *now = moving;
        moving = now->next_moving;
        move(now, &moving, &is_last);
        gei_stream_release(now);
    }
}

void gei_stream_put(gei_stream *s, gei_item *item) {
    item->next = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->last) s->last->next = item;
    else s->first = item;
    s->last = item;
    s->n_in++;
    bool moves = !s->is_taken;
    s->is_taken = true;
    pthread_mutex_unlock(&s->lock);
    if (moves) move_all(s, false);
}

ge_status gei_stream_put_mark(gei_stream *s, gei_mark *mark, bool is_wait, gei_diag *diag) {
    gei_item *item = gei_origin_alloc(&s->origin, sizeof *item);
    if (!item) {
        gei_mark_release(mark);
        return gei_out_of_memory(diag, sizeof *item);
    }
    *item = (gei_item){ .stream = gei_stream_retain(s), .mark = mark, .is_wait = is_wait };
    gei_stream_put(s, item);
    return GE_OK;
}

void gei_stream_go_on(gei_stream *s, ge_status status, const gei_diag *diag) {
    item_done(s, status, diag);
    move_all(s, true);
}

/* ---- asking ---- */

static ge_status take_failure(gei_stream *s, gei_diag *diag) {
    ge_status st = s->failure;
    if (st != GE_OK && diag) *diag = s->diag;
    s->failure = GE_OK;
    return st;
}

ge_status gei_stream_sync(gei_stream *s, int64_t timeout_ns, gei_diag *diag) {
    int64_t deadline_ns = gei_deadline_after(timeout_ns);
    bool in_time = timeout_ns != 0;
    ge_status st = GE_OK;
    pthread_mutex_lock(&s->lock);
    const uint64_t wanted = s->n_in; /* what comes later is not waited for */
    while (st == GE_OK && s->n_out < wanted) {
        if (!in_time) st = gei_fail(diag, GE_ERR_TIMEOUT, "the stream is not done");
        else st = gei_may_wait(diag);
        if (st != GE_OK) break;
        uint32_t turn = atomic_load(&s->turn);
        s->n_sleepers++;
        pthread_mutex_unlock(&s->lock);
        in_time = gei_wait_while(&s->turn, turn, gei_pool_idle_spin_ns(), deadline_ns);
        pthread_mutex_lock(&s->lock);
        s->n_sleepers--;
    }
    if (st == GE_OK) st = take_failure(s, diag);
    pthread_mutex_unlock(&s->lock);
    return st;
}

bool gei_stream_is_idle(gei_stream *s) {
    pthread_mutex_lock(&s->lock);
    bool is_idle = s->n_out == s->n_in;
    pthread_mutex_unlock(&s->lock);
    return is_idle;
}
