/* SPDX-License-Identifier: Apache-2.0 */
/* One ONNX node through its mapping: the graph it becomes is inferred and run node by node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "ir/builtin.h"

typedef struct import_fixture {
    const test_case *c;
    gei_graph *graph;
    gei_arena arena;
    gei_attrs attrs;
    gei_value inputs[MAX_ITEMS], outputs[MAX_ITEMS];
    gei_tensor *given[MAX_ITEMS]; /* by `index` of the Data node */
    const char *output_names[MAX_ITEMS];
    uint32_t n_data, n_outputs;
} import_fixture;

static bool looks_float(const char *word) { return strpbrk(word, ".eE") != NULL || strstr(word, "inf") || strstr(word, "nan"); }

static bool looks_number(const char *word) {
    char *end;
    (void)strtod(word, &end);
    return end != word && *end == 0;
}

/* Kinds as ONNX files have them: INT, FLOAT, STRING and lists of these; a list with a point in it holds floats. */
void foreign_attr(const case_attr *a, gei_arena *arena, gei_attr *out) {
    size_t n = a->n_values;
    if (a->tensor) {
        *out = gei_attr_tensor(a->tensor);
        return;
    }
    bool is_float = false;
    for (size_t k = 0; k < n; k++) is_float = is_float || looks_float(a->values[k]);
    if (n > 0 && !looks_number(a->values[0])) {
        gei_text *texts = gei_arena_array(arena, gei_text, n);
        for (size_t k = 0; k < n; k++) texts[k] = (gei_text){ a->values[k], strlen(a->values[k]) };
        *out = a->is_list ? (gei_attr){ .kind = GEI_ATTR_STRINGS, .count = (uint32_t)n, .v.strings = texts } : (gei_attr){ .kind = GEI_ATTR_STRING, .v.s = texts[0] };
    } else if (is_float) {
        float *floats = gei_arena_array(arena, float, n);
        for (size_t k = 0; k < n; k++) floats[k] = (float)strtod(a->values[k], NULL);
        *out = a->is_list ? gei_attr_floats(floats, n) : gei_attr_float(floats[0]);
    } else {
        int64_t *ints = gei_arena_array(arena, int64_t, n + 1);
        for (size_t k = 0; k < n; k++) ints[k] = strtoll(a->values[k], NULL, 10);
        *out = a->is_list ? gei_attr_ints(ints, n) : gei_attr_int(ints[0]);
    }
}

static ge_status add_input(import_fixture *x, size_t k, gei_diag *diag) {
    const case_input *in = &x->c->inputs[k];
    gei_node *node;
    if (!in->tensor) return GE_OK;
    if (in->is_const) {
        GEI_TRY(gei_graph_add_const(x->graph, "", in->tensor, &node, diag));
    } else {
        gei_shape unknown = gei_shape_unknown(); /* as in most files: only graph inputs have a declared shape */
        GEI_TRY(gei_graph_add_data(x->graph, "", x->n_data, in->tensor->dtype, &unknown, &node, diag));
        x->given[x->n_data++] = in->tensor;
    }
    x->inputs[k] = gei_value_of(node, 0);
    return GE_OK;
}

/* What the mapping is given; its own memory comes from the graph. */
static ge_status prepare(import_fixture *x, gei_import *im, gei_diag *diag) {
    const test_case *c = x->c;
    gei_arena_init(&x->arena, &gei_heap);
    GEI_TRY(gei_graph_create(&gei_heap, "g", &x->graph, diag));
    *im = (gei_import){ .name = "node", .type = c->onnx, .domain = "", .framework = GEI_FROM_ONNX, .opset = c->opset, .graph = x->graph,
                        .inputs = x->inputs, .n_inputs = (uint32_t)c->n_inputs, .attrs = &x->attrs, .outputs = x->outputs,
                        .n_outputs = x->n_outputs, .output_names = x->output_names };
    for (size_t k = 0; k < c->n_inputs; k++) GEI_TRY(add_input(x, k, diag));
    for (size_t k = 0; k < c->n_attrs; k++) {
        gei_attr value;
        foreign_attr(&c->attrs[k], &x->arena, &value);
        GEI_TRY(gei_attrs_set(&x->attrs, &x->arena, c->attrs[k].name, &value, diag));
    }
    return GE_OK;
}

