/* SPDX-License-Identifier: Apache-2.0 */
/* branches: a graph of two equal branches on two threads against the same graph in line (ge.enableSingleStream), runs taken in turn.
 * Small products do not split well, so there the branches go side by side; large ones use both threads anyway and stay in line.
 * Ratios of medians as JSON. */
#include "clock.h"

#include <string.h>

enum { RUNS = 201 };

/* Two branches of `length` products of n x n matrices, added at the end. */
static ge_graph *two_branches(ge_context *context, int64_t n, int length) {
    const int64_t dims[] = {n, n};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_builder *b = NULL;
    ge_graph *graph = NULL;
    ge_value_id x, sum, ends[2];
    desc.rank = 2;
    desc.dims = dims;
    CHECK(ge_builder_create(context, "branches", GE_NTS, &b));
    CHECK(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    for (int branch = 0; branch < 2; branch++) {
        ends[branch] = x;
        for (int i = 0; i < length; i++) {
            CHECK(ge_builder_begin_op(b, "MatMulV2", GE_NTS, NULL, 0));
            CHECK(ge_builder_add_input(b, ends[branch]));
            CHECK(ge_builder_add_input(b, x));
            if (i == 0) CHECK(ge_builder_set_attr_int(b, "transpose_x1", GE_NTS, GE_ATTR_BOOL, branch)); /* else they are one */
            CHECK(ge_builder_end_op(b, &ends[branch], 1, NULL));
        }
    }
    CHECK(ge_builder_begin_op(b, "Add", GE_NTS, NULL, 0));
    for (int branch = 0; branch < 2; branch++) CHECK(ge_builder_add_input(b, ends[branch]));
    CHECK(ge_builder_end_op(b, &sum, 1, NULL));
    CHECK(ge_builder_build(b, &sum, 1, &graph));
    CHECK(ge_builder_destroy(b));
    return graph;
}

static ge_binding *bound(ge_context *context, int64_t n, int length, const char *single_stream) {
    const int64_t dims[] = {n, n};
    ge_compile_options how = GE_COMPILE_OPTIONS_INIT;
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_options *options = NULL;
    ge_model *model = NULL;
    ge_tensor *tensor = NULL;
    ge_value *value = NULL;
    ge_binding *binding = NULL;
    ge_graph *graph = two_branches(context, n, length);
    CHECK(ge_options_create(&options));
    CHECK(ge_options_set_text(options, "ge.enableSingleStream", GE_NTS, single_stream, GE_NTS));
    how.options = options;
    CHECK(ge_graph_compile(graph, &how, &model));
    desc.rank = 2;
    desc.dims = dims;
    CHECK(ge_tensor_create(context, &desc, &tensor));
    CHECK(ge_value_create_from_tensor(tensor, &value));
    CHECK(ge_binding_create(model, &binding));
    CHECK(ge_binding_set_input(binding, 0, value));
    CHECK(ge_binding_run(binding, NULL));
    ge_value_destroy(value);
    ge_tensor_destroy(tensor);
    ge_model_destroy(model);
    ge_options_destroy(options);
    ge_graph_destroy(graph);
    return binding;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values) {
    qsort(values, RUNS, sizeof *values, by_value);
    return values[RUNS / 2];
}

static void measure(ge_context *context, int64_t n, int length, const char *end) {
    static double times[2][RUNS];
    ge_binding *bindings[] = {bound(context, n, length, "true"), bound(context, n, length, "false")};
    for (int run = -5; run < RUNS; run++) {
        for (int k = 0; k < 2; k++) {
            double begin = now_ns();
            CHECK(ge_binding_run(bindings[k], NULL));
            if (run >= 0) times[k][run] = now_ns() - begin;
        }
    }
    double line = median(times[0]), lanes = median(times[1]);
    printf("  {\"n\": %d, \"length\": %d, \"in_line_us\": %.1f, \"branches_us\": %.1f, \"ratio\": %.2f}%s\n", (int)n, length, line / 1000,
           lanes / 1000, line / lanes, end);
    for (int k = 0; k < 2; k++) ge_binding_destroy(bindings[k]);
}

int main(void) {
    ge_options *options = NULL;
    ge_context *context = NULL;
    CHECK(ge_options_create(&options));
    CHECK(ge_options_set_int(options, "ge.threads", GE_NTS, 2));
    CHECK(ge_context_create(options, &context));
    printf("[\n");
    measure(context, 32, 100, ",");
    measure(context, 64, 50, ",");
    measure(context, 96, 30, ",");
    measure(context, 128, 20, ",");
    measure(context, 512, 4, "");
    printf("]\n");
    ge_context_destroy(context);
    ge_options_destroy(options);
    return 0;
}
