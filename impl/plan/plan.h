/* SPDX-License-Identifier: Apache-2.0 */
/* plan: turns an optimised graph into plain data that exec runs.
 *
 *   graph --gei_plan_create--> template: order, kernel per node, packed weights          (once per compile, immutable)
 *         --gei_instance_create--> instance: shapes, views, offsets, parts, scratch      (once per input-shape signature, immutable)
 *
 * A value has a number: plan->value_base[node->index] + output index.
 * Steps in an instance are the nodes that do work for these shapes: constants, views and values known at plan time have none.
 * *Late* steps are nodes whose shapes depend on data, and everything fed by them; exec finds their shapes as it goes. */
#ifndef GEI_PLAN_PLAN_H
#define GEI_PLAN_PLAN_H

#include <stdatomic.h>

#include "base/log.h"
#include "ops/eval.h"
#include "plan/mem_plan.h"

typedef struct gei_plan_io {
    const char *name;          /* of the Data node, or the output's name */
    gei_node *node;            /* Data node; for outputs the producer */
    uint32_t value;            /* value number */
    int32_t dtype, format;
    gei_shape shape;           /* symbolic dims where free */
} gei_plan_io;

typedef struct gei_plan_node { /* one per node in order that can need work */
    gei_node *node;
    const gei_op *op;
    const gei_kernel *kernel;  /* NULL: view, constant, input, output, control flow */
    void *prepared;
    uint64_t dropped;          /* constant inputs the kernel no longer reads */
    const uint32_t *in;        /* value number per slot, UINT32_MAX when absent */
    uint32_t first_out;        /* value numbers of outputs are consecutive */
    struct gei_plan **bodies;  /* control flow: one plan per subgraph, by subgraph index; else NULL */
} gei_plan_node;

typedef struct gei_plan_options {
    uint32_t isa;              /* GEI_ISA_* allowed */
    const gei_log *log;
    uint32_t mem_effort;
    bool reference_only;       /* last kernel of every row: for tests */
} gei_plan_options;

typedef struct gei_plan {
    gei_graph *graph;          /* root plans own it; bodies borrow the root's */
    gei_arena arena;
    const gei_allocator *from;
    gei_plan_options options;
    gei_node **order;
    size_t n_order;
    gei_plan_node *nodes;      /* parallel to order */
    uint32_t *value_base;      /* by node->index */
    uint32_t n_values;
    gei_tensor **constants;    /* by value number: contents known in every run; NULL else.  References held */
    gei_plan_io *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
    bool is_static;            /* every input dim known */
    uint64_t constant_bytes, packed_bytes;
    gei_sink notes;            /* chosen kernels and refusals, one line a node */
} gei_plan;

/* Takes the graph also on failure.  The graph has shapes stored. */
ge_status gei_plan_create(gei_graph *graph, const gei_plan_options *options, const gei_allocator *from, gei_plan **out, gei_diag *diag);
void gei_plan_destroy(gei_plan *plan); /* NULL is fine; after all its instances */

typedef enum gei_home { /* where a value's bytes are */
    GEI_HOME_NONE = 0,  /* nobody reads it */
    GEI_HOME_ARENA,     /* offset in the activation arena */
    GEI_HOME_INPUT,     /* memory bound to input `index` */
    GEI_HOME_OUTPUT,    /* memory bound to output `index`: written in place, no copy */
    GEI_HOME_CONST,     /* `tensor` */
    GEI_HOME_LATE       /* found during the run */
} gei_home;

typedef struct gei_place {
    gei_home home;
    uint32_t index;      /* input or output number */
    uint64_t offset;     /* from the home's start */
    gei_tensor *tensor;  /* GEI_HOME_CONST: contents, referenced by the instance or the plan */
} gei_place;

typedef struct gei_step {
    uint32_t node;       /* index into plan->nodes; UINT32_MAX: copy from value `copy_from` to `copy_to` */
    uint32_t copy_from, copy_to;
    uint32_t n_parts;
    bool late;
    void *sized;
    size_t part_scratch_bytes;
    double cost;
} gei_step;

typedef struct gei_instance {
    const gei_plan *plan;
    gei_arena arena;
    gei_infos infos;     /* of every value, concrete except late ones */
    gei_place *places;   /* by value number */
    gei_step *steps;
    uint32_t n_steps;
    bool has_late;
    uint64_t arena_bytes;       /* activations */
    uint64_t lower_bound_bytes; /* largest sum of live bytes */
    uint64_t scratch_bytes;     /* shared by all steps, behind the activations */
    gei_shape *input_shapes;    /* the signature */
    gei_shape *output_shapes;   /* unknown where late */
} gei_instance;

ge_status gei_instance_create(const gei_plan *plan, const gei_shape *input_shapes, gei_instance **out, gei_diag *diag);
void gei_instance_destroy(gei_instance *instance);
const gei_info *gei_instance_info(const gei_instance *instance, uint32_t value);

/* Text of a plan and one of its instances (NULL: template only): steps, kernels, places, totals. */
ge_status gei_plan_print(const gei_plan *plan, const gei_instance *instance, gei_sink *to, gei_diag *diag);

#endif
