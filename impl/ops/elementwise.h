/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise: rows that are one expression over every element.
 *
 *   GEI_OP_UNARY_FLOAT(Tanh, tanh(x), GEI_ONNX("Tanh", 6))
 *   GEI_OP_UNARY(Relu, x < 0 ? 0 : x, x < 0 ? 0 : x, GEI_ONNX("Relu", 6))
 *   GEI_OP_BINARY(Maximum, fmax(a, b), a > b ? a : b, GEI_OP_COMMUTATIVE, GEI_ONNX("Max", 8))
 *
 * The first expression is for float32 and float64 (tgmath: tanh is tanhf for float32; half types are computed in float32), the
 * second for the eight integer types.  GEI_OP_ARITHMETIC computes integers unsigned, so that they wrap. */
#ifndef GEI_OPS_ELEMENTWISE_H
#define GEI_OPS_ELEMENTWISE_H

#include <tgmath.h>

#include "kernels/broadcast.h"
#include "kernels/loops.h"
#include "kernels/wide.h"
#include "ops/rules.h"

typedef enum gei_lane { /* element types a loop is written for */
    GEI_LANE_F32, GEI_LANE_F64, GEI_LANE_I8, GEI_LANE_I16, GEI_LANE_I32, GEI_LANE_I64, GEI_LANE_U8, GEI_LANE_U16, GEI_LANE_U32, GEI_LANE_U64,
    GEI_LANE_BOOL, GEI_LANE_C64, GEI_LANE_C128,
    GEI_LANES,
    GEI_LANE_NONE
} gei_lane;

gei_lane gei_lane_of(int32_t dtype); /* half types: F32; quantised types: their integers */

typedef void (*gei_params_fn)(const gei_node *node, double *p);

typedef struct gei_unary {
    gei_unary_loop loops[GEI_LANES]; /* NULL: the type is not supported */
    int32_t to;                      /* dtype of the output, GEI_UNDEFINED: that of x */
    gei_params_fn params;            /* nullable: attributes as numbers */
} gei_unary;

typedef struct gei_binary {
    gei_binary_loop loops[GEI_LANES];
    int32_t to;
    gei_params_fn params;
} gei_binary;

/* Kernel "wide": the loop of the row's name in kernels/wide.h, run by the row's own .run, for float32 and halves. */
const gei_wide *gei_wide_table(uint32_t isa);
bool gei_wide_accepts(const gei_choice *c, gei_reason *why);
ge_status gei_wide_prepare(gei_prepare *p, gei_diag *diag);
#define GEI_WIDE_KERNEL(size_fn, run_fn, in_place_mask) \
    { .name = "wide", .accepts = gei_wide_accepts, .prepare = gei_wide_prepare, .size = size_fn, .run = run_fn, .in_place = in_place_mask }

/* ---- a curve that another row puts its float32 results through ---- */
typedef struct gei_curve {
    gei_unary_loop loop;
    double params[GEI_MAX_PARAMS];
} gei_curve;
/* The curve of attribute GEI_ATTR_CURVE; wide: as gei_wide_table(isa) has it, else the row's own.  False: none. */
bool gei_node_curve(const gei_node *node, bool wide, uint32_t isa, gei_curve *out);

ge_status gei_infer_unary(gei_infer *i, const gei_unary *u);
ge_status gei_run_unary(const gei_run *run, uint32_t part, const gei_unary *u);
ge_status gei_infer_binary(gei_infer *i, const gei_binary *b);
ge_status gei_run_binary(const gei_run *run, uint32_t part, const gei_binary *b);
ge_status gei_size_unary(gei_sizing *s, gei_diag *diag);
ge_status gei_size_broadcast(gei_sizing *s, gei_diag *diag); /* sized: gei_broadcast over all inputs, at most GEI_BROADCAST_INPUTS */

/* ---- sources ---- */
ge_status gei_map_axis(struct gei_import *im, gei_diag *diag); /* array/align.c */
#define GEI_ONNX(type, since) { GEI_FROM_ONNX, type, since, NULL, NULL }
/* With two inputs and broadcasting, of any version: before 7 attribute `axis` says where the second begins in the first. */
#define GEI_ONNX_AXIS(type) { GEI_FROM_ONNX, type, 1, gei_map_axis, NULL }, GEI_ONNX(type, 7)
#define GEI_ONNX_ATTRS(type, since, attrs) { GEI_FROM_ONNX, type, since, NULL, attrs }
#define GEI_ONNX_MAP(type, since, map) { GEI_FROM_ONNX, type, since, map, NULL }
#define GEI_TF(type) { GEI_FROM_TF, type, 1, NULL, NULL }
#define GEI_NO_SOURCE { 0 }

