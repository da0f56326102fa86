/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/profile.h"
#include "cli/term.h"
#include "cli/text.h"

/* ---- errors -------------------------------------------------------------------------------------------------------- */

int model_exit_code(ge_status status) {
    switch (status >> 16) {
        case GE_CLASS_RESOURCE: return status == GE_ERR_FILE ? CLI_BAD_MODEL : CLI_FAILED;
        case GE_CLASS_ARGUMENT: case GE_CLASS_UNSUPPORTED: case GE_CLASS_MODEL: case GE_CLASS_COMPILE: return CLI_BAD_MODEL;
        default: return CLI_FAILED;
    }
}

static void print_fact(const char *label, const char *text) {
    if (!text || !text[0]) return;
    fprintf(stderr, "  %-9s ", label);
    text_put_safe(stderr, text, strlen(text));
    putc('\n', stderr);
}

static void print_facts(const ge_error *error) {
    ge_error_info info;
    if (ge_error_get_info(error, &info, sizeof info) != GE_OK) return;
    print_fact("node:", info.node);
    print_fact("argument:", info.argument);
    print_fact("found:", info.found);
    print_fact("wanted:", info.wanted);
    for (uint32_t i = 0; i < info.details_count; i++) {
        const char *key, *value;
        char label[48];
        if (ge_error_get_detail(error, i, &key, &value) != GE_OK) continue;
        snprintf(label, sizeof label, "%s:", key);
        print_fact(label, value);
    }
    for (uint32_t i = 0; i < info.causes_count; i++) {
        const char *message;
        ge_status status;
        if (ge_error_get_cause(error, i, &status, &message) == GE_OK) print_fact("because:", message);
    }
    print_fact("status:", ge_status_name(info.status));
}

int model_fail(int exit_code, const char *subject) {
    ge_error *error;
    char message[1200], name[300];
    ge_error_take(&error);
    const char *text = ge_error_get_message(error);
    text_copy_safe(message, sizeof message, text, strlen(text));
    text_copy_safe(name, sizeof name, subject, strlen(subject));
    cli_fail(exit_code, "%s: %s", name, message[0] ? message : "failed, and the library gave no reason");
    if (error) print_facts(error);
    ge_error_release(error);
    return exit_code;
}

/* ---- opening ------------------------------------------------------------------------------------------------------- */

static void print_log(void *user_data, ge_log_level level, const char *message, size_t message_size) {
    (void)user_data;
    fputs(level <= GE_LOG_WARN ? "log: warning: " : "log: ", stderr);
    text_put_safe(stderr, message, message_size);
    putc('\n', stderr);
}

static int take_shapes(const arg_values *args, model *m) {
    static const struct {
        const char *option, *key;
    } rows[] = { { "input-shape", "input_shape" },
                 { "dynamic-batch-size", "ge.dynamicBatchSize" },
                 { "dynamic-image-size", "ge.dynamicImageSize" },
                 { "dynamic-dims", "ge.dynamicDims" },
                 { "input-format", "input_format" } };
    ge_status status = ge_options_create(&m->options);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == GE_OK; i++) {
        const char *text = args_value(args, rows[i].option);
        if (text) status = ge_options_set_text(m->options, rows[i].key, GE_NTS, text, GE_NTS);
    }
    return status == GE_OK ? CLI_OK : model_fail(CLI_USAGE, "shapes");
}

int model_create_context(const arg_values *args, model *out) {
    ge_options *options = NULL;
    uint64_t threads = 0; /* the library's default: one per processor */
    int code = args_count(args, "threads", 1, 1024, &threads);
    *out = (model){ .path = args->operands[0] };
    if (code != CLI_OK) return code;
    if (ge_options_create(&options) != GE_OK ||
        ge_options_set_int(options, "ge.threads", GE_NTS, (int64_t)threads) != GE_OK ||
        ge_context_create(options, &out->context) != GE_OK ||
        (args_has(args, "verbose") &&
         ge_context_set_log_sink(out->context, GE_LOG_INFO, print_log, NULL, NULL) != GE_OK)) {
        code = model_fail(CLI_FAILED, "starting the library");
    }
    ge_options_destroy(options);
    if (code == CLI_OK) code = take_shapes(args, out);
    return code == CLI_OK ? profile_begin_trace(args, out) : code;
}

