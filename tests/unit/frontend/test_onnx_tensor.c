/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor encodings: raw, typed lists, strings, sparse; and payloads that do not fit their shape. */
#include "unit/frontend/onnx_check.h"

/* A model whose only output is its initializer "w".  Takes t. */
static pb model_of(pb *t, uint32_t field) {
    pb graph = { 0 };
    pb_message(&graph, field, t);
    onnx_output(&graph, "w", -1, NULL);
    return onnx_model(8, 17, &graph);
}

static gei_tensor *read_one(onnx_read *t, pb *tensor) {
    pb model = model_of(tensor, ONNX_GRAPH_INITIALIZER);
    onnx_read_ok(t, &model);
    gei_tensor *found = gei_node_const(onnx_find(t->graph, "w"));
    assert_non_null(found);
    return found;
}

static void refuse(pb *tensor, ge_status status, const char *part) {
    pb model = model_of(tensor, ONNX_GRAPH_INITIALIZER);
    assert_refused(&model, status, part);
}

static void every_type_is_read_from_raw_data(void **state) {
    (void)state;
    uint8_t bytes[64];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 37 + 1);
    int count = 0;
    for (size_t i = 0; gei_dtype_at(i); i++) {
        const gei_dtype_info *info = gei_dtype_at(i);
        size_t size;
        if (info->onnx == 0 || info->dtype == GEI_STRING) continue;
        assert_true(gei_dtype_bytes(info->dtype, 3, &size));
        pb tensor = onnx_tensor_raw("w", info->onnx, "3", bytes, size);
        onnx_read t;
        gei_tensor *w = read_one(&t, &tensor);
        assert_int_equal(w->dtype, info->dtype);
        assert_int_equal(w->rank, 1);
        assert_int_equal(w->n_elems, 3);
        assert_int_equal(w->size_bytes, size);
        if (info->bits >= 8 && info->dtype != GEI_BOOL) assert_memory_equal(w->data, bytes, size);
        onnx_read_deinit(&t);
        count++;
    }
    assert_true(count >= 25); /* all of onnx.proto but strings */
}

static void bools_become_zero_and_one(void **state) {
    (void)state;
    pb tensor = onnx_tensor_raw("w", ONNX_BOOLEAN, "4", "\x00\x01\x02\xFF", 4);
    onnx_read t;
    assert_memory_equal(read_one(&t, &tensor)->data, "\0\1\1\1", 4);
    onnx_read_deinit(&t);
}

static void unused_bits_of_packed_types_become_zero(void **state) {
    (void)state;
    pb tensor = onnx_tensor_raw("w", 21, "3", "\x21\xF3", 2);
    onnx_read t;
    assert_memory_equal(read_one(&t, &tensor)->data, "\x21\x03", 2);
    onnx_read_deinit(&t);
}

/* Values -1 or 1, 2, 3 in the list `field`, one by one or packed. */
static pb list_tensor(int elem, const char *dims, uint32_t field, const int64_t *values, size_t count, bool packed) {
    pb t = onnx_tensor_begin("w", elem, dims), list = { 0 };
    for (size_t i = 0; i < count && !packed; i++) pb_int(&t, field, values[i]);
    for (size_t i = 0; i < count && packed; i++) pb_varint(&list, (uint64_t)values[i]);
    if (packed) pb_message(&t, field, &list);
    return t;
}

static void integers_are_read_from_lists(void **state) {
    (void)state;
    static const struct {
        int onnx;
        int32_t dtype;
        uint32_t field;
        int64_t low, high;
    } cases[] = {
        { 2, GEI_UINT8, ONNX_TENSOR_INT32_DATA, 0, UINT8_MAX },
        { 3, GEI_INT8, ONNX_TENSOR_INT32_DATA, INT8_MIN, INT8_MAX },
        { 4, GEI_UINT16, ONNX_TENSOR_INT32_DATA, 0, UINT16_MAX },
        { 5, GEI_INT16, ONNX_TENSOR_INT32_DATA, INT16_MIN, INT16_MAX },
        { 6, GEI_INT32, ONNX_TENSOR_INT32_DATA, INT32_MIN, INT32_MAX },
        { 7, GEI_INT64, ONNX_TENSOR_INT64_DATA, INT64_MIN, INT64_MAX },
        { 12, GEI_UINT32, ONNX_TENSOR_UINT64_DATA, 0, UINT32_MAX },
        { 13, GEI_UINT64, ONNX_TENSOR_UINT64_DATA, 0, INT64_MAX },
    };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        for (int packed = 0; packed <= 1; packed++) {
            int64_t values[] = { cases[i].low, 1, cases[i].high };
            pb tensor = list_tensor(cases[i].onnx, "3", cases[i].field, values, 3, packed != 0);
            onnx_read t;
            gei_tensor *w = read_one(&t, &tensor);
            assert_int_equal(w->dtype, cases[i].dtype);
            for (int k = 0; k < 3; k++) assert_true(gei_tensor_i64(w, k) == values[k]);
            onnx_read_deinit(&t);
        }
    }
}

