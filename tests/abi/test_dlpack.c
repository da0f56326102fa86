/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack in both forms. The structs are spelled here as a client's own header would have them: DLPack 1.0. */
#include "abi_test.h"

typedef struct dl_tensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;
typedef struct legacy {
    dl_tensor tensor;
    void *manager;
    void (*deleter)(struct legacy *);
} legacy;
typedef struct versioned {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct versioned *);
    uint64_t flags;
    dl_tensor tensor;
} versioned;

static int deleted;
static void delete_legacy(legacy *self) {
    (void)self;
    deleted++;
    if (ge_tensor_destroy(FOREIGN_HANDLE) == GE_OK) fail(); /* must not replace the record of the call */
}
static void delete_versioned(versioned *self) {
    (void)self;
    deleted++;
    if (ge_tensor_destroy(FOREIGN_HANDLE) == GE_OK) fail();
}

static float values[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static int64_t shape[2] = { 2, 3 };

static versioned producer(void) {
    deleted = 0;
    return (versioned){ .major = 1, .minor = 2, .deleter = delete_versioned,
                        .tensor = { .data = values, .device_type = 1, .ndim = 2, .code = 2, .bits = 32, .lanes = 1, .shape = shape } };
}
static ge_dlpack *as_dlpack(versioned *v) { return (ge_dlpack *)(void *)v; }

static void test_import(void **state) {
    (void)state;
    versioned v = producer();
    ge_tensor *tensor;
    ge_tensor_info info;
    ge_tensor_desc desc;
    const uint8_t *data;
    uint8_t *write;
    size_t size;
    v.tensor.byte_offset = 4;
    check_ok(ge_tensor_import_dlpack(NULL, as_dlpack(&v), &tensor));
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    assert_ptr_equal(data, &values[1]);
    assert_int_equal(size, 24);
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.ownership, GE_OWNERSHIP_CALLER);
    assert_int_equal(info.is_read_only, 0);
    check_ok(ge_tensor_get_desc(tensor, &desc, sizeof desc));
    assert_int_equal(desc.dtype, GE_DTYPE_FLOAT32);
    assert_int_equal(desc.rank, 2);
    assert_int_equal(desc.dims[1], 3);
    assert_int_equal(deleted, 0);
    check_ok(ge_tensor_destroy(tensor));
    assert_int_equal(deleted, 1);
    v = producer();
    v.flags = 1;
    check_ok(ge_tensor_import_dlpack(NULL, as_dlpack(&v), &tensor));
    check_fails(ge_tensor_get_mutable_data(tensor, &write, &size), GE_ERR_READ_ONLY, "tensor");
    check_ok(ge_tensor_destroy(tensor));
    v = producer();
    v.deleter = NULL;
    check_ok(ge_tensor_import_dlpack(NULL, as_dlpack(&v), &tensor));
    check_ok(ge_tensor_destroy(tensor));
}

