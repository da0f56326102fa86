/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors over memory of the caller. */
#include "memory_test.h"

static void test_over_memory(void **state) {
    (void)state;
    const int64_t dims[] = { 4 };
    float values[4] = { 1, 2, 3, 4 };
    ends e;
    ge_memory memory = memory_over(values, sizeof values, &e);
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_tensor *tensor;
    ge_tensor_info info;
    uint8_t *bytes;
    size_t size;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.ownership, GE_OWNERSHIP_CALLER);
    assert_int_equal(info.is_read_only, 0);
    check_ok(ge_tensor_get_mutable_data(tensor, &bytes, &size));
    assert_ptr_equal(bytes, values);
    check_ended(e, 0);
    check_ok(ge_tensor_destroy(tensor));
    check_ended(e, 1);
    assert_ptr_equal(e.data, values);
    assert_int_equal(e.size, sizeof values);
    memory = memory_over(values, sizeof values, &e);
    memory.flags = GE_MEMORY_READ_ONLY;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_fails(ge_tensor_get_mutable_data(tensor, &bytes, &size), GE_ERR_READ_ONLY, "tensor");
    assert_null(bytes);
    assert_int_equal(size, 0);
    check_ok(ge_tensor_destroy(tensor));
    check_ended(e, 1);
    memory = memory_over(values, sizeof values, &e); /* no callbacks at all */
    memory.release = NULL;
    memory.destroy = NULL;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_tensor_destroy(tensor));
}

static void test_over_memory_strides(void **state) {
    (void)state;
    float values[12];
    const int64_t dims[] = { 2, 3 }, strides[] = { 1, 4 }, dense[] = { 3, 1 }, negative[] = { -1, 1 }, huge[] = { INT64_MAX, INT64_MAX };
    ends e;
    for (int i = 0; i < 12; i++) values[i] = (float)i;
    ge_memory memory = memory_over(values, sizeof values, &e);
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims), back;
    ge_tensor *tensor, *copy;
    ge_tensor_info info;
    ge_value *value;
    const uint8_t *data;
    size_t size;
    desc.strides = strides;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.is_dense, 0);
    assert_int_equal(info.elements_count, 6);
    check_ok(ge_tensor_get_desc(tensor, &back, sizeof back));
    assert_memory_equal(back.strides, strides, sizeof strides);
    assert_memory_equal(back.dims, dims, sizeof dims);
    check_ok(ge_tensor_copy(tensor, &copy));
    check_ok(ge_tensor_get_data(copy, &data, &size));
    const float wanted[] = { 0, 4, 8, 1, 5, 9 };
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(data, wanted, sizeof wanted);
    check_fails(ge_value_create_from_tensor(tensor, &value), GE_ERR_SHAPE, "tensor"); /* runs take dense ones */
    ge_tensor_desc flat = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_tensor *view;
    check_fails(ge_tensor_create_view(tensor, &flat, &view), GE_ERR_SHAPE, "tensor");
    check_ok(ge_tensor_destroy(copy));
    check_ok(ge_tensor_destroy(tensor));
    check_ended(e, 1);
    memory = memory_over(values, 6 * sizeof(float), &e);
    desc.strides = dense; /* the strides of a dense tensor */
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.is_dense, 1);
    check_ok(ge_tensor_destroy(tensor));
    memory = memory_over(values, sizeof values, &e);
    desc.strides = negative;
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_SIZE, "desc");
    check_ended(e, 1);
    memory = memory_over(values, sizeof values, &e);
    desc.strides = huge;
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_SIZE, "desc");
    check_ended(e, 1);
    for (int i = 0; i < 2; i++) { /* few bytes, or many, and more elements than can be counted */
        const int64_t wide[] = { INT64_C(1) << 40, INT64_C(1) << 40 }, still[] = { 0, 0 }, rows[] = { INT64_C(1) << 40, 1 };
        memory = memory_over(values, sizeof values, &e);
        desc.dims = wide;
        desc.strides = i == 0 ? still : rows;
        check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_SIZE, "desc");
        check_ended(e, 1);
    }
    memory = memory_over(values, sizeof values, &e);
    desc.dims = dims;
    desc.strides = strides;
    desc.dtype = GE_DTYPE_INT4; /* no strides between half bytes */
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_DTYPE, "desc");
    check_ended(e, 1);
}

/* Each failure ends the memory, but for those where it could not be read. */
static void test_over_memory_misuse(void **state) {
    (void)state;
    const int64_t dims[] = { 4 }, zero[] = { 0 };
    float values[5] = { 0 };
    ends e;
    ge_memory memory = memory_over(values, 16, &e);
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_tensor *tensor;
    memory.data_size = 12;
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_SIZE, "memory");
    assert_null(tensor);
    check_ended(e, 1);
    memory = memory_over(values, 20, &e); /* too many bytes are as wrong as too few */
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_SIZE, "memory");
    memory = memory_over((uint8_t *)values + 1, 16, &e);
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_ALIGNMENT, "memory");
    check_ended(e, 1);
    memory = memory_over(NULL, 16, &e);
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_NULL_ARGUMENT, "memory");
    check_ended(e, 1);
    memory = memory_over(values, 16, &e);
    memory.flags = 2;
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_INVALID_FLAG, "memory");
    check_ended(e, 1);
    memory = memory_over(values, 16, &e);
    check_fails(ge_tensor_create_over(NULL, NULL, &memory, &tensor), GE_ERR_NULL_ARGUMENT, "desc");
    check_ended(e, 1);
    memory = memory_over(values, 16, &e);
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    check_ended(e, 1);
    memory = memory_over(values, 16, &e);
    check_fails(ge_tensor_create_over(FOREIGN_HANDLE, &desc, &memory, &tensor), GE_ERR_HANDLE_FOREIGN, "context");
    check_ended(e, 1);
    desc.dtype = GE_DTYPE_STRING;
    memory = memory_over(values, 16, &e);
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_DTYPE, "desc");
    check_ended(e, 1);
    memory = memory_over(values, 16, &e);
    memory.struct_size = 3;
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_INVALID_STRUCT_SIZE, "memory");
    memory.struct_size = sizeof memory;
    memory.reserved_flags = 1;
    check_fails(ge_tensor_create_over(NULL, &desc, &memory, &tensor), GE_ERR_INVALID_FLAG, "memory");
    check_fails(ge_tensor_create_over(NULL, &desc, NULL, &tensor), GE_ERR_NULL_ARGUMENT, "memory");
    check_ended(e, 0); /* memory itself was NULL or not a valid struct */
    desc = desc_of(GE_DTYPE_FLOAT32, 1, zero);
    memory = memory_over(NULL, 0, &e);
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_ok(ge_tensor_destroy(tensor));
    check_ended(e, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_over_memory),
        cmocka_unit_test(test_over_memory_strides),
        cmocka_unit_test(test_over_memory_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
