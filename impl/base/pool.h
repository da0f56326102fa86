/* SPDX-License-Identifier: Apache-2.0 */
/* pool: the worker threads of the process.
 * Work is cut into `n_parts` fixed before the run, so results never depend on how many threads take part.  The caller takes parts
 * too.  Workers spin briefly, then sleep on a futex; the caller's wait is bounded the same way.  Threads are started at the first
 * need, block all signals but those raised by faults of their own, and are never joined at exit.  After fork the child starts with
 * no workers; a run that forked in one of its own parts ends early in the child.  Workers also take whole jobs: team.h. */
#ifndef GEI_BASE_POOL_H
#define GEI_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/team.h"

/* seat: below max_threads; no two threads inside a run have the same, so memory can be theirs by it. */
typedef void (*gei_part_fn)(void *arg, uint32_t part, uint32_t seat);

/* Runs fn(arg, part, seat) for each part in [0, n_parts), with at most `max_threads` threads including the caller, fewer while others
 * use the CPUs.  Never fails: when no worker can be had, the caller does all parts.  May be called from many threads at once and from
 * a part.  team is nullable. */
void gei_pool_run(gei_team *team, uint32_t max_threads, uint32_t n_parts, gei_part_fn fn, void *arg);

/* Has a worker call job->run, after the jobs put in line before.  gei_pool_ready was true once in this process.
 * is_last: the caller is a job about to end, whose worker goes on with this one. */
void gei_pool_submit(gei_team *team, gei_job *job, bool is_last);
bool gei_pool_ready(void);              /* there is a worker; false: none can be had */

void gei_pool_pin(void);                /* from now on each worker stays on a CPU of its own */
int64_t gei_pool_spin_ns(void);         /* how long a thread may spin before it sleeps: 0 with one CPU */
int64_t gei_pool_idle_spin_ns(void);    /* the same for threads that wait for work of others: 0 while all CPUs have some */
uint32_t gei_pool_cpu_count(void);      /* CPUs this process may use */
uint32_t gei_pool_known_cpus(void);     /* the same, as last asked for */
uint32_t gei_pool_worker_count(void);   /* workers started so far */

#endif
