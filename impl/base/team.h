/* SPDX-License-Identifier: Apache-2.0 */
/* team: what runs for one context.  It bounds the threads at work for it, and holds its jobs in line until a worker may take one.
 *
 * A thread is at work while it is inside gei_pool_run or a job; a place kept for a helper counts as one.  Both the team and the process
 * (its CPUs) have a limit.  Helpers and jobs stay below it; callers, whose number is not ours, always go on, alone if need be.  One job
 * of each team may always run, so that callers cannot starve the line.  Teams with jobs take turns. */
#ifndef GEI_BASE_TEAM_H
#define GEI_BASE_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gei_team gei_team;

/* Embedded in what is to be done.  run may free it. */
typedef struct gei_job {
    void (*run)(struct gei_job *job);
    struct gei_job *next;
} gei_job;

gei_team *gei_team_create(uint32_t max_threads); /* NULL: no memory.  Counted; jobs in line and running hold a count */
gei_team *gei_team_retain(gei_team *team);       /* NULL is the team of the process: everywhere */
void gei_team_release(gei_team *team);
uint32_t gei_team_busy(const gei_team *team);    /* threads at work for it; NULL: for all teams */

/* ---- for pool.c ---- */
/* Counts in `self` (0 or 1) threads and up to `wanted` places for helpers; gives the places granted. */
uint32_t gei_team_enter(gei_team *team, uint32_t max_threads, uint32_t self, uint32_t wanted);
bool gei_team_leave(gei_team *team, uint32_t n); /* true when a job in line may start now */
/* Puts a job in line; gives how many workers jobs could use now. */
uint32_t gei_jobs_add(gei_team *team, gei_job *job);
gei_job *gei_jobs_take(gei_team **out_team);     /* NULL: none may start.  Counted in; then gei_jobs_done */
void gei_jobs_done(gei_team *team);
bool gei_jobs_can_start(void);                   /* some job in line may start now */
uint32_t gei_jobs_running(void);
void gei_jobs_forget(void);                      /* in the child of a fork */

#endif
