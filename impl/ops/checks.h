/* SPDX-License-Identifier: Apache-2.0 */
/* checks: what rules of rows with many inputs ask of each of them. */
#ifndef GEI_OPS_CHECKS_H
#define GEI_OPS_CHECKS_H

#include "ops/rules.h"

ge_status gei_check_float(const gei_infer *i, uint32_t slot); /* float32, float64, float16, bfloat16, undefined or absent */
/* Dim `axis` of an input is `wanted`; passes when either is not known or the input is absent.  what: "channels of x". */
ge_status gei_check_dim(const gei_infer *i, uint32_t slot, int32_t axis, gei_dim wanted, const char *what);
gei_dim gei_check_dim_of(const gei_infer *i, uint32_t slot, int32_t axis); /* unknown when absent or the rank is not known */
/* Integer attribute within [least, most]. */
ge_status gei_check_int(const gei_infer *i, const char *name, int64_t absent, int64_t least, int64_t most, int64_t *out);
/* Input is there: outputs of mappings may leave trailing slots away. */
static inline bool gei_check_has(const gei_info *const *in, uint32_t n_in, uint32_t slot) { return slot < n_in && in[slot]; }

#endif
