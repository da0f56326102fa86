/* SPDX-License-Identifier: Apache-2.0 */
/* Errors the header documents for compiling and running, each provoked: status, record, argument, outputs. */
#include "builder_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* x: f32[rows, 2] -> Relu -> y; rows -1: any. */
static ge_graph *relu_graph(int64_t rows) {
    const int64_t dims[] = { rows, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_builder *b;
    ge_value_id x, y;
    ge_graph *graph;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y = add_op(b, "Relu", "r", x, 0, NULL);
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

static ge_value *value_of(ge_dtype dtype, int32_t rank, const int64_t *dims) {
    ge_tensor_desc desc = desc_of(dtype, rank, dims);
    ge_tensor *tensor;
    ge_value *value;
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

static const int64_t fitting[] = { 3, 2 }, other_width[] = { 3, 5 }, short_dims[] = { 6 };

/* Values that do not fit: status wanted of each. */
static const struct misfit {
    ge_dtype dtype;
    int32_t rank;
    const int64_t *dims;
} wrong_dtype = { GE_DTYPE_INT32, 2, fitting }, wrong_rank = { GE_DTYPE_FLOAT32, 1, short_dims }, wrong_shape = { GE_DTYPE_FLOAT32, 2, other_width };

static ge_value *misfit(const struct misfit *m) { return value_of(m->dtype, m->rank, m->dims); }

static void run_refuses_what_does_not_fit(void **state) {
    (void)state;
    ge_model *model = compiled(relu_graph(-1));
    ge_value *dtype = misfit(&wrong_dtype), *rank = misfit(&wrong_rank), *shape = misfit(&wrong_shape), *good = value_of(GE_DTYPE_FLOAT32, 2, fitting);
    ge_value *out = FOREIGN_HANDLE;
    const ge_value *in[] = { dtype };
    check_fails(ge_model_run(model, NULL, in, 1, &out, 1), GE_ERR_DTYPE, NULL);
    assert_null(out);
    in[0] = rank;
    check_fails(ge_model_run(model, NULL, in, 1, &out, 1), GE_ERR_RANK, NULL);
    in[0] = shape;
    check_fails(ge_model_run(model, NULL, in, 1, &out, 1), GE_ERR_SHAPE, NULL);
    in[0] = NULL;
    out = FOREIGN_HANDLE;
    check_fails(ge_model_run(model, NULL, in, 1, &out, 1), GE_ERR_NOT_BOUND, "inputs");
    assert_null(out);
    ge_run_options options = GE_RUN_OPTIONS_INIT;
    options.deadline_ns = 1; /* long ago */
    in[0] = good;
    out = FOREIGN_HANDLE;
    check_fails(ge_model_run(model, &options, in, 1, &out, 1), GE_ERR_DEADLINE, NULL);
    assert_null(out);
    ge_value *list;
    ge_operation *operation = FOREIGN_HANDLE;
    check_ok(ge_value_create_sequence(NULL, in, 1, &list));
    in[0] = list;
    check_fails(ge_model_run_async(model, NULL, NULL, in, 1, &operation), GE_ERR_WRONG_KIND, NULL);
    assert_null(operation);
    check_ok(ge_value_destroy(list));
    in[0] = good;
    check_ok(ge_model_run(model, NULL, in, 1, &out, 1));
    check_ok(ge_value_destroy(out));
    check_ok(ge_value_destroy(dtype));
    check_ok(ge_value_destroy(rank));
    check_ok(ge_value_destroy(shape));
    check_ok(ge_value_destroy(good));
    check_ok(ge_model_destroy(model));
}

static void binding_refuses_what_does_not_fit(void **state) {
    (void)state;
    ge_model *model = compiled(relu_graph(-1));
    ge_binding *binding;
    ge_value *dtype = misfit(&wrong_dtype), *rank = misfit(&wrong_rank), *shape = misfit(&wrong_shape), *good = value_of(GE_DTYPE_FLOAT32, 2, fitting);
    ge_value *shown = FOREIGN_HANDLE;
    check_ok(ge_binding_create(model, &binding));
    check_fails(ge_binding_set_input(binding, 1, good), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_binding_set_input(binding, 0, dtype), GE_ERR_DTYPE, NULL);
    check_fails(ge_binding_set_input(binding, 0, rank), GE_ERR_RANK, NULL);
    check_fails(ge_binding_set_input(binding, 0, shape), GE_ERR_SHAPE, NULL);
    check_fails(ge_binding_set_output(binding, 1, good), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_binding_set_output(binding, 0, dtype), GE_ERR_DTYPE, NULL);
    check_fails(ge_binding_set_output(binding, 0, rank), GE_ERR_RANK, NULL);
    check_fails(ge_binding_set_output(binding, 0, shape), GE_ERR_SHAPE, NULL);
    check_ok(ge_binding_set_input(binding, 0, good));
    ge_run_options options = GE_RUN_OPTIONS_INIT;
    options.deadline_ns = 1;
    check_fails(ge_binding_run(binding, &options), GE_ERR_DEADLINE, NULL);
    check_fails(ge_binding_get_output(binding, 0, &shown), GE_ERR_WRONG_STATE, "binding");
    assert_null(shown);
    check_ok(ge_binding_run(binding, NULL));
    shown = FOREIGN_HANDLE;
    check_fails(ge_binding_get_output(binding, 1, &shown), GE_ERR_OUT_OF_RANGE, "index");
    assert_null(shown);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(dtype));
    check_ok(ge_value_destroy(rank));
    check_ok(ge_value_destroy(shape));
    check_ok(ge_value_destroy(good));
    check_ok(ge_model_destroy(model));
}

/* Values over parts of one array: floats from..from + 6 as [3, 2]. */
static ge_value *window(float *room, size_t from) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, fitting);
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *tensor;
    ge_value *value;
    memory.data = (uint8_t *)(room + from);
    memory.data_size = 6 * sizeof *room;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

/* x -> Relu -> y0; x -> Neg -> y1 */
static ge_model *two_outputs(void) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, fitting);
    ge_builder *b;
    ge_value_id x, y[2];
    ge_graph *graph;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y[0] = add_op(b, "Relu", "r", x, 0, NULL);
    y[1] = add_op(b, "Neg", "n", x, 0, NULL);
    check_ok(ge_builder_build(b, y, 2, &graph));
    check_ok(ge_builder_destroy(b));
    return compiled(graph);
}

