/* SPDX-License-Identifier: Apache-2.0 */
/* dump: pictures and listings of graphs for people. */
#ifndef GEI_DUMP_DUMP_H
#define GEI_DUMP_DUMP_H

#include "ir/graph.h"

/* GE's readable listing: the graph, then each subgraph it refers to, depth first, separated by a blank line.
 *   graph("g"):
 *     %relu : [#users=1] = Node[type=Relu] (inputs = (x=%data))
 *     return (%relu)
 */
ge_status gei_dump_readable(const gei_graph *g, gei_sink *to, gei_diag *diag);

/* Graphviz: nodes with type, name and shapes, subgraphs as clusters.  Large constants are not drawn as nodes of their own. */
ge_status gei_dump_dot(const gei_graph *g, gei_sink *to, gei_diag *diag);

#endif
