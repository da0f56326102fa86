/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/attr.h"
#include "unit/ge_test.h"

static void count_release(void *user) { ++*(int *)user; }

/* A tensor that counts its end. */
static gei_tensor *watched(const gei_allocator *from, int *released) {
    static char byte = 1;
    gei_tensor *t = NULL;
    (void)gei_tensor_wrap(from, GEI_INT8, 0, NULL, &byte, 1, true, count_release, released, &t, NULL);
    return t;
}

static void set_copies_replaces_and_keeps_order(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_arena arena;
    gei_arena_init(&arena, &heap.from);
    gei_attrs attrs = { 0 };
    gei_diag diag = { 0 };
    char name[] = "axis", text[] = "text";
    gei_attr i = gei_attr_int(3), s = gei_attr_text(text, 4), f = gei_attr_float(1.5f);
    assert_ok(gei_attrs_set(&attrs, &arena, name, &i, &diag), &diag);
    assert_ok(gei_attrs_set(&attrs, &arena, "s", &s, &diag), &diag);
    assert_ok(gei_attrs_set(&attrs, &arena, "f", &f, &diag), &diag);
    name[0] = text[0] = 'x';
    assert_int_equal(gei_attrs_find(&attrs, "axis")->v.i, 3);
    assert_string_equal(gei_attrs_find(&attrs, "s")->v.s.data, "text");
    assert_ok(gei_attrs_set(&attrs, &arena, "axis", &f, &diag), &diag);
    assert_int_equal(attrs.count, 3);
    assert_string_equal(attrs.items[0].name, "axis");
    assert_int_equal(attrs.items[0].value.kind, GEI_ATTR_FLOAT);
    assert_true(gei_attrs_remove(&attrs, "s"));
    assert_false(gei_attrs_remove(&attrs, "s"));
    assert_null(gei_attrs_find(&attrs, "s"));
    assert_string_equal(attrs.items[1].name, "f");
    gei_attrs_release(&attrs);
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
}

static void tensors_are_retained_and_released_once(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_arena arena;
    gei_arena_init(&arena, &heap.from);
    gei_attrs attrs = { 0 };
    int released[4] = { 0 };
    gei_tensor *t[4];
    for (int i = 0; i < 4; i++) t[i] = watched(&heap.from, &released[i]);
    gei_tensor *pair[] = { t[1], NULL, t[1] };
    gei_attr single = gei_attr_tensor(t[0]), list = { .kind = GEI_ATTR_TENSORS, .count = 3, .v.tensors = pair };
    gei_named_attr inner[] = { { "deep", gei_attr_tensor(t[2]) } };
    gei_attr nested = { .kind = GEI_ATTR_NAMED, .count = 1, .v.named = inner };
    gei_named_attr outer[] = { { "a", nested }, { "b", gei_attr_tensor(t[3]) } };
    gei_attr named = { .kind = GEI_ATTR_NAMED, .count = 2, .v.named = outer };
    assert_int_equal(gei_attrs_set(&attrs, &arena, "single", &single, NULL), GE_OK);
    assert_int_equal(gei_attrs_set(&attrs, &arena, "list", &list, NULL), GE_OK);
    assert_int_equal(gei_attrs_set(&attrs, &arena, "named", &named, NULL), GE_OK);
    assert_int_equal(gei_attrs_set(&attrs, &arena, "single", gei_attrs_find(&attrs, "single"), NULL), GE_OK); /* itself */
    for (int i = 0; i < 4; i++) gei_tensor_release(t[i]);
    for (int i = 0; i < 4; i++) assert_int_equal(released[i], 0);
    gei_attr zero = gei_attr_int(0);
    assert_int_equal(gei_attrs_set(&attrs, &arena, "single", &zero, NULL), GE_OK);
    assert_int_equal(released[0], 1);
    assert_true(gei_attrs_remove(&attrs, "list"));
    assert_int_equal(released[1], 1);
    gei_attrs_release(&attrs);
    gei_attrs_release(&attrs);
    assert_int_equal(released[2], 1);
    assert_int_equal(released[3], 1);
    gei_arena_deinit(&arena);
    ge_test_heap_check(&heap);
}

static const int64_t ints[] = { 1, 2, 3 };
static const float floats[] = { 1, 2 };
static const uint8_t bools[] = { 1, 0 };
static const int32_t dtypes[] = { GEI_FLOAT32, GEI_INT8 };
static const gei_text texts[] = { { "a", 1 }, { NULL, 0 } };
static const gei_int_list lists[] = { { ints, 2 }, { NULL, 0 } };
static const gei_named_attr pairs[] = { { "x", { .kind = GEI_ATTR_INT, .v.i = 1 } } };

