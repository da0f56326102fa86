/* SPDX-License-Identifier: Apache-2.0 */
/* nd: rows of indices that address slices of a tensor, for GatherNd and the ScatterNd rows.
 *   tensor [batch..., places..., slice...]   indices [batch..., rows..., count]: each row addresses `count` places */
#ifndef GEI_OPS_SELECTION_ND_H
#define GEI_OPS_SELECTION_ND_H

#include "ops/rules.h"

typedef struct gei_nd {
    int64_t batch, rows;                 /* rows of one batch entry */
    int64_t count;                       /* entries of a row */
    int64_t slice;                       /* elements of a slice */
    int64_t batch_elems;                 /* elements of the tensor of one batch entry */
    int64_t sizes[GEI_MAX_RANK], strides[GEI_MAX_RANK]; /* of the places */
} gei_nd;

/* Checks types and what is known of the ranks; *out_slice: dims of the result behind the rows, rank unknown when not known. */
ge_status gei_nd_infer(const gei_infer *i, uint32_t tensor, uint32_t indices, int32_t batch_dims, gei_shape *out_slice);
void gei_nd_plan(gei_nd *n, const gei_shape *tensor, const gei_shape *indices, int32_t batch_dims);
/* Offset of the slice that row `row` (counted over all batch entries) addresses; false: out of range.  Negative entries count from the end. */
bool gei_nd_offset(const gei_nd *n, const gei_view *indices, int64_t row, int64_t *out_offset);
/* Part 0: names the first entry that is out of range. */
ge_status gei_nd_check(const gei_run *run, const gei_nd *n, uint32_t slot);

#endif
