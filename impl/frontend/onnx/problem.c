/* SPDX-License-Identifier: Apache-2.0 */
/* Problems, stops, the budget, and the words of messages. */
#include <stdio.h>
#include <string.h>

#include "frontend/onnx/reader.h"

#define LISTED_BYTES 280 /* of operator names in the last message: the rest of it goes to the first problem */

/* ---- stops ---- */

ge_status gei_onnx_stop(gei_onnx_reader *r, ge_status status) {
    r->stops = true;
    return status;
}

/* Once: what failed deepest knows the place best. */
static void tell_offset(gei_onnx_reader *r, const void *at) {
    const char *key = r->diag.details;
    for (int i = 0; i < r->diag.n_details; i++) {
        if (strcmp(key, "offset") == 0) return;
        key += strlen(key) + 1;
        key += strlen(key) + 1;
    }
    gei_diag_detail(&r->diag, "offset", "%zu", (size_t)((const char *)at - r->file.data));
}

ge_status gei_onnx_stop_at(gei_onnx_reader *r, const void *at, ge_status status) {
    r->stops_at = at;
    tell_offset(r, at);
    return gei_onnx_stop(r, status);
}

ge_status gei_onnx_out_of_memory(gei_onnx_reader *r) { return gei_onnx_stop(r, gei_out_of_memory(&r->diag, 0)); }

ge_status gei_onnx_wire_end(gei_onnx_reader *r, const gei_wire *w, const char *message_name) {
    if (!w->error) return GE_OK;
    r->stops_at = w->error_at;
    return gei_onnx_stop(r, gei_wire_fail(w, message_name, &r->diag));
}

/* The node whose turn it is, or what was read last. */
static const char *current_place(const gei_onnx_reader *r, char *to, size_t cap) {
    char label[128];
    const gei_onnx_task *task = r->tasks.count > 0 ? &r->tasks.items[r->tasks.count - 1] : NULL;
    if (task && task->node != GEI_ONNX_NONE)
        snprintf(to, cap, "node '%s'", gei_onnx_label(task->scope, &task->scope->src->nodes[task->node], label, sizeof label));
    else
        gei_copy_text(to, cap, r->place, strlen(r->place));
    return to;
}

ge_status gei_onnx_charge(gei_onnx_reader *r, uint64_t size_bytes) {
    if (size_bytes <= r->budget_bytes) {
        r->budget_bytes -= size_bytes;
        return GE_OK;
    }
    char place[192];
    r->budget_bytes = 0;
    return gei_onnx_stop(r, gei_fail(&r->diag, GE_ERR_LIMIT, "a file of %zu bytes asks for more memory than its size allows, at %s",
                                     r->file.size, current_place(r, place, sizeof place)));
}

ge_status gei_onnx_check_name(gei_onnx_reader *r, gei_span name, const char *what) {
    if (name.size == 0) return GE_OK;
    size_t at = (size_t)(name.data - r->file.data);
    if (name.size > r->limits.name_bytes)
        return gei_onnx_stop_at(r, name.data, gei_fail(&r->diag, GE_ERR_LIMIT, "a name of %zu bytes at byte %zu (%s), at most %u are read", name.size,
                                                         at, what, r->limits.name_bytes));
    if (memchr(name.data, '\0', name.size))
        return gei_onnx_stop_at(r, name.data, gei_fail(&r->diag, GE_ERR_MALFORMED, "a name with a zero byte at byte %zu (%s)", at, what));
    if (!gei_utf8_valid(name.data, name.size))
        return gei_onnx_stop_at(r, name.data, gei_fail(&r->diag, GE_ERR_MALFORMED, "a name that is not UTF-8 at byte %zu (%s)", at, what));
    return GE_OK;
}

/* ---- words ---- */

void gei_onnx_set_place(gei_onnx_reader *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)gei_format_text(r->place, sizeof r->place, format, args);
    va_end(args);
}

