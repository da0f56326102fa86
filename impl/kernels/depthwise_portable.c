/* SPDX-License-Identifier: Apache-2.0 */
/* Four floats at a time through the compiler's vector type: SSE2 on x86-64, plain code elsewhere. */
#include "kernels/depthwise.h"

typedef float vec4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline vec4 set1(float x) { return (vec4){ x, x, x, x }; }
static inline vec4 pick(vec4 bound, vec4 x, int larger) {
    vec4 out;
    for (int i = 0; i < 4; i++) out[i] = (larger ? bound[i] > x[i] : bound[i] < x[i]) ? bound[i] : x[i];
    return out;
}

#define VEC vec4
#define VW 4
#define ROWS 2
#define V_LOAD(p) (*(const vec4 *)(const void *)(p))
#define V_STORE(p, v) (*(vec4 *)(void *)(p) = (v))
#define V_SET1(x) set1(x)
#define V_FMA(a, b, c) ((a) * (b) + (c))
#define V_MAX(bound, x) pick((bound), (x), 1)
#define V_MIN(bound, x) pick((bound), (x), 0)
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define DEPTHWISE gei_depthwise_portable

static inline VEC load_some(const float *p, int64_t n) {
    float some[VW] = { 0 };
    for (int64_t i = 0; i < n; i++) some[i] = p[i];
    return V_LOAD(some);
}

static inline void store_some(float *p, VEC v, int64_t n) {
    float some[VW];
    V_STORE(some, v);
    for (int64_t i = 0; i < n; i++) p[i] = some[i];
}

#define V_LOAD_N(p, n) load_some(p, n)
#define V_STORE_N(p, v, n) store_some(p, v, n)
#define V_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define V_ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#include "kernels/depthwise_template.h"
