/* SPDX-License-Identifier: Apache-2.0 */
/* texts: string tensors in kernels.  The layout was checked when the tensor was made. */
#ifndef GEI_OPS_TEXTS_H
#define GEI_OPS_TEXTS_H

#include "ops/op.h"

gei_text gei_text_at(const gei_view *v, int64_t index); /* borrowed; not zero-terminated */
/* Output `out` as strings of its known shape: text_of(user, index) gives each element; it is asked twice. */
typedef gei_text (*gei_text_fn)(const void *user, int64_t index);
ge_status gei_run_set_texts(const gei_run *run, uint32_t out, gei_text_fn text_of, const void *user);

#endif
