/* SPDX-License-Identifier: Apache-2.0 */
/* Identity: any type, strings too. */
#include <string.h>

#include "ops/view.h"

static const gei_source Identity_sources[] = { { GEI_FROM_ONNX, "Identity", 1, NULL, NULL }, { 0 } };

GEI_OP(Identity) = { .name = "Identity", .infer = gei_infer_like_x, .kernels = gei_copy_kernels, .sources = Identity_sources,
                     .traits = GEI_OP_PURE | GEI_OP_VIEW | GEI_OP_IDENTITY | GEI_OP_MOVES, .moved = 1 };
GEI_WIDEN(Identity, "*", "any");