static ge_status map_node(import_fixture *x, gei_import *im, gei_diag *diag) {
    const gei_source *source = gei_source_find(GEI_FROM_ONNX, "", x->c->onnx, x->c->opset, &im->op);
    if (!source) return gei_fail(diag, GE_ERR_UNSUPPORTED_OPERATOR, "no mapping of %s in opset %d", x->c->onnx, x->c->opset);
    return gei_import_run(im, source, diag);
}

static ge_status set_outputs(import_fixture *x, gei_diag *diag) {
    gei_value wanted[MAX_ITEMS];
    uint32_t n = 0;
    for (uint32_t k = 0; k < x->n_outputs; k++)
        if (x->outputs[k].node) wanted[n++] = x->outputs[k];
    GEI_TRY(gei_graph_set_outputs(x->graph, wanted, NULL, n, diag));
    return gei_graph_check(x->graph, diag);
}

static void release(import_fixture *x) {
    gei_attrs_release(&x->attrs);
    gei_arena_deinit(&x->arena);
    gei_graph_destroy(x->graph);
}

static void name_outputs(import_fixture *x) {
    const test_case *c = x->c;
    x->n_outputs = 1;
    for (size_t k = 0; k < c->n_wants; k++)
        if ((uint32_t)atoi(c->wants[k].name) + 1 > x->n_outputs) x->n_outputs = (uint32_t)atoi(c->wants[k].name) + 1;
    for (uint32_t k = 0; k < x->n_outputs; k++) x->output_names[k] = c->error[0] ? "out" : "";
    for (size_t k = 0; k < c->n_wants; k++) x->output_names[atoi(c->wants[k].name)] = c->wants[k].name;
}

#define MOST_FAULTS 300

/* Every allocation of the mapping refused in turn: an error or success, nothing lost. */
static int check_faults(const test_case *c, int *checks) {
    for (int k = 0; k < 2 * MOST_FAULTS; k++) {
        uint64_t n = (uint64_t)(k / 2 + 1);
        import_fixture x = { .c = c };
        gei_import im;
        gei_diag diag = { 0 };
        name_outputs(&x);
        if (prepare(&x, &im, &diag) != GE_OK) exit(2);
        uint64_t before = gei_heap_alloc_count();
        gei_heap_fail_after(n, k % 2 != 0);
        ge_status status = map_node(&x, &im, &diag);
        gei_heap_fail_after(0, false);
        bool reached = gei_heap_alloc_count() - before >= n;
        release(&x);
        *checks += 1;
        if (status != GE_OK && status != GE_ERR_OUT_OF_MEMORY) {
            check_failed(c, "allocation %llu of the mapping refused: status %#x: %s", (unsigned long long)n, (unsigned)status,
                         diag.message);
            return 1;
        }
        if (!reached) return 0;
    }
    return 0;
}

/* ---- running ---- */

typedef struct values { /* tensors by node->index and output */
    gei_tensor ***by_node;
    size_t n_nodes;
} values;

static ge_status run_node(const import_fixture *x, gei_node *node, values *v, gei_diag *diag) {
    gei_tensor *in[MAX_ITEMS] = { 0 };
    gei_tensor **out = v->by_node[node->index] = calloc(node->n_outs + 1, sizeof *out);
    if (!out) exit(2);
    if (node->def == &gei_def_net_output) return GE_OK;
    if (gei_node_is_input(node)) {
        out[0] = gei_tensor_retain(x->given[gei_node_int(node, "index", 0)]);
        return GE_OK;
    }
    for (uint32_t k = 0; k < node->n_ins; k++) {
        gei_value from = node->ins[k].from;
        in[k] = from.node ? v->by_node[from.node->index][from.out] : NULL;
    }
    return gei_eval_node(node, in, out, NULL, &gei_heap, diag);
}

