/* SPDX-License-Identifier: Apache-2.0 */
/* input_shapes: what GE's shape options say of the inputs of a graph.
 *
 *   input_shape        x:1,3,224,224;y:-1,1~8      sizes, -1 for any, ranges; `y:` is a scalar
 *   input_shape_range  x:[1,3,1~8,-1]              the older form of ranges
 *   ge.inputShape      as input_shape, for gears
 *   gears              the only sizes the free dims may take together: ge.dynamicBatchSize 1,2,4
 *                      ge.dynamicImageSize h,w;h,w    ge.dynamicDims a,b;c,d
 *
 * Sizes go into the graph, also where a symbol they settle stands elsewhere; ranges and gears become limits that runs are held to. */
#ifndef GEI_IR_INPUT_SHAPES_H
#define GEI_IR_INPUT_SHAPES_H

#include "ir/graph.h"

#define GEI_MIN_GEARS 2
#define GEI_MAX_GEARS 256

typedef struct gei_shape_options { /* values of the options; "" where not set */
    const char *input_shape, *input_shape_range, *online_shape;
    const char *batch_sizes, *image_sizes, *dims;
    const char *format;            /* input_format: where H and W are */
} gei_shape_options;

typedef struct gei_dim_at {
    uint32_t input; /* position among the inputs of the graph */
    int32_t dim;
} gei_dim_at;

typedef struct gei_dim_range {
    gei_dim_at at;
    int64_t least, most; /* most: INT64_MAX for any */
} gei_dim_range;

typedef struct gei_shape_limits {
    gei_dim_range *ranges;
    uint32_t n_ranges;
    uint32_t n_gears, n_gear_dims;
    gei_dim_at *gear_dims;
    int64_t *gears;      /* n_gears rows of n_gear_dims sizes */
    const char *option;  /* that gave the gears; static */
} gei_shape_limits;

/* The limits lie in the arena. */
ge_status gei_input_shapes_set(gei_graph *g, const gei_shape_options *options, gei_arena *arena, gei_shape_limits *out, gei_diag *diag);

/* ---- gears.c ---- */
typedef struct gei_input_texts { /* inputs of the graph with what their options said */
    gei_graph *graph;
    gei_node **nodes;
    size_t n_nodes;
    const gei_dim_at *free; /* dims given as -1, in the order they were given; without shapes given: the free ones of the graph */
    size_t n_free;
} gei_input_texts;

/* Reads the gears, if there are any: they tell every free dim. */
ge_status gei_gears_read(const gei_shape_options *options, const gei_input_texts *inputs, gei_arena *arena, gei_shape_limits *out, gei_diag *diag);

#endif
