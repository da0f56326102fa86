/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as graph text: a graph or a reason with its line.  A graph must print to text that reads back and prints the same, and
 * so must its clone; the checker may say yes or no, but must come back.
 * Seeds: the .graph files of tests/passes.  Needs impl/base, impl/ir. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/ir/ir_ops.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_graph_text: %s\n", what);
    abort();
}

static void print(const gei_graph *g, gei_sink *to) {
    gei_sink_init(to, &gei_heap);
    must(gei_graph_print(g, false, to, NULL) == GE_OK, "does not print");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gei_diag diag = { 0 };
    gei_graph *g, *again, *copy;
    gei_sink first, second, third;
    if (gei_graph_parse(&gei_heap, (const char *)data, size, ir_find, NULL, &g, &diag) != GE_OK) {
        must(strncmp(diag.message, "line ", 5) == 0 && g == NULL, "refused without a place");
        return 0;
    }
    print(g, &first);
    must(gei_graph_parse(&gei_heap, first.data, first.size, ir_find, NULL, &again, &diag) == GE_OK, diag.message);
    must(gei_graph_clone(g, &copy, &diag) == GE_OK, diag.message);
    print(again, &second);
    print(copy, &third);
    must(strcmp(first.data, second.data) == 0, "reads back as another graph");
    must(strcmp(first.data, third.data) == 0, "the clone is another graph");
    must((gei_graph_check(g, &diag) == GE_OK) == (gei_graph_check(copy, &diag) == GE_OK), "the clone is judged otherwise");
    gei_graph_destroy(g);
    gei_graph_destroy(again);
    gei_graph_destroy(copy);
    gei_sink_deinit(&first);
    gei_sink_deinit(&second);
    gei_sink_deinit(&third);
    return 0;
}