static void values_that_do_not_fit_their_type_are_refused(void **state) {
    (void)state;
    static const struct {
        int onnx;
        uint32_t field;
        int64_t value;
    } cases[] = {
        { 2, ONNX_TENSOR_INT32_DATA, -1 },   { 2, ONNX_TENSOR_INT32_DATA, 256 },   { 3, ONNX_TENSOR_INT32_DATA, 128 },
        { 4, ONNX_TENSOR_INT32_DATA, 65536 }, { 5, ONNX_TENSOR_INT32_DATA, -32769 }, { 12, ONNX_TENSOR_UINT64_DATA, INT64_C(1) << 32 },
        { 10, ONNX_TENSOR_INT32_DATA, 65536 }, { 17, ONNX_TENSOR_INT32_DATA, 256 },
    };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        pb tensor = list_tensor(cases[i].onnx, "", cases[i].field, &cases[i].value, 1, false);
        refuse(&tensor, GE_ERR_MALFORMED, "initializer 'w' holds ");
    }
}

static void bit_patterns_are_read_from_int32_data(void **state) {
    (void)state;
    const int64_t halves[] = { 0x3C00, -17408, 0xBC00 };
    pb tensor = list_tensor(ONNX_F16, "3", ONNX_TENSOR_INT32_DATA, halves, 3, true);
    onnx_read t;
    gei_tensor *w = read_one(&t, &tensor);
    assert_true(gei_tensor_f64(w, 0) == 1.0 && gei_tensor_f64(w, 1) == -1.0 && gei_tensor_f64(w, 2) == -1.0);
    onnx_read_deinit(&t);

    const int64_t nibbles[] = { 0x21, 0xF3 }; /* two elements in each entry, the first in the low half */
    tensor = list_tensor(22, "3", ONNX_TENSOR_INT32_DATA, nibbles, 2, true);
    w = read_one(&t, &tensor);
    assert_int_equal(gei_tensor_i64(w, 0), 1);
    assert_int_equal(gei_tensor_i64(w, 1), 2);
    assert_int_equal(gei_tensor_i64(w, 2), 3);
    onnx_read_deinit(&t);
}

static void six_bit_floats_have_an_entry_each(void **state) {
    (void)state;
    const int64_t codes[] = { 0x3F, 0x01, 0x2A, 0x15, 0x3F };
    if (gei_dtype_from_onnx(27) == GEI_UNDEFINED) skip();
    pb tensor = list_tensor(27, "5", ONNX_TENSOR_INT32_DATA, codes, 5, true);
    onnx_read t;
    gei_tensor *w = read_one(&t, &tensor);
    assert_int_equal(w->size_bytes, 4);
    assert_memory_equal(w->data, "\x7F\xA0\x56\x3F", 4);
    onnx_read_deinit(&t);
}

static void floats_are_read_from_lists(void **state) {
    (void)state;
    pb tensor = onnx_tensor_begin("w", ONNX_F32, "2");
    pb_float(&tensor, ONNX_TENSOR_FLOAT_DATA, 1.5f);
    pb_bytes(&tensor, ONNX_TENSOR_FLOAT_DATA, &(float){ -2.0f }, 4);
    onnx_read t;
    gei_tensor *w = read_one(&t, &tensor);
    assert_true(gei_tensor_f64(w, 0) == 1.5 && gei_tensor_f64(w, 1) == -2.0);
    onnx_read_deinit(&t);

    tensor = onnx_tensor_begin("w", 15, "1"); /* complex128 */
    pb_double(&tensor, ONNX_TENSOR_DOUBLE_DATA, 3.0);
    pb_double(&tensor, ONNX_TENSOR_DOUBLE_DATA, 4.0);
    w = read_one(&t, &tensor);
    assert_memory_equal(w->data, ((double[]){ 3.0, 4.0 }), 16);
    onnx_read_deinit(&t);

    tensor = onnx_tensor_begin("w", 14, "1"); /* complex64 */
    pb_bytes(&tensor, ONNX_TENSOR_FLOAT_DATA, (float[]){ 3.0f, 4.0f }, 8);
    w = read_one(&t, &tensor);
    assert_memory_equal(w->data, ((float[]){ 3.0f, 4.0f }), 8);
    onnx_read_deinit(&t);
}

