/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy by size with best fit: the largest block first, each into the smallest hole left by those already placed that live at the
 * same time.  Then a bounded search over the order in which blocks are placed.  Blocks are placed against their *neighbours* (alive
 * together with them), listed once, so that a placement costs about as much as there are pairs of neighbours. */
#include "plan/mem_plan.h"

#include <string.h>

#include "plan/mem_floor.h"

#define UNPLACED UINT64_MAX
#define PAIRS_PER_BLOCK 64      /* above this many pairs a block on average the cheap method takes over */
#define MANY_BLOCKS 200000      /* from here on fewer, since the tables would not fit any cache */
#define PAIRS_PER_BLOCK_MANY 8
#define SEARCH_WORK 200000      /* pairs looked at for each unit of effort */
#define FLOOR_WORK UINT64_C(100000)  /* steps of the search over floors for each unit of effort */
#define PAGE_BYTES 4096         /* addresses equal modulo this one alias in a store buffer */
#define STAGGER_BYTES 256

typedef struct span {
    uint64_t begin, end;
} span;

typedef struct table {
    gei_live *blocks; /* sizes aligned, none 0 */
    uint32_t n;
    uint32_t *by_first, *by_end;
    size_t *near_first; /* n + 1: where the neighbours of a block start in `near` */
    uint32_t *near;
    span *spans; /* room for the neighbours of one block */
    uint64_t lower_bound;
    gei_arena *scratch;
} table;

/* ---- sorting ---- */

/* One byte of a radix sort; false when all keys agree in it. */
static bool sort_pass(const uint64_t *keys, const uint32_t *from, uint32_t *to, uint32_t n, const uint32_t *counts, uint32_t shift) {
    uint32_t at[256], sum = 0;
    for (uint32_t digit = 0; digit < 256; digit++) {
        if (counts[digit] == n) return false;
        at[digit] = sum;
        sum += counts[digit];
    }
    for (uint32_t i = 0; i < n; i++) to[at[keys[from[i]] >> shift & 0xFF]++] = from[i];
    return true;
}

/* Indices 0..n-1 by ascending key, equal keys by index; linear.  NULL when out of memory. */
static uint32_t *sort_by(const uint64_t *keys, uint32_t n, gei_arena *scratch) {
    uint32_t *index = gei_arena_array(scratch, uint32_t, n), *other = gei_arena_array(scratch, uint32_t, n);
    if (!index || !other) return NULL;
    uint32_t counts[8][256];
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < n; i++) {
        index[i] = i;
        for (uint32_t byte = 0; byte < 8; byte++) counts[byte][keys[i] >> byte * 8 & 0xFF]++;
    }
    for (uint32_t byte = 0; byte < 8; byte++) {
        if (!sort_pass(keys, index, other, n, counts[byte], byte * 8)) continue;
        uint32_t *swap = index;
        index = other;
        other = swap;
    }
    return index;
}

/* By begin.  Insertion for the usual handful, heap sort when a block has many neighbours. */
static void sift_down(span *s, size_t root, size_t n) {
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && s[child + 1].begin > s[child].begin) child++;
        if (s[root].begin >= s[child].begin) return;
        span swap = s[root];
        s[root] = s[child];
        s[child] = swap;
    }
}

static void sort_spans(span *s, size_t n) {
    if (n > 24) {
        for (size_t i = n / 2; i-- > 0;) sift_down(s, i, n);
        for (size_t i = n; i-- > 1;) {
            span swap = s[0];
            s[0] = s[i];
            s[i] = swap;
            sift_down(s, 0, i);
        }
        return;
    }
    for (size_t i = 1; i < n; i++) {
        span one = s[i];
        size_t k = i;
        for (; k > 0 && s[k - 1].begin > one.begin; k--) s[k] = s[k - 1];
        s[k] = one;
    }
}

/* ---- tables ---- */

static ge_status sort_lives(table *t, gei_diag *diag) {
    uint64_t *keys = gei_arena_array(t->scratch, uint64_t, t->n);
    if (!keys) return gei_out_of_memory(diag, t->n * sizeof *keys);
    for (uint32_t i = 0; i < t->n; i++) keys[i] = t->blocks[i].first;
    t->by_first = sort_by(keys, t->n, t->scratch);
    for (uint32_t i = 0; i < t->n; i++) keys[i] = t->blocks[i].end;
    t->by_end = sort_by(keys, t->n, t->scratch);
    return t->by_first && t->by_end ? GE_OK : gei_out_of_memory(diag, t->n * sizeof(uint32_t));
}

