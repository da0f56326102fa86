/* SPDX-License-Identifier: Apache-2.0 */
/* overhead: what the library adds to a run. A chain of n Relu over four floats does next to no work, so the time of a
 * bound run is overhead: a part per run and a part per node.  Printed as JSON; best of several rounds, since noise
 * only adds.  Runs and getters are also given as multiples of an empty call in C. */
#include "clock.h"

int32_t yardstick(void *argument);

enum { ROUNDS = 15, RUNS = 20000 };

static ge_model *chain(uint32_t n_nodes) {
    int64_t dims[] = {4};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_builder *builder = NULL;
    ge_graph *graph = NULL;
    ge_model *model = NULL;
    ge_compile_options how = GE_COMPILE_OPTIONS_INIT;
    ge_value_id value;

    desc.rank = 1;
    desc.dims = dims;
    CHECK(ge_builder_create(NULL, "chain", GE_NTS, &builder));
    CHECK(ge_builder_add_graph_input(builder, "x", GE_NTS, 0, &desc, &value));
    for (uint32_t i = 0; i < n_nodes; i++) {
        CHECK(ge_builder_begin_op(builder, "Relu", GE_NTS, NULL, 0));
        CHECK(ge_builder_add_input(builder, value));
        CHECK(ge_builder_end_op(builder, &value, 1, NULL));
    }
    CHECK(ge_builder_build(builder, &value, 1, &graph));
    CHECK(ge_graph_compile(graph, &how, &model));
    ge_builder_destroy(builder);
    ge_graph_destroy(graph);
    return model;
}

/* Nanoseconds of one bound run. */
static double bound_run_ns(uint32_t n_nodes) {
    ge_model *model = chain(n_nodes);
    ge_tensor *tensor = NULL;
    ge_value *value = NULL;
    ge_binding *binding = NULL;
    int64_t dims[] = {4};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    double best = 1e30;

    desc.rank = 1;
    desc.dims = dims;
    CHECK(ge_tensor_create(NULL, &desc, &tensor));
    CHECK(ge_value_create_from_tensor(tensor, &value));
    CHECK(ge_binding_create(model, &binding));
    CHECK(ge_binding_set_input(binding, 0, value));
    CHECK(ge_binding_run(binding, NULL));
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < RUNS; i++) CHECK(ge_binding_run(binding, NULL));
        double each = (now_ns() - begin) / RUNS;
        best = each < best ? each : best;
    }
    ge_binding_destroy(binding);
    ge_value_destroy(value);
    ge_tensor_destroy(tensor);
    ge_model_destroy(model);
    return best;
}

/* Nanoseconds of a getter with one handle check. */
static double getter_ns(void) {
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_tensor *tensor = NULL;
    double best = 1e30;
    CHECK(ge_tensor_create(NULL, &desc, &tensor));
    for (int round = 0; round < ROUNDS; round++) {
        const uint8_t *data;
        size_t size;
        double begin = now_ns();
        for (int i = 0; i < 10 * RUNS; i++) CHECK(ge_tensor_get_data(tensor, &data, &size));
        double each = (now_ns() - begin) / (10 * RUNS);
        best = each < best ? each : best;
    }
    ge_tensor_destroy(tensor);
    return best;
}

/* Nanoseconds of a call through the linkage table that does nothing. */
static double empty_ns(void) {
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t n = 0;
        double begin = now_ns();
        for (int i = 0; i < 10 * RUNS; i++) n += yardstick(&n);
        double each = (now_ns() - begin) / (10 * RUNS);
        if (n != 10 * RUNS) exit(1);
        best = each < best ? each : best;
    }
    return best;
}

int main(void) {
    double one = bound_run_ns(1), many = bound_run_ns(101), getter = getter_ns(), empty = empty_ns();
    printf("{\"run_ns\": %.1f, \"run_calls\": %.1f, \"node_ns\": %.2f, \"getter_ns\": %.2f, \"getter_calls\": %.2f, "
           "\"empty_call_ns\": %.2f}\n",
           one, one / empty, (many - one) / 100, getter, getter / empty, empty);
    return 0;
}
