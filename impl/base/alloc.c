/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define HUGE_FROM_BYTES ((size_t)4 << 20) /* below this the padding to a huge page costs more than it gains */
#define MALLOC_ALIGN_BYTES 16             /* what malloc gives anyway */

static _Atomic uint64_t n_allocs;    /* attempts, failed ones included */
static _Atomic uint64_t fail_at;     /* value of n_allocs that fails; 0: off */
static _Atomic bool fails_from_then_on;

static _Thread_local const char *fault __attribute__((tls_model("initial-exec")));

void gei_alloc_set_fault(const char *why) { fault = why; }

const char *gei_alloc_take_fault(void) {
    const char *why = fault;
    fault = NULL;
    return why;
}

static bool must_fail(void) {
    uint64_t n = atomic_fetch_add_explicit(&n_allocs, 1, memory_order_relaxed) + 1;
    uint64_t at = atomic_load_explicit(&fail_at, memory_order_acquire);
    if (at == 0 || n < at) return false;
    return n == at || atomic_load_explicit(&fails_from_then_on, memory_order_relaxed);
}

static void *heap_alloc(void *user, size_t size_bytes, size_t align_bytes) {
    (void)user;
    if (must_fail() || size_bytes > PTRDIFF_MAX) return NULL;
    bool is_huge = size_bytes >= HUGE_FROM_BYTES;
    if (!is_huge && align_bytes <= MALLOC_ALIGN_BYTES) return malloc(size_bytes);
    if (is_huge && align_bytes < HUGE_PAGE_BYTES) align_bytes = HUGE_PAGE_BYTES;
    void *ptr = NULL;
    if (posix_memalign(&ptr, align_bytes, size_bytes) != 0) return NULL;
    /* A wish only: kernels without huge pages refuse it, and the memory is as good.  The tail that fills no page is left out. */
    if (is_huge) (void)madvise(ptr, size_bytes & ~(HUGE_PAGE_BYTES - 1), MADV_HUGEPAGE);
    return ptr;
}

static void heap_free(void *user, void *ptr, size_t size_bytes, size_t align_bytes) {
    (void)user;
    (void)size_bytes;
    (void)align_bytes;
    free(ptr);
}

const gei_allocator gei_heap = { heap_alloc, heap_free, NULL };

/* Allocators never see size 0 or align 0; alloc and free apply the same change, so sizes still match. */
static size_t real_size(size_t size_bytes) { return size_bytes ? size_bytes : 1; }
static size_t real_align(size_t align_bytes) { return align_bytes ? align_bytes : MALLOC_ALIGN_BYTES; }

void *gei_alloc(const gei_allocator *from, size_t size_bytes, size_t align_bytes) {
    assert((align_bytes & (align_bytes - 1)) == 0);
    return from->alloc(from->user, real_size(size_bytes), real_align(align_bytes));
}

void *gei_alloc_zero(const gei_allocator *from, size_t size_bytes, size_t align_bytes) {
    void *ptr = gei_alloc(from, size_bytes, align_bytes);
    if (ptr) memset(ptr, 0, size_bytes);
    return ptr;
}

void gei_free(const gei_allocator *from, void *ptr, size_t size_bytes, size_t align_bytes) {
    if (!ptr) return;
    from->free(from->user, ptr, real_size(size_bytes), real_align(align_bytes));
}

void gei_heap_fail_after(uint64_t n, bool forever) {
    atomic_store_explicit(&fail_at, 0, memory_order_relaxed);
    atomic_store_explicit(&fails_from_then_on, forever, memory_order_relaxed);
    if (n == 0) return;
    uint64_t made = atomic_load_explicit(&n_allocs, memory_order_relaxed);
    atomic_store_explicit(&fail_at, made + n, memory_order_release);
}

uint64_t gei_heap_alloc_count(void) { return atomic_load_explicit(&n_allocs, memory_order_relaxed); }
