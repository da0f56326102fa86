/* SPDX-License-Identifier: Apache-2.0 */
/* dtype: THE table of element types.  Numbers are GE's (own ones from 256); every other place that needs a fact about a dtype asks here
 * or is generated from GEI_DTYPE_TABLE. */
#ifndef GEI_IR_DTYPE_H
#define GEI_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gei_dkind {
    GEI_KIND_NONE = 0, /* undefined, resource, variant */
    GEI_KIND_FLOAT,
    GEI_KIND_INT,      /* two's complement */
    GEI_KIND_UINT,
    GEI_KIND_BOOL,     /* one byte, 0 or 1 */
    GEI_KIND_COMPLEX,
    GEI_KIND_STRING    /* tensor bytes: uint64 offsets[n + 1] from the first text byte, then the text bytes */
} gei_dkind;

/*  X(id, number, name in text and SDKs, bits of one element (0: none fixed), kind, ONNX TensorProto number or 0, GE text name) */
#define GEI_DTYPE_TABLE(X)                                                   \
    X(FLOAT32, 0, "float32", 32, GEI_KIND_FLOAT, 1, "DT_FLOAT")              \
    X(FLOAT16, 1, "float16", 16, GEI_KIND_FLOAT, 10, "DT_FLOAT16")           \
    X(INT8, 2, "int8", 8, GEI_KIND_INT, 3, "DT_INT8")                        \
    X(INT32, 3, "int32", 32, GEI_KIND_INT, 6, "DT_INT32")                    \
    X(UINT8, 4, "uint8", 8, GEI_KIND_UINT, 2, "DT_UINT8")                    \
    X(INT16, 6, "int16", 16, GEI_KIND_INT, 5, "DT_INT16")                    \
    X(UINT16, 7, "uint16", 16, GEI_KIND_UINT, 4, "DT_UINT16")                \
    X(UINT32, 8, "uint32", 32, GEI_KIND_UINT, 12, "DT_UINT32")               \
    X(INT64, 9, "int64", 64, GEI_KIND_INT, 7, "DT_INT64")                    \
    X(UINT64, 10, "uint64", 64, GEI_KIND_UINT, 13, "DT_UINT64")              \
    X(FLOAT64, 11, "float64", 64, GEI_KIND_FLOAT, 11, "DT_DOUBLE")           \
    X(BOOL, 12, "bool", 8, GEI_KIND_BOOL, 9, "DT_BOOL")                      \
    X(STRING, 13, "string", 0, GEI_KIND_STRING, 8, "DT_STRING")              \
    X(DUAL_SUB_INT8, 14, "dual_sub_int8", 8, GEI_KIND_NONE, 0, "DT_DUAL_SUB_INT8")    \
    X(DUAL_SUB_UINT8, 15, "dual_sub_uint8", 8, GEI_KIND_NONE, 0, "DT_DUAL_SUB_UINT8") \
    X(COMPLEX64, 16, "complex64", 64, GEI_KIND_COMPLEX, 14, "DT_COMPLEX64")  \
    X(COMPLEX128, 17, "complex128", 128, GEI_KIND_COMPLEX, 15, "DT_COMPLEX128") \
    X(QINT8, 18, "qint8", 8, GEI_KIND_INT, 0, "DT_QINT8")                    \
    X(QINT16, 19, "qint16", 16, GEI_KIND_INT, 0, "DT_QINT16")                \
    X(QINT32, 20, "qint32", 32, GEI_KIND_INT, 0, "DT_QINT32")                \
    X(QUINT8, 21, "quint8", 8, GEI_KIND_UINT, 0, "DT_QUINT8")                \
    X(QUINT16, 22, "quint16", 16, GEI_KIND_UINT, 0, "DT_QUINT16")            \
    X(RESOURCE, 23, "resource", 0, GEI_KIND_NONE, 0, "DT_RESOURCE")          \
    X(STRING_REF, 24, "string_ref", 0, GEI_KIND_NONE, 0, "DT_STRING_REF")    \
    X(DUAL, 25, "dual", 0, GEI_KIND_NONE, 0, "DT_DUAL")                      \
    X(VARIANT, 26, "variant", 0, GEI_KIND_NONE, 0, "DT_VARIANT")             \
    X(BFLOAT16, 27, "bfloat16", 16, GEI_KIND_FLOAT, 16, "DT_BF16")           \
    X(UNDEFINED, 28, "undefined", 0, GEI_KIND_NONE, 0, "DT_UNDEFINED")       \
    X(INT4, 29, "int4", 4, GEI_KIND_INT, 22, "DT_INT4")                      \
    X(UINT1, 30, "uint1", 1, GEI_KIND_UINT, 0, "DT_UINT1")                   \
    X(INT2, 31, "int2", 2, GEI_KIND_INT, 26, "DT_INT2")                      \
    X(UINT2, 32, "uint2", 2, GEI_KIND_UINT, 25, "DT_UINT2")                  \
    X(COMPLEX32, 33, "complex32", 32, GEI_KIND_COMPLEX, 0, "DT_COMPLEX32")   \
    X(HIFLOAT8, 34, "hifloat8", 8, GEI_KIND_FLOAT, 0, "DT_HIFLOAT8")         \
    X(FLOAT8_E5M2, 35, "float8_e5m2", 8, GEI_KIND_FLOAT, 19, "DT_FLOAT8_E5M2")       \
    X(FLOAT8_E4M3FN, 36, "float8_e4m3fn", 8, GEI_KIND_FLOAT, 17, "DT_FLOAT8_E4M3FN") \
    X(FLOAT8_E8M0, 37, "float8_e8m0", 8, GEI_KIND_FLOAT, 24, "DT_FLOAT8_E8M0")       \
    X(FLOAT6_E3M2, 38, "float6_e3m2", 6, GEI_KIND_FLOAT, 28, "DT_FLOAT6_E3M2")        \
    X(FLOAT6_E2M3, 39, "float6_e2m3", 6, GEI_KIND_FLOAT, 27, "DT_FLOAT6_E2M3")        \
    X(FLOAT4_E2M1, 40, "float4_e2m1", 4, GEI_KIND_FLOAT, 23, "DT_FLOAT4_E2M1")       \
    X(FLOAT4_E1M2, 41, "float4_e1m2", 4, GEI_KIND_FLOAT, 0, "DT_FLOAT4_E1M2")        \
    X(HIFLOAT4, 42, "hifloat4", 4, GEI_KIND_FLOAT, 0, "DT_HIFLOAT4")                 \
    X(HIFLOAT4_SCALE, 43, "hifloat4_scale", 0, GEI_KIND_NONE, 0, "DT_HIFLOAT4_SCALE") \
    X(FLOAT8_E4M3FNUZ, 256, "float8_e4m3fnuz", 8, GEI_KIND_FLOAT, 18, "DT_FLOAT8_E4M3FNUZ") \
    X(FLOAT8_E5M2FNUZ, 257, "float8_e5m2fnuz", 8, GEI_KIND_FLOAT, 20, "DT_FLOAT8_E5M2FNUZ") \
    X(UINT4, 258, "uint4", 4, GEI_KIND_UINT, 21, "DT_UINT4")

