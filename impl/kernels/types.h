/* SPDX-License-Identifier: Apache-2.0 */
/* types: the element types a reference loop is instantiated for.  LOAD widens an element to double (or its integer), STORE rounds
 * the double result once. */
#ifndef GEI_KERNELS_TYPES_H
#define GEI_KERNELS_TYPES_H

#include <stdint.h>

#include "ir/half.h"

static inline uint16_t gei_f64_to_f16(double v) { return gei_f32_to_f16(gei_f64_to_f32_odd(v)); }
static inline uint16_t gei_f64_to_bf16(double v) { return gei_f32_to_bf16(gei_f64_to_f32_odd(v)); }
#define GEI_PLAIN(v) (v)

/* X(suffix, T, LOAD, STORE) */
#define GEI_FLOAT_TYPES(X)                                   \
    X(f32, float, GEI_PLAIN, (float))                        \
    X(f64, double, GEI_PLAIN, GEI_PLAIN)                     \
    X(f16, uint16_t, gei_f16_to_f32, gei_f64_to_f16)         \
    X(bf16, uint16_t, gei_bf16_to_f32, gei_f64_to_bf16)

/* X(suffix, T, U): U is the unsigned type sums wrap in */
#define GEI_INT_TYPES(X)     \
    X(i8, int8_t, uint64_t)  \
    X(i16, int16_t, uint64_t) \
    X(i32, int32_t, uint64_t) \
    X(i64, int64_t, uint64_t) \
    X(u8, uint8_t, uint64_t) \
    X(u16, uint16_t, uint64_t) \
    X(u32, uint32_t, uint64_t) \
    X(u64, uint64_t, uint64_t)

#endif
