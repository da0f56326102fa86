/* SPDX-License-Identifier: Apache-2.0 */
/* Every function that takes a struct, with struct_size from 0 to twice what the library knows, the tail zero and not zero.
 *
 * The struct ends where an inaccessible page begins, so that reading or writing behind it faults in release builds too.  Wanted:
 * success from the first size a release had, else GE_ERR_INVALID_STRUCT_SIZE or GE_ERR_UNSUPPORTED_FIELD.  No framework, so that
 * the ABI gate can build this file by itself. */
#define GE_NO_NULLABILITY
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ge_c_api.h"

/* Sizes of release 1.0: constants, not sizeof, for old clients keep passing them when the structs have grown. */
enum {
    ERROR_INFO = 96, CONTEXT_INFO = 104, TENSOR_DESC = 64, MEMORY = 56, TENSOR_INFO = 40, GRAPH_INFO = 80, NODE_INFO = 56, ATTR_INFO = 48,
    IMPORT_OPTIONS = 56, COMPILE_OPTIONS = 64, MODEL_SUMMARY = 120, IO_INFO = 64, RUN_OPTIONS = 16, ASYNC_OPTIONS = 56, COMPLETION = 24, STEP_INFO = 72,
    ALLOCATOR = 40, AREA_INFO = 40, MODEL_COUNTERS = 80
};

static uint8_t *page_end; /* first byte that must not be touched */
static size_t page_size;
static uint64_t n_calls;

static _Noreturn void wrong(const char *what, size_t size, ge_status st) {
    ge_error *error;
    ge_error_take(&error);
    fprintf(stderr, "struct sizes: %s with size %zu: %s (%s)\n", what, size, ge_status_name(st), ge_error_get_message(error));
    _exit(1);
}

static void need(ge_status st, const char *what) {
    if (st != GE_OK) wrong(what, 0, st);
}

/* ---- objects to call with ---- */

static struct {
    ge_tensor *tensor;
    ge_value *value;
    ge_graph *graph;
    ge_node_id node;
    ge_value_id x;
    ge_attr_id attr;
    ge_model *model;
    ge_binding *binding;
    ge_error *error;
} own;
static const int64_t dims[] = { 2 };
static float floats[2] = { 1, 2 };

static ge_tensor_desc good_desc(void) {
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    desc.rank = 1;
    desc.dims = dims;
    return desc;
}

static void make_objects(void) {
    ge_tensor_desc desc = good_desc();
    ge_builder *b;
    ge_value_id y;
    need(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)floats, sizeof floats, &own.tensor), "tensor");
    need(ge_value_create_from_tensor(own.tensor, &own.value), "value");
    need(ge_builder_create(NULL, "g", 1, &b), "builder");
    need(ge_builder_add_graph_input(b, "x", 1, 0, &desc, &own.x), "input");
    need(ge_builder_begin_op(b, "Relu", 4, "r", 1), "begin");
    need(ge_builder_add_input(b, own.x), "input of the operator");
    need(ge_builder_end_op(b, &y, 1, &own.node), "end");
    need(ge_builder_build(b, &y, 1, &own.graph), "build");
    need(ge_builder_destroy(b), "destroy");
    need(ge_graph_add_attr(own.graph, 0, "k", 1, GE_ATTR_INT, &own.attr), "attribute");
    need(ge_graph_compile(own.graph, NULL, &own.model), "compile");
    need(ge_binding_create(own.model, &own.binding), "binding");
    need(ge_binding_set_input(own.binding, 0, own.value), "bind");
    if (ge_graph_check(NULL) == GE_OK) exit(1);
    ge_error_take(&own.error);
}

static void drop_objects(void) {
    need(ge_error_release(own.error), "release");
    need(ge_binding_destroy(own.binding), "destroy");
    need(ge_model_destroy(own.model), "destroy");
    need(ge_graph_destroy(own.graph), "destroy");
    need(ge_value_destroy(own.value), "destroy");
    need(ge_tensor_destroy(own.tensor), "destroy");
}

/* ---- structs the caller fills ---- */

typedef ge_status (*in_call)(const void *s);

