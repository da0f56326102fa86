/* SPDX-License-Identifier: Apache-2.0 */
/* The host's floating-point modes change no result, are not changed, and do not make the library trap. */
#include <fenv.h>
#include <xmmintrin.h>

#include "graph_test.h"

#define FLUSH_ALL 0x8040u /* results and operands that are subnormal become zero */

static const int64_t two[] = { 2 };

/* x / c, and the folded tiny * one. */
static ge_graph *dividing_graph(double divisor) {
    const double tiny[] = { 0x1p-130, 0x1p-140 }, one[] = { 1, 1 }, c[] = { divisor, divisor };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 1, two);
    ge_builder *b;
    ge_graph *graph;
    ge_value_id x, t, o, d, outputs[2];
    check_ok(ge_builder_create(NULL, "dividing", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, tiny, 2, 1, &t));
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, one, 2, 1, &o));
    check_ok(ge_builder_add_floats(b, GE_DTYPE_FLOAT32, c, 2, 1, &d));
    outputs[0] = add_op(b, "RealDiv", NULL, x, d, NULL);
    outputs[1] = add_op(b, "Mul", NULL, t, o, NULL);
    check_ok(ge_builder_build(b, outputs, 2, &graph));
    check_ok(ge_builder_destroy(b));
    return graph;
}

static void run(const ge_model *model, float *out_quotient, float *out_folded) {
    ge_tensor *tensor = two_floats(NULL);
    ge_value *x, *y[2];
    float *to[] = { out_quotient, out_folded };
    check_ok(ge_value_create_from_tensor(tensor, &x));
    check_ok(ge_tensor_destroy(tensor));
    const ge_value *inputs[] = { x };
    check_ok(ge_model_run(model, NULL, inputs, 1, y, 2));
    for (int i = 0; i < 2; i++) {
        const uint8_t *data;
        size_t size;
        check_ok(ge_tensor_create_from_value(y[i], &tensor));
        check_ok(ge_tensor_get_data(tensor, &data, &size));
        assert_int_equal(size, 2 * sizeof(float));
        memcpy(to[i], data, size);
        check_ok(ge_tensor_destroy(tensor));
        check_ok(ge_value_destroy(y[i]));
    }
    check_ok(ge_value_destroy(x));
}

static void modes_of_the_host_change_no_result(void **state) {
    (void)state;
    const float tiny[] = { 0x1p-130f, 0x1p-140f };
    float quotient[2], folded[2];
    ge_graph *graph = dividing_graph(0x1p127);
    ge_model *model;
    unsigned before = _mm_getcsr(), set = before | FLUSH_ALL | _MM_ROUND_UP;
    _mm_setcsr(set);
    check_ok(ge_graph_infer_shapes(graph, NULL, 0, NULL, 0));
    check_ok(ge_graph_compile(graph, NULL, &model));
    run(model, quotient, folded);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    assert_int_equal(after & ~0x3Fu, set & ~0x3Fu);
    assert_true(memcmp(folded, tiny, sizeof tiny) == 0); /* not flushed while compiling */
    assert_true(quotient[0] == 0x1p-127f && quotient[1] == 0x1p-126f);
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
}

static void exceptions_that_trap_in_the_host_do_not_trap_here(void **state) {
    (void)state;
    float quotient[2], folded[2];
    ge_graph *graph = dividing_graph(0);
    ge_model *model;
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW);
    check_ok(ge_graph_compile(graph, NULL, &model));
    run(model, quotient, folded);
    int enabled = fegetexcept();
    fedisableexcept(FE_ALL_EXCEPT);
    assert_int_equal(enabled, FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW);
    assert_true(quotient[0] > 3e38f && quotient[1] > 3e38f); /* infinities */
    check_ok(ge_model_destroy(model));
    check_ok(ge_graph_destroy(graph));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_of_the_host_change_no_result),
        cmocka_unit_test(exceptions_that_trap_in_the_host_do_not_trap_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
