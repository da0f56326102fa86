/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a .case file into cases. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

typedef struct reader {
    case_file *file;
    const char *folder;
    int line;
    char **words; /* of the line; quotes removed */
    bool *quoted;
    size_t n_words;
} reader;

static void malformed(const reader *r, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", r->file->path, r->line, what);
    exit(2);
}

static void *must(void *p) {
    if (p) return p;
    fprintf(stderr, "out of memory\n");
    exit(2);
}

/* Words end at white space; "..." is one word; [ ... ] of an attribute may hold spaces. */
static void split(reader *r, char *line) {
    char *start = line + strspn(line, " \t");
    r->n_words = 0;
    if (strncmp(start, "numpy ", 6) == 0) return; /* how expect.py computes: not for us */
    for (char *at = start;;) {
        while (isspace((unsigned char)*at)) at++;
        if (*at == 0 || *at == '#') return;
        if (r->n_words == MAX_WORDS) malformed(r, "too many words");
        bool quoted = *at == '"';
        r->quoted[r->n_words] = quoted;
        r->words[r->n_words++] = quoted ? ++at : at;
        while (*at && (quoted ? *at != '"' : !isspace((unsigned char)*at))) at++;
        if (quoted && *at == 0) malformed(r, "a text without its closing quote");
        if (*at) *at++ = 0;
    }
}

static void take_name(const reader *r, char *to, size_t cap, const char *name) {
    if (strlen(name) >= cap) malformed(r, "a name that is too long");
    strcpy(to, name);
}

static bool is_input(const reader *r, const char *name) {
    const gei_op_def *def = gei_catalogue_find(r->file->op, strlen(r->file->op));
    for (uint32_t k = 0; def && k < def->n_inputs; k++)
        if (strcmp(def->inputs[k].name, name) == 0) return true;
    return false;
}

static void read_input(reader *r, test_case *c, size_t first) {
    const char *problem;
    size_t used;
    if (c->n_inputs == MAX_ITEMS) malformed(r, "too many inputs");
    case_input *in = &c->inputs[c->n_inputs++];
    take_name(r, in->name, sizeof in->name, r->words[0]);
    in->format = GE_FORMAT_ND;
    if (first < r->n_words && strcmp(r->words[first], "-") == 0) return;
    if (first < r->n_words && strcmp(r->words[first], "const") == 0) {
        in->is_const = true;
        first++;
    }
    in->tensor = parse_tensor(r->words + first, r->n_words - first, r->folder, &used, &problem);
    if (!in->tensor) malformed(r, problem);
    first += used;
    if (first + 1 < r->n_words && strcmp(r->words[first], "format") == 0) {
        in->format = format_of_name(r->words[first + 1]);
        if (in->format < 0) malformed(r, "unknown format");
        in->tensor->format = in->format;
        first += 2;
    }
    if (first != r->n_words) malformed(r, "words left over behind the input");
}

/* name value | name [a, b] */
static void read_attr(reader *r, test_case *c, size_t first) {
    if (c->n_attrs == MAX_ITEMS) malformed(r, "too many attributes");
    if (first + 1 >= r->n_words) malformed(r, "an attribute without a value");
    case_attr *a = &c->attrs[c->n_attrs++];
    take_name(r, a->name, sizeof a->name, r->words[first]);
    if (strchr(r->words[first + 1], '[') > r->words[first + 1] && r->words[first + 1][strlen(r->words[first + 1]) - 1] == ']') {
        const char *problem;
        size_t used;
        a->tensor = parse_tensor(r->words + first + 1, r->n_words - first - 1, r->folder, &used, &problem);
        if (!a->tensor) malformed(r, problem);
        return;
    }
    a->is_list = r->words[first + 1][0] == '[' && !r->quoted[first + 1];
    a->values = must(calloc(r->n_words * 16 + 64, sizeof *a->values));
    for (size_t k = first + 1; k < r->n_words; k++) {
        if (!a->is_list) {
            a->values[a->n_values++] = must(strdup(r->words[k]));
            continue;
        }
        for (char *item = strtok(r->words[k], "[], "); item; item = strtok(NULL, "[], "))
            a->values[a->n_values++] = must(strdup(item));
    }
    if (!a->is_list && a->n_values != 1) malformed(r, "words left over behind the attribute");
}

