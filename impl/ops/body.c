/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/body.h"

#include <string.h>

#include "ir/builtin.h"
#include "ir/bundle.h"
#include "ops/rules.h"

#define MOST_ROUNDS 4 /* each round makes at least one dim unknown; what still moves then is unknown altogether */

enum { LOOP_VALUES = 2 };

uint32_t gei_body_input_count(const gei_graph *body) {
    uint32_t n = 0;
    for (size_t i = 0; i < body->nodes.count; i++) n += body->nodes.items[i] && gei_node_is_input(body->nodes.items[i]);
    return n;
}

uint32_t gei_body_output_count(const gei_graph *body) { return body->net_output ? body->net_output->n_ins : 0; }

ge_status gei_info_meet(const gei_node *node, gei_info *to, const gei_info *from, gei_diag *diag) {
    if (to->dtype == GEI_UNDEFINED) to->dtype = from->dtype;
    if (gei_dtype_fits(to->dtype, from->dtype)) to->dtype = from->dtype;
    if (from->dtype != GEI_UNDEFINED && !gei_dtype_fits(from->dtype, to->dtype))
        return gei_node_fail(node, diag, GE_ERR_DTYPE, NULL, "its bodies give %s and %s", gei_dtype_name(to->dtype), gei_dtype_name(from->dtype));
    to->tensor = NULL;
    to->elems = NULL;
    to->n_elems = 0;
    if (to->shape.rank != from->shape.rank) {
        to->shape = gei_shape_unknown();
        return GE_OK;
    }
    for (int32_t d = 0; d < to->shape.rank; d++)
        if (!gei_dim_same(to->shape.dims[d], from->shape.dims[d])) to->shape.dims[d] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

ge_status gei_body_outputs(const gei_graph *body, const gei_info *inputs, uint32_t n_in, gei_arena *arena, gei_info *out, uint32_t n_out,
                           gei_diag *diag) {
    gei_node **order;
    size_t n;
    gei_infos infos = { 0 };
    GEI_TRY(gei_graph_order(body, arena, &order, &n, diag));
    ge_status st = gei_infer_graph(order, n, body->nodes.count, inputs, n_in, arena, body->from, &infos, diag);
    for (uint32_t k = 0; st == GE_OK && k < n_out && k < gei_body_output_count(body); k++) {
        gei_value from = body->net_output->ins[k].from;
        if (!from.node) continue;
        out[k] = *gei_infos_of(&infos, from);
        out[k].tensor = NULL; /* goes with the infos */
        out[k].elems = NULL;
        out[k].n_elems = 0;
    }
    gei_infos_release(&infos);
    return st;
}

static gei_info nothing_known(void) { return (gei_info){ .dtype = GEI_UNDEFINED, .format = GE_FORMAT_ND, .shape = gei_shape_unknown() }; }

static gei_info of_slot(const gei_info *const *in, uint32_t slot) { return in[slot] ? *in[slot] : nothing_known(); }

/* A value that changes from run to run of the body: its contents are not those of the first. */
static gei_info changing(gei_info info) {
    info.tensor = NULL;
    info.elems = NULL;
    info.n_elems = 0;
    return info;
}

static uint32_t scanned(const gei_node *node) { return (uint32_t)gei_node_int(node, "num_scan_inputs", 0); }
static uint32_t carried(const gei_node *node) { return (uint32_t)gei_node_int(node, "carried", 0); }

static uint32_t mapped(const gei_node *node) { return (uint32_t)gei_node_int(node, "mapped", 0); }

static int64_t listed(const gei_node *node, const char *name, uint32_t index) {
    gei_int_list list = gei_node_ints(node, name);
    return index < list.count ? list.data[index] : 0;
}

static gei_info slice_of(const gei_node *node, gei_info whole, uint32_t k) {
    int32_t axis;
    whole = changing(whole);
    if (whole.shape.rank < 0) return whole;
    if (!gei_axis(listed(node, "scan_input_axes", k), whole.shape.rank, &axis)) {
        whole.shape = gei_shape_unknown();
        return whole;
    }
    for (int32_t d = axis; d + 1 < whole.shape.rank; d++) whole.shape.dims[d] = whole.shape.dims[d + 1];
    whole.shape.rank--;
    return whole;
}

/* What a body sees of a mapped input: an item of a sequence, of any shape; else all of it. */
static gei_info item_of(gei_info whole) {
    gei_value_form form = gei_dtype_form(whole.dtype);
    if (form != GEI_FORM_SEQUENCE && form != GEI_FORM_INT_MAPS && form != GEI_FORM_TEXT_MAPS) return whole;
    gei_info item = nothing_known();
    item.dtype = gei_dtype_item(whole.dtype);
    if (gei_dtype_is_bundle(item.dtype)) item.shape = gei_shape_scalar();
    return item;
}

/* Inputs of the first run of the body. */
static void first_inputs(const gei_node *node, const gei_info *const *in, gei_info *out, uint32_t n) {
    gei_control kind = gei_op_of(node)->control;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t slot = kind == GEI_CONTROL_IF || kind == GEI_CONTROL_CASE ? k + 1 : k;
        out[k] = slot < node->n_ins ? of_slot(in, slot) : nothing_known();
        if (kind == GEI_CONTROL_LOOP && k < LOOP_VALUES) {
            out[k] = nothing_known();
            out[k].dtype = k == 0 ? GEI_INT64 : GEI_BOOL;
            out[k].shape = k == 0 ? gei_shape_scalar() : out[k].shape;
        } else if (kind == GEI_CONTROL_WHILE || (kind == GEI_CONTROL_LOOP && k < LOOP_VALUES + carried(node)) ||
                   (kind == GEI_CONTROL_SCAN && k < carried(node))) {
            out[k] = changing(out[k]);
        } else if (kind == GEI_CONTROL_SCAN && k < carried(node) + scanned(node)) {
            out[k] = slice_of(node, out[k], k - carried(node));
        } else if (kind == GEI_CONTROL_MAP && k < mapped(node)) {
            out[k] = item_of(out[k]);
        }
    }
}

