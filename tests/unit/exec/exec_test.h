/* SPDX-License-Identifier: Apache-2.0 */
/* exec_test: short ways from graph text to a plan, a model, a run.  Operators are those of the catalogue. */
#ifndef GE_EXEC_TEST_H
#define GE_EXEC_TEST_H

#include "exec/compile.h"
#include "unit/ge_test.h"

static inline const gei_op_def *exec_find(void *user, const char *name, size_t name_size) {
    (void)user;
    return gei_catalogue_find(name, name_size);
}

/* A test file with operators of its own defines EXEC_FIND before it includes this. */
#ifdef EXEC_FIND
static const gei_op_def *EXEC_FIND(void *user, const char *name, size_t name_size);
#else
#define EXEC_FIND exec_find
#endif

static inline gei_graph *exec_graph(const gei_allocator *from, const char *text) {
    gei_graph *g = NULL;
    gei_diag diag = { 0 };
    assert_ok(gei_graph_parse(from, text, strlen(text), EXEC_FIND, NULL, &g, &diag), &diag);
    return g;
}

static inline gei_plan *exec_plan(const gei_allocator *from, const char *text) {
    gei_plan *plan = NULL;
    gei_diag diag = { 0 };
    gei_plan_options options = { .isa = gei_isa(), .mem_effort = 50 };
    assert_ok(gei_plan_create(exec_graph(from, text), &options, from, &plan, &diag), &diag);
    return plan;
}

static inline gei_model *exec_model_with(const gei_allocator *from, const char *text, const gei_model_options *options) {
    gei_model *model = NULL;
    gei_diag diag = { 0 };
    assert_ok(gei_model_create(exec_plan(from, text), options, from, &model, &diag), &diag);
    return model;
}

static inline gei_model *exec_model(const gei_allocator *from, const char *text) {
    gei_model_options options = { .max_threads = 2 };
    return exec_model_with(from, text, &options);
}

/* Text of a plan and its only instance. */
static inline void exec_print(const gei_plan *plan, const gei_instance *instance, char *to, size_t cap) {
    gei_sink sink;
    gei_diag diag = { 0 };
    gei_sink_init(&sink, &gei_heap);
    assert_ok(gei_plan_print(plan, instance, &sink, &diag), &diag);
    assert_true(sink.size < cap);
    memcpy(to, sink.data, sink.size + 1);
    gei_sink_deinit(&sink);
}

/* A float tensor with values first, first + 1, ... */
static inline gei_tensor *exec_f32(const gei_allocator *from, int32_t rank, const int64_t *dims, float first) {
    gei_tensor *t = NULL;
    gei_diag diag = { 0 };
    assert_ok(gei_tensor_create(from, GEI_FLOAT32, rank, dims, &t, &diag), &diag);
    for (int64_t i = 0; i < t->n_elems; i++) ((float *)t->data)[i] = first + (float)i;
    return t;
}

static inline gei_tensor *exec_vector(const gei_allocator *from, int64_t n, float first) { return exec_f32(from, 1, &n, first); }

static inline gei_tensor *exec_i64(const gei_allocator *from, int64_t n, const int64_t *values) {
    gei_tensor *t = NULL;
    gei_diag diag = { 0 };
    assert_ok(gei_tensor_create(from, GEI_INT64, 1, &n, &t, &diag), &diag);
    if (n > 0) memcpy(t->data, values, (size_t)n * sizeof *values);
    return t;
}

static inline float exec_at(const gei_tensor *t, int64_t index) { return ((const float *)t->data)[index]; }

static inline gei_model_stats exec_stats(const gei_model *model) {
    gei_model_stats stats;
    gei_model_stats_get(model, &stats);
    return stats;
}

#define assert_floats(tensor, ...)                                                     \
    do {                                                                               \
        const float want_[] = { __VA_ARGS__ };                                         \
        assert_non_null(tensor);                                                       \
        assert_int_equal((tensor)->n_elems, GEI_COUNT(want_));                         \
        for (size_t i_ = 0; i_ < GEI_COUNT(want_); i_++)                               \
            if (exec_at((tensor), (int64_t)i_) != want_[i_])                           \
                fail_msg("element %zu is %g, wanted %g", i_, (double)exec_at((tensor), (int64_t)i_), (double)want_[i_]); \
    } while (0)

#endif
