/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/ge_test.h"

#include <time.h>

#include "plan/mem_floor.h"

typedef struct result {
    uint64_t total, lower_bound;
} result;

static result plan(gei_live *lives, size_t count, uint32_t effort) {
    gei_arena scratch;
    gei_diag diag = { 0 };
    result r = { 0, 0 };
    gei_arena_init(&scratch, &gei_heap);
    assert_ok(gei_mem_plan(lives, count, effort, &scratch, &r.total, &r.lower_bound, &diag), &diag);
    gei_arena_deinit(&scratch);
    return r;
}

static bool takes_room(const gei_live *l) { return l->size_bytes > 0 && l->first < l->end; }

static void check_no_overlap(const gei_live *lives, size_t count, result r) {
    for (size_t i = 0; i < count; i++) {
        const gei_live *a = &lives[i];
        if (!takes_room(a)) continue;
        assert_int_equal(a->offset_bytes % GEI_ALIGN_BYTES, 0);
        assert_true(a->offset_bytes + a->size_bytes <= r.total);
        for (size_t k = 0; k < i; k++) {
            const gei_live *b = &lives[k];
            bool together = takes_room(b) && a->first < b->end && b->first < a->end;
            bool same_bytes = a->offset_bytes < b->offset_bytes + b->size_bytes && b->offset_bytes < a->offset_bytes + a->size_bytes;
            if (together && same_bytes) fail_msg("blocks %zu and %zu overlap", i, k);
        }
    }
    assert_true(r.total >= r.lower_bound);
}

static uint64_t seed;
static uint32_t rnd(uint32_t below) {
    seed = seed * UINT64_C(6364136223846793005) + 1;
    return (uint32_t)((seed >> 33) % below);
}

static void random_lives(gei_live *lives, size_t count, uint32_t n_steps, uint32_t longest) {
    for (size_t i = 0; i < count; i++) {
        uint32_t first = rnd(n_steps);
        lives[i] = (gei_live){ rnd(4) ? rnd(1u << (1 + rnd(20))) : 0, 7, first, first + rnd(longest + 1) };
    }
}

static void nothing_to_place_takes_no_room(void **state) {
    (void)state;
    gei_live lives[] = { { 0, 9, 0, 5 }, { 64, 9, 3, 3 } };
    result r = plan(NULL, 0, 10);
    assert_int_equal(r.total, 0);
    r = plan(lives, 2, 10);
    assert_int_equal(r.total, 0);
    assert_int_equal(r.lower_bound, 0);
    assert_int_equal(lives[0].offset_bytes, 0);
}

static void dead_blocks_give_their_room_to_later_ones(void **state) {
    (void)state;
    gei_live chain[] = { { 100, 0, 0, 2 }, { 100, 0, 1, 3 }, { 100, 0, 2, 4 }, { 100, 0, 3, 5 } };
    result r = plan(chain, 4, 0);
    assert_int_equal(r.total, 256);
    assert_int_equal(r.lower_bound, 256);
    assert_int_equal(chain[0].offset_bytes, chain[2].offset_bytes);
}

static void a_block_that_ends_where_another_begins_may_share(void **state) {
    (void)state;
    gei_live lives[] = { { 64, 0, 0, 1 }, { 64, 0, 1, 2 }, { 64, 0, 2, UINT32_MAX } };
    assert_int_equal(plan(lives, 3, 0).total, 64);
}

static void best_fit_takes_the_smallest_hole(void **state) {
    (void)state;
    /* When the last one comes, two holes lie between the three that live long. */
    gei_live lives[] = { { 1024, 0, 0, 9 }, { 512, 0, 0, 2 }, { 448, 0, 0, 9 }, { 384, 0, 0, 2 }, { 320, 0, 0, 9 }, { 300, 0, 4, 6 } };
    result r = plan(lives, GEI_COUNT(lives), 0);
    check_no_overlap(lives, GEI_COUNT(lives), r);
    assert_int_equal(r.total, r.lower_bound);
    assert_int_equal(lives[5].offset_bytes, lives[3].offset_bytes);
}

static void random_lives_never_overlap(void **state) {
    (void)state;
    enum { MAX = 400 };
    gei_live lives[MAX];
    seed = 1;
    for (int round = 0; round < 300; round++) {
        size_t count = 1 + rnd(MAX - 1);
        random_lives(lives, count, 1 + rnd(200), rnd(2) ? 5 : 60);
        check_no_overlap(lives, count, plan(lives, count, rnd(3) * 20));
    }
}

