/* SPDX-License-Identifier: Apache-2.0 */
/* strmap: text -> uint64_t.  Open addressing, keys borrowed (they live at least as long as the map), linear time for millions. */
#ifndef GEI_BASE_STRMAP_H
#define GEI_BASE_STRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

typedef struct gei_strmap {
    const gei_allocator *from;
    struct gei_strmap_slot *slots; /* power of two, or NULL when empty */
    size_t cap, count, dead;
    uint64_t seed;                 /* per map, so that a hostile file cannot aim at one bucket */
} gei_strmap;

void gei_strmap_init(gei_strmap *map, const gei_allocator *from);
void gei_strmap_deinit(gei_strmap *map);
bool gei_strmap_put(gei_strmap *map, const char *key, size_t key_size, uint64_t value); /* replaces; false: out of memory */
bool gei_strmap_find(const gei_strmap *map, const char *key, size_t key_size, uint64_t *out_value); /* out nullable */
bool gei_strmap_remove(gei_strmap *map, const char *key, size_t key_size);
uint64_t gei_hash_bytes(const void *bytes, size_t size, uint64_t seed);

#endif
