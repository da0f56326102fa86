/* SPDX-License-Identifier: Apache-2.0 */
/* One element of a tensor as a number, whatever its type. */
#include <math.h>
#include <string.h>

#include "ir/half.h"
#include "ir/tensor.h"

/* `bits` at most 64, from bit `index * bits`, low bits first. */
static uint64_t load_bits(const gei_tensor *t, int64_t index, uint32_t bits) {
    const uint8_t *data = (const uint8_t *)t->data;
    if (bits % 8 == 0) {
        uint64_t v = 0;
        memcpy(&v, data + (size_t)index * (bits / 8), bits / 8); /* little-endian machine: DESIGN.md section 1 */
        return v;
    }
    uint64_t first = (uint64_t)index * bits, v = data[first / 8] >> (first % 8);
    if (first % 8 + bits > 8) v |= (uint64_t)data[first / 8 + 1] << (8 - first % 8);
    return v & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign_extend(uint64_t v, uint32_t bits) {
    if (bits == 64) return (int64_t)v;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((v ^ sign) - sign);
}

static int64_t saturate_i64(double v) {
    if (isnan(v)) return 0;
    if (v >= 0x1p63) return INT64_MAX;
    return v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

static double float_of(int32_t dtype, uint64_t code) {
    double d;
    switch (dtype) {
    case GEI_FLOAT64: memcpy(&d, &code, sizeof d); return d;
    case GEI_FLOAT32: case GEI_COMPLEX64: return gei_f32_of_bits((uint32_t)code);
    case GEI_FLOAT16: case GEI_COMPLEX32: return gei_f16_to_f32((uint16_t)code);
    case GEI_BFLOAT16: return gei_bf16_to_f32((uint16_t)code);
    default: return gei_small_to_f32(dtype, (uint8_t)code);
    }
}

static bool load(const gei_tensor *t, int64_t index, const gei_dtype_info **out_info, uint64_t *out_code) {
    const gei_dtype_info *info = gei_dtype_get(t->dtype);
    if (!info || info->bits == 0 || index < 0 || index >= t->n_elems) return false;
    if (info->dtype == GEI_COMPLEX128) { /* real part */
        memcpy(out_code, (const char *)t->data + (size_t)index * 16, sizeof *out_code);
    } else {
        *out_code = load_bits(t, index, info->bits);
    }
    *out_info = info;
    return true;
}

int64_t gei_tensor_i64(const gei_tensor *t, int64_t index) {
    const gei_dtype_info *info;
    uint64_t code;
    if (!load(t, index, &info, &code)) return 0;
    switch (info->kind) {
    case GEI_KIND_INT: return sign_extend(code, info->bits);
    case GEI_KIND_UINT: return (int64_t)code;
    case GEI_KIND_BOOL: return code != 0;
    default: break;
    }
    return saturate_i64(gei_tensor_f64(t, index));
}

double gei_tensor_f64(const gei_tensor *t, int64_t index) {
    const gei_dtype_info *info;
    uint64_t code;
    if (!load(t, index, &info, &code)) return 0;
    switch (info->kind) {
    case GEI_KIND_INT: return (double)sign_extend(code, info->bits);
    case GEI_KIND_UINT: return (double)code;
    case GEI_KIND_BOOL: return code != 0;
    case GEI_KIND_FLOAT: return float_of(t->dtype, code);
    case GEI_KIND_COMPLEX: return float_of(t->dtype == GEI_COMPLEX128 ? GEI_FLOAT64 : t->dtype, code);
    default: return 0;
    }
}

/* ---- writing ---- */

static void store_bits(gei_tensor *t, int64_t index, uint32_t bits, uint64_t v) {
    uint8_t *data = (uint8_t *)t->data;
    if (bits % 8 == 0) {
        memcpy(data + (size_t)index * (bits / 8), &v, bits / 8);
        return;
    }
    uint64_t first = (uint64_t)index * bits;
    for (uint32_t i = 0; i < bits; i++) {
        uint8_t mask = (uint8_t)(1u << ((first + i) % 8)), *at = &data[(first + i) / 8];
        *at = (uint8_t)(v >> i & 1 ? *at | mask : *at & ~mask);
    }
}

static uint64_t code_of(int32_t dtype, double v) {
    uint64_t code = 0;
    switch (dtype) {
    case GEI_FLOAT64: memcpy(&code, &v, sizeof v); return code;
    case GEI_FLOAT32: return gei_f32_bits((float)v);
    case GEI_FLOAT16: return gei_f32_to_f16(gei_f64_to_f32_odd(v));
    case GEI_BFLOAT16: return gei_f32_to_bf16(gei_f64_to_f32_odd(v));
    default: return gei_f32_to_small(dtype, gei_f64_to_f32_odd(v), true);
    }
}

static const gei_dtype_info *writable(const gei_tensor *t, int64_t index) {
    bool allowed = gei_dtype_is_real(t->dtype) && !t->read_only && index >= 0 && index < t->n_elems;
    return allowed ? gei_dtype_get(t->dtype) : NULL;
}

bool gei_tensor_put_i64(gei_tensor *t, int64_t index, int64_t v) {
    const gei_dtype_info *info = writable(t, index);
    if (!info) return false;
    if (info->kind == GEI_KIND_FLOAT) return gei_tensor_put_f64(t, index, (double)v);
    store_bits(t, index, info->bits, info->kind == GEI_KIND_BOOL ? v != 0 : (uint64_t)v);
    return true;
}

bool gei_tensor_put_f64(gei_tensor *t, int64_t index, double v) {
    const gei_dtype_info *info = writable(t, index);
    if (!info) return false;
    if (info->kind == GEI_KIND_BOOL) return gei_tensor_put_i64(t, index, v != 0);
    if (info->kind != GEI_KIND_FLOAT) return gei_tensor_put_i64(t, index, saturate_i64(v));
    store_bits(t, index, info->bits, code_of(t->dtype, v));
    return true;
}
