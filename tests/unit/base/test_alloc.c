/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/ge_test.h"

static void heap_gives_aligned_memory(void **state) {
    (void)state;
    for (size_t align = 1; align <= 4096; align *= 2) {
        for (size_t size = 0; size < 5000; size = size * 3 + 1) {
            unsigned char *p = gei_alloc(&gei_heap, size, align);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % align, 0);
            memset(p, 1, size);
            gei_free(&gei_heap, p, size, align);
        }
    }
}

static void large_memory_starts_at_a_huge_page(void **state) {
    (void)state;
    size_t size = ((size_t)4 << 20) + 12345;
    unsigned char *p = gei_alloc(&gei_heap, size, 64);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % ((size_t)2 << 20), 0);
    memset(p, 1, size);
    gei_free(&gei_heap, p, size, 64);
}

static void size_zero_gives_unique_pointers(void **state) {
    (void)state;
    void *a = gei_alloc(&gei_heap, 0, 0);
    void *b = gei_alloc(&gei_heap, 0, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    gei_free(&gei_heap, a, 0, 0);
    gei_free(&gei_heap, b, 0, 0);
    gei_free(&gei_heap, NULL, 10, 0);
}

static void absurd_size_is_refused(void **state) {
    (void)state;
    volatile size_t size = SIZE_MAX - 5;
    assert_null(gei_alloc(&gei_heap, size, 0));
    assert_null(gei_alloc(&gei_heap, size, 4096));
}

static void zero_clears(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    unsigned char *p = gei_alloc_zero(&heap.from, 100, 32);
    for (int i = 0; i < 100; i++) assert_int_equal(p[i], 0);
    gei_free(&heap.from, p, 100, 32);
    ge_test_heap_check(&heap);
}

static bool can_alloc(void) {
    void *p = gei_alloc(&gei_heap, 10, 0);
    gei_free(&gei_heap, p, 10, 0);
    return p != NULL;
}

static void fault_injection_fails_the_nth(void **state) {
    (void)state;
    uint64_t before = gei_heap_alloc_count();
    gei_heap_fail_after(3, false);
    assert_true(can_alloc());
    assert_true(can_alloc());
    assert_false(can_alloc());
    assert_true(can_alloc());
    gei_heap_fail_after(2, true);
    assert_true(can_alloc());
    assert_false(can_alloc());
    assert_false(can_alloc());
    gei_heap_fail_after(0, false);
    assert_true(can_alloc());
    assert_int_equal(gei_heap_alloc_count() - before, 8);
}

static void checked_arithmetic_stops_at_overflow(void **state) {
    (void)state;
    size_t n = 7;
    assert_false(gei_mul(SIZE_MAX / 2, 3, &n));
    assert_false(gei_add(SIZE_MAX, 1, &n));
    assert_int_equal(n, 7);
    assert_true(gei_mul(6, 7, &n));
    assert_int_equal(n, 42);
    int64_t i = 7;
    assert_false(gei_mul_i64(INT64_MIN, -1, &i));
    assert_false(gei_add_i64(INT64_MAX, 1, &i));
    assert_true(gei_mul_i64(-6, 7, &i));
    assert_int_equal(i, -42);
    assert_int_equal(gei_round_up(65, 64), 128);
    assert_int_equal(gei_round_up(64, 64), 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_gives_aligned_memory),
        cmocka_unit_test(large_memory_starts_at_a_huge_page),
        cmocka_unit_test(size_zero_gives_unique_pointers),
        cmocka_unit_test(absurd_size_is_refused),
        cmocka_unit_test(zero_clears),
        cmocka_unit_test(fault_injection_fails_the_nth),
        cmocka_unit_test(checked_arithmetic_stops_at_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
