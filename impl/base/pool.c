/* SPDX-License-Identifier: Apache-2.0 */
/* How a run works: the caller takes a slot, sets the slot's bit in `pending`, then opens the slot by storing its state: parts
 * handed out, helpers that may still join (tickets), helpers inside (active).  Workers look for bits, join with one
 * compare-and-swap that also takes their first part, and leave when no part is left.  The caller works too, lets nobody in any
 * more once the parts are gone, and waits until active is 0.  Slots are static, so a late look at one is harmless.
 *
 * Who clears a bit: the one who takes the last ticket away, while it is active or the owner; so a bit never outlives its run. */
#include "base/pool.h"

#include <assert.h>
#include <fenv.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define N_SLOTS 64
#define MAX_WORKERS 256
#define STACK_BYTES ((size_t)1 << 20)
#define LARGE_STACK_BYTES ((size_t)8 << 20) /* for hosts whose thread-local data fill a small stack */
#define SPIN_NS 40000                       /* between two steps of a model; a futex wake-up costs about as much */
#define POLLS_PER_CLOCK_READ 32
#define RETRY_NS 1000000000 /* after a thread could not be started */
#define CACHE_LINE_BYTES 64

/* A slot's state, in one word so that joining and taking a part is one step. */
#define ONE_ACTIVE (UINT64_C(1) << 0)
#define ONE_TICKET (UINT64_C(1) << 10)
#define ONE_PART (UINT64_C(1) << 21) /* 43 bits: takers past the end do not overflow */
#define ACTIVE_MASK (ONE_TICKET - 1)
#define TICKET_MASK ((UINT64_C(1) << 20) - ONE_TICKET)
#define OWNER_SLEEPS (UINT64_C(1) << 20)

static_assert(MAX_WORKERS < 1024, "active and tickets have ten bits each");
static_assert(N_SLOTS == 64, "pending has one bit for each slot");

typedef struct slot {
    _Alignas(CACHE_LINE_BYTES) _Atomic uint64_t state;
    /* Written by the owner while nobody can join, read by those who joined. */
    gei_part_fn fn;
    void *arg;
    uint32_t n_parts;
    _Alignas(CACHE_LINE_BYTES) _Atomic uint32_t is_taken;
    _Atomic uint32_t done_word; /* futex the owner sleeps on; changes with each wake-up */
} slot;

static slot slots[N_SLOTS];

/* Each worker is spinning, sleeping or in a slot.  One cache line: publishing a run touches all of it. */
static struct {
    _Alignas(CACHE_LINE_BYTES) _Atomic uint64_t pending; /* slots that want helpers */
    _Atomic uint32_t n_spinning;
    _Atomic uint32_t n_sleeping;
} idle;

/* Permission to wake, one per worker taken out of n_sleeping; also the futex they sleep on. */
static struct {
    _Alignas(CACHE_LINE_BYTES) _Atomic uint32_t n_tokens;
} bed;

