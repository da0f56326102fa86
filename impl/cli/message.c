/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "cli/cli.h"

static const char *command_name = ""; /* in front of messages */

void cli_set_command(const char *name) {
    command_name = name;
}

static void print_message(const char *kind, const char *format, va_list args) {
    fflush(stdout); /* keeps the order on a terminal and in a shared log */
    fprintf(stderr, "ge%s%s: %s", command_name[0] ? " " : "", command_name, kind);
    vfprintf(stderr, format, args);
    putc('\n', stderr);
}

int cli_fail(int exit_code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message("", format, args);
    va_end(args);
    return exit_code;
}

void cli_note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message("note: ", format, args);
    va_end(args);
}