static void dims_come_packed_too(void **state) {
    (void)state;
    pb tensor = { 0 };
    pb_bytes(&tensor, ONNX_TENSOR_DIMS, "\x02\x01", 2);
    pb_int(&tensor, ONNX_TENSOR_DATA_TYPE, ONNX_U8);
    pb_text(&tensor, ONNX_TENSOR_NAME, "w");
    pb_text(&tensor, ONNX_TENSOR_RAW_DATA, "ab");
    onnx_read t;
    gei_tensor *w = read_one(&t, &tensor);
    assert_true(w->rank == 2 && w->dims[0] == 2 && w->dims[1] == 1);
    onnx_read_deinit(&t);
}

static void strings_are_read(void **state) {
    (void)state;
    pb tensor = onnx_tensor_begin("w", ONNX_STR, "3");
    pb_text(&tensor, ONNX_TENSOR_STRING_DATA, "one");
    pb_text(&tensor, ONNX_TENSOR_STRING_DATA, "");
    pb_bytes(&tensor, ONNX_TENSOR_STRING_DATA, "a\0b", 3);
    onnx_read t;
    gei_tensor *w = read_one(&t, &tensor);
    const char *text;
    size_t size;
    assert_int_equal(w->dtype, GEI_STRING);
    assert_true(gei_tensor_string_at(w, 0, &text, &size) && size == 3 && memcmp(text, "one", 3) == 0);
    assert_true(gei_tensor_string_at(w, 1, &text, &size) && size == 0);
    assert_true(gei_tensor_string_at(w, 2, &text, &size) && size == 3 && memcmp(text, "a\0b", 3) == 0);
    onnx_read_deinit(&t);

    tensor = onnx_tensor_begin("w", ONNX_STR, "2");
    pb_text(&tensor, ONNX_TENSOR_STRING_DATA, "one");
    refuse(&tensor, GE_ERR_MALFORMED, "has 1 values in string_data, its shape needs 2");
    tensor = onnx_tensor_raw("w", ONNX_STR, "1", "one", 3);
    refuse(&tensor, GE_ERR_MALFORMED, "strings as raw data");
}

static void no_elements_need_no_data(void **state) {
    (void)state;
    static const char *const dims[] = { "0", "3,0,2" };
    for (size_t i = 0; i < GEI_COUNT(dims); i++) {
        pb tensor = onnx_tensor_begin("w", ONNX_F32, dims[i]);
        onnx_read t;
        assert_int_equal(read_one(&t, &tensor)->n_elems, 0);
        onnx_read_deinit(&t);
        tensor = onnx_tensor_begin("w", ONNX_STR, dims[i]);
        assert_int_equal(read_one(&t, &tensor)->n_elems, 0);
        onnx_read_deinit(&t);
    }
}

static void raw_data_goes_before_lists(void **state) {
    (void)state;
    pb tensor = onnx_tensor_raw("w", ONNX_I32, "1", "\x05\0\0\0", 4);
    pb_int(&tensor, ONNX_TENSOR_INT32_DATA, 9);
    onnx_read t;
    assert_int_equal(gei_tensor_i64(read_one(&t, &tensor), 0), 5);
    onnx_read_deinit(&t);
    tensor = onnx_tensor_raw("w", ONNX_I32, "1", "", 0); /* some writers leave it empty */
    pb_int(&tensor, ONNX_TENSOR_INT32_DATA, 9);
    assert_int_equal(gei_tensor_i64(read_one(&t, &tensor), 0), 9);
    onnx_read_deinit(&t);
}

