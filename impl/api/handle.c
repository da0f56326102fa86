/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handle.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#define SLOT_COUNT (UINT32_C(1) << 20)
#define GENERATIONS UINT32_C(65536)
#define REGION_BYTES ((uint64_t)SLOT_COUNT * GENERATIONS)
#define REUSE_AFTER 1024u /* free slots that must wait before the first of them serves again */
#define NO_SLOT UINT32_MAX
#define ERROR_SLOTS 8u
#define GROWN_SLOTS 64u        /* reserved at a time where not all can be: 4 MiB */

#define LEASE_MASK UINT64_C(0xffffff)
#define CLOSED_BIT (UINT64_C(1) << 31)
#define HEAD_SHIFT 32 /* generation, kind, epoch above */
#define EPOCH_MASK UINT64_C(0xff)
#define LONG_AGO 0u   /* epoch of what was made before the epochs began anew; no table is ever in it */

typedef struct slot {
    _Atomic uint64_t word;
    void *object;              /* written before the word is published, read after it is checked */
    void (*destroy)(void *object);
    uint32_t next_free;
    uint32_t generation;       /* of the next object in this slot; guarded by the table lock */
} slot;

static struct table {
    pthread_mutex_t lock;      /* guards the free queue and growth, never held around foreign code */
    _Atomic(char *) region;    /* NULL: no handle was made yet */
    slot *slots;
    uint32_t reserved;         /* slots whose part of the region is reserved */
    uint32_t used;             /* slots ever used */
    uint32_t free_first, free_last, n_free;
    _Atomic uint32_t epoch;    /* 1 to 255; advances in the child of a fork */
    _Atomic uint64_t live;
} table = { .epoch = 1, .lock = PTHREAD_MUTEX_INITIALIZER, .free_first = NO_SLOT, .free_last = NO_SLOT };

static void fork_prepare(void) { pthread_mutex_lock(&table.lock); }
static void fork_parent(void) { pthread_mutex_unlock(&table.lock); }
/* After 255 generations of forks the epochs begin anew; no handle of theirs may pass for one made now. */
static void begin_epochs_anew(void) {
    for (uint32_t i = 0; i < table.used; i++) {
        uint64_t word = atomic_load_explicit(&table.slots[i].word, memory_order_relaxed);
        atomic_store_explicit(&table.slots[i].word, word & ~(EPOCH_MASK << HEAD_SHIFT), memory_order_relaxed);
    }
    atomic_store(&table.epoch, LONG_AGO + 1);
}

static void fork_child(void) {
    if (atomic_load(&table.epoch) == EPOCH_MASK) begin_epochs_anew();
    else atomic_fetch_add(&table.epoch, 1);
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
        region = reserve((char *)(uintptr_t)at, (uint64_t)GROWN_SLOTS * GENERATIONS);
    return region;
}

/* Under the lock. */
static bool table_ready(void) {
    uint32_t reserved;
    if (atomic_load_explicit(&table.region, memory_order_relaxed)) return true;
    void *slots = mmap(NULL, SLOT_COUNT * sizeof(slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots == MAP_FAILED) return false;
    char *region = reserve_region(&reserved);
    if (!region) {
        munmap(slots, SLOT_COUNT * sizeof(slot));
        return false;
    }
    table.slots = slots;
    table.reserved = reserved;
    atomic_store_explicit(&table.region, region, memory_order_release);
    return true;
}

static bool grow(void) {
    char *region = atomic_load_explicit(&table.region, memory_order_relaxed);
    if (!reserve(region + (uint64_t)table.reserved * GENERATIONS, (uint64_t)GROWN_SLOTS * GENERATIONS)) return false;
    table.reserved += GROWN_SLOTS;
    return true;
}

static uint64_t head_of(uint32_t generation, uint32_t kind, uint32_t epoch) {
    return ((uint64_t)generation << 16 | kind << 8 | epoch) << HEAD_SHIFT;
}

static uint32_t take_free(void) {
    uint32_t index = table.free_first;
    table.free_first = table.slots[index].next_free;
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
    table.slots[table.used].generation = 1;
    return table.used++;
}

void *gei_handle_new(gei_handle_kind kind, void *object, void (*destroy)(void *object), const char **why) {
    pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&table.lock);
    uint32_t index = take_slot(kind, why);
    uint32_t generation = index == NO_SLOT ? 0 : table.slots[index].generation;
    pthread_mutex_unlock(&table.lock);
    if (index == NO_SLOT) return NULL;

    slot *s = &table.slots[index];
    s->object = object;
    s->destroy = destroy;
    atomic_store_explicit(&s->word, head_of(generation, kind, atomic_load_explicit(&table.epoch, memory_order_relaxed)),
                          memory_order_release);
    atomic_fetch_add_explicit(&table.live, 1, memory_order_relaxed);
    return atomic_load_explicit(&table.region, memory_order_relaxed) + (uint64_t)index * GENERATIONS + generation;
}

/* Splits a handle; false when it is not from this table. */
static inline bool locate(const void *handle, slot **out_slot, uint32_t *out_generation) {
    char *region = atomic_load_explicit(&table.region, memory_order_acquire);
    uint64_t offset = (uint64_t)((uintptr_t)handle - (uintptr_t)region);
    if (offset >= REGION_BYTES || !region) return false;
    *out_slot = &table.slots[offset / GENERATIONS];
    *out_generation = (uint32_t)(offset % GENERATIONS);
    return true;
}

