/* SPDX-License-Identifier: Apache-2.0 */
#include "api/model.h"

#include <string.h>

#include "api/dump_out.h"

static void model_destroy(void *object) {
    gei_api_model *m = object;
    gei_api_context *ctx = m->ctx;
    const gei_plan *plan = gei_model_plan(m->model);
    gei_free(&ctx->from, m->io, ((size_t)plan->n_inputs + plan->n_outputs) * sizeof *m->io, 0);
    gei_model_release(m->model);
    gei_sink_deinit(&m->passes_text);
    gei_free(&ctx->from, m, sizeof *m, 0);
    gei_object_gone(ctx);
}

static void describe_io(gei_api_io *io, const gei_plan_io *from, const gei_symbols *symbols) {
    int64_t n;
    size_t size;
    io->name = from->name;
    io->dtype = from->dtype;
    io->format = from->format;
    io->rank = from->shape.rank;
    for (int32_t i = 0; i < io->rank; i++) {
        gei_dim d = from->shape.dims[i];
        io->dims[i] = gei_dim_known(d) ? d : -1;
        if (!gei_dim_is_symbol(d) || !symbols || gei_dim_symbol_index(d) >= symbols->names.count) continue;
        io->symbols[i] = symbols->names.items[gei_dim_symbol_index(d)];
        io->has_symbols |= io->symbols[i] != NULL;
    }
    if (gei_shape_elems(&from->shape, &n) && gei_dtype_bytes(io->dtype, (uint64_t)n, &size)) io->data_size = size;
}

ge_status gei_model_handle(gei_api_context *c, gei_model *model, uint64_t source_nodes, uint64_t compile_ns, gei_sink *passes_text,
                           ge_model **out, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(model);
    size_t n = (size_t)plan->n_inputs + plan->n_outputs;
    gei_api_model *m = gei_alloc_zero(&c->from, sizeof *m, 0);
    gei_api_io *io = gei_alloc_zero(&c->from, n * sizeof *io, 0);
    if (!m || !io) {
        gei_free(&c->from, m, sizeof *m, 0);
        gei_free(&c->from, io, n * sizeof *io, 0);
        gei_model_release(model);
        gei_sink_deinit(passes_text);
        return gei_out_of_memory(diag, n * sizeof *io);
    }
    gei_context_retain(c);
    *m = (gei_api_model){ c, model, source_nodes, compile_ns, *passes_text, io };
    for (uint32_t i = 0; i < plan->n_inputs; i++) describe_io(&io[i], &plan->inputs[i], plan->graph->symbols);
    for (uint32_t i = 0; i < plan->n_outputs; i++) describe_io(&io[plan->n_inputs + i], &plan->outputs[i], plan->graph->symbols);
    return gei_object_handle(c, GEI_HANDLE_MODEL, m, model_destroy, (void **)out, diag);
}

ge_status ge_model_destroy(ge_model *model) {
    ge_status st = gei_handle_close(model, GEI_HANDLE_MODEL);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "model", 0, model, GEI_HANDLE_MODEL);
}

/* Of models with free dims those the template tells. */
static ge_status count_steps(const gei_api_model *m, uint64_t *out, gei_diag *diag) {
    const gei_instance *instance;
    *out = gei_plan_count_steps(gei_model_plan(m->model));
    if (!gei_model_plan(m->model)->is_static) return GE_OK;
    GEI_TRY(gei_model_instance(m->model, NULL, &instance, diag));
    *out = instance->n_steps;
    gei_model_instance_release(m->model, instance);
    return GE_OK;
}

static ge_status fill_summary(const gei_api_model *m, ge_model_summary *s, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    gei_model_stats stats;
    memset(s, 0, sizeof *s);
    GEI_TRY(count_steps(m, &s->steps_count, diag));
    GEI_TRY(gei_model_plan_static(m->model, diag));
    gei_model_stats_get(m->model, &stats);
    s->is_static = plan->is_static;
    s->streams_count = stats.most_lanes > 1 ? stats.most_lanes : 1;
    s->source_nodes_count = m->source_nodes;
    s->nodes_count = plan->graph->n_live - (plan->graph->net_output != NULL);
    s->inputs_count = plan->n_inputs;
    s->outputs_count = plan->n_outputs;
    s->metadata_count = plan->graph->metadata.count;
    s->constant_bytes = stats.constant_bytes + stats.packed_bytes;
    s->packed_bytes = stats.packed_bytes;
    s->activation_bytes = stats.arena_bytes;
    s->lower_bound_bytes = stats.lower_bound_bytes;
    s->scratch_bytes = stats.scratch_bytes;
    s->compile_ns = m->compile_ns;
    s->feature_peak_bytes = stats.feature_peak_bytes;
    return GE_OK;
}

