/* SPDX-License-Identifier: Apache-2.0 */
/* allocator: memory from the caller, counted by who uses it: options, contexts. */
#ifndef GEI_API_ALLOCATOR_H
#define GEI_API_ALLOCATOR_H

#include <stdatomic.h>

#include "api/call.h"

typedef struct gei_api_allocator {
    atomic_uint refs;
    ge_alloc_fn allocate;
    ge_free_fn deallocate;
    void *user;
    ge_destroy_fn destroy; /* runs with the last count */
} gei_api_allocator;

/* Reads a caller's struct; *out is NULL when it asks for memory of the process.  The caller's destroy has run when this fails, and
 * when nothing keeps the triple. */
ge_status gei_api_allocator_in(const ge_allocator *from, const char *argument, int32_t index, gei_api_allocator **out, gei_diag *diag);
gei_api_allocator *gei_api_allocator_retain(gei_api_allocator *a); /* NULL is fine */
void gei_api_allocator_release(gei_api_allocator *a);              /* NULL is fine */

/* NULL `a`: the heap.  Memory that is not aligned is given back and counts as none. */
void *gei_api_allocator_take(gei_api_allocator *a, size_t size_bytes, size_t align_bytes);
void gei_api_allocator_give(gei_api_allocator *a, void *ptr, size_t size_bytes, size_t align_bytes);

#endif
