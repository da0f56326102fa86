/* SPDX-License-Identifier: Apache-2.0 */
/* mem_floor: looks for a placement that is no higher than a given limit.  Used by mem_plan when the greedy placements leave room
 * above the lower bound. */
#ifndef GEI_PLAN_MEM_FLOOR_H
#define GEI_PLAN_MEM_FLOOR_H

#include "plan/mem_plan.h"

#define GEI_MEM_FLOOR_BLOCKS 1024 /* more are not searched: the search recurses once a block, on the caller's stack */

typedef struct gei_mem_floor gei_mem_floor;

/* blocks: sizes aligned and not 0; by_first lists them by birth.  NULL when out of memory (diag), or *out_fits false when they are
 * too many or too large for it.  All memory comes from scratch. */
gei_mem_floor *gei_mem_floor_new(const gei_live *blocks, uint32_t n, const uint32_t *by_first, gei_arena *scratch, bool *out_fits,
                                 gei_diag *diag);

/* True: offsets (n) hold a placement of at most limit bytes.  False: there is none, or *work (steps of the search, counted down) is
 * used up.  Deterministic. */
bool gei_mem_floor_find(gei_mem_floor *search, uint64_t limit, uint64_t *work, uint64_t *offsets);

#endif