/* ---- loops for groups of lanes; F is GEI_UNARY_LOOP or GEI_BINARY_LOOP ---- */
#define GEI_FLOAT_LOOPS(F, Name, expr)             \
    F(Name##_f32, float, float, float, expr)       \
    F(Name##_f64, double, double, double, expr)
#define GEI_SIGNED_LOOPS(F, Name, expr)            \
    F(Name##_i8, int8_t, int32_t, int8_t, expr)    \
    F(Name##_i16, int16_t, int32_t, int16_t, expr) \
    F(Name##_i32, int32_t, int32_t, int32_t, expr) \
    F(Name##_i64, int64_t, int64_t, int64_t, expr)
#define GEI_UNSIGNED_LOOPS(F, Name, expr)          \
    F(Name##_u8, uint8_t, uint32_t, uint8_t, expr) \
    F(Name##_u16, uint16_t, uint32_t, uint16_t, expr) \
    F(Name##_u32, uint32_t, uint32_t, uint32_t, expr) \
    F(Name##_u64, uint64_t, uint64_t, uint64_t, expr)
#define GEI_WRAPPING_LOOPS(F, Name, expr)          \
    F(Name##_i8, int8_t, uint32_t, int8_t, expr)   \
    F(Name##_i16, int16_t, uint32_t, int16_t, expr) \
    F(Name##_i32, int32_t, uint32_t, int32_t, expr) \
    F(Name##_i64, int64_t, uint64_t, int64_t, expr) \
    GEI_UNSIGNED_LOOPS(F, Name, expr)
#define GEI_COMPLEX_LOOPS(F, Name, expr)           \
    F(Name##_c64, float _Complex, float _Complex, float _Complex, expr) \
    F(Name##_c128, double _Complex, double _Complex, double _Complex, expr)

#define GEI_FLOAT_LANES(Name) [GEI_LANE_F32] = Name##_f32, [GEI_LANE_F64] = Name##_f64
#define GEI_SIGNED_LANES(Name) \
    [GEI_LANE_I8] = Name##_i8, [GEI_LANE_I16] = Name##_i16, [GEI_LANE_I32] = Name##_i32, [GEI_LANE_I64] = Name##_i64
#define GEI_UNSIGNED_LANES(Name) \
    [GEI_LANE_U8] = Name##_u8, [GEI_LANE_U16] = Name##_u16, [GEI_LANE_U32] = Name##_u32, [GEI_LANE_U64] = Name##_u64
#define GEI_INT_LANES(Name) GEI_SIGNED_LANES(Name), GEI_UNSIGNED_LANES(Name)
#define GEI_COMPLEX_LANES(Name) [GEI_LANE_C64] = Name##_c64, [GEI_LANE_C128] = Name##_c128

/* ---- rows over a table `Name_unary` or `Name_binary` that stands before them ---- */
#define GEI_OP_UNARY_TABLE(Name, Traits, ...) GEI_UNARY_ROW(Name, Traits, NULL, __VA_ARGS__)
#define GEI_UNARY_ROW(Name, Traits, Forms, ...)                                                                                 \
    static ge_status Name##_infer(gei_infer *i) { return gei_infer_unary(i, &Name##_unary); }                                   \
    static ge_status Name##_ref(const gei_run *run, uint32_t part) { return gei_run_unary(run, part, &Name##_unary); }          \
    static const gei_kernel Name##_kernels[] = { GEI_WIDE_KERNEL(gei_size_unary, Name##_ref, 1),                                \
                                                 { .name = "ref", .size = gei_size_unary, .run = Name##_ref, .in_place = 1 },   \
                                                 { 0 } };                                                                       \
    static const gei_source Name##_sources[] = { __VA_ARGS__, { 0 } };                                                          \
    GEI_OP(Name) = { .name = #Name, .infer = Name##_infer, .kernels = Name##_kernels, .sources = Name##_sources,                \
                     .forms = Forms, .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE | (Traits), .unary = &Name##_unary }

#define GEI_OP_BINARY_TABLE(Name, Traits, Elems, ...)                                                                               \
    static ge_status Name##_infer(gei_infer *i) { return gei_infer_binary(i, &Name##_binary); }                                     \
    static ge_status Name##_ref(const gei_run *run, uint32_t part) { return gei_run_binary(run, part, &Name##_binary); }            \
    static const gei_kernel Name##_kernels[] = { GEI_WIDE_KERNEL(gei_size_broadcast, Name##_ref, 3),                                \
                                                 { .name = "ref", .size = gei_size_broadcast, .run = Name##_ref, .in_place = 3 },   \
                                                 { 0 } };                                                                           \
    static const gei_source Name##_sources[] = { __VA_ARGS__, { 0 } };                                                              \
    GEI_OP(Name) = { .name = #Name, .infer = Name##_infer, .elems = Elems, .kernels = Name##_kernels, .sources = Name##_sources,    \
                     .binary = &Name##_binary, .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE | (Traits) }

/* ---- rows that are one line ---- */
#define GEI_OP_UNARY_FLOAT(Name, expr, ...)                                        \
    GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Name, expr)                                    \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name) }, .to = GEI_UNDEFINED };    \
    GEI_OP_UNARY_TABLE(Name, 0, __VA_ARGS__)

/* With forms (op.h) and parameters, which may be NULL. */
#define GEI_OP_FORMED(Name, params_fn, expr, Forms, ...)                           \
    GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Name, expr)                                    \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name) }, .to = GEI_UNDEFINED, .params = params_fn };    \
    GEI_UNARY_ROW(Name, 0, Forms, __VA_ARGS__)

#define GEI_OP_UNARY(Name, float_expr, int_expr, ...)                              \
    GEI_FLOAT_LOOPS(GEI_UNARY_LOOP, Name, float_expr)                              \
    GEI_SIGNED_LOOPS(GEI_UNARY_LOOP, Name, int_expr)                               \
    GEI_UNSIGNED_LOOPS(GEI_UNARY_LOOP, Name, int_expr)                             \
    static const gei_unary Name##_unary = { .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name) }, .to = GEI_UNDEFINED };       \
    GEI_OP_UNARY_TABLE(Name, 0, __VA_ARGS__)

#define GEI_OP_BINARY(Name, float_expr, int_expr, Traits, ...)                     \
    GEI_FLOAT_LOOPS(GEI_BINARY_LOOP, Name, float_expr)                             \
    GEI_SIGNED_LOOPS(GEI_BINARY_LOOP, Name, int_expr)                              \
    GEI_UNSIGNED_LOOPS(GEI_BINARY_LOOP, Name, int_expr)                            \
    static const gei_binary Name##_binary = { .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name) }, .to = GEI_UNDEFINED };     \
    GEI_OP_BINARY_TABLE(Name, Traits, NULL, __VA_ARGS__)

/* One expression for floats, wrapping integers, complex numbers; bool_expr for bools (0 or 1 in, 0 or 1 out). */
#define GEI_OP_ARITHMETIC(Name, expr, bool_expr, Traits, Elems, ...)               \
    GEI_FLOAT_LOOPS(GEI_BINARY_LOOP, Name, expr)                                   \
    GEI_WRAPPING_LOOPS(GEI_BINARY_LOOP, Name, expr)                                \
    GEI_COMPLEX_LOOPS(GEI_BINARY_LOOP, Name, expr)                                 \
    GEI_BINARY_LOOP(Name##_bool, uint8_t, uint32_t, uint8_t, bool_expr)            \
    static const gei_binary Name##_binary = {                                      \
        .loops = { GEI_FLOAT_LANES(Name), GEI_INT_LANES(Name), GEI_COMPLEX_LANES(Name), [GEI_LANE_BOOL] = Name##_bool },          \
        .to = GEI_UNDEFINED };                                                     \
    GEI_OP_BINARY_TABLE(Name, Traits, Elems, __VA_ARGS__)

GEI_WIDEN_FAMILY(UNARY_FLOAT, "*", "float");
GEI_WIDEN_FAMILY(FORMED, "*", "float");
GEI_WIDEN_FAMILY(UNARY, "*", "real");
GEI_WIDEN_FAMILY(BINARY, "*", "real");
GEI_WIDEN_FAMILY(ARITHMETIC, "*", "number bool");

/* Partly known contents of x1 op x2: numbers where both are, a symbol where the other side changes nothing. */
ge_status gei_elems_add(gei_infer *i);
ge_status gei_elems_sub(gei_infer *i);
ge_status gei_elems_mul(gei_infer *i);
ge_status gei_elems_div(gei_infer *i);

#endif