static ge_status bind_and_run(ge_binding *binding, ge_value *output) {
    ge_status st = ge_binding_set_output(binding, 1, output);
    return st == GE_OK ? ge_binding_run(binding, NULL) : st;
}

static void overlapping_outputs_are_refused(void **state) {
    (void)state;
    static float room[24] = { -1, 2, -3, 4, -5, 6 };
    ge_model *model = two_outputs();
    ge_binding *binding;
    ge_value *in = window(room, 0), *apart = window(room, 6), *touching = window(room, 12), *over = window(room, 9), *part = window(room, 3);
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_binding_set_input(binding, 0, in));
    check_ok(ge_binding_set_output(binding, 0, apart));
    check_fails(bind_and_run(binding, over), GE_ERR_OVERLAP, NULL);
    check_fails(bind_and_run(binding, part), GE_ERR_OVERLAP, NULL); /* an output over a part of the input */
    check_ok(ge_binding_set_output(binding, 1, touching)); /* side by side is apart */
    check_ok(ge_binding_run(binding, NULL));
    assert_true(room[6] == 0 && room[7] == 2 && room[12] == 1 && room[13] == -2);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(in));
    check_ok(ge_value_destroy(apart));
    check_ok(ge_value_destroy(touching));
    check_ok(ge_value_destroy(over));
    check_ok(ge_value_destroy(part));
    check_ok(ge_model_destroy(model));
}

/* ---- compile, infer, check ---- */

