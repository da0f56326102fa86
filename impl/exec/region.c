/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/region.h"

#include <string.h>

#define FIRST_CHUNK_BYTES ((size_t)16 << 10)

typedef struct gei_region_chunk {
    struct gei_region_chunk *older;
    size_t size_bytes;
} gei_region_chunk;

#define HEAD_BYTES ((size_t)GEI_ALIGN_BYTES) /* of a chunk, so that what follows is aligned */

/* Rounds the size up to its class.  SIZE_MAX / 2 is as good as nothing. */
static uint32_t class_of(size_t *size_bytes) {
    size_t units = (*size_bytes + GEI_ALIGN_BYTES - 1) / GEI_ALIGN_BYTES;
    uint32_t log = 63 - (uint32_t)__builtin_clzll(units | 1);
    if (log < 2) {
        *size_bytes = units * GEI_ALIGN_BYTES;
        return (uint32_t)units;
    }
    size_t step = (size_t)1 << (log - 2);
    units = (units + step - 1) & ~(step - 1);
    *size_bytes = units * GEI_ALIGN_BYTES;
    log = 63 - (uint32_t)__builtin_clzll(units);
    return log * 4 + (uint32_t)(units >> (log - 2) & 3) - 4;
}

static bool add_chunk(gei_region *region, size_t size_bytes) {
    size_t chunk_bytes = FIRST_CHUNK_BYTES;
    if (region->total_bytes > chunk_bytes) chunk_bytes = region->total_bytes;
    if (size_bytes + HEAD_BYTES > chunk_bytes) chunk_bytes = size_bytes + HEAD_BYTES;
    gei_region_chunk *chunk = gei_alloc(region->from, chunk_bytes, GEI_ALIGN_BYTES);
    if (!chunk) return false;
    *chunk = (gei_region_chunk){ region->chunks, chunk_bytes };
    region->total_bytes = region->chunks ? region->total_bytes + chunk_bytes : chunk_bytes;
    region->chunks = chunk;
    region->next = (char *)chunk + HEAD_BYTES;
    region->end = (char *)chunk + chunk_bytes;
    return true;
}

static void *region_alloc(void *user, size_t size_bytes, size_t align_bytes) {
    gei_region *region = user;
    if (align_bytes > GEI_ALIGN_BYTES) return gei_alloc(region->from, size_bytes, align_bytes);
    if (size_bytes > SIZE_MAX / 2) return NULL;
    uint32_t class = class_of(&size_bytes);
    void *piece = region->unused[class];
    if (piece) {
        memcpy(&region->unused[class], piece, sizeof(void *));
        return piece;
    }
    if (size_bytes > (size_t)(region->end - region->next) && !add_chunk(region, size_bytes)) return NULL;
    piece = region->next;
    region->next += size_bytes;
    return piece;
}

static void region_free(void *user, void *ptr, size_t size_bytes, size_t align_bytes) {
    gei_region *region = user;
    if (align_bytes > GEI_ALIGN_BYTES) {
        gei_free(region->from, ptr, size_bytes, align_bytes);
        return;
    }
    uint32_t class = class_of(&size_bytes);
    memcpy(ptr, &region->unused[class], sizeof(void *));
    region->unused[class] = ptr;
}

void gei_region_init(gei_region *region, const gei_allocator *from) {
    *region = (gei_region){ .as_allocator = { region_alloc, region_free, region }, .from = from };
}

static void free_chunks(gei_region *region) {
    while (region->chunks) {
        gei_region_chunk *chunk = region->chunks;
        region->chunks = chunk->older;
        gei_free(region->from, chunk, chunk->size_bytes, GEI_ALIGN_BYTES);
    }
    region->next = region->end = NULL;
}

void gei_region_deinit(gei_region *region) {
    if (region->from) free_chunks(region);
    region->total_bytes = 0;
}

void gei_region_reset(gei_region *region) {
    memset(region->unused, 0, sizeof region->unused);
    if (!region->chunks) return;
    if (region->chunks->older) free_chunks(region);
    else region->next = (char *)region->chunks + HEAD_BYTES;
}