/* Rarely written. */
static struct {
    _Alignas(CACHE_LINE_BYTES) _Atomic uint32_t n_workers;
    _Atomic uint32_t n_forks; /* of this process and its ancestors; a change means the other threads are gone */
    _Atomic uint32_t is_starting;
    _Atomic uint32_t knows_fork;
    _Atomic int64_t retry_at_ns; /* no thread is started before; 0: none failed */
    _Atomic int64_t spin_ns;
} crew;

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) {
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, uint32_t n) {
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void relax(void) {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void) {
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Bounded spinning: false when the time is up.  The clock is read seldom and not at all in short waits. */
typedef struct spin {
    uint32_t n_polls;
    int64_t end_ns;
} spin;

static bool keep_spinning(spin *s) {
    relax();
    if (++s->n_polls % POLLS_PER_CLOCK_READ != 0) return true;
    int64_t now = now_ns();
    if (s->end_ns == 0) s->end_ns = now + atomic_load_explicit(&crew.spin_ns, memory_order_relaxed);
    return now < s->end_ns;
}

static uint32_t fork_count(void) { return atomic_load_explicit(&crew.n_forks, memory_order_relaxed); }

/* ---- workers' sleep ---- */

static void wake_workers(uint32_t n) {
    uint32_t asleep = atomic_load(&idle.n_sleeping);
    uint32_t n_woken;
    do {
        n_woken = n < asleep ? n : asleep;
        if (n_woken == 0) return;
    } while (!atomic_compare_exchange_weak(&idle.n_sleeping, &asleep, asleep - n_woken));
    atomic_fetch_add(&idle.n_spinning, n_woken);
    atomic_fetch_add(&bed.n_tokens, n_woken);
    futex_wake(&bed.n_tokens, n_woken);
}

static void wait_for_token(void) {
    for (;;) {
        uint32_t n = atomic_load(&bed.n_tokens);
        while (n > 0) {
            if (atomic_compare_exchange_weak(&bed.n_tokens, &n, n - 1)) return;
        }
        futex_wait(&bed.n_tokens, 0);
    }
}

/* The order matters: count as sleeping, then look once more.  A caller sets its bit, then looks for sleepers; one of the two
 * sees the other. */
static void sleep_until_woken(void) {
    atomic_fetch_sub(&idle.n_spinning, 1);
    atomic_fetch_add(&idle.n_sleeping, 1);
    if (atomic_load(&idle.pending) != 0) {
        uint32_t asleep = atomic_load(&idle.n_sleeping);
        while (asleep > 0) {
            if (!atomic_compare_exchange_weak(&idle.n_sleeping, &asleep, asleep - 1)) continue;
            atomic_fetch_add(&idle.n_spinning, 1);
            (void)sched_yield(); /* the owner of the bit may wait for this very CPU to open its slot */
            return;
        }
        /* Somebody took all sleepers out, this one too: its token is on the way. */
    }
    wait_for_token();
}

/* ---- parts ---- */

static void clear_pending(const slot *s) {
    atomic_fetch_and(&idle.pending, ~(UINT64_C(1) << (s - slots)));
}

/* Nobody joins from here on.  For the owner, or a helper inside. */
static void shut(slot *s) {
    uint64_t old = atomic_fetch_and_explicit(&s->state, ~TICKET_MASK, memory_order_acq_rel);
    if (old & TICKET_MASK) clear_pending(s);
}

/* Runs parts until none is left.  False after a fork in one of them: the slot is no longer ours. */
static bool run_parts(slot *s, uint64_t part, uint32_t seat, uint32_t forks) {
    const gei_part_fn fn = s->fn;
    void *const arg = s->arg;
    const uint32_t n_parts = s->n_parts;
    uint64_t old = ONE_TICKET;
    while (part < n_parts) {
        fn(arg, (uint32_t)part, seat);
        if (fork_count() != forks) return false;
        old = atomic_fetch_add_explicit(&s->state, ONE_PART, memory_order_relaxed);
        part = old / ONE_PART;
    }
    if (old & TICKET_MASK) shut(s);
    return true;
}

/* ---- a worker ---- */

/* The seat is the number of the ticket, which nobody else gets in this run; 0 is the owner's. */
static bool join(slot *s, uint64_t *out_part, uint32_t *out_seat) {
    uint64_t old = atomic_load_explicit(&s->state, memory_order_relaxed);
    do {
        if ((old & TICKET_MASK) == 0) return false;
    } while (!atomic_compare_exchange_weak_explicit(&s->state, &old, old - ONE_TICKET + ONE_ACTIVE + ONE_PART,
                                                    memory_order_acq_rel, memory_order_relaxed));
    if ((old & TICKET_MASK) == ONE_TICKET) clear_pending(s);
    *out_part = old / ONE_PART;
    *out_seat = (uint32_t)((old & TICKET_MASK) / ONE_TICKET);
    return true;
}

static void leave(slot *s) {
    uint64_t old = atomic_fetch_sub_explicit(&s->state, ONE_ACTIVE, memory_order_acq_rel);
    if ((old & ACTIVE_MASK) == ONE_ACTIVE && (old & OWNER_SLEEPS)) {
        atomic_fetch_add(&s->done_word, 1);
        futex_wake(&s->done_word, 1);
    }
}

/* The slot to try: the first pending one from `from` on, around the end. */
static uint32_t next_pending(uint64_t pending, uint32_t from) {
    from %= N_SLOTS;
    uint64_t turned = from == 0 ? pending : pending >> from | pending << (N_SLOTS - from);
    return (from + (uint32_t)__builtin_ctzll(turned)) % N_SLOTS;
}

/* Spins and sleeps until it has joined a slot.  Begins each search behind the last slot tried, so that no caller is preferred. */
static slot *find_work(uint32_t *from, uint64_t *out_part, uint32_t *out_seat) {
    for (;;) {
        spin s = { 0 };
        do {
            uint64_t pending = atomic_load_explicit(&idle.pending, memory_order_relaxed);
            if (pending == 0) continue;
            uint32_t i = next_pending(pending, *from);
            *from = i + 1;
            if (join(&slots[i], out_part, out_seat)) return &slots[i];
        } while (keep_spinning(&s));
        sleep_until_woken();
    }
}

/* New threads inherit the floating-point mode of the one that starts them, which may be any thread of the host. */
static void set_float_mode(void) {
    (void)fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    _mm_setcsr(0x1F80); /* nearest, subnormals kept, no traps */
#endif
}

static void *worker_main(void *unused) {
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "ge-worker");
    set_float_mode();
    const uint32_t forks = fork_count();
    uint32_t from = 0;
    for (;;) {
        uint64_t part;
        uint32_t seat;
        slot *s = find_work(&from, &part, &seat);
        uint32_t n_spinning = atomic_fetch_sub(&idle.n_spinning, 1) - 1;
        /* The caller counted on spinning workers; when they went elsewhere, what still waits gets another. */
        if (n_spinning == 0 && atomic_load(&idle.pending) != 0) wake_workers(1);
        if (!run_parts(s, part, seat, forks)) return NULL;
        /* Before leaving: the caller may publish its next run at once, and should see a worker that is as good as spinning. */
        atomic_fetch_add(&idle.n_spinning, 1);
        leave(s);
    }
}

/* ---- starting workers ---- */

/* In the child only the forking thread exists.  Runs that were under way have no one to go on with them. */
static void forget_workers(void) {
    atomic_fetch_add(&crew.n_forks, 1);
    atomic_store(&crew.n_workers, 0);
    atomic_store(&crew.is_starting, 0);
    atomic_store(&crew.retry_at_ns, 0);
    atomic_store(&idle.pending, 0);
    atomic_store(&idle.n_spinning, 0);
    atomic_store(&idle.n_sleeping, 0);
    atomic_store(&bed.n_tokens, 0);
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        atomic_store(&slots[i].state, 0);
        atomic_store(&slots[i].is_taken, 0);
    }
}

