/* SPDX-License-Identifier: Apache-2.0 */
/* alloc: the one way to get memory.  Everything a context owns comes from its allocator; what is per process (handle table,
 * pool) comes from gei_heap.  Sizes are given back to free, so a host allocator needs no headers of its own. */
#ifndef GEI_BASE_ALLOC_H
#define GEI_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEI_ALIGN_BYTES 64 /* tensors and arenas: one cache line, one AVX-512 vector */

typedef struct gei_allocator {
    void *(*alloc)(void *user, size_t size_bytes, size_t align_bytes); /* NULL on failure; any thread */
    void (*free)(void *user, void *ptr, size_t size_bytes, size_t align_bytes);
    void *user;
} gei_allocator;

extern const gei_allocator gei_heap; /* posix memory; obeys gei_heap_fail_after in tests */

/* size 0 gives a unique pointer; align 0 means 16.  The memory is not cleared. */
void *gei_alloc(const gei_allocator *from, size_t size_bytes, size_t align_bytes);
void *gei_alloc_zero(const gei_allocator *from, size_t size_bytes, size_t align_bytes);
void gei_free(const gei_allocator *from, void *ptr, size_t size_bytes, size_t align_bytes); /* NULL is fine */

/* Checked size arithmetic: false on overflow, *out untouched then. */
static inline bool gei_mul(size_t a, size_t b, size_t *out) {
    size_t r;
    if (__builtin_mul_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}
static inline bool gei_add(size_t a, size_t b, size_t *out) {
    size_t r;
    if (__builtin_add_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}
static inline bool gei_mul_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool gei_add_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline size_t gei_round_up(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); } /* align: power of two */

/* Why the last allocation of this thread failed, when that is not plain lack of memory: for the message of gei_out_of_memory, which takes it. */
void gei_alloc_set_fault(const char *why); /* static text */
const char *gei_alloc_take_fault(void);    /* NULL: nothing is known */

/* Fault injection for tests: the n-th gei_heap allocation from now fails (1 = next), and every later one too when `forever`.
 * 0 turns it off.  Counted over all threads. */
void gei_heap_fail_after(uint64_t n, bool forever);
uint64_t gei_heap_alloc_count(void); /* allocations made through gei_heap since start */

#endif
