/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/sgemm.h"

size_t gei_sgemm_packed_floats(const gei_sgemm_isa *isa, int64_t k, int64_t n) {
    size_t floats;
    if (__builtin_mul_overflow((size_t)gei_sgemm_panels(isa, n) * (size_t)isa->nr, (size_t)k, &floats)) return 0;
    return floats > SIZE_MAX / sizeof(float) ? 0 : floats;
}

void gei_sgemm_pack(const gei_sgemm_isa *isa, const float *b, int64_t row, int64_t col, int64_t k, int64_t n, int64_t begin, int64_t end, float *to) {
    int64_t nr = isa->nr;
    for (int64_t panel = begin; panel < end; panel++) {
        int64_t first = panel * nr, width = n - first < nr ? n - first : nr;
        float *out = to + panel * k * nr;
        for (int64_t p = 0; p < k; p++, out += nr) {
            const float *from = b + p * row + first * col;
            if (col == 1) memcpy(out, from, (size_t)width * sizeof *out);
            else for (int64_t j = 0; j < width; j++) out[j] = from[j * col];
            if (width < nr) memset(out + width, 0, (size_t)(nr - width) * sizeof *out);
        }
    }
}

size_t gei_sgemm_packed_rows_floats(const gei_sgemm_isa *isa, int64_t m, int64_t k) {
    size_t floats;
    if (__builtin_mul_overflow((size_t)((m + isa->mr - 1) / isa->mr * isa->mr), (size_t)k, &floats)) return 0;
    return floats > SIZE_MAX / sizeof(float) ? 0 : floats;
}

void gei_sgemm_pack_rows(const gei_sgemm_isa *isa, const float *a, int64_t a_row, int64_t m, int64_t k, float *to) {
    int64_t mr = isa->mr;
    for (int64_t first = 0; first < m; first += mr, to += mr * k)
        for (int64_t p = 0; p < k; p++)
            for (int64_t r = 0; r < mr; r++) to[p * mr + r] = first + r < m ? a[(first + r) * a_row + p] : 0;
}
