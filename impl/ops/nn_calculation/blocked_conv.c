/* SPDX-License-Identifier: Apache-2.0 */
/* GeBlockedConv2D: convolution of images with channels in blocks of 16, or of a plain image with few channels, into blocks.  The filter
 * is [out, in, height, width] as in Conv2D.  Lanes past the last channel come out as zero sums. */
#include "ops/nn_calculation/blocked_conv.h"

#include <math.h>
#include <string.h>

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS, SLOT_RESIDUAL };

#define PART_FLOPS 2e6        /* one part of a product: enough to pay for its start */
#define DEPTHWISE_FLOPS 5e5   /* the same for depthwise rows, which wait for memory */
#define UNITS_WANTED 8        /* of a convolution, so that threads share it evenly */
#define PIXEL_UNIT 24         /* whole tiles of every width */
#define MOST_PLAIN 8          /* channels of a plain image, whose input is copied: its stride and kernel are small */
#define MOST_STRIDE 8
#define MOST_KERNEL 32
#define MOST_SPAN 1024        /* strides, dilations and kernels */

static const gei_layout channels_first = { 2, 1, 2 };

/* ---- shapes ---- */

static ge_status read_window(const gei_node *node, gei_window_attrs *w, int64_t *groups, gei_diag *diag) {
    *w = (gei_window_attrs){ .n = 2 };
    GEI_TRY(gei_read_spatial(node, "strides", &channels_first, w->stride, diag));
    GEI_TRY(gei_read_spatial(node, "dilations", &channels_first, w->dilation, diag));
    GEI_TRY(gei_read_pads(node, "pads", &channels_first, w, diag));
    GEI_TRY(gei_read_auto_pad(node, "auto_pad", &w->auto_pad, diag));
    *groups = gei_node_int(node, "groups", 1);
    if (*groups >= 1) return GE_OK;
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "groups", "%lld is less than 1", (long long)*groups);
}

static ge_status check_channels(const gei_infer *i, int64_t groups) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *filter = &i->in[SLOT_FILTER]->shape;
    const gei_info *bias = gei_infer_in(i, SLOT_BIAS);
    int64_t wanted;
    if (bias) GEI_TRY(gei_infer_rank(i, SLOT_BIAS, 1, 1));
    if (filter->rank < 0) return GE_OK;
    if (gei_dim_known(filter->dims[0]) && filter->dims[0] % groups != 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "%lld output channels cannot be split into %lld groups", (long long)filter->dims[0],
                              (long long)groups);
    if (bias && bias->shape.rank == 1 && gei_dim_known(bias->shape.dims[0]) && gei_dim_known(filter->dims[0]) && bias->shape.dims[0] != filter->dims[0])
        return gei_infer_fail(i, GE_ERR_SHAPE, "bias", "%lld values, wanted one for each of %lld output channels",
                              (long long)bias->shape.dims[0], (long long)filter->dims[0]);
    if (x->rank < 0 || !gei_dim_known(x->dims[1]) || !gei_dim_known(filter->dims[1])) return GE_OK;
    bool fits = gei_mul_i64(filter->dims[1], groups, &wanted);
    if (fits && x->dims[1] == (x->rank == 4 ? wanted : gei_channel_blocks(wanted))) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "x", "%lld %s, but the filter takes %lld channels in each of %lld groups", (long long)x->dims[1],
                          x->rank == 4 ? "channels" : "blocks", (long long)filter->dims[1], (long long)groups);
}

static ge_status check_residual(const gei_infer *i) {
    const gei_info *residual = gei_infer_in(i, SLOT_RESIDUAL);
    const gei_shape *y = &i->out[0].shape;
    if (!residual || residual->shape.rank < 0) return GE_OK;
    GEI_TRY(gei_infer_blocks(i, SLOT_RESIDUAL));
    for (int32_t d = 0; d < 5; d++)
        if (gei_dim_known(y->dims[d]) && gei_dim_known(residual->shape.dims[d]) && y->dims[d] != residual->shape.dims[d])
            return gei_infer_fail(i, GE_ERR_SHAPE, "residual", "dim %d is %lld, but that of the result is %lld", (int)d,
                                  (long long)residual->shape.dims[d], (long long)y->dims[d]);
    return GE_OK;
}