/* All signals but those a thread raises by its own fault: the host's crash handler still gets these. */
static void worker_signals(sigset_t *out_blocked) {
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    (void)sigfillset(out_blocked);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) (void)sigdelset(out_blocked, faults[i]);
}

static bool start_worker(size_t stack_bytes) {
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t blocked;
    worker_signals(&blocked);
    if (pthread_attr_init(&attr) != 0) return false;
    bool ok = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 &&
              pthread_attr_setstacksize(&attr, stack_bytes) == 0 && pthread_attr_setsigmask_np(&attr, &blocked) == 0;
    if (ok) {
        atomic_fetch_add(&idle.n_spinning, 1); /* as it will be */
        ok = pthread_create(&thread, &attr, worker_main, NULL) == 0;
        if (!ok) atomic_fetch_sub(&idle.n_spinning, 1);
    }
    (void)pthread_attr_destroy(&attr);
    return ok;
}

/* Up to n workers, as far as threads can be had.  A caller that finds another one at it goes on with what there is. */
static void start_workers(uint32_t n) {
    int64_t retry_at = atomic_load_explicit(&crew.retry_at_ns, memory_order_relaxed);
    if (retry_at != 0 && now_ns() < retry_at) return;
    if (atomic_exchange(&crew.is_starting, 1) != 0) return;
    bool ok = true;
    if (!atomic_load(&crew.knows_fork)) {
        ok = pthread_atfork(NULL, NULL, forget_workers) == 0;
        atomic_store(&crew.knows_fork, ok);
    }
    /* With one CPU nobody makes progress while we spin. */
    atomic_store(&crew.spin_ns, gei_pool_cpu_count() > 1 ? SPIN_NS : 0);
    while (ok && atomic_load(&crew.n_workers) < n) {
        ok = start_worker(STACK_BYTES) || start_worker(LARGE_STACK_BYTES);
        if (ok) atomic_fetch_add(&crew.n_workers, 1);
    }
    atomic_store(&crew.retry_at_ns, ok ? 0 : now_ns() + RETRY_NS);
    atomic_store(&crew.is_starting, 0);
}

