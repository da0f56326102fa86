/* SPDX-License-Identifier: Apache-2.0 */
/* ge_test: what unit tests share.  Include it as "unit/ge_test.h"; it brings cmocka.
 *   ge_test_heap heap;  ge_test_heap_init(&heap);           an allocator that counts, can fail, and checks each free
 *   ... use &heap.from ...
 *   ge_test_heap_check(&heap);                              nothing is left
 *   assert_ok(status, &diag);  assert_fails_with(status, &diag, "part of the message");
 *   ge_test_each_allocation_fails(scenario, arg);           runs the scenario with each allocation failing in turn
 */
#ifndef GE_TEST_H
#define GE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/diag.h"

typedef struct ge_test_heap {
    gei_allocator from; /* give &heap.from to the code under test */
    _Atomic uint64_t n_allocs;
    _Atomic uint64_t fail_at; /* value of n_allocs that fails; 0: none */
    _Atomic bool forever;     /* every later one too */
    _Atomic bool has_failed;  /* an allocation was refused */
    _Atomic int64_t live_bytes, live_count;
    _Atomic int64_t peak_bytes;
} ge_test_heap;

/* In front of each piece, right before the caller's bytes. */
typedef struct ge_test_piece {
    void *start;
    size_t size_bytes, align_bytes;
    uint64_t mark;
} ge_test_piece;

#define GE_TEST_LIVE UINT64_C(0x6C6976652D6C6976)
#define GE_TEST_FREED UINT64_C(0x66726565642D6672)

static inline void *ge_test_heap_alloc(void *user, size_t size_bytes, size_t align_bytes) {
    ge_test_heap *heap = user;
    uint64_t n = atomic_fetch_add(&heap->n_allocs, 1) + 1;
    uint64_t at = atomic_load(&heap->fail_at);
    if (at != 0 && (n == at || (n > at && atomic_load(&heap->forever)))) {
        atomic_store(&heap->has_failed, true);
        return NULL;
    }
    assert_true(size_bytes > 0 && align_bytes > 0 && (align_bytes & (align_bytes - 1)) == 0);
    if (size_bytes > SIZE_MAX / 2) return NULL;
    size_t align = align_bytes < sizeof(ge_test_piece) ? sizeof(ge_test_piece) : align_bytes;
    void *start = NULL;
    if (posix_memalign(&start, align, align + size_bytes) != 0) return NULL;
    char *bytes = (char *)start + align;
    memset(bytes, 0xA5, size_bytes); /* shows up when code trusts memory to be cleared */
    ge_test_piece *piece = (ge_test_piece *)(void *)(bytes - sizeof(ge_test_piece));
    *piece = (ge_test_piece){ start, size_bytes, align_bytes, GE_TEST_LIVE };
    int64_t live = atomic_fetch_add(&heap->live_bytes, (int64_t)size_bytes) + (int64_t)size_bytes;
    int64_t peak = atomic_load(&heap->peak_bytes);
    while (live > peak && !atomic_compare_exchange_weak(&heap->peak_bytes, &peak, live)) {}
    atomic_fetch_add(&heap->live_count, 1);
    return bytes;
}

static inline void ge_test_heap_free(void *user, void *ptr, size_t size_bytes, size_t align_bytes) {
    ge_test_heap *heap = user;
    ge_test_piece *piece = (ge_test_piece *)(void *)((char *)ptr - sizeof(ge_test_piece));
    if (piece->mark != GE_TEST_LIVE) fail_msg("free of memory that is not live");
    if (piece->size_bytes != size_bytes || piece->align_bytes != align_bytes) {
        fail_msg("free(size %zu, align %zu) of memory taken with (size %zu, align %zu)", size_bytes, align_bytes,
                 piece->size_bytes, piece->align_bytes);
    }
    piece->mark = GE_TEST_FREED;
    atomic_fetch_sub(&heap->live_bytes, (int64_t)size_bytes);
    atomic_fetch_sub(&heap->live_count, 1);
    memset(ptr, 0x5A, size_bytes);
    free(piece->start);
}

static inline void ge_test_heap_init(ge_test_heap *heap) {
    memset(heap, 0, sizeof *heap);
    heap->from = (gei_allocator){ ge_test_heap_alloc, ge_test_heap_free, heap };
}

/* The n-th allocation from now fails (1 = next), and every later one too when `forever`; 0 turns it off. */
static inline void ge_test_heap_fail_after(ge_test_heap *heap, uint64_t n, bool forever) {
    atomic_store(&heap->has_failed, false);
    atomic_store(&heap->forever, forever);
    atomic_store(&heap->fail_at, n == 0 ? 0 : atomic_load(&heap->n_allocs) + n);
}

static inline void ge_test_heap_check(ge_test_heap *heap) {
    if (atomic_load(&heap->live_count) != 0) {
        fail_msg("leak: %lld bytes in %lld pieces", (long long)atomic_load(&heap->live_bytes),
                 (long long)atomic_load(&heap->live_count));
    }
    assert_int_equal(atomic_load(&heap->live_bytes), 0);
}

/* A scenario builds, uses and frees things from `from`, and returns the first error.  It is run once as it is, then once per
 * allocation with that one refused, then with that one and all later ones refused.  It may succeed despite a refusal, but may not
 * leak, and what it returns must be GE_OK or GE_ERR_OUT_OF_MEMORY. */
typedef ge_status (*ge_test_scenario)(const gei_allocator *from, void *arg);

static inline void ge_test_each_allocation_fails(ge_test_scenario scenario, void *arg) {
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    assert_int_equal(scenario(&heap.from, arg), GE_OK);
    ge_test_heap_check(&heap);
    for (int forever = 0; forever <= 1; forever++) {
        for (uint64_t n = 1;; n++) {
            ge_test_heap_fail_after(&heap, n, forever != 0);
            ge_status status = scenario(&heap.from, arg);
            if (status != GE_OK && status != GE_ERR_OUT_OF_MEMORY) {
                fail_msg("allocation %llu refused: status %#x", (unsigned long long)n, (unsigned)status);
            }
            ge_test_heap_check(&heap);
            if (!atomic_load(&heap.has_failed)) break;
        }
    }
}

static inline void ge_test_ok(ge_status status, const gei_diag *diag, const char *expr, const char *file, int line) {
    if (status == GE_OK) return;
    print_error("%s: status %#x: %s\n", expr, (unsigned)status, diag ? diag->message : "(no diag)");
    if (diag && diag->node[0]) print_error("  node %s\n", diag->node);
    if (diag && diag->found[0]) print_error("  found %s, wanted %s\n", diag->found, diag->wanted);
    _fail(file, line);
}

static inline void ge_test_fails_with(ge_status status, const gei_diag *diag, const char *part, const char *expr,
                                      const char *file, int line) {
    if (status == GE_OK) {
        print_error("%s: succeeded, wanted an error with \"%s\"\n", expr, part);
        _fail(file, line);
    } else if (!diag || diag->status != status || !strstr(diag->message, part)) {
        print_error("%s: status %#x, diag status %#x: \"%s\", wanted \"%s\" in it\n", expr, (unsigned)status,
                    diag ? (unsigned)diag->status : 0, diag ? diag->message : "(no diag)", part);
        _fail(file, line);
    }
}

#define assert_ok(status, diag) ge_test_ok((status), (diag), #status, __FILE__, __LINE__)
#define assert_fails_with(status, diag, part) ge_test_fails_with((status), (diag), (part), #status, __FILE__, __LINE__)

#endif
