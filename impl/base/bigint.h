/* SPDX-License-Identifier: Apache-2.0 */
/* bigint: natural numbers of bounded size, for exact conversion between text and floating point.  No allocation.
 * 4096 bits hold what is needed: 800 decimal digits, 5^1150, and the shifts between them. */
#ifndef GEI_BASE_BIGINT_H
#define GEI_BASE_BIGINT_H

#include <stdbool.h>
#include <stdint.h>

#define GEI_BIGINT_LIMBS 128

typedef struct gei_bigint {
    uint32_t n_limbs;                /* no leading zero limbs; 0 is the number zero */
    uint32_t limbs[GEI_BIGINT_LIMBS]; /* least significant first */
} gei_bigint;

void gei_bigint_set(gei_bigint *a, uint64_t value);
void gei_bigint_copy(gei_bigint *a, const gei_bigint *b);
void gei_bigint_mul_add(gei_bigint *a, uint32_t factor, uint32_t addend);
void gei_bigint_mul_pow5(gei_bigint *a, uint32_t exponent);
void gei_bigint_shift_left(gei_bigint *a, uint32_t n_bits);
void gei_bigint_add(gei_bigint *a, const gei_bigint *b);
void gei_bigint_sub(gei_bigint *a, const gei_bigint *b); /* b <= a */
int gei_bigint_compare(const gei_bigint *a, const gei_bigint *b); /* -1, 0, 1 */
uint32_t gei_bigint_bits(const gei_bigint *a);           /* 0 for zero, else 1 + floor(log2 a) */
uint64_t gei_bigint_top64(const gei_bigint *a, bool *out_has_more); /* a > 0: the upper 64 bits, highest one set; more: lower bits set */

#endif
