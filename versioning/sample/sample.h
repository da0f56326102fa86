/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of the public interface in three minor releases, chosen by SAMPLE_MINOR.
 *
 *   1.0  five functions, one struct in, one struct out
 *   1.1  a function more; both structs grown
 *   1.2  ge_dtype_get_bits answers otherwise for unknown types, old clients keep the old answer; ge_get_abi_version deprecated */
#ifndef GE_C_API_H
#define GE_C_API_H

#include <stddef.h>
#include <stdint.h>

#define GE_API __attribute__((visibility("default")))
#if SAMPLE_MINOR >= 2 && !defined(GE_DISABLE_DEPRECATED)
#define GE_DEPRECATED_1_2 __attribute__((deprecated("use ge_check_header")))
#else
#define GE_DEPRECATED_1_2
#endif

typedef int32_t ge_status;
enum { GE_OK = 0, GE_ERR_INVALID_STRUCT_SIZE = 0x00010003, GE_ERR_UNSUPPORTED_FIELD = 0x00050001 };

typedef int32_t ge_dtype;
enum {
    GE_DTYPE_FLOAT32 = 0,
    GE_DTYPE_FLOAT16 = 1
#if SAMPLE_MINOR >= 1
    ,
    GE_DTYPE_INT8 = 2
#endif
};

typedef void (*ge_proc)(void);

/* In. */
typedef struct ge_run_options {
    uint32_t struct_size;
    uint32_t reserved_flags;
    int64_t deadline_ns;
#if SAMPLE_MINOR >= 1
    int64_t priority; /* 0: as before */
#endif
} ge_run_options;

/* Out. */
typedef struct ge_run_report {
    uint32_t struct_size;
    uint32_t reserved_flags;
    uint64_t steps_count;
#if SAMPLE_MINOR >= 1
    uint64_t waited_ns;
#endif
} ge_run_report;

GE_API uint32_t ge_get_abi_version(void) GE_DEPRECATED_1_2;
GE_API ge_proc ge_get_proc(const char *name, size_t name_size);
GE_API uint32_t ge_dtype_get_bits(ge_dtype dtype);
GE_API ge_status ge_run_options_init(ge_run_options *options, size_t options_size);
GE_API ge_status ge_run(const ge_run_options *options, ge_run_report *out_report, size_t out_report_size);
#if SAMPLE_MINOR >= 1
GE_API const char *ge_dtype_get_class(ge_dtype dtype);
#endif

#endif
