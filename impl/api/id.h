/* SPDX-License-Identifier: Apache-2.0 */
/* id: what public 64-bit ids of graph parts hold.  They are checked against the graph they are passed with.
 *
 *   node      kind 3 | graph serial 21 | node index 28 | 0 12
 *   port      kind 3 | graph serial 21 | node index 28 | port 12      kinds IN and OUT; an OUT id is a value id
 *   subgraph  kind 3 | 0 29            | subgraph serial 32
 *   attribute kind 3 | node index 28   | place 12 | position 8 | name hash 13
 *             place: 0 node, 1 graph, 2 + i input i, 2 + n_ins + o output o.  The hash covers graph serial and name. */
#ifndef GEI_API_ID_H
#define GEI_API_ID_H

#include "api/object.h"

enum { GEI_ID_NODE = 1, GEI_ID_IN = 2, GEI_ID_OUT = 3, GEI_ID_SUBGRAPH = 4, GEI_ID_ATTR = 5 };

#define GEI_ID_INDEX_LIMIT (UINT32_C(1) << 28)
#define GEI_ID_PORT_LIMIT (UINT32_C(1) << 12)

static inline uint64_t gei_id_pack(uint32_t kind, uint32_t serial, uint32_t index, uint32_t port) {
    return (uint64_t)kind << 61 | (uint64_t)(serial & 0x1fffff) << 40 | (uint64_t)(index & 0xfffffff) << 12 | (port & 0xfff);
}
static inline uint32_t gei_id_kind(uint64_t id) { return (uint32_t)(id >> 61); }
static inline uint32_t gei_id_serial(uint64_t id) { return (uint32_t)(id >> 40) & 0x1fffff; }
static inline uint32_t gei_id_index(uint64_t id) { return (uint32_t)(id >> 12) & 0xfffffff; }
static inline uint32_t gei_id_port(uint64_t id) { return (uint32_t)id & 0xfff; }

static inline ge_node_id gei_node_id_of(const gei_node *node) { return gei_id_pack(GEI_ID_NODE, node->graph->serial, node->index, 0); }
static inline ge_value_id gei_value_id_of(gei_value v) {
    return v.node ? gei_id_pack(GEI_ID_OUT, v.node->graph->serial, v.node->index, v.out) : 0;
}

/* NULL with the diag filled when the id names nothing live in g. */
gei_node *gei_id_node(const gei_graph *g, ge_node_id id, const char *argument, int32_t index, gei_diag *diag);
ge_status gei_id_value(const gei_graph *g, ge_value_id id, const char *argument, int32_t index, gei_value *out, gei_diag *diag);
/* A port: kind GEI_ID_IN or GEI_ID_OUT in *out_kind. */
ge_status gei_id_port_of(const gei_graph *g, ge_port_id id, const char *argument, int32_t index, gei_node **out_node, uint32_t *out_kind,
                         uint32_t *out_port, gei_diag *diag);
ge_status gei_id_bad(const char *argument, int32_t index, uint64_t id, gei_diag *diag);

/* Sets the outputs of g, named by ids; names NULL or `count` of them. */
ge_status gei_outputs_set(gei_graph *g, const ge_value_id *ids, size_t count, const char *const *names, const char *argument, gei_diag *diag);

/* The graph behind a handle, seen to be there still; leaves the calling function with the record written. */
#define GEI_GRAPH(g, handle)                                                             \
    GEI_GET(gei_api_graph_view, g##_view, handle, GRAPH, 0);                             \
    gei_graph *g = gei_view_graph(g##_view, &diag);                                      \
    if (!g) return gei_call_end(__func__, diag.status, &diag)
gei_graph *gei_view_graph(const gei_api_graph_view *view, gei_diag *diag);

#endif
