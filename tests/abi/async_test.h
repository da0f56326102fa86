/* SPDX-License-Identifier: Apache-2.0 */
/* async_test: models and callbacks for tests of asynchronous runs. */
#ifndef GE_ASYNC_TEST_H
#define GE_ASYNC_TEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "graph_test.h"

static const int64_t one_s = 1000000000;

static inline int64_t clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * one_s + t.tv_nsec;
}

/* y = x * x * ... * x, `length` products of matrices of n rows: x of one number in its diagonal gives a power of it. */
static inline ge_model *power_model(const ge_context *context, int64_t n, int length) {
    const int64_t dims[] = { n, n };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    ge_builder *b;
    ge_graph *graph;
    ge_model *model;
    ge_value_id x, y;
    check_ok(ge_builder_create(context, "power", GE_NTS, &b));
    check_ok(ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    y = x;
    for (int i = 0; i < length; i++) y = add_op(b, "MatMulV2", NULL, y, x, NULL);
    check_ok(ge_builder_build(b, &y, 1, &graph));
    check_ok(ge_builder_destroy(b));
    check_ok(ge_graph_compile(graph, NULL, &model));
    check_ok(ge_graph_destroy(graph));
    return model;
}

/* A model that would run for a second or longer: to be cancelled. */
static inline ge_model *long_model(const ge_context *context) { return power_model(context, 256, 3000); }

static inline ge_value *diagonal(const ge_context *context, int64_t n, float number) {
    const int64_t dims[] = { n, n };
    ge_tensor_desc desc = desc_of(GE_DTYPE_FLOAT32, 2, dims);
    size_t bytes = (size_t)(n * n) * sizeof(float);
    float *data = calloc(1, bytes);
    ge_tensor *tensor;
    ge_value *value;
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) data[i * n + i] = number;
    check_ok(ge_tensor_create_from_data(context, &desc, (const uint8_t *)data, bytes, &tensor));
    check_ok(ge_value_create_from_tensor(tensor, &value));
    check_ok(ge_tensor_destroy(tensor));
    free(data);
    return value;
}

static inline float first_number(const ge_value *value) {
    ge_tensor *tensor;
    const uint8_t *bytes;
    size_t size;
    float number;
    check_ok(ge_tensor_create_from_value(value, &tensor));
    check_ok(ge_tensor_get_data(tensor, &bytes, &size));
    memcpy(&number, bytes, sizeof number);
    check_ok(ge_tensor_destroy(tensor));
    return number;
}

/* The number a finished operation gave; the operation stays. */
static inline float result_of(const ge_operation *operation) {
    ge_value *out = NULL;
    size_t n;
    check_ok(ge_operation_get_outputs(operation, &out, 1, &n));
    assert_int_equal(n, 1);
    float number = first_number(out);
    check_ok(ge_value_destroy(out));
    return number;
}

static inline ge_status status_of(const ge_operation *operation) {
    ge_status st = GE_ERR_INTERNAL;
    check_ok(ge_operation_get_status(operation, &st));
    return st;
}

/* What a callback triple saw. */
typedef struct calls {
    _Atomic int completed, destroyed;
    _Atomic uint64_t tag;
    _Atomic ge_status status;
} calls;
static inline void on_complete(void *user, uint64_t tag, ge_status status) {
    calls *c = user;
    atomic_store(&c->tag, tag);
    atomic_store(&c->status, status);
    atomic_fetch_add(&c->completed, 1);
}
static inline void on_end(void *user) {
    calls *c = user;
    atomic_fetch_add(&c->destroyed, 1);
}
static inline ge_async_options calling(calls *c, uint64_t tag) {
    ge_async_options o = GE_ASYNC_OPTIONS_INIT;
    memset(c, 0, sizeof *c);
    o.tag = tag;
    o.complete = on_complete;
    o.user_data = c;
    o.destroy = on_end;
    return o;
}
static inline void wait_for(const _Atomic int *counter, int wanted) {
    for (int i = 0; i < 20000 && atomic_load(counter) < wanted; i++) usleep(1000);
    assert_int_equal(atomic_load(counter), wanted);
}

/* Objects of the process default may be held by the end of a run for a moment after its completion. */
static inline void check_all_gone_soon(uint64_t before) {
    for (int i = 0; i < 5000 && live_objects() != before; i++) usleep(1000);
    check_all_gone(before);
}

#endif
