/* SPDX-License-Identifier: Apache-2.0 */
/* Folding when memory runs out: it is the error of the compilation, not a reason to leave the node to the run. */
#include "unit/ge_test.h"

#include "passes/pass.h"

static const gei_op_def *find_op(void *user, const char *name, size_t name_size) {
    (void)user;
    return gei_catalogue_find(name, name_size);
}

static const char text[] = "graph \"g\" { %x = Data[index=0] : f32[4]  %a = Const[value=f32[2]{ 1.5 2.5 }]  %b = Exp(x=%a)  %c = Add(x1=%b, x2=%a)"
                           "  %z = Const[value=i64[1]{ 0 }]  %m = ReduceSum(x=%c, axes=%z)  %y = Add(x1=%x, x2=%m)  return %y }";

/* Nodes that fold leaves; the heap refuses what it was told to. */
static ge_status fold(ge_test_heap *heap, size_t *out_nodes, gei_sink *notes, gei_diag *diag) {
    gei_graph *g = NULL;
    gei_pipeline_options options = { .notes = notes };
    GEI_TRY(gei_graph_parse(&gei_heap, text, sizeof text - 1, find_op, NULL, &g, diag));
    ge_status st = gei_passes_run(g, &heap->from, &options, NULL, diag);
    *out_nodes = g->n_live;
    gei_graph_destroy(g);
    return st;
}

static void memory_that_runs_out_is_the_error(void **state) {
    (void)state;
    ge_test_heap heap;
    size_t folded, n;
    ge_test_heap_init(&heap);
    gei_diag diag = { 0 };
    assert_ok(fold(&heap, &folded, NULL, &diag), &diag);
    uint64_t refused = 0;
    for (uint64_t at = 1;; at++) {
        gei_sink notes;
        gei_sink_init(&notes, &gei_heap);
        gei_diag_clear(&diag);
        ge_test_heap_fail_after(&heap, at, false);
        ge_status st = fold(&heap, &n, &notes, &diag);
        bool has_failed = atomic_load(&heap.has_failed);
        if (notes.data && strstr(notes.data, "memory")) fail_msg("allocation %llu: noted as '%s'", (unsigned long long)at, notes.data);
        gei_sink_deinit(&notes);
        if (st == GE_OK) assert_int_equal(n, folded); /* refused or not: nothing was left out */
        else assert_fails_with(st, &diag, "memory");
        assert_int_equal(st, has_failed && st != GE_OK ? GE_ERR_OUT_OF_MEMORY : GE_OK);
        refused += st != GE_OK;
        ge_test_heap_check(&heap);
        if (!has_failed) break;
    }
    assert_true(refused > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_that_runs_out_is_the_error) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
