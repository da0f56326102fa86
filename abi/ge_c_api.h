/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libge: compile and run computation graphs. The only stable public header.
 *
 * READING THIS HEADER
 *
 * Every function has one comment block. Its fields are always the same:
 *   @param       direction (in, out), ownership word, meaning. "nullable" where NULL is allowed.
 *   @return      what is returned, when it is not a ge_status.
 *   @thread      free: any thread, any time. const: together with other const calls on the same object.
 *                exclusive: the caller serialises calls on the object.
 *   @blocks      whether it may wait for other threads, files or long work.
 *   @calls_back  which callbacks it may call, on the calling thread unless said otherwise.
 *   @errors      "usual" plus what is special to the function.
 *   @since       first version; @deprecated the version from which it is deprecated, or no.
 *
 * Ownership words, exactly one for every pointer:
 *   owned             the caller passes it to the named destroy function, once
 *   shared            counted; the caller holds one count and releases it
 *   borrowed          used until the call returns; "borrowed until X": valid until X
 *   copied            the library copies before it returns
 *   kept until X      the library keeps the caller's pointer until X
 *   static            valid for the life of the process
 *
 * The usual errors: GE_ERR_NULL_ARGUMENT (a GE_NONNULL pointer is NULL; a NULL array with a count), GE_ERR_BAD_HANDLE,
 * GE_ERR_FORKED, GE_ERR_OUT_OF_MEMORY, GE_ERR_INTERNAL; with structs GE_ERR_INVALID_STRUCT_SIZE, GE_ERR_UNSUPPORTED_FIELD and
 * GE_ERR_INVALID_FLAG; with text GE_ERR_INVALID_UTF8; with buffers GE_ERR_BUFFER_TOO_SMALL; with ids GE_ERR_BAD_ID; with
 * constants GE_ERR_INVALID_ARGUMENT for an unknown value. A failing call leaves a record on its thread: ge_error_take.
 * On failure nothing needs cleanup: outputs are zero or NULL, structs and the entries of arrays the call makes among them, and a
 * text buffer holds the empty text. A caller's array that receives a list is left as it was. When a buffer or array is too small,
 * the wanted size is reported all the same. A size that no struct has is not written to.
 *
 * Text is UTF-8 in two parameters, pointer and size in bytes; GE_NTS as size means zero-terminated. Paths are byte strings.
 * Text and arrays come out through a caller buffer: a NULL buffer of size 0 asks for the full size only. Text sizes are without
 * the zero byte at the end, for which a buffer needs one byte more. A buffer that is too small receives as many whole characters
 * as fit, and a zero byte. Borrowed text is zero-terminated; names and messages hold no other zero byte.
 *
 * Structs start with struct_size; the matching init macro or init function sets it and every default. reserved_flags is zero.
 * Structs that only the library fills come back with struct_size set to the bytes written; the caller passes sizeof.
 *
 * Handles are checked: unusable ones give a status of class GE_CLASS_HANDLE, never a crash; "GE_ERR_BAD_HANDLE" below stands for
 * its GE_ERR_HANDLE_* details. Handles may be destroyed in any order and during use; destroying NULL does nothing. const on a
 * handle means: may run together with other const calls. Nodes, ports, attributes and subgraphs are uint64_t ids, checked against
 * the graph they are passed with; 0 is no id.
 *
 * Callbacks are triples: function, user data, destroy. destroy (nullable) runs once, after the last call of the function, also
 * when the call that received the triple fails. A callback returning anything but GE_OK stops the work, and that status comes
 * out unchanged (unknown classes become GE_ERR_CALLBACK). No lock is held during a callback. Nothing may unwind out of one.
 *
 * The log sink may be called by every function that takes or makes an object of a context.
 * Constants are never renumbered; treat values you do not know as "other".
 */
#ifndef GE_C_API_H
#define GE_C_API_H

#include <stddef.h>
#include <stdint.h>

#if defined(SWIG)
#define GE_API
#define GE_NODISCARD
#elif defined(__GNUC__)
#define GE_API __attribute__((visibility("default")))
#define GE_NODISCARD __attribute__((warn_unused_result))
#else
#define GE_API
#define GE_NODISCARD
#endif

/* Define GE_NO_NULLABILITY to pass NULL on purpose, as tests of misuse do. */
#if defined(__clang__) && !defined(SWIG) && !defined(GE_NO_NULLABILITY)
#define GE_NONNULL _Nonnull
#define GE_NULLABLE _Nullable
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#else
#define GE_NONNULL
#define GE_NULLABLE
#endif

#if defined(__cplusplus) && !defined(SWIG)
#define GE_NOEXCEPT noexcept
#else
#define GE_NOEXCEPT
#endif

#if defined(__cplusplus) && !defined(SWIG)
extern "C" {
#endif

/* The version of this header, and the number that grows with every change of the ABI. */
#define GE_HEADER_MAJOR 0
#define GE_HEADER_MINOR 1
#define GE_HEADER_PATCH 0
#define GE_HEADER_ABI 1

/* Size of a text that ends with a zero byte. */
#define GE_NTS SIZE_MAX

/* ---- Status -------------------------------------------------------------------------------------------------------------- */

/* 0 is success. The high 16 bits are a GE_CLASS_* value, the low 16 bits tell the case. */
typedef int32_t ge_status;

/* Classes of failure: status >> 16. Frozen; map a status you do not know by its class. */
enum {
    GE_CLASS_ARGUMENT = 1,    /* the caller passed something wrong */
    GE_CLASS_HANDLE = 2,      /* a handle or id does not name a live object */
    GE_CLASS_STATE = 3,       /* right call, wrong time */
    GE_CLASS_RESOURCE = 4,    /* memory, files, threads, limits */
    GE_CLASS_UNSUPPORTED = 5, /* valid, but this build cannot do it */
    GE_CLASS_MODEL = 6,       /* a model file or graph is not valid */
    GE_CLASS_COMPILE = 7,     /* a valid graph could not be compiled */
    GE_CLASS_DEVICE = 8,      /* execution failed */
    GE_CLASS_CANCELLED = 9,   /* ended early on request */
    GE_CLASS_INTERNAL = 10,   /* a defect of the library */
    GE_CLASS_CALLBACK = 11    /* a callback of the caller failed; the low 16 bits are the caller's */
};

enum {
    GE_OK = 0, /* Success. */

    GE_ERR_NULL_ARGUMENT = 0x00010001,       /* A pointer that must not be NULL is NULL. */
    GE_ERR_INVALID_ARGUMENT = 0x00010002,    /* A value is not one of those allowed. */
    GE_ERR_INVALID_STRUCT_SIZE = 0x00010003, /* A struct size is below that of the first version or above 4096. */
    GE_ERR_INVALID_FLAG = 0x00010004,        /* A flag bit or reserved field that must be zero is set. */
    GE_ERR_INVALID_UTF8 = 0x00010005,        /* Text is not valid UTF-8 or lacks its terminator. */
    GE_ERR_BUFFER_TOO_SMALL = 0x00010006,    /* The caller's buffer cannot hold the result; the wanted size is reported. */
    GE_ERR_OUT_OF_RANGE = 0x00010007,        /* An index or number lies outside its range. */
    GE_ERR_SHAPE = 0x00010008,               /* A shape does not fit what is wanted. */
    GE_ERR_RANK = 0x00010009,                /* A rank is above 8 or does not fit. */
    GE_ERR_DTYPE = 0x0001000A,               /* A data type does not fit what is wanted. */
    GE_ERR_SIZE = 0x0001000B,                /* A byte size overflows or does not fit shape, strides and data type. */
    GE_ERR_ALIGNMENT = 0x0001000C,           /* Memory is not aligned to its element size. */
    GE_ERR_OVERLAP = 0x0001000D,             /* Memory of an output overlaps another output or an input. */
    GE_ERR_NOT_FOUND = 0x0001000E,           /* No object of that name exists. */
    GE_ERR_ALREADY_EXISTS = 0x0001000F,      /* The name or place is taken. */
    GE_ERR_WRONG_KIND = 0x00010010,          /* The object is of another kind than the call needs. */
    GE_ERR_READ_ONLY = 0x00010011,           /* The object or memory may not be written. */
    GE_ERR_UNKNOWN_OPTION = 0x00010012,      /* No option has that key; the record names the nearest one. */
    GE_ERR_OPTION_VALUE = 0x00010013,        /* An option does not accept that value. */

    GE_ERR_BAD_HANDLE = 0x00020000,          /* A handle cannot be used, for one of the six reasons below. */
    GE_ERR_HANDLE_NULL = 0x00020001,         /* A handle is NULL where one is needed. */
    GE_ERR_HANDLE_FOREIGN = 0x00020002,      /* A handle was not made by this copy of the library. */
    GE_ERR_HANDLE_STALE = 0x00020003,        /* A handle names an object that was destroyed. */
    GE_ERR_HANDLE_WRONG_KIND = 0x00020004,   /* A handle names an object of another kind. */
    GE_ERR_HANDLE_CLOSED = 0x00020005,       /* A handle was destroyed while calls on it still run. */
    GE_ERR_HANDLE_OTHER_CONTEXT = 0x00020006, /* A handle belongs to another context than its companions. */
    GE_ERR_BAD_ID = 0x00020007,              /* An id does not name a live node, port, attribute or subgraph of this graph. */
    GE_ERR_FORKED = 0x00020008,              /* A handle was made before a fork and cannot be used in the child. */

    GE_ERR_WRONG_STATE = 0x00030001, /* The object is not in the state the call needs. */
    GE_ERR_NOT_BOUND = 0x00030002,   /* An input of a binding has no value. */
    GE_ERR_REENTRANT = 0x00030003,   /* The call is not allowed inside this callback. */

    GE_ERR_OUT_OF_MEMORY = 0x00040001, /* Memory could not be allocated. */
    GE_ERR_LIMIT = 0x00040002,         /* A limit of the context was reached. */
    GE_ERR_FILE = 0x00040003,          /* A file could not be opened, read, mapped or written. */
    GE_ERR_THREAD = 0x00040004,        /* A thread could not be started. */

    GE_ERR_UNSUPPORTED_FIELD = 0x00050001,    /* A struct field beyond those this library knows is set. */
    GE_ERR_UNSUPPORTED_VERSION = 0x00050002,  /* A header, file or exchange version is not supported. */
    GE_ERR_UNSUPPORTED_FORMAT = 0x00050003,   /* A dump or file format is not supported here. */
    GE_ERR_UNSUPPORTED_OPERATOR = 0x00050004, /* No such operator is known, or not in this operator set version. */
    GE_ERR_UNSUPPORTED_ATTR = 0x00050005,     /* An operator is known but not with this attribute value. */
    GE_ERR_UNSUPPORTED_DTYPE = 0x00050006,    /* A data type is known but not supported here. */
    GE_ERR_UNSUPPORTED = 0x00050007,          /* What is asked for is valid but not implemented. */

    GE_ERR_MALFORMED = 0x00060001,     /* The bytes of a model do not follow its format; the record holds the offset. */
    GE_ERR_TRUNCATED = 0x00060002,     /* A model ends before its content does. */
    GE_ERR_BAD_GRAPH = 0x00060003,     /* A graph is not valid: cycle, unknown name, missing or surplus input or output. */
    GE_ERR_BAD_ATTR = 0x00060004,      /* An attribute of a node is missing, of a wrong kind or out of its range. */
    GE_ERR_EXTERNAL_DATA = 0x00060005, /* Tensor data outside the model file is missing or lies outside the allowed folder. */

    GE_ERR_INFER = 0x00070001,     /* Shapes or data types of a node could not be inferred. */
    GE_ERR_NO_KERNEL = 0x00070002, /* No kernel accepts a node; the record holds the reasons. */
    GE_ERR_PASS = 0x00070003,      /* A pass failed or left an invalid graph. */
    GE_ERR_PLAN = 0x00070004,      /* A plan could not be made. */

    GE_ERR_EXECUTION = 0x00080001, /* A step failed while running; the record names its node. */
    GE_ERR_NO_DEVICE = 0x00080002, /* The device asked for is not there. */

    GE_ERR_CANCELLED = 0x00090001, /* The work was cancelled. */
    GE_ERR_DEADLINE = 0x00090002,  /* The deadline passed before the work ended. */
    GE_ERR_TIMEOUT = 0x00090003,   /* A wait ended before what it waited for. */

    GE_ERR_INTERNAL = 0x000A0001, /* The library found a defect of its own. */

    GE_ERR_CALLBACK = 0x000B0000 /* A callback failed; add a code of your own in the low 16 bits. */
};

/* ---- Handles, ids, small types ------------------------------------------------------------------------------------------- */

typedef struct ge_context ge_context; /* registries, limits, log sink; NULL where nullable means the process default */
typedef struct ge_options ge_options; /* settings by key */
typedef struct ge_tensor ge_tensor;   /* shape, data type, bytes */
typedef struct ge_value ge_value;     /* what a run takes and gives: a tensor or a container */
typedef struct ge_graph ge_graph;     /* nodes and edges; also a view of a subgraph */
typedef struct ge_builder ge_builder; /* adds operators to a graph */
typedef struct ge_model ge_model;     /* compiled, immutable, shared by threads */
typedef struct ge_state ge_state;     /* what lives between runs: variables */
typedef struct ge_binding ge_binding; /* inputs and outputs bound once, run many times */
typedef struct ge_error ge_error;     /* immutable record of a failure */
typedef struct ge_operation ge_operation; /* one asynchronous run */
typedef struct ge_queue ge_queue;         /* where completions arrive */
typedef struct ge_stream ge_stream;       /* runs in order */
typedef struct ge_event ge_event;         /* a point on a stream */

/* DLPack's managed tensors, declared by us so that no header of theirs is needed. Cast to and from theirs. */
typedef struct ge_dlpack ge_dlpack;               /* the versioned struct of DLPack 1.x */
typedef struct ge_dlpack_legacy ge_dlpack_legacy; /* the struct without version and flags */

typedef uint64_t ge_node_id;     /* a node of a graph */
typedef uint64_t ge_port_id;     /* an input or output of a node */
typedef uint64_t ge_value_id;    /* an output port: a value inside a graph. Every value id is a port id. */
typedef uint64_t ge_owner_id;    /* owner of attributes: a node id, a port id, or 0 for the graph itself */
typedef uint64_t ge_attr_id;     /* an attribute of an owner */
typedef uint64_t ge_subgraph_id; /* a graph attached to a node */

typedef void (*ge_proc)(void); /* any function; cast to its declared type before the call */

/**
 * Ends the use of a callback's user data. Called once, from any thread, never at the same time as its callback.
 *
 * @param user_data  in, nullable, kept until this call: the pointer of the triple; this call is its last use
 * @thread free  @blocks no  @calls_back allowed
 * @errors none
 * @since 1.0  @deprecated no
 */
typedef void (*ge_destroy_fn)(void* GE_NULLABLE user_data);

/* ---- Version and features ------------------------------------------------------------------------------------------------ */

/**
 * Tells the version of the library.
 *
 * @param out_major  out, nullable, borrowed: major version
 * @param out_minor  out, nullable, borrowed: minor version
 * @param out_patch  out, nullable, borrowed: patch version
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API void ge_get_version(uint32_t* GE_NULLABLE out_major, uint32_t* GE_NULLABLE out_minor,
    uint32_t* GE_NULLABLE out_patch) GE_NOEXCEPT;

/**
 * Tells the ABI number of the library; it grows with every addition.
 *
 * @return the number, comparable with GE_HEADER_ABI
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API uint32_t ge_get_abi_version(void) GE_NOEXCEPT;

/**
 * Describes the build: version, commit, compiler, flags, instruction sets in use.
 *
 * @return static: one line of text
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API const char* GE_NONNULL ge_get_build_info(void) GE_NOEXCEPT;

/**
 * Asks whether this build has a feature. Names: "onnx", "avx2", "avx512", "dlpack", "fault_injection".
 *
 * @param name       in, borrowed: the feature
 * @param name_size  in: bytes of name, or GE_NTS
 * @return 1 when present, else 0, also for unknown names
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API int32_t ge_has_feature(const char* GE_NONNULL name, size_t name_size) GE_NOEXCEPT;

/**
 * Finds a public function by name, for clients that also run on older libraries.
 *
 * @param name       in, borrowed: e.g. "ge_graph_create"
 * @param name_size  in: bytes of name, or GE_NTS
 * @return static: the function, or NULL when this library lacks it
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API ge_proc GE_NULLABLE ge_get_proc(const char* GE_NONNULL name, size_t name_size) GE_NOEXCEPT;

/**
 * Checks that a client compiled against some header may use this library. SDKs call it once at load.
 *
 * @param header_abi    in: GE_HEADER_ABI of the client
 * @param header_major  in: GE_HEADER_MAJOR of the client
 * @param pointer_size  in: sizeof(void*) of the client
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_UNSUPPORTED_VERSION: the message names both versions
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_check_header(uint32_t header_abi, uint32_t header_major, uint32_t pointer_size) GE_NOEXCEPT;

/* ---- Errors -------------------------------------------------------------------------------------------------------------- */

/* Everything a record holds. Text is borrowed until ge_error_release and empty, never NULL, where nothing is known. */
typedef struct ge_error_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_status status;
    int32_t argument_index;  /* position of the wrong argument from 0, or -1 */
    int32_t line;            /* line of the library source that failed, or 0 */
    uint32_t details_count;  /* for ge_error_get_detail */
    uint32_t causes_count;   /* for ge_error_get_cause */
    uint32_t reserved_0;
    uint64_t sequence;       /* grows with every failing call of the thread */
    const char* GE_NULLABLE message;       /* what was wrong, one line */
    const char* GE_NULLABLE function_name; /* the public function that failed */
    const char* GE_NULLABLE file;          /* library source file */
    const char* GE_NULLABLE argument;      /* name of the wrong argument or field */
    const char* GE_NULLABLE node;          /* name of the node concerned */
    const char* GE_NULLABLE found;         /* the value found */
    const char* GE_NULLABLE wanted;        /* the value wanted */
} ge_error_info;

