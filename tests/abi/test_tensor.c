/* SPDX-License-Identifier: Apache-2.0 */
/* Data types, formats, descs, tensors with memory of their own, views, copies, strings, values. */
#include "memory_test.h"

/* ---- data types, formats ---- */

static void test_dtypes(void **state) {
    (void)state;
    ge_dtype dtype;
    assert_string_equal(ge_dtype_get_name(GE_DTYPE_FLOAT32), "float32");
    assert_string_equal(ge_dtype_get_name(GE_DTYPE_UINT4), "uint4");
    assert_string_equal(ge_dtype_get_name(5), "unknown");
    assert_string_equal(ge_dtype_get_name(-1), "unknown");
    assert_int_equal(ge_dtype_get_bits(GE_DTYPE_COMPLEX128), 128);
    assert_int_equal(ge_dtype_get_bits(GE_DTYPE_UINT1), 1);
    assert_int_equal(ge_dtype_get_bits(GE_DTYPE_STRING), 0);
    assert_int_equal(ge_dtype_get_bits(123456), 0);
    check_ok(ge_dtype_find("int64X", 5, &dtype));
    assert_int_equal(dtype, GE_DTYPE_INT64);
    check_ok(ge_dtype_find("DT_FLOAT", GE_NTS, &dtype));
    assert_int_equal(dtype, GE_DTYPE_FLOAT32);
    check_ok(ge_dtype_find("undefined", GE_NTS, &dtype));
    assert_int_equal(dtype, GE_DTYPE_UNDEFINED);
    for (ge_dtype d = 0; d < 300; d++) { /* every name reads back */
        if (strcmp(ge_dtype_get_name(d), "unknown") == 0) continue;
        check_ok(ge_dtype_find(ge_dtype_get_name(d), GE_NTS, &dtype));
        assert_int_equal(dtype, d);
    }
    dtype = 9;
    check_fails(ge_dtype_find("floaty", GE_NTS, &dtype), GE_ERR_NOT_FOUND, "name");
    assert_int_equal(dtype, 0);
    check_fails(ge_dtype_find("", 0, &dtype), GE_ERR_NOT_FOUND, "name");
    check_fails(ge_dtype_find("undef", GE_NTS, &dtype), GE_ERR_NOT_FOUND, "name");
    check_fails(ge_dtype_find("my_undefined", GE_NTS, &dtype), GE_ERR_NOT_FOUND, "name");
    check_fails(ge_dtype_find(NULL, GE_NTS, &dtype), GE_ERR_NULL_ARGUMENT, "name");
    check_fails(ge_dtype_find("int8", GE_NTS, NULL), GE_ERR_NULL_ARGUMENT, "out_dtype");
    check_fails(ge_dtype_find("\xed\xa0\x80", 3, &dtype), GE_ERR_INVALID_UTF8, "name"); /* a surrogate */
}

static void test_formats(void **state) {
    (void)state;
    ge_format format;
    assert_string_equal(ge_format_get_name(GE_FORMAT_NCHW), "NCHW");
    assert_string_equal(ge_format_get_name(GE_FORMAT_ND), "ND");
    assert_string_equal(ge_format_get_name(GE_FORMAT_NCHW | 16 << 8), "NCHW"); /* a sub-format */
    assert_string_equal(ge_format_get_name(200), "unknown");
    for (ge_format f = GE_FORMAT_NCHW; f <= GE_FORMAT_FRACTAL_NZ_C0_32; f++) {
        assert_string_not_equal(ge_format_get_name(f), "unknown");
        check_ok(ge_format_find(ge_format_get_name(f), GE_NTS, &format));
        assert_int_equal(format, f);
    }
    check_fails(ge_format_find("NCWH", GE_NTS, &format), GE_ERR_NOT_FOUND, "name");
    check_fails(ge_format_find(NULL, 4, &format), GE_ERR_NULL_ARGUMENT, "name");
    check_fails(ge_format_find("ND", 2, NULL), GE_ERR_NULL_ARGUMENT, "out_format");
}

/* ---- structs ---- */