ge_status ge_model_get_summary(const ge_model *model, ge_model_summary *out_summary, size_t out_summary_size) {
    GEI_CALL;
    ge_model_summary summary;
    GEI_OUT_STRUCT(out_summary, out_summary_size);
    GEI_NEED(out_summary, 1);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    ge_status st = fill_summary(m, &summary, &diag);
    if (st == GE_OK)
        st = gei_struct_out(out_summary, out_summary_size, &summary, sizeof summary, GEI_FIRST_MODEL_SUMMARY, "out_summary", 1, &diag);
    return GEI_RETURN_UNLEASE(model, st);
}

/* The inputs or outputs of a model: first one and count. */
static ge_status side_of(const gei_api_model *m, ge_direction direction, const gei_api_io **out, size_t *out_count, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    if (direction != GE_DIRECTION_IN && direction != GE_DIRECTION_OUT)
        return gei_argument_fail(diag, "direction", 1, GE_ERR_INVALID_ARGUMENT, "%d is no direction", direction);
    *out = direction == GE_DIRECTION_IN ? m->io : m->io + plan->n_inputs;
    *out_count = direction == GE_DIRECTION_IN ? plan->n_inputs : plan->n_outputs;
    return GE_OK;
}

static ge_status get_io_infos(const gei_api_model *m, ge_direction direction, ge_io_info *infos, size_t infos_count, size_t info_size,
                              size_t *out_count, gei_diag *diag) {
    const gei_api_io *io;
    size_t n;
    GEI_TRY(side_of(m, direction, &io, &n, diag));
    GEI_TRY(gei_array_out(n, infos, infos_count, out_count, "infos", 2, diag));
    for (size_t i = 0; infos && i < n; i++) {
        ge_io_info info = { .name = io[i].name,
                            .kind = gei_value_kind_of(io[i].dtype),
                            .dtype = gei_dtype_elem(io[i].dtype),
                            .format = io[i].format,
                            .rank = gei_dtype_is_bundle(io[i].dtype) ? GEI_RANK_UNKNOWN : io[i].rank,
                            .dims = io[i].rank > 0 ? io[i].dims : NULL,
                            .dim_names = io[i].has_symbols ? io[i].symbols : NULL,
                            .data_size = io[i].data_size };
        ge_status st = gei_struct_out((char *)infos + i * info_size, info_size, &info, sizeof info, GEI_FIRST_IO_INFO, "info_size", 4, diag);
        if (st != GE_OK) *out_count = 0;
        GEI_TRY(st);
    }
    return GE_OK;
}

/* Functions on models are free to run while another thread destroys the handle, hence the leases here. */
ge_status ge_model_get_io_infos(const ge_model *model, ge_direction direction, ge_io_info *infos, size_t infos_count, size_t info_size,
                                size_t *out_count) {
    GEI_CALL;
    GEI_OUT(out_count);
    GEI_NEED(out_count, 5);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    return GEI_RETURN_UNLEASE(model, get_io_infos(m, direction, infos, infos_count, info_size, out_count, &diag));
}

static ge_status find_io(const gei_api_model *m, ge_direction direction, const char *name, size_t name_size, size_t *out_index, gei_diag *diag) {
    const gei_api_io *io;
    size_t n;
    GEI_TRY(gei_text_in(name, &name_size, "name", 2, diag));
    GEI_TRY(side_of(m, direction, &io, &n, diag));
    for (size_t i = 0; i < n; i++) {
        if (strlen(io[i].name) != name_size || memcmp(io[i].name, name, name_size) != 0) continue;
        *out_index = i;
        return GE_OK;
    }
    gei_diag_found(diag, "%.*s", (int)(name_size < 60 ? name_size : 60), name);
    return gei_argument_fail(diag, "name", 2, GE_ERR_NOT_FOUND, "the model has no %s '%.*s'",
                             direction == GE_DIRECTION_IN ? "input" : "output", (int)(name_size < 200 ? name_size : 200), name);
}

ge_status ge_model_find_io(const ge_model *model, ge_direction direction, const char *name, size_t name_size, size_t *out_index) {
    GEI_CALL;
    GEI_OUT(out_index);
    GEI_NEED(name, 2);
    GEI_NEED(out_index, 4);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    return GEI_RETURN_UNLEASE(model, find_io(m, direction, name, name_size, out_index, &diag));
}

