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

/* blocked_pool.c: the same with channels in blocks; mode is that of GeBlockedPool2D. */
bool gei_blocked_pool_accepts(const gei_choice *c, gei_pool_read_fn read, gei_reason *why);
ge_status gei_blocked_pool_map(const gei_node *from, gei_node *to, gei_pool_read_fn read, const char *mode, gei_diag *diag);
#define GEI_BLOCKED_POOL(name, read_fn, mode)                                                                                              \
    static bool name##_accepts(const gei_choice *c, gei_reason *why) { return gei_blocked_pool_accepts(c, read_fn, why); }                 \
    static ge_status name##_map(const gei_node *from, gei_node *to, gei_diag *diag) { return gei_blocked_pool_map(from, to, read_fn, mode, diag); } \
    static const gei_blocked_row name = { .type = "GeBlockedPool2D", .accepts = name##_accepts, .map = name##_map }

#endif