static void payload_and_shape_must_agree(void **state) {
    (void)state;
    pb t = onnx_tensor_raw("w", ONNX_F32, "2,2", "0123456789ab", 12);
    refuse(&t, GE_ERR_MALFORMED, "initializer 'w' has 12 bytes of data, float32[2,2] needs 16");
    t = onnx_tensor_raw("w", ONNX_F32, "", "", 0);
    refuse(&t, GE_ERR_MALFORMED, "has 0 bytes of data, float32[] needs 4");
    t = onnx_tensor_raw("w", ONNX_F32, "0", "1234", 4);
    refuse(&t, GE_ERR_MALFORMED, "has 4 bytes of data");
    t = onnx_tensor_begin("w", ONNX_I64, "3");
    pb_int(&t, ONNX_TENSOR_INT64_DATA, 1);
    refuse(&t, GE_ERR_MALFORMED, "has 1 values in int64_data, its shape needs 3");
    t = onnx_tensor_begin("w", ONNX_I64, "1");
    pb_int(&t, ONNX_TENSOR_INT32_DATA, 1);
    refuse(&t, GE_ERR_MALFORMED, "is of type int64 and has its data in int32_data, wanted int64_data");
}

static void bad_shapes_and_types_are_refused(void **state) {
    (void)state;
    pb t = onnx_tensor_begin("w", ONNX_F32, "-1");
    refuse(&t, GE_ERR_MALFORMED, "initializer 'w': tensor dim 0 is -1");
    t = onnx_tensor_begin("w", ONNX_STR, "-1");
    refuse(&t, GE_ERR_MALFORMED, "has a dim of -1");
    t = onnx_tensor_begin("w", ONNX_F32, "4611686018427387904,4");
    refuse(&t, GE_ERR_MALFORMED, "64 bits");
    t = onnx_tensor_begin("w", ONNX_STR, "4611686018427387904,4");
    refuse(&t, GE_ERR_MALFORMED, "63 bits");
    t = onnx_tensor_begin("w", ONNX_F32, "4611686018427387904");
    refuse(&t, GE_ERR_MALFORMED, "63 bits");
    t = onnx_tensor_begin("w", ONNX_STR, "1152921504606846976");
    refuse(&t, GE_ERR_MALFORMED, "its shape needs 1152921504606846976");
    t = onnx_tensor_begin("w", ONNX_F32, "1,1,1,1,1,1,1,1,1");
    refuse(&t, GE_ERR_RANK, "has 9 dims, at most 8");
    t = onnx_tensor_begin("w", 99, "1");
    refuse(&t, GE_ERR_UNSUPPORTED_DTYPE, "unknown element type 99");
    t = onnx_tensor_begin("w", 0, "1");
    refuse(&t, GE_ERR_UNSUPPORTED_DTYPE, "unknown element type 0");
    t = onnx_tensor_begin("w", ONNX_F32, "1");
    pb_text(&t, ONNX_TENSOR_SEGMENT, "");
    refuse(&t, GE_ERR_UNSUPPORTED, "one segment");
    t = onnx_tensor_begin("w", ONNX_F32, "1");
    pb_int(&t, ONNX_TENSOR_DATA_LOCATION, 7);
    refuse(&t, GE_ERR_MALFORMED, "unknown data location 7");
}

static void a_huge_shape_takes_no_memory(void **state) {
    (void)state;
    pb tensor = onnx_tensor_begin("w", ONNX_F32, "1099511627776"), model = model_of(&tensor, ONNX_GRAPH_INITIALIZER);
    onnx_read t;
    onnx_read_init(&t);
    assert_int_equal(onnx_read_run(&t, &model), GE_ERR_MALFORMED);
    assert_true(t.heap.peak_bytes < 1 << 20);
    onnx_read_deinit(&t);
    pb_free(&model);
}

/* ---- sparse ---- */

static pb sparse(const char *dims, const char *index_dims, const int64_t *indices, size_t n_indices, const char *value_dims, size_t n_values) {
    float values[4] = { 1, 2, 3, 4 };
    pb s = { 0 }, v = onnx_tensor_raw("w", ONNX_F32, value_dims, values, n_values * 4);
    pb i = onnx_tensor_raw("", ONNX_I64, index_dims, indices, n_indices * 8);
    pb_message(&s, ONNX_SPARSE_VALUES, &v);
    pb_message(&s, ONNX_SPARSE_INDICES, &i);
    while (*dims) {
        char *end;
        pb_int(&s, ONNX_SPARSE_DIMS, strtoll(dims, &end, 10));
        dims = end + (*end == ',');
    }
    return s;
}

