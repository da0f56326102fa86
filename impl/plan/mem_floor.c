/* SPDX-License-Identifier: Apache-2.0 */
/* Depth first over placements built from the bottom up.  Any placement can be pushed down until each block rests on the ground or on
 * a block that lives with it; taken in the order of their offsets, each block then stands on its *floor*, the highest top of the
 * blocks placed before that live with it.  So only such orders are searched: offsets never fall, and a block is placed on its floor.
 *
 * What is cut off:
 * - a section of time where the lowest floor plus all that is still to be placed there exceeds the limit;
 * - a block whose floor is not below the top another one could have now: the other may as well go first;
 * - of blocks at one height, all orders but one.
 * When what is left falls into parts that share no moment, each part is searched by itself.  The idea of searching floors in
 * canonical order is that of MiniMalloc (Moffitt, ASPLOS 2023). */
#include "plan/mem_floor.h"

#include <string.h>

#define NONE UINT32_MAX

enum {
    LEARNT = 4, /* order of blocks made from where the search failed; those before it are views of the blocks alone */
    N_ORDERS = 5,
    LISTS_PER_BLOCK = 32, /* room for parts of parts; beyond it they stay together */
    FAILURES = 300,       /* dead ends before the search starts again in another order, times luby */
    PEAK = 16,            /* such long searches take one of the first orders again */
};

typedef enum verdict { FOUND, IMPOSSIBLE, EXHAUSTED } verdict;

typedef struct change { /* of a floor, to be undone */
    uint32_t block, before;
} change;

/* Sizes and heights in units of GEI_ALIGN_BYTES.  A section is the time from one birth to the next. */
struct gei_mem_floor {
    uint32_t n, n_sections;
    uint32_t *size, *from, *to; /* of a block; sections [from, to) */
    uint32_t *floor;            /* of a block; where it stands once placed */
    bool *placed;
    uint64_t *keys; /* of blocks, to sort by */
    uint32_t *position[N_ORDERS], *order[N_ORDERS]; /* inverse of each other */
    uint32_t *near_first, *near;                    /* neighbours, as in mem_plan.c */
    uint32_t *rest, *bridges, *low; /* of a section: sum of unplaced, unplaced that reach into the next one, their lowest floor */
    uint32_t *lists, *lists_end, *lists_limit; /* blocks of parts, a stack */
    change *changes, *changes_end;             /* of floors, a stack; a pair of neighbours changes once on a path */
    uint32_t *failures; /* of a section: how often the search ended in it */
    uint64_t failures_left, random;
    uint32_t limit;
    uint64_t *work;
    const uint32_t *rank; /* position of the order in use */
};

typedef struct part { /* blocks to place that share sections with no other, and those placed since the part was made */
    uint32_t *blocks, n, left;
    uint32_t from, to; /* sections */
} part;

/* ---- tables ---- */

static bool make_sections(gei_mem_floor *s, const gei_live *blocks, const uint32_t *by_first, gei_arena *scratch) {
    uint32_t *births = gei_arena_array(scratch, uint32_t, s->n);
    if (!births) return false;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t first = blocks[by_first[i]].first;
        if (s->n_sections == 0 || births[s->n_sections - 1] != first) births[s->n_sections++] = first;
        s->from[by_first[i]] = s->n_sections - 1;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t low = s->from[i], high = s->n_sections;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (births[middle] < blocks[i].end) low = middle;
            else high = middle;
        }
        s->to[i] = high;
    }
    return true;
}

static bool meet(const gei_mem_floor *s, uint32_t a, uint32_t b) { return s->from[a] < s->to[b] && s->from[b] < s->to[a]; }

static bool make_neighbours(gei_mem_floor *s, gei_arena *scratch) {
    s->near_first = gei_arena_array(scratch, uint32_t, s->n + 1);
    if (!s->near_first) return false;
    for (uint32_t a = 0; a < s->n; a++) {
        uint32_t count = 0;
        for (uint32_t b = 0; b < s->n; b++) count += b != a && meet(s, a, b);
        s->near_first[a + 1] = s->near_first[a] + count;
    }
    s->near = gei_arena_array(scratch, uint32_t, s->near_first[s->n] + 1);
    if (!s->near) return false;
    for (uint32_t a = 0, at = 0; a < s->n; a++)
        for (uint32_t b = 0; b < s->n; b++)
            if (b != a && meet(s, a, b)) s->near[at++] = b;
    return true;
}

/* What makes a block hard to place: several views of it, each one order to search in. */
static uint64_t hardness(const gei_mem_floor *s, const uint32_t *load, uint32_t block, uint32_t view) {
    uint64_t width = s->to[block] - s->from[block], size = s->size[block], most = 0;
    for (uint32_t i = s->from[block]; i < s->to[block]; i++) most = load[i] > most ? load[i] : most;
    switch (view) {
        case 0: return most << 32 | size;
        case 1: return width << 32 | size;
        case 2: return size * width;
        default: return size << 32 | width;
    }
}

