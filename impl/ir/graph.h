/* SPDX-License-Identifier: Apache-2.0 */
/* graph: nodes, data and control edges, subgraphs.  Owns everything in its arena; one writer at a time, many readers otherwise.
 *
 *   Data(index 0) ---> MatMul ---> Relu ---> NetOutput(output 0, 1, ...)
 *   Const(value) ------^
 *
 * A node has *slots* for its inputs in the order of its operator definition: each required and optional input one slot (an absent
 * optional one stays empty), a dynamic input as many as the node was made with.  A value is (node, output index).
 * Graph inputs are `Data` nodes with int attribute `index`; graph outputs are the slots of the one `NetOutput` node.
 * Subgraphs hang on a node; what they need from outside comes through the node's inputs (no hidden capture). */
#ifndef GEI_IR_GRAPH_H
#define GEI_IR_GRAPH_H

#include "base/strmap.h"
#include "base/vec.h"
#include "ir/attr.h"

typedef struct gei_graph gei_graph;
typedef struct gei_node gei_node;

/* ---- operator definitions: static tables generated from the catalogue, or made at run time for custom operators ---- */

typedef enum gei_port_kind { GEI_PORT_REQUIRED = 0, GEI_PORT_OPTIONAL = 1, GEI_PORT_DYNAMIC = 2 } gei_port_kind;

typedef struct gei_port_def {
    const char *name;
    gei_port_kind kind;
    uint64_t dtypes[2];     /* bit set over table index of gei_dtype_at: types the definition allows; all zero: any */
    const char *symbol;     /* ports with the same symbol have the same dtype; NULL: none */
} gei_port_def;

typedef struct gei_attr_def {
    const char *name;
    gei_attr_kind kind;
    bool required;
    gei_attr def;           /* default value when !required (kind NONE: no default) */
} gei_attr_def;

typedef struct gei_subgraph_def {
    const char *name;
    bool dynamic;
} gei_subgraph_def;

typedef struct gei_op_def {
    const char *name, *family;
    const gei_port_def *inputs, *outputs;
    const gei_attr_def *attrs;
    const gei_subgraph_def *subgraphs;
    uint16_t n_inputs, n_outputs, n_attrs, n_subgraphs;
    uint32_t row;           /* index + 1 of its behaviour in the operator table, 0: none (set by the generator) */
    const struct gei_op *own_row; /* behaviour of an operator made at run time; NULL: see row */
} gei_op_def;

/* ---- graph ---- */

typedef struct gei_value {
    gei_node *node; /* NULL: no value */
    uint32_t out;
} gei_value;

typedef struct gei_slot {
    gei_value from;                    /* producer; node NULL when empty */
    gei_node *owner;
    uint32_t port;                     /* index into def->inputs */
    uint32_t nth;                      /* position inside a dynamic port, else 0 */
    struct gei_slot *next_use, *prev_use; /* list of uses of `from` */
} gei_slot;

typedef struct gei_out {
    int32_t dtype, format;             /* GEI_UNDEFINED / GE_FORMAT_ND until known */
    int32_t rank;                      /* GEI_RANK_UNKNOWN until known */
    uint16_t port, nth;                /* as in gei_slot */
    const gei_dim *dims;               /* arena; rank of them */
    gei_slot *first_use, *last_use;
    const char *name;                  /* user-visible tensor name (ONNX value name), NULL: none */
    gei_attrs *attrs;                  /* attributes of this output description, NULL: none */
} gei_out;

typedef struct gei_in_desc {           /* only made when somebody sets an input description */
    int32_t dtype, format;
    gei_shape shape;
    gei_attrs attrs;
} gei_in_desc;

/* Control neighbours.  Behind the `cap` items lies one uint32_t each: the place of this edge in the other node's list, so that an
 * edge is taken out without a search. */
typedef struct gei_node_list {
    gei_node **items;
    uint32_t count, cap;
} gei_node_list;

typedef struct gei_subgraph_ref {
    const char *port;                  /* IR name, e.g. "then_branch"; "branches" for each of a dynamic port */
    gei_graph *graph;                  /* owned by the root graph */
} gei_subgraph_ref;

struct gei_node {
    const gei_op_def *def;
    const char *name;                  /* unique in its graph */
    gei_graph *graph;
    gei_slot *ins;
    gei_out *outs;
    uint32_t n_ins, n_outs;
    uint32_t index;                    /* position in graph->nodes: never reused, so ids stay valid or stale */
    uint32_t mark;                     /* free for passes: visit stamp, order */
    gei_attrs attrs;                   /* only what was set; defaults live in def */
    gei_node_list ctrl_ins, ctrl_outs;
    gei_in_desc **in_descs;            /* n_ins of them or NULL */
    gei_subgraph_ref *subgraphs;
    uint32_t n_subgraphs;
    const char *origin;                /* where it came from, for messages: "onnx node 'Conv_0'"; NULL */
};

