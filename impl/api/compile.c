/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/compile.h"

#include <string.h>
#include <time.h>

#include "api/error.h"
#include "api/id.h"
#include "api/model.h"
#include "api/options.h"
#include "api/problem.h"
#include "passes/pass.h"

#define MAX_PASSES_OFF 64
#define PROGRESS_PERIOD_NS INT64_C(10000000) /* at most a hundred calls a second */

ge_status ge_compile_options_init(ge_compile_options *options, size_t options_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(options, options_size);
    GEI_NEED(options, 0);
    ge_compile_options o = GE_COMPILE_OPTIONS_INIT;
    return GEI_RETURN(gei_struct_out(options, options_size, &o, sizeof o, GEI_FIRST_COMPILE_OPTIONS, "options", 0, &diag));
}

/* One compilation: options resolved, state of the progress reports. */
typedef struct compile_job {
    ge_compile_options options;
    gei_compile_options inner;
    gei_problem_sink problems;
    gei_pipeline_options passes;
    char off_text[1024];
    const char *off[MAX_PASSES_OFF];
    size_t n_off;
    ge_status stopped; /* what a progress callback returned */
    int64_t last_report_ns;
    gei_sink notes;
    gei_diag *diag;
    bool is_single_stream; /* no branches side by side */
    gei_shape_options shapes; /* text of the options object */
    gei_shape_limits limits;  /* what they leave open, in the arena */
    gei_arena arena;
    uint32_t pass_units; /* of progress, as last told; the plan is one more */
} compile_job;

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool report(compile_job *job, const char *what, uint64_t done, uint64_t total) {
    int64_t now = now_ns();
    if (!job->options.progress || (job->last_report_ns && now - job->last_report_ns < PROGRESS_PERIOD_NS)) return true;
    job->last_report_ns = now;
    ge_status st = job->options.progress(job->options.progress_user_data, what, strlen(what), done, total);
    if (st != GE_OK) job->stopped = gei_callback_status(st, job->diag);
    return st == GE_OK;
}

static bool passes_progress(void *user, const char *what, uint32_t done, uint32_t total) {
    compile_job *job = user;
    job->pass_units = total;
    return report(job, what, done, (uint64_t)total + 1);
}

static bool plan_progress(void *user, const char *what, uint32_t done, uint32_t total) {
    compile_job *job = user;
    return report(job, what, (uint64_t)job->pass_units + done, (uint64_t)job->pass_units + total);
}

static ge_status run_passes(gei_graph *g, void *user, gei_facts *facts, gei_diag *diag) {
    compile_job *job = user;
    GEI_TRY(gei_input_shapes_set(g, &job->shapes, &job->arena, &job->limits, diag));
    return gei_passes_run(g, g->from, &job->passes, facts, diag);
}

