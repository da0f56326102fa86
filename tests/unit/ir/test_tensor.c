/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>

#include "ir/half.h"
#include "ir/tensor.h"
#include "unit/ge_test.h"

static const int64_t two_three[] = { 2, 3 };

static void count_release(void *user) { ++*(int *)user; }

static void created_memory_is_aligned_and_sized(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_diag diag = { 0 };
    gei_tensor *t;
    assert_ok(gei_tensor_create(&heap.from, GEI_FLOAT32, 2, two_three, &t, &diag), &diag);
    assert_int_equal((uintptr_t)t->data % GEI_ALIGN_BYTES, 0);
    assert_int_equal(t->size_bytes, 24);
    assert_int_equal(t->n_elems, 6);
    assert_true(t->owned && !t->read_only);
    memset(t->data, 0, t->size_bytes);
    assert_ptr_equal(gei_tensor_retain(t), t);
    gei_tensor_release(t);
    assert_int_equal(gei_tensor_shape(t).dims[1], 3);
    gei_tensor_release(t);
    gei_tensor_release(NULL);
    assert_null(gei_tensor_retain(NULL));
    assert_ok(gei_tensor_create(&heap.from, GEI_INT4, 0, NULL, &t, &diag), &diag);
    assert_int_equal(t->size_bytes, 1);
    gei_tensor_release(t);
    assert_ok(gei_tensor_create(&heap.from, GEI_INT8, 1, (int64_t[]){ 0 }, &t, &diag), &diag);
    assert_int_equal(t->size_bytes, 0);
    gei_tensor_release(t);
    ge_test_heap_check(&heap);
}

static void measuring_names_what_is_wrong(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    int64_t n;
    size_t bytes;
    assert_fails_with(gei_tensor_measure(GEI_INT8, 9, two_three, &n, &bytes, &diag), &diag, "rank 9");
    assert_fails_with(gei_tensor_measure(GEI_INT8, -1, two_three, &n, &bytes, &diag), &diag, "rank -1");
    assert_fails_with(gei_tensor_measure(GEI_INT8, 2, (int64_t[]){ 2, -1 }, &n, &bytes, &diag), &diag, "dim 1 is -1");
    assert_fails_with(gei_tensor_measure(GEI_INT8, 2, (int64_t[]){ INT64_MAX, 2 }, &n, &bytes, &diag), &diag, "element count");
    assert_fails_with(gei_tensor_measure(GEI_INT64, 1, (int64_t[]){ INT64_MAX }, &n, &bytes, &diag), &diag, "byte size");
    assert_fails_with(gei_tensor_measure(GEI_STRING, 2, two_three, &n, &bytes, &diag), &diag, "string");
    assert_fails_with(gei_tensor_measure(4711, 2, two_three, &n, &bytes, &diag), &diag, "4711");
    assert_ok(gei_tensor_measure(GEI_UINT1, 2, two_three, &n, &bytes, &diag), &diag);
    assert_true(n == 6 && bytes == 1);
}

static void wrapped_memory_is_released_once(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_diag diag = { 0 };
    gei_tensor *t;
    int released = 0;
    float data[6] = { 1, 2, 3, 4, 5, 6 };
    assert_ok(gei_tensor_wrap(&heap.from, GEI_FLOAT32, 2, two_three, data, sizeof data, true, count_release, &released, &t, &diag), &diag);
    assert_ptr_equal(t->data, data);
    assert_true(t->read_only && !gei_tensor_put_f64(t, 0, 1));
    gei_tensor_retain(t);
    gei_tensor_release(t);
    assert_int_equal(released, 0);
    gei_tensor_release(t);
    assert_int_equal(released, 1);
    assert_fails_with(gei_tensor_wrap(&heap.from, GEI_FLOAT32, 2, two_three, data, 20, true, count_release, &released, &t, &diag), &diag,
                      "20 bytes, its shape needs 24");
    assert_fails_with(gei_tensor_wrap(&heap.from, GEI_FLOAT32, 2, two_three, NULL, 24, true, count_release, &released, &t, &diag), &diag, "NULL");
    ge_test_heap_fail_after(&heap, 1, false);
    assert_fails_with(gei_tensor_wrap(&heap.from, GEI_FLOAT32, 2, two_three, data, 24, true, count_release, &released, &t, &diag), &diag, "memory");
    assert_int_equal(released, 1);
    ge_test_heap_check(&heap);
}