static void test_inits(void **state) {
    (void)state;
    ge_tensor_desc macro = GE_TENSOR_DESC_INIT, desc;
    ge_memory memory_macro = GE_MEMORY_INIT, memory;
    memset(&desc, 0xee, sizeof desc);
    memset(&memory, 0xee, sizeof memory);
    check_ok(ge_tensor_desc_init(&desc, sizeof desc));
    check_ok(ge_memory_init(&memory, sizeof memory));
    assert_memory_equal(&desc, &macro, sizeof desc);
    assert_memory_equal(&memory, &memory_macro, sizeof memory);
    check_fails(ge_tensor_desc_init(&desc, 0), GE_ERR_INVALID_STRUCT_SIZE, "desc");
    check_fails(ge_tensor_desc_init(&desc, 5000), GE_ERR_INVALID_STRUCT_SIZE, "desc");
    check_fails(ge_tensor_desc_init(NULL, sizeof desc), GE_ERR_NULL_ARGUMENT, "desc");
    check_fails(ge_memory_init(&memory, 8), GE_ERR_INVALID_STRUCT_SIZE, "memory");
    check_fails(ge_memory_init(NULL, sizeof memory), GE_ERR_NULL_ARGUMENT, "memory");
}

/* A struct of a later header: what is unknown must be zero. */
static void test_struct_growth(void **state) {
    (void)state;
    struct {
        ge_tensor_desc desc;
        uint64_t more[4];
    } later = { GE_TENSOR_DESC_INIT, { 0 } };
    ge_tensor *tensor;
    later.desc.struct_size = sizeof later;
    check_ok(ge_tensor_create(NULL, &later.desc, &tensor));
    check_ok(ge_tensor_destroy(tensor));
    later.more[2] = 1;
    check_fails(ge_tensor_create(NULL, &later.desc, &tensor), GE_ERR_UNSUPPORTED_FIELD, "desc");
    assert_null(tensor);
    const uint32_t sizes[] = { 0, 4, 8, sizeof(ge_tensor_desc) - 1, 4097, UINT32_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        later.desc.struct_size = sizes[i];
        check_fails(ge_tensor_create(NULL, &later.desc, &tensor), GE_ERR_INVALID_STRUCT_SIZE, "desc");
    }
    later.desc.struct_size = sizeof later.desc;
    later.desc.reserved_flags = 1;
    check_fails(ge_tensor_create(NULL, &later.desc, &tensor), GE_ERR_INVALID_FLAG, "desc");
}

/* ---- creation ---- */

static void test_create(void **state) {
    (void)state;
    uint64_t before = live_objects();
    const int64_t dims[] = { 2, 3 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_INT32, 2, dims), back;
    ge_tensor_info info;
    ge_tensor *tensor;
    const uint8_t *data;
    uint8_t *bytes;
    size_t size;
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_tensor_get_desc(tensor, &back, sizeof back));
    assert_int_equal(back.struct_size, sizeof back);
    assert_int_equal(back.dtype, GE_DTYPE_INT32);
    assert_int_equal(back.format, GE_FORMAT_ND);
    assert_int_equal(back.rank, 2);
    assert_memory_equal(back.dims, dims, sizeof dims);
    assert_null(back.strides);
    assert_null(back.dim_names);
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.ownership, GE_OWNERSHIP_LIBRARY);
    assert_int_equal(info.is_read_only, 0);
    assert_int_equal(info.is_dense, 1);
    assert_int_equal(info.elements_count, 6);
    assert_int_equal(info.data_size, 24);
    check_ok(ge_tensor_get_mutable_data(tensor, &bytes, &size));
    assert_int_equal(size, 24);
    for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], 0);
    bytes[5] = 7;
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    assert_ptr_equal(data, bytes);
    assert_int_equal(data[5], 7);
    check_ok(ge_tensor_destroy(tensor));
    check_all_gone(before);
}

static void test_scalar_and_empty(void **state) {
    (void)state;
    const int64_t none[] = { 3, 0, 5 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT64, 0, NULL), back;
    ge_tensor *tensor;
    ge_tensor_info info;
    const uint8_t *data = (const uint8_t *)"";
    size_t size = 1;
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.elements_count, 1);
    assert_int_equal(info.data_size, 8);
    check_ok(ge_tensor_get_desc(tensor, &back, sizeof back));
    assert_int_equal(back.rank, 0);
    check_ok(ge_tensor_destroy(tensor));
    desc = desc_of(GE_DTYPE_FLOAT64, 3, none);
    check_ok(ge_tensor_create_from_data(NULL, &desc, NULL, 0, &tensor));
    check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
    assert_int_equal(info.elements_count, 0);
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    assert_null(data);
    assert_int_equal(size, 0);
    check_ok(ge_tensor_destroy(tensor));
}

