/* SPDX-License-Identifier: Apache-2.0 */
/* ir_test: short ways to make, parse and print graphs of the operators of ir_ops.h. */
#ifndef GE_IR_TEST_H
#define GE_IR_TEST_H

#include "ir/graph_text.h"
#include "unit/ge_test.h"
#include "unit/ir/ir_ops.h"

static inline gei_graph *ir_graph(const gei_allocator *from) {
    gei_graph *g;
    assert_int_equal(gei_graph_create(from, "g", &g, NULL), GE_OK);
    return g;
}

/* A node; `n` inputs for its dynamic port, `m` outputs for its dynamic port. */
static inline gei_node *ir_node(gei_graph *g, const char *op, const char *name, uint32_t n, uint32_t m) {
    gei_diag diag = { 0 };
    gei_node *node = NULL;
    uint32_t ins[2] = { n, n }, outs[2] = { m, m };
    assert_ok(gei_graph_add_node(g, ir_op(op), name, ins, outs, &node, &diag), &diag);
    return node;
}

static inline gei_node *ir_data(gei_graph *g, const char *name, int64_t index) {
    gei_diag diag = { 0 };
    gei_node *node = NULL;
    gei_shape shape = gei_shape_of(2, (gei_dim[]){ 2, 3 });
    assert_ok(gei_graph_add_data(g, name, index, GEI_FLOAT32, &shape, &node, &diag), &diag);
    return node;
}

static inline void ir_connect(gei_node *from, uint32_t out, gei_node *to, uint32_t slot) { gei_slot_set(&to->ins[slot], gei_value_of(from, out)); }

static inline gei_graph *ir_parse(const gei_allocator *from, const char *text) {
    gei_diag diag = { 0 };
    gei_graph *g = NULL;
    assert_ok(gei_graph_parse(from, text, strlen(text), ir_find, NULL, &g, &diag), &diag);
    return g;
}

/* The printed graph; the caller frees the sink. */
static inline const char *ir_text(const gei_graph *g, bool brief, gei_sink *to) {
    gei_diag diag = { 0 };
    gei_sink_init(to, &gei_heap);
    assert_ok(gei_graph_print(g, brief, to, &diag), &diag);
    return to->data;
}

static inline void ir_check_text(const gei_graph *g, const char *wanted) {
    gei_sink sink;
    assert_string_equal(ir_text(g, false, &sink), wanted);
    gei_sink_deinit(&sink);
}

#endif