const char *gei_onnx_label(const gei_onnx_scope *scope, const gei_onnx_node *node, char *to, size_t cap) {
    const char *prefix = scope && scope->prefix ? scope->prefix : "";
    size_t size = strlen(prefix), most = cap / 2; /* of a long way through calls the end tells most */
    size_t used = size > most ? gei_copy_text(to, cap, "...", 3) : 0;
    used += gei_copy_text(to + used, cap - used, size > most ? prefix + size - most : prefix, size > most ? most : size);
    if (node->name.size > 0) {
        gei_copy_text(to + used, cap - used, node->name.data, node->name.size);
    } else {
        size_t index = scope ? (size_t)(node - scope->src->nodes) : 0; /* without a type: gei_onnx_name_nodes left it */
        snprintf(to + used, cap - used, "_%zu", index);
    }
    return to;
}

ge_status gei_onnx_tensor_status(gei_onnx_reader *r, ge_status status) {
    char said[GEI_DIAG_MESSAGE_BYTES];
    if (status == GE_OK || status == GE_ERR_OUT_OF_MEMORY) return status;
    memcpy(said, r->diag.message, sizeof said);
    /* An argument of ours is a fault of the file. */
    return gei_fail(&r->diag, status >> 16 == GE_CLASS_ARGUMENT ? GE_ERR_MALFORMED : status, "%s: %s", r->place, said);
}

/* ---- problems ---- */

static ge_status report(gei_onnx_reader *r, const gei_onnx_problem *problem) {
    if (!r->options->problem) return GE_OK;
    ge_status said = r->options->problem(r->options->problem_user, problem);
    if (said == GE_OK) return GE_OK;
    r->is_told = true;
    return gei_onnx_stop(r, gei_fail(&r->diag, said, "the problem callback ended the reading"));
}

/* Messages are complete without the fields beside them. */
static void name_node(gei_onnx_reader *r, const gei_onnx_node *node, const char *label) {
    char said[GEI_DIAG_MESSAGE_BYTES], quoted[144];
    snprintf(quoted, sizeof quoted, "'%s'", label);
    if (node->type.size > 0 && !strstr(r->diag.message, quoted)) {
        memcpy(said, r->diag.message, sizeof said);
        (void)gei_diag_set(&r->diag, r->diag.status, r->diag.file, r->diag.line, "%.*s '%s': %s", GEI_ONNX_FMT(node->type), label, said);
    }
    r->diag.node[0] = '\0'; /* may be left from a call that went well */
    gei_diag_node(&r->diag, label);
}

static ge_status count_problem(gei_onnx_reader *r, const gei_onnx_problem *problem) {
    if (r->n_problems++ == 0) r->first = r->diag;
    ge_status status = report(r, problem);
    if (status != GE_OK) return status;
    if (r->n_problems >= r->limits.problems) {
        r->is_told = true;
        return gei_onnx_stop(r, gei_fail(&r->diag, GE_ERR_LIMIT, "more than %u problems, reading ended; the first: %s", r->limits.problems,
                                         r->first.message));
    }
    gei_diag_clear(&r->diag);
    return GE_OK;
}

static const char *zero_ended(gei_span span, char *to, size_t cap) {
    gei_copy_text(to, cap, span.size ? span.data : "", span.size);
    return to;
}

ge_status gei_onnx_note(gei_onnx_reader *r, ge_status status, const gei_onnx_scope *scope, const gei_onnx_node *node, const void *at) {
    if (status == GE_OK) return GE_OK;
    if (r->stops || status == GE_ERR_OUT_OF_MEMORY) return gei_onnx_stop(r, status);
    char type[128], domain[128], label[128];
    gei_onnx_problem problem = { .diag = &r->diag, .op_type = "", .domain = "" };
    if (node) {
        problem.op_type = zero_ended(node->type, type, sizeof type);
        problem.domain = zero_ended(node->domain, domain, sizeof domain);
        problem.opset = scope ? gei_onnx_opset_of(r, scope, node->domain) : 0;
        name_node(r, node, gei_onnx_label(scope, node, label, sizeof label));
        if (!at) at = node->bytes.data;
    }
    if (at) {
        problem.offset = (uint64_t)((const char *)at - r->file.data);
        tell_offset(r, at);
    }
    return count_problem(r, &problem);
}

