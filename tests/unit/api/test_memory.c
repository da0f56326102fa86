/* SPDX-License-Identifier: Apache-2.0 */
/* The interface when memory runs out: each allocation fails in turn. Every call then succeeds or says GE_ERR_OUT_OF_MEMORY with its
 * outputs empty and a message, no handle is left over, and a failed edit changed nothing. */
#include "unit/ge_test.h"

#include "api/handle.h"

static bool failed;

/* Notes a failure; true when the call succeeded. */
static bool ok(ge_status st) {
    ge_error *error;
    if (st == GE_OK) return true;
    failed = true;
    assert_int_equal(st, GE_ERR_OUT_OF_MEMORY);
    ge_error_take(&error);
    assert_true(!error || strlen(ge_error_get_message(error)) > 0); /* NULL: no handle for it either */
    assert_int_equal(ge_error_release(error), GE_OK);
    return false;
}

#define TRY(call) \
    do {          \
        if (!ok(call)) goto end; \
    } while (0)

static void attributes(ge_graph *graph, ge_node_id node, const ge_tensor *tensor) {
    const int64_t rows[] = { 1, 2, 0 };
    ge_attr_id attr;
    ge_tensor *back = NULL;
    ge_value_id port;
    TRY(ge_graph_add_attr(graph, node, "rows", GE_NTS, GE_ATTR_LIST_LIST_INT, &attr));
    TRY(ge_graph_set_attr_ints(graph, attr, rows, 3));
    TRY(ge_graph_add_attr(graph, 0, "texts", GE_NTS, GE_ATTR_LIST_STRING, &attr));
    for (size_t i = 0; i < 5; i++) TRY(ge_graph_set_attr_text(graph, attr, i, "some text", GE_NTS));
    TRY(ge_graph_get_port(graph, node, GE_DIRECTION_IN, 0, &port));
    TRY(ge_graph_add_attr(graph, port, "t", GE_NTS, GE_ATTR_LIST_TENSOR, &attr));
    for (size_t i = 0; i < 3; i++) TRY(ge_graph_set_attr_tensor(graph, attr, i, tensor));
    TRY(ge_tensor_create_from_attr(graph, attr, 2, &back));
end:
    assert_int_equal(ge_tensor_destroy(back), GE_OK);
}

static void edits(ge_graph *graph, ge_node_id node, ge_value_id value) {
    const int64_t dims[] = { -1, 4 };
    const char *names[] = { "batch", NULL }, *outputs[] = { "o", "p" };
    const ge_value_id values[] = { value, value };
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_graph *copy = NULL;
    size_t size;
    desc.rank = 2;
    desc.dims = dims;
    desc.dim_names = names;
    TRY(ge_graph_set_desc(graph, value, &desc));
    TRY(ge_graph_get_desc(graph, value, &desc, sizeof desc));
    TRY(ge_graph_set_name(graph, "other name", GE_NTS));
    TRY(ge_graph_set_outputs(graph, values, 2, outputs, 2));
    TRY(ge_graph_get_inputs(graph, NULL, 0, &size));
    TRY(ge_graph_get_nodes(graph, GE_ORDER_TOPOLOGICAL, &node, 0, &size) == GE_ERR_BUFFER_TOO_SMALL ? GE_OK : GE_ERR_OUT_OF_MEMORY);
    TRY(ge_graph_dump(graph, GE_DUMP_IR, NULL, 0, &size));
    TRY(ge_graph_dump(graph, GE_DUMP_READABLE, NULL, 0, &size));
    TRY(ge_graph_dump(graph, GE_DUMP_DOT, NULL, 0, &size));
    TRY(ge_graph_copy(graph, &copy));
end:
    assert_int_equal(ge_graph_destroy(copy), GE_OK);
}