/* Which inputs come back as outputs: [*first_in, *first_in + *count) as outputs from *first_out on. */
static void feedback(const gei_node *node, uint32_t *first_in, uint32_t *first_out, uint32_t *count) {
    gei_control kind = gei_op_of(node)->control;
    *first_in = *first_out = *count = 0;
    if (kind == GEI_CONTROL_WHILE) *count = node->n_ins;
    if (kind == GEI_CONTROL_SCAN) *count = carried(node);
    if (kind == GEI_CONTROL_LOOP) {
        *first_in = LOOP_VALUES;
        *first_out = 1;
        *count = carried(node);
    }
}

static const gei_graph *body_that_feeds_back(const gei_node *node) {
    for (uint32_t i = 0; i < node->n_subgraphs; i++)
        if (node->subgraphs[i].port[0] == 'b') return node->subgraphs[i].graph; /* "body", not "cond" */
    return NULL;
}

static bool same_shapes(const gei_info *a, const gei_info *b) {
    if (a->dtype != b->dtype || a->shape.rank != b->shape.rank) return false;
    for (int32_t d = 0; d < a->shape.rank; d++)
        if (a->shape.dims[d] != b->shape.dims[d]) return false;
    return true;
}

ge_status gei_body_inputs(const gei_node *node, uint32_t index, const gei_info *const *in, gei_arena *arena, gei_info *out, uint32_t n_out,
                          gei_diag *diag) {
    uint32_t first_in, first_out, count;
    const gei_graph *body = body_that_feeds_back(node);
    (void)index; /* a condition sees what the body sees */
    first_inputs(node, in, out, n_out);
    feedback(node, &first_in, &first_out, &count);
    if (count == 0 || !body || first_in + count > n_out) return GE_OK;
    uint32_t n_results = gei_body_output_count(body);
    gei_info *results = gei_arena_array(arena, gei_info, n_results + 1);
    if (!results) return gei_out_of_memory(diag, 0);
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        bool moved = false;
        for (uint32_t k = 0; k < n_results; k++) results[k] = nothing_known();
        GEI_TRY(gei_body_outputs(body, out, n_out, arena, results, n_results, diag));
        for (uint32_t k = 0; k < count && first_out + k < n_results; k++) {
            gei_info was = out[first_in + k];
            GEI_TRY(gei_info_meet(node, &out[first_in + k], &results[first_out + k], diag));
            if (round + 1 == MOST_ROUNDS - 1 && !same_shapes(&was, &out[first_in + k])) out[first_in + k].shape = gei_shape_unknown();
            moved = moved || !same_shapes(&was, &out[first_in + k]);
        }
        if (!moved) break;
    }
    return GE_OK;
}

