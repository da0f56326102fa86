/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes set through a builder. */
#include "builder_test.h"

static void test_attributes(void **state) {
    (void)state;
    ge_value_id x;
    ge_node_id node;
    ge_attr_info info;
    ge_attr_id attrs[16];
    size_t count;
    const int64_t ints[] = { 1, 0 }, rows[] = { 1, 5 };
    const float floats[] = { 1.5f, 2 }, float_rows[] = { 1, 5 };
    const char *texts[] = { "a", "" };
    ge_tensor *tensor = two_floats(NULL);
    ge_builder *b = builder_new(&x);
    begin(b, "Relu");
    check_ok(ge_builder_add_input(b, x));
    const struct {
        const char *name;
        ge_attr_kind kind;
        uint64_t items;
    } wanted[] = { { "i", GE_ATTR_INT, 1 }, { "b", GE_ATTR_BOOL, 1 }, { "t", GE_ATTR_DATA_TYPE, 1 }, { "f", GE_ATTR_FLOAT, 1 }, { "s", GE_ATTR_STRING, 1 },
                   { "y", GE_ATTR_BYTES, 1 }, { "x", GE_ATTR_TENSOR, 1 }, { "is", GE_ATTR_LIST_INT, 2 }, { "bs", GE_ATTR_LIST_BOOL, 2 },
                   { "ts", GE_ATTR_LIST_DATA_TYPE, 2 }, { "ll", GE_ATTR_LIST_LIST_INT, 2 }, { "fs", GE_ATTR_LIST_FLOAT, 2 },
                   { "fl", GE_ATTR_LIST_LIST_FLOAT, 2 }, { "ss", GE_ATTR_LIST_STRING, 2 }, { "none", GE_ATTR_LIST_INT, 0 } };
    check_ok(ge_builder_set_attr_int(b, "i", 1, GE_ATTR_NONE, 41));
    check_ok(ge_builder_set_attr_int(b, "i", 1, GE_ATTR_INT, 42)); /* replaces */
    check_ok(ge_builder_set_attr_int(b, "b", 1, GE_ATTR_BOOL, 1));
    check_ok(ge_builder_set_attr_int(b, "t", 1, GE_ATTR_DATA_TYPE, GE_DTYPE_INT4));
    check_ok(ge_builder_set_attr_float(b, "f", 1, 2.5f));
    check_ok(ge_builder_set_attr_text(b, "s", 1, GE_ATTR_NONE, "text", GE_NTS));
    check_ok(ge_builder_set_attr_text(b, "y", 1, GE_ATTR_BYTES, "\xff\0", 2));
    check_ok(ge_builder_set_attr_tensor(b, "x", 1, tensor));
    check_ok(ge_builder_set_attr_ints(b, "is", 2, GE_ATTR_NONE, ints, 2));
    check_ok(ge_builder_set_attr_ints(b, "bs", 2, GE_ATTR_LIST_BOOL, ints, 2));
    check_ok(ge_builder_set_attr_ints(b, "ts", 2, GE_ATTR_LIST_DATA_TYPE, ints, 2));
    check_ok(ge_builder_set_attr_ints(b, "ll", 2, GE_ATTR_LIST_LIST_INT, rows, 2));
    check_ok(ge_builder_set_attr_floats(b, "fs", 2, GE_ATTR_NONE, floats, 2));
    check_ok(ge_builder_set_attr_floats(b, "fl", 2, GE_ATTR_LIST_LIST_FLOAT, float_rows, 2));
    check_ok(ge_builder_set_attr_texts(b, "ss", 2, texts, 2));
    check_ok(ge_builder_set_attr_ints(b, "none", GE_NTS, GE_ATTR_NONE, NULL, 0));
    check_ok(ge_builder_end_op(b, NULL, 0, &node));
    check_ok(ge_tensor_destroy(tensor));
    ge_graph *graph = view_of(b);
    check_ok(ge_graph_get_attrs(graph, node, attrs, 16, &count));
    assert_int_equal(count, sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < count; i++) {
        check_ok(ge_graph_get_attr_info(graph, attrs[i], &info, sizeof info));
        assert_string_equal(info.name, wanted[i].name);
        assert_int_equal(info.kind, wanted[i].kind);
        assert_int_equal(info.items_count, wanted[i].items);
    }
    int64_t value;
    check_ok(ge_graph_get_attr_ints(graph, attrs[0], &value, 1, &count));
    assert_int_equal(value, 42);
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

/* GE_ATTR_NONE means what the operator declares. */
static void test_declared_attributes(void **state) {
    (void)state;
    ge_value_id x;
    ge_node_id node;
    ge_attr_id attr;
    ge_attr_info info;
    const int64_t rows[] = { 2, 1, 1 }, ones[] = { 1, 1, 1, 1 };
    ge_builder *b = builder_new(&x);
    ge_graph *graph = view_of(b);
    begin(b, "MatMul");
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_set_attr_int(b, "transpose_x1", GE_NTS, GE_ATTR_NONE, 1)); /* a bool */
    check_ok(ge_builder_end_op(b, NULL, 0, &node));
    check_ok(ge_graph_find_attr(graph, node, "transpose_x1", GE_NTS, &attr));
    check_ok(ge_graph_get_attr_info(graph, attr, &info, sizeof info));
    assert_int_equal(info.kind, GE_ATTR_BOOL);
    begin(b, "PadD");
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_set_attr_ints(b, "paddings", GE_NTS, GE_ATTR_NONE, rows, 3)); /* rows */
    check_ok(ge_builder_end_op(b, NULL, 0, &node));
    check_ok(ge_graph_find_attr(graph, node, "paddings", GE_NTS, &attr));
    check_ok(ge_graph_get_attr_info(graph, attr, &info, sizeof info));
    assert_int_equal(info.kind, GE_ATTR_LIST_LIST_INT);

    begin(b, "MatMul");
    check_fails(ge_builder_set_attr_int(b, "transpose_x1", GE_NTS, GE_ATTR_NONE, 2), GE_ERR_OUT_OF_RANGE, "value");
    ends_failed(b, GE_ERR_OUT_OF_RANGE, 3);
    begin(b, "MatMul");
    check_fails(ge_builder_set_attr_int(b, "transpose_x1", GE_NTS, GE_ATTR_INT, 1), GE_ERR_WRONG_KIND, "kind");
    ends_failed(b, GE_ERR_WRONG_KIND, 3);
    begin(b, "MatMul");
    check_fails(ge_builder_set_attr_float(b, "transpose_x1", GE_NTS, 1), GE_ERR_WRONG_KIND, "name");
    ends_failed(b, GE_ERR_WRONG_KIND, 3);
    begin(b, "MatMul");
    check_fails(ge_builder_set_attr_text(b, "transpose_x1", GE_NTS, GE_ATTR_NONE, "1", 1), GE_ERR_WRONG_KIND, "name");
    ends_failed(b, GE_ERR_WRONG_KIND, 3);
    begin(b, "MatMul");
    check_fails(ge_builder_set_attr_ints(b, "transpose_x1", GE_NTS, GE_ATTR_NONE, ones, 1), GE_ERR_WRONG_KIND, "name");
    ends_failed(b, GE_ERR_WRONG_KIND, 3);
    begin(b, "Conv2D");
    check_fails(ge_builder_set_attr_int(b, "strides", GE_NTS, GE_ATTR_NONE, 1), GE_ERR_WRONG_KIND, "name");
    ends_failed(b, GE_ERR_WRONG_KIND, 3);
    begin(b, "PadD");
    check_fails(ge_builder_set_attr_ints(b, "paddings", GE_NTS, GE_ATTR_NONE, ones, 3), GE_ERR_OUT_OF_RANGE, "values");
    ends_failed(b, GE_ERR_OUT_OF_RANGE, 3);
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

