/* SPDX-License-Identifier: Apache-2.0 */
/* graph_scale N: builds a graph of N Add nodes through the ABI, infers, compiles and runs it once; prints time per node
 * of each stage and peak memory per node as JSON.  The chain cannot be folded: it starts at an input.  One N per process,
 * so that peak memory is that of this N. */
#include "clock.h"

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: graph_scale N\n"), 2;
    uint64_t n = strtoull(argv[1], NULL, 10);
    int64_t dims[] = {4};
    float data[4] = {1, 2, 3, 4};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_compile_options how = GE_COMPILE_OPTIONS_INIT;
    ge_builder *builder = NULL;
    ge_graph *graph = NULL;
    ge_model *model = NULL;
    ge_tensor *x = NULL;
    ge_value *in = NULL, *out = NULL;
    ge_value_id first, value;
    double before = peak_bytes();

    desc.rank = 1;
    desc.dims = dims;
    double t0 = now_ns();
    CHECK(ge_builder_create(NULL, "adds", GE_NTS, &builder));
    CHECK(ge_builder_add_graph_input(builder, "x", GE_NTS, 0, &desc, &first));
    value = first;
    for (uint64_t i = 0; i < n; i++) {
        CHECK(ge_builder_begin_op(builder, "Add", GE_NTS, NULL, 0));
        CHECK(ge_builder_add_input(builder, value));
        CHECK(ge_builder_add_input(builder, first));
        CHECK(ge_builder_end_op(builder, &value, 1, NULL));
    }
    CHECK(ge_builder_build(builder, &value, 1, &graph));
    ge_builder_destroy(builder);
    double t1 = now_ns();
    CHECK(ge_graph_infer_shapes(graph, NULL, 0, NULL, 0));
    double t2 = now_ns();
    CHECK(ge_graph_compile(graph, &how, &model));
    double t3 = now_ns();
    CHECK(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, sizeof data, &x));
    CHECK(ge_value_create_from_tensor(x, &in));
    const ge_value *inputs[] = {in};
    CHECK(ge_model_run(model, NULL, inputs, 1, &out, 1));
    double t4 = now_ns();
    double bytes = peak_bytes() - before;

    double per = (double)(n ? n : 1);
    printf("{\"nodes\": %llu, \"build_ns\": %.0f, \"infer_ns\": %.0f, \"compile_ns\": %.0f, \"run_ns\": %.0f, \"bytes\": %.0f}\n",
           (unsigned long long)n, (t1 - t0) / per, (t2 - t1) / per, (t3 - t2) / per, (t4 - t3) / per, bytes / per);

    ge_value_destroy(in);
    ge_value_destroy(out);
    ge_tensor_destroy(x);
    ge_model_destroy(model);
    ge_graph_destroy(graph);
    return 0;
}
