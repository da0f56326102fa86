/* SPDX-License-Identifier: Apache-2.0 */
#include "api/dump_out.h"
#include "api/id.h"

ge_status ge_graph_dump(const ge_graph *graph, ge_dump_format format, char *buffer, size_t buffer_size, size_t *out_size) {
    GEI_CALL;
    gei_sink text;
    GEI_OUT(out_size);
    GEI_OUT_TEXT(buffer, buffer_size);
    GEI_NEED(out_size, 4);
    GEI_GRAPH(g, graph);
    gei_sink_init(&text, g->from);
    ge_status st = gei_dump_graph(g, format, &text, &diag);
    if (st == GE_OK) return GEI_RETURN(gei_dump_to_buffer(&text, buffer, buffer_size, out_size, &diag));
    gei_sink_deinit(&text);
    return GEI_RETURN(st);
}

static ge_status dump_to(const ge_graph *graph, ge_dump_format format, ge_write_fn write, void *user_data, gei_diag *diag) {
    gei_sink text;
    ge_status why = GE_OK;
    if (!write) return gei_argument_fail(diag, "write", 2, GE_ERR_NULL_ARGUMENT, "write is NULL");
    const gei_api_graph_view *view = gei_handle_get(graph, GEI_HANDLE_GRAPH, &why);
    if (!view) return gei_handle_fault(why, "graph", 0, graph, GEI_HANDLE_GRAPH, diag);
    const gei_graph *g = gei_view_graph(view, diag);
    if (!g) return diag->status;
    gei_sink_init(&text, &gei_heap); /* not the graph's: write may destroy it */
    ge_status st = gei_dump_graph(g, format, &text, diag);
    if (st == GE_OK) return gei_dump_to_callback(&text, write, user_data, diag);
    gei_sink_deinit(&text);
    return st;
}

ge_status ge_graph_dump_to(const ge_graph *graph, ge_dump_format format, ge_write_fn write, void *user_data, ge_destroy_fn destroy) {
    GEI_CALL;
    ge_status st = dump_to(graph, format, write, user_data, &diag);
    if (destroy) destroy(user_data); /* before the record is left: it may fail in calls of its own */
    return GEI_RETURN(st);
}
