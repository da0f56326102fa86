/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strmap.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_CAP 16

typedef struct gei_strmap_slot {
    const char *key; /* NULL: never used; dead_key: removed */
    size_t key_size;
    uint64_t hash;
    uint64_t value;
} gei_strmap_slot;

static const char dead_key[1] = "";

/* Odd constants without structure; the secret of a hash is its seed, not these. */
#define MIX_A UINT64_C(0xD6E8FEB86659FD93)
#define MIX_B UINT64_C(0xA0761BC63A4F37ED)
#define MIX_C UINT64_C(0x9E6C63D0876A9A47)

static uint64_t fold_multiply(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load_u64(const unsigned char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Both factors of each step depend on the seed, so no chosen input makes one of them zero. */
static uint64_t absorb(uint64_t state, uint64_t a, uint64_t b) {
    return fold_multiply(a ^ state, b ^ (state << 32 | state >> 32) ^ MIX_A);
}

uint64_t gei_hash_bytes(const void *bytes, size_t size, uint64_t seed) {
    const unsigned char *p = bytes;
    size_t left = size;
    uint64_t state = fold_multiply(seed ^ MIX_B, (uint64_t)size ^ MIX_C) ^ seed;
    for (; left > 16; p += 16, left -= 16) state = absorb(state, load_u64(p), load_u64(p + 8));
    unsigned char tail[16] = { 0 };
    if (left > 0) memcpy(tail, p, left);
    state = absorb(state, load_u64(tail), load_u64(tail + 8));
    return fold_multiply(state ^ MIX_C, MIX_B);
}

/* Random, made once per process, never 0. */
static uint64_t process_secret(void) {
    static _Atomic uint64_t secret;
    uint64_t known = atomic_load_explicit(&secret, memory_order_relaxed);
    if (known != 0) return known;
    uint64_t fresh = 0;
    if (getrandom(&fresh, sizeof fresh, GRND_NONBLOCK) != (ssize_t)sizeof fresh) {
        struct timespec now = { 0 };
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        fresh = fold_multiply((uint64_t)now.tv_nsec ^ MIX_A, (uint64_t)(uintptr_t)&now ^ MIX_B);
    }
    fresh |= 1;
    return atomic_compare_exchange_strong(&secret, &known, fresh) ? fresh : known;
}

void gei_strmap_init(gei_strmap *map, const gei_allocator *from) {
    uint64_t seed = fold_multiply(process_secret() ^ MIX_A, (uint64_t)(uintptr_t)map ^ MIX_B);
    *map = (gei_strmap){ .from = from, .seed = seed };
}

void gei_strmap_deinit(gei_strmap *map) {
    gei_free(map->from, map->slots, map->cap * sizeof *map->slots, 0);
    map->slots = NULL;
    map->cap = map->count = map->dead = 0;
}

/* The slot that holds the key, or NULL. */
static gei_strmap_slot *find_slot(const gei_strmap *map, const char *key, size_t key_size, uint64_t hash) {
    if (map->cap == 0) return NULL;
    size_t mask = map->cap - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        gei_strmap_slot *slot = &map->slots[i];
        if (!slot->key) return NULL;
        if (slot->key == dead_key || slot->hash != hash || slot->key_size != key_size) continue;
        if (key_size == 0 || memcmp(slot->key, key, key_size) == 0) return slot;
    }
}

static gei_strmap_slot *first_unused(gei_strmap_slot *slots, size_t cap, uint64_t hash) {
    size_t i = (size_t)hash & (cap - 1);
    while (slots[i].key) i = (i + 1) & (cap - 1);
    return &slots[i];
}

/* Moves all to a table at most half full, which also drops the removed ones. */
static bool rehash(gei_strmap *map) {
    size_t cap = FIRST_CAP;
    size_t size_bytes;
    while (cap / 2 < map->count + 1) {
        if (!gei_mul(cap, 2, &cap)) return false;
    }
    if (!gei_mul(cap, sizeof *map->slots, &size_bytes)) return false;
    gei_strmap_slot *slots = gei_alloc_zero(map->from, size_bytes, 0);
    if (!slots) return false;
    for (size_t i = 0; i < map->cap; i++) {
        const gei_strmap_slot *slot = &map->slots[i];
        if (slot->key && slot->key != dead_key) *first_unused(slots, cap, slot->hash) = *slot;
    }
    gei_free(map->from, map->slots, map->cap * sizeof *map->slots, 0);
    map->slots = slots;
    map->cap = cap;
    map->dead = 0;
    return true;
}

bool gei_strmap_put(gei_strmap *map, const char *key, size_t key_size, uint64_t value) {
    uint64_t hash = gei_hash_bytes(key, key_size, map->seed);
    gei_strmap_slot *slot = find_slot(map, key, key_size, hash);
    if (slot) {
        slot->value = value;
        return true;
    }
    /* An unused slot is always left, so that searches end. */
    if (map->count + map->dead + 1 > map->cap / 4 * 3 && !rehash(map)) return false;
    *first_unused(map->slots, map->cap, hash) = (gei_strmap_slot){ key ? key : "", key_size, hash, value };
    map->count++;
    return true;
}

bool gei_strmap_find(const gei_strmap *map, const char *key, size_t key_size, uint64_t *out_value) {
    const gei_strmap_slot *slot = find_slot(map, key, key_size, gei_hash_bytes(key, key_size, map->seed));
    if (!slot) return false;
    if (out_value) *out_value = slot->value;
    return true;
}

bool gei_strmap_remove(gei_strmap *map, const char *key, size_t key_size) {
    gei_strmap_slot *slot = find_slot(map, key, key_size, gei_hash_bytes(key, key_size, map->seed));
    if (!slot) return false;
    slot->key = dead_key;
    map->count--;
    map->dead++;
    return true;
}