static void find_lower_bound(table *t) {
    uint64_t alive = 0;
    for (uint32_t i = 0, dead = 0; i < t->n; i++) {
        const gei_live *live = &t->blocks[t->by_first[i]];
        for (; t->blocks[t->by_end[dead]].end <= live->first; dead++) alive -= t->blocks[t->by_end[dead]].size_bytes;
        alive += live->size_bytes;
        if (alive > t->lower_bound) t->lower_bound = alive;
    }
}

/* Walks all pairs of neighbours.  Counts them into near_first[block + 1], or with `near` set writes them at near_first[block]++.
 * False when there are more than max_pairs. */
static bool walk_pairs(table *t, uint32_t *alive, size_t max_pairs) {
    size_t n_alive = 0, n_pairs = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t block = t->by_first[i];
        size_t kept = 0;
        for (size_t k = 0; k < n_alive; k++)
            if (t->blocks[alive[k]].end > t->blocks[block].first) alive[kept++] = alive[k];
        n_alive = kept;
        n_pairs += n_alive;
        if (n_pairs > max_pairs) return false;
        for (size_t k = 0; k < n_alive; k++) {
            if (t->near) {
                t->near[t->near_first[alive[k]]++] = block;
                t->near[t->near_first[block]++] = alive[k];
            } else {
                t->near_first[alive[k] + 1]++;
                t->near_first[block + 1]++;
            }
        }
        alive[n_alive++] = block;
    }
    return true;
}

/* *out_fits false: too many pairs for these tables. */
static ge_status find_neighbours(table *t, uint32_t effort, bool *out_fits, gei_diag *diag) {
    size_t per_block = (t->n >= MANY_BLOCKS ? PAIRS_PER_BLOCK_MANY : PAIRS_PER_BLOCK) + (effort < 1000 ? effort : 1000);
    uint32_t *alive = gei_arena_array(t->scratch, uint32_t, t->n);
    t->near_first = gei_arena_array(t->scratch, size_t, (size_t)t->n + 2);
    if (!alive || !t->near_first) return gei_out_of_memory(diag, t->n * sizeof(size_t));
    *out_fits = walk_pairs(t, alive, per_block * t->n);
    if (!*out_fits) return GE_OK;
    size_t most = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->near_first[i + 1] > most) most = t->near_first[i + 1];
        t->near_first[i + 1] += t->near_first[i];
    }
    t->spans = gei_arena_array(t->scratch, span, most);
    t->near = gei_arena_array(t->scratch, uint32_t, t->near_first[t->n]);
    if (!t->spans || !t->near) return gei_out_of_memory(diag, t->near_first[t->n] * sizeof(uint32_t));
    (void)walk_pairs(t, alive, SIZE_MAX);
    /* Writing has moved each start to the start of the next block. */
    memmove(t->near_first + 1, t->near_first, t->n * sizeof *t->near_first);
    t->near_first[0] = 0;
    return GE_OK;
}

/* ---- placing ---- */

/* The smallest hole among the placed neighbours that holds the block, else the place above all of them. */
static uint64_t best_offset(const table *t, uint32_t block) {
    size_t n = 0;
    for (size_t i = t->near_first[block]; i < t->near_first[block + 1]; i++) {
        const gei_live *other = &t->blocks[t->near[i]];
        if (other->offset_bytes != UNPLACED) t->spans[n++] = (span){ other->offset_bytes, other->offset_bytes + other->size_bytes };
    }
    sort_spans(t->spans, n);
    uint64_t size_bytes = t->blocks[block].size_bytes, free_from = 0, best = UNPLACED, best_gap = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t gap = t->spans[i].begin > free_from ? t->spans[i].begin - free_from : 0;
        if (gap >= size_bytes && gap < best_gap) {
            best = free_from;
            best_gap = gap;
        }
        if (t->spans[i].end > free_from) free_from = t->spans[i].end;
    }
    return best != UNPLACED ? best : free_from;
}

/* Places all blocks in `order`.  Gives up, with UNPLACED, as soon as the arena would be larger than `limit`. */
static uint64_t place_all(table *t, const uint32_t *order, uint64_t limit) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < t->n; i++) t->blocks[i].offset_bytes = UNPLACED;
    for (uint32_t i = 0; i < t->n; i++) {
        gei_live *block = &t->blocks[order[i]];
        block->offset_bytes = best_offset(t, order[i]);
        if (block->offset_bytes + block->size_bytes > total) total = block->offset_bytes + block->size_bytes;
        if (total > limit) return UNPLACED;
    }
    return total;
}

/* ---- search ---- */

typedef struct search {
    table *t;
    uint32_t *order;       /* the best one so far */
    uint64_t *offsets;     /* that it gave */
    uint64_t total;
    uint64_t tries;        /* left */
} search;

static uint64_t height(const table *t) {
    uint64_t top = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->blocks[i].offset_bytes + t->blocks[i].size_bytes > top) top = t->blocks[i].offset_bytes + t->blocks[i].size_bytes;
    return top;
}

