/* SPDX-License-Identifier: Apache-2.0 */
/* Builder: operators, constants, inputs, states, building. */
#include "builder_test.h"

/* ---- life ---- */

static void test_life(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_value_id x, y;
    ge_graph *graph, *view;
    ge_graph_info info;
    ge_builder *b = builder_new(&x);
    view = view_of(b);
    y = add_op(b, "Relu", NULL, x, 0, NULL);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_get_info(graph, &info, sizeof info));
    assert_string_equal(info.name, "g");
    assert_int_equal(info.nodes_count, 2);
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_graph_check(view)); /* the view names the same graph */
    check_ok(ge_graph_destroy(view));
    b = builder_new(&x); /* a graph that is not built goes with its builder */
    check_ok(ge_builder_destroy(b));
    check_ok(ge_builder_destroy(NULL));
    check_fails(ge_builder_destroy(b), GE_ERR_HANDLE_STALE, "builder");
    check_all_gone(before);
}

static void test_life_misuse(void **state) {
    (void)state;
    ge_builder *b = FOREIGN_HANDLE;
    ge_graph *graph = FOREIGN_HANDLE;
    check_fails(ge_builder_create(NULL, NULL, GE_NTS, &b), GE_ERR_NULL_ARGUMENT, "name");
    assert_null(b);
    check_fails(ge_builder_create(NULL, "g", 1, NULL), GE_ERR_NULL_ARGUMENT, "out_builder");
    check_fails(ge_builder_create(NULL, "\xff", 1, &b), GE_ERR_INVALID_UTF8, "name");
    check_fails(ge_builder_create(FOREIGN_HANDLE, "g", 1, &b), GE_ERR_HANDLE_FOREIGN, "context");
    check_fails(ge_builder_create_over(NULL, &b), GE_ERR_HANDLE_NULL, "graph");
    assert_null(b);
    b = builder_new(NULL);
    check_fails(ge_builder_create_view(b, NULL), GE_ERR_NULL_ARGUMENT, "out_graph");
    check_fails(ge_builder_create_view(NULL, &graph), GE_ERR_HANDLE_NULL, "builder");
    assert_null(graph);
    ge_builder *none = b;
    check_fails(ge_builder_create_over((ge_graph *)(void *)b, &none), GE_ERR_HANDLE_WRONG_KIND, "graph");
    assert_null(none);
    check_fails(ge_builder_create_over(NULL, NULL), GE_ERR_NULL_ARGUMENT, "out_builder");
    check_ok(ge_builder_destroy(b));
}

/* Every function against handles that are none. */
static void test_bad_handles(void **state) {
    (void)state;
    ge_graph *graph;
    ge_value_id value = 9;
    ge_node_id node = 9;
    const int64_t ints[] = { 1 };
    const double doubles[] = { 1 };
    const float floats[] = { 1 };
    const char *texts[] = { "t" };
    ge_tensor *tensor = two_floats(NULL);
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, two);
    struct {
        ge_builder *handle;
        ge_status status;
    } bad[] = { { NULL, GE_ERR_HANDLE_NULL }, { FOREIGN_HANDLE, GE_ERR_HANDLE_FOREIGN }, { SMALL_HANDLE, GE_ERR_HANDLE_FOREIGN },
                { (ge_builder *)(void *)tensor, GE_ERR_HANDLE_WRONG_KIND }, { builder_new(NULL), GE_ERR_HANDLE_STALE } };
    check_ok(ge_builder_destroy(bad[4].handle));
    for (size_t i = 0; i < 5; i++) {
        ge_builder *h = bad[i].handle;
        ge_status st = bad[i].status;
        check_fails(ge_builder_create_view(h, &graph), st, "builder");
        check_fails(ge_builder_add_graph_input(h, NULL, 0, 0, &desc, &value), st, "builder");
        assert_int_equal(value, 0);
        check_fails(ge_builder_add_constant(h, NULL, 0, tensor, &value), st, "builder");
        check_fails(ge_builder_add_ints(h, GE_DTYPE_INT32, ints, 1, 0, &value), st, "builder");
        check_fails(ge_builder_add_floats(h, GE_DTYPE_FLOAT32, doubles, 1, 0, &value), st, "builder");
        check_fails(ge_builder_begin_op(h, "Add", GE_NTS, NULL, 0), st, "builder");
        check_fails(ge_builder_add_input(h, 1), st, "builder");
        check_fails(ge_builder_add_inputs(h, &value, 1), st, "builder");
        check_fails(ge_builder_set_output_count(h, "y", 1, 1), st, "builder");
        check_fails(ge_builder_set_attr_int(h, "a", 1, GE_ATTR_NONE, 1), st, "builder");
        check_fails(ge_builder_set_attr_float(h, "a", 1, 1), st, "builder");
        check_fails(ge_builder_set_attr_text(h, "a", 1, GE_ATTR_NONE, "t", 1), st, "builder");
        check_fails(ge_builder_set_attr_tensor(h, "a", 1, tensor), st, "builder");
        check_fails(ge_builder_set_attr_ints(h, "a", 1, GE_ATTR_NONE, ints, 1), st, "builder");
        check_fails(ge_builder_set_attr_floats(h, "a", 1, GE_ATTR_NONE, floats, 1), st, "builder");
        check_fails(ge_builder_set_attr_texts(h, "a", 1, texts, 1), st, "builder");
        check_fails(ge_builder_end_op(h, &value, 1, &node), st, "builder");
        assert_int_equal(node, 0);
        check_fails(ge_builder_build(h, NULL, 0, &graph), st, "builder");
        assert_null(graph);
    }
    check_ok(ge_tensor_destroy(tensor));
}

