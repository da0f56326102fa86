/* SPDX-License-Identifier: Apache-2.0 */
/* The misuse table: each row is a mistake a caller can make, and the status it must get, in release and sanitizer builds alike.
 * Rows are data; a row whose call needs a story (a thread, a race, a second object) has it in its function. */
#include "builder_test.h"

#include <pthread.h>
#include <sched.h>

/* What rows work on; made anew for each row. */
typedef struct scene {
    ge_context *context, *other;
    ge_tensor *tensor;  /* float32 [2]: 1, 2; of context */
    ge_value *value, *foreign_value; /* of context, of other */
    ge_graph *graph;    /* x -> Relu -> Relu, of context */
    ge_model *model;    /* compiled from it */
    ge_binding *binding;
    ge_options *options;
    ge_node_id node;
    ge_value_id x;
} scene;

static const int64_t dims2[] = { 2 };

static void scene_open(scene *s) {
    memset(s, 0, sizeof *s);
    ge_builder *b;
    ge_value_id y, z;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims2);
    check_ok(ge_context_create(NULL, &s->context));
    check_ok(ge_context_create(NULL, &s->other));
    check_ok(ge_options_create(&s->options));
    s->tensor = two_floats(s->context);
    check_ok(ge_value_create_from_tensor(s->tensor, &s->value));
    ge_tensor *t = two_floats(s->other);
    check_ok(ge_value_create_from_tensor(t, &s->foreign_value));
    check_ok(ge_tensor_destroy(t));
    check_ok(ge_builder_create(s->context, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &s->x));
    y = add_op(b, "Relu", "r", s->x, 0, &s->node);
    z = add_op(b, "Relu", "q", y, 0, NULL);
    check_ok(ge_builder_build(b, &z, 1, &s->graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_compile(s->graph, NULL, &s->model));
    check_ok(ge_binding_create(s->model, &s->binding));
    check_ok(ge_binding_set_input(s->binding, 0, s->value));
}

/* Rows may have destroyed what they want; NULL is nothing to destroy. */
static void scene_close(scene *s) {
    check_ok(ge_binding_destroy(s->binding));
    check_ok(ge_model_destroy(s->model));
    check_ok(ge_graph_destroy(s->graph));
    check_ok(ge_value_destroy(s->value));
    check_ok(ge_value_destroy(s->foreign_value));
    check_ok(ge_tensor_destroy(s->tensor));
    check_ok(ge_options_destroy(s->options));
    check_ok(ge_context_destroy(s->context));
    check_ok(ge_context_destroy(s->other));
}

/* ---- handles ---- */

static const uint8_t *data;
static size_t size;

static ge_status null_handle(scene *s) { (void)s; return ge_tensor_get_data(NULL, &data, &size); }
static ge_status integer_handle(scene *s) { (void)s; return ge_tensor_get_data((void *)(uintptr_t)0x123456789abcULL, &data, &size); }
static ge_status aligned_handle(scene *s) { (void)s; return ge_tensor_get_data(FOREIGN_HANDLE, &data, &size); }
static ge_status other_kind(scene *s) { return ge_tensor_get_data((ge_tensor *)(void *)s->graph, &data, &size); }
static ge_status after_destroy(scene *s) {
    ge_tensor *t = s->tensor;
    check_ok(ge_tensor_destroy(t));
    s->tensor = NULL;
    return ge_tensor_get_data(t, &data, &size);
}
static ge_status after_many(scene *s) {
    ge_tensor *t = s->tensor;
    check_ok(ge_tensor_destroy(t));
    s->tensor = NULL;
    for (int i = 0; i < 10000; i++) {
        ge_options *o;
        check_ok(ge_options_create(&o));
        check_ok(ge_options_destroy(o));
    }
    return ge_tensor_get_data(t, &data, &size);
}
static ge_status destroy_twice(scene *s) {
    ge_model *m = s->model;
    check_ok(ge_model_destroy(m));
    s->model = NULL;
    return ge_model_destroy(m);
}
static ge_status parent_first(scene *s) { /* legal: children keep what they need */
    check_ok(ge_context_destroy(s->context));
    check_ok(ge_model_destroy(s->model));
    check_ok(ge_graph_destroy(s->graph));
    s->context = NULL, s->model = NULL, s->graph = NULL;
    return ge_binding_run(s->binding, NULL);
}
static ge_status other_context(scene *s) {
    const ge_value *in[] = { s->foreign_value };
    ge_value *out = s->value;
    ge_status st = ge_model_run(s->model, NULL, in, 1, &out, 1);
    assert_null(out);
    return st;
}
static ge_status bound_from_other_context(scene *s) { return ge_binding_set_input(s->binding, 0, s->foreign_value); }
static ge_status stale_in_struct(scene *s) {
    ge_compile_options options = GE_COMPILE_OPTIONS_INIT;
    ge_model *m;
    options.options = s->options;
    check_ok(ge_options_destroy(s->options));
    s->options = NULL;
    return ge_graph_compile(s->graph, &options, &m);
}