static ge_status infer(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *filter = &i->in[SLOT_FILTER]->shape;
    gei_window_attrs w;
    int64_t groups;
    int32_t dtype;
    GEI_TRY(gei_infer_same_dtype(i, SLOT_X, i->n_in, &dtype));
    if (dtype != GEI_FLOAT32 && dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    GEI_TRY(read_window(i->node, &w, &groups, i->diag));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 4, 5));
    GEI_TRY(gei_infer_rank(i, SLOT_FILTER, 4, 4));
    if (x->rank == 5) GEI_TRY(gei_infer_blocks(i, SLOT_X));
    GEI_TRY(check_channels(i, groups));
    gei_shape *y = &i->out[0].shape;
    i->out[0].dtype = dtype;
    y->rank = 5;
    y->dims[0] = x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[0];
    y->dims[1] = filter->rank < 0 ? GEI_DIM_UNKNOWN : gei_dim_blocks(filter->dims[0]);
    y->dims[4] = GEI_LANES_OF_BLOCK;
    for (int32_t d = 0; d < 2; d++) {
        y->dims[2 + d] = GEI_DIM_UNKNOWN;
        if (x->rank < 0 || filter->rank < 0 || !gei_dim_known(filter->dims[2 + d])) continue;
        w.kernel[d] = filter->dims[2 + d];
        if (w.kernel[d] < 1 || w.kernel[d] > INT32_MAX)
            return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "kernel size %lld is not within 1 and %d", (long long)w.kernel[d], INT32_MAX);
        GEI_TRY(gei_window_out_dim(i->node, &w, d, x->dims[2 + d], &y->dims[2 + d], i->diag));
    }
    return check_residual(i);
}

/* ---- sizes ---- */

static gei_blocked_way way_of(const gei_window *w, bool plain, int64_t groups) {
    if (groups > 1) return GEI_BLOCKED_DEPTHWISE;
    if (plain) return GEI_BLOCKED_PLAIN;
    for (int d = 1; d < GEI_WINDOW_DIMS; d++)
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->pad_begin[d] != 0 || w->in[d] != w->out[d]) return GEI_BLOCKED_TAPS;
    return GEI_BLOCKED_POINT;
}

static ge_status geometry(const gei_sizing *s, gei_blocked_sized *c, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *filter = &s->in[SLOT_FILTER]->shape, *y = &s->out[0].shape;
    gei_window_attrs w;
    GEI_TRY(read_window(s->node, &w, &c->groups, diag));
    for (int d = 0; d < 2; d++) w.kernel[d] = filter->dims[2 + d];
    gei_window_fill(&w, x->dims + 2, y->dims + 2, &c->conv.window);
    c->conv.in_channels = filter->dims[1] * c->groups;
    c->conv.out_channels = filter->dims[0];
    c->conv.way = way_of(&c->conv.window, x->rank == 4, c->groups);
    c->batch = x->dims[0];
    c->x_image = x->dims[2] * x->dims[3] * (x->rank == 4 ? c->conv.in_channels : x->dims[1] * GEI_LANES_OF_BLOCK);
    c->y_image = y->dims[1] * y->dims[2] * y->dims[3] * GEI_LANES_OF_BLOCK;
    return GE_OK;
}

