/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers.  Element k depends on the seeds and k alone: the same for any number of threads.  Seeds 0, 0 mean "other numbers in
 * each run"; an ONNX seed, which is a float, goes in as its bits with seed2 = 1.
 *
 *   RandomUniform, RandomStandardNormal      shape is an input
 *   GeRandomUniform, GeRandomNormal (ours)   shape of x if there is one, else the attribute; range or mean and scale
 *   GeBernoulli (ours)                       1 with probability x
 *   Multinomial                              classes drawn by unnormalised log-probabilities */
#include "ops/random/random.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "ir/half.h"
#include "ops/blocks.h"

/* ---- numbers: Steele, Lea, Flood 2014 (splitmix64), the state being a counter ---- */

static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

double gei_random_uniform(uint64_t seed, uint64_t k) {
    return (double)(mix(mix(seed) + (k + 1) * UINT64_C(0x9E3779B97F4A7C15)) >> 11) * 0x1p-53;
}

/* Box and Muller: one of the pair. */
static double normal_at(uint64_t seed, uint64_t k) {
    double u = 1 - gei_random_uniform(seed, 2 * k), v = gei_random_uniform(seed, 2 * k + 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586476925286766559 * v);
}

uint64_t gei_random_seed(const gei_node *node) {
    static atomic_uint_fast64_t runs; /* so that two runs in one tick of the clock differ */
    uint64_t seed = (uint64_t)gei_node_int(node, "seed", 0), seed2 = (uint64_t)gei_node_int(node, "seed2", 0);
    if (seed || seed2) return mix(seed) + seed2;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return mix((uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec) + mix(atomic_fetch_add(&runs, 1));
}

/* ---- what is drawn ---- */

typedef struct drawing { /* value = from + by * (uniform or normal) */
    uint64_t seed;
    double from, by;
    bool normal;
} drawing;

static ge_status draw(const gei_run *run, const drawing *d) {
    const gei_view *y = run->out[0];
    double block[GEI_BLOCK];
    for (int64_t at = 0; at < y->n_elems; at += GEI_BLOCK) {
        int64_t n = y->n_elems - at < GEI_BLOCK ? y->n_elems - at : GEI_BLOCK;
        for (int64_t k = 0; k < n; k++) {
            uint64_t index = (uint64_t)(at + k);
            block[k] = d->from + d->by * (d->normal ? normal_at(d->seed, index) : gei_random_uniform(d->seed, index));
        }
        gei_store_f64(y->dtype, block, y->data, at, n);
    }
    return GE_OK;
}

static ge_status run_uniform(const gei_run *run, uint32_t part) {
    (void)part;
    return draw(run, &(drawing){ gei_random_seed(run->node), 0, 1, false });
}

static ge_status run_normal(const gei_run *run, uint32_t part) {
    (void)part;
    return draw(run, &(drawing){ gei_random_seed(run->node), 0, 1, true });
}

static ge_status run_ge_uniform(const gei_run *run, uint32_t part) {
    double low = gei_node_float(run->node, "low", 0), high = gei_node_float(run->node, "high", 1);
    (void)part;
    return draw(run, &(drawing){ gei_random_seed(run->node), low, high - low, false });
}

static ge_status run_ge_normal(const gei_run *run, uint32_t part) {
    double mean = gei_node_float(run->node, "mean", 0), scale = gei_node_float(run->node, "scale", 1);
    (void)part;
    return draw(run, &(drawing){ gei_random_seed(run->node), mean, scale, true });
}

static ge_status run_bernoulli(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    uint64_t seed = gei_random_seed(run->node);
    double block[GEI_BLOCK];
    (void)part;
    for (int64_t at = 0; at < y->n_elems; at += GEI_BLOCK) {
        int64_t n = y->n_elems - at < GEI_BLOCK ? y->n_elems - at : GEI_BLOCK;
        gei_load_f64(x->dtype, x->data, at, n, block);
        for (int64_t k = 0; k < n; k++) block[k] = gei_random_uniform(seed, (uint64_t)(at + k)) < block[k] ? 1 : 0;
        gei_store_f64(y->dtype, block, y->data, at, n);
    }
    return GE_OK;
}

/* ---- shapes ---- */

static ge_status set_dtype(gei_infer *i, int64_t dtype, bool only_floats) {
    i->out[0].dtype = (int32_t)dtype;
    const gei_dtype_info *info = gei_dtype_get((int32_t)dtype);
    if (dtype == GEI_UNDEFINED) return GE_OK;
    if (info && gei_dtype_is_real(info->dtype) && info->bits >= 8 && !gei_is_small_float(info->dtype) && (!only_floats || info->kind == GEI_KIND_FLOAT))
        return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dtype", "data type %s is not supported", info ? info->name : "?");
}

static ge_status set_shape(gei_infer *i, const char *port, const int64_t *dims, size_t count) {
    gei_words words;
    if (count > GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_RANK, port, "%zu dims, at most %d", count, GEI_MAX_RANK);
    for (size_t k = 0; k < count; k++)
        if (dims[k] < 0) return gei_infer_fail(i, GE_ERR_SHAPE, port, "%s: %lld is no size", gei_ints_words(dims, count, &words), (long long)dims[k]);
    i->out[0].shape = gei_shape_of((int32_t)count, dims);
    return GE_OK;
}

static ge_status infer_from_shape_input(gei_infer *i) {
    const gei_shape *shape = &i->in[0]->shape;
    gei_dim dims[GEI_MAX_RANK];
    int64_t numbers[GEI_MAX_RANK];
    size_t count, minus_one;
    GEI_TRY(set_dtype(i, gei_node_int(i->node, "dtype", GEI_FLOAT32), true));
    GEI_TRY(gei_infer_rank(i, 0, 1, 1));
    if (gei_infer_ints(i, 0, numbers, GEI_MAX_RANK, &count)) return set_shape(i, "shape", numbers, count);
    if (!gei_infer_dims(i, 0, dims, GEI_MAX_RANK, &count, &minus_one)) {
        if (shape->rank != 1 || !gei_dim_known(shape->dims[0])) return GE_OK;
        if (shape->dims[0] > GEI_MAX_RANK) return gei_infer_fail(i, GE_ERR_RANK, "shape", "%lld dims, at most %d", (long long)shape->dims[0], GEI_MAX_RANK);
        count = (size_t)shape->dims[0];
        for (size_t k = 0; k < count; k++) dims[k] = GEI_DIM_UNKNOWN;
    }
    i->out[0].shape = gei_shape_of((int32_t)count, dims);
    return GE_OK;
}

static ge_status infer_like_or_attr(gei_infer *i) {
    const gei_info *x = gei_infer_in(i, 0);
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_UNDEFINED);
    gei_int_list shape = gei_node_ints(i->node, "shape");
    GEI_TRY(set_dtype(i, dtype != GEI_UNDEFINED ? dtype : x ? x->dtype : GEI_FLOAT32, true));
    if (!x) return set_shape(i, "shape", shape.data, shape.count);
    i->out[0].shape = x->shape;
    return GE_OK;
}