/* ---- counts, sizes, shapes ---- */

static ge_status create(const ge_tensor_desc *desc) {
    ge_tensor *t = FOREIGN_HANDLE;
    ge_status st = ge_tensor_create(NULL, desc, &t);
    if (st != GE_OK) assert_null(t);
    else check_ok(ge_tensor_destroy(t));
    return st;
}
static ge_status negative_dim(scene *s) {
    const int64_t dims[] = { -5 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims);
    return (void)s, create(&desc);
}
static ge_status negative_rank(scene *s) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, -7, dims2);
    return (void)s, create(&desc);
}
static ge_status count_without_array(scene *s) { return ge_model_run(s->model, NULL, NULL, 1, NULL, 0); }
static ge_status outputs_without_array(scene *s) {
    const ge_value *in[] = { s->value };
    return ge_model_run(s->model, NULL, in, 1, NULL, 1);
}
static ge_status size_overflow(scene *s) {
    const int64_t dims[] = { INT64_MAX, INT64_MAX };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    return (void)s, create(&desc);
}
static ge_status count_overflow(scene *s) {
    ge_value *out = NULL;
    const ge_value *in[] = { s->value };
    (void)out;
    return ge_model_run(s->model, NULL, in, SIZE_MAX, NULL, 0);
}
static ge_status rank_too_high(scene *s) {
    const int64_t dims[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 9, dims);
    return (void)s, create(&desc);
}
static ge_status bytes_do_not_fit(scene *s) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims2);
    ge_tensor *t;
    (void)s;
    return ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)"1234567", 7, &t);
}
static ge_status unaligned(scene *s) {
    static float room[4];
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims2);
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *t;
    (void)s;
    memory.data = (uint8_t *)room + 1;
    memory.data_size = 8;
    return ge_tensor_create_over(NULL, &desc, &memory, &t);
}
static ge_status output_aliases_input(scene *s) {
    ge_status st = ge_binding_set_output(s->binding, 0, s->value);
    return st == GE_OK ? ge_binding_run(s->binding, NULL) : st;
}

static ge_status outputs_overlap(scene *s) { /* x -> Relu -> y, z: both outputs into one place */
    static float room[2];
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims2);
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *tensor;
    ge_value *place;
    ge_graph *graph;
    ge_model *model;
    ge_binding *binding;
    ge_value_id y, z;
    ge_builder *b;
    memory.data = (uint8_t *)room;
    memory.data_size = sizeof room;
    check_ok(ge_builder_create(s->context, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &y));
    y = add_op(b, "Relu", "r", y, 0, NULL);
    z = add_op(b, "Neg", "n", y, 0, NULL);
    check_ok(ge_builder_build(b, (ge_value_id[]){ y, z }, 2, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_binding_create(model, &binding));
    check_ok(ge_tensor_create_over(s->context, &desc, &memory, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &place));
    check_ok(ge_tensor_destroy(tensor));
    check_ok(ge_binding_set_input(binding, 0, s->value));
    check_ok(ge_binding_set_output(binding, 0, place));
    ge_status st = ge_binding_set_output(binding, 1, place);
    if (st == GE_OK) st = ge_binding_run(binding, NULL);
    check_ok(ge_binding_destroy(binding));
    check_ok(ge_model_destroy(model));
    check_ok(ge_value_destroy(place));
    return st;
}

