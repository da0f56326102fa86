/* SPDX-License-Identifier: Apache-2.0 */
/* pool_onnx: how ONNX MaxPool and AveragePool become nodes, and the attributes of the two operators of ours that take all of it. */
#ifndef GEI_OPS_NN_POOLING_POOL_ONNX_H
#define GEI_OPS_NN_POOLING_POOL_ONNX_H

#include "ops/import.h"
#include "ops/nn_pooling/pool.h"

/* `plain` (MaxPoolV3, AvgPoolV2; NULL: none) for two dims without dilation, indices or SAME_LOWER; `full` for the rest. */
ge_status gei_map_pool(gei_import *im, const char *plain, const char *full, gei_diag *diag);
/* ksize, strides, dilations, pads, auto_pad, ceil_mode; channels first. */
ge_status gei_read_ge_pool(const gei_node *node, int32_t rank, gei_pool_attrs *a, gei_diag *diag);

#endif
