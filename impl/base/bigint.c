/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bigint.h"

#include <assert.h>
#include <string.h>

static void push_limb(gei_bigint *a, uint32_t limb) {
    assert(a->n_limbs < GEI_BIGINT_LIMBS);
    a->limbs[a->n_limbs++] = limb;
}

static void trim(gei_bigint *a) {
    while (a->n_limbs > 0 && a->limbs[a->n_limbs - 1] == 0) a->n_limbs--;
}

void gei_bigint_set(gei_bigint *a, uint64_t value) {
    a->n_limbs = 2;
    a->limbs[0] = (uint32_t)value;
    a->limbs[1] = (uint32_t)(value >> 32);
    trim(a);
}

void gei_bigint_copy(gei_bigint *a, const gei_bigint *b) {
    a->n_limbs = b->n_limbs;
    memcpy(a->limbs, b->limbs, b->n_limbs * sizeof b->limbs[0]);
}

void gei_bigint_mul_add(gei_bigint *a, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (uint32_t i = 0; i < a->n_limbs; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) push_limb(a, (uint32_t)carry);
}

void gei_bigint_mul_pow5(gei_bigint *a, uint32_t exponent) {
    const uint32_t pow5_13 = 1220703125; /* the largest power of 5 in a limb */
    for (; exponent >= 13; exponent -= 13) gei_bigint_mul_add(a, pow5_13, 0);
    uint32_t factor = 1;
    for (; exponent > 0; exponent--) factor *= 5;
    gei_bigint_mul_add(a, factor, 0);
}

void gei_bigint_shift_left(gei_bigint *a, uint32_t n_bits) {
    if (a->n_limbs == 0 || n_bits == 0) return;
    uint32_t n_whole = n_bits / 32;
    uint32_t n_rest = n_bits % 32;
    assert(a->n_limbs + n_whole < GEI_BIGINT_LIMBS);
    if (n_whole > 0) {
        memmove(a->limbs + n_whole, a->limbs, a->n_limbs * sizeof a->limbs[0]);
        memset(a->limbs, 0, n_whole * sizeof a->limbs[0]);
        a->n_limbs += n_whole;
    }
    if (n_rest == 0) return;
    uint32_t carry = 0;
    for (uint32_t i = n_whole; i < a->n_limbs; i++) {
        uint32_t limb = a->limbs[i];
        a->limbs[i] = limb << n_rest | carry;
        carry = limb >> (32 - n_rest);
    }
    if (carry > 0) push_limb(a, carry);
}

void gei_bigint_add(gei_bigint *a, const gei_bigint *b) {
    uint64_t carry = 0;
    while (a->n_limbs < b->n_limbs) push_limb(a, 0);
    for (uint32_t i = 0; i < a->n_limbs; i++) {
        carry += (uint64_t)a->limbs[i] + (i < b->n_limbs ? b->limbs[i] : 0);
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) push_limb(a, (uint32_t)carry);
}

void gei_bigint_sub(gei_bigint *a, const gei_bigint *b) {
    int64_t borrow = 0;
    for (uint32_t i = 0; i < a->n_limbs; i++) {
        if (i >= b->n_limbs && borrow == 0) break;
        borrow += (int64_t)a->limbs[i] - (i < b->n_limbs ? (int64_t)b->limbs[i] : 0);
        a->limbs[i] = (uint32_t)((uint64_t)borrow & UINT32_MAX);
        borrow = borrow < 0 ? -1 : 0;
    }
    assert(borrow == 0);
    trim(a);
}

int gei_bigint_compare(const gei_bigint *a, const gei_bigint *b) {
    if (a->n_limbs != b->n_limbs) return a->n_limbs < b->n_limbs ? -1 : 1;
    for (uint32_t i = a->n_limbs; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    }
    return 0;
}

uint32_t gei_bigint_bits(const gei_bigint *a) {
    if (a->n_limbs == 0) return 0;
    return a->n_limbs * 32 - (uint32_t)__builtin_clz(a->limbs[a->n_limbs - 1]);
}

uint64_t gei_bigint_top64(const gei_bigint *a, bool *out_has_more) {
    uint32_t n = a->n_limbs;
    uint32_t top[3] = { a->limbs[n - 1], n > 1 ? a->limbs[n - 2] : 0, n > 2 ? a->limbs[n - 3] : 0 };
    uint32_t shift = (uint32_t)__builtin_clz(top[0]);
    uint64_t upper = (uint64_t)top[0] << 32 | top[1];
    uint64_t third = (uint64_t)top[2] << shift; /* its upper half moves into the result */
    bool has_more = (uint32_t)third != 0;
    for (uint32_t i = 0; i + 3 < n; i++) has_more |= a->limbs[i] != 0;
    *out_has_more = has_more;
    return upper << shift | third >> 32;
}