/* ---- structs ---- */

static ge_status desc_of_size(uint32_t n, uint8_t tail) {
    struct {
        ge_tensor_desc desc;
        uint8_t more[4096];
    } big = { .desc = desc_of(GE_DTYPE_FLOAT32, 1, dims2) };
    big.desc.struct_size = n;
    big.more[20] = tail;
    return create(&big.desc);
}
static ge_status struct_size_0(scene *s) { return (void)s, desc_of_size(0, 0); }
static ge_status struct_size_4(scene *s) { return (void)s, desc_of_size(4, 0); }
static ge_status struct_too_small(scene *s) { return (void)s, desc_of_size(sizeof(ge_tensor_desc) - 1, 0); }
static ge_status struct_tail_zero(scene *s) { return (void)s, desc_of_size(4096, 0); }
static ge_status struct_tail_set(scene *s) { return (void)s, desc_of_size(4096, 1); }
static ge_status struct_huge(scene *s) { return (void)s, desc_of_size(UINT32_MAX, 0); }
static ge_status reserved_set(scene *s) {
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims2);
    desc.reserved_flags = 1;
    return (void)s, create(&desc);
}
static ge_status unknown_flag(scene *s) {
    static float room[2];
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, dims2);
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *t;
    (void)s;
    memory.data = (uint8_t *)room;
    memory.data_size = 8;
    memory.flags = 1u << 30;
    return ge_tensor_create_over(NULL, &desc, &memory, &t);
}
static ge_status unknown_dtype(scene *s) {
    ge_tensor_desc desc = desc_of(9999, 1, dims2);
    return (void)s, create(&desc);
}
static ge_status unknown_direction(scene *s) { return ge_model_get_io_infos(s->model, 77, NULL, 0, sizeof(ge_io_info), &size); }
static ge_status unknown_order(scene *s) { return ge_graph_get_nodes(s->graph, 77, NULL, 0, &size); }
static ge_status unknown_format(scene *s) { return ge_graph_dump(s->graph, 77, NULL, 0, &size); }
static ge_status format_of_models(scene *s) { return ge_graph_dump(s->graph, GE_DUMP_PLAN, NULL, 0, &size); }
static ge_status unknown_backend(scene *s) { return ge_graph_query_support(s->graph, s->node, 77, NULL, 0, &size); }

/* ---- text and buffers ---- */

static ge_status bad_utf8(scene *s) { return ge_options_set_text(s->options, "ge.backend", GE_NTS, "\xed\xa0\x80", 3); }
static ge_status no_terminator(scene *s) { /* six bytes of a text that goes on: the length counts */
    const char name[] = { 'n', 'e', 'w', '_', '_', '1', 'X', 'Y' };
    ge_graph_info info;
    check_ok(ge_graph_set_name(s->graph, name, 6));
    check_ok(ge_graph_get_info(s->graph, &info, sizeof info));
    assert_string_equal(info.name, "new__1");
    return GE_OK;
}
static ge_status capacity_0(scene *s) {
    char byte = 'z';
    ge_status st = ge_graph_dump(s->graph, GE_DUMP_IR, &byte, 0, &size);
    assert_int_equal(byte, 'z');
    assert_true(size > 0);
    return st;
}
static ge_status array_too_short(scene *s) {
    ge_node_id nodes[1] = { 7 };
    return ge_graph_get_nodes(s->graph, GE_ORDER_CREATION, nodes, 1, &size);
}

/* ---- ids ---- */

static ge_status id_0(scene *s) { return ge_graph_remove_node(s->graph, 0); }
static ge_status id_of_other_graph(scene *s) {
    ge_graph *copy;
    check_ok(ge_graph_copy(s->graph, &copy));
    ge_status st = ge_graph_remove_node(copy, s->node);
    check_ok(ge_graph_destroy(copy));
    return st;
}
static ge_status id_after_remove(scene *s) {
    check_ok(ge_graph_remove_node(s->graph, s->node));
    return ge_graph_remove_node(s->graph, s->node);
}
static ge_status id_of_other_kind(scene *s) { return ge_graph_remove_node(s->graph, s->x); }