/* `inputs`: infos of the Data nodes, NULL: nothing known but types.  Every inferred shape must fit what the run gave. */
static ge_status check_infos(const import_fixture *x, gei_node *const *order, size_t count, const values *v,
                             const gei_info *inputs, int *failed, gei_diag *diag) {
    gei_infos infos;
    GEI_TRY(gei_infer_graph(order, count, v->n_nodes, inputs, inputs ? x->n_data : 0, (gei_arena *)(uintptr_t)&x->arena,
                            &gei_heap, &infos, diag));
    for (size_t k = 0; k < count; k++) {
        for (uint32_t o = 0; o < order[k]->n_outs; o++) {
            const gei_tensor *got = v->by_node[order[k]->index][o];
            const gei_info *info = &infos.by_node[order[k]->index][o];
            gei_shape shape = gei_tensor_shape(got);
            gei_words a, b;
            const char *problem = info->tensor ? compare_tensors(info->tensor, got, -1) : NULL;
            if (info->dtype == got->dtype && gei_shape_fits(&info->shape, &shape) && !problem) continue;
            check_failed(x->c, "%s output %u: inferred %s%s, run gave %s%s %s", order[k]->def->name, o, gei_dtype_short(info->dtype),
                         gei_shape_words(&info->shape, &a), gei_dtype_short(got->dtype), gei_shape_words(&shape, &b),
                         problem ? problem : "");
            *failed += 1;
        }
    }
    gei_infos_release(&infos);
    return GE_OK;
}

static ge_status run_all(import_fixture *x, values *v, int *failed, int *checks, gei_diag *diag) {
    gei_node **order;
    gei_info infos[MAX_ITEMS];
    size_t count;
    GEI_TRY(gei_graph_order(x->graph, &x->arena, &order, &count, diag));
    v->n_nodes = x->graph->nodes.count;
    v->by_node = calloc(v->n_nodes + 1, sizeof *v->by_node);
    if (!v->by_node) exit(2);
    for (size_t k = 0; k < count; k++) GEI_TRY(run_node(x, order[k], v, diag));
    for (int known = 0; known < 3; known++) {
        for (uint32_t k = 0; k < x->n_data; k++) {
            infos[k] = (gei_info){ .dtype = x->given[k]->dtype, .format = GE_FORMAT_ND, .shape = gei_tensor_shape(x->given[k]) };
            if (known == 2) infos[k].tensor = x->given[k];
        }
        GEI_TRY(check_infos(x, order, count, v, known ? infos : NULL, failed, diag));
        *checks += 1;
    }
    return GE_OK;
}

static int compare_all(const import_fixture *x, const values *v, int *checks) {
    int failed = 0;
    for (size_t k = 0; k < x->c->n_wants; k++) {
        const case_want *w = &x->c->wants[k];
        gei_value value = x->outputs[atoi(w->name)];
        const char *problem = compare_tensors(v->by_node[value.node->index][value.out], w->tensor, w->tol);
        *checks += 1;
        if (!problem) continue;
        check_failed(x->c, "output %s: %s", w->name, problem);
        failed++;
    }
    return failed;
}

static void free_values(values *v, const gei_graph *g) {
    for (size_t k = 0; v->by_node && k < v->n_nodes; k++) {
        for (uint32_t o = 0; v->by_node[k] && o < g->nodes.items[k]->n_outs; o++) gei_tensor_release(v->by_node[k][o]);
        free(v->by_node[k]);
    }
    free(v->by_node);
}

int run_onnx_case(const test_case *c, int *checks) {
    import_fixture x = { .c = c };
    gei_import im;
    values v = { 0 };
    gei_diag diag = { 0 };
    int failed = 0;
    name_outputs(&x);
    ge_status status = prepare(&x, &im, &diag);
    if (status == GE_OK) status = map_node(&x, &im, &diag);
    if (status == GE_OK) status = set_outputs(&x, &diag);
    if (status == GE_OK) status = run_all(&x, &v, &failed, checks, &diag);
    *checks += 1;
    if (c->error[0]) {
        failed += !error_is_wanted(c, status, &diag);
    } else if (status != GE_OK) {
        check_failed(c, "%s", diag.message);
        failed++;
    } else {
        failed += compare_all(&x, &v, checks);
        if (failed == 0) failed += check_faults(c, checks);
    }
    free_values(&v, x.graph);
    release(&x);
    return failed;
}