/**
 * Names a status.
 *
 * @param status  in: any status
 * @return static: the name of its constant; "GE_ERR_CALLBACK" for that whole class; "GE_ERR_UNKNOWN" for others
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API const char* GE_NONNULL ge_status_name(ge_status status) GE_NOEXCEPT;

/**
 * Moves the record of the last failing call of this thread into an object. Cannot fail: when memory is short, the object is
 * one the library keeps for that case. Successful calls do not touch the record.
 *
 * @param out_error  out, shared: ge_error_release; NULL when there is no record
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API void ge_error_take(ge_error* GE_NULLABLE* GE_NONNULL out_error) GE_NOEXCEPT;

/**
 * Adds a count to an error.
 *
 * @param error  in, shared: the caller holds one count more
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_LIMIT (more than 16 million counts)
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_error_acquire(const ge_error* GE_NONNULL error) GE_NOEXCEPT;

/**
 * Gives back one count of an error.
 *
 * @param error  in, nullable, shared: one count less
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_error_release(ge_error* GE_NULLABLE error) GE_NOEXCEPT;

/**
 * Tells the status of a record.
 *
 * @param error  in, nullable, borrowed: the error
 * @return the status, GE_OK for NULL, GE_ERR_BAD_HANDLE for a bad handle
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_error_get_status(const ge_error* GE_NULLABLE error) GE_NOEXCEPT;

/**
 * Tells the message of a record.
 *
 * @param error  in, nullable, borrowed: the error
 * @return borrowed until ge_error_release: one line of text, "" for NULL or a bad handle
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API const char* GE_NONNULL ge_error_get_message(const ge_error* GE_NULLABLE error) GE_NOEXCEPT;

/**
 * Tells everything a record holds.
 *
 * @param error          in, borrowed: the error
 * @param out_info       out, borrowed: filled; its text is borrowed until ge_error_release
 * @param out_info_size  in: sizeof *out_info
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_error_get_info(const ge_error* GE_NONNULL error, ge_error_info* GE_NONNULL out_info,
    size_t out_info_size) GE_NOEXCEPT;

/**
 * Tells one detail of a record, such as "offset" = "1042" or "handle" = "stale".
 *
 * @param error      in, borrowed: the error
 * @param index      in: from 0 to details_count - 1
 * @param out_key    out, borrowed until ge_error_release: the key
 * @param out_value  out, borrowed until ge_error_release: the value as text
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_error_get_detail(const ge_error* GE_NONNULL error, size_t index,
    const char* GE_NULLABLE* GE_NONNULL out_key, const char* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Tells one cause of a record, nearest first.
 *
 * @param error        in, borrowed: the error
 * @param index        in: from 0 to causes_count - 1
 * @param out_status   out, borrowed: status of the cause
 * @param out_message  out, borrowed until ge_error_release: its message
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_error_get_cause(const ge_error* GE_NONNULL error, size_t index, ge_status* GE_NONNULL out_status,
    const char* GE_NULLABLE* GE_NONNULL out_message) GE_NOEXCEPT;

/**
 * Leaves a message for the caller of the library; for use inside a callback, just before it returns the status:
 * `return ge_error_set_in_callback(GE_ERR_CALLBACK | 7, "why", GE_NTS);`. The failing call's record then holds both.
 *
 * @param status        in: what the callback will return
 * @param message       in, copied: one line of text
 * @param message_size  in: bytes of message, or GE_NTS
 * @return status, or GE_ERR_CALLBACK when status is GE_OK or of no known class
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_error_set_in_callback(ge_status status, const char* GE_NONNULL message,
    size_t message_size) GE_NOEXCEPT;

/* ---- Options ------------------------------------------------------------------------------------------------------------- */

/*
 * Settings by key. A setter refuses keys nobody knows and values the key does not accept; each consumer then uses the keys of
 * its level and ignores the others. Keys and values follow GE ("ge.oo.level"); keys that only mean something on an accelerator
 * are accepted and logged. Own keys: "ge.threads" (context: workers and caller, 0 = as many as processors), "ge.map" (import:
 * 1 maps files, the default; 0 reads them), "ge.backend" (compile: "auto", the default, or "cpu"; others are refused until there
 * are any).
 */

/**
 * Creates an empty set of options.
 *
 * @param out_options  out, owned: ge_options_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_options_create(ge_options* GE_NULLABLE* GE_NONNULL out_options) GE_NOEXCEPT;

/**
 * Destroys options. What was created with them keeps what it needs.
 *
 * @param options  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_options_destroy(ge_options* GE_NULLABLE options) GE_NOEXCEPT;

/**
 * Sets an option from text, in the form the key's type has ("4", "true", "O3").
 *
 * @param options     in, borrowed: changed
 * @param key         in, copied: the key
 * @param key_size    in: bytes of key, or GE_NTS
 * @param value       in, copied: the value
 * @param value_size  in: bytes of value, or GE_NTS
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNKNOWN_OPTION, GE_ERR_OPTION_VALUE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_options_set_text(ge_options* GE_NONNULL options, const char* GE_NONNULL key, size_t key_size,
    const char* GE_NONNULL value, size_t value_size) GE_NOEXCEPT;

/**
 * Sets an option from an integer; 0 and 1 for switches.
 *
 * @param options   in, borrowed: changed
 * @param key       in, copied: the key
 * @param key_size  in: bytes of key, or GE_NTS
 * @param value     in: the value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNKNOWN_OPTION, GE_ERR_OPTION_VALUE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_options_set_int(ge_options* GE_NONNULL options, const char* GE_NONNULL key, size_t key_size,
    int64_t value) GE_NOEXCEPT;

/**
 * Sets an option from a floating-point number.
 *
 * @param options   in, borrowed: changed
 * @param key       in, copied: the key
 * @param key_size  in: bytes of key, or GE_NTS
 * @param value     in: the value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNKNOWN_OPTION, GE_ERR_OPTION_VALUE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_options_set_float(ge_options* GE_NONNULL options, const char* GE_NONNULL key, size_t key_size,
    double value) GE_NOEXCEPT;

/**
 * Reads an option as text: the value set, or the key's default.
 *
 * @param options      in, borrowed: the options
 * @param key          in, borrowed: the key
 * @param key_size     in: bytes of key, or GE_NTS
 * @param buffer       out, nullable, borrowed: receives the text
 * @param buffer_size  in: bytes of buffer
 * @param out_size     out, borrowed: full size of the text
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNKNOWN_OPTION
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_options_get_text(const ge_options* GE_NONNULL options, const char* GE_NONNULL key, size_t key_size,
    char* GE_NULLABLE buffer, size_t buffer_size, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Allocates memory. Called from any thread, also at the same time as itself; may not call the library.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param bytes      in: size wanted, not 0
 * @param alignment  in: a power of two
 * @return owned: the memory, given back through the free function; NULL when there is none
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
typedef uint8_t* GE_NULLABLE (*ge_alloc_fn)(void* GE_NULLABLE user_data, size_t bytes, size_t alignment);

/**
 * Frees memory. Called from any thread, also at the same time as itself; may not call the library.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param data       in, owned: ends here
 * @param data_size  in: bytes, as asked for
 * @param alignment  in: as asked for
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
typedef void (*ge_free_fn)(void* GE_NULLABLE user_data, uint8_t* GE_NONNULL data, size_t data_size, size_t alignment);

/*
 * Memory from the caller, for everything the objects of a context hold. allocate and deallocate are both set or neither, which
 * stands for memory of the process. Memory that is not aligned as asked is given back and counts as none. What belongs to no
 * context stays with the process: handles, options, records of errors, threads, buffers that live during one call.
 */
typedef struct ge_allocator {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_alloc_fn GE_NULLABLE allocate;  /* kept until destroy */
    ge_free_fn GE_NULLABLE deallocate; /* kept until destroy */
    void* GE_NULLABLE user_data;       /* kept until destroy */
    ge_destroy_fn GE_NULLABLE destroy; /* kept until called, after the last block is back */
} ge_allocator;
#define GE_ALLOCATOR_INIT {sizeof(ge_allocator), 0, NULL, NULL, NULL, NULL}

/**
 * Sets an allocator to defaults.
 *
 * @param allocator       out, borrowed: filled
 * @param allocator_size  in: sizeof *allocator
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_allocator_init(ge_allocator* GE_NONNULL allocator, size_t allocator_size) GE_NOEXCEPT;

/**
 * Lets contexts created with these options allocate through the caller. Only at creation: it cannot be changed later.
 *
 * @param options    in, borrowed: changed
 * @param allocator  in, nullable, copied: NULL: memory of the process
 * @thread exclusive  @blocks no  @calls_back destroy, on failure and when replaced
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_options_set_allocator(ge_options* GE_NONNULL options,
    const ge_allocator* GE_NULLABLE allocator) GE_NOEXCEPT;

/* ---- Context and log ----------------------------------------------------------------------------------------------------- */

typedef int32_t ge_log_level;
enum {
    GE_LOG_OFF = 0,   /* nothing */
    GE_LOG_ERROR = 1, /* what also returns an error */
    GE_LOG_WARN = 2,  /* results or speed may not be what was hoped for */
    GE_LOG_INFO = 3,  /* one line per load, compile, fallback */
    GE_LOG_DEBUG = 4  /* one line per decision */
};

/* Counters and settings of a context. */
typedef struct ge_context_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    uint32_t threads;         /* most threads one run uses, the caller included */
    uint32_t reserved_0;
    uint64_t copied_bytes;    /* tensor bytes copied so far; unchanged over a call means it copied nothing */
    uint64_t allocated_bytes; /* memory held now by all objects of the context */
    uint64_t peak_bytes;      /* highest allocated_bytes so far */
    uint64_t objects_count;   /* live handles of this context */
    uint64_t blocks_count;    /* blocks that allocated_bytes are made of */
    uint64_t feature_bytes;   /* of models: intermediate tensors and work areas, those kept for later runs included */
    uint64_t feature_peak_bytes;
    uint64_t constant_bytes;  /* of models: weights, also mapped ones and those shared with graphs, and packed copies */
    uint64_t constant_peak_bytes;
    uint64_t variable_bytes;  /* of states: contents of variables */
    uint64_t variable_peak_bytes;
} ge_context_info;

/**
 * Receives one line of the log. May be called from any thread, also at the same time as itself; may call ge_status_name and
 * nothing else of the library.
 *
 * @param user_data     in, nullable, kept until the sink is replaced: the pointer of the triple
 * @param level         in: GE_LOG_ERROR to GE_LOG_DEBUG
 * @param message       in, borrowed: zero-terminated text without newline
 * @param message_size  in: bytes of message
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
typedef void (*ge_log_fn)(void* GE_NULLABLE user_data, ge_log_level level, const char* GE_NONNULL message, size_t message_size);

/**
 * Creates a context: registries, limits and counters that its objects share.
 *
 * @param options      in, nullable, copied: options of context level
 * @param out_context  out, owned: ge_context_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_context_create(const ge_options* GE_NULLABLE options,
    ge_context* GE_NULLABLE* GE_NONNULL out_context) GE_NOEXCEPT;

/**
 * Destroys a context handle. Objects made with it keep what they need and stay usable.
 *
 * @param context  in, nullable, owned: ends here
 * @thread free  @blocks until running calls of its log sink return  @calls_back the log sink's destroy
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_context_destroy(ge_context* GE_NULLABLE context) GE_NOEXCEPT;

/**
 * Reads the counters and settings of a context.
 *
 * @param context        in, nullable, borrowed: the context
 * @param out_info       out, borrowed: filled
 * @param out_info_size  in: sizeof *out_info
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_context_get_info(const ge_context* GE_NULLABLE context, ge_context_info* GE_NONNULL out_info,
    size_t out_info_size) GE_NOEXCEPT;

/**
 * Sets where log lines go. Without a sink nothing is logged. The sink of the process default (NULL) also serves contexts that
 * have none. After the call returns, the sink set before is not called any more.
 *
 * @param context    in, nullable, borrowed: the context
 * @param level      in: lines above this level are not made
 * @param sink       in, nullable, kept until replaced: NULL turns logging off
 * @param user_data  in, nullable, kept until destroy: passed to sink
 * @param destroy    in, nullable, kept until called: ends the use of user_data
 * @thread free  @blocks until running calls of the old sink return  @calls_back destroy of the old sink
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_context_set_log_sink(ge_context* GE_NULLABLE context, ge_log_level level,
    ge_log_fn GE_NULLABLE sink, void* GE_NULLABLE user_data, ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/* ---- Data types, formats, placements ------------------------------------------------------------------------------------- */

/* Numbers up to 255 are GE's; own types start at 256. Sub-byte types are packed, lowest bits first. */
typedef int32_t ge_dtype;
enum {
    GE_DTYPE_FLOAT32 = 0,
    GE_DTYPE_FLOAT16 = 1,
    GE_DTYPE_INT8 = 2,
    GE_DTYPE_INT32 = 3,
    GE_DTYPE_UINT8 = 4,
    GE_DTYPE_INT16 = 6,
    GE_DTYPE_UINT16 = 7,
    GE_DTYPE_UINT32 = 8,
    GE_DTYPE_INT64 = 9,
    GE_DTYPE_UINT64 = 10,
    GE_DTYPE_FLOAT64 = 11,
    GE_DTYPE_BOOL = 12,
    GE_DTYPE_STRING = 13,
    GE_DTYPE_DUAL_SUB_INT8 = 14,
    GE_DTYPE_DUAL_SUB_UINT8 = 15,
    GE_DTYPE_COMPLEX64 = 16,
    GE_DTYPE_COMPLEX128 = 17,
    GE_DTYPE_QINT8 = 18,
    GE_DTYPE_QINT16 = 19,
    GE_DTYPE_QINT32 = 20,
    GE_DTYPE_QUINT8 = 21,
    GE_DTYPE_QUINT16 = 22,
    GE_DTYPE_RESOURCE = 23,
    GE_DTYPE_STRING_REF = 24,
    GE_DTYPE_DUAL = 25,
    GE_DTYPE_VARIANT = 26,
    GE_DTYPE_BFLOAT16 = 27,
    GE_DTYPE_UNDEFINED = 28,
    GE_DTYPE_INT4 = 29,
    GE_DTYPE_UINT1 = 30,
    GE_DTYPE_INT2 = 31,
    GE_DTYPE_UINT2 = 32,
    GE_DTYPE_COMPLEX32 = 33,
    GE_DTYPE_HIFLOAT8 = 34,
    GE_DTYPE_FLOAT8_E5M2 = 35,
    GE_DTYPE_FLOAT8_E4M3FN = 36,
    GE_DTYPE_FLOAT8_E8M0 = 37,
    GE_DTYPE_FLOAT6_E3M2 = 38,
    GE_DTYPE_FLOAT6_E2M3 = 39,
    GE_DTYPE_FLOAT4_E2M1 = 40,
    GE_DTYPE_FLOAT4_E1M2 = 41,
    GE_DTYPE_HIFLOAT4 = 42,
    GE_DTYPE_HIFLOAT4_SCALE = 43,
    GE_DTYPE_FLOAT8_E4M3FNUZ = 256,
    GE_DTYPE_FLOAT8_E5M2FNUZ = 257,
    GE_DTYPE_UINT4 = 258
};

