/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules over a graph, and what is known of the contents of small tensors. */
#include <string.h>

#include "ir/builtin.h"
#include "ops/eval_inner.h"

/* Shape arithmetic goes through floats too (Cast, Mul by a scale, Floor, Cast back), on a few numbers at a time. */
#define MAX_FLOAT_ELEMS 64
/* Work that a fold may do while shapes are inferred; larger ones are left to the folding pass. */
#define MAX_FOLD_INPUT_ELEMS (INT64_C(1) << 18)

/* ---- contents ---- */

static bool is_small(const gei_info *info) {
    int64_t n;
    const gei_dtype_info *dtype = gei_dtype_get(info->dtype);
    if (!dtype || !gei_shape_elems(&info->shape, &n)) return false;
    switch (dtype->kind) {
    case GEI_KIND_INT: case GEI_KIND_UINT: case GEI_KIND_BOOL: return n <= GEI_MAX_ELEMS;
    case GEI_KIND_FLOAT: return n <= MAX_FLOAT_ELEMS;
    default: return false;
    }
}

static ge_status keep_tensor(gei_infos *keep, gei_tensor *tensor, gei_info *out, gei_diag *diag) {
    if (!gei_vec_push(keep->from, &keep->tensors, tensor)) {
        gei_tensor_release(tensor);
        return gei_out_of_memory(diag, 0);
    }
    out->tensor = tensor;
    return GE_OK;
}

/* Only "out of memory" stops an inference: an operator that fails on these numbers may stand in a branch that never runs. */
static ge_status only_memory(ge_status status, gei_diag *diag) {
    return status == GE_ERR_OUT_OF_MEMORY ? gei_out_of_memory(diag, 0) : GE_OK;
}

static bool can_fold(const gei_infer *i, const gei_op *op) {
    int64_t work = 0;
    if (!gei_op_has(op, GEI_OP_PURE) || !op->kernels || op->control != GEI_CONTROL_NONE) return false;
    for (uint32_t k = 0; k < i->n_out; k++)
        if (!is_small(&i->out[k])) return false;
    for (uint32_t k = 0; k < i->n_in; k++) {
        if (!i->in[k]) continue;
        if (!i->in[k]->tensor) return false;
        int64_t n = i->in[k]->tensor->n_elems;
        if (!gei_op_has(op, GEI_OP_MOVES)) work += n < MAX_FOLD_INPUT_ELEMS ? n : MAX_FOLD_INPUT_ELEMS + 1;
    }
    return work <= MAX_FOLD_INPUT_ELEMS;
}

static ge_status fold(gei_infer *i, const gei_op *op, gei_infos *keep) {
    gei_tensor **in = gei_arena_array(i->arena, gei_tensor *, i->n_in + 1);
    gei_tensor **out = gei_arena_array(i->arena, gei_tensor *, i->n_out + 1);
    if (!in || !out) return gei_out_of_memory(i->diag, 0);
    for (uint32_t k = 0; k < i->n_in; k++) in[k] = i->in[k] ? (gei_tensor *)(uintptr_t)i->in[k]->tensor : NULL; /* only read */
    gei_eval_call call = { i->node, op, NULL, in, i->in, i->out, keep->from, 0 };
    ge_status status = gei_eval_call_run(&call, out, NULL);
    if (status != GE_OK) return only_memory(status, i->diag);
    for (uint32_t k = 0; k < i->n_out; k++) {
        ge_status kept = keep_tensor(keep, out[k], &i->out[k], i->diag);
        if (status == GE_OK) status = kept;
    }
    return status;
}

/* ---- partly known contents, moved ---- */

#define TOKEN_INDEX_BITS 32

static bool is_moved(const gei_infer *i, const gei_op *op, uint32_t slot) { return op->moved >> i->node->ins[slot].port & 1; }

/* Something is known of a moved input; every input that says where things go is known; shapes are known and small. */
static bool can_move(const gei_infer *i, const gei_op *op) {
    bool something = false;
    size_t count;
    if (!gei_op_has(op, GEI_OP_MOVES) || i->n_out != 1 || !gei_info_elem_count(&i->out[0], &count)) return false;
    for (uint32_t k = 0; k < i->n_in; k++) {
        int64_t n;
        if (!i->in[k]) continue;
        if (!is_moved(i, op, k)) {
            if (!i->in[k]->tensor) return false;
        } else {
            if (!gei_shape_elems(&i->in[k]->shape, &n) || n > MAX_FOLD_INPUT_ELEMS) return false;
            something = something || (gei_info_elem_count(i->in[k], &count) && (i->in[k]->tensor || i->in[k]->elems));
        }
    }
    return something;
}

