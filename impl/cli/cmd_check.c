/* SPDX-License-Identifier: Apache-2.0 */
/* ge check: everything that is wrong in a model, one line each, like a compiler. */
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/model.h"
#include "cli/text.h"

#define LINES_MAX 1000 /* past that, problems are only counted */

typedef struct checker {
    const char *path;
    json *j;          /* NULL: text */
    uint64_t n_problems, n_warnings;
} checker;

static bool is_given(const char *text) {
    return text && text[0];
}

static void put(const char *text) {
    text_put_safe(stdout, text, strlen(text));
}

/* "node 'n' (Conv): " where the message does not name them already. */
static void print_node(const ge_problem *p) {
    bool has_node = !is_given(p->node) || strstr(p->message, p->node), has_type = !is_given(p->op_type) || strstr(p->message, p->op_type);
    if (has_node && has_type) return;
    if (!has_node) {
        printf("node '");
        put(p->node);
        printf(has_type ? "': " : "' (");
    }
    if (has_type) return;
    put(p->op_type);
    printf(has_node ? ": " : "): ");
}

static void print_problem(const checker *c, const ge_problem *p) {
    put(c->path);
    if (p->offset) printf(":%llu", (unsigned long long)p->offset);
    printf(p->status == GE_OK ? ": warning: " : ": error: ");
    if (is_given(p->message)) print_node(p);
    put(is_given(p->message) ? p->message : ge_status_name(p->status));
    bool has_opset = p->opset == 0 || (is_given(p->message) && strstr(p->message, "(opset "));
    if (!has_opset) printf(" (%s%sopset %d)", is_given(p->domain) ? p->domain : "", is_given(p->domain) ? " " : "", (int)p->opset);
    if (p->status != GE_OK) printf(" [%s]", ge_status_name(p->status));
    putchar('\n');
    if (!is_given(p->found) && !is_given(p->wanted)) return;
    printf("  ");
    if (is_given(p->argument)) {
        put(p->argument);
        printf(": ");
    }
    printf("found ");
    put(is_given(p->found) ? p->found : "nothing");
    if (is_given(p->wanted)) {
        printf(", wanted ");
        put(p->wanted);
    }
    putchar('\n');
}

static void json_optional(json *j, const char *key, const char *text) {
    if (is_given(text)) json_text(j, key, text);
}

static void json_problem(json *j, const ge_problem *p) {
    json_begin(j, NULL, '{');
    json_text(j, "severity", p->status == GE_OK ? "warning" : "error");
    json_text(j, "status", ge_status_name(p->status));
    json_optional(j, "message", p->message);
    json_optional(j, "node", p->node);
    json_optional(j, "op_type", p->op_type);
    json_optional(j, "domain", p->domain);
    if (p->opset) json_i64(j, "opset", p->opset);
    json_optional(j, "argument", p->argument);
    json_optional(j, "found", p->found);
    json_optional(j, "wanted", p->wanted);
    if (p->offset) json_u64(j, "offset", p->offset);
    json_end(j);
}

static ge_status take_problem(void *user_data, const ge_problem *problem) {
    checker *c = user_data;
    uint64_t *count = problem->status == GE_OK ? &c->n_warnings : &c->n_problems;
    if ((*count)++ >= LINES_MAX) return GE_OK;
    if (c->j) {
        json_problem(c->j, problem);
    } else {
        print_problem(c, problem);
    }
    return GE_OK;
}

/* Failures that no callback told: a file that cannot be opened, memory. */
static void take_last_error(checker *c) {
    ge_error *error;
    ge_error_info info;
    ge_error_take(&error);
    if (error && ge_error_get_info(error, &info, sizeof info) == GE_OK) {
        ge_problem p = { .status = info.status, .message = info.message, .node = info.node, .argument = info.argument,
                         .found = info.found, .wanted = info.wanted };
        take_problem(c, &p);
    }
    ge_error_release(error);
}

/* Reading and compiling both look at everything, but what could not be read is not compiled. */
static ge_status check_model(const model *m, checker *c, ge_model_summary *summary) {
    ge_graph *graph = NULL;
    ge_model *compiled = NULL;
    ge_import_options import = GE_IMPORT_OPTIONS_INIT;
    ge_compile_options compile = GE_COMPILE_OPTIONS_INIT;
    import.problem = compile.problem = take_problem;
    import.problem_user_data = compile.problem_user_data = c;
    compile.options = m->options;
    ge_status status = ge_graph_import_file(m->context, GE_FILE_AUTO, m->path, GE_NTS, &import, &graph);
    if (status == GE_OK && c->n_problems > 0) { /* compiling would tell the first of them again */
        ge_graph_destroy(graph);
        return GE_OK;
    }
    if (status == GE_OK) status = ge_graph_compile(graph, &compile, &compiled);
    if (status != GE_OK && c->n_problems == 0) take_last_error(c);
    if (status == GE_OK) status = ge_model_get_summary(compiled, summary, sizeof *summary);
    ge_model_destroy(compiled);
    ge_graph_destroy(graph);
    return status;
}

static void print_warnings(const checker *c) {
    if (c->n_warnings) printf(", %llu warning%s", (unsigned long long)c->n_warnings, c->n_warnings == 1 ? "" : "s");
    putchar('\n');
}

static int finish(checker *c, ge_status status, const ge_model_summary *summary) {
    bool is_good = status == GE_OK && c->n_problems == 0;
    if (c->j) {
        json_end(c->j);
        json_u64(c->j, "problems_count", c->n_problems);
        json_u64(c->j, "warnings_count", c->n_warnings);
        json_bool(c->j, "ok", is_good);
        json_end(c->j);
    } else if (is_good) {
        put(c->path);
        printf(": no problems in %llu node%s", (unsigned long long)summary->source_nodes_count,
               summary->source_nodes_count == 1 ? "" : "s");
        print_warnings(c);
    } else {
        put(c->path);
        printf(": %llu problem%s", (unsigned long long)c->n_problems, c->n_problems == 1 ? "" : "s");
        print_warnings(c);
    }
    if (is_good) return CLI_OK;
    return status == GE_OK ? CLI_BAD_MODEL : model_exit_code(status);
}

static int run(const arg_values *args) {
    model m;
    json j;
    ge_model_summary summary = { .struct_size = 0 };
    checker c = { .path = args->operands[0], .j = args_has(args, "json") ? &j : NULL };
    int code = model_create_context(args, &m);
    if (code == CLI_OK && c.j) {
        json_init(&j, stdout);
        json_begin(&j, NULL, '{');
        json_text(&j, "model", c.path);
        json_begin(&j, "problems", '[');
    }
    if (code == CLI_OK) {
        ge_status status = check_model(&m, &c, &summary);
        code = finish(&c, status, &summary);
    }
    model_close(&m);
    return code;
}

static const arg_option options[] = {
    { "json", 0, false, NULL, "report in JSON" },
    MODEL_OPTIONS_SHAPES,
    MODEL_OPTION_THREADS,
    MODEL_OPTION_VERBOSE,
};

const arg_command cmd_check = {
    .name = "check",
    .operands = "MODEL",
    .n_operands = 1,
    .summary = "Reads and compiles a model and lists everything that is wrong with it.",
    .details = "Problems go to standard output, one a line: FILE[:OFFSET]: error: what, at which node [STATUS];\n"
               "warnings in the same form. The exit code is 0 without problems, whatever the warnings, and 3 with some.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run,
};
