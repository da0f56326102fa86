/* SPDX-License-Identifier: Apache-2.0 */
/* GeToBlocks: [N, C, H, W] to [N, blocks of 16 channels, H, W, 16], the last block filled up with zeros; GeFromBlocks: back. */
#include "ops/blocked.h"

#define PART_FLOATS 32768 /* moved by a part: enough to pay for its start */

ge_status gei_infer_blocks(const gei_infer *i, uint32_t slot) {
    const gei_shape *x = &i->in[slot]->shape;
    GEI_TRY(gei_infer_rank(i, slot, 5, 5));
    if (x->rank < 0 || !gei_dim_known(x->dims[4]) || x->dims[4] == GEI_LANES_OF_BLOCK) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "the last dim is %lld, wanted %d", (long long)x->dims[4], GEI_LANES_OF_BLOCK);
}

ge_status gei_copy_declared(const gei_node *from, gei_node *to, gei_diag *diag) {
    for (uint32_t k = 0; k < from->attrs.count; k++) {
        const gei_named_attr *attr = &from->attrs.items[k];
        if (gei_def_attr(to->def, attr->name)) GEI_TRY(gei_node_set(to, attr->name, &attr->value, diag));
    }
    return GE_OK;
}

static ge_status check_dtype(gei_infer *i) {
    i->out[0].dtype = i->in[0]->dtype;
    if (i->in[0]->dtype == GEI_FLOAT32 || i->in[0]->dtype == GEI_UNDEFINED) return GE_OK;
    return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
}

static ge_status infer_to(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    GEI_TRY(check_dtype(i));
    GEI_TRY(gei_infer_rank(i, 0, 4, 4));
    gei_shape *y = &i->out[0].shape;
    y->rank = 5;
    for (int32_t d = 0; d < 4; d++) y->dims[d] = x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[d];
    y->dims[1] = gei_dim_blocks(y->dims[1]);
    y->dims[4] = GEI_LANES_OF_BLOCK;
    return GE_OK;
}

static ge_status infer_from(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    int64_t channels = gei_node_int(i->node, "channels", 0);
    GEI_TRY(check_dtype(i));
    GEI_TRY(gei_infer_blocks(i, 0));
    if (channels < 1) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "channels", "%lld is less than 1", (long long)channels);
    gei_shape *y = &i->out[0].shape;
    y->rank = 4;
    for (int32_t d = 0; d < 4; d++) y->dims[d] = x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[d];
    y->dims[1] = channels;
    if (x->rank < 0 || !gei_dim_known(x->dims[1]) || x->dims[1] == gei_channel_blocks(channels)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "x", "%lld blocks, wanted %lld for %lld channels", (long long)x->dims[1],
                          (long long)gei_channel_blocks(channels), (long long)channels);
}

static ge_status size_blocks(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    (void)diag;
    int64_t pixels = x->dims[2] * x->dims[3], blocks = x->dims[0] * (x->rank == 4 ? gei_channel_blocks(x->dims[1]) : x->dims[1]);
    s->n_parts = gei_parts(blocks, PART_FLOATS / (pixels * GEI_LANES_OF_BLOCK + 1) + 1);
    s->cost = (double)pixels * (double)blocks * GEI_LANES_OF_BLOCK;
    return GE_OK;
}

typedef void (*move_fn)(const float *x, int64_t channels, int64_t pixels, float *y, int64_t begin, int64_t end);

/* x and y of an image are `x_image` and `y_image` apart. */
static void move(const gei_run *run, uint32_t part, const gei_view *plain, move_fn fn, int64_t x_image, int64_t y_image) {
    int64_t channels = plain->dims[1], pixels = plain->dims[2] * plain->dims[3], blocks = gei_channel_blocks(channels), begin, end;
    gei_part_range(plain->dims[0] * blocks, run->n_parts, part, &begin, &end);
    for (int64_t at = begin; at < end; at++)
        fn((const float *)run->in[0]->data + at / blocks * x_image, channels, pixels, (float *)run->out[0]->data + at / blocks * y_image,
           at % blocks, at % blocks + 1);
}

static int64_t image_floats(const gei_view *v) { return v->dims[0] ? v->n_elems / v->dims[0] : 0; }

static ge_status run_to(const gei_run *run, uint32_t part) {
    move(run, part, run->in[0], gei_to_blocks, image_floats(run->in[0]), image_floats(run->out[0]));
    return GE_OK;
}

static ge_status run_from(const gei_run *run, uint32_t part) {
    move(run, part, run->out[0], gei_from_blocks, image_floats(run->in[0]), image_floats(run->out[0]));
    return GE_OK;
}

static const gei_kernel to_kernels[] = { { .name = "ref", .size = size_blocks, .run = run_to }, { 0 } };
static const gei_kernel from_kernels[] = { { .name = "ref", .size = size_blocks, .run = run_from }, { 0 } };

GEI_OP(GeToBlocks) = { .name = "GeToBlocks", .infer = infer_to, .kernels = to_kernels, .traits = GEI_OP_PURE | GEI_OP_BLOCKS };
GEI_OP(GeFromBlocks) = { .name = "GeFromBlocks", .infer = infer_from, .kernels = from_kernels, .traits = GEI_OP_PURE | GEI_OP_UNBLOCKS };
