/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/id.h"
#include "api/model.h"
#include "ops/eval.h"

/* Infos of the inputs with new shapes; NULL when none are given. */
static ge_status input_infos(const gei_graph *g, const int64_t *dims, size_t dims_count, const int32_t *ranks, size_t ranks_count,
                             gei_arena *arena, gei_info **out, gei_diag *diag) {
    gei_node **inputs;
    size_t n, at = 0;
    *out = NULL;
    if (ranks_count == 0 && dims_count == 0) return GE_OK;
    GEI_TRY(gei_graph_inputs(g, arena, &inputs, &n, diag));
    if (ranks_count != n) {
        gei_diag_wanted(diag, "%zu", n);
        return gei_argument_fail(diag, "ranks", 3, GE_ERR_SHAPE, "%zu shapes for %zu inputs", ranks_count, n);
    }
    gei_info *infos = gei_arena_array(arena, gei_info, n + 1);
    if (!infos) return gei_out_of_memory(diag, n * sizeof *infos);
    for (size_t i = 0; i < n; i++) {
        const gei_out *was = &inputs[i]->outs[0];
        if (ranks[i] < 0 || ranks[i] > GEI_MAX_RANK) return gei_argument_fail(diag, "ranks", 3, GE_ERR_RANK, "rank %d of input %zu is not allowed", ranks[i], i);
        if ((size_t)ranks[i] > dims_count - at) return gei_argument_fail(diag, "dims", 1, GE_ERR_SHAPE, "dims ends before input %zu", i);
        for (int32_t k = 0; k < ranks[i]; k++)
            if (dims[at + (size_t)k] < -1)
                return gei_argument_fail(diag, "dims", 1, GE_ERR_SHAPE, "dim %d of input %zu is %lld", k, i, (long long)dims[at + (size_t)k]);
        infos[i] = (gei_info){ .dtype = was->dtype, .format = was->format, .shape = gei_shape_of(ranks[i], dims + at) };
        at += (size_t)ranks[i];
    }
    if (at != dims_count) return gei_argument_fail(diag, "dims", 1, GE_ERR_SHAPE, "%zu dims given, the ranks need %zu", dims_count, at);
    *out = infos;
    return GE_OK;
}

static ge_status infer(gei_graph *g, const int64_t *dims, size_t dims_count, const int32_t *ranks, size_t ranks_count, gei_arena *arena,
                       gei_diag *diag) {
    gei_node **order;
    size_t n;
    gei_info *inputs;
    gei_infos infos;
    GEI_TRY(input_infos(g, dims, dims_count, ranks, ranks_count, arena, &inputs, diag));
    GEI_TRY(gei_graph_order(g, arena, &order, &n, diag));
    memset(&infos, 0, sizeof infos);
    ge_status st = gei_infer_graph(order, n, g->nodes.count, inputs, inputs ? ranks_count : 0, arena, g->from, &infos, diag);
    if (st == GE_OK) st = gei_infos_store(&infos, order, n, diag);
    gei_infos_release(&infos);
    return st;
}

ge_status ge_graph_infer_shapes(ge_graph *graph, const int64_t *dims, size_t dims_count, const int32_t *ranks, size_t ranks_count) {
    GEI_CALL;
    gei_arena arena;
    if (!dims && dims_count) return gei_call_null(__func__, "dims", 1);
    if (!ranks && ranks_count) return gei_call_null(__func__, "ranks", 3);
    GEI_GRAPH(g, graph);
    gei_arena_init(&arena, g->from);
    uint32_t modes = gei_fp_enter();
    ge_status st = infer(g, dims, dims_count, ranks, ranks_count, &arena, &diag);
    gei_fp_leave(modes);
    gei_arena_deinit(&arena);
    return GEI_RETURN(st);
}

/* One line per reason; none when some kernel accepts. */
static void put_reasons(const gei_node *node, const gei_op *op, const gei_choice *choice, gei_sink *to) {
    if (!op) {
        gei_sink_format(to, "operator %s is not implemented\n", node->def->name);
        return;
    }
    if (op->control != GEI_CONTROL_NONE || (op->traits & (GEI_OP_CONST | GEI_OP_INPUT | GEI_OP_OUTPUT))) return;
    size_t before = to->size;
    for (const gei_kernel *k = op->kernels; k && k->name; k++) {
        gei_reason why = { "" };
        if (!k->accepts || k->accepts(choice, &why)) {
            to->size = before; /* an earlier kernel's refusal does not matter */
            if (to->data) to->data[before] = 0;
            return;
        }
        gei_sink_format(to, "%s: %s\n", k->name, why.text[0] ? why.text : "refused");
    }
    if (to->size == before) gei_sink_format(to, "operator %s has no kernel\n", node->def->name);
}

static gei_info info_of(gei_value v) {
    const gei_out *out = gei_value_out(v);
    return (gei_info){ .dtype = out->dtype, .format = out->format, .shape = gei_out_shape(out), .tensor = gei_node_const(v.node) };
}

static ge_status reasons(const gei_node *node, gei_sink *to, gei_diag *diag) {
    gei_arena arena;
    gei_arena_init(&arena, node->graph->from);
    gei_info *infos = gei_arena_array(&arena, gei_info, node->n_ins + node->n_outs + 1);
    const gei_info **in = gei_arena_array(&arena, const gei_info *, node->n_ins + 1);
    ge_status st = infos && in ? GE_OK : gei_out_of_memory(diag, 0);
    if (st == GE_OK) {
        for (uint32_t i = 0; i < node->n_ins; i++) {
            if (!node->ins[i].from.node) continue;
            infos[i] = info_of(node->ins[i].from);
            in[i] = &infos[i];
        }
        for (uint32_t i = 0; i < node->n_outs; i++) infos[node->n_ins + i] = info_of(gei_value_of((gei_node *)node, i));
        gei_choice choice = { node, in, infos + node->n_ins, node->n_ins, node->n_outs, gei_isa() };
        put_reasons(node, gei_op_of(node), &choice, to);
    }
    gei_arena_deinit(&arena);
    return st;
}

ge_status ge_graph_query_support(const ge_graph *graph, ge_node_id node, ge_backend backend, char *buffer, size_t buffer_size, size_t *out_size) {
    GEI_CALL;
    gei_sink text;
    GEI_OUT(out_size);
    GEI_OUT_TEXT(buffer, buffer_size);
    GEI_NEED(out_size, 5);
    GEI_GRAPH(g, graph);
    const gei_node *n = gei_id_node(g, node, "node", 1, &diag);
    if (!n) return gei_call_end(__func__, diag.status, &diag);
    if (backend < GE_BACKEND_ANY || backend > GE_BACKEND_ACL)
        return GEI_RETURN(gei_argument_fail(&diag, "backend", 2, GE_ERR_INVALID_ARGUMENT, "%d is no backend", backend));
    gei_sink_init(&text, g->from);
    ge_status st = GE_OK;
    if (backend == GE_BACKEND_DNNL || backend == GE_BACKEND_ACL) gei_sink_text(&text, "this build has no such backend\n");
    else st = reasons(n, &text, &diag);
    if (st == GE_OK && text.failed) st = gei_out_of_memory(&diag, text.size);
    if (st == GE_OK) st = gei_text_out(text.size ? text.data : "", text.size, buffer, buffer_size, out_size, 3, &diag);
    gei_sink_deinit(&text);
    return GEI_RETURN(st);
}
