/* SPDX-License-Identifier: Apache-2.0 */
/* pool: what the pooling rows share. */
#ifndef GEI_OPS_NN_POOLING_POOL_H
#define GEI_OPS_NN_POOLING_POOL_H

#include "kernels/pool.h"
#include "ops/rows_isa.h"
#include "ops/window.h"

typedef struct gei_pool_attrs {
    gei_layout layout;
    gei_window_attrs window;
    bool global;       /* one window over everything */
    bool count_pads;   /* mean */
    bool column_major; /* largest: order of the indices */
    int64_t divisor;
} gei_pool_attrs;

typedef ge_status (*gei_pool_read_fn)(const gei_node *node, int32_t rank, gei_pool_attrs *out, gei_diag *diag);

ge_status gei_infer_pool(gei_infer *i, gei_pool_read_fn read);                      /* shape of every output; dtype of output 0 is x's */
ge_status gei_size_pool(gei_sizing *s, gei_pool_read_fn read, gei_diag *diag);      /* sized: gei_pool */
ge_status gei_run_max_pool(const gei_run *run, uint32_t part);                      /* output 1, when there is one: int64 indices */
ge_status gei_run_mean_pool(const gei_run *run, uint32_t part);

/* Kernels "rows": float32 whose planes turn out to be dense, without indices; means of whole planes only.  Others go to the reference. */
bool gei_pool_rows_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_run_max_pool_rows(const gei_run *run, uint32_t part);
ge_status gei_run_mean_pool_rows(const gei_run *run, uint32_t part);
#define GEI_MAX_ROWS_KERNEL(size_fn) \
    { .name = "rows", .accepts = gei_pool_rows_accepts, .prepare = gei_rows_prepare, .size = size_fn, .run = gei_run_max_pool_rows }
#define GEI_MEAN_ROWS_KERNEL(size_fn) \
    { .name = "rows", .accepts = gei_pool_rows_accepts, .prepare = gei_rows_prepare, .size = size_fn, .run = gei_run_mean_pool_rows }

#endif
