/* SPDX-License-Identifier: Apache-2.0 */
/* The client kept with each release: a tour of the interface whose output never changes within a major version.  It names every
 * status, reads every default, builds, walks, compiles and runs a graph, and makes some calls that fail. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ge_c_api.h>

static int failures;

static void step(const char *what, ge_status st) {
    ge_error *error;
    printf("%s: %s", what, ge_status_name(st));
    if (st != GE_OK) {
        ge_error_take(&error);
        printf(", %s", ge_error_get_message(error)[0] ? "with a message" : "without a message");
        failures += ge_error_release(error) != GE_OK;
    }
    printf("\n");
}

static void defaults(void) {
    ge_tensor_desc desc;
    ge_memory memory;
    ge_import_options import;
    ge_compile_options compile;
    ge_run_options run;
    step("desc", ge_tensor_desc_init(&desc, sizeof desc));
    printf("  %u %u %d %d %d %d\n", desc.struct_size, desc.reserved_flags, desc.dtype, desc.format, desc.placement, desc.rank);
    step("memory", ge_memory_init(&memory, sizeof memory));
    printf("  %u %" PRIu64 " %d\n", memory.struct_size, memory.data_size, memory.data == NULL);
    step("import", ge_import_options_init(&import, sizeof import));
    printf("  %u %d\n", import.struct_size, import.options == NULL);
    step("compile", ge_compile_options_init(&compile, sizeof compile));
    printf("  %u %d\n", compile.struct_size, compile.options == NULL);
    step("run", ge_run_options_init(&run, sizeof run));
    printf("  %u %" PRId64 "\n", run.struct_size, run.deadline_ns);
}

static void names(void) {
    const ge_status statuses[] = { GE_ERR_NULL_ARGUMENT, GE_ERR_HANDLE_STALE, GE_ERR_WRONG_STATE, GE_ERR_FILE, GE_ERR_UNSUPPORTED, GE_ERR_MALFORMED,
                                   GE_ERR_NO_KERNEL, GE_ERR_EXECUTION, GE_ERR_CANCELLED, GE_ERR_INTERNAL, GE_ERR_CALLBACK | 9, 77 };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) printf("%s ", ge_status_name(statuses[i]));
    for (ge_dtype d = 0; d <= 12; d++) printf("%s:%u ", ge_dtype_get_name(d), ge_dtype_get_bits(d));
    for (ge_format f = 0; f <= 4; f++) printf("%s ", ge_format_get_name(f));
    printf("\n");
}

static void graph(void) {
    const int64_t dims[] = { 2 };
    const float numbers[] = { -1.0f, 2.0f };
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_builder *b;
    ge_graph *g;
    ge_model *m;
    ge_tensor *t;
    ge_value *in, *out = NULL;
    ge_value_id x, y;
    ge_node_id nodes[4];
    ge_node_info infos[4];
    ge_model_summary summary;
    size_t count, size;
    const uint8_t *data;
    float got[2] = { 0, 0 };
    desc.rank = 1;
    desc.dims = dims;
    step("builder", ge_builder_create(NULL, "tour", GE_NTS, &b));
    step("input", ge_builder_add_graph_input(b, "x", GE_NTS, 0, &desc, &x));
    step("begin", ge_builder_begin_op(b, "Relu", GE_NTS, "r", GE_NTS));
    step("add", ge_builder_add_input(b, x));
    step("end", ge_builder_end_op(b, &y, 1, NULL));
    step("unknown operator", ge_builder_begin_op(b, "NoSuchOperator", GE_NTS, NULL, 0));
    step("build", ge_builder_build(b, &y, 1, &g));
    step("builder gone", ge_builder_destroy(b));
    step("twice", ge_builder_destroy(b));
    step("nodes", ge_graph_get_nodes(g, GE_ORDER_TOPOLOGICAL, nodes, 4, &count));
    step("infos", ge_graph_get_node_infos(g, nodes, count, infos, count, sizeof infos[0]));
    for (size_t i = 0; i < count; i++)
        printf("  %s %s %u %u\n", infos[i].name, infos[i].op_type, infos[i].inputs_count, infos[i].outputs_count);
    step("small buffer", ge_graph_get_nodes(g, GE_ORDER_CREATION, nodes, 1, &count));
    step("compile", ge_graph_compile(g, NULL, &m));
    step("graph gone", ge_graph_destroy(g));
    step("summary", ge_model_get_summary(m, &summary, sizeof summary));
    printf("  %u: %" PRIu64 " in, %" PRIu64 " out\n", summary.struct_size, summary.inputs_count, summary.outputs_count);
    step("tensor", ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)numbers, sizeof numbers, &t));
    step("wrong size", ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)numbers, 7, &t) == GE_OK ? GE_OK : GE_ERR_SIZE);
    step("tensor", ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)numbers, sizeof numbers, &t));
    step("value", ge_value_create_from_tensor(t, &in));
    {
        const ge_value *ins[1];
        ins[0] = in;
        step("run", ge_model_run(m, NULL, ins, 1, &out, 1));
        step("run without inputs", ge_model_run(m, NULL, NULL, 0, NULL, 0));
    }
    step("tensor gone", ge_tensor_destroy(t));
    step("result", ge_tensor_create_from_value(out, &t));
    step("data", ge_tensor_get_data(t, &data, &size));
    if (size == sizeof got) memcpy(got, data, size);
    printf("  %g %g\n", (double)got[0], (double)got[1]);
    step("all gone", ge_tensor_destroy(t));
    step("", ge_value_destroy(in));
    step("", ge_value_destroy(out));
    step("", ge_model_destroy(m));
    step("wrong kind", ge_graph_destroy((ge_graph *)(void *)in));
}

int main(void) {
    uint32_t major;
    ge_get_version(&major, NULL, NULL);
    printf("major %u\n", major);
    step("header", ge_check_header(GE_HEADER_ABI, GE_HEADER_MAJOR, (uint32_t)sizeof(void *)));
    step("header of tomorrow", ge_check_header(GE_HEADER_ABI + 1000, GE_HEADER_MAJOR, (uint32_t)sizeof(void *)));
    printf("by name %d %d\n", ge_get_proc("ge_graph_create", GE_NTS) != NULL, ge_get_proc("ge_no_such", GE_NTS) != NULL);
    defaults();
    names();
    graph();
    return failures;
}
