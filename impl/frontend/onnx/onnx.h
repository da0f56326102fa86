/* SPDX-License-Identifier: Apache-2.0 */
/* onnx: reads ONNX models into graphs.
 *
 * Containers and structure are read here; what an operator means stands in its row (ops/op.h) and is asked by name.
 * Inlined: model-local functions.  Made explicit: values that nested graphs take from outside become inputs of the node that owns
 * the graph; constants are shared instead.  Inputs that have an initializer are constants: always below ir_version 4, where all
 * initializers are listed as inputs; from 4 on too unless `overridable` is set, so that exporters which still list all of them do
 * not keep the weights from being folded.  The metadata entry "onnx.fixed_inputs" names them, one a line. */
#ifndef GEI_FRONTEND_ONNX_ONNX_H
#define GEI_FRONTEND_ONNX_ONNX_H

#include "frontend/limits.h"
#include "ops/op.h"

#define GEI_ONNX_NEWEST_IR 14 /* of onnx.proto at opset 28; later ones are read too: unknown fields are skipped */

/* Who owns the bytes given to gei_onnx_read.  With retain NULL they are only good during the call, and payloads are copied. */
typedef struct gei_onnx_owner {
    void (*retain)(void *user);  /* once per tensor that points into the bytes */
    void (*release)(void *user); /* any thread */
    void *user;
} gei_onnx_owner;

/* One thing that is wrong; a warning when the status is GE_OK.  Text lives during the callback. */
typedef struct gei_onnx_problem {
    const gei_diag *diag;
    const char *op_type, *domain; /* as the model spells them; "" when it is not about a node */
    int32_t opset;                /* 0 likewise */
    uint64_t offset;              /* byte in the file where node, tensor or declaration starts, 0 when not known */
} gei_onnx_problem;

typedef struct gei_onnx_options {
    const gei_allocator *from;  /* of the graph and all it holds; NULL: gei_heap */
    const char *directory;      /* of external data; NULL: the file's own, or refused when reading from memory */
    const gei_limits *limits;   /* NULL: gei_limits_default */
    gei_onnx_owner owner;
    bool copy;                  /* no tensor points into a file or the given bytes, and files are read, not mapped */
    bool overridable;           /* from ir_version 4 on: inputs with an initializer stay Data, the initializer in attribute "_default" */
    bool follows_links;         /* external data may go through symbolic links */
    /* Mappings of operators, as gei_source_find, asked before it; NULL: only the rows. */
    const gei_source *(*find)(void *user, const char *domain, const char *type, int32_t opset, const gei_op **out_op);
    void *find_user;
    bool check;                 /* with `problem`: tells what shape inference finds too, which does not stop the reading; and warnings */
    /* Called for each problem, up to limits->problems.  What it returns other than GE_OK stops the reading and comes out. */
    ge_status (*problem)(void *user, const gei_onnx_problem *problem);
    void *problem_user;
} gei_onnx_options;

/* On failure *out is NULL; status is that of the first problem, and diag counts them and lists the operators that no row knows.
 * options NULL: all defaults.  Uses little stack however deep the model nests. */
ge_status gei_onnx_read(const uint8_t *bytes, size_t size, const gei_onnx_options *options, gei_graph **out, gei_diag *diag);
/* options->owner is not used: the graph keeps the file as long as it needs it. */
ge_status gei_onnx_read_file(const char *path, const gei_onnx_options *options, gei_graph **out, gei_diag *diag);
/* A guess from the first fields; the bytes may be only the beginning of a file. */
bool gei_onnx_is_model(const uint8_t *bytes, size_t size);

#endif
