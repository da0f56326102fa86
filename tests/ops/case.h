/* SPDX-License-Identifier: Apache-2.0 */
/* case: a parsed .case file.  Grammar: README.md beside this file. */
#ifndef GE_TESTS_OPS_CASE_H
#define GE_TESTS_OPS_CASE_H

#include "ops/eval_inner.h"
#include "ops/import.h"

#define MAX_WORDS 65536
#define MAX_ITEMS 48

typedef struct case_input { /* tensor NULL: an absent ONNX input */
    char name[64];
    gei_tensor *tensor;
    bool is_const;  /* ONNX: an initializer */
    int32_t format;
} case_input;

typedef struct case_attr {
    char name[64];
    char **values;  /* words; of a list its items */
    size_t n_values;
    bool is_list;
    gei_tensor *tensor; /* the value of a tensor attribute; values unused */
} case_attr;

typedef struct case_want {
    char name[64];
    gei_tensor *tensor;
    double tol;     /* < 0: by data type */
} case_want;

typedef struct test_case {
    char name[128];
    int line;
    char onnx[64];  /* type, "" in operator mode */
    int opset;
    case_input inputs[MAX_ITEMS];
    case_attr attrs[MAX_ITEMS];
    case_want wants[MAX_ITEMS];
    size_t n_inputs, n_attrs, n_wants;
    bool nothing;      /* `want nothing`: it has no outputs */
    char error[64], error_text[256]; /* wanted error: status name, part of its message */
    int32_t error_status;
} test_case;

typedef struct case_file {
    char path[512];
    char op[64];
    test_case *cases;
    size_t n_cases;
} case_file;

void read_case_file(const char *path, case_file *out); /* exits on a malformed file, naming the line */
void free_case_file(case_file *f);

/* case_tensor.c */
/* words[0] is "f32[2,3]"; the rest values, "fill KIND ...", or "file NAME".  *used: words taken. */
gei_tensor *parse_tensor(char **words, size_t n_words, const char *folder, size_t *used, const char **problem);
/* NULL when equal within tol, else a description (static buffer). */
const char *compare_tensors(const gei_tensor *got, const gei_tensor *want, double tol);
int32_t status_of_name(const char *name); /* 0: unknown */
int32_t format_of_name(const char *name); /* -1: unknown */

/* case_run.c, case_import.c: print what failed; give the number of failed checks and add to *checks. */
int run_op_case(const case_file *f, const test_case *c, int *checks);
int run_onnx_case(const test_case *c, int *checks);
bool set_attr(gei_node *node, const case_attr *a, gei_diag *diag);
void foreign_attr(const case_attr *a, gei_arena *arena, gei_attr *out);
void check_failed(const test_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool error_is_wanted(const test_case *c, ge_status status, const gei_diag *diag); /* prints when not */

#endif
