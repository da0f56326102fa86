/* SPDX-License-Identifier: Apache-2.0 */
/* One operator on given tensors: what a plan does for a whole graph, for a single node and at once. */
#include <string.h>

#include "ops/eval_inner.h"

typedef struct eval {
    const gei_eval_call *call;
    gei_arena arena;       /* everything of this call but tensors */
    gei_view *views;       /* inputs, then outputs */
    const gei_view **in;
    gei_view **out;
    void *prepared, *sized;
    gei_sizing sizing;
    void *scratch;         /* of one part: they run one after the other */
    size_t scratch_bytes;
} eval;

static size_t view_bytes(const gei_view *v) { return gei_data_bytes(v->dtype, v->n_elems, v->data); }

static void view_of(const gei_tensor *t, int32_t dtype, gei_view *v) {
    *v = (gei_view){ .data = t->data, .n_elems = t->n_elems, .dtype = dtype, .rank = t->rank };
    memcpy(v->dims, t->dims, sizeof v->dims);
}

/* What a planner's in-place decision does. */
static ge_status share_bytes(eval *e, gei_tensor **out, gei_diag *diag) {
    uint32_t slot = e->call->in_place - 1;
    if (e->call->in_place == 0) return GE_OK;
    const gei_tensor *in = e->call->in[slot];
    if (in->size_bytes != out[0]->size_bytes) return gei_fail(diag, GE_ERR_WRONG_STATE, "sizes differ");
    if (in->size_bytes > 0) memcpy(out[0]->data, in->data, in->size_bytes);
    e->views[slot].data = out[0]->data;
    return GE_OK;
}

/* Views of the inputs; output tensors where the shape is known. */
static ge_status bind(eval *e, gei_tensor **out, gei_diag *diag) {
    const gei_eval_call *c = e->call;
    uint32_t n_in = c->node->n_ins, n_out = c->node->n_outs;
    e->views = gei_arena_array(&e->arena, gei_view, n_in + n_out);
    e->in = gei_arena_array(&e->arena, const gei_view *, n_in + 1);
    e->out = gei_arena_array(&e->arena, gei_view *, n_out + 1);
    if (!e->views || !e->in || !e->out) return gei_out_of_memory(diag, 0);
    for (uint32_t k = 0; k < n_in; k++) {
        if (!c->in[k]) continue;
        view_of(c->in[k], c->in[k]->dtype, &e->views[k]);
        e->in[k] = &e->views[k];
    }
    for (uint32_t k = 0; k < n_out; k++) {
        const gei_info *info = &c->out_infos[k];
        gei_view *v = e->out[k] = &e->views[n_in + k];
        v->dtype = info->dtype;
        if (!gei_shape_known(&info->shape)) continue; /* the kernel finds it */
        v->rank = info->shape.rank;
        memcpy(v->dims, info->shape.dims, sizeof v->dims);
        if (!gei_shape_elems(&info->shape, &v->n_elems)) return gei_fail(diag, GE_ERR_SIZE, "the element count does not fit 64 bits");
        if (info->dtype == GEI_STRING || gei_dtype_is_bundle(info->dtype)) continue; /* the kernel finds the bytes */
        GEI_TRY(gei_tensor_create(c->from, info->dtype, info->shape.rank, info->shape.dims, &out[k], diag));
        view_of(out[k], info->dtype, v);
    }
    return share_bytes(e, out, diag);
}

static ge_status prepare(eval *e, const gei_kernel *kernel, gei_diag *diag) {
    const gei_eval_call *c = e->call;
    gei_choice choice = { c->node, c->in_infos, c->out_infos, c->node->n_ins, c->node->n_outs, gei_isa() };
    gei_reason why = { "" };
    if (kernel->accepts && !kernel->accepts(&choice, &why))
        return gei_fail(diag, GE_ERR_NO_KERNEL, "%s '%s': kernel %s: %s", c->node->def->name, c->node->name, kernel->name, why.text);
    if (kernel->prepare) {
        gei_prepare p = { .choice = &choice, .arena = &e->arena, .from = c->from };
        GEI_TRY(kernel->prepare(&p, diag));
        e->prepared = p.prepared;
    }
    e->sizing = (gei_sizing){ .node = c->node, .in = c->in_infos, .out = c->out_infos, .n_in = c->node->n_ins,
                              .n_out = c->node->n_outs, .prepared = e->prepared, .arena = &e->arena, .n_parts = 1 };
    if (kernel->size) GEI_TRY(kernel->size(&e->sizing, diag));
    e->sized = e->sizing.sized;
    return GE_OK;
}

static ge_status get_scratch(eval *e, gei_diag *diag) {
    e->scratch_bytes = e->sizing.part_scratch_bytes;
    if (e->scratch_bytes == 0) return GE_OK;
    e->scratch = gei_alloc(e->call->from, e->scratch_bytes, GEI_ALIGN_BYTES);
    return e->scratch ? GE_OK : gei_out_of_memory(diag, e->scratch_bytes);
}

static ge_status run_parts(eval *e, const gei_kernel *kernel, gei_diag *diag) {
    const gei_eval_call *c = e->call;
    gei_run run = { .in = e->in, .out = e->out, .prepared = e->prepared, .sized = e->sized, .scratch = e->scratch,
                    .n_in = c->node->n_ins, .n_out = c->node->n_outs,
                    .n_parts = e->sizing.n_parts, .node = c->node, .heap = c->from, .diag = diag };
    for (uint32_t part = 0; part < run.n_parts; part++) {
        ge_status status = kernel->run(&run, part);
        if (status == GE_OK) continue;
        if (part > 0) { /* only part 0 has words for it */
            run.diag = NULL;
            (void)gei_fail(diag, status, "%s '%s': part %u of %u failed", c->node->def->name, c->node->name, part, run.n_parts);
        }
        gei_diag_node(diag, c->node->name);
        return status;
    }
    return GE_OK;
}

