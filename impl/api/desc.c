/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/object.h"

static ge_status check_dims(const int64_t *dims, int32_t rank, bool concrete, const char *argument, int32_t index, gei_diag *diag) {
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] >= 0 || (dims[i] == -1 && !concrete)) continue;
        gei_diag_found(diag, "%lld", (long long)dims[i]);
        gei_diag_wanted(diag, concrete ? ">= 0" : ">= -1");
        return gei_argument_fail(diag, argument, index, GE_ERR_SHAPE, "dim %d is %lld", i, (long long)dims[i]);
    }
    return GE_OK;
}

static ge_status check_rank(int32_t rank, bool concrete, const char *argument, int32_t index, gei_diag *diag) {
    if (rank <= GEI_MAX_RANK && rank >= (concrete ? 0 : GEI_RANK_UNKNOWN)) return GE_OK;
    gei_diag_found(diag, "%d", rank);
    gei_diag_wanted(diag, "0 to %d", GEI_MAX_RANK);
    return gei_argument_fail(diag, argument, index, GE_ERR_RANK, "rank %d is not allowed", rank);
}

ge_status gei_desc_in(const ge_tensor_desc *from, bool concrete, const char *argument, int32_t index, gei_desc *out, gei_diag *diag) {
    ge_tensor_desc d = GE_TENSOR_DESC_INIT;
    memset(out, 0, sizeof *out);
    GEI_TRY(gei_struct_in(from, &d, sizeof d, GEI_FIRST_TENSOR_DESC, argument, index, diag));
    if (!gei_dtype_get(d.dtype) || gei_dtype_is_bundle(d.dtype)) {
        gei_diag_found(diag, "%d", d.dtype);
        return gei_argument_fail(diag, argument, index, GE_ERR_DTYPE, "%d is no data type", d.dtype);
    }
    if (d.placement != GE_PLACEMENT_HOST && d.placement != GE_PLACEMENT_DEVICE)
        return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_ARGUMENT, "%d is no placement", d.placement);
    GEI_TRY(check_rank(d.rank, concrete, argument, index, diag));
    if (d.rank > 0 && !d.dims) return gei_argument_fail(diag, argument, index, GE_ERR_NULL_ARGUMENT, "dims is NULL but rank is %d", d.rank);
    GEI_TRY(check_dims(d.dims, d.rank > 0 ? d.rank : 0, concrete, argument, index, diag));
    out->dtype = d.dtype;
    out->format = d.format;
    out->placement = d.placement;
    out->shape = d.rank < 0 ? gei_shape_unknown() : gei_shape_of(d.rank, d.dims);
    out->has_strides = d.strides && d.rank > 0;
    if (out->has_strides) memcpy(out->strides, d.strides, (size_t)d.rank * sizeof(int64_t));
    for (int32_t i = 0; d.dim_names && i < d.rank; i++) {
        size_t size = GE_NTS;
        if (!d.dim_names[i]) continue;
        GEI_TRY(gei_text_in(d.dim_names[i], &size, argument, index, diag));
        out->dim_names[i] = d.dim_names[i];
    }
    out->origin_format = d.origin_format;
    out->has_origin = d.origin_dims != NULL;
    if (out->has_origin) {
        GEI_TRY(check_rank(d.origin_rank, true, argument, index, diag));
        out->origin_rank = d.origin_rank;
        memcpy(out->origin_dims, d.origin_dims, (size_t)d.origin_rank * sizeof(int64_t));
    }
    return GE_OK;
}

ge_status gei_desc_out(const ge_tensor_desc *filled, ge_tensor_desc *to, size_t size, gei_diag *diag) {
    ge_tensor_desc d = *filled;
    if (gei_dtype_is_bundle(d.dtype)) d.dtype = GEI_RESOURCE; /* as Ascend IR has it */
    return gei_struct_out(to, size, &d, sizeof d, GEI_FIRST_TENSOR_DESC, "out_desc", 1, diag);
}

ge_status ge_tensor_desc_init(ge_tensor_desc *desc, size_t desc_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(desc, desc_size);
    GEI_NEED(desc, 0);
    ge_tensor_desc d = GE_TENSOR_DESC_INIT;
    return GEI_RETURN(gei_struct_out(desc, desc_size, &d, sizeof d, GEI_FIRST_TENSOR_DESC, "desc", 0, &diag));
}