static void test_attribute_misuse(void **state) {
    (void)state;
    ge_value_id x;
    ge_builder *b = builder_new(&x);
    const int64_t ints[] = { 7, INT64_MAX };
    const char *with_null[] = { "a", NULL }, *bad[] = { "\xff" };
    ge_context *context;
    check_ok(ge_context_create(NULL, &context));
    ge_tensor *foreign = two_floats(context);
#define FAILS(call, status, argument)              \
    do {                                           \
        begin(b, "Relu");                          \
        check_fails(call, status, argument);       \
        ends_failed(b, status, 1);                 \
    } while (0)
    FAILS(ge_builder_set_attr_int(b, NULL, 0, GE_ATTR_NONE, 1), GE_ERR_NULL_ARGUMENT, "name");
    FAILS(ge_builder_set_attr_int(b, "", 0, GE_ATTR_NONE, 1), GE_ERR_INVALID_ARGUMENT, "name");
    FAILS(ge_builder_set_attr_int(b, "\xff", 1, GE_ATTR_NONE, 1), GE_ERR_INVALID_UTF8, "name");
    FAILS(ge_builder_set_attr_int(b, "a\0b", 3, GE_ATTR_NONE, 1), GE_ERR_INVALID_UTF8, "name");
    FAILS(ge_builder_set_attr_int(b, "a", 1, 5, 1), GE_ERR_INVALID_ARGUMENT, "kind");
    FAILS(ge_builder_set_attr_int(b, "a", 1, -1, 1), GE_ERR_INVALID_ARGUMENT, "kind");
    FAILS(ge_builder_set_attr_int(b, "a", 1, GE_ATTR_FLOAT, 1), GE_ERR_WRONG_KIND, "kind");
    FAILS(ge_builder_set_attr_int(b, "a", 1, GE_ATTR_LIST_INT, 1), GE_ERR_WRONG_KIND, "kind");
    FAILS(ge_builder_set_attr_int(b, "a", 1, GE_ATTR_BOOL, 2), GE_ERR_OUT_OF_RANGE, "value");
    FAILS(ge_builder_set_attr_int(b, "a", 1, GE_ATTR_DATA_TYPE, 5), GE_ERR_OUT_OF_RANGE, "value");
    FAILS(ge_builder_set_attr_float(b, NULL, 1, 1), GE_ERR_NULL_ARGUMENT, "name");
    FAILS(ge_builder_set_attr_text(b, "a", 1, GE_ATTR_NONE, NULL, 0), GE_ERR_NULL_ARGUMENT, "text");
    FAILS(ge_builder_set_attr_text(b, "a", 1, GE_ATTR_STRING, "\xff", 1), GE_ERR_INVALID_UTF8, "text");
    FAILS(ge_builder_set_attr_text(b, "a", 1, GE_ATTR_INT, "1", 1), GE_ERR_WRONG_KIND, "kind");
    FAILS(ge_builder_set_attr_tensor(b, "a", 1, NULL), GE_ERR_HANDLE_NULL, "tensor");
    FAILS(ge_builder_set_attr_tensor(b, "a", 1, foreign), GE_ERR_HANDLE_OTHER_CONTEXT, "tensor");
    FAILS(ge_builder_set_attr_ints(b, "a", 1, GE_ATTR_NONE, NULL, 1), GE_ERR_NULL_ARGUMENT, "values");
    FAILS(ge_builder_set_attr_ints(b, "a", 1, GE_ATTR_LIST_BOOL, ints, 1), GE_ERR_OUT_OF_RANGE, "values");
    FAILS(ge_builder_set_attr_ints(b, "a", 1, GE_ATTR_LIST_LIST_INT, ints, 2), GE_ERR_OUT_OF_RANGE, "values");
    FAILS(ge_builder_set_attr_ints(b, "a", 1, GE_ATTR_LIST_FLOAT, ints, 1), GE_ERR_WRONG_KIND, "kind");
    FAILS(ge_builder_set_attr_floats(b, "a", 1, GE_ATTR_NONE, NULL, 1), GE_ERR_NULL_ARGUMENT, "values");
    FAILS(ge_builder_set_attr_floats(b, "a", 1, GE_ATTR_LIST_INT, NULL, 0), GE_ERR_WRONG_KIND, "kind");
    FAILS(ge_builder_set_attr_texts(b, "a", 1, NULL, 1), GE_ERR_NULL_ARGUMENT, "texts");
    FAILS(ge_builder_set_attr_texts(b, "a", 1, with_null, 2), GE_ERR_NULL_ARGUMENT, "texts");
    FAILS(ge_builder_set_attr_texts(b, "a", 1, bad, 1), GE_ERR_INVALID_UTF8, "texts");
#undef FAILS
    check_ok(ge_tensor_destroy(foreign));
    check_ok(ge_context_destroy(context));
    check_ok(ge_builder_destroy(b));
}