static void crowded_lives_never_overlap(void **state) {
    (void)state;
    /* So many at a time that the cheap method places them. */
    enum { COUNT = 1500 };
    static gei_live lives[COUNT];
    seed = 2;
    for (int round = 0; round < 5; round++) {
        random_lives(lives, COUNT, 1000, 900);
        check_no_overlap(lives, COUNT, plan(lives, COUNT, 0));
    }
}

static void the_cheap_method_reuses_and_joins_holes(void **state) {
    (void)state;
    gei_live lives[] = { { 64, 0, 0, 1 }, { 64, 0, 0, 1 }, { 64, 0, 0, 9 }, { 128, 0, 1, 2 }, { 64, 0, 2, 3 }, { 256, 0, 3, 4 } };
    uint32_t by_first[] = { 0, 1, 2, 3, 4, 5 }, by_end[] = { 0, 1, 3, 4, 5, 2 };
    gei_arena scratch;
    uint64_t total;
    gei_arena_init(&scratch, &gei_heap);
    assert_ok(gei_mem_plan_bins(lives, 6, by_first, by_end, &scratch, &total, NULL), NULL);
    assert_int_equal(lives[3].offset_bytes, 0);          /* the two first ones joined */
    assert_int_equal(lives[4].offset_bytes, 0);
    assert_int_equal(lives[5].offset_bytes, 192);        /* fits below no hole */
    assert_int_equal(total, 192 + 256);
    gei_arena_deinit(&scratch);
}

static void the_same_lives_give_the_same_offsets(void **state) {
    (void)state;
    enum { COUNT = 300 };
    gei_live one[COUNT], two[COUNT];
    seed = 3;
    random_lives(one, COUNT, 100, 20);
    memcpy(two, one, sizeof one);
    result a = plan(one, COUNT, 50), b = plan(two, COUNT, 50);
    assert_int_equal(a.total, b.total);
    assert_memory_equal(one, two, sizeof one);
}

static void effort_never_makes_it_worse_and_often_better(void **state) {
    (void)state;
    enum { COUNT = 120 };
    gei_live lives[COUNT], copy[COUNT];
    uint64_t sum_plain = 0, sum_searched = 0, sum_bound = 0;
    seed = 4;
    for (int round = 0; round < 40; round++) {
        random_lives(lives, COUNT, 60, 12);
        memcpy(copy, lives, sizeof copy);
        result plain = plan(lives, COUNT, 0), searched = plan(copy, COUNT, 200);
        check_no_overlap(copy, COUNT, searched);
        assert_true(searched.total <= plain.total);
        sum_plain += plain.total;
        sum_searched += searched.total;
        sum_bound += searched.lower_bound;
    }
    print_message("over the lower bound: first placement %.2f %%, searched %.2f %%\n",
                  100.0 * (double)sum_plain / (double)sum_bound - 100, 100.0 * (double)sum_searched / (double)sum_bound - 100);
    assert_true(sum_searched < sum_plain);
    assert_true((double)sum_searched < 1.02 * (double)sum_bound);
}

/* Cuts the rectangle of steps [first, end) and heights of `units` into blocks that fill it: the bound can be reached. */
static size_t cut_rectangle(gei_live *lives, uint32_t first, uint32_t end, uint32_t units, uint32_t pieces) {
    if (pieces == 1 || (end - first < 2 && units < 2)) {
        lives[0] = (gei_live){ (uint64_t)units * GEI_ALIGN_BYTES, 0, first, end };
        return 1;
    }
    uint32_t some = 1 + rnd(pieces - 1);
    bool in_time = end - first >= 2 && (units < 2 || rnd(2));
    uint32_t at = in_time ? first + 1 + rnd(end - first - 1) : 1 + rnd(units - 1);
    size_t n = in_time ? cut_rectangle(lives, first, at, units, some) : cut_rectangle(lives, first, end, at, some);
    return n + (in_time ? cut_rectangle(lives + n, at, end, units, pieces - some)
                        : cut_rectangle(lives + n, first, end, units - at, pieces - some));
}

static void shuffle(gei_live *lives, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t k = rnd((uint32_t)i);
        gei_live swap = lives[i - 1];
        lives[i - 1] = lives[k];
        lives[k] = swap;
    }
}

