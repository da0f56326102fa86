/* SPDX-License-Identifier: Apache-2.0 */
/* ModelProto: versions, operator sets, functions, metadata. */
#include <stdio.h>
#include <string.h>

#include "frontend/onnx/reader.h"

/* ---- operator sets ---- */

static ge_status read_opset(gei_onnx_reader *r, gei_span message, gei_span *out_domain, int64_t *out_version) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    *out_domain = (gei_span){ "", 0 };
    *out_version = 0;
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_OPSET_DOMAIN) gei_wire_text(&w, &f, out_domain);
        if (f.number == ONNX_OPSET_VERSION) gei_wire_int(&w, &f, out_version);
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "OperatorSetIdProto"));
    if (gei_span_is(*out_domain, "ai.onnx")) out_domain->size = 0;
    return gei_onnx_check_name(r, *out_domain, "domain");
}

static int32_t find_opset(const gei_onnx_opsets *sets, gei_span domain) {
    for (uint32_t i = 0; i < sets->count; i++)
        if (gei_span_equal(sets->items[i].domain, domain)) return sets->items[i].version;
    return 0;
}

static ge_status add_opset(gei_onnx_reader *r, gei_span message, gei_onnx_opsets *sets) {
    gei_span domain;
    int64_t version;
    GEI_TRY(read_opset(r, message, &domain, &version));
    const char *shown = domain.size ? domain.data : "ai.onnx";
    int shown_size = domain.size ? GEI_ONNX_FMT_SIZE(domain) : 7;
    int32_t known = find_opset(sets, domain);
    if (version < 1 || version > INT32_MAX) {
        (void)gei_fail(&r->diag, GE_ERR_UNSUPPORTED_VERSION, "operator set %lld of domain '%.*s'", (long long)version, shown_size, shown);
        return gei_onnx_note(r, GE_ERR_UNSUPPORTED_VERSION, NULL, NULL, message.data);
    }
    if (known == 0) sets->items[sets->count++] = (gei_onnx_opset){ domain, (int32_t)version };
    if (known == 0 || known == version) return GE_OK;
    (void)gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "domain '%.*s' is imported in versions %d and %lld", shown_size, shown, (int)known, (long long)version);
    return gei_onnx_note(r, GE_ERR_BAD_GRAPH, NULL, NULL, message.data);
}

ge_status gei_onnx_read_opsets(gei_onnx_reader *r, gei_span message, uint32_t field, gei_onnx_opsets *out) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    uint64_t count = 0;
    while (gei_wire_next(&w, &f)) count += f.number == field;
    GEI_TRY(gei_onnx_wire_end(r, &w, "opset_import"));
    if (count > r->limits.domains)
        return gei_onnx_stop(r, gei_fail(&r->diag, GE_ERR_LIMIT, "more than %u operator sets are imported", r->limits.domains));
    out->items = gei_arena_array(&r->arena, gei_onnx_opset, (size_t)count + 1);
    if (!out->items) return gei_onnx_out_of_memory(r);
    w = gei_wire_at(r->file.data, message);
    while (gei_wire_next(&w, &f)) {
        gei_span opset;
        if (f.number == field && gei_wire_text(&w, &f, &opset)) GEI_TRY(add_opset(r, opset, out));
    }
    return gei_onnx_wire_end(r, &w, "opset_import");
}

int32_t gei_onnx_opset_of(const gei_onnx_reader *r, const gei_onnx_scope *scope, gei_span domain) {
    while (scope && !scope->function) scope = scope->outer;
    int32_t version = scope ? find_opset(&scope->function->opsets, domain) : 0;
    /* Functions must import what they use; some exporters rely on the model's imports. */
    return version ? version : find_opset(&r->opsets, domain);
}

/* ---- functions ---- */

static bool compose_key(gei_onnx_reader *r, gei_span domain, gei_span name, gei_span overload) {
    r->text.size = 0;
    gei_sink_bytes(&r->text, domain.data, domain.size);
    gei_sink_bytes(&r->text, "", 1);
    gei_sink_bytes(&r->text, name.data, name.size);
    gei_sink_bytes(&r->text, "", 1);
    gei_sink_bytes(&r->text, overload.data, overload.size);
    return !r->text.failed;
}

static ge_status read_function_head(gei_onnx_reader *r, gei_span message, gei_onnx_function *fn) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    fn->bytes = message;
    fn->name = fn->domain = fn->overload = (gei_span){ "", 0 };
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_FUNCTION_NAME) gei_wire_text(&w, &f, &fn->name);
        if (f.number == ONNX_FUNCTION_DOMAIN) gei_wire_text(&w, &f, &fn->domain);
        if (f.number == ONNX_FUNCTION_OVERLOAD) gei_wire_text(&w, &f, &fn->overload);
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "FunctionProto"));
    if (gei_span_is(fn->domain, "ai.onnx")) fn->domain.size = 0;
    GEI_TRY(gei_onnx_check_name(r, fn->name, "function"));
    GEI_TRY(gei_onnx_check_name(r, fn->domain, "domain"));
    return gei_onnx_check_name(r, fn->overload, "overload");
}

