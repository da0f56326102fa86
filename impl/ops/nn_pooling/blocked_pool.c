/* SPDX-License-Identifier: Apache-2.0 */
/* GeBlockedPool2D: largest or mean value of each window, channels in blocks of 16. */
#include <string.h>

#include "ops/blocked.h"
#include "ops/nn_pooling/pool_onnx.h"

#define PART_TAPS 65536.0 /* of all lanes: enough to pay for the start of a part */

static ge_status read(const gei_node *node, gei_pool_attrs *a, bool *out_mean, gei_diag *diag) {
    const char *mode = gei_node_text(node, "mode", "");
    *out_mean = strcmp(mode, "avg") == 0;
    if (!*out_mean && strcmp(mode, "max") != 0) return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "mode", "'%s', wanted max or avg", mode);
    a->count_pads = gei_node_bool(node, "count_include_pad", false);
    a->global = gei_node_bool(node, "global_pooling", false);
    return gei_read_ge_pool(node, 4, a, diag);
}

static ge_status infer(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    gei_pool_attrs a = { 0 };
    bool mean;
    i->out[0].dtype = i->in[0]->dtype;
    if (i->in[0]->dtype != GEI_FLOAT32 && i->in[0]->dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
    GEI_TRY(read(i->node, &a, &mean, i->diag));
    GEI_TRY(gei_infer_blocks(i, 0));
    gei_shape *y = &i->out[0].shape;
    *y = *x;
    if (x->rank < 0) return GE_OK;
    y->dims[4] = GEI_LANES_OF_BLOCK;
    for (int32_t d = 0; d < 2; d++) {
        if (a.global) y->dims[2 + d] = 1;
        else GEI_TRY(gei_window_out_dim(i->node, &a.window, d, x->dims[2 + d], &y->dims[2 + d], i->diag));
    }
    return GE_OK;
}

typedef struct sized {
    gei_blocked_pool fast;  /* without pointers */
    gei_pool pool;          /* lanes as channels, blocks as images */
    int64_t blocks;         /* of all images */
} sized;

static ge_status size_common(gei_sizing *s, sized **out, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape, *y = &s->out[0].shape;
    gei_pool_attrs a = { 0 };
    sized *p = gei_arena_new(s->arena, sized);
    if (!p) return gei_out_of_memory(diag, sizeof *p);
    GEI_TRY(read(s->node, &a, &p->fast.mean, diag));
    for (int32_t d = 0; a.global && d < 2; d++) {
        a.window.kernel[d] = x->dims[2 + d];
        a.window.stride[d] = a.window.dilation[d] = 1;
        a.window.pad_begin[d] = a.window.pad_end[d] = 0;
        a.window.auto_pad = GEI_PAD_GIVEN;
    }
    gei_window_fill(&a.window, x->dims + 2, y->dims + 2, &p->fast.window);
    p->fast.count_pads = a.count_pads;
    p->blocks = x->dims[0] * x->dims[1];
    p->pool = (gei_pool){ .window = p->fast.window, .batch = p->blocks, .channels = GEI_LANES_OF_BLOCK, .x_channel = 1, .y_channel = 1, .count_pads = a.count_pads };
    p->pool.x_batch = x->dims[2] * x->dims[3] * GEI_LANES_OF_BLOCK;
    p->pool.y_batch = y->dims[2] * y->dims[3] * GEI_LANES_OF_BLOCK;
    p->pool.x_at[2] = p->pool.y_at[2] = GEI_LANES_OF_BLOCK;
    p->pool.x_at[1] = x->dims[3] * GEI_LANES_OF_BLOCK;
    p->pool.y_at[1] = y->dims[3] * GEI_LANES_OF_BLOCK;
    s->sized = *out = p;
    s->cost = (double)p->fast.window.kernel[1] * (double)p->fast.window.kernel[2] * (double)p->pool.y_batch * (double)p->blocks;
    return GE_OK;
}

static ge_status size_fast(gei_sizing *s, gei_diag *diag) {
    sized *p;
    GEI_TRY(size_common(s, &p, diag));
    int64_t rows = p->blocks * p->fast.window.out[1];
    double each = rows > 0 ? s->cost / (double)rows : 0;
    s->n_parts = gei_parts(rows, each > 0 && each < PART_TAPS ? (int64_t)(PART_TAPS / each) + 1 : 1);
    return GE_OK;
}

static ge_status size_ref(gei_sizing *s, gei_diag *diag) {
    sized *p;
    GEI_TRY(size_common(s, &p, diag));
    s->n_parts = gei_parts(p->blocks * GEI_LANES_OF_BLOCK, 1);
    return GE_OK;
}

static ge_status prepare(gei_prepare *p, gei_diag *diag) {
    (void)diag;
    p->prepared = (void *)(uintptr_t)gei_blocked_isa_for(p->choice->isa);
    return GE_OK;
}

static ge_status run_fast(const gei_run *run, uint32_t part) {
    const sized *s = run->sized;
    const gei_blocked_isa *isa = run->prepared;
    gei_blocked_pool p = s->fast;
    int64_t begin, end;
    p.x = run->in[0]->data;
    p.y = run->out[0]->data;
    gei_part_range(s->blocks * p.window.out[1], run->n_parts, part, &begin, &end);
    isa->pool(&p, begin, end);
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) {
    const sized *s = run->sized;
    int64_t begin, end;
    gei_part_range(s->blocks * GEI_LANES_OF_BLOCK, run->n_parts, part, &begin, &end);
    if (s->fast.mean) gei_pool_mean_f32(&s->pool, run->in[0]->data, run->out[0]->data, begin, end);
    else gei_pool_max_f32(&s->pool, run->in[0]->data, run->out[0]->data, NULL, begin, end);
    return GE_OK;
}

static const gei_kernel kernels[] = { { .name = "blocked", .prepare = prepare, .size = size_fast, .run = run_fast },
                                      { .name = "ref", .size = size_ref, .run = run_ref },
                                      { 0 } };

GEI_OP(GeBlockedPool2D) = { .name = "GeBlockedPool2D", .infer = infer, .kernels = kernels, .traits = GEI_OP_PURE };

/* ---- plain poolings that may become one ---- */

bool gei_blocked_pool_accepts(const gei_choice *c, gei_pool_read_fn read_attrs, gei_reason *why) {
    gei_pool_attrs a = { 0 };
    if (c->in[0]->dtype != GEI_FLOAT32 || c->in[0]->shape.rank != 4) return gei_refuse(why, "x is no float32 image");
    if (read_attrs(c->node, 4, &a, NULL) != GE_OK || a.layout.channel != 1) return gei_refuse(why, "layout is not channels-first");
    if (a.divisor != 0) return gei_refuse(why, "the divisor is given");
    return c->n_out == 1 || gei_refuse(why, "it gives indices");
}

static ge_status set_ints(gei_node *node, const char *name, const int64_t *values, size_t count, gei_diag *diag) {
    gei_attr value = gei_attr_ints(values, count);
    return gei_node_set(node, name, &value, diag);
}

static ge_status set_bool(gei_node *node, const char *name, bool v, gei_diag *diag) {
    gei_attr value = gei_attr_bool(v);
    return gei_node_set(node, name, &value, diag);
}

static ge_status set_text(gei_node *node, const char *name, const char *text, gei_diag *diag) {
    gei_attr value = gei_attr_text(text, strlen(text));
    return gei_node_set(node, name, &value, diag);
}

ge_status gei_blocked_pool_map(const gei_node *from, gei_node *to, gei_pool_read_fn read_attrs, const char *mode, gei_diag *diag) {
    static const char *const pads[] = { "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER" }; /* by gei_auto_pad */
    gei_pool_attrs a = { 0 };
    GEI_TRY(read_attrs(from, 4, &a, diag));
    int64_t given[4] = { a.window.pad_begin[0], a.window.pad_end[0], a.window.pad_begin[1], a.window.pad_end[1] };
    GEI_TRY(set_text(to, "mode", mode, diag));
    if (a.global) return set_bool(to, "global_pooling", true, diag);
    GEI_TRY(set_ints(to, "ksize", a.window.kernel, 2, diag));
    GEI_TRY(set_ints(to, "strides", a.window.stride, 2, diag));
    GEI_TRY(set_ints(to, "dilations", a.window.dilation, 2, diag));
    GEI_TRY(set_ints(to, "pads", given, 4, diag));
    GEI_TRY(set_text(to, "auto_pad", pads[a.window.auto_pad], diag));
    GEI_TRY(set_bool(to, "ceil_mode", a.window.ceil, diag));
    return set_bool(to, "count_include_pad", a.count_pads, diag);
}