static void bad_graphs_do_not_compile(void **state) {
    (void)state;
    ge_builder *b;
    ge_value_id x, y;
    ge_node_id first, second;
    ge_graph *graph = NULL, *built = FOREIGN_HANDLE;
    ge_model *model = FOREIGN_HANDLE;
    ge_attr_id attr;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, fitting);
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y = add_op(b, "Relu", "r", x, 0, &first);
    y = add_op(b, "Relu", "q", y, 0, &second);
    check_ok(ge_builder_create_view(b, &graph));
    /* a loop */
    check_ok(ge_graph_remove_edge(graph, node_named(graph, "x"), 0, first, 0));
    check_ok(ge_graph_add_edge(graph, second, 0, first, 0));
    check_fails(ge_graph_check(graph), GE_ERR_BAD_GRAPH, NULL);
    check_fails(ge_graph_compile(graph, NULL, &model), GE_ERR_BAD_GRAPH, NULL);
    assert_null(model);
    check_fails(ge_graph_infer_shapes(graph, NULL, 0, NULL, 0), GE_ERR_BAD_GRAPH, NULL);
    check_fails(ge_builder_build(b, &y, 1, &built), GE_ERR_BAD_GRAPH, NULL);
    assert_null(built);
    check_ok(ge_graph_remove_edge(graph, second, 0, first, 0));
    check_ok(ge_graph_add_edge(graph, node_named(graph, "x"), 0, first, 0));
    check_ok(ge_graph_check(graph));
    check_ok(ge_builder_build(b, &y, 1, &built));
    check_ok(ge_graph_destroy(built));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
    /* without an attribute its operator must have */
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    check_ok(ge_builder_begin_op(b, "Cast", GE_NTS, "c", GE_NTS));
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_set_attr_int(b, "dst_type", GE_NTS, GE_ATTR_INT, GE_DTYPE_INT32));
    check_ok(ge_builder_end_op(b, &y, 1, &first));
    check_ok(ge_builder_create_view(b, &graph));
    check_ok(ge_graph_set_outputs(graph, &y, 1, NULL, 0));
    check_ok(ge_graph_find_attr(graph, first, "dst_type", GE_NTS, &attr));
    check_ok(ge_graph_remove_attr(graph, attr));
    check_fails(ge_graph_check(graph), GE_ERR_BAD_ATTR, NULL);
    built = FOREIGN_HANDLE;
    check_fails(ge_builder_build(b, &y, 1, &built), GE_ERR_BAD_ATTR, NULL);
    assert_null(built);
    check_ok(ge_graph_add_attr(graph, first, "dst_type", GE_NTS, GE_ATTR_INT, &attr));
    check_ok(ge_graph_check(graph));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

static void a_value_no_operator_knows_is_no_attribute(void **state) {
    (void)state;
    const int64_t pads[] = { 0, 0, 0, 0 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, fitting);
    ge_builder *b;
    ge_value_id x, p, y;
    ge_graph *graph;
    ge_model *model = FOREIGN_HANDLE;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT64, pads, 4, 1, &p));
    check_ok(ge_builder_begin_op(b, "PadV3", GE_NTS, "p", GE_NTS));
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_add_input(b, p));
    check_ok(ge_builder_set_attr_text(b, "mode", GE_NTS, GE_ATTR_STRING, "sideways", GE_NTS));
    check_ok(ge_builder_end_op(b, &y, 1, NULL));
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_fails(ge_graph_infer_shapes(graph, NULL, 0, NULL, 0), GE_ERR_BAD_ATTR, NULL);
    check_fails(ge_graph_compile(graph, NULL, &model), GE_ERR_BAD_ATTR, NULL);
    assert_null(model);
    check_ok(ge_graph_destroy(graph));
}

/* A graph of one operator on inputs of the given types; NULL handles are no input. */
static ge_graph *one_op(const char *type, ge_dtype first, const int64_t *first_dims, ge_dtype second, const int64_t *second_dims) {
    ge_builder *b;
    ge_value_id x, y = 0, z;
    ge_graph *graph;
    ge_tensor_desc a = desc_of(first, 2, first_dims), c = desc_of(second, 2, second_dims);
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &a, &x));
    if (second_dims) check_ok(ge_builder_add_graph_input(b, "y", GE_NTS, 1, &c, &y));
    z = add_op(b, type, "op", x, y, NULL);
    check_ok(ge_builder_build(b, &z, 1, &graph));
    check_ok(ge_builder_destroy(b));
    return graph;
}

