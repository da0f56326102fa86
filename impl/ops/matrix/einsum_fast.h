/* SPDX-License-Identifier: Apache-2.0 */
/* einsum_fast: float32 einsums that are matrix products, tried before the reference. */
#ifndef GEI_OPS_MATRIX_EINSUM_FAST_H
#define GEI_OPS_MATRIX_EINSUM_FAST_H

#include "ops/op.h"

#define GEI_EINSUM_INPUTS 16
#define GEI_EINSUM_LABELS (52 + GEI_MAX_RANK)

typedef struct gei_einsum_plan {
    uint32_t n_in;
    int32_t n_out, n_sum;               /* labels of the result, labels summed over (at least one) */
    int64_t elems, terms;               /* of the result; of one sum */
    int64_t dims[GEI_EINSUM_LABELS];    /* result labels first */
    int64_t strides[GEI_EINSUM_INPUTS][GEI_EINSUM_LABELS]; /* 0 where the input lacks the label or repeats */
} gei_einsum_plan;

/* einsum.c */
ge_status gei_einsum_plan_make(gei_sizing *s, gei_einsum_plan *out, gei_diag *diag);
bool gei_einsum_is_product(const gei_node *node, uint32_t n_in);

bool gei_einsum_fast_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_einsum_fast_prepare(gei_prepare *p, gei_diag *diag);
ge_status gei_einsum_fast_size(gei_sizing *s, gei_diag *diag);
ge_status gei_einsum_fast_run(const gei_run *run, uint32_t part);

#define GEI_EINSUM_FAST_KERNEL                                                                            \
    { .name = "sgemm", .accepts = gei_einsum_fast_accepts, .prepare = gei_einsum_fast_prepare,            \
      .size = gei_einsum_fast_size, .run = gei_einsum_fast_run }

#endif
