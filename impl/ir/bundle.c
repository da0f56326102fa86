/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/bundle.h"

#include <assert.h>
#include <string.h>

#include "base/diag.h"

_Static_assert(sizeof(gei_bundle) <= GEI_ALIGN_BYTES, "items begin at GEI_ALIGN_BYTES");

static uint64_t first_offset(size_t count) {
    return gei_round_up(GEI_ALIGN_BYTES + count * sizeof(gei_bundle_item), GEI_ALIGN_BYTES);
}

bool gei_bundle_measure(const gei_bundle_item *items, size_t count, size_t *out_bytes) {
    if (count > INT64_MAX / 2 / sizeof *items) return false;
    size_t total = first_offset(count);
    for (size_t i = 0; i < count; i++) {
        if (items[i].size_bytes > INT64_MAX / 2 || !gei_add(total, gei_round_up((size_t)items[i].size_bytes, GEI_ALIGN_BYTES), &total)) return false;
        if (total > INT64_MAX / 2) return false;
    }
    *out_bytes = total;
    return true;
}

void gei_bundle_start(void *bundle, const gei_bundle_item *items, size_t count) {
    gei_bundle *head = (gei_bundle *)bundle;
    gei_bundle_item *to = (gei_bundle_item *)((char *)bundle + GEI_ALIGN_BYTES);
    uint64_t at = first_offset(count);
    memset(bundle, 0, (size_t)at);
    for (size_t i = 0; i < count; i++) {
        to[i] = items[i];
        to[i].offset = at;
        at += gei_round_up((size_t)items[i].size_bytes, GEI_ALIGN_BYTES);
    }
    *head = (gei_bundle){ .size_bytes = at, .count = count };
}
