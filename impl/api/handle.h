/* SPDX-License-Identifier: Apache-2.0 */
/* handle: what a client holds is an address inside one inaccessible region; its offset encodes slot and generation.
 * The table maps it to an object and can tell null, foreign, stale, wrong kind, closed and forked apart, in release builds too.
 *
 *   handle = region + slot * 65536 + generation          (1 byte apart: never dereferenced)
 *   slot word: generation 16 | kind 8 | epoch 8 | closed 1 | free 7 | leases 24
 *
 * The region is reserved as a whole; where the address space is limited (RLIMIT_AS) it begins where nobody else maps memory, and only
 * the part that slots were taken from is reserved.  It never moves, so the check is the same.
 *
 * A slot whose generation has come to its end is retired, so a stale handle never passes.  Freed slots wait in a first-in-first-out
 * queue of at least 1024 before they serve again.  The object is destroyed once: by close when nobody holds a lease, else by the
 * last lease given back. */
#ifndef GEI_API_HANDLE_H
#define GEI_API_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/diag.h"

typedef enum gei_handle_kind {
    GEI_HANDLE_CONTEXT = 1,
    GEI_HANDLE_OPTIONS,
    GEI_HANDLE_TENSOR,
    GEI_HANDLE_VALUE,
    GEI_HANDLE_GRAPH,
    GEI_HANDLE_BUILDER,
    GEI_HANDLE_MODEL,
    GEI_HANDLE_BINDING,
    GEI_HANDLE_STATE,
    GEI_HANDLE_SESSION,
    GEI_HANDLE_OPERATION,
    GEI_HANDLE_QUEUE,
    GEI_HANDLE_STREAM,
    GEI_HANDLE_EVENT,
    GEI_HANDLE_REGISTRATION,
    GEI_HANDLE_ERROR
} gei_handle_kind;

/* Gives a handle for `object`, or NULL with *why saying what is exhausted (static).  destroy(object) runs exactly once, on the thread that
 * closes or gives back the last lease, with no lock held. */
void *gei_handle_new(gei_handle_kind kind, void *object, void (*destroy)(void *object), const char **why);


/* ---- the check, inline since every getter pays for it ---- */

#define GEI_HANDLE_GENERATIONS UINT64_C(65536)
#define GEI_HANDLE_HEAD_SHIFT 32 /* generation, kind, epoch above */
#define GEI_HANDLE_LEASES UINT64_C(0xffffff)

typedef struct gei_handle_slot {
    _Atomic uint64_t word;
    void *object;              /* written before the word is published, read after it is checked */
    void (*destroy)(void *object);
    uint32_t next_free;
    uint32_t generation;       /* of the next object in this slot; guarded by the table's lock */
} gei_handle_slot;

/* What a check reads, on a cache line that nobody writes once there are handles (a fork apart). */
extern struct gei_handle_table {
    _Alignas(64) _Atomic uint64_t region_bytes; /* 0 until the rest is there */
    _Atomic uintptr_t region;
    gei_handle_slot *slots;
    _Atomic uint64_t epoch;    /* 1 to 255; advances in the child of a fork */
} gei_handle_table __attribute__((visibility("hidden")));

/* Splits a handle; false when it is not from this table. */
static inline bool gei_handle_locate(const void *handle, gei_handle_slot **out_slot, uint64_t *out_generation) {
    uint64_t region_bytes = atomic_load_explicit(&gei_handle_table.region_bytes, memory_order_acquire);
    uint64_t offset = (uintptr_t)handle - atomic_load_explicit(&gei_handle_table.region, memory_order_relaxed);
    if (offset >= region_bytes) return false;
    *out_slot = &gei_handle_table.slots[offset / GEI_HANDLE_GENERATIONS];
    *out_generation = offset % GEI_HANDLE_GENERATIONS;
    return true;
}

/* The word of a slot that serves, leases apart.  A free slot's word is 0, which no kind makes. */
static inline uint64_t gei_handle_word(uint64_t generation, uint32_t kind) {
    return (generation << 16 | kind << 8 | atomic_load_explicit(&gei_handle_table.epoch, memory_order_relaxed)) << GEI_HANDLE_HEAD_SHIFT;
}

/* Why a handle that did not pass cannot be used: a GE_ERR_HANDLE_* status or GE_ERR_FORKED. */
ge_status gei_handle_refusal(const void *handle, gei_handle_kind kind);

/* The object, or NULL with *why set to a refusal.  No lease: the caller must not race with close. */
static inline void *gei_handle_get(const void *handle, gei_handle_kind kind, ge_status *why) {
    gei_handle_slot *s;
    uint64_t generation;
    if (gei_handle_locate(handle, &s, &generation)) {
        uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
        if ((word & ~GEI_HANDLE_LEASES) == gei_handle_word(generation, kind)) return s->object;
    }
    *why = gei_handle_refusal(handle, kind);
    return NULL;
}

/* The same, and keeps the object alive until gei_handle_unlease.  *why is GE_ERR_LIMIT when 2^24 - 1 leases are held. */
void *gei_handle_lease(const void *handle, gei_handle_kind kind, ge_status *why);
void gei_handle_unlease(const void *handle);

/* ---- the end of a handle ---- */

/* NULL: GE_OK.  A handle from before a fork: GE_OK, nothing freed.  A live one: closed, never fails, never waits. */
ge_status gei_handle_close(void *handle, gei_handle_kind kind);

/* For counted kinds, whose counts beyond the first are leases: gives back a lease while there are any, else closes. */
ge_status gei_handle_release(void *handle, gei_handle_kind kind);

/* Kind of a live handle, 0 when it is none: for messages. */
uint32_t gei_handle_kind_of(const void *handle);
const char *gei_handle_kind_name(uint32_t kind);
uint64_t gei_handle_live_count(void); /* tests */

#endif
