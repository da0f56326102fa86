/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of elementwise steps: random graphs give the same bytes with the pass fuse_elementwise and without any pass, with NaN,
 * infinities and negative zeros among the inputs, and cut into parts. */
#include <math.h>
#include <stdio.h>

#include "unit/exec/exec_test.h"

#include "ops/program.h"
#include "passes/pass.h"

enum { MOST_INPUTS = 5, ROUNDS = 400, MOST_VALUES = 48 };

static uint64_t seed;
static uint32_t rnd(uint32_t below) {
    seed = seed * UINT64_C(6364136223846793005) + 1;
    return (uint32_t)((seed >> 33) % below);
}

static const char *const unary[] = { "Relu", "Relu6", "Abs", "Neg", "Square", "Sqrt", "Reciprocal", "Sigmoid", "Tanh", "Erf", "HardSwish", "Gelu" };
static const char *const binary[] = { "Add", "Sub", "Mul", "Maximum", "Minimum", "RealDiv" };

typedef struct random_graph {
    char text[16384];
    size_t n_ins;
    int64_t dims[MOST_INPUTS][3];
} random_graph;

/* Inputs are of the full shape, or repeat along some of its dims. */
static void random_text(random_graph *r) {
    size_t at = 0;
    uint32_t n_values;
    int64_t full[3] = { 1 + rnd(4), 1 + rnd(5), rnd(3) ? 1 + rnd(70) : 2500 + rnd(3000) };
    r->n_ins = 2 + rnd(MOST_INPUTS - 1);
    n_values = (uint32_t)r->n_ins;
#define WRITE(...) at += (size_t)snprintf(r->text + at, sizeof r->text - at, __VA_ARGS__)
    WRITE("graph \"g\" {\n");
    for (size_t i = 0; i < r->n_ins; i++) {
        for (int k = 0; k < 3; k++) r->dims[i][k] = i == 0 || rnd(3) ? full[k] : 1;
        WRITE("  %%v%zu = Data[index=%zu] : f32[%d,%d,%d]\n", i, i, (int)r->dims[i][0], (int)r->dims[i][1], (int)r->dims[i][2]);
    }
    WRITE("  %%v%u = Neg(x=%%v0) : f32[%d,%d,%d]\n", n_values, (int)full[0], (int)full[1], (int)full[2]);
    n_values++;
    for (uint32_t steps = 1 + rnd(30); steps > 0; steps--, n_values++) {
        /* The first argument keeps the full shape, mostly the last value. */
        uint32_t made = n_values - (uint32_t)r->n_ins, a = (uint32_t)r->n_ins + (rnd(4) ? made - 1 : rnd(made)), b = rnd(n_values);
        if (rnd(3) == 0) WRITE("  %%v%u = LeakyRelu(x=%%v%u) [negative_slope=0.1] : f32\n", n_values, a);
        else if (rnd(2)) WRITE("  %%v%u = %s(x=%%v%u) : f32\n", n_values, unary[rnd(GEI_COUNT(unary))], a);
        else if (rnd(2)) WRITE("  %%v%u = %s(x1=%%v%u, x2=%%v%u) : f32\n", n_values, binary[rnd(GEI_COUNT(binary))], a, b);
        else WRITE("  %%v%u = %s(x1=%%v%u, x2=%%v%u) : f32\n", n_values, binary[rnd(GEI_COUNT(binary))], b, a);
    }
    WRITE("  return %%v%u, %%v%u\n}\n", n_values - 1, (uint32_t)r->n_ins + rnd(n_values - (uint32_t)r->n_ins));
#undef WRITE
}

static gei_tensor *random_tensor(const int64_t *dims) {
    static const float odd[] = { NAN, INFINITY, -INFINITY, -0.0f, 0.0f, 1e-40f, 3e38f, -3e38f };
    gei_tensor *t = exec_f32(&gei_heap, 3, dims, 0);
    for (int64_t i = 0; i < t->n_elems; i++) ((float *)t->data)[i] = rnd(12) ? (float)rnd(2000) / 250.0f - 4 : odd[rnd(GEI_COUNT(odd))];
    return t;
}

