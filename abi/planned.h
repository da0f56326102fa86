/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of the ABI, designed together with ge_c_api.h and not part of it yet. Never installed: compiled and parsed in tests
 * only, so that the whole stays one thing. A group moves to ge_c_api.h when its engine part works, and its names into the map.
 *
 * Everything at the top of ge_c_api.h holds here too. Its struct ge_model_summary grows by `uint64_t events_count` with streams.
 */
#ifndef GE_PLANNED_H
#define GE_PLANNED_H

#include "ge_c_api.h"

#if defined(__clang__) && !defined(SWIG) && !defined(GE_NO_NULLABILITY)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__cplusplus) && !defined(SWIG)
extern "C" {
#endif

typedef struct ge_session ge_session;           /* GE's view: models by graph id, with one state */
typedef struct ge_registration ge_registration; /* something a context was taught: a pass, an operator, a mapping */
typedef struct ge_launch ge_launch;             /* one call of a kernel; only lent to the kernel, stale when it returns */

/* ---- Context: options ---------------------------------------------------------------------------------------------------- */

typedef uint64_t ge_option_levels;
enum {
    GE_OPTION_CONTEXT = 1, /* bit 0 */
    GE_OPTION_IMPORT = 2,
    GE_OPTION_COMPILE = 4,
    GE_OPTION_SESSION = 8,
    GE_OPTION_EXPORT = 16
};

/* What is known about one option. */
typedef struct ge_option_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_option_levels levels;               /* who reads it */
    const char* GE_NULLABLE key;           /* static */
    const char* GE_NULLABLE value_form;    /* static: "int", "float", "text", or the values joined by "|" */
    const char* GE_NULLABLE default_value; /* static */
    const char* GE_NULLABLE help;          /* static: one line */
    int32_t is_device_only;                /* 1: accepted and logged, no effect on a CPU */
    int32_t reserved_0;
} ge_option_info;

/**
 * Lists every option there is.
 *
 * @param infos        out, nullable, borrowed: one entry per option
 * @param infos_count  in: entries of infos
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @param out_count    out, borrowed: number of entries
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_options_get_infos(ge_option_info* GE_NULLABLE infos, size_t infos_count, size_t info_size,
    size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/* ---- Tensor and value --------------------------------------------------------------------------------------------------- */

/**
 * Creates a tensor over part of a file, mapped read-only. Replace such files by rename.
 *
 * @param context     in, nullable, borrowed: the context
 * @param desc        in, copied: every dim known, dense
 * @param path        in, copied: the file
 * @param path_size   in: bytes of path, or GE_NTS
 * @param offset      in: first byte
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread free  @blocks while opening  @calls_back no
 * @errors usual, GE_ERR_FILE, GE_ERR_TRUNCATED, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE, GE_ERR_SIZE, GE_ERR_ALIGNMENT
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_from_file(const ge_context* GE_NULLABLE context,
    const ge_tensor_desc* GE_NONNULL desc, const char* GE_NONNULL path, size_t path_size, uint64_t offset,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Copies a tensor to the host or to a device.
 *
 * @param tensor      in, borrowed: the tensor
 * @param placement   in: where to
 * @param device_id   in: which device, from 0
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread const  @blocks while copying  @calls_back no
 * @errors usual, GE_ERR_NO_DEVICE, class GE_CLASS_DEVICE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_copy_to(const ge_tensor* GE_NONNULL tensor, ge_placement placement, int32_t device_id,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Creates a tensor with the content of a graph value that is known without a run: a constant, or small integers that follow from
 * shapes.
 *
 * @param graph       in, borrowed: the graph
 * @param port        in: the port or value
 * @param out_tensor  out, owned: ge_tensor_destroy; shared and read-only
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND when the content is not known
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_from_known(const ge_graph* GE_NONNULL graph, ge_port_id port,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/* ---- Graph: subgraphs and further attributes ---------------------------------------------------------------------------- */

/* Further kinds of attributes; GE's numbers, continued from ge_c_api.h. */
enum {
    GE_ATTR_TENSOR_DESC = 5,
    GE_ATTR_GRAPH = 8,
    GE_ATTR_NAMED_ATTRS = 9,
    GE_ATTR_LIST_TENSOR_DESC = 1005,
    GE_ATTR_LIST_GRAPH = 1008,
    GE_ATTR_LIST_NAMED_ATTRS = 1009
};

/**
 * Attaches a graph to a free subgraph port of a node. The graph becomes part of its parent; the handle given turns into a view of
 * it.
 *
 * @param graph      in, borrowed: changed
 * @param node       in: the node
 * @param port       in, borrowed: name of the subgraph port
 * @param port_size  in: bytes of port, or GE_NTS
 * @param index      in: which of a dynamic port; 0 for others
 * @param subgraph   in, borrowed: a graph with a name unique below the root
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND, GE_ERR_OUT_OF_RANGE, GE_ERR_ALREADY_EXISTS, GE_ERR_WRONG_STATE when the graph is attached
 *         elsewhere
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_subgraph(ge_graph* GE_NONNULL graph, ge_node_id node, const char* GE_NONNULL port,
    size_t port_size, uint32_t index, ge_graph* GE_NONNULL subgraph) GE_NOEXCEPT;

/**
 * Detaches a subgraph. It lives on, as a graph of its own, while handles name it.
 *
 * @param graph     in, borrowed: changed
 * @param subgraph  in: the subgraph; its id becomes stale
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_remove_subgraph(ge_graph* GE_NONNULL graph, ge_subgraph_id subgraph) GE_NOEXCEPT;

/**
 * Opens the graph a subgraph hangs in.
 *
 * @param graph      in, borrowed: the subgraph
 * @param out_graph  out, owned: ge_graph_destroy ends the view only
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE when it is no subgraph
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_create_parent_view(const ge_graph* GE_NONNULL graph,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/**
 * Finds a subgraph by name, anywhere below the root this graph belongs to.
 *
 * @param graph         in, borrowed: the graph
 * @param name          in, borrowed: the name
 * @param name_size     in: bytes of name, or GE_NTS
 * @param out_subgraph  out, borrowed: the subgraph
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_find_subgraph(const ge_graph* GE_NONNULL graph, const char* GE_NONNULL name,
    size_t name_size, ge_subgraph_id* GE_NONNULL out_subgraph) GE_NOEXCEPT;

/**
 * Sets one item of a desc attribute, single or list. Setting the item behind the last one appends.
 *
 * @param graph  in, borrowed: changed
 * @param attr   in: the attribute
 * @param index  in: the item, 0 for a single attribute
 * @param desc   in, copied: the desc
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE, GE_ERR_RANK
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_attr_desc(ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    const ge_tensor_desc* GE_NONNULL desc) GE_NOEXCEPT;

/**
 * Reads one item of a desc attribute.
 *
 * @param graph          in, borrowed: the graph
 * @param attr           in: the attribute
 * @param index          in: the item, 0 for a single attribute
 * @param out_desc       out, borrowed: filled; its pointers are borrowed until the graph is changed or destroyed
 * @param out_desc_size  in: sizeof *out_desc
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_attr_desc(const ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    ge_tensor_desc* GE_NONNULL out_desc, size_t out_desc_size) GE_NOEXCEPT;

/**
 * Sets one item of a graph attribute, single or list, to a copy of a graph. Setting the item behind the last one appends.
 *
 * @param graph  in, borrowed: changed
 * @param attr   in: the attribute
 * @param index  in: the item, 0 for a single attribute
 * @param item   in, copied: the graph
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_attr_graph(ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    const ge_graph* GE_NONNULL item) GE_NOEXCEPT;

/**
 * Creates a graph from one item of a graph attribute: a copy.
 *
 * @param graph      in, borrowed: the graph
 * @param attr       in: the attribute
 * @param index      in: the item, 0 for a single attribute
 * @param out_graph  out, owned: ge_graph_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_create_from_attr(const ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/**
 * Gives the owner of the attributes inside one item of a named-attributes attribute. The item behind the last one is added.
 *
 * @param graph      in, borrowed: changed when the item is new
 * @param attr       in: the attribute
 * @param index      in: the item, 0 for a single attribute
 * @param out_owner  out, borrowed: owner for every function on attributes
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_add_attr_item(ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    ge_owner_id* GE_NONNULL out_owner) GE_NOEXCEPT;

/* ---- Builder: variables, subgraphs, scopes, free ports ------------------------------------------------------------------ */