static void perfect_packings_are_found(void **state) {
    (void)state;
    enum { PIECES = 40, ROUNDS = 30, UNITS = 1000 };
    gei_live lives[PIECES], copy[PIECES];
    int found = 0, found_greedy = 0;
    seed = 8;
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = cut_rectangle(lives, 0, 200, UNITS, PIECES);
        shuffle(lives, n);
        memcpy(copy, lives, sizeof copy);
        result r = plan(lives, n, 500);
        check_no_overlap(lives, n, r);
        assert_int_equal(r.lower_bound, UNITS * GEI_ALIGN_BYTES);
        found += r.total == r.lower_bound;
        found_greedy += plan(copy, n, 0).total == r.lower_bound;
    }
    print_message("perfect packings of %d blocks: %d of %d found, %d of them at first\n", PIECES, found, ROUNDS, found_greedy);
    assert_true(found >= ROUNDS * 9 / 10);
}

/* The least height of all that is below `best`: every order, each block on its floor. */
static uint64_t least_height(gei_live *lives, uint32_t n, uint32_t placed, uint64_t height, uint64_t best) {
    if (height >= best || placed == n) return height < best ? height : best;
    for (uint32_t i = placed; i < n; i++) {
        gei_live one = lives[i];
        one.offset_bytes = 0;
        for (uint32_t k = 0; k < placed; k++) {
            const gei_live *o = &lives[k];
            bool together = o->first < one.end && one.first < o->end;
            if (together && o->offset_bytes + o->size_bytes > one.offset_bytes) one.offset_bytes = o->offset_bytes + o->size_bytes;
        }
        lives[i] = lives[placed];
        lives[placed] = one;
        uint64_t top = one.offset_bytes + one.size_bytes;
        best = least_height(lives, n, placed + 1, top > height ? top : height, best);
        lives[placed] = lives[i];
        lives[i] = one;
    }
    return best;
}

/* lives are in the order of their births. */
static void check_least(gei_live *lives, uint32_t n, uint64_t least) {
    uint32_t by_first[16];
    uint64_t offsets[16], work = 1000000;
    bool fits;
    gei_arena scratch;
    gei_arena_init(&scratch, &gei_heap);
    for (uint32_t i = 0; i < n; i++) by_first[i] = i;
    gei_mem_floor *search = gei_mem_floor_new(lives, n, by_first, &scratch, &fits, NULL);
    assert_non_null(search);
    assert_true(gei_mem_floor_find(search, least, &work, offsets));
    for (uint32_t i = 0; i < n; i++) lives[i].offset_bytes = offsets[i];
    check_no_overlap(lives, n, (result){ least, 0 });
    assert_false(gei_mem_floor_find(search, least - GEI_ALIGN_BYTES, &work, offsets));
    assert_true(work > 0); /* proved, not given up */
    work = 0;
    assert_false(gei_mem_floor_find(search, least, &work, offsets));
    gei_arena_deinit(&scratch);
}

static void the_floor_search_finds_the_least_height_and_proves_it(void **state) {
    (void)state;
    enum { N = 7, ROUNDS = 60, UNIT = GEI_ALIGN_BYTES };
    seed = 9;
    for (int round = 0; round < ROUNDS; round++) {
        gei_live lives[N], copy[N];
        for (uint32_t i = 0, at = 0; i < N; i++, at += rnd(3))
            lives[i] = (gei_live){ UNIT * (uint64_t)(1 + rnd(9)), 0, at, at + 1 + rnd(4) };
        memcpy(copy, lives, sizeof copy);
        check_least(lives, N, least_height(copy, N, 0, 0, UINT64_MAX));
    }
    /* No step has more than 7 units alive, yet they need 8. */
    gei_live gap[] = { { 2 * UNIT, 0, 0, 3 }, { 2 * UNIT, 0, 1, 8 }, { 2 * UNIT, 0, 2, 6 },  { 1 * UNIT, 0, 2, 5 },
                       { 1 * UNIT, 0, 3, 7 }, { 1 * UNIT, 0, 4, 9 }, { 1 * UNIT, 0, 5, 10 }, { 1 * UNIT, 0, 6, 8 },
                       { 2 * UNIT, 0, 7, 11 }, { 2 * UNIT, 0, 8, 16 }, { 2 * UNIT, 0, 9, 14 } };
    gei_live copy[GEI_COUNT(gap)];
    memcpy(copy, gap, sizeof copy);
    assert_int_equal(least_height(copy, GEI_COUNT(gap), 0, 0, 9 * UNIT), 8 * UNIT);
    check_least(gap, GEI_COUNT(gap), 8 * UNIT);
    assert_int_equal(plan(gap, GEI_COUNT(gap), 10).lower_bound, 7 * UNIT);
}