/* Why `word` does not serve this handle. */
static ge_status explain(const void *handle, uint64_t word, uint32_t generation, uint32_t kind) {
    if (!handle) return GE_ERR_HANDLE_NULL;
    uint64_t head = word >> HEAD_SHIFT;
    uint32_t epoch = atomic_load_explicit(&table.epoch, memory_order_relaxed);
    if (generation == 0 || (head >> 16) != generation || (head >> 8 & 0xff) == 0) return GE_ERR_HANDLE_STALE;
    if ((head & EPOCH_MASK) != epoch) return GE_ERR_FORKED;
    if ((head >> 8 & 0xff) != kind) return GE_ERR_HANDLE_WRONG_KIND;
    return GE_ERR_HANDLE_CLOSED;
}

void *gei_handle_get(const void *handle, gei_handle_kind kind, ge_status *why) {
    slot *s;
    uint32_t generation;
    if (!locate(handle, &s, &generation)) {
        *why = handle ? GE_ERR_HANDLE_FOREIGN : GE_ERR_HANDLE_NULL;
        return NULL;
    }
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
    uint64_t want = head_of(generation, kind, atomic_load_explicit(&table.epoch, memory_order_relaxed));
    if ((word & ~LEASE_MASK) == want && generation != 0) return s->object;
    *why = explain(handle, word, generation, kind);
    return NULL;
}

/* Frees the slot for later use; the caller has won the right to by its compare-and-swap. */
static void retire(slot *s, uint32_t generation) {
    pthread_mutex_lock(&table.lock);
    if (generation + 1 < GENERATIONS) {
        uint32_t index = (uint32_t)(s - table.slots);
        s->generation = generation + 1;
        s->next_free = NO_SLOT;
        if (table.free_last == NO_SLOT) table.free_first = index;
        else table.slots[table.free_last].next_free = index;
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
    uint32_t generation;
    if (!locate(handle, &s, &generation)) {
        *why = handle ? GE_ERR_HANDLE_FOREIGN : GE_ERR_HANDLE_NULL;
        return NULL;
    }
    uint64_t want = head_of(generation, kind, atomic_load_explicit(&table.epoch, memory_order_relaxed));
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
    do {
        if ((word & ~LEASE_MASK) != want || generation == 0) {
            *why = explain(handle, word, generation, kind);
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
    uint32_t generation;
    if (!locate(handle, &s, &generation)) return;
    uint64_t word = atomic_fetch_sub_explicit(&s->word, 1, memory_order_acq_rel) - 1;
    finish_if_last(s, word);
}

ge_status gei_handle_close(void *handle, gei_handle_kind kind) {
    slot *s;
    uint32_t generation;
    if (!handle) return GE_OK;
    if (!locate(handle, &s, &generation)) return GE_ERR_HANDLE_FOREIGN;
    uint64_t want = head_of(generation, kind, atomic_load_explicit(&table.epoch, memory_order_relaxed));
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
    do {
        if ((word & ~LEASE_MASK) != want || generation == 0) {
            ge_status why = explain(handle, word, generation, kind);
            return why == GE_ERR_FORKED && (word >> (HEAD_SHIFT + 8) & 0xff) == kind ? GE_OK : why;
        }
    } while (!atomic_compare_exchange_weak_explicit(&s->word, &word, word | CLOSED_BIT, memory_order_acq_rel, memory_order_acquire));
    finish_if_last(s, word | CLOSED_BIT);
    return GE_OK;
}

ge_status gei_handle_release(void *handle, gei_handle_kind kind) {
    slot *s;
    uint32_t generation;
    if (!handle) return GE_OK;
    if (!locate(handle, &s, &generation)) return GE_ERR_HANDLE_FOREIGN;
    uint64_t want = head_of(generation, kind, atomic_load_explicit(&table.epoch, memory_order_relaxed));
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire), next;
    do {
        if ((word & ~LEASE_MASK) != want || generation == 0) return gei_handle_close(handle, kind); /* says why */
        next = word & LEASE_MASK ? word - 1 : word | CLOSED_BIT;
    } while (!atomic_compare_exchange_weak_explicit(&s->word, &word, next, memory_order_acq_rel, memory_order_acquire));
    finish_if_last(s, next);
    return GE_OK;
}

uint32_t gei_handle_kind_of(const void *handle) {
    slot *s;
    uint32_t generation;
    if (!locate(handle, &s, &generation)) return 0;
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
    return (word >> (HEAD_SHIFT + 16)) == generation ? (uint32_t)(word >> (HEAD_SHIFT + 8) & 0xff) : 0;
}

const char *gei_handle_kind_name(uint32_t kind) {
    static const char *const names[] = { "none",   "context", "options", "tensor",    "value", "graph",  "builder", "model", "binding",
                                         "state", "session", "operation", "queue", "stream", "event",   "registration", "error" };
    return kind < GEI_COUNT(names) ? names[kind] : "none";
}

uint64_t gei_handle_live_count(void) { return atomic_load_explicit(&table.live, memory_order_relaxed); }