/* ---- inputs ---- */

static void test_graph_inputs(void **state) {
    (void)state;
    ge_value_id values[3], again = 5;
    ge_graph *graph;
    ge_node_id nodes[3];
    ge_tensor_desc back;
    size_t count;
    const int64_t dims[] = { -1, 7 };
    const char *names[] = { "rows", NULL };
    ge_tensor_desc desc = desc_of(GE_DTYPE_INT64, 2, dims);
    ge_builder *b = builder_new(NULL);
    desc.dim_names = names;
    desc.format = GE_FORMAT_NCHW;
    check_ok(ge_builder_add_graph_input(b, "late", GE_NTS, 2, &desc, &values[2]));
    check_ok(ge_builder_add_graph_input(b, NULL, 0, 0, &desc, &values[0]));
    check_ok(ge_builder_add_graph_input(b, "middleX", 6, 1, &desc, &values[1]));
    check_fails(ge_builder_add_graph_input(b, "late", GE_NTS, 3, &desc, &again), GE_ERR_ALREADY_EXISTS, "name");
    assert_int_equal(again, 0);
    check_fails(ge_builder_add_graph_input(b, "\xff", 1, 3, &desc, &again), GE_ERR_INVALID_UTF8, "name");
    check_fails(ge_builder_add_graph_input(b, "a\0b", 3, 3, &desc, &again), GE_ERR_INVALID_UTF8, "name");
    check_fails(ge_builder_add_graph_input(b, "n", 1, 3, NULL, &again), GE_ERR_NULL_ARGUMENT, "desc");
    check_fails(ge_builder_add_graph_input(b, "n", 1, 3, &desc, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    desc.rank = 9;
    check_fails(ge_builder_add_graph_input(b, "n", 1, 3, &desc, &again), GE_ERR_RANK, "desc");
    desc.rank = 2;
    desc.dtype = -3;
    check_fails(ge_builder_add_graph_input(b, "n", 1, 3, &desc, &again), GE_ERR_DTYPE, "desc");
    desc.dtype = GE_DTYPE_INT64;
    desc.strides = dims;
    check_fails(ge_builder_add_graph_input(b, "n", 1, 3, &desc, &again), GE_ERR_SHAPE, "desc");
    check_ok(ge_builder_build(b, values, 3, &graph));
    check_ok(ge_graph_get_inputs(graph, nodes, 3, &count));
    assert_int_equal(count, 3);
    assert_int_equal(nodes[0], node_named(graph, "input_0"));
    assert_int_equal(nodes[1], node_named(graph, "middle"));
    assert_int_equal(nodes[2], node_named(graph, "late"));
    check_ok(ge_graph_get_desc(graph, values[1], &back, sizeof back));
    assert_int_equal(back.dtype, GE_DTYPE_INT64);
    assert_int_equal(back.format, GE_FORMAT_NCHW);
    assert_string_equal(back.dim_names[0], "rows");
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

static void test_input_indices(void **state) {
    (void)state;
    ge_value_id value;
    ge_graph *graph;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, two);
    ge_builder *b = builder_new(&value); /* index 0 */
    check_ok(ge_builder_add_graph_input(b, "third", GE_NTS, 2, &desc, &value));
    check_fails(ge_builder_build(b, &value, 1, &graph), GE_ERR_BAD_GRAPH, NULL); /* 0 and 2 */
    assert_null(graph);
    check_ok(ge_builder_add_graph_input(b, "second", GE_NTS, 1, &desc, &value)); /* it goes on as before */
    check_ok(ge_builder_build(b, &value, 1, &graph));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
    b = builder_new(&value);
    check_ok(ge_builder_add_graph_input(b, "same", GE_NTS, 0, &desc, &value));
    check_fails(ge_builder_build(b, &value, 1, &graph), GE_ERR_BAD_GRAPH, NULL); /* 0 and 0 */
    check_ok(ge_builder_destroy(b));
}

/* ---- constants ---- */

static void test_constants(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_value_id named, made_up, value = 3;
    ge_tensor *tensor = two_floats(NULL), *back;
    ge_graph *graph;
    ge_attr_id attr;
    const uint8_t *data, *shared;
    size_t size;
    ge_tensor_desc desc;
    ge_builder *b = builder_new(NULL);
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    check_ok(ge_builder_add_constant(b, "k", GE_NTS, tensor, &named));
    check_ok(ge_builder_add_constant(b, NULL, 0, tensor, &made_up));
    check_fails(ge_builder_add_constant(b, "k", GE_NTS, tensor, &value), GE_ERR_ALREADY_EXISTS, "name");
    assert_int_equal(value, 0);
    check_fails(ge_builder_add_constant(b, "l", GE_NTS, NULL, &value), GE_ERR_HANDLE_NULL, "tensor");
    check_fails(ge_builder_add_constant(b, "l", GE_NTS, tensor, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    check_ok(ge_tensor_destroy(tensor));
    check_fails(ge_builder_add_constant(b, "l", GE_NTS, tensor, &value), GE_ERR_HANDLE_STALE, "tensor");
    const ge_value_id outputs[] = { named, made_up };
    check_ok(ge_builder_build(b, outputs, 2, &graph));
    check_ok(ge_graph_get_desc(graph, named, &desc, sizeof desc));
    assert_int_equal(desc.dtype, GE_DTYPE_FLOAT32);
    assert_int_equal(desc.dims[0], 2);
    check_ok(ge_graph_find_attr(graph, node_named(graph, "k"), "value", GE_NTS, &attr));
    check_ok(ge_tensor_create_from_attr(graph, attr, 0, &back));
    check_ok(ge_tensor_get_data(back, &shared, &size));
    assert_ptr_equal(shared, data);
    check_ok(ge_tensor_destroy(back));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
    check_all_gone(before);
}

/* The bytes of a constant made from numbers. */
static ge_tensor *content(ge_builder *b, ge_value_id value, const uint8_t **data, size_t *size, int32_t *rank) {
    ge_graph *graph = view_of(b);
    ge_node_id node;
    ge_attr_id attr;
    ge_tensor *tensor;
    ge_tensor_desc desc;
    check_ok(ge_graph_get_port_owner(graph, value, &node, NULL, NULL));
    check_ok(ge_graph_find_attr(graph, node, "value", GE_NTS, &attr));
    check_ok(ge_tensor_create_from_attr(graph, attr, 0, &tensor));
    check_ok(ge_tensor_get_data(tensor, data, size));
    check_ok(ge_tensor_get_desc(tensor, &desc, sizeof desc));
    *rank = desc.rank;
    check_ok(ge_graph_destroy(graph));
    return tensor;
}

static void test_add_ints(void **state) {
    (void)state;
    const uint8_t *data;
    size_t size;
    int32_t rank;
    ge_value_id value;
    ge_builder *b = builder_new(NULL);
    const int64_t v[] = { -128, 127, 0 }, big[] = { INT64_MIN, -1 }, bits[] = { 1, 0, 1 }, nibbles[] = { -8, 7 };
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT8, v, 3, 1, &value));
    ge_tensor *t = content(b, value, &data, &size, &rank);
    assert_int_equal(rank, 1);
    assert_int_equal(size, 3);
    assert_memory_equal(data, "\x80\x7f\0", 3);
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT64, big, 1, 0, &value));
    t = content(b, value, &data, &size, &rank);
    assert_int_equal(rank, 0);
    assert_memory_equal(data, big, 8);
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_UINT64, big, 2, 1, &value)); /* as the same bits */
    t = content(b, value, &data, &size, &rank);
    assert_memory_equal(data, big, 16);
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_BOOL, bits, 3, 1, &value));
    t = content(b, value, &data, &size, &rank);
    assert_memory_equal(data, "\1\0\1", 3);
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT4, nibbles, 2, 1, &value));
    t = content(b, value, &data, &size, &rank);
    assert_int_equal(size, 1);
    assert_int_equal(data[0], 0x78); /* lowest bits first */
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT32, NULL, 0, 1, &value)); /* an empty vector */
    t = content(b, value, &data, &size, &rank);
    assert_int_equal(size, 0);
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_destroy(b));
}

