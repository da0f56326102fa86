/* SPDX-License-Identifier: Apache-2.0 */
/* graph_desc: public descs of ports.  In the IR a symbolic dim is a number; outside it is -1 and a name. */
#ifndef GEI_API_GRAPH_DESC_H
#define GEI_API_GRAPH_DESC_H

#include "api/object.h"

/* The shape of a caller's desc with its symbols in g; fails for what a port has not: strides, device memory, an origin of its own. */
ge_status gei_desc_shape(gei_graph *g, const gei_desc *d, const char *argument, int32_t index, gei_shape *out, gei_diag *diag);

#endif
