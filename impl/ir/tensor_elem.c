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
    double v = gei_tensor_f64(t, index);
    if (isnan(v)) return 0;
    if (v >= 0x1p63) return INT64_MAX;
    return v < -0x1p63 ? INT64_MIN : (int64_t)v;
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
