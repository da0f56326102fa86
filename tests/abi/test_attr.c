/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of nodes, ports and graphs: every kind, every call, every misuse. */
#include <stdbool.h>

#include "graph_test.h"

static const ge_attr_kind kinds[] = { GE_ATTR_STRING, GE_ATTR_FLOAT, GE_ATTR_BOOL, GE_ATTR_INT, GE_ATTR_TENSOR, GE_ATTR_BYTES, GE_ATTR_LIST_LIST_INT,
                                      GE_ATTR_DATA_TYPE, GE_ATTR_LIST_LIST_FLOAT, GE_ATTR_LIST_STRING, GE_ATTR_LIST_FLOAT, GE_ATTR_LIST_BOOL,
                                      GE_ATTR_LIST_INT, GE_ATTR_LIST_TENSOR, GE_ATTR_LIST_BYTES, GE_ATTR_LIST_DATA_TYPE };
#define KINDS (sizeof kinds / sizeof kinds[0])

static bool is_int_kind(ge_attr_kind k) {
    return k == GE_ATTR_INT || k == GE_ATTR_BOOL || k == GE_ATTR_DATA_TYPE || k == GE_ATTR_LIST_INT || k == GE_ATTR_LIST_BOOL ||
           k == GE_ATTR_LIST_DATA_TYPE || k == GE_ATTR_LIST_LIST_INT;
}
static bool is_float_kind(ge_attr_kind k) { return k == GE_ATTR_FLOAT || k == GE_ATTR_LIST_FLOAT || k == GE_ATTR_LIST_LIST_FLOAT; }
static bool is_text_kind(ge_attr_kind k) {
    return k == GE_ATTR_STRING || k == GE_ATTR_BYTES || k == GE_ATTR_LIST_STRING || k == GE_ATTR_LIST_BYTES;
}
static bool is_tensor_kind(ge_attr_kind k) { return k == GE_ATTR_TENSOR || k == GE_ATTR_LIST_TENSOR; }
static bool is_list(ge_attr_kind k) { return k >= GE_ATTR_LIST_STRING || k == GE_ATTR_LIST_LIST_INT || k == GE_ATTR_LIST_LIST_FLOAT; }

static ge_attr_id attr_new(ge_graph *graph, ge_owner_id owner, const char *name, ge_attr_kind kind) {
    ge_attr_id attr;
    check_ok(ge_graph_add_attr(graph, owner, name, GE_NTS, kind, &attr));
    return attr;
}

static ge_attr_info info_of(const ge_graph *graph, ge_attr_id attr) {
    ge_attr_info info;
    check_ok(ge_graph_get_attr_info(graph, attr, &info, sizeof info));
    return info;
}

static void check_ints(const ge_graph *graph, ge_attr_id attr, const int64_t *wanted, size_t count) {
    int64_t values[16];
    size_t found;
    check_ok(ge_graph_get_attr_ints(graph, attr, NULL, 0, &found));
    assert_int_equal(found, count);
    check_ok(ge_graph_get_attr_ints(graph, attr, values, 16, &found));
    if (count) assert_memory_equal(values, wanted, count * sizeof *wanted);
    assert_int_equal(info_of(graph, attr).items_count, count);
}

static void check_text(const ge_graph *graph, ge_attr_id attr, size_t index, const char *wanted, size_t size) {
    const char *text;
    size_t found;
    check_ok(ge_graph_get_attr_text(graph, attr, index, &text, &found));
    assert_int_equal(found, size);
    assert_memory_equal(text, wanted, size);
    assert_int_equal(text[size], 0);
}

/* ---- every kind on every owner ---- */

