/* SPDX-License-Identifier: Apache-2.0 */
/* ge run: one run of a model, its outputs as figures and files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/model.h"
#include "cli/outputs.h"
#include "cli/profile.h"
#include "cli/term.h"
#include "cli/text.h"

#define SHOWN_ELEMS 6
#define PATH_BYTES 4096

/* Where results go, filled while they are shown one by one. */
typedef struct report {
    const model *m;
    const char *dir; /* NULL: no files */
    bool is_json;
    json j;
    table t;
} report;

static void first_elems(const npy_array *array, char *to, size_t cap) {
    char number[TEXT_NUMBER_BYTES];
    double value;
    size_t used = 0;
    to[0] = 0;
    for (uint64_t i = 0; i < array->n_elems && i < SHOWN_ELEMS && outputs_elem(array, i, &value); i++) {
        used += (size_t)snprintf(to + used, cap - used, "%s%s", i ? " " : "", text_f64(number, value, 4));
    }
    if (used > 0 && array->n_elems > SHOWN_ELEMS) snprintf(to + used, cap - used, " ...");
}

static void add_number(table *t, bool is_known, double value) {
    char number[TEXT_NUMBER_BYTES];
    table_add(t, is_known ? text_f64(number, value, 5) : "-");
}

static void report_text(report *r, const char *name, const npy_array *array, const output_figures *f, const char *path) {
    char port[300], elems[200];
    ge_io_info info = { .kind = GE_VALUE_TENSOR, .dtype = array->dtype, .rank = array->rank, .dims = array->dims };
    model_port_text(&info, port, sizeof port);
    first_elems(array, elems, sizeof elems);
    table_add(&r->t, name);
    table_add(&r->t, port);
    add_number(&r->t, f->is_known, f->lowest);
    add_number(&r->t, f->is_known, f->highest);
    add_number(&r->t, f->is_known, f->mean);
    table_add(&r->t, r->dir ? path : elems);
    if (f->n_not_finite) cli_note("output '%s' holds %llu elements that are not finite", name, (unsigned long long)f->n_not_finite);
}

static void report_json(report *r, const char *name, const npy_array *array, const output_figures *f, const char *path) {
    json *j = &r->j;
    json_begin(j, NULL, '{');
    json_text(j, "name", name);
    json_text(j, "dtype", ge_dtype_get_name(array->dtype));
    json_begin(j, "shape", '<');
    for (int32_t d = 0; d < array->rank; d++) json_i64(j, NULL, array->dims[d]);
    json_end(j);
    if (f->is_known) {
        json_f64(j, "min", f->lowest, 9);
        json_f64(j, "max", f->highest, 9);
        json_f64(j, "mean", f->mean, 9);
    }
    json_u64(j, "not_finite", f->n_not_finite);
    if (r->dir) json_text(j, "file", path);
    json_end(j);
}

static int report_output(report *r, size_t index, const ge_value *value) {
    const char *name = r->m->outputs.infos[index].name;
    char path[PATH_BYTES] = "";
    ge_tensor *tensor;
    npy_array array;
    output_figures figures;
    if (!value) return cli_fail(CLI_FAILED, "output '%s' was not made", name);
    int code = outputs_take_tensor(value, name, &tensor);
    if (code != CLI_OK) return code;
    code = outputs_view(tensor, name, &array);
    if (code == CLI_OK && r->dir) code = outputs_write(r->dir, r->m, index, &array, path, sizeof path);
    if (code == CLI_OK) {
        outputs_measure(&array, &figures);
        (r->is_json ? report_json : report_text)(r, name, &array, &figures, path);
    }
    ge_tensor_destroy(tensor);
    return code;
}

static void start_report(report *r, uint64_t run_ns) {
    static const char *const titles[] = { "output", "type and shape", "min", "max", "mean" };
    if (r->is_json) {
        json_init(&r->j, stdout);
        json_begin(&r->j, NULL, '{');
        json_text(&r->j, "model", r->m->path);
        json_u64(&r->j, "import_ns", r->m->import_ns);
        json_u64(&r->j, "compile_ns", r->m->compile_ns);
        json_u64(&r->j, "run_ns", run_ns);
        json_begin(&r->j, "outputs", '[');
        return;
    }
    table_init(&r->t, 6, 1 << 2 | 1 << 3 | 1 << 4);
    for (size_t i = 0; i < 5; i++) table_add(&r->t, titles[i]);
    table_add(&r->t, r->dir ? "file" : "first elements");
}

static void end_report(report *r, uint64_t run_ns, const profile *steps) {
    char time[TEXT_NUMBER_BYTES];
    if (r->is_json) {
        json_end(&r->j);
        if (steps) profile_json(steps, &r->j);
        json_end(&r->j);
        return;
    }
    table_print(&r->t, stdout, 0);
    if (steps) {
        putchar('\n');
        profile_print(steps);
    } else {
        printf("one run took %s\n", text_time(time, run_ns));
    }
    table_deinit(&r->t);
}

