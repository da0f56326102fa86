/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences, maps and optionals: made, read, given to runs and taken from them. */
#include "graph_test.h"

static ge_value *value_of(float a, float b) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, (const int64_t[]){ 2 });
    const float data[] = { a, b };
    ge_tensor *tensor;
    ge_value *value;
    check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, sizeof data, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

static ge_value *int_value(void) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_INT64, 0, NULL);
    const int64_t data = 7;
    ge_tensor *tensor;
    ge_value *value;
    check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)&data, sizeof data, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    return value;
}

static ge_tensor *text_keys(const char *letters) { /* each letter is a key */
    uint64_t offsets[16], n = strlen(letters);
    int64_t dim = (int64_t)n;
    ge_tensor_desc desc = desc_of(GE_DTYPE_STRING, 1, &dim);
    ge_tensor *keys;
    for (uint64_t i = 0; i <= n; i++) offsets[i] = i;
    check_ok(ge_tensor_create(NULL, &desc, &keys));
    check_ok(ge_tensor_set_strings(keys, (const uint8_t *)letters, n, offsets, n + 1));
    return keys;
}

static ge_tensor *int_keys(int64_t a, int64_t b) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_INT64, 1, (const int64_t[]){ 2 });
    const int64_t data[] = { a, b };
    ge_tensor *keys;
    check_ok(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, sizeof data, &keys));
    return keys;
}

static float first_float(const ge_value *value) {
    ge_tensor *tensor;
    const uint8_t *data;
    size_t size;
    float f;
    check_ok(ge_tensor_create_from_value(value, &tensor));
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    assert_int_equal(size, 2 * sizeof f);
    memcpy(&f, data, sizeof f);
    check_ok(ge_tensor_destroy(tensor));
    return f;
}

static float item_float(const ge_value *value, size_t index) {
    ge_value *item;
    check_ok(ge_value_create_from_item(value, index, &item));
    float f = first_float(item);
    check_ok(ge_value_destroy(item));
    return f;
}

static void check_count(const ge_value *value, ge_value_kind kind, size_t count) {
    ge_value_kind found;
    size_t n;
    check_ok(ge_value_get_kind(value, &found));
    assert_int_equal(found, kind);
    check_ok(ge_value_get_items_count(value, &n));
    assert_int_equal(n, count);
}

static void sequences_keep_copies_in_order(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_value *items[] = { value_of(1, 2), value_of(3, 4) }, *sequence, *item;
    ge_tensor *tensor;
    uint8_t *write;
    size_t size;
    check_ok(ge_value_create_sequence(NULL, (const ge_value *const *)items, 2, &sequence));
    for (int i = 0; i < 2; i++) check_ok(ge_value_destroy(items[i]));
    check_count(sequence, GE_VALUE_SEQUENCE, 2);
    assert_true(item_float(sequence, 1) == 3);
    check_ok(ge_value_create_from_item(sequence, 0, &item));
    check_ok(ge_value_destroy(sequence)); /* the item keeps what it needs */
    assert_true(first_float(item) == 1);
    check_ok(ge_tensor_create_from_value(item, &tensor));
    check_fails(ge_tensor_get_mutable_data(tensor, &write, &size), GE_ERR_READ_ONLY, "tensor");
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_value_destroy(item));
    check_all_gone(before);
}

static void maps_have_keys_and_values(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_value *items[] = { value_of(1, 2), value_of(3, 4) }, *map, *maps, *inside;
    ge_tensor *keys = text_keys("ab"), *back;
    const uint8_t *text;
    const uint64_t *offsets;
    size_t size, count;
    check_ok(ge_value_create_map(keys, (const ge_value *const *)items, 2, &map));
    check_count(map, GE_VALUE_MAP, 2);
    assert_true(item_float(map, 1) == 3);
    check_ok(ge_tensor_create_from_keys(map, &back));
    check_ok(ge_tensor_get_strings(back, &text, &size, &offsets, &count));
    assert_memory_equal(text, "ab", 2);
    const ge_value *two_maps[] = { map, map };
    check_ok(ge_value_create_sequence(NULL, two_maps, 2, &maps));
    check_count(maps, GE_VALUE_SEQUENCE, 2);
    check_ok(ge_value_create_from_item(maps, 1, &inside));
    check_count(inside, GE_VALUE_MAP, 2);
    assert_true(item_float(inside, 0) == 1);
    ge_tensor *tensors[] = { keys, back };
    for (int i = 0; i < 2; i++) check_ok(ge_tensor_destroy(tensors[i]));
    ge_value *values[] = { items[0], items[1], map, maps, inside };
    for (int i = 0; i < 5; i++) check_ok(ge_value_destroy(values[i]));
    check_all_gone(before);
}

