/* SPDX-License-Identifier: Apache-2.0 */
/* The sample library.  SAMPLE_BREAK plants a fault for the gate's self-test:
 *   1  the new behaviour under the old version too    2  sizes compared for equality    3  the least size grows with the struct */
#include "sample.h"

#include <string.h>

#include "../symver.h"

#ifndef SAMPLE_BREAK
#define SAMPLE_BREAK 0
#endif
#if SAMPLE_BREAK == 3
#define FIRST_OPTIONS sizeof(ge_run_options)
#else
#define FIRST_OPTIONS 16
#endif
#define FIRST_REPORT 16

uint32_t ge_get_abi_version(void) { return 1 + SAMPLE_MINOR; }

#if SAMPLE_MINOR < 2
uint32_t ge_dtype_get_bits(ge_dtype dtype) {
#else
uint32_t ge_dtype_get_bits_1_0(ge_dtype dtype);
uint32_t ge_dtype_get_bits_1_2(ge_dtype dtype);

/* Unknown types: 8 bits in 1.0, a mistake somebody relies on; 0 from 1.2 on. */
GE_SYMVER_DEFAULT(ge_dtype_get_bits_1_2, ge_dtype_get_bits, GE_1.2)
GE_API uint32_t ge_dtype_get_bits_1_2(ge_dtype dtype) {
    return dtype < GE_DTYPE_FLOAT32 || dtype > GE_DTYPE_INT8 ? 0 : dtype == GE_DTYPE_FLOAT32 ? 32 : dtype == GE_DTYPE_FLOAT16 ? 16 : 8;
}

GE_SYMVER_OLD(ge_dtype_get_bits_1_0, ge_dtype_get_bits, GE_1.0)
GE_API uint32_t ge_dtype_get_bits_1_0(ge_dtype dtype) {
#endif
#if SAMPLE_BREAK == 1
    if (dtype < 0 || dtype > 2) return 0;
#endif
    return dtype == GE_DTYPE_FLOAT32 ? 32 : dtype == GE_DTYPE_FLOAT16 ? 16 : 8;
}

#if SAMPLE_MINOR >= 1
const char *ge_dtype_get_class(ge_dtype dtype) { return dtype == GE_DTYPE_INT8 ? "integer" : "floating"; }
#endif

ge_status ge_run_options_init(ge_run_options *options, size_t options_size) {
    ge_run_options filled = { 0 };
    if (options_size < FIRST_OPTIONS || options_size > 4096) return GE_ERR_INVALID_STRUCT_SIZE;
    size_t n = options_size < sizeof filled ? options_size : sizeof filled;
    filled.struct_size = (uint32_t)n;
    memcpy(options, &filled, n);
    return GE_OK;
}

ge_status ge_run(const ge_run_options *options, ge_run_report *out_report, size_t out_report_size) {
    ge_run_options known = { 0 };
    ge_run_report report = { 0 };
    size_t size = options->struct_size;
    if (size < FIRST_OPTIONS || size > 4096 || out_report_size < FIRST_REPORT || out_report_size > 4096) return GE_ERR_INVALID_STRUCT_SIZE;
#if SAMPLE_BREAK == 2
    if (size != sizeof known) return GE_ERR_INVALID_STRUCT_SIZE;
#endif
    for (size_t i = sizeof known; i < size; i++)
        if (((const unsigned char *)options)[i]) return GE_ERR_UNSUPPORTED_FIELD;
    memcpy(&known, options, size < sizeof known ? size : sizeof known);
    report.steps_count = known.deadline_ns ? 1 : 2;
#if SAMPLE_MINOR >= 1
    report.waited_ns = known.priority ? 0 : 7;
#endif
    size_t n = out_report_size < sizeof report ? out_report_size : sizeof report;
    report.struct_size = (uint32_t)n;
    memcpy(out_report, &report, n);
    return GE_OK;
}

ge_proc ge_get_proc(const char *name, size_t name_size) {
    static const struct {
        const char *name;
        ge_proc proc;
    } procs[] = {
        { "ge_run", (ge_proc)ge_run },
        { "ge_run_options_init", (ge_proc)ge_run_options_init },
#if SAMPLE_MINOR >= 1
        { "ge_dtype_get_class", (ge_proc)ge_dtype_get_class },
#endif
    };
    for (size_t i = 0; i < sizeof procs / sizeof *procs; i++)
        if (strlen(procs[i].name) == name_size && memcmp(name, procs[i].name, name_size) == 0) return procs[i].proc;
    return NULL;
}