static void sparse_initializers_become_dense(void **state) {
    (void)state;
    pb linear = sparse("2,3", "2", (int64_t[]){ 1, 5 }, 2, "2", 2);
    pb by_axis = sparse("2,3", "2,2", (int64_t[]){ 0, 1, 1, 2 }, 4, "2", 2);
    pb *both[] = { &linear, &by_axis };
    for (int i = 0; i < 2; i++) {
        pb model = model_of(both[i], ONNX_GRAPH_SPARSE_INITIALIZER);
        onnx_read t;
        onnx_read_ok(&t, &model);
        gei_tensor *w = gei_node_const(onnx_find(t.graph, "w"));
        assert_true(w->rank == 2 && w->dims[0] == 2 && w->dims[1] == 3);
        assert_memory_equal(w->data, ((float[]){ 0, 1, 0, 0, 0, 2 }), 24);
        onnx_read_deinit(&t);
    }
}

static void bad_sparse_initializers_are_refused(void **state) {
    (void)state;
    struct {
        pb tensor;
        ge_status status;
        const char *part;
    } cases[] = {
        { sparse("2,3", "2", (int64_t[]){ 1, 6 }, 2, "2", 2), GE_ERR_MALFORMED, "index 1 of a sparse tensor is outside" },
        { sparse("2,3", "2", (int64_t[]){ -1, 6 }, 2, "2", 2), GE_ERR_MALFORMED, "index 0 of a sparse tensor is outside" },
        { sparse("2,3", "2", (int64_t[]){ 1, 1 }, 2, "2", 2), GE_ERR_MALFORMED, "not above the one before" },
        { sparse("2,3", "2,2", (int64_t[]){ 0, 3, 1, 0 }, 4, "2", 2), GE_ERR_MALFORMED, "outside" },
        { sparse("2,3", "1", (int64_t[]){ 1 }, 1, "2", 2), GE_ERR_MALFORMED, "do not fit" },
        { sparse("2,3", "2,1", (int64_t[]){ 1, 2 }, 2, "2", 2), GE_ERR_MALFORMED, "do not fit" },
        { sparse("2,3", "2", (int64_t[]){ 1, 2 }, 2, "1,2", 2), GE_ERR_MALFORMED, "do not fit" },
        { sparse("1,1,1,1,1,1,1,1,1", "2", (int64_t[]){ 1, 2 }, 2, "2", 2), GE_ERR_RANK, "has 9 dims" },
        { sparse("-2,3", "2", (int64_t[]){ 1, 2 }, 2, "2", 2), GE_ERR_MALFORMED, "dim 0 is -2" },
        { sparse("1000000,1000000", "2", (int64_t[]){ 1, 2 }, 2, "2", 2), GE_ERR_LIMIT, "more memory than its size allows, at initializer 'w'" },
    };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        pb model = model_of(&cases[i].tensor, ONNX_GRAPH_SPARSE_INITIALIZER);
        assert_refused(&model, cases[i].status, cases[i].part);
    }
    pb texts = { 0 }, t = onnx_tensor_begin("w", ONNX_STR, "0"), none = onnx_tensor_raw("", ONNX_I64, "0", "", 0);
    pb_message(&texts, ONNX_SPARSE_VALUES, &t);
    pb_message(&texts, ONNX_SPARSE_INDICES, &none);
    pb refused = model_of(&texts, ONNX_GRAPH_SPARSE_INITIALIZER);
    assert_refused(&refused, GE_ERR_UNSUPPORTED_DTYPE, "sparse tensors of type string are not supported");
    pb half = { 0 }, v = onnx_tensor_raw("w", ONNX_F32, "0", "", 0);
    pb_message(&half, ONNX_SPARSE_VALUES, &v);
    pb model = model_of(&half, ONNX_GRAPH_SPARSE_INITIALIZER);
    assert_refused(&model, GE_ERR_MALFORMED, "lacks its indices");
}

/* ---- pointing into the caller's bytes ---- */

typedef struct counted {
    int retained, released;
} counted;

static void count_retain(void *user) { ((counted *)user)->retained++; }
static void count_release(void *user) { ((counted *)user)->released++; }