static void test_import_strides(void **state) {
    (void)state;
    int64_t dense[] = { 3, 1 }, columns[] = { 1, 2 }, ones[] = { 1, 6 }, any[] = { 77, 1 };
    versioned v = producer();
    ge_tensor *tensor;
    ge_tensor_info info;
    v.tensor.strides = dense;
    check_ok(ge_tensor_import_dlpack(NULL, as_dlpack(&v), &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.is_dense, 1);
    check_ok(ge_tensor_destroy(tensor));
    v = producer();
    v.tensor.strides = columns;
    check_ok(ge_tensor_import_dlpack(NULL, as_dlpack(&v), &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.is_dense, 0);
    check_ok(ge_tensor_destroy(tensor));
    v = producer();
    v.tensor.shape = ones; /* the stride of a dim of 1 says nothing */
    v.tensor.strides = any;
    check_ok(ge_tensor_import_dlpack(NULL, as_dlpack(&v), &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.is_dense, 1);
    check_ok(ge_tensor_destroy(tensor));
}

/* Every failure ends the producer's tensor once. */
static void import_fails(versioned *v, ge_status status) {
    ge_tensor *tensor = FOREIGN_HANDLE;
    check_fails(ge_tensor_import_dlpack(NULL, as_dlpack(v), &tensor), status, "dlpack");
    assert_null(tensor);
    assert_int_equal(deleted, 1);
}

static void test_import_misuse(void **state) {
    (void)state;
    int64_t negative[] = { 2, -3 }, huge[] = { INT64_MAX, INT64_MAX }, many[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, down[] = { -3, 1 }, still[] = { 0, 0 };
    ge_tensor *tensor;
    versioned v = producer();
    v.major = 2;
    import_fails(&v, GE_ERR_UNSUPPORTED_VERSION);
    v = producer();
    v.major = 0;
    import_fails(&v, GE_ERR_UNSUPPORTED_VERSION);
    v = producer();
    v.tensor.device_type = 2;
    import_fails(&v, GE_ERR_NO_DEVICE);
    v = producer();
    v.tensor.ndim = 9;
    v.tensor.shape = many;
    import_fails(&v, GE_ERR_RANK);
    v = producer();
    v.tensor.ndim = -1;
    import_fails(&v, GE_ERR_RANK);
    v = producer();
    v.tensor.shape = NULL;
    import_fails(&v, GE_ERR_RANK);
    v = producer();
    v.tensor.lanes = 2;
    import_fails(&v, GE_ERR_UNSUPPORTED_DTYPE);
    v = producer();
    v.tensor.code = 99;
    import_fails(&v, GE_ERR_UNSUPPORTED_DTYPE);
    v = producer();
    v.tensor.bits = 31;
    import_fails(&v, GE_ERR_UNSUPPORTED_DTYPE);
    v = producer();
    v.tensor.shape = negative;
    import_fails(&v, GE_ERR_SIZE);
    v = producer();
    v.tensor.shape = negative;
    v.tensor.strides = down;
    import_fails(&v, GE_ERR_SIZE);
    v = producer();
    v.tensor.shape = huge;
    import_fails(&v, GE_ERR_SIZE);
    v = producer();
    v.tensor.shape = huge;
    v.tensor.strides = huge;
    import_fails(&v, GE_ERR_SIZE);
    v = producer();
    v.tensor.shape = huge;
    v.tensor.strides = still; /* few bytes, more elements than can be counted */
    import_fails(&v, GE_ERR_SIZE);
    v = producer();
    v.tensor.strides = down;
    import_fails(&v, GE_ERR_SIZE);
    v = producer();
    v.tensor.data = NULL;
    import_fails(&v, GE_ERR_SIZE);
    v = producer();
    v.tensor.byte_offset = 2;
    import_fails(&v, GE_ERR_ALIGNMENT);
    v = producer();
    check_fails(ge_tensor_import_dlpack(FOREIGN_HANDLE, as_dlpack(&v), &tensor), GE_ERR_HANDLE_FOREIGN, "context");
    assert_int_equal(deleted, 1);
    v = producer();
    check_fails(ge_tensor_import_dlpack(NULL, as_dlpack(&v), NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    assert_int_equal(deleted, 1);
    check_fails(ge_tensor_import_dlpack(NULL, NULL, &tensor), GE_ERR_NULL_ARGUMENT, "dlpack");
}

static void test_import_legacy(void **state) {
    (void)state;
    legacy l = { .tensor = producer().tensor, .deleter = delete_legacy };
    ge_tensor *tensor;
    check_ok(ge_tensor_import_dlpack_legacy(NULL, (ge_dlpack_legacy *)(void *)&l, &tensor));
    check_ok(ge_tensor_destroy(tensor));
    assert_int_equal(deleted, 1);
    l.tensor.device_type = 2;
    check_fails(ge_tensor_import_dlpack_legacy(NULL, (ge_dlpack_legacy *)(void *)&l, &tensor), GE_ERR_NO_DEVICE, "dlpack");
    assert_null(tensor);
    assert_int_equal(deleted, 2);
    check_fails(ge_tensor_import_dlpack_legacy(NULL, (ge_dlpack_legacy *)(void *)&l, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    assert_int_equal(deleted, 3);
    check_fails(ge_tensor_import_dlpack_legacy(NULL, NULL, &tensor), GE_ERR_NULL_ARGUMENT, "dlpack");
}

static void test_export(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_tensor *tensor = two_floats(NULL), *back;
    ge_dlpack *out;
    ge_dlpack_legacy *out_legacy;
    const uint8_t *data;
    size_t size;
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    check_ok(ge_tensor_export_dlpack(tensor, &out));
    versioned *v = (versioned *)(void *)out;
    assert_int_equal(v->major, 1);
    assert_int_equal(v->flags, 0);
    assert_ptr_equal((char *)v->tensor.data + v->tensor.byte_offset, data);
    assert_int_equal(v->tensor.ndim, 1);
    assert_int_equal(v->tensor.shape[0], 2);
    assert_int_equal(v->tensor.strides[0], 1);
    assert_int_equal(v->tensor.device_type, 1);
    check_ok(ge_tensor_export_dlpack_legacy(tensor, &out_legacy));
    check_ok(ge_tensor_destroy(tensor)); /* the exports keep the memory */
    legacy *l = (legacy *)(void *)out_legacy;
    assert_float_equal(((float *)l->tensor.data)[1], 2, 0);
    l->deleter(l);
    check_ok(ge_tensor_import_dlpack(NULL, out, &back)); /* and round */
    check_ok(ge_tensor_get_data(back, &data, &size));
    assert_float_equal(((const float *)(const void *)data)[1], 2, 0);
    check_ok(ge_tensor_destroy(back));
    check_all_gone(before);
}

static void test_export_misuse(void **state) {
    (void)state;
    const int64_t dims[] = { 2 };
    ge_dlpack *out = FOREIGN_HANDLE;
    ge_dlpack_legacy *out_legacy = FOREIGN_HANDLE;
    ge_tensor *tensor;
    const ge_dtype without[] = { GE_DTYPE_STRING, GE_DTYPE_INT4, GE_DTYPE_QINT8 };
    for (size_t i = 0; i < 3; i++) {
        ge_tensor_desc desc = desc_of(without[i], 1, dims);
        check_ok(ge_tensor_create(NULL, &desc, &tensor));
        check_fails(ge_tensor_export_dlpack(tensor, &out), GE_ERR_UNSUPPORTED_DTYPE, "tensor");
        check_fails(ge_tensor_export_dlpack_legacy(tensor, &out_legacy), GE_ERR_UNSUPPORTED_DTYPE, "tensor");
        assert_null(out);
        assert_null(out_legacy);
        check_ok(ge_tensor_destroy(tensor));
    }
    versioned v = producer();
    v.flags = 1;
    check_ok(ge_tensor_import_dlpack(NULL, as_dlpack(&v), &tensor));
    check_ok(ge_tensor_export_dlpack(tensor, &out));
    assert_int_equal(((versioned *)(void *)out)->flags, 1);
    ((versioned *)(void *)out)->deleter((versioned *)(void *)out);
    check_fails(ge_tensor_export_dlpack_legacy(tensor, &out_legacy), GE_ERR_READ_ONLY, "tensor"); /* it cannot say read-only */
    check_fails(ge_tensor_export_dlpack(tensor, NULL), GE_ERR_NULL_ARGUMENT, "out_dlpack");
    check_fails(ge_tensor_export_dlpack_legacy(tensor, NULL), GE_ERR_NULL_ARGUMENT, "out_dlpack");
    check_ok(ge_tensor_destroy(tensor));
    check_fails(ge_tensor_export_dlpack(tensor, &out), GE_ERR_HANDLE_STALE, "tensor");
    check_fails(ge_tensor_export_dlpack_legacy(NULL, &out_legacy), GE_ERR_HANDLE_NULL, "tensor");
}

static void test_all_types(void **state) {
    (void)state;
    const ge_dtype dtypes[] = { GE_DTYPE_FLOAT32, GE_DTYPE_FLOAT64, GE_DTYPE_FLOAT16, GE_DTYPE_BFLOAT16, GE_DTYPE_INT8, GE_DTYPE_INT16, GE_DTYPE_INT32,
                                GE_DTYPE_INT64, GE_DTYPE_UINT8, GE_DTYPE_UINT16, GE_DTYPE_UINT32, GE_DTYPE_UINT64, GE_DTYPE_BOOL, GE_DTYPE_COMPLEX64,
                                GE_DTYPE_COMPLEX128 };
    const int64_t dims[] = { 3, 2 };
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        ge_tensor_desc desc = desc_of(dtypes[i], 2, dims), back;
        ge_tensor *tensor, *again;
        ge_dlpack *out;
        check_ok(ge_tensor_create(NULL, &desc, &tensor));
        check_ok(ge_tensor_export_dlpack(tensor, &out));
        check_ok(ge_tensor_import_dlpack(NULL, out, &again));
        check_ok(ge_tensor_get_desc(again, &back, sizeof back));
        assert_int_equal(back.dtype, dtypes[i]);
        assert_memory_equal(back.dims, dims, sizeof dims);
        check_ok(ge_tensor_destroy(tensor));
        check_ok(ge_tensor_destroy(again));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import), cmocka_unit_test(test_import_strides), cmocka_unit_test(test_import_misuse), cmocka_unit_test(test_import_legacy),
        cmocka_unit_test(test_export), cmocka_unit_test(test_export_misuse),  cmocka_unit_test(test_all_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
