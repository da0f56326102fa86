/* SPDX-License-Identifier: Apache-2.0 */
/* wait: clock, and words of memory to wait on.  Waiting spins briefly, then sleeps on a futex, so it costs no lock and no allocation. */
#ifndef GEI_BASE_WAIT_H
#define GEI_BASE_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GEI_NEVER INT64_MAX /* a deadline that does not come */

int64_t gei_now_ns(void);                            /* CLOCK_MONOTONIC */
int64_t gei_deadline_after(int64_t timeout_ns);      /* negative: never; 0: now */

/* Waits while *word is `value`: spins for spin_ns at most, then sleeps.  False when the deadline passed and it still is. */
bool gei_wait_while(_Atomic uint32_t *word, uint32_t value, int64_t spin_ns, int64_t deadline_ns);
void gei_wake(_Atomic uint32_t *word, uint32_t n);   /* up to n sleepers on the word, which was changed before */

/* Bounded spinning: false when the time is up.  The clock is read seldom and not at all in short waits. */
typedef struct gei_spin {
    uint32_t n_polls;
    int64_t end_ns;
} gei_spin;
bool gei_keep_spinning(gei_spin *s, int64_t spin_ns);

#endif