static ge_status add_function(gei_onnx_reader *r, gei_span message) {
    gei_onnx_function *fn = &r->functions[r->n_functions];
    GEI_TRY(read_function_head(r, message, fn));
    if (!compose_key(r, fn->domain, fn->name, fn->overload)) return gei_onnx_out_of_memory(r);
    if (gei_strmap_find(&r->function_names, r->text.data, r->text.size, NULL)) {
        (void)gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "function '%.*s' of domain '%.*s' is there twice", GEI_ONNX_FMT(fn->name), GEI_ONNX_FMT(fn->domain));
        return gei_onnx_note(r, GE_ERR_BAD_GRAPH, NULL, NULL, message.data);
    }
    const char *key = gei_arena_text(&r->arena, r->text.data, r->text.size);
    if (!key || !gei_strmap_put(&r->function_names, key, r->text.size, r->n_functions)) return gei_onnx_out_of_memory(r);
    r->n_functions++;
    return GE_OK;
}

/* The model's own function goes before an operator of the same name: the file says what it means. */
gei_onnx_function *gei_onnx_find_function(gei_onnx_reader *r, const gei_onnx_node *node) {
    uint64_t index;
    if (r->n_functions == 0) return NULL;
    if (!compose_key(r, node->domain, node->type, node->overload)) {
        (void)gei_onnx_out_of_memory(r);
        return NULL;
    }
    return gei_strmap_find(&r->function_names, r->text.data, r->text.size, &index) ? &r->functions[index] : NULL;
}

/* ---- metadata ---- */

static ge_status set_metadata(gei_onnx_reader *r, const char *key, gei_span text) {
    if (r->graph->metadata.count >= r->limits.metadata)
        return gei_onnx_stop(r, gei_fail(&r->diag, GE_ERR_LIMIT, "more than %u metadata entries", r->limits.metadata));
    return gei_graph_set_metadata(r->graph, key, text.size ? text.data : "", text.size, &r->diag);
}

static ge_status set_number(gei_onnx_reader *r, const char *key, int64_t number) {
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)number);
    return set_metadata(r, key, (gei_span){ text, (size_t)size });
}

static ge_status add_entry(gei_onnx_reader *r, gei_span message) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    gei_span key = { "", 0 }, value = { "", 0 };
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_ENTRY_KEY) gei_wire_text(&w, &f, &key);
        if (f.number == ONNX_ENTRY_VALUE) gei_wire_text(&w, &f, &value);
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "StringStringEntryProto"));
    GEI_TRY(gei_onnx_check_name(r, key, "metadata key"));
    const char *own = gei_arena_text(&r->arena, key.data, key.size);
    return own ? set_metadata(r, own, value) : gei_onnx_out_of_memory(r);
}

static ge_status set_opset_entries(gei_onnx_reader *r) {
    for (uint32_t i = 0; i < r->opsets.count; i++) {
        const gei_onnx_opset *set = &r->opsets.items[i];
        gei_span domain = set->domain.size ? set->domain : (gei_span){ "ai.onnx", 7 };
        r->text.size = 0;
        gei_sink_text(&r->text, "onnx.opset.");
        gei_sink_bytes(&r->text, domain.data, domain.size);
        if (r->text.failed) return gei_onnx_out_of_memory(r);
        GEI_TRY(set_number(r, r->text.data, set->version));
    }
    return GE_OK;
}

/* ---- the model ---- */

typedef struct head {
    gei_span producer_name, producer_version, domain, doc;
    int64_t model_version;
    uint32_t n_functions, n_graphs;
} head;

/* The end of the file is the place: where a cut file lost it. */
static ge_status fail_missing(gei_onnx_reader *r, const char *field) {
    return gei_onnx_stop_at(r, r->file.data + r->file.size,
                            gei_fail(&r->diag, GE_ERR_MALFORMED, "ModelProto.%s is missing; the file ends at byte %zu", field, r->file.size));
}