/* GE's numbers. Bits 0-7 are one of these; bits 8-23 hold a sub-format such as a group count, bits 24-27 GE's C0 code. */
typedef int32_t ge_format;
enum {
    GE_FORMAT_NCHW = 0,
    GE_FORMAT_NHWC = 1,
    GE_FORMAT_ND = 2,
    GE_FORMAT_NC1HWC0 = 3,
    GE_FORMAT_FRACTAL_Z = 4,
    GE_FORMAT_NC1C0HWPAD = 5,
    GE_FORMAT_NHWC1C0 = 6,
    GE_FORMAT_FSR_NCHW = 7,
    GE_FORMAT_FRACTAL_DECONV = 8,
    GE_FORMAT_C1HWNC0 = 9,
    GE_FORMAT_FRACTAL_DECONV_TRANSPOSE = 10,
    GE_FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = 11,
    GE_FORMAT_NC1HWC0_C04 = 12,
    GE_FORMAT_FRACTAL_Z_C04 = 13,
    GE_FORMAT_CHWN = 14,
    GE_FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = 15,
    GE_FORMAT_HWCN = 16,
    GE_FORMAT_NC1KHKWHWC0 = 17,
    GE_FORMAT_BN_WEIGHT = 18,
    GE_FORMAT_FILTER_HWCK = 19,
    GE_FORMAT_HASHTABLE_LOOKUP_LOOKUPS = 20,
    GE_FORMAT_HASHTABLE_LOOKUP_KEYS = 21,
    GE_FORMAT_HASHTABLE_LOOKUP_VALUE = 22,
    GE_FORMAT_HASHTABLE_LOOKUP_OUTPUT = 23,
    GE_FORMAT_HASHTABLE_LOOKUP_HITS = 24,
    GE_FORMAT_C1HWNCOC0 = 25,
    GE_FORMAT_MD = 26,
    GE_FORMAT_NDHWC = 27,
    GE_FORMAT_FRACTAL_ZZ = 28,
    GE_FORMAT_FRACTAL_NZ = 29,
    GE_FORMAT_NCDHW = 30,
    GE_FORMAT_DHWCN = 31,
    GE_FORMAT_NDC1HWC0 = 32,
    GE_FORMAT_FRACTAL_Z_3D = 33,
    GE_FORMAT_CN = 34,
    GE_FORMAT_NC = 35,
    GE_FORMAT_DHWNC = 36,
    GE_FORMAT_FRACTAL_Z_3D_TRANSPOSE = 37,
    GE_FORMAT_FRACTAL_ZN_LSTM = 38,
    GE_FORMAT_FRACTAL_Z_G = 39,
    GE_FORMAT_RESERVED = 40,
    GE_FORMAT_ALL = 41,
    GE_FORMAT_NULL = 42,
    GE_FORMAT_ND_RNN_BIAS = 43,
    GE_FORMAT_FRACTAL_ZN_RNN = 44,
    GE_FORMAT_NYUV = 45,
    GE_FORMAT_NYUV_A = 46,
    GE_FORMAT_NCL = 47,
    GE_FORMAT_FRACTAL_Z_WINO = 48,
    GE_FORMAT_C1HWC0 = 49,
    GE_FORMAT_FRACTAL_NZ_C0_16 = 50,
    GE_FORMAT_FRACTAL_NZ_C0_32 = 51
};

/* GE's numbers. */
typedef int32_t ge_placement;
enum {
    GE_PLACEMENT_HOST = 0,
    GE_PLACEMENT_DEVICE = 1
};

/**
 * Names a data type, e.g. "float32".
 *
 * @param dtype  in: the data type
 * @return static: its name in lower case, or "unknown"
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API const char* GE_NONNULL ge_dtype_get_name(ge_dtype dtype) GE_NOEXCEPT;

/**
 * Tells the size of an element.
 *
 * @param dtype  in: the data type
 * @return bits per element, 0 for types without a fixed size and for unknown ones
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API uint32_t ge_dtype_get_bits(ge_dtype dtype) GE_NOEXCEPT;

/**
 * Finds a data type by name: the name of ge_dtype_get_name or GE's ("DT_FLOAT").
 *
 * @param name       in, borrowed: the name
 * @param name_size  in: bytes of name, or GE_NTS
 * @param out_dtype  out, borrowed: the data type
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_dtype_find(const char* GE_NONNULL name, size_t name_size,
    ge_dtype* GE_NONNULL out_dtype) GE_NOEXCEPT;

/**
 * Names a format, e.g. "NCHW".
 *
 * @param format  in: the format; only bits 0-7 count
 * @return static: its name, or "unknown"
 * @thread free  @blocks no  @calls_back no
 * @errors none
 * @since 1.0  @deprecated no
 */
GE_API const char* GE_NONNULL ge_format_get_name(ge_format format) GE_NOEXCEPT;

/**
 * Finds a format by name.
 *
 * @param name        in, borrowed: the name
 * @param name_size   in: bytes of name, or GE_NTS
 * @param out_format  out, borrowed: the format
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_format_find(const char* GE_NONNULL name, size_t name_size,
    ge_format* GE_NONNULL out_format) GE_NOEXCEPT;

/* ---- Tensor -------------------------------------------------------------------------------------------------------------- */

/*
 * Shape, data type and layout of a tensor or of a port. rank -1 is unknown rank, a dim of -1 an unknown dim; at most 8 dims.
 * A NULL dims with rank 0 is a scalar. In-parameters: all pointers copied. Out-parameters: pointers borrowed until the object
 * is changed or destroyed.
 */
typedef struct ge_tensor_desc {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_dtype dtype;
    ge_format format;        /* GE_FORMAT_ND after init */
    ge_placement placement;
    int32_t rank;
    const int64_t* GE_NULLABLE dims;                      /* rank entries */
    const int64_t* GE_NULLABLE strides;                   /* rank entries, in elements; NULL: dense, last dim fastest */
    const char* GE_NULLABLE const* GE_NULLABLE dim_names; /* rank entries, NULL where a dim has no symbol; NULL: no symbols */
    const int64_t* GE_NULLABLE origin_dims;               /* shape before a change of layout; NULL: as dims, and format counts */
    ge_format origin_format;                              /* format before a change of layout */
    int32_t origin_rank;                                  /* entries of origin_dims */
} ge_tensor_desc;
#define GE_TENSOR_DESC_INIT                                                                                     \
    {sizeof(ge_tensor_desc), 0,    GE_DTYPE_FLOAT32, GE_FORMAT_ND, GE_PLACEMENT_HOST, 0, NULL, NULL, NULL, NULL, \
     GE_FORMAT_ND,           0}

/**
 * Ends the use of caller memory. Called once, from any thread.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param data       in, nullable, kept until this call: the memory; this call is its last use
 * @param data_size  in: bytes of data
 * @thread free  @blocks no  @calls_back allowed
 * @errors none
 * @since 1.0  @deprecated no
 */
typedef void (*ge_release_fn)(void* GE_NULLABLE user_data, uint8_t* GE_NULLABLE data, size_t data_size);

typedef uint64_t ge_memory_flags;
enum {
    GE_MEMORY_READ_ONLY = 1 /* bit 0: never written through a tensor over it */
};

/* Memory of the caller, with the triple that ends its use. */
typedef struct ge_memory {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_memory_flags flags;
    uint8_t* GE_NULLABLE data;              /* kept until release */
    uint64_t data_size;                     /* bytes of data */
    ge_release_fn GE_NULLABLE release;      /* kept until called; NULL: the memory outlives every user */
    void* GE_NULLABLE user_data;            /* kept until destroy */
    ge_destroy_fn GE_NULLABLE destroy;      /* kept until called, after release */
} ge_memory;
#define GE_MEMORY_INIT {sizeof(ge_memory), 0, 0, NULL, 0, NULL, NULL, NULL}

typedef int32_t ge_ownership;
enum {
    GE_OWNERSHIP_LIBRARY = 1, /* memory of the library */
    GE_OWNERSHIP_CALLER = 2,  /* memory of the caller or of a DLPack producer */
    GE_OWNERSHIP_FILE = 3     /* a mapped file */
};

/* Facts about the memory of a tensor. */
typedef struct ge_tensor_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_ownership ownership;
    int32_t is_read_only;    /* 1 or 0 */
    int32_t is_dense;        /* 1: no gaps and last dim fastest */
    uint32_t reserved_0;
    uint64_t elements_count;
    uint64_t data_size;      /* bytes, as ge_tensor_get_data gives */
} ge_tensor_info;

/**
 * Sets a desc to its defaults: float32, ND, host, scalar.
 *
 * @param desc       out, borrowed: filled
 * @param desc_size  in: sizeof *desc
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_desc_init(ge_tensor_desc* GE_NONNULL desc, size_t desc_size) GE_NOEXCEPT;

/**
 * Sets a memory to its defaults: none.
 *
 * @param memory       out, borrowed: filled
 * @param memory_size  in: sizeof *memory
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_memory_init(ge_memory* GE_NONNULL memory, size_t memory_size) GE_NOEXCEPT;

/**
 * Creates a tensor with memory of its own, all zero bytes; a string tensor holds empty strings.
 *
 * @param context     in, nullable, borrowed: the context
 * @param desc        in, copied: every dim known, dense
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE, GE_ERR_SIZE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create(const ge_context* GE_NULLABLE context, const ge_tensor_desc* GE_NONNULL desc,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Creates a tensor with memory of its own and copies bytes into it. Not for string tensors.
 *
 * @param context     in, nullable, borrowed: the context
 * @param desc        in, copied: every dim known, dense
 * @param data        in, nullable, copied: the bytes; NULL only with data_size 0
 * @param data_size   in: bytes of data; must be what desc asks for
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE, GE_ERR_SIZE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_from_data(const ge_context* GE_NULLABLE context,
    const ge_tensor_desc* GE_NONNULL desc, const uint8_t* GE_NULLABLE data, size_t data_size,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Creates a tensor over memory of the caller, without a copy. The memory is released when its last user is done, runs in
 * flight included; also when this call fails, unless memory itself is NULL or not a valid struct. Not for string tensors.
 *
 * @param context     in, nullable, borrowed: the context
 * @param desc        in, copied: every dim known; strides allowed
 * @param memory      in, copied: its data is kept until release
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread free  @blocks no  @calls_back release and destroy, on failure; otherwise later and from any thread
 * @errors usual, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE, GE_ERR_SIZE, GE_ERR_ALIGNMENT
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_over(const ge_context* GE_NULLABLE context, const ge_tensor_desc* GE_NONNULL desc,
    const ge_memory* GE_NONNULL memory, ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Creates a second tensor over the bytes of another, read under another desc: reshape, relabel of format or data type.
 *
 * @param tensor      in, borrowed: the tensor; its memory stays alive for the view
 * @param desc        in, copied: needs no more bytes than tensor has
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE, GE_ERR_SIZE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_view(const ge_tensor* GE_NONNULL tensor, const ge_tensor_desc* GE_NONNULL desc,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Copies a tensor into dense memory of its own.
 *
 * @param tensor      in, borrowed: the tensor
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_copy(const ge_tensor* GE_NONNULL tensor,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Destroys a tensor handle. Its memory goes with the last user.
 *
 * @param tensor  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back release and destroy of caller memory
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_tensor_destroy(ge_tensor* GE_NULLABLE tensor) GE_NOEXCEPT;

/**
 * Reads the desc of a tensor.
 *
 * @param tensor         in, borrowed: the tensor
 * @param out_desc       out, borrowed: filled; its pointers are borrowed until the tensor is destroyed
 * @param out_desc_size  in: sizeof *out_desc
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_get_desc(const ge_tensor* GE_NONNULL tensor, ge_tensor_desc* GE_NONNULL out_desc,
    size_t out_desc_size) GE_NOEXCEPT;

/**
 * Reads facts about the memory of a tensor.
 *
 * @param tensor         in, borrowed: the tensor
 * @param out_info       out, borrowed: filled
 * @param out_info_size  in: sizeof *out_info
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_get_info(const ge_tensor* GE_NONNULL tensor, ge_tensor_info* GE_NONNULL out_info,
    size_t out_info_size) GE_NOEXCEPT;

/**
 * Gives the bytes of a host tensor for reading. Not for string tensors.
 *
 * @param tensor    in, borrowed: the tensor
 * @param out_data  out, borrowed until the tensor is destroyed: the bytes; NULL when there are none
 * @param out_size  out, borrowed: bytes of data
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_DTYPE for strings, GE_ERR_WRONG_KIND for device memory
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_get_data(const ge_tensor* GE_NONNULL tensor,
    const uint8_t* GE_NULLABLE* GE_NONNULL out_data, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Gives the bytes of a host tensor for writing. Not for string tensors, not while a run uses the tensor.
 *
 * @param tensor    in, borrowed: the tensor
 * @param out_data  out, borrowed until the tensor is destroyed: the bytes; NULL when there are none
 * @param out_size  out, borrowed: bytes of data
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_READ_ONLY, GE_ERR_DTYPE for strings, GE_ERR_WRONG_KIND for device memory
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_get_mutable_data(ge_tensor* GE_NONNULL tensor, uint8_t* GE_NULLABLE* GE_NONNULL out_data,
    size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Sets every element of a string tensor: element i is bytes[offsets[i]] to before bytes[offsets[i + 1]].
 *
 * @param tensor         in, borrowed: a string tensor
 * @param bytes          in, nullable, copied: all strings, one behind the other; any byte values
 * @param bytes_size     in: bytes of bytes
 * @param offsets        in, copied: ascending, from 0 to bytes_size
 * @param offsets_count  in: elements of the tensor plus 1
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_DTYPE, GE_ERR_SIZE, GE_ERR_OUT_OF_RANGE, GE_ERR_READ_ONLY
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_set_strings(ge_tensor* GE_NONNULL tensor, const uint8_t* GE_NULLABLE bytes,
    size_t bytes_size, const uint64_t* GE_NONNULL offsets, size_t offsets_count) GE_NOEXCEPT;

/**
 * Gives every element of a string tensor, in the form of ge_tensor_set_strings.
 *
 * @param tensor             in, borrowed: a string tensor
 * @param out_bytes          out, borrowed until the tensor is changed or destroyed: all strings
 * @param out_bytes_size     out, borrowed: bytes of bytes
 * @param out_offsets        out, borrowed until the tensor is changed or destroyed: the offsets
 * @param out_offsets_count  out, borrowed: elements of the tensor plus 1
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_get_strings(const ge_tensor* GE_NONNULL tensor,
    const uint8_t* GE_NULLABLE* GE_NONNULL out_bytes, size_t* GE_NONNULL out_bytes_size,
    const uint64_t* GE_NULLABLE* GE_NONNULL out_offsets, size_t* GE_NONNULL out_offsets_count) GE_NOEXCEPT;

/**
 * Takes over a DLPack 1.x tensor, without a copy. Its deleter runs once: when the last user is done, or when this call fails.
 *
 * @param context     in, nullable, borrowed: the context
 * @param dlpack      in, kept until its deleter runs: a DLManagedTensorVersioned
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread free  @blocks no  @calls_back the deleter, on failure; otherwise later and from any thread
 * @errors usual, GE_ERR_UNSUPPORTED_VERSION, GE_ERR_UNSUPPORTED_DTYPE, GE_ERR_NO_DEVICE, GE_ERR_RANK, GE_ERR_SIZE, GE_ERR_ALIGNMENT
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_import_dlpack(const ge_context* GE_NULLABLE context, ge_dlpack* GE_NONNULL dlpack,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Takes over a DLPack tensor of the form before 1.0; otherwise as ge_tensor_import_dlpack.
 *
 * @param context     in, nullable, borrowed: the context
 * @param dlpack      in, kept until its deleter runs: a DLManagedTensor
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread free  @blocks no  @calls_back the deleter, on failure; otherwise later and from any thread
 * @errors usual, GE_ERR_UNSUPPORTED_DTYPE, GE_ERR_NO_DEVICE, GE_ERR_RANK, GE_ERR_SIZE, GE_ERR_ALIGNMENT
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_import_dlpack_legacy(const ge_context* GE_NULLABLE context,
    ge_dlpack_legacy* GE_NONNULL dlpack, ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Exports a tensor as DLPack 1.x, without a copy; the read-only flag is set where it holds. The deleter may run on any thread.
 *
 * @param tensor      in, borrowed: the tensor; its memory stays alive for the export
 * @param out_dlpack  out, owned: a DLManagedTensorVersioned, ended by its own deleter
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNSUPPORTED_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_export_dlpack(const ge_tensor* GE_NONNULL tensor,
    ge_dlpack* GE_NULLABLE* GE_NONNULL out_dlpack) GE_NOEXCEPT;

/**
 * Exports a tensor in DLPack's form before 1.0, which cannot say read-only.
 *
 * @param tensor      in, borrowed: the tensor; its memory stays alive for the export
 * @param out_dlpack  out, owned: a DLManagedTensor, ended by its own deleter
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNSUPPORTED_DTYPE, GE_ERR_READ_ONLY
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_export_dlpack_legacy(const ge_tensor* GE_NONNULL tensor,
    ge_dlpack_legacy* GE_NULLABLE* GE_NONNULL out_dlpack) GE_NOEXCEPT;

/* ---- Value --------------------------------------------------------------------------------------------------------------- */