/* ---- which branch ---- */

uint32_t gei_body_find(const gei_node *node, const char *port) {
    for (uint32_t i = 0; i < node->n_subgraphs; i++)
        if (strcmp(node->subgraphs[i].port, port) == 0) return i;
    return UINT32_MAX;
}

bool gei_view_is_true(const gei_view *v) {
    if (v->n_elems != 1) return v->n_elems != 0;
    const char *bytes = v->data;
    size_t size = gei_data_bytes(v->dtype, v->n_elems, v->data);
    if (gei_dtype_is_bundle(v->dtype)) return v->data && gei_bundle_count(v->data) > 0;
    if (v->dtype == GEI_STRING) return size > 2 * sizeof(uint64_t);
    bool is_float = gei_dtype_get(v->dtype)->kind == GEI_KIND_FLOAT;
    for (size_t i = 0; i < size; i++) {
        bool is_top = i + 1 == size && is_float;
        if ((unsigned char)bytes[i] & (is_top ? 0x7F : 0xFF)) return true; /* minus zero is zero */
    }
    return false;
}

/* An index out of range runs the last branch. */
static uint32_t branch_of(const gei_node *node, const gei_view *index) {
    uint32_t last = node->n_subgraphs - 1;
    int64_t i = -1;
    if (index->n_elems > 0 && index->dtype == GEI_INT64) memcpy(&i, index->data, sizeof i);
    if (index->n_elems > 0 && index->dtype == GEI_INT32) {
        int32_t narrow;
        memcpy(&narrow, index->data, sizeof narrow);
        i = narrow;
    }
    return i < 0 || i > last ? last : (uint32_t)i;
}

uint32_t gei_body_taken(const gei_node *node, const gei_view *condition) {
    if (gei_op_of(node)->control == GEI_CONTROL_CASE) return branch_of(node, condition);
    return gei_body_find(node, gei_view_is_true(condition) ? "then_branch" : "else_branch");
}

/* ---- rules ---- */

static ge_status infer_body(gei_infer *i, uint32_t index, gei_info **out_results, uint32_t *out_count) {
    const gei_graph *body = i->node->subgraphs[index].graph;
    uint32_t n = gei_body_input_count(body);
    *out_count = gei_body_output_count(body);
    gei_info *inputs = gei_arena_array(i->arena, gei_info, n + 1);
    gei_info *results = gei_arena_array(i->arena, gei_info, *out_count + 1);
    if (!inputs || !results) return gei_out_of_memory(i->diag, 0);
    for (uint32_t k = 0; k < *out_count; k++) results[k] = nothing_known();
    GEI_TRY(gei_body_inputs(i->node, index, i->in, i->arena, inputs, n, i->diag));
    *out_results = results;
    return gei_body_outputs(body, inputs, n, i->arena, results, *out_count, i->diag);
}

static ge_status check_outputs(const gei_infer *i, uint32_t have, uint32_t wanted) {
    if (have == wanted) return GE_OK;
    return gei_infer_fail(i, GE_ERR_BAD_GRAPH, NULL, "a body gives %u values, wanted %u", have, wanted);
}

static bool is_refusal(ge_status st) { return st == GE_ERR_SHAPE || st == GE_ERR_RANK; }

/* Subgraph index of the only branch that can run, UINT32_MAX when that is not known. */
static uint32_t known_branch(const gei_infer *i) {
    gei_control kind = gei_op_of(i->node)->control;
    const gei_tensor *t = i->n_in > 0 && i->in[0] ? i->in[0]->tensor : NULL;
    if (!t || (kind != GEI_CONTROL_IF && kind != GEI_CONTROL_CASE)) return UINT32_MAX;
    gei_view condition = { .data = t->data, .dtype = t->dtype, .n_elems = t->n_elems };
    return gei_body_taken(i->node, &condition);
}

