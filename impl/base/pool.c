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
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "base/wait.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define N_SLOTS 64
#define MAX_WORKERS 256
#define STACK_BYTES ((size_t)1 << 20)
#define LARGE_STACK_BYTES ((size_t)8 << 20) /* for hosts whose thread-local data fill a small stack */
#define SPIN_NS 40000                       /* between two steps of a model; a futex wake-up costs about as much */
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
    _Atomic uint32_t n_cpus; /* 0: not asked yet */
    _Atomic uint32_t is_pinned;
    _Atomic uint32_t n_started; /* in the life of the process; gives each worker its number */
} crew;

/* This thread is counted as one at work: a worker in a run or job, or a caller inside a run. */
static _Thread_local bool is_counted __attribute__((tls_model("initial-exec")));

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
    gei_wake(&bed.n_tokens, n_woken);
}

/* One worker for a job, unless one is looking anyway. */
static void call_worker(void) {
    if (atomic_load(&idle.n_spinning) == 0) wake_workers(1);
}

static void wait_for_token(void) {
    for (;;) {
        uint32_t n = atomic_load(&bed.n_tokens);
        while (n > 0) {
            if (atomic_compare_exchange_weak(&bed.n_tokens, &n, n - 1)) return;
        }
        (void)gei_wait_while(&bed.n_tokens, 0, 0, GEI_NEVER);
    }
}

/* The order matters: count as sleeping, then look once more.  A caller sets its bit, then looks for sleepers; one of the two
 * sees the other. */
static void sleep_until_woken(void) {
    atomic_fetch_sub(&idle.n_spinning, 1);
    atomic_fetch_add(&idle.n_sleeping, 1);
    if (atomic_load(&idle.pending) != 0 || gei_jobs_can_start()) {
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
        gei_wake(&s->done_word, 1);
    }
}

/* The slot to try: the first pending one from `from` on, around the end. */
static uint32_t next_pending(uint64_t pending, uint32_t from) {
    from %= N_SLOTS;
    uint64_t turned = from == 0 ? pending : pending >> from | pending << (N_SLOTS - from);
    return (from + (uint32_t)__builtin_ctzll(turned)) % N_SLOTS;
}

/* What a worker found to do: a slot it joined, or a job. */
typedef struct work {
    slot *slot;
    uint64_t part;
    uint32_t seat;
    gei_job *job;
    gei_team *team;
} work;

/* Runs under way come first.  Begins each search behind the last slot tried, so that no caller is preferred. */
static bool look_for_work(work *w, uint32_t *from) {
    uint64_t pending = atomic_load_explicit(&idle.pending, memory_order_relaxed);
    if (pending != 0) {
        uint32_t i = next_pending(pending, *from);
        *from = i + 1;
        w->slot = &slots[i];
        if (join(w->slot, &w->part, &w->seat)) return true;
    }
    w->job = gei_jobs_can_start() ? gei_jobs_take(&w->team) : NULL;
    return w->job != NULL;
}

