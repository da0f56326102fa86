/* SPDX-License-Identifier: Apache-2.0 */
/* blocked_winograd: 3x3 windows over blocks of channels, where the saved products outweigh the transforms. */
#include "ops/nn_calculation/blocked_conv.h"

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS };

#define FEWEST_CHANNELS 24   /* below, the transforms of inputs or outputs cost more than they save */
#define MOST_IN_CHANNELS 512 /* points of one row of tiles stay in the second-level cache */
#define FEWEST_TILES 36      /* fewer do not pay for reading 16/9 of the weights */
#define UNITS_WANTED 4       /* of an image, so that threads share it */

static bool all_are(const gei_node *node, const char *name, int64_t wanted) {
    gei_int_list list = gei_node_ints(node, name);
    for (size_t i = 0; i < list.count; i++)
        if (list.data[i] != wanted) return false;
    return true;
}

bool gei_blocked_winograd_accepts(const gei_choice *c, gei_reason *why) {
    const gei_shape *x = &c->in[SLOT_X]->shape, *filter = &c->in[SLOT_FILTER]->shape, *y = &c->out->shape;
    if (!gei_blocked_conv_fits(c, why)) return false;
    if (x->rank != 5) return gei_refuse(why, "x is plain");
    if (filter->dims[2] != 3 || filter->dims[3] != 3) return gei_refuse(why, "kernel is not 3x3");
    if (!all_are(c->node, "strides", 1) || !all_are(c->node, "dilations", 1)) return gei_refuse(why, "stride or dilation is not 1");
    if (gei_node_int(c->node, "groups", 1) != 1) return gei_refuse(why, "more than one group");
    if (filter->dims[0] < FEWEST_CHANNELS || filter->dims[1] < FEWEST_CHANNELS) return gei_refuse(why, "fewer than %d channels", FEWEST_CHANNELS);
    if (filter->dims[1] > MOST_IN_CHANNELS) return gei_refuse(why, "more than %d input channels", MOST_IN_CHANNELS);
    bool known = y->rank == 5 && y->dims[2] >= 0 && y->dims[3] >= 0 && y->dims[2] < 4096 && y->dims[3] < 4096;
    if (known && (y->dims[2] + 1) / 2 * ((y->dims[3] + 1) / 2) < FEWEST_TILES) return gei_refuse(why, "fewer than %d tiles", FEWEST_TILES);
    return true;
}

/* The filter itself stays: sums that are not finite are made again from it. */
ge_status gei_blocked_winograd_prepare(gei_prepare *p, gei_diag *diag) {
    const gei_tensor *filter = p->choice->in[SLOT_FILTER]->tensor;
    size_t work_bytes;
    GEI_TRY(gei_blocked_prepare_common(p, gei_blocked_winograd_filter_floats(filter->dims[1], filter->dims[0]), diag));
    gei_blocked_prepared *f = p->prepared;
    if (!gei_mul(GEI_BLOCKED_POINTS * sizeof(float), (size_t)(filter->dims[0] * filter->dims[1]), &work_bytes)) return gei_out_of_memory(diag, SIZE_MAX);
    float *work = gei_alloc(f->from, work_bytes, GEI_ALIGN_BYTES);
    if (!work) return gei_out_of_memory(diag, work_bytes);
    gei_blocked_winograd_pack(f->isa, filter->dims[1], filter->dims[0], filter->data, work, f->filter);
    gei_free(f->from, work, work_bytes, GEI_ALIGN_BYTES);
    p->drops_input = UINT64_C(1) << SLOT_BIAS;
    return GE_OK;
}

/* Units: for each image and cut of its panels the runs of tiles. */
ge_status gei_blocked_winograd_size(gei_sizing *s, gei_diag *diag) {
    const gei_blocked_prepared *f = s->prepared;
    gei_blocked_sized *c;
    GEI_TRY(gei_blocked_size_common(s, &c, diag));
    int64_t tiles = gei_blocked_tiles(&c->conv.window);
    c->panels = gei_blocked_panels(f->isa, c->conv.out_channels);
    c->unit_pixels = gei_blocked_tiles_at_once(&c->conv);
    c->units = (tiles + c->unit_pixels - 1) / c->unit_pixels;
    int64_t units = c->batch * c->units;
    c->cuts = units > 0 && units < UNITS_WANTED ? (UNITS_WANTED + units - 1) / units : 1;
    if (c->cuts > c->panels) c->cuts = c->panels;
    s->cost /= 2;
    s->n_parts = gei_parts(units * c->cuts, 1);
    s->part_scratch_bytes = gei_blocked_winograd_scratch_floats(f->isa, &c->conv) * sizeof(float);
    return GE_OK;
}

ge_status gei_blocked_winograd_run_step(const gei_run *run, uint32_t part) {
    const gei_blocked_sized *s = run->sized;
    const gei_blocked_prepared *f = run->prepared;
    int64_t tiles = gei_blocked_tiles(&s->conv.window), begin, end, first, last;
    gei_part_range(s->batch * s->cuts * s->units, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        int64_t unit = at % s->units, cut = at / s->units, from = unit * s->unit_pixels, to = from + s->unit_pixels < tiles ? from + s->unit_pixels : tiles;
        gei_blocked_conv c = gei_blocked_conv_of(run, cut / s->cuts);
        gei_part_range(s->panels, (uint32_t)s->cuts, (uint32_t)(cut % s->cuts), &first, &last);
        gei_blocked_winograd_run(f->isa, &c, run->in[SLOT_FILTER]->data, from, to, first, last, run->scratch);
    }
    return GE_OK;
}
