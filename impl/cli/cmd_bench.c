/* SPDX-License-Identifier: Apache-2.0 */
/* ge bench: how long a model takes, and how much memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/model.h"
#include "cli/outputs.h"
#include "cli/profile.h"
#include "cli/term.h"
#include "cli/text.h"

#define RUNS_DEFAULT 100
#define RUNS_MAX 100000000
#define WARMUP_DEFAULT 10
#define PROFILED_RUNS 20 /* after the timed ones, which stay undisturbed */

typedef struct figures {
    uint64_t n_runs, n_warmup;
    uint64_t *times_ns;   /* owned; sorted once all are there */
    uint64_t first_run_ns;
    uint64_t mean_ns;
    uint64_t peak_bytes;  /* of the process, so with the library's code and the files it maps */
    uint32_t threads;
    ge_model_summary summary;
    bool wants_steps;
    profile steps;
} figures;

static int by_time(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The smallest time that `percent` of all runs do not exceed. */
static uint64_t percentile(const figures *f, uint64_t percent) {
    uint64_t rank = (f->n_runs * percent + 99) / 100;
    return f->times_ns[rank ? rank - 1 : 0];
}

static uint64_t median(const figures *f) {
    uint64_t high = f->times_ns[f->n_runs / 2], low = f->times_ns[(f->n_runs - 1) / 2];
    return low + (high - low) / 2;
}

static uint64_t peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static int run_all(ge_binding *binding, const model *m, figures *f) {
    progress line;
    uint64_t total_ns = 0, start_ns = clock_ns(), i = 0;
    ge_status status = ge_binding_run(binding, NULL);
    f->first_run_ns = clock_ns() - start_ns;
    progress_start(&line);
    for (; status == GE_OK && i < f->n_warmup; i++) {
        status = ge_binding_run(binding, NULL);
        progress_show(&line, "warming up", i, f->n_warmup);
    }
    for (i = 0; status == GE_OK && i < f->n_runs; i++) {
        start_ns = clock_ns();
        status = ge_binding_run(binding, NULL);
        f->times_ns[i] = clock_ns() - start_ns;
        total_ns += f->times_ns[i];
        progress_show(&line, "running", i, f->n_runs);
    }
    progress_end(&line);
    if (status != GE_OK) return model_fail(CLI_FAILED, m->path);
    f->mean_ns = total_ns / f->n_runs;
    qsort(f->times_ns, f->n_runs, sizeof *f->times_ns, by_time);
    return CLI_OK;
}

static int measure(const model *m, const inputs *in, figures *f) {
    ge_binding *binding = NULL;
    ge_context_info context = { .struct_size = 0 };
    f->times_ns = calloc(f->n_runs, sizeof *f->times_ns);
    if (!f->times_ns) return cli_fail(CLI_FAILED, "out of memory");
    ge_status status = ge_binding_create(m->compiled, &binding);
    for (size_t i = 0; status == GE_OK && i < in->count; i++) {
        if (in->values[i]) status = ge_binding_set_input(binding, i, in->values[i]);
    }
    int code = status == GE_OK ? run_all(binding, m, f) : model_fail(CLI_BAD_INPUT, m->path);
    if (code == CLI_OK && (ge_model_get_summary(m->compiled, &f->summary, sizeof f->summary) != GE_OK ||
                           ge_context_get_info(m->context, &context, sizeof context) != GE_OK)) {
        code = model_fail(CLI_FAILED, m->path);
    }
    if (code == CLI_OK && f->wants_steps) code = profile_run(binding, m, f->n_runs < PROFILED_RUNS ? f->n_runs : PROFILED_RUNS, &f->steps);
    profile_sort(&f->steps);
    f->threads = context.threads;
    f->peak_bytes = peak_memory();
    ge_binding_destroy(binding);
    return code;
}

/* ---- reports ------------------------------------------------------------------------------------------------------- */

/* "float32[1,3,224,224]" of the data an input was given. */
static void value_text(const ge_value *value, const char *name, char *to, size_t cap) {
    ge_tensor *tensor = NULL;
    npy_array array;
    snprintf(to, cap, "left out");
    if (!value || outputs_take_tensor(value, name, &tensor) != CLI_OK) return;
    if (outputs_view(tensor, name, &array) == CLI_OK) {
        ge_io_info info = { .kind = GE_VALUE_TENSOR, .dtype = array.dtype, .rank = array.rank, .dims = array.dims };
        model_port_text(&info, to, cap);
    }
    ge_tensor_destroy(tensor);
}

static void print_json(const model *m, const inputs *in, const figures *f) {
    json j;
    char text[300];
    json_init(&j, stdout);
    json_begin(&j, NULL, '{');
    json_text(&j, "model", m->path);
    json_text(&j, "library", ge_get_build_info());
    json_begin(&j, "inputs", '{');
    for (size_t i = 0; i < in->count; i++) {
        value_text(in->values[i], m->inputs.infos[i].name, text, sizeof text);
        json_text(&j, m->inputs.infos[i].name, text);
    }
    json_end(&j);
    json_u64(&j, "threads", f->threads);
    json_u64(&j, "runs", f->n_runs);
    json_u64(&j, "warmup_runs", f->n_warmup);
    json_u64(&j, "median_ns", median(f));
    json_u64(&j, "p90_ns", percentile(f, 90));
    json_u64(&j, "min_ns", f->times_ns[0]);
    json_u64(&j, "max_ns", f->times_ns[f->n_runs - 1]);
    json_u64(&j, "mean_ns", f->mean_ns);
    json_u64(&j, "first_run_ns", f->first_run_ns);
    json_u64(&j, "import_ns", m->import_ns);
    json_u64(&j, "compile_ns", m->compile_ns);
    json_u64(&j, "peak_memory_bytes", f->peak_bytes);
    json_u64(&j, "planned_bytes", f->summary.activation_bytes);
    json_u64(&j, "lower_bound_bytes", f->summary.lower_bound_bytes);
    json_u64(&j, "scratch_bytes", f->summary.scratch_bytes);
    json_u64(&j, "constant_bytes", f->summary.constant_bytes);
    json_u64(&j, "packed_bytes", f->summary.packed_bytes);
    json_u64(&j, "steps", f->summary.steps_count);
    if (f->wants_steps) profile_json(&f->steps, &j);
    json_end(&j);
}

static void add_row(table *t, const char *label, const char *text) {
    table_add(t, label);
    table_add(t, text);
}

static void print_text(const model *m, const inputs *in, const figures *f) {
    char a[TEXT_NUMBER_BYTES], b[TEXT_NUMBER_BYTES], c[TEXT_NUMBER_BYTES], line[400];
    table t;
    table_init(&t, 2, 0);
    for (size_t i = 0; i < in->count; i++) {
        char shape[300];
        value_text(in->values[i], m->inputs.infos[i].name, shape, sizeof shape);
        snprintf(line, sizeof line, "%.90s %s", m->inputs.infos[i].name, shape);
        add_row(&t, "input", line);
    }
    snprintf(line, sizeof line, "%s, and %s before them, %u thread%s", text_count(a, f->n_runs), text_count(b, f->n_warmup + 1),
             f->threads, f->threads == 1 ? "" : "s");
    add_row(&t, "runs", line);
    snprintf(line, sizeof line, "%s, nine of ten within %s, fastest %s", text_time(a, median(f)), text_time(b, percentile(f, 90)),
             text_time(c, f->times_ns[0]));
    add_row(&t, "median", line);
    snprintf(line, sizeof line, "%s reading, %s compiling, %s first run", text_time(a, m->import_ns), text_time(b, m->compile_ns),
             text_time(c, f->first_run_ns));
    add_row(&t, "start", line);
    snprintf(line, sizeof line, "%s planned for activations (lower bound %s), %s scratch", text_bytes(a, f->summary.activation_bytes),
             text_bytes(b, f->summary.lower_bound_bytes), text_bytes(c, f->summary.scratch_bytes));
    add_row(&t, "memory", line);
    snprintf(line, sizeof line, "%s weights, of these %s packed", text_bytes(a, f->summary.constant_bytes),
             text_bytes(b, f->summary.packed_bytes));
    add_row(&t, "", line);
    add_row(&t, "", (snprintf(line, sizeof line, "%s peak of the process", text_bytes(a, f->peak_bytes)), line));
    table_print(&t, stdout, 0);
    table_deinit(&t);
    if (!f->wants_steps) return;
    putchar('\n');
    profile_print(&f->steps);
}

static int run(const arg_values *args) {
    model m;
    inputs in = { NULL, 0 };
    figures f = { .n_runs = RUNS_DEFAULT, .n_warmup = WARMUP_DEFAULT };
    int code = args_count(args, "runs", 1, RUNS_MAX, &f.n_runs);
    if (code == CLI_OK) code = args_count(args, "warmup", 0, RUNS_MAX, &f.n_warmup);
    if (code != CLI_OK) return code;
    f.wants_steps = args_has(args, "profile");
    code = model_open_compiled(args, &m);
    if (code == CLI_OK) code = inputs_make(args, &m, (fill){ FILL_RANDOM, 0 }, 1, &in);
    if (code == CLI_OK) code = measure(&m, &in, &f);
    if (code == CLI_OK) (args_has(args, "json") ? print_json : print_text)(&m, &in, &f);
    if (code == CLI_OK) code = profile_end_trace(args, &m);
    profile_deinit(&f.steps);
    free(f.times_ns);
    inputs_deinit(&in);
    model_close(&m);
    return code;
}

static const arg_option options[] = {
    { "runs", 'n', false, "N", "timed runs (default: 100)" },
    { "warmup", 'w', false, "N", "runs before them, besides the first (default: 10)" },
    INPUTS_OPTION_INPUT,
    INPUTS_OPTION_SHAPE,
    { "json", 0, false, NULL, "report in JSON" },
    PROFILE_OPTION_PROFILE,
    PROFILE_OPTION_TRACE,
    MODEL_OPTIONS_SHAPES,
    MODEL_OPTION_THREADS,
    MODEL_OPTION_VERBOSE,
};

const arg_command cmd_bench = {
    .name = "bench",
    .operands = "MODEL",
    .n_operands = 1,
    .summary = "Measures how long a model takes and how much memory.",
    .details = "Inputs not given are random; unknown sizes not given are 1. Outputs are bound once, so what is timed\n"
               "is the run alone. Times in JSON are nanoseconds; p90 is the time nine of ten runs do not exceed.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run,
};