typedef int32_t ge_value_kind;
enum {
    GE_VALUE_TENSOR = 1,
    GE_VALUE_SEQUENCE = 2,
    GE_VALUE_MAP = 3,
    GE_VALUE_OPTIONAL = 4
};

/**
 * Creates a value that holds a tensor.
 *
 * @param tensor     in, borrowed: the tensor; the value keeps it alive
 * @param out_value  out, owned: ge_value_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_value_create_from_tensor(const ge_tensor* GE_NONNULL tensor,
    ge_value* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Destroys a value handle. What it holds goes with its last user.
 *
 * @param value  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back release and destroy of caller memory
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_value_destroy(ge_value* GE_NULLABLE value) GE_NOEXCEPT;

/**
 * Tells what a value holds.
 *
 * @param value     in, borrowed: the value
 * @param out_kind  out, borrowed: its kind
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_value_get_kind(const ge_value* GE_NONNULL value, ge_value_kind* GE_NONNULL out_kind) GE_NOEXCEPT;

/**
 * Gives a tensor handle of the caller's own for the tensor a value holds. The bytes are shared, not copied.
 *
 * @param value       in, borrowed: a value of kind GE_VALUE_TENSOR
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_from_value(const ge_value* GE_NONNULL value,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Creates a tensor with the keys of a map value.
 *
 * @param value       in, borrowed: a value of kind GE_VALUE_MAP
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_from_keys(const ge_value* GE_NONNULL value,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/**
 * Creates a sequence of tensors, or of maps, of one data type. An empty one fits inputs of any data type.
 *
 * @param context       in, nullable, borrowed: the context
 * @param values        in, nullable, borrowed: their content is copied
 * @param values_count  in: entries of values
 * @param out_value     out, owned: ge_value_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_value_create_sequence(const ge_context* GE_NULLABLE context,
    const ge_value* GE_NONNULL const* GE_NULLABLE values, size_t values_count,
    ge_value* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Creates a map from integers or strings to tensors.
 *
 * @param keys          in, borrowed: a vector of int64 or string, no key twice
 * @param values        in, nullable, borrowed: one per key, tensors of one data type; their content is copied
 * @param values_count  in: entries of values
 * @param out_value     out, owned: ge_value_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_DTYPE, GE_ERR_SHAPE, GE_ERR_ALREADY_EXISTS
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_value_create_map(const ge_tensor* GE_NONNULL keys,
    const ge_value* GE_NONNULL const* GE_NULLABLE values, size_t values_count,
    ge_value* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Creates an optional that holds a tensor, a sequence or nothing.
 *
 * @param context    in, nullable, borrowed: the context
 * @param value      in, nullable, borrowed: its content is copied; NULL: nothing, which fits inputs of any data type
 * @param out_value  out, owned: ge_value_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_value_create_optional(const ge_context* GE_NULLABLE context, const ge_value* GE_NULLABLE value,
    ge_value* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Tells how many items a sequence, map or optional holds.
 *
 * @param value      in, borrowed: the value
 * @param out_count  out, borrowed: number of items
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_value_get_items_count(const ge_value* GE_NONNULL value, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Gives a value handle for one item of a sequence, map or optional. Content is shared and read-only.
 *
 * @param value      in, borrowed: the value
 * @param index      in: the item; of a map, in order of its keys
 * @param out_value  out, owned: ge_value_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_value_create_from_item(const ge_value* GE_NONNULL value, size_t index,
    ge_value* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/* ---- Graph: reading ------------------------------------------------------------------------------------------------------ */

/*
 * A graph owns nodes, edges and attributes. Its inputs are Data nodes with an integer attribute "index"; its outputs are an
 * ordered list of values on the graph itself, behind which stands one NetOutput node that no list or search gives:
 * ge_graph_get_output_node. Node names are unique in a graph. A subgraph hangs on a named port of a node and
 * sees outer values only through the inputs of that node. A graph handle names a graph or, as a view, a subgraph inside one;
 * ids belong to the graph or subgraph they came from. Text read from a graph is borrowed until the graph is changed or destroyed.
 */

typedef int32_t ge_order;
enum {
    GE_ORDER_CREATION = 0,   /* as the nodes were added */
    GE_ORDER_TOPOLOGICAL = 1 /* every node after the nodes it depends on */
};

typedef int32_t ge_direction;
enum {
    GE_DIRECTION_IN = 1,
    GE_DIRECTION_OUT = 2
};

/* Index of both ends of a control edge. */
enum {
    GE_CONTROL_INDEX = -1
};

/* A graph at one glance. */
typedef struct ge_graph_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE name;   /* borrowed until the graph is changed or destroyed */
    uint64_t nodes_count;           /* direct nodes */
    uint64_t edges_count;           /* data and control edges between them */
    uint64_t inputs_count;
    uint64_t outputs_count;
    uint64_t subgraphs_count;       /* at any depth */
    ge_node_id parent_node;         /* node a subgraph hangs on, an id of the parent graph; 0: none */
    const char* GE_NULLABLE parent_port; /* its port there, borrowed as name; NULL: none */
    uint32_t parent_index;          /* which of a dynamic port */
    uint32_t reserved_0;
} ge_graph_info;

/* A node at one glance. */
typedef struct ge_node_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_node_id node;
    const char* GE_NULLABLE name;    /* borrowed until the graph is changed or destroyed */
    const char* GE_NULLABLE op_type; /* borrowed until the graph is changed or destroyed */
    uint32_t inputs_count;           /* input ports, unconnected ones included */
    uint32_t outputs_count;
    uint32_t control_inputs_count;
    uint32_t control_outputs_count;
    uint32_t attrs_count;            /* attributes present on the node */
    uint32_t subgraphs_count;        /* attached to it directly */
} ge_node_info;

/**
 * Creates an empty graph.
 *
 * @param context    in, nullable, borrowed: the context
 * @param name       in, copied: its name
 * @param name_size  in: bytes of name, or GE_NTS
 * @param out_graph  out, owned: ge_graph_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_create(const ge_context* GE_NULLABLE context, const char* GE_NONNULL name, size_t name_size,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/**
 * Copies a graph or subgraph with everything below it into a graph of its own. Constant bytes are shared, ids are not.
 *
 * @param graph      in, borrowed: the graph
 * @param out_graph  out, owned: ge_graph_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_copy(const ge_graph* GE_NONNULL graph,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/**
 * Destroys a graph handle. The graph itself goes with its last handle or view.
 *
 * @param graph  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back release and destroy of caller memory held by constants
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_graph_destroy(ge_graph* GE_NULLABLE graph) GE_NOEXCEPT;

/**
 * Reads a graph's name and counts.
 *
 * @param graph          in, borrowed: the graph
 * @param out_info       out, borrowed: filled
 * @param out_info_size  in: sizeof *out_info
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_info(const ge_graph* GE_NONNULL graph, ge_graph_info* GE_NONNULL out_info,
    size_t out_info_size) GE_NOEXCEPT;

/**
 * Lists the direct nodes of a graph.
 *
 * @param graph        in, borrowed: the graph
 * @param order        in: order of the list
 * @param nodes        out, nullable, borrowed: receives the ids
 * @param nodes_count  in: entries of nodes
 * @param out_count    out, borrowed: number of nodes
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_BAD_GRAPH for a cycle when a topological order is asked for
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_nodes(const ge_graph* GE_NONNULL graph, ge_order order, ge_node_id* GE_NULLABLE nodes,
    size_t nodes_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Describes many nodes in one call.
 *
 * @param graph        in, borrowed: the graph
 * @param nodes        in, nullable, borrowed: the nodes
 * @param nodes_count  in: entries of nodes
 * @param infos        out, nullable, borrowed: one entry per node
 * @param infos_count  in: entries of infos, equal to nodes_count
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_node_infos(const ge_graph* GE_NONNULL graph, const ge_node_id* GE_NULLABLE nodes,
    size_t nodes_count, ge_node_info* GE_NULLABLE infos, size_t infos_count, size_t info_size) GE_NOEXCEPT;

/**
 * Finds a direct node by name.
 *
 * @param graph      in, borrowed: the graph
 * @param name       in, borrowed: the name
 * @param name_size  in: bytes of name, or GE_NTS
 * @param out_node   out, borrowed: the node
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_find_node(const ge_graph* GE_NONNULL graph, const char* GE_NONNULL name, size_t name_size,
    ge_node_id* GE_NONNULL out_node) GE_NOEXCEPT;

/**
 * Lists the values that feed a node, one per input port.
 *
 * @param graph         in, borrowed: the graph
 * @param node          in: the node
 * @param values        out, nullable, borrowed: receives the values; 0 for an unconnected port
 * @param values_count  in: entries of values
 * @param out_count     out, borrowed: number of input ports
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_node_inputs(const ge_graph* GE_NONNULL graph, ge_node_id node,
    ge_value_id* GE_NULLABLE values, size_t values_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Lists the control neighbours of a node.
 *
 * @param graph        in, borrowed: the graph
 * @param node         in: the node
 * @param direction    in: GE_DIRECTION_IN: nodes it waits for; GE_DIRECTION_OUT: nodes that wait for it
 * @param nodes        out, nullable, borrowed: receives the ids
 * @param nodes_count  in: entries of nodes
 * @param out_count    out, borrowed: number of neighbours
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_control_nodes(const ge_graph* GE_NONNULL graph, ge_node_id node, ge_direction direction,
    ge_node_id* GE_NULLABLE nodes, size_t nodes_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Lists who reads a value. Reads by the graph's output list are not among them.
 *
 * @param graph       in, borrowed: the graph
 * @param value       in: the value
 * @param uses        out, nullable, borrowed: receives two entries per use: node id, input index
 * @param uses_count  in: entries of uses
 * @param out_count   out, borrowed: number of entries, twice the number of uses
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_uses(const ge_graph* GE_NONNULL graph, ge_value_id value, uint64_t* GE_NULLABLE uses,
    size_t uses_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Lists every edge between direct nodes.
 *
 * @param graph        in, borrowed: the graph
 * @param edges        out, nullable, borrowed: receives four entries per edge: source node id, output index, target node id,
 *                     input index; both indices are UINT64_MAX for a control edge
 * @param edges_count  in: entries of edges
 * @param out_count    out, borrowed: number of entries, four times the number of edges
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_edges(const ge_graph* GE_NONNULL graph, uint64_t* GE_NULLABLE edges, size_t edges_count,
    size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Gives the id of one port of a node; of an output port this is its value id.
 *
 * @param graph      in, borrowed: the graph
 * @param node       in: the node
 * @param direction  in: input or output
 * @param index      in: the port, from 0, over all ports of that direction
 * @param out_port   out, borrowed: the id
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_port(const ge_graph* GE_NONNULL graph, ge_node_id node, ge_direction direction,
    uint32_t index, ge_port_id* GE_NONNULL out_port) GE_NOEXCEPT;

/**
 * Tells what a port belongs to; of a value, this is its producer.
 *
 * @param graph          in, borrowed: the graph
 * @param port           in: the port or value
 * @param out_node       out, nullable, borrowed: its node
 * @param out_direction  out, nullable, borrowed: input or output
 * @param out_index      out, nullable, borrowed: its index in that direction
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_port_owner(const ge_graph* GE_NONNULL graph, ge_port_id port,
    ge_node_id* GE_NULLABLE out_node, ge_direction* GE_NULLABLE out_direction, uint32_t* GE_NULLABLE out_index) GE_NOEXCEPT;

/**
 * Reads the desc of a port. An input port without a desc of its own shows that of the value that feeds it.
 *
 * @param graph          in, borrowed: the graph
 * @param port           in: the port or value
 * @param out_desc       out, borrowed: filled; its pointers are borrowed until the graph is changed or destroyed
 * @param out_desc_size  in: sizeof *out_desc
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_desc(const ge_graph* GE_NONNULL graph, ge_port_id port,
    ge_tensor_desc* GE_NONNULL out_desc, size_t out_desc_size) GE_NOEXCEPT;

/**
 * Lists the input nodes of a graph, in order of their attribute "index".
 *
 * @param graph        in, borrowed: the graph
 * @param nodes        out, nullable, borrowed: receives the ids
 * @param nodes_count  in: entries of nodes
 * @param out_count    out, borrowed: number of inputs
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_inputs(const ge_graph* GE_NONNULL graph, ge_node_id* GE_NULLABLE nodes,
    size_t nodes_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Lists the outputs of a graph.
 *
 * @param graph         in, borrowed: the graph
 * @param values        out, nullable, borrowed: receives the values; 0 where ge_graph_remove_edge left nothing
 * @param values_count  in: entries of values
 * @param names         out, nullable, borrowed: receives the names, each borrowed until the graph is changed or destroyed
 * @param names_count   in: entries of names; 0 when they are not wanted
 * @param out_count     out, borrowed: number of outputs
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_outputs(const ge_graph* GE_NONNULL graph, ge_value_id* GE_NULLABLE values,
    size_t values_count, const char* GE_NULLABLE* GE_NULLABLE names, size_t names_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Gives the node whose inputs are the output list: owner of the attributes and descs of outputs, end of control edges, and the target
 * by which edges make and leave single outputs. Removing it empties the list.
 *
 * @param graph     in, borrowed: the graph
 * @param out_node  out, borrowed: the node
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND when outputs were never set
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_output_node(const ge_graph* GE_NONNULL graph, ge_node_id* GE_NONNULL out_node) GE_NOEXCEPT;

/**
 * Lists subgraphs: those attached to one node, in port order, or all below this graph, parents first.
 *
 * @param graph            in, borrowed: the graph
 * @param node             in: the node, or 0 for all
 * @param subgraphs        out, nullable, borrowed: receives the ids
 * @param subgraphs_count  in: entries of subgraphs
 * @param out_count        out, borrowed: number of subgraphs
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_subgraphs(const ge_graph* GE_NONNULL graph, ge_node_id node,
    ge_subgraph_id* GE_NULLABLE subgraphs, size_t subgraphs_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Opens a subgraph as a graph. The view shares the subgraph with its parent: edits are seen by both, and the thread rule counts
 * for parent and views together.
 *
 * @param graph      in, borrowed: the graph the id came from; stays alive for the view
 * @param subgraph   in: the subgraph
 * @param out_graph  out, owned: ge_graph_destroy ends the view only
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_create_view(const ge_graph* GE_NONNULL graph, ge_subgraph_id subgraph,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/**
 * Checks every rule a graph must keep: names, ports, edges, order, subgraphs. Passes leave graphs that hold.
 *
 * @param graph  in, borrowed: the graph
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_BAD_GRAPH, GE_ERR_BAD_ATTR: the first violation
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_check(const ge_graph* GE_NONNULL graph) GE_NOEXCEPT;

/* ---- Graph: editing ------------------------------------------------------------------------------------------------------ */

/* Nodes are added with a builder over the graph: ge_builder_create_over. A failed edit changes nothing. */

