/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a view as numbers: for attributes that come as inputs, not for bulk data. */
#include "ops/rules.h"

static gei_tensor tensor_over(const gei_view *v) {
    return (gei_tensor){ .dtype = v->dtype, .n_elems = v->n_elems, .data = v->data };
}

double gei_view_f64(const gei_view *v, int64_t index) {
    gei_tensor t = tensor_over(v);
    return gei_tensor_f64(&t, index);
}

int64_t gei_view_i64(const gei_view *v, int64_t index) {
    gei_tensor t = tensor_over(v);
    return gei_tensor_i64(&t, index);
}

void gei_view_numbers(const gei_view *v, double *out) {
    gei_tensor t = tensor_over(v);
    for (int64_t k = 0; k < v->n_elems; k++) out[k] = gei_tensor_f64(&t, k);
}
