/* SPDX-License-Identifier: Apache-2.0 */
/* graph_scale N [GRAPHS]: graphs of N Add nodes built through the ABI, inferred, compiled and run, each stage for all of them
 * before the next one.  Prints nanoseconds per node of each stage and peak memory per node as JSON.  The chains cannot be
 * folded: they start at an input.  One N per process, so that peak memory is that of this N.
 * GRAPHS is such that there are 10^6 nodes in all: whatever N is, the memory comes fresh from the system and a stage finds
 * none of it in the caches, so that what differs is the size of a graph. */
#include "clock.h"

#define ALL_NODES UINT64_C(1000000)
#define RUNS 5 /* behind the first one, which makes what runs need */

typedef struct chain {
    ge_graph *graph;
    ge_model *model;
} chain;

typedef struct bench {
    uint64_t n_nodes, n_chains;
    chain *chains;
    ge_tensor_desc desc;
} bench;

static ge_graph *build(const bench *b) {
    ge_builder *builder = NULL;
    ge_graph *graph = NULL;
    ge_value_id first, value;
    CHECK(ge_builder_create(NULL, "adds", GE_NTS, &builder));
    CHECK(ge_builder_add_graph_input(builder, "x", GE_NTS, 0, &b->desc, &first));
    value = first;
    for (uint64_t i = 0; i < b->n_nodes; i++) {
        CHECK(ge_builder_begin_op(builder, "Add", GE_NTS, NULL, 0));
        CHECK(ge_builder_add_input(builder, value));
        CHECK(ge_builder_add_input(builder, first));
        CHECK(ge_builder_end_op(builder, &value, 1, NULL));
    }
    CHECK(ge_builder_build(builder, &value, 1, &graph));
    ge_builder_destroy(builder);
    return graph;
}

static void run(const bench *b, const ge_value *in) {
    for (uint64_t k = 0; k < b->n_chains; k++) {
        ge_value *out = NULL;
        CHECK(ge_model_run(b->chains[k].model, NULL, &in, 1, &out, 1));
        ge_value_destroy(out);
    }
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) return fprintf(stderr, "usage: graph_scale N [GRAPHS]\n"), 2;
    int64_t dims[] = {4};
    float data[4] = {1, 2, 3, 4};
    bench b = {.n_nodes = strtoull(argv[1], NULL, 10), .desc = GE_TENSOR_DESC_INIT};
    ge_compile_options how = GE_COMPILE_OPTIONS_INIT;
    ge_tensor *x = NULL;
    ge_value *in = NULL;
    b.n_chains = argc == 3 ? strtoull(argv[2], NULL, 10) : ALL_NODES / (b.n_nodes ? b.n_nodes : 1);
    if (b.n_chains == 0) b.n_chains = 1;
    b.chains = calloc(b.n_chains, sizeof *b.chains);
    if (!b.chains) return fprintf(stderr, "out of memory\n"), 1;
    b.desc.rank = 1;
    b.desc.dims = dims;
    CHECK(ge_tensor_create_from_data(NULL, &b.desc, (const uint8_t *)data, sizeof data, &x));
    CHECK(ge_value_create_from_tensor(x, &in));
    double before = peak_bytes();

    double t0 = now_ns();
    for (uint64_t k = 0; k < b.n_chains; k++) b.chains[k].graph = build(&b);
    double t1 = now_ns();
    for (uint64_t k = 0; k < b.n_chains; k++) CHECK(ge_graph_infer_shapes(b.chains[k].graph, NULL, 0, NULL, 0));
    double t2 = now_ns();
    for (uint64_t k = 0; k < b.n_chains; k++) CHECK(ge_graph_compile(b.chains[k].graph, &how, &b.chains[k].model));
    double t3 = now_ns();
    run(&b, in);
    double t4 = now_ns();
    for (int r = 0; r < RUNS; r++) run(&b, in);
    double t5 = now_ns();

    double nodes = (double)b.n_nodes * (double)b.n_chains, per = nodes > 0 ? nodes : 1;
    printf("{\"nodes\": %llu, \"graphs\": %llu, \"build_ns\": %.0f, \"infer_ns\": %.0f, \"compile_ns\": %.0f, "
           "\"first_run_ns\": %.0f, \"run_ns\": %.1f, \"bytes\": %.0f}\n",
           (unsigned long long)b.n_nodes, (unsigned long long)b.n_chains, (t1 - t0) / per, (t2 - t1) / per, (t3 - t2) / per,
           (t4 - t3) / per, (t5 - t4) / per / RUNS, (peak_bytes() - before) / per);

    for (uint64_t k = 0; k < b.n_chains; k++) {
        ge_model_destroy(b.chains[k].model);
        ge_graph_destroy(b.chains[k].graph);
    }
    ge_value_destroy(in);
    ge_tensor_destroy(x);
    free(b.chains);
    return 0;
}