static void inference_says_what_does_not_fit(void **state) {
    (void)state;
    const int64_t dims[] = { 4, 4, 4 };
    const int32_t too_high[] = { 9, 2 }, low[] = { 1, 2 };
    ge_graph *graph = one_op("MatMulV2", GE_DTYPE_FLOAT32, fitting, GE_DTYPE_FLOAT32, other_width);
    check_fails(ge_graph_infer_shapes(graph, NULL, 0, NULL, 0), GE_ERR_SHAPE, NULL);
    check_fails(ge_graph_infer_shapes(graph, dims, 3, too_high, 2), GE_ERR_RANK, "ranks");
    check_fails(ge_graph_infer_shapes(graph, dims, 3, low, 2), GE_ERR_RANK, NULL);
    check_fails(ge_graph_infer_shapes(graph, dims, 3, low, 1), GE_ERR_SHAPE, "ranks");
    check_ok(ge_graph_destroy(graph));
    graph = one_op("Add", GE_DTYPE_FLOAT32, fitting, GE_DTYPE_INT32, fitting);
    check_fails(ge_graph_infer_shapes(graph, NULL, 0, NULL, 0), GE_ERR_DTYPE, NULL);
    check_ok(ge_graph_destroy(graph));
}

/* Range(start, limit, step) of scalars; limit is an input where it is not given. */
static ge_graph *range_graph(const int64_t *limit) {
    const int64_t zero = 0, one = 1;
    ge_tensor_desc scalar = desc_of(GE_DTYPE_INT64, 0, NULL);
    ge_builder *b;
    ge_value_id in[3], y;
    ge_graph *graph;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT64, &zero, 1, 0, &in[0]));
    if (limit) check_ok(ge_builder_add_ints(b, GE_DTYPE_INT64, limit, 1, 0, &in[1]));
    else check_ok(ge_builder_add_graph_input(b, "limit", GE_NTS, 0, &scalar, &in[1]));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT64, &one, 1, 0, &in[2]));
    check_ok(ge_builder_begin_op(b, "Range", GE_NTS, NULL, 0));
    for (int i = 0; i < 3; i++) check_ok(ge_builder_add_input(b, in[i]));
    check_ok(ge_builder_end_op(b, &y, 1, NULL));
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    return graph;
}

static void limits_are_told(void **state) {
    (void)state;
    const int64_t huge = INT64_C(1) << 60;
    ge_model *model = FOREIGN_HANDLE;
    ge_binding *binding;
    ge_tensor *tensor;
    ge_tensor_desc scalar = desc_of(GE_DTYPE_INT64, 0, NULL);
    ge_value *in, *out = FOREIGN_HANDLE;
    ge_graph *graph = range_graph(&huge);
    check_fails(ge_graph_compile(graph, NULL, &model), GE_ERR_LIMIT, NULL);
    assert_null(model);
    check_ok(ge_graph_destroy(graph));
    model = compiled(range_graph(NULL));
    check_ok(ge_tensor_create_from_data(NULL, &scalar, (const uint8_t *)&huge, sizeof huge, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &in));
    const ge_value *ins[] = { in };
    check_fails(ge_model_run(model, NULL, ins, 1, &out, 1), GE_ERR_LIMIT, NULL);
    assert_null(out);
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_binding_set_input(binding, 0, in));
    check_fails(ge_binding_run(binding, NULL), GE_ERR_LIMIT, NULL);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(in));
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_model_destroy(model));
}

static void documents_name_what_is_not_there(void **state) {
    (void)state;
    char text[8];
    size_t size = 1;
    ge_graph *graph = relu_graph(3);
    check_fails(ge_graph_dump(graph, GE_DUMP_PLAN, text, sizeof text, &size), GE_ERR_UNSUPPORTED_FORMAT, "format");
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    ge_model *model = compiled(graph);
    size_t index = 1;
    check_fails(ge_model_find_io(model, GE_DIRECTION_IN, "nobody", GE_NTS, &index), GE_ERR_NOT_FOUND, "name");
    assert_int_equal(index, 0);
    size = 1;
    check_fails(ge_model_dump(model, GE_DUMP_GE_TEXT, text, sizeof text, &size), GE_ERR_UNSUPPORTED_FORMAT, "format");
    assert_int_equal(size, 0);
    check_ok(ge_model_destroy(model));
}

