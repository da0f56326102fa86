/* SPDX-License-Identifier: Apache-2.0 */
/* Parts whose shapes depend on data inside graphs that are planned otherwise: only these parts are late, what follows them has places again,
 * and runs whose sizes come back allocate nothing.  And shapes that change from run to run: what is made again and what is not. */
#include "passes/pass.h"
#include "unit/exec/exec_test.h"

typedef struct bound {
    ge_test_heap heap;
    gei_model *model;
    gei_binding *binding;
    gei_diag diag;
} bound;

static ge_status passes(gei_graph *g, void *user, gei_facts *facts, gei_diag *diag) {
    gei_pipeline_options options = { .check_each = true };
    (void)user;
    return gei_passes_run(g, g->from, &options, facts, diag);
}

static void make(bound *b, const char *text, uint32_t max_instances) {
    gei_compile_options options = { .plan = { .isa = gei_isa() }, .model = { .max_threads = 2, .max_instances = max_instances } };
    memset(b, 0, sizeof *b);
    ge_test_heap_init(&b->heap);
    gei_graph *g = exec_graph(&b->heap.from, text);
    assert_ok(gei_compile(g, passes, NULL, &options, &b->heap.from, &b->model, &b->diag), &b->diag);
    gei_graph_destroy(g);
    assert_ok(gei_binding_create(b->model, &b->binding, &b->diag), &b->diag);
}

static void done(bound *b) {
    gei_binding_destroy(b->binding);
    gei_model_release(b->model);
    ge_test_heap_check(&b->heap);
}

static void set(bound *b, uint32_t index, gei_tensor *t) {
    assert_ok(gei_binding_set_input(b->binding, index, t, &b->diag), &b->diag);
    gei_tensor_release(t);
}
static void set_number(bound *b, uint32_t index, int32_t dtype, int64_t value) {
    gei_tensor *t = NULL;
    assert_ok(gei_tensor_create(&b->heap.from, dtype, 0, NULL, &t, &b->diag), &b->diag);
    assert_true(gei_tensor_put_i64(t, 0, value));
    set(b, index, t);
}
static void run(bound *b) { assert_ok(gei_binding_run(b->binding, NULL, &b->diag), &b->diag); }
static const gei_tensor *output(const bound *b, uint32_t i) { return gei_binding_output(b->binding, i); }

/* ---- parts that depend on data ---- */

/* Sums the elements of x * w that are not zero, scales by the sum, takes one of two shapes, sums its columns, and adds the loop's sum. */
#define MIXED                                                                                                                    \
    "graph \"g\" { %x = Data[index=0] : f32[n,2]  %c = Data[index=1] : bool[]  %t = Data[index=2] : i64[]"                       \
    "  %w = Const[value=f32[2,2]{1 0 0 2}]  %first = Const[value=i64[1]{0}]"                                                     \
    "  %a = MatMulV2(x1=%x, x2=%w)  %places = NonZero(x=%a)  %picked = GatherNd(x=%a, indices=%places)"                          \
    "  %sum = ReduceSum(x=%picked, axes=%first) [keep_dims=true]  %b = Mul(x1=%a, x2=%sum)"                                      \
    "  %o = If(cond=%c, input=[%b]) [then_branch=@then, else_branch=@else] : f32[?,2]  %m = ReduceSum(x=%o, axes=%first)"        \
    "  %last, %all = GeLoop(trip_count=%t, cond=_, input=[%m]) [carried=1, body=@body] : f32[2], f32[?,2]"                       \
    "  %total = ReduceSum(x=%all, axes=%first)  %y = Add(x1=%m, x2=%total)  %z = Relu(x=%y)  return %z, %places }"               \
    "graph \"then\" { %v = Data[index=0] : f32[k,2]  %r = ConcatD(x=[%v, %v]) [concat_dim=0, N=2]  return %r }"                  \
    "graph \"else\" { %v = Data[index=0] : f32[k,2]  %r = Relu(x=%v)  return %r }"                                               \
    "graph \"body\" { %i = Data[index=0]  %g = Data[index=1]  %v = Data[index=2] : f32[2]  %r = Add(x1=%v, x2=%v)  return %g, %r, %r }"

/* What MIXED computes. */
static void mixed(const float *x, int64_t n, bool is_then, int64_t trips, float *z) {
    float sum = 0, m[2] = { 0, 0 };
    for (int64_t i = 0; i < n; i++) sum += x[2 * i] + 2 * x[2 * i + 1]; /* zeros add nothing */
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) m[k] += (float)(k + 1) * x[2 * i + k] * sum;
    for (int k = 0; k < 2; k++) {
        float one = is_then ? 2 * m[k] : m[k], v = one, total = 0;
        for (int64_t i = 0; i < trips; i++) total += v += v;
        z[k] = one + total;
    }
}

