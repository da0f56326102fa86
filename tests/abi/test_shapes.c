/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a compilation that say what shapes inputs may have. */
#include <stdbool.h>

#include "graph_test.h"

/* sum = x + y over f32[n,3], and a Reshape to two rows, which an odd number of elements does not allow. */
static ge_graph *sum_graph(bool in_two_rows) {
    const int64_t dims[] = { -1, 3 }, rows[] = { 2, -1 };
    const char *names[] = { "n", NULL };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_builder *b;
    ge_graph *graph;
    ge_value_id x, y, sum, to;
    desc.dim_names = names;
    check_ok(ge_builder_create(NULL, "sum", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    check_ok(ge_builder_add_graph_input(b, "y", GE_NTS, 1, &desc, &y));
    sum = add_op(b, "Add", "sum", x, y, NULL);
    if (in_two_rows) {
        check_ok(ge_builder_add_ints(b, GE_DTYPE_INT64, rows, 2, 1, &to));
        sum = add_op(b, "Reshape", "rows", sum, to, NULL);
    }
    check_ok(ge_builder_build(b, &sum, 1, &graph));
    check_ok(ge_builder_destroy(b));
    return graph;
}

static ge_status compile_with(const ge_graph *graph, const char *const *options, ge_model **out) {
    ge_compile_options how = GE_COMPILE_OPTIONS_INIT;
    ge_options *set;
    check_ok(ge_options_create(&set));
    for (; *options; options += 2) check_ok(ge_options_set_text(set, options[0], GE_NTS, options[1], GE_NTS));
    how.options = set;
    ge_status st = ge_graph_compile(graph, &how, out);
    check_ok(ge_options_destroy(set));
    return st;
}

static ge_model *model_with(bool in_two_rows, const char *const *options) {
    ge_graph *graph = sum_graph(in_two_rows);
    ge_model *model;
    check_ok(compile_with(graph, options, &model));
    check_ok(ge_graph_destroy(graph));
    return model;
}

static ge_value *rows_of(int64_t n, float number) {
    const int64_t dims[] = { n, 3 };
    float data[64 * 3];
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_tensor *tensor;
    ge_value *value;
    for (int64_t i = 0; i < 3 * n; i++) data[i] = number + (float)i;
    check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, (size_t)n * 3 * sizeof(float), &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

static ge_status run_rows(const ge_model *model, int64_t n, int64_t m) {
    ge_value *x = rows_of(n, 1), *y = rows_of(m, 10), *out = NULL;
    const ge_value *in[] = { x, y };
    ge_status st = ge_model_run(model, NULL, in, 2, &out, 1);
    if (st == GE_OK) {
        ge_tensor *tensor;
        const uint8_t *data;
        size_t size;
        check_ok(ge_tensor_create_from_value(out, &tensor));
        check_ok(ge_tensor_get_data(tensor, &data, &size));
        assert_int_equal(size, (size_t)n * 3 * sizeof(float));
        for (int64_t i = 0; i < 3 * n; i++) assert_true(((const float *)(const void *)data)[i] == 11 + 2 * (float)i);
        check_ok(ge_tensor_destroy(tensor));
        check_ok(ge_value_destroy(out));
    }
    check_ok(ge_value_destroy(x));
    check_ok(ge_value_destroy(y));
    return st;
}

/* The run fails with a message that holds `part`. */
static void check_refused(const ge_model *model, int64_t n, int64_t m, const char *part) {
    ge_value *x = rows_of(n, 1), *y = rows_of(m, 1), *out = NULL;
    const ge_value *in[] = { x, y };
    ge_binding *binding;
    check_message(part, ge_model_run(model, NULL, in, 2, &out, 1));
    check_fails(ge_model_run(model, NULL, in, 2, &out, 1), GE_ERR_SHAPE, NULL);
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_binding_set_input(binding, 0, x));
    check_ok(ge_binding_set_input(binding, 1, y));
    check_message(part, ge_binding_run(binding, NULL));
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(x));
    check_ok(ge_value_destroy(y));
}

static ge_model_summary summary_of(const ge_model *model) {
    ge_model_summary s;
    check_ok(ge_model_get_summary(model, &s, sizeof s));
    return s;
}

static ge_model_counters counters_of(const ge_model *model) {
    ge_model_counters c;
    check_ok(ge_model_get_counters(model, &c, sizeof c));
    return c;
}

static void one_name_is_one_size(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = model_with(false, (const char *[]){ NULL });
    check_ok(run_rows(model, 4, 4));
    check_refused(model, 4, 5, "input 'y': dim 0 is 5, but 'n' is 4: dim 0 of input 'x'");
    check_ok(run_rows(model, 5, 5));
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

static void sizes_make_a_static_model(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_io_info infos[2];
    size_t n;
    ge_model *model = model_with(false, (const char *[]){ "input_shape", "x:4,3", NULL }); /* y follows by its name */
    assert_int_equal(summary_of(model).is_static, 1);
    check_ok(ge_model_get_io_infos(model, GE_DIRECTION_IN, infos, 2, sizeof infos[0], &n));
    for (int i = 0; i < 2; i++) assert_true(infos[i].dims[0] == 4 && infos[i].data_size == 4 * 3 * sizeof(float));
    check_ok(run_rows(model, 4, 4));
    check_message("shape [5,3] does not fit [4,3]", run_rows(model, 5, 5));
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

static void runs_are_held_to_ranges(void **state) {
    (void)state;
    uint64_t before = live_objects();
    const char *forms[][2] = { { "input_shape", "x:2~8,3" }, { "input_shape_range", "x:[2~8,3]" } };
    for (int form = 0; form < 2; form++) {
        ge_model *model = model_with(false, (const char *[]){ forms[form][0], forms[form][1], NULL });
        for (int64_t i = 2; i <= 8; i += 3) check_ok(run_rows(model, i, i));
        check_refused(model, 1, 1, "input 'x': dim 0 is 1, but was compiled for 2 to 8");
        check_refused(model, 9, 9, "input 'x': dim 0 is 9, but was compiled for 2 to 8");
        check_ok(run_rows(model, 3, 3));
        check_ok(ge_model_destroy(model));
    }
    check_all_gone(before);
}

static void gears_are_planned_when_compiled_and_the_only_ones(void **state) {
    (void)state;
    uint64_t before = live_objects();
    const char *forms[][2] = { { "ge.dynamicBatchSize", "2,4,32" }, { "ge.dynamicDims", "2;4;32" } };
    for (int form = 0; form < 2; form++) {
        ge_model *model = model_with(false, (const char *[]){ "input_shape", "x:-1,3", forms[form][0], forms[form][1], "ge.maxShapes", "1", NULL });
        ge_model_summary s = summary_of(model);
        assert_int_equal(s.is_static, 0);
        assert_int_equal(counters_of(model).instances_count, 3);
        for (int round = 0; round < 2; round++)
            for (int64_t n = 2; n <= 32; n *= 2)
                if (n != 8 && n != 16) check_ok(run_rows(model, n, n));
        assert_int_equal(counters_of(model).instances_count, 3); /* made by the compilation, for all their runs */
        check_refused(model, 8, 8, "input 'x': dim 0: 8 is no gear of");
        check_refused(model, 1, 1, "these are: 2 or 4 or 32");
        check_ok(ge_model_destroy(model));
    }
    check_all_gone(before);
}

static void image_gears_serve_height_and_width(void **state) {
    (void)state;
    const int64_t dims[] = { 1, -1, -1, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 4, dims);
    ge_builder *b;
    ge_graph *graph;
    ge_model *model;
    ge_value_id x, y;
    uint64_t before = live_objects();
    check_ok(ge_builder_create(NULL, "image", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y = add_op(b, "Relu", NULL, x, 0, NULL);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(compile_with(graph, (const char *[]){ "ge.dynamicImageSize", "3,4;5,6", "input_format", "NHWC", NULL }, &model));
    for (int64_t h = 3; h <= 5; h++) {
        const int64_t real[] = { 1, h, h + 1, 2 };
        ge_tensor_desc given = desc_of(GE_DTYPE_FLOAT32, 4, real);
        ge_tensor *tensor;
        ge_value *value, *out = NULL;
        check_ok(ge_tensor_create(NULL, &given, &tensor));
        check_ok(ge_value_create_from_tensor(tensor, &value));
        const ge_value *in[] = { value };
        if (h != 4) check_ok(ge_model_run(model, NULL, in, 1, &out, 1));
        else check_message("4,5 is no gear of ge.dynamicImageSize, these are: 3,4 or 5,6", ge_model_run(model, NULL, in, 1, &out, 1));
        check_ok(ge_value_destroy(out));
        check_ok(ge_value_destroy(value));
        check_ok(ge_tensor_destroy(tensor));
    }
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
    check_all_gone(before);
}

static void bad_shapes_and_gears_fail_when_compiled(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_graph *graph = sum_graph(true);
    ge_model *model = NULL;
    const char *bad[] = { "input_shape", "z:4,3", NULL }, *odd[] = { "ge.dynamicBatchSize", "2,4,5", NULL };
    check_message("option 'input_shape': the model has no input 'z'", compile_with(graph, bad, &model));
    check_fails(compile_with(graph, bad, &model), GE_ERR_OPTION_VALUE, NULL);
    check_message("Reshape", compile_with(graph, odd, &model)); /* five rows of three do not go into two */
    assert_null(model);
    check_ok(compile_with(graph, (const char *[]){ "ge.dynamicBatchSize", "2,4", NULL }, &model));
    check_ok(run_rows(model, 4, 4));
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
    check_all_gone(before);
}

/* ---- shapes that change from run to run, by the model's counters ---- */

/* What a compilation makes is not made again. */
static void check_nothing_prepared(const ge_model *model, const ge_model_counters *compiled) {
    ge_model_counters c = counters_of(model);
    assert_int_equal(c.primitives_count, compiled->primitives_count);
    assert_int_equal(c.packings_count, compiled->packings_count);
}

static ge_value_id weights(ge_builder *b, float diagonal) {
    const int64_t dims[] = { 8, 8 };
    float data[64] = { 0 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_tensor *tensor;
    ge_value_id w;
    for (int i = 0; i < 8; i++) data[9 * i] = diagonal;
    check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, sizeof data, &tensor));
    check_ok(ge_builder_add_constant(b, NULL, 0, tensor, &w));
    check_ok(ge_tensor_destroy(tensor));
    return w;
}

static ge_value_id joined(ge_builder *b, ge_value_id first, ge_value_id second) {
    const ge_value_id both[] = { first, second };
    ge_value_id y;
    check_ok(ge_builder_begin_op(b, "ConcatD", GE_NTS, NULL, 0));
    check_ok(ge_builder_add_inputs(b, both, 2));
    check_ok(ge_builder_set_attr_int(b, "concat_dim", GE_NTS, GE_ATTR_NONE, 0));
    check_ok(ge_builder_set_attr_int(b, "N", GE_NTS, GE_ATTR_NONE, 2));
    check_ok(ge_builder_end_op(b, &y, 1, NULL));
    return y;
}

/* One step of a decoder: x f32[1,8] looks at a cache of keys and values f32[past,8], each of which gets a row more. */
static ge_model *decoder(const char *kept) {
    const int64_t one[] = { 1, 8 }, past[] = { -1, 8 };
    const char *names[] = { "past", NULL };
    ge_tensor_desc x_desc = desc_of(GE_DTYPE_FLOAT32, 2, one), cache = desc_of(GE_DTYPE_FLOAT32, 2, past);
    ge_builder *b;
    ge_graph *graph;
    ge_model *model;
    ge_value_id x, keys, values, outputs[3], query, scores;
    cache.dim_names = names;
    check_ok(ge_builder_create(NULL, "decoder", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &x_desc, &x));
    check_ok(ge_builder_add_graph_input(b, "keys", GE_NTS, 1, &cache, &keys));
    check_ok(ge_builder_add_graph_input(b, "values", GE_NTS, 2, &cache, &values));
    outputs[1] = joined(b, keys, add_op(b, "MatMulV2", NULL, x, weights(b, 0), NULL));
    outputs[2] = joined(b, values, add_op(b, "MatMulV2", NULL, x, weights(b, 2), NULL));
    query = add_op(b, "MatMulV2", NULL, x, weights(b, 3), NULL);
    check_ok(ge_builder_begin_op(b, "MatMulV2", GE_NTS, NULL, 0));
    check_ok(ge_builder_add_input(b, query));
    check_ok(ge_builder_add_input(b, outputs[1]));
    check_ok(ge_builder_set_attr_int(b, "transpose_x2", GE_NTS, GE_ATTR_BOOL, 1));
    check_ok(ge_builder_end_op(b, &scores, 1, NULL));
    outputs[0] = add_op(b, "MatMulV2", NULL, add_op(b, "SoftmaxV2", NULL, scores, 0, NULL), outputs[2], NULL);
    check_ok(ge_builder_build(b, outputs, 3, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(compile_with(graph, (const char *[]){ "ge.maxShapes", kept, NULL }, &model));
    check_ok(ge_graph_destroy(graph));
    return model;
}

static ge_value *cache_of(int64_t rows, float number) {
    const int64_t dims[] = { rows, 8 };
    float data[50 * 8];
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_tensor *tensor;
    ge_value *value;
    for (int64_t i = 0; i < 8 * rows; i++) data[i] = number;
    check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, (size_t)rows * 8 * sizeof(float), &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

enum { STEPS = 256 };

/* Keys are zero, so each row counts the same: the mean of the values, of which the first is 0 and all others are 2. */
static void decode(const ge_model *model) {
    ge_value *x = cache_of(1, 1), *keys = cache_of(1, 0), *values = cache_of(1, 0);
    for (int step = 1; step <= STEPS; step++) {
        const ge_value *in[] = { x, keys, values };
        ge_value *out[3] = { NULL, NULL, NULL };
        ge_tensor *tensor;
        const uint8_t *data;
        size_t size;
        check_ok(ge_model_run(model, NULL, in, 3, out, 3));
        check_ok(ge_tensor_create_from_value(out[0], &tensor));
        check_ok(ge_tensor_get_data(tensor, &data, &size));
        float got = ((const float *)(const void *)data)[7], want = 2 * (float)step / (float)(step + 1);
        assert_true(got - want < 1e-5f && want - got < 1e-5f);
        check_ok(ge_tensor_destroy(tensor));
        ge_value *const gone[] = { out[0], keys, values };
        for (int i = 0; i < 3; i++) check_ok(ge_value_destroy(gone[i]));
        keys = out[1];
        values = out[2];
    }
    ge_value *const gone[] = { x, keys, values };
    for (int i = 0; i < 3; i++) check_ok(ge_value_destroy(gone[i]));
}

static void a_growing_cache_prepares_and_packs_nothing(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = decoder("8");
    ge_model_counters compiled = counters_of(model);
    assert_true(compiled.primitives_count >= 3 && compiled.packings_count >= 3);
    decode(model);
    check_nothing_prepared(model, &compiled);
    ge_model_counters first = counters_of(model);
    assert_int_equal(first.runs_count, STEPS);
    assert_true(first.instances_count - first.evicted_count <= 8);
    decode(model);
    check_nothing_prepared(model, &compiled);
    assert_true(counters_of(model).pooled_bytes <= first.pooled_bytes);
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

/* With room for all lengths the second sequence makes nothing at all but its outputs. */
static void lengths_seen_before_are_found(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = decoder("300");
    decode(model);
    ge_model_counters first = counters_of(model);
    assert_int_equal(first.instances_count, STEPS);
    decode(model);
    ge_model_counters second = counters_of(model);
    check_nothing_prepared(model, &first);
    assert_int_equal(second.instances_count, STEPS);
    assert_int_equal(second.evicted_count, 0);
    assert_int_equal(second.found_count - first.found_count, STEPS);
    assert_int_equal(second.allocations_count - first.allocations_count, 3 * STEPS); /* outputs made for the caller */
    assert_int_equal(second.pooled_bytes, first.pooled_bytes);
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

static uint64_t held_bytes(void) {
    ge_context_info info;
    check_ok(ge_context_get_info(NULL, &info, sizeof info));
    return info.allocated_bytes;
}

/* Fifty lengths in turn, through a binding one way and without the other, with room for sixteen: memory stays, and nothing is packed again. */
static void fifty_shapes_in_turn_stay_within_the_bound(void **state) {
    (void)state;
    enum { SHAPES = 50, KEPT = 16 };
    uint64_t before = live_objects(), most = 0;
    ge_model *model = decoder("16");
    ge_model_counters compiled = counters_of(model);
    ge_value *x = cache_of(1, 1);
    ge_binding *binding;
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_binding_set_input(binding, 0, x));
    for (int round = 0; round < 4; round++) {
        for (int64_t i = 1; i <= SHAPES; i++) {
            ge_value *bound = cache_of(i, 0), *other = cache_of(SHAPES + 1 - i, 0), *out[3] = { NULL, NULL, NULL };
            const ge_value *in[] = { x, other, other };
            for (size_t k = 1; k < 3; k++) check_ok(ge_binding_set_input(binding, k, bound));
            check_ok(ge_binding_run(binding, NULL));
            check_ok(ge_model_run(model, NULL, in, 3, out, 3));
            for (int k = 0; k < 3; k++) check_ok(ge_value_destroy(out[k]));
            check_ok(ge_value_destroy(bound));
            check_ok(ge_value_destroy(other));
            uint64_t held = held_bytes();
            if (round > 0) assert_true(held <= most + 4096);
            else if (held > most) most = held;
        }
        ge_model_counters c = counters_of(model);
        check_nothing_prepared(model, &compiled);
        assert_true(c.instances_count >= SHAPES && c.instances_count - c.evicted_count <= KEPT);
    }
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_value_destroy(x));
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_name_is_one_size),
        cmocka_unit_test(sizes_make_a_static_model),
        cmocka_unit_test(runs_are_held_to_ranges),
        cmocka_unit_test(gears_are_planned_when_compiled_and_the_only_ones),
        cmocka_unit_test(image_gears_serve_height_and_width),
        cmocka_unit_test(bad_shapes_and_gears_fail_when_compiled),
        cmocka_unit_test(a_growing_cache_prepares_and_packs_nothing),
        cmocka_unit_test(lengths_seen_before_are_found),
        cmocka_unit_test(fifty_shapes_in_turn_stay_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
