/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "unit/ge_test.h"

static void pushes_keep_order(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    GEI_VEC(uint32_t) ids = { 0 };
    for (uint32_t i = 0; i < 100000; i++) assert_true(gei_vec_push(&heap.from, &ids, i * 3));
    assert_int_equal(ids.count, 100000);
    for (uint32_t i = 0; i < 100000; i++) assert_int_equal(ids.items[i], i * 3);
    assert_true(atomic_load(&heap.n_allocs) < 20);
    gei_vec_free(&heap.from, &ids);
    assert_int_equal(ids.count, 0);
    gei_vec_free(&heap.from, &ids);
    ge_test_heap_check(&heap);
}

static void reserve_gives_room_at_once(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    GEI_VEC(double) v = { 0 };
    assert_true(gei_vec_reserve(&heap.from, &v, 0));
    assert_int_equal(atomic_load(&heap.n_allocs), 0);
    assert_true(gei_vec_reserve(&heap.from, &v, 1000));
    for (int i = 0; i < 1000; i++) assert_true(gei_vec_push(&heap.from, &v, i));
    assert_int_equal(atomic_load(&heap.n_allocs), 1);
    gei_vec_free(&heap.from, &v);
    ge_test_heap_check(&heap);
}

static void failed_growth_changes_nothing(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    GEI_VEC(uint64_t) v = { 0 };
    while (v.count < 8) assert_true(gei_vec_push(&heap.from, &v, v.count));
    uint64_t *items = v.items;
    ge_test_heap_fail_after(&heap, 1, true);
    assert_false(gei_vec_push(&heap.from, &v, 9u));
    volatile size_t more = SIZE_MAX - 3;
    assert_false(gei_vec_reserve(&heap.from, &v, more));
    more = SIZE_MAX / 8;
    assert_false(gei_vec_reserve(&heap.from, &v, more));
    assert_ptr_equal(v.items, items);
    assert_int_equal(v.count, 8);
    for (uint64_t i = 0; i < 8; i++) assert_int_equal(v.items[i], i);
    gei_vec_free(&heap.from, &v);
    ge_test_heap_check(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushes_keep_order),
        cmocka_unit_test(reserve_gives_room_at_once),
        cmocka_unit_test(failed_growth_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