static void run_mixed(bound *b, int64_t n, bool is_then, int64_t trips, float first) {
    gei_tensor *x = exec_f32(&b->heap.from, 2, (int64_t[]){ n, 2 }, first);
    float want[2];
    mixed(x->data, n, is_then, trips, want);
    set(b, 0, x);
    set_number(b, 1, GEI_BOOL, is_then);
    set_number(b, 2, GEI_INT64, trips);
    run(b);
    assert_floats(output(b, 0), want[0], want[1]);
    assert_int_equal(output(b, 1)->dims[0], first == 0 ? 2 * n - 1 : 2 * n);
}

static bool is_late(const gei_instance *inst, const char *name, gei_home *out_home) {
    const gei_node *node = gei_graph_find_node(inst->plan->graph, name, strlen(name));
    if (!node) fail_msg("no node %s", name);
    *out_home = inst->places[inst->plan->value_base[node->index]].home;
    for (uint32_t s = 0; s < inst->n_steps; s++)
        if (inst->steps[s].kind != GEI_STEP_COPY && inst->plan->nodes[inst->steps[s].node].node == node) return inst->steps[s].late;
    fail_msg("no step for %s", name);
    return false;
}

static void only_what_depends_on_data_is_late(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool is_late;
        gei_home home;
    } wanted[] = { { "a", false, GEI_HOME_ARENA },  { "places", true, GEI_HOME_LATE }, { "picked", true, GEI_HOME_LATE },
                   { "sum", true, GEI_HOME_ARENA }, { "b", false, GEI_HOME_ARENA },    { "o", true, GEI_HOME_LATE },
                   { "m", true, GEI_HOME_OUTPUT },  { "last", true, GEI_HOME_ARENA },  { "total", true, GEI_HOME_ARENA },
                   { "y", false, GEI_HOME_OUTPUT }, { "z", false, GEI_HOME_OUTPUT } };
    ge_test_heap heap;
    gei_diag diag = { 0 };
    gei_instance *inst;
    ge_test_heap_init(&heap);
    gei_plan *plan = exec_plan(&heap.from, MIXED); /* as written: passes may join nodes */
    gei_shape shapes[] = { gei_shape_of(2, (gei_dim[]){ 3, 2 }), gei_shape_scalar(), gei_shape_scalar() };
    assert_ok(gei_instance_create(plan, shapes, &inst, &diag), &diag);
    for (size_t i = 0; i < GEI_COUNT(wanted); i++) {
        gei_home home = GEI_HOME_NONE;
        bool late = is_late(inst, wanted[i].name, &home);
        if (late != wanted[i].is_late || home != wanted[i].home) fail_msg("%s: late %d, home %d", wanted[i].name, late, (int)home);
    }
    gei_instance_destroy(inst);
    gei_plan_destroy(plan);
    ge_test_heap_check(&heap);
}

static void mixed_graphs_are_right_and_settle(void **state) {
    (void)state;
    bound b;
    make(&b, MIXED, 0);
    for (int64_t n = 1; n <= 5; n++)
        for (int64_t trips = 0; trips < 4; trips++) run_mixed(&b, n, n % 2 == 0, trips, (float)(n % 3));
    for (int round = 0; round < 3; round++) { /* sizes that came before */
        gei_tensor *x = exec_f32(&b.heap.from, 2, (int64_t[]){ 4, 2 }, 1);
        set(&b, 0, x);
        run(&b);
        uint64_t before = b.heap.n_allocs;
        for (int i = 0; i < 5; i++) run(&b);
        assert_int_equal(b.heap.n_allocs, before);
    }
    done(&b);
}

/* ---- shapes that change from run to run ---- */

/* A step of a decoder: one new row of keys and values goes behind the cache; a query looks at all of it. */
#define DECODER                                                                                                        \
    "graph \"step\" { %x = Data[index=0] : f32[1,4]  %keys = Data[index=1] : f32[past,4]  %values = Data[index=2] : f32[past,4]" \
    "  %wq = Const[value=f32[4,4]{1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1}]  %wk = Const[value=f32[4,4]{0 1 0 0 1 0 0 0 0 0 0 1 0 0 1 0}]" \
    "  %wv = Const[value=f32[4,4]{2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 2}]"                                                   \
    "  %q = MatMulV2(x1=%x, x2=%wq)  %k = MatMulV2(x1=%x, x2=%wk)  %v = MatMulV2(x1=%x, x2=%wv)"                       \
    "  %ks = ConcatD(x=[%keys, %k]) [concat_dim=0, N=2]  %vs = ConcatD(x=[%values, %v]) [concat_dim=0, N=2]"           \
    "  %s = MatMulV2(x1=%q, x2=%ks) [transpose_x2=true]  %p = SoftmaxV2(x=%s)  %y = MatMulV2(x1=%p, x2=%vs)"           \
    "  return %y, %ks, %vs }"