static ge_status count_parts(void *user, const uint8_t *bytes, size_t size) {
    (void)bytes, (void)size;
    ++*(int *)user;
    return GE_OK;
}
static void ended(void *user) { *(int *)user += 100; }

static void a_callback_is_not_called_for_a_missing_format(void **state) {
    (void)state;
    int calls = 0;
    ge_graph *graph = relu_graph(3);
    check_fails(ge_graph_dump_to(graph, GE_DUMP_PLAN, count_parts, &calls, ended), GE_ERR_UNSUPPORTED_FORMAT, "format");
    assert_int_equal(calls, 100);
    ge_model *model = compiled(graph);
    check_fails(ge_model_dump_to(model, GE_DUMP_GE_TEXT, count_parts, &calls, ended), GE_ERR_UNSUPPORTED_FORMAT, "format");
    assert_int_equal(calls, 200);
    check_ok(ge_model_destroy(model));
}

/* ---- what works, and what only fails while running ---- */

static void options_have_defaults(void **state) {
    (void)state;
    ge_run_options run;
    ge_compile_options compile;
    ge_import_options import;
    ge_run_options wanted = GE_RUN_OPTIONS_INIT;
    memset(&run, 0xEE, sizeof run);
    check_ok(ge_run_options_init(&run, sizeof run));
    assert_memory_equal(&run, &wanted, sizeof run);
    check_ok(ge_compile_options_init(&compile, sizeof compile));
    assert_int_equal(compile.struct_size, sizeof compile);
    assert_true(!compile.options && !compile.progress && !compile.problem);
    check_ok(ge_import_options_init(&import, sizeof import));
    assert_int_equal(import.struct_size, sizeof import);
    assert_true(!import.options && !import.base_path && !import.problem);
}

static void a_model_knows_its_sides(void **state) {
    (void)state;
    ge_io_info info;
    size_t count, index = 7;
    ge_binding *binding;
    ge_value *in = value_of(GE_DTYPE_FLOAT32, 2, fitting), *out;
    ge_model *model = compiled(relu_graph(-1));
    check_ok(ge_model_get_io_infos(model, GE_DIRECTION_IN, &info, 1, sizeof info, &count));
    assert_int_equal(count, 1);
    assert_string_equal(info.name, "x");
    assert_true(info.rank == 2 && info.dims[0] == -1 && info.dims[1] == 2);
    check_ok(ge_model_find_io(model, GE_DIRECTION_IN, "x", GE_NTS, &index));
    assert_int_equal(index, 0);
    check_ok(ge_binding_create(model, &binding));
    check_fails(ge_binding_run(binding, NULL), GE_ERR_NOT_BOUND, NULL);
    check_ok(ge_binding_set_input(binding, 0, in));
    check_ok(ge_binding_run(binding, NULL));
    check_ok(ge_binding_get_output(binding, 0, &out));
    assert_non_null(out);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
}

static void an_index_beyond_the_end_fails_the_run(void **state) {
    (void)state;
    const int64_t one[] = { 1 }, far = 99, axis = 0;
    ge_tensor_desc x = desc_of(GE_DTYPE_FLOAT32, 2, fitting), i = desc_of(GE_DTYPE_INT64, 1, one);
    ge_builder *b;
    ge_value_id in[3], y;
    ge_graph *graph;
    ge_binding *binding;
    ge_tensor *tensor;
    ge_value *data = value_of(GE_DTYPE_FLOAT32, 2, fitting), *index, *out = FOREIGN_HANDLE;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &x, &in[0]));
    check_ok(ge_builder_add_graph_input(b, "i", GE_NTS, 1, &i, &in[1]));
    check_ok(ge_builder_add_ints(b, GE_DTYPE_INT64, &axis, 1, 0, &in[2]));
    check_ok(ge_builder_begin_op(b, "GatherV2", GE_NTS, NULL, 0));
    for (int k = 0; k < 3; k++) check_ok(ge_builder_add_input(b, in[k]));
    check_ok(ge_builder_end_op(b, &y, 1, NULL));
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    ge_model *model = compiled(graph);
    check_ok(ge_tensor_create_from_data(NULL, &i, (const uint8_t *)&far, sizeof far, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &index));
    const ge_value *ins[] = { data, index };
    check_fails(ge_model_run(model, NULL, ins, 2, &out, 1), GE_ERR_EXECUTION, NULL);
    assert_null(out);
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_binding_set_input(binding, 0, data));
    check_ok(ge_binding_set_input(binding, 1, index));
    check_fails(ge_binding_run(binding, NULL), GE_ERR_EXECUTION, NULL);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(data));
    check_ok(ge_value_destroy(index));
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_model_destroy(model));
}

