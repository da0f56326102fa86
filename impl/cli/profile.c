/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/term.h"
#include "cli/text.h"

/* ---- steps ---- */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *values, uint64_t n) { /* orders them */
    qsort(values, n, sizeof *values, by_value);
    return values[n / 2];
}

/* Room for the steps of the last run, and for n_runs times of each and of the whole. */
static ge_status make_room(ge_binding *binding, profile *p, uint64_t n_runs) {
    ge_status status = ge_binding_get_step_infos(binding, NULL, 0, sizeof *p->steps, &p->n_steps);
    if (status != GE_OK) return status;
    p->steps = calloc(p->n_steps + 1, sizeof *p->steps);
    p->samples = calloc((p->n_steps + 1) * n_runs, sizeof *p->samples);
    return p->steps && p->samples ? GE_OK : GE_ERR_OUT_OF_MEMORY;
}

/* The number of steps never changes, for the shapes do not. */
static ge_status run_once(ge_binding *binding, profile *p, uint64_t n_runs) {
    size_t n;
    uint64_t start_ns = clock_ns();
    ge_status status = ge_binding_run(binding, NULL);
    uint64_t run_ns = clock_ns() - start_ns;
    if (status == GE_OK && !p->steps) status = make_room(binding, p, n_runs);
    if (status == GE_OK) status = ge_binding_get_step_infos(binding, p->steps, p->n_steps, sizeof *p->steps, &n);
    if (status != GE_OK) return status;
    for (size_t i = 0; i < p->n_steps; i++) p->samples[i * n_runs + p->n_runs] = p->steps[i].duration_ns;
    p->samples[p->n_steps * n_runs + p->n_runs++] = run_ns;
    return GE_OK;
}

int profile_run(ge_binding *binding, const model *m, uint64_t n_runs, profile *out) {
    *out = (profile){ 0 };
    ge_status status = ge_binding_set_profiling(binding, 1);
    while (status == GE_OK && out->n_runs < n_runs) status = run_once(binding, out, n_runs);
    if (status == GE_OK) status = ge_binding_set_profiling(binding, 0);
    if (status == GE_ERR_OUT_OF_MEMORY) return cli_fail(CLI_FAILED, "out of memory");
    if (status != GE_OK) return model_fail(CLI_FAILED, m->path);
    for (size_t i = 0; i < out->n_steps; i++) out->steps[i].duration_ns = median(out->samples + i * n_runs, n_runs);
    out->run_ns = median(out->samples + out->n_steps * n_runs, n_runs);
    return CLI_OK;
}

void profile_deinit(profile *p) {
    free(p->steps);
    free(p->samples);
    *p = (profile){ 0 };
}

static int longest_first(const void *a, const void *b) {
    uint64_t x = ((const ge_step_info *)a)->duration_ns, y = ((const ge_step_info *)b)->duration_ns;
    return x > y ? -1 : x < y;
}

static const char *known(const char *text) { return text && text[0] ? text : "-"; }

static void add_row(table *t, const profile *p, const ge_step_info *s) {
    char number[TEXT_NUMBER_BYTES], line[TEXT_NUMBER_BYTES + 8];
    uint64_t bytes = s->read_bytes + s->written_bytes;
    table_add(t, known(s->node));
    table_add(t, known(s->op_type));
    table_add(t, known(s->kernel));
    table_add(t, text_time(number, s->duration_ns));
    snprintf(line, sizeof line, "%s %%", text_f64(number, p->run_ns ? 100.0 * (double)s->duration_ns / (double)p->run_ns : 0, 3));
    table_add(t, line);
    table_add(t, text_bytes(number, bytes));
    snprintf(line, sizeof line, "%s GB/s", text_f64(number, s->duration_ns ? (double)bytes / (double)s->duration_ns : 0, 3));
    table_add(t, line);
    snprintf(line, sizeof line, "%u", s->threads);
    table_add(t, line);
}

void profile_sort(profile *p) {
    if (p->n_steps > 0) qsort(p->steps, p->n_steps, sizeof *p->steps, longest_first);
}

void profile_print(const profile *p) {
    static const char *const titles[] = { "step", "operator", "kernel", "time", "share", "bytes", "speed", "threads" };
    char total[TEXT_NUMBER_BYTES], each[TEXT_NUMBER_BYTES];
    uint64_t steps_ns = 0;
    table t;
    table_init(&t, 8, 0xF8);
    for (size_t i = 0; i < 8; i++) table_add(&t, titles[i]);
    for (size_t i = 0; i < p->n_steps; i++) {
        add_row(&t, p, &p->steps[i]);
        steps_ns += p->steps[i].duration_ns;
    }
    table_print(&t, stdout, 0);
    table_deinit(&t);
    printf("%llu step%s, %s of %s a run%s\n", (unsigned long long)p->n_steps, p->n_steps == 1 ? "" : "s", text_time(each, steps_ns),
           text_time(total, p->run_ns), p->n_runs > 1 ? "; medians of timed runs" : "");
}

void profile_json(const profile *p, json *j) {
    json_u64(j, "profiled_runs", p->n_runs);
    json_begin(j, "step_times", '[');
    for (size_t i = 0; i < p->n_steps; i++) {
        const ge_step_info *s = &p->steps[i];
        json_begin(j, NULL, '{');
        json_text(j, "node", s->node ? s->node : "");
        json_text(j, "op_type", s->op_type ? s->op_type : "");
        json_text(j, "kernel", s->kernel ? s->kernel : "");
        json_u64(j, "start_ns", s->start_ns);
        json_u64(j, "duration_ns", s->duration_ns);
        json_u64(j, "read_bytes", s->read_bytes);
        json_u64(j, "written_bytes", s->written_bytes);
        json_u64(j, "stream", s->stream_id);
        json_u64(j, "threads", s->threads);
        json_end(j);
    }
    json_end(j);
}

/* ---- trace ---- */

int profile_begin_trace(const arg_values *args, const model *m) {
    if (!args_has(args, "trace")) return CLI_OK;
    return ge_context_begin_trace(m->context) == GE_OK ? CLI_OK : model_fail(CLI_FAILED, "starting to record");
}

static ge_status put(void *user_data, const uint8_t *data, size_t data_size) {
    return fwrite(data, 1, data_size, user_data) == data_size ? GE_OK : GE_ERR_CALLBACK;
}

int profile_end_trace(const arg_values *args, const model *m) {
    const char *path = args_value(args, "trace");
    if (!path) return CLI_OK;
    FILE *file = fopen(path, "wb");
    if (!file) return cli_fail(CLI_FAILED, "'%s' cannot be written: %s", path, strerror(errno));
    ge_status status = ge_context_end_trace(m->context, put, file, NULL);
    bool is_written = fclose(file) == 0 && status == GE_OK;
    return is_written ? CLI_OK : cli_fail(CLI_FAILED, "'%s' cannot be written", path);
}