/* A builder that is destroyed with an operator open lets its tensors go. */
static int released;
static void on_release(void *user, uint8_t *data, size_t size) {
    (void)user, (void)data, (void)size;
    released++;
}
static void test_dropped_tensors(void **state) {
    (void)state;
    float values[2] = { 1, 2 };
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, two);
    memory.data = (uint8_t *)values;
    memory.data_size = sizeof values;
    memory.release = on_release;
    ge_value_id x;
    for (int how = 0; how < 3; how++) {
        ge_tensor *tensor;
        ge_builder *b = builder_new(&x);
        released = 0;
        check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
        begin(b, "Relu");
        check_ok(ge_builder_set_attr_tensor(b, "extra", GE_NTS, tensor));
        check_ok(ge_tensor_destroy(tensor));
        assert_int_equal(released, 0);
        if (how == 1) check_fails(ge_builder_end_op(b, NULL, 0, NULL), GE_ERR_BAD_GRAPH, "builder");
        if (how == 2) {
            check_ok(ge_builder_add_input(b, x));
            check_ok(ge_builder_end_op(b, NULL, 0, NULL));
        }
        assert_int_equal(released, how == 1);
        check_ok(ge_builder_destroy(b));
        assert_int_equal(released, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_declared_attributes),
        cmocka_unit_test(test_attribute_misuse),
        cmocka_unit_test(test_dropped_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
