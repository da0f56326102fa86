/* SPDX-License-Identifier: Apache-2.0 */
/* GeCol2Im: x [N, C * block places, blocks] as an image [N, C, places...] to which overlapping blocks are added; any number of spatial
 * dims.  pads are all begins, then all ends. */
#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_X, SLOT_IMAGE, SLOT_BLOCK };

#define MAX_PLACES (GEI_MAX_RANK - 2)

typedef struct fold {
    int32_t n;                                /* spatial dims */
    int64_t batch, channels, blocks, taps;    /* taps: places of a block */
    int64_t image[MAX_PLACES], block[MAX_PLACES], steps[MAX_PLACES]; /* steps: blocks along an axis */
    int64_t stride[MAX_PLACES], dilation[MAX_PLACES], pad[MAX_PLACES];
} fold;

static ge_status read_list(const gei_infer *i, const char *name, int64_t absent, int64_t least, size_t wanted, int64_t *out) {
    gei_int_list list = gei_node_ints(i->node, name);
    gei_words words;
    if (list.count != 0 && list.count != wanted)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%s has %zu entries, wanted %zu", gei_ints_words(list.data, list.count, &words), list.count, wanted);
    for (size_t k = 0; k < wanted; k++) {
        out[k] = list.count ? list.data[k] : absent;
        if (out[k] < least || out[k] > INT32_MAX)
            return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%s: %lld is not within %lld and %d", gei_ints_words(list.data, list.count, &words),
                                  (long long)out[k], (long long)least, INT32_MAX);
    }
    return GE_OK;
}

static ge_status read_sizes(const gei_infer *i, uint32_t slot, int64_t *out, size_t *count, bool *out_known) {
    gei_words words;
    *out_known = gei_infer_ints(i, slot, out, MAX_PLACES, count);
    for (size_t k = 0; *out_known && k < *count; k++)
        if (out[k] < 1 || out[k] > INT32_MAX)
            return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%s: %lld is no size", gei_ints_words(out, *count, &words), (long long)out[k]);
    return GE_OK;
}

/* Everything but what x says.  *out_known false: the sizes are not known yet. */
static ge_status read_fold(const gei_infer *i, fold *f, bool *out_known) {
    size_t n_image = 0, n_block = 0;
    int64_t pads[2 * MAX_PLACES];
    bool both;
    *f = (fold){ .blocks = 1, .taps = 1 };
    GEI_TRY(read_sizes(i, SLOT_IMAGE, f->image, &n_image, out_known));
    GEI_TRY(read_sizes(i, SLOT_BLOCK, f->block, &n_block, &both));
    if (!*out_known || !both) {
        *out_known = false;
        return GE_OK;
    }
    if (n_image != n_block || n_image == 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "block_shape", "%zu entries, image_shape has %zu", n_block, n_image);
    f->n = (int32_t)n_image;
    GEI_TRY(read_list(i, "strides", 1, 1, n_image, f->stride));
    GEI_TRY(read_list(i, "dilations", 1, 1, n_image, f->dilation));
    GEI_TRY(read_list(i, "pads", 0, 0, 2 * n_image, pads));
    for (int32_t d = 0; d < f->n; d++) {
        int64_t room = f->image[d] + pads[d] + pads[f->n + d] - (f->dilation[d] * (f->block[d] - 1) + 1);
        f->pad[d] = pads[d];
        f->steps[d] = room < 0 ? 0 : room / f->stride[d] + 1;
        if (!gei_mul_i64(f->blocks, f->steps[d], &f->blocks) || !gei_mul_i64(f->taps, f->block[d], &f->taps))
            return gei_infer_fail(i, GE_ERR_SHAPE, "block_shape", "the number of places does not fit 64 bits");
    }
    return GE_OK;
}

static ge_status infer_fold(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *image = &i->in[SLOT_IMAGE]->shape;
    int32_t dtype = i->in[SLOT_X]->dtype;
    fold f;
    bool known;
    gei_words words;
    i->out[0].dtype = dtype;
    if (dtype != GEI_UNDEFINED && !gei_dtype_is_real(dtype))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, 3));
    GEI_TRY(gei_infer_rank(i, SLOT_IMAGE, 1, 1));
    GEI_TRY(gei_infer_rank(i, SLOT_BLOCK, 1, 1));
    if (image->rank == 1 && gei_dim_known(image->dims[0]) && image->dims[0] > MAX_PLACES)
        return gei_infer_fail(i, GE_ERR_RANK, "image_shape", "%lld entries, at most %d", (long long)image->dims[0], MAX_PLACES);
    GEI_TRY(read_fold(i, &f, &known));
    gei_shape *y = &i->out[0].shape;
    if (!known) {
        if (image->rank != 1 || !gei_dim_known(image->dims[0])) return GE_OK;
        y->rank = (int32_t)image->dims[0] + 2;
        for (int32_t d = 0; d < y->rank; d++) y->dims[d] = d == 0 && x->rank == 3 ? x->dims[0] : GEI_DIM_UNKNOWN;
        return GE_OK;
    }
    bool ok = x->rank < 0 || ((!gei_dim_known(x->dims[1]) || x->dims[1] % f.taps == 0) && (!gei_dim_known(x->dims[2]) || x->dims[2] == f.blocks));
    if (!ok)
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "shape %s, wanted a multiple of %lld and %lld blocks", gei_shape_words(x, &words), (long long)f.taps,
                              (long long)f.blocks);
    y->rank = f.n + 2;
    y->dims[0] = x->rank < 0 ? GEI_DIM_UNKNOWN : x->dims[0];
    y->dims[1] = x->rank < 0 || !gei_dim_known(x->dims[1]) ? GEI_DIM_UNKNOWN : x->dims[1] / f.taps;
    for (int32_t d = 0; d < f.n; d++) y->dims[d + 2] = f.image[d];
    return GE_OK;
}

