/* SPDX-License-Identifier: Apache-2.0 */
/* blocked: what rows over images with channels in blocks of 16 share: [N, blocks, H, W, 16], float32. */
#ifndef GEI_OPS_BLOCKED_H
#define GEI_OPS_BLOCKED_H

#include "kernels/blocked.h"
#include "ops/rules.h"

static inline const gei_blocked_isa *gei_blocked_isa_for(uint32_t isa) {
    return isa & GEI_ISA_AVX512 ? &gei_blocked_avx512 : isa & GEI_ISA_AVX2 ? &gei_blocked_avx2 : &gei_blocked_portable;
}

/* Unknown for unknown numbers of channels. */
static inline gei_dim gei_dim_blocks(gei_dim channels) { return gei_dim_known(channels) ? gei_channel_blocks(channels) : GEI_DIM_UNKNOWN; }

/* Input `slot` is blocked: rank 5, the last dim 16; not known passes. */
ge_status gei_infer_blocks(const gei_infer *i, uint32_t slot);
/* Copies attributes of `from` that the definition of `to` declares. */
ge_status gei_copy_declared(const gei_node *from, gei_node *to, gei_diag *diag);

#endif