/* ---- callbacks ---- */

static ge_status garbage(void *user, const uint8_t *bytes, size_t n) {
    (void)user, (void)bytes, (void)n;
    return -123456;
}
static ge_status callback_garbage(scene *s) { return ge_graph_dump_to(s->graph, GE_DUMP_IR, garbage, NULL, NULL); }
static ge_status uses_graph(void *user, const uint8_t *bytes, size_t n) { /* the caller's own objects, in the middle of a call */
    (void)bytes, (void)n;
    return ge_graph_check(user);
}
static ge_status callback_calls_back(scene *s) {
    ge_graph *copy;
    check_ok(ge_graph_copy(s->graph, &copy));
    ge_status st = ge_graph_dump_to(s->graph, GE_DUMP_IR, uses_graph, copy, NULL);
    check_ok(ge_graph_destroy(copy));
    return st;
}
static ge_status destroys_model(void *user, const uint8_t *bytes, size_t n) {
    scene *s = user;
    (void)bytes, (void)n;
    if (!s->model) return GE_OK;
    ge_model *m = s->model;
    s->model = NULL;
    check_ok(ge_model_destroy(m));
    check_fails(ge_model_destroy(m), GE_ERR_HANDLE_CLOSED, "model"); /* closed, and alive until the call is over */
    return GE_OK;
}
static ge_status destroy_in_callback(scene *s) { return ge_model_dump_to(s->model, GE_DUMP_IR, destroys_model, s, NULL); }
static ge_status lost_sink(scene *s) {
    ge_context_destroy(s->context);
    ge_context *gone = s->context;
    s->context = NULL;
    return ge_context_set_log_sink(gone, GE_LOG_INFO, NULL, NULL, NULL);
}

typedef struct sink_story {
    ge_context *context;
    int lines, ended;
    ge_status removed;
} sink_story;
static void removes_itself(void *user, ge_log_level level, const char *line, size_t line_size) {
    sink_story *story = user;
    (void)level, (void)line, (void)line_size;
    story->lines++;
    if (story->lines == 1) story->removed = ge_context_set_log_sink(story->context, GE_LOG_INFO, NULL, NULL, NULL);
}
static void sink_ended(void *user) { ((sink_story *)user)->ended++; }
static ge_status unregister_inside(scene *s) { /* takes effect once the sink has returned: no line comes after it, and destroy once */
    sink_story story = { .context = s->context };
    ge_model *model;
    check_ok(ge_context_set_log_sink(s->context, GE_LOG_DEBUG, removes_itself, &story, sink_ended));
    for (int i = 0; i < 2; i++) {
        check_ok(ge_graph_compile(s->graph, NULL, &model));
        check_ok(ge_model_destroy(model));
    }
    assert_int_equal(story.lines, 1);
    assert_int_equal(story.ended, 1);
    return story.removed;
}
static ge_status compiles_again(void *user, const char *stage, size_t stage_size, uint64_t done, uint64_t total) { /* the same graph */
    scene *s = user;
    ge_model *model;
    (void)stage, (void)stage_size, (void)done, (void)total;
    check_ok(ge_graph_compile(s->graph, NULL, &model));
    return ge_model_destroy(model);
}
static ge_status recursion(scene *s) {
    ge_compile_options options = GE_COMPILE_OPTIONS_INIT;
    ge_model *model;
    options.progress = compiles_again;
    options.progress_user_data = s;
    check_ok(ge_graph_compile(s->graph, &options, &model));
    return ge_model_destroy(model);
}

/* ---- threads ---- */

