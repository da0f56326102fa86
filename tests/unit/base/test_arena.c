/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/bitset.h"
#include "unit/ge_test.h"

static void pieces_are_aligned_and_do_not_overlap(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_arena arena;
    gei_arena_init(&arena, &heap.from);
    enum { n_pieces = 3000 };
    unsigned char *piece[n_pieces];
    size_t size[n_pieces];
    for (size_t i = 0; i < n_pieces; i++) {
        size[i] = i * 7919 % 600;
        size_t align = (size_t)1 << (i % 9);
        piece[i] = gei_arena_alloc(&arena, size[i], align);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % align, 0);
        memset(piece[i], (int)(i & 0xFF), size[i]);
    }
    for (size_t i = 0; i < n_pieces; i++) {
        for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], i & 0xFF);
    }
    assert_int_equal(arena.total_bytes, atomic_load(&heap.live_bytes));
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
    assert_int_equal(arena.total_bytes, 0);
    assert_non_null(gei_arena_alloc(&arena, 1, 1)); /* usable again */
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
}

static void a_reset_arena_takes_no_more_than_before(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_arena arena;
    gei_arena_init(&arena, &heap.from);
    size_t first = 0;
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < 20000; i++) {
            unsigned char *piece = gei_arena_alloc(&arena, 1 + i % 300, 8);
            assert_non_null(piece);
            memset(piece, round, 1 + i % 300);
        }
        assert_non_null(gei_arena_alloc(&arena, (size_t)3 << 20, 64));
        if (round == 0) first = arena.total_bytes;
        gei_arena_reset(&arena);
#ifndef GEI_ARENA_MALLOC
        assert_int_equal(arena.total_bytes, first);
#else
        assert_int_equal(arena.total_bytes, 0);
#endif
    }
    (void)first;
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
}

static void large_piece_leaves_the_current_block_in_use(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_arena arena;
    gei_arena_init(&arena, &heap.from);
    char *a = gei_arena_alloc(&arena, 8, 8);
    assert_non_null(gei_arena_alloc(&arena, (size_t)5 << 20, 64));
    char *b = gei_arena_alloc(&arena, 8, 8);
#ifndef GEI_ARENA_MALLOC
    assert_ptr_equal(b, a + 8);
#endif
    assert_non_null(a);
    assert_non_null(b);
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
}

static void small_pieces_need_few_blocks(void **state) {
    (void)state;
#ifndef GEI_ARENA_MALLOC
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_arena arena;
    gei_arena_init(&arena, &heap.from);
    for (int i = 0; i < 1000000; i++) assert_non_null(gei_arena_alloc(&arena, 16, 8));
    assert_true(atomic_load(&heap.n_allocs) < 30);
    assert_true(arena.total_bytes < (size_t)18 << 20);
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
#endif
}

static void copies_and_arrays(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_arena arena;
    gei_arena_init(&arena, &heap.from);
    assert_string_equal(gei_arena_text(&arena, "abcdef", 3), "abc");
    assert_string_equal(gei_arena_text(&arena, NULL, 0), "");
    assert_memory_equal(gei_arena_copy(&arena, "12345", 5, 1), "12345", 5);
    uint64_t *numbers = gei_arena_array(&arena, uint64_t, 100);
    for (int i = 0; i < 100; i++) assert_int_equal(numbers[i], 0);
    volatile size_t n = SIZE_MAX / 4;
    assert_null(gei_arena_array(&arena, uint64_t, n));
    assert_null(gei_arena_alloc(&arena, SIZE_MAX, 1));
    assert_null(gei_arena_text(&arena, "", SIZE_MAX));
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
}

static void bitset_bits_are_independent(void **state) {
    (void)state;
    gei_arena arena;
    gei_arena_init(&arena, &gei_heap);
    uint64_t *bits = gei_bits_new(&arena, 130);
    for (size_t i = 0; i < 130; i += 3) gei_bits_set(bits, i);
    for (size_t i = 0; i < 130; i++) assert_int_equal(gei_bits_get(bits, i), i % 3 == 0);
    gei_bits_unset(bits, 129);
    assert_false(gei_bits_get(bits, 129));
    assert_true(gei_bits_get(bits, 126));
    gei_arena_deinit(&arena);
}

static ge_status fill(const gei_allocator *from, void *arg) {
    (void)arg;
    gei_arena arena;
    gei_arena_init(&arena, from);
    ge_status status = GE_OK;
    for (size_t i = 0; i < 40 && status == GE_OK; i++) {
        if (!gei_arena_zero(&arena, i * 500, 8)) status = GE_ERR_OUT_OF_MEMORY;
    }
    gei_arena_deinit(&arena);
    return status;
}

static void each_failing_allocation_is_reported(void **state) {
    (void)state;
    ge_test_each_allocation_fails(fill, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_do_not_overlap),
        cmocka_unit_test(a_reset_arena_takes_no_more_than_before),
        cmocka_unit_test(large_piece_leaves_the_current_block_in_use),
        cmocka_unit_test(small_pieces_need_few_blocks),
        cmocka_unit_test(copies_and_arrays),
        cmocka_unit_test(bitset_bits_are_independent),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