typedef struct gei_symbols {           /* names of symbolic dims, shared by a root graph and its subgraphs */
    GEI_VEC(const char *) names;
    gei_strmap by_name;                /* -> index */
} gei_symbols;

struct gei_graph {
    gei_arena arena;
    const gei_allocator *from;
    const char *name;
    gei_graph *root;                   /* itself when root */
    gei_node *parent;                  /* node this graph is attached to; NULL for a root */
    GEI_VEC(gei_node *) nodes;         /* by index; NULL where removed */
    uint32_t n_live;
    gei_node *net_output;              /* NULL until outputs are set */
    const char **output_names;         /* one for each slot of net_output, NULL where it has none; NULL: no names at all */
    gei_strmap names;                  /* node name -> index */
    gei_attrs attrs;
    gei_symbols *symbols;              /* the root's */
    GEI_VEC(gei_graph *) subgraphs;    /* root only: all nested graphs, owned */
    gei_strmap subgraph_names;         /* root only: name -> index in subgraphs */
    uint32_t sub_index;                /* of a subgraph: its place in root->subgraphs */
    gei_graph *link;                   /* chain of graphs that are being taken down */
    uint64_t next_name;                /* counter of made-up names */
    uint32_t serial;                   /* process-wide number of the graph: part of public ids */
    gei_attrs metadata;                /* of the model: STRING attributes */
};

/* ---- life ---- */
ge_status gei_graph_create(const gei_allocator *from, const char *name, gei_graph **out, gei_diag *diag);
/* Owned by root.  Names are unique among the subgraphs of a root; NULL or "": made up. */
ge_status gei_graph_create_subgraph(gei_graph *root, const char *name, gei_graph **out, gei_diag *diag);
gei_graph *gei_graph_find_subgraph(const gei_graph *root, const char *name, size_t name_size); /* NULL when absent */
/* Deep, with the subgraphs below g, as a new root; tensors shared; indices without the gaps of removed nodes. */
ge_status gei_graph_clone(const gei_graph *g, gei_graph **out, gei_diag *diag);
void gei_graph_destroy(gei_graph *g); /* root only; NULL is fine */
ge_status gei_graph_rename(gei_graph *g, const char *name, gei_diag *diag); /* names of subgraphs stay unique and not empty */

/* ---- nodes ---- */
#define GEI_MAX_SLOTS (UINT32_C(1) << 24)      /* inputs of one node, outputs likewise */
#define GEI_MAX_NTH (UINT32_C(1) << 16)        /* outputs of one dynamic port */
/* n_dynamic_ins/outs: counts for the dynamic ports in definition order (NULL: zero each).  name NULL or "": made up from the type. */
ge_status gei_graph_add_node(gei_graph *g, const gei_op_def *def, const char *name, const uint32_t *n_dynamic_ins,
                             const uint32_t *n_dynamic_outs, gei_node **out, gei_diag *diag);
void gei_graph_remove_node(gei_node *node); /* unlinks every edge; neighbours are not joined; its subgraphs go too */
gei_node *gei_graph_find_node(const gei_graph *g, const char *name, size_t name_size);
ge_status gei_graph_rename_node(gei_node *node, const char *name, gei_diag *diag);
gei_node *gei_graph_node_at(const gei_graph *g, uint64_t index); /* NULL when out of range or removed */
ge_status gei_graph_add_subgraph(gei_node *node, const char *port, gei_graph *subgraph, gei_diag *diag);

/* ---- edges ---- */
void gei_slot_set(gei_slot *slot, gei_value value);    /* replaces; node NULL empties the slot */
void gei_value_replace_uses(gei_value old, gei_value with); /* every use of old becomes a use of with */
uint32_t gei_value_use_count(gei_value v);
ge_status gei_graph_add_control(gei_node *before, gei_node *after, gei_diag *diag);
bool gei_graph_remove_control(gei_node *before, gei_node *after);
static inline gei_out *gei_value_out(gei_value v) { return &v.node->outs[v.out]; }
static inline gei_value gei_value_of(gei_node *node, uint32_t out) { return (gei_value){ node, out }; }
/* Slot `nth` of a port, by definition index; first slot of a port by its name; NULL when the node has none there. */
gei_slot *gei_node_slot(const gei_node *node, uint32_t port, uint32_t nth);
gei_slot *gei_node_slot_named(const gei_node *node, const char *port);
uint32_t gei_node_port_count(const gei_node *node, uint32_t port); /* slots of that port */

