/* SPDX-License-Identifier: Apache-2.0 */
/* graph_test: a small graph for tests of reading, editing and attributes.
 *
 *   x: f32[batch,4] --> Relu "r" --+--> Add "a" --> outputs[0]
 *                         c: f32[2] --^                             Const
 */
#ifndef GE_GRAPH_TEST_H
#define GE_GRAPH_TEST_H

#include "abi_test.h"

typedef struct small_graph {
    ge_graph *graph;
    ge_value_id x, c, r_y, a_y;
    ge_node_id x_node, c_node, r, a;
} small_graph;

static inline ge_value_id add_op(ge_builder *b, const char *type, const char *name, ge_value_id first, ge_value_id second, ge_node_id *out_node) {
    ge_value_id value;
    check_ok(ge_builder_begin_op(b, type, GE_NTS, name, name ? GE_NTS : 0));
    if (first) check_ok(ge_builder_add_input(b, first));
    if (second) check_ok(ge_builder_add_input(b, second));
    check_ok(ge_builder_end_op(b, &value, 1, out_node));
    return value;
}

static inline ge_node_id node_named(const ge_graph *graph, const char *name) {
    ge_node_id node;
    check_ok(ge_graph_find_node(graph, name, GE_NTS, &node));
    return node;
}

static inline small_graph small_graph_new(const ge_context *context) {
    small_graph s;
    ge_builder *b;
    const int64_t dims[] = { -1, 4 };
    const char *names[] = { "batch", NULL };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    desc.dim_names = names;
    check_ok(ge_builder_create(context, "small", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &s.x));
    ge_tensor *tensor = two_floats(context);
    check_ok(ge_builder_add_constant(b, "c", GE_NTS, tensor, &s.c));
    check_ok(ge_tensor_destroy(tensor));
    s.r_y = add_op(b, "Relu", "r", s.x, 0, &s.r);
    s.a_y = add_op(b, "Add", "a", s.r_y, s.c, &s.a);
    check_ok(ge_builder_build(b, &s.a_y, 1, &s.graph));
    check_ok(ge_builder_destroy(b));
    s.x_node = node_named(s.graph, "x");
    s.c_node = node_named(s.graph, "c");
    return s;
}

static inline ge_port_id port_of(const ge_graph *graph, ge_node_id node, ge_direction direction, uint32_t index) {
    ge_port_id port;
    check_ok(ge_graph_get_port(graph, node, direction, index, &port));
    return port;
}

/* The graph as its own text; the caller frees it. */
static inline char *text_of(const ge_graph *graph) {
    size_t size;
    check_ok(ge_graph_dump(graph, GE_DUMP_IR, NULL, 0, &size));
    char *text = malloc(size + 1);
    assert_non_null(text);
    check_ok(ge_graph_dump(graph, GE_DUMP_IR, text, size + 1, &size));
    assert_int_equal(strlen(text), size);
    return text;
}

/* A failed edit changes nothing: check_unchanged(graph, { calls }). */
#define check_unchanged(graph, ...)              \
    do {                                         \
        char *before_ = text_of(graph);          \
        __VA_ARGS__                              \
        char *after_ = text_of(graph);           \
        assert_string_equal(before_, after_);    \
        free(before_);                           \
        free(after_);                            \
    } while (0)

/* Ids that name nothing: none, unknown kind, made up, and one of another graph. */
#define BAD_IDS(other_id) { 0, 1, UINT64_MAX, UINT64_C(0x2000000000000000), (other_id), (other_id) ^ 0x1000 }

#endif
