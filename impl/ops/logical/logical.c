/* SPDX-License-Identifier: Apache-2.0 */
/* Bools: any byte but 0 is true. */
#include "ops/elementwise.h"

GEI_BINARY_LOOP(LogicalAnd_bool, uint8_t, uint8_t, uint8_t, a && b)
static const gei_binary LogicalAnd_binary = { .loops = { [GEI_LANE_BOOL] = LogicalAnd_bool }, .to = GEI_BOOL };
GEI_OP_BINARY_TABLE(LogicalAnd, GEI_OP_COMMUTATIVE, NULL, GEI_ONNX_AXIS("And"));

GEI_BINARY_LOOP(GeLogicalXor_bool, uint8_t, uint8_t, uint8_t, !a != !b)
static const gei_binary GeLogicalXor_binary = { .loops = { [GEI_LANE_BOOL] = GeLogicalXor_bool }, .to = GEI_BOOL };
GEI_OP_BINARY_TABLE(GeLogicalXor, GEI_OP_COMMUTATIVE, NULL, GEI_ONNX_AXIS("Xor"));

/* Numbers are true when they are not 0; NaN is. */
#define TRUE_LOOP(suffix, T) GEI_BINARY_LOOP(LogicalOr_##suffix, T, T, uint8_t, a != 0 || b != 0)
TRUE_LOOP(bool, uint8_t)
TRUE_LOOP(f32, float)
TRUE_LOOP(i8, int8_t)
TRUE_LOOP(i16, int16_t)
TRUE_LOOP(i32, int32_t)
TRUE_LOOP(i64, int64_t)
TRUE_LOOP(u8, uint8_t)
static const gei_binary LogicalOr_binary = {
    .loops = { [GEI_LANE_BOOL] = LogicalOr_bool, [GEI_LANE_F32] = LogicalOr_f32, GEI_SIGNED_LANES(LogicalOr), [GEI_LANE_U8] = LogicalOr_u8 },
    .to = GEI_BOOL };
GEI_OP_BINARY_TABLE(LogicalOr, GEI_OP_COMMUTATIVE, NULL, GEI_ONNX_AXIS("Or"));

GEI_UNARY_LOOP(LogicalNot_bool, uint8_t, uint8_t, uint8_t, !x)
static const gei_unary LogicalNot_unary = { .loops = { [GEI_LANE_BOOL] = LogicalNot_bool }, .to = GEI_BOOL };
GEI_OP_UNARY_TABLE(LogicalNot, 0, GEI_ONNX("Not", 1));