/**
 * Renames a graph.
 *
 * @param graph      in, borrowed: changed
 * @param name       in, copied: the new name
 * @param name_size  in: bytes of name, or GE_NTS
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_name(ge_graph* GE_NONNULL graph, const char* GE_NONNULL name,
    size_t name_size) GE_NOEXCEPT;

/**
 * Renames a direct node.
 *
 * @param graph      in, borrowed: changed
 * @param node       in: the node
 * @param name       in, copied: the new name, not empty
 * @param name_size  in: bytes of name, or GE_NTS
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_ALREADY_EXISTS when another node has it
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_node_name(ge_graph* GE_NONNULL graph, ge_node_id node, const char* GE_NONNULL name,
    size_t name_size) GE_NOEXCEPT;

/**
 * Removes a direct node with its edges, attributes and subgraphs. Neighbours are not joined.
 *
 * @param graph  in, borrowed: changed
 * @param node   in: the node; its id and those of its ports become stale
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE while the graph's output list names one of its values
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_remove_node(ge_graph* GE_NONNULL graph, ge_node_id node) GE_NOEXCEPT;

/**
 * Adds a data edge, or a control edge when both indices are GE_CONTROL_INDEX.
 *
 * @param graph         in, borrowed: changed
 * @param source        in: node the edge leaves
 * @param source_index  in: its output
 * @param target        in: node the edge enters
 * @param target_index  in: its input, unconnected so far
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_ALREADY_EXISTS when the input is connected
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_add_edge(ge_graph* GE_NONNULL graph, ge_node_id source, int32_t source_index,
    ge_node_id target, int32_t target_index) GE_NOEXCEPT;

/**
 * Removes a data edge, or a control edge when both indices are GE_CONTROL_INDEX.
 *
 * @param graph         in, borrowed: changed
 * @param source        in: node the edge leaves
 * @param source_index  in: its output
 * @param target        in: node the edge enters
 * @param target_index  in: its input
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_remove_edge(ge_graph* GE_NONNULL graph, ge_node_id source, int32_t source_index,
    ge_node_id target, int32_t target_index) GE_NOEXCEPT;

/**
 * Lets everything that reads one value read another: inputs and the output list. Control edges stay.
 *
 * @param graph        in, borrowed: changed
 * @param value        in: the value read so far
 * @param replacement  in: the value to read
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_replace_uses(ge_graph* GE_NONNULL graph, ge_value_id value,
    ge_value_id replacement) GE_NOEXCEPT;

/**
 * Sets the desc of a port.
 *
 * @param graph  in, borrowed: changed
 * @param port   in: the port or value
 * @param desc   in, copied: unknown rank and dims allowed, no strides
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_desc(ge_graph* GE_NONNULL graph, ge_port_id port,
    const ge_tensor_desc* GE_NONNULL desc) GE_NOEXCEPT;

/**
 * Sets the outputs of a graph, replacing the list there is. A value may appear more than once.
 *
 * @param graph         in, borrowed: changed
 * @param values        in, nullable, copied: the values, in order
 * @param values_count  in: entries of values
 * @param names         in, nullable, copied: zero-terminated names, unique; NULL: named after their producers
 * @param names_count   in: values_count, or 0 with NULL names
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_ALREADY_EXISTS for a name used twice
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_outputs(ge_graph* GE_NONNULL graph, const ge_value_id* GE_NULLABLE values,
    size_t values_count, const char* GE_NONNULL const* GE_NULLABLE names, size_t names_count) GE_NOEXCEPT;

/* ---- Attributes ---------------------------------------------------------------------------------------------------------- */

/*
 * An attribute has an owner, a name, a kind and items. A single value is one item. Integers carry INT, BOOL (0, 1) and DATA_TYPE;
 * rows (LIST_LIST_*) lie in one list, each row behind its length.
 */

/* GE's numbers. */
typedef int32_t ge_attr_kind;
enum {
    GE_ATTR_NONE = 0, /* none; in builder calls: what the operator declares, else what the call carries */
    GE_ATTR_STRING = 1,
    GE_ATTR_FLOAT = 2,
    GE_ATTR_BOOL = 3,
    GE_ATTR_INT = 4,
    GE_ATTR_TENSOR = 6,
    GE_ATTR_BYTES = 7,
    GE_ATTR_LIST_LIST_INT = 10,
    GE_ATTR_DATA_TYPE = 11,
    GE_ATTR_LIST_LIST_FLOAT = 12,
    GE_ATTR_LIST_STRING = 1001,
    GE_ATTR_LIST_FLOAT = 1002,
    GE_ATTR_LIST_BOOL = 1003,
    GE_ATTR_LIST_INT = 1004,
    GE_ATTR_LIST_TENSOR = 1006,
    GE_ATTR_LIST_BYTES = 1007,
    GE_ATTR_LIST_DATA_TYPE = 1011
};

/* An attribute at one glance. */
typedef struct ge_attr_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_attr_id attr;
    ge_owner_id owner;
    const char* GE_NULLABLE name; /* borrowed until the graph is changed or destroyed */
    uint64_t items_count;         /* integers, floats, texts or tensors in it; row lengths count too */
    ge_attr_kind kind;
    uint32_t reserved_0;
} ge_attr_info;

/**
 * Lists the attributes present on an owner, in the order they were added.
 *
 * @param graph        in, borrowed: the graph
 * @param owner        in: node, port, or 0 for the graph
 * @param attrs        out, nullable, borrowed: receives the ids
 * @param attrs_count  in: entries of attrs
 * @param out_count    out, borrowed: number of attributes
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_attrs(const ge_graph* GE_NONNULL graph, ge_owner_id owner, ge_attr_id* GE_NULLABLE attrs,
    size_t attrs_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Finds an attribute present on an owner. Defaults of the operator that were never written are not present.
 *
 * @param graph      in, borrowed: the graph
 * @param owner      in: node, port, or 0 for the graph
 * @param name       in, borrowed: the name
 * @param name_size  in: bytes of name, or GE_NTS
 * @param out_attr   out, borrowed: the attribute
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_find_attr(const ge_graph* GE_NONNULL graph, ge_owner_id owner, const char* GE_NONNULL name,
    size_t name_size, ge_attr_id* GE_NONNULL out_attr) GE_NOEXCEPT;

/**
 * Describes an attribute.
 *
 * @param graph          in, borrowed: the graph
 * @param attr           in: the attribute
 * @param out_info       out, borrowed: filled
 * @param out_info_size  in: sizeof *out_info
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_attr_info(const ge_graph* GE_NONNULL graph, ge_attr_id attr,
    ge_attr_info* GE_NONNULL out_info, size_t out_info_size) GE_NOEXCEPT;

/**
 * Adds an attribute, or gives an attribute of that name the new kind. It has no items yet; single ones hold 0, "" or nothing.
 *
 * @param graph      in, borrowed: changed
 * @param owner      in: node, port, or 0 for the graph
 * @param name       in, copied: the name
 * @param name_size  in: bytes of name, or GE_NTS
 * @param kind       in: its kind, not GE_ATTR_NONE
 * @param out_attr   out, borrowed: the attribute
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND when the operator declares another kind
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_add_attr(ge_graph* GE_NONNULL graph, ge_owner_id owner, const char* GE_NONNULL name,
    size_t name_size, ge_attr_kind kind, ge_attr_id* GE_NONNULL out_attr) GE_NOEXCEPT;

/**
 * Removes an attribute.
 *
 * @param graph  in, borrowed: changed
 * @param attr   in: the attribute; its id becomes stale
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_remove_attr(ge_graph* GE_NONNULL graph, ge_attr_id attr) GE_NOEXCEPT;

/**
 * Sets the items of an integer, boolean or data type attribute, single, list or rows.
 *
 * @param graph         in, borrowed: changed
 * @param attr          in: the attribute
 * @param values        in, nullable, copied: the items
 * @param values_count  in: entries of values; 1 for a single attribute
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_attr_ints(ge_graph* GE_NONNULL graph, ge_attr_id attr, const int64_t* GE_NULLABLE values,
    size_t values_count) GE_NOEXCEPT;

/**
 * Sets the items of a float attribute, single, list or rows.
 *
 * @param graph         in, borrowed: changed
 * @param attr          in: the attribute
 * @param values        in, nullable, copied: the items
 * @param values_count  in: entries of values; 1 for a single attribute
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_attr_floats(ge_graph* GE_NONNULL graph, ge_attr_id attr, const float* GE_NULLABLE values,
    size_t values_count) GE_NOEXCEPT;

/**
 * Sets one item of a string or bytes attribute, single or list. Setting the item behind the last one appends.
 *
 * @param graph      in, borrowed: changed
 * @param attr       in: the attribute
 * @param index      in: the item, 0 for a single attribute
 * @param text       in, copied: the text; any byte values for bytes
 * @param text_size  in: bytes of text, or GE_NTS
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_attr_text(ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    const char* GE_NONNULL text, size_t text_size) GE_NOEXCEPT;

/**
 * Sets one item of a tensor attribute, single or list. Setting the item behind the last one appends.
 *
 * @param graph   in, borrowed: changed
 * @param attr    in: the attribute
 * @param index   in: the item, 0 for a single attribute
 * @param tensor  in, borrowed: the tensor; the graph keeps it alive and treats it as read-only from now on
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_set_attr_tensor(ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    const ge_tensor* GE_NONNULL tensor) GE_NOEXCEPT;

/**
 * Reads the items of an integer, boolean or data type attribute.
 *
 * @param graph         in, borrowed: the graph
 * @param attr          in: the attribute
 * @param values        out, nullable, borrowed: receives the items
 * @param values_count  in: entries of values
 * @param out_count     out, borrowed: number of items
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_attr_ints(const ge_graph* GE_NONNULL graph, ge_attr_id attr, int64_t* GE_NULLABLE values,
    size_t values_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Reads the items of a float attribute.
 *
 * @param graph         in, borrowed: the graph
 * @param attr          in: the attribute
 * @param values        out, nullable, borrowed: receives the items
 * @param values_count  in: entries of values
 * @param out_count     out, borrowed: number of items
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_attr_floats(const ge_graph* GE_NONNULL graph, ge_attr_id attr, float* GE_NULLABLE values,
    size_t values_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Reads one item of a string or bytes attribute.
 *
 * @param graph          in, borrowed: the graph
 * @param attr           in: the attribute
 * @param index          in: the item, 0 for a single attribute
 * @param out_text       out, borrowed until the graph is changed or destroyed: the text
 * @param out_text_size  out, borrowed: bytes of text
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_get_attr_text(const ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    const char* GE_NULLABLE* GE_NONNULL out_text, size_t* GE_NONNULL out_text_size) GE_NOEXCEPT;

/**
 * Gives a tensor handle of the caller's own for one item of a tensor attribute. The bytes are shared and read-only.
 *
 * @param graph       in, borrowed: the graph
 * @param attr        in: the attribute
 * @param index       in: the item, 0 for a single attribute
 * @param out_tensor  out, owned: ge_tensor_destroy
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_tensor_create_from_attr(const ge_graph* GE_NONNULL graph, ge_attr_id attr, size_t index,
    ge_tensor* GE_NULLABLE* GE_NONNULL out_tensor) GE_NOEXCEPT;

/* ---- Builder ------------------------------------------------------------------------------------------------------------- */

/*
 * Adds operators to a new graph, or to an existing one (passes). One operator is: begin_op, its inputs in the order the operator
 * declares them, attributes in any order, end_op. The first failure in between stays with the operator: end_op reports it again
 * and drops the operator, and so does the next begin_op, so callers may check end_op only.
 */

/**
 * Creates a builder with a new graph.
 *
 * @param context      in, nullable, borrowed: the context
 * @param name         in, copied: name of the graph
 * @param name_size    in: bytes of name, or GE_NTS
 * @param out_builder  out, owned: ge_builder_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_create(const ge_context* GE_NULLABLE context, const char* GE_NONNULL name,
    size_t name_size, ge_builder* GE_NULLABLE* GE_NONNULL out_builder) GE_NOEXCEPT;

/**
 * Creates a builder that adds to an existing graph. Calls on the builder count as edits of the graph.
 *
 * @param graph        in, borrowed: the graph or view; stays alive for the builder
 * @param out_builder  out, owned: ge_builder_destroy
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_create_over(ge_graph* GE_NONNULL graph,
    ge_builder* GE_NULLABLE* GE_NONNULL out_builder) GE_NOEXCEPT;

/**
 * Destroys a builder. A new graph that was not built goes with it; an existing graph keeps what was added.
 *
 * @param builder  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back release and destroy of caller memory held by constants
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_builder_destroy(ge_builder* GE_NULLABLE builder) GE_NOEXCEPT;

/**
 * Gives a graph handle for the graph under construction: to set descs, attributes and edges of what is already there.
 *
 * @param builder    in, borrowed: the builder
 * @param out_graph  out, owned: ge_graph_destroy; names the same graph after the build
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_create_view(ge_builder* GE_NONNULL builder,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/**
 * Adds a graph input: a Data node.
 *
 * @param builder    in, borrowed: changed
 * @param name       in, nullable, copied: name of the node; NULL: "input_<index>"
 * @param name_size  in: bytes of name, or GE_NTS
 * @param index      in: position among the inputs; at the build they are 0, 1, 2, ...
 * @param desc       in, copied: its desc; unknown rank and dims allowed
 * @param out_value  out, borrowed: its value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_ALREADY_EXISTS, GE_ERR_WRONG_STATE, GE_ERR_SHAPE, GE_ERR_RANK
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_add_graph_input(ge_builder* GE_NONNULL builder, const char* GE_NULLABLE name,
    size_t name_size, uint32_t index, const ge_tensor_desc* GE_NONNULL desc, ge_value_id* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Adds a constant: a Const node.
 *
 * @param builder    in, borrowed: changed
 * @param name       in, nullable, copied: name of the node; NULL: made up
 * @param name_size  in: bytes of name, or GE_NTS
 * @param tensor     in, borrowed: its content; the graph keeps it alive and treats it as read-only from now on
 * @param out_value  out, borrowed: its value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_ALREADY_EXISTS, GE_ERR_WRONG_STATE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_add_constant(ge_builder* GE_NONNULL builder, const char* GE_NULLABLE name,
    size_t name_size, const ge_tensor* GE_NONNULL tensor, ge_value_id* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Adds a constant of integers, a scalar or a vector. Each value must fit the data type.
 *
 * @param builder       in, borrowed: changed
 * @param dtype         in: an integer type or bool
 * @param values        in, nullable, copied: the elements; uint64 as the same bits
 * @param values_count  in: entries of values
 * @param is_vector     in: 0: a scalar, values_count is 1; 1: a vector
 * @param out_value     out, borrowed: its value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_DTYPE, GE_ERR_OUT_OF_RANGE, GE_ERR_SHAPE, GE_ERR_WRONG_STATE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_add_ints(ge_builder* GE_NONNULL builder, ge_dtype dtype, const int64_t* GE_NULLABLE values,
    size_t values_count, int32_t is_vector, ge_value_id* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Adds a constant of floating-point numbers, a scalar or a vector, rounded to the data type.
 *
 * @param builder       in, borrowed: changed
 * @param dtype         in: a floating-point type
 * @param values        in, nullable, copied: the elements
 * @param values_count  in: entries of values
 * @param is_vector     in: 0: a scalar, values_count is 1; 1: a vector
 * @param out_value     out, borrowed: its value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_DTYPE, GE_ERR_SHAPE, GE_ERR_WRONG_STATE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_add_floats(ge_builder* GE_NONNULL builder, ge_dtype dtype,
    const double* GE_NULLABLE values, size_t values_count, int32_t is_vector, ge_value_id* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Adds a variable: a Variable node, whose content lives in a state.
 *
 * @param builder    in, borrowed: changed
 * @param name       in, copied: name of the node and of the variable
 * @param name_size  in: bytes of name, or GE_NTS
 * @param desc       in, copied: its desc, every dim known
 * @param initial    in, nullable, borrowed: first content, kept alive by the graph; NULL: none until one is assigned
 * @param out_value  out, borrowed: its value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_ALREADY_EXISTS, GE_ERR_WRONG_STATE, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_add_variable(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name, size_t name_size,
    const ge_tensor_desc* GE_NONNULL desc, const ge_tensor* GE_NULLABLE initial, ge_value_id* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Begins an operator.
 *
 * @param builder       in, borrowed: changed
 * @param op_type       in, copied: e.g. "Add"
 * @param op_type_size  in: bytes of op_type, or GE_NTS
 * @param name          in, nullable, copied: name of the node; NULL: "<op_type>_<n>" with one counter per builder
 * @param name_size     in: bytes of name, or GE_NTS
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNSUPPORTED_OPERATOR, GE_ERR_ALREADY_EXISTS, GE_ERR_WRONG_STATE when one is open and sound
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_begin_op(ge_builder* GE_NONNULL builder, const char* GE_NONNULL op_type,
    size_t op_type_size, const char* GE_NULLABLE name, size_t name_size) GE_NOEXCEPT;

/**
 * Connects the next declared input, which is required or optional.
 *
 * @param builder  in, borrowed: changed
 * @param value    in: the value, or 0 to leave an optional input unconnected
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_OUT_OF_RANGE beyond the last input, GE_ERR_WRONG_KIND at a dynamic input
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_add_input(ge_builder* GE_NONNULL builder, ge_value_id value) GE_NOEXCEPT;

/**
 * Connects the next declared input, which is dynamic: all its values at once.
 *
 * @param builder       in, borrowed: changed
 * @param values        in, nullable, copied: the values
 * @param values_count  in: entries of values
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_OUT_OF_RANGE beyond the last input, GE_ERR_WRONG_KIND at another input
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_add_inputs(ge_builder* GE_NONNULL builder, const ge_value_id* GE_NULLABLE values,
    size_t values_count) GE_NOEXCEPT;

/**
 * Sets how many values a dynamic output has.
 *
 * @param builder       in, borrowed: changed
 * @param output        in, borrowed: name of the dynamic output
 * @param output_size   in: bytes of output, or GE_NTS
 * @param values_count  in: number of values
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_NOT_FOUND, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_output_count(ge_builder* GE_NONNULL builder, const char* GE_NONNULL output,
    size_t output_size, uint32_t values_count) GE_NOEXCEPT;

/**
 * Sets a single integer, boolean or data type attribute.
 *
 * @param builder    in, borrowed: changed
 * @param name       in, copied: the attribute
 * @param name_size  in: bytes of name, or GE_NTS
 * @param kind       in: GE_ATTR_NONE, GE_ATTR_INT, GE_ATTR_BOOL or GE_ATTR_DATA_TYPE
 * @param value      in: the value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_attr_int(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name, size_t name_size,
    ge_attr_kind kind, int64_t value) GE_NOEXCEPT;

/**
 * Sets a single float attribute.
 *
 * @param builder    in, borrowed: changed
 * @param name       in, copied: the attribute
 * @param name_size  in: bytes of name, or GE_NTS
 * @param value      in: the value
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_attr_float(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name,
    size_t name_size, float value) GE_NOEXCEPT;

/**
 * Sets a single string or bytes attribute.
 *
 * @param builder    in, borrowed: changed
 * @param name       in, copied: the attribute
 * @param name_size  in: bytes of name, or GE_NTS
 * @param kind       in: GE_ATTR_NONE, GE_ATTR_STRING or GE_ATTR_BYTES
 * @param text       in, copied: the value
 * @param text_size  in: bytes of text, or GE_NTS
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_attr_text(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name,
    size_t name_size, ge_attr_kind kind, const char* GE_NONNULL text, size_t text_size) GE_NOEXCEPT;

/**
 * Sets a single tensor attribute.
 *
 * @param builder    in, borrowed: changed
 * @param name       in, copied: the attribute
 * @param name_size  in: bytes of name, or GE_NTS
 * @param tensor     in, borrowed: the value; the graph keeps it alive and treats it as read-only from now on
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_attr_tensor(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name,
    size_t name_size, const ge_tensor* GE_NONNULL tensor) GE_NOEXCEPT;

/**
 * Sets a list attribute of integers, booleans, data types, or rows of integers.
 *
 * @param builder       in, borrowed: changed
 * @param name          in, copied: the attribute
 * @param name_size     in: bytes of name, or GE_NTS
 * @param kind          in: GE_ATTR_NONE, GE_ATTR_LIST_INT, GE_ATTR_LIST_BOOL, GE_ATTR_LIST_DATA_TYPE or GE_ATTR_LIST_LIST_INT
 * @param values        in, nullable, copied: the items
 * @param values_count  in: entries of values
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_attr_ints(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name,
    size_t name_size, ge_attr_kind kind, const int64_t* GE_NULLABLE values, size_t values_count) GE_NOEXCEPT;

/**
 * Sets a list attribute of floats, or rows of floats.
 *
 * @param builder       in, borrowed: changed
 * @param name          in, copied: the attribute
 * @param name_size     in: bytes of name, or GE_NTS
 * @param kind          in: GE_ATTR_NONE, GE_ATTR_LIST_FLOAT or GE_ATTR_LIST_LIST_FLOAT
 * @param values        in, nullable, copied: the items
 * @param values_count  in: entries of values
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_attr_floats(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name,
    size_t name_size, ge_attr_kind kind, const float* GE_NULLABLE values, size_t values_count) GE_NOEXCEPT;

/**
 * Sets a list attribute of strings.
 *
 * @param builder      in, borrowed: changed
 * @param name         in, copied: the attribute
 * @param name_size    in: bytes of name, or GE_NTS
 * @param texts        in, nullable, copied: zero-terminated strings
 * @param texts_count  in: entries of texts
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_WRONG_KIND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_set_attr_texts(ge_builder* GE_NONNULL builder, const char* GE_NONNULL name,
    size_t name_size, const char* GE_NONNULL const* GE_NULLABLE texts, size_t texts_count) GE_NOEXCEPT;

/**
 * Ends the operator: checks inputs and required attributes and adds the node. On failure the operator is dropped.
 *
 * @param builder       in, borrowed: changed
 * @param values        out, nullable, borrowed: receives the outputs, dynamic ones in place; at most values_count of them
 * @param values_count  in: entries of values; fewer than there are outputs is fine here
 * @param out_node      out, nullable, borrowed: the node
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_BAD_GRAPH for a missing input, GE_ERR_BAD_ATTR for a missing attribute, or the
 *         first failure since begin_op
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_end_op(ge_builder* GE_NONNULL builder, ge_value_id* GE_NULLABLE values,
    size_t values_count, ge_node_id* GE_NULLABLE out_node) GE_NOEXCEPT;

/**
 * Sets the outputs, checks the graph and hands it over. The builder is done afterwards; on failure it goes on as before.
 * Descs of operator outputs stay as they are: building never infers.
 *
 * @param builder        in, borrowed: done
 * @param outputs        in, nullable, copied: the outputs; NULL keeps those of ge_graph_set_outputs
 * @param outputs_count  in: entries of outputs
 * @param out_graph      out, owned: ge_graph_destroy; value and node ids of the builder stay valid in it
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE, GE_ERR_BAD_GRAPH, GE_ERR_BAD_ATTR
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_builder_build(ge_builder* GE_NONNULL builder, const ge_value_id* GE_NULLABLE outputs,
    size_t outputs_count, ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/* ---- Import -------------------------------------------------------------------------------------------------------------- */

