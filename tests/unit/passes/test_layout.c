/* SPDX-License-Identifier: Apache-2.0 */
/* Networks with channels in blocks and without: the same numbers, also where inputs are not finite, and no change of layout inside.
 * Tolerance: float sums in another order, through a few layers. */
#include <math.h>

#include "exec/exec.h"
#include "passes/pass.h"
#include "unit/ge_test.h"

typedef struct net {
    gei_graph *graph;
    gei_diag diag;
    uint32_t seed;
} net;

static float next(net *n) {
    n->seed = n->seed * 1664525u + 1013904223u;
    return (float)(n->seed >> 8) / (float)(1u << 23) - 1;
}

static gei_node *add(net *n, const char *type, const gei_value *ins, size_t count) {
    gei_node *node;
    assert_ok(gei_graph_add_node(n->graph, gei_catalogue_find(type, strlen(type)), NULL, NULL, NULL, &node, &n->diag), &n->diag);
    for (size_t i = 0; i < count; i++) gei_slot_set(&node->ins[i], ins[i]);
    return node;
}

static gei_value one(net *n, const char *type, gei_value x) { return gei_value_of(add(n, type, &x, 1), 0); }
static gei_value two(net *n, const char *type, gei_value a, gei_value b) { return gei_value_of(add(n, type, (gei_value[]){ a, b }, 2), 0); }

static gei_value weights(net *n, int32_t rank, const int64_t *dims, float scale) {
    gei_tensor *t;
    gei_node *node;
    assert_ok(gei_tensor_create(&gei_heap, GEI_FLOAT32, rank, dims, &t, &n->diag), &n->diag);
    for (int64_t i = 0; i < t->n_elems; i++) ((float *)t->data)[i] = next(n) * scale;
    assert_ok(gei_graph_add_const(n->graph, NULL, t, &node, &n->diag), &n->diag);
    gei_tensor_release(t);
    return gei_value_of(node, 0);
}

static void ints(net *n, gei_node *node, const char *name, const int64_t *values, size_t count) {
    gei_attr value = gei_attr_ints(values, count);
    assert_ok(gei_node_set(node, name, &value, &n->diag), &n->diag);
}

static void text(net *n, gei_node *node, const char *name, const char *words) {
    gei_attr value = gei_attr_text(words, strlen(words));
    assert_ok(gei_node_set(node, name, &value, &n->diag), &n->diag);
}

static gei_value conv(net *n, gei_value x, int64_t ins, int64_t outs, int64_t k, int64_t stride, int64_t groups) {
    const int64_t dims[] = { outs, ins / groups, k, k };
    float scale = sqrtf(3.0f / (float)(ins / groups * k * k));
    gei_value all[] = { x, weights(n, 4, dims, scale), weights(n, 1, &outs, 0.1f) };
    gei_node *node = add(n, "Conv2D", all, 3);
    ints(n, node, "strides", (int64_t[]){ 1, 1, stride, stride }, 4);
    ints(n, node, "pads", (int64_t[]){ k / 2, k / 2, k / 2, k / 2 }, 4);
    gei_attr value = gei_attr_int(groups);
    assert_ok(gei_node_set(node, "groups", &value, &n->diag), &n->diag);
    text(n, node, "data_format", "NCHW");
    return gei_value_of(node, 0);
}

static gei_value batch_norm(net *n, gei_value x, int64_t channels) {
    gei_value all[5] = { x };
    for (int i = 1; i < 5; i++) {
        all[i] = weights(n, 1, &channels, 0.5f);
        gei_tensor *t = gei_node_const(all[i].node);
        for (int64_t k = 0; i == 4 && k < channels; k++) ((float *)t->data)[k] += 1; /* variance */
    }
    gei_node *node = add(n, "BNInfer", all, 5);
    gei_attr epsilon = gei_attr_float(1e-5f);
    assert_ok(gei_node_set(node, "epsilon", &epsilon, &n->diag), &n->diag);
    return gei_value_of(node, 0);
}

static gei_value max_pool(net *n, gei_value x) {
    gei_node *node = add(n, "MaxPoolV3", &x, 1);
    ints(n, node, "ksize", (int64_t[]){ 1, 1, 3, 3 }, 4);
    ints(n, node, "strides", (int64_t[]){ 1, 1, 2, 2 }, 4);
    ints(n, node, "pads", (int64_t[]){ 1, 1, 1, 1 }, 4);
    return gei_value_of(node, 0);
}

static gei_value begin(net *n, int64_t size) {
    gei_node *node;
    gei_shape shape = { .rank = 4, .dims = { 1, 3, size, size } };
    memset(n, 0, sizeof *n);
    n->seed = 7;
    assert_ok(gei_graph_create(&gei_heap, "net", &n->graph, &n->diag), &n->diag);
    assert_ok(gei_graph_add_data(n->graph, "x", 0, GEI_FLOAT32, &shape, &node, &n->diag), &n->diag);
    return gei_value_of(node, 0);
}