static void test_kinds_and_owners(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const ge_owner_id owners[] = { 0, s.a, s.a_y, port_of(s.graph, s.a, GE_DIRECTION_IN, 0), port_of(s.graph, s.a, GE_DIRECTION_IN, 1), s.r };
    ge_attr_id all[6][KINDS];
    for (size_t o = 0; o < 6; o++) {
        for (size_t k = 0; k < KINDS; k++) {
            char name[32];
            ge_attr_id found;
            snprintf(name, sizeof name, "attr_%zu", k);
            all[o][k] = attr_new(s.graph, owners[o], name, kinds[k]);
            check_ok(ge_graph_find_attr(s.graph, owners[o], name, GE_NTS, &found));
            assert_int_equal(found, all[o][k]);
            ge_attr_info info = info_of(s.graph, found);
            assert_int_equal(info.struct_size, sizeof info);
            assert_int_equal(info.owner, owners[o]);
            assert_int_equal(info.attr, found);
            assert_string_equal(info.name, name);
            assert_int_equal(info.kind, kinds[k]);
            assert_int_equal(info.items_count, is_list(kinds[k]) || kinds[k] == GE_ATTR_TENSOR ? 0 : 1);
        }
    }
    for (size_t o = 0; o < 6; o++) { /* each owner has its own, in order */
        ge_attr_id listed[KINDS];
        size_t count;
        check_ok(ge_graph_get_attrs(s.graph, owners[o], listed, KINDS, &count));
        assert_int_equal(count, KINDS);
        assert_memory_equal(listed, all[o], sizeof listed);
    }
    ge_node_info info;
    check_ok(ge_graph_get_node_infos(s.graph, &s.a, 1, &info, 1, sizeof info));
    assert_int_equal(info.attrs_count, KINDS);
    ge_tensor_desc desc; /* attributes alone are no desc of an input */
    check_ok(ge_graph_get_desc(s.graph, owners[4], &desc, sizeof desc));
    assert_int_equal(desc.dtype, GE_DTYPE_FLOAT32);
    check_ok(ge_graph_check(s.graph));
    char *text = text_of(s.graph); /* and all of it can be printed and copied */
    free(text);
    ge_graph *copy;
    check_ok(ge_graph_copy(s.graph, &copy));
    check_ok(ge_graph_destroy(copy));
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- ints ---- */

static void test_ints(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const int64_t limits[] = { INT64_MIN, 0, INT64_MAX }, one[] = { 1 }, zero[] = { 0 }, types[] = { GE_DTYPE_UINT4, GE_DTYPE_FLOAT32 },
                  bools[] = { 1, 0, 1 };
    ge_attr_id attr = attr_new(s.graph, s.a, "i", GE_ATTR_INT);
    check_ints(s.graph, attr, zero, 1);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, limits, 1));
    check_ints(s.graph, attr, limits, 1);
    attr = attr_new(s.graph, s.a, "b", GE_ATTR_BOOL);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, one, 1));
    check_ints(s.graph, attr, one, 1);
    attr = attr_new(s.graph, s.a, "t", GE_ATTR_DATA_TYPE);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, types, 1));
    check_ints(s.graph, attr, types, 1);
    attr = attr_new(s.graph, s.a, "is", GE_ATTR_LIST_INT);
    check_ints(s.graph, attr, NULL, 0);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, limits, 3));
    check_ints(s.graph, attr, limits, 3);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, NULL, 0));
    check_ints(s.graph, attr, NULL, 0);
    attr = attr_new(s.graph, s.a, "bs", GE_ATTR_LIST_BOOL);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, bools, 3));
    check_ints(s.graph, attr, bools, 3);
    attr = attr_new(s.graph, s.a, "ts", GE_ATTR_LIST_DATA_TYPE);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, types, 2));
    check_ints(s.graph, attr, types, 2);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_rows(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const int64_t rows[] = { 2, 7, 8, 0, 1, -9 }, past[] = { 3, 1, 2 }, negative[] = { -1 }, none[] = { 0 }, huge[] = { INT64_MAX, 1 };
    ge_attr_id attr = attr_new(s.graph, s.a, "rows", GE_ATTR_LIST_LIST_INT);
    check_ints(s.graph, attr, NULL, 0);
    check_ok(ge_graph_set_attr_ints(s.graph, attr, rows, 6));
    check_ints(s.graph, attr, rows, 6);
    check_unchanged(s.graph, {
        check_fails(ge_graph_set_attr_ints(s.graph, attr, past, 3), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, attr, negative, 1), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, attr, huge, 2), GE_ERR_OUT_OF_RANGE, "values");
    });
    check_ok(ge_graph_set_attr_ints(s.graph, attr, none, 1)); /* one empty row */
    check_ints(s.graph, attr, none, 1);
    const float floats[] = { 1, 0.5f, 2, -1, 3 }, fraction[] = { 1.5f, 1, 2 }, beyond[] = { 2, 1 }, not_a_number[] = { 0.0f / 0.0f };
    float back[8];
    size_t count;
    attr = attr_new(s.graph, s.a, "float_rows", GE_ATTR_LIST_LIST_FLOAT);
    check_ok(ge_graph_set_attr_floats(s.graph, attr, floats, 5));
    check_ok(ge_graph_get_attr_floats(s.graph, attr, back, 8, &count));
    assert_int_equal(count, 5);
    assert_memory_equal(back, floats, sizeof floats);
    check_unchanged(s.graph, {
        check_fails(ge_graph_set_attr_floats(s.graph, attr, fraction, 3), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_floats(s.graph, attr, beyond, 2), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_floats(s.graph, attr, not_a_number, 1), GE_ERR_OUT_OF_RANGE, "values");
    });
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- floats ---- */

