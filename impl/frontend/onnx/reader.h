/* SPDX-License-Identifier: Apache-2.0 */
/* reader: what the files of this folder share.
 *
 *   bytes -> gei_onnx_graph (names resolved to numbers, nothing copied)       index.c
 *         -> gei_onnx_scope (one use of a graph: the values it has so far)    scope.c
 *         -> tasks on an explicit stack, no recursion: one a node or scope    import.c
 *
 * Two kinds of failure.  A *problem* is noted and reading goes on, so that all of them are reported at once: whatever depends on
 * what is wrong is `broken` and skipped without further words.  A *stop* (malformed bytes, out of memory, a limit) ends it. */
#ifndef GEI_FRONTEND_ONNX_READER_H
#define GEI_FRONTEND_ONNX_READER_H

#include "frontend/mapped.h"
#include "frontend/onnx/onnx.h"
#include "frontend/onnx/proto.h"
#include "frontend/wire.h"
#include "ops/import.h"

#define GEI_ONNX_NONE UINT32_MAX

/* ---- a graph or function as the file has it ---- */

typedef struct gei_onnx_opset {
    gei_span domain; /* "" is ai.onnx */
    int32_t version;
} gei_onnx_opset;

typedef struct gei_onnx_opsets {
    gei_onnx_opset *items;
    uint32_t count;
} gei_onnx_opsets;

/* A name that occurs in one graph.  Without producer, initializer and input it comes from outside. */
typedef struct gei_onnx_value {
    gei_span name;
    gei_span type;        /* TypeProto of the input or of value_info, data NULL: none */
    uint32_t producer;    /* index of the node */
    uint32_t initializer; /* index into initializers */
    uint32_t input;       /* index into inputs */
    uint32_t output;      /* first index into outputs */
    bool is_used;         /* by a node or as output of this graph */
} gei_onnx_value;

typedef struct gei_onnx_node {
    gei_span name, type, domain, overload; /* name: unique in its graph, see names.c */
    gei_span bytes;       /* the NodeProto, for its attributes */
    const uint32_t *ins;  /* values; GEI_ONNX_NONE: left out */
    const uint32_t *outs;
    uint32_t n_ins, n_outs, n_attrs;
} gei_onnx_node;

typedef struct gei_onnx_initializer {
    gei_span bytes; /* TensorProto or SparseTensorProto */
    uint32_t value;
    bool is_sparse;
} gei_onnx_initializer;

typedef struct gei_onnx_graph {
    gei_arena arena;
    gei_span name;
    gei_span bytes;
    gei_onnx_node *nodes;
    gei_onnx_initializer *initializers;
    uint32_t *inputs, *outputs; /* values */
    gei_span *output_types;     /* TypeProto, data NULL: none */
    uint32_t n_nodes, n_initializers, n_inputs, n_outputs;
    bool has_nested;            /* so that values may be used from inside nodes */
    GEI_VEC(gei_onnx_value) values;
    gei_strmap names;           /* -> value */
    const gei_allocator *from;
} gei_onnx_graph;

typedef struct gei_onnx_function {
    gei_onnx_graph *body; /* NULL, and no opsets, until the first call */
    gei_onnx_opsets opsets;
    gei_span name, domain, overload, bytes;
    bool is_open;         /* a call of it is being read: one inside would never end */
} gei_onnx_function;

/* ---- one use of a graph ---- */

typedef enum gei_onnx_state {
    GEI_ONNX_NEW = 0,
    GEI_ONNX_READY,
    GEI_ONNX_ABSENT,  /* an optional input that the call of a function left out, an output that nobody reads and no mapping made */
    GEI_ONNX_BROKEN   /* noted already */
} gei_onnx_state;

enum { GEI_ONNX_NODE_NEW = 0, GEI_ONNX_NODE_OPEN, GEI_ONNX_NODE_DONE };

/* An AttributeProto, still in the file. */
typedef struct gei_onnx_attr {
    gei_span name, ref, bytes;
    int32_t kind;                  /* ONNX_KIND_* */
    struct gei_onnx_scope *home;   /* where names inside its graphs are looked up */
} gei_onnx_attr;

typedef struct gei_onnx_capture {
    gei_value outer, inner;
} gei_onnx_capture;

