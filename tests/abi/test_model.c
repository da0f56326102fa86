/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of graphs and models around a run: inferred shapes, support, progress, metadata, dumps, bound outputs. */
#include <time.h>

#include "graph_test.h"

/* x: f32[batch,2] -> Relu "r" -> Add "a" with 1 + 2, which folding makes one constant. */
static ge_graph *folding_graph(void) {
    const int64_t dims[] = { -1, 2 };
    const char *names[] = { "batch", NULL };
    const double one = 1, two = 2;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_builder *b;
    ge_graph *graph;
    ge_value_id x, c1, c2, y;
    desc.dim_names = names;
    check_ok(ge_builder_create(NULL, "folding", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, &one, 1, 0, &c1));
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, &two, 1, 0, &c2));
    y = add_op(b, "Add", "a", add_op(b, "Relu", "r", x, 0, NULL), add_op(b, "Add", "c", c1, c2, NULL), NULL);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    return graph;
}

static ge_model *compiled(ge_graph *graph) {
    ge_model *model;
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(ge_graph_destroy(graph));
    return model;
}

/* ---- before a model ---- */

static void shapes_are_inferred_for_new_inputs(void **state) {
    (void)state;
    const int64_t dims[] = { 3, 2 }, negative[] = { 3, -2 };
    const int32_t rank = 2;
    uint64_t before = live_objects();
    ge_graph *graph = folding_graph();
    check_ok(ge_graph_infer_shapes(graph, dims, 2, &rank, 1));
    char *text = text_of(graph);
    assert_non_null(strstr(text, "f32[3,2]"));
    free(text);
    check_unchanged(graph, {
        check_fails(ge_graph_infer_shapes(graph, NULL, 2, &rank, 1), GE_ERR_NULL_ARGUMENT, "dims");
        check_fails(ge_graph_infer_shapes(graph, dims, 2, NULL, 1), GE_ERR_NULL_ARGUMENT, "ranks");
        check_fails(ge_graph_infer_shapes(graph, dims, 2, &rank, 0), GE_ERR_SHAPE, "ranks");
        check_fails(ge_graph_infer_shapes(graph, dims, 1, &rank, 1), GE_ERR_SHAPE, "dims");
        check_fails(ge_graph_infer_shapes(graph, negative, 2, &rank, 1), GE_ERR_SHAPE, "dims");
    });
    check_fails(ge_graph_infer_shapes(FOREIGN_HANDLE, NULL, 0, NULL, 0), GE_ERR_HANDLE_FOREIGN, "graph");
    check_ok(ge_graph_destroy(graph));
    check_all_gone(before);
}

