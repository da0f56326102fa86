/* SPDX-License-Identifier: Apache-2.0 */
/* ge: the command line of libge, a client of its public header like any other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "ge_c_api.h"

static const arg_command *const commands[] = { &cmd_run, &cmd_info, &cmd_dump, &cmd_check, &cmd_bench };
#define N_COMMANDS (sizeof commands / sizeof commands[0])

static void print_help(FILE *to) {
    fprintf(to, "usage: ge COMMAND MODEL [OPTION]...\n\ncommands:\n");
    for (size_t i = 0; i < N_COMMANDS; i++) fprintf(to, "  %-7s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "  ge COMMAND --help   shows the options of a command\n"
          "  ge --version        shows version and build\n"
          "\n"
          "MODEL is an ONNX file.\n"
          "\n"
          "exit codes:\n"
          "  0  done\n"
          "  1  running, measuring or writing failed\n"
          "  2  the command line is wrong\n"
          "  3  the model cannot be read, is wrong, or needs what this build lacks\n"
          "  4  input data or shapes are missing, cannot be read, or do not fit the model\n",
          to);
}

static int print_version(void) {
    uint32_t major, minor, patch;
    ge_get_version(&major, &minor, &patch);
    printf("ge %u.%u.%u\n%s\n", major, minor, patch, ge_get_build_info());
    return CLI_OK;
}

static int find_command(const char *word, const arg_command **out) {
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++) {
        names[i] = commands[i]->name;
        if (strcmp(word, names[i]) == 0) {
            *out = commands[i];
            return CLI_OK;
        }
    }
    const char *what = word[0] == '-' ? "option" : "command", *near = args_nearest(word, names, N_COMMANDS);
    if (near) return cli_fail(CLI_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, near);
    return cli_fail(CLI_USAGE, "unknown %s '%s'; 'ge --help' lists the commands", what, word);
}

static int run_command(const arg_command *command, int argc, char **argv) {
    arg_values values;
    cli_set_command(command->name);
    int code = args_parse(command, argc, argv, &values);
    if (code == CLI_OK && values.wants_help) {
        args_print_help(command);
    } else if (code == CLI_OK) {
        code = command->run(&values);
    }
    args_deinit(&values);
    return code;
}

static int dispatch(int argc, char **argv) {
    const arg_command *command = NULL;
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return print_version();
    bool is_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (is_help && argc < 3) {
        print_help(stdout);
        return CLI_OK;
    }
    int code = find_command(is_help ? argv[2] : word, &command);
    if (code != CLI_OK) return code;
    if (!is_help) return run_command(command, argc - 2, argv + 2);
    args_print_help(command);
    return CLI_OK;
}

int main(int argc, char **argv) {
    /* The library this was built against and the one found at run time may differ. */
    if (ge_check_header(GE_HEADER_ABI, GE_HEADER_MAJOR, (uint32_t)sizeof(void *)) != GE_OK) {
        ge_error *error;
        ge_error_take(&error);
        int code = cli_fail(CLI_FAILED, "%s", ge_error_get_message(error));
        ge_error_release(error);
        return code;
    }
    int code = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_OK) {
        code = cli_fail(CLI_FAILED, "writing to standard output failed: %s", strerror(errno));
    }
    return code;
}