static void test_add_ints_misuse(void **state) {
    (void)state;
    const struct {
        ge_dtype dtype;
        int64_t value;
    } out_of_range[] = { { GE_DTYPE_INT8, 128 },   { GE_DTYPE_INT8, -129 },        { GE_DTYPE_UINT8, -1 },          { GE_DTYPE_UINT8, 256 },
                         { GE_DTYPE_BOOL, 2 },     { GE_DTYPE_BOOL, -1 },          { GE_DTYPE_INT4, 8 },            { GE_DTYPE_UINT4, 16 },
                         { GE_DTYPE_UINT1, 2 },    { GE_DTYPE_UINT32, -1 },        { GE_DTYPE_UINT32, INT64_C(1) << 32 }, { GE_DTYPE_INT32, INT64_C(1) << 31 },
                         { GE_DTYPE_INT16, INT64_MIN } };
    const ge_dtype no_ints[] = { GE_DTYPE_FLOAT32, GE_DTYPE_STRING, GE_DTYPE_COMPLEX64, GE_DTYPE_UNDEFINED, GE_DTYPE_RESOURCE, 5, -1 };
    const int64_t v[] = { 1, 2 };
    ge_value_id value = 4;
    ge_builder *b = builder_new(NULL);
    for (size_t i = 0; i < sizeof out_of_range / sizeof out_of_range[0]; i++) {
        check_fails(ge_builder_add_ints(b, out_of_range[i].dtype, &out_of_range[i].value, 1, 0, &value), GE_ERR_OUT_OF_RANGE, "values");
        assert_int_equal(value, 0);
    }
    for (size_t i = 0; i < sizeof no_ints / sizeof no_ints[0]; i++)
        check_fails(ge_builder_add_ints(b, no_ints[i], v, 1, 0, &value), GE_ERR_DTYPE, "dtype");
    check_fails(ge_builder_add_ints(b, GE_DTYPE_INT32, v, 2, 0, &value), GE_ERR_SHAPE, "values_count");
    check_fails(ge_builder_add_ints(b, GE_DTYPE_INT32, NULL, 0, 0, &value), GE_ERR_SHAPE, "values_count");
    check_fails(ge_builder_add_ints(b, GE_DTYPE_INT32, v, 1, 2, &value), GE_ERR_INVALID_ARGUMENT, "is_vector");
    check_fails(ge_builder_add_ints(b, GE_DTYPE_INT32, NULL, 1, 0, &value), GE_ERR_NULL_ARGUMENT, "values");
    check_fails(ge_builder_add_ints(b, GE_DTYPE_INT32, v, 1, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    assert_int_equal(nodes_in(b), 0);
    check_ok(ge_builder_destroy(b));
}

static void test_add_floats(void **state) {
    (void)state;
    const uint8_t *data;
    size_t size;
    int32_t rank;
    ge_value_id value;
    const double v[] = { 1.0, 0.1, -2.5 };
    const float as_floats[] = { 1.0f, 0.1f, -2.5f };
    const uint16_t as_halves[] = { 0x3c00, 0x2e66, 0xc100 };
    const ge_dtype no_floats[] = { GE_DTYPE_INT32, GE_DTYPE_BOOL, GE_DTYPE_COMPLEX64, GE_DTYPE_STRING, GE_DTYPE_HIFLOAT8, 5 };
    ge_builder *b = builder_new(NULL);
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, v, 3, 1, &value));
    ge_tensor *t = content(b, value, &data, &size, &rank);
    assert_int_equal(size, 12);
    assert_memory_equal(data, as_floats, 12);
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT16, v, 3, 1, &value));
    t = content(b, value, &data, &size, &rank);
    assert_memory_equal(data, as_halves, 6);
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT64, v + 1, 1, 0, &value));
    t = content(b, value, &data, &size, &rank);
    assert_int_equal(rank, 0);
    assert_memory_equal(data, v + 1, 8);
    check_ok(ge_tensor_destroy(t));
    for (size_t i = 0; i < sizeof no_floats / sizeof no_floats[0]; i++)
        check_fails(ge_builder_add_floats(b, no_floats[i], v, 1, 0, &value), GE_ERR_DTYPE, "dtype");
    check_fails(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, v, 3, 0, &value), GE_ERR_SHAPE, "values_count");
    check_fails(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, v, 3, -1, &value), GE_ERR_INVALID_ARGUMENT, "is_vector");
    check_fails(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, NULL, 3, 1, &value), GE_ERR_NULL_ARGUMENT, "values");
    check_fails(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, v, 3, 1, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    check_ok(ge_builder_destroy(b));
}

