/* SPDX-License-Identifier: Apache-2.0 */
#include "base/team.h"

#include <pthread.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/pool.h"

struct gei_team {
    _Atomic uint32_t refs;
    uint32_t max_threads;     /* 0: as many as the process */
    _Atomic uint32_t n_busy;  /* counted only where max_threads binds */
    /* under line.lock */
    uint32_t n_jobs;          /* running */
    gei_job *first, *last;    /* waiting */
    gei_team *next;           /* teams with jobs in line */
};

static gei_team of_process; /* stands for NULL */

static struct {
    _Alignas(64) _Atomic uint32_t n_busy; /* threads at work, of all teams */
} load;

static struct {
    _Alignas(64) _Atomic uint32_t n_waiting;
    _Atomic uint32_t n_running;
    pthread_mutex_t lock;
    gei_team *first, *last; /* teams with jobs waiting, next to be served first */
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- teams ---- */

gei_team *gei_team_create(uint32_t max_threads) {
    gei_team *t = gei_alloc_zero(&gei_heap, sizeof *t, 0);
    if (!t) return NULL;
    atomic_init(&t->refs, 1);
    t->max_threads = max_threads;
    return t;
}

gei_team *gei_team_retain(gei_team *t) {
    if (t && t != &of_process) atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void gei_team_release(gei_team *t) {
    if (!t || t == &of_process) return;
    if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) == 1) gei_free(&gei_heap, t, sizeof *t, 0);
}

uint32_t gei_team_busy(const gei_team *t) { return atomic_load(t && t->max_threads ? &t->n_busy : &load.n_busy); }

/* Who asks for more threads than there are CPUs gets them. */
static uint32_t process_limit(uint32_t max_threads) {
    uint32_t n_cpus = gei_pool_known_cpus();
    return max_threads > n_cpus ? max_threads : n_cpus;
}

/* ---- threads at work ---- */

static uint32_t take_places(_Atomic uint32_t *n_busy, uint32_t limit, uint32_t self, uint32_t wanted, uint32_t kept_free) {
    uint32_t used = atomic_fetch_add(n_busy, self + wanted) + self + kept_free;
    uint32_t room = used < limit ? limit - used : 0;
    uint32_t granted = wanted < room ? wanted : room;
    if (granted < wanted) atomic_fetch_sub(n_busy, wanted - granted);
    return granted;
}

uint32_t gei_team_enter(gei_team *t, uint32_t max_threads, uint32_t self, uint32_t wanted) {
    uint32_t n_waiting = atomic_load_explicit(&line.n_waiting, memory_order_relaxed);
    uint32_t granted = take_places(&load.n_busy, process_limit(max_threads), self, wanted, n_waiting);
    if (!t || t->max_threads == 0) return granted;
    uint32_t limit = max_threads > t->max_threads ? max_threads : t->max_threads;
    uint32_t of_team = take_places(&t->n_busy, limit, self, granted, 0);
    if (of_team < granted) atomic_fetch_sub(&load.n_busy, granted - of_team);
    return of_team;
}

bool gei_team_leave(gei_team *t, uint32_t n) {
    if (n == 0) return false;
    if (t && t->max_threads) atomic_fetch_sub(&t->n_busy, n);
    atomic_fetch_sub(&load.n_busy, n);
    return gei_jobs_can_start();
}

/* ---- jobs in line ---- */

/* Under the lock. */
static void append_team(gei_team *t) {
    t->next = NULL;
    if (line.last) line.last->next = t;
    else line.first = t;
    line.last = t;
}

uint32_t gei_jobs_add(gei_team *t, gei_job *job) {
    if (!t) t = &of_process;
    job->next = NULL;
    (void)gei_team_retain(t);
    pthread_mutex_lock(&line.lock);
    if (t->last) t->last->next = job;
    else t->first = job;
    t->last = job;
    if (t->first == job) append_team(t);
    uint32_t n = atomic_fetch_add(&line.n_waiting, 1) + 1 + atomic_load_explicit(&line.n_running, memory_order_relaxed);
    uint32_t limit = process_limit(t->max_threads);
    pthread_mutex_unlock(&line.lock);
    return n < limit ? n : limit;
}

static bool may_start(const gei_team *t) {
    if (t->n_jobs == 0) return true;
    if (t->max_threads && atomic_load(&t->n_busy) >= t->max_threads) return false;
    return atomic_load(&load.n_busy) < process_limit(t->max_threads);
}

/* Under the lock: t stands in the list behind `before` (NULL: first). */
static gei_job *pop_job(gei_team *t, gei_team *before) {
    gei_job *job = t->first;
    t->first = job->next;
    if (before) before->next = t->next;
    else line.first = t->next;
    if (line.last == t) line.last = before;
    if (t->first) append_team(t);
    else t->last = NULL;
    return job;
}

gei_job *gei_jobs_take(gei_team **out_team) {
    gei_job *job = NULL;
    pthread_mutex_lock(&line.lock);
    for (gei_team *t = line.first, *before = NULL; t; before = t, t = t->next) {
        if (!may_start(t)) continue;
        job = pop_job(t, before);
        t->n_jobs++;
        atomic_fetch_add(&load.n_busy, 1);
        if (t->max_threads) atomic_fetch_add(&t->n_busy, 1);
        atomic_fetch_add(&line.n_running, 1);
        atomic_fetch_sub(&line.n_waiting, 1);
        *out_team = t; /* with the count the job held */
        break;
    }
    pthread_mutex_unlock(&line.lock);
    return job;
}

void gei_jobs_done(gei_team *t) {
    pthread_mutex_lock(&line.lock);
    t->n_jobs--;
    pthread_mutex_unlock(&line.lock);
    atomic_fetch_sub(&line.n_running, 1);
    if (t->max_threads) atomic_fetch_sub(&t->n_busy, 1);
    atomic_fetch_sub(&load.n_busy, 1);
    gei_team_release(t);
}

bool gei_jobs_can_start(void) {
    if (atomic_load(&line.n_waiting) == 0) return false;
    pthread_mutex_lock(&line.lock);
    bool can = false;
    for (const gei_team *t = line.first; t && !can; t = t->next) can = may_start(t);
    pthread_mutex_unlock(&line.lock);
    return can;
}

uint32_t gei_jobs_running(void) { return atomic_load_explicit(&line.n_running, memory_order_relaxed); }

void gei_jobs_forget(void) {
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    line.lock = fresh;
    line.first = line.last = NULL;
    atomic_store(&line.n_waiting, 0);
    atomic_store(&line.n_running, 0);
    atomic_store(&load.n_busy, 0);
    of_process = (gei_team){ 0 };
}
