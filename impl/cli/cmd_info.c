/* SPDX-License-Identifier: Apache-2.0 */
/* ge info: what a model takes, gives and consists of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/model.h"
#include "cli/term.h"
#include "cli/text.h"

typedef struct op_count {
    char *name; /* owned */
    uint64_t count;
} op_count;

typedef struct op_counts {
    op_count *items; /* owned */
    size_t n_items;
} op_counts;

typedef struct facts {
    const model *m;
    ge_model_summary summary;
    op_counts ops;
} facts;

/* ---- operators of the graph as it was read -------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_count(const void *a, const void *b) {
    const op_count *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->name, y->name);
}

static bool group(const char **types, size_t n, op_counts *out) {
    out->items = calloc(n + 1, sizeof *out->items);
    if (!out->items) return false;
    qsort(types, n, sizeof *types, by_text);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(types[i], types[i - 1]) != 0) {
            char *name = strdup(types[i]);
            if (!name) return false;
            out->items[out->n_items++] = (op_count){ name, 0 };
        }
        out->items[out->n_items - 1].count++;
    }
    qsort(out->items, out->n_items, sizeof *out->items, by_count);
    return true;
}

static int count_ops(const model *m, op_counts *out) {
    size_t n = 0;
    if (ge_graph_get_nodes(m->graph, GE_ORDER_CREATION, NULL, 0, &n) != GE_OK) return model_fail(CLI_FAILED, m->path);
    ge_node_id *nodes = calloc(n + 1, sizeof *nodes);
    ge_node_info *infos = calloc(n + 1, sizeof *infos);
    const char **types = calloc(n + 1, sizeof *types);
    int code = CLI_OK;
    if (!nodes || !infos || !types) {
        code = cli_fail(CLI_FAILED, "out of memory");
    } else if (ge_graph_get_nodes(m->graph, GE_ORDER_CREATION, nodes, n, &n) != GE_OK ||
               ge_graph_get_node_infos(m->graph, nodes, n, infos, n, sizeof *infos) != GE_OK) {
        code = model_fail(CLI_FAILED, m->path);
    } else {
        for (size_t i = 0; i < n; i++) types[i] = infos[i].op_type ? infos[i].op_type : "?";
        if (!group(types, n, out)) code = cli_fail(CLI_FAILED, "out of memory");
    }
    free(nodes);
    free(infos);
    free(types);
    return code;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static void json_ports(json *j, const char *key, const model_ports *ports) {
    json_begin(j, key, '[');
    for (size_t i = 0; i < ports->count; i++) {
        const ge_io_info *info = &ports->infos[i];
        json_begin(j, NULL, '{');
        json_text(j, "name", info->name);
        json_text(j, "dtype", ge_dtype_get_name(info->dtype));
        if (info->rank < 0) {
            json_null(j, "shape");
        } else {
            json_begin(j, "shape", '<'); /* a known dim is a number, a named one text, an unknown one null */
            for (int32_t d = 0; d < info->rank; d++) {
                const char *symbol = info->dim_names ? info->dim_names[d] : NULL;
                if (info->dims[d] >= 0) {
                    json_i64(j, NULL, info->dims[d]);
                } else if (symbol && symbol[0]) {
                    json_text(j, NULL, symbol);
                } else {
                    json_null(j, NULL);
                }
            }
            json_end(j);
        }
        json_bool(j, "optional", info->is_optional != 0);
        json_end(j);
    }
    json_end(j);
}

static void json_metadata(json *j, const facts *f) {
    json_begin(j, "metadata", '{');
    for (size_t i = 0; i < f->summary.metadata_count; i++) {
        const char *key, *value;
        size_t key_size, value_size;
        if (ge_model_get_metadata(f->m->compiled, i, &key, &key_size, &value, &value_size) != GE_OK) continue;
        json_bytes(j, key, value, value_size);
    }
    json_end(j);
}

static void print_json(const facts *f) {
    json j;
    json_init(&j, stdout);
    json_begin(&j, NULL, '{');
    json_text(&j, "model", f->m->path);
    json_ports(&j, "inputs", &f->m->inputs);
    json_ports(&j, "outputs", &f->m->outputs);
    json_begin(&j, "operators", '{');
    for (size_t i = 0; i < f->ops.n_items; i++) json_u64(&j, f->ops.items[i].name, f->ops.items[i].count);
    json_end(&j);
    json_metadata(&j, f);
    json_bool(&j, "static_shapes", f->summary.is_static != 0);
    json_u64(&j, "source_nodes", f->summary.source_nodes_count);
    json_u64(&j, "nodes", f->summary.nodes_count);
    json_u64(&j, "steps", f->summary.steps_count);
    json_u64(&j, "constant_bytes", f->summary.constant_bytes);
    json_u64(&j, "packed_bytes", f->summary.packed_bytes);
    json_u64(&j, "activation_bytes", f->summary.activation_bytes);
    json_u64(&j, "lower_bound_bytes", f->summary.lower_bound_bytes);
    json_u64(&j, "scratch_bytes", f->summary.scratch_bytes);
    json_u64(&j, "import_ns", f->m->import_ns);
    json_u64(&j, "compile_ns", f->m->compile_ns);
    json_end(&j);
}

