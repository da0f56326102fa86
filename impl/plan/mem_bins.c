/* SPDX-License-Identifier: Apache-2.0 */
/* mem_bins: the arena of mem_plan as an allocator would fill it, block by block in the order of birth.
 * Holes hang in bins by size, four bins to a power of two, so that finding and returning one costs the same however many there are.
 *
 *   regions by address:   [block][hole][block][block][hole]   each knows its neighbours; two holes never touch
 */
#include "plan/mem_plan.h"

#define NONE UINT32_MAX
#define N_BINS 256
#define OWN_BIN_TRIES 16 /* holes of the block's own bin looked at: they may be smaller than the block */

typedef struct region {
    uint64_t offset_bytes, size_bytes;
    uint32_t below, above; /* by address */
    uint32_t prev, next;   /* in the bin, holes only; `next` also chains unused regions */
    bool is_hole;
} region;

typedef struct bins {
    region *regions;
    uint32_t first[N_BINS];
    uint64_t used[N_BINS / 64]; /* bins that hold something */
    uint32_t unused;            /* chain of region slots */
    uint32_t top;               /* region with the highest address */
    uint64_t total_bytes;
} bins;

static uint32_t bin_of(uint64_t size_bytes) {
    uint64_t units = size_bytes / GEI_ALIGN_BYTES; /* at least 1 */
    uint32_t log = 63 - (uint32_t)__builtin_clzll(units);
    return log < 2 ? (uint32_t)units : log * 4 + (uint32_t)(units >> (log - 2) & 3) - 4;
}

static void bin_add(bins *b, uint32_t id) {
    region *r = &b->regions[id];
    uint32_t bin = bin_of(r->size_bytes);
    r->is_hole = true;
    r->prev = NONE;
    r->next = b->first[bin];
    if (r->next != NONE) b->regions[r->next].prev = id;
    b->first[bin] = id;
    b->used[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void bin_remove(bins *b, uint32_t id) {
    region *r = &b->regions[id];
    uint32_t bin = bin_of(r->size_bytes);
    if (r->next != NONE) b->regions[r->next].prev = r->prev;
    if (r->prev != NONE) b->regions[r->prev].next = r->next;
    else b->first[bin] = r->next;
    if (b->first[bin] == NONE) b->used[bin / 64] &= ~(UINT64_C(1) << bin % 64);
    r->is_hole = false;
}

static uint32_t take_slot(bins *b) {
    uint32_t id = b->unused;
    b->unused = b->regions[id].next;
    return id;
}

static void return_slot(bins *b, uint32_t id) {
    b->regions[id].next = b->unused;
    b->unused = id;
}

/* A hole of at least size_bytes, NONE when there is none. */
static uint32_t find_hole(const bins *b, uint64_t size_bytes) {
    uint32_t bin = bin_of(size_bytes), tries = 0;
    for (uint32_t id = b->first[bin]; id != NONE && tries < OWN_BIN_TRIES; id = b->regions[id].next, tries++)
        if (b->regions[id].size_bytes >= size_bytes) return id;
    for (uint32_t word = (bin + 1) / 64; word < N_BINS / 64; word++) {
        uint64_t bits = b->used[word];
        if (word == (bin + 1) / 64) bits &= ~UINT64_C(0) << (bin + 1) % 64;
        if (bits) return b->first[word * 64 + (uint32_t)__builtin_ctzll(bits)];
    }
    return NONE;
}

/* Grows the arena so that its last region, a hole, has size_bytes. */
static uint32_t grow(bins *b, uint64_t size_bytes) {
    uint32_t id = b->top;
    if (id != NONE && b->regions[id].is_hole) {
        bin_remove(b, id);
    } else {
        id = take_slot(b);
        b->regions[id] = (region){ .offset_bytes = b->total_bytes, .below = b->top, .above = NONE };
        if (b->top != NONE) b->regions[b->top].above = id;
        b->top = id;
    }
    region *r = &b->regions[id];
    r->size_bytes = size_bytes;
    b->total_bytes = r->offset_bytes + size_bytes;
    bin_add(b, id);
    return id;
}

static uint32_t place(bins *b, uint64_t size_bytes) {
    uint32_t id = find_hole(b, size_bytes);
    if (id == NONE) id = grow(b, size_bytes);
    bin_remove(b, id);
    region *r = &b->regions[id];
    if (r->size_bytes == size_bytes) return id;
    uint32_t rest = take_slot(b);
    b->regions[rest] = (region){ .offset_bytes = r->offset_bytes + size_bytes,
                                 .size_bytes = r->size_bytes - size_bytes, .below = id, .above = r->above };
    if (r->above != NONE) b->regions[r->above].below = rest;
    else b->top = rest;
    r->above = rest;
    r->size_bytes = size_bytes;
    bin_add(b, rest);
    return id;
}

/* Joins region `id` with the one above it; neither hangs in a bin. */
static void join_above(bins *b, uint32_t id) {
    region *r = &b->regions[id];
    uint32_t above = r->above;
    r->size_bytes += b->regions[above].size_bytes;
    r->above = b->regions[above].above;
    if (r->above != NONE) b->regions[r->above].below = id;
    else b->top = id;
    return_slot(b, above);
}

static void release(bins *b, uint32_t id) {
    uint32_t above = b->regions[id].above, below = b->regions[id].below;
    if (above != NONE && b->regions[above].is_hole) {
        bin_remove(b, above);
        join_above(b, id);
    }
    if (below != NONE && b->regions[below].is_hole) {
        bin_remove(b, below);
        join_above(b, below);
        id = below;
    }
    bin_add(b, id);
}

static bool bins_init(bins *b, size_t count, gei_arena *scratch) {
    size_t n_regions = 2 * count + 1; /* blocks, a hole above each, and one at the start */
    if (n_regions >= NONE) return false;
    *b = (bins){ .top = NONE };
    b->regions = gei_arena_array(scratch, region, n_regions);
    if (!b->regions) return false;
    for (size_t i = 0; i < n_regions; i++) b->regions[i].next = i + 1 < n_regions ? (uint32_t)(i + 1) : NONE;
    for (size_t i = 0; i < N_BINS; i++) b->first[i] = NONE;
    return true;
}

ge_status gei_mem_plan_bins(gei_live *lives, size_t count, const uint32_t *by_first, const uint32_t *by_end, gei_arena *scratch,
                            uint64_t *out_total, gei_diag *diag) {
    bins b;
    uint32_t *region_of = gei_arena_array(scratch, uint32_t, count);
    if (!region_of || !bins_init(&b, count, scratch)) return gei_out_of_memory(diag, count * sizeof(region));
    size_t n_dead = 0;
    for (size_t i = 0; i < count; i++) {
        gei_live *live = &lives[by_first[i]];
        for (; n_dead < count && lives[by_end[n_dead]].end <= live->first; n_dead++) release(&b, region_of[by_end[n_dead]]);
        uint32_t id = place(&b, live->size_bytes);
        region_of[by_first[i]] = id;
        live->offset_bytes = b.regions[id].offset_bytes;
    }
    *out_total = b.total_bytes;
    return GE_OK;
}