static void test_sub_byte_sizes(void **state) {
    (void)state;
    const struct {
        ge_dtype dtype;
        int64_t count;
        uint64_t bytes;
    } cases[] = { { GE_DTYPE_INT4, 3, 2 }, { GE_DTYPE_UINT1, 9, 2 }, { GE_DTYPE_INT2, 4, 1 }, { GE_DTYPE_FLOAT6_E3M2, 4, 3 }, { GE_DTYPE_COMPLEX128, 2, 32 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ge_tensor_desc desc = desc_of(cases[i].dtype, 1, &cases[i].count);
        ge_tensor *tensor;
        ge_tensor_info info;
        check_ok(ge_tensor_create(NULL, &desc, &tensor));
        check_ok(ge_tensor_get_info(tensor, &info, sizeof info));
        assert_int_equal(info.data_size, cases[i].bytes);
        check_ok(ge_tensor_destroy(tensor));
    }
}

static void test_create_bad_descs(void **state) {
    (void)state;
    const int64_t dims[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, negative[] = { 2, -1 }, worse[] = { -7 }, huge[] = { INT64_MAX, INT64_MAX },
                  wide[] = { INT64_MAX / 4, 8 }, strides[] = { 1, 2 }, two[] = { 2, 2 }, big[] = { INT64_C(1) << 60 };
    ge_tensor *tensor = (ge_tensor *)FOREIGN_HANDLE;
    ge_tensor_desc desc = desc_of(GE_DTYPE_INT8, 9, dims);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_RANK, "desc");
    assert_null(tensor);
    desc.rank = INT32_MAX;
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_RANK, "desc");
    desc.rank = -1; /* unknown rank is for ports */
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_RANK, "desc");
    desc.rank = INT32_MIN;
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_RANK, "desc");
    desc = desc_of(GE_DTYPE_INT8, 2, NULL);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_NULL_ARGUMENT, "desc");
    desc = desc_of(GE_DTYPE_INT8, 2, negative);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_SHAPE, "desc");
    desc = desc_of(GE_DTYPE_INT8, 1, worse);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_SHAPE, "desc");
    desc = desc_of(GE_DTYPE_INT8, 2, huge);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_SIZE, "desc");
    desc = desc_of(GE_DTYPE_FLOAT64, 2, wide);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_SIZE, "desc");
    desc = desc_of(GE_DTYPE_STRING, 2, huge);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_SIZE, "desc");
    desc = desc_of(GE_DTYPE_INT8, 1, big); /* fits 63 bits, not memory */
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_OUT_OF_MEMORY, NULL);
    desc = desc_of(5, 2, two);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_DTYPE, "desc");
    desc = desc_of(GE_DTYPE_RESOURCE, 2, two);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_DTYPE, "desc");
    desc = desc_of(GE_DTYPE_UNDEFINED, 2, two);
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_DTYPE, "desc");
    desc = desc_of(GE_DTYPE_INT8, 2, two);
    desc.strides = strides;
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_SHAPE, "desc");
    desc.strides = NULL;
    desc.placement = 7;
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_INVALID_ARGUMENT, "desc");
    desc.placement = GE_PLACEMENT_HOST;
    desc.origin_dims = two;
    desc.origin_rank = 9;
    check_fails(ge_tensor_create(NULL, &desc, &tensor), GE_ERR_RANK, "desc");
    check_fails(ge_tensor_create(NULL, NULL, &tensor), GE_ERR_NULL_ARGUMENT, "desc");
    desc = desc_of(GE_DTYPE_INT8, 2, two);
    check_fails(ge_tensor_create(NULL, &desc, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    check_fails(ge_tensor_create(FOREIGN_HANDLE, &desc, &tensor), GE_ERR_HANDLE_FOREIGN, "context");
}

static void test_create_from_data(void **state) {
    (void)state;
    const int64_t dims[] = { 2 };
    const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_tensor *tensor;
    const uint8_t *data;
    size_t size;
    check_ok(ge_tensor_create_from_data(NULL, &desc, bytes, 8, &tensor));
    check_ok(ge_tensor_get_data(tensor, &data, &size));
    assert_ptr_not_equal(data, bytes);
    assert_memory_equal(data, bytes, 8);
    check_ok(ge_tensor_destroy(tensor));
    check_fails(ge_tensor_create_from_data(NULL, &desc, bytes, 7, &tensor), GE_ERR_SIZE, "data_size");
    assert_null(tensor);
    check_fails(ge_tensor_create_from_data(NULL, &desc, bytes, 9, &tensor), GE_ERR_SIZE, "data_size");
    check_fails(ge_tensor_create_from_data(NULL, &desc, NULL, 8, &tensor), GE_ERR_NULL_ARGUMENT, "data");
    check_fails(ge_tensor_create_from_data(NULL, &desc, NULL, 0, &tensor), GE_ERR_SIZE, "data_size");
    check_fails(ge_tensor_create_from_data(NULL, NULL, bytes, 8, &tensor), GE_ERR_NULL_ARGUMENT, "desc");
    check_fails(ge_tensor_create_from_data(NULL, &desc, bytes, 8, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    desc.dtype = GE_DTYPE_STRING;
    check_fails(ge_tensor_create_from_data(NULL, &desc, bytes, 8, &tensor), GE_ERR_DTYPE, "desc");
    desc.dtype = GE_DTYPE_FLOAT32;
    check_fails(ge_tensor_create_from_data(SMALL_HANDLE, &desc, bytes, 8, &tensor), GE_ERR_HANDLE_FOREIGN, "context");
}

/* ---- views, copies ---- */

static void test_views(void **state) {
    (void)state;
    const int64_t dims[] = { 2, 3 }, flat[] = { 6 }, short_[] = { 5 }, long_[] = { 7 }, strides[] = { 2 };
    ends e;
    float values[6] = { 1, 2, 3, 4, 5, 6 };
    ge_memory memory = memory_over(values, sizeof values, &e);
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims), back;
    ge_tensor *tensor, *view, *second;
    const uint8_t *data;
    size_t size;
    memory.flags = GE_MEMORY_READ_ONLY;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    desc = desc_of(GE_DTYPE_INT32, 1, flat);
    desc.format = GE_FORMAT_NCHW;
    check_ok(ge_tensor_create_view(tensor, &desc, &view));
    check_ok(ge_tensor_destroy(tensor)); /* the view keeps the memory */
    check_ended(e, 0);
    check_ok(ge_tensor_get_data(view, &data, &size));
    assert_ptr_equal(data, values);
    check_ok(ge_tensor_get_desc(view, &back, sizeof back));
    assert_int_equal(back.format, GE_FORMAT_NCHW);
    assert_int_equal(back.dtype, GE_DTYPE_INT32);
    uint8_t *bytes;
    check_fails(ge_tensor_get_mutable_data(view, &bytes, &size), GE_ERR_READ_ONLY, "tensor");
    desc = desc_of(GE_DTYPE_FLOAT32, 1, short_);
    check_ok(ge_tensor_create_view(view, &desc, &second)); /* fewer bytes are fine */
    ge_tensor_info info;
    check_ok(ge_tensor_get_info(second, &info, sizeof info));
    assert_int_equal(info.ownership, GE_OWNERSHIP_CALLER);
    assert_int_equal(info.data_size, 20);
    check_ok(ge_tensor_destroy(second));
    desc = desc_of(GE_DTYPE_FLOAT32, 1, long_);
    check_fails(ge_tensor_create_view(view, &desc, &second), GE_ERR_SIZE, "desc");
    desc = desc_of(GE_DTYPE_FLOAT32, 1, short_);
    desc.strides = strides;
    check_fails(ge_tensor_create_view(view, &desc, &second), GE_ERR_SHAPE, NULL);
    desc = desc_of(GE_DTYPE_STRING, 1, flat);
    check_fails(ge_tensor_create_view(view, &desc, &second), GE_ERR_DTYPE, "desc");
    check_fails(ge_tensor_create_view(view, NULL, &second), GE_ERR_NULL_ARGUMENT, "desc");
    check_fails(ge_tensor_create_view(view, &desc, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    check_fails(ge_tensor_create_view(NULL, &desc, &second), GE_ERR_HANDLE_NULL, "tensor");
    check_ok(ge_tensor_destroy(view));
    check_ended(e, 1);
}

static void test_origin_and_format(void **state) {
    (void)state;
    const int64_t dims[] = { 1, 1, 2, 2, 16 }, origin[] = { 1, 16, 2, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT16, 5, dims), back;
    ge_tensor *tensor;
    desc.format = GE_FORMAT_NC1HWC0;
    desc.origin_dims = origin;
    desc.origin_rank = 4;
    desc.origin_format = GE_FORMAT_NCHW;
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_tensor_get_desc(tensor, &back, sizeof back));
    assert_int_equal(back.format, GE_FORMAT_NC1HWC0);
    assert_int_equal(back.origin_format, GE_FORMAT_NCHW);
    assert_int_equal(back.origin_rank, 4);
    assert_memory_equal(back.origin_dims, origin, sizeof origin);
    check_ok(ge_tensor_destroy(tensor));
}

static void test_copy(void **state) {
    (void)state;
    ge_context *context;
    ge_context_info before, after;
    ge_tensor *copy;
    const uint8_t *a, *b;
    size_t size;
    check_ok(ge_context_create(NULL, &context));
    ge_tensor *tensor = two_floats(context);
    check_ok(ge_context_get_info(context, &before, sizeof before));
    check_ok(ge_tensor_copy(tensor, &copy));
    check_ok(ge_context_get_info(context, &after, sizeof after));
    assert_int_equal(after.copied_bytes - before.copied_bytes, 8);
    check_ok(ge_tensor_get_data(tensor, &a, &size));
    check_ok(ge_tensor_get_data(copy, &b, &size));
    assert_ptr_not_equal(a, b);
    assert_memory_equal(a, b, 8);
    check_ok(ge_tensor_destroy(copy));
    check_fails(ge_tensor_copy(tensor, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    check_fails(ge_tensor_copy(NULL, &copy), GE_ERR_HANDLE_NULL, "tensor");
    assert_null(copy);
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_context_destroy(context));
}

/* ---- strings ---- */

static void test_strings(void **state) {
    (void)state;
    const int64_t dims[] = { 3 };
    const uint64_t offsets[] = { 0, 2, 2, 5 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_STRING, 1, dims);
    ge_tensor *tensor, *copy;
    const uint8_t *bytes;
    const uint64_t *back;
    size_t bytes_size, count;
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_tensor_get_strings(tensor, &bytes, &bytes_size, &back, &count));
    assert_int_equal(bytes_size, 0);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(back[i], 0);
    check_ok(ge_tensor_set_strings(tensor, (const uint8_t *)"ab\0cd", 5, offsets, 4));
    check_ok(ge_tensor_copy(tensor, &copy));
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_tensor_get_strings(copy, &bytes, &bytes_size, &back, &count));
    assert_int_equal(bytes_size, 5);
    assert_memory_equal(bytes, "ab\0cd", 5);
    assert_memory_equal(back, offsets, sizeof offsets);
    const uint64_t none[] = { 0, 0, 0, 0 };
    check_ok(ge_tensor_set_strings(copy, NULL, 0, none, 4));
    check_ok(ge_tensor_destroy(copy));
}

static void test_strings_misuse(void **state) {
    (void)state;
    const int64_t dims[] = { 2 };
    const uint64_t good[] = { 0, 1, 2 }, descending[] = { 0, 2, 1 }, late[] = { 1, 1, 2 }, beyond[] = { 0, 1, 3 }, early[] = { 0, 1, 1 },
                   wild[] = { 0, UINT64_MAX, 2 };
    const uint8_t *bytes = (const uint8_t *)"xy", *out;
    const uint64_t *back;
    size_t size, count;
    ge_tensor_desc desc = desc_of(GE_DTYPE_STRING, 1, dims);
    ge_tensor *tensor, *floats = two_floats(NULL);
    check_ok(ge_tensor_create(NULL, &desc, &tensor));
    check_ok(ge_tensor_set_strings(tensor, bytes, 2, good, 3));
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, good, 2), GE_ERR_SIZE, "offsets");
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, good, 0), GE_ERR_SIZE, "offsets");
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, descending, 3), GE_ERR_OUT_OF_RANGE, "offsets");
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, late, 3), GE_ERR_OUT_OF_RANGE, "offsets");
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, beyond, 3), GE_ERR_OUT_OF_RANGE, "offsets");
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, wild, 3), GE_ERR_OUT_OF_RANGE, "offsets");
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, early, 3), GE_ERR_SIZE, "offsets");
    check_fails(ge_tensor_set_strings(tensor, NULL, 2, good, 3), GE_ERR_NULL_ARGUMENT, "bytes");
    check_fails(ge_tensor_set_strings(tensor, bytes, 2, NULL, 3), GE_ERR_NULL_ARGUMENT, "offsets");
    check_fails(ge_tensor_set_strings(floats, bytes, 2, good, 3), GE_ERR_DTYPE, "tensor");
    check_fails(ge_tensor_get_strings(floats, &out, &size, &back, &count), GE_ERR_DTYPE, "tensor");
    check_ok(ge_tensor_get_strings(tensor, &out, &size, &back, &count)); /* nothing changed */
    assert_int_equal(size, 2);
    assert_memory_equal(out, "xy", 2);
    check_fails(ge_tensor_get_strings(tensor, NULL, &size, &back, &count), GE_ERR_NULL_ARGUMENT, "out_bytes");
    check_fails(ge_tensor_get_strings(tensor, &out, NULL, &back, &count), GE_ERR_NULL_ARGUMENT, "out_bytes_size");
    check_fails(ge_tensor_get_strings(tensor, &out, &size, NULL, &count), GE_ERR_NULL_ARGUMENT, "out_offsets");
    check_fails(ge_tensor_get_strings(tensor, &out, &size, &back, NULL), GE_ERR_NULL_ARGUMENT, "out_offsets_count");
    assert_null(out);
    uint8_t *write;
    check_fails(ge_tensor_get_data(tensor, &out, &size), GE_ERR_DTYPE, "tensor");
    check_fails(ge_tensor_get_mutable_data(tensor, &write, &size), GE_ERR_DTYPE, "tensor");
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_tensor_destroy(floats));
}

