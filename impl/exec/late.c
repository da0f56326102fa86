/* SPDX-License-Identifier: Apache-2.0 */
/* late: steps whose shapes are found during the run.
 *
 * A late step infers its outputs from the dims (and contents, where its rule needs them) of what it reads, sizes its kernel, takes
 * memory and runs.  What was found is kept: when dims and contents are those of the run before, it is only taken over. */
#include <string.h>

#include "exec/model.h"

#define MAX_KEPT_BYTES ((size_t)16 << 10) /* contents larger than this are not compared but inferred anew */

typedef struct gei_late {
    gei_arena arena;        /* of one finding: elements, sized data, kept contents; from the frame's tables */
    gei_infos keep;         /* tensors of one finding */
    const gei_info **in;    /* by slot */
    gei_info *in_infos, *out_infos;
    gei_tensor **contents;  /* by slot: what the rule reads, NULL: nothing */
    void **kept;            /* by slot: contents of the finding, NULL: not kept */
    bool *needs_value;      /* by slot */
    bool is_found;
    uint32_t n_parts;
    size_t part_scratch_bytes;
    void *sized;
} gei_late;

/* ---- life ---- */

static const gei_plan_node *plan_node(const gei_exec_step *s) { return &s->frame->instance->plan->nodes[s->step->node]; }

ge_status gei_late_init(gei_frame *f, gei_exec_step *s, gei_diag *diag) {
    const gei_plan_node *pn = plan_node(s);
    uint32_t n_in = pn->node->n_ins, n_out = pn->node->n_outs;
    gei_late *late = gei_arena_new(&f->arena, gei_late);
    if (!late) return gei_out_of_memory(diag, sizeof *late);
    late->in = gei_arena_array(&f->arena, const gei_info *, n_in);
    late->in_infos = gei_arena_array(&f->arena, gei_info, n_in);
    late->out_infos = gei_arena_array(&f->arena, gei_info, n_out);
    late->contents = gei_arena_array(&f->arena, gei_tensor *, n_in);
    late->kept = gei_arena_array(&f->arena, void *, n_in);
    late->needs_value = gei_arena_array(&f->arena, bool, n_in);
    if (!late->in || !late->in_infos || !late->out_infos || !late->contents || !late->kept || !late->needs_value)
        return gei_out_of_memory(diag, n_in * sizeof(gei_info));
    for (uint32_t k = 0; k < n_in; k++) {
        if (pn->in[k] == GEI_NO_VALUE) continue;
        uint32_t port = pn->node->ins[k].port;
        const gei_place *place = &f->instance->places[pn->in[k]];
        const gei_info *info = gei_instance_info(f->instance, pn->in[k]);
        /* What is read for its shape alone has no place. */
        const gei_tensor *constant = place->home == GEI_HOME_CONST ? place->tensor : f->instance->plan->constants[pn->in[k]];
        bool is_const = constant || info->tensor;
        late->needs_value[k] = !is_const && port < 64 && (pn->op->needs_value >> port & 1);
        late->in[k] = &late->in_infos[k];
        late->in_infos[k] = *info;
        if (constant) late->in_infos[k].tensor = constant;
        late->in_infos[k].elems = NULL;
    }
    gei_arena_init(&late->arena, &f->tables.as_allocator);
    late->keep.from = &f->tables.as_allocator;
    late->keep.arena = &late->arena;
    s->extra = late;
    return GE_OK;
}

static void forget(gei_late *late, uint32_t n_in) {
    for (uint32_t k = 0; k < n_in; k++) {
        gei_tensor_release(late->contents[k]);
        late->contents[k] = NULL;
        late->kept[k] = NULL;
    }
    gei_infos_release(&late->keep);
    gei_arena_deinit(&late->arena);
    late->is_found = false;
}

void gei_late_deinit(gei_exec_step *s) { forget(s->extra, s->run.n_in); }

/* ---- finding shapes ---- */

/* Nothing the finding depended on has changed. */
static bool is_as_before(const gei_late *late, const gei_run *run) {
    if (!late->is_found) return false;
    for (uint32_t k = 0; k < run->n_in; k++) {
        const gei_view *v = run->in[k];
        if (!v) continue;
        if (!gei_view_is_shape(v, late->in_infos[k].shape.rank, late->in_infos[k].shape.dims)) return false;
        if (!late->needs_value[k]) continue;
        size_t bytes = gei_view_bytes(v);
        if (!late->kept[k] || (bytes > 0 && memcmp(late->kept[k], v->data, bytes) != 0)) return false;
    }
    return true;
}

