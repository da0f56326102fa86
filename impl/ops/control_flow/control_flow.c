/* SPDX-License-Identifier: Apache-2.0 */
/* If, Case, While, calls; GeLoop, GeScan and GeSequenceMap (ours, ONNX Loop, Scan and SequenceMap).  exec runs the bodies; ops/body.h says what they see.
 * ONNX bodies read values from outside; here those are inputs of the node behind its own. */
#include <string.h>

#include "ir/builtin.h"
#include "ops/body.h"
#include "ops/import.h"

/* Moves the Data nodes of a body from index `from` on by `by`, to make room. */
static ge_status shift_inputs(gei_graph *body, int64_t from, int64_t by, gei_diag *diag) {
    for (size_t i = 0; by != 0 && i < body->nodes.count; i++) {
        gei_node *node = body->nodes.items[i];
        if (!node || !gei_node_is_input(node) || gei_node_int(node, "index", 0) < from) continue;
        gei_attr index = gei_attr_int(gei_node_int(node, "index", 0) + by);
        GEI_TRY(gei_node_set(node, "index", &index, diag));
    }
    return GE_OK;
}

/* Data nodes [first, first + count) that the body does not read, described as the values they stand for. */
static ge_status add_unused(gei_graph *body, int64_t first, const gei_value *values, uint32_t count, gei_diag *diag) {
    for (uint32_t k = 0; k < count; k++) {
        gei_shape shape = gei_out_shape(gei_value_out(values[k]));
        gei_node *data;
        GEI_TRY(gei_graph_add_data(body, NULL, first + k, gei_value_out(values[k])->dtype, &shape, &data, diag));
    }
    return GE_OK;
}

static const gei_import_subgraph *subgraph_of(const gei_import *im, const char *attr) {
    for (uint32_t k = 0; k < im->n_subgraphs; k++)
        if (strcmp(im->subgraphs[k].attr, attr) == 0) return &im->subgraphs[k];
    return NULL;
}

/* Adds the node with its own inputs, then `more` values; all outputs. */
static ge_status add_node(gei_import *im, const char *type, const gei_value *ins, uint32_t n, gei_node **out, gei_diag *diag) {
    uint32_t fixed = strcmp(type, "If") == 0 ? 1 : strcmp(type, "GeLoop") == 0 ? 2 : 0, n_dynamic = n - fixed, n_outs = im->n_outputs;
    GEI_TRY(gei_import_node_dynamic(im, type, ins, n, &n_dynamic, &n_outs, out, diag));
    for (uint32_t k = 0; k < im->n_outputs; k++) gei_import_set_output(im, k, gei_value_of(*out, k));
    return GE_OK;
}

static ge_status gather_inputs(const gei_import *im, uint32_t n_own, const gei_import_subgraph *a, const gei_import_subgraph *b, gei_value **out,
                               uint32_t *out_count, gei_diag *diag) {
    uint32_t n = n_own + a->n_captured + (b ? b->n_captured : 0), at = 0;
    gei_value *ins = gei_arena_array(&im->graph->arena, gei_value, n + 1);
    if (!ins) return gei_out_of_memory(diag, n * sizeof *ins);
    for (uint32_t k = 0; k < n_own; k++) ins[at++] = gei_import_input(im, k);
    for (uint32_t k = 0; k < a->n_captured; k++) ins[at++] = a->captured[k];
    for (uint32_t k = 0; b && k < b->n_captured; k++) ins[at++] = b->captured[k];
    *out = ins;
    *out_count = n;
    return GE_OK;
}

static ge_status map_if(gei_import *im, gei_diag *diag) {
    const gei_import_subgraph *yes = subgraph_of(im, "then_branch"), *no = subgraph_of(im, "else_branch");
    gei_value *ins;
    gei_node *node;
    uint32_t n;
    if (!yes || !no) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute %s is missing", yes ? "else_branch" : "then_branch");
    GEI_TRY(gather_inputs(im, 1, yes, no, &ins, &n, diag));
    GEI_TRY(add_unused(yes->graph, yes->n_captured, no->captured, no->n_captured, diag));
    GEI_TRY(shift_inputs(no->graph, 0, yes->n_captured, diag));
    GEI_TRY(add_unused(no->graph, 0, yes->captured, yes->n_captured, diag));
    GEI_TRY(add_node(im, "If", ins, n, &node, diag));
    GEI_TRY(gei_graph_add_subgraph(node, "then_branch", yes->graph, diag));
    return gei_graph_add_subgraph(node, "else_branch", no->graph, diag);
}

