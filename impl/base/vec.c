/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"

#define FIRST_CAP 8

bool gei_vec_grow_(const gei_allocator *from, void **items, size_t count, size_t *cap, size_t more, size_t elem_bytes) {
    size_t wanted, new_cap, new_bytes;
    if (!gei_add(count, more, &wanted)) return false;
    if (!gei_mul(*cap, 2, &new_cap)) new_cap = wanted;
    if (new_cap < FIRST_CAP) new_cap = FIRST_CAP;
    if (new_cap < wanted) new_cap = wanted;
    if (!gei_mul(new_cap, elem_bytes, &new_bytes)) return false;

    /* The caller's variable is some T *, not a void *: it is read and written as bytes to respect aliasing rules. */
    void *old_items;
    memcpy(&old_items, items, sizeof old_items);
    void *new_items = gei_alloc(from, new_bytes, 0);
    if (!new_items) return false;
    if (count > 0) memcpy(new_items, old_items, count * elem_bytes);
    gei_free(from, old_items, *cap * elem_bytes, 0);
    memcpy(items, &new_items, sizeof new_items);
    *cap = new_cap;
    return true;
}