static ge_status infer_bernoulli(gei_infer *i) {
    int64_t dtype = gei_node_int(i->node, "dtype", GEI_UNDEFINED);
    if (i->in[0]->dtype != GEI_UNDEFINED && gei_dtype_get(i->in[0]->dtype)->kind != GEI_KIND_FLOAT)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
    GEI_TRY(set_dtype(i, dtype == GEI_UNDEFINED ? i->in[0]->dtype : dtype, false));
    i->out[0].shape = i->in[0]->shape;
    return GE_OK;
}

/* ---- ONNX ---- */

ge_status gei_import_seed(const gei_import *im, gei_node *node, gei_diag *diag) {
    if (!gei_import_has_attr(im, "seed")) return GE_OK;
    GEI_TRY(gei_import_set_int(node, "seed", (int64_t)gei_f32_bits((float)gei_import_float(im, "seed", 0)), diag));
    return gei_import_set_int(node, "seed2", 1, diag);
}

static ge_status copy_float(const gei_import *im, gei_node *node, const char *name, gei_diag *diag) {
    return gei_import_has_attr(im, name) ? gei_import_set_float(node, name, gei_import_float(im, name, 0), diag) : GE_OK;
}

static ge_status map_random(gei_import *im, const char *first, const char *second, gei_diag *diag) {
    gei_int_list shape = gei_import_ints(im, "shape");
    gei_node *node;
    GEI_TRY(gei_import_node(im, im->op->name, im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_dtype(im, "dtype", im->n_inputs ? GEI_UNDEFINED : GEI_FLOAT32, node, "dtype", diag));
    GEI_TRY(gei_import_seed(im, node, diag));
    GEI_TRY(copy_float(im, node, first, diag));
    GEI_TRY(copy_float(im, node, second, diag));
    if (im->n_inputs == 0) GEI_TRY(gei_import_set_ints(node, "shape", shape.data, shape.count, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static ge_status map_uniform(gei_import *im, gei_diag *diag) { return map_random(im, "low", "high", diag); }
static ge_status map_normal(gei_import *im, gei_diag *diag) { return map_random(im, "mean", "scale", diag); }

static ge_status map_bernoulli(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GeBernoulli", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_dtype(im, "dtype", GEI_UNDEFINED, node, "dtype", diag));
    GEI_TRY(gei_import_seed(im, node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

/* ---- rows ---- */

#define KERNEL(fn) { { .name = "ref", .run = fn }, { 0 } }
static const gei_kernel uniform_kernels[] = KERNEL(run_uniform);
static const gei_kernel normal_kernels[] = KERNEL(run_normal);
static const gei_kernel ge_uniform_kernels[] = KERNEL(run_ge_uniform);
static const gei_kernel ge_normal_kernels[] = KERNEL(run_ge_normal);
static const gei_kernel bernoulli_kernels[] = KERNEL(run_bernoulli);

#define SOURCES(a, b, map) { { GEI_FROM_ONNX, a, 1, map, NULL }, { GEI_FROM_ONNX, b, 1, map, NULL }, { 0 } }
static const gei_source uniform_sources[] = SOURCES("RandomUniform", "RandomUniformLike", map_uniform);
static const gei_source normal_sources[] = SOURCES("RandomNormal", "RandomNormalLike", map_normal);
static const gei_source bernoulli_sources[] = { { GEI_FROM_ONNX, "Bernoulli", 15, map_bernoulli, NULL }, { 0 } };

GEI_OP(RandomUniform) = { .name = "RandomUniform", .infer = infer_from_shape_input, .kernels = uniform_kernels, .traits = GEI_OP_RANDOM, .needs_value = 1 };
GEI_OP(RandomStandardNormal) = { .name = "RandomStandardNormal", .infer = infer_from_shape_input, .kernels = normal_kernels,
                                 .traits = GEI_OP_RANDOM, .needs_value = 1 };
GEI_OP(GeRandomUniform) = { .name = "GeRandomUniform", .infer = infer_like_or_attr, .kernels = ge_uniform_kernels, .sources = uniform_sources,
                            .traits = GEI_OP_RANDOM };
GEI_OP(GeRandomNormal) = { .name = "GeRandomNormal", .infer = infer_like_or_attr, .kernels = ge_normal_kernels, .sources = normal_sources,
                           .traits = GEI_OP_RANDOM };
GEI_OP(GeBernoulli) = { .name = "GeBernoulli", .infer = infer_bernoulli, .kernels = bernoulli_kernels, .sources = bernoulli_sources,
                        .traits = GEI_OP_RANDOM };