typedef struct gei_onnx_scope {
    gei_arena arena;
    const gei_onnx_graph *src;
    gei_onnx_graph own;            /* src of the root and of nested graphs */
    struct gei_onnx_scope *outer;  /* scope whose names are visible too; NULL for the root and for functions */
    gei_graph *graph;              /* where nodes go: a function's are those of its caller */
    gei_value *values;             /* by value of src, where the state is READY */
    uint8_t *states;               /* gei_onnx_state */
    uint8_t *node_states;
    uint32_t next_node;
    uint32_t depth;
    /* nested graphs */
    gei_span attr_name;
    uint32_t n_inputs;             /* Data nodes that are not captures */
    GEI_VEC(gei_onnx_capture) captures;
    gei_strmap captured;           /* name -> index in captures */
    /* functions */
    gei_onnx_function *function;
    const gei_onnx_attr *attrs;    /* of the call, and the function's defaults */
    uint32_t n_attrs;
    const char *prefix;            /* of names: "call/"; "" elsewhere */
    const char *const *out_names;  /* of the call, by output of the function; NULL where unused */
} gei_onnx_scope;

/* What a node needs until it is mapped. */
typedef struct gei_onnx_work {
    gei_arena arena;
    gei_attrs attrs;
    GEI_VEC(gei_onnx_attr) graphs; /* nested graphs to read, in order; their bytes are GraphProto */
    gei_import_subgraph *subgraphs;
    uint32_t next_graph;
    gei_onnx_function *function;
    gei_value *ins;
    const char *name;
    bool is_broken;                /* something it depends on was noted: check what is left, do not map */
    bool is_called;                /* the function's body has been read */
} gei_onnx_work;

typedef struct gei_onnx_task {
    gei_onnx_scope *scope;
    gei_onnx_work *work;           /* NULL until the inputs are there */
    uint32_t node;                 /* GEI_ONNX_NONE: the scope itself */
    uint32_t next;                 /* input or output to look at next */
} gei_onnx_task;

/* ---- the reader ---- */

/* Which node of the file a node of the root graph was made from. */
typedef struct gei_onnx_origin {
    uint32_t index; /* of the first IR node; what follows up to the next entry is the same node's */
    int32_t opset;
    bool is_told;   /* its mapping failed: what it left of its nodes is nobody's business */
    gei_span type, domain;
    const char *at;
} gei_onnx_origin;

typedef struct gei_onnx_external {
    gei_mapped *mapped; /* NULL when files are read */
    uint64_t size;
} gei_onnx_external;

typedef struct gei_onnx_reader {
    const gei_onnx_options *options;
    gei_limits limits;
    const gei_allocator *from;
    gei_span file;
    gei_onnx_owner owner;
    gei_arena arena;               /* lives as long as the reader */
    gei_graph *graph;              /* the root */
    int64_t ir_version;
    gei_span main_graph;
    gei_onnx_opsets opsets;
    gei_onnx_function *functions;
    uint32_t n_functions;
    gei_strmap function_names;     /* domain, name and overload with zeros between -> index */
    gei_strmap used_names;         /* node name that was wanted twice -> last number tried */
    gei_sink text;                 /* for composed names */
    gei_sink fixed_inputs;
    uint64_t budget_bytes;         /* what is left */
    GEI_VEC(gei_onnx_task) tasks;
    uint32_t n_open;               /* scopes on the stack */
    GEI_VEC(gei_onnx_origin) origins; /* of the root's nodes, ascending; only kept when somebody is told of problems */
    /* external data */
    int folder_fd;                 /* -1: not open yet */
    gei_strmap external_names;
    GEI_VEC(gei_onnx_external) externals;
    /* what is wrong */
    gei_diag diag;                 /* of the call in progress */
    gei_diag first;
    uint64_t n_problems;
    bool stops;                    /* diag is final */
    const void *stops_at;          /* byte of the file, NULL when not known */
    bool is_told;                  /* the problem callback needs not hear of the stop */
    gei_strmap unsupported;        /* operator types, as in the message */
    gei_sink unsupported_list;
    char place[192];               /* what is being read: starts messages about tensors, "initializer 'w'" */
} gei_onnx_reader;

#define GEI_ONNX_FMT_SIZE(span) ((int)((span).size > 120 ? 120 : (span).size))
#define GEI_ONNX_FMT(span) GEI_ONNX_FMT_SIZE(span), ((span).data ? (span).data : "") /* for %.*s */

