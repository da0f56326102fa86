/* SPDX-License-Identifier: Apache-2.0 */
/* scatter: how updates are combined with what is there. */
#ifndef GEI_OPS_SELECTION_SCATTER_H
#define GEI_OPS_SELECTION_SCATTER_H

#include "ops/rules.h"

typedef enum gei_combine { GEI_COMBINE_NONE, GEI_COMBINE_ADD, GEI_COMBINE_SUB, GEI_COMBINE_MUL, GEI_COMBINE_MAX, GEI_COMBINE_MIN } gei_combine;

/* y[0..n) = y op updates[0..n).  Integers wrap; NaN wins over everything. */
typedef void (*gei_combine_fn)(gei_combine how, void *y, const void *updates, int64_t n);

ge_status gei_read_reduction(const gei_infer *i, gei_combine *out); /* attribute reduction: none add mul max min */
/* NULL: the type cannot be combined. */
gei_combine_fn gei_combine_function(int32_t dtype);
/* Data and updates have one type, which can be combined when how is not NONE. */
ge_status gei_check_combine(const gei_infer *i, uint32_t data, uint32_t updates, gei_combine how);

#endif
