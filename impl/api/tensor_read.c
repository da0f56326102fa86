/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/tensor.h"
#include "frontend/mapped.h"

bool gei_strides_dense(int32_t rank, const int64_t *dims, const int64_t *strides) {
    int64_t want = 1;
    for (int32_t i = 0; i < rank; i++)
        if (dims[i] == 0) return true;
    for (int32_t i = rank; i-- > 0;) {
        if (dims[i] != 1 && strides[i] != want) return false;
        if (!gei_mul_i64(want, dims[i], &want)) return false;
    }
    return true;
}

static int64_t elements(const gei_api_tensor *t) {
    gei_shape shape = gei_shape_of(t->rank, t->dims);
    int64_t n = 0;
    (void)gei_shape_elems(&shape, &n); /* fits: every constructor checked */
    return n;
}

ge_status ge_tensor_get_desc(const ge_tensor *tensor, ge_tensor_desc *out_desc, size_t out_desc_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(out_desc, out_desc_size);
    GEI_NEED(out_desc, 1);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    ge_tensor_desc d = GE_TENSOR_DESC_INIT;
    d.dtype = t->tensor->dtype;
    d.format = t->format;
    d.placement = t->placement;
    d.rank = t->rank;
    d.dims = t->rank ? t->dims : NULL;
    d.strides = t->is_dense ? NULL : t->strides;
    d.origin_format = t->origin_format;
    d.origin_rank = t->origin_rank;
    d.origin_dims = t->origin_rank ? t->origin_dims : NULL;
    return GEI_RETURN(gei_desc_out(&d, out_desc, out_desc_size, &diag));
}

ge_status ge_tensor_get_info(const ge_tensor *tensor, ge_tensor_info *out_info, size_t out_info_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(out_info, out_info_size);
    GEI_NEED(out_info, 1);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    ge_tensor_info info = { .ownership = t->ownership,
                            .is_read_only = t->tensor->read_only,
                            .is_dense = t->is_dense,
                            .elements_count = (uint64_t)elements(t),
                            .data_size = t->tensor->size_bytes };
    return GEI_RETURN(gei_struct_out(out_info, out_info_size, &info, sizeof info, GEI_FIRST_TENSOR_INFO, "out_info", 1, &diag));
}

static ge_status readable_bytes(const gei_api_tensor *t, gei_diag *diag) {
    if (t->tensor->dtype == GEI_STRING) return gei_argument_fail(diag, "tensor", 0, GE_ERR_DTYPE, "a string tensor is read with ge_tensor_get_strings");
    if (t->placement != GE_PLACEMENT_HOST) return gei_argument_fail(diag, "tensor", 0, GE_ERR_WRONG_KIND, "the tensor is in device memory");
    return GE_OK;
}

ge_status ge_tensor_get_data(const ge_tensor *tensor, const uint8_t **out_data, size_t *out_size) {
    GEI_CALL;
    GEI_OUT(out_data);
    GEI_OUT(out_size);
    GEI_NEED(out_data, 1);
    GEI_NEED(out_size, 2);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    GEI_CHECK(readable_bytes(t, &diag));
    *out_data = t->tensor->size_bytes ? t->tensor->data : NULL;
    *out_size = t->tensor->size_bytes;
    return GE_OK;
}

ge_status ge_tensor_get_mutable_data(ge_tensor *tensor, uint8_t **out_data, size_t *out_size) {
    GEI_CALL;
    GEI_OUT(out_data);
    GEI_OUT(out_size);
    GEI_NEED(out_data, 1);
    GEI_NEED(out_size, 2);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    GEI_CHECK(readable_bytes(t, &diag));
    if (t->tensor->read_only) return GEI_RETURN(gei_argument_fail(&diag, "tensor", 0, GE_ERR_READ_ONLY, "the tensor is read-only"));
    *out_data = t->tensor->size_bytes ? t->tensor->data : NULL;
    *out_size = t->tensor->size_bytes;
    return GE_OK;
}

/* ---- strings ---- */

static ge_status check_offsets(const gei_tensor *t, const uint64_t *offsets, size_t offsets_count, size_t bytes_size, gei_diag *diag) {
    if (offsets_count != (size_t)t->n_elems + 1) {
        gei_diag_found(diag, "%zu", offsets_count);
        gei_diag_wanted(diag, "%lld", (long long)t->n_elems + 1);
        return gei_argument_fail(diag, "offsets", 3, GE_ERR_SIZE, "%zu offsets for %lld strings", offsets_count, (long long)t->n_elems);
    }
    for (size_t i = 0; i < offsets_count; i++) {
        uint64_t least = i ? offsets[i - 1] : 0;
        if (offsets[i] >= least && offsets[i] <= bytes_size && (i || offsets[0] == 0)) continue;
        return gei_argument_fail(diag, "offsets", 3, GE_ERR_OUT_OF_RANGE, "offset %zu is %llu, outside %llu to %zu", i,
                                 (unsigned long long)offsets[i], (unsigned long long)least, bytes_size);
    }
    if (offsets[offsets_count - 1] != bytes_size)
        return gei_argument_fail(diag, "offsets", 3, GE_ERR_SIZE, "the last offset is %llu, not the %zu bytes given",
                                 (unsigned long long)offsets[offsets_count - 1], bytes_size);
    return GE_OK;
}