ge_status gei_blocked_size_common(gei_sizing *s, gei_blocked_sized **out, gei_diag *diag) {
    gei_blocked_sized *c = gei_arena_new(s->arena, gei_blocked_sized);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    GEI_TRY(geometry(s, c, diag));
    s->sized = *out = c;
    const gei_window *w = &c->conv.window;
    s->cost = 2.0 * (double)c->batch * (double)(c->conv.in_channels / c->groups) * (double)c->conv.out_channels * (double)(w->kernel[1] * w->kernel[2]) *
              (double)w->out[1] * (double)w->out[2];
    return GE_OK;
}

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Runs of pixels share what they read; where they are few, panels are cut as well, then pixels once more. */
static void cut(const gei_blocked_prepared *f, gei_blocked_sized *c) {
    int64_t pixels = c->conv.window.out[1] * c->conv.window.out[2], units;
    c->panels = gei_blocked_panels(f->isa, c->conv.out_channels);
    c->unit_pixels = gei_blocked_pixels_at_once(&c->conv);
    units = c->batch * divide_up(pixels, c->unit_pixels);
    c->cuts = units > 0 && units < UNITS_WANTED ? divide_up(UNITS_WANTED, units) : 1;
    if (c->cuts > c->panels) c->cuts = c->panels;
    if (units * c->cuts * 2 <= UNITS_WANTED && units > 0) {
        int64_t step = c->conv.way == GEI_BLOCKED_PLAIN ? c->conv.window.out[2] : PIXEL_UNIT; /* whole rows where rows are copied */
        int64_t each = divide_up(divide_up(pixels * c->batch * c->cuts, UNITS_WANTED), step) * step;
        if (each < c->unit_pixels) c->unit_pixels = each;
    }
    c->units = divide_up(pixels, c->unit_pixels);
}

static ge_status size_fast(gei_sizing *s, gei_diag *diag) {
    gei_blocked_sized *c;
    GEI_TRY(gei_blocked_size_common(s, &c, diag));
    bool depthwise = c->conv.way == GEI_BLOCKED_DEPTHWISE;
    if (!depthwise) cut(s->prepared, c);
    int64_t units = depthwise ? c->batch * gei_channel_blocks(c->conv.out_channels) * c->conv.window.out[1] : c->batch * c->units * c->cuts;
    double each = units > 0 ? s->cost / (double)units : 0, least = depthwise ? DEPTHWISE_FLOPS : PART_FLOPS;
    s->n_parts = gei_parts(units, each > 0 && each < least ? (int64_t)(least / each) + 1 : 1);
    s->part_scratch_bytes = gei_blocked_scratch_floats(&c->conv) * sizeof(float);
    return GE_OK;
}

static ge_status size_ref(gei_sizing *s, gei_diag *diag) {
    gei_blocked_sized *c;
    GEI_TRY(gei_blocked_size_common(s, &c, diag));
    s->n_parts = gei_parts(c->batch * gei_channel_blocks(c->conv.out_channels), 1);
    return GE_OK;
}

/* ---- the fast kernel ---- */

static bool are_at_most(const gei_node *node, const char *name, int64_t most) {
    gei_int_list list = gei_node_ints(node, name);
    for (size_t i = 0; i < list.count; i++)
        if (list.data[i] > most) return false;
    return true;
}

/* The filter and the bias are packed once: they are constants. */
bool gei_blocked_conv_fits(const gei_choice *c, gei_reason *why) {
    const gei_info *filter = c->in[SLOT_FILTER];
    if (filter->dtype != GEI_FLOAT32) return gei_refuse(why, "data type is %s", gei_dtype_name(filter->dtype));
    if (!filter->tensor || filter->shape.rank != 4 || filter->tensor->n_elems == 0) return gei_refuse(why, "filter is no constant of rank 4");
    if (c->n_in > SLOT_BIAS && c->in[SLOT_BIAS] && !c->in[SLOT_BIAS]->tensor) return gei_refuse(why, "bias is no constant");
    if (!are_at_most(c->node, "strides", MOST_SPAN) || !are_at_most(c->node, "dilations", MOST_SPAN) || filter->shape.dims[2] > MOST_SPAN || filter->shape.dims[3] > MOST_SPAN)
        return gei_refuse(why, "the window is wider than %d", MOST_SPAN);
    int64_t groups = gei_node_int(c->node, "groups", 1);
    if (groups == 1) return true;
    if (filter->shape.dims[1] != 1 || filter->shape.dims[0] != groups) return gei_refuse(why, "groups have more than one channel");
    return true;
}

