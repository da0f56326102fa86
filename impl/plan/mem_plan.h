/* SPDX-License-Identifier: Apache-2.0 */
/* mem_plan: places blocks with known lifetimes in one arena.  Pure numbers: knows nothing of graphs or operators. */
#ifndef GEI_PLAN_MEM_PLAN_H
#define GEI_PLAN_MEM_PLAN_H

#include "base/arena.h"
#include "base/diag.h"

/* One block's life.  Half-open in steps: alive in [first, end). */
typedef struct gei_live {
    uint64_t size_bytes;   /* 0 takes no room */
    uint64_t offset_bytes; /* out: multiple of GEI_ALIGN_BYTES */
    uint32_t first, end;
} gei_live;

/* Fills offsets; *out_total is the arena's size, *out_lower_bound the largest sum of live (aligned) sizes at one step.
 * Deterministic.  `effort` bounds the search after the first placement (0: first placement only).
 * scratch: for tables, nothing is kept in it. */
ge_status gei_mem_plan(gei_live *lives, size_t count, uint32_t effort, gei_arena *scratch, uint64_t *out_total,
                       uint64_t *out_lower_bound, gei_diag *diag);

/* The cheap method, for very many blocks or very many at a time: plays an allocator through the steps, in about linear time.
 * Sizes are multiples of GEI_ALIGN_BYTES, none 0; by_first and by_end list the blocks by birth and by death. */
ge_status gei_mem_plan_bins(gei_live *lives, size_t count, const uint32_t *by_first, const uint32_t *by_end, gei_arena *scratch,
                            uint64_t *out_total, gei_diag *diag);

#endif