static void the_floor_search_leaves_too_many_blocks_alone(void **state) {
    (void)state;
    static gei_live many[GEI_MEM_FLOOR_BLOCKS + 1];
    bool fits = true;
    gei_arena scratch;
    gei_arena_init(&scratch, &gei_heap);
    assert_null(gei_mem_floor_new(many, GEI_MEM_FLOOR_BLOCKS + 1, NULL, &scratch, &fits, NULL));
    assert_false(fits);
    gei_arena_deinit(&scratch);
}

static void sizes_beyond_memory_are_an_error(void **state) {
    (void)state;
    gei_live huge[] = { { UINT64_MAX - 3, 0, 0, 1 } }, two[] = { { UINT64_C(1) << 63, 0, 0, 1 }, { UINT64_C(1) << 63, 0, 0, 1 } };
    gei_arena scratch;
    gei_diag diag = { 0 };
    uint64_t total, bound;
    gei_arena_init(&scratch, &gei_heap);
    assert_fails_with(gei_mem_plan(huge, 1, 0, &scratch, &total, &bound, &diag), &diag, "2^64");
    assert_fails_with(gei_mem_plan(two, 2, 0, &scratch, &total, &bound, &diag), &diag, "2^64");
    gei_arena_deinit(&scratch);
}

static void large_blocks_are_staggered_within_a_page_where_room_is_free(void **state) {
    (void)state;
    /* The third leaves a hole in which the fourth may slide. */
    gei_live lives[] = { { 4096, 0, 0, 3 }, { 16384, 0, 0, 1 }, { 4096, 0, 1, 3 } };
    result r = plan(lives, 3, 0);
    check_no_overlap(lives, 3, r);
    assert_int_equal(r.total, r.lower_bound);
    assert_int_not_equal(lives[0].offset_bytes % 4096, lives[2].offset_bytes % 4096);
}

static double seconds_for_chain(size_t count) {
    gei_live *lives = malloc(count * sizeof *lives);
    assert_non_null(lives);
    seed = 5;
    for (size_t i = 0; i < count; i++) lives[i] = (gei_live){ 64 + rnd(100000), 0, (uint32_t)i, (uint32_t)i + 2 + rnd(3) };
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    result r = plan(lives, count, 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert_true(r.total >= r.lower_bound && r.total < 2 * r.lower_bound);
    free(lives);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

static void a_million_blocks_are_placed(void **state) {
    (void)state;
    for (size_t count = 10000; count <= 1000000; count *= 10) {
        double s = seconds_for_chain(count);
        print_message("%zu blocks: %.0f ns a block\n", count, 1e9 * s / (double)count);
    }
}

static ge_status scenario(const gei_allocator *from, void *arg) {
    gei_arena scratch;
    uint64_t total, bound;
    gei_live *lives = arg, copy[200];
    memcpy(copy, lives, sizeof copy);
    gei_arena_init(&scratch, from);
    ge_status st = gei_mem_plan(copy, 200, 20, &scratch, &total, &bound, NULL);
    gei_arena_deinit(&scratch);
    return st;
}

static void each_refused_allocation_is_an_error(void **state) {
    (void)state;
    gei_live lives[200];
    seed = 6;
    random_lives(lives, 200, 80, 10);
    ge_test_each_allocation_fails(scenario, lives);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_place_takes_no_room),
        cmocka_unit_test(dead_blocks_give_their_room_to_later_ones),
        cmocka_unit_test(a_block_that_ends_where_another_begins_may_share),
        cmocka_unit_test(best_fit_takes_the_smallest_hole),
        cmocka_unit_test(random_lives_never_overlap),
        cmocka_unit_test(crowded_lives_never_overlap),
        cmocka_unit_test(the_cheap_method_reuses_and_joins_holes),
        cmocka_unit_test(the_same_lives_give_the_same_offsets),
        cmocka_unit_test(effort_never_makes_it_worse_and_often_better),
        cmocka_unit_test(perfect_packings_are_found),
        cmocka_unit_test(the_floor_search_finds_the_least_height_and_proves_it),
        cmocka_unit_test(the_floor_search_leaves_too_many_blocks_alone),
        cmocka_unit_test(sizes_beyond_memory_are_an_error),
        cmocka_unit_test(large_blocks_are_staggered_within_a_page_where_room_is_free),
        cmocka_unit_test(a_million_blocks_are_placed),
        cmocka_unit_test(each_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