/* ---- values ---- */

static void test_values(void **state) {
    (void)state;
    uint64_t before = live_objects();
    ge_tensor *tensor = two_floats(NULL), *back;
    ge_value *value;
    ge_value_kind kind;
    const uint8_t *a, *b;
    size_t size;
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_value_get_kind(value, &kind));
    assert_int_equal(kind, GE_VALUE_TENSOR);
    check_ok(ge_tensor_create_from_value(value, &back));
    check_ok(ge_tensor_get_data(tensor, &a, &size));
    check_ok(ge_tensor_get_data(back, &b, &size));
    assert_ptr_equal(a, b); /* shared */
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_value_destroy(value));
    check_ok(ge_tensor_get_data(back, &b, &size));
    check_ok(ge_tensor_destroy(back));
    check_all_gone(before);
}

static void test_values_misuse(void **state) {
    (void)state;
    ge_tensor *tensor = two_floats(NULL), *back = NULL;
    ge_value *value;
    ge_value_kind kind = 9;
    check_fails(ge_value_create_from_tensor(NULL, &value), GE_ERR_HANDLE_NULL, "tensor");
    assert_null(value);
    check_fails(ge_value_create_from_tensor(tensor, NULL), GE_ERR_NULL_ARGUMENT, "out_value");
    check_ok(ge_value_create_from_tensor(tensor, &value));
    ge_value *none = value;
    check_fails(ge_value_create_from_tensor((ge_tensor *)(void *)value, &none), GE_ERR_HANDLE_WRONG_KIND, "tensor");
    assert_null(none);
    check_fails(ge_value_get_kind(value, NULL), GE_ERR_NULL_ARGUMENT, "out_kind");
    check_fails(ge_value_get_kind((ge_value *)(void *)tensor, &kind), GE_ERR_HANDLE_WRONG_KIND, "value");
    assert_int_equal(kind, 0);
    check_fails(ge_tensor_create_from_value(value, NULL), GE_ERR_NULL_ARGUMENT, "out_tensor");
    check_fails(ge_tensor_create_from_value(NULL, &back), GE_ERR_HANDLE_NULL, "value");
    check_ok(ge_value_destroy(value));
    check_ok(ge_value_destroy(NULL));
    check_fails(ge_value_destroy(value), GE_ERR_HANDLE_STALE, "value");
    check_fails(ge_value_get_kind(value, &kind), GE_ERR_HANDLE_STALE, "value");
    check_fails(ge_value_destroy(FOREIGN_HANDLE), GE_ERR_HANDLE_FOREIGN, "value");
    check_ok(ge_tensor_destroy(tensor));
}