static void what_has_no_kernel_does_not_compile(void **state) {
    (void)state;
    ge_model *model = FOREIGN_HANDLE;
    ge_graph *graph = one_op("MatMul", GE_DTYPE_FLOAT32, fitting, GE_DTYPE_FLOAT32, fitting); /* defined, without a row */
    check_fails(ge_graph_compile(graph, NULL, &model), GE_ERR_NO_KERNEL, NULL);
    assert_null(model);
    check_ok(ge_graph_destroy(graph));
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, fitting);
    ge_builder *b;
    ge_value_id x, y;
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    check_ok(ge_builder_begin_op(b, "Cast", GE_NTS, NULL, 0));
    check_ok(ge_builder_add_input(b, x));
    check_ok(ge_builder_set_attr_int(b, "dst_type", GE_NTS, GE_ATTR_INT, GE_DTYPE_UNDEFINED));
    check_ok(ge_builder_end_op(b, &y, 1, NULL));
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    model = FOREIGN_HANDLE;
    check_fails(ge_graph_compile(graph, NULL, &model), GE_ERR_UNSUPPORTED_DTYPE, NULL);
    assert_null(model);
    check_ok(ge_graph_destroy(graph));
}

/* ---- a binding runs in one thread at a time ---- */

typedef struct race {
    ge_binding *binding;
    atomic_int stop, other;
} race;

static void *runs(void *arg) {
    race *r = arg;
    while (!r->stop) {
        ge_status st = ge_binding_run(r->binding, NULL);
        if (st != GE_OK && st != GE_ERR_REENTRANT) r->other = 1;
    }
    return NULL;
}

static void two_threads_on_one_binding_are_told(void **state) {
    (void)state;
    const int64_t big[] = { 1 << 20, 2 }; /* a run of milliseconds: the other thread comes in its middle */
    ge_model *model = compiled(relu_graph(-1));
    ge_value *in = value_of(GE_DTYPE_FLOAT32, 2, big);
    race r = { 0 };
    pthread_t thread;
    ge_status st = GE_OK;
    check_ok(ge_binding_create(model, &r.binding));
    check_ok(ge_binding_set_input(r.binding, 0, in));
    assert_int_equal(pthread_create(&thread, NULL, runs, &r), 0);
    for (int i = 0; i < 100000 && st == GE_OK; i++) {
        sched_yield();
        st = ge_binding_run(r.binding, NULL);
    }
    r.stop = 1;
    check_fails(st, GE_ERR_REENTRANT, "binding");
    pthread_join(thread, NULL);
    assert_int_equal(r.other, 0);
    check_ok(ge_binding_run(r.binding, NULL));
    check_ok(ge_binding_destroy(r.binding));
    check_ok(ge_value_destroy(in));
    check_ok(ge_model_destroy(model));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_refuses_what_does_not_fit),
        cmocka_unit_test(binding_refuses_what_does_not_fit),
        cmocka_unit_test(overlapping_outputs_are_refused),
        cmocka_unit_test(bad_graphs_do_not_compile),
        cmocka_unit_test(a_value_no_operator_knows_is_no_attribute),
        cmocka_unit_test(inference_says_what_does_not_fit),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(documents_name_what_is_not_there),
        cmocka_unit_test(a_callback_is_not_called_for_a_missing_format),
        cmocka_unit_test(options_have_defaults),
        cmocka_unit_test(a_model_knows_its_sides),
        cmocka_unit_test(an_index_beyond_the_end_fails_the_run),
        cmocka_unit_test(what_has_no_kernel_does_not_compile),
        cmocka_unit_test(two_threads_on_one_binding_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
