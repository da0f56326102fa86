/* SPDX-License-Identifier: Apache-2.0 */
/* bitset: a fixed number of bits over memory the caller owns (usually an arena). */
#ifndef GEI_BASE_BITSET_H
#define GEI_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

static inline size_t gei_bits_words(size_t n_bits) { return (n_bits + 63) / 64; }
static inline uint64_t *gei_bits_new(gei_arena *arena, size_t n_bits) { return gei_arena_array(arena, uint64_t, gei_bits_words(n_bits) + 1); }
static inline bool gei_bits_get(const uint64_t *bits, size_t i) { return bits[i / 64] >> (i % 64) & 1; }
static inline void gei_bits_set(uint64_t *bits, size_t i) { bits[i / 64] |= UINT64_C(1) << (i % 64); }
static inline void gei_bits_unset(uint64_t *bits, size_t i) { bits[i / 64] &= ~(UINT64_C(1) << (i % 64)); }

#endif
