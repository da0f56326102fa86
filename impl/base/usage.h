/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bytes held for one purpose, now and at most so far.  Any thread. */
#ifndef GEI_BASE_USAGE_H
#define GEI_BASE_USAGE_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct gei_usage {
    _Atomic uint64_t now, peak;
} gei_usage;

static inline void gei_usage_add(gei_usage *u, uint64_t bytes) {
    uint64_t now = atomic_fetch_add_explicit(&u->now, bytes, memory_order_relaxed) + bytes;
    uint64_t peak = atomic_load_explicit(&u->peak, memory_order_relaxed);
    while (now > peak && !atomic_compare_exchange_weak_explicit(&u->peak, &peak, now, memory_order_relaxed, memory_order_relaxed)) {
    }
}
static inline void gei_usage_sub(gei_usage *u, uint64_t bytes) { atomic_fetch_sub_explicit(&u->now, bytes, memory_order_relaxed); }
static inline uint64_t gei_usage_now(const gei_usage *u) { return atomic_load_explicit(&u->now, memory_order_relaxed); }
static inline uint64_t gei_usage_peak(const gei_usage *u) { return atomic_load_explicit(&u->peak, memory_order_relaxed); }

#endif
