/* SPDX-License-Identifier: Apache-2.0 */
/* Files made to hurt: cut, mutated, nested, multiplied.  Each gives a clear error, or a graph, in bounded memory and on a small
 * stack. */
#include <pthread.h>
#include <unistd.h>

#include "unit/frontend/onnx_check.h"
#include "unit/frontend/onnx_sample.h"

#define MEGABYTE (1 << 20)
#define MOST_BYTES (200 * (int64_t)MEGABYTE)

#if GE_TEST_ASAN || GE_TEST_TSAN
#define STACK_BYTES ((size_t)256 << 10) /* sanitizers make frames several times as large */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STACK_BYTES ((size_t)256 << 10)
#endif
#endif
#ifndef STACK_BYTES
#define STACK_BYTES ((size_t)64 << 10)
#endif

static const char *data_folder(void) {
    static char path[512];
    const char *tmp = getenv("GE_TEST_TMP");
    snprintf(path, sizeof path, "%s", tmp ? tmp : "/tmp");
    return path;
}

/* External data of the sample: no bytes are wanted from it, but it must be there. */
static int set_up(void **state) {
    char path[600];
    (void)state;
    snprintf(path, sizeof path, "%s/w.bin", data_folder());
    return gei_file_write(path, "", 0, NULL) == GE_OK ? 0 : -1;
}

static void start(onnx_read *t) {
    onnx_read_init(t);
    t->options.find = onnx_find_any;
    t->options.directory = data_folder();
}

/* ---- the sample ---- */

