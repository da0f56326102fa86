/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define WORD_MAX 32 /* longer words have no near candidate */

static const arg_option help_option = { "help", 'h', true, NULL, "show this help" };

static const arg_option *find_long(const arg_command *command, const char *name, size_t size) {
    if (size == 4 && memcmp(name, "help", 4) == 0) return &help_option;
    for (size_t i = 0; i < command->n_options; i++) {
        const arg_option *option = &command->options[i];
        if (strlen(option->name) == size && memcmp(option->name, name, size) == 0) return option;
    }
    return NULL;
}

static const arg_option *find_short(const arg_command *command, char letter) {
    if (letter == help_option.letter) return &help_option;
    for (size_t i = 0; i < command->n_options; i++) {
        if (command->options[i].letter == letter) return &command->options[i];
    }
    return NULL;
}

static int unknown_option(const arg_command *command, const char *word, size_t name_size) {
    const char *names[WORD_MAX];
    size_t n = 0;
    for (size_t i = 0; i < command->n_options && n < WORD_MAX; i++) names[n++] = command->options[i].name;
    char name[WORD_MAX];
    const char *near = NULL;
    if (word[1] == '-' && name_size < sizeof name) {
        memcpy(name, word + 2, name_size);
        name[name_size] = 0;
        near = args_nearest(name, names, n);
    }
    if (near) return cli_fail(CLI_USAGE, "unknown option '%s'; did you mean '--%s'?", word, near);
    return cli_fail(CLI_USAGE, "unknown option '%s'; 'ge %s --help' lists them", word, command->name);
}

static int add_given(arg_values *out, const arg_option *option, const char *value) {
    if (option == &help_option) {
        out->wants_help = true;
        return CLI_OK;
    }
    if (!option->repeats && args_has(out, option->name)) {
        return cli_fail(CLI_USAGE, "--%s is given twice", option->name);
    }
    out->given[out->n_given++] = (arg_given){ option, value };
    return CLI_OK;
}

/* Reads the option at argv[*at] and steps over the words it uses up, the last one left to the caller's loop. */
static int parse_option(const arg_command *command, int argc, char **argv, int *at, arg_values *out) {
    const char *word = argv[*at];
    const arg_option *option;
    const char *value = NULL;
    if (word[1] == '-') {
        const char *equals = strchr(word, '=');
        size_t size = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
        option = find_long(command, word + 2, size);
        if (!option) return unknown_option(command, word, size);
        if (equals) value = equals + 1;
    } else {
        option = find_short(command, word[1]);
        if (!option) return unknown_option(command, word, 0);
        if (word[2]) value = word + 2;
    }
    if (!option->value && value) return cli_fail(CLI_USAGE, "--%s takes no value", option->name);
    if (option->value && !value) {
        if (*at + 1 >= argc) return cli_fail(CLI_USAGE, "--%s needs a value: --%s %s", option->name, option->name, option->value);
        value = argv[++*at];
    }
    return add_given(out, option, value);
}

int args_parse(const arg_command *command, int argc, char **argv, arg_values *out) {
    *out = (arg_values){ .command = command };
    out->operands = calloc((size_t)argc + 1, sizeof *out->operands);
    out->given = calloc((size_t)argc + 1, sizeof *out->given);
    if (!out->operands || !out->given) return cli_fail(CLI_FAILED, "out of memory");
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == 0) {
            out->operands[out->n_operands++] = word;
        } else {
            int code = parse_option(command, argc, argv, &i, out);
            if (code != CLI_OK) return code;
        }
    }
    if (out->wants_help) return CLI_OK;
    if (out->n_operands < command->n_operands) {
        return cli_fail(CLI_USAGE, "%s is missing; 'ge %s --help' shows how", command->operands, command->name);
    }
    if (out->n_operands > command->n_operands) {
        return cli_fail(CLI_USAGE, "unexpected word '%s'", out->operands[command->n_operands]);
    }
    return CLI_OK;
}

void args_deinit(arg_values *values) {
    free(values->operands);
    free(values->given);
    *values = (arg_values){ 0 };
}

/* ---- help ---------------------------------------------------------------------------------------------------------- */

static size_t option_width(const arg_option *option) {
    return strlen(option->name) + (option->value ? strlen(option->value) + 1 : 0) + 8; /* "  -x, --" */
}

static void print_option(const arg_option *option, size_t width) {
    char left[80];
    const char *gap = option->value ? " " : "", *value = option->value ? option->value : "";
    if (option->letter) {
        snprintf(left, sizeof left, "  -%c, --%s%s%s", option->letter, option->name, gap, value);
    } else {
        snprintf(left, sizeof left, "      --%s%s%s", option->name, gap, value);
    }
    printf("%-*s  ", (int)width, left);
    for (const char *line = option->help; line;) {
        const char *end = strchr(line, '\n');
        printf("%.*s\n", end ? (int)(end - line) : (int)strlen(line), line);
        line = end ? end + 1 : NULL;
        if (line) printf("%*s  ", (int)width, "");
    }
}

void args_print_help(const arg_command *command) {
    size_t width = option_width(&help_option);
    for (size_t i = 0; i < command->n_options; i++) {
        size_t w = option_width(&command->options[i]);
        if (w > width) width = w;
    }
    printf("usage: ge %s %s [OPTION]...\n\n%s\n\noptions:\n", command->name, command->operands, command->summary);
    for (size_t i = 0; i < command->n_options; i++) print_option(&command->options[i], width);
    print_option(&help_option, width);
    if (command->details) printf("\n%s", command->details);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

bool args_has(const arg_values *values, const char *name) {
    for (size_t i = 0; i < values->n_given; i++) {
        if (strcmp(values->given[i].option->name, name) == 0) return true;
    }
    return false;
}

const char *args_value(const arg_values *values, const char *name) {
    const char *value = NULL;
    for (size_t i = 0; i < values->n_given; i++) {
        if (strcmp(values->given[i].option->name, name) == 0) value = values->given[i].value;
    }
    return value;
}

int args_count(const arg_values *values, const char *name, uint64_t lowest, uint64_t highest, uint64_t *out) {
    const char *text = args_value(values, name);
    uint64_t n;
    if (!text) return CLI_OK;
    if (!args_read_u64(text, strlen(text), &n) || n < lowest || n > highest) {
        return cli_fail(CLI_USAGE, "--%s: '%s' is no whole number from %llu to %llu", name, text,
                        (unsigned long long)lowest, (unsigned long long)highest);
    }
    *out = n;
    return CLI_OK;
}

bool args_read_u64(const char *text, size_t size, uint64_t *out) {
    uint64_t n = 0;
    if (size == 0) return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (__builtin_mul_overflow(n, UINT64_C(10), &n)) return false;
        if (__builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n)) return false;
    }
    *out = n;
    return true;
}

/* Levenshtein distance; both shorter than WORD_MAX. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[WORD_MAX + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j + 1] + 1 < best) best = row[j + 1] + 1;
            row[j + 1] = best;
        }
    }
    return row[n];
}

const char *args_nearest(const char *word, const char *const *candidates, size_t n) {
    const char *nearest = NULL;
    size_t word_size = strlen(word);
    size_t best = word_size < 5 ? 2 : 3; /* must be beaten: 1 edit in a short word, 2 in a longer one */
    if (word_size == 0 || word_size >= WORD_MAX) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (strlen(candidates[i]) >= WORD_MAX) continue;
        size_t distance = edit_distance(word, candidates[i]);
        bool is_beginning = word_size >= 2 && strncmp(word, candidates[i], word_size) == 0;
        if (is_beginning && !nearest) nearest = candidates[i];
        if (distance < best) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}
