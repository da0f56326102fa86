/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strmap.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_CAP 16
#define DEAD_PLACE UINT32_MAX /* slot whose entry was removed */

/* In the order of putting, so that they are written one behind the other. */
typedef struct gei_strmap_entry {
    const char *key; /* NULL: removed */
    uint64_t value;
    uint32_t key_size, hash;
} gei_strmap_entry;

/* A slot holds the hash of an entry and its place + 1; 0: never used.  Eight bytes each: searches meet the entry only when the
 * hash agrees. */
static uint64_t slot_of(uint32_t hash, uint32_t place) { return (uint64_t)hash << 32 | place; }
static uint32_t slot_hash(uint64_t slot) { return (uint32_t)(slot >> 32); }
static uint32_t slot_place(uint64_t slot) { return (uint32_t)slot; }

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
    gei_vec_free(map->from, &map->entries);
    map->slots = NULL;
    map->cap = map->count = map->dead = 0;
}

/* Keys that differ in their last character only, such as numbered names, get slots side by side: a new one is then mostly found to
 * be new in memory that is in the cache.  The groups themselves are scattered. */
static uint32_t hash_of(const gei_strmap *map, const char *key, size_t key_size) {
    if (key_size == 0) return 0;
    uint32_t last = (unsigned char)key[key_size - 1];
    uint32_t group = (uint32_t)gei_hash_bytes(key, key_size - 1, map->seed);
    return ((group & ~UINT32_C(15)) | (last & 15)) ^ (last >> 4) << 28;
}

/* The slot that holds the key, or NULL. */
static uint64_t *find_slot(const gei_strmap *map, const char *key, size_t key_size, uint32_t hash) {
    if (map->cap == 0) return NULL;
    size_t mask = map->cap - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint64_t slot = map->slots[i];
        if (slot == 0) return NULL;
        if (slot_hash(slot) != hash || slot_place(slot) == DEAD_PLACE) continue;
        const gei_strmap_entry *entry = &map->entries.items[slot_place(slot) - 1];
        if (entry->key_size == key_size && (key_size == 0 || memcmp(entry->key, key, key_size) == 0)) return &map->slots[i];
    }
}

static void insert(uint64_t *slots, size_t cap, uint64_t slot) {
    size_t i = slot_hash(slot) & (cap - 1);
    while (slots[i]) i = (i + 1) & (cap - 1);
    slots[i] = slot;
}

/* Closes the gaps that removed entries left. */
static void pack_entries(gei_strmap *map, uint64_t *slots, size_t cap) {
    size_t kept = 0;
    for (size_t i = 0; i < map->entries.count; i++) {
        if (!map->entries.items[i].key) continue;
        map->entries.items[kept] = map->entries.items[i];
        insert(slots, cap, slot_of(map->entries.items[kept].hash, (uint32_t)kept + 1));
        kept++;
    }
    map->entries.count = kept;
}

/* Moves all to a table at most half full with room for `more`, which also drops the removed ones. */
static bool rehash(gei_strmap *map, size_t more) {
    size_t cap = FIRST_CAP, size_bytes;
    if (more >= DEAD_PLACE - map->count) return false;
    while (cap / 2 < map->count + more) cap *= 2;
    if (!gei_mul(cap, sizeof *map->slots, &size_bytes)) return false;
    uint64_t *slots = gei_alloc_zero(map->from, size_bytes, 0);
    if (!slots) return false;
    if (map->dead > 0) {
        pack_entries(map, slots, cap);
    } else { /* from slots to slots: both are walked in order */
        for (size_t i = 0; i < map->cap; i++)
            if (map->slots[i]) insert(slots, cap, map->slots[i]);
    }
    gei_free(map->from, map->slots, map->cap * sizeof *map->slots, 0);
    map->slots = slots;
    map->cap = cap;
    map->dead = 0;
    return true;
}

bool gei_strmap_reserve(gei_strmap *map, size_t more) {
    size_t used;
    if (!gei_add(map->count + map->dead, more, &used)) return false;
    /* An unused slot is always left, so that searches end. */
    if ((used > map->cap / 4 * 3 || used >= DEAD_PLACE) && !rehash(map, more)) return false;
    return gei_vec_reserve(map->from, &map->entries, more);
}

/* The entry of the key, made with `value` when there is none; NULL: out of memory. */
static gei_strmap_entry *find_or_add(gei_strmap *map, const char *key, size_t key_size, uint64_t value, bool *out_is_new) {
    uint32_t hash = hash_of(map, key, key_size);
    const uint64_t *slot = find_slot(map, key, key_size, hash);
    *out_is_new = !slot;
    if (slot) return &map->entries.items[slot_place(*slot) - 1];
    if (key_size > UINT32_MAX || !gei_strmap_reserve(map, 1)) return NULL;
    gei_strmap_entry *entry = &map->entries.items[map->entries.count++];
    *entry = (gei_strmap_entry){ key ? key : "", value, (uint32_t)key_size, hash };
    insert(map->slots, map->cap, slot_of(hash, (uint32_t)map->entries.count));
    map->count++;
    return entry;
}

bool gei_strmap_put(gei_strmap *map, const char *key, size_t key_size, uint64_t value) {
    bool is_new;
    gei_strmap_entry *entry = find_or_add(map, key, key_size, value, &is_new);
    if (entry) entry->value = value;
    return entry != NULL;
}

bool gei_strmap_claim(gei_strmap *map, const char *key, size_t key_size, uint64_t value, const char ***out_key) {
    bool is_new;
    gei_strmap_entry *entry = find_or_add(map, key, key_size, value, &is_new);
    *out_key = entry && is_new ? &entry->key : NULL;
    return entry != NULL;
}

bool gei_strmap_find(const gei_strmap *map, const char *key, size_t key_size, uint64_t *out_value) {
    const uint64_t *slot = find_slot(map, key, key_size, hash_of(map, key, key_size));
    if (!slot) return false;
    if (out_value) *out_value = map->entries.items[slot_place(*slot) - 1].value;
    return true;
}

bool gei_strmap_remove(gei_strmap *map, const char *key, size_t key_size) {
    uint64_t *slot = find_slot(map, key, key_size, hash_of(map, key, key_size));
    if (!slot) return false;
    map->entries.items[slot_place(*slot) - 1].key = NULL;
    *slot = slot_of(slot_hash(*slot), DEAD_PLACE);
    map->count--;
    map->dead++;
    return true;
}

bool gei_strmap_copy(gei_strmap *to, const gei_strmap *from) {
    if (from->count == 0) return true;
    uint64_t *slots = gei_alloc(to->from, from->cap * sizeof *slots, 0);
    if (!slots || !gei_vec_reserve(to->from, &to->entries, from->entries.count)) {
        gei_free(to->from, slots, from->cap * sizeof *slots, 0);
        return false;
    }
    memcpy(slots, from->slots, from->cap * sizeof *slots);
    memcpy(to->entries.items, from->entries.items, from->entries.count * sizeof *to->entries.items);
    gei_free(to->from, to->slots, to->cap * sizeof *to->slots, 0);
    to->slots = slots;
    to->entries.count = from->entries.count;
    to->cap = from->cap;
    to->count = from->count;
    to->dead = from->dead;
    to->seed = from->seed;
    return true;
}

const char **gei_strmap_key(gei_strmap *map, size_t place, uint64_t *out_value) {
    gei_strmap_entry *entry = &map->entries.items[place];
    *out_value = entry->value;
    return &entry->key;
}
