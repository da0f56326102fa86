/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/call.h"
#include "ir/dtype.h"
#include "ir/format.h"

const char *ge_dtype_get_name(ge_dtype dtype) {
    const gei_dtype_info *info = gei_dtype_is_bundle(dtype) ? NULL : gei_dtype_get(dtype);
    return info ? info->name : "unknown";
}

uint32_t ge_dtype_get_bits(ge_dtype dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    return info ? info->bits : 0;
}

static bool is_text(const char *name, size_t size, const char *text) { return strlen(text) == size && memcmp(name, text, size) == 0; }

ge_status ge_dtype_find(const char *name, size_t name_size, ge_dtype *out_dtype) {
    GEI_CALL;
    GEI_OUT(out_dtype);
    GEI_NEED(name, 0);
    GEI_NEED(out_dtype, 2);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 0, &diag));
    int32_t dtype = gei_dtype_from_name(name, name_size);
    bool is_found = dtype == GEI_UNDEFINED ? is_text(name, name_size, "undefined") || is_text(name, name_size, "DT_UNDEFINED") : !gei_dtype_is_bundle(dtype);
    if (!is_found)
        return GEI_RETURN(gei_argument_fail(&diag, "name", 0, GE_ERR_NOT_FOUND, "no data type is called '%.*s'", (int)(name_size < 64 ? name_size : 64), name));
    *out_dtype = dtype;
    return GE_OK;
}

const char *ge_format_get_name(ge_format format) { return gei_format_name(format); }

ge_status ge_format_find(const char *name, size_t name_size, ge_format *out_format) {
    GEI_CALL;
    GEI_OUT(out_format);
    GEI_NEED(name, 0);
    GEI_NEED(out_format, 2);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 0, &diag));
    if (gei_format_find(name, name_size, out_format)) return GE_OK;
    return GEI_RETURN(gei_argument_fail(&diag, "name", 0, GE_ERR_NOT_FOUND, "no format is called '%.*s'", (int)(name_size < 64 ? name_size : 64), name));
}