static void large_aligned_payloads_stay_where_they_are(void **state) {
    (void)state;
    static float data[2048];
    for (int shift = 0; shift < 4; shift++) {
        pb graph = { 0 }, tensor = onnx_tensor_begin("w", ONNX_F32, "2048");
        pb_bytes(&tensor, ONNX_TENSOR_RAW_DATA, data, sizeof data);
        pb_message(&graph, ONNX_GRAPH_INITIALIZER, &tensor);
        onnx_output(&graph, "w", -1, NULL);
        pb model = { 0 };
        pb_bytes(&model, ONNX_MODEL_DOC, "   ", (size_t)shift);
        pb_int(&model, ONNX_MODEL_IR_VERSION, 8);
        pb_message(&model, ONNX_MODEL_GRAPH, &graph);
        onnx_opset(&model, ONNX_MODEL_OPSET, "", 17);
        counted count = { 0, 0 };
        onnx_read t;
        onnx_read_init(&t);
        t.options.owner = (gei_onnx_owner){ count_retain, count_release, &count };
        assert_ok(gei_onnx_read(model.data, model.size, &t.options, &t.graph, &t.diag), &t.diag);
        gei_tensor *w = gei_node_const(onnx_find(t.graph, "w"));
        const uint8_t *at = w->data;
        bool is_inside = at >= model.data && at < model.data + model.size;
        assert_int_equal(is_inside, count.retained);
        if (is_inside) assert_true(w->read_only && (uintptr_t)at % 4 == 0);
        assert_memory_equal(at, data, sizeof data);
        onnx_read_deinit(&t);
        assert_int_equal(count.released, count.retained);
        pb_free(&model);
    }
}

static void small_payloads_are_copied_and_with_copy_all(void **state) {
    (void)state;
    static uint8_t data[5000]; /* of bytes, so any place is aligned */
    pb graph = { 0 };
    onnx_initializer(&graph, "w", ONNX_U8, "5000", data, sizeof data);
    onnx_initializer(&graph, "small", ONNX_U8, "100", data, 100);
    onnx_output(&graph, "w", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    for (int copy = 0; copy <= 1; copy++) {
        counted count = { 0, 0 };
        onnx_read t;
        onnx_read_init(&t);
        t.options.owner = (gei_onnx_owner){ count_retain, count_release, &count };
        t.options.copy = copy != 0;
        assert_ok(gei_onnx_read(model.data, model.size, &t.options, &t.graph, &t.diag), &t.diag);
        assert_int_equal(count.retained, copy ? 0 : 1);
        assert_true(gei_node_const(onnx_find(t.graph, "small"))->owned);
        onnx_read_deinit(&t);
        assert_int_equal(count.released, count.retained);
    }
    pb_free(&model);
}

static void large_bools_are_shared_when_they_are_bools(void **state) {
    (void)state;
    static uint8_t bools[5000];
    for (int is_odd = 0; is_odd <= 1; is_odd++) {
        bools[4999] = is_odd ? 2 : 1;
        pb graph = { 0 };
        onnx_initializer(&graph, "w", ONNX_BOOLEAN, "5000", bools, sizeof bools);
        onnx_output(&graph, "w", -1, NULL);
        pb model = onnx_model(8, 17, &graph);
        counted count = { 0, 0 };
        onnx_read t;
        onnx_read_init(&t);
        t.options.owner = (gei_onnx_owner){ count_retain, count_release, &count };
        assert_ok(gei_onnx_read(model.data, model.size, &t.options, &t.graph, &t.diag), &t.diag);
        assert_int_equal(count.retained, !is_odd);
        assert_int_equal(((uint8_t *)gei_node_const(onnx_find(t.graph, "w"))->data)[4999], 1);
        onnx_read_deinit(&t);
        pb_free(&model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_from_raw_data),
        cmocka_unit_test(bools_become_zero_and_one),
        cmocka_unit_test(unused_bits_of_packed_types_become_zero),
        cmocka_unit_test(integers_are_read_from_lists),
        cmocka_unit_test(values_that_do_not_fit_their_type_are_refused),
        cmocka_unit_test(bit_patterns_are_read_from_int32_data),
        cmocka_unit_test(six_bit_floats_have_an_entry_each),
        cmocka_unit_test(floats_are_read_from_lists),
        cmocka_unit_test(dims_come_packed_too),
        cmocka_unit_test(strings_are_read),
        cmocka_unit_test(no_elements_need_no_data),
        cmocka_unit_test(raw_data_goes_before_lists),
        cmocka_unit_test(payload_and_shape_must_agree),
        cmocka_unit_test(bad_shapes_and_types_are_refused),
        cmocka_unit_test(a_huge_shape_takes_no_memory),
        cmocka_unit_test(sparse_initializers_become_dense),
        cmocka_unit_test(bad_sparse_initializers_are_refused),
        cmocka_unit_test(large_aligned_payloads_stay_where_they_are),
        cmocka_unit_test(large_bools_are_shared_when_they_are_bools),
        cmocka_unit_test(small_payloads_are_copied_and_with_copy_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