bool gei_blocked_conv_takes_plain(const gei_choice *c) {
    const int64_t *filter = c->in[SLOT_FILTER]->shape.dims;
    return gei_node_int(c->node, "groups", 1) == 1 && are_at_most(c->node, "dilations", 1) && are_at_most(c->node, "strides", MOST_STRIDE) &&
           filter[1] <= MOST_PLAIN && filter[2] <= MOST_KERNEL && filter[3] <= MOST_KERNEL;
}

static bool accepts_fast(const gei_choice *c, gei_reason *why) {
    const gei_shape *x = &c->in[SLOT_X]->shape;
    if (!gei_blocked_conv_fits(c, why)) return false;
    if (x->rank == 5) return true;
    if (x->rank != 4) return gei_refuse(why, "rank of x is not known");
    return gei_blocked_conv_takes_plain(c) || gei_refuse(why, "x is plain, and there are groups, many channels, or a wide window");
}

ge_status gei_blocked_prepare_common(gei_prepare *p, size_t filter_floats, gei_diag *diag) {
    const gei_choice *c = p->choice;
    const gei_tensor *filter = c->in[SLOT_FILTER]->tensor, *bias = c->n_in > SLOT_BIAS && c->in[SLOT_BIAS] ? c->in[SLOT_BIAS]->tensor : NULL;
    size_t n_bias = (size_t)gei_channel_blocks(filter->dims[0]) * GEI_LANES_OF_BLOCK;
    gei_blocked_prepared *f = gei_arena_new(p->arena, gei_blocked_prepared);
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    f->isa = gei_blocked_isa_for(c->isa);
    f->act = gei_node_clip(c->node, &f->low, &f->high) ? GEI_ACT_CLIP : GEI_ACT_NONE;
    (void)gei_node_curve(c->node, true, c->isa, &f->curve);
    f->from = p->from;
    p->prepared = f;
    if (filter_floats == 0 || !gei_add(filter_floats, n_bias, &f->bytes) || !gei_mul(f->bytes, sizeof(float), &f->bytes)) return gei_out_of_memory(diag, SIZE_MAX);
    f->filter = gei_alloc(f->from, f->bytes, GEI_ALIGN_BYTES);
    if (!f->filter) return gei_out_of_memory(diag, f->bytes);
    f->bias = f->filter + filter_floats;
    memset(f->bias, 0, n_bias * sizeof *f->bias);
    if (bias) memcpy(f->bias, bias->data, (size_t)bias->n_elems * sizeof *f->bias);
    p->packed_bytes = f->bytes;
    return GE_OK;
}

/* Whether taps are neighbours in x does not change where weights go. */
static ge_status prepare(gei_prepare *p, gei_diag *diag) {
    const gei_choice *c = p->choice;
    const gei_tensor *filter = c->in[SLOT_FILTER]->tensor;
    int64_t groups = gei_node_int(c->node, "groups", 1);
    gei_blocked_conv conv = { .window = { .kernel = { 1, filter->dims[2], filter->dims[3] } }, .out_channels = filter->dims[0] };
    conv.in_channels = filter->dims[1] * groups;
    conv.way = groups > 1 ? GEI_BLOCKED_DEPTHWISE : c->in[SLOT_X]->shape.rank == 4 ? GEI_BLOCKED_PLAIN : GEI_BLOCKED_TAPS;
    GEI_TRY(gei_blocked_prepare_common(p, gei_blocked_filter_floats(&conv), diag));
    gei_blocked_prepared *f = p->prepared;
    gei_blocked_pack(f->isa, &conv, filter->data, f->filter);
    p->drops_input = UINT64_C(1) << SLOT_FILTER | UINT64_C(1) << SLOT_BIAS;
    return GE_OK;
}

