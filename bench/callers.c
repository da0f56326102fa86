/* SPDX-License-Identifier: Apache-2.0 */
/* callers: runs per second of one model shared by 1, 2, 4, ... 64 threads, each with a binding of its own, and by runs that go on by
 * themselves.  The last line holds the throughput of 64 threads against the best number.  Rounds are taken in turn; medians. */
#include "clock.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST = 64, ROUNDS = 7 };
static const int64_t N = 96;
static const double ROUND_NS = 2e8;

static ge_model *model;
static ge_value *input;
static _Atomic double end_ns;
static _Atomic uint64_t n_runs;

static void open_model(void) {
    const int64_t dims[] = {N, N};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_builder *b = NULL;
    ge_graph *graph = NULL;
    ge_tensor *tensor = NULL;
    ge_value_id x, y;
    desc.rank = 2;
    desc.dims = dims;
    CHECK(ge_builder_create(NULL, "callers", GE_NTS, &b));
    CHECK(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y = x;
    for (int i = 0; i < 6; i++) {
        CHECK(ge_builder_begin_op(b, "MatMulV2", GE_NTS, NULL, 0));
        CHECK(ge_builder_add_input(b, y));
        CHECK(ge_builder_add_input(b, x));
        CHECK(ge_builder_end_op(b, &y, 1, NULL));
    }
    CHECK(ge_builder_build(b, &y, 1, &graph));
    CHECK(ge_graph_compile(graph, NULL, &model));
    CHECK(ge_tensor_create(NULL, &desc, &tensor));
    CHECK(ge_value_create_from_tensor(tensor, &input));
    ge_tensor_destroy(tensor);
    ge_graph_destroy(graph);
    ge_builder_destroy(b);
}

static void *call(void *is_async) {
    ge_binding *binding = NULL;
    ge_operation *op = NULL;
    uint64_t n = 0;
    CHECK(ge_binding_create(model, &binding));
    CHECK(ge_binding_set_input(binding, 0, input));
    for (; now_ns() < atomic_load(&end_ns); n++) {
        if (is_async) {
            CHECK(ge_binding_run_async(binding, NULL, NULL, &op));
            CHECK(ge_operation_wait(op, -1));
            ge_operation_destroy(op);
        } else {
            CHECK(ge_binding_run(binding, NULL));
        }
    }
    atomic_fetch_add(&n_runs, n);
    ge_binding_destroy(binding);
    return NULL;
}

/* Runs per second of one round. */
static double round_of(int n_threads, int is_async) {
    pthread_t threads[MOST];
    double begin = now_ns();
    atomic_store(&n_runs, 0);
    atomic_store(&end_ns, begin + ROUND_NS);
    for (int i = 0; i < n_threads; i++) pthread_create(&threads[i], NULL, call, is_async ? model : NULL);
    for (int i = 0; i < n_threads; i++) pthread_join(threads[i], NULL);
    return (double)atomic_load(&n_runs) / ((now_ns() - begin) / 1e9);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(void) {
    static const int counts[] = {1, 2, 4, 16, 64};
    enum { N_COUNTS = sizeof counts / sizeof *counts };
    double rates[2][N_COUNTS][ROUNDS], best[2] = {0, 0}, last[2] = {0, 0};
    open_model();
    for (int r = 0; r < ROUNDS; r++)
        for (int a = 0; a < 2; a++)
            for (int k = 0; k < N_COUNTS; k++) rates[a][k][r] = round_of(counts[k], a);
    for (int a = 0; a < 2; a++) {
        for (int k = 0; k < N_COUNTS; k++) {
            qsort(rates[a][k], ROUNDS, sizeof(double), by_value);
            double rate = last[a] = rates[a][k][ROUNDS / 2];
            if (rate > best[a]) best[a] = rate;
            printf("{\"threads\": %d, \"async\": %d, \"runs_per_s\": %.0f}\n", counts[k], a, rate);
        }
    }
    printf("{\"ratio_64_to_best\": %.2f, \"ratio_64_to_best_async\": %.2f}\n", last[0] / best[0], last[1] / best[1]);
    ge_value_destroy(input);
    ge_model_destroy(model);
    return 0;
}