static int report_all(const arg_values *args, const model *m, ge_value *const *outputs, uint64_t run_ns, const profile *steps) {
    report r = { .m = m, .dir = args_value(args, "output"), .is_json = args_has(args, "json") };
    int code = CLI_OK;
    if (r.dir && mkdir(r.dir, 0777) != 0 && errno != EEXIST) {
        return cli_fail(CLI_FAILED, "the folder '%s' cannot be created: %s", r.dir, strerror(errno));
    }
    start_report(&r, run_ns);
    for (size_t i = 0; code == CLI_OK && i < m->outputs.count; i++) code = report_output(&r, i, outputs[i]);
    end_report(&r, run_ns, steps);
    return code;
}

/* A run may fail because of what was put in: shapes that do not go together, indices out of range. */
static int run_exit_code(ge_status status) {
    int32_t class = status >> 16;
    bool is_input = class == GE_CLASS_ARGUMENT || class == GE_CLASS_COMPILE || status == GE_ERR_NOT_BOUND;
    return is_input ? CLI_BAD_INPUT : CLI_FAILED;
}

/* Through a binding, whose outputs are its own. */
static int run_profiled(const arg_values *args, const model *m, const inputs *in, ge_value **outputs) {
    ge_binding *binding = NULL;
    profile steps = { 0 };
    ge_status status = ge_binding_create(m->compiled, &binding);
    for (size_t i = 0; status == GE_OK && i < in->count; i++)
        if (in->values[i]) status = ge_binding_set_input(binding, i, in->values[i]);
    if (status == GE_OK) status = ge_binding_run(binding, NULL); /* takes memory and shapes; not what is asked for */
    int code = status == GE_OK ? profile_run(binding, m, 1, &steps) : model_fail(run_exit_code(status), m->path);
    for (size_t i = 0; code == CLI_OK && i < m->outputs.count; i++)
        if (ge_binding_get_output(binding, i, &outputs[i]) != GE_OK) code = model_fail(CLI_FAILED, m->path);
    if (code == CLI_OK) code = report_all(args, m, outputs, steps.run_ns, &steps);
    profile_deinit(&steps);
    ge_binding_destroy(binding);
    return code;
}

static int run_plain(const arg_values *args, const model *m, const inputs *in, ge_value **outputs) {
    uint64_t start_ns = clock_ns();
    ge_status status =
        ge_model_run(m->compiled, NULL, (const ge_value *const *)in->values, in->count, outputs, m->outputs.count);
    uint64_t run_ns = clock_ns() - start_ns;
    int code = status == GE_OK ? report_all(args, m, outputs, run_ns, NULL) : model_fail(run_exit_code(status), m->path);
    for (size_t i = 0; i < m->outputs.count; i++) ge_value_destroy(outputs[i]);
    return code;
}

static int run_once(const arg_values *args, const model *m, const inputs *in) {
    ge_value **outputs = calloc(m->outputs.count + 1, sizeof *outputs);
    if (!outputs) return cli_fail(CLI_FAILED, "out of memory");
    int code = (args_has(args, "profile") ? run_profiled : run_plain)(args, m, in, outputs);
    free(outputs);
    return code;
}

static int run(const arg_values *args) {
    model m;
    inputs in = { NULL, 0 };
    int code = model_open_compiled(args, &m);
    if (code == CLI_OK) code = inputs_make(args, &m, (fill){ FILL_NONE, 0 }, 0, &in);
    if (code == CLI_OK) code = run_once(args, &m, &in);
    if (code == CLI_OK) code = profile_end_trace(args, &m);
    inputs_deinit(&in);
    model_close(&m);
    return code;
}

static const arg_option options[] = {
    INPUTS_OPTION_INPUT,
    INPUTS_OPTION_SHAPE,
    { "output", 'o', false, "DIR", "write each output to DIR/NAME.npy" },
    { "json", 0, false, NULL, "report in JSON" },
    PROFILE_OPTION_PROFILE,
    PROFILE_OPTION_TRACE,
    MODEL_OPTIONS_SHAPES,
    MODEL_OPTION_THREADS,
    MODEL_OPTION_VERBOSE,
};

const arg_command cmd_run = {
    .name = "run",
    .operands = "MODEL",
    .n_operands = 1,
    .summary = "Runs a model once and shows its outputs.",
    .details = "examples:\n"
               "  ge run model.onnx --input image=cat.npy --output results\n"
               "  ge run model.onnx --input random:7 --shape image=1x3x224x224 --json\n"
               "\n"
               "random floats lie in [-1, 1), random integers are 0 or 1; a seed always gives the same data.\n"
               ".npy files may hold any data type of NumPy that the model can take, in either byte order and\n"
               "in C or Fortran order; bfloat16 is written as NumPy's raw '<V2', as the ml_dtypes package does.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run,
};
