/* SPDX-License-Identifier: Apache-2.0 */
/* A client of minor release SAMPLE_MINOR: prints what it sees, the same on every later library.
 * With SAMPLE_PORTABLE it links what 1.0 has and asks for the rest by name, so it runs on every library. */
#define GE_DISABLE_DEPRECATED
#include <stdio.h>
#include <string.h>

#include "sample.h"

int main(void) {
    ge_run_options options;
    ge_run_report report;
    memset(&options, 0xEE, sizeof options);
    memset(&report, 0xEE, sizeof report);
    ge_status st = ge_run_options_init(&options, sizeof options);
    printf("init %d, size %u of %zu\n", st, options.struct_size, sizeof options);
    st = ge_run(&options, &report, sizeof report);
    printf("run %d, steps %llu\n", st, (unsigned long long)report.steps_count);
    options.deadline_ns = 5;
    st = ge_run(&options, &report, sizeof report);
    printf("run with a deadline %d, steps %llu\n", st, (unsigned long long)report.steps_count);
    printf("bits %u %u\n", ge_dtype_get_bits(GE_DTYPE_FLOAT32), ge_dtype_get_bits(GE_DTYPE_FLOAT16));
    printf("unknown type has %u bits\n", ge_dtype_get_bits(77));
#if defined(SAMPLE_PORTABLE)
    const char *(*get_class)(ge_dtype) = (const char *(*)(ge_dtype))ge_get_proc("ge_dtype_get_class", 18);
    printf("class %s, report of %u bytes\n", get_class ? get_class(GE_DTYPE_FLOAT32) : "not there", report.struct_size);
#elif SAMPLE_MINOR >= 1
    printf("class %s, waited %llu\n", ge_dtype_get_class(GE_DTYPE_INT8), (unsigned long long)report.waited_ns);
    options.priority = 1;
    st = ge_run(&options, &report, sizeof report);
    printf("run with priority %d, waited %llu\n", st, (unsigned long long)report.waited_ns);
#endif
    return 0;
}
