/* SPDX-License-Identifier: Apache-2.0 */
/* sgemm_isa: the float32 product for what a model may use. */
#ifndef GEI_OPS_SGEMM_ISA_H
#define GEI_OPS_SGEMM_ISA_H

#include "kernels/sgemm.h"
#include "ops/op.h"

static inline const gei_sgemm_isa *gei_sgemm_isa_for(uint32_t isa) {
    return isa & GEI_ISA_AVX512 ? &gei_sgemm_avx512 : isa & GEI_ISA_AVX2 ? &gei_sgemm_avx2 : &gei_sgemm_portable;
}

#endif
