/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalisation over neighbouring channels: y = x / (bias + weight * sum of squares)^beta.
 *   LRN    window of depth_radius channels on both sides, weight alpha; channels are axis 1, or the last of an NHWC tensor
 *   GeLrn  window of size channels, the odd one behind, weight alpha / size: ONNX */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/nn_norm/norm.h"

static bool is_ge(const gei_node *node) { return gei_def_attr(node->def, "size") != NULL; }

static ge_status infer_lrn(gei_infer *i) {
    const char *region = gei_node_text(i->node, "norm_region", "ACROSS_CHANNELS");
    const char *name = is_ge(i->node) ? "size" : "depth_radius";
    int64_t size = gei_node_int(i->node, name, 1);
    GEI_TRY(gei_norm_check_dtype(i, 0));
    if (size < (is_ge(i->node) ? 1 : 0) || size > INT32_MAX) return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%lld is out of range", (long long)size);
    if (strcmp(region, "ACROSS_CHANNELS") != 0) return gei_infer_fail(i, GE_ERR_UNSUPPORTED, "norm_region", "'%s' is not supported", region);
    GEI_TRY(gei_infer_rank(i, 0, 2, GEI_MAX_RANK));
    return gei_infer_like_x(i);
}

/* ---- reference kernel: by blocks of neighbouring places ---- */

typedef struct lrn {
    int64_t batch, channels, places, blocks; /* blocks: of one batch entry */
    int64_t channel_step, place_step;
    int64_t before, behind;                  /* channels of the window */
    double weight, beta, bias;
} lrn;

static ge_status size_lrn(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    bool last = !is_ge(s->node) && s->in[0]->format == GE_FORMAT_NHWC;
    int64_t size = is_ge(s->node) ? gei_node_int(s->node, "size", 1) : 2 * gei_node_int(s->node, "depth_radius", 5) + 1;
    lrn *l = gei_arena_new(s->arena, lrn);
    if (!l) return gei_out_of_memory(diag, sizeof *l);
    l->batch = x->dims[0];
    l->channels = x->dims[last ? x->rank - 1 : 1];
    l->places = last ? gei_dim_product(x, 1, x->rank - 1) : gei_dim_product(x, 2, x->rank);
    l->channel_step = last ? 1 : l->places;
    l->place_step = last ? l->channels : 1;
    l->blocks = last ? l->places : (l->places + GEI_BLOCK - 1) / GEI_BLOCK;
    l->before = (size - 1) / 2;
    l->behind = size - 1 - l->before;
    l->weight = gei_node_float(s->node, "alpha", 1) / (is_ge(s->node) ? (double)size : 1);
    l->beta = gei_node_float(s->node, "beta", 0.5);
    l->bias = gei_node_float(s->node, "bias", 1);
    s->sized = l;
    s->n_parts = gei_parts(l->batch * l->blocks, 1);
    s->cost = (double)l->batch * (double)l->places * (double)l->channels * 40;
    return GE_OK;
}

/* `n` neighbouring places; with channels last a block is one place. */
static void run_block(const lrn *l, const gei_view *x, const gei_view *y, int64_t base, int64_t n) {
    double sums[GEI_BLOCK], values[GEI_BLOCK];
    for (int64_t c = 0; c < l->channels; c++) {
        int64_t from = c > l->before ? c - l->before : 0, to = l->channels - 1 - c > l->behind ? c + l->behind : l->channels - 1;
        for (int64_t p = 0; p < n; p++) sums[p] = 0;
        for (int64_t k = from; k <= to; k++) {
            gei_load_f64(x->dtype, x->data, base + k * l->channel_step, n, values);
            for (int64_t p = 0; p < n; p++) sums[p] += values[p] * values[p];
        }
        gei_load_f64(x->dtype, x->data, base + c * l->channel_step, n, values);
        for (int64_t p = 0; p < n; p++) values[p] /= pow(l->bias + l->weight * sums[p], l->beta);
        gei_store_f64(y->dtype, values, y->data, base + c * l->channel_step, n);
    }
}

static ge_status run_lrn(const gei_run *run, uint32_t part) {
    const lrn *l = (const lrn *)run->sized;
    int64_t begin, end, each = l->place_step == 1 ? GEI_BLOCK : 1;
    gei_part_range(l->batch * l->blocks, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t first = k % l->blocks * each, n = l->places - first < each ? l->places - first : each;
        run_block(l, run->in[0], run->out[0], k / l->blocks * l->channels * l->places + first * l->place_step, n);
    }
    return GE_OK;
}

static const gei_kernel lrn_kernels[] = { { .name = "ref", .size = size_lrn, .run = run_lrn }, { 0 } };

static const gei_attr_map lrn_attrs[] = { { "size", "size", NULL }, { "alpha", "alpha", "0.0001" }, { "beta", "beta", "0.75" }, { "bias", "bias", "1" },
                                          { NULL, NULL, NULL } };
static const gei_source lrn_sources[] = { { GEI_FROM_ONNX, "LRN", 1, NULL, lrn_attrs }, { 0 } };

GEI_OP(GeLrn) = { .name = "GeLrn", .infer = infer_lrn, .kernels = lrn_kernels, .sources = lrn_sources, .traits = GEI_OP_PURE };
GEI_OP(LRN) = { .name = "LRN", .infer = infer_lrn, .kernels = lrn_kernels, .traits = GEI_OP_PURE };
GEI_WIDEN(LRN, "*", "float");