/* ---- operators ---- */

static void test_operator(void **state) {
    (void)state;
    ge_value_id x, values[2] = { 7, 7 };
    ge_node_id node;
    ge_node_info info;
    ge_builder *b = builder_new(&x);
    check_ok(ge_builder_begin_op(b, "AddXYZ", 3, "sumXYZ", 3));
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_end_op(b, values, 2, &node));
    assert_int_not_equal(values[0], 0);
    assert_int_equal(values[1], 0); /* there is one output only */
    ge_graph *graph = view_of(b);
    check_ok(ge_graph_get_node_infos(graph, &node, 1, &info, 1, sizeof info));
    assert_string_equal(info.name, "sum");
    assert_string_equal(info.op_type, "Add");
    check_ok(ge_builder_begin_op(b, "Relu", GE_NTS, NULL, 0));
    check_ok(ge_builder_add_input(b, values[0]));
    check_ok(ge_builder_end_op(b, NULL, 0, NULL)); /* nobody asks */
    check_ok(ge_builder_begin_op(b, "Relu", GE_NTS, "", 0)); /* an empty name is none */
    check_ok(ge_builder_add_input(b, values[0]));
    check_ok(ge_builder_end_op(b, values, 0, &node));
    assert_int_equal(nodes_in(b), 4);
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