static void test_floats(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const float values[] = { 0.1f, -0.0f, 1e-45f };
    float back[4];
    size_t count;
    ge_attr_id attr = attr_new(s.graph, s.a, "f", GE_ATTR_FLOAT);
    check_ok(ge_graph_get_attr_floats(s.graph, attr, back, 4, &count));
    assert_int_equal(count, 1);
    assert_float_equal(back[0], 0, 0);
    check_ok(ge_graph_set_attr_floats(s.graph, attr, values, 1));
    check_ok(ge_graph_get_attr_floats(s.graph, attr, back, 4, &count));
    assert_memory_equal(back, values, sizeof *values);
    attr = attr_new(s.graph, s.a, "fs", GE_ATTR_LIST_FLOAT);
    check_ok(ge_graph_set_attr_floats(s.graph, attr, values, 3));
    check_ok(ge_graph_get_attr_floats(s.graph, attr, back, 4, &count));
    assert_int_equal(count, 3);
    assert_memory_equal(back, values, sizeof values);
    check_fails(ge_graph_get_attr_floats(s.graph, attr, back, 2, &count), GE_ERR_BUFFER_TOO_SMALL, "values");
    assert_int_equal(count, 3);
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- texts ---- */

static void test_texts(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_attr_id attr = attr_new(s.graph, s.a, "s", GE_ATTR_STRING);
    check_text(s.graph, attr, 0, "", 0);
    check_ok(ge_graph_set_attr_text(s.graph, attr, 0, "gr\xc3\xbc\xc3\x9f" "eXX", 7));
    check_text(s.graph, attr, 0, "gr\xc3\xbc\xc3\x9f" "e", 7);
    check_ok(ge_graph_set_attr_text(s.graph, attr, 0, "a\0b", 3)); /* attributes may hold zero bytes */
    check_text(s.graph, attr, 0, "a\0b", 3);
    check_ok(ge_graph_set_attr_text(s.graph, attr, 0, "", 0));
    check_text(s.graph, attr, 0, "", 0);
    attr = attr_new(s.graph, s.a, "bytes", GE_ATTR_BYTES);
    check_text(s.graph, attr, 0, "", 0);
    check_ok(ge_graph_set_attr_text(s.graph, attr, 0, "\xff\0\xfe", 3));
    check_text(s.graph, attr, 0, "\xff\0\xfe", 3);
    check_ok(ge_graph_set_attr_text(s.graph, attr, 0, "\xff\xff", GE_NTS));
    check_text(s.graph, attr, 0, "\xff\xff", 2);
    check_ok(ge_graph_destroy(s.graph));
}

static void test_text_lists(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const ge_attr_kind list_kinds[] = { GE_ATTR_LIST_STRING, GE_ATTR_LIST_BYTES };
    for (size_t k = 0; k < 2; k++) {
        ge_attr_id attr = attr_new(s.graph, s.a, k ? "bl" : "sl", list_kinds[k]);
        for (size_t i = 0; i < 100; i++) { /* one behind the other */
            char text[32];
            snprintf(text, sizeof text, "item %zu", i);
            check_fails(ge_graph_set_attr_text(s.graph, attr, i + 1, text, GE_NTS), GE_ERR_OUT_OF_RANGE, "index");
            check_ok(ge_graph_set_attr_text(s.graph, attr, i, text, GE_NTS));
            assert_int_equal(info_of(s.graph, attr).items_count, i + 1);
        }
        check_ok(ge_graph_set_attr_text(s.graph, attr, 41, "changed", GE_NTS));
        check_text(s.graph, attr, 0, "item 0", 6);
        check_text(s.graph, attr, 41, "changed", 7);
        check_text(s.graph, attr, 99, "item 99", 7);
        ge_graph *copy;
        ge_attr_id copied;
        check_ok(ge_graph_copy(s.graph, &copy)); /* a copy grows on its own */
        check_ok(ge_graph_find_attr(copy, node_named(copy, "a"), k ? "bl" : "sl", GE_NTS, &copied));
        check_ok(ge_graph_set_attr_text(copy, copied, 100, "more", GE_NTS));
        check_text(copy, copied, 41, "changed", 7);
        check_text(copy, copied, 100, "more", 4);
        assert_int_equal(info_of(s.graph, attr).items_count, 100);
        check_ok(ge_graph_destroy(copy));
    }
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- tensors ---- */

static void test_tensors(void **state) {
    (void)state;
    uint64_t before = live_objects();
    small_graph s = small_graph_new(NULL);
    ge_tensor *tensor = two_floats(NULL), *back;
    const uint8_t *data, *shared;
    uint8_t *write;
    size_t size;
    ge_tensor_info info;
    ge_attr_id attr = attr_new(s.graph, s.a, "t", GE_ATTR_TENSOR), list = attr_new(s.graph, s.a, "ts", GE_ATTR_LIST_TENSOR);
    check_fails(ge_tensor_create_from_attr(s.graph, attr, 0, &back), GE_ERR_OUT_OF_RANGE, "index"); /* nothing in it yet */
    assert_null(back);
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    check_ok(ge_graph_set_attr_tensor(s.graph, attr, 0, tensor));
    check_ok(ge_graph_set_attr_tensor(s.graph, attr, 0, tensor)); /* again */
    assert_int_equal(info_of(s.graph, attr).items_count, 1);
    for (size_t i = 0; i < 9; i++) check_ok(ge_graph_set_attr_tensor(s.graph, list, i, tensor));
    assert_int_equal(info_of(s.graph, list).items_count, 9);
    check_fails(ge_graph_set_attr_tensor(s.graph, list, 10, tensor), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_graph_set_attr_tensor(s.graph, attr, 1, tensor), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_tensor_get_mutable_data(tensor, &write, &size), GE_ERR_READ_ONLY, "tensor"); /* the graph holds it now */
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_tensor_create_from_attr(s.graph, list, 8, &back));
    check_ok(ge_tensor_get_data(back, &shared, &size));
    assert_ptr_equal(shared, data); /* not copied */
    check_ok(ge_tensor_get_info(back, &info, sizeof info));
    assert_int_equal(info.is_read_only, 1);
    assert_int_equal(info.ownership, GE_OWNERSHIP_LIBRARY);
    check_ok(ge_tensor_destroy(back));
    check_fails(ge_tensor_create_from_attr(s.graph, list, 9, &back), GE_ERR_OUT_OF_RANGE, "index");
    assert_null(back);
    check_ok(ge_tensor_create_from_attr(s.graph, list, 0, &back));
    check_ok(ge_graph_destroy(s.graph));
    check_ok(ge_tensor_get_data(back, &shared, &size)); /* lives on */
    assert_int_equal(size, 8);
    check_ok(ge_tensor_destroy(back));
    check_all_gone(before);
}

static int released;
static void on_release(void *user, uint8_t *data, size_t size) {
    (void)user, (void)data, (void)size;
    released++;
}
static void test_caller_memory_in_graph(void **state) {
    (void)state;
    const int64_t dims[] = { 2 };
    float values[2] = { 3, 4 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *tensor, *back;
    ge_tensor_info info;
    small_graph s = small_graph_new(NULL);
    memory.data = (uint8_t *)values;
    memory.data_size = sizeof values;
    memory.release = on_release;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    ge_attr_id attr = attr_new(s.graph, 0, "t", GE_ATTR_TENSOR);
    check_ok(ge_graph_set_attr_tensor(s.graph, attr, 0, tensor));
    check_ok(ge_tensor_destroy(tensor));
    assert_int_equal(released, 0);
    check_ok(ge_tensor_create_from_attr(s.graph, attr, 0, &back));
    check_ok(ge_tensor_get_info(back, &info, sizeof info));
    assert_int_equal(info.ownership, GE_OWNERSHIP_CALLER);
    check_ok(ge_tensor_destroy(back));
    check_ok(ge_graph_remove_attr(s.graph, attr));
    assert_int_equal(released, 1);
    check_ok(ge_graph_destroy(s.graph));
    assert_int_equal(released, 1);
}

static void test_other_context(void **state) {
    (void)state;
    ge_context *context;
    check_ok(ge_context_create(NULL, &context));
    ge_tensor *tensor = two_floats(context);
    small_graph s = small_graph_new(NULL);
    ge_attr_id attr = attr_new(s.graph, s.a, "t", GE_ATTR_TENSOR);
    check_unchanged(s.graph, { check_fails(ge_graph_set_attr_tensor(s.graph, attr, 0, tensor), GE_ERR_HANDLE_OTHER_CONTEXT, "tensor"); });
    check_ok(ge_tensor_destroy(tensor));
    check_fails(ge_graph_set_attr_tensor(s.graph, attr, 0, tensor), GE_ERR_HANDLE_STALE, "tensor");
    check_fails(ge_graph_set_attr_tensor(s.graph, attr, 0, NULL), GE_ERR_HANDLE_NULL, "tensor");
    check_fails(ge_graph_set_attr_tensor(s.graph, attr, 0, (ge_tensor *)(void *)s.graph), GE_ERR_HANDLE_WRONG_KIND, "tensor");
    check_ok(ge_graph_destroy(s.graph));
    check_ok(ge_context_destroy(context));
}

/* ---- wrong kinds: each call against each kind ---- */

static void test_wrong_kinds(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_tensor *tensor = two_floats(NULL), *back;
    const int64_t ints[] = { 0 };
    const float floats[] = { 0 };
    const char *text;
    size_t size;
    for (size_t k = 0; k < KINDS; k++) {
        ge_attr_id attr = attr_new(s.graph, s.a, "k", kinds[k]);
        check_unchanged(s.graph, {
            if (!is_int_kind(kinds[k])) {
                check_fails(ge_graph_set_attr_ints(s.graph, attr, ints, 1), GE_ERR_WRONG_KIND, "attr");
                check_fails(ge_graph_get_attr_ints(s.graph, attr, NULL, 0, &size), GE_ERR_WRONG_KIND, "attr");
                assert_int_equal(size, 0);
            }
            if (!is_float_kind(kinds[k])) {
                check_fails(ge_graph_set_attr_floats(s.graph, attr, floats, 1), GE_ERR_WRONG_KIND, "attr");
                check_fails(ge_graph_get_attr_floats(s.graph, attr, NULL, 0, &size), GE_ERR_WRONG_KIND, "attr");
            }
            if (!is_text_kind(kinds[k])) {
                check_fails(ge_graph_set_attr_text(s.graph, attr, 0, "x", 1), GE_ERR_WRONG_KIND, "attr");
                check_fails(ge_graph_get_attr_text(s.graph, attr, 0, &text, &size), GE_ERR_WRONG_KIND, "attr");
                assert_null(text);
            }
            if (!is_tensor_kind(kinds[k])) {
                check_fails(ge_graph_set_attr_tensor(s.graph, attr, 0, tensor), GE_ERR_WRONG_KIND, "attr");
                check_fails(ge_tensor_create_from_attr(s.graph, attr, 0, &back), GE_ERR_WRONG_KIND, "attr");
                assert_null(back);
            }
        });
    }
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_graph_destroy(s.graph));
}

static void test_out_of_range(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const int64_t two[] = { 2, 0 }, wild[] = { INT64_MAX }, no_type[] = { 5 }, types[] = { 0, 777 };
    const float floats[] = { 1, 2 };
    const char *text;
    size_t size;
    ge_attr_id i = attr_new(s.graph, s.a, "i", GE_ATTR_INT), b = attr_new(s.graph, s.a, "b", GE_ATTR_BOOL),
               t = attr_new(s.graph, s.a, "t", GE_ATTR_DATA_TYPE), bs = attr_new(s.graph, s.a, "bs", GE_ATTR_LIST_BOOL),
               ts = attr_new(s.graph, s.a, "ts", GE_ATTR_LIST_DATA_TYPE), f = attr_new(s.graph, s.a, "f", GE_ATTR_FLOAT),
               st = attr_new(s.graph, s.a, "s", GE_ATTR_STRING), ss = attr_new(s.graph, s.a, "ss", GE_ATTR_LIST_STRING);
    check_unchanged(s.graph, {
        check_fails(ge_graph_set_attr_ints(s.graph, i, two, 2), GE_ERR_OUT_OF_RANGE, "values"); /* single takes one */
        check_fails(ge_graph_set_attr_ints(s.graph, i, two, 0), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, i, NULL, 0), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, b, two, 1), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, t, wild, 1), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, t, no_type, 1), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, bs, two, 2), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_ints(s.graph, ts, types, 2), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_floats(s.graph, f, floats, 2), GE_ERR_OUT_OF_RANGE, "values");
        check_fails(ge_graph_set_attr_text(s.graph, st, 1, "x", 1), GE_ERR_OUT_OF_RANGE, "index");
        check_fails(ge_graph_set_attr_text(s.graph, ss, SIZE_MAX, "x", 1), GE_ERR_OUT_OF_RANGE, "index");
        check_fails(ge_graph_get_attr_text(s.graph, st, 1, &text, &size), GE_ERR_OUT_OF_RANGE, "index");
        check_fails(ge_graph_get_attr_text(s.graph, ss, 0, &text, &size), GE_ERR_OUT_OF_RANGE, "index");
        check_fails(ge_graph_set_attr_text(s.graph, st, 0, "\xff", 1), GE_ERR_INVALID_UTF8, "text");
        check_fails(ge_graph_set_attr_text(s.graph, st, 0, NULL, 0), GE_ERR_NULL_ARGUMENT, "text");
        check_fails(ge_graph_set_attr_ints(s.graph, i, NULL, 1), GE_ERR_NULL_ARGUMENT, "values");
        check_fails(ge_graph_set_attr_floats(s.graph, f, NULL, 1), GE_ERR_NULL_ARGUMENT, "values");
    });
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- kinds the operator declares ---- */

