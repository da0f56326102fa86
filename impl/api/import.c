/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/object.h"
#include "api/options.h"
#include "api/problem.h"
#include "frontend/onnx/onnx.h"

ge_status ge_import_options_init(ge_import_options *options, size_t options_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(options, options_size);
    GEI_NEED(options, 0);
    ge_import_options o = GE_IMPORT_OPTIONS_INIT;
    return GEI_RETURN(gei_struct_out(options, options_size, &o, sizeof o, GEI_FIRST_IMPORT_OPTIONS, "options", 0, &diag));
}

/* One import: options resolved, ended by import_end. */
typedef struct import_job {
    ge_import_options options;
    gei_problem_sink sink;
    gei_onnx_options onnx;
    char *base_path;
    size_t base_path_size;
    gei_diag *diag; /* of the running call: what a callback's failure says */
} import_job;

static ge_status report(void *user, const gei_onnx_problem *p) {
    import_job *job = user;
    return gei_problem_report(&job->sink, p->diag, p->op_type, p->domain, p->opset, p->offset, job->diag);
}

static ge_status import_begin(import_job *job, const ge_import_options *options, gei_diag *diag) {
    memset(job, 0, sizeof *job);
    job->options = (ge_import_options)GE_IMPORT_OPTIONS_INIT;
    job->diag = diag;
    if (!options) return GE_OK;
    GEI_TRY(gei_struct_in(options, &job->options, sizeof job->options, GEI_FIRST_IMPORT_OPTIONS, "options", 3, diag));
    ge_import_options *o = &job->options;
    job->sink = (gei_problem_sink){ o->problem, o->problem_user_data };
    if (o->problem) job->onnx.problem = report;
    job->onnx.check = o->problem != NULL;
    job->onnx.problem_user = job;
    if (o->options) {
        ge_status why = GE_OK;
        const gei_api_options *set = gei_handle_get(o->options, GEI_HANDLE_OPTIONS, &why);
        if (!set) return gei_argument_fail(diag, "options", 3, why, "options holds an options handle that cannot be used: %s", gei_status_name(why));
        job->onnx.copy = gei_options_int(set, "ge.map", 1) == 0;
    }
    if (!o->base_path) return GE_OK;
    GEI_TRY(gei_path_in(o->base_path, (size_t)o->base_path_size, "base_path", 3, &job->base_path, &job->base_path_size, diag));
    job->onnx.directory = job->base_path;
    return GE_OK;
}

static void import_end(import_job *job) {
    if (job->base_path) gei_free(&gei_heap, job->base_path, job->base_path_size + 1, 1);
    if (job->options.problem_destroy) job->options.problem_destroy(job->options.problem_user_data);
}

static ge_status check_format(ge_file_format format, gei_diag *diag) {
    if (format == GE_FILE_AUTO || format == GE_FILE_ONNX) return GE_OK;
    return gei_argument_fail(diag, "format", 1, GE_ERR_INVALID_ARGUMENT, "%d is no file format", format);
}

static ge_status check_pointers(const void *source, const char *name, ge_graph **out_graph, int32_t out_index, gei_diag *diag) {
    if (!source) return gei_argument_fail(diag, name, 2, GE_ERR_NULL_ARGUMENT, "%s is NULL", name);
    if (!out_graph) return gei_argument_fail(diag, "out_graph", out_index, GE_ERR_NULL_ARGUMENT, "out_graph is NULL");
    return GE_OK;
}

ge_status ge_graph_import(const ge_context *context, ge_file_format format, const uint8_t *data, size_t data_size,
                          const ge_import_options *options, ge_graph **out_graph) {
    GEI_CALL;
    import_job job;
    gei_graph *g;
    gei_api_context *c = NULL;
    GEI_OUT(out_graph);
    ge_status st = import_begin(&job, options, &diag);
    if (st == GE_OK) st = check_pointers(data, "data", out_graph, 5, &diag);
    if (st == GE_OK) st = check_format(format, &diag);
    if (st == GE_OK) st = gei_context_find(context, &c, &diag);
    if (st == GE_OK) {
        job.onnx.from = &c->from;
        st = gei_onnx_read(data, data_size, &job.onnx, &g, &diag);
    }
    if (st == GE_OK) st = gei_graph_handle(c, g, out_graph, &diag);
    if (c) gei_context_release(c);
    import_end(&job);
    return GEI_RETURN(st);
}

ge_status ge_graph_import_file(const ge_context *context, ge_file_format format, const char *path, size_t path_size,
                               const ge_import_options *options, ge_graph **out_graph) {
    GEI_CALL;
    import_job job;
    gei_graph *g;
    char *path_text = NULL;
    gei_api_context *c = NULL;
    GEI_OUT(out_graph);
    ge_status st = import_begin(&job, options, &diag);
    if (st == GE_OK) st = check_pointers(path, "path", out_graph, 5, &diag);
    if (st == GE_OK) st = check_format(format, &diag);
    if (st == GE_OK) st = gei_path_in(path, path_size, "path", 2, &path_text, &path_size, &diag);
    if (st == GE_OK) st = gei_context_find(context, &c, &diag);
    if (st == GE_OK) {
        job.onnx.from = &c->from;
        st = gei_onnx_read_file(path_text, &job.onnx, &g, &diag);
    }
    if (path_text) gei_free(&gei_heap, path_text, path_size + 1, 1);
    if (st == GE_OK) st = gei_graph_handle(c, g, out_graph, &diag);
    if (c) gei_context_release(c);
    import_end(&job);
    return GEI_RETURN(st);
}