static ge_status read_contents(gei_late *late, const gei_view *v, uint32_t k, gei_diag *diag) {
    size_t bytes = gei_view_bytes(v);
    void *data = v->data;
    if (bytes <= MAX_KEPT_BYTES && gei_dtype_get(v->dtype)->bits != 0) {
        data = late->kept[k] = gei_arena_copy(&late->arena, v->data, bytes, GEI_ALIGN_BYTES);
        if (!data) return gei_out_of_memory(diag, bytes);
    }
    GEI_TRY(gei_tensor_wrap(late->keep.from, v->dtype, v->rank, v->dims, data, bytes, true, NULL, NULL, &late->contents[k], diag));
    late->in_infos[k].tensor = late->contents[k];
    return GE_OK;
}

/* What has no place keeps its planned info. */
static ge_status describe_inputs(const gei_exec_step *s, gei_late *late, gei_diag *diag) {
    for (uint32_t k = 0; k < s->run.n_in; k++) {
        const gei_view *v = s->run.in[k];
        if (!v || s->frame->instance->places[plan_node(s)->in[k]].home == GEI_HOME_NONE) continue;
        late->in_infos[k].dtype = v->dtype;
        late->in_infos[k].shape = gei_shape_of(v->rank, v->dims);
        if (late->needs_value[k]) GEI_TRY(read_contents(late, v, k, diag));
    }
    return GE_OK;
}

/* Outputs the plan knows have a place of their size already. */
static ge_status check_planned(const gei_exec_step *s, const gei_late *late, gei_diag *diag) {
    const gei_plan_node *pn = plan_node(s);
    for (uint32_t k = 0; k < s->run.n_out; k++) {
        uint32_t value = pn->first_out + k;
        gei_home home = s->frame->instance->places[value].home;
        if (home == GEI_HOME_LATE || home == GEI_HOME_NONE) continue;
        const gei_info *planned = gei_instance_info(s->frame->instance, value);
        if (gei_shape_fits(&planned->shape, &late->out_infos[k].shape) && planned->dtype == late->out_infos[k].dtype) continue;
        return gei_fail(diag, GE_ERR_SHAPE, "%s '%s': output %u has another shape than was planned", pn->node->def->name, pn->node->name, k);
    }
    return GE_OK;
}

static ge_status size_kernel(const gei_exec_step *s, gei_late *late, gei_diag *diag) {
    const gei_plan_node *pn = plan_node(s);
    gei_sizing z = { .node = pn->node, .in = late->in, .out = late->out_infos, .n_in = s->run.n_in, .n_out = s->run.n_out,
                     .prepared = pn->prepared, .arena = &late->arena, .n_parts = 1 };
    if (pn->kernel && pn->kernel->size) GEI_TRY(pn->kernel->size(&z, diag));
    size_t each = gei_round_up(z.part_scratch_bytes, GEI_ALIGN_BYTES), all;
    if (each < z.part_scratch_bytes || !gei_mul(each, z.n_parts, &all)) return gei_out_of_memory(diag, z.part_scratch_bytes);
    late->sized = z.sized;
    late->n_parts = z.n_parts ? z.n_parts : 1;
    late->part_scratch_bytes = each;
    return GE_OK;
}

static ge_status find_shapes(const gei_exec_step *s, gei_late *late, gei_diag *diag) {
    forget(late, s->run.n_in);
    GEI_TRY(describe_inputs(s, late, diag));
    GEI_TRY(gei_infer_node(s->run.node, late->in, late->out_infos, &late->keep, diag));
    GEI_TRY(check_planned(s, late, diag));
    GEI_TRY(size_kernel(s, late, diag));
    late->is_found = true;
    return GE_OK;
}

static ge_status find(const gei_exec_step *s, gei_late *late, gei_diag *diag) {
    if (is_as_before(late, &s->run)) return GE_OK;
    ge_status st = find_shapes(s, late, diag);
    if (st != GE_OK) forget(late, s->run.n_in);
    return st;
}

/* ---- memory ---- */

ge_status gei_late_alloc(gei_frame *f, gei_view *v, size_t bytes, gei_diag *diag) {
    v->data = gei_alloc(&f->late.as_allocator, bytes, GEI_ALIGN_BYTES);
    return v->data ? GE_OK : gei_out_of_memory(diag, bytes);
}