/**
 * Attaches a graph to a subgraph port of the operator under construction. The graph becomes part of the one being built, also
 * when the operator fails later; the handle given turns into a view of it.
 *
 * @param builder    in, borrowed: changed
 * @param port       in, borrowed: name of the subgraph port
 * @param port_size  in: bytes of port, or GE_NTS
 * @param index      in: which of a dynamic port; 0 for others
 * @param subgraph   in, borrowed: a graph with a name unique below the root
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND, GE_ERR_OUT_OF_RANGE, GE_ERR_ALREADY_EXISTS, GE_ERR_WRONG_STATE, GE_ERR_BAD_GRAPH
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_subgraph(ge_builder* GE_NONNULL builder, const char* GE_NONNULL port, size_t port_size,
    uint32_t index, ge_graph* GE_NONNULL subgraph) GE_NOEXCEPT;

/**
 * Opens an attribute scope: ge_builder_set_attr_* outside an operator set what every node added inside gets. Scopes nest; the inner
 * value wins.
 *
 * @param builder  in, borrowed: changed
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE inside an operator
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_push_attr_scope(ge_builder* GE_NONNULL builder) GE_NOEXCEPT;

/**
 * Opens a control scope: every node added inside waits for the producers of the values. Scopes nest and add up.
 *
 * @param builder       in, borrowed: changed
 * @param values        in, nullable, copied: the values
 * @param values_count  in: entries of values
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE inside an operator
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_push_control_scope(ge_builder* GE_NONNULL builder, const ge_value_id* GE_NULLABLE values,
    size_t values_count) GE_NOEXCEPT;

/**
 * Closes the scope opened last.
 *
 * @param builder  in, borrowed: changed
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE when none is open
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_pop_scope(ge_builder* GE_NONNULL builder) GE_NOEXCEPT;

typedef int32_t ge_port_kind;
enum {
    GE_PORT_REQUIRED = 1,
    GE_PORT_OPTIONAL = 2,
    GE_PORT_DYNAMIC = 3
};

/**
 * Declares one more port of the operator under construction, for operators whose ports are not fixed.
 *
 * @param builder      in, borrowed: changed
 * @param direction    in: input or output
 * @param kind         in: its kind; outputs are required or dynamic
 * @param name         in, copied: its name
 * @param name_size    in: bytes of name, or GE_NTS
 * @param ports_count  in: number of ports of a dynamic one, else 1
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_ALREADY_EXISTS
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_declare_port(ge_builder* GE_NONNULL builder, ge_direction direction, ge_port_kind kind,
    const char* GE_NONNULL name, size_t name_size, uint32_t ports_count) GE_NOEXCEPT;

/* ---- Import and export -------------------------------------------------------------------------------------------------- */

/* Further file formats, continued from ge_c_api.h. */
enum {
    GE_FILE_TF = 2,  /* TensorFlow frozen graph, binary protobuf */
    GE_FILE_AIR = 3, /* GE's .air */
    GE_FILE_IR = 4,  /* own graph text, as GE_DUMP_IR writes it */
    GE_FILE_OM = 5   /* GE's .om: a compiled model, or a bundle of them */
};

/* GE's text of a graph in ONNX form, without weights; continued from ge_c_api.h. */
enum {
    GE_DUMP_ONNX = 0,
    GE_DUMP_STREAMS = 9 /* models: nodes by stream, with events */
};