static void *destroys(void *model) { return ge_model_destroy(model) == GE_OK ? model : NULL; }
static ge_status two_threads_destroy(scene *s) {
    pthread_t threads[2];
    void *won[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, destroys, s->model), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], &won[i]);
    assert_int_equal((won[0] != NULL) + (won[1] != NULL), 1);
    ge_model *m = s->model;
    s->model = NULL;
    return ge_model_destroy(m);
}
static void *runs_until_gone(void *arg) {
    scene *s = arg;
    const ge_value *in[] = { s->value };
    ge_model *m = s->model;
    ge_status st;
    do {
        ge_value *out = NULL;
        st = ge_model_run(m, NULL, in, 1, &out, 1);
        if (st == GE_OK && ge_value_destroy(out) != GE_OK) return (void *)1;
    } while (st == GE_OK);
    return st == GE_ERR_HANDLE_CLOSED || st == GE_ERR_HANDLE_STALE ? NULL : (void *)1;
}
static ge_status destroy_while_running(scene *s) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, runs_until_gone, s), 0);
    for (int i = 0; i < 20; i++) sched_yield();
    check_ok(ge_model_destroy(s->model));
    for (int i = 0; i < 2; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        assert_null(problem);
    }
    ge_model *m = s->model;
    s->model = NULL;
    return ge_model_destroy(m);
}
static void *leaves_things(void *arg) { /* ends with an error record and a tensor nobody took care of */
    scene *s = arg;
    if (ge_graph_check(NULL) == GE_OK) return NULL;
    return two_floats(s->context);
}
static ge_status thread_exit(scene *s) {
    pthread_t thread;
    void *tensor;
    assert_int_equal(pthread_create(&thread, NULL, leaves_things, s), 0);
    pthread_join(thread, &tensor);
    ge_error *error;
    ge_error_take(&error);
    assert_null(error); /* its record was its own */
    return ge_tensor_destroy(tensor);
}