static void the_sample_is_read(void **state) {
    (void)state;
    pb model = onnx_sample(true);
    onnx_read t;
    start(&t);
    assert_ok(onnx_read_run(&t, &model), &t.diag);
    (void)onnx_find(t.graph, "call/relu");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static ge_status load_scenario(const gei_allocator *from, void *arg) {
    const pb *model = arg;
    gei_onnx_options options = { .from = from, .find = onnx_find_any, .directory = data_folder() };
    gei_graph *graph;
    ge_status status = gei_onnx_read(model->data, model->size, &options, &graph, NULL);
    gei_graph_destroy(graph);
    return status;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    pb model = onnx_sample(true);
    ge_test_each_allocation_fails(load_scenario, &model);
    pb_free(&model);
}

static ge_status failing_scenario(const gei_allocator *from, void *arg) {
    ge_status status = load_scenario(from, arg);
    return status == GE_ERR_UNSUPPORTED_OPERATOR ? GE_OK : status;
}

static void each_allocation_may_fail_while_problems_are_told(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_input(&graph, "x", ONNX_F32, "n,3");
    pb node = onnx_node_begin("Nonesuch", "n", "x", "y");
    pb_text(&node, ONNX_NODE_OVERLOAD, "o"); /* no mapping is asked for overloads */
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    onnx_node(&graph, "Relu", "r", "lost", "z");
    onnx_output(&graph, "y", ONNX_F32, NULL);
    pb model = onnx_model(8, 17, &graph);
    ge_test_each_allocation_fails(failing_scenario, &model);
    pb_free(&model);
}

/* The place every refusal names: an offset in the details, inside of what was there. */
static void assert_placed(const gei_diag *diag, size_t size) {
    const char *key = diag->details, *end = diag->details + diag->details_size, *offset = NULL;
    while (key < end && !offset) {
        const char *value = key + strlen(key) + 1;
        if (strcmp(key, "offset") == 0) offset = value;
        key = value + strlen(value) + 1;
    }
    if (!offset) fail_msg("%zu bytes: no offset: %s", size, diag->message);
    if (strtoull(offset, NULL, 10) > size) fail_msg("%zu bytes: offset %s: %s", size, offset, diag->message);
    assert_true(diag->message[0] != '\0');
}

/* No beginning of these two files is a whole model: their opset_import stands last. */
static void cut_anywhere(const pb *model) {
    for (size_t size = 0; size < model->size; size++) {
        pb cut = { .data = model->data, .size = size };
        onnx_read t;
        start(&t);
        onnx_read_run(&t, &cut);
        if (t.status == GE_OK) fail_msg("the first %zu bytes are read", size);
        assert_placed(&t.diag, size);
        if (t.status == GE_ERR_TRUNCATED && size > 0) assert_non_null(strstr(t.diag.message, " at byte "));
        assert_true(t.last.offset <= size);
        onnx_read_deinit(&t);
    }
}

static void a_model_cut_anywhere_gives_an_error(void **state) {
    (void)state;
    pb model = onnx_sample(true);
    cut_anywhere(&model);
    pb_free(&model);
}

static void the_demo_model_cut_anywhere_gives_an_error(void **state) {
    (void)state;
    gei_file file;
    gei_diag diag;
    assert_ok(gei_file_open(&file, "../examples/digits/digits.onnx", false, &gei_heap, &diag), &diag);
    for (size_t size = 0; size <= file.size; size++) {
        gei_onnx_options options = { .from = NULL };
        gei_graph *graph;
        gei_diag_clear(&diag);
        ge_status status = gei_onnx_read(file.data, size, &options, &graph, &diag);
        if (size == file.size) {
            assert_ok(status, &diag);
            assert_ok(gei_graph_check(graph, &diag), &diag);
        } else {
            if (status == GE_OK) fail_msg("the first %zu bytes are read", size);
            assert_placed(&diag, size);
        }
        gei_graph_destroy(graph);
    }
    gei_file_close(&file);
}

/* ---- mutations ---- */

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* One to four changes: a bit, a byte, a telling byte, a stretch copied, one left out. */
static void mutate(pb *model, uint64_t *random) {
    static const uint8_t telling[] = { 0x00, 0x01, 0x7F, 0x80, 0xFF, 0x0A, 0x12, 0x2A };
    for (uint64_t n = next_random(random) % 4 + 1; n > 0 && model->size > 1; n--) {
        size_t at = next_random(random) % model->size, size = next_random(random) % 16 + 1;
        if (at + size > model->size) size = model->size - at;
        switch (next_random(random) % 5) {
        case 0: model->data[at] ^= (uint8_t)(1u << next_random(random) % 8); break;
        case 1: model->data[at] = (uint8_t)next_random(random); break;
        case 2: model->data[at] = telling[next_random(random) % sizeof telling]; break;
        case 3: {
            size_t to = next_random(random) % model->size;
            if (to + size > model->size) size = model->size - to;
            memmove(model->data + to, model->data + at, size);
            break;
        }
        default:
            memmove(model->data + at, model->data + at + size, model->size - at - size);
            model->size -= size;
        }
    }
}

static void random_mutations_do_no_harm(void **state) {
    (void)state;
    pb sample = onnx_sample(true);
    uint64_t random = 20240601;
    int n_read = 0;
    for (int i = 0; i < 100000; i++) {
        pb model = { 0 };
        pb_raw(&model, sample.data, sample.size);
        mutate(&model, &random);
        onnx_read t;
        start(&t);
        onnx_read_run(&t, &model);
        n_read += t.status == GE_OK;
        assert_true(t.heap.peak_bytes < 100 * MEGABYTE);
        onnx_read_deinit(&t);
        pb_free(&model);
    }
    assert_true(n_read > 100 && n_read < 99900); /* else they would show nothing */
    pb_free(&sample);
}

/* ---- much from little ---- */

typedef struct small_stack {
    onnx_read read;
    const pb *model;
} small_stack;

static void *run_on_small_stack(void *arg) {
    small_stack *s = arg;
    s->read.status = gei_onnx_read(s->model->data, s->model->size, &s->read.options, &s->read.graph, &s->read.diag);
    return NULL;
}

static ge_status stop_storing(void *user, const gei_onnx_problem *p) {
    (void)p;
    ((onnx_read *)user)->n_problems++;
    return GE_OK;
}

/* Takes model.  Wants `status`, or any when it is -1; `part` in the message when not NULL. */
static void hostile(pb *model, ge_status status, const char *part) {
    static small_stack s;
    pthread_attr_t attr;
    pthread_t thread;
    start(&s.read);
    s.read.options.problem = stop_storing;
    s.model = model;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attr, run_on_small_stack, &s), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
    if (getenv("GE_TEST_VERBOSE"))
        print_message("%zu bytes: peak %lld, status %#x: %s\n", model->size, (long long)s.read.heap.peak_bytes, (unsigned)s.read.status,
                      s.read.diag.message);
    if (s.read.heap.peak_bytes > MOST_BYTES) fail_msg("%lld bytes of memory", (long long)s.read.heap.peak_bytes);
    if (status != -1 && s.read.status != status) fail_msg("status %#x: %s", (unsigned)s.read.status, s.read.diag.message);
    if (part && !strstr(s.read.diag.message, part)) fail_msg("\"%s\", wanted \"%s\"", s.read.diag.message, part);
    onnx_read_deinit(&s.read);
    pb_free(model);
}

