/* SPDX-License-Identifier: Apache-2.0 */
/* region: memory of one frame for what is sized during the run.  Freed pieces are taken again by size class, and what was once taken
 * from the allocator stays until deinit, so that runs like those before allocate nothing.  One owner, no locking. */
#ifndef GEI_EXEC_REGION_H
#define GEI_EXEC_REGION_H

#include "base/alloc.h"

#define GEI_REGION_CLASSES 256 /* four sizes to a power of two */

typedef struct gei_region {
    gei_allocator as_allocator;       /* give &region.as_allocator away; align up to GEI_ALIGN_BYTES comes from the region */
    const gei_allocator *from;
    struct gei_region_chunk *chunks;
    char *next, *end;
    size_t total_bytes;               /* of all chunks, or wanted for the first one after a reset */
    void *unused[GEI_REGION_CLASSES]; /* freed pieces, chained through their first bytes */
} gei_region;

void gei_region_init(gei_region *region, const gei_allocator *from); /* the region must not move afterwards */
void gei_region_deinit(gei_region *region);
void gei_region_reset(gei_region *region); /* everything taken from it is gone; several chunks become one at the next need */

#endif