/**
 * Writes a graph with its weights in a file format. Own operators are lowered to ones the format knows, or refused by name.
 *
 * @param graph      in, borrowed: the graph
 * @param format     in: GE_FILE_ONNX, GE_FILE_AIR or GE_FILE_IR
 * @param options    in, nullable, borrowed: options of export level
 * @param write      in, borrowed: receives the bytes in parts
 * @param user_data  in, nullable, kept until destroy: passed to the callback
 * @param destroy    in, nullable, borrowed: called once before the call returns
 * @thread const  @blocks while write does  @calls_back write, destroy
 * @errors usual, GE_ERR_BAD_GRAPH, class GE_CLASS_UNSUPPORTED, what write returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_export(const ge_graph* GE_NONNULL graph, ge_file_format format,
    const ge_options* GE_NULLABLE options, ge_write_fn GE_NONNULL write, void* GE_NULLABLE user_data,
    ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/**
 * Writes a graph with its weights to a file, and weights to further files beside it where the options say so.
 *
 * @param graph      in, borrowed: the graph
 * @param format     in: GE_FILE_ONNX, GE_FILE_AIR or GE_FILE_IR
 * @param path       in, borrowed: the file; replaced by rename once complete
 * @param path_size  in: bytes of path, or GE_NTS
 * @param options    in, nullable, borrowed: options of export level
 * @thread const  @blocks while writing  @calls_back no
 * @errors usual, GE_ERR_BAD_GRAPH, GE_ERR_FILE, class GE_CLASS_UNSUPPORTED
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_export_file(const ge_graph* GE_NONNULL graph, ge_file_format format,
    const char* GE_NONNULL path, size_t path_size, const ge_options* GE_NULLABLE options) GE_NOEXCEPT;

/**
 * Writes a graph as text to a file of the dump folder ("ge.dumpPath" of the context), named as GE names it.
 *
 * @param graph        in, borrowed: the graph
 * @param format       in: GE_DUMP_ONNX to GE_DUMP_IR
 * @param suffix       in, nullable, borrowed: last part of the name
 * @param suffix_size  in: bytes of suffix, or GE_NTS
 * @thread const  @blocks while writing  @calls_back no
 * @errors usual, GE_ERR_UNSUPPORTED_FORMAT, GE_ERR_FILE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_dump_file(const ge_graph* GE_NONNULL graph, ge_dump_format format,
    const char* GE_NULLABLE suffix, size_t suffix_size) GE_NOEXCEPT;

/**
 * Writes compiled models: one as .om, several as a bundle, whose members share variables.
 *
 * @param models        in, borrowed: the models
 * @param models_count  in: entries of models, at least 1
 * @param options       in, nullable, borrowed: options of export level
 * @param write         in, borrowed: receives the bytes in parts
 * @param user_data     in, nullable, kept until destroy: passed to the callback
 * @param destroy       in, nullable, borrowed: called once before the call returns
 * @thread free  @blocks while write does  @calls_back write, destroy
 * @errors usual, class GE_CLASS_UNSUPPORTED, what write returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_export(const ge_model* GE_NONNULL const* GE_NONNULL models, size_t models_count,
    const ge_options* GE_NULLABLE options, ge_write_fn GE_NONNULL write, void* GE_NULLABLE user_data,
    ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/**
 * Writes compiled models to a file: one as .om, several as a bundle.
 *
 * @param models        in, borrowed: the models
 * @param models_count  in: entries of models, at least 1
 * @param path          in, borrowed: the file; replaced by rename once complete
 * @param path_size     in: bytes of path, or GE_NTS
 * @param options       in, nullable, borrowed: options of export level
 * @thread free  @blocks while writing  @calls_back no
 * @errors usual, GE_ERR_FILE, class GE_CLASS_UNSUPPORTED
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_export_file(const ge_model* GE_NONNULL const* GE_NONNULL models, size_t models_count,
    const char* GE_NONNULL path, size_t path_size, const ge_options* GE_NULLABLE options) GE_NOEXCEPT;

/**
 * Loads a compiled model from memory. Where our plan in it does not fit this machine or build, it is compiled again from the model
 * structure in it, with a log line.
 *
 * @param context    in, nullable, borrowed: the context
 * @param data       in, copied: the bytes of a .om
 * @param data_size  in: bytes of data, or GE_NTS
 * @param index      in: member of a bundle, else 0
 * @param options    in, nullable, borrowed: how
 * @param out_model  out, owned: ge_model_destroy
 * @thread free  @blocks while loading  @calls_back problem, problem_destroy
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_LIMIT, classes GE_CLASS_MODEL, GE_CLASS_UNSUPPORTED, GE_CLASS_COMPILE, what problem
 *         returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_import(const ge_context* GE_NULLABLE context, const uint8_t* GE_NONNULL data,
    size_t data_size, size_t index, const ge_import_options* GE_NULLABLE options,
    ge_model* GE_NULLABLE* GE_NONNULL out_model) GE_NOEXCEPT;

/**
 * Loads a compiled model from a file, mapped unless "ge.map" is 0; otherwise as ge_model_import.
 *
 * @param context    in, nullable, borrowed: the context
 * @param path       in, copied: the file
 * @param path_size  in: bytes of path, or GE_NTS
 * @param index      in: member of a bundle, else 0
 * @param options    in, nullable, borrowed: how
 * @param out_model  out, owned: ge_model_destroy
 * @thread free  @blocks while loading  @calls_back problem, problem_destroy
 * @errors as ge_model_import, and GE_ERR_FILE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_import_file(const ge_context* GE_NULLABLE context, const char* GE_NONNULL path,
    size_t path_size, size_t index, const ge_import_options* GE_NULLABLE options,
    ge_model* GE_NULLABLE* GE_NONNULL out_model) GE_NOEXCEPT;

/* ---- Model: memory and counters ----------------------------------------------------------------------------------------- */

/* Constants of a model that lie in a file of their own. Text is borrowed until the model is destroyed. */
typedef struct ge_weight_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE id;
    const char* GE_NULLABLE path;
    uint64_t offset;
    uint64_t weight_bytes;
} ge_weight_info;

/**
 * Describes the constants of a model that lie in files of their own.
 *
 * @param model        in, borrowed: the model
 * @param infos        out, nullable, borrowed: one entry per constant
 * @param infos_count  in: entries of infos
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @param out_count    out, borrowed: number of entries
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_get_weight_infos(const ge_model* GE_NONNULL model, ge_weight_info* GE_NULLABLE infos,
    size_t infos_count, size_t info_size, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Lists inputs and outputs that share memory.
 *
 * @param model        in, borrowed: the model
 * @param pairs        out, nullable, borrowed: receives two entries per pair: input index, output index
 * @param pairs_count  in: entries of pairs
 * @param out_count    out, borrowed: number of entries, twice the number of pairs
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_get_shared_ios(const ge_model* GE_NONNULL model, uint64_t* GE_NULLABLE pairs,
    size_t pairs_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/* ---- State -------------------------------------------------------------------------------------------------------------- */

/**
 * Gives a handle for the state of a session.
 *
 * @param session    in, borrowed: the session
 * @param out_state  out, owned: ge_state_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_create_from_session(const ge_session* GE_NONNULL session,
    ge_state* GE_NULLABLE* GE_NONNULL out_state) GE_NOEXCEPT;

/**
 * Lets the runs of a binding use memory of the caller for intermediate tensors.
 *
 * @param binding  in, borrowed: changed
 * @param area     in: GE_AREA_FEATURES, GE_AREA_FIXED_FEATURES or GE_AREA_REFRESHABLE_FEATURES
 * @param memory   in, nullable, copied: its data is kept until release; NULL: memory of the library
 * @thread exclusive  @blocks no  @calls_back release and destroy, on failure and when replaced
 * @errors usual, GE_ERR_SIZE, GE_ERR_ALIGNMENT, GE_ERR_WRONG_STATE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_set_memory(ge_binding* GE_NONNULL binding, ge_area area,
    const ge_memory* GE_NULLABLE memory) GE_NOEXCEPT;

/* ---- Streams of a device ------------------------------------------------------------------------------------------------ */

/**
 * Wraps a stream of a device runtime, which the caller keeps until the handle is destroyed.
 *
 * @param context        in, nullable, borrowed: the context
 * @param native_stream  in: the stream of the runtime as a number
 * @param out_stream     out, owned: ge_stream_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NO_DEVICE, GE_ERR_INVALID_ARGUMENT for 0
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_stream_create_from_native(const ge_context* GE_NULLABLE context, uint64_t native_stream,
    ge_stream* GE_NULLABLE* GE_NONNULL out_stream) GE_NOEXCEPT;

/* ---- Session ------------------------------------------------------------------------------------------------------------ */