ge_status ge_model_get_metadata(const ge_model *model, size_t index, const char **out_key, size_t *out_key_size, const char **out_value,
                                size_t *out_value_size) {
    GEI_CALL;
    GEI_OUT(out_key);
    GEI_OUT(out_key_size);
    GEI_OUT(out_value);
    GEI_OUT(out_value_size);
    GEI_NEED(out_key, 2);
    GEI_NEED(out_value, 4);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    const gei_graph *g = gei_model_plan(m->model)->graph;
    if (index >= g->metadata.count)
        return GEI_RETURN_UNLEASE(model, gei_argument_fail(&diag, "index", 1, GE_ERR_OUT_OF_RANGE, "entry %zu of %u", index, g->metadata.count));
    const gei_named_attr *entry = &g->metadata.items[index];
    *out_key = entry->name;
    *out_value = entry->value.v.s.data;
    if (out_key_size) *out_key_size = strlen(entry->name);
    if (out_value_size) *out_value_size = entry->value.v.s.size;
    return GEI_RETURN_UNLEASE(model, GE_OK);
}

/* ---- dumps ---- */

/* With the instance of a static model. */
static ge_status dump_plan(const gei_api_model *m, bool kernels_only, gei_sink *to, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    const gei_instance *instance = NULL;
    if (plan->is_static) GEI_TRY(gei_model_instance(m->model, NULL, &instance, diag));
    ge_status st = (kernels_only ? gei_plan_print_kernels : gei_plan_print)(plan, instance, to, diag);
    if (instance) gei_model_instance_release(m->model, instance);
    return st;
}

static ge_status dump_summary(const gei_api_model *m, gei_sink *to, gei_diag *diag) {
    ge_model_summary s;
    GEI_TRY(fill_summary(m, &s, diag));
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        { "static", (uint64_t)s.is_static },      { "streams", s.streams_count },          { "source nodes", s.source_nodes_count },
        { "nodes", s.nodes_count },               { "steps", s.steps_count },              { "inputs", s.inputs_count },
        { "outputs", s.outputs_count },           { "constant bytes", s.constant_bytes },  { "packed bytes", s.packed_bytes },
        { "activation bytes", s.activation_bytes }, { "lower bound bytes", s.lower_bound_bytes }, { "scratch bytes", s.scratch_bytes },
        { "compile ns", s.compile_ns },           { "feature peak bytes", s.feature_peak_bytes },
    };
    for (size_t i = 0; i < GEI_COUNT(rows); i++) gei_sink_format(to, "%-18s %llu\n", rows[i].name, (unsigned long long)rows[i].value);
    return GE_OK;
}

static ge_status dump_model(const gei_api_model *m, ge_dump_format format, gei_sink *to, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(m->model);
    switch (format) {
    case GE_DUMP_PASSES: gei_sink_bytes(to, m->passes_text.data, m->passes_text.size); return GE_OK;
    case GE_DUMP_KERNELS: return dump_plan(m, true, to, diag);
    case GE_DUMP_PLAN: return dump_plan(m, false, to, diag);
    case GE_DUMP_SUMMARY: return dump_summary(m, to, diag);
    default: return gei_dump_graph(plan->graph, format, to, diag);
    }
}

ge_status ge_model_dump(const ge_model *model, ge_dump_format format, char *buffer, size_t buffer_size, size_t *out_size) {
    GEI_CALL;
    gei_sink text;
    GEI_OUT(out_size);
    GEI_OUT_TEXT(buffer, buffer_size);
    GEI_NEED(out_size, 4);
    GEI_LEASE(gei_api_model, m, model, MODEL, 0);
    gei_sink_init(&text, &gei_heap);
    ge_status st = dump_model(m, format, &text, &diag);
    if (st == GE_OK) st = gei_dump_to_buffer(&text, buffer, buffer_size, out_size, &diag);
    else gei_sink_deinit(&text);
    return GEI_RETURN_UNLEASE(model, st);
}

static ge_status dump_to(const ge_model *model, ge_dump_format format, ge_write_fn write, void *user_data, gei_diag *diag) {
    gei_sink text;
    ge_status why = GE_OK;
    if (!write) return gei_argument_fail(diag, "write", 2, GE_ERR_NULL_ARGUMENT, "write is NULL");
    gei_api_model *m = gei_handle_lease(model, GEI_HANDLE_MODEL, &why);
    if (!m) return gei_handle_fault(why, "model", 0, model, GEI_HANDLE_MODEL, diag);
    gei_sink_init(&text, &gei_heap);
    ge_status st = dump_model(m, format, &text, diag);
    if (st == GE_OK) st = gei_dump_to_callback(&text, write, user_data, diag);
    else gei_sink_deinit(&text);
    gei_handle_unlease(model);
    return st;
}

ge_status ge_model_dump_to(const ge_model *model, ge_dump_format format, ge_write_fn write, void *user_data, ge_destroy_fn destroy) {
    GEI_CALL;
    ge_status st = dump_to(model, format, write, user_data, &diag);
    if (destroy) destroy(user_data); /* before the record is left: it may fail in calls of its own */
    return GEI_RETURN(st);
}
