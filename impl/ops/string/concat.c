/* SPDX-License-Identifier: Apache-2.0 */
/* GeStringConcat (ours, ONNX StringConcat): the texts of x1, each followed by that of x2, broadcast. */
#include <string.h>

#include "ops/checks.h"
#include "ops/import.h"
#include "ops/texts.h"

static ge_status infer_concat(gei_infer *i) {
    for (uint32_t slot = 0; slot < 2; slot++)
        if (i->in[slot]->dtype != GEI_STRING && i->in[slot]->dtype != GEI_UNDEFINED)
            return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, slot), "data type %s is not supported", gei_dtype_name(i->in[slot]->dtype));
    GEI_TRY(gei_infer_broadcast(i, (const gei_shape *const[]){ &i->in[0]->shape, &i->in[1]->shape }, 2, &i->out[0].shape));
    i->out[0].dtype = GEI_STRING;
    return GE_OK;
}

/* Element of x that element `index` of y is made of. */
static int64_t source_of(const gei_view *x, const gei_view *y, int64_t index) {
    int64_t at = 0, stride = 1;
    for (int32_t d = y->rank - 1; d >= 0; d--) {
        int32_t own = d - (y->rank - x->rank);
        int64_t place = index % y->dims[d];
        index /= y->dims[d];
        if (own < 0) continue;
        if (x->dims[own] != 1) at += place * stride;
        stride *= x->dims[own];
    }
    return at;
}

static ge_status run_concat(const gei_run *run, uint32_t part) {
    const gei_view *a = run->in[0], *b = run->in[1], *y = run->out[0];
    size_t n = (size_t)y->n_elems, bytes;
    uint64_t at = 0;
    void *data;
    (void)part;
    if (!gei_mul(n + 1, sizeof at, &bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    for (size_t k = 0; k < n; k++)
        if (!gei_add(bytes, gei_text_at(a, source_of(a, y, (int64_t)k)).size, &bytes) || !gei_add(bytes, gei_text_at(b, source_of(b, y, (int64_t)k)).size, &bytes))
            return gei_out_of_memory(run->diag, SIZE_MAX);
    GEI_TRY(gei_run_set_output(run, 0, y->rank, y->dims, bytes, &data));
    char *to = (char *)data + (n + 1) * sizeof at;
    for (size_t k = 0; k < n; k++) {
        gei_text first = gei_text_at(a, source_of(a, y, (int64_t)k)), second = gei_text_at(b, source_of(b, y, (int64_t)k));
        memcpy((char *)data + k * sizeof at, &at, sizeof at);
        if (first.size > 0) memcpy(to + at, first.data, first.size);
        if (second.size > 0) memcpy(to + at + first.size, second.data, second.size);
        at += first.size + second.size;
    }
    memcpy((char *)data + n * sizeof at, &at, sizeof at);
    return GE_OK;
}

static const gei_kernel concat_kernels[] = { { .name = "ref", .run = run_concat }, { 0 } };
static const gei_source concat_sources[] = { { GEI_FROM_ONNX, "StringConcat", 20, NULL, NULL }, { 0 } };

GEI_OP(GeStringConcat) = { .name = "GeStringConcat", .infer = infer_concat, .kernels = concat_kernels, .sources = concat_sources, .traits = GEI_OP_PURE };
