/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/input_shapes.h"

#include <stdio.h>

#include "unit/ir/ir_test.h"

/* Three inputs: x and y share n; z knows nothing of its shape; "a:0" has a colon in its name. */
#define GRAPH "graph \"g\" { %x = Data[index=0] : f32[n,3]  %y = Data[index=1] : f32[n,?]  %z = Data[index=2] : f32" \
              "  %\"a:0\" = Data[index=3] : f32[4,5]  %s = Add(x1=%x, x2=%y) : f32[n,3]  %r = Relu(x=%s) : f32[n,3]  return %r }"
#define IMAGES "graph \"g\" { %p = Data[index=0] : f32[b,3,h,w]  %q = Data[index=1] : f32[1,h,w,3]  %r = Relu(x=%p)  return %r }"

typedef struct scene {
    ge_test_heap heap;
    gei_graph *graph;
    gei_arena arena;
    gei_shape_limits limits;
    gei_diag diag;
} scene;

static ge_status set_in(scene *s, const char *text, const gei_shape_options *given) {
    gei_shape_options o = *given;
    const char **texts[] = { &o.input_shape, &o.input_shape_range, &o.online_shape, &o.batch_sizes, &o.image_sizes, &o.dims, &o.format };
    for (size_t i = 0; i < GEI_COUNT(texts); i++)
        if (!*texts[i]) *texts[i] = "";
    ge_test_heap_init(&s->heap);
    s->graph = ir_parse(&s->heap.from, text);
    gei_arena_init(&s->arena, &s->heap.from);
    memset(&s->diag, 0, sizeof s->diag);
    return gei_input_shapes_set(s->graph, &o, &s->arena, &s->limits, &s->diag);
}

static void done(scene *s) {
    gei_arena_deinit(&s->arena);
    gei_graph_destroy(s->graph);
    ge_test_heap_check(&s->heap);
}

static void check_shape(const scene *s, const char *name, const char *wanted) {
    char text[128];
    const gei_node *node = gei_graph_find_node(s->graph, name, strlen(name));
    assert_non_null(node);
    gei_shape shape = gei_out_shape(&node->outs[0]);
    gei_shape_text(&shape, s->graph->symbols->names.items, text, sizeof text);
    assert_string_equal(text, wanted);
}

#define SET(s, text, ...) assert_ok(set_in((s), text, &(gei_shape_options){ __VA_ARGS__ }), &(s)->diag)

static void nothing_said_changes_nothing(void **state) {
    (void)state;
    scene s;
    SET(&s, GRAPH, .format = "NHWC");
    check_shape(&s, "x", "[n,3]");
    assert_int_equal(s.limits.n_ranges + s.limits.n_gears, 0);
    done(&s);
}

static void sizes_settle_dims_wherever_their_name_stands(void **state) {
    (void)state;
    scene s;
    SET(&s, GRAPH, .input_shape = " x:4,3 ; z:-1,7,2 ;a:0:4,5;");
    check_shape(&s, "x", "[4,3]");
    check_shape(&s, "y", "[4,?]");
    check_shape(&s, "s", "[4,3]");
    check_shape(&s, "r", "[4,3]");
    check_shape(&s, "z", "[?,7,2]");
    check_shape(&s, "a:0", "[4,5]");
    assert_int_equal(s.limits.n_ranges, 0);
    done(&s);
    SET(&s, GRAPH, .input_shape = "z:");
    check_shape(&s, "z", "[]");
    done(&s);
}

static void check_range(const gei_dim_range *r, uint32_t input, int32_t dim, int64_t least, int64_t most) {
    assert_true(r->at.input == input && r->at.dim == dim && r->least == least && r->most == most);
}

static void ranges_are_kept_in_both_forms(void **state) {
    (void)state;
    scene s;
    SET(&s, GRAPH, .input_shape = "x:1~8,3;y:-1,2~-1");
    assert_int_equal(s.limits.n_ranges, 2);
    check_range(&s.limits.ranges[0], 0, 0, 1, 8);
    check_range(&s.limits.ranges[1], 1, 1, 2, INT64_MAX);
    check_shape(&s, "x", "[n,3]");
    done(&s);
    SET(&s, GRAPH, .input_shape_range = "x:[0~8,3]; y:[-1, 6]");
    assert_int_equal(s.limits.n_ranges, 1);
    check_range(&s.limits.ranges[0], 0, 0, 0, 8);
    check_shape(&s, "y", "[n,6]");
    done(&s);
    SET(&s, GRAPH, .input_shape = "x:1~8,3;y:5,6"); /* settled by y, within the range */
    assert_int_equal(s.limits.n_ranges, 0);
    check_shape(&s, "x", "[5,3]");
    done(&s);
}