void gei_late_free_dead(gei_frame *f, const gei_step *step) {
    for (uint32_t i = 0; i < step->n_dead; i++) {
        gei_view *v = &f->views[f->instance->late_dead[step->first_dead + i]];
        gei_free(&f->late.as_allocator, v->data, gei_view_bytes(v), GEI_ALIGN_BYTES);
        v->data = NULL;
    }
}

static void set_dims(gei_view *v, const gei_info *info) {
    v->dtype = info->dtype;
    v->rank = info->shape.rank;
    if (v->rank > 0) memcpy(v->dims, info->shape.dims, (size_t)v->rank * sizeof *v->dims);
    if (!gei_shape_elems(&info->shape, &v->n_elems)) v->n_elems = 0;
}

/* Late outputs whose size is known by now get memory; the kernel makes the others. */
static ge_status prepare_outputs(const gei_exec_step *s, const gei_late *late, gei_diag *diag) {
    const gei_plan_node *pn = plan_node(s);
    for (uint32_t k = 0; k < s->run.n_out; k++) {
        gei_view *v = s->run.out[k];
        size_t bytes;
        if (s->frame->instance->places[pn->first_out + k].home != GEI_HOME_LATE) continue;
        set_dims(v, &late->out_infos[k]);
        v->data = NULL;
        if (!gei_shape_known(&late->out_infos[k].shape) || gei_dtype_get(v->dtype)->bits == 0) continue;
        if (!gei_dtype_bytes(v->dtype, (uint64_t)v->n_elems, &bytes)) return gei_out_of_memory(diag, SIZE_MAX);
        GEI_TRY(gei_late_alloc(s->frame, v, bytes, diag));
    }
    return GE_OK;
}

static ge_status check_made(const gei_run *run, gei_diag *diag) {
    for (uint32_t k = 0; k < run->n_out; k++)
        if (!run->out[k]->data && gei_view_bytes(run->out[k]) > 0)
            return gei_fail(diag, GE_ERR_INTERNAL, "%s '%s': its kernel made no output %u", run->node->def->name, run->node->name, k);
    return GE_OK;
}

/* ---- running ---- */

ge_status gei_late_kernel(const gei_run *run, uint32_t part) {
    gei_exec_step *s = gei_step_of(run);
    gei_late *late = s->extra;
    gei_frame *f = s->frame;
    (void)part; /* the one of this step; the kernel's are found here */
    GEI_TRY(find(s, late, run->diag));
    GEI_TRY(prepare_outputs(s, late, run->diag));
    gei_run kernel = *run;
    size_t scratch_bytes = late->part_scratch_bytes * gei_seats(late->n_parts, f->context->max_threads);
    kernel.sized = late->sized;
    kernel.n_parts = late->n_parts;
    kernel.seat_scratch_bytes = late->part_scratch_bytes;
    kernel.scratch = scratch_bytes ? gei_alloc(&f->late.as_allocator, scratch_bytes, GEI_ALIGN_BYTES) : NULL;
    if (scratch_bytes && !kernel.scratch) return gei_out_of_memory(run->diag, scratch_bytes);
    ge_status st = gei_run_parts(&kernel, plan_node(s)->kernel->run, f->context);
    gei_free(&f->late.as_allocator, kernel.scratch, scratch_bytes, GEI_ALIGN_BYTES);
    if (st == GE_OK) st = check_made(run, run->diag);
    gei_late_free_dead(f, s->step);
    return st;
}

ge_status gei_late_view(const gei_run *run, uint32_t part) {
    gei_exec_step *s = gei_step_of(run);
    gei_late *late = s->extra;
    (void)part;
    GEI_TRY(find(s, late, run->diag));
    const gei_view *from = run->in[0];
    gei_view *to = run->out[0];
    set_dims(to, &late->out_infos[0]);
    to->data = from->data;
    bool fits = gei_shape_known(&late->out_infos[0].shape) && gei_view_bytes(to) == gei_view_bytes(from);
    if (!fits)
        return gei_fail(run->diag, GE_ERR_SHAPE, "%s '%s': its shape is not known or does not fit its input", run->node->def->name,
                        run->node->name);
    gei_late_free_dead(s->frame, s->step);
    return GE_OK;
}