/*
 * GE's view: graphs under numbers, compiled at the first run if not before, sharing one state and the session's options. A graph
 * is copied when it is added; the caller's is never changed. Options of a graph win over those of the session, and those over
 * those of the context.
 */

/**
 * Creates a session.
 *
 * @param context      in, nullable, borrowed: the context
 * @param options      in, nullable, copied: options of session level
 * @param out_session  out, owned: ge_session_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_create(const ge_context* GE_NULLABLE context, const ge_options* GE_NULLABLE options,
    ge_session* GE_NULLABLE* GE_NONNULL out_session) GE_NOEXCEPT;

/**
 * Destroys a session handle; runs in flight end first, in the background.
 *
 * @param session  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_session_destroy(ge_session* GE_NULLABLE session) GE_NOEXCEPT;

/**
 * Adds a copy of a graph.
 *
 * @param session   in, borrowed: the session
 * @param graph_id  in: number of the graph in the session
 * @param graph     in, copied: the graph
 * @param options   in, nullable, copied: options of compile level for this graph
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_ALREADY_EXISTS, GE_ERR_BAD_GRAPH
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_add_graph(const ge_session* GE_NONNULL session, uint32_t graph_id,
    const ge_graph* GE_NONNULL graph, const ge_options* GE_NULLABLE options) GE_NOEXCEPT;

/**
 * Removes a graph and what was compiled from it.
 *
 * @param session   in, borrowed: the session
 * @param graph_id  in: number of the graph in the session
 * @thread free  @blocks until its runs end  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_remove_graph(const ge_session* GE_NONNULL session, uint32_t graph_id) GE_NOEXCEPT;

/**
 * Compiles a graph now.
 *
 * @param session   in, borrowed: the session
 * @param graph_id  in: number of the graph in the session
 * @param options   in, nullable, borrowed: further options and callbacks
 * @thread free  @blocks while compiling  @calls_back progress, problem and their destroys
 * @errors usual, GE_ERR_NOT_FOUND, GE_ERR_WRONG_STATE when compiled, and as ge_graph_compile
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_compile_graph(const ge_session* GE_NONNULL session, uint32_t graph_id,
    const ge_compile_options* GE_NULLABLE options) GE_NOEXCEPT;

/**
 * Loads a compiled graph for runs on a stream: memory is taken, constants are placed.
 *
 * @param session   in, borrowed: the session
 * @param graph_id  in: number of the graph in the session
 * @param options   in, nullable, borrowed: options of GE's LoadGraph
 * @param stream    in, nullable, borrowed: the stream
 * @thread free  @blocks while loading  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND, GE_ERR_WRONG_STATE when not compiled or loaded
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_load_graph(const ge_session* GE_NONNULL session, uint32_t graph_id,
    const ge_options* GE_NULLABLE options, const ge_stream* GE_NULLABLE stream) GE_NOEXCEPT;

/**
 * Runs a graph, compiling it first when needed.
 *
 * @param session        in, borrowed: the session
 * @param graph_id       in: number of the graph in the session
 * @param inputs         in, nullable, borrowed: one value per input, in order
 * @param inputs_count   in: number of inputs
 * @param outputs        out, nullable, borrowed: receives one value per output, each owned: ge_value_destroy
 * @param outputs_count  in: number of outputs
 * @thread free  @blocks while compiling and running  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND, and as ge_graph_compile and ge_model_run
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_run_graph(const ge_session* GE_NONNULL session, uint32_t graph_id,
    const ge_value* GE_NONNULL const* GE_NULLABLE inputs, size_t inputs_count, ge_value* GE_NULLABLE* GE_NULLABLE outputs,
    size_t outputs_count) GE_NOEXCEPT;

/**
 * Starts a run of a graph, compiling it first when needed; on a stream when the options name one.
 *
 * @param session        in, borrowed: the session
 * @param graph_id       in: number of the graph in the session
 * @param async_options  in, nullable, copied: where and how it reports
 * @param inputs         in, nullable, borrowed: one value per input, kept alive by the operation
 * @param inputs_count   in: number of inputs
 * @param out_operation  out, owned: ge_operation_destroy
 * @thread free  @blocks while compiling  @calls_back complete, when the run ends at once; destroy
 * @errors usual, GE_ERR_NOT_FOUND, and as ge_graph_compile and ge_model_run_async
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_run_graph_async(const ge_session* GE_NONNULL session, uint32_t graph_id,
    const ge_async_options* GE_NULLABLE async_options, const ge_value* GE_NONNULL const* GE_NULLABLE inputs, size_t inputs_count,
    ge_operation* GE_NULLABLE* GE_NONNULL out_operation) GE_NOEXCEPT;

/**
 * Asks whether a graph must be removed and added again because variables it uses changed their layout.
 *
 * @param session        in, borrowed: the session
 * @param graph_id       in: number of the graph in the session
 * @param out_is_needed  out, borrowed: 1 or 0
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_query_rebuild(const ge_session* GE_NONNULL session, uint32_t graph_id,
    int32_t* GE_NONNULL out_is_needed) GE_NOEXCEPT;

/**
 * Lists the graphs of a session.
 *
 * @param session          in, borrowed: the session
 * @param graph_ids        out, nullable, borrowed: receives the numbers, ascending
 * @param graph_ids_count  in: entries of graph_ids
 * @param out_count        out, borrowed: number of entries
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_get_graph_ids(const ge_session* GE_NONNULL session, uint32_t* GE_NULLABLE graph_ids,
    size_t graph_ids_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Gives a compiled graph memory of the caller.
 *
 * @param session   in, borrowed: the session
 * @param graph_id  in: number of the graph in the session
 * @param area      in: which part
 * @param memory    in, nullable, copied: its data is kept until release; NULL: memory of the library
 * @thread free  @blocks until its runs end  @calls_back release and destroy, on failure and when replaced
 * @errors usual, GE_ERR_NOT_FOUND, GE_ERR_SIZE, GE_ERR_ALIGNMENT, GE_ERR_WRONG_STATE when the part cannot be set now
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_set_memory(const ge_session* GE_NONNULL session, uint32_t graph_id, ge_area area,
    const ge_memory* GE_NULLABLE memory) GE_NOEXCEPT;

/**
 * Lets runs on a stream take work areas, outputs and constants from an allocator; the last one set wins.
 *
 * @param session    in, borrowed: the session
 * @param stream     in, borrowed: the stream
 * @param allocator  in, nullable, copied: NULL: the session's own
 * @thread free  @blocks until calls of the old one return  @calls_back destroy of the old one; of the new one on failure
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_session_set_allocator(const ge_session* GE_NONNULL session, const ge_stream* GE_NONNULL stream,
    const ge_allocator* GE_NULLABLE allocator) GE_NOEXCEPT;

/**
 * Gives a model handle for a compiled graph of a session.
 *
 * @param session    in, borrowed: the session
 * @param graph_id   in: number of the graph in the session
 * @param out_model  out, owned: ge_model_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND, GE_ERR_WRONG_STATE when not compiled
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_create_from_session(const ge_session* GE_NONNULL session, uint32_t graph_id,
    ge_model* GE_NULLABLE* GE_NONNULL out_model) GE_NOEXCEPT;

/* ---- Passes ------------------------------------------------------------------------------------------------------------- */

