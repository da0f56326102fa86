/* SPDX-License-Identifier: Apache-2.0 */
/* The usual errors of every public function: the cases are written by usual_gen.py from the header, the scene is made here. */
#include "abi/usual_scene.h"

static const char *problem; /* of the case that runs */

void want_zero(const void *at, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (((const uint8_t *)at)[i]) problem = "an output is not zero";
}
void want_kept(const void *at, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (((const uint8_t *)at)[i] != PREFILLED) problem = "a list was written to";
}
void want_no_descriptor(const int32_t *descriptor) {
    if (*descriptor != -1) problem = "the descriptor is not -1";
}
void want_text(const char *buffer) {
    if (buffer[0]) problem = "a text buffer does not hold the empty text";
}
ge_status on_write(void *user_data, const uint8_t *bytes, size_t bytes_size) {
    (void)user_data, (void)bytes, (void)bytes_size;
    return GE_OK;
}

/* What DLPack's structs look like to a producer: enough of them that a deleter is found. */
static int deleted;
static void on_deleted(void *self) {
    (void)self;
    deleted++;
}
static struct {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(void *);
    uint64_t flags, tensor[6];
} versioned = { .major = 1, .deleter = on_deleted };
static struct {
    uint64_t tensor[6];
    void *manager;
    void (*deleter)(void *);
} managed = { .deleter = on_deleted };

static ge_graph *graph_with_attr(const ge_context *context, scene *s) {
    ge_builder *b;
    ge_graph *graph;
    ge_value_id x, y;
    ge_node_id node;
    ge_attr_id attr, float_attr;
    ge_port_id port;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, two);
    check_ok(ge_builder_create(context, "g", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y = add_op(b, "Relu", "r", x, 0, &node);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_add_attr(graph, node, "k", GE_NTS, GE_ATTR_INT, &attr));
    check_ok(ge_graph_add_attr(graph, node, "f", GE_NTS, GE_ATTR_FLOAT, &float_attr));
    check_ok(ge_graph_get_port(graph, node, GE_DIRECTION_IN, 0, &port));
    if (s) s->x = x, s->node = node, s->attr = attr, s->float_attr = float_attr, s->port = port;
    return graph;
}

static void scene_open(scene *s) {
    memset(s, 0, sizeof *s);
    check_ok(ge_context_create(NULL, &s->context));
    check_ok(ge_options_create(&s->options));
    s->tensor = two_floats(s->context);
    check_ok(ge_value_create_from_tensor(s->tensor, &s->value));
    s->graph = graph_with_attr(s->context, s);
    check_ok(ge_graph_compile(s->graph, NULL, &s->model));
    check_ok(ge_binding_create(s->model, &s->binding));
    check_ok(ge_builder_create(s->context, "b", GE_NTS, &s->builder));
    const ge_value *inputs[] = { s->value };
    check_ok(ge_model_run_async(s->model, NULL, NULL, inputs, 1, &s->operation));
    check_ok(ge_operation_wait(s->operation, -1));
    check_ok(ge_binding_set_input(s->binding, 0, s->value));
    check_ok(ge_binding_set_profiling(s->binding, 1));
    check_ok(ge_binding_run(s->binding, NULL));
    check_ok(ge_queue_create(s->context, &s->queue));
    check_ok(ge_stream_create(s->context, &s->stream));
    check_ok(ge_event_create(s->context, &s->event));
    check_ok(ge_event_record(s->event, s->stream));
    check_ok(ge_state_create((const ge_model *const *)&s->model, 1, &s->state));
    check_ok(ge_event_sync(s->event, -1));
    ge_tensor *gone = two_floats(s->context);
    check_ok(ge_tensor_destroy(gone));
    s->stale = gone;
    s->other_kind = s->options;
    s->dlpack = (ge_dlpack *)(void *)&versioned;
    s->dlpack_legacy = (ge_dlpack_legacy *)(void *)&managed;
    ge_graph *other = graph_with_attr(s->context, NULL);
    s->foreign_id = node_named(other, "r");
    check_ok(ge_graph_destroy(other));
    if (ge_graph_check(NULL) == GE_OK) fail();
    ge_error_take(&s->error);
}