static void test_declared_kinds(void **state) {
    (void)state;
    ge_builder *b;
    ge_graph *graph;
    ge_node_id node;
    ge_attr_id attr = 1;
    check_ok(ge_builder_create(NULL, "g", 1, &b));
    check_ok(ge_builder_create_view(b, &graph));
    const int64_t dims[] = { 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_value_id x;
    check_ok(ge_builder_add_graph_input(b, NULL, 0, 0, &desc, &x));
    add_op(b, "LeakyRelu", "l", x, 0, &node);
    check_fails(ge_graph_find_attr(graph, node, "negative_slope", GE_NTS, &attr), GE_ERR_NOT_FOUND, "name"); /* a default is not present */
    assert_int_equal(attr, 0);
    check_unchanged(graph, { check_fails(ge_graph_add_attr(graph, node, "negative_slope", GE_NTS, GE_ATTR_INT, &attr), GE_ERR_WRONG_KIND, "kind"); });
    assert_int_equal(attr, 0);
    const float slope[] = { 0.25f };
    attr = attr_new(graph, node, "negative_slope", GE_ATTR_FLOAT);
    check_ok(ge_graph_set_attr_floats(graph, attr, slope, 1));
    attr = attr_new(graph, port_of(graph, node, GE_DIRECTION_IN, 0), "negative_slope", GE_ATTR_INT); /* of a port: nobody declares it */
    check_ok(ge_graph_check(graph));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

/* ---- changing kinds, removing ---- */

static void test_change_kind(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    const int64_t one[] = { 1 };
    ge_attr_id first = attr_new(s.graph, s.a, "k", GE_ATTR_INT);
    check_ok(ge_graph_set_attr_ints(s.graph, first, one, 1));
    ge_attr_id second = attr_new(s.graph, s.a, "k", GE_ATTR_STRING);
    assert_int_equal(first, second); /* the same attribute */
    check_text(s.graph, second, 0, "", 0);
    ge_tensor *tensor = two_floats(NULL);
    second = attr_new(s.graph, s.a, "k", GE_ATTR_TENSOR);
    check_ok(ge_graph_set_attr_tensor(s.graph, second, 0, tensor));
    second = attr_new(s.graph, s.a, "k", GE_ATTR_TENSOR); /* empty again */
    assert_int_equal(info_of(s.graph, second).items_count, 0);
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_graph_destroy(s.graph));
}

static void test_remove(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_attr_id attrs[20];
    size_t count;
    const int64_t numbers[20] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };
    for (size_t i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%zu", i);
        attrs[i] = attr_new(s.graph, s.a, name, GE_ATTR_INT);
        check_ok(ge_graph_set_attr_ints(s.graph, attrs[i], &numbers[i], 1));
    }
    for (size_t i = 0; i < 20; i += 2) check_ok(ge_graph_remove_attr(s.graph, attrs[i]));
    for (size_t i = 0; i < 20; i++) {
        if (i % 2) check_ints(s.graph, attrs[i], &numbers[i], 1); /* the ids of the others still hold */
        else check_fails(ge_graph_get_attr_ints(s.graph, attrs[i], NULL, 0, &count), GE_ERR_BAD_ID, "attr");
    }
    check_ok(ge_graph_get_attrs(s.graph, s.a, NULL, 0, &count));
    assert_int_equal(count, 10);
    check_fails(ge_graph_remove_attr(s.graph, attrs[0]), GE_ERR_BAD_ID, "attr");
    ge_attr_id of_r = attr_new(s.graph, s.r, "gone", GE_ATTR_INT);
    check_ok(ge_graph_replace_uses(s.graph, s.r_y, s.x));
    check_ok(ge_graph_remove_node(s.graph, s.r));
    check_fails(ge_graph_get_attr_ints(s.graph, of_r, NULL, 0, &count), GE_ERR_BAD_ID, "attr"); /* went with its node */
    check_ok(ge_graph_destroy(s.graph));
}