static ge_status infer_branch(gei_infer *i, uint32_t branch, bool is_first) {
    gei_info *results;
    uint32_t n;
    GEI_TRY(infer_body(i, branch, &results, &n));
    GEI_TRY(check_outputs(i, n, i->n_out));
    for (uint32_t k = 0; k < n; k++) {
        if (is_first) i->out[k] = results[k];
        else GEI_TRY(gei_info_meet(i->node, &i->out[k], &results[k], i->diag));
    }
    return GE_OK;
}

/* A branch that refuses these shapes gives nothing and says nothing: files guard operators by a condition on a shape.  Only where no
 * branch takes them the node cannot run, and the first branch's reason is told. */
ge_status gei_infer_branches(gei_infer *i) {
    if (i->node->n_subgraphs == 0) return gei_infer_fail(i, GE_ERR_BAD_GRAPH, NULL, "it has no subgraph");
    uint32_t known = known_branch(i), n_good = 0;
    if (known != UINT32_MAX) return infer_branch(i, known, true);
    gei_diag *diag = i->diag, why, first;
    for (uint32_t b = 0; b < i->node->n_subgraphs; b++) {
        gei_diag_clear(&why);
        i->diag = &why;
        ge_status st = infer_branch(i, b, n_good == 0);
        i->diag = diag;
        n_good += st == GE_OK;
        if (b == 0) first = why;
        if (st == GE_OK || is_refusal(st)) continue;
        if (diag) *diag = why;
        return st;
    }
    if (n_good > 0) return GE_OK;
    if (diag) *diag = first;
    return first.status;
}

static ge_status body_index(const gei_infer *i, uint32_t *out) {
    for (*out = 0; *out < i->node->n_subgraphs; ++*out)
        if (i->node->subgraphs[*out].port[0] == 'b') return GE_OK;
    return gei_infer_fail(i, GE_ERR_BAD_GRAPH, NULL, "it has no body");
}

ge_status gei_infer_while(gei_infer *i) {
    gei_info *results;
    uint32_t n, body;
    GEI_TRY(body_index(i, &body));
    GEI_TRY(infer_body(i, body, &results, &n));
    GEI_TRY(check_outputs(i, n, i->n_out));
    for (uint32_t k = 0; k < n && k < i->n_in; k++) { /* no run of the body gives the inputs back */
        i->out[k] = changing(of_slot(i->in, k));
        GEI_TRY(gei_info_meet(i->node, &i->out[k], &results[k], i->diag));
    }
    return GE_OK;
}

/* An item for each iteration, joined along a new axis. */
static gei_info collected(gei_info item, int64_t axis, gei_dim count) {
    int32_t at;
    if (item.shape.rank < 0) return item;
    if (item.shape.rank == GEI_MAX_RANK || !gei_axis(axis, item.shape.rank + 1, &at)) {
        item.shape = gei_shape_unknown();
        return item;
    }
    for (int32_t d = item.shape.rank; d > at; d--) item.shape.dims[d] = item.shape.dims[d - 1];
    item.shape.dims[at] = count;
    item.shape.rank++;
    return item;
}

ge_status gei_infer_loop(gei_infer *i) {
    gei_info *results;
    uint32_t n, body, n_carried = carried(i->node);
    GEI_TRY(body_index(i, &body));
    GEI_TRY(infer_body(i, body, &results, &n));
    GEI_TRY(check_outputs(i, n, i->n_out + 1));
    for (uint32_t k = 0; k < i->n_out; k++) {
        if (k >= n_carried) {
            i->out[k] = collected(results[k + 1], 0, GEI_DIM_UNKNOWN);
            continue;
        }
        i->out[k] = LOOP_VALUES + k < i->n_in ? changing(of_slot(i->in, LOOP_VALUES + k)) : nothing_known();
        GEI_TRY(gei_info_meet(i->node, &i->out[k], &results[k + 1], i->diag));
    }
    return GE_OK;
}

static gei_dim slices(const gei_infer *i) {
    for (uint32_t k = 0; k < scanned(i->node) && carried(i->node) + k < i->n_in; k++) {
        const gei_info *whole = i->in[carried(i->node) + k];
        int32_t axis;
        if (whole && whole->shape.rank > 0 && gei_axis(listed(i->node, "scan_input_axes", k), whole->shape.rank, &axis)) return whole->shape.dims[axis];
    }
    return GEI_DIM_UNKNOWN;
}