/* Status wanted and argument named, NULL where none need be.  GE_OK: legal, and must work. */
static const struct row {
    const char *misuse;
    ge_status (*call)(scene *s);
    ge_status wanted;
    const char *argument;
} rows[] = {
    { "null handle", null_handle, GE_ERR_HANDLE_NULL, "tensor" },
    { "random integer as handle", integer_handle, GE_ERR_HANDLE_FOREIGN, "tensor" },
    { "aligned random address", aligned_handle, GE_ERR_HANDLE_FOREIGN, "tensor" },
    { "handle of another kind", other_kind, GE_ERR_HANDLE_WRONG_KIND, "tensor" },
    { "handle after destroy", after_destroy, GE_ERR_HANDLE_STALE, "tensor" },
    { "handle after destroy and 10,000 new objects", after_many, GE_ERR_HANDLE_STALE, "tensor" },
    { "destroy twice", destroy_twice, GE_ERR_HANDLE_STALE, "model" },
    { "destroy parent first", parent_first, GE_OK, NULL },
    { "destroy while running", destroy_while_running, GE_ERR_HANDLE_STALE, "model" },
    { "destroy inside its own callback", destroy_in_callback, GE_OK, NULL },
    { "child object of another context", other_context, GE_ERR_HANDLE_OTHER_CONTEXT, "inputs" },
    { "bound value of another context", bound_from_other_context, GE_ERR_HANDLE_OTHER_CONTEXT, "value" },
    { "stale handle inside a struct", stale_in_struct, GE_ERR_HANDLE_STALE, "options" },
    { "negative dim", negative_dim, GE_ERR_SHAPE, "desc" },
    { "negative rank", negative_rank, GE_ERR_RANK, "desc" },
    { "count with null array", count_without_array, GE_ERR_NULL_ARGUMENT, "inputs" },
    { "output count with null array", outputs_without_array, GE_ERR_NULL_ARGUMENT, "outputs" },
    { "size overflow", size_overflow, GE_ERR_SIZE, NULL },
    { "count overflow", count_overflow, GE_ERR_OUT_OF_RANGE, "inputs_count" },
    { "rank above maximum", rank_too_high, GE_ERR_RANK, "desc" },
    { "shape x dtype is not bytes", bytes_do_not_fit, GE_ERR_SIZE, NULL },
    { "unaligned data", unaligned, GE_ERR_ALIGNMENT, NULL },
    { "output aliases input", output_aliases_input, GE_ERR_OVERLAP, NULL },
    { "overlapping output buffers", outputs_overlap, GE_ERR_OVERLAP, NULL },
    { "struct_size 0", struct_size_0, GE_ERR_INVALID_STRUCT_SIZE, "desc" },
    { "struct_size 4", struct_size_4, GE_ERR_INVALID_STRUCT_SIZE, "desc" },
    { "struct_size too small", struct_too_small, GE_ERR_INVALID_STRUCT_SIZE, "desc" },
    { "struct_size huge with zero tail", struct_tail_zero, GE_OK, NULL },
    { "struct_size huge with non-zero tail", struct_tail_set, GE_ERR_UNSUPPORTED_FIELD, "desc" },
    { "struct_size uninitialised", struct_huge, GE_ERR_INVALID_STRUCT_SIZE, "desc" },
    { "reserved field non-zero", reserved_set, GE_ERR_INVALID_FLAG, "desc" },
    { "unknown flag bit", unknown_flag, GE_ERR_INVALID_FLAG, NULL },
    { "unknown data type", unknown_dtype, GE_ERR_DTYPE, "desc" },
    { "unknown direction", unknown_direction, GE_ERR_INVALID_ARGUMENT, "direction" },
    { "unknown order", unknown_order, GE_ERR_INVALID_ARGUMENT, "order" },
    { "unknown dump format", unknown_format, GE_ERR_INVALID_ARGUMENT, "format" },
    { "dump format of another object", format_of_models, GE_ERR_UNSUPPORTED_FORMAT, "format" },
    { "unknown backend", unknown_backend, GE_ERR_INVALID_ARGUMENT, "backend" },
    { "invalid UTF-8", bad_utf8, GE_ERR_INVALID_UTF8, "value" },
    { "missing terminator with explicit length", no_terminator, GE_OK, NULL },
    { "buffer capacity 0", capacity_0, GE_ERR_BUFFER_TOO_SMALL, NULL },
    { "array too short", array_too_short, GE_ERR_BUFFER_TOO_SMALL, "nodes" },
    { "id 0", id_0, GE_ERR_BAD_ID, "node" },
    { "id of another graph", id_of_other_graph, GE_ERR_BAD_ID, "node" },
    { "id after removal", id_after_remove, GE_ERR_BAD_ID, "node" },
    { "id of another kind", id_of_other_kind, GE_ERR_BAD_ID, "node" },
    { "callback returning garbage status", callback_garbage, GE_ERR_CALLBACK, NULL },
    { "unregister inside callback", unregister_inside, GE_OK, NULL },
    { "recursion from callback", recursion, GE_OK, NULL },
    { "callback calls the library", callback_calls_back, GE_OK, NULL },
    { "sink of a destroyed context", lost_sink, GE_ERR_HANDLE_STALE, "context" },
    { "two threads destroying one handle", two_threads_destroy, GE_ERR_HANDLE_STALE, "model" },
    { "thread exit without cleanup", thread_exit, GE_OK, NULL },
};

static void test_rows(void **state) {
    (void)state;
    int failed = 0;
    uint64_t before = live_objects();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        ge_error *error;
        ge_error_info info = { 0 };
        scene_open(&s);
        ge_error_take(&error);
        ge_error_release(error);
        ge_status st = rows[i].call(&s);
        ge_error_take(&error);
        if (error) check_ok(ge_error_get_info(error, &info, sizeof info));
        if (st != rows[i].wanted) {
            print_error("%s: %s (%s), wanted %s\n", rows[i].misuse, ge_status_name(st), ge_error_get_message(error), ge_status_name(rows[i].wanted));
            failed++;
        } else if (st != GE_OK && (info.status != st || !info.message[0] || strncmp(info.function_name, "ge_", 3) != 0)) {
            print_error("%s: no whole record\n", rows[i].misuse);
            failed++;
        } else if (rows[i].argument && strcmp(info.argument, rows[i].argument) != 0) {
            print_error("%s: the record names argument '%s', wanted '%s'\n", rows[i].misuse, info.argument, rows[i].argument);
            failed++;
        } else if (st != GE_OK) {
            note_cell(info.function_name, strlen(info.function_name), st, rows[i].misuse);
        }
        ge_error_release(error);
        scene_close(&s);
    }
    check_all_gone(before);
    print_message("misuse: %zu rows\n", sizeof rows / sizeof *rows);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