/* ---- for people ---------------------------------------------------------------------------------------------------- */

static void print_ports(const char *title, const model_ports *ports) {
    table t;
    char port[300];
    printf("%s\n", title);
    table_init(&t, 3, 0);
    for (size_t i = 0; i < ports->count; i++) {
        model_port_text(&ports->infos[i], port, sizeof port);
        table_add(&t, ports->infos[i].name);
        table_add(&t, port);
        table_add(&t, ports->infos[i].is_optional ? "optional" : "");
    }
    table_print(&t, stdout, 2);
    table_deinit(&t);
}

static void print_ops(const op_counts *ops) {
    table t;
    char count[TEXT_NUMBER_BYTES];
    printf("operators\n");
    table_init(&t, 2, 1 << 0);
    for (size_t i = 0; i < ops->n_items; i++) {
        table_add(&t, text_count(count, ops->items[i].count));
        table_add(&t, ops->items[i].name);
    }
    table_print(&t, stdout, 2);
    table_deinit(&t);
}

static void print_metadata(const facts *f) {
    table t;
    if (f->summary.metadata_count == 0) return;
    printf("metadata\n");
    table_init(&t, 2, 0);
    for (size_t i = 0; i < f->summary.metadata_count; i++) {
        const char *key, *value;
        if (ge_model_get_metadata(f->m->compiled, i, &key, NULL, &value, NULL) != GE_OK) continue;
        table_add(&t, key);
        table_add(&t, value);
    }
    table_print(&t, stdout, 2);
    table_deinit(&t);
}

static void add_figure(table *t, const char *label, const char *value) {
    table_add(t, label);
    table_add(t, value);
}

static void print_figures(const facts *f) {
    const ge_model_summary *s = &f->summary;
    char a[TEXT_NUMBER_BYTES], b[TEXT_NUMBER_BYTES], c[TEXT_NUMBER_BYTES], line[200];
    table t;
    table_init(&t, 2, 0);
    snprintf(line, sizeof line, "%s read, %s after optimising", text_count(a, s->source_nodes_count), text_count(b, s->nodes_count));
    add_figure(&t, "nodes", line);
    snprintf(line, sizeof line, s->is_static ? "%s" : "%s, fewer or more with the shapes of a run", text_count(a, s->steps_count));
    add_figure(&t, "steps", line);
    snprintf(line, sizeof line, "%s, of these %s packed for kernels", text_bytes(a, s->constant_bytes), text_bytes(b, s->packed_bytes));
    add_figure(&t, "weights", line);
    if (s->is_static) {
        snprintf(line, sizeof line, "%s planned (lower bound %s), %s scratch", text_bytes(a, s->activation_bytes),
                 text_bytes(b, s->lower_bound_bytes), text_bytes(c, s->scratch_bytes));
    } else {
        snprintf(line, sizeof line, "planned when the shapes are known ('ge bench' shows it)");
    }
    add_figure(&t, "activations", line);
    snprintf(line, sizeof line, "%s reading, %s compiling", text_time(a, f->m->import_ns), text_time(b, f->m->compile_ns));
    add_figure(&t, "time", line);
    printf("compiled\n");
    table_print(&t, stdout, 2);
    table_deinit(&t);
}

static int run(const arg_values *args) {
    model m;
    facts f = { .m = &m };
    int code = model_open_compiled(args, &m);
    if (code == CLI_OK) code = count_ops(&m, &f.ops);
    if (code == CLI_OK && ge_model_get_summary(m.compiled, &f.summary, sizeof f.summary) != GE_OK) {
        code = model_fail(CLI_FAILED, m.path);
    }
    if (code == CLI_OK && args_has(args, "json")) {
        print_json(&f);
    } else if (code == CLI_OK) {
        print_ports("inputs", &m.inputs);
        print_ports("outputs", &m.outputs);
        print_ops(&f.ops);
        print_metadata(&f);
        print_figures(&f);
    }
    for (size_t i = 0; i < f.ops.n_items; i++) free(f.ops.items[i].name);
    free(f.ops.items);
    model_close(&m);
    return code;
}

static const arg_option options[] = {
    { "json", 0, false, NULL, "report in JSON" },
    MODEL_OPTIONS_SHAPES,
    MODEL_OPTION_THREADS,
    MODEL_OPTION_VERBOSE,
};

const arg_command cmd_info = {
    .name = "info",
    .operands = "MODEL",
    .n_operands = 1,
    .summary = "Shows what a model takes and gives, its operators, metadata and memory.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run,
};