ge_status gei_infer_scan(gei_infer *i) {
    gei_info *results;
    uint32_t n, body, n_carried = carried(i->node);
    GEI_TRY(body_index(i, &body));
    GEI_TRY(infer_body(i, body, &results, &n));
    GEI_TRY(check_outputs(i, n, i->n_out));
    for (uint32_t k = 0; k < i->n_out; k++) {
        if (k >= n_carried) {
            i->out[k] = collected(results[k], listed(i->node, "scan_output_axes", k - n_carried), slices(i));
            continue;
        }
        i->out[k] = k < i->n_in ? changing(of_slot(i->in, k)) : nothing_known();
        GEI_TRY(gei_info_meet(i->node, &i->out[k], &results[k], i->diag));
    }
    return GE_OK;
}

ge_status gei_infer_map(gei_infer *i) {
    gei_info *results;
    uint32_t n, body;
    GEI_TRY(body_index(i, &body));
    GEI_TRY(infer_body(i, body, &results, &n));
    GEI_TRY(check_outputs(i, n, i->n_out));
    for (uint32_t k = 0; k < n; k++) {
        i->out[k].dtype = gei_dtype_sequence(results[k].dtype);
        i->out[k].shape = gei_shape_scalar();
        if (i->out[k].dtype == GEI_UNDEFINED)
            return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, NULL, "there are no sequences of %s", gei_dtype_name(results[k].dtype));
    }
    return GE_OK;
}

/* ---- what the bodies' Data nodes are told before passes run over them ---- */

/* A branch that refuses its shapes is told none: it is compiled for any, and says its reason should it ever be the one to run. */
static ge_status forget_refused(const gei_node *node, const gei_graph *body, gei_info *known, uint32_t n, gei_arena *arena, gei_diag *diag) {
    gei_control kind = gei_op_of(node)->control;
    if (node->n_subgraphs < 2 || (kind != GEI_CONTROL_IF && kind != GEI_CONTROL_CASE)) return GE_OK;
    ge_status st = gei_body_outputs(body, known, n, arena, NULL, 0, NULL);
    if (st == GE_ERR_OUT_OF_MEMORY) return gei_out_of_memory(diag, 0);
    for (uint32_t k = 0; k < n && is_refusal(st); k++) known[k].shape = gei_shape_unknown();
    return GE_OK;
}

ge_status gei_bodies_describe(gei_node *node, const gei_infos *infos, gei_arena *arena, gei_diag *diag) {
    const gei_op *op = gei_op_of(node);
    if (!op || op->control == GEI_CONTROL_NONE) return GE_OK;
    const gei_info **in = gei_arena_array(arena, const gei_info *, node->n_ins + 1);
    if (!in) return gei_out_of_memory(diag, 0);
    for (uint32_t k = 0; k < node->n_ins; k++)
        if (node->ins[k].from.node) in[k] = gei_infos_of(infos, node->ins[k].from);
    for (uint32_t b = 0; b < node->n_subgraphs; b++) {
        gei_graph *body = node->subgraphs[b].graph;
        gei_node **inputs;
        size_t n;
        GEI_TRY(gei_graph_inputs(body, arena, &inputs, &n, diag));
        gei_info *known = gei_arena_array(arena, gei_info, n + 1);
        if (!known) return gei_out_of_memory(diag, 0);
        GEI_TRY(gei_body_inputs(node, b, in, arena, known, (uint32_t)n, diag));
        GEI_TRY(forget_refused(node, body, known, (uint32_t)n, arena, diag));
        for (size_t k = 0; k < n; k++) {
            bool tells = known[k].dtype != GEI_UNDEFINED && !gei_dtype_fits(known[k].dtype, inputs[k]->outs[0].dtype);
            if (tells) inputs[k]->outs[0].dtype = known[k].dtype;
            GEI_TRY(gei_out_set_shape(gei_value_of(inputs[k], 0), &known[k].shape, diag));
        }
    }
    return GE_OK;
}
