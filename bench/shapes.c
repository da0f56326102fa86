/* SPDX-License-Identifier: Apache-2.0 */
/* shapes: what a change of shape costs.  Chains over f32[n,8] whose steps do next to no work, of three kinds and two lengths.
 *   found   a bound run that comes back to a shape seen before, less the run after it, which keeps the shape
 *   new     the same for a shape never seen; from two lengths a part for each shape and a part for each step
 * What is measured is all a client pays: binding the input, the shape, the run, and that its tables are in no cache of the processor.
 * Runs are taken in turn; medians of differences, as JSON. */
#include "clock.h"

#include <string.h>

enum { ROUNDS = 1001, WIDTH = 8, FEW = 2, FIRST_NEW = 16, N_VALUES = FIRST_NEW + ROUNDS };

static ge_value *values[N_VALUES]; /* by n */

static void make_values(void) {
    for (int64_t n = 1; n < N_VALUES; n++) {
        const int64_t dims[] = {n, WIDTH};
        ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
        ge_tensor *tensor = NULL;
        desc.rank = 2;
        desc.dims = dims;
        CHECK(ge_tensor_create(NULL, &desc, &tensor));
        CHECK(ge_value_create_from_tensor(tensor, &values[n]));
        ge_tensor_destroy(tensor);
    }
}

static ge_value_id add_op(ge_builder *b, const char *type, ge_value_id x, ge_value_id y) {
    CHECK(ge_builder_begin_op(b, type, GE_NTS, NULL, 0));
    CHECK(ge_builder_add_input(b, x));
    if (y) CHECK(ge_builder_add_input(b, y));
    CHECK(ge_builder_end_op(b, &x, 1, NULL));
    return x;
}

static ge_value_id add_weights(ge_builder *b) {
    const int64_t dims[] = {WIDTH, WIDTH};
    float data[WIDTH * WIDTH] = {1};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_tensor *tensor = NULL;
    ge_value_id w;
    desc.rank = 2;
    desc.dims = dims;
    CHECK(ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)data, sizeof data, &tensor));
    CHECK(ge_builder_add_constant(b, NULL, 0, tensor, &w));
    ge_tensor_destroy(tensor);
    return w;
}

typedef ge_value_id link_fn(ge_builder *b, ge_value_id x);

/* Each link makes two steps. */
static ge_value_id elementwise(ge_builder *b, ge_value_id x) { return add_op(b, "Neg", add_op(b, "Relu", x, 0), 0); }
static ge_value_id products(ge_builder *b, ge_value_id x) { return add_op(b, "Relu", add_op(b, "MatMulV2", x, add_weights(b)), 0); }
/* To one row and back by the value's own shape: two views and arithmetic on shapes, as exported models are full of. */
static ge_value_id reshapes(ge_builder *b, ge_value_id x) {
    const int64_t one_row[] = {1, -1};
    ge_value_id row, shape = add_op(b, "Shape", x, 0);
    CHECK(ge_builder_add_ints(b, GE_DTYPE_INT64, one_row, 2, 1, &row));
    row = add_op(b, "Relu", add_op(b, "Reshape", x, row), 0);
    return add_op(b, "Neg", add_op(b, "Reshape", row, shape), 0);
}

static ge_model *chain(link_fn *link, int n_links) {
    const int64_t dims[] = {-1, WIDTH};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_builder *b = NULL;
    ge_graph *graph = NULL;
    ge_model *model = NULL;
    ge_value_id value;
    desc.rank = 2;
    desc.dims = dims;
    CHECK(ge_builder_create(NULL, "chain", GE_NTS, &b));
    CHECK(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &value));
    for (int i = 0; i < n_links; i++) value = link(b, value);
    CHECK(ge_builder_build(b, &value, 1, &graph));
    CHECK(ge_graph_compile(graph, NULL, &model));
    ge_builder_destroy(b);
    ge_graph_destroy(graph);
    return model;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *times) {
    qsort(times, ROUNDS, sizeof *times, by_value);
    return times[ROUNDS / 2];
}

static double run_ns(ge_binding *binding, int n) {
    double begin = now_ns();
    CHECK(ge_binding_set_input(binding, 0, values[n]));
    CHECK(ge_binding_run(binding, NULL));
    return now_ns() - begin;
}

typedef struct cost {
    double steps, same, found, fresh; /* nanoseconds */
} cost;

static cost measure(link_fn *link, int n_links) {
    static double same[ROUNDS], found[ROUNDS], fresh[ROUNDS];
    ge_model *model = chain(link, n_links);
    ge_binding *binding = NULL;
    ge_model_summary summary;
    CHECK(ge_model_get_summary(model, &summary, sizeof summary));
    CHECK(ge_binding_create(model, &binding));
    for (int n = 1; n <= FEW; n++) run_ns(binding, n);
    for (int i = 0; i < ROUNDS; i++) {
        fresh[i] = run_ns(binding, FIRST_NEW + i);
        fresh[i] -= run_ns(binding, FIRST_NEW + i);
        for (int n = 1; n <= FEW; n++) found[i] = run_ns(binding, n);
        same[i] = run_ns(binding, FEW);
        found[i] -= same[i];
    }
    ge_binding_destroy(binding);
    ge_model_destroy(model);
    cost c = {(double)summary.steps_count, median(same), median(found), median(fresh)};
    return c;
}

int main(void) {
    static const struct {
        const char *name;
        link_fn *link;
    } kinds[] = {{"elementwise", elementwise}, {"products", products}, {"reshapes", reshapes}};
    make_values();
    for (int k = 0; k < 3; k++) {
        cost few = measure(kinds[k].link, 5), many = measure(kinds[k].link, 100);
        double step = (many.fresh - few.fresh) / (many.steps - few.steps);
        printf("{\"kind\": \"%s\", \"steps\": [%.0f, %.0f], \"found_us\": [%.2f, %.2f], \"new_us\": [%.1f, %.1f], "
               "\"new_us_a_shape\": %.1f, \"new_us_a_step\": %.2f, \"new_to_run\": [%.1f, %.1f]}\n",
               kinds[k].name, few.steps, many.steps, few.found / 1e3, many.found / 1e3, few.fresh / 1e3, many.fresh / 1e3,
               (few.fresh - few.steps * step) / 1e3, step / 1e3, few.fresh / few.same, many.fresh / many.same);
    }
    return 0;
}