static void read_want(reader *r, test_case *c) {
    const char *problem;
    size_t used;
    if (r->n_words >= 3 && strcmp(r->words[1], "error") == 0) {
        take_name(r, c->error, sizeof c->error, r->words[2]);
        c->error_status = status_of_name(c->error);
        if (c->error_status == 0) malformed(r, "unknown status");
        if (r->n_words > 3) take_name(r, c->error_text, sizeof c->error_text, r->words[3]);
        return;
    }
    if (r->n_words == 2 && strcmp(r->words[1], "nothing") == 0) {
        c->nothing = true;
        return;
    }
    if (c->n_wants == MAX_ITEMS || r->n_words < 3) malformed(r, "wanted: want OUTPUT TYPE VALUES");
    if (strcmp(r->words[2], "compute") == 0) malformed(r, "not computed yet: run tests/ops/expect.py on this file");
    case_want *w = &c->wants[c->n_wants++];
    take_name(r, w->name, sizeof w->name, r->words[1]);
    w->tensor = parse_tensor(r->words + 2, r->n_words - 2, r->folder, &used, &problem);
    w->tol = -1;
    if (!w->tensor) malformed(r, problem);
    for (size_t k = 2 + used; k < r->n_words; k++) {
        if (strcmp(r->words[k], "computed") == 0) continue;
        if (strcmp(r->words[k], "tol") != 0 || k + 1 == r->n_words) malformed(r, "words left over behind the output");
        w->tol = strtod(r->words[++k], NULL);
    }
}

static test_case *new_case(reader *r) {
    case_file *f = r->file;
    if (r->n_words != 2) malformed(r, "wanted: case NAME");
    f->cases = must(realloc(f->cases, (f->n_cases + 1) * sizeof *f->cases));
    test_case *c = &f->cases[f->n_cases++];
    memset(c, 0, sizeof *c);
    take_name(r, c->name, sizeof c->name, r->words[1]);
    c->line = r->line;
    return c;
}

static void read_line(reader *r) {
    case_file *f = r->file;
    const char *word = r->words[0];
    if (strcmp(word, "op") == 0 && r->n_words == 2) {
        take_name(r, f->op, sizeof f->op, r->words[1]);
        if (!gei_catalogue_find(f->op, strlen(f->op))) malformed(r, "the catalogue has no such operator");
        return;
    }
    if (strcmp(word, "case") == 0) {
        (void)new_case(r);
        return;
    }
    if (f->n_cases == 0 || !f->op[0]) malformed(r, "wanted `op NAME`, then `case NAME`");
    test_case *c = &f->cases[f->n_cases - 1];
    if (strcmp(word, "want") == 0) {
        read_want(r, c);
    } else if (strcmp(word, "onnx") == 0) {
        if (r->n_words != 3) malformed(r, "wanted: onnx TYPE OPSET");
        take_name(r, c->onnx, sizeof c->onnx, r->words[1]);
        c->opset = atoi(r->words[2]);
    } else if (c->onnx[0] && strcmp(word, "in") == 0) {
        read_input(r, c, 1);
    } else if (!c->onnx[0] && is_input(r, word)) {
        read_input(r, c, 1);
    } else {
        read_attr(r, c, 0);
    }
}

void read_case_file(const char *path, case_file *out) {
    char folder[512], *line = NULL;
    size_t cap = 0;
    FILE *f = fopen(path, "r");
    memset(out, 0, sizeof *out);
    if (!f || strlen(path) >= sizeof out->path) {
        fprintf(stderr, "cannot open %s\n", path);
        exit(2);
    }
    strcpy(out->path, path);
    strcpy(folder, path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    reader r = { .file = out, .folder = slash ? folder : ".", .words = must(calloc(MAX_WORDS, sizeof(char *))),
                 .quoted = must(calloc(MAX_WORDS, sizeof(bool))) };
    while (getline(&line, &cap, f) > 0) {
        r.line++;
        split(&r, line);
        if (r.n_words > 0) read_line(&r);
    }
    free(line);
    free(r.words);
    free(r.quoted);
    fclose(f);
}

void free_case_file(case_file *f) {
    for (size_t k = 0; k < f->n_cases; k++) {
        test_case *c = &f->cases[k];
        for (size_t n = 0; n < c->n_inputs; n++) gei_tensor_release(c->inputs[n].tensor);
        for (size_t n = 0; n < c->n_wants; n++) gei_tensor_release(c->wants[n].tensor);
        for (size_t n = 0; n < c->n_attrs; n++) {
            gei_tensor_release(c->attrs[n].tensor);
            for (size_t v = 0; v < c->attrs[n].n_values; v++) free(c->attrs[n].values[v]);
            free(c->attrs[n].values);
        }
    }
    free(f->cases);
}
