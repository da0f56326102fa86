/* SPDX-License-Identifier: Apache-2.0 */
/* norm: what the normalising rows share.  x is input 0; outputs 1 and 2, where there are, are the mean and the variance or its
 * reciprocal root, one for each kept element. */
#ifndef GEI_OPS_NN_NORM_NORM_H
#define GEI_OPS_NN_NORM_NORM_H

#include "kernels/norm.h"
#include "ops/rows_isa.h"
#include "ops/rules.h"

typedef enum gei_norm_report { GEI_NORM_NOTHING, GEI_NORM_VARIANCE, GEI_NORM_RSTD, GEI_NORM_ONLY_RSTD /* as output 1 */ } gei_norm_report;

typedef struct gei_norm_rows { /* sized */
    gei_norm norm;
    gei_norm_report report;
    int32_t gain, shift;       /* slots, -1: none */
    const gei_rows *vectors;   /* kept elements are dense float32 rows; NULL: not so */
} gei_norm_rows;

typedef struct gei_norm_view { /* how x is looked at */
    int32_t rank;
    int64_t dims[GEI_NORM_RANK], gain[GEI_NORM_RANK], shift[GEI_NORM_RANK];
    uint32_t reduced;
} gei_norm_view;

ge_status gei_norm_check_dtype(const gei_infer *i, uint32_t slot); /* float32, float64, float16, bfloat16 */
/* A gain or offset is broadcast to x from the last dim on; fails when it does not fit. */
ge_status gei_norm_check_fits(const gei_infer *i, uint32_t slot, const gei_shape *x);
/* Its strides by dim of x. */
void gei_norm_strides(const gei_shape *gain, const gei_shape *x, int64_t *out);
/* Slot of an optional input, -1 when absent. */
int32_t gei_norm_slot(const gei_info *const *in, uint32_t n_in, uint32_t slot);

ge_status gei_size_norm(gei_sizing *s, const gei_norm_view *v, gei_norm_rows *rows, gei_diag *diag); /* rows: all but axes filled; arena's */
ge_status gei_run_norm(const gei_run *run, uint32_t part);
/* Kernel "rows": the same run, with vector loops where the layout allows them.  For rows whose sizing goes through gei_size_norm. */
bool gei_norm_rows_accepts(const gei_choice *c, gei_reason *why);
#define GEI_NORM_ROWS_KERNEL(size_fn) \
    { .name = "rows", .accepts = gei_norm_rows_accepts, .prepare = gei_rows_prepare, .size = size_fn, .run = gei_run_norm, .in_place = 1 }
gei_norm_fn gei_norm_function(int32_t dtype);
gei_norm_apply_fn gei_norm_apply_function(int32_t dtype);

#endif