static void test_names(void **state) {
    (void)state;
    ge_value_id x, y;
    ge_node_id node;
    ge_builder *b = builder_new(&x);
    add_op(b, "Relu", "Relu_0", x, 0, NULL); /* takes a name that would be made up */
    y = add_op(b, "Relu", NULL, x, 0, NULL);
    y = add_op(b, "Add", NULL, x, y, &node);
    ge_graph *graph = view_of(b);
    assert_int_equal(node_named(graph, "Add_2"), node);
    check_ok(ge_graph_set_outputs(graph, &y, 1, NULL, 0)); /* makes a node that clients do not see ... */
    add_op(b, "Relu", "NetOutput", x, 0, &node);           /* ... and whose name they may use */
    assert_int_equal(node_named(graph, "NetOutput"), node);
    check_ok(ge_graph_check(graph));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

static void test_optional_inputs(void **state) {
    (void)state;
    ge_value_id x, y, inputs[4];
    ge_node_id node;
    size_t count;
    const int64_t ones[] = { 1, 1, 1, 1 };
    ge_builder *b = builder_new(&x);
    for (int how = 0; how < 3; how++) { /* bias left out, given as 0, given */
        check_ok(ge_builder_begin_op(b, "Conv2D", GE_NTS, NULL, 0));
        check_ok(ge_builder_add_input(b, x));
        check_ok(ge_builder_add_input(b, x));
        if (how == 1) check_ok(ge_builder_add_input(b, 0));
        if (how == 2) check_ok(ge_builder_add_input(b, x));
        check_ok(ge_builder_set_attr_ints(b, "strides", GE_NTS, GE_ATTR_NONE, ones, 4));
        check_ok(ge_builder_set_attr_ints(b, "pads", GE_NTS, GE_ATTR_NONE, ones, 4));
        check_ok(ge_builder_end_op(b, &y, 1, &node));
        ge_graph *graph = view_of(b);
        check_ok(ge_graph_get_node_inputs(graph, node, inputs, 4, &count));
        assert_int_equal(count, 4);
        assert_int_equal(inputs[2], how == 2 ? x : 0);
        assert_int_equal(inputs[3], 0);
        check_ok(ge_graph_check(graph));
        check_ok(ge_graph_destroy(graph));
    }
    check_ok(ge_builder_destroy(b));
}

static void test_dynamic_ports(void **state) {
    (void)state;
    ge_value_id x, parts[3], joined, inputs[4];
    ge_node_id node;
    size_t count;
    const int64_t zero[] = { 0 };
    ge_builder *b = builder_new(&x);
    ge_value_id axis;
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT32, zero, 1, 0, &axis));
    check_ok(ge_builder_begin_op(b, "SplitD", GE_NTS, "split", GE_NTS));
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_set_output_count(b, "yX", 1, 3));
    check_ok(ge_builder_set_attr_int(b, "split_dim", GE_NTS, GE_ATTR_NONE, 0));
    check_ok(ge_builder_set_attr_int(b, "num_split", GE_NTS, GE_ATTR_NONE, 3));
    check_ok(ge_builder_end_op(b, parts, 3, &node));
    for (int i = 0; i < 3; i++) assert_int_not_equal(parts[i], 0);
    check_ok(ge_builder_begin_op(b, "ConcatV2", GE_NTS, "join", GE_NTS));
    check_ok(ge_builder_add_inputs(b, parts, 3));
    check_ok(ge_builder_add_input(b, axis));
    check_ok(ge_builder_end_op(b, &joined, 1, &node));
    ge_graph *graph = view_of(b);
    check_ok(ge_graph_get_node_inputs(graph, node, inputs, 4, &count));
    assert_int_equal(count, 4);
    assert_memory_equal(inputs, parts, sizeof parts);
    assert_int_equal(inputs[3], axis);
    check_ok(ge_builder_begin_op(b, "IdentityN", GE_NTS, "none", GE_NTS)); /* a dynamic input left out has no values */
    check_ok(ge_builder_end_op(b, NULL, 0, &node));
    check_ok(ge_graph_get_node_inputs(graph, node, NULL, 0, &count));
    assert_int_equal(count, 0);
    check_ok(ge_graph_check(graph));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

/* ---- failures stay with their operator ---- */

