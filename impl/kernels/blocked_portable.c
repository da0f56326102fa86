/* SPDX-License-Identifier: Apache-2.0 */
/* Four floats at a time through the compiler's vector type: SSE2 on x86-64, plain code elsewhere. */
#include "kernels/blocked.h"

typedef float vec4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline vec4 set1(float x) { return (vec4){ x, x, x, x }; }
static inline vec4 pick(vec4 bound, vec4 x, int larger) {
    vec4 out;
    for (int i = 0; i < 4; i++) out[i] = (larger ? bound[i] > x[i] : bound[i] < x[i]) ? bound[i] : x[i];
    return out;
}
static inline vec4 larger(vec4 a, vec4 b) {
    vec4 out;
    for (int i = 0; i < 4; i++) out[i] = a[i] > b[i] || a[i] != a[i] ? a[i] : b[i];
    return out;
}

#define VEC vec4
#define VW 4
#define V_ZERO() ((vec4){ 0, 0, 0, 0 })
#define V_LOAD(p) (*(const vec4 *)(const void *)(p))
#define V_STORE(p, v) (*(vec4 *)(void *)(p) = (v))
#define V_SET1(x) set1(x)
#define V_FMA(a, b, c) ((a) * (b) + (c))
#define V_ADD(a, b) ((a) + (b))
#define V_SUB(a, b) ((a) - (b))
#define V_IS_ZERO(v) ((v)[0] == 0 && (v)[1] == 0 && (v)[2] == 0 && (v)[3] == 0)
#define V_MUL(a, b) ((a) * (b))
#define V_MAX(bound, x) pick((bound), (x), 1)
#define V_MIN(bound, x) pick((bound), (x), 0)
#define V_LARGER(a, b) larger((a), (b))
#define PANEL 1
#define ROWS_1 2
#define TAP_ROWS 2
#define DEPTH 4
#define BLOCKED gei_blocked_portable
#define BLOCKED_NAME "portable"
#include "kernels/blocked_template.h"
