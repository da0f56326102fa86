/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/strided.h"

#include <string.h>

void gei_strided_add(gei_strided *s, int64_t dim, int64_t stride) {
    s->dims[s->rank] = dim;
    s->strides[s->rank++] = stride;
    s->n_elems *= dim;
}

void gei_strided_merge(gei_strided *s) {
    int32_t last = -1;
    for (int32_t d = 0; d < s->rank; d++) {
        if (s->dims[d] == 1) continue;
        if (last >= 0 && s->strides[last] == s->strides[d] * s->dims[d]) {
            s->dims[last] *= s->dims[d];
        } else {
            last++;
            s->dims[last] = s->dims[d];
        }
        s->strides[last] = s->strides[d];
    }
    if (last < 0) {
        last = 0;
        s->dims[0] = 1;
        s->strides[0] = 1;
    }
    s->rank = last + 1;
}

typedef struct pair { /* complex128 */
    uint64_t low, high;
} pair;

#define COPY_RUN(T)                                                        \
    for (int64_t k = 0; k < n; k++) ((T *)to)[k] = ((const T *)from)[k * stride]

/* n elements, `stride` elements apart. */
static void copy_run(size_t bytes, const void *from, int64_t stride, void *to, int64_t n) {
    if (stride == 1) {
        memcpy(to, from, (size_t)n * bytes);
        return;
    }
    switch (bytes) {
    case 1: COPY_RUN(uint8_t); break;
    case 2: COPY_RUN(uint16_t); break;
    case 4: COPY_RUN(uint32_t); break;
    case 8: COPY_RUN(uint64_t); break;
    default: COPY_RUN(pair); break;
    }
}

void gei_strided_copy(const gei_strided *s, const void *x, void *y, int64_t begin, int64_t end) {
    int64_t index[GEI_STRIDED_RANK], from = s->base, rest = begin;
    int32_t inner = s->rank - 1;
    int64_t bytes = (int64_t)s->elem_bytes;
    if (begin >= end) return;
    for (int32_t d = inner; d >= 0; d--) {
        index[d] = rest % s->dims[d];
        rest /= s->dims[d];
        from += index[d] * s->strides[d];
    }
    for (int64_t at = begin; at < end;) {
        int64_t n = s->dims[inner] - index[inner];
        if (n > end - at) n = end - at;
        copy_run(s->elem_bytes, (const char *)x + from * bytes, s->strides[inner], (char *)y + at * bytes, n);
        at += n;
        from -= index[inner] * s->strides[inner];
        index[inner] = 0;
        for (int32_t d = inner - 1; d >= 0; d--) {
            from += s->strides[d];
            if (++index[d] < s->dims[d]) break;
            from -= s->dims[d] * s->strides[d];
            index[d] = 0;
        }
    }
}
