/* SPDX-License-Identifier: Apache-2.0 */
/* profile: what took how long: steps of runs as a table or in JSON, what threads did as a file for trace viewers. */
#ifndef GE_CLI_PROFILE_H
#define GE_CLI_PROFILE_H

#include "cli/json.h"
#include "cli/model.h"

#define PROFILE_OPTION_PROFILE { "profile", 0, false, NULL, "show the time of each step" }
#define PROFILE_OPTION_TRACE { "trace", 0, false, "FILE", "write what each thread did as JSON for trace viewers of browsers" }

typedef struct profile {
    ge_step_info *steps; /* owned; times are medians of all runs; text belongs to the model */
    size_t n_steps;
    uint64_t n_runs;
    uint64_t *samples;   /* owned; by run and step, then by run: nanoseconds */
    uint64_t run_ns;     /* median */
} profile;

/* Runs the binding n times with the timing of steps on.  Exit code; profile_deinit is due either way. */
int profile_run(ge_binding *binding, const model *m, uint64_t n_runs, profile *out);
void profile_deinit(profile *p);
void profile_sort(profile *p);                     /* the longest first; before, in order of start */
void profile_print(const profile *p);
void profile_json(const profile *p, json *j);      /* "step_times": [...] */

/* When --trace was given: begins with the context, ends with a file. */
int profile_begin_trace(const arg_values *args, const model *m);
int profile_end_trace(const arg_values *args, const model *m);

#endif
