/* SPDX-License-Identifier: Apache-2.0 */
/* first_sizes: size of each public struct in the release that brought it, which stays the least that is accepted when the struct
 * has grown.  Numbers, not sizeof: a sizeof would grow along and refuse old clients.  layout.c compares them with the header. */
#ifndef GEI_API_FIRST_SIZES_H
#define GEI_API_FIRST_SIZES_H

enum {
    GEI_FIRST_ERROR_INFO = 96,
    GEI_FIRST_ALLOCATOR = 40,
    GEI_FIRST_CONTEXT_INFO = 104,
    GEI_FIRST_TENSOR_DESC = 64,
    GEI_FIRST_MEMORY = 56,
    GEI_FIRST_TENSOR_INFO = 40,
    GEI_FIRST_GRAPH_INFO = 80,
    GEI_FIRST_NODE_INFO = 56,
    GEI_FIRST_ATTR_INFO = 48,
    GEI_FIRST_PROBLEM = 80,
    GEI_FIRST_IMPORT_OPTIONS = 56,
    GEI_FIRST_COMPILE_OPTIONS = 64,
    GEI_FIRST_MODEL_SUMMARY = 120,
    GEI_FIRST_AREA_INFO = 40,
    GEI_FIRST_MODEL_COUNTERS = 80,
    GEI_FIRST_IO_INFO = 64,
    GEI_FIRST_RUN_OPTIONS = 16,
    GEI_FIRST_ASYNC_OPTIONS = 56,
    GEI_FIRST_COMPLETION = 24,
    GEI_FIRST_STEP_INFO = 72
};

#endif
