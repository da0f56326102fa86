/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/selection/scatter.h"

#include <string.h>

#include "kernels/types.h"

ge_status gei_read_reduction(const gei_infer *i, gei_combine *out) {
    static const struct {
        const char *text;
        gei_combine how;
    } all[] = { { "none", GEI_COMBINE_NONE }, { "add", GEI_COMBINE_ADD }, { "mul", GEI_COMBINE_MUL }, { "max", GEI_COMBINE_MAX }, { "min", GEI_COMBINE_MIN } };
    const char *text = gei_node_text(i->node, "reduction", "none");
    for (size_t k = 0; k < GEI_COUNT(all); k++) {
        if (strcmp(text, all[k].text) != 0) continue;
        *out = all[k].how;
        return GE_OK;
    }
    return gei_infer_fail(i, GE_ERR_BAD_ATTR, "reduction", "unknown value '%s'", text);
}

ge_status gei_check_combine(const gei_infer *i, uint32_t data, uint32_t updates, gei_combine how) {
    int32_t a = i->in[data]->dtype, b = i->in[updates]->dtype;
    if (a == GEI_UNDEFINED) return GE_OK;
    if (b != GEI_UNDEFINED && a != b)
        return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, updates), "%s, but %s is %s", gei_dtype_name(b), gei_infer_port(i, data), gei_dtype_name(a));
    if (how == GEI_COMBINE_NONE || gei_combine_function(a)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, data), "data type %s cannot be combined", gei_dtype_name(a));
}

#define COMBINE(suffix, T, V, A, LOAD, STORE)                                                         \
    static void combine_##suffix(gei_combine how, void *y_, const void *updates_, int64_t n) {        \
        const T *updates = (const T *)updates_;                                                       \
        T *y = (T *)y_;                                                                               \
        for (int64_t k = 0; k < n; k++) {                                                             \
            const V a = LOAD(y[k]), b = LOAD(updates[k]);                                             \
            V r = b;                                                                                  \
            switch (how) {                                                                            \
            case GEI_COMBINE_ADD: r = (V)((A)a + (A)b); break;                                        \
            case GEI_COMBINE_SUB: r = (V)((A)a - (A)b); break;                                        \
            case GEI_COMBINE_MUL: r = (V)((A)a * (A)b); break;                                        \
            case GEI_COMBINE_MAX: r = a > b || a != a ? a : b; break;                                 \
            case GEI_COMBINE_MIN: r = a < b || a != a ? a : b; break;                                 \
            default: break;                                                                           \
            }                                                                                         \
            y[k] = (T)STORE(r);                                                                       \
        }                                                                                             \
    }
COMBINE(f32, float, float, float, GEI_PLAIN, GEI_PLAIN)
COMBINE(f64, double, double, double, GEI_PLAIN, GEI_PLAIN)
COMBINE(f16, uint16_t, float, float, gei_f16_to_f32, gei_f32_to_f16)
COMBINE(bf16, uint16_t, float, float, gei_bf16_to_f32, gei_f32_to_bf16)
#define X(suffix, T, U) COMBINE(suffix, T, T, U, GEI_PLAIN, GEI_PLAIN)
GEI_INT_TYPES(X)
#undef X

gei_combine_fn gei_combine_function(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT32: return combine_f32;
    case GEI_FLOAT64: return combine_f64;
    case GEI_FLOAT16: return combine_f16;
    case GEI_BFLOAT16: return combine_bf16;
    case GEI_INT8: return combine_i8;
    case GEI_INT16: return combine_i16;
    case GEI_INT32: return combine_i32;
    case GEI_INT64: return combine_i64;
    case GEI_UINT8: return combine_u8;
    case GEI_UINT16: return combine_u16;
    case GEI_UINT32: return combine_u32;
    case GEI_UINT64: return combine_u64;
    default: return NULL;
    }
}
