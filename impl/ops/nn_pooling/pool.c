/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/nn_pooling/pool.h"

ge_status gei_infer_pool(gei_infer *i, gei_pool_read_fn read) {
    const gei_shape *x = &i->in[0]->shape;
    gei_pool_attrs a = { 0 };
    i->out[0].dtype = i->in[0]->dtype;
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, 0, 3, GEI_WINDOW_DIMS + 2));
    GEI_TRY(read(i->node, x->rank, &a, i->diag));
    gei_shape y = *x;
    for (int32_t d = 0; d < a.layout.n; d++) {
        gei_dim *out = &y.dims[a.layout.spatial + d];
        if (a.global) *out = 1;
        else GEI_TRY(gei_window_out_dim(i->node, &a.window, d, x->dims[a.layout.spatial + d], out, i->diag));
    }
    for (uint32_t k = 0; k < i->n_out; k++) i->out[k].shape = y;
    return GE_OK;
}

static void index_strides(const gei_window *w, bool column_major, int64_t *at) {
    int64_t stride = 1;
    for (int k = 0; k < GEI_WINDOW_DIMS; k++) {
        int d = column_major ? k : GEI_WINDOW_DIMS - 1 - k;
        at[d] = stride;
        stride *= w->in[d];
    }
}

static void fill_pool(const gei_pool_attrs *a, const gei_shape *x, const gei_shape *y, gei_pool *p) {
    gei_window_attrs window = a->window;
    for (int32_t d = 0; a->global && d < a->layout.n; d++) {
        window.kernel[d] = x->dims[a->layout.spatial + d];
        window.stride[d] = window.dilation[d] = 1;
        window.pad_begin[d] = window.pad_end[d] = 0;
        window.auto_pad = GEI_PAD_GIVEN;
    }
    gei_window_fill(&window, x->dims + a->layout.spatial, y->dims + a->layout.spatial, &p->window);
    p->batch = x->dims[0];
    p->channels = x->dims[a->layout.channel];
    gei_layout_strides(&a->layout, x->dims, &p->x_batch, &p->x_channel, p->x_at);
    gei_layout_strides(&a->layout, y->dims, &p->y_batch, &p->y_channel, p->y_at);
    p->count_pads = a->count_pads;
    p->divisor = a->divisor;
    index_strides(&p->window, a->column_major, p->index_at);
}

ge_status gei_size_pool(gei_sizing *s, gei_pool_read_fn read, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape, *y = &s->out[0].shape;
    gei_pool_attrs a = { 0 };
    gei_pool *p = gei_arena_new(s->arena, gei_pool);
    if (!p) return gei_out_of_memory(diag, sizeof *p);
    GEI_TRY(read(s->node, x->rank, &a, diag));
    fill_pool(&a, x, y, p);
    double each = 1;
    for (int d = 0; d < GEI_WINDOW_DIMS; d++) each *= (double)p->window.kernel[d] * (double)p->window.out[d];
    s->sized = p;
    s->n_parts = gei_parts(p->batch * p->channels, each > 0 && each < 65536 ? (int64_t)(65536 / each) + 1 : 1);
    s->cost = each * (double)(p->batch * p->channels);
    return GE_OK;
}

static gei_pool_max_fn max_function(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_pool_max_f64;
    case GEI_FLOAT16: return gei_pool_max_f16;
    case GEI_BFLOAT16: return gei_pool_max_bf16;
    case GEI_INT8: case GEI_QINT8: return gei_pool_max_i8;
    case GEI_INT16: return gei_pool_max_i16;
    case GEI_INT32: return gei_pool_max_i32;
    case GEI_INT64: return gei_pool_max_i64;
    case GEI_UINT8: return gei_pool_max_u8;
    case GEI_UINT16: return gei_pool_max_u16;
    case GEI_UINT32: return gei_pool_max_u32;
    case GEI_UINT64: return gei_pool_max_u64;
    default: return gei_pool_max_f32;
    }
}

static gei_pool_mean_fn mean_function(int32_t dtype) {
    switch (dtype) {
    case GEI_FLOAT64: return gei_pool_mean_f64;
    case GEI_FLOAT16: return gei_pool_mean_f16;
    case GEI_BFLOAT16: return gei_pool_mean_bf16;
    default: return gei_pool_mean_f32;
    }
}

ge_status gei_run_max_pool(const gei_run *run, uint32_t part) {
    const gei_pool *p = (const gei_pool *)run->sized;
    int64_t begin, end;
    gei_part_range(p->batch * p->channels, run->n_parts, part, &begin, &end);
    int64_t *index = run->n_out > 1 ? (int64_t *)run->out[1]->data : NULL;
    max_function(run->in[0]->dtype)(p, run->in[0]->data, run->out[0]->data, index, begin, end);
    return GE_OK;
}

ge_status gei_run_mean_pool(const gei_run *run, uint32_t part) {
    const gei_pool *p = (const gei_pool *)run->sized;
    int64_t begin, end;
    gei_part_range(p->batch * p->channels, run->n_parts, part, &begin, &end);
    mean_function(run->in[0]->dtype)(p, run->in[0]->data, run->out[0]->data, begin, end);
    return GE_OK;
}

/* ---- rows ---- */

bool gei_pool_rows_accepts(const gei_choice *c, gei_reason *why) {
    return c->in[0]->dtype == GEI_FLOAT32 || gei_refuse(why, "data type is %s", gei_dtype_name(c->in[0]->dtype));
}

static bool is_dense(const int64_t *at, const int64_t *dims) {
    return at[2] == 1 && (dims[1] == 1 || at[1] == dims[2]) && (dims[0] == 1 || at[0] == dims[1] * dims[2]);
}

ge_status gei_run_max_pool_rows(const gei_run *run, uint32_t part) {
    const gei_pool *p = (const gei_pool *)run->sized;
    const gei_rows *rows = run->prepared;
    int64_t begin, end;
    bool has_index = run->n_out > 1 && run->out[1]->data;
    if (has_index || !is_dense(p->x_at, p->window.in) || !is_dense(p->y_at, p->window.out)) return gei_run_max_pool(run, part);
    gei_part_range(p->batch * p->channels, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++)
        rows->max_plane(&p->window, (const float *)run->in[0]->data + k / p->channels * p->x_batch + k % p->channels * p->x_channel,
                        (float *)run->out[0]->data + k / p->channels * p->y_batch + k % p->channels * p->y_channel);
    return GE_OK;
}

/* One window that is the whole plane. */
static bool is_whole(const gei_window *w) {
    for (int d = 0; d < GEI_WINDOW_DIMS; d++)
        if (w->out[d] != 1 || w->kernel[d] != w->in[d] || w->dilation[d] != 1 || w->pad_begin[d] != 0 || w->pad_end[d] != 0) return false;
    return true;
}

ge_status gei_run_mean_pool_rows(const gei_run *run, uint32_t part) {
    const gei_pool *p = (const gei_pool *)run->sized;
    const gei_rows *rows = run->prepared;
    const gei_window *w = &p->window;
    int64_t begin, end, n = w->in[0] * w->in[1] * w->in[2];
    if (!is_whole(w) || !is_dense(p->x_at, w->in) || p->divisor != 0 || n == 0) return gei_run_mean_pool(run, part);
    gei_part_range(p->batch * p->channels, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        const float *x = (const float *)run->in[0]->data + k / p->channels * p->x_batch + k % p->channels * p->x_channel;
        ((float *)run->out[0]->data)[k / p->channels * p->y_batch + k % p->channels * p->y_channel] = (float)(rows->sum(x, n) / (double)n);
    }
    return GE_OK;
}
