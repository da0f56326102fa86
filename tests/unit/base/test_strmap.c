/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/strmap.h"
#include "unit/ge_test.h"

static void put_find_replace_remove(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_strmap map;
    gei_strmap_init(&map, &heap.from);
    uint64_t value = 99;
    assert_false(gei_strmap_find(&map, "a", 1, &value));
    assert_false(gei_strmap_remove(&map, "a", 1));
    assert_int_equal(value, 99);
    assert_true(gei_strmap_put(&map, "a", 1, 1));
    assert_true(gei_strmap_put(&map, "ab", 2, 2));
    assert_true(gei_strmap_put(&map, "", 0, 3));
    assert_true(gei_strmap_put(&map, "a\0b", 3, 4)); /* zeros are bytes like others */
    assert_int_equal(map.count, 4);
    assert_true(gei_strmap_find(&map, "ab", 1, &value));
    assert_int_equal(value, 1);
    assert_true(gei_strmap_find(&map, NULL, 0, &value));
    assert_int_equal(value, 3);
    assert_true(gei_strmap_put(&map, "a", 1, 10));
    assert_int_equal(map.count, 4);
    assert_true(gei_strmap_find(&map, "a", 1, &value));
    assert_int_equal(value, 10);
    assert_true(gei_strmap_find(&map, "a\0b", 3, NULL));
    assert_true(gei_strmap_remove(&map, "a", 1));
    assert_false(gei_strmap_find(&map, "a", 1, NULL));
    assert_true(gei_strmap_find(&map, "ab", 2, NULL));
    assert_int_equal(map.count, 3);
    gei_strmap_deinit(&map);
    gei_strmap_deinit(&map);
    ge_test_heap_check(&heap);
}

static void claim_takes_the_lasting_key(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_strmap map;
    gei_strmap_init(&map, &heap.from);
    char passing[] = "node";
    const char **key;
    uint64_t value = 0;
    assert_true(gei_strmap_reserve(&map, 100));
    size_t cap = map.cap;
    assert_true(gei_strmap_claim(&map, passing, 4, 7, &key));
    assert_non_null(key);
    *key = "node";
    passing[0] = 'x'; /* no longer read */
    assert_true(gei_strmap_find(&map, "node", 4, &value));
    assert_int_equal(value, 7);
    assert_true(gei_strmap_claim(&map, "node", 4, 8, &key));
    assert_null(key);
    assert_true(gei_strmap_find(&map, "node", 4, &value));
    assert_int_equal(value, 7);
    assert_true(gei_strmap_remove(&map, "node", 4));
    assert_true(gei_strmap_claim(&map, "node", 4, 9, &key));
    assert_non_null(key);
    *key = "node";
    static char keys[99][8];
    for (size_t i = 0; i < 98; i++) {
        int size = snprintf(keys[i], sizeof keys[i], "%zu", i);
        assert_true(gei_strmap_put(&map, keys[i], (size_t)size, i));
    }
    assert_int_equal(map.count, 99);
    assert_int_equal(map.cap, cap); /* room was there */
    assert_false(gei_strmap_reserve(&map, SIZE_MAX));
    assert_false(gei_strmap_reserve(&map, UINT32_MAX));
    assert_true(gei_strmap_find(&map, "node", 4, &value));
    assert_int_equal(value, 9);
    gei_strmap_deinit(&map);
    ge_test_heap_check(&heap);
}

static void a_copy_has_the_keys_and_may_own_them(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_strmap map, copy, none;
    static char keys[50][8], own[50][8];
    uint64_t value;
    gei_strmap_init(&map, &heap.from);
    gei_strmap_init(&copy, &heap.from);
    gei_strmap_init(&none, &heap.from);
    assert_true(gei_strmap_copy(&copy, &none));
    assert_int_equal(copy.count, 0);
    for (size_t i = 0; i < 50; i++) {
        int size = snprintf(keys[i], sizeof keys[i], "k%zu", i);
        memcpy(own[i], keys[i], sizeof own[i]);
        assert_true(gei_strmap_put(&map, keys[i], (size_t)size, 49 - i));
    }
    assert_true(gei_strmap_copy(&copy, &map));
    for (size_t i = 0; i < 50; i++) {
        const char **key = gei_strmap_key(&copy, i, &value);
        assert_ptr_equal(*key, keys[i]);
        assert_int_equal(value, 49 - i);
        *key = own[i];
    }
    gei_strmap_deinit(&map);
    memset(keys, 0, sizeof keys);
    for (size_t i = 0; i < 50; i++) {
        assert_true(gei_strmap_find(&copy, own[i], strlen(own[i]), &value));
        assert_int_equal(value, 49 - i);
    }
    assert_true(gei_strmap_remove(&copy, "k7", 2));
    assert_true(gei_strmap_put(&copy, "new", 3, 1));
    assert_int_equal(copy.count, 50);
    gei_strmap_deinit(&copy);
    gei_strmap_deinit(&none);
    ge_test_heap_check(&heap);
}

