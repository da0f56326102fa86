/* SPDX-License-Identifier: Apache-2.0 */
/* bundle: the bytes of a value that is no tensor.  One block, which may be copied and moved like those of any tensor:
 *
 *   head | items | data of the items, each aligned to GEI_ALIGN_BYTES
 *
 * Items are tensors or bundles.  A sequence has its items in order; an optional has one or none; a map has its keys, a vector, then a
 * value for each of them.  As a tensor a bundle is a scalar of its type (dtype.h). */
#ifndef GEI_IR_BUNDLE_H
#define GEI_IR_BUNDLE_H

#include "base/alloc.h"
#include "ir/dtype.h"
#include "ir/shape.h"

typedef struct gei_bundle {
    uint64_t size_bytes; /* of all */
    uint64_t count;
} gei_bundle;

typedef struct gei_bundle_item {
    int32_t dtype, rank;
    int64_t dims[GEI_MAX_RANK];
    int64_t n_elems;
    uint64_t offset; /* of its data, from the head */
    uint64_t size_bytes;
} gei_bundle_item;

static inline size_t gei_bundle_bytes(const void *bundle) { return (size_t)((const gei_bundle *)bundle)->size_bytes; }
static inline size_t gei_bundle_count(const void *bundle) { return (size_t)((const gei_bundle *)bundle)->count; }
static inline const gei_bundle_item *gei_bundle_at(const void *bundle, size_t index) {
    return (const gei_bundle_item *)((const char *)bundle + GEI_ALIGN_BYTES) + index;
}
static inline void *gei_bundle_data(const void *bundle, size_t index) {
    return (char *)(uintptr_t)bundle + gei_bundle_at(bundle, index)->offset;
}

/* Bytes of a bundle of these items, whose dtype, shape and size_bytes are set; false: they do not fit 63 bits. */
bool gei_bundle_measure(const gei_bundle_item *items, size_t count, size_t *out_bytes);
/* Writes head and items into that many bytes; the data of each is the caller's to copy to where gei_bundle_data says. */
void gei_bundle_start(void *bundle, const gei_bundle_item *items, size_t count);

#endif