static void scenario(void) {
    const int64_t dims[] = { 2, 4 };
    float values[8] = { 0 };
    const int64_t ints[] = { 1, 2, 3 };
    const double doubles[] = { 1, 2 };
    const char *texts[] = { "a", "b" };
    ge_context *context = NULL;
    ge_options *options = NULL;
    ge_tensor *tensor = NULL, *over = NULL, *view = NULL, *copy = NULL, *strings = NULL;
    ge_value *value = NULL;
    ge_dlpack *dlpack = NULL;
    ge_builder *b = NULL;
    ge_graph *graph = NULL, *second = NULL;
    ge_value_id x, c, y = 0;
    ge_node_id node = 0;
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_memory memory = GE_MEMORY_INIT;
    desc.rank = 2;
    desc.dims = dims;
    memory.data = (uint8_t *)values;
    memory.data_size = sizeof values;
    TRY(ge_options_create(&options));
    TRY(ge_options_set_int(options, "ge.threads", GE_NTS, 1));
    TRY(ge_context_create(options, &context));
    TRY(ge_tensor_create_from_data(context, &desc, (const uint8_t *)values, sizeof values, &tensor));
    TRY(ge_tensor_create_over(context, &desc, &memory, &over));
    TRY(ge_tensor_create_view(over, &desc, &view));
    TRY(ge_tensor_copy(view, &copy));
    TRY(ge_value_create_from_tensor(copy, &value));
    TRY(ge_tensor_export_dlpack(copy, &dlpack));
    ge_tensor *back;
    if (ok(ge_tensor_import_dlpack(context, dlpack, &back))) assert_int_equal(ge_tensor_destroy(back), GE_OK);
    desc.dtype = GE_DTYPE_STRING;
    TRY(ge_tensor_create(context, &desc, &strings));
    desc.dtype = GE_DTYPE_FLOAT32;
    TRY(ge_builder_create(context, "g", 1, &b));
    TRY(ge_builder_add_graph_input(b, NULL, 0, 0, &desc, &x));
    TRY(ge_builder_add_constant(b, "c", 1, tensor, &c));
    TRY(ge_builder_add_ints(b, GE_DTYPE_INT32, ints, 3, 1, &y));
    TRY(ge_builder_add_floats(b, GE_DTYPE_FLOAT16, doubles, 2, 1, &y));
    TRY(ge_builder_begin_op(b, "Add", GE_NTS, "a", 1));
    TRY(ge_builder_add_input(b, x));
    TRY(ge_builder_add_input(b, c));
    TRY(ge_builder_set_attr_ints(b, "is", 2, GE_ATTR_NONE, ints, 3));
    TRY(ge_builder_set_attr_texts(b, "ts", 2, texts, 2));
    TRY(ge_builder_set_attr_tensor(b, "t", 1, tensor));
    TRY(ge_builder_end_op(b, &y, 1, &node));
    TRY(ge_builder_begin_op(b, "SplitD", GE_NTS, NULL, 0));
    TRY(ge_builder_add_input(b, y));
    TRY(ge_builder_set_output_count(b, "y", 1, 2));
    TRY(ge_builder_set_attr_int(b, "split_dim", GE_NTS, GE_ATTR_NONE, 0));
    TRY(ge_builder_set_attr_int(b, "num_split", GE_NTS, GE_ATTR_NONE, 2));
    TRY(ge_builder_end_op(b, NULL, 0, NULL));
    TRY(ge_builder_build(b, &y, 1, &graph));
    TRY(ge_builder_destroy(b));
    b = NULL;
    TRY(ge_builder_create_over(graph, &b));
    TRY(ge_builder_create_view(b, &second));
    attributes(graph, node, tensor);
    edits(graph, node, y);
end:
    if (graph) {
        for (int i = 0; i < 3 && ge_graph_check(graph) != GE_OK; i++) /* needs memory itself */
            assert_int_not_equal(i, 2);
    }
    assert_int_equal(ge_graph_destroy(second), GE_OK);
    assert_int_equal(ge_graph_destroy(graph), GE_OK);
    assert_int_equal(ge_builder_destroy(b), GE_OK);
    assert_int_equal(ge_value_destroy(value), GE_OK);
    ge_tensor *const tensors[] = { tensor, over, view, copy, strings };
    for (size_t i = 0; i < GEI_COUNT(tensors); i++) assert_int_equal(ge_tensor_destroy(tensors[i]), GE_OK);
    assert_int_equal(ge_options_destroy(options), GE_OK);
    assert_int_equal(ge_context_destroy(context), GE_OK);
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    scenario();
    assert_false(failed);
    uint64_t handles = gei_handle_live_count();
    for (uint64_t n = 1;; n++) {
        failed = false;
        gei_heap_fail_after(n, false);
        scenario();
        gei_heap_fail_after(0, false);
        assert_int_equal(gei_handle_live_count(), handles);
        if (!failed) break;
        assert_in_range(n, 1, 5000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_allocation_fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
