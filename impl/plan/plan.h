/* SPDX-License-Identifier: Apache-2.0 */
/* plan: turns an optimised graph into plain data that exec runs.
 *
 *   graph --gei_plan_create--> template: order, kernel per node, packed weights          (once per compile, immutable)
 *         --gei_instance_create--> instance: shapes, views, offsets, parts, scratch      (once per input-shape signature, immutable)
 *
 * A value has a number: plan->value_base[node->index] + output index.
 * Steps in an instance are the nodes that do work for these shapes: constants, views and values known at plan time have none.
 * *Late* steps are nodes whose shapes depend on data, and everything fed by them until shapes are known again; exec finds their
 * shapes as it goes. */
#ifndef GEI_PLAN_PLAN_H
#define GEI_PLAN_PLAN_H

#include <stdatomic.h>

#include "base/log.h"
#include "base/strmap.h"
#include "ir/input_shapes.h"
#include "ops/eval.h"
#include "plan/mem_plan.h"

#define GEI_NO_VALUE UINT32_MAX

typedef struct gei_plan_io {
    const char *name;          /* of the Data node, or the output's name */
    gei_node *node;            /* Data node; for outputs the producer */
    uint32_t value;            /* value number */
    int32_t dtype, format;
    gei_shape shape;           /* symbolic dims where free */
    bool is_ref;               /* input: a run may write its memory */
} gei_plan_io;

typedef struct gei_plan_var {  /* a variable of the root graph or any body; one for each name */
    const char *name;
    int32_t dtype, format;
    gei_shape shape;           /* known */
    gei_tensor *initial;       /* the graph's; NULL: no content until one is set */
    bool is_written;           /* some node changes it */
    bool is_read_first;        /* a run reads it before it sets it: it must have content */
    bool is_set_first;
} gei_plan_var;

typedef enum gei_work { /* what a node asks of a run, if anything reads its outputs */
    GEI_WORK_NONE = 0,  /* input, output, constant */
    GEI_WORK_VIEW,      /* output 0 is the bytes of input 0 */
    GEI_WORK_KERNEL,
    GEI_WORK_CONTROL    /* runs its subgraphs */
} gei_work;

typedef struct gei_plan_node { /* one per node in order */
    gei_node *node;
    const gei_op *op;
    const gei_kernel *kernel;  /* GEI_WORK_KERNEL of nodes that something needs; else NULL */
    void *prepared;
    uint64_t dropped;          /* bit per slot: constant inputs the kernel no longer reads */
    const uint32_t *in;        /* value number per slot, GEI_NO_VALUE when absent */
    uint32_t first_out;        /* value numbers of outputs are consecutive */
    uint32_t first_body;       /* control flow: plan->bodies[first_body + subgraph index] */
    gei_work work;
    uint32_t var;              /* variable number of one that is a variable, else GEI_NO_VALUE */
    bool has_effects;          /* its bodies change variables */
} gei_plan_node;

typedef struct gei_plan_options {
    uint32_t isa;              /* GEI_ISA_* allowed */
    const gei_log *log;
    uint32_t mem_effort;       /* of gei_mem_plan for static shapes, 0: GEI_MEM_EFFORT; shapes that change: GEI_MEM_EFFORT_DYNAMIC */
    uint32_t max_threads;      /* of a run: from 2 on, independent branches may go side by side */
    const gei_shape_limits *limits; /* nullable, borrowed while the plan is made: what input shapes are held to */
    bool always_branch;        /* wherever there are some, paying or not: for tests */
    bool reference_only;       /* last kernel of every row: for tests */
} gei_plan_options;

#define GEI_MEM_EFFORT 64
#define GEI_MEM_EFFORT_DYNAMIC 4 /* a new shape is planned while somebody waits */
#define GEI_MAX_BODY_DEPTH 32    /* subgraphs within subgraphs */

typedef struct gei_plan {
    gei_graph *graph;          /* root plans own it; bodies borrow the root's */
    bool owns_graph;
    gei_arena arena;
    const gei_allocator *from;
    gei_plan_options options;
    gei_node **order;
    size_t n_order;
    gei_plan_node *nodes;      /* parallel to order */
    uint32_t *value_base;      /* by node->index */
    uint32_t *value_node;      /* by value number: index into nodes */
    uint32_t n_values;
    gei_tensor **constants;    /* by value number: contents known in every run; NULL else.  References held */
    gei_plan_io *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
    struct gei_plan *root;     /* itself, or the plan this is a body of */
    gei_plan_var *vars;        /* the root's, for all bodies too */
    uint32_t n_vars;
    gei_strmap var_names;      /* root only: name -> number */
    struct gei_plan **bodies;  /* one per subgraph of the control-flow nodes, in order; owned */
    uint32_t n_bodies;
    bool is_static;            /* every input dim known */
    gei_shape_limits limits;   /* of input shapes; bodies have none */
    gei_facts facts;           /* infos: of every value; static plans only: those of all their instances */
    uint64_t constant_bytes, packed_bytes; /* bodies included, as in the next line */
    uint64_t n_prepared, n_packed;         /* kernels prepared; of these, those that packed weights */
    gei_sink notes;            /* why kernels were refused, one line each; cut after GEI_PLAN_NOTES_BYTES */
} gei_plan;

#define GEI_PLAN_NOTES_BYTES ((size_t)1 << 20)

