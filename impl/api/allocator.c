/* SPDX-License-Identifier: Apache-2.0 */
#include "api/allocator.h"

#include "base/alloc.h"

ge_status ge_allocator_init(ge_allocator *allocator, size_t allocator_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(allocator, allocator_size);
    GEI_NEED(allocator, 0);
    ge_allocator a = GE_ALLOCATOR_INIT;
    return GEI_RETURN(gei_struct_out(allocator, allocator_size, &a, sizeof a, GEI_FIRST_ALLOCATOR, "allocator", 0, &diag));
}

static ge_status read(const ge_allocator *a, const char *argument, int32_t index, gei_api_allocator **out, gei_diag *diag) {
    if (!a->allocate != !a->deallocate)
        return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_ARGUMENT, "%s is set and %s is not", a->allocate ? "allocate" : "deallocate",
                                 a->allocate ? "deallocate" : "allocate");
    if (!a->allocate) {
        if (a->destroy) return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_ARGUMENT, "destroy is set and allocate is not");
        return GE_OK;
    }
    gei_api_allocator *made = gei_alloc_zero(&gei_heap, sizeof *made, 0);
    if (!made) return gei_out_of_memory(diag, sizeof *made);
    atomic_init(&made->refs, 1);
    made->allocate = a->allocate;
    made->deallocate = a->deallocate;
    made->user = a->user_data;
    made->destroy = a->destroy;
    *out = made;
    return GE_OK;
}

ge_status gei_api_allocator_in(const ge_allocator *from, const char *argument, int32_t index, gei_api_allocator **out, gei_diag *diag) {
    ge_allocator a = GE_ALLOCATOR_INIT;
    *out = NULL;
    if (!from) return GE_OK;
    GEI_TRY(gei_struct_in(from, &a, sizeof a, GEI_FIRST_ALLOCATOR, argument, index, diag));
    ge_status st = read(&a, argument, index, out, diag);
    if (st != GE_OK && a.destroy) a.destroy(a.user_data);
    return st;
}

gei_api_allocator *gei_api_allocator_retain(gei_api_allocator *a) {
    if (a) atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
    return a;
}

void gei_api_allocator_release(gei_api_allocator *a) {
    if (!a || atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) != 1) return;
    gei_api_allocator last = { .destroy = a->destroy, .user = a->user };
    gei_free(&gei_heap, a, sizeof *a, 0);
    if (last.destroy) last.destroy(last.user);
}

void *gei_api_allocator_take(gei_api_allocator *a, size_t size_bytes, size_t align_bytes) {
    if (!a) return gei_heap.alloc(gei_heap.user, size_bytes, align_bytes);
    uint8_t *data = a->allocate(a->user, size_bytes, align_bytes);
    if (!data) {
        gei_alloc_set_fault("the allocator of the context gave none");
        return NULL;
    }
    if ((uintptr_t)data % align_bytes == 0) return data;
    a->deallocate(a->user, data, size_bytes, align_bytes);
    gei_alloc_set_fault("the allocator of the context gave memory that is not aligned as asked");
    return NULL;
}

void gei_api_allocator_give(gei_api_allocator *a, void *ptr, size_t size_bytes, size_t align_bytes) {
    if (a) a->deallocate(a->user, ptr, size_bytes, align_bytes);
    else gei_heap.free(gei_heap.user, ptr, size_bytes, align_bytes);
}
