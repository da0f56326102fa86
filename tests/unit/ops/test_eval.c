/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/builtin.h"
#include "ops/eval.h"
#include "ops/rules.h"
#include "unit/ge_test.h"

typedef struct bench { /* a graph under construction and what is inferred of it */
    gei_graph *graph;
    gei_arena arena;
    gei_infos infos;
    gei_diag diag;
} bench;

static void open_bench(bench *b) {
    memset(b, 0, sizeof *b);
    assert_ok(gei_graph_create(&gei_heap, "g", &b->graph, &b->diag), &b->diag);
    gei_arena_init(&b->arena, &gei_heap);
}

static void close_bench(bench *b) {
    gei_infos_release(&b->infos);
    gei_arena_deinit(&b->arena);
    gei_graph_destroy(b->graph);
}

static gei_value data(bench *b, int64_t index, int32_t dtype, int32_t rank, const gei_dim *dims) {
    gei_node *node;
    gei_shape shape = gei_shape_of(rank, dims);
    assert_ok(gei_graph_add_data(b->graph, "", index, dtype, &shape, &node, &b->diag), &b->diag);
    return gei_value_of(node, 0);
}

static gei_value ints(bench *b, const int64_t *values, int64_t count) {
    gei_tensor *tensor;
    gei_node *node;
    assert_ok(gei_tensor_create(&gei_heap, GEI_INT64, 1, &count, &tensor, &b->diag), &b->diag);
    memcpy(tensor->data, values, (size_t)count * sizeof *values);
    assert_ok(gei_graph_add_const(b->graph, "", tensor, &node, &b->diag), &b->diag);
    gei_tensor_release(tensor);
    return gei_value_of(node, 0);
}

static gei_value node(bench *b, const char *type, gei_value x1, gei_value x2) {
    gei_node *made;
    const gei_op_def *def = gei_catalogue_find(type, strlen(type));
    assert_non_null(def);
    assert_ok(gei_graph_add_node(b->graph, def, "", NULL, NULL, &made, &b->diag), &b->diag);
    if (x1.node) gei_slot_set(&made->ins[0], x1);
    if (x2.node) gei_slot_set(&made->ins[1], x2);
    return gei_value_of(made, 0);
}

static ge_status infer(bench *b) {
    gei_node **order;
    size_t count;
    GEI_TRY(gei_graph_order(b->graph, &b->arena, &order, &count, &b->diag));
    return gei_infer_graph(order, count, b->graph->nodes.count, NULL, 0, &b->arena, &gei_heap, &b->infos, &b->diag);
}

static const gei_value none = { NULL, 0 };

static void shapes_broadcast_with_symbols(void **state) {
    (void)state;
    bench b;
    open_bench(&b);
    gei_dim batch;
    assert_ok(gei_graph_symbol(b.graph, "n", 1, &batch, &b.diag), &b.diag);
    gei_value x = data(&b, 0, GEI_FLOAT32, 2, (gei_dim[]){ batch, 1 });
    gei_value y = data(&b, 1, GEI_FLOAT32, 1, (gei_dim[]){ 4 });
    gei_value sum = node(&b, "Relu", node(&b, "Add", x, y), none);
    assert_ok(infer(&b), &b.diag);
    const gei_info *info = gei_infos_of(&b.infos, sum);
    assert_int_equal(info->dtype, GEI_FLOAT32);
    assert_int_equal(info->shape.rank, 2);
    assert_true(info->shape.dims[0] == batch && info->shape.dims[1] == 4);
    close_bench(&b);
}

static void a_shape_that_does_not_fit_names_node_and_shapes(void **state) {
    (void)state;
    bench b;
    open_bench(&b);
    gei_value x = data(&b, 0, GEI_FLOAT32, 2, (gei_dim[]){ 2, 3 });
    gei_value y = data(&b, 1, GEI_FLOAT32, 1, (gei_dim[]){ 4 });
    gei_value sum = node(&b, "Add", x, y);
    assert_fails_with(infer(&b), &b.diag, "cannot broadcast [2,3] with [4]");
    assert_string_equal(b.diag.node, sum.node->name);
    close_bench(&b);
}

static void small_integers_are_folded_while_inferring(void **state) {
    (void)state;
    bench b;
    open_bench(&b);
    gei_value sum = node(&b, "Add", ints(&b, (int64_t[]){ 1, -2 }, 2), ints(&b, (int64_t[]){ 10 }, 1));
    assert_ok(infer(&b), &b.diag);
    const gei_info *info = gei_infos_of(&b.infos, sum);
    assert_non_null(info->tensor);
    assert_int_equal(gei_tensor_i64(info->tensor, 0), 11);
    assert_int_equal(gei_tensor_i64(info->tensor, 1), 8);
    close_bench(&b);
}

static void definitions_rows_and_sources_are_found(void **state) {
    (void)state;
    const gei_op *op;
    for (size_t k = 0; gei_catalogue_at(k); k++) {
        const gei_op_def *def = gei_catalogue_at(k);
        assert_ptr_equal(gei_catalogue_find(def->name, strlen(def->name)), def);
    }
    assert_null(gei_catalogue_find("Add", 2));
    assert_null(gei_catalogue_find("Addx", 4));
    assert_null(gei_catalogue_find("", 0));
    for (size_t k = 0; k < gei_op_row_count(); k++) {
        const gei_op *row = gei_op_row_at(k);
        assert_ptr_equal(gei_op_row(row->name, strlen(row->name)), row);
    }
    assert_null(gei_source_find(GEI_FROM_ONNX, "", "GreaterOrEqual", 11, &op));
    const gei_source *source = gei_source_find(GEI_FROM_ONNX, NULL, "Add", 13, &op);
    assert_non_null(source);
    assert_string_equal(op->name, "Add");
    assert_ptr_equal(gei_source_find(GEI_FROM_ONNX, "ai.onnx", "Add", 13, NULL), source);
    assert_null(gei_source_find(GEI_FROM_ONNX, "com.example", "Add", 13, &op));
    assert_null(gei_source_find(GEI_FROM_ONNX, "", "NoSuchOperator", 13, &op));
}

static void parts_cover_everything_once(void **state) {
    (void)state;
    for (int64_t n = 0; n < 40; n++) {
        for (uint32_t parts = 1; parts <= 7; parts++) {
            int64_t at = 0, begin, end;
            for (uint32_t p = 0; p < parts; p++) {
                gei_part_range(n, parts, p, &begin, &end);
                assert_int_equal(begin, at);
                assert_true(end >= begin && end - begin <= n / parts + 1);
                at = end;
            }
            assert_int_equal(at, n);
        }
    }
    assert_int_equal(gei_parts(0, 10), 1);
    assert_int_equal(gei_parts(1000000, 10), 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_broadcast_with_symbols),
        cmocka_unit_test(a_shape_that_does_not_fit_names_node_and_shapes),
        cmocka_unit_test(small_integers_are_folded_while_inferring),
        cmocka_unit_test(definitions_rows_and_sources_are_found),
        cmocka_unit_test(parts_cover_everything_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