int model_open(const arg_values *args, model *out) {
    int code = model_create_context(args, out);
    if (code != CLI_OK) return code;
    uint64_t start_ns = clock_ns();
    ge_status status = ge_graph_import_file(out->context, GE_FILE_AUTO, out->path, GE_NTS, NULL, &out->graph);
    out->import_ns = clock_ns() - start_ns;
    return status == GE_OK ? CLI_OK : model_fail(model_exit_code(status), out->path);
}

static ge_status show_progress(void *user_data, const char *stage, size_t stage_size, uint64_t done, uint64_t total) {
    char what[64];
    int shown = stage_size < 40 ? (int)stage_size : 40;
    snprintf(what, sizeof what, "compiling: %.*s", shown, stage);
    progress_show(user_data, what, done, total);
    return GE_OK;
}

static int read_ports(const model *m, ge_direction direction, model_ports *out) {
    size_t count = 0;
    if (ge_model_get_io_infos(m->compiled, direction, NULL, 0, sizeof(ge_io_info), &count) != GE_OK) {
        return model_fail(CLI_FAILED, m->path);
    }
    out->infos = calloc(count + 1, sizeof *out->infos);
    if (!out->infos) return cli_fail(CLI_FAILED, "out of memory");
    if (ge_model_get_io_infos(m->compiled, direction, out->infos, count, sizeof(ge_io_info), &out->count) != GE_OK) {
        return model_fail(CLI_FAILED, m->path);
    }
    return CLI_OK;
}

int model_compile(model *m) {
    progress line;
    ge_compile_options options = GE_COMPILE_OPTIONS_INIT;
    options.options = m->options;
    options.progress = show_progress;
    options.progress_user_data = &line;
    progress_start(&line);
    uint64_t start_ns = clock_ns();
    ge_status status = ge_graph_compile(m->graph, &options, &m->compiled);
    m->compile_ns = clock_ns() - start_ns;
    progress_end(&line);
    if (status != GE_OK) return model_fail(status == GE_ERR_OPTION_VALUE ? CLI_USAGE : model_exit_code(status), m->path);
    int code = read_ports(m, GE_DIRECTION_IN, &m->inputs);
    return code == CLI_OK ? read_ports(m, GE_DIRECTION_OUT, &m->outputs) : code;
}

int model_open_compiled(const arg_values *args, model *out) {
    int code = model_open(args, out);
    return code == CLI_OK ? model_compile(out) : code;
}

void model_close(model *m) {
    free(m->inputs.infos);
    free(m->outputs.infos);
    ge_model_destroy(m->compiled);
    ge_graph_destroy(m->graph);
    ge_options_destroy(m->options);
    ge_context_destroy(m->context);
    *m = (model){ 0 };
}

/* ---- ports in words ------------------------------------------------------------------------------------------------ */

static void append(char *to, size_t cap, const char *text) {
    size_t used = strlen(to);
    if (used + 1 < cap) snprintf(to + used, cap - used, "%s", text);
}

void model_dims_text(const ge_io_info *info, char *to, size_t cap) {
    char number[32];
    to[0] = 0;
    if (info->rank < 0) {
        append(to, cap, "[...]");
        return;
    }
    append(to, cap, "[");
    for (int32_t i = 0; i < info->rank; i++) {
        const char *symbol = info->dim_names ? info->dim_names[i] : NULL;
        snprintf(number, sizeof number, "%lld", (long long)info->dims[i]);
        if (i > 0) append(to, cap, ",");
        append(to, cap, info->dims[i] >= 0 ? number : symbol && symbol[0] ? symbol : "?");
    }
    append(to, cap, "]");
}

void model_port_text(const ge_io_info *info, char *to, size_t cap) {
    char dims[200];
    static const char *const kinds[] = { "?", "tensor", "sequence", "map", "optional" };
    if (info->kind != GE_VALUE_TENSOR) {
        snprintf(to, cap, "%s", info->kind > 0 && info->kind <= GE_VALUE_OPTIONAL ? kinds[info->kind] : kinds[0]);
        return;
    }
    model_dims_text(info, dims, sizeof dims);
    snprintf(to, cap, "%s%s", ge_dtype_get_name(info->dtype), dims);
}
