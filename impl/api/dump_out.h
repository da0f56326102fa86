/* SPDX-License-Identifier: Apache-2.0 */
/* dump_out: the two forms in which text leaves: a caller buffer, or a write callback in parts. */
#ifndef GEI_API_DUMP_OUT_H
#define GEI_API_DUMP_OUT_H

#include "api/object.h"

/* Both end the sink. */
ge_status gei_dump_to_buffer(gei_sink *text, char *buffer, size_t buffer_size, size_t *out_size, gei_diag *diag);
ge_status gei_dump_to_callback(gei_sink *text, ge_write_fn write, void *user_data, gei_diag *diag);
/* Text of a graph in one of the graph formats; GE_ERR_UNSUPPORTED_FORMAT for others. */
ge_status gei_dump_graph(const gei_graph *g, ge_dump_format format, gei_sink *to, gei_diag *diag);

#endif
