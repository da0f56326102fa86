/* SPDX-License-Identifier: Apache-2.0 */
/* Errors the header documents for tensors, DLPack, the builder and import, each provoked: status, record, argument, outputs. */
#include "builder_test.h"
#include "memory_test.h"

static const int64_t nine[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, negative[] = { -3 }, unknown[] = { -1 };

static void tensors_refuse_descs(void **state) {
    (void)state;
    static float room[2];
    const uint8_t *bytes = (const uint8_t *)room;
    ge_tensor_desc high = desc_of(GE_DTYPE_FLOAT32, 9, nine), below = desc_of(GE_DTYPE_FLOAT32, 1, negative), open = desc_of(GE_DTYPE_FLOAT32, 1, unknown);
    ge_tensor *tensor = FOREIGN_HANDLE, *sound = two_floats(NULL);
    ends e;
    ge_memory memory;
    check_fails(ge_tensor_create_from_data(NULL, &high, bytes, 8, &tensor), GE_ERR_RANK, "desc");
    assert_null(tensor);
    check_fails(ge_tensor_create_from_data(NULL, &below, bytes, 8, &tensor), GE_ERR_SHAPE, "desc");
    check_fails(ge_tensor_create_from_data(NULL, &open, bytes, 8, &tensor), GE_ERR_SHAPE, "desc");
    tensor = FOREIGN_HANDLE;
    memory = memory_over(room, sizeof room, &e);
    check_fails(ge_tensor_create_over(NULL, &high, &memory, &tensor), GE_ERR_RANK, "desc");
    assert_null(tensor);
    check_ended(e, 1);
    memory = memory_over(room, sizeof room, &e);
    check_fails(ge_tensor_create_over(NULL, &below, &memory, &tensor), GE_ERR_SHAPE, "desc");
    check_ended(e, 1);
    tensor = FOREIGN_HANDLE;
    check_fails(ge_tensor_create_view(sound, &high, &tensor), GE_ERR_RANK, "desc");
    assert_null(tensor);
    check_ok(ge_tensor_destroy(sound));
}

static void texts_of_a_constant_are_read_only(void **state) {
    (void)state;
    const int64_t dims[] = { 1 };
    const uint64_t offsets[] = { 0, 2 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_STRING, 1, dims);
    ge_builder *b;
    ge_value_id value;
    ge_node_id node;
    ge_attr_id attr;
    ge_graph *graph;
    ge_tensor *texts, *shown;
    check_ok(ge_tensor_create(NULL, &desc, &texts));
    check_ok(ge_tensor_set_strings(texts, (const uint8_t *)"ab", 2, offsets, 2));
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    check_ok(ge_builder_add_constant(b, "c", GE_NTS, texts, &value));
    graph = view_of(b);
    check_ok(ge_graph_get_port_owner(graph, value, &node, NULL, NULL));
    check_ok(ge_graph_find_attr(graph, node, "value", GE_NTS, &attr));
    check_ok(ge_tensor_create_from_attr(graph, attr, 0, &shown));
    check_fails(ge_tensor_set_strings(shown, (const uint8_t *)"cd", 2, offsets, 2), GE_ERR_READ_ONLY, "tensor");
    check_ok(ge_tensor_destroy(shown));
    check_ok(ge_tensor_destroy(texts));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b));
}

/* ---- DLPack ---- */

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
static void delete_legacy(legacy *self) { deleted += self != NULL; }
static void delete_versioned(versioned *self) { deleted += self != NULL; }
static int64_t sides[] = { 2 }, minus[] = { -2 }, enormous[] = { INT64_MAX };
static float floats[4];

/* What a producer may get wrong, and the status of each in both forms. */
static const struct bad {
    ge_status status;
    int32_t device, ndim;
    uint8_t code, bits;
    int64_t *shape;
    uint64_t offset;
} bads[] = {
    { GE_ERR_UNSUPPORTED_DTYPE, 1, 1, 2, 24, sides, 0 },
    { GE_ERR_UNSUPPORTED_DTYPE, 1, 1, 99, 32, sides, 0 },
    { GE_ERR_NO_DEVICE, 2, 1, 2, 32, sides, 0 },
    { GE_ERR_RANK, 1, 99, 2, 32, sides, 0 },
    { GE_ERR_RANK, 1, -1, 2, 32, sides, 0 },
    { GE_ERR_RANK, 1, 1, 2, 32, NULL, 0 },
    { GE_ERR_SIZE, 1, 1, 2, 32, minus, 0 },
    { GE_ERR_SIZE, 1, 1, 2, 32, enormous, 0 },
    { GE_ERR_ALIGNMENT, 1, 1, 2, 32, sides, 1 },
};

