/* SPDX-License-Identifier: Apache-2.0 */
/* The generated functions per operator: what the builder was told, read back as graph text. */
#include "graph_test.h"

#include "ge_ops.h"

typedef struct build {
    ge_builder *builder;
    ge_value_id x, y;
} build;

static build build_new(void) {
    build b;
    const int64_t dims[] = { 2, 6 };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    check_ok(ge_builder_create(NULL, "ops", GE_NTS, &b.builder));
    check_ok(ge_builder_add_graph_input(b.builder, "x", GE_NTS, 0, &desc, &b.x));
    check_ok(ge_builder_add_graph_input(b.builder, "y", GE_NTS, 1, &desc, &b.y));
    return b;
}

/* Builds, checks that the text holds each of the words, destroys. */
static void check_text(build *b, ge_value_id out, const char *const *words, size_t n_words) {
    ge_graph *graph;
    check_ok(ge_builder_build(b->builder, &out, 1, &graph));
    char *text = text_of(graph);
    for (size_t k = 0; k < n_words; k++) {
        if (strstr(text, words[k])) continue;
        print_error("no \"%s\" in\n%s", words[k], text);
        fail();
    }
    free(text);
    check_ok(ge_graph_destroy(graph));
    check_ok(ge_builder_destroy(b->builder));
}
#define CHECK_TEXT(b, out, ...)                      \
    do {                                             \
        const char *const words_[] = { __VA_ARGS__ }; \
        check_text((b), (out), words_, sizeof words_ / sizeof *words_); \
    } while (0)

static void inputs_and_names(void **state) {
    (void)state;
    build b = build_new();
    ge_value_id sum, out;
    check_ok(ge_op_Add(b.builder, "sum", b.x, b.y, &sum));
    check_ok(ge_op_Relu(b.builder, NULL, sum, &out));
    CHECK_TEXT(&b, out, "%sum = Add(x1=%x, x2=%y)", "= Relu(x=%sum)");
}

static void attributes_that_differ_from_their_defaults_are_set(void **state) {
    (void)state;
    build b = build_new();
    const int64_t axes[] = { 0 };
    ge_value_id out;
    ge_op_SoftmaxV2_attrs attrs = ge_op_SoftmaxV2_attrs_init();
    attrs.axes = axes;
    attrs.axes_count = 1;
    attrs.half_to_float = 1;
    check_ok(ge_op_SoftmaxV2(b.builder, "s", b.x, &attrs, &out));
    CHECK_TEXT(&b, out, "%s = SoftmaxV2(x=%x) [axes=[0], half_to_float=true]");
    b = build_new();
    check_ok(ge_op_SoftmaxV2(b.builder, "s", b.x, NULL, &out));
    CHECK_TEXT(&b, out, "%s = SoftmaxV2(x=%x)\n");
    b = build_new();
    check_ok(ge_op_Cast(b.builder, "c", b.x, GE_DTYPE_INT64, NULL, &out));
    CHECK_TEXT(&b, out, "%c = Cast(x=%x) [dst_type=9]");
}

static void optional_inputs_are_left_out_with_zero(void **state) {
    (void)state;
    build b = build_new();
    ge_value_id out;
    ge_op_MatMulV2_attrs attrs = ge_op_MatMulV2_attrs_init();
    attrs.transpose_x2 = 1;
    check_ok(ge_op_MatMulV2(b.builder, "m", b.x, b.y, 0, 0, &attrs, &out));
    CHECK_TEXT(&b, out, "%m = MatMulV2(x1=%x, x2=%y) [transpose_x2=true]");
}

static void dynamic_inputs_and_outputs(void **state) {
    (void)state;
    build b = build_new();
    ge_value_id parts[3], joined;
    check_ok(ge_op_SplitD(b.builder, "split", b.x, 1, 3, 3, parts, 3));
    check_ok(ge_op_ConcatD(b.builder, "join", parts, 3, 1, NULL, &joined));
    CHECK_TEXT(&b, joined, "SplitD", "split_dim=1", "num_split=3", "%join = ConcatD(x=[%split, %split:1, %split:2])");
}

static void several_outputs_and_none_wanted(void **state) {
    (void)state;
    build b = build_new();
    ge_value_id k, values = 0;
    check_ok(ge_builder_add_ints(b.builder, GE_DTYPE_INT32, (const int64_t[]){ 2 }, 1, 0, &k));
    check_ok(ge_op_TopK(b.builder, "top", b.x, k, NULL, &values, NULL));
    CHECK_TEXT(&b, values, "= TopK(x=%x, k=");
}

static void a_missing_input_is_an_error(void **state) {
    (void)state;
    build b = build_new();
    ge_value_id out;
    check_fails_at(ge_op_Add(b.builder, "sum", b.x, 0, &out), GE_ERR_BAD_ID, "value", "", __FILE__, __LINE__);
    check_fails_at(ge_op_Add(FOREIGN_HANDLE, "sum", b.x, b.y, &out), GE_ERR_HANDLE_FOREIGN, "builder", "", __FILE__, __LINE__);
    check_ok(ge_op_Add(b.builder, "sum", b.x, b.y, &out)); /* the broken one is gone */
    CHECK_TEXT(&b, out, "%sum = Add(x1=%x, x2=%y)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_and_names),
        cmocka_unit_test(attributes_that_differ_from_their_defaults_are_set),
        cmocka_unit_test(optional_inputs_are_left_out_with_zero),
        cmocka_unit_test(dynamic_inputs_and_outputs),
        cmocka_unit_test(several_outputs_and_none_wanted),
        cmocka_unit_test(a_missing_input_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