/* By descending key.  Insertion: at most GEI_MEM_FLOOR_BLOCKS. */
static void sort_order(gei_mem_floor *s, uint32_t view) {
    uint32_t *order = s->order[view];
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t at = i;
        for (; at > 0 && s->keys[order[at - 1]] < s->keys[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < s->n; i++) s->position[view][order[i]] = i;
}

static bool make_orders(gei_mem_floor *s, gei_arena *scratch) {
    uint32_t *load = gei_arena_array(scratch, uint32_t, s->n_sections);
    s->keys = gei_arena_array(scratch, uint64_t, s->n);
    if (!load || !s->keys) return false;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = s->from[i]; k < s->to[i]; k++) load[k] += s->size[i];
    for (uint32_t view = 0; view < N_ORDERS; view++) {
        s->order[view] = gei_arena_array(scratch, uint32_t, s->n);
        s->position[view] = gei_arena_array(scratch, uint32_t, s->n);
        if (!s->order[view] || !s->position[view]) return false;
        for (uint32_t i = 0; i < s->n && view < LEARNT; i++) s->keys[i] = hardness(s, load, i, view);
        if (view < LEARNT) sort_order(s, view);
    }
    return true;
}

static bool make_state(gei_mem_floor *s, gei_arena *scratch) {
    s->floor = gei_arena_array(scratch, uint32_t, s->n);
    s->placed = gei_arena_array(scratch, bool, s->n);
    s->rest = gei_arena_array(scratch, uint32_t, s->n_sections);
    s->bridges = gei_arena_array(scratch, uint32_t, s->n_sections);
    s->low = gei_arena_array(scratch, uint32_t, s->n_sections);
    s->failures = gei_arena_array(scratch, uint32_t, s->n_sections);
    s->lists = gei_arena_table(scratch, uint32_t, (size_t)s->n * LISTS_PER_BLOCK);
    s->changes = gei_arena_table(scratch, change, (size_t)s->near_first[s->n] + 1);
    if (!s->floor || !s->placed || !s->rest || !s->bridges || !s->low || !s->lists || !s->changes) return false;
    s->lists_limit = s->lists + (size_t)s->n * LISTS_PER_BLOCK;
    return true;
}

gei_mem_floor *gei_mem_floor_new(const gei_live *blocks, uint32_t n, const uint32_t *by_first, gei_arena *scratch, bool *out_fits,
                                 gei_diag *diag) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += blocks[i].size_bytes / GEI_ALIGN_BYTES;
    *out_fits = n <= GEI_MEM_FLOOR_BLOCKS && sum < NONE / 2;
    if (!*out_fits) return NULL;
    gei_mem_floor *s = gei_arena_new(scratch, gei_mem_floor);
    if (s) {
        s->n = n;
        s->size = gei_arena_array(scratch, uint32_t, n);
        s->from = gei_arena_array(scratch, uint32_t, n);
        s->to = gei_arena_array(scratch, uint32_t, n);
    }
    bool made = s && s->size && s->from && s->to;
    for (uint32_t i = 0; made && i < n; i++) s->size[i] = (uint32_t)(blocks[i].size_bytes / GEI_ALIGN_BYTES);
    made = made && make_sections(s, blocks, by_first, scratch) && make_neighbours(s, scratch) && make_orders(s, scratch) &&
           make_state(s, scratch);
    if (!made) (void)gei_out_of_memory(diag, (size_t)n * sizeof *blocks);
    return made ? s : NULL;
}

/* ---- placing and taking back ---- */

static void count_sections(gei_mem_floor *s, uint32_t block, bool add) {
    uint32_t size = add ? s->size[block] : 0 - s->size[block], one = add ? 1u : UINT32_MAX;
    for (uint32_t i = s->from[block]; i < s->to[block]; i++) s->rest[i] += size;
    for (uint32_t i = s->from[block]; i + 1 < s->to[block]; i++) s->bridges[i] += one;
}

static void place(gei_mem_floor *s, uint32_t block) {
    uint32_t top = s->floor[block] + s->size[block];
    s->placed[block] = true;
    count_sections(s, block, false);
    for (uint32_t i = s->near_first[block]; i < s->near_first[block + 1]; i++) {
        uint32_t other = s->near[i];
        if (s->placed[other] || s->floor[other] >= top) continue;
        *s->changes_end++ = (change){ other, s->floor[other] };
        s->floor[other] = top;
    }
}

static void take_back(gei_mem_floor *s, uint32_t block, change *changes_end) {
    while (s->changes_end > changes_end) {
        s->changes_end--;
        s->floor[s->changes_end->block] = s->changes_end->before;
    }
    count_sections(s, block, true);
    s->placed[block] = false;
}