static ge_status drop(ge_status st, ge_tensor *t) {
    need(ge_tensor_destroy(t), "destroy");
    return st;
}
static ge_status in_create(const void *s) {
    ge_tensor *t;
    ge_status st = ge_tensor_create(NULL, s, &t);
    return drop(st, t);
}
static ge_status in_from_data(const void *s) {
    ge_tensor *t;
    ge_status st = ge_tensor_create_from_data(NULL, s, (const uint8_t *)floats, sizeof floats, &t);
    return drop(st, t);
}
static ge_status in_view(const void *s) {
    ge_tensor *t;
    ge_status st = ge_tensor_create_view(own.tensor, s, &t);
    return drop(st, t);
}
static ge_status in_over_desc(const void *s) {
    ge_tensor *t;
    ge_memory memory = GE_MEMORY_INIT;
    memory.data = (uint8_t *)floats;
    memory.data_size = sizeof floats;
    ge_status st = ge_tensor_create_over(NULL, s, &memory, &t);
    return drop(st, t);
}
static ge_status in_over_memory(const void *s) {
    ge_tensor *t;
    ge_tensor_desc desc = good_desc();
    ge_status st = ge_tensor_create_over(NULL, &desc, s, &t);
    return drop(st, t);
}
static ge_status in_set_desc(const void *s) { return ge_graph_set_desc(own.graph, own.x, s); }
static ge_status in_graph_input(const void *s) {
    ge_builder *b;
    ge_value_id value;
    need(ge_builder_create(NULL, "g", 1, &b), "builder");
    ge_status st = ge_builder_add_graph_input(b, "x", 1, 0, s, &value);
    need(ge_builder_destroy(b), "destroy");
    return st;
}
static ge_status in_variable(const void *s) {
    ge_builder *b;
    ge_value_id value;
    need(ge_builder_create(NULL, "g", 1, &b), "builder");
    ge_status st = ge_builder_add_variable(b, "v", 1, s, NULL, &value);
    need(ge_builder_destroy(b), "destroy");
    return st;
}
/* The options are read before the bytes, which are no model. */
static ge_status in_import(const void *s) {
    ge_graph *g;
    ge_status st = ge_graph_import(NULL, GE_FILE_ONNX, (const uint8_t *)"\xff\xff\xff", 3, s, &g);
    return st >> 16 == GE_CLASS_MODEL ? GE_OK : st;
}
static ge_status in_import_file(const void *s) {
    ge_graph *g;
    ge_status st = ge_graph_import_file(NULL, GE_FILE_ONNX, "/nonexistent/model", GE_NTS, s, &g);
    return st == GE_ERR_FILE ? GE_OK : st;
}
static ge_status in_compile(const void *s) {
    ge_model *m;
    ge_status st = ge_graph_compile(own.graph, s, &m);
    need(ge_model_destroy(m), "destroy");
    return st;
}
static ge_status in_run(const void *s) {
    const ge_value *in[] = { own.value };
    ge_value *out;
    ge_status st = ge_model_run(own.model, s, in, 1, &out, 1);
    need(ge_value_destroy(out), "destroy");
    return st;
}
static ge_status finish(ge_status st, ge_operation *op) {
    if (st == GE_OK) need(ge_operation_wait(op, -1), "wait");
    need(ge_operation_destroy(op), "destroy");
    return st;
}
static ge_status in_run_async(const void *s) {
    const ge_value *in[] = { own.value };
    ge_operation *op;
    ge_status st = ge_model_run_async(own.model, s, NULL, in, 1, &op);
    return finish(st, op);
}
static ge_status in_async(const void *s) {
    const ge_value *in[] = { own.value };
    ge_operation *op;
    ge_status st = ge_model_run_async(own.model, NULL, s, in, 1, &op);
    return finish(st, op);
}
static ge_status in_binding_async(const void *s) {
    ge_operation *op;
    ge_status st = ge_binding_run_async(own.binding, NULL, s, &op);
    return finish(st, op);
}
static uint8_t *some_memory(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return alignment <= 16 ? malloc(bytes) : NULL;
}
static void free_memory(void *user, uint8_t *data, size_t bytes, size_t alignment) {
    (void)user;
    (void)bytes;
    (void)alignment;
    free(data);
}
static ge_status in_allocator(const void *s) {
    ge_options *options;
    need(ge_options_create(&options), "options");
    ge_status st = ge_options_set_allocator(options, s);
    need(ge_options_destroy(options), "destroy");
    return st;
}
static ge_status in_binding_run(const void *s) { return ge_binding_run(own.binding, s); }

