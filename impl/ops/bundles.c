/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/bundles.h"

#include <string.h>

#include "ops/rules.h"

ge_status gei_run_set_copy(const gei_run *run, uint32_t out, const gei_view *from) {
    size_t bytes = gei_data_bytes(from->dtype, from->n_elems, from->data);
    void *to;
    GEI_TRY(gei_run_set_output(run, out, from->rank, from->dims, bytes, &to));
    if (bytes > 0) memcpy(to, from->data, bytes);
    return GE_OK;
}

gei_view gei_bundle_view(const gei_view *bundle, size_t index) {
    const gei_bundle_item *item = gei_bundle_at(bundle->data, index);
    gei_view v = { .data = gei_bundle_data(bundle->data, index), .n_elems = item->n_elems, .dtype = item->dtype, .rank = item->rank };
    memcpy(v.dims, item->dims, sizeof v.dims);
    return v;
}

ge_status gei_run_start_bundle(const gei_run *run, uint32_t out, const gei_bundle_item *items, size_t count, void **out_bundle) {
    size_t bytes;
    if (!gei_bundle_measure(items, count, &bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    GEI_TRY(gei_run_set_output(run, out, 0, NULL, bytes, out_bundle));
    gei_bundle_start(*out_bundle, items, count);
    return GE_OK;
}

ge_status gei_run_set_bundle(const gei_run *run, uint32_t out, const gei_view *const *items, size_t count) {
    size_t list_bytes;
    void *bundle;
    if (!gei_mul(count + 1, sizeof(gei_bundle_item), &list_bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    gei_bundle_item *list = (gei_bundle_item *)gei_alloc(run->heap, list_bytes, _Alignof(gei_bundle_item));
    if (!list) return gei_out_of_memory(run->diag, list_bytes);
    memset(list, 0, list_bytes);
    for (size_t k = 0; k < count; k++) {
        const gei_view *v = items[k];
        list[k] = (gei_bundle_item){ .dtype = v->dtype, .rank = v->rank, .n_elems = v->n_elems,
                                     .size_bytes = gei_data_bytes(v->dtype, v->n_elems, v->data) };
        if (v->rank > 0) memcpy(list[k].dims, v->dims, (size_t)v->rank * sizeof *v->dims);
    }
    ge_status status = gei_run_start_bundle(run, out, list, count, &bundle);
    for (size_t k = 0; status == GE_OK && k < count; k++)
        if (list[k].size_bytes > 0) memcpy(gei_bundle_data(bundle, k), items[k]->data, (size_t)list[k].size_bytes);
    gei_free(run->heap, list, list_bytes, _Alignof(gei_bundle_item));
    return status;
}

ge_status gei_check_sequence(const gei_infer *i, uint32_t slot, int32_t *out_item) {
    int32_t dtype = i->in[slot]->dtype;
    gei_value_form form = gei_dtype_form(dtype);
    *out_item = GEI_UNDEFINED;
    if (dtype == GEI_UNDEFINED) return GE_OK;
    if (form != GEI_FORM_SEQUENCE && form != GEI_FORM_INT_MAPS && form != GEI_FORM_TEXT_MAPS)
        return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, slot), "it is %s, wanted a sequence", gei_dtype_name(dtype));
    *out_item = gei_dtype_item(dtype);
    return GE_OK;
}
