/* SPDX-License-Identifier: Apache-2.0 */
/* ge dump: a model as text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/model.h"

typedef struct dump_format {
    const char *name;
    ge_dump_format format;
    bool is_report; /* only compiled models have it */
} dump_format;

static const dump_format formats[] = {
    { "readable", GE_DUMP_READABLE, false }, { "dot", GE_DUMP_DOT, false },       { "plan", GE_DUMP_PLAN, true },
    { "ir", GE_DUMP_IR, false },             { "passes", GE_DUMP_PASSES, true },  { "kernels", GE_DUMP_KERNELS, true },
    { "summary", GE_DUMP_SUMMARY, true },
};
#define N_FORMATS (sizeof formats / sizeof formats[0])

static int find_format(const arg_values *args, const dump_format **out) {
    const char *name = args_value(args, "format"), *names[N_FORMATS];
    if (!name) return CLI_OK;
    for (size_t i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i].name;
        if (strcmp(formats[i].name, name) == 0) {
            *out = &formats[i];
            return CLI_OK;
        }
    }
    const char *near = args_nearest(name, names, N_FORMATS);
    if (near) return cli_fail(CLI_USAGE, "--format: unknown format '%s'; did you mean '%s'?", name, near);
    return cli_fail(CLI_USAGE, "--format: unknown format '%s'; 'ge dump --help' lists them", name);
}

static ge_status write_part(void *user_data, const uint8_t *data, size_t data_size) {
    if (fwrite(data, 1, data_size, user_data) == data_size) return GE_OK;
    return ge_error_set_in_callback(GE_ERR_FILE, strerror(errno), GE_NTS);
}

static int write_dump(const model *m, const dump_format *format, FILE *to) {
    ge_status status = m->compiled ? ge_model_dump_to(m->compiled, format->format, write_part, to, NULL)
                                   : ge_graph_dump_to(m->graph, format->format, write_part, to, NULL);
    return status == GE_OK ? CLI_OK : model_fail(CLI_FAILED, m->path);
}

static int write_dump_file(const model *m, const dump_format *format, const char *path) {
    FILE *to = fopen(path, "wb");
    if (!to) return cli_fail(CLI_FAILED, "%s: it cannot be created: %s", path, strerror(errno));
    int code = write_dump(m, format, to);
    if (fclose(to) != 0 && code == CLI_OK) code = cli_fail(CLI_FAILED, "%s: writing failed: %s", path, strerror(errno));
    return code;
}

static int run(const arg_values *args) {
    const dump_format *format = &formats[0];
    model m;
    int code = find_format(args, &format);
    bool is_source = args_has(args, "source");
    if (code != CLI_OK) return code;
    if (is_source && format->is_report) {
        return cli_fail(CLI_USAGE, "--source: '%s' is a report on a compiled model", format->name);
    }
    code = is_source ? model_open(args, &m) : model_open_compiled(args, &m);
    const char *path = args_value(args, "output");
    if (code == CLI_OK) code = path ? write_dump_file(&m, format, path) : write_dump(&m, format, stdout);
    model_close(&m);
    return code;
}

static const arg_option options[] = {
    { "format", 'f', false, "FORMAT", "one of those below (default: readable)" },
    { "output", 'o', false, "FILE", "write to FILE (default: standard output)" },
    { "source", 0, false, NULL, "the graph as it was read, not as it was compiled" },
    MODEL_OPTIONS_SHAPES,
    MODEL_OPTION_THREADS,
    MODEL_OPTION_VERBOSE,
};

const arg_command cmd_dump = {
    .name = "dump",
    .operands = "MODEL",
    .n_operands = 1,
    .summary = "Writes a model as text.",
    .details = "formats:\n"
               "  readable  one line per node\n"
               "  dot       a drawing for Graphviz:  ge dump model.onnx -f dot | dot -Tsvg -o model.svg\n"
               "  ir        graph text of libge, complete but for large weights\n"
               "  plan      steps with kernels, operands and offsets\n"
               "  kernels   the kernel of each node, and why others were refused\n"
               "  passes    what each pass changed\n"
               "  summary   counts and bytes\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run,
};
