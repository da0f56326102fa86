/* SPDX-License-Identifier: Apache-2.0 */
/* rows_isa: loops along rows for what a model may use. */
#ifndef GEI_OPS_ROWS_ISA_H
#define GEI_OPS_ROWS_ISA_H

#include "kernels/rows.h"
#include "ops/op.h"

static inline const gei_rows *gei_rows_for(uint32_t isa) {
    return isa & GEI_ISA_AVX512 ? &gei_rows_avx512 : isa & GEI_ISA_AVX2 ? &gei_rows_avx2 : &gei_rows_portable;
}

/* .prepare of kernels that need the table only. */
static inline ge_status gei_rows_prepare(gei_prepare *p, gei_diag *diag) {
    (void)diag;
    p->prepared = (void *)(uintptr_t)gei_rows_for(p->choice->isa);
    return GE_OK;
}

#endif
