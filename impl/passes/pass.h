/* SPDX-License-Identifier: Apache-2.0 */
/* pass: rewrites a graph.  One file per pass, one line in pipeline.c.
 * Needs and breaks are facts the driver keeps: order (topological array) and shapes (infos stored in the graph).
 * A pass edits only through ir/graph.h, so edges and uses stay right; the driver checks the graph after each pass in test builds. */
#ifndef GEI_PASSES_PASS_H
#define GEI_PASSES_PASS_H

#include "base/log.h"
#include "ops/eval.h"

enum { GEI_FACT_ORDER = 1u << 0, GEI_FACT_SHAPES = 1u << 1 };

typedef enum gei_stage { /* where a pass stands; custom passes hook in between (GE's stage names: ge_engine.md) */
    GEI_STAGE_BEFORE_INFER = 0,
    GEI_STAGE_CLEAN,        /* portable clean-up, to a fixed point */
    GEI_STAGE_FUSE,         /* recognised forms; last stage custom passes can see */
    GEI_STAGE_LOWER         /* private fused operators, layout */
} gei_stage;

typedef struct gei_pass_context {
    gei_graph *graph;
    gei_arena *arena;            /* the pass's own tables; reset after the pass */
    gei_node **order;            /* valid with GEI_FACT_ORDER */
    size_t n_order;
    const gei_infos *infos;      /* valid with GEI_FACT_SHAPES */
    const gei_log *log;
    gei_sink *notes;             /* nullable: "pass: node: what was done or why a near match was not", one line each */
    uint64_t n_changes;          /* the pass counts what it changed */
    const gei_allocator *from;
    uint64_t fold_limit_bytes;   /* largest constant a fold may make */
    uint64_t fold_left_bytes;    /* what all further folds together may make: a small file cannot ask for much memory */
} gei_pass_context;

typedef struct gei_pass {
    const char *name;
    ge_status (*run)(gei_pass_context *c, gei_diag *diag);
    uint32_t needs, breaks;      /* GEI_FACT_* ; breaks only if it changed something */
    gei_stage stage;
} gei_pass;

const gei_pass *gei_pass_at(size_t index); /* the table; NULL past the end */

typedef struct gei_pipeline_options {
    const char *const *off;      /* names of passes switched off */
    size_t n_off;
    bool none;                   /* no pass at all */
    const gei_log *log;
    gei_sink *notes;
    uint64_t fold_limit_bytes;   /* 0: 64 MiB */
    uint64_t fold_total_bytes;   /* of all folds; 0: 256 MiB and eight times what constants hold before */
    bool check_each;             /* gei_graph_check after every pass */
    bool (*progress)(void *user, const char *pass, uint32_t done, uint32_t total); /* nullable; false cancels */
    void *progress_user;
} gei_pipeline_options;

/* Runs the table over the graph and its subgraphs; shapes are inferred and stored at the end.
 * facts: nullable, initialised; filled when what the passes know is what the finished graph would say. */
ge_status gei_passes_run(gei_graph *g, const gei_allocator *from, const gei_pipeline_options *options, gei_facts *facts, gei_diag *diag);

#endif
