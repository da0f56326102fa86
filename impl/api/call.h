/* SPDX-License-Identifier: Apache-2.0 */
/* call: what every public function does the same way: zero the outputs, check pointers and handles, convert, call, leave the error record.
 *
 *   ge_status ge_thing_do(ge_thing *thing, int32_t x, ge_other **out_other) {
 *       GEI_CALL;                                        // gei_diag diag, ready
 *       GEI_OUT(out_other);                              // all outputs first: GEI_OUT, GEI_OUT_STRUCT, GEI_OUT_TEXT, GEI_OUT_ARRAY
 *       GEI_NEED(out_other, 2);
 *       GEI_GET(gei_api_thing, t, thing, THING, 0);      // or GEI_LEASE for long calls (then leave through GEI_UNLEASE)
 *       return GEI_RETURN(gei_thing_do(t->inner, x, &diag));
 *   }
 */
#ifndef GEI_API_CALL_H
#define GEI_API_CALL_H

#include <string.h>

#include "api/first_sizes.h"
#include "api/handle.h"
#include "base/bytes.h"

#define GEI_STRUCT_SIZE_LIMIT 4096u /* larger: an uninitialised field */

/* Makes a diag ready without clearing its kilobyte. */
static inline void gei_call_begin(gei_diag *diag) {
    diag->status = GE_OK;
    diag->argument_index = -1;
    diag->file = "";
    diag->line = 0;
    diag->details_size = diag->n_details = 0;
    diag->message[0] = diag->node[0] = diag->argument[0] = diag->found[0] = diag->wanted[0] = 0;
}

/* As ge_status_name.  Calls of a public function from another source leave a bare declaration in the debug information, and abidw
 * then loses the function's type: inner code calls the inner name. */
const char *gei_status_name(ge_status status);

/* On failure: writes the thread's record.  Returns st. */
ge_status gei_call_end(const char *function, ge_status st, gei_diag *diag);
ge_status gei_call_null(const char *function, const char *argument, int32_t index);
ge_status gei_call_bad_handle(const char *function, ge_status why, const char *argument, int32_t index, const void *handle,
                              gei_handle_kind wanted);
/* The words of the same, for functions that leave the record later. */
ge_status gei_handle_fault(ge_status why, const char *argument, int32_t index, const void *handle, gei_handle_kind wanted, gei_diag *diag);
/* Sets argument and status on the diag; returns the status, for `return GEI_RETURN(gei_argument_fail(...))`. */
#define gei_argument_fail(diag, name, index, status, ...) \
    (gei_diag_argument((diag), (name), (index)), gei_fail((diag), (status), __VA_ARGS__))

#define GEI_CALL     \
    gei_diag diag;   \
    gei_call_begin(&diag)
#define GEI_RETURN(expr) gei_call_result(__func__, (expr), &diag)
static inline ge_status gei_call_result(const char *function, ge_status st, gei_diag *diag) {
    return st == GE_OK ? GE_OK : gei_call_end(function, st, diag);
}
/* Zero the outputs before anything can fail.  A struct only as far as caller and library both know it, and not at all with a size no
 * struct has; an array only where the call makes what it holds. */
#define GEI_OUT(out) \
    if (out) memset((out), 0, sizeof *(out))
#define GEI_OUT_STRUCT(out, size) gei_call_zero((out), (size), sizeof *(out))
#define GEI_OUT_TEXT(buffer, size) \
    if ((buffer) && (size)) (buffer)[0] = 0
#define GEI_OUT_ARRAY(out, count) \
    for (size_t gei_i_ = 0; (out) && gei_i_ < (count); gei_i_++) (out)[gei_i_] = 0
static inline void gei_call_zero(void *out, size_t size, size_t known_size) {
    if (!out || size > GEI_STRUCT_SIZE_LIMIT) return;
    if (size >= known_size) memset(out, 0, known_size);
    else memset(out, 0, size);
}
#define GEI_NEED(pointer, index) \
    if (!(pointer)) return gei_call_null(__func__, #pointer, (index))
#define GEI_CHECK(expr)                                                                  \
    do {                                                                                 \
        ge_status gei_check_ = (expr);                                                   \
        if (gei_check_ != GE_OK) return gei_call_end(__func__, gei_check_, &diag);       \
    } while (0)
#define GEI_GET(type, var, handle, kind, index)                                          \
    ge_status var##_why_ = GE_OK;                                                        \
    type *var = gei_handle_get((handle), GEI_HANDLE_##kind, &var##_why_);                \
    if (!var) return gei_call_bad_handle(__func__, var##_why_, #handle, (index), (handle), GEI_HANDLE_##kind)
#define GEI_LEASE(type, var, handle, kind, index)                                        \
    ge_status var##_why_ = GE_OK;                                                        \
    type *var = gei_handle_lease((handle), GEI_HANDLE_##kind, &var##_why_);              \
    if (!var) return gei_call_bad_handle(__func__, var##_why_, #handle, (index), (handle), GEI_HANDLE_##kind)
/* Ends the lease, then leaves the record: inner clean-up cannot overwrite it. */
#define GEI_RETURN_UNLEASE(handle, expr) gei_call_unlease(__func__, (handle), (expr), &diag)
static inline ge_status gei_call_unlease(const char *function, const void *handle, ge_status st, gei_diag *diag) {
    gei_handle_unlease(handle);
    return gei_call_result(function, st, diag);
}

/* Text parameter: resolves GE_NTS, checks UTF-8 and, with GE_NTS, that the pointer is not NULL. */
ge_status gei_text_in(const char *text, size_t *size, const char *argument, int32_t index, gei_diag *diag);
/* A zero-terminated copy for inner calls; ended by gei_text_free with the same size.  Fails when the text holds a zero byte. */
ge_status gei_text_copy(const gei_allocator *from, const char *text, size_t size, char **out, gei_diag *diag);
void gei_text_free(const gei_allocator *from, char *text, size_t size);
/* Path parameter: any bytes but zero; makes a zero-terminated copy that the caller frees with gei_free(&gei_heap, path, *size + 1, 1). */
ge_status gei_path_in(const char *path, size_t size, const char *argument, int32_t index, char **out, size_t *out_size, gei_diag *diag);
/* Two-call pattern: copies text to a caller buffer, never half a character.  `index` is that of the parameter buffer. */
ge_status gei_text_out(const char *text, size_t size, char *buffer, size_t buffer_size, size_t *out_size, int32_t index, gei_diag *diag);
/* The same for arrays: how many to copy; GE_ERR_BUFFER_TOO_SMALL when cap is short (and buffer not NULL or cap not 0). */
ge_status gei_array_out(size_t count, const void *buffer, size_t cap, size_t *out_count, const char *argument, int32_t index, gei_diag *diag);

/* Reads a caller's struct into *to, which holds the defaults: the min rule, known minimum, unknown tail zero, flags zero. */
ge_status gei_struct_in(const void *from, void *to, size_t known_size, size_t first_size, const char *argument, int32_t index, gei_diag *diag);
/* Writes at most `size` bytes of a filled struct and sets its struct_size to what was written. */
ge_status gei_struct_out(void *to, size_t size, void *filled, size_t known_size, size_t first_size, const char *argument, int32_t index,
                         gei_diag *diag);
/* GE_ERR_INVALID_STRUCT_SIZE for a size that gei_struct_out would refuse. */
ge_status gei_struct_size_check(size_t size, size_t first_size, const char *argument, int32_t index, gei_diag *diag);

#endif