static pb finish(pb *graph) {
    onnx_input(graph, "x", ONNX_F32, "n,3");
    onnx_output(graph, "y", ONNX_F32, NULL);
    return onnx_model(8, 17, graph);
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    pb graph = { 0 };
    for (int i = 0; i < 10000; i++) {
        pb node = onnx_node_begin("Own", "", "x", "y");
        onnx_attr_graph(&node, "g", &graph);
        pb_message(&graph, ONNX_GRAPH_NODE, &node);
        onnx_output(&graph, "y", -1, NULL);
    }
    onnx_input(&graph, "x", ONNX_F32, "2");
    pb model = onnx_model(8, 17, &graph);
    hostile(&model, GE_ERR_LIMIT, "calls and graphs are nested deeper than 64");
}

static void nesting_within_the_limit_is_read(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_output(&graph, "x", -1, NULL);
    for (int i = 0; i < 60; i++) {
        pb node = onnx_node_begin("Own", "", "x", "y");
        onnx_attr_graph(&node, "g", &graph);
        pb_message(&graph, ONNX_GRAPH_NODE, &node);
        onnx_output(&graph, i < 59 ? "x" : "y", -1, NULL);
    }
    onnx_input(&graph, "x", ONNX_F32, "2");
    pb model = onnx_model(8, 17, &graph);
    hostile(&model, GE_OK, NULL);
}

static void a_million_empty_nodes_are_refused(void **state) {
    (void)state;
    pb graph = { 0 };
    for (int i = 0; i < 1000000; i++) pb_raw(&graph, "\x0A\0", 2);
    pb model = finish(&graph);
    hostile(&model, GE_ERR_LIMIT, "more than 10000 problems, reading ended; the first: node 0 ('') at byte ");
}

static void many_unknown_operators_are_refused(void **state) {
    (void)state;
    pb graph = { 0 };
    for (int i = 0; i < 60000; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%d", i);
        pb node = onnx_node_begin(name, "", "x", "");
        pb_text(&node, ONNX_NODE_OVERLOAD, "o");
        pb_message(&graph, ONNX_GRAPH_NODE, &node);
    }
    pb model = finish(&graph);
    hostile(&model, GE_ERR_LIMIT, "more than 10000 problems");
}

static void a_long_chain_in_the_wrong_order_is_read(void **state) {
    (void)state;
    pb graph = { 0 };
    int n = 40000;
    for (int i = n; i > 0; i--) {
        char in[16], out[16];
        snprintf(in, sizeof in, "v%d", i - 1);
        snprintf(out, sizeof out, "v%d", i);
        onnx_node(&graph, "Relu", "", i == 1 ? "x" : in, i == n ? "y" : out);
    }
    pb model = finish(&graph);
    hostile(&model, GE_OK, NULL);
}

/* A chain of nodes that each own a graph which needs the next one. */
static void graphs_that_wait_for_each_other_are_bounded(void **state) {
    (void)state;
    pb graph = { 0 };
    for (int i = 0; i < 5000; i++) {
        char in[16], out[16];
        pb inner = { 0 };
        snprintf(in, sizeof in, "v%d", i + 1);
        snprintf(out, sizeof out, "v%d", i);
        onnx_output(&inner, in, -1, NULL);
        pb node = onnx_node_begin("Own", "", "x", i == 0 ? "y" : out);
        onnx_attr_graph(&node, "g", &inner);
        pb_message(&graph, ONNX_GRAPH_NODE, &node);
    }
    pb model = finish(&graph);
    hostile(&model, GE_ERR_LIMIT, "more than 256 graphs wait for each other");
}