static ge_status set_strings(gei_api_tensor *t, const uint8_t *bytes, const uint64_t *offsets, size_t offsets_count, gei_diag *diag) {
    size_t n = offsets_count - 1;
    gei_tensor *made = NULL;
    const char **texts = gei_alloc(&t->ctx->from, (n + 1) * sizeof *texts, 0);
    size_t *sizes = gei_alloc(&t->ctx->from, (n + 1) * sizeof *sizes, 0);
    ge_status st = texts && sizes ? GE_OK : gei_out_of_memory(diag, n * sizeof *texts);
    for (size_t i = 0; st == GE_OK && i < n; i++) {
        texts[i] = bytes ? (const char *)bytes + offsets[i] : ""; /* NULL: all are empty */
        sizes[i] = (size_t)(offsets[i + 1] - offsets[i]);
    }
    if (st == GE_OK) st = gei_tensor_strings(&t->ctx->from, t->rank, t->dims, texts, sizes, &made, diag);
    gei_free(&t->ctx->from, texts, (n + 1) * sizeof *texts, 0);
    gei_free(&t->ctx->from, sizes, (n + 1) * sizeof *sizes, 0);
    if (st != GE_OK) return st;
    made->format = t->format;
    gei_tensor_release(t->tensor);
    t->tensor = made;
    return GE_OK;
}

ge_status ge_tensor_set_strings(ge_tensor *tensor, const uint8_t *bytes, size_t bytes_size, const uint64_t *offsets, size_t offsets_count) {
    GEI_CALL;
    GEI_NEED(offsets, 3);
    if (!bytes && bytes_size) return gei_call_null(__func__, "bytes", 1);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    if (t->tensor->dtype != GEI_STRING)
        return GEI_RETURN(gei_argument_fail(&diag, "tensor", 0, GE_ERR_DTYPE, "the tensor holds %s, not strings", gei_dtype_name(t->tensor->dtype)));
    if (t->tensor->read_only || t->ownership != GE_OWNERSHIP_LIBRARY)
        return GEI_RETURN(gei_argument_fail(&diag, "tensor", 0, GE_ERR_READ_ONLY, "the tensor is read-only"));
    GEI_CHECK(check_offsets(t->tensor, offsets, offsets_count, bytes_size, &diag));
    return GEI_RETURN(set_strings(t, bytes, offsets, offsets_count, &diag));
}

ge_status ge_tensor_get_strings(const ge_tensor *tensor, const uint8_t **out_bytes, size_t *out_bytes_size, const uint64_t **out_offsets,
                                size_t *out_offsets_count) {
    GEI_CALL;
    GEI_OUT(out_bytes);
    GEI_OUT(out_bytes_size);
    GEI_OUT(out_offsets);
    GEI_OUT(out_offsets_count);
    GEI_NEED(out_bytes, 1);
    GEI_NEED(out_bytes_size, 2);
    GEI_NEED(out_offsets, 3);
    GEI_NEED(out_offsets_count, 4);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    if (t->tensor->dtype != GEI_STRING)
        return GEI_RETURN(gei_argument_fail(&diag, "tensor", 0, GE_ERR_DTYPE, "the tensor holds %s, not strings", gei_dtype_name(t->tensor->dtype)));
    const uint64_t *offsets = t->tensor->data;
    size_t n = (size_t)t->tensor->n_elems;
    *out_offsets = offsets;
    *out_offsets_count = n + 1;
    *out_bytes = (const uint8_t *)(offsets + n + 1);
    *out_bytes_size = (size_t)offsets[n];
    return GE_OK;
}

/* ---- view and copy ---- */

static void release_parent(void *user) { gei_tensor_release(user); }

ge_ownership gei_tensor_ownership(const gei_tensor *t) {
    while (!t->owned && t->release == release_parent) t = t->release_user;
    if (t->owned) return GE_OWNERSHIP_LIBRARY;
    if (t->release != gei_mapped_release) return GE_OWNERSHIP_CALLER;
    return ((const gei_mapped *)t->release_user)->file.mapped ? GE_OWNERSHIP_FILE : GE_OWNERSHIP_LIBRARY;
}