/*
 * A pass is registered at a stage of the compilation. It runs on the root graph, then on every subgraph; within a stage passes run
 * in order of their names. Matching and replacing are functions any pass may use. A compiled model keeps the registrations it used.
 */

/* GE's numbers; stages run in the order 0, 1, 3, 4, 2. */
typedef int32_t ge_pass_stage;
enum {
    GE_PASS_BEFORE_INFER_SHAPE = 0,
    GE_PASS_AFTER_INFER_SHAPE = 1,
    GE_PASS_AFTER_ASSIGN_LOGIC_STREAM = 2,
    GE_PASS_AFTER_BUILTIN_FUSION = 3,
    GE_PASS_AFTER_ORIGIN_GRAPH_OPTIMIZE = 4
};

/* What a running pass is told. Pointers are borrowed until the pass returns. */
typedef struct ge_pass_run {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE name;           /* of the pass */
    const ge_options* GE_NULLABLE options;  /* the options of the compilation: ge_options_get_text */
    ge_pass_stage stage;
    uint32_t depth;                         /* 0: the root graph; else levels below it */
} ge_pass_run;

/**
 * Changes a graph. Called on the compiling thread; compilations on other threads may call it at the same time.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param graph      in, borrowed: the graph to change; handles and ids end with the call
 * @param run        in, borrowed: which pass, which stage
 * @return GE_OK, changed or not; else the compilation fails with that status
 * @thread free  @blocks no  @calls_back allowed, on the graph and on objects the compilation does not use
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_pass_fn)(void* GE_NULLABLE user_data, ge_graph* GE_NONNULL graph, const ge_pass_run* GE_NONNULL run);

/* A pass to register. */
typedef struct ge_pass_def {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE name;      /* copied: unique in the context; the switch files use it */
    uint64_t name_size;                /* bytes of name, or GE_NTS */
    ge_pass_stage stage;
    uint32_t reserved_0;
    ge_pass_fn GE_NULLABLE run;        /* kept until destroy */
    void* GE_NULLABLE user_data;       /* kept until destroy */
    ge_destroy_fn GE_NULLABLE destroy; /* kept until called */
} ge_pass_def;
#define GE_PASS_DEF_INIT {sizeof(ge_pass_def), 0, NULL, 0, GE_PASS_BEFORE_INFER_SHAPE, 0, NULL, NULL, NULL}

/* A pass of a context. */
typedef struct ge_pass_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE name;  /* borrowed until the pass is unregistered */
    ge_pass_stage stage;
    int32_t is_builtin;            /* 1: comes with the library */
} ge_pass_info;

typedef uint64_t ge_pattern_flags;
enum {
    GE_PATTERN_CONST_VALUES = 1, /* bit 0: constants match only with equal shape, type and bytes */
    GE_PATTERN_ATTRS = 2         /* bit 1: declared attributes match only when equal, defaults filled in */
};

/*
 * What to look for: a flat graph whose inputs stand for any value. Nodes match by operator type and connected inputs; inner
 * values that something outside uses reject the match.
 */
typedef struct ge_pattern {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_pattern_flags flags;
    const ge_graph* GE_NULLABLE graph;        /* borrowed */
    const ge_value_id* GE_NULLABLE captures;  /* borrowed: values of the graph whose counterparts the caller wants */
    uint64_t captures_count;
} ge_pattern;
#define GE_PATTERN_INIT {sizeof(ge_pattern), 0, 0, NULL, NULL, 0}

/* A region of a graph: one node, or what lies between inputs and outputs. */
typedef struct ge_boundary {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_node_id node;                          /* this node alone, connected inputs and all outputs; 0: the lists below */
    const ge_port_id* GE_NULLABLE inputs;     /* borrowed: input ports inside the region that read from outside */
    const uint32_t* GE_NULLABLE input_slots;  /* borrowed: for each, the input of the replacement it becomes */
    uint64_t inputs_count;                    /* entries of inputs and of input_slots */
    const ge_value_id* GE_NULLABLE outputs;   /* borrowed: values inside the region, in order of the replacement's outputs */
    uint64_t outputs_count;
} ge_boundary;
#define GE_BOUNDARY_INIT {sizeof(ge_boundary), 0, 0, NULL, NULL, 0, NULL, 0}

/* One place where a pattern or node was found. Pointers are borrowed until the callback returns. */
typedef struct ge_match {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const ge_graph* GE_NULLABLE graph;           /* where */
    const ge_node_id* GE_NULLABLE nodes;         /* matched nodes in order of the graph, pattern inputs not among them */
    const ge_node_id* GE_NULLABLE pattern_nodes; /* for each, the node of the pattern; NULL for ge_graph_decompose */
    uint64_t nodes_count;                        /* entries of nodes and of pattern_nodes */
    const ge_value_id* GE_NULLABLE captures;     /* counterparts of the pattern's captures */
    uint64_t captures_count;
    const ge_boundary* GE_NULLABLE boundary;     /* the region to replace */
} ge_match;