static void end(net *n, gei_value y) { assert_ok(gei_graph_set_outputs(n->graph, &y, NULL, 1, &n->diag), &n->diag); }

/* ---- networks ---- */

static gei_value inverted(net *n, gei_value x, int64_t ins, int64_t outs, int64_t k, int64_t stride) {
    gei_value y = one(n, "Relu6", conv(n, x, ins, ins * 6, 1, 1, 1));
    y = conv(n, one(n, "Relu6", conv(n, y, ins * 6, ins * 6, k, stride, ins * 6)), ins * 6, outs, 1, 1, 1);
    return ins == outs && stride == 1 ? two(n, "Add", x, y) : y;
}

static void mobile(net *n) {
    gei_value x = one(n, "Relu6", conv(n, begin(n, 29), 3, 18, 3, 2, 1));
    x = inverted(n, x, 18, 24, 3, 1);
    x = inverted(n, x, 24, 24, 3, 1);
    x = inverted(n, x, 24, 40, 5, 2);
    x = inverted(n, x, 40, 40, 5, 1);
    end(n, one(n, "GlobalAveragePool", one(n, "Relu6", conv(n, x, 40, 100, 1, 1, 1))));
}

static gei_value bottleneck(net *n, gei_value x, int64_t ins, int64_t outs, int64_t stride) {
    gei_value y = one(n, "Relu", batch_norm(n, conv(n, x, ins, outs / 4, 1, 1, 1), outs / 4));
    y = conv(n, one(n, "Relu", conv(n, y, outs / 4, outs / 4, 3, stride, 1)), outs / 4, outs, 1, 1, 1);
    return one(n, "Relu", two(n, "Add", y, ins == outs ? x : conv(n, x, ins, outs, 1, stride, 1)));
}

static void residual(net *n) {
    gei_value x = max_pool(n, one(n, "Relu", conv(n, begin(n, 43), 3, 64, 7, 2, 1)));
    x = bottleneck(n, x, 64, 128, 1);
    x = bottleneck(n, x, 128, 128, 1);
    x = bottleneck(n, x, 128, 200, 2);
    end(n, one(n, "GlobalAveragePool", x));
}

static void squeeze(net *n) {
    gei_value x = one(n, "Swish", conv(n, begin(n, 23), 3, 20, 3, 2, 1));
    for (int i = 0; i < 2; i++) {
        gei_value y = one(n, "Swish", conv(n, one(n, "HardSwish", conv(n, x, 20, 80, 1, 1, 1)), 80, 80, 5, 1, 80));
        gei_value s = one(n, "Swish", conv(n, one(n, "GlobalAveragePool", y), 80, 5, 1, 1, 1));
        y = two(n, "Mul", y, one(n, "Sigmoid", conv(n, s, 5, 80, 1, 1, 1)));
        x = two(n, "Add", conv(n, y, 80, 20, 1, 1, 1), x);
    }
    end(n, one(n, "LeakyRelu", x));
}

static void branches(net *n) {
    gei_value x = one(n, "Relu", conv(n, begin(n, 19), 3, 32, 3, 1, 1));
    gei_node *join;
    uint32_t count = 3;
    gei_value parts[3] = { one(n, "Relu", conv(n, x, 32, 48, 1, 1, 1)), x, conv(n, x, 32, 16, 3, 1, 1) };
    assert_ok(gei_graph_add_node(n->graph, gei_catalogue_find("ConcatD", 7), NULL, &count, NULL, &join, &n->diag), &n->diag);
    for (uint32_t i = 0; i < count; i++) gei_slot_set(&join->ins[i], parts[i]);
    gei_attr axis = gei_attr_int(1);
    assert_ok(gei_node_set(join, "concat_dim", &axis, &n->diag), &n->diag);
    end(n, one(n, "GlobalAveragePool", one(n, "Relu", conv(n, gei_value_of(join, 0), 96, 20, 1, 1, 1))));
}

/* Convolutions beside what wants plain images. */
static void mixed(net *n) {
    gei_value x = one(n, "Relu", conv(n, begin(n, 19), 3, 20, 1, 1, 1));
    gei_value scale = weights(n, 4, (int64_t[]){ 1, 20, 1, 1 }, 1), shift = weights(n, 1, (int64_t[]){ 1 }, 1), plane = weights(n, 4, (int64_t[]){ 1, 1, 19, 19 }, 1);
    gei_value y = two(n, "Sub", two(n, "Maximum", conv(n, x, 20, 20, 1, 1, 1), scale), shift);
    y = two(n, "Mul", one(n, "Tanh", conv(n, y, 20, 20, 1, 1, 1)), plane);
    end(n, two(n, "Maximum", conv(n, y, 20, 20, 3, 1, 2), y));
}

/* ---- running ---- */