static gei_model_stats stats_of(const bound *b) {
    gei_model_stats stats;
    gei_model_stats_get(b->model, &stats);
    return stats;
}

static void check_step(const bound *b, int64_t past, const float *values) {
    const gei_tensor *y = output(b, 0), *vs = output(b, 2);
    float sum[4] = { 0 };
    assert_int_equal(vs->dims[0], past + 1);
    assert_memory_equal(vs->data, values, (size_t)past * 4 * sizeof(float));
    for (int64_t i = 0; i <= past; i++) /* equal keys: each row counts the same */
        for (int k = 0; k < 4; k++) sum[k] += exec_at(vs, 4 * i + k);
    for (int k = 0; k < 4; k++) {
        float want = sum[k] / (float)(past + 1), off = exec_at(y, k) - want;
        assert_true(off < 1e-4f && off > -1e-4f);
    }
}

enum { STEPS = 256 };

/* One sequence; gives the most memory held at any step. */
static int64_t decode(bound *b) {
    gei_tensor *keys = exec_f32(&b->heap.from, 2, (int64_t[]){ 1, 4 }, 0), *values = exec_f32(&b->heap.from, 2, (int64_t[]){ 1, 4 }, 1);
    int64_t most = 0;
    memset(keys->data, 0, keys->size_bytes);
    for (int64_t past = 1; past <= STEPS; past++) {
        gei_tensor *x = exec_f32(&b->heap.from, 2, (int64_t[]){ 1, 4 }, 0);
        memset(x->data, 0, x->size_bytes);
        set(b, 0, x);
        set(b, 1, keys);
        set(b, 2, values);
        run(b);
        check_step(b, past, values->data);
        keys = gei_tensor_retain(gei_binding_output(b->binding, 1));
        values = gei_tensor_retain(gei_binding_output(b->binding, 2));
        if (b->heap.live_bytes > most) most = b->heap.live_bytes;
    }
    gei_tensor_release(keys);
    gei_tensor_release(values);
    return most;
}

/* Kernels are prepared and weights packed by the compilation only; memory grows with the cache, not with the steps. */
static void a_growing_cache_packs_nothing_again(void **state) {
    (void)state;
    bound b;
    make(&b, DECODER, 0);
    gei_model_stats before = stats_of(&b);
    assert_true(before.packed_bytes >= 3 * 16 * sizeof(float));
    int64_t first = decode(&b);
    for (int sequence = 1; sequence < 3; sequence++) {
        int64_t most = decode(&b);
        if (most > first + 4096) fail_msg("%lld bytes at most, %lld in the first sequence", (long long)most, (long long)first);
    }
    gei_model_stats after = stats_of(&b);
    assert_int_equal(after.packed_bytes, before.packed_bytes);
    assert_int_equal(after.constant_bytes, before.constant_bytes);
    done(&b);
}

/* Fifty shapes in turn, more than are kept: memory is that of the largest and of the instances kept. */
static void fifty_shapes_in_turn_stay_within_the_bound(void **state) {
    (void)state;
    enum { SHAPES = 50 };
    bound b;
    make(&b, MIXED, 8);
    gei_model_stats before = stats_of(&b);
    int64_t most = 0;
    for (int round = 0; round < 4; round++) {
        for (int64_t n = 1; n <= SHAPES; n++) {
            run_mixed(&b, round % 2 ? SHAPES + 1 - n : n, n % 2 == 0, n % 3, 1);
            if (round > 0) assert_true(b.heap.live_bytes <= most + 4096);
            if (round == 0 && b.heap.live_bytes > most) most = b.heap.live_bytes;
        }
    }
    gei_model_stats after = stats_of(&b);
    assert_int_equal(after.packed_bytes, before.packed_bytes);
    uint64_t kept = after.instances_made - after.instances_evicted;
    assert_true(after.instances_made >= 3 * SHAPES && kept >= 8 && kept <= 8 * (1 + gei_model_plan(b.model)->n_bodies)); /* each body keeps its own */
    done(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_depends_on_data_is_late),
        cmocka_unit_test(mixed_graphs_are_right_and_settle),
        cmocka_unit_test(a_growing_cache_packs_nothing_again),
        cmocka_unit_test(fifty_shapes_in_turn_stay_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