static void fuzz_in(const char *name, in_call call, const void *good, size_t first, size_t known) {
    for (size_t size = 0; size <= 2 * known + 16; size++) {
        for (int fill = 0; fill < 3; fill++) { /* tail zero; all of it set; only its last byte set */
            size_t room = size < 4 ? 4 : size;
            if (fill && size <= known) break;
            uint8_t *at = page_end - room;
            uint32_t said = (uint32_t)size;
            memset(at, 0, room);
            memcpy(at, good, room < known ? room : known);
            memcpy(at, &said, sizeof said);
            if (fill == 1) memset(at + known, 0xA5, size - known);
            if (fill == 2) at[size - 1] = 1;
            ge_status want = size < first ? GE_ERR_INVALID_STRUCT_SIZE : fill ? GE_ERR_UNSUPPORTED_FIELD : GE_OK;
            ge_status st = call(at);
            n_calls++;
            if (st != want) wrong(name, size, st);
        }
    }
    const uint32_t mad[] = { 4097, 65536, UINT32_MAX };
    uint8_t *at = page_end - known;
    memcpy(at, good, known);
    for (size_t i = 0; i < sizeof mad / sizeof *mad; i++) {
        memcpy(at, &mad[i], 4);
        ge_status st = call(at);
        if (st != GE_ERR_INVALID_STRUCT_SIZE) wrong(name, mad[i], st);
    }
    memcpy(at, good, known);
    at[4] = 1; /* reserved_flags */
    ge_status st = call(at);
    if (st != GE_ERR_INVALID_FLAG) wrong(name, known, st);
}

/* ---- structs the library fills ---- */

typedef ge_status (*out_call)(void *s, size_t size);

static ge_status out_error(void *s, size_t n) { return ge_error_get_info(own.error, s, n); }
static ge_status out_context(void *s, size_t n) { return ge_context_get_info(NULL, s, n); }
static ge_status out_desc_init(void *s, size_t n) { return ge_tensor_desc_init(s, n); }
static ge_status out_memory_init(void *s, size_t n) { return ge_memory_init(s, n); }
static ge_status out_desc(void *s, size_t n) { return ge_tensor_get_desc(own.tensor, s, n); }
static ge_status out_tensor(void *s, size_t n) { return ge_tensor_get_info(own.tensor, s, n); }
static ge_status out_graph(void *s, size_t n) { return ge_graph_get_info(own.graph, s, n); }
static ge_status out_node(void *s, size_t n) { return ge_graph_get_node_infos(own.graph, &own.node, 1, s, 1, n); }
static ge_status out_port(void *s, size_t n) { return ge_graph_get_desc(own.graph, own.x, s, n); }
static ge_status out_attr(void *s, size_t n) { return ge_graph_get_attr_info(own.graph, own.attr, s, n); }
static ge_status out_import(void *s, size_t n) { return ge_import_options_init(s, n); }
static ge_status out_compile(void *s, size_t n) { return ge_compile_options_init(s, n); }
static ge_status out_run(void *s, size_t n) { return ge_run_options_init(s, n); }
static ge_status out_async(void *s, size_t n) { return ge_async_options_init(s, n); }
static ge_status out_completion(void *s, size_t n) { /* no completion is made for a size that is refused */
    const ge_value *in[] = { own.value };
    ge_async_options how = GE_ASYNC_OPTIONS_INIT;
    ge_operation *op;
    ge_queue *q;
    size_t count;
    need(ge_queue_create(NULL, &q), "queue");
    how.queue = q;
    need(ge_model_run_async(own.model, NULL, &how, in, 1, &op), "run");
    ge_status st = ge_queue_wait(q, s, 1, n, -1, &count);
    need(ge_operation_destroy(op), "destroy");
    need(ge_queue_destroy(q), "destroy");
    return st;
}
static ge_status out_step(void *s, size_t n) {
    size_t count;
    return ge_binding_get_step_infos(own.binding, s, 1, n, &count);
}
static ge_status out_summary(void *s, size_t n) { return ge_model_get_summary(own.model, s, n); }
static ge_status out_allocator(void *s, size_t n) { return ge_allocator_init(s, n); }
static ge_status out_counters(void *s, size_t n) { return ge_model_get_counters(own.model, s, n); }
static ge_status out_areas(void *s, size_t n) { /* the last of four ends at the page */
    size_t count;
    ge_area_info *first = n > 4096 ? s : (void *)((uint8_t *)s - 3 * n);
    return ge_model_get_area_infos(own.model, first, 4, n, &count);
}
/* Of one variable. */
static ge_state *make_state(const ge_tensor_desc *desc) {
    ge_builder *b;
    ge_graph *graph;
    ge_model *model;
    ge_state *state;
    ge_value_id v;
    need(ge_builder_create(NULL, "g", 1, &b), "builder");
    need(ge_builder_add_variable(b, "v", 1, desc, NULL, &v), "variable");
    need(ge_builder_build(b, &v, 1, &graph), "build");
    need(ge_builder_destroy(b), "destroy");
    need(ge_graph_compile(graph, NULL, &model), "compile");
    need(ge_graph_destroy(graph), "destroy");
    need(ge_state_create((const ge_model *const *)&model, 1, &state), "state");
    need(ge_model_destroy(model), "destroy");
    return state;
}
static ge_state *state;
static ge_status out_variable(void *s, size_t n) {
    size_t count;
    return ge_state_get_infos(state, s, 1, n, &count);
}
static ge_status out_io(void *s, size_t n) {
    size_t count;
    return ge_model_get_io_infos(own.model, GE_DIRECTION_IN, s, 1, n, &count);
}