void gei_blocked_conv_destroy(void *p) {
    gei_blocked_prepared *f = p;
    if (f && f->filter) gei_free(f->from, f->filter, f->bytes, GEI_ALIGN_BYTES);
}

gei_blocked_conv gei_blocked_conv_of(const gei_run *run, int64_t image) {
    const gei_blocked_sized *s = run->sized;
    const gei_blocked_prepared *f = run->prepared;
    const gei_view *residual = run->n_in > SLOT_RESIDUAL ? run->in[SLOT_RESIDUAL] : NULL;
    gei_blocked_conv c = s->conv;
    c.x = (const float *)run->in[SLOT_X]->data + image * s->x_image;
    c.y = (float *)run->out[0]->data + image * s->y_image;
    c.residual = residual ? (const float *)residual->data + image * s->y_image : NULL;
    c.filter = f->filter;
    c.bias = f->bias;
    c.act = f->act;
    c.lo = f->low;
    c.hi = f->high;
    c.curve = f->curve.loop;
    c.curve_params = f->curve.params;
    return c;
}

static void run_depthwise(const gei_run *run, uint32_t part) {
    const gei_blocked_sized *s = run->sized;
    const gei_blocked_prepared *f = run->prepared;
    int64_t rows = gei_channel_blocks(s->conv.out_channels) * s->conv.window.out[1], begin, end;
    gei_part_range(s->batch * rows, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end;) {
        gei_blocked_conv c = gei_blocked_conv_of(run, at / rows);
        int64_t first = at % rows, last = end - at < rows - first ? first + end - at : rows;
        f->isa->depthwise(&c, first, last);
        at += last - first;
    }
}

/* Units: for each image and cut of its panels the runs of pixels, one after the other. */
static ge_status run_fast(const gei_run *run, uint32_t part) {
    const gei_blocked_sized *s = run->sized;
    const gei_blocked_prepared *f = run->prepared;
    int64_t pixels = s->conv.window.out[1] * s->conv.window.out[2], begin, end, first, last;
    if (s->conv.way == GEI_BLOCKED_DEPTHWISE) {
        run_depthwise(run, part);
        return GE_OK;
    }
    gei_part_range(s->batch * s->cuts * s->units, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end;) {
        int64_t unit = at % s->units, n = end - at < s->units - unit ? end - at : s->units - unit, cut = at / s->units;
        gei_blocked_conv c = gei_blocked_conv_of(run, cut / s->cuts);
        gei_part_range(s->panels, (uint32_t)s->cuts, (uint32_t)(cut % s->cuts), &first, &last);
        int64_t to = (unit + n) * s->unit_pixels;
        gei_blocked_run(f->isa, &c, unit * s->unit_pixels, to < pixels ? to : pixels, first, last, run->scratch);
        at += n;
    }
    return GE_OK;
}

/* ---- the reference ---- */

typedef struct reading {
    const float *data;
    int64_t plane;  /* pixels */
    bool blocked;
} reading;

static double value_at(const reading *x, int64_t channel, int64_t pixel) {
    int64_t lanes = GEI_LANES_OF_BLOCK;
    return (double)(x->blocked ? x->data[(channel / lanes * x->plane + pixel) * lanes + channel % lanes] : x->data[channel * x->plane + pixel]);
}

