/* SPDX-License-Identifier: Apache-2.0 */
/* GeLpPool: the p-norm of the magnitudes in each window; padding counts as zeros. */
#include <math.h>

#include "ops/blocks.h"
#include "ops/nn_pooling/pool_onnx.h"

static ge_status infer_lp(gei_infer *i) {
    int32_t dtype = i->in[0]->dtype;
    const gei_dtype_info *info = gei_dtype_get(dtype);
    int64_t p = gei_node_int(i->node, "p", 2);
    if (dtype != GEI_UNDEFINED && (!info || info->kind != GEI_KIND_FLOAT || info->bits < 16))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(dtype));
    if (p < 1) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "p", "%lld is below 1", (long long)p);
    return gei_infer_pool(i, gei_read_ge_pool);
}

static ge_status size_lp(gei_sizing *s, gei_diag *diag) { return gei_size_pool(s, gei_read_ge_pool, diag); }

static double window_norm(const gei_pool *p, const gei_view *x, int64_t plane, const int64_t *at, double power) {
    const gei_window *w = &p->window;
    int64_t origin[GEI_WINDOW_DIMS], begin[GEI_WINDOW_DIMS], end[GEI_WINDOW_DIMS];
    double sum = 0, v;
    for (int d = 0; d < GEI_WINDOW_DIMS; d++) gei_window_taps(w, d, at[d], &origin[d], &begin[d], &end[d]);
    for (int64_t a = begin[0]; a < end[0]; a++)
        for (int64_t b = begin[1]; b < end[1]; b++)
            for (int64_t c = begin[2]; c < end[2]; c++) {
                int64_t from = plane + (origin[0] + a * w->dilation[0]) * p->x_at[0] + (origin[1] + b * w->dilation[1]) * p->x_at[1] +
                               (origin[2] + c * w->dilation[2]) * p->x_at[2];
                gei_load_f64(x->dtype, x->data, from, 1, &v);
                sum += power == 2 ? v * v : power == 1 ? fabs(v) : pow(fabs(v), power);
            }
    return power == 2 ? sqrt(sum) : power == 1 ? sum : pow(sum, 1 / power);
}

static ge_status run_lp(const gei_run *run, uint32_t part) {
    const gei_pool *p = (const gei_pool *)run->sized;
    const gei_window *w = &p->window;
    double power = (double)gei_node_int(run->node, "p", 2);
    int64_t begin, end;
    gei_part_range(p->batch * p->channels, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        int64_t from = k / p->channels * p->x_batch + k % p->channels * p->x_channel, to = k / p->channels * p->y_batch + k % p->channels * p->y_channel;
        for (int64_t flat = 0; flat < w->out[0] * w->out[1] * w->out[2]; flat++) {
            int64_t at[GEI_WINDOW_DIMS] = { flat / w->out[2] / w->out[1], flat / w->out[2] % w->out[1], flat % w->out[2] };
            double v = window_norm(p, run->in[0], from, at, power);
            gei_store_f64(run->out[0]->dtype, &v, run->out[0]->data, to + at[0] * p->y_at[0] + at[1] * p->y_at[1] + at[2] * p->y_at[2], 1);
        }
    }
    return GE_OK;
}

static const gei_kernel lp_kernels[] = { { .name = "ref", .size = size_lp, .run = run_lp }, { 0 } };

static ge_status map_lp(gei_import *im, gei_diag *diag) {
    GEI_TRY(gei_map_pool(im, NULL, "GeLpPool", diag));
    return im->outputs[0].node ? gei_import_set_int(im->outputs[0].node, "p", gei_import_int(im, "p", 2), diag) : GE_OK;
}

static const gei_source lp_sources[] = { { GEI_FROM_ONNX, "LpPool", 2, map_lp, NULL }, { 0 } };

GEI_OP(GeLpPool) = { .name = "GeLpPool", .infer = infer_lp, .kernels = lp_kernels, .sources = lp_sources, .traits = GEI_OP_PURE };