/* Takes back all blocks of a part that are placed; floors as they were when changes_end was noted. */
static void take_back_part(gei_mem_floor *s, const part *p, change *changes_end) {
    for (uint32_t i = 0; i < p->n; i++)
        if (s->placed[p->blocks[i]]) take_back(s, p->blocks[i], changes_end);
}

/* ---- search ---- */

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static bool spend(gei_mem_floor *s, uint64_t steps) {
    if (*s->work < steps) {
        *s->work = 0;
        return false;
    }
    *s->work -= steps;
    return true;
}

/* The lowest place a block can still get.  Blocks below the last one placed were passed over: they stand on a neighbour yet to come. */
static uint32_t soonest(const gei_mem_floor *s, uint32_t block, uint32_t last, uint32_t last_rank) {
    if (s->floor[block] > last || (s->floor[block] == last && s->rank[block] >= last_rank)) return s->floor[block];
    uint32_t soonest = NONE;
    for (uint32_t i = s->near_first[block]; i < s->near_first[block + 1]; i++) {
        uint32_t other = s->near[i], top = larger(s->floor[other], last) + s->size[other];
        if (!s->placed[other] && top < soonest) soonest = top;
    }
    return soonest;
}

/* A dead end in sections [from, to). */
static verdict fail(gei_mem_floor *s, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) s->failures[i]++;
    return s->failures_left-- == 0 ? EXHAUSTED : IMPOSSIBLE;
}

/* Whether each section can still take what is left for it.  *out_ceiling: the lowest top that a block of the part could have now. */
static verdict look(gei_mem_floor *s, const part *p, uint32_t last, uint32_t last_rank, uint32_t *out_ceiling) {
    uint64_t steps = p->to - p->from + p->n;
    uint32_t ceiling = NONE;
    for (uint32_t i = p->from; i < p->to; i++) s->low[i] = NONE;
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t block = p->blocks[k];
        if (s->placed[block]) continue;
        uint32_t floor = soonest(s, block, last, last_rank);
        if (floor == NONE) return fail(s, s->from[block], s->to[block]);
        if (floor + s->size[block] < ceiling) ceiling = floor + s->size[block];
        for (uint32_t i = s->from[block]; i < s->to[block]; i++)
            if (floor < s->low[i]) s->low[i] = floor;
        steps += s->to[block] - s->from[block];
    }
    *out_ceiling = ceiling;
    if (!spend(s, steps / 4)) return EXHAUSTED;
    for (uint32_t i = p->from; i < p->to; i++)
        if (s->rest[i] > 0 && s->low[i] + s->rest[i] > s->limit) return fail(s, i, i + 1);
    return FOUND;
}

/* The next block to try after `tried`, by floor and then by rank; NONE when there is no more. */
static uint32_t next_block(const gei_mem_floor *s, const part *p, uint32_t last, uint32_t last_rank, uint32_t ceiling, uint32_t tried) {
    uint64_t best = UINT64_MAX, after = tried == NONE ? 0 : ((uint64_t)s->floor[tried] << 32 | s->rank[tried]) + 1;
    uint32_t block = NONE;
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t b = p->blocks[k], floor = s->floor[b];
        if (s->placed[b] || floor < last || floor >= ceiling || (floor == last && s->rank[b] < last_rank)) continue;
        uint64_t key = (uint64_t)floor << 32 | s->rank[b];
        if (key < after || key >= best) continue;
        best = key;
        block = b;
    }
    return block;
}

static verdict search_part(gei_mem_floor *s, part *p, uint32_t last, uint32_t last_rank);

/* The unplaced blocks of p from section `from` on that reach each other, as a part of their own. */
static part cut(gei_mem_floor *s, const part *p, uint32_t from) {
    part one = { s->lists_end, 0, 0, from, from + 1 };
    while (one.to < p->to && s->bridges[one.to - 1] > 0) one.to++;
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t block = p->blocks[k];
        if (!s->placed[block] && s->from[block] >= one.from && s->to[block] <= one.to) one.blocks[one.n++] = block;
    }
    one.left = one.n;
    s->lists_end += one.n;
    return one;
}

static bool is_one_piece(const gei_mem_floor *s, const part *p) {
    uint32_t i = p->from, to = p->to;
    while (i < to && s->rest[i] == 0) i++;
    while (i < to && s->bridges[i] > 0) i++;
    for (i++; i < to; i++)
        if (s->rest[i] > 0) return false;
    return true;
}

