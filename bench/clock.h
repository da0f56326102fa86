/* SPDX-License-Identifier: Apache-2.0 */
/* clock: time, memory and error exit for the benchmark programs, which are clients of the public header. */
#ifndef GE_BENCH_CLOCK_H
#define GE_BENCH_CLOCK_H

#include <ge_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static inline double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline double peak_bytes(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss * 1024;
}

/* Ends the program with the record when a call failed. */
static inline void check(ge_status status, const char *what) {
    ge_error *error = NULL;
    if (status == GE_OK) return;
    ge_error_take(&error);
    fprintf(stderr, "%s: %s: %s\n", what, ge_status_name(status), ge_error_get_message(error));
    exit(1);
}
#define CHECK(call) check((call), #call)

#endif
