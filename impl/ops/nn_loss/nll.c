/* SPDX-License-Identifier: Apache-2.0 */
/* NLLLoss, SoftmaxCrossEntropyLoss: -weight[label] * x[label] for each place, x being given or the logarithm of the softmax of the scores.
 * x is [batch, classes, places...], labels [batch, places...].  reduction: none, sum, or mean, which divides by the sum of the weights used.
 * Places labelled ignore_index count nothing.  More than two dims are ours. */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"

enum { SLOT_X, SLOT_LABELS, SLOT_WEIGHT };
enum { OUT_LOSS, OUT_MORE /* total weight, or log probabilities */ };
enum { NO_REDUCTION, SUM, MEAN };

#define IGNORES_NOTHING INT64_MIN /* no label */

static ge_status read_reduction(const gei_node *node, int *out, gei_diag *diag) {
    const char *text = gei_node_text(node, "reduction", "mean");
    *out = strcmp(text, "none") == 0 ? NO_REDUCTION : strcmp(text, "sum") == 0 ? SUM : MEAN;
    if (*out != MEAN || strcmp(text, "mean") == 0) return GE_OK;
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "reduction", "'%s' is neither none, sum nor mean", text);
}

static ge_status infer_loss(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    const gei_info *weight = gei_infer_in(i, SLOT_WEIGHT);
    int reduction;
    GEI_TRY(read_reduction(i->node, &reduction, i->diag));
    for (uint32_t slot = 0; slot < i->n_in; slot++)
        if (slot != SLOT_LABELS) GEI_TRY(gei_check_float(i, slot));
    if (weight && weight->dtype != i->in[SLOT_X]->dtype && weight->dtype != GEI_UNDEFINED && i->in[SLOT_X]->dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, SLOT_WEIGHT), "data type %s, wanted %s", gei_dtype_name(weight->dtype),
                              gei_dtype_name(i->in[SLOT_X]->dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 2, GEI_MAX_RANK));
    GEI_TRY(gei_infer_rank(i, SLOT_WEIGHT, 1, 1));
    GEI_TRY(gei_check_dim(i, SLOT_WEIGHT, 0, gei_check_dim_of(i, SLOT_X, 1), "count of classes"));
    if (x->rank >= 0) GEI_TRY(gei_infer_rank(i, SLOT_LABELS, x->rank - 1, x->rank - 1));
    for (int32_t d = 0; d < x->rank - 1; d++) GEI_TRY(gei_check_dim(i, SLOT_LABELS, d, x->dims[d == 0 ? 0 : d + 1], "size in the first input"));
    for (uint32_t o = 0; o < i->n_out; o++) i->out[o].dtype = i->in[SLOT_X]->dtype;
    i->out[OUT_LOSS].shape = reduction == NO_REDUCTION ? i->in[SLOT_LABELS]->shape : gei_shape_scalar();
    return GE_OK;
}

static ge_status infer_nll(gei_infer *i) {
    GEI_TRY(infer_loss(i));
    i->out[OUT_MORE].shape = gei_shape_scalar();
    return GE_OK;
}

static ge_status infer_softmax(gei_infer *i) {
    GEI_TRY(infer_loss(i));
    i->out[OUT_MORE].shape = i->in[SLOT_X]->shape;
    return GE_OK;
}

/* ---- reference kernels ---- */

typedef struct loss { /* of one run */
    const gei_run *run;
    int64_t classes, places, ignored; /* places: after the classes */
    int reduction;
    double sum, weights;
} loss;

static ge_status begin_loss(const gei_run *run, loss *l) {
    const gei_view *x = run->in[SLOT_X];
    *l = (loss){ .run = run, .classes = x->dims[1], .places = 1, .ignored = gei_node_int(run->node, "ignore_index", IGNORES_NOTHING) };
    for (int32_t d = 2; d < x->rank; d++) l->places *= x->dims[d];
    return read_reduction(run->node, &l->reduction, run->diag);
}

