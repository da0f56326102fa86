/* SPDX-License-Identifier: Apache-2.0 */
/* slice: which elements a slice takes, from whatever of its bounds is known.  One entry for each axis that is looked at or made. */
#ifndef GEI_OPS_SELECTION_SLICE_H
#define GEI_OPS_SELECTION_SLICE_H

#include "ops/moves.h"

#define GEI_SLICE_ENTRIES 32

typedef enum gei_slice_kind { GEI_SLICE_RANGE, GEI_SLICE_SHRINK, GEI_SLICE_NEW } gei_slice_kind;

typedef struct gei_slice_entry {
    gei_slice_kind kind;         /* SHRINK takes element `begin` and drops the axis; NEW makes an axis of size 1 */
    int32_t axis;                /* of x */
    bool open_begin, open_end;   /* from the first, to the last in the direction of the step */
    gei_elem begin, end, step;
} gei_slice_entry;

typedef struct gei_slice {
    size_t count;
    gei_slice_entry entries[GEI_SLICE_ENTRIES]; /* in the order of the result's axes */
} gei_slice;

typedef ge_status (*gei_slice_read_fn)(const gei_infer *i, gei_slice *out, bool *out_known); /* x has a known rank.  known false: not even the axes */

ge_status gei_infer_slice(gei_infer *i, gei_slice_read_fn read);
ge_status gei_size_slice(gei_sizing *s, gei_slice_read_fn read, gei_diag *diag); /* sized: gei_strided */
ge_status gei_run_slice(const gei_run *run, uint32_t part);                      /* input 0 is the moved one */

#endif