/* ---- handles and outputs ---- */

static void test_reading_misuse(void **state) {
    (void)state;
    ge_tensor *tensor = two_floats(NULL);
    ge_tensor_desc desc;
    ge_tensor_info info;
    const uint8_t *data = (const uint8_t *)"";
    uint8_t *write;
    size_t size = 3;
    check_fails(ge_tensor_get_desc(tensor, NULL, sizeof desc), GE_ERR_NULL_ARGUMENT, "out_desc");
    check_fails(ge_tensor_get_desc(tensor, &desc, 4), GE_ERR_INVALID_STRUCT_SIZE, "out_desc");
    check_fails(ge_tensor_get_info(tensor, NULL, sizeof info), GE_ERR_NULL_ARGUMENT, "out_info");
    check_fails(ge_tensor_get_info(tensor, &info, 4), GE_ERR_INVALID_STRUCT_SIZE, "out_info");
    check_fails(ge_tensor_get_data(tensor, NULL, &size), GE_ERR_NULL_ARGUMENT, "out_data");
    check_fails(ge_tensor_get_data(tensor, &data, NULL), GE_ERR_NULL_ARGUMENT, "out_size");
    assert_null(data);
    check_fails(ge_tensor_get_mutable_data(tensor, NULL, &size), GE_ERR_NULL_ARGUMENT, "out_data");
    check_fails(ge_tensor_get_mutable_data(tensor, &write, NULL), GE_ERR_NULL_ARGUMENT, "out_size");
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_tensor_destroy(NULL));
    check_fails(ge_tensor_destroy(tensor), GE_ERR_HANDLE_STALE, "tensor");
    check_fails(ge_tensor_get_data(tensor, &data, &size), GE_ERR_HANDLE_STALE, "tensor");
    assert_int_equal(size, 0);
    check_fails(ge_tensor_get_desc(FOREIGN_HANDLE, &desc, sizeof desc), GE_ERR_HANDLE_FOREIGN, "tensor");
    check_fails(ge_tensor_get_info(SMALL_HANDLE, &info, sizeof info), GE_ERR_HANDLE_FOREIGN, "tensor");
    check_fails(ge_tensor_get_mutable_data(NULL, &write, &size), GE_ERR_HANDLE_NULL, "tensor");
}