static void keep(search *s, uint64_t total) {
    s->total = total;
    for (uint32_t i = 0; i < s->t->n; i++) s->offsets[i] = s->t->blocks[i].offset_bytes;
}

typedef uint64_t (*rank_fn)(const gei_live *live);

static uint64_t rank_size(const gei_live *live) { return live->size_bytes; }
static uint64_t rank_steps(const gei_live *live) { return live->end - live->first; }
static uint64_t rank_area(const gei_live *live) {
    uint64_t area;
    return __builtin_mul_overflow(live->size_bytes / GEI_ALIGN_BYTES, rank_steps(live), &area) ? UINT64_MAX : area;
}
static uint64_t rank_birth(const gei_live *live) { return UINT32_MAX - live->first; }

/* Blocks by descending rank. */
static uint32_t *order_by(const table *t, rank_fn rank, gei_diag *diag) {
    uint64_t *keys = gei_arena_array(t->scratch, uint64_t, t->n);
    for (uint32_t i = 0; keys && i < t->n; i++) keys[i] = ~rank(&t->blocks[i]);
    uint32_t *order = keys ? sort_by(keys, t->n, t->scratch) : NULL;
    if (!order) (void)gei_out_of_memory(diag, t->n * sizeof *keys);
    return order;
}

static ge_status try_orders(search *s, gei_diag *diag) {
    static const rank_fn ranks[] = { rank_area, rank_steps, rank_birth };
    for (size_t i = 0; i < GEI_COUNT(ranks) && s->tries > 0 && s->total > s->t->lower_bound; i++, s->tries--) {
        uint32_t *order = order_by(s->t, ranks[i], diag);
        if (!order) return GE_ERR_OUT_OF_MEMORY;
        uint64_t total = place_all(s->t, order, s->total - 1);
        if (total == UNPLACED) continue;
        s->order = order;
        keep(s, total);
    }
    return GE_OK;
}

/* Position in the order of the block that reaches up to the top, 0 when it is already placed first. */
static uint32_t top_position(const search *s) {
    for (uint32_t i = 0; i < s->t->n; i++) {
        uint32_t block = s->order[i];
        if (s->offsets[block] + s->t->blocks[block].size_bytes == s->total) return i;
    }
    return 0;
}

static void move_item(uint32_t *order, uint32_t from, uint32_t to) {
    uint32_t one = order[from];
    if (from > to) memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    else memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    order[to] = one;
}

/* Hill climbing: the block that defines the height is placed earlier; moves that make nothing worse are kept, so that the search
 * can cross a plateau. */
static void climb(search *s) {
    uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
    for (; s->tries > 0 && s->total > s->t->lower_bound; s->tries--) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t from = top_position(s), to;
        if (from == 0) {
            from = (uint32_t)((random >> 40) % s->t->n);
            to = (uint32_t)((random >> 16) % s->t->n);
        } else {
            to = (uint32_t)((random >> 33) % from);
        }
        move_item(s->order, from, to);
        uint64_t total = place_all(s->t, s->order, s->total);
        if (total != UNPLACED) keep(s, total);
        else move_item(s->order, to, from);
    }
}

/* Looks for placements nearer and nearer to the lower bound: first at the bound itself, then halfway. */
static ge_status search_floors(search *s, uint32_t effort, gei_diag *diag) {
    table *t = s->t;
    bool fits;
    gei_mem_floor *floors = gei_mem_floor_new(t->blocks, t->n, t->by_first, t->scratch, &fits, diag);
    if (!floors) return fits ? GE_ERR_OUT_OF_MEMORY : GE_OK;
    uint64_t *offsets = gei_arena_array(t->scratch, uint64_t, t->n);
    if (!offsets) return gei_out_of_memory(diag, t->n * sizeof *offsets);
    uint64_t all = effort * FLOOR_WORK, limit = t->lower_bound, low = t->lower_bound;
    for (uint64_t work = all / 4; s->total > low && all > 0; work = all / 3) {
        uint64_t left = work;
        if (gei_mem_floor_find(floors, limit, &left, offsets)) {
            for (uint32_t i = 0; i < t->n; i++) t->blocks[i].offset_bytes = offsets[i];
            keep(s, height(t));
        } else {
            low = limit + GEI_ALIGN_BYTES;
        }
        all -= work - left;
        if (work < FLOOR_WORK) break;
        limit = low + (s->total - low) / 2;
    }
    return GE_OK;
}

