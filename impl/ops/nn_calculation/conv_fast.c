/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/nn_calculation/conv_fast.h"

#include <math.h>

#include "kernels/conv_sgemm.h"
#include "kernels/depthwise.h"
#include "ops/sgemm_isa.h"

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS };

#define PART_FLOPS 2e6      /* one part of a product: enough to pay for its start */
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
    f->depthwise(&d, begin, end, run->part_scratch_bytes ? (float *)(void *)(run->scratch + part * run->part_scratch_bytes) : NULL);
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
    float *scratch = (float *)(void *)(run->scratch + part * run->part_scratch_bytes);
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