static ge_status read_head(gei_onnx_reader *r, head *h) {
    gei_wire w = gei_wire_over(r->file.data, r->file.size);
    gei_field f;
    const void *version_at = NULL;
    while (gei_wire_next(&w, &f)) {
        switch (f.number) {
        case ONNX_MODEL_IR_VERSION:
            if (gei_wire_int(&w, &f, &r->ir_version)) version_at = f.start;
            break;
        case ONNX_MODEL_PRODUCER_NAME: gei_wire_text(&w, &f, &h->producer_name); break;
        case ONNX_MODEL_PRODUCER_VERSION: gei_wire_text(&w, &f, &h->producer_version); break;
        case ONNX_MODEL_DOMAIN: gei_wire_text(&w, &f, &h->domain); break;
        case ONNX_MODEL_VERSION: gei_wire_int(&w, &f, &h->model_version); break;
        case ONNX_MODEL_DOC: gei_wire_text(&w, &f, &h->doc); break;
        case ONNX_MODEL_GRAPH: h->n_graphs += gei_wire_text(&w, &f, &r->main_graph); break;
        case ONNX_MODEL_FUNCTION: h->n_functions++; break;
        default: break;
        }
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "ModelProto"));
    if (!version_at) return fail_missing(r, "ir_version");
    if (r->ir_version < 1)
        return gei_onnx_stop_at(r, version_at, gei_fail(&r->diag, GE_ERR_MALFORMED, "ModelProto.ir_version is %lld at byte %zu",
                                                        (long long)r->ir_version, (size_t)((const char *)version_at - r->file.data)));
    if (h->n_graphs == 0) return fail_missing(r, "graph");
    if (h->n_graphs == 1) return GE_OK;
    return gei_onnx_stop_at(r, r->main_graph.data, gei_fail(&r->diag, GE_ERR_MALFORMED, "the model has %u graphs, the last at byte %zu",
                                                            h->n_graphs, (size_t)(r->main_graph.data - r->file.data)));
}

static ge_status create_root(gei_onnx_reader *r) {
    gei_wire w = gei_wire_at(r->file.data, r->main_graph);
    gei_field f;
    gei_span name = { NULL, 0 };
    while (gei_wire_next(&w, &f))
        if (f.number == ONNX_GRAPH_NAME) gei_wire_text(&w, &f, &name);
    GEI_TRY(gei_onnx_wire_end(r, &w, "GraphProto"));
    if (name.size == 0) name = (gei_span){ "main", 4 };
    GEI_TRY(gei_onnx_check_name(r, name, "graph"));
    const char *own = gei_arena_text(&r->arena, name.data, name.size);
    if (!own) return gei_onnx_out_of_memory(r);
    return gei_graph_create(r->from, own, &r->graph, &r->diag);
}

static ge_status set_head_entries(gei_onnx_reader *r, const head *h) {
    GEI_TRY(set_number(r, "onnx.ir_version", r->ir_version));
    if (h->producer_name.size) GEI_TRY(set_metadata(r, "onnx.producer_name", h->producer_name));
    if (h->producer_version.size) GEI_TRY(set_metadata(r, "onnx.producer_version", h->producer_version));
    if (h->domain.size) GEI_TRY(set_metadata(r, "onnx.domain", h->domain));
    if (h->doc.size) GEI_TRY(set_metadata(r, "onnx.doc_string", h->doc));
    if (h->model_version) GEI_TRY(set_number(r, "onnx.model_version", h->model_version));
    return set_opset_entries(r);
}

static ge_status read_lists(gei_onnx_reader *r) {
    gei_wire w = gei_wire_over(r->file.data, r->file.size);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        gei_span message;
        if (f.number != ONNX_MODEL_METADATA && f.number != ONNX_MODEL_FUNCTION) continue;
        if (!gei_wire_text(&w, &f, &message)) break;
        GEI_TRY(f.number == ONNX_MODEL_METADATA ? add_entry(r, message) : add_function(r, message));
    }
    return gei_onnx_wire_end(r, &w, "ModelProto");
}

ge_status gei_onnx_read_model(gei_onnx_reader *r) {
    head h = { .model_version = 0 };
    ge_status status = read_head(r, &h);
    if (status != GE_OK) return gei_onnx_explain(r, status);
    GEI_TRY(gei_onnx_read_opsets(r, r->file, ONNX_MODEL_OPSET, &r->opsets));
    /* Before IR version 3 there was one operator set, and files did not name it. */
    if (r->ir_version < 3 && r->opsets.count == 0) r->opsets.items[r->opsets.count++] = (gei_onnx_opset){ { "", 0 }, 1 };
    if (r->opsets.count == 0 && r->n_problems == 0) return fail_missing(r, "opset_import");
    r->functions = gei_arena_array(&r->arena, gei_onnx_function, h.n_functions);
    if (!r->functions) return gei_onnx_out_of_memory(r);
    GEI_TRY(create_root(r));
    GEI_TRY(set_head_entries(r, &h));
    GEI_TRY(read_lists(r));
    GEI_TRY(gei_onnx_warn_opsets(r));
    GEI_TRY(gei_onnx_import(r));
    gei_span fixed = { r->fixed_inputs.data, r->fixed_inputs.size };
    return fixed.size ? set_metadata(r, "onnx.fixed_inputs", fixed) : GE_OK;
}
