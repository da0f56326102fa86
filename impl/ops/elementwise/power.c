/* SPDX-License-Identifier: Apache-2.0 */
/* Pow: x1 ^ x2 in the type of x1; x2 may be of another type (ONNX 12).
 * Integers wrap; a negative exponent gives the true value cut off: 1 and -1 keep their size, others give 0. */
#include "ops/blocks.h"
#include "ops/elementwise.h"

/* Modulo 2^64, which cut to a narrower type is modulo its width. */
static uint64_t power_up(uint64_t base, uint64_t exponent) {
    uint64_t r = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) r *= base;
    return r;
}

static int64_t power_i64(int64_t base, int64_t exponent) {
    if (exponent >= 0) return (int64_t)power_up((uint64_t)base, (uint64_t)exponent);
    if (base == 1) return 1;
    if (base == -1) return exponent & 1 ? -1 : 1;
    return 0;
}

GEI_FLOAT_LOOPS(GEI_BINARY_LOOP, Pow, b == 2 ? a * a : pow(a, b))
GEI_SIGNED_LOOPS(GEI_BINARY_LOOP, Pow, power_i64(a, b))
GEI_UNSIGNED_LOOPS(GEI_BINARY_LOOP, Pow, power_up(a, b))
GEI_COMPLEX_LOOPS(GEI_BINARY_LOOP, Pow, pow(a, b))
static const gei_binary Pow_binary = { .loops = { GEI_FLOAT_LANES(Pow), GEI_INT_LANES(Pow), GEI_COMPLEX_LANES(Pow) }, .to = GEI_UNDEFINED };

static ge_status infer_pow(gei_infer *i) {
    const gei_shape *shapes[2] = { &i->in[0]->shape, &i->in[1]->shape };
    int32_t base = i->in[0]->dtype, exponent = i->in[1]->dtype;
    if (base == exponent || base == GEI_UNDEFINED || exponent == GEI_UNDEFINED) return gei_infer_binary(i, &Pow_binary);
    i->out[0].dtype = base;
    if (!gei_dtype_is_real(base) || gei_lane_of(base) == GEI_LANE_NONE || !gei_dtype_is_real(exponent))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, NULL, "%s to the power of %s is not supported", gei_dtype_name(base), gei_dtype_name(exponent));
    return gei_infer_broadcast(i, shapes, 2, &i->out[0].shape);
}

static bool is_float(int32_t dtype) { return gei_dtype_get(dtype)->kind == GEI_KIND_FLOAT; }

static void power_floats(const gei_run *run, const gei_broadcast_walk *w, int64_t done, int64_t n, const int64_t *step) {
    double a[GEI_BLOCK], b[GEI_BLOCK];
    gei_load_f64(run->in[0]->dtype, run->in[0]->data, w->offset[0] + done * step[0], step[0] ? n : 1, a);
    gei_load_f64(run->in[1]->dtype, run->in[1]->data, w->offset[1] + done * step[1], step[1] ? n : 1, b);
    for (int64_t k = n - 1; k >= 0; k--) a[k] = pow(a[k * step[0]], b[k * step[1]]);
    gei_store_f64(run->out[0]->dtype, a, run->out[0]->data, w->at + done, n);
}

static void power_ints(const gei_run *run, const gei_broadcast_walk *w, int64_t done, int64_t n, const int64_t *step) {
    int64_t a[GEI_BLOCK], b[GEI_BLOCK];
    bool unsigned_exponent = gei_dtype_get(run->in[1]->dtype)->kind != GEI_KIND_INT;
    gei_load_i64(run->in[0]->dtype, run->in[0]->data, w->offset[0] + done * step[0], step[0] ? n : 1, a);
    gei_load_i64(run->in[1]->dtype, run->in[1]->data, w->offset[1] + done * step[1], step[1] ? n : 1, b);
    for (int64_t k = n - 1; k >= 0; k--) {
        int64_t base = a[k * step[0]], exponent = b[k * step[1]];
        a[k] = unsigned_exponent ? (int64_t)power_up((uint64_t)base, (uint64_t)exponent) : power_i64(base, exponent);
    }
    gei_store_i64(run->out[0]->dtype, a, run->out[0]->data, w->at + done, n);
}

static ge_status run_pow(const gei_run *run, uint32_t part) {
    const gei_broadcast *plan = (const gei_broadcast *)run->sized;
    int64_t begin, end, step[2] = { gei_broadcast_step(plan, 0), gei_broadcast_step(plan, 1) };
    bool floats = is_float(run->in[0]->dtype) || is_float(run->in[1]->dtype);
    gei_broadcast_walk w;
    if (run->in[0]->dtype == run->in[1]->dtype) return gei_run_binary(run, part, &Pow_binary);
    gei_part_range(plan->n_elems, run->n_parts, part, &begin, &end);
    for (bool more = gei_broadcast_first(&w, plan, begin, end); more; more = gei_broadcast_next(&w)) {
        for (int64_t done = 0; done < w.run; done += GEI_BLOCK) {
            int64_t n = w.run - done < GEI_BLOCK ? w.run - done : GEI_BLOCK;
            if (floats) power_floats(run, &w, done, n, step);
            else power_ints(run, &w, done, n, step);
        }
    }
    return GE_OK;
}

static ge_status size_pow(gei_sizing *s, gei_diag *diag) {
    GEI_TRY(gei_size_broadcast(s, diag));
    s->cost *= 20;
    return GE_OK;
}

static const gei_kernel pow_kernels[] = { GEI_WIDE_KERNEL(size_pow, run_pow, 3), { .name = "ref", .size = size_pow, .run = run_pow, .in_place = 3 }, { 0 } };
static const gei_source pow_sources[] = { GEI_ONNX_AXIS("Pow"), { 0 } };

GEI_OP(Pow) = { .name = "Pow", .infer = infer_pow, .kernels = pow_kernels, .sources = pow_sources, .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };
GEI_WIDEN(Pow, "*", "number");
