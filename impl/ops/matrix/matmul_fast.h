/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_fast: float32 product on packed operands, tried before the reference. */
#ifndef GEI_OPS_MATRIX_MATMUL_FAST_H
#define GEI_OPS_MATRIX_MATMUL_FAST_H

#include "ops/op.h"

/* matmul.c: both operands as matrices, in stored order; rank at least 2. */
typedef struct gei_matmul_operands {
    gei_shape a, b;
    bool transpose_a, transpose_b;
    bool vector_a, vector_b; /* a dim of 1 was added, to be dropped from the result */
} gei_matmul_operands;
void gei_matmul_read(const gei_node *node, const gei_shape *a, const gei_shape *b, gei_matmul_operands *o);
void gei_matmul_plain(const gei_shape *a, const gei_shape *b, gei_matmul_operands *o); /* numpy: nothing transposed, vectors allowed */
bool gei_matmul_is_batched(const gei_node *node); /* BatchMatMulV2 rather than MatMulV2 */

bool gei_matmul_fast_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_matmul_fast_prepare(gei_prepare *p, gei_diag *diag);
ge_status gei_matmul_fast_size(gei_sizing *s, gei_diag *diag);
ge_status gei_matmul_fast_run(const gei_run *run, uint32_t part);
void gei_matmul_fast_destroy(void *prepared);

#define GEI_MATMUL_FAST_KERNEL                                                                                        \
    { .name = "sgemm", .accepts = gei_matmul_fast_accepts, .prepare = gei_matmul_fast_prepare, .size = gei_matmul_fast_size, \
      .run = gei_matmul_fast_run, .destroy = gei_matmul_fast_destroy }

#endif