static void dlpack_producers_are_not_trusted(void **state) {
    (void)state;
    ge_tensor *tensor;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const struct bad *bad = &bads[i];
        dl_tensor t = { .data = floats, .device_type = bad->device, .ndim = bad->ndim, .code = bad->code, .bits = bad->bits, .lanes = 1,
                        .shape = bad->shape, .byte_offset = bad->offset };
        versioned v = { .major = 1, .deleter = delete_versioned, .tensor = t };
        legacy l = { .deleter = delete_legacy, .tensor = t };
        tensor = FOREIGN_HANDLE;
        deleted = 0;
        check_fails(ge_tensor_import_dlpack(NULL, (ge_dlpack *)(void *)&v, &tensor), bad->status, "dlpack");
        assert_null(tensor);
        assert_int_equal(deleted, 1);
        tensor = FOREIGN_HANDLE;
        check_fails(ge_tensor_import_dlpack_legacy(NULL, (ge_dlpack_legacy *)(void *)&l, &tensor), bad->status, "dlpack");
        assert_null(tensor);
        assert_int_equal(deleted, 2);
    }
    versioned next = { .major = 2, .deleter = delete_versioned };
    deleted = 0;
    check_fails(ge_tensor_import_dlpack(NULL, (ge_dlpack *)(void *)&next, &tensor), GE_ERR_UNSUPPORTED_VERSION, "dlpack");
    assert_int_equal(deleted, 1);
}

/* ---- builder ---- */