static void test_many(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_attr_id attr = 0;
    char name[32];
    size_t made = 0;
    while (made < 1000) {
        snprintf(name, sizeof name, "n%zu", made);
        ge_status st = ge_graph_add_attr(s.graph, s.a, name, GE_NTS, GE_ATTR_INT, &attr);
        if (st == GE_OK) {
            made++;
            continue;
        }
        check_fails(ge_graph_add_attr(s.graph, s.a, name, GE_NTS, GE_ATTR_INT, &attr), GE_ERR_LIMIT, "owner");
        break;
    }
    assert_in_range(made, 200, 1000);
    for (size_t i = 0; i < made; i++) {
        snprintf(name, sizeof name, "n%zu", i);
        check_ok(ge_graph_find_attr(s.graph, s.a, name, GE_NTS, &attr));
        assert_string_equal(info_of(s.graph, attr).name, name);
    }
    check_ok(ge_graph_destroy(s.graph));
}

/* ---- misuse ---- */

static void test_misuse(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL), other = small_graph_new(NULL);
    ge_attr_id attr = attr_new(s.graph, s.a, "i", GE_ATTR_INT), foreign = attr_new(other.graph, other.a, "i", GE_ATTR_INT), out = 7;
    ge_attr_info info;
    size_t count = 7;
    const uint64_t bad[] = BAD_IDS(foreign);
    const ge_owner_id owners[] = { 1, UINT64_MAX, other.a, other.a_y, attr };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_fails(ge_graph_get_attr_info(s.graph, bad[i], &info, sizeof info), GE_ERR_BAD_ID, "attr");
        check_fails(ge_graph_remove_attr(s.graph, bad[i]), GE_ERR_BAD_ID, "attr");
        check_fails(ge_graph_get_attr_ints(s.graph, bad[i], NULL, 0, &count), GE_ERR_BAD_ID, "attr");
    }
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        check_fails(ge_graph_get_attrs(s.graph, owners[i], NULL, 0, &count), GE_ERR_BAD_ID, "owner");
        check_fails(ge_graph_find_attr(s.graph, owners[i], "i", 1, &out), GE_ERR_BAD_ID, "owner");
        check_fails(ge_graph_add_attr(s.graph, owners[i], "j", 1, GE_ATTR_INT, &out), GE_ERR_BAD_ID, "owner");
        assert_int_equal(out, 0);
    }
    check_unchanged(s.graph, {
        check_fails(ge_graph_add_attr(s.graph, s.a, "j", 1, GE_ATTR_NONE, &out), GE_ERR_INVALID_ARGUMENT, "kind");
        check_fails(ge_graph_add_attr(s.graph, s.a, "j", 1, 5, &out), GE_ERR_INVALID_ARGUMENT, "kind");
        check_fails(ge_graph_add_attr(s.graph, s.a, "", 0, GE_ATTR_INT, &out), GE_ERR_INVALID_ARGUMENT, "name");
        check_fails(ge_graph_add_attr(s.graph, s.a, NULL, 0, GE_ATTR_INT, &out), GE_ERR_NULL_ARGUMENT, "name");
        check_fails(ge_graph_add_attr(s.graph, s.a, "j", 1, GE_ATTR_INT, NULL), GE_ERR_NULL_ARGUMENT, "out_attr");
        check_fails(ge_graph_add_attr(s.graph, s.a, "\xff", 1, GE_ATTR_INT, &out), GE_ERR_INVALID_UTF8, "name");
        check_fails(ge_graph_add_attr(s.graph, s.a, "a\0b", 3, GE_ATTR_INT, &out), GE_ERR_INVALID_UTF8, NULL);
        check_fails(ge_graph_add_attr(NULL, s.a, "j", 1, GE_ATTR_INT, &out), GE_ERR_HANDLE_NULL, "graph");
    });
    check_fails(ge_graph_find_attr(s.graph, s.a, "nosuch", GE_NTS, &out), GE_ERR_NOT_FOUND, "name");
    check_fails(ge_graph_find_attr(s.graph, s.a_y, "i", 1, &out), GE_ERR_NOT_FOUND, "name"); /* the node's, not the port's */
    check_fails(ge_graph_find_attr(s.graph, s.a, NULL, 1, &out), GE_ERR_NULL_ARGUMENT, "name");
    check_fails(ge_graph_find_attr(s.graph, s.a, "i", 1, NULL), GE_ERR_NULL_ARGUMENT, "out_attr");
    check_fails(ge_graph_get_attrs(s.graph, s.a, NULL, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_get_attrs(s.graph, s.a, NULL, 1, &count), GE_ERR_NULL_ARGUMENT, "attrs");
    check_fails(ge_graph_get_attr_info(s.graph, attr, NULL, sizeof info), GE_ERR_NULL_ARGUMENT, "out_info");
    check_fails(ge_graph_get_attr_info(s.graph, attr, &info, 8), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_graph_get_attr_ints(s.graph, attr, NULL, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_graph_get_attr_floats(s.graph, attr, NULL, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    const char *text;
    check_fails(ge_graph_get_attr_text(s.graph, attr, 0, NULL, &count), GE_ERR_NULL_ARGUMENT, "out_text");
    check_fails(ge_graph_get_attr_text(s.graph, attr, 0, &text, NULL), GE_ERR_NULL_ARGUMENT, "out_text_size");
    check_fails(ge_tensor_create_from_attr(s.graph, attr, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    check_fails(ge_graph_remove_attr(FOREIGN_HANDLE, attr), GE_ERR_HANDLE_FOREIGN, "graph");
    check_fails(ge_graph_set_attr_ints(FOREIGN_HANDLE, attr, NULL, 0), GE_ERR_HANDLE_FOREIGN, "graph");
    check_ok(ge_graph_destroy(s.graph));
    check_fails(ge_graph_get_attr_info(s.graph, attr, &info, sizeof info), GE_ERR_HANDLE_STALE, "graph");
    check_ok(ge_graph_destroy(other.graph));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_and_owners), cmocka_unit_test(test_ints),          cmocka_unit_test(test_rows),
        cmocka_unit_test(test_floats),           cmocka_unit_test(test_texts),         cmocka_unit_test(test_text_lists),
        cmocka_unit_test(test_tensors),          cmocka_unit_test(test_caller_memory_in_graph), cmocka_unit_test(test_other_context),
        cmocka_unit_test(test_wrong_kinds),      cmocka_unit_test(test_out_of_range),  cmocka_unit_test(test_declared_kinds),
        cmocka_unit_test(test_change_kind),      cmocka_unit_test(test_remove),        cmocka_unit_test(test_many),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