typedef int32_t ge_file_format;
enum {
    GE_FILE_AUTO = 0, /* told by the content */
    GE_FILE_ONNX = 1  /* ONNX, binary protobuf */
};

/* One thing that is wrong in a model. Text is borrowed during the callback and empty where nothing is known.
 * An import also tells what does not stop it: with a status, a node whose shapes clash or an output that is not what the model
 * declares; with GE_OK, a warning. */
typedef struct ge_problem {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_status status;
    int32_t opset;                    /* operator set version of the node, or 0 */
    const char* GE_NULLABLE message;  /* one line, complete without the fields below */
    const char* GE_NULLABLE node;     /* name of the node */
    const char* GE_NULLABLE op_type;  /* as the model spells it */
    const char* GE_NULLABLE domain;   /* as the model spells it */
    const char* GE_NULLABLE argument; /* input, output or attribute concerned */
    const char* GE_NULLABLE found;
    const char* GE_NULLABLE wanted;
    uint64_t offset;                  /* byte offset in the file, or 0 */
} ge_problem;

/**
 * Receives one problem. Called on the thread of the call that finds it, never at the same time as itself; may call functions on
 * objects the running call does not use.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param problem    in, borrowed: the problem
 * @return GE_OK to go on and find more; else the call stops and returns that status
 * @thread exclusive  @blocks no  @calls_back allowed, on other objects
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_problem_fn)(void* GE_NULLABLE user_data, const ge_problem* GE_NONNULL problem);

/* How to import a model. With a problem callback, everything wrong is reported before the call fails with the first of it. */
typedef struct ge_import_options {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const ge_options* GE_NULLABLE options;      /* borrowed: options of import level */
    const char* GE_NULLABLE base_path;          /* borrowed: folder of external data; NULL: the model's own, none from memory */
    uint64_t base_path_size;                    /* bytes of base_path, or GE_NTS */
    ge_problem_fn GE_NULLABLE problem;          /* borrowed */
    void* GE_NULLABLE problem_user_data;        /* kept until problem_destroy */
    ge_destroy_fn GE_NULLABLE problem_destroy;  /* borrowed: called once before the import returns */
} ge_import_options;
#define GE_IMPORT_OPTIONS_INIT {sizeof(ge_import_options), 0, NULL, NULL, 0, NULL, NULL, NULL}

/**
 * Sets import options to their defaults.
 *
 * @param options       out, borrowed: filled
 * @param options_size  in: sizeof *options
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_import_options_init(ge_import_options* GE_NONNULL options, size_t options_size) GE_NOEXCEPT;

/**
 * Reads a model from memory.
 *
 * @param context    in, nullable, borrowed: the context
 * @param format     in: what the bytes are
 * @param data       in, copied: the bytes of the model
 * @param data_size  in: bytes of data
 * @param options    in, nullable, borrowed: how
 * @param out_graph  out, owned: ge_graph_destroy
 * @thread free  @blocks while reading  @calls_back problem, problem_destroy
 * @errors usual, GE_ERR_MALFORMED, GE_ERR_TRUNCATED, GE_ERR_BAD_GRAPH, GE_ERR_BAD_ATTR, GE_ERR_EXTERNAL_DATA, GE_ERR_FILE,
 *         GE_ERR_LIMIT, GE_ERR_RANK, class GE_CLASS_UNSUPPORTED, what problem returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_import(const ge_context* GE_NULLABLE context, ge_file_format format,
    const uint8_t* GE_NONNULL data, size_t data_size, const ge_import_options* GE_NULLABLE options,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/**
 * Reads a model from a file. Large constants stay in the mapped file unless "ge.map" is 0; replace such files by rename.
 *
 * @param context    in, nullable, borrowed: the context
 * @param format     in: what the file is
 * @param path       in, copied: the file
 * @param path_size  in: bytes of path, or GE_NTS
 * @param options    in, nullable, borrowed: how
 * @param out_graph  out, owned: ge_graph_destroy
 * @thread free  @blocks while reading  @calls_back problem, problem_destroy
 * @errors as ge_graph_import
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_import_file(const ge_context* GE_NULLABLE context, ge_file_format format,
    const char* GE_NONNULL path, size_t path_size, const ge_import_options* GE_NULLABLE options,
    ge_graph* GE_NULLABLE* GE_NONNULL out_graph) GE_NOEXCEPT;

/* ---- Dumps --------------------------------------------------------------------------------------------------------------- */

typedef int32_t ge_dump_format;
enum {
    GE_DUMP_GE_TEXT = 1,  /* GE's protobuf text of a graph, without weights */
    GE_DUMP_READABLE = 2, /* GE's one line per node */
    GE_DUMP_DOT = 3,      /* a drawing for Graphviz */
    GE_DUMP_IR = 4,       /* own graph text, which reads back */
    GE_DUMP_PASSES = 5,   /* models: what each pass changed */
    GE_DUMP_KERNELS = 6,  /* models: the kernel of each step, and why others were refused */
    GE_DUMP_PLAN = 7,     /* models: steps with kernels, operands and offsets */
    GE_DUMP_SUMMARY = 8   /* models: the figures of ge_model_summary */
};

/**
 * Receives part of an output. Called on the thread of the call that writes, never at the same time as itself; may call functions
 * on objects the running call does not use.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param data       in, borrowed: the bytes
 * @param data_size  in: bytes of data
 * @return GE_OK, or a status that stops the call
 * @thread exclusive  @blocks no  @calls_back allowed, on other objects
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_write_fn)(void* GE_NULLABLE user_data, const uint8_t* GE_NONNULL data, size_t data_size);

/**
 * Writes a graph as text into a buffer.
 *
 * @param graph        in, borrowed: the graph
 * @param format       in: GE_DUMP_GE_TEXT to GE_DUMP_IR
 * @param buffer       out, nullable, borrowed: receives the text
 * @param buffer_size  in: bytes of buffer
 * @param out_size     out, borrowed: full size of the text
 * @thread const  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNSUPPORTED_FORMAT
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_dump(const ge_graph* GE_NONNULL graph, ge_dump_format format, char* GE_NULLABLE buffer,
    size_t buffer_size, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Writes a graph as text through a callback.
 *
 * @param graph      in, borrowed: the graph
 * @param format     in: GE_DUMP_GE_TEXT to GE_DUMP_IR
 * @param write      in, borrowed: receives the text in parts
 * @param user_data  in, nullable, kept until destroy: passed to write
 * @param destroy    in, nullable, borrowed: called once before the call returns
 * @thread const  @blocks while write does  @calls_back write, destroy
 * @errors usual, GE_ERR_UNSUPPORTED_FORMAT, what the callback returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_dump_to(const ge_graph* GE_NONNULL graph, ge_dump_format format,
    ge_write_fn GE_NONNULL write, void* GE_NULLABLE user_data, ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/* ---- Utilities on graphs ------------------------------------------------------------------------------------------------- */

typedef int32_t ge_backend;
enum {
    GE_BACKEND_ANY = 0,  /* whatever the context has */
    GE_BACKEND_CPU = 1,  /* the built-in kernels */
    GE_BACKEND_DNNL = 2, /* the oneDNN plugin */
    GE_BACKEND_ACL = 3   /* an Ascend device */
};

/**
 * Infers shapes and data types of every value and writes them into the graph; nothing else changes.
 *
 * @param graph        in, borrowed: changed
 * @param dims         in, nullable, copied: new shapes of the inputs, one behind the other; NULL with 0: those of the Data nodes
 * @param dims_count   in: entries of dims, the sum of ranks
 * @param ranks        in, nullable, copied: rank of each input, in order of index
 * @param ranks_count  in: number of inputs, or 0 for no new shapes
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_BAD_GRAPH, GE_ERR_BAD_ATTR, GE_ERR_SHAPE, GE_ERR_RANK, GE_ERR_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_infer_shapes(ge_graph* GE_NONNULL graph, const int64_t* GE_NULLABLE dims, size_t dims_count,
    const int32_t* GE_NULLABLE ranks, size_t ranks_count) GE_NOEXCEPT;

/**
 * Tells whether a backend can run a node as it stands, and why not.
 *
 * @param graph        in, borrowed: the graph
 * @param node         in: the node
 * @param backend      in: the backend
 * @param buffer       out, nullable, borrowed: receives the reasons, one line each
 * @param buffer_size  in: bytes of buffer
 * @param out_size     out, borrowed: full size of the reasons; 0: the node is supported
 * @thread const  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_query_support(const ge_graph* GE_NONNULL graph, ge_node_id node, ge_backend backend,
    char* GE_NULLABLE buffer, size_t buffer_size, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/* ---- Compile and model --------------------------------------------------------------------------------------------------- */

/**
 * Receives the progress of a compilation. Called on the compiling thread, never at the same time as itself, at most a hundred
 * times a second; may call functions on objects the compilation does not use.
 *
 * @param user_data   in, nullable, kept until destroy: the pointer of the triple
 * @param stage       in, borrowed: zero-terminated name of the stage, e.g. "infer", a pass, "plan"
 * @param stage_size  in: bytes of stage
 * @param done        in: units of work done in all stages
 * @param total       in: units of work expected in all; may change
 * @return GE_OK to go on; else the compilation stops and returns that status
 * @thread exclusive  @blocks no  @calls_back allowed, on other objects
 * @errors the callback's own
 * @since 1.0  @deprecated no
 */
typedef ge_status (*ge_progress_fn)(void* GE_NULLABLE user_data, const char* GE_NONNULL stage, size_t stage_size,
    uint64_t done, uint64_t total);

/* How to compile a graph. */
typedef struct ge_compile_options {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const ge_options* GE_NULLABLE options;       /* borrowed: options of compile level */
    ge_progress_fn GE_NULLABLE progress;         /* borrowed */
    void* GE_NULLABLE progress_user_data;        /* kept until progress_destroy */
    ge_destroy_fn GE_NULLABLE progress_destroy;  /* borrowed: called once before the compilation returns */
    ge_problem_fn GE_NULLABLE problem;           /* borrowed: every node that cannot be compiled, not only the first */
    void* GE_NULLABLE problem_user_data;         /* kept until problem_destroy */
    ge_destroy_fn GE_NULLABLE problem_destroy;   /* borrowed: called once before the compilation returns */
} ge_compile_options;
#define GE_COMPILE_OPTIONS_INIT {sizeof(ge_compile_options), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/* Figures of a compiled model. Byte figures of models with unknown dims are those of the shapes planned last, 0 before that. */
typedef struct ge_model_summary {
    uint32_t struct_size;
    uint32_t reserved_flags;
    int32_t is_static;              /* 1: every shape is known */
    uint32_t streams_count;
    uint64_t source_nodes_count;    /* nodes of the graph given */
    uint64_t nodes_count;           /* nodes after the passes */
    uint64_t steps_count;           /* steps of the plan; of a model with unknown dims: nodes that may need one */
    uint64_t inputs_count;
    uint64_t outputs_count;
    uint64_t metadata_count;
    uint64_t constant_bytes;        /* weights as the model holds them */
    uint64_t packed_bytes;          /* of these, copies in the layout of a kernel */
    uint64_t activation_bytes;      /* planned area of all intermediate tensors */
    uint64_t lower_bound_bytes;     /* most bytes of them alive at once: no plan needs less */
    uint64_t scratch_bytes;         /* planned work area of kernels */
    uint64_t compile_ns;            /* time the compilation took */
    uint64_t feature_peak_bytes;    /* most memory for intermediate tensors and work areas held at once, by all runs together */
} ge_model_summary;

/* An input or output of a model. Pointers are borrowed until the model is destroyed. */
typedef struct ge_io_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE name;
    ge_value_kind kind;
    int32_t is_optional;            /* 1: has a default and may stay unbound */
    ge_dtype dtype;                 /* of a sequence, map or optional: of the tensors inside */
    ge_format format;
    int32_t rank;                   /* -1: unknown */
    uint32_t reserved_0;
    const int64_t* GE_NULLABLE dims;                      /* rank entries, -1 where unknown */
    const char* GE_NULLABLE const* GE_NULLABLE dim_names; /* rank entries, NULL where a dim has no symbol */
    uint64_t data_size;             /* bytes of a tensor of this shape, 0 when not known */
} ge_io_info;

