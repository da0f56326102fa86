/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_check: reads a built model with a counting heap, collects the problems, and looks at the graph that came out. */
#ifndef GE_TEST_ONNX_CHECK_H
#define GE_TEST_ONNX_CHECK_H

#include "frontend/onnx/onnx.h"
#include "ir/builtin.h"
#include "ops/import.h"
#include "unit/frontend/onnx_build.h"
#include "unit/ge_test.h"

typedef struct onnx_read {
    ge_test_heap heap;
    gei_onnx_options options;
    gei_graph *graph;
    gei_diag diag;
    ge_status status;
    uint32_t n_problems;
    char problems[4096]; /* one a line: "op_type|node|message" */
    gei_onnx_problem last;
    ge_status last_status;
    char last_type[64], last_domain[64], last_node[64];
} onnx_read;

static inline ge_status onnx_read_note(void *user, const gei_onnx_problem *p) {
    onnx_read *t = user;
    size_t used = strlen(t->problems);
    snprintf(t->problems + used, sizeof t->problems - used, "%s|%s|%s\n", p->op_type, p->diag->node, p->diag->message);
    snprintf(t->last_type, sizeof t->last_type, "%s", p->op_type);
    snprintf(t->last_domain, sizeof t->last_domain, "%s", p->domain);
    snprintf(t->last_node, sizeof t->last_node, "%s", p->diag->node);
    t->last = *p;
    t->last_status = p->diag->status;
    t->n_problems++;
    return GE_OK;
}

static inline void onnx_read_init(onnx_read *t) {
    memset(t, 0, sizeof *t);
    ge_test_heap_init(&t->heap);
    gei_diag_clear(&t->diag);
    t->options.from = &t->heap.from;
    t->options.problem = onnx_read_note;
    t->options.problem_user = t;
}

/* Reads from a copy of exactly the model's size, so that the address sanitizer sees a read past the end. */
static inline ge_status onnx_read_run(onnx_read *t, const pb *model) {
    uint8_t *exact = malloc(model->size ? model->size : 1);
    if (!exact) abort();
    if (model->size) memcpy(exact, model->data, model->size);
    t->status = gei_onnx_read(exact, model->size, &t->options, &t->graph, &t->diag);
    if (t->status == GE_OK) {
        gei_diag diag;
        gei_diag_clear(&diag);
        /* Types are the business of shape inference. */
        ge_status status = gei_graph_check(t->graph, &diag);
        if (status != GE_ERR_DTYPE) assert_ok(status, &diag);
        if (t->n_problems && !t->options.check) fail_msg("told: %s", t->problems);
    } else {
        assert_null(t->graph);
        assert_true(t->diag.message[0] != '\0');
        assert_true(t->n_problems > 0 || t->status == GE_ERR_OUT_OF_MEMORY || !t->options.problem);
    }
    free(exact);
    return t->status;
}

static inline void onnx_read_deinit(onnx_read *t) {
    gei_graph_destroy(t->graph);
    ge_test_heap_check(&t->heap);
}

/* Takes model; the reader must refuse it with `part` in a problem. */
static inline void assert_refused(pb *model, ge_status status, const char *part) {
    onnx_read t;
    onnx_read_init(&t);
    onnx_read_run(&t, model);
    if (t.status != status || !strstr(t.problems, part))
        fail_msg("status %#x, wanted %#x; problems:\n%swanted \"%s\"", (unsigned)t.status, (unsigned)status, t.problems, part);
    onnx_read_deinit(&t);
    pb_free(model);
}

/* Takes model; reads it well. */
static inline void onnx_read_ok(onnx_read *t, pb *model) {
    onnx_read_init(t);
    onnx_read_run(t, model);
    if (t->status != GE_OK) fail_msg("status %#x: %s\n%s", (unsigned)t->status, t->diag.message, t->problems);
    pb_free(model);
}

static inline gei_node *onnx_find(const gei_graph *g, const char *name) {
    gei_node *node = gei_graph_find_node(g, name, strlen(name));
    if (!node) fail_msg("no node '%s'", name);
    return node;
}

static inline const char *onnx_metadata(const gei_graph *g, const char *key) {
    const gei_attr *a = gei_attrs_find(&g->metadata, key);
    return a ? a->v.s.data : NULL;
}

/* Text of the whole graph, for comparing; freed by free(). */
static inline char *onnx_text(const gei_graph *g) {
    gei_sink sink;
    gei_diag diag;
    gei_diag_clear(&diag);
    gei_sink_init(&sink, &gei_heap);
    assert_ok(gei_graph_print(g, true, &sink, &diag), &diag);
    char *text = strdup(sink.data);
    gei_sink_deinit(&sink);
    return text;
}

#endif
