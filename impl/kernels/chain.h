/* SPDX-License-Identifier: Apache-2.0 */
/* chain: cheap float32 operators one after the other on vectors that stay in registers.
 *
 *   y = max(x * a, b):   links { GEI_LINK_MUL, a }, { GEI_LINK_MAX, b }
 *
 * Each link is the expression of the row of its name (kernels/wide_template.h), rounded as there, so numbers are the same. */
#ifndef GEI_KERNELS_CHAIN_H
#define GEI_KERNELS_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gei_link_kind { /* a: what comes along the chain, b: the other operand */
    GEI_LINK_NONE = 0,
    GEI_LINK_ADD, GEI_LINK_SUB, GEI_LINK_RSUB, GEI_LINK_MUL, GEI_LINK_DIV, GEI_LINK_RDIV,
    GEI_LINK_MAX, GEI_LINK_RMAX, GEI_LINK_MIN, GEI_LINK_RMIN,
    GEI_LINK_RELU, GEI_LINK_ABS, GEI_LINK_NEG, GEI_LINK_SQUARE
} gei_link_kind;

/* The kind for the row of that name with a as its first or second operand; GEI_LINK_NONE: it has none. */
gei_link_kind gei_link_find(const char *row, size_t row_size, bool is_second);

typedef struct gei_link {
    gei_link_kind kind;
    int64_t step;   /* 0: one number; 1: moves with x */
    const float *b; /* NULL with one operand */
} gei_link;

#define GEI_CHAIN_BLOCK 128 /* elements: n is a multiple of it */

/* y may be x or a moving b. */
typedef void (*gei_chain_fn)(const gei_link *links, size_t count, const float *x, float *y, int64_t n);
void gei_chain_portable(const gei_link *links, size_t count, const float *x, float *y, int64_t n);
void gei_chain_avx2(const gei_link *links, size_t count, const float *x, float *y, int64_t n);
void gei_chain_avx512(const gei_link *links, size_t count, const float *x, float *y, int64_t n);

#endif
