/* SPDX-License-Identifier: Apache-2.0 */
/* vec: a growing array.  GEI_VEC(type) declares one; the functions grow it by doubling through its allocator.
 *   GEI_VEC(uint32_t) ids = {0};
 *   if (!gei_vec_push(heap, &ids, 7u)) return gei_out_of_memory(diag, 0);
 *   gei_vec_free(heap, &ids);
 * Zeroed memory is a valid empty vec. */
#ifndef GEI_BASE_VEC_H
#define GEI_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

#define GEI_VEC(type)   \
    struct {            \
        type *items;    \
        size_t count;   \
        size_t cap;     \
    }

/* Makes room for `more` items behind count; items move.  False when out of memory: the vec is unchanged. */
bool gei_vec_grow_(const gei_allocator *from, void **items, size_t count, size_t *cap, size_t more, size_t elem_bytes);

static inline bool gei_vec_fits_(size_t count, size_t cap, size_t more) { return more <= cap - count; }

#define gei_vec_reserve(from, vec, more)                                                                          \
    (gei_vec_fits_((vec)->count, (vec)->cap, (size_t)(more)) ||                                                   \
     gei_vec_grow_((from), (void **)&(vec)->items, (vec)->count, &(vec)->cap, (size_t)(more), sizeof *(vec)->items))
#define gei_vec_push(from, vec, item) \
    (gei_vec_reserve((from), (vec), 1) ? ((vec)->items[(vec)->count] = (item), (vec)->count++, true) : false)
#define gei_vec_free(from, vec)                                                                \
    do {                                                                                       \
        gei_free((from), (vec)->items, (vec)->cap * sizeof *(vec)->items, 0);                  \
        (vec)->items = NULL;                                                                   \
        (vec)->count = (vec)->cap = 0;                                                         \
    } while (0)

#endif
