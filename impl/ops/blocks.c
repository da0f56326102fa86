/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/blocks.h"

#include <math.h>

#include "kernels/types.h"

/* X(dtype, T) of whole-byte integers */
#define INTS(X) \
    X(GEI_INT8, int8_t) X(GEI_INT16, int16_t) X(GEI_INT32, int32_t) X(GEI_INT64, int64_t) \
    X(GEI_UINT8, uint8_t) X(GEI_UINT16, uint16_t) X(GEI_UINT32, uint32_t) X(GEI_UINT64, uint64_t)

static gei_tensor tensor_over(int32_t dtype, void *data) { return (gei_tensor){ .dtype = dtype, .n_elems = INT64_MAX, .data = data }; }

static int64_t cut(double v, double low, double high_plus_1, int64_t lowest, int64_t highest) {
    if (isnan(v)) return 0;
    if (v >= high_plus_1) return highest;
    return v < low ? lowest : (int64_t)v;
}

static uint64_t cut_u64(double v) {
    if (!(v > 0)) return 0;
    return v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}

void gei_load_f32(int32_t dtype, const void *data, int64_t at, int64_t n, float *to) {
    switch (dtype) {
    case GEI_FLOAT32: memcpy(to, (const float *)data + at, (size_t)n * sizeof *to); return;
    case GEI_FLOAT64: for (int64_t k = 0; k < n; k++) to[k] = (float)((const double *)data)[at + k]; return;
    case GEI_FLOAT16: for (int64_t k = 0; k < n; k++) to[k] = gei_f16_to_f32(((const uint16_t *)data)[at + k]); return;
    case GEI_BFLOAT16: for (int64_t k = 0; k < n; k++) to[k] = gei_bf16_to_f32(((const uint16_t *)data)[at + k]); return;
    default: for (int64_t k = 0; k < n; k++) to[k] = gei_small_to_f32(dtype, ((const uint8_t *)data)[at + k]); return;
    }
}

void gei_store_f32(int32_t dtype, const float *from, void *data, int64_t at, int64_t n) {
    switch (dtype) {
    case GEI_FLOAT32: memcpy((float *)data + at, from, (size_t)n * sizeof *from); return;
    case GEI_FLOAT64: for (int64_t k = 0; k < n; k++) ((double *)data)[at + k] = (double)from[k]; return;
    case GEI_FLOAT16: for (int64_t k = 0; k < n; k++) ((uint16_t *)data)[at + k] = gei_f32_to_f16(from[k]); return;
    case GEI_BFLOAT16: for (int64_t k = 0; k < n; k++) ((uint16_t *)data)[at + k] = gei_f32_to_bf16(from[k]); return;
    default: for (int64_t k = 0; k < n; k++) ((uint8_t *)data)[at + k] = gei_f32_to_small(dtype, from[k], true); return;
    }
}

void gei_load_f64(int32_t dtype, const void *data, int64_t at, int64_t n, double *to) {
    switch (dtype) {
#define X(DTYPE, T) case DTYPE: for (int64_t k = 0; k < n; k++) to[k] = (double)((const T *)data)[at + k]; return;
        INTS(X)
        X(GEI_FLOAT32, float)
        X(GEI_FLOAT64, double)
        X(GEI_BOOL, uint8_t)
#undef X
    case GEI_FLOAT16: for (int64_t k = 0; k < n; k++) to[k] = (double)gei_f16_to_f32(((const uint16_t *)data)[at + k]); return;
    case GEI_BFLOAT16: for (int64_t k = 0; k < n; k++) to[k] = (double)gei_bf16_to_f32(((const uint16_t *)data)[at + k]); return;
    default: {
        gei_tensor t = tensor_over(dtype, (void *)(uintptr_t)data); /* only read */
        for (int64_t k = 0; k < n; k++) to[k] = gei_tensor_f64(&t, at + k);
    }
    }
}

void gei_store_f64(int32_t dtype, const double *from, void *data, int64_t at, int64_t n) {
    switch (dtype) {
#define CUT(DTYPE, T, LOW, ABOVE, LEAST, MOST) \
    case DTYPE: for (int64_t k = 0; k < n; k++) ((T *)data)[at + k] = (T)cut(from[k], LOW, ABOVE, LEAST, MOST); return;
        CUT(GEI_INT8, int8_t, -0x1p7, 0x1p7, INT8_MIN, INT8_MAX)
        CUT(GEI_INT16, int16_t, -0x1p15, 0x1p15, INT16_MIN, INT16_MAX)
        CUT(GEI_INT32, int32_t, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)
        CUT(GEI_INT64, int64_t, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)
        CUT(GEI_UINT8, uint8_t, 0, 0x1p8, 0, UINT8_MAX)
        CUT(GEI_UINT16, uint16_t, 0, 0x1p16, 0, UINT16_MAX)
        CUT(GEI_UINT32, uint32_t, 0, 0x1p32, 0, UINT32_MAX)
#undef CUT
    case GEI_UINT64: for (int64_t k = 0; k < n; k++) ((uint64_t *)data)[at + k] = cut_u64(from[k]); return;
    case GEI_BOOL: for (int64_t k = 0; k < n; k++) ((uint8_t *)data)[at + k] = from[k] != 0; return;
    case GEI_FLOAT32: for (int64_t k = 0; k < n; k++) ((float *)data)[at + k] = (float)from[k]; return;
    case GEI_FLOAT64: memcpy((double *)data + at, from, (size_t)n * sizeof *from); return;
    case GEI_FLOAT16: for (int64_t k = 0; k < n; k++) ((uint16_t *)data)[at + k] = gei_f64_to_f16(from[k]); return;
    case GEI_BFLOAT16: for (int64_t k = 0; k < n; k++) ((uint16_t *)data)[at + k] = gei_f64_to_bf16(from[k]); return;
    default: {
        gei_tensor t = tensor_over(dtype, data);
        for (int64_t k = 0; k < n; k++) (void)gei_tensor_put_f64(&t, at + k, from[k]);
    }
    }
}

void gei_load_i64(int32_t dtype, const void *data, int64_t at, int64_t n, int64_t *to) {
    switch (dtype) {
#define X(DTYPE, T) case DTYPE: for (int64_t k = 0; k < n; k++) to[k] = (int64_t)((const T *)data)[at + k]; return;
        INTS(X)
        X(GEI_BOOL, uint8_t)
#undef X
    default: {
        gei_tensor t = tensor_over(dtype, (void *)(uintptr_t)data); /* only read */
        for (int64_t k = 0; k < n; k++) to[k] = gei_tensor_i64(&t, at + k);
    }
    }
}

void gei_store_i64(int32_t dtype, const int64_t *from, void *data, int64_t at, int64_t n) {
    switch (dtype) {
#define X(DTYPE, T) case DTYPE: for (int64_t k = 0; k < n; k++) ((T *)data)[at + k] = (T)from[k]; return;
        INTS(X)
        X(GEI_FLOAT32, float)
        X(GEI_FLOAT64, double)
#undef X
    case GEI_BOOL: for (int64_t k = 0; k < n; k++) ((uint8_t *)data)[at + k] = from[k] != 0; return;
    default: {
        gei_tensor t = tensor_over(dtype, data);
        for (int64_t k = 0; k < n; k++) (void)gei_tensor_put_i64(&t, at + k, from[k]);
    }
    }
}
