/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences: made, read and changed.  A changed one is a new value; the items are copied. */
#include <string.h>

#include "ops/bundles.h"
#include "ops/import.h"
#include "ops/rules.h"

static void set_scalar(gei_infer *i, int32_t dtype) {
    i->out[0].dtype = dtype;
    i->out[0].shape = gei_shape_scalar();
}

/* ---- making ---- */

static ge_status infer_construct(gei_infer *i) {
    int32_t item;
    GEI_TRY(gei_infer_same_dtype(i, 0, i->n_in, &item));
    int32_t dtype = gei_dtype_sequence(item);
    if (dtype == GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, 0), "there are no sequences of %s", gei_dtype_name(item));
    set_scalar(i, dtype);
    return GE_OK;
}

static ge_status run_construct(const gei_run *run, uint32_t part) {
    (void)part;
    return gei_run_set_bundle(run, 0, run->in, run->n_in);
}

static ge_status infer_empty(gei_infer *i) {
    int32_t item = (int32_t)gei_node_int(i->node, "dtype", GEI_FLOAT32), dtype = gei_dtype_sequence(item);
    if (dtype == GEI_UNDEFINED) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "dtype", "there are no sequences of %s", gei_dtype_name(item));
    set_scalar(i, dtype);
    return GE_OK;
}

static ge_status run_empty(const gei_run *run, uint32_t part) {
    (void)part;
    return gei_run_set_bundle(run, 0, NULL, 0);
}

/* ---- places ---- */

/* An integer, counted from the end when negative; `count` places, `absent` when it is not given. */
static ge_status place_of(const gei_run *run, uint32_t slot, int64_t count, int64_t absent, int64_t *out) {
    const gei_view *v = slot < run->n_in ? run->in[slot] : NULL;
    *out = absent;
    if (!v) return GE_OK;
    if (v->n_elems != 1) return gei_run_fail(run, 0, "index", "it has %lld elements, wanted one", (long long)v->n_elems);
    int64_t at = gei_view_i64(v, 0);
    *out = at < 0 ? at + count : at;
    if (*out >= 0 && *out < count) return GE_OK;
    return gei_run_fail(run, 0, "index", "%lld is out of range: there are %lld places", (long long)at, (long long)count);
}

static ge_status check_index(const gei_infer *i, uint32_t slot) {
    if (slot >= i->n_in || !i->in[slot]) return GE_OK;
    int32_t dtype = i->in[slot]->dtype;
    if (dtype == GEI_INT32 || dtype == GEI_INT64 || dtype == GEI_UNDEFINED) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, slot), "it is %s, wanted int32 or int64", gei_dtype_name(dtype));
}

/* ---- reading ---- */

static ge_status infer_at(gei_infer *i) {
    int32_t item;
    GEI_TRY(gei_check_sequence(i, 0, &item));
    GEI_TRY(check_index(i, 1));
    i->out[0].dtype = item;
    if (gei_dtype_is_bundle(item)) i->out[0].shape = gei_shape_scalar();
    return GE_OK;
}

static ge_status run_at(const gei_run *run, uint32_t part) {
    int64_t at;
    (void)part;
    GEI_TRY(place_of(run, 1, (int64_t)gei_bundle_count(run->in[0]->data), 0, &at));
    gei_view item = gei_bundle_view(run->in[0], (size_t)at);
    return gei_run_set_copy(run, 0, &item);
}

static ge_status infer_length(gei_infer *i) {
    int32_t item;
    GEI_TRY(gei_check_sequence(i, 0, &item));
    set_scalar(i, GEI_INT64);
    return GE_OK;
}

static ge_status run_length(const gei_run *run, uint32_t part) {
    int64_t count = (int64_t)gei_bundle_count(run->in[0]->data);
    (void)part;
    memcpy(run->out[0]->data, &count, sizeof count);
    return GE_OK;
}

/* ---- changing ---- */

/* Items of the old sequence but [from, from + n_gone), with `more` (nullable) in their place. */
static ge_status replace(const gei_run *run, size_t from, size_t n_gone, const gei_view *more) {
    size_t n_old = gei_bundle_count(run->in[0]->data), n = n_old - n_gone + (more ? 1 : 0), bytes, list_bytes;
    if (!gei_mul(n_old + 1, sizeof(gei_view), &bytes) || !gei_add(bytes, (n + 1) * sizeof(gei_view *), &list_bytes))
        return gei_out_of_memory(run->diag, SIZE_MAX);
    gei_view *views = (gei_view *)gei_alloc(run->heap, list_bytes, _Alignof(gei_view));
    if (!views) return gei_out_of_memory(run->diag, list_bytes);
    const gei_view **items = (const gei_view **)((char *)views + bytes);
    size_t at = 0;
    for (size_t k = 0; k <= n_old; k++) {
        if (k == from && more) items[at++] = more;
        if (k == n_old || (k >= from && k < from + n_gone)) continue;
        views[k] = gei_bundle_view(run->in[0], k);
        items[at++] = &views[k];
    }
    ge_status status = gei_run_set_bundle(run, 0, items, n);
    gei_free(run->heap, views, list_bytes, _Alignof(gei_view));
    return status;
}