static void strings_are_copied_and_checked(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_diag diag = { 0 };
    gei_tensor *t, *copy;
    const char *texts[] = { "one", NULL, "a\0b" }, *at;
    size_t sizes[] = { 3, 0, 3 }, size;
    int64_t dims[] = { 3 };
    assert_ok(gei_tensor_strings(&heap.from, 1, dims, texts, sizes, &t, &diag), &diag);
    assert_int_equal(t->size_bytes, 4 * 8 + 6);
    assert_true(gei_tensor_string_at(t, 2, &at, &size));
    assert_true(size == 3 && memcmp(at, "a\0b", 3) == 0);
    assert_true(gei_tensor_string_at(t, 1, &at, &size) && size == 0);
    assert_false(gei_tensor_string_at(t, 3, &at, &size) || gei_tensor_string_at(t, -1, &at, &size));
    assert_ok(gei_tensor_clone(&heap.from, t, &copy, &diag), &diag);
    assert_true(gei_tensor_equal(t, copy));
    assert_true(gei_tensor_f64(t, 0) == 0 && gei_tensor_i64(t, 0) == 0);
    ((uint64_t *)copy->data)[1] = 1000; /* broken from outside */
    assert_false(gei_tensor_string_at(copy, 0, &at, &size) || gei_tensor_string_at(copy, 1, &at, &size));
    assert_false(gei_tensor_equal(t, copy));
    gei_tensor_release(copy);
    gei_tensor_release(t);
    ge_test_heap_check(&heap);
}

static void wrapped_strings_must_have_sound_offsets(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_tensor *t;
    struct {
        uint64_t offsets[3];
        char text[4];
    } ok = { { 0, 1, 4 }, "abcd" }, bad;
    int64_t dims[] = { 2 };
    size_t bytes = 28;
    assert_ok(gei_tensor_wrap(&gei_heap, GEI_STRING, 1, dims, &ok, bytes, true, NULL, NULL, &t, &diag), &diag);
    gei_tensor_release(t);
    bad = ok, bad.offsets[0] = 1;
    assert_fails_with(gei_tensor_wrap(&gei_heap, GEI_STRING, 1, dims, &bad, bytes, true, NULL, NULL, &t, &diag), &diag, "offset 0");
    bad = ok, bad.offsets[1] = 5;
    assert_fails_with(gei_tensor_wrap(&gei_heap, GEI_STRING, 1, dims, &bad, bytes, true, NULL, NULL, &t, &diag), &diag, "offset 1");
    bad = ok, bad.offsets[2] = 0;
    assert_fails_with(gei_tensor_wrap(&gei_heap, GEI_STRING, 1, dims, &bad, bytes, true, NULL, NULL, &t, &diag), &diag, "offset 2");
    bad = ok, bad.offsets[2] = 3;
    assert_fails_with(gei_tensor_wrap(&gei_heap, GEI_STRING, 1, dims, &bad, bytes, true, NULL, NULL, &t, &diag), &diag, "offsets end at 3");
    assert_fails_with(gei_tensor_wrap(&gei_heap, GEI_STRING, 1, dims, &ok, 23, true, NULL, NULL, &t, &diag), &diag, "do not hold");
    int64_t huge[] = { INT64_MAX };
    assert_fails_with(gei_tensor_wrap(&gei_heap, GEI_STRING, 1, huge, &ok, bytes, true, NULL, NULL, &t, &diag), &diag, "do not hold");
}

static void equality_looks_at_type_shape_and_bytes(void **state) {
    (void)state;
    gei_tensor *a, *b;
    assert_int_equal(gei_tensor_create(&gei_heap, GEI_INT8, 2, two_three, &a, NULL), GE_OK);
    memset(a->data, 1, a->size_bytes);
    assert_int_equal(gei_tensor_clone(&gei_heap, a, &b, NULL), GE_OK);
    assert_true(gei_tensor_equal(a, b) && gei_tensor_equal(a, a) && gei_tensor_equal(NULL, NULL));
    assert_false(gei_tensor_equal(a, NULL) || gei_tensor_equal(NULL, a));
    ((char *)b->data)[5] = 2;
    assert_false(gei_tensor_equal(a, b));
    ((char *)b->data)[5] = 1;
    b->dims[0] = 3, b->dims[1] = 2;
    assert_false(gei_tensor_equal(a, b));
    b->dims[0] = 2, b->dims[1] = 3, b->dtype = GEI_UINT8;
    assert_false(gei_tensor_equal(a, b));
    gei_tensor_release(a);
    gei_tensor_release(b);
}