/* One value of each kind that needs no tensor. */
static const gei_attr samples[] = {
    { .kind = GEI_ATTR_NONE },
    { .kind = GEI_ATTR_INT, .v.i = -1 },
    { .kind = GEI_ATTR_FLOAT, .v.f = 0.5f },
    { .kind = GEI_ATTR_BOOL, .v.b = true },
    { .kind = GEI_ATTR_STRING, .v.s = { "text", 4 } },
    { .kind = GEI_ATTR_DTYPE, .v.dtype = GEI_INT8 },
    { .kind = GEI_ATTR_BYTES, .count = 2, .v.bytes = bools },
    { .kind = GEI_ATTR_INTS, .count = 3, .v.ints = ints },
    { .kind = GEI_ATTR_INTS, .count = 0 },
    { .kind = GEI_ATTR_FLOATS, .count = 2, .v.floats = floats },
    { .kind = GEI_ATTR_BOOLS, .count = 2, .v.bools = bools },
    { .kind = GEI_ATTR_STRINGS, .count = 2, .v.strings = texts },
    { .kind = GEI_ATTR_DTYPES, .count = 2, .v.dtypes = dtypes },
    { .kind = GEI_ATTR_INT_LISTS, .count = 2, .v.lists = lists },
    { .kind = GEI_ATTR_NAMED, .count = 1, .v.named = pairs },
};

static void copies_of_every_kind_are_equal_and_apart(void **state) {
    (void)state;
    gei_arena arena;
    gei_arena_init(&arena, &gei_heap);
    for (size_t i = 0; i < GEI_COUNT(samples); i++) {
        gei_attr copy;
        assert_int_equal(gei_attr_copy(&arena, &samples[i], &copy, NULL), GE_OK);
        assert_true(gei_attr_equal(&samples[i], &copy));
        if (copy.kind == GEI_ATTR_INTS && copy.count > 0) assert_ptr_not_equal(copy.v.ints, ints);
        for (size_t k = 0; k < GEI_COUNT(samples); k++) assert_int_equal(gei_attr_equal(&copy, &samples[k]), i == k);
        assert_string_not_equal(gei_attr_kind_name(copy.kind), "?");
    }
    gei_attr a = gei_attr_ints(ints, 3), b = gei_attr_ints((int64_t[]){ 1, 2, 4 }, 3), plus = gei_attr_float(0), minus = gei_attr_float(-0.0f);
    assert_false(gei_attr_equal(&a, &b) || gei_attr_equal(&plus, &minus));
    assert_string_equal(gei_attr_kind_name((gei_attr_kind)99), "?");
    gei_arena_deinit(&arena);
}

static void nesting_is_bounded(void **state) {
    (void)state;
    gei_arena arena;
    gei_arena_init(&arena, &gei_heap);
    gei_diag diag = { 0 };
    static gei_named_attr levels[1000];
    gei_attr value = gei_attr_int(1), copy;
    for (size_t i = 0; i < GEI_COUNT(levels); i++) {
        levels[i] = (gei_named_attr){ "n", value };
        value = (gei_attr){ .kind = GEI_ATTR_NAMED, .count = 1, .v.named = &levels[i] };
        if (i + 1 == GEI_ATTR_MAX_DEPTH) assert_ok(gei_attr_copy(&arena, &value, &copy, &diag), &diag);
    }
    assert_fails_with(gei_attr_copy(&arena, &value, &copy, &diag), &diag, "nested deeper");
    assert_false(gei_attr_equal(&value, &value));
    gei_arena_deinit(&arena);
}

static ge_status set_all(const gei_allocator *from, void *arg) {
    (void)arg;
    gei_arena arena;
    gei_arena_init(&arena, from);
    gei_attrs attrs = { 0 };
    int released = 0;
    gei_tensor *t = watched(from, &released);
    ge_status st = t ? GE_OK : GE_ERR_OUT_OF_MEMORY;
    gei_tensor *pair[] = { t, t };
    gei_attr list = { .kind = GEI_ATTR_TENSORS, .count = 2, .v.tensors = pair };
    gei_named_attr inner[] = { { "t", gei_attr_tensor(t) }, { "list", list } };
    gei_attr named = { .kind = GEI_ATTR_NAMED, .count = 2, .v.named = inner };
    static char big[70000]; /* makes a block of its own, so that its failure is reached */
    gei_attr text = gei_attr_text(big, sizeof big);
    for (size_t i = 0; st == GE_OK && i < GEI_COUNT(samples); i++) {
        char name[2] = { (char)('a' + i), 0 };
        st = gei_attrs_set(&attrs, &arena, name, &samples[i], NULL);
        if (st == GE_OK) st = gei_attrs_set(&attrs, &arena, "named", &named, NULL);
        if (st == GE_OK) st = gei_attrs_set(&attrs, &arena, name, &text, NULL);
    }
    gei_attrs_release(&attrs);
    gei_tensor_release(t);
    if (t) assert_int_equal(released, 1);
    gei_arena_deinit(&arena);
    return st;
}

static void each_failed_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    ge_test_each_allocation_fails(set_all, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_copies_replaces_and_keeps_order),
        cmocka_unit_test(tensors_are_retained_and_released_once),
        cmocka_unit_test(copies_of_every_kind_are_equal_and_apart),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(each_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
