/* SPDX-License-Identifier: Apache-2.0 */
/* cli: what every part of the `ge` command shares: exit codes, errors in words, the commands.
 * A function that can fail here returns an exit code and has already told the user why on stderr. */
#ifndef GE_CLI_CLI_H
#define GE_CLI_CLI_H

/* Documented in `ge --help`; scripts rely on the numbers. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,    /* running, measuring or writing failed */
    CLI_USAGE = 2,     /* the command line itself is wrong */
    CLI_BAD_MODEL = 3, /* the model cannot be read, is wrong, or needs what this build lacks */
    CLI_BAD_INPUT = 4  /* input data or shapes are missing, unreadable, or do not fit the model */
};

struct arg_command;

extern const struct arg_command cmd_run, cmd_info, cmd_dump, cmd_check, cmd_bench;

/* Prints "ge COMMAND: message" on stderr and returns `exit_code`.  main sets the command's name before running it. */
int cli_fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_set_command(const char *name);

#endif
