/* SPDX-License-Identifier: Apache-2.0 */
/* GeCausalConv (ours, ONNX CausalConvWithState): each channel of x [batch, channels, length] with its own filter [channels, 1, k] over the
 * k - 1 elements before and the element itself; past_state [batch, channels, k - 1] stands before x, zeros when absent.  present_state are
 * the last k - 1 elements of both.  activation silu or swish: v / (1 + exp(-v)). */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"

enum { SLOT_X, SLOT_FILTER, SLOT_BIAS, SLOT_STATE };
enum { OUT_Y, OUT_STATE };

static ge_status read_activation(const gei_node *node, bool *out_silu, gei_diag *diag) {
    const char *text = gei_node_text(node, "activation", "none");
    *out_silu = strcmp(text, "silu") == 0 || strcmp(text, "swish") == 0;
    if (*out_silu || strcmp(text, "none") == 0) return GE_OK;
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "activation", "'%s' is neither none, silu nor swish", text);
}

static ge_status infer_causal(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    bool silu;
    GEI_TRY(read_activation(i->node, &silu, i->diag));
    GEI_TRY(gei_infer_same_dtype(i, SLOT_X, 2, &i->out[OUT_Y].dtype));
    for (uint32_t slot = SLOT_X; slot <= SLOT_STATE; slot++) {
        int32_t rank = slot == SLOT_BIAS ? 1 : 3;
        const gei_info *in = gei_infer_in(i, slot);
        if (!in) continue;
        GEI_TRY(gei_check_float(i, slot));
        GEI_TRY(gei_infer_rank(i, slot, rank, rank));
        if (in->dtype != i->out[OUT_Y].dtype && in->dtype != GEI_UNDEFINED && i->out[OUT_Y].dtype != GEI_UNDEFINED)
            return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, slot), "data type %s, wanted %s", gei_dtype_name(in->dtype),
                                  gei_dtype_name(i->out[OUT_Y].dtype));
    }
    gei_dim batch = gei_check_dim_of(i, SLOT_X, 0), channels = gei_check_dim_of(i, SLOT_X, 1), k = gei_check_dim_of(i, SLOT_FILTER, 2);
    if (gei_dim_known(k) && k < 1) return gei_infer_fail(i, GE_ERR_SHAPE, "filter", "is empty");
    gei_dim before = gei_dim_known(k) ? k - 1 : GEI_DIM_UNKNOWN;
    GEI_TRY(gei_check_dim(i, SLOT_FILTER, 0, channels, "count of channels of x"));
    GEI_TRY(gei_check_dim(i, SLOT_FILTER, 1, 1, "one channel each filter sees"));
    GEI_TRY(gei_check_dim(i, SLOT_BIAS, 0, channels, "count of channels of x"));
    GEI_TRY(gei_check_dim(i, SLOT_STATE, 0, batch, "batch of x"));
    GEI_TRY(gei_check_dim(i, SLOT_STATE, 1, channels, "count of channels of x"));
    GEI_TRY(gei_check_dim(i, SLOT_STATE, 2, before, "size of the filter less 1"));
    i->out[OUT_Y].shape = *x;
    i->out[OUT_STATE].dtype = i->out[OUT_Y].dtype;
    i->out[OUT_STATE].shape = gei_shape_of(3, (gei_dim[]){ batch, channels, before });
    return GE_OK;
}

static ge_status size_causal(gei_sizing *s, gei_diag *diag) {
    int64_t length = s->in[SLOT_X]->shape.dims[2], k = s->in[SLOT_FILTER]->shape.dims[2];
    double each = (double)length * (double)k + 1;
    size_t numbers;
    s->n_parts = gei_parts(gei_dim_product(&s->in[SLOT_X]->shape, 0, 2), each < 65536 ? (int64_t)(65536 / each) + 1 : 1);
    s->cost = 2 * each * (double)gei_dim_product(&s->in[SLOT_X]->shape, 0, 2);
    if (!gei_add((size_t)length, 2 * (size_t)k, &numbers) || !gei_mul(numbers, sizeof(double), &s->part_scratch_bytes))
        return gei_out_of_memory(diag, SIZE_MAX);
    return GE_OK;
}

static ge_status run_causal(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[SLOT_X], *w = run->in[SLOT_FILTER];
    const gei_view *bias = run->n_in > SLOT_BIAS ? run->in[SLOT_BIAS] : NULL, *past = run->n_in > SLOT_STATE ? run->in[SLOT_STATE] : NULL;
    int64_t channels = x->dims[1], length = x->dims[2], k = w->dims[2], before = k - 1, begin, end;
    double *filter = (double *)run->scratch, *line = filter + k;
    bool silu;
    GEI_TRY(read_activation(run->node, &silu, run->diag));
    gei_part_range(x->dims[0] * channels, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        double start = bias ? gei_view_f64(bias, row % channels) : 0;
        gei_load_f64(w->dtype, w->data, row % channels * k, k, filter);
        for (int64_t j = 0; j < before; j++) line[j] = 0;
        if (past) gei_load_f64(x->dtype, past->data, row * before, before, line);
        gei_load_f64(x->dtype, x->data, row * length, length, line + before);
        gei_store_f64(x->dtype, line + length, run->out[OUT_STATE]->data, row * before, before);
        for (int64_t t = 0; t < length; t++) {
            double sum = start;
            for (int64_t j = 0; j < k; j++) sum += filter[j] * line[t + j];
            line[t] = silu ? sum / (1 + exp(-sum)) : sum; /* no later sum reads it */
        }
        gei_store_f64(x->dtype, line, run->out[OUT_Y]->data, row * length, length);
    }
    return GE_OK;
}

static const gei_kernel causal_kernels[] = { { .name = "ref", .size = size_causal, .run = run_causal }, { 0 } };
static const gei_attr_map causal_attrs[] = { { "activation", "activation", NULL }, { NULL, NULL, NULL } };
static const gei_source causal_sources[] = { { GEI_FROM_ONNX, "CausalConvWithState", 27, NULL, causal_attrs }, { 0 } };

GEI_OP(GeCausalConv) = { .name = "GeCausalConv", .infer = infer_causal, .kernels = causal_kernels, .sources = causal_sources, .traits = GEI_OP_PURE };