static ge_status make_tokens(const gei_info *info, uint32_t slot, const gei_allocator *from, gei_tensor **out) {
    GEI_TRY(gei_tensor_create(from, GEI_INT64, info->shape.rank, info->shape.dims, out, NULL));
    int64_t *tokens = (int64_t *)(*out)->data;
    for (int64_t n = 0; n < (*out)->n_elems; n++) tokens[n] = (int64_t)slot << TOKEN_INDEX_BITS | n;
    return GE_OK;
}

static gei_elem elem_of_token(const gei_infer *i, int64_t token) {
    const gei_info *info = i->in[token >> TOKEN_INDEX_BITS];
    size_t count, index = (size_t)(token & ((INT64_C(1) << TOKEN_INDEX_BITS) - 1));
    if (!gei_info_elem_count(info, &count) || index >= count) return (gei_elem){ .symbol = -1 };
    return gei_info_elem(info, index);
}

/* Runs the kernel over int64 tokens that say where each element came from. */
static ge_status run_tokens(gei_infer *i, const gei_op *op, gei_tensor **in, const gei_allocator *from, gei_tensor **out) {
    gei_info *infos = gei_arena_array(i->arena, gei_info, i->n_in + 1);
    const gei_info **pointers = gei_arena_array(i->arena, const gei_info *, i->n_in + 1);
    if (!infos || !pointers) return GE_ERR_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < i->n_in; k++) {
        if (!i->in[k]) continue;
        infos[k] = *i->in[k];
        pointers[k] = &infos[k];
        if (is_moved(i, op, k)) {
            GEI_TRY(make_tokens(&infos[k], k, from, &in[k]));
            infos[k].dtype = GEI_INT64;
            infos[k].elems = NULL;
            infos[k].tensor = in[k];
        } else {
            in[k] = gei_tensor_retain((gei_tensor *)(uintptr_t)infos[k].tensor);
        }
    }
    gei_info out_info = i->out[0];
    out_info.dtype = GEI_INT64;
    gei_eval_call call = { i->node, op, NULL, in, pointers, &out_info, from, 0 };
    return gei_eval_call_run(&call, out, NULL);
}

static ge_status move_elems(gei_infer *i, const gei_op *op, const gei_allocator *from) {
    gei_tensor **in = gei_arena_array(i->arena, gei_tensor *, i->n_in + 1);
    gei_tensor *moved = NULL;
    if (!in) return gei_out_of_memory(i->diag, 0);
    ge_status status = run_tokens(i, op, in, from, &moved);
    for (uint32_t k = 0; k < i->n_in; k++) gei_tensor_release(in[k]);
    if (status != GE_OK) return only_memory(status, i->diag);
    gei_elem *elems = gei_infer_new_elems(i, 0, (size_t)moved->n_elems);
    for (int64_t n = 0; elems && n < moved->n_elems; n++) elems[n] = elem_of_token(i, ((const int64_t *)moved->data)[n]);
    gei_tensor_release(moved);
    return elems ? GE_OK : gei_out_of_memory(i->diag, 0);
}

/* ---- elems <-> tensor ---- */

static void store_int(gei_tensor *t, int64_t index, int64_t value) {
    size_t bytes = gei_dtype_get(t->dtype)->bits / 8;
    memcpy((char *)t->data + (size_t)index * bytes, &value, bytes); /* little-endian machine */
}

/* Elements that are all numbers become a tensor, so that what follows can be folded. */
static ge_status elems_to_tensor(gei_infer *i, uint32_t out, gei_infos *keep) {
    gei_info *info = &i->out[out];
    gei_tensor *tensor;
    size_t count;
    if (info->tensor || !info->elems || !gei_info_elem_count(info, &count) || gei_dtype_get(info->dtype)->bits % 8 != 0) return GE_OK;
    for (size_t k = 0; k < count; k++)
        if (!info->elems[k].known) return GE_OK;
    GEI_TRY(gei_tensor_create(keep->from, info->dtype, info->shape.rank, info->shape.dims, &tensor, i->diag));
    for (size_t k = 0; k < count; k++) store_int(tensor, (int64_t)k, info->elems[k].number);
    return keep_tensor(keep, tensor, info, i->diag);
}

static void pass_elems(gei_infer *i) {
    size_t n_in, n_out;
    if (i->out[0].elems || !i->in[0] || !i->in[0]->elems) return;
    if (!gei_info_elem_count(i->in[0], &n_in) || !gei_info_elem_count(&i->out[0], &n_out) || n_in != n_out) return;
    i->out[0].elems = i->in[0]->elems;
    i->out[0].n_elems = (uint32_t)n_out;
}

