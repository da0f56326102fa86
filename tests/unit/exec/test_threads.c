/* SPDX-License-Identifier: Apache-2.0 */
/* Results are the same bits whatever the number of threads: parts are cut when shapes are known, not by who takes them. */
#include "passes/pass.h"
#include "unit/exec/exec_test.h"

/* Inputs named w... become constants, so that weights are packed as in a model that was loaded. */
static const struct {
    const char *name, *text;
} models[] = {
    { "products", "graph \"products\" { %x = Data[index=0] : f32[257,384]  %w1 = Data[index=1] : f32[384,512]  %w2 = Data[index=2] : f32[512]"
                  "  %w3 = Data[index=3] : f32[512,200]  %a = MatMulV2(x1=%x, x2=%w1, bias=%w2)  %b = Relu(x=%a)"
                  "  %c = MatMulV2(x1=%b, x2=%w3)  return %c }" },
    { "rows of one", "graph \"one\" { %x = Data[index=0] : f32[1,2048]  %w1 = Data[index=1] : f32[2048,1031]"
                     "  %a = MatMulV2(x1=%x, x2=%w1)  %b = Tanh(x=%a)  return %b }" },
    { "attention", "graph \"attention\" { %q = Data[index=0] : f32[2,6,96,32]  %k = Data[index=1] : f32[2,6,96,32]  %v = Data[index=2] : f32[2,6,96,32]"
                   "  %s = BatchMatMulV2(x1=%q, x2=%k) [adj_x2=true]  %p = SoftmaxV2(x=%s)  %o = BatchMatMulV2(x1=%p, x2=%v)  return %o }" },
    { "convolutions", "graph \"convolutions\" { %x = Data[index=0] : f32[1,24,37,41]  %w1 = Data[index=1] : f32[32,24,3,3]"
                      "  %w2 = Data[index=2] : f32[48,32,1,1]  %w3 = Data[index=3] : f32[48,1,3,3]"
                      "  %a = Conv2D(x=%x, filter=%w1) [strides=[1,1,1,1], pads=[1,1,1,1], data_format=\"NCHW\"]  %b = Relu(x=%a)"
                      "  %c = Conv2D(x=%b, filter=%w2) [strides=[1,1,1,1], pads=[0,0,0,0], data_format=\"NCHW\"]"
                      "  %d = Conv2D(x=%c, filter=%w3) [strides=[1,1,2,2], pads=[1,1,1,1], groups=48, data_format=\"NCHW\"]  return %d }" },
    { "reductions", "graph \"reductions\" { %x = Data[index=0] : f32[3,129,1025]  %l = Const[value=i64[1]{2}]  %m = Const[value=i64[1]{1}]"
                    "  %n = Const[value=i64[3]{0 1 2}]  %a = ReduceSum(x=%x, axes=%l)  %b = ReduceSum(x=%x, axes=%m)"
                    "  %c = ReduceMean(x=%x, axes=%n)  return %a, %b, %c }" },
    { "norms", "graph \"norms\" { %x = Data[index=0] : f32[300,768]  %w1 = Data[index=1] : f32[768]  %w2 = Data[index=2] : f32[768]"
               "  %a, %m, %v = LayerNorm(x=%x, gamma=%w1, beta=%w2) [begin_norm_axis=-1, begin_params_axis=-1]  %b = Gelu(x=%a)"
               "  %c = SoftmaxV2(x=%b)  return %c, %m }" },
    { "elementwise", "graph \"elementwise\" { %x = Data[index=0] : f32[700,500]  %y = Data[index=1] : f32[500]  %p = Const[value=i64[2]{1 0}]"
                     "  %a = Add(x1=%x, x2=%y)  %b = Mul(x1=%a, x2=%x)  %c = Exp(x=%b)  %d = Sigmoid(x=%c)  %e = Transpose(x=%d, perm=%p)  return %e }" },
    { "branches", "graph \"branches\" { %x = Data[index=0] : f32[64,64]  %a1 = MatMulV2(x1=%x, x2=%x)  %a2 = Tanh(x=%a1)  %a3 = MatMulV2(x1=%a2, x2=%x)"
                  "  %b1 = MatMulV2(x1=%x, x2=%x) [transpose_x2=true]  %b2 = Sigmoid(x=%b1)  %b3 = MatMulV2(x1=%b2, x2=%x)"
                  "  %s = Add(x1=%a3, x2=%b3)  return %s }" },
    { "recurrent", "graph \"recurrent\" { %x = Data[index=0] : f32[9,8,64]  %w1 = Data[index=1] : f32[1,288,64]  %w2 = Data[index=2] : f32[1,288,96]"
                   "  %y, %h = CommonGRU(x=%x, w=%w1, r=%w2) [hidden_size=96]  return %y, %h }" },
};

