/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handle.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#define SLOT_COUNT (UINT32_C(1) << 20)
#define REGION_BYTES (SLOT_COUNT * GEI_HANDLE_GENERATIONS)
#define REUSE_AFTER 1024u /* free slots that must wait before the first of them serves again */
#define NO_SLOT UINT32_MAX
#define ERROR_SLOTS 8u
#define GROWN_SLOTS 64u        /* reserved at a time where not all can be: 4 MiB */

#define HEAD_SHIFT GEI_HANDLE_HEAD_SHIFT
#define LEASE_MASK GEI_HANDLE_LEASES
#define CLOSED_BIT (UINT64_C(1) << 31)
#define EPOCH_MASK UINT64_C(0xff)
#define LONG_AGO 0u   /* epoch of what was made before the epochs began anew; no table is ever in it */

typedef gei_handle_slot slot;

struct gei_handle_table gei_handle_table = { .epoch = LONG_AGO + 1 };

static struct {
    _Alignas(64) pthread_mutex_t lock; /* guards the free queue and growth, never held around foreign code */
    uint32_t reserved;         /* slots whose part of the region is reserved */
    uint32_t used;             /* slots ever used */
    uint32_t free_first, free_last, n_free;
    _Atomic uint64_t live;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER, .free_first = NO_SLOT, .free_last = NO_SLOT };

static slot *slot_at(uint32_t index) { return &gei_handle_table.slots[index]; }
static uintptr_t region_start(void) { return atomic_load_explicit(&gei_handle_table.region, memory_order_relaxed); }

static void fork_prepare(void) { pthread_mutex_lock(&table.lock); }
static void fork_parent(void) { pthread_mutex_unlock(&table.lock); }
/* After 255 generations of forks the epochs begin anew; no handle of theirs may pass for one made now. */
static void begin_epochs_anew(void) {
    for (uint32_t i = 0; i < table.used; i++) {
        uint64_t word = atomic_load_explicit(&slot_at(i)->word, memory_order_relaxed);
        atomic_store_explicit(&slot_at(i)->word, word & ~(EPOCH_MASK << HEAD_SHIFT), memory_order_relaxed);
    }
    atomic_store(&gei_handle_table.epoch, LONG_AGO + 1);
}