static void scene_close(scene *s) {
    check_ok(ge_error_release(s->error));
    check_ok(ge_operation_destroy(s->operation));
    check_ok(ge_queue_destroy(s->queue));
    check_ok(ge_state_destroy(s->state));
    check_ok(ge_stream_destroy(s->stream));
    check_ok(ge_event_destroy(s->event));
    check_ok(ge_binding_destroy(s->binding));
    check_ok(ge_model_destroy(s->model));
    check_ok(ge_builder_destroy(s->builder));
    check_ok(ge_graph_destroy(s->graph));
    check_ok(ge_value_destroy(s->value));
    check_ok(ge_tensor_destroy(s->tensor));
    check_ok(ge_options_destroy(s->options));
    check_ok(ge_context_destroy(s->context));
}

/* What is wrong with the record of the case; NULL when nothing is. */
static const char *fault_of_record(const usual_case *c, ge_status status, const ge_error *error) {
    static ge_error_info info;
    if (status != c->wanted) return "another status";
    if (!error || ge_error_get_info(error, &info, sizeof info) != GE_OK) return "no record";
    if (info.status != status) return "the record holds another status";
    if (!info.message[0]) return "the message is empty";
    if (strcmp(info.function_name, c->function) != 0) return "the record names another function";
    if (strncmp(info.argument, c->argument, strlen(info.argument)) != 0 || !info.argument[0]) return "the record does not name the argument";
    return info.argument_index < 0 ? "the argument has no index" : problem;
}

/* A failure stays with an operator under construction, so each case of the builder gets a new one. */
static void prepare(scene *s, const usual_case *c) {
    ge_value_id value;
    if (strncmp(c->function, "ge_builder_", 11) != 0) return;
    if (ge_builder_end_op(s->builder, &value, 1, NULL) == GE_OK) fail();
    const char *verb = c->function + 11;
    if (strncmp(verb, "set_", 4) == 0 || strncmp(verb, "add_input", 9) == 0 || strcmp(verb, "end_op") == 0)
        check_ok(ge_builder_begin_op(s->builder, "Relu", GE_NTS, NULL, 0));
}

static void test_cases(void **state) {
    (void)state;
    scene s;
    int failed = 0;
    uint64_t before = live_objects();
    scene_open(&s);
    ge_context_info info;
    check_ok(ge_context_get_info(s.context, &info, sizeof info));
    uint64_t objects = info.objects_count;
    for (size_t i = 0; i < usual_cases_count; i++) {
        const usual_case *c = &usual_cases[i];
        ge_error *error;
        problem = NULL;
        prepare(&s, c);
        ge_error_take(&error);
        ge_error_release(error);
        ge_status status = c->call(&s);
        ge_error_take(&error);
        const char *fault = fault_of_record(c, status, error);
        check_ok(ge_context_get_info(s.context, &info, sizeof info));
        if (!fault && info.objects_count != objects) fault = "it left an object behind";
        objects = info.objects_count;
        if (fault) {
            ge_error_info said = { .argument = "" };
            if (error) check_ok(ge_error_get_info(error, &said, sizeof said));
            print_error("%s, %s: %s: %s (%s, wanted %s; argument '%s', message '%s')\n", c->function, c->argument, c->what, fault,
                        ge_status_name(status), ge_status_name(c->wanted), said.argument, ge_error_get_message(error));
            failed++;
        }
        if (!fault) note_cell(c->function, strlen(c->function), status, c->function);
        ge_error_release(error);
    }
    scene_close(&s);
    check_all_gone(before);
    print_message("usual errors: %zu cases, %d failed\n", usual_cases_count, failed);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
