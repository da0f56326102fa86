/* SPDX-License-Identifier: Apache-2.0 */
/* op_table: what the generators of ops/gen make; only op.c reads it. */
#ifndef GEI_OPS_OP_TABLE_H
#define GEI_OPS_OP_TABLE_H

#include "ops/op.h"

extern const gei_op *const gei_op_table[]; /* every row, sorted by name; ends with NULL */
extern const size_t gei_op_table_count;

extern const gei_op_def *const gei_catalogue[]; /* every definition, sorted by name; ends with NULL */
extern const size_t gei_catalogue_count;

/* Definitions that ir/ owns, so that their `row` field is not ours to fill. */
typedef struct gei_builtin_row {
    const gei_op_def *def;
    uint32_t row; /* as in gei_op_def */
} gei_builtin_row;
extern const gei_builtin_row gei_builtin_rows[];
extern const size_t gei_builtin_row_count;

#endif
