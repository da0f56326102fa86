/* SPDX-License-Identifier: Apache-2.0 */
/* import: the neutral view a mapping function has of a foreign node, and the few calls it builds IR with.
 * Frontends fill it; rows read it; neither knows the other's file format. */
#ifndef GEI_OPS_IMPORT_H
#define GEI_OPS_IMPORT_H

#include "ops/op.h"

typedef struct gei_import_subgraph {
    const char *attr;           /* foreign attribute name: "then_branch", "body" */
    gei_graph *graph;           /* not attached yet; Data nodes: first its own inputs, then one per captured value */
    uint32_t n_inputs;          /* own inputs */
    const gei_value *captured;  /* values of the enclosing graph, in the order of the trailing Data nodes */
    uint32_t n_captured;
} gei_import_subgraph;

/* An attribute of the file that is of another kind than its mapping reads. */
typedef struct gei_import_misread {
    const char *attr;           /* NULL: none */
    const char *wanted;
    gei_attr_kind found;
} gei_import_misread;

typedef struct gei_import {
    const gei_op *op;           /* row whose mapping runs */
    const char *name;           /* foreign node name; unique node names are derived from it */
    const char *type, *domain;
    int32_t framework, opset;
    gei_graph *graph;           /* where nodes go */
    const gei_value *inputs;    /* node NULL: absent */
    uint32_t n_inputs;
    const gei_attrs *attrs;     /* foreign attributes, by foreign names */
    const gei_import_subgraph *subgraphs;
    uint32_t n_subgraphs;
    gei_value *outputs;         /* to fill; n_outputs as many as the foreign node names */
    uint32_t n_outputs;
    const char *const *output_names; /* foreign value names; "" where unused */
    gei_import_misread *misread;     /* the first one; gei_import_run looks after it */
} gei_import;

/* ---- reading ---- */
bool gei_import_has_input(const gei_import *im, uint32_t index);
gei_value gei_import_input(const gei_import *im, uint32_t index); /* node NULL when absent */
gei_tensor *gei_import_const(const gei_import *im, uint32_t index); /* constant contents, borrowed; NULL when not constant */
/* Elements of a constant integer input; false when it is absent, not constant, no integers or more than cap. */
bool gei_import_const_ints(const gei_import *im, uint32_t index, int64_t *out, size_t cap, size_t *out_count);
bool gei_import_has_attr(const gei_import *im, const char *name);
/* One attribute is read by one of these only: one of another kind counts as absent here and fails the mapping at its end. */
int64_t gei_import_int(const gei_import *im, const char *name, int64_t absent);
double gei_import_float(const gei_import *im, const char *name, double absent);
const char *gei_import_text(const gei_import *im, const char *name, const char *absent);
const gei_attr *gei_import_attr(const gei_import *im, const char *name); /* as it is; NULL when absent */
gei_int_list gei_import_ints(const gei_import *im, const char *name);
ge_status gei_import_fail(const gei_import *im, ge_status status, gei_diag *diag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- building ---- each adds one node named after the foreign node; inputs by slot */
ge_status gei_import_node(gei_import *im, const char *type, const gei_value *inputs, uint32_t n_inputs, gei_node **out, gei_diag *diag);
/* The same for operators with dynamic ports: counts in definition order. */
ge_status gei_import_node_dynamic(gei_import *im, const char *type, const gei_value *inputs, uint32_t n_inputs,
                                  const uint32_t *n_dynamic_ins, const uint32_t *n_dynamic_outs, gei_node **out, gei_diag *diag);
ge_status gei_import_const_i64(gei_import *im, const int64_t *values, size_t count, bool scalar, gei_value *out, gei_diag *diag);
ge_status gei_import_const_i32(gei_import *im, const int64_t *values, size_t count, bool scalar, gei_value *out, gei_diag *diag);
ge_status gei_import_const_like(gei_import *im, double value, int32_t dtype, gei_value *out, gei_diag *diag); /* scalar of dtype */
ge_status gei_import_const_tensor(gei_import *im, gei_tensor *tensor, gei_value *out, gei_diag *diag); /* retains */
/* Attributes of a node just made: by IR name. */
ge_status gei_import_set_int(gei_node *node, const char *name, int64_t value, gei_diag *diag);
ge_status gei_import_set_float(gei_node *node, const char *name, double value, gei_diag *diag);
ge_status gei_import_set_bool(gei_node *node, const char *name, bool value, gei_diag *diag);
ge_status gei_import_set_text(gei_node *node, const char *name, const char *text, gei_diag *diag);
ge_status gei_import_set_ints(gei_node *node, const char *name, const int64_t *values, size_t count, gei_diag *diag);
/* An ONNX data type number, foreign attribute `from`, as an attribute of kind DTYPE; `absent` when the foreign node has none. */
ge_status gei_import_dtype(const gei_import *im, const char *from, int32_t absent, gei_node *node, const char *to, gei_diag *diag);
void gei_import_set_output(gei_import *im, uint32_t index, gei_value value); /* also names the value after the foreign output */

/* Runs a source on a filled view (map function or the plain rule with its attribute table). */
ge_status gei_import_run(gei_import *im, const gei_source *source, gei_diag *diag);

/* ---- looking at what came out ---- */

typedef struct gei_import_type {
    int32_t dtype;
    gei_shape shape;
} gei_import_type;

/* Infers all shapes and changes nothing.  `tell` is called, with diag filled, for each node whose shapes cannot be found; nodes
 * behind it are left out.  `take` (nullable) gets what is known of the graph's outputs.  Both may stop it by what they return. */
ge_status gei_import_check(const gei_graph *g, ge_status (*tell)(void *user, const gei_node *node, ge_status status),
                           ge_status (*take)(void *user, const gei_import_type *types, uint32_t count), void *user, gei_diag *diag);

#endif
