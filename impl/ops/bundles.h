/* SPDX-License-Identifier: Apache-2.0 */
/* bundles: sequences, optionals and maps in kernels (ir/bundle.h). */
#ifndef GEI_OPS_BUNDLES_H
#define GEI_OPS_BUNDLES_H

#include "ops/op.h"

/* Output `out` as something that is there anyway: an item, or the whole of input 0.  The bytes are copied. */
ge_status gei_run_set_copy(const gei_run *run, uint32_t out, const gei_view *from);
gei_view gei_bundle_view(const gei_view *bundle, size_t index); /* an item, where it lies */
/* Output `out` as a bundle of these values, copied. */
ge_status gei_run_set_bundle(const gei_run *run, uint32_t out, const gei_view *const *items, size_t count);
/* The same without the items' data, for the caller to write to gei_bundle_data(*out_bundle, k). */
ge_status gei_run_start_bundle(const gei_run *run, uint32_t out, const gei_bundle_item *items, size_t count, void **out_bundle);

/* Rules: input `slot` is a sequence; *out_item is the type of its items. */
ge_status gei_check_sequence(const gei_infer *i, uint32_t slot, int32_t *out_item);

#endif