/**
 * Looks at one match and says what shall take its place. Called on the thread of the call that searches, never at the same time as
 * itself.
 *
 * @param user_data        in, nullable, kept until destroy: the pointer of the triple
 * @param found            in, borrowed: the match
 * @param out_replacement  out, owned: by the library from now on; inputs and outputs as the boundary has them; NULL leaves the
 *                         place as it is
 * @return GE_OK, or a status that stops the call
 * @thread exclusive  @blocks no  @calls_back allowed; the graph may be read, not changed
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_rewrite_fn)(void* GE_NULLABLE user_data, const ge_match* GE_NONNULL found,
    ge_graph* GE_NULLABLE* GE_NONNULL out_replacement);

/**
 * Sets a pass to defaults.
 *
 * @param pass_def       out, borrowed: filled
 * @param pass_def_size  in: sizeof *pass_def
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_pass_def_init(ge_pass_def* GE_NONNULL pass_def, size_t pass_def_size) GE_NOEXCEPT;

/**
 * Sets a pattern to defaults.
 *
 * @param pattern       out, borrowed: filled
 * @param pattern_size  in: sizeof *pattern
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_pattern_init(ge_pattern* GE_NONNULL pattern, size_t pattern_size) GE_NOEXCEPT;

/**
 * Sets a boundary to defaults.
 *
 * @param boundary       out, borrowed: filled
 * @param boundary_size  in: sizeof *boundary
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_boundary_init(ge_boundary* GE_NONNULL boundary, size_t boundary_size) GE_NOEXCEPT;

/**
 * Registers a pass.
 *
 * @param context           in, nullable, borrowed: the context
 * @param pass_def          in, copied: the pass
 * @param out_registration  out, owned: ge_registration_destroy
 * @thread free  @blocks no  @calls_back destroy, on failure
 * @errors usual, GE_ERR_ALREADY_EXISTS
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_pass_register(const ge_context* GE_NULLABLE context, const ge_pass_def* GE_NONNULL pass_def,
    ge_registration* GE_NULLABLE* GE_NONNULL out_registration) GE_NOEXCEPT;

/**
 * Takes back what was registered. No call of its callbacks begins after this returns, except for models that use it: for them,
 * and for the end of user data, the last such model counts.
 *
 * @param registration  in, nullable, owned: ends here
 * @thread free  @blocks until running calls return, unless called inside one  @calls_back destroy of the definition
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_registration_destroy(ge_registration* GE_NULLABLE registration) GE_NOEXCEPT;

/**
 * Lists the passes of a context, in the order they run.
 *
 * @param context      in, nullable, borrowed: the context
 * @param infos        out, nullable, borrowed: one entry per pass
 * @param infos_count  in: entries of infos
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @param out_count    out, borrowed: number of entries
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_context_get_pass_infos(const ge_context* GE_NULLABLE context, ge_pass_info* GE_NULLABLE infos,
    size_t infos_count, size_t info_size, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Checks that a graph can serve as a pattern: flat, no control edges, no dynamic ports, no cycle, an output, captures inside it.
 *
 * @param pattern  in, borrowed: the pattern
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_BAD_GRAPH
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_pattern_check(const ge_pattern* GE_NONNULL pattern) GE_NOEXCEPT;

/**
 * Finds every place a pattern matches, asks what to put there, and does it. Places are treated one after another; one that
 * overlaps a replaced place, or would make a cycle, is passed over.
 *
 * @param graph      in, borrowed: changed
 * @param pattern    in, borrowed: what to look for
 * @param rewrite    in, borrowed: asked for each match
 * @param user_data  in, nullable, kept until destroy: passed to the callback
 * @param destroy    in, nullable, borrowed: called once before the call returns
 * @param out_count  out, borrowed: places replaced
 * @thread exclusive  @blocks no  @calls_back rewrite, destroy
 * @errors usual, GE_ERR_BAD_GRAPH, what rewrite returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_rewrite(ge_graph* GE_NONNULL graph, const ge_pattern* GE_NONNULL pattern,
    ge_rewrite_fn GE_NONNULL rewrite, void* GE_NULLABLE user_data, ge_destroy_fn GE_NULLABLE destroy,
    size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Visits every direct node of the operator types named, asks what to put in its place, and does it. Connected inputs fed by one
 * value share one input of the replacement.
 *
 * @param graph           in, borrowed: changed
 * @param op_types        in, borrowed: zero-terminated operator types
 * @param op_types_count  in: entries of op_types
 * @param rewrite         in, borrowed: asked for each node
 * @param user_data       in, nullable, kept until destroy: passed to the callback
 * @param destroy         in, nullable, borrowed: called once before the call returns
 * @thread exclusive  @blocks no  @calls_back rewrite, destroy
 * @errors usual, GE_ERR_BAD_GRAPH, what rewrite returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_decompose(ge_graph* GE_NONNULL graph, const char* GE_NONNULL const* GE_NONNULL op_types,
    size_t op_types_count, ge_rewrite_fn GE_NONNULL rewrite, void* GE_NULLABLE user_data,
    ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/**
 * Replaces a region by a copy of a graph. New nodes get unique names and inherit control edges and scheduling attributes; nodes of
 * the region without further users go.
 *
 * @param graph        in, borrowed: changed
 * @param boundary     in, borrowed: the region
 * @param replacement  in, copied: inputs and outputs as the boundary has them
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_BAD_GRAPH when counts differ or a cycle would come about
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_replace_region(ge_graph* GE_NONNULL graph, const ge_boundary* GE_NONNULL boundary,
    const ge_graph* GE_NONNULL replacement) GE_NOEXCEPT;

/**
 * Gives the inputs of a replacement the shapes, types and known contents of a region, and infers the rest of it.
 *
 * @param graph        in, borrowed: the graph
 * @param boundary     in, borrowed: the region
 * @param replacement  in, borrowed: changed
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_BAD_GRAPH, GE_ERR_INFER
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_infer_replacement(const ge_graph* GE_NONNULL graph, const ge_boundary* GE_NONNULL boundary,
    ge_graph* GE_NONNULL replacement) GE_NOEXCEPT;

/**
 * Asks whether nodes may become one, and why not: other graphs, stream labels, scopes, a cycle.
 *
 * @param graph        in, borrowed: the graph
 * @param nodes        in, nullable, borrowed: the nodes
 * @param nodes_count  in: entries of nodes
 * @param buffer       out, nullable, borrowed: receives the text
 * @param buffer_size  in: bytes of buffer
 * @param out_size     out, borrowed: full size of the reason; 0: they may
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_query_fusion(const ge_graph* GE_NONNULL graph, const ge_node_id* GE_NULLABLE nodes,
    size_t nodes_count, char* GE_NULLABLE buffer, size_t buffer_size, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Notes for the reports which nodes became which; for use inside a pass that edits by hand, before the old nodes go.
 *
 * @param graph         in, borrowed: changed
 * @param before        in, nullable, copied: the old nodes
 * @param before_count  in: entries of before
 * @param after         in, nullable, copied: the new nodes
 * @param after_count   in: entries of after
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE outside a pass
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_report_fusion(ge_graph* GE_NONNULL graph, const ge_node_id* GE_NULLABLE before,
    size_t before_count, const ge_node_id* GE_NULLABLE after, size_t after_count) GE_NOEXCEPT;

/* ---- Operators from outside --------------------------------------------------------------------------------------------- */

/*
 * An operator is a definition (names, ports, attributes, types: the JSON of one entry of the catalogue) with a shape rule and a
 * kernel. Each part may be registered alone, later parts join the operator of that name.
 */