static void attributes_need_an_open_operator(void **state) {
    (void)state;
    ge_value_id x, y;
    const int64_t ints[] = { 1 };
    const float numbers[] = { 1 };
    const char *texts[] = { "a" };
    ge_tensor *tensor = two_floats(NULL);
    ge_builder *b = builder_new(&x);
    check_fails(ge_builder_set_attr_int(b, "k", GE_NTS, GE_ATTR_INT, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_attr_float(b, "k", GE_NTS, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_attr_text(b, "k", GE_NTS, GE_ATTR_STRING, "a", GE_NTS), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_attr_tensor(b, "k", GE_NTS, tensor), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_attr_ints(b, "k", GE_NTS, GE_ATTR_LIST_INT, ints, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_attr_floats(b, "k", GE_NTS, GE_ATTR_LIST_FLOAT, numbers, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_set_attr_texts(b, "k", GE_NTS, texts, 1), GE_ERR_WRONG_STATE, "builder");
    check_fails(ge_builder_begin_op(b, "NoSuchOperator", GE_NTS, NULL, 0), GE_ERR_UNSUPPORTED_OPERATOR, "op_type");
    check_fails(ge_builder_begin_op(b, "Relu", GE_NTS, "x", GE_NTS), GE_ERR_ALREADY_EXISTS, "name"); /* a failure at begin leaves nothing open */
    begin(b, "Cast");
    check_fails(ge_builder_set_attr_tensor(b, "dst_type", GE_NTS, tensor), GE_ERR_WRONG_KIND, NULL);
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_WRONG_KIND, NULL);
    begin(b, "Cast");
    check_fails(ge_builder_set_attr_texts(b, "dst_type", GE_NTS, texts, 1), GE_ERR_WRONG_KIND, NULL);
    check_fails(ge_builder_end_op(b, &y, 1, NULL), GE_ERR_WRONG_KIND, NULL);
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_builder_destroy(b));
}

/* ---- import: models of a few bytes, field by field of the protobuf schema of ONNX ---- */

typedef struct bytes {
    uint8_t data[4096];
    size_t size;
} bytes;

static void put_varint(bytes *to, uint64_t v) {
    for (; v >= 0x80; v >>= 7) to->data[to->size++] = (uint8_t)(v | 0x80);
    to->data[to->size++] = (uint8_t)v;
}
static void put_int(bytes *to, uint32_t field, uint64_t v) { put_varint(to, field << 3), put_varint(to, v); }
static void put_bytes(bytes *to, uint32_t field, const void *data, size_t size) {
    put_varint(to, field << 3 | 2);
    put_varint(to, size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}
static void put_text(bytes *to, uint32_t field, const char *text) { put_bytes(to, field, text, strlen(text)); }
static void put_message(bytes *to, uint32_t field, const bytes *inner) { put_bytes(to, field, inner->data, inner->size); }

static bytes node_of_type(const char *in, const char *type) { /* NodeProto: type(in) -> y */
    bytes node = { .size = 0 };
    put_text(&node, 1, in);
    put_text(&node, 2, "y");
    put_text(&node, 3, "r");
    put_text(&node, 4, type);
    return node;
}
static bytes node_of(const char *in) { return node_of_type(in, "Relu"); }
static bytes info_of(const char *name, int rank) { /* ValueInfoProto: float [1, 1, ...] */
    bytes info = { .size = 0 }, type = { .size = 0 }, tensor = { .size = 0 }, shape = { .size = 0 }, dim = { .size = 0 };
    put_int(&dim, 1, 1);
    for (int i = 0; i < rank; i++) put_message(&shape, 1, &dim);
    put_int(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &type);
    return info;
}
static bytes model_of(const bytes *node, const bytes *initializer, int rank) {
    bytes model = { .size = 0 }, graph = { .size = 0 }, opset = { .size = 0 }, x = info_of("x", rank), y = info_of("y", 1);
    put_message(&graph, 1, node);
    put_text(&graph, 2, "g");
    if (initializer) put_message(&graph, 5, initializer);
    put_message(&graph, 11, &x);
    put_message(&graph, 12, &y);
    put_int(&opset, 2, 17);
    put_int(&model, 1, 8);
    put_message(&model, 7, &graph);
    put_message(&model, 8, &opset);
    return model;
}
static bytes external(const char *location) { /* TensorProto with its bytes in a file */
    bytes tensor = { .size = 0 }, entry = { .size = 0 };
    put_int(&tensor, 1, 4);
    put_int(&tensor, 2, 1);
    put_text(&tensor, 8, "w");
    put_text(&entry, 1, "location");
    put_text(&entry, 2, location);
    put_message(&tensor, 13, &entry);
    put_int(&tensor, 14, 1);
    return tensor;
}

#define refused(model, options, status)                                                                                                  \
    do {                                                                                                                                 \
        ge_graph *graph_ = FOREIGN_HANDLE;                                                                                               \
        check_fails(ge_graph_import(NULL, GE_FILE_ONNX, (model)->data, (model)->size, (options), &graph_), (status), NULL);              \
        assert_null(graph_);                                                                                                             \
    } while (0)

static void models_are_not_trusted(void **state) {
    (void)state;
    bytes relu = node_of("x"), model = model_of(&relu, NULL, 1), cut = model, attribute = { .size = 0 }, initializer;
    ge_import_options options = GE_IMPORT_OPTIONS_INIT;
    bytes entry = { .size = 0 };
    ge_graph *graph;
    check_ok(ge_graph_import(NULL, GE_FILE_ONNX, model.data, model.size, NULL, &graph));
    check_ok(ge_graph_destroy(graph));
    cut.size -= 8;
    refused(&cut, NULL, GE_ERR_TRUNCATED);
    model.data[0] = 0x0F; /* a wire type there is none of */
    refused(&model, NULL, GE_ERR_MALFORMED);
    relu = node_of("nobody");
    model = model_of(&relu, NULL, 1);
    refused(&model, NULL, GE_ERR_BAD_GRAPH);
    relu = node_of("x");
    put_text(&attribute, 1, "k");
    put_int(&attribute, 20, 99); /* a kind there is none of */
    put_message(&relu, 5, &attribute);
    model = model_of(&relu, NULL, 1);
    refused(&model, NULL, GE_ERR_BAD_ATTR);
    relu = node_of("x");
    model = model_of(&relu, NULL, 9);
    refused(&model, NULL, GE_ERR_RANK);
    relu = node_of_type("x", "NoSuchOperator");
    model = model_of(&relu, NULL, 1);
    refused(&model, NULL, GE_ERR_UNSUPPORTED_OPERATOR);
    relu = node_of("x");
    initializer = external("w.bin");
    model = model_of(&relu, &initializer, 1);
    refused(&model, NULL, GE_ERR_EXTERNAL_DATA);
    options.base_path = ".";
    options.base_path_size = GE_NTS;
    refused(&model, &options, GE_ERR_EXTERNAL_DATA); /* there is no w.bin */
    options.base_path = "no/such/folder";
    refused(&model, &options, GE_ERR_FILE);
    options.base_path = ".";
    initializer = external("../w.bin");
    model = model_of(&relu, &initializer, 1);
    refused(&model, &options, GE_ERR_EXTERNAL_DATA); /* out of the folder */
    model = model_of(&relu, NULL, 1);
    put_int(&entry, 2, 17);
    for (int i = 0; i < 600; i++) put_message(&model, 8, &entry);
    refused(&model, NULL, GE_ERR_LIMIT); /* operator sets without end */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_refuse_descs),
        cmocka_unit_test(texts_of_a_constant_are_read_only),
        cmocka_unit_test(dlpack_producers_are_not_trusted),
        cmocka_unit_test(attributes_need_an_open_operator),
        cmocka_unit_test(models_are_not_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
