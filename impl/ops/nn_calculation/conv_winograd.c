/* SPDX-License-Identifier: Apache-2.0 */
/* conv_winograd: convolutions with constant 3x3 filters, stride 1, where the saved products outweigh the transforms. */
#include <math.h>

#include "kernels/winograd.h"
#include "ops/nn_calculation/conv_fast.h"
#include "ops/sgemm_isa.h"

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS };

#define FEWEST_CHANNELS 24  /* below, the transforms of inputs or outputs cost more than they save */
#define MOST_IN_CHANNELS 384 /* V of one panel stays in the second-level cache */
#define FEWEST_TILES 25     /* fewer fill too little of a panel */
#define PARTS_WANTED 8      /* fewer panels than this: output channels are cut in two */

typedef struct prepared {
    const gei_sgemm_isa *product;
    const gei_winograd_isa *isa;
    float low, high;
    const gei_allocator *from;
    float *u;
    size_t u_bytes;
} prepared;

typedef struct sized {
    gei_conv conv;
    int64_t panels, cuts, cut_rows; /* of one image; of the output channels */
} sized;

static bool all_are(const gei_node *node, const char *name, int64_t wanted) {
    gei_int_list list = gei_node_ints(node, name);
    for (size_t i = 0; i < list.count; i++)
        if (list.data[i] != wanted) return false;
    return true;
}

bool gei_conv_winograd_accepts(const gei_choice *c, gei_reason *why) {
    const gei_shape *filter = &c->in[SLOT_FILTER]->shape, *y = &c->out->shape;
    if (!gei_conv_sgemm_accepts(c, why)) return false;
    if (!c->in[SLOT_FILTER]->tensor) return gei_refuse(why, "filter is no constant");
    if (filter->rank != 4 || filter->dims[2] != 3 || filter->dims[3] != 3) return gei_refuse(why, "kernel is not 3x3");
    if (!all_are(c->node, "strides", 1) || !all_are(c->node, "dilations", 1)) return gei_refuse(why, "stride or dilation is not 1");
    if (gei_node_int(c->node, "groups", 1) != 1) return gei_refuse(why, "more than one group");
    if (filter->dims[0] < FEWEST_CHANNELS || filter->dims[1] < FEWEST_CHANNELS)
        return gei_refuse(why, "fewer than %d channels", FEWEST_CHANNELS);
    if (filter->dims[1] > MOST_IN_CHANNELS) return gei_refuse(why, "more than %d input channels", MOST_IN_CHANNELS);
    if (y->rank == 4 && y->dims[2] >= 0 && y->dims[3] >= 0 && y->dims[2] < 4096 && y->dims[3] < 4096 &&
        (y->dims[2] + 1) / 2 * ((y->dims[3] + 1) / 2) < FEWEST_TILES)
        return gei_refuse(why, "fewer than %d tiles", FEWEST_TILES);
    return true;
}

static ge_status make_u(prepared *f, const gei_tensor *filter, gei_diag *diag) {
    int64_t rows = filter->dims[0], k = filter->dims[1];
    size_t floats = gei_winograd_filter_floats(f->product, rows, k), work_bytes;
    if (floats == 0 || !gei_mul(GEI_WINOGRAD_POINTS * sizeof(float), (size_t)(rows * k), &work_bytes)) return gei_out_of_memory(diag, SIZE_MAX);
    float *work = gei_alloc(f->from, work_bytes, GEI_ALIGN_BYTES);
    if (!work) return gei_out_of_memory(diag, work_bytes);
    f->u_bytes = floats * sizeof(float);
    f->u = gei_alloc(f->from, f->u_bytes, GEI_ALIGN_BYTES);
    if (f->u) gei_winograd_filter(f->product, filter->data, rows, k, work, f->u);
    gei_free(f->from, work, work_bytes, GEI_ALIGN_BYTES);
    return f->u ? GE_OK : gei_out_of_memory(diag, f->u_bytes);
}

ge_status gei_conv_winograd_prepare(gei_prepare *p, gei_diag *diag) {
    prepared *f = gei_arena_new(p->arena, prepared);
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    uint32_t isa = p->choice->isa;
    f->product = gei_sgemm_isa_for(isa);
    f->isa = isa & GEI_ISA_AVX512 ? &gei_winograd_avx512 : isa & GEI_ISA_AVX2 ? &gei_winograd_avx2 : &gei_winograd_portable;
    if (!gei_node_clip(p->choice->node, &f->low, &f->high)) {
        f->low = -INFINITY;
        f->high = INFINITY;
    }
    f->from = p->from;
    p->prepared = f;
    GEI_TRY(make_u(f, p->choice->in[SLOT_FILTER]->tensor, diag));
    p->packed_bytes = f->u_bytes; /* the filter itself stays: sums that are not finite are made again from it */
    return GE_OK;
}

void gei_conv_winograd_destroy(void *p) {
    prepared *f = p;
    if (f && f->u) gei_free(f->from, f->u, f->u_bytes, GEI_ALIGN_BYTES);
}

ge_status gei_conv_winograd_size(gei_sizing *s, gei_diag *diag) {
    const prepared *f = s->prepared;
    sized *c = gei_arena_new(s->arena, sized);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    GEI_TRY(gei_conv_geometry(s, &c->conv, diag));
    s->sized = c;
    c->panels = gei_sgemm_panels(f->product, gei_winograd_tiles(&c->conv.window));
    int64_t panels = c->conv.batch * c->panels, blocks = (c->conv.out_channels + GEI_WINOGRAD_ROWS - 1) / GEI_WINOGRAD_ROWS;
    c->cuts = panels < PARTS_WANTED && blocks > 1 ? 2 : 1;
    c->cut_rows = (blocks + c->cuts - 1) / c->cuts * GEI_WINOGRAD_ROWS;
    s->n_parts = gei_parts(panels * c->cuts, 1);
    s->part_scratch_bytes = gei_winograd_scratch_floats(f->product, c->conv.in_channels) * sizeof(float);
    s->cost = 2 * gei_conv_work(&c->conv) * (double)(c->conv.batch * c->conv.out_channels) / 2;
    return GE_OK;
}

ge_status gei_conv_winograd_run(const gei_run *run, uint32_t part) {
    const sized *s = run->sized;
    const prepared *f = run->prepared;
    const gei_conv *c = &s->conv;
    int64_t begin, end;
    gei_part_range(c->batch * s->panels * s->cuts, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        int64_t panel = at / s->cuts % s->panels, image = at / s->cuts / s->panels, row = at % s->cuts * s->cut_rows;
        gei_winograd g = { .conv = c, .product = f->product, .isa = f->isa, .x = (const float *)run->in[SLOT_X]->data + image * c->x_batch,
                           .filter = run->in[SLOT_FILTER]->data, .u = f->u, .y = (float *)run->out[0]->data + image * c->y_batch,
                           .bias = run->n_in > SLOT_BIAS && run->in[SLOT_BIAS] ? run->in[SLOT_BIAS]->data : NULL,
                           .lo = f->low, .hi = f->high };
        int64_t last = row + s->cut_rows < c->out_channels ? row + s->cut_rows : c->out_channels;
        gei_winograd_run(&g, panel, row, last, (float *)run->scratch);
    }
    return GE_OK;
}
