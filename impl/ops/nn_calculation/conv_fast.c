/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/nn_calculation/conv_fast.h"

#include <math.h>

#include "kernels/conv_sgemm.h"
#include "kernels/depthwise.h"
#include "ops/sgemm_isa.h"

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS };

#define PART_FLOPS 2e6      /* one part of a product: enough to pay for its start */
#define FEWEST_PIXELS 4     /* fewer leave rows of a tile empty */
#define MOST_GATHERS 2      /* cuts of output channels of an image; each gathers the pixels for itself */
#define UNITS_WANTED 16     /* of a convolution: panels times cuts of its output channels */
#define CUT_TILES 4         /* tiles of rows a cut has at least */
#define PART_TAPS 200000.0  /* the same for depthwise rows, which wait for memory */

typedef struct conv_fast {  /* prepared: the instruction set the model may use, and the clip of the node */
    const gei_sgemm_isa *isa;
    gei_depthwise_fn depthwise;
    gei_act act;
    float low, high;
    const gei_allocator *from;
    float *packed;          /* rows of a constant filter, one group after the other; NULL: as they are */
    size_t packed_bytes, group_floats;
} conv_fast;

typedef struct conv_sized {
    gei_conv conv;
    int64_t panels;         /* of one image and group */
    int64_t cuts, cut_rows; /* of its output channels, where there are few panels */
} conv_sized;

static bool accepts_layout(const gei_choice *c, gei_reason *why) {
    if (c->in[SLOT_X]->dtype != GEI_FLOAT32) return gei_refuse(why, "data type is %s", gei_dtype_name(c->in[SLOT_X]->dtype));
    return gei_conv_is_channels_first(c) || gei_refuse(why, "layout is not channels-first");
}

bool gei_conv_depthwise_accepts(const gei_choice *c, gei_reason *why) {
    const gei_shape *filter = &c->in[SLOT_FILTER]->shape;
    if (!accepts_layout(c, why)) return false;
    if (filter->rank < 2 || filter->dims[1] != 1) return gei_refuse(why, "groups have more than one input channel");
    return gei_node_int(c->node, "groups", 1) > 1 || gei_refuse(why, "one group");
}

static bool all_are(const gei_node *node, const char *name, int64_t wanted) {
    gei_int_list list = gei_node_ints(node, name);
    for (size_t i = 0; i < list.count; i++)
        if (list.data[i] != wanted) return false;
    return true;
}

static bool is_pointwise(const gei_node *node, const gei_shape *filter) {
    for (int32_t d = 2; d < filter->rank; d++)
        if (filter->dims[d] != 1) return false;
    return all_are(node, "strides", 1) && all_are(node, "pads", 0);
}

/* Shapes that are not known yet may have any number of pixels. */
bool gei_conv_pixels_accepts(const gei_choice *c, gei_reason *why) {
    const gei_shape *y = &c->out->shape;
    int64_t pixels = 1;
    if (!accepts_layout(c, why)) return false;
    if (!is_pointwise(c->node, &c->in[SLOT_FILTER]->shape)) return gei_refuse(why, "kernel is not 1x1, or skips or pads");
    if (!c->in[SLOT_FILTER]->tensor) return gei_refuse(why, "filter is no constant");
    if (gei_node_int(c->node, "groups", 1) != 1) return gei_refuse(why, "more than one group");
    for (int32_t d = 2; d < y->rank; d++) {
        if (y->dims[d] < 0 || y->dims[d] > GEI_CONV_MOST_PIXELS) return gei_refuse(why, "number of pixels is not known, or large");
        pixels *= y->dims[d];
    }
    if (y->rank < 3 || pixels > GEI_CONV_MOST_PIXELS) return gei_refuse(why, "more than %d pixels", GEI_CONV_MOST_PIXELS);
    if (pixels < FEWEST_PIXELS) return gei_refuse(why, "fewer than %d pixels", FEWEST_PIXELS);
    return c->in[SLOT_FILTER]->shape.dims[0] >= GEI_SGEMM_MOST_COLUMNS / 2 || gei_refuse(why, "too few output channels to fill a panel");
}

bool gei_conv_sgemm_accepts(const gei_choice *c, gei_reason *why) { return accepts_layout(c, why); }

ge_status gei_conv_fast_prepare(gei_prepare *p, gei_diag *diag) {
    conv_fast *f = gei_arena_new(p->arena, conv_fast);
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    uint32_t isa = p->choice->isa;
    f->isa = gei_sgemm_isa_for(isa);
    f->depthwise = isa & GEI_ISA_AVX512 ? gei_depthwise_avx512 : isa & GEI_ISA_AVX2 ? gei_depthwise_avx2 : gei_depthwise_portable;
    f->act = gei_node_clip(p->choice->node, &f->low, &f->high) ? GEI_ACT_CLIP : GEI_ACT_NONE;
    f->from = p->from;
    p->prepared = f;
    return GE_OK;
}