/**
 * Sets compile options to their defaults.
 *
 * @param options       out, borrowed: filled
 * @param options_size  in: sizeof *options
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_compile_options_init(ge_compile_options* GE_NONNULL options, size_t options_size) GE_NOEXCEPT;

/**
 * Compiles a graph. The graph is not changed; constants are shared with the model where no other layout is better.
 *
 * @param graph      in, borrowed: the graph, with outputs
 * @param options    in, nullable, borrowed: how
 * @param out_model  out, owned: ge_model_destroy
 * @thread const  @blocks while compiling  @calls_back progress, problem and their destroys
 * @errors usual, GE_ERR_BAD_GRAPH, GE_ERR_BAD_ATTR, GE_ERR_LIMIT, classes GE_CLASS_COMPILE, GE_CLASS_UNSUPPORTED,
 *         what a callback returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_graph_compile(const ge_graph* GE_NONNULL graph, const ge_compile_options* GE_NULLABLE options,
    ge_model* GE_NULLABLE* GE_NONNULL out_model) GE_NOEXCEPT;

/**
 * Destroys a model handle. Runs in flight and bindings go on; memory goes with the last of them.
 *
 * @param model  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back release and destroy of caller memory held by constants
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_model_destroy(ge_model* GE_NULLABLE model) GE_NOEXCEPT;

/**
 * Reads the figures of a model.
 *
 * @param model             in, borrowed: the model
 * @param out_summary       out, borrowed: filled
 * @param out_summary_size  in: sizeof *out_summary
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_get_summary(const ge_model* GE_NONNULL model, ge_model_summary* GE_NONNULL out_summary,
    size_t out_summary_size) GE_NOEXCEPT;

/**
 * Describes all inputs or all outputs.
 *
 * @param model        in, borrowed: the model
 * @param direction    in: inputs or outputs
 * @param infos        out, nullable, borrowed: one entry each, in order
 * @param infos_count  in: entries of infos
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @param out_count    out, borrowed: number of inputs or outputs
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_get_io_infos(const ge_model* GE_NONNULL model, ge_direction direction,
    ge_io_info* GE_NULLABLE infos, size_t infos_count, size_t info_size, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Finds an input or output by name.
 *
 * @param model      in, borrowed: the model
 * @param direction  in: inputs or outputs
 * @param name       in, borrowed: the name
 * @param name_size  in: bytes of name, or GE_NTS
 * @param out_index  out, borrowed: its index
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_find_io(const ge_model* GE_NONNULL model, ge_direction direction,
    const char* GE_NONNULL name, size_t name_size, size_t* GE_NONNULL out_index) GE_NOEXCEPT;

/**
 * Reads one pair of the model's metadata, e.g. "producer_name".
 *
 * @param model           in, borrowed: the model
 * @param index           in: from 0 to metadata_count - 1
 * @param out_key         out, borrowed until the model is destroyed: the key
 * @param out_key_size    out, nullable, borrowed: bytes of key
 * @param out_value       out, borrowed until the model is destroyed: the value
 * @param out_value_size  out, nullable, borrowed: bytes of value
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_get_metadata(const ge_model* GE_NONNULL model, size_t index,
    const char* GE_NULLABLE* GE_NONNULL out_key, size_t* GE_NULLABLE out_key_size, const char* GE_NULLABLE* GE_NONNULL out_value,
    size_t* GE_NULLABLE out_value_size) GE_NOEXCEPT;

/**
 * Writes a model as text into a buffer: its optimised graph, or one of the reports.
 *
 * @param model        in, borrowed: the model
 * @param format       in: any dump format
 * @param buffer       out, nullable, borrowed: receives the text
 * @param buffer_size  in: bytes of buffer
 * @param out_size     out, borrowed: full size of the text
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_UNSUPPORTED_FORMAT
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_dump(const ge_model* GE_NONNULL model, ge_dump_format format, char* GE_NULLABLE buffer,
    size_t buffer_size, size_t* GE_NONNULL out_size) GE_NOEXCEPT;

/**
 * Writes a model as text through a callback.
 *
 * @param model      in, borrowed: the model
 * @param format     in: any dump format
 * @param write      in, borrowed: receives the text in parts
 * @param user_data  in, nullable, kept until destroy: passed to write
 * @param destroy    in, nullable, borrowed: called once before the call returns
 * @thread free  @blocks while write does  @calls_back write, destroy
 * @errors usual, GE_ERR_UNSUPPORTED_FORMAT, what the callback returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_dump_to(const ge_model* GE_NONNULL model, ge_dump_format format,
    ge_write_fn GE_NONNULL write, void* GE_NULLABLE user_data, ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/* Parts of the memory of a model. The numbers are those of ge_binding_set_memory and ge_session_set_memory. */
typedef int32_t ge_area;
enum {
    GE_AREA_CONSTANTS = 1,           /* weights */
    GE_AREA_FEATURES = 2,            /* all intermediate tensors and work areas */
    GE_AREA_FIXED_FEATURES = 3,      /* part of them that keeps its address */
    GE_AREA_REFRESHABLE_FEATURES = 4 /* part of them that may move between runs */
};

/* One part of the memory of a model. */
typedef struct ge_area_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    ge_area area;
    int32_t memory_type;    /* GE's number: 0 default, 1 peer to peer */
    int32_t is_fixed;       /* 1: keeps its address once set */
    int32_t is_refreshable; /* 1: may be set again after the first run */
    uint64_t area_bytes;
    uint64_t alignment;
} ge_area_info;

/* What a model did since it was made, bodies of control flow included. A steady state changes runs_count only. */
typedef struct ge_model_counters {
    uint32_t struct_size;
    uint32_t reserved_flags;
    uint64_t runs_count;
    uint64_t instances_count;   /* plans made for new input shapes */
    uint64_t found_count;       /* times a plan made before was taken for the shapes of a run or of a binding */
    uint64_t evicted_count;     /* plans given up for others: ge.maxShapes bounds how many are kept */
    uint64_t primitives_count;  /* kernels prepared: when compiled, later for new sizes only where a kernel depends on them */
    uint64_t packings_count;    /* weights brought into another layout */
    uint64_t copies_count;      /* outputs that runs copied into place instead of writing them there */
    uint64_t allocations_count; /* allocations on the run path */
    uint64_t pooled_bytes;      /* memory held for later runs */
} ge_model_counters;

/**
 * Describes the memory a model needs, part by part.
 *
 * @param model        in, borrowed: the model
 * @param infos        out, nullable, borrowed: one entry per part
 * @param infos_count  in: entries of infos
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @param out_count    out, borrowed: number of entries
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE for a model with unknown dims
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_get_area_infos(const ge_model* GE_NONNULL model, ge_area_info* GE_NULLABLE infos,
    size_t infos_count, size_t info_size, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Reads what a model did so far.
 *
 * @param model              in, borrowed: the model
 * @param out_counters       out, borrowed: filled
 * @param out_counters_size  in: sizeof *out_counters
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_get_counters(const ge_model* GE_NONNULL model, ge_model_counters* GE_NONNULL out_counters,
    size_t out_counters_size) GE_NOEXCEPT;

/**
 * Gives back memory a model holds for later runs.
 *
 * @param model       in, borrowed: the model
 * @param keep_bytes  in: how much it may keep
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_trim(const ge_model* GE_NONNULL model, uint64_t keep_bytes) GE_NOEXCEPT;

/* ---- State -------------------------------------------------------------------------------------------------------------- */

/*
 * A state holds the contents of variables: Variable nodes with their names (shared_name when it is set), which Assign and its kin
 * change in place. Runs on one state are serialised; runs on different states of one model are not. A run without a state uses a
 * fresh one and drops it. What the graph leaves open happens in the order its nodes were made; Identity keeps what it read. A run
 * that fails may leave variables it writes changed or half written.
 */

/**
 * Creates a state for one or several models of one context, with first contents. Variables of one name are shared; where several
 * models have first content for one, that of the first model holds.
 *
 * @param models        in, borrowed: the models
 * @param models_count  in: entries of models
 * @param out_state     out, owned: ge_state_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_SHAPE, GE_ERR_DTYPE where models disagree on a variable, GE_ERR_OUT_OF_RANGE for no model
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_create(const ge_model* GE_NONNULL const* GE_NONNULL models, size_t models_count,
    ge_state* GE_NULLABLE* GE_NONNULL out_state) GE_NOEXCEPT;

/**
 * Copies a state with the content it has between two runs.
 *
 * @param state      in, borrowed: the state
 * @param out_state  out, owned: ge_state_destroy
 * @thread free  @blocks until the run on it ends  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_copy(const ge_state* GE_NONNULL state,
    ge_state* GE_NULLABLE* GE_NONNULL out_state) GE_NOEXCEPT;

/**
 * Destroys a state handle; the state goes with its last user.
 *
 * @param state  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_state_destroy(ge_state* GE_NULLABLE state) GE_NOEXCEPT;

/**
 * Describes the variables of a state.
 *
 * @param state        in, borrowed: the state
 * @param infos        out, nullable, borrowed: one entry each; pointers in them are borrowed until the state is destroyed
 * @param infos_count  in: entries of infos
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @param out_count    out, borrowed: number of entries
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_get_infos(const ge_state* GE_NONNULL state, ge_io_info* GE_NULLABLE infos,
    size_t infos_count, size_t info_size, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Finds a variable by name.
 *
 * @param state      in, borrowed: the state
 * @param name       in, borrowed: the name
 * @param name_size  in: bytes of name, or GE_NTS
 * @param out_index  out, borrowed: its index
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_find(const ge_state* GE_NONNULL state, const char* GE_NONNULL name, size_t name_size,
    size_t* GE_NONNULL out_index) GE_NOEXCEPT;

/**
 * Copies the content of a variable.
 *
 * @param state      in, borrowed: the state
 * @param index      in: the variable
 * @param out_value  out, owned: ge_value_destroy
 * @thread free  @blocks until the run on it ends  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_NOT_FOUND when it has no content yet
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_copy_value(const ge_state* GE_NONNULL state, size_t index,
    ge_value* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Sets the content of a variable.
 *
 * @param state  in, borrowed: changed
 * @param index  in: the variable
 * @param value  in, copied: the content
 * @thread free  @blocks until the run on it ends  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_WRONG_KIND, GE_ERR_SHAPE, GE_ERR_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_set_value(ge_state* GE_NONNULL state, size_t index,
    const ge_value* GE_NONNULL value) GE_NOEXCEPT;

/**
 * Gives every variable its first content again.
 *
 * @param state  in, borrowed: changed
 * @thread free  @blocks until the run on it ends  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_reset(ge_state* GE_NONNULL state) GE_NOEXCEPT;

/**
 * Writes a state, to be read back by ge_state_import.
 *
 * @param state      in, borrowed: the state
 * @param write      in, borrowed: receives the bytes in parts
 * @param user_data  in, nullable, kept until destroy: passed to the callback
 * @param destroy    in, nullable, borrowed: called once before the call returns
 * @thread free  @blocks until the run on it ends, and while write does  @calls_back write, destroy
 * @errors usual, what write returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_export(const ge_state* GE_NONNULL state, ge_write_fn GE_NONNULL write,
    void* GE_NULLABLE user_data, ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

/**
 * Sets the content of every variable named in the bytes.
 *
 * @param state      in, borrowed: changed
 * @param data       in, copied: what ge_state_export wrote
 * @param data_size  in: bytes of data, or GE_NTS
 * @thread free  @blocks until the run on it ends  @calls_back no
 * @errors usual, GE_ERR_MALFORMED, GE_ERR_TRUNCATED, GE_ERR_NOT_FOUND, GE_ERR_SHAPE, GE_ERR_DTYPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_state_import(ge_state* GE_NONNULL state, const uint8_t* GE_NONNULL data,
    size_t data_size) GE_NOEXCEPT;

/**
 * Lets the runs of a binding use a state.
 *
 * @param binding  in, borrowed: changed
 * @param state    in, nullable, borrowed: kept alive by the binding; NULL: a fresh one each run
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_NOT_FOUND when the state lacks a variable of the model, GE_ERR_SHAPE, GE_ERR_DTYPE when it has another
 *         of that name, GE_ERR_WRONG_STATE during a run
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_set_state(ge_binding* GE_NONNULL binding, ge_state* GE_NULLABLE state) GE_NOEXCEPT;

/* ---- Run ----------------------------------------------------------------------------------------------------------------- */

/* How to run. */
typedef struct ge_run_options {
    uint32_t struct_size;
    uint32_t reserved_flags;
    int64_t deadline_ns; /* monotonic clock time after which the run ends with GE_ERR_DEADLINE; 0: none */
} ge_run_options;
#define GE_RUN_OPTIONS_INIT {sizeof(ge_run_options), 0, 0}

/**
 * Sets run options to their defaults.
 *
 * @param options       out, borrowed: filled
 * @param options_size  in: sizeof *options
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_run_options_init(ge_run_options* GE_NONNULL options, size_t options_size) GE_NOEXCEPT;

/**
 * Runs a model once on the calling thread and the workers of its context. The library makes the outputs; a binding writes into
 * memory of the caller.
 *
 * @param model          in, borrowed: the model
 * @param options        in, nullable, borrowed: how
 * @param inputs         in, nullable, borrowed: one value per input, in order; NULL entries for optional inputs
 * @param inputs_count   in: number of inputs
 * @param outputs        out, nullable, borrowed: receives one value per output, each owned: ge_value_destroy
 * @param outputs_count  in: number of outputs
 * @thread free  @blocks while running  @calls_back no
 * @errors usual, GE_ERR_NOT_BOUND, GE_ERR_OUT_OF_RANGE for a wrong count, GE_ERR_WRONG_KIND, GE_ERR_DTYPE, GE_ERR_RANK,
 *         GE_ERR_SHAPE, GE_ERR_LIMIT, GE_ERR_DEADLINE, classes GE_CLASS_DEVICE, GE_CLASS_COMPILE for shapes not planned before
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_run(const ge_model* GE_NONNULL model, const ge_run_options* GE_NULLABLE options,
    const ge_value* GE_NULLABLE const* GE_NULLABLE inputs, size_t inputs_count, ge_value* GE_NULLABLE* GE_NULLABLE outputs,
    size_t outputs_count) GE_NOEXCEPT;

/**
 * Creates a binding of a model. One thread uses it at a time; make one per thread.
 *
 * @param model        in, borrowed: the model; stays alive for the binding
 * @param out_binding  out, owned: ge_binding_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_create(const ge_model* GE_NONNULL model,
    ge_binding* GE_NULLABLE* GE_NONNULL out_binding) GE_NOEXCEPT;

/**
 * Destroys a binding and lets its values go; during a run, at its end.
 *
 * @param binding  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back release and destroy of caller memory
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_binding_destroy(ge_binding* GE_NULLABLE binding) GE_NOEXCEPT;

/**
 * Binds a value to an input. Each run reads its bytes anew, so they may be rewritten between runs.
 *
 * @param binding  in, borrowed: changed
 * @param index    in: the input
 * @param value    in, nullable, borrowed: kept alive by the binding; NULL unbinds
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_WRONG_KIND, GE_ERR_DTYPE, GE_ERR_RANK, GE_ERR_SHAPE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_set_input(ge_binding* GE_NONNULL binding, size_t index,
    const ge_value* GE_NULLABLE value) GE_NOEXCEPT;

/**
 * Binds a value to an output; runs write into its memory, which must fit the shape exactly.
 *
 * @param binding  in, borrowed: changed
 * @param index    in: the output
 * @param value    in, nullable, borrowed: kept alive by the binding; NULL: memory of the binding's own
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_WRONG_KIND, GE_ERR_DTYPE, GE_ERR_RANK, GE_ERR_SHAPE, GE_ERR_READ_ONLY
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_set_output(ge_binding* GE_NONNULL binding, size_t index,
    ge_value* GE_NULLABLE value) GE_NOEXCEPT;

/**
 * Gives the value of an output after a run.
 *
 * @param binding    in, borrowed: the binding
 * @param index      in: the output
 * @param out_value  out, borrowed until the binding is destroyed: one handle per output, which shows the result of the last run
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_OUT_OF_RANGE, GE_ERR_WRONG_STATE before the first run
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_get_output(ge_binding* GE_NONNULL binding, size_t index,
    ge_value* GE_NULLABLE* GE_NONNULL out_value) GE_NOEXCEPT;

/**
 * Runs the model once on what is bound. With shapes seen before, nothing is allocated.
 *
 * @param binding  in, borrowed: outputs change
 * @param options  in, nullable, borrowed: how
 * @thread exclusive  @blocks while running  @calls_back no
 * @errors usual, GE_ERR_NOT_BOUND, GE_ERR_SHAPE, GE_ERR_OVERLAP, GE_ERR_LIMIT, GE_ERR_DEADLINE, GE_ERR_REENTRANT, classes
 *         GE_CLASS_DEVICE, GE_CLASS_COMPILE for shapes not planned before
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_run(ge_binding* GE_NONNULL binding, const ge_run_options* GE_NULLABLE options) GE_NOEXCEPT;

/* ---- Asynchronous runs -------------------------------------------------------------------------------------------------- */