static void fuzz_out(const char *name, out_call call, size_t first, size_t known) {
    for (size_t size = 0; size <= 2 * known + 16; size++) {
        size_t room = size < 8 ? 8 : size;
        uint8_t *at = page_end - room;
        uint32_t said;
        memset(at, 0xA5, room);
        ge_status st = call(at, size), want = size < first ? GE_ERR_INVALID_STRUCT_SIZE : GE_OK;
        n_calls++;
        if (st != want) wrong(name, size, st);
        if (st != GE_OK) continue;
        memcpy(&said, at, sizeof said);
        if (said != (size < known ? size : known)) wrong(name, size, st); /* how much was filled */
        for (size_t i = known; i < size; i++)
            if (at[i] != 0xA5) wrong(name, size, st);
    }
    const size_t mad[] = { 4097, SIZE_MAX, SIZE_MAX / 2 };
    for (size_t i = 0; i < sizeof mad / sizeof *mad; i++) {
        ge_status st = call(page_end - known, mad[i]);
        if (st != GE_ERR_INVALID_STRUCT_SIZE) wrong(name, mad[i], st);
    }
}

int main(void) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page_size, page_size, PROT_NONE) != 0) return 2;
    page_end = pages + page_size;
    make_objects();

    ge_tensor_desc desc = good_desc();
    ge_memory memory = GE_MEMORY_INIT;
    memory.data = (uint8_t *)floats;
    memory.data_size = sizeof floats;
    ge_import_options import = GE_IMPORT_OPTIONS_INIT;
    ge_compile_options compile = GE_COMPILE_OPTIONS_INIT;
    ge_run_options run = GE_RUN_OPTIONS_INIT;
    ge_allocator allocator = GE_ALLOCATOR_INIT;
    allocator.allocate = some_memory;
    allocator.deallocate = free_memory;
    fuzz_in("ge_options_set_allocator", in_allocator, &allocator, ALLOCATOR, sizeof allocator);
    fuzz_in("ge_tensor_create", in_create, &desc, TENSOR_DESC, sizeof desc);
    fuzz_in("ge_tensor_create_from_data", in_from_data, &desc, TENSOR_DESC, sizeof desc);
    fuzz_in("ge_tensor_create_view", in_view, &desc, TENSOR_DESC, sizeof desc);
    fuzz_in("ge_tensor_create_over, desc", in_over_desc, &desc, TENSOR_DESC, sizeof desc);
    fuzz_in("ge_tensor_create_over, memory", in_over_memory, &memory, MEMORY, sizeof memory);
    fuzz_in("ge_graph_set_desc", in_set_desc, &desc, TENSOR_DESC, sizeof desc);
    fuzz_in("ge_builder_add_graph_input", in_graph_input, &desc, TENSOR_DESC, sizeof desc);
    fuzz_in("ge_builder_add_variable", in_variable, &desc, TENSOR_DESC, sizeof desc);
    fuzz_in("ge_graph_import", in_import, &import, IMPORT_OPTIONS, sizeof import);
    fuzz_in("ge_graph_import_file", in_import_file, &import, IMPORT_OPTIONS, sizeof import);
    fuzz_in("ge_graph_compile", in_compile, &compile, COMPILE_OPTIONS, sizeof compile);
    fuzz_in("ge_model_run", in_run, &run, RUN_OPTIONS, sizeof run);
    fuzz_in("ge_binding_run", in_binding_run, &run, RUN_OPTIONS, sizeof run);
    ge_async_options async = GE_ASYNC_OPTIONS_INIT;
    fuzz_in("ge_model_run_async, options", in_run_async, &run, RUN_OPTIONS, sizeof run);
    fuzz_in("ge_model_run_async", in_async, &async, ASYNC_OPTIONS, sizeof async);
    fuzz_in("ge_binding_run_async", in_binding_async, &async, ASYNC_OPTIONS, sizeof async);

    fuzz_out("ge_error_get_info", out_error, ERROR_INFO, sizeof(ge_error_info));
    fuzz_out("ge_context_get_info", out_context, CONTEXT_INFO, sizeof(ge_context_info));
    fuzz_out("ge_tensor_desc_init", out_desc_init, TENSOR_DESC, sizeof desc);
    fuzz_out("ge_memory_init", out_memory_init, MEMORY, sizeof memory);
    fuzz_out("ge_tensor_get_desc", out_desc, TENSOR_DESC, sizeof desc);
    fuzz_out("ge_tensor_get_info", out_tensor, TENSOR_INFO, sizeof(ge_tensor_info));
    fuzz_out("ge_graph_get_info", out_graph, GRAPH_INFO, sizeof(ge_graph_info));
    fuzz_out("ge_graph_get_node_infos", out_node, NODE_INFO, sizeof(ge_node_info));
    fuzz_out("ge_graph_get_desc", out_port, TENSOR_DESC, sizeof desc);
    fuzz_out("ge_graph_get_attr_info", out_attr, ATTR_INFO, sizeof(ge_attr_info));
    fuzz_out("ge_import_options_init", out_import, IMPORT_OPTIONS, sizeof import);
    fuzz_out("ge_compile_options_init", out_compile, COMPILE_OPTIONS, sizeof compile);
    fuzz_out("ge_run_options_init", out_run, RUN_OPTIONS, sizeof run);
    fuzz_out("ge_async_options_init", out_async, ASYNC_OPTIONS, sizeof async);
    need(ge_binding_set_profiling(own.binding, 1), "profile");
    need(ge_binding_run(own.binding, NULL), "run");
    fuzz_out("ge_binding_get_step_infos", out_step, STEP_INFO, sizeof(ge_step_info));
    fuzz_out("ge_queue_wait", out_completion, COMPLETION, sizeof(ge_completion));
    fuzz_out("ge_model_get_summary", out_summary, MODEL_SUMMARY, sizeof(ge_model_summary));
    fuzz_out("ge_allocator_init", out_allocator, ALLOCATOR, sizeof allocator);
    fuzz_out("ge_model_get_counters", out_counters, MODEL_COUNTERS, sizeof(ge_model_counters));
    fuzz_out("ge_model_get_area_infos", out_areas, AREA_INFO, sizeof(ge_area_info));
    fuzz_out("ge_model_get_io_infos", out_io, IO_INFO, sizeof(ge_io_info));
    state = make_state(&desc);
    fuzz_out("ge_state_get_infos", out_variable, IO_INFO, sizeof(ge_io_info));
    need(ge_state_destroy(state), "destroy");
    drop_objects();
    printf("struct sizes: %" PRIu64 " calls\n", n_calls);
    return 0;
}
