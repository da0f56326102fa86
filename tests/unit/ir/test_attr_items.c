/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as flat items, and the lists that only interfaces make: rows of floats, lists of bytes. */
#include "unit/ge_test.h"

#include "ir/attr_items.h"
#include "ir/graph.h"
#include "ops/op.h"

typedef struct fixture {
    ge_test_heap heap;
    gei_diag diag;
    gei_graph *graph;
    gei_arena arena;
} fixture;

static void setup(fixture *f) {
    ge_test_heap_init(&f->heap);
    gei_diag_clear(&f->diag);
    gei_arena_init(&f->arena, &f->heap.from);
    assert_ok(gei_graph_create(&f->heap.from, "g", &f->graph, &f->diag), &f->diag);
}

static void teardown(fixture *f) {
    gei_arena_deinit(&f->arena);
    gei_graph_destroy(f->graph);
    ge_test_heap_check(&f->heap);
}

static void set(fixture *f, const char *name, const gei_attr *value) {
    assert_ok(gei_attrs_set(&f->graph->attrs, &f->graph->arena, name, value, &f->diag), &f->diag);
}
static gei_attr *get(fixture *f, const char *name) { return (gei_attr *)(uintptr_t)gei_attrs_find(&f->graph->attrs, name); }

static const gei_op_def *find_op(void *user, const char *name, size_t size) {
    (void)user;
    return gei_catalogue_find(name, size);
}

/* Printed, read and printed again: the same text and equal attributes. */
static void check_text(fixture *f) {
    gei_sink first, second;
    gei_graph *back;
    gei_sink_init(&first, &f->heap.from);
    gei_sink_init(&second, &f->heap.from);
    assert_ok(gei_graph_print(f->graph, false, &first, &f->diag), &f->diag);
    assert_ok(gei_graph_parse(&f->heap.from, first.data, first.size, find_op, NULL, &back, &f->diag), &f->diag);
    assert_ok(gei_graph_print(back, false, &second, &f->diag), &f->diag);
    assert_string_equal(first.data, second.data);
    assert_int_equal(back->attrs.count, f->graph->attrs.count);
    for (uint32_t i = 0; i < back->attrs.count; i++) {
        assert_int_equal(back->attrs.items[i].value.kind, f->graph->attrs.items[i].value.kind);
        assert_true(gei_attr_equal(&back->attrs.items[i].value, &f->graph->attrs.items[i].value));
    }
    gei_sink_deinit(&first);
    gei_sink_deinit(&second);
    gei_graph_destroy(back);
}

static void test_rows_of_floats(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const float rows[] = { 2, 0.5f, 3, 0, 1, -7 }, bad[] = { 2, 1 };
    float back[6];
    gei_attr value;
    assert_ok(gei_attr_from_floats(GEI_ATTR_FLOAT_LISTS, rows, 6, &f.arena, &value, &f.diag), &f.diag);
    assert_int_equal(value.count, 3);
    set(&f, "rows", &value);
    assert_int_equal(gei_attr_item_count(get(&f, "rows")), 6);
    gei_attr_to_floats(get(&f, "rows"), back);
    assert_memory_equal(back, rows, sizeof rows);
    assert_true(gei_attr_equal(get(&f, "rows"), &value));
    assert_ok(gei_attr_from_floats(GEI_ATTR_FLOAT_LISTS, NULL, 0, &f.arena, &value, &f.diag), &f.diag);
    set(&f, "none", &value);
    assert_false(gei_attr_equal(get(&f, "rows"), get(&f, "none")));
    check_text(&f);
    assert_int_equal(gei_attr_from_floats(GEI_ATTR_FLOAT_LISTS, bad, 2, &f.arena, &value, &f.diag), GE_ERR_OUT_OF_RANGE);
    assert_int_equal(gei_attr_from_floats(GEI_ATTR_INTS, rows, 2, &f.arena, &value, &f.diag), GE_ERR_WRONG_KIND);
    teardown(&f);
}

static void test_lists_of_bytes(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    gei_attr value = gei_attr_empty(GEI_ATTR_BYTES_LIST);
    gei_text text;
    set(&f, "none", &value);
    set(&f, "some", &value);
    for (size_t i = 0; i < 9; i++)
        assert_ok(gei_attr_put_text(get(&f, "some"), &f.graph->arena, i, "\xff\0\xfe", i % 4, &f.diag), &f.diag);
    assert_ok(gei_attr_put_text(get(&f, "some"), &f.graph->arena, 3, "\x80", 1, &f.diag), &f.diag);
    assert_true(gei_attr_text_at(get(&f, "some"), 3, &text));
    assert_int_equal(text.size, 1);
    assert_false(gei_attr_text_at(get(&f, "some"), 9, &text));
    assert_int_equal(gei_attr_put_text(get(&f, "some"), &f.graph->arena, 10, "", 0, &f.diag), GE_ERR_OUT_OF_RANGE);
    check_text(&f);
    teardown(&f);
}

/* Each list kind keeps its kind through the text when it is empty. */
static void test_empty_lists(void **state) {
    (void)state;
    const gei_attr_kind kinds[] = { GEI_ATTR_INTS,    GEI_ATTR_FLOATS,    GEI_ATTR_BOOLS,       GEI_ATTR_STRINGS,   GEI_ATTR_DTYPES,
                                    GEI_ATTR_TENSORS, GEI_ATTR_INT_LISTS, GEI_ATTR_FLOAT_LISTS, GEI_ATTR_BYTES_LIST };
    fixture f;
    setup(&f);
    for (size_t i = 0; i < GEI_COUNT(kinds); i++) {
        char name[8] = { 'k', (char)('a' + i), 0 };
        gei_attr value = gei_attr_empty(kinds[i]);
        assert_true(gei_attr_kind_is_list(kinds[i]));
        assert_int_equal(gei_attr_item_count(&value), 0);
        set(&f, name, &value);
    }
    check_text(&f);
    teardown(&f);
}

static void test_tensors(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const int64_t dims[] = { 2 };
    gei_tensor *t;
    gei_attr value = gei_attr_empty(GEI_ATTR_TENSORS), single = gei_attr_empty(GEI_ATTR_TENSOR);
    assert_ok(gei_tensor_create(&f.heap.from, GEI_INT8, 1, dims, &t, &f.diag), &f.diag);
    memset(t->data, 1, 2);
    set(&f, "list", &value);
    set(&f, "one", &single);
    for (size_t i = 0; i < 5; i++) assert_ok(gei_attr_put_tensor(get(&f, "list"), &f.graph->arena, i, t, &f.diag), &f.diag);
    assert_ok(gei_attr_put_tensor(get(&f, "list"), &f.graph->arena, 2, t, &f.diag), &f.diag);
    assert_ok(gei_attr_put_tensor(get(&f, "one"), &f.graph->arena, 0, t, &f.diag), &f.diag);
    assert_int_equal(atomic_load(&t->refs), 7);
    assert_ptr_equal(gei_attr_tensor_at(get(&f, "list"), 4), t);
    assert_null(gei_attr_tensor_at(get(&f, "list"), 5));
    assert_null(gei_attr_tensor_at(get(&f, "one"), 1));
    check_text(&f);
    gei_tensor_release(t);
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_floats),
        cmocka_unit_test(test_lists_of_bytes),
        cmocka_unit_test(test_empty_lists),
        cmocka_unit_test(test_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