enum { n_many = 1000000, key_bytes = 16 };

static void a_million_keys(void **state) {
    (void)state;
    gei_strmap map;
    gei_strmap_init(&map, &gei_heap);
    char *keys = malloc((size_t)n_many * key_bytes);
    assert_non_null(keys);
    for (size_t i = 0; i < n_many; i++) {
        char *key = keys + i * key_bytes;
        snprintf(key, key_bytes, "node_%zu", i);
        assert_true(gei_strmap_put(&map, key, strlen(key), i));
    }
    for (size_t i = 0; i < n_many; i += 2) {
        char *key = keys + i * key_bytes;
        assert_true(gei_strmap_remove(&map, key, strlen(key)));
    }
    assert_int_equal(map.count, n_many / 2);
    for (size_t i = 0; i < n_many; i++) {
        uint64_t value = 0;
        const char *key = keys + i * key_bytes;
        assert_int_equal(gei_strmap_find(&map, key, strlen(key), &value), i % 2 == 1);
        if (i % 2 == 1) assert_int_equal(value, i);
    }
    gei_strmap_deinit(&map);
    free(keys);
}

static void removed_keys_do_not_pile_up(void **state) {
    (void)state;
    gei_strmap map;
    gei_strmap_init(&map, &gei_heap);
    static char keys[1000][key_bytes];
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 1000; i++) {
            int size = snprintf(keys[i], key_bytes, "%d.%d", round, i);
            assert_true(gei_strmap_put(&map, keys[i], (size_t)size, (uint64_t)i));
            assert_true(gei_strmap_remove(&map, keys[i], (size_t)size));
        }
    }
    assert_int_equal(map.count, 0);
    assert_true(map.cap <= 64);
    gei_strmap_deinit(&map);
}

static void hash_depends_on_every_bit_and_the_seed(void **state) {
    (void)state;
    unsigned char bytes[70] = { 0 };
    for (size_t size = 0; size <= sizeof bytes; size++) {
        uint64_t plain = gei_hash_bytes(bytes, size, 1);
        assert_int_not_equal(plain, gei_hash_bytes(bytes, size, 2));
        if (size > 0) assert_int_not_equal(plain, gei_hash_bytes(bytes, size - 1, 1));
        for (size_t bit = 0; bit < size * 8; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            int n_changed = __builtin_popcountll(plain ^ gei_hash_bytes(bytes, size, 1));
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_in_range(n_changed, 8, 56);
        }
    }
}

static ge_status fill(const gei_allocator *from, void *arg) {
    (void)arg;
    static char keys[200][key_bytes];
    gei_strmap map;
    gei_strmap_init(&map, from);
    ge_status status = GE_OK;
    size_t n_put = 0;
    for (; n_put < 200; n_put++) {
        int size = snprintf(keys[n_put], key_bytes, "k%zu", n_put);
        if (!gei_strmap_put(&map, keys[n_put], (size_t)size, n_put)) {
            status = GE_ERR_OUT_OF_MEMORY;
            break;
        }
    }
    assert_int_equal(map.count, n_put);
    for (size_t i = 0; i < n_put; i++) assert_true(gei_strmap_find(&map, keys[i], strlen(keys[i]), NULL));
    gei_strmap_deinit(&map);
    return status;
}

static void failed_growth_keeps_all_keys(void **state) {
    (void)state;
    ge_test_each_allocation_fails(fill, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_find_replace_remove),
        cmocka_unit_test(claim_takes_the_lasting_key),
        cmocka_unit_test(a_copy_has_the_keys_and_may_own_them),
        cmocka_unit_test(a_million_keys),
        cmocka_unit_test(removed_keys_do_not_pile_up),
        cmocka_unit_test(hash_depends_on_every_bit_and_the_seed),
        cmocka_unit_test(failed_growth_keeps_all_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