/* A constant filter of a product: rows in tiles. */
static ge_status pack_filter(conv_fast *f, gei_prepare *p, gei_diag *diag) {
    const gei_tensor *filter = p->choice->in[SLOT_FILTER]->tensor;
    int64_t groups = gei_node_int(p->choice->node, "groups", 1);
    if (!filter || filter->n_elems == 0 || groups < 1 || filter->dims[0] % groups != 0) return GE_OK;
    int64_t rows = filter->dims[0] / groups, k = filter->n_elems / filter->dims[0];
    size_t floats;
    f->group_floats = gei_sgemm_packed_rows_floats(f->isa, rows, k);
    if (!gei_mul(f->group_floats, (size_t)groups, &floats) || !gei_mul(floats, sizeof(float), &f->packed_bytes) || floats == 0) return GE_OK;
    f->packed = gei_alloc(f->from, f->packed_bytes, GEI_ALIGN_BYTES);
    if (!f->packed) return gei_out_of_memory(diag, f->packed_bytes);
    for (int64_t g = 0; g < groups; g++)
        gei_sgemm_pack_rows(f->isa, (const float *)filter->data + g * rows * k, k, rows, k, f->packed + (size_t)g * f->group_floats);
    p->drops_input = UINT64_C(1) << SLOT_FILTER;
    p->packed_bytes = f->packed_bytes;
    return GE_OK;
}

/* The filter turned: k rows of panels of output channels. */
ge_status gei_conv_pixels_prepare(gei_prepare *p, gei_diag *diag) {
    GEI_TRY(gei_conv_fast_prepare(p, diag));
    conv_fast *f = p->prepared;
    const gei_tensor *filter = p->choice->in[SLOT_FILTER]->tensor;
    int64_t rows = filter->dims[0], k = rows ? filter->n_elems / rows : 0;
    size_t floats = gei_sgemm_packed_floats(f->isa, k, rows);
    if (floats == 0) return gei_out_of_memory(diag, SIZE_MAX);
    f->packed_bytes = floats * sizeof(float);
    f->packed = gei_alloc(f->from, f->packed_bytes, GEI_ALIGN_BYTES);
    if (!f->packed) return gei_out_of_memory(diag, f->packed_bytes);
    gei_sgemm_pack(f->isa, filter->data, 1, k, k, rows, 0, gei_sgemm_panels(f->isa, rows), f->packed);
    p->drops_input = UINT64_C(1) << SLOT_FILTER;
    p->packed_bytes = f->packed_bytes;
    return GE_OK;
}

ge_status gei_conv_sgemm_prepare(gei_prepare *p, gei_diag *diag) {
    GEI_TRY(gei_conv_fast_prepare(p, diag));
    return pack_filter(p->prepared, p, diag);
}

void gei_conv_fast_destroy(void *prepared) {
    conv_fast *f = prepared;
    if (f && f->packed) gei_free(f->from, f->packed, f->packed_bytes, GEI_ALIGN_BYTES);
}

static ge_status size_common(gei_sizing *s, conv_sized **out, gei_diag *diag) {
    conv_sized *c = gei_arena_new(s->arena, conv_sized);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    GEI_TRY(gei_conv_geometry(s, &c->conv, diag));
    s->sized = *out = c;
    s->cost = 2 * gei_conv_work(&c->conv) * (double)(c->conv.batch * c->conv.groups * c->conv.out_channels);
    return GE_OK;
}

ge_status gei_conv_depthwise_size(gei_sizing *s, gei_diag *diag) {
    conv_sized *c;
    GEI_TRY(size_common(s, &c, diag));
    int64_t planes = c->conv.batch * c->conv.groups * c->conv.out_channels;
    double each = gei_conv_work(&c->conv);
    s->part_scratch_bytes = gei_depthwise_scratch_floats(&c->conv) * sizeof(float);
    s->n_parts = gei_parts(planes, each > 0 && each < PART_TAPS ? (int64_t)(PART_TAPS / each) + 1 : 1);
    return GE_OK;
}

/* Few panels give threads too little to share: output channels are cut as well.  Where columns are gathered, each cut gathers its own. */
static void cut_channels(const gei_sgemm_isa *isa, conv_sized *c) {
    bool in_place = gei_conv_is_pointwise(&c->conv);
    int64_t panels = c->conv.batch * c->conv.groups * c->panels, wanted = in_place ? UNITS_WANTED : panels < UNITS_WANTED / 2 ? 2 * panels : panels;
    int64_t tiles = (c->conv.out_channels + isa->mr - 1) / isa->mr, most = tiles / CUT_TILES;
    int64_t cuts = panels > 0 ? (wanted + panels - 1) / panels : 1;
    if (cuts > most) cuts = most;
    if (cuts < 1) cuts = 1;
    c->cut_rows = (tiles + cuts - 1) / cuts * isa->mr;
    c->cuts = c->cut_rows > 0 ? (c->conv.out_channels + c->cut_rows - 1) / c->cut_rows : 1;
}