/* Takes the graph also on failure.  facts: of the graph, or none known; taken too. */
ge_status gei_plan_create_known(gei_graph *graph, gei_facts *facts, const gei_plan_options *options, const gei_allocator *from,
                                gei_plan **out, gei_diag *diag);
ge_status gei_plan_create(gei_graph *graph, const gei_plan_options *options, const gei_allocator *from, gei_plan **out, gei_diag *diag);
void gei_plan_destroy(gei_plan *plan); /* NULL is fine; after all its instances */

typedef enum gei_home { /* where a value's bytes are */
    GEI_HOME_NONE = 0,  /* nobody reads it */
    GEI_HOME_ARENA,     /* offset in the activation arena */
    GEI_HOME_INPUT,     /* memory bound to input `index` */
    GEI_HOME_OUTPUT,    /* memory bound to output `index`: written in place, no copy */
    GEI_HOME_CONST,     /* `tensor` */
    GEI_HOME_LATE,      /* found during the run */
    GEI_HOME_VAR        /* memory of variable `index` in the state of the run */
} gei_home;

typedef struct gei_place {
    gei_home home;
    uint32_t index;      /* input, output or variable number */
    uint64_t offset;     /* from the home's start */
    gei_tensor *tensor;  /* GEI_HOME_CONST: contents, referenced by the instance or the plan */
} gei_place;

typedef enum gei_step_kind {
    GEI_STEP_KERNEL = 0,
    GEI_STEP_VIEW,       /* late only: the shape and address of a view are found during the run */
    GEI_STEP_CONTROL,
    GEI_STEP_COPY        /* value `copy_from` into the memory of output `copy_to` */
} gei_step_kind;

typedef struct gei_step {
    gei_step_kind kind;
    uint32_t node;       /* index into plan->nodes; unused for copies */
    uint32_t copy_from, copy_to;
    uint32_t n_parts;    /* preset 1; of late steps found during the run */
    uint32_t first_dead, n_dead; /* instance->late_dead: values whose late memory nobody reads after this step */
    bool late;
    uint32_t lane;       /* in its stretch; 0 outside */
    void *sized;
    size_t part_scratch_bytes; /* multiple of GEI_ALIGN_BYTES */
    double cost;
} gei_step;

/* Steps that fall into lanes which take nothing from one another: streams.c.  No late steps, no control flow. */
typedef struct gei_stretch {
    uint32_t first, end; /* steps */
    uint32_t n_lanes;    /* at least 2 */
} gei_stretch;

#define GEI_MAX_LANES 16

typedef enum gei_out_kind { /* how an output gets its bytes */
    GEI_OUT_DIRECT = 0,  /* steps write into its memory */
    GEI_OUT_COPY,        /* a copy step at the end: it is an input, a constant, or shares its bytes with another output */
    GEI_OUT_LATE         /* its size is found during the run */
} gei_out_kind;

typedef struct gei_instance {
    const gei_plan *plan;
    const gei_allocator *from;
    gei_arena arena;
    gei_infos infos;     /* of every value, concrete except late ones; borrowed from a static plan */
    gei_place *places;   /* by value number */
    gei_step *steps;
    uint32_t n_steps;
    bool has_late;
    gei_stretch *stretches;     /* in order */
    uint32_t n_stretches, most_lanes;
    uint32_t *late_dead;
    /* Values that live in the memory of an input (output): in_values[in_first[k]] up to in_first[k + 1]. */
    uint32_t *in_first, *in_values, *out_first, *out_values;
    uint32_t *var_values;       /* values that live in variables */
    uint32_t n_var_values;
    gei_out_kind *out_kinds;
    size_t n_pointers;          /* slots and outputs of all steps together */
    uint64_t arena_bytes;       /* activations */
    uint64_t lower_bound_bytes; /* largest sum of live bytes */
    uint64_t scratch_bytes;     /* largest of a step if all its parts run at once; frames book less */
    gei_shape *input_shapes;    /* the signature */
    gei_shape *output_shapes;   /* unknown where late */
    uint64_t *output_bytes;     /* 0 where late */
} gei_instance;

/* The shapes of all inputs in one of the gears of plan->limits. */
void gei_plan_gear_shapes(const gei_plan *plan, uint32_t gear, gei_shape *shapes);
/* Shapes of all inputs, concrete. */
ge_status gei_instance_create(const gei_plan *plan, const gei_shape *input_shapes, gei_instance **out, gei_diag *diag);
/* The same with memory from `from` instead of the plan's allocator. */
ge_status gei_instance_create_from(const gei_plan *plan, const gei_shape *input_shapes, const gei_allocator *from, gei_instance **out,
                                   gei_diag *diag);
void gei_instance_destroy(gei_instance *instance);
const gei_info *gei_instance_info(const gei_instance *instance, uint32_t value);

uint32_t gei_plan_find_var(const gei_plan *plan, const char *name, size_t name_size); /* GEI_NO_VALUE: none */

/* Text of a plan and one of its instances (NULL: template only): steps, kernels, places, totals. */
ge_status gei_plan_print(const gei_plan *plan, const gei_instance *instance, gei_sink *to, gei_diag *diag);
/* The kernel of every step, or without an instance of every node that may have one, and why others were refused; bodies behind. */
ge_status gei_plan_print_kernels(const gei_plan *plan, const gei_instance *instance, gei_sink *to, gei_diag *diag);
uint32_t gei_plan_count_steps(const gei_plan *plan); /* nodes that may have a step, whatever the shapes */

#endif