static void check_gears(const scene *s, uint32_t n_gears, uint32_t n_dims, const int64_t *wanted) {
    assert_int_equal(s->limits.n_gears, n_gears);
    assert_int_equal(s->limits.n_gear_dims, n_dims);
    assert_memory_equal(s->limits.gears, wanted, n_gears * n_dims * sizeof *wanted);
}

static void gears_tell_every_free_dim(void **state) {
    (void)state;
    scene s;
    SET(&s, GRAPH, .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = "1, 2,8");
    check_gears(&s, 3, 2, (int64_t[]){ 1, 1, 2, 2, 8, 8 }); /* x and y */
    done(&s);
    SET(&s, GRAPH, .online_shape = "x:-1,3;y:-1,-1;z:7", .dims = "1,1,5;2,2,6");
    check_gears(&s, 2, 3, (int64_t[]){ 1, 1, 5, 2, 2, 6 });
    done(&s);
    SET(&s, GRAPH, .input_shape = "y:-1,-1;z:-1,2;x:-1,3", .dims = "1,5,3,1;2,6,4,2;"); /* in the order given */
    check_gears(&s, 2, 4, (int64_t[]){ 1, 5, 3, 1, 2, 6, 4, 2 });
    assert_int_equal(s.limits.gear_dims[2].input, 2);
    done(&s);
    SET(&s, IMAGES, .input_shape = "p:2,3,-1,-1", .image_sizes = "32,48;64,96"); /* q has the same h and w */
    check_gears(&s, 2, 2, (int64_t[]){ 32, 48, 64, 96 });
    done(&s);
    SET(&s, "graph \"g\" { %q = Data[index=0] : f32[1,?,?,3]  %r = Relu(x=%q)  return %r }", .image_sizes = "3,4;5,6", .format = "NHWC");
    check_gears(&s, 2, 2, (int64_t[]){ 3, 4, 5, 6 });
    assert_int_equal(s.limits.gear_dims[0].dim, 1);
    done(&s);
}

static void without_shapes_the_free_dims_of_the_model_count(void **state) {
    (void)state;
    scene s;
    SET(&s, "graph \"g\" { %x = Data[index=0] : f32[n,3]  %y = Data[index=1] : f32[n,?]  %r = Relu(x=%x)  return %r }", .dims = "1,2;3,4");
    check_gears(&s, 2, 2, (int64_t[]){ 1, 2, 3, 4 }); /* n once */
    done(&s);
}

typedef struct bad {
    const char *graph;
    gei_shape_options options;
    const char *part; /* of the message */
} bad;