static ge_status make_view(gei_api_tensor *t, const gei_desc *d, ge_tensor **out, gei_diag *diag) {
    int64_t n;
    size_t wanted;
    gei_tensor *view;
    if (!t->is_dense) return gei_argument_fail(diag, "tensor", 0, GE_ERR_SHAPE, "a view needs dense memory");
    if (d->has_strides) return gei_argument_fail(diag, "desc", 1, GE_ERR_SHAPE, "a view has no strides");
    if (d->placement != t->placement) return gei_argument_fail(diag, "desc", 1, GE_ERR_INVALID_ARGUMENT, "a view stays where its tensor is");
    if (t->tensor->dtype == GEI_STRING || d->dtype == GEI_STRING) {
        if (t->tensor->dtype != d->dtype) return gei_argument_fail(diag, "desc", 1, GE_ERR_DTYPE, "strings cannot be read as another type");
        if (!gei_shape_elems(&d->shape, &n) || n != t->tensor->n_elems)
            return gei_argument_fail(diag, "desc", 1, GE_ERR_SIZE, "a view of strings has as many elements as its tensor");
        return gei_argument_fail(diag, "desc", 1, GE_ERR_DTYPE, "views of strings are not supported; copy the tensor");
    }
    ge_status st = gei_tensor_measure(d->dtype, d->shape.rank, d->shape.dims, &n, &wanted, diag);
    if (st != GE_OK) return gei_diag_argument(diag, "desc", 1), st;
    if (wanted > t->tensor->size_bytes) {
        gei_diag_found(diag, "%zu", t->tensor->size_bytes);
        gei_diag_wanted(diag, "%zu", wanted);
        return gei_argument_fail(diag, "desc", 1, GE_ERR_SIZE, "the tensor has %zu bytes, the view needs %zu", t->tensor->size_bytes, wanted);
    }
    st = gei_tensor_wrap(&t->ctx->from, d->dtype, d->shape.rank, d->shape.dims, t->tensor->data, wanted, t->tensor->read_only,
                         release_parent, gei_tensor_retain(t->tensor), &view, diag);
    if (st != GE_OK) {
        gei_tensor_release(t->tensor);
        return st;
    }
    return gei_tensor_handle_described(t->ctx, view, t->ownership, d, out, diag);
}

ge_status ge_tensor_create_view(const ge_tensor *tensor, const ge_tensor_desc *desc, ge_tensor **out_tensor) {
    GEI_CALL;
    gei_desc d;
    GEI_OUT(out_tensor);
    GEI_NEED(desc, 1);
    GEI_NEED(out_tensor, 2);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    GEI_CHECK(gei_desc_in(desc, true, "desc", 1, &d, &diag));
    return GEI_RETURN(make_view(t, &d, out_tensor, &diag));
}

ge_status gei_tensor_densify(gei_api_tensor *t, gei_tensor **out, gei_diag *diag) {
    if (t->is_dense) return gei_tensor_clone(&t->ctx->from, t->tensor, out, diag);
    GEI_TRY(gei_tensor_create(&t->ctx->from, t->tensor->dtype, t->rank, t->dims, out, diag));
    size_t elem = gei_dtype_get(t->tensor->dtype)->bits / 8;
    int64_t at[GEI_MAX_RANK] = { 0 };
    char *to = (*out)->data;
    for (int64_t n = 0; n < (*out)->n_elems; n++, to += elem) {
        int64_t from = 0;
        for (int32_t i = 0; i < t->rank; i++) from += at[i] * t->strides[i];
        memcpy(to, (const char *)t->tensor->data + (size_t)from * elem, elem);
        for (int32_t i = t->rank; i-- > 0 && ++at[i] == t->dims[i];) at[i] = 0;
    }
    return GE_OK;
}

ge_status ge_tensor_copy(const ge_tensor *tensor, ge_tensor **out_tensor) {
    GEI_CALL;
    gei_tensor *copy;
    GEI_OUT(out_tensor);
    GEI_NEED(out_tensor, 1);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    if (t->placement != GE_PLACEMENT_HOST) return GEI_RETURN(gei_argument_fail(&diag, "tensor", 0, GE_ERR_WRONG_KIND, "the tensor is in device memory"));
    GEI_CHECK(gei_tensor_densify(t, &copy, &diag));
    gei_context_copied(t->ctx, copy->size_bytes);
    copy->format = t->format;
    copy->placement = t->placement;
    return GEI_RETURN(gei_tensor_handle(t->ctx, copy, GE_OWNERSHIP_LIBRARY, out_tensor, &diag));
}
