/* SPDX-License-Identifier: Apache-2.0 */
/* limits: what a model file may ask for.  The one place for such numbers; readers of every format use it.
 *
 * Most of what a file can ask for is bounded by its own size.  Where it is not - functions that call functions, values handed down
 * through nested graphs, sparse tensors - reading charges a *budget* of bytes, which grows with the file. */
#ifndef GEI_FRONTEND_LIMITS_H
#define GEI_FRONTEND_LIMITS_H

#include <stdint.h>

typedef struct gei_limits {
    uint64_t budget_bytes;        /* memory that reading may take, whatever the size of the file ... */
    uint32_t budget_per_byte;     /* ... and for each byte of the file, and of its external data once that is opened */
    uint32_t depth;               /* graphs inside graphs, and functions that call functions */
    uint32_t open_graphs;         /* graphs being read at once, which is more than the depth only for nodes out of order */
    uint32_t problems;            /* after that many reading stops */
    uint32_t name_bytes;          /* of a node, a value, an operator */
    uint32_t domains;             /* operator sets that a model or function imports */
    uint32_t attrs;               /* of a node */
    uint32_t metadata;            /* entries */
    uint32_t symbols;             /* named dims; further ones are read as unknown dims */
    uint32_t type_depth;          /* sequence of map of ... */
    uint32_t external_files;
} gei_limits;

static inline gei_limits gei_limits_default(void) {
    return (gei_limits){
        .budget_bytes = UINT64_C(64) << 20,
        .budget_per_byte = 32,
        .depth = 64,
        .open_graphs = 256,
        .problems = 10000,
        .name_bytes = 64 << 10,
        .domains = 256,
        .attrs = 1024,
        .metadata = 4096,
        .symbols = 65536,
        .type_depth = 32,
        .external_files = 65536,
    };
}

#endif