static void test_input_failures(void **state) {
    (void)state;
    ge_value_id x, y;
    ge_builder *b = builder_new(&x), *other = builder_new(&y);
    const uint64_t bad[] = BAD_IDS(y);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        begin(b, "Add");
        check_fails(ge_builder_add_input(b, bad[i]), GE_ERR_BAD_ID, "value");
        check_fails(ge_builder_add_input(b, x), GE_ERR_BAD_ID, "value"); /* sound, but the first failure stays */
        ends_failed(b, GE_ERR_BAD_ID, 1);
        begin(b, "ConcatV2");
        check_fails(ge_builder_add_inputs(b, &bad[i], 1), GE_ERR_BAD_ID, "values");
        ends_failed(b, GE_ERR_BAD_ID, 1);
    }
    begin(b, "Relu");
    check_ok(ge_builder_add_input(b, x));
    check_fails(ge_builder_add_input(b, x), GE_ERR_OUT_OF_RANGE, "value");
    ends_failed(b, GE_ERR_OUT_OF_RANGE, 1);
    begin(b, "Relu");
    check_ok(ge_builder_add_input(b, x));
    check_fails(ge_builder_add_inputs(b, &x, 1), GE_ERR_OUT_OF_RANGE, "values");
    ends_failed(b, GE_ERR_OUT_OF_RANGE, 1);
    begin(b, "ConcatV2");
    check_fails(ge_builder_add_input(b, x), GE_ERR_WRONG_KIND, "value"); /* that one is dynamic */
    ends_failed(b, GE_ERR_WRONG_KIND, 1);
    begin(b, "Relu");
    check_fails(ge_builder_add_inputs(b, &x, 1), GE_ERR_WRONG_KIND, "values");
    ends_failed(b, GE_ERR_WRONG_KIND, 1);
    begin(b, "ConcatV2");
    check_fails(ge_builder_add_inputs(b, NULL, 1), GE_ERR_NULL_ARGUMENT, "values");
    ends_failed(b, GE_ERR_NULL_ARGUMENT, 1);
    begin(b, "SplitD");
    check_fails(ge_builder_set_output_count(b, "nosuch", GE_NTS, 1), GE_ERR_NOT_FOUND, "output");
    ends_failed(b, GE_ERR_NOT_FOUND, 1);
    begin(b, "Relu");
    check_fails(ge_builder_set_output_count(b, "y", GE_NTS, 1), GE_ERR_WRONG_KIND, "output");
    ends_failed(b, GE_ERR_WRONG_KIND, 1);
    begin(b, "SplitD");
    check_fails(ge_builder_set_output_count(b, NULL, 0, 1), GE_ERR_NULL_ARGUMENT, "output");
    ends_failed(b, GE_ERR_NULL_ARGUMENT, 1);
    begin(b, "SplitD");
    check_fails(ge_builder_set_output_count(b, "\xff", 1, 1), GE_ERR_INVALID_UTF8, "output");
    ends_failed(b, GE_ERR_INVALID_UTF8, 1);
    begin(b, "SplitD");
    check_fails(ge_builder_set_output_count(b, "y", 1, UINT32_MAX), GE_ERR_LIMIT, "values_count");
    ends_failed(b, GE_ERR_LIMIT, 1);
    check_ok(ge_builder_destroy(b));
    check_ok(ge_builder_destroy(other));
}

static void test_end_failures(void **state) {
    (void)state;
    ge_value_id x, y;
    ge_builder *b = builder_new(&x);
    begin(b, "Add");
    check_ok(ge_builder_add_input(b, x));
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_BAD_GRAPH, "builder"); /* x2 is missing */
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_WRONG_STATE, "builder"); /* and it was dropped */
    begin(b, "SplitD");
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_set_attr_int(b, "split_dim", GE_NTS, GE_ATTR_NONE, 0));
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_BAD_ATTR, "builder"); /* num_split is missing */
    begin(b, "Relu");
    check_ok(ge_builder_add_input(b, x));
    check_fails(ge_builder_end_op(b, NULL, 1, NULL), GE_ERR_NULL_ARGUMENT, "values");
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_WRONG_STATE, "builder");
    assert_int_equal(nodes_in(b), 1);
    ge_node_id node;
    ge_graph *graph = view_of(b);
    y = add_op(b, "Relu", "gone", x, 0, &node);
    begin(b, "Relu");
    check_ok(ge_builder_add_input(b, y));
    check_ok(ge_graph_remove_node(graph, node)); /* behind the builder's back */
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_BAD_ID, NULL);
    assert_int_equal(nodes_in(b), 1);
    check_ok(ge_graph_check(graph));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

