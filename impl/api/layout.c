/* SPDX-License-Identifier: Apache-2.0 */
/* What every public struct keeps to on every platform; the full layouts are in versioning/layout.txt. */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stddef.h>

#include "api/first_sizes.h"
#include "ge_c_api.h"

static_assert(sizeof(void *) == 8 && CHAR_BIT == 8 && sizeof(size_t) == 8, "public structs are laid out for 64-bit platforms");
static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, "float is IEEE binary32");
static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double is IEEE binary64");

/* Until the first release a struct is as large as it was at first; from then on it may be larger. */
#define STRUCT(type, first, last)                                                                                              \
    static_assert(offsetof(type, struct_size) == 0 && offsetof(type, reserved_flags) == 4, #type " starts with its size");      \
    static_assert(sizeof(type) >= (first) && sizeof(type) % 8 == 0 && sizeof(type) <= 4096, #type " grows in steps of 8");      \
    static_assert(sizeof(type) == offsetof(type, last) + sizeof(((type *)0)->last), #type " has no padding at its end")

STRUCT(ge_error_info, GEI_FIRST_ERROR_INFO, wanted);
STRUCT(ge_allocator, GEI_FIRST_ALLOCATOR, destroy);
STRUCT(ge_context_info, GEI_FIRST_CONTEXT_INFO, variable_peak_bytes);
STRUCT(ge_tensor_desc, GEI_FIRST_TENSOR_DESC, origin_rank);
STRUCT(ge_memory, GEI_FIRST_MEMORY, destroy);
STRUCT(ge_tensor_info, GEI_FIRST_TENSOR_INFO, data_size);
STRUCT(ge_graph_info, GEI_FIRST_GRAPH_INFO, reserved_0);
STRUCT(ge_node_info, GEI_FIRST_NODE_INFO, subgraphs_count);
STRUCT(ge_attr_info, GEI_FIRST_ATTR_INFO, reserved_0);
STRUCT(ge_problem, GEI_FIRST_PROBLEM, offset);
STRUCT(ge_import_options, GEI_FIRST_IMPORT_OPTIONS, problem_destroy);
STRUCT(ge_compile_options, GEI_FIRST_COMPILE_OPTIONS, problem_destroy);
STRUCT(ge_model_summary, GEI_FIRST_MODEL_SUMMARY, feature_peak_bytes);
STRUCT(ge_area_info, GEI_FIRST_AREA_INFO, alignment);
STRUCT(ge_model_counters, GEI_FIRST_MODEL_COUNTERS, pooled_bytes);
STRUCT(ge_io_info, GEI_FIRST_IO_INFO, data_size);
STRUCT(ge_run_options, GEI_FIRST_RUN_OPTIONS, deadline_ns);
STRUCT(ge_async_options, GEI_FIRST_ASYNC_OPTIONS, destroy);
STRUCT(ge_completion, GEI_FIRST_COMPLETION, reserved_0);
STRUCT(ge_step_info, GEI_FIRST_STEP_INFO, threads);