static ge_status infer_insert(gei_infer *i) {
    int32_t item;
    GEI_TRY(gei_check_sequence(i, 0, &item));
    GEI_TRY(check_index(i, 2));
    int32_t more = i->in[1]->dtype;
    if (item == GEI_UNDEFINED) item = more;
    if (more != item && more != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, 1), "%s into a sequence of %s", gei_dtype_name(more), gei_dtype_name(item));
    set_scalar(i, gei_dtype_sequence(item));
    return GE_OK;
}

static ge_status run_insert(const gei_run *run, uint32_t part) {
    int64_t count = (int64_t)gei_bundle_count(run->in[0]->data), at;
    const gei_view *index = run->n_in > 2 ? run->in[2] : NULL;
    (void)part;
    /* One place more than there are items; a negative one counts from the last item. */
    if (index && index->n_elems == 1 && gei_view_i64(index, 0) == count) at = count;
    else GEI_TRY(place_of(run, 2, count, count, &at));
    return replace(run, (size_t)at, 0, run->in[1]);
}

static ge_status infer_erase(gei_infer *i) {
    int32_t item;
    GEI_TRY(gei_check_sequence(i, 0, &item));
    GEI_TRY(check_index(i, 1));
    set_scalar(i, i->in[0]->dtype);
    return GE_OK;
}

static ge_status run_erase(const gei_run *run, uint32_t part) {
    int64_t count = (int64_t)gei_bundle_count(run->in[0]->data), at;
    (void)part;
    if (count == 0) return gei_run_fail(run, 0, "handle", "it is empty");
    GEI_TRY(place_of(run, 1, count, count - 1, &at));
    return replace(run, (size_t)at, 1, NULL);
}

/* ---- rows ---- */

static ge_status map_empty(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "SequenceEmpty", NULL, 0, &node, diag));
    GEI_TRY(gei_import_dtype(im, "dtype", GEI_FLOAT32, node, "dtype", diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_kernel construct_kernels[] = { { .name = "ref", .run = run_construct }, { 0 } };
static const gei_kernel empty_kernels[] = { { .name = "ref", .run = run_empty }, { 0 } };
static const gei_kernel at_kernels[] = { { .name = "ref", .run = run_at }, { 0 } };
static const gei_kernel length_kernels[] = { { .name = "ref", .run = run_length }, { 0 } };
static const gei_kernel insert_kernels[] = { { .name = "ref", .run = run_insert }, { 0 } };
static const gei_kernel erase_kernels[] = { { .name = "ref", .run = run_erase }, { 0 } };

static const gei_source construct_sources[] = { { GEI_FROM_ONNX, "SequenceConstruct", 11, NULL, NULL }, { 0 } };
static const gei_source empty_sources[] = { { GEI_FROM_ONNX, "SequenceEmpty", 11, map_empty, NULL }, { 0 } };
static const gei_source at_sources[] = { { GEI_FROM_ONNX, "SequenceAt", 11, NULL, NULL }, { 0 } };
static const gei_source length_sources[] = { { GEI_FROM_ONNX, "SequenceLength", 11, NULL, NULL }, { 0 } };
static const gei_source insert_sources[] = { { GEI_FROM_ONNX, "SequenceInsert", 11, NULL, NULL }, { 0 } };
static const gei_source erase_sources[] = { { GEI_FROM_ONNX, "SequenceErase", 11, NULL, NULL }, { 0 } };

#define TRAITS (GEI_OP_PURE | GEI_OP_TAKES_BUNDLES)

GEI_OP(SequenceConstruct) = { .name = "SequenceConstruct", .infer = infer_construct, .kernels = construct_kernels, .sources = construct_sources, .traits = TRAITS };
GEI_OP(SequenceEmpty) = { .name = "SequenceEmpty", .infer = infer_empty, .kernels = empty_kernels, .sources = empty_sources, .traits = TRAITS };
GEI_OP(SequenceAt) = { .name = "SequenceAt", .infer = infer_at, .kernels = at_kernels, .sources = at_sources, .traits = TRAITS };
GEI_OP(SequenceLength) = { .name = "SequenceLength", .infer = infer_length, .kernels = length_kernels, .sources = length_sources, .traits = TRAITS };
GEI_OP(SequenceInsert) = { .name = "SequenceInsert", .infer = infer_insert, .kernels = insert_kernels, .sources = insert_sources, .traits = TRAITS };
GEI_OP(SequenceErase) = { .name = "SequenceErase", .infer = infer_erase, .kernels = erase_kernels, .sources = erase_sources, .traits = TRAITS };

GEI_WIDEN(SequenceConstruct, "inputs", "any");
GEI_WIDEN(SequenceAt, "y", "any");
GEI_WIDEN(SequenceInsert, "value", "any");
