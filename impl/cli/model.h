/* SPDX-License-Identifier: Apache-2.0 */
/* model: a model file on its way through the library, and the library's errors in words. */
#ifndef GE_CLI_MODEL_H
#define GE_CLI_MODEL_H

#include <stdbool.h>

#include "cli/args.h"
#include "ge_c_api.h"

typedef struct model_ports {
    ge_io_info *infos; /* owned; their text belongs to the model */
    size_t count;
} model_ports;

typedef struct model {
    const char *path;    /* borrowed */
    ge_context *context; /* owned, as is all below; NULL until reached */
    ge_options *options; /* of compilations */
    ge_graph *graph;     /* as imported */
    ge_model *compiled;
    model_ports inputs, outputs;
    uint64_t import_ns, compile_ns;
} model;

/* The next three are rows for the option tables of all commands that read a model; model_open reads them.  Shapes are options of
 * the same names in GE's tools. */
#define MODEL_OPTIONS_SHAPES \
    { "input-shape", 0, false, "SHAPES", "compile for shapes: NAME:SIZE,...;NAME:..., a size a number, -1\nfor any, or a range such as 1~8" }, \
    { "dynamic-batch-size", 0, false, "GEARS", "the only sizes of the -1 in dim 0: 1,2,4" }, \
    { "dynamic-image-size", 0, false, "GEARS", "the only heights and widths: 224,224;448,448" }, \
    { "dynamic-dims", 0, false, "GEARS", "the only sizes of all -1 together: 1,16;2,32" }, \
    { "input-format", 0, false, "FORMAT", "NCHW (default) or NHWC: where height and width are" }
#define MODEL_OPTION_THREADS { "threads", 't', false, "N", "threads a run may use (default: one per processor)" }
#define MODEL_OPTION_VERBOSE { "verbose", 'v', false, NULL, "show what the library logs, on stderr" }

/* All give an exit code and have said why.  model_close is due after model_open, also when it fails. */
int model_open(const arg_values *args, model *out);          /* context and imported graph */
int model_compile(model *m);
int model_open_compiled(const arg_values *args, model *out); /* both */
void model_close(model *m);
int model_create_context(const arg_values *args, model *out); /* first half of model_open */

/* The exit code for a failure of the library while it reads or compiles a model. */
int model_exit_code(ge_status status);

/* Tells the last error of the library with node, argument, found and wanted.  `subject` stands in front: a file, an input. */
int model_fail(int exit_code, const char *subject);

/* "float32[batch,1,8,8]"; cut where `cap` ends. */
void model_port_text(const ge_io_info *info, char *to, size_t cap);
void model_dims_text(const ge_io_info *info, char *to, size_t cap); /* "[batch,1,8,8]" */

#endif