/* f0 calls f1 ten times, which calls f2 ten times, ... */
static void calls_cannot_multiply_without_end(void **state) {
    (void)state;
    pb graph = { 0 };
    pb node = onnx_node_begin("f0", "c", "x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    for (int i = 0; i < 30; i++) {
        char name[16], next[16];
        snprintf(name, sizeof name, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        pb fn = onnx_function_begin("fn", name, "a", "b");
        for (int k = 0; k < 10; k++) {
            char out[16];
            snprintf(out, sizeof out, "t%d", k);
            node = onnx_node_begin(i < 29 ? next : "Relu", "", "a", k == 0 ? "b" : out);
            if (i < 29) pb_text(&node, ONNX_NODE_DOMAIN, "fn");
            pb_message(&fn, ONNX_FUNCTION_NODE, &node);
        }
        pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    }
    hostile(&model, GE_ERR_LIMIT, "asks for more memory than its size allows");
}

static void calls_cannot_nest_without_end(void **state) {
    (void)state;
    pb graph = { 0 };
    pb node = onnx_node_begin("f0", "c", "x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    for (int i = 0; i < 10000; i++) {
        char name[16], next[16];
        snprintf(name, sizeof name, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        pb fn = onnx_function_begin("fn", name, "a", "b");
        node = onnx_node_begin(next, "a_name_that_grows_with_every_call", "a", "b");
        pb_text(&node, ONNX_NODE_DOMAIN, "fn");
        pb_message(&fn, ONNX_FUNCTION_NODE, &node);
        pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    }
    hostile(&model, GE_ERR_LIMIT, "calls and graphs are nested deeper than 64");
}

static void names_cannot_grow_without_end(void **state) {
    (void)state;
    pb graph = { 0 };
    char *name = calloc(60001, 1);
    memset(name, 'n', 60000);
    pb node = onnx_node_begin("f", name, "x", "y");
    free(name);
    pb_text(&node, ONNX_NODE_DOMAIN, "fn");
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    pb fn = onnx_function_begin("fn", "f", "a", "t0");
    for (int i = 0; i < 60000; i++) {
        char out[16];
        snprintf(out, sizeof out, "t%d", i);
        onnx_function_node(&fn, "Relu", "", "a", out);
    }
    pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
    hostile(&model, GE_ERR_LIMIT, "asks for more memory than its size allows");
}

/* Every value of the root, used ten graphs further down. */
static void captures_cannot_multiply_without_end(void **state) {
    (void)state;
    pb graph = { 0 }, inner = { 0 };
    for (int i = 0; i < 30000; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        onnx_node(&graph, "Relu", "", "x", name);
        onnx_node(&inner, "Relu", "", name, "");
    }
    onnx_output(&inner, "x", -1, NULL);
    for (int i = 0; i < 60; i++) {
        pb node = onnx_node_begin("Own", "", "x", "z");
        onnx_attr_graph(&node, "g", &inner);
        pb_message(&inner, ONNX_GRAPH_NODE, &node);
        onnx_output(&inner, "x", -1, NULL);
    }
    pb node = onnx_node_begin("Own", "", "x", "y");
    onnx_attr_graph(&node, "g", &inner);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    hostile(&model, GE_ERR_LIMIT, "asks for more memory than its size allows");
}

static void many_tiny_graphs_are_bounded(void **state) {
    (void)state;
    pb graph = { 0 }, node = onnx_node_begin("Own", "", "x", "y"), attr = onnx_attr_begin("gs", ONNX_KIND_GRAPHS);
    for (int i = 0; i < 500000; i++) pb_raw(&attr, "\x5A\0", 2);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &attr);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    hostile(&model, GE_ERR_LIMIT, "asks for more memory than its size allows");
}

/* count times: one field made by `add`. */
static void many(void (*add)(pb *graph, int i), int count, ge_status status, const char *part) {
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "r", "x", "y");
    for (int i = 0; i < count; i++) add(&graph, i);
    pb model = finish(&graph);
    hostile(&model, status, part);
}

static void add_initializer(pb *graph, int i) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    onnx_initializer(graph, name, ONNX_U8, "", "", 1);
}

static void add_empty_initializer(pb *graph, int i) {
    (void)i;
    pb_raw(graph, "\x2A\0", 2);
}

static void add_input(pb *graph, int i) {
    char name[16];
    snprintf(name, sizeof name, "i%d", i);
    onnx_input(graph, name, ONNX_F32, name);
}

static void add_same_output(pb *graph, int i) {
    (void)i;
    onnx_output(graph, "x", -1, NULL);
}

static void add_value_info(pb *graph, int i) {
    char name[16];
    snprintf(name, sizeof name, "i%d", i);
    onnx_value(graph, name, -1, NULL);
}

static void add_same_name(pb *graph, int i) {
    (void)i;
    onnx_node(graph, "Relu", "n", "x", "");
}

static void add_tuple(pb *graph, int i) {
    char in[16];
    snprintf(in, sizeof in, "lost%d", i);
    onnx_node(graph, "Relu", "", in, "");
}