static ge_status map_loop(gei_import *im, gei_diag *diag) {
    const gei_import_subgraph *body = subgraph_of(im, "body");
    uint32_t n_own = im->n_inputs < 2 ? 2 : im->n_inputs, n;
    gei_value *ins;
    gei_node *node;
    if (!body) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute body is missing");
    GEI_TRY(gather_inputs(im, n_own, body, NULL, &ins, &n, diag));
    GEI_TRY(add_node(im, "GeLoop", ins, n, &node, diag));
    GEI_TRY(gei_import_set_int(node, "carried", n_own - 2, diag));
    return gei_graph_add_subgraph(node, "body", body->graph, diag);
}

static ge_status map_scan(gei_import *im, gei_diag *diag) {
    const char *const lists[] = { "scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions" };
    const gei_import_subgraph *body = subgraph_of(im, "body");
    int64_t n_scanned = gei_import_int(im, "num_scan_inputs", 0);
    gei_value *ins;
    gei_node *node;
    uint32_t n;
    if (!body) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute body is missing");
    if (n_scanned < 1 || n_scanned > im->n_inputs)
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "num_scan_inputs is %lld of %u inputs", (long long)n_scanned, im->n_inputs);
    GEI_TRY(gather_inputs(im, im->n_inputs, body, NULL, &ins, &n, diag));
    GEI_TRY(add_node(im, "GeScan", ins, n, &node, diag));
    GEI_TRY(gei_import_set_int(node, "carried", im->n_inputs - n_scanned, diag));
    GEI_TRY(gei_import_set_int(node, "num_scan_inputs", n_scanned, diag));
    for (size_t k = 0; k < GEI_COUNT(lists); k++) {
        gei_int_list list = gei_import_ints(im, lists[k]);
        if (list.count) GEI_TRY(gei_import_set_ints(node, lists[k], list.data, list.count, diag));
    }
    return gei_graph_add_subgraph(node, "body", body->graph, diag);
}

static ge_status map_sequence(gei_import *im, gei_diag *diag) {
    const gei_import_subgraph *body = subgraph_of(im, "body");
    gei_value *ins;
    gei_node *node;
    uint32_t n;
    if (!body) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute body is missing");
    GEI_TRY(gather_inputs(im, im->n_inputs, body, NULL, &ins, &n, diag));
    GEI_TRY(add_node(im, "GeSequenceMap", ins, n, &node, diag));
    GEI_TRY(gei_import_set_int(node, "mapped", im->n_inputs, diag));
    return gei_graph_add_subgraph(node, "body", body->graph, diag);
}

static const gei_source if_sources[] = { { GEI_FROM_ONNX, "If", 1, map_if, NULL }, { 0 } };
static const gei_source loop_sources[] = { { GEI_FROM_ONNX, "Loop", 1, map_loop, NULL }, { 0 } };
static const gei_source map_sources[] = { { GEI_FROM_ONNX, "SequenceMap", 17, map_sequence, NULL }, { 0 } };
static const gei_source scan_sources[] = { { GEI_FROM_ONNX, "Scan", 9, map_scan, NULL }, { 0 } };

GEI_OP(If) = { .name = "If", .infer = gei_infer_branches, .sources = if_sources, .control = GEI_CONTROL_IF };
GEI_OP(Case) = { .name = "Case", .infer = gei_infer_branches, .control = GEI_CONTROL_CASE };
GEI_OP(PartitionedCall) = { .name = "PartitionedCall", .infer = gei_infer_branches, .control = GEI_CONTROL_CALL };
GEI_OP(While) = { .name = "While", .infer = gei_infer_while, .control = GEI_CONTROL_WHILE };
GEI_OP(GeLoop) = { .name = "GeLoop", .infer = gei_infer_loop, .sources = loop_sources, .control = GEI_CONTROL_LOOP };
GEI_OP(GeScan) = { .name = "GeScan", .infer = gei_infer_scan, .sources = scan_sources, .control = GEI_CONTROL_SCAN };
GEI_OP(GeSequenceMap) = { .name = "GeSequenceMap", .infer = gei_infer_map, .sources = map_sources, .control = GEI_CONTROL_MAP };