static ge_status size_fold(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    fold *f = gei_arena_new(s->arena, fold);
    bool known;
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    GEI_TRY(read_fold(&i, f, &known));
    if (!known) return gei_infer_fail(&i, GE_ERR_PLAN, "image_shape", "not known when the kernel is sized");
    f->batch = s->out[0].shape.dims[0];
    f->channels = s->out[0].shape.dims[1];
    int64_t n = 0;
    (void)gei_shape_elems(&s->out[0].shape, &n);
    s->sized = f;
    s->n_parts = gei_parts(n, 1024);
    s->cost = 5.0 * (double)n * (double)f->taps;
    return GE_OK;
}

/* Block that covers place `at` with its tap `tap`, along one axis; -1: none. */
static int64_t block_of(const fold *f, int32_t d, int64_t at, int64_t tap) {
    int64_t from = at + f->pad[d] - tap * f->dilation[d];
    if (from < 0 || from % f->stride[d] != 0 || from / f->stride[d] >= f->steps[d]) return -1;
    return from / f->stride[d];
}

typedef struct total {
    double real;
    uint64_t whole;
} total;

/* Sum over the taps that cover a place of one plane. */
static total sum_at(const fold *f, const gei_view *x, bool whole, int64_t plane, const int64_t *at) {
    total sum = { 0, 0 };
    for (int64_t tap = 0; tap < f->taps; tap++) {
        int64_t rest = tap, block = 0, scale = 1;
        bool covers = true;
        for (int32_t d = f->n - 1; d >= 0 && covers; d--) {
            int64_t b = block_of(f, d, at[d], rest % f->block[d]);
            rest /= f->block[d];
            covers = b >= 0;
            block += b * scale;
            scale *= f->steps[d];
        }
        if (!covers) continue;
        int64_t from = (plane * f->taps + tap) * f->blocks + block, number;
        double v;
        if (whole) {
            gei_load_i64(x->dtype, x->data, from, 1, &number);
            sum.whole += (uint64_t)number;
        } else {
            gei_load_f64(x->dtype, x->data, from, 1, &v);
            sum.real += v;
        }
    }
    return sum;
}

static ge_status run_fold(const gei_run *run, uint32_t part) {
    const fold *f = (const fold *)run->sized;
    const gei_view *x = run->in[SLOT_X], *y = run->out[0];
    bool whole = gei_dtype_get(x->dtype)->kind != GEI_KIND_FLOAT;
    int64_t begin, end;
    gei_part_range(y->n_elems, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t at[MAX_PLACES], rest = k;
        for (int32_t d = f->n - 1; d >= 0; d--) {
            at[d] = rest % f->image[d];
            rest /= f->image[d];
        }
        total sum = sum_at(f, x, whole, rest, at);
        int64_t number = (int64_t)sum.whole;
        if (whole) gei_store_i64(y->dtype, &number, y->data, k, 1);
        else gei_store_f64(y->dtype, &sum.real, y->data, k, 1);
    }
    return GE_OK;
}

static const gei_kernel fold_kernels[] = { { .name = "ref", .size = size_fold, .run = run_fold }, { 0 } };
static const gei_attr_map fold_attrs[] = { { "dilations", "dilations", NULL }, { "pads", "pads", NULL }, { "strides", "strides", NULL }, { NULL, NULL, NULL } };
static const gei_source fold_sources[] = { { GEI_FROM_ONNX, "Col2Im", 18, NULL, fold_attrs }, { 0 } };

GEI_OP(GeCol2Im) = { .name = "GeCol2Im", .infer = infer_fold, .kernels = fold_kernels, .sources = fold_sources, .traits = GEI_OP_PURE,
                     .needs_value = 1u << SLOT_IMAGE | 1u << SLOT_BLOCK };