ge_status gei_onnx_tell(gei_onnx_reader *r, ge_status status, const gei_onnx_origin *origin, const void *at) {
    char type[128], domain[128];
    gei_onnx_problem problem = { .diag = &r->diag, .op_type = "", .domain = "" };
    if (status == GE_ERR_OUT_OF_MEMORY) return gei_onnx_stop(r, status);
    if (origin) {
        problem.op_type = zero_ended(origin->type, type, sizeof type);
        problem.domain = zero_ended(origin->domain, domain, sizeof domain);
        problem.opset = origin->opset;
        if (!at) at = origin->at;
    }
    if (at) problem.offset = (uint64_t)((const char *)at - r->file.data);
    r->diag.status = status;
    ge_status said = report(r, &problem);
    if (said == GE_OK) gei_diag_clear(&r->diag);
    return said;
}

/* "Foo" or "com.example:Foo", in r->text. */
static bool compose_type(gei_onnx_reader *r, const gei_onnx_node *node) {
    r->text.size = 0;
    if (node->domain.size > 0) {
        gei_sink_bytes(&r->text, node->domain.data, node->domain.size);
        gei_sink_text(&r->text, ":");
    }
    gei_sink_bytes(&r->text, node->type.data, node->type.size);
    return !r->text.failed;
}

/* Once per distinct type; the list stops growing where a message could not show it. */
static ge_status list_unsupported(gei_onnx_reader *r, const gei_onnx_node *node) {
    if (!compose_type(r, node)) return gei_onnx_out_of_memory(r);
    if (gei_strmap_find(&r->unsupported, r->text.data, r->text.size, NULL)) return GE_OK;
    const char *own = gei_arena_text(&r->arena, r->text.data, r->text.size);
    if (!own || !gei_strmap_put(&r->unsupported, own, r->text.size, 0)) return gei_onnx_out_of_memory(r);
    if (r->unsupported_list.size > LISTED_BYTES) return GE_OK;
    if (r->unsupported_list.size > 0) gei_sink_text(&r->unsupported_list, ", ");
    gei_sink_format(&r->unsupported_list, "%.*s", GEI_ONNX_FMT(((gei_span){ own, r->text.size })));
    return r->unsupported_list.failed ? gei_onnx_out_of_memory(r) : GE_OK;
}

ge_status gei_onnx_note_unsupported(gei_onnx_reader *r, const gei_onnx_scope *scope, const gei_onnx_node *node) {
    char label[128];
    GEI_TRY(list_unsupported(r, node));
    int32_t opset = gei_onnx_opset_of(r, scope, node->domain);
    (void)gei_fail(&r->diag, GE_ERR_UNSUPPORTED_OPERATOR, "operator %.*s%s%.*s%s%.*s (opset %d) is not supported; node '%s'",
                   GEI_ONNX_FMT(node->domain), node->domain.size ? ":" : "", GEI_ONNX_FMT(node->type), node->overload.size ? ":" : "",
                   GEI_ONNX_FMT(node->overload), (int)opset, gei_onnx_label(scope, node, label, sizeof label));
    return gei_onnx_note(r, GE_ERR_UNSUPPORTED_OPERATOR, scope, node, NULL);
}

/* ---- the end ---- */

static ge_status summarise(gei_onnx_reader *r, gei_diag *diag) {
    if (!diag) return r->first.status;
    *diag = r->first;
    if (r->n_problems == 1) return diag->status;
    unsigned long long n = r->n_problems;
    if (r->unsupported_list.size == 0)
        return gei_fail(diag, diag->status, "%llu problems, the first: %s", n, r->first.message);
    int listed = r->unsupported_list.size > LISTED_BYTES ? LISTED_BYTES : (int)r->unsupported_list.size;
    return gei_fail(diag, diag->status, "%llu problems; unsupported operators (%zu): %.*s%s; the first: %s", n, r->unsupported.count, listed,
                    r->unsupported_list.data, r->unsupported_list.size > LISTED_BYTES ? "..." : "", r->first.message);
}

ge_status gei_onnx_verdict(gei_onnx_reader *r, ge_status status, gei_diag *diag) {
    if (status == GE_OK) return r->n_problems == 0 ? GE_OK : summarise(r, diag);
    if (status != GE_ERR_OUT_OF_MEMORY && !r->is_told) {
        gei_diag last = r->diag;
        gei_onnx_problem problem = { .diag = &last, .op_type = "", .domain = "" };
        if (r->stops_at) problem.offset = (uint64_t)((const char *)r->stops_at - r->file.data);
        ge_status said = report(r, &problem);
        if (said != GE_OK) status = said;
        else r->diag = last;
    }
    if (diag) *diag = r->diag;
    return status;
}
