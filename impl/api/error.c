/* SPDX-License-Identifier: Apache-2.0 */
#include "api/error.h"

#include <string.h>

#include "api/call.h"

/* Every status of the header, with its sentence.  tests/checks compares the list with the header. */
#define STATUS_TABLE(X)                                                                 \
    X(GE_OK, "success")                                                                 \
    X(GE_ERR_NULL_ARGUMENT, "a pointer that must not be NULL is NULL")                  \
    X(GE_ERR_INVALID_ARGUMENT, "a value is not one of those allowed")                   \
    X(GE_ERR_INVALID_STRUCT_SIZE, "a struct size is out of range")                      \
    X(GE_ERR_INVALID_FLAG, "a flag bit or reserved field is set")                       \
    X(GE_ERR_INVALID_UTF8, "text is not valid UTF-8")                                   \
    X(GE_ERR_BUFFER_TOO_SMALL, "the buffer cannot hold the result")                     \
    X(GE_ERR_OUT_OF_RANGE, "an index or number is out of range")                        \
    X(GE_ERR_SHAPE, "a shape does not fit")                                             \
    X(GE_ERR_RANK, "a rank does not fit")                                               \
    X(GE_ERR_DTYPE, "a data type does not fit")                                         \
    X(GE_ERR_SIZE, "a byte size does not fit")                                          \
    X(GE_ERR_ALIGNMENT, "memory is not aligned to its element size")                    \
    X(GE_ERR_OVERLAP, "memory of an output overlaps other memory of the run")           \
    X(GE_ERR_NOT_FOUND, "no object of that name exists")                                \
    X(GE_ERR_ALREADY_EXISTS, "the name or place is taken")                              \
    X(GE_ERR_WRONG_KIND, "the object is of another kind")                               \
    X(GE_ERR_READ_ONLY, "the object may not be written")                                \
    X(GE_ERR_UNKNOWN_OPTION, "no option has that key")                                  \
    X(GE_ERR_OPTION_VALUE, "the option does not accept that value")                     \
    X(GE_ERR_BAD_HANDLE, "a handle cannot be used")                                     \
    X(GE_ERR_HANDLE_NULL, "a handle is NULL")                                           \
    X(GE_ERR_HANDLE_FOREIGN, "a handle was not made by this library")                   \
    X(GE_ERR_HANDLE_STALE, "a handle names a destroyed object")                         \
    X(GE_ERR_HANDLE_WRONG_KIND, "a handle names an object of another kind")             \
    X(GE_ERR_HANDLE_CLOSED, "a handle was destroyed while calls on it run")             \
    X(GE_ERR_HANDLE_OTHER_CONTEXT, "a handle belongs to another context")               \
    X(GE_ERR_BAD_ID, "an id names nothing in this graph")                               \
    X(GE_ERR_FORKED, "a handle was made before a fork")                                 \
    X(GE_ERR_WRONG_STATE, "the object is not in the state the call needs")              \
    X(GE_ERR_NOT_BOUND, "an input has no value")                                        \
    X(GE_ERR_REENTRANT, "the call is not allowed inside this callback")                 \
    X(GE_ERR_OUT_OF_MEMORY, "out of memory")                                            \
    X(GE_ERR_LIMIT, "a limit was reached")                                              \
    X(GE_ERR_FILE, "a file could not be used")                                          \
    X(GE_ERR_THREAD, "a thread could not be started")                                   \
    X(GE_ERR_UNSUPPORTED_FIELD, "a struct field this library does not know is set")     \
    X(GE_ERR_UNSUPPORTED_VERSION, "the version is not supported")                       \
    X(GE_ERR_UNSUPPORTED_FORMAT, "the format is not supported")                         \
    X(GE_ERR_UNSUPPORTED_OPERATOR, "the operator is not supported")                     \
    X(GE_ERR_UNSUPPORTED_ATTR, "the attribute value is not supported")                  \
    X(GE_ERR_UNSUPPORTED_DTYPE, "the data type is not supported")                       \
    X(GE_ERR_UNSUPPORTED, "what is asked for is not supported")                         \
    X(GE_ERR_MALFORMED, "the bytes do not follow their format")                         \
    X(GE_ERR_TRUNCATED, "the model ends before its content does")                       \
    X(GE_ERR_BAD_GRAPH, "the graph is not valid")                                       \
    X(GE_ERR_BAD_ATTR, "an attribute is not valid")                                     \
    X(GE_ERR_EXTERNAL_DATA, "external tensor data cannot be used")                      \
    X(GE_ERR_INFER, "shapes or data types could not be inferred")                       \
    X(GE_ERR_NO_KERNEL, "no kernel accepts a node")                                     \
    X(GE_ERR_PASS, "a pass failed")                                                     \
    X(GE_ERR_PLAN, "a plan could not be made")                                          \
    X(GE_ERR_EXECUTION, "a step failed while running")                                  \
    X(GE_ERR_NO_DEVICE, "the device is not there")                                      \
    X(GE_ERR_CANCELLED, "the work was cancelled")                                       \
    X(GE_ERR_DEADLINE, "the deadline passed")                                           \
    X(GE_ERR_TIMEOUT, "the wait ended before what it waited for")                       \
    X(GE_ERR_INTERNAL, "the library found a defect of its own")                         \
    X(GE_ERR_CALLBACK, "a callback failed")