/* What is put comes back, rounded to what the type can hold. */
static void elements_convert_in_every_real_type(void **state) {
    (void)state;
    const gei_dtype_info *info;
    int64_t dims[] = { 11 };
    for (size_t row = 0; (info = gei_dtype_at(row)) != NULL; row++) {
        gei_tensor *t;
        if (!gei_dtype_is_real(info->dtype)) continue;
        assert_int_equal(gei_tensor_create(&gei_heap, info->dtype, 1, dims, &t, NULL), GE_OK);
        memset(t->data, 0xff, t->size_bytes);
        for (int64_t i = 0; i < 11; i++) assert_true(gei_tensor_put_i64(t, i, i % 2));
        for (int64_t i = 0; i < 11; i++) {
            if (info->dtype == GEI_FLOAT8_E8M0) continue; /* holds no zero */
            assert_int_equal(gei_tensor_i64(t, i), i % 2);
            assert_true(gei_tensor_f64(t, i) == (double)(i % 2));
        }
        assert_true(gei_tensor_put_f64(t, 10, 1.0));
        assert_true(gei_tensor_f64(t, 10) == 1.0);
        assert_false(gei_tensor_put_f64(t, 11, 1) || gei_tensor_put_i64(t, -1, 1));
        assert_int_equal(gei_tensor_i64(t, 11), 0);
        gei_tensor_release(t);
    }
}

static gei_tensor *one(int32_t dtype) {
    gei_tensor *t;
    assert_int_equal(gei_tensor_create(&gei_heap, dtype, 0, NULL, &t, NULL), GE_OK);
    memset(t->data, 0, t->size_bytes);
    return t;
}

static void conversions_saturate_and_round(void **state) {
    (void)state;
    gei_tensor *d = one(GEI_FLOAT64), *h = one(GEI_FLOAT16), *u = one(GEI_UINT64), *i = one(GEI_INT4), *b = one(GEI_BOOL), *c = one(GEI_COMPLEX128);
    gei_tensor_put_f64(d, 0, 1e300);
    assert_true(gei_tensor_i64(d, 0) == INT64_MAX);
    gei_tensor_put_f64(d, 0, -1e300);
    assert_true(gei_tensor_i64(d, 0) == INT64_MIN);
    gei_tensor_put_f64(d, 0, (double)NAN);
    assert_true(gei_tensor_i64(d, 0) == 0);
    gei_tensor_put_f64(d, 0, -2.9);
    assert_true(gei_tensor_i64(d, 0) == -2);
    gei_tensor_put_f64(h, 0, 1 + 0x1p-11 + 0x1p-40);
    assert_true(gei_tensor_f64(h, 0) == 1 + 0x1p-10);
    gei_tensor_put_i64(u, 0, -1);
    assert_true(gei_tensor_f64(u, 0) == 0x1p64 && gei_tensor_i64(u, 0) == -1);
    gei_tensor_put_i64(i, 0, -8);
    assert_int_equal(gei_tensor_i64(i, 0), -8);
    gei_tensor_put_i64(b, 0, 256);
    assert_int_equal(gei_tensor_i64(b, 0), 1);
    gei_tensor_put_f64(b, 0, 0.5);
    assert_int_equal(*(uint8_t *)b->data, 1);
    memcpy(c->data, &(double){ 2.5 }, 8);
    assert_true(gei_tensor_f64(c, 0) == 2.5 && gei_tensor_i64(c, 0) == 2 && !gei_tensor_put_f64(c, 0, 1));
    gei_tensor *all[] = { d, h, u, i, b, c };
    for (size_t k = 0; k < GEI_COUNT(all); k++) gei_tensor_release(all[k]);
}

static void *hold_and_drop(void *arg) {
    gei_tensor *t = arg;
    for (int i = 0; i < 20000; i++) gei_tensor_release(gei_tensor_retain(t));
    gei_tensor_release(t);
    return NULL;
}

static void references_count_across_threads(void **state) {
    (void)state;
    int released = 0;
    char byte = 0;
    gei_tensor *t;
    pthread_t threads[4];
    assert_int_equal(gei_tensor_wrap(&gei_heap, GEI_INT8, 0, NULL, &byte, 1, false, count_release, &released, &t, NULL), GE_OK);
    for (size_t i = 0; i < GEI_COUNT(threads); i++) assert_int_equal(pthread_create(&threads[i], NULL, hold_and_drop, gei_tensor_retain(t)), 0);
    gei_tensor_release(t);
    for (size_t i = 0; i < GEI_COUNT(threads); i++) pthread_join(threads[i], NULL);
    assert_int_equal(released, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(created_memory_is_aligned_and_sized),
        cmocka_unit_test(measuring_names_what_is_wrong),
        cmocka_unit_test(wrapped_memory_is_released_once),
        cmocka_unit_test(strings_are_copied_and_checked),
        cmocka_unit_test(wrapped_strings_must_have_sound_offsets),
        cmocka_unit_test(equality_looks_at_type_shape_and_bytes),
        cmocka_unit_test(elements_convert_in_every_real_type),
        cmocka_unit_test(conversions_saturate_and_round),
        cmocka_unit_test(references_count_across_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