static bool all_known(const gei_infer *i) {
    for (uint32_t k = 0; k < i->n_out; k++)
        if (!i->out[k].tensor) return false;
    return true;
}

static ge_status propagate(gei_infer *i, const gei_op *op, gei_infos *keep) {
    if (i->n_out == 0 || all_known(i)) return GE_OK;
    if (gei_op_has(op, GEI_OP_IDENTITY) && i->in[0]->tensor) { /* of any size: nothing is copied */
        i->out[0].tensor = i->in[0]->tensor;
        return GE_OK;
    }
    if (can_fold(i, op)) GEI_TRY(fold(i, op, keep));
    if (all_known(i)) return GE_OK;
    if (op->elems) GEI_TRY(op->elems(i));
    if (i->n_in > 0 && (gei_op_has(op, GEI_OP_VIEW) || gei_op_has(op, GEI_OP_IDENTITY))) pass_elems(i);
    else if (!i->out[0].elems && can_move(i, op)) GEI_TRY(move_elems(i, op, keep->from));
    for (uint32_t k = 0; k < i->n_out; k++) GEI_TRY(elems_to_tensor(i, k, keep));
    return GE_OK;
}

/* ---- one node ---- */

static ge_status check_inputs(const gei_infer *i, const gei_op *op) {
    bool takes_bundles = gei_op_has(op, GEI_OP_TAKES_BUNDLES) || op->control != GEI_CONTROL_NONE;
    for (uint32_t k = 0; k < i->n_in; k++) {
        if (i->in[k] && gei_dtype_is_bundle(i->in[k]->dtype) && !takes_bundles)
            return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, k), "it is %s, wanted a tensor", gei_dtype_name(i->in[k]->dtype));
        const gei_port_def *port = &i->node->def->inputs[i->node->ins[k].port];
        if (!i->in[k] && port->kind != GEI_PORT_OPTIONAL)
            return gei_infer_fail(i, GE_ERR_BAD_GRAPH, port->name, "the input is not connected");
    }
    return GE_OK;
}

ge_status gei_infer_rule(const gei_node *node, const gei_op *op, const gei_info *const *in, gei_info *out, gei_arena *arena,
                         gei_infos *keep, gei_diag *diag) {
    gei_infer i = { node, in, out, node->n_ins, node->n_outs, arena, keep, diag };
    for (uint32_t k = 0; k < node->n_outs; k++)
        out[k] = (gei_info){ .dtype = GEI_UNDEFINED, .format = node->outs[k].format, .shape = gei_shape_unknown() };
    if (!op || !(op->traits & (GEI_OP_INPUT | GEI_OP_VARIABLE))) GEI_TRY(check_inputs(&i, op));
    return op->infer ? op->infer(&i) : GE_OK;
}

static void keep_declared(const gei_node *node, gei_info *out) {
    for (uint32_t k = 0; k < node->n_outs; k++)
        out[k] = (gei_info){ .dtype = node->outs[k].dtype, .format = node->outs[k].format, .shape = gei_out_shape(&node->outs[k]) };
}

ge_status gei_infer_node(const gei_node *node, const gei_info *const *in, gei_info *out, gei_infos *keep, gei_diag *diag) {
    const gei_op *op = gei_op_of(node);
    if (!op) {
        keep_declared(node, out);
        return GE_OK;
    }
    GEI_TRY(gei_infer_rule(node, op, in, out, keep->arena, keep, diag));
    gei_infer i = { node, in, out, node->n_ins, node->n_outs, keep->arena, keep, diag };
    return propagate(&i, op, keep);
}

/* ---- a graph ---- */

typedef struct inputs {
    const gei_info *infos;
    size_t count;
} inputs;

/* The caller's info of a Data node, which must fit what the node declares. */
static ge_status take_input(const gei_node *node, const inputs *given, gei_info *out, bool *out_taken, gei_diag *diag) {
    int64_t index = gei_node_int(node, "index", 0);
    *out_taken = given->infos && index >= 0 && (uint64_t)index < given->count;
    if (!*out_taken) return GE_OK;
    gei_shape declared = gei_out_shape(&node->outs[0]);
    *out = given->infos[index];
    if (out->dtype == GEI_UNDEFINED || gei_dtype_fits(out->dtype, node->outs[0].dtype)) out->dtype = node->outs[0].dtype;
    gei_words found, wanted;
    if (!gei_shape_fits(&declared, &out->shape)) {
        gei_diag_node(diag, node->name);
        return gei_fail(diag, declared.rank != out->shape.rank ? GE_ERR_RANK : GE_ERR_SHAPE, "input '%s': shape %s does not fit %s", node->name,
                        gei_shape_words(&out->shape, &found), gei_shape_words(&declared, &wanted));
    }
    return GE_OK;
}

