/* SPDX-License-Identifier: Apache-2.0 */
/* Graph inputs, constants, graph outputs: rows without kernels; the planner knows them by their traits. */
#include "ops/elementwise.h"
#include "ops/import.h"

static ge_status infer_declared(gei_infer *i) {
    const gei_out *out = &i->node->outs[0];
    i->out[0].dtype = out->dtype;
    i->out[0].shape = gei_out_shape(out);
    return GE_OK;
}

GEI_OP(Data) = { .name = "Data", .infer = infer_declared, .traits = GEI_OP_INPUT };
GEI_OP(RefData) = { .name = "RefData", .infer = infer_declared, .traits = GEI_OP_INPUT | GEI_OP_STATEFUL };

static ge_status infer_const(gei_infer *i) {
    gei_tensor *value = gei_node_const(i->node);
    if (!value) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "value", "the attribute is missing");
    i->out[0].dtype = value->dtype;
    i->out[0].shape = gei_tensor_shape(value);
    i->out[0].tensor = value;
    return GE_OK;
}

GEI_OP(Const) = { .name = "Const", .infer = infer_const, .traits = GEI_OP_PURE | GEI_OP_CONST };
GEI_OP(Constant) = { .name = "Constant", .infer = infer_const, .traits = GEI_OP_PURE | GEI_OP_CONST };

static ge_status infer_nothing(gei_infer *i) {
    (void)i;
    return GE_OK;
}

GEI_OP(NetOutput) = { .name = "NetOutput", .infer = infer_nothing, .traits = GEI_OP_OUTPUT };