/**
 * Infers the outputs of a node: reads descs, attributes and ge_tensor_create_from_known, sets the descs of its outputs. Called on
 * the thread that infers; other threads may call it at the same time.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param graph      in, borrowed: only descs of the node's outputs may be changed
 * @param node       in: the node
 * @return GE_OK, or why it cannot be inferred
 * @thread free  @blocks no  @calls_back allowed, on the graph and on objects the caller does not use
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_infer_fn)(void* GE_NULLABLE user_data, ge_graph* GE_NONNULL graph, ge_node_id node);

/**
 * Computes the outputs of a node. Called by the thread that runs it; other threads may call it at the same time.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param launch     in, borrowed: inputs, outputs, attributes
 * @return GE_OK; else the run ends with that status
 * @thread free  @blocks no  @calls_back allowed, on the launch and on objects the run does not use
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_kernel_fn)(void* GE_NULLABLE user_data, ge_launch* GE_NONNULL launch);

typedef uint64_t ge_operator_flags;
enum {
    GE_OPERATOR_PURE = 1,    /* bit 0: same inputs, same outputs, no effects: may be folded and merged */
    GE_OPERATOR_IN_PLACE = 2 /* bit 1: output i may lie in the memory of input i */
};

/* An operator, or a part of one, to register. */
typedef struct ge_operator_def {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_operator_flags flags;
    const char* GE_NULLABLE op_type;     /* copied: its name */
    uint64_t op_type_size;               /* bytes of op_type, or GE_NTS */
    const char* GE_NULLABLE definition;  /* copied: JSON; NULL: the operator is defined elsewhere */
    uint64_t definition_size;            /* bytes of definition, or GE_NTS */
    ge_infer_fn GE_NULLABLE infer;       /* kept until destroy; NULL: none, descs are set by hand */
    ge_kernel_fn GE_NULLABLE kernel;     /* kept until destroy; NULL: none */
    ge_kernel_fn GE_NULLABLE declare;    /* kept until destroy; instead of kernel: states device launches once, ge_launch_enqueue */
    void* GE_NULLABLE user_data;         /* kept until destroy: passed to all three */
    ge_destroy_fn GE_NULLABLE destroy;   /* kept until called */
} ge_operator_def;
#define GE_OPERATOR_DEF_INIT {sizeof(ge_operator_def), 0, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL}

/* A kernel for a device. */
typedef struct ge_device_kernel {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE name;      /* copied */
    uint64_t name_size;                /* bytes of name, or GE_NTS */
    const uint8_t* GE_NULLABLE binary; /* copied */
    uint64_t binary_size;
    uint32_t block_dim;                /* at least 1 */
    int32_t stream_id;                 /* as ge_launch_get_stream gives */
} ge_device_kernel;
#define GE_DEVICE_KERNEL_INIT {sizeof(ge_device_kernel), 0, NULL, 0, NULL, 0, 1, 0}

/* What an argument of a device kernel is; its value beside it is an index, or the number itself. */
typedef int32_t ge_argument_kind;
enum {
    GE_ARGUMENT_INPUT = 1,   /* address of an input, by index over all inputs */
    GE_ARGUMENT_OUTPUT = 2,  /* address of an output, by index over all outputs */
    GE_ARGUMENT_SCRATCH = 3, /* address of a work area, by its index */
    GE_ARGUMENT_SCALAR = 4   /* 64 bits as they are */
};