static const struct {
    ge_status status;
    const char *name, *sentence;
} statuses[] = {
#define X(status, sentence) { status, #status, sentence },
    STATUS_TABLE(X)
#undef X
};

typedef struct record {
    gei_diag diag;
    const char *function;
    uint64_t sequence;
    ge_status callback_status; /* left by ge_error_set_in_callback, GE_OK when none */
} record;

_Static_assert(sizeof(record) <= 1088, "the record is one small block of thread-local memory");

static _Thread_local record last __attribute__((tls_model("initial-exec")));
static _Thread_local char callback_message[160] __attribute__((tls_model("initial-exec")));

typedef struct error_object {
    record copy;
    bool is_static;
} error_object;

static error_object no_memory = { .is_static = true,
                                  .copy = { .diag = { .status = GE_ERR_OUT_OF_MEMORY,
                                                      .argument_index = -1,
                                                      .file = "",
                                                      .message = "out of memory while the error was taken" },
                                            .function = "ge_error_take" } };

void gei_error_record(const char *function, const gei_diag *diag) {
    record *r = &last;
    r->diag = *diag;
    r->function = function;
    r->sequence++;
    if (r->callback_status == diag->status && callback_message[0]) gei_diag_detail(&r->diag, "cause", "%s", callback_message);
    r->callback_status = GE_OK;
    callback_message[0] = 0;
}

const char *gei_status_sentence(ge_status status) {
    for (size_t i = 0; i < GEI_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].sentence;
    return status >> 16 == GE_CLASS_CALLBACK ? "a callback failed" : "a failure without a known status";
}

const char *gei_status_name(ge_status status) {
    for (size_t i = 0; i < GEI_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].name;
    return status >> 16 == GE_CLASS_CALLBACK ? "GE_ERR_CALLBACK" : "GE_ERR_UNKNOWN";
}

ge_status gei_callback_status(ge_status returned, gei_diag *diag) {
    int32_t class = returned >> 16;
    ge_status st = class >= GE_CLASS_ARGUMENT && class <= GE_CLASS_CALLBACK ? returned : GE_ERR_CALLBACK;
    if (last.callback_status != GE_OK && callback_message[0]) {
        last.callback_status = st;
        return gei_fail(diag, st, "%s", callback_message);
    }
    return gei_fail(diag, st, "a callback returned %s (%d)", gei_status_name(returned), returned);
}

const char *ge_status_name(ge_status status) { return gei_status_name(status); }

static void error_destroy(void *object) {
    error_object *e = object;
    if (!e->is_static) gei_free(&gei_heap, e, sizeof *e, 0);
}

void ge_error_take(ge_error **out_error) {
    if (!out_error) return;
    *out_error = NULL;
    if (last.diag.status == GE_OK) return;
    error_object *e = gei_alloc(&gei_heap, sizeof *e, 0);
    if (e) {
        e->copy = last;
        e->is_static = false;
    } else {
        e = &no_memory;
    }
    const char *why;
    *out_error = gei_handle_new(GEI_HANDLE_ERROR, e, error_destroy, &why);
    if (!*out_error) error_destroy(e);
    last.diag.status = GE_OK;
}

ge_status gei_error_handle(const char *function, ge_status status, const gei_diag *from, ge_error **out, gei_diag *diag) {
    error_object *e = gei_alloc(&gei_heap, sizeof *e, 0);
    if (!e) return gei_out_of_memory(diag, sizeof *e);
    *e = (error_object){ .copy = { .diag = *from, .function = function } };
    e->copy.diag.status = status;
    if (!e->copy.diag.message[0])
        gei_copy_text(e->copy.diag.message, sizeof e->copy.diag.message, gei_status_sentence(status), strlen(gei_status_sentence(status)));
    const char *why;
    *out = gei_handle_new(GEI_HANDLE_ERROR, e, error_destroy, &why);
    if (*out) return GE_OK;
    error_destroy(e);
    return gei_fail(diag, GE_ERR_OUT_OF_MEMORY, "no handle for a new error: %s", why);
}