static ge_status run_passes(gei_graph *g, void *user, gei_facts *facts, gei_diag *diag) {
    gei_pipeline_options options = { 0 };
    (void)user;
    return gei_passes_run(g, g->from, &options, facts, diag);
}

/* Numbers in [-1, 1) that a seed tells. */
static gei_tensor *random_tensor(const gei_allocator *from, const gei_shape *shape, uint32_t seed) {
    gei_tensor *t = exec_f32(from, shape->rank, shape->dims, 0);
    for (int64_t i = 0; i < t->n_elems; i++) {
        seed = seed * 1664525u + 1013904223u;
        ((float *)t->data)[i] = (float)(int32_t)seed * 0x1p-31f;
    }
    return t;
}

static gei_graph *graph_of(const gei_allocator *from, const char *text) {
    gei_diag diag = { 0 };
    gei_graph *g = exec_graph(from, text);
    size_t n = g->nodes.count;
    for (size_t i = 0; i < n; i++) {
        gei_node *data = g->nodes.items[i], *weights;
        if (data->name[0] != 'w') continue;
        gei_shape shape = gei_out_shape(&data->outs[0]);
        gei_tensor *t = random_tensor(from, &shape, (uint32_t)i * 77 + 5);
        assert_ok(gei_graph_add_const(g, NULL, t, &weights, &diag), &diag);
        gei_tensor_release(t);
        gei_value_replace_uses(gei_value_of(data, 0), gei_value_of(weights, 0));
        gei_graph_remove_node(data);
    }
    return g;
}

/* Steps of more than one part, or lanes: there is something for a second thread. */
static bool is_divided(gei_model *model) {
    const gei_instance *instance;
    gei_diag diag = { 0 };
    bool found = exec_stats(model).most_lanes > 1;
    assert_ok(gei_model_instance(model, NULL, &instance, &diag), &diag);
    for (uint32_t i = 0; i < instance->n_steps; i++) found = found || instance->steps[i].n_parts > 1;
    gei_model_instance_release(model, instance);
    return found;
}

/* Runs a model compiled for that many threads; twice, since who takes which part is different each time. */
static void run_with(const gei_allocator *from, const gei_graph *g, uint32_t threads, gei_tensor **out) {
    gei_diag diag = { 0 };
    gei_model *model;
    gei_tensor *in[4] = { NULL }, *again[4] = { NULL };
    gei_compile_options options = { .plan = { .isa = gei_isa(), .max_threads = threads, .always_branch = true }, .model = { .max_threads = threads } };
    assert_ok(gei_compile(g, run_passes, NULL, &options, from, &model, &diag), &diag);
    const gei_plan *plan = gei_model_plan(model);
    for (uint32_t i = 0; i < plan->n_inputs; i++) in[i] = random_tensor(from, &plan->inputs[i].shape, i + 1);
    assert_ok(gei_model_run(model, in, out, NULL, &diag), &diag);
    assert_ok(gei_model_run(model, in, again, NULL, &diag), &diag);
    for (uint32_t i = 0; i < plan->n_outputs; i++) {
        assert_memory_equal(out[i]->data, again[i]->data, out[i]->size_bytes);
        gei_tensor_release(again[i]);
    }
    for (uint32_t i = 0; i < plan->n_inputs; i++) gei_tensor_release(in[i]);
    if (threads > 1 && !is_divided(model)) fail_msg("%s is not divided", plan->graph->name);
    gei_model_release(model);
}

static void check_model(const gei_allocator *from, const char *name, const char *text) {
    static const uint32_t counts[] = { 1, 2, 3, 8 };
    gei_tensor *first[4] = { NULL };
    gei_graph *g = graph_of(from, text);
    for (size_t k = 0; k < GEI_COUNT(counts); k++) {
        gei_tensor *out[4] = { NULL };
        run_with(from, g, counts[k], k == 0 ? first : out);
        for (uint32_t i = 0; i < 4 && first[i] && k > 0; i++) {
            if (memcmp(first[i]->data, out[i]->data, first[i]->size_bytes) != 0)
                fail_msg("%s: output %u differs between one thread and %u", name, i, counts[k]);
            gei_tensor_release(out[i]);
        }
    }
    float sum = 0; /* something was computed */
    for (uint32_t i = 0; i < 4 && first[i]; i++) {
        for (int64_t n = 0; n < first[i]->n_elems; n++) sum += exec_at(first[i], n) * exec_at(first[i], n);
        gei_tensor_release(first[i]);
    }
    assert_true(sum > 0);
    gei_graph_destroy(g);
}

static void results_are_the_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    for (size_t i = 0; i < GEI_COUNT(models); i++) {
        ge_test_heap heap;
        ge_test_heap_init(&heap);
        check_model(&heap.from, models[i].name, models[i].text);
        ge_test_heap_check(&heap);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(results_are_the_same_bits_for_any_number_of_threads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