/**
 * Sets an operator to defaults.
 *
 * @param operator_def       out, borrowed: filled
 * @param operator_def_size  in: sizeof *operator_def
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operator_def_init(ge_operator_def* GE_NONNULL operator_def, size_t operator_def_size) GE_NOEXCEPT;

/**
 * Sets a device kernel to defaults.
 *
 * @param kernel       out, borrowed: filled
 * @param kernel_size  in: sizeof *kernel
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_device_kernel_init(ge_device_kernel* GE_NONNULL kernel, size_t kernel_size) GE_NOEXCEPT;

/**
 * Registers an operator, or the parts of one that its definition has.
 *
 * @param context           in, nullable, borrowed: the context
 * @param operator_def      in, copied: the operator
 * @param out_registration  out, owned: ge_registration_destroy
 * @thread free  @blocks no  @calls_back destroy, on failure
 * @errors usual, GE_ERR_ALREADY_EXISTS, GE_ERR_MALFORMED, GE_ERR_NOT_FOUND for a part without an operator
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operator_register(const ge_context* GE_NULLABLE context,
    const ge_operator_def* GE_NONNULL operator_def, ge_registration* GE_NULLABLE* GE_NONNULL out_registration) GE_NOEXCEPT;

/**
 * Gives the definition of an operator of the catalogue or from outside.
 *
 * @param context       in, nullable, borrowed: the context
 * @param op_type       in, borrowed: its name
 * @param op_type_size  in: bytes of op_type, or GE_NTS
 * @param buffer        out, nullable, borrowed: receives the text
 * @param buffer_size   in: bytes of buffer
 * @param out_size      out, borrowed: full size of the text
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNSUPPORTED_OPERATOR
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operator_get_definition(const ge_context* GE_NULLABLE context, const char* GE_NONNULL op_type,
    size_t op_type_size, char* GE_NULLABLE buffer, size_t buffer_size, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Lists the names of all operators, one a line, sorted.
 *
 * @param context      in, nullable, borrowed: the context
 * @param buffer       out, nullable, borrowed: receives the text
 * @param buffer_size  in: bytes of buffer
 * @param out_size     out, borrowed: full size of the text
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operator_get_names(const ge_context* GE_NULLABLE context, char* GE_NULLABLE buffer,
    size_t buffer_size, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Gives the node a launch is for, to read attributes and descs.
 *
 * @param launch     in, borrowed: the launch
 * @param out_graph  out, borrowed until the kernel returns: the graph, read only; declared attributes of the node are all present,
 *                   in order, first
 * @param out_node   out, borrowed: the node
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_get_node(const ge_launch* GE_NONNULL launch, ge_graph* GE_NULLABLE* GE_NONNULL out_graph,
    ge_node_id* GE_NONNULL out_node) GE_NOEXCEPT;

/**
 * Tells which tensors belong to a declared port.
 *
 * @param launch     in, borrowed: the launch
 * @param direction  in: inputs or outputs
 * @param port       in: position of the port in the definition
 * @param out_first  out, borrowed: index of its first tensor
 * @param out_count  out, borrowed: number of tensors; 0 for an absent optional one
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_get_port_range(const ge_launch* GE_NONNULL launch, ge_direction direction, uint32_t port,
    size_t* GE_NONNULL out_first, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Gives an input, or an output whose memory is there already.
 *
 * @param launch      in, borrowed: the launch
 * @param direction   in: input or output
 * @param index       in: over all tensors of that direction
 * @param out_tensor  out, borrowed until the kernel returns: inputs are read only
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_WRONG_STATE for an output without memory yet
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_get_tensor(const ge_launch* GE_NONNULL launch, ge_direction direction, size_t index,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Gives an output memory, with a shape only the kernel knew.
 *
 * @param launch      in, borrowed: the launch
 * @param index       in: the output
 * @param desc        in, copied: every dim known
 * @param out_tensor  out, borrowed until the kernel returns: the output
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE, GE_ERR_WRONG_STATE when it has some
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_allocate_output(ge_launch* GE_NONNULL launch, size_t index,
    const ge_tensor_desc* GE_NONNULL desc, ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Lets an output share the memory of an input.
 *
 * @param launch        in, borrowed: the launch
 * @param output_index  in: the output
 * @param input_index   in: the input
 * @param out_tensor    out, borrowed until the kernel returns: the output
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_WRONG_STATE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_share_output(ge_launch* GE_NONNULL launch, size_t output_index, size_t input_index,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Gives a work area, in the placement of the run.
 *
 * @param launch     in, borrowed: the launch
 * @param bytes      in: its size, not 0
 * @param out_data   out, borrowed until the kernel returns: the memory; an address of the device on a device
 * @param out_index  out, nullable, borrowed: its index among the work areas
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_INVALID_ARGUMENT for 0 bytes
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_allocate_scratch(ge_launch* GE_NONNULL launch, size_t bytes,
    uint8_t* GE_NULLABLE* GE_NONNULL out_data, uint64_t* GE_NULLABLE out_index) GE_NOEXCEPT;

/**
 * Tells where a launch runs.
 *
 * @param launch         in, borrowed: the launch
 * @param out_native     out, nullable, borrowed: the stream as a number
 * @param out_stream_id  out, nullable, borrowed: its number in the plan
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_get_stream(const ge_launch* GE_NONNULL launch, uint64_t* GE_NULLABLE out_native,
    int32_t* GE_NULLABLE out_stream_id) GE_NOEXCEPT;

/**
 * Tells a long kernel whether to stop: to be asked every few milliseconds.
 *
 * @param launch  in, borrowed: the launch
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_CANCELLED, GE_ERR_DEADLINE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_check(const ge_launch* GE_NONNULL launch) GE_NOEXCEPT;

/**
 * Does one part of a kernel. Called from several threads at the same time.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param part       in: from 0
 * @return GE_OK, or a status that stops the call
 * @thread free  @blocks no  @calls_back no, except ge_launch_check
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_part_fn)(void* GE_NULLABLE user_data, size_t part);

/**
 * Spreads the parts of a kernel over the threads of the run, and waits for them.
 *
 * @param launch       in, borrowed: the launch
 * @param parts_count  in: number of parts
 * @param part         in, borrowed: called once per part
 * @param user_data    in, nullable, kept until destroy: passed to the callback
 * @param destroy      in, nullable, borrowed: called once before the call returns
 * @thread exclusive  @blocks until all parts are done  @calls_back part, destroy
 * @errors usual, what part returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_run_parts(ge_launch* GE_NONNULL launch, size_t parts_count, ge_part_fn GE_NONNULL part,
    void* GE_NULLABLE user_data, ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/**
 * States one launch of a device kernel; the engine makes it, in each run, without a call back.
 *
 * @param launch        in, borrowed: the launch
 * @param kernel        in, copied: the kernel
 * @param kinds         in, nullable, copied: what each argument is
 * @param kinds_count   in: entries of kinds
 * @param values        in, nullable, copied: the value of each argument
 * @param values_count  in: kinds_count
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_WRONG_STATE, GE_ERR_NO_DEVICE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_launch_enqueue(ge_launch* GE_NONNULL launch, const ge_device_kernel* GE_NONNULL kernel,
    const ge_argument_kind* GE_NULLABLE kinds, size_t kinds_count, const uint64_t* GE_NULLABLE values,
    size_t values_count) GE_NOEXCEPT;

/* ---- Mappings of foreign operators -------------------------------------------------------------------------------------- */

/**
 * Turns a node of a foreign model into the operator begun on a builder: sets attributes and declares ports; inputs are connected in
 * order afterwards, and the operator is ended by the library.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param source     in, borrowed: holds the foreign node; its attributes have the names of the model
 * @param node       in: the foreign node
 * @param target     in, borrowed: the operator is begun
 * @return GE_OK, or a status that stops the call
 * @thread exclusive  @blocks no  @calls_back allowed: reading source, ge_builder_set_attr_*, ge_builder_declare_port
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_mapping_fn)(void* GE_NULLABLE user_data, const ge_graph* GE_NONNULL source, ge_node_id node,
    ge_builder* GE_NONNULL target);

/* A mapping to register. */
typedef struct ge_mapping_def {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_file_format format;                 /* whose operator: GE_FILE_ONNX or GE_FILE_TF */
    uint32_t reserved_0;
    const char* GE_NULLABLE source;        /* copied: operator type there */
    uint64_t source_size;                  /* bytes of source, or GE_NTS */
    const char* GE_NULLABLE domain;        /* copied: its domain */
    uint64_t domain_size;                  /* bytes of domain, or GE_NTS */
    const int64_t* GE_NULLABLE opsets;     /* copied: operator set versions */
    uint64_t opsets_count;
    const char* GE_NULLABLE target;        /* copied: operator type here */
    uint64_t target_size;                  /* bytes of target, or GE_NTS */
    ge_mapping_fn GE_NULLABLE convert;     /* kept until destroy */
    void* GE_NULLABLE user_data;           /* kept until destroy */
    ge_destroy_fn GE_NULLABLE destroy;     /* kept until called */
} ge_mapping_def;
#define GE_MAPPING_DEF_INIT {sizeof(ge_mapping_def), 0, GE_FILE_ONNX, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL}

/**
 * Sets a mapping to defaults.
 *
 * @param mapping_def       out, borrowed: filled
 * @param mapping_def_size  in: sizeof *mapping_def
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_mapping_def_init(ge_mapping_def* GE_NONNULL mapping_def, size_t mapping_def_size) GE_NOEXCEPT;

/**
 * Registers a mapping. It wins over one that comes with the library.
 *
 * @param context           in, nullable, borrowed: the context
 * @param mapping_def       in, copied: the mapping
 * @param out_registration  out, owned: ge_registration_destroy
 * @thread free  @blocks no  @calls_back destroy, on failure
 * @errors usual, GE_ERR_ALREADY_EXISTS when another registration maps one of the versions
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_mapping_register(const ge_context* GE_NULLABLE context,
    const ge_mapping_def* GE_NONNULL mapping_def, ge_registration* GE_NULLABLE* GE_NONNULL out_registration) GE_NOEXCEPT;

#if defined(__cplusplus) && !defined(SWIG)
}
#endif

#if defined(__clang__) && !defined(SWIG) && !defined(GE_NO_NULLABILITY)
#pragma clang diagnostic pop
#endif

#endif /* GE_PLANNED_H */