static void counts_are_bounded(void **state) {
    (void)state;
    many(add_initializer, 60000, -1, NULL);
    many(add_empty_initializer, 500000, GE_ERR_LIMIT, "more than 10000 problems");
    many(add_input, 30000, GE_OK, NULL);
    many(add_same_output, 200000, GE_ERR_LIMIT, "more than 10000 problems");
    many(add_value_info, 100000, GE_OK, NULL);
    many(add_same_name, 60000, GE_OK, NULL);
    many(add_tuple, 60000, GE_ERR_LIMIT, "more than 10000 problems");
}

static void long_lists_are_bounded(void **state) {
    (void)state;
    pb graph = { 0 }, node = onnx_node_begin("Own", "", "x", "y"), attr = onnx_attr_begin("ints", ONNX_KIND_INTS), list = { 0 };
    for (int i = 0; i < MEGABYTE; i++) pb_raw(&list, "\1", 1);
    pb_message(&attr, ONNX_ATTR_INTS, &list);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &attr);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    hostile(&model, -1, NULL);

    node = onnx_node_begin("Own", "", "x", "y");
    attr = onnx_attr_begin("strings", ONNX_KIND_STRINGS);
    for (int i = 0; i < 500000; i++) pb_raw(&attr, "\x4A\0", 2);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &attr);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    model = finish(&graph);
    hostile(&model, -1, NULL);

    node = onnx_node_begin("Own", "", "", "y");
    for (int i = 0; i < 350000; i++) pb_raw(&node, "\x0A\1x", 3);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    model = finish(&graph);
    hostile(&model, -1, NULL);

    node = onnx_node_begin("Relu", "", "x", "y");
    for (int i = 0; i < 500000; i++) pb_raw(&node, "\x12\0", 2); /* outputs left out */
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    model = finish(&graph);
    hostile(&model, -1, NULL);

    pb tensor = onnx_tensor_begin("w", ONNX_STR, "500000");
    for (int i = 0; i < 500000; i++) pb_raw(&tensor, "\x32\0", 2);
    pb_message(&graph, ONNX_GRAPH_INITIALIZER, &tensor);
    onnx_node(&graph, "Relu", "", "x", "y");
    model = finish(&graph);
    hostile(&model, GE_OK, NULL);
}

static void model_lists_are_bounded(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "", "x", "y");
    pb base = finish(&graph);
    for (int kind = 0; kind < 3; kind++) {
        pb model = { 0 };
        pb_raw(&model, base.data, base.size);
        for (int i = 0; i < 60000; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d", i);
            if (kind == 0) onnx_entry(&model, ONNX_MODEL_METADATA, name, "");
            if (kind == 1) onnx_opset(&model, ONNX_MODEL_OPSET, name, 1);
            if (kind == 2) {
                pb fn = onnx_function_begin("fn", name, "", "");
                pb_message(&model, ONNX_MODEL_FUNCTION, &fn);
            }
        }
        hostile(&model, kind == 2 ? GE_OK : GE_ERR_LIMIT, kind == 0 ? "more than 4096 metadata entries" : kind == 1 ? "more than 256 operator sets" : NULL);
    }
    for (int i = 0; i < 500000; i++) pb_raw(&base, "\xCA\x01\0", 3);
    hostile(&base, GE_ERR_LIMIT, "more than 10000 problems");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_read),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(each_allocation_may_fail_while_problems_are_told),
        cmocka_unit_test(a_model_cut_anywhere_gives_an_error),
        cmocka_unit_test(the_demo_model_cut_anywhere_gives_an_error),
        cmocka_unit_test(random_mutations_do_no_harm),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(nesting_within_the_limit_is_read),
        cmocka_unit_test(a_million_empty_nodes_are_refused),
        cmocka_unit_test(many_unknown_operators_are_refused),
        cmocka_unit_test(a_long_chain_in_the_wrong_order_is_read),
        cmocka_unit_test(graphs_that_wait_for_each_other_are_bounded),
        cmocka_unit_test(calls_cannot_multiply_without_end),
        cmocka_unit_test(calls_cannot_nest_without_end),
        cmocka_unit_test(names_cannot_grow_without_end),
        cmocka_unit_test(captures_cannot_multiply_without_end),
        cmocka_unit_test(many_tiny_graphs_are_bounded),
        cmocka_unit_test(counts_are_bounded),
        cmocka_unit_test(long_lists_are_bounded),
        cmocka_unit_test(model_lists_are_bounded),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