static void find_work(work *w, uint32_t *from) {
    for (;;) {
        gei_spin s = { 0 };
        do {
            if (look_for_work(w, from)) return;
        } while (gei_keep_spinning(&s, gei_pool_spin_ns()));
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

/* Worker k goes to the k-th CPU of the process behind its first, where the host's main thread often is. */
static void pin(uint32_t number) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) == 0) return;
    uint32_t skip = (number + 1) % (uint32_t)CPU_COUNT(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || skip-- != 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        (void)sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

/* False after a fork inside: nothing here is ours any more. */
static bool do_work(const work *w, uint32_t forks) {
    if (!w->job) {
        if (!run_parts(w->slot, w->part, w->seat, forks)) return false;
        /* Before leaving: the caller may publish its next run at once, and should see a worker that is as good as spinning. */
        atomic_fetch_add(&idle.n_spinning, 1);
        leave(w->slot);
        return true;
    }
    set_float_mode(); /* callbacks of the host run in jobs */
    w->job->run(w->job);
    if (fork_count() != forks) return false;
    atomic_fetch_add(&idle.n_spinning, 1);
    gei_jobs_done(w->team);
    return true;
}

static void *worker_main(void *unused) {
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "ge-worker");
    set_float_mode();
    is_counted = true;
    const uint32_t forks = fork_count(), number = atomic_fetch_add(&crew.n_started, 1);
    uint32_t from = 0;
    bool is_pinned = false;
    for (;;) {
        work w = { 0 };
        find_work(&w, &from);
        uint32_t n_spinning = atomic_fetch_sub(&idle.n_spinning, 1) - 1;
        /* The caller counted on spinning workers; when they went elsewhere, what still waits gets another. */
        if (n_spinning == 0 && (atomic_load(&idle.pending) != 0 || gei_jobs_can_start())) wake_workers(1);
        if (!is_pinned && atomic_load_explicit(&crew.is_pinned, memory_order_relaxed)) {
            pin(number);
            is_pinned = true;
        }
        if (!do_work(&w, forks)) return NULL;
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
    gei_jobs_forget();
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
    if (retry_at != 0 && gei_now_ns() < retry_at) return;
    if (atomic_exchange(&crew.is_starting, 1) != 0) return;
    bool ok = true;
    if (!atomic_load(&crew.knows_fork)) {
        ok = pthread_atfork(NULL, NULL, forget_workers) == 0;
        atomic_store(&crew.knows_fork, ok);
    }
    /* With one CPU nobody makes progress while we spin. */
    atomic_store(&crew.spin_ns, gei_pool_cpu_count() > 1 ? SPIN_NS : 0);
    if (n > MAX_WORKERS) n = MAX_WORKERS;
    while (ok && atomic_load(&crew.n_workers) < n) {
        ok = start_worker(STACK_BYTES) || start_worker(LARGE_STACK_BYTES);
        if (ok) atomic_fetch_add(&crew.n_workers, 1);
    }
    atomic_store(&crew.retry_at_ns, ok ? 0 : gei_now_ns() + RETRY_NS);
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
    gei_spin waiting = { 0 };
    do {
        if (is_done(s)) return;
    } while (gei_keep_spinning(&waiting, gei_pool_spin_ns()));
    (void)atomic_fetch_or_explicit(&s->state, OWNER_SLEEPS, memory_order_acq_rel);
    for (;;) {
        uint32_t word = atomic_load(&s->done_word);
        if (is_done(s)) return;
        (void)gei_wait_while(&s->done_word, word, 0, GEI_NEVER);
    }
}

/* n workers started, or as many as can be had. */
static uint32_t need_workers(uint32_t n) {
    uint32_t n_workers = atomic_load_explicit(&crew.n_workers, memory_order_relaxed);
    if (n_workers >= n) return n_workers;
    start_workers(n);
    return atomic_load_explicit(&crew.n_workers, memory_order_relaxed);
}

/* Helpers that may join a run now; their places are kept until gei_team_leave. */
static uint32_t get_helpers(gei_team *team, uint32_t max_threads, uint32_t n_parts, uint32_t self) {
    uint32_t wanted = (max_threads < n_parts ? max_threads : n_parts) - 1;
    if (wanted > MAX_WORKERS) wanted = MAX_WORKERS;
    uint32_t n_helpers = gei_team_enter(team, max_threads, self, wanted);
    if (n_helpers == 0) return 0;
    uint32_t n_workers = need_workers(n_helpers + gei_jobs_running());
    if (n_helpers <= n_workers) return n_helpers;
    (void)gei_team_leave(team, n_helpers - n_workers);
    return n_workers;
}

static void run_inline(uint32_t n_parts, gei_part_fn fn, void *arg) {
    for (uint32_t part = 0; part < n_parts; part++) fn(arg, part, 0);
}

/* False after a fork in one of the parts. */
static bool run_with_helpers(uint32_t n_helpers, uint32_t n_parts, gei_part_fn fn, void *arg) {
    slot *s = n_helpers > 0 ? take_slot() : NULL;
    uint32_t forks = fork_count();
    if (!s) {
        run_inline(n_parts, fn, arg);
        return fork_count() == forks;
    }
    publish(s, n_helpers, n_parts, fn, arg);
    if (!run_parts(s, 0, 0, forks)) return false;
    wait_until_done(s);
    atomic_store_explicit(&s->is_taken, 0, memory_order_release);
    return true;
}

void gei_pool_run(gei_team *team, uint32_t max_threads, uint32_t n_parts, gei_part_fn fn, void *arg) {
    if (max_threads <= 1 || n_parts <= 1) {
        run_inline(n_parts, fn, arg);
        return;
    }
    uint32_t self = !is_counted;
    uint32_t n_helpers = get_helpers(team, max_threads, n_parts, self);
    is_counted = true;
    bool is_same_process = run_with_helpers(n_helpers, n_parts, fn, arg);
    if (self) is_counted = false;
    if (is_same_process && gei_team_leave(team, self + n_helpers)) call_worker();
}

bool gei_pool_ready(void) {
    while (need_workers(1) == 0) {
        /* Another thread may be starting the first one; it counts it before it says that it is done. */
        if (!atomic_load(&crew.is_starting)) return atomic_load(&crew.n_workers) > 0;
        (void)sched_yield();
    }
    return true;
}

void gei_pool_submit(gei_team *team, gei_job *job, bool is_last) {
    uint32_t n = gei_jobs_add(team, job);
    if (is_last) return;
    (void)need_workers(n);
    call_worker();
}

void gei_pool_pin(void) { atomic_store(&crew.is_pinned, 1); }

int64_t gei_pool_spin_ns(void) { return atomic_load_explicit(&crew.spin_ns, memory_order_relaxed); }

int64_t gei_pool_idle_spin_ns(void) { return gei_team_busy(NULL) < gei_pool_known_cpus() ? gei_pool_spin_ns() : 0; }

uint32_t gei_pool_worker_count(void) { return atomic_load(&crew.n_workers); }

static uint32_t count_cpus(void) {
    cpu_set_t sets[8]; /* 8192 CPUs: as many as Linux can be built for */
    if (sched_getaffinity(0, sizeof sets, sets) == 0) {
        int n = CPU_COUNT_S(sizeof sets, sets);
        if (n > 0) return (uint32_t)n;
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

uint32_t gei_pool_cpu_count(void) {
    uint32_t n = count_cpus();
    atomic_store_explicit(&crew.n_cpus, n, memory_order_relaxed);
    return n;
}

uint32_t gei_pool_known_cpus(void) {
    uint32_t n = atomic_load_explicit(&crew.n_cpus, memory_order_relaxed);
    return n ? n : gei_pool_cpu_count();
}
