/* SPDX-License-Identifier: Apache-2.0 */
/* builder_test: what tests of the builder share. */
#ifndef GE_BUILDER_TEST_H
#define GE_BUILDER_TEST_H

#include "graph_test.h"

static const int64_t two[] = { 2 };

static inline ge_builder *builder_new(ge_value_id *out_x) {
    ge_builder *b;
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, two);
    check_ok(ge_builder_create(NULL, "g", GE_NTS, &b));
    if (out_x) check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, out_x));
    return b;
}

static inline ge_graph *view_of(ge_builder *b) {
    ge_graph *graph;
    check_ok(ge_builder_create_view(b, &graph));
    return graph;
}

static inline size_t nodes_in(ge_builder *b) {
    size_t count;
    ge_graph *graph = view_of(b);
    check_ok(ge_graph_get_nodes(graph, GE_ORDER_CREATION, NULL, 0, &count));
    check_ok(ge_graph_destroy(graph));
    return count;
}

/* The next call of an operator with a failure, and its end, report that failure; then the operator is gone. */
static inline void ends_failed(ge_builder *b, ge_status status, size_t nodes_before) {
    ge_value_id value = 1;
    ge_node_id node = 1;
    check_fails(ge_builder_set_attr_int(b, "k", 1, GE_ATTR_NONE, 1), status, NULL);
    check_fails(ge_builder_end_op(b, &value, 1, &node), status, NULL);
    assert_int_equal(value, 0);
    assert_int_equal(node, 0);
    assert_int_equal(nodes_in(b), nodes_before);
    check_fails(ge_builder_end_op(b, &value, 1, &node), GE_ERR_WRONG_STATE, "builder");
}

static inline void begin(ge_builder *b, const char *type) { check_ok(ge_builder_begin_op(b, type, GE_NTS, NULL, 0)); }

#endif
