/* SPDX-License-Identifier: Apache-2.0 */
/* sgemm: float32 matrix product on packed right operands, c = act(a * b + bias [+ residual]).
 *
 *   packed b: panels of `nr` columns, [ceil(n / nr)][k][nr], the last one filled up with zeros
 *   tile:     mr rows x nr columns of c in registers, k in blocks that keep a panel block in the second-level cache
 *
 * A result does not depend on how rows and panels are split over parts: each element is summed in the order of k. */
#ifndef GEI_KERNELS_SGEMM_H
#define GEI_KERNELS_SGEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gei_act { GEI_ACT_NONE = 0, GEI_ACT_CLIP } gei_act; /* clip: max(lo, min(x, hi)); relu is lo 0, hi infinity; NaN stays */

#define GEI_SGEMM_MOST_COLUMNS 64 /* nr of any instruction set is at most this */

typedef struct gei_sgemm {
    int64_t m, n, k;
    const float *a;        /* row-major, or packed by gei_sgemm_pack_rows */
    int64_t a_row;         /* elements between rows of a, when it is not packed */
    bool a_is_packed;
    const float *b;        /* packed */
    int64_t b_row;         /* of .block: floats between rows of its b, whole panels only; 0: packed */
    const float *bias;     /* n, or NULL */
    const float *row_bias; /* m, or NULL: instead of bias where c has channels as rows */
    const float *residual; /* like c with rows residual_row apart, added before the activation; NULL: none */
    int64_t residual_row;
    float *c;
    int64_t c_row;
    gei_act act;
    float lo, hi;
} gei_sgemm;

typedef struct gei_sgemm_isa {
    const char *name;
    int64_t mr, nr;
    /* Rows [row_begin, row_end) of panels [panel_begin, panel_end). */
    void (*run)(const gei_sgemm *g, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end);
    /* The same for one panel and k in [k_first, k_first + k_count), with b = that part of the panel alone: [k_count][nr].  Blocks of one
     * tile come in the order of k, the one with k_first 0 first. */
    void (*block)(const gei_sgemm *g, int64_t row_begin, int64_t row_end, int64_t panel, const float *b, int64_t k_first, int64_t k_count);
} gei_sgemm_isa;

extern const gei_sgemm_isa gei_sgemm_portable;
extern const gei_sgemm_isa gei_sgemm_avx2;   /* only run where the CPU has it */
extern const gei_sgemm_isa gei_sgemm_avx512;

static inline int64_t gei_sgemm_panels(const gei_sgemm_isa *isa, int64_t n) { return (n + isa->nr - 1) / isa->nr; }
/* Floats of a packed k x n operand; 0 on overflow. */
size_t gei_sgemm_packed_floats(const gei_sgemm_isa *isa, int64_t k, int64_t n);
/* Packed a: tiles of mr rows, [ceil(m / mr)][k][mr], the last one filled up with zeros; row ranges then begin at multiples of mr. */
size_t gei_sgemm_packed_rows_floats(const gei_sgemm_isa *isa, int64_t m, int64_t k); /* 0 on overflow */
void gei_sgemm_pack_rows(const gei_sgemm_isa *isa, const float *a, int64_t a_row, int64_t m, int64_t k, float *to);
/* Packs panels [begin, end) of b; element (p, j) is b[p * row + j * col]. */
void gei_sgemm_pack(const gei_sgemm_isa *isa, const float *b, int64_t row, int64_t col, int64_t k, int64_t n, int64_t begin, int64_t end, float *to);

#endif
