/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/checks.h"

ge_status gei_check_float(const gei_infer *i, uint32_t slot) {
    const gei_info *in = gei_infer_in(i, slot);
    switch (in ? in->dtype : GEI_UNDEFINED) {
    case GEI_FLOAT32: case GEI_FLOAT64: case GEI_FLOAT16: case GEI_BFLOAT16: case GEI_UNDEFINED: return GE_OK;
    default: return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, slot), "data type %s is not supported", gei_dtype_name(in->dtype));
    }
}

gei_dim gei_check_dim_of(const gei_infer *i, uint32_t slot, int32_t axis) {
    const gei_info *in = gei_infer_in(i, slot);
    return in && axis < in->shape.rank ? in->shape.dims[axis] : GEI_DIM_UNKNOWN;
}

ge_status gei_check_dim(const gei_infer *i, uint32_t slot, int32_t axis, gei_dim wanted, const char *what) {
    gei_dim have = gei_check_dim_of(i, slot, axis);
    gei_words words;
    if (!gei_dim_known(have) || !gei_dim_known(wanted) || have == wanted) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "dim %d of shape %s is not %lld, the %s", (int)axis,
                          gei_shape_words(&i->in[slot]->shape, &words), (long long)wanted, what);
}

ge_status gei_check_int(const gei_infer *i, const char *name, int64_t absent, int64_t least, int64_t most, int64_t *out) {
    *out = gei_node_int(i->node, name, absent);
    if (*out >= least && *out <= most) return GE_OK;
    return gei_infer_fail(i, GE_ERR_BAD_ATTR, name, "%lld is not within %lld and %lld", (long long)*out, (long long)least, (long long)most);
}
