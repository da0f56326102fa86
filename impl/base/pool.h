/* SPDX-License-Identifier: Apache-2.0 */
/* pool: the worker threads of the process.
 * Work is cut into `n_parts` fixed before the run, so results never depend on how many threads take part.  The caller takes parts
 * too.  Workers spin briefly, then sleep on a futex; the caller's wait is bounded the same way.  Threads are started at the first
 * need, block all signals but those raised by faults of their own, and are never joined at exit.  After fork the child starts with
 * no workers; a run that forked in one of its own parts ends early in the child. */
#ifndef GEI_BASE_POOL_H
#define GEI_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* seat: below max_threads; no two threads inside a run have the same, so memory can be theirs by it. */
typedef void (*gei_part_fn)(void *arg, uint32_t part, uint32_t seat);

/* Runs fn(arg, part, seat) for each part in [0, n_parts), with at most `max_threads` threads including the caller.
 * Never fails: when no worker can be had, the caller does all parts.  May be called from many threads at once and from a part. */
void gei_pool_run(uint32_t max_threads, uint32_t n_parts, gei_part_fn fn, void *arg);

uint32_t gei_pool_cpu_count(void);      /* CPUs this process may use */
uint32_t gei_pool_worker_count(void);   /* workers started so far */

#endif