ge_status gei_conv_sgemm_size(gei_sizing *s, gei_diag *diag) {
    const conv_fast *f = s->prepared;
    conv_sized *c;
    GEI_TRY(size_common(s, &c, diag));
    c->panels = gei_sgemm_panels(f->isa, gei_conv_pixels(&c->conv));
    cut_channels(f->isa, c);
    int64_t units = c->conv.batch * c->conv.groups * c->panels * c->cuts;
    double each = units > 0 ? s->cost / (double)units : 0;
    s->n_parts = gei_parts(units, each > 0 && each < PART_FLOPS ? (int64_t)(PART_FLOPS / each) + 1 : 1);
    s->part_scratch_bytes = gei_conv_sgemm_scratch_bytes(f->isa);
    return GE_OK;
}

ge_status gei_conv_pixels_size(gei_sizing *s, gei_diag *diag) {
    const conv_fast *f = s->prepared;
    conv_sized *c;
    GEI_TRY(size_common(s, &c, diag));
    c->panels = gei_sgemm_panels(f->isa, c->conv.out_channels);
    c->cuts = c->panels < MOST_GATHERS ? c->panels : MOST_GATHERS;
    gei_conv_sgemm g = { .conv = &c->conv, .isa = f->isa };
    s->n_parts = gei_parts(c->conv.batch * c->cuts, 1);
    s->part_scratch_bytes = gei_conv_pixels_scratch_bytes(&g);
    return s->part_scratch_bytes ? GE_OK : gei_out_of_memory(diag, SIZE_MAX);
}

static const float *bias_of(const gei_run *run) {
    return run->n_in > SLOT_BIAS && run->in[SLOT_BIAS] ? run->in[SLOT_BIAS]->data : NULL;
}

ge_status gei_conv_depthwise_run(const gei_run *run, uint32_t part) {
    const conv_sized *c = run->sized;
    const conv_fast *f = run->prepared;
    int64_t begin, end;
    gei_depthwise d = { .conv = &c->conv, .x = run->in[SLOT_X]->data, .filter = run->in[SLOT_FILTER]->data, .bias = bias_of(run),
                        .y = run->out[0]->data, .act = f->act, .lo = f->low, .hi = f->high };
    gei_part_range(c->conv.batch * c->conv.groups * c->conv.out_channels, run->n_parts, part, &begin, &end);
    f->depthwise(&d, begin, end, run->scratch);
    return GE_OK;
}

/* One cut of output channels of one image and group. */
static gei_conv_sgemm product_of(const gei_run *run, int64_t image, int64_t group) {
    const conv_sized *s = run->sized;
    const conv_fast *f = run->prepared;
    const gei_conv *c = &s->conv;
    const float *bias = bias_of(run);
    int64_t out = group * c->out_channels;
    return (gei_conv_sgemm){ .conv = c, .isa = f->isa, .x = (const float *)run->in[SLOT_X]->data + image * c->x_batch + group * c->in_channels * c->x_channel,
                             .filter = f->packed ? f->packed + (size_t)group * f->group_floats : (const float *)run->in[SLOT_FILTER]->data + out * c->w_out,
                             .packed = f->packed != NULL, .bias = bias ? bias + out : NULL,
                             .y = (float *)run->out[0]->data + image * c->y_batch + out * c->y_channel, .act = f->act, .lo = f->low, .hi = f->high };
}

/* Units: for each image, group and cut of its output channels the panels, one after the other. */
ge_status gei_conv_sgemm_run_step(const gei_run *run, uint32_t part) {
    const conv_sized *s = run->sized;
    const gei_conv *c = &s->conv;
    float *scratch = (float *)run->scratch;
    int64_t begin, end;
    gei_part_range(c->batch * c->groups * s->cuts * s->panels, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end;) {
        int64_t unit = at / s->panels, first = at % s->panels, last = end - at < s->panels - first ? first + end - at : s->panels;
        int64_t row = unit % s->cuts * s->cut_rows, of_group = unit / s->cuts;
        int64_t row_end = row + s->cut_rows < c->out_channels ? row + s->cut_rows : c->out_channels;
        gei_conv_sgemm g = product_of(run, of_group / c->groups, of_group % c->groups);
        gei_conv_sgemm_run(&g, row, row_end, first, last, scratch);
        at += last - first;
    }
    return GE_OK;
}

/* Units: cuts of the panels of output channels of each image. */
ge_status gei_conv_pixels_run_step(const gei_run *run, uint32_t part) {
    const conv_sized *s = run->sized;
    int64_t begin, end, first, last;
    gei_part_range(s->conv.batch * s->cuts, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        gei_conv_sgemm g = product_of(run, at / s->cuts, 0);
        gei_part_range(s->panels, (uint32_t)s->cuts, (uint32_t)(at % s->cuts), &first, &last);
        gei_conv_pixels_run(&g, first, last, (float *)run->scratch);
    }
    return GE_OK;
}