static void test_begin_failures(void **state) {
    (void)state;
    ge_value_id x, y;
    ge_builder *b = builder_new(&x);
    const struct {
        const char *type;
        size_t type_size;
        const char *name;
        size_t name_size;
        ge_status status;
        const char *argument;
    } cases[] = {
        { "Bogus", GE_NTS, NULL, 0, GE_ERR_UNSUPPORTED_OPERATOR, "op_type" },
        { "", 0, NULL, 0, GE_ERR_UNSUPPORTED_OPERATOR, "op_type" },
        { "Ad", GE_NTS, NULL, 0, GE_ERR_UNSUPPORTED_OPERATOR, "op_type" },
        { "Add\0", 4, NULL, 0, GE_ERR_UNSUPPORTED_OPERATOR, "op_type" },
        { "NetOutput", GE_NTS, NULL, 0, GE_ERR_UNSUPPORTED_OPERATOR, "op_type" }, /* outputs are a list */
        { "\xff", 1, NULL, 0, GE_ERR_INVALID_UTF8, "op_type" },
        { NULL, GE_NTS, NULL, 0, GE_ERR_NULL_ARGUMENT, "op_type" },
        { "Relu", GE_NTS, "x", GE_NTS, GE_ERR_ALREADY_EXISTS, "name" },
        { "Relu", GE_NTS, "\xff", 1, GE_ERR_INVALID_UTF8, "name" },
        { "Relu", GE_NTS, "a\0b", 3, GE_ERR_INVALID_UTF8, "name" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_fails(ge_builder_begin_op(b, cases[i].type, cases[i].type_size, cases[i].name, cases[i].name_size), cases[i].status, cases[i].argument);
        check_fails(ge_builder_add_input(b, x), cases[i].status, cases[i].argument); /* for callers that look at end_op only */
        check_fails(ge_builder_end_op(b, &y, 1, NULL), cases[i].status, cases[i].argument);
        check_fails(ge_builder_begin_op(b, cases[i].type, cases[i].type_size, cases[i].name, cases[i].name_size), cases[i].status, cases[i].argument);
        add_op(b, "Relu", NULL, x, 0, NULL); /* for callers that look at begin_op: the next one starts afresh */
    }
    check_ok(ge_builder_destroy(b));
}

static void test_states(void **state) {
    (void)state;
    ge_value_id x, y;
    ge_graph *graph;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, two);
    const int64_t ints[] = { 1 };
    const double doubles[] = { 1 };
    ge_tensor *tensor = two_floats(NULL);
    ge_builder *b = builder_new(&x);
    check_fails(ge_builder_add_input(b, x), GE_ERR_WRONG_STATE, "builder"); /* none is open */
    check_fails(ge_builder_add_inputs(b, &x, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_output_count(b, "y", 1, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_attr_int(b, "a", 1, GE_ATTR_NONE, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_WRONG_STATE, "builder");
    begin(b, "Relu");
    check_fails(ge_builder_begin_op(b, "Add", GE_NTS, NULL, 0), GE_ERR_WRONG_STATE, "builder"); /* open and sound */
    ends_failed(b, GE_ERR_WRONG_STATE, 1);                                                    /* but no more */
    begin(b, "Relu");
    check_fails(ge_builder_add_graph_input(b, NULL, 0, 1, &desc, &y), GE_ERR_WRONG_STATE, "builder");
    ends_failed(b, GE_ERR_WRONG_STATE, 1);
    begin(b, "Relu");
    check_fails(ge_builder_add_constant(b, NULL, 0, tensor, &y), GE_ERR_WRONG_STATE, "builder");
    ends_failed(b, GE_ERR_WRONG_STATE, 1);
    begin(b, "Relu");
    check_fails(ge_builder_add_ints(b, GE_DTYPE_INT8, ints, 1, 0, &y), GE_ERR_WRONG_STATE, "builder");
    ends_failed(b, GE_ERR_WRONG_STATE, 1);
    begin(b, "Relu");
    check_fails(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, doubles, 1, 0, &y), GE_ERR_WRONG_STATE, "builder");
    ends_failed(b, GE_ERR_WRONG_STATE, 1);
    begin(b, "Relu");
    check_fails(ge_builder_build(b, &x, 1, &graph), GE_ERR_WRONG_STATE, "builder");
    check_ok(ge_builder_add_input(b, x)); /* a build that fails changes nothing */
    check_ok(ge_builder_end_op(b, &y, 1, NULL));
    begin(b, "Add");
    check_fails(ge_builder_add_input(b, 0), GE_ERR_BAD_ID, "value");
    check_fails(ge_builder_build(b, &x, 1, &graph), GE_ERR_BAD_ID, "value"); /* the failure of the open operator */
    check_fails(ge_builder_begin_op(b, "Relu", GE_NTS, NULL, 0), GE_ERR_BAD_ID, "value"); /* so does the next begin, and drops it */
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_BAD_ID, "value");
    begin(b, "Relu");
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_end_op(b, &y, 1, NULL));
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_fails(ge_builder_begin_op(b, "Relu", GE_NTS, NULL, 0), GE_ERR_WRONG_STATE, "builder"); /* done */
    check_fails(ge_builder_add_input(b, x), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_add_graph_input(b, NULL, 0, 1, &desc, &y), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_add_constant(b, NULL, 0, tensor, &y), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_add_ints(b, GE_DTYPE_INT8, ints, 1, 0, &y), GE_ERR_WRONG_STATE, "builder");
    ge_graph *again;
    check_fails(ge_builder_build(b, &y, 1, &again), GE_ERR_WRONG_STATE, "builder");
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_tensor_destroy(tensor));
}

/* ---- build ---- */

static void test_build_outputs(void **state) {
    (void)state;
    ge_value_id x, y, values[2];
    ge_graph *graph = FOREIGN_HANDLE;
    const char *names[2], *given[] = { "kept" };
    size_t count;
    ge_builder *b = builder_new(&x);
    y = add_op(b, "Relu", "r", x, 0, NULL);
    ge_graph *view = view_of(b);
    const ge_value_id bad[] = { y, 0 };
    check_fails(ge_builder_build(b, bad, 2, &graph), GE_ERR_BAD_ID, "outputs");
    assert_null(graph);
    check_fails(ge_builder_build(b, NULL, 1, &graph), GE_ERR_NULL_ARGUMENT, "outputs");
    check_fails(ge_builder_build(b, &y, 1, NULL), GE_ERR_NULL_ARGUMENT, "out_graph");
    check_ok(ge_graph_get_outputs(view, NULL, 0, NULL, 0, &count));
    assert_int_equal(count, 0); /* nothing changed */
    check_ok(ge_graph_set_outputs(view, &y, 1, given, 1));
    check_ok(ge_builder_build(b, NULL, 0, &graph)); /* keeps them */
    check_ok(ge_graph_get_outputs(graph, values, 2, names, 2, &count));
    assert_int_equal(count, 1);
    assert_string_equal(names[0], "kept");
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_graph_destroy(view));
    check_ok(ge_builder_destroy(b));
}

