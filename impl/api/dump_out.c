/* SPDX-License-Identifier: Apache-2.0 */
#include "api/dump_out.h"

#include "api/error.h"
#include "dump/dump.h"

#define PART_BYTES ((size_t)64 << 10)

ge_status gei_dump_to_buffer(gei_sink *text, char *buffer, size_t buffer_size, size_t *out_size, gei_diag *diag) {
    ge_status st = text->failed ? gei_out_of_memory(diag, text->size)
                                : gei_text_out(text->data ? text->data : "", text->size, buffer, buffer_size, out_size, 2, diag);
    gei_sink_deinit(text);
    return st;
}

ge_status gei_dump_to_callback(gei_sink *text, ge_write_fn write, void *user_data, gei_diag *diag) {
    ge_status st = text->failed ? gei_out_of_memory(diag, text->size) : GE_OK;
    for (size_t at = 0; st == GE_OK && at < text->size; at += PART_BYTES) {
        size_t n = text->size - at < PART_BYTES ? text->size - at : PART_BYTES;
        ge_status returned = write(user_data, (const uint8_t *)text->data + at, n);
        if (returned != GE_OK) st = gei_callback_status(returned, diag);
    }
    gei_sink_deinit(text);
    return st;
}

ge_status gei_dump_graph(const gei_graph *g, ge_dump_format format, gei_sink *to, gei_diag *diag) {
    if (format < GE_DUMP_GE_TEXT || format > GE_DUMP_SUMMARY)
        return gei_argument_fail(diag, "format", 1, GE_ERR_INVALID_ARGUMENT, "%d is no dump format", format);
    switch (format) {
    case GE_DUMP_READABLE: return gei_dump_readable(g, to, diag);
    case GE_DUMP_DOT: return gei_dump_dot(g, to, diag);
    case GE_DUMP_IR: return gei_graph_print(g, false, to, diag);
    default: return gei_argument_fail(diag, "format", 1, GE_ERR_UNSUPPORTED_FORMAT, "dump format %d is not available for this object", format);
    }
}