static ge_status search_order(table *t, uint32_t effort, uint64_t *out_total, gei_diag *diag) {
    search s = { .t = t, .order = order_by(t, rank_size, diag) };
    if (!s.order) return GE_ERR_OUT_OF_MEMORY;
    s.total = place_all(t, s.order, UINT64_MAX);
    *out_total = s.total;
    if (effort == 0 || s.total == t->lower_bound || t->n >= MANY_BLOCKS) return GE_OK;
    s.offsets = gei_arena_array(t->scratch, uint64_t, t->n);
    if (!s.offsets) return gei_out_of_memory(diag, t->n * sizeof *s.offsets);
    keep(&s, s.total);
    s.tries = (uint64_t)effort * SEARCH_WORK / (t->near_first[t->n] + t->n);
    if (s.tries > effort) s.tries = effort;
    GEI_TRY(try_orders(&s, diag));
    if (s.total > t->lower_bound) GEI_TRY(search_floors(&s, effort, diag));
    climb(&s);
    for (uint32_t i = 0; i < t->n; i++) t->blocks[i].offset_bytes = s.offsets[i];
    *out_total = s.total;
    return GE_OK;
}

/* ---- stagger ---- */

static bool aliases(const table *t, uint32_t block, uint64_t offset_bytes) {
    for (size_t i = t->near_first[block]; i < t->near_first[block + 1]; i++) {
        const gei_live *other = &t->blocks[t->near[i]];
        if (other->size_bytes >= PAGE_BYTES && other->offset_bytes % PAGE_BYTES == offset_bytes % PAGE_BYTES) return true;
    }
    return false;
}

/* Moves large blocks up within their hole, where one starts at the same place of a page as another that lives with it. */
static void stagger(table *t, uint64_t total) {
    for (uint32_t block = 0; block < t->n; block++) {
        gei_live *live = &t->blocks[block];
        if (live->size_bytes < PAGE_BYTES || !aliases(t, block, live->offset_bytes)) continue;
        uint64_t ceiling = total;
        for (size_t i = t->near_first[block]; i < t->near_first[block + 1]; i++) {
            uint64_t other = t->blocks[t->near[i]].offset_bytes;
            if (other > live->offset_bytes && other < ceiling) ceiling = other;
        }
        uint64_t room = ceiling - live->offset_bytes - live->size_bytes;
        for (uint64_t shift = STAGGER_BYTES; shift <= room && shift < PAGE_BYTES; shift += STAGGER_BYTES) {
            if (aliases(t, block, live->offset_bytes + shift)) continue;
            live->offset_bytes += shift;
            break;
        }
    }
}

/* ---- the whole ---- */

/* Blocks that take room, sizes aligned; index[i] is where block i stands among the lives. */
static ge_status collect(table *t, gei_live *lives, size_t count, uint32_t *index, gei_diag *diag) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        lives[i].offset_bytes = 0;
        if (lives[i].size_bytes == 0 || lives[i].first >= lives[i].end) continue;
        uint64_t size_bytes = (lives[i].size_bytes + (GEI_ALIGN_BYTES - 1)) & ~(uint64_t)(GEI_ALIGN_BYTES - 1);
        if (size_bytes < lives[i].size_bytes || __builtin_add_overflow(sum, size_bytes, &sum))
            return gei_fail(diag, GE_ERR_SIZE, "activations need more than 2^64 bytes");
        index[t->n] = (uint32_t)i;
        t->blocks[t->n++] = (gei_live){ size_bytes, 0, lives[i].first, lives[i].end };
    }
    return GE_OK;
}

ge_status gei_mem_plan(gei_live *lives, size_t count, uint32_t effort, gei_arena *scratch, uint64_t *out_total,
                       uint64_t *out_lower_bound, gei_diag *diag) {
    *out_total = *out_lower_bound = 0;
    if (count >= UINT32_MAX / 4) return gei_fail(diag, GE_ERR_LIMIT, "too many values to place: %zu", count);
    table t = { .scratch = scratch };
    t.blocks = gei_arena_array(scratch, gei_live, count);
    uint32_t *index = gei_arena_array(scratch, uint32_t, count);
    if (!t.blocks || !index) return gei_out_of_memory(diag, count * sizeof *t.blocks);
    GEI_TRY(collect(&t, lives, count, index, diag));
    if (t.n == 0) return GE_OK;
    GEI_TRY(sort_lives(&t, diag));
    find_lower_bound(&t);
    *out_lower_bound = t.lower_bound;

    bool fits = false;
    GEI_TRY(find_neighbours(&t, effort, &fits, diag));
    if (fits) {
        GEI_TRY(search_order(&t, effort, out_total, diag));
        stagger(&t, *out_total);
    } else {
        GEI_TRY(gei_mem_plan_bins(t.blocks, t.n, t.by_first, t.by_end, scratch, out_total, diag));
    }
    for (uint32_t i = 0; i < t.n; i++) lives[index[i]].offset_bytes = t.blocks[i].offset_bytes;
    return GE_OK;
}