static void test_device_placement(void **state) {
    (void)state;
    const int64_t dims[] = { 4 };
    float values[4];
    ends e;
    ge_memory memory = memory_over(values, sizeof values, &e);
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    ge_tensor *tensor;
    const uint8_t *data;
    uint8_t *write;
    size_t size;
    desc.placement = GE_PLACEMENT_DEVICE;
    check_ok(ge_tensor_create_over(NULL, &desc, &memory, &tensor));
    check_fails(ge_tensor_get_data(tensor, &data, &size), GE_ERR_WRONG_KIND, "tensor");
    check_fails(ge_tensor_get_mutable_data(tensor, &write, &size), GE_ERR_WRONG_KIND, "tensor");
    ge_value *value;
    check_fails(ge_value_create_from_tensor(tensor, &value), GE_ERR_WRONG_KIND, "tensor"); /* runs take host memory */
    ge_tensor *copy;
    check_fails(ge_tensor_copy(tensor, &copy), GE_ERR_WRONG_KIND, "tensor");
    desc.placement = GE_PLACEMENT_HOST;
    check_fails(ge_tensor_create_view(tensor, &desc, &copy), GE_ERR_INVALID_ARGUMENT, "desc");
    desc.placement = GE_PLACEMENT_DEVICE;
    check_fails(ge_tensor_create(NULL, &desc, &copy), GE_ERR_NO_DEVICE, "desc");
    ge_dlpack *dlpack;
    check_fails(ge_tensor_export_dlpack(tensor, &dlpack), GE_ERR_WRONG_KIND, "tensor");
    check_ok(ge_tensor_destroy(tensor));
    check_ended(e, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtypes),           cmocka_unit_test(test_formats),
        cmocka_unit_test(test_inits),            cmocka_unit_test(test_struct_growth),
        cmocka_unit_test(test_create),           cmocka_unit_test(test_scalar_and_empty),
        cmocka_unit_test(test_sub_byte_sizes),   cmocka_unit_test(test_create_bad_descs),
        cmocka_unit_test(test_create_from_data), cmocka_unit_test(test_views),
        cmocka_unit_test(test_origin_and_format), cmocka_unit_test(test_copy),
        cmocka_unit_test(test_strings),          cmocka_unit_test(test_strings_misuse),
        cmocka_unit_test(test_values),           cmocka_unit_test(test_values_misuse),
        cmocka_unit_test(test_reading_misuse),   cmocka_unit_test(test_device_placement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
