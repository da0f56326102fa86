/* SPDX-License-Identifier: Apache-2.0 */
/* tensor: what the files of the tensor section share. */
#ifndef GEI_API_TENSOR_H
#define GEI_API_TENSOR_H

#include "api/object.h"

/* True when strides are those of a dense row-major tensor; dims of 1 may have any stride. */
bool gei_strides_dense(int32_t rank, const int64_t *dims, const int64_t *strides);
/* Bytes that shape and strides reach over; argument and index are what a fault names. */
ge_status gei_strided_bytes(const gei_desc *d, const char *argument, int32_t index, size_t *out_bytes, gei_diag *diag);
/* Takes the reference of `tensor`; format, placement, origin and strides from d.  For strided ones `tensor` is a flat row of all bytes. */
ge_status gei_tensor_handle_described(gei_api_context *c, gei_tensor *tensor, ge_ownership ownership, const gei_desc *d, ge_tensor **out,
                                      gei_diag *diag);
/* Whose memory it is, told by the tensor alone. */
ge_ownership gei_tensor_ownership(const gei_tensor *t);
/* A dense copy of any tensor, one reference. */
ge_status gei_tensor_densify(gei_api_tensor *t, gei_tensor **out, gei_diag *diag);

#endif
