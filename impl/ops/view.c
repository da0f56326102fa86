/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/view.h"

#include <string.h>

#define GRAIN_BYTES 65536

/* Of strings and of values that are no tensors. */
static ge_status copy_sized(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    size_t bytes = gei_data_bytes(x->dtype, x->n_elems, x->data);
    void *to;
    if (part != 0) return GE_OK;
    GEI_TRY(gei_run_set_output(run, 0, y->rank, y->dims, bytes, &to));
    memcpy(to, x->data, bytes);
    return GE_OK;
}

/* Cuts at bytes: sub-byte types need no care. */
static ge_status copy(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    size_t bytes;
    int64_t begin, end;
    if (x->dtype == GEI_STRING || gei_dtype_is_bundle(x->dtype)) return copy_sized(run, part);
    if (!gei_dtype_bytes(y->dtype, (uint64_t)y->n_elems, &bytes)) return gei_fail(run->diag, GE_ERR_DTYPE, "elements of no fixed size");
    gei_part_range((int64_t)bytes, run->n_parts, part, &begin, &end);
    if (begin < end && x->data != y->data) memcpy((char *)y->data + begin, (const char *)x->data + begin, (size_t)(end - begin));
    return GE_OK;
}

static ge_status size_copy(gei_sizing *s, gei_diag *diag) {
    size_t bytes = 0;
    int64_t n;
    (void)diag;
    if (gei_shape_elems(&s->out[0].shape, &n)) (void)gei_dtype_bytes(s->out[0].dtype, (uint64_t)n, &bytes);
    s->n_parts = gei_parts((int64_t)bytes, GRAIN_BYTES);
    s->cost = (double)bytes;
    return GE_OK;
}

const gei_kernel gei_copy_kernels[] = { { .name = "ref", .size = size_copy, .run = copy, .in_place = 1 }, { 0 } };