/* Counts of an error are leases on its handle: the first count is the open handle itself, so release gives back a lease while there
 * are any, and closes the handle with the last count. */
ge_status ge_error_acquire(const ge_error *error) {
    ge_status why = GE_OK;
    if (!gei_handle_lease(error, GEI_HANDLE_ERROR, &why)) return gei_call_bad_handle(__func__, why, "error", 0, error, GEI_HANDLE_ERROR);
    return GE_OK;
}

ge_status ge_error_release(ge_error *error) {
    ge_status st = gei_handle_release(error, GEI_HANDLE_ERROR);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "error", 0, error, GEI_HANDLE_ERROR);
}

ge_status ge_error_get_status(const ge_error *error) {
    if (!error) return GE_OK;
    ge_status why;
    const error_object *e = gei_handle_get(error, GEI_HANDLE_ERROR, &why);
    return e ? e->copy.diag.status : GE_ERR_BAD_HANDLE;
}

const char *ge_error_get_message(const ge_error *error) {
    ge_status why;
    const error_object *e = error ? gei_handle_get(error, GEI_HANDLE_ERROR, &why) : NULL;
    return e ? e->copy.diag.message : "";
}

static bool is_cause(const char *key) { return strcmp(key, "cause") == 0; }

/* Walks the packed details: the index-th cause or non-cause; counts when out_key is NULL. */
static uint32_t find_detail(const gei_diag *diag, bool causes, size_t index, const char **out_key, const char **out_value) {
    uint32_t n = 0;
    for (size_t at = 0; at < diag->details_size;) {
        const char *key = diag->details + at, *value = key + strlen(key) + 1;
        at = (size_t)(value - diag->details) + strlen(value) + 1;
        if (is_cause(key) != causes) continue;
        if (out_key && n == index) {
            *out_key = key;
            *out_value = value;
            return n;
        }
        n++;
    }
    return n;
}

ge_status ge_error_get_info(const ge_error *error, ge_error_info *out_info, size_t out_info_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(out_info, out_info_size);
    GEI_NEED(out_info, 1);
    GEI_GET(const error_object, e, error, ERROR, 0);
    const gei_diag *d = &e->copy.diag;
    ge_error_info info = { .status = d->status,
                           .argument_index = d->argument_index,
                           .line = d->line,
                           .details_count = find_detail(d, false, 0, NULL, NULL),
                           .causes_count = find_detail(d, true, 0, NULL, NULL),
                           .sequence = e->copy.sequence,
                           .message = d->message,
                           .function_name = e->copy.function,
                           .file = d->file,
                           .argument = d->argument,
                           .node = d->node,
                           .found = d->found,
                           .wanted = d->wanted };
    return GEI_RETURN(gei_struct_out(out_info, out_info_size, &info, sizeof info, GEI_FIRST_ERROR_INFO, "out_info", 1, &diag));
}

ge_status ge_error_get_detail(const ge_error *error, size_t index, const char **out_key, const char **out_value) {
    GEI_CALL;
    GEI_OUT(out_key);
    GEI_OUT(out_value);
    GEI_NEED(out_key, 2);
    GEI_NEED(out_value, 3);
    GEI_GET(const error_object, e, error, ERROR, 0);
    find_detail(&e->copy.diag, false, index, out_key, out_value);
    if (*out_key) return GE_OK;
    return GEI_RETURN(gei_argument_fail(&diag, "index", 1, GE_ERR_OUT_OF_RANGE, "the error has no detail %zu", index));
}

ge_status ge_error_get_cause(const ge_error *error, size_t index, ge_status *out_status, const char **out_message) {
    GEI_CALL;
    const char *key = NULL;
    GEI_OUT(out_status);
    GEI_OUT(out_message);
    GEI_NEED(out_status, 2);
    GEI_NEED(out_message, 3);
    GEI_GET(const error_object, e, error, ERROR, 0);
    find_detail(&e->copy.diag, true, index, &key, out_message);
    if (!key) return GEI_RETURN(gei_argument_fail(&diag, "index", 1, GE_ERR_OUT_OF_RANGE, "the error has no cause %zu", index));
    *out_status = e->copy.diag.status;
    return GE_OK;
}

ge_status ge_error_set_in_callback(ge_status status, const char *message, size_t message_size) {
    int32_t class = status >> 16;
    if (class < GE_CLASS_ARGUMENT || class > GE_CLASS_CALLBACK) status = GE_ERR_CALLBACK;
    callback_message[0] = 0;
    if (message) {
        if (message_size == GE_NTS) message_size = strlen(message);
        if (gei_utf8_valid(message, message_size)) gei_copy_text(callback_message, sizeof callback_message, message, message_size);
    }
    last.callback_status = status;
    return status;
}
