/* SPDX-License-Identifier: Apache-2.0 */
/* late_ops: operators made by hand whose shapes depend on data.
 *   Positive(x f32[n]) -> i64[?]           where x > 0; the kernel finds the size
 *   Pick(x f32[n], index i64[k]) -> f32[k]
 *   Repeat(x f32[n], times i64[1]) -> f32[times * n]      the rule reads the contents of times
 *   Total(x f32[n]) -> f32[1]              known again */
#ifndef GE_LATE_OPS_H
#define GE_LATE_OPS_H

#define EXEC_FIND late_find
#include "unit/exec/exec_test.h"

static ge_status positive_infer(gei_infer *i) {
    i->out[0].dtype = GEI_INT64;
    i->out[0].shape = gei_shape_of(1, (gei_dim[]){ GEI_DIM_UNKNOWN });
    return GE_OK;
}
static ge_status positive_run(const gei_run *run, uint32_t part) {
    const float *x = run->in[0]->data;
    int64_t n = 0;
    void *data;
    (void)part;
    for (int64_t i = 0; i < run->in[0]->n_elems; i++) n += x[i] > 0;
    GEI_TRY(gei_run_set_output(run, 0, 1, &n, (size_t)n * sizeof(int64_t), &data));
    for (int64_t i = 0, k = 0; i < run->in[0]->n_elems; i++)
        if (x[i] > 0) ((int64_t *)data)[k++] = i;
    return GE_OK;
}
static const gei_kernel positive_kernels[] = { { .name = "ref", .run = positive_run }, { 0 } };
static const gei_op positive_row = { .name = "Positive", .infer = positive_infer, .kernels = positive_kernels, .traits = GEI_OP_PURE };

static ge_status pick_infer(gei_infer *i) {
    i->out[0].dtype = i->in[0]->dtype;
    i->out[0].shape = i->in[1]->shape;
    return GE_OK;
}
static ge_status pick_size(gei_sizing *s, gei_diag *diag) {
    (void)diag;
    s->n_parts = gei_parts(s->in[1]->shape.dims[0], 4);
    s->part_scratch_bytes = 8;
    return GE_OK;
}
static ge_status pick_run(const gei_run *run, uint32_t part) {
    const int64_t *index = run->in[1]->data;
    int64_t begin, end;
    gei_part_range(run->in[1]->n_elems, run->n_parts, part, &begin, &end);
    *(int64_t *)run->scratch = part;
    for (int64_t i = begin; i < end; i++) {
        if (index[i] < 0 || index[i] >= run->in[0]->n_elems)
            return gei_fail(part == 0 ? run->diag : NULL, GE_ERR_OUT_OF_RANGE, "Pick: index %lld", (long long)index[i]);
        ((float *)run->out[0]->data)[i] = ((const float *)run->in[0]->data)[index[i]];
    }
    return GE_OK;
}
static const gei_kernel pick_kernels[] = { { .name = "ref", .size = pick_size, .run = pick_run }, { 0 } };
static const gei_op pick_row = { .name = "Pick", .infer = pick_infer, .kernels = pick_kernels, .traits = GEI_OP_PURE };

static ge_status repeat_infer(gei_infer *i) {
    int64_t times = 0;
    size_t count;
    i->out[0].dtype = i->in[0]->dtype;
    i->out[0].shape = gei_shape_of(1, (gei_dim[]){ GEI_DIM_UNKNOWN });
    if (gei_infer_ints(i, 1, &times, 1, &count) && gei_dim_known(i->in[0]->shape.dims[0]))
        i->out[0].shape.dims[0] = times * i->in[0]->shape.dims[0];
    return GE_OK;
}
static ge_status repeat_run(const gei_run *run, uint32_t part) {
    (void)part;
    for (int64_t i = 0; i < run->out[0]->n_elems; i++)
        ((float *)run->out[0]->data)[i] = ((const float *)run->in[0]->data)[i % run->in[0]->n_elems];
    return GE_OK;
}
static const gei_kernel repeat_kernels[] = { { .name = "ref", .run = repeat_run }, { 0 } };
static const gei_op repeat_row = { .name = "Repeat", .infer = repeat_infer, .kernels = repeat_kernels, .traits = GEI_OP_PURE, .needs_value = 2 };

static ge_status total_infer(gei_infer *i) {
    i->out[0].dtype = i->in[0]->dtype;
    i->out[0].shape = gei_shape_of(1, (gei_dim[]){ 1 });
    return GE_OK;
}
static ge_status total_run(const gei_run *run, uint32_t part) {
    float sum = 0;
    (void)part;
    for (int64_t i = 0; i < run->in[0]->n_elems; i++) sum += ((const float *)run->in[0]->data)[i];
    *(float *)run->out[0]->data = sum;
    return GE_OK;
}
static const gei_kernel total_kernels[] = { { .name = "ref", .run = total_run }, { 0 } };
static const gei_op total_row = { .name = "Total", .infer = total_infer, .kernels = total_kernels, .traits = GEI_OP_PURE };

static const gei_port_def late_x[] = { { .name = "x" } }, late_y[] = { { .name = "y" } };
static const gei_port_def late_x_index[] = { { .name = "x" }, { .name = "index" } }, late_x_times[] = { { .name = "x" }, { .name = "times" } };
#define LATE_OP(name_, ins, row) \
    { .name = name_, .inputs = ins, .n_inputs = GEI_COUNT(ins), .outputs = late_y, .n_outputs = 1, .own_row = &row }
static const gei_op_def late_defs[] = {
    LATE_OP("Positive", late_x, positive_row), LATE_OP("Pick", late_x_index, pick_row), LATE_OP("Repeat", late_x_times, repeat_row),
    LATE_OP("Total", late_x, total_row),
};

static inline const gei_op_def *late_find(void *user, const char *name, size_t name_size) {
    for (size_t i = 0; i < GEI_COUNT(late_defs); i++)
        if (strlen(late_defs[i].name) == name_size && memcmp(late_defs[i].name, name, name_size) == 0) return &late_defs[i];
    return exec_find(user, name, name_size);
}

#endif