/* Compiled with the passes of `options`; *out_programs counts the steps that run a program. */
static gei_model *model_of(const char *text, const gei_pipeline_options *options, uint32_t *out_programs) {
    gei_graph *g = exec_graph(&gei_heap, text);
    gei_plan *plan = NULL;
    gei_model *model = NULL;
    gei_diag diag = { 0 };
    gei_plan_options plan_options = { .isa = gei_isa(), .mem_effort = 10 };
    gei_model_options model_options = { .max_threads = 2 };
    assert_ok(gei_passes_run(g, &gei_heap, options, NULL, &diag), &diag);
    for (size_t i = 0; i < g->nodes.count; i++)
        *out_programs += g->nodes.items[i] && gei_op_has(gei_op_of(g->nodes.items[i]), GEI_OP_RUNS_PROGRAM);
    assert_ok(gei_plan_create(g, &plan_options, &gei_heap, &plan, &diag), &diag);
    assert_ok(gei_model_create(plan, &model_options, &gei_heap, &model, &diag), &diag);
    return model;
}

static void random_graphs_give_the_same_bytes(void **state) {
    static random_graph r;
    const char *all_but[16];
    size_t n_off = 0;
    uint32_t n_programs = 0, none = 0;
    (void)state;
    for (size_t i = 0; gei_pass_at(i); i++)
        if (strcmp(gei_pass_at(i)->name, "fuse_elementwise") != 0) all_but[n_off++] = gei_pass_at(i)->name;
    gei_pipeline_options fused = { .off = all_but, .n_off = n_off, .check_each = true }, plain = { .none = true };
    seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        gei_tensor *in[MOST_INPUTS], *a[2] = { NULL, NULL }, *b[2] = { NULL, NULL };
        gei_diag diag = { 0 };
        random_text(&r);
        gei_parts_forced = rnd(3);
        gei_model *one = model_of(r.text, &fused, &n_programs), *other = model_of(r.text, &plain, &none);
        for (size_t i = 0; i < r.n_ins; i++) in[i] = random_tensor(r.dims[i]);
        assert_ok(gei_model_run(one, in, a, NULL, &diag), &diag);
        assert_ok(gei_model_run(other, in, b, NULL, &diag), &diag);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(a[k]->size_bytes, b[k]->size_bytes);
            for (int64_t i = 0; i < a[k]->n_elems; i++) { /* which NaN comes out is nobody's promise */
                float x = exec_at(a[k], i), y = exec_at(b[k], i);
                if (!(isnan(x) && isnan(y)) && memcmp(&x, &y, sizeof x) != 0) fail_msg("round %d, output %d, element %d: %a, wanted %a\n%s", round, k, (int)i, (double)x, (double)y, r.text);
            }
            gei_tensor_release(a[k]);
            gei_tensor_release(b[k]);
        }
        for (size_t i = 0; i < r.n_ins; i++) gei_tensor_release(in[i]);
        gei_model_release(one);
        gei_model_release(other);
    }
    gei_parts_forced = 0;
    print_message("%u programs in %d graphs\n", n_programs, ROUNDS);
    assert_true(n_programs > ROUNDS / 2);
    assert_int_equal(none, 0);
}

static void refused(const char *text, const char *words) {
    gei_program_step steps[GEI_PROGRAM_STEPS];
    uint32_t n;
    gei_diag diag = { 0 };
    assert_fails_with(gei_program_read(text, 2, steps, &n, &diag), &diag, words);
}

static void programs_are_read_with_their_numbers(void **state) {
    gei_program_step steps[GEI_PROGRAM_STEPS];
    uint32_t n;
    gei_diag diag = { 0 };
    (void)state;
    assert_ok(gei_program_read("LeakyRelu(x1)[0.5];Exp(t0)[1,0,-2.5e-1]", 2, steps, &n, &diag), &diag);
    assert_int_equal(n, 2);
    assert_true(steps[0].params[0] == 0.5 && !steps[0].args[0].is_step && steps[0].args[0].index == 1);
    assert_true(steps[1].params[2] == -0.25 && steps[1].params[3] == 0 && steps[1].args[0].is_step);
    refused("Muls(x0)[a]", "character 9: a number is wanted, or there are too many");
    refused("Muls(x0)[1,2,3,4,5,6,7,8,9]", "there are too many");
    refused("Muls(x0)[1", "',' or ']' is wanted");
    refused("Add(x0,x99999999999999999999)", "no such input");
    refused("Add x0", "no step has the name before it");
    refused("Add(x0;x1)", "',' is wanted");
    char many[GEI_PROGRAM_STEPS * 9 + 32] = "Neg(x0)";
    for (int i = 0; i < GEI_PROGRAM_STEPS; i++) strcat(many, ";Neg(x0)");
    refused(many, "too many steps");
    assert_fails_with(gei_program_read("Neg(x0)", GEI_PROGRAM_INPUTS + 1, steps, &n, &diag), &diag, "at most 32 inputs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_give_the_same_bytes),
        cmocka_unit_test(programs_are_read_with_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