/* Place `index` of the labels; x is asked for the element of its class by offset. */
static ge_status add_place(loss *l, int64_t index, const gei_view *x) {
    const gei_view *labels = l->run->in[SLOT_LABELS], *weight = l->run->n_in > SLOT_WEIGHT ? l->run->in[SLOT_WEIGHT] : NULL;
    int64_t label = gei_view_i64(labels, index);
    double w = 0, value = 0;
    if (label != l->ignored) {
        if (label < 0 || label >= l->classes)
            return gei_run_fail(l->run, 0, l->run->node->def->inputs[SLOT_LABELS].name, "%lld is not within 0 and %lld classes", (long long)label, (long long)l->classes);
        w = weight ? gei_view_f64(weight, label) : 1;
        value = -w * gei_view_f64(x, (index / l->places * l->classes + label) * l->places + index % l->places);
    }
    l->sum += value;
    l->weights += w;
    if (l->reduction == NO_REDUCTION) gei_store_f64(l->run->out[OUT_LOSS]->dtype, &value, l->run->out[OUT_LOSS]->data, index, 1);
    return GE_OK;
}

static void end_loss(const loss *l) {
    double value = l->reduction == MEAN ? l->sum / l->weights : l->sum;
    if (l->reduction != NO_REDUCTION) gei_store_f64(l->run->out[OUT_LOSS]->dtype, &value, l->run->out[OUT_LOSS]->data, 0, 1);
}

static ge_status run_nll(const gei_run *run, uint32_t part) {
    loss l;
    (void)part;
    GEI_TRY(begin_loss(run, &l));
    for (int64_t k = 0; k < run->in[SLOT_LABELS]->n_elems; k++) GEI_TRY(add_place(&l, k, run->in[SLOT_X]));
    end_loss(&l);
    gei_store_f64(run->out[OUT_MORE]->dtype, &l.weights, run->out[OUT_MORE]->data, 0, 1);
    return GE_OK;
}

/* x - max - log(sum of exp(x - max)) over the classes of one place */
static void log_softmax(const gei_view *x, int64_t at, int64_t step, int64_t n, gei_view *to) {
    double most = -INFINITY, sum = 0, value;
    for (int64_t c = 0; c < n; c++) most = fmax(most, gei_view_f64(x, at + c * step));
    if (most == -INFINITY) most = 0;
    for (int64_t c = 0; c < n; c++) sum += exp(gei_view_f64(x, at + c * step) - most);
    for (int64_t c = 0; c < n; c++) {
        value = gei_view_f64(x, at + c * step) - most - log(sum);
        gei_store_f64(to->dtype, &value, to->data, at + c * step, 1);
    }
}

static ge_status run_softmax(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[SLOT_X];
    loss l;
    (void)part;
    GEI_TRY(begin_loss(run, &l));
    for (int64_t k = 0; k < run->in[SLOT_LABELS]->n_elems; k++) {
        log_softmax(x, k / l.places * l.classes * l.places + k % l.places, l.places, l.classes, run->out[OUT_MORE]);
        GEI_TRY(add_place(&l, k, run->out[OUT_MORE]));
    }
    end_loss(&l);
    return GE_OK;
}

static const gei_kernel nll_kernels[] = { { .name = "ref", .run = run_nll }, { 0 } };
static const gei_kernel softmax_kernels[] = { { .name = "ref", .run = run_softmax }, { 0 } };

/* ---- ONNX ---- */

static ge_status map_loss(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, im->op->name, im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_text(node, "reduction", gei_import_text(im, "reduction", "mean"), diag));
    GEI_TRY(gei_import_set_int(node, "ignore_index", gei_import_int(im, "ignore_index", IGNORES_NOTHING), diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    if (im->n_outputs > 1) gei_import_set_output(im, 1, gei_value_of(node, 1));
    return GE_OK;
}

static const gei_source nll_sources[] = { { GEI_FROM_ONNX, "NegativeLogLikelihoodLoss", 12, map_loss, NULL }, { 0 } };
static const gei_source softmax_sources[] = { { GEI_FROM_ONNX, "SoftmaxCrossEntropyLoss", 12, map_loss, NULL }, { 0 } };

GEI_OP(NLLLoss) = { .name = "NLLLoss", .infer = infer_nll, .kernels = nll_kernels, .sources = nll_sources, .traits = GEI_OP_PURE };
GEI_OP(SoftmaxCrossEntropyLoss) = { .name = "SoftmaxCrossEntropyLoss", .infer = infer_softmax, .kernels = softmax_kernels,
                                    .sources = softmax_sources, .traits = GEI_OP_PURE };

GEI_WIDEN(NLLLoss, "x weight y total_weight", "float");