enum {
#define X(id, number, name, bits, kind, onnx, ge) GEI_##id = (number),
    GEI_DTYPE_TABLE(X)
#undef X
};

/* ---- values that are no tensors ----
 * Their type is a number too: the form above the type of the tensors inside (GEI_UNDEFINED: not known, of empty ones).  To everything
 * that reads one type of elements it is a type without a size. */
typedef enum gei_value_form {
    GEI_FORM_TENSOR = 0,
    GEI_FORM_SEQUENCE,          /* tensors in order */
    GEI_FORM_OPTIONAL,          /* a tensor or nothing */
    GEI_FORM_OPTIONAL_SEQUENCE,
    GEI_FORM_INT_MAP,           /* int64 -> tensor */
    GEI_FORM_TEXT_MAP,          /* string -> tensor */
    GEI_FORM_INT_MAPS,          /* maps in order */
    GEI_FORM_TEXT_MAPS,
    GEI_FORM_COUNT
} gei_value_form;

#define GEI_FORM_SHIFT 16

static inline gei_value_form gei_dtype_form(int32_t dtype) { return (gei_value_form)((uint32_t)dtype >> GEI_FORM_SHIFT); }
static inline int32_t gei_dtype_elem(int32_t dtype) { return dtype & ((1 << GEI_FORM_SHIFT) - 1); }
static inline int32_t gei_dtype_of(gei_value_form form, int32_t elem) { return (int32_t)form << GEI_FORM_SHIFT | elem; }
static inline bool gei_dtype_is_bundle(int32_t dtype) { return dtype >> GEI_FORM_SHIFT != 0; }
bool gei_dtype_fits(int32_t have, int32_t wanted); /* equal, or the same form and `have` does not know what is inside */
int32_t gei_dtype_sequence(int32_t item);          /* of such items; GEI_UNDEFINED: there is no such type */
int32_t gei_dtype_optional(int32_t inside);
int32_t gei_dtype_item(int32_t dtype);             /* what a sequence or an optional holds; GEI_UNDEFINED: it is neither */

typedef struct gei_dtype_info {
    int32_t dtype;
    uint32_t bits;
    gei_dkind kind;
    int32_t onnx;
    const char *name;    /* "float32" */
    const char *ge_name; /* "DT_FLOAT" */
} gei_dtype_info;

const gei_dtype_info *gei_dtype_get(int32_t dtype);              /* NULL when unknown */
const gei_dtype_info *gei_dtype_at(size_t index);                /* the table in order; NULL past the end */
int32_t gei_dtype_index(int32_t dtype);                          /* its place in the table, of bundles that of resource; -1: unknown */
int32_t gei_dtype_from_name(const char *name, size_t name_size); /* "float32", "f32", "DT_FLOAT", ...; GEI_UNDEFINED when unknown */
int32_t gei_dtype_from_onnx(int32_t onnx);                       /* GEI_UNDEFINED when unknown */
const char *gei_dtype_name(int32_t dtype);                       /* "seq_float32"; "?" when unknown; static */
const char *gei_dtype_short(int32_t dtype);                      /* graph text: f32 f16 bf16 i64 u8 bool str ...; falls back to the name */
bool gei_dtype_is_real(int32_t dtype); /* elements are integers, bools or floats whose layout we know: not complex, text, hifloat */
/* Whole bytes that n elements take (sub-byte types packed, low bits first).  False: overflow, or a type without a fixed size. */
bool gei_dtype_bytes(int32_t dtype, uint64_t n, size_t *out_bytes);

#endif
