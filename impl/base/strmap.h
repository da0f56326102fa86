/* SPDX-License-Identifier: Apache-2.0 */
/* strmap: text (below 4 GiB) -> uint64_t.  Open addressing, keys borrowed (they live at least as long as the map), linear time for
 * millions. */
#ifndef GEI_BASE_STRMAP_H
#define GEI_BASE_STRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

typedef struct gei_strmap {
    const gei_allocator *from;
    uint64_t *slots;               /* cap of them, a power of two; NULL when empty */
    size_t cap, count, dead;
    GEI_VEC(struct gei_strmap_entry) entries;
    uint64_t seed;                 /* per map, so that a hostile file cannot aim at one bucket */
} gei_strmap;

void gei_strmap_init(gei_strmap *map, const gei_allocator *from);
void gei_strmap_deinit(gei_strmap *map);
bool gei_strmap_reserve(gei_strmap *map, size_t more);
bool gei_strmap_put(gei_strmap *map, const char *key, size_t key_size, uint64_t value); /* replaces; false: out of memory */
/* Puts a key that is not there yet; *out_key is then where the pointer to its lasting copy has to go before the next put, else NULL. */
bool gei_strmap_claim(gei_strmap *map, const char *key, size_t key_size, uint64_t value, const char ***out_key);
bool gei_strmap_find(const gei_strmap *map, const char *key, size_t key_size, uint64_t *out_value); /* out nullable */
/* to: initialised and empty.  The keys stay those of `from` until they are replaced through gei_strmap_key. */
bool gei_strmap_copy(gei_strmap *to, const gei_strmap *from);
/* Where the key put `place`-th points, and its value; of a map nothing was removed from (dead is 0), place below count. */
const char **gei_strmap_key(gei_strmap *map, size_t place, uint64_t *out_value);
bool gei_strmap_remove(gei_strmap *map, const char *key, size_t key_size);
uint64_t gei_hash_bytes(const void *bytes, size_t size, uint64_t seed);

#endif