static double sum_at(const gei_blocked_sized *s, const reading *x, const float *filter, int64_t out, int64_t y, int64_t at) {
    const gei_window *w = &s->conv.window;
    int64_t ins = s->conv.in_channels / s->groups, group = out / (s->conv.out_channels / s->groups), from_y, begin_y, end_y, from_x, begin_x, end_x;
    double sum = 0;
    gei_window_taps(w, 1, y, &from_y, &begin_y, &end_y);
    gei_window_taps(w, 2, at, &from_x, &begin_x, &end_x);
    for (int64_t in = 0; in < ins; in++)
        for (int64_t ty = begin_y; ty < end_y; ty++)
            for (int64_t tx = begin_x; tx < end_x; tx++)
                sum += (double)filter[((out * ins + in) * w->kernel[1] + ty) * w->kernel[2] + tx] *
                       value_at(x, group * ins + in, (from_y + ty * w->dilation[1]) * w->in[2] + from_x + tx * w->dilation[2]);
    return sum;
}

static void ref_block(const gei_run *run, int64_t image, int64_t block) {
    const gei_blocked_sized *s = run->sized;
    const gei_window *w = &s->conv.window;
    const gei_view *bias = run->n_in > SLOT_BIAS ? run->in[SLOT_BIAS] : NULL, *residual = run->n_in > SLOT_RESIDUAL ? run->in[SLOT_RESIDUAL] : NULL;
    reading x = { (const float *)run->in[SLOT_X]->data + image * s->x_image, w->in[1] * w->in[2], run->in[SLOT_X]->rank == 5 };
    int64_t pixels = w->out[1] * w->out[2], first = image * s->y_image + block * pixels * GEI_LANES_OF_BLOCK;
    float *y = (float *)run->out[0]->data + first, low, high;
    for (int64_t k = 0; k < pixels * GEI_LANES_OF_BLOCK; k++) {
        int64_t pixel = k / GEI_LANES_OF_BLOCK, out = block * GEI_LANES_OF_BLOCK + k % GEI_LANES_OF_BLOCK;
        double sum = out < s->conv.out_channels ? sum_at(s, &x, run->in[SLOT_FILTER]->data, out, pixel / w->out[2], pixel % w->out[2]) : 0;
        if (bias && out < s->conv.out_channels) sum += (double)((const float *)bias->data)[out];
        if (residual) sum += (double)((const float *)residual->data)[first + k];
        y[k] = (float)sum;
    }
    gei_curve curve;
    if (gei_node_clip(run->node, &low, &high)) gei_clip_floats(y, pixels * GEI_LANES_OF_BLOCK, low, high);
    if (gei_node_curve(run->node, false, 0, &curve)) curve.loop(y, y, pixels * GEI_LANES_OF_BLOCK, curve.params);
}

static ge_status run_ref(const gei_run *run, uint32_t part) {
    const gei_blocked_sized *s = run->sized;
    int64_t blocks = gei_channel_blocks(s->conv.out_channels), begin, end;
    gei_part_range(s->batch * blocks, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at++) ref_block(run, at / blocks, at % blocks);
    return GE_OK;
}

#define OVER_RESIDUAL (1u << SLOT_RESIDUAL)
static const gei_kernel kernels[] = {
    { .name = "winograd", .accepts = gei_blocked_winograd_accepts, .prepare = gei_blocked_winograd_prepare, .size = gei_blocked_winograd_size,
      .run = gei_blocked_winograd_run_step, .destroy = gei_blocked_conv_destroy, .in_place = OVER_RESIDUAL },
    { .name = "blocked", .accepts = accepts_fast, .prepare = prepare, .size = size_fast, .run = run_fast, .destroy = gei_blocked_conv_destroy, .in_place = OVER_RESIDUAL },
    { .name = "ref", .size = size_ref, .run = run_ref, .in_place = OVER_RESIDUAL },
    { 0 }
};

GEI_OP(GeBlockedConv2D) = { .name = "GeBlockedConv2D", .infer = infer, .kernels = kernels,
                            .traits = GEI_OP_PURE | GEI_OP_TAKES_CLIP | GEI_OP_TAKES_RESIDUAL | GEI_OP_TAKES_CURVE };
