/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one .graph file: cases of graph text in, graph text out.
 *
 *   case name_of_the_behaviour
 *   passes fold dead              only these run
 *   budget 16                     bytes that folding may make; absent: the default
 *   graph "g" { ... }             before
 *   want
 *   graph "g" { ... }             after, compared in printed form
 *
 * Lines that start with # outside graphs are comments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "passes/pass.h"

#define MAX_CASES 64
#define MAX_PASSES 16

typedef struct graph_case {
    char name[128];
    char passes[MAX_PASSES][32];
    size_t n_passes;
    unsigned long long fold_bytes; /* 0: the default */
    char *before, *after; /* graph texts */
} graph_case;

static graph_case cases[MAX_CASES];
static size_t n_cases;

static const gei_op_def *find_op(void *user, const char *name, size_t name_size) {
    (void)user;
    return gei_catalogue_find(name, name_size);
}

static void append(char **text, const char *line) {
    size_t old = *text ? strlen(*text) : 0;
    *text = realloc(*text, old + strlen(line) + 1);
    assert_non_null(*text);
    strcpy(*text + old, line);
}

static void read_passes(graph_case *c, char *line) {
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
        if (c->n_passes == MAX_PASSES || strlen(word) >= sizeof c->passes[0]) exit(2);
        strcpy(c->passes[c->n_passes++], word);
    }
}

static void read_file(const char *path) {
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "cannot open %s\n", path);
        exit(2);
    }
    char line[4096];
    bool after = false, in_graph = false;
    graph_case *c = NULL;
    while (fgets(line, sizeof line, f)) {
        if (!in_graph && (line[0] == '#' || line[0] == '\n')) continue;
        if (strncmp(line, "case ", 5) == 0 && !in_graph) {
            if (n_cases == MAX_CASES) exit(2);
            c = &cases[n_cases++];
            sscanf(line + 5, "%127s", c->name);
            after = false;
        } else if (c && strncmp(line, "passes ", 7) == 0 && !in_graph) {
            read_passes(c, line + 7);
        } else if (c && strncmp(line, "budget ", 7) == 0 && !in_graph) {
            c->fold_bytes = strtoull(line + 7, NULL, 10);
        } else if (c && strncmp(line, "want", 4) == 0 && !in_graph) {
            after = true;
        } else if (c) {
            append(after ? &c->after : &c->before, line);
            in_graph = line[0] != '}';
        }
    }
    fclose(f);
}

static gei_graph *parse(const char *text) {
    gei_graph *g = NULL;
    gei_diag diag = { 0 };
    assert_non_null(text);
    if (gei_graph_parse(&gei_heap, text, strlen(text), find_op, NULL, &g, &diag) != GE_OK) fail_msg("%s", diag.message);
    return g;
}

static char *print(const gei_graph *g) {
    gei_sink sink;
    gei_diag diag = { 0 };
    gei_sink_init(&sink, &gei_heap);
    if (gei_graph_print(g, false, &sink, &diag) != GE_OK) fail_msg("%s", diag.message);
    char *text = strdup(sink.data);
    gei_sink_deinit(&sink);
    return text;
}

static bool wanted(const graph_case *c, const char *name) {
    for (size_t i = 0; i < c->n_passes; i++)
        if (strcmp(c->passes[i], name) == 0) return true;
    return false;
}

static void run_case(void **state) {
    const graph_case *c = *state;
    const char *off[64];
    size_t n_off = 0, n_found = 0;
    for (size_t i = 0; gei_pass_at(i); i++) {
        if (wanted(c, gei_pass_at(i)->name)) n_found++;
        else off[n_off++] = gei_pass_at(i)->name;
    }
    assert_int_equal(n_found, c->n_passes);

    gei_graph *g = parse(c->before), *want = parse(c->after);
    gei_pipeline_options options = { .off = off, .n_off = n_off, .fold_total_bytes = c->fold_bytes, .check_each = true };
    gei_diag diag = { 0 };
    if (gei_passes_run(g, &gei_heap, &options, NULL, &diag) != GE_OK) fail_msg("%s", diag.message);
    char *got_text = print(g), *want_text = print(want);
    if (strcmp(got_text, want_text) != 0) fail_msg("\n--- got\n%s--- want\n%s", got_text, want_text);
    free(got_text);
    free(want_text);
    gei_graph_destroy(g);
    gei_graph_destroy(want);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE.graph\n", argv[0]);
        return 2;
    }
    read_file(argv[1]);
    struct CMUnitTest tests[MAX_CASES];
    for (size_t i = 0; i < n_cases; i++) tests[i] = (struct CMUnitTest){ cases[i].name, run_case, NULL, NULL, &cases[i] };
    if (n_cases == 0) {
        fprintf(stderr, "%s: no case\n", argv[1]);
        return 2;
    }
    int failed = _cmocka_run_group_tests(argv[1], tests, n_cases, NULL, NULL);
    for (size_t i = 0; i < n_cases; i++) {
        free(cases[i].before);
        free(cases[i].after);
    }
    return failed;
}