/* ---- inputs, outputs, descriptions ---- */
ge_status gei_graph_add_data(gei_graph *g, const char *name, int64_t index, int32_t dtype, const gei_shape *shape, gei_node **out, gei_diag *diag);
ge_status gei_graph_add_const(gei_graph *g, const char *name, gei_tensor *tensor, gei_node **out, gei_diag *diag); /* retains */
#define GEI_NET_OUTPUT_NAME "NetOutput" /* of the node set_outputs makes, when the name is free */
/* Makes the NetOutput node or gives it new slots; names NULL, or one each, NULL where there is none. */
ge_status gei_graph_set_outputs(gei_graph *g, const gei_value *values, const char *const *names, size_t count, gei_diag *diag);
const char *gei_graph_output_name(const gei_graph *g, size_t i); /* what set_outputs was given; NULL: none, or no such output */
/* Data nodes by index; arena array in *out. */
ge_status gei_graph_inputs(const gei_graph *g, gei_arena *arena, gei_node ***out, size_t *out_count, gei_diag *diag);
gei_shape gei_out_shape(const gei_out *out);
ge_status gei_out_set_shape(gei_value v, const gei_shape *shape, gei_diag *diag); /* copies dims to the arena */
ge_status gei_out_set_name(gei_value v, const char *name, gei_diag *diag);        /* copies; NULL takes it away */
ge_status gei_out_attrs(gei_value v, gei_attrs **out, gei_diag *diag);            /* made when there are none yet */
ge_status gei_slot_desc(gei_slot *slot, gei_in_desc **out, gei_diag *diag);       /* made when there is none yet */
ge_status gei_node_set_origin(gei_node *node, const char *text, gei_diag *diag);  /* copies */
ge_status gei_graph_set_metadata(gei_graph *g, const char *key, const char *text, size_t text_size, gei_diag *diag);
ge_status gei_graph_symbol(gei_graph *g, const char *name, size_t name_size, gei_dim *out, gei_diag *diag); /* finds or makes; NULL: a fresh one */

/* ---- attributes: what was set, else the definition's default ---- */
const gei_attr_def *gei_def_attr(const gei_op_def *def, const char *name); /* NULL: not declared */
const gei_attr *gei_node_attr(const gei_node *node, const char *name); /* NULL: neither */
int64_t gei_node_int(const gei_node *node, const char *name, int64_t absent);
double gei_node_float(const gei_node *node, const char *name, double absent);
bool gei_node_bool(const gei_node *node, const char *name, bool absent);
const char *gei_node_text(const gei_node *node, const char *name, const char *absent);
gei_int_list gei_node_ints(const gei_node *node, const char *name); /* empty when absent; an INT gives one element */
ge_status gei_node_set(gei_node *node, const char *name, const gei_attr *value, gei_diag *diag);
gei_tensor *gei_node_const(const gei_node *node); /* the tensor of a Const/Constant node, borrowed; else NULL */

/* ---- order and check ---- */
/* Nodes in an order in which every data and control producer comes first (stable: by index).  Linear.
 * A cycle is GE_ERR_... naming a node on it. */
ge_status gei_graph_order(const gei_graph *g, gei_arena *arena, gei_node ***out, size_t *out_count, gei_diag *diag);
/* Every invariant of this page, and attribute kinds and required inputs against the definitions.  Linear. */
ge_status gei_graph_check(const gei_graph *g, gei_diag *diag);

/* ---- text (graph_text.c): print then parse gives the same graph, parse then print the same text ----
 *   graph "mlp" {
 *     %x = Data[index=0] : f32[batch,64]
 *     %w = Const[value=f32[64,10]{...}]           payload: inline up to 16 elements, else #hex or elided with `brief`
 *     %h = MatMulV2(x1=%x, x2=%w) [transpose_x2=true] : f32[batch,10]
 *     %a, %b = Split...                            several outputs
 *     %r = Relu(x=%h) after(%w) : f32[batch,10]    control edges
 *     return %r as "prob"
 *   }                                              subgraphs: [then_branch=@g1] and `graph "g1" {...}` behind
 */
typedef const gei_op_def *(*gei_find_op)(void *user, const char *name, size_t name_size);
ge_status gei_graph_print(const gei_graph *g, bool brief, gei_sink *to, gei_diag *diag);
ge_status gei_graph_parse(const gei_allocator *from, const char *text, size_t size, gei_find_op find, void *find_user, gei_graph **out, gei_diag *diag);

#endif