static void test_build_checks(void **state) {
    (void)state;
    ge_value_id x, y;
    ge_node_id first, second;
    ge_graph *graph = FOREIGN_HANDLE;
    ge_builder *b = builder_new(&x);
    y = add_op(b, "Relu", "one", x, 0, &first);
    y = add_op(b, "Relu", "two", y, 0, &second);
    ge_graph *view = view_of(b);
    check_ok(ge_graph_add_edge(view, second, GE_CONTROL_INDEX, first, GE_CONTROL_INDEX));
    check_fails(ge_builder_build(b, &y, 1, &graph), GE_ERR_BAD_GRAPH, NULL); /* a cycle */
    assert_null(graph);
    check_ok(ge_graph_remove_edge(view, second, GE_CONTROL_INDEX, first, GE_CONTROL_INDEX));
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_graph_destroy(view));
    check_ok(ge_builder_destroy(b));
}

/* An empty Const is not a graph that runs, and says so. */
static void test_const_without_value(void **state) {
    (void)state;
    ge_value_id x, k, y;
    ge_graph *graph;
    ge_model *model = FOREIGN_HANDLE;
    ge_builder *b = builder_new(&x);
    begin(b, "Const");
    check_ok(ge_builder_end_op(b, &k, 1, NULL));
    y = add_op(b, "Add", NULL, x, k, NULL);
    if (ge_builder_build(b, &y, 1, &graph) == GE_OK) {
        assert_int_not_equal(ge_graph_compile(graph, NULL, &model), GE_OK);
        assert_null(model);
        check_ok(ge_graph_destroy(graph));
    }
    check_ok(ge_builder_destroy(b));
}

static void test_over_graph(void **state) {
    (void)state;
    small_graph s = small_graph_new(NULL);
    ge_builder *b;
    ge_graph *built;
    size_t count;
    ge_value_id values[2];
    check_ok(ge_builder_create_over(s.graph, &b));
    ge_value_id t = add_op(b, "Tanh", "t", s.r_y, 0, NULL); /* between r and a */
    check_ok(ge_graph_remove_edge(s.graph, s.r, 0, s.a, 0));
    ge_node_id node;
    check_ok(ge_graph_get_port_owner(s.graph, t, &node, NULL, NULL));
    check_ok(ge_graph_add_edge(s.graph, node, 0, s.a, 0));
    check_ok(ge_builder_build(b, NULL, 0, &built));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_get_node_inputs(built, s.a, values, 2, &count)); /* the same graph */
    assert_int_equal(values[0], t);
    check_ok(ge_graph_get_outputs(built, values, 2, NULL, 0, &count));
    assert_int_equal(values[0], s.a_y); /* kept */
    check_ok(ge_graph_destroy(built));
    check_ok(ge_builder_create_over(s.graph, &b)); /* one that is dropped leaves what it added */
    add_op(b, "Tanh", "left", s.x, 0, NULL);
    check_ok(ge_graph_destroy(s.graph)); /* the builder keeps the graph */
    add_op(b, "Tanh", "more", s.x, 0, NULL);
    assert_int_equal(nodes_in(b), 7);
    check_ok(ge_builder_destroy(b));
}

/* ---- many ---- */

static void test_many_nodes(void **state) {
    (void)state;
    uint64_t before = live_objects();
    enum { MANY = 100000 };
    ge_value_id x, y;
    ge_graph *graph;
    ge_graph_info info;
    ge_builder *b = builder_new(&x);
    y = x;
    for (int i = 0; i < MANY; i++) {
        check_ok(ge_builder_begin_op(b, i % 2 ? "Add" : "LeakyRelu", GE_NTS, NULL, 0));
        check_ok(ge_builder_add_input(b, y));
        if (i % 2) check_ok(ge_builder_add_input(b, x));
        else check_ok(ge_builder_set_attr_float(b, "negative_slope", GE_NTS, 0.5f));
        check_ok(ge_builder_end_op(b, &y, 1, NULL));
    }
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_get_info(graph, &info, sizeof info));
    assert_int_equal(info.nodes_count, MANY + 1);
    assert_int_equal(info.edges_count, MANY + MANY / 2);
    check_ok(ge_graph_destroy(graph));
    check_all_gone(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),          cmocka_unit_test(test_life_misuse),     cmocka_unit_test(test_bad_handles),
        cmocka_unit_test(test_graph_inputs),  cmocka_unit_test(test_input_indices),   cmocka_unit_test(test_constants),
        cmocka_unit_test(test_add_ints),      cmocka_unit_test(test_add_ints_misuse), cmocka_unit_test(test_add_floats),
        cmocka_unit_test(test_operator),      cmocka_unit_test(test_names),           cmocka_unit_test(test_optional_inputs),
        cmocka_unit_test(test_dynamic_ports), cmocka_unit_test(test_input_failures),  cmocka_unit_test(test_end_failures),
        cmocka_unit_test(test_begin_failures), cmocka_unit_test(test_states),         cmocka_unit_test(test_build_outputs),
        cmocka_unit_test(test_build_checks),  cmocka_unit_test(test_const_without_value), cmocka_unit_test(test_over_graph),
        cmocka_unit_test(test_many_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