static const char *const all_off[] = { "fold_affine", "layout", "fuse_residual", "fuse_clip", "fuse_curve", "fuse_bias" };

static gei_model *compile(const net *n, const char *const *off, size_t n_off, uint32_t isa, size_t *out_reorders) {
    gei_graph *g;
    gei_plan *plan;
    gei_model *model;
    gei_diag diag = { 0 };
    gei_pipeline_options passes = { .off = off, .n_off = n_off, .check_each = true };
    gei_plan_options options = { .isa = isa };
    assert_ok(gei_graph_clone(n->graph, &g, &diag), &diag);
    assert_ok(gei_passes_run(g, &gei_heap, &passes, NULL, &diag), &diag);
    *out_reorders = 0;
    for (size_t i = 0; i < g->nodes.count; i++)
        *out_reorders += g->nodes.items[i] && (gei_op_has(gei_op_of(g->nodes.items[i]), GEI_OP_BLOCKS) || gei_op_has(gei_op_of(g->nodes.items[i]), GEI_OP_UNBLOCKS));
    assert_ok(gei_plan_create(g, &options, &gei_heap, &plan, &diag), &diag);
    gei_model_options threads = { .max_threads = 2 };
    assert_ok(gei_model_create(plan, &threads, &gei_heap, &model, &diag), &diag);
    return model;
}

static gei_tensor *run(gei_model *model, gei_tensor *x) {
    gei_tensor *y = NULL;
    gei_diag diag = { 0 };
    assert_ok(gei_model_run(model, &x, &y, NULL, &diag), &diag);
    return y;
}

static void compare(const gei_tensor *got, const gei_tensor *wanted, const char *how) {
    float most = 0;
    assert_int_equal(got->n_elems, wanted->n_elems);
    const float *a = got->data, *b = wanted->data;
    for (int64_t i = 0; i < wanted->n_elems; i++) most = isfinite(b[i]) && fabsf(b[i]) > most ? fabsf(b[i]) : most;
    for (int64_t i = 0; i < wanted->n_elems; i++) {
        bool same = isnan(b[i]) ? isnan(a[i]) : isinf(b[i]) ? a[i] == b[i] : fabsf(a[i] - b[i]) <= most * 2e-5f;
        if (!same) fail_msg("%s: element %d is %g, wanted %g", how, (int)i, (double)a[i], (double)b[i]);
    }
}

static void check(void (*make)(net *n), size_t reorders) {
    static const uint32_t isas[] = { 0, GEI_ISA_AVX2, GEI_ISA_AVX2 | GEI_ISA_AVX512 };
    net n;
    size_t count;
    gei_tensor *x;
    make(&n);
    gei_shape shape = gei_out_shape(&gei_graph_find_node(n.graph, "x", 1)->outs[0]);
    assert_ok(gei_tensor_create(&gei_heap, GEI_FLOAT32, 4, shape.dims, &x, &n.diag), &n.diag);
    gei_model *plain = compile(&n, all_off, GEI_COUNT(all_off), 0, &count);
    assert_int_equal(count, 0);
    for (size_t k = 0; k < GEI_COUNT(isas); k++) {
        if ((isas[k] & gei_isa()) != isas[k]) continue;
        gei_model *blocked = compile(&n, NULL, 0, isas[k], &count);
        assert_int_equal(count, reorders);
        for (int odd = 0; odd < 4; odd++) { /* finite; then one number of the image is not, or a negative zero */
            static const float odds[] = { 0, NAN, INFINITY, -0.0f };
            for (int64_t i = 0; i < x->n_elems; i++) ((float *)x->data)[i] = next(&n);
            if (odd) ((float *)x->data)[x->n_elems / 2 + 3] = odds[odd];
            gei_tensor *wanted = run(plain, x), *got = run(blocked, x);
            compare(got, wanted, odd == 0 ? "finite" : odd == 1 ? "NaN" : odd == 2 ? "infinity" : "negative zero");
            gei_tensor_release(wanted);
            gei_tensor_release(got);
        }
        gei_model_release(blocked);
    }
    gei_model_release(plain);
    gei_tensor_release(x);
    gei_graph_destroy(n.graph);
}

/* Plain image in, plain pixels out: one change of layout, at the end. */
static void mobile_net(void **state) { (void)state; check(mobile, 1); }
static void residual_net(void **state) { (void)state; check(residual, 1); }
static void squeeze_and_excite(void **state) { (void)state; check(squeeze, 1); }
static void joined_branches(void **state) { (void)state; check(branches, 1); }
static void plain_neighbours(void **state) { (void)state; check(mixed, 2); } /* the bounds of channels, and what leaves */

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(mobile_net), cmocka_unit_test(residual_net), cmocka_unit_test(squeeze_and_excite), cmocka_unit_test(joined_branches),
                                        cmocka_unit_test(plain_neighbours) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