static void optionals_hold_one_or_nothing(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_value *item = value_of(1, 2), *sequence, *nothing, *full, *nested, *inside;
    check_ok(ge_value_create_optional(NULL, NULL, &nothing));
    check_count(nothing, GE_VALUE_OPTIONAL, 0);
    check_ok(ge_value_create_optional(NULL, item, &full));
    check_count(full, GE_VALUE_OPTIONAL, 1);
    assert_true(item_float(full, 0) == 1);
    check_ok(ge_value_create_sequence(NULL, (const ge_value *const *)&item, 1, &sequence));
    check_ok(ge_value_create_optional(NULL, sequence, &nested));
    check_ok(ge_value_create_from_item(nested, 0, &inside));
    check_count(inside, GE_VALUE_SEQUENCE, 1);
    ge_value *values[] = { item, sequence, nothing, full, nested, inside };
    for (int i = 0; i < 6; i++) check_ok(ge_value_destroy(values[i]));
    check_all_gone(before);
}

static void misuse_of_sequences_and_optionals(void **state) {
    (void)state;
    ge_value *item = value_of(1, 2), *number = int_value(), *sequence, *optional, *out = item;
    size_t n = 9;
    const ge_value *mixed[] = { item, number }, *with_null[] = { item, NULL };
    check_fails(ge_value_create_sequence(NULL, mixed, 2, &out), GE_ERR_DTYPE, "values");
    assert_null(out);
    check_fails(ge_value_create_sequence(NULL, with_null, 2, &out), GE_ERR_HANDLE_NULL, "values");
    check_fails(ge_value_create_sequence(NULL, NULL, 1, &out), GE_ERR_NULL_ARGUMENT, "values");
    check_fails(ge_value_create_sequence(NULL, mixed, 1, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    check_fails(ge_value_create_sequence(FOREIGN_HANDLE, mixed, 1, &out), GE_ERR_HANDLE_FOREIGN, "context");
    check_ok(ge_value_create_sequence(NULL, mixed, 1, &sequence));
    const ge_value *nested[] = { sequence }, *kinds[] = { item, sequence };
    check_fails(ge_value_create_sequence(NULL, nested, 1, &out), GE_ERR_WRONG_KIND, "values");
    check_fails(ge_value_create_sequence(NULL, kinds, 2, &out), GE_ERR_WRONG_KIND, "values");
    check_ok(ge_value_create_optional(NULL, item, &optional));
    check_fails(ge_value_create_optional(NULL, optional, &out), GE_ERR_WRONG_KIND, "value");
    check_fails(ge_value_create_optional(NULL, FOREIGN_HANDLE, &out), GE_ERR_HANDLE_FOREIGN, "value");
    check_fails(ge_value_create_optional(NULL, item, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    check_fails(ge_value_get_items_count(item, &n), GE_ERR_WRONG_KIND, "value");
    assert_int_equal(n, 0);
    check_fails(ge_value_get_items_count(sequence, NULL), GE_ERR_NULL_ARGUMENT, "out_count");
    check_fails(ge_value_get_items_count(NULL, &n), GE_ERR_HANDLE_NULL, "value");
    check_fails(ge_value_create_from_item(sequence, 1, &out), GE_ERR_OUT_OF_RANGE, "index");
    check_fails(ge_value_create_from_item(item, 0, &out), GE_ERR_WRONG_KIND, "value");
    check_fails(ge_value_create_from_item(sequence, 0, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    ge_tensor *tensor;
    check_fails(ge_tensor_create_from_value(sequence, &tensor), GE_ERR_WRONG_KIND, "value");
    ge_value *values[] = { item, number, sequence, optional };
    for (int i = 0; i < 4; i++) check_ok(ge_value_destroy(values[i]));
    check_fails(ge_value_create_from_item(sequence, 0, &out), GE_ERR_HANDLE_STALE, "value");
}

static void misuse_of_maps(void **state) {
    (void)state;
    ge_value *item = value_of(1, 2), *number = int_value(), *map, *out = item;
    ge_tensor *keys = text_keys("ab"), *same = text_keys("aa"), *ints = int_keys(3, 3), *floats, *tensor;
    const ge_value *two[] = { item, item }, *mixed[] = { item, number };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, (const int64_t[]){ 2 });
    check_ok(ge_tensor_create(NULL, &desc, &floats));
    check_fails(ge_value_create_map(same, two, 2, &out), GE_ERR_ALREADY_EXISTS, "keys");
    assert_null(out);
    check_fails(ge_value_create_map(ints, two, 2, &out), GE_ERR_ALREADY_EXISTS, "keys");
    check_fails(ge_value_create_map(floats, two, 2, &out), GE_ERR_DTYPE, "keys");
    check_fails(ge_value_create_map(keys, mixed, 2, &out), GE_ERR_DTYPE, "values");
    check_fails(ge_value_create_map(keys, two, 1, &out), GE_ERR_SHAPE, "keys");
    check_fails(ge_value_create_map(keys, NULL, 2, &out), GE_ERR_NULL_ARGUMENT, "values");
    check_fails(ge_value_create_map(NULL, two, 2, &out), GE_ERR_HANDLE_NULL, "keys");
    check_fails(ge_value_create_map(keys, two, 2, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    check_ok(ge_value_create_map(keys, two, 2, &map));
    const ge_value *nested[] = { map, map };
    check_fails(ge_value_create_map(keys, nested, 2, &out), GE_ERR_WRONG_KIND, "values");
    check_fails(ge_value_create_optional(NULL, map, &out), GE_ERR_WRONG_KIND, "value");
    check_fails(ge_tensor_create_from_keys(item, &tensor), GE_ERR_WRONG_KIND, "value");
    check_fails(ge_tensor_create_from_keys(map, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    check_fails(ge_tensor_create_from_keys(NULL, &tensor), GE_ERR_HANDLE_NULL, "value");
    ge_tensor *tensors[] = { keys, same, ints, floats };
    for (int i = 0; i < 4; i++) check_ok(ge_tensor_destroy(tensors[i]));
    ge_value *values[] = { item, number, map };
    for (int i = 0; i < 3; i++) check_ok(ge_value_destroy(values[i]));
}

/* ---- through a model: items, item, maybe, named -> more, has, same, wrapped ---- */

static ge_model *values_model(void) {
    ge_graph *graph;
    ge_model *model;
    check_ok(ge_graph_import_file(NULL, GE_FILE_AUTO, "models/values.onnx", GE_NTS, NULL, &graph));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(ge_graph_destroy(graph));
    return model;
}

static void make_inputs(ge_value **in, size_t n_items) {
    ge_value *items[] = { value_of(1, 2), value_of(3, 4) };
    ge_tensor *keys = text_keys("xy");
    check_ok(ge_value_create_sequence(NULL, (const ge_value *const *)items, n_items, &in[0]));
    in[1] = value_of(5, 6);
    check_ok(ge_value_create_optional(NULL, NULL, &in[2]));
    check_ok(ge_value_create_map(keys, (const ge_value *const *)items, 2, &in[3]));
    check_ok(ge_tensor_destroy(keys));
    for (int i = 0; i < 2; i++) check_ok(ge_value_destroy(items[i]));
}

static void check_outputs(ge_value *const *out, size_t n_items) {
    ge_tensor *has;
    const uint8_t *data;
    size_t size;
    check_count(out[0], GE_VALUE_SEQUENCE, n_items + 1);
    assert_true(item_float(out[0], n_items) == 5);
    check_ok(ge_tensor_create_from_value(out[1], &has));
    check_ok(ge_tensor_get_data(has, &data, &size));
    assert_int_equal(data[0], 0);
    check_ok(ge_tensor_destroy(has));
    check_count(out[2], GE_VALUE_MAP, 2);
    assert_true(item_float(out[2], 0) == 1);
    check_count(out[3], GE_VALUE_OPTIONAL, 1);
    assert_true(item_float(out[3], 0) == 5);
}

static void a_model_takes_and_gives_them(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = values_model();
    ge_io_info infos[4];
    size_t n;
    const ge_value_kind ins[] = { GE_VALUE_SEQUENCE, GE_VALUE_TENSOR, GE_VALUE_OPTIONAL, GE_VALUE_MAP };
    memset(infos, 0, sizeof infos);
    check_ok(ge_model_get_io_infos(model, GE_DIRECTION_IN, infos, 4, sizeof infos[0], &n));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(infos[i].kind, ins[i]);
        assert_int_equal(infos[i].dtype, GE_DTYPE_FLOAT32);
        assert_int_equal(infos[i].rank, ins[i] == GE_VALUE_TENSOR ? 1 : -1);
    }
    for (size_t n_items = 0; n_items <= 2; n_items++) { /* an empty sequence does not tell what it would hold */
        ge_value *in[4], *out[4];
        make_inputs(in, n_items);
        check_ok(ge_model_run(model, NULL, (const ge_value *const *)in, 4, out, 4));
        check_outputs(out, n_items);
        for (int i = 0; i < 4; i++) check_ok(ge_value_destroy(in[i]));
        for (int i = 0; i < 4; i++) check_ok(ge_value_destroy(out[i]));
    }
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

static void bindings_take_and_show_them(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_model *model = values_model();
    ge_binding *binding;
    ge_value *in[4], *out[4];
    check_ok(ge_binding_create(model, &binding));
    for (size_t n_items = 0; n_items <= 2; n_items++) {
        make_inputs(in, n_items);
        for (size_t i = 0; i < 4; i++) check_ok(ge_binding_set_input(binding, i, in[i]));
        for (int i = 0; i < 4; i++) check_ok(ge_value_destroy(in[i]));
        check_ok(ge_binding_run(binding, NULL));
        check_ok(ge_binding_run(binding, NULL));
        for (size_t i = 0; i < 4; i++) check_ok(ge_binding_get_output(binding, i, &out[i]));
        check_outputs(out, n_items);
    }
    ge_value *tensor = value_of(1, 2);
    check_fails(ge_binding_set_input(binding, 0, tensor), GE_ERR_WRONG_KIND, NULL);
    check_fails(ge_binding_set_output(binding, 0, tensor), GE_ERR_WRONG_KIND, NULL);
    check_ok(ge_value_destroy(tensor));
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_model_destroy(model));
    check_all_gone(before);
}

static void a_run_refuses_the_wrong_kind(void **state) {
    (void)state;
    ge_model *model = values_model();
    ge_value *in[4], *out[4], *number = int_value(), *sequence;
    make_inputs(in, 2);
    const ge_value *swapped[] = { in[1], in[0], in[2], in[3] };
    check_fails(ge_model_run(model, NULL, swapped, 4, out, 4), GE_ERR_WRONG_KIND, NULL);
    check_ok(ge_value_create_sequence(NULL, (const ge_value *const *)&number, 1, &sequence));
    const ge_value *other_type[] = { sequence, in[1], in[2], in[3] };
    check_fails(ge_model_run(model, NULL, other_type, 4, out, 4), GE_ERR_DTYPE, NULL);
    for (int i = 0; i < 4; i++) check_ok(ge_value_destroy(in[i]));
    check_ok(ge_value_destroy(number));
    check_ok(ge_value_destroy(sequence));
    check_ok(ge_model_destroy(model));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_keep_copies_in_order),
        cmocka_unit_test(maps_have_keys_and_values),
        cmocka_unit_test(optionals_hold_one_or_nothing),
        cmocka_unit_test(misuse_of_sequences_and_optionals),
        cmocka_unit_test(misuse_of_maps),
        cmocka_unit_test(a_model_takes_and_gives_them),
        cmocka_unit_test(bindings_take_and_show_them),
        cmocka_unit_test(a_run_refuses_the_wrong_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