/* Searches what is left of p, piece by piece where it has come apart. */
static verdict search_rest(gei_mem_floor *s, part *p, uint32_t last, uint32_t last_rank) {
    if (p->left == 0) return FOUND;
    if (s->lists_limit - s->lists_end < p->left || is_one_piece(s, p)) return search_part(s, p, last, last_rank);
    uint32_t *lists_end = s->lists_end;
    change *changes_end = s->changes_end;
    verdict v = FOUND;
    for (uint32_t from = p->from; from < p->to && v == FOUND;) {
        if (s->rest[from] == 0) {
            from++;
            continue;
        }
        part one = cut(s, p, from);
        from = one.to;
        v = search_part(s, &one, last, last_rank);
    }
    if (v != FOUND) {
        part all = *p;
        all.blocks = lists_end;
        all.n = (uint32_t)(s->lists_end - lists_end);
        take_back_part(s, &all, changes_end);
    }
    s->lists_end = lists_end;
    return v;
}

/* Places all that is left of p; when that cannot be, leaves everything as it was. */
static verdict search_part(gei_mem_floor *s, part *p, uint32_t last, uint32_t last_rank) {
    uint32_t ceiling;
    verdict v = look(s, p, last, last_rank, &ceiling);
    if (v != FOUND) return v;
    for (uint32_t block = NONE; (block = next_block(s, p, last, last_rank, ceiling, block)) != NONE;) {
        if (!spend(s, p->n)) return EXHAUSTED;
        change *changes_end = s->changes_end;
        place(s, block);
        p->left--;
        v = search_rest(s, p, s->floor[block], s->rank[block]);
        if (v == FOUND) return FOUND;
        p->left++;
        take_back(s, block, changes_end);
        if (v == EXHAUSTED) return EXHAUSTED;
    }
    return IMPOSSIBLE;
}

static verdict search_all(gei_mem_floor *s, uint32_t view) {
    memset(s->floor, 0, s->n * sizeof *s->floor);
    memset(s->placed, 0, s->n * sizeof *s->placed);
    memset(s->rest, 0, s->n_sections * sizeof *s->rest);
    memset(s->bridges, 0, s->n_sections * sizeof *s->bridges);
    for (uint32_t i = 0; i < s->n; i++) count_sections(s, i, true);
    s->changes_end = s->changes;
    s->lists_end = s->lists;
    s->rank = s->position[view];
    part all = { s->order[view], s->n, s->n, 0, s->n_sections };
    return search_rest(s, &all, 0, 0);
}

/* 1 1 2 1 1 2 4 1 1 2 ...: how far a search goes before it starts again, best when nobody knows how far it has to (Luby 1993). */
static uint64_t luby(uint64_t turn) {
    uint64_t power = 1;
    while (power <= turn) power *= 2; /* 2^k - 1 turns end in a 2^(k-1) */
    for (; power - 1 != turn; turn -= power / 2 - 1)
        while (power / 2 > turn) power /= 2;
    return power / 2;
}

/* Order LEARNT puts blocks first that cross sections where the search failed, a little shaken from the second time on. */
static void learn(gei_mem_floor *s, uint64_t turn) {
    for (uint32_t block = 0; block < s->n; block++) {
        uint64_t most = 0, sum = 0, key = 0;
        for (uint32_t i = s->from[block]; i < s->to[block]; i++) {
            sum += s->failures[i];
            if (s->failures[i] > most) most = s->failures[i];
        }
        switch (turn % 4) {
            case 0: key = most << 32 | s->size[block]; break;
            case 1: key = (sum + 1) * s->size[block]; break;
            case 2: key = (most + 1) * s->size[block]; break;
            default: key = sum; break;
        }
        s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        s->keys[block] = turn < 2 * 4 ? key : key + (key >> 12) * (s->random >> 54);
    }
    sort_order(s, LEARNT);
    if (turn % 16 == 15) /* what is long ago counts less */
        for (uint32_t i = 0; i < s->n_sections; i++) s->failures[i] /= 2;
}

bool gei_mem_floor_find(gei_mem_floor *s, uint64_t limit, uint64_t *work, uint64_t *offsets) {
    s->limit = limit / GEI_ALIGN_BYTES < NONE / 2 ? (uint32_t)(limit / GEI_ALIGN_BYTES) : NONE / 2;
    s->work = work;
    s->random = 1;
    memset(s->failures, 0, s->n_sections * sizeof *s->failures);
    for (uint64_t turn = 0, peaks = 0; *work > 0; turn++) {
        uint64_t far = luby(turn + 1);
        uint32_t view = turn < LEARNT ? (uint32_t)turn : far >= PEAK ? (uint32_t)(++peaks % LEARNT) : LEARNT;
        if (view == LEARNT) learn(s, turn);
        s->failures_left = far * FAILURES;
        verdict v = search_all(s, view);
        if (v == IMPOSSIBLE) return false;
        if (v != FOUND) continue;
        for (uint32_t i = 0; i < s->n; i++) offsets[i] = (uint64_t)s->floor[i] * GEI_ALIGN_BYTES;
        return true;
    }
    return false;
}