/* Splits "fold,cse" into names; every name must be a pass of the table. */
static ge_status passes_off(compile_job *job, const char *text, gei_diag *diag) {
    if (strlen(text) >= sizeof job->off_text) return gei_fail(diag, GE_ERR_OPTION_VALUE, "ge.passesOff is longer than %zu bytes", sizeof job->off_text);
    strcpy(job->off_text, text);
    char *rest = job->off_text;
    for (char *name = strtok_r(rest, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
        size_t i = 0;
        while (gei_pass_at(i) && strcmp(gei_pass_at(i)->name, name) != 0) i++;
        if (!gei_pass_at(i)) return gei_fail(diag, GE_ERR_OPTION_VALUE, "ge.passesOff names '%s', which is no pass", name);
        if (job->n_off == MAX_PASSES_OFF) return gei_fail(diag, GE_ERR_OPTION_VALUE, "ge.passesOff names too many passes");
        job->off[job->n_off++] = name;
    }
    return GE_OK;
}

/* Copies: the options object may go while the graph is compiled. */
static ge_status read_shapes(compile_job *job, const gei_api_options *set, gei_diag *diag) {
    const struct {
        const char *key, **to;
    } texts[] = { { "input_shape", &job->shapes.input_shape },        { "input_shape_range", &job->shapes.input_shape_range },
                  { "ge.inputShape", &job->shapes.online_shape },     { "ge.dynamicBatchSize", &job->shapes.batch_sizes },
                  { "ge.dynamicImageSize", &job->shapes.image_sizes }, { "ge.dynamicDims", &job->shapes.dims },
                  { "input_format", &job->shapes.format } };
    for (size_t i = 0; i < GEI_COUNT(texts); i++) {
        const char *text = set ? gei_options_text(set, texts[i].key) : "";
        *texts[i].to = text[0] ? gei_arena_text(&job->arena, text, strlen(text)) : "";
        if (!*texts[i].to) return gei_out_of_memory(diag, strlen(text));
    }
    return GE_OK;
}

static ge_status read_options(compile_job *job, gei_diag *diag) {
    ge_status why = GE_OK;
    if (!job->options.options) return read_shapes(job, NULL, diag);
    const gei_api_options *set = gei_handle_get(job->options.options, GEI_HANDLE_OPTIONS, &why);
    if (!set) return gei_argument_fail(diag, "options", 1, why, "options holds an options handle that cannot be used: %s", gei_status_name(why));
    job->passes.none = strcmp(gei_options_text(set, "ge.oo.level"), "O0") == 0;
    job->is_single_stream = strcmp(gei_options_text(set, "ge.enableSingleStream"), "true") == 0;
    job->inner.plan.reference_only = gei_options_int(set, "ge.referenceKernels", 0) != 0;
    GEI_TRY(read_shapes(job, set, diag));
    job->inner.model.max_instances = (uint32_t)gei_options_int(set, "ge.maxShapes", 0);
    return passes_off(job, gei_options_text(set, "ge.passesOff"), diag);
}

static ge_status compile_begin(compile_job *job, const ge_compile_options *options, gei_diag *diag) {
    memset(job, 0, sizeof *job);
    job->options = (ge_compile_options)GE_COMPILE_OPTIONS_INIT;
    job->diag = diag;
    gei_sink_init(&job->notes, &gei_heap);
    gei_arena_init(&job->arena, &gei_heap);
    job->inner.plan.limits = &job->limits;
    if (options) GEI_TRY(gei_struct_in(options, &job->options, sizeof job->options, GEI_FIRST_COMPILE_OPTIONS, "options", 1, diag));
    job->problems = (gei_problem_sink){ job->options.problem, job->options.problem_user_data };
    job->inner.plan.isa = gei_isa();
    GEI_TRY(read_options(job, diag));
    job->passes.off = job->off;
    job->passes.n_off = job->n_off;
    job->passes.notes = &job->notes;
    job->passes.progress = passes_progress;
    job->passes.progress_user = job;
    job->inner.progress = plan_progress;
    job->inner.progress_user = job;
    return GE_OK;
}

static void compile_end(compile_job *job) {
    gei_arena_deinit(&job->arena);
    if (job->options.progress_destroy) job->options.progress_destroy(job->options.progress_user_data);
    if (job->options.problem_destroy) job->options.problem_destroy(job->options.problem_user_data);
}

/* Everything without a row, in one go: each node to the callback, the distinct types in the message. */
static ge_status check_support(const gei_graph *root, compile_job *job, gei_diag *diag) {
    gei_sink types;
    gei_diag one;
    uint64_t n = 0;
    const char *first = NULL;
    ge_status st = GE_OK;
    gei_sink_init(&types, &gei_heap);
    for (size_t k = 0; st == GE_OK && k <= root->subgraphs.count; k++) {
        const gei_graph *g = k == 0 ? root : root->subgraphs.items[k - 1];
        for (size_t i = 0; g && st == GE_OK && i < g->nodes.count; i++) {
            const gei_node *node = g->nodes.items[i];
            if (!node || gei_op_of(node)) continue;
            if (n++ == 0) first = node->name;
            gei_sink_bytes(&types, "", 0);
            if (types.size < 300 && (!types.data || !strstr(types.data, node->def->name)))
                gei_sink_format(&types, "%s%s", types.size ? ", " : "", node->def->name);
            gei_call_begin(&one);
            gei_diag_node(&one, node->name);
            gei_fail(&one, GE_ERR_NO_KERNEL, "operator %s is not implemented", node->def->name);
            st = gei_problem_report(&job->problems, &one, node->def->name, "", 0, 0, diag);
        }
    }
    if (st == GE_OK && n > 0) {
        gei_diag_node(diag, first);
        st = gei_fail(diag, GE_ERR_NO_KERNEL, "%llu node%s cannot be compiled; not implemented: %s", (unsigned long long)n, n == 1 ? "" : "s",
                      types.data ? types.data : "?");
    }
    gei_sink_deinit(&types);
    return st;
}

static ge_status compile(const gei_api_graph_view *view, const gei_graph *g, compile_job *job, ge_model **out, gei_diag *diag) {
    gei_api_context *c = view->owner->ctx;
    gei_model *model = NULL;
    int64_t start = now_ns();
    gei_sink_init(&job->notes, &c->from); /* the model keeps them */
    job->inner.model.max_threads = c->max_threads;
    job->inner.plan.max_threads = job->is_single_stream ? 1 : c->max_threads;
    job->inner.model.team = c->team;
    job->inner.model.trace = &c->trace;
    job->inner.model.accounts = &c->accounts;
    job->inner.model.log = job->inner.plan.log = job->passes.log = &c->log;
    GEI_TRY(check_support(g, job, diag));
    const bool is_traced = gei_trace_is_on(&c->trace);
    ge_status st = gei_compile(g, run_passes, job, &job->inner, &c->from, &model, diag);
    if (is_traced) gei_trace_add(&c->trace, &(gei_span){ .kind = "compile", .name = g->name, .begin_ns = start, .end_ns = now_ns() });
    if (job->stopped != GE_OK) {
        gei_model_release(model);
        return job->stopped;
    }
    if (st != GE_OK) {
        if (st != GE_ERR_OUT_OF_MEMORY) {
            ge_status told = gei_problem_report(&job->problems, diag, "", "", 0, 0, diag);
            if (told != GE_OK) st = told;
        }
        return st;
    }
    gei_sink notes = job->notes;
    gei_sink_init(&job->notes, &gei_heap);
    return gei_model_handle(c, model, g->n_live - (g->net_output != NULL), (uint64_t)(now_ns() - start), &notes, out, diag);
}

ge_status ge_graph_compile(const ge_graph *graph, const ge_compile_options *options, ge_model **out_model) {
    GEI_CALL;
    compile_job job;
    ge_status why = GE_OK;
    GEI_OUT(out_model);
    ge_status st = compile_begin(&job, options, &diag);
    gei_api_graph_view *view = NULL;
    if (st == GE_OK && !out_model) st = gei_argument_fail(&diag, "out_model", 2, GE_ERR_NULL_ARGUMENT, "out_model is NULL");
    if (st == GE_OK) {
        view = gei_handle_lease(graph, GEI_HANDLE_GRAPH, &why);
        if (!view) {
            st = gei_handle_fault(why, "graph", 0, graph, GEI_HANDLE_GRAPH, &diag);
        } else {
            const gei_graph *g = gei_view_graph(view, &diag);
            uint32_t modes = gei_fp_enter();
            st = g ? compile(view, g, &job, out_model, &diag) : diag.status;
            gei_fp_leave(modes);
            gei_handle_unlease(graph);
        }
    }
    gei_sink_deinit(&job.notes);
    compile_end(&job);
    return GEI_RETURN(st);
}
