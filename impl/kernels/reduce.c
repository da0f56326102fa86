/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/reduce.h"

#include <math.h>
#include <stddef.h>

static void add_dim(gei_axes *a, int64_t dim, int64_t stride, int can_merge) {
    a->n *= dim;
    if (a->rank > 0 && can_merge) {
        a->dims[a->rank - 1] *= dim;
        a->strides[a->rank - 1] = stride;
        return;
    }
    a->dims[a->rank] = dim;
    a->strides[a->rank++] = stride;
}

void gei_split_axes(gei_split *s, int32_t rank, const int64_t *dims, uint32_t reduced_mask) {
    int64_t stride = 1;
    gei_axes *before = NULL;
    *s = (gei_split){ .kept = { .n = 1 }, .reduced = { .n = 1 } };
    for (int32_t d = 0; d < rank; d++) stride *= dims[d] > 0 ? dims[d] : 1;
    for (int32_t d = 0; d < rank; d++) {
        gei_axes *to = reduced_mask >> d & 1 ? &s->reduced : &s->kept;
        stride /= dims[d] > 0 ? dims[d] : 1;
        if (dims[d] == 1) continue;
        add_dim(to, dims[d], stride, to == before);
        before = to;
    }
    if (s->kept.rank == 0) add_dim(&s->kept, 1, 1, 0);
    if (s->reduced.rank == 0) add_dim(&s->reduced, 1, 1, 0);
}

int64_t gei_axes_offset(const gei_axes *a, int64_t index) {
    int64_t offset = 0;
    for (int32_t d = a->rank - 1; d > 0; d--) {
        offset += index % a->dims[d] * a->strides[d];
        index /= a->dims[d];
    }
    return offset + index * a->strides[0];
}

#define SOFTMAX(suffix, T, R, LOAD, STORE)                                                                                \
    void gei_softmax_ref_##suffix(const gei_split *s, const void *x_, void *y_, int log_, int64_t begin, int64_t end) {   \
        const T *x = (const T *)x_;                                                                                       \
        R *y = (R *)y_;                                                                                                   \
        for (int64_t k = begin; k < end; k++) {                                                                           \
            int64_t base = gei_axes_offset(&s->kept, k);                                                                  \
            double max = -INFINITY, sum = 0;                                                                              \
            GEI_FOR_REDUCED(s, base, at) max = LOAD(x[at]) > max ? LOAD(x[at]) : max;                                     \
            GEI_FOR_REDUCED(s, base, at) sum += exp(LOAD(x[at]) - max);                                                   \
            double log_sum = log(sum);                                                                                    \
            GEI_FOR_REDUCED(s, base, at) {                                                                                \
                double v = LOAD(x[at]) - max;                                                                             \
                y[at] = STORE(log_ ? v - log_sum : exp(v) / sum);                                                         \
            }                                                                                                             \
        }                                                                                                                 \
    }
#define X(suffix, T, LOAD, STORE) SOFTMAX(suffix, T, T, LOAD, STORE)
GEI_FLOAT_TYPES(X)
#undef X
SOFTMAX(f16_f32, uint16_t, float, gei_f16_to_f32, (float))