static void support_is_told_for_each_node(void **state) {
    (void)state;
    char reasons[256];
    size_t size = 1;
    ge_graph *graph = folding_graph();
    ge_node_id node = node_named(graph, "r");
    check_ok(ge_graph_infer_shapes(graph, NULL, 0, NULL, 0));
    check_ok(ge_graph_query_support(graph, node, GE_BACKEND_CPU, reasons, sizeof reasons, &size));
    assert_int_equal(size, 0);
    assert_string_equal(reasons, "");
    check_ok(ge_graph_query_support(graph, node, GE_BACKEND_ACL, reasons, sizeof reasons, &size));
    assert_true(size > 0);
    assert_int_equal(strlen(reasons), size);
    check_fails(ge_graph_query_support(graph, node, 99, NULL, 0, &size), GE_ERR_INVALID_ARGUMENT, "backend");
    check_fails(ge_graph_query_support(graph, 0, GE_BACKEND_ANY, NULL, 0, &size), GE_ERR_BAD_ID, "node");
    check_fails(ge_graph_query_support(graph, node, GE_BACKEND_ANY, NULL, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_size");
    check_ok(ge_graph_destroy(graph));
}

/* ---- progress ---- */

typedef struct seen {
    uint64_t calls, last_done;
    int is_past_total, goes_back, destroyed;
} seen;

/* Slower than the reports may follow each other, so that none is left out. */
static ge_status watch(void *user_data, const char *stage, size_t stage_size, uint64_t done, uint64_t total) {
    seen *s = user_data;
    const struct timespec pause = { 0, 12000000 };
    s->calls++;
    s->is_past_total |= done > total || strlen(stage) != stage_size;
    s->goes_back |= done < s->last_done;
    s->last_done = done;
    nanosleep(&pause, NULL);
    return GE_OK;
}
static void watched(void *user_data) { ((seen *)user_data)->destroyed++; }

static void progress_never_passes_its_total(void **state) {
    (void)state;
    seen s = { 0 };
    ge_model *model;
    ge_graph *graph = folding_graph();
    ge_compile_options options = GE_COMPILE_OPTIONS_INIT;
    options.progress = watch;
    options.progress_user_data = &s;
    options.progress_destroy = watched;
    check_ok(ge_graph_compile(graph, &options, &model));
    assert_true(s.calls > 8); /* folding makes the clean-up go round twice */
    assert_false(s.is_past_total);
    assert_false(s.goes_back);
    assert_int_equal(s.destroyed, 1);
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
}

/* ---- a model ---- */

static void metadata_of_a_file_is_kept(void **state) {
    (void)state;
    const char *key, *value;
    size_t key_size, value_size;
    ge_model_summary summary;
    ge_graph *graph;
    check_ok(ge_graph_import_file(NULL, GE_FILE_AUTO, "../examples/digits/digits.onnx", GE_NTS, NULL, &graph));
    ge_model *model = compiled(graph);
    check_ok(ge_model_get_summary(model, &summary, sizeof summary));
    assert_true(summary.metadata_count > 0);
    for (size_t i = 0; i < summary.metadata_count; i++) {
        check_ok(ge_model_get_metadata(model, i, &key, &key_size, &value, &value_size));
        assert_int_equal(strlen(key), key_size);
        assert_int_equal(strlen(value), value_size);
    }
    check_ok(ge_model_get_metadata(model, 0, &key, NULL, &value, NULL));
    check_fails(ge_model_get_metadata(model, (size_t)summary.metadata_count, &key, NULL, &value, NULL), GE_ERR_OUT_OF_RANGE, "index");
    assert_null(key);
    check_fails(ge_model_get_metadata(model, 0, NULL, NULL, &value, NULL), GE_ERR_NULL_ARGUMENT, "out_key");
    check_ok(ge_model_destroy(model));
}

typedef struct text {
    char data[1 << 16];
    size_t size;
    int destroyed;
    ge_status answer;
} text;
static ge_status collect(void *user_data, const uint8_t *data, size_t data_size) {
    text *t = user_data;
    assert_true(data_size <= sizeof t->data - t->size);
    memcpy(t->data + t->size, data, data_size);
    t->size += data_size;
    return t->answer;
}
static void collected(void *user_data) {
    ((text *)user_data)->destroyed++;
    if (ge_tensor_destroy(FOREIGN_HANDLE) == GE_OK) fail(); /* must not replace the record of the call */
}

static void both_ways_to_dump_give_the_same_text(void **state) {
    (void)state;
    static text t;
    static char buffer[1 << 16];
    const ge_dump_format formats[] = { GE_DUMP_READABLE, GE_DUMP_DOT, GE_DUMP_IR, GE_DUMP_PASSES, GE_DUMP_KERNELS, GE_DUMP_PLAN, GE_DUMP_SUMMARY };
    ge_model *model = compiled(folding_graph());
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t size, again;
        t = (text){ .answer = GE_OK };
        check_ok(ge_model_dump(model, formats[i], NULL, 0, &size));
        check_ok(ge_model_dump(model, formats[i], buffer, sizeof buffer, &again));
        check_ok(ge_model_dump_to(model, formats[i], collect, &t, collected));
        assert_int_equal(size, again);
        assert_int_equal(size, t.size);
        assert_memory_equal(buffer, t.data, size);
        assert_int_equal(t.destroyed, 1);
        if (size == 0) continue;
        check_fails(ge_model_dump(model, formats[i], buffer, size, &again), GE_ERR_BUFFER_TOO_SMALL, NULL);
        assert_int_equal(again, size);
    }
    t = (text){ .answer = GE_ERR_CANCELLED };
    check_fails(ge_model_dump_to(model, GE_DUMP_PLAN, collect, &t, collected), GE_ERR_CANCELLED, NULL);
    check_fails(ge_model_dump_to(model, GE_DUMP_PLAN, NULL, &t, collected), GE_ERR_NULL_ARGUMENT, "write");
    check_fails(ge_model_dump_to(FOREIGN_HANDLE, GE_DUMP_PLAN, collect, &t, collected), GE_ERR_HANDLE_FOREIGN, "model");
    assert_int_equal(t.destroyed, 3); /* by each call, whatever its end */
    check_ok(ge_model_destroy(model));
}

/* ---- bound outputs ---- */

static ge_value *value_over(float *data, int64_t rows, ge_memory_flags flags) {
    const int64_t dims[] = { rows, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *tensor;
    ge_value *value;
    memory.data = (uint8_t *)data;
    memory.data_size = (size_t)rows * 2 * sizeof *data;
    memory.flags = flags;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

static void runs_write_where_outputs_are_bound(void **state) {
    (void)state;
    float in[4] = { -1, 2, 3, -4 }, out[4] = { 0 }, other[4] = { 0 };
    const float wanted[4] = { 3, 5, 6, 3 };
    uint64_t before = live_objects();
    ge_binding *binding;
    ge_model *model = compiled(folding_graph());
    ge_value *x = value_over(in, 2, 0), *y = value_over(out, 2, 0), *short_y = value_over(other, 1, 0);
    ge_value *fixed = value_over(other, 2, GE_MEMORY_READ_ONLY), *same = value_over(in, 2, 0);
    check_ok(ge_binding_create(model, &binding));
    check_fails(ge_binding_set_output(binding, 1, y), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_binding_set_output(binding, 0, fixed), GE_ERR_READ_ONLY, "value");
    check_ok(ge_binding_set_input(binding, 0, x));
    check_ok(ge_binding_set_output(binding, 0, y));
    check_ok(ge_binding_run(binding, NULL));
    assert_memory_equal(out, wanted, sizeof out);
    check_ok(ge_binding_set_output(binding, 0, short_y));
    check_fails(ge_binding_run(binding, NULL), GE_ERR_SHAPE, NULL);
    check_ok(ge_binding_set_output(binding, 0, same));
    check_fails(ge_binding_run(binding, NULL), GE_ERR_OVERLAP, NULL);
    memset(out, 0, sizeof out);
    check_ok(ge_binding_set_output(binding, 0, NULL)); /* memory of the binding's own */
    check_ok(ge_binding_run(binding, NULL));
    assert_true(out[0] == 0 && other[0] == 0);
    ge_value *all[] = { x, y, short_y, fixed, same };
    for (size_t i = 0; i < 5; i++) check_ok(ge_value_destroy(all[i]));
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_inferred_for_new_inputs), cmocka_unit_test(support_is_told_for_each_node),
        cmocka_unit_test(progress_never_passes_its_total),    cmocka_unit_test(metadata_of_a_file_is_kept),
        cmocka_unit_test(both_ways_to_dump_give_the_same_text), cmocka_unit_test(runs_write_where_outputs_are_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
