/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wait.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define POLLS_PER_CLOCK_READ 32
#define NS_PER_S INT64_C(1000000000)

int64_t gei_now_ns(void) {
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t gei_deadline_after(int64_t timeout_ns) {
    int64_t deadline;
    if (timeout_ns < 0 || __builtin_add_overflow(gei_now_ns(), timeout_ns, &deadline)) return GEI_NEVER;
    return deadline;
}

bool gei_keep_spinning(gei_spin *s, int64_t spin_ns) {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
    if (++s->n_polls % POLLS_PER_CLOCK_READ != 0) return true;
    int64_t now = gei_now_ns();
    if (s->end_ns == 0) s->end_ns = now + spin_ns;
    return now < s->end_ns;
}

bool gei_wait_while(_Atomic uint32_t *word, uint32_t value, int64_t spin_ns, int64_t deadline_ns) {
    if (atomic_load_explicit(word, memory_order_acquire) != value) return true;
    for (gei_spin s = { 0 }; spin_ns > 0 && gei_keep_spinning(&s, spin_ns);)
        if (atomic_load_explicit(word, memory_order_acquire) != value) return true;
    struct timespec until = { deadline_ns / NS_PER_S, deadline_ns % NS_PER_S };
    while (atomic_load_explicit(word, memory_order_acquire) == value) {
        if (deadline_ns != GEI_NEVER && gei_now_ns() >= deadline_ns) return false;
        /* With BITSET the time is a point, not a span. */
        (void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, deadline_ns == GEI_NEVER ? NULL : &until, NULL,
                      FUTEX_BITSET_MATCH_ANY);
    }
    return true;
}

void gei_wake(_Atomic uint32_t *word, uint32_t n) { (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0); }
