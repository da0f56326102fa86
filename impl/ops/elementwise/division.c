/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders, and quotients other than Div (arithmetic.c).  Integers never trap: a zero divisor gives 0, and the lowest value over -1 wraps to itself with
 * remainder 0. */
#include "ops/elementwise.h"
#include "ops/import.h"

/* toward zero / toward minus infinity, int64 wide; narrower types are cut to their width, which is what wrapping means */
static inline int64_t quotient_cut(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }
static inline int64_t remainder_cut(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline int64_t quotient_floor(int64_t a, int64_t b) {
    int64_t q = quotient_cut(a, b);
    return b != 0 && b != -1 && a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
static inline int64_t remainder_floor(int64_t a, int64_t b) {
    int64_t r = remainder_cut(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* The remainder with the sign of the divisor: fmod, moved by one divisor where the signs differ; a zero takes the divisor's sign.
 * (float)(double remainder of floats) is exact, since fmod is. */
static inline double fmod_floor(double a, double b) {
    double r = fmod(a, b);
    if (r == 0) return copysign(0.0, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

#define GEI_OP_QUOTIENT(Name, float_expr, signed_expr, unsigned_expr, ...)                                                       \
    GEI_FLOAT_LOOPS(GEI_BINARY_LOOP, Name, float_expr)                                                                          \
    GEI_SIGNED_LOOPS(GEI_BINARY_LOOP, Name, signed_expr)                                                                        \
    GEI_UNSIGNED_LOOPS(GEI_BINARY_LOOP, Name, unsigned_expr)                                                                    \
    static const gei_binary Name##_binary = { .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name) }, .to = GEI_UNDEFINED };   \
    GEI_OP_BINARY_TABLE(Name, 0, NULL, __VA_ARGS__)
GEI_WIDEN_FAMILY(QUOTIENT, "*", "real");

#define UNSIGNED_QUOTIENT (b == 0 ? 0 : a / b)
#define UNSIGNED_REMAINDER (b == 0 ? 0 : a % b)

GEI_OP_QUOTIENT(TruncateDiv, trunc(a / b), quotient_cut(a, b), UNSIGNED_QUOTIENT, GEI_NO_SOURCE);
GEI_OP_QUOTIENT(FloorDiv, floor(a / b), quotient_floor(a, b), UNSIGNED_QUOTIENT, GEI_NO_SOURCE);
GEI_OP_QUOTIENT(DivNoNan, b == 0 ? 0 : a / b, quotient_cut(a, b), UNSIGNED_QUOTIENT, GEI_NO_SOURCE);
GEI_OP_QUOTIENT(TruncateMod, fmod(a, b), remainder_cut(a, b), UNSIGNED_REMAINDER, GEI_NO_SOURCE);
GEI_OP_QUOTIENT(FloorMod, fmod_floor(a, b), remainder_floor(a, b), UNSIGNED_REMAINDER, GEI_NO_SOURCE);

/* ---- Mod: the sign of x1; ONNX's other one is FloorMod ---- */

static ge_status map_mod(gei_import *im, gei_diag *diag) {
    int64_t fmod_mode = gei_import_int(im, "fmod", 0);
    gei_node *node;
    if (fmod_mode != 0 && fmod_mode != 1)
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute fmod is %lld, wanted 0 or 1", (long long)fmod_mode);
    GEI_TRY(gei_import_node(im, fmod_mode ? "Mod" : "FloorMod", im->inputs, im->n_inputs, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

GEI_OP_QUOTIENT(Mod, fmod(a, b), remainder_cut(a, b), UNSIGNED_REMAINDER, GEI_ONNX_MAP("Mod", 10, map_mod));