/*
 * An operation owns what it uses: model, inputs, options; it lets go of them right before its completion. It has exactly one
 * completion, whatever happens: its status can be asked for, waits return, and it is delivered where ge_async_options says, first to
 * the queue, then to the callback. Destroying its handle earlier means that nobody listens; it does not cancel.
 */

/**
 * Receives the completion of an operation. Called once, from a library thread; must be short. Calls that would wait for a
 * completion, stream or event give GE_ERR_REENTRANT in it.
 *
 * @param user_data  in, nullable, kept until destroy: the pointer of the triple
 * @param tag        in: the tag of the operation
 * @param status     in: how it ended
 * @thread free  @blocks no  @calls_back allowed, except waiting calls
 * @errors none
 * @since 1.0  @deprecated no
 */
typedef void (*ge_completion_fn)(void* GE_NULLABLE user_data, uint64_t tag, ge_status status);

/* Where an asynchronous run goes and how it reports. All fields zero: on the workers, waited for with ge_operation_wait. */
typedef struct ge_async_options {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const ge_stream* GE_NULLABLE stream;   /* borrowed: run in its order */
    const ge_queue* GE_NULLABLE queue;     /* borrowed: receives the completion */
    uint64_t tag;                          /* comes back with the completion */
    ge_completion_fn GE_NULLABLE complete; /* kept until called */
    void* GE_NULLABLE user_data;           /* kept until destroy */
    ge_destroy_fn GE_NULLABLE destroy;     /* kept until called, also when the run does not start */
} ge_async_options;
#define GE_ASYNC_OPTIONS_INIT {sizeof(ge_async_options), 0, NULL, NULL, 0, NULL, NULL, NULL}

/* One completion out of a queue. */
typedef struct ge_completion {
    uint32_t struct_size;
    uint32_t reserved_flags;
    uint64_t tag;
    ge_status status;
    uint32_t reserved_0;
} ge_completion;

/**
 * Sets asynchronous options to defaults.
 *
 * @param options       out, borrowed: filled
 * @param options_size  in: sizeof *options
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_async_options_init(ge_async_options* GE_NONNULL options, size_t options_size) GE_NOEXCEPT;

/**
 * Starts a run and returns. When it fails nothing was kept and nothing will complete.
 *
 * @param model          in, borrowed: the model
 * @param options        in, nullable, copied: how
 * @param async_options  in, nullable, copied: where and how it reports
 * @param inputs         in, nullable, borrowed: one value per input, kept alive by the operation; NULL entries for optional inputs
 * @param inputs_count   in: number of inputs
 * @param out_operation  out, owned: ge_operation_destroy
 * @thread free  @blocks no  @calls_back destroy, on failure
 * @errors usual, GE_ERR_NOT_BOUND, GE_ERR_OUT_OF_RANGE for a wrong count, GE_ERR_WRONG_KIND, GE_ERR_DTYPE, GE_ERR_RANK,
 *         GE_ERR_SHAPE, GE_ERR_THREAD; everything later comes with the completion
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_model_run_async(const ge_model* GE_NONNULL model, const ge_run_options* GE_NULLABLE options,
    const ge_async_options* GE_NULLABLE async_options, const ge_value* GE_NULLABLE const* GE_NULLABLE inputs, size_t inputs_count,
    ge_operation* GE_NULLABLE* GE_NONNULL out_operation) GE_NOEXCEPT;

/**
 * Starts a run on what is bound and returns. Until the completion other uses of the binding give GE_ERR_WRONG_STATE or
 * GE_ERR_REENTRANT; it may be destroyed. Beyond the operation nothing is allocated, with shapes seen before.
 *
 * @param binding        in, borrowed: changed
 * @param options        in, nullable, copied: how
 * @param async_options  in, nullable, copied: where and how it reports
 * @param out_operation  out, owned: ge_operation_destroy
 * @thread exclusive  @blocks no  @calls_back destroy, on failure
 * @errors usual, GE_ERR_NOT_BOUND, GE_ERR_SHAPE, GE_ERR_OVERLAP, GE_ERR_THREAD, GE_ERR_WRONG_STATE during a run; everything later comes with the completion
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_run_async(ge_binding* GE_NONNULL binding, const ge_run_options* GE_NULLABLE options,
    const ge_async_options* GE_NULLABLE async_options, ge_operation* GE_NULLABLE* GE_NONNULL out_operation) GE_NOEXCEPT;

/**
 * Waits for the completion.
 *
 * @param operation   in, borrowed: the operation
 * @param timeout_ns  in: longest wait; 0 polls, negative waits for ever
 * @thread free  @blocks up to timeout_ns  @calls_back no
 * @errors usual, GE_ERR_TIMEOUT, GE_ERR_REENTRANT; how the run ended is told by ge_operation_get_status
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operation_wait(const ge_operation* GE_NONNULL operation, int64_t timeout_ns) GE_NOEXCEPT;

/**
 * Tells how a run ended.
 *
 * @param operation   in, borrowed: the operation
 * @param out_status  out, borrowed: GE_OK or the failure
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE before the completion
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operation_get_status(const ge_operation* GE_NONNULL operation,
    ge_status* GE_NONNULL out_status) GE_NOEXCEPT;

/**
 * Gives the error record of a failed run.
 *
 * @param operation  in, borrowed: the operation
 * @param out_error  out, shared: ge_error_release; NULL when it did not fail
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE before the completion
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operation_acquire_error(const ge_operation* GE_NONNULL operation,
    ge_error* GE_NULLABLE* GE_NONNULL out_error) GE_NOEXCEPT;

/**
 * Gives the outputs of a run. On a stream and with known shapes those of a model's run are there at once, as inputs of further runs
 * on it; their bytes follow with the stream. Those of a binding are its own, written again by its next run.
 *
 * @param operation      in, borrowed: the operation
 * @param outputs        out, nullable, borrowed: receives one value per output, each owned: ge_value_destroy
 * @param outputs_count  in: entries of outputs
 * @param out_count      out, borrowed: number of entries
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE before they are there or when the run failed
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operation_get_outputs(const ge_operation* GE_NONNULL operation,
    ge_value* GE_NULLABLE* GE_NULLABLE outputs, size_t outputs_count, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Asks a run to end early; it still completes, then with GE_ERR_CANCELLED. Takes effect at the next step or partition of one; a run
 * that did not begin completes when its turn comes. No effect after the completion.
 *
 * @param operation  in, borrowed: the operation
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_operation_cancel(const ge_operation* GE_NONNULL operation) GE_NOEXCEPT;

/**
 * Destroys an operation handle. A run in flight goes on and completes; nobody listens.
 *
 * @param operation  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_operation_destroy(ge_operation* GE_NULLABLE operation) GE_NOEXCEPT;

/**
 * Creates a queue of completions.
 *
 * @param context    in, nullable, borrowed: the context
 * @param out_queue  out, owned: ge_queue_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_queue_create(const ge_context* GE_NULLABLE context,
    ge_queue* GE_NULLABLE* GE_NONNULL out_queue) GE_NOEXCEPT;

/**
 * Takes completions out of a queue, waiting for the first. Each goes to one caller.
 *
 * @param queue              in, borrowed: the queue
 * @param completions        out, nullable, borrowed: receives completions, oldest first
 * @param completions_count  in: entries of completions
 * @param completion_size    in: sizeof *completions, the distance of two entries
 * @param timeout_ns         in: longest wait; 0 polls, negative waits for ever
 * @param out_count          out, borrowed: number taken
 * @thread free  @blocks up to timeout_ns  @calls_back no
 * @errors usual, GE_ERR_TIMEOUT, GE_ERR_REENTRANT, GE_ERR_HANDLE_CLOSED when the queue is destroyed meanwhile
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_queue_wait(const ge_queue* GE_NONNULL queue, ge_completion* GE_NULLABLE completions,
    size_t completions_count, size_t completion_size, int64_t timeout_ns, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Gives a file descriptor that is readable while the queue holds completions; to be polled only.
 *
 * @param queue           in, borrowed: the queue
 * @param out_descriptor  out, borrowed: the descriptor, closed with the queue; -1 on failure
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_FILE
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_queue_get_descriptor(const ge_queue* GE_NONNULL queue,
    int32_t* GE_NONNULL out_descriptor) GE_NOEXCEPT;

/**
 * Destroys a queue handle. Completions in it are dropped; operations that name it complete without it.
 *
 * @param queue  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_queue_destroy(ge_queue* GE_NULLABLE queue) GE_NOEXCEPT;

/* ---- Streams and events ------------------------------------------------------------------------------------------------- */

/*
 * A stream holds runs, recorded events and waits for events in order: each begins when the one before has ended and its completion was
 * delivered. Runs on different streams go side by side. Nothing on a stream keeps a thread waiting, and everything that was put on it
 * is done, whatever happens to handles. ge_async_options.stream puts a run on a stream.
 */

/**
 * Creates a stream.
 *
 * @param context     in, nullable, borrowed: the context
 * @param out_stream  out, owned: ge_stream_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_stream_create(const ge_context* GE_NULLABLE context,
    ge_stream* GE_NULLABLE* GE_NONNULL out_stream) GE_NOEXCEPT;

/**
 * Tells the number a stream goes by in integer form, as GE scripts pass it.
 *
 * @param stream      in, borrowed: the stream
 * @param out_native  out, borrowed: the number, never 0
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_stream_get_native(const ge_stream* GE_NONNULL stream, uint64_t* GE_NONNULL out_native) GE_NOEXCEPT;

/**
 * Waits until everything on a stream is done. Tells the first failure since the last call.
 *
 * @param stream      in, borrowed: the stream
 * @param timeout_ns  in: longest wait; 0 polls, negative waits for ever
 * @thread free  @blocks up to timeout_ns  @calls_back no
 * @errors usual, GE_ERR_TIMEOUT, GE_ERR_REENTRANT, what a run on it failed with
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_stream_sync(const ge_stream* GE_NONNULL stream, int64_t timeout_ns) GE_NOEXCEPT;

/**
 * Asks whether everything on a stream is done.
 *
 * @param stream       in, borrowed: the stream
 * @param out_is_idle  out, borrowed: 1 or 0
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_stream_query(const ge_stream* GE_NONNULL stream, int32_t* GE_NONNULL out_is_idle) GE_NOEXCEPT;

/**
 * Lets what is put on a stream from now on wait for an event.
 *
 * @param stream  in, borrowed: the stream
 * @param event   in, borrowed: the event
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE when the event was never recorded
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_stream_wait_event(const ge_stream* GE_NONNULL stream,
    const ge_event* GE_NONNULL event) GE_NOEXCEPT;

/**
 * Destroys a stream handle; what is on it still runs.
 *
 * @param stream  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_stream_destroy(ge_stream* GE_NULLABLE stream) GE_NOEXCEPT;

/**
 * Creates an event.
 *
 * @param context    in, nullable, borrowed: the context
 * @param out_event  out, owned: ge_event_destroy
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_event_create(const ge_context* GE_NULLABLE context,
    ge_event* GE_NULLABLE* GE_NONNULL out_event) GE_NOEXCEPT;

/**
 * Puts an event behind what is on a stream now. An event recorded again stands for its new place; who waits for the old one still does.
 *
 * @param event   in, borrowed: changed
 * @param stream  in, borrowed: the stream
 * @thread free  @blocks no  @calls_back no
 * @errors usual
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_event_record(ge_event* GE_NONNULL event, const ge_stream* GE_NONNULL stream) GE_NOEXCEPT;

/**
 * Waits for an event.
 *
 * @param event       in, borrowed: the event
 * @param timeout_ns  in: longest wait; 0 polls, negative waits for ever
 * @thread free  @blocks up to timeout_ns  @calls_back no
 * @errors usual, GE_ERR_TIMEOUT, GE_ERR_REENTRANT, GE_ERR_WRONG_STATE when it was never recorded
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_event_sync(const ge_event* GE_NONNULL event, int64_t timeout_ns) GE_NOEXCEPT;

/**
 * Asks whether an event happened.
 *
 * @param event        in, borrowed: the event
 * @param out_is_done  out, borrowed: 1 or 0
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE when it was never recorded
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_event_query(const ge_event* GE_NONNULL event, int32_t* GE_NONNULL out_is_done) GE_NOEXCEPT;

/**
 * Tells the time between two events; negative when the second happened first.
 *
 * @param first   in, borrowed: the earlier event
 * @param second  in, borrowed: the later event
 * @param out_ns  out, borrowed: nanoseconds
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE when one did not happen yet
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_event_get_elapsed(const ge_event* GE_NONNULL first, const ge_event* GE_NONNULL second,
    int64_t* GE_NONNULL out_ns) GE_NOEXCEPT;

/**
 * Destroys an event handle; streams that wait for it still do.
 *
 * @param event  in, nullable, owned: ends here
 * @thread free  @blocks no  @calls_back no
 * @errors GE_ERR_BAD_HANDLE
 * @since 1.0  @deprecated no
 */
GE_API ge_status ge_event_destroy(ge_event* GE_NULLABLE event) GE_NOEXCEPT;

/* ---- Profile and trace -------------------------------------------------------------------------------------------------- */

/* One step of the last run of a binding; control flow is one step, with all that ran inside. Text is borrowed until the binding is
 * destroyed. */
typedef struct ge_step_info {
    uint32_t struct_size;
    uint32_t reserved_flags;
    const char* GE_NULLABLE node;    /* name of its node, or of the first of those fused */
    const char* GE_NULLABLE op_type;
    const char* GE_NULLABLE kernel;
    uint64_t start_ns;               /* from the start of the run */
    uint64_t duration_ns;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint32_t stream_id;
    uint32_t threads;                /* threads that took part */
} ge_step_info;

/**
 * Turns the timing of steps on or off for the next runs of a binding. Costs nothing while off.
 *
 * @param binding  in, borrowed: changed
 * @param is_on    in: 1 or 0
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE while running
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_set_profiling(ge_binding* GE_NONNULL binding, int32_t is_on) GE_NOEXCEPT;

/**
 * Describes the steps of the last run, with times.
 *
 * @param binding      in, borrowed: the binding
 * @param infos        out, nullable, borrowed: one entry per step, in order of start
 * @param infos_count  in: entries of infos
 * @param info_size    in: sizeof *infos, the distance of two entries
 * @param out_count    out, borrowed: number of entries
 * @thread exclusive  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE when the last run was not timed or failed, or while running
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_binding_get_step_infos(ge_binding* GE_NONNULL binding, ge_step_info* GE_NULLABLE infos,
    size_t infos_count, size_t info_size, size_t* GE_NONNULL out_count) GE_NOEXCEPT;

/**
 * Starts to record what the threads of a context do: runs, their steps and the parts of these, waits for operations, compilations.
 * Costs nothing while off; takes memory while on.
 *
 * @param context  in, nullable, borrowed: the context
 * @thread free  @blocks no  @calls_back no
 * @errors usual, GE_ERR_WRONG_STATE when recording
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_context_begin_trace(ge_context* GE_NULLABLE context) GE_NOEXCEPT;

/**
 * Stops recording and writes what was recorded as JSON of Chrome's trace viewer, in UTF-8. What was lost for want of memory is counted
 * there. What was recorded ends with the call, also when it fails.
 *
 * @param context    in, nullable, borrowed: the context
 * @param write      in, borrowed: receives the JSON in parts
 * @param user_data  in, nullable, kept until destroy: passed to the callback
 * @param destroy    in, nullable, borrowed: called once before the call returns
 * @thread free  @blocks while write does  @calls_back write, destroy
 * @errors usual, GE_ERR_WRONG_STATE when not recording, what write returns
 * @since 1.0  @deprecated no
 */
GE_API GE_NODISCARD ge_status ge_context_end_trace(ge_context* GE_NULLABLE context, ge_write_fn GE_NONNULL write,
    void* GE_NULLABLE user_data, ge_destroy_fn GE_NULLABLE destroy) GE_NOEXCEPT;

#if defined(__cplusplus) && !defined(SWIG)
}
#endif

#if defined(__clang__) && !defined(SWIG) && !defined(GE_NO_NULLABILITY)
#pragma clang diagnostic pop
#endif

#endif /* GE_C_API_H */