static void bad_texts_say_what_is_wrong(void **state) {
    (void)state;
    static const bad cases[] = {
        { GRAPH, { .input_shape = "x" }, "option 'input_shape': 'x': it is not of the form NAME:SIZE,SIZE" },
        { GRAPH, { .input_shape = "xx:1,3" }, "the model has no input 'xx'; the nearest is 'x'" },
        { GRAPH, { .input_shape = "x:1,3;x:1,3" }, "'x:1,3': the input is given twice" },
        { GRAPH, { .input_shape = "x:0,3" }, "a size is a positive number, -1, or a range" },
        { GRAPH, { .input_shape = "x:-2,3" }, "a size is a positive number" },
        { GRAPH, { .input_shape = "x:a,3" }, "a size is a positive number" },
        { GRAPH, { .input_shape = "x:1," }, "a size is a positive number" },
        { GRAPH, { .input_shape = "x:99999999999999999999,3" }, "a size is a positive number" },
        { GRAPH, { .input_shape = "x:8~1,3" }, "a size is a positive number" },
        { GRAPH, { .input_shape = "x:-1~4,3" }, "a size is a positive number" },
        { GRAPH, { .input_shape = "x:1 3" }, "sizes are separated by commas" },
        { GRAPH, { .input_shape = "x:1" }, "fewer sizes than the input has dims" },
        { GRAPH, { .input_shape = "x:" }, "fewer sizes than the input has dims" },
        { GRAPH, { .input_shape = "x:1,3,4" }, "more sizes than the input has dims" },
        { GRAPH, { .input_shape = "z:1,1,1,1,1,1,1,1,1" }, "too many sizes" },
        { GRAPH, { .input_shape = "x:1,4" }, "dim 1 of input 'x' is 3 in the model" },
        { GRAPH, { .input_shape = "x:1,-1" }, "dim 1 of input 'x' is 3 in the model" },
        { GRAPH, { .input_shape = "x:1,1~4" }, "dim 1 of input 'x' is 3 in the model" },
        { GRAPH, { .input_shape = "x:4,3;y:5,1" }, "'n' would be 4 in input 'x' and 5 in input 'y'" },
        { GRAPH, { .input_shape = "x:1~4,3;y:5,1" }, "is 5 by another input, out of its range" },
        { GRAPH, { .input_shape_range = "x:1~4,3" }, "it is not of the form NAME:[SIZE,SIZE]" },
        { GRAPH, { .input_shape = "x:4,3", .input_shape_range = "x:[4,3]" }, "'input_shape' and 'input_shape_range' exclude each other" },
        { GRAPH, { .batch_sizes = "1,2", .dims = "1;2" }, "'ge.dynamicBatchSize' and 'ge.dynamicDims' exclude each other" },
        { GRAPH, { .input_shape = "x:1~4,3", .batch_sizes = "1,2" }, "ranges and gears exclude each other" },
        { GRAPH, { .input_shape = "x:4,3", .batch_sizes = "1,2" }, "no dim of the inputs is free" },
        { GRAPH, { .input_shape = "x:-1,3;y:5,1", .batch_sizes = "1,2" }, "dim 0 of input 'x' is 5 by another input" },
        { GRAPH, { .input_shape = "y:-1,-1;z:7", .batch_sizes = "1,2" }, "dim 1 of input 'y' is free, but only dim 0 may be" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = "1" }, "two gears or more" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = "1,2,1" }, "a gear is given twice" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = "1,0" }, "the sizes of a gear are positive" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = "1,b" }, "a gear is positive numbers" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = "1;2" }, "something else than numbers" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,-1;z:7", .dims = "1,1;2,2" }, "fewer sizes than there are free dims" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2;z:7", .dims = "1,1,1;2,2" }, "more sizes than there are free dims" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2;z:7", .dims = "1,2;2,2" }, "'n' would be 1 in input 'x' and 2 in input 'y'" },
        { GRAPH, { .input_shape = "x:-1,3;z:7", .batch_sizes = "1,2" }, "no gear tells dim 1 of input 'y'" },
        { GRAPH, { .input_shape = "x:-1,3;y:-1,2", .batch_sizes = "1,2" }, "no gear tells dim 0 of input 'z'" },
        { IMAGES, { .input_shape = "p:1,3,-1,5", .image_sizes = "3,4;5,6" }, "height and width of input 'p' have to be free both" },
        { IMAGES, { .input_shape = "p:-1,3,-1,-1", .image_sizes = "3,4;5,6" }, "dim 0 of input 'p' is free, but only height and width" },
        { IMAGES, { .input_shape = "p:1,3,-1,-1", .image_sizes = "3,4;5,6", .format = "ND" }, "needs the input_format NCHW or NHWC, not 'ND'" },
    };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        scene s;
        ge_status st = set_in(&s, cases[i].graph, &cases[i].options);
        assert_fails_with(st, &s.diag, cases[i].part);
        assert_int_equal(st, GE_ERR_OPTION_VALUE);
        done(&s);
    }
}

static void there_are_at_most_256_gears(void **state) {
    (void)state;
    char text[2048] = "";
    scene s;
    for (int i = 1; i <= GEI_MAX_GEARS + 1; i++) {
        char one[16];
        snprintf(one, sizeof one, "%s%d", i > 1 ? "," : "", i);
        strcat(text, one);
        if (i != GEI_MAX_GEARS) continue;
        SET(&s, GRAPH, .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = text);
        assert_int_equal(s.limits.n_gears, GEI_MAX_GEARS);
        done(&s);
    }
    assert_fails_with(set_in(&s, GRAPH, &(gei_shape_options){ .input_shape = "x:-1,3;y:-1,2;z:7", .batch_sizes = text }), &s.diag,
                      "more than 256 gears");
    done(&s);
}

static ge_status set_and_drop(const gei_allocator *from, void *arg) {
    gei_diag diag = { 0 };
    gei_graph *g = NULL;
    gei_arena arena;
    gei_shape_limits limits;
    GEI_TRY(gei_graph_parse(from, GRAPH, strlen(GRAPH), ir_find, NULL, &g, &diag));
    gei_arena_init(&arena, from);
    ge_status st = gei_input_shapes_set(g, arg, &arena, &limits, &diag);
    gei_arena_deinit(&arena);
    gei_graph_destroy(g);
    return st;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    gei_shape_options ranges = { "x:1~8,3;y:-1,7;z:4", "", "", "", "", "", "" };
    gei_shape_options gears = { "x:-1,3;y:-1,-1;z:4", "", "", "", "", "1,1,2;3,3,4", "" };
    ge_test_each_allocation_fails(set_and_drop, &ranges);
    ge_test_each_allocation_fails(set_and_drop, &gears);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_changes_nothing),
        cmocka_unit_test(sizes_settle_dims_wherever_their_name_stands),
        cmocka_unit_test(ranges_are_kept_in_both_forms),
        cmocka_unit_test(gears_tell_every_free_dim),
        cmocka_unit_test(without_shapes_the_free_dims_of_the_model_count),
        cmocka_unit_test(bad_texts_say_what_is_wrong),
        cmocka_unit_test(there_are_at_most_256_gears),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
