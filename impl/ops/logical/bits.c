/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of integers, and shifts as ONNX 28 says: arithmetic to the right, bits past the sign bit dropped to the left; a count
 * outside [0, width) leaves what the sign extends to: -1 to the right of a negative number, else 0. */
#include <string.h>

#include "ops/elementwise.h"
#include "ops/import.h"

#define GEI_OP_BITS(Name, expr, ...)                                                                                  \
    GEI_WRAPPING_LOOPS(GEI_BINARY_LOOP, Name, expr)                                                                   \
    static const gei_binary Name##_binary = { .loops = { GEI_INT_LANES(Name) }, .to = GEI_UNDEFINED };                \
    GEI_OP_BINARY_TABLE(Name, GEI_OP_COMMUTATIVE, NULL, __VA_ARGS__)
GEI_WIDEN_FAMILY(BITS, "*", "int uint");

GEI_OP_BITS(BitwiseAnd, a & b, GEI_ONNX("BitwiseAnd", 18));
GEI_OP_BITS(BitwiseOr, a | b, GEI_ONNX("BitwiseOr", 18));
GEI_OP_BITS(BitwiseXor, a ^ b, GEI_ONNX("BitwiseXor", 18));

GEI_WRAPPING_LOOPS(GEI_UNARY_LOOP, Invert, ~x)
static const gei_unary Invert_unary = { .loops = { GEI_INT_LANES(Invert) }, .to = GEI_UNDEFINED };
GEI_OP_UNARY_TABLE(Invert, 0, GEI_ONNX("BitwiseNot", 18));
GEI_WIDEN(Invert, "*", "int uint");

/* ---- shifts ---- */

/* Signed counts become huge when negative, so that one comparison finds both kinds of count that are out of range. */
#define SHIFT_LOOPS(suffix, T, WIDE, UNSIGNED, BITS)                                                                         \
    GEI_BINARY_LOOP(LeftShift_##suffix, T, WIDE, T, (UNSIGNED)b < BITS ? (UNSIGNED)a << (UNSIGNED)b : 0)                     \
    GEI_BINARY_LOOP(RightShift_##suffix, T, WIDE, T, (UNSIGNED)b < BITS ? a >> (UNSIGNED)b : (WIDE)(a < (WIDE)(a != 0) ? -1 : 0))
SHIFT_LOOPS(i8, int8_t, int32_t, uint32_t, 8)
SHIFT_LOOPS(i16, int16_t, int32_t, uint32_t, 16)
SHIFT_LOOPS(i32, int32_t, int32_t, uint32_t, 32)
SHIFT_LOOPS(i64, int64_t, int64_t, uint64_t, 64)
SHIFT_LOOPS(u8, uint8_t, uint32_t, uint32_t, 8)
SHIFT_LOOPS(u16, uint16_t, uint32_t, uint32_t, 16)
SHIFT_LOOPS(u32, uint32_t, uint32_t, uint32_t, 32)
SHIFT_LOOPS(u64, uint64_t, uint64_t, uint64_t, 64)

static ge_status map_shift(gei_import *im, gei_diag *diag) {
    const char *direction = gei_import_text(im, "direction", "");
    bool left = strcmp(direction, "LEFT") == 0;
    gei_node *node;
    if (!left && strcmp(direction, "RIGHT") != 0)
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute direction is '%s', wanted LEFT or RIGHT", direction);
    GEI_TRY(gei_import_node(im, left ? "LeftShift" : "RightShift", im->inputs, im->n_inputs, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_binary LeftShift_binary = { .loops = { GEI_INT_LANES(LeftShift) }, .to = GEI_UNDEFINED };
GEI_OP_BINARY_TABLE(LeftShift, 0, NULL, GEI_ONNX_MAP("BitShift", 11, map_shift));

static const gei_binary RightShift_binary = { .loops = { GEI_INT_LANES(RightShift) }, .to = GEI_UNDEFINED };
GEI_OP_BINARY_TABLE(RightShift, 0, NULL, GEI_NO_SOURCE);
