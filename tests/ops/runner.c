/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one .case file, or with --coverage checks that every operator row has one. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"

void check_failed(const test_case *c, const char *format, ...) {
    va_list args;
    printf("# %s (line %d): ", c->name, c->line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

bool error_is_wanted(const test_case *c, ge_status status, const gei_diag *diag) {
    if (status == c->error_status && strstr(diag->message, c->error_text)) return true;
    if (status == GE_OK) check_failed(c, "no error, wanted %s \"%s\"", c->error, c->error_text);
    else check_failed(c, "error %#x \"%s\", wanted %s \"%s\"", (unsigned)status, diag->message, c->error, c->error_text);
    return false;
}

/* MatMulV2 -> mat_mul_v2, GEMM -> gemm, Conv2D -> conv2d. */
static void snake_case(const char *name, char *to) {
    for (size_t k = 0; name[k]; k++) {
        bool upper = isupper((unsigned char)name[k]) != 0;
        bool after_lower = k > 0 && islower((unsigned char)name[k - 1]);
        bool before_lower = k > 0 && isupper((unsigned char)name[k - 1]) && islower((unsigned char)name[k + 1]);
        bool starts = upper && (after_lower || before_lower);
        if (starts && name[k - 1] != '_') *to++ = '_';
        *to++ = (char)tolower((unsigned char)name[k]);
    }
    *to = 0;
}

static int check_coverage(const char *folder) {
    size_t missing = 0, rows = gei_op_row_count();
    for (size_t k = 0; k < rows; k++) {
        const gei_op *op = gei_op_row_at(k);
        const gei_op_def *def = gei_catalogue_find(op->name, strlen(op->name));
        char path[1024], name[256];
        if (op->control != GEI_CONTROL_NONE) continue; /* they need bodies: tests/unit/ops/test_control_flow.c has each of them */
        snake_case(op->name, name);
        snprintf(path, sizeof path, "%s/%s/%s.case", folder, def->family, name);
        if (access(path, R_OK) == 0) continue;
        printf("# row %s has no case file %s\n", op->name, path);
        missing++;
    }
    printf("%s 1 - every operator row has a case file\n1..1\n# %zu rows, %zu without a case file\n", missing ? "not ok" : "ok",
           rows, missing);
    return missing != 0;
}

static int run_file(const char *path) {
    case_file f;
    int failed = 0, checks = 0;
    read_case_file(path, &f);
    for (size_t k = 0; k < f.n_cases; k++) {
        const test_case *c = &f.cases[k];
        int n = c->onnx[0] ? run_onnx_case(c, &checks) : run_op_case(&f, c, &checks);
        printf("%s %zu - %s\n", n ? "not ok" : "ok", k + 1, c->name);
        failed += n != 0;
    }
    printf("1..%zu\n# %s: %zu cases, %d failed, %d checks\n", f.n_cases, f.op, f.n_cases, failed, checks);
    bool empty = f.n_cases == 0;
    free_case_file(&f);
    return failed != 0 || empty;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--coverage") == 0) return check_coverage(argv[2]);
    if (argc == 2) return run_file(argv[1]);
    fprintf(stderr, "usage: %s FILE.case | --coverage FOLDER\n", argv[0]);
    return 2;
}
