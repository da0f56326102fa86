/* SPDX-License-Identifier: Apache-2.0 */
/* broadcast: walks an output in row-major order as inner runs, with the place of each input that is repeated to its shape.
 *
 *   x [4,1,3] and b [3] to [4,5,3]:  runs of 3; x moves by 3 every 5 runs, b starts over
 *
 * Dims that all inputs walk alike are merged first, so that equal shapes are one run.  Inside a run each input moves by its
 * step: 1, or 0 when its element repeats. */
#ifndef GEI_KERNELS_BROADCAST_H
#define GEI_KERNELS_BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEI_BROADCAST_RANK 8
#define GEI_BROADCAST_INPUTS 4

typedef struct gei_broadcast_axis {
    int64_t dim;
    int64_t strides[GEI_BROADCAST_INPUTS]; /* elements; 0 where repeated */
} gei_broadcast_axis;

typedef struct gei_broadcast {
    int32_t rank, n_in;                          /* merged rank, at least 1; the last axis is the run */
    int64_t n_elems;
    gei_broadcast_axis axes[GEI_BROADCAST_RANK]; /* only `rank` of them are read: a merged plan may be cut behind them */
} gei_broadcast;

static inline size_t gei_broadcast_bytes(const gei_broadcast *b) {
    return offsetof(gei_broadcast, axes) + (size_t)b->rank * sizeof *b->axes;
}

typedef struct gei_broadcast_walk {
    const gei_broadcast *plan;
    int64_t at, end;                          /* output elements */
    int64_t run;                              /* elements of the current run */
    int64_t index[GEI_BROADCAST_RANK];
    int64_t offset[GEI_BROADCAST_INPUTS];     /* of the current run, elements */
} gei_broadcast_walk;

/* Shapes are row-major and known to broadcast to `dims`; the element count of the output fits int64. */
void gei_broadcast_plan(gei_broadcast *b, int32_t rank, const int64_t *dims);
void gei_broadcast_add(gei_broadcast *b, int32_t out_rank, const int64_t *out_dims, int32_t rank, const int64_t *dims);
void gei_broadcast_merge(gei_broadcast *b); /* after the last input */

/* First run of [begin, end); false when it is empty. */
bool gei_broadcast_first(gei_broadcast_walk *w, const gei_broadcast *plan, int64_t begin, int64_t end);
bool gei_broadcast_next(gei_broadcast_walk *w);
static inline int64_t gei_broadcast_step(const gei_broadcast *b, int32_t input) { return b->axes[b->rank - 1].strides[input]; }

#endif