static ge_status infer_one(const gei_node *node, const inputs *given, const gei_info **in, gei_infos *infos, gei_diag *diag) {
    gei_info *out = gei_arena_array(infos->arena, gei_info, node->n_outs ? node->n_outs : 1);
    bool taken = false;
    if (!out) return gei_out_of_memory(diag, 0);
    infos->by_node[node->index] = out;
    if (gei_node_is_input(node)) GEI_TRY(take_input(node, given, out, &taken, diag));
    if (taken) return GE_OK;
    for (uint32_t k = 0; k < node->n_ins; k++) {
        gei_value from = node->ins[k].from;
        in[k] = from.node ? gei_infos_of(infos, from) : NULL;
    }
    return gei_infer_node(node, in, out, infos, diag);
}

ge_status gei_infer_graph(gei_node *const *order, size_t count, size_t n_nodes, const gei_info *given, size_t n_given,
                          gei_arena *arena, const gei_allocator *from, gei_infos *out, gei_diag *diag) {
    uint32_t most_ins = 0;
    for (size_t k = 0; k < count; k++)
        if (order[k]->n_ins > most_ins) most_ins = order[k]->n_ins;
    *out = (gei_infos){ .n_nodes = n_nodes, .arena = arena, .from = from };
    out->by_node = gei_arena_array(arena, gei_info *, n_nodes + 1);
    const gei_info **in = gei_arena_array(arena, const gei_info *, (size_t)most_ins + 1);
    if (!out->by_node || !in) return gei_out_of_memory(diag, 0);
    inputs all = { given, n_given };
    for (size_t k = 0; k < count; k++) {
        ge_status status = infer_one(order[k], &all, in, out, diag);
        if (status == GE_OK) continue;
        gei_infos_release(out);
        return status;
    }
    return GE_OK;
}

void gei_infos_release(gei_infos *infos) {
    for (size_t k = 0; k < infos->tensors.count; k++) gei_tensor_release(infos->tensors.items[k]);
    gei_vec_free(infos->from, &infos->tensors);
}

ge_status gei_infos_store(const gei_infos *infos, gei_node *const *order, size_t count, gei_diag *diag) {
    for (size_t n = 0; n < count; n++) {
        for (uint32_t k = 0; k < order[n]->n_outs; k++) {
            gei_out *out = &order[n]->outs[k];
            const gei_info *info = &infos->by_node[order[n]->index][k];
            gei_shape have = gei_out_shape(out);
            out->dtype = info->dtype;
            bool equal = have.rank == info->shape.rank &&
                         (have.rank <= 0 || memcmp(have.dims, info->shape.dims, (size_t)have.rank * sizeof *have.dims) == 0);
            if (!equal) GEI_TRY(gei_out_set_shape(gei_value_of(order[n], k), &info->shape, diag));
        }
    }
    return GE_OK;
}

/* ---- facts ---- */

void gei_facts_init(gei_facts *facts, const gei_allocator *from) {
    *facts = (gei_facts){ .infos.from = from };
    gei_arena_init(&facts->order_arena, from);
    gei_arena_init(&facts->infos_arena, from);
}

void gei_facts_move(gei_facts *to, gei_facts *from) {
    *to = *from;
    to->infos.arena = &to->infos_arena;
    gei_facts_init(from, to->infos.from);
}

ge_status gei_facts_find(gei_facts *facts, const gei_graph *g, gei_diag *diag) {
    GEI_TRY(gei_graph_order(g, &facts->order_arena, &facts->order, &facts->n_order, diag));
    return gei_infer_graph(facts->order, facts->n_order, g->nodes.count, NULL, 0, &facts->infos_arena, facts->infos.from, &facts->infos,
                           diag);
}

void gei_facts_drop_infos(gei_facts *facts) {
    gei_infos_release(&facts->infos);
    gei_arena_reset(&facts->infos_arena);
    facts->infos = (gei_infos){ .from = facts->infos.from };
}

void gei_facts_release(gei_facts *facts) {
    gei_facts_drop_infos(facts);
    gei_arena_deinit(&facts->infos_arena);
    gei_arena_deinit(&facts->order_arena);
    facts->order = NULL;
    facts->n_order = 0;
}
