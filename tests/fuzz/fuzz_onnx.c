/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ONNX model: read or refused with words.  What is read must be a sound graph.  Unknown operators are taken by a
 * mapping that takes anything, so that the reader gets past them; every third input is read with the rows alone.
 * Seeds: the .onnx files under tests/ and examples/; those of tests/fuzz/seeds/onnx are written by seeds_onnx.c. */
#include <stdio.h>

#include "unit/frontend/onnx_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds, const char *what, const char *words) {
    if (holds) return;
    fprintf(stderr, "fuzz_onnx: %s: %s\n", what, words);
    abort();
}

static ge_status see_problem(void *user, const gei_onnx_problem *p) {
    (void)user;
    must(p->diag->status != GE_OK && p->diag->message[0] != '\0', "a problem without words", p->diag->node);
    must(gei_utf8_valid(p->diag->message, strlen(p->diag->message)), "a message that is no text", p->diag->message);
    return GE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gei_onnx_options options = { .problem = see_problem, .find = size % 3 ? onnx_find_any : NULL, .overridable = size % 2 };
    gei_graph *graph;
    gei_diag diag;
    gei_diag_clear(&diag);
    (void)gei_onnx_is_model(data, size);
    ge_status status = gei_onnx_read(data, size, &options, &graph, &diag);
    must(status == diag.status || status == GE_OK, "another status than the message's", diag.message);
    if (status == GE_OK) {
        status = gei_graph_check(graph, &diag);
        must(status == GE_OK || status == GE_ERR_DTYPE, "not sound", diag.message);
        gei_graph_destroy(graph);
    } else {
        must(diag.message[0] != '\0' && !graph, "refused without words", "");
    }
    return 0;
}
