/* SPDX-License-Identifier: Apache-2.0 */
/* args: command lines from tables.  Each command describes its options once; parsing and help come from the same rows. */
#ifndef GE_CLI_ARGS_H
#define GE_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arg_option {
    const char *name;  /* long form without dashes */
    char letter;       /* short form, 0: none */
    bool repeats;      /* may be given more than once */
    const char *value; /* what stands for the value in help; NULL: a flag */
    const char *help;  /* lines separated by \n */
} arg_option;

typedef struct arg_given {
    const arg_option *option;
    const char *value; /* borrowed from argv; NULL for a flag */
} arg_given;

struct arg_values;

typedef struct arg_command {
    const char *name;
    const char *operands;  /* as in the usage line: "MODEL" */
    uint32_t n_operands;   /* exactly so many are wanted */
    const char *summary;   /* one line */
    const char *details;   /* after the options; NULL: none */
    const arg_option *options;
    size_t n_options;
    int (*run)(const struct arg_values *args); /* exit code */
} arg_command;

typedef struct arg_values {
    const arg_command *command;
    const char **operands; /* owned array of borrowed text */
    size_t n_operands;
    arg_given *given;      /* owned, in command line order */
    size_t n_given;
    bool wants_help;
} arg_values;

/* argv[0] is the first word after the command's name.  Gives an exit code; args_deinit is due either way. */
int args_parse(const arg_command *command, int argc, char **argv, arg_values *out);
void args_deinit(arg_values *values);
void args_print_help(const arg_command *command);

bool args_has(const arg_values *values, const char *name);
const char *args_value(const arg_values *values, const char *name); /* the last one given, or NULL */
/* A whole number in lowest..highest; `out` keeps its value when the option is absent. */
int args_count(const arg_values *values, const char *name, uint64_t lowest, uint64_t highest, uint64_t *out);

/* Digits only, no sign, no blanks; false also when it does not fit. */
bool args_read_u64(const char *text, size_t size, uint64_t *out);
/* The candidate most like `word`, or NULL when none is near. */
const char *args_nearest(const char *word, const char *const *candidates, size_t n);

#endif