static void fork_child(void) {
    if (atomic_load(&gei_handle_table.epoch) == EPOCH_MASK) begin_epochs_anew();
    else atomic_fetch_add(&gei_handle_table.epoch, 1);
    pthread_mutex_unlock(&table.lock);
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static void watch_forks(void) { pthread_atfork(fork_prepare, fork_parent, fork_child); }

/* Inaccessible addresses; at NULL anywhere, else there or nowhere. */
static char *reserve(char *at, uint64_t size_bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    void *got = mmap(at, size_bytes, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) return NULL;
    if (!at || got == at) return (char *)got;
    munmap(got, size_bytes); /* a kernel before 4.17 takes the address as a wish */
    return NULL;
}

/* The whole region, or its first slots far from where programs, libraries, heaps and stacks lie. */
static char *reserve_region(uint32_t *out_reserved) {
    char *region = reserve(NULL, REGION_BYTES);
    *out_reserved = SLOT_COUNT;
    if (region) return region;
    *out_reserved = GROWN_SLOTS;
    for (uint64_t at = UINT64_C(0x200000000000); at < UINT64_C(0x500000000000) && !region; at += UINT64_C(0x010000000000))
        region = reserve((char *)(uintptr_t)at, GROWN_SLOTS * GEI_HANDLE_GENERATIONS);
    return region;
}

static void now_reserved(uint32_t slots) {
    table.reserved = slots;
    atomic_store_explicit(&gei_handle_table.region_bytes, slots * GEI_HANDLE_GENERATIONS, memory_order_release);
}

/* Under the lock. */
static bool table_ready(void) {
    uint32_t reserved;
    if (table.reserved) return true;
    void *slots = mmap(NULL, SLOT_COUNT * sizeof(slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots == MAP_FAILED) return false;
    char *region = reserve_region(&reserved);
    if (!region) {
        munmap(slots, SLOT_COUNT * sizeof(slot));
        return false;
    }
    gei_handle_table.slots = slots;
    atomic_store_explicit(&gei_handle_table.region, (uintptr_t)region, memory_order_relaxed);
    now_reserved(reserved);
    return true;
}

static bool grow(void) {
    char *end = (char *)(region_start() + table.reserved * GEI_HANDLE_GENERATIONS);
    if (!reserve(end, GROWN_SLOTS * GEI_HANDLE_GENERATIONS)) return false;
    now_reserved(table.reserved + GROWN_SLOTS);
    return true;
}

static uint32_t take_free(void) {
    uint32_t index = table.free_first;
    table.free_first = slot_at(index)->next_free;
    if (table.free_first == NO_SLOT) table.free_last = NO_SLOT;
    table.n_free--;
    return index;
}

/* Under the lock; NO_SLOT with *why.  The last slots are for errors, so that the one about this can still be taken. */
static uint32_t take_slot(gei_handle_kind kind, const char **why) {
    *why = "the process has no address space left";
    if (!table_ready()) return NO_SLOT;
    if (table.n_free > REUSE_AFTER) return take_free();
    bool is_limited = table.reserved - table.used <= ERROR_SLOTS && table.reserved < SLOT_COUNT && !grow();
    if (!is_limited) *why = "all are in use";
    if (table.reserved - table.used + table.n_free <= (kind == GEI_HANDLE_ERROR ? 0 : ERROR_SLOTS)) return NO_SLOT;
    if (table.used == table.reserved) return take_free();
    slot_at(table.used)->generation = 1;
    return table.used++;
}

void *gei_handle_new(gei_handle_kind kind, void *object, void (*destroy)(void *object), const char **why) {
    pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&table.lock);
    uint32_t index = take_slot(kind, why);
    uint32_t generation = index == NO_SLOT ? 0 : slot_at(index)->generation;
    pthread_mutex_unlock(&table.lock);
    if (index == NO_SLOT) return NULL;

    slot *s = slot_at(index);
    s->object = object;
    s->destroy = destroy;
    atomic_store_explicit(&s->word, gei_handle_word(generation, kind), memory_order_release);
    atomic_fetch_add_explicit(&table.live, 1, memory_order_relaxed);
    return (void *)(region_start() + index * GEI_HANDLE_GENERATIONS + generation);
}

/* Why `word` does not serve this handle. */
static ge_status explain(uint64_t word, uint64_t generation, uint32_t kind) {
    uint64_t head = word >> HEAD_SHIFT;
    uint64_t epoch = atomic_load_explicit(&gei_handle_table.epoch, memory_order_relaxed);
    if (generation == 0 || (head >> 16) != generation || (head >> 8 & 0xff) == 0) return GE_ERR_HANDLE_STALE;
    if ((head & EPOCH_MASK) != epoch) return GE_ERR_FORKED;
    if ((head >> 8 & 0xff) != kind) return GE_ERR_HANDLE_WRONG_KIND;
    return GE_ERR_HANDLE_CLOSED;
}

ge_status gei_handle_refusal(const void *handle, gei_handle_kind kind) {
    slot *s;
    uint64_t generation;
    if (!handle) return GE_ERR_HANDLE_NULL;
    if (!gei_handle_locate(handle, &s, &generation)) return GE_ERR_HANDLE_FOREIGN;
    return explain(atomic_load_explicit(&s->word, memory_order_acquire), generation, kind);
}

/* Frees the slot for later use; the caller has won the right to by its compare-and-swap. */
static void retire(slot *s, uint32_t generation) {
    pthread_mutex_lock(&table.lock);
    if (generation + 1 < GEI_HANDLE_GENERATIONS) {
        uint32_t index = (uint32_t)(s - gei_handle_table.slots);
        s->generation = generation + 1;
        s->next_free = NO_SLOT;
        if (table.free_last == NO_SLOT) table.free_first = index;
        else slot_at(table.free_last)->next_free = index;
        table.free_last = index;
        table.n_free++;
    }
    pthread_mutex_unlock(&table.lock);
    atomic_fetch_sub_explicit(&table.live, 1, memory_order_relaxed);
}

/* Destroys the object when `word` says closed and free of leases, and nobody else was faster. */
static void finish_if_last(slot *s, uint64_t word) {
    if (!(word & CLOSED_BIT) || (word & LEASE_MASK)) return;
    void *object = s->object;
    void (*destroy)(void *) = s->destroy;
    if (!atomic_compare_exchange_strong_explicit(&s->word, &word, 0, memory_order_acq_rel, memory_order_acquire)) return;
    retire(s, (uint32_t)(word >> (HEAD_SHIFT + 16)));
    destroy(object);
}

void *gei_handle_lease(const void *handle, gei_handle_kind kind, ge_status *why) {
    slot *s;
    uint64_t generation;
    if (!gei_handle_locate(handle, &s, &generation)) {
        *why = handle ? GE_ERR_HANDLE_FOREIGN : GE_ERR_HANDLE_NULL;
        return NULL;
    }
    uint64_t want = gei_handle_word(generation, kind);
    uint64_t word = want; /* a guess: nearly always nobody else holds a lease, and a load first would cost a third more */
    do {
        if ((word & ~LEASE_MASK) != want) {
            *why = explain(word, generation, kind);
            return NULL;
        }
        if ((word & LEASE_MASK) == LEASE_MASK) {
            *why = GE_ERR_LIMIT;
            return NULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&s->word, &word, word + 1, memory_order_acq_rel, memory_order_acquire));
    return s->object;
}

void gei_handle_unlease(const void *handle) {
    slot *s;
    uint64_t generation;
    if (!gei_handle_locate(handle, &s, &generation)) return;
    uint64_t word = atomic_fetch_sub_explicit(&s->word, 1, memory_order_acq_rel) - 1;
    finish_if_last(s, word);
}

ge_status gei_handle_close(void *handle, gei_handle_kind kind) {
    slot *s;
    uint64_t generation;
    if (!handle) return GE_OK;
    if (!gei_handle_locate(handle, &s, &generation)) return GE_ERR_HANDLE_FOREIGN;
    uint64_t want = gei_handle_word(generation, kind);
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
    do {
        if ((word & ~LEASE_MASK) != want) {
            ge_status why = explain(word, generation, kind);
            return why == GE_ERR_FORKED && (word >> (HEAD_SHIFT + 8) & 0xff) == kind ? GE_OK : why;
        }
    } while (!atomic_compare_exchange_weak_explicit(&s->word, &word, word | CLOSED_BIT, memory_order_acq_rel, memory_order_acquire));
    finish_if_last(s, word | CLOSED_BIT);
    return GE_OK;
}

ge_status gei_handle_release(void *handle, gei_handle_kind kind) {
    slot *s;
    uint64_t generation;
    if (!handle) return GE_OK;
    if (!gei_handle_locate(handle, &s, &generation)) return GE_ERR_HANDLE_FOREIGN;
    uint64_t want = gei_handle_word(generation, kind);
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire), next;
    do {
        if ((word & ~LEASE_MASK) != want) return gei_handle_close(handle, kind); /* says why */
        next = word & LEASE_MASK ? word - 1 : word | CLOSED_BIT;
    } while (!atomic_compare_exchange_weak_explicit(&s->word, &word, next, memory_order_acq_rel, memory_order_acquire));
    finish_if_last(s, next);
    return GE_OK;
}

uint32_t gei_handle_kind_of(const void *handle) {
    slot *s;
    uint64_t generation;
    if (!gei_handle_locate(handle, &s, &generation)) return 0;
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
    return (word >> (HEAD_SHIFT + 16)) == generation ? (uint32_t)(word >> (HEAD_SHIFT + 8) & 0xff) : 0;
}

const char *gei_handle_kind_name(uint32_t kind) {
    static const char *const names[] = { "none",   "context", "options", "tensor",    "value", "graph",  "builder", "model", "binding",
                                         "state", "session", "operation", "queue", "stream", "event",   "registration", "error" };
    return kind < GEI_COUNT(names) ? names[kind] : "none";
}

uint64_t gei_handle_live_count(void) { return atomic_load_explicit(&table.live, memory_order_relaxed); }