/* ---- the caller ---- */

/* A free slot, looked for from the one this thread had last; NULL when all are taken. */
static slot *take_slot(void) {
    static _Atomic uint32_t n_threads;
    static _Thread_local uint32_t hint __attribute__((tls_model("initial-exec"))); /* 1 + slot; 0: none yet */
    if (hint == 0) hint = 1 + atomic_fetch_add_explicit(&n_threads, 1, memory_order_relaxed) % N_SLOTS;
    for (uint32_t k = 0; k < N_SLOTS; k++) {
        uint32_t i = (hint - 1 + k) % N_SLOTS;
        if (atomic_load_explicit(&slots[i].is_taken, memory_order_relaxed)) continue;
        if (atomic_exchange_explicit(&slots[i].is_taken, 1, memory_order_acquire)) continue;
        hint = 1 + i;
        return &slots[i];
    }
    return NULL;
}

static void publish(slot *s, uint32_t n_helpers, uint32_t n_parts, gei_part_fn fn, void *arg) {
    s->fn = fn;
    s->arg = arg;
    s->n_parts = n_parts;
    /* The bit first: it is then there to be cleared by whoever joins last, however soon. */
    atomic_fetch_or(&idle.pending, UINT64_C(1) << (s - slots));
    atomic_store_explicit(&s->state, ONE_PART + n_helpers * ONE_TICKET, memory_order_release); /* part 0 is the caller's */
    uint32_t n_spinning = atomic_load(&idle.n_spinning);
    if (n_spinning < n_helpers) wake_workers(n_helpers - n_spinning);
}

static bool is_done(const slot *s) { return (atomic_load_explicit(&s->state, memory_order_acquire) & ACTIVE_MASK) == 0; }

static void wait_until_done(slot *s) {
    spin waiting = { 0 };
    do {
        if (is_done(s)) return;
    } while (keep_spinning(&waiting));
    (void)atomic_fetch_or_explicit(&s->state, OWNER_SLEEPS, memory_order_acq_rel);
    for (;;) {
        uint32_t word = atomic_load(&s->done_word);
        if (is_done(s)) return;
        futex_wait(&s->done_word, word);
    }
}

void gei_pool_run(uint32_t max_threads, uint32_t n_parts, gei_part_fn fn, void *arg) {
    slot *s = NULL;
    uint32_t n_helpers = 0;
    if (max_threads > 1 && n_parts > 1) {
        n_helpers = max_threads < n_parts ? max_threads - 1 : n_parts - 1;
        if (n_helpers > MAX_WORKERS) n_helpers = MAX_WORKERS;
        uint32_t n_workers = atomic_load_explicit(&crew.n_workers, memory_order_relaxed);
        if (n_workers < n_helpers) {
            start_workers(n_helpers);
            n_workers = atomic_load_explicit(&crew.n_workers, memory_order_relaxed);
            if (n_helpers > n_workers) n_helpers = n_workers;
        }
        if (n_helpers > 0) s = take_slot();
    }
    if (!s) {
        for (uint32_t part = 0; part < n_parts; part++) fn(arg, part, 0);
        return;
    }
    uint32_t forks = fork_count();
    publish(s, n_helpers, n_parts, fn, arg);
    if (!run_parts(s, 0, 0, forks)) return;
    wait_until_done(s);
    atomic_store_explicit(&s->is_taken, 0, memory_order_release);
}

uint32_t gei_pool_worker_count(void) { return atomic_load(&crew.n_workers); }

uint32_t gei_pool_cpu_count(void) {
    cpu_set_t sets[8]; /* 8192 CPUs: as many as Linux can be built for */
    if (sched_getaffinity(0, sizeof sets, sets) == 0) {
        int n = CPU_COUNT_S(sizeof sets, sets);
        if (n > 0) return (uint32_t)n;
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}