typedef struct owned_bytes {
    const gei_allocator *from;
    void *data;
    size_t size_bytes;
} owned_bytes;

static void free_owned(void *user) {
    owned_bytes *o = (owned_bytes *)user;
    gei_free(o->from, o->data, o->size_bytes, GEI_ALIGN_BYTES);
    gei_free(o->from, o, sizeof *o, _Alignof(owned_bytes));
}

/* Tensors over outputs that the kernel allocated; takes the memory. */
static ge_status adopt_outputs(eval *e, gei_tensor **out, gei_diag *diag) {
    const gei_allocator *from = e->call->from;
    for (uint32_t k = 0; k < e->call->node->n_outs; k++) {
        gei_view *v = e->out[k];
        if (out[k]) continue;
        if (!v->data)
            return gei_fail(diag, GE_ERR_INTERNAL, "%s '%s': output %u was not made", e->call->node->def->name,
                            e->call->node->name, k);
        owned_bytes *o = (owned_bytes *)gei_alloc(from, sizeof *o, _Alignof(owned_bytes));
        if (!o) return gei_out_of_memory(diag, sizeof *o);
        *o = (owned_bytes){ from, v->data, view_bytes(v) };
        ge_status status = gei_tensor_wrap(from, v->dtype, v->rank, v->dims, v->data, o->size_bytes, false, free_owned, o, &out[k], diag);
        if (status != GE_OK) {
            gei_free(from, o, sizeof *o, _Alignof(owned_bytes));
            return status;
        }
        v->data = NULL;
    }
    return GE_OK;
}

static void release_call(eval *e, const gei_kernel *kernel, gei_tensor **out, ge_status status) {
    const gei_allocator *from = e->call->from;
    for (uint32_t k = 0; e->out && k < e->call->node->n_outs; k++) {
        if (e->out[k] && e->out[k]->data && !out[k]) gei_free(from, e->out[k]->data, view_bytes(e->out[k]), GEI_ALIGN_BYTES);
        if (status == GE_OK) continue;
        gei_tensor_release(out[k]);
        out[k] = NULL;
    }
    gei_free(from, e->scratch, e->scratch_bytes, GEI_ALIGN_BYTES);
    if (kernel->destroy && e->prepared) kernel->destroy(e->prepared);
    gei_arena_deinit(&e->arena);
}

static const gei_kernel *reference(const gei_op *op) {
    const gei_kernel *last = NULL;
    for (const gei_kernel *k = op->kernels; k && k->name; k++) last = k;
    return last;
}

ge_status gei_eval_call_run(const gei_eval_call *c, gei_tensor **out, gei_diag *diag) {
    const gei_kernel *kernel = c->kernel ? c->kernel : reference(c->op);
    for (uint32_t k = 0; k < c->node->n_outs; k++) out[k] = NULL;
    if (!kernel) return gei_fail(diag, GE_ERR_NO_KERNEL, "%s '%s': the operator has no kernel", c->node->def->name, c->node->name);
    eval e = { .call = c };
    gei_arena_init(&e.arena, c->from);
    ge_status status = bind(&e, out, diag);
    if (status == GE_OK) status = prepare(&e, kernel, diag);
    if (status == GE_OK) status = get_scratch(&e, diag);
    if (status == GE_OK) status = run_parts(&e, kernel, diag);
    if (status == GE_OK) status = adopt_outputs(&e, out, diag);
    release_call(&e, kernel, out, status);
    return status;
}

static ge_status eval_node(const gei_node *node, const gei_op *op, gei_tensor *const *in, gei_tensor **out, const gei_kernel *kernel,
                           const gei_allocator *from, gei_arena *arena, gei_diag *diag) {
    gei_info *infos = gei_arena_array(arena, gei_info, node->n_ins + node->n_outs + 1);
    const gei_info **pointers = gei_arena_array(arena, const gei_info *, node->n_ins + 1);
    if (!infos || !pointers) return gei_out_of_memory(diag, 0);
    for (uint32_t k = 0; k < node->n_ins; k++) {
        if (!in[k]) continue;
        infos[k] = (gei_info){ .dtype = in[k]->dtype, .format = in[k]->format, .shape = gei_tensor_shape(in[k]), .tensor = in[k] };
        pointers[k] = &infos[k];
    }
    gei_info *out_infos = infos + node->n_ins;
    GEI_TRY(gei_infer_rule(node, op, pointers, out_infos, arena, NULL, diag));
    if (gei_op_has(op, GEI_OP_CONST)) {
        out[0] = gei_tensor_retain(gei_node_const(node));
        return GE_OK;
    }
    gei_eval_call call = { node, op, kernel, in, pointers, out_infos, from, 0 };
    return gei_eval_call_run(&call, out, diag);
}

ge_status gei_eval_node(const gei_node *node, gei_tensor *const *in, gei_tensor **out, const gei_kernel *kernel,
                        const gei_allocator *from, gei_diag *diag) {
    const gei_op *op = gei_op_of(node);
    gei_arena arena;
    for (uint32_t k = 0; k < node->n_outs; k++) out[k] = NULL;
    if (!op) return gei_fail(diag, GE_ERR_NO_KERNEL, "%s '%s': the operator is not implemented", node->def->name, node->name);
    gei_arena_init(&arena, from);
    ge_status status = eval_node(node, op, in, out, kernel, from, &arena, diag);
    gei_arena_deinit(&arena);
    return status;
}