/* problem.c */
ge_status gei_onnx_stop(gei_onnx_reader *r, ge_status status);
ge_status gei_onnx_stop_at(gei_onnx_reader *r, const void *at, ge_status status); /* at: byte of the file, also put into the details */
ge_status gei_onnx_wire_end(gei_onnx_reader *r, const gei_wire *w, const char *message_name); /* after a walk: GE_OK, or stops */
/* Takes r->diag, reports it, and gives GE_OK to go on; gives status back when reading stops.  scope and node may be NULL. */
ge_status gei_onnx_note(gei_onnx_reader *r, ge_status status, const gei_onnx_scope *scope, const gei_onnx_node *node, const void *at);
/* Tells of r->diag and goes on: the model can be read all the same.  Not counted; status GE_OK makes it a warning. */
ge_status gei_onnx_tell(gei_onnx_reader *r, ge_status status, const gei_onnx_origin *origin, const void *at);
ge_status gei_onnx_note_unsupported(gei_onnx_reader *r, const gei_onnx_scope *scope, const gei_onnx_node *node);
ge_status gei_onnx_verdict(gei_onnx_reader *r, ge_status status, gei_diag *diag);
ge_status gei_onnx_charge(gei_onnx_reader *r, uint64_t size_bytes);
ge_status gei_onnx_out_of_memory(gei_onnx_reader *r);
void gei_onnx_set_place(gei_onnx_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
ge_status gei_onnx_check_name(gei_onnx_reader *r, gei_span name, const char *what); /* length, UTF-8, no zero byte; else stops */
/* Name for messages: the node's own, else type and number; with the prefixes of calls. */
const char *gei_onnx_label(const gei_onnx_scope *scope, const gei_onnx_node *node, char *to, size_t cap);

/* model.c */
ge_status gei_onnx_read_model(gei_onnx_reader *r);
ge_status gei_onnx_read_opsets(gei_onnx_reader *r, gei_span message, uint32_t field, gei_onnx_opsets *out); /* problems are noted */
int32_t gei_onnx_opset_of(const gei_onnx_reader *r, const gei_onnx_scope *scope, gei_span domain); /* 0: not imported */
gei_onnx_function *gei_onnx_find_function(gei_onnx_reader *r, const gei_onnx_node *node); /* NULL: none */

/* foreign.c */
bool gei_onnx_is_model_field(const gei_field *f); /* onnx.c: number and wire type are those of a field of ModelProto */
/* After a failure of the outermost walk: says what the file is when it is no ONNX model at all, else leaves what was said. */
ge_status gei_onnx_explain(gei_onnx_reader *r, ge_status status);

/* schema.c */
extern const int32_t gei_onnx_newest_opset; /* of ai.onnx */
/* False: the operator of ai.onnx is known and has no such attribute in any version.  The nearest: data NULL when none is near. */
bool gei_onnx_knows_attr(gei_span type, gei_span attr, gei_span *out_nearest);

/* check.c: what is told though the graph can be read: warnings, outputs whose declaration contradicts, shapes that clash. */
ge_status gei_onnx_remember(gei_onnx_reader *r, const gei_onnx_scope *s, const gei_onnx_node *node, size_t n_nodes_before, bool is_told);
ge_status gei_onnx_warn_opsets(gei_onnx_reader *r);
ge_status gei_onnx_check_shapes(gei_onnx_reader *r, const gei_onnx_scope *root, bool is_whole); /* else outputs are missing */

/* index.c: is_function tells FunctionProto from GraphProto.  *out is freed by gei_onnx_graph_free, also after a failure. */
ge_status gei_onnx_index(gei_onnx_reader *r, gei_span message, bool is_function, gei_onnx_graph *out);
void gei_onnx_graph_free(gei_onnx_graph *g);

/* type.c */
typedef struct gei_onnx_type {
    int32_t dtype;        /* GEI_UNDEFINED when not told */
    gei_shape shape;
    char unsupported[96]; /* "sequence of optional float32" when there are no such values, else "" */
} gei_onnx_type;
enum { GEI_ONNX_DIMS_MAKE, GEI_ONNX_DIMS_FIND, GEI_ONNX_DIMS_NUMBERS }; /* symbols: made, only known ones, none */
ge_status gei_onnx_read_type(gei_onnx_reader *r, gei_span message, int dims, gei_onnx_type *out); /* r->place starts messages */

/* tensor.c, external.c: r->place starts messages.  Give one reference. */
typedef struct gei_onnx_tensor { /* a TensorProto, payload still in the file */
    gei_span name, raw, bytes;
    int64_t dims[GEI_MAX_RANK];
    int32_t rank, dtype, onnx_dtype;
    uint64_t n_values[ONNX_TENSOR_UINT64_DATA + 1]; /* by field number of the typed lists */
    int64_t n_elems;
    size_t size_bytes;    /* 0 for strings */
    int64_t location;
    uint32_t n_entries;
    bool has_raw, has_segment;
} gei_onnx_tensor;
ge_status gei_onnx_tensor_name(gei_onnx_reader *r, gei_span message, bool is_sparse, gei_span *out);
ge_status gei_onnx_read_tensor(gei_onnx_reader *r, gei_span message, gei_tensor **out);
ge_status gei_onnx_read_sparse(gei_onnx_reader *r, gei_span message, gei_tensor **out);
ge_status gei_onnx_read_external(gei_onnx_reader *r, const gei_onnx_tensor *t, gei_tensor **out);
/* Over `data` when it may be pointed to by `owner`, is aligned and worth it; else copied. */
ge_status gei_onnx_adopt(gei_onnx_reader *r, const gei_onnx_tensor *t, const void *data, const gei_onnx_owner *owner, gei_tensor **out);
ge_status gei_onnx_read_values(gei_onnx_reader *r, const gei_onnx_tensor *t, gei_tensor **out); /* values.c: the typed lists */
void gei_onnx_normalise(const gei_onnx_tensor *t, uint8_t *data); /* bools to 0 and 1, unused bits of packed types to 0 */
ge_status gei_onnx_tensor_status(gei_onnx_reader *r, ge_status status); /* puts the place in front of a message of ir */

/* attribute.c */
/* The head of an attribute as `scope` sees it: references followed, so that bytes and home are those of the value; kind
 * ONNX_KIND_UNDEFINED: it refers to an attribute that the call does not give. */
ge_status gei_onnx_find_attr(gei_onnx_reader *r, gei_onnx_scope *scope, gei_span message, gei_onnx_attr *out);
/* Adds to work->attrs and work->graphs; problems are noted and break the work. */
ge_status gei_onnx_read_attrs(gei_onnx_reader *r, gei_onnx_scope *scope, const gei_onnx_node *node, gei_onnx_work *work);

/* scope.c */
ge_status gei_onnx_scope_create(gei_onnx_reader *r, gei_onnx_scope **out);
void gei_onnx_scope_destroy(gei_onnx_reader *r, gei_onnx_scope *s); /* NULL is fine */
ge_status gei_onnx_scope_init(gei_onnx_reader *r, gei_onnx_scope *s, const gei_onnx_graph *src); /* memory for its values */
static inline void gei_onnx_bind(gei_onnx_scope *s, uint32_t value, gei_onnx_state state, gei_value v) {
    s->states[value] = (uint8_t)state;
    s->values[value] = v;
}
typedef struct gei_onnx_answer {
    gei_onnx_state state; /* NEW: this node must be imported first */
    gei_onnx_scope *scope;
    uint32_t node;
} gei_onnx_answer;
/* State of a value as seen from `s`, for its node `user` (NULL: for an output of the graph).  Missing producers and cycles are
 * noted here. */
ge_status gei_onnx_resolve(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value, const gei_onnx_node *user, gei_onnx_answer *out);

/* names.c: names of IR nodes and values */
ge_status gei_onnx_unique_name(gei_onnx_reader *r, const gei_graph *graph, const char *prefix, gei_span name, gei_arena *arena, const char **out);
ge_status gei_onnx_name_nodes(gei_onnx_reader *r, gei_onnx_graph *g); /* while values are inputs and initializers only */
ge_status gei_onnx_node_name(gei_onnx_reader *r, const gei_onnx_scope *s, uint32_t node, gei_arena *arena, const char **out);
/* As the user knows the value: inside a function that of the call's output, or "call/name". */
ge_status gei_onnx_value_name(gei_onnx_reader *r, const gei_onnx_scope *s, uint32_t value, gei_arena *arena, const char **out);

/* ports.c */
ge_status gei_onnx_add_ports(gei_onnx_reader *r, gei_onnx_scope *s); /* Data and Const nodes of inputs and initializers */
ge_status gei_onnx_set_outputs(gei_onnx_reader *r, gei_onnx_scope *s, bool *out_is_whole); /* all of them resolved */
ge_status gei_onnx_hint(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t value); /* the file's type where no rule gives one */

/* import.c */
ge_status gei_onnx_import(gei_onnx_reader *r);

/* map.c: one node whose inputs and nested graphs are ready; binds its outputs */
ge_status gei_onnx_map_node(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t node, gei_onnx_work *work);

/* call.c: functions.  *out stays NULL when something was noted. */
ge_status gei_onnx_open_call(gei_onnx_reader *r, gei_onnx_scope *s, uint32_t node, gei_onnx_work *work, gei_onnx_scope **out);
ge_status gei_onnx_close_call(gei_onnx_reader *r, gei_onnx_scope *call, gei_onnx_scope *s, uint32_t node);

#endif
